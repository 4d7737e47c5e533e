package mcts

import (
	"math"
	"slices"
	"testing"

	"latro/env/engine"
)

func legalUpTo(n int) []engine.Action {
	var legal []engine.Action
	for i := range n {
		legal = append(legal, engine.Action(i))
	}
	return legal
}

// TestDirichlet: draws sum to 1, each coordinate has mean 1/k and the variance of the distribution,
// (1/k)(1 - 1/k)/(k alpha + 1), for the concentrations that boards give, and tiny ones do not break.
func TestDirichlet(t *testing.T) {
	rng := stream(2)
	for _, c := range []struct {
		k     int
		total float64
	}{{40, 10.83}, {4, 10.83}, {10, 1}, {100, 1e-6}} {
		k := c.k
		const n = 4000
		dst := make([]float32, k)
		mean, square := 0.0, 0.0
		for range n {
			dirichlet(dst, c.total/float64(k), rng)
			sum := 0.0
			for _, x := range dst {
				if !(x >= 0 && x <= 1) {
					t.Fatalf("draw %v", dst)
				}
				sum += float64(x)
			}
			if math.Abs(sum-1) > 1e-4 {
				t.Fatalf("k=%d: a draw sums to %v", k, sum)
			}
			mean += float64(dst[0])
			square += float64(dst[0]) * float64(dst[0])
		}
		mean /= n
		variance := square/n - mean*mean
		m := 1 / float64(k)
		want := m * (1 - m) / (c.total + 1)
		if math.Abs(mean-m) > 5*math.Sqrt(want/n) {
			t.Errorf("k=%d: mean %v, want %v", k, mean, m)
		}
		// Twenty per cent: the sample variance of so skewed a distribution varies by a few per cent; the
		// tiniest has a handful of large draws and is checked for its mean only.
		if c.total > 0.1 && math.Abs(variance/want-1) > 0.2 {
			t.Errorf("k=%d: variance %v, want %v", k, variance, want)
		}
	}
}

// TestPUCTScore works one selection by hand. Prior (0.6, 0.4), c_init 1.25 and c_base 19652, so that c(3) =
// 1.25 + log(19656/19652) = 1.2502035; visits (2, 1), q = (0.1, 0.4) for player 0. U = c sqrt(1+3) P/(1+N):
// 0.50008 and 0.50008; scores 0.600 and 0.900 for player 0; for player 1, whose q are the negatives,
// 0.400 and 0.100.
func TestPUCTScore(t *testing.T) {
	for mover, want := range []uint32{1, 0} {
		s := mustNew(t, DefaultPUCT(1))
		s.slots = make([]slot, 1)
		s.tree.add(legalUpTo(2), []float32{float32(math.Log(0.6)), float32(math.Log(0.4))}, mover, 0, 0)
		n := &s.tree.nodes[0]
		s.tree.backup(n, 0, 0.1)
		s.tree.backup(n, 0, 0.1)
		s.tree.backup(n, 1, 0.4)
		if got := s.choosePUCT(n, false); got != want {
			t.Errorf("player %d takes edge %d, want %d", mover, got, want)
		}
	}
}

// TestFirstPlayUrgency: an unvisited ply has the node's value less the reduction times the root of the
// visited prior mass. Priors (0.5, 0.5), raw value 0.5, one visit worth 0.5: the node is worth 0.5; U = 1.25
// sqrt(2)/2 * (1/2 and 1) = 0.442 and 0.884. With a reduction of 0 the unvisited ply leads by 0.442; it takes
// a reduction r with r * sqrt(0.5) > 0.442, that is r > 0.625, to keep away from it.
func TestFirstPlayUrgency(t *testing.T) {
	for _, c := range []struct {
		reduction float64
		want      uint32
	}{{0, 1}, {0.60, 1}, {0.65, 0}, {2, 0}} {
		cfg := DefaultPUCT(1)
		cfg.FPUReduction = c.reduction
		s := mustNew(t, cfg)
		for mover := range 2 {
			s.tree.reset()
			v := view(0.5, uint8(mover))
			s.tree.add(legalUpTo(2), []float32{0, 0}, mover, float32(v), 0)
			n := &s.tree.nodes[0]
			s.tree.backup(n, 0, v)
			if got := s.choosePUCT(n, false); got != c.want {
				t.Errorf("reduction %v, player %d: edge %d, want %d", c.reduction, mover, got, c.want)
			}
		}
	}
}

// TestPriorTemperature: at temperature 2 the priors (0.8, 0.2) are searched as (2/3, 1/3), at every node, and told as they are.
func TestPriorTemperature(t *testing.T) {
	cfg := DefaultPUCT(20)
	cfg.PriorTemperature = 2
	s := mustNew(t, cfg)
	st := newToy(toyGame{seed: 1, depth: 6, branch: 2}.withChoice())
	r := search(t, s, st, given{logits: []float32{float32(math.Log(0.8)), float32(math.Log(0.2))}}, nil)
	for i := range s.tree.nodes {
		if n := &s.tree.nodes[i]; n.count == 2 && math.Abs(float64(s.tree.prior[n.first])-2.0/3) > 1e-5 {
			t.Fatalf("node %d has prior %v", i, s.tree.priors(n))
		}
	}
	told := []float32{r.Prior[0]}
	for _, b := range s.Branches(1, 2) {
		if b.Action == r.Legal[0] {
			told = append(told, b.Prior)
		}
	}
	if len(told) != 2 || math.Abs(float64(told[0])-0.8) > 1e-5 || math.Abs(float64(told[1])-0.8) > 1e-5 {
		t.Errorf("the evaluator's prior of 0.8 is told as %v", told)
	}
}

