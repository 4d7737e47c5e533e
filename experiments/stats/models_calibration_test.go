package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// repeats is the number of simulations of a calibration test: few by default, so
// that the tolerances are wide, and ten times as many with LATRO_LONG.
func repeats(few int) int {
	if os.Getenv("LATRO_LONG") != "" {
		return 10 * few
	}
	return few
}

// share checks a simulated rate against what was promised: off by more than three
// standard errors of the simulation and the room given is a failure.
func share(t *testing.T, what string, hits, of int, want, room float64) {
	t.Helper()
	got := float64(hits) / float64(of)
	if tol := room + 3*math.Sqrt(want*(1-want)/float64(of)); math.Abs(got-want) > tol {
		t.Errorf("%s: %.3f of %d, want %.3f ± %.3f", what, got, of, want, tol)
	} else {
		t.Logf("%s: %.3f of %d, want %.3f", what, got, of, want)
	}
}

// factorial simulates a 2×2 design of loss, draw and win: starts with an effect of
// their own, two games in each cell, and planted effects in log odds; between plays
// each start in one cell only.
func factorial(rng *rand.Rand, starts int, a, b, ab, sigma float64, between bool) (outcome, fa, fb, cluster []int) {
	for s := range starts {
		pos := rng.NormFloat64() * sigma
		for cell := range 4 {
			if between {
				if cell > 0 {
					break
				}
				cell = s % 4
			}
			x, y := cell%2, cell/2
			eta := a*(float64(x)-0.5) + b*(float64(y)-0.5) + ab*(float64(x)-0.5)*(float64(y)-0.5)
			for range 2 {
				u := rng.Float64()
				latent := eta + pos + math.Log(u/(1-u))
				o := 1
				if latent < -0.5 {
					o = 0
				} else if latent > 0.5 {
					o = 2
				}
				outcome, fa, fb, cluster = append(outcome, o), append(fa, x), append(fb, y), append(cluster, s)
			}
		}
	}
	return outcome, fa, fb, cluster
}

func twoFactors(fa, fb []int) []Column {
	a := FactorColumns("a", []string{"off", "on"}, fa)
	b := FactorColumns("b", []string{"off", "on"}, fb)
	return append(append(append([]Column(nil), a...), b...), Interaction(a, b)...)
}

func TestOrdinalIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 0))
	// The model averages over starts, which makes effects smaller than those planted
	// for one start: the truth is that of a long run.
	o, fa, fb, cl := factorial(rng, 6000, 0.6, 0, 0.5, 1, false)
	long, err := ProportionalOdds(o, twoFactors(fa, fb), cl, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	truth := []float64{long.Effects[0].Interval.Estimate, 0, long.Effects[2].Interval.Estimate}
	if !(truth[0] > 0.4 && truth[0] < 0.6 && truth[2] > 0.25 && truth[2] < 0.6) {
		t.Errorf("planted effects 0.6 and 0.5 (for one start) come out as %v", truth)
	}
	runs := repeats(150)
	var hits [3]int
	found, within, parallel := 0, 0, 0
	for range runs {
		o, fa, fb, cl := factorial(rng, 50, 0.6, 0, 0.5, 1, false)
		r, err := ProportionalOdds(o, twoFactors(fa, fb), cl, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for k, e := range r.Effects {
			if e.Interval.Contains(truth[k]) {
				hits[k]++
			}
		}
		if r.Effects[0].P < 0.05 {
			found++
		}
		score := make([]float64, len(o))
		for i := range o {
			score[i] = float64(o[i]) / 2
		}
		l, err := LinearEffects(score, twoFactors(fa, fb), cl, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if l.Effects[1].P < 0.05 {
			within++
		}
		j, err := Proportionality(o, twoFactors(fa, fb), cl)
		if err != nil {
			t.Fatal(err)
		}
		if j.P < 0.05 {
			parallel++
		}
	}
	share(t, "interval of the main effect covers", hits[0], runs, 0.95, 0.01)
	share(t, "interval of no effect covers", hits[1], runs, 0.95, 0.01)
	share(t, "interval of the interaction covers", hits[2], runs, 0.95, 0.01)
	share(t, "the linear model finds an effect where none is", within, runs, 0.05, 0.01)
	// Averaging over starts breaks the proportion of odds a little.
	share(t, "proportional odds are rejected", parallel, runs, 0.05, 0.03)
	if f := float64(found) / float64(runs); f < 0.6 {
		t.Errorf("a planted effect of 0.6 is found in %.3f of the experiments", f)
	}
}

// TestClustersAreNeeded: where each start is played in one cell only, games as
// independent units claim effects too often, and the robust errors do not.
func TestClustersAreNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 0))
	runs := repeats(250)
	robust, naive := 0, 0
	for range runs {
		o, fa, fb, cl := factorial(rng, 80, 0, 0, 0, 2.5, true)
		r, err := ProportionalOdds(o, twoFactors(fa, fb)[:1], cl, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		e := r.Effects[0]
		if e.P < 0.05 {
			robust++
		}
		if math.Abs(e.Interval.Estimate) > 1.96*e.ModelSE {
			naive++
		}
	}
	share(t, "robust errors reject a true null", robust, runs, 0.05, 0.01)
	few := 0
	for range runs {
		o, fa, fb, cl := factorial(rng, 12, 0, 0, 0, 1, true)
		score := make([]float64, len(o))
		for i := range o {
			score[i] = float64(o[i]) / 2
		}
		r, err := LinearEffects(score, twoFactors(fa, fb)[:1], cl, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if r.Effects[0].P < 0.05 {
			few++
		}
	}
	share(t, "robust errors of twelve clusters reject a true null", few, runs, 0.05, 0.02)
	if f := float64(naive) / float64(runs); f < 0.08 {
		t.Errorf("games as independent reject a true null in only %.3f: this test shows nothing", f)
	}
}

func TestProportionalityFindsRulesThatMakeDraws(t *testing.T) {
	// With the rule half of the games are drawn, without it a fifth; nobody is favoured.
	rng := rand.New(rand.NewPCG(73, 0))
	var o, f []int
	for i := range 800 {
		x := i % 2
		draws := 0.2 + 0.3*float64(x)
		y := 0
		switch u := rng.Float64(); {
		case u < draws:
			y = 1
		case u < draws+(1-draws)/2:
			y = 2
		}
		o, f = append(o, y), append(f, x)
	}
	c := FactorColumns("rule", []string{"off", "on"}, f)
	j, err := Proportionality(o, c, nil)
	if err != nil || !(j.P < 1e-6) || j.DF1 != 1 || j.DF2 != 799 {
		t.Errorf("%+v, %v", j, err)
	}
	r, err := ProportionalOdds(o, c, nil, 0.95)
	if err != nil || r.Effects[0].P < 0.01 {
		t.Errorf("%+v, %v", r.Effects, err)
	}
	or := r.Effects[0].OddsRatio()
	near(t, "odds ratio", or.Low, math.Exp(r.Effects[0].Interval.Low), 0)
	if j, err := Proportionality([]int{0, 1, 0, 1, 1, 0}, []Column{{"x", []float64{1, 2, 3, 1, 2, 4}}}, nil); err != nil || !math.IsNaN(j.P) {
		t.Errorf("two outcomes: %+v, %v", j, err)
	}
}

func TestRegressionsRefuse(t *testing.T) {
	x := Column{"x", []float64{0, 1, 0, 1, 0, 1, 0, 1}}
	z := Column{"z", []float64{1, 3, 1, 3, 1, 3, 1, 3}}
	flat := Column{"flat", []float64{2, 2, 2, 2, 2, 2, 2, 2}}
	y := []int{0, 1, 2, 1, 0, 2, 1, 2}
	for _, c := range []struct {
		name    string
		outcome []int
		columns []Column
		cluster []int
		want    error
	}{
		{"a column twice", y, []Column{x, z}, nil, ErrAliased},
		{"a constant column", y, []Column{flat}, nil, ErrAliased},
		{"one outcome", []int{1, 1, 1, 1, 1, 1, 1, 1}, []Column{x}, nil, ErrOneOutcome},
		{"two clusters", y, []Column{x}, []int{1, 1, 1, 1, 2, 2, 2, 2}, ErrFewClusters},
	} {
		if _, err := ProportionalOdds(c.outcome, c.columns, c.cluster, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
		score := make([]float64, len(y))
		for i, o := range c.outcome {
			score[i] = float64(o) / 2
		}
		if _, err := LinearEffects(score, c.columns, c.cluster, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s, linear: error %v", c.name, err)
		}
	}
	bad := Column{"x", []float64{0, math.NaN(), 0, 1, 0, 1, 0, 1}}
	if _, err := ProportionalOdds(y, []Column{bad}, nil, 0.95); err == nil {
		t.Error("a value of NaN passes")
	}
	// Draws that never occurred leave a logistic regression.
	r, err := ProportionalOdds([]int{0, 2, 2, 2, 0, 0, 2, 0}, []Column{x}, nil, 0.95)
	l, err2 := Logistic([]bool{false, true, true, true, false, false, true, false}, []Column{x}, nil, 0.95)
	if err != nil || err2 != nil || len(r.Constants) != 1 || r.Effects[0].Interval.Estimate != l.Effects[0].Interval.Estimate || r.Constants[0] != -l.Constants[0] {
		t.Errorf("%+v, %+v, %v, %v", r, l, err, err2)
	}
	if _, err := r.Joint("x"); err != nil {
		t.Error(err)
	}
	// A negative separated effect mirrors the positive one; a joint test of it is refused.
	up, _ := Logistic([]bool{true, false, true, false, false, false, false, true, true, true, true, true}, []Column{{"s", []float64{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}}}, nil, 0.9)
	down, _ := Logistic([]bool{false, true, false, true, true, true, true, false, false, false, false, false}, []Column{{"s", []float64{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}}}, nil, 0.9)
	if !up.Separated || !down.Separated || !math.IsInf(down.Effects[0].Interval.Low, -1) {
		t.Errorf("%+v, %+v", up.Effects, down.Effects)
	}
	near(t, "mirrored bound", down.Effects[0].Interval.High, -up.Effects[0].Interval.Low, 1e-4)
	if _, err := up.Joint("s"); !errors.Is(err, ErrSeparated) {
		t.Errorf("joint test of a separated effect: %v", err)
	}
}

func TestShrinkageIsCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(74, 0))
	runs := repeats(40)
	const k = 12
	for _, tau := range []float64{0, 0.02, 0.06} {
		covered, ranked, mean := 0, 0, 0
		var raw, shrunk, curse, cured float64
		for range runs {
			truth, y, se := make([]float64, k), make([]float64, k), make([]float64, k)
			for i := range truth {
				truth[i] = 0.52 + tau*rng.NormFloat64()
				se[i] = 0.02 + 0.02*rng.Float64()
				y[i] = truth[i] + se[i]*rng.NormFloat64()
			}
			s, err := Shrink(y, se, PauleMandel, 0.9, 200, rng)
			if err != nil {
				t.Fatal(err)
			}
			best := 0
			for i, it := range s.Items {
				raw += (y[i] - truth[i]) * (y[i] - truth[i])
				shrunk += (it.Shrunk.Estimate - truth[i]) * (it.Shrunk.Estimate - truth[i])
				if it.Shrunk.Contains(truth[i]) {
					covered++
				}
				rank := 1
				for j := range truth {
					if truth[j] > truth[i] {
						rank++
					}
				}
				if it.Rank.Contains(float64(rank)) {
					ranked++
				}
				if y[i] > y[best] {
					best = i
				}
			}
			curse += y[best] - truth[best]
			cured += s.Items[best].Shrunk.Estimate - truth[best]
			if s.Mean.Contains(0.52) {
				mean++
			}
		}
		n := float64(runs)
		t.Logf("τ %.2f: error² %.2g raw, %.2g shrunk; the seeming best is too high by %.4f raw, %.4f shrunk", tau, raw/n/k, shrunk/n/k, curse/n, cured/n)
		// The prior of τ costs some width where τ is small: at least the level.
		if c := float64(covered) / (n * k); c < 0.88 {
			t.Errorf("τ %v: intervals cover %.3f", tau, c)
		}
		if c := float64(mean) / n; c < 0.8 {
			t.Errorf("τ %v: the mean's interval covers %.3f", tau, c)
		}
		if c := float64(ranked) / (n * k); tau > 0 && c < 0.86 {
			t.Errorf("τ %v: ranks' intervals cover %.3f", tau, c)
		}
		if shrunk > raw {
			t.Errorf("τ %v: shrinkage makes errors larger", tau)
		}
		// Where τ² comes out too small the best is pulled too far, by a little.
		if math.Abs(cured)/n > 0.6*curse/n+0.002 {
			t.Errorf("τ %v: the seeming best stays too high by %v of %v", tau, cured/n, curse/n)
		}
	}
	for _, se := range [][]float64{{0.1, 0}, {0.1, 0, 0.1}, {0.1, math.NaN(), 0.1}} {
		if _, err := Shrink(make([]float64, len(se)), se, REML, 0.95, 10, rng); err == nil {
			t.Errorf("errors %v pass", se)
		}
	}
}

