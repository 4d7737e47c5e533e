package mcts

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"latro/env/engine"
)

// ErrSpec is wrapped by every error about an agent's specification.
var ErrSpec = errors.New("invalid agent")

// Spec names an agent: a kind and its options, written kind:option=value,option=value.
type Spec struct {
	Kind    string
	Options map[string]string
}

// ParseSpec reads "uct:simulations=100" or "random". It checks the form; the kind and the options are
// checked by whoever builds the agent, with SpecReader. Errors wrap ErrSpec.
func ParseSpec(text string) (Spec, error) {
	fail := func(format string, args ...any) (Spec, error) {
		return Spec{}, fmt.Errorf("%w %q: "+format+`; write kind:option=value,option=value, for example "uct:simulations=100"`,
			append([]any{ErrSpec, text}, args...)...)
	}
	kind, rest, colon := strings.Cut(text, ":")
	if !isName(kind) {
		return fail("the kind %q is not a name of letters, digits and hyphens", kind)
	}
	s := Spec{Kind: kind, Options: map[string]string{}}
	if !colon {
		return s, nil
	}
	for _, item := range strings.Split(rest, ",") {
		name, value, equal := strings.Cut(item, "=")
		switch {
		case !equal || value == "":
			return fail("%q has no value", item)
		case !isName(name):
			return fail("the option %q is not a name of letters, digits and hyphens", name)
		}
		if _, twice := s.Options[name]; twice {
			return fail("the option %q is given twice", name)
		}
		s.Options[name] = value
	}
	return s, nil
}

func isName(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			return false
		}
	}
	return s != ""
}

// String is the canonical form: options sorted by name. ParseSpec reads it back.
func (s Spec) String() string {
	if len(s.Options) == 0 {
		return s.Kind
	}
	var b strings.Builder
	b.WriteString(s.Kind)
	for i, name := range slices.Sorted(maps.Keys(s.Options)) {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(name + "=" + s.Options[name])
	}
	return b.String()
}

// SpecReader reads the options of a Spec one by one with their defaults, and at the end says everything that
// is wrong: values out of range, and options that nobody asked for, with the list of those that exist.
type SpecReader struct {
	spec     Spec
	known    []string
	problems []string
}

// NewSpecReader returns a reader of s.
func NewSpecReader(s Spec) *SpecReader { return &SpecReader{spec: s} }

func (r *SpecReader) take(name string) (string, bool) {
	r.known = append(r.known, name)
	v, ok := r.spec.Options[name]
	return v, ok
}

func (r *SpecReader) bad(name, value, want string) {
	r.problems = append(r.problems, fmt.Sprintf("%s=%s: it must be %s", name, value, want))
}

