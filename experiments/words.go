package experiments

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"latro/experiments/stats"
	"latro/mcts"
)

// The sentences of a report. What they may say is settled by the method: always
// "under this agent, at this budget, on these starts", never that a game as such
// is even or drawn, and no claim where too many games were capped.

// AgentWords describes an agent's specification in words: "a UCT search with 100
// simulations a ply".
func AgentWords(spec string) string {
	s, err := mcts.ParseSpec(spec)
	if err != nil {
		return spec
	}
	if avoid := s.Options["avoid"]; avoid != "" {
		delete(s.Options, "avoid")
		return AgentWords(s.String()) + " that never " + strings.Join(restrictionWords(avoid), " and never ")
	}
	sims := s.Options["simulations"]
	switch s.Kind {
	case "random":
		return "the random agent"
	case "greedy":
		return "the greedy one-ply agent"
	case "uct":
		return fmt.Sprintf("a UCT search with %s simulations a ply", orElse(sims, "its default number of"))
	case "alphabeta":
		for _, limit := range [][2]string{{"nodes", "%s nodes"}, {"seconds", "%s seconds"}, {"depth", "%s plies of depth"}} {
			if v := s.Options[limit[0]]; v != "" {
				return "an alpha-beta search with " + fmt.Sprintf(limit[1], v) + " a ply"
			}
		}
	case "net":
		if sims == "" {
			return "a trained network with search"
		}
		return fmt.Sprintf("a trained network with %s simulations a ply", sims)
	}
	return spec
}

// restrictionWords says what an agent with avoid= never does.
func restrictionWords(avoid string) []string {
	words := map[string]string{"binding": "binds a man", "bonus": "makes a bonus move", "hop": "hops", "leader": "moves its leader", "row": "takes a row of men"}
	var out []string
	for _, rule := range strings.Split(avoid, "+") {
		out = append(out, orElse(words[rule], "uses "+rule))
	}
	return out
}

func orElse(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// Percent formats a share: "52.3 %".
func Percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return minus(Decimals(100*x, 1) + " %")
}

// minus replaces a hyphen before a number by a real minus sign, and drops it
// from a rounded zero.
func minus(s string) string {
	if strings.HasPrefix(s, "-") {
		if !strings.ContainsAny(s, "123456789") {
			return s[1:]
		}
		return "−" + s[1:]
	}
	return s
}

