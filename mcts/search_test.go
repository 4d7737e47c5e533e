package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"latro/env/engine"
)

// variants are the searches that every property is tested on.
func variants(simulations int) map[string]Config {
	g, p := DefaultGumbel(simulations), DefaultPUCT(simulations)
	gq, pn := g, p
	gq.Noise = false
	pn.Noise = true
	return map[string]Config{"gumbel": g, "gumbel without noise": gq, "puct": p, "puct with noise": pn}
}

// TestSolverFindsMinimax compares with exhaustive minimax on random trees with arbitrary player order, with
// priors and values that mislead: only proofs can be right.
func TestSolverFindsMinimax(t *testing.T) {
	for name, cfg := range variants(200_000) {
		t.Run(name, func(t *testing.T) {
			s := mustNew(t, cfg)
			results := map[float64]int{}
			for seed := range uint64(150) {
				st := newToy(toyGame{seed: seed, depth: 6, branch: 5, ends: 0.15}.withChoice())
				for _, ev := range []Evaluator{Uniform{}, misleading{spread: 6}} {
					r := search(t, s, st, ev, stream(seed))
					want := minimax(st)
					if !r.Proven || r.Value != want {
						t.Fatalf("seed %d, %T: value %v proven %v after %d simulations, minimax says %v", seed, ev, r.Value, r.Proven, r.Simulations, want)
					}
					if got := st.after(r.Action); got != want {
						t.Fatalf("seed %d, %T: action %d leads to %v, the best to %v", seed, ev, r.Action, got, want)
					}
					results[want]++
				}
			}
			// The trees must not all be of one kind.
			for _, v := range []float64{-1, 0, 1} {
				if results[v] < 20 {
					t.Errorf("only %d trees have value %v", results[v], v)
				}
			}
		})
	}
}

// TestSolverIsSoundUnderRepetition: where results and legality depend on the history, proofs still agree with
// minimax over histories, because a node is one history.
func TestSolverIsSoundUnderRepetition(t *testing.T) {
	for name, cfg := range variants(1 << 20) {
		t.Run(name, func(t *testing.T) {
			s := mustNew(t, cfg)
			values := map[string]int{}
			for seed := range uint64(120) {
				for _, superko := range []bool{false, true} {
					size := 5
					if superko {
						size = 9
					}
					st := newWalk(seed, size, superko)
					if len(st.Legal(nil)) < 2 {
						continue
					}
					r := search(t, s, st, Uniform{}, stream(seed))
					want := minimax(st)
					if !r.Proven || r.Value != want {
						t.Fatalf("seed %d, superko %v: value %v proven %v after %d simulations, minimax says %v", seed, superko, r.Value, r.Proven, r.Simulations, want)
					}
					values[fmt.Sprintf("superko %v: %v", superko, want)]++
				}
			}
			if len(values) < 5 { // superko has no draws
				t.Errorf("too few kinds of results: %v", values)
			}
			for kind, n := range values {
				if n < 5 {
					t.Errorf("only %d games of kind %s", n, kind)
				}
			}
		})
	}
}

// TestConvergesWithoutSolver: with many simulations the estimates alone find a best ply.
func TestConvergesWithoutSolver(t *testing.T) {
	for name, cfg := range variants(4000) {
		t.Run(name, func(t *testing.T) {
			cfg.Solver = false
			// With the default scale sigma trusts an estimate of a few visits so firmly that a ply
			// which looked bad once is never tried again: right for tens of simulations, not for thousands.
			cfg.CScale = 0.02
			s := mustNew(t, cfg)
			for seed := range uint64(60) {
				st := newToy(toyGame{seed: seed, depth: 4, branch: 4, ends: 0.1}.withChoice())
				r := search(t, s, st, Uniform{}, stream(seed))
				if r.Proven {
					t.Fatalf("seed %d: proven without solver", seed)
				}
				if got, want := st.after(r.Action), minimax(st); got != want {
					t.Errorf("seed %d: action %d leads to %v, the best to %v (visits %v, Q %v)", seed, r.Action, got, want, r.Visits, r.Q)
				}
			}
		})
	}
}

