package experiments

import (
	"fmt"
	"slices"
)

// StrengthWord stands for a list of agents in a design: "agents: strength".
const StrengthWord = "strength"

// The simulations of the agents that the word "strength" stands for. Each budget
// is four times the one before, so that a curve over them spans what a few hours
// on two cores can pay for.
var (
	defaultUCTBudgets     = [...]int{25, 100, 400}
	defaultTrainedBudgets = [...]int{16, 64}
)

// StrengthLadder is the agents and matches of a comparison over strength: chance,
// the greedy player, UCT at three budgets, and where a ruleset has networks these
// at two budgets; neighbouring budgets also meet each other, which says how much
// strength a doubling buys. Empty budgets mean the defaults.
func StrengthLadder(uct, trained []int) ([]AgentRef, []Match) {
	if len(uct) == 0 {
		uct = slices.Clone(defaultUCTBudgets[:])
	}
	if len(trained) == 0 {
		trained = slices.Clone(defaultTrainedBudgets[:])
	}
	agents := []AgentRef{{Name: "random", Spec: "random"}, {Name: "greedy", Spec: "greedy"}}
	var matches []Match
	rung := func(name, spec string, budgets []int, where bool) {
		for i, n := range budgets {
			agents = append(agents, AgentRef{Name: fmt.Sprintf("%s %d", name, n), Spec: fmt.Sprintf(spec, n), WhereTrained: where})
			if i > 0 {
				matches = append(matches, Match{A: fmt.Sprintf("%s %d", name, n), B: fmt.Sprintf("%s %d", name, budgets[i-1])})
			}
		}
	}
	rung("UCT", "uct:simulations=%d", uct, false)
	rung("trained", "net:path="+networkHole+",simulations=%d", trained, true)
	return agents, matches
}

// takeLadder puts the ladder in the place of its word. Matches that the design
// gives besides stay.
func (d *Design) takeLadder() {
	agents, matches := StrengthLadder(d.UCTBudgets, d.TrainedBudgets)
	trained := false
	for _, r := range d.ExpandRulesets() {
		trained = trained || len(r.networks()) > 0
	}
	if !trained {
		missing := func(name string) bool {
			return slices.ContainsFunc(agents, func(a AgentRef) bool { return a.name() == name && a.trained() })
		}
		matches = slices.DeleteFunc(matches, func(m Match) bool { return missing(m.A) })
		agents = slices.DeleteFunc(agents, AgentRef.trained)
	}
	d.Agents, d.Matches = agents, append(matches, d.Matches...)
	d.UCTBudgets, d.TrainedBudgets = nil, nil
}
