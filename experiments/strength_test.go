package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/experiments/stats"
)

// ladderDesign has three rulesets with three training seeds each.
func ladderDesign(pairs int) Design {
	d := DefaultDesign()
	d.ID, d.Question, d.Pairs, d.Cap = "ladder", "?", pairs, 100
	nets := []string{"a", "b", "c"}
	d.Rulesets = []RulesetRef{{Name: "one", Ref: "bell-8x7", Networks: nets}, {Name: "two", Ref: "webdux", Networks: nets}, {Name: "three", Ref: "luductus", Networks: nets}}
	d.Agents, d.Matches = StrengthLadder(nil, nil)
	return d
}

// play feeds games whose outcome depends on the cell alone.
func play(t *testing.T, d Design, training []TrainingInfo, chance func(c CellInfo) float64) *Analysis {
	t.Helper()
	var info []CellInfo
	for _, c := range d.Cells() {
		x := CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, Agent: c.Agent, TrainingSeed: c.TrainingSeed, SelfPlay: c.SelfPlay, Rows: 2, Cols: 2, Pieces: 8}
		for i, a := range []AgentRef{c.A, c.B} {
			s, err := d.fill(a.Spec, "shipped:x")
			if err != nil {
				t.Fatal(err)
			}
			hash := ""
			if s.Kind == "net" {
				hash = fmt.Sprintf("%s-%d-network-hash", c.Ruleset.Name, c.TrainingSeed)
			}
			*[]*string{&x.SpecA, &x.SpecB}[i] = contentSpec(s, hash)
			*[]*string{&x.NetworkA, &x.NetworkB}[i] = hash
		}
		info = append(info, x)
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	a.training = training
	rng := rand.New(rand.NewPCG(31, 2))
	for pair := range d.Pairs {
		for cell := range info {
			for slot := range 2 {
				p := chance(info[cell])
				if !info[cell].SelfPlay && slot == 1 {
					p = 1 - p
				}
				r := Record{Cell: cell, Pair: pair, Slot: slot, Outcome: coin(p, rng), EndReason: "none-left", Plies: 50, Moves: rng.Uint64(), Start: uint64(pair)}
				if err := a.Add(r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return a.Finish()
}

func passed(c Control) string {
	switch {
	case c.NotMeasured:
		return "not measured"
	case c.Passed == nil:
		return "does not apply"
	case *c.Passed:
		return "passed"
	}
	return "failed"
}

// plateaus are learning curves that ended flat.
func plateaus(d Design, change float64) []TrainingInfo {
	var out []TrainingInfo
	for _, r := range d.Rulesets {
		for seed := range 3 {
			iv := stats.Interval{Estimate: change, Low: change - 0.01, High: change + 0.01, Level: 0.95, N: 10}
			out = append(out, TrainingInfo{Network: fmt.Sprintf("%s-%d-network-hash", r.Name, seed+1), Plateau: &iv})
		}
	}
	return out
}

// TestStrengthControls: on a ladder whose scores, order and strength do not move and
// whose networks are trained out every control passes; each is then broken by itself.
func TestStrengthControls(t *testing.T) {
	d := ladderDesign(400)
	d.Margin = 0.1
	scores := map[string]float64{"one": 0.62, "two": 0.5, "three": 0.38}
	fair := func(c CellInfo) float64 {
		if !c.SelfPlay {
			return 0.5
		}
		return scores[c.Name]
	}
	check := func(what string, a *Analysis, want map[string]string) {
		t.Helper()
		s := a.Strength[0]
		failed := false
		for _, c := range s.Controls {
			w := want[c.ID]
			if w == "" {
				if a.Cells[0].Pairs < d.Pairs {
					continue
				}
				w = "passed"
			}
			if passed(c) != w {
				t.Errorf("%s: %s %s, want %s: %s", what, c.ID, passed(c), w, c.Detail)
			}
			failed = failed || w == "failed" || w == "not measured"
		}
		if failed && !s.Provisional || s.Provisional && !failed && a.Cells[0].Pairs == d.Pairs || len(s.Controls) != 7 {
			t.Errorf("%s: provisional %v with %d controls", what, s.Provisional, len(s.Controls))
		}
	}
	a := play(t, d, plateaus(d, 0), fair)
	check("all well", a, nil)
	s := a.Strength[0]
	var kinds []string
	for _, p := range s.Points {
		kinds = append(kinds, fmt.Sprintf("%s %d", p.Kind, p.Budget))
		if !p.Score.Contains(0.62) && math.Abs(p.Score.Estimate-0.62) > 0.04 {
			t.Errorf("%s: score %v", p.Agent, p.Score)
		}
	}
	if !slices.Equal(kinds, []string{"random 0", "greedy 0", "uct 25", "uct 100", "uct 400", "trained 16", "trained 64"}) {
		t.Errorf("points %v", kinds)
	}
	if len(s.Slopes) != 3 || s.Slopes[2].Kind != "uct" || s.Slopes[2].LowBudget != 100 || s.Slopes[2].HighBudget != 400 || s.Slopes[2].Steep {
		t.Errorf("slopes %+v", s.Slopes)
	}
	if len(s.Seeds) != 2 || len(s.Seeds[0].Each) != 3 || s.Seeds[0].Mean.N != 3 || !s.Seeds[0].Mean.Contains(0.62) {
		t.Errorf("seeds %+v", s.Seeds)
	}
	if len(a.Stability) == 0 || a.Stability[0].Tau.Estimate < 0.9 || a.Stability[0].Rulesets != 3 {
		t.Errorf("stability %+v", a.Stability)
	}
	if len(a.Ranking) == 0 || a.Ranking[0].Items[0].Ruleset != "one" || a.Ranking[0].Items[2].Last < 0.9 {
		t.Errorf("ranking %+v", a.Ranking)
	}
	for _, k := range a.Contrasts {
		if strings.HasPrefix(k.Agent, "trained") && k.Primary && (k.Seeds == nil || len(k.EachSeed) != 3 || k.Seeds.N != 3) {
			t.Errorf("contrast of %s: seeds %v", k.Agent, k.Seeds)
		}
	}

	// The rest needs few games: each of these controls does not look at scores.
	few := d
	few.Pairs = 20
	check("training still moves", play(t, few, plateaus(d, 0.15), fair), map[string]string{"plateau": "failed"})
	check("no curve", play(t, few, nil, fair), map[string]string{"plateau": "not measured"})
	check("a doubling helps", play(t, d, plateaus(d, 0), func(c CellInfo) float64 {
		if !c.SelfPlay {
			return 0.7
		}
		return scores[c.Name]
	}), map[string]string{"slope": "failed"})
	check("the score moves", play(t, d, plateaus(d, 0), func(c CellInfo) float64 {
		if c.A == "UCT 400" && c.SelfPlay && c.Name == "one" {
			return 0.8
		}
		return fair(c)
	}), map[string]string{"trend": "failed"})
	check("the order turns round", play(t, d, plateaus(d, 0), func(c CellInfo) float64 {
		if c.A == "UCT 400" && c.SelfPlay {
			return map[string]float64{"one": 0.58, "two": 0.62, "three": 0.66}[c.Name]
		}
		if c.SelfPlay {
			return map[string]float64{"one": 0.62, "two": 0.58, "three": 0.54}[c.Name]
		}
		return 0.5
	}), map[string]string{"stability": "failed"})

	two := few
	two.Rulesets = slices.Clone(d.Rulesets)
	for i := range two.Rulesets {
		two.Rulesets[i].Networks = two.Rulesets[i].Networks[:2]
	}
	check("two seeds", play(t, two, plateaus(d, 0), fair), map[string]string{"seeds": "failed"})
	alone := few
	alone.Agents = slices.DeleteFunc(slices.Clone(d.Agents), func(a AgentRef) bool { return strings.HasPrefix(a.Spec, "uct") })
	alone.Matches = d.Matches[2:]
	check("no untrained search", play(t, alone, plateaus(d, 0), fair), map[string]string{"untrained-arm": "not measured"})
	timed := few
	timed.Agents = append(slices.Clone(d.Agents), AgentRef{Spec: "uct:seconds=0.1"})
	check("a time for a budget", play(t, timed, plateaus(d, 0), fair), map[string]string{"simulations": "failed"})
	chance := d
	chance.Agents, chance.Matches = d.Agents[:1], nil
	none := "does not apply"
	check("chance alone", play(t, chance, nil, fair), map[string]string{"untrained-arm": none, "plateau": none, "seeds": none, "slope": none, "trend": "not measured", "stability": none})
	one := few
	one.Agents, one.Matches = d.Agents[2:3], nil
	check("one budget", play(t, one, nil, fair), map[string]string{"untrained-arm": none, "plateau": none, "seeds": none, "slope": "not measured", "trend": "not measured", "stability": none})

	// Where the question is about another metric, it is that one which must not move.
	other := few
	other.Metric, other.Pairs = "capped-share", 60
	a = play(t, other, nil, func(c CellInfo) float64 {
		if c.A == "UCT 400" && c.SelfPlay && c.Name == "one" {
			return 0.95
		}
		return fair(c)
	})
	for _, c := range a.Strength[0].Controls {
		if c.ID == "trend" && (passed(c) != "passed" || !strings.Contains(c.Title, "stopped by the length cap")) {
			t.Errorf("trend of another metric: %s %s: %s", c.Title, passed(c), c.Detail)
		}
	}
	if f := finding(t, a, "trend/one/uct"); !f.ExcludesNoEffect || !f.Provisional {
		t.Errorf("the score moves all the same: %s", f.Sentence)
	}
	if f := finding(t, a, "trend/capped-share/one/uct"); f.ExcludesNoEffect || f.Provisional {
		t.Errorf("the metric does not move: %s", f.Sentence)
	}
}

// TestSeedsThatDisagree: one network of three finds a difference of 60 points and
// the others none; over pairs that is certain, over trainings it is not, and no claim
// is made.
func TestSeedsThatDisagree(t *testing.T) {
	d := ladderDesign(200)
	d.Rulesets = d.Rulesets[:2]
	d.Agents, d.Matches = d.Agents[5:6], nil
	a := play(t, d, nil, func(c CellInfo) float64 {
		if c.Name == "two" && c.TrainingSeed == 2 {
			return 0.95
		}
		return 0.5
	})
	k := a.Contrasts[0]
	if !k.Difference.Excludes(0) || k.Adjusted > 1e-6 || k.Seeds == nil || k.Seeds.Excludes(0) || k.Decision != DecisionOpen {
		t.Errorf("contrast %+v", k)
	}
	f := finding(t, a, "contrast/first-player-score/two/one/"+k.Agent)
	if f.ExcludesNoEffect || !strings.Contains(f.Sentence, "training seeds differ too much") {
		t.Errorf("finding: %s", f.Sentence)
	}
}

// TestStrengthWord: "agents: strength" is the ladder, without trained players where
// no ruleset has a network.
func TestStrengthWord(t *testing.T) {
	const text = "id: s\nquestion: q\nrulesets: [bell-8x7, {ref: webdux%s}]\nagents: strength\nuct_budgets: [5, 20, 80]\npairs: 5\n"
	d, err := ParseDesign("s.yaml", []byte(fmt.Sprintf(text, "")))
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Agents) != 5 || d.Agents[4].Spec != "uct:simulations=80" || len(d.Matches) != 2 || d.Matches[1].A != "UCT 80" || len(d.Cells()) != 14 {
		t.Errorf("agents %v, matches %v", d.Agents, d.Matches)
	}
	d, err = ParseDesign("s.yaml", []byte(fmt.Sprintf(text, ", network: \"shipped:bell-8x7\"")))
	if err != nil {
		t.Fatal(err)
	}
	// Webdux has two trained players and their match besides.
	if len(d.Agents) != 7 || len(d.Matches) != 3 || len(d.Cells()) != 14+3 {
		t.Errorf("agents %v, matches %v, %d cells", d.Agents, d.Matches, len(d.Cells()))
	}
	s, err := d.fill(d.Agents[6].Spec, "shipped")
	if err != nil || s.String() != "net:simulations=64" {
		t.Errorf("a shipped network's agent is %s, %v", s, err)
	}
	if _, err := ParseDesign("s.yaml", []byte("id: s\nquestion: q\nrulesets: [webdux]\nagents: [random]\nuct_budgets: [5]\n")); err == nil {
		t.Error("budgets without the ladder were accepted")
	}
}

// TestFamilies: confirmatory tests share one Holm family, screened ones
// Benjamini–Hochberg families of their own, whatever the design names.
func TestFamilies(t *testing.T) {
	d := twoRulesets(60)
	d.Agents = append(d.Agents, AgentRef{Spec: "greedy"})
	d.Confirmatory = []string{"contrasts", "scores"}
	d.Comparisons = []Comparison{{A: "new", B: "old"}, {A: "new", B: "old", Metric: "length"}, {A: "new", B: "old", Metric: "captures"}, {A: "old", B: "new", Family: Screening}}
	a := synthetic(t, d, 12, func(cell, _ int, rng *rand.Rand) Record {
		return Record{Outcome: coin([]float64{0.5, 0.5, 0.58, 0.6}[cell], rng), Plies: 40 + 3*cell + rng.IntN(9)}
	})
	var holm, bh []float64
	var gotHolm, gotBH []float64
	for _, x := range a.Tests {
		switch {
		case x.Kind != "score" && x.Kind != "difference":
		case x.Adjustment == "holm":
			holm, gotHolm = append(holm, x.P), append(gotHolm, x.Adjusted)
		default:
			bh, gotBH = append(bh, x.P), append(gotBH, x.Adjusted)
		}
	}
	if len(holm) != 4+2 || len(bh) != 2*3 {
		t.Fatalf("%d confirmatory tests and %d screened", len(holm), len(bh))
	}
	for i, q := range stats.Holm(holm) {
		if !close9(gotHolm[i], q) {
			t.Errorf("confirmatory test %d: %v, want %v", i, gotHolm[i], q)
		}
	}
	for i, q := range stats.BenjaminiHochberg(bh) {
		if !close9(gotBH[i], q) {
			t.Errorf("screened test %d: %v, want %v", i, gotBH[i], q)
		}
	}
	for _, g := range []Design{d, twoRulesets(5)} {
		n := 0
		for _, c := range g.testCount() {
			n += c
		}
		if want := map[int]int{60: 6, 5: 1}[g.Pairs]; n != want {
			t.Errorf("%d confirmatory tests are planned, want %d", n, want)
		}
	}
}

// TestNoDifferenceIsShown: two rulesets alike within the margin get that said, by an
// equivalence test, and not merely "open".
func TestNoDifferenceIsShown(t *testing.T) {
	a := synthetic(t, twoRulesets(2500), 13, func(_, _ int, rng *rand.Rand) Record { return Record{Outcome: coin(0.5, rng)} })
	f := finding(t, a, "contrast/first-player-score/new/old/random")
	if a.Contrasts[0].Decision != DecisionNoDifference || f.ExcludesNoEffect || !strings.Contains(f.Sentence, "shown to be within the margin of ±5.0 points") {
		t.Errorf("%s: %s", a.Contrasts[0].Decision, f.Sentence)
	}
	// A difference can be there and be small, and both are said.
	a = synthetic(t, twoRulesets(8000), 14, func(cell, _ int, rng *rand.Rand) Record {
		return Record{Outcome: coin(0.5+0.02*float64(cell), rng)}
	})
	f = finding(t, a, "contrast/first-player-score/new/old/random")
	if !f.ExcludesNoEffect || !f.Within || !strings.Contains(f.Sentence, "the rules make this difference") || !strings.Contains(f.Sentence, "shown to be within the margin") {
		t.Errorf("a small difference: %s", f.Sentence)
	}
	// One that is there need not be larger than the margin.
	a = synthetic(t, twoRulesets(1500), 15, func(cell, _ int, rng *rand.Rand) Record {
		return Record{Outcome: coin(0.5+0.06*float64(cell), rng)}
	})
	f = finding(t, a, "contrast/first-player-score/new/old/random")
	if !f.ExcludesNoEffect || f.Within || !strings.Contains(f.Sentence, "larger than the margin of ±5.0 points that was fixed in advance is not shown") {
		t.Errorf("a difference near the margin: %s", f.Sentence)
	}
}

// TestTrialsClaimNothing: whatever the numbers of a trial run are.
func TestTrialsClaimNothing(t *testing.T) {
	d := twoRulesets(300)
	d.Quick = true
	a := synthetic(t, d, 16, func(cell, _ int, rng *rand.Rand) Record { return Record{Outcome: coin(0.3+0.5*float64(cell), rng)} })
	for _, f := range a.Findings {
		if !f.NoClaim || f.ExcludesNoEffect || f.Within || !strings.Contains(f.Sentence, "this is a trial run") {
			t.Errorf("%s: %s", f.ID, f.Sentence)
		}
	}
	for _, x := range a.Tests {
		if x.ClaimAllowed {
			t.Errorf("%s allows a claim", x.Contrast)
		}
	}
}

// TestQuickly: every design that ships becomes a valid trial of the same shape.
func TestQuickly(t *testing.T) {
	files, err := filepath.Glob("designs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		d, err := LoadDesign(f)
		if err != nil {
			t.Fatal(err)
		}
		q := d.Quickly()
		if ps := q.Validate(); len(ps) > 0 {
			t.Errorf("%s: %v", f, ps)
		}
		if !q.Quick || !q.Exploratory || len(q.Cells()) != len(d.Cells()) || len(q.ExpandComparisons()) != len(d.ExpandComparisons()) || q.Pairs > quickPairs || q.Cap > quickPlies {
			t.Errorf("%s: trial %+v", f, q)
		}
		seen := map[string]bool{}
		for _, a := range q.Agents {
			most := quickSimulations
			if strings.HasPrefix(a.Spec, "alphabeta") {
				most = quickNodes + len(q.Agents)
			}
			if _, n := kindOf(a.Spec); n > most || seen[a.Spec] {
				t.Errorf("%s: agent %s of the trial", f, a.Spec)
			}
			seen[a.Spec] = true
		}
	}
}
