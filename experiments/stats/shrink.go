package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Heterogeneity is how the variance τ² between items is estimated.
type Heterogeneity int

const (
	// PauleMandel solves Σ w_i (y_i − μ)² = k − 1 with w_i = 1/(se_i² + τ²) (R. C.
	// Paule and J. Mandel, Journal of Research of the National Bureau of Standards 87
	// (1982) 377). It needs no distribution and is the one to use.
	PauleMandel Heterogeneity = iota
	// REML maximises the restricted likelihood of normal items.
	REML
	// DerSimonianLaird is the moment estimate in closed form (R. DerSimonian and N.
	// Laird, Controlled Clinical Trials 7 (1986) 177); too small when τ² is large.
	DerSimonianLaird
)

// Shrinkage is the ranking of items whose estimates have errors.
type Shrinkage struct {
	// Tau2 is the variance of the items' true values, and Mean their mean μ.
	Tau2 float64  `json:"tau2"`
	Mean Interval `json:"mean"`
	// Q is Cochran's statistic of "all items are equal", QP its p-value (χ² with
	// k − 1 degrees of freedom) and I2 = max(0, (Q − k + 1)/Q) the share of the
	// spread that is not error.
	Q  float64 `json:"q"`
	QP float64 `json:"q_p"`
	I2 float64 `json:"i2"`
	// Items are in the order of the input.
	Items []ShrunkItem `json:"items"`
}

// ShrunkItem is one item of a ranking.
type ShrunkItem struct {
	// Shrunk is the value after shrinkage, with its interval.
	Shrunk Interval `json:"shrunk"`
	// Weight in [0, 1] is the weight of the item's own data: τ²/(τ² + se²).
	Weight float64 `json:"weight"`
	// Rank is the mean rank (1 is the largest) with its interval; First and Last are
	// the chances to be the largest and the smallest.
	Rank  Interval `json:"rank"`
	First float64  `json:"first"`
	Last  float64  `json:"last"`
}

// hierarchy is the normal–normal model: y_i ~ N(θ_i, se_i²), θ_i ~ N(μ, τ²).
type hierarchy struct {
	y, v []float64 // estimates and their variances
	tau  []float64 // a grid, and the posterior weights on it
	post []float64
}

// fixed are μ, its variance and the restricted log-likelihood at τ².
func (h *hierarchy) fixed(tau2 float64) (mu, variance, q, ll float64) {
	var sw, swy float64
	for i, y := range h.y {
		w := 1 / (h.v[i] + tau2)
		sw += w
		swy += w * y
		ll += math.Log(w) / 2
	}
	mu = swy / sw
	for i, y := range h.y {
		q += (y - mu) * (y - mu) / (h.v[i] + tau2)
	}
	return mu, 1 / sw, q, ll - q/2 - math.Log(sw)/2
}

// item is the distribution of θ_i at τ².
func (h *hierarchy) item(i int, mu, muVariance, tau2 float64) (mean, variance float64) {
	b := h.v[i] / (h.v[i] + tau2)
	return mu + (1-b)*(h.y[i]-mu), (1-b)*h.v[i] + b*b*muVariance
}

func newHierarchy(estimate, se []float64) (*hierarchy, error) {
	if len(estimate) != len(se) {
		panic(fmt.Sprintf("stats: %d estimates with %d errors", len(estimate), len(se)))
	}
	if len(estimate) < 3 {
		return nil, fmt.Errorf("shrinkage needs three estimates or more, not %d: fewer show no spread", len(estimate))
	}
	h := &hierarchy{y: estimate, v: make([]float64, len(se))}
	for i, s := range se {
		if math.IsNaN(estimate[i]) || math.IsInf(estimate[i], 0) || !(s > 0) || math.IsInf(s, 1) {
			return nil, fmt.Errorf("estimate %d is %v with the standard error %v; both must be finite and the error positive (for a sample without variance take the half-width of its exact interval)", i, estimate[i], s)
		}
		h.v[i] = s * s
	}
	// The posterior of τ with a flat prior. Steps grow with τ: the likelihood is flat
	// around 0 and has a long tail.
	const steps = 400
	most := 3 * (slices.Max(estimate) - slices.Min(estimate) + slices.Max(se))
	top := math.Inf(-1)
	for j := range steps {
		x := (float64(j) + 0.5) / steps
		h.tau = append(h.tau, most*x*x)
		_, _, _, ll := h.fixed(h.tau[j] * h.tau[j])
		h.post = append(h.post, ll+math.Log(x)) // dτ = 2 most x dx
		top = math.Max(top, h.post[j])
	}
	sum := 0.0
	for j := range h.post {
		h.post[j] = math.Exp(h.post[j] - top)
		sum += h.post[j]
	}
	for j := range h.post {
		h.post[j] /= sum
	}
	return h, nil
}

