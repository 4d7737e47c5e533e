package experiments

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
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
	a, dir := analysed(t, d)
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
	err := EachGame(dir, func(cell int, _ *engine.Game, g *datasets.Game) error {
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

// TestPageExamples: the examples of docs/metrics.md on how games end and on the slope of skill.
func TestPageExamples(t *testing.T) {
	d := DefaultDesign()
	d.ID, d.Question = "examples", "What do the examples say?"
	d.Rulesets = []RulesetRef{{Name: "Bell", Ref: "bell-8x7"}}
	d.Agents = []AgentRef{{Name: "UCT 100", Spec: "uct:simulations=100"}, {Name: "UCT 400", Spec: "uct:simulations=400"}}
	d.Matches = []Match{{"UCT 400", "UCT 100"}}
	d.Pairs = 10
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: "Bell", Title: "Bell", A: c.A.Name, B: c.B.Name, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: c.SelfPlay, Agent: c.Agent, Rows: 8, Cols: 7, Pieces: 34})
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Cells() {
		for i := range 20 {
			r := Record{Cell: c.Index, Pair: i / 2, Slot: i % 2, Plies: 10, Moves: uint64(i), Arrivals: make([]uint32, 56)}
			if c.SelfPlay {
				// Ten games of the example, twice: five wins, two draws, two losses, one capped.
				r.Outcome = []string{"win0", "win0", "win0", "win0", "win0", "draw", "draw", "win1", "win1", "capped"}[i%10]
			} else {
				// Agent A, who is player 0 in slot 0, wins 17 of 20.
				won := i < 17
				r.Outcome = map[bool]string{true: "win0", false: "win1"}[won == (r.Slot == 0)]
			}
			if err := a.Add(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := a.Finish()
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 5e-4 {
			t.Errorf("%s is %v, the page says %v", what, got, want)
		}
	}
	for _, m := range out.Measures {
		if m.AgentA != m.AgentB || m.AgentA != "UCT 100" || strings.Contains(m.Interval.Method, "dirichlet") {
			continue
		}
		switch m.Metric {
		case "first-player-score":
			near(m.Metric, m.Interval.Estimate, 0.65)
		case "first-player-score-capped-lost":
			near(m.Metric, m.Interval.Estimate, 0.60)
		case "first-player-score-capped-won":
			near(m.Metric, m.Interval.Estimate, 0.70)
		case "decisive-share":
			near(m.Metric, m.Interval.Estimate, 0.7)
		case "decisive-share-first-player":
			near(m.Metric, m.Interval.Estimate, 5.0/7)
		case "unique-share":
			near(m.Metric, m.Interval.Estimate, 1)
		}
	}
	if len(out.Strength) != 1 || len(out.Strength[0].Slopes) != 1 {
		t.Fatalf("strength: %+v", out.Strength)
	}
	near("the slope", out.Strength[0].Slopes[0].EloPerDoubling.Estimate, 400*math.Log10(0.85/0.15)/2)
	if e := 400 * math.Log10(0.85/0.15); math.Round(e) != 301 || math.Round(e/2) != 151 {
		t.Errorf("the page says 301 Elo and 151 for a doubling, not %v", e)
	}
}

// TestOnePassCountsWhatTwoCount: games are played again once for their metrics and their traffic,
// which are what a pass of its own gives for each.
func TestOnePassCountsWhatTwoCount(t *testing.T) {
	d := smallDesign()
	d.Cap = 60
	a, dir := analysed(t, d)
	m, d, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	counters, _, err := m.trafficCounters()
	if err != nil {
		t.Fatal(err)
	}
	alone, err := m.measurer(d)
	if err != nil {
		t.Fatal(err)
	}
	games := 0
	err = EachGame(dir, func(cell int, _ *engine.Game, g *datasets.Game) error {
		games++
		return errors.Join(counters[cell].Add(g.Start, g.Moves), alone.add(cell, g, nil))
	})
	if err != nil || games != 2*d.Pairs*len(m.Cells) {
		t.Fatalf("%d games: %v", games, err)
	}
	measured := 0
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.Traffic.Plies == 0 || !reflect.DeepEqual(c.Traffic, counters[i].Table()) {
			t.Errorf("cell %d: the traffic differs", i)
		}
		want := alone.cells[i].Result()
		if c.Metrics == nil {
			continue // a match
		}
		measured++
		x, err := json.Marshal(c.Metrics.Values)
		if err != nil {
			t.Fatal(err)
		}
		y, err := json.Marshal(want.Values)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Values) == 0 || !bytes.Equal(x, y) {
			t.Errorf("cell %d: measured %s, alone %s", i, x, y)
		}
	}
	if measured != 4 {
		t.Errorf("%d cells are measured, 4 are of an agent against itself", measured)
	}
}
