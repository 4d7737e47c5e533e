package metrics

import (
	"fmt"
	"math"

	"latro/experiments/stats"
	"latro/mcts"
)

// Value is one measured number.
type Value struct {
	// Metric is its stable name, as "lead-changes-material"; docs/metrics.md defines
	// each. Title says it in words.
	Metric string `json:"metric"`
	Title  string `json:"title"`
	// Unit is "plies", "share", "times", "lead" (the evaluator's scale from 0 to 1),
	// "bits", "odds" (a factor of the odds of a better result), "men" or "points" (a
	// share of the score).
	Unit string `json:"unit"`
	// Interval has the estimate; its Method names statistics and evaluator.
	Interval stats.Interval `json:"interval"`
	// Games is the number of games behind it.
	Games int `json:"games"`
	// Evaluator names who judged the positions, "" where nobody had to.
	Evaluator string `json:"evaluator,omitempty"`
}

// Missing is a metric that could not be measured. It is never 0.
type Missing struct {
	Metric string `json:"metric"`
	Title  string `json:"title"`
	Reason string `json:"reason"`
}

// Step is one point of an attrition curve.
type Step struct {
	// Played is the share of the game's plies that were played, and Left the share of
	// the pieces that are still in play.
	Played float64        `json:"played"`
	Left   stats.Interval `json:"left"`
}

// Result is what was measured in one cell.
type Result struct {
	// Games and Pairs are how many were measured, and Limited says that there were
	// more.
	Games   int  `json:"games"`
	Pairs   int  `json:"pairs"`
	Limited bool `json:"limited,omitempty"`
	// Values are in the order of docs/metrics.md.
	Values []Value `json:"values"`
	// Missing are the metrics that were not measured, with the reason.
	Missing []Missing `json:"missing"`
	// Attrition is the curve of the pieces in play, of finished games.
	Attrition []Step `json:"attrition,omitempty"`
	// Rules names the special rules of the ruleset: binding, bonus, hop, leader, row.
	Rules []string `json:"special_rules"`
}

// Value finds a metric by name; nil if it was not measured.
func (r *Result) Value(metric string) *Value {
	if r == nil {
		return nil
	}
	for i := range r.Values {
		if r.Values[i].Metric == metric {
			return &r.Values[i]
		}
	}
	return nil
}

// RuleTitle names a special rule in words.
func RuleTitle(name string) string {
	switch name {
	case "binding":
		return "binding (immobilising) a man"
	case "bonus":
		return "the bonus move after a capture"
	case "hop":
		return "the hop"
	case "leader":
		return "moving the leader"
	case "row":
		return "taking a row of men"
	}
	return name
}

// UseTitle names one use of a special rule in words.
func UseTitle(name string) string {
	switch name {
	case "binding":
		return "one binding"
	case "bonus":
		return "one bonus move"
	case "hop":
		return "one hop"
	case "leader":
		return "one move of the leader"
	case "row":
		return "one row of men taken"
	}
	return name
}

// report collects values.
type report struct {
	c   *Cell
	out Result
}

func (r *report) missing(metric, title, format string, args ...any) {
	r.out.Missing = append(r.out.Missing, Missing{metric, title, fmt.Sprintf(format, args...)})
}

func (r *report) value(metric, title, unit, evaluator string, games int, iv stats.Interval) {
	if math.IsNaN(iv.Estimate) {
		r.missing(metric, title, "there are no games to measure it on")
		return
	}
	if r.out.Limited {
		iv.Method += fmt.Sprintf("; first %d pairs", MaxPairs)
	}
	if evaluator != "" {
		iv.Method += "; " + evaluator
	}
	r.out.Values = append(r.out.Values, Value{metric, title, unit, iv, games, evaluator})
}

func (r *report) ratio(metric, title, unit, evaluator string, x *ratio, lo, hi float64) {
	r.value(metric, title, unit, evaluator, x.games, x.interval(lo, hi, r.c.config.Level))
}

// Result is what was measured. The last pair must be whole.
func (c *Cell) Result() Result {
	r := &report{c: c, out: Result{Games: 2 * c.pairs, Pairs: c.pairs, Limited: c.limited, Values: []Value{}, Missing: []Missing{}, Rules: []string{}}}
	for _, k := range c.kinds {
		r.out.Rules = append(r.out.Rules, k.String())
	}
	inf := math.Inf(1)
	if c.config.SelfPlay {
		r.ratio("branching", "legal plies to choose from", "plies", "", &c.branching, 0, inf)
		r.ratio("choice-share", "plies with more than one legal ply", "share", "", &c.choice, 0, 1)
		r.attrition()
		r.leads()
		r.ratio("edge-share", "arrivals on the edge of the board", "share", "", &c.edge, 0, 1)
		r.openings()
		r.uses()
		r.pieces()
	}
	r.restricted()
	return r.out
}

