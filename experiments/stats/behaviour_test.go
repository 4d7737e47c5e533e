package stats

import (
	"encoding/json"
	"math"
	"testing"
)

func TestTallyKeepsCappedApart(t *testing.T) {
	y := Tally{Win: 40, Draw: 20, Loss: 30, Capped: 10}
	near(t, "score", y.Score(), 0.55, 1e-12)
	lo, hi := y.Bounds()
	near(t, "low bound", lo, 0.50, 1e-12)
	near(t, "high bound", hi, 0.60, 1e-12)
	if y.AllowsClaim() {
		t.Error("10 % capped must not allow a claim")
	}
	if !(Tally{Win: 50, Loss: 45, Capped: 5}).AllowsClaim() {
		t.Error("5 % capped is allowed")
	}
	if (Tally{}).AllowsClaim() || !math.IsNaN(Tally{}.Score()) {
		t.Error("an empty tally has neither score nor claim")
	}
	near(t, "decisive", y.DecisiveShare(0.95).Estimate, 40.0/70, 1e-12)
}

// TestConstantPairsClaimNoCertainty: ten pairs that all scored 1 have no
// variance; the interval must still be wide. (0.025)^(1/10) = 0.6915 is the
// Clopper–Pearson bound of 10 of 10.
func TestConstantPairsClaimNoCertainty(t *testing.T) {
	ones := make([]float64, 10)
	for i := range ones {
		ones[i] = 1
	}
	iv := PairScore(ones, 0.95)
	near(t, "low", iv.Low, math.Pow(0.025, 0.1), 1e-9)
	near(t, "high", iv.High, 1, 0)
	half := make([]float64, 10)
	for i := range half {
		half[i] = 0.5
	}
	iv = PairScore(half, 0.95)
	u := 1 - math.Pow(0.025, 0.1)
	near(t, "low", iv.Low, 0.5*(1-u), 1e-9)
	near(t, "high", iv.High, 0.5+0.5*u, 1e-9)
	if TOSTScore(half, 0.2, 0.05).Equivalent {
		t.Error("a sample without variance proved equivalence")
	}
	d := PairedDifference(ones, half, 0.95)
	near(t, "difference", d.Interval.Estimate, 0.5, 0)
	near(t, "p", d.P, 2*math.Pow(0.5, 10), 1e-15)
	if w := WelchDifference(ones, half, 0.95); !w.Interval.Excludes(0) == (w.P < 0.05) {
		t.Errorf("interval %v and p %v disagree", w.Interval, w.P)
	}
	if one := PairScore([]float64{1}, 0.95); one.Low > 0.03 {
		t.Errorf("one pair gives %v", one)
	}
}

func TestElo(t *testing.T) {
	near(t, "elo of 0.75", EloOf(0.75), 190.848501888, 1e-8) // 400 log10(3)
	near(t, "score of 190.8485", ScoreOf(190.848501888), 0.75, 1e-9)
	iv := Elo([]float64{1, 1, 1, 1, 1, 1, 1, 1}, 0.95)
	if !math.IsInf(iv.Estimate, 1) || !math.IsInf(iv.High, 1) || math.IsInf(iv.Low, 0) || iv.Method != "elo-one-sided" {
		t.Errorf("a match won outright gives %+v", iv)
	}
	near(t, "one-sided bound", iv.Low, EloOf(math.Pow(0.025, 1.0/8)), 1e-9)
	b, err := json.Marshal(iv)
	if err != nil {
		t.Fatal(err)
	}
	var back Interval
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	near(t, "low after JSON", back.Low, iv.Low, 0)
	if !math.IsInf(back.High, 1) {
		t.Errorf("high after JSON = %v", back.High)
	}
}

func TestDuplicates(t *testing.T) {
	near(t, "all different", EffectiveSize([]int{1, 1, 1, 1}), 4, 0)
	near(t, "all equal", EffectiveSize([]int{4}), 1, 0)
	near(t, "mixed", EffectiveSize([]int{2, 1, 1}), 16.0/6, 1e-12)
	near(t, "unique share", UniqueShare([]int{2, 1, 1}), 0.75, 0)
	if EffectiveSize(nil) != 0 || !math.IsNaN(UniqueShare(nil)) {
		t.Error("no games have no effective size")
	}
}

