package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// File is a file in the making, for content that arrives over time: what is
// written becomes visible under the target's name only by [File.Commit]. A File
// that is neither committed nor aborted leaves its temporary file behind, so
// defer [File.Abort], which does nothing after Commit.
//
// A File is for one goroutine.
type File struct {
	path string
	dir  string
	f    *os.File
	w    *bufio.Writer
	done bool
}

var _ io.Writer = (*File)(nil)

// errDone is returned for the use of a file after Commit or Abort.
var errDone = errors.New("the file was already committed or aborted")

// Create starts the replacement of the file at path, with the promises of
// [WriteFile]. The directory of path must exist.
func Create(path string) (*File, error) {
	dir, base, err := split(path)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "."+base+".*"+Suffix)
	if err != nil {
		return nil, fmt.Errorf("write %s: create temporary file: %w", path, err)
	}
	file := &File{path: path, dir: dir, f: f, w: bufio.NewWriterSize(f, bufferSize)}
	// os.CreateTemp makes the file private; see WriteFile.
	if runtime.GOOS != "windows" {
		if err := f.Chmod(0o666 &^ umask()); err != nil {
			return nil, errors.Join(fmt.Errorf("write %s: set mode: %w", path, err), file.Abort())
		}
	}
	return file, nil
}

// Write appends p to the content. Writes are buffered.
func (f *File) Write(p []byte) (int, error) {
	if f.done {
		return 0, fmt.Errorf("write %s: %w", f.path, errDone)
	}
	if f.w == nil {
		f.w = bufio.NewWriterSize(f.f, bufferSize)
	}
	n, err := f.w.Write(p)
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.path, err)
	}
	return n, err
}

// Flush hands what was written so far to the operating system and frees its buffer, so that a
// file that waits for [CommitAll] takes hardly any memory. It does not reach the disk by that.
func (f *File) Flush() error {
	if f.done {
		return fmt.Errorf("write %s: %w", f.path, errDone)
	}
	if f.w == nil {
		return nil
	}
	if err := f.w.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	f.w = nil
	return nil
}

// Commit flushes the content to the disk and gives the file its name. When it
// returns an error the target is untouched and the temporary file removed,
// unless the error came from flushing the directory after the rename.
func (f *File) Commit() error {
	if f.done {
		return fmt.Errorf("write %s: %w", f.path, errDone)
	}
	if err := f.name(); err != nil {
		return err
	}
	if err := SyncDir(f.dir); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// name is Commit without the flushing of the directory.
func (f *File) name() error {
	if err := f.Flush(); err != nil {
		return errors.Join(err, f.Abort())
	}
	if err := f.f.Sync(); err != nil {
		return errors.Join(fmt.Errorf("write %s: flush to disk: %w", f.path, err), f.Abort())
	}
	if err := f.f.Close(); err != nil {
		return errors.Join(fmt.Errorf("write %s: close: %w", f.path, err), f.Abort())
	}
	if err := os.Rename(f.f.Name(), f.path); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.path, err), f.Abort())
	}
	f.done = true
	return nil
}

// CommitAll commits several files, with the promises of [File.Commit] for each: all are
// flushed side by side, which a file system does in little more time than one takes, and
// each directory once. It returns the errors of all files; those without one have
// their names.
func CommitAll(files []*File) error {
	errs := make([]error, len(files), len(files)+1)
	var wg sync.WaitGroup
	for i, f := range files {
		if f.done {
			errs[i] = fmt.Errorf("write %s: %w", f.path, errDone)
			continue
		}
		wg.Go(func() { errs[i] = f.name() })
	}
	wg.Wait()
	flushed := map[string]bool{}
	for i, f := range files {
		if errs[i] == nil && !flushed[f.dir] {
			flushed[f.dir] = true
			if err := SyncDir(f.dir); err != nil {
				errs = append(errs, fmt.Errorf("write %s: %w", f.path, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Abort removes the temporary file and leaves the target as it was. After
// Commit or Abort it does nothing.
func (f *File) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	f.f.Close() // its error tells nothing about a file that is thrown away
	if err := os.Remove(f.f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove temporary file: %w", err)
	}
	return nil
}
