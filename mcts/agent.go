package mcts

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"latro/env/engine"
)

// Agent chooses plies. A choice is a function of the position with its history, of the random stream, and of
// the agent's specification, and of nothing else: what an agent was asked before does not matter. An agent may
// keep working memory, so it is for one goroutine at a time; make one for each worker.
type Agent interface {
	// Name is the canonical specification, "uct:simulations=100".
	Name() string
	// Choose picks a ply for the player to move. It may play on s, and leaves it as it found it. It returns
	// an error that wraps ErrOver if the game is over.
	Choose(s *engine.State, rng *rand.Rand) (Decision, error)
}

// BatchAgent is an optional power of an agent: to choose in many games at once, for one network call
// over many leaves.
type BatchAgent interface {
	Agent
	// ChooseBatch fills out[i] with what Choose(states[i], rngs[i]) gives. How games are grouped into
	// batches changes no choice. The three slices have the same length; the states are distinct. On an
	// error out is undefined and the states are as they were.
	ChooseBatch(states []*engine.State, rngs []*rand.Rand, out []Decision) error
}

// Reproducible says whether an agent's choices are functions of position, history and random stream. Agents that
// a clock stops are not, and say so by a method Reproducible() bool; all others are.
func Reproducible(a Agent) bool {
	r, ok := a.(interface{ Reproducible() bool })
	return !ok || r.Reproducible()
}

// Decision is an agent's choice.
type Decision struct {
	// Action is the ply.
	Action engine.Action
	// Value is the agent's expected result for player 0, in [-1, 1]; 0 unless HasValue.
	Value    float64
	HasValue bool
	// Proven says that Value is the exact result of the position.
	Proven bool
	// Simulations is the number of simulations spent, for alpha-beta of nodes; 0 for a forced ply.
	Simulations int
	// Forced says that there was only one legal ply.
	Forced bool
}

// Random plays every legal ply with equal probability. Not for concurrent use.
type Random struct{ legal []engine.Action }

// NewRandom returns the random agent.
func NewRandom() *Random { return &Random{} }

// Name implements Agent.
func (*Random) Name() string { return "random" }

// Choose implements Agent.
func (a *Random) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	a.legal = s.Legal(a.legal[:0])
	if len(a.legal) == 0 {
		return Decision{}, ErrOver
	}
	return Decision{Action: a.legal[rng.IntN(len(a.legal))], Forced: len(a.legal) == 1}, nil
}

// Weights of material, in men: what Greedy counts, and MaterialUtility.
const (
	// LeaderWeight is the worth of a leader on the board or in hand. A leader moves further or is the object
	// of the game in the rulesets that have one.
	LeaderWeight = 3
	// BoundWeight is the worth of a bound man to its owner: it may be freed, and may be taken off.
	BoundWeight = 0.5
)

// Material is the material of a player in men: free men and leaders on the board, the hand, and
// bound men by their weights.
func Material(s *engine.State, player int) float64 {
	men, leaders, bound := s.Pieces(player)
	handMen, handLeaders := s.Hand(player)
	return float64(men-bound+handMen) + LeaderWeight*float64(leaders+handLeaders) + BoundWeight*float64(bound)
}

// MaterialUtility is the share of the material that player 0 is ahead by, (m0 - m1) / (m0 + m1), in
// [-1, 1]; 0 for an empty board.
func MaterialUtility(s *engine.State) float64 {
	m0, m1 := Material(s, 0), Material(s, 1)
	if m0+m1 == 0 {
		return 0
	}
	return (m0 - m1) / (m0 + m1)
}

// Greedy looks one ply ahead: it wins if a ply wins, else it takes the ply after which its material exceeds
// the opponent's by most (weights: LeaderWeight, BoundWeight), avoiding plies that lose at once; among
// equals it draws uniformly. A ply that draws at once counts its material like any other. Not for concurrent
// use.
type Greedy struct{ legal []engine.Action }

// NewGreedy returns the greedy agent.
func NewGreedy() *Greedy { return &Greedy{} }

