package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/envtest"
	"latro/experiments/stats"
	"latro/mcts"
	"latro/selfplay"
)

// written is a game from text: a start ("" for the ruleset's own), a result, and plies.
func written(t *testing.T, g *engine.Game, start, outcome, plies string) datasets.Game {
	t.Helper()
	s := g.NewState()
	if start != "" {
		var err error
		if s, err = g.ParsePosition(start); err != nil {
			t.Fatal(err)
		}
	}
	row := datasets.Game{Start: start, Outcome: outcome, GameID: 1}
	for _, text := range strings.Fields(plies) {
		a, err := s.Parse(text)
		if err != nil {
			t.Fatalf("%s in %s: %v", text, s.Position(), err)
		}
		s.Play(a)
		row.Moves = append(row.Moves, uint16(a))
	}
	if s.Over() && s.Outcome().String() != outcome {
		t.Fatalf("%s ends as %s, not %s", plies, s.Outcome(), outcome)
	}
	return row
}

// comeback reads testdata/comeback.txt.
func comeback(t *testing.T, g *engine.Game) datasets.Game {
	t.Helper()
	b, err := os.ReadFile("testdata/comeback.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return written(t, g, lines[1], lines[2], lines[3])
}

func selfPlay() Config {
	return Config{Level: 0.95, SelfPlay: true, SpecA: "random", SpecB: "random"}
}

// measure gives a cell every game twice, as the two games of a pair, unless pairs are
// given whole.
func measure(t *testing.T, g *engine.Game, c Config, games ...datasets.Game) Result {
	t.Helper()
	cell, err := New(g, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range games {
		if err := cell.Add(&games[i]); err != nil {
			t.Fatal(err)
		}
	}
	return cell.Result()
}

// is checks a measured value against one that was found by hand.
func is(t *testing.T, r Result, metric string, want float64) *Value {
	t.Helper()
	v := r.Value(metric)
	if v == nil {
		why := "nothing said"
		for _, m := range r.Missing {
			if m.Metric == metric {
				why = m.Reason
			}
		}
		t.Fatalf("%s was not measured: %s", metric, why)
	}
	if math.Abs(v.Interval.Estimate-want) > 1e-6 {
		t.Errorf("%s is %v, by hand %v", metric, v.Interval.Estimate, want)
	}
	if !v.Interval.Contains(v.Interval.Estimate) {
		t.Errorf("%s: %v lies outside its interval", metric, v.Interval)
	}
	return v
}

func lacks(t *testing.T, r Result, metric, reason string) {
	t.Helper()
	if v := r.Value(metric); v != nil {
		t.Errorf("%s is measured as %v, but should not be", metric, v.Interval)
	}
	for _, m := range r.Missing {
		if m.Metric == metric {
			if !strings.Contains(m.Reason, reason) {
				t.Errorf("%s is missing because %q; want %q", metric, m.Reason, reason)
			}
			return
		}
	}
	t.Errorf("%s is neither measured nor missing", metric)
}

// TestComeback: every measure of one game, counted by hand. The men on the board are, before each ply, 4:4, 4:3, 3:3,
// 3:3, 3:3, 3:3, 2:3, 2:3, 2:3, 2:3 and at the end 1:3; the legal plies are 7, 5, 7, 8, 7, 6, 4, 6, 5, 7.
func TestComeback(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	game := comeback(t, g)
	c := selfPlay()
	c.Values = "somebody's search"
	nan := float32(math.NaN())
	game.Values = []float32{0.2, -0.1, -0.4, nan, nan, 0.3, nan, nan, nan, nan}
	r := measure(t, g, c, game, game)
	is(t, r, "branching", 62.0/10)
	is(t, r, "choice-share", 1)
	is(t, r, "attrition-25", 6.0/8)
	is(t, r, "attrition-50", 6.0/8)
	is(t, r, "attrition-75", 5.0/8)
	is(t, r, "attrition-100", 4.0/8)
	if len(r.Attrition) != 21 || r.Attrition[2].Left.Estimate != 7.0/8 || r.Attrition[0].Left.Low != 1 {
		t.Errorf("the attrition curve is %v", r.Attrition)
	}
	is(t, r, "lead-changes-material", 1)
	is(t, r, "drama-material", 1.0/7)
	is(t, r, "comeback-share-material", 1)
	// Arrivals on d2, d1, a1, d3, a2, a1 and c4 are on the edge, those on c2 and twice c3 are not.
	is(t, r, "edge-share", 0.7)
	lacks(t, r, "lead-changes-search", "fewer than half")
	lacks(t, r, "use-hop", "no such rule")
	lacks(t, r, "piece-value-leader", "no such piece")
	lacks(t, r, "opening-entropy", "random positions")
	if r.Games != 2 || r.Pairs != 1 || r.Limited {
		t.Errorf("measured %d games in %d pairs", r.Games, r.Pairs)
	}
	if v := r.Value("lead-changes-material"); v.Evaluator == "" || !strings.Contains(v.Interval.Method, v.Evaluator) {
		t.Errorf("the evaluator is not named: %+v", v)
	}

	// With a value at every ply, players alternating, the means of both players' latest ones are 0.025 (nobody leads: the band
	// is 0.05), −0.25, −0.4, −0.4, −0.05, 0.3, …: one change, and the second player, who won, had been behind by 0.3.
	game.Values = []float32{0.15, -0.1, -0.4, -0.4, -0.4, 0.3, 0.3, 0.3, 0.3, 0.3}
	r = measure(t, g, c, game, game)
	is(t, r, "lead-changes-search", 1)
	if v := is(t, r, "drama-search", float64(float32(0.3))); !strings.Contains(v.Interval.Method, "somebody's search") {
		t.Errorf("the method is %q", v.Interval.Method)
	}

	// Another evaluator, stated by name: nobody is ever ahead.
	c.Evaluators = []Evaluator{{Key: "nobody", Name: "one who sees nothing", Value: func(*engine.State) float64 { return 0 }}}
	r = measure(t, g, c, game, game)
	is(t, r, "lead-changes-nobody", 0)
	is(t, r, "comeback-share-nobody", 0)
	if r.Value("lead-changes-material") != nil {
		t.Error("material is measured though another evaluator was named")
	}
}

// TestCappedGamesAreNoDraws: a capped game counts for plies, not for whole games, and never as a draw.
func TestCappedGamesAreNoDraws(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	whole := comeback(t, g)
	cut := whole
	cut.Moves, cut.Outcome, cut.GameID = whole.Moves[:2], datasets.Capped, 2
	r := measure(t, g, selfPlay(), whole, cut)
	is(t, r, "branching", (6.2+6)/2) // 7 and 5 plies to choose from in the cut game
	if v := is(t, r, "lead-changes-material", 1); v.Games != 1 {
		t.Errorf("lead changes are of %d games, one was finished", v.Games)
	}
	is(t, r, "attrition-100", 0.5)
	r = measure(t, g, selfPlay(), cut, cut)
	lacks(t, r, "attrition-50", "no game was finished")
	lacks(t, r, "lead-changes-material", "no game was finished")
	lacks(t, r, "odds-man", "no game was finished")
	drawn := cut
	drawn.Outcome = datasets.Draw
	r = measure(t, g, selfPlay(), drawn, drawn)
	is(t, r, "lead-changes-material", 0)
	lacks(t, r, "drama-material", "no game had a winner")
}

// TestOpenings: two of four first plies are by a man of the edge files and two by one of the middle, which mirroring
// the files exchanges: two classes of one half each, H = 1 + (2 − 1)/(2·4·ln 2).
func TestOpenings(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	c := selfPlay()
	c.FromStart = true
	var games []datasets.Game
	for _, plies := range []string{"a1-a2 a4-a3 a2-b2 b4-b3", "d1-d2 d4-d3 d2-c2 c4-c3", "b1-b2 a4-a3", "c1-c2 d4-d3"} {
		games = append(games, written(t, g, "", datasets.Capped, plies))
	}
	r := measure(t, g, c, games...)
	if v := is(t, r, "opening-entropy-1", 1+1/(8*math.Ln2)); v.Games != 4 || v.Interval.Method != "miller-madow" {
		t.Errorf("opening entropy: %+v", v)
	}
	// The two openings of four plies are mirror images of each other: one class.
	if v := is(t, r, "opening-entropy-4", 0); v.Games != 2 || v.Interval.High < 0.5 {
		t.Errorf("one pair cannot show that there is no variety: %+v", v)
	}
	lacks(t, r, "placement-entropy", "all pieces on the board")
	// Each opening different: the method warns.
	r = measure(t, g, c, games[0], games[2])
	if v := r.Value("opening-entropy-1"); !strings.Contains(v.Interval.Method, "too low: 100 %") {
		t.Errorf("the method is %q", v.Interval.Method)
	}
}

// TestPlacements: the first player placed on two corners, a middle of a side and, in the other game, the centre and
// two corners and so on: of 6 placements 3 on the 4 corners, 2 on the 4 sides, 1 on the centre,
// H = ½ log₂ 8 + ⅓ log₂ 12 + ⅙ log₂ 6 + (3 − 1)/(2·6·ln 2).
func TestPlacements(t *testing.T) {
	g := envtest.Game(t, "testdata/placing.yaml")
	if n := len(g.Symmetries()); n != 8 {
		t.Fatalf("%d symmetries", n)
	}
	c := selfPlay()
	c.FromStart = true
	one := written(t, g, "", datasets.Capped, "@a1 @a2 @c3 @b3 @b1 @c2")
	two := written(t, g, "", datasets.Capped, "@b2 @a2 @c1 @b3 @c2 @a1")
	r := measure(t, g, c, one, two)
	is(t, r, "placement-entropy-first", 0.5*3+math.Log2(12)/3+math.Log2(6)/6+2/(12*math.Ln2))
	// The second: 5 on sides, 1 on a corner.
	is(t, r, "placement-entropy-second", 5.0/6*math.Log2(4*6.0/5)+1.0/6*math.Log2(24)+1/(12*math.Ln2))
}

// TestEntropyInterval: for independent choices the error is the multinomial one, √((Σ p log₂² p − H²)/n), and intervals
// of a biased coin's entropy cover it.
func TestEntropyInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const p = 0.2
	truth := coin(p)
	covered, bias := 0, 0.0
	for range 300 {
		var v variety
		heads := 0.0
		const pairs = 100
		for range pairs {
			for range 2 {
				key := "tails"
				if rng.Float64() < p {
					key = "heads"
					heads++
				}
				v.see(v.class(key))
			}
			v.close()
		}
		iv, _ := v.entropy(0.9)
		if iv.Contains(truth) {
			covered++
		}
		bias += iv.Estimate - truth
	}
	// 270 expected, standard deviation 5.
	if covered < 250 || covered > 288 {
		t.Errorf("90 %% intervals covered in %d of 300", covered)
	}
	// The plain estimate is too low by 1/(400 ln 2) = 0.0036 on average; the standard error of this mean is 0.0023.
	if math.Abs(bias/300) > 0.008 {
		t.Errorf("the bias is %v", bias/300)
	}
}

// TestRatio: with two counts a pair it is stats.PairScore of the pairs' means, and where nothing varies its exact bounds.
func TestRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var r, same ratio
	var means, ones []float64
	for range 50 {
		a, b := float64(rng.IntN(2)), float64(rng.IntN(2))
		r.game(a, 1)
		r.game(b, 1)
		r.close()
		same.game(1, 1)
		same.game(1, 1)
		same.close()
		means, ones = append(means, (a+b)/2), append(ones, 1)
	}
	near := func(a, b stats.Interval) bool {
		return math.Abs(a.Estimate-b.Estimate) < 1e-12 && math.Abs(a.Low-b.Low) < 1e-12 && math.Abs(a.High-b.High) < 1e-12 && a.N == b.N && a.Method == b.Method
	}
	if got, want := r.interval(0, 1, 0.95), stats.PairScore(means, 0.95); !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := same.interval(0, 1, 0.95), stats.PairScore(ones, 0.95); !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var empty ratio
	if iv := empty.interval(0, 1, 0.95); !math.IsNaN(iv.Estimate) || iv.Low != 0 || iv.High != 1 {
		t.Errorf("no games give %v", iv)
	}
}

