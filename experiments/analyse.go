package experiments

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"latro/experiments/stats"
	"latro/mcts"
)

// resamples and permutations are the sizes of the bootstrap and of the
// permutation tests; at 2,000 the error of a p-value near 0.05 is about 0.005.
const (
	resamples    = 2000
	permutations = 2000
	maxCurve     = 200
)

// Analyser turns the games of a design into an [Analysis]. Feed it every game in
// order of cell, pair and slot with Add, then call Finish. It keeps a few numbers
// a pair and no game. Not for concurrent use.
type Analyser struct {
	design Design
	cells  []*accumulator
}

// accumulator gathers one cell.
type accumulator struct {
	info     CellInfo
	cap      float64
	half     *Record
	tally    stats.Tally
	agent    stats.Tally
	score    []float64
	scoreLo  []float64
	scoreHi  []float64
	agentS   []float64
	draw     []float64
	decisive []float64
	capped   []float64
	length   []float64
	taken    []float64
	plies    []float64
	ended    []bool
	finished float64
	ends     map[string]int
	uses     map[string]*[2]int
	useOrder []string
	choices  int
	allPlies int
	copies   map[uint64]int
	arrivals []uint64
	start    []uint64
	// params are the ruleset's parameters, to say what two rulesets differ in; nil
	// if unknown.
	params map[string]string
}

// NewAnalyser prepares the analysis of a design; info describes its cells, in
// order.
func NewAnalyser(d Design, info []CellInfo) (*Analyser, error) {
	cells := d.Cells()
	if len(info) != len(cells) {
		return nil, fmt.Errorf("the design has %d cells, but %d are described", len(cells), len(info))
	}
	a := &Analyser{design: d}
	for i := range cells {
		a.cells = append(a.cells, &accumulator{
			info: info[i], cap: float64(d.Cap), ends: map[string]int{}, uses: map[string]*[2]int{}, copies: map[uint64]int{},
			arrivals: make([]uint64, info[i].Rows*info[i].Cols),
		})
	}
	return a, nil
}

// Add takes the next game. It refuses a game that does not follow its
// predecessor, so that a lost or doubled game cannot pass unnoticed.
func (a *Analyser) Add(r Record) error {
	if r.Cell < 0 || r.Cell >= len(a.cells) {
		return fmt.Errorf("a game is of cell %d, but the design has %d", r.Cell, len(a.cells))
	}
	c := a.cells[r.Cell]
	wantPair, wantSlot := len(c.score), 0
	if c.half != nil {
		wantSlot = 1
	}
	if r.Pair != wantPair || r.Slot != wantSlot {
		return fmt.Errorf("cell %d: game of pair %d slot %d where pair %d slot %d was expected: a game is missing or doubled", r.Cell, r.Pair, r.Slot, wantPair, wantSlot)
	}
	if _, err := r.score(0.5); err != nil {
		return err
	}
	if c.half == nil {
		c.half = &r
		return nil
	}
	first := *c.half
	c.half = nil
	c.addPair(first, r)
	return nil
}

func (c *accumulator) addPair(g0, g1 Record) {
	mean := func(f func(Record) float64) float64 { return (f(g0) + f(g1)) / 2 }
	sc := func(capped float64) func(Record) float64 {
		return func(r Record) float64 { s, _ := r.score(capped); return s }
	}
	is := func(outcomes ...string) func(Record) float64 {
		return func(r Record) float64 {
			if slices.Contains(outcomes, r.Outcome) {
				return 1
			}
			return 0
		}
	}
	c.score = append(c.score, mean(sc(0.5)))
	c.scoreLo = append(c.scoreLo, mean(sc(0)))
	c.scoreHi = append(c.scoreHi, mean(sc(1)))
	s0, _ := g0.score(0.5)
	s1, _ := g1.score(0.5)
	c.agentS = append(c.agentS, (s0+1-s1)/2)
	c.draw = append(c.draw, mean(is("draw")))
	c.decisive = append(c.decisive, mean(is("win0", "win1")))
	c.capped = append(c.capped, mean(is("capped")))
	c.length = append(c.length, mean(func(r Record) float64 { return math.Min(float64(r.Plies), c.cap) }))
	c.taken = append(c.taken, mean(func(r Record) float64 { return float64(r.Taken[0] + r.Taken[1]) }))
	c.start = append(c.start, g0.Start)
	for slot, r := range []Record{g0, g1} {
		c.addGame(slot, r)
	}
}