// Name implements Agent.
func (*Greedy) Name() string { return "greedy" }

// decided outweighs any material: at most 256 squares hold 127 men and a leader a side.
const decided = 1e6

// Choose implements Agent.
func (a *Greedy) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	a.legal = s.Legal(a.legal[:0])
	if len(a.legal) == 0 {
		return Decision{}, ErrOver
	}
	if len(a.legal) == 1 {
		return Decision{Action: a.legal[0], Forced: true}, nil
	}
	mover := uint8(s.ToMove())
	best, bestScore, ties := a.legal[0], 0.0, 0
	for _, act := range a.legal {
		s.Play(act)
		score := Material(s, 0) - Material(s, 1)
		if s.Over() {
			if v, proven := s.Value(); proven && v != 0 {
				score = v * decided
			}
		}
		s.Undo()
		score = view(score, mover)
		switch {
		case ties == 0 || score > bestScore:
			best, bestScore, ties = act, score, 1
		case score == bestScore:
			// The n-th equal takes over with probability 1/n: uniform over all of them.
			if ties++; rng.IntN(ties) == 0 {
				best = act
			}
		}
	}
	return Decision{Action: best}, nil
}

// Net plays by search over an evaluator, usually a network. Not for concurrent use.
type Net struct {
	name     string
	ev       Evaluator
	cfg      Config
	runner   Runner
	searches []*Search
	states   [][]State // for each search as many States as leaves; the first is the caller's
}

// NewNet returns an agent that searches with cfg over ev. The name is the agent's specification as it is to be
// shown and recorded. It refuses an invalid cfg, and ReuseTree, because an agent's choice does not depend on
// earlier ones; programs that analyse one game drive a Search themselves.
func NewNet(name string, ev Evaluator, cfg Config) (*Net, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.ReuseTree {
		return nil, fmt.Errorf("%w: an agent keeps no tree between choices; leave ReuseTree unset", ErrConfig)
	}
	if ev == nil {
		return nil, errors.New("mcts: NewNet without an evaluator")
	}
	return &Net{name: name, ev: ev, cfg: cfg}, nil
}

// Name implements Agent.
func (a *Net) Name() string { return a.name }

// Config returns the search's configuration.
func (a *Net) Config() Config { return a.cfg }

// Choose implements Agent.
func (a *Net) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	var out [1]Decision
	err := a.ChooseBatch([]*engine.State{s}, []*rand.Rand{rng}, out[:])
	return out[0], err
}

// ChooseBatch implements BatchAgent.
func (a *Net) ChooseBatch(states []*engine.State, rngs []*rand.Rand, out []Decision) error {
	if len(rngs) != len(states) || len(out) != len(states) {
		return fmt.Errorf("mcts: ChooseBatch with %d states, %d random streams and room for %d decisions", len(states), len(rngs), len(out))
	}
	for len(a.searches) < len(states) {
		s, err := New(a.cfg)
		if err != nil {
			return err
		}
		a.searches = append(a.searches, s)
		a.states = append(a.states, make([]State, a.cfg.Leaves))
	}
	for i, st := range states {
		all := a.states[i]
		all[0] = st
		for j := 1; j < len(all); j++ {
			if old, ok := all[j].(*engine.State); ok && old.Game() == st.Game() {
				old.CopyFrom(st)
			} else {
				all[j] = st.Clone()
			}
		}
		if err := a.searches[i].BeginParallel(all, rngs[i]); err != nil {
			return fmt.Errorf("game %d of the batch: %w", i, err)
		}
	}
	if err := a.runner.Run(a.searches[:len(states)], a.ev); err != nil {
		return err
	}
	for i := range states {
		r := a.searches[i].Result()
		out[i] = Decision{
			Action: r.Action, Value: r.Value, HasValue: r.HasValue, Proven: r.Proven,
			Simulations: r.Simulations, Forced: r.Forced,
		}
		a.states[i][0] = nil
	}
	return nil
}