// Int reads a whole number in lo..hi.
func (r *SpecReader) Int(name string, def, lo, hi int) int {
	v, ok := r.take(name)
	if !ok {
		return def
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < lo || n > hi {
		r.bad(name, v, fmt.Sprintf("a whole number in %d..%d", lo, hi))
		return def
	}
	return n
}

// Float reads a number in lo..hi.
func (r *SpecReader) Float(name string, def, lo, hi float64) float64 {
	v, ok := r.take(name)
	if !ok {
		return def
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || x < lo || x > hi {
		r.bad(name, v, fmt.Sprintf("a number in %v..%v", lo, hi))
		return def
	}
	return x
}

// Bool reads true or false.
func (r *SpecReader) Bool(name string, def bool) bool {
	v, ok := r.take(name)
	switch {
	case !ok:
		return def
	case v == "true":
		return true
	case v == "false":
		return false
	}
	r.bad(name, v, "true or false")
	return def
}

// Text reads any text.
func (r *SpecReader) Text(name, def string) string {
	if v, ok := r.take(name); ok {
		return v
	}
	return def
}

// OneOf reads one of the given words.
func (r *SpecReader) OneOf(name, def string, words ...string) string {
	v, ok := r.take(name)
	if !ok {
		return def
	}
	if !slices.Contains(words, v) {
		r.bad(name, v, strings.Join(words, " or "))
		return def
	}
	return v
}

// Done returns nil, or one error that wraps ErrSpec and names every bad value, every unknown option, and the
// options that exist.
func (r *SpecReader) Done() error {
	for _, name := range slices.Sorted(maps.Keys(r.spec.Options)) {
		if !slices.Contains(r.known, name) {
			have := "it has no options"
			if len(r.known) > 0 {
				have = "its options are " + strings.Join(slices.Sorted(slices.Values(r.known)), ", ")
			}
			r.problems = append(r.problems, fmt.Sprintf("%s is no option of %s; %s", name, r.spec.Kind, have))
		}
	}
	if len(r.problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w %q: %s", ErrSpec, r.spec.String(), strings.Join(r.problems, "; "))
}

// ReadConfig reads the options of a search agent, with base as their defaults: search (gumbel or puct),
// simulations, leaves, solver, noise, temperature, prior-temperature, considered, c-visit, c-scale, c-init, c-base, fpu,
// root-fpu, dirichlet-total, dirichlet-fraction. Ranges are those of Config.Validate.
func (r *SpecReader) ReadConfig(base Config) Config {
	c := base
	c.Kind = Kind(r.OneOf("search", string(base.Kind), string(Gumbel), string(PUCT)))
	c.Simulations = r.Int("simulations", base.Simulations, 1, MaxSimulations)
	c.Leaves = r.Int("leaves", base.Leaves, 1, MaxLeaves)
	c.Solver = r.Bool("solver", base.Solver)
	c.Noise = r.Bool("noise", base.Noise)
	c.Temperature = r.Float("temperature", base.Temperature, 0, 100)
	c.PriorTemperature = r.Float("prior-temperature", base.PriorTemperature, 0.1, 100)
	c.MaxConsidered = r.Int("considered", base.MaxConsidered, 1, math.MaxUint16)
	c.CVisit = r.Float("c-visit", base.CVisit, 0, 1e6)
	c.CScale = r.Float("c-scale", base.CScale, 1e-9, 1e6)
	c.CInit = r.Float("c-init", base.CInit, 0, 1e6)
	c.CBase = r.Float("c-base", base.CBase, 1e-9, 1e12)
	c.FPUReduction = r.Float("fpu", base.FPUReduction, 0, 2)
	c.RootFPUReduction = r.Float("root-fpu", base.RootFPUReduction, 0, 2)
	c.DirichletTotal = r.Float("dirichlet-total", base.DirichletTotal, 1e-6, 1e6)
	c.DirichletFraction = r.Float("dirichlet-fraction", base.DirichletFraction, 0, 1)
	return c
}

// ReadSeconds reads the options of a limit in time: seconds (1e-3..86400, 0 if not given), and clock, the Clock that they
// are counted in (cpu or wall; cpu), which without seconds means nothing and is refused. Without seconds it returns 0 and "".
func (r *SpecReader) ReadSeconds() (float64, Clock) {
	seconds := r.Float("seconds", 0, 1e-3, 86400)
	clock := Clock(r.OneOf("clock", string(CPUClock), string(CPUClock), string(WallClock)))
	if seconds > 0 {
		return seconds, clock
	}
	if _, given := r.spec.Options["clock"]; given && len(r.problems) == 0 {
		r.problems = append(r.problems, "clock is given without seconds")
	}
	return 0, ""
}

// Kinds returns the kinds that NewAgent builds, sorted.
func Kinds() []string { return []string{"alphabeta", "greedy", "random", "uct"} }

// NewAgent builds an agent that needs no network:
//
//	random                  every legal ply with equal probability
//	greedy                  wins at once or takes the most material, one ply ahead
//	alphabeta:nodes=N       alpha-beta search; seconds=S or depth=N in place of nodes or beside it, also mb,
//	                        quiescence, reductions, weights=FILE (see AlphaBetaConfig)
//	uct:simulations=N       Monte Carlo tree search with random playouts; seconds=S in place of simulations or beside
//	                        it, also exploration, cutoff, material, solver (see UCTConfig)
//
// Random, greedy and uct take avoid=RULES (see ParseSpecial), as in uct:avoid=hop,simulations=100: such an agent never makes
// a ply that uses these special rules while it has another, nor does it plan to (its opponent may, and playouts are as they
// are without). Against the same agent without avoid it shows what a rule is worth to its player: restricted play (Jaffe,
// Miller, Andersen, Liu, Karlin, Popovic: Evaluating competitive game balance with restricted play, AIIDE 2012).
//
// With seconds an agent is not reproducible. They are counted in the processor time of the thread that searches, or
// with clock=wall by the clock on the wall.
//
// Errors wrap ErrSpec and list what would be valid. The game is there for agents that prepare themselves for a
// ruleset; these do not and work on states of any game.
func NewAgent(spec Spec, g *engine.Game) (Agent, error) {
	if _, ok := spec.Options["avoid"]; ok {
		return newRestricted(spec, g)
	}
	r := NewSpecReader(spec)
	if spec.Kind != "alphabeta" {
		r.Text("avoid", "") // an option too
	}
	switch spec.Kind {
	case "random":
		return newAgent(r, func() (Agent, error) { return NewRandom(), nil })
	case "greedy":
		return newAgent(r, func() (Agent, error) { return NewGreedy(), nil })
	case "alphabeta":
		c := DefaultAlphaBeta(r.Int("nodes", 0, 1, MaxNodes))
		c.Seconds, c.Clock = r.ReadSeconds()
		c.Depth = r.Int("depth", 0, 1, MaxDepth)
		c.MB = r.Int("mb", c.MB, 0, 4096)
		c.Quiescence = r.Bool("quiescence", c.Quiescence)
		c.Reductions = r.Bool("reductions", c.Reductions)
		if c.File = r.Text("weights", ""); c.File != "" {
			var err error
			if c.Weights, err = LoadWeights(c.File); err != nil {
				r.problems = append(r.problems, fmt.Sprintf("weights=%s: %v", c.File, err))
			}
		}
		if len(r.problems) == 0 && c.Nodes == 0 && c.Seconds == 0 && c.Depth == 0 {
			r.problems = append(r.problems, "nodes, seconds or depth is missing; write for example alphabeta:nodes=10000")
		}
		return newAgent(r, func() (Agent, error) { return NewAlphaBeta(c) })
	case "uct":
		c := DefaultUCT(r.Int("simulations", 0, 1, MaxSimulations))
		c.Seconds, c.Clock = r.ReadSeconds()
		c.Exploration = r.Float("exploration", c.Exploration, 1e-6, 1e6)
		c.Cutoff = r.Int("cutoff", c.Cutoff, 1, 100000)
		c.Material = r.Float("material", c.Material, 0, 1)
		c.Solver = r.Bool("solver", c.Solver)
		switch _, counted := spec.Options["simulations"]; {
		case counted:
		case c.Seconds > 0:
			c.Simulations = MaxSimulations
		default:
			r.problems = append(r.problems, "simulations or seconds is missing; write for example uct:simulations=100")
		}
		return newAgent(r, func() (Agent, error) { return NewUCT(c) })
	}
	return nil, fmt.Errorf("%w %q: there is no kind %q; the kinds are %s", ErrSpec, spec.String(), spec.Kind, strings.Join(Kinds(), ", "))
}

func newAgent(r *SpecReader, build func() (Agent, error)) (Agent, error) {
	if err := r.Done(); err != nil {
		return nil, err
	}
	return build()
}
