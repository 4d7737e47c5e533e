package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Survival is a Kaplan–Meier curve of game lengths.
type Survival struct {
	// Time holds the distinct lengths at which games ended, ascending.
	Time []float64
	// AtRisk and Ended count the games still running just before each time and
	// those that ended at it.
	AtRisk, Ended []int
	// S is the share of games longer than each time; SE its standard error by
	// Greenwood's formula.
	S, SE []float64
	// N and Censored count all games and those cut by the cap.
	N, Censored int
}

// KaplanMeier estimates the length distribution when some games were cut by the
// cap. length[i] is the number of plies of game i; ended[i] is false if the cap
// stopped it (its true length is then only known to be longer):
//
//	S(t) = Π_{t_j ≤ t} (1 − d_j/n_j),  Var S(t) = S(t)² Σ d_j/(n_j(n_j − d_j))
//
// E. L. Kaplan and P. Meier, Journal of the American Statistical Association 53
// (1958) 457; M. Greenwood 1926.
func KaplanMeier(length []float64, ended []bool) Survival {
	if len(length) != len(ended) {
		panic(fmt.Sprintf("stats: %d lengths with %d marks", len(length), len(ended)))
	}
	idx := make([]int, len(length))
	for i := range idx {
		idx[i] = i
	}
	slices.SortFunc(idx, func(a, b int) int {
		switch {
		case length[a] < length[b]:
			return -1
		case length[a] > length[b]:
			return 1
		}
		return a - b
	})
	b := newSurvival(len(length))
	for i := 0; i < len(idx); {
		t := length[idx[i]]
		d, c := 0, 0
		j := i
		for ; j < len(idx) && length[idx[j]] == t; j++ {
			if ended[idx[j]] {
				d++
			} else {
				c++
			}
		}
		b.add(t, d, c)
		i = j
	}
	return b.out
}

// KaplanMeierCounts is [KaplanMeier] from counts by length: ended[l] games ended at
// length l and cut[l] were cut off there. Its memory depends on the longest game
// and not on the number of games. Negative counts panic.
func KaplanMeierCounts(ended, cut []int) Survival {
	all := 0
	for _, counts := range [][]int{ended, cut} {
		for _, k := range counts {
			if k < 0 {
				panic("stats: a negative count of games")
			}
			all += k
		}
	}
	b := newSurvival(all)
	for l := range max(len(ended), len(cut)) {
		b.add(float64(l), countAt(ended, l), countAt(cut, l))
	}
	return b.out
}

func countAt(counts []int, l int) int {
	if l < len(counts) {
		return counts[l]
	}
	return 0
}

// survivalBuilder makes the curve length by length.
type survivalBuilder struct {
	out    Survival
	s, g   float64
	atRisk int
}

func newSurvival(n int) *survivalBuilder {
	return &survivalBuilder{out: Survival{N: n}, s: 1, atRisk: n}
}

// add takes the games that ended and those that were cut off at t.
func (b *survivalBuilder) add(t float64, ended, cut int) {
	if ended > 0 {
		n, d := float64(b.atRisk), float64(ended)
		b.s *= 1 - d/n
		if n > d {
			b.g += d / (n * (n - d))
		}
		b.out.Time = append(b.out.Time, t)
		b.out.AtRisk = append(b.out.AtRisk, b.atRisk)
		b.out.Ended = append(b.out.Ended, ended)
		b.out.S = append(b.out.S, b.s)
		b.out.SE = append(b.out.SE, b.s*math.Sqrt(b.g))
	}
	b.out.Censored += cut
	b.atRisk -= ended + cut
}

// At is the share of games longer than t.
func (s Survival) At(t float64) float64 {
	v := 1.0
	for i, ti := range s.Time {
		if ti > t {
			break
		}
		v = s.S[i]
	}
	return v
}

