package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The tests here measure what the methods promise: how often an interval covers
// the truth and how often a test errs. Seeds are fixed, so a run cannot fail by
// chance; the tolerances are about four standard errors of the simulation.

func TestCoverageOfProportions(t *testing.T) {
	const runs = 4000
	rng := rand.New(rand.NewPCG(11, 0))
	for _, c := range []struct {
		n int
		p float64
	}{{30, 0.1}, {30, 0.5}, {200, 0.03}, {200, 0.5}} {
		var w, cp, j int
		for range runs {
			k := 0
			for range c.n {
				if rng.Float64() < c.p {
					k++
				}
			}
			if Wilson(k, c.n, 0.95).Contains(c.p) {
				w++
			}
			if ClopperPearson(k, c.n, 0.95).Contains(c.p) {
				cp++
			}
			if Jeffreys(k, c.n, 0.95).Contains(c.p) {
				j++
			}
		}
		// Wilson and Jeffreys are right on average; single (n, p) wander by about
		// three points (Brown, Cai and DasGupta 2001, figures 5 and 6).
		for name, got := range map[string]int{"wilson": w, "jeffreys": j} {
			if s := float64(got) / runs; s < 0.92 || s > 0.985 {
				t.Errorf("%s covers %.3f at n=%d p=%v", name, s, c.n, c.p)
			}
		}
		if s := float64(cp) / runs; s < 0.95-0.014 {
			t.Errorf("clopper-pearson covers only %.3f at n=%d p=%v", s, c.n, c.p)
		}
	}
}

// twin simulates a pair of colour-mirrored games: a position effect that cancels
// between the two, a tempo effect that does not, and draws.
func twin(rng *rand.Rand, tempo, sigma float64) float64 {
	pos := rng.NormFloat64() * sigma
	game := func(x float64) float64 {
		if rng.Float64() < 0.25 {
			return 0.5
		}
		if rng.Float64() < 1/(1+math.Exp(-x)) {
			return 1
		}
		return 0
	}
	return (game(tempo+pos) + game(tempo-pos)) / 2
}

// expectedTwin is the true mean of twin, by a long simulation of its own.
func expectedTwin(tempo, sigma float64) float64 {
	rng := rand.New(rand.NewPCG(77, 7))
	var s float64
	const n = 2_000_000
	for range n {
		s += 1 / (1 + math.Exp(-(tempo + rng.NormFloat64()*sigma)))
	}
	return 0.25*0.5 + 0.75*s/n
}

func TestCoverageOfPairScores(t *testing.T) {
	const runs, pairs = 2000, 60
	truth := expectedTwin(0.2, 1)
	rng := rand.New(rand.NewPCG(12, 0))
	var hitT, hitB int
	for r := range runs {
		x := make([]float64, pairs)
		for i := range x {
			x[i] = twin(rng, 0.2, 1)
		}
		if PairScore(x, 0.95).Contains(truth) {
			hitT++
		}
		if r < 400 && BootstrapMean(x, BCa, 500, 0.95, rng).Contains(truth) {
			hitB++
		}
	}
	if c := float64(hitT) / runs; math.Abs(c-0.95) > 0.02 {
		t.Errorf("pair interval covers %.3f", c)
	}
	if c := float64(hitB) / 400; math.Abs(c-0.95) > 0.045 {
		t.Errorf("bootstrap interval covers %.3f", c)
	}
}

// TestPairingGainsOverIndependentGames plants an earlier finding of the project: twins have
// less variance than independent starts, so their interval is narrower at equal
// coverage.
func TestPairingGainsOverIndependentGames(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	const n = 20000
	pairs := make([]float64, n)
	for i := range n {
		pairs[i] = twin(rng, 0.2, 2)
	}
	_, vp := meanVar(pairs)
	// An independent game's variance, halved as for a pair of them.
	var ind []float64
	for range n {
		pos := rng.NormFloat64() * 2
		g := 0.5
		if rng.Float64() >= 0.25 {
			g = 0
			if rng.Float64() < 1/(1+math.Exp(-(0.2+pos))) {
				g = 1
			}
		}
		ind = append(ind, g)
	}
	_, vi := meanVar(ind)
	ratio := vp / (vi / 2)
	// Table 4.1 at sd 2: 0.62 without draws, 0.47 with some.
	if ratio < 0.4 || ratio > 0.75 {
		t.Errorf("variance ratio of twins to independent starts is %.2f", ratio)
	}
}

