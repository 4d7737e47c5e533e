package kernel

import "fmt"

// gradientPad is the number of floats between the rows of transformed inputs and
// gradients, so that the rows of one point do not share sets of the cache.
const gradientPad = 16

// A weight gradient by Winograd's method goes through groups of groupBoards
// boards, whose points it keeps at once, and sums each point over stretches of
// gradientTiles tiles, whose values stay in the first-level cache.
const (
	groupBoards   = 32
	gradientTiles = 32
)

// WinogradGradient computes the gradient of the weights of a 3×3 layer by the
// transpose of Winograd's method: with Y = Aᵀ[(G·w·Gᵀ) ⊙ (Bᵀ·x·B)]A it is
// Gᵀ[Σ (Bᵀ·x·B) ⊙ (A·dY·Aᵀ)]G, summed over tiles, a quarter of the
// multiplications where tiles of 4×4 fit. See HasWinogradGradient.
type WinogradGradient struct {
	tiling  *Tiling
	in, out int
}

// GradientScratch is the working memory of WinogradGradients: one use at a time.
type GradientScratch struct{ inputs, gradients, sums []float32 }

// NewWinogradGradient prepares the gradient of a layer whose input buffer has in
// channels, a multiple of 8, and whose output gradients have out, a multiple of
// Block. The layout's borders must be wide enough for the tiles.
func NewWinogradGradient(l *Layout, tile Tile, in, out int) *WinogradGradient {
	if in%8 != 0 || out%Block != 0 {
		panic(fmt.Sprintf("kernel: NewWinogradGradient: %d and %d channels", in, out))
	}
	return &WinogradGradient{tiling: NewTiling(l, tile), in: in, out: out}
}

// groupTiles is the number of tiles of a group.
func (g *WinogradGradient) groupTiles() int {
	return min(groupBoards, g.tiling.layout.Boards) * g.tiling.Board
}

func (g *WinogradGradient) inputPoint() int    { return g.groupTiles()*(g.in+gradientPad) + pointPad }
func (g *WinogradGradient) gradientPoint() int { return g.groupTiles()*(g.out+gradientPad) + pointPad }

// Run sets dw[9][in][out] as WeightGradient.Run does. Every sum has a fixed
// order, so the result does not depend on threads.
func (g *WinogradGradient) Run(s *GradientScratch, dw, x, dz []float32, threads int) {
	l, points := g.tiling.layout, g.tiling.tile.Points()
	if len(x) < l.Pixels*g.in || len(dz) < l.Pixels*g.out || len(dw) != 9*g.in*g.out {
		panic("kernel: WinogradGradient: lengths do not match the layer")
	}
	grow := func(have []float32, n int) []float32 {
		if len(have) < n {
			have = aligned(n)
		}
		return have
	}
	s.inputs, s.gradients = grow(s.inputs, points*g.inputPoint()), grow(s.gradients, points*g.gradientPoint())
	s.sums = grow(s.sums, points*g.in*g.out)
	clear(s.sums[:points*g.in*g.out])
	for from := 0; from < l.Boards; from += groupBoards {
		boards := min(groupBoards, l.Boards-from)
		base, tiles := from*g.tiling.Board, boards*g.tiling.Board
		const part = 4 // boards a task
		Parallel(threads, (boards+part-1)/part, func(i int) {
			g.toPoints(s, x, dz, base, i*part*g.tiling.Board, min((i+1)*part, boards)*g.tiling.Board)
		})
		Parallel(threads, points, func(p int) {
			for at := 0; at < tiles; at += gradientTiles {
				g.correlate(s, p, at, min(at+gradientTiles, tiles))
			}
		})
	}
	const lines = 16 // input channels a task
	Parallel(threads, (g.in+lines-1)/lines, func(k int) {
		scratch := aligned(maxPoints * 8)
		for i := k * lines; i < min((k+1)*lines, g.in); i++ {
			g.fromPoints(dw, s.sums, i, scratch)
		}
	})
}
