package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// read decodes one of the fixture files of testdata.
func read(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// rel is near with a tolerance relative to the larger one of the wanted value and 1.
func rel(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	near(t, what, got, want, tol*math.Max(1, math.Abs(want)))
}

// gsprt is testdata/gsprt.json, computed by testdata/gsprt.py with scipy.
type gsprt struct {
	LLR, Approximate, Normalised []struct {
		Counts          Pentanomial
		Elo0, Elo1, LLR float64
	}
	NormalisedElo []struct {
		Counts              Pentanomial
		Estimate, Low, High float64
	} `json:"normalised_elo"`
	Entropy []struct {
		Mean, SD float64
		P        [5]float64
	}
	Length []struct {
		Truth                             [5]float64
		S0, S1, Alpha, Beta, Mean, H1, H0 float64
	}
}

func TestSequentialAgreesWithScipy(t *testing.T) {
	var f gsprt
	read(t, "gsprt.json", &f)
	if len(f.LLR) == 0 || len(f.Approximate) == 0 || len(f.Normalised) == 0 || len(f.Entropy) == 0 || len(f.Length) == 0 {
		t.Fatal("no fixtures")
	}
	for _, c := range f.LLR {
		rel(t, "LLR", SPRT{c.Elo0, c.Elo1, 0.05, 0.05}.LLR(c.Counts), c.LLR, 1e-8)
	}
	for _, c := range f.Approximate {
		rel(t, "approximate LLR", SPRT{c.Elo0, c.Elo1, 0.05, 0.05}.ApproximateLLR(c.Counts), c.LLR, 1e-10)
	}
	for _, c := range f.Normalised {
		// SLSQP stops at about this accuracy of the likelihood times the number of pairs.
		rel(t, "normalised LLR", NormalisedSPRT{c.Elo0, c.Elo1, 0.05, 0.05}.LLR(c.Counts), c.LLR, 2e-4)
	}
	if len(f.NormalisedElo) == 0 {
		t.Error("no fixtures of normalised Elo")
	}
	for _, c := range f.NormalisedElo {
		iv := NormalisedElo(c.Counts.Scores(), 0.95)
		rel(t, "normalised Elo", iv.Estimate, c.Estimate, 1e-12)
		// The formula's d has the sample's variance, the script's derivatives that of the counts: 1/n apart.
		near(t, "normalised Elo, low", iv.Low, c.Low, 2*math.Abs(c.Estimate-c.Low)/float64(c.Counts.Pairs()))
		near(t, "normalised Elo, high", iv.High, c.High, 2*math.Abs(c.Estimate-c.Low)/float64(c.Counts.Pairs()))
	}
	// A match as another program, fastchess, printed it: pairs [0, 0, 2, 0, 37], hypotheses 0 and 20 normalised Elo, an
	// LLR of 2.96 and 1056.68 normalised Elo, with the variance divided by n.
	printed := Pentanomial{0, 0, 2, 0, 37}
	near(t, "LLR that fastchess printed", NormalisedSPRT{0, 20, 0.05, 0.05}.LLR(printed), 2.96, 0.005)
	near(t, "normalised Elo that fastchess printed", NormalisedElo(printed.Scores(), 0.95).Estimate*math.Sqrt(39.0/38), 1056.68, 0.005)
	for _, c := range f.Entropy {
		p, err := PairDistribution(c.Mean, c.SD)
		if err != nil {
			t.Error(err)
			continue
		}
		for i := range p {
			near(t, "chance of a pair score", p[i], c.P[i], 1e-6)
		}
	}
	for _, c := range f.Length {
		s := ScoreSPRT(c.S0, c.S1, c.Alpha, c.Beta)
		l := s.Length(c.Truth, 1200)
		// Interpolated bounds may fall on the other side of a lattice point.
		rel(t, "mean length", l.Mean, c.Mean, 0.01)
		near(t, "chance of H1", l.AcceptH1, c.H1, 0.005)
		near(t, "chance of H0", l.AcceptH0, c.H0, 0.005)
		near(t, "all verdicts", l.AcceptH0+l.AcceptH1+l.Undecided, 1, 1e-6)
		if !(l.Median > 0 && l.Median < l.P90 && l.P90 < l.P99 && float64(l.Median) < l.Mean*1.1) {
			t.Errorf("quantiles of the length: %+v", l)
		}
		short := s.Length(c.Truth, 20)
		if !(short.Undecided > 0.1 && short.P99 == 20 && short.Mean < 20) {
			t.Errorf("a test given up after 20 pairs: %+v", short)
		}
	}
	if _, err := PairDistribution(0.6, 0.1); err == nil {
		t.Error("pairs with mean 0.6 cannot have the standard deviation 0.1: that of ½ and ¾ is 0.122")
	}
}

func TestDirichletAgreesWithScipy(t *testing.T) {
	var f struct {
		Dirichlet []struct {
			Win, Draw, Loss, Capped int
			Below                   []struct{ S, P float64 }
			Mean                    float64
			Q                       [2]float64
			LostLow                 float64 `json:"lost_low"`
		}
	}
	read(t, "fixtures.json", &f)
	if len(f.Dirichlet) == 0 {
		t.Fatal("no fixtures")
	}
	for _, c := range f.Dirichlet {
		d := Tally{c.Win, c.Draw, c.Loss, c.Capped}.Posterior(JeffreysPrior, 1)
		for _, b := range c.Below {
			near(t, "P(score ≤ s)", d.ScoreBelow(CappedHalf, b.S), b.P, 1e-8)
		}
		iv := d.Score(CappedHalf, 0.95)
		near(t, "mean score", iv.Estimate, c.Mean, 1e-12)
		near(t, "low", iv.Low, c.Q[0], 1e-7)
		near(t, "high", iv.High, c.Q[1], 1e-7)
		near(t, "low with caps lost", d.Score(CappedLost, 0.95).Low, c.LostLow, 1e-7)
		near(t, "within the margin", d.ScoreWithin(CappedHalf, 0.05), c.Below[3].P-c.Below[1].P, 2e-8)
		// The other side sees the mirror image.
		m := Dirichlet{d.Loss, d.Draw, d.Win, d.Capped}
		near(t, "mirrored", m.Score(CappedWon, 0.95).Low, 1-d.Score(CappedLost, 0.95).High, 1e-8)
	}
}

func TestRanksAgreeWithScipy(t *testing.T) {
	var f struct {
		Kendall []struct {
			A, B   []float64
			Tau, P float64
		}
		Cliff []struct {
			A, B             []float64
			Delta, Low, High float64
		}
		Within struct {
			Scores [][]float64
			P      float64
		} `json:"permutation_within"`
		Trend struct {
			Budgets                        []float64
			Scores                         [][]float64
			Slope, P, Low, High, Deviation float64
		}
		TOSTPower []struct {
			N                        int
			SD, Truth, Margin, Power float64
		} `json:"tost_power"`
	}
	read(t, "fixtures.json", &f)
	if len(f.Kendall) == 0 || len(f.Cliff) == 0 || len(f.TOSTPower) == 0 {
		t.Fatal("no fixtures")
	}
	for _, c := range f.Kendall {
		tau, p := KendallTau(c.A, c.B)
		near(t, "τ", tau, c.Tau, 1e-12)
		near(t, "p of τ", p, c.P, 1e-12)
	}
	for _, c := range f.Cliff {
		iv := CliffDelta(c.A, c.B, 0.95)
		near(t, "δ", iv.Estimate, c.Delta, 1e-12)
		near(t, "low", iv.Low, c.Low, 1e-9)
		near(t, "high", iv.High, c.High, 1e-9)
		back := CliffDelta(c.B, c.A, 0.95)
		near(t, "δ the other way", back.Low, -iv.High, 1e-12)
	}
	rng := rand.New(rand.NewPCG(61, 0))
	// 40,000 draws: the standard error of p is below 0.0025.
	near(t, "p within pairs", PermutationWithin(f.Within.Scores, 40000, rng), f.Within.P, 0.009)
	tr, err := BudgetTrend(f.Trend.Budgets, f.Trend.Scores, 0.95, 500, rng)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "slope", tr.Score.Estimate, f.Trend.Slope, 1e-12)
	near(t, "slope low", tr.Score.Low, f.Trend.Low, 1e-9)
	near(t, "slope high", tr.Score.High, f.Trend.High, 1e-9)
	near(t, "p of the slope", tr.PScore, f.Trend.P, 1e-9)
	near(t, "slope of the deviation", tr.Deviation.Estimate, f.Trend.Deviation, 1e-12)
	for _, c := range f.TOSTPower {
		near(t, "TOST power", PowerTOSTAt(c.N, c.SD, c.Truth, c.Margin, 0.05), c.Power, 1e-9)
	}
}

