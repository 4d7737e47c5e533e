package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"latro/env/rules"
	"latro/experiments/stats"
)

// SensitivityBudgets are the sets of UCT budgets that a look at all readings chooses
// from; each has two, so that a result is seen at more than one strength.
func SensitivityBudgets() [][]int { return [][]int{{25, 100, 400}, {25, 100}, {8, 32}, {4, 16}} }

// ErrOneReading is satisfied by the error of a ruleset that leaves nothing open: it
// has no reading that plays otherwise than its default.
var ErrOneReading = errors.New("one reading only")

// SensitivityDesign compares every reading of a ruleset with its default, on common
// starts. base names the ruleset, which r is opened as; metric is the primary one, the
// first player's score if empty. Readings that play like the default or like an earlier
// one are left out, and returned as sentences. Pairs, players, cap and margin are
// still to be fixed, by [Fit] or by hand.
func SensitivityDesign(base RulesetRef, r *rules.Ruleset, metric string) (Design, []string, error) {
	d := DefaultDesign()
	d.Exploratory = true
	d.Margin = 0
	if metric != "" {
		d.Metric = metric
	}
	plain, err := r.WithReading("default")
	if err != nil {
		return d, nil, err
	}
	if len(base.Set) > 0 {
		if plain, err = plain.With(base.Set...); err != nil {
			return d, nil, err
		}
	}
	d.Rulesets = []RulesetRef{base}
	seen := map[string]string{plain.Hash(): "the default reading"}
	var same, names []string
	for _, x := range r.Readings {
		y, err := r.WithReading(x.Name)
		if err == nil && len(base.Set) > 0 {
			y, err = y.With(base.Set...)
		}
		if err != nil {
			return d, nil, fmt.Errorf("reading %s: %w", x.Name, err)
		}
		if twin, ok := seen[y.Hash()]; ok {
			same = append(same, fmt.Sprintf("The reading %s plays like %s and was left out.", x.Name, twin))
			continue
		}
		seen[y.Hash()] = "the reading " + x.Name
		name := x.Name
		if x.Ambiguity != "" {
			name += " (" + x.Ambiguity + ")"
		}
		names = append(names, name)
		d.Rulesets = append(d.Rulesets, RulesetRef{Name: name, Ref: base.Ref + "@" + x.Name, Set: base.Set})
	}
	if len(names) == 0 {
		has := "it names no other reading"
		if len(same) > 0 {
			has = "its other readings play like the default"
		}
		return d, same, fmt.Errorf("%w: %w: %s leaves nothing open here (%s). Add readings to a ruleset file (docs/adding-a-ruleset.md), or change one rule with latro experiment compare %s --set PARAM=VALUE",
			ErrInvalid, ErrOneReading, orElse(r.Name, r.ID), has, r.ID)
	}
	d.ID = exploreID("sensitivity", d.refOf(plain))
	title := rulesetTitle(d, plain, d.ExpandRulesets()[0])
	d.Title = "Which reading of " + title + " matters most?"
	d.Question = fmt.Sprintf("The sources of %s leave questions open. Which of the %s changes the game most, against the default?", title, readingsWord(len(names)))
	for _, m := range exploredMetrics(d.Metric) {
		if m != d.Metric && m != "length" && m != "capped-share" && m != "decisive-share" && m != "first-player-score" {
			continue
		}
		for _, n := range names {
			d.Comparisons = append(d.Comparisons, Comparison{A: n, B: d.ExpandRulesets()[0].Name, Metric: m, Family: Screening})
		}
	}
	return d, same, nil
}

func readingsWord(n int) string {
	if n == 1 {
		return "1 other reading"
	}
	return fmt.Sprintf("%d other readings", n)
}

// ConfirmPairs is the number of pairs with which the top readings are looked at again
// in the share of the time that the first look left: the cells are fewer, so each gets
// more. It depends on the design alone.
func ConfirmPairs(d Design, top int, share float64) int {
	cells := float64(len(d.ExpandRulesets()))
	pairs := float64(d.Pairs) * (1 - share) / share * cells / float64(top+1)
	return min(int(pairs)/fewestPairs*fewestPairs, maxFitted)
}

