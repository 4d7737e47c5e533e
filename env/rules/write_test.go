package rules_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"latro/env/rules"
)

// Every ruleset of the catalogue, in every reading and with overrides, comes back from the file that
// WriteYAML makes of it.
func TestWriteYAMLRoundTrip(t *testing.T) {
	refs := []string{"bell-8x7@ludii+capture.immune=centre,a1", "locus-ludi-seneca+movement.men.hop_over="}
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, id)
		if len(refs)%3 == 0 { // the boards of one table have the same readings
			for _, x := range r.Readings {
				refs = append(refs, id+"@"+x.Name)
			}
		}
	}
	for _, ref := range refs {
		r, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.WriteYAML(&b, strings.Contains(ref, "@")); err != nil {
			t.Fatal(err)
		}
		again, err := rules.Parse("written.yaml", b.Bytes())
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		if again.Hash() != r.Hash() {
			t.Errorf("%s: other rules came back: %v", ref, rules.Diff(r, again))
		}
		if again.Name != r.Name || again.Summary != r.Summary || !reflect.DeepEqual(again.Sources, r.Sources) {
			t.Errorf("%s: another head came back", ref)
		}
		if ref == r.ID && !reflect.DeepEqual(again.Readings, r.Readings) {
			t.Errorf("%s: other readings came back", ref)
		}
		if ref == r.ID && !reflect.DeepEqual(again.Provenance, r.Provenance) {
			t.Errorf("%s: another provenance came back", ref)
		}
	}
}

// The explained file is what `rules new` starts from.
func TestWriteYAMLGolden(t *testing.T) {
	r, err := rules.Open("bell-8x8")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteYAML(&b, true); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/bell-8x8.explained.yaml", b.Bytes())
}
