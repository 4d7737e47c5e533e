package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/stats"
)

var unsafeID = regexp.MustCompile(`[^a-z0-9]+`)

func anchor(s string) string {
	return strings.Trim(unsafeID.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

func interval(iv stats.Interval, unit string, signed bool) string {
	return experiments.Amount(iv.Estimate, unit, signed) + " [" + experiments.Amount(iv.Low, unit, signed) + ", " + experiments.Amount(iv.High, unit, signed) + "]"
}

// short writes an interval without repeating the unit: "52.3 % [49.1, 55.5]".
func short(iv stats.Interval) string {
	if math.IsNaN(iv.Estimate) {
		return "no data"
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Estimate, 100*iv.Low, 100*iv.High)
}

func label(c *experiments.CellResult) (string, string) {
	if c.SelfPlay {
		return c.Title, c.A
	}
	return c.Title, c.A + " against " + c.B
}

// Experiment shows one experiment in full: its question, plan, outcomes, scores,
// contrasts, lengths, special plies and traffic.
func Experiment(a *experiments.Analysis) Section {
	d := a.Design
	id := anchor(d.ID)
	s := Section{ID: "experiment-" + id, Title: orElse(d.Title, d.ID)}
	s.Blocks = append(s.Blocks, Text("Question: %s", strings.TrimSpace(d.Question)), plan(a))
	var self []*experiments.CellResult
	for i := range a.Cells {
		if a.Cells[i].SelfPlay && a.Cells[i].Pairs > 0 {
			self = append(self, &a.Cells[i])
		}
	}
	if len(self) > 0 {
		s.Blocks = append(s.Blocks, Heading("How games end"), outcomes(id, self), Heading("The first player's score"), scores(id, d, self))
	}
	if b := trends(id, a); b != nil {
		s.Blocks = append(s.Blocks, Heading("The score as the agents get stronger"), b)
	}
	if b := contrasts(id, a); b != nil {
		s.Blocks = append(s.Blocks, Heading("What the rules change"))
		s.Blocks = append(s.Blocks, b...)
	}
	if len(self) > 0 {
		s.Blocks = append(s.Blocks, Heading("How long games last"))
		s.Blocks = append(s.Blocks, lengths(id, d, self)...)
		s.Blocks = append(s.Blocks, Heading("Where pieces travel"))
		s.Blocks = append(s.Blocks, traffic(id, self)...)
		s.Blocks = append(s.Blocks, Heading("Captures, endings and special plies"), special(self), endings(self), copies(self))
	}
	return s
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

func plan(a *experiments.Analysis) Block {
	d := a.Design
	games := 0
	for _, c := range a.Cells {
		games += c.Games
	}
	return Text("Plan, fixed before the games: %d cells of %d pairs of games, %s; a game is stopped after %d plies and then counts as capped, never as a draw; "+
		"the primary measure is %s; an even score means within ±%g points of 50 %%; intervals at %g %%. %d games were played.",
		len(a.Cells), d.Pairs, d.StartWords(), d.Cap, metricTitle(d.Metric), 100*d.Margin, 100*d.Level, games)
}

func metricTitle(name string) string {
	for _, m := range experiments.Metrics() {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}

func outcomes(id string, cells []*experiments.CellResult) Block {
	names := [4]string{"first player wins", "draw", "second player wins", "capped"}
	var rows []figure.OutcomeRow
	t := Table{Caption: "Outcomes, with Wilson intervals", Words: 2,
		Head: []string{"ruleset", "agent", "games", names[0], names[1], names[2], names[3]}}
	var say []string
	for _, c := range cells {
		l, sub := label(c)
		rows = append(rows, figure.OutcomeRow{Label: l, Sub: sub, N: c.Games,
			Win: c.Shares.Win.Estimate, Draw: c.Shares.Draw.Estimate, Loss: c.Shares.Loss.Estimate, Capped: c.Shares.Capped.Estimate})
		t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Games), short(c.Shares.Win), short(c.Shares.Draw), short(c.Shares.Loss), short(c.Shares.Capped)})
		if len(say) < 4 {
			say = append(say, fmt.Sprintf("In %s (%s) the first player won %s of %d games, the second %s.", l, sub, interval(c.Shares.Win, "points", false), c.Games, interval(c.Shares.Loss, "points", false)))
		}
	}
	return Picture{figure.Outcomes(id+"-outcomes", "How the games ended", rows, names), say, t}
}

func scores(id string, d experiments.Design, cells []*experiments.CellResult) Block {
	var rows []figure.ForestRow
	t := Table{Caption: "First player's score", Words: 2,
		Head: []string{"ruleset", "agent", "pairs", "score (pairs, t)", "bootstrap BCa", "if capped games lost", "if capped games won", "within margin?", "share of decided games"}}
	lo, hi := 0.5-2*d.Margin, 0.5+2*d.Margin
	clear, even, open := 0, 0, 0
	for _, c := range cells {
		l, sub := label(c)
		row := figure.ForestRow{Label: l, Sub: sub, Estimate: c.Score.Estimate, Low: c.Score.Low, High: c.Score.High, Text: short(c.Score), Muted: !c.ClaimAllowed}
		if c.Tally.Capped > 0 {
			row.Outer = &[2]float64{c.ScoreLow.Low, c.ScoreHigh.High}
		}
		rows = append(rows, row)
		within := "not shown (" + experiments.PValue(c.Even.P) + ")"
		switch {
		case !c.ClaimAllowed:
			within = "no claim"
			open++
		case c.Even.Equivalent:
			within = "yes (" + experiments.PValue(c.Even.P) + ")"
			even++
		case c.Score.Excludes(0.5):
			clear++
		default:
			open++
		}
		t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Pairs), short(c.Score), short(c.ScoreBootstrap), short(c.ScoreLow), short(c.ScoreHigh), within, short(c.Decisive)})
	}
	say := []string{
		fmt.Sprintf("Dots are scores (win 1, draw ½), bars their %g %% intervals from pairs; the shaded band is the margin of ±%g points around 50 %%.", 100*d.Level, 100*d.Margin),
		fmt.Sprintf("Of %d results, %d differ from 50 %% beyond chance, %d are shown to lie within the margin, and %d are open or allow no claim.", len(cells), clear, even, open),
	}
	if slices.ContainsFunc(cells, func(c *experiments.CellResult) bool { return c.Tally.Capped > 0 }) {
		say = append(say, "Dashed lines reach to where the interval would end if every capped game were lost, or won; hollow grey marks carry no claim.")
	}
	f := figure.Forest(id+"-scores", "The first player's score", rows, figure.ForestAxis{
		Ref: 0.5, Band: &[2]float64{0.5 - d.Margin, 0.5 + d.Margin}, Min: lo, Max: hi, Format: percent,
		Less: "second player ahead", More: "first player ahead",
	})
	return Picture{f, say, t}
}

