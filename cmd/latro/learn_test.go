package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/datasets"
	"latro/selfplay"
)

const tinyRun = "testdata/tiny-run.yaml"

// bytesBelow reads every file that must not depend on time, workers or kills, by its path below dir: all but
// logs and what begins with a dot (locks and temporary files).
func bytesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || d.Name() == "log" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameBytes(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, data := range want {
		if g, ok := got[name]; !ok {
			t.Errorf("%s: %s is missing", what, name)
		} else if g != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is left over", what, name)
		}
	}
}

// gameIDs reads the games of every shard in files and fails if one is there twice.
func gameIDs(t *testing.T, files []string) map[uint64]bool {
	t.Helper()
	ids := map[uint64]bool{}
	for _, f := range files {
		games, err := datasets.ReadGames(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range games {
			if ids[g.GameID] {
				t.Errorf("game %d is there twice (%s)", g.GameID, f)
			}
			ids[g.GameID] = true
		}
	}
	return ids
}

func glob(t *testing.T, pattern ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestLearn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	args := append([]string{"learn", dir, "--ruleset", "bell-8x7", "--net", "1x16", "--games", "4", "--simulations", "4", "--max-plies", "40"}, small...)
	var s runSummary
	latroJSON(t, &s, append(args, "--generations", "2")...)
	if s.Generation != 2 || s.Games != 8 || s.Samples == 0 || s.Network != "1x16" || s.Run != dir || len(s.RulesetHash) != 64 {
		t.Errorf("summary %+v", s)
	}
	if _, err := os.Stat(s.Checkpoint); err != nil {
		t.Error(err)
	}
	// Without the flags, and with the same ones, it goes on; nothing of what is there changes.
	before := bytesBelow(t, dir)
	latroJSON(t, &s, "learn", dir, "--generations", "2")
	latroJSON(t, &s, append(args, "--generations", "2")...)
	sameBytes(t, "a finished run", bytesBelow(t, dir), before)
	latroJSON(t, &s, "learn", dir, "--generations", "3")
	if s.Generation != 3 || s.Games != 12 {
		t.Errorf("summary after going on %+v", s)
	}
	if ids := gameIDs(t, glob(t, dir, "shards", "*.games.arrow")); len(ids) != 12 {
		t.Errorf("%d games", len(ids))
	}
	// The network plays, and only the game that it learned.
	var m matchResult
	latroJSON(t, &m, append([]string{"match", "net:run=" + dir + ",simulations=4", "random", "-r", "bell-8x7", "--games", "4", "--max-plies", "40"}, small...)...)
	if m.Games != 4 {
		t.Errorf("match %+v", m)
	}
	wantIn(t, latro(t, exitDone, "data", "verify", dir).out, "damaged 0 missing 0")
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(log), "generation begins", "games played", "trained")
}

// TestProgressLines: where there is no terminal a job is a line at its start and one at its end.
func TestProgressLines(t *testing.T) {
	o := latro(t, exitDone, "learn", filepath.Join(t.TempDir(), "run"), "--config", tinyRun, "--generations", "1")
	lines := strings.Split(strings.TrimSpace(o.err), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines of progress:\n%s", len(lines), o.err)
	}
	wantIn(t, lines[0], "generation 0: games", "done=0 of=8")
	wantIn(t, lines[1], "generation 0: games", "done=8 of=8")
	wantIn(t, lines[2], "training", "done=0")
	wantIn(t, lines[3], "training")
}

// TestStepByStep: selfplay and train in turn make the run that learn makes, byte for byte.
func TestStepByStep(t *testing.T) {
	whole, steps := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "learn", whole, "--config", tinyRun, "--generations", "2", "--workers", "1")

	o := latro(t, exitInput, "train", steps, "--config", tinyRun)
	wantIn(t, o.err, "lacks 8 of its 8 games", "latro selfplay")
	for generation := range 2 {
		var s runSummary
		latroJSON(t, &s, "selfplay", steps, "--workers", "3")
		if s.Generation != generation || s.Games != uint64(8*(generation+1)) {
			t.Errorf("after selfplay %+v", s)
		}
		latroJSON(t, &s, "selfplay", steps)
		if s.Games != uint64(8*(generation+1)) {
			t.Errorf("selfplay plays a complete generation again: %+v", s)
		}
		latroJSON(t, &s, "train", steps, "--workers", "1")
		if s.Generation != generation+1 {
			t.Errorf("after train %+v", s)
		}
		latro(t, exitInput, "train", steps)
	}
	sameBytes(t, "step by step", bytesBelow(t, steps), bytesBelow(t, whole))
	m, err := datasets.OpenMetrics(filepath.Join(steps, "metrics.arrow"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Points(); len(p) != 2 || p[0].Values["steps"] == 0 {
		t.Errorf("the run trains nothing, so the test shows nothing: %+v", p)
	}
}

// TestFrozen: flags that contradict a run are refused, each by its name, and the run stays as it is.
func TestFrozen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "selfplay", dir, "--config", tinyRun)
	before := bytesBelow(t, dir)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--games", "6"}, "games is 8, not 6"},
		{[]string{"--simulations", "5"}, "search.simulations is 4, not 5"},
		{[]string{"--max-plies", "50"}, "max_plies is 40, not 50"},
		{[]string{"--net", "2x16"}, "network is 1x16, not 2x16"},
		{[]string{"--seed", "2"}, "seed is 1, not 2"},
		{[]string{"--ruleset", "webdux"}, "ruleset is bell-8x7, not webdux"},
		{[]string{"--set", "board.rows=6"}, "set is [board.rows=5 board.cols=5 pieces.men=4], not [board.rows=6]"},
		{[]string{"--ruleset", "bell-8x7"}, "set is [board.rows=5 board.cols=5 pieces.men=4], not []"},
		{[]string{"--games", "6", "--seed", "2"}, "games is 8, not 6; seed is 1, not 2"},
	} {
		for _, command := range []string{"learn", "selfplay", "train"} {
			args := append([]string{command, dir}, c.args...)
			if command == "learn" {
				args = append(args, "--generations", "1")
			}
			wantIn(t, latro(t, exitInput, args...).err, "is frozen", c.want, "another directory")
		}
	}
	sameBytes(t, "after refusals", bytesBelow(t, dir), before)
	latro(t, exitDone, "selfplay", dir, "--set", "board.rows=5", "--set", "board.cols=5", "--set", "pieces.men=4", "--games", "8")
}

