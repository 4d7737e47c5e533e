package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"latro/experiments"
)

// tieArgs compare Bell's game with itself under another tie rule, with the random agent: seconds of games.
func tieArgs(out string, more ...string) []string {
	return append([]string{"experiment", "compare", "bell-8x7", "--set", "end.tie=player-1", "--agent", "random", "--cap", "300", "--minutes", "0.05", "--pairs", "40", "--workers", "2", "--out", out}, more...)
}

func TestExperimentCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ties")
	o := latro(t, exitDone, tieArgs(dir)...)
	wantIn(t, o.out, "end.tie  draw → player-1", "timing a pilot", "plan: 2 rulesets, ", "the design is in "+filepath.Join(dir, designYAML),
		"The answer in short", "the first player's score (primary)", "the share of draws", "What this does not say", "Exploratory", "report "+filepath.Join(dir, "report.html"))
	first := bytesBelow(t, dir)

	// The same command goes on: nothing is left to do, and nothing changes. Another question is refused.
	var v struct {
		Same    bool
		Report  string
		Metric  string
		Changes []experiments.Change
		Short   []string
	}
	latroJSON(t, &v, tieArgs(dir)...)
	if v.Same || v.Metric != "first-player-score" || len(v.Changes) != 6 || len(v.Short) == 0 || v.Report != filepath.Join(dir, "report.html") {
		t.Errorf("%+v", v)
	}
	sameBytes(t, "again", bytesBelow(t, dir), first)
	wantIn(t, latro(t, exitInput, tieArgs(dir, "--seed", "2")...).err, "holds an experiment with seed 1", "--out")
	wantIn(t, latro(t, exitInput, tieArgs(dir, "--metric", "length")...).err, "the primary measure first-player-score")
	wantIn(t, latro(t, exitInput, "experiment", "compare", "bell-8x7", "webdux", "--out", dir).err, "other rules")
	sameBytes(t, "after refusals", bytesBelow(t, dir), first)

	// It is an experiment like any other: it reproduces, and its design gives the same games elsewhere.
	wantIn(t, latro(t, exitDone, "experiment", "repro", dir, "--replay", "3").out, "0 differences")
	other := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "experiment", "run", filepath.Join(dir, designYAML), "--out", other, "--no-report", "--workers", "1")
	a, b := glob(t, dir, experiments.GamesDir, "*.arrows"), glob(t, other, experiments.GamesDir, "*.arrows")
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%d and %d units", len(a), len(b))
	}
	for i := range a {
		x, err := os.ReadFile(a[i])
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(b[i])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", filepath.Base(a[i]))
		}
	}
}

func TestExperimentCompareAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	o := latro(t, exitDone, "experiment", "compare", "bell-8x7", "--set", "capture.corner=hostile")
	wantIn(t, o.out, "played alike", "no game was played")
	if o.err != "" {
		t.Errorf("stderr %q", o.err)
	}
	var v map[string]any
	latroJSON(t, &v, "experiment", "compare", "bell-8x7", "bell-8x7@default")
	if v["same"] != true {
		t.Errorf("%v", v)
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) > 0 {
		t.Errorf("written: %v, %v", left, err)
	}
}

func TestExploringRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.yaml", []byte("id: bad\nboard: {rows: 99}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"compare bell-8x7", []string{"compared with", "--set capture.corner=neutral"}},
		{"compare bell-8x7 webdux --set end.tie=draw", []string{"B must be left out", "webdux+end.tie=draw"}},
		{"compare bell-8x7 bell-8x9", []string{"bell-8x9"}},
		{"compare bell-8x7 bell-8x7@no-such", []string{"no reading", "it has"}},
		{"compare bell-8x7 --set end.tie=nobody", []string{"end.tie"}},
		{"compare bell-8x7 bad.yaml", []string{"bad.yaml", "board.rows"}},
		{"compare bell-8x7 webdux --metric beauty", []string{"beauty", "decisive-share"}},
		{"compare bell-8x7 webdux --margin=-1", []string{"--margin is -1"}},
		{"compare bell-8x7 webdux --margin 0.7", []string{"latro: --margin: is 0.7", "below 0.5"}},
		{"compare bell-8x7 webdux --margin inf", []string{"latro: --margin: is +Inf"}},
		{"compare bell-8x7 webdux --margin nan", []string{"--margin is NaN"}},
		{"compare bell-8x7 webdux --margin 0", []string{"--margin is 0"}},
		{"compare bell-8x7 webdux --cap 0", []string{"--cap is 0"}},
		{"compare bell-8x7 webdux --cap 1000000", []string{"latro: --cap: is 1000000 (plies a game, 1 to 100000)"}},
		{"compare bell-8x7 webdux --pairs 0", []string{"--pairs is 0"}},
		{"compare bell-8x7 webdux --pairs 10000000", []string{"--pairs is 10000000"}},
		{"compare bell-8x7 webdux --agent random --agent uct:simulations=0", []string{"latro: --agent uct:simulations=0: invalid agent"}},
		{"compare bell-8x7 webdux --agent random --agent random", []string{"--agent random is given twice"}},
		{"sensitivity bell-8x7 --agent random --agent nobody", []string{"latro: --agent nobody: there is no agent"}},
		{"sensitivity bell-8x7 --metric length --margin 0.001", []string{"latro: --margin: is 0.001 (a difference in plies"}},
		{"compare bell-8x7 webdux --cap=-1", []string{"--cap is -1"}},
		{"compare bell-8x7 webdux --minutes 0", []string{"--minutes is 0"}},
		{"compare bell-8x7 webdux --workers=-3", []string{"workers"}},
		{"compare bell-8x7 webdux --agent nobody", []string{"there is no agent", "nobody"}},
		{"compare bell-8x7 webdux --agent net:path=x", []string{"docs/designs.md"}},
		{"compare bell-8x7 webdux --agent uct:simulations=100000 --minutes 0.05", []string{"minutes are too few", "Give about"}},
		{"sensitivity bell-8x7@ludii", []string{"give the ruleset alone", "experiment compare"}},
		{"sensitivity no-such", []string{"no-such"}},
		{"sensitivity mine.yaml", []string{"leaves nothing open", "docs/adding-a-ruleset.md", "--set PARAM=VALUE"}},
	} {
		if strings.Contains(c.args, "mine.yaml") {
			o := latro(t, exitDone, "rules", "show", "bell-8x7", "--yaml")
			text, _, _ := strings.Cut(o.out, "\nreadings:")
			if err := os.WriteFile("mine.yaml", []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o := latro(t, exitInput, append([]string{"experiment"}, strings.Fields(c.args)...)...)
		wantIn(t, o.err, c.want...)
	}
	left, err := filepath.Glob("*")
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestExperimentCompareKilled: killed in the middle, the same command finishes the same games.
func TestExperimentCompareKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	dir := filepath.Join(t.TempDir(), "killed")
	args := []string{"experiment", "compare", "bell-8x7", "bell-8x7@sixty-plies", "--agent", "uct:simulations=4", "--minutes", "0.2", "--pairs", "120", "--workers", "2", "--out", dir}
	p := start(t, nil, args...)
	for range 3000 { // until some games are there
		if len(glob(t, dir, experiments.GamesDir, "*.arrows")) > 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait(t)
	design, err := os.ReadFile(filepath.Join(dir, designYAML))
	if err != nil {
		t.Fatalf("killed before the design was there: %v\n%s", err, p.err.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "report.html")); err == nil {
		t.Fatal("it was over before it was killed")
	}
	wantIn(t, latro(t, exitDone, args...).out, "goes on with", "The answer in short")
	again, err := os.ReadFile(filepath.Join(dir, designYAML))
	if err != nil || !bytes.Equal(again, design) {
		t.Errorf("the design changed: %v", err)
	}
	wantIn(t, latro(t, exitDone, "experiment", "repro", dir, "--replay", "2").out, "0 differences")
}

// TestExperimentSensitivity: a file of one's own, whose directory then holds all that its designs name.
func TestExperimentSensitivity(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	t.Chdir(t.TempDir())
	o := latro(t, exitDone, "rules", "show", "bell-8x7", "--yaml")
	text, _, _ := strings.Cut(o.out, "\nreadings:")
	readings := "\nreadings:\n  tie-first: {ambiguity: A8, note: A tie is the first player's., set: {end.tie: player-0}}\n" +
		"  tie-second: {ambiguity: A8, note: A tie is the second player's., set: {end.tie: player-1}}\n  no-corner: {note: Corners are squares., set: {capture.corner: neutral}}\n  same: {note: Nothing., set: {end.tie: draw}}\n"
	if err := os.MkdirAll("rules", 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("rules", "mine.yaml")
	if err := os.WriteFile(file, []byte(text+readings), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"experiment", "sensitivity", file, "--agent", "random", "--cap", "300", "--minutes", "0.2", "--pairs", "150", "--out", "found"}
	o = latro(t, exitDone, args...)
	wantIn(t, o.out, "The reading same plays like the default reading and was left out", "RANK", "tie-second (A8)", "A8: Who wins when both sides have captured equally?",
		"The largest of 3 measured changes is too large on average", "looking again at", "It shows again.", "found/confirm/report.html", "which reading is the right one")
	for _, name := range []string{"mine.yaml", "report.html", "confirm/mine.yaml", "confirm/design.yaml", "confirm/report.html"} {
		if _, err := os.Stat(filepath.Join("found", name)); err != nil {
			t.Error(err)
		}
	}
	page, err := os.ReadFile(filepath.Join("found", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(page), "Which open question matters most", "A tie is the first player")
	selfContained(t, string(page))
	first := bytesBelow(t, "found")
	// Without the original file the designs still stand.
	if err := os.RemoveAll("rules"); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitDone, "experiment", "repro", filepath.Join("found", "confirm"), "--replay", "2").out, "0 differences")
	var v struct {
		Rows      []experiments.SensitivityRow
		Confirmed []struct {
			Reading string
			Words   string
		}
		Notes []string
	}
	if err := os.CopyFS("rules", os.DirFS("found")); err != nil {
		t.Fatal(err)
	}
	latroJSON(t, &v, args...)
	if len(v.Rows) != 3 || !v.Rows[0].Ranked || !strings.HasPrefix(v.Rows[0].Reading, "tie-") || len(v.Confirmed) == 0 || v.Confirmed[0].Words != "It shows again." || len(v.Notes) != 1 {
		t.Errorf("%+v", v)
	}
	sameBytes(t, "again", bytesBelow(t, "found"), first)
}

// TestExploringRefusesStrangersDirectories: what cannot hold an experiment is refused before the pilot, which may take minutes,
// and nothing is put there.
func TestExploringRefusesStrangersDirectories(t *testing.T) {
	dir := t.TempDir()
	photo := filepath.Join(dir, "photo.jpg")
	if err := os.WriteFile(photo, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{dir: "it holds photo.jpg", photo: "photo.jpg is a file", filepath.Join(photo, "a", "b"): "not a directory"} {
		for _, args := range [][]string{{"compare", "bell-8x7", "bell-8x8"}, {"sensitivity", "bell-8x7"}} {
			o := latro(t, exitInput, append(append([]string{"experiment"}, args...), "--out", out)...)
			wantIn(t, o.err, want)
			if strings.Contains(o.out+o.err, "pilot") {
				t.Errorf("%s --out %s played a pilot first", args[0], out)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}
