//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Now returns the user and system time that all threads of this process have
// used so far.
func Now() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		// RUSAGE_SELF with a valid pointer cannot fail.
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
