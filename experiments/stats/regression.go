package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// Errors of the regressions. They are about the data; the text says which columns.
var (
	// ErrAliased: a column is a combination of others (or does not vary), so that
	// its effect cannot be told from theirs.
	ErrAliased = errors.New("the effects cannot be told apart")
	// ErrOneOutcome: all games ended alike.
	ErrOneOutcome = errors.New("all games ended alike")
	// ErrFewClusters: there are not more clusters than parameters, so that robust
	// errors do not exist.
	ErrFewClusters = errors.New("too few clusters of games")
	// ErrSeparated: a test asks for an effect without a finite estimate.
	ErrSeparated = errors.New("an effect has no finite estimate")
)

// Effect is a coefficient of a regression.
type Effect struct {
	// Name is the column's.
	Name string `json:"name"`
	// Interval is of the coefficient: log odds (natural logarithm) a unit of the
	// column, or score points in [LinearEffects]. N is the number of clusters.
	Interval Interval `json:"interval"`
	// SE is the error robust to clusters, ModelSE the one for independent games.
	SE      float64 `json:"se"`
	ModelSE float64 `json:"model_se"`
	// P is the two-sided p-value of "no effect".
	P float64 `json:"p"`
	// Separated is true where the games have no finite estimate: at some settings of
	// the columns all of them ended at the extreme. Then Estimate and one bound are
	// infinite, the other bound and P come from the profile of the likelihood, taken
	// as if each cluster were one game, and SE is +Inf.
	Separated bool `json:"separated,omitempty"`
}

// effectJSON is an Effect with null for numbers that JSON lacks.
type effectJSON struct {
	Name      string   `json:"name"`
	Interval  Interval `json:"interval"`
	SE        *float64 `json:"se"`
	ModelSE   *float64 `json:"model_se"`
	P         float64  `json:"p"`
	Separated bool     `json:"separated,omitempty"`
}

// MarshalJSON writes null for the errors of a separated effect. Its infinite
// estimate is null too; the null bound of the interval says in which direction.
func (e Effect) MarshalJSON() ([]byte, error) {
	return json.Marshal(effectJSON{e.Name, e.Interval, finite(e.SE), finite(e.ModelSE), e.P, e.Separated})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Effect) UnmarshalJSON(b []byte) error {
	var v effectJSON
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*e = Effect{v.Name, v.Interval, math.Inf(1), math.Inf(1), v.P, v.Separated}
	if v.SE != nil {
		e.SE = *v.SE
	}
	if v.ModelSE != nil {
		e.ModelSE = *v.ModelSE
	}
	if e.Separated {
		e.Interval.Estimate = math.Inf(1)
		if math.IsInf(e.Interval.Low, -1) {
			e.Interval.Estimate = math.Inf(-1)
		}
	}
	return nil
}

// OddsRatio is the effect as a factor of the odds of a better outcome.
func (e Effect) OddsRatio() Interval {
	i := e.Interval
	return Interval{math.Exp(i.Estimate), math.Exp(i.Low), math.Exp(i.High), i.Level, i.N, i.Method + "-odds-ratio"}
}

// Regression is a fitted model.
type Regression struct {
	// Method is "proportional-odds", "logistic" or "linear".
	Method string `json:"method"`
	// Constants are the thresholds θ of the proportional-odds model, one for each
	// step between outcomes that occurred, or the intercept of the other two.
	Constants []float64 `json:"constants"`
	// Effects are in the order of the columns.
	Effects []Effect `json:"effects"`
	// LogLikelihood is of the games as independent; of a linear model that of normal
	// errors.
	LogLikelihood float64 `json:"log_likelihood"`
	// N and Clusters count games and clusters.
	N        int `json:"n"`
	Clusters int `json:"clusters"`
	// Separated is true if any effect is.
	Separated bool `json:"separated,omitempty"`

	robust *mat.SymDense // of the effects
}

