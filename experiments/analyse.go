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

// Analyser turns the games of a design into an [Analysis]. Feed it every game of
// a cell in order of pair and slot with Add, then call Finish. The cells may come
// one after the other or, which saves memory, side by side: what is compared
// between cells waits until all of them have a pair. It keeps running sums and at
// most a fixed number of pairs a cell, so fed side by side its memory does not
// depend on the number of games. Not for concurrent use.
type Analyser struct {
	design Design
	cells  []*accumulator
	// joints are what is computed across cells pair by pair.
	comparisons []Comparison
	contrasted  []*jointContrast
	effects     []*jointEffect
	// next is the first pair that was not yet compared between cells.
	next     int
	training []TrainingInfo
}

// metricCount is the number of Metrics.
const metricCount = 7

// pairValues are a pair's values of each of Metrics, with its start.
type pairValues struct {
	v     [metricCount]float64
	start uint64
}

// accumulator gathers one cell.
type accumulator struct {
	info     CellInfo
	cap      float64
	half     *Record
	pairs    int
	tally    stats.Tally
	agent    stats.Tally
	metric   [metricCount]series
	scoreLo  series
	scoreHi  series
	agentS   series
	sample   []uint8 // ends of the first games, two a pair
	lengths  lengthCounts
	finished float64
	ends     map[string]int
	uses     map[string]*[2]int
	useOrder []string
	choices  int
	allPlies int
	copies   copies
	arrivals []uint64
	starts   startSet
	// waiting are the pairs from Analyser.next on.
	waiting []pairValues
	closed  bool
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
	a := &Analyser{design: d, comparisons: d.ExpandComparisons()}
	for i, c := range cells {
		x := info[i]
		if x.Agent == "" {
			// Described by a version before there were training seeds.
			x.Agent = c.Agent
		}
		a.cells = append(a.cells, &accumulator{
			info: x, cap: float64(d.Cap), ends: map[string]int{}, uses: map[string]*[2]int{},
			arrivals: make([]uint64, x.Rows*x.Cols),
		})
	}
	a.prepareContrasts()
	a.prepareEffects()
	return a, nil
}