func (r *report) attrition() {
	c := r.c
	if c.attrition[0].pairs == 0 {
		r.missing("attrition-50", "pieces in play at half of a game", "no game was finished")
		return
	}
	for k := range c.attrition {
		iv := c.attrition[k].interval(0, 1, c.config.Level)
		if k == 0 && iv.Estimate == 1 {
			iv.Low, iv.Method = 1, "by definition"
		}
		r.out.Attrition = append(r.out.Attrition, Step{float64(k) / steps, iv})
	}
	for _, q := range []struct {
		percent int
		title   string
	}{{25, "a quarter"}, {50, "half"}, {75, "three quarters"}, {100, "the end"}} {
		r.ratio(fmt.Sprintf("attrition-%d", q.percent), "pieces in play at "+q.title+" of a game", "share", "", &c.attrition[q.percent*steps/100], 0, 1)
	}
}

func (r *report) leads() {
	c := r.c
	show := func(key, name string, changes, drama, comeback *ratio) {
		if changes.pairs == 0 {
			r.missing("lead-changes-"+key, "changes of the lead by "+name, "no game was finished")
			return
		}
		r.ratio("lead-changes-"+key, "changes of the lead in a game", "times", name, changes, 0, math.Inf(1))
		if drama.pairs == 0 {
			r.missing("drama-"+key, "drama by "+name, "no game had a winner")
			return
		}
		r.ratio("drama-"+key, "how far the winner had been behind", "lead", name, drama, 0, 1)
		r.ratio("comeback-share-"+key, "winners who had been behind", "share", name, comeback, 0, 1)
	}
	for i, e := range c.eval {
		show(e.Key, e.Name, &c.changes[i], &c.drama[i], &c.comeback[i])
	}
	switch {
	case c.config.Values == "":
		r.missing("lead-changes-search", "changes of the lead by the players' own search", "the agent has no search that judges positions")
	case 2*c.searchedPlies[0] < c.searchedPlies[1] || c.searchedPlies[0] == 0:
		r.missing("lead-changes-search", "changes of the lead by the players' own search", "fewer than half of the plies have a recorded value")
	default:
		show("search", c.config.Values, &c.searched.changes, &c.searched.drama, &c.searched.comeback)
	}
}

func (r *report) openings() {
	c := r.c
	if !c.config.FromStart {
		r.missing("opening-entropy", "variety of openings", "the games begin at random positions, so that no agent chose the opening")
		r.missing("placement-entropy", "variety of placements", "the games begin at random positions, so that no agent placed the pieces")
		return
	}
	for i, name := range []string{"opening-entropy-1", fmt.Sprintf("opening-entropy-%d", openingPlies)} {
		iv, once := c.opening[i].entropy(c.config.Level)
		if once > 0.1 {
			iv.Method += fmt.Sprintf(" (too low: %.0f %% of the games opened as no other did)", 100*once)
		}
		title := "variety of the first ply"
		if i == 1 {
			title = fmt.Sprintf("variety of the first %d plies", openingPlies)
		}
		n := 0.0
		for _, k := range c.opening[i].count {
			n += k
		}
		r.value(name, title, "bits", "", int(n), iv)
	}
	if c.game.Params().Setup.Kind != "placement" {
		r.missing("placement-entropy", "variety of placements", "the ruleset begins with all pieces on the board")
		return
	}
	for p, who := range []string{"first", "second"} {
		iv, _ := c.placement[p].entropy(c.config.Level)
		r.value("placement-entropy-"+who, "variety of the squares on which the "+who+" player places", "bits", "", 2*c.pairs, iv)
	}
}

func (r *report) uses() {
	c := r.c
	for _, k := range mcts.Specials() {
		if c.rules&k == 0 {
			r.missing("use-"+k.String(), "use of "+RuleTitle(k.String()), "the ruleset has no such rule")
		}
	}
	var columns []stats.Column
	var at []int
	for i, k := range c.kinds {
		name := k.String()
		r.ratio("use-"+name, "use of "+RuleTitle(name)+" in 100 plies", "times", "", &c.use[i], 0, 100)
		if len(c.outcome) == 0 {
			r.missing("value-"+name, "what "+RuleTitle(name)+" goes along with", "no game was finished")
		} else if x := c.useColumn(i); varies(x) {
			columns = append(columns, stats.Column{Name: name, Values: x})
			at = append(at, i)
		} else {
			r.missing("value-"+name, "what "+RuleTitle(name)+" goes along with", "both players used it equally often in the first half of every finished game")
		}
	}
	if c.rules&mcts.SpecialRow != 0 {
		r.ratio("games-with-rows-taken", "games in which a row of men was taken", "share", "", &c.rowGames, 0, 1)
	}
	if len(columns) == 0 {
		return
	}
	fit, why := c.model(c.outcome, columns, c.cluster)
	for j, i := range at {
		name := c.kinds[i].String()
		metric, title := "value-"+name, "odds of a better result with "+UseTitle(name)+" more in the first half"
		switch {
		case why != "":
			r.missing(metric, title, "%s", why)
		case fit.Effects[j].Separated:
			r.missing(metric, title, "%s", without(fit.Effects[j], "used it more"))
		default:
			iv := fit.Effects[j].OddsRatio()
			iv.Method = "proportional-odds, clusters of start pairs"
			r.value(metric, title, "odds", "", fit.N, iv)
		}
	}
}

