package mcts

import (
	"math"
	"math/rand/v2"
)

// gumbelNoise draws from the standard Gumbel distribution: minus the logarithm of a standard exponential.
func gumbelNoise(rng *rand.Rand) float32 {
	for {
		if x := rng.ExpFloat64(); x > 0 {
			return float32(-math.Log(x))
		}
	}
}

// consideredVisits appends the schedule of sequential halving (Karnin et al. 2013; Danihelka et al. 2022,
// algorithm 2) for m actions and n simulations: for each simulation, the visit count of the actions among
// which it chooses the best-scoring one. With that, halving needs no bookkeeping: the
// actions that fell out keep a lower count.
//
// Each phase gives every action still considered max(1, n / (ceil(log2 m) * considered)) visits, then half
// of them, but at least two, go on; the last phase goes on until the budget is used.
func consideredVisits(dst []uint32, m, n int) []uint32 {
	if m <= 1 {
		for i := range n {
			dst = append(dst, uint32(i))
		}
		return dst
	}
	phases := int(math.Ceil(math.Log2(float64(m))))
	left := n
	visits := uint32(0) // of the actions still considered: all have the same count
	for considered := m; left > 0; considered = max(2, considered/2) {
		for extra := max(1, n/(phases*considered)); extra > 0 && left > 0; extra-- {
			for i := 0; i < considered && left > 0; i++ {
				dst = append(dst, visits)
				left--
			}
			visits++
		}
	}
	return dst
}

// complete fills s.completed with the completed Q values of n's edges in the mover's view: an edge that has no
// value of its own gets the mixed value (Danihelka et al. 2022, equation 8 and appendix D)
//
//	v_mix = (v + sum_b N(b) * sum_{visited} P(a) q(a) / sum_{visited} P(a)) / (1 + sum_b N(b)).
//
// It returns them, the mixed value, and the factor CScale (CVisit + max_b N(b)) that sigma applies to them.
func (s *Search) complete(n *node) (q []float32, mixed, scale float32) {
	t := &s.tree
	k := int(n.count)
	s.completed = resize(s.completed, k)
	q = s.completed
	visits, proofs := t.visits[n.first:][:k], t.proof[n.first:][:k]
	var mass, weighted float32
	most := uint32(0)
	for i, v := range visits {
		if v == 0 && proofs[i] == unproven {
			continue
		}
		e := n.first + uint32(i)
		x := view(t.q(e), n.mover)
		q[i] = x
		p := t.prior[e]
		mass += p
		weighted += float32(p * x)
		most = max(most, v)
	}
	v := view(float64(n.raw), n.mover)
	if mass > 0 {
		v = (v + float64(n.visits)*float64(weighted/mass)) / float64(1+n.visits)
	}
	mixed = float32(v)
	for i, v := range visits {
		if v == 0 && proofs[i] == unproven {
			q[i] = mixed
		}
	}
	return q, mixed, float32((s.cfg.CVisit + float64(most)) * s.cfg.CScale)
}

// improve fills s.probs with the improved policy softmax(log prior + sigma(completed Q)) of n and returns
// it with what complete returns. Relative to the mixed value, sigma is 0 for the edges that have no value
// of their own, which are most: the prior is multiplied by an exponential only where there is a value.
func (s *Search) improve(n *node) (pi, q []float32, scale float32) {
	q, mixed, scale := s.complete(n)
	s.probs = resize(s.probs, int(n.count))
	pi = s.probs
	top := float32(0)
	for _, x := range q {
		top = max(top, x-mixed)
	}
	top *= scale
	base := exp32(-top)
	total := float32(0)
	for i, p := range s.tree.priors(n) {
		if d := q[i] - mixed; d != 0 {
			p *= exp32(float32(scale*d) - top)
		} else {
			p *= base
		}
		pi[i] = p
		total += p
	}
	inv := 1 / total
	for i := range pi {
		pi[i] *= inv
	}
	return pi, q, scale
}

// priors are the priors of n's edges.
func (t *tree) priors(n *node) []float32 { return t.prior[n.first:][:n.count] }

