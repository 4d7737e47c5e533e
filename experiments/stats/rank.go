package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// KendallTau is Kendall's τ-b between two rankings of the same items, and the
// two-sided p-value of "unrelated":
//
//	τ = (concordant − discordant) / √((n₀ − ties in a)(n₀ − ties in b)),  n₀ = n(n−1)/2
//
// 1 for the same order, −1 for the reverse. Without ties and up to 60 items p is
// exact; else normal with the variance for ties. M. G. Kendall, Rank Correlation
// Methods, 4th ed. 1970, chapters 3 to 5. NaN with fewer than two items or if one
// ranking is all ties; slices of different lengths or NaN values panic.
func KendallTau(a, b []float64) (tau, p float64) {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: rankings of %d and %d items", len(a), len(b)))
	}
	n := len(a)
	var concordant, discordant, tiesA, tiesB int
	for i := range n {
		if math.IsNaN(a[i]) || math.IsNaN(b[i]) {
			panic("stats: a rank of NaN")
		}
		for j := range i {
			x, y := compare(a[i], a[j]), compare(b[i], b[j])
			switch {
			case x == 0 || y == 0:
			case x == y:
				concordant++
			default:
				discordant++
			}
			if x == 0 {
				tiesA++
			}
			if y == 0 {
				tiesB++
			}
		}
	}
	all := n * (n - 1) / 2
	if all-tiesA == 0 || all-tiesB == 0 {
		return math.NaN(), math.NaN()
	}
	tau = clamp(float64(concordant-discordant)/math.Sqrt(float64(all-tiesA)*float64(all-tiesB)), -1, 1)
	if tiesA == 0 && tiesB == 0 && n <= 60 {
		// The distribution of the number of discordant pairs, item by item: the i-th
		// adds 0 … i of them, each equally likely.
		chance := []float64{1}
		for i := 1; i < n; i++ {
			next := make([]float64, len(chance)+i)
			for d, c := range chance {
				for add := range i + 1 {
					next[d+add] += c / float64(i+1)
				}
			}
			chance = next
		}
		for _, c := range chance[:min(concordant, discordant)+1] {
			p += c
		}
		return tau, math.Min(1, 2*p)
	}
	// Sums over groups of ties.
	groups := func(x []float64) (t0, t1, t2 float64) {
		s := slices.Sorted(slices.Values(x))
		for i := 0; i < n; {
			j := i
			for j < n && s[j] == s[i] {
				j++
			}
			t := float64(j - i)
			t0 += t * (t - 1)
			t1 += t * (t - 1) * (t - 2)
			t2 += t * (t - 1) * (2*t + 5)
			i = j
		}
		return t0, t1, t2
	}
	a0, a1, a2 := groups(a)
	b0, b1, b2 := groups(b)
	m := float64(n)
	v := (m*(m-1)*(2*m+5)-a2-b2)/18 + a0*b0/(2*m*(m-1))
	if n > 2 {
		v += a1 * b1 / (9 * m * (m - 1) * (m - 2))
	}
	z := float64(concordant-discordant) / math.Sqrt(v)
	return tau, math.Min(1, 2*distuv.UnitNormal.CDF(-math.Abs(z)))
}

func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// Stability is how well two rankings of the same items agree.
type Stability struct {
	// Observed is [KendallTau] of the estimates and P its p-value.
	Observed, P float64
	// Tau is for the true values: the posterior mean of τ with its interval.
	Tau Interval
}

// RankStability compares the rankings of the same rulesets at two budgets, a and b
// with their standard errors. Noise alone makes observed rankings disagree, and can
// make them agree; Tau is therefore τ between draws of the true values from the
// posterior of [Shrink]'s model, one for each budget. Where the errors are larger
// than the spread its interval is wide and lies around 0: then nothing is known
// about the order, not even that it changes. Errors as in [Shrink].
func RankStability(a, seA, b, seB []float64, level float64, draws int, rng *rand.Rand) (Stability, error) {
	checkLevel(level)
	if len(a) != len(b) || draws < 1 {
		panic(fmt.Sprintf("stats: rankings of %d and %d items, %d draws", len(a), len(b), draws))
	}
	ha, err := newHierarchy(a, seA)
	if err != nil {
		return Stability{}, fmt.Errorf("first ranking: %w", err)
	}
	hb, err := newHierarchy(b, seB)
	if err != nil {
		return Stability{}, fmt.Errorf("second ranking: %w", err)
	}
	var out Stability
	out.Observed, out.P = KendallTau(a, b)
	x, y := make([]float64, len(a)), make([]float64, len(b))
	ca, cb := ha.cumulative(), hb.cumulative()
	taus := make([]float64, draws)
	mean := 0.0
	all := float64(len(a) * (len(a) - 1) / 2)
	for d := range taus {
		ha.draw(x, ca, rng)
		hb.draw(y, cb, rng)
		s := 0
		for i := range x {
			for j := range i {
				s += compare(x[i], x[j]) * compare(y[i], y[j])
			}
		}
		taus[d] = float64(s) / all
		mean += taus[d] / float64(draws)
	}
	slices.Sort(taus)
	q := (1 - level) / 2
	out.Tau = Interval{mean, Quantile(taus, q), Quantile(taus, 1-q), level, len(a), "kendall-posterior"}
	return out, nil
}
