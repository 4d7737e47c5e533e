package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/datasets/dirlock"
	"latro/experiments/stats"
	"latro/nn/shipped"
)

func ladderArgs(more ...string) []string {
	return append(append([]string{"ladder", "-r", "bell-8x7", "--games", "12", "--max-plies", "150"}, small...), more...)
}

func TestLadder(t *testing.T) {
	args := ladderArgs("--against", "greedy,uct:simulations=20,cutoff=50,random")
	var r ladderResult
	latroJSON(t, &r, args...)
	if len(r.Agents) != 3 || len(r.Matches) != 3 || r.Anchor != "greedy" {
		t.Fatalf("%+v", r)
	}
	var names []string
	total := 0
	for i, m := range r.Agents {
		names = append(names, m.Name)
		total += m.Games
		if m.Wins+m.Draws+m.Losses+m.Capped != m.Games || !(m.EloLow <= m.Elo && m.Elo <= m.EloHigh) {
			t.Errorf("%+v", m)
		}
		if i > 0 && m.Elo > r.Agents[i-1].Elo {
			t.Error("agents are not sorted")
		}
		if m.Name == "greedy" && (m.Elo != 0 || m.EloHigh != 0) {
			t.Errorf("the anchor is at %+v", m)
		}
	}
	// What looks ahead is stronger than what draws lots.
	if slices.Index(names, "random") != 2 || !slices.Contains(names, "uct:cutoff=50,simulations=20") {
		t.Errorf("order %v", names)
	}
	for _, m := range r.Matches {
		total -= 2 * m.Games
		if !(m.Expected > 0 && m.Expected < 1) || m.Score > 0.75 != (m.Expected > 0.6) {
			t.Errorf("%s against %s scores %v, %v is expected", m.A, m.B, m.Score, m.Expected)
		}
	}
	if total != 0 {
		t.Errorf("agents and matches differ by %d games", total)
	}
	first := latro(t, exitDone, append(args, "--json")...).out
	for _, workers := range []string{"1", "3"} {
		if again := latro(t, exitDone, append(args, "--json", "--workers", workers)...).out; again != first {
			t.Errorf("with %s workers another ladder", workers)
		}
	}
	var mean ladderResult
	latroJSON(t, &mean, append(args, "--anchor", "mean")...)
	sum := 0.0
	for _, m := range mean.Agents {
		sum += m.Elo
	}
	if mean.Anchor != "mean" || sum > 1e-6 || sum < -1e-6 {
		t.Errorf("anchor %s, sum of ratings %v", mean.Anchor, sum)
	}
	wantIn(t, latro(t, exitDone, args...).out, "RANK", "greedy at 0", "uct:cutoff=50,simulations=20")
}

// TestLadderOneSided: who wins everything has a finite rating, and the table says where it comes from.
func TestLadderOneSided(t *testing.T) {
	args := ladderArgs("--against", "greedy,random", "--games", "4")
	var r ladderResult
	latroJSON(t, &r, args...)
	if r.Agents[0].Wins != 4 {
		t.Fatalf("greedy won %d of 4", r.Agents[0].Wins)
	}
	if !r.Agents[1].PriorBound || r.Agents[0].PriorBound || r.Agents[1].Elo > -100 || r.Agents[1].Elo < -5000 {
		t.Errorf("%+v", r.Agents)
	}
	wantIn(t, latro(t, exitDone, args...).out, "* One side of the pool lost every game")
}

// TestLadderGoesOn: more games and more agents give the ladder that has them from the start, and what was played is
// not played again.
func TestLadderGoesOn(t *testing.T) {
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole.json"), filepath.Join(dir, "parts.json")
	pool := "greedy,random,uct:simulations=4"
	want := latro(t, exitDone, ladderArgs("--against", pool, "--json", "--out", whole)...).out
	latro(t, exitDone, ladderArgs("--against", "greedy,random", "--games", "6", "--out", parts)...)
	latro(t, exitDone, ladderArgs("--against", pool, "--games", "8", "--out", parts)...)
	if got := latro(t, exitDone, ladderArgs("--against", pool, "--json", "--out", parts)...).out; got != want {
		t.Errorf("in parts\n%s, at once\n%s", got, want)
	}
	files := bytesBelow(t, dir)
	if files["whole.json"] != files["parts.json"] || files["whole.json"] == "" {
		t.Error("the results files differ")
	}
	o := latro(t, exitDone, ladderArgs("--against", pool, "--json", "--out", whole)...)
	if o.out != want || strings.Contains(o.err, "games") {
		t.Errorf("a complete ladder plays again: %s", o.err)
	}
	// A smaller ladder looks at a part of the results and leaves them there.
	latro(t, exitDone, ladderArgs("--against", "greedy,random", "--games", "4", "--out", whole)...)
	if bytesBelow(t, dir)["whole.json"] != files["whole.json"] {
		t.Error("a smaller ladder changed the results")
	}
}