// TestCappedIsNeverProven: a capped game has a value but settles nothing.
func TestCappedIsNeverProven(t *testing.T) {
	for name, cfg := range variants(3000) {
		t.Run(name, func(t *testing.T) {
			s := mustNew(t, cfg)
			for seed := range uint64(20) {
				st := newToy(toyGame{seed: seed, depth: 3, branch: 3, capped: 1}.withChoice())
				r := search(t, s, st, Uniform{}, stream(seed))
				if r.Proven || slices.Contains(r.Exact, true) {
					t.Fatalf("seed %d: a tree of capped games counts as proven", seed)
				}
				if r.Simulations != 3000 {
					t.Fatalf("seed %d: stopped after %d simulations", seed, r.Simulations)
				}
			}
		})
	}
}

// TestForcedPlies: with one legal ply there is nothing to search, and inside the tree nothing to evaluate.
func TestForcedPlies(t *testing.T) {
	st := newToy(&toyGame{seed: 1, depth: 5, branch: 1})
	for name, cfg := range variants(100) {
		s := mustNew(t, cfg)
		r := search(t, s, st, failing{}, stream(1))
		if !r.Forced || r.Simulations != 0 || r.Evaluations != 0 || r.HasValue || r.Action != st.Legal(nil)[0] {
			t.Errorf("%s: forced ply gave %+v", name, r)
		}
	}
	// Two plies at the root, and below each nothing but forced ones: all simulations end in finished games.
	chain := &chains{width: 2, length: 9}
	cfg := DefaultPUCT(50)
	cfg.Solver = false
	s := mustNew(t, cfg)
	r := search(t, s, chain, Uniform{}, nil)
	if r.Evaluations != 1 {
		t.Errorf("%d evaluations, want that of the root alone", r.Evaluations)
	}
	if r.Action != 1 || r.Q[1] != 1 || r.Q[0] != -1 {
		t.Errorf("action %d, Q %v; ply 1 wins after its forced plies", r.Action, r.Q)
	}
	// An endless run of forced plies must come back.
	chain.length = math.MaxInt
	r = search(t, s, chain, Uniform{}, nil)
	if r.Simulations != 50 || r.Evaluations != 51 {
		t.Errorf("endless forced plies: %d simulations, %d evaluations", r.Simulations, r.Evaluations)
	}
}

// chains is a game in which only the first ply is a choice.
type chains struct {
	width, length int
	played        []engine.Action
}

func (s *chains) ToMove() int { return min(len(s.played), 1) }
func (s *chains) Legal(dst []engine.Action) []engine.Action {
	if s.Over() {
		return dst
	}
	if len(s.played) > 0 {
		return append(dst, 0)
	}
	for i := range s.width {
		dst = append(dst, engine.Action(i))
	}
	return dst
}
func (s *chains) Play(a engine.Action) { s.played = append(s.played, a) }
func (s *chains) Undo()                { s.played = s.played[:len(s.played)-1] }
func (s *chains) Over() bool           { return len(s.played) >= s.length }
func (s *chains) Value() (float64, bool) {
	return 2*float64(s.played[0]) - 1, true
}

// failing is an evaluator that always fails.
type failing struct{}

var errBroken = errors.New("broken")

func (failing) Evaluate([]Leaf) error { return errBroken }

