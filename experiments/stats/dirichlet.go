package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// JeffreysPrior is the weight of each class in Jeffreys' prior for shares,
// Dirichlet(½, ½, ½, ½) (H. Jeffreys, Theory of Probability, 3rd ed. 1961, 3.10).
const JeffreysPrior = 0.5

// Dirichlet is a distribution of the four shares of outcomes (they add up to 1)
// by its parameters, each positive: after a prior weight a and k games of a class,
// the parameter is a + k.
type Dirichlet struct {
	Win, Draw, Loss, Capped float64
}

// Posterior is the distribution of the shares after the games of the tally:
//
//	Dirichlet(prior + weight·count)
//
// prior is the weight of each class before any game ([JeffreysPrior], or 1 for the
// uniform one); it must be positive. weight is 1 for independent games; for games
// that repeat each other, or that vary together in pairs, it is the effective
// number of games over their number ([EffectiveSize]), in (0, 1]. A. Gelman et al.,
// Bayesian Data Analysis, 3rd ed. 2013, section 3.4.
func (t Tally) Posterior(prior, weight float64) Dirichlet {
	if !(prior > 0) || math.IsInf(prior, 1) || !(weight > 0 && weight <= 1) {
		panic(fmt.Sprintf("stats: a prior weight %v, or games that count %v", prior, weight))
	}
	if t.Win < 0 || t.Draw < 0 || t.Loss < 0 || t.Capped < 0 {
		panic("stats: a tally with a negative count")
	}
	at := func(k int) float64 { return prior + weight*float64(k) }
	return Dirichlet{at(t.Win), at(t.Draw), at(t.Loss), at(t.Capped)}
}

func (d Dirichlet) check() {
	for _, a := range []float64{d.Win, d.Draw, d.Loss, d.Capped} {
		if !(a > 0) || math.IsInf(a, 1) {
			panic(fmt.Sprintf("stats: a Dirichlet distribution with the parameter %v", a))
		}
	}
}

// Shares are the shares of the four classes with equal-tailed credible intervals;
// each is Beta(a, sum − a). Estimates are means.
func (d Dirichlet) Shares(level float64) (win, draw, loss, capped Interval) {
	d.check()
	checkLevel(level)
	sum := d.Win + d.Draw + d.Loss + d.Capped
	share := func(a float64) Interval {
		b := distuv.Beta{Alpha: a, Beta: sum - a}
		tail := (1 - level) / 2
		return Interval{a / sum, b.Quantile(tail), b.Quantile(1 - tail), level, int(math.Round(sum)), "dirichlet"}
	}
	return share(d.Win), share(d.Draw), share(d.Loss), share(d.Capped)
}

// CappedAs is what a capped game counts in a score.
type CappedAs int

const (
	// CappedHalf counts it ½, as in [Tally.Score].
	CappedHalf CappedAs = iota
	// CappedLost counts it 0, for the low bound of [Tally.Bounds].
	CappedLost
	// CappedWon counts it 1, for the high bound.
	CappedWon
)

// three merges the capped class with the class of the same value: sums of a
// Dirichlet's classes are Dirichlet again.
func (d Dirichlet) three(c CappedAs) (win, half, loss float64) {
	d.check()
	switch c {
	case CappedHalf:
		return d.Win, d.Draw + d.Capped, d.Loss
	case CappedLost:
		return d.Win, d.Draw, d.Loss + d.Capped
	case CappedWon:
		return d.Win + d.Capped, d.Draw, d.Loss
	}
	panic(fmt.Sprintf("stats: a capped game counted as %d", c))
}

