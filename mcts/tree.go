package mcts

import (
	"math"
	"slices"

	"latro/env/engine"
)

// proof is the exact result of a position as far as it is known, for player 0.
type proof uint8

const (
	unproven proof = iota
	win0           // player 0 wins with best play
	win1           // player 1 wins with best play
	drawn          // neither can do better than a draw
)

// proofOf is the proof that a finished game with value v0 gives.
func proofOf(v0 float64) proof {
	switch {
	case v0 > 0:
		return win0
	case v0 < 0:
		return win1
	}
	return drawn
}

// value is the proven value for player 0; 0 for unproven, which no caller asks.
func (p proof) value() float64 {
	switch p {
	case win0:
		return 1
	case win1:
		return -1
	}
	return 0
}

// winFor is the proof of a win of player mover, lossFor of his loss.
func winFor(mover uint8) proof {
	if mover == 0 {
		return win0
	}
	return win1
}

func lossFor(mover uint8) proof { return winFor(1 - mover) }

// Values of tree.child that are no node.
const (
	noChild      = -1 // never reached, or a finished game
	pendingChild = -2 // its leaf is under evaluation
)

// node is a position whose legal plies are known. All values are for player 0.
type node struct {
	first   uint32  // its edges are first .. first+count-1
	count   uint16  // number of legal plies, at least 1
	open    uint16  // how many of its edges are unproven
	visits  uint32  // sum of its edges' visits
	virtual uint32  // sum of its edges' virtual visits
	mover   uint8   // who makes the ply here
	proof   proof   // known result
	draws   bool    // some edge is a proven draw
	raw     float32 // the evaluator's value; 0 for a forced ply, which is not evaluated
	mass    float32 // prior mass of the visited edges
	sum     float64 // sum of the values backed up through its edges
	hash    uint64  // of the position, where the State has one
}

// tree is a search tree in flat arrays that are kept from search to search: nodes one by one, and the edges
// of a node side by side in parallel arrays, so that selection reads memory in order and a simulation
// allocates nothing once the arrays have grown.
type tree struct {
	nodes []node

	action  []engine.Action
	prior   []float32 // softmax of the evaluator's logits, made flatter if tempered
	logp    []float32 // log softmax of the evaluator's logits as they are
	visits  []uint32
	virtual []uint16
	sum     []float64 // of the values backed up, for player 0
	child   []int32
	proof   []proof

	tempered bool // some temperature was applied to the priors
}

func (t *tree) reset() {
	t.nodes = t.nodes[:0]
	t.setEdges(0)
}

func (t *tree) setEdges(n int) {
	t.action = resize(t.action, n)
	t.prior = resize(t.prior, n)
	t.logp = resize(t.logp, n)
	t.visits = resize(t.visits, n)
	t.virtual = resize(t.virtual, n)
	t.sum = resize(t.sum, n)
	t.child = resize(t.child, n)
	t.proof = resize(t.proof, n)
}

// resize sets the length and keeps what is there; what is new is not cleared.
func resize[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return slices.Grow(s, n-len(s))[:n]
}

// add appends a node with its edges and returns its index.
func (t *tree) add(legal []engine.Action, logits []float32, mover int, raw float32, hash uint64) int32 {
	first, k := len(t.action), len(legal)
	t.setEdges(first + k)
	copy(t.action[first:], legal)
	logSoftmax(t.logp[first:], t.prior[first:], logits)
	clear(t.visits[first:])
	clear(t.virtual[first:])
	clear(t.sum[first:])
	clear(t.proof[first:])
	for i := range k {
		t.child[first+i] = noChild
	}
	t.nodes = append(t.nodes, node{
		first: uint32(first), count: uint16(k), open: uint16(k), mover: uint8(mover), raw: raw, hash: hash,
	})
	return int32(len(t.nodes) - 1)
}

// tiniestPrior keeps every prior above 0, so that no action is out of reach of its value. Far below what a
// network can mean, it changes no sum.
const tiniestPrior = 1e-30

// logSoftmax writes log p and p of p = softmax(logits).
func logSoftmax(logp, p, logits []float32) {
	top := slices.Max(logits)
	total := float32(0)
	for i, x := range logits {
		e := exp32(x - top)
		p[i] = e
		total += e
	}
	lse := float32(math.Log(float64(total)))
	inv := 1 / total
	for i, x := range logits {
		p[i] = max(tiniestPrior, p[i]*inv)
		logp[i] = x - top - lse
	}
}

// temper makes the priors of node i proportional to their power of so much.
func (t *tree) temper(i int32, power float32) {
	n := &t.nodes[i]
	p, logp := t.priors(n), t.logp[n.first:][:n.count]
	top := slices.Max(logp)
	total := float32(0)
	for k, x := range logp {
		p[k] = exp32(float32((x - top) * power))
		total += p[k]
	}
	inv := 1 / total
	for k := range p {
		p[k] = max(tiniestPrior, p[k]*inv)
	}
}

