package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/stats"
)

// arm is an agent's place on the axis of strength.
type arm struct {
	kind   string
	budget int
}

var armKinds = []string{"random", "greedy", "alphabeta", "uct", "trained"}

func kindName(kind string) string {
	switch kind {
	case "uct":
		return "UCT"
	case "alphabeta":
		return "alpha-beta"
	}
	return kind
}

// armAxis places the agents of all rulesets on one axis: those without a budget by
// themselves, the others by the logarithm of their budget, kind after kind.
func armAxis(all []experiments.Strength) (at map[arm]float64, ticks []float64, names map[float64]string) {
	var arms []arm
	for _, s := range all {
		for _, p := range s.Points {
			if x := (arm{p.Kind, p.Budget}); !slices.Contains(arms, x) {
				arms = append(arms, x)
			}
		}
	}
	order := func(x arm) int {
		if i := slices.Index(armKinds, x.kind); i >= 0 {
			return i
		}
		return len(armKinds)
	}
	sort.SliceStable(arms, func(i, j int) bool {
		x, y := arms[i], arms[j]
		if order(x) != order(y) {
			return order(x) < order(y)
		}
		if x.kind != y.kind {
			return x.kind < y.kind
		}
		return x.budget < y.budget
	})
	at, names = map[arm]float64{}, map[float64]string{}
	x := 0.0
	for i, r := range arms {
		name := kindName(r.kind)
		if r.budget > 0 {
			name += fmt.Sprintf(" %d", r.budget)
		}
		if i > 0 {
			last := arms[i-1]
			if last.kind == r.kind && last.budget > 0 {
				x += math.Log2(float64(r.budget) / float64(last.budget))
				name = fmt.Sprint(r.budget)
			} else {
				// Far enough that neither of two long names is left out.
				x += max(1.5, 0.4+0.065*float64(len(names[x])+len(name)))
			}
		}
		at[r] = x
		ticks = append(ticks, x)
		names[x] = name
	}
	return at, ticks, names
}

// budgets shows the score, the draws and the capped games over the strength of the
// agents, the checks of strength, and how stable the order of the rulesets is.
func budgets(id string, a *experiments.Analysis) []Block {
	var out []Block
	at, ticks, names := armAxis(a.Strength)
	var shown []experiments.Strength
	for _, s := range a.Strength {
		if len(s.Points) > 1 {
			shown = append(shown, s)
		}
	}
	parts(shown, 4, func(ss []experiments.Strength, n, part string) {
		out = append(out, budgetCurves(id, a, ss, n, part, at, ticks, names))
	})
	if b := controls(a); b != nil {
		out = append(out, b...)
	}
	if b := stability(id, a); b != nil {
		out = append(out, b)
	}
	return out
}

