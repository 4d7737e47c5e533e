// Package stock builds the network of package nn from Gorgonia's own operations
// only. It is slow and serves as the oracle for the operations and kernels that
// replace them, in tests and in comparisons of speed.
package stock

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Spec describes the network to build: the architecture, the game's shape and
// the batch size.
type Spec struct {
	Blocks, Channels, ValueHidden     int
	Pooled                            func(block int) bool
	Rows, Cols, Planes, Globals, Acts int
	Batch                             int
}

// Param is a parameter as package nn stores it: 3×3 weights [3][3][in][out],
// others [in][out], scales and biases [out].
type Param struct {
	Name string
	Dims []int
	Data []float32
}

// Network holds the nodes of the graph that callers set and read.
type Network struct {
	Graph *G.ExprGraph
	// Planes is [Batch][Planes][Rows][Cols], Globals [Batch][Globals] or nil.
	Planes, Globals *G.Node
	// Policy is [Batch][Acts][Rows][Cols], Pass [Batch][1], Value [Batch][4].
	Policy, Pass, Value *G.Node
	// The auxiliary heads, nil without their parameters: Squares is
	// [Batch][1+Acts][Rows][Cols], Board [Batch][2].
	Squares, Board *G.Node
	// Params holds the parameters' nodes by name. Convolution weights are
	// [out][in][3][3] in Gorgonia's order.
	Params map[string]*G.Node
}

// builder collects the first error, so that the graph reads as a formula.
type builder struct {
	err error
	net *Network
	Spec
}

func (b *builder) try(n *G.Node, err error) *G.Node {
	if err != nil && b.err == nil {
		b.err = err
	}
	if b.err != nil {
		// The graph is abandoned; any node keeps the following calls going.
		return b.net.Planes
	}
	return n
}

// Outputs lists the outputs: Policy, Pass, Value and, if there are auxiliary
// heads, Squares and Board.
func (n *Network) Outputs() []*G.Node {
	o := []*G.Node{n.Policy, n.Pass, n.Value}
	if n.Squares != nil {
		o = append(o, n.Squares, n.Board)
	}
	return o
}

// ToStock turns 3×3 weights [3][3][in][out] into Gorgonia's [out][in][3][3].
func ToStock(w []float32, in, out int) []float32 {
	s := make([]float32, len(w))
	for tap := range 9 {
		for i := range in {
			for o := range out {
				s[(o*in+i)*9+tap] = w[(tap*in+i)*out+o]
			}
		}
	}
	return s
}

// Build makes the graph with the given parameters. The nodes of the inputs have
// no values yet.
func Build(s Spec, params []Param) (net *Network, err error) {
	// Gorgonia panics on some shapes; callers want an error.
	defer func() {
		if r := recover(); r != nil {
			net, err = nil, fmt.Errorf("build stock graph: %v", r)
		}
	}()
	g := G.NewGraph()
	net = &Network{Graph: g, Params: map[string]*G.Node{}}
	b := &builder{net: net, Spec: s}
	for _, p := range params {
		dims, data := p.Dims, append([]float32(nil), p.Data...)
		if len(dims) == 4 {
			data = ToStock(p.Data, dims[2], dims[3])
			dims = []int{dims[3], dims[2], 3, 3}
		}
		v := tensor.New(tensor.WithShape(dims...), tensor.WithBacking(data))
		net.Params[p.Name] = G.NewTensor(g, G.Float32, len(dims), G.WithName(p.Name), G.WithShape(dims...), G.WithValue(v))
	}
	net.Planes = G.NewTensor(g, G.Float32, 4, G.WithName("planes"), G.WithShape(s.Batch, s.Planes, s.Rows, s.Cols))
	var residual *G.Node
	if s.Globals > 0 {
		net.Globals = G.NewMatrix(g, G.Float32, G.WithName("globals"), G.WithShape(s.Batch, s.Globals))
		residual = b.perBoard(b.dense("stem.globals", net.Globals))
	}
	x := b.conv("stem", net.Planes, residual)
	for i := range s.Blocks {
		name := fmt.Sprintf("block%d.", i)
		h := b.conv(name+"conv1", x, nil)
		skip := x
		if s.Pooled(i) {
			skip = b.add(x, b.perBoard(b.dense(name+"pool", b.pool(h))))
		}
		x = b.conv(name+"conv2", h, skip)
	}
	pooled := b.pool(x)
	hidden := b.point("policy.hidden", x, s.Channels, b.perBoard(b.dense("policy.pool", pooled)), true)
	net.Policy = b.point("policy.out", hidden, s.Acts, nil, false)
	net.Pass = b.dense("policy.pass", pooled)
	valueHidden := b.try(G.Rectify(b.dense("value.hidden", pooled)))
	net.Value = b.dense("value.out", valueHidden)
	if net.Params["aux.squares.weight"] != nil {
		net.Squares = b.point("aux.squares", x, 1+s.Acts, nil, false)
		net.Board = b.dense("aux.board", valueHidden)
	}
	if b.err != nil {
		return nil, fmt.Errorf("build stock graph: %w", b.err)
	}
	if net.Policy == net.Planes {
		return nil, errors.New("build stock graph: no policy")
	}
	return net, nil
}