// Joint is a test of several effects at once.
type Joint struct {
	// F has DF1 and DF2 degrees of freedom under "no effect"; P is its p-value.
	F, DF1, DF2, P float64
}

// MarshalJSON writes null for NaN, where there was nothing to test.
func (j Joint) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		F   *float64 `json:"f"`
		DF1 float64  `json:"df1"`
		DF2 float64  `json:"df2"`
		P   *float64 `json:"p"`
	}{finite(j.F), j.DF1, j.DF2, finite(j.P)})
}

// Joint tests that all the named effects are zero, as all levels of a factor, by
// Wald's statistic with the robust covariance V over the number of effects r,
//
//	F = β' V⁻¹ β / r  on (r, clusters − 1) degrees of freedom.
//
// A. Wald, Transactions of the American Mathematical Society 54 (1943) 426. An
// unknown name, or a regression that was read from JSON (which leaves the covariance
// out), panics; the error is [ErrSeparated] or [ErrFewClusters].
func (r Regression) Joint(names ...string) (Joint, error) {
	if r.robust == nil {
		panic("stats: a joint test of a regression without its covariance")
	}
	var at []int
	for _, n := range names {
		found := false
		for i, e := range r.Effects {
			if e.Name == n {
				if e.Separated {
					return Joint{}, fmt.Errorf("%w: %s", ErrSeparated, n)
				}
				at, found = append(at, i), true
			}
		}
		if !found {
			panic(fmt.Sprintf("stats: no effect is called %q", n))
		}
	}
	b := mat.NewVecDense(len(at), nil)
	v := mat.NewSymDense(len(at), nil)
	for i, k := range at {
		b.SetVec(i, r.Effects[k].Interval.Estimate)
		for j, l := range at {
			v.SetSym(i, j, r.robust.At(k, l))
		}
	}
	return wald(b, v, r.Clusters)
}

func wald(b *mat.VecDense, v *mat.SymDense, clusters int) (Joint, error) {
	var chol mat.Cholesky
	var x mat.VecDense
	if !chol.Factorize(v) || chol.SolveVecTo(&x, b) != nil {
		return Joint{}, fmt.Errorf("%w: %d of them for a test of %d effects", ErrFewClusters, clusters, b.Len())
	}
	j := Joint{F: mat.Dot(b, &x) / float64(b.Len()), DF1: float64(b.Len()), DF2: float64(clusters - 1)}
	j.P = fTail(j.F, j.DF1, j.DF2)
	return j, nil
}

// fTail is P(F > f); gonum's survival function is 1 − CDF and loses small ones.
func fTail(f, df1, df2 float64) float64 {
	return mathext.RegIncBeta(df2/2, df1/2, df2/(df2+df1*f))
}

// prepared is what the regressions have in common: games as rows and their clusters.
type prepared struct {
	n, p     int
	rows     []float64 // n × p
	scale    []float64 // each column's standard deviation
	cluster  []int     // 0 … clusters−1
	clusters int
}

func (d *prepared) row(i int) []float64 { return d.rows[i*d.p : (i+1)*d.p] }

