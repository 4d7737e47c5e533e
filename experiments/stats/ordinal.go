package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ProportionalOdds is the ordinal model for games' outcomes, from the worst (0) to
// the best, as 0 loss, 1 draw, 2 win:
//
//	logit P(outcome ≤ j) = θ_j − x'β
//
// so that exp(β) multiplies the odds of a better outcome wherever the line is drawn
// (P. McCullagh, Journal of the Royal Statistical Society B 42 (1980) 109). Capped
// games have no place in the order: leave them out and say how many. The likelihood
// is log-concave (J. W. Pratt, Journal of the American Statistical Association 76
// (1981) 103) and maximised by Newton's method; an outcome between others that did
// not occur is left out.
//
// The covariance is robust to clusters, with G/(G−1) Σ_g s_g s_g' between two inverse
// informations, s_g the score of a cluster (Liang and Zeger 1986); intervals and P
// are Student's t on G − 1 degrees of freedom. cluster[i] is any number that the
// games of a cluster share (the start pair: its games are mirrored twins, and all
// cells play the same starts); nil takes each game as one. Where an outcome is rare at
// some setting the robust error rests on few games: an [Effect.ModelSE] far above its
// SE is a warning.
//
// Where the data have no finite estimate (all games at some settings ended at one
// extreme) the effect says so: see [Effect.Separated]. Errors: [ErrAliased],
// [ErrOneOutcome], [ErrFewClusters], values that are not finite. A negative outcome
// panics.
func ProportionalOdds(outcome []int, columns []Column, cluster []int, level float64) (Regression, error) {
	return cumulative(outcome, columns, cluster, level, "proportional-odds")
}

// Logistic is the logistic regression of who won the decisive games,
//
//	logit P(won) = constant + x'β,
//
// as a check of [ProportionalOdds] that does not depend on what draws mean. It is
// that model with two outcomes, with the same errors and the same care.
func Logistic(won []bool, columns []Column, cluster []int, level float64) (Regression, error) {
	outcome := make([]int, len(won))
	for i, w := range won {
		if w {
			outcome[i] = 1
		}
	}
	r, err := cumulative(outcome, columns, cluster, level, "logistic")
	if err == nil {
		r.Constants[0] = -r.Constants[0]
	}
	return r, err
}

// ordinalFit maximises the likelihood of the cumulative model. Parameters are the
// cuts θ and then the coefficients β.
type ordinalFit struct {
	*prepared
	outcome []int
	cuts    int
}

// ridge is a penalty on β in units of columns' standard deviations that makes the
// maximum finite under separation; a regular one moves by some 1e-9 of itself.
const ridge = 1e-8

// separatedSE is a standard error, in log odds a standard deviation of the column,
// that only separation has: with the ridge above it is in the thousands then.
const separatedSE = 100

// logistic is 1/(1 + e^−x).
func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// logLogistic is ln(1/(1 + e^−x)).
func logLogistic(x float64) float64 {
	if x < 0 {
		return x - math.Log1p(math.Exp(x))
	}
	return -math.Log1p(math.Exp(-x))
}

// game has the log-likelihood of game i and its derivatives by the upper cut's
// argument u = θ_j − x'β and the lower one's l = θ_(j−1) − x'β, from
//
//	P = F(u) F(−l) (1 − e^(l−u)).
func (f *ordinalFit) game(i int, par []float64) (ll, gu, gl, huu, hll, hul float64) {
	eta := 0.0
	for k, v := range f.row(i) {
		eta += v * par[f.cuts+k]
	}
	j := f.outcome[i]
	if j < f.cuts {
		u := par[j] - eta
		p := logistic(u)
		ll += logLogistic(u)
		gu = 1 - p
		huu = -p * (1 - p)
	}
	if j > 0 {
		l := par[j-1] - eta
		p := logistic(l)
		ll += logLogistic(-l)
		gl = -p
		hll = -p * (1 - p)
	}
	if j > 0 && j < f.cuts {
		gap := par[j] - par[j-1]
		if !(gap > 0) {
			return math.Inf(-1), 0, 0, 0, 0, 0
		}
		ll += math.Log(-math.Expm1(-gap))
		r := 1 / math.Expm1(gap)
		gu += r
		gl -= r
		huu -= r * (1 + r)
		hll -= r * (1 + r)
		hul = r * (1 + r)
	}
	return ll, gu, gl, huu, hll, hul
}