func TestRankStability(t *testing.T) {
	rng := rand.New(rand.NewPCG(75, 0))
	a := []float64{0.40, 0.45, 0.50, 0.55, 0.60, 0.65}
	small, large := []float64{.001, .001, .001, .001, .001, .001}, []float64{.2, .2, .2, .2, .2, .2}
	s, err := RankStability(a, small, a, small, 0.95, 500, rng)
	if err != nil || s.Observed != 1 || s.Tau.Low < 0.99 {
		t.Errorf("rankings known exactly: %+v, %v", s, err)
	}
	s, err = RankStability(a, large, a, large, 0.95, 500, rng)
	if err != nil || s.Observed != 1 || s.Tau.Low > -0.3 || s.Tau.High < 0.3 {
		t.Errorf("rankings of noise: %+v, %v", s, err)
	}
	if _, err := RankStability(a[:2], small[:2], a[:2], small[:2], 0.95, 500, rng); err == nil {
		t.Error("two items have no stability")
	}
}

func TestPosteriorIsCalibrated(t *testing.T) {
	// Shares drawn from the prior: then a credible interval covers exactly.
	rng := rand.New(rand.NewPCG(76, 0))
	runs := repeats(150)
	score, win := 0, 0
	for range runs {
		var g [4]float64
		sum := 0.0
		for i := range g {
			g[i] = rng.ExpFloat64() // uniform shares
			sum += g[i]
		}
		var y Tally
		for range 25 {
			switch u := rng.Float64() * sum; {
			case u < g[0]:
				y.Win++
			case u < g[0]+g[1]:
				y.Draw++
			case u < g[0]+g[1]+g[2]:
				y.Loss++
			default:
				y.Capped++
			}
		}
		d := y.Posterior(1, 1)
		if d.Score(CappedHalf, 0.9).Contains((g[0] + g[1]/2 + g[3]/2) / sum) {
			score++
		}
		if w, _, _, _ := d.Shares(0.9); w.Contains(g[0] / sum) {
			win++
		}
	}
	share(t, "the score's interval covers", score, runs, 0.9, 0)
	share(t, "the wins' interval covers", win, runs, 0.9, 0)
	// Half the weight is about half the games.
	y := Tally{Win: 60, Draw: 20, Loss: 40}
	full, half := y.Posterior(0.5, 1).Score(CappedHalf, 0.95), y.Posterior(0.5, 0.5).Score(CappedHalf, 0.95)
	near(t, "ratio of widths", (half.High-half.Low)/(full.High-full.Low), math.Sqrt2, 0.03)
}

func TestSmallIntervalsAreCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 0))
	runs := repeats(800)
	p := [5]float64{0.06, 0.16, 0.35, 0.23, 0.2}
	m, v := momentsOf(p)
	elo := (m - 0.5) / math.Sqrt(2*v) * NormalisedScale
	var n, c, seeds, inc int
	for range runs {
		x := make([]float64, 80)
		for i := range x {
			x[i] = pairScores[pairFrom(rng, p)]
		}
		if NormalisedElo(x, 0.95).Contains(elo) {
			n++
		}
		// Normal samples a distance d apart: δ = 2Φ(d/√(1+s²)) − 1.
		a, b := make([]float64, 30), make([]float64, 40)
		for i := range a {
			a[i] = 0.8 + rng.NormFloat64()
		}
		for i := range b {
			b[i] = 2 * rng.NormFloat64()
		}
		if CliffDelta(a, b, 0.95).Contains(math.Erf(0.8 / math.Sqrt(5) / math.Sqrt2)) {
			c++
		}
		s := []float64{0.53 + 0.03*rng.NormFloat64(), 0.53 + 0.03*rng.NormFloat64(), 0.53 + 0.03*rng.NormFloat64()}
		if SeedMean(s, 0, 1, 0.95).Contains(0.53) {
			seeds++
		}
		// Three ways to end at constant rates, and a cut-off for a fifth: by length 1
		// cause 0 has ended a share 0.4/1 (1 − e⁻¹).
		length, cause := make([]float64, 100), make([]int, 100)
		for i := range length {
			length[i] = rng.ExpFloat64()
			switch u := rng.Float64(); {
			case u < 0.4:
			case u < 0.75:
				cause[i] = 1
			default:
				cause[i] = 2
			}
			if cut := 0.3 + 4*rng.Float64(); cut < length[i] {
				length[i], cause[i] = cut, -1
			}
		}
		if AalenJohansen(length, cause, 3).Interval(0, 1, 0.95).Contains(0.4 * (1 - math.Exp(-1))) {
			inc++
		}
	}
	share(t, "normalised Elo's interval covers", n, runs, 0.95, 0.01)
	share(t, "Cliff's interval covers", c, runs, 0.95, 0.01)
	share(t, "three seeds' interval covers", seeds, runs, 0.95, 0)
	share(t, "the incidence's interval covers", inc, runs, 0.95, 0.01)
}

