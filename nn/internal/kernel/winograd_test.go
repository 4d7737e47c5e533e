package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"latro/nn/cputime"
)

// winogradCase makes a layer, its data and what the definition says.
func winogradCase(tile Tile, boards, rows, cols, in, wideIn, out int, relu, residual bool) (w *Winograd, t *Tiling, x, r []float32, want []float64) {
	l := NewPaddedBoards(boards, rows, cols, RoundUp(rows, tile.Rows), RoundUp(cols, tile.Cols))
	wideOut := RoundUp(out, Block)
	seed := uint64(tile.Points()*1000 + rows*100 + cols)
	x = randomBoard(l, wideIn, in, seed)
	weights, scale, bias := random(9*in*out, seed), random(out, seed+1), random(out, seed+2)
	for i := range weights {
		weights[i] /= float32(math.Sqrt(float64(9 * in)))
	}
	if residual {
		r = randomBoard(l, wideOut, out, seed+3)
	}
	w = &Winograd{Tile: tile, In: wideIn, Out: wideOut, Weights: make([]float32, wideOut*tile.Points()*wideIn), Bias: make([]float32, wideOut), ReLU: relu}
	PackWinograd(w.Weights, tile, weights, scale, wideIn, in, out)
	copy(w.Bias, bias)
	want = literalConv(l, x, wideIn, in, weights, scale, bias, r, 3, out, wideOut, relu)
	return w, NewTiling(l, tile), x, r, want
}

func runWinograd(w *Winograd, t *Tiling, x, r []float32, boards int) []float32 {
	var s Scratch
	s.Reserve(w, t)
	y := make([]float32, t.layout.Pixels*w.Out)
	w.Forward(&s, t, y, x, r, nil, boards)
	return y
}

func TestWinogradAgreesWithDefinition(t *testing.T) {
	sizes := [][2]int{{1, 1}, {2, 3}, {3, 3}, {5, 4}, {6, 6}, {8, 8}, {7, 13}, {9, 10}, {11, 16}}
	for _, tile := range Tiles() {
		for i, size := range sizes {
			boards := []int{1, 2, 3, 5, 7}[i%5]
			in, out := []int{3, 16, 20}[i%3], []int{16, 7, 32, 40}[i%4]
			w, tiling, x, r, want := winogradCase(tile, boards, size[0], size[1], in, RoundUp(in, 8), out, i%2 == 0, i%3 != 0)
			name := fmt.Sprintf("tile %v, %d boards of %v, %d→%d", tile, boards, size, in, out)
			for _, portable := range []bool{false, true} {
				w.Portable = portable
				y := runWinograd(w, tiling, x, r, boards)
				for k, v := range y {
					// Values are of order 1. Borders and surplus channels
					// must be exactly zero.
					if d := math.Abs(float64(v) - want[k]); !(d <= 5e-5) {
						t.Fatalf("%s, portable %v: value %d is %v, want %v", name, portable, k, v, want[k])
					}
				}
				on := map[int]bool{}
				for _, p := range tiling.layout.index {
					on[int(p)] = true
				}
				for k, v := range y {
					if v != 0 && (!on[k/w.Out] || k%w.Out >= out) {
						t.Fatalf("%s, portable %v: %v was written at pixel %d, channel %d", name, portable, v, k/w.Out, k%w.Out)
					}
				}
			}
		}
	}
}

// TestWinogradBoardsAreIndependent compares every number of boards with each
// board alone, bit for bit: all the ways in which rows are grouped come up.
func TestWinogradBoardsAreIndependent(t *testing.T) {
	for _, size := range [][2]int{{3, 3}, {5, 6}, {8, 8}} {
		for _, tile := range Tiles() {
			const most = 17
			w, tiling, x, r, _ := winogradCase(tile, most, size[0], size[1], 8, 8, 16, true, true)
			l := tiling.layout
			for _, portable := range []bool{false, true} {
				w.Portable = portable
				whole := runWinograd(w, tiling, x, r, most)
				for n := 1; n < most; n++ {
					y := runWinograd(w, tiling, x, r, n)
					if end := n * l.BoardStride * w.Out; !slices.Equal(y[:end], whole[:end]) {
						t.Fatalf("tile %v, %v: %d of %d boards differ", tile, size, n, most)
					}
					// Board n, moved to slot 0.
					from := n * l.BoardStride
					y = runWinograd(w, tiling, slices.Concat(x[from*w.In:], x[:from*w.In]), slices.Concat(r[from*w.Out:], r[:from*w.Out]), 1)
					for k, p := range l.Squares(0) {
						q := int(l.Squares(n)[k])
						if !slices.Equal(y[int(p)*w.Out:][:w.Out], whole[q*w.Out:][:w.Out]) {
							t.Fatalf("tile %v, %v: board %d differs in slot 0", tile, size, n)
						}
					}
				}
			}
		}
	}
}

func TestWinogradBoardBias(t *testing.T) {
	w, tiling, x, r, _ := winogradCase(Tile{4, 4}, 3, 6, 7, 16, 16, 32, false, true)
	zero := *w
	zero.Bias = make([]float32, w.Out)
	plain := runWinograd(&zero, tiling, x, r, 3)
	bias := random(3*w.Out, 5)
	var s Scratch
	s.Reserve(w, tiling)
	for _, portable := range []bool{false, true} {
		w.Portable = portable
		y := slices.Clone(r) // in place
		w.Forward(&s, tiling, y, x, y, bias, 3)
		for b := range 3 {
			for _, p := range tiling.layout.Squares(b) {
				for o := range w.Out {
					k := int(p)*w.Out + o
					if d := math.Abs(float64(y[k] - (plain[k] + bias[b*w.Out+o]))); d > 3e-5 {
						t.Fatalf("board %d, channel %d: off by %v", b, o, d)
					}
				}
			}
		}
	}
}

