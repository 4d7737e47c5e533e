package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"latro/env/engine"
)

// UCTConfig says how the UCT agent searches. Take DefaultUCT and change what you need.
type UCTConfig struct {
	// Simulations is the number of playouts a choice, 1..MaxSimulations.
	Simulations int
	// Seconds ends a choice after so much time by Clock, 0 for no limit, at most 86400. Choices are then not reproducible.
	Seconds float64
	// Clock is what Seconds are counted in; "" is CPUClock.
	Clock Clock
	// Exploration is the constant C of UCB1, for values in [-1, 1] (see UCT). > 0.
	Exploration float64
	// Cutoff is the longest playout in plies, 1..100000.
	Cutoff int
	// Material is the weight of the material utility of a playout that was cut off, 0..1.
	Material float64
	// Solver backs up proven results.
	Solver bool
}

// DefaultExploration is UCB1's constant C for the values in [-1, 1] used here. UCB1's own bound has sqrt(2) for
// values in [0, 1]; less suits games of many plies and few playouts. On bell-8x7, with 100 playouts a ply and 24
// games a pairing, 0.7 scored 0.62, 0.5 scored 0.54 and 1.4 scored 0.25 against 1.0 (standard error 0.1).
const DefaultExploration = 0.7

// DefaultMaterial is the weight of material in a playout that was cut off. In the rulesets whose random
// games do not end, material is the only signal that a playout gives; where they end it is little used (on
// bell-8x7 weights of 0 and 1 scored 0.65 and 0.46 against 0.5, 24 games each). The weight keeps any lead well
// below a win.
const DefaultMaterial = 0.2

// DefaultUCT is UCT as it is used as a yardstick.
func DefaultUCT(simulations int) UCTConfig {
	return UCTConfig{
		Simulations: simulations,
		Exploration: DefaultExploration,
		Cutoff:      DefaultCutoff,
		Material:    DefaultMaterial,
		Solver:      true,
	}
}

// Validate returns nil or an error that wraps ErrConfig and names every field out of range.
func (c UCTConfig) Validate() error {
	var problems []error
	within := func(name string, v, lo, hi float64) {
		if math.IsNaN(v) || v < lo || v > hi {
			problems = append(problems, fmt.Errorf("%w: %s is %v; it must be in %v..%v", ErrConfig, name, v, lo, hi))
		}
	}
	within("Simulations", float64(c.Simulations), 1, MaxSimulations)
	within("Seconds", c.Seconds, 0, 86400)
	within("Exploration", c.Exploration, 1e-6, 1e6)
	within("Cutoff", float64(c.Cutoff), 1, 100000)
	within("Material", c.Material, 0, 1)
	if err := c.Clock.validate(); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// UCT is Monte Carlo tree search with UCB1 (Kocsis and Szepesvari 2006) and uniformly random playouts: the
// strongest opponent here that knows nothing about the game. At a node it tries each ply once, in random
// order, and then takes the one with the highest
//
//	Q(a) + C sqrt(ln N / N(a)),
//
// Q in the mover's view. A position gets a node at its second visit. A playout stops after Cutoff plies
// and then counts Material times the material utility. The choice is the most visited ply; ties go to the
// higher value. Proven results are backed up exactly (MCTS-solver). Not for concurrent use.
type UCT struct {
	cfg   UCTConfig
	tree  tree
	legal []engine.Action
	path  []step
	watch stopwatch
	only  *restriction
}

// NewUCT returns a UCT agent or an error that wraps ErrConfig.
func NewUCT(cfg UCTConfig) (*UCT, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &UCT{cfg: cfg}, nil
}

// Name implements Agent: options that have their default are left out.
func (a *UCT) Name() string {
	d := DefaultUCT(a.cfg.Simulations)
	s := Spec{Kind: "uct", Options: map[string]string{}}
	if a.cfg.Seconds == 0 || a.cfg.Simulations != MaxSimulations {
		s.Options["simulations"] = strconv.Itoa(a.cfg.Simulations)
	}
	if a.cfg.Seconds != 0 {
		s.Options["seconds"] = strconv.FormatFloat(a.cfg.Seconds, 'g', -1, 64)
	}
	if a.cfg.Clock == WallClock {
		s.Options["clock"] = string(WallClock)
	}
	if a.cfg.Exploration != d.Exploration {
		s.Options["exploration"] = strconv.FormatFloat(a.cfg.Exploration, 'g', -1, 64)
	}
	if a.cfg.Cutoff != d.Cutoff {
		s.Options["cutoff"] = strconv.Itoa(a.cfg.Cutoff)
	}
	if a.cfg.Material != d.Material {
		s.Options["material"] = strconv.FormatFloat(a.cfg.Material, 'g', -1, 64)
	}
	if a.cfg.Solver != d.Solver {
		s.Options["solver"] = strconv.FormatBool(a.cfg.Solver)
	}
	return s.String()
}

// Reproducible is false if a clock ends the search.
func (a *UCT) Reproducible() bool { return a.cfg.Seconds == 0 }

// Choose implements Agent.
func (a *UCT) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	a.only.begin(s)
	a.legal = a.only.filter(s, s.Legal(a.legal[:0]))
	switch len(a.legal) {
	case 0:
		return Decision{}, ErrOver
	case 1:
		return Decision{Action: a.legal[0], Forced: true}, nil
	}
	a.watch.start(a.cfg.Clock, a.cfg.Seconds)
	defer a.watch.stop()
	t := &a.tree
	t.reset()
	root := t.addShuffled(a.legal, s.ToMove(), rng)
	done := 0
	for done < a.cfg.Simulations && t.nodes[root].proof == unproven {
		// Taking a playout back is cheaper than copying the history that the rules of repetition need.
		for plies := a.simulate(s, root, rng); plies > 0; plies-- {
			s.Undo()
		}
		done++
		if a.watch.out() {
			break
		}
	}
	n := &t.nodes[root]
	best := n.first
	if n.proof != unproven {
		best = t.settled(n)
	} else {
		found := false
		for e := n.first; e < n.first+uint32(n.count); e++ {
			if t.proof[e] == unproven && t.visits[e] > 0 && (!found || a.preferred(n, e, best)) {
				best, found = e, true
			}
		}
		if n.draws && (!found || view(t.q(best), n.mover) < 0) {
			best = t.find(n, drawn)
		}
	}
	return Decision{
		Action: t.action[best], Value: float64(t.q(best)), HasValue: true,
		Proven: n.proof != unproven, Simulations: done,
	}, nil
}

