package engine_test

import (
	"slices"
	"testing"

	"latro/env/engine"
)

// full is a board of classic Seega with all squares but the centre filled. Player 0 holds the four squares around
// the centre, so that player 1 is shut in; behind b3 and d3 stand stones of player 1, behind c2 and c4 do not.
const full = "a a1 c1 e1 b2 c2 d2 b3 d3 b4 c4 d4 c5; b b1 d1 a2 e2 a3 e3 a4 e4 a5 b5 d5 e5"

// In placement the centre stays empty and nothing is captured; the men come down in pairs, and who placed last moves
// first.
func TestClassicSeegaPlacement(t *testing.T) {
	for _, ref := range []string{"seega-classic-5x5", "seega-classic-7x7"} {
		g := traceGame(t, ref)
		s := g.NewState()
		n := 0
		for ; s.Phase() == engine.Placement; n++ {
			plies := legal(s)
			if centre := map[int]string{5: "@c3", 7: "@d4"}[g.Rows()]; slices.Contains(plies, centre) || len(plies) != g.Squares()-1-n {
				t.Fatalf("%s: ply %d may be %v", ref, n+1, plies)
			}
			if want := n / 2 % 2; int(s.ToMove()) != want {
				t.Fatalf("%s: player %d places the man of ply %d", ref, s.ToMove(), n+1)
			}
			play(t, s, plies[0])
		}
		if n != g.Squares()-1 || s.ToMove() != 1 {
			t.Errorf("%s: %d men placed, then player %d moves", ref, n, s.ToMove())
		}
	}
	if s := traceGame(t, "seega-classic-5x5@first-placer-moves").NewState(); s != nil {
		for s.Phase() == engine.Placement {
			play(t, s, legal(s)[0])
		}
		if s.ToMove() != 0 {
			t.Error("first-placer-moves: the last placer moves")
		}
	}
}

// A player who cannot move passes, and of the other's plies only those that open a way are left.
func TestClassicSeegaOpensAWay(t *testing.T) {
	s := put(t, "seega-classic-5x5", 1, full)
	wantPlies(t, "shut in", legal(s), "--")
	play(t, s, "--")
	wantPlies(t, "after the pass", legal(s), "b3-c3", "d3-c3")
	play(t, s, "b3-c3")
	wantPlies(t, "the way that was opened", legal(s), "a3-b3")

	// Without the pass the same player may do as he likes.
	wantPlies(t, "nobody is blocked", legal(put(t, "seega-classic-5x5", 0, full)), "b3-c3", "c2-c3", "c4-c3", "d3-c3")

	s = put(t, "seega-classic-5x5@blocked-passes", 1, full)
	play(t, s, "--")
	wantPlies(t, "nobody owes a way", legal(s), "b3-c3", "c2-c3", "c4-c3", "d3-c3")

	s = put(t, "seega-classic-5x5@blocked-loses", 0, full)
	play(t, s, "c2-c3")
	if s.Outcome() != engine.Win0 || s.Reason() != engine.Blocked {
		t.Errorf("shut in: %s by %s", s.Outcome(), s.Reason())
	}
}

// A stone that captured goes on as long as it captures, and only so.
func TestClassicSeegaCapturesOn(t *testing.T) {
	const chance = "a b1 d2 b5 e5 e3; b c2 b4 e4 a4"
	s := put(t, "seega-classic-5x5", 0, chance)
	play(t, s, "b1-b2")
	wantBoard(t, s, "c2 . b2 a")
	wantPlies(t, "after the first capture", legal(s), "b2-b3", "--")
	play(t, s, "b2-b3")
	wantBoard(t, s, "b4 .")
	if s.ToMove() != 1 {
		t.Error("the turn goes on though nothing more can be captured")
	}

	s = put(t, "seega-classic-5x5@bonus-compulsory", 0, chance)
	play(t, s, "b1-b2")
	wantPlies(t, "bonus-compulsory", legal(s), "b2-b3")

	s = put(t, "seega-classic-5x5@one-capture-a-turn", 0, chance)
	play(t, s, "b1-b2")
	if s.ToMove() != 1 {
		t.Error("one-capture-a-turn: the turn goes on")
	}

	// Another stone could capture: from c5 on c4, with a4.
	const other = "a b1 d2 a4 c5; b c2 b4 e1"
	s = put(t, "seega-classic-5x5", 0, other)
	play(t, s, "b1-b2")
	if s.ToMove() != 1 {
		t.Errorf("another stone may capture: %v", legal(s))
	}
	s = put(t, "seega-classic-5x5@bonus-any-piece", 0, other)
	play(t, s, "b1-b2")
	wantPlies(t, "bonus-any-piece", legal(s), "c5-c4", "--")

	s = put(t, "seega-classic-5x5@bonus-free-move", 0, other)
	play(t, s, "b1-b2")
	if plies := legal(s); s.ToMove() != 0 || !slices.Contains(plies, "d2-d1") || !slices.Contains(plies, "--") {
		t.Errorf("bonus-free-move: %v", plies)
	}
}

// Nothing is captured on the centre, but a stone there captures.
func TestClassicSeegaCentre(t *testing.T) {
	const between = "a b3 d2 e5; b c3 a1"
	s := put(t, "seega-classic-5x5", 0, between)
	play(t, s, "d2-d3")
	wantBoard(t, s, "c3 b")
	s = put(t, "seega-classic-5x5@centre-capturable", 0, between)
	play(t, s, "d2-d3")
	wantBoard(t, s, "c3 .")
	s = put(t, "seega-classic-5x5", 0, "a c3 b5 e5; b c4 a1")
	play(t, s, "b5-c5")
	wantBoard(t, s, "c4 .")
}

// All stones must be captured; in one reading a single one has lost.
func TestClassicSeegaEnds(t *testing.T) {
	const two = "a b1 d2 e5; b c2 a4"
	s := put(t, "seega-classic-5x5", 0, two)
	play(t, s, "b1-b2")
	if s.Over() {
		t.Error("a stone is left, and the game is over")
	}
	s = put(t, "seega-classic-5x5@one-left-loses", 0, two)
	play(t, s, "b1-b2")
	if s.Outcome() != engine.Win0 {
		t.Error("one-left-loses: a stone is left, and the game goes on")
	}
	s = put(t, "seega-classic-5x5", 0, "a b1 d2; b c2")
	play(t, s, "b1-b2")
	if s.Outcome() != engine.Win0 || s.Reason() != engine.NoneLeft {
		t.Errorf("no stone left: %s by %s", s.Outcome(), s.Reason())
	}
	s = put(t, "seega-classic-5x5@barriers-count", 0, "a a1 b1 e5; b c5 a4", quiet(19)...)
	play(t, s, "a1-a2")
	if s.Outcome() != engine.Win0 || s.Reason() != engine.NoCaptureLimit {
		t.Errorf("barriers-count: %s by %s", s.Outcome(), s.Reason())
	}
}
