package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// fixtures are reference values of scipy, statsmodels and lifelines, made by
// testdata/fixtures.py (the file records their versions).
type fixtures struct {
	Proportion []struct {
		K, N           int
		Level          float64
		Wilson         [2]float64
		ClopperPearson [2]float64 `json:"clopper_pearson"`
		Jeffreys       [2]float64
	}
	ShareDifference []struct {
		K1, N1, K2, N2 int
		Low, High      float64
	} `json:"share_difference"`
	Pair struct {
		A               []float64
		Mean, Low, High float64
	}
	Paired, Welch, PermutationPairedExact, PermutationTwoExact sample
	Bootstrap                                                  map[string][]float64
	TOST                                                       []struct{ Margin, Low, High, P float64 }
	Multiple                                                   struct{ P, Holm, BH []float64 }
	Power                                                      []struct {
		SD, Effect, Power float64
		N                 int
	}
	Survival struct {
		Length      []float64
		Ended       []bool
		Time, S, SE []float64
		Median, Q25 float64
		RMST        float64   `json:"rmst200"`
		RMSTSE      float64   `json:"rmst200_se"`
		BandLow     []float64 `json:"band_low"`
		BandHigh    []float64 `json:"band_high"`
	}
}

type sample struct {
	A, B             []float64
	P, DF, Low, High float64
}

func load(t *testing.T) fixtures {
	t.Helper()
	b, err := os.ReadFile("testdata/fixtures.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	var named struct {
		PP sample `json:"permutation_paired_exact"`
		PT sample `json:"permutation_two_exact"`
	}
	if err := json.Unmarshal(b, &named); err != nil {
		t.Fatal(err)
	}
	f.PermutationPairedExact, f.PermutationTwoExact = named.PP, named.PT
	return f
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tol {
		t.Errorf("%s = %.10g, want %.10g (±%g)", what, got, want, tol)
	}
}

func TestProportionsAgreeWithStatsmodels(t *testing.T) {
	f := load(t)
	if len(f.Proportion) == 0 {
		t.Fatal("no fixtures")
	}
	for _, c := range f.Proportion {
		for _, m := range []struct {
			name string
			got  Interval
			want [2]float64
		}{
			{"wilson", Wilson(c.K, c.N, c.Level), c.Wilson},
			{"clopper-pearson", ClopperPearson(c.K, c.N, c.Level), c.ClopperPearson},
			{"jeffreys", Jeffreys(c.K, c.N, c.Level), c.Jeffreys},
		} {
			near(t, m.name+" low", m.got.Low, m.want[0], 1e-8)
			near(t, m.name+" high", m.got.High, m.want[1], 1e-8)
			if !m.got.Contains(m.got.Estimate) {
				t.Errorf("%s %d/%d: %v excludes its estimate", m.name, c.K, c.N, m.got)
			}
		}
	}
	for _, c := range f.ShareDifference {
		got := ShareDifference(c.K1, c.N1, c.K2, c.N2, 0.95)
		near(t, "newcombe low", got.Low, c.Low, 1e-9)
		near(t, "newcombe high", got.High, c.High, 1e-9)
	}
}

