package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ZeroShrinkage is the ranking, by size, of effects that share a comparison.
type ZeroShrinkage struct {
	// Tau is the standard deviation of the true effects about zero, with its interval.
	Tau Interval `json:"tau"`
	// Items are in the order of the input. Their ranks are by absolute size: rank 1 is
	// the largest effect in either direction.
	Items []ShrunkItem `json:"items"`
}

// leastEigen is the least variance of a combination of effects, as a share of their
// mean variance: two effects that rose and fell together in all games are not known
// to be equal for certain.
const leastEigen = 0.01

// ShrinkToZero draws effects towards zero and ranks them by absolute size. It is for
// effects of the same kind that are each a difference from one common baseline, as
// those of a ruleset's readings: most of them may do little, in either direction, and
// their errors go together, because the baseline's own error is in all of them. The
// model is
//
//	d ~ N(θ, Σ),  θ_i ~ N(0, τ²)
//
// with the full covariance Σ of the estimates d, so that E[θ|d, τ] = τ²(Σ + τ²I)⁻¹d:
// what all effects have in common is believed less than what one of them has alone
// (B. Efron and C. Morris, Journal of the American Statistical Association 70 (1975)
// 311, with a known mean and a general Σ). Estimates, intervals and ranks are of the
// posterior with a flat prior for τ up to three times the largest estimate with its
// error (A. Gelman, Bayesian Analysis 1 (2006) 515); ranks take draws from it.
//
// Errors: fewer than three effects, one that is not finite, or a variance that is not
// positive. A covariance of another size than the effects, or fewer than one draw,
// panics.
func ShrinkToZero(effect []float64, covariance *mat.SymDense, level float64, draws int, rng *rand.Rand) (ZeroShrinkage, error) {
	checkLevel(level)
	k := len(effect)
	if covariance.SymmetricDim() != k || draws < 1 {
		panic(fmt.Sprintf("stats: %d effects with a covariance of %d, %d draws", k, covariance.SymmetricDim(), draws))
	}
	if k < 3 {
		return ZeroShrinkage{}, fmt.Errorf("shrinkage needs three effects or more, not %d: fewer show no spread", k)
	}
	largest, meanVariance := 0.0, 0.0
	for i, d := range effect {
		v := covariance.At(i, i)
		if math.IsNaN(d) || math.IsInf(d, 0) || !(v > 0) || math.IsInf(v, 1) {
			return ZeroShrinkage{}, fmt.Errorf("effect %d is %v with the variance %v; both must be finite and the variance positive", i, d, v)
		}
		largest = math.Max(largest, math.Abs(d)+math.Sqrt(v))
		meanVariance += v / float64(k)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return ZeroShrinkage{}, fmt.Errorf("the covariance of the effects has no eigenvalues")
	}
	var q mat.Dense
	eigen.VectorsTo(&q)
	lambda := eigen.Values(nil)
	z := make([]float64, k) // the effects in the eigenvectors' coordinates
	for j := range lambda {
		lambda[j] = math.Max(lambda[j], leastEigen*meanVariance)
		for i, d := range effect {
			z[j] += q.At(i, j) * d
		}
	}

	// The posterior of τ; steps grow with it as in Shrink.
	const steps = 400
	h := &hierarchy{}
	top := math.Inf(-1)
	for s := range steps {
		x := (float64(s) + 0.5) / steps
		tau := 3 * largest * x * x
		ll := math.Log(x)
		for j, l := range lambda {
			v := l + tau*tau
			ll -= (math.Log(v) + z[j]*z[j]/v) / 2
		}
		h.tau, h.post = append(h.tau, tau), append(h.post, ll)
		top = math.Max(top, ll)
	}
	sum := 0.0
	for s := range h.post {
		h.post[s] = math.Exp(h.post[s] - top)
		sum += h.post[s]
	}
	out := ZeroShrinkage{Items: make([]ShrunkItem, k)}
	out.Tau = Interval{Level: level, N: k, Method: "posterior"}
	for s := range h.post {
		h.post[s] /= sum
		out.Tau.Estimate += h.post[s] * h.tau[s]
	}
	cumulative := h.cumulative()
	a := (1 - level) / 2
	quantile := func(p float64) float64 {
		s, _ := slices.BinarySearch(cumulative, p)
		return h.tau[min(s, steps-1)]
	}
	out.Tau.Low, out.Tau.High = quantile(a), quantile(1-a)

	// at is the distribution of θ_i given τ².
	at := func(i int, tau2 float64) (mean, variance float64) {
		for j, l := range lambda {
			b, c := tau2/(l+tau2), q.At(i, j)
			mean += c * b * z[j]
			variance += c * c * b * l
		}
		return mean, variance
	}
	ranks := make([][]float64, k)
	theta, order := make([]float64, k), make([]int, k)
	for range draws {
		s, _ := slices.BinarySearch(cumulative, rng.Float64())
		tau2 := h.tau[min(s, steps-1)]
		tau2 *= tau2
		for i := range theta {
			theta[i], order[i] = 0, i
		}
		for j, l := range lambda {
			b := tau2 / (l + tau2)
			u := b*z[j] + math.Sqrt(b*l)*rng.NormFloat64()
			for i := range theta {
				theta[i] += q.At(i, j) * u
			}
		}
		slices.SortFunc(order, func(x, y int) int {
			switch {
			case math.Abs(theta[x]) > math.Abs(theta[y]):
				return -1
			case math.Abs(theta[x]) < math.Abs(theta[y]):
				return 1
			}
			return x - y
		})
		for r, i := range order {
			ranks[i] = append(ranks[i], float64(r+1))
		}
	}
	for i := range out.Items {
		it := &out.Items[i]
		mean := 0.0
		for s, t := range h.tau {
			m, _ := at(i, t*t)
			mean += h.post[s] * m
		}
		lo, hi := h.mixture(func(t float64) (float64, float64) { return at(i, t) }, level)
		it.Shrunk = Interval{mean, lo, hi, level, k, "shrunk-to-zero"}
		v, t2 := covariance.At(i, i), 0.0
		for s, t := range h.tau {
			t2 += h.post[s] * t * t / (t*t + v)
		}
		it.Weight = t2
		slices.Sort(ranks[i])
		sum := 0.0
		for _, r := range ranks[i] {
			sum += r
			if r == 1 {
				it.First += 1 / float64(draws)
			}
			if r == float64(k) {
				it.Last += 1 / float64(draws)
			}
		}
		pick := func(p float64) float64 {
			return ranks[i][int(clamp(math.Floor(p*float64(draws)), 0, float64(draws-1)))]
		}
		it.Rank = Interval{sum / float64(draws), pick(a), pick(1 - a), level, k, "rank-of-size"}
	}
	return out, nil
}
