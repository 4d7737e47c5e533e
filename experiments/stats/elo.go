package stats

import "math"

// EloOf is the logistic rating difference of an expected score:
// 400 log10(s/(1−s)); −Inf at 0, +Inf at 1. (A. E. Elo, The Rating of Chessplayers,
// Past and Present, 1978, with the logistic curve.)
func EloOf(score float64) float64 {
	if !(score >= 0 && score <= 1) {
		panic("stats: a score outside [0, 1]")
	}
	if score == 0 {
		return math.Inf(-1)
	}
	if score == 1 {
		return math.Inf(1)
	}
	return 400 * math.Log10(score/(1-score))
}

// ScoreOf is the expected score of a rating difference: 1/(1+10^(−elo/400)).
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Elo carries the pair interval of a score over to the rating scale (the map is
// monotone, so the coverage is kept). x holds one score in [0, 1] a pair.
//
// A side that won or lost everything has no finite estimate: Estimate and one
// bound are infinite, the other bound comes from the exact argument of
// [PairScore], and Method is "elo-one-sided". To say "at least" is all that such
// a match supports.
func Elo(x []float64, level float64) Interval {
	iv := PairScore(x, level)
	if math.IsNaN(iv.Estimate) {
		return Interval{math.NaN(), math.Inf(-1), math.Inf(1), level, 0, "elo"}
	}
	method := "elo"
	if iv.Estimate == 0 || iv.Estimate == 1 {
		method = "elo-one-sided"
	}
	return Interval{EloOf(iv.Estimate), EloOf(iv.Low), EloOf(iv.High), level, iv.N, method}
}