// Add takes the next game of its cell. It refuses a game that does not follow its
// predecessor, so that a lost or doubled game cannot pass unnoticed.
func (a *Analyser) Add(r Record) error {
	if r.Cell < 0 || r.Cell >= len(a.cells) {
		return damaged("a game is of cell %d, but the design has %d", r.Cell, len(a.cells))
	}
	c := a.cells[r.Cell]
	wantSlot := 0
	if c.half != nil {
		wantSlot = 1
	}
	if r.Pair != c.pairs || r.Slot != wantSlot || c.closed {
		return damaged("cell %d: game of pair %d slot %d where pair %d slot %d was expected: a game is missing or doubled", r.Cell, r.Pair, r.Slot, c.pairs, wantSlot)
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
	a.compare(false)
	return nil
}

// CloseCell says that a cell has no more games than it was given, so that others
// need not wait for it.
func (a *Analyser) CloseCell(cell int) {
	a.cells[cell].closed = true
	a.compare(false)
}

// compare hands every pair that all open cells have to what is computed across
// cells; with all set every pair that is left.
func (a *Analyser) compare(all bool) {
	if len(a.contrasted)+len(a.effects) == 0 {
		for _, c := range a.cells {
			c.waiting = c.waiting[:0]
		}
		return
	}
	ready := math.MaxInt
	most := 0
	for _, c := range a.cells {
		most = max(most, len(c.waiting))
		if !c.closed {
			ready = min(ready, len(c.waiting))
		}
	}
	ready = min(ready, most)
	if all {
		ready = most
	}
	if ready == 0 {
		return
	}
	at := func(cell, i int) *pairValues {
		if w := a.cells[cell].waiting; i < len(w) {
			return &w[i]
		}
		return nil
	}
	for i := range ready {
		for _, k := range a.contrasted {
			k.add(i, at)
		}
		for _, e := range a.effects {
			e.add(i, at)
		}
	}
	for _, c := range a.cells {
		n := min(ready, len(c.waiting))
		c.waiting = append(c.waiting[:0], c.waiting[n:]...)
	}
	a.next += ready
}

// valuesOf are the values of a pair of games, in the order of Metrics.
func valuesOf(g0, g1 Record, lengthCap float64) [metricCount]float64 {
	mean := func(f func(Record) float64) float64 { return (f(g0) + f(g1)) / 2 }
	is := func(outcomes ...string) float64 {
		return mean(func(r Record) float64 {
			if slices.Contains(outcomes, r.Outcome) {
				return 1
			}
			return 0
		})
	}
	return [metricCount]float64{
		mean(func(r Record) float64 { s, _ := r.score(0.5); return s }),
		is("draw"),
		is("win0", "win1"),
		is("capped"),
		is("draw", "capped"),
		mean(func(r Record) float64 { return math.Min(float64(r.Plies), lengthCap) }),
		mean(func(r Record) float64 { return float64(r.Taken[0] + r.Taken[1]) }),
	}
}

func (c *accumulator) addPair(g0, g1 Record) {
	v := pairValues{valuesOf(g0, g1, c.cap), g0.Start}
	for i, x := range v.v {
		c.metric[i].add(x)
	}
	capped := func(as float64) float64 {
		s0, _ := g0.score(as)
		s1, _ := g1.score(as)
		return (s0 + s1) / 2
	}
	c.scoreLo.add(capped(0))
	c.scoreHi.add(capped(1))
	s0, _ := g0.score(0.5)
	s1, _ := g1.score(0.5)
	c.agentS.add((s0 + 1 - s1) / 2)
	c.starts.add(g0.Start)
	c.starts.add(g1.Start)
	if c.info.SelfPlay {
		c.waiting = append(c.waiting, v)
	}
	c.pairs++
	for slot, r := range []Record{g0, g1} {
		c.addGame(slot, r)
	}
}

func endOf(outcome string) int {
	switch outcome {
	case "win0":
		return endWin
	case "win1":
		return endLoss
	case "draw":
		return endDraw
	}
	return endCapped
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
	end := endOf(r.Outcome)
	if len(c.sample) < 2*sampleLimit {
		c.sample = append(c.sample, uint8(end))
	}
	c.lengths.add(r.Plies, end)
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
	c.copies.add(r.Moves)
	for i, v := range r.Arrivals {
		if i < len(c.arrivals) {
			c.arrivals[i] += uint64(v)
		}
	}
}

// Finish computes the analysis. A cell with fewer pairs than the design asks for
// makes it incomplete, unless it stopped by the design's own rule: the numbers are
// then preliminary, and a warning says so.
func (a *Analyser) Finish() *Analysis {
	a.compare(true)
	d := a.design
	out := &Analysis{Design: d, DesignHash: d.Hash(), Complete: true, Exploratory: d.Exploratory, Quick: d.Quick,
		Factors: d.FactorInfos(), Fraction: d.FractionInfo(), Training: a.training}
	for i, c := range a.cells {
		r := c.result(i, d)
		if r.Pairs < d.Pairs && !r.stopped() {
			out.Complete = false
		}
		out.Cells = append(out.Cells, r)
	}
	for i := range out.Cells {
		c := &out.Cells[i]
		c.ClaimAllowed = c.ClaimAllowed && (out.Complete || c.stopped())
	}
	a.finishContrasts(out)
	a.finishEffects(out)
	a.trends(out)
	a.strength(out)
	a.rankings(out)
	out.withhold()
	out.adjust()
	out.describe()
	out.tabulate()
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
	score := &c.metric[0]
	r := CellResult{CellInfo: c.info, Index: index, Games: n, Pairs: c.pairs, Tally: c.tally}
	r.Shares.Win = stats.Wilson(c.tally.Win, n, d.Level)
	r.Shares.Draw = stats.Wilson(c.tally.Draw, n, d.Level)
	r.Shares.Loss = stats.Wilson(c.tally.Loss, n, d.Level)
	r.Shares.Capped = stats.Wilson(c.tally.Capped, n, d.Level)
	r.Score = score.score(d.Level)
	r.ScoreBootstrap = r.Score
	if c.pairs > 0 {
		r.ScoreBootstrap = stats.BootstrapMean(score.values(), stats.BCa, resamples, d.Level, stream(d.Seed, "bootstrap", index))
		if !score.whole() {
			r.ScoreBootstrap.Method += "-first-8192"
		}
	}
	r.ScoreLow = c.scoreLo.score(d.Level)
	r.ScoreHigh = c.scoreHi.score(d.Level)
	// The margin must hold whatever way the capped games count.
	r.Even = worst(c.scoreLo.even(d.ScoreMargin()), c.scoreHi.even(d.ScoreMargin()))
	r.ScoreP = 1
	if c.pairs > 0 {
		half := score.moments
		half.mean -= 0.5
		half.first -= 0.5
		r.ScoreP = half.p()
	}
	r.Family = d.familyOf("scores", "first-player-score")
	r.Decisive = c.tally.DecisiveShare(d.Level)
	if !c.info.SelfPlay {
		r.AgentTally = c.agent
		r.AgentScore = c.agentS.score(d.Level)
		r.AgentElo = eloOf(&c.agentS, d.Level)
	}
	r.Taken = c.metric[metricIndex("captures")].unbounded(d.Level)
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
	r.Unique, r.Effective = c.copies.shares()
	r.Duplicates = n > 0 && r.Unique < stats.MinUniqueShare
	r.ClaimAllowed = c.tally.AllowsClaim() && !r.Duplicates && !d.Quick
	if n > 0 {
		post := c.tally.Posterior(stats.JeffreysPrior, r.Effective/float64(n))
		r.Posterior.Win, r.Posterior.Draw, r.Posterior.Loss, r.Posterior.Capped = post.Shares(d.Level)
	}
	r.Arrivals = c.arrivals
	r.Length = lengths(c, d)
	if c.pairs > 0 {
		r.StartSet = fmt.Sprintf("%016x", c.starts.sum)
	}
	r.params, r.agent, r.ends = c.params, &c.agentS, c.sample
	r.series = map[string]*series{}
	for i, m := range Metrics() {
		r.series[m.Name] = &c.metric[i]
	}
	r.Stop = stopOf(d, &r)
	return r
}

// eloOf is the rating difference of a mean score.
func eloOf(s *series, level float64) stats.Interval {
	if s.whole() {
		return stats.Elo(s.values(), level)
	}
	iv := s.score(level)
	iv.Estimate, iv.Low, iv.High, iv.Method = stats.EloOf(iv.Estimate), stats.EloOf(iv.Low), stats.EloOf(iv.High), "elo"
	return iv
}

func lengths(c *accumulator, d Design) Length {
	km := c.lengths.survival()
	l := Length{Restricted: km.RestrictedMean(c.cap, d.Level), Incidence: c.lengths.incidence(d.Level)}
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

// arm is one agent's self-play in one ruleset: a cell for each training seed.
type arm struct {
	ruleset, agent string
	cells          []*CellResult
}

// arms lists the self-play of every ruleset and agent, in the order of the cells.
func (a *Analysis) arms() []*arm {
	var out []*arm
	for i := range a.Cells {
		c := &a.Cells[i]
		if !c.SelfPlay {
			continue
		}
		if x := findArm(out, c.Name, c.Agent); x != nil {
			x.cells = append(x.cells, c)
			continue
		}
		out = append(out, &arm{c.Name, c.Agent, []*CellResult{c}})
	}
	return out
}

func findArm(arms []*arm, ruleset, agent string) *arm {
	for _, x := range arms {
		if x.ruleset == ruleset && x.agent == agent {
			return x
		}
	}
	return nil
}

// values are the kept pairs of a metric, averaged over the training seeds.
func (x *arm) values(metric string) []float64 {
	out := x.cells[0].series[metric].values()
	for _, c := range x.cells[1:] {
		v := c.series[metric].values()
		out = out[:min(len(out), len(v))]
		for i := range out {
			out[i] += v[i]
		}
	}
	for i := range out {
		out[i] /= float64(len(x.cells))
	}
	return out
}

func (x *arm) claim() bool {
	for _, c := range x.cells {
		if !c.ClaimAllowed {
			return false
		}
	}
	return true
}

func (x *arm) capped() bool {
	for _, c := range x.cells {
		if !c.Tally.AllowsClaim() {
			return true
		}
	}
	return false
}

func (x *arm) copies() bool {
	for _, c := range x.cells {
		if c.Duplicates {
			return true
		}
	}
	return false
}

// score is the arm's first player's score over all pairs.
func (x *arm) score(level float64) stats.Interval {
	if len(x.cells) == 1 {
		return x.cells[0].Score
	}
	return stats.PairScore(x.values("first-player-score"), level)
}

func (x *arm) spec() string { return x.cells[0].SpecA }

// jointContrast gathers one contrast pair by pair.
type jointContrast struct {
	metric int
	a, b   []int // cells
	diff   difference
	sumA   moments
	sumB   moments
	common bool
}

func (k *jointContrast) add(i int, at func(cell, i int) *pairValues) {
	va, sa, ok := meanOf(k.a, k.metric, i, at)
	if !ok {
		return
	}
	vb, sb, ok := meanOf(k.b, k.metric, i, at)
	if !ok {
		return
	}
	k.diff.add(va-vb, doubtOf(k.a, k.metric, i, at)+doubtOf(k.b, k.metric, i, at))
	k.sumA.add(va)
	k.sumB.add(vb)
	k.common = k.common && sa == sb
}

// meanOf is the mean value of cells at one pair, with its start.
func meanOf(cells []int, metric, i int, at func(cell, i int) *pairValues) (mean float64, start uint64, ok bool) {
	for _, c := range cells {
		p := at(c, i)
		if p == nil {
			return 0, 0, false
		}
		mean += p.v[metric] / float64(len(cells))
		start = p.start
	}
	return mean, start, len(cells) > 0
}

func metricIndex(name string) int {
	return slices.IndexFunc(Metrics(), func(m Metric) bool { return m.Name == name })
}

// cellsOf are the self-play cells of a ruleset and agent.
func (a *Analyser) cellsOf(ruleset, agent string) []int {
	var out []int
	for i, c := range a.cells {
		if c.info.SelfPlay && c.info.Name == ruleset && c.info.Agent == agent {
			out = append(out, i)
		}
	}
	return out
}

func (a *Analyser) prepareContrasts() {
	for _, c := range a.comparisons {
		a.contrasted = append(a.contrasted, &jointContrast{
			metric: metricIndex(c.Metric), a: a.cellsOf(c.A, c.Agent), b: a.cellsOf(c.B, c.Agent), common: true,
		})
	}
}

func (a *Analyser) finishContrasts(out *Analysis) {
	d := a.design
	arms := out.arms()
	for i, c := range a.comparisons {
		x, y := findArm(arms, c.A, c.Agent), findArm(arms, c.B, c.Agent)
		if x == nil || y == nil {
			continue
		}
		j := a.contrasted[i]
		m, _ := metricByName(c.Metric)
		span := 1.0
		switch m.Unit {
		case "plies":
			span = float64(d.Cap)
		case "pieces":
			span = float64(max(x.cells[0].Pieces, y.cells[0].Pieces, 1))
		}
		k := Contrast{
			A: c.A, B: c.B, Metric: c.Metric, Unit: m.Unit, Agent: c.Agent, MeanA: j.sumA.mean, MeanB: j.sumB.mean, P: j.diff.p(),
			Primary: c.Metric == d.Metric, Family: c.Family, CommonStarts: j.diff.n > 0 && j.common,
			ClaimAllowed: j.diff.n > 1 && !x.copies() && !y.copies() && !d.Quick,
			Difference:   j.diff.interval(-span, span, d.Level, "paired"),
			Permutation:  1,
		}
		if m.Capped {
			k.ClaimAllowed = k.ClaimAllowed && x.claim() && y.claim()
		}
		if j.diff.n > 0 {
			va, vb := x.values(c.Metric), y.values(c.Metric)
			n := min(len(va), len(vb))
			va, vb = va[:n], vb[:n]
			k.Permutation = stats.PermutationPaired(va, vb, permutations, stream(d.Seed, "permutation", i))
			if c.Metric == "length" {
				delta := stats.CliffDelta(va, vb, d.Level)
				k.Cliff = &delta
			}
		}
		if primary, _ := metricByName(d.Metric); primary.Unit == m.Unit && j.diff.n > 1 {
			e := j.diff.equivalence(d.Margin, span)
			k.Equivalent = &e
		}
		k.CappedLow, k.CappedHigh = j.diff.bounds(span, d.Level, "paired")
		k.seeds(x, y, m, d.Level)
		out.Contrasts = append(out.Contrasts, k)
	}
}

// seeds compares the networks of single training seeds, number by number.
func (k *Contrast) seeds(x, y *arm, m Metric, level float64) {
	if len(x.cells) < 2 || len(x.cells) != len(y.cells) {
		return
	}
	var each []float64
	for i := range x.cells {
		var diff moments
		va, vb := x.cells[i].series[k.Metric].values(), y.cells[i].series[k.Metric].values()
		for j := range min(len(va), len(vb)) {
			diff.add(va[j] - vb[j])
		}
		iv := diff.interval(math.Inf(-1), math.Inf(1), level, "paired")
		k.EachSeed = append(k.EachSeed, SeedValue{i + 1, iv})
		each = append(each, iv.Estimate)
	}
	lo, hi := -1.0, 1.0
	if m.Unit != "points" {
		lo, hi = math.Inf(-1), math.Inf(1)
	}
	iv := stats.SeedMean(each, lo, hi, level)
	k.Seeds = &iv
}

// budgetOf splits a specification into its kind without the budget, and the
// budget; ok is false for agents without one. Networks of several training seeds are
// one kind.
func budgetOf(spec string, seed int) (kind string, simulations int, ok bool) {
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
		if k != "simulations" && !(k == "network" && seed > 0) {
			rest.Options[k] = v
		}
	}
	return rest.String(), n, true
}

func (x *arm) budget() (kind string, simulations int, ok bool) {
	return budgetOf(x.spec(), x.cells[0].TrainingSeed)
}

// family groups the arms of a ruleset whose agents differ in their budget only, by
// ascending budget.
type family struct {
	ruleset, kind string
	arms          []*arm
}

func (f *family) budgets() []int {
	var out []int
	for _, x := range f.arms {
		_, n, _ := x.budget()
		out = append(out, n)
	}
	return out
}

// families lists the kinds of agent with a budget of every ruleset.
func families(arms []*arm) []*family {
	var out []*family
	for _, x := range arms {
		kind, _, ok := x.budget()
		if !ok || x.cells[0].Pairs == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(f *family) bool { return f.ruleset == x.ruleset && f.kind == kind })
		if i < 0 {
			i = len(out)
			out = append(out, &family{ruleset: x.ruleset, kind: kind})
		}
		out[i].arms = append(out[i].arms, x)
	}
	for _, f := range out {
		slices.SortStableFunc(f.arms, func(x, y *arm) int {
			_, a, _ := x.budget()
			_, b, _ := y.budget()
			return cmp.Compare(a, b)
		})
	}
	return out
}

