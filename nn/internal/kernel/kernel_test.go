package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"latro/nn/cputime"
)

func random(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 7))
	d := make([]float32, n)
	for i := range d {
		d[i] = float32(rng.NormFloat64())
	}
	return d
}

// randomBoard fills the squares of a buffer, leaving borders zero, and the
// channels from real on zero.
func randomBoard(l *Layout, channels, real int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 8))
	d := make([]float32, l.Pixels*channels)
	for _, p := range l.index {
		for c := range real {
			d[int(p)*channels+c] = float32(rng.NormFloat64())
		}
	}
	return d
}

// literalConv is the definition of the layer in float64, from unpacked weights
// w[taps][in][out], with explicit tests for the edge.
func literalConv(l *Layout, x []float32, wideIn, in int, w, scale, bias, residual []float32, size, out, wideOut int, relu bool) []float64 {
	y := make([]float64, l.Pixels*wideOut)
	for b := range l.Boards {
		at := func(r, c int) int { return int(l.Squares(b)[r*l.Cols+c]) }
		for r := range l.Rows {
			for c := range l.Cols {
				for o := range out {
					sum := 0.0
					for dy := range size {
						for dx := range size {
							rr, cc := r+dy-size/2, c+dx-size/2
							if rr < 0 || rr >= l.Rows || cc < 0 || cc >= l.Cols {
								continue
							}
							for i := range in {
								sum += float64(x[at(rr, cc)*wideIn+i]) * float64(w[((dy*size+dx)*in+i)*out+o])
							}
						}
					}
					sum = sum*float64(scale[o]) + float64(bias[o])
					if residual != nil {
						sum += float64(residual[at(r, c)*wideOut+o])
					}
					if relu {
						sum = math.Max(sum, 0)
					}
					y[at(r, c)*wideOut+o] = sum
				}
			}
		}
	}
	return y
}

type convCase struct {
	boards, rows, cols, size, wideIn, in, out int
	relu, residual                            bool
}

var convCases = []convCase{
	{1, 1, 1, 3, 4, 1, 1, false, false},
	{1, 2, 2, 3, 4, 3, 16, true, false},
	{3, 5, 5, 3, 8, 5, 17, false, true},
	{2, 8, 7, 3, 32, 32, 32, true, true},
	{2, 7, 13, 3, 16, 16, 48, true, true},
	{1, 11, 16, 3, 12, 12, 16, false, false},
	{5, 6, 6, 1, 32, 20, 7, false, false},
	{2, 3, 4, 1, 16, 16, 16, true, true},
	{37, 4, 3, 3, 16, 16, 16, true, false}, // several parts
}

func (c convCase) layout() *Layout { return NewBoards(c.boards, c.rows, c.cols) }

func TestForwardAgreesWithDefinition(t *testing.T) {
	for i, c := range convCases {
		for _, matrix := range []bool{false, true} {
			l := c.layout()
			if matrix {
				if c.size != 1 {
					continue
				}
				l = NewMatrix(c.boards)
			}
			seed := uint64(i)
			wideOut := RoundUp(c.out, Block)
			x := randomBoard(l, c.wideIn, c.in, seed)
			w, scale, bias := random(c.size*c.size*c.in*c.out, seed), random(c.out, seed+1), random(c.out, seed+2)
			var residual []float32
			if c.residual {
				residual = randomBoard(l, wideOut, c.out, seed+3)
			}
			p := &Product{Layout: l, Taps: Taps{c.size, c.wideIn}, Out: wideOut, ReLU: c.relu}
			p.Weights = make([]float32, wideOut*p.Taps.Weights())
			Pack(p.Weights, w, scale, p.Taps, c.in, c.out)
			p.Bias = make([]float32, wideOut)
			copy(p.Bias, bias)
			y := make([]float32, l.Pixels*wideOut)
			p.Forward(y, x, residual, 0, l.Boards)
			want := literalConv(l, x, c.wideIn, c.in, w, scale, bias, residual, c.size, c.out, wideOut, c.relu)
			for k, v := range y {
				// Sums of up to 300 products of order 1; borders and surplus
				// channels must be exactly zero.
				if d := math.Abs(float64(v) - want[k]); d > 1e-4 || (want[k] == 0 && v != 0 && !c.relu) {
					t.Fatalf("case %+v matrix %v: value %d is %v, want %v", c, matrix, k, v, want[k])
				}
			}
			// Board by board gives the same bits.
			z := make([]float32, len(y))
			for b := range l.Boards {
				p.Forward(z, x, residual, b, b+1)
			}
			if !slices.Equal(y, z) {
				t.Errorf("case %+v: boards one at a time differ", c)
			}
			// The portable kernel agrees to rounding.
			clear(z)
			a := blockArgs{src: x, srcStride: c.wideIn, lead: p.Taps.lead(l), dst: z, dstStride: wideOut,
				residual: residual, rows: c.size, run: p.Taps.Run(), rowStride: l.RowStride * c.wideIn, relu: c.relu}
			index := slices.Clone(l.index)
			if len(index)%2 == 1 {
				index = append(index, index[0])
			}
			for ob := 0; ob < wideOut; ob += Block {
				a.channel, a.bias, a.w = ob, p.Bias[ob:ob+Block], p.Weights[ob*p.Taps.Weights():]
				forwardGeneric(&a, index)
			}
			for k := range y {
				if math.Abs(float64(y[k]-z[k])) > 1e-4 {
					t.Fatalf("case %+v: value %d is %v, portable %v", c, k, y[k], z[k])
				}
			}
		}
	}
}