func TestPermutationAndTrendAreCalibrated(t *testing.T) {
	rng := rand.New(rand.NewPCG(78, 0))
	runs := repeats(200)
	budgets := []float64{100, 400, 1600, 6400}
	var within, strong, flat, falls, signed, deviates int
	for range runs {
		null, effect := make([][]float64, 30), make([][]float64, 30)
		even, fading := make([][]float64, 4), make([][]float64, 4)
		for i := range null {
			tempo := rng.NormFloat64() * 0.5 // pairs differ
			null[i] = []float64{twin(rng, tempo, 1), twin(rng, tempo, 1), twin(rng, tempo, 1)}
			effect[i] = []float64{twin(rng, tempo, 1), twin(rng, tempo, 1), twin(rng, tempo+1.5, 1)}
		}
		for b := range budgets {
			for range 80 {
				even[b] = append(even[b], twin(rng, 0.7, 1))
				fading[b] = append(fading[b], twin(rng, 1.6-0.5*float64(b), 1))
			}
		}
		if PermutationWithin(null, 99, rng) <= 0.05 {
			within++
		}
		if PermutationWithin(effect, 99, rng) <= 0.05 {
			strong++
		}
		e, err := BudgetTrend(budgets, even, 0.95, 99, rng)
		if err != nil {
			t.Fatal(err)
		}
		if e.PDeviation <= 0.05 {
			flat++
		}
		if e.PScore < 0.05 {
			signed++
		}
		f, err := BudgetTrend(budgets, fading, 0.95, 99, rng)
		if err != nil {
			t.Fatal(err)
		}
		if f.PDeviation <= 0.05 && f.Deviation.Estimate < 0 {
			falls++
		}
		if f.Deviation.Excludes(0) {
			deviates++
		}
	}
	share(t, "labels that do not matter are rejected", within, runs, 0.05, 0)
	share(t, "a flat deviation is rejected", flat, runs, 0.05, 0)
	share(t, "a flat score is rejected", signed, runs, 0.05, 0)
	for what, n := range map[string]int{"a planted cell": strong, "a planted fall": falls, "a planted fall's interval": deviates} {
		if f := float64(n) / float64(runs); f < 0.7 {
			t.Errorf("%s is found in %.3f", what, f)
		}
	}
	// Two cells: the sign-flip test of pairs.
	pair := [][]float64{{.75, .5}, {.5, .5}, {.5, .25}, {.25, .25}, {.5, .5}, {.75, .5}, {1, .75}, {.5, .5}, {.5, .75}}
	var a, b []float64
	for _, r := range pair {
		a, b = append(a, r[0]), append(b, r[1])
	}
	near(t, "two cells", PermutationWithin(pair, 20000, rng), PermutationPaired(a, b, 0, rng), 0.015)
	if p := PermutationWithin([][]float64{{1, 1}, {0, 0}}, 10, rng); p != 1 {
		t.Errorf("cells that agree have p %v", p)
	}
	for _, bad := range [][]float64{{100}, {100, 100}, {0, 100}} {
		if _, err := BudgetTrend(bad, make([][]float64, len(bad)), 0.95, 10, rng); err == nil {
			t.Errorf("budgets %v pass", bad)
		}
	}
}

