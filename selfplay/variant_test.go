package selfplay

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
	"latro/mcts"
	"latro/nn"
)

// several is tiny for three sets of rules that one network can play.
func several() Config {
	c := tiny()
	c.Ruleset, c.Rulesets = "", []string{"bell-8x7", "bell-8x7+end.no_capture_limit=60", "bell-8x7+end.no_capture_limit=90"}
	return c
}

// Games are dealt to the rulesets by turns, each is played and learned by its own rules, and the checkpoint plays all of
// them and no other.
func TestSeveralRulesets(t *testing.T) {
	dir := t.TempDir()
	c := several()
	c.Games = 5
	if err := learn(t, dir, c, Options{}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	games, samples := shards(t, r)
	names := map[uint64]string{}
	count := map[string]int{}
	for i, g := range games {
		if want := r.Variants[i%3].Ruleset; g.Ruleset != want.Ref() || g.RulesetHash != want.Hash() {
			t.Errorf("game %d is played by %s", i, g.Ruleset)
		}
		names[g.GameID] = g.RulesetHash
		count[g.Ruleset]++
		game := r.variantOf(g.RulesetHash).Game
		s := game.NewState()
		for _, m := range g.Moves {
			if s.Over() {
				t.Fatalf("game %d goes on after its end", i)
			}
			if err := s.TryPlay(engine.Action(m)); err != nil {
				t.Fatalf("game %d: %v", i, err)
			}
		}
		if s.Over() && s.Outcome().String() != g.Outcome {
			t.Errorf("game %d ends with %s, not %s", i, s.Outcome(), g.Outcome)
		}
	}
	if len(count) != 3 {
		t.Errorf("played %v", count)
	}
	for _, s := range samples {
		if names[s.GameID] != s.RulesetHash {
			t.Fatalf("a sample of game %d has another ruleset", s.GameID)
		}
	}
	network, err := nn.Load(filepath.Join(dir, checkpointName(2)))
	if err != nil {
		t.Fatal(err)
	}
	spec := mcts.Spec{Kind: "net", Options: map[string]string{"run": dir, "simulations": "2"}}
	for _, v := range r.Variants {
		if err := network.CheckRuleset(v.Ruleset.Ref(), v.Ruleset.Hash()); err != nil {
			t.Error(err)
		}
		if _, err := new(Agents).New(spec, v.Game, v.Ruleset.Hash()); err != nil {
			t.Error(err)
		}
	}
	other, game := envtest.Open(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4", "end.no_capture_limit=50")
	if _, err := new(Agents).New(spec, game, other.Hash()); err == nil || !strings.Contains(err.Error(), "and 2 others") {
		t.Errorf("another ruleset: %v", err)
	}
}

// Positions of all rulesets may be in one batch: each is seen through its own rules, and remembered apart.
func TestEvaluatorOfSeveralRulesets(t *testing.T) {
	variants, err := several().Variants()
	if err != nil {
		t.Fatal(err)
	}
	network, err := nn.New(nn.Config{Blocks: 1, Channels: 16, PoolEvery: 1, ValueHidden: 16}, ShapeOf(variants[0].Encoder), 3)
	if err != nil {
		t.Fatal(err)
	}
	inf, err := nn.Compile(network)
	if err != nil {
		t.Fatal(err)
	}
	alone := make([]float32, len(variants))
	leaves := make([]mcts.Leaf, len(variants))
	for i, v := range variants {
		s := v.Game.NewState()
		legal := s.Legal(nil)
		leaves[i] = mcts.Leaf{State: s, Legal: legal, Logits: make([]float32, len(legal))}
		ev, err := NewEvaluator(inf, v.Encoder, 4, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := ev.Evaluate(leaves[i : i+1]); err != nil {
			t.Fatal(err)
		}
		alone[i] = leaves[i].Value
	}
	if alone[0] == alone[1] || alone[1] == alone[2] {
		t.Fatalf("the network does not tell the rules apart: %v", alone)
	}
	ev, err := NewEvaluator(inf, variants[0].Encoder, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	cached := NewCache(1<<20).Over(ev, variants[0].Ruleset.Hash())
	for _, v := range variants[1:] {
		ev.also(v.Encoder)
		cached.also(v.Game, v.Ruleset.Hash())
	}
	for range 2 {
		for i := range leaves {
			leaves[i].Value = 9
		}
		if err := cached.Evaluate(leaves); err != nil {
			t.Fatal(err)
		}
		for i := range leaves {
			if leaves[i].Value != alone[i] {
				t.Errorf("%s: value %v in company, %v alone", variants[i].Ruleset.Ref(), leaves[i].Value, alone[i])
			}
		}
	}
	if cached.found != len(leaves) {
		t.Errorf("found %d of %d", cached.found, len(leaves))
	}
}

// Rulesets that one network cannot play, or that are one, are refused by name.
func TestRulesetsThatDoNotFit(t *testing.T) {
	for _, x := range []struct {
		rulesets []string
		want     []string
	}{
		{[]string{"bell-8x7", "luductus"}, []string{"bell-8x7", "luductus", "plane"}},
		{[]string{"bell-8x7", "bell-8x7"}, []string{"rulesets[1]", "rulesets[0]"}},
		{[]string{"bell-8x7", "bell-8x7+board.rows=9"}, []string{"board of 9×"}},
		{[]string{"bell-8x7", "no-such-game"}, []string{"no-such-game"}},
	} {
		c := DefaultConfig("")
		c.Rulesets = x.rulesets
		err := c.Validate()
		for _, want := range x.want {
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v", x.rulesets, err)
			}
		}
	}
	c := DefaultConfig("bell-8x7")
	c.Rulesets = []string{"bell-8x7", "bell-8x7@ludii"}
	if err := c.Validate(); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "leave one of them out") {
		t.Errorf("both keys: %v", err)
	}
}