// TestTransposedIsTheAdjoint uses the definition of the transpose:
// ⟨conv(x), z⟩ = ⟨x, convᵀ(z)⟩ for all x and z.
func TestTransposedIsTheAdjoint(t *testing.T) {
	for i, c := range convCases {
		l, seed := c.layout(), uint64(i)
		wideIn, wideOut := RoundUp(c.in, Block), RoundUp(c.out, Block)
		x, z := randomBoard(l, wideIn, c.in, seed), randomBoard(l, wideOut, c.out, seed+1)
		w, scale := random(c.size*c.size*c.in*c.out, seed), random(c.out, seed+2)
		there := &Product{Layout: l, Taps: Taps{c.size, wideIn}, Out: wideOut}
		there.Weights = make([]float32, wideOut*there.Taps.Weights())
		Pack(there.Weights, w, scale, there.Taps, c.in, c.out)
		back := &Product{Layout: l, Taps: Taps{c.size, wideOut}, Out: wideIn}
		back.Weights = make([]float32, wideIn*back.Taps.Weights())
		PackTransposed(back.Weights, w, scale, back.Taps, c.in, c.out)
		y, dx := make([]float32, len(z)), make([]float32, len(x))
		there.Forward(y, x, nil, 0, l.Boards)
		back.Forward(dx, z, nil, 0, l.Boards)
		var left, right, size float64
		for k := range y {
			left += float64(y[k]) * float64(z[k])
			size += math.Abs(float64(y[k]) * float64(z[k]))
		}
		for k := range x {
			right += float64(x[k]) * float64(dx[k])
		}
		if math.Abs(left-right) > 1e-5*size {
			t.Errorf("case %+v: %v and %v", c, left, right)
		}
	}
}

func TestWeightGradientAgreesWithDefinition(t *testing.T) {
	for i, c := range convCases {
		l, seed := c.layout(), uint64(i)
		wideOut := RoundUp(c.out, Block)
		x, z := randomBoard(l, c.wideIn, c.in, seed), randomBoard(l, wideOut, c.out, seed+1)
		taps := Taps{c.size, c.wideIn}
		dw := random(taps.Weights()*wideOut, seed) // leftovers must not count
		grad := NewWeightGradient(l, taps, wideOut)
		grad.Run(dw, x, z, 1)
		for tap := range c.size * c.size {
			dy, dx := tap/c.size-c.size/2, tap%c.size-c.size/2
			for ch := range c.wideIn {
				for o := range wideOut {
					want := 0.0
					for b := range l.Boards {
						sq := l.Squares(b)
						for r := range l.Rows {
							for col := range l.Cols {
								rr, cc := r+dy, col+dx
								if rr < 0 || rr >= l.Rows || cc < 0 || cc >= l.Cols {
									continue
								}
								want += float64(x[int(sq[rr*l.Cols+cc])*c.wideIn+ch]) * float64(z[int(sq[r*l.Cols+col])*wideOut+o])
							}
						}
					}
					if got := float64(dw[(tap*c.wideIn+ch)*wideOut+o]); math.Abs(got-want) > 1e-4 {
						t.Fatalf("case %+v: tap %d channel %d→%d is %v, want %v", c, tap, ch, o, got, want)
					}
				}
			}
		}
		for _, threads := range []int{2, 5} {
			again := make([]float32, len(dw))
			grad.Run(again, x, z, threads)
			if !slices.Equal(dw, again) {
				t.Errorf("case %+v: %d threads give other bits", c, threads)
			}
		}
		// The portable kernel agrees to rounding.
		g := gradientArgs{x: x, xStride: c.wideIn, dw: make([]float32, len(dw)), dwStride: wideOut, spans: l.spans, length: l.Cols}
		for row := range c.size {
			for m := 0; m < taps.Run(); m += tile {
				for g.channel = 0; g.channel < wideOut; g.channel += Block {
					g.dz = g.dz[:0]
					for _, p := range l.index {
						g.dz = append(g.dz, z[int(p)*wideOut+g.channel:][:Block]...)
					}
					g.m, g.offset, g.dwRow = min(tile, taps.Run()-m), row*l.RowStride*c.wideIn-taps.lead(l)+m, row*taps.Run()+m
					gradientGeneric(&g)
				}
			}
		}
		for k := range dw {
			if math.Abs(float64(dw[k]-g.dw[k])) > 1e-4 {
				t.Fatalf("case %+v: weight %d is %v, portable %v", c, k, dw[k], g.dw[k])
			}
		}
	}
}

