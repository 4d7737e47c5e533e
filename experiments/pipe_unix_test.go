//go:build unix

package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"latro/datasets/atomicfile"
)

// What never ends, or waits for a writer, is refused instead of read.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "design.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := LoadDesign(pipe); !errors.Is(err, atomicfile.ErrNotRegular) {
		t.Errorf("a pipe as design: %v", err)
	}
	d := smallDesign()
	d.Agents, d.Matches, d.Pairs = d.Agents[:1], nil, 4
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	shard := filepath.Join(dir, filepath.FromSlash(unitPath(0, 0)))
	for _, target := range []string{pipe, "/dev/zero"} {
		if err := os.Remove(shard); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, shard); err != nil {
			t.Fatal(err)
		}
		if err := Run(context.Background(), dir, d, RunOptions{}); !errors.Is(err, atomicfile.ErrNotRegular) {
			t.Errorf("%s as a shard: %v", target, err)
		}
	}
}
