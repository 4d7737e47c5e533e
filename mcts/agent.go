package mcts

import (
	"math/rand/v2"

	"latro/env/engine"
)

// Agent chooses plies. A choice is a function of the position with its history, of the random stream, and of
// the agent's specification, and of nothing else: what an agent was asked before does not matter, but for a Net that
// reuses its tree, where its earlier choices in the same game do. An agent may keep working memory, so it is for one
// goroutine at a time; make one for each worker.
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

// Reproducible says whether an agent that plays the same games with the same random streams makes the same choices. Agents
// that a clock stops are not, and say so by a method Reproducible() bool; all others are.
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
	// Forced says that there was only one legal ply, or only one that a restriction of the agent leaves.
	Forced bool
}

// Random plays every legal ply with equal probability. Not for concurrent use.
type Random struct {
	legal []engine.Action
	only  *restriction
}

// NewRandom returns the random agent.
func NewRandom() *Random { return &Random{} }

// Name implements Agent.
func (*Random) Name() string { return "random" }

// Choose implements Agent.
func (a *Random) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	a.only.begin(s)
	a.legal = a.only.filter(s, s.Legal(a.legal[:0]))
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
type Greedy struct {
	legal []engine.Action
	only  *restriction
}

// NewGreedy returns the greedy agent.
func NewGreedy() *Greedy { return &Greedy{} }

// Name implements Agent.
func (*Greedy) Name() string { return "greedy" }

// decided outweighs any material: at most 256 squares hold 127 men and a leader a side.
const decided = 1e6

// Choose implements Agent.
func (a *Greedy) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	a.only.begin(s)
	a.legal = a.only.filter(s, s.Legal(a.legal[:0]))
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