// preferred says whether root edge x is to be played rather than y.
func (a *UCT) preferred(n *node, x, y uint32) bool {
	t := &a.tree
	if t.visits[x] != t.visits[y] {
		return t.visits[x] > t.visits[y]
	}
	return view(t.q(x), n.mover) > view(t.q(y), n.mover)
}

// simulate makes one simulation from s, which is at the root, and returns the number of plies it made.
func (a *UCT) simulate(s *engine.State, root int32, rng *rand.Rand) (plies int) {
	t := &a.tree
	a.path = a.path[:0]
	at := root
	for {
		e := a.choose(&t.nodes[at])
		a.path = append(a.path, step{at, e})
		s.Play(t.action[e])
		plies++
		if c := t.child[e]; c >= 0 {
			at = c
			continue
		}
		if s.Over() {
			v0, proven := s.Value()
			p := unproven
			if proven && a.cfg.Solver {
				p = proofOf(v0)
			}
			t.finish(a.path, v0, p)
			return plies
		}
		if t.visits[e] == 0 {
			n, v0 := finish(s, rng, a.cfg.Cutoff, a.cfg.Material)
			t.finish(a.path, v0, unproven)
			return plies + n
		}
		a.legal = a.only.filter(s, s.Legal(a.legal[:0]))
		at = t.addShuffled(a.legal, s.ToMove(), rng)
		t.child[e] = at
	}
}

func (a *UCT) choose(n *node) uint32 {
	t := &a.tree
	logN := float32(a.cfg.Exploration * a.cfg.Exploration * math.Log(float64(n.visits)))
	best, bestScore, found := n.first, negInf, false
	for e := n.first; e < n.first+uint32(n.count); e++ {
		if t.proof[e] != unproven {
			continue
		}
		visits := t.visits[e]
		if visits == 0 {
			return e
		}
		score := view(t.q(e), n.mover) + float32(math.Sqrt(float64(logN/float32(visits))))
		if !found || score > bestScore {
			best, bestScore, found = e, score, true
		}
	}
	return best
}

// addShuffled appends a node with its plies in random order and without priors.
func (t *tree) addShuffled(legal []engine.Action, mover int, rng *rand.Rand) int32 {
	first, k := len(t.action), len(legal)
	t.setEdges(first + k)
	copy(t.action[first:], legal)
	shuffled := t.action[first:]
	for i := k - 1; i > 0; i-- {
		j := rng.IntN(i + 1)
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	}
	clear(t.prior[first:])
	clear(t.logp[first:])
	clear(t.visits[first:])
	clear(t.virtual[first:])
	clear(t.sum[first:])
	clear(t.proof[first:])
	for i := range k {
		t.child[first+i] = noChild
	}
	t.nodes = append(t.nodes, node{first: uint32(first), count: uint16(k), open: uint16(k), mover: uint8(mover)})
	return int32(len(t.nodes) - 1)
}