// Decimals writes a number with so many decimals, halves away from zero. What the
// order of a sum leaves beyond nine decimals is taken off first, so that one estimate is
// rounded the same way wherever it stands: −6.25 is −6.3, however it was summed.
func Decimals(x float64, decimals int) string {
	const clean = 1e9
	if math.Abs(x) < 1e6 {
		x = math.Round(x*clean) / clean
		k := math.Pow10(decimals)
		x = math.Round(math.Round(x*k*clean)/clean) / k
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Plural writes a number of things: "1 pair", "2 pairs".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Amount formats a value of a metric's unit; signed for differences.
func Amount(x float64, unit string, signed bool) string {
	if math.IsNaN(x) {
		return "–"
	}
	if math.IsInf(x, 0) {
		return map[bool]string{true: "∞", false: "−∞"}[x > 0]
	}
	var s string
	switch {
	case unit == "points" && signed:
		s = Decimals(100*x, 1) + " points"
	case unit == "points":
		s = Decimals(100*x, 1) + " %"
	case unit == "elo":
		s = Decimals(x, 0) + " Elo"
	default:
		s = Decimals(x, 1) + " " + unit
	}
	s = minus(s)
	if signed && x > 0 && !strings.HasPrefix(s, "−") && strings.ContainsAny(s, "123456789") {
		s = "+" + s
	}
	return s
}

// span formats an interval: "[49.1 %, 55.5 %]".
func span(iv stats.Interval, unit string, signed bool) string {
	return "[" + Amount(iv.Low, unit, signed) + ", " + Amount(iv.High, unit, signed) + "]"
}

// PValue formats a p-value: "p < 0.001" or "p = 0.034".
func PValue(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	if p > 0.999 {
		return "p = 1"
	}
	return fmt.Sprintf("p = %.3f", p)
}

func levelWords(level float64) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.1f", 100*level), "0"), ".") + " %"
}

// StartWords describes the start set.
func (d Design) StartWords() string {
	if d.Starts.Kind == "initial" {
		return "games from the initial position"
	}
	return fmt.Sprintf("random starts (all pieces of a placement game placed at random; at least %d random plies from a fixed array)", d.Starts.Plies)
}

func (d Design) startsShort(selfPlay bool) string {
	switch {
	case d.Starts.Kind == "initial":
		return "from the initial position"
	case selfPlay:
		return "from random starts and their colour-mirrored twins"
	}
	return "from random starts, each played twice with the roles swapped"
}

// describe fills in findings and warnings.
func (a *Analysis) describe() {
	d := a.Design
	switch {
	case d.Quick:
		a.warn("This is a quick trial of the design with few, short games: it shows what the report will look like, and its numbers mean nothing.")
	case d.Exploratory:
		a.warn("This experiment is exploratory: its design was not shown to have pairs enough to answer its question. What looks like a result here is a hint, to be confirmed by an experiment that was planned for it.")
	}
	if !a.Complete {
		a.warn("This experiment is not complete: the numbers are preliminary and may change, and no claim is made before all its games are played.")
	}
	for i := range a.Cells {
		c := &a.Cells[i]
		if c.Pairs == 0 {
			continue
		}
		where := fmt.Sprintf("%s, %s", c.Title, c.agents())
		if c.Tally.CappedShare() > stats.MaxCappedShare {
			a.warn("%s: %s of the games were stopped by the cap of %d plies, more than the %s above which no claim is made.",
				where, Percent(c.Tally.CappedShare()), d.Cap, Percent(stats.MaxCappedShare))
		}
		if c.Duplicates {
			a.warn("%s: only %s of the games are different from each other (they are worth about %.0f independent games); no claim is made.",
				where, Percent(c.Unique), c.Effective)
		}
		if c.SelfPlay {
			f := a.scoreFinding(c)
			if a.provisional(c, "first-player-score") {
				f.Provisional = true
				f.Sentence += " Provisional: over the budgets tried the score still moves, or may move, by more than the margin."
			}
			a.Findings = append(a.Findings, f)
		} else {
			a.Findings = append(a.Findings, a.strengthFinding(c))
		}
	}
	arms := a.arms()
	for i := range a.Contrasts {
		k := &a.Contrasts[i]
		x, y := findArm(arms, k.A, k.Agent).cells[0], findArm(arms, k.B, k.Agent).cells[0]
		if x.params != nil && y.params != nil {
			k.Changed, k.Dependent = changed(x.params, y.params)
		}
		if min(x.Pairs, y.Pairs) > 0 {
			f := a.contrastFinding(k, x, y)
			f.Provisional = a.provisional(x, k.Metric) || a.provisional(y, k.Metric)
			a.Findings = append(a.Findings, f)
		}
	}
	for i := range a.Effects {
		// The effect of a design's only factor is what the contrasts have said already.
		if e := &a.Effects[i]; e.Difference.N > 1 && len(d.Factorial.Factors) > 1 {
			a.Findings = append(a.Findings, a.effectFinding(e))
		}
	}
	for _, t := range a.Trends {
		a.Findings = append(a.Findings, a.trendFinding(t))
	}
	// What the design asked comes before what was looked at besides.
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		switch {
		case x.Primary == y.Primary:
			return 0
		case x.Primary:
			return -1
		}
		return 1
	})
	for _, s := range a.Strength {
		if s.Provisional {
			a.warn("%s: results are provisional, because not every check of the players' strength was passed (%s).", s.Title, s.failures())
		}
	}
	if d.Sequential() {
		a.warn("Games stopped as soon as the answer was there. An estimate at such a moment is too extreme on average; the one after the stop is corrected for that, and fresh games are better still. Differences between rulesets or budgets whose games stopped at different times use the pairs that both have, and their intervals and p-values hold only roughly.")
		tests, test := 0, d.evenTest()
		for _, c := range a.Cells {
			if c.Stop != nil {
				tests++
			}
		}
		if chance := float64(tests) * test.Alpha; tests > 1 && chance > 0.051 {
			a.warn("Each of the %d sequential tests errs by itself, with a chance of %g %% where the score is even; their number is not corrected for. If all scores were even, some %.1f of them would be called favourable to one player by mistake.", tests, 100*test.Alpha, chance)
		}
		if tests > 1 {
			a.warn("Each score that a sequential test calls even has a chance of %g %% of being off by the margin all the same; %d scores were tested.", 100*test.Beta, tests)
		}
	}
	if d.Starts.Kind == "initial" {
		a.warn("All games start from one position, so they differ only by the agents' own chance.")
	}
}

