package engine

import (
	"math/rand/v2"
	"testing"
)

// TestUndoWhereTryingOutGrowsTheHistory: a ply in the course of which others are tried out, just where the history needs
// more memory, is taken back whole. Chains with situational superko try plies out inside a ply.
func TestUndoWhereTryingOutGrowsTheHistory(t *testing.T) {
	g := openGame(t, "schadler-1994", "situational-superko")
	for seed := range uint64(40) {
		s := g.NewState()
		rng := rand.New(rand.NewPCG(seed, 9))
		var legal []Action
		for n := 0; n < 200 && !s.Over(); n++ {
			legal = s.Legal(legal[:0])
			a := legal[rng.IntN(len(legal))]
			for _, b := range legal { // hops, which may go on
				if s.PlyOf(b).Kind == Hop && rng.IntN(3) == 0 {
					a = b
				}
			}
			c := s.Clone() // with a history just as long as the game
			before := c.Position()
			c.Play(a)
			after := c.Position()
			c.Undo()
			if got := c.Position(); got != before {
				t.Fatalf("seed %d, ply %d: %s taken back\n%s\n%s", seed, n, s.Format(a), before, got)
			}
			c.Play(a)
			if got := c.Position(); got != after {
				t.Fatalf("seed %d, ply %d: %s made again\n%s\n%s", seed, n, s.Format(a), after, got)
			}
			s.Play(a)
		}
	}
}
