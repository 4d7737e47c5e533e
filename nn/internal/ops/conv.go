package ops

import (
	"errors"
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// Conv describes a layer y = act(scale ⊙ (x ∗ w) + bias + residual).
type Conv struct {
	Layout *kernel.Layout
	// Size is 3 for a 3×3 convolution, 1 for a 1×1 convolution or, with a
	// matrix layout, a dense layer.
	Size int
	// In is the number of real input channels of each of Groups groups, and
	// Wide the number that each group takes in the buffer (Groups·Wide is a
	// multiple of 4). Pooled features have two groups.
	In, Wide, Groups int
	// Out is the number of real output channels.
	Out  int
	ReLU bool
	// InputGradient says that x is not data but the result of other layers.
	InputGradient bool
	Threads       int
	// Tile is that of Winograd's method, which computes the result and, unless
	// x is data, the gradients, or zero for the direct method. It needs Size 3, Groups 1,
	// a Wide that is a multiple of 8 and borders that are wide enough.
	Tile kernel.Tile
}

// WideOut is the channel count of the result.
func (c Conv) WideOut() int { return kernel.RoundUp(c.Out, kernel.Block) }

// Inputs are the nodes of a layer. X is (Layout.Pixels, Groups·Wide), W is
// (Size²·Groups·In, Out), Scale and Bias are (Out) or nil, Residual is
// (Layout.Pixels, WideOut) or nil.
type Inputs struct{ X, W, Scale, Bias, Residual *G.Node }

// Apply adds the layer to the graph; the result is (Layout.Pixels, WideOut).
func (c Conv) Apply(serial *Serial, in Inputs) (*G.Node, error) {
	if c.Groups > 1 && c.Size != 1 {
		return nil, errors.New("conv: groups need size 1")
	}
	if c.Tile != (kernel.Tile{}) && (c.Size != 3 || c.Wide%8 != 0) {
		return nil, errors.New("conv: Winograd's method needs size 3 and a multiple of 8 channels")
	}
	op := &convOp{Conv: c, serial: serial, taps: kernel.Taps{Size: c.Size, In: c.Groups * c.Wide}}
	nodes := G.Nodes{in.X, in.W}
	dims := []int{2, 2}
	op.scale, op.bias, op.residual = -1, -1, -1
	opt := func(n *G.Node, d int, at *int) {
		if n != nil {
			*at = len(nodes)
			nodes = append(nodes, n)
			dims = append(dims, d)
		}
	}
	opt(in.Scale, 1, &op.scale)
	opt(in.Bias, 1, &op.bias)
	opt(in.Residual, 2, &op.residual)
	op.y, op.yData = newTensor(c.Layout.Pixels, c.WideOut())
	op.base = base{name: "conv", id: serial.next(), inputs: dims, shape: op.y.Shape().Clone()}
	op.forward = newProduct(c, op.taps, c.WideOut())
	op.biasWide = make([]float32, c.WideOut())
	return G.ApplyOp(op, nodes...)
}

// chunk is the number of boards (or rows) that one task of a parallel loop
// handles. It does not influence results.
const chunk = 8

func chunks(n int) int { return (n + chunk - 1) / chunk }

func bounds(i, n int) (from, to int) { return i * chunk, min((i+1)*chunk, n) }

type convOp struct {
	base
	Conv
	serial                *Serial
	taps                  kernel.Taps
	scale, bias, residual int // positions among the inputs, or -1
	y                     *tensor.Dense
	yData                 []float32
	forward               *product
	biasWide              []float32
}

// product is a convolution by the method of a Conv, forward or backward.
type product struct {
	conv    Conv
	taps    kernel.Taps
	out     int
	tiling  *kernel.Tiling // of tiledBoards boards; nil for the direct method
	weights []float32
	mirror  []float32 // weights of the backward direction before they are packed
}

// tiledBoards is the number of boards that go through Winograd's method together.
const tiledBoards = 4

func newProduct(c Conv, taps kernel.Taps, out int) *product {
	p := &product{conv: c, taps: taps, out: out}
	n := taps.Weights()
	if c.Tile != (kernel.Tile{}) {
		l := c.Layout
		part := kernel.NewPaddedBoards(min(tiledBoards, l.Boards), l.Rows, l.Cols, l.BoardStride/l.RowStride-1, l.RowStride-1)
		p.tiling = kernel.NewTiling(part, c.Tile)
		n = c.Tile.Points() * taps.In
	}
	p.weights = make([]float32, n*out)
	return p
}

// pack prepares weights w[taps][in][out], scaled, for the forward direction.
func (p *product) pack(w, scale []float32, in, out int) {
	if p.tiling != nil {
		kernel.PackWinogradFast(p.weights, p.conv.Tile, w, scale, p.taps.In, in, out)
		return
	}
	kernel.Pack(p.weights, w, scale, p.taps, in, out)
}

// packTransposed prepares the same weights for the way back.
func (p *product) packTransposed(w, scale []float32, in, out int) {
	if p.tiling == nil {
		kernel.PackTransposed(p.weights, w, scale, p.taps, in, out)
		return
	}
	if p.mirror == nil {
		p.mirror = make([]float32, len(w))
	}
	for tap := range 9 {
		for i := range in {
			for o, v := range w[(tap*in+i)*out:][:out] {
				if scale != nil {
					v *= scale[o]
				}
				p.mirror[((8-tap)*out+o)*in+i] = v
			}
		}
	}
	kernel.PackWinogradFast(p.weights, p.conv.Tile, p.mirror, nil, p.taps.In, out, in)
}

// run computes all boards of dst.
func (p *product) run(serial *Serial, dst, src, residual, bias []float32, relu bool) {
	l := p.conv.Layout
	if p.tiling == nil {
		q := &kernel.Product{Layout: l, Taps: p.taps, Out: p.out, Weights: p.weights, Bias: bias, ReLU: relu}
		kernel.Parallel(p.conv.Threads, chunks(l.Boards), func(i int) {
			from, to := bounds(i, l.Boards)
			q.Forward(dst, src, residual, from, to)
		})
		return
	}
	if bias == nil {
		bias = make([]float32, p.out)
	}
	w := &kernel.Winograd{Tile: p.conv.Tile, In: p.taps.In, Out: p.out, Weights: p.weights, Bias: bias, ReLU: relu}
	kernel.Parallel(p.conv.Threads, (l.Boards+tiledBoards-1)/tiledBoards, func(i int) {
		s := serial.borrow()
		defer serial.give(s)
		s.Reserve(w, p.tiling)
		from := i * tiledBoards * l.BoardStride
		var r []float32
		if residual != nil {
			r = residual[from*p.out:]
		}
		w.Forward(s, p.tiling, dst[from*p.out:], src[from*p.taps.In:], r, nil, min(tiledBoards, l.Boards-i*tiledBoards))
	})
}

func (op *convOp) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, len(op.inputs))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", op, err)
	}
	var scale, residual []float32
	if op.scale >= 0 {
		scale = in[op.scale]
	}
	if op.bias >= 0 {
		copy(op.biasWide, in[op.bias])
	}
	if op.residual >= 0 {
		residual = in[op.residual]
	}
	op.forward.pack(op.spread(in[1]), scale, op.realIn(), op.Out)
	op.forward.run(op.serial, op.yData, in[0], residual, op.biasWide, op.ReLU)
	return op.y, nil
}

