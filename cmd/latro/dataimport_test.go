package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/envtest"
	"latro/mcts"
	"latro/selfplay"

	"math/rand/v2"
)

// ludiiGames writes a shard with random games of each ruleset, as self-play records them.
func ludiiGames(t *testing.T, path string, refs ...string) []datasets.Game {
	t.Helper()
	var rows []datasets.Game
	for i, ref := range refs {
		r, g := envtest.Open(t, ref)
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		s, rec := g.NewState(), selfplay.NewRecorder(g)
		rec.Reset(s, datasets.Game{GameID: uint64(i), Ruleset: r.Ref(), RulesetHash: r.Hash()})
		for !s.Over() && rec.Plies() < 500 {
			legal := s.Legal(nil)
			if err := rec.Play(s, mcts.Decision{Action: legal[rng.IntN(len(legal))]}); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, rec.Game(s))
	}
	if _, err := datasets.WriteGames(path, rows, nil); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestDataTrials(t *testing.T) {
	dir := t.TempDir()
	shard, trials, back := filepath.Join(dir, "games.arrow"), filepath.Join(dir, "trials"), filepath.Join(dir, "back.arrow")
	rows := ludiiGames(t, shard, "bell-8x8@ludii", "bell-8x8@ludii", "schadler-2001@ludii", "6x6-kharebga@ludii", "kowalski-10x11@ludii")

	var out trialExport
	latroJSON(t, &out, "data", "export", shard, "-f", "ludii-trial", "-o", trials)
	if out.Games != len(rows) || out.Rulesets["bell-8x8"] != 2 || out.Unfinished == 0 || out.Unfinished == len(rows) {
		t.Errorf("exported %+v", out)
	}
	if got := glob(t, trials, "*"); len(got) != len(rows) || filepath.Base(got[0]) != "6x6-kharebga-000003.trl" {
		t.Errorf("files %v", got)
	}
	var in trialImport
	latroJSON(t, &in, "data", "import", trials, "-o", back)
	if in.Games != len(rows) || in.Plies != out.Plies || in.Capped != out.Unfinished || in.Rulesets["bell-8x8@ludii"] != 2 {
		t.Errorf("imported %+v", in)
	}
	latro(t, exitDone, "data", "verify", back)
	got, err := datasets.ReadGames(back, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		// The trials come in the order of their names, which end in the number of the game.
		n := int(got[i].RunID[len(got[i].RunID)-1] - '0')
		a, b := rows[n], got[i]
		if a.CanonicalHash != b.CanonicalHash || a.Outcome != b.Outcome || a.EndReason != b.EndReason || a.Plies != b.Plies ||
			a.RulesetHash != b.RulesetHash || a.Captures0 != b.Captures0 || a.Bindings1 != b.Bindings1 {
			t.Errorf("game %d comes back as %+v", n, b)
		}
	}

	// The same again, with the ruleset named; and one of them alone, by another ruleset.
	one := filepath.Join(trials, "bell-8x8-000000.trl")
	latro(t, exitDone, "data", "import", one, "-o", back, "--ruleset", "bell-8x8@ludii")
	wantIn(t, latro(t, exitInput, "data", "import", one, "-o", back, "--ruleset", "webdux").err, "bell-8x8-000000.trl:7:")
	latro(t, exitInput, "data", "import", one, "-o", back, "--ruleset", "nosuch")

	// A damaged trial stops the import, or is left out.
	text, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(one, []byte(strings.Replace(string(text), "mover=2", "mover=1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(back)
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "data", "import", trials, "-o", back).err, "bell-8x8-000000.trl:13:", "turn of player 2")
	if after, err := os.ReadFile(back); err != nil || string(after) != string(before) {
		t.Errorf("the failed import changed the file (%v)", err)
	}
	o := latro(t, exitDone, "data", "import", trials, "-o", back, "--skip")
	wantIn(t, o.err, "left out", "bell-8x8-000000.trl:13:")
	wantIn(t, o.out, "games 4 ", "skipped 1")
	latro(t, exitInput, "data", "import", one, "-o", back, "--skip")
	latro(t, exitInput, "data", "import", dir+"/nosuch", "-o", back)
	wantIn(t, latro(t, exitInput, "data", "import", trials, "-o", one).err, "would be lost")
	latro(t, exitInput, "data", "import", trials, "-o", dir)
	// What a killed export leaves is passed over; a link to a directory stays one.
	if err := os.Rename(trials, filepath.Join(dir, ".trials-1")); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "data", "import", dir, "-o", back).err, "holds no trials")
	if err := os.Symlink(t.TempDir(), trials); err != nil {
		t.Skip(err)
	}
	latro(t, exitDone, "data", "export", shard, "-f", "ludii-trial", "-o", trials)
	if st, err := os.Lstat(trials); err != nil || st.Mode()&os.ModeSymlink == 0 || len(glob(t, trials, "*.trl")) != len(rows) {
		t.Errorf("the link was replaced: %v, %v", st, err)
	}
	latro(t, exitInput, "data", "import", t.TempDir(), "-o", back)
	latro(t, exitInput, "data", "import", shard, "-o", back)
}

