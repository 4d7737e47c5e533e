package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"latro/experiments/stats"
)

// sometimes caps a share of the games and tosses a coin for the others.
func sometimes(capped, p float64, rng *rand.Rand) string {
	if rng.Float64() < capped {
		return "capped"
	}
	return coin(p, rng)
}

// budgets gives a design's rulesets two budgets of one player.
func (d Design) budgets() Design {
	d.Agents = []AgentRef{{Name: "weak", Spec: "uct:simulations=25"}, {Name: "strong", Spec: "uct:simulations=100"}}
	return d
}

// TestTrendsOfLengthAndCaptures: metrics that are no shares have trends too.
func TestTrendsOfLengthAndCaptures(t *testing.T) {
	for _, metric := range []string{"length", "captures"} {
		d := twoRulesets(100).budgets()
		d.Metric, d.Margin = metric, 4
		a := synthetic(t, d, 3, func(cell, _ int, rng *rand.Rand) Record {
			n := 20 + 10*(cell%2) + rng.IntN(10)
			return Record{Outcome: coin(0.5, rng), Plies: n, Taken: [2]int{n, 0}}
		})
		f := finding(t, a, "trend/"+metric+"/old/uct")
		if !f.ExcludesNoEffect || *f.Estimate < 8 || *f.Estimate > 12 {
			t.Errorf("%s: a planted trend of 10: %s", metric, f.Sentence)
		}
	}
}

// TestTrendsAreCorrectedForTheirNumber: of twelve trends whose intervals are taken alone
// one excludes zero about as often as not where strength changes nothing, so one of twelve
// with p = 0.03 is a hint and no evidence; with p = 0.003 it is evidence.
func TestTrendsAreCorrectedForTheirNumber(t *testing.T) {
	for _, x := range []struct {
		p     float64
		claim bool
	}{{0.03, false}, {0.003, true}} {
		d := twoRulesets(30)
		a := &Analysis{Design: d, Complete: true}
		for i := range 12 {
			c := Trend{Ruleset: fmt.Sprintf("r%d", i), Kind: "uct", Metric: d.Metric, ClaimAllowed: true, Points: []TrendPoint{{Simulations: 25}, {Simulations: 100}}, P: 0.5,
				Change: stats.Interval{Estimate: 0.01, Low: -0.03, High: 0.05, Level: d.Level, N: 30}}
			if i == 0 {
				c.P, c.Change.Estimate, c.Change.Low, c.Change.High = x.p, 0.05, 0.01, 0.09
			}
			a.Trends = append(a.Trends, c)
		}
		a.adjust()
		a.describe()
		a.tabulate()
		f := finding(t, a, "trend/r0/uct")
		if f.ExcludesNoEffect != x.claim || f.PAdjusted == nil || *f.PAdjusted < 11.9*x.p {
			t.Errorf("p = %g of twelve: %s", x.p, f.Sentence)
		}
		rows := 0
		for _, r := range a.Tests {
			if r.Kind == "change" {
				rows++
				if r.RulesetA == "r0" && (r.Decision == DecisionDifference) != x.claim {
					t.Errorf("p = %g in tests.csv: %s", x.p, r.Decision)
				}
			}
		}
		if rows != 12 {
			t.Errorf("tests.csv has %d of 12 changes over budgets", rows)
		}
	}
}