// objective is the log-likelihood less the ridge.
func (f *ordinalFit) objective(par []float64) float64 {
	sum := 0.0
	for i := range f.n {
		ll, _, _, _, _, _ := f.game(i, par)
		sum += ll
	}
	for k, s := range f.scale {
		b := par[f.cuts+k] * s
		sum -= ridge / 2 * b * b
	}
	return sum
}

// score adds the derivatives of game i's log-likelihood to g.
func (f *ordinalFit) score(i int, par, g []float64) {
	_, gu, gl, _, _, _ := f.game(i, par)
	if j := f.outcome[i]; j < f.cuts {
		g[j] += gu
	}
	if j := f.outcome[i]; j > 0 {
		g[j-1] += gl
	}
	for k, v := range f.row(i) {
		g[f.cuts+k] -= (gu + gl) * v
	}
}

// derivatives are the gradient of the objective and its negative second derivative.
func (f *ordinalFit) derivatives(par []float64) ([]float64, *mat.SymDense) {
	size := f.cuts + f.p
	g := make([]float64, size)
	h := make([]float64, size*size) // upper triangle
	for i := range f.n {
		_, gu, gl, huu, hll, hul := f.game(i, par)
		j, x := f.outcome[i], f.row(i)
		if j < f.cuts {
			g[j] += gu
			h[j*size+j] -= huu
			for k, v := range x {
				h[j*size+f.cuts+k] += (huu + hul) * v
			}
		}
		if j > 0 {
			g[j-1] += gl
			h[(j-1)*size+j-1] -= hll
			for k, v := range x {
				h[(j-1)*size+f.cuts+k] += (hll + hul) * v
			}
			if j < f.cuts {
				h[(j-1)*size+j] -= hul
			}
		}
		all := huu + hll + 2*hul
		for k, v := range x {
			g[f.cuts+k] -= (gu + gl) * v
			at := h[(f.cuts+k)*size+f.cuts:]
			for m := k; m < f.p; m++ {
				at[m] -= all * v * x[m]
			}
		}
	}
	for k, s := range f.scale {
		g[f.cuts+k] -= ridge * s * s * par[f.cuts+k]
		h[(f.cuts+k)*size+f.cuts+k] += ridge * s * s
	}
	return g, mat.NewSymDense(size, h)
}

// maximise finds the maximum from par; fixed ≥ 0 keeps that coefficient as it is.
func (f *ordinalFit) maximise(par []float64, fixed int) ([]float64, float64, error) {
	par = append([]float64(nil), par...)
	next := make([]float64, len(par))
	best := f.objective(par)
	for range 300 {
		g, h := f.derivatives(par)
		if fixed >= 0 {
			at := f.cuts + fixed
			for k := range par {
				h.SetSym(at, k, 0)
			}
			h.SetSym(at, at, 1)
			g[at] = 0
		}
		var chol mat.Cholesky
		if !chol.Factorize(h) {
			return nil, 0, fmt.Errorf("%w: the information is singular", ErrAliased)
		}
		step := make([]float64, len(par))
		v := mat.NewVecDense(len(par), step)
		// A bad condition is what separation looks like, and the ridge bounds it; the
		// solution is there all the same.
		if err := chol.SolveVecTo(v, mat.NewVecDense(len(g), g)); err != nil && !illConditioned(err) {
			return nil, 0, fmt.Errorf("%w: %w", ErrAliased, err)
		}
		decrement := 0.0
		for k := range step {
			decrement += step[k] * g[k]
		}
		if decrement < 1e-13 {
			return par, best, nil
		}
		improved := false
		for scale := 1.0; scale > 1e-8; scale /= 2 {
			for k := range par {
				next[k] = par[k] + scale*step[k]
			}
			if o := f.objective(next); o > best {
				best, improved = o, true
				copy(par, next)
				break
			}
		}
		if !improved { // rounding hides what is left to gain
			return par, best, nil
		}
	}
	return nil, 0, fmt.Errorf("the likelihood has no maximum within 300 steps of Newton's method")
}

func illConditioned(err error) bool {
	var c mat.Condition
	return errors.As(err, &c) && !math.IsInf(float64(c), 1)
}

