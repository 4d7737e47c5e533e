package experiments

import (
	"fmt"
	"strconv"

	"latro/mcts"
)

// Sizes of a quick trial: enough games for every kind of output, few enough for
// seconds.
const (
	quickPairs       = 4
	quickSimulations = 8
	quickPlies       = 200
	quickNodes       = 20
)

// QuickSuffix is what [Design.Quick] adds to a design's id.
const QuickSuffix = "-quick"

// Quickly gives the same design at a size that runs in seconds, to see that it
// works and what its report will look like: the same rulesets, agents, matches,
// comparisons and tests, with a few pairs, short games and searches of a few
// simulations (the agents' names say so). It is exploratory, and its numbers mean
// nothing.
func (d Design) Quickly() Design {
	d.ID = clipID(d.ID) + QuickSuffix
	d.Quick, d.Exploratory = true, true
	d.Pairs = min(d.Pairs, quickPairs)
	if len(d.ExpandRulesets()) > 16 {
		d.Pairs = min(d.Pairs, 2)
	}
	d.UnitPairs = min(d.UnitPairs, d.Pairs)
	d.Cap = min(d.Cap, quickPlies)
	most := 0
	budget := func(a AgentRef) (mcts.Spec, int) {
		// {network} reads as a value like any other.
		s, err := mcts.ParseSpec(a.Spec)
		if err != nil {
			return s, 0
		}
		n, _ := strconv.Atoi(s.Options["simulations"])
		return s, n
	}
	for _, a := range d.Agents {
		_, n := budget(a)
		most = max(most, n)
	}
	renamed := map[string]string{}
	agents := make([]AgentRef, len(d.Agents))
	used := map[string]bool{}
	for i, a := range d.Agents {
		was := a.name()
		s, n := budget(a)
		if most > quickSimulations && n > 0 {
			small := max(2, n*quickSimulations/most)
			// Budgets that differ stay different.
			for {
				s.Options["simulations"] = strconv.Itoa(small)
				if !used[s.String()] {
					break
				}
				small++
			}
			a.Spec = s.String()
			a.Name = fmt.Sprintf("%s (here %d)", was, small)
		}
		if s.Options["nodes"] != "" {
			small := quickNodes
			for s.Options["nodes"] = strconv.Itoa(small); used[s.String()]; s.Options["nodes"] = strconv.Itoa(small) {
				small++
			}
			a.Spec, a.Name = s.String(), fmt.Sprintf("%s (here %d nodes)", was, small)
		}
		used[a.Spec] = true
		renamed[was] = a.name()
		agents[i] = a
	}
	d.Agents = agents
	matches := make([]Match, len(d.Matches))
	for i, m := range d.Matches {
		matches[i] = Match{renamed[m.A], renamed[m.B]}
	}
	d.Matches = matches
	comparisons := make([]Comparison, len(d.Comparisons))
	for i, c := range d.Comparisons {
		if c.Agent != "" {
			c.Agent = renamed[c.Agent]
		}
		comparisons[i] = c
	}
	d.Comparisons = comparisons
	return d
}

func clipID(id string) string {
	const most = 64 - len(QuickSuffix)
	return id[:min(len(id), most)]
}