func TestRowGroupsCover(t *testing.T) {
	for n := 1; n < 200; n++ {
		six, five, four := rowGroups(n)
		rows := 6*six + 5*five + 4*four
		if six < 0 || rows < n || rows > paddedRows(n) || (n > 7 && rows != n) {
			t.Errorf("%d rows: %d, %d, %d", n, six, five, four)
		}
	}
}

// BenchmarkWinograd counts the operations of the definition, so that its figures
// compare with BenchmarkForward's.
func BenchmarkWinograd(b *testing.B) {
	for _, channels := range []int{32, 64, 128} {
		for _, size := range [][2]int{{6, 6}, {8, 8}, {7, 13}, {11, 16}} {
			for _, tile := range Tiles() {
				for _, boards := range []int{1, 8} {
					b.Run(fmt.Sprintf("%d/%dx%d/F%v/%d", channels, size[0], size[1], tile, boards), func(b *testing.B) {
						l := NewPaddedBoards(boards, size[0], size[1], RoundUp(size[0], tile.Rows), RoundUp(size[1], tile.Cols))
						w := &Winograd{Tile: tile, In: channels, Out: channels, Weights: random(tile.Points()*channels*channels, 1), Bias: make([]float32, channels), ReLU: true}
						t := NewTiling(l, tile)
						var s Scratch
						s.Reserve(w, t)
						x, y := randomBoard(l, channels, channels, 1), make([]float32, l.Pixels*channels)
						start := cputime.Process()
						for b.Loop() {
							w.Forward(&s, t, y, x, nil, nil, boards)
						}
						flops := 2 * float64(len(l.index)*channels*channels*9)
						b.ReportMetric(flops*float64(b.N)/(cputime.Process()-start).Seconds()/1e9, "GFLOP/cpu-s")
					})
				}
			}
		}
	}
}

func TestWinogradGradientAgreesWithDefinition(t *testing.T) {
	if !HasWinogradGradient() {
		t.Skip("no assembly kernels here")
	}
	for _, tile := range Tiles() {
		for i, size := range [][2]int{{1, 1}, {3, 3}, {6, 7}, {8, 8}, {7, 13}} {
			boards := []int{1, 3, 40, 7, 2}[i] // 40 are two groups
			in, out := []int{8, 24, 16, 64, 40}[i], []int{16, 48, 16, 32, 16}[i]
			l := NewPaddedBoards(boards, size[0], size[1], RoundUp(size[0], tile.Rows), RoundUp(size[1], tile.Cols))
			x, z := randomBoard(l, in, in-1, uint64(i)), randomBoard(l, out, out, uint64(i)+1)
			want := make([]float32, 9*in*out)
			NewWeightGradient(l, Taps{3, in}, out).Run(want, x, z, 1)
			g, s := NewWinogradGradient(l, tile, in, out), &GradientScratch{}
			got := random(len(want), 1) // leftovers must not count
			g.Run(s, got, x, z, 1)
			// Sums of boards·squares products of order 1.
			bound := 2e-5 * math.Sqrt(float64(boards*size[0]*size[1]))
			for k := range want {
				if d := math.Abs(float64(got[k] - want[k])); !(d <= bound) {
					t.Fatalf("tile %v, %d boards of %v, %d→%d: weight %d is %v, want %v", tile, boards, size, in, out, k, got[k], want[k])
				}
			}
			again := make([]float32, len(want))
			g.Run(s, again, x, z, 3)
			if !slices.Equal(got, again) {
				t.Errorf("tile %v, %v: three threads give other bits", tile, size)
			}
		}
	}
}

func BenchmarkWinogradGradient(b *testing.B) {
	if !HasWinogradGradient() {
		b.Skip("no assembly kernels here")
	}
	for _, channels := range []int{32, 64} {
		b.Run(fmt.Sprint(channels), func(b *testing.B) {
			l := NewBoards(128, 8, 8)
			x, z := randomBoard(l, channels, channels, 1), randomBoard(l, channels, channels, 2)
			dw := make([]float32, 9*channels*channels)
			g, s := NewWinogradGradient(l, Tile{4, 4}, channels, channels), &GradientScratch{}
			start := cputime.Process()
			for b.Loop() {
				g.Run(s, dw, x, z, 1)
			}
			flops := 2 * float64(len(l.index)*channels*channels*9)
			b.ReportMetric(flops*float64(b.N)/(cputime.Process()-start).Seconds()/1e9, "GFLOP/cpu-s")
		})
	}
}

func TestFastPackingAgrees(t *testing.T) {
	for _, tile := range Tiles() {
		for _, c := range [][3]int{{16, 13, 32}, {8, 8, 16}, {16, 16, 20}} {
			wide, in, out := c[0], c[1], c[2]
			w, scale := random(9*in*out, 1), random(out, 2)
			n := RoundUp(out, Block) * tile.Points() * wide
			for _, s := range [][]float32{nil, scale} {
				want, got := make([]float32, n), random(n, 3)
				PackWinograd(want, tile, w, s, wide, in, out)
				PackWinogradFast(got, tile, w, s, wide, in, out)
				for k := range want {
					if d := math.Abs(float64(got[k] - want[k])); d > 2e-6 {
						t.Fatalf("tile %v, %v: value %d is %v, want %v", tile, c, k, got[k], want[k])
					}
				}
			}
		}
	}
}
