package audit

import (
	"fmt"
	"io"
	"strings"

	"latro/experiments/stats"
)

// WriteTable writes several reports as two Markdown tables, a line each: the shares of the games in percent, without
// intervals, for comparing rulesets at a glance; and the parameters that never mattered, and those on which the source is
// silent, the ruleset has another reading, and which decided something. All reports should have the same numbers of games and the same cap.
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
	t.line("")
	row("ruleset", "never mattered", "the source is silent, a reading differs, and it decided something in so many of the games followed")
	row("---", "---", "---")
	for _, r := range reports {
		var never, doubts []string
		for _, p := range r.Parameters {
			if p.Status == NeverMattered {
				never = append(never, "`"+p.Name+"`")
			}
		}
		for _, u := range r.Undefined {
			if len(u.Readings) > 0 {
				doubts = append(doubts, fmt.Sprintf("`%s` %s %%", u.Name, cell(u.Share)))
			}
		}
		row("`"+r.Ruleset+"`", orDashList(never), orDashList(doubts))
	}
	return t.err
}

func orDashList(list []string) string {
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
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