func TestLearnWrongInput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("run: no\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	nameless := filepath.Join(t.TempDir(), "nameless.yaml")
	if err := os.WriteFile(nameless, []byte("network: 1x16\ngames: 2\nmax_plies: 10\nsearch: {simulations: 2}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The flags may name what a configuration leaves open.
	latro(t, exitDone, "selfplay", filepath.Join(t.TempDir(), "named"), "--config", nameless, "--ruleset", "bell-8x7")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"learn", dir, "--generations", "1"}, "--ruleset"},
		{[]string{"train", dir}, "--ruleset"},
		{[]string{"learn", dir, "-r", "nosuch", "--generations", "1"}, "nosuch"},
		{[]string{"learn", dir, "-r", "bell-8x7", "--net", "big", "--generations", "1"}, "big"},
		{[]string{"learn", dir, "-r", "bell-8x7", "--games=-1", "--generations", "1"}, "games is -1"},
		{[]string{"learn", dir, "-r", "bell-8x7", "--generations=-1"}, "negative"},
		{[]string{"learn", dir, "-r", "bell-8x7", "--minutes=-1"}, "negative"},
		{[]string{"learn", dir, "--config", "nosuch.yaml", "--generations", "1"}, "nosuch.yaml"},
		{[]string{"learn", dir, "--config", file, "--generations", "1"}, "run"},
		{[]string{"learn", dir, "--config", nameless, "--generations", "1"}, "ruleset is missing"},
		{[]string{"learn", dir, "-r", "bell-8x7", "--workers=-1", "--generations", "1"}, "--workers is -1"},
		{[]string{"learn", file, "-r", "bell-8x7", "--generations", "1"}, "file"},
	} {
		wantIn(t, latro(t, exitInput, c.args...).err, c.want)
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("latro %v leaves %s behind", c.args, dir)
		}
	}
}

// TestLearnInitFrom: a run takes the size of the network that it begins with, and one that cannot begin leaves no
// directory behind whose frozen configuration would be in the way of the next try.
func TestLearnInitFrom(t *testing.T) {
	dir := t.TempDir()
	parent, run := filepath.Join(dir, "parent.latro"), filepath.Join(dir, "run")
	latro(t, exitDone, append([]string{"net", "new", "-r", "bell-8x7", "--net", "2x16", "--out", parent}, small...)...)
	args := append([]string{"learn", run, "-r", "bell-8x7", "--init-from", parent, "--games", "2", "--simulations", "2", "--max-plies", "10", "--generations", "1"}, small...)
	wantIn(t, latro(t, exitInput, append(args, "--net", "2x8")...).err, "init_from", "8 channels and 32", "one of 16")
	if _, err := os.Stat(run); err == nil {
		t.Fatal("a run that cannot begin is there")
	}
	var s runSummary
	for range 2 {
		latroJSON(t, &s, args...)
		if s.Network != "2x16" {
			t.Errorf("network %s, that of its parent is 2x16", s.Network)
		}
	}
}

// TestRunInUse: two processes never write one run.
func TestRunInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "selfplay", dir, "--config", tinyRun)
	r, err := selfplay.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	o := latroInput(t, "", "selfplay", dir)
	if o.code == exitDone {
		t.Error("a run in use is opened again")
	}
	wantIn(t, o.err, "in use")
}

// TestManifestPaths: what a manifest lists is what is there.
func TestManifestPaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "learn", dir, "--config", tinyRun, "--generations", "1")
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m selfplay.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, s := range m.Shards {
		listed = append(listed, s.Games.Path, s.Samples.Path)
	}
	var there []string
	for _, f := range glob(t, dir, "shards", "*") {
		there = append(there, "shards/"+filepath.Base(f))
	}
	slices.Sort(listed)
	if !slices.Equal(listed, there) {
		t.Errorf("listed %v, there %v", listed, there)
	}
}

// The curve of a tiny run: a match a checkpoint and opponent, as figure, table and JSON.
func TestCurve(t *testing.T) {
	dir := t.TempDir() + "/run"
	latro(t, exitDone, "learn", dir, "--config", tinyRun)
	o := latro(t, exitDone, "curve", dir, "--points", "2", "--games", "4", "--simulations", "2", "--opponent", "greedy", "--opponent", "uct:simulations=2,cutoff=20", "--json")
	var points []struct {
		Generation, Games int
		B                 string
		Score             float64
	}
	if err := json.Unmarshal([]byte(o.out), &points); err != nil {
		t.Fatal(err)
	}
	if len(points) != 4 || points[0].B != "greedy" || points[2].B != "uct:cutoff=20,simulations=2" || points[0].Generation != 0 || points[1].Generation == 0 {
		t.Errorf("points %+v", points)
	}
	for _, p := range points {
		if p.Games != 4 {
			t.Errorf("point %+v", p)
		}
	}
	for _, name := range []string{"curve.svg", "curve.png", "curve.csv"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