// ConfirmDesign plays the given readings of a sensitivity design against the default
// again, on fresh seeds: what was found by looking for the largest is believed only
// from games that had no part in the finding. The contrasts of the primary metric
// under the given agent are claims fixed in advance, adjusted by Holm.
func ConfirmDesign(d Design, readings []string, agent string, pairs int) Design {
	first := d.ExpandRulesets()[0].Name
	out := d
	out.Rulesets = slices.Clone(d.Rulesets[:1])
	for _, r := range d.Rulesets[1:] {
		if slices.Contains(readings, r.Name) {
			out.Rulesets = append(out.Rulesets, r)
		}
	}
	out.ID = exploreID("confirm", strings.TrimPrefix(d.ID, "sensitivity-"))
	out.Title = "Does it show again? " + strings.TrimPrefix(d.Title, "Which reading of ")
	out.Title = strings.TrimSuffix(out.Title, " matters most?") + ", fresh games"
	out.Question = fmt.Sprintf("Does what stood out among all readings show again in games that had no part in finding it? Readings: %s.", strings.Join(readings, ", "))
	out.Seed = confirmSeed(d.Seed)
	out.Pairs, out.Resolved, out.Exploratory = pairs, nil, false
	out.Comparisons = nil
	for _, m := range []string{d.Metric, "length", "capped-share"} {
		if m == d.Metric && len(out.Comparisons) > 0 {
			continue
		}
		for _, r := range readings {
			for _, a := range d.Agents {
				c := Comparison{A: r, B: first, Metric: m, Agent: a.name(), Family: Screening}
				if m == d.Metric && a.name() == agent {
					c.Family = Confirmatory
				}
				out.Comparisons = append(out.Comparisons, c)
			}
		}
	}
	if ok, _ := out.Answers(); !ok {
		out.Exploratory = true
	}
	return out
}

// confirmSeed is another root of chance than the first look's.
func confirmSeed(seed uint64) uint64 { return seed ^ 0xc0f1_4a11_5eed }

// Sensitivity is how much each reading of a ruleset changes a game, against the
// default reading, with what chance alone makes of the largest of many numbers taken
// into account.
type Sensitivity struct {
	// Ruleset is the default's name for people, Metric and Unit what is measured.
	Ruleset string  `json:"ruleset"`
	Metric  string  `json:"metric"`
	Unit    string  `json:"unit"`
	Margin  float64 `json:"margin"`
	Level   float64 `json:"level"`
	// Agent is the one that the ranking is of: the strongest whose games allow claims;
	// Agents are all of them. Pairs is the number of start pairs.
	Agent  string   `json:"agent"`
	Agents []string `json:"agents"`
	Pairs  int      `json:"pairs"`
	// Tau is how large the effects of readings are, as a standard deviation about
	// nothing; nil where fewer than three could be ranked, whose estimates are then as
	// measured.
	Tau *stats.Interval `json:"tau,omitempty"`
	// Rows are the readings: those that can be ranked by the size of the shrunken
	// effect, then those without a claim.
	Rows []SensitivityRow `json:"rows"`
	// Short are sentences with the answer.
	Short []string `json:"short"`
}

// SensitivityRow is one reading.
type SensitivityRow struct {
	// Name is the ruleset's in the design, Reading its name, Doubts the numbers of the
	// questions that it answers otherwise, Questions these, and Note what it means.
	Name      string   `json:"name"`
	Reading   string   `json:"reading"`
	Doubts    []string `json:"doubts,omitempty"`
	Questions []string `json:"questions,omitempty"`
	Note      string   `json:"note,omitempty"`
	// Rules are "parameter: default → reading".
	Rules []string `json:"rules"`
	// Change is the primary metric's under the ranking's agent; Others under the
	// others, and Besides the other metrics' under the ranking's agent.
	Change  Change   `json:"change"`
	Others  []Change `json:"others"`
	Besides []Change `json:"besides"`
	// Ranked says that the row has a rank; then Shrunk is the effect pulled towards
	// nothing, Rank its rank by size with an interval, and First the chance to be the
	// largest.
	Ranked bool           `json:"ranked"`
	Shrunk stats.Interval `json:"shrunk"`
	Rank   stats.Interval `json:"rank"`
	First  float64        `json:"first"`
	// Capped are the shares of capped games of the default and the reading.
	Capped [2]float64 `json:"capped"`
	// Sentence says it in plain words.
	Sentence string `json:"sentence"`
}

