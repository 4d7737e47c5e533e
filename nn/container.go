package nn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"latro/datasets/atomicfile"
)

// The file format of checkpoints and trainer states, all little-endian:
//
//	 8 bytes  magic
//	 4 bytes  format version
//	 4 bytes  length H of the header
//	 H bytes  header, JSON
//	 …        float32 values of the tensors, in the header's order, no gaps
//	32 bytes  SHA-256 of everything before
//
// The header declares sizes, but nothing is allocated by them: the file is read
// as a whole only after its size has been bounded, its digest is verified before
// the header is parsed, and the declared sizes must add up to the file's.

const (
	checkpointMagic = "LATRONET"
	stateMagic      = "LATROOPT"
	formatVersion   = 1
	fixedHead       = 8 + 4 + 4
	// maxFile bounds what Load reads into memory. The largest preset in use
	// (10x128) takes 12 MB; optimiser states take three times that.
	maxFile = 4 << 30
)

var (
	// ErrNotCheckpoint: the file is something else, or not a regular file.
	ErrNotCheckpoint = errors.New("not a latro network file")
	// ErrVersion: the file was written in a format that this version of latro
	// does not read.
	ErrVersion = errors.New("unknown file version")
	// ErrDamaged: the file is cut off, or its content does not match its
	// digest or its own header.
	ErrDamaged = errors.New("the file is damaged")
)

// writeContainer writes a file of the format above, atomically.
func writeContainer(path, magic string, header any, tensors [][]float32) error {
	head, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("encode header: %w", err)
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		digest := sha256.New()
		out := io.MultiWriter(w, digest)
		fixed := make([]byte, 0, fixedHead)
		fixed = append(fixed, magic...)
		fixed = binary.LittleEndian.AppendUint32(fixed, formatVersion)
		fixed = binary.LittleEndian.AppendUint32(fixed, uint32(len(head)))
		if _, err := out.Write(append(fixed, head...)); err != nil {
			return err
		}
		buf := make([]byte, 0, 1<<16)
		for _, t := range tensors {
			for len(t) > 0 {
				n := min(len(t), cap(buf)/4)
				buf = buf[:0]
				for _, v := range t[:n] {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
				}
				if _, err := out.Write(buf); err != nil {
					return err
				}
				t = t[n:]
			}
		}
		_, err := w.Write(digest.Sum(nil))
		return err
	})
}

// readContainer reads and verifies the file at path and returns the header's
// JSON and the bytes of the tensors.
func readContainer(path, magic string) (header, body []byte, err error) {
	f, size, err := atomicfile.Open(path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		err = fmt.Errorf("%w: %w", ErrNotCheckpoint, err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return parseContainer(path, f, size, magic)
}

// parseContainer is readContainer of what r holds, size bytes; path names it in errors.
func parseContainer(path string, r io.Reader, size int64, magic string) (header, body []byte, err error) {
	// The magic is looked at before the rest is read, so that pointing at a
	// large foreign file costs nothing.
	fixed := make([]byte, fixedHead)
	k, err := io.ReadFull(r, fixed)
	if !bytes.HasPrefix(fixed[:k], []byte(magic)) {
		if len(magic) > k && k > 0 && bytes.HasPrefix([]byte(magic), fixed[:k]) {
			return nil, nil, fmt.Errorf("%s: %w: it ends after %d bytes", path, ErrDamaged, k)
		}
		return nil, nil, fmt.Errorf("%s: %w: it does not begin with %q", path, ErrNotCheckpoint, magic)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: it ends after %d bytes", path, ErrDamaged, k)
	}
	if v := binary.LittleEndian.Uint32(fixed[8:]); v != formatVersion {
		return nil, nil, fmt.Errorf("%s: %w: version %d, this program reads version %d; use a matching release of latro", path, ErrVersion, v, formatVersion)
	}
	headLen := int64(binary.LittleEndian.Uint32(fixed[12:]))
	if size > maxFile || size < fixedHead+headLen+sha256.Size {
		return nil, nil, fmt.Errorf("%s: %w: %d bytes cannot hold a header of %d bytes and a digest (limit %d bytes)", path, ErrDamaged, size, headLen, int64(maxFile))
	}
	rest := make([]byte, size-fixedHead)
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	digest := sha256.New()
	digest.Write(fixed)
	digest.Write(rest[:len(rest)-sha256.Size])
	if !bytes.Equal(digest.Sum(nil), rest[len(rest)-sha256.Size:]) {
		return nil, nil, fmt.Errorf("%s: %w: its SHA-256 does not match its content; it was cut off or changed after it was written", path, ErrDamaged)
	}
	return rest[:headLen], rest[headLen : len(rest)-sha256.Size], nil
}

// decodeFloats fills the slices from body, whose length must match exactly.
func decodeFloats(body []byte, tensors [][]float32) {
	for _, t := range tensors {
		for i := range t {
			t[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
		body = body[4*len(t):]
	}
}
