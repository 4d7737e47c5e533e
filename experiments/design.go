package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"latro/env/rules"
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
	// UnitPairs is the number of pairs in one work unit (one shard); 16 by default.
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
	// one, on the primary metric and length, for each agent.
	Comparisons []Comparison `yaml:"comparisons" json:"comparisons,omitempty"`
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
	// belongs to a ruleset: a run directory or a weights file.
	Network string `yaml:"network" json:"network,omitempty"`
}

// Factorial is a full factorial over parameters of one ruleset.
type Factorial struct {
	// Base is the ruleset whose other parameters stay as they are.
	Base RulesetRef `yaml:"base" json:"base"`
	// Factors are crossed: every combination of their values is one ruleset.
	Factors []Factor `yaml:"factors" json:"factors"`
}

// Factor is one parameter that an experiment varies.
type Factor struct {
	// Parameter is a name of rules.ParamNames, as "capture.effect".
	Parameter string `yaml:"parameter" json:"parameter"`
	// Values are the values to compare, two or more.
	Values []string `yaml:"values" json:"values"`
	// With are further overrides that one value needs to be possible, by value: some
	// parameters only make sense together (binding needs a removal rule).
	With map[string][]string `yaml:"with" json:"with,omitempty"`
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
		{"length", "the length of a game (counted up to the cap)", "plies", false},
		{"captures", "the number of pieces captured in a game", "pieces", false},
	}
}

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
	maxPairs = 1_000_000
	maxCap   = 100_000
	maxCells = 4096
)

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
		add("version", "this program reads version 1", "is %d", d.Version)
	}
	if !idPattern.MatchString(d.ID) {
		add("id", "letters, digits, '-', '_', '.', at most 64", "%q is not a name", clip(d.ID))
	}
	if strings.TrimSpace(d.Question) == "" {
		add("question", "say in a sentence what the games are to decide", "is missing")
	}
	if d.Pairs < 1 || d.Pairs > maxPairs {
		add("pairs", fmt.Sprintf("1 to %d", maxPairs), "is %d", d.Pairs)
	}
	if d.UnitPairs < 1 || d.UnitPairs > 4096 {
		add("unit_pairs", "1 to 4096; 16 is usual", "is %d", d.UnitPairs)
	}
	if d.Cap < 1 || d.Cap > maxCap {
		add("cap", fmt.Sprintf("plies a game, 1 to %d", maxCap), "is %d", d.Cap)
	}
	if !(d.Margin > 0 && d.Margin < 0.5) {
		add("margin", "a deviation from an even score, as 0.05", "is %v", d.Margin)
	}
	if !(d.Level >= 0.5 && d.Level < 1) {
		add("level", "a confidence level, as 0.95", "is %v", d.Level)
	}
	if _, ok := metricByName(d.Metric); !ok {
		add("metric", "one of "+strings.Join(metricNames(), ", "), "unknown metric %q", clip(d.Metric))
	}
	switch d.Starts.Kind {
	case "random":
		if d.Starts.Plies < 0 || d.Starts.Plies > 1000 {
			add("starts.plies", "0 to 1000", "is %d", d.Starts.Plies)
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
	}
	return ps
}

type adder func(field, hint, format string, args ...any)