// trends draws the first player's score against the budget, on a logarithmic axis.
func trends(id string, a *experiments.Analysis) Block {
	if len(a.Trends) == 0 {
		return nil
	}
	title := map[string]string{}
	for _, c := range a.Cells {
		title[c.Name] = c.Title
	}
	var series []figure.Series
	var at []float64
	t := Table{Caption: "First player's score by budget", Words: 3, Head: []string{"ruleset", "kind", "agent", "simulations", "score"}}
	var say []string
	lo, hi := 0.5-2*a.Design.Margin, 0.5+2*a.Design.Margin
	for _, x := range a.Trends {
		s := figure.Series{Name: title[x.Ruleset] + ", " + x.Kind}
		for _, p := range x.Points {
			l := math.Log2(float64(p.Simulations))
			s.Points = append(s.Points, figure.Point{X: l, Y: p.Score.Estimate, Low: p.Score.Low, High: p.Score.High})
			if !slices.Contains(at, l) {
				at = append(at, l)
			}
			t.Rows = append(t.Rows, []string{title[x.Ruleset], x.Kind, p.Agent, fmt.Sprint(p.Simulations), short(p.Score)})
		}
		if len(series) < 6 {
			series = append(series, s)
		}
		word := "settled within the margin"
		if x.Provisional {
			word = "provisional"
		}
		say = append(say, fmt.Sprintf("%s (%s): %s from the smallest to the largest budget, %s.", title[x.Ruleset], x.Kind, interval(x.Change, "points", true), word))
	}
	slices.Sort(at)
	return Picture{figure.Curves(id+"-strength-curve", "The first player's score against the agents' budget", series, figure.Axes{
		X: "simulations a ply (logarithmic)", Y: "first player's score", YMin: lo, YMax: hi, YFormat: percent, XTicks: at,
		XFormat: func(v float64) string { return fmt.Sprintf("%.0f", math.Exp2(v)) }, RefY: 0.5, RefLabel: "even",
	}, nil), say, t}
}

