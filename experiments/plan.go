package experiments

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"latro/env/seed"
	"latro/experiments/stats"
	"latro/nn/cputime"
)

// Plan is what an experiment will cost and what it can show, from a short pilot.
type Plan struct {
	// Games is the number of games and Cells describes each cell.
	Games int        `json:"games"`
	Cells []CellPlan `json:"cells"`
	// CPUSeconds is the estimated processor time on a core of this machine, in seconds
	// of the clock for agents that think for a time, and WallSeconds the time that Cores
	// idle cores take for it; Hours is the same in hours.
	Cores       int     `json:"cores"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	WallSeconds float64 `json:"wall_seconds"`
	Hours       float64 `json:"hours"`
	// PairSD is the standard deviation of a pair's value of the primary metric that
	// the power figures use: for shares of games the root mean square of the cells,
	// since the largest of several short pilots is too large; else the largest.
	PairSD float64 `json:"pair_sd"`
	// SDSource says in words where PairSD comes from.
	SDSource string `json:"sd_source"`
	// Unit is the primary metric's: "points", "plies" or "pieces".
	Unit string `json:"unit"`
	// DetectableDifference is the difference between two cells (taken as independent,
	// which common starts improve on) that is found with 80 % power, and Detectable the
	// deviation of a score from one half, each in a test on its own. What follows, up
	// to PairsForEven, is 0 unless the primary metric is the first player's score: only
	// a score can be even.
	DetectableDifference float64 `json:"detectable_difference"`
	Detectable           float64 `json:"detectable"`
	// PowerEven is the chance to show that an even game is within the margin.
	PowerEven float64 `json:"power_even"`
	// PairsForMargin and PairsForEven are the pairs a cell that find a deviation of
	// the margin with 80 % power, and that show an even game to be within it with
	// 90 % power.
	PairsForMargin int `json:"pairs_for_margin"`
	PairsForEven   int `json:"pairs_for_even"`
	// Sequential is how long the sequential test takes; nil for a fixed size.
	Sequential *SequentialPlan `json:"sequential,omitempty"`
	// Requirements say for each group of confirmatory tests what the design can show.
	Requirements []Requirement `json:"requirements"`
	// Answers is true if the design can answer its question: every requirement is met
	// and no claim is ruled out by capped games. PairsNeeded is the number of pairs a
	// cell that would do, and HoursNeeded what they would take; both are 0 where no
	// number of pairs would.
	Answers     bool    `json:"answers"`
	PairsNeeded int     `json:"pairs_needed"`
	HoursNeeded float64 `json:"hours_needed"`
	// Refusals are the reasons why it cannot; Exploratory that the design says so
	// itself.
	Refusals    []string `json:"refusals"`
	Exploratory bool     `json:"exploratory"`
	// Provisional says in a sentence what the design lacks for results that are not
	// called provisional, see [Design.Provisional]; "" if nothing.
	Provisional string `json:"provisional,omitempty"`
	// Warnings are sentences about what else the design cannot show.
	Warnings []string `json:"warnings"`
}

// CellPlan is one cell of a plan.
type CellPlan struct {
	Ruleset    string `json:"ruleset"`
	Agents     string `json:"agents"`
	PilotGames int    `json:"pilot_games"`
	// SecondsPerGame is processor time, or time of the clock for an agent that thinks for
	// a time.
	SecondsPerGame float64 `json:"seconds_per_game"`
	MeanPlies      float64 `json:"mean_plies"`
	Capped         float64 `json:"capped_share"`
	// PairSD is the standard deviation of a pair's value of the primary metric that
	// the plan assumes for this cell.
	PairSD float64 `json:"pair_sd"`
}

// SequentialPlan is how many pairs a sequential design takes on average, and how
// often it ends undecided at its maximum, if the game is even and if it is off by the
// margin.
type SequentialPlan struct {
	PairsEven     float64 `json:"pairs_even"`
	PairsOff      float64 `json:"pairs_off"`
	UndecidedEven float64 `json:"undecided_even"`
	UndecidedOff  float64 `json:"undecided_off"`
}

// sequential plans the sequential test with the standard deviation of a pair's
// score; nil where no distribution has it.
func (d Design) sequential(sd float64) *SequentialPlan {
	even, err := stats.PairDistribution(0.5, sd)
	if err != nil {
		return nil
	}
	off, err := stats.PairDistribution(0.5+d.ScoreMargin(), sd)
	if err != nil {
		return nil
	}
	t := d.evenTest()
	a, b := t.Length(even, d.Pairs), t.Length(off, d.Pairs)
	return &SequentialPlan{PairsEven: a.Mean, PairsOff: b.Mean, UndecidedEven: a.Undecided, UndecidedOff: b.Undecided}
}

// Requirement is what one group of confirmatory tests needs.
type Requirement struct {
	// Group is as in [Design.Confirmatory], and Tests the size of the whole
	// confirmatory family, by which the level of each test is divided.
	Group string `json:"group"`
	Tests int    `json:"tests"`
	// SD is the standard deviation of one pair's value of the tested effect.
	SD float64 `json:"sd"`
	// Detect is the chance to find an effect as large as the margin, and Exclude the
	// chance to show that there is none so large when there is none at all.
	Detect  float64 `json:"detect"`
	Exclude float64 `json:"exclude"`
	// Pairs a cell give both chances the planned power.
	Pairs int `json:"pairs"`
}

// decisivePairSD is the standard deviation of the mean score of two independent
// games without draws, ½/√2: with even chances no pair of twins varies more unless
// its games rise and fall together.
const decisivePairSD = 0.35355339059327373

// pilotWeight is the number of pairs that the rule of thumb counts for against a
// pilot.
const pilotWeight = 8

// testCount is the number of tests of each confirmatory group: what the analysis of
// all the games will correct for. An agent with a network plays where a ruleset has
// one, and a score is tested once for each training seed.
func (d Design) testCount() map[string]int {
	out := map[string]int{}
	type arm struct{ ruleset, agent string }
	arms := map[arm]bool{}
	scores := 0
	for _, c := range d.Cells() {
		if c.SelfPlay {
			arms[arm{c.Ruleset.Name, c.Agent}] = true
			scores++
		}
	}
	rulesets := d.ExpandRulesets()
	// agents play every combination of the factors.
	agents := 0
	for _, a := range d.Agents {
		if !slices.ContainsFunc(rulesets, func(r RulesetRef) bool { return !arms[arm{r.Name, a.name()}] }) {
			agents++
		}
	}
	for _, g := range d.ConfirmatoryGroups() {
		switch g {
		case "scores":
			if d.Metric == "first-player-score" {
				out[g] = scores
			}
		case "effects", "interactions":
			if d.Factorial == nil {
				continue
			}
			for _, c := range d.Factorial.model() {
				if (c.order == 1) == (g == "effects") {
					out[g] += agents
				}
			}
		}
	}
	for _, c := range d.ExpandComparisons() {
		if c.Family == Confirmatory && arms[arm{c.A, c.Agent}] && arms[arm{c.B, c.Agent}] {
			out["contrasts"]++
		}
	}
	return out
}

// trainingSeeds is the largest number of networks that a ruleset has.
func (d Design) trainingSeeds() int {
	most := 0
	for _, r := range d.ExpandRulesets() {
		most = max(most, len(r.Networks))
	}
	return most
}

// requirements judges the design with the standard deviation sd of a pair's value.
func (d Design) requirements(sd float64) []Requirement {
	counts := d.testCount()
	family := 0
	for _, n := range counts {
		family += n
	}
	var out []Requirement
	for _, g := range testGroups {
		if counts[g] == 0 {
			continue
		}
		r := Requirement{Group: g, Tests: family, SD: sd}
		switch g {
		case "contrasts":
			r.SD = sd * math.Sqrt2
		case "effects", "interactions":
			r.SD = 0
			for _, c := range d.Factorial.model() {
				if (c.order == 1) == (g == "effects") {
					r.SD = math.Max(r.SD, sd*math.Sqrt(dot(c.weights, c.weights)))
				}
			}
		}
		alpha := (1 - d.Level) / float64(family)
		equal := 0.05 / float64(family)
		power := d.PlannedPower()
		if r.SD == 0 {
			r.Detect, r.Exclude, r.Pairs = 1, 1, 1
		} else {
			r.Detect = stats.Power(d.Pairs, r.SD, d.Margin, alpha)
			r.Exclude = stats.PowerTOST(d.Pairs, r.SD, d.Margin, equal)
			r.Pairs = max(stats.SampleSize(r.SD, d.Margin, alpha, power), stats.SampleSizeTOST(r.SD, d.Margin, equal, power))
		}
		out = append(out, r)
	}
	return out
}

// Answers judges by a rule of thumb, without playing a game, whether the design has
// pairs enough to answer its question, and how many would do: it takes a pair's
// value to vary as that of two independent games without draws. A metric that is no
// share of games has no such rule (needs is 0); MakePlan's pilot knows more.
func (d Design) Answers() (ok bool, needs int) {
	if m, found := metricByName(d.Metric); !found || m.Unit != "points" {
		return false, 0
	}
	rs := d.requirements(decisivePairSD)
	for _, r := range rs {
		needs = max(needs, r.Pairs)
	}
	return len(rs) > 0 && d.Pairs >= needs, needs
}

// metricOf is a pair's value of a metric.
func metricOf(metric string, g0, g1 Record, lengthCap float64) float64 {
	v := valuesOf(g0, g1, lengthCap)
	for i, m := range Metrics() {
		if m.Name == metric {
			return v[i]
		}
	}
	return math.NaN()
}

// MakePlan plays a few pairs of each cell (at most pilot a cell, and about
// perCell long) and estimates cost and power; workers is the number of cores to
// plan for, 0 for all. The pilot's games have a seed of their own and are no part of
// the experiment. Times are processor time of the whole process, which what else the
// machine is doing hardly changes, so the caller should do nothing else meanwhile; nothing
// is written. progress, if not nil, is called before the first cell and after each one.
func MakePlan(ctx context.Context, d Design, factory Factory, workers, pilot int, perCell time.Duration, progress func(done, total int)) (Plan, error) {
	var p Plan
	if err := d.Validate().err(); err != nil {
		return p, err
	}
	if factory == nil {
		factory = Builtin
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	cells, _, err := compile(d)
	if err != nil {
		return p, err
	}
	metric, _ := metricByName(d.Metric)
	p.Unit, p.Exploratory, p.Provisional = metric.Unit, d.Exploratory, d.Provisional()
	trial := d
	trial.Seed = seed.Derive(d.Seed, seed.Experiment)
	var stoppedCells []string
	selfPlay := 0.0
	for i, c := range cells {
		if progress != nil {
			progress(i, len(cells))
		}
		agents, err := buildAgents(d, c, factory)
		if err != nil {
			return p, err
		}
		began, spent := time.Now(), cputime.Process()
		var values []float64
		plies, stopped := 0, 0
		for pair := 0; pair < min(pilot, d.Pairs) && (pair == 0 || time.Since(began) < perCell); pair++ {
			games, err := playUnit(ctx, trial, c, agents, pair, 1)
			if err != nil {
				return p, err
			}
			records := [2]Record{}
			for i := range games {
				plies += int(games[i].Plies)
				records[i] = recordOf(&games[i], d)
				if games[i].Outcome == "capped" {
					stopped++
				}
			}
			values = append(values, metricOf(d.Metric, records[0], records[1], float64(d.Cap)))
		}
		used := cputime.Process() - spent
		if c.timed() {
			used = time.Since(began)
		}
		n := 2 * len(values)
		cp := CellPlan{Ruleset: c.info.Title, Agents: c.cell.Agents(), PilotGames: n,
			SecondsPerGame: used.Seconds() / float64(n), MeanPlies: float64(plies) / float64(n), Capped: float64(stopped) / float64(n)}
		cp.PairSD = planSD(values, metric.Unit)
		p.Cells = append(p.Cells, cp)
		p.Games += 2 * d.Pairs
		p.CPUSeconds += cp.SecondsPerGame * float64(2*d.Pairs)
		if !c.cell.SelfPlay {
			continue
		}
		selfPlay++
		if metric.Unit == "points" {
			p.PairSD += (cp.PairSD*cp.PairSD - p.PairSD) / selfPlay
		} else {
			p.PairSD = math.Max(p.PairSD, cp.PairSD)
		}
		// A share that is surely above the limit even allowing for the pilot's size.
		if stats.Wilson(stopped, n, 0.95).Low > stats.MaxCappedShare {
			stoppedCells = append(stoppedCells, fmt.Sprintf("%s, %s: %d of %d", cp.Ruleset, cp.Agents, stopped, n))
		}
	}
	if progress != nil {
		progress(len(cells), len(cells))
	}
	capped := len(stoppedCells) > 0 && metric.Capped
	if text := fmt.Sprintf("In %d of %d cells of self-play too many games of the pilot were stopped by the cap of %d plies for any claim about scores (%s).",
		len(stoppedCells), int(selfPlay), d.Cap, strings.Join(stoppedCells, "; ")); capped {
		p.Refusals = append(p.Refusals, text+" Raise the cap or choose rules that end.")
	} else if len(stoppedCells) > 0 {
		p.Warnings = append(p.Warnings, text+fmt.Sprintf(" The primary metric, %s, does not need them.", d.Metric))
	}
	if metric.Unit == "points" {
		p.PairSD = math.Sqrt(p.PairSD)
		p.SDSource = fmt.Sprintf("the pilot's, drawn towards the %s of two independent games without draws, as far as the pilot is short", plainSize(decisivePairSD, metric.Unit))
	} else {
		p.SDSource = "the largest of the cells, each at the upper 80 % limit that its short pilot allows"
	}
	if p.PairSD == 0 {
		p.PairSD = decisivePairSD
		p.SDSource = "a guess, since nothing varied in the pilot"
	}
	p.Cores = min(workers, runtime.GOMAXPROCS(0))
	p.WallSeconds = p.CPUSeconds / float64(p.Cores)
	p.Hours = p.WallSeconds / 3600
	alpha := 1 - d.Level
	p.DetectableDifference = stats.DetectableEffect(d.Pairs, p.PairSD*math.Sqrt2, alpha, 0.8)
	if d.Metric == "first-player-score" {
		p.Detectable = stats.DetectableEffect(d.Pairs, p.PairSD, alpha, 0.8)
		p.PowerEven = stats.PowerTOST(d.Pairs, p.PairSD, d.Margin, 0.05)
		p.PairsForMargin = stats.SampleSize(p.PairSD, d.Margin, alpha, 0.8)
		p.PairsForEven = stats.SampleSizeTOST(p.PairSD, d.Margin, 0.05, 0.9)
	}
	p.Requirements = d.requirements(p.PairSD)
	if n := d.trainingSeeds(); n > 1 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("The chances to find differences and effects count games only. Between networks a claim must also hold over the %d training seeds (Student's t with %s), and how much these differ no pilot of a few games can tell: the true chances are smaller, and more pairs do not help against it.", n, Plural(n-1, "degree")+" of freedom"))
	}
	if d.Sequential() {
		p.Sequential = d.sequential(p.PairSD)
		// The sequential tests stop each by its own error rates: a family of them errs more often.
		if n, t := selfPlay, d.evenTest(); n > 1 && float64(n)*t.Alpha > 0.051 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("Each of the %d sequential tests errs by itself, with a chance of %g %% where the score is even. If all %d scores were even, some %.1f of them would be called favourable by mistake; stopping: {rule: sequential, alpha: %.2g} would keep the chance of any such mistake at 5 %%, for more games.",
				int(n), 100*t.Alpha, int(n), float64(n)*t.Alpha, 0.05/float64(n)))
		}
	}
	p.Answers = !capped && len(p.Requirements) > 0
	if len(p.Requirements) == 0 {
		p.Refusals = append(p.Refusals, fmt.Sprintf("No test of the primary metric %s is confirmatory: give comparisons or name the groups under confirmatory.", d.Metric))
	}
	for _, r := range p.Requirements {
		p.PairsNeeded = max(p.PairsNeeded, r.Pairs)
	}
	if capped {
		p.PairsNeeded = 0
	}
	p.HoursNeeded = p.Hours * float64(p.PairsNeeded) / float64(d.Pairs)
	for _, r := range p.Requirements {
		if d.Pairs >= r.Pairs {
			continue
		}
		p.Answers = false
		p.Refusals = append(p.Refusals, fmt.Sprintf("%s: %d pairs find an effect of the margin (%s) with a chance of %.0f %%, and show an absent one to be within it with %.0f %%, each in a family of %d tests; for %.0f %% plan %d pairs.",
			groupWords(r.Group), d.Pairs, d.MarginWords(), 100*r.Detect, 100*r.Exclude, r.Tests, 100*d.PlannedPower(), r.Pairs))
	}
	if slices.Contains(d.Confirmatory, "scores") && d.Metric != "first-player-score" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("Scores are named confirmatory, but the primary metric is %s: they will be screened only.", d.Metric))
	}
	return p, nil
}

// Provisional says, before a game is played, why a report on the design's games must call
// their results provisional: which budgets, matches or training seeds the checks of
// strength want and the design has not. It is "" where they can all be made; whether they
// will be passed, the games tell.
func (d Design) Provisional() string {
	type strength struct {
		kinds   map[string]map[int]bool
		seeds   map[int]bool
		slope   bool
		network bool
	}
	var order []string
	of := map[string]*strength{}
	for _, c := range d.Cells() {
		s := of[c.Ruleset.Name]
		if s == nil {
			s = &strength{kinds: map[string]map[int]bool{}, seeds: map[int]bool{}, network: c.Ruleset.Network != "" || len(c.Ruleset.Networks) > 0}
			of[c.Ruleset.Name], order = s, append(order, c.Ruleset.Name)
		}
		if !c.SelfPlay {
			ka, a, okA := budgetOf(c.A.Spec, c.TrainingSeed)
			kb, b, okB := budgetOf(c.B.Spec, c.TrainingSeed)
			s.slope = s.slope || okA && okB && ka == kb && a != b
			continue
		}
		if RestrictedBy(c.A.Spec) != "" {
			continue
		}
		kind, budget := kindOf(c.A.Spec)
		if s.kinds[kind] == nil {
			s.kinds[kind] = map[int]bool{}
		}
		s.kinds[kind][budget] = true
		if kind == "trained" {
			s.seeds[c.TrainingSeed] = true
		}
	}
	must := false
	var missing []string
	lacks := func(needed bool, what string) {
		must = must || needed
		if !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	for _, name := range order {
		s := of[name]
		uct, trained := len(s.kinds["uct"]), len(s.kinds["trained"])
		for _, kind := range []string{"random", "greedy"} {
			if s.kinds[kind] == nil {
				lacks(false, "the "+kind+" player")
			}
		}
		if uct < 3 {
			// Two budgets of one kind are enough for a trend.
			lacks(uct < 2 && trained < 2 || trained > 0 && uct == 0, fmt.Sprintf("UCT at three budgets (%d here)", uct))
		}
		if s.network && trained < 2 {
			lacks(uct < 2 && trained < 2, fmt.Sprintf("trained players at two budgets (%d here)", trained))
		}
		if trained > 0 && len(s.seeds) < leastSeed {
			lacks(true, fmt.Sprintf("networks of %d training seeds (%d here)", leastSeed, len(s.seeds)))
		}
		if uct+trained > 0 && !s.slope {
			lacks(true, "matches between two budgets of one kind of player")
		}
	}
	if !must {
		return ""
	}
	return "The report will call results provisional, because the design lacks what tells how they depend on strength: " + strings.Join(missing, "; ") + "."
}

// groupWords names a group of tests in a sentence.
func groupWords(g string) string {
	return map[string]string{
		"scores":       "Is the score even",
		"contrasts":    "Differences between rulesets",
		"effects":      "Effects of single rules",
		"interactions": "Interactions of two rules",
	}[g]
}

// planSD is the standard deviation to plan with. Shares of games begin with the
// rule of thumb, which the pilot moves as far as its size allows; other metrics have
// only the pilot, whose upper 80 % limit allows for its small size.
func planSD(values []float64, unit string) float64 {
	n := float64(len(values))
	var m, v float64
	for _, x := range values {
		m += x / n
	}
	for _, x := range values {
		v += (x - m) * (x - m)
	}
	if unit == "points" {
		return math.Sqrt((pilotWeight*decisivePairSD*decisivePairSD + v) / (pilotWeight + math.Max(0, n-1)))
	}
	if n < 2 {
		return math.Abs(m)
	}
	return math.Sqrt(v / chiSquareLow(n-1))
}

// Refusal is the error of a design that cannot answer its question; nil if it can,
// or if it says itself that it is exploratory.
func (p Plan) Refusal() error {
	if p.Answers || p.Exploratory {
		return nil
	}
	text := strings.Join(p.Refusals, "\n")
	if p.PairsNeeded > 0 {
		text += fmt.Sprintf("\nWith pairs: %d the design could answer its question.", p.PairsNeeded)
	} else {
		text += "\nMore pairs would not help."
	}
	text += " To run it all the same, as an exploratory experiment whose report says so, use --exploratory or write exploratory: true."
	return fmt.Errorf("%w: it cannot answer its question.\n%s", ErrInvalid, text)
}
