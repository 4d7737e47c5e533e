package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"latro/datasets/atomicfile"
)

// ShardInfo describes one data file, as writers return it and manifests keep it.
type ShardInfo struct {
	// Path is where the writer put the file. A manifest keeps it relative to its
	// own directory, with slashes.
	Path      string `json:"path"`
	Kind      Kind   `json:"kind"`
	Rows      uint64 `json:"rows"`
	Bytes     int64  `json:"bytes"`
	SHA256    string `json:"sha256"` // lower-case hexadecimal, of the whole file
	FirstGame uint64 `json:"first_game,omitempty"`
	LastGame  uint64 `json:"last_game,omitempty"`
	// Generation is for the caller, who sets it before Manifest.Add.
	Generation uint32 `json:"generation,omitempty"`
}

// HashFile returns the length and the SHA-256 in hexadecimal of the regular file at path.
func HashFile(path string) (size int64, sum string, err error) {
	f, _, err := atomicfile.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	return hashReader(f)
}

func hashReader(r io.Reader) (size int64, sum string, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// openFile opens a regular file and returns its length, after comparing length
// and SHA-256 with what is expected. The hash is taken from the same descriptor
// that is read afterwards.
func openFile(path string, expect *ShardInfo) (f *os.File, size int64, err error) {
	f, size, err = atomicfile.Open(path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		return nil, 0, &FileError{Path: path, Offset: -1, What: "is not a regular file", Err: ErrSchema}
	}
	if err != nil {
		fix := ""
		if errors.Is(err, os.ErrNotExist) && expect != nil {
			fix = "the manifest lists it: " + fixRestore
		}
		return nil, 0, &FileError{Path: path, Offset: -1, What: "cannot be opened: " + bareError(err), Fix: fix, Err: err}
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if expect == nil {
		return f, size, nil
	}
	if size != expect.Bytes {
		kind, fix := ErrDamaged, fixRestore
		if size < expect.Bytes {
			kind = ErrTruncated
		}
		return nil, 0, &FileError{Path: path, Offset: -1, Fix: fix, Err: kind,
			What: fmt.Sprintf("has %d bytes, the manifest says %d", size, expect.Bytes)}
	}
	_, sum, err := hashReader(f)
	if err != nil {
		return nil, 0, err
	}
	if sum != expect.SHA256 {
		return nil, 0, &FileError{Path: path, Offset: -1, Fix: fixRestore, Err: ErrDamaged,
			What: fmt.Sprintf("has SHA-256 %s, the manifest says %s", sum, expect.SHA256)}
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	return f, size, nil
}

// bareError is the message of err without the path, which the caller adds.
func bareError(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