// regressionData is the factorial of testdata/fixtures.py.
type regressionData struct {
	Y, A, B, Cluster []int
	Covariate        []float64
	Linear           struct {
		Coef, SE, Low, High, P []float64
		ModelSE                []float64 `json:"model_se"`
		LogLik                 float64
		F                      float64 `json:"joint_f"`
		JointP                 float64 `json:"joint_p"`
	}
	Logistic struct {
		Coef, SE []float64
		ModelSE  []float64 `json:"model_se"`
		LogLik   float64
	}
}

func (d regressionData) columns(keep func(i int) bool) []Column {
	var a, b []int
	var v []float64
	for i := range d.Y {
		a, b, v = append(a, d.A[i]), append(b, d.B[i]), append(v, d.Covariate[i])
	}
	fa := FactorColumns("a", []string{"no", "yes"}, a)
	fb := FactorColumns("b", []string{"x", "y", "z"}, b)
	all := append(append(append(append([]Column(nil), fa...), fb...), Covariate("v", v)), Interaction(fa, fb)...)
	for k := range all {
		var kept []float64
		for i, x := range all[k].Values {
			if keep(i) {
				kept = append(kept, x)
			}
		}
		all[k].Values = kept
	}
	return all
}

func TestRegressionsAgreeWithStatsmodels(t *testing.T) {
	var f struct{ Regression regressionData }
	read(t, "fixtures.json", &f)
	d := f.Regression
	if len(d.Y) == 0 {
		t.Fatal("no fixtures")
	}
	score := make([]float64, len(d.Y))
	for i, y := range d.Y {
		score[i] = float64(y) / 2
	}
	l, err := LinearEffects(score, d.columns(func(int) bool { return true }), d.Cluster, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "constant", l.Constants[0], d.Linear.Coef[0], 1e-10)
	near(t, "log-likelihood", l.LogLikelihood, d.Linear.LogLik, 1e-8)
	for k, e := range l.Effects {
		near(t, e.Name, e.Interval.Estimate, d.Linear.Coef[k+1], 1e-10)
		near(t, e.Name+" SE", e.SE, d.Linear.SE[k+1], 1e-10)
		near(t, e.Name+" model SE", e.ModelSE, d.Linear.ModelSE[k+1], 1e-10)
		near(t, e.Name+" low", e.Interval.Low, d.Linear.Low[k+1], 1e-9)
		near(t, e.Name+" high", e.Interval.High, d.Linear.High[k+1], 1e-9)
		near(t, e.Name+" p", e.P, d.Linear.P[k+1], 1e-9)
	}
	j, err := l.Joint("b: y", "b: z")
	if err != nil {
		t.Fatal(err)
	}
	rel(t, "joint F", j.F, d.Linear.F, 1e-9)
	near(t, "joint p", j.P, d.Linear.JointP, 1e-9)

	decisive := func(i int) bool { return d.Y[i] != 1 }
	var won []bool
	var cluster []int
	for i, y := range d.Y {
		if decisive(i) {
			won, cluster = append(won, y == 2), append(cluster, d.Cluster[i])
		}
	}
	g, err := Logistic(won, d.columns(decisive), cluster, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "logistic constant", g.Constants[0], d.Logistic.Coef[0], 1e-6)
	near(t, "logistic log-likelihood", g.LogLikelihood, d.Logistic.LogLik, 1e-6)
	for k, e := range g.Effects {
		near(t, "logistic "+e.Name, e.Interval.Estimate, d.Logistic.Coef[k+1], 1e-6)
		near(t, "logistic SE "+e.Name, e.SE, d.Logistic.SE[k+1], 1e-6)
		near(t, "logistic model SE "+e.Name, e.ModelSE, d.Logistic.ModelSE[k+1], 1e-6)
	}
}