// TestVirtualLossLeavesNoResidue: a search with many leaves at once ends consistent (search audits it), finds
// what the plain one finds, and a cancelled round is as if it had not been.
func TestVirtualLossLeavesNoResidue(t *testing.T) {
	for name, cfg := range variants(100_000) {
		t.Run(name, func(t *testing.T) {
			cfg.Leaves = 8
			s := mustNew(t, cfg)
			for seed := range uint64(40) {
				g := toyGame{seed: seed, depth: 6, branch: 4, ends: 0.1}.withChoice()
				states := make([]State, cfg.Leaves)
				for i := range states {
					states[i] = newToy(g)
				}
				st := newToy(g)
				if err := s.BeginParallel(states, stream(seed)); err != nil {
					t.Fatal(err)
				}
				widest, round := 0, 0
				for {
					var leaves []*Leaf
					for l, ok := s.Next(); ok; l, ok = s.Next() {
						leaves = append(leaves, l)
					}
					if len(leaves) == 0 {
						break
					}
					widest = max(widest, len(leaves))
					if round++; round%3 == 0 {
						s.Cancel()
						audit(t, s)
						continue
					}
					for _, l := range leaves {
						_ = misleading{}.Evaluate([]Leaf{*l})
					}
					if err := s.Apply(); err != nil {
						t.Fatal(err)
					}
					audit(t, s)
				}
				for i, x := range states {
					if x.(*toy).plies() != 0 {
						t.Fatalf("seed %d: state %d is left %d plies down", seed, i, x.(*toy).plies())
					}
				}
				r := s.Result()
				if want := minimax(st); !r.Proven || r.Value != want {
					t.Fatalf("seed %d: value %v proven %v, minimax says %v", seed, r.Value, r.Proven, want)
				}
				if widest < 2 && r.Evaluations > 30 {
					t.Errorf("seed %d: never more than %d leaf at once", seed, widest)
				}
			}
		})
	}
}

// TestParallelUsesItsBudget: the budget counts leaves under evaluation.
func TestParallelUsesItsBudget(t *testing.T) {
	for name, cfg := range variants(101) {
		cfg.Leaves = 8
		s := mustNew(t, cfg)
		g := toyGame{seed: 3, depth: 40, branch: 6}.withChoice()
		states := make([]State, 8)
		for i := range states {
			states[i] = newToy(g)
		}
		if err := s.BeginParallel(states, stream(1)); err != nil {
			t.Fatal(err)
		}
		if err := RunAll([]*Search{s}, misleading{1}); err != nil {
			t.Fatal(err)
		}
		audit(t, s)
		r := s.Result()
		total := uint32(0)
		for _, v := range r.Visits {
			total += v
		}
		if r.Simulations != 101 || total != 101 {
			t.Errorf("%s: %d simulations, %d visits, want 101", name, r.Simulations, total)
		}
	}
}

// TestTreeReuse: Advance keeps the counts below the ply, and the next search adds to them; a tree of another
// position is dropped.
func TestTreeReuse(t *testing.T) {
	cfg := DefaultPUCT(300)
	cfg.ReuseTree = true
	cfg.Solver = false
	s := mustNew(t, cfg)
	g := toyGame{seed: 5, depth: 30, branch: 5}.withChoice()
	st := newToy(g)
	kept := 0
	for range 12 {
		if st.Over() {
			break
		}
		r := search(t, s, st, misleading{1}, nil)
		if r.Forced {
			s.Advance(r.Action)
			st.Play(r.Action)
			continue
		}
		var below []uint32
		var value float64
		n := &s.tree.nodes[s.root]
		for e := n.first; e < n.first+uint32(n.count); e++ {
			if c := s.tree.child[e]; s.tree.action[e] == r.Action && c >= 0 {
				m := s.tree.nodes[c]
				below = slices.Clone(s.tree.visits[m.first : m.first+uint32(m.count)])
				value = m.sum
			}
		}
		s.Advance(r.Action)
		st.Play(r.Action)
		audit(t, s)
		if below == nil {
			continue
		}
		m := s.tree.nodes[s.root]
		if !slices.Equal(below, s.tree.visits[m.first:m.first+uint32(m.count)]) || m.sum != value {
			t.Fatalf("counts below the ply changed: %v became %v", below, s.tree.visits[m.first:m.first+uint32(m.count)])
		}
		before := m.visits
		if len(below) == 1 {
			continue // forced: Begin adds nothing
		}
		r = search(t, s, st, misleading{1}, nil)
		if got := s.tree.nodes[s.root].visits; got != before+300 {
			t.Fatalf("%d visits after a search of 300 on top of %d", got, before)
		}
		kept++
	}
	if kept < 5 {
		t.Fatalf("only %d trees were kept", kept)
	}

	// A ply the search was not told of: the tree is of another position and goes.
	st = newToy(g)
	r := search(t, s, st, misleading{1}, nil)
	s.Advance(r.Action)
	st.Play(st.Legal(nil)[(slices.Index(st.Legal(nil), r.Action)+1)%len(st.Legal(nil))])
	if st.Over() || len(st.Legal(nil)) == 1 {
		t.Fatal("the example needs a position with a choice")
	}
	search(t, s, st, misleading{1}, nil)
	if got := s.tree.nodes[s.root].visits; got != 300 {
		t.Errorf("%d visits: a tree of another position was kept", got)
	}
}