// TestCappedGamesBelowTheLimit: up to 5 % of capped games forbid no claim, but what they
// could overturn by counting otherwise than half is none: an even score, a difference, an
// effect, a trend.
func TestCappedGamesBelowTheLimit(t *testing.T) {
	d := twoRulesets(4000).budgets()
	d.Margin = 0.03
	d.Factorial = nil
	d.Comparisons = []Comparison{{A: "new", B: "old", Metric: "first-player-score", Agent: "weak"}}
	half := synthetic(t, d, 5, func(cell, _ int, rng *rand.Rand) Record {
		// Cells: old weak, old strong, new weak, new strong.
		return Record{Outcome: sometimes([]float64{0.045, 0, 0.045, 0}[cell], []float64{0.5, 0.5, 0.529, 0.5}[cell], rng)}
	})
	for _, c := range half.Cells {
		if !c.ClaimAllowed {
			t.Fatalf("%s, %s: the test needs games that allow claims", c.Name, c.A)
		}
	}
	if c := half.Cell("old", "weak", "weak"); c.Decision != DecisionOpen {
		t.Errorf("4.5 %% of capped games could move an even score by 2.25 points, of a margin of 3: %s", c.Decision)
	}
	if c := half.Cell("old", "strong", "strong"); c.Decision != DecisionEven {
		t.Errorf("without capped games: %s", c.Decision)
	}
	k := half.Contrasts[0]
	if k.Adjusted > 0.01 || k.CappedLow == nil {
		t.Fatalf("the test needs a difference: %+v", k)
	}
	if k.Decision != DecisionOpen || !strings.Contains(finding(t, half, k.ID()).Sentence, "could overturn this") {
		t.Errorf("a difference of %v between %v and %v: %s", k.Difference, *k.CappedLow, *k.CappedHigh, k.Decision)
	}
	for _, x := range half.Trends {
		if x.Ruleset == "new" && (!x.Change.Excludes(0) || x.evident(d.Level) || !x.Provisional) {
			t.Errorf("a trend that the capped games could overturn: %+v", x)
		}
	}

	// The difference of the capped games' worst count, by hand: every pair has one game
	// capped in one ruleset and none in the other, so it is the difference ∓ a quarter.
	d.Pairs = 40
	hand := synthetic(t, d, 6, func(cell, slot int, rng *rand.Rand) Record {
		if cell == 2 && slot == 1 {
			return Record{Outcome: "capped"}
		}
		return Record{Outcome: coin(0.5, rng)}
	})
	k = hand.Contrasts[0]
	for _, x := range []float64{k.Difference.Estimate - k.CappedLow.Estimate, k.CappedHigh.Estimate - k.Difference.Estimate} {
		if x < 0.25-1e-12 || x > 0.25+1e-12 {
			t.Errorf("bounds %v and %v of %v", *k.CappedLow, *k.CappedHigh, k.Difference)
		}
	}
}

// TestCappedGamesAndSequentialTests: a sequential test counts capped games as half while
// it runs; its verdict is no claim where they could overturn it.
func TestCappedGamesAndSequentialTests(t *testing.T) {
	d := twoRulesets(400)
	d.Margin, d.Stopping.Rule = 0.05, "sequential"
	games := 0
	a := synthetic(t, d, 8, func(cell, slot int, _ *rand.Rand) Record {
		pair := games / 2 % d.Pairs
		games++
		if cell == 0 && slot == 0 && pair%11 == 0 {
			return Record{Outcome: "capped"}
		}
		// Every fourth pair is won twice, lost twice, or split in either order.
		return Record{Outcome: [4][2]string{{"win0", "win0"}, {"win1", "win1"}, {"win0", "win1"}, {"win1", "win0"}}[pair%4][slot]}
	})
	for i, want := range []string{DecisionOpen, DecisionEven} {
		c := a.Cells[i]
		if c.Stop == nil || c.Stop.Verdict != DecisionEven || !c.ClaimAllowed {
			t.Fatalf("%s: the test needs a verdict: %+v", c.Name, c.Stop)
		}
		if c.Decision != want {
			t.Errorf("%s with %d capped games: %s, want %s", c.Name, c.Tally.Capped, c.Decision, want)
		}
		f := finding(t, a, "score/"+c.Name+"/random")
		if f.Within != (want == DecisionEven) || f.PAdjusted != nil {
			t.Errorf("%s: %+v", c.Name, f)
		}
	}
}

