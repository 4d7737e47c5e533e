package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// shared is the covariance of differences from one baseline: independent errors of
// variance own, and the baseline's of variance common in all.
func shared(k int, own, common float64) *mat.SymDense {
	c := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			v := common
			if i == j {
				v += own
			}
			c.SetSym(i, j, v)
		}
	}
	return c
}

// With equal independent errors the posterior mean is d_i E[τ²/(τ² + v) | d], whose
// expectation is computed here by another quadrature.
func TestShrinkToZeroEqualErrors(t *testing.T) {
	d := []float64{0.9, -0.2, 0.1, 2.5, -1.1}
	const v = 0.25
	got, err := ShrinkToZero(d, shared(len(d), v, 0), 0.95, 4000, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	num, den := 0.0, 0.0
	most := 3 * (2.5 + 0.5)
	for s := range 200000 {
		tau := (float64(s) + 0.5) / 200000 * most
		ll := 0.0
		for _, x := range d {
			ll -= (math.Log(v+tau*tau) + x*x/(v+tau*tau)) / 2
		}
		w := math.Exp(ll)
		den += w
		num += w * tau * tau / (tau*tau + v)
	}
	for i, x := range d {
		it := got.Items[i]
		if want := x * num / den; math.Abs(it.Shrunk.Estimate-want) > 2e-3*math.Abs(want) {
			t.Errorf("effect %v is drawn to %v, want %v", x, it.Shrunk.Estimate, want)
		}
		if !(it.Shrunk.Low < it.Shrunk.Estimate && it.Shrunk.Estimate < it.Shrunk.High) {
			t.Errorf("interval %v", it.Shrunk)
		}
	}
	// The size ranks, not the sign: 2.5, then −1.1.
	if got.Items[3].Rank.Estimate > 1.1 || got.Items[3].First < 0.9 || got.Items[4].Rank.Estimate > got.Items[1].Rank.Estimate {
		t.Errorf("ranks %v, %v, %v", got.Items[3].Rank, got.Items[4].Rank, got.Items[1].Rank)
	}
}

// A shift that all differences have in common is mostly the baseline's own error, and
// is believed less where the covariance says so.
func TestShrinkToZeroCommonShift(t *testing.T) {
	d := []float64{1, 1.1, 0.9, 1.05, 0.95, 1}
	size := func(c *mat.SymDense) float64 {
		r, err := ShrinkToZero(d, c, 0.95, 200, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return r.Items[0].Shrunk.Estimate
	}
	alone, together := size(shared(6, 0.5, 0)), size(shared(6, 0.02, 0.48))
	if !(together < 0.35*alone) {
		t.Errorf("a shift of 1 is drawn to %v with a common error, to %v with errors of their own", together, alone)
	}
}

// Over many sets of effects, drawn from the model and from a few large ones among
// nothing, the shrunk estimates are nearer to the truth than the measured ones, above
// all that of the largest (the winner's curse), and the intervals hold the truth.
func TestShrinkToZeroCalibration(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const k, sets = 10, 70
	c := shared(k, 0.5, 0.5)
	for _, sparse := range []bool{false, true} {
		var raw, shrunk, rawTop, shrunkTop float64
		covered, ranked := 0, 0
		for range sets {
			truth, d := make([]float64, k), make([]float64, k)
			base := math.Sqrt(0.5) * rng.NormFloat64()
			for i := range d {
				switch {
				case !sparse:
					truth[i] = 0.7 * rng.NormFloat64()
				case i == 0:
					truth[i] = 3
				}
				d[i] = truth[i] + base + math.Sqrt(0.5)*rng.NormFloat64()
			}
			r, err := ShrinkToZero(d, c, 0.95, 300, rng)
			if err != nil {
				t.Fatal(err)
			}
			top := 0
			for i, it := range r.Items {
				raw += (d[i] - truth[i]) * (d[i] - truth[i])
				shrunk += (it.Shrunk.Estimate - truth[i]) * (it.Shrunk.Estimate - truth[i])
				if it.Shrunk.Contains(truth[i]) {
					covered++
				}
				rank := 1.0
				for _, o := range truth {
					if math.Abs(o) > math.Abs(truth[i]) {
						rank++
					}
				}
				if !sparse && it.Rank.Contains(rank) {
					ranked++
				}
				if math.Abs(d[i]) > math.Abs(d[top]) {
					top = i
				}
			}
			rawTop += math.Abs(d[top]) - math.Abs(truth[top])
			shrunkTop += math.Abs(r.Items[top].Shrunk.Estimate) - math.Abs(truth[top])
		}
		if !(shrunk < 0.75*raw) {
			t.Errorf("sparse %v: squared error %.0f after shrinkage, %.0f before", sparse, shrunk, raw)
		}
		// Of 700 intervals 95 % hold the truth; errors within a set go together.
		if share := float64(covered) / (k * sets); share < 0.92 {
			t.Errorf("sparse %v: intervals hold the truth in %.3f", sparse, share)
		}
		if !sparse {
			if share := float64(ranked) / (k * sets); share < 0.92 {
				t.Errorf("rank intervals hold the true rank in %.3f", share)
			}
			if rawTop/sets < 0.3 || math.Abs(shrunkTop) > 0.5*rawTop {
				t.Errorf("the largest is too large by %.2f as measured, %.2f after shrinkage", rawTop/sets, shrunkTop/sets)
			}
		}
	}
}

func TestShrinkToZeroRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	if _, err := ShrinkToZero([]float64{1, 2}, shared(2, 1, 0), 0.95, 10, rng); err == nil {
		t.Error("two effects are shrunk")
	}
	if _, err := ShrinkToZero([]float64{1, math.NaN(), 2}, shared(3, 1, 0), 0.95, 10, rng); err == nil {
		t.Error("NaN is shrunk")
	}
	if _, err := ShrinkToZero([]float64{1, 3, 2}, shared(3, 0, 0), 0.95, 10, rng); err == nil {
		t.Error("effects without errors are shrunk")
	}
	// Effects that are known to move together stay finite.
	r, err := ShrinkToZero([]float64{0, 0, 0}, shared(3, 0, 1), 0.95, 10, rng)
	if err != nil || math.IsNaN(r.Items[0].Shrunk.Low) {
		t.Errorf("%v, %v", r, err)
	}
}
