//go:build amd64 && !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -tags kernelgen ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg kernel

// native says whether the processor can run the assembly kernels. It is set
// once, before main, from the processor's own description.
var native = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// ID names the family of kernels in use. Results are reproducible to the last
// bit between machines that report the same ID.
func ID() string {
	if native {
		return "avx2fma-2"
	}
	return PortableID
}

// forwardCall is the argument block of forwardAVX2. The order of its fields is
// known to the generator; all strides and lengths are in bytes.
type forwardCall struct {
	index                       *int32
	tiles                       int64
	src, w, bias, residual, dst *float32
	srcStride, dstStride, lead  int64
	rows, run, rowStride, relu  int64
}

// gradientCall is the argument block of the gradient kernels, likewise.
type gradientCall struct {
	spans             *int32
	count, length     int64
	x, dz, dw         *float32
	xStride, dwStride int64
	// first is the pixel that x points at.
	first int64
}

// forwardBlock dispatches to the fastest kernel. The indices come from a Layout
// and the lengths were checked by Forward, so every access is in bounds.
func forwardBlock(a *blockArgs, index []int32) {
	if !native || a.portable {
		forwardGeneric(a, index)
		return
	}
	c := forwardCall{
		index: &index[0], tiles: int64(len(index) / tile),
		src: &a.src[0], w: &a.w[0], bias: &a.bias[0], dst: &a.dst[a.channel],
		srcStride: int64(a.srcStride) * floatSize, dstStride: int64(a.dstStride) * floatSize,
		lead: int64(a.lead) * floatSize, rows: int64(a.rows), run: int64(a.run) * floatSize,
		rowStride: int64(a.rowStride) * floatSize,
	}
	if a.residual != nil {
		c.residual = &a.residual[a.channel]
	}
	if a.relu {
		c.relu = 1
	}
	forwardAVX2((*byte)(unsafe.Pointer(&c)))
}

// gradientBlock dispatches to the fastest kernel.
func gradientBlock(a *gradientArgs) {
	if !native {
		gradientGeneric(a)
		return
	}
	// The first span's first pixel is addressed with a.offset, which may be
	// negative; only the sum is in bounds, so the base pointer is formed from
	// an element that exists and the spans are counted from it.
	first := int(a.spans[0])
	c := gradientCall{
		spans: &a.spans[0], count: int64(len(a.spans)), length: int64(a.length),
		x:       &a.x[first*a.xStride+a.offset],
		dz:      &a.dz[0],
		dw:      &a.dw[a.dwRow*a.dwStride+a.channel],
		xStride: int64(a.xStride) * floatSize, dwStride: int64(a.dwStride) * floatSize,
		first: int64(first),
	}
	switch a.m {
	case 1:
		gradient1AVX2((*byte)(unsafe.Pointer(&c)))
	case 2:
		gradient2AVX2((*byte)(unsafe.Pointer(&c)))
	case 3:
		gradient3AVX2((*byte)(unsafe.Pointer(&c)))
	case 4:
		gradient4AVX2((*byte)(unsafe.Pointer(&c)))
	case 5:
		gradient5AVX2((*byte)(unsafe.Pointer(&c)))
	default:
		gradient6AVX2((*byte)(unsafe.Pointer(&c)))
	}
}

// spanCall is the common head of the argument blocks of the kernels that visit
// the squares of one board.
type spanCall struct {
	spans                 *int32
	count, length, stride int64
}

func spansOf(l *Layout, b, channels int) spanCall {
	return spanCall{spans: &l.spans[b*l.Rows], count: int64(l.Rows), length: int64(l.Cols), stride: int64(channels) * floatSize}
}

// lastPixel is used for bounds checks: the kernels touch nothing beyond it.
func lastPixel(l *Layout, b int) int { return int(l.spans[(b+1)*l.Rows-1]) + l.Cols - 1 }

type poolCall struct {
	spanCall
	src, first, sum, top *float32
}

