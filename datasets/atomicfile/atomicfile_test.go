package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// entries returns the names in dir.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	es, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range es {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteFileReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data.bin")
	for _, size := range []int{0, 1, bufferSize - 1, bufferSize, 3*bufferSize + 7} {
		want := bytes.Repeat([]byte{byte(size), 0xa5, 3}, size)[:size]
		if err := WriteBytes(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("size %d: content differs", size)
		}
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Fatalf("left behind: %v", got)
	}
}

func TestFailureKeepsOldContentAndNoTemporary(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data.bin")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("encoder failed")
	err := WriteFile(path, func(w io.Writer) error {
		// More than the buffer, so part of it has reached the file.
		if _, err := w.Write(make([]byte, 2*bufferSize)); err != nil {
			return err
		}
		return cause
	})
	if !errors.Is(err, cause) {
		t.Fatalf("error %v does not wrap the cause", err)
	}
	got, _ := os.ReadFile(path)
	if string(got) != "old" {
		t.Fatalf("content is %q after a failed write", got)
	}
	if got := entries(t, dir); len(got) != 1 {
		t.Fatalf("left behind: %v", got)
	}
}

func TestPanicRemovesTemporary(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() {
			if recover() == nil {
				t.Fatal("the panic was swallowed")
			}
		}()
		_ = WriteFile(filepath.Join(dir, "x"), func(io.Writer) error { panic("encoder") })
	}()
	if got := entries(t, dir); len(got) != 0 {
		t.Fatalf("left behind: %v", got)
	}
}

func TestBadPaths(t *testing.T) {
	dir := t.TempDir()
	nop := func(io.Writer) error { return nil }
	if err := WriteFile(filepath.Join(dir, "absent", "x"), nop); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("missing directory: %v", err)
	}
	if err := WriteFile(dir+string(filepath.Separator), nop); err == nil {
		t.Fatal("a path without a file name was accepted")
	}
	// The rename over a directory fails; the temporary file must go.
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(sub, nop); err == nil {
		t.Fatal("a directory was replaced")
	}
	if got := entries(t, dir); len(got) != 1 || got[0] != "sub" {
		t.Fatalf("left behind: %v", got)
	}
}

func TestModeIsThatOfAnOrdinaryFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix modes")
	}
	dir := t.TempDir()
	ordinary, err := os.Create(filepath.Join(dir, "ordinary"))
	if err != nil {
		t.Fatal(err)
	}
	ordinary.Close()
	want, err := os.Stat(ordinary.Name())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "atomic")
	if err := WriteBytes(path, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && got.Mode() != want.Mode() {
		t.Fatalf("mode %v, an ordinary file has %v", got.Mode(), want.Mode())
	}
}

func TestConcurrentWritersLeaveOneWholeFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "data.bin")
	const writers, size = 8, 100_000
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			if err := WriteBytes(path, bytes.Repeat([]byte{byte('a' + i)}, size)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != size || bytes.Count(got, got[:1]) != size {
		t.Fatalf("the file mixes writers (length %d)", len(got))
	}
}

func TestRemoveStale(t *testing.T) {
	dir := t.TempDir()
	keep := []string{"shard.arrows", ".hidden", "x" + Suffix}
	for _, n := range append([]string{".shard.arrows.123" + Suffix, ".m.7" + Suffix}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n, err := RemoveStale(dir)
	if err != nil || n != 2 {
		t.Fatalf("removed %d, error %v; want 2", n, err)
	}
	if got := entries(t, dir); len(got) != len(keep) {
		t.Fatalf("left %v, want %v", got, keep)
	}
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "manifest.json")
	err = WriteFile(path, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, `{"games": 12}`)
		return err
	})
	content, _ := os.ReadFile(path)
	fmt.Print(err, " ", string(content))
	// Output: <nil> {"games": 12}
}
