package mcts

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"latro/env/engine"
)

// This file lets programs that analyse positions look into a search; nothing in it changes what is searched.

// Step is one ply of a variation.
type Step struct {
	// Action is the ply, Visits the number of simulations that made it in this line.
	Action engine.Action
	Visits uint32
}

// Branch is a ply of the search tree with what the search knows of it.
type Branch struct {
	// Action is the ply, Mover the player who makes it.
	Action engine.Action
	Mover  int
	// Visits counts the simulations through it; Prior is the evaluator's prior.
	Visits uint32
	Prior  float32
	// Value is the mean result for player 0, in [-1, 1]: exact if Proven, 0 without visits.
	Value  float64
	Proven bool
	// Children are the plies after it that have visits or a proof, the most visited first.
	Children []Branch
}

// Evaluator is what the agent asks about leaves. It is for one goroutine at a time, the agent's own calls
// included.
func (a *Net) Evaluator() Evaluator { return a.ev }

// Config returns the agent's configuration.
func (a *UCT) Config() UCTConfig { return a.cfg }

// Bytes is the memory that the tree of the latest search takes.
func (s *Search) Bytes() int { return s.tree.bytes() }

// Bounds is what is proven of the root's value for player 0: -1 and 1 if nothing is, twice the value if it is
// proven, and with a proven draw among the mover's plies 0 on the side of his loss (score bounds: Cazenave and
// Saffidine 2010).
func (s *Search) Bounds() (low, high float64) {
	if s.root < 0 || s.forced {
		return -1, 1
	}
	return s.tree.bounds(s.root)
}

// Variation appends to dst the line that begins with the root ply a, at most limit plies: at each node the ply
// that a proof requires or, among the unproven, the most visited. It appends nothing if a is not legal at the
// root.
func (s *Search) Variation(dst []Step, a engine.Action, limit int) []Step {
	if s.root < 0 || s.forced {
		if limit > 0 && slices.Contains(s.legal, a) {
			dst = append(dst, Step{Action: a})
		}
		return dst
	}
	return s.tree.variation(dst, s.root, a, limit)
}

// Branches is the top of the search tree: the root's plies that have visits or a proof, the most visited first,
// and below them the same for depth plies in all. At most limit plies are returned, breadth first.
func (s *Search) Branches(depth, limit int) []Branch {
	if s.root < 0 || s.forced {
		return nil
	}
	return s.tree.branches(s.root, depth, limit)
}

// UCTSearch is a choice of the agent UCT that is made step by step, for programs that have a clock, report on the
// way, or want to see the tree. After as many steps as the agent has simulations it has made exactly the
// simulations of UCT.Choose.
type UCTSearch struct {
	agent  *UCT
	state  *engine.State
	rng    *rand.Rand
	legal  []engine.Action
	root   int32
	done   int
	forced bool
	order  []uint32
	out    Result
}

// Start begins a choice in s, which the search owns from now on and leaves as it is between the steps. It uses
// the agent's memory: the agent can do one thing at a time, and starting another choice ends this one. It returns
// ErrOver if the game is over.
func (a *UCT) Start(s *engine.State, rng *rand.Rand) (*UCTSearch, error) {
	return a.StartAmong(s, s.Legal(nil), rng)
}

// StartAmong is Start with a choice among some of the legal plies, in ascending order; below the root all are looked at.
// What is then proven of the root is proven of that choice.
func (a *UCT) StartAmong(s *engine.State, plies []engine.Action, rng *rand.Rand) (*UCTSearch, error) {
	x := &UCTSearch{agent: a, state: s, rng: rng, legal: plies}
	if len(x.legal) == 0 {
		return nil, ErrOver
	}
	a.tree.reset()
	if x.forced = len(x.legal) == 1; !x.forced {
		x.root = a.tree.addShuffled(x.legal, s.ToMove(), rng)
	}
	return x, nil
}

// Step makes up to n simulations and says whether more could tell anything: not for a forced ply, nor once the
// root is proven.
func (x *UCTSearch) Step(n int) (more bool) {
	if x.forced {
		return false
	}
	t := &x.agent.tree
	for ; n > 0 && t.nodes[x.root].proof == unproven; n-- {
		for plies := x.agent.simulate(x.state, x.root, x.rng); plies > 0; plies-- {
			x.state.Undo()
		}
		x.done++
	}
	return t.nodes[x.root].proof == unproven
}