// provisional says whether the trend of a cell's ruleset and kind of agent leaves a
// result open: that of the score for scores, that of the primary metric for all else.
func (a *Analysis) provisional(c *CellResult, metric string) bool {
	if metric != "first-player-score" {
		metric = a.Design.Metric
	}
	kind, _, ok := budgetOf(c.SpecA, c.TrainingSeed)
	for _, t := range a.Trends {
		if ok && t.Ruleset == c.Name && t.Kind == kind && t.Metric == metric && t.Provisional {
			return true
		}
	}
	return false
}

func (a *Analysis) trendFinding(t Trend) Finding {
	d := a.Design
	m, _ := metricByName(t.Metric)
	f := Finding{ID: "trend/" + t.Ruleset + "/" + t.Kind, Kind: "trend", Unit: m.Unit, Provisional: t.Provisional}
	margin := d.Margin
	if t.Metric == "first-player-score" {
		margin = d.ScoreMargin()
	} else {
		f.ID = "trend/" + t.Metric + "/" + t.Ruleset + "/" + t.Kind
	}
	numbers(&f, t.Change)
	f.ExcludesNoEffect = t.evident(d.Level)
	f.NoClaim = !t.ClaimAllowed
	adj := t.Adjusted
	f.PAdjusted = &adj
	after := afterWords(adj, Screening, t.Tests)
	first, last := t.Points[0], t.Points[len(t.Points)-1]
	title := t.Ruleset
	if c := a.Cell(t.Ruleset, first.Agent, first.Agent); c != nil {
		title = c.Title
	}
	who := map[string]string{"uct": "a UCT search", "net": "a trained network with search"}[strings.SplitN(t.Kind, ":", 2)[0]]
	f.Sentence = fmt.Sprintf("In %s, as %s on both sides grew from %d to %d simulations a ply, %s went from %s to %s: a change of %s %s (%s interval from %s).",
		title, orElse(who, t.Kind+" search"), first.Simulations, last.Simulations, m.Title, Amount(first.Value.Estimate, m.Unit, false), Amount(last.Value.Estimate, m.Unit, false),
		Amount(t.Change.Estimate, m.Unit, true), span(t.Change, m.Unit, true), levelWords(d.Level), Plural(t.Change.N, "pair"))
	within := "±" + strings.TrimPrefix(Amount(margin, m.Unit, true), "+")
	switch {
	case !t.ClaimAllowed:
		f.Sentence += a.noClaim()
	case f.ExcludesNoEffect:
		f.Sentence += " Strength shifts the result here (" + after + "), so a result at one budget does not carry over to stronger players."
	case t.Change.Excludes(0) && t.Adjusted >= 1-d.Level:
		f.Sentence += " Taken alone the interval excludes a change of zero, but among all the trends looked at that is no evidence (" + after + "): a hint, not a result."
	case t.Change.Excludes(0) && t.Provisional:
		f.Sentence += " The interval excludes a change of zero, but the capped games could overturn this."
	case t.Provisional:
		f.Sentence += fmt.Sprintf(" No clear trend, but a change beyond the margin of %s is not excluded either, so the results at single budgets are provisional.", within)
	default:
		f.Sentence += fmt.Sprintf(" The change lies within the margin of %s over these budgets.", within)
	}
	return f
}

