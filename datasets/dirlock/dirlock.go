// Package dirlock keeps two processes from working in one directory at a time.
//
// The lock is the operating system's on a file, so it goes when the process ends, however it ends: a file left by
// a killed process never stands in the way.
package dirlock

import "errors"

// Name is the file, inside the directory, whose lock is taken.
const Name = ".lock"

// ErrInUse is wrapped by the error of Acquire when another process holds the lock.
var ErrInUse = errors.New("in use by another process")
