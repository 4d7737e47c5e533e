package experiments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"latro/experiments/stats"
	"latro/mcts"
)

// Strength is one ruleset seen over the strength of its players. A game that our
// agents play badly will look decisive or lopsided, so a result is a curve over
// budgets, and it is provisional while the controls leave room for another one.
type Strength struct {
	Ruleset string `json:"ruleset"`
	Title   string `json:"title"`
	// Points are the agents' self-play: those without a budget first, then each kind
	// by ascending budget, trained ones last.
	Points []StrengthPoint `json:"points"`
	// Slopes say what a doubling of the budget is worth, from matches of neighbouring
	// budgets.
	Slopes []Slope `json:"slopes"`
	// Trends say how the score moves with a doubling of the budget, for each kind.
	Trends []BudgetTrend `json:"trends"`
	// Seeds shows the single training seeds of every trained agent.
	Seeds []SeedSummary `json:"seeds"`
	// Controls are the checks of what strength may have done; Provisional says that
	// one failed or was not measured.
	Controls    []Control `json:"controls"`
	Provisional bool      `json:"provisional"`
}

// StrengthPoint is one agent's self-play in a ruleset.
type StrengthPoint struct {
	Agent string `json:"agent"`
	// Kind is "random", "greedy", "uct", "alphabeta" or "trained", and Budget the
	// simulations a ply (nodes for alphabeta), 0 without a search.
	Kind     string         `json:"kind"`
	Budget   int            `json:"budget"`
	Score    stats.Interval `json:"score"`
	Draws    stats.Interval `json:"draws"`
	Decisive stats.Interval `json:"decisive"`
	Capped   stats.Interval `json:"capped"`
	// Primary is the mean of the design's primary metric.
	Primary stats.Interval `json:"primary"`
	// Seeds is the number of training seeds, 0 for an agent without a network, and
	// ClaimAllowed as in a cell.
	Seeds        int  `json:"seeds"`
	ClaimAllowed bool `json:"claim_allowed"`
}

// Slope is how much stronger an agent gets with a doubling of its budget.
type Slope struct {
	Kind       string `json:"kind"`
	Low        string `json:"low"`
	High       string `json:"high"`
	LowBudget  int    `json:"low_budget"`
	HighBudget int    `json:"high_budget"`
	// EloPerDoubling is one-sided where one side won everything.
	EloPerDoubling stats.Interval `json:"elo_per_doubling"`
	// Steep says that the interval reaches beyond [steepElo], or would if the stronger side
	// had won the capped games: the agent has not come near what it could be, so the
	// estimate is provisional.
	Steep bool `json:"steep"`
}

// BudgetTrend is how the first player's score moves with the budget.
type BudgetTrend struct {
	Kind    string `json:"kind"`
	Budgets []int  `json:"budgets"`
	// Score is the change of the score with a doubling of the budget, and Deviation
	// that of |score − ½|, over common starts; the P are two-sided.
	Score      stats.Interval `json:"score_per_doubling"`
	Deviation  stats.Interval `json:"deviation_per_doubling"`
	PScore     float64        `json:"p_score"`
	PDeviation float64        `json:"p_deviation"`
}

// SeedSummary shows the networks of one trained agent: each training seed by
// itself, and Student's interval over the seeds.
type SeedSummary struct {
	Agent  string         `json:"agent"`
	Budget int            `json:"budget"`
	Each   []SeedValue    `json:"each"`
	Mean   stats.Interval `json:"mean"`
}

// Control is one check of what strength may have done to a result, by the primary
// metric. Passed is nil where the check does not apply or was not measured.
type Control struct {
	// ID is "simulations", "untrained-arm", "plateau", "seeds", "slope", "trend" or
	// "stability".
	ID     string `json:"id"`
	Title  string `json:"title"`
	Passed *bool  `json:"passed"`
	// NotMeasured says that the check applies but the design has no games for it, as
	// where every player has one budget only. Like a failure it leaves a result
	// provisional.
	NotMeasured bool   `json:"not_measured,omitempty"`
	Detail      string `json:"detail"`
}

