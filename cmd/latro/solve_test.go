package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/experiments/grade"
)

var pisoSmall = []string{"locus-ludi-piso", "--set", "board.rows=3", "--set", "board.cols=3", "--set", "pieces.men=3"}

func TestSolve(t *testing.T) {
	path := filepath.Join(t.TempDir(), "piso.solution")
	args := append([]string{"solve"}, pisoSmall...)
	var s solved
	latroJSON(t, &s, append(args, "--out", path)...)
	if s.Start.Value.String() != "draw" || s.Start.Distance != -1 || s.States != 1559 || s.Win0+s.Draw+s.Win1 != s.States || len(s.Plies) != 9 || !s.Plies[0].Keeps {
		t.Errorf("%+v", s)
	}
	if s.Bound == "" || s.File != path || s.Phases["movement"].States == 0 || s.Phases["placement"].States == 0 || s.Hardest == "" {
		t.Errorf("%+v", s)
	}
	// The hardest position, looked up in the file, has the longest win.
	var q solved
	latroJSON(t, &q, append(args, "--solution", path, "--query", s.Hardest)...)
	if len(q.Queries) != 1 || q.Queries[0].Distance != s.Longest || len(q.Queries[0].Plies) == 0 || q.States != s.States {
		t.Errorf("%+v", q)
	}
	best := q.Queries[0].Plies[0]
	if !best.Best || !best.Keeps || best.Value != q.Queries[0].Value || best.Distance != s.Longest-1 {
		t.Errorf("the best ply of %s is %+v", s.Hardest, best)
	}
	o := latro(t, exitDone, append(args, "--query", s.Hardest)...)
	wantIn(t, o.out, "draw", "1559", "longest win", s.Hardest, "keep the value", "threefold-draw")

	// Of a part of the game only.
	latroJSON(t, &q, append(args, "--position", s.Hardest)...)
	if q.Start.Distance != s.Longest || q.States >= s.States || q.Info.Position == "" {
		t.Errorf("%+v", q)
	}
}

func TestSolveTree(t *testing.T) {
	small := []string{"solve", "locus-ludi-piso@superko", "--set", "board.rows=3", "--set", "board.cols=3", "--set", "pieces.men=2", "--position"}
	var r treeResult
	latroJSON(t, &r, append(small, "a1a/1b1/b2 0 movement", "--tree", "6")...)
	if r.Low > r.High || r.Nodes == 0 || r.Depth < 1 {
		t.Errorf("%+v", r)
	}
	wantIn(t, latro(t, exitDone, append(small, "a1a/1b1/b2 0 movement", "--tree", "2")...).out, "within")
}

func TestSolveRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "piso.solution")
	args := append([]string{"solve"}, pisoSmall...)
	latro(t, exitDone, append(args, "--out", path)...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.solution")
	if err := os.WriteFile(cut, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"solve", "bell-8x7"}, []string{"too large", "56 squares"}},
		{[]string{"solve", "locus-ludi-piso", "--set", "board.rows=5", "--set", "board.cols=5", "--set", "pieces.men=8"}, []string{"too large", "positions", "1024 MB"}},
		{[]string{"solve", "locus-ludi-piso", "--set", "board.rows=4", "--set", "board.cols=4", "--set", "pieces.men=4", "--memory", "5", "--try"}, []string{"5 MB are full"}},
		{append([]string{"solve", "locus-ludi-piso@superko"}, pisoSmall[1:]...), []string{"positional-superko", "history"}},
		{append(args, "--query", "3/3/3 5 movement"), []string{"--query"}},
		{append(args, "--query", "aab/3/3 0 movement"), []string{"--query"}},
		{append(args, "--memory", "0"), []string{"--memory is 0"}},
		{append(args, "--minutes", "NaN"), []string{"--minutes is NaN"}},
		{append(args, "--tree", "3", "--out", path), []string{"--tree"}},
		{append(args, "--solution", path, "--out", path), []string{"--solution"}},
		{append(args, "--solution", cut), []string{"cut.solution"}},
		{append(args, "--solution", filepath.Join(dir, "nosuch")), []string{"nosuch"}},
		{[]string{"solve", "locus-ludi-piso", "--set", "board.rows=3", "--set", "board.cols=3", "--set", "pieces.men=2", "--solution", path}, []string{"piso.solution", "hash"}},
	} {
		o := latro(t, exitInput, c.args...)
		wantIn(t, o.err, append(c.want, "latro: ")...)
		if o.out != "" {
			t.Errorf("latro %v prints %s", c.args, o.out)
		}
	}
	late := latro(t, exitFailed, "solve", "locus-ludi-piso", "--set", "board.rows=4", "--set", "board.cols=4", "--set", "pieces.men=4", "--minutes", "0.001")
	wantIn(t, late.err, "--minutes 0.001")

	// Interrupted, it leaves nothing.
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupt signal received"))
	var out, errs bytes.Buffer
	none := filepath.Join(dir, "none.solution")
	if code := run(ctx, append(args, "--out", none), strings.NewReader(""), &out, &errs); code != exitInterrupted {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("an interrupted solver writes a file")
	}
}

func TestNetGrade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, append([]string{"learn", dir, "--config", tinyRun, "--generations", "1", "-r"}, pisoSmall...)...)
	var first, again grade.Report
	latroJSON(t, &first, "net", "grade", dir, "--positions", "150", "--simulations", "8")
	latroJSON(t, &again, "net", "grade", dir, "--positions", "150", "--simulations", "8")
	if first.All.Positions != 150 || first.All.False != 0 || first.All.Policy.Estimate != again.All.Policy.Estimate || first.All.Brier.Estimate != again.All.Brier.Estimate {
		t.Errorf("%+v\nand then\n%+v", first.All, again.All)
	}
	if p := first.Phases; p["placement"].Positions+p["movement"].Positions != 150 {
		t.Errorf("%+v", p)
	}
	path := filepath.Join(t.TempDir(), "s.solution")
	latro(t, exitDone, append(append([]string{"solve"}, pisoSmall...), "--out", path)...)
	o := latro(t, exitDone, "net", "grade", dir, "-n", "150", "--simulations", "8", "--solution", path)
	wantIn(t, o.out, "critical", "by lot", "Brier", "placement", "movement", "150 positions of 1559")

	wantIn(t, latro(t, exitInput, "net", "grade", dir, "-n", "0").err, "0 positions")
	wantIn(t, latro(t, exitInput, "net", "grade", dir, "--memory", "0").err, "--memory")
	wantIn(t, latro(t, exitInput, "net", "grade", dir, "-r", "bell-8x7").err, "8")
	wantIn(t, latro(t, exitInput, "net", "grade", dir, "--set", "pieces.men=2").err, "--any-rules")
	latro(t, exitDone, "net", "grade", dir, "--set", "pieces.men=2", "--any-rules", "-n", "50", "--simulations", "4")
	latro(t, exitInput, "net", "grade", filepath.Join(dir, "nosuch"))
}
