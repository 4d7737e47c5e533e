package experiments

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"latro/env/rules"
	"latro/experiments/stats"
)

// CompareBudgets are the sets of UCT budgets that a comparison of two rulesets
// chooses from by the time it has.
func CompareBudgets() [][]int {
	return [][]int{{25, 100, 400, 1600}, {25, 100, 400}, {25, 100}, {8, 32}, {8}}
}

// exploredMetrics are what an exploration compares, the primary metric first.
func exploredMetrics(primary string) []string {
	out := []string{primary}
	for _, m := range []string{"first-player-score", "decisive-share", "draw-share", "capped-share", "length", "captures"} {
		if m != primary {
			out = append(out, m)
		}
	}
	return out
}

var notInID = regexp.MustCompile(`[^a-z0-9._]+`)

// exploreID makes an id of words, short enough for a file's name.
func exploreID(words ...string) string {
	id := strings.Trim(notInID.ReplaceAllString(strings.ToLower(strings.Join(words, "-")), "-"), "-._")
	return strings.TrimRight(id[:min(len(id), 64)], "-._")
}

// CompareDesign asks what changes from the first ruleset to the second. Its pairs,
// players, cap and margin are still to be fixed, by [Fit] or by hand; metric is the
// primary one, the first player's score if empty. a and b are the two as they are
// opened, whose rules must differ.
func CompareDesign(from, to RulesetRef, a, b *rules.Ruleset, metric string) (Design, error) {
	if a.Hash() == b.Hash() {
		return Design{}, fmt.Errorf("%w: %s and %s are played alike, so that nothing can differ", ErrInvalid, a.Ref(), b.Ref())
	}
	d := DefaultDesign()
	d.Rulesets = []RulesetRef{from, to}
	d.Exploratory = true
	d.Margin = 0
	if metric != "" {
		d.Metric = metric
	}
	// Two files of one game would have the same name in every figure.
	if rulesetTitle(d, a, d.ExpandRulesets()[0]) == rulesetTitle(d, b, d.ExpandRulesets()[1]) {
		for i := range d.Rulesets {
			d.Rulesets[i].Name = fmt.Sprintf("%s (%s)", orElse([]*rules.Ruleset{a, b}[i].Name, a.ID), []string{"A", "B"}[i])
		}
	}
	names := d.ExpandRulesets()
	d.ID = exploreID("compare", d.refOf(a), d.refOf(b))
	d.Title = fmt.Sprintf("From %s to %s", rulesetTitle(d, a, names[0]), rulesetTitle(d, b, names[1]))
	diff := rules.Diff(a, b)
	d.Question = "What changes " + strings.ToLower(d.Title[:1]) + d.Title[1:] + "?"
	if len(diff) == 1 {
		d.Question += fmt.Sprintf(" One rule differs: %s is %s in the first and %s in the second.", diff[0].Name, orElse(diff[0].A, "(none)"), orElse(diff[0].B, "(none)"))
	} else {
		var changed []string
		for _, x := range diff {
			changed = append(changed, x.Name)
		}
		d.Question += fmt.Sprintf(" They differ in %d rules (%s); the comparison is of the bundle, and cannot say which of them does it.", len(diff), list(changed))
	}
	if !SameBoard(a, b) {
		d.Question += " The boards or the pieces differ, so the games begin from positions of their own kind, not from the same ones."
	}
	d.compareWith(names[0].Name, names[1].Name)
	return d, nil
}

// SameBoard says whether positions of one ruleset can stand on the other's board:
// the same rows, columns and pieces.
func SameBoard(a, b *rules.Ruleset) bool {
	return a.Params.Board == b.Params.Board && a.Params.Pieces == b.Params.Pieces
}

// compareWith makes every metric's contrast of others with the first ruleset; what
// belongs to the primary metric is decided by the design's metric alone.
func (d *Design) compareWith(first string, others ...string) {
	d.Comparisons = nil
	for _, m := range exploredMetrics(d.Metric) {
		for _, o := range others {
			d.Comparisons = append(d.Comparisons, Comparison{A: o, B: first, Metric: m})
		}
	}
}

// The verdicts of a [Change].
const (
	// VerdictChanged: there is evidence of a change.
	VerdictChanged = "changed"
	// VerdictSmall: there is evidence of a change, and it is shown to be within the
	// margin.
	VerdictSmall = "changed, but by less than the margin"
	// VerdictWithin: any change is shown to be within the margin.
	VerdictWithin = "no change beyond the margin"
	// VerdictOpen: no change is shown, and one as large as the interval's farther end
	// is not excluded.
	VerdictOpen = "no change shown"
	// VerdictHint: the interval taken alone excludes zero, but not after the
	// correction for the number of comparisons.
	VerdictHint = "perhaps changed"
	// VerdictNoClaim: too many games were capped or are copies, or not all are played.
	VerdictNoClaim = "no claim"
)