// Stability is how far the rulesets keep their order by the primary metric from one
// budget to the next.
type Stability struct {
	Kind       string `json:"kind"`
	From       string `json:"from"`
	To         string `json:"to"`
	FromBudget int    `json:"from_budget"`
	ToBudget   int    `json:"to_budget"`
	// Metric is the primary metric. Observed is Kendall's τ-b of its means as they are, nil where all are alike,
	// and Tau that of the true ones, whose interval allows for their errors.
	Metric   string         `json:"metric"`
	Observed *float64       `json:"observed,omitempty"`
	Tau      stats.Interval `json:"tau"`
	Rulesets int            `json:"rulesets"`
}

// Ranking orders rulesets by a metric, with every estimate shrunk towards the mean
// of all: the extremes of many noisy numbers are too extreme.
type Ranking struct {
	Metric string         `json:"metric"`
	Unit   string         `json:"unit"`
	Agent  string         `json:"agent"`
	Mean   stats.Interval `json:"mean"`
	// I2 is the share of the spread that is more than noise.
	I2    float64       `json:"i2"`
	Items []RankingItem `json:"items"`
	// LeftOut are the titles of rulesets that have no rank, because too many of their games
	// were capped (for metrics that capped games spoil) or are copies.
	LeftOut []string `json:"left_out,omitempty"`
}

// RankingItem is one ruleset of a ranking.
type RankingItem struct {
	Ruleset string         `json:"ruleset"`
	Title   string         `json:"title"`
	Raw     stats.Interval `json:"raw"`
	Shrunk  stats.Interval `json:"shrunk"`
	// Rank is 1 for the largest; First and Last are the chances of those places.
	Rank  stats.Interval `json:"rank"`
	First float64        `json:"first"`
	Last  float64        `json:"last"`
}

// The limits of the controls. A doubling that is worth steepElo wins about 55 % of
// the points; the order of rulesets counts as stable from a τ of stableTau.
const (
	steepElo  = 35
	stableTau = 0.6
	leastSeed = 3
	draws     = resamples
)

// kindOf is an agent's kind and budget for people.
func kindOf(spec string) (kind string, budget int) {
	s, err := mcts.ParseSpec(spec)
	if err != nil {
		return spec, 0
	}
	for _, key := range []string{"simulations", "nodes"} {
		n := 0
		if _, err := fmt.Sscan(s.Options[key], &n); err == nil {
			budget = n
		}
	}
	if s.Kind == "net" {
		return "trained", budget
	}
	return s.Kind, budget
}

func kindRank(kind string) int {
	return slices.Index([]string{"random", "greedy", "uct", "alphabeta", "trained"}, kind)
}

// share is the mean of a share over the arm's cells, as one number a pair.
func (x *arm) share(metric string, level float64) stats.Interval {
	if len(x.cells) == 1 {
		return x.cells[0].series[metric].score(level)
	}
	return stats.PairScore(x.values(metric), level)
}

