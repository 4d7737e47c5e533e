//go:build !unix

package dirlock

import (
	"io"
	"os"
	"path/filepath"
)

// Acquire opens the lock file; systems without flock get no protection against two processes.
func Acquire(dir string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, Name), os.O_CREATE|os.O_RDWR, 0o644)
}
