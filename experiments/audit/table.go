package audit

import (
	"fmt"
	"io"
	"strings"

	"latro/experiments/stats"
)

// WriteTable writes several reports as one Markdown table, a line each: the shares of the games in percent, without
// intervals, for comparing rulesets at a glance. All reports should have the same numbers of games and the same cap.
func WriteTable(w io.Writer, reports []*Report) error {
	t := &text{w: w}
	row := func(cells ...string) { t.line("| %s |", strings.Join(cells, " | ")) }
	row("ruleset", "no end: random", "greedy", "mixed", "greedy games end by", "cannot move", "no capture possible", "third time", "in circles", "first player, greedy", "never mattered", "silent source decided (with a reading)")
	row(strings.TrimSuffix(strings.Repeat("--- | ", 12), " | "))
	for _, r := range reports {
		cells := []string{"`" + r.Ruleset + "`"}
		for i := range r.Groups {
			cells = append(cells, cell(find(r.Groups[i].Ends, "end:cap").Share))
		}
		greedy := &r.Groups[greedyGames]
		var ends []string
		for _, e := range greedy.Ends {
			if e.Key != "end:cap" && e.Share.Estimate >= 0.05 {
				ends = append(ends, fmt.Sprintf("%s %s", strings.TrimPrefix(e.Key, "end:"), cell(e.Share)))
			}
		}
		if len(ends) == 0 {
			ends = []string{"–"}
		}
		cells = append(cells, strings.Join(ends, ", "))
		for _, key := range []string{"blockade", "famine-both", "recurrence", "cycling"} {
			var parts []string
			for i := range r.Groups {
				parts = append(parts, cell(find(r.Groups[i].Pathologies, key).Share))
			}
			cells = append(cells, strings.Join(parts, " / "))
		}
		score := fmt.Sprintf("%.2f", greedy.Score.Estimate)
		if greedy.ScoreLow < greedy.ScoreHigh {
			score += fmt.Sprintf(" [%.2f–%.2f]", greedy.ScoreLow, greedy.ScoreHigh)
		}
		never := r.count(NeverMattered)
		cells = append(cells, score, fmt.Sprintf("%d of %d", never, never+r.count(Mattered)), fmt.Sprintf("%d (%d)", len(r.Undefined), r.doubts()))
		row(cells...)
	}
	return t.err
}

// cell is a share in whole percent, but never 0 or 100 for one that is neither.
func cell(i stats.Interval) string {
	switch p := 100 * i.Estimate; {
	case p == 0:
		return "0"
	case p < 0.5:
		return "<1"
	case p < 100 && p > 99.5:
		return ">99"
	default:
		return fmt.Sprintf("%.0f", p)
	}
}