func TestPool(t *testing.T) {
	l := NewBoards(3, 4, 5)
	const channels = 16
	x := randomBoard(l, channels, channels, 1)
	x[int(l.Squares(1)[7])*channels+2] = 9 // a tie: the first counts
	x[int(l.Squares(1)[9])*channels+2] = 9
	y, again, argmax := make([]float32, 3*2*channels), make([]float32, 3*2*channels), make([]int32, 3*channels)
	Pool(y, x, l, channels, 0, 3, argmax)
	Pool(again, x, l, channels, 0, 3, nil)
	if !slices.Equal(y, again) {
		t.Error("the result depends on argmax")
	}
	for b := range 3 {
		for c := range channels {
			mean, top, at := 0.0, math.Inf(-1), int32(-1)
			for _, p := range l.Squares(b) {
				v := float64(x[int(p)*channels+c])
				mean += v / 20
				if v > top {
					top, at = v, p
				}
			}
			if math.Abs(float64(y[b*2*channels+c])-mean) > 1e-6 || float64(y[b*2*channels+channels+c]) != top || argmax[b*channels+c] != at {
				t.Fatalf("board %d channel %d", b, c)
			}
		}
	}
	// The gradient is the adjoint of the pooling with the maxima held fixed.
	dy, dx := random(len(y), 2), make([]float32, len(x))
	PoolGradient(dx, dy, l, channels, 0, 3, argmax)
	var left, right float64
	for k := range y {
		left += float64(y[k]) * float64(dy[k])
	}
	for k := range x {
		right += float64(x[k]) * float64(dx[k])
	}
	if math.Abs(left-right) > 1e-4 {
		t.Errorf("%v and %v", left, right)
	}
}

// TestBoardKernelsAgreeBitForBit compares the kernels that only add, select and
// compare with their portable forms, which must round alike.
func TestBoardKernelsAgreeBitForBit(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {5, 5}, {8, 7}, {7, 13}, {11, 16}} {
		l := NewBoards(3, size[0], size[1])
		for _, channels := range []int{16, 48} {
			x, grad := randomBoard(l, channels, channels, 1), randomBoard(l, channels, channels, 2)
			y, sums, wantSums := make([]float32, len(x)), random(channels, 3), random(channels, 4)
			want := make([]float32, len(x))
			for b := range 3 {
				for _, relu := range []bool{true, false} {
					MaskGradient(y, grad, x, l, channels, b, relu, sums)
					maskGeneric(want, grad, x, l, channels, b, relu, wantSums)
					if !slices.Equal(y, want) || !slices.Equal(sums, wantSums) {
						t.Fatalf("%v×%d: mask of board %d, ReLU %v", size, channels, b, relu)
					}
				}
				first := x[int(l.Squares(b)[0])*channels:][:channels]
				mean, top := slices.Clone(first), slices.Clone(first)
				poolGeneric(mean, top, x, l, channels, b)
				gotMean, gotTop := slices.Clone(first), slices.Clone(first)
				poolBoard(gotMean, gotTop, x, l, channels, b)
				if !slices.Equal(mean, gotMean) || !slices.Equal(top, gotTop) {
					t.Fatalf("%v×%d: pool of board %d", size, channels, b)
				}
				boardBias(y, x, sums, l, channels, b)
				boardBiasGeneric(want, x, sums, l, channels, b)
				if !slices.Equal(y, want) {
					t.Fatalf("%v×%d: bias of board %d", size, channels, b)
				}
			}
		}
	}
}

