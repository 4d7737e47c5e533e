package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func encode(t testing.TB, tensors []Tensor, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file puts a header before n bytes of values.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestRoundTrip(t *testing.T) {
	tensors := []Tensor{
		{"z", []int{2, 3}, []float32{1, -2, 3, 4.5, float32(math.Inf(1)), 1e-40}},
		{`a "quoted" ä`, []int{}, []float32{7}},
		{"empty", []int{0, 5}, nil},
		{"long", []int{40_000}, make([]float32, 40_000)},
	}
	tensors[3].Data[39_999] = 3
	metadata := map[string]string{"k": "v\n", "format": "x"}
	data := encode(t, tensors, metadata)
	if !bytes.Equal(data, encode(t, tensors, metadata)) {
		t.Error("two writes differ")
	}
	if n := binary.LittleEndian.Uint64(data); (8+n)%8 != 0 {
		t.Errorf("values begin at byte %d", 8+n)
	}
	f, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f.Metadata, metadata) || len(f.Tensors) != len(tensors) {
		t.Fatalf("metadata %v, %d tensors", f.Metadata, len(f.Tensors))
	}
	for _, want := range tensors {
		v := f.Tensor(want.Name)
		if v == nil || v.DType != "F32" || !reflect.DeepEqual(v.Dims, want.Dims) {
			t.Fatalf("tensor %q: %+v", want.Name, v)
		}
		got, err := v.Float32s()
		if err != nil || len(got) != len(want.Data) {
			t.Fatalf("tensor %q: %d values, %v", want.Name, len(got), err)
		}
		for i := range got {
			if got[i] != want.Data[i] {
				t.Fatalf("tensor %q: value %d is %v, want %v", want.Name, i, got[i], want.Data[i])
			}
		}
	}
	if f, err := Parse(encode(t, nil, nil)); err != nil || len(f.Tensors) != 0 {
		t.Errorf("an empty file: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	one := func(name string, n int, dims ...int) Tensor { return Tensor{name, dims, make([]float32, n)} }
	for name, tensors := range map[string][]Tensor{
		"twice":     {one("a", 1, 1), one("a", 1, 1)},
		"no name":   {one("", 1, 1)},
		"reserved":  {one("__metadata__", 1, 1)},
		"not UTF-8": {one("\xff", 1, 1)},
		"too few":   {one("a", 1, 2)},
		"negative":  {one("a", 0, -1)},
		"overflow":  {one("a", 0, math.MaxInt, math.MaxInt)},
		"many dims": {one("a", 1, make([]int, 17)...)},
	} {
		var b bytes.Buffer
		if err := Write(&b, tensors, nil); !errors.Is(err, ErrInvalid) || b.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", name, err, b.Len())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	a := `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":        {nil, "ends after 0 bytes"},
		"short":          {[]byte("12345678"), "ends after 8 bytes"},
		"long header":    {append(binary.LittleEndian.AppendUint64(nil, 1<<62), '{', '}'), "header of"},
		"header beyond":  {append(binary.LittleEndian.AppendUint64(nil, 3), '{', '}'), "header of 3 bytes"},
		"no object":      {file(`[1,2]`, 0), "not a JSON object"},
		"cut JSON":       {file(`{`+a, 8), "header"},
		"not UTF-8":      {file("{\"\xff\":1}", 0), "UTF-8"},
		"trailing":       {file(`{`+a+`} x`, 8), "follows"},
		"twice":          {file(`{`+a+`,`+a+`}`, 8), "twice"},
		"no shape":       {file(`{"a":{"dtype":"F32","data_offsets":[0,8]}}`, 8), "lacks"},
		"null":           {file(`{"a":null}`, 0), "lacks"},
		"three offsets":  {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}}`, 8), "lacks"},
		"unknown type":   {file(`{"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}}`, 8), "unknown type"},
		"wrong size":     {file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), "does not take"},
		"backwards":      {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "does not take"},
		"negative":       {file(`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, 8), `"a"`},
		"fraction":       {file(`{"a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}}`, 8), `"a"`},
		"overflow":       {file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, 0), "does not take"},
		"huge dimension": {file(`{"a":{"dtype":"F32","shape":[0,9999999999],"data_offsets":[0,0]}}`, 0), "dimension"},
		"many dims":      {file(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 16)+`1],"data_offsets":[0,4]}}`, 4), "17 dimensions"},
		"beyond the end": {file(`{`+a+`}`, 4), "bytes 0 to 8 of 4"},
		"bytes left":     {file(`{`+a+`}`, 12), "the file holds 12"},
		"overlap":        {file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12), "ends at 8"},
		"same range":     {file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "ends at 8"},
		"gap":            {file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]}}`, 20), "ends at 8"},
		"metadata":       {file(`{"__metadata__":{"a":1}}`, 0), "__metadata__"},
	} {
		if _, err := Parse(c.data); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if f, err := Parse(file(`{`+a+`}   `, 8)); err != nil || f.Tensor("b") != nil {
		t.Errorf("padding after the header: %v", err)
	}
}

func TestReadFileRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(dir); !errors.Is(err, ErrInvalid) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	path := filepath.Join(dir, "x.safetensors")
	for _, data := range []string{"", "short", strings.Repeat("\xff", 100), "\x02\x00\x00\x00\x00\x00\x00\x00[]"} {
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestFloat32s(t *testing.T) {
	bits := func(v ...uint16) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	wide := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.1))
	for _, c := range []struct {
		dtype string
		raw   []byte
		want  []float32
	}{
		// One, the greatest and the smallest number, minus two, zero and infinity.
		{"F16", bits(0x3c00, 0x7bff, 0x0001, 0xc000, 0x8000, 0xfc00), []float32{1, 65504, 5.9604645e-08, -2, 0, float32(math.Inf(-1))}},
		{"BF16", bits(0x3f80, 0xc049), []float32{1, -3.140625}},
		{"F64", wide, []float32{0.1}},
	} {
		got, err := (&View{DType: c.dtype, Raw: c.raw}).Float32s()
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.dtype, got, err, c.want)
		}
	}
	if got, _ := (&View{DType: "F16", Raw: bits(0x7e00)}).Float32s(); got[0] == got[0] {
		t.Errorf("not a number became %v", got[0])
	}
	if _, err := (&View{Name: "n", DType: "I64"}).Float32s(); !errors.Is(err, ErrInvalid) {
		t.Errorf("integers: %v", err)
	}
}

// FuzzSafetensors: no file crashes the reader, and one that it accepts is consistent.
func FuzzSafetensors(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(encode(f, []Tensor{{"a", []int{2}, []float32{1, 2}}, {"b", []int{1, 1}, []float32{3}}}, map[string]string{"k": "v"}))
	f.Add(file(`{"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},"e":{"dtype":"U8","shape":[0],"data_offsets":[4,4]}}`, 4))
	f.Add(file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%v does not wrap ErrInvalid", err)
			}
			return
		}
		n := 0
		for i := range file.Tensors {
			v := &file.Tensors[i]
			want := int(sizes[v.DType])
			for _, d := range v.Dims {
				want *= d
			}
			if want != len(v.Raw) {
				t.Fatalf("%+v has %d bytes", v, len(v.Raw))
			}
			n += len(v.Raw)
			if _, err := v.Float32s(); err != nil && !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
		}
		if head := int(binary.LittleEndian.Uint64(data)); n != len(data)-8-head {
			t.Fatalf("%d bytes of values of %d", n, len(data)-8-head)
		}
	})
}

