package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"latro/env/engine"
)

// ProbeConfig says how far a Prober looks ahead and how much it trusts what it sees. The zero value is no probe.
type ProbeConfig struct {
	// Nodes is the number of plies of each look ahead, 0 for none, at most MaxProbeNodes.
	Nodes int
	// Value in [0, 1] is the weight of the look ahead in the leaf's value; the rest is the evaluator's. A result that is
	// proven takes its place altogether.
	Value float64
	// Prior in [0, 1) is the prior that goes to the ply that the look ahead prefers; the rest is dealt out as the evaluator
	// does.
	Prior float64
}

// MaxProbeNodes bounds a probe: each leaf of a search has one.
const MaxProbeNodes = 1_000_000

// DefaultProbe is a probe of the given number of plies as it was measured (docs/methods.md).
func DefaultProbe(nodes int) ProbeConfig { return ProbeConfig{Nodes: nodes, Value: 0.5, Prior: 0.3} }

// Validate returns nil or an error that wraps ErrConfig and names every field out of range.
func (c ProbeConfig) Validate() error {
	var problems []error
	for _, f := range []struct {
		name      string
		v, lo, hi float64
	}{{"Nodes", float64(c.Nodes), 0, MaxProbeNodes}, {"Value", c.Value, 0, 1}, {"Prior", c.Prior, 0, 0.99}} {
		if !(f.v >= f.lo && f.v <= f.hi) {
			problems = append(problems, fmt.Errorf("%w: the probe's %s is %v; it must be in %v..%v", ErrConfig, f.name, f.v, f.lo, f.hi))
		}
	}
	return errors.Join(problems...)
}

// Prober adds a short alpha-beta search (its fitted Evaluation, quiescence on captures, no table) to what an evaluator says of
// each leaf. A network of a few blocks knows where play should go, but overlooks captures two plies off, which the look
// ahead never does; and it costs no more than the network's own pass. Minimax inside the nodes of a tree search is Baier and
// Winands, MCTS-minimax hybrids, IEEE Transactions on Computational Intelligence and AI in Games 7(2), 2015; its value beside the
// tree's Lanctot et al., Monte Carlo tree search with heuristic evaluations using implicit minimax backups, 2014.
//
// What it says about a leaf depends on the leaf alone, so that games reproduce. It must stand outside a cache, since it sees
// the game's history and the cache does not. One goroutine at a time.
type Prober struct {
	inner  Evaluator
	config ProbeConfig
	ahead  map[*engine.Game]*AlphaBeta
}

// NewProber returns a Prober over an evaluator, or an error that wraps ErrConfig.
func NewProber(inner Evaluator, c ProbeConfig) (*Prober, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Nodes == 0 {
		return nil, fmt.Errorf("%w: a probe of no nodes", ErrConfig)
	}
	return &Prober{inner: inner, config: c, ahead: map[*engine.Game]*AlphaBeta{}}, nil
}

// Evaluate implements Evaluator. The leaves' states must be *engine.State.
func (p *Prober) Evaluate(leaves []Leaf) error {
	if err := p.inner.Evaluate(leaves); err != nil {
		return err
	}
	for i := range leaves {
		if err := p.look(&leaves[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Prober) look(l *Leaf) error {
	s, ok := l.State.(*engine.State)
	if !ok {
		return fmt.Errorf("a probe sees positions of the engine, not %T", l.State)
	}
	if len(l.Legal) < 2 {
		return nil
	}
	ahead := p.ahead[s.Game()]
	if ahead == nil {
		c := DefaultAlphaBeta(p.config.Nodes)
		c.MB = 0 // emptying a table would cost more than it saves
		var err error
		if ahead, err = NewAlphaBeta(c); err != nil {
			return err
		}
		p.ahead[s.Game()] = ahead
	}
	// Among plies of one score the look ahead takes one by lot; the position is the seed.
	d, err := ahead.Choose(s, rand.New(rand.NewPCG(s.Hash(), 0)))
	if err != nil {
		return err
	}
	if d.Proven {
		l.Value = float32(d.Value)
	} else {
		l.Value = float32((1-p.config.Value)*float64(l.Value) + p.config.Value*d.Value)
	}
	if p.config.Prior > 0 {
		mixPrior(l.Logits, l.Legal, d.Action, p.config.Prior)
	}
	return nil
}

// mixPrior gives the share of the prior to one action and leaves the others their shares of the rest.
func mixPrior(logits []float32, legal []engine.Action, action engine.Action, share float64) {
	top, sum := math.Inf(-1), 0.0
	for _, x := range logits {
		top = max(top, float64(x))
	}
	for _, x := range logits {
		sum += math.Exp(float64(x) - top)
	}
	for k, x := range logits {
		prior := (1 - share) * math.Exp(float64(x)-top) / sum
		if legal[k] == action {
			prior += share
		}
		// A prior that underflows stays a finite logit.
		logits[k] = float32(math.Log(max(prior, 1e-30)))
	}
}