// TestCappedMatches: where too many games of a match were capped it is not said who is
// stronger, and capped games, which look like equal strength, do not pass the check of
// what more thinking brings.
func TestCappedMatches(t *testing.T) {
	d := twoRulesets(2000).budgets()
	d.Rulesets, d.Comparisons = d.Rulesets[:1], nil
	d.Matches = []Match{{A: "strong", B: "weak"}}
	for _, x := range []struct {
		capped         float64
		noClaim, steep bool
	}{{0, false, false}, {0.045, false, true}, {0.4, true, true}} {
		var matches int
		a := synthetic(t, d, 9, func(cell, slot int, rng *rand.Rand) Record {
			// Cells of a ruleset: weak, strong, and the match, of two doublings.
			if cell%3 != 2 {
				return Record{Outcome: coin(0.5, rng)}
			}
			matches++
			p := 0.58
			if slot == 1 {
				p = 1 - p
			}
			return Record{Outcome: sometimes(x.capped, p, rng)}
		})
		if matches == 0 {
			t.Fatal("no match was played")
		}
		f := finding(t, a, "strength/old/strong/weak")
		if f.NoClaim != x.noClaim || x.noClaim && f.ExcludesNoEffect {
			t.Errorf("%g capped: %s", x.capped, f.Sentence)
		}
		if s := a.Strength[0].Slopes[0]; s.Steep != x.steep || s.EloPerDoubling.High > steepElo {
			t.Errorf("%g capped: %+v", x.capped, s)
		}
	}
}

// TestRankingKeepsExtremes: a ruleset where no pair differs from another is the most
// extreme of all and keeps its rank; one whose games were capped has none, and is named.
func TestRankingKeepsExtremes(t *testing.T) {
	d := twoRulesets(60)
	d.Rulesets = nil
	for _, name := range []string{"a", "b", "c", "always", "capped"} {
		d.Rulesets = append(d.Rulesets, RulesetRef{Name: name, Ref: "bell-8x7"})
	}
	a := synthetic(t, d, 2, func(cell, _ int, rng *rand.Rand) Record {
		switch cell {
		case 3:
			return Record{Outcome: "win0"}
		case 4:
			return Record{Outcome: sometimes(0.5, 0.5, rng)}
		}
		return Record{Outcome: coin(0.5, rng)}
	})
	if len(a.Ranking) != 1 || len(a.Ranking[0].Items) != 4 {
		t.Fatalf("rankings %+v", a.Ranking)
	}
	r := a.Ranking[0]
	if r.Items[0].Ruleset != "always" || r.Items[0].First < 0.95 || len(r.LeftOut) != 1 || r.LeftOut[0] != "capped" {
		t.Errorf("the ranking %+v", r)
	}
}

// TestEffectsOfNetworksNeedTheirSeeds: an effect between networks is claimed only if it
// is more than what their trainings differ by, and equality only if they agree on it;
// thousands of start pairs with the same networks do not show that.
func TestEffectsOfNetworksNeedTheirSeeds(t *testing.T) {
	nets := []string{"n1", "n2", "n3"}
	d := twoRulesets(600)
	d.Rulesets, d.Comparisons = nil, nil
	d.Factorial = &Factorial{Base: RulesetRef{Ref: "bell-8x7", Networks: nets}, Factors: []Factor{
		{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}}, {Parameter: "end.tie", Values: []string{"draw", "player-0"}}}}
	d.Agents = []AgentRef{{Name: "net", Spec: "net:network={network},simulations=25"}}
	d.Margin = 0.08
	run := func(shift [3]float64) Effect {
		return effectOf(t, play(t, d, nil, func(c CellInfo) float64 {
			if strings.Contains(c.Name, "neutral") {
				return 0.5 + shift[c.TrainingSeed-1]
			}
			return 0.5
		}), "first-player-score", "capture.corner")
	}
	for _, x := range []struct {
		name  string
		shift [3]float64
		want  string
	}{
		{"all networks agree", [3]float64{0.2, 0.2, 0.2}, DecisionDifference},
		{"one network does it all", [3]float64{0.45, 0.05, 0.1}, DecisionOpen},
		{"all show nothing", [3]float64{0, 0, 0}, DecisionNoDifference},
		{"opposite networks", [3]float64{0.3, -0.3, 0}, DecisionOpen},
	} {
		e := run(x.shift)
		if e.Seeds == nil || e.Seeds.N != 3 {
			t.Fatalf("%s: seeds %+v", x.name, e.Seeds)
		}
		if e.Decision != x.want {
			t.Errorf("%s: effect %v, over seeds %v: %s, want %s", x.name, e.Difference, *e.Seeds, e.Decision, x.want)
		}
	}
	if p := d.trainingSeeds(); p != 3 {
		t.Errorf("%d training seeds planned", p)
	}
}