func contrasts(id string, a *experiments.Analysis) []Block {
	if len(a.Contrasts) == 0 {
		return nil
	}
	units := []string{}
	for _, k := range a.Contrasts {
		if !slices.Contains(units, k.Metric) {
			units = append(units, k.Metric)
		}
	}
	title := map[string]string{}
	for _, c := range a.Cells {
		title[c.Name] = c.Title
	}
	var out []Block
	for _, metric := range units {
		var rows []figure.ForestRow
		t := Table{Caption: "Differences in " + metricTitle(metric), Words: 3,
			Head: []string{"ruleset A", "ruleset B", "agent", "A", "B", "difference A − B", "p", "p (permutation)", "p (Holm)", "pairs"}}
		var unit string
		var say []string
		for _, k := range a.Contrasts {
			if k.Metric != metric {
				continue
			}
			unit = k.Unit
			rows = append(rows, figure.ForestRow{
				Label: title[k.A], Sub: "minus " + title[k.B] + ", " + k.Agent, Estimate: k.Difference.Estimate, Low: k.Difference.Low, High: k.Difference.High,
				Text: compact(k.Difference, k.Unit), Muted: !k.ClaimAllowed,
			})
			t.Rows = append(t.Rows, []string{title[k.A], title[k.B], k.Agent, experiments.Amount(k.MeanA, k.Unit, false), experiments.Amount(k.MeanB, k.Unit, false),
				interval(k.Difference, k.Unit, true), experiments.PValue(k.P), experiments.PValue(k.Permutation), experiments.PValue(k.Adjusted), fmt.Sprint(k.Difference.N)})
			if len(say) < 3 {
				say = append(say, fmt.Sprintf("%s minus %s under %s: %s, %s after Holm.", title[k.A], title[k.B], k.Agent, interval(k.Difference, k.Unit, true), experiments.PValue(k.Adjusted)))
			}
		}
		scale := 0.02
		if unit == "plies" {
			scale = 2
		}
		if unit == "pieces" {
			scale = 0.5
		}
		f := figure.Forest(id+"-contrast-"+metric, "Differences in "+metricTitle(metric), rows, figure.ForestAxis{
			Ref: 0, Min: -scale, Max: scale,
			Format: func(v float64) string {
				if unit == "points" {
					v *= 100
				}
				if math.Abs(v) < 1e-9 {
					return "0"
				}
				return strings.Replace(fmt.Sprintf("%+.4g", v), "-", "−", 1)
			},
			Less: "less", More: "more",
		})
		out = append(out, Picture{f, say, t})
	}
	return out
}

func compact(iv stats.Interval, unit string) string {
	k, f := 1.0, "%+.1f [%+.1f, %+.1f]"
	if unit == "points" {
		k = 100
	}
	return strings.ReplaceAll(fmt.Sprintf(f, k*iv.Estimate, k*iv.Low, k*iv.High), "-", "−")
}

