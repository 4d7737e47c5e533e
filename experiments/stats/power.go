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
// rounded up; the normal approximation. For one score, sd is that of a unit (a
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