// chooseGumbel is the selection below the root while a node has few visits (see surveyFrom): the edge whose share of the visits lags most behind the
// improved policy, argmax pi'(a) - N(a) / (1 + sum_b N(b)) (Danihelka et al. 2022, equation 14). Proven
// edges are left out.
func (s *Search) chooseGumbel(n *node) uint32 {
	t := &s.tree
	// At the first visit nothing is known but the prior.
	pi := t.priors(n)
	if n.visits > 0 || n.open < n.count {
		pi, _, _ = s.improve(n)
	}
	inv := 1 / float32(1+n.visits+n.virtual)
	best, bestScore, found := n.first, negInf, false
	for i, p := range pi {
		e := n.first + uint32(i)
		if t.proof[e] != unproven {
			continue
		}
		score := p - float32(float32(t.visits[e]+uint32(t.virtual[e]))*inv)
		if !found || score > bestScore {
			best, bestScore, found = e, score, true
		}
	}
	return best
}

// chooseGumbelRoot is the selection at the root: among the actions with the visit count that the schedule
// names, the one with the highest g(a) + log P(a) + sigma(q(a)). Proven edges are left out. If that leaves none, the visit goes to the best of the visited unproven ones, and if there is none either, to the best
// of those that were not drawn: with solver, a root whose first choices are refuted looks further.
func (s *Search) chooseGumbelRoot(n *node) uint32 {
	t := &s.tree
	q, _, scale := s.complete(n)
	considered := s.schedule[s.started]
	const none = 3
	best, bestTier, bestScore := n.first, none, negInf
	for i, x := range q {
		e := n.first + uint32(i)
		if t.proof[e] != unproven {
			continue
		}
		visits := t.visits[e] + uint32(t.virtual[e])
		tier := 2
		switch {
		case visits == considered:
			tier = 0
		case visits > 0:
			tier = 1
		}
		score := s.gumbel[i] + t.logp[e] + float32(scale*x)
		if tier < bestTier || tier == bestTier && score > bestScore {
			best, bestTier, bestScore = e, tier, score
		}
	}
	return best
}

// decideGumbel is the root edge to play: among the most visited the one with the highest score, and
// proven draws beside them, as their value is exact however few visits they had.
func (s *Search) decideGumbel(n *node, q []float32, scale float32) uint32 {
	t := &s.tree
	if n.proof != unproven {
		return t.settled(n)
	}
	most := uint32(0)
	for e := n.first; e < n.first+uint32(n.count); e++ {
		if t.proof[e] == unproven {
			most = max(most, t.visits[e])
		}
	}
	best, bestScore, found := n.first, negInf, false
	for i, x := range q {
		e := n.first + uint32(i)
		if t.proof[e] != drawn && (t.proof[e] != unproven || t.visits[e] != most) {
			continue
		}
		if score := s.gumbel[i] + t.logp[e] + float32(scale*x); !found || score > bestScore {
			best, bestScore, found = e, score, true
		}
	}
	return best
}

// exp32 is e^x for x <= 0 to a relative error below 1e-5: the powers of two are exact and the rest is a
// polynomial. Selection computes one for each edge it looks at, for which math.Exp is needlessly exact.
// Every product is rounded before it is added, so that all targets give the same bits.
func exp32(x float32) float32 {
	if x < -87 {
		return 0
	}
	const log2e = 1.44269504
	y := float32(x * log2e)
	k := int32(y)
	if float32(k) > y {
		k--
	}
	f := y - float32(k) // 0 <= f < 1
	// 2^f by its Taylor series about 1/2 in z = (f - 1/2) ln 2: |z| < 0.347, first term left out 2.4e-6.
	z := float32((f - 0.5) * 0.693147181)
	p := float32(z*(1.0/120)) + 1.0/24
	p = float32(z*p) + 1.0/6
	p = float32(z*p) + 0.5
	p = float32(z*p) + 1
	p = float32(z*p) + 1
	return float32(p*math.Sqrt2) * math.Float32frombits(uint32(k+127)<<23)
}
