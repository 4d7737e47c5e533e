package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"latro/env/engine"
)

// ErrOver is returned by Begin for a game that has ended.
var ErrOver = errors.New("mcts: the game is over, there is nothing to search")

// maxForcedRun is the longest run of forced plies that one simulation follows without asking for an
// evaluation. Rulesets in which both sides may pass for ever have endless ones.
const maxForcedRun = 64

// Search is one game's search: a machine that is driven from outside, so that the leaves of many games
// can be evaluated together.
//
//	s.Begin(state, rng)
//	for {
//		leaf, ok := s.Next() // nil, false: no leaf to evaluate
//		if !ok { break }     // (with Leaves > 1: call Apply first if Pending() > 0)
//		... fill in leaf.Logits and leaf.Value ...
//		s.Apply()
//	}
//	result := s.Result()
//
// RunAll is that loop over many searches. A Search is reused from ply to ply and from game to game; its
// arrays stay. It is not safe for concurrent use; independent searches are, also when their
// States share a game.
type Search struct {
	cfg  Config
	tree tree
	// spare is the other half of the copying that keeps a subtree.
	spare tree
	root  int32 // node index; noChild until the root is evaluated
	kept  bool  // the tree was carried over by Advance

	rng     *rand.Rand
	slots   []slot // one for each leaf that may be under evaluation; slots[:pending] are
	pending int

	legal       []engine.Action // at the root
	mover       uint8           // at the root
	started     int             // simulations begun, those under evaluation included
	evaluations int             // leaves handed out
	forced      bool
	draw        float64 // the one random number that a choice with temperature uses

	schedule         []uint32 // sequential halving: considered visits, one a simulation
	scheduleM        int
	gumbel           []float32 // noise of the root actions
	rootPrior        []float32 // prior of the root actions with noise
	completed, probs []float32 // scratch: completed Q values and improved policy of a node

	out Result
}

// slot is a place for one simulation under way.
type slot struct {
	state State
	leaf  Leaf
	path  []step
	hash  uint64
	mover int
}

// step is one edge that a simulation went along.
type step struct {
	node int32
	edge uint32
}

// New returns a search with this configuration, or an error that wraps ErrConfig.
func New(cfg Config) (*Search, error) {
	s := &Search{root: noChild}
	if err := s.Configure(cfg); err != nil {
		return nil, err
	}
	return s, nil
}

// Configure changes the configuration for the searches begun from now on (a cheap search between full ones,
// another temperature). It must not be called while leaves are under evaluation.
func (s *Search) Configure(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if s.pending > 0 {
		return errors.New("mcts: Configure while leaves are under evaluation; call Apply or Cancel first")
	}
	if cfg.Simulations != s.cfg.Simulations {
		s.scheduleM = -1
	}
	s.cfg = cfg
	return nil
}

// Config returns the configuration.
func (s *Search) Config() Config { return s.cfg }

// Begin starts a search of the position of st. It needs a configuration with Leaves = 1; see
// BeginParallel. Until the last leaf is applied or cancelled the search owns st and leaves it as it found
// it. The random stream rng gives the noise, the choice with temperature, and Leaf.Rand; it may be nil if
// none of them is used. Begin of a finished game returns ErrOver. A position with one legal ply is done at
// once (Result.Forced).
func (s *Search) Begin(st State, rng *rand.Rand) error {
	if s.cfg.Leaves != 1 {
		return fmt.Errorf("mcts: Begin with Leaves = %d; use BeginParallel with as many states", s.cfg.Leaves)
	}
	return s.begin(rng, st)
}

// BeginParallel starts a search that may have Config.Leaves leaves under evaluation; it needs as
// many States of one and the same position and history, and the result is a function of the first rng
// draws and the evaluations only.
func (s *Search) BeginParallel(states []State, rng *rand.Rand) error {
	if len(states) != s.cfg.Leaves {
		return fmt.Errorf("mcts: BeginParallel with %d states for Leaves = %d", len(states), s.cfg.Leaves)
	}
	return s.begin(rng, states...)
}

func (s *Search) begin(rng *rand.Rand, states ...State) error {
	if s.pending > 0 {
		return errors.New("mcts: Begin while leaves are under evaluation; call Apply or Cancel first")
	}
	if rng == nil && (s.cfg.Noise || s.cfg.Temperature > 0) {
		return errors.New("mcts: Begin needs a random stream for Noise or Temperature")
	}
	st := states[0]
	if st.Over() {
		return ErrOver
	}
	s.rng = rng
	s.legal = st.Legal(s.legal[:0])
	if len(s.legal) == 0 {
		return fmt.Errorf("mcts: the state is not over but has no legal ply")
	}
	s.mover = uint8(st.ToMove())
	s.started, s.evaluations = 0, 0
	s.slots = resize(s.slots, len(states))
	for i, x := range states {
		s.slots[i].state = x
	}
	if s.kept = s.kept && s.matches(st); !s.kept {
		s.tree.reset()
		s.root = noChild
	}
	if s.forced = len(s.legal) == 1; s.forced {
		return nil
	}
	s.draw = 0
	if s.cfg.Temperature > 0 {
		s.draw = rng.Float64()
	}
	if s.cfg.Kind == Gumbel {
		k := len(s.legal)
		s.gumbel = resize(s.gumbel, k)
		clear(s.gumbel)
		if s.cfg.Noise {
			for i := range s.gumbel {
				s.gumbel[i] = gumbelNoise(rng)
			}
		}
		if m := min(k, s.cfg.MaxConsidered); m != s.scheduleM {
			s.schedule = consideredVisits(s.schedule[:0], m, s.cfg.Simulations)
			s.scheduleM = m
		}
	}
	if s.root >= 0 {
		s.mixNoise()
	}
	return nil
}

