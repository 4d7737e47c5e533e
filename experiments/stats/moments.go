package stats

import (
	"fmt"
	"math"
)

// Moments sums up a sample as it comes, in memory that does not grow: for the
// lengths or captures of very many games, where [MeanT] would want them all. The
// zero value is empty. The order of the values matters in the last bits only; for
// pairs of games, whose scores are counts, [Pentanomial] is exact.
//
// Mean and variance are updated by B. P. Welford's formula, Technometrics 4 (1962)
// 419; [Moments.Merge] is that of T. F. Chan, G. H. Golub and R. J. LeVeque, The
// American Statistician 37 (1983) 242.
type Moments struct {
	// N counts the values; Min and Max are the extreme ones.
	N        int
	Min, Max float64

	mean, squares float64
}

// Add takes a value. NaN panics.
func (m *Moments) Add(x float64) {
	if math.IsNaN(x) {
		panic("stats: a value of NaN")
	}
	if m.N == 0 {
		m.Min, m.Max = x, x
	}
	m.N++
	m.Min, m.Max = math.Min(m.Min, x), math.Max(m.Max, x)
	d := x - m.mean
	m.mean += d / float64(m.N)
	m.squares += d * (x - m.mean)
}

// Merge adds all the values of o.
func (m *Moments) Merge(o Moments) {
	switch {
	case o.N == 0:
	case m.N == 0:
		*m = o
	default:
		a, b := float64(m.N), float64(o.N)
		d := o.mean - m.mean
		m.mean += d * b / (a + b)
		m.squares += o.squares + d*d*a*b/(a+b)
		m.N += o.N
		m.Min, m.Max = math.Min(m.Min, o.Min), math.Max(m.Max, o.Max)
	}
}

// MeanVariance are the mean and the sample variance (n − 1); NaN without values,
// and the variance also with one.
func (m Moments) MeanVariance() (mean, variance float64) {
	if m.N == 0 {
		return math.NaN(), math.NaN()
	}
	if m.N == 1 {
		return m.mean, math.NaN()
	}
	if m.Min == m.Max {
		return m.Min, 0
	}
	return m.mean, m.squares / float64(m.N-1)
}

// MeanT is [MeanT] of the values.
func (m Moments) MeanT(level float64) Interval {
	checkLevel(level)
	mean, variance := m.MeanVariance()
	if m.N < 2 {
		return Interval{mean, math.Inf(-1), math.Inf(1), level, m.N, "t"}
	}
	half := tOf(level, float64(m.N-1)) * math.Sqrt(variance/float64(m.N))
	return Interval{mean, mean - half, mean + half, level, m.N, "t"}
}

// Bounded is the interval of [PairScore] (or [PairedDifference], with low −1) for
// values that lie in [low, high]; it panics if one did not.
func (m Moments) Bounded(low, high, level float64) Interval {
	checkLevel(level)
	if m.N > 0 && !(m.Min >= low && m.Max <= high) {
		panic(fmt.Sprintf("stats: values from %v to %v outside [%v, %v]", m.Min, m.Max, low, high))
	}
	mean, variance := m.MeanVariance()
	return boundedMoments(m.N, mean, variance, m.Min == m.Max, low, high, level, "pairs")
}

// Interval is [PairScore] of the pairs.
func (p Pentanomial) Interval(level float64) Interval {
	checkLevel(level)
	n := p.Pairs()
	mean, variance := p.MeanVariance()
	constant := false
	for _, c := range p {
		constant = constant || c == n
	}
	return boundedMoments(n, mean, variance*float64(n)/float64(n-1), constant, 0, 1, level, "pairs")
}

// TOST is [TOSTScore] of the pairs.
func (p Pentanomial) TOST(margin, alpha float64) Equivalence {
	n := p.Pairs()
	if n < 2 {
		return TOST(0, 0, 1, margin, alpha)
	}
	mean, variance := p.MeanVariance()
	return TOST(mean-0.5, math.Sqrt(variance/float64(n-1)), float64(n-1), margin, alpha)
}
