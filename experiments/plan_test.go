package experiments

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestPlannedFamily: the plan corrects for the tests that the analysis will make: an
// agent with a network is tested where there is one, once a training seed for scores.
func TestPlannedFamily(t *testing.T) {
	d := twoRulesets(50)
	d.Rulesets[0].Networks = []string{"a.latro", "b.latro"}
	d.Agents = []AgentRef{{Name: "random", Spec: "random"}, {Name: "trained", Spec: "net:path={network},simulations=16", WhereTrained: true}}
	d.Confirmatory = []string{"scores", "contrasts"}
	d.Comparisons = nil
	got := d.testCount()
	// Random in both rulesets, and two networks in the first; the rulesets can be
	// compared under random play alone.
	if got["scores"] != 2+2 || got["contrasts"] != 1 || len(got) != 2 {
		t.Errorf("planned tests: %v, want 4 scores and 1 contrast", got)
	}
}

// TestPlanOfManySequentialTests: the plan says that the tests of a sequential design are not corrected for their number,
// and what a figure of evenness belongs to.
func TestPlanOfManySequentialTests(t *testing.T) {
	d := twoRulesets(4)
	d.Matches, d.Comparisons, d.Exploratory = nil, nil, true
	d.Agents = []AgentRef{{Spec: "random"}, {Spec: "greedy"}}
	d.Stopping = Stopping{Rule: "sequential", Alpha: 0.04}
	p, err := MakePlan(t.Context(), d, nil, 1, 1, time.Second, nil)
	if err != nil {
		t.Fatal(err)
	}
	warned := strings.Join(p.Warnings, "\n")
	for _, want := range []string{"Each of the 4 sequential tests errs by itself, with a chance of 4 % where the score is even", "some 0.2 of them would", "alpha: 0.013}"} {
		if !strings.Contains(warned, want) {
			t.Errorf("%q is missing in %q", want, warned)
		}
	}
	if p.PairsForEven == 0 || p.Detectable == 0 {
		t.Errorf("of scores: %+v", p)
	}
	d.Stopping.Alpha = 0.0125
	if p, err = MakePlan(t.Context(), d, nil, 1, 1, time.Second, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(p.Warnings, ""), "errs by itself") {
		t.Errorf("of tests that are corrected for their number: %q", p.Warnings)
	}
	d.Stopping, d.Metric = Stopping{}, "draw-share"
	if p, err = MakePlan(t.Context(), d, nil, 1, 1, time.Second, nil); err != nil {
		t.Fatal(err)
	}
	if p.PairsForEven != 0 || p.Detectable != 0 || p.PowerEven != 0 || p.DetectableDifference == 0 || strings.Contains(strings.Join(p.Warnings, ""), "sequential") {
		t.Errorf("of draws: %+v", p)
	}
}

// TestProvisionalDesigns: what a design lacks for the checks of strength is said before a game is played, and nothing of a
// design that has it all.
func TestProvisionalDesigns(t *testing.T) {
	uct := func(n string) AgentRef { return AgentRef{Name: "UCT " + n, Spec: "uct:simulations=" + n} }
	d := twoRulesets(50)
	d.Matches = nil
	d.Agents = []AgentRef{{Name: "random", Spec: "random"}, {Name: "greedy", Spec: "greedy"}, uct("25"), uct("100"), uct("400")}
	if got := d.Provisional(); !strings.Contains(got, "matches between two budgets") || strings.Contains(got, "UCT at three") {
		t.Errorf("without matches: %q", got)
	}
	d.Matches = []Match{{A: "UCT 400", B: "UCT 100"}}
	if got := d.Provisional(); got != "" {
		t.Errorf("with everything: %q", got)
	}
	d.Agents = append(d.Agents, AgentRef{Name: "trained", Spec: "net:path={network},simulations=16", WhereTrained: true})
	d.Rulesets[0].Networks = []string{"a.latro", "b.latro"}
	got := d.Provisional()
	for _, want := range []string{"trained players at two budgets (1 here)", "networks of 3 training seeds (2 here)"} {
		if !strings.Contains(got, want) {
			t.Errorf("with two networks: %q, without %q", got, want)
		}
	}
	d = twoRulesets(50)
	d.Matches, d.Agents = nil, []AgentRef{{Name: "greedy", Spec: "greedy"}, uct("25")}
	got = d.Provisional()
	for _, want := range []string{"the random player", "UCT at three budgets (1 here)"} {
		if !strings.Contains(got, want) {
			t.Errorf("with one budget: %q, without %q", got, want)
		}
	}
}

// TestEffectWithoutVariation: where every pair of every combination ends alike, the
// interval of an effect is not of width zero.
func TestEffectWithoutVariation(t *testing.T) {
	e := jointEffect{weights: []float64{0.5, 0.5, -0.5, -0.5}}
	span := e.span(&Analysis{}, Metric{Unit: "points"})
	for range 4 {
		e.value.add(0, 0)
	}
	// Four pairs alike: the rest may be as much as 1 − 0.025^¼ of all.
	iv := e.value.interval(-span, span, 0.95, "effect")
	if want := 1 - math.Pow(0.025, 0.25); span != 1 || math.Abs(iv.High-want) > 1e-9 || math.Abs(iv.Low+want) > 1e-9 {
		t.Errorf("span %v, interval %v to %v; want ±%v", span, iv.Low, iv.High, want)
	}
}

// TestConfirmatoryFindingsComeFirst: the answer to the question stands before what was
// looked at besides.
func TestConfirmatoryFindingsComeFirst(t *testing.T) {
	a := synthetic(t, twoRulesets(60), 3, func(_, _ int, rng *rand.Rand) Record { return Record{Outcome: coin(0.5, rng)} })
	seen := false
	for i, f := range a.Findings {
		if !f.Primary {
			seen = true
		} else if seen {
			t.Errorf("finding %d, %s, is confirmatory and comes after one that is not", i, f.ID)
		}
	}
	if !a.Findings[0].Primary || !seen {
		t.Error("nothing is confirmatory, or all is")
	}
}
