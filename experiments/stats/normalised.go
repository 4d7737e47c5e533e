package stats

import (
	"fmt"
	"math"
)

// NormalisedScale turns a deviation in standard deviations of a game into
// normalised Elo: 800/ln 10, so that without draws and near equality it agrees
// with [EloOf].
const NormalisedScale = 800 / math.Ln10

// NormalisedElo is the deviation of a mean score from one half in standard
// deviations of a game, with x holding one score in [0, 1] a pair, m their mean
// and s their standard deviation:
//
//	(m − ½)/σ_game · 800/ln 10,  σ_game = s √2
//
// It says how soon games show a deviation, whatever the share of draws, and so is
// what to compare across rulesets. (M. Van den Bergh, Normalized Elo, notes for
// fishtest.) The interval is Student's t around d = (m − ½)/s with the variance
//
//	(1 − γ d + (κ − 1) d²/4) / n
//
// of the delta method, γ and κ being the skewness and kurtosis of the pair scores
// (κ = 3 for a normal distribution). Where all pairs scored alike the estimate
// is 0 for ½, else infinite with the other bound unknown, and Method is
// "normalised-elo-undefined".
func NormalisedElo(x []float64, level float64) Interval {
	checkLevel(level)
	const name = "normalised-elo"
	n := len(x)
	if n == 0 {
		return Interval{math.NaN(), math.Inf(-1), math.Inf(1), level, 0, name}
	}
	m, v := meanVar(x)
	for _, s := range x {
		if !(s >= 0 && s <= 1) {
			panic("stats: a pair's score outside [0, 1]")
		}
	}
	if !(v > 0) {
		e := 0.0
		if m != 0.5 {
			e = math.Inf(1)
			if m < 0.5 {
				e = math.Inf(-1)
			}
		}
		return Interval{e, math.Inf(-1), math.Inf(1), level, n, "normalised-elo-undefined"}
	}
	var m2, m3, m4 float64
	for _, s := range x {
		d := s - m
		m2 += d * d
		m3 += d * d * d
		m4 += d * d * d * d
	}
	m2, m3, m4 = m2/float64(n), m3/float64(n), m4/float64(n)
	skew, kurtosis := m3/math.Pow(m2, 1.5), m4/(m2*m2)
	d := (m - 0.5) / math.Sqrt(v)
	// Never below the variance's least value over d, (1 − γ²/(κ−1)) ≥ 0.
	se := math.Sqrt(math.Max(0, 1-skew*d+(kurtosis-1)*d*d/4) / float64(n))
	scale := NormalisedScale / math.Sqrt2
	half := tOf(level, float64(n-1)) * se
	return Interval{d * scale, (d - half) * scale, (d + half) * scale, level, n, name}
}

// NormalisedSPRT is [SPRT] with hypotheses in normalised Elo: its length hardly
// depends on the share of draws, which hypotheses in Elo make it do.
type NormalisedSPRT struct {
	// Elo0 < Elo1 are the hypotheses (normalised Elo); Alpha and Beta the error
	// rates, as in [SPRT].
	Elo0, Elo1, Alpha, Beta float64
}

// Check says what is wrong with the test; nil if nothing is.
func (t NormalisedSPRT) Check() error {
	// A pair's score deviates by at most √(n−1) standard deviations; beyond about
	// two the hypotheses hardly leave a distribution over five scores.
	const most = 400
	for _, e := range []float64{t.Elo0, t.Elo1} {
		if !(math.Abs(e) <= most) {
			return fmt.Errorf("hypothesis %v normalised Elo; it must be from -%d to %d", e, most, most)
		}
	}
	return SPRT(t).Check()
}

// Bounds are Wald's, as [SPRT.Bounds].
func (t NormalisedSPRT) Bounds() (lower, upper float64) { return SPRT(t).Bounds() }

// Verdict is the verdict at a log-likelihood ratio.
func (t NormalisedSPRT) Verdict(llr float64) Verdict { return SPRT(t).Verdict(llr) }

// LLR is the generalised log-likelihood ratio N Σ p̂_i ln(p1_i/p0_i), p_h being the
// most likely distribution of pair scores among those with
//
//	(mean − ½)/sd = t_h = Elo_h √2 / (800/ln 10).
//
// For t = 0 they are [SPRT.LLR]'s with mean ½. Zero without pairs.
func (t NormalisedSPRT) LLR(n Pentanomial) float64 {
	if n.Pairs() == 0 {
		return 0
	}
	var weight [5]float64
	for i, c := range n {
		weight[i] = math.Max(float64(c), emptyCell)
	}
	p0 := likeliest(weight, t.Elo0*math.Sqrt2/NormalisedScale)
	p1 := likeliest(weight, t.Elo1*math.Sqrt2/NormalisedScale)
	llr := 0.0
	for i, w := range weight {
		llr += w * math.Log(p1[i]/p0[i])
	}
	return llr
}

// likeliest maximises Σ w_i ln p_i under (mean − ½) = ratio·sd.
//
// With ψ(p) = mean − ½ − ratio·sd the stationary p satisfy w_i/p_i = λ + x φ_i,
// φ_i = a_i − ½ − ratio·sd/2 · (1 + ((a_i − mean)/sd)²) being ψ's derivative plus a
// constant; since Σ p_i φ_i = ψ = 0, λ is Σ w. Mean and sd are taken from the last
// p until they no longer change: a fixed point that contracts for small ratios.
func likeliest(weight [5]float64, ratio float64) [5]float64 {
	total := 0.0
	for _, w := range weight {
		total += w
	}
	var p [5]float64
	for i, w := range weight {
		p[i] = w / total
	}
	for range 200 {
		mean, variance := 0.0, 0.0
		for i, q := range p {
			mean += q * pairScores[i]
		}
		for i, q := range p {
			variance += q * (pairScores[i] - mean) * (pairScores[i] - mean)
		}
		sd := math.Sqrt(variance)
		var a [5]float64
		for i, s := range pairScores {
			z := (s - mean) / sd
			a[i] = s - 0.5 - ratio*sd/2*(1+z*z)
		}
		tilt, ok := tiltsOf(weight, a)
		if !ok {
			return p
		}
		change := 0.0
		for i, w := range weight {
			q := w / total / tilt[i]
			change = math.Max(change, math.Abs(q-p[i]))
			p[i] = q
		}
		if change < 1e-12 {
			break
		}
	}
	return p
}