// trends compares the budgets of one kind of agent within each ruleset.
func (a *Analyser) trends(out *Analysis) {
	d := a.design
	metrics := []string{"first-player-score"}
	if d.Metric != metrics[0] {
		metrics = append(metrics, d.Metric)
	}
	for _, f := range families(out.arms()) {
		budgets := f.budgets()
		if budgets[0] == budgets[len(budgets)-1] {
			continue
		}
		for _, metric := range metrics {
			out.Trends = append(out.Trends, f.change(d, metric))
		}
	}
}

// change compares a family's largest budget with its smallest.
func (f *family) change(d Design, metric string) Trend {
	m, _ := metricByName(metric)
	t := Trend{Ruleset: f.ruleset, Metric: metric, Kind: f.kind, ClaimAllowed: !d.Quick}
	for i, x := range f.arms {
		p := TrendPoint{Agent: x.agent, Simulations: f.budgets()[i]}
		if metric == "first-player-score" {
			p.Value = x.score(d.Level)
		} else {
			p.Value = x.mean(metric, d.Level)
		}
		t.Points = append(t.Points, p)
		t.Copies = t.Copies || x.copies()
		t.ClaimAllowed = t.ClaimAllowed && !x.copies() && (!m.Capped || x.claim())
	}
	top, bottom := f.arms[len(f.arms)-1].values(metric), f.arms[0].values(metric)
	n := min(len(top), len(bottom))
	compare := stats.PairedDifference
	if m.Unit != "points" {
		compare = stats.PairedMeanDifference
	}
	top, bottom = top[:n], bottom[:n]
	change := compare(top, bottom, d.Level)
	t.Change, t.P = change.Interval, change.P
	if !(t.P <= 1) {
		t.P = 1
	}
	low, high := &t.Change, &t.Change
	margin := d.Margin
	if metric == "first-player-score" {
		margin = d.ScoreMargin()
		cappedTop, cappedBottom := f.arms[len(f.arms)-1].values("capped-share"), f.arms[0].values("capped-share")
		var score difference
		for i := range n {
			score.add(top[i]-bottom[i], (cappedTop[i]+cappedBottom[i])/2)
		}
		if t.Capped = score.capped; t.Capped {
			low, high = score.bounds(1, d.Level, "paired")
		}
	}
	t.robust = low.Low > 0 || high.High < 0
	t.Provisional = !(low.Low >= -margin && high.High <= margin)
	return t
}

// mean is the mean of a metric over the arm's pairs.
func (x *arm) mean(metric string, level float64) stats.Interval {
	if len(x.cells) == 1 {
		s := x.cells[0].series[metric]
		return s.unbounded(level)
	}
	return stats.MeanT(x.values(metric), level)
}