// newOrdinal checks the outcomes and leaves out those that did not occur.
func newOrdinal(outcome []int, columns []Column, cluster []int) (*ordinalFit, []float64, error) {
	d, err := prepare(len(outcome), columns, cluster)
	if err != nil {
		return nil, nil, err
	}
	top := -1
	for _, o := range outcome {
		if o < 0 {
			panic(fmt.Sprintf("stats: an outcome %d", o))
		}
		top = max(top, o)
	}
	count := map[int]int{}
	for _, o := range outcome {
		count[o]++
	}
	if len(count) < 2 {
		return nil, nil, ErrOneOutcome
	}
	rank := map[int]int{}
	for o, i := 0, 0; o <= top && i < len(count); o++ {
		if count[o] > 0 {
			rank[o] = i
			i++
		}
	}
	f := &ordinalFit{prepared: d, outcome: make([]int, len(outcome)), cuts: len(count) - 1}
	below := make([]float64, len(count))
	for i, o := range outcome {
		f.outcome[i] = rank[o]
		below[rank[o]]++
	}
	if d.clusters <= f.cuts+f.p {
		return nil, nil, fmt.Errorf("%w: %d for %d coefficients", ErrFewClusters, d.clusters, f.cuts+f.p)
	}
	start := make([]float64, f.cuts+f.p)
	sum := 0.0
	for j := range f.cuts {
		sum += below[j] / float64(d.n)
		start[j] = math.Log(sum / (1 - sum))
	}
	return f, start, nil
}

// covariance is the inverse of the information.
func (f *ordinalFit) covariance(par []float64) (*mat.SymDense, error) {
	_, h := f.derivatives(par)
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, fmt.Errorf("%w: the information is singular", ErrAliased)
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil && !illConditioned(err) {
		return nil, fmt.Errorf("%w: %w", ErrAliased, err)
	}
	return &inverse, nil
}

func cumulative(outcome []int, columns []Column, cluster []int, level float64, method string) (Regression, error) {
	checkLevel(level)
	f, start, err := newOrdinal(outcome, columns, cluster)
	if err != nil {
		return Regression{}, err
	}
	par, best, err := f.maximise(start, -1)
	if err != nil {
		return Regression{}, err
	}
	bread, err := f.covariance(par)
	if err != nil {
		return Regression{}, err
	}
	g := float64(f.clusters)
	robust := sandwich(bread, f.meat(len(par), func(i int, s []float64) { f.score(i, par, s) }), g/(g-1))
	r := Regression{Method: method, Constants: append([]float64(nil), par[:f.cuts]...), N: f.n, Clusters: f.clusters,
		LogLikelihood: best, robust: mat.NewSymDense(max(1, f.p), nil)}
	for k, c := range columns {
		at := f.cuts + k
		e := effect(c.Name, par[at], robust.At(at, at), bread.At(at, at), level, f.clusters, method+"-cluster-t")
		if e.ModelSE*f.scale[k] > separatedSE {
			if e, err = f.separated(k, par, best, level); err != nil {
				return Regression{}, err
			}
			e.Name = c.Name
			e.Interval.Method = method + "-profile"
			r.Separated = true
		}
		r.Effects = append(r.Effects, e)
		for l := range columns {
			r.robust.SetSym(k, l, robust.At(at, f.cuts+l))
		}
	}
	return r, nil
}

// separated is an effect without a finite estimate: the bound towards zero and the
// p-value by the ratio of likelihoods, divided by the games a cluster.
func (f *ordinalFit) separated(k int, par []float64, best, level float64) (Effect, error) {
	at := f.cuts + k
	shrink := float64(f.clusters) / float64(f.n)
	var failed error
	ratio := func(b float64) float64 {
		from := append([]float64(nil), par...)
		// From the unrestricted maximum the other coefficients would start far out.
		for i := range from[f.cuts:] {
			from[f.cuts+i] = 0
		}
		copy(from, f.flat())
		from[at] = b
		_, ll, err := f.maximise(from, k)
		if err != nil {
			failed = err
			return 0
		}
		return 2 * (best - ll) * shrink
	}
	sign := 1.0
	if par[at] < 0 {
		sign = -1
	}
	t := tOf(level, float64(f.clusters-1))
	at0 := ratio(0)
	// The ratio falls to 0 towards the estimate at infinity: bracket it from there.
	far := par[at]
	near := -sign * 20 / f.scale[k]
	bound := root(func(b float64) float64 { return ratio(b) - t*t }, near, far, 1e-6/f.scale[k])
	if failed != nil {
		return Effect{}, failed
	}
	e := Effect{SE: math.Inf(1), ModelSE: math.Inf(1), Separated: true,
		P:        2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(f.clusters - 1)}.CDF(-math.Sqrt(math.Max(0, at0))),
		Interval: Interval{math.Inf(int(sign)), bound, math.Inf(1), level, f.clusters, ""}}
	if sign < 0 {
		e.Interval.Low, e.Interval.High = math.Inf(-1), bound
	}
	return e, nil
}

