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
	runs := repeats(160)
	s := ScoreSPRT(0.5, 0.58, 0.05, 0.05)
	rng := rand.New(rand.NewPCG(51, 0))
	for _, c := range []struct {
		mean, sd float64
		most     int // given up after that many pairs
	}{{0.5, 0.27, 5000}, {0.54, 0.27, 5000}, {0.62, 0.3, 5000}, {0.54, 0.27, 60}} {
		p, err := PairDistribution(c.mean, c.sd)
		if err != nil {
			t.Fatal(err)
		}
		plan := s.Length(p, c.most)
		var above, hits, length, h1 int
		var raw, corrected float64
		for range runs {
			var n Pentanomial
			v := Undecided
			for v == Undecided && n.Pairs() < c.most {
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
		// Three standard errors of the simulation, and room for the approximation.
		if math.Abs(share-0.5) > 1.5/math.Sqrt(float64(runs))+0.06 {
			t.Errorf("at %v the estimate is above the truth in %.3f of the tests", c.mean, share)
		}
		if cover < 0.9-0.9/math.Sqrt(float64(runs))-0.02 {
			t.Errorf("at %v a 90 %% interval covers %.3f", c.mean, cover)
		}
		if got := float64(length) / float64(runs); math.Abs(got/plan.Mean-1) > 0.2 {
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

// TestEvenTest: the three verdicts err as promised, lengths come as planned, and the
// estimate after the stop is honest.
func TestEvenTest(t *testing.T) {
	test := EvenTest{Margin: 0.1, Alpha: 0.05, Beta: 0.05}
	if err := test.Check(); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []EvenTest{{0, 0.05, 0.05}, {0.5, 0.05, 0.05}, {0.1, 0, 0.05}, {0.1, 0.05, 0.6}, {math.NaN(), 0.05, 0.05}} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	rng := rand.New(rand.NewPCG(52, 0))
	runs, estimates := repeats(150), repeats(50)
	for _, c := range []struct{ mean, sd float64 }{{0.5, 0.28}, {0.6, 0.28}, {0.36, 0.28}} {
		p, err := PairDistribution(c.mean, c.sd)
		if err != nil {
			t.Fatal(err)
		}
		plan := test.Length(p, 3000)
		near(t, "all verdicts", plan.AcceptH0+plan.AcceptH1+plan.Undecided, 1, 1e-9)
		verdicts := map[Verdict]int{}
		length, above, hits := 0, 0, 0
		for run := range runs {
			var n Pentanomial
			v := Undecided
			for v == Undecided {
				n[pairFrom(rng, p)]++
				v = test.Verdict(n)
			}
			verdicts[v]++
			length += n.Pairs()
			if run >= estimates {
				continue
			}
			iv, err := test.Estimate(n, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if iv.Estimate > c.mean {
				above++
			}
			if iv.Contains(c.mean) {
				hits++
			}
		}
		got := float64(length) / float64(runs)
		t.Logf("truth %.2f: %v, %.0f pairs (planned %.0f ± %.0f, even %.3f, high %.3f, low %.3f)", c.mean, verdicts, got, plan.Mean, plan.SD, plan.AcceptH0, plan.High, plan.Low)
		if math.Abs(got-plan.Mean) > 0.1*plan.Mean+3*plan.SD/math.Sqrt(float64(runs)) {
			t.Errorf("at %v tests take %.1f pairs, planned %.1f", c.mean, got, plan.Mean)
		}
		share(t, "even", verdicts[AcceptEven], runs, plan.AcceptH0, 0.03)
		share(t, "the estimate is above the truth", above, estimates, 0.5, 0.06)
		if f := float64(hits) / float64(estimates); f < 0.9-3*math.Sqrt(0.09/float64(estimates))-0.02 {
			t.Errorf("at %v a 90 %% interval covers %.3f", c.mean, f)
		}
		// The promises, with room for the estimated shape.
		wrong := 0
		switch c.mean {
		case 0.5:
			wrong = verdicts[AcceptHigh] + verdicts[AcceptLow]
		case 0.6:
			wrong = verdicts[AcceptEven] + verdicts[AcceptLow]
		case 0.36:
			wrong = verdicts[AcceptEven] + verdicts[AcceptHigh]
		}
		if f := float64(wrong) / float64(runs); f > 0.05+3*math.Sqrt(0.05*0.95/float64(runs))+0.02 {
			t.Errorf("at %v the verdict is wrong in %.3f", c.mean, f)
		}
	}
	// The other side sees the mirror image.
	n := Pentanomial{3, 10, 20, 15, 8}
	m := Pentanomial{8, 15, 20, 10, 3}
	l1, h1 := test.LLR(n)
	l2, h2 := test.LLR(m)
	near(t, "mirrored ratios", l1, h2, 1e-9)
	near(t, "mirrored ratios", h1, l2, 1e-9)
	a, err1 := test.Estimate(n, 0.9)
	b, err2 := test.Estimate(m, 0.9)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	near(t, "mirrored estimate", a.Estimate, 1-b.Estimate, 1e-4)
	near(t, "mirrored bound", a.Low, 1-b.High, 1e-4)
}

// TestLengthRepeatsAnEarlierStudy: 1,500 simulated tests on mirrored twins with a
// quarter of the games drawn (s0 0.50, s1 0.53, error rates 5 %) took 487 pairs on
// average where the score was 0.50 and 464 where it was 0.53, and erred in 4.7 % and
// 4.3 %.
func TestLengthRepeatsAnEarlierStudy(t *testing.T) {
	s := ScoreSPRT(0.5, 0.53, 0.05, 0.05)
	rng := rand.New(rand.NewPCG(53, 0))
	var p [5]float64
	const n = 200000
	for range n {
		p[int(4*twin(rng, 0, 1))] += 1.0 / n
	}
	for _, c := range []struct{ score, pairs, h1 float64 }{{0.5, 487, 0.047}, {0.53, 464, 0.957}} {
		l := s.Length(tilted(p, c.score), 5000)
		t.Logf("at %v: %.0f pairs, H1 in %.3f", c.score, l.Mean, l.AcceptH1)
		// The study's standard error is about 8 pairs and 0.5 points, and its tests
		// estimated the shape, which makes them a little shorter than the plan.
		if l.Mean/c.pairs < 0.97 || l.Mean/c.pairs > 1.13 || math.Abs(l.AcceptH1-c.h1) > 0.02 {
			t.Errorf("at %v: %.0f pairs and H1 in %.3f, the study had %v and %v", c.score, l.Mean, l.AcceptH1, c.pairs, c.h1)
		}
	}
}