// SensitivityOf ranks the readings of an experiment that compares readings of one
// ruleset with its default reading, the first of its rulesets; nil if it is another
// kind of experiment.
func SensitivityOf(an *Analysis) *Sensitivity {
	d := an.Design
	rs := d.ExpandRulesets()
	if d.Factorial != nil || len(rs) < 2 || len(an.Rules) != len(rs) {
		return nil
	}
	base, _, _ := strings.Cut(an.Rules[0].Ref, "+")
	if r := an.Rules[0].Reading; r != "" && r != "default" {
		return nil
	}
	for _, r := range an.Rules[1:] {
		ref, _, _ := strings.Cut(r.Ref, "+")
		if r.Reading == "" || r.Reading == "default" || ref != base+"@"+r.Reading {
			return nil
		}
	}
	m, _ := metricByName(d.Metric)
	out := &Sensitivity{Ruleset: an.Rules[0].Title, Metric: d.Metric, Unit: m.Unit, Margin: d.Margin, Level: d.Level, Rows: []SensitivityRow{}}
	find := func(ruleset, agent, metric string) *Contrast {
		i := slices.IndexFunc(an.Contrasts, func(k Contrast) bool {
			return k.A == ruleset && k.B == rs[0].Name && k.Agent == agent && k.Metric == metric
		})
		if i < 0 {
			return nil
		}
		return &an.Contrasts[i]
	}
	// The strongest agent whose games allow the most claims.
	allowed := -1
	// Of equal budgets the later in the design is the stronger: greedy after random.
	agents := slices.Clone(d.Agents)
	slices.Reverse(agents)
	slices.SortStableFunc(agents, func(a, b AgentRef) int { return cmp.Compare(agentBudget(b), agentBudget(a)) })
	for _, a := range agents {
		if !a.selfPlay() {
			continue
		}
		out.Agents = append(out.Agents, a.name())
		n := 0
		for _, r := range rs[1:] {
			if k := find(r.Name, a.name(), d.Metric); k != nil && k.ClaimAllowed {
				n++
			}
		}
		if n > allowed {
			allowed, out.Agent = n, a.name()
		}
	}
	slices.Reverse(out.Agents)
	arms := an.arms()
	baseline := findArm(arms, rs[0].Name, out.Agent)
	if baseline == nil {
		return nil
	}
	var ranked []int
	var values [][]float64
	for i, r := range rs[1:] {
		k, x := find(r.Name, out.Agent, d.Metric), findArm(arms, r.Name, out.Agent)
		if k == nil || x == nil {
			return nil
		}
		info := an.Rules[i+1]
		row := SensitivityRow{Name: r.Name, Reading: info.Reading, Doubts: info.Doubts, Note: info.ReadingNote, Rules: k.Changed,
			Change: k.change(d.Level), Capped: [2]float64{baseline.cells[0].Tally.CappedShare(), x.cells[0].Tally.CappedShare()}}
		for _, id := range info.Doubts {
			if q, ok := rules.LookUpDoubt(id); ok {
				row.Questions = append(row.Questions, q.Question)
			}
		}
		for _, a := range out.Agents {
			if o := find(r.Name, a, d.Metric); o != nil && a != out.Agent {
				row.Others = append(row.Others, o.change(d.Level))
			}
		}
		for _, metric := range exploredMetrics(d.Metric)[1:] {
			if o := find(r.Name, out.Agent, metric); o != nil {
				row.Besides = append(row.Besides, o.change(d.Level))
			}
		}
		row.Shrunk = row.Change.Difference
		if k.ClaimAllowed && k.Difference.N > 1 {
			ranked = append(ranked, len(out.Rows))
			va, vb := x.values(d.Metric), baseline.values(d.Metric)
			n := min(len(va), len(vb))
			diff := make([]float64, n)
			for j := range diff {
				diff[j] = va[j] - vb[j]
			}
			values = append(values, diff)
			out.Pairs = max(out.Pairs, k.Difference.N)
		}
		out.Rows = append(out.Rows, row)
	}
	out.rank(d, ranked, values)
	slices.SortStableFunc(out.Rows, func(x, y SensitivityRow) int {
		if x.Ranked != y.Ranked {
			return map[bool]int{true: -1, false: 1}[x.Ranked]
		}
		return cmp.Compare(math.Abs(y.Shrunk.Estimate), math.Abs(x.Shrunk.Estimate))
	})
	for i := range out.Rows {
		out.Rows[i].Sentence = out.sentence(&out.Rows[i])
	}
	out.say()
	return out
}

func agentBudget(a AgentRef) int {
	if _, n, ok := budgetOf(a.Spec, 0); ok {
		return n
	}
	return 0
}