// Change is how one metric differs between the two rulesets under one agent.
type Change struct {
	Metric string `json:"metric"`
	// Title is the metric in a sentence and Unit its unit.
	Title   string `json:"title"`
	Unit    string `json:"unit"`
	Primary bool   `json:"primary"`
	Agent   string `json:"agent"`
	// Before and After are the values under the first and the second ruleset, and
	// Difference is After − Before with its interval.
	Before     float64        `json:"before"`
	After      float64        `json:"after"`
	Difference stats.Interval `json:"difference"`
	// Adjusted is the p-value within its family.
	Adjusted float64 `json:"p_adjusted"`
	// Overturned says that the capped games, counted otherwise than half, could take the
	// difference back.
	Overturned bool `json:"overturned,omitempty"`
	// Verdict is one of the Verdict constants, and Excluded the size that a change is
	// shown not to reach: the farther end of the interval.
	Verdict  string  `json:"verdict"`
	Excluded float64 `json:"excluded"`
	Pairs    int     `json:"pairs"`
}

// UseChange is how often a special rule was used before and after a change.
type UseChange struct {
	Name  string `json:"name"`
	Agent string `json:"agent"`
	// Before and After are the shares of games in which it was used at all, with their
	// intervals; PerGame the mean numbers a game.
	Before         stats.Interval `json:"before"`
	After          stats.Interval `json:"after"`
	PerGame        [2]float64     `json:"per_game"`
	IntervalsApart bool           `json:"intervals_apart"`
}

// Answer is what a comparison of two rulesets says.
type Answer struct {
	// From and To are the names of the two rulesets, Titles their names for people.
	From   string    `json:"from"`
	To     string    `json:"to"`
	Titles [2]string `json:"titles"`
	// Rules are "parameter: before → after".
	Rules []string `json:"rules"`
	// Agents are the self-playing agents, the weakest first; Strongest is the last.
	Agents    []string `json:"agents"`
	Strongest string   `json:"strongest"`
	Metric    string   `json:"metric"`
	Margin    float64  `json:"margin"`
	// Changes are the primary metric's first, then the others', each for all agents.
	Changes []Change    `json:"changes"`
	Uses    []UseChange `json:"uses"`
	// CommonStarts says that both were played from the very same positions.
	CommonStarts bool `json:"common_starts"`
	// Short are sentences with the answer, and Limits with what it does not say.
	Short  []string `json:"short"`
	Limits []string `json:"limits"`
}

// AnswerOf reads the answer out of the analysis of a [CompareDesign].
func AnswerOf(an *Analysis) (Answer, error) {
	d := an.Design
	rs := d.ExpandRulesets()
	if len(rs) != 2 {
		return Answer{}, fmt.Errorf("%w: the design %s compares %d rulesets, not two", ErrInvalid, d.ID, len(rs))
	}
	out := Answer{From: rs[0].Name, To: rs[1].Name, Metric: d.Metric, Margin: d.Margin, Strongest: d.Strongest(), Rules: []string{}, Changes: []Change{}, Uses: []UseChange{}, CommonStarts: true}
	for _, a := range d.Agents {
		if a.selfPlay() {
			out.Agents = append(out.Agents, a.name())
		}
	}
	of := func(ruleset, agent string) *CellResult { return an.Cell(ruleset, agent, agent) }
	for i, r := range rs {
		for _, a := range out.Agents {
			if c := of(r.Name, a); c != nil {
				out.Titles[i] = c.Title
			}
		}
	}
	for _, metric := range exploredMetrics(d.Metric) {
		for i := range an.Contrasts {
			k := &an.Contrasts[i]
			if k.Metric != metric || k.A != out.To || k.B != out.From {
				continue
			}
			out.Rules = k.Changed
			out.CommonStarts = out.CommonStarts && k.CommonStarts
			out.Changes = append(out.Changes, k.change(d.Level))
		}
	}
	for _, agent := range out.Agents {
		x, y := of(out.From, agent), of(out.To, agent)
		if x == nil || y == nil {
			continue
		}
		for _, u := range x.Uses {
			i := slices.IndexFunc(y.Uses, func(v UseResult) bool { return v.Name == u.Name })
			if i < 0 || u.PerGame == 0 && y.Uses[i].PerGame == 0 {
				continue
			}
			v := y.Uses[i]
			out.Uses = append(out.Uses, UseChange{Name: u.Name, Agent: agent, Before: u.Games, After: v.Games, PerGame: [2]float64{u.PerGame, v.PerGame},
				IntervalsApart: u.Games.High < v.Games.Low || v.Games.High < u.Games.Low})
		}
	}
	out.say(an)
	return out, nil
}

