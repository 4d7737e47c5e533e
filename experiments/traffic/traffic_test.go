package traffic

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
	"latro/selfplay"
)

// script plays moves in notation and gives their actions.
func script(t *testing.T, g *engine.Game, start string, moves ...string) []uint16 {
	t.Helper()
	s := g.NewState()
	if start != "" {
		var err error
		if s, err = g.ParsePosition(start); err != nil {
			t.Fatal(err)
		}
	}
	var out []uint16
	for _, m := range moves {
		a, err := s.Parse(m)
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		s.Play(a)
		out = append(out, uint16(a))
	}
	return out
}

// counted lists the cells with a count, as "c3:2", in order.
func counted(t *Table, v []uint64) string {
	var out []string
	for i, n := range v {
		if n > 0 {
			out = append(out, t.SquareName(i)+":"+string(rune('0'+n)))
		}
	}
	return strings.Join(out, " ")
}

func countedEdges(t *Table, v []uint64) string {
	var out []string
	for i, n := range v {
		if n > 0 {
			out = append(out, t.SquareName(t.Edges[i].A)+t.SquareName(t.Edges[i].B)+":"+string(rune('0'+n)))
		}
	}
	return strings.Join(out, " ")
}

// TestByHand counts a game of slides, a capture between two pieces, and a hop, square by
// square and edge by edge; the expected counts were written down from the moves.
func TestByHand(t *testing.T) {
	// Museum Quintana: men slide like rooks. a1 slides over three squares to a4, b8 over one
	// to b7, then the man on d4 goes to c4 and takes the man b4 between a4 and c4.
	g := envtest.Game(t, "museum-quintana")
	start := "8/8/8/8/1b1a4/8/8/a6b 0 movement"
	if g.Rows() != 8 || g.Cols() != 8 {
		t.Fatalf("the ruleset's board is %d×%d now", g.Rows(), g.Cols())
	}
	c := NewCounter(g)
	if err := c.Add(start, script(t, g, start, "a1-a4", "h1-h2", "d4-c4")); err != nil {
		t.Fatal(err)
	}
	tab := c.Table()
	for _, x := range []struct {
		what string
		got  string
		want string
	}{
		{"left", counted(tab, tab.Squares(Left, All)), "a1:1 h1:1 d4:1"},
		{"crossed", counted(tab, tab.Squares(Crossed, All)), "a2:1 a3:1"},
		{"reached", counted(tab, tab.Squares(Reached, All)), "h2:1 a4:1 c4:1"},
		{"reached by player 1", counted(tab, tab.Squares(Reached, Filter{-1, 1, -1})), "h2:1"},
		{"captured", counted(tab, tab.Squares(Captured, All)), "b4:1"},
		{"captured from player 1", counted(tab, tab.Squares(Captured, Filter{1, 1, 0})), "b4:1"},
		{"captured from player 0", counted(tab, tab.Squares(Captured, Filter{-1, 0, -1})), ""},
		{"placed", counted(tab, tab.Squares(Placed, All)), ""},
		{"contact", counted(tab, tab.Contact(All)), "a1:1 h1:1 a2:1 h2:1 a3:1 a4:1 c4:1 d4:1"},
		{"slid", countedEdges(tab, tab.EdgeCounts(Slid, All)), "a1a2:1 h1h2:1 a2a3:1 a3a4:1 c4d4:1"},
		{"hopped", countedEdges(tab, tab.EdgeCounts(Hopped, All)), ""},
	} {
		if x.got != x.want {
			t.Errorf("%s: %s, by hand %s", x.what, x.got, x.want)
		}
	}
	if tab.Games != 1 || tab.Plies != 3 {
		t.Errorf("%d games of %d plies", tab.Games, tab.Plies)
	}
}

