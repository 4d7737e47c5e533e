package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

func checkPlan(sd, effect, alpha, power float64) {
	if !(sd > 0) || !(effect > 0) {
		panic("stats: planning needs a positive standard deviation and effect")
	}
	checkLevel(alpha)
	checkLevel(power)
}

// SampleSize is the number of independent units whose mean shows a deviation of
// effect with the given power in a two-sided test at alpha:
//
//	n = ((z(1−α/2) + z(power)) · sd / effect)²
//
// rounded up; the normal approximation (S.-C. Chow, J. Shao and H. Wang, Sample Size
// Calculations in Clinical Research, 2003, chapter 3). For one score, sd is that of a unit (a
// pair's mean score, or a game's score if games are independent); for paired
// differences it is that of a difference.
func SampleSize(sd, effect, alpha, power float64) int {
	checkPlan(sd, effect, alpha, power)
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	return int(math.Ceil(math.Pow(z*sd/effect, 2)))
}

// Power is the chance that n units show a deviation of effect in a two-sided
// test at alpha (normal approximation, both tails).
func Power(n int, sd, effect, alpha float64) float64 {
	checkPlan(sd, effect, alpha, 0.5)
	if n <= 0 {
		return 0
	}
	d := effect / sd * math.Sqrt(float64(n))
	z := distuv.UnitNormal.Quantile(1 - alpha/2)
	return distuv.UnitNormal.CDF(d-z) + distuv.UnitNormal.CDF(-d-z)
}

// SampleSizeTOST is the number of units that prove |effect| < margin with the
// given power when the true effect is 0 and each one-sided test is at alpha:
//
//	n = ((z(1−α) + z(1−(1−power)/2)) · sd / margin)²
//
// K. F. Phillips, Journal of Pharmacokinetics and Biopharmaceutics 18 (1990)
// 137, in the normal approximation.
func SampleSizeTOST(sd, margin, alpha, power float64) int {
	checkPlan(sd, margin, alpha, power)
	z := distuv.UnitNormal.Quantile(1-alpha) + distuv.UnitNormal.Quantile(1-(1-power)/2)
	return int(math.Ceil(math.Pow(z*sd/margin, 2)))
}

// PowerTOST is the chance that n units prove |effect| < margin when the true
// effect is 0.
func PowerTOST(n int, sd, margin, alpha float64) float64 {
	checkPlan(sd, margin, alpha, 0.5)
	if n <= 0 {
		return 0
	}
	z := distuv.UnitNormal.Quantile(1 - alpha)
	return math.Max(0, 2*distuv.UnitNormal.CDF(margin/sd*math.Sqrt(float64(n))-z)-1)
}

// DetectableEffect is the deviation that n units show with the given power:
// SampleSize solved for the effect.
func DetectableEffect(n int, sd, alpha, power float64) float64 {
	checkPlan(sd, 1, alpha, power)
	if n <= 0 {
		return math.Inf(1)
	}
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	return z * sd / math.Sqrt(float64(n))
}

func checkCorrelation(rho float64) {
	if !(rho >= -1 && rho < 1) {
		panic("stats: a correlation outside [-1, 1)")
	}
}

// DifferenceSD is the standard deviation of the difference of two cells' scores on
// one start, for [SampleSize] and its like: √(a² + b² − 2ρab). rho in [−1, 1) is
// the correlation of the cells' scores over starts: 0 on unrelated starts.
func DifferenceSD(a, b, rho float64) float64 {
	if !(a > 0) || !(b > 0) {
		panic("stats: planning needs positive standard deviations")
	}
	checkCorrelation(rho)
	return math.Sqrt(a*a + b*b - 2*rho*a*b)
}

// PowerTOSTAt is the chance that n units prove |effect| < margin when the true
// effect is truth, each one-sided test at alpha:
//
//	Φ((margin − truth)√n/sd − z) + Φ((margin + truth)√n/sd − z) − 1, at least 0
//
// (K. F. Phillips 1990, normal approximation). At or beyond the margin it is at
// most alpha.
func PowerTOSTAt(n int, sd, truth, margin, alpha float64) float64 {
	checkPlan(sd, margin, alpha, 0.5)
	if n <= 0 {
		return 0
	}
	z := distuv.UnitNormal.Quantile(1 - alpha)
	r := math.Sqrt(float64(n)) / sd
	return math.Max(0, distuv.UnitNormal.CDF((margin-truth)*r-z)+distuv.UnitNormal.CDF((margin+truth)*r-z)-1)
}

// SampleSizeTOSTAt is the least number of units with [PowerTOSTAt] of at least
// power. The true effect must lie inside the margin: beyond it no size suffices.
func SampleSizeTOSTAt(sd, truth, margin, alpha, power float64) int {
	checkPlan(sd, margin, alpha, power)
	if !(math.Abs(truth) < margin) {
		panic("stats: a true effect outside the margin is never shown to be inside")
	}
	return leastSize(func(n int) float64 { return PowerTOSTAt(n, sd, truth, margin, alpha) }, power)
}

// leastSize is the least n with f(n) ≥ want for a rising f; at most 2⁴⁰.
func leastSize(f func(int) float64, want float64) int {
	hi := 1
	for f(hi) < want && hi < 1<<40 {
		hi *= 2
	}
	lo := hi / 2
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; f(mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// MainEffectSE is the standard error of the main effect of a two-level factor, the
// mean score at its high level less that at its low one, in a balanced two-level
// design of the given number of cells (a full factorial, or a fraction in which the
// effect is not aliased), each with the given number of pairs:
//
//	2 sd √((1 − ρ) / (cells · pairs))
//
// sd is the standard deviation of a pair's score in a cell and rho the correlation
// of two cells' scores on a common start, in [−1, 1); 0 where cells have their own
// starts. An interaction of two factors (difference of differences) has twice this
// error. G. E. P. Box, W. G. Hunter and J. S. Hunter, Statistics for Experimenters,
// 1978, chapter 10.
func MainEffectSE(cells, pairs int, sd, rho float64) float64 {
	if cells < 2 || cells%2 != 0 || pairs < 1 || !(sd > 0) {
		panic("stats: a two-level design needs an even number of cells, pairs and a positive standard deviation")
	}
	checkCorrelation(rho)
	return 2 * sd * math.Sqrt((1-rho)/(float64(cells)*float64(pairs)))
}

// PowerMainEffect is the chance that such a design shows a main effect of the given
// size (score points) in a two-sided test at alpha, in the normal approximation.
func PowerMainEffect(cells, pairs int, sd, rho, effect, alpha float64) float64 {
	checkPlan(sd, effect, alpha, 0.5)
	// One unit whose standard deviation is the effect's error.
	return Power(1, MainEffectSE(cells, pairs, sd, rho), effect, alpha)
}

// SampleSizeMainEffect is the number of pairs a cell that shows a main effect of
// the given size with the given power:
//
//	n = ((z(1−α/2) + z(power)) · 2 sd / effect)² (1 − ρ) / cells
//
// rounded up.
func SampleSizeMainEffect(cells int, sd, rho, effect, alpha, power float64) int {
	checkPlan(sd, effect, alpha, power)
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	return max(1, int(math.Ceil(math.Pow(z*MainEffectSE(cells, 1, sd, rho)/effect, 2))))
}
