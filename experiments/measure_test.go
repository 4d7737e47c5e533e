package experiments

import (
	"context"
	"math"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/engine"
)

// TestMeasures: an experiment's games are measured by cell, what it has no games for is named with its reason and has no
// number, and the names of metrics.csv lead to the games.
func TestMeasures(t *testing.T) {
	d := DefaultDesign()
	d.ID, d.Question, d.Exploratory = "measures", "What do the rules do?", true
	d.Rulesets = []RulesetRef{{Name: "Bell", Ref: "bell-8x7"}, {Name: "Web", Ref: "webdux"}}
	off := false
	d.Agents = []AgentRef{{Name: "chance", Spec: "random"}, {Name: "still dux", Spec: "random:avoid=leader", SelfPlay: &off}, {Name: "UCT", Spec: "uct:simulations=2"}}
	d.Matches = []Match{{"chance", "still dux"}}
	d.Pairs, d.UnitPairs, d.Cap = 4, 2, 300
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := Analyse(dir)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]Measure{}
	for _, m := range a.Measures {
		rows[m.Ruleset+"/"+m.AgentA+"/"+m.AgentB+"/"+m.Metric] = m
	}
	row := func(key string) Measure {
		t.Helper()
		m, ok := rows[key]
		if !ok {
			t.Fatalf("metrics.csv has no row %s", key)
		}
		return m
	}
	for _, r := range d.Rulesets {
		for _, agent := range []string{"chance", "UCT"} {
			key := r.Name + "/" + agent + "/" + agent + "/"
			c := a.Cell(r.Name, agent, agent)
			if m := row(key + "unique-share"); m.Interval.Estimate != c.Unique || m.Interval.Method != "count" || !math.IsNaN(m.Interval.Low) {
				t.Errorf("%sunique-share: %+v", key, m)
			}
			if m := row(key + "branching"); !(m.Interval.Estimate > 1) || m.N != 8 || m.NEff != c.Effective {
				t.Errorf("%sbranching: %+v", key, m)
			}
			if m := row(key + "opening-entropy"); !math.IsNaN(m.Interval.Estimate) || !strings.HasPrefix(m.Interval.Method, "not measured: ") {
				t.Errorf("%sopening-entropy: %+v", key, m)
			}
		}
		// No match between budgets, and none without the hop.
		if m := row(r.Name + "///elo-per-doubling"); !math.IsNaN(m.Interval.Estimate) || !strings.Contains(m.Interval.Method, "no match between two budgets") {
			t.Errorf("elo-per-doubling: %+v", m)
		}
		m := row(r.Name + "/chance/still dux/restricted-loss-leader")
		if c := a.Cell(r.Name, "chance", "still dux"); m.N != 8 || math.Abs(m.Interval.Estimate-(c.AgentScore.Estimate-0.5)) > 1e-12 {
			t.Errorf("restricted loss %+v, the match's score is %v", m, c.AgentScore)
		}
		if passed := row(r.Name + "/chance/still dux/restricted-passed-leader"); !(passed.Interval.Estimate > 0) {
			t.Errorf("the rule was never passed over: %+v", passed)
		}
	}
	if m := row("Bell///restricted-loss-hop"); !strings.Contains(m.Interval.Method, "avoid=hop") {
		t.Errorf("restricted-loss-hop: %+v", m)
	}
	if _, ok := rows["Bell///restricted-loss-leader"]; ok {
		t.Error("restricted-loss-leader is called not measured, though there is a match")
	}
	for _, s := range a.Strength {
		if len(s.Points) != 2 {
			t.Errorf("%s has %d points of strength", s.Ruleset, len(s.Points))
		}
	}
	// The games' refs and specifications are those that the cells' rows name.
	err = EachGame(dir, func(cell int, _ *engine.Game, g *datasets.Game) error {
		c := a.Cells[cell]
		first, second := c.SpecA, c.SpecB
		if g.Half == 1 {
			first, second = second, first
		}
		if g.Ruleset != c.Ref || g.Agent0 != first || g.Agent1 != second {
			t.Errorf("a game of %s, %s against %s has the ruleset %q and the agents %q and %q", c.Name, c.SpecA, c.SpecB, g.Ruleset, g.Agent0, g.Agent1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		if strings.HasPrefix(f.ID, "strength/") && !strings.Contains(f.Sentence, "that never moves its leader") {
			t.Errorf("the restriction is not said: %s", f.Sentence)
		}
	}

	// Games of another version of the engine cannot be followed, and the experiment stays readable.
	m, _, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.EngineVersion = "0"
	if err := m.write(dir); err != nil {
		t.Fatal(err)
	}
	old, err := Analyse(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := old.Cell("Bell", "chance", "chance"); len(c.Metrics.Values) != 0 || !strings.Contains(c.Metrics.Missing[0].Reason, "version 0") {
		t.Errorf("measured %+v", c.Metrics)
	}
	for _, m := range old.Measures {
		if m.Metric == "branching" || m.Metric == "metrics-of-positions" && !strings.Contains(m.Interval.Method, "not measured: the games were played by version 0") {
			t.Errorf("row %+v", m)
		}
	}
}
