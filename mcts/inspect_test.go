package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
)

// inspected is a position of Bell's game on a small board after some random plies.
func inspected(t *testing.T, plies int, rng *rand.Rand) *engine.State {
	t.Helper()
	g := envtest.Game(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4")
	s := g.NewState()
	for range plies {
		legal := s.Legal(nil)
		if s.Play(legal[rng.IntN(len(legal))]); s.Over() {
			s.Undo()
			break
		}
	}
	return s
}

// TestUCTSearch: a choice that is made step by step is the agent's choice, in whatever steps, and may be looked at on
// the way.
func TestUCTSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	proven := 0
	for i := range 40 {
		s := inspected(t, 5+i, rng)
		cfg := DefaultUCT(60)
		cfg.Cutoff = 30
		agent, err := NewUCT(cfg)
		if err != nil {
			t.Fatal(err)
		}
		a, b := rng.Uint64(), rng.Uint64()
		want, err := agent.Choose(s, rand.New(rand.NewPCG(a, b)))
		if err != nil {
			t.Fatal(err)
		}
		x, err := agent.Start(s, rand.New(rand.NewPCG(a, b)))
		if err != nil {
			t.Fatal(err)
		}
		before := s.Position()
		for done, more := 0, true; more && done < 60; done++ {
			more = x.Step(1)
			r := x.Result()
			sum := 0
			for _, v := range r.Visits {
				sum += int(v)
			}
			if sum != r.Simulations {
				t.Fatalf("%d visits after %d simulations", sum, r.Simulations)
			}
		}
		r := x.Result()
		got := Decision{r.Action, r.Value, r.HasValue, r.Proven, r.Simulations, r.Forced}
		if got != want {
			t.Errorf("position %d: step by step %+v, at once %+v", i, got, want)
		}
		if s.Position() != before {
			t.Fatal("the state was changed")
		}
		if !slices.Equal(r.Legal, s.Legal(nil)) {
			t.Error("the plies are not the legal ones, ascending")
		}
		low, high := x.Bounds()
		if r.Proven {
			proven++
			if low != r.Value || high != r.Value {
				t.Errorf("proven %v, bounds %v and %v", r.Value, low, high)
			}
		}
	}
	if proven == 0 {
		t.Error("no position was proven: nothing is known about the bounds of one")
	}
}

// TestVariation: the variation of the ply to make is the principal one, every variation is legal, and the tree shows
// the same counts as the result.
func TestVariation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 20 {
		s := inspected(t, 9+i, rng)
		search, err := New(DefaultPUCT(150))
		if err != nil {
			t.Fatal(err)
		}
		if err := search.Begin(s, nil); err != nil {
			t.Fatal(err)
		}
		if err := RunAll([]*Search{search}, Uniform{}); err != nil {
			t.Fatal(err)
		}
		r := search.Result().Clone()
		if r.Forced {
			continue
		}
		var line []engine.Action
		for _, x := range search.Variation(nil, r.Action, 20) {
			line = append(line, x.Action)
		}
		if want := search.Line(nil, 20); !slices.Equal(line, want) {
			t.Errorf("variation %v, principal line %v", line, want)
		}
		for k, a := range r.Legal {
			steps := search.Variation(nil, a, 20)
			if steps[0] != (Step{a, r.Visits[k]}) {
				t.Errorf("the variation begins with %+v", steps[0])
			}
			for j, x := range steps {
				if !s.IsLegal(x.Action) {
					t.Fatalf("%v is not legal at ply %d", x, j)
				}
				if j > 0 && x.Visits > steps[j-1].Visits {
					t.Errorf("visits grow along the line: %v", steps)
				}
				s.Play(x.Action)
			}
			for range steps {
				s.Undo()
			}
		}
		if got := search.Variation(nil, engine.NoAction, 5); got != nil {
			t.Errorf("the variation of no ply is %v", got)
		}
		top := search.Branches(3, 1000)
		for j, b := range top {
			k, ok := slices.BinarySearch(r.Legal, b.Action)
			if !ok || b.Visits != r.Visits[k] || float32(b.Value) != r.Q[k] || b.Mover != s.ToMove() || b.Proven != r.Exact[k] {
				t.Errorf("branch %+v; the result has visits %v and value %v", b, r.Visits[k], r.Q[k])
			}
			if j > 0 && b.Visits > top[j-1].Visits {
				t.Error("branches are not in the order of their visits")
			}
			sum := uint32(0)
			for _, c := range b.Children {
				sum += c.Visits
			}
			if sum > b.Visits {
				t.Errorf("children have %d visits, their parent %d", sum, b.Visits)
			}
		}
		count := 0
		var walk func([]Branch)
		walk = func(bs []Branch) {
			for _, b := range bs {
				count++
				walk(b.Children)
			}
		}
		walk(search.Branches(3, 10))
		if count != 10 {
			t.Errorf("%d branches with a limit of 10", count)
		}
		if search.Bytes() < 48*100 {
			t.Errorf("a tree of 150 simulations takes %d bytes", search.Bytes())
		}
	}
}

// TestBounds: a proven draw among the plies bounds the value on the side of the mover's loss.
func TestBounds(t *testing.T) {
	for mover, want := range map[uint8][2]float64{0: {0, 1}, 1: {-1, 0}} {
		var tr tree
		root := tr.add([]engine.Action{1, 2}, []float32{0, 0}, int(mover), 0, 0)
		if low, high := tr.bounds(root); low != -1 || high != 1 {
			t.Errorf("nothing proven: %v and %v", low, high)
		}
		tr.prove(&tr.nodes[root], 0, drawn)
		if low, high := tr.bounds(root); low != want[0] || high != want[1] {
			t.Errorf("a draw for player %d: %v and %v", mover, low, high)
		}
		tr.prove(&tr.nodes[root], 1, drawn)
		if low, high := tr.bounds(root); low != 0 || high != 0 {
			t.Errorf("only draws: %v and %v", low, high)
		}
	}
}
