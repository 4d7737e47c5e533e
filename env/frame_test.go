package env

import (
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env/engine"
)

// TestFrame: the frame's table is a bijection that decoding undoes, turns every ply by 180 degrees for player 1
// and leaves player 0's alone.
func TestFrame(t *testing.T) {
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		n := g.NumActions()
		turn := func(sq int) int {
			if sq < 0 {
				return sq
			}
			return g.Squares() - 1 - sq
		}
		for mover := range 2 {
			seen := make([]bool, n)
			for a := range n {
				i := e.ToFrame(mover, engine.Action(a))
				if i < 0 || i >= n || seen[i] {
					t.Fatalf("player %d: action %d goes to %d, which is out of range or taken", mover, a, i)
				}
				seen[i] = true
				if back := e.FromFrame(mover, i); int(back) != a {
					t.Fatalf("player %d: action %d goes to %d and comes back as %d", mover, a, i, back)
				}
				ply, err := g.Decode(engine.Action(a))
				if err != nil {
					continue // a number that leads off the board
				}
				got, err := g.Decode(engine.Action(i))
				if err != nil {
					t.Fatalf("player %d: action %d (%v) goes to %d, which means nothing: %v", mover, a, ply, i, err)
				}
				want := ply
				if mover == 1 {
					want.From, want.To = turn(ply.From), turn(ply.To)
				}
				if got != want {
					t.Fatalf("player %d: action %d is %v, in the frame %v, want %v", mover, a, ply, got, want)
				}
			}
			if pass := e.ToFrame(mover, g.Pass()); pass != n-1 {
				t.Errorf("player %d: the pass goes to %d, want the last index %d", mover, pass, n-1)
			}
		}
	})
}

// TestFrameCommutesWithSymmetries: a symmetry, then the frame, is the frame, then the symmetry; so one table
// of symmetries serves both players.
func TestFrameCommutesWithSymmetries(t *testing.T) {
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		engineSyms, frameSyms := g.Symmetries(), e.Symmetries()
		if len(engineSyms) != len(frameSyms) || len(frameSyms) == 0 {
			t.Fatalf("%d symmetries in the engine, %d in the frame", len(engineSyms), len(frameSyms))
		}
		for i := range frameSyms[0].Action {
			if int(frameSyms[0].Action[i]) != i {
				t.Fatal("the first symmetry is not the identity")
			}
		}
		for k, f := range frameSyms {
			seen := make([]bool, g.NumActions())
			for _, i := range f.Action {
				if seen[i] {
					t.Fatalf("%s takes two policy indices to %d", f.Name, i)
				}
				seen[i] = true
			}
			for mover := range 2 {
				for a := range g.NumActions() {
					if engineSyms[k].Action[a] == engine.NoAction {
						continue // a number that leads off the board
					}
					one := e.ToFrame(mover, engineSyms[k].Action[a])
					two := int(f.Action[e.ToFrame(mover, engine.Action(a))])
					if one != two {
						t.Fatalf("%s, player %d, action %d: %d one way, %d the other", f.Name, mover, a, one, two)
					}
				}
				for sq := range g.Squares() {
					if e.FrameSquare(mover, int(engineSyms[k].Square[sq])) != int(f.Square[e.FrameSquare(mover, sq)]) {
						t.Fatalf("%s, player %d: square %d does not commute", f.Name, mover, sq)
					}
				}
			}
		}
	})
}

// TestSymmetryOfObservations plays random games side by side with their images under every symmetry: what
// the image's mover sees is the image of what the mover sees, and the same holds for the legal policy.
func TestSymmetryOfObservations(t *testing.T) {
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		syms := e.Symmetries()
		engineSyms := g.Symmetries()
		for k := 1; k < len(syms); k++ {
			f := &syms[k]
			rng := rand.New(rand.NewPCG(uint64(k), 9))
			s, image := g.NewState(), g.NewState()
			movers := [2]int{}
			for range 150 {
				a, b := encode(e, s), encode(e, image)
				want := make([]float32, len(a.planes))
				f.ApplyPlanes(want, a.planes)
				if !slices.Equal(want, b.planes) || !slices.Equal(a.globals, b.globals) {
					t.Fatalf("%s, ply %d: the image is seen differently\n%s\n%s", f.Name, s.Ply(), s.Position(), image.Position())
				}
				legal := s.Legal(nil)
				policy := framePolicy(e, s.ToMove(), legal)
				wantPolicy := make([]float32, len(policy))
				f.ApplyPolicy(wantPolicy, policy)
				if !slices.Equal(wantPolicy, framePolicy(e, image.ToMove(), image.Legal(nil))) {
					t.Fatalf("%s, ply %d: the image has other legal plies\n%s\n%s", f.Name, s.Ply(), s.Position(), image.Position())
				}
				if s.Over() {
					break
				}
				movers[s.ToMove()]++
				act := legal[rng.IntN(len(legal))]
				s.Play(act)
				image.Play(engineSyms[k].Action[act])
			}
			if movers[0] == 0 || movers[1] == 0 {
				t.Errorf("%s: the game had %v plies by the two players; both frames need some", f.Name, movers)
			}
		}
	})
}

// framePolicy is the uniform policy over the legal plies in the mover's frame.
func framePolicy(e *Encoder, mover int, legal []engine.Action) []float32 {
	p := make([]float32, e.NumActions())
	for _, a := range legal {
		p[e.ToFrame(mover, a)] = 1 / float32(len(legal))
	}
	return p
}