// leastStep is what one pair can differ by at least: a quarter of a point in a score
// or share is half a game.
func leastStep(unit string) float64 {
	if unit == "points" {
		return 0.25
	}
	return 0.5
}

// rank shrinks the effects of the rows that can be claimed about; with fewer than
// three it ranks them as measured.
func (s *Sensitivity) rank(d Design, rows []int, values [][]float64) {
	n := math.MaxInt
	for _, v := range values {
		n = min(n, len(v))
	}
	if len(rows) < 3 || n < 2 {
		return
	}
	k := len(rows)
	mean := make([]float64, k)
	for i, v := range values {
		for _, x := range v[:n] {
			mean[i] += x / float64(n)
		}
	}
	c := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			sum := 0.0
			for p := range n {
				sum += (values[i][p] - mean[i]) * (values[j][p] - mean[j])
			}
			c.SetSym(i, j, sum/float64(n-1)/float64(n))
		}
		// A reading that made no difference in any game may still make one in the next:
		// its variance is that of a sample with one different pair more.
		step := leastStep(s.Unit)
		c.SetSym(i, i, math.Max(c.At(i, i), step*step/float64(n)/float64(n)))
	}
	fit, err := stats.ShrinkToZero(mean, c, d.Level, draws, stream(d.Seed, "sensitivity", s.Agent))
	if err != nil {
		return
	}
	s.Tau = &fit.Tau
	for i, r := range rows {
		it, row := fit.Items[i], &s.Rows[r]
		row.Ranked, row.Shrunk, row.Rank, row.First = true, it.Shrunk, it.Rank, it.First
	}
}

// Top are the names of the readings to look at again: those with evidence of an
// effect, at most three, or else the one that is most likely the largest; none if no
// reading allows a claim.
func (s *Sensitivity) Top() []string {
	var clear, best []string
	for _, r := range s.Rows {
		if r.Change.Verdict == VerdictNoClaim {
			continue
		}
		if len(best) == 0 {
			best = []string{r.Name}
		}
		if v := r.Change.Verdict; (v == VerdictChanged || v == VerdictSmall) && len(clear) < 3 {
			clear = append(clear, r.Name)
		}
	}
	if len(clear) > 0 {
		return clear
	}
	return best
}

// label is "A18" or "A1, A2", or the reading's name where its file numbers no doubt.
func (r *SensitivityRow) label() string {
	if len(r.Doubts) > 0 {
		return strings.Join(r.Doubts, ", ")
	}
	return "A question of its own"
}

// sentence says in plain words which question, what the reading is and what it does.
func (s *Sensitivity) sentence(r *SensitivityRow) string {
	var b strings.Builder
	b.WriteString(r.label())
	if len(r.Questions) == 1 {
		b.WriteString(": " + r.Questions[0])
	}
	fmt.Fprintf(&b, " The reading %s", r.Reading)
	if r.Note != "" {
		fmt.Fprintf(&b, " (%s)", strings.TrimRight(strings.TrimSpace(r.Note), "."))
	}
	title := shortTitle(s.Metric)
	c := r.Change
	switch {
	case c.Verdict == VerdictNoClaim:
		fmt.Fprintf(&b, " allows no claim about %s: %s of its games and %s of the default's were stopped by the cap, or too many are copies.", title, Percent(r.Capped[1]), Percent(r.Capped[0]))
	default:
		fmt.Fprintf(&b, ": %s was %s with it and %s in the default, a difference of %s as measured", title, c.value(c.After), c.value(c.Before), SignedInterval(c.Difference, c.Unit))
		if r.Ranked {
			fmt.Fprintf(&b, " and of %s once chance is allowed for", SignedInterval(r.Shrunk, c.Unit))
		}
		fmt.Fprintf(&b, "; %s.", c.Words())
	}
	var changed []string
	for _, x := range r.Besides {
		if x.Verdict == VerdictChanged || x.Verdict == VerdictSmall {
			changed = append(changed, fmt.Sprintf("%s from %s to %s", shortTitle(x.Metric), x.value(x.Before), x.value(x.After)))
		}
	}
	if len(changed) > 0 {
		fmt.Fprintf(&b, " Besides, it changes %s.", strings.Join(changed, "; "))
	}
	turned := []string{}
	for _, o := range r.Others {
		if (o.Verdict == VerdictChanged || o.Verdict == VerdictSmall) && o.Difference.Estimate*c.Difference.Estimate < 0 {
			turned = append(turned, o.Agent+" ("+Amount(o.Difference.Estimate, o.Unit, true)+")")
		}
	}
	if len(turned) > 0 {
		fmt.Fprintf(&b, " It goes the other way with %s.", strings.Join(turned, ", "))
	}
	return b.String()
}

