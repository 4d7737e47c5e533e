package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// The interpreter reads a model from its bytes and runs it by the definitions of
// the operators in ONNX's documentation, slowly and in float64. It shares nothing
// with the code that writes models but the schema's field numbers.

// array is a value of the graph.
type array struct {
	dims []int
	data []float64
	ints []int64
}

func newArray(data []float32, dims ...int) array {
	a := array{dims: dims}
	for _, v := range data {
		a.data = append(a.data, float64(v))
	}
	return a
}

type modelNode struct {
	op      string
	in, out []string
	ints    map[string][]int64
}

type model struct {
	irVersion, opset int64
	producer         string
	metadata         map[string]string
	nodes            []modelNode
	constants        map[string]array
	values           map[string][]string // inputs and outputs: dimensions
	inputs, outputs  []string
}

// fields calls f for every field of a message; number is 0 for bytes.
func fields(t *testing.T, data []byte, f func(field protowire.Number, number int64, bytes []byte)) {
	t.Helper()
	for len(data) > 0 {
		field, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		data = data[n:]
		switch typ {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(data)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			f(field, int64(v), nil)
			data = data[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(data)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			f(field, 0, v)
			data = data[n:]
		default:
			t.Fatalf("wire type %d", typ)
		}
	}
}

func packedInts(t *testing.T, data []byte) (out []int64) {
	t.Helper()
	for len(data) > 0 {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		out = append(out, int64(v))
		data = data[n:]
	}
	return out
}

func parseModel(t *testing.T, data []byte) *model {
	t.Helper()
	m := &model{metadata: map[string]string{}, constants: map[string]array{}, values: map[string][]string{}}
	var name, version string
	fields(t, data, func(f protowire.Number, v int64, b []byte) {
		switch f {
		case 1:
			m.irVersion = v
		case 2:
			name = string(b)
		case 3:
			version = string(b)
		case 7:
			m.parseGraph(t, b)
		case 8:
			fields(t, b, func(f protowire.Number, v int64, _ []byte) {
				if f == 2 {
					m.opset = v
				}
			})
		case 14:
			var kv [3]string
			fields(t, b, func(f protowire.Number, _ int64, b []byte) { kv[f] = string(b) })
			m.metadata[kv[1]] = kv[2]
		}
	})
	m.producer = name + " " + version
	return m
}

func (m *model) parseGraph(t *testing.T, data []byte) {
	t.Helper()
	fields(t, data, func(f protowire.Number, _ int64, b []byte) {
		switch f {
		case 1:
			n := modelNode{ints: map[string][]int64{}}
			fields(t, b, func(f protowire.Number, _ int64, b []byte) {
				switch f {
				case 1:
					n.in = append(n.in, string(b))
				case 2:
					n.out = append(n.out, string(b))
				case 4:
					n.op = string(b)
				case 5:
					var name string
					var ints []int64
					fields(t, b, func(f protowire.Number, v int64, b []byte) {
						switch f {
						case 1:
							name = string(b)
						case 3:
							ints = []int64{v}
						case 8:
							ints = packedInts(t, b)
						}
					})
					n.ints[name] = ints
				}
			})
			m.nodes = append(m.nodes, n)
		case 5:
			var a array
			var name string
			var elem int64
			var raw []byte
			fields(t, b, func(f protowire.Number, v int64, b []byte) {
				switch f {
				case 1:
					for _, d := range packedInts(t, b) {
						a.dims = append(a.dims, int(d))
					}
				case 2:
					elem = v
				case 8:
					name = string(b)
				case 9:
					raw = b
				}
			})
			for ; len(raw) > 0 && elem == 1; raw = raw[4:] {
				a.data = append(a.data, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))))
			}
			for ; len(raw) > 0 && elem == 7; raw = raw[8:] {
				a.ints = append(a.ints, int64(binary.LittleEndian.Uint64(raw)))
			}
			if _, ok := m.constants[name]; ok || product(a.dims) != len(a.data)+len(a.ints) {
				t.Fatalf("constant %q of %v is there twice or has %d values", name, a.dims, len(a.data)+len(a.ints))
			}
			m.constants[name] = a
		case 11, 12:
			name, dims := parseValue(t, b)
			m.values[name] = dims
			if f == 11 {
				m.inputs = append(m.inputs, name)
			} else {
				m.outputs = append(m.outputs, name)
			}
		}
	})
}

