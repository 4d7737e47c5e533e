package experiments

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// synthetic feeds an analyser with made-up games: outcome(cell, rng) gives one
// game's outcome.
func synthetic(t *testing.T, d Design, seed uint64, outcome func(cell, slot int, rng *rand.Rand) Record) *Analysis {
	t.Helper()
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: c.SelfPlay, Rows: 2, Cols: 2, Pieces: 8})
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for cell := range info {
		for pair := range d.Pairs {
			for slot := range 2 {
				r := outcome(cell, slot, rng)
				r.Cell, r.Pair, r.Slot = cell, pair, slot
				if r.Moves == 0 {
					r.Moves = rng.Uint64()
				}
				if r.Plies == 0 {
					r.Plies = 50
				}
				if err := a.Add(r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return a.Finish()
}

func twoRulesets(pairs int) Design {
	d := DefaultDesign()
	d.ID, d.Question, d.Pairs, d.Cap = "synthetic", "?", pairs, 100
	d.Rulesets = []RulesetRef{{Name: "old", Ref: "bell-8x7"}, {Name: "new", Ref: "webdux"}}
	d.Agents = []AgentRef{{Spec: "random"}}
	return d
}

func coin(p float64, rng *rand.Rand) string {
	if rng.Float64() < p {
		return "win0"
	}
	return "win1"
}

func finding(t *testing.T, a *Analysis, id string) Finding {
	t.Helper()
	for _, f := range a.Findings {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("no finding %q", id)
	return Finding{}
}

// TestPlantedEffectsAreFound: cell "new" favours the first player by 20 points and
// plays longer; "old" is even.
func TestPlantedEffectsAreFound(t *testing.T) {
	a := synthetic(t, twoRulesets(300), 3, func(cell, _ int, rng *rand.Rand) Record {
		p, plies := 0.5, 40
		if cell == 1 {
			p, plies = 0.7, 46
		}
		return Record{Outcome: coin(p, rng), EndReason: "none-left", Plies: plies + rng.IntN(20)}
	})
	even := finding(t, a, "score/old/random")
	if even.ExcludesNoEffect || !strings.Contains(even.Sentence, "equivalent to an even score within the margin of ±5 points") && !strings.Contains(even.Sentence, "too few to tell") {
		t.Errorf("an even game: %s", even.Sentence)
	}
	biased := finding(t, a, "score/new/random")
	if !biased.ExcludesNoEffect || *biased.Low <= 0.6 || !strings.Contains(biased.Sentence, "moving first was an advantage") {
		t.Errorf("a game that favours the first player: %s", biased.Sentence)
	}
	k := finding(t, a, "contrast/first-player-score/new/old/random")
	if !k.ExcludesNoEffect || !k.Primary || !strings.Contains(k.Sentence, "very strong") {
		t.Errorf("a planted difference: %s", k.Sentence)
	}
	if *k.Low > 0.2 || *k.High < 0.2 {
		t.Errorf("the interval [%v, %v] misses the planted 0.2", *k.Low, *k.High)
	}
	l := finding(t, a, "contrast/length/new/old/random")
	if !l.ExcludesNoEffect || l.Primary || math.Abs(*l.Estimate-6) > 1.5 || !strings.Contains(l.Sentence, "plies") {
		t.Errorf("a planted length: %s", l.Sentence)
	}
}

// TestNoEffectIsRarelyFound: over 60 experiments without any effect the contrast
// of scores is claimed in about one of twenty.
func TestNoEffectIsRarelyFound(t *testing.T) {
	claims := 0
	for seed := range uint64(60) {
		a := synthetic(t, twoRulesets(40), 100+seed, func(_, _ int, rng *rand.Rand) Record {
			return Record{Outcome: coin(0.5, rng)}
		})
		if finding(t, a, "contrast/first-player-score/new/old/random").ExcludesNoEffect {
			claims++
		}
	}
	// Binomial(60, 0.05): more than 9 has probability below 0.001.
	if claims > 9 {
		t.Errorf("%d of 60 null experiments made a claim", claims)
	}
}

func TestTooManyCappedGamesForbidClaims(t *testing.T) {
	a := synthetic(t, twoRulesets(100), 5, func(cell, _ int, rng *rand.Rand) Record {
		if cell == 1 && rng.Float64() < 0.2 {
			return Record{Outcome: "capped", Plies: 100}
		}
		return Record{Outcome: coin(0.9, rng)}
	})
	f := finding(t, a, "score/new/random")
	if f.ExcludesNoEffect || !strings.Contains(f.Sentence, "no claim") {
		t.Errorf("a claim with 20 %% capped: %s", f.Sentence)
	}
	c := a.Cell("new", "random", "random")
	if lo, hi := c.Tally.Bounds(); math.Abs(c.ScoreLow.Estimate-lo) > 1e-12 || math.Abs(c.ScoreHigh.Estimate-hi) > 1e-12 {
		t.Errorf("bounds %v %v, tally says %v %v", c.ScoreLow.Estimate, c.ScoreHigh.Estimate, lo, hi)
	}
	if finding(t, a, "contrast/first-player-score/new/old/random").ExcludesNoEffect {
		t.Error("a contrast of scores was claimed with 20 % capped")
	}
	if len(a.Warnings) == 0 {
		t.Error("no warning")
	}
	if m := c.Length.Median; m == nil || *m != 50 {
		t.Errorf("median length %v", m)
	}
	if c.Length.Q90 != nil {
		t.Errorf("the 90 %% quantile %v lies beyond the cap and cannot be known", *c.Length.Q90)
	}
}

// TestCappedGamesCannotDecide: few capped games, but enough to overturn the
// result if all of them went the other way.
func TestCappedGamesCannotDecide(t *testing.T) {
	// Of 25 pairs, 3 are won twice, 20 split, and in 2 one game is capped and the
	// other lost: 54 % (standard error 1.3 points), or 52 % (1.6) if lost.
	n := 0
	a := synthetic(t, twoRulesets(200), 5, func(_, slot int, _ *rand.Rand) Record {
		pair := n / 2 % 25
		n++
		switch {
		case pair < 3:
			return Record{Outcome: "win0"}
		case pair < 5 && slot == 0:
			return Record{Outcome: "capped", Plies: 100}
		case slot == 0:
			return Record{Outcome: "win0"}
		}
		return Record{Outcome: "win1"}
	})
	f := finding(t, a, "score/old/random")
	c := a.Cell("old", "random", "random")
	if !c.Score.Excludes(0.5) || c.ScoreLow.Low > 0.5 {
		t.Fatalf("score %v, if lost %v: the test needs a result that capped games could overturn", c.Score, c.ScoreLow)
	}
	if f.ExcludesNoEffect {
		t.Errorf("claimed although the capped games could overturn it: %s", f.Sentence)
	}
}

func TestCopiesForbidClaims(t *testing.T) {
	a := synthetic(t, twoRulesets(50), 6, func(cell, _ int, rng *rand.Rand) Record {
		return Record{Outcome: "win0", Moves: 1 + uint64(rng.IntN(20))}
	})
	c := a.Cell("old", "random", "random")
	if !c.Duplicates || c.Effective > 30 {
		t.Errorf("unique share %v, effective %v", c.Unique, c.Effective)
	}
	for _, f := range a.Findings {
		if f.ExcludesNoEffect {
			t.Errorf("a claim from copies: %s", f.Sentence)
		}
	}
}

func TestMissingAndDoubledGamesAreRefused(t *testing.T) {
	d := twoRulesets(3)
	for name, order := range map[string][][3]int{
		"doubled":      {{0, 0, 0}, {0, 0, 0}},
		"missing":      {{0, 0, 0}, {0, 0, 1}, {0, 2, 0}},
		"second first": {{0, 0, 1}},
		"no such cell": {{9, 0, 0}},
	} {
		a, err := NewAnalyser(d, []CellInfo{{}, {}})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range order {
			err = a.Add(Record{Cell: x[0], Pair: x[1], Slot: x[2], Outcome: "draw"})
		}
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	a, err := NewAnalyser(d, []CellInfo{{}, {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(Record{Outcome: "ongoing"}); err == nil {
		t.Error("a game without outcome was accepted")
	}
	if out := a.Finish(); out.Complete || len(out.Warnings) == 0 {
		t.Error("an empty experiment is called complete")
	}
	if _, err := json.Marshal(a.Finish()); err != nil {
		t.Errorf("an empty analysis has no JSON: %v", err)
	}
}

// TestSentences pins the wording of each kind on fixed numbers.
func TestSentences(t *testing.T) {
	d := twoRulesets(100)
	d.Agents = append(d.Agents, AgentRef{Name: "net", Spec: "net:path=x,simulations=64", SelfPlay: new(bool)})
	d.Matches = []Match{{A: "net", B: "random"}}
	n := 0
	a := synthetic(t, d, 9, func(cell, slot int, _ *rand.Rand) Record {
		n++
		if cell%2 == 1 {
			// The network wins 9 of 10 games, on either side.
			if (n%10 != 0) == (slot == 0) {
				return Record{Outcome: "win0"}
			}
			return Record{Outcome: "win1"}
		}
		return Record{Outcome: []string{"win0", "win1", "draw", "win0"}[n%4]}
	})
	for id, want := range map[string]string{
		"score/old/random":                           "In old, with the random agent on both sides, from random starts and their colour-mirrored twins, the first player scored 62.5 % [",
		"strength/old/net/random":                    "In old, a trained network with 64 simulations a ply scored 90.0 % [",
		"contrast/first-player-score/new/old/random": "With the random agent on both sides, the first player's score was 62.5 % in new and 62.5 % in old: a difference of 0.0 points [",
	} {
		if got := finding(t, a, id).Sentence; !strings.HasPrefix(got, want) {
			t.Errorf("%s:\n got %s\nwant %s…", id, got, want)
		}
	}
	if s := finding(t, a, "strength/old/net/random"); !s.ExcludesNoEffect || !strings.Contains(s.Sentence, "It is the stronger") && !strings.Contains(s.Sentence, "it is the stronger") {
		t.Errorf("strength: %s", s.Sentence)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(0.5234), "52.3 %"},
		{Percent(-0.00001), "0.0 %"},
		{Amount(0.123, "points", true), "+12.3 points"},
		{Amount(-0.04, "points", true), "−4.0 points"},
		{Amount(-0.0001, "points", true), "0.0 points"},
		{Amount(12, "plies", false), "12.0 plies"},
		{Amount(math.Inf(1), "elo", true), "∞"},
		{Amount(191, "elo", true), "+191 Elo"},
		{PValue(0.0004), "p < 0.001"},
		{PValue(0.0341), "p = 0.034"},
		{AgentWords("uct:simulations=100"), "a UCT search with 100 simulations a ply"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestTrends: a score that moves with the budget is found, and makes the results
// at single budgets provisional.
func TestTrends(t *testing.T) {
	d := twoRulesets(200)
	d.Agents = []AgentRef{{Name: "strong", Spec: "uct:simulations=400"}, {Name: "weak", Spec: "uct:simulations=25"}, {Spec: "random"}}
	a := synthetic(t, d, 8, func(cell, _ int, rng *rand.Rand) Record {
		p := 0.5
		if cell == 0 {
			p = 0.8 // ruleset old, strong
		}
		return Record{Outcome: coin(p, rng)}
	})
	if len(a.Trends) != 2 || a.Trends[0].Points[0].Simulations != 25 {
		t.Fatalf("trends %+v", a.Trends)
	}
	f := finding(t, a, "trend/old/uct")
	if !f.ExcludesNoEffect || !f.Provisional || *f.Estimate < 0.2 || !strings.Contains(f.Sentence, "grew from 25 to 400 simulations") {
		t.Errorf("a planted trend: %s", f.Sentence)
	}
	if s := finding(t, a, "score/old/strong"); !s.Provisional || !strings.Contains(s.Sentence, "Provisional") {
		t.Errorf("a score that moves with strength: %s", s.Sentence)
	}
	if s := finding(t, a, "score/old/random"); s.Provisional {
		t.Errorf("an agent without a budget is provisional: %s", s.Sentence)
	}
}

// TestUnfinishedClaimsNothing: before all pairs of a fixed number are played nothing is claimed, however clear it looks, in
// sentences and tables alike, and a cell without games is not said to be capped.
func TestUnfinishedClaimsNothing(t *testing.T) {
	d := twoRulesets(300)
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: c.SelfPlay, Rows: 2, Cols: 2, Pieces: 8})
	}
	for _, last := range []int{0, 150} { // pairs of the second cell
		a, err := NewAnalyser(d, info)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 1))
		for cell, pairs := range []int{300, last} {
			for pair := range pairs {
				for slot := range 2 {
					r := Record{Cell: cell, Pair: pair, Slot: slot, Outcome: coin([]float64{0.8, 0.3}[cell], rng), EndReason: "none-left", Plies: 50, Moves: rng.Uint64()}
					if err := a.Add(r); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		out := a.Finish()
		if out.Complete {
			t.Fatal("the analysis calls itself complete")
		}
		for _, f := range out.Findings {
			if f.ExcludesNoEffect || f.Within || !f.NoClaim || strings.Contains(f.Sentence, "advantage") || strings.Contains(f.Sentence, "evidence") {
				t.Errorf("%d pairs: a claim: %s", last, f.Sentence)
			}
		}
		if len(out.Tests) == 0 {
			t.Fatal("no tests")
		}
		for _, x := range out.Tests {
			if x.ClaimAllowed || x.Decision != DecisionUnfinished {
				t.Errorf("%d pairs: the table claims %+v", last, x)
			}
		}
	}
}

// analysed plays a design in a directory of its own and analyses the games.
func analysed(t *testing.T, d Design) (a *Analysis, dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Run(t.Context(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := Analyse(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a, dir
}