// failures names the controls that were not passed, and those that were not measured.
func (s *Strength) failures() string {
	var failed, open []string
	for _, c := range s.Controls {
		title := strings.ToLower(c.Title[:1]) + c.Title[1:]
		switch {
		case c.NotMeasured:
			open = append(open, title)
		case c.Passed != nil && !*c.Passed:
			failed = append(failed, title)
		}
	}
	var out []string
	if len(failed) > 0 {
		out = append(out, "failed: "+strings.Join(failed, "; "))
	}
	if len(open) > 0 {
		out = append(out, "not measured: "+strings.Join(open, "; "))
	}
	return strings.Join(out, "; ")
}

// afterWords names an adjusted p-value with its correction.
func afterWords(p float64, family string, size int) string {
	out := PValue(p)
	switch {
	case size < 2:
	case family == Confirmatory:
		out += fmt.Sprintf(" after Holm's correction for %d comparisons", size)
	default:
		out += fmt.Sprintf(" after Benjamini and Hochberg's correction for %d screened comparisons", size)
	}
	return out
}

// MarginWords is the margin in the unit of the primary metric, as "5.0 points".
func (d Design) MarginWords() string {
	m, _ := metricByName(d.Metric)
	return strings.TrimPrefix(Amount(d.Margin, m.Unit, true), "+")
}

// beyond says of a difference that is there whether it is shown to be larger than the margin; nothing where the
// design has no margin for it.
func (d Design) beyond(difference stats.Interval, tested *stats.Equivalence) string {
	switch {
	case tested == nil:
		return ""
	case difference.Low > d.Margin || difference.High < -d.Margin:
		return fmt.Sprintf(" The whole interval lies beyond the margin of ±%s that was fixed in advance.", d.MarginWords())
	}
	return fmt.Sprintf(" That it is larger than the margin of ±%s that was fixed in advance is not shown.", d.MarginWords())
}

// noClaim says why nothing is claimed.
func (a *Analysis) noClaim() string {
	switch {
	case a.Design.Quick:
		return " No claim is made from it: this is a trial run."
	case !a.Complete:
		return " No claim is made from it: not all games of the design are played."
	}
	return " No claim is made from it, because too many games were capped or are copies of each other."
}

// cappedWords say how far a difference of scores depends on the capped games.
func cappedWords(what string, low, high *stats.Interval) string {
	if low == nil || high == nil {
		return ""
	}
	return fmt.Sprintf(" Depending on how capped games count, the %s lies between %s and %s.", what, Amount(low.Estimate, "points", true), Amount(high.Estimate, "points", true))
}

