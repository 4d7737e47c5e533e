//go:build unix

package dirlock

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// acquire takes the lock on the file lock, which keeps others from what, a directory or a file.
func acquire(what, lock, kind string) (io.Closer, error) {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s is %w; wait for it, or use another %s", what, ErrInUse, kind)
		}
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	return f, nil
}