// matches says whether the kept tree's root is the position of st.
func (s *Search) matches(st State) bool {
	if s.root < 0 {
		return false
	}
	n := &s.tree.nodes[s.root]
	if n.mover != s.mover || n.hash != s.hashOf(st) {
		return false
	}
	return slices.Equal(s.legal, s.tree.action[n.first:n.first+uint32(n.count)])
}

// hashOf is the hash of a position where one is needed and the State has one, else 0.
func (s *Search) hashOf(st State) uint64 {
	if s.cfg.ReuseTree {
		if h, ok := st.(hasher); ok {
			return h.Hash()
		}
	}
	return 0
}

// Next returns the next leaf to evaluate; it stays valid until Apply or Cancel. Simulations that need no
// evaluation are done on the way. With nil, false there is none: if Pending is 0 the search is done,
// otherwise the leaves under evaluation have to be applied first.
func (s *Search) Next() (*Leaf, bool) {
	if s.forced || s.pending >= len(s.slots) {
		return nil, false
	}
	if s.root < 0 {
		if s.pending > 0 {
			return nil, false
		}
		sl := &s.slots[0]
		sl.path = sl.path[:0]
		sl.leaf.Legal = append(sl.leaf.Legal[:0], s.legal...)
		return s.handOut(sl), true
	}
	for s.started < s.cfg.Simulations && s.tree.nodes[s.root].proof == unproven {
		sl := &s.slots[s.pending]
		switch s.descend(sl) {
		case simulationDone:
			s.started++
		case simulationNeedsLeaf:
			s.started++
			return s.handOut(sl), true
		case simulationBlocked:
			return nil, false
		}
	}
	return nil, false
}

func (s *Search) handOut(sl *slot) *Leaf {
	l := &sl.leaf
	l.State = sl.state
	l.Logits = resize(l.Logits, len(l.Legal))
	clear(l.Logits)
	l.Value = 0
	l.Rand = s.rng
	sl.mover = sl.state.ToMove()
	sl.hash = s.hashOf(sl.state)
	s.pending++
	s.evaluations++
	return l
}

// Pending is the number of leaves under evaluation.
func (s *Search) Pending() int { return s.pending }

type simulation uint8

const (
	simulationDone simulation = iota
	simulationNeedsLeaf
	simulationBlocked // met a leaf that is under evaluation
)

// descend walks from the root to an edge that has no node yet. Where the game ends there, the value is
// backed up at once and the state taken back. Else the path, with its virtual visits, stays in the slot until
// Apply.
func (s *Search) descend(sl *slot) simulation {
	t := &s.tree
	sl.path = sl.path[:0]
	at, plies, run := s.root, 0, 0
	for {
		e := s.choose(at)
		if t.child[e] == pendingChild {
			s.undo(sl, plies)
			return simulationBlocked
		}
		sl.path = append(sl.path, step{at, e})
		sl.state.Play(t.action[e])
		plies++
		if c := t.child[e]; c >= 0 {
			at = c
			continue
		}
		if sl.state.Over() {
			v0, proven := sl.state.Value()
			s.undo(sl, plies)
			p := unproven
			if proven && s.cfg.Solver {
				p = proofOf(v0)
			}
			s.tree.finish(sl.path, v0, p)
			return simulationDone
		}
		sl.leaf.Legal = sl.state.Legal(sl.leaf.Legal[:0])
		if len(sl.leaf.Legal) == 1 && run < maxForcedRun {
			// Nothing to decide here, so nothing to ask: go on below.
			run++
			sl.leaf.Logits = resize(sl.leaf.Logits, 1)
			sl.leaf.Logits[0] = 0
			at = t.add(sl.leaf.Legal, sl.leaf.Logits, sl.state.ToMove(), 0, s.hashOf(sl.state))
			t.child[e] = at
			continue
		}
		t.child[e] = pendingChild
		s.pretend(sl.path, 1)
		return simulationNeedsLeaf
	}
}

func (s *Search) undo(sl *slot, plies int) {
	for range plies {
		sl.state.Undo()
	}
}

