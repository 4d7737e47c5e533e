package experiments

import (
	"errors"
	"math"
	"slices"
	"strings"

	"latro/experiments/stats"
)

// Effect is what one rule, or two together, does to a metric, averaged over the
// other factors of the design, for one agent.
type Effect struct {
	// Terms are the factors' names and Name is a heading: "A: capture.corner" or "A×B".
	Terms []string `json:"terms"`
	Name  string   `json:"name"`
	// Order is 1 for a main effect and 2 for an interaction.
	Order int `json:"order"`
	// From and To are the values that a main effect compares: metric(To) −
	// metric(From). For an interaction they are empty: it is how much the first
	// factor's effect changes from the second one's first value to its second.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Agent plays itself in all of it; Metric and Unit say what is measured.
	Agent  string `json:"agent"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// Difference is the effect, by least squares over the runs within each start pair,
	// with Student's interval over the start pairs, which are the clusters.
	Difference stats.Interval `json:"difference"`
	P          float64        `json:"p"`
	Adjusted   float64        `json:"p_adjusted"`
	Family     string         `json:"family"`
	FamilySize int            `json:"family_size"`
	// Equivalent is the test of the effect being within the design's margin.
	Equivalent         *stats.Equivalence `json:"equivalent,omitempty"`
	EquivalentAdjusted float64            `json:"equivalent_p_adjusted,omitzero"`
	// CappedLow and CappedHigh are as in a contrast.
	CappedLow  *stats.Interval `json:"difference_capped_low,omitempty"`
	CappedHigh *stats.Interval `json:"difference_capped_high,omitempty"`
	// OddsRatio is the first player's cumulative odds ratio in the proportional-odds
	// model of loss, draw and win (capped games left out), with errors robust to
	// clusters of start pairs; for the score only, and nil where it cannot be fitted.
	OddsRatio *stats.Interval `json:"odds_ratio,omitempty"`
	OddsP     float64         `json:"odds_p,omitzero"`
	// Aliases are other effects that the design cannot tell from this one.
	Aliases []string `json:"aliases,omitempty"`
	// Seeds is the effect with Student's interval over the training seeds, for agents whose
	// networks have two or more.
	Seeds        *stats.Interval `json:"seeds,omitempty"`
	ClaimAllowed bool            `json:"claim_allowed"`
	Decision     string          `json:"decision"`

	// copies says that a run has too many copies.
	copies bool
}

// jointEffect gathers one effect pair by pair: a weighted sum over the runs.
type jointEffect struct {
	agent   string
	metric  int
	cells   [][]int // of each run
	effect  contrast
	value   difference
	weights []float64
}

func (e *jointEffect) add(i int, at func(cell, i int) *pairValues) {
	sum, doubt := 0.0, 0.0
	for r, cells := range e.cells {
		v, _, ok := meanOf(cells, e.metric, i, at)
		if !ok {
			return
		}
		sum += e.weights[r] * v
		doubt += math.Abs(e.weights[r]) * doubtOf(cells, e.metric, i, at)
	}
	// What cancels must be zero, not the rounding of a sum.
	e.value.add(math.Round(sum*(1<<32))/(1<<32), doubt)
}

// span is the largest effect that there can be: half the sum of the weights' sizes,
// since they add up to zero, times the range of the metric. Where no pair differs from
// another the interval is made of it, which is never of width zero.
func (e *jointEffect) span(out *Analysis, m Metric) float64 {
	most := 1.0
	switch m.Unit {
	case "plies":
		most = float64(out.Design.Cap)
	case "pieces":
		for _, cells := range e.cells {
			most = math.Max(most, float64(out.Cells[cells[0]].Pieces))
		}
	}
	sum := 0.0
	for _, w := range e.weights {
		sum += math.Abs(w)
	}
	return most * sum / 2
}

// effectMetrics are the metrics whose effects are computed: the primary one and
// the length.
func (d Design) effectMetrics() []string {
	if d.Metric == "length" {
		return []string{"length"}
	}
	return []string{d.Metric, "length"}
}

func (a *Analyser) prepareEffects() {
	d := a.design
	if d.Factorial == nil || len(d.Factorial.Factors) == 0 {
		return
	}
	runs := d.ExpandRulesets()
	model := d.Factorial.model()
	for _, g := range d.Agents {
		if !g.selfPlay() {
			continue
		}
		cells := make([][]int, len(runs))
		missing := false
		for r, run := range runs {
			cells[r] = a.cellsOf(run.Name, g.name())
			missing = missing || len(cells[r]) == 0
		}
		if missing {
			continue
		}
		for _, metric := range d.effectMetrics() {
			for _, c := range model {
				if len(c.weights) == len(runs) {
					a.effects = append(a.effects, &jointEffect{agent: g.name(), metric: metricIndex(metric), cells: cells, effect: c, weights: c.weights})
				}
			}
		}
	}
}

func (a *Analyser) finishEffects(out *Analysis) {
	d := a.design
	odds := map[string]map[string]stats.Effect{}
	for _, e := range a.effects {
		m := Metrics()[e.metric]
		span := e.span(out, m)
		x := Effect{
			Order: e.effect.order, Agent: e.agent, Metric: m.Name, Unit: m.Unit, Aliases: e.effect.aliases, P: e.value.p(),
			Difference: e.value.interval(-span, span, d.Level, "effect"), ClaimAllowed: e.value.n > 1 && !d.Quick,
		}
		group := "effects"
		if x.Order == 2 {
			group = "interactions"
		}
		x.Family = d.familyOf(group, m.Name)
		for _, t := range e.effect.terms {
			x.Terms = append(x.Terms, d.Factorial.Factors[t].title())
		}
		x.Name = e.effect.name + ": " + strings.Join(x.Terms, " × ")
		if x.Order == 1 {
			f := d.Factorial.Factors[e.effect.terms[0]]
			x.From, x.To = f.Values[e.effect.from], f.Values[e.effect.to]
		}
		for _, run := range e.cells {
			for _, c := range run {
				r := &out.Cells[c]
				x.copies = x.copies || r.Duplicates
				x.ClaimAllowed = x.ClaimAllowed && !r.Duplicates && (!m.Capped || r.ClaimAllowed)
			}
		}
		if primary, _ := metricByName(d.Metric); primary.Unit == m.Unit && e.value.n > 1 {
			q := e.value.equivalence(d.Margin, span)
			x.Equivalent = &q
		}
		x.CappedLow, x.CappedHigh = e.value.bounds(span, d.Level, "effect")
		if m.Name == "first-player-score" {
			fit, ok := odds[e.agent]
			if !ok {
				fit = a.oddsOf(out, e.agent, e.cells)
				odds[e.agent] = fit
			}
			if o, ok := fit[effectKey(e.effect)]; ok && !o.Separated {
				iv := o.OddsRatio()
				x.OddsRatio, x.OddsP = &iv, o.P
			}
		}
		x.Seeds = e.seeds(out, span, d.Level)
		out.Effects = append(out.Effects, x)
	}
}

// seeds are the effect's values for the networks of single training seeds, taken
// together: another training might have come out otherwise, which no number of start
// pairs shows.
func (e *jointEffect) seeds(out *Analysis, span, level float64) *stats.Interval {
	n := len(e.cells[0])
	for _, cells := range e.cells {
		if len(cells) != n {
			return nil
		}
	}
	if n < 2 {
		return nil
	}
	each := make([]float64, n)
	for r, cells := range e.cells {
		for i, c := range cells {
			each[i] += e.weights[r] * out.Cells[c].series[Metrics()[e.metric].Name].mean
		}
	}
	for i := range each {
		each[i] = math.Max(-span, math.Min(span, each[i])) // rounding
	}
	iv := stats.SeedMean(each, -span, span, level)
	return &iv
}

func effectKey(c contrast) string {
	key := c.name
	if c.order == 1 {
		key += string(rune('0' + c.to))
	}
	return key
}

// oddsGames bounds the games of a proportional-odds fit, which keeps one row a
// game.
const oddsGames = 200_000

// oddsOf fits the proportional-odds model of an agent's games on the effects that
// the runs can tell apart; nil where it cannot be fitted.
func (a *Analyser) oddsOf(out *Analysis, agent string, cells [][]int) map[string]stats.Effect {
	f := a.design.Factorial
	runs := f.levels()
	total := 0
	for _, run := range cells {
		total += len(run)
	}
	pairs := max(1, oddsGames/(2*max(1, total)))
	var outcome, cluster []int
	var row []int // run of each game
	for r, run := range cells {
		for _, c := range run {
			for i, end := range out.Cells[c].ends {
				if i/2 >= pairs {
					break
				}
				if end == endCapped {
					continue
				}
				outcome = append(outcome, [...]int{endWin: 2, endLoss: 0, endDraw: 1}[end])
				cluster = append(cluster, i/2)
				row = append(row, r)
			}
		}
	}
	if len(outcome) == 0 {
		return nil
	}
	factorColumns := func(i int) []stats.Column {
		level := make([]int, len(row))
		for g, r := range row {
			level[g] = runs[r][i]
		}
		return stats.FactorColumns(FactorLetter(i), f.Factors[i].Values, level)
	}
	var columns []stats.Column
	var keys []string
	for _, c := range f.model() {
		var col stats.Column
		if c.order == 1 {
			col = factorColumns(c.terms[0])[c.to-1]
		} else {
			col = stats.Interaction(factorColumns(c.terms[0]), factorColumns(c.terms[1]))[0]
		}
		columns = append(columns, col)
		keys = append(keys, effectKey(c))
	}
	fit, err := stats.ProportionalOdds(outcome, columns, cluster, a.design.Level)
	if errors.Is(err, stats.ErrAliased) {
		// Capped games may leave runs empty; the main effects alone may still be told apart.
		n := slices.IndexFunc(f.model(), func(c contrast) bool { return c.order == 2 })
		if n > 0 {
			columns, keys = columns[:n], keys[:n]
			fit, err = stats.ProportionalOdds(outcome, columns, cluster, a.design.Level)
		}
	}
	if err != nil || len(fit.Effects) != len(keys) {
		return nil
	}
	result := map[string]stats.Effect{}
	for i, k := range keys {
		result[k] = fit.Effects[i]
	}
	return result
}
