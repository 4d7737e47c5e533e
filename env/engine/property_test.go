package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// eachRuleset runs a test for every ruleset and reading of the catalogue, but for some of the twenty boards of Seega and
// Kharebga.
func eachRuleset(t *testing.T, test func(t *testing.T, g *Game)) {
	for _, id := range rules.Catalogue() {
		if strings.HasPrefix(id, "8x9-") || strings.HasPrefix(id, "9x10-") || strings.HasPrefix(id, "10x10-") || strings.HasPrefix(id, "6x8-") ||
			strings.HasPrefix(id, "7x8-") || strings.HasPrefix(id, "11x12-") {
			continue // the same rules as their neighbours in size
		}
		rs, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{""}
		for _, r := range rs.Readings {
			names = append(names, r.Name)
		}
		for _, name := range names {
			ref := id
			if name != "" {
				ref += "@" + name
			}
			t.Run(ref, func(t *testing.T) {
				rs, err := rules.Open(ref)
				if err != nil {
					t.Fatal(err)
				}
				g, err := Compile(rs.Params)
				if err != nil {
					t.Fatal(err)
				}
				test(t, g)
			})
		}
	}
}

// fingerprint is everything observable of a state, with what its kernel keeps.
func fingerprint(s *State) string {
	var v View
	s.View(&v)
	return fmt.Sprintf("%s|%x|%v|%v|%v", s.Position(), s.Hash(), s.Legal(nil), v, s.core.scal())
}

// TestRandomGames walks random games and holds the engine to what its documentation promises of every position.
func TestRandomGames(t *testing.T) {
	const plies, every = 300, 23
	eachRuleset(t, func(t *testing.T, g *Game) {
		rng := rand.New(rand.NewPCG(1, uint64(len(t.Name()))))
		s := g.NewState()
		other := g.NewState()
		var prints []string
		for n := 0; n < plies && !s.Over(); n++ {
			before := ""
			if n%every == 0 {
				before = fingerprint(s)
			}
			legal := s.Legal(nil)
			if len(legal) == 0 {
				t.Fatal("no legal ply in a game that goes on")
			}
			if !slices.IsSorted(legal) || len(slices.Compact(slices.Clone(legal))) != len(legal) {
				t.Fatalf("ply %d: legal actions not ascending or not unique: %v", n, legal)
			}
			if got := s.core.fullKey(); got != s.core.scal().key {
				t.Fatalf("ply %d: key %x, worked out anew %x", n, s.core.scal().key, got)
			}
			if n%every == 0 {
				checkPosition(t, s, other, legal)
				if after := fingerprint(s); after != before {
					t.Fatalf("ply %d: looking changed the state\n%s\n%s", n, before, after)
				}
				for i, a := range legal {
					s.Play(a)
					s.Undo()
					if i%9 != 0 {
						continue
					}
					if after := fingerprint(s); after != before {
						t.Fatalf("ply %d: play and undo of %s\n%s\n%s", n, s.Format(a), before, after)
					}
				}
			}
			prints = append(prints, before)
			s.Play(legal[rng.IntN(len(legal))])
		}
		if s.Over() {
			if l := s.Legal(nil); len(l) > 0 {
				t.Fatalf("legal plies %v after the end", l)
			}
		}
		end := fingerprint(s)
		history := slices.Clone(s.History())
		for n := len(prints) - 1; n >= 0; n-- {
			s.Undo()
			if prints[n] != "" && fingerprint(s) != prints[n] {
				t.Fatalf("undo to ply %d\n%s\n%s", n, prints[n], fingerprint(s))
			}
		}
		for _, a := range history {
			if err := s.TryPlay(a); err != nil {
				t.Fatal(err)
			}
		}
		if fingerprint(s) != end {
			t.Fatalf("the game played again differs\n%s\n%s", fingerprint(s), end)
		}
		c := s.Clone()
		if fingerprint(c) != end {
			t.Fatal("the clone differs")
		}
	})
}

