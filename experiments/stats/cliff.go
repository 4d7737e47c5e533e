package stats

import (
	"math"
	"slices"
)

// CliffDelta is Cliff's δ = P(a > b) − P(a < b) of two independent samples, as
// of lengths of games: 1 if every a is larger, −1 if every b is, 0 if neither
// tends to be. It needs no units and no normal distribution. With d_ij the sign of
// a_i − b_j and d_i·, d_·j its means over the other sample, the variance is
//
//	(m² Σ(d_i·−δ)² + n² Σ(d_·j−δ)² − Σ(d_ij−δ)²) / (mn(m−1)(n−1)),
//
// at least (1−δ²)/(mn−1), and the interval, which stays in [−1, 1],
//
//	(δ − δ³ ± tσ √((1−δ²)² + t²σ²)) / (1 − δ² + t²σ²)
//
// with Student's t on n+m−2 degrees of freedom. N. Cliff, Psychological Bulletin
// 114 (1993) 494; D. Feng and N. Cliff, Journal of Modern Applied Statistical
// Methods 3 (2004) 322. Where all values of one sample lie beyond all of the other,
// the inner bound is that of the one-sided exact argument for min(n, m)
// independent comparisons. n is the size of a and m that of b; an empty sample
// gives NaN in [−1, 1], one of a single value the estimate in [−1, 1]. NaN values
// panic.
func CliffDelta(a, b []float64, level float64) Interval {
	checkLevel(level)
	const name = "cliff"
	if len(a) == 0 || len(b) == 0 {
		return Interval{math.NaN(), -1, 1, level, len(a) + len(b), name}
	}
	for _, v := range slices.Concat(a, b) {
		if math.IsNaN(v) {
			panic("stats: Cliff's delta of NaN")
		}
	}
	n, m := float64(len(a)), float64(len(b))
	as, bs := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	// Row means: the share of the other sample below each value less that above.
	dominance := func(x, other []float64) []float64 {
		out := make([]float64, len(x))
		below, upTo := 0, 0
		for i, v := range x {
			for below < len(other) && other[below] < v {
				below++
			}
			for upTo < len(other) && other[upTo] <= v {
				upTo++
			}
			out[i] = float64(below-(len(other)-upTo)) / float64(len(other))
		}
		return out
	}
	rows, columns := dominance(as, bs), dominance(bs, as)
	delta, _ := meanVar(rows)
	delta = clamp(delta, -1, 1)
	if len(a) == 1 || len(b) == 1 {
		return Interval{delta, -1, 1, level, len(a) + len(b), name}
	}
	var sr, sc, squares float64
	for _, r := range rows {
		sr += (r - delta) * (r - delta)
	}
	for _, c := range columns {
		sc += (-c - delta) * (-c - delta)
	}
	// Σ d_ij² counts the pairs that are not tied.
	tied := 0.0
	for i, j := 0, 0; i < len(as); {
		v := as[i]
		ka, kb := 0, 0
		for ; i < len(as) && as[i] == v; i++ {
			ka++
		}
		for ; j < len(bs) && bs[j] <= v; j++ {
			if bs[j] == v {
				kb++
			}
		}
		tied += float64(ka) * float64(kb)
	}
	squares = n*m - tied - n*m*delta*delta
	variance := (m*m*sr + n*n*sc - squares) / (n * m * (n - 1) * (m - 1))
	variance = math.Max(variance, (1-delta*delta)/(n*m-1))
	if math.Abs(delta) == 1 {
		// One of min(n, m) independent comparisons with chance q of the other sign
		// moves δ by 2q.
		u := ClopperPearson(0, min(len(a), len(b)), level).High
		iv := Interval{delta, delta, delta, level, len(a) + len(b), "cliff-exact"}
		if delta > 0 {
			iv.Low = 1 - 2*u
		} else {
			iv.High = 2*u - 1
		}
		return iv
	}
	t := tOf(level, n+m-2)
	q := 1 - delta*delta
	tv := t * t * variance
	half := t * math.Sqrt(variance) * math.Sqrt(q*q+tv)
	return Interval{delta, clamp((delta*q-half)/(q+tv), -1, 1), clamp((delta*q+half)/(q+tv), -1, 1), level, len(a) + len(b), name}
}
