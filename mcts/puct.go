package mcts

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// choosePUCT is the edge with the highest
//
//	Q(a) + c(N) P(a) sqrt(1 + N) / (1 + N(a))
//
// in the mover's view, N being the visits of the node. An unvisited edge has the value of the node less
// FPUReduction times the root of the visited prior mass. Virtual visits count as visits that were lost.
func (s *Search) choosePUCT(n *node, root bool) uint32 {
	t := &s.tree
	reduction := s.cfg.FPUReduction
	prior := t.prior[n.first : n.first+uint32(n.count)]
	if root && s.cfg.Noise {
		reduction = s.cfg.RootFPUReduction
		prior = s.rootPrior
	}
	total := float64(n.visits + n.virtual)
	c := s.cfg.CInit + math.Log((total+s.cfg.CBase+1)/s.cfg.CBase)
	explore := float32(c * math.Sqrt(total+1))
	fpu := float32(view(n.mean(), n.mover) - reduction*math.Sqrt(float64(n.mass)))

	best, bestScore, found := n.first, negInf, false
	for i, p := range prior {
		e := n.first + uint32(i)
		visits, virtual := t.visits[e], uint32(t.virtual[e])
		if t.proof[e] != unproven {
			continue
		}
		q := fpu
		if visits > 0 {
			q = view(t.q(e), n.mover)
		}
		if virtual > 0 {
			q = (q*float32(visits) - float32(virtual)) / float32(visits+virtual)
		}
		if score := q + explore*p/float32(1+visits+virtual); !found || score > bestScore {
			best, bestScore, found = e, score, true
		}
	}
	return best
}

// decidePUCT is the root edge to play: with temperature 0 the most visited, else one drawn with probability
// proportional to visits^(1/temperature). Proven losses are left out, and so are proven draws, unless the
// result is worse for the mover than one.
func (s *Search) decidePUCT(n *node) uint32 {
	t := &s.tree
	if n.proof != unproven {
		return t.settled(n)
	}
	e := s.decideVisits(n)
	if n.draws && t.known(e) && view(t.q(e), n.mover) < 0 {
		return t.find(n, drawn)
	}
	return e
}

func (s *Search) decideVisits(n *node) uint32 {
	t := &s.tree
	best := t.find(n, unproven)
	if s.cfg.Temperature == 0 || t.visits[best] == 0 {
		return best
	}
	// Weights relative to the largest count: large powers do not overflow.
	weight := func(e uint32) float64 {
		if t.proof[e] != unproven || t.visits[e] == 0 {
			return 0
		}
		return math.Pow(float64(t.visits[e])/float64(t.visits[best]), 1/s.cfg.Temperature)
	}
	total := 0.0
	for e := n.first; e < n.first+uint32(n.count); e++ {
		total += weight(e)
	}
	rest := s.draw * total
	for e := n.first; e < n.first+uint32(n.count); e++ {
		if w := weight(e); w > 0 {
			if rest < w {
				return e
			}
			rest -= w
		}
	}
	return best
}

// dirichlet fills dst with a draw from the symmetric Dirichlet distribution of concentration alpha.
func dirichlet(dst []float32, alpha float64, rng *rand.Rand) {
	g := distuv.Gamma{Alpha: alpha, Beta: 1, Src: rng}
	total := 0.0
	for i := range dst {
		x := g.Rand()
		dst[i] = float32(x)
		total += float64(dst[i])
	}
	if !(total > 0) {
		// Every draw of a tiny alpha can underflow; the limit of the distribution is one corner.
		clear(dst)
		dst[rng.IntN(len(dst))] = 1
		return
	}
	for i := range dst {
		dst[i] = float32(float64(dst[i]) / total)
	}
}
