package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestSPRTByHand(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1}
	lower, upper := s.Bounds()
	within(t, "lower bound", lower, math.Log(0.1/0.95), 1e-12)
	within(t, "upper bound", upper, math.Log(0.9/0.05), 1e-12)

	// Pairs that are won or lost as a whole are coin tosses, whose likelihood is the binomial one; the cells
	// that are empty change it by about their weight.
	s0, s1 := 0.5, 1/(1+math.Pow(10, -0.25))
	within(t, "LLR of coin tosses", s.LLR(Pentanomial{20, 0, 0, 0, 30}), 30*math.Log(s1/s0)+20*math.Log((1-s1)/(1-s0)), 0.02)
	within(t, "LLR of wins alone", s.LLR(Pentanomial{0, 0, 0, 0, 10}), 10*math.Log(s1/s0), 0.05)

	// Where the mean is that of a hypothesis, its tilt is none: for counts that are symmetrical around one half
	// the ratio is −N KL(p̂, p1). Here p̂ = (¼, 0, ½, 0, ¼) and Owen's equation has a solution by hand:
	// with a = s1 − ½, Σ p̂ (x_i − s1)/(1 + x(x_i − s1)) = 0 is a quadratic in x once multiplied out, solved
	// below to rounding by its own root.
	a := s1 - 0.5
	root := func(f func(float64) float64, lo, hi float64) float64 {
		for range 200 {
			if m := (lo + hi) / 2; f(m) > 0 {
				lo = m
			} else {
				hi = m
			}
		}
		return (lo + hi) / 2
	}
	x := root(func(x float64) float64 {
		l, m, h := -0.5-a, -a, 0.5-a
		return 0.25*l*(1+x*m)*(1+x*h) + 0.5*m*(1+x*l)*(1+x*h) + 0.25*h*(1+x*l)*(1+x*m)
	}, -1/(0.5-a), 0)
	want := -100 * (0.25*math.Log(1+x*(-0.5-a)) + 0.5*math.Log(1+x*(-a)) + 0.25*math.Log(1+x*(0.5-a)))
	within(t, "LLR of a symmetrical match", s.LLR(Pentanomial{25, 0, 50, 0, 25}), want, 0.02)

	// Close to each other, the hypotheses' ratio is that of normal means: N(s1−s0)(2m−s0−s1)/(2v).
	c := SPRT{Elo0: -2, Elo1: 3, Alpha: 0.05, Beta: 0.05}
	n := Pentanomial{100, 210, 400, 220, 90}
	mean, square := 0.0, 0.0
	for i, k := range n {
		mean += float64(k) * pairScores[i] / 1020
		square += float64(k) * pairScores[i] * pairScores[i] / 1020
	}
	s0, s1 = ScoreOf(-2), ScoreOf(3)
	within(t, "LLR of close hypotheses", c.LLR(n), 1020*(s1-s0)*(2*mean-s0-s1)/(2*(square-mean*mean)), 0.002)

	// The other player's view.
	mirrored := SPRT{Elo0: -3, Elo1: 2, Alpha: 0.05, Beta: 0.05}
	within(t, "mirrored LLR", mirrored.LLR(Pentanomial{90, 220, 400, 210, 100}), -c.LLR(n), 1e-9)
	if got := s.LLR(Pentanomial{}); got != 0 {
		t.Errorf("LLR without pairs is %v", got)
	}
}

// TestSPRTErrorRates: H1 is accepted in about alpha of the matches in which H0 is true, and H0 in about beta of
// those in which H1 is, by the ratio from the first pair on, and by its approximation once it has a variance to go by.
// 800 matches have a standard error of 0.008.
func TestSPRTErrorRates(t *testing.T) {
	const runs = 800
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05}
	ratios := []struct {
		name  string
		llr   func(Pentanomial) float64
		first int
	}{{"LLR", s.LLR, 1}, {"ApproximateLLR", s.ApproximateLLR, 20}}
	rng := rand.New(rand.NewPCG(31, 0))
	for _, c := range []struct {
		elo   float64
		wrong Verdict
	}{{s.Elo0, AcceptH1}, {s.Elo1, AcceptH0}} {
		// Two games with a common start: one draw in five, and a start that favours a colour, which the
		// changed colours undo in the mean but not in the variance.
		game := func(shift float64) float64 {
			switch u := rng.Float64(); {
			case u < 0.2:
				return 0.5
			case u < 0.2+0.8*shift:
				return 1
			}
			return 0
		}
		win := (ScoreOf(c.elo) - 0.1) / 0.8
		var errors, pairs [2]int
		apart := 0
		for range runs {
			// Both look at the same match, each up to its own stop.
			var n Pentanomial
			verdicts := [2]Verdict{Undecided, Undecided}
			for verdicts[0] == Undecided || verdicts[1] == Undecided {
				d := 0.35 * (rng.Float64() - 0.5)
				n.Add((game(win+d) + game(win-d)) / 2)
				for i := range ratios {
					if verdicts[i] == Undecided {
						if pairs[i]++; n.Pairs() >= ratios[i].first {
							verdicts[i] = s.Verdict(ratios[i].llr(n))
						}
					}
				}
			}
			for i, v := range verdicts {
				if v == c.wrong {
					errors[i]++
				}
			}
			if verdicts[0] != verdicts[1] {
				apart++
			}
		}
		for i, r := range ratios {
			rate := float64(errors[i]) / runs
			t.Logf("%s: at %v Elo %s is accepted in %.3f of the matches, of %d pairs on average", r.name, c.elo, c.wrong, rate, pairs[i]/runs)
			if rate < 0.015 || rate > 0.075 {
				t.Errorf("%s: at %v Elo %s is accepted in %.3f of the matches", r.name, c.elo, c.wrong, rate)
			}
		}
		t.Logf("at %v Elo the two disagree in %d matches", c.elo, apart)
		if apart > runs/20 {
			t.Errorf("at %v Elo the approximation decides otherwise in %d of %d matches", c.elo, apart, runs)
		}
	}
}

// TestApproximateLLRBeforeAVariance: why only LLR may be looked at after every pair.
func TestApproximateLLRBeforeAVariance(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05}
	for _, n := range []Pentanomial{{0, 0, 0, 1, 0}, {0, 0, 0, 0, 2}} {
		if v := s.Verdict(s.ApproximateLLR(n)); v != AcceptH1 {
			t.Errorf("%v: the approximation says %s; its docstring's warning no longer holds", n, v)
		}
		if v := s.Verdict(s.LLR(n)); v != Undecided {
			t.Errorf("%v: %s", n, v)
		}
	}
}

func TestSPRTCheck(t *testing.T) {
	if err := (SPRT{0, 10, 0.05, 0.05}).Check(); err != nil {
		t.Error(err)
	}
	for _, s := range []SPRT{
		{10, 10, 0.05, 0.05}, {10, 0, 0.05, 0.05}, {math.NaN(), 10, 0.05, 0.05}, {0, math.Inf(1), 0.05, 0.05},
		{0, 10, 0, 0.05}, {0, 10, 0.05, 0.5}, {0, 10, math.NaN(), 0.05},
	} {
		if s.Check() == nil {
			t.Errorf("%+v passes", s)
		}
	}
}
