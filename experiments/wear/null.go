package wear

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Null says what wear by chance would look like.
type Null string

// The nulls; the package's documentation says which to believe.
const (
	// Smooth keeps how smooth the map is: Gaussian random fields as smooth as the map,
	// with the map's weights put into their order.
	Smooth Null = "smooth"
	// Classes shuffles the map over the symmetry classes of the board's shape.
	Classes Null = "classes"
	// Shuffled shuffles the single places.
	Shuffled Null = "places"
)

// Nulls lists them, the one to believe first.
func Nulls() []Null { return []Null{Smooth, Classes, Shuffled} }

// maker makes maps as a null would have them.
type maker interface {
	// make writes a map into dst.
	make(dst []float64, rng *rand.Rand)
}

func (m *Map) maker(n Null, w []float64) (maker, error) {
	switch n {
	case Smooth:
		s, err := m.smoothness()
		if err != nil {
			return nil, err
		}
		return s.like(w), nil
	case Classes:
		return m.blocks(w), nil
	}
	return places(w), nil
}

// places is the plain shuffle.
type places []float64

func (p places) make(dst []float64, rng *rand.Rand) {
	copy(dst, p)
	rng.Shuffle(len(dst), func(i, j int) { dst[i], dst[j] = dst[j], dst[i] })
}

// blocks exchanges whole symmetry classes of equally many scored places.
type blocks struct {
	weights []float64
	// groups[g] are the classes that may change places, each a list of cells.
	groups [][][]int
}

func (m *Map) blocks(w []float64) blocks {
	at := map[[2]int]int{}
	for i, c := range m.Cells {
		at[[2]int{c.A, c.B}] = i
	}
	var classes [][]int
	done := make([]bool, len(m.Cells))
	for i, c := range m.Cells {
		if done[i] {
			continue
		}
		var class []int
		for _, s := range shapes {
			if !s.fits(m.Rows, m.Cols, m.Rows, m.Cols) {
				continue
			}
			if k, ok := at[s.cell(c, m.Rows, m.Cols)]; ok && !done[k] {
				done[k] = true
				class = append(class, k)
			}
		}
		classes = append(classes, class)
	}
	slices.SortStableFunc(classes, func(a, b []int) int { return len(a) - len(b) })
	b := blocks{weights: w}
	for i, c := range classes {
		if i == 0 || len(c) != len(classes[i-1]) {
			b.groups = append(b.groups, nil)
		}
		g := &b.groups[len(b.groups)-1]
		*g = append(*g, c)
	}
	return b
}

func (b blocks) make(dst []float64, rng *rand.Rand) {
	for _, g := range b.groups {
		order := rng.Perm(len(g))
		for i, from := range order {
			inner := rng.Perm(len(g[i]))
			for k, cell := range g[i] {
				dst[cell] = b.weights[g[from][inner[k]]]
			}
		}
	}
}

// smoothness are the models of smoothness that a map is held against: Gaussian random
// fields over the places, each with its kernel, its reach (the correlation length in
// squares) and its share of noise that no neighbour shares.
type smoothness struct {
	models []smoothModel
}

type smoothModel struct {
	factor *mat.Cholesky // of the correlation matrix; nil for pure noise
	lower  *mat.TriDense
	ones   *mat.VecDense // inverse of the matrix times a vector of ones
	sum    float64       // of ones
	logDet float64
}

// maxFloats bounds the memory of the models' matrices.
const maxFloats = 24 << 20

// centre is the middle of a place, in squares.
func (m *Map) centre(c Cell) (row, col float64) {
	row, col = float64(c.A/m.Cols), float64(c.A%m.Cols)
	if c.B >= 0 {
		row, col = (row+float64(c.B/m.Cols))/2, (col+float64(c.B%m.Cols))/2
	}
	return row, col
}