func TestScoresAgreeWithScipy(t *testing.T) {
	f := load(t)
	iv := PairScore(f.Pair.A, 0.95)
	near(t, "pair mean", iv.Estimate, f.Pair.Mean, 1e-12)
	near(t, "pair low", iv.Low, f.Pair.Low, 1e-9)
	near(t, "pair high", iv.High, f.Pair.High, 1e-9)

	d := PairedDifference(f.Paired.A, f.Paired.B, 0.95)
	near(t, "paired p", d.P, f.Paired.P, 1e-9)
	near(t, "paired low", d.Interval.Low, f.Paired.Low, 1e-9)
	near(t, "paired high", d.Interval.High, f.Paired.High, 1e-9)

	w := WelchDifference(f.Welch.A, f.Welch.B, 0.95)
	near(t, "welch p", w.P, f.Welch.P, 1e-9)
	// The same test for values without bounds, a unit and a shift apart.
	plies := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = 200*x[i] + 30
		}
		return out
	}
	l := PairedMeanDifference(plies(f.Paired.A), plies(f.Paired.B), 0.95)
	near(t, "paired lengths p", l.P, f.Paired.P, 1e-9)
	near(t, "paired lengths low", l.Interval.Low, 200*f.Paired.Low, 1e-7)
	near(t, "paired lengths high", l.Interval.High, 200*f.Paired.High, 1e-7)

	near(t, "welch df", w.DF, f.Welch.DF, 1e-9)
	near(t, "welch low", w.Interval.Low, f.Welch.Low, 1e-9)
	near(t, "welch high", w.Interval.High, f.Welch.High, 1e-9)

	rng := rand.New(rand.NewPCG(1, 2))
	near(t, "exact sign flip p", PermutationPaired(f.PermutationPairedExact.A, f.PermutationPairedExact.B, 0, rng),
		f.PermutationPairedExact.P, 1e-12)
	// 200,000 draws: standard error of p about 0.001.
	near(t, "two-sample permutation p", PermutationTwoSample(f.PermutationTwoExact.A, f.PermutationTwoExact.B, 200000, rng),
		f.PermutationTwoExact.P, 0.005)

	for name, m := range map[string]BootstrapMethod{"percentile": Percentile, "BCa": BCa} {
		for _, prefix := range []string{"", "skew_"} {
			data := f.Bootstrap["a"]
			if prefix != "" {
				data = f.Bootstrap["skew"]
			}
			got := BootstrapMean(data, m, 20000, 0.95, rng)
			want := f.Bootstrap[prefix+name]
			// Both ends are quantiles of a random distribution on a lattice of 1/(4·60)
			// (1/(2·40) for the skewed data); one lattice step is the tolerance.
			near(t, prefix+name+" low", got.Low, want[0], 0.0126)
			near(t, prefix+name+" high", got.High, want[1], 0.0126)
		}
	}

	for _, c := range f.TOST {
		e := TOSTScore(f.Pair.A, c.Margin, 0.05)
		near(t, "tost low", e.Low, c.Low, 1e-9)
		near(t, "tost high", e.High, c.High, 1e-9)
		near(t, "tost p", e.P, c.P, 1e-9)
		if e.Equivalent != (c.P < 0.05) {
			t.Errorf("margin %v: equivalent = %v with p = %v", c.Margin, e.Equivalent, c.P)
		}
	}
}

func TestMultiplicityAndPowerAgreeWithStatsmodels(t *testing.T) {
	f := load(t)
	holm, bh := Holm(f.Multiple.P), BenjaminiHochberg(f.Multiple.P)
	for i := range f.Multiple.P {
		near(t, "holm", holm[i], f.Multiple.Holm[i], 1e-12)
		near(t, "bh", bh[i], f.Multiple.BH[i], 1e-12)
	}
	for _, c := range f.Power {
		near(t, "power", Power(c.N, c.SD, c.Effect, 0.05), c.Power, 1e-9)
	}
}

func TestSurvivalAgreesWithStatsmodelsAndLifelines(t *testing.T) {
	f := load(t).Survival
	s := KaplanMeier(f.Length, f.Ended)
	if len(s.Time) != len(f.Time) {
		t.Fatalf("%d distinct times, want %d", len(s.Time), len(f.Time))
	}
	for i := range f.Time {
		near(t, "time", s.Time[i], f.Time[i], 0)
		near(t, "S", s.S[i], f.S[i], 1e-12)
		near(t, "SE", s.SE[i], f.SE[i], 1e-12)
		lo, hi := s.Band(i, 0.95)
		near(t, "band low", lo, f.BandLow[i], 1e-9)
		near(t, "band high", hi, f.BandHigh[i], 1e-9)
	}
	near(t, "median", s.Quantile(0.5), f.Median, 0)
	near(t, "first quartile", s.Quantile(0.25), f.Q25, 0)
	rm := s.RestrictedMean(200, 0.95)
	near(t, "restricted mean", rm.Estimate, f.RMST, 1e-9)
	near(t, "restricted mean se", (rm.High-rm.Low)/2/1.959963984540054, f.RMSTSE, 1e-9)
	if s.Censored == 0 || !math.IsInf(s.Quantile(0.999), 1) {
		t.Errorf("censored %d, 99.9 %% quantile %v: the cap must hide it", s.Censored, s.Quantile(0.999))
	}
}
