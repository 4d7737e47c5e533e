package cputime

import (
	"syscall"
	"time"
)

func process() time.Duration {
	h, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err) // it cannot fail
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		panic(err) // it cannot fail with the process's own handle
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
