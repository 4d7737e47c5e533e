package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

var update = flag.Bool("update", false, "rewrite the golden text in testdata")

// nine is a game on nine squares of which eight are filled: a move is possible only into the one empty square, and
// nothing is ever captured, because every square is immune. A side is blocked when the empty square has none of its men
// beside it.
const nine = `
id: nine
name: Nine squares
sources:
  - {id: letter, title: A letter, author: A friend, year: "1903"}
board: {rows: 3, cols: 3}
pieces: {men: 4}
setup: {kind: placement}
movement:
  men: {range: step, directions: orthogonal}
capture: {immune: [a1, a2, a3, b1, b2, b3, c1, c2, c3]}
repetition: {rule: none}
end: {blocked: loses}
provenance:
  board: {certainty: attested, source: letter}
  pieces: {certainty: attested, source: letter}
  movement: {certainty: attested, source: letter}
`

func parse(t *testing.T, text string, sets ...string) *rules.Ruleset {
	t.Helper()
	r, err := rules.Parse("test.yaml", []byte(text))
	if err == nil && len(sets) > 0 {
		r, err = r.With(sets...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, ref string, sets ...string) *rules.Ruleset {
	t.Helper()
	r, err := rules.Open(ref, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t *testing.T, cfg Config) *Report {
	t.Helper()
	r, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Report) parameter(t *testing.T, name string) *Parameter {
	t.Helper()
	for i := range r.Parameters {
		if r.Parameters[i].Name == name {
			return &r.Parameters[i]
		}
	}
	t.Fatalf("no parameter %s", name)
	return nil
}

// TestEndsAddUp: the ways of ending are exclusive and complete, in rulesets that end and that do not.
func TestEndsAddUp(t *testing.T) {
	for _, r := range []*rules.Ruleset{open(t, "bell-8x7"), open(t, "locus-ludi-piso@ludii"), open(t, "kowalski-8x12"), parse(t, nine)} {
		rep := run(t, Config{Ruleset: r, Games: 6, Cap: 300, Seed: 3, Replay: 1})
		for _, g := range rep.Groups {
			sum := 0
			for _, e := range g.Ends {
				sum += e.Count
			}
			if sum != 6 || g.Outcomes.N() != 6 {
				t.Errorf("%s, %s: ends of %d games, outcomes of %d, want 6", rep.Ruleset, g.Name, sum, g.Outcomes.N())
			}
			if find(g.Ends, "end:cap").Count != g.Outcomes.Capped {
				t.Errorf("%s, %s: %d ended by the cap, %d capped", rep.Ruleset, g.Name, find(g.Ends, "end:cap").Count, g.Outcomes.Capped)
			}
		}
	}
}

// TestKowalskiRandomNeverEnds: Ludii's thirty random games of Kowalski's rules all ran into its cap of 2,500 turns
// (BALANCE.md, 2.5); here a quarter of that. Blockade is the only win: taking pieces never is.
func TestKowalskiRandomNeverEnds(t *testing.T) {
	r := run(t, Config{Ruleset: open(t, "kowalski-8x12"), Games: 8, Cap: 625, Seed: 1, Replay: 1})
	g := r.Groups[randomGames]
	if g.Outcomes.Capped != 8 || g.Capped == nil || g.MedianEnded != nil || g.ScoreLow != 0 || g.ScoreHigh != 1 {
		t.Errorf("random games: %+v", g)
	}
	if !strings.Contains(r.Verdicts[0], "All 8 random games") || !strings.Contains(r.Verdicts[0], "no end within 625 plies") {
		t.Errorf("the first verdict is %q", r.Verdicts[0])
	}
	if !strings.Contains(r.Hunger, "Taking pieces alone never wins") {
		t.Errorf("what a side needs: %q", r.Hunger)
	}
	if i := slices.IndexFunc(r.Unruled, func(u Unruled) bool { return u.Key == "end:cap" }); i < 0 || r.Unruled[i].Count < 8 {
		t.Errorf("games without an end are not among the ends that the source does not rule: %+v", r.Unruled)
	}
}

// TestNineBlockade: without captures and repetition rules a game of nine ends by blockade or not at all.
func TestNineBlockade(t *testing.T) {
	r := run(t, Config{Ruleset: parse(t, nine), Games: 40, Cap: 200, Seed: 1})
	for _, g := range r.Groups {
		blocked := find(g.Ends, "end:blocked").Count
		if blocked == 0 || blocked+find(g.Ends, "end:cap").Count != 40 || find(g.Pathologies, "blockade").Count != blocked {
			t.Errorf("%s: blocked %d, ends %+v", g.Name, blocked, g.Ends)
		}
		if g.NoCapture.Count != 40 || g.Passes != 0 {
			t.Errorf("%s: %d games without a capture, %d passes", g.Name, g.NoCapture.Count, g.Passes)
		}
	}
	// The shortest blockade there is comes with the eighth placement: the empty square is at an edge or in a corner with the
	// first player's men elsewhere. Among 120 games it was seen.
	e := r.Find("end:blocked")
	if e == nil || e.Plies != 8 || len(e.Moves) != 8 || !strings.Contains(e.Position, "end=win1:blocked") {
		t.Errorf("shortest blockade: %+v", e)
	}
}

// TestNinePasses: where a blocked player passes, the same games do not end, and go in circles. There are 9!/(4! 4!) = 630
// boards with two players to move, so of 2,992 plies of movement at least 1,732 lead to a position seen before.
func TestNinePasses(t *testing.T) {
	r := run(t, Config{Ruleset: parse(t, nine, "end.blocked=pass", "end.two_passes=ignored"), Games: 5, Cap: 3000, Seed: 1, Replay: 1})
	for _, g := range r.Groups {
		if g.Outcomes.Capped != 5 || find(g.Pathologies, "cycling").Count != 5 || g.Capped.Cycling != 5 || find(g.Pathologies, "recurrence").Count != 5 {
			t.Errorf("%s: %+v", g.Name, g.Pathologies)
		}
		if *g.SeenBefore < 1732./2992 || *g.SeenBefore == 1 || g.MostOften < 3 {
			t.Errorf("%s: seen before %v, most often %d", g.Name, *g.SeenBefore, g.MostOften)
		}
		if g.Passes == 0 || find(g.Pathologies, "blockade").Count == 0 {
			t.Errorf("%s: passes %d, %+v", g.Name, g.Passes, g.Pathologies)
		}
	}
	e := r.Find("blockade")
	if e == nil {
		t.Fatal("no example of a blockade")
	}
	g, err := engine.Compile(parse(t, nine, "end.blocked=pass", "end.two_passes=ignored").Params)
	if err != nil {
		t.Fatal(err)
	}
	s := g.NewState()
	for _, m := range e.Moves {
		a, err := s.Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		s.Play(a)
	}
	if legal := s.Legal(nil); len(legal) != 1 || legal[0] != g.Pass() {
		t.Errorf("the example of a blockade has the legal plies %v", texts(s))
	}
}

// TestCannotMatter: on immune squares no rule of capture can matter; what moves and who begins must.
func TestCannotMatter(t *testing.T) {
	r := run(t, Config{Ruleset: parse(t, nine), Games: 15, Cap: 100, Seed: 1})
	if r.Replayed != 15 {
		t.Fatalf("%d games followed of 15", r.Replayed)
	}
	for _, name := range []string{"capture.axes", "capture.line", "capture.edge", "capture.corner", "capture.corner_pair", "capture.moving_between"} {
		if p := r.parameter(t, name); p.Status != NeverMattered || p.Count != 0 || len(p.Values) == 0 {
			t.Errorf("%s: %s, in %d games", name, p.Status, p.Count)
		}
	}
	for _, name := range []string{"capture.leader", "movement.leaders.range", "binding.removal", "end.no_capture_result"} {
		if p := r.parameter(t, name); p.Status != Meaningless || len(p.Values) != 0 {
			t.Errorf("%s: %s", name, p.Status)
		}
	}
	for _, name := range []string{"board.rows", "pieces.men", "setup.kind"} {
		if p := r.parameter(t, name); p.Status != ChangesStart {
			t.Errorf("%s: %s", name, p.Status)
		}
	}
	// Eight placements, then the other player would be next: in every game, at once.
	p := r.parameter(t, "setup.first_mover")
	ended := find(r.Groups[0].Ends, "end:blocked").Count // not all of these end at ply 8
	if p.Status != Mattered || p.Count != 45 || p.FirstPly == nil || *p.FirstPly != 8 || ended == 0 {
		t.Errorf("setup.first_mover: %+v", p)
	}
	// A placement may be forbidden in the middle from the first ply on.
	if p := r.parameter(t, "setup.forbidden"); p.Count != 45 || *p.FirstPly != 0 {
		t.Errorf("setup.forbidden: %+v", p)
	}
}

// TestUndefined: only what is assumed counts as undefined, and all of it that mattered does.
func TestUndefined(t *testing.T) {
	r := run(t, Config{Ruleset: parse(t, nine), Games: 15, Cap: 100, Seed: 1})
	listed := map[string]Undefined{}
	for _, u := range r.Undefined {
		listed[u.Name] = u
	}
	for _, p := range r.Parameters {
		u, ok := listed[p.Name]
		if want := p.Status == Mattered && p.Certainty == "assumed"; ok != want {
			t.Errorf("%s (%s, %s): undefined %v", p.Name, p.Certainty, p.Status, ok)
		}
		if ok && (u.Count != p.Count || u.States < u.Count || r.Find(u.Key) == nil) {
			t.Errorf("%s: %+v beside %+v", p.Name, u, p)
		}
	}
	if _, ok := listed["movement.men.directions"]; ok || len(listed) == 0 {
		t.Errorf("undefined: %v", r.Undefined)
	}
	if _, ok := listed["end.blocked"]; !ok {
		t.Error("what a blocked player does is assumed and is not listed")
	}
}

// TestFollowAgainstText follows games in another way: two games side by side in notation, from the rules' text forms, and
// compares where they part.
func TestFollowAgainstText(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca"} {
		r := open(t, ref)
		a := &auditor{cfg: Config{Ruleset: r, Games: 1, Cap: 80, Seed: 9, Replay: 1, Workers: 1}, best: map[string]*candidate{}}
		var err error
		if a.base, err = frozen(r); err != nil {
			t.Fatal(err)
		}
		if a.base.Hash() != r.Hash() {
			t.Fatalf("%s: freezing changed the rules", ref)
		}
		if a.game, err = engine.Compile(r.Params); err != nil {
			t.Fatal(err)
		}
		a.hunger = hunger{&a.base.Params}
		if err := a.play(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := a.vary(t.Context()); err != nil {
			t.Fatal(err)
		}
		parted := 0
		for group := range a.games {
			for game, rec := range a.games[group] {
				seen := seeAll(t, r, rec.actions)
				for k := range a.alts {
					alt := &a.alts[k]
					sets := append([]string{rules.ParamNames()[alt.param] + "=" + alt.value}, alt.with...)
					want := -1
					if !alt.start {
						want = partText(t, seen, r, open(t, ref, sets...), rec.actions)
					}
					if got := int(a.found[group][game].alts[k].first); got != want {
						t.Errorf("%s, %s game %d, %v: parts after %d plies, by text after %d", ref, groupNames[group], game, sets, got, want)
					}
					if want >= 0 {
						parted++
					}
				}
			}
		}
		if parted < 40 {
			t.Errorf("%s: only %d games parted from the played ones", ref, parted)
		}
	}
}

// see is everything that can be seen of a state, as text.
func see(t *testing.T, s *engine.State) string {
	t.Helper()
	board := strings.Fields(s.Position())[:3]
	m, l := s.Hand(0)
	n, k := s.Hand(1)
	legal := texts(s)
	slices.Sort(legal)
	reason := strings.Replace(s.Reason().String(), "one-left", "none-left", 1)
	return fmt.Sprint(board, m, l, n, k, s.Over(), s.Outcome(), reason, legal)
}

func begin(t *testing.T, r *rules.Ruleset) *engine.State {
	t.Helper()
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	return g.NewState()
}

func seeAll(t *testing.T, r *rules.Ruleset, actions []engine.Action) []string {
	t.Helper()
	s := begin(t, r)
	out := []string{see(t, s)}
	for _, a := range actions {
		s.Play(a)
		out = append(out, see(t, s))
	}
	return out
}

// partText gives the number of plies after which two rulesets differ in a game of the first, -1 if they never do. seen is
// what can be seen of the first.
func partText(t *testing.T, seen []string, x, y *rules.Ruleset, actions []engine.Action) int {
	t.Helper()
	a, b := begin(t, x), begin(t, y)
	for ply := 0; ; ply++ {
		if seen[ply] != see(t, b) {
			return ply
		}
		if ply == len(actions) {
			return -1
		}
		act, err := b.Parse(a.Format(actions[ply]))
		if err != nil {
			t.Fatal(err)
		}
		a.Play(actions[ply])
		b.Play(act)
	}
}

// TestExamplesReplay: every example's moves lead to its position, and what it says of the difference is so.
func TestExamplesReplay(t *testing.T) {
	r := open(t, "webdux")
	rep := run(t, Config{Ruleset: r, Games: 10, Cap: 400, Seed: 2})
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	play := func(g *engine.Game, moves []string) *engine.State {
		s := g.NewState()
		for _, m := range moves {
			a, err := s.Parse(m)
			if err != nil {
				t.Fatal(err)
			}
			s.Play(a)
		}
		return s
	}
	differences := map[string]int{}
	for _, e := range rep.Examples {
		if len(e.Moves) != e.Plies {
			t.Errorf("%s: %d moves of %d", e.Key, len(e.Moves), e.Plies)
		}
		s := play(g, e.Moves)
		if p, _, _ := strings.Cut(s.Position(), " seen="); p != e.Position {
			t.Errorf("%s: the moves lead to %s, not to %s", e.Key, p, e.Position)
		}
		if e.Difference == nil {
			continue
		}
		differences[e.Difference.Kind]++
		set, rest, _ := strings.Cut(e.Difference.Rule, " (with ")
		sets := []string{strings.Replace(set, "=none", "=", 1)}
		if rest != "" {
			sets = append(sets, strings.TrimSuffix(rest, ")"))
		}
		other, err := r.With(sets...)
		if err != nil {
			sets[0] = set // a value that is really called none
			other = open(t, "webdux", sets...)
		}
		og, err := engine.Compile(other.Params)
		if err != nil {
			t.Fatal(err)
		}
		o := play(og, e.Moves)
		switch e.Difference.Kind {
		case "legal":
			if x, y := without(texts(s), texts(o)), without(texts(o), texts(s)); !slices.Equal(x, e.Difference.OnlyAsPlayed) || !slices.Equal(y, e.Difference.OnlyAltered) || len(x)+len(y) == 0 {
				t.Errorf("%s: only as played %v, only altered %v", e.Key, x, y)
			}
		case "effect":
			if strings.Fields(s.Position())[0] == strings.Fields(o.Position())[0] || len(e.Difference.Squares) == 0 {
				t.Errorf("%s: the boards are the same", e.Key)
			}
		case "turn":
			if s.ToMove() == o.ToMove() && s.Phase() == o.Phase() {
				t.Errorf("%s: the same player is next", e.Key)
			}
		case "end":
			if s.Outcome() == o.Outcome() && s.Reason() == o.Reason() {
				t.Errorf("%s: both ended alike", e.Key)
			}
		}
	}
	for _, kind := range []string{"legal", "effect", "end"} {
		if differences[kind] == 0 {
			t.Errorf("no example differs by %s", kind)
		}
	}
}

// TestWorkers: the report is the same, to the byte, whatever the number of workers.
func TestWorkers(t *testing.T) {
	var want []byte
	for _, workers := range []int{1, 2, 5} {
		calls := map[string]int{}
		rep := run(t, Config{Ruleset: open(t, "luductus"), Games: 6, Cap: 120, Seed: 4, Replay: 3, Workers: workers,
			Progress: func(stage string, done, _ int) { calls[stage] += done }})
		got, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers give another report", workers)
		}
		if !reflect.DeepEqual(calls, map[string]int{"games": 18, "games under other rules": 9}) {
			t.Errorf("progress: %v", calls)
		}
	}
	other, err := json.Marshal(run(t, Config{Ruleset: open(t, "luductus"), Games: 6, Cap: 120, Seed: 5, Replay: 3}))
	if err != nil || bytes.Equal(other, want) {
		t.Errorf("another seed gives the same report (%v)", err)
	}
}

// TestHunger: who can capture, worked out by hand.
func TestHunger(t *testing.T) {
	type side = forces
	for _, c := range []struct {
		sets    string
		me, foe side
		take    bool
		win     bool
	}{
		{"", side{men: 2}, side{men: 1}, true, true},
		{"", side{men: 1}, side{men: 5}, false, false},
		{"capture.corner=hostile", side{men: 1}, side{men: 5}, true, true},
		{"capture.edge=hostile", side{men: 1}, side{men: 5}, true, true},
		// Edges and corners work along rows and files only.
		{"capture.edge=hostile capture.axes=diagonal", side{men: 1}, side{men: 5}, false, false},
		{"capture.corner_pair=true", side{men: 1}, side{men: 5}, false, false},
		{"end.annihilation=none", side{men: 4}, side{men: 4}, true, false},
		// Exactly one: two men taken at once leave none, and a side below one is past it.
		{"end.annihilation_at=1 end.annihilation_exact=true", side{men: 4}, side{men: 2}, true, true},

		{"leader", side{men: 1, leaders: 1}, side{men: 2}, true, true},
		{"leader capture.leader_as_captor=none", side{men: 1, leaders: 1}, side{men: 2}, false, false},
		{"leader capture.leader_as_captor=standing", side{men: 1, leaders: 1}, side{men: 2}, true, true},
		{"leader capture.leader_as_captor=standing", side{leaders: 1}, side{men: 2}, false, false},
		{"leader capture.leader_as_captor=standing capture.corner=hostile", side{leaders: 1}, side{men: 2}, false, false},
		{"leader capture.leader_as_captor=arriving capture.corner=hostile", side{leaders: 1}, side{men: 2}, true, true},
		// A leader that cannot be taken is never taken, and is a piece that counts.
		{"leader capture.leader=immune", side{men: 5}, side{leaders: 1}, false, false},
		{"leader capture.leader=immune", side{men: 5}, side{men: 3, leaders: 1}, true, false},
		{"leader capture.leader=immune end.annihilation=men", side{men: 5}, side{men: 3, leaders: 1}, true, true},
		{"leader capture.leader=immune end.annihilation_at=1", side{men: 5}, side{men: 3, leaders: 1}, true, true},
		// Surrounding: two pieces suffice in a corner, of whatever kind.
		{"leader capture.leader=surrounded end.leader_captured=loses capture.leader_as_captor=none", side{men: 1, leaders: 1}, side{leaders: 1}, true, true},
		{"leader capture.leader=surrounded end.leader_captured=loses", side{men: 1}, side{leaders: 1}, false, false},
		{"leader capture.leader=as-man end.leader_captured=loses end.annihilation=none", side{men: 2}, side{men: 9, leaders: 1}, true, true},

		{"bind", side{men: 1}, side{men: 4, bound: 1}, true, true},
		{"bind", side{men: 1}, side{men: 4}, false, false},
		{"bind binding.removal=none binding.removal_number=none", side{men: 1}, side{men: 4, bound: 1}, false, false},
	} {
		sets := strings.Fields(c.sets)
		p := rules.Neutral()
		set := func(sets ...string) {
			for _, s := range sets {
				name, value, _ := strings.Cut(s, "=")
				if err := p.Set(name, value); err != nil {
					t.Fatal(err)
				}
			}
		}
		set("board.rows=8", "board.cols=8", "pieces.men=9", "movement.men.range=step")
		if len(sets) > 0 && sets[0] == "leader" {
			set("pieces.leaders=1", "setup.leader=last", "movement.leaders.range=step", "movement.leaders.directions=orthogonal", "capture.leader=as-man")
			sets = sets[1:]
		} else if len(sets) > 0 && sets[0] == "bind" {
			set("capture.effect=bind", "binding.removal=instead-of-move", "binding.removal_number=one")
			sets = sets[1:]
		}
		set(sets...)
		if problems := p.Validate(); len(problems) > 0 {
			t.Fatalf("%s: %v", c.sets, problems)
		}
		h := hunger{&p}
		if got := h.canTake(c.me, c.foe); got != c.take {
			t.Errorf("%q: %+v against %+v: can take %v", c.sets, c.me, c.foe, got)
		}
		if got := h.winsByTaking(c.me, c.foe); got != c.win {
			t.Errorf("%q: %+v against %+v: can win by taking %v", c.sets, c.me, c.foe, got)
		}
	}
}

// TestStarvedNeverCaptures: in no played game is anything taken after neither side could take.
func TestStarvedNeverCaptures(t *testing.T) {
	r := open(t, "kowalski-8x12")
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(g, hunger{&r.Params})
	starved := 0
	for game := range 12 {
		rec, err := w.play(t.Context(), 1, greedyGames, game, 700)
		if err != nil {
			t.Fatal(err)
		}
		if rec.bothStarv < 0 {
			continue
		}
		starved++
		s := g.NewState()
		for i, a := range rec.actions {
			s.Play(a)
			if i >= rec.bothStarv && len(s.LastEffects().Captured) > 0 {
				t.Fatalf("greedy game %d captures at ply %d, starved from %d on", game, i+1, rec.bothStarv)
			}
		}
	}
	if starved == 0 {
		t.Error("no game was starved; the test shows nothing")
	}
}

// TestAlternatives: neighbours, doubles and none of numbers, every word, and the companion that a value needs.
func TestAlternatives(t *testing.T) {
	r := open(t, "bell-8x7", "bonus.piece=any")
	base, err := frozen(r)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Compile(base.Params)
	if err != nil {
		t.Fatal(err)
	}
	labels := func(name string) []string {
		i := slices.Index(rules.ParamNames(), name)
		alts, _, err := alternatives(base, r.Readings, g, i)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, a := range alts {
			out = append(out, strings.TrimPrefix(a.label(name), name))
		}
		return out
	}
	for name, want := range map[string][]string{
		"end.no_capture_limit": {"=29", "=31", "=60", "=0"},
		"capture.corner":       {"=neutral", "=hostile-unless-own"},
		// An override beside it (bonus.piece) does not stand in the way.
		"bonus.after":                     {"=none"},
		"movement.leaders.hop_over":       {"=own-free,enemy-free", "=none", "=enemy-free,own-men"},
		"movement.men.hop_over":           {"=own-free (with movement.men.hop_directions=orthogonal)", "=enemy-free (with movement.men.hop_directions=orthogonal)", "=own-men (with movement.men.hop_directions=orthogonal)"},
		"movement.men.hop_length":         nil,
		"end.turn_limit":                  nil,
		"movement.leaders.hop_chain":      {"=true (with bonus.after=none)"},
		"end.two_passes":                  {"=ignored"},
		"setup.zone":                      {"=own-rows (with setup.zone_rows=3)"},
		"movement.leaders.hop_directions": {"=diagonal", "=all"},
	} {
		if got := labels(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestGolden keeps the text form, on games small enough to be read.
func TestGolden(t *testing.T) {
	rep := run(t, Config{Ruleset: parse(t, nine), Games: 20, Cap: 60, Seed: 1})
	var b bytes.Buffer
	if err := rep.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
	b.WriteString("\n----\n\n")
	if err := rep.Find("end:blocked").WriteText(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n----\n\n")
	if err := WriteTable(&b, []*Report{rep}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "nine.txt")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("the text is not that of %s; if that is meant, run go test ./experiments/audit -run TestGolden -update. It is:\n%s", path, b.String())
	}
}

// TestPage: the page that explains the audit shows the tables as they are written, and the words for what a parameter did.
func TestPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteTable(&b, nil); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(string(page), "\n"+line) {
			t.Errorf("docs/audit.md lacks the line %q", line)
		}
	}
	for _, status := range []string{Mattered, NeverMattered, Meaningless, NotVaried} {
		if !strings.Contains(string(page), status) {
			t.Errorf("docs/audit.md does not explain %q", status)
		}
	}
}

func TestConfig(t *testing.T) {
	bell := open(t, "bell-8x7")
	for _, c := range []Config{
		{},
		{Ruleset: bell, Games: -1},
		{Ruleset: bell, Games: MaxGames + 1},
		{Ruleset: bell, Cap: -1},
		{Ruleset: bell, Cap: MaxCap + 1},
		{Ruleset: bell, Games: MaxGames, Cap: MaxCap},
		{Ruleset: bell, Games: 5, Replay: 6},
		{Ruleset: bell, Replay: -1},
	} {
		if _, err := Run(t.Context(), c); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Config{Ruleset: bell, Games: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