// Result says what has been found so far, as Search.Result does. Prior is uniform, Policy the share of the visits,
// Value the value of the ply to make, as in UCT's Decision. Before the first simulation it is the first legal ply,
// without value.
func (x *UCTSearch) Result() Result {
	k := len(x.legal)
	r := &x.out
	*r = Result{
		Legal: x.legal, Action: x.legal[0], Forced: x.forced, Simulations: x.done, Evaluations: x.done,
		Prior: resize(r.Prior, k), Visits: resize(r.Visits, k), Policy: resize(r.Policy, k),
		Q: resize(r.Q, k), Exact: resize(r.Exact, k),
	}
	for i := range k {
		r.Prior[i], r.Policy[i] = 1/float32(k), 1/float32(k)
	}
	clear(r.Visits)
	clear(r.Q)
	clear(r.Exact)
	if x.forced || x.done == 0 {
		return *r
	}
	t := &x.agent.tree
	n := &t.nodes[x.root]
	best := x.choice(n)
	r.Action = t.action[best]
	r.HasValue, r.Proven = true, n.proof != unproven
	r.Value = float64(t.q(best))
	x.order = x.order[:0]
	for e := n.first; e < n.first+uint32(n.count); e++ {
		x.order = append(x.order, e)
	}
	slices.SortFunc(x.order, func(i, j uint32) int { return cmp.Compare(t.action[i], t.action[j]) })
	for i, e := range x.order {
		r.Visits[i] = t.visits[e]
		r.Policy[i] = float32(float64(t.visits[e]) / float64(max(1, n.visits)))
		r.Exact[i] = t.proof[e] != unproven
		r.Q[i] = float32(n.mean())
		if t.known(e) {
			r.Q[i] = t.q(e)
		}
	}
	return *r
}

// choice is the root edge that UCT.Choose takes.
func (x *UCTSearch) choice(n *node) uint32 {
	t := &x.agent.tree
	if n.proof != unproven {
		return t.settled(n)
	}
	best, found := n.first, false
	for e := n.first; e < n.first+uint32(n.count); e++ {
		if t.proof[e] == unproven && t.visits[e] > 0 && (!found || x.agent.preferred(n, e, best)) {
			best, found = e, true
		}
	}
	if n.draws && (!found || view(t.q(best), n.mover) < 0) {
		best = t.find(n, drawn)
	}
	return best
}

// Bytes is Search.Bytes.
func (x *UCTSearch) Bytes() int { return x.agent.tree.bytes() }

// Bounds is Search.Bounds.
func (x *UCTSearch) Bounds() (low, high float64) {
	if x.forced {
		return -1, 1
	}
	return x.agent.tree.bounds(x.root)
}

// Variation is Search.Variation.
func (x *UCTSearch) Variation(dst []Step, a engine.Action, limit int) []Step {
	if x.forced {
		if limit > 0 && a == x.legal[0] {
			dst = append(dst, Step{Action: a})
		}
		return dst
	}
	return x.agent.tree.variation(dst, x.root, a, limit)
}

// Branches is Search.Branches.
func (x *UCTSearch) Branches(depth, limit int) []Branch {
	if x.forced {
		return nil
	}
	return x.agent.tree.branches(x.root, depth, limit)
}

// Bytes of a node and of an edge: the fields of node, and one entry of each of tree's parallel arrays.
const (
	nodeBytes = 48
	edgeBytes = 29
)

func (t *tree) bytes() int { return nodeBytes*len(t.nodes) + edgeBytes*len(t.action) }

func (t *tree) bounds(root int32) (low, high float64) {
	n := &t.nodes[root]
	switch {
	case n.proof != unproven:
		return n.proof.value(), n.proof.value()
	case n.draws && n.mover == 0:
		return 0, 1
	case n.draws:
		return -1, 0
	}
	return -1, 1
}

func (t *tree) variation(dst []Step, root int32, a engine.Action, limit int) []Step {
	n := &t.nodes[root]
	e, end := n.first, n.first+uint32(n.count)
	for e < end && t.action[e] != a {
		e++
	}
	if e == end || limit <= 0 {
		return dst
	}
	dst = append(dst, Step{a, t.visits[e]})
	for limit--; limit > 0 && t.child[e] >= 0; limit-- {
		n = &t.nodes[t.child[e]]
		if n.visits == 0 {
			break
		}
		e = t.find(n, n.proof)
		dst = append(dst, Step{t.action[e], t.visits[e]})
	}
	return dst
}

func (t *tree) branches(root int32, depth, limit int) []Branch {
	type place struct {
		node int32
		at   *[]Branch
	}
	var top []Branch
	level := []place{{root, &top}}
	for ; depth > 0 && len(level) > 0; depth-- {
		var next []place
		for _, p := range level {
			n := &t.nodes[p.node]
			var edges []uint32
			for e := n.first; e < n.first+uint32(n.count); e++ {
				if t.known(e) {
					edges = append(edges, e)
				}
			}
			slices.SortStableFunc(edges, func(x, y uint32) int {
				if c := cmp.Compare(t.visits[y], t.visits[x]); c != 0 {
					return c
				}
				return cmp.Compare(t.action[x], t.action[y])
			})
			edges = edges[:min(len(edges), limit)]
			limit -= len(edges)
			*p.at = make([]Branch, len(edges))
			for i, e := range edges {
				(*p.at)[i] = Branch{
					Action: t.action[e], Mover: int(n.mover), Visits: t.visits[e], Prior: t.evaluated(e),
					Value: float64(t.q(e)), Proven: t.proof[e] != unproven,
				}
				if t.child[e] >= 0 {
					next = append(next, place{t.child[e], &(*p.at)[i].Children})
				}
			}
		}
		level = next
	}
	return top
}