// checkPosition holds one position to its promises.
func checkPosition(t *testing.T, s, other *State, legal []Action) {
	t.Helper()
	g := s.game
	at := 0
	for a := 0; a < g.NumActions(); a++ {
		is := at < len(legal) && legal[at] == Action(a)
		if is {
			at++
		}
		if !is && a%3 != 0 {
			continue
		}
		if s.IsLegal(Action(a)) != is {
			t.Fatalf("IsLegal(%s) is %v in %s", s.Format(Action(a)), !is, s.Position())
		}
		if is {
			text := s.Format(Action(a))
			if got, err := s.Parse(text); err != nil || got != Action(a) {
				t.Fatalf("Parse(%q) = %d, %v; want %d", text, got, err, a)
			}
		} else if a%17 == 0 {
			if err := s.TryPlay(Action(a)); !errors.Is(err, ErrIllegal) {
				t.Fatalf("TryPlay of the illegal %d: %v", a, err)
			}
		}
	}
	if err := s.TryPlay(NoAction); !errors.Is(err, ErrIllegal) {
		t.Fatalf("TryPlay(NoAction): %v", err)
	}
	text := s.Position()
	p, err := g.ParsePosition(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if again := p.Position(); again != text {
		t.Fatalf("position\n%s\nread and written\n%s", text, again)
	}
	if got := p.Legal(nil); !slices.Equal(got, legal) || p.Hash() != s.Hash() || p.RepetitionCount() != s.RepetitionCount() {
		t.Fatalf("position %s read has plies %v, want %v", text, got, legal)
	}
	var v, w, u View
	s.View(&v)
	p.View(&w)
	if v != w {
		t.Fatalf("view of the position read: %+v\nwant %+v", w, v)
	}
	b := v.AppendBinary(nil)
	if err := g.DecodeView(b, &u); err != nil || u != v {
		t.Fatalf("view bytes: %v\n%+v\n%+v", err, u, v)
	}
	other.CopyFrom(s)
	if fingerprint(other) != fingerprint(s) {
		t.Fatal("CopyFrom differs")
	}
}

// TestPositionGoesOn plays on from a position string and from the state it was written of, alike.
func TestPositionGoesOn(t *testing.T) {
	eachRuleset(t, func(t *testing.T, g *Game) {
		rng := rand.New(rand.NewPCG(2, 2))
		s := g.NewState()
		s.Playout(rng, g.squares+rng.IntN(60))
		p, err := g.ParsePosition(s.Position())
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 150 && !s.Over(); n++ {
			a, b := s.Legal(nil), p.Legal(nil)
			if !slices.Equal(a, b) {
				t.Fatalf("ply %d: %v and %v", n, a, b)
			}
			k := a[rng.IntN(len(a))]
			s.Play(k)
			p.Play(k)
		}
		if s.Position() != p.Position() || s.Outcome() != p.Outcome() {
			t.Fatalf("\n%s\n%s", s.Position(), p.Position())
		}
	})
}

// TestPlayoutUniform compares the first plies of many playouts with the uniform distribution over the legal ones, in
// positions where some pseudo-legal plies are barred. The bound is the 99.99 % quantile of the chi-square distribution
// (normal approximation); the seed is fixed.
func TestPlayoutUniform(t *testing.T) {
	for _, ref := range []string{"luductus", "bell-8x7", "bell-8x7@ludii", "schadler-2001@ludii", "locus-ludi-seneca@ludii", "locus-ludi-seneca",
		"webdux", "6x6-kharebga@ludii", "kowalski-10x11@ludii"} {
		t.Run(ref, func(t *testing.T) {
			id, reading, _ := strings.Cut(ref, "@")
			if reading == "" {
				reading = "default"
			}
			g := openGame(t, id, reading)
			rng := rand.New(rand.NewPCG(3, 4))
			for _, plies := range []int{3, 46, 57, 90, 131} {
				s := g.NewState()
				s.Playout(rng, plies)
				if s.Over() {
					continue
				}
				legal := s.Legal(nil)
				hits := make(map[Action]int)
				per := 200
				total := per * len(legal)
				for i := 0; i < total; i++ {
					if s.Playout(rng, 1) != 1 {
						t.Fatal("no ply")
					}
					hits[s.History()[len(s.History())-1]]++
					s.Undo()
				}
				chi := 0.0
				for _, a := range legal {
					d := float64(hits[a] - per)
					chi += d * d / float64(per)
					delete(hits, a)
				}
				if len(hits) > 0 {
					t.Fatalf("ply %d: illegal plies drawn: %v", plies, hits)
				}
				df := float64(len(legal) - 1)
				if limit := df + 3.72*math.Sqrt(2*df) + 10; chi > limit {
					t.Errorf("ply %d: chi-square %.1f for %d plies, limit %.1f", plies, chi, len(legal), limit)
				}
			}
		})
	}
}

// TestPlayoutIsPlay replays playouts ply by ply with the checked interface.
func TestPlayoutIsPlay(t *testing.T) {
	eachRuleset(t, func(t *testing.T, g *Game) {
		s := g.NewState()
		s.Playout(rand.New(rand.NewPCG(5, 5)), 300)
		r := g.NewState()
		for i, a := range s.History() {
			if err := r.TryPlay(a); err != nil {
				t.Fatalf("ply %d: %v", i, err)
			}
		}
		if r.Position() != s.Position() {
			t.Fatalf("\n%s\n%s", r.Position(), s.Position())
		}
	})
}

// TestWalk compares what a playout leaves behind, field by field, with what the same plies leave when they are played:
// playouts by plain rules go a way of their own. Then it takes plies back, all the way and half of it.
func TestWalk(t *testing.T) {
	plain := 0
	eachRuleset(t, func(t *testing.T, g *Game) {
		if g.cfg.plain {
			plain++
		}
		rng := rand.New(rand.NewPCG(15, 15))
		same := func(s, r *State, when string) {
			t.Helper()
			if *s.core.scal() != *r.core.scal() {
				t.Fatalf("%s:\n%+v, want\n%+v\n%s", when, *s.core.scal(), *r.core.scal(), r.Position())
			}
			for sq := range g.squares {
				if s.At(sq) != r.At(sq) {
					t.Fatalf("%s: square %d", when, sq)
				}
			}
			if !slices.Equal(s.History(), r.History()) {
				t.Fatalf("%s: history", when)
			}
		}
		s, r, base := g.NewState(), g.NewState(), g.NewState()
		for _, limit := range []int{1, 2, 40, 3000, 44, 71, 90, 117, 150, 203, 301, 5000} {
			s.Reset()
			r.Reset()
			if limit < 3000 {
				// Half of it is there before the playout begins.
				for i := 0; i < limit/2 && !s.Over(); i++ {
					legal := s.Legal(nil)
					a := legal[rng.IntN(len(legal))]
					s.Play(a)
					r.Play(a)
				}
			}
			base.CopyFrom(r)
			n := s.Playout(rng, limit)
			for i, a := range s.History()[len(base.History()):] {
				if err := r.TryPlay(a); err != nil {
					t.Fatalf("limit %d, ply %d: %v", limit, i, err)
				}
			}
			same(s, r, fmt.Sprintf("limit %d, after %d plies", limit, n))
			c := s.Clone()
			for range n / 2 {
				c.Undo()
				r.Undo()
			}
			same(c, r, "half taken back")
			if a, b := fingerprint(c), fingerprint(r); a != b {
				t.Fatalf("half taken back\n%s\n%s", a, b)
			}
			for range n {
				s.Undo()
			}
			same(s, base, "all taken back")
			if a, b := fingerprint(s), fingerprint(base); a != b {
				t.Fatalf("all taken back\n%s\n%s", a, b)
			}
		}
	})
	if plain < 30 {
		t.Errorf("%d plain rulesets and readings", plain)
	}
}

// TestPlayoutRanks looks at each ply of long playouts: its place in the list of legal ones must be uniform. The place of a ply
// is spread over 32 parts of the unit interval, which makes lists of all lengths comparable; and lists of 2 to 6 plies are
// counted apart, for there the plies that repetition forbids weigh most. The bounds are 99.99 % quantiles of the
// chi-square distribution (normal approximation); the seed is fixed.
func TestPlayoutRanks(t *testing.T) {
	for _, ref := range []string{"6x6-kharebga@ludii", "6x6-seega", "8x8-kharebga", "11x16-kharebga@ludii", "bell-8x7@ludii", "bell-8x8", "museum-quintana", "luductus",
		"webdux", "locus-ludi-seneca", "kowalski-8x12"} {
		id, reading, _ := strings.Cut(ref, "@")
		if reading == "" {
			reading = "default"
		}
		g := openGame(t, id, reading)
		rng := rand.New(rand.NewPCG(21, 22))
		s, r := g.NewState(), g.NewState()
		var parts [32]float64
		var short [7][7]float64
		total := 0.0
		var buf []Action
		for total < 12_000 {
			s.Reset()
			r.Reset()
			s.Playout(rng, 700)
			for _, a := range s.History() {
				buf = r.Legal(buf[:0])
				rank, n := slices.Index(buf, a), len(buf)
				if rank < 0 {
					t.Fatalf("%s: an illegal ply", ref)
				}
				if n > 1 {
					parts[int((float64(rank)+rng.Float64())/float64(n)*32)]++
					total++
				}
				if n < len(short) {
					short[n][rank]++
				}
				r.Play(a)
			}
		}
		check := func(what string, counts []float64) {
			sum := 0.0
			for _, x := range counts {
				sum += x
			}
			want, chi := sum/float64(len(counts)), 0.0
			for _, x := range counts {
				chi += (x - want) * (x - want) / max(want, 1)
			}
			df := float64(len(counts) - 1)
			if limit := df + 3.72*math.Sqrt(2*df) + 10; chi > limit {
				t.Errorf("%s: %s: chi-square %.1f, limit %.1f: %v", ref, what, chi, limit, counts)
			}
		}
		check("places", parts[:])
		for n := 2; n < len(short); n++ {
			check(fmt.Sprintf("lists of %d", n), short[n][:n])
		}
	}
}

// TestNoAllocation counts the allocations of playing, listing and undoing once the state has grown.
func TestNoAllocation(t *testing.T) {
	for _, ref := range []string{"luductus", "bell-8x7", "schadler-2001@ludii", "locus-ludi-seneca", "falkener@ludii"} {
		rs, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(rs.Params)
		if err != nil {
			t.Fatal(err)
		}
		s, c := g.NewState(), g.NewState()
		rng := rand.New(rand.NewPCG(1, 1))
		s.Playout(rng, 600)
		c.CopyFrom(s)
		buf := make([]Action, 0, g.NumActions())
		var v View
		bytes := make([]byte, 0, 1024)
		if n := testing.AllocsPerRun(20, func() {
			s.Reset()
			c.CopyFrom(s)
			for i := 0; i < 300 && !s.Over(); i++ {
				buf = s.Legal(buf[:0])
				s.Play(buf[rng.IntN(len(buf))])
				s.View(&v)
				bytes = v.AppendBinary(bytes[:0])
				s.LastEffects()
			}
			for len(s.History()) > 0 {
				s.Undo()
			}
			s.Playout(rng, 300)
		}); n > 0 {
			t.Errorf("%s: %v allocations", ref, n)
		}
	}
}

// TestSymmetries maps random games through each symmetry of the game and compares them ply by ply.
func TestSymmetries(t *testing.T) {
	eachRuleset(t, func(t *testing.T, g *Game) {
		syms := g.Symmetries()
		if len(syms) == 0 || syms[0].Name != "identity" {
			t.Fatal("the identity is not the first symmetry")
		}
		for _, sym := range syms {
			s, m := g.NewState(), g.NewState()
			rng := rand.New(rand.NewPCG(6, 6))
			for n := 0; n < 160 && !s.Over(); n++ {
				legal := s.Legal(nil)
				mapped := make([]Action, len(legal))
				for i, a := range legal {
					mapped[i] = sym.Action[a]
				}
				slices.Sort(mapped)
				if got := m.Legal(nil); !slices.Equal(got, mapped) {
					t.Fatalf("%s, ply %d: legal %v, want %v", sym.Name, n, got, mapped)
				}
				a := legal[rng.IntN(len(legal))]
				s.Play(a)
				m.Play(sym.Action[a])
				for sq := 0; sq < g.squares; sq++ {
					if s.At(sq) != m.At(int(sym.Square[sq])) {
						t.Fatalf("%s, ply %d: square %s", sym.Name, n, g.squareName(sq))
					}
				}
			}
			if s.Outcome() != m.Outcome() || s.Reason() != m.Reason() {
				t.Fatalf("%s: %s and %s", sym.Name, s.Outcome(), m.Outcome())
			}
		}
	})
}

// TestSymmetryGroups checks the groups that follow from the rulesets' boards and set-ups.
func TestSymmetryGroups(t *testing.T) {
	for ref, want := range map[string]string{
		"schadler-1994":   "identity rotate-180 mirror-files mirror-ranks rotate-90 rotate-270 mirror-diagonal mirror-antidiagonal",
		"bell-8x7":        "identity rotate-180 mirror-files mirror-ranks",
		"bell-8x8":        "identity rotate-180 mirror-files mirror-ranks rotate-90 rotate-270 mirror-diagonal mirror-antidiagonal",
		"luductus":        "identity mirror-files",
		"webdux":          "identity",
		"kowalski-10x11":  "identity mirror-files",
		"museum-quintana": "identity mirror-files",
		"falkener":        "identity",
		"8x8-seega":       "identity mirror-diagonal",
	} {
		rs, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(rs.Params)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range g.Symmetries() {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s; want %s", ref, got, want)
		}
		rot := g.Rotation()
		for a, b := range rot.Action {
			if _, err := g.Decode(Action(a)); (err == nil) != (b != NoAction) || err == nil && rot.Action[b] != Action(a) {
				t.Fatalf("%s: rotation of action %d is %d", ref, a, b)
			}
		}
	}
}

// TestDecode checks the numbering: planes and squares, and that what decodes formats and parses.
func TestDecode(t *testing.T) {
	eachRuleset(t, func(t *testing.T, g *Game) {
		if g.NumActions() != len(g.Planes())*g.Squares()+1 || int(g.Pass()) != g.NumActions()-1 {
			t.Fatal("numbering")
		}
		for a := 0; a < g.NumActions()+3; a++ {
			ply, err := g.Decode(Action(a))
			if err != nil {
				if !errors.Is(err, ErrInvalid) {
					t.Fatal(err)
				}
				continue
			}
			if ply.Kind == Move {
				if pl := g.planeTo(ply.From, ply.To); pl*g.squares+ply.From != a {
					t.Fatalf("action %d is %v, which is in plane %d", a, ply, pl)
				}
			}
		}
	})
}

// TestWidthsAgree plays games of the small boards with all three kernels.
func TestWidthsAgree(t *testing.T) {
	for _, ref := range []string{"schadler-2001@ludii", "locus-ludi-seneca", "bell-8x7", "8x8-kharebga", "6x6-seega"} {
		rs, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		var states []*State
		for _, words := range []int{1, 2, 4} {
			g, err := Compile(rs.Params)
			if err != nil {
				t.Fatal(err)
			}
			g.words = words
			g.w2, g.w4 = newTablesW2(g), newTablesW4(g)
			states = append(states, g.NewState())
		}
		rng := rand.New(rand.NewPCG(9, 9))
		for game := 0; game < 3; game++ {
			for _, s := range states {
				s.Reset()
			}
			for n := 0; n < 400 && !states[0].Over(); n++ {
				legal := states[0].Legal(nil)
				a := legal[rng.IntN(len(legal))]
				want := ""
				if n%29 == 0 {
					want = states[0].Position()
				}
				for _, s := range states {
					if got := s.Legal(nil); !slices.Equal(got, legal) || n%29 == 0 && s.Position() != want {
						t.Fatalf("%s, ply %d: %d words: %v want %v", ref, n, s.game.words, got, legal)
					}
					s.Play(a)
				}
			}
		}
	}
}

// TestCompileRefuses checks that rules that cannot be played are errors.
func TestCompileRefuses(t *testing.T) {
	rs, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	p := rs.Params
	p.Board.Rows, p.Capture.Axes = 40, "sideways"
	if _, err := Compile(p); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "sideways") || !strings.Contains(err.Error(), "40") {
		t.Errorf("error %v does not name both problems", err)
	}
	if _, err := Compile(rules.Params{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("the zero parameters: %v", err)
	}
}

// TestViewRefuses damages view bytes in every way a single byte can be, and expects an error or a view that the same
// bytes come from.
func TestViewRefuses(t *testing.T) {
	g := openGame(t, "locus-ludi-seneca", "default")
	s := g.NewState()
	s.Playout(rand.New(rand.NewPCG(1, 2)), 90)
	var v, w View
	s.View(&v)
	good := v.AppendBinary(nil)
	for i := range good {
		for x := 0; x < 256; x++ {
			b := slices.Clone(good)
			b[i] = byte(x)
			if err := g.DecodeView(b, &w); err != nil && !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
		}
		if err := g.DecodeView(good[:i], &w); !errors.Is(err, ErrInvalid) {
			t.Fatalf("the first %d bytes: %v", i, err)
		}
	}
	if err := g.DecodeView(append(good, 0), &w); !errors.Is(err, ErrInvalid) {
		t.Fatal("a byte too many")
	}
	if len(good) > 60 {
		t.Errorf("%d bytes", len(good))
	}
	if reflect.DeepEqual(v, View{}) {
		t.Error("an empty view")
	}
}

// TestPlayoutUniformPairs does the same for pairs of plies, where the second is drawn as the end rules ask whether there is
// one (blocked players lose) and where a bonus ply or a removal may come between.
func TestPlayoutUniformPairs(t *testing.T) {
	for _, ref := range []string{"luductus", "locus-ludi-piso@ludii", "locus-ludi-seneca@ludii", "bell-8x7"} {
		s := running(t, ref+map[bool]string{true: "@default"}[!strings.Contains(ref, "@")])
		legal := s.Legal(nil)
		follow := make(map[Action]int)
		pairs := 0
		for _, a := range legal {
			s.Play(a)
			follow[a] = len(s.Legal(nil))
			pairs += follow[a]
			s.Undo()
		}
		total := 25 * pairs
		hits := make(map[[2]Action]int)
		rng := rand.New(rand.NewPCG(8, 8))
		for range total {
			n := s.Playout(rng, 2)
			h := s.History()
			pair := [2]Action{h[len(h)-n], NoAction}
			if n == 2 {
				pair[1] = h[len(h)-1]
			}
			hits[pair]++
			for range n {
				s.Undo()
			}
		}
		chi, cells := 0.0, 0
		for _, a := range legal {
			want := float64(total) / float64(len(legal)) / float64(max(1, follow[a]))
			s.Play(a)
			next := s.Legal(nil)
			s.Undo()
			if len(next) == 0 {
				next = []Action{NoAction}
			}
			for _, b := range next {
				d := float64(hits[[2]Action{a, b}]) - want
				chi += d * d / want
				cells++
				delete(hits, [2]Action{a, b})
			}
		}
		if len(hits) > 0 {
			t.Fatalf("%s: illegal pairs %v", ref, hits)
		}
		df := float64(cells - 1)
		if limit := df + 3.72*math.Sqrt(2*df) + 10; chi > limit || cells < 100 {
			t.Errorf("%s: chi-square %.1f for %d pairs, limit %.1f", ref, chi, cells, limit)
		}
	}
}

// TestWalkWithoutPlies: on a small board players often have no ply, or none but repetitions, with a leader whose places
// are drawn in vain. A playout that drew on would never end, and the test with it.
func TestWalkWithoutPlies(t *testing.T) {
	for _, overrides := range [][]string{
		{"board.rows=5", "board.cols=5", "pieces.men=5"}, // 89647, 1 is a playout that did not end
		{"board.rows=3", "board.cols=3", "pieces.men=2"},
		{"board.rows=3", "board.cols=4", "pieces.men=2", "repetition.rule=positional-superko", "end.no_capture_limit=0", "end.two_passes=draw"},
		{"board.rows=3", "board.cols=3", "pieces.men=1", "repetition.rule=positional-superko", "bonus.after=none"},
	} {
		rs, err := rules.Open("bell-8x7", overrides...)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Compile(rs.Params)
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		s := g.NewState()
		for i := range uint64(3000) {
			s.Reset()
			if s.Playout(rand.New(rand.NewPCG(89647, i)), 200); s.Outcome() != Ongoing {
				ended++
			}
		}
		if ended == 0 {
			t.Errorf("%v: no playout came to an end", overrides)
		}
	}
}
