package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"latro/env/engine"
	"latro/env/internal/difftest"
)

// look is everything that a state shows.
func look(s *engine.State) string {
	var v engine.View
	s.View(&v)
	return fmt.Sprintf("%s|%x|%v|%v|%v", s.Position(), s.Hash(), s.Legal(nil), v, s.LastEffects())
}

// glance is what a state shows of the position alone.
func glance(s *engine.State) string {
	men0, lead0, bound0 := s.Pieces(0)
	men1, lead1, bound1 := s.Pieces(1)
	out := fmt.Sprint(s.Outcome(), s.Reason(), s.ToMove(), s.Ply(), s.Turn(), s.Quiet(), s.Phase(), s.RepetitionCount(), s.Hash(),
		men0, lead0, bound0, men1, lead1, bound1)
	for sq := range s.Game().Squares() {
		out += fmt.Sprint(" ", s.At(sq))
	}
	return out
}

// TestRandomRulesets plays games of random valid parameters, which combine rules that no catalogue entry does, and checks
// undo, position strings, views, copies, playouts and symmetries in them.
func TestRandomRulesets(t *testing.T) {
	const rulesets = 250
	began := time.Now()
	for seed := uint64(0); seed < rulesets; seed++ {
		if time.Since(began) > 6*time.Second {
			if seed < 25 {
				t.Fatalf("only %d rulesets in %v", seed, time.Since(began))
			}
			return
		}
		p := difftest.RandomParams(rand.New(rand.NewPCG(seed, 77)))
		g, err := engine.Compile(p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		fail := func(format string, args ...any) {
			t.Fatalf("seed %d: %s\n%+v", seed, fmt.Sprintf(format, args...), p)
		}
		rng := rand.New(rand.NewPCG(seed, 78))
		s := g.NewState()
		mirror := g.NewState()
		syms := g.Symmetries()
		sym := syms[rng.IntN(len(syms))]
		for n := 0; n < 200 && !s.Over(); n++ {
			legal := s.Legal(nil)
			if len(legal) == 0 || !slices.IsSorted(legal) {
				fail("ply %d: legal plies %v", n, legal)
			}
			mapped := make([]engine.Action, len(legal))
			for i, a := range legal {
				mapped[i] = sym.Action[a]
			}
			slices.Sort(mapped)
			if got := mirror.Legal(nil); !slices.Equal(got, mapped) {
				fail("ply %d: %s: legal %v, want %v", n, sym.Name, got, mapped)
			}
			if n%12 == 0 {
				before := look(s)
				q, err := g.ParsePosition(s.Position())
				if err != nil {
					fail("ply %d: %s: %v", n, s.Position(), err)
				}
				if q.Position() != s.Position() || !slices.Equal(q.Legal(nil), legal) {
					fail("ply %d: position\n%s\n%s\nplies %v, want %v", n, s.Position(), q.Position(), q.Legal(nil), legal)
				}
				var v, w engine.View
				s.View(&v)
				if err := g.DecodeView(v.AppendBinary(nil), &w); err != nil || v != w {
					fail("ply %d: view: %v", n, err)
				}
				for _, a := range legal {
					s.Play(a)
					s.Undo()
				}
				if k := s.Playout(rng, 30); k > 0 {
					for range k {
						s.Undo()
					}
				}
				if after := look(s); after != before {
					fail("ply %d: played and undone\n%s\n%s", n, before, after)
				}
				// What a playout draws is legal.
				c := s.Clone()
				k := c.Playout(rng, 12)
				r := s.Clone()
				for _, a := range c.History()[len(c.History())-k:] {
					if err := r.TryPlay(a); err != nil {
						fail("ply %d: playout: %v in %s", n, err, r.Position())
					}
				}
				// First what the playout itself left, then what is made again for who asks more.
				if a, b := glance(c), glance(r); a != b {
					fail("ply %d: after a playout of %d plies\n%s\n%s", n, k, a, b)
				}
				if a, b := look(c), look(r); a != b {
					fail("ply %d: after a playout of %d plies\n%s\n%s", n, k, a, b)
				}
			}
			a := legal[rng.IntN(len(legal))]
			s.Play(a)
			mirror.Play(sym.Action[a])
		}
	}
}