// TestDataTrialsRefused: what Ludii cannot replay is refused with the reason, and nothing is left behind.
func TestDataTrialsRefused(t *testing.T) {
	dir := t.TempDir()
	shard, trials := filepath.Join(dir, "games.arrow"), filepath.Join(dir, "trials")
	good := ludiiGames(t, shard, "6x6-seega@ludii")[0]
	export := func(want ...string) {
		t.Helper()
		wantIn(t, latro(t, exitInput, "data", "export", shard, "-f", "ludii-trial", "-o", trials).err, want...)
		if left := glob(t, dir, "*trials*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	ludiiGames(t, shard, "6x6-seega@ludii", "bell-8x7")
	export("row 1 (game 1)", "bell-8x7", "Ludii plays bell-8x7@ludii")
	ludiiGames(t, shard, "webdux")
	export("webdux", "Ludii does not have")
	for _, change := range []struct {
		to   func(*datasets.Game)
		want string
	}{
		{func(r *datasets.Game) { r.Start = "x" }, "does not begin at the ruleset's start"},
		{func(r *datasets.Game) { r.Outcome = datasets.Draw }, "recorded is draw"},
		{func(r *datasets.Game) { r.Moves[1] = r.Moves[0] }, "ply 2 of"},
	} {
		row := good
		row.Moves = append([]uint16(nil), good.Moves...)
		change.to(&row)
		if _, err := datasets.WriteGames(shard, []datasets.Game{row}, nil); err != nil {
			t.Fatal(err)
		}
		export(change.want)
	}
	// A resigned game is written as one that was not finished.
	row := good
	row.Moves, row.Plies, row.Turns, row.Outcome, row.Resigned = good.Moves[:40], 40, 20, datasets.Win1, true
	row.Hops0, row.Hops1 = 0, 0
	if _, err := datasets.WriteGames(shard, []datasets.Game{row}, nil); err != nil {
		t.Fatal(err)
	}
	var out trialExport
	latroJSON(t, &out, "data", "export", shard, "-f", "ludii-trial", "-o", trials)
	if out.Resigned != 1 || out.Unfinished != 1 {
		t.Errorf("exported %+v", out)
	}
	// A directory that has files, and arguments that do not go together.
	wantIn(t, latro(t, exitInput, "data", "export", shard, "-f", "ludii-trial", "-o", trials).err, "not empty")
	latro(t, exitInput, "data", "export", shard, "-f", "ludii-trial")
	latro(t, exitInput, "data", "export", shard, "-f", "ludii-trial", "-o", trials+"2", "--columns", "plies")
	latro(t, exitInput, "data", "export", shard, "--json")
}

// TestDataTrialsRecorded: recorded games of another program become trials too.
func TestDataTrialsRecorded(t *testing.T) {
	dir := t.TempDir()
	testdata := filepath.Join("..", "..", "env", "oracle", "testdata")
	trials := filepath.Join(dir, "trials")
	var out trialExport
	latroJSON(t, &out, "data", "export", filepath.Join(testdata, "bell-8x7.games.jsonl.gz"), "-f", "ludii-trial", "-o", trials)
	var in trialImport
	latroJSON(t, &in, "data", "import", trials, "-o", filepath.Join(dir, "games.arrow"))
	if out.Games == 0 || in.Games != out.Games || in.Plies != out.Plies {
		t.Errorf("exported %+v, imported %+v", out, in)
	}
	for name, want := range map[string]string{
		"bell-8x7-default": "default reading", "webdux": "Ludii has no ruleset webdux",
	} {
		o := latro(t, exitInput, "data", "export", filepath.Join(testdata, name+".games.jsonl.gz"), "-f", "ludii-trial", "-o", filepath.Join(dir, name))
		wantIn(t, o.err, want)
	}
}
