//go:build !unix

package experiments

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// lockName is the file that stands for a running experiment.
const lockName = ".lock"

// lock opens the lock file. Without flock it protects nobody: here it is up to the
// user to run one process a directory.
func lock(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start experiment: %w", err)
	}
	return f, nil
}