func TestErrorRates(t *testing.T) {
	const runs, n = 1500, 50
	rng := rand.New(rand.NewPCG(14, 0))
	var paired, perm, welch, found, equiv, falseEquiv int
	for r := range runs {
		a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			a[i], b[i], c[i] = twin(rng, 0, 1), twin(rng, 0, 1), twin(rng, 1.2, 1)
		}
		if PairedDifference(a, b, 0.95).P < 0.05 {
			paired++
		}
		if WelchDifference(a, b, 0.95).P < 0.05 {
			welch++
		}
		if WelchDifference(a, c, 0.95).Interval.Excludes(0) {
			found++
		}
		if r < 500 && PermutationPaired(a, b, 199, rng) <= 0.05 {
			perm++
		}
		if TOSTScore(a, 0.15, 0.05).Equivalent {
			equiv++
		}
		// The truth at the margin: TOST may claim equivalence in at most 5 %.
		shifted := make([]float64, n)
		for i := range n {
			shifted[i] = a[i]*0.7 + 0.3
		}
		if TOSTScore(shifted, 0.15, 0.05).Equivalent {
			falseEquiv++
		}
	}
	rate := func(k, of int) float64 { return float64(k) / float64(of) }
	for name, r := range map[string]float64{"paired t": rate(paired, runs), "welch": rate(welch, runs)} {
		if math.Abs(r-0.05) > 0.023 {
			t.Errorf("%s rejects a true null in %.3f", name, r)
		}
	}
	if r := rate(perm, 500); r > 0.05+0.04 {
		t.Errorf("permutation test rejects a true null in %.3f", r)
	}
	if r := rate(found, runs); r < 0.85 {
		t.Errorf("a planted tempo effect is found in only %.3f", r)
	}
	if r := rate(equiv, runs); r < 0.85 {
		t.Errorf("an even game is shown equivalent in only %.3f", r)
	}
	if r := rate(falseEquiv, runs); r > 0.05+0.023 {
		t.Errorf("a game at the margin is called equivalent in %.3f", r)
	}
}

func TestHolmKeepsTheFamily(t *testing.T) {
	const runs, m = 3000, 20
	rng := rand.New(rand.NewPCG(15, 0))
	wrong := 0
	for range runs {
		p := make([]float64, m)
		for i := range p {
			p[i] = rng.Float64()
		}
		for _, q := range Holm(p) {
			if q < 0.05 {
				wrong++
				break
			}
		}
	}
	if r := float64(wrong) / runs; r > 0.05+0.016 {
		t.Errorf("at least one false claim in %.3f of the families", r)
	}
}

func TestRestrictedMeanCovers(t *testing.T) {
	const runs, n, tau = 1500, 80, 150.0
	rng := rand.New(rand.NewPCG(16, 0))
	// Exponential with mean 100 watched to 150: 100(1 − e^−1.5).
	truth := 100 * (1 - math.Exp(-1.5))
	hit := 0
	for range runs {
		length, ended := make([]float64, n), make([]bool, n)
		for i := range n {
			x := rng.ExpFloat64() * 100
			length[i], ended[i] = math.Min(x, tau), x <= tau
		}
		if KaplanMeier(length, ended).RestrictedMean(tau, 0.95).Contains(truth) {
			hit++
		}
	}
	if c := float64(hit) / runs; math.Abs(c-0.95) > 0.023 {
		t.Errorf("restricted mean covers %.3f", c)
	}
}
