//go:build !unix

package dirlock

import (
	"io"
	"os"
)

// acquire opens the lock file; systems without flock get no protection against two processes.
func acquire(_, lock, _ string) (io.Closer, error) {
	return os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o644)
}
