package metrics

import (
	"fmt"
	"math"

	"latro/env/engine"
	"latro/mcts"
)

// Evaluator says who is ahead in a position. Lead changes and drama depend on it
// entirely, so every number that rests on one names it.
type Evaluator struct {
	// Key is its short name in the names of metrics: letters and digits.
	Key string
	// Name says in words what it is.
	Name string
	// Band is how far a value must lie from 0 for a player to be in the lead.
	Band float64
	// Value is the first player's expected result P(win) − P(loss) or his lead on a
	// scale of its own, in [−1, 1]. It must leave the position as it is, and be the
	// same whenever it is asked.
	Value func(s *engine.State) float64
}

// Material is the default evaluator: the share of the material in play, hands
// included, that the first player is ahead by (mcts.MaterialUtility). Whoever has
// more is in the lead.
func Material() Evaluator {
	return Evaluator{
		Key:   "material",
		Name:  fmt.Sprintf("material share (leader %d men, bound man %g)", mcts.LeaderWeight, mcts.BoundWeight),
		Value: mcts.MaterialUtility,
	}
}

// expectationBand is the band of evaluators that say how the game will end: a lead is
// a chance of winning that is larger by five points than that of losing.
const expectationBand = 0.05

// Fitted is the evaluation of the alpha-beta agent, whose weights were fitted to the
// results of games of the ruleset's family; ok is false for a family without
// weights of its own. It is for one goroutine.
func Fitted(g *engine.Game) (e Evaluator, ok bool) {
	ev := mcts.NewEvaluation(g, nil)
	if ev.Family() != mcts.Family(g) {
		return Evaluator{}, false
	}
	return Evaluator{Key: "fitted", Name: "alpha-beta's evaluation, fitted for " + ev.Family(), Band: expectationBand, Value: ev.Value}, true
}

// course follows who leads through one game.
type course struct {
	band    float64
	leader  int // 1 player 0, −1 player 1, 0 nobody yet
	changes int
	worst   [2]float64 // the largest deficit of each player
	seen    int
}

func (c *course) see(v float64) {
	c.seen++
	c.worst[0] = math.Max(c.worst[0], -v)
	c.worst[1] = math.Max(c.worst[1], v)
	now := 0
	switch {
	case v > c.band:
		now = 1
	case v < -c.band:
		now = -1
	}
	if now == 0 {
		return
	}
	if c.leader == -now {
		c.changes++
	}
	c.leader = now
}