// evaluated is the prior of an edge as the evaluator gave it.
func (t *tree) evaluated(e uint32) float32 {
	if t.tempered {
		return max(tiniestPrior, exp32(t.logp[e]))
	}
	return t.prior[e]
}

// q is the value of an edge for player 0: exact if proven, else the mean of its visits, of which there must
// be one.
func (t *tree) q(e uint32) float32 {
	if p := t.proof[e]; p != unproven {
		return float32(p.value())
	}
	return float32(t.sum[e] / float64(t.visits[e]))
}

// known says whether an edge has a value of its own.
func (t *tree) known(e uint32) bool { return t.visits[e] > 0 || t.proof[e] != unproven }

// mean is the value of a node for player 0 as its evaluation and visits say.
func (n *node) mean() float64 {
	return n.bound((float64(n.raw) + n.sum) / float64(n.visits+1))
}

// bound raises an estimate of n's value to what is proven: with a proven draw among his plies the
// mover cannot do worse than that (Cazenave and Saffidine 2010, score bounds).
func (n *node) bound(v0 float64) float64 {
	if n.draws && view(v0, n.mover) < 0 {
		return 0
	}
	return v0
}

// backup adds one visit with value v0 to an edge of n.
func (t *tree) backup(n *node, e uint32, v0 float64) {
	if t.visits[e] == 0 {
		n.mass += t.prior[e]
	}
	t.visits[e]++
	t.sum[e] += v0
	n.visits++
	n.sum += v0
}

// prove records that edge e of node n has the result p, and returns the result of n itself if that is
// settled by it. The player to move at n takes the best of his edges, whoever moves after him:
// one winning edge settles n, and otherwise all edges must be proven.
func (t *tree) prove(n *node, e uint32, p proof) proof {
	if t.proof[e] != unproven {
		return n.proof
	}
	t.proof[e] = p
	n.open--
	n.draws = n.draws || p == drawn
	switch {
	case p == winFor(n.mover):
		n.proof = p
	case n.open > 0 || n.proof != unproven:
	case n.draws:
		n.proof = drawn
	default:
		n.proof = lossFor(n.mover)
	}
	return n.proof
}

// finish backs v0, the value for player 0 of what lies below the last edge of the path, up to the root, and
// with it the proof, if there is one. Above a node whose result or bound is proven, that is what counts
// instead of the estimate.
func (t *tree) finish(path []step, v0 float64, p proof) {
	for i := len(path) - 1; i >= 0; i-- {
		n := &t.nodes[path[i].node]
		if p != unproven {
			p = t.prove(n, path[i].edge, p)
		}
		t.backup(n, path[i].edge, v0)
		if p != unproven {
			v0 = p.value()
		} else {
			v0 = n.bound(v0)
		}
	}
}

// settled is the edge to play at a proven node: one that keeps its result; among the losing ones, the one
// searched most, which is the hardest to refute as far as the search knows.
func (t *tree) settled(n *node) uint32 { return t.find(n, n.proof) }

// find is the best edge of n with proof p (see better), or n's first edge if there is none.
func (t *tree) find(n *node, p proof) uint32 {
	best, found := n.first, false
	for e := n.first; e < n.first+uint32(n.count); e++ {
		if t.proof[e] == p && (!found || t.better(e, best)) {
			best, found = e, true
		}
	}
	return best
}

// better says whether edge x had more visits than y, or as many and a higher prior.
func (t *tree) better(x, y uint32) bool {
	if t.visits[x] != t.visits[y] {
		return t.visits[x] > t.visits[y]
	}
	return t.prior[x] > t.prior[y]
}

// extract copies the subtree under root from src into t, which is emptied first. Nodes are copied breadth
// first, so that the copy serves as the queue.
func (t *tree) extract(src *tree, root int32) {
	t.reset()
	t.tempered = src.tempered
	t.copyNode(src, root)
	for i := 0; i < len(t.nodes); i++ {
		first, k := t.nodes[i].first, uint32(t.nodes[i].count)
		for e := first; e < first+k; e++ {
			if c := t.child[e]; c >= 0 {
				t.child[e] = int32(len(t.nodes))
				t.copyNode(src, c)
			}
		}
	}
}

func (t *tree) copyNode(src *tree, i int32) {
	n := src.nodes[i]
	lo, hi := int(n.first), int(n.first)+int(n.count)
	first := len(t.action)
	t.setEdges(first + hi - lo)
	copy(t.action[first:], src.action[lo:hi])
	copy(t.prior[first:], src.prior[lo:hi])
	copy(t.logp[first:], src.logp[lo:hi])
	copy(t.visits[first:], src.visits[lo:hi])
	copy(t.virtual[first:], src.virtual[lo:hi])
	copy(t.sum[first:], src.sum[lo:hi])
	copy(t.child[first:], src.child[lo:hi])
	copy(t.proof[first:], src.proof[lo:hi])
	n.first = uint32(first)
	t.nodes = append(t.nodes, n)
}