func (a *Analyser) strength(out *Analysis) {
	d := a.design
	arms := out.arms()
	fams := families(arms)
	a.stability(out, fams)
	var names []string
	for _, c := range out.Cells {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	for _, name := range names {
		s := Strength{Ruleset: name, Points: []StrengthPoint{}, Slopes: []Slope{}, Trends: []BudgetTrend{}, Seeds: []SeedSummary{}}
		for _, x := range arms {
			if x.ruleset != name || x.cells[0].Pairs == 0 || RestrictedBy(x.spec()) != "" {
				// An agent that may not use a rule is no point on the scale of strength.
				continue
			}
			kind, budget := kindOf(x.spec())
			p := StrengthPoint{Agent: x.agent, Kind: kind, Budget: budget, Score: x.score(d.Level), ClaimAllowed: x.claim(),
				Draws: x.share("draw-share", d.Level), Decisive: x.share("decisive-share", d.Level), Capped: x.share("capped-share", d.Level)}
			p.Primary = p.Score
			if d.Metric != "first-player-score" {
				p.Primary = x.mean(d.Metric, d.Level)
			}
			if kind == "trained" {
				p.Seeds = len(x.cells)
				each := SeedSummary{Agent: x.agent, Budget: budget}
				var means []float64
				for i, c := range x.cells {
					each.Each = append(each.Each, SeedValue{i + 1, c.Score})
					means = append(means, c.Score.Estimate)
				}
				each.Mean = stats.SeedMean(means, 0, 1, d.Level)
				s.Seeds = append(s.Seeds, each)
			}
			s.Points = append(s.Points, p)
		}
		slices.SortStableFunc(s.Points, func(x, y StrengthPoint) int {
			return cmp.Or(cmp.Compare(kindRank(x.Kind), kindRank(y.Kind)), cmp.Compare(x.Budget, y.Budget))
		})
		for i := range out.Cells {
			if c := &out.Cells[i]; c.Name == name {
				s.Title = c.Title
			}
		}
		s.Slopes = append(s.Slopes, slopes(out, name, d.Level)...)
		for _, f := range fams {
			if f.ruleset == name {
				if t, ok := f.trend(d); ok {
					s.Trends = append(s.Trends, t)
				}
			}
		}
		s.controls(a, out)
		out.Strength = append(out.Strength, s)
	}
}

// trend fits the score over the logarithm of the budget.
func (f *family) trend(d Design) (BudgetTrend, bool) {
	budgets := f.budgets()
	if len(budgets) < 2 || budgets[0] == budgets[len(budgets)-1] {
		return BudgetTrend{}, false
	}
	scores := make([][]float64, len(f.arms))
	n := math.MaxInt
	for i, x := range f.arms {
		scores[i] = x.values("first-player-score")
		n = min(n, len(scores[i]))
	}
	var b []float64
	for i := range scores {
		scores[i] = scores[i][:n]
		b = append(b, float64(budgets[i]))
	}
	t, err := stats.BudgetTrend(b, scores, d.Level, draws, stream(d.Seed, "trend", f.ruleset, f.kind))
	if err != nil {
		return BudgetTrend{}, false
	}
	return BudgetTrend{Kind: strings.SplitN(f.kind, ":", 2)[0], Budgets: budgets, Score: t.Score, Deviation: t.Deviation, PScore: t.PScore, PDeviation: t.PDeviation}, true
}

// slopes are the matches between two budgets of one kind of agent.
func slopes(out *Analysis, ruleset string, level float64) []Slope {
	type meeting struct{ a, b string }
	var order []meeting
	cells := map[meeting][]*CellResult{}
	for i := range out.Cells {
		c := &out.Cells[i]
		if c.Name != ruleset || c.SelfPlay || c.Pairs == 0 || c.Tally.Capped == c.Games {
			// Games that were all capped would look like equal strength.
			continue
		}
		ka, ba, okA := budgetOf(c.SpecA, c.TrainingSeed)
		kb, bb, okB := budgetOf(c.SpecB, c.TrainingSeed)
		if !okA || !okB || ka != kb || ba == bb {
			continue
		}
		base := func(name string) string {
			return strings.TrimSuffix(name, fmt.Sprintf(" #%d", c.TrainingSeed))
		}
		m := meeting{base(c.A), base(c.B)}
		if cells[m] == nil {
			order = append(order, m)
		}
		cells[m] = append(cells[m], c)
	}
	var list []Slope
	for _, m := range order {
		cs := cells[m]
		kind, ba, _ := budgetOf(cs[0].SpecA, cs[0].TrainingSeed)
		_, bb, _ := budgetOf(cs[0].SpecB, cs[0].TrainingSeed)
		elo := cs[0].AgentElo
		if len(cs) > 1 {
			v := cs[0].agent.values()
			for _, c := range cs[1:] {
				w := c.agent.values()
				v = v[:min(len(v), len(w))]
				for i := range v {
					v[i] += w[i]
				}
			}
			for i := range v {
				v[i] /= float64(len(cs))
			}
			elo = stats.Elo(v, level)
		}
		s := Slope{Kind: strings.SplitN(kind, ":", 2)[0], Low: m.b, High: m.a, LowBudget: bb, HighBudget: ba}
		if ba < bb {
			s.Low, s.High, s.LowBudget, s.HighBudget = m.a, m.b, ba, bb
			elo.Estimate, elo.Low, elo.High = -elo.Estimate, -elo.High, -elo.Low
		}
		doublings := math.Log2(float64(s.HighBudget) / float64(max(1, s.LowBudget)))
		elo.Estimate /= doublings
		elo.Low /= doublings
		elo.High /= doublings
		// Capped games count as half, which hides strength: had the stronger side won them,
		// the slope might be steep.
		steepest, capped, games := elo.High, 0, 0
		for _, c := range cs {
			capped, games = capped+c.Tally.Capped, games+c.Games
		}
		if capped > 0 {
			high := 1 / (1 + math.Pow(10, -elo.High*doublings/400))
			steepest = stats.EloOf(math.Min(1, high+float64(capped)/float64(games)/2)) / doublings
		}
		s.EloPerDoubling, s.Steep = elo, steepest > steepElo
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(x, y Slope) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.LowBudget, y.LowBudget), cmp.Compare(x.HighBudget, y.HighBudget))
	})
	return list
}