func (a *Analysis) effectFinding(e *Effect) Finding {
	d := a.Design
	f := Finding{ID: "effect/" + e.Metric + "/" + e.id() + "/" + e.Agent, Kind: "effect", Unit: e.Unit, Primary: e.Metric == d.Metric && e.Family == Confirmatory}
	numbers(&f, e.Difference)
	adj := e.Adjusted
	f.PAdjusted = &adj
	f.ExcludesNoEffect, f.Within, f.NoClaim = e.evident(d.Level), e.within(), !e.ClaimAllowed
	m, _ := metricByName(e.Metric)
	agent := e.Agent
	for i := range a.Cells {
		if c := &a.Cells[i]; c.SelfPlay && c.Agent == e.Agent {
			agent = AgentWords(c.SpecA)
			f.Provisional = f.Provisional || a.provisional(c, e.Metric)
		}
	}
	s := fmt.Sprintf("With %s on both sides and averaged over the other rules of the design, ", agent)
	if e.Order == 1 {
		s += fmt.Sprintf("%s changed by %s %s when %s went from %s to %s", m.Title, Amount(e.Difference.Estimate, e.Unit, true), span(e.Difference, e.Unit, true),
			termWords(e.Terms[0]), orElse(e.From, "(none)"), orElse(e.To, "(none)"))
	} else {
		s += fmt.Sprintf("the effect of %s on %s differed by %s %s between the two values of %s", termWords(e.Terms[0]), m.Title, Amount(e.Difference.Estimate, e.Unit, true), span(e.Difference, e.Unit, true), termWords(e.Terms[1]))
	}
	s += fmt.Sprintf(" (%s interval from %s).", levelWords(d.Level), Plural(e.Difference.N, "start pair"))
	after := afterWords(adj, e.Family, e.FamilySize)
	if e.Seeds != nil {
		s += fmt.Sprintf(" Over %d training seeds the effect is %s %s.", e.Seeds.N, Amount(e.Seeds.Estimate, e.Unit, true), span(*e.Seeds, e.Unit, true))
	}
	switch e.Decision {
	case DecisionCapped, DecisionCopies, DecisionTrial, DecisionUnfinished:
		s += a.noClaim()
	case DecisionNoDifference:
		if f.ExcludesNoEffect {
			s += " There is evidence that the rules do this (" + after + "), but that"
		} else {
			s += " That"
		}
		s += fmt.Sprintf(" is shown to be within the margin of ±%s (%s).", d.MarginWords(), PValue(e.EquivalentAdjusted))
	case DecisionDifference:
		s += " There is evidence that the rules do this (" + after + ")." + d.beyond(e.Difference, e.Equivalent)
	default:
		switch {
		case e.Adjusted < 1-d.Level && overturned(e.CappedLow, e.CappedHigh):
			s += " The capped games could overturn this, so it is no evidence."
		case e.Adjusted < 1-d.Level && e.Seeds != nil && !e.Seeds.Excludes(0):
			s += " The networks of the single training seeds differ too much among themselves to say that the rules have an effect."
		default:
			s += fmt.Sprintf(" No clear evidence of an effect (%s).", after)
		}
	}
	s += cappedWords("effect", e.CappedLow, e.CappedHigh)
	if len(e.Aliases) > 0 {
		s += fmt.Sprintf(" The design cannot tell it from %s.", strings.Join(e.Aliases, ", "))
	}
	if !f.Primary {
		s += " (A secondary measure.)"
	}
	f.Sentence = s
	return f
}

func (a *Analysis) warn(format string, args ...any) {
	a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
}

func (c *CellResult) agents() string {
	if c.SelfPlay {
		return c.A
	}
	return c.A + " against " + c.B
}

// changed lists "parameter: value in b → value in a" for every difference: first
// those of rules that both have, then those of rules that only exist because of
// another one, as how bound pieces are removed where captures bind.
func changed(a, b map[string]string) (own, dependent []string) {
	own = []string{}
	idleA, idleB := meaningless(a), meaningless(b)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		vb, ok := b[name]
		if !ok || a[name] == vb {
			continue
		}
		s := fmt.Sprintf("%s: %s → %s", name, orElse(vb, "(none)"), orElse(a[name], "(none)"))
		if idleA(name) || idleB(name) {
			dependent = append(dependent, s)
		} else {
			own = append(own, s)
		}
	}
	return own, dependent
}

func numbers(f *Finding, iv stats.Interval) {
	num := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	f.Estimate, f.Low, f.High, f.Level, f.N = num(iv.Estimate), num(iv.Low), num(iv.High), iv.Level, iv.N
}