func TestLadderOfRun(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	latro(t, exitDone, "learn", run, "--config", tinyRun, "--generations", "2")
	checkpoints := glob(t, run, "checkpoints", "*.latro")
	if len(checkpoints) != 3 {
		t.Fatalf("checkpoints %v", checkpoints)
	}
	args := ladderArgs(run, checkpoints[2], "--simulations", "2", "--games", "4", "--against", "random,net:run="+run+",simulations=3")
	var all, neighbours ladderResult
	latroJSON(t, &all, slices.Clone(args)...)
	latroJSON(t, &neighbours, append(slices.Clone(args), "--pairing", "neighbours")...)
	if len(all.Agents) != 5 || len(all.Matches) != 10 || len(neighbours.Matches) != 9 {
		t.Errorf("%d agents, %d and %d matches", len(all.Agents), len(all.Matches), len(neighbours.Matches))
	}
	found := false
	for _, m := range all.Agents {
		if m.Name == run+"@2" {
			found = slices.Equal(m.Also, checkpoints[2:])
		}
	}
	if !found {
		t.Errorf("the checkpoint that was given twice is not one agent: %+v", all.Agents)
	}
}

// TestLadderBounds: games that were stopped bound the rating of who played them, and of nobody else.
func TestLadderBounds(t *testing.T) {
	args := []string{"ladder", "-r", "bell-8x7", "--games", "8", "--max-plies", "70", "--against", "greedy,random"}
	args = append(args, small...)
	var r ladderResult
	latroJSON(t, &r, args...)
	capped := 0
	for _, m := range r.Agents {
		capped += m.Capped
		if m.EloMin == nil || m.EloMax == nil {
			t.Fatalf("no bounds: %+v", m)
		}
		if m.Name == r.Anchor {
			if *m.EloMin != 0 || *m.EloMax != 0 {
				t.Errorf("the anchor is between %v and %v", *m.EloMin, *m.EloMax)
			}
			continue
		}
		if !(*m.EloMin < m.Elo && m.Elo < *m.EloMax) {
			t.Errorf("%s: %v is not between %v and %v", m.Name, m.Elo, *m.EloMin, *m.EloMax)
		}
	}
	if capped == 0 || capped == 16 {
		t.Fatalf("the ladder tests too little: %d of 16 results capped", capped)
	}
	wantIn(t, latro(t, exitDone, args...).out, "ELO IF CAPPED LOST, WON", "count half a point")
	// By hand: two agents, one pair, the first game won and the second stopped.
	ratings, err := stats.Rate(3, []stats.Meeting{{A: 0, B: 1, Pairs: [][2]float64{{1, 0.5}}}, {A: 1, B: 2, Pairs: [][2]float64{{1, 0}}}}, 0, level)
	if err != nil {
		t.Fatal(err)
	}
	meetings := []stats.Meeting{{A: 0, B: 1, Pairs: [][2]float64{{1, 0.5}}}, {A: 1, B: 2, Pairs: [][2]float64{{1, 0}}}}
	bounds, err := ladderBounds(meetings, []cappedGame{{0, 0, 1}}, ratings, 0)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := stats.Rate(3, []stats.Meeting{{A: 0, B: 1, Pairs: [][2]float64{{1, 1}}}, meetings[1]}, 0, level)
	if err != nil {
		t.Fatal(err)
	}
	won, err := stats.Rate(3, []stats.Meeting{{A: 0, B: 1, Pairs: [][2]float64{{1, 0}}}, meetings[1]}, 0, level)
	if err != nil {
		t.Fatal(err)
	}
	if bounds[1] != [2]float64{lost.Players[1].Elo.Estimate, won.Players[1].Elo.Estimate} {
		t.Errorf("bounds %v, want %v and %v", bounds[1], lost.Players[1].Elo.Estimate, won.Players[1].Elo.Estimate)
	}
	if two := ratings.Players[2].Elo.Estimate; bounds[2] != [2]float64{two, two} || meetings[0].Pairs[0] != [2]float64{1, 0.5} {
		t.Errorf("who had no capped game is at %v, with bounds %v; the games are now %v", two, bounds[2], meetings[0].Pairs)
	}
}