// TestSampleSizes repeats a table of sample sizes that was computed independently.
func TestSampleSizes(t *testing.T) {
	for _, c := range []struct {
		sd, effect   float64
		detect, tost int
	}{
		{0.50, 0.05, 785, 1082 + 1}, // the table rounds 1082.2 down; a planner must round up
		{0.50, 0.03, 2180 + 1, 3006 + 1},
		{0.50, 0.02, 4906, 6764},
	} {
		if n := SampleSize(c.sd, c.effect, 0.05, 0.8); n < c.detect-1 || n > c.detect+1 {
			t.Errorf("detect %v: n = %d, want %d±1", c.effect, n, c.detect)
		}
		if n := SampleSizeTOST(c.sd, c.effect, 0.05, 0.9); n < c.tost-1 || n > c.tost+1 {
			t.Errorf("prove %v: n = %d, want %d±1", c.effect, n, c.tost)
		}
	}
	n := SampleSize(0.4, 0.03, 0.05, 0.8)
	if p := Power(n, 0.4, 0.03, 0.05); p < 0.8 || p > 0.801 {
		t.Errorf("power at the planned size is %v", p)
	}
	near(t, "detectable effect", DetectableEffect(n, 0.4, 0.05, 0.8), 0.03, 1e-4)
	n = SampleSizeTOST(0.4, 0.03, 0.05, 0.9)
	if p := PowerTOST(n, 0.4, 0.03, 0.05); p < 0.9 || p > 0.901 {
		t.Errorf("TOST power at the planned size is %v", p)
	}
}

func TestEmptySamplesClaimNothing(t *testing.T) {
	for _, iv := range []Interval{Wilson(0, 0, 0.95), ClopperPearson(0, 0, 0.95), Jeffreys(0, 0, 0.95), PairScore(nil, 0.95)} {
		if !math.IsNaN(iv.Estimate) || iv.Low != 0 || iv.High != 1 {
			t.Errorf("no data gives %+v", iv)
		}
	}
	b, err := json.Marshal(PairScore(nil, 0.95))
	if err != nil || !json.Valid(b) {
		t.Errorf("%s, %v", b, err)
	}
	if s := KaplanMeier(nil, nil); !math.IsNaN(s.RestrictedMean(10, 0.95).Estimate) || s.At(3) != 1 {
		t.Error("an empty curve must claim nothing")
	}
}

func TestGroupSizes(t *testing.T) {
	got := GroupSizes([]string{"x", "y", "x", "x", "z"})
	if len(got) != 3 || got[0] != 3 || got[1] != 1 || got[2] != 1 {
		t.Errorf("%v", got)
	}
	near(t, "effective size", EffectiveSize(got), 25.0/11, 1e-12)
}

