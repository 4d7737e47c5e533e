package rules_test

import (
	"strings"
	"testing"

	"latro/env/rules"
)

// Every catalogue entry opens in every reading, and its reference opens the same rules again.
func TestCatalogueOpens(t *testing.T) {
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		for _, reading := range r.Readings {
			x, err := rules.Open(id + "@" + reading.Name)
			if err != nil {
				t.Errorf("%s@%s: %v", id, reading.Name, err)
				continue
			}
			if x.Hash() == r.Hash() {
				t.Errorf("%s@%s: the reading changes nothing", id, reading.Name)
			}
			again, err := rules.Open(x.Ref())
			if err != nil || again.Hash() != x.Hash() {
				t.Errorf("%s: reopening gives other rules (error %v)", x.Ref(), err)
			}
		}
	}
}

// generic lists notes that would do for any parameter.
var generic = map[string]bool{
	"Not mentioned.": true, "Not mentioned; the neutral choice.": true, "Not said.": true, "No line captures.": true,
	"Lines are not mentioned.": true, "No chains.": true, "All.": true, "As in Ludii.": true,
}

// In the catalogue no parameter's origin is left open, every section of a file names its parameters'
// certainty, attested or argued ones name a source, and the note says something of the parameter it is about.
func TestCatalogueProvenance(t *testing.T) {
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Provenance) != len(rules.ParamNames()) {
			t.Errorf("%s: provenance of %d parameters of %d", id, len(r.Provenance), len(rules.ParamNames()))
		}
		for _, name := range rules.ParamNames() {
			p := r.Provenance[name]
			if strings.Contains(p.Note, "file does not say") {
				t.Errorf("%s: no provenance of %s", id, name)
			}
			if generic[p.Note] && !r.Meaningless(name) {
				t.Errorf("%s: the note of %s says nothing about it: %q", id, name, p.Note)
			}
			if p.Certainty == "" || p.Note == "" || (p.Certainty != rules.Assumed && p.Source == "") {
				t.Errorf("%s: incomplete provenance of %s: %+v", id, name, p)
			}
		}
	}
}

// What RULES.md section 9 says of the default readings and of the reading ludii, entry by entry.
func TestDefaultAndLudiiReadings(t *testing.T) {
	get := func(r *rules.Ruleset, name string) string {
		v, err := r.Params.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		limited := id == "luductus" || id == "webdux"             // their no-capture limit ends every game
		own := limited || strings.HasPrefix(id, "seega-classic-") // not among Ludii's rulesets of the Roman game
		want := map[string]string{
			"end.checked": "every-ply", "end.annihilation_exact": "false", "end.tie": "draw", "end.two_passes": "draw", "end.turn_limit": "0",
			"repetition.rule": "threefold-draw", "movement.chain_offer": "after-effects", "movement.removal_square": "allowed", "binding.release_by_landing": "false",
		}
		if limited {
			want["repetition.rule"] = "none"
		}
		for name, v := range want {
			if got := get(r, name); got != v {
				t.Errorf("%s: %s is %s, RULES.md section 9 says %s", id, name, got, v)
			}
		}
		if got := get(r, "movement.undo") == "forbidden"; got != (id == "locus-ludi-seneca") {
			t.Errorf("%s: movement.undo is %s; only Seneca has the ban", id, get(r, "movement.undo"))
		}
		l, err := rules.Open(id + "@ludii")
		if own {
			if err == nil {
				t.Errorf("%s has a reading ludii, but is none of Ludii's rulesets of the Roman game", id)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		binds := get(l, "capture.effect") == "bind"
		want = map[string]string{"repetition.rule": "positional-superko", "end.turn_limit": "2500", "movement.undo": "allowed"}
		if binds {
			want["movement.chain_offer"], want["binding.corner_rescue"], want["binding.release_by_landing"] = "before-effects", "false", "true"
		}
		if get(l, "end.annihilation") != "none" {
			want["end.checked"] = "next-player"
		}
		if get(l, "end.no_capture_result") == "count" || get(l, "end.blocked") == "count" {
			want["end.tie"] = "player-1"
		}
		switch id {
		case "schadler-2001":
			want["end.two_passes"], want["setup.agreement_max"], want["end.annihilation_exact"] = "ignored", "24", "true"
		case "locus-ludi-seneca":
			want["movement.removal_square"], want["binding.removal_number"], want["binding.removal_compulsory"] = "barred", "any", "false"
			want["end.annihilation_exact"] = "true"
		case "schadler-1994", "locus-ludi-piso":
			want["end.annihilation_exact"] = "true"
		case "bell-8x7", "bell-8x8":
			want["bonus.compulsory"] = "true"
		}
		for name, v := range want {
			if got := get(l, name); got != v {
				t.Errorf("%s@ludii: %s is %s, RULES.md says %s", id, name, got, v)
			}
		}
	}
}
