package experiments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"latro/experiments/stats"
)

// sampleLimit is the number of pairs of a cell that are kept one by one, for the
// statistics that need them (bootstrap, permutation, regression, trends). Beyond it
// these use the first sampleLimit pairs, and everything else the running sums over
// all pairs, so that the memory of an analysis does not depend on how many games
// there are. Its error is then below a hundredth of a standard deviation.
const sampleLimit = 8192

// moments are the running sums of a sample (B. P. Welford, Technometrics 4 (1962)
// 419).
type moments struct {
	n        int
	mean, m2 float64
	abs      float64 // sum of the absolute values
	first    float64
	varies   bool
}

func (m *moments) add(x float64) {
	if m.n == 0 {
		m.first = x
	} else if x != m.first {
		m.varies = true
	}
	m.n++
	m.abs += math.Abs(x)
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m2 += d * (x - m.mean)
}

func (m *moments) variance() float64 {
	if m.n < 2 || !m.varies {
		return 0
	}
	return m.m2 / float64(m.n-1)
}

func (m *moments) se() float64 { return math.Sqrt(m.variance() / float64(m.n)) }

// atLeast is se, and where nothing varies that of a sample with one different pair more:
// what was never seen may be there all the same.
func (m *moments) atLeast(unit string) float64 {
	return math.Max(m.se(), leastStep(unit)/float64(m.n))
}

// interval is Student's interval for the mean of values in [lo, hi], with the exact
// argument of stats.PairScore where nothing varies.
func (m *moments) interval(lo, hi, level float64, name string) stats.Interval {
	iv := stats.Interval{Estimate: m.mean, Level: level, N: m.n, Method: name + "-t"}
	if m.n == 0 {
		return stats.Interval{Estimate: math.NaN(), Low: lo, High: hi, Level: level, Method: name + "-t"}
	}
	if !m.varies {
		iv.Estimate, iv.Method = m.first, name+"-exact"
		u := stats.ClopperPearson(0, m.n, level).High
		if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
			iv.Low, iv.High = m.first, m.first
			return iv
		}
		iv.Low, iv.High = m.first-u*(m.first-lo), m.first+u*(hi-m.first)
		return iv
	}
	half := studentQuantile(level, float64(m.n-1)) * m.se()
	iv.Low, iv.High = math.Max(lo, m.mean-half), math.Min(hi, m.mean+half)
	return iv
}

// p is the two-sided p-value of "the mean is zero": Student's, or the sign test
// where nothing varies.
func (m *moments) p() float64 {
	switch {
	case m.n == 0:
		return 1
	case !m.varies && m.first == 0:
		return 1
	case !m.varies:
		return math.Min(1, 2*math.Pow(0.5, float64(m.n)))
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(m.n - 1)}
	return math.Min(1, 2*t.Survival(math.Abs(m.mean)/m.se()))
}

// equivalence tests "the mean is within the margin of zero", each side at 5 %. Where few values differ from zero their
// variance is too small just when their mean is: a sample with too few of them looks both nearer to zero and surer of it.
// So the variance is at least the one that such values would have if their mean were the margin, which is what
// the test has to exclude.
//
// Values that are all alike have no variance to test with. As none can be beyond ±reach, the test is exact: at a mean beyond
// the margin a certain share of the values at least is another, and none of n was.
func (m *moments) equivalence(margin, reach float64) stats.Equivalence {
	if !m.varies && m.n > 0 && math.Abs(m.first) < margin {
		side := func(gap float64) float64 { return math.Pow(1-math.Min(gap, 1), float64(m.n)) }
		low, high := side((margin+m.first)/(reach+m.first)), side((margin-m.first)/(reach-m.first))
		p := math.Max(low, high)
		return stats.Equivalence{Low: low, High: high, P: p, Margin: margin, Equivalent: p < 0.05}
	}
	if m.n < 2 {
		return stats.TOST(m.mean, 0, 1, margin, 0.05) // which shows nothing
	}
	variance := m.variance()
	if m.abs > 0 {
		size := (m.m2 + float64(m.n)*m.mean*m.mean) / m.abs // of those that are not zero
		variance = math.Max(variance, margin*(size-margin))
	}
	return stats.TOST(m.mean, math.Sqrt(variance/float64(m.n)), float64(m.n-1), margin, 0.05)
}

// worst joins the equivalence tests of the two extreme ways to count capped games: low
// has the smaller mean and must be shown to be above −margin, high the larger one.
func worst(low, high stats.Equivalence) stats.Equivalence {
	return stats.Equivalence{Low: low.Low, High: high.High, P: math.Max(low.Low, high.High), Margin: low.Margin, Equivalent: low.Low < 0.05 && high.High < 0.05}
}

func studentQuantile(level, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.5 + level/2)
}

// chiSquareLow is the 20 % quantile of the chi-square distribution.
func chiSquareLow(df float64) float64 { return distuv.ChiSquared{K: df}.Quantile(0.2) }

// series is one number a pair: running sums over all of them, and the first
// sampleLimit themselves. Every value is a multiple of one quarter below 2^20, which
// a float32 holds exactly.
type series struct {
	moments
	sample []float32
}

func (s *series) add(x float64) {
	s.moments.add(x)
	if len(s.sample) < sampleLimit {
		s.sample = append(s.sample, float32(x))
	}
}

// values are the kept pairs.
func (s *series) values() []float64 {
	out := make([]float64, len(s.sample))
	for i, v := range s.sample {
		out[i] = float64(v)
	}
	return out
}

