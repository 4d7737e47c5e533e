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
