package experiments

import (
	"math"
	"slices"
	"strings"

	"latro/experiments/stats"
)

// Test is one row of tests.csv.
type Test struct {
	// Contrast is a stable id of what is tested, and Kind "score" (is it one half?),
	// "even" (is it within the margin of one half?), "difference", "equivalence",
	// "effect", "interaction", "change" (from the smallest budget to the largest) or "trend".
	Contrast string
	Kind     string
	// RulesetA and RulesetB are compared, B empty where one is compared with a value;
	// for an effect they are the two levels.
	RulesetA, RulesetB string
	Agent, Metric      string
	Family             string
	Interval           stats.Interval
	P, Adjusted        float64
	// Adjustment is "holm", "bh" or "none", or "sequential" for the verdict of a sequential
	// test, which has no p-value (P and Adjusted are NaN).
	Adjustment   string
	N            int
	ClaimAllowed bool
	Decision     string
}

// Measure is one row of metrics.csv.
type Measure struct {
	Ruleset, AgentA, AgentB string
	// Budget is agent A's, 0 without one.
	Budget   int
	Metric   string
	Interval stats.Interval
	// N is the number of games and NEff what they are worth if some are copies.
	N    int
	NEff float64
}

// adjust fills in the adjusted p-values. Tests that ask whether something is there
// and tests that ask whether it is absent answer different questions and cannot both
// err about one effect, so each has families of its own: the confirmatory one across all
// groups (Holm), and for screening one for each group (Benjamini–Hochberg). The chance of
// a false claim is 5 % in each family, so over both kinds together at most 10 %, where some
// effects are absent and others exactly as large as the margin.
func (a *Analysis) adjust() {
	type entry struct {
		p    float64
		set  func(adjusted float64, size int)
		kind string // "present" or "absent"
	}
	families := map[string][]entry{}
	var order []string
	add := func(family, group string, e entry) {
		key := e.kind + "/" + family
		if family != Confirmatory {
			key += "/" + group
		}
		if families[key] == nil {
			order = append(order, key)
		}
		families[key] = append(families[key], e)
	}
	for i := range a.Cells {
		c := &a.Cells[i]
		if !c.SelfPlay {
			continue
		}
		add(c.Family, "scores", entry{c.ScoreP, func(q float64, _ int) { c.ScoreAdjusted = q }, "present"})
		add(c.Family, "scores", entry{evenP(c.Even), func(q float64, _ int) { c.EvenAdjusted = q }, "absent"})
	}
	for i := range a.Contrasts {
		k := &a.Contrasts[i]
		add(k.Family, "contrasts", entry{k.P, func(q float64, n int) { k.Adjusted, k.FamilySize = q, n }, "present"})
		if k.Equivalent != nil {
			add(k.Family, "contrasts", entry{evenP(*k.Equivalent), func(q float64, _ int) { k.EquivalentAdjusted = q }, "absent"})
		}
	}
	for i := range a.Effects {
		e := &a.Effects[i]
		group := effectGroup(e)
		add(e.Family, group, entry{e.P, func(q float64, n int) { e.Adjusted, e.FamilySize = q, n }, "present"})
		if e.Equivalent != nil {
			add(e.Family, group, entry{evenP(*e.Equivalent), func(q float64, _ int) { e.EquivalentAdjusted = q }, "absent"})
		}
	}
	for i := range a.Trends {
		t := &a.Trends[i]
		add(Screening, "trends", entry{t.P, func(q float64, n int) { t.Adjusted, t.Tests = q, n }, "present"})
	}
	for _, key := range order {
		es := families[key]
		p := make([]float64, len(es))
		for i, e := range es {
			p[i] = e.p
		}
		q := stats.BenjaminiHochberg(p)
		if strings.Contains(key, Confirmatory) {
			q = stats.Holm(p)
		}
		for i, e := range es {
			e.set(q[i], len(es))
		}
	}
	a.decide()
}

func effectGroup(e *Effect) string {
	if e.Order == 2 {
		return "interactions"
	}
	return "effects"
}

// evenP is the p-value of an equivalence test; one without data proves nothing.
func evenP(e stats.Equivalence) float64 {
	if !(e.P >= 0 && e.P <= 1) {
		return 1
	}
	return e.P
}

func adjustmentOf(family string) string {
	if family == Confirmatory {
		return "holm"
	}
	return "bh"
}

// evident says whether the test found a difference that may be claimed.
func (k *Contrast) evident(level float64) bool {
	return k.ClaimAllowed && k.Adjusted < 1-level && k.Difference.Excludes(0) && (k.Seeds == nil || k.Seeds.Excludes(0)) && !overturned(k.CappedLow, k.CappedHigh)
}