// flat are the cuts that fit without columns.
func (f *ordinalFit) flat() []float64 {
	count := make([]float64, f.cuts+1)
	for _, o := range f.outcome {
		count[o]++
	}
	cuts := make([]float64, f.cuts)
	sum := 0.0
	for j := range cuts {
		sum += count[j] / float64(f.n)
		cuts[j] = math.Log(sum / (1 - sum))
	}
	return cuts
}

// Proportionality tests the assumption of [ProportionalOdds], that a column moves
// every threshold alike: the coefficients of the separate logistic regressions of
// "better than j" are compared for all j with those for j = 0 (R. Brant, Biometrics
// 46 (1990) 1171), with their joint covariance robust to clusters and, since that is
// estimated, the F distribution of Hotelling's T² for r differences and G clusters,
// T² (G−r)/(r(G−1)) on (r, G−r) degrees of freedom. A small P says
// that one odds ratio does not tell the whole story, as when a rule makes more draws
// but favours nobody; then look at the shares of the outcomes. With two outcomes
// there is nothing to test: F and P are NaN. Errors as in [ProportionalOdds], and
// [ErrSeparated].
func Proportionality(outcome []int, columns []Column, cluster []int) (Joint, error) {
	f, _, err := newOrdinal(outcome, columns, cluster)
	if err != nil {
		return Joint{}, err
	}
	if f.cuts < 2 || f.p == 0 {
		return Joint{math.NaN(), 0, float64(f.clusters - 1), math.NaN()}, nil
	}
	// influence[cut][cluster·p + k] is what a cluster adds to coefficient k.
	estimates := make([][]float64, f.cuts)
	influence := make([][]float64, f.cuts)
	for j := range f.cuts {
		b := &ordinalFit{prepared: f.prepared, outcome: make([]int, f.n), cuts: 1}
		for i, o := range f.outcome {
			if o > j {
				b.outcome[i] = 1
			}
		}
		start := make([]float64, 1+f.p)
		copy(start, b.flat())
		par, _, err := b.maximise(start, -1)
		if err != nil {
			return Joint{}, err
		}
		bread, err := b.covariance(par)
		if err != nil {
			return Joint{}, err
		}
		for k, s := range f.scale {
			if math.Sqrt(bread.At(1+k, 1+k))*s > separatedSE {
				return Joint{}, fmt.Errorf("%w: %s", ErrSeparated, columns[k].Name)
			}
		}
		estimates[j] = par[1:]
		sums := make([]float64, f.clusters*(1+f.p))
		for i := range f.n {
			b.score(i, par, sums[f.cluster[i]*(1+f.p):(f.cluster[i]+1)*(1+f.p)])
		}
		var out mat.Dense
		out.Mul(mat.NewDense(f.clusters, 1+f.p, sums), bread)
		influence[j] = make([]float64, f.clusters*f.p)
		for c := range f.clusters {
			for k := range f.p {
				influence[j][c*f.p+k] = out.At(c, 1+k)
			}
		}
	}
	size := (f.cuts - 1) * f.p
	difference := mat.NewVecDense(size, nil)
	rows := mat.NewDense(f.clusters, size, nil)
	for j := 1; j < f.cuts; j++ {
		for k := range f.p {
			difference.SetVec((j-1)*f.p+k, estimates[j][k]-estimates[0][k])
			for c := range f.clusters {
				rows.Set(c, (j-1)*f.p+k, influence[j][c*f.p+k]-influence[0][c*f.p+k])
			}
		}
	}
	v := mat.NewSymDense(size, nil)
	g := float64(f.clusters)
	v.SymOuterK(g/(g-1), rows.T())
	j, err := wald(difference, v, f.clusters)
	if err != nil {
		return Joint{}, err
	}
	j.DF2 = float64(f.clusters - size)
	j.F *= j.DF2 / (g - 1)
	j.P = fTail(j.F, j.DF1, j.DF2)
	return j, nil
}