func (a *Analyser) stability(out *Analysis, fams []*family) {
	d := a.design
	type step struct {
		kind     string
		from, to int
	}
	var order []step
	found := map[step][][2]*arm{}
	for _, f := range fams {
		b := f.budgets()
		kind := f.kind
		if strings.HasPrefix(kind, "net") {
			// Networks differ from ruleset to ruleset.
			kind = "net"
		}
		for i := 1; i < len(b); i++ {
			if b[i] == b[i-1] {
				continue
			}
			s := step{kind, b[i-1], b[i]}
			if found[s] == nil {
				order = append(order, s)
			}
			found[s] = append(found[s], [2]*arm{f.arms[i-1], f.arms[i]})
		}
	}
	metric, _ := metricByName(d.Metric)
	unit := metric.Unit
	for _, s := range order {
		pairs := found[s]
		if len(pairs) < 3 {
			continue
		}
		var low, high, seLow, seHigh []float64
		for _, p := range pairs {
			var m [2]moments
			for i, x := range p {
				for _, v := range x.values(d.Metric) {
					m[i].add(v)
				}
			}
			low, seLow = append(low, m[0].mean), append(seLow, m[0].atLeast(unit))
			high, seHigh = append(high, m[1].mean), append(seHigh, m[1].atLeast(unit))
		}
		tau, err := stats.RankStability(low, seLow, high, seHigh, d.Level, draws, stream(d.Seed, "stability", s.kind, s.from, s.to))
		if err != nil {
			continue
		}
		var observed *float64 // there is none where all rulesets have one value
		if !math.IsNaN(tau.Observed) {
			observed = &tau.Observed
		}
		out.Stability = append(out.Stability, Stability{
			Kind: strings.SplitN(s.kind, ":", 2)[0], From: pairs[0][0].agent, To: pairs[0][1].agent, FromBudget: s.from, ToBudget: s.to, Metric: d.Metric, Observed: observed, Tau: tau.Tau, Rulesets: len(pairs),
		})
	}
}

// rankings shrinks the primary metric of three or more rulesets, for each agent.
func (a *Analyser) rankings(out *Analysis) {
	d := a.design
	m, _ := metricByName(d.Metric)
	arms := out.arms()
	for _, g := range d.Agents {
		var mine []*arm
		var raw []stats.Interval
		var estimate, se []float64
		var left []string
		for _, x := range arms {
			if x.agent != g.name() {
				continue
			}
			var v moments
			for _, y := range x.values(d.Metric) {
				v.add(y)
			}
			// What can carry no claim has no place in an order either; that it is missing is said.
			if v.n < 2 {
				continue
			}
			if x.copies() || m.Capped && x.capped() {
				left = append(left, x.cells[0].Title)
				continue
			}
			// A ruleset where no pair differed from another may be the most extreme of all. Its
			// error is that of a sample with one different pair more, and its interval exact.
			high := map[string]float64{"points": 1, "plies": float64(d.Cap), "pieces": float64(x.cells[0].Pieces)}[m.Unit]
			mine = append(mine, x)
			raw = append(raw, v.interval(0, math.Max(high, v.mean), d.Level, "pairs"))
			estimate, se = append(estimate, v.mean), append(se, v.atLeast(m.Unit))
		}
		if len(mine) < 3 {
			continue
		}
		fit, err := stats.Shrink(estimate, se, stats.PauleMandel, d.Level, draws, stream(d.Seed, "ranking", g.name()))
		if err != nil {
			continue
		}
		r := Ranking{Metric: d.Metric, Unit: m.Unit, Agent: g.name(), Mean: fit.Mean, I2: fit.I2, LeftOut: left}
		for i, x := range mine {
			it := fit.Items[i]
			r.Items = append(r.Items, RankingItem{x.ruleset, x.cells[0].Title, raw[i], it.Shrunk, it.Rank, it.First, it.Last})
		}
		slices.SortStableFunc(r.Items, func(x, y RankingItem) int { return cmp.Compare(y.Shrunk.Estimate, x.Shrunk.Estimate) })
		out.Ranking = append(out.Ranking, r)
	}
}