// TestLadderLock: a second ladder does not write what the first one writes.
func TestLadderLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ladder.json")
	lock, err := dirlock.AcquireFile(file)
	if err != nil {
		t.Fatal(err)
	}
	args := ladderArgs("--against", "greedy,random", "--games", "2", "--out", file)
	wantIn(t, latro(t, exitInput, args...).err, file, "in use by another process")
	if _, err := os.Stat(file); err == nil {
		t.Error("the results were written")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	latro(t, exitDone, args...)
}

// TestLadderOfShippedNetwork: the same network under two names is one agent.
func TestLadderOfShippedNetwork(t *testing.T) {
	id := shipped.IDs()[0]
	var r ladderResult
	latroJSON(t, &r, "ladder", "shipped", "-r", id, "--games", "2", "--max-plies", "40", "--simulations", "2",
		"--against", "random,net:simulations=2,net:simulations=3")
	var names []string
	for _, m := range r.Agents {
		names = append(names, m.Name)
		if m.Name == "net:simulations=2" && !slices.Equal(m.Also, []string{"shipped:" + id}) {
			t.Errorf("%+v", m)
		}
	}
	slices.Sort(names)
	if want := []string{"net:simulations=2", "net:simulations=3", "random"}; !slices.Equal(names, want) {
		t.Errorf("agents %v", names)
	}
	wantIn(t, latro(t, exitInput, ladderArgs("shipped")...).err, "no network ships for these rules")
}

func TestLadderGenerations(t *testing.T) {
	for _, c := range []struct {
		every, n int
		want     []int
	}{{3, 8, []int{0, 3, 6, 7}}, {3, 7, []int{0, 3, 6}}, {10, 1, []int{0}}, {10, 4, []int{0, 3}}, {0, 3, []int{0, 1, 2}}} {
		if got := (&ladderCmd{Every: c.every}).generations(c.n); !slices.Equal(got, c.want) {
			t.Errorf("every %d of %d: %v, want %v", c.every, c.n, got, c.want)
		}
	}
}

func TestSplitAgents(t *testing.T) {
	for list, want := range map[string][]string{
		"random":                               {"random"},
		"random,greedy":                        {"random", "greedy"},
		"uct:simulations=1,cutoff=2,random":    {"uct:simulations=1,cutoff=2", "random"},
		"net:path=a:b=c,search=puct,net:run=d": {"net:path=a:b=c,search=puct", "net:run=d"},
		"cutoff=3":                             {"cutoff=3"},
	} {
		if got := splitAgents(list); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}

func TestLadderWrongInput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ladder.json")
	good := []string{"--against", "greedy,random", "--games", "2", "--out", file}
	latro(t, exitDone, ladderArgs(good...)...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := func(name, old, new string) string {
		changed := strings.Replace(string(data), old, new, 1)
		if changed == string(data) {
			t.Fatalf("%q is not in the results", old)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--games", "3"}, "--games"},
		{[]string{"--every=-1"}, "--every"},
		{[]string{"--opening=-1"}, "--opening"},
		{[]string{"--workers=-1"}, "--workers"},
		{[]string{"--against", "random"}, "at least two"},
		{[]string{"--against", "random,random"}, "at least two"},
		{[]string{"--against", "random,gready"}, "gready"},
		{[]string{"--against", "random,greedy", "--anchor", "uct"}, "--anchor"},
		{[]string{"nosuch"}, "nosuch"},
		{[]string{dir}, "manifest.json"},
		{append(slices.Clone(good), "--seed", "2"), "seed 1"},
		{append(slices.Clone(good), "--opening", "2"), "opening 6"},
		{append(slices.Clone(good), "--set", "end.no_capture_limit=60"), "ruleset"},
		{append(slices.Clone(good), "--out", dir), dir},
		{append(slices.Clone(good), "--out", damaged("letter.json", `    "W`, `    "X`)), "matches[0]: pairs[0]"},
		{append(slices.Clone(good), "--out", damaged("brace.json", "{", "")), "not the results of a ladder"},
		{append(slices.Clone(good), "--out", damaged("names.json", `"b": "random"`, `"b": "a"`)), "matches[0]"},
	} {
		o := latro(t, exitInput, ladderArgs(c.args...)...)
		wantIn(t, o.err, c.want)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(data) {
		t.Errorf("refused ladders changed the results: %v", err)
	}
}
