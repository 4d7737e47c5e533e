package mcts

import (
	"math"
	"slices"
	"testing"
)

// TestConsideredVisits checks the schedule against the sequences published with the authors' implementation,
// google-deepmind/mctx, mctx/_src/tests/seq_halving_test.py. First the cases there, then phases worked out by
// hand from Danihelka et al. 2022, algorithm 2.
func TestConsideredVisits(t *testing.T) {
	// count(a, b, n): n actions at each of the visit counts a..b.
	count := func(parts ...[3]uint32) (seq []uint32) {
		for _, p := range parts {
			for v := p[0]; v <= p[1]; v++ {
				for range p[2] {
					seq = append(seq, v)
				}
			}
		}
		return seq
	}
	for _, c := range []struct {
		name string
		m, n int
		want []uint32
	}{
		{"mctx min_sims: n = m log2 m", 8, 24, count([3]uint32{0, 0, 8}, [3]uint32{1, 2, 4}, [3]uint32{3, 6, 2})},
		{"mctx extra_sims", 8, 47, append(count([3]uint32{0, 0, 8}, [3]uint32{1, 3, 4}, [3]uint32{4, 16, 2}), 17)},
		{"mctx less_sims", 8, 2, []uint32{0, 0}},
		{"mctx less_sims2", 8, 13, append(count([3]uint32{0, 0, 8}, [3]uint32{1, 1, 4}), 2)},
		{"mctx not_power_of_2", 7, 24, append(count([3]uint32{0, 0, 7}), 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8)},
		{"mctx action0", 0, 16, count([3]uint32{0, 15, 1})},
		{"mctx action1", 1, 16, count([3]uint32{0, 15, 1})},
		// By hand: 2 phases; 4 actions floor(8/8) = 1 visit, then 2 actions floor(8/4) = 2.
		{"4 actions, 8 simulations", 4, 8, []uint32{0, 0, 0, 0, 1, 1, 2, 2}},
		// By hand: 4 phases of 16, 8, 4, 2 actions with floor(64/64), floor(64/32), floor(64/16),
		// floor(64/8) visits: 16 + 16 + 16 + 16 simulations.
		{"16 actions, 64 simulations", 16, 64, count([3]uint32{0, 0, 16}, [3]uint32{1, 2, 8}, [3]uint32{3, 6, 4}, [3]uint32{7, 14, 2})},
		{"2 actions", 2, 5, []uint32{0, 0, 1, 1, 2}},
	} {
		if got := consideredVisits(nil, c.m, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.name, got, c.want)
		}
	}
}

// TestSequentialHalvingAtTheRoot: visits follow the schedule, best scores surviving. The numbers are those of
// mctx's policies_test (test_gumbel_muzero_policy): two actions, 17 simulations, 9 and 8 visits.
func TestSequentialHalvingAtTheRoot(t *testing.T) {
	cfg := DefaultGumbel(17)
	cfg.Noise = false
	st := &bandit{values: []float64{0.3, -0.1}}
	r := search(t, mustNew(t, cfg), st, given{logits: []float32{-1, 2}}, nil)
	if !slices.Equal(r.Visits, []uint32{9, 8}) || r.Action != 0 {
		t.Errorf("visits %v, action %d", r.Visits, r.Action)
	}
	// 8 actions with equal priors and 24 simulations: all once, the best four to 3, the best two to 7
	// visits (schedule 8x0, 4x1, 4x2, then 2x3..6).
	cfg.Simulations = 24
	for mover := range 2 {
		st = &bandit{mover: mover, values: []float64{0, 0.7, -0.2, 0.3, 0.1, -0.9, 0.5, 0.2}}
		want := []uint32{1, 7, 1, 3, 1, 1, 7, 3}
		if mover == 1 {
			for i := range st.values {
				st.values[i] = -st.values[i]
			}
		}
		r = search(t, mustNew(t, cfg), st, Uniform{}, nil)
		if !slices.Equal(r.Visits, want) || r.Action != 1 {
			t.Errorf("mover %d: visits %v, want %v; action %d", mover, r.Visits, want, r.Action)
		}
	}
	// MaxConsidered 3: the three highest priors, no other.
	cfg.MaxConsidered = 3
	st.mover = 0
	r = search(t, mustNew(t, cfg), st, given{logits: []float32{0, 0, 5, 0, 4, 6, 0, 0}}, nil)
	for i, v := range r.Visits {
		if (v > 0) != (i == 2 || i == 4 || i == 5) {
			t.Errorf("ply %d has %d visits with three considered: %v", i, v, r.Visits)
		}
	}
}

