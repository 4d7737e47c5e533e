package experiments

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"latro/mcts"
)

// Design is an experiment's frozen plan: everything that decides which games are
// played and what is claimed from them. It is plain data; make one with
// [LoadDesign], or in code on top of [DefaultDesign].
type Design struct {
	// Version is the version of this schema, 1.
	Version int `yaml:"version" json:"version"`
	// ID names the experiment in figures and files: letters, digits, '-', '_', '.'.
	ID string `yaml:"id" json:"id"`
	// Title is a heading for people; the ID if empty.
	Title string `yaml:"title" json:"title"`
	// Question is what the experiment asks, in one or two sentences.
	Question string `yaml:"question" json:"question"`
	// Rulesets are compared with each other. Give these or Factorial.
	Rulesets []RulesetRef `yaml:"rulesets" json:"rulesets,omitempty"`
	// Factorial crosses parameter values over one base ruleset.
	Factorial *Factorial `yaml:"factorial" json:"factorial,omitempty"`
	// Agents each play themselves (unless only named in Matches).
	Agents []AgentRef `yaml:"agents" json:"agents"`
	// Matches set one agent against another, on the same start with roles swapped.
	Matches []Match `yaml:"matches" json:"matches,omitempty"`
	// Starts says which positions games start from.
	Starts Starts `yaml:"starts" json:"starts"`
	// Pairs is the number of pairs of games in each cell.
	Pairs int `yaml:"pairs" json:"pairs"`
	// UnitPairs is the number of pairs in one work unit (one shard); 16 by default, and 64 in a design file with a fixed
	// number of games of players that do not search.
	// It changes which file a game is in, never the game.
	UnitPairs int `yaml:"unit_pairs" json:"unit_pairs"`
	// Seed is the root of every random stream.
	Seed uint64 `yaml:"seed" json:"seed"`
	// Cap stops a game after this many plies from its start; it is then "capped".
	Cap int `yaml:"cap" json:"cap"`
	// Metric is the primary metric (see Metrics), the one that claims are about.
	Metric string `yaml:"metric" json:"metric"`
	// Margin is the largest deviation of a score from one half that counts as even,
	// fixed in advance, as 0.05.
	Margin float64 `yaml:"margin" json:"margin"`
	// Level is the confidence level of every interval, 0.95 by default.
	Level float64 `yaml:"level" json:"level"`
	// Comparisons are the contrasts to test. Empty: every ruleset against the first
	// one, on the primary metric and length, for each agent; none where a factorial
	// has several factors, whose effects say more.
	Comparisons []Comparison `yaml:"comparisons" json:"comparisons,omitempty"`
	// Confirmatory names the groups of tests on the primary metric that are claims
	// fixed in advance and share one Holm family: "scores" (is a ruleset's score
	// even?), "contrasts", "effects" (of factors) and "interactions". All other tests
	// are screening, adjusted by Benjamini and Hochberg within their group. Empty: see
	// [Design.ConfirmatoryGroups].
	Confirmatory []string `yaml:"confirmatory" json:"confirmatory,omitempty"`
	// Power is the chance that the design must have to answer its question, 0.8 if 0.
	Power float64 `yaml:"power" json:"power,omitzero"`
	// Stopping says when a cell has enough pairs; fixed if zero.
	Stopping Stopping `yaml:"stopping" json:"stopping,omitzero"`
	// Exploratory marks an experiment that is not shown able to answer its question:
	// its report offers hints, not results.
	Exploratory bool `yaml:"exploratory" json:"exploratory,omitempty"`
	// Quick marks a design that [Design.Quick] made small to try the machinery out.
	Quick bool `yaml:"-" json:"quick,omitempty"`
	// UCTBudgets and TrainedBudgets are the simulations of the agents that the word
	// "strength" stands for in place of a list of agents.
	UCTBudgets     []int `yaml:"uct_budgets" json:"-"`
	TrainedBudgets []int `yaml:"trained_budgets" json:"-"`
	// Resolved identifies the rules and networks by their content; [Design.Resolve]
	// fills it in. The hash of a design rests on it and not on where files lie.
	Resolved *Resolved `yaml:"-" json:"resolved,omitempty"`

	// dir is the directory that relative paths of the design count from.
	dir string
	// places is where its fields stand; nil for a design that a program made.
	places *places
}