func parseValue(t *testing.T, data []byte) (name string, dims []string) {
	t.Helper()
	fields(t, data, func(f protowire.Number, _ int64, b []byte) {
		switch f {
		case 1:
			name = string(b)
		case 2: // TypeProto, its tensor type, its shape, its dimensions
			fields(t, b, func(_ protowire.Number, _ int64, b []byte) {
				fields(t, b, func(f protowire.Number, _ int64, b []byte) {
					if f != 2 {
						return
					}
					fields(t, b, func(_ protowire.Number, _ int64, b []byte) {
						fields(t, b, func(f protowire.Number, v int64, b []byte) {
							if f == 1 {
								dims = append(dims, fmt.Sprint(v))
							} else {
								dims = append(dims, string(b))
							}
						})
					})
				})
			})
		}
	})
	return name, dims
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// run evaluates the graph and returns its outputs.
func (m *model) run(t *testing.T, inputs map[string]array) map[string]array {
	t.Helper()
	values := map[string]array{}
	for name, a := range m.constants {
		values[name] = a
	}
	if len(inputs) != len(m.inputs) {
		t.Fatalf("the model has the inputs %v", m.inputs)
	}
	for _, name := range m.inputs {
		a, ok := inputs[name]
		if !ok || len(a.dims) != len(m.values[name]) {
			t.Fatalf("input %q of %v, want %v", name, a.dims, m.values[name])
		}
		for i, d := range m.values[name] {
			if d[0] >= '0' && d[0] <= '9' && d != fmt.Sprint(a.dims[i]) {
				t.Fatalf("input %q of %v, want %v", name, a.dims, m.values[name])
			}
		}
		values[name] = a
	}
	for _, n := range m.nodes {
		var in []array
		for _, name := range n.in {
			a, ok := values[name]
			if !ok {
				t.Fatalf("%s reads %q before it is there", n.op, name)
			}
			in = append(in, a)
		}
		if _, ok := values[n.out[0]]; ok || len(n.out) != 1 {
			t.Fatalf("%s writes %v a second time", n.op, n.out)
		}
		out := n.apply(t, in)
		if product(out.dims) != len(out.data) {
			t.Fatalf("%s gives %v with %d values", n.op, out.dims, len(out.data))
		}
		values[n.out[0]] = out
	}
	out := map[string]array{}
	for _, name := range m.outputs {
		out[name] = values[name]
	}
	return out
}

func (n modelNode) apply(t *testing.T, in []array) array {
	t.Helper()
	x := in[0]
	each := func(f func(float64) float64) array {
		out := array{dims: x.dims}
		for _, v := range x.data {
			out.data = append(out.data, f(v))
		}
		return out
	}
	// over reduces the board of [n, c, rows, cols].
	over := func(f func(square []float64) float64) array {
		out := array{dims: []int{x.dims[0], x.dims[1], 1, 1}}
		area := x.dims[2] * x.dims[3]
		for i := 0; i < len(x.data); i += area {
			out.data = append(out.data, f(x.data[i:i+area]))
		}
		return out
	}
	switch n.op {
	case "Relu":
		return each(func(v float64) float64 { return max(v, 0) })
	case "Tanh":
		return each(math.Tanh)
	case "Add":
		return sum(t, x, in[1])
	case "GlobalAveragePool":
		return over(func(s []float64) float64 {
			total := 0.0
			for _, v := range s {
				total += v
			}
			return total / float64(len(s))
		})
	case "GlobalMaxPool":
		return over(slices.Max[[]float64])
	case "Flatten":
		axis := n.ints["axis"][0]
		return array{dims: []int{product(x.dims[:axis]), product(x.dims[axis:])}, data: x.data}
	case "Unsqueeze":
		dims := slices.Clone(x.dims)
		for _, a := range in[1].ints {
			dims = slices.Insert(dims, int(a), 1)
		}
		return array{dims: dims, data: x.data}
	case "Squeeze":
		dims := slices.Clone(x.dims)
		for _, a := range in[1].ints {
			if dims[a] != 1 {
				t.Fatalf("Squeeze of %v along %d", dims, a)
			}
			dims = slices.Delete(dims, int(a), int(a)+1)
		}
		return array{dims: dims, data: x.data}
	case "Concat":
		axis := n.ints["axis"][0]
		if axis != 1 {
			t.Fatalf("Concat along %d", axis)
		}
		out := array{dims: slices.Clone(x.dims)}
		out.dims[1] = 0
		for _, a := range in {
			out.dims[1] += a.dims[1]
		}
		for row := range x.dims[0] {
			for _, a := range in {
				w := product(a.dims[1:])
				out.data = append(out.data, a.data[row*w:][:w]...)
			}
		}
		return out
	case "Gemm":
		w := in[1]
		rows, inner, cols := x.dims[0], x.dims[1], w.dims[1]
		if w.dims[0] != inner {
			t.Fatalf("Gemm of %v and %v", x.dims, w.dims)
		}
		out := array{dims: []int{rows, cols}}
		for r := range rows {
			for c := range cols {
				v := 0.0
				if len(in) > 2 {
					v = in[2].data[c]
				}
				for k := range inner {
					v += x.data[r*inner+k] * w.data[k*cols+c]
				}
				out.data = append(out.data, v)
			}
		}
		return out
	case "Conv":
		return n.convolve(t, in)
	}
	t.Fatalf("operator %q is none of those that the documentation names", n.op)
	return array{}
}

// sum adds with ONNX's broadcasting of dimensions of size 1.
func sum(t *testing.T, a, b array) array {
	t.Helper()
	if len(a.dims) != len(b.dims) {
		t.Fatalf("Add of %v and %v", a.dims, b.dims)
	}
	out := array{dims: make([]int, len(a.dims))}
	for i := range a.dims {
		if a.dims[i] != b.dims[i] && a.dims[i] != 1 && b.dims[i] != 1 {
			t.Fatalf("Add of %v and %v", a.dims, b.dims)
		}
		out.dims[i] = max(a.dims[i], b.dims[i])
	}
	at := func(x array, index []int) float64 {
		k := 0
		for i, d := range x.dims {
			k *= d
			if d != 1 {
				k += index[i]
			}
		}
		return x.data[k]
	}
	index := make([]int, len(out.dims))
	for k := range product(out.dims) {
		for i := len(index) - 1; i >= 0; i-- {
			index[i] = k % out.dims[i]
			k /= out.dims[i]
		}
		out.data = append(out.data, at(a, index)+at(b, index))
	}
	return out
}

func (n modelNode) convolve(t *testing.T, in []array) array {
	t.Helper()
	x, w := in[0], in[1]
	batch, channels, rows, cols := x.dims[0], x.dims[1], x.dims[2], x.dims[3]
	kernel, pads := n.ints["kernel_shape"], n.ints["pads"]
	if w.dims[1] != channels || int(kernel[0]) != w.dims[2] || int(kernel[1]) != w.dims[3] || len(pads) != 4 {
		t.Fatalf("Conv of %v and %v, kernel %v, pads %v", x.dims, w.dims, kernel, pads)
	}
	out := array{dims: []int{batch, w.dims[0], rows + int(pads[0]+pads[2]-kernel[0]) + 1, cols + int(pads[1]+pads[3]-kernel[1]) + 1}}
	for b := range batch {
		for o := range w.dims[0] {
			for r := range out.dims[2] {
				for c := range out.dims[3] {
					v := 0.0
					if len(in) > 2 {
						v = in[2].data[o]
					}
					for i := range channels {
						for kr := range w.dims[2] {
							for kc := range w.dims[3] {
								y, z := r+kr-int(pads[0]), c+kc-int(pads[1])
								if y >= 0 && y < rows && z >= 0 && z < cols {
									v += x.data[((b*channels+i)*rows+y)*cols+z] * w.data[((o*channels+i)*w.dims[2]+kr)*w.dims[3]+kc]
								}
							}
						}
					}
					out.data = append(out.data, v)
				}
			}
		}
	}
	return out
}
