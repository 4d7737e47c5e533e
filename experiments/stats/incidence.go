package stats

import (
	"fmt"
	"math"
	"slices"
)

// Incidence is how often games had ended in each way by each length.
type Incidence struct {
	// Time holds the distinct lengths at which games ended, ascending, and AtRisk how
	// many games were still running just before each.
	Time   []float64
	AtRisk []int
	// Share[cause][i] is the estimated share of games that ended by cause within
	// Time[i], and SE[cause][i] its standard error.
	Share, SE [][]float64
	// N counts the games, Censored those that were cut off without a cause.
	N, Censored int
}

// AalenJohansen estimates how games end and when: length[i] is the length of game i
// and cause[i] in [0, causes) how it ended, as 0 first player won, 1 second player
// won, 2 draw, 3 capped. The cap is a cause of its own here, a competing outcome: a
// capped game did not end otherwise, and 1 − [KaplanMeier] with the others taken as
// cut off would claim how it would have ended. cause −1 marks a game that was cut
// off with nothing known (an interrupted run). With S the share still running,
// d_k ends by cause k and d ends in all of n games at risk,
//
//	I_k(t) = Σ_{t_j ≤ t} S(t_{j−1}) d_kj/n_j.
//
// The variance is
//
//	Σ (I_k(t) − I_k(t_j))² d_j/(n_j(n_j−d_j)) + Σ S(t_{j−1})² d_kj(n_j−d_kj)/n_j³
//	− 2 Σ (I_k(t) − I_k(t_j)) S(t_{j−1}) d_kj/n_j²,
//
// which without cut-off games is the binomial one, I(1−I)/n. O. O. Aalen and S.
// Johansen, Scandinavian Journal of Statistics 5 (1978) 141; E. Marubini and M. G.
// Valsecchi, Analysing Survival Data, 1995, section 10.2.
//
// It panics if the slices' lengths differ or a cause is out of range.
func AalenJohansen(length []float64, cause []int, causes int) Incidence {
	if len(length) != len(cause) || causes < 1 {
		panic(fmt.Sprintf("stats: %d lengths with %d marks of %d causes", len(length), len(cause), causes))
	}
	idx := make([]int, len(length))
	for i := range idx {
		idx[i] = i
		if cause[i] < -1 || cause[i] >= causes || math.IsNaN(length[i]) {
			panic(fmt.Sprintf("stats: a game of length %v that ended by cause %d of %d", length[i], cause[i], causes))
		}
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
	out := Incidence{N: len(length), Share: make([][]float64, causes), SE: make([][]float64, causes)}
	// Sums that give the variance at every time in one pass: with g = d/(n(n−d)) and
	// f = S d_k/n² they are Σg, Σ g I, Σ g I², Σ S² d_k(n−d_k)/n³, Σf, Σ f I.
	type sums struct{ share, gi, gii, own, f, fi float64 }
	acc := make([]sums, causes)
	s, g := 1.0, 0.0
	count := make([]int, causes)
	for i := 0; i < len(idx); {
		t := length[idx[i]]
		clear(count)
		d, j := 0, i
		for ; j < len(idx) && length[idx[j]] == t; j++ {
			if c := cause[idx[j]]; c < 0 {
				out.Censored++
			} else {
				count[c]++
				d++
			}
		}
		n := float64(len(idx) - i)
		if d > 0 {
			out.Time = append(out.Time, t)
			out.AtRisk = append(out.AtRisk, len(idx)-i)
			step := 0.0
			if n > float64(d) { // else nothing runs on, and later differences are 0
				step = float64(d) / (n * (n - float64(d)))
			}
			g += step
			for k := range acc {
				a, dk := &acc[k], float64(count[k])
				a.share += s * dk / n
				a.gi += step * a.share
				a.gii += step * a.share * a.share
				a.own += s * s * dk * (n - dk) / (n * n * n)
				f := s * dk / (n * n)
				a.f += f
				a.fi += f * a.share
				v := a.share*a.share*g - 2*a.share*a.gi + a.gii + a.own - 2*(a.share*a.f-a.fi)
				out.Share[k] = append(out.Share[k], a.share)
				out.SE[k] = append(out.SE[k], math.Sqrt(math.Max(0, v)))
			}
			s *= 1 - float64(d)/n
		}
		i = j
	}
	return out
}

// last is the index of the last time up to t; −1 before the first.
func (c Incidence) last(t float64) int {
	i, found := slices.BinarySearch(c.Time, t)
	if found {
		return i
	}
	return i - 1
}

// At is the share of games that ended by the cause within t.
func (c Incidence) At(cause int, t float64) float64 {
	if i := c.last(t); i >= 0 {
		return c.Share[cause][i]
	}
	return 0
}

// Interval is At with an interval on the complementary log-log scale,
// 1 − (1−I)^exp(±zσ), σ = SE/((1−I)|ln(1−I)|), which stays in [0, 1]. Where the
// share is 0 or 1 the bounds are those of [ClopperPearson] for the games at hand,
// since no event is not certainty. N is the number of games.
func (c Incidence) Interval(cause int, t, level float64) Interval {
	checkLevel(level)
	const name = "aalen-johansen"
	if c.N == 0 {
		return unknownShare(level, name)
	}
	share, se := c.At(cause, t), 0.0
	if i := c.last(t); i >= 0 {
		se = c.SE[cause][i]
	}
	switch {
	case share <= 0:
		return Interval{0, 0, ClopperPearson(0, c.N, level).High, level, c.N, name}
	case share >= 1-1e-12:
		return Interval{1, ClopperPearson(c.N, c.N, level).Low, 1, level, c.N, name}
	}
	rest := 1 - share
	e := math.Exp(zOf(level) * se / (rest * math.Abs(math.Log(rest))))
	return Interval{share, 1 - math.Pow(rest, 1/e), 1 - math.Pow(rest, e), level, c.N, name}
}