// TestPieceValues: with results in the shares that a known model has, the regression finds its values exactly. One man
// more doubles the odds, one leader more makes them four times as large: a leader is worth two men.
func TestPieceValues(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	starts := []struct {
		board string
		wins  int // of the first player in 120 games
	}{
		{"7/1b3b1/7/B6/6A/7/1a1a1a1/7", 80}, // a man more
		{"7/1b1b1b1/7/B6/6A/7/1a3a1/7", 40}, // a man less
		{"7/1b1b1b1/7/7/6A/7/1a1a1a1/7", 96},
		{"7/1b1b1b1/7/B6/7/7/1a1a1a1/7", 24},
	}
	var games []datasets.Game
	for _, x := range starts {
		for i := range 120 {
			row := written(t, g, x.board+" 0 movement", datasets.Win1, "b2-b1")
			if i < x.wins {
				row.Outcome = datasets.Win0
			}
			row.GameID = uint64(len(games) + 1)
			games = append(games, row)
		}
	}
	r := measure(t, g, selfPlay(), games...)
	man := is(t, r, "odds-man", 2)
	is(t, r, "odds-leader", 4)
	worth := is(t, r, "piece-value-leader", 2)
	if man.Interval.Low > 1.6 || man.Interval.Low < 1 || worth.Interval.Method != "fieller" || worth.Unit != "men" {
		t.Errorf("man %v, leader %v", man.Interval, worth.Interval)
	}
	lacks(t, r, "piece-value-bound", "no such piece")
}

