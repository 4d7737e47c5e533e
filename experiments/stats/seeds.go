package stats

// SeedMean is the interval for the mean of one estimate a training seed, in
// [low, high] (0 and 1 for a score): Student's t on (seeds − 1) degrees of
// freedom. It says how the estimate varies between trainings, which the games of
// one network cannot; with three seeds t is 4.3 at 95 %, so it is wide, and with
// one it is all of [low, high]. Estimates that agree exactly get the exact bounds
// of [PairScore] and no certainty.
func SeedMean(estimates []float64, low, high, level float64) Interval {
	if !(low < high) {
		panic("stats: a range without width")
	}
	return boundedMean(estimates, low, high, level, "seeds")
}
