package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Equivalence is the result of two one-sided tests.
type Equivalence struct {
	// Low and High are the p-values of "at or below −margin" and "at or above
	// +margin"; P is the larger one.
	Low, High, P float64
	// Margin is the margin that was asked for.
	Margin float64
	// Equivalent reports P < alpha: the effect lies within the margin.
	Equivalent bool
}

// TOST tests whether an effect with the given estimate, standard error and
// degrees of freedom lies within ±margin, at level alpha (as 0.05):
//
//	p_low = P(T ≥ (estimate + margin)/se),  p_high = P(T ≤ (estimate − margin)/se)
//
// D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987)
// 657. It is the same as asking whether the 1−2·alpha interval lies inside the
// margin. df may be +Inf (normal). A standard error of 0 carries no information
// about the margin (see [PairScore]) and never proves equivalence.
func TOST(estimate, se, df, margin, alpha float64) Equivalence {
	if !(margin > 0) {
		panic("stats: an equivalence margin must be positive")
	}
	checkLevel(alpha)
	if !(se > 0) {
		return Equivalence{1, 1, 1, margin, false}
	}
	cdf := distuv.UnitNormal.CDF
	if !math.IsInf(df, 1) {
		cdf = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF
	}
	lo := cdf(-(estimate + margin) / se)
	hi := cdf((estimate - margin) / se)
	p := math.Max(lo, hi)
	return Equivalence{lo, hi, p, margin, p < alpha}
}

// TOSTScore is [TOST] for "the mean score is within margin of one half" from
// pair scores.
func TOSTScore(pairs []float64, margin, alpha float64) Equivalence {
	if len(pairs) < 2 {
		return Equivalence{1, 1, 1, margin, false}
	}
	m, v := meanVar(pairs)
	return TOST(m-0.5, math.Sqrt(v/float64(len(pairs))), float64(len(pairs)-1), margin, alpha)
}
