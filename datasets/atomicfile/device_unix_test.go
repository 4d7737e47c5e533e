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
	if _, err := Create(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Create: error %v", err)
	}
	if err := Check(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Check: error %v", err)
	}
	if _, _, err := Open(path); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Open: error %v", err)
	}
	dir := t.TempDir()
	if _, _, err := Open(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Open of a directory: error %v", err)
	}
	if err := Check(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("Check of a directory: error %v", err)
	}
	if err := Check(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	if es, err := os.ReadDir(dir); err != nil || len(es) > 0 {
		t.Errorf("Check leaves %v (%v)", es, err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().IsRegular() {
		t.Errorf("the pipe was replaced: %v, %v", st, err)
	}
}
