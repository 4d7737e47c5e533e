package selfplay

import (
	"context"
	"fmt"
	"sync"

	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
	"latro/nn"
)

// GatingConfig lets a newly trained network play a match against the one in play before it takes its place. The zero
// value is no gate.
type GatingConfig struct {
	// Games is an even number: pairs with the colours changed over, from common openings of opening.random_plies (at least 2)
	// random plies. With several rulesets the pairs are dealt to them by turns.
	Games int `yaml:"games,omitempty"`
	// MinScore in (0, 1) is the score from which the new network plays; draws and capped games count one half. 0.5 if left
	// out. Below it the old network goes on playing; training goes on from the new one all the same.
	MinScore float64 `yaml:"min_score,omitempty"`
	// Simulations a ply, without noise; search.simulations if left out.
	Simulations int `yaml:"simulations,omitempty"`
}

func (c GatingConfig) on() bool { return c.Games > 0 }

// filled is c with what was left out.
func (c GatingConfig) filled(s SearchConfig) GatingConfig {
	if c.MinScore == 0 {
		c.MinScore = 0.5
	}
	if c.Simulations == 0 {
		c.Simulations = s.Simulations
	}
	return c
}

// Gate is the match of one generation's new network.
type Gate struct {
	// Generation is the one after whose training the match was played.
	Generation int `json:"generation"`
	Games      int `json:"games"`
	// Score is the new network's, in [0, 1].
	Score    float64 `json:"score"`
	Accepted bool    `json:"accepted"`
}

// gate plays the match of a generation: the same networks give the same score, whatever the number of workers.
func (r *Run) gate(ctx context.Context, old, candidate *nn.Network, generation int, o Options) (Gate, error) {
	c := r.Config.Gating.filled(r.Config.Search)
	search := mcts.DefaultGumbel(c.Simulations)
	search.MaxConsidered, search.Noise = r.Config.Search.MaxConsidered, false
	inference := map[string]*nn.Inference{}
	hash := map[string]string{}
	for kind, n := range map[string]*nn.Network{"candidate": candidate, "old": old} {
		var err error
		if inference[kind], err = nn.CompileWith(n, nn.CompileOptions{Arithmetic: r.Config.Search.Arithmetic}); err != nil {
			return Gate{}, err
		}
		hash[kind] = n.Hash()
	}
	cache := o.cache()
	var result MatchResult
	n := len(r.Variants)
	for k, v := range r.Variants {
		pairs := (c.Games/2 + n - 1 - k) / n
		if pairs == 0 {
			continue
		}
		var mu sync.Mutex
		m, err := Play(ctx, MatchConfig{
			Ruleset: v.Ruleset, A: mcts.Spec{Kind: "candidate"}, B: mcts.Spec{Kind: "old"}, Pairs: pairs,
			OpeningPlies: max(2, r.Config.Opening.RandomPlies), MaxPlies: r.Config.MaxPlies,
			Seed:    seed.Derive(r.Config.Seed, seed.Match, uint64(generation), uint64(k)),
			Workers: o.Workers,
			Done: func(PairResult) {
				mu.Lock()
				defer mu.Unlock()
				o.tell(Event{Kind: "gate", Generation: generation, Count: 2, Total: c.Games})
			},
		}, func(spec mcts.Spec, _ *engine.Game, rulesetHash string) (mcts.Agent, error) {
			ev, err := NewEvaluator(inference[spec.Kind], v.Encoder, netBatch, r.Config.Search.MaterialWeight)
			if err != nil {
				return nil, err
			}
			asked := mcts.Evaluator(ev)
			if cache != nil {
				asked = cache.Over(ev, rulesetHash)
			}
			if asked, err = probed(asked, mcts.DefaultProbe(r.Config.Search.Probe)); err != nil {
				return nil, err
			}
			agent, err := mcts.NewNet(spec.Kind, asked, search)
			if err != nil {
				return nil, err
			}
			return &netAgent{Net: agent, evaluator: ev, hash: hash[spec.Kind]}, nil
		})
		if err != nil {
			return Gate{}, err
		}
		result.Pairs = append(result.Pairs, m.Pairs...)
	}
	if err := ctx.Err(); err != nil {
		return Gate{}, err
	}
	t := result.Tally()
	if t.Games() != c.Games {
		return Gate{}, fmt.Errorf("the gate's match of generation %d has %d games of %d", generation, t.Games(), c.Games)
	}
	g := Gate{Generation: generation, Games: t.Games(), Score: t.Score()}
	g.Accepted = g.Score >= c.MinScore
	return g, nil
}