// poolBoard computes the same bits as poolGeneric: sums in the same order.
func poolBoard(mean, top, src []float32, l *Layout, channels, b int) {
	if !native || channels%Block != 0 {
		poolGeneric(mean, top, src, l, channels, b)
		return
	}
	_ = src[(lastPixel(l, b)+1)*channels-1]
	first := int(l.spans[b*l.Rows]) * channels
	c := poolCall{spanCall: spansOf(l, b, channels)}
	for ch := 0; ch < channels; ch += Block {
		c.src, c.first, c.sum, c.top = &src[ch], &src[first+ch], &mean[ch : ch+Block][0], &top[ch : ch+Block][0]
		poolAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

type maskCall struct {
	spanCall
	dz, grad, y, sum *float32
	relu             int64
}

// maskGradient computes the same bits as maskGeneric.
func maskGradient(dz, grad, y []float32, l *Layout, channels, b int, relu bool, sums []float32) {
	if !native || channels%Block != 0 {
		maskGeneric(dz, grad, y, l, channels, b, relu, sums)
		return
	}
	end := (lastPixel(l, b)+1)*channels - 1
	_, _, _ = dz[end], grad[end], y[end]
	c := maskCall{spanCall: spansOf(l, b, channels)}
	if relu {
		c.relu = 1
	}
	for ch := 0; ch < channels; ch += Block {
		c.dz, c.grad, c.y, c.sum = &dz[ch], &grad[ch], &y[ch], &sums[ch : ch+Block][0]
		maskAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

type boardBiasCall struct {
	spanCall
	dst, src, bias *float32
}

// boardBias computes the same bits as boardBiasGeneric.
func boardBias(dst, src, bias []float32, l *Layout, channels, b int) {
	if !native || channels%Block != 0 {
		boardBiasGeneric(dst, src, bias, l, channels, b)
		return
	}
	end := (lastPixel(l, b)+1)*channels - 1
	_, _ = dst[end], src[end]
	c := boardBiasCall{spanCall: spansOf(l, b, channels)}
	for ch := 0; ch < channels; ch += Block {
		c.dst, c.src, c.bias = &dst[ch], &src[ch], &bias[ch : ch+Block][0]
		boardBiasAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

// PeakFlops does rounds of nothing but multiply-adds, for measuring what the
// core can do at most, and returns the number of floating-point operations
// done; 0 where there are no assembly kernels.
func PeakFlops(rounds int) int64 {
	if !native || rounds < 1 {
		return 0
	}
	peakAVX2(int64(rounds))
	return int64(rounds) * 12 * 8 * 2
}

// winogradInputCall is the argument block of the input transforms.
type winogradInputCall struct {
	origin                                 *int32
	tiles, vectors                         int64
	src, inputs, tile                      *float32
	srcStride, rowStride, skip, inputPoint int64
	originStride                           int64
}

// winogradMultiplyCall is the argument block of multiplyAVX2.
type winogradMultiplyCall struct {
	points                        int64
	inputs, weights, products     *float32
	run, inputPoint, productPoint int64
	six, five, four               int64
}

// winogradOutputCall is the argument block of the output transforms.
type winogradOutputCall struct {
	place                          *int32
	tiles                          int64
	products, dst, residual, bias  *float32
	tile                           *float32
	productPoint, pixel, row, relu int64
}

func (a *winogradArgs) native() bool { return native && !a.w.Portable }

func (a *winogradArgs) input() {
	if !a.native() {
		a.inputGeneric()
		return
	}
	c := winogradInputCall{
		origin: &a.t.origin[0], tiles: int64(a.tiles), vectors: int64(a.w.In / 8),
		src: &a.src[0], inputs: &a.s.inputs[0], tile: &a.s.tile[0],
		srcStride: int64(a.w.In) * floatSize, rowStride: int64(a.t.layout.RowStride*a.w.In) * floatSize,
		inputPoint: int64(a.inputPoint) * floatSize, originStride: int64(a.w.In) * floatSize,
	}
	c.input(a.w.Tile)
}

// input runs the transform of a tile's inputs.
func (c *winogradInputCall) input(t Tile) {
	p := (*byte)(unsafe.Pointer(c))
	switch t {
	case Tile{2, 2}:
		winogradInput2x2AVX2(p)
	case Tile{3, 3}:
		winogradInput3x3AVX2(p)
	case Tile{3, 4}:
		winogradInput3x4AVX2(p)
	case Tile{4, 3}:
		winogradInput4x3AVX2(p)
	case Tile{4, 4}:
		winogradInput4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + t.String())
	}
}

// spread runs the transform of a tile's output gradients.
func (c *winogradInputCall) spread(t Tile) {
	p := (*byte)(unsafe.Pointer(c))
	switch t {
	case Tile{2, 2}:
		winogradSpread2x2AVX2(p)
	case Tile{3, 3}:
		winogradSpread3x3AVX2(p)
	case Tile{3, 4}:
		winogradSpread3x4AVX2(p)
	case Tile{4, 3}:
		winogradSpread4x3AVX2(p)
	case Tile{4, 4}:
		winogradSpread4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + t.String())
	}
}

// winogradCorrelateCall is the argument block of winogradCorrelateAVX2.
type winogradCorrelateCall struct {
	inputs, gradients, sums     *float32
	tiles                       int64
	inputStride, gradientStride int64
	blocks, sumStride           int64
	six, five, four             int64
}

// toPoints transforms tiles [from, to) of a group of boards whose first tile is
// number base of the layout.
func (g *WinogradGradient) toPoints(s *GradientScratch, x, dz []float32, base, from, to int) {
	tile, l, scratch := g.tiling.tile, g.tiling.layout, aligned(maxPoints*8)
	c := winogradInputCall{
		origin: &g.tiling.origin[base+from], tiles: int64(to - from), vectors: int64(g.in / 8),
		src: &x[0], inputs: &s.inputs[from*(g.in+gradientPad)], tile: &scratch[0],
		srcStride: int64(g.in) * floatSize, rowStride: int64(l.RowStride*g.in) * floatSize,
		skip: gradientPad * floatSize, inputPoint: int64(g.inputPoint()) * floatSize, originStride: int64(g.in) * floatSize,
	}
	c.input(tile)
	c = winogradInputCall{
		origin: &g.tiling.outputs[base+from], tiles: int64(to - from), vectors: int64(g.out / 8),
		src: &dz[0], inputs: &s.gradients[from*(g.out+gradientPad)], tile: &scratch[0],
		srcStride: int64(g.out) * floatSize, rowStride: int64(l.RowStride*g.out) * floatSize,
		skip: gradientPad * floatSize, inputPoint: int64(g.gradientPoint()) * floatSize, originStride: int64(g.out) * floatSize,
	}
	c.spread(tile)
}

// correlate adds the products of tiles [from, to) of a group for one point.
func (g *WinogradGradient) correlate(s *GradientScratch, point, from, to int) {
	c := winogradCorrelateCall{
		inputs: &s.inputs[point*g.inputPoint()+from*(g.in+gradientPad)], gradients: &s.gradients[point*g.gradientPoint()+from*(g.out+gradientPad)],
		sums: &s.sums[point*g.in*g.out], tiles: int64(to - from),
		inputStride: int64(g.in+gradientPad) * floatSize, gradientStride: int64(g.out+gradientPad) * floatSize,
		blocks: int64(g.out / Block), sumStride: int64(g.out) * floatSize,
	}
	six, five, four := rowGroups(g.in)
	c.six, c.five, c.four = int64(six), int64(five), int64(four)
	winogradCorrelateAVX2((*byte)(unsafe.Pointer(&c)))
}

// largestCall is the argument block of largestAVX2.
type largestCall struct {
	src   *float32
	count int64
	dst   *float32
}

// largest computes the same as largestGeneric.
func (a *winogradArgs) largest(b int) float32 {
	if !a.native() {
		return a.largestGeneric(b)
	}
	first, n := a.boardPixels(b)
	x := a.src[first*a.w.In:][:n*a.w.In/32*32]
	top := a.s.short.top[:16]
	c := largestCall{src: &x[0], count: int64(len(x) / 32), dst: &top[0]}
	largestAVX2((*byte)(unsafe.Pointer(&c)))
	check := float32(0)
	for _, v := range top[8:] {
		check += v
	}
	return max(top[0], top[1], top[2], top[3], top[4], top[5], top[6], top[7]) + check
}

// winogradShortCall is the argument block of the input transforms to 16 bits.
type winogradShortCall struct {
	winogradInputCall
	factors *float32
}

// shortBoard transforms the inputs of board b to 16 bits.
func (a *winogradArgs) shortBoard(b int) {
	if !a.native() {
		a.shortBoardGeneric(b)
		return
	}
	c := winogradShortCall{winogradInputCall{
		origin: &a.t.origin[b*a.t.Board], tiles: int64(a.t.Board), vectors: int64(a.w.In / 8),
		src: &a.src[0], inputs: (*float32)(unsafe.Pointer(&a.s.short.inputs[b*a.t.Board*a.w.In])), tile: &a.s.tile[0],
		srcStride: int64(a.w.In) * floatSize, rowStride: int64(a.t.layout.RowStride*a.w.In) * floatSize,
		inputPoint: int64(a.shortPoint()) * shortSize, originStride: int64(a.w.In) * floatSize,
	}, &a.s.short.factors[0]}
	p := (*byte)(unsafe.Pointer(&c))
	switch a.w.Tile {
	case Tile{2, 2}:
		winogradInputShort2x2AVX2(p)
	case Tile{3, 3}:
		winogradInputShort3x3AVX2(p)
	case Tile{3, 4}:
		winogradInputShort3x4AVX2(p)
	case Tile{4, 3}:
		winogradInputShort4x3AVX2(p)
	case Tile{4, 4}:
		winogradInputShort4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + a.w.Tile.String())
	}
}

// shortSize is the size of a 16-bit integer in bytes.
const shortSize = 2

// winogradMultiplyShortCall is the argument block of winogradMultiplyShortAVX2. The weights and inputs are 16-bit integers.
type winogradMultiplyShortCall struct {
	winogradMultiplyCall
	rowFactors, factors *float32
}

func (a *winogradArgs) multiplyShort() {
	if !a.native() {
		a.multiplyShortGeneric()
		return
	}
	block := a.channel / Block * a.points
	c := winogradMultiplyShortCall{winogradMultiplyCall{
		points: int64(a.points), inputs: (*float32)(unsafe.Pointer(&a.s.short.inputs[0])),
		weights: (*float32)(unsafe.Pointer(&a.w.Short.Weights[block*a.w.In*Block])), products: &a.s.products[0],
		run: int64(a.w.In) * shortSize, inputPoint: int64(a.shortPoint()) * shortSize, productPoint: int64(a.productPoint) * floatSize,
		six: int64(a.six), five: int64(a.five), four: int64(a.four),
	}, &a.s.short.rows[0], &a.w.Short.Factors[block*Block]}
	winogradMultiplyShortAVX2((*byte)(unsafe.Pointer(&c)))
}

func (a *winogradArgs) multiply() {
	if !a.native() {
		a.multiplyGeneric()
		return
	}
	c := winogradMultiplyCall{
		points: int64(a.points), inputs: &a.s.inputs[0], weights: &a.weights[0], products: &a.s.products[0],
		run: int64(a.w.In) * floatSize, inputPoint: int64(a.inputPoint) * floatSize, productPoint: int64(a.productPoint) * floatSize,
		six: int64(a.six), five: int64(a.five), four: int64(a.four),
	}
	winogradMultiplyAVX2((*byte)(unsafe.Pointer(&c)))
}

func (a *winogradArgs) output(from, to int) {
	if !a.native() {
		a.outputGeneric(from, to)
		return
	}
	c := winogradOutputCall{
		place: &a.t.place[3*from], tiles: int64(to - from), products: &a.s.products[from*Block],
		dst: &a.dst[a.channel], bias: &a.bias[0], tile: &a.s.tile[0],
		productPoint: int64(a.productPoint) * floatSize, pixel: int64(a.w.Out) * floatSize, row: int64(a.t.layout.RowStride*a.w.Out) * floatSize,
	}
	if a.residual != nil {
		c.residual = &a.residual[a.channel]
	}
	if a.w.ReLU {
		c.relu = 1
	}
	p := (*byte)(unsafe.Pointer(&c))
	switch a.w.Tile {
	case Tile{2, 2}:
		winogradOutput2x2AVX2(p)
	case Tile{3, 3}:
		winogradOutput3x3AVX2(p)
	case Tile{3, 4}:
		winogradOutput3x4AVX2(p)
	case Tile{4, 3}:
		winogradOutput4x3AVX2(p)
	case Tile{4, 4}:
		winogradOutput4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + a.w.Tile.String())
	}
}

// HasWinogradGradient reports whether weight gradients can be computed by
// Winograd's method here: there are only assembly kernels for it.
func HasWinogradGradient() bool { return native }

// filterBlock transforms the weights w[9][in][out] of Block output channels that
// begin at ob, for PackWinogradFast; rows is 0, 1, 2, ….
func filterBlock(dst []float32, tile Tile, w []float32, rows []int32, wide, in, out, ob int, scratch []float32) {
	c := winogradInputCall{
		origin: &rows[0], tiles: int64(in), vectors: Block / 8, src: &w[ob], inputs: &dst[0], tile: &scratch[0],
		srcStride: int64(in*out) * floatSize, rowStride: int64(3*in*out) * floatSize,
		inputPoint: int64(wide*Block) * floatSize, originStride: int64(out) * floatSize,
	}
	p := (*byte)(unsafe.Pointer(&c))
	switch tile {
	case Tile{2, 2}:
		winogradFilter2x2AVX2(p)
	case Tile{3, 3}:
		winogradFilter3x3AVX2(p)
	case Tile{3, 4}:
		winogradFilter3x4AVX2(p)
	case Tile{4, 3}:
		winogradFilter4x3AVX2(p)
	case Tile{4, 4}:
		winogradFilter4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + tile.String())
	}
}

// winogradGatherCall is the argument block of the kernels that make weight
// gradients.
type winogradGatherCall struct {
	sums, dst  *float32
	vectors    int64
	point, tap int64
	tile       *float32
}

// fromPoints sets dw for one input channel.
func (g *WinogradGradient) fromPoints(dw, sums []float32, i int, scratch []float32) {
	tile := g.tiling.tile
	c := winogradGatherCall{
		sums: &sums[i*g.out], dst: &dw[i*g.out], vectors: int64(g.out / 8),
		point: int64(g.in*g.out) * floatSize, tap: int64(g.in*g.out) * floatSize, tile: &scratch[0],
	}
	p := (*byte)(unsafe.Pointer(&c))
	switch tile {
	case Tile{2, 2}:
		winogradGather2x2AVX2(p)
	case Tile{3, 3}:
		winogradGather3x3AVX2(p)
	case Tile{3, 4}:
		winogradGather3x4AVX2(p)
	case Tile{4, 3}:
		winogradGather4x3AVX2(p)
	case Tile{4, 4}:
		winogradGather4x4AVX2(p)
	default:
		panic("kernel: no kernel for tile " + tile.String())
	}
}
