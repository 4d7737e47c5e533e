package kernel

import (
	"math"
	"unsafe"
)

// Short is the weights of a Winograd layer for products of 16-bit integers, which a processor with AVX2 multiplies twice as
// many of at once as floats, at half the memory. The inputs are transformed as floats and rounded to 16 bits in the unit in
// which a board's largest input fits them; sums are in 32 bits, exact, and become floats again before the output
// transform. It is read-only in use and may be shared.
type Short struct {
	// Weights holds the rounded weights of a layer's Winograd.Weights: [Out/Block][points][In/2][Block][2].
	Weights []int16
	// Factors takes the sums of a point and output back to the scale of the inputs: [Out/Block][points][Block].
	Factors []float32
}

// shortSum is the largest sum of the magnitudes of the weights of one sum of products: with inputs up to 2^15 - 1 no sum leaves
// 32 bits.
const shortSum = 1 << 16

// growth bounds, for each side of a tile with its border, how much larger than the inputs each result of inputLine can
// be: the sum of the magnitudes of the line's factors.
var growth = [...][maxSide]float32{
	4: {2, 2, 2, 2},
	5: {6, 4, 6, 2, 6},
	6: {10, 10, 10, 6, 6, 10},
}

// NewShort rounds the packed weights of w, which has In channels, a multiple of Block.
func NewShort(w *Winograd) *Short {
	points, down, across := w.Tile.Points(), w.Tile.Rows+2, w.Tile.Cols+2
	if w.In%Block != 0 || len(w.Weights) != w.Out*points*w.In {
		panic("kernel: NewShort: lengths do not match")
	}
	s := &Short{Weights: make([]int16, len(w.Weights)), Factors: make([]float32, w.Out*points)}
	for g := range s.Factors {
		block, o := g/Block, g%Block
		from := w.Weights[block*w.In*Block+o:]
		sum := 0.0
		for k := range w.In {
			sum += math.Abs(float64(from[k*Block]))
		}
		point := block % points
		// What a unit of the inputs stands for, for a largest input of 1.
		unit := float64(growth[down][point/across]*growth[across][point%across]) / math.MaxInt16
		// Rounding may add a half to each weight.
		step := sum / float64(shortSum-w.In)
		if sum > 0 {
			for k := range w.In {
				q := math.RoundToEven(float64(from[k*Block]) / step)
				s.Weights[block*w.In*Block+(k/2)*2*Block+2*o+k%2] = int16(max(-math.MaxInt16, min(math.MaxInt16, q)))
			}
		}
		// A weight that is no number makes the factor none, and so the result.
		s.Factors[g] = float32(step * unit)
	}
	return s
}

// shortScratch is the working memory of layers with Short weights.
type shortScratch struct {
	inputs []int16
	// rows holds the largest input of each tile's board; factors a vector of eight equal numbers for each point.
	rows, factors, top []float32
}

// shortPad is pointPad in 16-bit integers.
const shortPad = 2 * pointPad

func (s *shortScratch) holds(points, rows, in int) bool {
	return len(s.inputs) >= points*(rows*in+shortPad) && len(s.rows) >= rows+tile && len(s.factors) >= 8*points && len(s.top) >= 16
}

func (s *shortScratch) reserve(points, rows, in int) {
	if s.holds(points, rows, in) {
		return
	}
	if n := points * (rows*in + shortPad); len(s.inputs) < n {
		// Memory that is aligned for floats, as shorts.
		f := aligned((n + 1) / 2)
		s.inputs = unsafe.Slice((*int16)(unsafe.Pointer(&f[0])), 2*len(f))
	}
	s.rows = aligned(max(len(s.rows), rows+tile))
	s.factors, s.top = aligned(max(len(s.factors), 8*points)), aligned(16)
}

// shortPoint is the number of integers from one point's inputs to the next.
func (a *winogradArgs) shortPoint() int { return a.inputPoint - pointPad + shortPad }

// leastInput is the largest input below which a board counts as empty; a scale for less might not be finite.
const leastInput = 1e-30