// pretend adds (or, with sign -1, removes) a virtual visit along a path.
func (s *Search) pretend(path []step, sign int) {
	if len(s.slots) == 1 {
		return // nobody else looks
	}
	for _, st := range path {
		s.tree.virtual[st.edge] += uint16(sign)
		s.tree.nodes[st.node].virtual += uint32(sign)
	}
}

// Apply takes in the evaluations of all leaves handed out since the last Apply, in their order, and puts the
// states back. On an error, which wraps ErrEvaluation, the leaves are cancelled.
func (s *Search) Apply() error {
	for i := range s.slots[:s.pending] {
		if err := s.slots[i].leaf.check(); err != nil {
			s.Cancel()
			return err
		}
	}
	for i := range s.slots[:s.pending] {
		sl := &s.slots[i]
		at := s.tree.add(sl.leaf.Legal, sl.leaf.Logits, sl.mover, sl.leaf.Value, sl.hash)
		if s.tree.tempered = s.cfg.Kind == PUCT && s.cfg.PriorTemperature != 1; s.tree.tempered {
			s.tree.temper(at, float32(1/s.cfg.PriorTemperature))
		}
		if len(sl.path) == 0 {
			s.root = at
			s.mixNoise()
			continue
		}
		s.undo(sl, len(sl.path))
		s.pretend(sl.path, -1)
		s.tree.child[sl.path[len(sl.path)-1].edge] = at
		s.tree.finish(sl.path, float64(sl.leaf.Value), unproven)
	}
	s.pending = 0
	return nil
}

// Cancel gives up the leaves under evaluation and puts the states back, as if they had not been
// asked for. The search may go on.
func (s *Search) Cancel() {
	for i := range s.slots[:s.pending] {
		sl := &s.slots[i]
		s.evaluations--
		if len(sl.path) == 0 {
			continue
		}
		s.undo(sl, len(sl.path))
		s.pretend(sl.path, -1)
		s.tree.child[sl.path[len(sl.path)-1].edge] = noChild
		s.started--
	}
	s.pending = 0
}

// Advance tells the search that ply a was played from the position it searched last. With Config.ReuseTree
// the tree below a becomes the tree of the next Begin, with all its counts; otherwise, or if a was never
// visited, the next Begin starts afresh. Call it for every ply of the game, of either player: a
// tree that belongs to another position is dropped.
func (s *Search) Advance(a engine.Action) {
	if s.pending > 0 {
		panic("mcts: Advance while leaves are under evaluation")
	}
	s.follow([]engine.Action{a})
}

// follow is Advance along a line of plies.
func (s *Search) follow(line []engine.Action) {
	at := s.root
	if !s.cfg.ReuseTree {
		at = noChild
	}
	for _, a := range line {
		if at < 0 {
			break
		}
		n := &s.tree.nodes[at]
		at = noChild
		for e := n.first; e < n.first+uint32(n.count); e++ {
			if s.tree.action[e] == a {
				at = s.tree.child[e]
			}
		}
	}
	if s.kept = at >= 0; !s.kept {
		s.tree.reset()
		s.root = noChild
		return
	}
	if at != s.root {
		s.spare.extract(&s.tree, at)
		s.tree, s.spare = s.spare, s.tree
		s.root = 0
	}
}

// choose is the edge that a simulation at node i goes along. Proven edges are never searched again: there is
// nothing left to learn below them, and their exact value counts however few visits they had. There is
// always an unproven one, for otherwise the node would be proven and would not be entered.
func (s *Search) choose(i int32) uint32 {
	n := &s.tree.nodes[i]
	switch {
	case n.count == 1:
		return n.first
	case s.cfg.Kind == PUCT:
		return s.choosePUCT(n, i == s.root)
	case i == s.root:
		return s.chooseGumbelRoot(n)
	case n.visits+n.virtual > surveyFrom:
		return s.choosePUCT(n, false)
	}
	return s.chooseGumbel(n)
}

// surveyFrom is the number of visits beyond which Gumbel search selects below the root as PUCT does. Sigma grows with the
// visits, so that later the improved policy is all but certain of one ply, and a ply that looked bad once waits for ever: of the
// results within six plies in package exact's test games one in ninety was not proven by 30,000 simulations. PUCT's share for every
// ply grows with the root of the visits. Searches with the usual budgets of self-play never come here.
const surveyFrom = 64

// mixNoise prepares the root's prior for PUCT.
func (s *Search) mixNoise() {
	if s.cfg.Kind != PUCT || !s.cfg.Noise {
		return
	}
	n := &s.tree.nodes[s.root]
	k := int(n.count)
	s.rootPrior = resize(s.rootPrior, k)
	dirichlet(s.rootPrior, s.cfg.DirichletTotal/float64(k), s.rng)
	f := float32(s.cfg.DirichletFraction)
	for i, p := range s.tree.prior[n.first : n.first+uint32(k)] {
		s.rootPrior[i] = (1-f)*p + f*s.rootPrior[i]
	}
}

var negInf = float32(math.Inf(-1))
