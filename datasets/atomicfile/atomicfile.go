package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Suffix ends the name of every temporary file that this package creates. The
// whole name is "." + target's base name + "." + random digits + Suffix.
const Suffix = ".atomic-tmp"

// ErrNotRegular is wrapped by the errors of Open, Check, WriteFile and Create for a path that is a device, a pipe, a socket
// or a directory.
var ErrNotRegular = errors.New("it is not a regular file; name another")

// bufferSize is the size of the buffer between the caller's writer and the
// file: many encoders write a few bytes at a time, and each would otherwise be
// one system call.
const bufferSize = 1 << 16

// WriteFile replaces the file at path by what write puts into w, atomically and
// durably: when WriteFile returns nil the whole content is on the disk under
// path, and when it returns an error (or the process dies) path holds what it
// held before.
//
// The new file has mode 0644 less the umask. The directory of path must exist.
// An error of write is wrapped, so errors.Is and errors.As see it. The writer
// given to write is buffered and must not be kept after write returns. Several
// goroutines may write different paths at once; when two write the same path
// the last rename wins and the file is whole either way.
func WriteFile(path string, write func(w io.Writer) error) (err error) {
	dir, base, err := split(path)
	if err != nil {
		return err
	}
	// os.CreateTemp makes the file private (0600); data sets are meant to be
	// read by other users, so the mode of an ordinary file is restored below.
	f, err := os.CreateTemp(dir, "."+base+".*"+Suffix)
	if err != nil {
		return fmt.Errorf("write %s: create temporary file: %w", path, err)
	}
	tmp := f.Name()
	committed := false
	defer func() {
		if committed {
			return
		}
		// Covers a panic in write as well: the temporary file never outlives
		// the call.
		f.Close()
		if rmErr := os.Remove(tmp); rmErr != nil && !errors.Is(rmErr, os.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("remove temporary file: %w", rmErr))
		}
	}()
	if runtime.GOOS != "windows" {
		if err := f.Chmod(0o666 &^ umask()); err != nil {
			return fmt.Errorf("write %s: set mode: %w", path, err)
		}
	}
	bw := bufio.NewWriterSize(f, bufferSize)
	if err := write(bw); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := bw.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: flush to disk: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: close: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	committed = true
	if err := SyncDir(dir); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// split divides a path that a file may be written to. A rename would take the place of a device or a pipe, /dev/null for
// everyone if root does it, so whatever stands there must be a regular file.
func split(path string) (dir, base string, err error) {
	dir, base = filepath.Split(path)
	if base == "" {
		return "", "", fmt.Errorf("write %q: the path names no file: %w", path, ErrNotRegular)
	}
	if dir == "" {
		dir = "."
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return "", "", fmt.Errorf("write %s: %w", path, ErrNotRegular)
	}
	return dir, base, nil
}

// Check returns the error that WriteFile would return for path before it calls write, and leaves nothing behind: for
// programs that compute long before they write.
func Check(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.Abort()
}

// WriteBytes is [WriteFile] for content that is already in memory.
func WriteBytes(path string, content []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// SyncDir flushes the entries of directory dir to the disk, which makes earlier
// creations, renames and removals in it durable. Where the operating system
// cannot flush a directory (Windows) it does nothing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("flush directory: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("flush directory %s: %w", dir, err)
	}
	return nil
}

// RemoveStale removes the temporary files that a killed process left in
// directory dir (not in its subdirectories) and returns their number. It must
// only be called while no other process or goroutine writes into dir: it cannot
// tell a stale file from one in the making.
func RemoveStale(dir string) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("remove stale files: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, ".") || !strings.HasSuffix(name, Suffix) || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return removed, fmt.Errorf("remove stale files: %w", err)
		}
		removed++
	}
	return removed, nil
}
