package stats

import (
	"fmt"
	"math"
)

// Ratio is the ratio of two effects of a regression with Fieller's interval, as what
// one piece is worth in another. With estimates a and b, their covariance V and q
// the quantile of Student's t on clusters − 1 degrees of freedom, it is the set of
// all r with
//
//	(a − r b)² ≤ q² (V_aa − 2 r V_ab + r² V_bb).
//
// That is an interval if b itself is told from zero (b² > q² V_bb); otherwise it is
// unbounded, both ends are infinite and Method is "fieller-unbounded". E. C. Fieller,
// Journal of the Royal Statistical Society B 16 (1954) 175. An unknown name, or a
// regression that was read from JSON, panics; the error is [ErrSeparated].
func (r Regression) Ratio(numerator, denominator string, level float64) (Interval, error) {
	checkLevel(level)
	if r.robust == nil {
		panic("stats: a ratio of effects of a regression without its covariance")
	}
	at := func(name string) int {
		for i, e := range r.Effects {
			if e.Name == name {
				return i
			}
		}
		panic(fmt.Sprintf("stats: no effect is called %q", name))
	}
	i, j := at(numerator), at(denominator)
	for _, k := range []int{i, j} {
		if r.Effects[k].Separated {
			return Interval{}, fmt.Errorf("%w: %s", ErrSeparated, r.Effects[k].Name)
		}
	}
	a, b := r.Effects[i].Interval.Estimate, r.Effects[j].Interval.Estimate
	q := tOf(level, float64(r.Clusters-1))
	vaa, vab, vbb := q*q*r.robust.At(i, i), q*q*r.robust.At(i, j), q*q*r.robust.At(j, j)
	out := Interval{a / b, math.Inf(-1), math.Inf(1), level, r.Clusters, "fieller-unbounded"}
	lead := b*b - vbb
	if !(lead > 0) {
		return out, nil
	}
	mid := a*b - vab
	root := math.Sqrt(math.Max(0, mid*mid-lead*(a*a-vaa)))
	out.Low, out.High, out.Method = (mid-root)/lead, (mid+root)/lead, "fieller"
	return out, nil
}
