package kernel

import (
	"fmt"
	"slices"
	"unsafe"
)

// A Tile is the size of the rectangle of outputs that Winograd's filtering
// computes together.
type Tile struct{ Rows, Cols int }

// Tiles lists the tiles that there are kernels for.
func Tiles() []Tile { return []Tile{{2, 2}, {3, 3}, {3, 4}, {4, 3}, {4, 4}} }

// String returns the tile's size, such as "4x3".
func (t Tile) String() string { return fmt.Sprintf("%dx%d", t.Rows, t.Cols) }

// Points is the number of products that take the place of one output's nine,
// for the whole tile.
func (t Tile) Points() int { return (t.Rows + 2) * (t.Cols + 2) }

// maxSide is the number of inputs along the longest side of a tile.
const maxSide = 6

// maxPoints is the number of points of the largest tile.
const maxPoints = maxSide * maxSide

// pointPad is the number of floats between the matrices of two points. Without
// it the points of a tile lie a power of two apart, and share few sets of the
// first-level cache.
const pointPad = 16

// Winograd is a 3×3 layer computed by minimal filtering, F(Rows×Cols, 3×3): a
// tile's outputs and the (Rows+2)·(Cols+2) inputs that they depend on are
// transformed so that the convolution becomes one product for each of as many
// points (Winograd 1980; Lavin & Gray 2016, arXiv:1509.09308). Where the tiles
// cover the board exactly, 4×4 needs a quarter of the multiplications of the
// definition, 3×3 25/81 and 2×2 4/9; rounding errors grow with the tile. It is
// read-only in use and may be shared.
type Winograd struct {
	// Tile is one of Tiles.
	Tile Tile
	// In and Out are the channels of the source, a multiple of 8, and of the
	// destination, a multiple of Block.
	In, Out int
	// Weights are made by PackWinograd.
	Weights []float32
	// Bias has length Out.
	Bias []float32
	// ReLU clamps the result at 0 from below.
	ReLU bool
	// Short, if not nil, takes the place of Weights: the products are of 16-bit integers.
	Short *Short
	// Portable keeps to the kernels in Go on every machine.
	Portable bool
}