// TestSpecialRules: who hopped in the first half won 20 of 30 games, who did not 10 of 30: odds four times as large. A
// hop in the second half does not count towards them; the use is 50 and 25 in 100 plies.
func TestSpecialRules(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml", "movement.men.hop_over=own-free", "movement.men.hop_directions=orthogonal", "movement.men.hop_length=one")
	const start = "bb2/4/a3/a1a1 0 movement"
	hop := written(t, g, start, datasets.Win1, "a1^a3 b4-b3")
	step := written(t, g, start, datasets.Win1, "c1-c2 b4-b3")
	var games []datasets.Game
	for i := range 30 {
		for k, row := range []datasets.Game{hop, step} {
			if i < 20-10*k {
				row.Outcome = datasets.Win0
			}
			games = append(games, row)
		}
	}
	r := measure(t, g, selfPlay(), games...)
	is(t, r, "use-hop", 25)
	is(t, r, "value-hop", 4)
	if !slices.Equal(r.Rules, []string{"hop"}) {
		t.Errorf("the rules are %v", r.Rules)
	}
	// Without exception there are no finite odds, in either direction.
	for direction, won := range map[string][2]string{"no upper end": {datasets.Win0, datasets.Win1}, "no lower end": {datasets.Win1, datasets.Win0}} {
		games = games[:0]
		for range 20 {
			hop.Outcome, step.Outcome = won[0], won[1]
			games = append(games, hop, step)
		}
		lacks(t, measure(t, g, selfPlay(), games...), "value-hop", direction)
	}
	late := written(t, g, start, datasets.Win0, "c1-c2 b4-b3 a1^a3 b3-b4")
	r = measure(t, g, selfPlay(), late, late)
	is(t, r, "use-hop", 25)
	lacks(t, r, "value-hop", "equally often in the first half")
}

