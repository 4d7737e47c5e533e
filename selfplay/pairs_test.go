package selfplay

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
	"latro/mcts"
)

func match(t *testing.T) MatchConfig {
	rs, _ := envtest.Open(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4")
	return MatchConfig{
		Ruleset: rs, A: mcts.Spec{Kind: "greedy"}, B: mcts.Spec{Kind: "random"},
		Pairs: 20, OpeningPlies: 4, MaxPlies: 200, Seed: 3,
	}
}

func TestMatchDoesNotDependOnWorkersOrBatch(t *testing.T) {
	c := match(t)
	var results []MatchResult
	for _, w := range []struct{ workers, batch int }{{1, 16}, {3, 4}, {2, 1}} {
		c.Workers, c.Batch = w.workers, w.batch
		r, err := Play(t.Context(), c, new(Agents).New)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for _, r := range results[1:] {
		if !reflect.DeepEqual(r, results[0]) {
			t.Error("another number of workers gave another match")
		}
	}
}

// A match played in parts is the match.
func TestMatchInParts(t *testing.T) {
	c := match(t)
	whole, err := Play(t.Context(), c, new(Agents).New)
	if err != nil {
		t.Fatal(err)
	}
	var parts MatchResult
	for first := 0; first < c.Pairs; first += 7 {
		part := c
		part.FirstPair, part.Pairs = first, min(7, c.Pairs-first)
		r, err := Play(t.Context(), part, new(Agents).New)
		if err != nil {
			t.Fatal(err)
		}
		parts.Pairs = append(parts.Pairs, r.Pairs...)
	}
	if !reflect.DeepEqual(parts, whole) {
		t.Error("a match that was played in parts is another match")
	}
}

func TestRepeatedPairsCountOnce(t *testing.T) {
	c := match(t)
	c.OpeningPlies, c.MaxPlies = 1, 1
	r, err := Play(t.Context(), c, new(Agents).New)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Distinct()
	// One random ply on a board of 25 squares has fewer results than there are pairs.
	if n := len(d.Pairs); n < 1 || n >= len(r.Pairs) || d.Pairs[0].Pair != 0 {
		t.Fatalf("%d of %d pairs are different", n, len(r.Pairs))
	}
	if d.Tally().Unique != r.Tally().Unique {
		t.Errorf("%d different games among the different pairs, %d among all", d.Tally().Unique, r.Tally().Unique)
	}
	if again := d.Distinct(); !reflect.DeepEqual(again, d) {
		t.Error("different pairs are said to be repeated")
	}
}

// The two games of a pair share their opening, and the agents change over.
func TestPairsAreColourBalanced(t *testing.T) {
	c := match(t)
	r, err := Play(t.Context(), c, new(Agents).New)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Pairs) != c.Pairs {
		t.Fatalf("%d pairs", len(r.Pairs))
	}
	for _, p := range r.Pairs {
		a, b := p.Games[0], p.Games[1]
		if a.Agent0 != "greedy" || a.Agent1 != "random" || b.Agent0 != "random" || b.Agent1 != "greedy" {
			t.Errorf("pair %d: %s-%s and %s-%s", p.Pair, a.Agent0, a.Agent1, b.Agent0, b.Agent1)
		}
		if !reflect.DeepEqual(a.Moves[:c.OpeningPlies], b.Moves[:c.OpeningPlies]) {
			t.Errorf("pair %d: openings differ", p.Pair)
		}
	}
	tally := r.Tally()
	if tally.Games() != 2*c.Pairs {
		t.Errorf("tally %+v", tally)
	}
	mean := 0.0
	for _, s := range r.PairScores() {
		mean += s / float64(c.Pairs)
	}
	if d := mean - tally.Score(); d > 1e-12 || d < -1e-12 {
		t.Errorf("pairs score %v, games %v", mean, tally.Score())
	}
	// Taking what can be taken beats drawing lots: 40 games won with probability one half would give a
	// score of 0.75 or more with probability 0.001.
	if tally.Score() < 0.75 {
		t.Errorf("greedy scores %v against random", tally.Score())
	}
}

// A finished game's moves replay to its outcome, and counts agree with the moves.
func TestRecordedGamesReplay(t *testing.T) {
	c := match(t)
	r, err := Play(t.Context(), c, new(Agents).New)
	if err != nil {
		t.Fatal(err)
	}
	_, game := envtest.Open(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4")
	for _, p := range r.Pairs {
		for _, row := range p.Games {
			s := game.NewState()
			var captures, arrivals, turns int
			last := -1
			for _, m := range row.Moves {
				if s.ToMove() != last {
					turns++
					last = s.ToMove()
				}
				if err := s.TryPlay(engine.Action(m)); err != nil {
					t.Fatal(err)
				}
				captures += len(s.LastEffects().Captured)
			}
			for _, n := range row.Arrivals {
				arrivals += int(n)
			}
			want := s.Outcome().String()
			if !s.Over() {
				want = "capped"
			}
			if row.Outcome != want || captures != int(row.Captures0+row.Captures1) || int(row.Plies) != len(row.Moves) || int(row.Turns) != turns {
				t.Errorf("game %d: recorded %s with %d captures, replayed %s with %d", row.GameID, row.Outcome, row.Captures0+row.Captures1, want, captures)
			}
			if total := 2 * 5; int(row.FinalPieces0+row.FinalPieces1)+captures != total {
				t.Errorf("game %d: %d pieces left and %d taken of %d", row.GameID, row.FinalPieces0+row.FinalPieces1, captures, total)
			}
			if arrivals == 0 {
				t.Errorf("game %d has no arrivals", row.GameID)
			}
		}
	}
}

func TestCancelledMatchKeepsFinishedPairs(t *testing.T) {
	c := match(t)
	c.Workers, c.Batch = 1, 2
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	c.Done = func(PairResult) {
		if seen++; seen == 4 {
			cancel()
		}
	}
	r, err := Play(ctx, c, new(Agents).New)
	if !errors.Is(err, context.Canceled) || len(r.Pairs) != 4 {
		t.Errorf("%d pairs, %v", len(r.Pairs), err)
	}
}

func TestAgentErrorsAreInputErrors(t *testing.T) {
	rs, game := envtest.Open(t, "bell-8x7+capture.corner=neutral")
	for _, text := range []string{"rendom", "uct:simulation=3", "uct:simulations=0", "net:simulations=3", "net:path=shipped:nosuch", "net:path=missing.latro", "net:path=a,run=b", "net:run=."} {
		spec, err := mcts.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := new(Agents).New(spec, game, rs.Hash()); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
