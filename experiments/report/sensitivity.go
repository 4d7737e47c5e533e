package report

import (
	"fmt"
	"math"
	"strings"

	"latro/experiments"
	"latro/experiments/figure"
)

// leastReadings is the number of readings from which there is something to rank.
const leastReadings = 3

// sensitivity ranks the readings of one ruleset, where that is what the experiment
// looks for: three or more readings are compared with the default, as screening.
func sensitivity(a *experiments.Analysis) []Section {
	for _, k := range a.Contrasts {
		if k.Primary && k.Family == experiments.Confirmatory {
			return nil
		}
	}
	s := experiments.SensitivityOf(a)
	if s == nil || len(s.Rows) < leastReadings {
		return nil
	}
	out := Section{ID: "readings-" + anchor(a.Design.ID), Title: "Which open question matters most", NewPage: true}
	out.Blocks = append(out.Blocks,
		Text("Where the sources leave a question open, a reading answers it otherwise than the default does. Each was played against the default; A and a number is the question's number in the guide to the rulesets."),
		List(s.Short))
	parts(s.Rows, most, func(rows []experiments.SensitivityRow, n, part string) {
		var bars []figure.ForestRow
		t := Table{Caption: fmt.Sprintf("Readings by what they change in %s, with %s on both sides", metricTitle(s.Metric), s.Agent), Words: 2,
			Head: []string{"reading", "question", "default", "reading's value", "as measured", "once chance is allowed for", "rank", "chance to be the largest", "p (adjusted)", "what is shown", "capped, default", "capped, reading"}}
		for _, o := range s.Agents {
			if o != s.Agent {
				t.Head = append(t.Head, "measured with "+o)
			}
		}
		reach := least(s.Unit)
		for _, r := range rows {
			raw := r.Change.Difference.Estimate
			none := r.Change.Verdict == experiments.VerdictNoClaim
			bar := figure.ForestRow{Label: r.Reading, Sub: strings.Join(r.Doubts, ", "), Estimate: r.Shrunk.Estimate, Low: r.Shrunk.Low, High: r.Shrunk.High,
				Raw: &raw, Muted: none, Within: r.Change.Verdict == experiments.VerdictWithin || r.Change.Verdict == experiments.VerdictSmall, Text: compact(r.Shrunk, s.Unit)}
			reach = math.Max(reach, math.Abs(raw))
			shrunk, rank, first := "not ranked", "–", "–"
			if r.Ranked {
				shrunk, rank, first = interval(r.Shrunk, s.Unit, true), around(r.Rank, 0), experiments.Percent(r.First)
				bar.Sub = joined(bar.Sub, fmt.Sprintf("rank %.0f to %.0f", r.Rank.Low, r.Rank.High))
			}
			bars = append(bars, bar)
			line := []string{r.Reading, strings.Join(r.Doubts, ", "), experiments.Amount(r.Change.Before, s.Unit, false), experiments.Amount(r.Change.After, s.Unit, false),
				interval(r.Change.Difference, s.Unit, true), shrunk, rank, first, experiments.PValue(r.Change.Adjusted), r.Change.Words(), experiments.Percent(r.Capped[0]), experiments.Percent(r.Capped[1])}
			for _, o := range s.Agents {
				if o == s.Agent {
					continue
				}
				cell := "–"
				for _, x := range r.Others {
					if x.Agent == o {
						cell = interval(x.Difference, s.Unit, true)
					}
				}
				line = append(line, cell)
			}
			t.Rows = append(t.Rows, line)
		}
		axis := figure.ForestAxis{Ref: 0, Min: -reach, Max: reach, Format: signed(s.Unit), Less: "less than the default", More: "more than the default", RawLabel: "as measured"}
		axis.Band, axis.BandLabel = marginBand(a.Design, s.Unit)
		say := []string{
			fmt.Sprintf("Dots are changes pulled towards nothing, as far as chance explains their spread, with %g %% intervals; crosses are the changes as measured (%d start pairs, the same for all readings where their openings are the same).", 100*s.Level, s.Pairs),
			"The largest of many measured changes is too large on average. The dots allow for that; games that had no part in the finding are better still.",
		}
		out.Blocks = append(out.Blocks, picture("tests.csv", figure.Forest(anchor(a.Design.ID)+"-readings"+n, "What each reading changes in "+metricTitle(s.Metric)+part, bars, axis), say, t))
	})
	var lines []string
	for _, r := range s.Rows {
		lines = append(lines, r.Sentence)
	}
	out.Blocks = append(out.Blocks, heading{"Reading by reading"}, List(lines))
	return []Section{out}
}