// TestCompletedQ works the mixed value (Danihelka et al. 2022, appendix D) and the improved policy by hand. Prior (0.2, 0.3, 0.5), raw value -0.8
// for player 0, visits (4, 4, 0) with q = 0.5 and -0.1: the visited prior mass is 0.5, the prior-weighted q is
// (0.2*0.5 - 0.3*0.1)/0.5 = 0.14, v_mix = (-0.8 + 8*0.14)/9 = 0.0355556.
func TestCompletedQ(t *testing.T) {
	const mix = (-0.8 + 8*0.14) / 9
	for mover := range 2 {
		sign := 1 - 2*float64(mover)
		cfg := DefaultGumbel(8)
		cfg.CVisit, cfg.CScale = 6, 0.1 // sigma's factor: (6 + 4) * 0.1 = 1
		cfg.MaxConsidered = 2
		cfg.Noise = false
		s := mustNew(t, cfg)
		if err := s.Begin(&bandit{mover: mover, values: []float64{0, 0, 0}}, nil); err != nil {
			t.Fatal(err)
		}
		l, _ := s.Next()
		for i, p := range []float64{0.2, 0.3, 0.5} {
			l.Logits[i] = float32(math.Log(p)) + 3 // an unnormalised log prior
		}
		l.Value = float32(-0.8 * sign)
		if err := s.Apply(); err != nil {
			t.Fatal(err)
		}
		n := &s.tree.nodes[s.root]
		for range 4 {
			s.tree.backup(n, 0, 0.5*sign)
			s.tree.backup(n, 1, -0.1*sign)
		}
		pi, completed, scale := s.improve(n)
		q := []float64{0.5, -0.1, mix}
		total := 0.0
		for i, p := range []float64{0.2, 0.3, 0.5} {
			total += p * math.Exp(q[i])
		}
		for i, p := range []float64{0.2, 0.3, 0.5} {
			if math.Abs(float64(completed[i])-q[i]) > 1e-6 || scale != 1 {
				t.Errorf("mover %d: completed Q of ply %d is %v times %v, want %v", mover, i, completed[i], scale, q[i])
			}
			if want := p * math.Exp(q[i]) / total; math.Abs(float64(pi[i])-want) > 1e-5 {
				t.Errorf("mover %d: improved policy of ply %d is %v, want %v", mover, i, pi[i], want)
			}
		}
		r := s.Result()
		for i := range q {
			if math.Abs(float64(r.Q[i])-q[i]*sign) > 1e-6 {
				t.Errorf("mover %d: Q %v for player 0, want %v times %v", mover, r.Q, q, sign)
			}
		}
	}
}

// TestImprovedPolicyIsTheSoftmax compares the improved policy, at every node of searched trees, with its
// definition softmax(log P + sigma(completed Q)) in double precision; it is computed another way.
func TestImprovedPolicyIsTheSoftmax(t *testing.T) {
	nodes := 0
	for seed := range uint64(20) {
		s := mustNew(t, DefaultGumbel(150))
		search(t, s, newToy(toyGame{seed: seed, depth: 8, branch: 7, ends: 0.1}.withChoice()), misleading{10}, stream(seed))
		for i := range s.tree.nodes {
			n := &s.tree.nodes[i]
			pi, q, scale := s.improve(n)
			total := 0.0
			for j, x := range q {
				total += math.Exp(float64(s.tree.logp[int(n.first)+j]) + float64(scale)*float64(x))
			}
			for j, x := range q {
				want := math.Exp(float64(s.tree.logp[int(n.first)+j])+float64(scale)*float64(x)) / total
				if math.Abs(float64(pi[j])-want) > 1e-4*want+1e-9 {
					t.Fatalf("seed %d, node %d, edge %d: %v, want %v", seed, i, j, pi[j], want)
				}
			}
			nodes++
		}
	}
	if nodes < 500 {
		t.Errorf("only %d nodes", nodes)
	}
}

// TestMixedValueWithoutVisits is mctx's test_mix_value_with_zero_visits: the raw value itself.
func TestMixedValueWithoutVisits(t *testing.T) {
	s := mustNew(t, DefaultGumbel(1))
	s.tree.add(legalUpTo(4), []float32{-30, -1, 2, -30}, 1, -0.8, 0)
	q, _, _ := s.complete(&s.tree.nodes[0])
	for i := range q {
		if got := float64(q[i]); math.Abs(got-0.8) > 1e-6 {
			t.Errorf("completed Q %v for player 1, want 0.8", got)
		}
	}
}

// TestUniformQKeepsThePrior: where all plies are worth the same, the improved policy is the prior.
func TestUniformQKeepsThePrior(t *testing.T) {
	logits := []float32{0.3, -1.2, 2, 0, 0.7}
	for _, v := range []float64{0, 0.4, -0.9} {
		st := &bandit{values: []float64{v, v, v, v, v}}
		cfg := DefaultGumbel(32)
		cfg.MaxConsidered = 3 // so that some plies stay unvisited
		r := search(t, mustNew(t, cfg), st, given{logits: logits, value: float32(v)}, stream(1))
		for i := range r.Policy {
			if math.Abs(float64(r.Policy[i]-r.Prior[i])) > 1e-5 {
				t.Errorf("value %v: policy %v, prior %v", v, r.Policy, r.Prior)
				break
			}
		}
		if math.Abs(r.Value-v) > 1e-5 {
			t.Errorf("value %v, want %v", r.Value, v)
		}
	}
}