// TestHopByHand: a leader's hop crosses the two edges over the hopped square and does not
// touch that square; placements come from the hand and cross nothing.
func TestHopByHand(t *testing.T) {
	g := envtest.Game(t, "bell-8x8")
	start := "8/8/8/8/8/2Ab4/8/B7 0 movement"
	c := NewCounter(g)
	if err := c.Add(start, script(t, g, start, "c3^e3")); err != nil {
		t.Fatal(err)
	}
	tab := c.Table()
	if got, want := countedEdges(tab, tab.EdgeCounts(Hopped, Filter{1, 0, 1})), "c3d3:1 d3e3:1"; got != want {
		t.Errorf("hopped edges %s, by hand %s", got, want)
	}
	if got, want := counted(tab, tab.Contact(All)), "c3:1 e3:1"; got != want {
		t.Errorf("touched squares %s, by hand %s", got, want)
	}
	c = NewCounter(g)
	if err := c.Add("", script(t, g, "", "@a1", "@b1")); err != nil {
		t.Fatal(err)
	}
	tab = c.Table()
	if got, want := counted(tab, tab.Squares(Placed, Filter{0, 0, 0})), "a1:1 b1:1"; got != want {
		t.Errorf("placed %s, by hand %s", got, want)
	}
	if got := countedEdges(tab, tab.Crossings(All)); got != "" {
		t.Errorf("a placement crossed %s", got)
	}
}

// TestAgainstRecorder: over the whole catalogue, in random games, the counts agree with
// those that self-play records by its own code, and obey what must hold of any game.
func TestAgainstRecorder(t *testing.T) {
	for i, ref := range rules.Catalogue() {
		g := envtest.Game(t, ref)
		c := NewCounter(g)
		n := g.Squares()
		placed, reached, captured := make([]uint64, n), make([]uint64, n), make([]uint64, n)
		rec := selfplay.NewRecorder(g)
		for game := range 3 {
			s := g.NewState()
			rec.Reset(s, datasets.Game{})
			rng := seed.New(7, uint64(i), uint64(game))
			agent := mcts.NewRandom()
			for !s.Over() && rec.Plies() < 400 {
				d, err := agent.Choose(s, rng)
				if err != nil {
					t.Fatal(err)
				}
				if err := rec.Play(s, d); err != nil {
					t.Fatal(err)
				}
			}
			row := rec.Game(s)
			for sq := range n {
				placed[sq] += uint64(row.Placements[sq])
				reached[sq] += uint64(row.Arrivals[sq])
				captured[sq] += uint64(row.Captures[sq])
			}
			if err := c.Add(row.Start, row.Moves); err != nil {
				t.Fatal(err)
			}
			for sq := range n {
				// A man may be bound or free: the counter keeps owner and kind.
				p, q := c.board[sq], s.At(sq)
				if p.Owner() != q.Owner() || p.IsLeader() != q.IsLeader() {
					t.Fatalf("%s game %d: the counter has %c on %s, the engine %c", ref, game, p.Rune(), c.table.SquareName(sq), q.Rune())
				}
			}
		}
		tab := c.Table()
		for _, x := range []struct {
			what string
			e    Event
			want []uint64
		}{{"placed", Placed, placed}, {"reached", Reached, reached}, {"captured", Captured, captured}} {
			if got := tab.Squares(x.e, All); !slices.Equal(got, x.want) {
				t.Errorf("%s: %s is %v, recorded %v", ref, x.what, got, x.want)
			}
		}
		total := func(v []uint64) (s uint64) {
			for _, x := range v {
				s += x
			}
			return s
		}
		if a, b := total(tab.Squares(Left, All)), total(tab.Squares(Reached, All)); a != b {
			t.Errorf("%s: %d pieces left a square and %d reached one", ref, a, b)
		}
		// A slide crosses one edge more than squares.
		if e, s := total(tab.EdgeCounts(Slid, All)), total(tab.Squares(Crossed, All)); e < s || e > total(tab.Squares(Reached, All))+s {
			t.Errorf("%s: %d edges slid over with %d squares between", ref, e, s)
		}
		var sum uint64
		for _, f := range tab.Groups() {
			sum += total(tab.Contact(f))
		}
		if all := total(tab.Contact(All)); sum != all {
			t.Errorf("%s: the groups add up to %d contacts, there are %d", ref, sum, all)
		}
	}
}