// TestBatchingChangesNothing: each game has its own stream, so a result does not depend on company.
func TestBatchingChangesNothing(t *testing.T) {
	for name, cfg := range variants(120) {
		cfg.Temperature = 1
		const games = 12
		ev := &Rollout{Cutoff: 30}
		var alone []Result
		for i := range uint64(games) {
			s := mustNew(t, cfg)
			alone = append(alone, search(t, s, newToy(toyGame{seed: i, depth: 25, branch: 5}.withChoice()), ev, stream(i)).Clone())
		}
		var all []*Search
		for i := range uint64(games) {
			s := mustNew(t, cfg)
			if err := s.Begin(newToy(toyGame{seed: i, depth: 25, branch: 5}.withChoice()), stream(i)); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		r := Runner{MaxBatch: 5}
		if err := r.Run(all, ev); err != nil {
			t.Fatal(err)
		}
		for i, s := range all {
			if got, want := fmt.Sprint(s.Result()), fmt.Sprint(alone[i]); got != want {
				t.Errorf("%s, game %d: together\n%s\nalone\n%s", name, i, got, want)
			}
		}
	}
}

// TestSearchRepeats: one Search gives the same again, whatever it did before.
func TestSearchRepeats(t *testing.T) {
	for name, cfg := range variants(200) {
		s := mustNew(t, cfg)
		st := newToy(toyGame{seed: 4, depth: 20, branch: 6}.withChoice())
		first := fmt.Sprint(search(t, s, st, misleading{2}, stream(9)))
		search(t, s, newToy(toyGame{seed: 8, depth: 20, branch: 9}.withChoice()), misleading{2}, stream(10))
		if again := fmt.Sprint(search(t, s, st, misleading{2}, stream(9))); again != first {
			t.Errorf("%s: second search differs:\n%s\n%s", name, first, again)
		}
	}
}

// TestEvaluationErrors: an evaluator that fails or answers nonsense gives an error, and states are put back.
func TestEvaluationErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	after := func(n int, then given) Evaluator { return &later{n: n, then: then} }
	for name, c := range map[string]struct {
		ev   Evaluator
		want error
	}{
		"fails at once":  {failing{}, errBroken},
		"fails later":    {&later{n: 10, err: errBroken}, errBroken},
		"value NaN":      {given{value: nan}, ErrEvaluation},
		"value 1.5":      {after(7, given{value: 1.5}), ErrEvaluation},
		"logit NaN":      {after(7, given{logits: []float32{nan}}), ErrEvaluation},
		"logit infinite": {after(3, given{logits: []float32{0, inf}}), ErrEvaluation},
	} {
		var searches []*Search
		var states []*toy
		for i := range uint64(3) {
			st := newToy(toyGame{seed: 20 + i, depth: 30, branch: 6}.withChoice())
			s := mustNew(t, DefaultGumbel(64))
			if err := s.Begin(st, stream(i)); err != nil {
				t.Fatal(err)
			}
			searches, states = append(searches, s), append(states, st)
		}
		if err := RunAll(searches, c.ev); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
		for i, s := range searches {
			audit(t, s)
			if states[i].plies() != 0 {
				t.Errorf("%s: state %d is left %d plies down", name, i, states[i].plies())
			}
		}
		// The searches may go on with an evaluator that works.
		if err := RunAll(searches, Uniform{}); err != nil {
			t.Errorf("%s: going on: %v", name, err)
		}
		for _, s := range searches {
			if r := s.Result(); r.Simulations != 64 {
				t.Errorf("%s: %d simulations after going on", name, r.Simulations)
			}
		}
	}
}

