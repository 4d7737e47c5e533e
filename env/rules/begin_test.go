package rules_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// A file begun from any ruleset plays alike, has no mistakes, names every parameter, and nothing in it is left to remark
// on where the original leaves nothing.
func TestBegin(t *testing.T) {
	refs := []string{"bell-8x8@ludii+capture.immune=centre", "schadler-2001@agreement", "webdux@free-placement", "../../docs/examples/seven-squares.yaml"}
	for _, ref := range slices.Concat(rules.Catalogue(), refs) {
		r, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Begin(&b, "my-game", ""); err != nil {
			t.Fatal(err)
		}
		again, err := rules.Parse("my-game.yaml", b.Bytes())
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		if again.Hash() != r.Hash() || again.ID != "my-game" {
			t.Errorf("%s: %s plays otherwise: %v", ref, again.ID, rules.Diff(r, again))
		}
		for _, name := range rules.ParamNames() {
			info, err := rules.Describe(name)
			if err != nil {
				t.Fatal(err)
			}
			key := name[strings.LastIndexByte(name, '.')+1:]
			if !regexp.MustCompile(`(?m)^ +(# )?`+key+`:`).Match(b.Bytes()) || !strings.Contains(unwrap(b.String()), info.Meaning+" Valid: ") {
				t.Errorf("%s: %s is not explained", ref, name)
			}
		}
		if got, want := len(again.Remarks()), len(r.Remarks()); r.Reading == "default" && got != want {
			t.Errorf("%s: %d remarks on the new file, %d on the old", ref, got, want)
		}
	}
	r, err := rules.Open("bell-8x8")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "My Game", "-x", strings.Repeat("a", 70)} {
		if err := r.Begin(&bytes.Buffer{}, id, ""); !errors.Is(err, rules.ErrInvalid) {
			t.Errorf("id %q: %v", id, err)
		}
	}
	// A parameter that says nothing can be brought to life by taking its mark away, sections with it.
	var b bytes.Buffer
	if err := r.Begin(&b, "my-game", "Mine"); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("  zone: anywhere", "  zone: own-rows", "  # zone_rows: 0", "  zone_rows: 3").Replace(b.String())
	x, err := rules.Parse("x.yaml", []byte(text))
	if err != nil || x.Params.Setup.ZoneRows != 3 || x.Name != "Mine" {
		t.Errorf("%+v, %v", x, err)
	}
}

// unwrap joins the lines of comments.
func unwrap(s string) string {
	return regexp.MustCompile(`\n *# `).ReplaceAllString(s, " ")
}

// The catalogue leaves nothing to remark on.
func TestCatalogueRemarks(t *testing.T) {
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Remarks() {
			t.Errorf("%s: %s", id, m.Message)
		}
	}
}

// Each kind of remark, with the names it is about.
func TestRemarks(t *testing.T) {
	r, err := rules.Parse("m.yaml", []byte(`id: m
name: M
sources:
  - {id: used, title: One}
  - {id: idle, title: Two}
  - {id: told, title: Three, note: for comparison}
board: {rows: 5, cols: 5}
pieces: {men: 5}
movement: {men: {range: step}}
repetition: {rule: none}
provenance:
  board: {certainty: attested, source: used, note: Five by five.}
  pieces: {certainty: assumed}
  setup: {certainty: assumed, note: Placed by turns.}
  movement: {certainty: assumed, note: Steps.}
  capture: {certainty: assumed, note: Between two.}
  end: {certainty: assumed, note: All must go.}
  repetition: {certainty: assumed, note: None.}
readings:
  same: {note: As it is., set: {capture.edge: neutral}}
  edge: {note: The edge captures., set: {capture.edge: hostile}}
  rim: {note: The rim captures., set: {capture.edge: hostile}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range r.Remarks() {
		got = append(got, m.About+" "+strings.Join(m.Names, " "))
		if !strings.HasSuffix(m.Message, ".") {
			t.Errorf("no sentence: %q", m.Message)
		}
		for _, name := range m.Names {
			if !strings.Contains(m.Message, name) {
				t.Errorf("%q does not name %s", m.Message, name)
			}
		}
	}
	want := []string{
		"provenance bonus.after", "provenance pieces.men pieces.leaders", "sources idle", "readings edge rim", "readings same",
		"end repetition.rule end.no_capture_limit", "summary ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("remarks on\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A file with several places that are no YAML: each is told with its line and what to do, and the mistakes of the rest too.
func TestSyntaxMistakes(t *testing.T) {
	_, err := rules.Parse("bad.yaml", []byte(`id: bad-game
name: Bad: game
sources:
  - {id: me, title: T}
board: {rows: 7, cols: 7
pieces: {men: 10}
setup:
	kind: placement
movement:
  men:{range: step}
capture
  effect: remove
end:
  tie: drw
`))
	var all *rules.Errors
	if !errors.As(err, &all) {
		t.Fatal(err)
	}
	want := []struct {
		line int
		hint string
	}{{2, "quotes"}, {5, "every { needs its }"}, {8, "never with tabs"}, {10, "blank after the colon"}, {11, "a key ends with a colon: capture"}, {14, "draw"}}
	if len(all.Problems) != len(want) {
		t.Fatalf("%d mistakes:\n%v", len(all.Problems), err)
	}
	for i, p := range all.Problems {
		if p.Line != want[i].line || !strings.Contains(p.Hint, want[i].hint) {
			t.Errorf("mistake %d: %v; want line %d and %q", i+1, &p, want[i].line, want[i].hint)
		}
	}
}
