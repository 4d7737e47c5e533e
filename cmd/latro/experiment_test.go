package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/datasets/atomicfile"
	"latro/experiments"
)

const tinyDesign = "testdata/tiny-design.yaml"

// tinyGames is the number of games of the tiny design: 2 rulesets, each with 2 agents against themselves and one
// match, 12 pairs of 2 games.
const tinyGames = 2 * 3 * 12 * 2

func TestExperimentPlan(t *testing.T) {
	text := latro(t, exitDone, "experiment", "plan", tinyDesign, "--pilot", "1", "--workers", "1").out
	wantIn(t, text, "tiny: Do hostile corners matter", "144 games in 6 cells", "80 % power", "margin", "exploratory: the design cannot answer",
		"the games tried here are no part of them", "reckoned with a standard deviation of ", " points of one pair's value of first-player-score: the pilot's, drawn towards the 35.4 points of",
		"two-sided at 5 %", "from an even score with 80 % power", "fixed in advance, so each at ")
	var p experiments.Plan
	latroJSON(t, &p, "experiment", "plan", tinyDesign, "--pilot", "1", "--workers", "1")
	if p.Games != tinyGames || len(p.Cells) != 6 || p.WallSeconds <= 0 {
		t.Errorf("plan %+v", p)
	}
	latro(t, exitInput, "experiment", "plan", tinyDesign, "--pilot", "0")
	// A share of draws is never "even"; a single cell is one.
	draws := filepath.Join(t.TempDir(), "draws.yaml")
	if err := os.WriteFile(draws, []byte("id: draws\nquestion: q\nrulesets: [bell-8x7]\nagents: [random]\nmetric: draw-share\npairs: 4\ncap: 40\nexploratory: true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := latro(t, exitDone, "experiment", "plan", draws, "--pilot", "4")
	wantIn(t, o.out, "8 games in 1 cell, ", "value of draw-share", "short of an answer: In 1 of 1 cells of self-play too many games of the pilot were stopped by the cap of 40 plies",
		"short of an answer: No test of the primary metric draw-share is confirmatory", "cannot answer its question (and more pairs would not help)")
	latro(t, exitDone, "experiment", "plan", tinyDesign, "--pilot", "1")
	if err := os.WriteFile(draws, []byte("id: draws\nquestion: q\nrulesets: [bell-8x7]\nagents: [random]\npairs: 4\ncap: 40\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "experiment", "plan", draws, "--pilot", "4").err, "stopped by the cap", "More pairs would not help. To run it all the same")
	if strings.Contains(o.out, "even score") || strings.Contains(o.out, "in 1 cells") {
		t.Error(o.out)
	}

	// The same design without its word for being exploratory is refused, with a number of pairs; so is freezing it.
	tiny, err := os.ReadFile(tinyDesign)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	small := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(small, []byte(strings.Replace(string(tiny), "exploratory: true\n", "", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o = latro(t, exitInput, "experiment", "plan", small, "--pilot", "1")
	wantIn(t, o.err, "cannot answer its question", "pairs: ", "--exploratory")
	o = latro(t, exitInput, "experiment", "plan", small, "--pilot", "1", "--json")
	wantIn(t, o.out, `"answers": false`, `"pairs_needed":`)
	latro(t, exitDone, "experiment", "plan", small, "--pilot", "1", "--exploratory")
	out := filepath.Join(dir, "frozen")
	latro(t, exitInput, "experiment", "freeze", small, "--out", out, "--pilot", "1")
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a refused design was frozen: %v", err)
	}
	wantIn(t, latro(t, exitDone, "experiment", "freeze", small, "--out", out, "--pilot", "1", "--exploratory").out, "frozen as exploratory", "sha256")
	// What is frozen runs under the same design, and not under another.
	wantIn(t, latro(t, exitInput, "experiment", "run", strings.Replace(small, "small", "other", 1), "--out", out).err, "other.yaml")
	wantIn(t, latro(t, exitInput, "experiment", "run", "testdata/tiny-design.yaml", "--out", out, "--quick").err, "another design")
	latro(t, exitDone, "experiment", "run", small, "--out", out, "--no-report")
	latro(t, exitInput, "experiment", "plan", "nosuch.yaml")
}

func TestExperimentRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := latro(t, exitDone, "experiment", "run", tinyDesign, "--out", dir, "--workers", "1")
	wantIn(t, o.out, "- ", "report "+filepath.Join(dir, "report.html"))
	wantIn(t, o.err, "tiny: games", "done=144 of=144")
	first := bytesBelow(t, dir)
	if ids := gameIDs(t, glob(t, dir, experiments.GamesDir, "*.arrows")); len(ids) != tinyGames {
		t.Errorf("%d games", len(ids))
	}
	wantIn(t, latro(t, exitDone, "data", "verify", dir).out, "damaged 0 missing 0")

	// Again, and the report alone, after one that was killed: the same bytes.
	unfinished := []string{filepath.Join(dir, ".games.arrow.7"+atomicfile.Suffix), filepath.Join(dir, "figures", ".x.svg.7"+atomicfile.Suffix)}
	for _, path := range unfinished {
		if err := os.WriteFile(path, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	latro(t, exitDone, "experiment", "report", dir)
	sameBytes(t, "report again", bytesBelow(t, dir), first)
	for _, path := range unfinished {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the report leaves %s, which a killed one was writing: %v", path, err)
		}
	}
	var v struct {
		Report, Results string
		Findings        []experiments.Finding
	}
	latroJSON(t, &v, "experiment", "run", tinyDesign, "--out", dir)
	sameBytes(t, "run again", bytesBelow(t, dir), first)
	if v.Report != filepath.Join(dir, "report.html") || len(v.Findings) == 0 || v.Findings[0].Sentence == "" {
		t.Errorf("result %+v", v)
	}
	if _, err := os.Stat(v.Results); err != nil {
		t.Error(err)
	}
	latroJSON(t, &v, "experiment", "report", dir)
	sameBytes(t, "report again", bytesBelow(t, dir), first)

	// In two steps, and with other workers: the same bytes.
	parts := filepath.Join(t.TempDir(), "out")
	latro(t, exitDone, "experiment", "run", tinyDesign, "--out", parts, "--workers", "3", "--no-report")
	if len(glob(t, parts, "*.html")) != 0 {
		t.Error("--no-report writes a report")
	}
	latro(t, exitDone, "experiment", "report", parts)
	sameBytes(t, "in two steps", bytesBelow(t, parts), first)

	// Built again from the games: nothing differs; a byte that is changed is named, and so is what is missing.
	wantIn(t, latro(t, exitDone, "experiment", "repro", parts, "--replay", "20").out, "0 differences", "20 games played again, 0 differences")
	sameBytes(t, "after the reproduction", bytesBelow(t, parts), first)
	// What lies among the shards without being one is named, and nothing else differs.
	for _, name := range []string{"c0000-u000001.arrow", "x.arrows"} {
		if err := os.WriteFile(filepath.Join(parts, experiments.GamesDir, name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wantIn(t, latro(t, exitFailed, "experiment", "repro", parts).out, "games/c0000-u000001.arrow: does not belong to the experiment", "games/x.arrows: does not belong to the experiment", " 2 differences")
	if err := os.Remove(filepath.Join(parts, experiments.GamesDir, "x.arrows")); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitFailed, "experiment", "repro", parts).out, " 1 difference\n")
	csv := filepath.Join(parts, "metrics.csv")
	text, err := os.ReadFile(csv)
	if err != nil {
		t.Fatal(err)
	}
	text[100] ^= 1
	if err := os.WriteFile(csv, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(parts, "results.json")); err != nil {
		t.Fatal(err)
	}
	// A page of an older program differs for that reason, which is said.
	older := filepath.Join(parts, "report.html")
	if text, err = os.ReadFile(older); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(older, bytes.Replace(text, []byte("<meta name=\"generator\""), []byte("<meta name=\"none\""), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitFailed, "experiment", "repro", parts).out, "metrics.csv: byte 100 is", "results.json: is missing", "report.html: byte ", "arranged by version 1 of the report")
	latro(t, exitInput, "experiment", "repro", t.TempDir())

	page, err := os.ReadFile(v.Report)
	if err != nil {
		t.Fatal(err)
	}
	selfContained(t, string(page))
	latro(t, exitInput, "experiment", "report", t.TempDir())
	latro(t, exitInput, "experiment", "report", filepath.Join(dir, "nosuch"))
}

// TestExperimentQuick: a trial of a design of hours gives every kind of file in seconds, and says what it is.
func TestExperimentQuick(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "quick")
	o := latro(t, exitDone, "experiment", "run", "../../experiments/designs/bell-corners.yaml", "--quick", "--out", dir)
	for _, name := range []string{"report.html", "results.json", "metrics.csv", "tests.csv", "games.arrow", "design.json", "manifest.json", "log"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantIn(t, o.out, "no claim is made", "report "+filepath.Join(dir, "report.html"))
	if n := strings.Count(o.out, "\n"); n != 2 {
		t.Errorf("a trial prints %d lines, not what it is and where the report is:\n%s", n, o.out)
	}
	results, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(results), `"quick": true`, "This is a quick trial", `"exploratory": true`)
	d, err := experiments.ReadDesign(dir)
	if err != nil || !d.Quick || !d.Exploratory {
		t.Errorf("design %+v, %v", d, err)
	}
}

// TestExperimentKeepsStrangersFiles: a report that is not this experiment's is not overwritten.
func TestExperimentKeepsStrangersFiles(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "report.html")
	if err := os.WriteFile(page, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "experiment", "run", tinyDesign, "--out", dir).err, "report.html", "new directory")
	if text, err := os.ReadFile(page); err != nil || string(text) != "mine" {
		t.Errorf("the page is now %q, %v", text, err)
	}
}

// selfContained fails if a browser that opens the page would fetch anything.
func selfContained(t *testing.T, page string) {
	t.Helper()
	if !strings.Contains(page, "</html>") {
		t.Fatal("the page has no end")
	}
	for _, m := range regexp.MustCompile(`(?i)\b(src|srcset|poster|action|background|xlink:href)\s*=\s*["']?([^"'\s>]*)`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[2], "data:") && !strings.HasPrefix(m[2], "#") {
			t.Errorf("the page would fetch %s", m[0])
		}
	}
	for _, m := range regexp.MustCompile(`(?i)<(link|iframe|object|embed|base)\b[^>]*>|@import|<script[^>]*\bsrc|url\(\s*["']?(?:https?:)?//|fetch\(|XMLHttpRequest`).FindAllString(page, -1) {
		t.Errorf("the page would fetch something: %s", m)
	}
}

// TestExperimentOtherDesign: a directory belongs to its design.
func TestExperimentOtherDesign(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	latro(t, exitDone, "experiment", "run", tinyDesign, "--out", dir, "--no-report")
	before := bytesBelow(t, dir)
	text, err := os.ReadFile(tinyDesign)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte(strings.Replace(string(text), "seed: 3", "seed: 4", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "experiment", "run", other, "--out", dir).err, "another design", "use another directory")
	sameBytes(t, "after the refusal", bytesBelow(t, dir), before)
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0s", 0.000123456: "123µs", 0.0123456: "12.3ms", 1.23456: "1.23s", 123.4: "2m3s", 7322.7: "2h2m3s"} {
		if got := seconds(s); got != want {
			t.Errorf("%v s is printed as %s, not %s", s, got, want)
		}
	}
}

// TestExperimentWhereNothingMayBeWritten: a directory that the system protects is wrong input, and the message says
// what to do. /sys is one even for root.
func TestExperimentWhereNothingMayBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "protected")
	if err := os.Mkdir(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "probe"), 0o777); err == nil {
		dir = "/sys"
		if err := os.Mkdir("/sys/latro-probe", 0o777); !errors.Is(err, fs.ErrPermission) {
			t.Skip("every directory may be written here")
		}
	}
	o := latro(t, exitInput, "experiment", "run", tinyDesign, "--out", filepath.Join(dir, "out"))
	wantIn(t, o.err, filepath.Join(dir, "out"), "name another file or directory")
}
