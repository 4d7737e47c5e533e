package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// shortLayer makes a layer on random inputs, by floats and by 16-bit integers.
func shortLayer(tile Tile, rows, cols, boards, channels int, value func() float32) (w, short *Winograd, t *Tiling, src, res []float32) {
	l := NewPaddedBoards(boards, rows, cols, RoundUp(rows, tile.Rows), RoundUp(cols, tile.Cols))
	raw := make([]float32, 9*channels*channels)
	for i := range raw {
		raw[i] = value()
	}
	bias := make([]float32, channels)
	for i := range bias {
		bias[i] = value()
	}
	w = &Winograd{Tile: tile, In: channels, Out: channels, Bias: bias, Weights: make([]float32, channels*tile.Points()*channels)}
	PackWinograd(w.Weights, tile, raw, nil, channels, channels, channels)
	s := *w
	s.Short, s.Weights = NewShort(w), nil
	src, res = make([]float32, l.Pixels*channels), make([]float32, l.Pixels*channels)
	for b := range boards {
		for _, q := range l.Squares(b) {
			for c := range channels {
				src[int(q)*channels+c] = value()
				res[int(q)*channels+c] = value()
			}
		}
	}
	return w, &s, NewTiling(l, tile), src, res
}

// run computes all boards of a layer on fresh buffers.
func (w *Winograd) run(t *Tiling, src, res []float32, boards int) []float32 {
	var s Scratch
	s.Reserve(w, t)
	dst := make([]float32, len(res))
	w.Forward(&s, t, dst, src, res, nil, boards)
	return dst
}

// shortError is the largest error of a layer relative to the largest output.
func shortError(l *Layout, got, want []float32, channels, boards int) float64 {
	worst, top := 0.0, 0.0
	for b := range boards {
		for _, q := range l.Squares(b) {
			for c := range channels {
				at := int(q)*channels + c
				d := math.Abs(float64(got[at] - want[at]))
				if d != d {
					return math.Inf(1)
				}
				worst, top = max(worst, d), max(top, math.Abs(float64(want[at])))
			}
		}
	}
	return worst / top
}

// TestShort compares layers in 16 bits with the same layers in floats. The error of a product is about 2^-11 of the largest
// weight and 2^-12 of the largest input (growth takes up to seven bits of fifteen, which most inputs do not use), and many add up
// at random: 1/200 of the largest output at most was seen.
func TestShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tile := range Tiles() {
		for _, c := range []struct{ rows, cols, boards, channels int }{{6, 6, 3, 32}, {7, 13, 2, 64}, {1, 3, 5, 16}, {5, 5, 1, 48}} {
			t.Run(fmt.Sprintf("%s/%dx%d/%d", tile, c.rows, c.cols, c.channels), func(t *testing.T) {
				w, short, tiling, src, res := shortLayer(tile, c.rows, c.cols, c.boards, c.channels, func() float32 { return float32(rng.NormFloat64()) })
				want := w.run(tiling, src, res, c.boards)
				got := short.run(tiling, src, res, c.boards)
				if e := shortError(tiling.layout, got, want, c.channels, c.boards); e > 1e-2 {
					t.Errorf("error %v", e)
				}
				portable := *short
				portable.Portable = true
				generic := portable.run(tiling, src, res, c.boards)
				if e := shortError(tiling.layout, generic, got, c.channels, c.boards); e > 3e-3 {
					t.Errorf("kernels in Go differ by %v", e)
				}
				// A board alone gives the same bits: the last, moved to the front.
				alone := make([]float32, len(src))
				from := (c.boards - 1) * tiling.layout.BoardStride * c.channels
				copy(alone, src[from:])
				resAlone := make([]float32, len(res))
				copy(resAlone, res[from:])
				one := short.run(tiling, alone, resAlone, 1)
				for i, q := range tiling.layout.Squares(0) {
					for k := range c.channels {
						a, b := one[int(q)*c.channels+k], got[int(tiling.layout.Squares(c.boards - 1)[i])*c.channels+k]
						if math.Float32bits(a) != math.Float32bits(b) {
							t.Fatalf("square %d channel %d: %v alone, %v in the batch", i, k, a, b)
						}
					}
				}
			})
		}
	}
}

// TestShortDoesNotOverflow takes the sums to their bounds: all weights and inputs at their largest, of one sign and of
// both.
func TestShortDoesNotOverflow(t *testing.T) {
	for _, tile := range Tiles() {
		for _, scale := range []float32{1, 1e12, 1e-12} {
			n := 0
			for _, value := range []func() float32{
				func() float32 { return scale },
				func() float32 { return -scale },
				func() float32 { n++; return scale * float32(1-n%2*2) },
			} {
				w, short, tiling, src, res := shortLayer(tile, 8, 8, 1, 64, value)
				want := w.run(tiling, src, res, 1)
				for _, portable := range []bool{false, true} {
					short.Portable = portable
					if e := shortError(tiling.layout, short.run(tiling, src, res, 1), want, 64, 1); e > 2e-2 {
						t.Errorf("tile %s, scale %v, portable %v: error %v", tile, scale, portable, e)
					}
				}
			}
		}
	}
}

// TestShortKeepsWhatIsNoNumber checks that a diverged network shows, and that empty boards are no trouble.
func TestShortKeepsWhatIsNoNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, portable := range []bool{false, true} {
		for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, 1e-42} {
			_, short, tiling, src, _ := shortLayer(Tile{3, 3}, 6, 6, 2, 32, func() float32 { return float32(rng.NormFloat64()) })
			short.Portable = portable
			l := tiling.layout
			if v < 1 && v > -1 {
				for _, q := range l.Squares(1) {
					for c := range 32 {
						src[int(q)*32+c] = v
					}
				}
			}
			src[int(l.Squares(1)[20])*32+7] = v
			zero := make([]float32, len(src))
			got := short.run(tiling, src, zero, 2)
			wrong := func(x float32) bool { return x-x != 0 }
			if at := got[int(l.Squares(0)[20])*32]; wrong(at) {
				t.Errorf("%v on one board reached another: %v", v, at)
			}
			if at := got[int(l.Squares(1)[20])*32]; wrong(at) != wrong(v) {
				t.Errorf("%v became %v", v, at)
			}
		}
	}
}
