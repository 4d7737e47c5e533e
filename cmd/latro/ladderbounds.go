package main

import (
	"slices"

	"latro/experiments/stats"
)

// cappedGame is where a game that was stopped is among the meetings of a ladder.
type cappedGame struct{ meeting, pair, leg int }

// maxBoundAgents is the number of agents up to which bounds are computed: they take two fits an agent, each of which
// grows with the cube of the pool.
const maxBoundAgents = 64

// ladderBounds is for each agent the rating that it would have if it had lost, and if it had won, all of its games that were
// capped; the others' stay half a point. It is nil if there are too many agents.
func ladderBounds(meetings []stats.Meeting, capped []cappedGame, ratings stats.Ratings, anchor int) ([][2]float64, error) {
	n := len(ratings.Players)
	if n > maxBoundAgents {
		return nil, nil
	}
	out := make([][2]float64, n)
	for agent := range n {
		for side := range out[agent] {
			counted, changed := slices.Clone(meetings), false
			for _, g := range capped {
				m := &counted[g.meeting]
				if m.A != agent && m.B != agent {
					continue
				}
				if &m.Pairs[0] == &meetings[g.meeting].Pairs[0] {
					m.Pairs = slices.Clone(m.Pairs)
				}
				// Pairs have A's scores.
				score := float64(side)
				if m.B == agent {
					score = 1 - score
				}
				m.Pairs[g.pair][g.leg], changed = score, true
			}
			out[agent][side] = ratings.Players[agent].Elo.Estimate
			if !changed {
				continue
			}
			r, err := stats.Rate(n, counted, anchor, level)
			if err != nil {
				return nil, err
			}
			out[agent][side] = r.Players[agent].Elo.Estimate
		}
	}
	return out, nil
}