// filters holds, for each side of a tile, the rows of the matrix that takes three weights
// to the points 0, 1, −1, 2, −2 (as many as there are) and ∞.
var filters = [...][][3]float64{
	2: {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
	3: {{0.5, 0, 0}, {-0.5, -0.5, -0.5}, {-1. / 6, 1. / 6, -1. / 6}, {1. / 6, 1. / 3, 2. / 3}, {0, 0, 1}},
	4: {{0.25, 0, 0}, {-1. / 6, -1. / 6, -1. / 6}, {-1. / 6, 1. / 6, -1. / 6}, {1. / 24, 1. / 12, 1. / 6}, {1. / 24, -1. / 12, 1. / 6}, {0, 0, 1}},
}

// PackWinograd transforms the weights w[3][3][in][out], each multiplied by scale
// of its output channel when scale is not nil, for a Winograd layer whose source
// has wide channels: [out/Block][points][wide][Block], surplus channels zero.
// Sums are in float64 and rounded once. dst must have length
// RoundUp(out, Block)·tile.Points()·wide.
func PackWinograd(dst []float32, tile Tile, w, scale []float32, wide, in, out int) {
	if !slices.Contains(Tiles(), tile) || len(w) != 9*in*out || in > wide || wide%8 != 0 || len(dst) != RoundUp(out, Block)*tile.Points()*wide {
		panic("kernel: PackWinograd: lengths do not match")
	}
	if in < wide || out%Block != 0 {
		clear(dst)
	}
	down, across := filters[tile.Rows], filters[tile.Cols]
	points := tile.Points()
	for ob := 0; ob < out; ob += Block {
		n := min(Block, out-ob)
		at := ob * points * wide
		for i := range in {
			// g holds the taps of n filters, half those with lines transformed:
			// half[p][col] = Σ_row down[p][row]·g[row][col].
			var g [3][3][Block]float64
			for tap := range 9 {
				row := &g[tap/3][tap%3]
				for o, v := range w[(tap*in+i)*out+ob:][:n] {
					row[o] = float64(v)
				}
			}
			var half [maxSide][3][Block]float64
			for p, f := range down {
				for col := range 3 {
					combine(&half[p][col], f, &g[0][col], &g[1][col], &g[2][col])
				}
			}
			for p := range down {
				for q, f := range across {
					var sum [Block]float64
					combine(&sum, f, &half[p][0], &half[p][1], &half[p][2])
					d := dst[at+((p*len(across)+q)*wide+i)*Block:][:n]
					if scale == nil {
						for o := range d {
							d[o] = float32(sum[o])
						}
						continue
					}
					for o, s := range scale[ob:][:n] {
						d[o] = float32(sum[o] * float64(s))
					}
				}
			}
		}
	}
}

// PackWinogradFast is PackWinograd in float32, by assembly kernels where there are
// any: for training, which packs weights in every step.
func PackWinogradFast(dst []float32, tile Tile, w, scale []float32, wide, in, out int) {
	whole := out%Block == 0
	if !native || !whole || !slices.Contains(Tiles(), tile) || len(w) != 9*in*out || in > wide || len(dst) != out*tile.Points()*wide {
		PackWinograd(dst, tile, w, scale, wide, in, out)
		return
	}
	if in < wide {
		clear(dst)
	}
	rows, scratch := make([]int32, in), aligned(maxPoints*8)
	for i := range rows {
		rows[i] = int32(i)
	}
	scaled := w
	if scale != nil {
		scaled = make([]float32, len(w))
		for i := 0; i < len(w); i += out {
			d := scaled[i:][:out]
			for o, v := range w[i:][:out] {
				d[o] = v * scale[o]
			}
		}
	}
	for ob := 0; ob < out; ob += Block {
		filterBlock(dst[ob*tile.Points()*wide:], tile, scaled, rows, wide, in, out, ob, scratch)
	}
}

// combine sets d = f[0]·a + f[1]·b + f[2]·c.
func combine(d *[Block]float64, f [3]float64, a, b, c *[Block]float64) {
	for o := range d {
		d[o] = float64(f[0]*a[o]) + float64(f[1]*b[o]) + float64(f[2]*c[o])
	}
}

// Tiling says where the tiles of a layout's boards lie. It is read-only.
type Tiling struct {
	layout *Layout
	tile   Tile
	// Board is the number of tiles a board.
	Board int
	// origin lists the pixel of each tile's first input, up and left of its
	// first output. place lists, three a tile, the pixel of its first output and
	// how many rows and columns of it are on the board.
	origin, place []int32
	// outputs lists the pixel of each tile's first output alone.
	outputs []int32
	// rows is 0, 1, 2, …
	rows []int32
}

// NewTiling returns the tiles of l's boards. The layout's borders must reach as
// far as the tiles; see NewPaddedBoards.
func NewTiling(l *Layout, tile Tile) *Tiling {
	rows, cols := (l.Rows+tile.Rows-1)/tile.Rows, (l.Cols+tile.Cols-1)/tile.Cols
	if l.RowStride < cols*tile.Cols+1 || l.BoardStride < (rows*tile.Rows+1)*l.RowStride {
		panic("kernel: NewTiling: the borders are too narrow for the tiles")
	}
	t := &Tiling{layout: l, tile: tile, Board: rows * cols}
	for b := range l.Boards {
		for r := range rows {
			for c := range cols {
				p := b*l.BoardStride + r*tile.Rows*l.RowStride + c*tile.Cols
				t.origin = append(t.origin, int32(p))
				t.outputs = append(t.outputs, int32(p+l.RowStride+1))
				t.place = append(t.place, int32(p+l.RowStride+1), int32(min(tile.Rows, l.Rows-r*tile.Rows)), int32(min(tile.Cols, l.Cols-c*tile.Cols)))
			}
		}
	}
	for i := range paddedRows(len(t.origin)) {
		t.rows = append(t.rows, int32(i))
	}
	return t
}

// Scratch is the working memory of Winograd layers: one use at a time.
type Scratch struct {
	inputs, products, tile []float32
	short                  shortScratch
}

// Reserve makes room for a layer of w's kind on the tiles of t.
func (s *Scratch) Reserve(w *Winograd, t *Tiling) {
	rows, points := paddedRows(len(t.origin)), w.Tile.Points()
	grow := func(have []float32, n int) []float32 {
		if len(have) < n {
			have = aligned(n)
		}
		return have
	}
	if w.Short != nil {
		s.short.reserve(points, rows, w.In)
	} else {
		s.inputs = grow(s.inputs, points*(rows*w.In+pointPad))
	}
	s.products = grow(s.products, points*(rows*Block+pointPad))
	s.tile = grow(s.tile, maxPoints*8)
}

// rowGroups splits n rows into groups of 6, 5 and 4, which are the sizes that
// keep the processor's multipliers busy. 1, 2, 3 and 7 rows cannot be split so
// and take one to three rows more, whose results nobody reads.
func rowGroups(n int) (six, five, four int) {
	switch n {
	case 1, 2, 3:
		return 0, 0, 1
	case 7:
		return 0, 0, 2
	}
	six = n / 6
	switch n % 6 {
	case 1: // 13 = 5 + 4 + 4
		return six - 2, 1, 2
	case 2: // 8 = 4 + 4
		return six - 1, 0, 2
	case 3: // 9 = 5 + 4
		return six - 1, 1, 1
	case 4:
		return six, 0, 1
	case 5:
		return six, 1, 0
	}
	return six, 0, 0
}

// paddedRows is the number of rows that groups of n rows take at most, for
// every number of rows up to n.
func paddedRows(n int) int { return RoundUp(max(n, 4), 4) }

// Forward computes the boards [0, boards) of dst, which has t's layout (as far as
// those boards and their border go) and Out channels, from src, which has In:
//
//	dst[p][o] = act(Σ + bias[o] + residual[p][o])
//
// residual may be nil. boardBias, if not nil, replaces Bias by Out values for
// each board. dst must not overlap src; it may be residual. The scratch memory
// must have been reserved for the layer. Each output depends on its own board
// only, by operations in a fixed order.
func (w *Winograd) Forward(s *Scratch, t *Tiling, dst, src, residual, boardBias []float32, boards int) {
	l := t.layout
	points := w.Tile.Points()
	n := boards * t.Board
	rows := paddedRows(n)
	pixels := l.PixelsOf(boards)
	if boards < 0 || boards > l.Boards || t.tile != w.Tile || w.In%8 != 0 || w.Out%Block != 0 ||
		len(src) < pixels*w.In || len(dst) < pixels*w.Out || (residual != nil && len(residual) < pixels*w.Out) ||
		(boardBias != nil && len(boardBias) < boards*w.Out) || len(w.Bias) != w.Out || !w.fits(s, rows) || len(s.products) < points*(rows*Block+pointPad) || len(s.tile) < maxPoints*8 {
		panic(fmt.Sprintf("kernel: Winograd: lengths do not match the layer (%d boards)", boards))
	}
	if boards == 0 {
		return
	}
	a := winogradArgs{w: w, t: t, s: s, dst: dst, src: src, residual: residual, tiles: n, points: points,
		inputPoint: rows*w.In + pointPad, productPoint: rows*Block + pointPad}
	a.six, a.five, a.four = rowGroups(n)
	if w.Short != nil {
		a.shortInputs(boards)
	} else {
		a.input()
	}
	for a.channel = 0; a.channel < w.Out; a.channel += Block {
		if w.Short != nil {
			a.multiplyShort()
		} else {
			a.weights = w.Weights[a.channel*points*w.In:][:points*w.In*Block]
			a.multiply()
		}
		if boardBias == nil {
			a.bias = w.Bias[a.channel:][:Block]
			a.output(0, n)
			continue
		}
		for b := range boards {
			a.bias = boardBias[b*w.Out+a.channel:][:Block]
			a.output(b*t.Board, (b+1)*t.Board)
		}
	}
}

// fits says whether the weights have the layer's size and the scratch memory has room for so many rows.
func (w *Winograd) fits(s *Scratch, rows int) bool {
	points := w.Tile.Points()
	if w.Short != nil {
		return w.In%Block == 0 && len(w.Short.Weights) == w.Out*points*w.In && len(w.Short.Factors) == w.Out*points && s.short.holds(points, rows, w.In)
	}
	return len(w.Weights) == w.Out*points*w.In && len(s.inputs) >= points*(rows*w.In+pointPad)
}

// winogradArgs is what the three stages of a layer need. Strides are in floats.
type winogradArgs struct {
	w                        *Winograd
	t                        *Tiling
	s                        *Scratch
	dst, src, residual       []float32
	tiles, points            int
	inputPoint, productPoint int
	six, five, four          int
	channel                  int
	weights, bias            []float32
}

// inputGeneric transforms the inputs of all tiles.
func (a *winogradArgs) inputGeneric() {
	l, in, down, across := a.t.layout, a.w.In, a.w.Tile.Rows+2, a.w.Tile.Cols+2
	var d, t [maxSide]float32
	var half [maxPoints]float32
	for k, origin := range a.t.origin[:a.tiles] {
		for c := range in {
			x := a.src[int(origin)*in+c:]
			for col := range across {
				for row := range down {
					d[row] = x[(row*l.RowStride+col)*in]
				}
				inputLine(down, &d, &t)
				for row := range down {
					half[row*across+col] = t[row]
				}
			}
			v := a.s.inputs[k*in+c:]
			for row := range down {
				copy(d[:], half[row*across:][:across])
				inputLine(across, &d, &t)
				for col := range across {
					v[(row*across+col)*a.inputPoint] = t[col]
				}
			}
		}
	}
}

// multiplyGeneric multiplies each point's inputs by its weights.
func (a *winogradArgs) multiplyGeneric() {
	in := a.w.In
	n := RoundUp(a.tiles, 2)
	index := a.t.rows[:n]
	for p := range a.points {
		forwardGeneric(&blockArgs{
			src: a.s.inputs[p*a.inputPoint:], srcStride: in, dst: a.s.products[p*a.productPoint:], dstStride: Block,
			w: a.weights[p*in*Block:], bias: zeroBias[:], rows: 1, run: in,
		}, index)
	}
}

// outputGeneric transforms the products of tiles [from, to) back and finishes
// the layer for Block channels.
func (a *winogradArgs) outputGeneric(from, to int) {
	l, out, down, across := a.t.layout, a.w.Out, a.w.Tile.Rows+2, a.w.Tile.Cols+2
	var d, t [maxSide]float32
	var half [maxPoints]float32
	for k := from; k < to; k++ {
		place := a.t.place[3*k:][:3]
		for c := range Block {
			m := a.s.products[k*Block+c:]
			for col := range across {
				for row := range down {
					d[row] = m[(row*across+col)*a.productPoint]
				}
				outputLine(down, &d, &t)
				for row := range a.w.Tile.Rows {
					half[row*across+col] = t[row]
				}
			}
			for row := range int(place[1]) {
				copy(d[:], half[row*across:][:across])
				outputLine(across, &d, &t)
				for col := range int(place[2]) {
					at := (int(place[0])+row*l.RowStride+col)*out + a.channel + c
					v := t[col] + a.bias[c]
					if a.residual != nil {
						v += a.residual[at]
					}
					if a.w.ReLU {
						v = max(v, 0)
					}
					a.dst[at] = v
				}
			}
		}
	}
}

// inputLine transforms one line of inputs.
func inputLine(side int, d, t *[maxSide]float32) {
	switch side {
	case 4:
		t[0] = d[0] - d[2]
		t[1] = d[1] + d[2]
		t[2] = d[2] - d[1]
		t[3] = d[3] - d[1]
	case 5:
		a := d[3] - d[1]
		t[0] = a + float32(2*(d[0]-d[2]))
		t[1] = (d[3] - d[2]) - float32(2*d[1])
		t[2] = (d[3] - float32(3*d[2])) + float32(2*d[1])
		t[3] = a
		t[4] = (d[4] - d[2]) - float32(2*a)
	default:
		a, b := d[4]-float32(4*d[2]), d[3]-float32(4*d[1])
		c, e := d[4]-d[2], d[3]-d[1]
		t[0] = float32(4*d[0]) + (d[4] - float32(5*d[2]))
		t[1] = a + b
		t[2] = a - b
		t[3] = c + float32(2*e)
		t[4] = c - float32(2*e)
		t[5] = float32(4*d[1]) + (d[5] - float32(5*d[3]))
	}
}

// outputLine transforms one line of products.
func outputLine(side int, m, y *[maxSide]float32) {
	s, d := m[1]+m[2], m[1]-m[2]
	switch side {
	case 4:
		y[0] = m[0] + s
		y[1] = d + m[3]
	case 5:
		y[0] = m[0] + (s + m[3])
		y[1] = d + float32(2*m[3])
		y[2] = m[4] + (s + float32(4*m[3]))
	default:
		u, v := m[3]+m[4], m[3]-m[4]
		y[0] = m[0] + (s + u)
		y[1] = d + float32(2*v)
		y[2] = s + float32(4*u)
		y[3] = m[5] + (d + float32(8*v))
	}
}

// aligned returns n zeros that begin at a multiple of 64 bytes.
func aligned(n int) []float32 {
	const line = 64 / floatSize
	d := make([]float32, n+line)
	skip := 0
	for uintptr(unsafe.Pointer(&d[skip]))%64 != 0 {
		skip++
	}
	return d[skip:][:n:n]
}