func lengths(id string, d experiments.Design, cells []*experiments.CellResult) []Block {
	var series []figure.Series
	var boxes []figure.BoxRow
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
	curve := Table{Caption: "Share of games still running", Words: 2, Head: []string{"ruleset", "agent", "after plies", "share", "low", "high"}}
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
		boxes = append(boxes, figure.BoxRow{Label: l, Sub: sub, Text: med,
			Q: [5]float64{val(c.Length.Q10), val(c.Length.Q25), val(c.Length.Median), val(c.Length.Q75), val(c.Length.Q90)}})
		var pts []figure.Point
		for i, q := range c.Length.Curve {
			pts = append(pts, figure.Point{X: q.Plies, Y: q.S, Low: q.Low, High: q.High})
			if i%max(1, len(c.Length.Curve)/25) == 0 || i == len(c.Length.Curve)-1 {
				curve.Rows = append(curve.Rows, []string{l, sub, fmt.Sprintf("%.0f", q.Plies), experiments.Percent(q.S), experiments.Percent(q.Low), experiments.Percent(q.High)})
			}
		}
		if len(series) < 6 {
			series = append(series, figure.Series{Name: l + ", " + sub, Points: pts})
		}
		if len(say) < 4 {
			say = append(say, fmt.Sprintf("%s (%s): a game lasted %.0f plies on average, counted up to the cap [%.0f, %.0f].", l, sub, rm.Estimate, rm.Low, rm.High))
		}
	}
	note := []string{"Bands are pointwise intervals; a curve that reaches the dashed line above zero had games stopped by the cap."}
	return []Block{
		Picture{figure.Boxes(id+"-lengths", "Lengths of games: box = middle half, line = median, whiskers = 10 % and 90 %", "plies from the start", boxes, float64(d.Cap)), say, t},
		Picture{figure.Survival(id+"-survival", "Share of games still running", series, float64(d.Cap)), note, curve},
	}
}

func traffic(id string, cells []*experiments.CellResult) []Block {
	const most = 8
	var boards []figure.Board
	// One row a rank, as the board lies.
	t := Table{Caption: "Arrivals on each square", Words: 2, Head: []string{"ruleset", "agent", "rank"}}
	files := 0
	for _, c := range cells {
		files = max(files, c.Cols)
	}
	for f := range files {
		t.Head = append(t.Head, string(rune('a'+f)))
	}
	var say []string
	for _, c := range cells {
		var sum uint64
		for _, v := range c.Arrivals {
			sum += v
		}
		if sum == 0 || len(boards) == most {
			continue
		}
		l, sub := label(c)
		boards = append(boards, figure.Board{Name: l, Sub: sub, Rows: c.Rows, Cols: c.Cols, Counts: c.Arrivals})
		var edge uint64
		edges := 0
		for i, v := range c.Arrivals {
			row, col := i/c.Cols, i%c.Cols
			if row == 0 || col == 0 || row == c.Rows-1 || col == c.Cols-1 {
				edge += v
				edges++
			}
		}
		for row := c.Rows - 1; row >= 0; row-- {
			line := []string{l, sub, fmt.Sprint(row + 1)}
			for f := range files {
				if f < c.Cols {
					line = append(line, fmt.Sprint(c.Arrivals[row*c.Cols+f]))
				} else {
					line = append(line, "")
				}
			}
			t.Rows = append(t.Rows, line)
		}
		say = append(say, fmt.Sprintf("%s (%s): %s of %d arrivals were on the edge, which is %s of the squares.",
			l, sub, experiments.Percent(float64(edge)/float64(sum)), sum, experiments.Percent(float64(edges)/float64(len(c.Arrivals)))))
	}
	if len(boards) == 0 {
		return []Block{Text("No arrivals were recorded.")}
	}
	say = append(say, "Arrivals within a game depend on each other, so these shares carry no interval.")
	return []Block{Picture{figure.Boards(id+"-traffic", "Arrivals on each square, relative to the average square; the first player sits below", boards), say, t}}
}

