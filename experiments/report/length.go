package report

import (
	"fmt"
	"math"
	"slices"

	"latro/experiments"
	"latro/experiments/figure"
)

// lengths shows how long games last and how they had ended by each length.
func lengths(id string, d experiments.Design, all []*experiments.CellResult) []Block {
	var out []Block
	parts(all, most, func(cells []*experiments.CellResult, n, part string) {
		out = append(out, boxes(id, d, cells, severalAgents(all), n, part))
	})
	out = append(out, survivals(id, d, all)...)
	var known []*experiments.CellResult
	for _, c := range all {
		if len(c.Length.Incidence) > 0 {
			known = append(known, c)
		}
	}
	parts(known, most, func(cells []*experiments.CellResult, n, part string) {
		out = append(out, incidence(id, d, cells, n, part))
	})
	return out
}

func boxes(id string, d experiments.Design, cells []*experiments.CellResult, several bool, n, part string) Block {
	var rows []figure.BoxRow
	t := Table{Caption: "Plies from the start", Words: 2,
		Head: []string{"ruleset", "agent", "mean up to the cap", "mean of finished games", "10 %", "25 %", "median", "75 %", "90 %", "capped"}}
	num := func(p *float64) string {
		if p == nil {
			return "beyond the cap"
		}
		return fmt.Sprintf("%.0f", *p)
	}
	val := func(p *float64) float64 {
		if p == nil {
			return math.NaN()
		}
		return *p
	}
	var say []string
	for _, c := range cells {
		l, sub := label(c)
		fin := "–"
		if c.Length.Finished != nil {
			fin = fmt.Sprintf("%.1f", *c.Length.Finished)
		}
		rm := c.Length.Restricted
		t.Rows = append(t.Rows, []string{l, sub, fmt.Sprintf("%.1f [%.1f, %.1f]", rm.Estimate, rm.Low, rm.High), fin,
			num(c.Length.Q10), num(c.Length.Q25), num(c.Length.Median), num(c.Length.Q75), num(c.Length.Q90), short(c.Shares.Capped)})
		med := "median " + num(c.Length.Median)
		if c.Length.Median == nil {
			med = fmt.Sprintf("median > %d", d.Cap)
		}
		group, name, detail := rowLabel(c, several)
		rows = append(rows, figure.BoxRow{Group: group, Label: name, Sub: detail, Text: med,
			Q: [5]float64{val(c.Length.Q10), val(c.Length.Q25), val(c.Length.Median), val(c.Length.Q75), val(c.Length.Q90)}})
		if len(say) < 4 {
			say = append(say, fmt.Sprintf("%s (%s): a game lasted %.0f plies on average, counted up to the cap [%.0f, %.0f].", l, sub, rm.Estimate, rm.Low, rm.High))
		}
	}
	say = append(say, "Boxes are the middle half of the games, thick lines the median, whiskers reach from the shortest to the longest tenth; what lies beyond the cap is open.")
	return Picture{Figure: figure.Boxes(id+"-lengths"+n, "Lengths of games"+part, "plies from the start", rows, float64(d.Cap)), Sentences: say, Data: t, Where: "metrics.csv, results.json", Whole: len(rows) > 6}
}

// survivals shows the share of games still running: one plot where there are few cells,
// else small plots, one an agent with the rulesets as lines, or one a ruleset with the agents
// as lines where there are too many rulesets for that.
func survivals(id string, d experiments.Design, all []*experiments.CellResult) []Block {
	const together, lines, plots = 3, 4, 9
	if len(all) <= together {
		return []Block{survival(id, d, []survivalGroup{{cells: all}}, "", "")}
	}
	var rulesets, agents []string
	for _, c := range all {
		l, sub := label(c)
		if !slices.Contains(rulesets, l) {
			rulesets = append(rulesets, l)
		}
		if !slices.Contains(agents, sub) {
			agents = append(agents, sub)
		}
	}
	byAgent := len(rulesets) <= lines || len(agents) == 1
	heads := rulesets
	if byAgent {
		heads = agents
	}
	var groups []survivalGroup
	for _, h := range heads {
		var cells []*experiments.CellResult
		for _, c := range all {
			if l, sub := label(c); byAgent && sub == h || !byAgent && l == h {
				cells = append(cells, c)
			}
		}
		parts(cells, max(lines, 6), func(cells []*experiments.CellResult, _, part string) {
			groups = append(groups, survivalGroup{h + part, cells, byAgent})
		})
	}
	var out []Block
	parts(groups, plots, func(gs []survivalGroup, n, part string) {
		out = append(out, survival(id, d, gs, n, part))
	})
	return out
}

// survivalGroup are the curves of one plot; byAgent says that they have the agent in common
// and not the ruleset.
type survivalGroup struct {
	head    string
	cells   []*experiments.CellResult
	byAgent bool
}

// thin is the number of points of a curve that its table lists.
const thin = 12

