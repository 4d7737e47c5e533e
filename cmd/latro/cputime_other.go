//go:build !unix

package main

import "time"

var processStart = time.Now()

// processTime is the time since the process began: this system does not tell processor time as others do.
func processTime() time.Duration { return time.Since(processStart) }