func capitalised(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// controls checks what strength may have done to a ruleset's results.
func (s *Strength) controls(a *Analyser, out *Analysis) {
	d := a.design
	metric, _ := metricByName(d.Metric)
	margin := d.MarginWords()
	add := func(id, title string, passed *bool, format string, args ...any) {
		s.Controls = append(s.Controls, Control{ID: id, Title: title, Passed: passed, Detail: fmt.Sprintf(format, args...)})
		s.Provisional = s.Provisional || passed != nil && !*passed
	}
	open := func(id, title, detail string) {
		s.Controls = append(s.Controls, Control{ID: id, Title: title, NotMeasured: true, Detail: detail})
		s.Provisional = true
	}
	yes := func(b bool) *bool { return &b }
	byTime := []string{}
	for i := range out.Cells {
		c := &out.Cells[i]
		for _, text := range []string{c.SpecA, c.SpecB} {
			if spec, err := mcts.ParseSpec(text); err == nil && spec.Options["seconds"] != "" && c.Name == s.Ruleset && !slices.Contains(byTime, text) {
				byTime = append(byTime, text)
			}
		}
	}
	const simulations = "The same simulations in every ruleset"
	if len(byTime) > 0 {
		add("simulations", simulations, yes(false), "%s thinks for a time, so how strong it is depends on the machine and on the ruleset's speed.", strings.Join(byTime, ", "))
	} else {
		add("simulations", simulations, yes(true), "No agent's budget is a time.")
	}

	var uct, trained []StrengthPoint
	for _, p := range s.Points {
		switch p.Kind {
		case "uct":
			uct = append(uct, p)
		case "trained":
			trained = append(trained, p)
		}
	}
	const untrained = "An untrained search beside every trained player"
	switch {
	case len(trained) == 0:
		add("untrained-arm", untrained, nil, "No trained player took part.")
	case len(uct) == 0:
		open("untrained-arm", untrained, "No search without a network plays this ruleset, so that what the network brings cannot be told from what the rules do.")
	default:
		add("untrained-arm", untrained, yes(true), "A UCT search plays the same ruleset.")
	}

	const plateau = "Training had come to a plateau"
	switch {
	case len(trained) == 0:
		add("plateau", plateau, nil, "No trained player took part.")
	default:
		ok, known := true, true
		var parts []string
		seen := map[string]bool{}
		for i := range out.Cells {
			c := &out.Cells[i]
			if c.Name != s.Ruleset || c.NetworkA == "" || seen[c.NetworkA] {
				continue
			}
			seen[c.NetworkA] = true
			t := slices.IndexFunc(out.Training, func(t TrainingInfo) bool { return t.Network == c.NetworkA })
			if t < 0 || out.Training[t].Plateau == nil || orElse(out.Training[t].Metric, "first-player-score") != d.Metric {
				known = false
				parts = append(parts, fmt.Sprintf("of network %.8s no learning curve of %s is known that is long enough", c.NetworkA, metric.Title))
				continue
			}
			iv := *out.Training[t].Plateau
			ok = ok && iv.Low > -d.Margin && iv.High < d.Margin
			parts = append(parts, fmt.Sprintf("in the last fifth of the training of network %.8s %s changed by %s %s", c.NetworkA, metric.Title, Amount(iv.Estimate, metric.Unit, true), span(iv, metric.Unit, true)))
		}
		detail := strings.Join(parts, "; ")
		if detail == "" {
			known, detail = false, "what the trained players' networks are is not recorded"
		}
		detail = strings.ToUpper(detail[:1]) + detail[1:] + "; the margin is " + margin + "."
		if ok && !known {
			open("plateau", plateau, detail)
		} else {
			add("plateau", plateau, yes(ok), "%s", detail)
		}
	}

	const seeds = "Three or more training seeds"
	if len(trained) == 0 {
		add("seeds", seeds, nil, "No trained player took part.")
	} else {
		least := math.MaxInt
		for _, p := range trained {
			least = min(least, p.Seeds)
		}
		add("seeds", seeds, yes(least >= leastSeed), "%d network(s) trained with different seeds play for each trained player; another training might have come out differently.", least)
	}

	const slope = "A doubling of the budget buys little more strength"
	budgeted := len(uct) + len(trained)
	switch {
	case budgeted == 0:
		add("slope", slope, nil, "No player has a budget.")
	case len(s.Slopes) == 0:
		open("slope", slope, "No two budgets of one kind of player met, so it is not known how much stronger more thinking would make them.")
	default:
		top := map[string]Slope{}
		for _, x := range s.Slopes {
			if x.HighBudget >= top[x.Kind].HighBudget {
				top[x.Kind] = x
			}
		}
		ok := true
		var parts []string
		for _, x := range s.Slopes {
			if top[x.Kind] == x {
				ok = ok && !x.Steep
				parts = append(parts, fmt.Sprintf("from %s to %s a doubling is worth %s %s", x.Low, x.High, Amount(x.EloPerDoubling.Estimate, "elo", true), span(x.EloPerDoubling, "elo", true)))
			}
		}
		detail := strings.Join(parts, "; ")
		add("slope", slope, yes(ok), "%s%s; above %d Elo the players are still far from what they could be.", strings.ToUpper(detail[:1]), detail[1:], steepElo)
	}

	trend := capitalised(metric.Title) + " does not move with the budget"
	n, moves := 0, []string{}
	for _, t := range out.Trends {
		if t.Ruleset != s.Ruleset || t.Metric != d.Metric {
			continue
		}
		n++
		if t.Provisional {
			moves = append(moves, fmt.Sprintf("from %s to %s by %s %s", t.Points[0].Agent, t.Points[len(t.Points)-1].Agent, Amount(t.Change.Estimate, metric.Unit, true), span(t.Change, metric.Unit, true)))
		}
	}
	switch {
	case n == 0 && budgeted == 0:
		open("trend", trend, "Only players without a budget took part, so nothing is known of stronger play.")
	case n == 0:
		open("trend", trend, "Every kind of player had one budget only, so it is not known how "+metric.Title+" moves with it.")
	case len(moves) > 0:
		add("trend", trend, yes(false), "It changed, or may have changed, by more than the margin of %s: %s.", margin, strings.Join(moves, "; "))
	default:
		add("trend", trend, yes(true), "Over the budgets tried the change is shown to be within the margin of %s.", margin)
	}

	stability := "The order of the rulesets by " + metric.Title + " is the same at the two highest budgets"
	if len(out.Stability) == 0 {
		add("stability", stability, nil, "Fewer than three rulesets were played at two budgets.")
		return
	}
	last := map[string]Stability{}
	for _, x := range out.Stability {
		if x.ToBudget >= last[x.Kind].ToBudget {
			last[x.Kind] = x
		}
	}
	ok := true
	var parts []string
	for _, x := range out.Stability {
		if last[x.Kind] == x {
			ok = ok && x.Tau.Estimate >= stableTau
			parts = append(parts, fmt.Sprintf("Kendall's τ between %s and %s is %.2f [%.2f, %.2f] over %d rulesets", x.From, x.To, x.Tau.Estimate, x.Tau.Low, x.Tau.High, x.Rulesets))
		}
	}
	add("stability", stability, yes(ok), "%s; from %.1f the order counts as stable.", strings.Join(parts, "; "), stableTau)
}