func budgetCurves(id string, a *experiments.Analysis, ss []experiments.Strength, n, part string, at map[arm]float64, ticks []float64, names map[float64]string) Block {
	d := a.Design
	margin := d.ScoreMargin()
	t := Table{Caption: "By strength of the agents", Words: 2, Head: []string{"ruleset", "agent", "budget", "first player's score", "draws", "capped", "decided", "training seeds"}}
	axes := figure.Axes{X: "agents, by kind and budget (simulations a ply, logarithmic)", YFormat: exactPercent, XTicks: ticks,
		XFormat: func(v float64) string { return names[v] }, XMin: -0.4, XMax: ticks[len(ticks)-1] + 0.4}
	panel := func(y string, low, high float64) figure.Panel {
		p := figure.Panel{Axes: axes}
		p.Axes.Y, p.Axes.YMin, p.Axes.YMax = y, low, high
		return p
	}
	panels := []figure.Panel{panel("first player's score", 0.5-2*margin, 0.5+2*margin), panel("share of draws", 0, 0.1), panel("share of capped games", 0, 0.1)}
	panels[0].Axes.Band = &[2]float64{0.5 - margin, 0.5 + margin}
	panels[0].Axes.RefY, panels[0].Axes.RefLabel = 0.5, "even"
	for _, s := range ss {
		series := map[string]*[3]figure.Series{}
		var kinds []string
		for _, p := range s.Points {
			x := at[arm{p.Kind, p.Budget}]
			if series[p.Kind] == nil {
				series[p.Kind] = &[3]figure.Series{{Name: s.Title}, {Name: s.Title}, {Name: s.Title}}
				kinds = append(kinds, p.Kind)
			}
			for i, iv := range []struct{ y, low, high float64 }{{p.Score.Estimate, p.Score.Low, p.Score.High}, {p.Draws.Estimate, p.Draws.Low, p.Draws.High}, {p.Capped.Estimate, p.Capped.Low, p.Capped.High}} {
				series[p.Kind][i].Points = append(series[p.Kind][i].Points, figure.Point{X: x, Y: iv.y, Low: math.Max(0, iv.low), High: math.Min(1, iv.high)})
			}
			seeds, budget := "", ""
			if p.Seeds > 0 {
				seeds = fmt.Sprint(p.Seeds)
			}
			if p.Budget > 0 {
				budget = fmt.Sprint(p.Budget)
			}
			t.Rows = append(t.Rows, []string{s.Title, p.Agent, budget, short(p.Score), short(p.Draws), short(p.Capped), short(p.Decisive), seeds})
		}
		for _, k := range kinds {
			for i := range panels {
				panels[i].Series = append(panels[i].Series, series[k][i])
			}
		}
	}
	var say []string
	for _, s := range ss {
		for _, x := range s.Trends {
			say = append(say, trendWords(s.Title, x))
		}
	}
	if len(say) == 0 {
		say = append(say, noTrend(ss))
	}
	const few = 4
	if len(say) > few {
		say = append(say[:few], "The table of the checks has the others.")
	}
	say = append(say, fmt.Sprintf("Bars are %g %% intervals; lines join agents of one kind; the shaded band is the margin around an even score. A rising share of draws does not tell how stronger players would fare.", 100*d.Level))
	return picture("metrics.csv, results.json", figure.Panels(id+"-budgets"+n, "Score, draws and capped games by strength of the agents"+part, panels, nil), say, t)
}

// trendWords says by how much the score moved from the weakest to the strongest budget of a kind of
// agent: the straight line through its budgets, on a logarithmic scale, and its interval.
func trendWords(title string, x experiments.BudgetTrend) string {
	if len(x.Budgets) < 2 {
		return fmt.Sprintf("%s: with each doubling of the budget of %s the first player's score moved by %s.", title, kindName(x.Kind), interval(x.Score, "points", true))
	}
	low, high := slices.Min(x.Budgets), slices.Max(x.Budgets)
	doublings := math.Log2(float64(high) / float64(low))
	all := x.Score
	all.Estimate, all.Low, all.High = doublings*all.Estimate, doublings*all.Low, doublings*all.High
	return fmt.Sprintf("%s: from %s %d to %d the first player's score moved by %s (a straight line through the budgets; %s with each doubling).",
		title, kindName(x.Kind), low, high, interval(all, "points", true), interval(x.Score, "points", true))
}

// noTrend says why nothing is said about how the score moves with strength.
func noTrend(ss []experiments.Strength) string {
	nodes := false
	for _, s := range ss {
		budgets := map[string]int{}
		for _, p := range s.Points {
			switch {
			case p.Budget == 0 || budgets[p.Kind] == 0 || budgets[p.Kind] == p.Budget:
			case p.Kind == "alphabeta":
				nodes = true
			default:
				return "There are too few games to say how the score moves with the budget."
			}
			budgets[p.Kind] = p.Budget
		}
	}
	text := "No kind of agent plays here with two numbers of simulations, and agents of different kinds differ in more than strength: so nothing is said about a trend of the score with strength."
	if nodes {
		text += " (A trend is not taken over the nodes of alpha-beta, which looks whole plies further or not.)"
	}
	return text
}

