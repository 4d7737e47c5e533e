package stats

import (
	"fmt"
	"math"
	"slices"
)

// Pentanomial counts pairs of games by their mean score: 0, ¼, ½, ¾ and 1.
type Pentanomial [5]int

// Add counts one pair. It panics for a score that two games cannot have.
func (p *Pentanomial) Add(score float64) {
	i := math.Round(4 * score)
	if !(i >= 0 && i <= 4) || i != 4*score {
		panic(fmt.Sprintf("stats: a pair of games cannot score %v", score))
	}
	p[int(i)]++
}

// Pairs is the number of pairs.
func (p Pentanomial) Pairs() int {
	n := 0
	for _, c := range p {
		n += c
	}
	return n
}

// Scores lists the pairs' scores, for the functions that take one number a pair.
func (p Pentanomial) Scores() []float64 {
	out := make([]float64, 0, p.Pairs())
	for i, c := range p {
		for range c {
			out = append(out, pairScores[i])
		}
	}
	return out
}

// MeanVariance are the mean and the variance (divided by the number of pairs) of
// the pairs' scores; NaN without pairs.
func (p Pentanomial) MeanVariance() (mean, variance float64) {
	n := float64(p.Pairs())
	for i, c := range p {
		mean += float64(c) * pairScores[i]
	}
	mean /= n
	for i, c := range p {
		variance += float64(c) * (pairScores[i] - mean) * (pairScores[i] - mean)
	}
	return mean, variance / n
}

// SPRT is a sequential test of two hypotheses on the rating difference of two
// players, H0: Elo0 against H1: Elo1, on the logistic scale of [ScoreOf]. It is
// looked at after every pair, and stops when its log-likelihood ratio leaves the
// interval of [SPRT.Bounds]; whatever lies between the hypotheses takes longer
// and may end either way.
//
// A. Wald, Sequential Analysis, 1947, with the likelihoods of an unspecified
// distribution with the mean of each hypothesis: the generalised sequential
// probability ratio test of M. Van den Bergh's notes for chess engines, with the
// empirical likelihood of A. B. Owen, Biometrika 75 (1988) 237.
type SPRT struct {
	// Elo0 < Elo1 are the hypotheses.
	Elo0, Elo1 float64
	// Alpha is the chance to accept H1 where H0 is true, Beta the chance to
	// accept H0 where H1 is true; each in (0, ½).
	Alpha, Beta float64
}

// ScoreSPRT is the test of two expected scores, each in (0, 1) and s0 < s1, as
// 0.50 against 0.53.
func ScoreSPRT(s0, s1, alpha, beta float64) SPRT {
	return SPRT{EloOf(s0), EloOf(s1), alpha, beta}
}

// maxSPRTElo keeps the hypotheses' scores apart from 0 and 1.
const maxSPRTElo = 2000

// Check says what is wrong with the test; nil if nothing is. The other methods
// want a test that passes.
func (t SPRT) Check() error {
	for _, e := range []float64{t.Elo0, t.Elo1} {
		if !(math.Abs(e) <= maxSPRTElo) {
			return fmt.Errorf("hypothesis %v Elo; it must be from -%d to %d", e, maxSPRTElo, maxSPRTElo)
		}
	}
	if !(t.Elo0 < t.Elo1) {
		return fmt.Errorf("hypotheses %v and %v Elo; the first must be the smaller one", t.Elo0, t.Elo1)
	}
	for _, e := range []float64{t.Alpha, t.Beta} {
		if !(e > 0 && e < 0.5) {
			return fmt.Errorf("error rate %v; it must be above 0 and below 0.5", e)
		}
	}
	return nil
}

// Bounds are Wald's: below ln(β/(1−α)) H0 is accepted, above ln((1−β)/α) H1.
func (t SPRT) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// emptyCell stands for the count of a score that no pair had. Without it a
// hypothesis that lies beyond the scores seen would be impossible.
const emptyCell = 1e-3

// pairScores are the scores that a pair of games can have.
var pairScores = [5]float64{0, 0.25, 0.5, 0.75, 1}

