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

// most bounds the rows of one figure, so that it fits a page; more rows make more
// figures.
const most = 12

// Experiment shows one experiment in full: its question, plan, outcomes, scores,
// what the rules change, what strength changes, lengths, special plies and traffic.
func Experiment(a *experiments.Analysis) Section {
	d := a.Design
	s := results(a)
	s.Title, s.NewPage = orElse(d.Title, d.ID), true
	s.Blocks = append([]Block{quote("Question: " + strings.TrimSpace(d.Question))}, s.Blocks...)
	s.Blocks = append(s.Blocks, details(a).Blocks...)
	return s
}

// results are the plan, how games ended, what the rules and what strength change.
func results(a *experiments.Analysis) Section {
	d := a.Design
	id := anchor(d.ID)
	s := Section{ID: "experiment-" + id, Title: "The results", Columns: true, Blocks: []Block{plan(a)}}
	self := selfPlay(a)
	add := s.add
	if len(self) > 0 {
		add("How games end", outcomes(id, self)...)
	}
	// The score comes first where it is the question.
	score := func() {
		if len(self) > 0 {
			add("The first player's score", scores(id, a, self)...)
		}
	}
	asked := d.Metric == "first-player-score"
	if asked {
		score()
	}
	add("What single rules change", effects(id, a)...)
	add("What the rules change", contrasts(id, a)...)
	if !asked {
		score()
	}
	if len(a.Effects) == 0 {
		// In a factorial the effects say more than the order of their combinations.
		add("The rulesets in order", rankings(id, a)...)
	}
	add("Does the result depend on strength?", budgets(id, a)...)
	return s
}

// details are what stands behind the results: lengths, traffic, measures, special plies.
func details(a *experiments.Analysis) Section {
	d := a.Design
	id := anchor(d.ID)
	s := Section{ID: "games-" + id, Title: "Appendix: the games in detail", Appendix: true, Columns: true}
	add := s.add
	if self := selfPlay(a); len(self) > 0 {
		add("How long games last", lengths(id, d, self)...)
		add("Where pieces travel", travels(id, self)...)
		add("Measures of the games", measures(id, a, self)...)
		add("Captures, endings and special plies", special(self), endings(self), copies(self))
	}
	return s
}

// add appends blocks under a heading, if there are any.
func (s *Section) add(title string, blocks ...Block) {
	if len(blocks) > 0 {
		s.Blocks = append(append(s.Blocks, heading{title}), blocks...)
	}
}

// selfPlay lists the cells with games in which an agent plays itself.
func selfPlay(a *experiments.Analysis) []*experiments.CellResult {
	var out []*experiments.CellResult
	for i := range a.Cells {
		if a.Cells[i].SelfPlay && a.Cells[i].Pairs > 0 {
			out = append(out, &a.Cells[i])
		}
	}
	return out
}

// parts cuts a list into figures: fn is called with each part, the suffix of its
// id and that of its title.
func parts[T any](all []T, size int, fn func(part []T, id, title string)) {
	n := (len(all) + size - 1) / size
	for i := range n {
		id, title := "", ""
		if n > 1 {
			title = fmt.Sprintf(" (%d of %d)", i+1, n)
		}
		if i > 0 {
			id = fmt.Sprintf("-%d", i+1)
		}
		fn(all[i*size:min((i+1)*size, len(all))], id, title)
	}
}

func plan(a *experiments.Analysis) Block {
	d := a.Design
	games := 0
	for _, c := range a.Cells {
		games += c.Games
	}
	stop := fmt.Sprintf("%d pairs of games each", d.Pairs)
	if d.Sequential() {
		stop = fmt.Sprintf("at most %d pairs of games each, stopped as soon as the sequential test had decided", d.Pairs)
	}
	margin := fmt.Sprintf("±%g points of 50 %%", 100*d.ScoreMargin())
	return Text("Plan, fixed before the games: %s of ruleset and agents, %s; %s; a game is stopped after %d plies and then counts as capped, never as a draw; "+
		"the primary measure is %s, and a difference within ±%s counts as none; an even score means within %s; intervals at %g %%. %d games were played.",
		experiments.Plural(len(a.Cells), "combination"), stop, d.StartWords(), d.Cap, metricTitle(d.Metric), d.MarginWords(), margin, 100*d.Level, games)
}