func special(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Captures and special plies", Words: 2, Head: []string{"ruleset", "agent", "what", "mean a game", "games with any"}}
	t.Words = 3
	// Rules that no ruleset of the experiment has are left out.
	used := map[string]bool{}
	for _, c := range cells {
		for _, u := range c.Uses {
			used[u.Name] = used[u.Name] || u.PerGame > 0
		}
	}
	for _, c := range cells {
		l, sub := label(c)
		t.Rows = append(t.Rows, []string{l, sub, "pieces taken", fmt.Sprintf("%.2f [%.2f, %.2f]", c.Taken.Estimate, c.Taken.Low, c.Taken.High), ""})
		if c.Choices > 0 {
			t.Rows = append(t.Rows, []string{l, sub, "legal plies to choose from", fmt.Sprintf("%.1f a ply", c.Choices), ""})
		}
		for _, u := range c.Uses {
			if !used[u.Name] {
				continue
			}
			t.Rows = append(t.Rows, []string{l, sub, u.Name, fmt.Sprintf("%.2f", u.PerGame), short(u.Games)})
		}
	}
	return t
}

func endings(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Why games ended", Words: 3, Head: []string{"ruleset", "agent", "end", "games", "share"}}
	for _, c := range cells {
		l, sub := label(c)
		for _, e := range c.Ends {
			t.Rows = append(t.Rows, []string{l, sub, orElse(e.Name, "unknown"), fmt.Sprint(e.Count), experiments.Percent(float64(e.Count) / float64(max(1, c.Games)))})
		}
	}
	return Folded("Why games ended", t)
}

func copies(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Copies of games", Words: 2, Head: []string{"ruleset", "agent", "games", "different", "worth independent games"}}
	for _, c := range cells {
		l, sub := label(c)
		t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Games), experiments.Percent(c.Unique), fmt.Sprintf("%.0f", c.Effective)})
	}
	return Folded("Copies of games", Text("Two games that are copies of each other count once; below %s different games no claim is made.", experiments.Percent(stats.MinUniqueShare)), t)
}

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
	s.Blocks = append(s.Blocks, Picture{figure.Forest("strength-scores", "Scores of agents against opponents", rows, figure.ForestAxis{
		Ref: 0.5, Min: 0, Max: 1, Format: percent, Less: "weaker", More: "stronger"}), say, t})
	return s
}

// Curve is one figure of the learning section.
type Curve struct {
	// ID is unique in the report, as "loss-bell".
	ID, Title string
	// X and Y name the axes; Series are the curves.
	X, Y   string
	Series []figure.Series
	// YMin and YMax are the least range shown; Percent formats Y as a share.
	YMin, YMax float64
	Percent    bool
	// Ref, if RefLabel is not empty, is a horizontal line.
	Ref      float64
	RefLabel string
	// Sentences say what it shows, with its uncertainty.
	Sentences []string
}

// Learning shows learning curves of runs.
func Learning(words string, curves ...Curve) Section {
	s := Section{ID: "learning", Title: "How the networks learned"}
	if words != "" {
		s.Blocks = append(s.Blocks, quote(words))
	}
	for _, c := range curves {
		format := func(v float64) string { return fmt.Sprintf("%.4g", v) }
		if c.Percent {
			format = percent
		}
		t := Table{Caption: c.Title, Words: 1, Head: []string{"series", c.X, c.Y, "low", "high"}}
		for _, q := range c.Series {
			for _, p := range q.Points {
				t.Rows = append(t.Rows, []string{q.Name, fmt.Sprintf("%.6g", p.X), fmt.Sprintf("%.4g", p.Y), fmt.Sprintf("%.4g", p.Low), fmt.Sprintf("%.4g", p.High)})
			}
		}
		s.Blocks = append(s.Blocks, Picture{figure.Curves("learning-"+anchor(c.ID), c.Title, c.Series, figure.Axes{
			X: c.X, Y: c.Y, YMin: c.YMin, YMax: c.YMax, YFormat: format, RefY: c.Ref, RefLabel: c.RefLabel}, nil), c.Sentences, t})
	}
	return s
}

