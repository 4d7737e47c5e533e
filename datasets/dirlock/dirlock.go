// Package dirlock keeps two processes from working in one directory, or on one file, at a time.
//
// The lock is the operating system's on a file, so it goes when the process ends, however it ends: a file left by
// a killed process never stands in the way.
package dirlock

import (
	"errors"
	"io"
	"path/filepath"
)

// Name is the file, inside the directory, whose lock is taken.
const Name = ".lock"

// ErrInUse is wrapped by the error of Acquire when another process holds the lock.
var ErrInUse = errors.New("in use by another process")

// Acquire takes the lock of a directory; closing the result gives it back. If another holder has it the error
// wraps ErrInUse.
func Acquire(dir string) (io.Closer, error) {
	return acquire(dir, filepath.Join(dir, Name), "directory")
}

// AcquireFile takes the lock of a file that is written anew from time to time, and so cannot be locked itself; it
// need not be there yet. The lock is a hidden file beside it, .NAME.lock, which stays behind, empty.
func AcquireFile(path string) (io.Closer, error) {
	return acquire(path, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+Name), "file")
}