// overturned says whether the capped games could take a difference back: counted one way
// or another, it would not exclude zero. Both are nil without capped games.
func overturned(low, high *stats.Interval) bool {
	return low != nil && high != nil && !(low.Low > 0 || high.High < 0)
}

// within says whether the difference is shown to be no larger than the margin.
func (k *Contrast) within() bool {
	return k.ClaimAllowed && k.Equivalent != nil && k.Equivalent.Equivalent && k.EquivalentAdjusted < 0.05 && inside(k.Seeds, k.Equivalent.Margin)
}

// inside says whether the interval over the training seeds, if there is one, lies within
// the margin: networks that differ among themselves show no equality of rules.
func inside(seeds *stats.Interval, margin float64) bool {
	return seeds == nil || seeds.Low >= -margin && seeds.High <= margin
}

// evident and within are those of Contrast.
func (e *Effect) evident(level float64) bool {
	return e.ClaimAllowed && e.Adjusted < 1-level && e.Difference.Excludes(0) && (e.Seeds == nil || e.Seeds.Excludes(0)) && !overturned(e.CappedLow, e.CappedHigh)
}

func (e *Effect) within() bool {
	return e.ClaimAllowed && e.Equivalent != nil && e.Equivalent.Equivalent && e.EquivalentAdjusted < 0.05 && inside(e.Seeds, e.Equivalent.Margin)
}

// evident is that of Contrast.
func (t *Trend) evident(level float64) bool {
	return t.ClaimAllowed && t.Adjusted < 1-level && t.Change.Excludes(0) && (!t.Capped || t.robust)
}

// stopped says whether a sequential cell came to a verdict, which holds whatever the other cells do.
func (c *CellResult) stopped() bool { return c.Stop != nil && c.Stop.Verdict != DecisionOpen }

// robust says whether the verdict of a cell's sequential test holds whatever way the
// capped games count: the test counts them as half.
func (c *CellResult) robust() bool {
	switch {
	case c.Tally.Capped == 0:
	case c.Stop.Verdict == DecisionEven:
		return c.Even.Equivalent
	case c.Stop.Verdict == DecisionFirst:
		return c.ScoreLow.Low > 0.5
	case c.Stop.Verdict == DecisionSecond:
		return c.ScoreHigh.High < 0.5
	}
	return true
}

// withhold takes back every claim that rests on games still to be played: to look before all pairs of a fixed number are
// there, and to go on or not, would be a test of another size (the method's rule against peeking).
func (a *Analysis) withhold() {
	if a.Complete {
		return
	}
	for i := range a.Contrasts {
		a.Contrasts[i].ClaimAllowed = false
	}
	for i := range a.Effects {
		a.Effects[i].ClaimAllowed = false
	}
	for i := range a.Trends {
		a.Trends[i].ClaimAllowed = false
	}
}

// decide says what the tests say.
func (a *Analysis) decide() {
	alpha := 1 - a.Design.Level
	for i := range a.Cells {
		c := &a.Cells[i]
		switch {
		case !c.SelfPlay:
			continue
		case a.Design.Quick:
			c.Decision = DecisionTrial
		case !a.Complete && !c.stopped():
			c.Decision = DecisionUnfinished
		case !c.Tally.AllowsClaim():
			c.Decision = DecisionCapped
		case c.Duplicates:
			c.Decision = DecisionCopies
		case c.Stop != nil && !c.robust():
			c.Decision = DecisionOpen
		case c.Stop != nil:
			c.Decision = c.Stop.Verdict
		case c.Even.Equivalent && c.EvenAdjusted < 0.05:
			c.Decision = DecisionEven
		case c.Pairs > 1 && c.ScoreAdjusted < alpha && c.ScoreLow.Low > 0.5:
			c.Decision = DecisionFirst
		case c.Pairs > 1 && c.ScoreAdjusted < alpha && c.ScoreHigh.High < 0.5:
			c.Decision = DecisionSecond
		default:
			c.Decision = DecisionOpen
		}
	}
	arms := a.arms()
	for i := range a.Contrasts {
		k := &a.Contrasts[i]
		x, y := findArm(arms, k.A, k.Agent), findArm(arms, k.B, k.Agent)
		m, _ := metricByName(k.Metric)
		switch {
		case a.Design.Quick:
			k.Decision = DecisionTrial
		case !a.Complete:
			k.Decision = DecisionUnfinished
		case m.Capped && (x.capped() || y.capped()):
			k.Decision = DecisionCapped
		case x.copies() || y.copies():
			k.Decision = DecisionCopies
		case k.within():
			k.Decision = DecisionNoDifference
		case k.evident(a.Design.Level):
			k.Decision = DecisionDifference
		default:
			k.Decision = DecisionOpen
		}
	}
	for i := range a.Effects {
		e := &a.Effects[i]
		switch {
		case a.Design.Quick:
			e.Decision = DecisionTrial
		case !a.Complete:
			e.Decision = DecisionUnfinished
		case !e.ClaimAllowed && e.Difference.N > 1 && e.copies:
			e.Decision = DecisionCopies
		case !e.ClaimAllowed && e.Difference.N > 1:
			e.Decision = DecisionCapped
		case e.within():
			e.Decision = DecisionNoDifference
		case e.evident(a.Design.Level):
			e.Decision = DecisionDifference
		default:
			e.Decision = DecisionOpen
		}
	}
}

