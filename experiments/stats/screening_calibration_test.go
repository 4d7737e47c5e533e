package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestBenjaminiHochbergKeepsTheShareOfFalseFindings: of what is found among 40 tests, 10
// with an effect of 3 standard errors, on average a share of at most 5 % · 30/40 is false
// (Benjamini and Hochberg 1995, theorem 1, an equality for independent tests), and
// most of the effects are found: more than Holm's correction finds.
func TestBenjaminiHochbergKeepsTheShareOfFalseFindings(t *testing.T) {
	const runs, tests, real = 4000, 40, 10
	rng := rand.New(rand.NewPCG(31, 0))
	share, found, holm := 0.0, 0, 0
	p := make([]float64, tests)
	for range runs {
		for i := range p {
			z := rng.NormFloat64()
			if i < real {
				z += 3
			}
			p[i] = 2 * distuv.UnitNormal.Survival(math.Abs(z))
		}
		wrong, all := 0, 0
		for i, q := range BenjaminiHochberg(p) {
			if q < 0.05 {
				all++
				if i >= real {
					wrong++
				}
			}
		}
		found += all - wrong
		if all > 0 {
			share += float64(wrong) / float64(all)
		}
		for _, q := range Holm(p)[:real] {
			if q < 0.05 {
				holm++
			}
		}
	}
	// The share's standard deviation in a run is about 0.08, of the mean 0.0013.
	if share /= runs; math.Abs(share-0.0375) > 0.005 {
		t.Errorf("%.4f of the findings are false, want 0.0375", share)
	}
	if found <= holm || found < runs*real*6/10 {
		t.Errorf("%d of %d effects were found, by Holm's correction %d", found, runs*real, holm)
	}
}

// TestTwoSamplesAreCalibrated: of two samples alike, the permutation test calls 5 % different;
// the intervals of a difference of shares and of restricted means cover it in 95 %. A
// planted difference is found.
func TestTwoSamplesAreCalibrated(t *testing.T) {
	const runs = 1000
	rng := rand.New(rand.NewPCG(32, 0))
	scores := func(p float64) []float64 {
		out := make([]float64, 40)
		for i := range out {
			for range 2 {
				if rng.Float64() < p {
					out[i] += 0.5
				}
			}
		}
		return out
	}
	wrong, found := 0, 0
	for range runs {
		if PermutationTwoSample(scores(0.5), scores(0.5), 199, rng) <= 0.05 {
			wrong++
		}
		if PermutationTwoSample(scores(0.65), scores(0.35), 199, rng) <= 0.05 {
			found++
		}
	}
	// Ties make it a little less than 5 %; the standard deviation is 0.7 %. The planted difference is 0.3, of a standard error of 0.075.
	if r := float64(wrong) / runs; r > 0.07 || r < 0.025 {
		t.Errorf("%.3f of equal samples are called different", r)
	}
	if r := float64(found) / runs; r < 0.93 {
		t.Errorf("a planted difference is found in %.3f", r)
	}

	shares, means := 0, 0
	const n, tau = 80, 150.0
	lives := func(mean float64) Survival {
		length, ended := make([]float64, n), make([]bool, n)
		for i := range n {
			x := rng.ExpFloat64() * mean
			length[i], ended[i] = math.Min(x, tau), x <= tau
		}
		return KaplanMeier(length, ended)
	}
	restricted := func(mean float64) float64 { return mean * (1 - math.Exp(-tau/mean)) }
	for range runs {
		k := [2]int{}
		for range n {
			for i, p := range []float64{0.3, 0.1} {
				if rng.Float64() < p {
					k[i]++
				}
			}
		}
		if ShareDifference(k[0], n, k[1], n, 0.95).Contains(0.2) {
			shares++
		}
		if RestrictedMeanDifference(lives(100), lives(70), tau, 0.95).Interval.Contains(restricted(100) - restricted(70)) {
			means++
		}
	}
	// Three standard deviations of a share of 0.95 in 1,000 runs are 0.021.
	for name, hit := range map[string]int{"a difference of shares": shares, "a difference of restricted means": means} {
		if c := float64(hit) / runs; math.Abs(c-0.95) > 0.021 {
			t.Errorf("intervals for %s cover %.3f", name, c)
		}
	}
}

// TestEffectiveSizeIsCalibrated: the mean of games that are copies of one another varies as that of so many independent
// games. 4,000 samples give the variance to within 2.3 % (one standard error).
func TestEffectiveSizeIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 0))
	sizes := []int{1, 1, 1, 1, 2, 2, 3, 5, 9}
	const runs = 4000
	var square float64
	for range runs {
		sum, n := 0.0, 0
		for _, copies := range sizes {
			score := float64(rng.IntN(2))
			sum += score * float64(copies)
			n += copies
		}
		d := sum/float64(n) - 0.5
		square += d * d / runs
	}
	if worth := 0.25 / square; math.Abs(worth/EffectiveSize(sizes)-1) > 0.07 {
		t.Errorf("the mean varies as that of %.2f independent games; EffectiveSize is %.2f", worth, EffectiveSize(sizes))
	}
}
