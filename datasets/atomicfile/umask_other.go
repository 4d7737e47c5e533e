//go:build !unix

package atomicfile

import "os"

// umask is only used on Unix.
func umask() os.FileMode { return 0 }