func TestModelsAgreeWithR(t *testing.T) {
	var py struct{ Regression regressionData }
	read(t, "fixtures.json", &py)
	var f struct {
		Ordinal struct {
			Names    []string
			Coef, SE []float64
			ModelSE  []float64 `json:"model_se"`
			LogLik   float64
			F        float64 `json:"joint_f"`
			P        float64 `json:"joint_p"`
		}
		Separated struct {
			Y      []int
			A      []float64
			Low, P float64
		}
		Shrink struct {
			Estimate, SE []float64
			Fits         []struct {
				Method      string
				Tau2, Mu, Q float64
				QP          float64
				Shrunk, SE  []float64
			}
			Even struct {
				Estimate, SE []float64
				Tau2         float64
			}
		}
		Incidence struct {
			Length []float64
			Cause  []int
			Time   []float64
			Share  [][]float64
		}
		Survival struct {
			Ended        []bool
			RMean        float64
			RMeanSE      float64 `json:"rmean_se"`
			Median       float64
			Difference   float64
			DifferenceSE float64 `json:"difference_se"`
		}
	}
	read(t, "fixtures_r.json", &f)

	d := py.Regression
	columns := d.columns(func(int) bool { return true })
	o, err := ProportionalOdds(d.Y, columns, d.Cluster, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ordinal log-likelihood", o.LogLikelihood, f.Ordinal.LogLik, 1e-6)
	for j, c := range o.Constants {
		near(t, "threshold", c, f.Ordinal.Coef[j], 1e-6)
	}
	for k, e := range o.Effects {
		near(t, "ordinal "+e.Name, e.Interval.Estimate, f.Ordinal.Coef[k+2], 1e-6)
		near(t, "ordinal model SE "+e.Name, e.ModelSE, f.Ordinal.ModelSE[k+2], 1e-6)
		near(t, "ordinal SE "+e.Name, e.SE, f.Ordinal.SE[k+2], 1e-6)
	}
	j, err := o.Joint("b: y", "b: z")
	if err != nil {
		t.Fatal(err)
	}
	rel(t, "ordinal joint F", j.F, f.Ordinal.F, 1e-5)
	near(t, "ordinal joint p", j.P, f.Ordinal.P, 1e-6)

	s, err := ProportionalOdds(f.Separated.Y, []Column{{"a", f.Separated.A}}, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	e := s.Effects[0]
	if !s.Separated || !e.Separated || !math.IsInf(e.Interval.Estimate, 1) || !math.IsInf(e.Interval.High, 1) {
		t.Errorf("a separated effect: %+v", e)
	}
	near(t, "separated low", e.Interval.Low, f.Separated.Low, 1e-4)
	near(t, "separated p", e.P, f.Separated.P, 1e-4)

	methods := map[string]Heterogeneity{"PM": PauleMandel, "REML": REML, "DL": DerSimonianLaird}
	if len(f.Shrink.Fits) != 3 {
		t.Fatal("no fixtures of shrinkage")
	}
	for _, c := range f.Shrink.Fits {
		got, err := Shrink(f.Shrink.Estimate, f.Shrink.SE, methods[c.Method], 0.95, 200, rand.New(rand.NewPCG(62, 0)))
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.Method+" τ²", got.Tau2, c.Tau2, 1e-8)
		near(t, c.Method+" μ", got.Mean.Estimate, c.Mu, 1e-7)
		near(t, c.Method+" Q", got.Q, c.Q, 1e-8)
		near(t, c.Method+" p of Q", got.QP, c.QP, 1e-8)
		h, _ := newHierarchy(f.Shrink.Estimate, f.Shrink.SE)
		mu, v, _, _ := h.fixed(got.Tau2)
		for i, it := range got.Items {
			near(t, c.Method+" shrunk", it.Shrunk.Estimate, c.Shrunk[i], 1e-7)
			_, iv := h.item(i, mu, v, got.Tau2)
			near(t, c.Method+" SE at τ²", math.Sqrt(iv), c.SE[i], 1e-7)
			if !it.Shrunk.Contains(it.Shrunk.Estimate) {
				t.Errorf("%+v excludes its estimate", it.Shrunk)
			}
		}
	}
	even, err := Shrink(f.Shrink.Even.Estimate, f.Shrink.Even.SE, PauleMandel, 0.95, 200, rand.New(rand.NewPCG(63, 0)))
	if err != nil || even.Tau2 != f.Shrink.Even.Tau2 {
		t.Errorf("estimates no further apart than their errors: τ² %v, want %v; %v", even.Tau2, f.Shrink.Even.Tau2, err)
	}

	inc := AalenJohansen(f.Incidence.Length, f.Incidence.Cause, 4)
	if len(inc.Time) != len(f.Incidence.Time) {
		t.Fatalf("%d times, want %d", len(inc.Time), len(f.Incidence.Time))
	}
	for i := range inc.Time {
		near(t, "time", inc.Time[i], f.Incidence.Time[i], 0)
		for k := range 4 {
			near(t, "incidence", inc.Share[k][i], f.Incidence.Share[k][i], 1e-12)
		}
	}
	km := KaplanMeier(f.Incidence.Length, f.Survival.Ended)
	rm := km.RestrictedMean(100, 0.95)
	near(t, "restricted mean", rm.Estimate, f.Survival.RMean, 1e-9)
	near(t, "its SE", (rm.High-rm.Low)/2/zOf(0.95), f.Survival.RMeanSE, 1e-9)
	near(t, "median", km.Quantile(0.5), f.Survival.Median, 0)
	var la, lb []float64
	var ea, eb []bool
	for i, l := range f.Incidence.Length {
		if i%2 == 1 { // R counts from 1
			la, ea = append(la, l), append(ea, f.Survival.Ended[i])
		} else {
			lb, eb = append(lb, l), append(eb, f.Survival.Ended[i])
		}
	}
	diff := RestrictedMeanDifference(KaplanMeier(la, ea), KaplanMeier(lb, eb), 90, 0.95)
	near(t, "difference of restricted means", diff.Interval.Estimate, f.Survival.Difference, 1e-9)
	near(t, "its SE", diff.SE, f.Survival.DifferenceSE, 1e-9)
}

func TestIncidenceAgreesWithLifelines(t *testing.T) {
	var f struct {
		Incidence struct {
			Length    []float64
			Cause     []int
			Time      []float64
			Share, SE [][]float64
		}
	}
	read(t, "fixtures.json", &f)
	inc := AalenJohansen(f.Incidence.Length, f.Incidence.Cause, 3)
	if len(inc.Time) == 0 || len(inc.Time) != len(f.Incidence.Time) {
		t.Fatalf("%d times, want %d", len(inc.Time), len(f.Incidence.Time))
	}
	for i := range inc.Time {
		for k := range 3 {
			near(t, "share", inc.Share[k][i], f.Incidence.Share[k][i], 1e-9)
			if want := f.Incidence.SE[k][i]; want >= 0 { // −1: lifelines has none
				near(t, "SE", inc.SE[k][i], want, 1e-9)
			}
		}
	}
}

func TestDavidsonAgreesWithPoissonRegression(t *testing.T) {
	var f struct {
		Davidson struct {
			Meetings []struct{ A, B, Wins, Draws, Losses int }
			Elo      []float64
			EloSE    []float64 `json:"elo_se"`
			LnNu     float64   `json:"ln_nu"`
			LnNuSE   float64   `json:"ln_nu_se"`
		}
	}
	read(t, "fixtures.json", &f)
	var ms []Meeting
	for _, c := range f.Davidson.Meetings {
		m := Meeting{A: c.A, B: c.B}
		// Games of one pair that end alike would make pairs vary more than games do:
		// win with loss as far as they go, then the rest.
		var games []float64
		for i := range max(c.Wins, c.Losses) {
			if i < c.Wins {
				games = append(games, 1)
			}
			if i < c.Losses {
				games = append(games, 0)
			}
		}
		for range c.Draws {
			games = append(games, 0.5)
		}
		for i := 0; i+1 < len(games); i += 2 {
			m.Pairs = append(m.Pairs, [2]float64{games[i], games[i+1]})
		}
		if len(games)%2 != 0 {
			t.Fatal("an odd number of games")
		}
		ms = append(ms, m)
	}
	r, err := Rate(4, ms, 0, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range f.Davidson.Elo {
		// The prior of 1000 Elo pulls by some hundredths of the error.
		near(t, "Elo", r.Players[i+1].Elo.Estimate, e, 1.5)
		got := r.Players[i+1].Elo
		// The larger one of the model's and the clusters' error.
		if se := (got.High - got.Low) / 2 / zOf(0.95); se < f.Davidson.EloSE[i]*0.98 || se > f.Davidson.EloSE[i]*1.6 {
			t.Errorf("Elo SE %v, of the model %v", se, f.Davidson.EloSE[i])
		}
	}
	near(t, "ln ν", math.Log(r.Draw), f.Davidson.LnNu, 0.01)
	if se := math.Log(r.DrawRange.High/r.DrawRange.Low) / 2 / zOf(0.95); se < f.Davidson.LnNuSE*0.98 || se > f.Davidson.LnNuSE*1.6 {
		t.Errorf("ln ν SE %v, of the model %v", se, f.Davidson.LnNuSE)
	}
}
