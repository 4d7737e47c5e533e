package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/stats"
)

// effects shows what each rule of a factorial does, and how far it depends on the
// others.
func effects(id string, a *experiments.Analysis) []Block {
	if len(a.Effects) == 0 {
		return nil
	}
	out := factorial(a)
	var metrics []string
	for _, e := range a.Effects {
		if !slices.Contains(metrics, e.Metric) {
			metrics = append(metrics, e.Metric)
		}
	}
	for _, metric := range metrics {
		var all []experiments.Effect
		missing := 0
		for _, order := range []int{1, 2} {
			for _, e := range a.Effects {
				switch {
				case e.Metric != metric || e.Order != order:
				case math.IsNaN(e.Difference.Estimate):
					missing++
				default:
					all = append(all, e)
				}
			}
		}
		if missing > 0 {
			out = append(out, Text("%s on %s cannot be computed yet: some of the combinations of rules have too few games.", capital(experiments.Plural(missing, "effect")), metricTitle(metric)))
		}
		parts(all, most, func(es []experiments.Effect, n, part string) {
			out = append(out, differences(id, a, metric, es, n, part))
		})
		var odds []experiments.Effect
		for _, e := range all {
			if e.OddsRatio != nil {
				odds = append(odds, e)
			}
		}
		parts(odds, most, func(es []experiments.Effect, n, part string) {
			out = append(out, oddsRatios(id, a, es, n, part))
		})
	}
	return out
}

// factorial says which rules were varied, and what a fraction cannot tell apart.
func factorial(a *experiments.Analysis) []Block {
	var out []Block
	if len(a.Factors) > 0 {
		t := Table{Caption: "The rules that were varied", Words: 4, Head: []string{"letter", "rule", "parameter", "values"}, foreign: true}
		for _, f := range a.Factors {
			t.Rows = append(t.Rows, []string{f.Letter, f.Title, f.Parameter, strings.Join(f.Levels, ", ")})
		}
		out = append(out, t)
	}
	if f := a.Fraction; f != nil {
		out = append(out, Text("Of %d possible combinations %d were played: a fraction of resolution %d, defined by %s.", f.Of, f.Runs, f.Resolution, strings.Join(f.Defining, " = ")))
		switch {
		case f.Resolution <= 3:
			out = append(out, Note("Main effects are mixed with interactions of two rules here: what is called the effect of a rule may be that of two others together."))
		case f.Resolution == 4:
			out = append(out, Note("Interactions of two rules are mixed with each other here; main effects are mixed only with interactions of three rules or more."))
		}
		if len(f.Aliases) > 0 {
			out = append(out, foldedIn("results.json", "What the design cannot tell apart", List(f.Aliases)))
		}
	}
	return out
}

// named gives the label of an effect and its group.
func named(e experiments.Effect) (label, group string) {
	if e.Order == 1 {
		return fmt.Sprintf("%s: %s instead of %s", e.Terms[0], orElse(e.To, "none"), orElse(e.From, "none")), "Main effects: what changing one rule does, averaged over the others"
	}
	return strings.Join(e.Terms, " × "), "Interactions: how far the effect of one rule depends on the other"
}