func (c *accumulator) addGame(slot int, r Record) {
	one := func(t *stats.Tally, outcome string, flip bool) {
		switch {
		case outcome == "draw":
			t.Draw++
		case outcome == "capped":
			t.Capped++
		case (outcome == "win0") != flip:
			t.Win++
		default:
			t.Loss++
		}
	}
	one(&c.tally, r.Outcome, false)
	one(&c.agent, r.Outcome, slot == 1)
	c.plies = append(c.plies, float64(r.Plies))
	c.ended = append(c.ended, r.Outcome != "capped")
	if r.Outcome != "capped" {
		c.finished += float64(r.Plies)
	}
	reason := r.EndReason
	if r.Outcome == "capped" {
		reason = "cap"
	}
	c.ends[reason]++
	for _, u := range r.Use {
		x := c.uses[u.Name]
		if x == nil {
			x = new([2]int)
			c.uses[u.Name] = x
			c.useOrder = append(c.useOrder, u.Name)
		}
		x[0] += u.Count
		if u.Count > 0 {
			x[1]++
		}
	}
	c.choices += r.Choices
	c.allPlies += r.Plies
	c.copies[r.Moves]++
	for i, v := range r.Arrivals {
		if i < len(c.arrivals) {
			c.arrivals[i] += uint64(v)
		}
	}
}

// Finish computes the analysis. A cell with fewer pairs than the design asks for
// makes it incomplete: the numbers are then preliminary, and a warning says so.
func (a *Analyser) Finish() *Analysis {
	d := a.design
	out := &Analysis{Design: d, DesignHash: d.Hash(), Complete: true}
	for i, c := range a.cells {
		r := c.result(i, d)
		if r.Pairs < d.Pairs {
			out.Complete = false
		}
		out.Cells = append(out.Cells, r)
	}
	a.contrasts(out)
	a.trends(out)
	out.describe()
	return out
}

// stream is a generator of its own for each statistic, so that adding one never
// changes another.
func stream(seed uint64, parts ...any) *rand.Rand {
	h := sha256.New()
	fmt.Fprint(h, "latro/experiments/v1")
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], seed)
	h.Write(b[:])
	for _, p := range parts {
		fmt.Fprintf(h, "|%v", p)
	}
	var key [32]byte
	h.Sum(key[:0])
	return rand.New(rand.NewChaCha8(key))
}

func (c *accumulator) result(index int, d Design) CellResult {
	n := c.tally.N()
	r := CellResult{CellInfo: c.info, Index: index, Games: n, Pairs: len(c.score), Tally: c.tally}
	r.Shares.Win = stats.Wilson(c.tally.Win, n, d.Level)
	r.Shares.Draw = stats.Wilson(c.tally.Draw, n, d.Level)
	r.Shares.Loss = stats.Wilson(c.tally.Loss, n, d.Level)
	r.Shares.Capped = stats.Wilson(c.tally.Capped, n, d.Level)
	r.Score = stats.PairScore(c.score, d.Level)
	r.ScoreBootstrap = r.Score
	if len(c.score) > 0 {
		r.ScoreBootstrap = stats.BootstrapMean(c.score, stats.BCa, resamples, d.Level, stream(d.Seed, "bootstrap", index))
	}
	r.ScoreLow = stats.PairScore(c.scoreLo, d.Level)
	r.ScoreHigh = stats.PairScore(c.scoreHi, d.Level)
	r.Even = stats.TOSTScore(c.score, d.Margin, 0.05)
	r.Decisive = c.tally.DecisiveShare(d.Level)
	if !c.info.SelfPlay {
		r.AgentTally = c.agent
		r.AgentScore = stats.PairScore(c.agentS, d.Level)
		r.AgentElo = stats.Elo(c.agentS, d.Level)
	}
	r.Taken = stats.MeanT(c.taken, d.Level)
	if c.choices > 0 && c.allPlies > 0 {
		r.Choices = float64(c.choices) / float64(c.allPlies)
	}
	for name, k := range c.ends {
		r.Ends = append(r.Ends, Count{name, k})
	}
	slices.SortFunc(r.Ends, func(x, y Count) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name))
	})
	for _, name := range c.useOrder {
		u := c.uses[name]
		r.Uses = append(r.Uses, UseResult{name, float64(u[0]) / float64(max(1, n)), stats.Wilson(u[1], n, d.Level)})
	}
	var groups []int
	for _, k := range c.copies {
		groups = append(groups, k)
	}
	slices.Sort(groups)
	r.Unique, r.Effective = 0, stats.EffectiveSize(groups)
	if n > 0 {
		r.Unique = stats.UniqueShare(groups)
	}
	r.Duplicates = n > 0 && r.Unique < stats.MinUniqueShare
	r.ClaimAllowed = c.tally.AllowsClaim() && !r.Duplicates
	r.Arrivals = c.arrivals
	r.Length = lengths(c, d)
	r.start, r.params = c.start, c.params
	r.pairs = map[string][]float64{
		"first-player-score": c.score,
		"draw-share":         c.draw,
		"decisive-share":     c.decisive,
		"capped-share":       c.capped,
		"length":             c.length,
		"captures":           c.taken,
	}
	return r
}

