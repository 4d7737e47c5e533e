package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/metrics"
	"latro/experiments/stats"
)

// Bounds of the part on measures, so that it stays short whatever the design's size;
// metrics.csv has all.
const (
	mostTables = 8 // tables of rulesets that are not folded away
	mostCurves = 6
	mostOdds   = 14
	mostAgents = 6
)

// measures shows the core measures in one compact table a ruleset, and three figures:
// the pieces left, what rules and pieces go along with, and the slope of skill.
func measures(id string, a *experiments.Analysis, self []*experiments.CellResult) []Block {
	var out []Block
	var names []string
	of := map[string][]*experiments.CellResult{}
	measured := false
	for _, c := range self {
		if of[c.Name] == nil {
			names = append(names, c.Name)
		}
		of[c.Name] = append(of[c.Name], c)
		measured = measured || c.Metrics != nil
	}
	if !measured {
		return nil
	}
	out = append(out, Text("What each measure is, with its formula and how it may mislead, stands in docs/metrics.md. Numbers in brackets are %g %% intervals, from how start pairs differ. Games stopped by the cap are left out wherever a measure needs a whole game.", 100*a.Design.Level))
	var tables []Block
	for _, name := range names {
		tables = append(tables, measureTables(a, of[name])...)
	}
	const file = "metrics.csv"
	if len(tables) > mostTables {
		out = append(out, foldedIn(file, "The measures, ruleset by ruleset", tables...))
	} else {
		out = append(out, onScreen("The measures, ruleset by ruleset", file, tables...))
	}
	if b := restrictedTable(a); b != nil {
		out = append(out, b)
	}
	var chosen []*experiments.CellResult
	for _, name := range names {
		chosen = append(chosen, shownOf(a, of[name]))
	}
	if b := attritionCurves(id, chosen); b != nil {
		out = append(out, b)
	}
	if b := oddsFigure(id, chosen); b != nil {
		out = append(out, b)
	}
	if b := slopeFigure(id, a); b != nil {
		out = append(out, b)
	}
	if lines := notMeasured(a, self); len(lines) > 0 {
		out = append(out, foldedIn("results.json", "What was not measured, and why", List(lines)))
	}
	return out
}

// shownOf is the cell that figures show of a ruleset: that of the last agent in the order
// of kinds (a trained one comes last) and budgets.
func shownOf(a *experiments.Analysis, cells []*experiments.CellResult) *experiments.CellResult {
	for _, s := range a.Strength {
		if s.Ruleset != cells[0].Name {
			continue
		}
		for i := len(s.Points) - 1; i >= 0; i-- {
			for _, c := range cells {
				if c.Agent == s.Points[i].Agent && experiments.RestrictedBy(c.SpecA) == "" {
					return c
				}
			}
		}
	}
	return cells[len(cells)-1]
}

// amount writes a measure in its unit.
func amount(v *metrics.Value) string {
	iv := v.Interval
	switch v.Unit {
	case "share":
		return short(iv)
	case "odds":
		return "×" + around(iv, 2)
	case "points":
		return interval(iv, "points", true)
	case "plies":
		return around(iv, 1)
	}
	return around(iv, 2)
}

func measureTables(a *experiments.Analysis, cells []*experiments.CellResult) []Block {
	var out []Block
	parts(cells, mostAgents, func(cells []*experiments.CellResult, _, part string) {
		t := Table{Caption: "Measures of " + cells[0].Title + part, Words: 1, Head: []string{"measure"}}
		for _, c := range cells {
			t.Head = append(t.Head, c.A)
		}
		row := func(title string, of func(c *experiments.CellResult) string) {
			line := []string{title}
			some := false
			for _, c := range cells {
				x := of(c)
				some = some || x != ""
				line = append(line, orElse(x, "not measured"))
			}
			if some {
				t.Rows = append(t.Rows, line)
			}
		}
		row("first player's score", func(c *experiments.CellResult) string { return short(c.Score) })
		row("the same if capped games were lost, or won", func(c *experiments.CellResult) string {
			if c.Tally.Capped == 0 {
				return "no capped games"
			}
			return fmt.Sprintf("%.1f to %.1f %%", 100*c.ScoreLow.Estimate, 100*c.ScoreHigh.Estimate)
		})
		row("games with a winner", func(c *experiments.CellResult) string {
			return short(stats.Wilson(c.Tally.Win+c.Tally.Loss, c.Games, a.Design.Level))
		})
		row("of these won by the first player", func(c *experiments.CellResult) string { return short(c.Decisive) })
		row("draws", func(c *experiments.CellResult) string { return short(c.Shares.Draw) })
		row("stopped by the cap", func(c *experiments.CellResult) string { return short(c.Shares.Capped) })
		row("plies, counted up to the cap", func(c *experiments.CellResult) string { return around(c.Length.Restricted, 0) })
		var order []string
		titles := map[string]string{}
		for _, c := range cells {
			if c.Metrics == nil {
				continue
			}
			at := 0
			for _, v := range c.Metrics.Values {
				if v.Metric == "choice-share" || v.Metric == "comeback-share-fitted" || v.Metric == "comeback-share-search" {
					// metrics.csv has them; the table is to stay short.
					continue
				}
				title := v.Title + byWhom(v.Metric)
				if k := slices.Index(order, v.Metric); k >= 0 {
					at = k + 1
					continue
				}
				order = slices.Insert(order, at, v.Metric)
				titles[v.Metric] = title
				at++
			}
		}
		for _, m := range order {
			row(titles[m], func(c *experiments.CellResult) string {
				if v := c.Metrics.Value(m); v != nil {
					return amount(v)
				}
				return ""
			})
		}
		out = append(out, t)
	})
	return out
}

