package ops

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// Serial hands out what the operations of one graph share: the numbers that make
// them distinct, and working memory. The zero value is ready.
type Serial struct {
	n int
	// free holds the working memory that no operation uses just now; one a
	// thread comes to be.
	mu   sync.Mutex
	free []*kernel.Scratch
	// gradients is for the operation that is at work.
	gradients kernel.GradientScratch
}

// borrow returns working memory, which give takes back.
func (s *Serial) borrow() *kernel.Scratch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		last := s.free[n-1]
		s.free = s.free[:n-1]
		return last
	}
	return new(kernel.Scratch)
}

func (s *Serial) give(c *kernel.Scratch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, c)
}

func (s *Serial) next() int {
	s.n++
	return s.n
}

// base implements what all operations here have in common: n inputs of known
// dimensions, one result of known shape, no side effects on inputs.
type base struct {
	name   string
	id     int
	inputs []int        // dimensions of each input, 0 for a scalar
	shape  tensor.Shape // of the result; empty for a scalar
}

func (b *base) Arity() int { return len(b.inputs) }

// Type is built anew on each call because Gorgonia recycles it.
func (b *base) Type() hm.Type {
	a := hm.TypeVariable('a')
	typ := func(dims int) hm.Type {
		if dims == 0 {
			return a
		}
		return G.TensorType{Dims: dims, Of: a}
	}
	var ts []hm.Type
	for _, d := range b.inputs {
		ts = append(ts, typ(d))
	}
	return hm.NewFnType(append(ts, typ(b.shape.Dims()))...)
}

func (b *base) InferShape(...G.DimSizer) (tensor.Shape, error) { return b.shape.Clone(), nil }
func (b *base) ReturnsPtr() bool                               { return false }
func (b *base) CallsExtern() bool                              { return false }
func (b *base) OverwritesInput() int                           { return -1 }
func (b *base) WriteHash(h hash.Hash)                          { fmt.Fprintf(h, "latro.%s#%d", b.name, b.id) }
func (b *base) String() string                                 { return fmt.Sprintf("%s#%d", b.name, b.id) }

func (b *base) Hashcode() uint32 {
	h := fnv.New32a()
	b.WriteHash(h)
	return h.Sum32()
}

// floats returns the values of a float32 tensor, without copying.
func floats(v G.Value) ([]float32, error) {
	d, ok := v.Data().([]float32)
	if !ok {
		return nil, fmt.Errorf("want a float32 tensor, got %T", v.Data())
	}
	return d, nil
}

// slices unpacks several tensors at once.
func unpack(vs []G.Value, n int) ([][]float32, error) {
	if len(vs) != n {
		return nil, fmt.Errorf("want %d inputs, got %d", n, len(vs))
	}
	out := make([][]float32, n)
	for i, v := range vs {
		d, err := floats(v)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		out[i] = d
	}
	return out, nil
}

// newTensor returns a zero tensor and its values.
func newTensor(shape ...int) (*tensor.Dense, []float32) {
	n := 1
	for _, s := range shape {
		n *= s
	}
	data := make([]float32, n)
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data)), data
}

// part hands out one of several gradients that a backward operation made. Its
// input is that operation's node, which fixes the order; its result is the
// value it was made with.
type part struct {
	base
	value G.Value
}

// newPart applies a part operation to the backward node.
func newPart(serial *Serial, name string, back *G.Node, value *tensor.Dense) (*G.Node, error) {
	op := &part{value: value}
	op.base = base{name: name, id: serial.next(), inputs: []int{back.Dims()}, shape: value.Shape().Clone()}
	return G.ApplyOp(op, back)
}

func (p *part) Do(...G.Value) (G.Value, error) { return p.value, nil }
