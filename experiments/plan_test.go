package experiments

import "testing"

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
