//go:build !unix

package selfplay

import (
	"io"
	"os"
	"path/filepath"
)

// lockDir opens the lock file; systems without flock get no protection against two processes in one run.
func lockDir(dir string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
}
