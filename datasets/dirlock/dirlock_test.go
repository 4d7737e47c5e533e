//go:build unix

package dirlock

import (
	"errors"
	"testing"
)

func TestOneHolder(t *testing.T) {
	dir := t.TempDir()
	l, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("second holder: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Acquire(dir)
	if err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	again.Close()
}

func TestMissingDirectory(t *testing.T) {
	if _, err := Acquire(t.TempDir() + "/none"); err == nil {
		t.Error("a lock in a directory that is not there")
	}
}

// TestFileLocks: files of one directory do not stand in each other's way, and the file itself need not be there.
func TestFileLocks(t *testing.T) {
	dir := t.TempDir()
	a, err := AcquireFile(dir + "/a.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AcquireFile(dir + "/a.json"); !errors.Is(err, ErrInUse) {
		t.Errorf("second holder: %v", err)
	}
	b, err := AcquireFile(dir + "/b.json")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []interface{ Close() error }{a, b, whole} {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if l, err := AcquireFile(dir + "/a.json"); err != nil {
		t.Errorf("after it was given back: %v", err)
	} else {
		l.Close()
	}
}
