package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// values lists values worth trying for a parameter.
func values(f *field) []string {
	switch f.Kind {
	case KindInt:
		out := []string{}
		for _, n := range []int{f.Min, f.Min + 1, f.Min + 2, 8, 30, 2500} {
			if n <= f.Max {
				out = append(out, fmt.Sprint(n))
			}
		}
		return out
	case KindBool:
		return []string{"false", "true"}
	case KindChoice:
		return f.Allowed
	case KindChoices:
		return []string{"", "own-free", "own-bound", "enemy-free", "enemy-bound", "own-free,own-bound", "own-men", "own-men,enemy-free", "own-free,own-bound,enemy-free,enemy-bound"}
	case KindSquares:
		return []string{"", "centre", "a1", "b2,centre"}
	}
	return []string{""}
}

// Two rulesets that differ in any parameter read differently: the prose and the diagram say everything
// that is played. Every parameter is changed to every value from every catalogue entry,
// in the default reading and in ludii.
func TestProseSaysEveryParameter(t *testing.T) {
	tried := map[string]int{}
	for _, id := range Catalogue() {
		base, err := Open(id)
		if err != nil {
			t.Fatal(err)
		}
		starts := []*Ruleset{base}
		if r, err := base.WithReading("ludii"); err == nil {
			starts = append(starts, r)
		}
		// The twenty table boards differ in size only.
		if slices.Contains(tableBoardIDs(), id) && !strings.HasPrefix(id, "6x6") {
			continue
		}
		for _, r := range starts {
			before := words(&r.Params)
			for i := range fields {
				for _, v := range values(&fields[i]) {
					x, err := r.With(fields[i].Name + "=" + v)
					if err != nil || x.Hash() == r.Hash() {
						continue
					}
					tried[fields[i].Name]++
					if words(&x.Params) == before {
						t.Errorf("%s with %s=%s reads as without it", r.Ref(), fields[i].Name, v)
					}
				}
			}
		}
	}
	for _, name := range ParamNames() {
		if tried[name] == 0 && name != "setup.array" {
			t.Errorf("no ruleset could be changed in %s", name)
		}
	}
}

func tableBoardIDs() []string {
	var out []string
	for _, t := range templates() {
		if t.file == "seega-kharebga.tmpl" {
			out = append(out, t.ID)
		}
	}
	return out
}

func words(p *Params) string {
	var b strings.Builder
	for _, s := range p.prose() {
		b.WriteString(s.title + "\n" + strings.Join(s.sentences, " ") + "\n")
		for _, sentence := range s.sentences {
			if !strings.HasSuffix(sentence, ".") || strings.Contains(sentence, "%!") || strings.Contains(sentence, "  ") {
				panic("not a sentence: " + sentence)
			}
		}
	}
	return b.String() + p.Diagram() + p.legend()
}

// The table of parameters and the struct have the same fields: every leaf of Params has its entry, in
// order, and its own place.
func TestTableCoversParams(t *testing.T) {
	var p Params
	seen := map[any]string{}
	for i := range fields {
		f := &fields[i]
		ptr := f.ptr(&p)
		if other, ok := seen[ptr]; ok {
			t.Errorf("%s and %s share a place", f.Name, other)
		}
		seen[ptr] = f.Name
		if f.Meaning == "" || !strings.HasSuffix(f.Meaning, ".") {
			t.Errorf("%s: the meaning is no sentence: %q", f.Name, f.Meaning)
		}
	}
	if got := yamlNames(t); !slices.Equal(got, ParamNames()) {
		t.Errorf("the struct's tags give\n%v\nthe table\n%v", got, ParamNames())
	}
}