// TestPython exchanges files with the format's own library. LATRO_PYTHON names an
// interpreter that has safetensors and numpy.
func TestPython(t *testing.T) {
	python := os.Getenv("LATRO_PYTHON")
	if python == "" || exec.Command(python, "-c", "import numpy, safetensors").Run() != nil {
		t.Skip("set LATRO_PYTHON to a Python interpreter with safetensors and numpy")
	}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours"), filepath.Join(dir, "theirs")
	if err := WriteFile(ours, []Tensor{{"b", []int{2, 2}, []float32{1, 2, 3, 4}}, {"a", []int{}, []float32{5}}, {"e", []int{0}, nil}}, map[string]string{"k": "ä"}); err != nil {
		t.Fatal(err)
	}
	script := `
import sys, numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
with safe_open(sys.argv[1], framework="numpy") as f:
    assert f.metadata() == {"k": "ä"}, f.metadata()
    assert sorted(f.keys()) == ["a", "b", "e"], f.keys()
    t = {k: f.get_tensor(k) for k in f.keys()}
assert t["b"].tolist() == [[1, 2], [3, 4]] and t["a"].shape == () and t["a"] == 5 and t["e"].shape == (0,), t
save_file({"b": 2 * t["b"], "h": t["b"].astype(np.float16), "d": t["b"].astype(np.float64)}, sys.argv[2])
`
	cmd := exec.Command(python, "-c", script, ours, theirs)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(theirs)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"b": {2, 4, 6, 8}, "h": {1, 2, 3, 4}, "d": {1, 2, 3, 4}} {
		v := f.Tensor(name)
		if v == nil {
			t.Fatalf("no tensor %q", name)
		}
		if got, err := v.Float32s(); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(v.Dims, []int{2, 2}) {
			t.Errorf("%s: %v %v, %v", name, v.Dims, got, err)
		}
	}
}

func TestWriteFails(t *testing.T) {
	tensors := []Tensor{{"a", []int{30_000}, make([]float32, 30_000)}}
	for _, room := range []int{0, 8, 100, 70_000} {
		if err := Write(&full{room}, tensors, nil); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

// full is a disk with room for n more bytes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.n {
		return 0, io.ErrShortWrite
	}
	f.n -= len(p)
	return len(p), nil
}
