package report

import (
	"fmt"

	"latro/experiments"
	"latro/experiments/figure"
)

// Strength shows how strong the agents are against each other, from the matches
// of the analyses. Words is a paragraph that says honestly what kind of agents
// they are.
func Strength(words string, as ...*experiments.Analysis) Section {
	s := Section{ID: "strength", Title: "How strong the agents are"}
	if words != "" {
		s.Blocks = append(s.Blocks, quote(words))
	}
	var rows []figure.ForestRow
	t := Table{Caption: "Scores of agents", Words: 3, Head: []string{"ruleset", "agent", "opponent", "won", "drawn", "lost", "capped", "score", "Elo difference"}}
	var say []string
	for _, a := range as {
		for i := range a.Cells {
			c := &a.Cells[i]
			if c.SelfPlay || c.Pairs == 0 {
				continue
			}
			rows = append(rows, figure.ForestRow{Label: c.A, Sub: "vs " + c.B + ", " + c.Title, Estimate: c.AgentScore.Estimate, Low: c.AgentScore.Low, High: c.AgentScore.High,
				Text: short(c.AgentScore), Muted: c.Duplicates})
			g := c.AgentTally
			t.Rows = append(t.Rows, []string{c.Title, c.A, c.B, fmt.Sprint(g.Win), fmt.Sprint(g.Draw), fmt.Sprint(g.Loss), fmt.Sprint(g.Capped), short(c.AgentScore), interval(c.AgentElo, "elo", true)})
			if len(say) < 6 {
				say = append(say, fmt.Sprintf("%s against %s in %s: %s from %d games.", c.A, c.B, c.Title, interval(c.AgentScore, "points", false), c.Games))
			}
		}
	}
	if len(rows) == 0 {
		s.Blocks = append(s.Blocks, Text("No agents were set against each other."))
		return s
	}
	var tables []Table
	parts(t.Rows, most, func(part [][]string, _, _ string) {
		p := t
		p.Rows = part
		tables = append(tables, p)
	})
	k := 0
	parts(rows, most, func(part []figure.ForestRow, n, title string) {
		p := Picture{Figure: figure.Forest("strength-scores"+n, "Scores of agents against opponents"+title, part, figure.ForestAxis{
			Ref: 0.5, Min: 0, Max: 1, Format: percent, Less: "weaker", More: "stronger"}), Data: tables[k]}
		if k == 0 {
			p.Sentences = say
		} else {
			p.Sentences = []string{"As before: scores of the first named agent, with intervals from the pairs."}
		}
		k++
		s.Blocks = append(s.Blocks, p)
	})
	return s
}