// split reports whether the groups' real channels must be moved apart.
func (op *convOp) split() bool { return op.Groups > 1 && op.In != op.Wide }

// realIn is the channel count of spread weights.
func (op *convOp) realIn() int {
	if op.split() {
		return op.Groups * op.Wide
	}
	return op.Groups * op.In
}

// spread inserts zero rows between the groups of w where the buffer has padding
// channels between them.
func (op *convOp) spread(w []float32) []float32 {
	if !op.split() {
		return w
	}
	s := make([]float32, op.Groups*op.Wide*op.Out)
	for g := range op.Groups {
		copy(s[g*op.Wide*op.Out:], w[g*op.In*op.Out:(g+1)*op.In*op.Out])
	}
	return s
}

func (op *convOp) DiffWRT(n int) []bool {
	d := make([]bool, n)
	for i := range d {
		d[i] = i > 0 || op.InputGradient
	}
	return d
}

func (op *convOp) SymDiff(inputs G.Nodes, output, grad *G.Node) (G.Nodes, error) {
	b := &convBack{op: op}
	b.dw, b.dwData = newTensor(op.Size*op.Size*op.Groups*op.In, op.Out)
	b.wide = make([]float32, op.taps.Weights()*op.WideOut())
	// Data are sparse: many weights have a gradient of exactly zero, which the
	// direct method gives. Rounding errors in its place would, small as they are,
	// count for something with Adam, which divides by the gradient's size.
	if op.Tile != (kernel.Tile{}) && op.InputGradient && kernel.HasWinogradGradient() {
		b.tiled = kernel.NewWinogradGradient(op.Layout, op.Tile, op.taps.In, op.WideOut())
	} else {
		b.weights = kernel.NewWeightGradient(op.Layout, op.taps, op.WideOut())
	}
	b.boardSums = make([]float32, op.Layout.Boards*op.WideOut())
	b.dz, b.dzData = newTensor(op.Layout.Pixels, op.WideOut())
	nodes := G.Nodes{inputs[0], inputs[1], output, grad}
	dims := []int{2, 2, 2, 2}
	if op.scale >= 0 {
		b.dscale, b.dscaleData = newTensor(op.Out)
		nodes = append(nodes, inputs[op.scale])
		dims = append(dims, 1)
	}
	if op.bias >= 0 {
		b.dbias, b.dbiasData = newTensor(op.Out)
	}
	if op.InputGradient {
		wideIn := op.Groups * op.Wide
		if wideIn%kernel.Block != 0 {
			return nil, fmt.Errorf("%v: an input with gradient needs a multiple of %d channels, not %d", op, kernel.Block, wideIn)
		}
		b.dx, b.dxData = newTensor(op.Layout.Pixels, wideIn)
		b.back = newProduct(op.Conv, kernel.Taps{Size: op.Size, In: op.WideOut()}, wideIn)
	}
	b.base = base{name: "convBack", id: op.serial.next(), inputs: dims, shape: b.dz.Shape().Clone()}
	back, err := G.ApplyOp(b, nodes...)
	if err != nil {
		return nil, err
	}
	out := make(G.Nodes, len(inputs))
	hand := func(at int, name string, v *tensor.Dense) {
		if err == nil {
			out[at], err = newPart(op.serial, name, back, v)
		}
	}
	if op.InputGradient {
		hand(0, "convInputGradient", b.dx)
	}
	hand(1, "convWeightGradient", b.dw)
	if op.scale >= 0 {
		hand(op.scale, "convScaleGradient", b.dscale)
	}
	if op.bias >= 0 {
		hand(op.bias, "convBiasGradient", b.dbias)
	}
	if op.residual >= 0 {
		out[op.residual] = back
	}
	return out, err
}