// TestEdgesClaimNothing: samples without information must not look like certainty.
func TestEdgesClaimNothing(t *testing.T) {
	if iv := SeedMean([]float64{0.6}, 0, 1, 0.95); iv.Low > 0.02 || iv.High < 0.98 {
		t.Errorf("one seed gives %v", iv)
	}
	if iv := SeedMean([]float64{1, 1, 1}, 0, 1, 0.95); iv.Low > 0.3 {
		t.Errorf("three equal seeds give %v", iv)
	}
	if iv := CliffDelta([]float64{5, 6, 7}, []float64{1, 2, 3}, 0.95); iv.Estimate != 1 || iv.Low > 0 {
		t.Errorf("samples apart: %v", iv)
	}
	if iv := CliffDelta([]float64{1, 2, 3}, []float64{5, 6, 7}, 0.95); iv.Estimate != -1 || iv.High < 0 {
		t.Errorf("samples apart: %v", iv)
	}
	if iv := CliffDelta(nil, []float64{1}, 0.95); !math.IsNaN(iv.Estimate) || iv.Low != -1 || iv.High != 1 {
		t.Errorf("no sample: %v", iv)
	}
	if iv := NormalisedElo([]float64{1, 1, 1}, 0.95); !math.IsInf(iv.Estimate, 1) || !math.IsInf(iv.Low, -1) {
		t.Errorf("a match won outright: %v", iv)
	}
	if iv := NormalisedElo([]float64{0.5, 0.5}, 0.95); iv.Estimate != 0 || !math.IsInf(iv.High, 1) {
		t.Errorf("draws alone: %v", iv)
	}
	if d := PairedMeanDifference([]float64{120, 130}, []float64{100, 110}, 0.95); d.P != 1 || !math.IsInf(d.Interval.Low, -1) || d.Interval.Estimate != 20 {
		t.Errorf("two equal differences: %+v", d)
	}
	inc := AalenJohansen(nil, nil, 2)
	if iv := inc.Interval(0, 10, 0.95); !math.IsNaN(iv.Estimate) || iv.High != 1 {
		t.Errorf("no games: %v", iv)
	}
	inc = AalenJohansen([]float64{3, 4, 4, 5}, []int{0, 0, 0, 0}, 2)
	if iv := inc.Interval(1, 10, 0.95); iv.Estimate != 0 || iv.High < 0.5 {
		t.Errorf("a cause that was not seen in four games: %v", iv)
	}
	if iv := inc.Interval(0, 10, 0.95); iv.Estimate != 1 || iv.Low > 0.5 {
		t.Errorf("the only cause of four games: %v", iv)
	}
	// Without cut-offs the incidence is a share of games, with its binomial error.
	inc = AalenJohansen([]float64{3, 4, 4, 5, 6, 7, 7, 9}, []int{0, 1, 0, 1, 1, 0, 1, 1}, 2)
	near(t, "share", inc.At(0, 6.5), 2.0/8, 1e-12)
	near(t, "SE", inc.SE[0][3], math.Sqrt(0.25*0.75/8), 1e-12)
	if tau, p := KendallTau([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(tau) || !math.IsNaN(p) {
		t.Errorf("ties alone have τ %v", tau)
	}
	if iv, err := (SPRT{0, 10, 0.05, 0.05}).Estimate(Pentanomial{}, 0.95); err != nil || !math.IsNaN(iv.Estimate) || iv.High != 1 {
		t.Errorf("no pairs: %v, %v", iv, err)
	}
	// A match won outright stops as soon as it can; nothing can be more than that.
	won, test := Pentanomial{}, SPRT{0, 200, 0.05, 0.05}
	for test.Verdict(test.LLR(won)) == Undecided {
		won[4]++
	}
	if iv, err := test.Estimate(won, 0.95); err != nil || iv.High != 1 || iv.Low > 0.9 || iv.Low < 0.4 {
		t.Errorf("%v pairs, all won: %v, %v", won, iv, err)
	}
	if s := (NormalisedSPRT{0, 900, 0.05, 0.05}); s.Check() == nil {
		t.Error("900 normalised Elo pass")
	}
	if got := (NormalisedSPRT{0, 50, 0.05, 0.05}).LLR(Pentanomial{0, 0, 0, 0, 9}); !(got > 0) || math.IsInf(got, 0) {
		t.Errorf("normalised LLR of wins alone: %v", got)
	}
}

// TestImpossibleArgumentsPanic: mistakes of the caller are loud.
func TestImpossibleArgumentsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"prior 0":          func() { Tally{}.Posterior(0, 1) },
		"weight 2":         func() { Tally{}.Posterior(1, 2) },
		"negative count":   func() { Tally{Win: -1}.Posterior(1, 1) },
		"Dirichlet 0":      func() { Dirichlet{1, 1, 0, 1}.Score(CappedHalf, 0.9) },
		"caps as 7":        func() { Dirichlet{1, 1, 1, 1}.Score(7, 0.9) },
		"cause 3 of 2":     func() { AalenJohansen([]float64{1}, []int{3}, 2) },
		"ragged rows":      func() { PermutationWithin([][]float64{{1, 0}, {1}}, 9, nil) },
		"one level":        func() { FactorColumns("x", []string{"a"}, []int{0}) },
		"level 2 of 2":     func() { FactorColumns("x", []string{"a", "b"}, []int{2}) },
		"outcome -1":       func() { _, _ = ProportionalOdds([]int{-1, 1}, nil, nil, 0.9) },
		"truth at margin":  func() { SampleSizeTOSTAt(0.3, 0.05, 0.05, 0.05, 0.9) },
		"three cells":      func() { MainEffectSE(3, 10, 0.3, 0) },
		"correlation 1":    func() { DifferenceSD(1, 1, 1) },
		"hypotheses alike": func() { _, _ = ScoreSPRT(0.5, 0.5, 0.05, 0.05).Estimate(Pentanomial{1}, 0.9) },
		"certain pairs":    func() { ScoreSPRT(0.5, 0.6, 0.05, 0.05).Length([5]float64{0, 0, 1, 0, 0}, 9) },
		"chances of 2":     func() { ScoreSPRT(0.5, 0.6, 0.05, 0.05).Length([5]float64{1, 0, 1, 0, 0}, 9) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}