// say writes the answer.
func (s *Sensitivity) say() {
	title := shortTitle(s.Metric)
	var ranked []*SensitivityRow
	silent, clear := 0, 0
	for i := range s.Rows {
		r := &s.Rows[i]
		switch r.Change.Verdict {
		case VerdictNoClaim:
			silent++
		case VerdictChanged, VerdictSmall:
			clear++
		}
		if r.Ranked {
			ranked = append(ranked, r)
		}
	}
	add := func(format string, args ...any) { s.Short = append(s.Short, fmt.Sprintf(format, args...)) }
	if len(ranked) > 0 {
		t := ranked[0]
		add("With %s on both sides, %s is the reading that most likely changes %s most (chance %s; its rank is from %.0f to %.0f of %d): by %s once chance is allowed for.",
			s.Agent, t.Name, title, Percent(t.First), t.Rank.Low, t.Rank.High, len(ranked), SignedInterval(t.Shrunk, s.Unit))
		add("The largest of %d measured changes is too large on average, because looking for the largest also finds the luckiest. The numbers once chance is allowed for are pulled towards nothing for that, and for the luck of the default's own games, which is in every comparison; fresh games are better still.", len(ranked))
		if s.Tau != nil {
			add("Readings of these rules change %s by about %s [%s, %s] (the spread of the true changes).", title, plainSize(s.Tau.Estimate, s.Unit), plainSize(s.Tau.Low, s.Unit), plainSize(s.Tau.High, s.Unit))
		}
	} else if len(s.Rows) > silent {
		add("Fewer than three readings can be ranked, so the changes are given as measured, with nothing to learn their usual size from.")
	}
	switch {
	case clear == 0 && len(s.Rows) > silent:
		add("For none of the %d readings is there evidence of a change in %s (after Benjamini and Hochberg's correction for all that was screened). That does not mean that they do not matter: each line says how large a change is still possible.", len(s.Rows)-silent, title)
	case clear > 0:
		add("There is evidence of a change in %s for %d of %d readings (after Benjamini and Hochberg's correction for all that was screened).", title, clear, len(s.Rows)-silent)
	}
	s.sayOthers(title, add)
	if silent > 0 {
		add("%d readings allow no claim about %s: too many games were stopped by the cap, in them or in the default, or are copies of each other.", silent, title)
	}
}

// sayOthers says what stands out under the agents that the ranking is not of, so that
// the ranking is not taken for all that was found.
func (s *Sensitivity) sayOthers(title string, add func(format string, args ...any)) {
	for _, agent := range s.Agents {
		if agent == s.Agent {
			continue
		}
		shown, allowed := 0, 0
		var largest Change
		name := ""
		for _, r := range s.Rows {
			for _, o := range r.Others {
				if o.Agent != agent || o.Verdict == VerdictNoClaim {
					continue
				}
				allowed++
				if o.Verdict != VerdictChanged && o.Verdict != VerdictSmall {
					continue
				}
				shown++
				if name == "" || math.Abs(o.Difference.Estimate) > math.Abs(largest.Difference.Estimate) {
					largest, name = o, r.Name
				}
			}
		}
		if shown > 0 {
			add("The ranking is of %s alone. With %s on both sides there is evidence of a change in %s for %d of %d readings; the largest as measured is that of %s, by %s.",
				s.Agent, agent, title, shown, allowed, name, SignedInterval(largest.Difference, largest.Unit))
		}
	}
}

// ConfirmWords say what fresh games make of what stood out in the first look.
func ConfirmWords(first, again Change) string {
	shown := func(c Change) bool { return c.Verdict == VerdictChanged || c.Verdict == VerdictSmall }
	same := first.Difference.Estimate*again.Difference.Estimate > 0
	switch {
	case again.Verdict == VerdictNoClaim:
		return "The fresh games allow no claim."
	case shown(again) && same:
		return "It shows again."
	case shown(again):
		return "It shows, but in the other direction: the first look was luck, or something else is at work."
	case again.Verdict == VerdictWithin:
		return "It does not show again; any change is shown to be within the margin."
	}
	return "It does not show again: " + again.Words() + "."
}
