package wear

import (
	"fmt"
	"strings"

	"latro/experiments"
)

// nullWords say what the maps of a null are.
func (n Null) words() string {
	switch n {
	case Smooth:
		return "chance maps as smooth as this one"
	case Classes:
		return "maps with this one's symmetry classes exchanged"
	}
	return "shuffled maps"
}

func (d Distance) words() string {
	switch d {
	case Hellinger:
		return "the Hellinger distance between the two as shares of their totals (0 the same, 1 nothing in common)"
	case Rank:
		return "the distance √((1 − ρ)/2) of the orders of places, with Spearman's rank correlation ρ (0 the same order, 1 reversed)"
	}
	return "the Jensen–Shannon distance between the two as shares of their totals (0 the same, 1 nothing in common)"
}

func (a *Analysis) countWords() string {
	if a.Kind == Edges {
		return "crossings of the line by moves and hops"
	}
	switch a.Plan.Count {
	case Arrivals:
		return "arrivals on the square by moves and hops"
	case Placements:
		return "pieces placed on the square from hand"
	case Captures:
		return "pieces captured on the square"
	}
	return "touches of the square: pieces placed on it, moved off it, slid across it or come to rest on it"
}

func (a *Analysis) places() string {
	if a.Kind == Edges {
		return "lines"
	}
	return "squares"
}

// describe writes the results and their limits in words.
func (a *Analysis) describe() {
	limit := func(format string, args ...any) { a.Limits = append(a.Limits, fmt.Sprintf(format, args...)) }
	a.Limits = []string{}
	if a.Invented {
		limit("The map is invented, as its file says: it shows what the program does and is no evidence of anything.")
	}
	if !a.Complete {
		limit("Not all planned games were played: the numbers are preliminary.")
	}
	if a.Missing > 0 {
		limit("%d %s of the board are not scored in the map; they are left out on both sides.", a.Missing, a.places())
	}
	tested := a.rows(Tested)
	var capped []string
	for _, r := range tested {
		if r.Capped > 0.05 {
			capped = append(capped, fmt.Sprintf("%s (%s)", r.Title, experiments.Percent(r.Capped)))
		}
		if r.Covered < 0.5 {
			limit("Of the predicted traffic of %s only %s lies on the %s that the map scores.", r.Title, experiments.Percent(r.Covered), a.places())
		}
	}
	if len(capped) > 0 {
		limit("More than 5 %% of the games were stopped by the length cap in %s; what their pieces did afterwards is not counted.", strings.Join(capped, ", "))
	}
	for _, c := range a.rows(Impossible) {
		if c.passes(a.Predictions, a.Plan.Null) {
			limit("The rules that cannot be right lie nearer than chance too, so being nearer than chance is weak evidence here; a ruleset is called compatible only if it is also nearer than those rules by more than chance.")
		}
	}
	for _, r := range tested {
		a.Sentences = append(a.Sentences, a.sentence(r, len(tested)))
	}
	for _, c := range a.rows(Impossible) {
		a.Sentences = append(a.Sentences, fmt.Sprintf("Control that cannot be right (%s): it lies %.3f from the map, even traffic %.3f.", c.Ruleset, c.Distance.Estimate, even(a.Predictions)))
	}
	a.Sentences = append(a.Sentences, fmt.Sprintf("Control of shuffled wear: of %d maps with the same weights in any order, some ruleset was called nearer than chance in %s (the test allows 5 %%; %g %% interval %s to %s).",
		a.Shuffled.Maps, experiments.Percent(a.Shuffled.Any.Estimate), 100*level, experiments.Percent(a.Shuffled.Any.Low), experiments.Percent(a.Shuffled.Any.High)))
	a.Sentences = append(a.Sentences, "Compatible means nearer than chance, under this agent and these games; other rules, games that nobody has described, and causes of wear other than play may fit as well or better.")
}

func (a *Analysis) sentence(r *Row, family int) string {
	t := r.Test(a.Plan.Null)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", r.Title, r.Agent, r.Verdict)
	switch r.Verdict {
	case Open:
		if len(r.AsNear) > 0 && r.Adjusted < alpha {
			b.WriteString(" from a control that lies as near: " + strings.Join(r.AsNear, "; "))
		} else {
			b.WriteString(" from shuffled wear")
		}
	}
	fmt.Fprintf(&b, ". Its traffic lies %.3f from the map [%.3f, %.3f]; of %s half lie nearer than %.3f and one in twenty nearer than %.3f (p = %s, after Holm over %s %s).",
		r.Distance.Estimate, r.Distance.Low, r.Distance.High, a.Plan.Null.words(), t.Median, t.Low, pValue(t.P), experiments.Plural(family, "ruleset"), pValue(r.Adjusted))
	if r.Verdict == Compatible {
		near := (*Row)(nil)
		for _, c := range append(a.rows(Impossible), a.rows(NoGame)...) {
			if near == nil || c.Distance.Estimate < near.Distance.Estimate {
				near = c
			}
		}
		fmt.Fprintf(&b, " The nearest control without these rules, %s, lies at %.3f.", near.Title, near.Distance.Estimate)
	}
	if r.ThanRandom != nil {
		switch x := *r.ThanRandom; {
		case *r.ThanRandomP >= alpha:
			fmt.Fprintf(&b, " Random play by the same rules cannot be told apart from it by this map (%+.4f, p = %s).", -x, pValue(*r.ThanRandomP))
		case x < 0:
			fmt.Fprintf(&b, " Random play by the same rules lies farther away (%+.4f, p = %s).", -x, pValue(*r.ThanRandomP))
		default:
			fmt.Fprintf(&b, " Random play by the same rules lies nearer (%+.4f, p = %s).", -x, pValue(*r.ThanRandomP))
		}
	}
	return b.String()
}

func pValue(p float64) string { return fmt.Sprintf("%.3f", p) }
