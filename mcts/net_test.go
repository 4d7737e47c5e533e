package mcts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"latro/env/engine"
	"latro/env/envtest"
)

// reusing is an agent that keeps its tree, over an evaluator that draws nothing.
func reusing(t *testing.T, leaves int) *Net {
	t.Helper()
	cfg := DefaultPUCT(60)
	cfg.ReuseTree = true
	cfg.Leaves = leaves
	a, err := NewNet("net", misleading{3}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// startedGames are n games of Bell, some plies old.
func startedGames(t *testing.T, n int) []*engine.State {
	t.Helper()
	g := envtest.Game(t, "bell-8x7")
	var states []*engine.State
	for i := range uint64(n) {
		s := g.NewState()
		s.Playout(stream(i), 10+5*int(i))
		states = append(states, s)
	}
	return states
}

// playOn lets an agent choose in games, in batches of a size, for both players, and at times plays another ply than it chose.
// It returns the choices game by game.
func playOn(t *testing.T, a *Net, states []*engine.State, choices, size int) [][]Decision {
	t.Helper()
	out := make([][]Decision, len(states))
	rngs := make([]*rand.Rand, len(states))
	for range choices {
		for lo := 0; lo < len(states); lo += size {
			hi := min(lo+size, len(states))
			found := make([]Decision, hi-lo)
			if err := a.ChooseBatch(states[lo:hi], rngs[lo:hi], found); err != nil {
				t.Fatal(err)
			}
			for i, d := range found {
				out[lo+i] = append(out[lo+i], d)
				s := states[lo+i]
				s.Play(d.Action)
				if s.Ply()%3 == 0 {
					s.Playout(stream(uint64(s.Ply())), 1)
				}
				if s.Over() {
					t.Fatal("the example needs games that go on")
				}
			}
		}
	}
	return out
}

// visitsAt is the number of visits in the tree that an agent keeps of a game.
func visitsAt(a *Net, s *engine.State) int {
	for key, g := range a.games {
		if key.Value() == s && g.search.root >= 0 {
			return int(g.search.tree.nodes[g.search.root].visits)
		}
	}
	return 0
}

// TestReuseFollowsTheGame: with ReuseTree an agent begins with what it knows of the game, whatever other games it is asked
// about in between, in whatever batches.
func TestReuseFollowsTheGame(t *testing.T) {
	const n, choices = 5, 8
	for _, leaves := range []int{1, 4} {
		var want [][]Decision
		for i := range n {
			want = append(want, playOn(t, reusing(t, leaves), startedGames(t, n)[i:i+1], choices, 1)...)
		}
		for _, size := range []int{1, 2, n} {
			if got := playOn(t, reusing(t, leaves), startedGames(t, n), choices, size); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d leaves, batches of %d: chooses %v, alone %v", leaves, size, got, want)
			}
		}
	}
	a := reusing(t, 1)
	kept, searched := 0, 0
	for _, s := range startedGames(t, n) {
		for i := range choices {
			d, err := a.Choose(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && !d.Forced {
				searched++
				if visitsAt(a, s) > d.Simulations {
					kept++
				}
			}
			s.Play(d.Action)
		}
	}
	if 10*kept < 9*searched {
		t.Errorf("%d of %d searches went on with a tree", kept, searched)
	}
}

// TestReuseForgets: a State that was set back, reset or given another game is searched as by a new agent, and an agent keeps
// no more games than it is to.
func TestReuseForgets(t *testing.T) {
	choose := func(a *Net, s *engine.State) Decision {
		d, err := a.Choose(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a := reusing(t, 2)
	s := startedGames(t, 4)[3]
	other := startedGames(t, 3)[2]
	choose(a, s)
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"undone", func() { s.Undo(); s.Undo() }},
		{"another ply", func() { s.Playout(stream(3), 3); choose(a, s); s.Undo(); s.Playout(stream(4), 1) }},
		{"another game", func() { s.CopyFrom(other) }},
		{"reset", func() { s.Reset() }},
	} {
		c.change()
		if got, want := choose(a, s), choose(reusing(t, 2), s.Clone()); got != want {
			t.Errorf("%s: chooses %+v, a new agent %+v", c.name, got, want)
		}
	}
	for range 3 * keptGames {
		choose(a, startedGames(t, 1)[0])
	}
	if len(a.games) > keptGames {
		t.Errorf("%d games are kept", len(a.games))
	}
	if err := a.ChooseBatch([]*engine.State{s, finished(t)}, make([]*rand.Rand, 2), make([]Decision, 2)); !errors.Is(err, ErrOver) {
		t.Errorf("a finished game in the batch: %v", err)
	}
	if got, want := choose(a, s), choose(reusing(t, 2), s.Clone()); got != want {
		t.Errorf("after an error: chooses %+v, a new agent %+v", got, want)
	}
}

func finished(t *testing.T) *engine.State {
	s := envtest.Game(t, "bell-8x7").NewState()
	for rng := stream(1); !s.Over(); {
		s.Playout(rng, 1000)
	}
	return s
}

// burner is an evaluator that takes its time.
type burner struct {
	takes time.Duration
	calls *int
}

func (b burner) Evaluate(leaves []Leaf) error {
	*b.calls++
	for begun := threadTime(); threadTime()-begun < b.takes; {
	}
	return Uniform{}.Evaluate(leaves)
}

// TestSecondsEndAChoice: an agent with seconds plays a legal ply when they are over, the evaluator's time counts, and each
// game of a batch has its own; such agents say that they do not reproduce.
func TestSecondsEndAChoice(t *testing.T) {
	for _, text := range []string{"uct:seconds=0.002", "alphabeta:seconds=0.002", "uct:seconds=0.002,clock=wall", "alphabeta:seconds=0.002,clock=wall"} {
		a := mustAgent(t, text)
		if Reproducible(a) {
			t.Errorf("%s calls itself reproducible", text)
		}
		s := startedGames(t, 3)[2]
		d, err := a.Choose(s, stream(1))
		if err != nil || !slices.Contains(s.Legal(nil), d.Action) || d.Simulations < 1 {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
	for name, cfg := range variants(MaxSimulations) {
		for _, clock := range []Clock{"", CPUClock, WallClock} {
			cfg.Seconds, cfg.Clock, cfg.Leaves = 0.001, clock, 3
			calls := 0
			a, err := NewNet(name, burner{2 * time.Millisecond, &calls}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if Reproducible(a) {
				t.Errorf("%s calls itself reproducible", name)
			}
			states := startedGames(t, 3)
			out := make([]Decision, 3)
			if err := a.ChooseBatch(states, []*rand.Rand{stream(1), stream(2), stream(3)}, out); err != nil {
				t.Fatal(err)
			}
			// One call a choice uses up its time, but two clocks need not agree to the microsecond. Were the evaluator's
			// time not counted there would be hundreds of calls, and were the time one for the batch fewer than 3.
			if calls < 3 || calls > 12 {
				t.Errorf("%s: 3 choices of 1 ms with an evaluator that takes 2 ms: %d calls", name, calls)
			}
			for i, d := range out {
				if !slices.Contains(states[i].Legal(nil), d.Action) {
					t.Errorf("%s: illegal action %d", name, d.Action)
				}
			}
		}
	}
}

// TestCPUClockStandsStillAsleep: what the processor does for others is not counted.
func TestCPUClockStandsStillAsleep(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the thread's time is known on Linux only")
	}
	const limit = 20 * time.Millisecond
	var cpu, wall stopwatch
	cpu.start(CPUClock, limit.Seconds())
	wall.start(WallClock, limit.Seconds())
	done := make(chan bool)
	go func() {
		for begun := time.Now(); time.Since(begun) < limit; {
		}
		close(done)
	}()
	time.Sleep(limit)
	<-done
	if cpu.out() || !wall.out() {
		t.Errorf("asleep for %v: %v of processor time, %v on the wall", limit, cpu.elapsed(), wall.elapsed())
	}
	for !cpu.out() {
	}
	cpu.stop()
	if wall.stop(); cpu.out() || wall.out() {
		t.Error("a stopped watch is out")
	}
}