// TestPolicyImprovement: with exact values the improved policy is worth at least the prior, for both
// movers, when every ply was visited; and so is the ply that is played, on average over the noise, whatever
// was visited (Danihelka et al. 2022, section 3: the ply is the best by value of those drawn).
func TestPolicyImprovement(t *testing.T) {
	rng := stream(4)
	for trial := range 200 {
		k := 2 + rng.IntN(8)
		st := &bandit{mover: trial & 1, values: make([]float64, k)}
		ev := given{logits: make([]float32, k)}
		for i := range k {
			st.values[i] = 2*rng.Float64() - 1
			ev.logits[i] = float32(3 * rng.NormFloat64())
		}
		lp, p := make([]float32, k), make([]float32, k)
		logSoftmax(lp, p, ev.logits)
		under := func(policy []float32) float64 {
			sum := 0.0
			for i, x := range policy {
				sum += float64(x) * st.values[i]
			}
			return view(sum, uint8(st.mover))
		}
		prior := under(p)
		ev.value = float32(view(prior, uint8(st.mover)))
		r := search(t, mustNew(t, DefaultGumbel(4*k)), st, ev, stream(uint64(trial)))
		if got := under(r.Policy); got < prior-1e-4 {
			t.Errorf("trial %d: improved policy is worth %v, the prior %v", trial, got, prior)
		}
		if trial >= 20 {
			continue
		}
		cfg := DefaultGumbel(4)
		cfg.MaxConsidered = 4
		s := mustNew(t, cfg)
		const n = 500
		sum := 0.0
		for range n {
			sum += view(st.values[search(t, s, st, ev, rng).Action], uint8(st.mover))
		}
		// Values lie in [-1, 1]; four standard errors of the mean are at most 4/sqrt(500) = 0.18.
		if sum/n < prior-0.18 {
			t.Errorf("trial %d: plies are worth %v on average, the prior %v", trial, sum/n, prior)
		}
	}
}

// TestGumbelTopIsThePrior: with one simulation the ply played is the best of log prior + noise, which is a
// draw from the prior (the Gumbel-max trick).
func TestGumbelTopIsThePrior(t *testing.T) {
	logits := []float32{0, 1, -1, 0.5}
	lp, p := make([]float32, 4), make([]float32, 4)
	logSoftmax(lp, p, logits)
	s := mustNew(t, DefaultGumbel(1))
	rng := stream(11)
	st := &bandit{values: []float64{0.5, -0.5, 0, 1}}
	const n = 20000
	drawn := make([]float64, 4)
	for range n {
		drawn[search(t, s, st, given{logits: logits}, rng).Action]++
	}
	chi := 0.0
	for i := range drawn {
		want := n * float64(p[i])
		chi += (drawn[i] - want) * (drawn[i] - want) / want
	}
	// 0.9999 quantile of chi-squared with 3 degrees of freedom.
	if chi > 21.1 {
		t.Errorf("drawn %v of %d, prior %v: chi-squared %.1f", drawn, n, p, chi)
	}
}

// TestSample: plies are drawn by their policy, sharpened by the temperature; at a proven root only those that
// keep its value.
func TestSample(t *testing.T) {
	r := Result{Action: 2, Legal: legalUpTo(4), Policy: []float32{0.1, 0.2, 0.6, 0.1}, Q: []float32{1, 0, 1, 1}, Exact: []bool{true, true, true, false}}
	for _, c := range []struct {
		temperature float64
		proven      bool
		want        []float64
	}{
		{1, false, []float64{0.1, 0.2, 0.6, 0.1}},
		// Squares 0.01, 0.04, 0.36, 0.01 over 0.42.
		{0.5, false, []float64{0.0238, 0.0952, 0.857, 0.0238}},
		{0, false, []float64{0, 0, 1, 0}},
		{1, true, []float64{1. / 7, 0, 6. / 7, 0}},
	} {
		r.Proven, r.Value = c.proven, 1
		rng := stream(6)
		const n = 8000
		drawn := make([]float64, 4)
		for range n {
			drawn[r.Sample(c.temperature, rng)]++
		}
		for i, p := range c.want {
			// Five standard errors of a proportion, and the rounding of the numbers above.
			if math.Abs(drawn[i]/n-p) > 5*math.Sqrt(p*(1-p)/n)+1e-3 {
				t.Errorf("temperature %v, proven %v: ply %d drawn %v of the time, want %v", c.temperature, c.proven, i, drawn[i]/n, p)
			}
		}
	}
}

// TestExp32 checks the error bound that its comment states.
func TestExp32(t *testing.T) {
	for x := float32(0); x > -87; x -= 0.00391 {
		want := math.Exp(float64(x))
		if got := float64(exp32(x)); math.Abs(got-want) > 1e-5*want {
			t.Fatalf("exp32(%v) = %v, want %v", x, got, want)
		}
	}
	if exp32(-1e30) != 0 || exp32(-88) != 0 {
		t.Error("far below zero must be 0")
	}
}