// whole reports whether every pair was kept.
func (s *series) whole() bool { return s.n <= sampleLimit }

// score is the interval of a mean score.
func (s *series) score(level float64) stats.Interval {
	if s.whole() {
		return stats.PairScore(s.values(), level)
	}
	return s.interval(0, 1, level, "pairs")
}

// unbounded is the interval of a mean without bounds.
func (s *series) unbounded(level float64) stats.Interval {
	if s.whole() {
		return stats.MeanT(s.values(), level)
	}
	return s.interval(math.Inf(-1), math.Inf(1), level, "mean")
}

// even is the equivalence test of a mean score with one half.
func (s *series) even(margin float64) stats.Equivalence {
	if !s.whole() {
		return stats.TOST(s.mean-0.5, s.se(), float64(s.n-1), margin, 0.05)
	}
	var off moments
	for _, x := range s.values() {
		off.add(x - 0.5)
	}
	return off.equivalence(margin, 0.5)
}

// copies counts how often games are alike, in bounded memory: exactly while there
// are few, then on the share 2^−level of the games whose hash falls into it
// (M. Wegman's adaptive sampling; P. Flajolet, Computing 43 (1990) 391), with a
// relative error of about 1/√16384.
type copies struct {
	level uint
	seen  map[uint64]int
	n     int
}

const maxCopies = 1 << 15

func (c *copies) add(h uint64) {
	c.n++
	if c.seen == nil {
		c.seen = map[uint64]int{}
	}
	h = spread(h)
	if h&(1<<c.level-1) != 0 {
		return
	}
	c.seen[h]++
	for len(c.seen) > maxCopies {
		c.level++
		for k := range c.seen {
			if k&(1<<c.level-1) != 0 {
				delete(c.seen, k)
			}
		}
	}
}

// spread mixes a hash, a bijection.
func spread(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// shares are the share of different games and the number of independent games that
// all are worth (Kish).
func (c *copies) shares() (unique, effective float64) {
	if c.n == 0 {
		return 0, 0
	}
	groups := make([]int, 0, len(c.seen))
	for _, k := range c.seen {
		groups = append(groups, k)
	}
	slices.Sort(groups)
	if c.level == 0 {
		return stats.UniqueShare(groups), stats.EffectiveSize(groups)
	}
	scale, squares := math.Ldexp(1, int(c.level)), 0.0
	for _, k := range groups {
		squares += float64(k) * float64(k)
	}
	n := float64(c.n)
	return math.Min(1, float64(len(groups))*scale/n), math.Min(n, n*n/(squares*scale))
}

// lengths counts games by plies and how they ended; the number of entries is
// bounded by the length cap.
type lengthCounts struct {
	byPlies map[int]*[outcomes]int
	n       int
}

// outcomes of a game as a competing end: first player wins, second player wins,
// draw, capped.
const (
	endWin = iota
	endLoss
	endDraw
	endCapped
	outcomes
)

func (l *lengthCounts) add(plies int, end int) {
	if l.byPlies == nil {
		l.byPlies = map[int]*[outcomes]int{}
	}
	c := l.byPlies[plies]
	if c == nil {
		c = new([outcomes]int)
		l.byPlies[plies] = c
	}
	c[end]++
	l.n++
}

func (l *lengthCounts) times() []int {
	out := make([]int, 0, len(l.byPlies))
	for t := range l.byPlies {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}

// survival is stats.KaplanMeier of the counted games; a capped game is cut at its
// length.
func (l *lengthCounts) survival() stats.Survival {
	out := stats.Survival{N: l.n}
	risk := l.n
	s, g := 1.0, 0.0
	for _, t := range l.times() {
		c := l.byPlies[t]
		ended := c[endWin] + c[endLoss] + c[endDraw]
		if ended > 0 {
			s *= 1 - float64(ended)/float64(risk)
			if risk > ended {
				g += float64(ended) / (float64(risk) * float64(risk-ended))
			}
			out.Time = append(out.Time, float64(t))
			out.AtRisk = append(out.AtRisk, risk)
			out.Ended = append(out.Ended, ended)
			out.S = append(out.S, s)
			out.SE = append(out.SE, s*math.Sqrt(g))
		}
		out.Censored += c[endCapped]
		risk -= ended + c[endCapped]
	}
	return out
}

// incidence is the cumulative incidence of each end: with the cap as an end of its
// own no game is cut, so the share by t is a plain proportion.
func (l *lengthCounts) incidence(level float64) []Cause {
	names := [outcomes]string{"first player wins", "second player wins", "draw", "stopped by the cap"}
	times := l.times()
	step := max(1, (len(times)+maxCurve-1)/maxCurve)
	out := make([]Cause, outcomes)
	for i := range out {
		out[i].Name = names[i]
	}
	var sum [outcomes]int
	for k, t := range times {
		for i, n := range l.byPlies[t] {
			sum[i] += n
		}
		if k%step != 0 && k != len(times)-1 {
			continue
		}
		for i := range out {
			iv := stats.Wilson(sum[i], l.n, level)
			out[i].Points = append(out[i].Points, CurvePoint{Plies: float64(t), S: iv.Estimate, Low: iv.Low, High: iv.High})
		}
	}
	return out
}

// startSet hashes the starts of a cell in their order.
type startSet struct{ sum uint64 }

func (s *startSet) add(h uint64) { s.sum = spread(s.sum*0x9e3779b97f4a7c15 + h) }