func TestPlansComeTrue(t *testing.T) {
	// BALANCE's figure: 16 cells of 200 games with sd 0.42 give ±2.9 points an effect.
	near(t, "half width of a main effect", 1.96*MainEffectSE(16, 200, 0.42, 0), 0.029, 0.0005)
	if n := SampleSizeMainEffect(4, 0.3, 0.2, 0.1, 0.05, 0.8); PowerMainEffect(4, n, 0.3, 0.2, 0.1, 0.05) < 0.8 || PowerMainEffect(4, n-1, 0.3, 0.2, 0.1, 0.05) > 0.8 {
		t.Errorf("planned %d pairs a cell", n)
	}
	if n := SampleSizeTOSTAt(0.3, 0.01, 0.05, 0.05, 0.8); PowerTOSTAt(n, 0.3, 0.01, 0.05, 0.05) < 0.8 || PowerTOSTAt(n-1, 0.3, 0.01, 0.05, 0.05) >= 0.8 {
		t.Errorf("planned %d pairs", n)
	}
	near(t, "TOST at truth 0", PowerTOSTAt(500, 0.3, 0, 0.04, 0.05), PowerTOST(500, 0.3, 0.04, 0.05), 1e-12)
	near(t, "sd of a difference", DifferenceSD(0.3, 0.3, 0.5), 0.3, 1e-12)

	// A simulated factorial on common starts has the planned error and power.
	rng := rand.New(rand.NewPCG(79, 0))
	runs := repeats(300)
	const starts, sd, rho, effect = 40, 0.3, 0.4, 0.09
	found := 0
	for range runs {
		var score []float64
		var fa, fb, cl []int
		for s := range starts {
			common := rng.NormFloat64() * sd * math.Sqrt(rho)
			for cell := range 4 {
				v := 0.5 + common + rng.NormFloat64()*sd*math.Sqrt(1-rho)
				if cell%2 == 1 {
					v += effect
				}
				score, fa, fb, cl = append(score, v), append(fa, cell%2), append(fb, cell/2), append(cl, s)
			}
		}
		r, err := LinearEffects(score, twoFactors(fa, fb), cl, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if r.Effects[0].P < 0.05 {
			found++
		}
	}
	share(t, "power of the planned factorial", found, runs, PowerMainEffect(4, starts, sd, rho, effect, 0.05), 0.03)
}

func TestSeparatedEffectsSurviveJSON(t *testing.T) {
	r, err := Logistic([]bool{true, false, true, false, false, false, false, true, true, true, true, true},
		FactorColumns("s", []string{"a", "b"}, []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}), nil, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Regression
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Effects, r.Effects) || back.Method != r.Method {
		t.Errorf("wrote %+v, read %+v", r, back)
	}
	if b, err = json.Marshal(Joint{math.NaN(), 0, 3, math.NaN()}); err != nil || string(b) != `{"f":null,"df1":0,"df2":3,"p":null}` {
		t.Errorf("%s, %v", b, err)
	}
}

// TestExactFitClaimsNoCertainty: twelve pairs that all did what the rule says are
// twelve pairs, not a law.
func TestExactFitClaimsNoCertainty(t *testing.T) {
	var score []float64
	var f, cl []int
	for i := range 24 {
		score, f, cl = append(score, float64(i%2)), append(f, i%2), append(cl, i/2)
	}
	r, err := LinearEffects(score, FactorColumns("rule", []string{"off", "on"}, f), cl, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Effects[0]
	near(t, "effect", e.Interval.Estimate, 1, 1e-9)
	// None of 12 leaves 26 % (Clopper–Pearson); two means may each be off by that.
	if w := 1 - e.Interval.Low; w < 0.5 || w > 0.6 || e.P > 0.001 || e.P == 0 {
		t.Errorf("%+v", e)
	}
}

// TestPosteriorRepeatsATable: first players' scores of chess variants from 10,000
// games each, with half widths that were computed independently from the counts.
func TestPosteriorRepeatsATable(t *testing.T) {
	for _, c := range []struct {
		win, draw, loss int
		score, half     float64
	}{{2086, 7191, 723, 0.568, 0.005}, {1306, 8103, 591, 0.536, 0.004}, {532, 9160, 308, 0.511, 0.003}} {
		iv := Tally{Win: c.win, Draw: c.draw, Loss: c.loss}.Posterior(JeffreysPrior, 1).Score(CappedHalf, 0.95)
		near(t, "score", iv.Estimate, c.score, 0.0006)
		near(t, "half width", (iv.High-iv.Low)/2, c.half, 0.0006)
	}
}