func metricTitle(name string) string {
	for _, m := range experiments.Metrics() {
		if m.Name == name {
			return m.Title
		}
	}
	return name
}

func metricUnit(name string) string {
	for _, m := range experiments.Metrics() {
		if m.Name == name {
			return m.Unit
		}
	}
	return "points"
}

var outcomeNames = [4]string{"first player wins", "draw", "second player wins", "capped"}

func outcomes(id string, all []*experiments.CellResult) []Block {
	var out []Block
	several := severalAgents(all)
	parts(all, most, func(cells []*experiments.CellResult, n, title string) {
		var rows []figure.OutcomeRow
		t := Table{Caption: "Outcomes, with Wilson intervals", Words: 2, Head: append([]string{"ruleset", "agent", "games"}, outcomeNames[:]...)}
		var say []string
		for _, c := range cells {
			l, sub := label(c)
			group, name, detail := rowLabel(c, several)
			rows = append(rows, figure.OutcomeRow{Group: group, Label: name, Sub: detail, N: c.Games,
				Win: c.Shares.Win.Estimate, Draw: c.Shares.Draw.Estimate, Loss: c.Shares.Loss.Estimate, Capped: c.Shares.Capped.Estimate,
				WinInterval: ends(c.Shares.Win), LossInterval: ends(c.Shares.Loss)})
			t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Games), short(c.Shares.Win), short(c.Shares.Draw), short(c.Shares.Loss), short(c.Shares.Capped)})
			if len(say) < 4 {
				say = append(say, fmt.Sprintf("In %s (%s) the first player won %s of %d games, the second %s.", l, sub, short(c.Shares.Win), c.Games, short(c.Shares.Loss)))
			}
		}
		if len(cells) > len(say) {
			say = append(say, "The other rows read in the same way.")
		}
		say = append(say, "The small brackets are the intervals of the two players' shares of wins, measured from the left and from the right end.")
		out = append(out, picture("metrics.csv", figure.Outcomes(id+"-outcomes"+n, "How the games ended"+title, rows, outcomeNames), say, t))
	})
	return out
}

func ends(iv stats.Interval) *[2]float64 {
	if math.IsNaN(iv.Low) || math.IsNaN(iv.High) {
		return nil
	}
	return &[2]float64{iv.Low, iv.High}
}

// provisional says whether the checks of strength leave a ruleset's results open.
func provisional(a *experiments.Analysis, ruleset string) bool {
	for _, s := range a.Strength {
		if s.Ruleset == ruleset {
			return s.Provisional
		}
	}
	return false
}

// allProvisional says whether they do so for every ruleset: then a sentence says it, and not
// every row of a figure.
func allProvisional(a *experiments.Analysis) bool {
	return len(a.Strength) > 0 && !slices.ContainsFunc(a.Strength, func(s experiments.Strength) bool { return !s.Provisional })
}

const provisionalWords = "All of it is provisional: stronger agents may give another result."