// later answers uniformly n times, then fails or says what it is given.
type later struct {
	n    int
	then given
	err  error
}

func (l *later) Evaluate(leaves []Leaf) error {
	if l.n--; l.n >= 0 {
		return Uniform{}.Evaluate(leaves)
	}
	if l.err != nil {
		return l.err
	}
	return l.then.Evaluate(leaves)
}

// TestNoAllocation: once the arrays have grown a whole search allocates nothing.
func TestNoAllocation(t *testing.T) {
	for name, cfg := range variants(200) {
		if cfg.Kind == PUCT && cfg.Noise {
			continue // the Dirichlet draw allocates, once a search
		}
		var r Runner
		rng := stream(1)
		st := newToy(toyGame{seed: 77, depth: 30, branch: 6}.withChoice())
		searches := []*Search{mustNew(t, cfg)}
		run := func() {
			if err := searches[0].Begin(st, rng); err != nil {
				t.Fatal(err)
			}
			if err := r.Run(searches, Uniform{}); err != nil {
				t.Fatal(err)
			}
			searches[0].Result()
		}
		for range 50 {
			run() // noise makes trees of different sizes
		}
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %v allocations a search of 200 simulations", name, n)
		}
	}
}

// TestConcurrentSearches is for the race detector: searches share nothing.
func TestConcurrentSearches(t *testing.T) {
	g := toyGame{seed: 6, depth: 20, branch: 6}.withChoice()
	var wg sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := New(DefaultGumbel(200))
			if err == nil {
				err = s.Begin(newToy(g), stream(3))
			}
			if err == nil {
				err = RunAll([]*Search{s}, misleading{1})
			}
			if err != nil {
				got[i] = err.Error()
				return
			}
			got[i] = fmt.Sprint(s.Result())
		}()
	}
	wg.Wait()
	for i := range got {
		if got[i] != got[0] {
			t.Errorf("search %d differs: %s / %s", i, got[i], got[0])
		}
	}
}

// TestMisuse: what cannot be begun says why.
func TestMisuse(t *testing.T) {
	s := mustNew(t, DefaultGumbel(10))
	over := newToy(&toyGame{seed: 1, depth: 0, branch: 3})
	if err := s.Begin(over, stream(1)); !errors.Is(err, ErrOver) {
		t.Errorf("finished game: %v", err)
	}
	st := newToy(toyGame{seed: 4, depth: 9, branch: 5}.withChoice())
	if err := s.Begin(st, nil); err == nil || !strings.Contains(err.Error(), "random stream") {
		t.Errorf("noise without a random stream: %v", err)
	}
	if err := s.BeginParallel([]State{st, st}, stream(1)); err == nil {
		t.Error("two states for one leaf")
	}
	if err := s.Begin(st, stream(1)); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Next(); !ok {
		t.Fatal("no root leaf")
	}
	if err := s.Begin(st, stream(1)); err == nil {
		t.Error("Begin with a leaf under evaluation")
	}
	if err := s.Configure(DefaultPUCT(5)); err == nil {
		t.Error("Configure with a leaf under evaluation")
	}
	s.Cancel()
	if err := s.Configure(DefaultPUCT(5)); err != nil {
		t.Error(err)
	}
}