// controls lists the checks of strength of each ruleset.
func controls(a *experiments.Analysis) []Block {
	if len(a.Strength) == 0 || len(a.Strength[0].Controls) == 0 {
		return nil
	}
	t := Table{Caption: "Checks of what the strength of the agents may have done to the results", Words: 4, Head: []string{"ruleset", "check", "outcome", "detail"}}
	var open, settled []string
	for _, s := range a.Strength {
		failed, unmeasured := 0, 0
		for _, c := range s.Controls {
			word := "does not apply"
			switch {
			case c.NotMeasured:
				word = "not measured"
				unmeasured++
			case c.Passed == nil:
			case *c.Passed:
				word = "passed"
			default:
				word = "failed"
				failed++
			}
			t.Rows = append(t.Rows, []string{s.Title, c.Title, word, c.Detail})
		}
		if s.Provisional {
			var what []string
			if failed > 0 {
				what = append(what, experiments.Plural(failed, "check")+" failed")
			}
			if unmeasured > 0 {
				what = append(what, fmt.Sprintf("%d not measured", unmeasured))
			}
			open = append(open, fmt.Sprintf("%s (%s)", s.Title, strings.Join(what, ", ")))
		} else {
			settled = append(settled, s.Title)
		}
	}
	var out []Block
	if len(open) > 0 {
		out = append(out, Note("Provisional: "+strings.Join(open, "; ")+". Stronger agents may give another result."))
	}
	if len(settled) > 0 {
		out = append(out, Text("All checks of strength that apply were passed by: %s.", strings.Join(settled, "; ")))
	}
	return append(out, foldedIn("results.json", "The checks of strength, one by one", t))
}

// stability draws the order of the rulesets from budget to budget.
func stability(id string, a *experiments.Analysis) Block {
	if len(a.Stability) == 0 {
		return nil
	}
	// The kind with the most steps; others are in the table.
	steps := map[string]int{}
	kind := ""
	for _, x := range a.Stability {
		steps[x.Kind]++
		if kind == "" || steps[x.Kind] > steps[kind] {
			kind = x.Kind
		}
	}
	var columns []string
	var budgets []int
	var between []string
	t := Table{Caption: "Kendall's τ of the rulesets' order by " + metricTitle(a.Design.Metric), Words: 3, Head: []string{"agents", "from", "to", "τ", "rulesets"}}
	var say []string
	for _, x := range a.Stability {
		text := minus(fmt.Sprintf("%.2f [%.2f, %.2f]", x.Tau.Estimate, x.Tau.Low, x.Tau.High))
		t.Rows = append(t.Rows, []string{kindName(x.Kind), x.From, x.To, text, fmt.Sprint(x.Rulesets)})
		say = append(say, fmt.Sprintf("From %s to %s the rank correlation of %d rulesets is τ = %s.", x.From, x.To, x.Rulesets, text))
		if x.Kind != kind {
			continue
		}
		if len(columns) == 0 {
			columns, budgets = append(columns, x.From), append(budgets, x.FromBudget)
		}
		columns, budgets = append(columns, x.To), append(budgets, x.ToBudget)
		between = append(between, minus(fmt.Sprintf("τ = %.2f", x.Tau.Estimate)))
	}
	type item struct {
		title string
		score []float64
	}
	want := map[string]string{"net": "trained"}[kind]
	want = orElse(want, kind)
	var items []item
	for _, s := range a.Strength {
		it := item{s.Title, make([]float64, len(budgets))}
		found := false
		for i, b := range budgets {
			it.score[i] = math.NaN()
			for _, p := range s.Points {
				if p.Kind == want && p.Budget == b {
					it.score[i], found = p.Primary.Estimate, true
				}
			}
		}
		if found {
			items = append(items, it)
		}
	}
	ranks := Table{Caption: "Ranks by " + metricTitle(a.Design.Metric) + ", 1 the highest", Words: 1, Head: append([]string{"ruleset"}, columns...)}
	var rows []figure.RankRow
	for _, it := range items {
		row := figure.RankRow{Label: it.title}
		line := []string{it.title}
		for i, v := range it.score {
			r := math.NaN()
			if !math.IsNaN(v) {
				r = 1
				for _, o := range items {
					if o.score[i] > v || o.score[i] == v && o.title < it.title {
						r++
					}
				}
			}
			row.Rank = append(row.Rank, r)
			cell := "–"
			if !math.IsNaN(r) {
				cell = fmt.Sprintf("%.0f (%s)", r, experiments.Amount(v, metricUnit(a.Design.Metric), false))
			}
			line = append(line, cell)
		}
		rows = append(rows, row)
		ranks.Rows = append(ranks.Rows, line)
	}
	say = append(say, "A τ of 1 is the same order, 0 none in common; an order that changes between neighbours says that the differences are small or depend on strength.")
	p := picture("results.json", figure.Ranks(id+"-ranks", "The rulesets' order by "+metricTitle(a.Design.Metric)+", from budget to budget", columns, rows, between), say, t)
	p.More = []Table{ranks}
	return p
}

