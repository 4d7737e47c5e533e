package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

func checkCount(k, n int) {
	if k < 0 || n < 0 || k > n {
		panic(fmt.Sprintf("stats: %d successes of %d trials", k, n))
	}
}

func unknownShare(level float64, method string) Interval {
	return Interval{Estimate: math.NaN(), Low: 0, High: 1, Level: level, Method: method}
}

// Wilson is the score interval for k successes in n independent trials:
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)
//
// E. B. Wilson, Journal of the American Statistical Association 22 (1927) 209;
// recommended for shares by Brown, Cai and DasGupta, Statistical Science 16
// (2001) 101. The estimate is k/n. n = 0 gives NaN in [0, 1].
func Wilson(k, n int, level float64) Interval {
	checkCount(k, n)
	checkLevel(level)
	if n == 0 {
		return unknownShare(level, "wilson")
	}
	z, nf := zOf(level), float64(n)
	p := float64(k) / nf
	den := 1 + z*z/nf
	mid := (p + z*z/(2*nf)) / den
	half := z * math.Sqrt(p*(1-p)/nf+z*z/(4*nf*nf)) / den
	lo, hi := clamp(mid-half, 0, 1), clamp(mid+half, 0, 1)
	// Exact at the ends: rounding must not exclude a share of 0 or 1 that was seen.
	if k == 0 {
		lo = 0
	}
	if k == n {
		hi = 1
	}
	return Interval{p, lo, hi, level, n, "wilson"}
}

// ClopperPearson is the exact interval from the binomial tails, with coverage of
// at least the level for every share:
//
//	low = B(α/2; k, n−k+1), high = B(1−α/2; k+1, n−k)
//
// with B the beta quantile. C. J. Clopper and E. S. Pearson, Biometrika 26
// (1934) 404.
func ClopperPearson(k, n int, level float64) Interval {
	checkCount(k, n)
	checkLevel(level)
	if n == 0 {
		return unknownShare(level, "clopper-pearson")
	}
	a := (1 - level) / 2
	lo, hi := 0.0, 1.0
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(a)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - a)
	}
	return Interval{float64(k) / float64(n), lo, hi, level, n, "clopper-pearson"}
}

// Jeffreys is the equal-tailed credible interval under the prior Beta(½, ½):
// quantiles of Beta(k+½, n−k+½), with 0 as the low bound when k = 0 and 1 as the
// high bound when k = n (Brown, Cai and DasGupta 2001, section 4).
func Jeffreys(k, n int, level float64) Interval {
	checkCount(k, n)
	checkLevel(level)
	if n == 0 {
		return unknownShare(level, "jeffreys")
	}
	a := (1 - level) / 2
	d := distuv.Beta{Alpha: float64(k) + 0.5, Beta: float64(n-k) + 0.5}
	lo, hi := d.Quantile(a), d.Quantile(1-a)
	if k == 0 {
		lo = 0
	}
	if k == n {
		hi = 1
	}
	return Interval{float64(k) / float64(n), lo, hi, level, n, "jeffreys"}
}

// ShareDifference is the interval for p1 − p2 of two independent shares k1/n1
// and k2/n2, built from their Wilson intervals (l, u):
//
//	p1 − p2 − √((p1−l1)² + (u2−p2)²)  to  p1 − p2 + √((u1−p1)² + (p2−l2)²)
//
// Method 10 of R. G. Newcombe, Statistics in Medicine 17 (1998) 873.
func ShareDifference(k1, n1, k2, n2 int, level float64) Interval {
	a, b := Wilson(k1, n1, level), Wilson(k2, n2, level)
	if n1 == 0 || n2 == 0 {
		return Interval{math.NaN(), -1, 1, level, 0, "newcombe"}
	}
	d := a.Estimate - b.Estimate
	lo := d - math.Hypot(a.Estimate-a.Low, b.High-b.Estimate)
	hi := d + math.Hypot(a.High-a.Estimate, b.Estimate-b.Low)
	return Interval{d, clamp(lo, -1, 1), clamp(hi, -1, 1), level, n1 + n2, "newcombe"}
}
