package datasets

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// PlaneEncoder turns a stored sample into what a network sees; the engine's and
// the network's encoders implement it together, so that this package need not
// know them.
type PlaneEncoder interface {
	// Shape returns the sizes of an observation and of the policy.
	Shape() (planes, rows, cols, globals, actions int)
	// EncodeSample fills obs (planes × rows × cols), globals and the policy target
	// (all of them zero before), and returns the value target, everything in the
	// frame of the player to move.
	EncodeSample(s *Sample, obs, globals, policy []float32) (value float32, err error)
}

// ExportPlanes writes a shard of samples as a NumPy archive (.npz) for trainers
// that know nothing of latro and returns the number of samples N. The arrays are
// float32 in C order: "obs" (N, planes, rows, cols), "globals" (N, globals),
// "policy" (N, actions), "value" (N,); and uint64 "game_id" (N,), by which
// training and validation can be split without sharing games.
//
// An archive holds one array after the other, so the file is read once for each,
// and memory use does not depend on its length.
func ExportPlanes(w io.Writer, path string, enc PlaneEncoder, opts Options) (rows uint64, err error) {
	each := func(f func(s *Sample) error) error {
		r, err := OpenSamples(path, opts)
		if err != nil {
			return err
		}
		defer r.Close()
		var s Sample
		for r.Next(&s) {
			if err := f(&s); err != nil {
				return err
			}
		}
		return r.Err()
	}
	if err := each(func(*Sample) error { rows++; return nil }); err != nil {
		return 0, err
	}
	p, h, c, g, a := enc.Shape()
	obs, globals, policy := make([]float32, p*h*c), make([]float32, g), make([]float32, a)
	var value float32
	z := zip.NewWriter(w)
	for _, array := range []struct {
		name  string
		shape string
		data  func(s *Sample) []float32 // nil for the game ids
	}{
		{"obs", fmt.Sprintf("(%d, %d, %d, %d)", rows, p, h, c), func(*Sample) []float32 { return obs }},
		{"globals", fmt.Sprintf("(%d, %d)", rows, g), func(*Sample) []float32 { return globals }},
		{"policy", fmt.Sprintf("(%d, %d)", rows, a), func(*Sample) []float32 { return policy }},
		{"value", fmt.Sprintf("(%d,)", rows), func(*Sample) []float32 { return []float32{value} }},
		{"game_id", fmt.Sprintf("(%d,)", rows), nil},
	} {
		entry, err := z.Create(array.name + ".npy")
		if err != nil {
			return 0, err
		}
		out := bufio.NewWriterSize(entry, 1<<16)
		descr := "<f4"
		if array.data == nil {
			descr = "<u8"
		}
		if err := writeNPYHeader(out, descr, array.shape); err != nil {
			return 0, err
		}
		var buf []byte
		n := uint64(0)
		err = each(func(s *Sample) error {
			buf = buf[:0]
			if array.data == nil {
				buf = binary.LittleEndian.AppendUint64(buf, s.GameID)
			} else {
				clear(obs)
				clear(globals)
				clear(policy)
				var err error
				if value, err = enc.EncodeSample(s, obs, globals, policy); err != nil {
					return fmt.Errorf("%s: sample %d (game %d, ply %d): %w", path, n, s.GameID, s.Ply, err)
				}
				for _, v := range array.data(s) {
					buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
				}
			}
			n++
			_, err := out.Write(buf)
			return err
		})
		if err == nil {
			err = out.Flush()
		}
		if err == nil && n != rows {
			err = fmt.Errorf("%s: the file changed while it was exported", path)
		}
		if err != nil {
			return 0, err
		}
	}
	return rows, z.Close()
}

// writeNPYHeader writes the head of a .npy file, format version 1.0: magic,
// length, and a Python dictionary padded with spaces to a multiple of 64 bytes.
func writeNPYHeader(w io.Writer, descr, shape string) error {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	const fixed = 10 // magic, version and length
	pad := (64 - (fixed+len(dict)+1)%64) % 64
	head := append([]byte("\x93NUMPY\x01\x00"), byte((len(dict)+pad+1)&0xFF), byte((len(dict)+pad+1)>>8))
	head = append(head, dict...)
	for range pad {
		head = append(head, ' ')
	}
	_, err := w.Write(append(head, '\n'))
	return err
}