func (a *Analysis) scoreFinding(c *CellResult) Finding {
	d := a.Design
	f := Finding{
		ID: "score/" + c.Name + "/" + c.A, Kind: "score", Unit: "points", NoEffect: 0.5,
		Primary: d.Metric == "first-player-score", NoClaim: !c.ClaimAllowed,
	}
	numbers(&f, c.Score)
	who, being := "the first player", "moving first"
	if c.SecondMoves {
		who, being = "the first player, who places first and moves second,", "being that player"
	}
	lead := fmt.Sprintf("In %s, with %s on both sides, %s, ", c.Title, AgentWords(c.SpecA), d.startsShort(true))
	if !c.Tally.AllowsClaim() {
		f.Sentence = lead + fmt.Sprintf("no claim about the first player's score is made: %s of the %d games were stopped by the length cap of %d plies. "+
			"Counting those as half, the score is %s; had all of them been lost it would be %s, had all been won %s.",
			Percent(c.Tally.CappedShare()), c.Games, d.Cap, Percent(c.Score.Estimate), Percent(c.ScoreLow.Estimate), Percent(c.ScoreHigh.Estimate))
		return f
	}
	f.Sentence = lead + fmt.Sprintf("%s scored %s %s (%s interval from %s).",
		who, Percent(c.Score.Estimate), span(c.Score, "points", false), levelWords(d.Level), Plural(c.Pairs, "pair"))
	if c.Tally.Capped > 0 {
		f.Sentence += fmt.Sprintf(" Depending on how capped games count (%d of %d), it lies between %s and %s.",
			c.Tally.Capped, c.Games, Percent(c.ScoreLow.Estimate), Percent(c.ScoreHigh.Estimate))
	}
	if c.Duplicates {
		f.Sentence += " No claim is made, since too many of the games are copies of each other."
		return f
	}
	if !c.ClaimAllowed {
		f.Sentence += a.noClaim()
		return f
	}
	f.ExcludesNoEffect = c.Score.Excludes(0.5)
	adj := c.ScoreAdjusted
	margin := fmt.Sprintf("±%g points", 100*d.ScoreMargin())
	f.Within = c.Decision == DecisionEven
	if c.Stop == nil {
		// The p-value is that of a fixed number of games.
		f.PAdjusted = &adj
	}
	if c.Stop != nil {
		d.stopSentence(&f, c)
		return f
	}
	// Whatever way the capped games counted, the interval must lie on one side.
	robust := c.ScoreLow.Low > 0.5 || c.ScoreHigh.High < 0.5
	side := "an advantage"
	if c.Score.Estimate < 0.5 {
		side = "a disadvantage"
	}
	switch {
	case f.ExcludesNoEffect && f.Within:
		// There is something only if that, too, is shown.
		f.ExcludesNoEffect = adj < 1-d.Level && robust
		f.Sentence += fmt.Sprintf(" The interval excludes exactly 50 %%, but the deviation is shown to be within the margin of %s that was fixed in advance (%s).", margin, PValue(c.EvenAdjusted))
	case f.ExcludesNoEffect && adj >= 1-d.Level:
		f.ExcludesNoEffect = false
		f.Sentence += fmt.Sprintf(" Taken alone the interval excludes 50 %%, but among all the scores looked at that is no evidence (%s): a hint to follow up with fresh games, not a result.", PValue(adj))
	case f.ExcludesNoEffect:
		f.Sentence += fmt.Sprintf(" The interval excludes 50 %%: %s was %s for this agent on these starts.", being, side)
		if c.Tally.Capped > 0 && !robust {
			f.Sentence += " (The capped games could overturn this.)"
			f.ExcludesNoEffect = false
		}
	case f.Within:
		f.Sentence += fmt.Sprintf(" That is equivalent to an even score within the margin of %s that was fixed in advance (%s).", margin, PValue(c.EvenAdjusted))
	default:
		f.Sentence += fmt.Sprintf(" The games are too few to tell: the interval does not exclude 50 %%, and a score within %s of it is not shown either.", margin)
	}
	return f
}

