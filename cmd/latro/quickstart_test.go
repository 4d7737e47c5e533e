package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"latro/experiments"
)

func TestQuickDesigns(t *testing.T) {
	t.Chdir(t.TempDir())
	var networks []experiments.RulesetRef
	for _, rs := range quickRulesets {
		// The networks' directories are there: the designs are checked after the training.
		if err := os.Mkdir("run-"+rs.id, 0o755); err != nil {
			t.Fatal(err)
		}
		networks = append(networks, experiments.RulesetRef{Name: rs.name, Ref: rs.id, Network: "run-" + rs.id})
		if err := quickConfig(rs.id, 1).Validate(); err != nil {
			t.Errorf("%s: %v", rs.id, err)
		}
	}
	for _, scale := range []float64{0.25, 1, 150} {
		for _, d := range []experiments.Design{quickRulesDesign(1, networks, scale), quickContrastDesign(1, scale), quickStrengthDesign(1, networks[0], scale)} {
			if p := d.Validate(); len(p) > 0 {
				t.Errorf("%s at scale %v: %v", d.ID, scale, p)
			}
			if d.Pairs < 8 {
				t.Errorf("%s at scale %v has only %d pairs", d.ID, scale, d.Pairs)
			}
		}
	}
	// The contrast is one rule and nothing else.
	d := quickContrastDesign(1, 1)
	if len(d.Rulesets) != 2 || d.Rulesets[0].Ref != d.Rulesets[1].Ref || len(d.Rulesets[0].Set)+len(d.Rulesets[1].Set) != 1 {
		t.Errorf("the contrast changes more than one rule: %+v", d.Rulesets)
	}
}

func TestLossCurve(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "learn", dir, "--config", tinyRun, "--generations", "2")
	c, err := lossCurve(dir, "tiny", "Tiny")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Series) != 2 || len(c.Series[0].Points) != 2 {
		t.Errorf("curve %+v", c)
	}
	wantIn(t, c.Sentences[0], "Tiny: 16 games against itself in 2 generations")
}

// TestQuickstart is the main job in its shortest form, a minute of two cores; LATRO_QUICKSTART=1 asks for it.
func TestQuickstart(t *testing.T) {
	if os.Getenv("LATRO_QUICKSTART") != "1" {
		t.Skip("takes a minute of two cores; LATRO_QUICKSTART=1 runs it")
	}
	dir := filepath.Join(t.TempDir(), "out")
	o := latro(t, exitDone, "quickstart", "--out", dir, "--minutes", "1", "--json")
	var r quickResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatalf("%v in\n%s", err, o.out)
	}
	if len(r.Runs) != 2 || len(r.Experiments) < 2 || r.Report != filepath.Join(dir, "report.html") {
		t.Errorf("result %+v", r)
	}
	clear := 0
	for _, f := range r.Findings {
		if f.Sentence == "" {
			t.Errorf("a finding without a sentence: %+v", f)
		}
		if f.ExcludesNoEffect {
			clear++
		}
	}
	if clear == 0 {
		t.Error("no finding excludes that there is no effect")
	}
	page, err := os.ReadFile(r.Report)
	if err != nil {
		t.Fatal(err)
	}
	selfContained(t, string(page))
	for _, d := range append(r.Runs, r.Experiments...) {
		wantIn(t, latro(t, exitDone, "data", "verify", d).out, "damaged 0 missing 0")
	}
}