// Stopping is the rule by which a cell's games end. In YAML the word alone is its
// rule.
type Stopping struct {
	// Rule is "fixed" (every cell has Pairs pairs) or "sequential": a cell stops at
	// the first look at which its first player's score is shown to be even or to be
	// off by the margin (stats.EvenTest), and at Pairs at the latest.
	Rule string `yaml:"rule" json:"rule"`
	// Alpha and Beta bound the chances of calling an even game uneven, and one that is
	// off by the margin even; 0.05 each if 0.
	Alpha float64 `yaml:"alpha" json:"alpha,omitzero"`
	Beta  float64 `yaml:"beta" json:"beta,omitzero"`
}

// RulesetRef names a ruleset as rules.Open does: an id with an optional reading
// or a file, and overrides. In YAML a plain string is its ref.
type RulesetRef struct {
	// Name is how figures call it; the ref with its overrides if empty.
	Name string `yaml:"name" json:"name"`
	// Ref is ID, ID@READING or a path to a ruleset file.
	Ref string `yaml:"ref" json:"ref"`
	// Set holds overrides, as "capture.corner=neutral".
	Set []string `yaml:"set" json:"set,omitempty"`
	// Network replaces "{network}" in agents' specs for this ruleset, since a network
	// belongs to a ruleset: a run directory, a weights file, or "shipped" for the one
	// that comes with the program.
	Network string `yaml:"network" json:"network,omitempty"`
	// Networks are several of them instead, one a training seed.
	Networks []string `yaml:"networks" json:"networks,omitempty"`
}

// AgentRef names an agent. In YAML a plain string is its spec.
type AgentRef struct {
	// Name is how figures call it; the spec if empty.
	Name string `yaml:"name" json:"name"`
	// Spec is an agent as mcts.ParseSpec reads it; "{network}" stands for the
	// ruleset's network.
	Spec string `yaml:"spec" json:"spec"`
	// SelfPlay false keeps the agent for matches only (true by default).
	SelfPlay *bool `yaml:"self_play" json:"self_play,omitempty"`
	// WhereTrained leaves the agent out of rulesets without a network; otherwise a
	// missing network is a mistake.
	WhereTrained bool `yaml:"where_trained" json:"where_trained,omitempty"`
}

// Match sets agent A against agent B (names of agents).
type Match struct {
	A string `yaml:"a" json:"a"`
	B string `yaml:"b" json:"b"`
}

// Starts says which positions the games start from.
type Starts struct {
	// Kind is "random": in a placement game the pieces are placed at random and the
	// filled board is the start; in a game with a fixed array Plies random legal plies
	// are played (on to the end of a turn, with the side to move that moved first).
	// Each start is paired with its colour-mirrored twin. Or "initial": the ruleset's
	// own start, where only the agents' own chance makes games differ and placement is
	// played by the agents.
	Kind string `yaml:"kind" json:"kind"`
	// Plies is the number of random plies of kind random, in games with an array.
	Plies int `yaml:"plies" json:"plies"`
}

// Comparison is one contrast: metric(A) − metric(B), for every agent or one.
type Comparison struct {
	// A and B are names of rulesets (or of factorial cells).
	A string `yaml:"a" json:"a"`
	B string `yaml:"b" json:"b"`
	// Metric is one of Metrics; the primary metric if empty.
	Metric string `yaml:"metric" json:"metric"`
	// Agent limits the contrast to one agent's self-play; all if empty.
	Agent string `yaml:"agent" json:"agent,omitempty"`
	// Family is "confirmatory" or "screening"; empty: confirmatory if contrasts are
	// (see Confirmatory) and the metric is the primary one.
	Family string `yaml:"family" json:"family,omitempty"`
}