// effectOf finds a main effect.
func effectOf(t *testing.T, a *Analysis, metric, term string) Effect {
	t.Helper()
	for _, e := range a.Effects {
		if e.Order == 1 && e.Metric == metric && strings.Contains(e.Name, term) {
			return e
		}
	}
	t.Fatalf("no effect of %s on %s", term, metric)
	return Effect{}
}

// TestStoppedCellsHaveNoFixedPValue: tests.csv gives the verdict of a sequential test and
// no p-value of a fixed number of games.
func TestStoppedCellsHaveNoFixedPValue(t *testing.T) {
	d := twoRulesets(300)
	d.Margin, d.Stopping.Rule = 0.1, "sequential"
	a := synthetic(t, d, 3, func(_, _ int, rng *rand.Rand) Record { return Record{Outcome: coin(0.5, rng)} })
	rows := 0
	for _, r := range a.Tests {
		if r.Kind == "even" {
			t.Errorf("a fixed test of a stopped cell: %+v", r)
		}
		if r.Kind == "score" {
			rows++
			if !math.IsNaN(r.P) || !math.IsNaN(r.Adjusted) || r.Adjustment != "sequential" {
				t.Errorf("%+v", r)
			}
		}
	}
	if rows != 2 {
		t.Errorf("%d rows", rows)
	}
}

// TestOrderWithAConstant: a ruleset in which no game was drawn still has a place in the
// order, so that its stability from one budget to the next is known and not passed over.
func TestOrderWithAConstant(t *testing.T) {
	d := twoRulesets(100).budgets()
	d.Rulesets = append(d.Rulesets, RulesetRef{Name: "third", Ref: "luductus"})
	d.Comparisons = nil
	d.Metric = "draw-share"
	a := synthetic(t, d, 5, func(cell, _ int, rng *rand.Rand) Record {
		if rng.Float64() < []float64{0, 0, 0.3, 0.6, 0.6, 0.3}[cell] {
			return Record{Outcome: "draw"}
		}
		return Record{Outcome: coin(0.5, rng)}
	})
	if len(a.Stability) != 1 {
		t.Fatalf("stability %+v", a.Stability)
	}
	for _, c := range a.Strength[0].Controls {
		if c.ID == "stability" && (c.Passed == nil || *c.Passed) {
			t.Errorf("two rulesets that change places: %s: %s", passed(c), c.Detail)
		}
	}
}

// TestEffectsOfCopies: an effect from games that are copies says so, and not that they
// were capped.
func TestEffectsOfCopies(t *testing.T) {
	d := twoRulesets(50)
	d.Rulesets, d.Comparisons = nil, nil
	d.Factorial = &Factorial{Base: RulesetRef{Ref: "bell-8x7"}, Factors: []Factor{
		{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}}, {Parameter: "end.tie", Values: []string{"draw", "player-0"}}}}
	a := synthetic(t, d, 4, func(_, _ int, rng *rand.Rand) Record {
		return Record{Outcome: coin(0.5, rng), Moves: 1 + rng.Uint64N(20)}
	})
	if e := effectOf(t, a, "first-player-score", "capture.corner"); e.Decision != DecisionCopies {
		t.Errorf("an effect from copies: %s", e.Decision)
	}
}
