package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sixFactors are two-level rules of Bell's game, for fractions of 2^6.
func sixFactors() Design {
	d := DefaultDesign()
	d.ID, d.Question = "six", "Which rules matter?"
	d.Factorial = &Factorial{Base: RulesetRef{Ref: "bell-8x7"}, Factors: []Factor{
		{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}},
		{Parameter: "capture.edge", Values: []string{"neutral", "hostile"}},
		{Parameter: "end.tie", Values: []string{"draw", "player-1"}},
		{Parameter: "end.no_capture_limit", Values: []string{"30", "50"}},
		{Parameter: "repetition.rule", Values: []string{"threefold-draw", "none"}},
		{Parameter: "capture.moving_between", Values: []string{"safe", "taken"}},
	}}
	d.Agents, d.Pairs, d.Cap = []AgentRef{{Spec: "random"}}, 4, 100
	return d
}

// TestHalfFraction: a 2^(6−1) fraction with F = ABCDE has 32 of 64 runs, I = ABCDEF,
// resolution VI, every level in half of the runs, and no main effect or two-way
// interaction mixed with another.
func TestHalfFraction(t *testing.T) {
	d := sixFactors()
	d.Factorial.Fraction = &Fraction{Generators: []string{"F = ABCDE"}}
	if ps := d.Validate(); len(ps) > 0 {
		t.Fatal(ps)
	}
	runs := d.Factorial.levels()
	if len(runs) != 32 || len(d.Cells()) != 32 {
		t.Fatalf("%d runs, %d cells", len(runs), len(d.Cells()))
	}
	for i := range 6 {
		high := 0
		for _, r := range runs {
			high += r[i]
		}
		if high != 16 {
			t.Errorf("factor %d is high in %d of 32 runs", i, high)
		}
	}
	for _, r := range runs {
		sign := 1
		for _, l := range r {
			sign *= 2*l - 1
		}
		if sign != 1 {
			t.Fatalf("run %v is not in the fraction I = ABCDEF", r)
		}
	}
	f := d.FractionInfo()
	if f.Resolution != 6 || f.Runs != 32 || f.Of != 64 || !slices.Equal(f.Defining, []string{"I = ABCDEF"}) {
		t.Errorf("fraction %+v", f)
	}
	if !slices.Contains(f.Aliases, "A = BCDEF") || !slices.Contains(f.Aliases, "AB = CDEF") || len(f.Aliases) != 6+15 {
		t.Errorf("aliases %v", f.Aliases)
	}
	if n := len(d.Factorial.model()); n != 21 {
		t.Errorf("%d effects can be told apart, want 21", n)
	}
}

// TestQuarterFraction: 2^(5−2) with D = AB, E = -AC: the defining relation of
// D. C. Montgomery's textbook form, I = ABD = -ACE = -BCDE, by hand.
func TestQuarterFraction(t *testing.T) {
	d := sixFactors()
	d.Factorial.Factors = d.Factorial.Factors[:5]
	d.Factorial.Fraction = &Fraction{Generators: []string{"D = A*B", "E = -AC"}}
	f := d.FractionInfo()
	if f == nil || f.Runs != 8 || f.Resolution != 3 || !slices.Equal(f.Defining, []string{"I = -ACE", "I = ABD", "I = -BCDE"}) {
		t.Fatalf("fraction %+v", f)
	}
	if !slices.Contains(f.Aliases, "A = -CE = BD = -ABCDE") {
		t.Errorf("aliases %v", f.Aliases)
	}
	// Five main effects and two pairs of interactions share the seven columns.
	m := d.Factorial.model()
	if len(m) != 7 {
		t.Errorf("%d effects from 8 runs, want 7", len(m))
	}
	for _, c := range m {
		if len(c.aliases) == 0 {
			t.Errorf("effect %s has no alias", c.name)
		}
	}
}

func TestBrokenFractionsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Factorial){
		"no generator":     func(f *Factorial) { f.Fraction = &Fraction{} },
		"no such letter":   func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"F = ABX"}} },
		"no left side":     func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"ABC"}} },
		"one letter":       func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"F = A"}} },
		"by itself":        func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"F = AF"}} },
		"twice":            func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"F = AB", "F = AC"}} },
		"by a derived one": func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"E = AB", "F = AE"}} },
		"three values": func(f *Factorial) {
			f.Factors[0].Values = []string{"hostile", "neutral", "hostile-unless-own"}
			f.Fraction = &Fraction{Generators: []string{"F = ABC"}}
		},
		"a short run":    func(f *Factorial) { f.Runs = [][]string{{"hostile"}} },
		"an odd value":   func(f *Factorial) { f.Runs = [][]string{{"hostile", "neutral", "draw", "30", "none", "maybe"}} },
		"runs, fraction": func(f *Factorial) { f.Fraction = &Fraction{Generators: []string{"F = ABC"}}; f.Runs = [][]string{{}} },
		"same factor":    func(f *Factorial) { f.Factors[1].Parameter = f.Factors[0].Parameter },
	} {
		d := sixFactors()
		change(d.Factorial)
		if len(d.Validate()) == 0 {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestReadingsAsFactors: a factor may be the base's reading, or one reading laid
// over others.
func TestReadingsAsFactors(t *testing.T) {
	d := DefaultDesign()
	d.ID, d.Question, d.Agents = "readings", "?", []AgentRef{{Spec: "random"}}
	d.Factorial = &Factorial{Base: RulesetRef{Ref: "bell-8x7"}, Factors: []Factor{{Parameter: "reading", Values: []string{"default", "ludii"}}}}
	if ps := d.Validate(); len(ps) > 0 {
		t.Fatal(ps)
	}
	rs := d.ExpandRulesets()
	a, err := d.open(rs[0])
	if err != nil {
		t.Fatal(err)
	}
	b, err := d.open(rs[1])
	if err != nil {
		t.Fatal(err)
	}
	if a.Reading != "default" || b.Reading != "ludii" || a.Hash() == b.Hash() || rs[1].Name != "reading=ludii" {
		t.Errorf("readings %q and %q of %v", a.Reading, b.Reading, rs)
	}

	other := ""
	for _, r := range a.Readings {
		if r.Name != "ludii" {
			other = r.Name
		}
	}
	if other == "" {
		t.Fatal("the test needs a second reading")
	}
	d.Factorial.Factors = []Factor{{Parameter: "reading:" + other, Values: []string{"without", "with"}}, {Parameter: "end.no_capture_limit", Values: []string{"31", "51"}}}
	if ps := d.Validate(); len(ps) > 0 {
		t.Fatal(ps)
	}
	with, err := d.open(d.ExpandRulesets()[2])
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.WithReading(other)
	if err != nil {
		t.Fatal(err)
	}
	if want, err = want.With("end.no_capture_limit=31"); err != nil || with.Hash() != want.Hash() {
		t.Errorf("the reading %s laid over gives other rules than the reading itself (%v)", other, err)
	}
	for _, bad := range []Factor{
		{Parameter: "reading:" + other, Values: []string{"on", "off"}},
		{Parameter: "reading:no-such", Values: []string{"without", "with"}},
		{Parameter: "reading", Values: []string{"default", "no-such"}},
	} {
		d.Factorial.Factors = []Factor{bad}
		if len(d.Validate()) == 0 {
			t.Errorf("factor %v was accepted", bad)
		}
	}
	d.Factorial.Base.Ref = "bell-8x7@ludii"
	d.Factorial.Factors = []Factor{{Parameter: "reading", Values: []string{"default", "ludii"}}}
	if len(d.Validate()) == 0 {
		t.Error("readings of a base that has one were accepted")
	}
}

// TestModelRecoversEffects: over any list of runs the weights give back planted
// effects exactly: 3 for A's second value, 5 for its third, −2 for B, 4 for how B
// changes C's effect, whatever the rest.
func TestModelRecoversEffects(t *testing.T) {
	f := &Factorial{Factors: []Factor{
		{Parameter: "a", Values: []string{"0", "1", "2"}}, {Parameter: "b", Values: []string{"0", "1"}}, {Parameter: "c", Values: []string{"0", "1"}},
	}}
	check := func(what string) {
		var y []float64
		for _, r := range f.levels() {
			// The interaction is written around the middle, so that main effects are
			// averages over the other factor.
			y = append(y, 7+[]float64{0, 3, 5}[r[0]]-2*float64(r[1])+1.5*float64(r[2])+4*(float64(r[1])-0.5)*(float64(r[2])-0.5))
		}
		want := map[string]float64{"A1": 3, "A2": 5, "B1": -2, "C1": 1.5, "B×C": 4}
		for _, c := range f.model() {
			if got := dot(c.weights, y); math.Abs(got-want[effectKey(c)]) > 1e-9 {
				t.Errorf("%s: effect %s is %v, want %v", what, effectKey(c), got, want[effectKey(c)])
			}
			delete(want, effectKey(c))
		}
		if len(want) > 0 {
			t.Errorf("%s: no effects %v", what, want)
		}
	}
	check("full")
	f.Runs = [][]string{{"0", "0", "0"}, {"1", "0", "1"}, {"2", "1", "0"}, {"0", "1", "1"}, {"1", "1", "0"}, {"2", "0", "1"}, {"0", "0", "1"}, {"1", "1", "1"}, {"1", "0", "0"}}
	check("an irregular list")
}

// factorialGames feeds games whose chance of a first player's win depends on the
// run; clusters share a start's luck.
func factorialGames(t *testing.T, d Design, seed uint64, chance func(levels []int) float64) *Analysis {
	t.Helper()
	runs := d.Factorial.levels()
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, Agent: c.Agent, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: true, Rows: 2, Cols: 2, Pieces: 8, Levels: runs[c.Run]})
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	for pair := range d.Pairs {
		luck := 0.1 * rng.NormFloat64()
		for cell := range info {
			for slot := range 2 {
				r := Record{Cell: cell, Pair: pair, Slot: slot, Outcome: coin(chance(info[cell].Levels)+luck, rng), EndReason: "none-left", Plies: 30 + rng.IntN(20), Moves: rng.Uint64(), Start: uint64(pair)}
				if err := a.Add(r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return a.Finish()
}

// TestEffectsOfAFraction plants a main effect of 12 points and an interaction in a
// half fraction, among five rules that do nothing.
func TestEffectsOfAFraction(t *testing.T) {
	d := sixFactors()
	d.Factorial.Fraction = &Fraction{Generators: []string{"F = ABCDE"}}
	d.Pairs, d.Confirmatory = 60, []string{"effects"}
	a := factorialGames(t, d, 11, func(l []int) float64 {
		return 0.5 + 0.12*(float64(l[1])-0.5) + 0.16*(float64(l[2])-0.5)*(float64(l[3])-0.5)
	})
	claims := []string{}
	for _, e := range a.Effects {
		if e.Metric != "first-player-score" {
			continue
		}
		if e.Decision == DecisionDifference {
			claims = append(claims, e.Name)
		}
		switch e.Name {
		case "B: capture.edge":
			if !e.Difference.Contains(0.12) || e.Family != Confirmatory || e.FamilySize != 6 || e.From != "neutral" || e.To != "hostile" {
				t.Errorf("the planted effect: %+v", e)
			}
			if e.OddsRatio == nil || e.OddsRatio.Low < 1.2 || e.OddsRatio.High > 2.4 {
				// 44 % to 56 % is an odds ratio of (0.56/0.44)² = 1.62.
				t.Errorf("its odds ratio %v", e.OddsRatio)
			}
			if !slices.Equal(e.Aliases, []string{"ACDEF"}) {
				t.Errorf("its aliases %v", e.Aliases)
			}
		case "C×D: end.tie × end.no_capture_limit":
			if !e.Difference.Contains(0.16) || e.Family != Screening || e.Order != 2 {
				t.Errorf("the planted interaction: %+v", e)
			}
		}
	}
	if !slices.Contains(claims, "B: capture.edge") || len(claims) > 2 {
		t.Errorf("claims %v", claims)
	}
	f := finding(t, a, "effect/first-player-score/capture.edge:hostile/random")
	if !f.ExcludesNoEffect || !f.Primary || !strings.Contains(f.Sentence, "when the edge as captor (capture.edge) went from neutral to hostile") || !strings.Contains(f.Sentence, "cannot tell it from ACDEF") {
		t.Errorf("finding: %s", f.Sentence)
	}
	if a.Fraction == nil || len(a.Factors) != 6 || a.Factors[5].Letter != "F" {
		t.Errorf("fraction %v, factors %v", a.Fraction, a.Factors)
	}
}

// TestEffectsRarelyClaimed: without any effect the Holm family of six claims one in
// about a twentieth of the experiments.
func TestEffectsRarelyClaimed(t *testing.T) {
	d := sixFactors()
	d.Factorial.Fraction = &Fraction{Generators: []string{"E = AB", "F = CD"}}
	d.Pairs = 8
	wrong := 0
	for seed := range uint64(60) {
		a := factorialGames(t, d, 500+seed, func([]int) float64 { return 0.5 })
		for _, e := range a.Effects {
			if e.Family == Confirmatory && e.Decision == DecisionDifference {
				wrong++
				break
			}
		}
	}
	// Binomial(60, 0.05): more than 9 has probability below 0.001.
	if wrong > 9 {
		t.Errorf("%d of 60 null experiments claim an effect", wrong)
	}
}

func ExampleDesign_FractionInfo() {
	d := DefaultDesign()
	d.Factorial = &Factorial{Fraction: &Fraction{Generators: []string{"D = ABC"}}}
	for _, p := range []string{"capture.corner", "capture.edge", "end.tie", "capture.moving_between"} {
		d.Factorial.Factors = append(d.Factorial.Factors, Factor{Parameter: p, Values: []string{"x", "y"}})
	}
	f := d.FractionInfo()
	fmt.Println(f.Runs, "of", f.Of, f.Defining, f.Aliases[0])
	// Output: 8 of 16 [I = ABCD] A = BCD
}

// TestNamedFactors: a factor without a parameter gives its values as words for overrides, and some combinations need
// overrides of their own: binding lets a man hop over the bound, which are nowhere without it.
func TestNamedFactors(t *testing.T) {
	const text = `
id: hops
question: does it matter?
factorial:
  base: locus-ludi-seneca
  factors:
    - {parameter: capture.effect, values: [remove, bind]}
    - name: hop
      values: [none, own or bound, any]
      with: {none: [movement.men.hop_over=], any: ["movement.men.hop_over=own-free,enemy-free"]}
  where:
    - when: {capture.effect: bind, hop: any}
      set: ["movement.men.hop_over=own-free,own-bound,enemy-free,enemy-bound"]
agents: [random]
pairs: 2
metric: undecided-share
cap: 60
exploratory: true
`
	d, err := ParseDesign("hops.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]string{
		{"capture.effect=remove, hop=none", ""}, {"capture.effect=remove, hop=own or bound", "own-free"}, {"capture.effect=remove, hop=any", "own-free,enemy-free"},
		{"capture.effect=bind, hop=none", ""}, {"capture.effect=bind, hop=own or bound", "own-free,own-bound,enemy-bound"}, {"capture.effect=bind, hop=any", "own-free,own-bound,enemy-free,enemy-bound"},
	}
	rs := d.ExpandRulesets()
	if len(rs) != len(want) {
		t.Fatalf("%d combinations", len(rs))
	}
	for i, r := range rs {
		got, err := d.open(r)
		if err != nil {
			t.Fatal(err)
		}
		if hop := strings.Join(got.Params.Movement.Men.HopOver, ","); r.Name != want[i][0] || hop != want[i][1] {
			t.Errorf("%q hops over %q, want %q over %q", r.Name, hop, want[i][0], want[i][1])
		}
	}
	if f := d.FactorInfos()[1]; f.Title != "hop" || f.Parameter != "movement.men.hop_over" {
		t.Errorf("factor %+v", f)
	}
	for broken, change := range map[string]func(string) string{
		"factorial.where[0].when: no factor is named \"jump\"": func(s string) string { return strings.Replace(s, "hop: any}", "jump: any}", 1) },
		"\"all\" is no value of hop":                           func(s string) string { return strings.Replace(s, "hop: any}", "hop: all}", 1) },
		"has neither parameter nor name":                       func(s string) string { return strings.Replace(s, "name: hop\n      values", "values", 1) },
		"two factors are named \"capture.effect\"":             func(s string) string { return strings.Replace(s, "name: hop", "name: capture.effect", 1) },
		"have the same rules":                                  func(s string) string { return strings.Replace(s, "      with:", "      #", 1) },
		"which the names of combinations need":                 func(s string) string { return strings.Replace(s, "name: hop", "name: a=b", 1) },
	} {
		_, err := ParseDesign("hops.yaml", []byte(change(text)))
		if err == nil || !strings.Contains(err.Error(), broken) {
			t.Errorf("want an error with %q, got %v", broken, err)
		}
	}
}

// TestUndecidedShare: drawn and capped games have no winner; the pair's value is their share.
func TestUndecidedShare(t *testing.T) {
	g := func(outcome string) Record { return Record{Outcome: outcome} }
	for _, c := range []struct {
		a, b string
		want float64
	}{{"win0", "win1", 0}, {"draw", "win1", 0.5}, {"capped", "win0", 0.5}, {"draw", "capped", 1}} {
		if got := metricOf("undecided-share", g(c.a), g(c.b), 100); got != c.want {
			t.Errorf("%s and %s: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
