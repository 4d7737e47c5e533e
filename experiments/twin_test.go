package experiments

import (
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
)

// twinRulesets covers placement and arrays, zones, leaders, binding, hops, slides,
// and a rectangular board.
var twinRulesets = []string{"bell-8x7", "webdux", "luductus", "locus-ludi-seneca", "kowalski-8x12", "falkener", "museum-quintana", "schadler-1994"}

// TestTwin: the twin of a twin is the start, and what one player may do in the
// start his mirror image may do in the twin: the legal plies of the twin with the
// other side to move are the start's, turned by the same half turn.
func TestTwin(t *testing.T) {
	for _, ref := range twinRulesets {
		g := envtest.Game(t, ref)
		rot := rotates(g)
		turn := g.Symmetries()[0]
		if rot {
			turn = g.Rotation()
		}
		for pair := range 6 {
			st, err := drawOpening(g, 1, pair, 12, g.Symmetries())
			if err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			s, err := g.ParsePosition(st.text)
			if err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			tw, err := Twin(s)
			if err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			if got := startText(tw, false, false); got != st.twin {
				t.Errorf("%s: twin %q, want %q", ref, got, st.twin)
			}
			back, err := Twin(tw)
			if err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			if got := startText(back, false, false); got != st.text {
				t.Errorf("%s: twin of twin %q, want %q", ref, got, st.text)
			}
			if st.text == st.twin {
				t.Errorf("%s: the start %q is its own twin", ref, st.text)
			}
			for p := range 2 {
				m, l, b := s.Pieces(p)
				m2, l2, b2 := tw.Pieces(1 - p)
				if m != m2 || l != l2 || b != b2 {
					t.Errorf("%s: player %d has %d,%d,%d, his mirror image %d,%d,%d", ref, p, m, l, b, m2, l2, b2)
				}
			}
			// The same position with the other side to move, as the engine reads it.
			other := strings.Replace(st.twin, " 0 movement", " 1 movement", 1)
			if other == st.twin {
				other = strings.Replace(st.twin, " 1 movement", " 0 movement", 1)
			}
			o, err := g.ParsePosition(other)
			if err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			var want []engine.Action
			for _, a := range s.Legal(nil) {
				want = append(want, turn.Action[a])
			}
			slices.Sort(want)
			if got := o.Legal(nil); !slices.Equal(got, want) {
				t.Errorf("%s: %q: legal plies %v, mirrored start's %v", ref, st.text, got, want)
			}
			if s.Ply() != 0 || s.Quiet() != 0 || s.RepetitionCount() != 1 || tw.ToMove() != s.ToMove() {
				t.Errorf("%s: a start keeps history: ply %d quiet %d rep %d", ref, s.Ply(), s.Quiet(), s.RepetitionCount())
			}
		}
	}
}

// TestCommonStarts: two rulesets that place alike share their starts, and a pair's
// start does not depend on how many pairs there are.
func TestCommonStarts(t *testing.T) {
	a, b := envtest.Game(t, "bell-8x7"), envtest.Game(t, "bell-8x7", "capture.corner=neutral")
	d := DefaultDesign()
	seen := map[string]bool{}
	for pair := range 20 {
		x, err := drawStart(a, d, pair, a.Symmetries())
		if err != nil {
			t.Fatal(err)
		}
		y, err := drawStart(b, d, pair, b.Symmetries())
		if err != nil {
			t.Fatal(err)
		}
		if x != y {
			t.Errorf("pair %d starts from %q and %q", pair, x.text, y.text)
		}
		seen[x.text] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d different starts of 20", len(seen))
	}
}

func TestOwnTwinIsDropped(t *testing.T) {
	g := envtest.Game(t, "webdux")
	// The start of an array is its own twin under the half turn, unless the turn is
	// no symmetry of the game; the mover is kept, so it is one game twice.
	s := g.NewState()
	hasTurn := false
	for _, sym := range g.Symmetries() {
		hasTurn = hasTurn || sym.Name == "rotate-180"
	}
	_, ok := usable(g, s, g.Symmetries())
	if startText(s, true, true) == startText(s, false, false) && ok {
		t.Errorf("a start that equals its twin was accepted (half turn a symmetry: %v)", hasTurn)
	}
}