// Rules shows the rules that were played, and lists every assumed parameter that
// the results rest on.
func Rules(as ...*experiments.Analysis) Section {
	s := Section{ID: "rules", Title: "The rules, and what is assumed in them"}
	s.Blocks = append(s.Blocks, Text("No complete rules of the Roman game survive. Each ruleset here is a reconstruction; where its source is silent something had to be assumed, and every result above rests on those assumptions too."))
	seen := map[string]bool{}
	for _, a := range as {
		for _, r := range a.Rules {
			if seen[r.Hash+r.Title] {
				continue
			}
			seen[r.Hash+r.Title] = true
			s.Blocks = append(s.Blocks, Heading(r.Title))
			text := r.Prose
			for _, cut := range []string{"\n## Argued", "\n## Assumed", "\n## Open questions", "\n## All parameters"} {
				if i := strings.Index(text, cut); i >= 0 {
					text = text[:i]
				}
			}
			// The title is the heading already.
			if strings.HasPrefix(text, "# ") {
				_, text, _ = strings.Cut(text, "\n")
			}
			s.Blocks = append(s.Blocks, Folded("The rules of "+r.Title, prose{text}))
			if len(r.Assumed) == 0 {
				s.Blocks = append(s.Blocks, Text("Every parameter of this ruleset is attested by its source."))
				continue
			}
			assumed := 0
			t := Table{Caption: "Parameters that are assumed or argued", Words: 5, Head: []string{"parameter", "value", "certainty", "why", "source"}}
			for _, p := range r.Assumed {
				if p.Certainty == "assumed" {
					assumed++
				}
				t.Rows = append(t.Rows, []string{p.Name, p.Value, p.Certainty, p.Note, p.Source})
			}
			s.Blocks = append(s.Blocks, Text("%d parameters are assumed and %d argued for rather than attested.", assumed, len(r.Assumed)-assumed), Folded("What is assumed in "+r.Title, t))
		}
	}
	return s
}

// Entry is a line of the provenance.
type Entry struct{ Key, Value string }

// Provenance lists what is needed to make the numbers again: versions, seed,
// hashes, command.
func Provenance(entries []Entry, as ...*experiments.Analysis) Section {
	s := Section{ID: "provenance", Title: "How to check and repeat this"}
	t := Table{Words: 2, Head: []string{"what", "value"}}
	for _, e := range entries {
		t.Rows = append(t.Rows, []string{e.Key, e.Value})
	}
	for _, a := range as {
		t.Rows = append(t.Rows, []string{"design " + a.Design.ID, "sha256 " + a.DesignHash}, []string{"seed of " + a.Design.ID, fmt.Sprint(a.Design.Seed)})
		for _, r := range a.Rules {
			t.Rows = append(t.Rows, []string{"ruleset " + r.Ref, "sha256 " + r.Hash})
		}
	}
	s.Blocks = append(s.Blocks, t)
	return s
}

// Standard composes the usual page of one experiment.
func Standard(a *experiments.Analysis, entries []Entry) Report {
	r := Report{Title: orElse(a.Design.Title, a.Design.ID), Lead: strings.TrimSpace(a.Design.Question), Analyses: []*experiments.Analysis{a}}
	r.Sections = append(r.Sections, Findings(a), Experiment(a))
	for _, c := range a.Cells {
		if !c.SelfPlay {
			r.Sections = append(r.Sections, Strength("", a))
			break
		}
	}
	r.Sections = append(r.Sections, Rules(a), Method(a), Provenance(entries, a))
	return r
}