// TestUses: a bonus move is one only if it is made, two men in one line are a row, and to bind is a use of binding.
func TestUses(t *testing.T) {
	const start = "bab1/3a/ab1a/2b1 0 movement" // d2-c2 takes (or binds) the man on b2
	bonus := envtest.Game(t, "testdata/hand.yaml", "bonus.after=capture", "bonus.piece=same")
	made := written(t, bonus, start, datasets.Win0, "d2-c2 c2-d2 c4-c3 d2-c2")
	declined := written(t, bonus, start, datasets.Win0, "d2-c2 -- c4-d4 c2-b2")
	r := measure(t, bonus, selfPlay(), made, declined)
	is(t, r, "use-bonus", (25.0+0)/2)

	row := envtest.Game(t, "testdata/hand.yaml", "capture.line=row", "capture.line_axes=same")
	two := written(t, row, "bb2/3a/abb1/4 0 movement", datasets.Win0, "d3-d2 b4-b3")
	one := written(t, row, "bb2/3a/1ab1/b3 0 movement", datasets.Win0, "d3-d2 b4-b3")
	r = measure(t, row, selfPlay(), two, one)
	is(t, r, "use-row", (50.0+0)/2)
	is(t, r, "games-with-rows-taken", 0.5)

	binding := envtest.Game(t, "testdata/hand.yaml", "capture.effect=bind", "binding.removal=instead-of-move", "binding.removal_number=one")
	bound := written(t, binding, start, datasets.Win0, "d2-c2 c4-d4 xb2 a4-a3")
	free := written(t, binding, start, datasets.Win0, "d2-d1 c4-d4")
	r = measure(t, binding, selfPlay(), bound, free)
	is(t, r, "use-binding", (25.0+0)/2)
	// Bound men count one half of a man: before the plies the first player is ahead by 0, ½ of 7½ and, once it is taken
	// off, 1 of 7; the lead never changes, and the winner was never behind.
	is(t, r, "lead-changes-material", 0)
	is(t, r, "drama-material", 0)
}

