package mcts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
)

func mustAgent(t testing.TB, text string) Agent {
	t.Helper()
	spec, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAgent(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// describe writes down all of a position that an agent could have changed.
func describe(s *engine.State) string {
	var b strings.Builder
	for sq := range s.Game().Squares() {
		b.WriteRune(s.At(sq).Rune())
	}
	fmt.Fprint(&b, " ", s.ToMove(), s.Ply(), s.Turn(), s.Quiet(), s.RepetitionCount(), s.History(), s.Legal(nil))
	return b.String()
}

// agents returns one of each kind.
func agents(t testing.TB) []Agent {
	list := []Agent{mustAgent(t, "random"), mustAgent(t, "greedy"), mustAgent(t, "uct:simulations=40"), mustAgent(t, "alphabeta:nodes=300")}
	for name, cfg := range variants(24) {
		cfg.Leaves = 1 + len(list)%2*3
		n, err := NewNet("net "+name, &Rollout{Cutoff: 40}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

// TestAgentsPlay: every agent plays legal plies on rulesets of every kind (placement, slides, hop chains,
// binding, leaders, bonus plies), leaves the state as it found it, and repeats its choice whatever
// it was asked before.
func TestAgentsPlay(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "webdux", "luductus", "locus-ludi-seneca"} {
		g := envtest.Game(t, ref)
		for _, a := range agents(t) {
			rng := stream(7)
			s := g.NewState()
			for ply := 0; ply < 60 && !s.Over(); ply++ {
				before := describe(s)
				d, err := a.Choose(s, stream(uint64(ply)))
				if err != nil {
					t.Fatalf("%s, %s: %v", ref, a.Name(), err)
				}
				if describe(s) != before {
					t.Fatalf("%s, %s: the position was changed from %s to %s", ref, a.Name(), before, describe(s))
				}
				if !slices.Contains(s.Legal(nil), d.Action) {
					t.Fatalf("%s, %s: illegal action %d in %s", ref, a.Name(), d.Action, before)
				}
				if d.Value < -1 || d.Value > 1 || d.Forced != (len(s.Legal(nil)) == 1) {
					t.Fatalf("%s, %s: decision %+v with %d plies", ref, a.Name(), d, len(s.Legal(nil)))
				}
				if ply%20 == 5 {
					if again, _ := a.Choose(s, stream(uint64(ply))); again != d {
						t.Fatalf("%s, %s: chose %+v, then %+v", ref, a.Name(), d, again)
					}
				}
				// Random plies in between lead to varied positions.
				if ply%3 == 2 {
					legal := s.Legal(nil)
					d.Action = legal[rng.IntN(len(legal))]
				}
				s.Play(d.Action)
			}
		}
	}
}

// TestFinishedGame: every agent says so.
func TestFinishedGame(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	s := g.NewState()
	rng := stream(1)
	for !s.Over() {
		s.Playout(rng, 1000)
	}
	for _, a := range agents(t) {
		if _, err := a.Choose(s, rng); !errors.Is(err, ErrOver) {
			t.Errorf("%s: %v", a.Name(), err)
		}
	}
}

// TestChooseBatch: the grouping of games into batches changes no choice.
func TestChooseBatch(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	for name, cfg := range variants(32) {
		const games = 9
		choose := func(size int) []Decision {
			a, err := NewNet(name, &Rollout{Cutoff: 30}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]Decision, games)
			var states []*engine.State
			var rngs []*rand.Rand
			for i := range uint64(games) {
				s := g.NewState()
				s.Playout(stream(i), 40+int(i))
				states, rngs = append(states, s), append(rngs, stream(100+i))
			}
			for lo := 0; lo < games; lo += size {
				hi := min(lo+size, games)
				if err := a.ChooseBatch(states[lo:hi], rngs[lo:hi], out[lo:hi]); err != nil {
					t.Fatal(err)
				}
			}
			return out
		}
		want := choose(1)
		for _, size := range []int{2, 4, games} {
			if got := choose(size); !slices.Equal(got, want) {
				t.Errorf("%s: batches of %d choose %v, single games %v", name, size, got, want)
			}
		}
	}
	a, err := NewNet("net", Uniform{}, DefaultGumbel(4))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.ChooseBatch([]*engine.State{g.NewState()}, nil, nil); err == nil {
		t.Error("slices of different lengths")
	}
	reuse := DefaultGumbel(4)
	reuse.ReuseTree = true
	if _, err := NewNet("net", Uniform{}, reuse); !errors.Is(err, ErrConfig) {
		t.Errorf("ReuseTree with Gumbel search: %v", err)
	}
}

// TestRandomIsUniform draws often from one position.
func TestRandomIsUniform(t *testing.T) {
	s := envtest.Game(t, "webdux").NewState()
	legal := s.Legal(nil)
	a := NewRandom()
	rng := stream(3)
	const per = 200
	n := per * len(legal)
	seen := map[engine.Action]float64{}
	for range n {
		d, err := a.Choose(s, rng)
		if err != nil {
			t.Fatal(err)
		}
		seen[d.Action]++
	}
	chi := 0.0
	for _, x := range legal {
		chi += (seen[x] - per) * (seen[x] - per) / per
	}
	// Mean k-1, variance 2(k-1): six standard deviations.
	k := float64(len(legal) - 1)
	if (chi-k)*(chi-k) > 36*2*k {
		t.Errorf("chi-squared %.1f for %d plies", chi, len(legal))
	}
}

// TestGreedyTakes: greedy never passes by a winning ply, never chooses less material than it could have, and
// beats random.
func TestGreedyTakes(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	greedy := NewGreedy()
	rng := stream(5)
	wins, gains := 0, 0
	for game := range uint64(200) {
		s := g.NewState()
		// From shortly before the end of a random game.
		for n := min(20, s.Playout(stream(game), 2000)); n > 0; n-- {
			s.Undo()
		}
		for range 40 {
			if s.Over() {
				break
			}
			mover := s.ToMove()
			best, first := -1e9, 0.0
			worth := map[engine.Action]float64{}
			for i, a := range s.Legal(nil) {
				s.Play(a)
				worth[a] = Material(s, mover) - Material(s, 1-mover)
				if v, proven := s.Value(); s.Over() && proven && v != 0 {
					worth[a] = 1000 * view(v, uint8(mover))
				}
				s.Undo()
				if i == 0 {
					first = worth[a]
				}
				best = max(best, worth[a])
			}
			d, err := greedy.Choose(s, rng)
			if err != nil {
				t.Fatal(err)
			}
			if worth[d.Action] != best {
				t.Fatalf("greedy takes a ply worth %v where one is worth %v:\n%s", worth[d.Action], best, describe(s))
			}
			if best == 1000 {
				wins++
			} else if best > first {
				gains++
			}
			s.Playout(rng, 1)
		}
	}
	if wins < 5 || gains < 50 {
		t.Errorf("only %d positions with a win and %d with a gain were seen", wins, gains)
	}
}

// play plays one game to its end or the limit and returns the value for player 0, 0 if it is unfinished.
func play(t testing.TB, g *engine.Game, a0, a1 Agent, rng *rand.Rand, limit int) float64 {
	s := g.NewState()
	for s.Ply() < limit && !s.Over() {
		a := a0
		if s.ToMove() == 1 {
			a = a1
		}
		d, err := a.Choose(s, rng)
		if err != nil {
			t.Fatal(err)
		}
		s.Play(d.Action)
	}
	if v, proven := s.Value(); s.Over() && proven {
		return v
	}
	return 0
}

// score is the share of points of a over pairs of games with colours changed.
func score(t testing.TB, g *engine.Game, a, b Agent, pairs, limit int) float64 {
	total := 0.0
	for i := range uint64(pairs) {
		total += play(t, g, a, b, stream(1000+i), limit)
		total -= play(t, g, b, a, stream(2000+i), limit)
	}
	return (total/float64(2*pairs) + 1) / 2
}

// TestStrengthIsOrdered: a fixed sample in which greedy beats random and more playouts beat fewer. The
// thresholds are well below what the same pairings score in larger samples (1.00 of 8 games each).
func TestStrengthIsOrdered(t *testing.T) {
	if testing.Short() {
		t.Skip("plays whole games")
	}
	g := envtest.Game(t, "bell-8x7")
	if s := score(t, g, NewGreedy(), NewRandom(), 10, 1000); s < 0.8 {
		t.Errorf("greedy scores %.2f against random", s)
	}
	g = envtest.Game(t, "bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=5")
	if s := score(t, g, mustAgent(t, "uct:simulations=1000"), mustAgent(t, "uct:simulations=10"), 4, 300); s < 0.75 {
		t.Errorf("1000 playouts score %.2f against 10", s)
	}
}

// TestUCTFindsWins: just before the end of random games, where the mover can win at once, UCT proves it and
// its ply wins.
func TestUCTFindsWins(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "webdux"} {
		g := envtest.Game(t, ref)
		u, err := NewUCT(DefaultUCT(1000))
		if err != nil {
			t.Fatal(err)
		}
		proven := 0
		for seed := range uint64(150) {
			s := g.NewState()
			s.Playout(stream(seed), 2000)
			if !s.Over() {
				continue
			}
			s.Undo()
			mover := uint8(s.ToMove())
			legal := s.Legal(nil)
			wins := 0
			for _, a := range legal {
				s.Play(a)
				if v, ok := s.Value(); ok && view(v, mover) == 1 {
					wins++
				}
				s.Undo()
			}
			if wins == 0 || len(legal) == 1 {
				continue
			}
			d, err := u.Choose(s, stream(seed))
			if err != nil {
				t.Fatal(err)
			}
			if !d.Proven || view(d.Value, mover) != 1 {
				t.Fatalf("%s, seed %d: %+v where %d of %d plies win", ref, seed, d, wins, len(legal))
			}
			s.Play(d.Action)
			if v, ok := s.Value(); wins == len(legal) && (!ok || view(v, mover) != 1) {
				t.Fatalf("%s, seed %d: the win was passed by", ref, seed)
			}
			proven++
		}
		if proven < 10 {
			t.Errorf("%s: only %d positions with a win in one were seen", ref, proven)
		}
	}
}

// TestSharedGame is for the race detector: agents of their own over one game, and one choice for all.
func TestSharedGame(t *testing.T) {
	g := envtest.Game(t, "luductus")
	got := make([]string, 6)
	var wg sync.WaitGroup
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			u, err := NewUCT(DefaultUCT(60))
			if err != nil {
				got[i] = err.Error()
				return
			}
			n, err := NewNet("net", &Rollout{Cutoff: 20}, DefaultGumbel(16))
			if err != nil {
				got[i] = err.Error()
				return
			}
			s := g.NewState()
			rng := stream(9)
			for range 10 {
				for _, a := range []Agent{u, n} {
					d, err := a.Choose(s, rng)
					got[i] += fmt.Sprint(d, err)
					s.Play(d.Action)
				}
			}
		}()
	}
	wg.Wait()
	for i := range got {
		if got[i] != got[0] {
			t.Errorf("worker %d: %s\nworker 0: %s", i, got[i], got[0])
		}
	}
}

// TestUCTAllocatesNothing in steady state, and neither does a search over the engine.
func TestUCTAllocatesNothing(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	s := g.NewState()
	s.Playout(stream(1), 60)
	u, err := NewUCT(DefaultUCT(200))
	if err != nil {
		t.Fatal(err)
	}
	rng := stream(2)
	choose := func() {
		if _, err := u.Choose(s, rng); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		choose()
	}
	if n := testing.AllocsPerRun(10, choose); n > 0 {
		t.Errorf("%v allocations a choice of 200 playouts", n)
	}
	search := []*Search{mustNew(t, DefaultGumbel(200))}
	var r Runner
	run := func() {
		if err := search[0].Begin(s, rng); err != nil {
			t.Fatal(err)
		}
		if err := r.Run(search, Uniform{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		run()
	}
	if n := testing.AllocsPerRun(10, run); n > 0 {
		t.Errorf("%v allocations a search of 200 simulations", n)
	}
}