func TestLayoutBorders(t *testing.T) {
	l := NewBoards(2, 3, 4)
	on := map[int32]bool{}
	for _, p := range l.index {
		if on[p] {
			t.Fatalf("pixel %d belongs to two squares", p)
		}
		on[p] = true
	}
	for b := range 2 {
		for k, p := range l.Squares(b) {
			r, c := k/4, k%4
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					q := int(p) + dr*l.RowStride + dc
					if q < 0 || q >= l.Pixels {
						t.Fatalf("square %d of board %d reaches outside the buffer", k, b)
					}
					inside := r+dr >= 0 && r+dr < 3 && c+dc >= 0 && c+dc < 4
					if inside != on[int32(q)] {
						t.Fatalf("neighbour (%d,%d) of square %d of board %d: on the board %v, in use %v", dr, dc, k, b, inside, on[int32(q)])
					}
				}
			}
		}
	}
}

func TestParallelRunsEachTaskOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		var counts [50]atomic.Int32
		Parallel(threads, len(counts), func(i int) { counts[i].Add(1) })
		for i := range counts {
			if n := counts[i].Load(); n != 1 {
				t.Errorf("%d threads: task %d ran %d times", threads, i, n)
			}
		}
	}
}

func TestMisuseIsRefused(t *testing.T) {
	l := NewBoards(2, 3, 3)
	p := &Product{Layout: l, Taps: Taps{3, 4}, Out: 16, Weights: make([]float32, 16*36)}
	x, y := make([]float32, l.Pixels*4), make([]float32, l.Pixels*16)
	for name, f := range map[string]func(){
		"short source":      func() { p.Forward(y, x[1:], nil, 0, 2) },
		"short destination": func() { p.Forward(y[1:], x, nil, 0, 2) },
		"short residual":    func() { p.Forward(y, x, y[1:], 0, 2) },
		"boards":            func() { p.Forward(y, x, nil, 1, 3) },
		"gradient":          func() { NewWeightGradient(l, p.Taps, 16).Run(make([]float32, 16), x, y, 1) },
		"pack":              func() { Pack(p.Weights, make([]float32, 9), nil, p.Taps, 4, 16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			f()
		}()
	}
}

// BenchmarkForward reports the share of the peak that one convolution reaches;
// run it with BenchmarkPeak on a quiet machine.
func BenchmarkForward(b *testing.B) {
	for _, channels := range []int{32, 64, 128} {
		for _, side := range []int{6, 8} {
			b.Run(fmt.Sprintf("%d/%dx%d", channels, side, side), func(b *testing.B) {
				l := NewBoards(8, side, side)
				p := &Product{Layout: l, Taps: Taps{3, channels}, Out: channels, ReLU: true}
				p.Weights = random(channels*p.Taps.Weights(), 1)
				x, y := randomBoard(l, channels, channels, 1), make([]float32, l.Pixels*channels)
				start := cputime.Process()
				for b.Loop() {
					p.Forward(y, x, nil, 0, 8)
				}
				flops := 2 * float64(len(l.index)*channels*channels*9)
				b.ReportMetric(flops*float64(b.N)/(cputime.Process()-start).Seconds()/1e9, "GFLOP/cpu-s")
			})
		}
	}
}

func BenchmarkWeightGradient(b *testing.B) {
	for _, channels := range []int{32, 64} {
		b.Run(fmt.Sprint(channels), func(b *testing.B) {
			l := NewBoards(128, 8, 8)
			x, z := randomBoard(l, channels, channels, 1), randomBoard(l, channels, channels, 2)
			t := Taps{3, channels}
			dw := make([]float32, t.Weights()*channels)
			grad := NewWeightGradient(l, t, channels)
			start := cputime.Process()
			for b.Loop() {
				grad.Run(dw, x, z, 1)
			}
			flops := 2 * float64(len(l.index)*channels*channels*9)
			b.ReportMetric(flops*float64(b.N)/(cputime.Process()-start).Seconds()/1e9, "GFLOP/cpu-s")
		})
	}
}

func BenchmarkPeak(b *testing.B) {
	const rounds = 100_000
	var flops int64
	start := cputime.Process()
	for b.Loop() {
		flops += PeakFlops(rounds)
	}
	b.ReportMetric(float64(flops)/(cputime.Process()-start).Seconds()/1e9, "GFLOP/cpu-s")
}
