package experiments

import (
	"math"
	"math/rand/v2"
	"testing"
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

// TestEffectWithoutVariation: where every pair of every combination ends alike, the
// interval of an effect is not of width zero.
func TestEffectWithoutVariation(t *testing.T) {
	e := jointEffect{weights: []float64{0.5, 0.5, -0.5, -0.5}}
	span := e.span(&Analysis{}, Metric{Unit: "points"})
	for range 4 {
		e.value.add(0)
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
