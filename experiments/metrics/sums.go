package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"latro/experiments/stats"
)

// ratio is a total over a count, with start pairs as the units: both are summed
// within each pair, and the error comes from how the pairs differ (the linearised
// variance of a ratio estimate; W. G. Cochran, Sampling Techniques, 3rd ed. 1977,
// 2.11 and 6.3). With a count of 2 in every pair it is Student's interval of the
// pairs' means.
type ratio struct {
	pairs          int
	x, n           float64
	xx, xn, nn     float64
	games          int
	first          float64
	varies         bool
	pairX, pairN   float64
	pairedGames    int
	least, largest float64
}

// game adds a game's total and count to the open pair.
func (r *ratio) game(x, n float64) {
	r.pairX += x
	r.pairN += n
	if n > 0 {
		r.pairedGames++
		v := x / n
		if r.games+r.pairedGames == 1 {
			r.first, r.least, r.largest = v, v, v
		}
		r.varies = r.varies || v != r.first
		r.least, r.largest = math.Min(r.least, v), math.Max(r.largest, v)
	}
}

// close ends the open pair. A pair without counts is none.
func (r *ratio) close() {
	if r.pairN > 0 {
		x, n := r.pairX, r.pairN
		r.pairs++
		r.games += r.pairedGames
		r.x += x
		r.n += n
		r.xx += x * x
		r.xn += x * n
		r.nn += n * n
	}
	r.pairX, r.pairN, r.pairedGames = 0, 0, 0
}

// interval is the estimate for a quantity in [lo, hi] (either may be infinite).
// Where all games agree it is the exact one of stats.PairScore: a chance of at most
// u of a pair that was not seen moves the mean by at most u times the way to the
// bound.
func (r *ratio) interval(lo, hi, level float64) stats.Interval {
	iv := stats.Interval{Estimate: math.NaN(), Low: lo, High: hi, Level: level, N: r.pairs, Method: "pairs-t"}
	if r.pairs == 0 {
		return iv
	}
	m := r.x / r.n
	iv.Estimate = m
	if !r.varies {
		iv.Estimate, iv.Method = r.first, "pairs-exact"
		u := stats.ClopperPearson(0, r.pairs, level).High
		if !math.IsInf(lo, 0) {
			iv.Low = r.first - u*(r.first-lo)
		}
		if !math.IsInf(hi, 0) {
			iv.High = r.first + u*(hi-r.first)
		}
		return iv
	}
	if r.pairs < 2 {
		return iv
	}
	g := float64(r.pairs)
	variance := math.Max(0, r.xx-2*m*r.xn+m*m*r.nn) * g / (g - 1) / (r.n * r.n)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: g - 1}.Quantile(0.5+level/2) * math.Sqrt(variance)
	iv.Low, iv.High = math.Max(lo, m-half), math.Min(hi, m+half)
	return iv
}

// spread mixes a number into one that looks random: a bijection of 64 bits
// (splitmix64's finaliser).
func spread(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