// ScoreBelow is the chance that the score W + D/2 + c·capped is at most s. With M
// the share of games that count ½ and B the wins' share of the others, M and B are
// independent and beta-distributed, so
//
//	P(score ≤ s) = E[ I((s − M/2)/(1 − M); win, loss) ],
//
// I the regularised incomplete beta function; the mean over M is integrated
// numerically (tanh-sinh, H. Takahasi and M. Mori, Publications of the RIMS 9
// (1974) 721), to about 1e-9.
func (d Dirichlet) ScoreBelow(c CappedAs, s float64) float64 {
	win, half, loss := d.three(c)
	switch {
	case math.IsNaN(s):
		panic("stats: the chance of a score below NaN")
	case s <= 0:
		return 0
	case s >= 1:
		return 1
	case s > 0.5:
		// The other side's score; the integral below then has its kink at 2s ≤ 1.
		win, loss, s = loss, win, 1-s
		return 1 - scoreBelow(win, half, loss, s)
	}
	return scoreBelow(win, half, loss, s)
}

// scoreBelow is ScoreBelow for 0 < s ≤ ½, where only M ≤ 2s contributes.
func scoreBelow(win, half, loss, s float64) float64 {
	rest := win + loss
	sum := half + rest
	mean := half / sum
	sd := math.Sqrt(mean * (1 - mean) / (sum + 1))
	// Outside 14 standard deviations lies less than rounding, unless the
	// parameters are small; then the range is all of [0, 1] anyway.
	lo, hi := math.Max(0, mean-14*sd), math.Min(2*s, mean+14*sd)
	if hi <= lo {
		return 0
	}
	la, _ := math.Lgamma(half)
	lb, _ := math.Lgamma(rest)
	lab, _ := math.Lgamma(sum)
	norm := lab - la - lb
	width := hi - lo
	const step = 1.0 / 32
	total := 0.0
	for k := -128; k <= 128; k++ {
		u := math.Pi / 2 * math.Sinh(float64(k)*step)
		// Distances from both ends, each without cancellation.
		left := width / (1 + math.Exp(-2*u))
		right := width / (1 + math.Exp(2*u))
		weight := math.Pi / 2 * math.Cosh(float64(k)*step) / (math.Cosh(u) * math.Cosh(u)) * width / 2
		m := lo + left
		if left > right {
			m = hi - right
		}
		other := 1 - m // 1 − M
		if hi == 1 {
			other = right
		}
		if weight == 0 || m <= 0 || other <= 0 {
			continue
		}
		g := (s - m/2) / other
		if 2*s <= hi && left > right {
			g = (right / 2) / other // s − m/2 with hi = 2s
		}
		if g <= 0 {
			continue
		}
		inner := 1.0
		if g < 1 {
			inner = mathext.RegIncBeta(win, loss, g)
		}
		total += weight * inner * math.Exp(norm+(half-1)*math.Log(m)+(rest-1)*math.Log(other))
	}
	return clamp(total*step, 0, 1)
}

// Score is the posterior of the score W + D/2 + c·capped with its exact
// equal-tailed credible interval; the estimate is the mean. Games must be
// independent: for pairs of games [PairScore] is the interval, and this the
// posterior with a weight below 1 (see [Tally.Posterior]).
func (d Dirichlet) Score(c CappedAs, level float64) Interval {
	checkLevel(level)
	win, half, loss := d.three(c)
	sum := win + half + loss
	mean := (win + half/2) / sum
	sd := math.Sqrt(math.Max(0, (win+half/4)/sum-mean*mean) / (sum + 1))
	quantile := func(q float64) float64 {
		f := func(s float64) float64 { return d.ScoreBelow(c, s) - q }
		lo, hi := math.Max(0, mean-8*sd), math.Min(1, mean+8*sd)
		if f(lo) > 0 {
			lo = 0
		}
		if f(hi) < 0 {
			hi = 1
		}
		return root(f, lo, hi, 1e-10)
	}
	tail := (1 - level) / 2
	return Interval{mean, quantile(tail), quantile(1 - tail), level, int(math.Round(sum)), "dirichlet-score"}
}

// ScoreWithin is the chance that the score lies within margin of one half: the
// Bayesian reader's counterpart of [TOST]. margin is positive.
func (d Dirichlet) ScoreWithin(c CappedAs, margin float64) float64 {
	if !(margin > 0) {
		panic("stats: an equivalence margin must be positive")
	}
	return math.Max(0, d.ScoreBelow(c, 0.5+margin)-d.ScoreBelow(c, 0.5-margin))
}