// LLR is the generalised log-likelihood ratio of H1 against H0,
//
//	N Σ p̂_i ln(p1_i/p0_i),
//
// where p̂ are the observed frequencies and p_h the most likely ones among those
// with the mean score of hypothesis h: p_h,i = p̂_i/(1 + x a_i) with
// a_i = score_i − mean, x such that Σ p̂_i a_i/(1 + x a_i) = 0. Zero without
// pairs.
func (t SPRT) LLR(n Pentanomial) float64 {
	if n.Pairs() == 0 {
		return 0
	}
	var weight [5]float64
	for i, c := range n {
		weight[i] = math.Max(float64(c), emptyCell)
	}
	t0, t1 := tilts(weight, ScoreOf(t.Elo0)), tilts(weight, ScoreOf(t.Elo1))
	llr := 0.0
	for i, w := range weight {
		llr += w * math.Log(t0[i]/t1[i])
	}
	return llr
}

// ApproximateLLR is the ratio of two normal means with the observed variance v̂,
//
//	N (s1 − s0)(2ŝ − s0 − s1) / (2v̂),
//
// the form of [SPRT.LLR] for hypotheses near each other and near the observed mean
// ŝ (M. Van den Bergh, A practical introduction to the GSPRT, notes for fishtest).
// Its path is a random walk, which makes it the form to reason with; no decision of
// this module rests on it, and none should before a few dozen pairs: as long as all
// pairs scored alike v̂ is next to nothing, and a single pair would decide the test.
// Zero without pairs.
func (t SPRT) ApproximateLLR(n Pentanomial) float64 {
	if n.Pairs() == 0 {
		return 0
	}
	total := 0.0
	for _, c := range n {
		total += math.Max(float64(c), emptyCell)
	}
	mean, variance := momentsOf(frequencies(n))
	s0, s1 := ScoreOf(t.Elo0), ScoreOf(t.Elo1)
	return total * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
}

// frequencies are the shares of the pair scores with empty cells filled.
func frequencies(n Pentanomial) (p [5]float64) {
	total := 0.0
	for i, c := range n {
		p[i] = math.Max(float64(c), emptyCell)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	return p
}

func momentsOf(p [5]float64) (mean, variance float64) {
	for i, q := range p {
		mean += q * pairScores[i]
	}
	for i, q := range p {
		variance += q * (pairScores[i] - mean) * (pairScores[i] - mean)
	}
	return mean, variance
}

// tilts are the factors 1 + x a_i that divide the weights to give them the mean.
func tilts(weight [5]float64, mean float64) (out [5]float64) {
	var a [5]float64
	for i, s := range pairScores {
		a[i] = s - mean
	}
	out, _ = tiltsOf(weight, a)
	return out
}

// tiltsOf are the factors 1 + x a_i with Σ w_i a_i/(1 + x a_i) = 0; false if no
// positive weights can do that, since all a_i have one sign.
func tiltsOf(weight, a [5]float64) (out [5]float64, ok bool) {
	least, most := slices.Min(a[:]), slices.Max(a[:])
	if !(least < 0 && most > 0) {
		return out, false
	}
	// The sum falls from +∞ to −∞ between the x at which the factor of the largest
	// a and that of the least become zero.
	lo, hi := -1/most, -1/least
	// Newton's method from the middle, which is there in a few steps; a bisection
	// where a step leaves the bracket.
	x := lo + (hi-lo)/2
	if lo < 0 && hi > 0 {
		x = 0
	}
	for range 200 {
		sum, slope := 0.0, 0.0
		for i, w := range weight {
			r := a[i] / (1 + x*a[i])
			sum += w * r
			slope += w * r * r
		}
		if sum > 0 {
			lo = x
		} else {
			hi = x
		}
		next := x + sum/slope
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-x) <= 1e-15*math.Max(1, math.Abs(x)) || next <= lo || next >= hi {
			break
		}
		x = next
	}
	for i := range out {
		out[i] = 1 + x*a[i]
	}
	return out, true
}

// Verdict is where a sequential test stands.
type Verdict string

const (
	// Undecided: more pairs are needed.
	Undecided Verdict = "undecided"
	// AcceptH0: the difference is Elo0 rather than Elo1.
	AcceptH0 Verdict = "H0"
	// AcceptH1: the difference is Elo1 rather than Elo0.
	AcceptH1 Verdict = "H1"
)

// Verdict is the verdict at a log-likelihood ratio.
func (t SPRT) Verdict(llr float64) Verdict {
	lower, upper := t.Bounds()
	switch {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}
