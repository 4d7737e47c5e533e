package engine_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

// The tests in this file prove one sentence of a source text each; docs/rules-trace.md names them. They set up
// small positions and look at what the rules allow and do there.

// traceGame compiles a ruleset by its reference.
func traceGame(t *testing.T, ref string) *engine.Game {
	t.Helper()
	r, err := rules.Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	if change := os.Getenv(traceChange); change != "" && r.Ref() == r.ID {
		r = changed(t, r, change)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// put sets up a position of the movement phase: pieces is a list such as "a c3 e4; b d3", the letters being those
// of the position string; extra are further fields of that string.
func put(t *testing.T, ref string, mover int, pieces string, extra ...string) *engine.State {
	t.Helper()
	g := traceGame(t, ref)
	cells := make([]string, g.Squares())
	for group := range strings.SplitSeq(pieces, ";") {
		words := strings.Fields(group)
		for _, name := range words[1:] {
			cells[square(t, g, name)] = words[0]
		}
	}
	var b strings.Builder
	for row := g.Rows() - 1; row >= 0; row-- {
		gap := 0
		for col := range g.Cols() {
			c := cells[row*g.Cols()+col]
			if c == "" {
				gap++
				continue
			}
			if gap > 0 {
				fmt.Fprint(&b, gap)
			}
			gap = 0
			b.WriteString(c)
		}
		if gap > 0 {
			fmt.Fprint(&b, gap)
		}
		if row > 0 {
			b.WriteByte('/')
		}
	}
	fmt.Fprintf(&b, " %d movement", mover)
	for _, x := range extra {
		b.WriteString(" " + x)
	}
	s, err := g.ParsePosition(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quiet gives the fields of a position after n plies without capture.
func quiet(n int) []string { return []string{fmt.Sprintf("quiet=%d", n), "ply=200", "turn=150"} }

func square(t *testing.T, g *engine.Game, name string) int {
	t.Helper()
	row, col, err := rules.ParseSquare(name, g.Rows(), g.Cols())
	if err != nil {
		t.Fatal(err)
	}
	return row*g.Cols() + col
}

// play makes plies, which must be legal.
func play(t *testing.T, s *engine.State, plies ...string) {
	t.Helper()
	for _, text := range plies {
		a, err := s.Parse(text)
		if err != nil {
			t.Fatalf("%v; legal are %v", err, legal(s))
		}
		s.Play(a)
	}
}

// legal lists the legal plies.
func legal(s *engine.State) []string {
	var out []string
	for _, a := range s.Legal(nil) {
		out = append(out, s.Format(a))
	}
	return out
}

// from lists the legal plies that begin at one square.
func from(s *engine.State, name string) []string {
	var out []string
	for _, ply := range legal(s) {
		if strings.HasPrefix(ply, name) {
			out = append(out, ply)
		}
	}
	slices.Sort(out)
	return out
}

func wantPlies(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// wantBoard checks squares: "d3 . e3 a".
func wantBoard(t *testing.T, s *engine.State, squares string) {
	t.Helper()
	words := strings.Fields(squares)
	for i := 0; i+1 < len(words); i += 2 {
		if got := string(s.At(square(t, s.Game(), words[i])).Rune()); got != words[i+1] {
			t.Errorf("%s holds %s, want %s", words[i], got, words[i+1])
		}
	}
}

func wantMover(t *testing.T, s *engine.State, mover int) {
	t.Helper()
	if s.Over() || s.ToMove() != mover {
		t.Errorf("player %d is to move (over %v), want player %d", s.ToMove(), s.Over(), mover)
	}
}

func wantEnd(t *testing.T, s *engine.State, outcome, reason string) {
	t.Helper()
	if s.Outcome().String() != outcome || s.Reason().String() != reason {
		t.Errorf("the game stands at %s %q, want %s %q", s.Outcome(), s.Reason(), outcome, reason)
	}
}

func wantLegal(t *testing.T, s *engine.State, ply string, want bool) {
	t.Helper()
	if got := slices.Contains(legal(s), ply); got != want {
		t.Errorf("%s legal: %v, want %v; legal are %v", ply, got, want, legal(s))
	}
}

// placeAll plays placements until the movement phase, men first where there is a choice, and returns the plies of
// each player.
func placeAll(t *testing.T, s *engine.State) (by [2][]string) {
	t.Helper()
	for s.Phase() != engine.Movement {
		plies := legal(s)
		p := s.ToMove()
		by[p] = append(by[p], plies[0])
		play(t, s, plies[0])
	}
	return by
}

// Bell 8x7.

func TestRule_bell_Board(t *testing.T) {
	g := traceGame(t, "bell-8x7")
	if g.Rows() != 8 || g.Cols() != 7 {
		t.Errorf("%d rows, %d columns", g.Rows(), g.Cols())
	}
}

func TestRule_bell_Pieces(t *testing.T) {
	s := traceGame(t, "bell-8x7").NewState()
	for p := range 2 {
		if men, leaders := s.Hand(p); men != 16 || leaders != 1 {
			t.Errorf("player %d has %d men and %d leaders", p, men, leaders)
		}
	}
}

func TestRule_bell_PlacementByTwos(t *testing.T) {
	s := traceGame(t, "bell-8x7").NewState()
	if n := len(legal(s)); n != 56 {
		t.Errorf("%d placements at first, want one on each of 56 squares", n)
	}
	for i, ply := range []string{"@a1", "@g8", "@d4", "@e5", "@a8", "@b8", "@c8"} {
		if want := i / 2 % 2; s.ToMove() != want {
			t.Errorf("ply %d: player %d places, want %d", i, s.ToMove(), want)
		}
		play(t, s, ply)
	}
}

func TestRule_bell_NoCaptureWhilePlacing(t *testing.T) {
	s := traceGame(t, "bell-8x7").NewState()
	play(t, s, "@c3", "@a8", "@d3", "@b8", "@e3")
	wantBoard(t, s, "c3 a d3 b e3 a")
	// Nor later: the enclosure that arose is no capture when other pieces move.
	s = put(t, "bell-8x7", 0, "a c3 e3 a1; b d3 g8")
	play(t, s, "a1-a2")
	wantBoard(t, s, "d3 b")
}

func TestRule_bell_DuxLast(t *testing.T) {
	s := traceGame(t, "bell-8x7").NewState()
	for range 32 {
		for _, ply := range legal(s) {
			if strings.HasPrefix(ply, "@@") {
				t.Fatalf("a dux may be placed before all men stand: %s", ply)
			}
		}
		play(t, s, legal(s)[0])
	}
	for p := range 2 {
		wantMover(t, s, p)
		if ply := legal(s)[0]; !strings.HasPrefix(ply, "@@") {
			t.Errorf("player %d places %s, want a dux", p, ply)
		}
		play(t, s, legal(s)[0])
	}
	wantMover(t, s, 0)
	if s.Phase() != engine.Movement {
		t.Error("the placement phase is not over")
	}
}

func TestRule_bell_OneStep(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a d4; b g8")
	wantPlies(t, "a man in the open", legal(s), "d4-d5", "d4-d3", "d4-c4", "d4-e4")
	s = put(t, "bell-8x7", 0, "A d4; b g8")
	wantPlies(t, "the dux in the open", legal(s), "d4-d5", "d4-d3", "d4-c4", "d4-e4")
	s = put(t, "bell-8x7", 0, "a d4 c4; b d5 g8")
	wantPlies(t, "a man beside others", from(s, "d4"), "d4-d3", "d4-e4")
}

func TestRule_bell_CaptureBetweenTwo(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3 e4; b d3 g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "d3 .")
	s = put(t, "bell-8x7", 0, "a c2 d4; b c3 g8")
	play(t, s, "d4-c4")
	wantBoard(t, s, "c3 .")
	s = put(t, "bell-8x7", 0, "a b2 d5; b c3 g8")
	play(t, s, "d5-d4")
	wantBoard(t, s, "c3 b") // not on a diagonal
	s = put(t, "bell-8x7", 0, "a b3 e4; b c3 d3 g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "c3 b d3 b") // not two at once
}

func TestRule_bell_CornerCapturesSideDoesNot(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c2; b b1 g8")
	play(t, s, "c2-c1")
	wantBoard(t, s, "b1 .")
	s = put(t, "bell-8x7", 0, "a b3; b a4 g8")
	play(t, s, "b3-b4")
	wantBoard(t, s, "a4 b")
	// A19: whatever stands on the corner, unless the reading says otherwise.
	s = put(t, "bell-8x7", 0, "a c2; b a1 b1 g8")
	play(t, s, "c2-c1")
	wantBoard(t, s, "a1 b b1 .")
	s = put(t, "bell-8x7@corner-not-own", 0, "a c2; b a1 b1 g8")
	play(t, s, "c2-c1")
	wantBoard(t, s, "a1 b b1 b")
	// A piece on a corner is safe.
	s = put(t, "bell-8x7", 0, "a b1 a3; b a1 g8")
	play(t, s, "a3-a2")
	wantBoard(t, s, "a1 b")
}

func TestRule_bell_DuxCapturedLikeAnyPiece(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3 e4; B d3; b g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "d3 .")
	if !s.LastEffects().CapturedLeader {
		t.Error("the capture of the dux is not reported")
	}
	wantEnd(t, s, "ongoing", "") // A22: its loss does not lose
	s = put(t, "bell-8x7@dux-lost-loses", 0, "a c3 e4; B d3; b g8")
	play(t, s, "e4-e3")
	wantEnd(t, s, "win0", "leader-captured")
}

func TestRule_bell_DuxCaptures(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3; A e4; b d3 g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "d3 .")
	s = put(t, "bell-8x7", 0, "A c3; a e4; b d3 g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "d3 .")
}

func TestRule_bell_SecondMove(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3 e4 d1; b d3 d2 g8")
	play(t, s, "e4-e3")
	wantMover(t, s, 0)
	wantPlies(t, "after the capture", legal(s), "e3-d3", "e3-e2", "e3-e4", "e3-f3", "--")
	play(t, s, "e3-d3") // captures d2 and earns another
	wantBoard(t, s, "d2 .")
	wantMover(t, s, 0)
	play(t, s, "--")
	wantMover(t, s, 1)
	// A18: the other readings.
	s = put(t, "bell-8x7@bonus-compulsory", 0, "a c3 e4 d1; b d3 g8")
	play(t, s, "e4-e3")
	wantLegal(t, s, "--", false)
	s = put(t, "bell-8x7@bonus-any-piece", 0, "a c3 e4 d1; b d3 g8")
	play(t, s, "e4-e3")
	wantLegal(t, s, "d1-d2", true)
	s = put(t, "bell-8x7@bonus-must-capture", 0, "a c3 e4 d1; b d3 g8")
	play(t, s, "e4-e3")
	wantMover(t, s, 1)
}

func TestRule_bell_DuxJumps(t *testing.T) {
	s := put(t, "bell-8x7", 0, "A d4; a c4 f6; b d5 e3 f7 g8")
	wantPlies(t, "the dux", from(s, "d4"), "d4-d3", "d4-e4", "d4^d6")
	wantLegal(t, s, "f6^f8", false) // a man does not jump
	s = put(t, "bell-8x7", 0, "A d4; b d5 d6 g8")
	wantLegal(t, s, "d4^d6", false) // no room behind
	wantLegal(t, s, "d4^d7", false) // not over two
}

func TestRule_bell_JumpedPieceStays(t *testing.T) {
	s := put(t, "bell-8x7", 0, "A d4; b d5 g8")
	play(t, s, "d4^d6")
	wantBoard(t, s, "d4 . d5 b d6 A")
	wantMover(t, s, 1)
}

func TestRule_bell_MovingBetweenIsSafe(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a d4 a1; b c3 e3")
	play(t, s, "d4-d3")
	wantBoard(t, s, "d3 a")
	wantMover(t, s, 1)
}

func TestRule_bell_LosingAllLoses(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3 e4; b d3")
	play(t, s, "e4-e3")
	wantEnd(t, s, "win0", "none-left")
	s = put(t, "bell-8x7", 0, "a c3 e4; b d3; B g8")
	play(t, s, "e4-e3")
	wantEnd(t, s, "ongoing", "") // the dux is a piece
	s = put(t, "bell-8x7", 0, "a f8 e8 g7 g6 a1; b d4; B g8")
	play(t, s, "a1-a2")
	wantEnd(t, s, "ongoing", "") // nor does a dux that cannot move lose
}

func TestRule_bell_ThirtyMoves(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3 e5; b g8", quiet(28)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "ongoing", "")
	play(t, s, "g8-g7")
	wantEnd(t, s, "win0", "no-capture-limit")
	s = put(t, "bell-8x7@sixty-plies", 0, "a c3 e5; b g8", quiet(29)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "ongoing", "")
	s = put(t, "bell-8x7", 0, "a c3 e4; b d3 g8 f8", quiet(29)...)
	play(t, s, "e4-e3")
	if s.Quiet() != 0 {
		t.Errorf("%d quiet plies after a capture", s.Quiet())
	}
}

func TestRule_bell_EqualPiecesDraw(t *testing.T) {
	s := put(t, "bell-8x7", 0, "a c3; b g8", quiet(29)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "draw", "no-capture-limit")
	s = put(t, "bell-8x7@tie-player-1", 0, "a c3; b g8", quiet(29)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "win1", "no-capture-limit")
}

// Locus Ludi Seneca.

func TestRule_seneca_BoardAndPieces(t *testing.T) {
	g := traceGame(t, "locus-ludi-seneca")
	s := g.NewState()
	men, leaders := s.Hand(1)
	if g.Rows() != 8 || g.Cols() != 8 || men != 20 || leaders != 0 {
		t.Errorf("%d rows, %d columns, %d men, %d leaders", g.Rows(), g.Cols(), men, leaders)
	}
}

func TestRule_seneca_PlacementByTurns(t *testing.T) {
	s := traceGame(t, "locus-ludi-seneca").NewState()
	if n := len(legal(s)); n != 64 {
		t.Errorf("%d placements at first, want 64", n)
	}
	for i, ply := range []string{"@a1", "@g8", "@d4", "@e5"} {
		if s.ToMove() != i%2 {
			t.Errorf("ply %d: player %d places", i, s.ToMove())
		}
		play(t, s, ply)
	}
	placeAll(t, s)
	wantMover(t, s, 0)
}

func TestRule_seneca_NoCaptureWhilePlacing(t *testing.T) {
	s := traceGame(t, "locus-ludi-seneca").NewState()
	play(t, s, "@c3", "@d3", "@e3")
	wantBoard(t, s, "d3 b")
}

func TestRule_seneca_OneStep(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a d4 h1; b g8 h8")
	wantPlies(t, "a man in the open", from(s, "d4"), "d4-d5", "d4-d3", "d4-c4", "d4-e4")
	s = put(t, "locus-ludi-seneca", 0, "a d4 d3 h1; b d5 g8 h8")
	wantLegal(t, s, "d4-d5", false)
	wantLegal(t, s, "d4-d3", false)
}

func TestRule_seneca_Hops(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 d3 h1; b c4 h8 g8")
	wantLegal(t, s, "c3^e3", true)  // over an own counter
	wantLegal(t, s, "c3^c5", false) // not over a free enemy
	s = put(t, "locus-ludi-seneca", 0, "a c3 d3 e3 h1; b h8 g8")
	wantLegal(t, s, "c3^e3", false) // the square behind must be empty
	wantLegal(t, s, "c3^f3", false) // nor is it a hop over two
	s = put(t, "locus-ludi-seneca", 0, "a c3 h1; x d3; b d2 d4 h8")
	wantLegal(t, s, "c3^e3", true) // an own counter that is trapped
	s = put(t, "locus-ludi-seneca", 0, "a c3 d4 h1; b h8 g8")
	wantLegal(t, s, "c3^e5", false) // not diagonally
	// Over a trapped enemy, in the turn's move after the removal of another prisoner.
	s = put(t, "locus-ludi-seneca", 0, "a c3 d2 d4 g6 g8; y d3 g7; b h1 h2")
	play(t, s, "xg7")
	wantLegal(t, s, "c3^e3", true)
	play(t, s, "c3^e3")
	wantBoard(t, s, "d3 y") // what is hopped over stays as it is
	s = put(t, "locus-ludi-seneca@own-hops-only", 0, "a c3 d2 d4 g6 g8; y d3 g7; b h1 h2")
	play(t, s, "xg7")
	wantLegal(t, s, "c3^e3", false)
}

func TestRule_seneca_HopChain(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 d3 e4 h1; b h8 g8")
	play(t, s, "c3^e3")
	wantMover(t, s, 0)
	wantPlies(t, "in the chain", legal(s), "e3^e5", "--") // and not back to c3
	play(t, s, "e3^e5")
	wantMover(t, s, 1)
}

func TestRule_seneca_NoBackAndForth(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 b3 h1; b h8 g8")
	play(t, s, "c3-c4", "g8-g7")
	wantLegal(t, s, "c4-c3", false)
	wantLegal(t, s, "c4-c5", true)
	wantLegal(t, s, "b3-c3", true) // another counter may
	// The ban never blocks.
	s = put(t, "locus-ludi-seneca", 0, "a a1 h7; b a2 b1 g8 d4")
	play(t, s, "h7-h8", "d4-d5")
	wantPlies(t, "with nothing else to do", legal(s), "h8-h7")
	// In the reading superko the way back is only barred by the position.
	s = put(t, "locus-ludi-seneca@superko", 0, "a c3 b3 h1; b h8 g8")
	play(t, s, "c3-c4", "g8-g7")
	play(t, s, "c4-c3", "g7-g8")
	wantLegal(t, s, "c3-c4", false)
}

func TestRule_seneca_TwoSurroundAndTrap(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 e4 h1; b d3 h8 g8")
	play(t, s, "e4-e3")
	wantBoard(t, s, "d3 y")
	wantMover(t, s, 1)
	s = put(t, "locus-ludi-seneca", 0, "a b2 d5 h1; b c3 h8 g8")
	play(t, s, "d5-d4")
	wantBoard(t, s, "c3 b") // not on a diagonal
}

func TestRule_seneca_CornerTrap(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a b1 a3 h1; b a1 h8 g8")
	play(t, s, "a3-a2")
	wantBoard(t, s, "a1 y")
}

func TestRule_seneca_TrappedNeitherMovesNorCaptures(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 1, "a c3 e3 d4 h1; y d3; b c5 h8")
	wantPlies(t, "the prisoner", from(s, "d3"))
	play(t, s, "c5-d5")
	wantBoard(t, s, "d4 a") // d5 and the bound d3 do not trap it
}

func TestRule_seneca_RemovalBeforeMove(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 e3 b3 f6 h6; y d3 g6; b h8 g8 h1")
	wantPlies(t, "at the start of the turn", legal(s), "xd3", "xg6")
	play(t, s, "xd3")
	wantMover(t, s, 0)
	wantBoard(t, s, "d3 . g6 y")
	wantLegal(t, s, "b3^d3", true) // the square is empty now, for hops too
	for _, ply := range legal(s) {
		if strings.HasPrefix(ply, "x") || ply == "--" {
			t.Errorf("after the removal %s is legal; a move is due", ply)
		}
	}
	// A1, A2: the other readings.
	s = put(t, "locus-ludi-seneca@removal-optional", 0, "a c3 e3 h2; y d3; b h8 g8")
	wantLegal(t, s, "h2-h3", true)
	s = put(t, "locus-ludi-seneca@remove-any", 0, "a c3 e3 f6 h6; y d3 g6; b h8 g8 h1")
	play(t, s, "xd3", "xg6")
	wantMover(t, s, 0)
	s = put(t, "locus-ludi-seneca@remove-all", 1, "a c3 e3 f6 h6; y d3 g6; b h8 g8 h1")
	play(t, s, "h1-h2")
	wantBoard(t, s, "d3 . g6 .")
}

func TestRule_seneca_CapturingACaptorFrees(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 1, "a c3 e3 h1; y d3; b c2 d4 h8")
	play(t, s, "d4-c4")
	wantBoard(t, s, "c3 x d3 b")
	// A4: so does a guard that walks away, in the move after the removal of another prisoner.
	s = put(t, "locus-ludi-seneca", 0, "a c3 e3 g6 g8 h1; y d3 g7; b a7 a8")
	play(t, s, "xg7", "e3-e4")
	wantBoard(t, s, "d3 b")
	// A3: of two pairs the loss of one is enough.
	s = put(t, "locus-ludi-seneca", 0, "a c3 e3 d2 d4 g6 g8 h1; y d3 g7; b a7 a8")
	play(t, s, "xg7", "e3-e4")
	wantBoard(t, s, "d3 b")
	// In a corner it cannot happen: a guard there stands on the edge, so the only line on which it could be
	// enclosed ends at the prisoner, who captures nobody.
	s = put(t, "locus-ludi-seneca", 1, "a a2 b1 h1; y a1; b a4 c1 h8")
	play(t, s, "a4-a3")
	wantBoard(t, s, "a1 y a2 a b1 a")
}

func TestRule_seneca_MovingBetweenIsSafe(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a d4 h1; b c3 e3 h8")
	play(t, s, "d4-d3")
	wantBoard(t, s, "d3 a")
}

func TestRule_seneca_OneCounterLeftLoses(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a c3 e3 h1; y d3; b h8")
	play(t, s, "xd3")
	wantEnd(t, s, "win0", "one-left")
}

func TestRule_seneca_NoMoveEndsMoreCapturesWin(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a a2 b1 h7 g7; b a1 h8")
	play(t, s, "g7-g8")
	wantEnd(t, s, "win0", "blocked")
	// Six block nine: who has more counters left wins, not who moved last.
	s = put(t, "locus-ludi-seneca", 0, "a a4 b4 c4 e1 d2 d3; b a1 a2 a3 b1 b2 b3 c1 c2 c3")
	play(t, s, "e1-d1")
	wantEnd(t, s, "win1", "blocked")
}

func TestRule_seneca_EqualCountersDraw(t *testing.T) {
	s := put(t, "locus-ludi-seneca", 0, "a a3 b2 c2; b a1 a2 b1")
	play(t, s, "c2-c1")
	wantEnd(t, s, "draw", "blocked")
	s = put(t, "locus-ludi-seneca@tie-player-1", 0, "a a3 b2 c2; b a1 a2 b1")
	play(t, s, "c2-c1")
	wantEnd(t, s, "win1", "blocked")
}

// Two counters that walk round in squares never go straight back, so only the repetition ends it.
func TestRule_seneca_ThirdOccurrenceDraws(t *testing.T) {
	round := []string{"c3-c4", "f6-f7", "c4-d4", "f7-g7", "d4-d3", "g7-g6", "d3-c3", "g6-f6"}
	walk := func(ref string) *engine.State {
		s := put(t, ref, 0, "a c3 a1; b f6 h8")
		for i := 0; i < 24 && !s.Over(); i++ {
			play(t, s, round[i%8])
		}
		return s
	}
	s := walk("locus-ludi-seneca")
	wantEnd(t, s, "draw", "repetition")
	if s.Ply() != 16 && s.Ply() != 17 { // the first position may count or be none that a turn led to
		t.Errorf("drawn after %d plies", s.Ply())
	}
}

// Luductus.

func TestRule_luductus_BoardAndPieces(t *testing.T) {
	g := traceGame(t, "luductus")
	s := g.NewState()
	men, leaders := s.Hand(0)
	if g.Rows() != 7 || g.Cols() != 13 || men != 11 || leaders != 1 {
		t.Errorf("%d rows, %d columns, %d men, %d leaders", g.Rows(), g.Cols(), men, leaders)
	}
}

func TestRule_luductus_PlacementInTwoRows(t *testing.T) {
	s := traceGame(t, "luductus").NewState()
	for p, ranks := range []string{"12", "67"} {
		wantMover(t, s, p)
		plies := legal(s)
		if len(plies) != 52 { // a legionary or the praetorian on each of 26 squares
			t.Errorf("player %d has %d placements, want 52", p, len(plies))
		}
		for _, ply := range plies {
			if !strings.ContainsAny(ply[len(ply)-1:], ranks) {
				t.Errorf("player %d may place %s", p, ply)
			}
		}
		play(t, s, plies[0])
	}
}

func TestRule_luductus_PraetorianFirstOrLast(t *testing.T) {
	s := traceGame(t, "luductus").NewState()
	play(t, s, "@a1", "@@a7") // red waits, white begins with it
	for n := 2; s.Phase() != engine.Movement; n++ {
		plies := legal(s)
		leader := strings.HasPrefix(plies[0], "@@")
		for _, ply := range plies {
			if strings.HasPrefix(ply, "@@") != leader {
				t.Fatalf("ply %d: man and praetorian may both be placed", n)
			}
		}
		if want := n == 22; leader != want { // red's twelfth piece
			t.Errorf("ply %d: the praetorian is placed: %v, want %v", n, leader, want)
		}
		play(t, s, plies[0])
	}
}

func TestRule_luductus_LastPlacerBegins(t *testing.T) {
	s := traceGame(t, "luductus").NewState()
	by := placeAll(t, s)
	if len(by[0]) != 12 || len(by[1]) != 12 {
		t.Errorf("%d and %d placements", len(by[0]), len(by[1]))
	}
	wantMover(t, s, 1)
	wantLegal(t, s, "--", false) // a move must be made
}

func TestRule_luductus_Slides(t *testing.T) {
	s := put(t, "luductus", 0, "a c3 c6; A m1; b f3 m7; B a7")
	wantPlies(t, "a legionary", from(s, "c3"), "c3-c1", "c3-c2", "c3-c4", "c3-c5", "c3-a3", "c3-b3", "c3-d3", "c3-e3")
	wantLegal(t, s, "m1-d1", true) // the praetorian likewise
	wantLegal(t, s, "m1-l2", false)
	wantLegal(t, s, "c3-d4", false)
	s = put(t, "luductus", 0, "a c3 d3; A m1; b c4 m7; B a7")
	wantPlies(t, "a legionary beside others", from(s, "c3"), "c3-c1", "c3-c2", "c3-a3", "c3-b3")
}

func TestRule_luductus_PraetorianJumps(t *testing.T) {
	s := put(t, "luductus", 0, "A d4; a d5 e4 f4 e5; b c4 m7; B a7")
	wantLegal(t, s, "d4^d6", true)
	wantLegal(t, s, "d4^f6", false) // not diagonally
	wantLegal(t, s, "d4^b4", false) // not over an enemy
	wantLegal(t, s, "d4^g4", false) // not over two
	s = put(t, "luductus", 0, "A d4; a d5; b d6 m7; B a7")
	wantLegal(t, s, "d4^d6", false)
	s = put(t, "luductus", 0, "a d4 d5; A a1; b m7; B a7")
	wantLegal(t, s, "d4^d6", false) // a legionary does not jump
	s = put(t, "luductus@praetorian-leaps-row", 0, "A d4; a e4 f4; b m7; B a7")
	wantLegal(t, s, "d4^g4", true)
}

func TestRule_luductus_OneJumpATurn(t *testing.T) {
	s := put(t, "luductus", 0, "A d3; a d4 e5; b m7; B a7")
	play(t, s, "d3^d5")
	wantMover(t, s, 1)
	s = put(t, "luductus@praetorian-chain", 0, "A d3; a d4 e5; b m7; B a7")
	play(t, s, "d3^d5")
	wantPlies(t, "in the chain", legal(s), "d5^f5", "--")
}

func TestRule_luductus_CaptureInEveryDirection(t *testing.T) {
	for _, c := range []struct{ pieces, ply string }{
		{"a c4 e1; A m1; b d4 m7; B a7", "e1-e4"},
		{"a d3 e5; A m1; b d4 m7; B a7", "e5-d5"},
		{"a c3 e1; A m1; b d4 m7; B a7", "e1-e5"},
		{"a c5 e1; A m1; b d4 m7; B a7", "e1-e3"},
	} {
		s := put(t, "luductus", 0, c.pieces)
		play(t, s, c.ply)
		wantBoard(t, s, "d4 .")
	}
}

func TestRule_luductus_Fortification(t *testing.T) {
	s := put(t, "luductus", 0, "a d1; A m1; b c4 e4 m7; B a7")
	play(t, s, "d1-d4")
	wantBoard(t, s, "d4 a")
	wantMover(t, s, 1)
}

func TestRule_luductus_RowCapture(t *testing.T) {
	s := put(t, "luductus", 0, "a c3 g1; A m1; b d3 e3 f3 m7; B a7")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 . e3 . f3 .")
	s = put(t, "luductus", 0, "a c3 g1; A m1; b d3 f3 m7; B a7")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 b f3 b") // a gap
	s = put(t, "luductus", 0, "a c2 b5; A m1; b c3 c4 m7; B a7")
	play(t, s, "b5-c5")
	wantBoard(t, s, "c3 . c4 .")
	s = put(t, "luductus", 0, "a b2 e1; A m1; b c3 d4 m7; B a7")
	play(t, s, "e1-e5")
	wantBoard(t, s, "c3 . d4 .")
	s = put(t, "luductus@horizontal-rows-only", 0, "a c2 b5; A m1; b c3 c4 m7; B a7")
	play(t, s, "b5-c5")
	wantBoard(t, s, "c3 b c4 b")
}

func TestRule_luductus_PraetorianProtectsRow(t *testing.T) {
	s := put(t, "luductus", 0, "a c3 g1; A m1; b d3 f3 m7; B e3")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 b e3 B f3 b")
}

func TestRule_luductus_PraetorianCaptor(t *testing.T) {
	s := put(t, "luductus", 0, "a c3; A g1; b d3 e3 f3 m7; B a7")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 . e3 . f3 .")
	s = put(t, "luductus", 0, "A c3; a g1; b d3 e3 f3 m7; B a7")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 . e3 . f3 .")
	s = put(t, "luductus@praetorian-no-captor", 0, "a c3; A g1; b d3 e3 f3 m7; B a7")
	play(t, s, "g1-g3")
	wantBoard(t, s, "d3 b e3 b f3 b")
}

func TestRule_luductus_PraetorianBoxedIn(t *testing.T) {
	for _, c := range []struct{ pieces, ply string }{
		{"a c4 e4 d5 e3; A m1; b m7 l7 k7 j7 i7 h7; B d4", "e3-d3"}, // whoever has more pieces
		{"a a3 a5 b1; A m1; b m7; B a4", "b1-b4"},                   // three at the border
		{"a b7 b6; A m1; b m7; B a7", "b6-a6"},                      // two in the corner
	} {
		s := put(t, "luductus", 0, c.pieces)
		play(t, s, c.ply)
		wantEnd(t, s, "win0", "leader-captured")
	}
	s := put(t, "luductus", 0, "a c4 e1; A m1; b m7; B d4")
	play(t, s, "e1-e4")
	wantEnd(t, s, "ongoing", "") // two are not enough in the open
}

func TestRule_luductus_ImmobileIsNotCaptured(t *testing.T) {
	s := put(t, "luductus", 0, "a c4 e4 d1 d6; A m1; b d5 m7; B d4")
	play(t, s, "d1-d3")
	wantBoard(t, s, "d4 B")
	wantEnd(t, s, "ongoing", "")
	wantPlies(t, "the praetorian", from(s, "d4"))
}

func TestRule_luductus_AllLegionariesTaken(t *testing.T) {
	s := put(t, "luductus", 0, "a c4 e1; A m1; b d4; B a7")
	play(t, s, "e1-e4")
	wantEnd(t, s, "win0", "none-left")
}

func TestRule_luductus_StarvedOut(t *testing.T) {
	s := put(t, "luductus", 0, "a a6 b6 c1; A m1; b b7; B a7")
	play(t, s, "c1-c7")
	wantEnd(t, s, "win0", "blocked")
	// Also when he has more pieces.
	s = put(t, "luductus", 0, "A d7; a d6 a5 b5 c1; b b7 c7 a6 b6 c6; B a7")
	play(t, s, "c1-c5")
	wantEnd(t, s, "win0", "blocked")
}

func TestRule_luductus_ThirtyTurns(t *testing.T) {
	s := put(t, "luductus", 0, "a c3 d3; A m1; b m7; B a7", quiet(28)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "ongoing", "")
	play(t, s, "m7-m6")
	wantEnd(t, s, "win0", "no-capture-limit")
	s = put(t, "luductus", 0, "a c3; A m1; b m7; B a7", quiet(29)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "draw", "no-capture-limit")
	s = put(t, "luductus@sixty-plies", 0, "a c3; A m1; b m7; B a7", quiet(29)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "ongoing", "")
}

func TestRule_luductus_BorderProtects(t *testing.T) {
	s := put(t, "luductus", 0, "a b1; A m1; b a4 m7; B c7")
	play(t, s, "b1-b4")
	wantBoard(t, s, "a4 b")
	s = put(t, "luductus", 0, "a a2 b2; A m1; b a1 m7; B c7")
	play(t, s, "b2-b1")
	wantBoard(t, s, "a1 b") // nor is a corner a trap for legionaries
	s = put(t, "luductus", 0, "a c3; A m1; b b1 m7; B c7")
	play(t, s, "c3-c1")
	wantBoard(t, s, "b1 b") // nor a captor
}

// Variants with other sizes and numbers, which the text knows, are a matter of parameters.
func TestRule_luductus_OtherSizes(t *testing.T) {
	s := traceGame(t, "luductus+board.rows=9+board.cols=15+pieces.men=20").NewState()
	if men, _ := s.Hand(0); men != 20 || len(legal(s)) != 60 {
		t.Errorf("%d men, %d placements", men, len(legal(s)))
	}
}

// The rook-slide web game.

func TestRule_webdux_Pieces(t *testing.T) {
	s := traceGame(t, "webdux").NewState()
	for p := range 2 {
		if men, leaders, _ := s.Pieces(p); men != 12 || leaders != 1 {
			t.Errorf("player %d has %d soldiers and %d duces", p, men, leaders)
		}
	}
	wantMover(t, s, 0)
}

func TestRule_webdux_SoldiersSlide(t *testing.T) {
	s := put(t, "webdux", 0, "a c3 c6; A l1; b f3; B a8")
	wantPlies(t, "a soldier", from(s, "c3"), "c3-c1", "c3-c2", "c3-c4", "c3-c5", "c3-a3", "c3-b3", "c3-d3", "c3-e3")
	for _, ply := range legal(s) {
		if strings.Contains(ply, "^") {
			t.Errorf("%s jumps", ply)
		}
	}
	s = put(t, "webdux", 0, "a c3 d3; A l1; b c4; B a8")
	wantPlies(t, "a soldier beside others", from(s, "c3"), "c3-c1", "c3-c2", "c3-a3", "c3-b3")
}

func TestRule_webdux_DuxSlides(t *testing.T) {
	s := put(t, "webdux", 0, "a c6; A c3; b f3; B a8")
	wantPlies(t, "the dux", from(s, "c3"), "c3-c1", "c3-c2", "c3-c4", "c3-c5", "c3-a3", "c3-b3", "c3-d3", "c3-e3")
	s = put(t, "webdux", 0, "a d3; A c3; b c4; B a8")
	wantPlies(t, "the dux beside others", from(s, "c3"), "c3-c1", "c3-c2", "c3-a3", "c3-b3")
}

func TestRule_webdux_CaptureBetweenTwo(t *testing.T) {
	s := put(t, "webdux", 0, "a c4 e1; A l1; b d4 h8; B a8")
	play(t, s, "e1-e4")
	wantBoard(t, s, "d4 .")
	s = put(t, "webdux", 0, "a d3 e5; A l1; b d4 h8; B a8")
	play(t, s, "e5-d5")
	wantBoard(t, s, "d4 .")
	s = put(t, "webdux", 0, "a c3 e1; A l1; b d4 h8; B a8")
	play(t, s, "e1-e5")
	wantBoard(t, s, "d4 b") // not diagonally
	s = put(t, "webdux", 0, "a c4 f1; A l1; b d4 e4 h8; B a8")
	play(t, s, "f1-f4")
	wantBoard(t, s, "d4 b e4 b") // not two at once
}

func TestRule_webdux_EdgeCaptures(t *testing.T) {
	s := put(t, "webdux", 0, "a b1; A l1; b a4 h7; B c8")
	play(t, s, "b1-b4")
	wantBoard(t, s, "a4 .")
	s = put(t, "webdux", 0, "a b2; A l2; b a1 h7; B c8")
	play(t, s, "b2-b1")
	wantBoard(t, s, "a1 .") // a corner has the edge behind it
	s = put(t, "webdux", 0, "a b5; A l2; b a4 h7; B c8")
	play(t, s, "b5-a5")
	wantBoard(t, s, "a4 b") // along the edge there is nothing behind it
	s = put(t, "webdux", 0, "a c2; A l2; b b1 h7; B c8")
	play(t, s, "c2-c1")
	wantBoard(t, s, "b1 b") // nor is the corner square a captor
}

func TestRule_webdux_MovingBetweenIsSafe(t *testing.T) {
	s := put(t, "webdux", 0, "a d1 h2; A l1; b c4 e4; B a8")
	play(t, s, "d1-d4")
	wantBoard(t, s, "d4 a")
	s = put(t, "webdux", 0, "a c4 h2; A l1; b b4; B c8")
	play(t, s, "c4-c5", "c8-d8", "c5-a5")
	wantBoard(t, s, "a5 a")
	s = put(t, "webdux", 0, "a a1 h2; A l1; b b4; B c8")
	play(t, s, "a1-a4")
	wantBoard(t, s, "a4 a") // onto the edge in front of an enemy
	s = put(t, "webdux@literal-sandwich", 0, "a d1 h2; A l1; b c4 e4; B a8")
	play(t, s, "d1-d4")
	wantBoard(t, s, "d4 .")
}

func TestRule_webdux_DuxIsNoCaptor(t *testing.T) {
	s := put(t, "webdux", 0, "a c4; A e1; b d4 h8; B a8")
	play(t, s, "e1-e4")
	wantBoard(t, s, "d4 b") // arriving
	s = put(t, "webdux", 0, "A c4; a e1; b d4 h8; B a8")
	play(t, s, "e1-e4")
	wantBoard(t, s, "d4 b") // standing
	s = put(t, "webdux", 0, "a h2; A b1; b a4 h8; B c8")
	play(t, s, "b1-b4")
	wantBoard(t, s, "a4 b") // nor with the edge
}

func TestRule_webdux_DuxCapturedEnds(t *testing.T) {
	s := put(t, "webdux", 0, "a c4 e1; A l1; b h8 g8 h7 g7; B d4")
	play(t, s, "e1-e4")
	wantBoard(t, s, "d4 .")
	wantEnd(t, s, "win0", "leader-captured")
	s = put(t, "webdux@captures-decide", 0, "a c4 e1; A l1; b h8 g8 h7 g7; B d4")
	play(t, s, "e1-e4")
	wantEnd(t, s, "win1", "leader-captured") // four soldiers against three pieces
}

func TestRule_webdux_NoSoldiersLoses(t *testing.T) {
	s := put(t, "webdux", 0, "a c4 e1; A l1; b d4; B a8")
	play(t, s, "e1-e4")
	wantEnd(t, s, "win0", "none-left")
	s = put(t, "webdux@one-soldier-loses", 0, "a c4 e1; A l1; b d4 h7; B a8")
	play(t, s, "e1-e4")
	wantEnd(t, s, "win0", "one-left")
	s = put(t, "webdux", 0, "a c4 e1; A l1; b d4 h7; B a8")
	play(t, s, "e1-e4")
	wantEnd(t, s, "ongoing", "")
}

func TestRule_webdux_MostCapturesWin(t *testing.T) {
	s := put(t, "webdux", 0, "a c3 d3; A l1; b h7; B a8", quiet(99)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "win0", "no-capture-limit")
	s = put(t, "webdux", 0, "a c3; A l1; b h7; B a8", quiet(99)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "draw", "no-capture-limit")
	s = put(t, "webdux", 0, "a c3; A l1; b h7; B a8", quiet(98)...)
	play(t, s, "c3-c4")
	wantEnd(t, s, "ongoing", "")
}

func TestRule_webdux_TrappedDux(t *testing.T) {
	pieces := "a a7 b8 c1; A l1; b h7; B a8"
	s := put(t, "webdux", 0, pieces)
	play(t, s, "c1-c2")
	wantEnd(t, s, "ongoing", "") // to trap is to capture
	s = put(t, "webdux@dux-trapped-loses", 0, pieces)
	play(t, s, "c1-c2")
	wantEnd(t, s, "win0", "leader-immobilised")
}

func TestRule_webdux_BlockedLoses(t *testing.T) {
	s := put(t, "webdux", 0, "a a7 b7 c1; A l1; b b8; B a8")
	play(t, s, "c1-c8")
	wantEnd(t, s, "win0", "blocked")
	// Also when he has more pieces.
	s = put(t, "webdux", 0, "A d8; a d1 a6 b6 c6; b b8 c8 a7 b7 c7; B a8")
	play(t, s, "d1-d7")
	wantEnd(t, s, "win0", "blocked")
}

func TestRule_webdux_FreePlacement(t *testing.T) {
	s := traceGame(t, "webdux@free-placement").NewState()
	if n := len(legal(s)); n != 64 {
		t.Errorf("%d placements at first, want 64", n)
	}
	play(t, s, "@a1", "@b2")
	wantMover(t, s, 1)
}