// TestSymmetry: a game and its image count alike, class by class, and a game plus all its
// images folds to itself.
func TestSymmetry(t *testing.T) {
	for _, ref := range []string{"bell-8x8", "bell-8x7", "falkener", "kowalski-8x12", "6x6-seega"} {
		g := envtest.Game(t, ref)
		symmetries := g.Symmetries()
		s := g.NewState()
		rng := seed.New(3)
		s.Playout(rng, 300)
		var moves []uint16
		for _, a := range s.History() {
			moves = append(moves, uint16(a))
		}
		one, all := NewCounter(g), NewCounter(g)
		if err := one.Add("", moves); err != nil {
			t.Fatal(err)
		}
		for _, sym := range symmetries {
			image := make([]uint16, len(moves))
			for i, m := range moves {
				image[i] = uint16(sym.Action[m])
			}
			if err := all.Add("", image); err != nil {
				t.Fatalf("%s under %s: %v", ref, sym.Name, err)
			}
		}
		a, b := one.Table(), all.Table()
		for _, x := range []struct {
			what  string
			class []int
			of    func(*Table) []uint64
		}{
			{"contact", a.SquareClass, func(t *Table) []uint64 { return t.Contact(All) }},
			{"captured", a.SquareClass, func(t *Table) []uint64 { return t.Squares(Captured, All) }},
			{"crossings", a.EdgeClass, func(t *Table) []uint64 { return t.Crossings(All) }},
		} {
			once, many := x.of(a), x.of(b)
			folded := Fold(once, x.class)
			for i, v := range many {
				if float64(v) != folded[i]*float64(len(symmetries)) {
					t.Fatalf("%s: %s of cell %d: %d in all images, folded %v times %d", ref, x.what, i, v, folded[i], len(symmetries))
				}
			}
		}
	}
}

// TestClasses: the classes of an open 8×8 board are the ten of the square, and of 8×7 the
// sixteen of the rectangle; a board has rows·(cols−1) + (rows−1)·cols edges.
func TestClasses(t *testing.T) {
	for _, x := range []struct {
		ref            string
		classes, edges int
	}{{"bell-8x8", 10, 112}, {"bell-8x7", 16, 97}, {"seega-classic-5x5", 6, 40}} {
		tab := NewCounter(envtest.Game(t, x.ref)).Table()
		if n := len(ClassSizes(tab.SquareClass)); n != x.classes || len(tab.Edges) != x.edges {
			t.Errorf("%s: %d classes and %d edges, by hand %d and %d", x.ref, n, len(tab.Edges), x.classes, x.edges)
		}
	}
	// Falkener's pieces move diagonally, so each of the 11·11 crossings has two more.
	if tab := NewCounter(envtest.Game(t, "falkener")).Table(); len(tab.Edges) != 2*12*11+2*11*11 {
		t.Errorf("falkener has %d edges", len(tab.Edges))
	}
}

// TestMergeOrder: games in any order and in any blocks give the same table.
func TestMergeOrder(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	whole, odd, even := NewCounter(g), NewCounter(g), NewCounter(g)
	for i := range 6 {
		s := g.NewState()
		s.Playout(seed.New(11, uint64(i)), 200)
		var moves []uint16
		for _, a := range s.History() {
			moves = append(moves, uint16(a))
		}
		part := even
		if i%2 == 1 {
			part = odd
		}
		for _, c := range []*Counter{whole, part} {
			if err := c.Add("", moves); err != nil {
				t.Fatal(err)
			}
		}
	}
	sum := odd.Table()
	if err := sum.Merge(even.Table()); err != nil {
		t.Fatal(err)
	}
	want := whole.Table()
	if !slices.Equal(sum.squares, want.squares) || !slices.Equal(sum.edges, want.edges) || sum.Games != want.Games || sum.Plies != want.Plies {
		t.Error("two blocks added up differ from the whole")
	}
	if err := sum.Merge(NewCounter(envtest.Game(t, "bell-8x8")).Table()); err == nil {
		t.Error("the traffic of another board was added")
	}
}

// TestDamagedGame: a game that the rules do not allow counts nothing at all.
func TestDamagedGame(t *testing.T) {
	g := envtest.Game(t, "museum-quintana")
	c := NewCounter(g)
	start := "8/8/8/8/1b1a4/8/8/a6b 0 movement"
	moves := script(t, g, start, "a1-a4", "h1-h2")
	for _, bad := range [][]uint16{append(slices.Clone(moves), 65535), append(slices.Clone(moves), moves[0])} {
		if err := c.Add(start, bad); err == nil || !strings.Contains(err.Error(), "ply 3") {
			t.Errorf("error %v", err)
		}
	}
	if err := c.Add("no position", nil); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("error %v", err)
	}
	tab := c.Table()
	if slices.ContainsFunc(tab.squares, func(v uint64) bool { return v > 0 }) || tab.Games != 0 || tab.Plies != 0 {
		t.Error("a damaged game was counted")
	}
}
