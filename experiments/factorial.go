package experiments

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"latro/env/rules"
)

// Factorial varies rules of one ruleset: every combination of the factors'
// values, a regular fraction of them, or the runs that it lists.
type Factorial struct {
	// Base is the ruleset whose other parameters stay as they are.
	Base RulesetRef `yaml:"base" json:"base"`
	// Factors are crossed: every combination of their values is one ruleset.
	Factors []Factor `yaml:"factors" json:"factors"`
	// Where are overrides that only some combinations need, after those of the factors.
	Where []Condition `yaml:"where" json:"where,omitempty"`
	// Fraction plays a regular fraction of the combinations; all factors must then
	// have two values.
	Fraction *Fraction `yaml:"fraction" json:"fraction,omitempty"`
	// Runs lists the combinations to play instead, each with one value for every
	// factor in their order.
	Runs [][]string `yaml:"runs" json:"runs,omitempty"`
	// Networks gives combinations their networks, one a training seed, by the name of
	// the combination ("capture.corner=hostile, end.tie=draw").
	Networks map[string][]string `yaml:"networks" json:"networks,omitempty"`
}

// Fraction is a regular two-level fraction 2^(k−p).
type Fraction struct {
	// Generators define p of the k factors by the others, by their letters: "F =
	// ABCDE" or "F = -ABC". Letters are A, B, C, … in the order of the factors,
	// without I, which stands for the identity.
	Generators []string `yaml:"generators" json:"generators"`
}

// Condition is a set of overrides for the combinations that have certain values.
type Condition struct {
	// When gives values by the factors' names; all of them must hold.
	When map[string]string `yaml:"when" json:"when"`
	// Set are the overrides; they replace those of the same parameter.
	Set []string `yaml:"set" json:"set"`
}

// Factor is one thing that an experiment varies: a parameter, or several together.
type Factor struct {
	// Name is what figures call the factor; its parameter if empty. A factor without
	// a parameter has a name, and its values are words of the design's own: each stands
	// for its overrides in With, or for the base as it is.
	Name string `yaml:"name" json:"name,omitempty"`
	// Parameter is a name of rules.ParamNames, as "capture.effect"; or "reading",
	// whose values are readings of the base ruleset; or "reading:NAME", a reading of
	// the base ruleset that is laid over the others, with the values "without" and
	// "with".
	Parameter string `yaml:"parameter" json:"parameter,omitempty"`
	// Values are the values to compare, two or more.
	Values []string `yaml:"values" json:"values"`
	// With are further overrides that one value needs to be possible, by value: some
	// parameters only make sense together (binding needs a removal rule).
	With map[string][]string `yaml:"with" json:"with,omitempty"`
}

// title is what figures call the factor.
func (x Factor) title() string {
	if x.Name != "" {
		return x.Name
	}
	return x.Parameter
}

