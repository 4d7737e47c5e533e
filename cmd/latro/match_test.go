package main

import (
	"latro/datasets"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func matchArgs(more ...string) []string {
	args := append([]string{"match", "greedy", "random", "--ruleset", "bell-8x7", "--games", "40", "--max-plies", "60"}, small...)
	return append(args, more...)
}

func TestMatchJSON(t *testing.T) {
	var m map[string]any
	latroJSON(t, &m, matchArgs()...)
	want := []string{
		"a", "b", "capped", "draws", "elo", "elo_high", "elo_low", "games", "losses", "repeated_games", "ruleset", "score", "score_high", "score_low",
		"score_max", "score_min", "seed", "unique_games", "wins",
	}
	if got := keys(m); !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	var r matchResult
	latroJSON(t, &r, matchArgs()...)
	if r.Games != 40 || r.Wins+r.Draws+r.Losses+r.Capped != 40 {
		t.Errorf("games do not add up: %+v", r)
	}
	if r.Wins == 0 || r.Capped == 0 {
		t.Fatalf("the match tests too little: %+v", r)
	}
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	w, d, c := float64(r.Wins), float64(r.Draws), float64(r.Capped)
	near("score", r.Score, (w+d/2+c/2)/40)
	near("score_min", r.Min, (w+d/2)/40)
	near("score_max", r.Max, (w+d/2+c)/40)
	if !(r.Low <= r.Score && r.Score <= r.High) || r.Low < 0 || r.High > 1 {
		t.Errorf("interval %v to %v around %v", r.Low, r.High, r.Score)
	}
	if r.Elo == nil {
		t.Fatalf("no Elo for a score of %v", r.Score)
	}
	// The logistic curve of the Elo scale.
	near("elo", *r.Elo, 400*math.Log10(r.Score/(1-r.Score)))
	for _, b := range []struct {
		name  string
		elo   *float64
		score float64
	}{{"elo_low", r.EloLow, r.Low}, {"elo_high", r.EloHigh, r.High}} {
		switch {
		case b.score > 0 && b.score < 1 && b.elo != nil:
			near(b.name, *b.elo, 400*math.Log10(b.score/(1-b.score)))
		case b.score > 0 && b.score < 1, b.elo != nil:
			t.Errorf("%s is %v for a score of %v", b.name, b.elo, b.score)
		}
	}
	if r.Unique < 2 || r.Unique > 40 {
		t.Errorf("%d unique games", r.Unique)
	}
}

func TestMatchRepeats(t *testing.T) {
	first := latro(t, exitDone, matchArgs("--json")...).out
	for _, more := range [][]string{{}, {"--workers", "1"}, {"--workers", "3"}, {"--seed", "1"}} {
		if again := latro(t, exitDone, matchArgs(append(more, "--json")...)...).out; again != first {
			t.Errorf("with %v the result is\n%s, without\n%s", more, again, first)
		}
	}
	var a, b matchResult
	latroJSON(t, &a, matchArgs()...)
	latroJSON(t, &b, matchArgs("--seed", "2")...)
	b.Seed = a.Seed
	if a == b {
		t.Error("another seed gives the same match")
	}
}

// TestMatchWithoutResult: games that are all capped say nothing, and their bounds say so.
func TestMatchWithoutResult(t *testing.T) {
	var r matchResult
	latroJSON(t, &r, "match", "random", "random", "-r", "bell-8x7", "--games", "4", "--max-plies", "1")
	if r.Capped != 4 || r.Score != 0.5 || r.Min != 0 || r.Max != 1 {
		t.Errorf("a match of capped games gives %+v", r)
	}
	o := latro(t, exitDone, "match", "random", "random", "-r", "bell-8x7", "--games", "4", "--max-plies", "1")
	wantIn(t, o.out, "4 games: 0 won, 0 drawn, 0 lost, 4 capped", "score 0.500", "capped games all lost 0.000, all won 1.000")
}

func TestMatchWrongInput(t *testing.T) {
	for _, args := range [][]string{
		{"random", "random", "-r", "bell-8x7", "--games", "3"},
		{"random", "random", "-r", "bell-8x7", "--games", "0"},
		{"random", "random", "-r", "nosuch"},
		{"random", "nosuch", "-r", "bell-8x7", "--games", "2"},
		{"random", "uct:bogus=1", "-r", "bell-8x7", "--games", "2"},
		{"random", "uct:simulations=many", "-r", "bell-8x7", "--games", "2"},
		{"random", "net:simulations=4", "-r", "bell-8x7", "--set", "capture.corner=neutral", "--games", "2"},
		{"random", "net:run=a,path=b", "-r", "bell-8x7", "--games", "2"},
		{"random", "net:path=shipped:nosuch", "-r", "bell-8x7", "--games", "2"},
		{"random", "net:path=nosuch.latro", "-r", "bell-8x7", "--games", "2"},
		{"random", "net:run=nosuch", "-r", "bell-8x7", "--games", "2"},
		{"random", "random", "-r", "bell-8x7", "--games", "2", "--opening=-1"},
		{"random", "random", "-r", "bell-8x7", "--games", "2", "--max-plies=-1"},
		{"random", "random", "-r", "bell-8x7", "--games", "2", "--workers=-1"},
	} {
		latro(t, exitInput, append([]string{"match"}, args...)...)
	}
}

// TestMatchGoesOn: a match whose games are kept goes on where it was stopped and comes out as if it had not been, a sequential
// one too; another match's file is refused and left as it is.
func TestMatchGoesOn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "match.json")
	for _, more := range [][]string{{"--json"}, {"--json", "--sprt", "0,200"}} {
		want := latro(t, exitDone, matchArgs(more...)...).out
		os.Remove(file)
		latro(t, exitDone, matchArgs("--games", "10", "--out", file)...)
		before := fileSum(t, file)
		if got := latro(t, exitDone, matchArgs(append(more, "--out", file)...)...).out; got != want {
			t.Errorf("%v: in parts\n%s, at once\n%s", more, got, want)
		}
		if fileSum(t, file) == before {
			t.Errorf("%v: no game was added", more)
		}
		// All games are there: they are not played again.
		if again := latro(t, exitDone, matchArgs(append(more, "--out", file)...)...); again.out != want || strings.Contains(again.err, "games") {
			t.Errorf("%v: again\n%s%s", more, again.out, again.err)
		}
	}
	before := fileSum(t, file)
	ladder := filepath.Join(dir, "ladder.json")
	latro(t, exitDone, ladderArgs("--against", "greedy,random", "--games", "2", "--out", ladder)...)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"seed 1", matchArgs("--out", file, "--seed", "2")},
		{"max-plies 60", matchArgs("--out", file, "--max-plies", "61")},
		{"greedy against random", append([]string{"match", "random", "greedy"}, matchArgs("--out", file)[3:]...)},
		{"not the results of a match", matchArgs("--out", ladder)},
		{"not the results of a ladder", ladderArgs("--against", "greedy,random", "--games", "2", "--out", file)},
	} {
		wantIn(t, latro(t, exitInput, c.args...).err, c.want, "--out")
	}
	if fileSum(t, file) != before {
		t.Error("a refused match changed the file")
	}
}

func fileSum(t *testing.T, path string) string {
	t.Helper()
	_, sum, err := datasets.HashFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