func survival(id string, d experiments.Design, groups []survivalGroup, n, part string) Block {
	t := Table{Caption: fmt.Sprintf("Share of games still running (up to %d points of each curve)", thin), Words: 2, Head: []string{"ruleset", "agent", "after plies", "share", "low", "high"}}
	var say []string
	var plots []figure.Multiple
	cells := 0
	for _, g := range groups {
		m := figure.Multiple{Label: g.head}
		for _, c := range g.cells {
			l, sub := label(c)
			rm := c.Length.Restricted
			name := l + ", " + sub
			switch {
			case g.head == "":
			case g.byAgent:
				name = l
			default:
				name = sub
			}
			s := figure.Series{Name: name, Mean: &figure.Span{Estimate: rm.Estimate, Low: rm.Low, High: rm.High}}
			step := max(1, (len(c.Length.Curve)+thin-1)/thin)
			for i, q := range c.Length.Curve {
				s.Points = append(s.Points, figure.Point{X: q.Plies, Y: q.S, Low: q.Low, High: q.High})
				if i%step == 0 || i == len(c.Length.Curve)-1 {
					t.Rows = append(t.Rows, []string{l, sub, fmt.Sprintf("%.0f", q.Plies), experiments.Percent(q.S), experiments.Percent(q.Low), experiments.Percent(q.High)})
				}
			}
			m.Series = append(m.Series, s)
			cells++
			if len(say) < 3 {
				say = append(say, fmt.Sprintf("%s (%s): mean up to the cap %.0f plies [%.0f, %.0f], %s capped.", l, sub, rm.Estimate, rm.Low, rm.High, short(c.Shares.Capped)))
			}
		}
		plots = append(plots, m)
	}
	if cells > len(say) {
		say = append(say, "The table of lengths has the others.")
	}
	say = append(say, fmt.Sprintf("Bands are pointwise %g %% intervals; a curve that reaches the dashed line above zero had games stopped by the cap.", 100*d.Level))
	title := "Share of games still running" + part
	f := figure.SurvivalMultiples(id+"-survival"+n, title, plots, float64(d.Cap))
	if len(plots) == 1 {
		f = figure.Survival(id+"-survival"+n, title, plots[0].Series, float64(d.Cap))
	}
	return Picture{Figure: f, Sentences: say, Data: t, Where: "results.json", Whole: len(plots) > 1}
}

// drawn is about the number of steps of an incidence curve that are drawn.
const drawn = 80

func incidence(id string, d experiments.Design, cells []*experiments.CellResult, n, part string) Block {
	var rows []figure.IncidenceRow
	t := Table{Caption: "Share of games that had ended in each way by the cap", Words: 2, Head: append([]string{"ruleset", "agent"}, outcomeNames[:]...)}
	by := Table{Caption: "Share of games that had ended, by plies played", Words: 2, Head: []string{"ruleset", "agent", "by plies", outcomeNames[0], outcomeNames[1], outcomeNames[2]}}
	var say []string
	for _, c := range cells {
		l, sub := label(c)
		row := figure.IncidenceRow{Label: l, Sub: sub}
		var xs []float64
		cause := map[string][]experiments.CurvePoint{}
		for _, k := range c.Length.Incidence {
			cause[k.Name] = k.Points
			if k.Name == outcomeNames[3] {
				continue
			}
			for _, p := range k.Points {
				xs = append(xs, p.Plies)
			}
		}
		slices.Sort(xs)
		xs = slices.Compact(xs)
		at := func(name string, x float64) (v float64) {
			for _, p := range cause[name] {
				if p.Plies > x {
					break
				}
				v = p.S
			}
			return v
		}
		step := max(1, (len(xs)+9)/10)
		for i, x := range xs {
			if i%max(1, len(xs)/drawn) != 0 && i != len(xs)-1 && i%step != 0 {
				continue
			}
			p := figure.IncidencePoint{X: x, Win: at(outcomeNames[0], x), Draw: at(outcomeNames[1], x), Loss: at(outcomeNames[2], x)}
			row.Points = append(row.Points, p)
			if i%step == 0 || i == len(xs)-1 {
				by.Rows = append(by.Rows, []string{l, sub, fmt.Sprintf("%.0f", x), experiments.Percent(p.Win), experiments.Percent(p.Draw), experiments.Percent(p.Loss)})
			}
		}
		rows = append(rows, row)
		line := []string{l, sub}
		for _, name := range outcomeNames {
			cell := "0.0 %"
			if k := len(cause[name]); k > 0 {
				q := cause[name][k-1]
				cell = fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*q.S, 100*q.Low, 100*q.High)
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
		if len(say) < 3 {
			say = append(say, fmt.Sprintf("%s (%s): by the cap of %d plies the first player had won %s, the second %s, and %s had ended in a draw.", l, sub, d.Cap, line[2], line[4], line[3]))
		}
	}
	say = append(say, "At each length the areas are the games that had ended so by then; wins, draws and the cap compete, so that a rule may raise one only by taking from another.")
	return Picture{Figure: figure.Incidence(id+"-incidence"+n, "How games had ended, by their length"+part, rows, outcomeNames, float64(d.Cap)), Sentences: say, Data: t, More: []Table{by}, Where: "results.json", Whole: len(rows) > 2}
}
