package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"latro/datasets/atomicfile"
)

// ErrInvalid is wrapped by errors of files that are not safetensors files, or are
// damaged, and of tensors that cannot be written.
var ErrInvalid = errors.New("invalid safetensors file")

const (
	// maxHeader is the greatest length of a header. The format allows 100 MB;
	// that of the largest network takes 200 kB.
	maxHeader = 16 << 20
	// maxFile bounds what ReadFile reads into memory.
	maxFile = 4 << 30
	// maxDims is far above any network's tensors.
	maxDims = 16
	// metadataKey is the name in the header that no tensor may have.
	metadataKey = "__metadata__"
)

// sizes of the element types, in bytes.
var sizes = map[string]uint64{
	"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
	"I32": 4, "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8,
}

// Tensor is a tensor of 32-bit floats to write. The product of Dims must be
// len(Data).
type Tensor struct {
	Name string
	Dims []int
	Data []float32
}

// entry is a tensor in the header.
type entry struct {
	DType   string    `json:"dtype"`
	Shape   []uint64  `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// WriteFile writes a file atomically and durably. Errors of its arguments wrap
// ErrInvalid.
func WriteFile(path string, tensors []Tensor, metadata map[string]string) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error { return Write(w, tensors, metadata) })
}

// Write writes tensors, in their order, and metadata to w. The same arguments
// give the same bytes. It fails, before it writes, for names that are empty,
// repeated, reserved or not UTF-8, and for dimensions that do not fit the values.
func Write(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	var head bytes.Buffer
	put := func(separator string, key string, value any) error {
		// Keys of a Go map would be sorted; the order of the tensors is kept.
		k, err := json.Marshal(key)
		if err != nil {
			return err
		}
		v, err := json.Marshal(value)
		if err != nil {
			return err
		}
		head.WriteString(separator)
		head.Write(k)
		head.WriteByte(':')
		head.Write(v)
		return nil
	}
	separator := "{"
	if len(metadata) > 0 {
		if err := put(separator, metadataKey, metadata); err != nil {
			return err
		}
		separator = ","
	}
	seen := map[string]bool{metadataKey: true, "": true}
	at := uint64(0)
	for _, t := range tensors {
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			return fmt.Errorf("%w: a tensor cannot be named %q: names are UTF-8, not empty, not %q, and none is there twice", ErrInvalid, t.Name, metadataKey)
		}
		seen[t.Name] = true
		e := entry{DType: "F32", Shape: []uint64{}}
		for _, d := range t.Dims {
			e.Shape = append(e.Shape, uint64(max(0, d)))
		}
		size, ok := volume(e.Shape, 4)
		if !ok || len(t.Dims) > maxDims || slices.Min(append(t.Dims, 0)) < 0 || size != 4*uint64(len(t.Data)) {
			return fmt.Errorf("%w: tensor %q has %d values and the dimensions %v", ErrInvalid, t.Name, len(t.Data), t.Dims)
		}
		e.Offsets = [2]uint64{at, at + size}
		at += size
		if err := put(separator, t.Name, e); err != nil {
			return err
		}
		separator = ","
	}
	if separator == "{" {
		head.WriteByte('{')
	}
	head.WriteByte('}')
	// Values begin at a multiple of 8 bytes, so that readers can map the file.
	for head.Len()%8 != 0 {
		head.WriteByte(' ')
	}
	if head.Len() > maxHeader {
		return fmt.Errorf("%w: the header would take %d bytes, of at most %d", ErrInvalid, head.Len(), maxHeader)
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(head.Len())); err != nil {
		return err
	}
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	buf := make([]byte, 0, 1<<16)
	for _, t := range tensors {
		for data := t.Data; len(data) > 0; {
			n := min(len(data), cap(buf)/4)
			buf = buf[:0]
			for _, v := range data[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			data = data[n:]
		}
	}
	return nil
}

// volume is the product of shape and size; ok is false if it overflows.
func volume(shape []uint64, size uint64) (n uint64, ok bool) {
	n = size
	for _, d := range shape {
		hi, lo := bits.Mul64(n, d)
		if hi != 0 {
			return 0, false
		}
		n = lo
	}
	return n, true
}

// View is a tensor of a file that was read.
type View struct {
	Name string
	// DType is the element type: F32, F16, BF16, F64, I64, ….
	DType string
	Dims  []int
	// Raw holds the values, row-major, little-endian; it is a part of the file.
	Raw []byte
}

// File is a file that was read.
type File struct {
	// Tensors are in the order of their values in the file.
	Tensors  []View
	Metadata map[string]string
}

// Tensor returns the tensor with the given name, or nil.
func (f *File) Tensor(name string) *View {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i]
		}
	}
	return nil
}

// Float32s returns the values, converted from F64, F16 or BF16 if need be. Other
// types give an error that wraps ErrInvalid.
func (v *View) Float32s() ([]float32, error) {
	size := int(sizes[v.DType])
	var get func(b []byte) float32
	switch v.DType {
	case "F32":
		get = func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	case "F64":
		get = func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }
	case "BF16":
		get = func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }
	case "F16":
		get = func(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }
	default:
		return nil, fmt.Errorf("%w: tensor %q holds %s, not floats", ErrInvalid, v.Name, v.DType)
	}
	out := make([]float32, len(v.Raw)/size)
	for i := range out {
		out[i] = get(v.Raw[i*size:])
	}
	return out, nil
}

// half converts an IEEE 754 half-precision number.
func half(h uint16) float32 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(fraction, -24))
	case 31:
		if fraction != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// ReadFile reads the file at path. Errors that are the file's fault wrap
// ErrInvalid and name the file.
func ReadFile(path string) (*File, error) {
	invalid := func(format string, args ...any) (*File, error) {
		return nil, fmt.Errorf("%s: %w: %s", path, ErrInvalid, fmt.Sprintf(format, args...))
	}
	f, size, err := atomicfile.Open(path)
	if errors.Is(err, atomicfile.ErrNotRegular) {
		return invalid("it is no regular file")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > maxFile {
		return invalid("it has %d bytes, of at most %d", size, int64(maxFile))
	}
	// The beginning is looked at before the rest is read, so that pointing at a
	// large foreign file costs nothing.
	head := make([]byte, 9)
	if n, err := io.ReadFull(f, head); err != nil {
		return invalid("it ends after %d bytes", n)
	}
	if err := checkHead(head, uint64(size)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data := make([]byte, size)
	copy(data, head)
	if _, err := io.ReadFull(f, data[len(head):]); err != nil {
		return invalid("%v", err)
	}
	file, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// checkHead checks the first nine bytes of a file of the given size.
func checkHead(head []byte, size uint64) error {
	n := binary.LittleEndian.Uint64(head)
	if n < 2 || n > maxHeader || n > size-8 {
		return fmt.Errorf("%w: it declares a header of %d bytes and has %d in all", ErrInvalid, n, size)
	}
	if head[8] != '{' {
		return fmt.Errorf("%w: its header is not a JSON object", ErrInvalid)
	}
	return nil
}

// Parse reads a file from memory; the tensors refer to data. Errors wrap
// ErrInvalid.
func Parse(data []byte) (*File, error) {
	invalid := func(format string, args ...any) (*File, error) {
		return nil, fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
	}
	if len(data) < 9 {
		return invalid("it ends after %d bytes", len(data))
	}
	if err := checkHead(data, uint64(len(data))); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(data)
	head, body := data[8:8+n], data[8+n:]
	if !utf8.Valid(head) {
		return invalid("its header is not UTF-8")
	}
	f := &File{Metadata: map[string]string{}}
	offsets, err := f.parseHeader(head)
	if err != nil {
		return nil, err
	}
	// In the order of their values, the tensors must follow one another from
	// the first byte to the last. Empty ones go before others that begin at the
	// same byte.
	order := make([]int, len(f.Tensors))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if c := cmp.Compare(offsets[a][0], offsets[b][0]); c != 0 {
			return c
		}
		return cmp.Compare(offsets[a][1], offsets[b][1])
	})
	at := uint64(0)
	sorted := make([]View, 0, len(order))
	for _, i := range order {
		v, o := f.Tensors[i], offsets[i]
		if o[0] != at || o[1] < o[0] || o[1] > uint64(len(body)) {
			return invalid("tensor %q takes the bytes %d to %d of %d; the one before it ends at %d", v.Name, o[0], o[1], len(body), at)
		}
		v.Raw = body[o[0]:o[1]:o[1]]
		at = o[1]
		sorted = append(sorted, v)
	}
	if at != uint64(len(body)) {
		return invalid("the tensors take %d bytes; the file holds %d", at, len(body))
	}
	f.Tensors = sorted
	return f, nil
}

// parseHeader fills f, without the values, and returns the tensors' ranges.
func (f *File) parseHeader(head []byte) (offsets [][2]uint64, err error) {
	invalid := func(format string, args ...any) ([][2]uint64, error) {
		return nil, fmt.Errorf("%w: header: %s", ErrInvalid, fmt.Sprintf(format, args...))
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return invalid("it is not a JSON object")
	}
	// Token by token, since a name that is there twice would hide the first.
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return invalid("%v", err)
		}
		name, ok := t.(string)
		if !ok || name == "" || seen[name] {
			return invalid("the name %q is empty or there twice", name)
		}
		seen[name] = true
		if name == metadataKey {
			var m map[string]string
			if err := dec.Decode(&m); err != nil {
				return invalid("%s: %v", metadataKey, err)
			}
			maps.Copy(f.Metadata, m)
			continue
		}
		var e struct {
			DType   *string  `json:"dtype"`
			Shape   []uint64 `json:"shape"`
			Offsets []uint64 `json:"data_offsets"`
		}
		if err := dec.Decode(&e); err != nil {
			return invalid("tensor %q: %v", name, err)
		}
		if e.DType == nil || e.Shape == nil || len(e.Offsets) != 2 {
			return invalid("tensor %q lacks dtype, shape or two data_offsets", name)
		}
		size, ok := sizes[*e.DType]
		if !ok {
			return invalid("tensor %q has the unknown type %q", name, *e.DType)
		}
		if len(e.Shape) > maxDims {
			return invalid("tensor %q has %d dimensions, of at most %d", name, len(e.Shape), maxDims)
		}
		bytes, ok := volume(e.Shape, size)
		if !ok || e.Offsets[1] < e.Offsets[0] || bytes != e.Offsets[1]-e.Offsets[0] {
			return invalid("tensor %q of %v %s does not take the bytes %d to %d", name, e.Shape, *e.DType, e.Offsets[0], e.Offsets[1])
		}
		v := View{Name: name, DType: *e.DType, Dims: []int{}}
		for _, d := range e.Shape {
			// An empty tensor may have other dimensions of any size.
			if d > math.MaxInt32 {
				return invalid("tensor %q has a dimension of %d", name, d)
			}
			v.Dims = append(v.Dims, int(d))
		}
		f.Tensors = append(f.Tensors, v)
		offsets = append(offsets, [2]uint64(e.Offsets))
	}
	if _, err := dec.Token(); err != nil {
		return invalid("%v", err)
	}
	if rest := head[dec.InputOffset():]; len(bytes.TrimRight(rest, " \t\r\n")) > 0 {
		return invalid("something follows the object")
	}
	return offsets, nil
}