func (m *Map) smoothness() (*smoothness, error) {
	n := len(m.Cells)
	reaches, noises := []float64{0.7, 1, 1.5, 2.2, 3.3, 5}, []float64{0.03, 0.15, 0.4, 0.7}
	if 2*2*len(reaches)*len(noises)*n*n > maxFloats {
		reaches, noises = []float64{1, 2, 4}, []float64{0.05, 0.4}
	}
	kernels := []func(d float64) float64{
		func(d float64) float64 { return math.Exp(-d) },
		func(d float64) float64 { return math.Exp(-d * d / 2) },
	}
	s := &smoothness{models: []smoothModel{{ones: mat.NewVecDense(n, nil), sum: float64(n)}}}
	for i := range n {
		s.models[0].ones.SetVec(i, 1)
	}
	for _, kernel := range kernels {
		for _, reach := range reaches {
			for _, noise := range noises {
				r := mat.NewSymDense(n, nil)
				for i, a := range m.Cells {
					ra, ca := m.centre(a)
					r.SetSym(i, i, 1)
					for j, b := range m.Cells[:i] {
						rb, cb := m.centre(b)
						r.SetSym(i, j, (1-noise)*kernel(math.Hypot(ra-rb, ca-cb)/reach))
					}
				}
				x := smoothModel{factor: new(mat.Cholesky), lower: new(mat.TriDense), ones: new(mat.VecDense)}
				if !x.factor.Factorize(r) {
					return nil, fmt.Errorf("the %d places of the map cannot be modelled as a smooth field", n)
				}
				x.factor.LTo(x.lower)
				if err := x.factor.SolveVecTo(x.ones, s.models[0].ones); err != nil {
					return nil, fmt.Errorf("the %d places of the map cannot be modelled as a smooth field: %w", n, err)
				}
				x.logDet = x.factor.LogDet()
				for i := range n {
					x.sum += x.ones.AtVec(i)
				}
				s.models = append(s.models, x)
			}
		}
	}
	return s, nil
}

// logLikelihood is the restricted log likelihood of normal scores z under the model, its
// mean and variance left free.
func (x *smoothModel) logLikelihood(z *mat.VecDense) float64 {
	n := z.Len()
	iz := z
	if x.factor != nil {
		iz = new(mat.VecDense)
		if err := x.factor.SolveVecTo(iz, z); err != nil {
			return math.Inf(-1)
		}
	}
	mean := mat.Dot(x.ones, z) / x.sum
	square := mat.Dot(z, iz) - mean*mean*x.sum
	if !(square > 0) {
		return math.Inf(-1)
	}
	return -0.5*float64(n-1)*math.Log(square) - 0.5*x.logDet - 0.5*math.Log(x.sum)
}

// fields draws maps that are as smooth as one map.
type fields struct {
	s      *smoothness
	chance []float64 // cumulated weights of the models
	sorted []float64
	order  []int
	noise  *mat.VecDense
	wave   *mat.VecDense
}

// like weighs the models by how well they explain a map (equal weights before), so that
// what the map leaves open about its smoothness stays open in the draws.
func (s *smoothness) like(w []float64) *fields {
	n := len(w)
	f := &fields{s: s, sorted: slices.Clone(w), order: make([]int, n), noise: mat.NewVecDense(n, nil), wave: mat.NewVecDense(n, nil)}
	slices.Sort(f.sorted)
	z := mat.NewVecDense(n, normalScores(w))
	best := math.Inf(-1)
	var ll []float64
	for i := range s.models {
		l := s.models[i].logLikelihood(z)
		ll, best = append(ll, l), max(best, l)
	}
	sum := 0.0
	for _, l := range ll {
		sum += math.Exp(l - best)
		f.chance = append(f.chance, sum)
	}
	for i := range f.chance {
		f.chance[i] /= sum
	}
	return f
}

// normalScores are the quantiles of a normal distribution at the ranks of w (mean ranks
// for ties).
func normalScores(w []float64) []float64 {
	n := float64(len(w))
	r := midRanks(w)
	for i := range r {
		r[i] = distuv.UnitNormal.Quantile((r[i] + 0.5) / n)
	}
	return r
}

// make draws a map with the same weights.
func (f *fields) make(dst []float64, rng *rand.Rand) {
	k := min(sort.SearchFloat64s(f.chance, rng.Float64()), len(f.chance)-1)
	for i := range dst {
		f.noise.SetVec(i, rng.NormFloat64())
	}
	wave := f.noise
	if x := f.s.models[k]; x.lower != nil {
		f.wave.MulVec(x.lower, f.noise)
		wave = f.wave
	}
	z := wave.RawVector().Data
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortStableFunc(f.order, func(a, b int) int { return cmp.Compare(z[a], z[b]) })
	for rank, cell := range f.order {
		dst[cell] = f.sorted[rank]
	}
}
