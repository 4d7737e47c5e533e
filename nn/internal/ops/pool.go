package ops

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// Pool adds global pooling: x (Layout.Pixels, channels) becomes
// (Boards, 2·channels), the means and then the maxima over the squares of each
// board.
func Pool(serial *Serial, l *kernel.Layout, channels, threads int, x *G.Node) (*G.Node, error) {
	op := &poolOp{serial: serial, layout: l, channels: channels, threads: threads}
	op.y, op.yData = newTensor(l.Boards, 2*channels)
	op.argmax = make([]int32, l.Boards*channels)
	op.base = base{name: "pool", id: serial.next(), inputs: []int{2}, shape: op.y.Shape().Clone()}
	return G.ApplyOp(op, x)
}

type poolOp struct {
	base
	serial            *Serial
	layout            *kernel.Layout
	channels, threads int
	y                 *tensor.Dense
	yData             []float32
	argmax            []int32
}

func (op *poolOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 1)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	kernel.Parallel(op.threads, chunks(op.layout.Boards), func(i int) {
		from, to := bounds(i, op.layout.Boards)
		kernel.Pool(op.yData, in[0], op.layout, op.channels, from, to, op.argmax)
	})
	return op.y, nil
}

func (op *poolOp) DiffWRT(int) []bool { return []bool{true} }

func (op *poolOp) SymDiff(_ G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	b := &poolBack{op: op}
	b.dx, b.dxData = newTensor(op.layout.Pixels, op.channels)
	b.base = base{name: "poolBack", id: op.serial.next(), inputs: []int{2, 2}, shape: b.dx.Shape().Clone()}
	// The output is an input here because argmax belongs to it.
	n, err := G.ApplyOp(b, output, grad)
	return G.Nodes{n}, err
}

type poolBack struct {
	base
	op     *poolOp
	dx     *tensor.Dense
	dxData []float32
}

func (b *poolBack) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 2)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", b, err)
	}
	op := b.op
	kernel.Parallel(op.threads, chunks(op.layout.Boards), func(i int) {
		from, to := bounds(i, op.layout.Boards)
		kernel.PoolGradient(b.dxData, in[1], op.layout, op.channels, from, to, op.argmax)
	})
	return b.dx, nil
}

// BoardBias adds a bias per board and channel to every square: the result is
// (Layout.Pixels, channels), bias is (Boards, channels), and x is
// (Layout.Pixels, channels) or nil for zeros.
func BoardBias(serial *Serial, l *kernel.Layout, channels, threads int, x, bias *G.Node) (*G.Node, error) {
	op := &boardBiasOp{serial: serial, layout: l, channels: channels, threads: threads, hasX: x != nil}
	op.y, op.yData = newTensor(l.Pixels, channels)
	nodes := G.Nodes{bias}
	if x != nil {
		nodes = append(nodes, x)
	}
	op.base = base{name: "boardBias", id: serial.next(), inputs: []int{2, 2}[:len(nodes)], shape: op.y.Shape().Clone()}
	return G.ApplyOp(op, nodes...)
}

type boardBiasOp struct {
	base
	serial            *Serial
	layout            *kernel.Layout
	channels, threads int
	hasX              bool
	y                 *tensor.Dense
	yData             []float32
}

func (op *boardBiasOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, len(op.inputs))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	var x []float32
	if op.hasX {
		x = in[1]
	}
	kernel.Parallel(op.threads, chunks(op.layout.Boards), func(i int) {
		from, to := bounds(i, op.layout.Boards)
		kernel.AddBoardBias(op.yData, x, in[0], op.layout, op.channels, from, to)
	})
	return op.y, nil
}

func (op *boardBiasOp) DiffWRT(n int) []bool { return []bool{true, true}[:n] }

func (op *boardBiasOp) SymDiff(inputs G.Nodes, _, grad *G.Node) (G.Nodes, error) {
	b := &boardBiasBack{op: op}
	b.dbias, b.dbiasData = newTensor(op.layout.Boards, op.channels)
	b.base = base{name: "boardBiasBack", id: op.serial.next(), inputs: []int{2}, shape: b.dbias.Shape().Clone()}
	n, err := G.ApplyOp(b, grad)
	// The gradient of x is that of the result, unchanged.
	return G.Nodes{n, grad}[:len(inputs)], err
}

type boardBiasBack struct {
	base
	op        *boardBiasOp
	dbias     *tensor.Dense
	dbiasData []float32
}

func (b *boardBiasBack) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, 1)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", b, err)
	}
	op := b.op
	kernel.Parallel(op.threads, chunks(op.layout.Boards), func(i int) {
		from, to := bounds(i, op.layout.Boards)
		for board := from; board < to; board++ {
			sums := b.dbiasData[board*op.channels:][:op.channels]
			clear(sums)
			for _, p := range op.layout.Squares(board) {
				for c, v := range in[0][int(p)*op.channels:][:op.channels] {
					sums[c] += v
				}
			}
		}
	})
	return b.dbias, nil
}
