package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"latro/env/engine"
)

// Leaf is one position whose value and prior a search wants to know.
type Leaf struct {
	// State is positioned at the leaf. An evaluator may play on it if it takes everything back before it
	// returns; it must not keep it.
	State State
	// Legal holds the legal plies at the leaf, ascending, never empty.
	Legal []engine.Action
	// Logits is filled in by the evaluator, in place: one unnormalised log prior for each entry of
	// Legal, finite.
	Logits []float32
	// Value is filled in by the evaluator: the expected result for player 0, P(win) - P(loss), in [-1, 1].
	Value float32
	// Rand is the random stream of the search that owns the leaf, for evaluators that draw. Drawing from
	// it, and from nothing else, keeps a game's result independent of the games it is batched with.
	Rand *rand.Rand
}

// Evaluator gives priors and values to leaves. One call is one batch, of leaves that may belong to
// different games of one ruleset. An evaluator is called by one goroutine at a time. What it says about a leaf
// must not depend on the other leaves of the batch; that is what makes games reproducible whatever the
// batching. On an error the batch counts as not evaluated.
type Evaluator interface {
	Evaluate(leaves []Leaf) error
}

// ErrEvaluation is wrapped by the errors of an evaluator's answer that cannot be used: a value or logit
// that is not finite, or a value outside [-1, 1].
var ErrEvaluation = errors.New("mcts: unusable evaluation")

// valueSlack is how far outside [-1, 1] a value may lie by rounding before it is refused rather than
// clamped.
const valueSlack = 1e-4

// check refuses what would silently spoil a tree and clamps rounding errors.
func (l *Leaf) check() error {
	v := float64(l.Value)
	if math.IsNaN(v) || v < -1-valueSlack || v > 1+valueSlack {
		return fmt.Errorf("%w: value %v is not in [-1, 1]; a network that diverged gives such values", ErrEvaluation, l.Value)
	}
	l.Value = max(-1, min(1, l.Value))
	if len(l.Logits) != len(l.Legal) {
		return fmt.Errorf("%w: %d logits for %d legal plies", ErrEvaluation, len(l.Logits), len(l.Legal))
	}
	for i, x := range l.Logits {
		// x-x is 0 exactly for finite x.
		if x-x != 0 {
			return fmt.Errorf("%w: logit %v of action %d is not finite; a network that diverged gives such values", ErrEvaluation, x, l.Legal[i])
		}
	}
	return nil
}

// Uniform is the evaluator that knows nothing: equal priors, value 0. With it a search is guided by the
// results it reaches alone. Safe for concurrent use.
type Uniform struct{}

// Evaluate implements Evaluator.
func (Uniform) Evaluate(leaves []Leaf) error {
	for i := range leaves {
		clear(leaves[i].Logits)
		leaves[i].Value = 0
	}
	return nil
}

// Rollout is the evaluator of classical Monte Carlo search: equal priors, and the mean result of random
// playouts as the value. It draws from Leaf.Rand. Not for concurrent use. The zero value makes one playout
// of at most DefaultCutoff plies a leaf.
type Rollout struct {
	// Playouts is the number of playouts averaged a leaf; 0 means 1.
	Playouts int
	// Cutoff is the longest playout in plies; 0 means DefaultCutoff. A playout stopped by it counts as
	// Material says.
	Cutoff int
	// Material is the weight of the material utility of a playout that was cut off (see MaterialUtility);
	// 0 scores it 0.
	Material float64

	legal []engine.Action
}

// DefaultCutoff is the longest random playout, in plies. Several rulesets are endless under random play,
// so a playout needs an end; 200 plies are some three times the length of a decided random game of the
// rulesets that finish.
const DefaultCutoff = 200

// Evaluate implements Evaluator.
func (r *Rollout) Evaluate(leaves []Leaf) error {
	n := max(1, r.Playouts)
	for i := range leaves {
		l := &leaves[i]
		clear(l.Logits)
		sum := 0.0
		for range n {
			sum += r.playout(l.State, l.Rand)
		}
		l.Value = float32(sum / float64(n))
	}
	return nil
}

func (r *Rollout) playout(s State, rng *rand.Rand) float64 {
	cutoff := r.Cutoff
	if cutoff <= 0 {
		cutoff = DefaultCutoff
	}
	if es, ok := s.(*engine.State); ok {
		plies, v := finish(es, rng, cutoff, r.Material)
		for range plies {
			es.Undo()
		}
		return v
	}
	plies, v := 0, 0.0
	for !s.Over() && plies < cutoff {
		r.legal = s.Legal(r.legal[:0])
		s.Play(r.legal[rng.IntN(len(r.legal))])
		plies++
	}
	if s.Over() {
		v, _ = s.Value()
	}
	for range plies {
		s.Undo()
	}
	return v
}

// finish plays s at random to its end or for cutoff plies, in place, and returns the number of plies and the
// value for player 0.
func finish(s *engine.State, rng *rand.Rand, cutoff int, material float64) (plies int, v0 float64) {
	plies = s.Playout(rng, cutoff)
	if s.Over() {
		if v, proven := s.Value(); proven {
			return plies, v
		}
	}
	if material == 0 {
		return plies, 0
	}
	return plies, material * MaterialUtility(s)
}