// convBack computes all gradients of a convOp. Its own result is the gradient
// before the activation, which is also the residual's.
type convBack struct {
	base
	op                                            *convOp
	dz, dx, dw, dscale, dbias                     *tensor.Dense
	dzData, dxData, dwData, dscaleData, dbiasData []float32
	wide, boardSums                               []float32
	weights                                       *kernel.WeightGradient
	tiled                                         *kernel.WinogradGradient // takes the place of weights
	back                                          *product
}

func (b *convBack) Do(vs ...G.Value) (G.Value, error) {
	in, err := unpack(vs, len(b.inputs))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", b, err)
	}
	op := b.op
	x, w, y, grad := in[0], in[1], in[2], in[3]
	var scale []float32
	if op.scale >= 0 {
		scale = in[4]
	}
	l, wideOut := op.Layout, op.WideOut()
	kernel.Parallel(op.Threads, chunks(l.Boards), func(i int) {
		from, to := bounds(i, l.Boards)
		for board := from; board < to; board++ {
			kernel.MaskGradient(b.dzData, grad, y, l, wideOut, board, op.ReLU, b.boardSums[board*wideOut:][:wideOut])
		}
	})
	if op.InputGradient {
		b.back.packTransposed(op.spread(w), scale, op.realIn(), op.Out)
		b.back.run(op.serial, b.dxData, b.dzData, nil, nil, false)
	}
	if b.tiled != nil {
		b.tiled.Run(&op.serial.gradients, b.wide, x, b.dzData, op.Threads)
	} else {
		b.weights.Run(b.wide, x, b.dzData, op.Threads)
	}
	if b.dbias != nil {
		clear(b.dbiasData)
		for board := range l.Boards {
			for o, v := range b.boardSums[board*wideOut:][:op.Out] {
				b.dbiasData[o] += v
			}
		}
	}
	b.narrow(w, scale)
	return b.dz, nil
}

// narrow drops the padding from the weight gradients and applies the scale:
// with w' = w·scale, dw = dw'·scale and dscale = Σ dw'·w.
func (b *convBack) narrow(w, scale []float32) {
	op := b.op
	if scale != nil {
		clear(b.dscaleData)
	}
	row := 0
	for tap := range op.Size * op.Size {
		for g := range op.Groups {
			for i := range op.In {
				src := b.wide[(tap*op.taps.In+g*op.Wide+i)*op.WideOut():][:op.Out]
				dst := b.dwData[row*op.Out:][:op.Out]
				if scale == nil {
					copy(dst, src)
				} else {
					ws := w[row*op.Out:][:op.Out]
					for o, v := range src {
						dst[o] = float32(v * scale[o])
						b.dscaleData[o] += float32(v * ws[o])
					}
				}
				row++
			}
		}
	}
}