// change is the contrast as a change from B to A.
func (k *Contrast) change(level float64) Change {
	m, _ := metricByName(k.Metric)
	c := Change{Metric: k.Metric, Title: m.Title, Unit: k.Unit, Primary: k.Primary, Agent: k.Agent, Before: k.MeanB, After: k.MeanA,
		Difference: k.Difference, Adjusted: k.Adjusted, Pairs: k.Difference.N, Excluded: math.Max(math.Abs(k.Difference.Low), math.Abs(k.Difference.High))}
	c.Overturned = overturned(k.CappedLow, k.CappedHigh) && k.Difference.Excludes(0)
	switch {
	case !k.ClaimAllowed:
		c.Verdict = VerdictNoClaim
	case k.evident(level) && k.within():
		c.Verdict = VerdictSmall
	case k.evident(level):
		c.Verdict = VerdictChanged
	case k.within():
		c.Verdict = VerdictWithin
	case k.Difference.Excludes(0):
		c.Verdict = VerdictHint
	default:
		c.Verdict = VerdictOpen
	}
	return c
}

// Words are the verdict with what it leaves open.
func (c Change) Words() string {
	switch c.Verdict {
	case VerdictChanged, VerdictSmall:
		return c.Verdict + " (" + PValue(c.Adjusted) + ")"
	case VerdictHint:
		if c.Overturned && c.Adjusted < 0.05 {
			return "perhaps changed, but the capped games could overturn it"
		}
		return "perhaps changed, but not clear after allowing for the number of comparisons (" + PValue(c.Adjusted) + ")"
	case VerdictNoClaim:
		return "no claim: too many games were capped, or are copies"
	}
	return c.Verdict + "; more than " + plainSize(c.Excluded, c.Unit) + " is unlikely"
}

// SignedInterval writes a difference with its interval, the unit once: "+2.1 points
// [+0.3, +3.9]".
func SignedInterval(iv stats.Interval, unit string) string {
	bare := func(x float64) string {
		s := Amount(x, unit, true)
		if i := strings.IndexByte(s, ' '); i > 0 {
			s = s[:i]
		}
		return s
	}
	return Amount(iv.Estimate, unit, true) + " [" + bare(iv.Low) + ", " + bare(iv.High) + "]"
}

// plainSize writes a size without a sign: "2.1 points".
func plainSize(x float64, unit string) string { return strings.TrimPrefix(Amount(x, unit, true), "+") }

// value writes a metric's value.
func (c Change) value(x float64) string { return Amount(x, c.Unit, false) }

// shortTitle names a metric without an article, for lists.
func shortTitle(metric string) string {
	short := map[string]string{
		"first-player-score": "the first player's score", "decisive-share": "games with a winner", "draw-share": "draws",
		"capped-share": "games that did not end", "length": "length", "captures": "captures",
	}[metric]
	m, _ := metricByName(metric)
	return orElse(short, m.Title)
}

