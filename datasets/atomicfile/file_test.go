package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFileIsInvisibleUntilCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shard")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	if _, err := f.Write(make([]byte, 3*bufferSize)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Fatalf("the target has %d bytes before Commit", len(got))
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); len(got) != 3*bufferSize {
		t.Fatalf("the target has %d bytes after Commit", len(got))
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Fatalf("left behind: %v", got)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, errDone) {
		t.Fatalf("write after Commit: %v", err)
	}
	if err := f.Commit(); !errors.Is(err, errDone) {
		t.Fatalf("second Commit: %v", err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "shard"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Abort(); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, dir); len(got) != 0 {
		t.Fatalf("left behind: %v", got)
	}
	if _, err := Create(filepath.Join(dir, "absent", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("missing directory: %v", err)
	}
	// A directory is not replaced.
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(dir, "sub")); err == nil {
		t.Fatal("a directory is to be replaced")
	}
	// Nor does one go that came into being meanwhile.
	f, err = Create(filepath.Join(dir, "later"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "later"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Fatal("a directory was replaced")
	}
	if got := entries(t, dir); len(got) != 2 {
		t.Fatalf("left behind: %v", got)
	}
}

// TestCommitAllNamesAllButTheFailed: one file that cannot get its name, because a directory has
// taken it, hinders no other.
func TestCommitAllNamesAllButTheFailed(t *testing.T) {
	root := t.TempDir()
	var files []*File
	for _, name := range []string{"a/1", "a/2", "b/1", "b/2"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		// Flushed half-way, which changes nothing.
		for _, part := range []string{name[:1], name[1:]} {
			if _, err := f.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Flush(), f.Flush()); err != nil {
				t.Fatal(err)
			}
		}
		files = append(files, f)
	}
	// Not empty, so that no system puts the file in its place.
	if err := os.MkdirAll(filepath.Join(root, "a", "2", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := CommitAll(files)
	if err == nil || !strings.Contains(err.Error(), filepath.Join("a", "2")) {
		t.Fatalf("the error does not name the file that failed: %v", err)
	}
	for _, name := range []string{"a/1", "b/1", "b/2"} {
		if got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil || string(got) != name {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if got := entries(t, filepath.Join(root, "a")); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("left behind: %v", got)
	}
	if err := CommitAll(files[:1]); !errors.Is(err, errDone) {
		t.Errorf("a second CommitAll: %v", err)
	}
	if err := files[0].Flush(); !errors.Is(err, errDone) {
		t.Errorf("Flush after CommitAll: %v", err)
	}
	if err := CommitAll(nil); err != nil {
		t.Errorf("nothing to commit: %v", err)
	}
}
