//go:build linux || darwin

package main

import (
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"
)

// limitFileSize makes every file that this process writes end at so many bytes, as if the disk were full there:
// writing on is an error. Empty is no limit.
func limitFileSize(bytes string) {
	if bytes == "" {
		return
	}
	n, err := strconv.ParseUint(bytes, 10, 63)
	if err != nil {
		panic(err)
	}
	// Without a signal that kills the process the write itself fails, with EFBIG.
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
		panic(err)
	}
}
