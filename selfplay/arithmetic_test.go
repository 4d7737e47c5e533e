package selfplay

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"latro/mcts"
	"latro/nn"
)

// TestArithmetic plays a generation with 16-bit products, says so in the manifest, and lets its network play itself in both
// ways.
func TestArithmetic(t *testing.T) {
	c := tiny()
	c.Games, c.GamesPerShard = 2, 2
	c.Search.Arithmetic = nn.Int16
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Create(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Generate(context.Background(), Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Shards) != 1 || m.Shards[0].Kernel != nn.KernelID()+"+int16" {
		t.Errorf("shards %+v", m.Shards)
	}
	agents := new(Agents)
	var made [2]*netAgent
	for i, arithmetic := range nn.Arithmetics() {
		spec, err := mcts.ParseSpec("net:simulations=4,run=" + dir + ",arithmetic=" + string(arithmetic))
		if err != nil {
			t.Fatal(err)
		}
		a, err := agents.New(spec, r.Game, r.Ruleset.Hash())
		if err != nil {
			t.Fatal(err)
		}
		made[i] = a.(*netAgent)
	}
	s := r.Game.NewState()
	legal := s.Legal(nil)
	var said [2]mcts.Leaf
	for i, a := range made {
		said[i] = mcts.Leaf{State: s, Legal: legal, Logits: make([]float32, len(legal))}
		// Through the cache that both share.
		if err := a.Net.Evaluator().Evaluate(said[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if said[0].Value == said[1].Value {
		t.Error("both ways say the same to the last bit: one answered for the other")
	}

	c.Search.Arithmetic = "int4"
	if err := c.Validate(); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "search.arithmetic") {
		t.Errorf("int4: %v", err)
	}
	spec, err := mcts.ParseSpec("net:arithmetic=int4,run=" + dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := agents.New(spec, r.Game, r.Ruleset.Hash()); !errors.Is(err, ErrInput) {
		t.Errorf("an agent with int4: %v", err)
	}
}
