package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
)

// fixed says the same of every leaf.
type fixed float32

func (f fixed) Evaluate(leaves []Leaf) error {
	for i := range leaves {
		leaves[i].Value = float32(f)
		for k := range leaves[i].Logits {
			leaves[i].Logits[k] = float32(k % 3)
		}
	}
	return nil
}

// TestProbeMixes: value and prior are the shares that they are said to be of what the evaluator and the look ahead say by
// themselves, a proven result replaces the value, and the state comes back as it was.
func TestProbeMixes(t *testing.T) {
	c := ProbeConfig{Nodes: 80, Value: 0.25, Prior: 0.4}
	p, err := NewProber(fixed(0.5), c)
	if err != nil {
		t.Fatal(err)
	}
	ahead, err := NewAlphaBeta(AlphaBetaConfig{Nodes: 80, Quiescence: true, Reductions: true})
	if err != nil {
		t.Fatal(err)
	}
	proven := 0
	leaf := func(s *engine.State) Leaf {
		legal := s.Legal(nil)
		return Leaf{State: s, Legal: legal, Logits: make([]float32, len(legal)), Rand: stream(1)}
	}
	states := append(startedGames(t, 12), nearWins(t)...)
	for _, s := range states {
		if len(s.Legal(nil)) < 2 {
			continue
		}
		before := s.Position()
		d, err := ahead.Choose(s, rand.New(rand.NewPCG(s.Hash(), 0)))
		if err != nil {
			t.Fatal(err)
		}
		leaves := []Leaf{leaf(s)}
		if err := p.Evaluate(leaves); err != nil {
			t.Fatal(err)
		}
		want := 0.75*0.5 + 0.25*d.Value
		if d.Proven {
			want = d.Value
			proven++
		}
		if math.Abs(float64(leaves[0].Value)-want) > 1e-6 {
			t.Errorf("value %v, want %v", leaves[0].Value, want)
		}
		sum, plain := 0.0, 0.0
		for k := range leaves[0].Legal {
			plain += math.Exp(float64(k % 3))
		}
		for k, a := range leaves[0].Legal {
			got, want := math.Exp(float64(leaves[0].Logits[k])), 0.6*math.Exp(float64(k%3))/plain
			if a == d.Action {
				want += 0.4
			}
			if sum += got; math.Abs(got-want) > 1e-5 {
				t.Errorf("prior %v, want %v", got, want)
			}
		}
		if math.Abs(sum-1) > 1e-4 {
			t.Errorf("priors sum to %v", sum)
		}
		if after := s.Position(); after != before {
			t.Errorf("the probe left %s, was %s", after, before)
		}
	}
	if proven == 0 {
		t.Error("no proven result among the positions")
	}
	// Leaves of several games in one batch, in another order: each is told the same.
	var batch, turned []Leaf
	for _, s := range states {
		batch, turned = append(batch, leaf(s)), append(turned, leaf(s))
	}
	slices.Reverse(turned)
	for _, b := range [][]Leaf{batch, turned} {
		if err := p.Evaluate(b); err != nil {
			t.Fatal(err)
		}
	}
	slices.Reverse(turned)
	for i := range batch {
		if batch[i].Value != turned[i].Value || !slices.Equal(batch[i].Logits, turned[i].Logits) {
			t.Errorf("leaf %d depends on the batch", i)
		}
	}
}

// nearWins are positions in which the player to move has a winning ply, from the ends of random games.
func nearWins(t *testing.T) []*engine.State {
	t.Helper()
	var out []*engine.State
	for seed := uint64(1); len(out) < 3 && seed < 60; seed++ {
		s := startedGames(t, 1)[0]
		rng := stream(seed)
		var path []*engine.State
		for !s.Over() && len(path) < 400 {
			path = append(path, s.Clone())
			legal := s.Legal(nil)
			s.Play(legal[rng.IntN(len(legal))])
		}
		if s.Over() && s.Outcome() != engine.Draw && len(path[len(path)-1].Legal(nil)) > 1 {
			out = append(out, path[len(path)-1])
		}
	}
	return out
}

func TestProbeProblems(t *testing.T) {
	for want, c := range map[string]ProbeConfig{
		"no nodes": {}, "Nodes": {Nodes: -1}, "Value": {Nodes: 1, Value: 1.5}, "Prior": {Nodes: 1, Prior: 1},
	} {
		if _, err := NewProber(Uniform{}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	p, err := NewProber(Uniform{}, DefaultProbe(10))
	if err != nil {
		t.Fatal(err)
	}
	toy := newToy(&toyGame{seed: 1, branch: 4, depth: 5})
	if err := p.Evaluate([]Leaf{{State: toy, Legal: toy.Legal(nil), Logits: make([]float32, len(toy.Legal(nil)))}}); err == nil {
		t.Error("a state that is not the engine's was probed")
	}
}