func lengths(c *accumulator, d Design) Length {
	km := stats.KaplanMeier(c.plies, c.ended)
	l := Length{Restricted: km.RestrictedMean(c.cap, d.Level)}
	if k := c.tally.N() - c.tally.Capped; k > 0 {
		m := c.finished / float64(k)
		l.Finished = &m
	}
	q := func(p float64) *float64 {
		v := km.Quantile(p)
		if c.tally.N() == 0 || math.IsInf(v, 1) {
			return nil
		}
		return &v
	}
	l.Q10, l.Q25, l.Median, l.Q75, l.Q90 = q(0.1), q(0.25), q(0.5), q(0.75), q(0.9)
	step := max(1, (len(km.Time)+maxCurve-1)/maxCurve)
	for i := range km.Time {
		if i%step != 0 && i != len(km.Time)-1 {
			continue
		}
		lo, hi := km.Band(i, d.Level)
		l.Curve = append(l.Curve, CurvePoint{km.Time[i], km.S[i], lo, hi})
	}
	return l
}

func (a *Analyser) contrasts(out *Analysis) {
	d := a.design
	for i, c := range d.ExpandComparisons() {
		x, y := out.Cell(c.A, c.Agent, c.Agent), out.Cell(c.B, c.Agent, c.Agent)
		if x == nil || y == nil {
			continue
		}
		m, _ := metricByName(c.Metric)
		n := min(x.Pairs, y.Pairs)
		va, vb := x.pairs[c.Metric][:n], y.pairs[c.Metric][:n]
		span := 1.0
		switch m.Unit {
		case "plies":
			span = float64(d.Cap)
		case "pieces":
			span = float64(max(x.Pieces, y.Pieces, 1))
		}
		// The intervals of stats are for values in [0, 1].
		scaled := func(v []float64) []float64 {
			s := make([]float64, len(v))
			for i := range v {
				s[i] = math.Min(1, v[i]/span)
			}
			return s
		}
		sa, sb := scaled(va), scaled(vb)
		diff := stats.PairedDifference(sa, sb, d.Level)
		iv := diff.Interval
		iv.Estimate, iv.Low, iv.High = iv.Estimate*span, iv.Low*span, iv.High*span
		k := Contrast{
			A: c.A, B: c.B, Metric: c.Metric, Unit: m.Unit, Agent: c.Agent, Difference: iv,
			MeanA: average(va), MeanB: average(vb), P: diff.P, Primary: c.Metric == d.Metric,
			CommonStarts: n > 0 && slices.Equal(x.start[:n], y.start[:n]),
			ClaimAllowed: n > 1 && !x.Duplicates && !y.Duplicates,
		}
		if m.Capped {
			k.ClaimAllowed = k.ClaimAllowed && x.ClaimAllowed && y.ClaimAllowed
		}
		k.Permutation = 1
		if n > 0 {
			k.Permutation = stats.PermutationPaired(sa, sb, permutations, stream(d.Seed, "permutation", i))
		} else {
			k.P = 1
		}
		out.Contrasts = append(out.Contrasts, k)
	}
	for _, primary := range []bool{true, false} {
		var p []float64
		var at []int
		for i, k := range out.Contrasts {
			if k.Primary == primary {
				p = append(p, k.P)
				at = append(at, i)
			}
		}
		for j, q := range stats.Holm(p) {
			out.Contrasts[at[j]].Adjusted = q
		}
	}
}

// budgetOf splits a specification into its kind without the budget, and the
// budget; ok is false for agents without one.
func budgetOf(spec string) (kind string, simulations int, ok bool) {
	s, err := mcts.ParseSpec(spec)
	if err != nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(s.Options["simulations"])
	if err != nil {
		return "", 0, false
	}
	rest := mcts.Spec{Kind: s.Kind, Options: map[string]string{}}
	for k, v := range s.Options {
		if k != "simulations" {
			rest.Options[k] = v
		}
	}
	return rest.String(), n, true
}

// trends compares the budgets of one kind of agent within each ruleset.
func (a *Analyser) trends(out *Analysis) {
	type key struct{ ruleset, kind string }
	groups := map[key][]*CellResult{}
	var order []key
	for i := range out.Cells {
		c := &out.Cells[i]
		kind, _, ok := budgetOf(c.SpecA)
		if !c.SelfPlay || !ok || c.Pairs == 0 {
			continue
		}
		k := key{c.Name, kind}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	budget := func(c *CellResult) int { _, n, _ := budgetOf(c.SpecA); return n }
	for _, k := range order {
		cells := groups[k]
		slices.SortStableFunc(cells, func(x, y *CellResult) int { return cmp.Compare(budget(x), budget(y)) })
		low, high := cells[0], cells[len(cells)-1]
		if budget(low) == budget(high) {
			continue
		}
		t := Trend{Ruleset: k.ruleset, Kind: k.kind, ClaimAllowed: true}
		for _, c := range cells {
			t.Points = append(t.Points, TrendPoint{c.A, budget(c), c.Score})
			t.ClaimAllowed = t.ClaimAllowed && c.ClaimAllowed
		}
		n := min(low.Pairs, high.Pairs)
		const metric = "first-player-score"
		t.Change = stats.PairedDifference(high.pairs[metric][:n], low.pairs[metric][:n], a.design.Level).Interval
		t.Provisional = t.Change.Low < -a.design.Margin || t.Change.High > a.design.Margin
		out.Trends = append(out.Trends, t)
	}
}

func average(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	var s float64
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}
