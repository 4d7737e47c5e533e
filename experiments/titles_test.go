package experiments

import (
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// TestParameterTitles: every parameter of a ruleset has a title of its own, and nothing
// else has one.
func TestParameterTitles(t *testing.T) {
	seen := map[string]string{}
	for _, name := range rules.ParamNames() {
		title := ParameterTitle(name)
		if title == name || seen[title] != "" {
			t.Errorf("%s has the title %q, as %q has", name, title, seen[title])
		}
		seen[title] = name
	}
	for name := range parameterTitles {
		if name != readingFactor && !slices.Contains(rules.ParamNames(), name) {
			t.Errorf("%s has a title but is no parameter", name)
		}
	}
	if got := ParameterTitle("reading:ludii"); got != "the reading ludii" {
		t.Error(got)
	}
}

// TestFactorKey: the letters of a fraction's aliases are explained.
func TestFactorKey(t *testing.T) {
	d, err := ParseDesign("a.yaml", []byte(goodDesign))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.FactorKey(); !slices.Equal(got, []string{"A corners as captors (capture.corner)"}) {
		t.Errorf("%q", got)
	}
}

// TestDependentParameters: what only exists because of the rule that was changed is
// told apart from it.
func TestDependentParameters(t *testing.T) {
	params := func(ref string, sets ...string) map[string]string {
		r, err := rules.Open(ref, sets...)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		for _, name := range rules.ParamNames() {
			out[name], _ = r.Params.Get(name)
		}
		return out
	}
	bind := params("locus-ludi-piso", "capture.effect=bind", "binding.removal=before-move", "binding.removal_number=one")
	k := Contrast{}
	k.Changed, k.Dependent = changed(bind, params("locus-ludi-piso"))
	if !slices.Equal(k.Changed, []string{"capture.effect: remove → bind"}) || len(k.Dependent) != 2 || !strings.HasPrefix(k.Dependent[0], "binding.removal: none → before-move") {
		t.Errorf("changed %q, with it %q", k.Changed, k.Dependent)
	}
	if got := k.changedWords(); got != " The two differ in one rule (capture.effect: remove → bind, and 2 that exist with it only)." {
		t.Errorf("%q", got)
	}
	k.Changed, k.Dependent = changed(bind, bind)
	if got := k.changedWords(); !strings.Contains(got, "the same rules") {
		t.Errorf("%q", got)
	}
	k.Changed, k.Dependent = changed(params("webdux"), params("bell-8x7"))
	if got := k.changedWords(); !strings.Contains(got, "rules, so the cause may be any of them") {
		t.Errorf("%q", got)
	}
}