// Metric describes a number that pairs have and contrasts can be about.
type Metric struct {
	// Name is its name in designs and tables.
	Name string
	// Title is its name in a sentence, as "the first player's score".
	Title string
	// Unit is "points" for shares and scores (shown in percentage points), "plies" or
	// "pieces".
	Unit string
	// Capped says that the metric is meaningless where too many games were capped.
	Capped bool
}

// Metrics lists the metrics of contrasts, in the order of reports.
func Metrics() []Metric {
	return []Metric{
		{"first-player-score", "the first player's score", "points", true},
		{"draw-share", "the share of draws", "points", true},
		{"decisive-share", "the share of games with a winner", "points", true},
		{"capped-share", "the share of games stopped by the length cap", "points", false},
		{"undecided-share", "the share of games without a winner (drawn, or stopped by the length cap)", "points", false},
		{"length", "the length of a game (counted up to the cap)", "plies", false},
		{"captures", "the number of pieces captured in a game", "pieces", false},
	}
}

// scoreMetric and cappedMetric are indices of Metrics.
const (
	scoreMetric  = 0
	cappedMetric = 3
)

func metricByName(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

func metricNames() []string {
	var out []string
	for _, m := range Metrics() {
		out = append(out, m.Name)
	}
	return out
}

// DefaultDesign holds the values of fields that a file leaves out.
func DefaultDesign() Design {
	return Design{
		Version:   1,
		Starts:    Starts{Kind: "random", Plies: 4},
		Pairs:     100,
		UnitPairs: 16,
		Seed:      1,
		Cap:       400,
		Metric:    "first-player-score",
		Margin:    0.05,
		Level:     0.95,
	}
}

// Limits that keep a typing mistake from asking for a year of games.
const (
	// MostPairs is the largest number of pairs of games a cell.
	MostPairs = 1_000_000
	maxCap    = 100_000
	maxCells  = 4096

	maxUnitPairs = 4096
	// A unit's games are in memory until its file is written.
	maxUnitPlies  = 50_000_000
	maxStartPlies = 1000

	// Beyond these an answer takes more games than anybody plays.
	maxPower       = 0.99
	maxLevel       = 0.9999
	minError       = 0.0001
	minScoreMargin = 0.001
	minMargin      = 0.01
)

// The families of tests: claims that were fixed in advance, adjusted together by
// Holm, and the others, adjusted by Benjamini and Hochberg within their group.
const (
	Confirmatory = "confirmatory"
	Screening    = "screening"
)

// testGroups are the groups that Design.Confirmatory may name.
var testGroups = []string{"scores", "contrasts", "effects", "interactions"}

var (
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	networkHole = "{network}"
)

// Validate returns every mistake of the design, with the path of its field; nil
// if it is sound. It opens the rulesets, so files that a design names must exist.
func (d Design) Validate() Problems {
	ps := d.validateValues()
	add := func(field, hint, format string, args ...any) {
		ps = append(ps, Problem{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	names := d.validateRulesets(add)
	agents := d.validateAgents(add)

	for i, c := range d.Comparisons {
		f := fmt.Sprintf("comparisons[%d]", i)
		for _, side := range []struct{ key, name string }{{"a", c.A}, {"b", c.B}} {
			if names != nil && !slices.Contains(names, side.name) {
				add(f+"."+side.key, "one of "+list(names), "no ruleset is named %q", clip(side.name))
			}
		}
		if c.A == c.B {
			add(f+".b", "name two rulesets", "compares %q with itself", clip(c.A))
		}
		if c.Agent != "" && !slices.Contains(agents, c.Agent) {
			add(f+".agent", "one of "+list(agents), "no agent is named %q", clip(c.Agent))
		}
	}
	return ps
}

// validateValues checks what needs no ruleset: it is all that an analysis relies
// on, so it is also asked of a directory that someone else made.
func (d Design) validateValues() Problems {
	var ps Problems
	add := func(field, hint, format string, args ...any) {
		ps = append(ps, Problem{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	if d.Version != 1 {
		add("version", rangeHint("version"), "is %d", d.Version)
	}
	if !idPattern.MatchString(d.ID) {
		add("id", "letters, digits, '-', '_', '.', at most 64", "%q is not a name", clip(d.ID))
	}
	if strings.TrimSpace(d.Question) == "" {
		add("question", "say in a sentence what the games are to decide", "is missing")
	}
	if d.Pairs < 1 || d.Pairs > MostPairs {
		add("pairs", rangeHint("pairs"), "is %d", d.Pairs)
	}
	if d.UnitPairs < 1 || d.UnitPairs > maxUnitPairs {
		add("unit_pairs", rangeHint("unit_pairs"), "is %d", d.UnitPairs)
	}
	if d.Cap < 1 || d.Cap > maxCap {
		add("cap", rangeHint("cap"), "is %d", d.Cap)
	} else if d.UnitPairs >= 1 && d.UnitPairs <= maxUnitPairs && 2*d.UnitPairs*d.Cap > maxUnitPlies {
		add("unit_pairs", fmt.Sprintf("at most %d with this cap, or a lower cap", maxUnitPlies/2/d.Cap), "is %d, and with a cap of %d plies the games of one unit would not fit into memory", d.UnitPairs, d.Cap)
	}
	if m, ok := metricByName(d.Metric); ok && m.Unit != "points" {
		if !(d.Margin >= minMargin && d.Margin <= maxCap) {
			add("margin", fmt.Sprintf("a difference in %s that would matter, %g to %d", m.Unit, minMargin, maxCap), "is %v", d.Margin)
		}
	} else if !(d.Margin >= minScoreMargin && d.Margin < 0.5) {
		add("margin", scoreMarginHint(), "is %v", d.Margin)
	}
	if d.Power != 0 && !(d.Power >= 0.5 && d.Power <= maxPower) {
		add("power", rangeHint("power"), "is %v", d.Power)
	}
	switch d.Stopping.Rule {
	case "", "fixed":
	case "sequential":
		if d.Metric != "first-player-score" {
			add("stopping.rule", "the sequential test asks about first-player-score; use fixed", "is sequential, but the primary metric is %q", clip(d.Metric))
		}
	default:
		add("stopping.rule", "fixed or sequential", "unknown rule %q", clip(d.Stopping.Rule))
	}
	for _, x := range []struct {
		key string
		v   float64
	}{{"alpha", d.Stopping.Alpha}, {"beta", d.Stopping.Beta}} {
		if x.v != 0 && !(x.v >= minError && x.v < 0.5) {
			add("stopping."+x.key, rangeHint("stopping."+x.key), "is %v", x.v)
		}
	}
	for i, g := range d.Confirmatory {
		if !slices.Contains(testGroups, g) {
			add(fmt.Sprintf("confirmatory[%d]", i), "one of "+strings.Join(testGroups, ", "), "unknown group %q", clip(g))
		} else if d.Sequential() && g != "scores" {
			add(fmt.Sprintf("confirmatory[%d]", i), "leave it out, or use stopping: fixed", "a sequential design stops when its scores are decided and cannot promise an answer about %s", g)
		}
	}
	if !(d.Level >= 0.5 && d.Level <= maxLevel) {
		add("level", rangeHint("level"), "is %v", d.Level)
	}
	if _, ok := metricByName(d.Metric); !ok {
		add("metric", "one of "+strings.Join(metricNames(), ", "), "unknown metric %q", clip(d.Metric))
	}
	switch d.Starts.Kind {
	case "random":
		if d.Starts.Plies < 0 || d.Starts.Plies > maxStartPlies {
			add("starts.plies", rangeHint("starts.plies"), "is %d", d.Starts.Plies)
		}
	case "initial":
		if d.Starts.Plies != 0 {
			add("starts.plies", "leave it out, or use kind random", "the initial position has no random plies, but plies is %d", d.Starts.Plies)
		}
	default:
		add("starts.kind", "random or initial", "unknown kind %q", clip(d.Starts.Kind))
	}

	for i, c := range d.Comparisons {
		if _, ok := metricByName(c.Metric); c.Metric != "" && !ok {
			add(fmt.Sprintf("comparisons[%d].metric", i), "one of "+strings.Join(metricNames(), ", "), "unknown metric %q", clip(c.Metric))
		}
		if c.Family != "" && c.Family != Confirmatory && c.Family != Screening {
			add(fmt.Sprintf("comparisons[%d].family", i), "confirmatory or screening", "unknown family %q", clip(c.Family))
		}
		if d.Sequential() && c.Family == Confirmatory {
			add(fmt.Sprintf("comparisons[%d].family", i), "screening, or stopping: fixed", "a sequential design stops when its scores are decided and cannot promise an answer about comparisons")
		}
		// A test counted twice would raise the price of all others.
		for k, o := range d.Comparisons[:i] {
			if c.Metric == o.Metric && c.Agent == o.Agent && (c.A == o.A && c.B == o.B || c.A == o.B && c.B == o.A) {
				add(fmt.Sprintf("comparisons[%d]", i), "leave one out", "asks the same as comparisons[%d]", k)
			}
		}
	}
	return ps
}

// rangeHint says what a number of a design may be; "" for a field that is no number.
func rangeHint(field string) string {
	field, _, _ = strings.Cut(field, "[")
	switch field {
	case "version":
		return "this program reads version 1"
	case "seed":
		return fmt.Sprintf("a whole number, 0 to %d", uint64(math.MaxUint64))
	case "pairs":
		return fmt.Sprintf("1 to %d", MostPairs)
	case "unit_pairs":
		return fmt.Sprintf("1 to %d; 16 is usual", maxUnitPairs)
	case "cap":
		return fmt.Sprintf("plies a game, 1 to %d", maxCap)
	case "starts.plies":
		return fmt.Sprintf("0 to %d", maxStartPlies)
	case "uct_budgets", "trained_budgets":
		return "simulations, 1 or more, each above the one before"
	case "margin":
		return fmt.Sprintf("%s; of a metric in plies or pieces %g to %d", scoreMarginHint(), minMargin, maxCap)
	case "level":
		return fmt.Sprintf("a confidence level from 0.5 to %g, as 0.95", maxLevel)
	case "power":
		return fmt.Sprintf("a chance from 0.5 to %g, as 0.8; no number of games makes an answer certain", maxPower)
	case "stopping.alpha", "stopping.beta":
		return fmt.Sprintf("a chance of an error, as 0.05; %g or more, below 0.5", minError)
	}
	return ""
}

func scoreMarginHint() string {
	return fmt.Sprintf("a deviation from an even score, as 0.05; %g or more, below 0.5", minScoreMargin)
}

// checkSpec checks an agent as far as its text tells: files are asked for when games are to be played.
func checkSpec(text string) error {
	s, err := mcts.ParseSpec(text)
	if err != nil || s.Kind == "net" || s.Options["weights"] != "" {
		return err
	}
	if kinds := append(mcts.Kinds(), "net"); !slices.Contains(kinds, s.Kind) {
		return fmt.Errorf("there is no agent %q; the kinds are %s", clip(s.Kind), strings.Join(kinds, ", "))
	}
	_, err = mcts.NewAgent(s, nil)
	return err
}

func (d Design) validateAgents(add adder) []string {
	if len(d.Agents) == 0 {
		add("agents", "as random, or uct:simulations=100", "no agent is given")
	}
	var names []string
	selfPlay := 0
	for i, a := range d.Agents {
		field := fmt.Sprintf("agents[%d]", i)
		name := a.name()
		if slices.Contains(names, name) {
			add(field, "give each its own name", "two agents are named %q", clip(name))
		}
		names = append(names, name)
		if strings.ContainsFunc(name, unicode.IsControl) {
			add(field+".name", "letters, digits and punctuation on one line", "the name %q has characters that cannot be printed", clip(name))
		}
		if a.selfPlay() {
			selfPlay++
		}
		if err := checkSpec(strings.ReplaceAll(a.Spec, networkHole, "x")); err != nil {
			add(field+".spec", "", "%v", err)
		}
		if s, err := mcts.ParseSpec(a.Spec); err == nil && a.Name == "" && s.Kind == "net" && s.Options["path"]+s.Options["run"] != "" {
			add(field, "write {name: …, spec: …}; the name stands in files and figures", "an agent with a file of its own needs a name")
		}
		if strings.Contains(a.Spec, networkHole) {
			for _, r := range d.ExpandRulesets() {
				if len(r.networks()) == 0 && !a.WhereTrained {
					add(field+".spec", "give the ruleset a network: a run directory, a weights file or shipped", "%s needs a network, but ruleset %q has none", clip(name), clip(r.Name))
				}
			}
		}
	}
	if len(d.Agents) > 0 && !slices.ContainsFunc(d.Agents, AgentRef.trained) {
		for run, r := range d.ExpandRulesets() {
			if len(r.networks()) > 0 {
				add(d.networkField(run, 0), "write "+networkHole+" in an agent's spec, as net:path="+networkHole+",simulations=64, or leave the networks out", "no agent plays the networks of %q", clip(r.Name))
				break
			}
		}
	}
	if len(d.Agents) > 0 && selfPlay == 0 && len(d.Matches) == 0 {
		add("agents", "let one play itself or give matches", "no games are asked for")
	}
	for i, m := range d.Matches {
		field := fmt.Sprintf("matches[%d]", i)
		for _, side := range []struct{ key, name string }{{"a", m.A}, {"b", m.B}} {
			if !slices.Contains(names, side.name) {
				add(field+"."+side.key, "one of "+list(names), "no agent is named %q", clip(side.name))
			}
		}
		if m.A == m.B {
			add(field, "an agent plays itself by being listed under agents", "sets %q against itself", clip(m.A))
		}
	}
	return names
}

func (a AgentRef) name() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Spec
}

func (a AgentRef) selfPlay() bool { return a.SelfPlay == nil || *a.SelfPlay }

// Cell is one ruleset with one pairing of agents.
type Cell struct {
	// Index numbers the cells from 0.
	Index int
	// Ruleset is the ruleset.
	Ruleset RulesetRef
	// A and B are the agents; equal for self-play. Their names carry the training seed
	// where there are several.
	A, B AgentRef
	// SelfPlay says that one agent plays both sides, on twins; else A and B swap
	// roles on the same start.
	SelfPlay bool
	// Agent is the name of A in the design.
	Agent string
	// Network is the network that "{network}" stands for, "" if none does, and
	// TrainingSeed its number from 1 where the ruleset has several, else 0.
	Network      string
	TrainingSeed int
	// Run is the number of the ruleset in the design, from 0.
	Run int
}

// Agents is "uct100" or "network vs random".
func (c Cell) Agents() string {
	if c.SelfPlay {
		return c.A.name()
	}
	return c.A.name() + " vs " + c.B.name()
}

func (r RulesetRef) networks() []string {
	if r.Network != "" {
		return []string{r.Network}
	}
	return r.Networks
}

func (a AgentRef) trained() bool { return strings.Contains(a.Spec, networkHole) }

// Cells lists the cells: for each ruleset the self-play agents in order, then the
// matches, each once for every training seed of the ruleset if it plays its
// network. An agent that is for trained rulesets only has no cell in the others.
func (d Design) Cells() []Cell {
	var out []Cell
	byName := map[string]AgentRef{}
	for _, a := range d.Agents {
		byName[a.name()] = a
	}
	for run, r := range d.ExpandRulesets() {
		nets := r.networks()
		add := func(a, b AgentRef, self bool) {
			c := Cell{Ruleset: r, A: a, B: b, SelfPlay: self, Agent: a.name(), Run: run}
			c.A.Name, c.B.Name = a.name(), b.name()
			if !a.trained() && !b.trained() {
				c.Index = len(out)
				out = append(out, c)
				return
			}
			for i, n := range nets {
				c := c
				c.Index, c.Network = len(out), n
				if len(nets) > 1 {
					c.TrainingSeed = i + 1
					for _, x := range []*AgentRef{&c.A, &c.B} {
						if x.trained() {
							x.Name += fmt.Sprintf(" #%d", i+1)
						}
					}
				}
				out = append(out, c)
			}
		}
		for _, a := range d.Agents {
			if a.selfPlay() {
				add(a, a, true)
			}
		}
		for _, m := range d.Matches {
			add(byName[m.A], byName[m.B], false)
		}
	}
	return out
}

// ExpandComparisons gives the contrasts of the design, one for each agent.
func (d Design) ExpandComparisons() []Comparison {
	rs := d.ExpandRulesets()
	cs := slices.Clone(d.Comparisons)
	if len(cs) == 0 && (d.Factorial == nil || len(d.Factorial.Factors) < 2) {
		metrics := []string{d.Metric}
		if d.Metric != "length" {
			metrics = append(metrics, "length")
		}
		for _, m := range metrics {
			for _, r := range rs[min(1, len(rs)):] {
				cs = append(cs, Comparison{A: r.Name, B: rs[0].Name, Metric: m})
			}
		}
	}
	var out []Comparison
	for _, c := range cs {
		if c.Metric == "" {
			c.Metric = d.Metric
		}
		if c.Family == "" {
			c.Family = d.familyOf("contrasts", c.Metric)
		}
		if c.Agent != "" {
			out = append(out, c)
			continue
		}
		for _, a := range d.Agents {
			if a.selfPlay() {
				c.Agent = a.name()
				out = append(out, c)
			}
		}
	}
	return out
}

// ConfirmatoryGroups are the groups of tests that share the Holm family: those
// that the design names; else the effects of a factorial of several factors, the
// contrasts of several rulesets, or the score of a single one. A sequential design
// stops when its scores are decided, so that nothing else can be promised.
func (d Design) ConfirmatoryGroups() []string {
	switch {
	case len(d.Confirmatory) > 0:
		return d.Confirmatory
	case d.Sequential():
		return []string{"scores"}
	case d.Factorial != nil && len(d.Factorial.Factors) > 1:
		return []string{"effects"}
	case d.Factorial != nil || len(d.Rulesets) > 1:
		return []string{"contrasts"}
	}
	return []string{"scores"}
}

// familyOf is the family of a test by its group and metric.
func (d Design) familyOf(group, metric string) string {
	if metric == d.Metric && slices.Contains(d.ConfirmatoryGroups(), group) {
		return Confirmatory
	}
	return Screening
}

// ScoreMargin is the deviation of a score from one half that counts as even: the
// design's margin, or 0.05 where its primary metric is no share of games.
func (d Design) ScoreMargin() float64 {
	if m, ok := metricByName(d.Metric); ok && m.Unit != "points" {
		return 0.05
	}
	return d.Margin
}

// PlannedPower is the chance that the design must have to answer its question.
func (d Design) PlannedPower() float64 {
	if d.Power == 0 {
		return 0.8
	}
	return d.Power
}

// searchlessUnitPairs is the usual size of a unit where a game takes less than a thousandth of a second: a file for every few
// milliseconds of play would cost as much as the play.
const searchlessUnitPairs = 64

// searchless reports whether all games are of players that do not search, and are no looks of a sequential test.
func (d Design) searchless() bool {
	for _, a := range d.Agents {
		if s, err := mcts.ParseSpec(a.Spec); err != nil || s.Kind != "random" && s.Kind != "greedy" {
			return false
		}
	}
	return !d.Sequential()
}

// Sequential reports whether cells stop as soon as they have answered.
func (d Design) Sequential() bool { return d.Stopping.Rule == "sequential" }

func list(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func clip(s string) string {
	const most = 80
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