func (d Design) validateRulesets(add adder) []string {
	if (len(d.Rulesets) > 0) == (d.Factorial != nil) {
		field := "rulesets"
		if d.Factorial != nil {
			field = "factorial"
		}
		add(field, "give one of them", "a design has either rulesets or a factorial")
		if d.Factorial == nil {
			return nil
		}
	}
	if d.Factorial != nil {
		f := d.Factorial
		if len(f.Factors) == 0 {
			add("factorial.factors", "parameter and values", "no factor is given")
			return nil
		}
		n := 1
		for i, x := range f.Factors {
			path := fmt.Sprintf("factorial.factors[%d]", i)
			if !slices.Contains(rules.ParamNames(), x.Parameter) {
				hint := "see `latro rules show` for the names"
				add(path+".parameter", hint, "%q is no parameter", clip(x.Parameter))
			}
			if len(x.Values) < 2 {
				add(path+".values", "two or more values", "has %d", len(x.Values))
			}
			seen := map[string]bool{}
			for j, v := range x.Values {
				if seen[v] {
					add(fmt.Sprintf("%s.values[%d]", path, j), "", "%q is given twice", clip(v))
				}
				seen[v] = true
			}
			for v := range x.With {
				if !seen[v] {
					add(path+".with", "a value of this factor", "%q is not among the values", clip(v))
				}
			}
			n *= max(1, len(x.Values))
			if n > maxCells {
				add("factorial", "use fewer factors or values", "has more than %d combinations", maxCells)
				return nil
			}
		}
	}
	var names []string
	for i, r := range d.ExpandRulesets() {
		field := fmt.Sprintf("rulesets[%d]", i)
		if d.Factorial != nil {
			field = "factorial"
		} else if r.Ref == "" {
			add(field+".ref", "one of "+list(rules.Catalogue())+", or a file", "is missing")
			continue
		}
		if slices.Contains(names, r.Name) {
			add(field, "give each its own name", "two rulesets are named %q", clip(r.Name))
		}
		names = append(names, r.Name)
		if _, err := rules.Open(r.Ref, r.Set...); err != nil {
			where := field + ".ref"
			if d.Factorial != nil {
				where = field
			}
			add(where, "", "%s: %v", r.Name, err)
		}
	}
	return names
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
		if a.selfPlay() {
			selfPlay++
		}
		if _, err := mcts.ParseSpec(strings.ReplaceAll(a.Spec, networkHole, "x")); err != nil {
			add(field+".spec", "", "%v", err)
		}
		if strings.Contains(a.Spec, networkHole) {
			for _, r := range d.ExpandRulesets() {
				if r.Network == "" {
					add(field+".spec", "give the ruleset a network, a run directory", "%s needs a network, but ruleset %q has none", clip(name), clip(r.Name))
				}
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

// ExpandRulesets gives the rulesets of the design with their names filled in; a
// factorial gives one for each combination, the last factor varying fastest.
func (d Design) ExpandRulesets() []RulesetRef {
	if d.Factorial == nil {
		out := slices.Clone(d.Rulesets)
		for i := range out {
			if out[i].Name == "" {
				out[i].Name = out[i].Ref
				if len(out[i].Set) > 0 {
					out[i].Name += "+" + strings.Join(out[i].Set, "+")
				}
			}
		}
		return out
	}
	base := d.Factorial.Base
	out := []RulesetRef{{Ref: base.Ref, Set: base.Set, Network: base.Network}}
	for _, f := range d.Factorial.Factors {
		var next []RulesetRef
		for _, r := range out {
			for _, v := range f.Values {
				n := r
				n.Set = append(slices.Clone(r.Set), f.Parameter+"="+v)
				n.Set = append(n.Set, f.With[v]...)
				if n.Name != "" {
					n.Name += ", "
				}
				n.Name += f.Parameter + "=" + v
				next = append(next, n)
				if len(next) > maxCells {
					return next
				}
			}
		}
		out = next
	}
	return out
}

// Cell is one ruleset with one pairing of agents.
type Cell struct {
	// Index numbers the cells from 0.
	Index int
	// Ruleset is the ruleset.
	Ruleset RulesetRef
	// A and B are the agents; equal for self-play.
	A, B AgentRef
	// SelfPlay says that one agent plays both sides, on twins; else A and B swap
	// roles on the same start.
	SelfPlay bool
}

// Agents is "uct100" or "network vs random".
func (c Cell) Agents() string {
	if c.SelfPlay {
		return c.A.name()
	}
	return c.A.name() + " vs " + c.B.name()
}

// Cells lists the cells: for each ruleset the self-play agents in order, then the
// matches. The specs have their networks filled in.
func (d Design) Cells() []Cell {
	var out []Cell
	byName := map[string]AgentRef{}
	for _, a := range d.Agents {
		byName[a.name()] = a
	}
	for _, r := range d.ExpandRulesets() {
		fill := func(a AgentRef) AgentRef {
			a.Name = a.name()
			a.Spec = strings.ReplaceAll(a.Spec, networkHole, r.Network)
			return a
		}
		for _, a := range d.Agents {
			if a.selfPlay() {
				out = append(out, Cell{len(out), r, fill(a), fill(a), true})
			}
		}
		for _, m := range d.Matches {
			out = append(out, Cell{len(out), r, fill(byName[m.A]), fill(byName[m.B]), false})
		}
	}
	return out
}

// ExpandComparisons gives the contrasts of the design, one for each agent.
func (d Design) ExpandComparisons() []Comparison {
	rs := d.ExpandRulesets()
	cs := d.Comparisons
	if len(cs) == 0 {
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

// Hash is the sha256 (hex) of the design's canonical JSON: the same design gives
// the same hash however its file was written.
func (d Design) Hash() string {
	b, err := json.Marshal(d)
	if err != nil {
		panic("experiments: a design is always representable: " + err.Error())
	}
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

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