// names are the parameters that the factor varies.
func (f *Factorial) names(x Factor) string {
	if x.Parameter != "" {
		return x.Parameter
	}
	var out []string
	add := func(sets []string) {
		for _, set := range sets {
			if name, _, _ := strings.Cut(set, "="); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for _, v := range x.Values {
		add(x.With[v])
	}
	for _, c := range f.Where {
		if c.When[x.title()] != "" {
			add(c.Set)
		}
	}
	return strings.Join(out, ", ")
}

const (
	readingFactor = "reading"
	overlayPrefix = "reading:"
	overlayOff    = "without"
	overlayOn     = "with"
)

// letters of factors; I is the identity of defining relations.
const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

// FactorLetter is the letter of a design's factor i in generators and aliases: A,
// B, …, without I.
func FactorLetter(i int) string {
	if i < len(letters) {
		return letters[i : i+1]
	}
	return fmt.Sprintf("F%d", i+1)
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
	if d.Factorial != nil && !d.validateFactorial(add) {
		return nil
	}
	var names []string
	seenRules := map[string]string{}
	broken, failures := map[string][]string{}, []string{}
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
		if r.Network != "" && len(r.Networks) > 0 {
			add(field+".networks", "give one of them", "both network and networks are given")
		}
		opened, err := d.open(r)
		if err != nil {
			where := field + ".ref"
			if d.Factorial != nil {
				// One mistake shows in many combinations.
				if broken[err.Error()] == nil {
					failures = append(failures, err.Error())
				}
				broken[err.Error()] = append(broken[err.Error()], r.Name)
				continue
			}
			add(where, "", "%s: %v", r.Name, err)
			continue
		}
		for k, n := range r.networks() {
			if err := d.checkNetwork(n, opened.Hash()); err != nil {
				add(d.networkField(i, k), "a run directory, a weights file, or shipped", "%v", err)
			}
		}
		// The games of both would be the same ones, since chance depends on the pair alone.
		key := opened.Hash() + "\n" + strings.Join(r.networks(), "\n")
		if other, ok := seenRules[key]; ok && other != r.Name {
			add(field, "leave one out, or change a rule in one of them", "the rulesets %q and %q have the same rules, so every game would be played twice", clip(other), clip(r.Name))
		}
		seenRules[key] = r.Name
	}
	for _, text := range failures {
		in := broken[text]
		if len(in) == 1 {
			add("factorial", "", "%s: %s", in[0], text)
		} else {
			add("factorial", "", "%d combinations, the first of them %s: %s", len(in), in[0], text)
		}
	}
	if f := d.Factorial; f != nil {
		for name := range f.Networks {
			if !slices.Contains(names, name) {
				add("factorial.networks", "one of "+list(names), "%q is no combination of this design", clip(name))
			}
		}
	}
	return names
}

// validateFactorial checks the factors and which of their combinations are
// played; false if they cannot be expanded.
func (d Design) validateFactorial(add adder) bool {
	f := d.Factorial
	if len(f.Factors) == 0 {
		add("factorial.factors", "parameter and values", "no factor is given")
		return false
	}
	if f.Base.Ref == "" {
		add("factorial.base", "one of "+list(rules.Catalogue())+", or a file", "is missing")
		return false
	}
	n, ok := 1, true
	seenParameter, titles := map[string]bool{}, map[string]bool{}
	for i, x := range f.Factors {
		path := fmt.Sprintf("factorial.factors[%d]", i)
		switch t := x.title(); {
		case x.Parameter != "" && seenParameter[x.Parameter]:
			add(path+".parameter", "one factor for each parameter", "%q is varied twice", clip(x.Parameter))
		case t != "" && titles[t]:
			add(path+".name", "give each its own name", "two factors are named %q", clip(t))
		}
		seenParameter[x.Parameter], titles[x.title()] = true, true
		if strings.ContainsAny(x.Name, ",=\n\r\t") {
			add(path+".name", "letters, digits and blanks", "%q has a comma, an equals sign or a line break, which the names of combinations need", clip(x.Name))
		}
		reading, overlay := strings.CutPrefix(x.Parameter, overlayPrefix)
		switch {
		case x.Parameter == "" && x.Name == "":
			add(path, "a parameter; or a name, values, and what each of them sets under with", "has neither parameter nor name")
			ok = false
		case x.Parameter == "":
			if len(x.With) == 0 && !slices.ContainsFunc(f.Where, func(c Condition) bool { return c.When[x.title()] != "" }) {
				add(path+".with", "as {small: [board.rows=6, board.cols=6]}", "is missing: without a parameter the values mean what with sets for them, or where")
			}
			for j, v := range x.Values {
				if strings.ContainsAny(v, ",=\n\r\t") {
					add(fmt.Sprintf("%s.values[%d]", path, j), "letters, digits and blanks", "%q has a comma, an equals sign or a line break, which the names of combinations need", clip(v))
				}
			}
		case x.Parameter == readingFactor:
			if strings.Contains(f.Base.Ref, "@") {
				add(path+".parameter", "leave the reading out of the base", "readings are varied, but the base %q has one", clip(f.Base.Ref))
				ok = false
			}
		case overlay:
			if _, err := d.overlay(f.Base, reading); err != nil {
				add(path+".parameter", "", "%v", err)
				ok = false
			}
			for j, v := range x.Values {
				if v != overlayOff && v != overlayOn {
					add(fmt.Sprintf("%s.values[%d]", path, j), overlayOff+" and "+overlayOn, "%q is no value of a reading that is laid over others", clip(v))
				}
			}
		case !slices.Contains(rules.ParamNames(), x.Parameter):
			add(path+".parameter", "see `latro rules show` for the names; or reading, or reading:NAME", "%q is no parameter", clip(x.Parameter))
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
		if n <= maxCells {
			n *= max(1, len(x.Values))
		}
	}
	for i, c := range f.Where {
		path := fmt.Sprintf("factorial.where[%d]", i)
		if len(c.When) == 0 {
			add(path+".when", "as {capture.effect: bind}; what all combinations need belongs to the base", "is missing")
		}
		if len(c.Set) == 0 {
			add(path+".set", "overrides, as [capture.corner=neutral]", "is missing")
		}
		var known []string
		for _, x := range f.Factors {
			known = append(known, x.title())
		}
		for _, name := range slices.Sorted(maps.Keys(c.When)) {
			j := slices.Index(known, name)
			switch v := c.When[name]; {
			case j < 0:
				add(path+".when", "one of "+list(known), "no factor is named %q", clip(name))
			case !slices.Contains(f.Factors[j].Values, v):
				add(path+".when", "one of "+list(f.Factors[j].Values), "%q is no value of %s", clip(v), known[j])
			}
		}
	}
	switch {
	case len(f.Runs) > 0 && f.Fraction != nil:
		add("factorial.runs", "give one of them", "both a fraction and a list of runs are given")
		return false
	case len(f.Runs) > maxCells:
		add("factorial.runs", "", "has more than %d runs", maxCells)
		return false
	case len(f.Runs) > 0:
		for i, run := range f.Runs {
			path := fmt.Sprintf("factorial.runs[%d]", i)
			if len(run) != len(f.Factors) {
				add(path, "one value for every factor, in their order", "has %d values for %d factors", len(run), len(f.Factors))
				ok = false
				continue
			}
			for j, v := range run {
				if !slices.Contains(f.Factors[j].Values, v) {
					add(fmt.Sprintf("%s[%d]", path, j), "one of "+list(f.Factors[j].Values), "%q is no value of %s", clip(v), f.Factors[j].title())
					ok = false
				}
			}
		}
	case f.Fraction != nil:
		if _, err := f.words(); err != nil {
			add("factorial.fraction", "", "%v", err)
			return false
		}
	case n > maxCells:
		add("factorial", "use fewer factors or values, a fraction, or a list of runs", "has more than %d combinations", maxCells)
		return false
	}
	return ok
}

// word is a product of factors with a sign: a bit for each factor.
type word struct {
	factors  uint64
	negative bool
}

func (w word) times(v word) word { return word{w.factors ^ v.factors, w.negative != v.negative} }

func (w word) order() int {
	n := 0
	for f := w.factors; f != 0; f &= f - 1 {
		n++
	}
	return n
}

func (w word) String() string {
	var b strings.Builder
	if w.negative {
		b.WriteString("-")
	}
	if w.factors == 0 {
		b.WriteString("I")
	}
	for i := range 64 {
		if w.factors>>i&1 == 1 {
			b.WriteString(FactorLetter(i))
		}
	}
	return b.String()
}

// generator is a factor that others define.
type generator struct {
	factor int
	by     word
}

// words reads the generators of a fraction.
func (f *Factorial) words() ([]generator, error) {
	k := len(f.Factors)
	if k > len(letters) {
		return nil, fmt.Errorf("a fraction has at most %d factors", len(letters))
	}
	for i, x := range f.Factors {
		if len(x.Values) != 2 {
			return nil, fmt.Errorf("factor %s (%s) has %d values; in a fraction each has two", FactorLetter(i), x.title(), len(x.Values))
		}
	}
	if len(f.Fraction.Generators) == 0 {
		return nil, fmt.Errorf("no generator is given; for a half fraction of %d factors write %q", k, FactorLetter(k-1)+" = "+letters[:k-1])
	}
	if k-len(f.Fraction.Generators) < 1 {
		return nil, fmt.Errorf("%d generators for %d factors leave nothing to vary", len(f.Fraction.Generators), k)
	}
	var out []generator
	var defined uint64
	for _, text := range f.Fraction.Generators {
		left, right, ok := strings.Cut(text, "=")
		left, right = strings.TrimSpace(left), strings.TrimSpace(right)
		bad := func(what string) error {
			return fmt.Errorf("generator %q: %s; write one factor's letter, =, and the letters of others, as %q", clip(text), what, "D = ABC")
		}
		i := strings.Index(letters[:k], left)
		if !ok || len(left) != 1 || i < 0 {
			return nil, bad(fmt.Sprintf("the left side is none of the letters %s of the factors", letters[:k]))
		}
		g := generator{factor: i}
		if rest, neg := strings.CutPrefix(right, "-"); neg {
			g.by.negative, right = true, rest
		}
		for _, r := range right {
			if r == ' ' || r == '*' || r == '×' {
				continue
			}
			j := strings.IndexRune(letters[:k], r)
			if j < 0 {
				return nil, bad(fmt.Sprintf("%q is none of the letters %s of the factors", r, letters[:k]))
			}
			if g.by.factors>>j&1 == 1 {
				return nil, bad(fmt.Sprintf("%c is there twice", r))
			}
			g.by.factors |= 1 << j
		}
		if g.by.order() < 2 {
			return nil, bad("the right side needs two letters or more")
		}
		if defined>>i&1 == 1 {
			return nil, bad(left + " is defined twice")
		}
		defined |= 1 << i
		out = append(out, g)
	}
	for _, g := range out {
		if g.by.factors&defined != 0 {
			return nil, fmt.Errorf("the generator of %s uses a factor that another generator defines; define each by the free factors", FactorLetter(g.factor))
		}
	}
	if k-len(out) > 12 {
		return nil, fmt.Errorf("the fraction has 2^%d runs; at most %d are allowed", k-len(out), maxCells)
	}
	return out, nil
}

// relation is every word that equals the identity in the fraction, shortest first.
func relation(gs []generator) []word {
	out := []word{{}}
	for _, g := range gs {
		w := g.by.times(word{factors: 1 << g.factor})
		for _, v := range slices.Clone(out) {
			out = append(out, v.times(w))
		}
	}
	out = out[1:]
	slices.SortFunc(out, func(a, b word) int {
		if d := a.order() - b.order(); d != 0 {
			return d
		}
		return strings.Compare(a.String(), b.String())
	})
	return out
}

// FactorInfo is what a report says about a factor.
type FactorInfo struct {
	// Letter stands for the factor in generators and aliases.
	Letter string `json:"letter"`
	// Parameter is what it varies and Levels are its values.
	Parameter string   `json:"parameter"`
	Title     string   `json:"title"`
	Levels    []string `json:"levels"`
}

// FractionInfo is what a fraction of a factorial cannot tell apart.
type FractionInfo struct {
	// Runs of so many combinations are played.
	Runs int `json:"runs"`
	Of   int `json:"of"`
	// Generators are the design's, and Defining the words that equal the identity,
	// "I = ABCDEF".
	Generators []string `json:"generators"`
	Defining   []string `json:"defining_relation"`
	// Resolution is the length of the shortest word: at V main effects and two-way
	// interactions are mixed only with interactions of three or more factors.
	Resolution int `json:"resolution"`
	// Aliases lists for each main effect and two-way interaction what it cannot be told
	// from: "A = BCDEF".
	Aliases []string `json:"aliases"`
}

// FactorInfos describes the factors; nil without a factorial.
func (d Design) FactorInfos() []FactorInfo {
	if d.Factorial == nil {
		return nil
	}
	var out []FactorInfo
	for i, f := range d.Factorial.Factors {
		title := f.title()
		if name, ok := strings.CutPrefix(f.Parameter, overlayPrefix); ok && f.Name == "" {
			title = "the reading " + name
		}
		out = append(out, FactorInfo{FactorLetter(i), d.Factorial.names(f), title, f.Values})
	}
	return titled(out)
}

// FractionInfo describes the design's fraction; nil if it has none.
func (d Design) FractionInfo() *FractionInfo {
	if d.Factorial == nil || d.Factorial.Fraction == nil {
		return nil
	}
	gs, err := d.Factorial.words()
	if err != nil {
		return nil
	}
	k := len(d.Factorial.Factors)
	ws := relation(gs)
	out := &FractionInfo{Runs: 1 << (k - len(gs)), Of: 1 << k, Generators: d.Factorial.Fraction.Generators, Resolution: ws[0].order()}
	for _, w := range ws {
		out.Defining = append(out.Defining, "I = "+w.String())
	}
	for _, t := range terms(k) {
		var parts []string
		for _, a := range aliases(t, ws) {
			parts = append(parts, a.String())
		}
		out.Aliases = append(out.Aliases, t.String()+" = "+strings.Join(parts, " = "))
	}
	return out
}

// terms are the main effects and two-way interactions of k factors.
func terms(k int) []word {
	var out []word
	for i := range k {
		out = append(out, word{factors: 1 << i})
	}
	for i := range k {
		for j := range i {
			out = append(out, word{factors: 1<<j | 1<<i})
		}
	}
	slices.SortStableFunc(out[k:], func(a, b word) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// aliases of a term, shortest first; at most four.
func aliases(t word, relation []word) []word {
	var out []word
	for _, w := range relation {
		out = append(out, t.times(w))
	}
	slices.SortStableFunc(out, func(a, b word) int { return a.order() - b.order() })
	return out[:min(4, len(out))]
}

// levels lists the played combinations as indices of the factors' values.
func (f *Factorial) levels() [][]int {
	if len(f.Runs) > 0 {
		var out [][]int
		for _, run := range f.Runs {
			row := make([]int, len(f.Factors))
			for j := range row {
				if j < len(run) {
					row[j] = max(0, slices.Index(f.Factors[j].Values, run[j]))
				}
			}
			out = append(out, row)
		}
		return out
	}
	derived := map[int]word{}
	if f.Fraction != nil {
		gs, err := f.words()
		if err != nil {
			return nil
		}
		for _, g := range gs {
			derived[g.factor] = g.by
		}
	}
	out := [][]int{make([]int, len(f.Factors))}
	for i, x := range f.Factors {
		if _, ok := derived[i]; ok {
			continue
		}
		var next [][]int
		for _, row := range out {
			for v := range x.Values {
				r := slices.Clone(row)
				r[i] = v
				next = append(next, r)
				if len(next) > maxCells {
					return next
				}
			}
		}
		out = next
	}
	for _, row := range out {
		for i, by := range derived {
			low := by.negative
			for j := range f.Factors {
				if by.factors>>j&1 == 1 && row[j] == 0 {
					low = !low
				}
			}
			row[i] = 1
			if low {
				row[i] = 0
			}
		}
	}
	return out
}

// ExpandRulesets gives the rulesets of the design with their names filled in; a
// factorial gives one for each combination that is played, the last factor varying
// fastest.
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
	f := d.Factorial
	var out []RulesetRef
	for _, row := range f.levels() {
		r := RulesetRef{Ref: f.Base.Ref, Set: slices.Clone(f.Base.Set), Network: f.Base.Network, Networks: f.Base.Networks}
		for i, x := range f.Factors {
			v := x.Values[row[i]]
			if r.Name != "" {
				r.Name += ", "
			}
			r.Name += x.title() + "=" + v
			reading, overlay := strings.CutPrefix(x.Parameter, overlayPrefix)
			switch {
			case x.Parameter == "":
			case x.Parameter == readingFactor:
				r.Ref = f.Base.Ref + "@" + v
			case overlay:
				if v == overlayOn {
					// A reading that cannot be found was reported by Validate.
					sets, _ := d.overlay(f.Base, reading)
					r.Set = append(r.Set, sets...)
				}
			default:
				r.Set = append(r.Set, x.Parameter+"="+v)
			}
			r.Set = append(r.Set, x.With[v]...)
		}
		for _, c := range f.Where {
			if f.holds(c, row) {
				r.Set = replaced(r.Set, c.Set)
			}
		}
		if n, ok := f.Networks[r.Name]; ok {
			r.Network, r.Networks = "", n
		}
		out = append(out, r)
	}
	return out
}

// holds says whether a combination has the values of a condition.
func (f *Factorial) holds(c Condition, row []int) bool {
	n := 0
	for i, x := range f.Factors {
		if v, ok := c.When[x.title()]; ok && v == x.Values[row[i]] {
			n++
		}
	}
	return n == len(c.When)
}

// replaced adds overrides and leaves out earlier ones of the same parameters.
func replaced(sets, more []string) []string {
	name := func(set string) string { n, _, _ := strings.Cut(set, "="); return n }
	sets = slices.DeleteFunc(slices.Clone(sets), func(s string) bool {
		return slices.ContainsFunc(more, func(m string) bool { return name(m) == name(s) })
	})
	return append(sets, more...)
}

// overlay is the overrides that a reading consists of.
func (d Design) overlay(base RulesetRef, reading string) ([]string, error) {
	r, err := d.open(base)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, x := range r.Readings {
		if x.Name != reading {
			names = append(names, x.Name)
			continue
		}
		var out []string
		for _, name := range rules.ParamNames() {
			if v, ok := x.Set[name]; ok {
				out = append(out, name+"="+v)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s has no reading %q (its readings: %s)", base.Ref, clip(reading), list(names))
}

// contrast is one column of the factors' model: an effect as weights of the runs.
type contrast struct {
	// order is 1 for main effects and 2 for interactions; terms are the factors.
	order int
	terms []int
	// from and to are the levels that a main effect compares.
	from, to int
	name     string
	weights  []float64
	aliases  []string
}

// model gives the effects that the runs can tell apart: main effects (each value
// against the first) and two-way interactions of two-level factors, as weights over
// the runs by ordinary least squares. An interaction is how much one factor's
// effect changes between the two values of the other. What a fraction or a list of
// runs mixes up is named in aliases.
func (f *Factorial) model() []contrast {
	runs := f.levels()
	n := len(runs)
	var all []contrast
	var columns [][]float64
	add := func(c contrast, column []float64) {
		mean := 0.0
		for _, v := range column {
			mean += v / float64(n)
		}
		centred := make([]float64, n)
		for i, v := range column {
			centred[i] = v - mean
		}
		all = append(all, c)
		columns = append(columns, centred)
	}
	main := map[int][]float64{}
	for i, x := range f.Factors {
		for l := 1; l < len(x.Values); l++ {
			column := make([]float64, n)
			for r, row := range runs {
				switch {
				case len(x.Values) == 2:
					column[r] = float64(row[i]) - 0.5
				case row[i] == l:
					column[r] = 1
				}
			}
			if len(x.Values) == 2 {
				main[i] = column
			}
			add(contrast{order: 1, terms: []int{i}, to: l, name: FactorLetter(i)}, column)
		}
	}
	for i := range f.Factors {
		for j := range i {
			if main[i] == nil || main[j] == nil {
				continue
			}
			column := make([]float64, n)
			for r := range column {
				column[r] = main[i][r] * main[j][r]
			}
			add(contrast{order: 2, terms: []int{j, i}, name: FactorLetter(j) + "×" + FactorLetter(i)}, column)
		}
	}
	// Columns that the ones before them already explain are their aliases.
	var kept []int
	basis := [][]float64{}
	for c, column := range columns {
		rest := slices.Clone(column)
		for range 2 {
			for _, b := range basis {
				p := dot(rest, b)
				for i := range rest {
					rest[i] -= p * b[i]
				}
			}
		}
		norm, whole := math.Sqrt(dot(rest, rest)), math.Sqrt(dot(column, column))
		if whole == 0 || norm < 1e-9*whole {
			for _, k := range kept {
				if r := dot(column, columns[k]); whole > 0 && math.Abs(r) > 1e-9*whole {
					sign := ""
					if r < 0 {
						sign = "-"
					}
					all[k].aliases = append(all[k].aliases, sign+strings.ReplaceAll(all[c].name, "×", ""))
				}
			}
			continue
		}
		for i := range rest {
			rest[i] /= norm
		}
		basis = append(basis, rest)
		kept = append(kept, c)
	}
	// With an orthonormal basis Q of the kept columns X = QR, the weights are R⁻¹Qᵀ.
	m := len(kept)
	r := make([][]float64, m)
	for i := range m {
		r[i] = make([]float64, m)
		for j := i; j < m; j++ {
			r[i][j] = dot(basis[i], columns[kept[j]])
		}
	}
	var out []contrast
	weights := make([][]float64, m)
	for i := m - 1; i >= 0; i-- {
		w := slices.Clone(basis[i])
		for j := i + 1; j < m; j++ {
			for k := range w {
				w[k] -= r[i][j] * weights[j][k]
			}
		}
		for k := range w {
			w[k] /= r[i][i]
		}
		weights[i] = w
	}
	var relations []word
	if f.Fraction != nil {
		if gs, err := f.words(); err == nil {
			relations = relation(gs)
		}
	}
	for i, c := range kept {
		x := all[c]
		x.weights = weights[i]
		if relations != nil {
			t := word{}
			for _, k := range x.terms {
				t.factors |= 1 << k
			}
			x.aliases = nil
			for _, a := range aliases(t, relations) {
				x.aliases = append(x.aliases, a.String())
			}
		}
		out = append(out, x)
	}
	return out
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