// TestRestrictedPlay: two pairs in which agent A may not hop. He wins as first player (the hop was his only ply: forced),
// draws as second, loses as first, and is stopped by the cap as second, passing over a hop in the last three. Agent B scored
// 0, ½, 1 and, for the capped game, ½: it has lost nothing, or between −1/8 and 1/8.
func TestRestrictedPlay(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml", "movement.men.hop_over=enemy-free", "movement.men.hop_directions=orthogonal", "movement.men.hop_length=one", "end.annihilation_at=0")
	forced := written(t, g, "4/4/b3/abb1 0 movement", datasets.Win0, "a1^a3 a2-a1")
	drawn := written(t, g, "b3/a3/4/2aa 1 movement", datasets.Draw, "a4-b4 c1-c2")
	lost := written(t, g, "2b1/4/b3/a3 0 movement", datasets.Win1, "a1-b1")
	capped := written(t, g, "b3/a3/4/2aa 1 movement", datasets.Capped, "a4-b4")
	c := Config{Level: 0.95, SpecA: "uct:avoid=hop,simulations=9", SpecB: "uct:simulations=9"}
	r := measure(t, g, c, forced, drawn, lost, capped)
	v := is(t, r, "restricted-loss-hop", 0)
	if v.Unit != "points" || v.Games != 4 || !strings.Contains(v.Interval.Method, "1 capped games counted one half") {
		t.Errorf("restricted loss: %+v", v)
	}
	is(t, r, "restricted-loss-hop-capped-lost", -0.125)
	is(t, r, "restricted-loss-hop-capped-won", 0.125)
	is(t, r, "restricted-forced-hop", 0.25)
	is(t, r, "restricted-passed-hop", 0.75)
	if r.Value("branching") != nil {
		t.Error("a match is measured like self-play")
	}
	// The other way round: B is the restricted one, so the first game of a pair has him as player 1.
	r = measure(t, g, Config{Level: 0.95, SpecA: c.SpecB, SpecB: c.SpecA}, lost, lost)
	is(t, r, "restricted-loss-hop", 0) // he won the first game and lost the second
	is(t, r, "restricted-passed-hop", 0.5)
	// Nothing but capped games is no draw.
	lacks(t, measure(t, g, c, capped, capped), "restricted-loss-hop", "no game was finished")
	lacks(t, measure(t, g, Config{Level: 0.95, SpecA: c.SpecB, SpecB: "uct:avoid=leader,simulations=9"}, lost, lost), "restricted-loss-leader", "no such rule")
	// Agents that differ in more than the restriction are no restricted play.
	if r = measure(t, g, Config{Level: 0.95, SpecA: c.SpecA, SpecB: "uct:simulations=8"}, lost, lost); len(r.Values)+len(r.Missing) != 0 {
		t.Errorf("measured %v", r)
	}
}