// Quantile is the shortest length t with S(t) ≤ 1 − q, that is the length by
// which a share q of the games had ended; +Inf if the cap hides it.
func (s Survival) Quantile(q float64) float64 {
	for i, v := range s.S {
		// The curve is a product of floats; a median that falls on 1/2 exactly
		// must not be missed by the last bit.
		if v <= 1-q+1e-12 {
			return s.Time[i]
		}
	}
	return math.Inf(1)
}

// RestrictedMean is the mean length up to the horizon tau, the area under the
// curve from 0 to tau, with a normal interval from
//
//	Var = Σ_{t_j ≤ tau} A_j² d_j/(n_j(n_j − d_j)),  A_j = area from t_j to tau
//
// (J. P. Klein and M. L. Moeschberger, Survival Analysis, 2nd ed. 2003, section
// 4.5). It is the honest "mean length" under a cap: with tau = cap it says how
// long games last when watched for at most the cap, and needs no guess about what
// lies beyond.
func (s Survival) RestrictedMean(tau, level float64) Interval {
	checkLevel(level)
	if s.N == 0 {
		return Interval{math.NaN(), 0, tau, level, 0, "restricted-mean"}
	}
	area, se := s.restricted(tau)
	half := zOf(level) * se
	return Interval{area, math.Max(0, area-half), math.Min(tau, area+half), level, s.N, "restricted-mean"}
}

// Band is the pointwise interval of S at the i-th time on the complementary
// log-log scale, S^exp(±z·σ) with σ = SE/(S |ln S|), which stays in [0, 1]
// (Kalbfleisch and Prentice 1980). Where S is 0 or 1 it has no width.
func (s Survival) Band(i int, level float64) (low, high float64) {
	p, se := s.S[i], s.SE[i]
	if p <= 0 || p >= 1 {
		return p, p
	}
	e := zOf(level) * se / (p * math.Abs(math.Log(p)))
	return math.Pow(p, math.Exp(e)), math.Pow(p, math.Exp(-e))
}

// restricted is the restricted mean and its standard error.
func (s Survival) restricted(tau float64) (mean, se float64) {
	area, prev, cur := 0.0, 0.0, 1.0
	k := 0
	for k < len(s.Time) && s.Time[k] <= tau {
		area += cur * (s.Time[k] - prev)
		prev, cur = s.Time[k], s.S[k]
		k++
	}
	area += cur * (tau - prev)
	var v, tail float64
	end := tau
	for j := k - 1; j >= 0; j-- {
		tail += s.S[j] * (end - s.Time[j])
		end = s.Time[j]
		n, d := float64(s.AtRisk[j]), float64(s.Ended[j])
		if n > d {
			v += tail * tail * d / (n * (n - d))
		}
	}
	return area, math.Sqrt(v)
}

// RestrictedMeanDifference compares the restricted means up to tau of two
// independent cells, a − b, with a normal interval from both standard errors (P.
// Royston and M. K. B. Parmar, BMC Medical Research Methodology 13 (2013) 152). For
// cells on common starts, where no game was cut off before tau, compare
// min(length, tau) pair by pair with [PairedMeanDifference] instead.
func RestrictedMeanDifference(a, b Survival, tau, level float64) Difference {
	checkLevel(level)
	if a.N == 0 || b.N == 0 {
		return Difference{Interval{math.NaN(), math.Inf(-1), math.Inf(1), level, a.N + b.N, "restricted-mean-difference"}, math.NaN(), math.Inf(1), math.NaN()}
	}
	ma, sa := a.restricted(tau)
	mb, sb := b.restricted(tau)
	d, se := ma-mb, math.Hypot(sa, sb)
	half := zOf(level) * se
	out := Difference{Interval{d, d - half, d + half, level, a.N + b.N, "restricted-mean-difference"}, se, math.Inf(1), 1}
	if d != 0 {
		out.P = math.Min(1, 2*distuv.UnitNormal.CDF(-math.Abs(d)/se))
	}
	return out
}