// stopSentence says what a sequential test decided.
func (d Design) stopSentence(f *Finding, c *CellResult) {
	margin := fmt.Sprintf("±%g points", 100*d.ScoreMargin())
	f.ExcludesNoEffect = c.Decision == DecisionFirst || c.Decision == DecisionSecond
	if e := c.Stop.Estimate; e != nil {
		numbers(f, *e)
		f.Sentence += fmt.Sprintf(" Corrected for having stopped when the answer was there, the score is %s %s.", Percent(e.Estimate), span(*e, "points", false))
	}
	if c.Decision == DecisionOpen && c.stopped() {
		f.Sentence += fmt.Sprintf(" After %s the sequential test stopped (%s), but it counts capped games as half, and counted otherwise they could overturn this: nothing is claimed.", Plural(c.Stop.Pairs, "pair"), c.Stop.Verdict)
		return
	}
	switch c.Decision {
	case DecisionEven:
		f.Sentence += fmt.Sprintf(" After %d pairs the sequential test took the score to be even rather than off by the margin of %s that was fixed in advance.", c.Stop.Pairs, margin)
	case DecisionFirst, DecisionSecond:
		f.Sentence += fmt.Sprintf(" After %d pairs the sequential test took the score to be off by the margin of %s rather than even: %s.", c.Stop.Pairs, margin, c.Decision)
	default:
		f.Sentence += fmt.Sprintf(" The sequential test had not decided after %d of at most %d pairs.", c.Stop.Pairs, c.Stop.Max)
	}
}

func (a *Analysis) strengthFinding(c *CellResult) Finding {
	d := a.Design
	f := Finding{
		ID: "strength/" + c.Name + "/" + c.A + "/" + c.B, Kind: "strength", Unit: "points", NoEffect: 0.5,
	}
	numbers(&f, c.AgentScore)
	f.NoClaim = c.Duplicates || d.Quick || !a.Complete || !c.Tally.AllowsClaim()
	f.ExcludesNoEffect = c.AgentScore.Excludes(0.5) && !f.NoClaim
	f.Sentence = fmt.Sprintf("In %s, %s scored %s %s (%s interval from %s of games, %s) against %s.",
		c.Title, AgentWords(c.SpecA), Percent(c.AgentScore.Estimate), span(c.AgentScore, "points", false), levelWords(d.Level), Plural(c.Pairs, "pair"), d.startsShort(false), AgentWords(c.SpecB))
	switch {
	case c.AgentElo.Method == "elo-one-sided" && c.AgentScore.Estimate == 1:
		f.Sentence += fmt.Sprintf(" It won every game, so its rating lead has only a lower bound: at least %s.", Amount(c.AgentElo.Low, "elo", true))
	case c.AgentElo.Method == "elo-one-sided":
		f.Sentence += fmt.Sprintf(" It lost every game, so its rating deficit has only a bound: at most %s.", Amount(c.AgentElo.High, "elo", true))
	default:
		f.Sentence += fmt.Sprintf(" That is a rating difference of %s %s.", Amount(c.AgentElo.Estimate, "elo", true), span(c.AgentElo, "elo", true))
	}
	switch {
	case c.Duplicates:
		f.Sentence += " No claim is made, since too many of the games are copies of each other."
	case f.NoClaim:
		f.Sentence += a.noClaim()
	case c.AgentScore.Low > 0.5:
		f.Sentence += " The whole interval lies above 50 %: it is the stronger of the two here."
	case c.AgentScore.High < 0.5:
		f.Sentence += " The whole interval lies below 50 %: it is the weaker of the two here."
	default:
		f.Sentence += " The interval holds 50 %: which of the two is stronger is not settled."
	}
	if c.Tally.Capped > 0 {
		f.Sentence += fmt.Sprintf(" %s of these games were stopped by the length cap and count as half.", Percent(c.Tally.CappedShare()))
	}
	return f
}

// ID names a contrast in findings and tests.
func (k *Contrast) ID() string {
	return fmt.Sprintf("contrast/%s/%s/%s/%s", k.Metric, k.A, k.B, k.Agent)
}