// TestRootNoiseExplores: with noise, plies of negligible prior are visited sometimes; without it never; and the
// prior that is reported has no noise in it.
func TestRootNoiseExplores(t *testing.T) {
	k := 20
	logits := make([]float32, k)
	logits[0] = 20
	st := &bandit{values: make([]float64, k)}
	seen := func(noise bool) int {
		cfg := DefaultPUCT(50)
		cfg.Noise = noise
		s := mustNew(t, cfg)
		visited := map[int]bool{}
		for seed := range uint64(50) {
			r := search(t, s, st, given{logits: logits}, stream(seed))
			for i, v := range r.Visits {
				if v > 0 {
					visited[i] = true
				}
			}
			if r.Prior[0] < 0.999 {
				t.Fatalf("noise in the reported prior: %v", r.Prior)
			}
		}
		return len(visited)
	}
	if with, without := seen(true), seen(false); with < k || without > 2 {
		t.Errorf("%d of %d plies visited with noise, %d without", with, k, without)
	}
}

// TestDrawIsKept: a proven draw is played rather than a ply that looks lost, and not rather than one that
// looks won.
func TestDrawIsKept(t *testing.T) {
	for _, c := range []struct {
		other float64
		want  engine.Action
	}{{-0.5, 0}, {0.5, 1}} {
		for mover := range 2 {
			s := mustNew(t, DefaultPUCT(9))
			s.legal = legalUpTo(2)
			s.root = s.tree.add(s.legal, []float32{0, 0}, mover, 0, 0)
			path := []step{{s.root, 0}}
			s.tree.finish(path, 0, drawn)
			path[0].edge = 1
			for range 8 {
				s.tree.finish(path, view(c.other, uint8(mover)), unproven)
			}
			r := s.Result()
			if r.Action != c.want {
				t.Errorf("mover %d, other ply %v: plays %d, want %d", mover, c.other, r.Action, c.want)
			}
			if view(r.Value, uint8(mover)) < 0 {
				t.Errorf("mover %d has a draw in hand, value %v", mover, r.Value)
			}
		}
	}
}

// TestPolicyTarget: visits of a ply that is proven lost are no target; a draw in hand that is played is the
// whole of it; else it is the share of the visits.
func TestPolicyTarget(t *testing.T) {
	for _, c := range []struct {
		proofs [3]proof // for player 0 to move
		q      float64  // of the plies without proof
		want   []float32
	}{
		{[3]proof{}, 0.2, []float32{0.5, 0.3, 0.2}},
		{[3]proof{win1}, 0.2, []float32{0, 0.6, 0.4}},
		{[3]proof{drawn}, -0.2, []float32{1, 0, 0}},
		{[3]proof{drawn}, 0.2, []float32{0.5, 0.3, 0.2}},
		{[3]proof{win1, win0}, 0.2, []float32{0, 1, 0}},
	} {
		s := mustNew(t, DefaultPUCT(9))
		s.legal = legalUpTo(3)
		s.root = s.tree.add(s.legal, []float32{0, 0, 0}, 0, 0, 0)
		for i, visits := range []int{5, 3, 2} {
			path := []step{{s.root, uint32(i)}}
			for range visits - 1 {
				s.tree.finish(path, c.q, unproven)
			}
			p := c.proofs[i]
			v := c.q
			if p != unproven {
				v = p.value()
			}
			s.tree.finish(path, v, p)
		}
		if got := s.Result().Policy; !slices.Equal(got, c.want) {
			t.Errorf("proofs %v, q %v: policy %v, want %v", c.proofs, c.q, got, c.want)
		}
	}
}

// TestExtract: a copied subtree is the same tree.
func TestExtract(t *testing.T) {
	s := mustNew(t, DefaultPUCT(500))
	search(t, s, newToy(toyGame{seed: 31, depth: 12, branch: 5}.withChoice()), misleading{1}, nil)
	var a, b tree
	a.extract(&s.tree, s.root)
	b.extract(&a, 0)
	if len(a.nodes) != len(s.tree.nodes) || len(a.action) != len(s.tree.action) {
		t.Fatalf("%d nodes and %d edges became %d and %d", len(s.tree.nodes), len(s.tree.action), len(a.nodes), len(a.action))
	}
	if !slices.Equal(a.nodes, b.nodes) || !slices.Equal(a.child, b.child) || !slices.Equal(a.sum, b.sum) {
		t.Error("a copy of the copy differs")
	}
}
