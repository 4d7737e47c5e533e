package experiments

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"latro/datasets"
	"latro/env/engine"
	"latro/experiments/metrics"
	"latro/experiments/stats"
	"latro/experiments/traffic"
	"latro/mcts"
)

// measurer measures the games of every cell (package metrics) while they are read.
type measurer struct {
	cells []*metrics.Cell
	// why says why there are none.
	why string
}

// measurer prepares the measurement of a directory's games. Games of another version of
// the engine may not be legal in this one: they are then not measured.
func (m *Manifest) measurer(d Design) (*measurer, error) {
	if m.EngineVersion != engine.Version {
		return &measurer{why: fmt.Sprintf("the games were played by version %s of the rules engine, this is version %s", m.EngineVersion, engine.Version)}, nil
	}
	games, err := m.games()
	if err != nil {
		return nil, err
	}
	x := &measurer{}
	for i, c := range m.Cells {
		cell, err := metrics.New(games[i], metrics.Config{
			Level: d.Level, SpecA: c.SpecA, SpecB: c.SpecB, SelfPlay: c.SelfPlay, FromStart: d.Starts.Kind == "initial", Values: valuesOfCell(c),
		})
		if err != nil {
			return nil, err
		}
		x.cells = append(x.cells, cell)
	}
	return x, nil
}

// valuesOfCell names who judged the positions in the values that a cell's games have.
func valuesOfCell(c CellInfo) string {
	kind, _ := kindOf(c.SpecA)
	if !c.SelfPlay || kind == "random" || kind == "greedy" {
		return ""
	}
	name := "the players' own search, " + c.SpecA
	if c.NetworkA != "" {
		name += fmt.Sprintf(" with the network %.12s", c.NetworkA)
	}
	return name
}

// add measures a game and counts its traffic, if traffic is not nil; it is played again once for both.
func (x *measurer) add(cell int, g *datasets.Game, traffic *traffic.Counter) error {
	switch {
	case traffic == nil && x.cells == nil:
		return nil
	case traffic == nil:
		return x.cells[cell].Add(g)
	case x.cells == nil:
		return traffic.Add(g.Start, g.Moves)
	}
	followed, err := x.cells[cell].AddWatched(g, traffic)
	if err != nil {
		return err
	}
	if !followed {
		return traffic.Add(g.Start, g.Moves)
	}
	traffic.End()
	return nil
}

// finish adds what was measured to the analysis, with its rows of metrics.csv.
func (x *measurer) finish(out *Analysis) {
	for i := range out.Cells {
		c := &out.Cells[i]
		_, budget := kindOf(c.SpecA)
		row := func(metric string, iv stats.Interval, games int) {
			share := 1.0
			if c.Games > 0 {
				share = c.Effective / float64(c.Games)
			}
			out.Measures = append(out.Measures, Measure{c.Name, c.A, c.B, budget, metric, iv, games, share * float64(games)})
		}
		if x.cells == nil {
			if c.SelfPlay && c.Pairs > 0 {
				row("metrics-of-positions", notMeasured(x.why, out.Design.Level), 0)
				c.Metrics = &metrics.Result{Missing: []metrics.Missing{{Metric: "metrics-of-positions", Title: "all that needs the games' positions", Reason: x.why}}}
			}
			continue
		}
		r := x.cells[i].Result()
		if c.Pairs == 0 || len(r.Values)+len(r.Missing) == 0 {
			continue
		}
		c.Metrics = &r
		for _, v := range r.Values {
			row(v.Metric, v.Interval, v.Games)
		}
		for _, v := range r.Missing {
			row(v.Metric, notMeasured(v.Reason, out.Design.Level), 0)
		}
	}
	out.Unmeasured = unmeasured(out)
	for _, u := range out.Unmeasured {
		out.Measures = append(out.Measures, Measure{Ruleset: u.Ruleset, Metric: u.Metric, Interval: notMeasured(u.Reason, out.Design.Level)})
	}
}

// notMeasured is the interval of a metric that could not be measured: empty cells and
// the reason.
func notMeasured(why string, level float64) stats.Interval {
	return stats.Interval{Estimate: math.NaN(), Low: math.NaN(), High: math.NaN(), Level: level, Method: "not measured: " + why}
}

// Unmeasured is a metric of a ruleset that the design has no games for.
type Unmeasured struct {
	Ruleset string `json:"ruleset"`
	metrics.Missing
}

// unmeasured lists what needs matches that the design does not have: the slope of
// skill, and restricted play for each special rule of a ruleset.
func unmeasured(out *Analysis) []Unmeasured {
	var list []Unmeasured
	for _, s := range out.Strength {
		if len(s.Slopes) == 0 {
			reason := "no match between two budgets of one kind of agent"
			if cappedMatch(out, s.Ruleset) {
				reason = "every game between two budgets was stopped by the cap"
			}
			list = append(list, Unmeasured{s.Ruleset, metrics.Missing{Metric: "elo-per-doubling", Title: "slope of skill", Reason: reason}})
		}
		var rules, shown []string
		for i := range out.Cells {
			c := &out.Cells[i]
			if c.Name != s.Ruleset || c.Metrics == nil {
				continue
			}
			for _, rule := range c.Metrics.Rules {
				if !slices.Contains(rules, rule) {
					rules = append(rules, rule)
				}
			}
			if rule := orElse(RestrictedBy(c.SpecA), RestrictedBy(c.SpecB)); !c.SelfPlay && rule != "" {
				// Its own reason stands there where it was not measured.
				shown = append(shown, rule)
			}
		}
		for _, rule := range rules {
			if !slices.Contains(shown, rule) {
				list = append(list, Unmeasured{s.Ruleset, metrics.Missing{Metric: "restricted-loss-" + rule, Title: "points lost without " + metrics.RuleTitle(rule),
					Reason: "no match of an agent against itself with avoid=" + rule}})
			}
		}
	}
	return list
}

// cappedMatch says whether there is a match between two budgets of one kind of agent
// whose games were all capped.
func cappedMatch(out *Analysis, ruleset string) bool {
	for i := range out.Cells {
		c := &out.Cells[i]
		ka, ba, okA := budgetOf(c.SpecA, c.TrainingSeed)
		kb, bb, okB := budgetOf(c.SpecB, c.TrainingSeed)
		if c.Name == ruleset && !c.SelfPlay && c.Games > 0 && c.Tally.Capped == c.Games && okA && okB && ka == kb && ba != bb {
			return true
		}
	}
	return false
}

// RestrictedBy says which special rules the agent of a specification never uses, ""
// for none.
func RestrictedBy(spec string) string {
	s, err := mcts.ParseSpec(spec)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(s.Options["avoid"])
}