// changedWords says in what rules the two differ.
func (k *Contrast) changedWords() string {
	n := len(k.Changed)
	if k.Changed == nil {
		return ""
	}
	if n == 0 && len(k.Dependent) == 0 {
		return " The two have the same rules, so any difference is chance."
	}
	with := ""
	switch len(k.Dependent) {
	case 0:
	case 1:
		with = ", and one that exists with it only"
	default:
		with = fmt.Sprintf(", and %d that exist with it only", len(k.Dependent))
	}
	const few = 3
	switch {
	case n == 1:
		return fmt.Sprintf(" The two differ in one rule (%s%s).", k.Changed[0], with)
	case n == 0:
		return fmt.Sprintf(" The two differ in %s.", strings.Join(k.Dependent[:min(few, len(k.Dependent))], "; "))
	case n <= few:
		return fmt.Sprintf(" The two differ in %d rules (%s%s), so the cause may be any of them.", n, strings.Join(k.Changed, "; "), strings.ReplaceAll(with, "with it only", "with these only"))
	}
	return fmt.Sprintf(" The two differ in %d rules, so the cause may be any of them.", n)
}

func (a *Analysis) contrastFinding(k *Contrast, x, y *CellResult) Finding {
	d := a.Design
	m, _ := metricByName(k.Metric)
	f := Finding{
		ID: k.ID(), Kind: "contrast", Unit: k.Unit, Primary: k.Primary,
	}
	numbers(&f, k.Difference)
	adj := k.Adjusted
	f.PAdjusted = &adj
	f.ExcludesNoEffect, f.Within, f.NoClaim = k.evident(d.Level), k.within(), !k.ClaimAllowed
	s := fmt.Sprintf("With %s on both sides, %s was %s in %s and %s in %s: a difference of %s %s (%s interval from %s",
		AgentWords(x.SpecA), m.Title, Amount(k.MeanA, k.Unit, false), x.Title, Amount(k.MeanB, k.Unit, false), y.Title,
		Amount(k.Difference.Estimate, k.Unit, true), span(k.Difference, k.Unit, true), levelWords(d.Level), Plural(k.Difference.N, "pair"))
	if k.CommonStarts {
		s += " on the same starts"
	}
	s += ")."
	after := afterWords(adj, k.Family, k.FamilySize)
	if k.Seeds != nil {
		s += fmt.Sprintf(" Over %d training seeds the difference is %s %s.", k.Seeds.N, Amount(k.Seeds.Estimate, k.Unit, true), span(*k.Seeds, k.Unit, true))
	}
	switch {
	case !k.ClaimAllowed:
		s += a.noClaim()
	case f.ExcludesNoEffect && adj < 0.001:
		s += " The evidence that the rules make this difference is very strong (" + after + ")."
	case f.ExcludesNoEffect && adj < 0.01:
		s += " The evidence that the rules make this difference is strong (" + after + ")."
	case f.ExcludesNoEffect:
		s += " There is evidence that the rules make this difference, but it is not strong (" + after + ")."
	case k.Decision == DecisionNoDifference:
	case k.Adjusted < 1-d.Level && overturned(k.CappedLow, k.CappedHigh):
		s += " The capped games could overturn this, so it is no evidence."
	case k.Adjusted < 1-d.Level && k.Seeds != nil && !k.Seeds.Excludes(0):
		s += " The networks of the single training seeds differ too much among themselves to say that the rules make the difference."
	case k.Difference.Excludes(0):
		s += " Taken alone the interval excludes a difference of zero, but among all the comparisons made that is no evidence (" + after + "): a hint to follow up with fresh games, not a result."
	default:
		s += fmt.Sprintf(" No clear evidence of a difference (%s); effects anywhere in the interval remain possible.", after)
	}
	switch {
	case k.Decision == DecisionNoDifference:
		s += fmt.Sprintf(" The difference is shown to be within the margin of ±%s that was fixed in advance (%s).", d.MarginWords(), PValue(k.EquivalentAdjusted))
	case f.ExcludesNoEffect:
		s += d.beyond(k.Difference, k.Equivalent)
	}
	s += cappedWords("difference", k.CappedLow, k.CappedHigh)
	s += k.changedWords()
	if !k.Primary {
		s += " (A secondary measure.)"
	}
	f.Sentence = s
	return f
}
