package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// BootstrapMethod is how a bootstrap distribution becomes an interval.
type BootstrapMethod int

const (
	// Percentile takes the α/2 and 1−α/2 quantiles of the resampled means
	// (B. Efron, Annals of Statistics 7 (1979) 1).
	Percentile BootstrapMethod = iota
	// BCa corrects the quantiles for bias z0 and acceleration a:
	// α' = Φ(z0 + (z0+zα)/(1 − a(z0+zα))), with z0 from the share of resamples
	// below the estimate and a from the jackknife's skewness (B. Efron, Journal
	// of the American Statistical Association 82 (1987) 171).
	BCa
)

// BootstrapMean is a bootstrap interval for the mean of independent values (one
// a pair), from resamples draws with rng. Values that are all equal give the
// same interval as [PairScore] when they lie in [0, 1], since resampling cannot
// see what was never seen; else an interval without width.
func BootstrapMean(x []float64, method BootstrapMethod, resamples int, level float64, rng *rand.Rand) Interval {
	checkLevel(level)
	name := "bootstrap-percentile"
	if method == BCa {
		name = "bootstrap-bca"
	}
	n := len(x)
	if n == 0 {
		return Interval{math.NaN(), math.Inf(-1), math.Inf(1), level, 0, name}
	}
	if resamples < 1 {
		panic("stats: a bootstrap needs at least one resample")
	}
	if slices.Min(x) == slices.Max(x) {
		if x[0] >= 0 && x[0] <= 1 {
			return PairScore(x, level)
		}
		return Interval{x[0], x[0], x[0], level, n, name}
	}
	m, _ := meanVar(x)
	boot := make([]float64, resamples)
	for b := range boot {
		var s float64
		for range n {
			s += x[rng.IntN(n)]
		}
		boot[b] = s / float64(n)
	}
	slices.Sort(boot)
	a1, a2 := (1-level)/2, 1-(1-level)/2
	if method == BCa {
		// Ties with the estimate are common for half-point scores and count half.
		below, equal := 0, 0
		for _, v := range boot {
			switch {
			case math.Abs(v-m) < 1e-12:
				equal++
			case v < m:
				below++
			}
		}
		share := (float64(below) + float64(equal)/2) / float64(resamples)
		share = clamp(share, 0.5/float64(resamples), 1-0.5/float64(resamples))
		norm := distuv.UnitNormal
		z0 := norm.Quantile(share)
		// For a mean the jackknife value without x_i differs from the average by
		// (m − x_i)/(n−1), so its skewness needs no second pass over subsets.
		var s2, s3 float64
		for _, v := range x {
			d := v - m
			s2 += d * d
			s3 += d * d * d
		}
		acc := s3 / (6 * math.Pow(s2, 1.5))
		adj := func(a float64) float64 {
			z := z0 + norm.Quantile(a)
			return norm.CDF(z0 + z/(1-acc*z))
		}
		a1, a2 = adj(a1), adj(a2)
	}
	return Interval{m, Quantile(boot, a1), Quantile(boot, a2), level, n, name}
}

// Quantile is the q-quantile of a sorted sample by linear interpolation between
// order statistics at (n−1)q (type 7 of Hyndman and Fan, American Statistician
// 50 (1996) 361, the default of R and numpy). NaN for an empty sample.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	h := clamp(q, 0, 1) * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}
