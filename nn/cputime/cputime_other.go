//go:build !unix && !windows

package cputime

import "time"

var start = time.Now()

func process() time.Duration { return time.Since(start) }
