package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// pairFrom draws a pair score.
func pairFrom(rng *rand.Rand, p [5]float64) int {
	u := rng.Float64()
	for i, q := range p {
		if u < q {
			return i
		}
		u -= q
	}
	return 4
}

// TestEstimateAfterStop: a test that stops by itself biases the mean; the estimate
// must be too high and too low equally often, and the interval must cover.
func TestEstimateAfterStop(t *testing.T) {
	runs := 240
	if testing.Short() {
		runs = 100
	}
	s := ScoreSPRT(0.5, 0.58, 0.05, 0.05)
	rng := rand.New(rand.NewPCG(51, 0))
	for _, c := range []struct{ mean, sd float64 }{{0.5, 0.27}, {0.54, 0.27}, {0.62, 0.3}} {
		p, err := PairDistribution(c.mean, c.sd)
		if err != nil {
			t.Fatal(err)
		}
		plan := s.Length(p, 5000)
		var above, hits, length, h1 int
		var raw, corrected float64
		for range runs {
			var n Pentanomial
			v := Undecided
			for v == Undecided {
				n[pairFrom(rng, p)]++
				v = s.Verdict(s.LLR(n))
			}
			if v == AcceptH1 {
				h1++
			}
			length += n.Pairs()
			m, _ := n.MeanVariance()
			iv, err := s.Estimate(n, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if !iv.Contains(iv.Estimate) {
				t.Fatalf("%+v excludes its estimate", iv)
			}
			raw += m / float64(runs)
			corrected += iv.Estimate / float64(runs)
			if iv.Estimate > c.mean {
				above++
			}
			if iv.Contains(c.mean) {
				hits++
			}
		}
		share := float64(above) / float64(runs)
		cover := float64(hits) / float64(runs)
		t.Logf("truth %.2f: %.0f pairs (planned %.0f), H1 in %.3f (planned %.3f); observed mean %.4f, estimate %.4f, above the truth in %.3f; interval covers %.3f",
			c.mean, float64(length)/float64(runs), plan.Mean, float64(h1)/float64(runs), plan.AcceptH1, raw, corrected, share, cover)
		// Three standard errors of the simulation are 0.075 and 0.045, and 3 % of
		// room for the approximation.
		if math.Abs(share-0.5) > 0.1 {
			t.Errorf("at %v the estimate is above the truth in %.3f of the tests", c.mean, share)
		}
		if cover < 0.855 {
			t.Errorf("at %v a 90 %% interval covers %.3f", c.mean, cover)
		}
		if got := float64(length) / float64(runs); math.Abs(got/plan.Mean-1) > 0.15 {
			t.Errorf("at %v tests take %.1f pairs, planned %.1f", c.mean, got, plan.Mean)
		}
	}
}

func TestLongTestIsRefused(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 0.5, Alpha: 0.05, Beta: 0.05}
	if _, err := s.Estimate(Pentanomial{1e5, 2e5, 4e5, 2e5, 1e5}, 0.95); !errors.Is(err, ErrLongTest) {
		t.Errorf("error %v", err)
	}
}