func scores(id string, a *experiments.Analysis, all []*experiments.CellResult) []Block {
	d := a.Design
	margin := d.ScoreMargin()
	counts := map[string]int{}
	for _, c := range all {
		counts[c.Decision]++
	}
	var out []Block
	several := severalAgents(all)
	parts(all, most, func(cells []*experiments.CellResult, n, title string) {
		var rows []figure.ForestRow
		t := Table{Caption: "First player's score", Words: 2,
			Head: []string{"ruleset", "agent", "pairs", "score (pairs, t)", "bootstrap BCa", "if capped games lost", "if capped games won", "p that even, adjusted", "p that beyond margin, adjusted", "decision", "share of decided games"}}
		capped := false
		for _, c := range cells {
			l, sub := label(c)
			group, name, detail := rowLabel(c, several)
			row := figure.ForestRow{Group: group, Label: name, Sub: detail, Estimate: c.Score.Estimate, Low: c.Score.Low, High: c.Score.High, Text: short(c.Score),
				Muted: !c.ClaimAllowed, Within: c.Decision == experiments.DecisionEven}
			decision := c.Decision
			if provisional(a, c.Name) {
				if !allProvisional(a) {
					row.Sub = joined(row.Sub, "provisional")
				}
				decision += " (provisional)"
			}
			if c.Tally.Capped > 0 {
				row.Outer = &[2]float64{c.ScoreLow.Low, c.ScoreHigh.High}
				capped = true
			}
			rows = append(rows, row)
			t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Pairs), short(c.Score), short(c.ScoreBootstrap), short(c.ScoreLow), short(c.ScoreHigh),
				experiments.PValue(c.ScoreAdjusted), experiments.PValue(c.EvenAdjusted), decision, short(c.Decisive)})
		}
		say := []string{
			fmt.Sprintf("Dots are scores (win 1, draw ½), bars their %g %% intervals from pairs; the shaded band is the margin of ±%g points around 50 %%.", 100*d.Level, 100*margin),
			rangeOfScores(all),
			tallied(len(all), counts),
		}
		if allProvisional(a) {
			say = append(say, provisionalWords)
		}
		if capped {
			say = append(say, "Dashed lines reach to where the interval would end if every capped game were lost, or won.")
		}
		f := figure.Forest(id+"-scores"+n, "The first player's score"+title, rows, figure.ForestAxis{
			Ref: 0.5, Band: &[2]float64{0.5 - margin, 0.5 + margin}, BandLabel: fmt.Sprintf("margin of ±%g points", 100*margin), OuterLabel: "if all capped games were lost, or won",
			Min: 0.5 - 2*margin, Max: 0.5 + 2*margin, Format: percent,
			Less: "second player ahead", More: "first player ahead",
		})
		out = append(out, picture("metrics.csv, tests.csv", f, say, t))
	})
	return out
}

// rangeOfScores says how far the estimates reach, and which of them lies furthest from
// one half, with its interval.
func rangeOfScores(all []*experiments.CellResult) string {
	low, high := math.Inf(1), math.Inf(-1)
	var far *experiments.CellResult
	for _, c := range all {
		v := c.Score.Estimate
		if math.IsNaN(v) {
			continue
		}
		low, high = math.Min(low, v), math.Max(high, v)
		if far == nil || math.Abs(v-0.5) > math.Abs(far.Score.Estimate-0.5) {
			far = c
		}
	}
	if far == nil {
		return "No score can be estimated from these games."
	}
	l, sub := label(far)
	if len(all) == 1 {
		return fmt.Sprintf("The score of the first player is %s.", short(far.Score))
	}
	return fmt.Sprintf("The estimates reach from %s to %s; furthest from 50 %% is %s, %s, with %s.", experiments.Percent(low), experiments.Percent(high), l, sub, short(far.Score))
}

// tallied says in a sentence what the tests made of the scores, and what is claimed.
func tallied(n int, counts map[string]int) string {
	var out []string
	say := func(k int, words string) {
		if k > 0 {
			out = append(out, fmt.Sprintf("%d %s", k, words))
		}
	}
	say(counts[experiments.DecisionFirst], "favoured the first player")
	say(counts[experiments.DecisionSecond], "favoured the second player")
	say(counts[experiments.DecisionEven], "shown to lie within the margin")
	say(counts[experiments.DecisionOpen], "open")
	say(counts[experiments.DecisionCapped]+counts[experiments.DecisionCopies]+counts[experiments.DecisionTrial]+counts[experiments.DecisionUnfinished], "without a claim")
	s := fmt.Sprintf("%s of ruleset and agent: %s.", capital(experiments.Plural(n, "combination")), strings.Join(out, ", "))
	if counts[experiments.DecisionOpen] > 0 {
		s += " Open means that after correction for all the tests made the games neither exclude 50 % nor show the score to lie within the margin."
	}
	if counts[experiments.DecisionFirst]+counts[experiments.DecisionSecond]+counts[experiments.DecisionEven] == 0 {
		s += " So nothing is claimed of any of these scores."
	}
	return s
}

var unsafeID = regexp.MustCompile(`[^a-z0-9]+`)

