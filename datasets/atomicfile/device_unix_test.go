//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe stands for every path that a rename would destroy, such as a device.
func TestDevicesAreNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if err := WriteBytes(path, []byte("x")); !errors.Is(err, ErrNotRegular) {
		t.Errorf("error %v", err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().IsRegular() {
		t.Errorf("the pipe was replaced: %v, %v", st, err)
	}
}