func (r *report) pieces() {
	c := r.c
	p := c.game.Params()
	kinds := []struct {
		name, title string
		there       bool
		column      int
	}{{"man", "a man", true, 0}, {"leader", "a leader", p.Pieces.Leaders > 0, 1}, {"bound", "a bound man", p.Capture.Effect == "bind", 2}}
	var columns []stats.Column
	for _, k := range kinds {
		if !k.there {
			r.missing(missingPiece(k.name), "worth of "+k.title, "the ruleset has no such piece")
			continue
		}
		x := c.pieceColumn(k.column)
		if len(x) == 0 {
			r.missing(missingPiece(k.name), "worth of "+k.title, "no game was finished")
			continue
		}
		if !varies(x) {
			why := "the players had the same number of them in every position looked at"
			if k.name == "leader" {
				why += " (where its loss ends the game, a leader has no worth in men)"
			}
			r.missing(missingPiece(k.name), "worth of "+k.title, "%s", why)
			continue
		}
		columns = append(columns, stats.Column{Name: k.name, Values: x})
	}
	if len(columns) == 0 {
		return
	}
	fit, why := c.model(c.piece.outcome, columns, c.piece.cluster)
	games := len(c.outcome)
	const odds = "odds of a better result with one man more"
	for i, k := range columns {
		title := map[string]string{"man": "a man", "leader": "a leader", "bound": "a bound man"}[k.Name]
		switch {
		case why != "":
			r.missing(missingPiece(k.Name), "worth of "+title, "%s", why)
			continue
		case fit.Effects[i].Separated:
			r.missing(missingPiece(k.Name), "worth of "+title, "%s", without(fit.Effects[i], "had more of them"))
			continue
		}
		iv := fit.Effects[i].OddsRatio()
		iv.Method = "proportional-odds, clusters of start pairs"
		r.value("odds-"+k.Name, map[string]string{"man": odds, "leader": "odds of a better result with a leader more", "bound": "odds of a better result with one bound man more"}[k.Name], "odds", "", games, iv)
		if k.Name == "man" {
			continue
		}
		if columns[0].Name != "man" {
			r.missing("piece-value-"+k.Name, "worth of "+title+" in men", "the number of men never differed")
			continue
		}
		iv, err := fit.Ratio(k.Name, "man", c.config.Level)
		switch {
		case err != nil:
			r.missing("piece-value-"+k.Name, "worth of "+title+" in men", "a man's worth has no upper end")
		case math.IsInf(iv.Low, 0):
			r.missing("piece-value-"+k.Name, "worth of "+title+" in men", "a man's own worth is not told from nothing, so that nothing can be counted in men")
		default:
			r.value("piece-value-"+k.Name, "worth of "+title+" in men", "men", "", games, iv)
		}
	}
}

// without says why an effect without an end has no value.
func without(e stats.Effect, who string) string {
	if e.Interval.Estimate < 0 {
		return "whoever " + who + " did worse without exception, so that the odds have no lower end"
	}
	return "whoever " + who + " did better without exception, so that the odds have no upper end"
}

// missingPiece is the metric of a kind of piece that was not measured.
func missingPiece(kind string) string {
	if kind == "man" {
		// In men a man is worth 1 by definition.
		return "odds-man"
	}
	return "piece-value-" + kind
}

func (r *report) restricted() {
	c := r.c
	if c.restricted < 0 {
		return
	}
	name := c.avoid.String()
	title := RuleTitle(name)
	if c.avoid&^c.rules != 0 {
		r.missing("restricted-loss-"+name, "points lost without "+title, "the ruleset has no such rule, so that the two agents are the same")
		return
	}
	if c.finished == 0 {
		r.missing("restricted-loss-"+name, "points lost without "+title, "no game was finished")
	} else {
		iv := c.loss.interval(-0.5, 0.5, c.config.Level)
		if c.capped > 0 {
			iv.Method += fmt.Sprintf("; %d capped games counted one half", c.capped)
		}
		r.value("restricted-loss-"+name, "points lost without "+title, "points", "", c.loss.games, iv)
	}
	if c.finished > 0 && c.capped > 0 {
		r.ratio("restricted-loss-"+name+"-capped-lost", "the same if capped games were won by the restricted player", "points", "", &c.lossLow, -0.5, 0.5)
		r.ratio("restricted-loss-"+name+"-capped-won", "the same if capped games were lost by the restricted player", "points", "", &c.lossHigh, -0.5, 0.5)
	}
	for i, k := range c.kinds {
		if c.avoid&k == 0 {
			continue
		}
		one := RuleTitle(k.String())
		r.ratio("restricted-forced-"+k.String(), "uses of "+one+" in a game that the restricted player was forced to", "times", "", &c.forced[i], 0, math.Inf(1))
		r.ratio("restricted-passed-"+k.String(), "plies in a game at which the restricted player passed over "+one, "times", "", &c.passed[i], 0, math.Inf(1))
	}
}