// say writes the answer in sentences.
func (a *Answer) say(an *Analysis) {
	d := an.Design
	words := a.Strongest
	if c := an.Cell(a.From, a.Strongest, a.Strongest); c != nil {
		words = AgentWords(c.SpecA)
	}
	capped := [2]float64{}
	for _, c := range a.Changes {
		if c.Agent == a.Strongest && c.Metric == "capped-share" {
			capped = [2]float64{c.Before, c.After}
		}
	}
	// Where most games reach the cap their lengths are the cap, and that no change of them
	// shows is a ceiling.
	ceiling := math.Min(capped[0], capped[1]) > 0.5
	var changed, hints, none, silent []string
	for _, c := range a.Changes {
		if c.Agent != a.Strongest {
			continue
		}
		t := shortTitle(c.Metric)
		if c.Metric == "length" && ceiling && (c.Verdict == VerdictOpen || c.Verdict == VerdictWithin) {
			continue
		}
		if c.Primary {
			t += ", the primary measure,"
		}
		switch c.Verdict {
		case VerdictChanged, VerdictSmall:
			s := fmt.Sprintf("%s went from %s to %s, a change of %s", t, c.value(c.Before), c.value(c.After), SignedInterval(c.Difference, c.Unit))
			if c.Verdict == VerdictSmall {
				s += ", which is within the margin"
			}
			changed = append(changed, s)
		case VerdictHint:
			hints = append(hints, fmt.Sprintf("%s (%s)", strings.TrimSuffix(t, ","), Amount(c.Difference.Estimate, c.Unit, true)))
		case VerdictNoClaim:
			silent = append(silent, strings.TrimSuffix(t, ","))
		default:
			s := fmt.Sprintf("%s (more than %s is unlikely", strings.TrimSuffix(t, ","), plainSize(c.Excluded, c.Unit))
			if c.Verdict == VerdictWithin {
				s += "; shown to be within the margin"
			}
			none = append(none, s+")")
		}
	}
	lead := "With " + words + " on both sides, "
	if len(changed) > 0 {
		a.Short = append(a.Short, lead+strings.Join(changed, "; ")+".")
	} else {
		a.Short = append(a.Short, lead+"no measure is shown to have changed.")
	}
	if len(none) > 0 {
		a.Short = append(a.Short, "No change was shown in "+strings.Join(none, ", ")+". That is not the same as no change: a smaller one may be there.")
	}
	if len(hints) > 0 {
		a.Short = append(a.Short, "Perhaps changed, but not clearly enough for the number of things looked at or for the capped games among them: "+strings.Join(hints, ", ")+".")
	}
	if len(silent) > 0 {
		a.Short = append(a.Short, "No claim can be made about "+strings.Join(silent, ", ")+": too many games were stopped by the cap, or are copies of each other.")
	}
	if ceiling {
		a.Short = append(a.Short, fmt.Sprintf("Length says little: it is counted up to the cap of %d plies, where %s of the games stopped before and %s after. How long they would have gone on is not known; a larger cap would tell more.", d.Cap, Percent(capped[0]), Percent(capped[1])))
	}
	a.acrossAgents()
	for _, u := range a.Uses {
		if u.IntervalsApart && u.Agent == a.Strongest {
			a.Short = append(a.Short, fmt.Sprintf("Special plies: there were %s in %s of the games before and in %s after (on average %.1f and %.1f a game).", u.Name, Percent(u.Before.Estimate), Percent(u.After.Estimate), u.PerGame[0], u.PerGame[1]))
		}
	}

	a.Limits = append(a.Limits, "Exploratory: one primary measure was fixed before the games, all others were looked at besides. A hint to follow up with a planned experiment (edit design.yaml, then latro experiment plan), not a result.")
	switch n := len(a.Rules); {
	case n > 1:
		a.Limits = append(a.Limits, fmt.Sprintf("The two differ in %d rules: the comparison is of the bundle, and any of them may be the cause.", n))
	}
	if !a.CommonStarts {
		a.Limits = append(a.Limits, "The two were not played from the same positions, since their boards, pieces or openings differ: only the random seeds are common.")
	}
	if d.Starts.Kind == "random" {
		a.Limits = append(a.Limits, "Games began from random openings (a filled board where pieces are placed), so nothing is said about the skill of placing or opening.")
	}
	var open []string
	for _, s := range an.Strength {
		if s.Provisional {
			open = append(open, s.Title)
		}
	}
	if len(open) > 0 {
		a.Limits = append(a.Limits, "Provisional: stronger players may give another answer. The players tried are "+strings.Join(a.Agents, ", ")+"; nothing here says how people played.")
	}
	if !an.Complete {
		a.Limits = append(a.Limits, "The games are not complete: the numbers are preliminary.")
	}
}

// acrossAgents says whether the primary metric's change is the same for all players.
func (a *Answer) acrossAgents() {
	up, down, all := []string{}, []string{}, 0
	for _, c := range a.Changes {
		if !c.Primary {
			continue
		}
		all++
		if c.Verdict == VerdictChanged || c.Verdict == VerdictSmall {
			if c.Difference.Estimate > 0 {
				up = append(up, c.Agent)
			} else {
				down = append(down, c.Agent)
			}
		}
	}
	title := shortTitle(a.Metric)
	switch shown := len(up) + len(down); {
	case all < 2:
	case len(up) > 0 && len(down) > 0:
		a.Short = append(a.Short, fmt.Sprintf("The direction of the change in %s turns with the player: up with %s, down with %s. There is no one answer.", title, strings.Join(up, ", "), strings.Join(down, ", ")))
	case shown == all:
		a.Short = append(a.Short, fmt.Sprintf("All %d players show %s moving in the same direction.", all, title))
	case shown > 0:
		a.Short = append(a.Short, fmt.Sprintf("Only %s of %d players shows a change in %s.", strings.Join(append(up, down...), ", "), all, title))
	}
}
