package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/experiments"
)

// TestDesignsPage: docs/designs.md shows the list that the program prints; LATRO_UPDATE=1 writes it there. The page's
// example of binding is a sound design.
func TestDesignsPage(t *testing.T) {
	const page, begin, end = "../../docs/designs.md", "<!-- latro experiment designs -->\n```\n", "```\n<!-- end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "<!-- bell-binding -->\n```yaml\n")
	example, _, okEnd := strings.Cut(rest, end)
	if !ok || !okEnd {
		t.Fatal("docs/designs.md has no example of binding")
	}
	d, err := experiments.ParseDesign("bell-binding.yaml", []byte(example))
	if err != nil || len(d.ExpandRulesets()) != 2 {
		t.Errorf("the example of binding: %v", err)
	}
	if _, err := experiments.ParseDesign("bell-binding.yaml", []byte(strings.Replace(example, "capture.corner=neutral, ", "", 1))); err == nil ||
		!strings.Contains(err.Error(), `capture.corner: "hostile" cannot be combined with captures that bind`) {
		t.Errorf("without neutral corners the error is %v", err)
	}
	before, rest, okBegin := strings.Cut(string(text), begin)
	shown, after, okEnd := strings.Cut(rest, end)
	if !okBegin || !okEnd {
		t.Fatal("docs/designs.md has no place for the output")
	}
	out := latro(t, exitDone, "experiment", "designs").out
	if shown == out {
		return
	}
	if os.Getenv("LATRO_UPDATE") != "1" {
		t.Fatalf("docs/designs.md shows\n%s, the program prints\n%s; LATRO_UPDATE=1 go test ./cmd/latro -run DesignsPage writes it there", shown, out)
	}
	if err := os.WriteFile(page, []byte(before+begin+out+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestShippedDesigns: a design is shown, written for editing but never over a file, and run by its name.
func TestShippedDesigns(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.yaml")
	latro(t, exitDone, "experiment", "designs", "e6", "--out", file)
	mine, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if shown := latro(t, exitDone, "experiment", "designs", "e6-tie-rule").out; shown != string(mine) || !strings.Contains(shown, "id: e6-tie-rule") {
		t.Errorf("shown:\n%s", shown)
	}
	wantIn(t, latro(t, exitInput, "experiment", "designs", "e6", "--out", file).err, "exists already")
	if again, err := os.ReadFile(file); err != nil || string(again) != string(mine) {
		t.Errorf("the file was written over: %v", err)
	}
	wantIn(t, latro(t, exitInput, "experiment", "designs", "e12").err, "e11-luductus")
	wantIn(t, latro(t, exitInput, "experiment", "plan", "e12").err, "latro experiment designs lists them")
	wantIn(t, latro(t, exitDone, "experiment", "designs", "e6", "--json").out, `"games": 14400`)
	out := filepath.Join(dir, "out")
	latro(t, exitDone, "experiment", "run", "e6", "--quick", "--no-report", "--out", out)
	if _, err := os.Stat(filepath.Join(out, "manifest.json")); err != nil {
		t.Error(err)
	}
}