// prepare checks the columns: lengths (a panic), finite values, and that none is a
// combination of the others and a constant.
func prepare(n int, columns []Column, cluster []int) (*prepared, error) {
	if cluster != nil && len(cluster) != n {
		panic(fmt.Sprintf("stats: %d games with %d clusters' numbers", n, len(cluster)))
	}
	d := &prepared{n: n, p: len(columns), rows: make([]float64, n*len(columns)), scale: make([]float64, len(columns)), cluster: make([]int, n)}
	known := map[int]int{}
	for i := range n {
		c := i
		if cluster != nil {
			c = cluster[i]
		}
		at, seen := known[c]
		if !seen {
			at = len(known)
			known[c] = at
		}
		d.cluster[i] = at
	}
	d.clusters = len(known)
	// Gram–Schmidt, with the constant as the first vector: what a column keeps of
	// its length is what is its own.
	var basis [][]float64
	for k, c := range columns {
		if len(c.Values) != n {
			panic(fmt.Sprintf("stats: %d games with %d values of %s", n, len(c.Values), c.Name))
		}
		for i, v := range c.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("column %s: game %d has the value %v", c.Name, i, v)
			}
			d.rows[i*d.p+k] = v
		}
		mean, variance := meanVar(c.Values)
		if n < 2 || !(variance > 1e-20*math.Max(1e-280, mean*mean)) {
			return nil, fmt.Errorf("%w: %s does not vary", ErrAliased, c.Name)
		}
		d.scale[k] = math.Sqrt(variance)
		rest := make([]float64, n)
		for i, v := range c.Values {
			rest[i] = (v - mean) / d.scale[k]
		}
		for range 2 { // twice is enough against rounding
			for _, b := range basis {
				dot := 0.0
				for i := range rest {
					dot += rest[i] * b[i]
				}
				for i := range rest {
					rest[i] -= dot * b[i]
				}
			}
		}
		norm := 0.0
		for _, v := range rest {
			norm += v * v
		}
		norm = math.Sqrt(norm)
		if norm < 1e-7*math.Sqrt(float64(n)) {
			var with []string
			for _, o := range columns[:k] {
				with = append(with, o.Name)
			}
			return nil, fmt.Errorf("%w: %s is a combination of %s", ErrAliased, c.Name, strings.Join(with, ", "))
		}
		for i := range rest {
			rest[i] /= norm
		}
		basis = append(basis, rest)
	}
	return d, nil
}

// meat is the sum over clusters of the square of the summed scores; score writes
// game i's into g.
func (d *prepared) meat(size int, score func(i int, g []float64)) *mat.SymDense {
	sums := make([]float64, d.clusters*size)
	g := make([]float64, size)
	for i := range d.n {
		clear(g)
		score(i, g)
		at := sums[d.cluster[i]*size:]
		for k, v := range g {
			at[k] += v
		}
	}
	m := mat.NewSymDense(size, nil)
	m.SymOuterK(1, mat.NewDense(d.clusters, size, sums).T())
	return m
}

// sandwich is bread · meat · bread times a factor.
func sandwich(bread, meat *mat.SymDense, factor float64) *mat.SymDense {
	var x mat.Dense
	x.Product(bread, meat, bread)
	out := mat.NewSymDense(bread.SymmetricDim(), nil)
	for i := range bread.SymmetricDim() {
		for j := i; j < bread.SymmetricDim(); j++ {
			out.SetSym(i, j, factor*(x.At(i, j)+x.At(j, i))/2)
		}
	}
	return out
}

// effect fills in an estimate with its errors.
func effect(name string, b, robust, model, level float64, clusters int, method string) Effect {
	e := Effect{Name: name, SE: math.Sqrt(math.Max(0, robust)), ModelSE: math.Sqrt(model)}
	// Clusters whose games always add up to the same say nothing about how they
	// would vary; that is not certainty.
	if e.SE < 1e-6*e.ModelSE {
		e.SE = e.ModelSE
	}
	df := float64(clusters - 1)
	half := tOf(level, df) * e.SE
	e.Interval = Interval{b, b - half, b + half, level, clusters, method}
	e.P = 1
	if b != 0 {
		e.P = twoSided(b/e.SE, df)
	}
	return e
}