// byWhom says who judged the positions of a measure.
func byWhom(metric string) string {
	for _, x := range [][2]string{{"-material", " (by material)"}, {"-fitted", " (by alpha-beta's evaluation)"}, {"-search", " (by the players' own search)"}} {
		if strings.HasSuffix(metric, x[0]) {
			return x[1]
		}
	}
	return ""
}

// restrictedTable shows every match against an agent that may not use a rule.
func restrictedTable(a *experiments.Analysis) Block {
	t := Table{Caption: "Restricted play: an agent against itself without a rule", Words: 3,
		Head: []string{"ruleset", "agent", "without", "points lost", "the same if all capped games were won, or lost, by the restricted player", "capped", "forced to use it, a game", "passed it over, a game"}}
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.SelfPlay || c.Metrics == nil {
			continue
		}
		free, rule := c.A, experiments.RestrictedBy(c.SpecB)
		if rule == "" {
			free, rule = c.B, experiments.RestrictedBy(c.SpecA)
		}
		v := c.Metrics.Value("restricted-loss-" + rule)
		if v == nil {
			continue
		}
		bounds := "no capped games"
		if low, high := c.Metrics.Value(v.Metric+"-capped-lost"), c.Metrics.Value(v.Metric+"-capped-won"); low != nil && high != nil {
			bounds = minus(fmt.Sprintf("%+.1f to %+.1f points", 100*low.Interval.Estimate, 100*high.Interval.Estimate))
		}
		var forced, passed []string
		for _, one := range strings.Split(rule, "+") {
			for _, x := range []struct {
				metric string
				to     *[]string
			}{{"restricted-forced-" + one, &forced}, {"restricted-passed-" + one, &passed}} {
				if v := c.Metrics.Value(x.metric); v != nil {
					*x.to = append(*x.to, fmt.Sprintf("%.1f", v.Interval.Estimate))
				}
			}
		}
		lost := amount(v)
		if !c.Tally.AllowsClaim() || c.Duplicates {
			lost += ", no claim"
		}
		t.Rows = append(t.Rows, []string{c.Title, free, metrics.RuleTitle(rule), lost, bounds, short(c.Shares.Capped), strings.Join(forced, ", "), strings.Join(passed, ", ")})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func attritionCurves(id string, cells []*experiments.CellResult) Block {
	var series []figure.Series
	t := Table{Caption: "Share of the pieces still in play", Words: 2, Head: []string{"ruleset", "agent", "at 25 %", "at 50 %", "at 75 %", "at the end", "finished games"}}
	var say []string
	left := 0
	for _, c := range cells {
		if c.Metrics == nil || len(c.Metrics.Attrition) == 0 {
			continue
		}
		l, sub := label(c)
		line := []string{l, sub}
		for _, at := range []string{"25", "50", "75", "100"} {
			line = append(line, amount(c.Metrics.Value("attrition-"+at)))
		}
		t.Rows = append(t.Rows, append(line, fmt.Sprint(c.Metrics.Value("attrition-50").Games)))
		if len(series) == mostCurves {
			left++
			continue
		}
		s := figure.Series{Name: l + ", " + sub}
		for _, p := range c.Metrics.Attrition {
			s.Points = append(s.Points, figure.Point{X: p.Played, Y: p.Left.Estimate, Low: p.Left.Low, High: p.Left.High})
		}
		series = append(series, s)
		if len(say) < 3 {
			say = append(say, fmt.Sprintf("In %s under %s, %s of the pieces were still in play when half of a game's plies had been played.", l, sub, line[3]))
		}
	}
	if len(series) == 0 {
		return nil
	}
	if left > 0 {
		say = append(say, fmt.Sprintf("Rulesets that the table alone shows: %d.", left))
	}
	say = append(say, "Each ruleset is shown under one agent, the last in the order of kinds and budgets (the table of measures has all); bands are pointwise intervals; capped games, whose length nobody knows, are left out.")
	return picture("metrics.csv, results.json", figure.Curves(id+"-attrition", "How pieces leave the game", series, figure.Axes{X: "share of the game's plies played", Y: "share of the pieces in play", YMin: 0, YMax: 1, XMin: 0, XMax: 1, XFormat: percent, YFormat: percent}, nil), say, t)
}

// oddsFigure shows what one piece more, and one use more of a special rule, goes along
// with.
func oddsFigure(id string, cells []*experiments.CellResult) Block {
	var rows []figure.ForestRow
	t := Table{Caption: "Odds of a better result for the player with more", Words: 3, Head: []string{"ruleset", "agent", "more", "odds", "worth in men", "games"}}
	var say []string
	reach := math.Log(2)
	left := 0
	for _, c := range cells {
		if c.Metrics == nil {
			continue
		}
		l, sub := label(c)
		for _, v := range c.Metrics.Values {
			if v.Unit != "odds" {
				continue
			}
			name, worth := "", ""
			if kind, ok := strings.CutPrefix(v.Metric, "odds-"); ok {
				name = map[string]string{"man": "one man", "leader": "one leader", "bound": "one bound man"}[kind]
				worth = "1"
				if kind != "man" {
					worth = "not measured"
					if w := c.Metrics.Value("piece-value-" + kind); w != nil {
						worth = amount(w)
					}
				}
			} else {
				name = metrics.UseTitle(strings.TrimPrefix(v.Metric, "value-"))
			}
			t.Rows = append(t.Rows, []string{l, sub, name, amount(&v), worth, fmt.Sprint(v.Games)})
			if len(rows) == mostOdds {
				left++
				continue
			}
			iv := v.Interval
			row := figure.ForestRow{Group: l + ", " + sub, Label: name, Estimate: math.Log(iv.Estimate), Low: math.Log(iv.Low), High: math.Log(iv.High), Text: amount(&v), Muted: c.Duplicates}
			rows = append(rows, row)
			for _, x := range []float64{row.Estimate, row.Low, row.High} {
				if !math.IsInf(x, 0) {
					reach = math.Max(reach, math.Abs(x))
				}
			}
			if len(say) < 3 {
				say = append(say, fmt.Sprintf("In %s under %s, %s more went along with odds of a better result multiplied by %s.", l, sub, name, around(iv, 2)))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if left > 0 {
		say = append(say, fmt.Sprintf("Lines that the table alone shows: %d.", left))
	}
	say = append(say, "Going along with is not bringing about: who stands better also hops and takes more. Uses are those in the first half of a game; what a rule is worth by itself shows restricted play.")
	return picture("metrics.csv", figure.Forest(id+"-worth", "What pieces and special rules go along with, each ruleset under one agent", rows, figure.ForestAxis{
		Ref: 0, Min: -math.Log(2), Max: math.Log(2), Ticks: oddsTicks(reach), Format: func(v float64) string { return fmt.Sprintf("%.2g", math.Exp(v)) },
		Less: "worse for who has more", More: "better for who has more"}), say, t)
}

// slopeFigure shows what doubling the budget is worth.
func slopeFigure(id string, a *experiments.Analysis) Block {
	var rows []figure.ForestRow
	t := Table{Caption: "Elo for a doubling of the simulations", Words: 3, Head: []string{"ruleset", "stronger", "weaker", "Elo for a doubling", "pairs"}}
	var say []string
	most := 100.0
	left := 0
	for _, s := range a.Strength {
		for _, x := range s.Slopes {
			iv := x.EloPerDoubling
			text := eloWords(iv)
			claim := claimOf(a, s.Ruleset, x.High, x.Low)
			if !claim {
				text += ", no claim"
			}
			t.Rows = append(t.Rows, []string{s.Title, x.High, x.Low, text, fmt.Sprint(iv.N)})
			if len(rows) == mostOdds {
				left++
				continue
			}
			rows = append(rows, figure.ForestRow{Group: s.Title, Label: x.High, Sub: "against " + x.Low, Estimate: iv.Estimate, Low: iv.Low, High: iv.High, Text: text, Muted: !claim})
			for _, v := range []float64{iv.Estimate, iv.Low, iv.High} {
				if !math.IsInf(v, 0) && !math.IsNaN(v) {
					most = math.Max(most, math.Abs(v))
				}
			}
			if len(say) < 3 {
				say = append(say, fmt.Sprintf("In %s a doubling of the simulations between %s and %s was worth %s.", s.Title, x.Low, x.High, text))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if left > 0 {
		say = append(say, fmt.Sprintf("Lines that the table alone shows: %d.", left))
	}
	say = append(say, "The more a doubling is worth, the more there is left to be found by looking further. Elo of different rulesets are not to be compared with each other where shares of draws differ.")
	return picture("metrics.csv", figure.Forest(id+"-slope", "The slope of skill", rows, figure.ForestAxis{Ref: 0, Min: 0, Max: most, Format: signed("Elo"), Less: "more search is worse", More: "more search is better"}), say, t)
}

// claimOf says whether the match of two agents, in all its training seeds, allows a
// claim: neither too many capped games nor too many copies.
func claimOf(a *experiments.Analysis, ruleset, high, low string) bool {
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.Name != ruleset || c.SelfPlay {
			continue
		}
		x, y := c.A, c.B
		if c.TrainingSeed > 0 {
			seed := fmt.Sprintf(" #%d", c.TrainingSeed)
			x, y = strings.TrimSuffix(x, seed), strings.TrimSuffix(y, seed)
		}
		if (x == high && y == low || x == low && y == high) && !c.ClaimAllowed {
			return false
		}
	}
	return true
}

// eloWords writes a difference of ratings; one that has no end is "at least".
func eloWords(iv stats.Interval) string {
	switch {
	case math.IsNaN(iv.Estimate):
		return "not measured"
	case math.IsInf(iv.Estimate, 1):
		return minus(fmt.Sprintf("at least %.0f Elo [%g %% bound]", iv.Low, 100*iv.Level))
	case math.IsInf(iv.Estimate, -1):
		return minus(fmt.Sprintf("at most %.0f Elo [%g %% bound]", iv.High, 100*iv.Level))
	case math.IsInf(iv.Low, 0) || math.IsInf(iv.High, 0):
		return minus(fmt.Sprintf("%+.0f Elo [open interval]", iv.Estimate))
	}
	return minus(fmt.Sprintf("%+.0f Elo [%+.0f, %+.0f]", iv.Estimate, iv.Low, iv.High))
}

// notMeasured lists what was not measured, each reason once with where it holds.
func notMeasured(a *experiments.Analysis, self []*experiments.CellResult) []string {
	type gap struct{ title, reason string }
	var order []gap
	where := map[gap][]string{}
	note := func(g gap, at string) {
		if where[g] == nil {
			order = append(order, g)
		}
		if !slices.Contains(where[g], at) {
			where[g] = append(where[g], at)
		}
	}
	title := titles(a)
	for _, u := range a.Unmeasured {
		note(gap{u.Title, u.Reason}, title[u.Ruleset])
	}
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.Metrics == nil || !c.SelfPlay && len(c.Metrics.Missing) == 0 {
			continue
		}
		l, sub := label(c)
		for _, m := range c.Metrics.Missing {
			if strings.HasPrefix(m.Reason, "the ruleset has no such") || strings.HasPrefix(m.Reason, "the ruleset begins") {
				// What a ruleset does not have nobody misses.
				continue
			}
			note(gap{m.Title, m.Reason}, l+" ("+sub+")")
		}
	}
	cells := len(self)
	var lines []string
	for _, g := range order {
		at := where[g]
		place := ""
		switch {
		case len(at) == cells && cells > 1:
			place = " everywhere"
		case len(at) > 4:
			place = fmt.Sprintf(" in %s and %d more", strings.Join(at[:3], ", "), len(at)-3)
		default:
			place = " in " + strings.Join(at, ", ")
		}
		lines = append(lines, fmt.Sprintf("%s%s: %s.", capital(g.title), place, g.reason))
	}
	return lines
}

func hasMeasures(a *experiments.Analysis) bool {
	return slices.ContainsFunc(a.Cells, func(c experiments.CellResult) bool { return c.Metrics != nil })
}
