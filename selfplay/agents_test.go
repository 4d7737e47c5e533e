package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"latro/env/envtest"
	"latro/mcts"
)

func mustSpec(t *testing.T, text string) mcts.Spec {
	t.Helper()
	s, err := mcts.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSearchOptions: what a network's agent searches with follows from its budget, and whatever is given takes its place.
func TestSearchOptions(t *testing.T) {
	counted := mcts.DefaultGumbel(64)
	counted.Noise = false
	puct := mcts.DefaultPUCT(64)
	puct.ReuseTree, puct.PriorTemperature = true, 2
	timed := puct
	timed.Simulations, timed.Leaves, timed.Seconds, timed.Clock = mcts.MaxSimulations, 2, 0.1, mcts.CPUClock
	with := func(c mcts.Config, change func(*mcts.Config)) mcts.Config {
		change(&c)
		return c
	}
	for text, want := range map[string]mcts.Config{
		"net":                         counted,
		"net:simulations=9,leaves=4":  with(counted, func(c *mcts.Config) { c.Simulations, c.Leaves = 9, 4 }),
		"net:search=puct":             puct,
		"net:search=puct,reuse=false": with(puct, func(c *mcts.Config) { c.ReuseTree = false }),
		"net:search=puct,c-init=2,prior-temperature=1": with(puct, func(c *mcts.Config) { c.CInit, c.PriorTemperature = 2, 1 }),
		"net:search=gumbel,seconds=0.1":                with(timed, func(c *mcts.Config) { c.Kind, c.ReuseTree, c.PriorTemperature = mcts.Gumbel, false, 1 }),
		"net:seconds=0.1":                              timed,
		"net:seconds=0.1,simulations=500":              with(timed, func(c *mcts.Config) { c.Simulations = 500 }),
		"net:clock=wall,seconds=0.1":                   with(timed, func(c *mcts.Config) { c.Clock = mcts.WallClock }),
	} {
		r := mcts.NewSpecReader(mustSpec(t, text))
		got := readSearch(r)
		if err := r.Done(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNetMatch: a match of a network that keeps its tree between plies does not depend on workers and batches; an agent with
// seconds says that its match does, plays on all the same, and takes no evaluation that another agent paid for.
func TestNetMatch(t *testing.T) {
	run := tiny()
	run.Games, run.GamesPerShard = 2, 2
	dir := filepath.Join(t.TempDir(), "run")
	r, err := Create(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Generate(context.Background(), Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	c := match(t)
	c.Pairs, c.MaxPlies = 6, 60
	c.A, c.B = mustSpec(t, "net:search=puct,simulations=12,run="+dir), mustSpec(t, "net:search=puct,simulations=8,leaves=3,run="+dir)
	var want string // of the games: a value that nobody gave is NaN, which equals nothing
	for i, w := range []struct{ workers, batch int }{{1, 16}, {2, 2}, {1, 1}} {
		c.Workers, c.Batch = w.workers, w.batch
		got, err := Play(t.Context(), c, new(Agents).New)
		if err != nil {
			t.Fatal(err)
		}
		if is := fmt.Sprint(got); i == 0 {
			want = is
		} else if is != want {
			t.Errorf("%d workers with %d pairs: another match", w.workers, w.batch)
		}
	}

	agents := new(Agents)
	_, g := envtest.Open(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4")
	for text, cached := range map[string]bool{"net:simulations=12": true, "net:seconds=0.001": false} {
		a, err := agents.New(mustSpec(t, text+",run="+dir), g, c.Ruleset.Hash())
		if err != nil {
			t.Fatal(err)
		}
		if mcts.Reproducible(a) != cached {
			t.Errorf("%s: reproducible is %v", text, !cached)
		}
		if _, is := a.(*netAgent).Net.Evaluator().(*Remembering); is != cached {
			t.Errorf("%s: looks into the cache of all agents: %v", text, is)
		}
		if _, err := a.Choose(g.NewState(), rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Error(err)
		}
	}
}