// tau2 is the point estimate.
func (h *hierarchy) tau2(method Heterogeneity) float64 {
	k := float64(len(h.y))
	_, _, q0, _ := h.fixed(0)
	most := h.tau[len(h.tau)-1] * h.tau[len(h.tau)-1]
	switch method {
	case PauleMandel:
		if q0 <= k-1 {
			return 0
		}
		return root(func(t float64) float64 {
			_, _, q, _ := h.fixed(t)
			return q - (k - 1)
		}, 0, most, 1e-14*most)
	case DerSimonianLaird:
		var sw, sw2 float64
		for _, v := range h.v {
			sw += 1 / v
			sw2 += 1 / (v * v)
		}
		return math.Max(0, (q0-(k-1))/(sw-sw2/sw))
	case REML:
		score := func(t float64) float64 {
			mu, variance, _, _ := h.fixed(t)
			s := 0.0
			var sw, sw2 float64
			for i, y := range h.y {
				w := 1 / (h.v[i] + t)
				sw += w
				sw2 += w * w
				s += w * w * (y - mu) * (y - mu)
			}
			return s - sw + sw2*variance
		}
		// The likelihood can have more than one maximum: start at the best of the grid.
		best, at := math.Inf(-1), 0
		for j, tau := range h.tau {
			if _, _, _, ll := h.fixed(tau * tau); ll > best {
				best, at = ll, j
			}
		}
		lo, hi := 0.0, h.tau[min(at+1, len(h.tau)-1)]
		if at > 0 {
			lo = h.tau[at-1]
		}
		if at == 0 && score(0) <= 0 {
			return 0
		}
		return root(score, lo*lo, hi*hi, 1e-14*most)
	}
	panic(fmt.Sprintf("stats: method %d of heterogeneity", method))
}

// mixture is the quantile of a mixture over τ of normal distributions.
func (h *hierarchy) mixture(at func(tau2 float64) (mean, variance float64), level float64) (low, high float64) {
	means, sds := make([]float64, len(h.tau)), make([]float64, len(h.tau))
	lo, hi := math.Inf(1), math.Inf(-1)
	for j, t := range h.tau {
		m, v := at(t * t)
		means[j], sds[j] = m, math.Sqrt(v)
		if h.post[j] > 1e-12 {
			lo, hi = math.Min(lo, m-9*sds[j]), math.Max(hi, m+9*sds[j])
		}
	}
	quantile := func(q float64) float64 {
		return root(func(x float64) float64 {
			s := -q
			for j, w := range h.post {
				if w > 1e-12 {
					s += w * distuv.UnitNormal.CDF((x-means[j])/sds[j])
				}
			}
			return s
		}, lo, hi, 1e-9*(hi-lo))
	}
	a := (1 - level) / 2
	return quantile(a), quantile(1 - a)
}

// draw writes a draw of all θ into out.
func (h *hierarchy) draw(out, cumulative []float64, rng *rand.Rand) {
	j, _ := slices.BinarySearch(cumulative, rng.Float64())
	tau2 := h.tau[min(j, len(h.tau)-1)]
	tau2 *= tau2
	mu, v, _, _ := h.fixed(tau2)
	mu += math.Sqrt(v) * rng.NormFloat64()
	for i := range out {
		m, sv := h.item(i, mu, 0, tau2)
		out[i] = m + math.Sqrt(sv)*rng.NormFloat64()
	}
}

