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
	b := newIncidence(len(length), causes)
	count := make([]int, causes)
	for i := 0; i < len(idx); {
		t := length[idx[i]]
		clear(count)
		cut, j := 0, i
		for ; j < len(idx) && length[idx[j]] == t; j++ {
			if c := cause[idx[j]]; c < 0 {
				cut++
			} else {
				count[c]++
			}
		}
		b.add(t, count, cut)
		i = j
	}
	return b.out
}

// AalenJohansenCounts is [AalenJohansen] from counts by length: ended[cause][l] games
// ended by the cause at length l and cut[l] were cut off there (nil for none). Its
// memory depends on the longest game and not on the number of games. Negative counts
// panic.
func AalenJohansenCounts(ended [][]int, cut []int) Incidence {
	if len(ended) == 0 {
		panic("stats: an incidence without causes")
	}
	all, most := 0, len(cut)
	for _, counts := range append([][]int{cut}, ended...) {
		most = max(most, len(counts))
		for _, k := range counts {
			if k < 0 {
				panic("stats: a negative count of games")
			}
			all += k
		}
	}
	b := newIncidence(all, len(ended))
	count := make([]int, len(ended))
	for l := range most {
		for k := range ended {
			count[k] = countAt(ended[k], l)
		}
		b.add(float64(l), count, countAt(cut, l))
	}
	return b.out
}

// incidenceBuilder makes the curves length by length. Its sums give the variance at
// every length in one pass: with g = d/(n(n−d)) and f = S d_k/n² they are Σ g, Σ g I,
// Σ g I², Σ S² d_k(n−d_k)/n³, Σ f, Σ f I.
type incidenceBuilder struct {
	out    Incidence
	s, g   float64
	atRisk int
	sums   []struct{ share, gi, gii, own, f, fi float64 }
}

func newIncidence(n, causes int) *incidenceBuilder {
	return &incidenceBuilder{
		out: Incidence{N: n, Share: make([][]float64, causes), SE: make([][]float64, causes)}, s: 1, atRisk: n,
		sums: make([]struct{ share, gi, gii, own, f, fi float64 }, causes),
	}
}

// add takes the games that ended by each cause and those that were cut off at t.
func (b *incidenceBuilder) add(t float64, ended []int, cut int) {
	all := 0
	for _, k := range ended {
		all += k
	}
	if n, d := float64(b.atRisk), float64(all); all > 0 {
		b.out.Time = append(b.out.Time, t)
		b.out.AtRisk = append(b.out.AtRisk, b.atRisk)
		step := 0.0
		if n > d { // else nothing runs on, and later differences are 0
			step = d / (n * (n - d))
		}
		b.g += step
		for k := range b.sums {
			a, dk := &b.sums[k], float64(ended[k])
			a.share += b.s * dk / n
			a.gi += step * a.share
			a.gii += step * a.share * a.share
			a.own += b.s * b.s * dk * (n - dk) / (n * n * n)
			f := b.s * dk / (n * n)
			a.f += f
			a.fi += f * a.share
			v := a.share*a.share*b.g - 2*a.share*a.gi + a.gii + a.own - 2*(a.share*a.f-a.fi)
			b.out.Share[k] = append(b.out.Share[k], a.share)
			b.out.SE[k] = append(b.out.SE[k], math.Sqrt(math.Max(0, v)))
		}
		b.s *= 1 - d/n
	}
	b.out.Censored += cut
	b.atRisk -= all + cut
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
