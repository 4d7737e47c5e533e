package exact

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"

	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/env/rules"
)

// A solution's file, numbers little-endian:
//
//	 8 bytes  magic
//	 4 bytes  format version
//	 4 bytes  length H of the head
//	 H bytes  head, the Info as JSON
//	 …        the positions, one zstd frame
//	32 bytes  SHA-256 of everything before
//
// The positions stand in the order of their keys, each as: the difference of its board's number to that of the position
// before; the rest of the key, as a difference too where the board is the same; its value; and, of a win, its distance. All
// are unsigned varints (encoding/binary). What the digits of a key mean follows from the ruleset and the format version.

const (
	fileMagic   = "LATROSOL"
	fileVersion = 1
	maxHead     = 1 << 20
)

// ErrNotSolution is wrapped by the error of Load for a file that is no solution, is damaged, or is of another version or
// ruleset.
var ErrNotSolution = errors.New("exact: not a usable solution file")

// WriteFile writes the solution, atomically. The same solution gives the same bytes.
func (s *Solution) WriteFile(path string) error {
	return atomicfile.WriteFile(path, s.write)
}

func (s *Solution) write(w io.Writer) error {
	head, err := json.Marshal(s.Info)
	if err != nil {
		return err
	}
	digest := sha256.New()
	out := io.MultiWriter(w, digest)
	fixed := append([]byte(nil), fileMagic...)
	fixed = binary.LittleEndian.AppendUint32(fixed, fileVersion)
	fixed = binary.LittleEndian.AppendUint32(fixed, uint32(len(head)))
	if _, err := out.Write(append(fixed, head...)); err != nil {
		return err
	}
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	order := make([]uint32, s.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		if s.store.at(a).less(s.store.at(b)) {
			return -1
		}
		return 1
	})
	var last key
	buf := make([]byte, 0, 1<<16)
	for _, id := range order {
		k := s.store.at(id)
		buf = binary.AppendUvarint(buf, k.board-last.board)
		rest := k.rest
		if k.board == last.board {
			rest -= last.rest
		}
		last = k
		buf = binary.AppendUvarint(buf, rest)
		buf = append(buf, s.value[id])
		if s.value[id] != valueDraw {
			buf = binary.AppendUvarint(buf, uint64(s.distance[id]))
		}
		if len(buf) > 1<<15 {
			if _, err := z.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if _, err := z.Write(buf); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	_, err = w.Write(digest.Sum(nil))
	return err
}

// ReadInfo reads the head of a solution's file; the rest is not looked at.
func ReadInfo(path string) (Info, error) {
	f, _, err := atomicfile.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	in, _, err := readHead(path, f)
	return in, err
}

func readHead(path string, r io.Reader) (in Info, size int64, err error) {
	bad := func(format string, args ...any) (Info, int64, error) {
		return Info{}, 0, fmt.Errorf("%s: %w: %s", path, ErrNotSolution, fmt.Sprintf(format, args...))
	}
	fixed := make([]byte, 16)
	if _, err := io.ReadFull(r, fixed); err != nil || string(fixed[:8]) != fileMagic {
		return bad("it does not begin with %q", fileMagic)
	}
	if v := binary.LittleEndian.Uint32(fixed[8:]); v != fileVersion {
		return bad("version %d; this program reads version %d", v, fileVersion)
	}
	n := binary.LittleEndian.Uint32(fixed[12:])
	if n > maxHead {
		return bad("a head of %d bytes", n)
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(r, head); err != nil {
		return bad("it ends within its head")
	}
	if err := json.Unmarshal(head, &in); err != nil {
		return bad("its head: %v", err)
	}
	return in, 16 + int64(n), nil
}

// Load reads a solution of the ruleset. The file may come from anywhere; memory is the bytes that may be used, 0 for
// DefaultMemory. Errors that the file causes wrap ErrNotSolution, or ErrTooLarge, or are those of the file system.
func Load(path string, r *rules.Ruleset, memory int64) (*Solution, error) {
	if memory == 0 {
		memory = DefaultMemory
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", path, ErrNotSolution, fmt.Sprintf(format, args...))
	}
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	digest := sha256.New()
	const tail = sha256.Size
	body := io.TeeReader(bufio.NewReaderSize(io.LimitReader(f, size-tail), 1<<16), digest)
	in, _, err := readHead(path, body)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Hash != r.Hash():
		return nil, bad("it is of %s (hash %.12s), not of %s (hash %.12s)", in.Ruleset, in.Hash, r.Ref(), r.Hash())
	case in.Engine != engine.Version:
		return nil, bad("it was made by version %s of the engine, this is %s; solve again", in.Engine, engine.Version)
	case in.States < 1 || in.States > math.MaxUint32-2:
		return nil, bad("%d positions", in.States)
	case in.States > memory/25: // a key, its slots, value and distance
		return nil, fmt.Errorf("%s: %w: %d positions do not fit into %d MB", path, ErrTooLarge, in.States, memory>>20)
	}
	c, err := prepare(r)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(memory)), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	s := &Solution{Info: in, codec: c, store: newStore(), ruleset: r}
	b := bufio.NewReaderSize(z, 1<<16)
	boards, rests := uint64(1), c.place[digits-1]*c.radix[digits-1]
	for range c.squares {
		boards *= c.base
	}
	var k key
	var count Count
	for i := range in.States {
		delta, err1 := binary.ReadUvarint(b)
		rest, err2 := binary.ReadUvarint(b)
		code, err3 := b.ReadByte()
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, bad("position %d of %d: %v", i+1, in.States, err)
		}
		last := k
		if delta > 0 || i == 0 {
			k = key{k.board + delta, rest}
		} else {
			k.rest += rest
		}
		if i > 0 && !last.less(k) || k.board >= boards || k.rest >= rests {
			return nil, bad("position %d has a number that it cannot have", i+1)
		}
		distance := uint64(noDistance)
		if code != valueDraw {
			if distance, err = binary.ReadUvarint(b); err != nil || distance >= noDistance {
				return nil, bad("position %d has no distance", i+1)
			}
		}
		if code&3 == 3 || code > valueWin1|openBit || code == openBit {
			return nil, bad("position %d has the value %d", i+1, code)
		}
		s.store.add(k)
		s.value = append(s.value, code)
		s.distance = append(s.distance, uint16(distance))
		count.add(s.answer(int(i)))
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, bad("there is more after the last position")
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return nil, err
	}
	sum := make([]byte, tail)
	if _, err := f.ReadAt(sum, size-tail); err != nil || !bytes.Equal(sum, digest.Sum(nil)) {
		return nil, bad("it is damaged: its content does not match its SHA-256")
	}
	if count != in.Count {
		return nil, bad("its head counts other values than it has")
	}
	return s, nil
}