func (h *hierarchy) cumulative() []float64 {
	c := make([]float64, len(h.post))
	sum := 0.0
	for j, w := range h.post {
		sum += w
		c[j] = sum
	}
	return c
}

// Shrink ranks items, as the scores of rulesets of one family, by empirical Bayes.
// The largest of many noisy estimates is largest partly by luck; each estimate y_i
// with standard error se_i is therefore pulled towards the common mean,
//
//	μ + (1 − B_i)(y_i − μ),  B_i = se_i²/(se_i² + τ²)
//
// B. Efron and C. Morris, Journal of the American Statistical Association 70 (1975)
// 311. τ² is estimated by the method; the intervals and ranks also allow for not
// knowing μ and τ: they are of the posterior with a flat prior for μ and for τ (up
// to three times the range; A. Gelman, Bayesian Analysis 1 (2006) 515), of which
// ranks take draws. Ranks are what is uncertain first: look at their intervals
// before naming a best and a worst, and confirm those on fresh seeds.
//
// Errors: fewer than three estimates, or one without a positive finite standard
// error. Slices of different lengths, or fewer than one draw, panic.
func Shrink(estimate, se []float64, method Heterogeneity, level float64, draws int, rng *rand.Rand) (Shrinkage, error) {
	checkLevel(level)
	if draws < 1 {
		panic("stats: ranks need at least one draw")
	}
	h, err := newHierarchy(estimate, se)
	if err != nil {
		return Shrinkage{}, err
	}
	k := len(estimate)
	out := Shrinkage{Tau2: h.tau2(method), Items: make([]ShrunkItem, k)}
	_, _, out.Q, _ = h.fixed(0)
	df := float64(k - 1)
	out.QP = mathext.GammaIncRegComp(df/2, out.Q/2)
	if out.Q > 0 {
		out.I2 = math.Max(0, (out.Q-df)/out.Q)
	}
	mu, muVariance, _, _ := h.fixed(out.Tau2)
	lo, hi := h.mixture(func(t float64) (float64, float64) {
		m, v, _, _ := h.fixed(t)
		return m, v
	}, level)
	out.Mean = Interval{mu, lo, hi, level, k, "normal-normal"}

	ranks := make([][]float64, k)
	theta, order := make([]float64, k), make([]int, k)
	cumulative := h.cumulative()
	for range draws {
		h.draw(theta, cumulative, rng)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			switch {
			case theta[a] > theta[b]:
				return -1
			case theta[a] < theta[b]:
				return 1
			}
			return a - b
		})
		for r, i := range order {
			ranks[i] = append(ranks[i], float64(r+1))
		}
	}
	a := (1 - level) / 2
	for i := range out.Items {
		it := &out.Items[i]
		m, _ := h.item(i, mu, muVariance, out.Tau2)
		lo, hi := h.mixture(func(t float64) (float64, float64) {
			fm, fv, _, _ := h.fixed(t)
			return h.item(i, fm, fv, t)
		}, level)
		it.Shrunk = Interval{m, lo, hi, level, k, "shrunk"}
		it.Weight = out.Tau2 / (out.Tau2 + h.v[i])
		slices.Sort(ranks[i])
		mean := 0.0
		for _, r := range ranks[i] {
			mean += r / float64(draws)
			if r == 1 {
				it.First += 1 / float64(draws)
			}
			if r == float64(k) {
				it.Last += 1 / float64(draws)
			}
		}
		// Ranks are whole: the interval's ends are ranks that were drawn.
		at := func(q float64) float64 {
			return ranks[i][int(clamp(math.Floor(q*float64(draws)), 0, float64(draws-1)))]
		}
		it.Rank = Interval{mean, at(a), at(1 - a), level, k, "rank"}
	}
	return out, nil
}
