package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/rules"
)

// toyLore knows nothing of toys: positions are told apart by their hash, which stands for the whole line.
type toyLore struct{ s State }

func (k *toyLore) begin(s State)                      { k.s = s }
func (k *toyLore) deepen(int)                         {}
func (k *toyLore) played(engine.Action, uint8)        {}
func (k *toyLore) undone()                            {}
func (k *toyLore) estimate() int32                    { return int32(mix(k.key()^77)%4001) - 2000 }
func (k *toyLore) calm() bool                         { return false }
func (k *toyLore) takes(a engine.Action, _ uint8) int { return int(mix(uint64(a)^k.key()) % 3) }
func (k *toyLore) key() uint64                        { return k.s.(hasher).Hash() }
func (k *toyLore) context() uint32                    { return 0 }

// meeting is a toy in which the order of plies does not matter, so that lines meet.
type meeting struct{ toy }

func newMeeting(g *toyGame) *meeting { return &meeting{*newToy(g)} }

func (s *meeting) Play(a engine.Action) {
	s.stack = append(s.stack, s.key()+mix(uint64(a)))
}

func mustAlphaBeta(t testing.TB, cfg AlphaBetaConfig) *AlphaBeta {
	t.Helper()
	a, err := NewAlphaBeta(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func toySearch(t testing.TB, cfg AlphaBetaConfig) *AlphaBeta {
	a := mustAlphaBeta(t, cfg)
	a.lore = &toyLore{}
	for i := range a.history {
		a.history[i] = make([]int32, 100)
	}
	return a
}

// alphaBetaVariants is every combination of what must not change an exact result.
func alphaBetaVariants(base AlphaBetaConfig) map[string]AlphaBetaConfig {
	out := map[string]AlphaBetaConfig{}
	for i := range 8 {
		c := base
		c.MB = i & 1
		c.Quiescence = i&2 != 0
		c.Reductions = i&4 != 0
		out[fmt.Sprintf("mb=%d,quiescence=%v,reductions=%v", c.MB, c.Quiescence, c.Reductions)] = c
	}
	return out
}

// Exhaustive searches of random trees with arbitrary order of the players give minimax's value and a ply that keeps it.
func TestAlphaBetaMinimax(t *testing.T) {
	for name, cfg := range alphaBetaVariants(AlphaBetaConfig{Depth: 12}) {
		a := toySearch(t, cfg)
		for seed := range uint64(60) {
			g := toyGame{seed: seed, depth: 7, branch: 4, ends: 0.1}.withChoice()
			for kind, s := range map[string]interface {
				State
				after(engine.Action) float64
			}{"tree": newToy(g), "meeting lines": newMeeting(g)} {
				want := minimax(s)
				d, err := a.choose(s, stream(seed))
				if err != nil {
					t.Fatal(err)
				}
				if d.Value != want || !d.Proven {
					t.Fatalf("%s, %s, seed %d: value %v, proven %v; minimax says %v", name, kind, seed, d.Value, d.Proven, want)
				}
				s.Play(d.Action)
				got := minimax(s)
				s.Undo()
				if got != want {
					t.Fatalf("%s, %s, seed %d: ply %d keeps %v of %v", name, kind, seed, d.Action, got, want)
				}
			}
		}
	}
}

func (s *meeting) after(a engine.Action) float64 {
	s.Play(a)
	defer s.Undo()
	return minimax(s)
}

// Games that were stopped are estimated and never proven, unless a result decides beside them.
func TestAlphaBetaStoppedGamesProveNothing(t *testing.T) {
	a := toySearch(t, AlphaBetaConfig{Depth: 12, MB: 1})
	for seed := range uint64(20) {
		s := newToy(toyGame{seed: seed, depth: 5, branch: 3, capped: 1}.withChoice())
		d, err := a.choose(s, stream(1))
		if err != nil {
			t.Fatal(err)
		}
		if d.Proven || math.Abs(d.Value) >= 1 {
			t.Fatalf("seed %d: %+v", seed, d)
		}
	}
}

// exact is minimax over a game's lines up to a number of plies: the result with best play, and whether it is one.
func exact(s *engine.State, depth int) (v0 float64, known bool) {
	if s.Over() {
		return s.Value()
	}
	if depth == 0 {
		return 0, false
	}
	mover := uint8(s.ToMove())
	best, all := -1.0, true
	for _, a := range s.Legal(nil) {
		s.Play(a)
		v, ok := exact(s, depth-1)
		s.Undo()
		if !ok {
			all = false
			continue
		}
		v = view(v, mover)
		if v == 1 {
			return view(1.0, mover), true
		}
		best = max(best, v)
	}
	return view(best, mover), all
}

// wander makes random plies, at most n, drawn from the list of legal ones, so that what a test sees does not hang on how
// the engine draws its playouts.
func wander(s *engine.State, rng *rand.Rand, n int) {
	var legal []engine.Action
	for range n {
		if legal = s.Legal(legal[:0]); len(legal) == 0 {
			return
		}
		s.Play(legal[rng.IntN(len(legal))])
	}
}

// endings gives positions of random games shortly before their end.
func endings(t testing.TB, g *engine.Game, n, back int) []*engine.State {
	var out []*engine.State
	for seed := uint64(1); len(out) < n && seed < 2000; seed++ {
		s := g.NewState()
		wander(s, stream(seed), 2000)
		if !s.Over() {
			continue
		}
		for range min(s.Ply(), 1+int(seed)%back) {
			s.Undo()
		}
		if len(s.Legal(nil)) > 1 {
			out = append(out, s)
		}
	}
	return out
}

// What a search to a depth claims to be proven is what minimax finds there, and it claims all wins and losses that minimax
// finds.
func TestAlphaBetaFindsForcedResults(t *testing.T) {
	for ref, depth := range map[string]int{"bell-8x7": 2, "luductus": 2, "6x6-kharebga": 3, "webdux": 2, "seega-classic-5x5": 3, "museum-quintana": 2} {
		g := envtest.Game(t, ref)
		plain := mustAlphaBeta(t, AlphaBetaConfig{Depth: depth, MB: 4})
		full := mustAlphaBeta(t, AlphaBetaConfig{Depth: depth, MB: 4, Quiescence: true, Reductions: true})
		wins := 0
		for i, s := range endings(t, g, 40, depth) {
			want, known := exact(s, depth)
			known = known && want != 0
			before := describe(s)
			d, err := plain.Choose(s, stream(uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			if after := describe(s); after != before {
				t.Fatalf("%s: the position was changed:\n%s\n%s", ref, before, after)
			}
			if known != (d.Proven && d.Value != 0) || known && d.Value != want {
				t.Fatalf("%s, %s: %+v; minimax: %v, known %v", ref, s.Position(), d, want, known)
			}
			if d, err = full.Choose(s, stream(uint64(i))); err != nil {
				t.Fatal(err)
			}
			if known && (!d.Proven || d.Value != want) {
				t.Fatalf("%s, %s: with quiescence and reductions %+v; minimax: %v", ref, s.Position(), d, want)
			}
			if known {
				wins++
				s.Play(d.Action)
				if v, ok := exact(s, depth); !ok || v != want {
					t.Fatalf("%s: ply %s does not keep the result %v", ref, s.Format(d.Action), want)
				}
			}
		}
		if wins < 4 {
			t.Errorf("%s: only %d positions with a forced result; the test shows little", ref, wins)
		}
	}
}

// small is a game on few squares that ends after a few plies without capture, so that it can be searched to its end.
func small(t testing.TB, sets ...string) *engine.Game {
	return envtest.Game(t, "6x6-kharebga", append([]string{"board.rows=3", "board.cols=3", "pieces.men=2",
		"end.annihilation_at=0", "end.no_capture_limit=9", "end.no_capture_result=count", "end.tie=player-1"}, sets...)...)
}

// With rules of repetition, bans on undoing, passes and limits, a search that shares results between lines finds the
// same as one that shares none, in games searched to their ends; so the context of an entry leaves nothing out.
func TestAlphaBetaTableKnowsHistory(t *testing.T) {
	for _, sets := range [][]string{
		nil,
		{"repetition.rule=positional-superko"},
		{"repetition.rule=situational-superko", "movement.men.range=step"},
		{"movement.undo=forbidden"},
		{"movement.men.range=step", "end.blocked=loses"},
		{"repetition.rule=none", "end.no_capture_limit=7", "end.tie=draw"},
		{"movement.men.range=step", "end.no_capture_limit=11"},
	} {
		g := small(t, sets...)
		with := mustAlphaBeta(t, AlphaBetaConfig{Depth: 40, MB: 16})
		without := mustAlphaBeta(t, AlphaBetaConfig{Depth: 40})
		shared, alone := 0, 0
		for seed := range uint64(6) {
			s := g.NewState()
			wander(s, stream(seed), 4+int(seed)) // the men are placed, and up to five plies made
			if s.Over() || len(s.Legal(nil)) < 2 {
				continue
			}
			a, err := with.Choose(s, stream(seed))
			if err != nil {
				t.Fatal(err)
			}
			b, err := without.Choose(s, stream(seed))
			if err != nil {
				t.Fatal(err)
			}
			if !a.Proven || !b.Proven || a.Value != b.Value {
				t.Fatalf("%v, %s: with a table %+v, without %+v", sets, s.Position(), a, b)
			}
			shared += a.Simulations
			alone += b.Simulations
		}
		if shared >= alone {
			t.Errorf("%v: with a table %d nodes, without %d", sets, shared, alone)
		}
		t.Logf("%v: with a table %d nodes, without %d", sets, shared, alone)
	}
}

// A budget of nodes is kept exactly, and what an agent was asked before does not matter.
func TestAlphaBetaBudgetAndDeterminism(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	a, b := mustAgent(t, "alphabeta:nodes=777"), mustAgent(t, "alphabeta:nodes=777")
	other := envtest.Game(t, "luductus").NewState()
	for seed := range uint64(8) {
		s := g.NewState()
		wander(s, stream(seed), int(10*seed))
		if len(s.Legal(nil)) < 2 {
			continue
		}
		d, err := a.Choose(s, stream(seed))
		if err != nil {
			t.Fatal(err)
		}
		if d.Simulations > 777 || d.Simulations < 777 && !d.Proven {
			t.Errorf("seed %d: %d nodes of 777", seed, d.Simulations)
		}
		if _, err := b.Choose(other, stream(9)); err != nil {
			t.Fatal(err)
		}
		e, err := b.Choose(s, stream(seed))
		if err != nil {
			t.Fatal(err)
		}
		if d != e {
			t.Errorf("seed %d: %+v, and after another search %+v", seed, d, e)
		}
	}
}

// Plies of equal worth are all chosen, by the random stream.
func TestAlphaBetaTies(t *testing.T) {
	a := mustAlphaBeta(t, AlphaBetaConfig{Depth: 1, Quiescence: true})
	s := envtest.Game(t, "bell-8x7").NewState()
	seen := map[engine.Action]bool{}
	for seed := range uint64(40) {
		d, err := a.Choose(s, stream(seed))
		if err != nil {
			t.Fatal(err)
		}
		seen[d.Action] = true
	}
	if len(seen) < 2 {
		t.Errorf("40 streams chose only %v", seen)
	}
}

func TestAlphaBetaAllocations(t *testing.T) {
	s := envtest.Game(t, "bell-8x7").NewState()
	wander(s, stream(1), 50)
	a := mustAgent(t, "alphabeta:nodes=3000")
	rng := stream(2)
	if n := testing.AllocsPerRun(5, func() {
		if _, err := a.Choose(s, rng); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations a search", n)
	}
}

func TestAlphaBetaSpec(t *testing.T) {
	for _, text := range []string{"alphabeta:nodes=200000", "alphabeta:seconds=0.5", "alphabeta:depth=4", "alphabeta:depth=3,mb=0,nodes=10,quiescence=false,reductions=false"} {
		a := mustAgent(t, text)
		if a.Name() != text {
			t.Errorf("%s is called %s", text, a.Name())
		}
		if got := Reproducible(a); got != (text != "alphabeta:seconds=0.5") {
			t.Errorf("%s: reproducible %v", text, got)
		}
	}
	for _, text := range []string{"alphabeta", "alphabeta:nodes=0", "alphabeta:nodes=x", "alphabeta:seconds=-1", "alphabeta:depth=101", "alphabeta:mb=5000,nodes=1", "alphabeta:simulations=5"} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewAgent(spec, nil); !errors.Is(err, ErrSpec) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := NewAlphaBeta(AlphaBetaConfig{}); !errors.Is(err, ErrConfig) {
		t.Errorf("a search without an end: %v", err)
	}
}

// The board that the search keeps beside the engine's agrees with it after every ply of random games, in every ruleset.
func TestBoardFollows(t *testing.T) {
	for _, ref := range rules.Catalogue() {
		g := envtest.Game(t, ref)
		l := newLayout(g)
		s := g.NewState()
		var b, want board
		b.read(l, s)
		rng := stream(3)
		for range 300 {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				s.Reset()
				b.read(l, s)
				continue
			}
			a := legal[rng.IntN(len(legal))]
			mover := s.ToMove()
			s.Play(a)
			b.follow(l, s, a, mover)
			want.read(l, s)
			if b != want {
				t.Fatalf("%s: after %s at %s the board differs", ref, s.Format(a), s.Position())
			}
		}
	}
}

// What a ply is thought to take agrees with what it takes, but for the forms of capture that the estimate leaves out.
func TestTakes(t *testing.T) {
	for ref, g := range capturesOfAllForms(t) {
		l := newLayout(g)
		k := newGameLore(g, nil)
		s := g.NewState()
		var b board
		rng := stream(4)
		right, captures, plies := 0, 0, 0
		for range 400 {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				s.Reset()
				continue
			}
			b.read(l, s)
			mover := s.ToMove()
			k.begin(s)
			for _, a := range legal {
				n := l.takes(&b, a, uint8(mover))
				if at := k.takes(a, uint8(mover)); at != n {
					t.Fatalf("%s: %s at %s is passed over: %d, not %d", ref, s.Format(a), s.Position(), at, n)
				}
				s.Play(a)
				e := s.LastEffects()
				took := len(e.Captured) > 0 || e.Bound > 0
				s.Undo()
				plies++
				if took {
					captures++
				}
				if took == (n > 0) {
					right++
				}
			}
			s.Play(legal[rng.IntN(len(legal))])
		}
		if share := float64(plies-right) / float64(max(1, captures)); share > 0.05 {
			t.Errorf("%s: wrong on %d of %d plies, of which %d capture", ref, plies-right, plies, captures)
		}
	}
}
