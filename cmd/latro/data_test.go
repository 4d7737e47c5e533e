package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"

	"latro/datasets"
)

// learned is a finished run of the tiny configuration.
func learned(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "learn", dir, "--config", tinyRun, "--generations", "1")
	return dir
}

func TestDataInspect(t *testing.T) {
	dir := learned(t)
	var all []datasets.Summary
	latroJSON(t, &all, "data", "inspect", dir)
	kinds := map[datasets.Kind]uint64{}
	for _, s := range all {
		kinds[s.Kind] += s.Rows
		if s.Damage != "" || len(s.SHA256) != 64 || len(s.Columns) == 0 {
			t.Errorf("summary %+v", s)
		}
	}
	if kinds[datasets.Games] != 8 || kinds[datasets.Samples] == 0 || kinds[datasets.MetricRows] != 1 {
		t.Errorf("rows by kind: %v", kinds)
	}
	wantIn(t, latro(t, exitDone, "data", "inspect", filepath.Join(dir, "metrics.arrow")).out, "policy_loss")
	latro(t, exitInput, "data", "inspect", filepath.Join(dir, "nosuch"))
	latro(t, exitInput, "data", "inspect", t.TempDir())
	latro(t, exitInput, "data", "inspect", "main.go")
}

func TestDataVerify(t *testing.T) {
	dir := learned(t)
	wantIn(t, latro(t, exitDone, "data", "verify", dir).out, "files 9 ", "damaged 0 missing 0")
	var reports []datasets.Report
	latroJSON(t, &reports, "data", "verify", dir)
	if len(reports) != 9 {
		t.Errorf("%d reports", len(reports))
	}
	shards := glob(t, dir, "shards", "*.games.arrow")

	// One game with another result than its moves give, in a file that is otherwise sound: the engine finds
	// it, and so does the manifest, which is looked for beside and above a single file too.
	games, err := datasets.ReadGames(shards[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(shards[0])
	if err != nil {
		t.Fatal(err)
	}
	meta := map[string]string{datasets.MetaRuleset: games[0].Ruleset, datasets.MetaRulesetHash: games[0].RulesetHash}
	games[0].Outcome, games[0].EndReason = datasets.Win1, "blocked"
	if _, err := datasets.WriteGames(shards[0], games, meta); err != nil {
		t.Fatal(err)
	}
	o := latro(t, exitInput, "data", "verify", shards[0])
	wantIn(t, o.out, "damaged 1 missing 0")
	wantIn(t, o.err, "recorded is the outcome win1", "the manifest says SHA-256", "1 of 1 files have problems")

	// An action that is not legal: the same man put down twice.
	games[0].Moves[1] = games[0].Moves[0]
	if _, err := datasets.WriteGames(shards[0], games, meta); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "data", "verify", shards[0]).err, "ply 2 of")

	if err := os.WriteFile(shards[0], whole, 0o644); err != nil {
		t.Fatal(err)
	}
	latro(t, exitDone, "data", "verify", shards[0])
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, []byte(strings.Replace(string(text), `"kind": "game"`, `"kind": "sample"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "data", "verify", shards[0]).err, "of kind sample, they are of kind game")
	if err := os.WriteFile(manifest, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(shards[1]); err != nil {
		t.Fatal(err)
	}
	o = latro(t, exitInput, "data", "verify", dir)
	wantIn(t, o.out, "damaged 0 missing 1")
	wantIn(t, o.err, filepath.Base(shards[1]), "gone")
}

// TestDataVerifyWithoutRules: data outlive the ruleset file they were made with; that is said, and is no fault.
func TestDataVerifyWithoutRules(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "mine.yaml")
	text := latro(t, exitDone, append([]string{"rules", "show", "bell-8x7", "--yaml"}, small...)...).out
	if err := os.WriteFile(rules, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	latro(t, exitDone, "selfplay", dir, "--ruleset", rules, "--net", "1x16", "--games", "2", "--simulations", "2", "--max-plies", "10")
	latro(t, exitDone, "data", "verify", dir)
	if err := os.Remove(rules); err != nil {
		t.Fatal(err)
	}
	o := latro(t, exitDone, "data", "verify", dir)
	wantIn(t, o.out, "damaged 0 missing 0")
	wantIn(t, o.err, "games not played again", "mine.yaml")
}

func TestDataExport(t *testing.T) {
	dir := learned(t)
	for _, f := range []struct {
		path, column string
		rows         int
	}{
		{glob(t, dir, "shards", "*.games.arrow")[0], "outcome", 2},
		{glob(t, dir, "shards", "*.samples.arrow")[0], "root_value", -1},
		{filepath.Join(dir, "metrics.arrow"), "step", -1},
	} {
		rows, err := csv.NewReader(strings.NewReader(latro(t, exitDone, "data", "export", f.path).out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		n := len(rows) - 1
		if n < 1 || f.rows > 0 && n != f.rows {
			t.Errorf("%s: %d rows", f.path, n)
		}
		wantIn(t, strings.Join(rows[0], " "), f.column)

		var objects int
		for dec := json.NewDecoder(strings.NewReader(latro(t, exitDone, "data", "export", f.path, "--format", "json").out)); ; objects++ {
			var row map[string]any
			if err := dec.Decode(&row); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if _, ok := row[f.column]; !ok {
				t.Errorf("%s: no column %s in %v", f.path, f.column, keys(row))
			}
		}
		if objects != n {
			t.Errorf("%s: %d rows of JSON, %d of CSV", f.path, objects, n)
		}

		out := filepath.Join(t.TempDir(), "rows.parquet")
		o := latro(t, exitDone, "data", "export", f.path, "-f", "parquet", "-o", out)
		if o.out != "" {
			t.Errorf("standard output has %q", o.out)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		p, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if p.NumRows() != int64(n) {
			t.Errorf("%s: %d rows of Parquet, %d of CSV", f.path, p.NumRows(), n)
		}
		p.Close()
	}

	games := glob(t, dir, "shards", "*.games.arrow")[0]
	if out := latro(t, exitDone, "data", "export", games, "--columns", "plies,outcome").out; !strings.HasPrefix(out, "plies,outcome\n") {
		t.Errorf("chosen columns give\n%s", out)
	}
	file := filepath.Join(t.TempDir(), "games.csv")
	latro(t, exitDone, "data", "export", games, "--out", file)
	if data, err := os.ReadFile(file); err != nil || string(data) != latro(t, exitDone, "data", "export", games).out {
		t.Errorf("the file differs from standard output (%v)", err)
	}
	for _, args := range [][]string{
		{games, "--format", "parquet"},
		{games, "--format", "parquet", "--out", file, "--columns", "plies"},
		{games, "--columns", "nosuch"},
		{games, "--out", filepath.Join(dir, "nosuch", "games.csv")},
		{"nosuch.arrow"}, {"main.go"}, {dir},
	} {
		latro(t, exitInput, append([]string{"data", "export"}, args...)...)
	}
}
