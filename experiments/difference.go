package experiments

import "latro/experiments/stats"

// difference gathers a difference pair by pair: as it is, with capped games counted as half, and as small and as large as it
// would be if every capped game were counted the one way or the other.
type difference struct {
	moments
	low, high moments
	capped    bool // low and high are not the same
}

// add takes a pair in, whose value the capped games could move by doubt either way.
func (x *difference) add(value, doubt float64) {
	x.moments.add(value)
	x.low.add(value - doubt)
	x.high.add(value + doubt)
	x.capped = x.capped || doubt > 0
}

// equivalence is that of moments, whatever way the capped games count.
func (x *difference) equivalence(margin, reach float64) stats.Equivalence {
	return worst(x.low.equivalence(margin, reach), x.high.equivalence(margin, reach))
}

// bounds are the intervals of low and high for a difference of at most span, nil where no capped game matters.
func (x *difference) bounds(span, level float64, name string) (low, high *stats.Interval) {
	if !x.capped {
		return nil, nil
	}
	lo, hi := x.low.interval(-span, span, level, name), x.high.interval(-span, span, level, name)
	return &lo, &hi
}

// doubtOf is how far capped games could move the mean of some cells in a pair either way: they count as half of a
// score, and as what they are in all other metrics.
func doubtOf(cells []int, metric, i int, at func(cell, i int) *pairValues) float64 {
	if metric != scoreMetric {
		return 0
	}
	share, _, _ := meanOf(cells, cappedMetric, i, at)
	return share / 2
}