// TestConfigValidate names every mistake at once.
func TestConfigValidate(t *testing.T) {
	for _, c := range []Config{DefaultGumbel(1), DefaultPUCT(MaxSimulations)} {
		if err := c.Validate(); err != nil {
			t.Errorf("default: %v", err)
		}
	}
	bad := DefaultGumbel(0)
	bad.Leaves = 0
	bad.CScale = math.NaN()
	bad.DirichletFraction = 2
	bad.ReuseTree = true
	err := bad.Validate()
	if !errors.Is(err, ErrConfig) {
		t.Fatalf("error %v", err)
	}
	for _, field := range []string{"Simulations", "Leaves", "CScale", "DirichletFraction", "ReuseTree"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not named in %v", field, err)
		}
	}
	if _, err := New(Config{}); !errors.Is(err, ErrConfig) {
		t.Errorf("zero configuration: %v", err)
	}
}

// TestLine: the principal variation is a legal line that starts with the ply chosen and, where the
// root is proven, ends in the proven result.
func TestLine(t *testing.T) {
	for name, cfg := range variants(200_000) {
		s := mustNew(t, cfg)
		for seed := range uint64(40) {
			st := newToy(toyGame{seed: seed, depth: 6, branch: 4, ends: 0.1}.withChoice())
			r := search(t, s, st, misleading{1}, stream(seed)).Clone()
			line := s.Line(nil, 100)
			if len(line) == 0 || line[0] != r.Action {
				t.Fatalf("%s: line %v for action %d", name, line, r.Action)
			}
			for _, a := range line {
				if !slices.Contains(st.Legal(nil), a) {
					t.Fatalf("%s: line %v is not legal at %d", name, line, a)
				}
				st.Play(a)
			}
			if v := minimax(st); v != r.Value {
				t.Errorf("%s, seed %d: the line ends at %v, the root is %v", name, seed, v, r.Value)
			}
		}
	}
}

// TestRolloutIsUnbiased: the mean of many playouts is the expectation under random play, and
// the state is put back.
func TestRolloutIsUnbiased(t *testing.T) {
	st := newToy(toyGame{seed: 12, depth: 4, branch: 4}.withChoice())
	var expect func() float64
	expect = func() float64 {
		if st.Over() {
			v, _ := st.Value()
			return v
		}
		legal := st.Legal(nil)
		sum := 0.0
		for _, a := range legal {
			st.Play(a)
			sum += expect()
			st.Undo()
		}
		return sum / float64(len(legal))
	}
	const n = 40000
	l := []Leaf{{State: st, Legal: st.Legal(nil), Logits: make([]float32, len(st.Legal(nil))), Rand: stream(2)}}
	ev := &Rollout{Playouts: n}
	if err := ev.Evaluate(l); err != nil {
		t.Fatal(err)
	}
	// Values lie in [-1, 1]: the standard error is at most 1/sqrt(n) = 0.005.
	if want := expect(); math.Abs(float64(l[0].Value)-want) > 0.02 {
		t.Errorf("mean playout %v, expectation %v", l[0].Value, want)
	}
	if st.plies() != 0 {
		t.Error("the state was not put back")
	}
}

// TestTemperature: at temperature 1 plies are drawn in proportion to their visits, at 0 the most visited.
func TestTemperature(t *testing.T) {
	st := &bandit{values: []float64{0, 0.2, 0.4}}
	cfg := DefaultPUCT(60)
	cfg.Temperature = 1
	s := mustNew(t, cfg)
	const n = 6000
	drawn := make([]float64, 3)
	var visits []uint32
	rng := rand.New(rand.NewPCG(5, 5))
	for range n {
		r := search(t, s, st, given{value: 0.2}, rng)
		drawn[r.Action]++
		visits = slices.Clone(r.Visits)
	}
	for i, d := range drawn {
		p := float64(visits[i]) / 60
		// Five standard errors of a proportion.
		if math.Abs(d/n-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("ply %d drawn %.3f of the time, visited %.3f", i, d/n, p)
		}
	}
	cfg.Temperature = 0
	if r := search(t, mustNew(t, cfg), st, given{value: 0.2}, nil); r.Action != 2 {
		t.Errorf("temperature 0 plays %d, visits %v", r.Action, r.Visits)
	}
}
