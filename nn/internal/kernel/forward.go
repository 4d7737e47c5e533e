package kernel

import "fmt"

// Product is one layer's arithmetic: what [Product.Forward] computes is
//
//	dst[p][o] = act(bias[o] + residual[p][o] + Σ_k src[p shifted by k] · w[k][o])
//
// over the pixels p of some boards. It is read-only in use; any number of
// goroutines may share it as long as their destinations differ.
type Product struct {
	Layout *Layout
	Taps   Taps
	// Out is the channel count of dst and residual, a multiple of Block.
	Out int
	// Weights are packed by Pack or PackTransposed.
	Weights []float32
	// Bias has length Out, or is nil for zeros.
	Bias []float32
	// ReLU clamps the result at 0 from below.
	ReLU bool
	// Portable keeps to the kernel in Go on every machine.
	Portable bool
}

// PortableID is the ID of the kernels in Go.
const PortableID = "portable-2"

// zeroBias stands in for a missing bias. It is never written.
var zeroBias [Block]float32

// Forward computes the boards [from, to) of dst. src has Layout.Pixels pixels
// of Taps.In channels; dst and residual (which may be nil) have Layout.Pixels
// pixels of Out channels. dst must not overlap src or residual. It panics when
// a length does not fit, because every buffer is made by this module.
func (p *Product) Forward(dst, src, residual []float32, from, to int) {
	l, t := p.Layout, p.Taps
	if from < 0 || to > l.Boards || from > to {
		panic(fmt.Sprintf("kernel: boards [%d, %d) of %d", from, to, l.Boards))
	}
	if len(src) < l.Pixels*t.In || len(dst) < l.Pixels*p.Out || (residual != nil && len(residual) < l.Pixels*p.Out) ||
		p.Out%Block != 0 || t.In%4 != 0 || len(p.Weights) != p.Out*t.Weights() || (p.Bias != nil && len(p.Bias) != p.Out) {
		panic("kernel: Forward: lengths do not match the layer")
	}
	if from == to {
		return
	}
	p.forward(dst, src, residual, p.Bias, l.index[from*l.Area():to*l.Area()])
}

// ForwardPixels computes the given pixels of dst and leaves the others alone. It is for layers without neighbours
// (Taps.Size 1). bias, if not nil, takes the place of Bias. A pixel's result is that of Forward to the last bit. dst must not
// overlap src.
func (p *Product) ForwardPixels(dst, src, bias []float32, pixels []int32) {
	l, t := p.Layout, p.Taps
	if t.Size != 1 || len(src) < l.Pixels*t.In || len(dst) < l.Pixels*p.Out || p.Out%Block != 0 || t.In%4 != 0 ||
		len(p.Weights) != p.Out*t.Weights() || (p.Bias != nil && len(p.Bias) != p.Out) || (bias != nil && len(bias) != p.Out) {
		panic("kernel: ForwardPixels: lengths do not match the layer")
	}
	for _, q := range pixels {
		if uint(q) >= uint(l.Pixels) {
			panic(fmt.Sprintf("kernel: ForwardPixels: pixel %d of %d", q, l.Pixels))
		}
	}
	if len(pixels) == 0 {
		return
	}
	if bias == nil {
		bias = p.Bias
	}
	p.forward(dst, src, nil, bias, pixels)
}

// forward computes the pixels of a list, which is not empty.
func (p *Product) forward(dst, src, residual, bias []float32, index []int32) {
	l, t := p.Layout, p.Taps
	whole := len(index) / tile * tile
	// The last tile is filled up with pixels that are computed once more: the
	// result is the same, and the kernel needs no case for a partial tile.
	var tail [tile]int32
	if whole < len(index) {
		for i := range tail {
			tail[i] = index[max(0, len(index)-tile+i)]
		}
		if len(index) < tile {
			copy(tail[:], index)
			for i := len(index); i < tile; i++ {
				tail[i] = index[0]
			}
		}
	}
	for ob := 0; ob < p.Out; ob += Block {
		a := blockArgs{
			src: src, srcStride: t.In, lead: t.lead(l),
			dst: dst, dstStride: p.Out, channel: ob, residual: residual,
			w: p.Weights[ob*t.Weights() : (ob+Block)*t.Weights()], bias: zeroBias[:],
			rows: t.Size, run: t.Run(), rowStride: l.RowStride * t.In, relu: p.ReLU, portable: p.Portable,
		}
		if bias != nil {
			a.bias = bias[ob : ob+Block]
		}
		if whole > 0 {
			forwardBlock(&a, index[:whole])
		}
		if whole < len(index) {
			forwardBlock(&a, tail[:])
		}
	}
}

// ForwardBiased computes the boards [0, boards) of dst with bias, Out values for
// each board, in the place of Bias.
func (p *Product) ForwardBiased(dst, src, residual, bias []float32, boards int) {
	q := *p
	for b := range boards {
		q.Bias = bias[b*p.Out:][:p.Out]
		q.Forward(dst, src, residual, b, b+1)
	}
}

// blockArgs is what a kernel needs to compute Block output channels of some
// pixels. Strides are in floats.
type blockArgs struct {
	src                []float32
	srcStride, lead    int
	dst                []float32
	dstStride, channel int
	residual           []float32
	w, bias            []float32
	rows, run          int
	rowStride          int
	relu, portable     bool
}

// forwardGeneric is the portable kernel. It keeps 2 pixels × 4 channels in
// registers; wider blocks spill on architectures with 16 registers.
func forwardGeneric(a *blockArgs, index []int32) {
	for i := 0; i < len(index); i += 2 {
		p0, p1 := int(index[i]), int(index[i+1])
		for o := 0; o < Block; o += 4 {
			b := a.bias[o : o+4 : o+4]
			c00, c01, c02, c03 := b[0], b[1], b[2], b[3]
			c10, c11, c12, c13 := c00, c01, c02, c03
			d0 := p0*a.dstStride + a.channel + o
			d1 := p1*a.dstStride + a.channel + o
			if a.residual != nil {
				r := a.residual[d0 : d0+4 : d0+4]
				c00, c01, c02, c03 = c00+r[0], c01+r[1], c02+r[2], c03+r[3]
				r = a.residual[d1 : d1+4 : d1+4]
				c10, c11, c12, c13 = c10+r[0], c11+r[1], c12+r[2], c13+r[3]
			}
			w := a.w[o:]
			for row := range a.rows {
				off := row*a.rowStride - a.lead
				x0 := a.src[p0*a.srcStride+off:][:a.run]
				x1 := a.src[p1*a.srcStride+off:][:len(x0)]
				ww := w[row*a.run*Block:]
				for k, v0 := range x0 {
					v1 := x1[k]
					q := ww[k*Block : k*Block+4 : k*Block+4]
					c00 += float32(v0 * q[0])
					c01 += float32(v0 * q[1])
					c02 += float32(v0 * q[2])
					c03 += float32(v0 * q[3])
					c10 += float32(v1 * q[0])
					c11 += float32(v1 * q[1])
					c12 += float32(v1 * q[2])
					c13 += float32(v1 * q[3])
				}
			}
			if a.relu {
				c00, c01, c02, c03 = max(c00, 0), max(c01, 0), max(c02, 0), max(c03, 0)
				c10, c11, c12, c13 = max(c10, 0), max(c11, 0), max(c12, 0), max(c13, 0)
			}
			q := a.dst[d0 : d0+4 : d0+4]
			q[0], q[1], q[2], q[3] = c00, c01, c02, c03
			q = a.dst[d1 : d1+4 : d1+4]
			q[0], q[1], q[2], q[3] = c10, c11, c12, c13
		}
	}
}