// rankings shows the rulesets in order, each estimate drawn towards the mean of
// all: under the last agent in the order of kinds and budgets, and folded under the others.
func rankings(id string, a *experiments.Analysis) []Block {
	var out, others []Block
	for i, r := range a.Ranking {
		last := !slices.ContainsFunc(a.Ranking[i+1:], func(x experiments.Ranking) bool { return x.Metric == r.Metric })
		parts(r.Items, most+4, func(items []experiments.RankingItem, n, part string) {
			if p := ranking(id, r, items, n, part); last {
				out = append(out, p)
			} else {
				others = append(others, p)
			}
		})
	}
	if len(others) > 0 {
		out = append(out, foldedIn("results.json", "The order under the other agents", others...))
	}
	return out
}

func ranking(id string, r experiments.Ranking, items []experiments.RankingItem, n, part string) Block {
	var rows []figure.ForestRow
	t := Table{Caption: "Rulesets in order of " + metricTitle(r.Metric), Words: 1,
		Head: []string{"ruleset", "as measured", "shrunk", "rank", "chance to be first", "chance to be last"}}
	text := func(iv stats.Interval) string {
		if r.Unit == "points" {
			return short(iv)
		}
		return around(iv, 1)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range items {
		raw := x.Raw.Estimate
		rows = append(rows, figure.ForestRow{Label: x.Title, Sub: "rank " + around(x.Rank, 0),
			Estimate: x.Shrunk.Estimate, Low: x.Shrunk.Low, High: x.Shrunk.High, Raw: &raw, Text: text(x.Shrunk)})
		t.Rows = append(t.Rows, []string{x.Title, text(x.Raw), text(x.Shrunk), around(x.Rank, 0), experiments.Percent(x.First), experiments.Percent(x.Last)})
		lo, hi = math.Min(lo, x.Shrunk.Low), math.Max(hi, x.Shrunk.High)
	}
	format := percent
	if r.Unit != "points" {
		format = func(v float64) string { return fmt.Sprintf("%.4g", v) }
	}
	first := items[0]
	say := []string{
		fmt.Sprintf("Under %s the highest is %s with %s; its rank may be anything from %.0f to %.0f.", r.Agent, first.Title, text(first.Shrunk), first.Rank.Low, first.Rank.High),
		fmt.Sprintf("Dots are estimates drawn towards the mean of all rulesets (%s), as far as chance explains their spread (%s of it is more than noise); crosses are what was measured. The extremes of many noisy numbers are too extreme, so ends of a list want fresh games before they are believed.", text(r.Mean), experiments.Percent(r.I2)),
	}
	if len(r.LeftOut) > 0 {
		say = append(say, "Without a rank, because too many games were stopped by the cap or are copies of each other: "+strings.Join(r.LeftOut, ", ")+".")
	}
	return picture("results.json", figure.Forest(id+"-ranking-"+anchor(r.Metric+"-"+r.Agent)+n, capital(metricTitle(r.Metric))+" of the rulesets in order, "+r.Agent+part, rows, figure.ForestAxis{
		Ref: r.Mean.Estimate, Min: lo, Max: hi, Format: format, Less: "below the mean of all", More: "above", RawLabel: "as measured"}), say, t)
}
