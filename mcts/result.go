package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"latro/env/engine"
)

// Result is what a search found. Its slices run over the legal plies of the root and are views into the
// search that stay valid until its next Begin or Result; Clone copies them.
type Result struct {
	// Action is the ply to make.
	Action engine.Action
	// Legal holds the legal plies, ascending.
	Legal []engine.Action
	// Prior is the evaluator's prior, without noise and temperature.
	Prior []float32
	// Visits counts the simulations through each ply.
	Visits []uint32
	// Policy is the training target; it sums to 1. Gumbel: the improved policy softmax(log prior +
	// sigma(completed Q)). PUCT: the share of the visits, without plies that are proven lost; the ply to
	// make alone, if its result is proven.
	Policy []float32
	// Q is the value of each ply for player 0, in [-1, 1]; a ply without one has the node's value
	// (Gumbel: the mixed value).
	Q []float32
	// Exact says which entries of Q are proven results.
	Exact []bool
	// Value is the value of the root for player 0: exact if Proven; Gumbel: the expectation of Q under
	// Policy (the mean over visits would carry the losing plies that sequential halving had to try); PUCT:
	// the mean of the evaluation and all simulations. HasValue is false, and Value 0, for a forced ply.
	Value    float64
	HasValue bool
	// RawValue is the evaluator's own value of the root for player 0.
	RawValue float64
	// Simulations is the number of simulations made, Evaluations the number of leaves evaluated.
	Simulations, Evaluations int
	// Forced says that there was one legal ply, and no search.
	Forced bool
	// Proven says that Value is the exact result of the position.
	Proven bool
}

// Clone returns a copy that shares nothing with the search.
func (r Result) Clone() Result {
	r.Legal = append([]engine.Action(nil), r.Legal...)
	r.Prior = append([]float32(nil), r.Prior...)
	r.Visits = append([]uint32(nil), r.Visits...)
	r.Policy = append([]float32(nil), r.Policy...)
	r.Q = append([]float32(nil), r.Q...)
	r.Exact = append([]bool(nil), r.Exact...)
	return r
}

// Sample draws a ply with probability proportional to Policy^(1/temperature), for openings that are to vary more
// than the search itself does; a temperature of 0 gives Action. Where the root is proven the draw is among the
// plies that keep its value. It draws one number, or none for temperature 0.
func (r Result) Sample(temperature float64, rng *rand.Rand) engine.Action {
	if temperature <= 0 || len(r.Legal) == 0 {
		return r.Action
	}
	u := rng.Float64()
	top := slices.Max(r.Policy)
	weight := func(i int) float64 {
		if r.Proven && !(r.Exact[i] && float64(r.Q[i]) == r.Value) {
			return 0
		}
		return math.Pow(float64(r.Policy[i]/top), 1/temperature)
	}
	total := 0.0
	for i := range r.Legal {
		total += weight(i)
	}
	rest := u * total
	for i, a := range r.Legal {
		w := weight(i)
		if rest < w {
			return a
		}
		rest -= w
	}
	return r.Action
}

// Result says what the search has found so far; it may be called before the budget is used, but not before
// the root is evaluated, for then there is nothing to say: the ply is the first legal one and HasValue
// is false. It changes nothing: a choice with temperature uses a number drawn by Begin.
func (s *Search) Result() Result {
	r := &s.out
	k := len(s.legal)
	*r = Result{
		Legal:       s.legal,
		Prior:       resize(r.Prior, k),
		Visits:      resize(r.Visits, k),
		Policy:      resize(r.Policy, k),
		Q:           resize(r.Q, k),
		Exact:       resize(r.Exact, k),
		Simulations: s.started - s.simulationsPending(),
		Evaluations: s.evaluations - s.pending,
		Forced:      s.forced,
	}
	if k == 0 {
		r.Action = engine.NoAction
		return *r
	}
	if s.forced || s.root < 0 {
		r.Action = s.legal[0]
		clear(r.Visits)
		clear(r.Q)
		clear(r.Exact)
		for i := range k {
			r.Prior[i] = 1 / float32(k)
			r.Policy[i] = 1 / float32(k)
		}
		return *r
	}
	t := &s.tree
	n := &t.nodes[s.root]
	r.HasValue = true
	r.RawValue = float64(n.raw)
	r.Proven = n.proof != unproven
	for i := range k {
		e := n.first + uint32(i)
		r.Prior[i] = t.evaluated(e)
		r.Visits[i] = t.visits[e]
		r.Exact[i] = t.proof[e] != unproven
	}
	var choice uint32
	if s.cfg.Kind == Gumbel {
		pi, q, scale := s.improve(n)
		choice = s.decideGumbel(n, q, scale)
		for i := range k {
			r.Policy[i] = pi[i]
			r.Q[i] = view(q[i], n.mover)
			r.Value += float64(pi[i]) * float64(r.Q[i])
		}
	} else {
		choice = s.decidePUCT(n)
		r.Value = n.mean()
		// Visits of a ply count until it was proven lost; they are no target then. A result that is known
		// has one: the ply that reaches it.
		lost, total := lossFor(n.mover), uint32(0)
		for e := n.first; e < n.first+uint32(k); e++ {
			if t.proof[e] != lost {
				total += t.visits[e]
			}
		}
		for i := range k {
			e := n.first + uint32(i)
			r.Q[i] = float32(r.Value)
			if t.known(e) {
				r.Q[i] = t.q(e)
			}
			switch {
			case r.Proven || t.proof[choice] != unproven:
				r.Policy[i] = 0
				if e == choice {
					r.Policy[i] = 1
				}
			case total == 0:
				r.Policy[i] = t.prior[e]
			case t.proof[e] == lost:
				r.Policy[i] = 0
			default:
				r.Policy[i] = float32(float64(t.visits[e]) / float64(total))
			}
		}
	}
	// Rounding may carry an expectation over values of 1 past it.
	r.Value = max(-1, min(1, r.Value))
	if r.Proven {
		r.Value = n.proof.value()
	}
	r.Action = t.action[choice]
	return *r
}

// simulationsPending counts the leaves under evaluation that belong to a simulation: all but the root.
func (s *Search) simulationsPending() int {
	if s.root < 0 {
		return 0
	}
	return s.pending
}

// Line appends the principal variation to dst, at most limit plies: the ply that Result names, then at each
// node the one that a proof requires or, among the unproven, that was visited most.
func (s *Search) Line(dst []engine.Action, limit int) []engine.Action {
	if limit <= 0 || len(s.legal) == 0 {
		return dst
	}
	first := s.Result().Action
	dst = append(dst, first)
	if s.root < 0 {
		return dst
	}
	t := &s.tree
	n := &t.nodes[s.root]
	e := n.first
	for t.action[e] != first {
		e++
	}
	for limit--; limit > 0 && t.child[e] >= 0; limit-- {
		n = &t.nodes[t.child[e]]
		if n.visits == 0 {
			break
		}
		if n.proof != unproven {
			e = t.settled(n)
		} else {
			e = t.find(n, unproven)
		}
		dst = append(dst, t.action[e])
	}
	return dst
}
