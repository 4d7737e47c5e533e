package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// auditArgs is an audit that takes little time.
func auditArgs(more ...string) []string {
	return append([]string{"rules", "audit", "6x6-seega", "--games", "4", "--cap", "150", "--seed", "3", "--replay", "2"}, more...)
}

func TestRulesAudit(t *testing.T) {
	o := latro(t, exitDone, auditArgs()...)
	wantIn(t, o.out, "Audit of 6x6-seega", "4 games in each of three groups, cap 150 plies, seed 3",
		"random games", "How the games ended", "Which rules mattered", "What the source leaves undefined", "Shortest examples",
		"movement.men.range", "no end: capped", "Position: ")
	wantIn(t, o.err, "6x6-seega: games", "under other rules")
	if again := latro(t, exitDone, auditArgs("--workers", "3")...); again.out != o.out {
		t.Error("another number of workers gives another report")
	}
	if other := latro(t, exitDone, auditArgs("--set", "movement.men.range=slide")...); other.out == o.out {
		t.Error("--set changes nothing")
	}
	file := filepath.Join(t.TempDir(), "audit.txt")
	if out := latro(t, exitDone, auditArgs("--out", file)...).out; out != "" {
		t.Errorf("--out writes to standard output too: %s", out)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != o.out {
		t.Errorf("--out writes something else (%v)", err)
	}
}

// TestRulesAuditOut: a place that cannot be written to is refused before the games are played, and a ruleset's file is
// no place to write to.
func TestRulesAuditOut(t *testing.T) {
	dir := t.TempDir()
	for _, out := range []string{dir, filepath.Join(dir, "absent", "x"), dir + "/"} {
		o := latro(t, exitInput, auditArgs("--out", out)...)
		if strings.Contains(o.err, "done=") {
			t.Errorf("games were played before %s was refused: %s", out, o.err)
		}
	}
	file := filepath.Join(dir, "mine.yaml")
	latro(t, exitDone, "rules", "new", "--from", "6x6-seega", "--out", file)
	wantIn(t, latro(t, exitInput, "rules", "audit", file+"@ludii", "--games", "1", "--out", file).err, "would be lost")
	if got := glob(t, dir, "*"); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

func TestRulesAuditJSON(t *testing.T) {
	var v map[string]any
	latroJSON(t, &v, auditArgs()...)
	want := []string{"cap", "examples", "games", "groups", "hash", "hunger", "name", "parameters", "replayed", "replayed_plies", "ruleset",
		"seed", "undefined", "unruled", "values", "verdicts"}
	if got := keys(v); !reflect.DeepEqual(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	var r struct {
		Ruleset  string
		Verdicts []string
		Groups   []struct {
			Name   string
			Ends   []struct{ Count int }
			Capped *struct {
				Pieces []float64
			}
			Score struct{ Estimate, Low, High float64 }
		}
		Parameters []struct{ Name, Status string }
		Examples   []struct {
			Key   string
			Plies int
			Moves []string
			Board []string
		}
	}
	latroJSON(t, &r, auditArgs()...)
	if r.Ruleset != "6x6-seega" || len(r.Groups) != 3 || len(r.Examples) == 0 || len(r.Verdicts) < 5 {
		t.Fatalf("%+v", r)
	}
	for _, g := range r.Groups {
		n := 0
		for _, e := range g.Ends {
			n += e.Count
		}
		if n != 4 || g.Score.Low > g.Score.Estimate || g.Score.Estimate > g.Score.High {
			t.Errorf("%+v", g)
		}
	}
	for _, e := range r.Examples {
		if len(e.Moves) != e.Plies || len(e.Board) != 7 {
			t.Errorf("%s: %d moves of %d, %d lines of board", e.Key, len(e.Moves), e.Plies, len(e.Board))
		}
	}
	// One of them, by its key.
	key := r.Examples[len(r.Examples)-1].Key
	var e map[string]any
	latroJSON(t, &e, auditArgs("--example", key)...)
	if e["key"] != key {
		t.Errorf("--example %s gives %v", key, e["key"])
	}
	text := latro(t, exitDone, auditArgs("--example", key)...).out
	wantIn(t, text, key, strings.Join(r.Examples[len(r.Examples)-1].Board, "\n"), "Moves: ")
}

func TestRulesAuditAll(t *testing.T) {
	args := []string{"rules", "audit", "--all", "--games", "1", "--cap", "20", "--replay", "1"}
	o := latro(t, exitDone, args...)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	var listed []listedRuleset
	latroJSON(t, &listed, "rules", "list")
	if len(lines) != 2*(len(listed)+2)+1 || !strings.HasPrefix(lines[0], "| ruleset | ") {
		t.Errorf("%d lines for %d rulesets:\n%s", len(lines), len(listed), o.out)
	}
	for _, l := range listed {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "| `"+l.ID+"` | ") }) {
			t.Errorf("no line of %s", l.ID)
		}
	}
}

func TestRulesAuditBadInput(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "name one ruleset"},
		{[]string{"bell-8x7", "--all"}, "name one ruleset"},
		{[]string{"--all", "--example", "end:cap"}, "--example"},
		{[]string{"bel-8x7"}, "did you mean bell-8x7"},
		{[]string{"bell-8x7@nowhere"}, "no reading"},
		{[]string{"bell-8x7", "--set", "capture.corner=soft"}, "capture.corner"},
		{[]string{"bell-8x7", "--games", "0"}, "--games is 0"},
		{[]string{"bell-8x7", "--cap=-1"}, "--cap is -1"},
		{[]string{"bell-8x7", "--games", "5", "--replay", "6"}, "--replay is 6"},
		{[]string{"bell-8x7", "--workers=-1"}, "--workers"},
		{[]string{"bell-8x7", "--games", "20000", "--cap", "20000"}, "games times cap"},
		{[]string{"bell-8x7", "--games", "1", "--cap", "5", "--example", "end:nothing"}, "there are: end:cap"},
		{[]string{"no-such-file.yaml"}, "no-such-file.yaml"},
	} {
		o := latro(t, exitInput, append([]string{"rules", "audit"}, c.args...)...)
		wantIn(t, o.err, c.want)
		if o.out != "" {
			t.Errorf("%v writes to standard output: %s", c.args, o.out)
		}
	}
}