// shortInputs transforms the inputs of all tiles to 16 bits.
func (a *winogradArgs) shortInputs(boards int) {
	s := &a.s.short
	for b := range boards {
		top := a.largest(b)
		rows := s.rows[b*a.t.Board:][:a.t.Board]
		for k := range rows {
			rows[k] = top
		}
		scale := float32(1)
		if !(top < leastInput) {
			scale = math.MaxInt16 / top
		}
		a.shortFactors(scale)
		a.shortBoard(b)
	}
}

// shortFactors sets the factor of each point for a board on which the largest input times scale is the largest int16.
func (a *winogradArgs) shortFactors(scale float32) {
	down, across := a.w.Tile.Rows+2, a.w.Tile.Cols+2
	for i := range down {
		for j := range across {
			f := scale / (growth[down][i] * growth[across][j])
			d := a.s.short.factors[8*(i*across+j):][:8]
			for k := range d {
				d[k] = f
			}
		}
	}
}

// boardPixels returns the first pixel of board b and how many there are up to the border below its last, no square of
// another board among them.
func (a *winogradArgs) boardPixels(b int) (first, n int) {
	return int(a.t.layout.Squares(b)[0]), a.t.layout.BoardStride
}

// largestGeneric is the largest magnitude among the inputs of board b, not a number if one of them is not finite.
func (a *winogradArgs) largestGeneric(b int) float32 {
	first, n := a.boardPixels(b)
	top, check := float32(0), float32(0)
	for _, v := range a.src[first*a.w.In:][:n*a.w.In/32*32] {
		top = max(top, v, -v)
		check += float32(v * 0)
	}
	return top + check
}

// shortBoardGeneric transforms the inputs of board b.
func (a *winogradArgs) shortBoardGeneric(b int) {
	l, in, down, across, point := a.t.layout, a.w.In, a.w.Tile.Rows+2, a.w.Tile.Cols+2, a.shortPoint()
	var d, t [maxSide]float32
	var half [maxPoints]float32
	for k := b * a.t.Board; k < (b+1)*a.t.Board; k++ {
		for c := range in {
			x := a.src[int(a.t.origin[k])*in+c:]
			for col := range across {
				for row := range down {
					d[row] = x[(row*l.RowStride+col)*in]
				}
				inputLine(down, &d, &t)
				for row := range down {
					half[row*across+col] = t[row]
				}
			}
			v := a.s.short.inputs[k*in+c:]
			for row := range down {
				copy(d[:], half[row*across:][:across])
				inputLine(across, &d, &t)
				for col := range across {
					p := row*across + col
					v[p*point] = toShort(float32(t[col] * a.s.short.factors[8*p]))
				}
			}
		}
	}
}

// toShort rounds to the nearest integer, as processors do: a number that fits none becomes the least.
func toShort(v float32) int16 {
	f := math.RoundToEven(float64(v))
	if !(f > math.MinInt32 && f < 1<<31) {
		return math.MinInt16
	}
	return int16(max(math.MinInt16, min(math.MaxInt16, f)))
}

// multiplyShortGeneric multiplies each point's inputs by its weights.
func (a *winogradArgs) multiplyShortGeneric() {
	in, point := a.w.In, a.shortPoint()
	for p := range a.points {
		block := a.channel/Block*a.points + p
		weights, factors := a.w.Short.Weights[block*in*Block:][:in*Block], a.w.Short.Factors[block*Block:][:Block]
		for k := range a.tiles {
			x := a.s.short.inputs[p*point+k*in:][:in]
			dst := a.s.products[p*a.productPoint+k*Block:][:Block]
			var sum [Block]int32
			for i := 0; i < in; i += 2 {
				u, v := int32(x[i]), int32(x[i+1])
				w := weights[i*Block:][:2*Block]
				for o := range sum {
					sum[o] += u*int32(w[2*o]) + v*int32(w[2*o+1])
				}
			}
			for o, v := range sum {
				dst[o] = float32(float32(float32(v)*a.s.short.rows[k]) * factors[o])
			}
		}
	}
}