// decision says what the test of a trend's change says.
func (t *Trend) decision(a *Analysis) string {
	switch {
	case a.Design.Quick:
		return DecisionTrial
	case !a.Complete:
		return DecisionUnfinished
	case !t.ClaimAllowed && t.Copies:
		return DecisionCopies
	case !t.ClaimAllowed:
		return DecisionCapped
	case t.evident(a.Design.Level):
		return DecisionDifference
	}
	return DecisionOpen
}

// tabulate fills in the rows of the two tables.
func (a *Analysis) tabulate() {
	for i := range a.Cells {
		c := &a.Cells[i]
		_, budget := kindOf(c.SpecA)
		row := func(metric string, iv stats.Interval) {
			a.Measures = append(a.Measures, Measure{c.Name, c.A, c.B, budget, metric, iv, c.Games, c.Effective})
		}
		row("win-share", c.Shares.Win)
		row("draw-share", c.Shares.Draw)
		row("loss-share", c.Shares.Loss)
		row("capped-share", c.Shares.Capped)
		row("win-share", c.Posterior.Win)
		row("draw-share", c.Posterior.Draw)
		row("loss-share", c.Posterior.Loss)
		row("capped-share", c.Posterior.Capped)
		row("first-player-score", c.Score)
		row("first-player-score", c.ScoreBootstrap)
		row("first-player-score-capped-lost", c.ScoreLow)
		row("first-player-score-capped-won", c.ScoreHigh)
		if c.Stop != nil && c.Stop.Estimate != nil {
			row("first-player-score", *c.Stop.Estimate)
		}
		row("decisive-share", stats.Wilson(c.Tally.Win+c.Tally.Loss, c.Games, a.Design.Level))
		row("decisive-share-first-player", c.Decisive)
		row("length-restricted-mean", c.Length.Restricted)
		row("captures", c.Taken)
		if !c.SelfPlay {
			row("agent-score", c.AgentScore)
			row("agent-elo", c.AgentElo)
		}
		row("unique-share", c.uniqueShare(a.Design.Level))
		for _, u := range c.Uses {
			row("games-with-"+strings.ReplaceAll(u.Name, " ", "-"), u.Games)
		}
	}
	for _, s := range a.Strength {
		for _, x := range s.Seeds {
			a.Measures = append(a.Measures, Measure{Ruleset: s.Ruleset, AgentA: x.Agent, AgentB: x.Agent, Budget: x.Budget, Metric: "first-player-score", Interval: x.Mean, N: x.Mean.N, NEff: float64(x.Mean.N)})
		}
		for _, x := range s.Slopes {
			a.Measures = append(a.Measures, Measure{Ruleset: s.Ruleset, AgentA: x.High, AgentB: x.Low, Budget: x.HighBudget, Metric: "elo-per-doubling", Interval: x.EloPerDoubling, N: 2 * x.EloPerDoubling.N, NEff: float64(2 * x.EloPerDoubling.N)})
		}
	}

	for i := range a.Cells {
		c := &a.Cells[i]
		if !c.SelfPlay {
			continue
		}
		t := Test{
			Contrast: "score/" + c.Name + "/" + c.A, Kind: "score", RulesetA: c.Name, Agent: c.A, Metric: "first-player-score", Family: c.Family,
			Interval: c.Score, P: c.ScoreP, Adjusted: c.ScoreAdjusted, Adjustment: adjustmentOf(c.Family), N: c.Pairs, ClaimAllowed: c.ClaimAllowed, Decision: c.Decision,
		}
		if c.Stop != nil {
			// The decision is the sequential test's; p-values are those of a fixed number of
			// games and mean nothing after a stop.
			t.P, t.Adjusted, t.Adjustment = math.NaN(), math.NaN(), "sequential"
			if c.Stop.Estimate != nil {
				t.Interval = *c.Stop.Estimate
			}
			a.Tests = append(a.Tests, t)
			continue
		}
		a.Tests = append(a.Tests, t)
		t.Contrast, t.Kind, t.P, t.Adjusted = "even/"+c.Name+"/"+c.A, "even", evenP(c.Even), c.EvenAdjusted
		a.Tests = append(a.Tests, t)
	}
	for _, k := range a.Contrasts {
		t := Test{
			Contrast: k.ID(), Kind: "difference", RulesetA: k.A, RulesetB: k.B, Agent: k.Agent, Metric: k.Metric,
			Family: k.Family, Interval: k.Difference, P: k.P, Adjusted: k.Adjusted, Adjustment: adjustmentOf(k.Family), N: k.Difference.N, ClaimAllowed: k.ClaimAllowed, Decision: k.Decision,
		}
		a.Tests = append(a.Tests, t)
		if k.Equivalent != nil {
			t.Kind, t.P, t.Adjusted = "equivalence", evenP(*k.Equivalent), k.EquivalentAdjusted
			t.Contrast = "equivalence" + strings.TrimPrefix(t.Contrast, "contrast")
			a.Tests = append(a.Tests, t)
		}
	}
	for _, e := range a.Effects {
		kind := "effect"
		if e.Order == 2 {
			kind = "interaction"
		}
		t := Test{
			Contrast: kind + "/" + e.Metric + "/" + e.id() + "/" + e.Agent, Kind: kind, RulesetA: e.To, RulesetB: e.From, Agent: e.Agent, Metric: e.Metric,
			Family: e.Family, Interval: e.Difference, P: e.P, Adjusted: e.Adjusted, Adjustment: adjustmentOf(e.Family), N: e.Difference.N, ClaimAllowed: e.ClaimAllowed, Decision: e.Decision,
		}
		a.Tests = append(a.Tests, t)
		if e.Equivalent != nil {
			t.Contrast, t.Kind, t.P, t.Adjusted = "equivalence/"+t.Contrast, "equivalence", evenP(*e.Equivalent), e.EquivalentAdjusted
			a.Tests = append(a.Tests, t)
		}
		if e.OddsRatio != nil {
			t.Contrast, t.Kind, t.Interval, t.P, t.Adjusted, t.Adjustment = "odds/"+e.id()+"/"+e.Agent, "odds-ratio", *e.OddsRatio, e.OddsP, e.OddsP, "none"
			t.Family, t.Decision = Screening, "sensitivity check"
			a.Tests = append(a.Tests, t)
		}
	}
	for i := range a.Trends {
		x := &a.Trends[i]
		first, last := x.Points[0].Agent, x.Points[len(x.Points)-1].Agent
		a.Tests = append(a.Tests, Test{
			Contrast: "change/" + x.Metric + "/" + x.Ruleset + "/" + first + "/" + last, Kind: "change", RulesetA: x.Ruleset, Agent: last, Metric: x.Metric,
			Family: Screening, Interval: x.Change, P: x.P, Adjusted: x.Adjusted, Adjustment: adjustmentOf(Screening), N: x.Change.N, ClaimAllowed: x.ClaimAllowed, Decision: x.decision(a),
		})
	}
	for _, s := range a.Strength {
		for _, x := range s.Trends {
			for _, y := range []struct {
				what string
				iv   stats.Interval
				p    float64
			}{{"score", x.Score, x.PScore}, {"deviation", x.Deviation, x.PDeviation}} {
				a.Tests = append(a.Tests, Test{
					Contrast: "trend/" + y.what + "/" + s.Ruleset + "/" + x.Kind, Kind: "trend", RulesetA: s.Ruleset, Agent: x.Kind, Metric: y.what + "-per-doubling",
					Family: Screening, Interval: y.iv, P: y.p, Adjusted: y.p, Adjustment: "none", N: y.iv.N, ClaimAllowed: !slices.ContainsFunc(s.Points, func(p StrengthPoint) bool { return !p.ClaimAllowed }), Decision: "control",
				})
			}
		}
	}
}

// id names an effect in tests and findings.
func (e *Effect) id() string {
	id := strings.Join(e.Terms, "×")
	if e.Order == 1 {
		id += ":" + e.To
	}
	return id
}

// uniqueShare is the share of different games. It is counted, not estimated: how many
// copies more games would bring depends on their number, so there is no interval.
func (c *CellResult) uniqueShare(level float64) stats.Interval {
	iv := stats.Interval{Estimate: c.Unique, Low: math.NaN(), High: math.NaN(), Level: level, N: c.Games, Method: "count"}
	if c.Games > 2*maxCopies {
		iv.Method = "count, on a sample of hashes where there are many"
	}
	if c.Games == 0 {
		iv.Estimate = math.NaN()
	}
	return iv
}