func differences(id string, a *experiments.Analysis, metric string, es []experiments.Effect, n, part string) Block {
	unit := es[0].Unit
	var rows []figure.ForestRow
	t := Table{Caption: "Effects on " + metricTitle(metric), Words: 3,
		Head: []string{"effect", "agent", "of", "difference", "p", "p (adjusted)", "family", "decision", "start pairs", "cannot be told from"}}
	var say []string
	// What was decided comes first, main effects before interactions.
	for _, decided := range []bool{true, false} {
		for _, e := range es {
			if (e.Decision == experiments.DecisionDifference || e.Decision == experiments.DecisionNoDifference) != decided || len(say) == 3 {
				continue
			}
			l, _ := named(e)
			verb := "changed " + metricTitle(metric)
			if e.Order == 2 {
				l, verb = "the interaction "+l, "moved "+metricTitle(metric)
			}
			say = append(say, fmt.Sprintf("Under %s, %s %s by %s (%s, %s adjusted).", e.Agent, l, verb, interval(e.Difference, unit, true), decisionWords(e.Decision, e.Adjusted, e.Difference), experiments.PValue(e.Adjusted)))
		}
	}
	for _, e := range es {
		l, group := named(e)
		rows = append(rows, figure.ForestRow{Group: group, Label: l, Sub: e.Agent, Estimate: e.Difference.Estimate, Low: e.Difference.Low, High: e.Difference.High,
			Text: compact(e.Difference, unit), Muted: !e.ClaimAllowed, Within: e.Decision == experiments.DecisionNoDifference})
		t.Rows = append(t.Rows, []string{e.Name, e.Agent, l, interval(e.Difference, unit, true), experiments.PValue(e.P), experiments.PValue(e.Adjusted), e.Family, decisionWords(e.Decision, e.Adjusted, e.Difference),
			fmt.Sprint(e.Difference.N), strings.Join(e.Aliases, ", ")})
	}
	axis := figure.ForestAxis{Ref: 0, Min: -least(unit), Max: least(unit), Format: signed(unit), Less: "less", More: "more"}
	if metric == "first-player-score" {
		axis.Less, axis.More = "helps the second player", "helps the first player"
	}
	axis.Band, axis.BandLabel = marginBand(a.Design, unit)
	say = append(say, fmt.Sprintf("Bars are %g %% intervals from the start pairs, by least squares over all combinations of the rules.", 100*a.Design.Level))
	return picture("tests.csv", figure.Forest(id+"-effects-"+metric+n, "Effects of rules on "+metricTitle(metric)+part, rows, axis), say, t)
}

func oddsRatios(id string, a *experiments.Analysis, es []experiments.Effect, n, part string) Block {
	var rows []figure.ForestRow
	t := Table{Caption: "Odds ratios of the proportional-odds model", Words: 3, Head: []string{"effect", "agent", "of", "odds ratio", "p"}}
	var say []string
	reach := math.Log(2)
	for _, e := range es {
		l, group := named(e)
		iv := *e.OddsRatio
		text := ratio(iv.Estimate) + " [" + ratio(iv.Low) + ", " + ratio(iv.High) + "]"
		lo, hi := logOf(iv.Low), logOf(iv.High)
		rows = append(rows, figure.ForestRow{Group: group, Label: l, Sub: e.Agent, Estimate: logOf(iv.Estimate), Low: lo, High: hi, Text: text, Muted: !e.ClaimAllowed})
		t.Rows = append(t.Rows, []string{e.Name, e.Agent, l, text, experiments.PValue(e.OddsP)})
		for _, v := range []float64{lo, hi} {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				reach = math.Max(reach, math.Abs(v))
			}
		}
		if len(say) < 2 && e.Order == 1 {
			say = append(say, fmt.Sprintf("Under %s, %s multiplied the first player's odds of a better result by %s.", e.Agent, l, text))
		}
	}
	say = append(say, "The model takes loss, draw and win as steps of one ladder; capped games are left out, errors are robust to clusters of start pairs, and the axis is logarithmic. It is a check of the differences above, not a test of its own.")
	return picture("results.json", figure.Forest(id+"-odds"+n, "Effects of rules as odds ratios for the first player"+part, rows, figure.ForestAxis{
		Ref: 0, Min: -math.Log(2), Max: math.Log(2), Ticks: oddsTicks(reach), Format: func(v float64) string { return fmt.Sprintf("%.2g", math.Exp(v)) },
		Less: "helps the second player", More: "helps the first player"}), say, t)
}

// oddsTicks are round ratios that span the range.
func oddsTicks(reach float64) []float64 {
	steps := []float64{1.5, 2}
	switch {
	case reach > math.Log(50):
		steps = []float64{10, 100, 1000, 10000}
	case reach > math.Log(8):
		steps = []float64{3, 10, 30}
	case reach > math.Log(2.2):
		steps = []float64{2, 4, 8}
	}
	out := []float64{0}
	for _, s := range steps {
		out = append(out, math.Log(s), -math.Log(s))
	}
	slices.Sort(out)
	return out
}

func logOf(x float64) float64 {
	if x <= 0 {
		return math.Inf(-1)
	}
	return math.Log(x)
}

func ratio(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// decisionWords are a test's decision for a reader. A difference that there is evidence of
// may be shown to be within the margin all the same, and is not "no difference" then.
func decisionWords(decision string, adjusted float64, difference stats.Interval) string {
	if decision != experiments.DecisionNoDifference {
		return decision
	}
	if adjusted < 1-difference.Level && difference.Excludes(0) {
		return "a difference, but within the margin"
	}
	return "within the margin"
}