// add broadcasts y [Batch][C][1][1] over x [Batch][C][Rows][Cols] when their
// shapes differ.
func (b *builder) add(x, y *G.Node) *G.Node {
	if b.err != nil {
		return x
	}
	if x.Shape().Eq(y.Shape()) {
		return b.try(G.Add(x, y))
	}
	return b.try(G.BroadcastAdd(x, y, nil, []byte{2, 3}))
}

// channels reshapes [C] to [1][C][1][1].
func (b *builder) channels(v *G.Node) *G.Node {
	return b.try(G.Reshape(v, tensor.Shape{1, v.Shape()[0], 1, 1}))
}

// affine applies the layer's scale and bias, adds the residual, and clamps.
func (b *builder) affine(name string, x, residual *G.Node, relu bool) *G.Node {
	p := b.net.Params
	if s := p[name+".scale"]; s != nil {
		x = b.try(G.BroadcastHadamardProd(x, b.channels(s), nil, []byte{0, 2, 3}))
	}
	if v := p[name+".bias"]; v != nil {
		x = b.try(G.BroadcastAdd(x, b.channels(v), nil, []byte{0, 2, 3}))
	}
	if residual != nil {
		x = b.add(x, residual)
	}
	if relu {
		x = b.try(G.Rectify(x))
	}
	return x
}

func (b *builder) conv(name string, x, residual *G.Node) *G.Node {
	y := b.try(G.Conv2d(x, b.net.Params[name+".weight"], tensor.Shape{3, 3}, []int{1, 1}, []int{1, 1}, []int{1, 1}))
	return b.affine(name, y, residual, true)
}

// point is a 1×1 convolution with out channels.
func (b *builder) point(name string, x *G.Node, out int, residual *G.Node, relu bool) *G.Node {
	w := b.net.Params[name+".weight"] // [in][out]
	w = b.try(G.Transpose(w, 1, 0))
	w = b.try(G.Reshape(w, tensor.Shape{out, b.Channels, 1, 1}))
	y := b.try(G.Conv2d(x, w, tensor.Shape{1, 1}, []int{0, 0}, []int{1, 1}, []int{1, 1}))
	return b.affine(name, y, residual, relu)
}

// dense is x·w + bias.
func (b *builder) dense(name string, x *G.Node) *G.Node {
	y := b.try(G.Mul(x, b.net.Params[name+".weight"]))
	if v := b.net.Params[name+".bias"]; v != nil {
		row := b.try(G.Reshape(v, tensor.Shape{1, v.Shape()[0]}))
		y = b.try(G.BroadcastAdd(y, row, nil, []byte{0}))
	}
	return y
}

// perBoard reshapes [Batch][C] to [Batch][C][1][1].
func (b *builder) perBoard(x *G.Node) *G.Node {
	return b.try(G.Reshape(x, tensor.Shape{b.Batch, b.Channels, 1, 1}))
}

// pool is the mean and the maximum over the board, [Batch][2·C].
func (b *builder) pool(x *G.Node) *G.Node {
	flat := b.try(G.Reshape(x, tensor.Shape{b.Batch * b.Channels, b.Rows * b.Cols}))
	mean := b.try(G.Reshape(b.try(G.Mean(flat, 1)), tensor.Shape{b.Batch, b.Channels}))
	top := b.try(G.Reshape(b.try(G.Max(flat, 1)), tensor.Shape{b.Batch, b.Channels}))
	return b.try(G.Concat(1, mean, top))
}