func anchor(s string) string {
	return strings.Trim(unsafeID.ReplaceAllString(strings.ToLower(s), "-"), "-")
}

func percent(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }

// exactPercent is for ticks that may lie between whole percents: "2.5 %".
func exactPercent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }

func interval(iv stats.Interval, unit string, signed bool) string {
	return experiments.Amount(iv.Estimate, unit, signed) + " [" + experiments.Amount(iv.Low, unit, signed) + ", " + experiments.Amount(iv.High, unit, signed) + "]"
}

// short writes a share's interval without repeating the unit: "52.3 % [49.1, 55.5]".
func short(iv stats.Interval) string {
	if math.IsNaN(iv.Estimate) {
		return "no data"
	}
	if math.IsInf(iv.Low, 0) || math.IsInf(iv.High, 0) {
		return experiments.Decimals(100*iv.Estimate, 1) + " %, interval not known"
	}
	one := func(x float64) string { return experiments.Decimals(100*x, 1) }
	return one(iv.Estimate) + " % [" + one(iv.Low) + ", " + one(iv.High) + "]"
}

// around writes an interval of a plain number, without unit, with so many decimals. One pair gives no interval, and what
// happened in no game, or equally often in all, may have an interval without an end.
func around(iv stats.Interval, decimals int) string {
	number := func(x float64) string { return minus(experiments.Decimals(x, decimals)) }
	low, high := math.IsInf(iv.Low, 0), math.IsInf(iv.High, 0)
	switch {
	case math.IsNaN(iv.Estimate) || math.IsInf(iv.Estimate, 0):
		return "no data"
	case low && high:
		return number(iv.Estimate) + ", interval not known"
	case high:
		return fmt.Sprintf("%s [at least %s; no upper bound from these games]", number(iv.Estimate), number(iv.Low))
	case low:
		return fmt.Sprintf("%s [at most %s; no lower bound from these games]", number(iv.Estimate), number(iv.High))
	}
	return fmt.Sprintf("%s [%s, %s]", number(iv.Estimate), number(iv.Low), number(iv.High))
}

// compact writes a signed interval without its unit, points in hundredths.
func compact(iv stats.Interval, unit string) string {
	if math.IsNaN(iv.Estimate) {
		return "no data"
	}
	k := 1.0
	if unit == "points" {
		k = 100
	}
	one := func(x float64) string {
		s := experiments.Decimals(k*x, 1)
		if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
			return s
		}
		return "+" + s
	}
	return minus(one(iv.Estimate) + " [" + one(iv.Low) + ", " + one(iv.High) + "]")
}

var zero = regexp.MustCompile(`[-+](0\.0+)\b`)

// minus writes real minus signs, and none before a rounded zero.
func minus(s string) string {
	return strings.ReplaceAll(zero.ReplaceAllString(s, "$1"), "-", "−")
}

// signed is the tick of a difference.
func signed(unit string) func(float64) string {
	return func(v float64) string {
		if unit == "points" {
			v *= 100
		}
		if math.Abs(v) < 1e-9 {
			return "0"
		}
		return minus(fmt.Sprintf("%+.4g", v))
	}
}

// least is the least range of a difference that is shown.
func least(unit string) float64 {
	switch unit {
	case "plies":
		return 2
	case "pieces":
		return 0.5
	}
	return 0.02
}

func label(c *experiments.CellResult) (string, string) {
	if c.SelfPlay {
		return c.Title, c.A
	}
	return c.Title, c.A + " against " + c.B
}

// severalAgents says whether rulesets have more than one cell: then figures group
// their rows by ruleset.
func severalAgents(cells []*experiments.CellResult) bool {
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.Title] {
			return true
		}
		seen[c.Title] = true
	}
	return false
}

// rowLabel is what stands beside a cell's row.
func rowLabel(c *experiments.CellResult, several bool) (group, name, sub string) {
	l, s := label(c)
	if several {
		return l, s, ""
	}
	return "", l, s
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + " · " + b
}