// TestAgainstTheRecorder: on random games of five rulesets the uses of special rules and the attrition are what the
// recorder of games, which shares no code with this package, wrote down.
func TestAgainstTheRecorder(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "schadler-1994", "locus-ludi-seneca", "6x6-seega", "luductus"} {
		g := envtest.Game(t, ref)
		c := selfPlay()
		c.FromStart = true
		cell, err := New(g, c)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{}
		quarters := [3]float64{}
		finished, games := 0.0, 0.0
		rng := rand.New(rand.NewPCG(11, 12))
		rec := selfplay.NewRecorder(g)
		for i := range 6 {
			s := g.NewState()
			rec.Reset(s, datasets.Game{GameID: uint64(i + 1)})
			var legal []engine.Action
			for !s.Over() && s.Ply() < 400 {
				legal = s.Legal(legal[:0])
				if err := rec.Play(s, mcts.Decision{Action: legal[rng.IntN(len(legal))]}); err != nil {
					t.Fatal(err)
				}
			}
			row := rec.Game(s)
			n := float64(row.Plies)
			games++
			placedLeaders := uint32(2 * g.Params().Pieces.Leaders)
			if g.Params().Setup.Kind != "placement" {
				placedLeaders = 0
			}
			want["use-hop"] += 100 * float64(row.Hops0+row.Hops1) / n
			// The recorder counts the placing of a leader and the stop of a bonus too.
			want["use-leader"] += 100 * float64(row.LeaderPlies0+row.LeaderPlies1-placedLeaders) / n
			if row.Outcome != datasets.Capped {
				finished++
				total := float64(2 * (g.Params().Pieces.Men + g.Params().Pieces.Leaders))
				for q := range quarters {
					quarters[q] += float64(row.Attrition[2*q]+row.Attrition[2*q+1]) / total
				}
			}
			if err := cell.Add(&row); err != nil {
				t.Fatal(err)
			}
		}
		r := cell.Result()
		for metric, sum := range want {
			if r.Value(metric) == nil {
				if sum > 0 {
					t.Errorf("%s: %s is missing, the recorder counted %v", ref, metric, sum)
				}
				continue
			}
			is(t, r, metric, sum/games)
		}
		if finished > 0 {
			// After all pieces are placed those on the board are those in play.
			is(t, r, "attrition-50", quarters[1]/finished)
			is(t, r, "attrition-75", quarters[2]/finished)
		}
	}
}

// TestIllegalGames: games that do not follow the rules are refused, with the ply.
func TestIllegalGames(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	good := comeback(t, g)
	for what, change := range map[string]func(*datasets.Game){
		"ply 3":      func(r *datasets.Game) { r.Moves = append(slices.Clone(r.Moves[:2]), 65535) },
		"starts at":  func(r *datasets.Game) { r.Start = "9/9 0 movement" },
		`outcome ""`: func(r *datasets.Game) { r.Outcome = "" },
		"ply 11":     func(r *datasets.Game) { r.Moves = append(slices.Clone(r.Moves), 0) },
	} {
		row := good
		change(&row)
		cell, err := New(g, selfPlay())
		if err != nil {
			t.Fatal(err)
		}
		if err := cell.Add(&row); !errors.Is(err, ErrGame) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if _, err := New(g, Config{}); err == nil {
		t.Error("a level of 0 is accepted")
	}
}

// TestLimit: beyond MaxPairs pairs nothing more is measured, and every value says so.
func TestLimit(t *testing.T) {
	g := envtest.Game(t, "testdata/hand.yaml")
	game := written(t, g, "", datasets.Draw, "a1-a2")
	cell, err := New(g, selfPlay())
	if err != nil {
		t.Fatal(err)
	}
	for range 2*MaxPairs + 2 {
		if err := cell.Add(&game); err != nil {
			t.Fatal(err)
		}
	}
	r := cell.Result()
	if v := r.Value("branching"); !r.Limited || r.Pairs != MaxPairs || v.Games != 2*MaxPairs || !strings.Contains(v.Interval.Method, "first 8192 pairs") {
		t.Errorf("limited %v, %d pairs, %+v", r.Limited, r.Pairs, v)
	}
}
