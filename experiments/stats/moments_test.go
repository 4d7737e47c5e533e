package stats

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// sameInterval allows for rounding.
func sameInterval(t *testing.T, what string, got, want Interval) {
	t.Helper()
	near(t, what+" estimate", got.Estimate, want.Estimate, 1e-12)
	near(t, what+" low", got.Low, want.Low, 1e-12)
	near(t, what+" high", got.High, want.High, 1e-12)
	if got.Method != want.Method || got.N != want.N || got.Level != want.Level {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

func TestCountsGiveTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 0))
	for _, n := range []int{1, 2, 60, 900} {
		var p Pentanomial
		var all, left, right Moments
		var x []float64
		for i := range n {
			k := rng.IntN(5)
			p[k]++
			s := pairScores[k]
			x = append(x, s)
			all.Add(s)
			if i%3 == 0 {
				left.Add(s)
			} else {
				right.Add(s)
			}
		}
		left.Merge(right)
		left.Merge(Moments{})
		sameInterval(t, "counts", p.Interval(0.95), PairScore(x, 0.95))
		sameInterval(t, "moments", all.Bounded(0, 1, 0.95), PairScore(x, 0.95))
		sameInterval(t, "merged moments", left.Bounded(0, 1, 0.95), PairScore(x, 0.95))
		if n > 1 {
			sameInterval(t, "mean", all.MeanT(0.95), MeanT(x, 0.95))
		}
		a, b := p.TOST(0.1, 0.05), TOSTScore(x, 0.1, 0.05)
		near(t, "TOST", a.P, b.P, 1e-12)
	}
	constant := Pentanomial{0, 0, 7, 0, 0}
	sameInterval(t, "draws alone", constant.Interval(0.95), PairScore([]float64{.5, .5, .5, .5, .5, .5, .5}, 0.95))
	if constant.TOST(0.3, 0.05).Equivalent {
		t.Error("a sample without variance proved equivalence")
	}
	if iv := (Pentanomial{}).Interval(0.9); !math.IsNaN(iv.Estimate) || iv.Low != 0 || iv.High != 1 {
		t.Errorf("no pairs: %+v", iv)
	}
	if iv := (Moments{}).MeanT(0.9); !math.IsNaN(iv.Estimate) || !math.IsInf(iv.High, 1) {
		t.Errorf("no values: %+v", iv)
	}

	var length []float64
	var ended []bool
	var cause []int
	byCause, endedAt, cutAt := make([][]int, 3), make([]int, 90), make([]int, 60)
	for k := range byCause {
		byCause[k] = make([]int, 70+10*k)
	}
	for range 500 {
		l, k := rng.IntN(60), rng.IntN(4)-1
		length, cause, ended = append(length, float64(l)), append(cause, k), append(ended, k >= 0)
		if k < 0 {
			cutAt[l]++
		} else {
			byCause[k][l]++
			endedAt[l]++
		}
	}
	if got, want := KaplanMeierCounts(endedAt, cutAt), KaplanMeier(length, ended); !reflect.DeepEqual(got, want) {
		t.Errorf("curves from counts differ: %+v, %+v", got, want)
	}
	if got, want := AalenJohansenCounts(byCause, cutAt), AalenJohansen(length, cause, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("incidences from counts differ: %+v, %+v", got, want)
	}
}

func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		f          func(float64) float64
		lo, hi, at float64
	}{
		"line":            {func(x float64) float64 { return 2*x - 1 }, -3, 9, 0.5},
		"falling":         {func(x float64) float64 { return math.Exp(-x) - 0.01 }, 0, 100, math.Log(100)},
		"flat then steep": {func(x float64) float64 { return math.Pow(x, 15) - 1e-9 }, 0, 1, math.Pow(1e-9, 1.0/15)},
		"a step":          {func(x float64) float64 { return math.Copysign(1, x-0.3) }, 0, 1, 0.3},
		"at an end":       {func(x float64) float64 { return x }, 0, 1, 0},
		"no change":       {func(x float64) float64 { return x + 1 }, 0, 1, 0},
		"infinite ends":   {func(x float64) float64 { return math.Log(x / (1 - x)) }, 0, 1, 0.5},
	} {
		calls := 0
		got := root(func(x float64) float64 { calls++; return c.f(x) }, c.lo, c.hi, 1e-10)
		if !(math.Abs(got-c.at) < 1e-9) || calls > 90 {
			t.Errorf("%s: %v after %d calls, want %v", name, got, calls, c.at)
		}
	}
}

func TestNormalisedSPRTErrorRates(t *testing.T) {
	s := NormalisedSPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.05}
	rng := rand.New(rand.NewPCG(92, 0))
	runs := repeats(150)
	// Few draws, and then many: the same test takes about as long.
	var lengths []float64
	for _, sd := range []float64{0.33, 0.12} {
		d := 60 * math.Sqrt2 / NormalisedScale * sd
		for _, c := range []struct {
			mean  float64
			wrong Verdict
		}{{0.5, AcceptH1}, {0.5 + d, AcceptH0}} {
			p, err := PairDistribution(c.mean, sd)
			if err != nil {
				t.Fatal(err)
			}
			wrong, pairs := 0, 0
			for range runs {
				var n Pentanomial
				v := Undecided
				for v == Undecided {
					n[pairFrom(rng, p)]++
					v = s.Verdict(s.LLR(n))
				}
				pairs += n.Pairs()
				if v == c.wrong {
					wrong++
				}
			}
			share(t, "wrong verdicts", wrong, runs, 0.05, 0.015)
			lengths = append(lengths, float64(pairs)/float64(runs))
		}
	}
	t.Logf("pairs: %.0f", lengths)
	if r := lengths[2] / lengths[0]; r < 0.6 || r > 1.6 {
		t.Errorf("with many draws tests take %.2f times as long", r)
	}
}
