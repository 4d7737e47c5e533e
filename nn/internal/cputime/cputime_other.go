//go:build !unix

package cputime

import "time"

var start = time.Now()

// Now returns the time since the start of the process: this system does not
// tell processor time in the way that others do.
func Now() time.Duration { return time.Since(start) }