// LinearEffects is the regression of scores (one a game, or one a pair) on columns
// by least squares, whose coefficients are score points: the plainest reading of a
// factorial. Errors are robust to clusters (and so to unequal variances):
//
//	V = G/(G−1) · (N−1)/(N−k) · (X'X)⁻¹ (Σ_g X_g' e_g e_g' X_g) (X'X)⁻¹
//
// with Student's t on G − 1 degrees of freedom, for G clusters, N rows and k
// coefficients with the constant. Where the columns explain every score exactly
// there is no error to estimate; then the interval allows for a share of clusters
// that were not seen, as [PairScore] does, with Method "linear-exact". K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986)
// 13; the factor is Stata's. cluster[i] is any number that the games of a cluster
// (the pairs on one start) share; nil takes each row as one. Errors: [ErrAliased],
// [ErrFewClusters], [ErrOneOutcome], values that are not finite.
func LinearEffects(score []float64, columns []Column, cluster []int, level float64) (Regression, error) {
	checkLevel(level)
	d, err := prepare(len(score), columns, cluster)
	if err != nil {
		return Regression{}, err
	}
	size := d.p + 1
	if d.clusters <= size {
		return Regression{}, fmt.Errorf("%w: %d for %d coefficients", ErrFewClusters, d.clusters, size)
	}
	for i, s := range score {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return Regression{}, fmt.Errorf("game %d scores %v", i, s)
		}
	}
	_, variance := meanVar(score)
	if !(variance > 0) {
		return Regression{}, ErrOneOutcome
	}
	x := mat.NewDense(d.n, size, nil)
	for i := range d.n {
		x.Set(i, 0, 1)
		for k, v := range d.row(i) {
			x.Set(i, k+1, v)
		}
	}
	var qr mat.QR
	qr.Factorize(x)
	var b mat.VecDense
	if err := qr.SolveVecTo(&b, false, mat.NewVecDense(d.n, score)); err != nil {
		return Regression{}, fmt.Errorf("%w: %w", ErrAliased, err)
	}
	var xx, bread mat.SymDense
	xx.SymOuterK(1, x.T())
	var chol mat.Cholesky
	if !chol.Factorize(&xx) || chol.InverseTo(&bread) != nil {
		return Regression{}, ErrAliased
	}
	residual := make([]float64, d.n)
	squares := 0.0
	for i := range d.n {
		residual[i] = score[i] - mat.Dot(x.RowView(i), &b)
		squares += residual[i] * residual[i]
	}
	meat := d.meat(size, func(i int, g []float64) {
		for k := range g {
			g[k] = residual[i] * x.At(i, k)
		}
	})
	n, g := float64(d.n), float64(d.clusters)
	robust := sandwich(&bread, meat, g/(g-1)*(n-1)/(n-float64(size)))
	r := Regression{Method: "linear", Constants: []float64{b.AtVec(0)}, N: d.n, Clusters: d.clusters,
		LogLikelihood: -n / 2 * (math.Log(2*math.Pi*squares/n) + 1), robust: mat.NewSymDense(max(1, d.p), nil)}
	for k, c := range columns {
		e := effect(c.Name, b.AtVec(k+1), robust.At(k+1, k+1), squares/(n-float64(size))*bread.At(k+1, k+1), level, d.clusters, "linear-cluster-t")
		if spread := slices.Max(score) - slices.Min(score); e.ModelSE*d.scale[k] < 1e-7*spread {
			// The columns explain every score. A cluster that does not follow them has
			// a chance of at most u, which moves each of the two means by u · spread.
			u := ClopperPearson(0, d.clusters, level).High
			half := 2 * u * spread / (2 * d.scale[k])
			e.SE, e.ModelSE = half/tOf(level, g-1), half/tOf(level, g-1)
			e.Interval = Interval{e.Interval.Estimate, e.Interval.Estimate - half, e.Interval.Estimate + half, level, d.clusters, "linear-exact"}
			e.P = 1
			if math.Abs(e.Interval.Estimate)*d.scale[k] > 1e-7*spread {
				e.P = math.Min(1, 2*math.Pow(0.5, g))
			}
		}
		r.Effects = append(r.Effects, e)
		for l := range columns {
			r.robust.SetSym(k, l, robust.At(k+1, l+1))
		}
	}
	return r, nil
}
