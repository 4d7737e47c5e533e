package stats

import (
	"math"
)

// PairScore is the interval for a mean score from independent pairs: x holds one
// number in [0, 1] a pair, the mean score of its two games. With mean m and
// sample variance s² over n pairs it is
//
//	m ± t(n−1) s/√n
//
// cut to [0, 1] (Student, Biometrika 6 (1908) 1). The pair is the unit because the two games of a pair share
// their start (colour-mirrored twins).
//
// Where the variance is zero (all pairs scored the same value c, as in a match
// that was won outright) Student's interval would have no width, which would
// claim certainty. There an exact argument replaces it: let q be the chance that
// a pair scores anything but c; none in n gives q ≤ u, the Clopper–Pearson upper
// bound for 0 of n; so the mean lies in [c(1−u), c(1−u) + u]. Method is then
// "pairs-exact", else "pairs-t". One pair gives [0, 1] ("pairs-exact" too).
func PairScore(x []float64, level float64) Interval {
	return boundedMean(x, 0, 1, level, "pairs")
}

// boundedMean is PairScore for values in [lo, hi].
func boundedMean(x []float64, lo, hi, level float64, name string) Interval {
	checkLevel(level)
	n := len(x)
	if n == 0 {
		return Interval{math.NaN(), lo, hi, level, 0, name + "-t"}
	}
	for _, v := range x {
		if !(v >= lo && v <= hi) {
			panic("stats: a pair's value lies outside its range")
		}
	}
	m, v := meanVar(x)
	constant := true
	for _, xi := range x {
		if xi != x[0] {
			constant = false
			break
		}
	}
	if constant {
		m = x[0]
	}
	return boundedMoments(n, m, v, constant, lo, hi, level, name)
}

// boundedMoments is boundedMean by the number of values, their mean, their variance
// and whether they are all the same.
func boundedMoments(n int, m, v float64, constant bool, lo, hi, level float64, name string) Interval {
	if n == 0 {
		return Interval{math.NaN(), lo, hi, level, 0, name + "-t"}
	}
	if constant {
		u := ClopperPearson(0, n, level).High
		return Interval{m, lo + (m-lo)*(1-u), hi - (hi-m)*(1-u), level, n, name + "-exact"}
	}
	half := tOf(level, float64(n-1)) * math.Sqrt(v/float64(n))
	return Interval{m, clamp(m-half, lo, hi), clamp(m+half, lo, hi), level, n, name + "-t"}
}

// MeanT is Student's interval for the mean of an unbounded sample, as a mean
// number of captures a game: m ± t(n−1) s/√n (Student 1908). It needs two values; one value
// gives an infinite interval.
func MeanT(x []float64, level float64) Interval {
	checkLevel(level)
	n := len(x)
	if n == 0 {
		return Interval{math.NaN(), math.Inf(-1), math.Inf(1), level, 0, "t"}
	}
	m, v := meanVar(x)
	if n == 1 {
		return Interval{m, math.Inf(-1), math.Inf(1), level, 1, "t"}
	}
	half := tOf(level, float64(n-1)) * math.Sqrt(v/float64(n))
	return Interval{m, m - half, m + half, level, n, "t"}
}
