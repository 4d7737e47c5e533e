//go:build unix

package experiments

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// lockName is the file whose lock a running experiment holds.
const lockName = ".lock"

// lock makes sure that one process at a time works on an experiment. The system
// gives the lock back when the process ends, also when it is killed, so a stale
// file never stands in the way.
func lock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start experiment: %w", err)
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		f.Close()
		return nil, fmt.Errorf("%w: another process is running the experiment in %s; wait for it or use another directory", ErrInvalid, dir)
	default:
		f.Close()
		return nil, fmt.Errorf("start experiment: lock %s: %w", dir, err)
	}
}