// titles maps the names of rulesets to what people call them.
func titles(a *experiments.Analysis) map[string]string {
	out := map[string]string{}
	for _, c := range a.Cells {
		out[c.Name] = c.Title
	}
	return out
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// marginBand is the band of differences that count as none, where the design's
// margin is in the unit.
func marginBand(d experiments.Design, unit string) (*[2]float64, string) {
	for _, m := range experiments.Metrics() {
		if m.Name == d.Metric && m.Unit == unit {
			words := fmt.Sprintf("%g %s", d.Margin, unit)
			if unit == "points" {
				words = fmt.Sprintf("%g points", 100*d.Margin)
			}
			return &[2]float64{-d.Margin, d.Margin}, "margin of ±" + words
		}
	}
	return nil, ""
}

func contrasts(id string, a *experiments.Analysis) []Block {
	var metrics []string
	for _, k := range a.Contrasts {
		if !slices.Contains(metrics, k.Metric) {
			metrics = append(metrics, k.Metric)
		}
	}
	title := titles(a)
	var out []Block
	for _, metric := range metrics {
		var all []experiments.Contrast
		for _, k := range a.Contrasts {
			if k.Metric == metric {
				all = append(all, k)
			}
		}
		parts(all, most, func(ks []experiments.Contrast, n, part string) {
			var rows []figure.ForestRow
			unit := ks[0].Unit
			t := Table{Caption: "Differences in " + metricTitle(metric), Words: 3,
				Head: []string{"ruleset A", "ruleset B", "agent", "A", "B", "difference A − B", "p", "p (permutation)", "p (adjusted)", "family", "decision", "pairs"}}
			if unit == "plies" {
				t.Head = append(t.Head, "Cliff's delta")
			}
			var say []string
			for _, decided := range []bool{true, false} {
				for _, k := range ks {
					if (k.Decision == experiments.DecisionDifference || k.Decision == experiments.DecisionNoDifference) == decided && len(say) < 3 {
						say = append(say, fmt.Sprintf("%s minus %s under %s: %s, %s adjusted (%s).", title[k.A], title[k.B], k.Agent, interval(k.Difference, k.Unit, true), experiments.PValue(k.Adjusted), decisionWords(k.Decision, k.Adjusted, k.Difference)))
					}
				}
			}
			for _, k := range ks {
				row := figure.ForestRow{
					Label: title[k.A], Sub: "minus " + title[k.B] + ", " + k.Agent, Estimate: k.Difference.Estimate, Low: k.Difference.Low, High: k.Difference.High,
					Text: compact(k.Difference, k.Unit), Muted: !k.ClaimAllowed, Within: k.Decision == experiments.DecisionNoDifference,
				}
				decision := decisionWords(k.Decision, k.Adjusted, k.Difference)
				if provisional(a, k.A) || provisional(a, k.B) {
					if !allProvisional(a) {
						row.Sub += " · provisional"
					}
					decision += " (provisional)"
				}
				rows = append(rows, row)
				line := []string{title[k.A], title[k.B], k.Agent, experiments.Amount(k.MeanA, k.Unit, false), experiments.Amount(k.MeanB, k.Unit, false),
					interval(k.Difference, k.Unit, true), experiments.PValue(k.P), experiments.PValue(k.Permutation), experiments.PValue(k.Adjusted), k.Family, decision, fmt.Sprint(k.Difference.N)}
				if unit == "plies" {
					cliff := ""
					if k.Cliff != nil {
						cliff = minus(fmt.Sprintf("%+.2f [%+.2f, %+.2f]", k.Cliff.Estimate, k.Cliff.Low, k.Cliff.High))
					}
					line = append(line, cliff)
				}
				t.Rows = append(t.Rows, line)
			}
			if allProvisional(a) {
				say = append(say, provisionalWords)
			}
			axis := figure.ForestAxis{Ref: 0, Min: -least(unit), Max: least(unit), Format: signed(unit), Less: "less in the first named", More: "more in the first named"}
			axis.Band, axis.BandLabel = marginBand(a.Design, unit)
			out = append(out, picture("tests.csv", figure.Forest(id+"-contrast-"+metric+n, "Differences in "+metricTitle(metric)+part, rows, axis), say, t))
		})
	}
	return out
}
