package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"latro/experiments/wear"
)

const inventedMap = "../../docs/examples/wear-invented.csv"

// tinyWear is a comparison of seconds.
func tinyWear(dir string, more ...string) []string {
	return append([]string{"experiment", "wear", "--map", inventedMap, "--rulesets", "bell-8x7", "--agent", "greedy", "--games", "4", "--cap", "40", "--draws", "99", "--out", dir}, more...)
}

func TestExperimentWear(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	o := latro(t, exitDone, tinyWear(dir, "--workers", "1")...)
	wantIn(t, o.out, "- Bell 8x7 (greedy): ", "Holm over 1 ruleset", "Random play by the same rules", "cannot be right", "shuffled wear", "The map is invented", "report "+filepath.Join(dir, "wear.html"))
	first := bytesBelow(t, dir)
	for _, name := range []string{"wear.html", "wear.json", "wear.csv", "wear-cells.csv", "map.csv", "wear-plan.json", "squares.csv", "edges.csv", "report.html", "design.json", "manifest.json", "figures/wear-distances.svg", "figures/wear-boards.png"} {
		if _, ok := first[name]; !ok {
			t.Errorf("%s was not written", name)
		}
	}
	if page := first["wear.html"]; !strings.Contains(page, "This map is invented") || strings.Contains(page, "<script") || strings.Contains(page, "http://") {
		t.Error("the page does not say that the map is invented, or it is not complete in itself")
	}
	// Every control has its row.
	for _, kind := range []string{"ruleset,bell-8x7", "random play,bell-8x7", "impossible rules,impossible", "no game,,even traffic"} {
		if !strings.Contains(first["wear.csv"], "\n"+kind) {
			t.Errorf("wear.csv has no row %s", kind)
		}
	}

	// The same again changes nothing, on other cores and as JSON too; the result is rebuilt byte by byte.
	var a wear.Analysis
	latroJSON(t, &a, tinyWear(dir, "--workers", "2")...)
	if !a.Complete || !a.Invented || a.Missing != 4 || len(a.Predictions) != 5 || a.Predictions[0].Verdict == "" || a.Shuffled.Maps == 0 {
		t.Errorf("%+v", a)
	}
	sameBytes(t, "again", bytesBelow(t, dir), first)
	wantIn(t, latro(t, exitDone, "experiment", "repro", dir, "--replay", "3").out, " 0 differences", "3 games played again")

	// A directory is for one comparison.
	wantIn(t, latro(t, exitInput, tinyWear(dir, "--distance", "hellinger")...).err, "--out: "+dir+" holds another comparison: its distance is jensen-shannon, not hellinger")
	wantIn(t, latro(t, exitInput, tinyWear(dir, "--cap", "41")...).err, "another design")
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte(strings.Replace(first["map.csv"], "1,1,4\n", "1,1,5\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, tinyWear(dir, "--map", other)...).err, "holds another comparison: its map")
	sameBytes(t, "after the refusals", bytesBelow(t, dir), first)

	// A page that somebody edits is noticed, and so is another map in place of the first.
	if err := os.WriteFile(filepath.Join(dir, "wear.csv"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitFailed, "experiment", "repro", dir).out, "wear.csv: byte 0 is")
	if err := os.WriteFile(filepath.Join(dir, "map.csv"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitInput, "experiment", "repro", dir).err, "map.csv")
}

// TestExperimentWearInput: a mistake is named, and nothing is written.
func TestExperimentWearInput(t *testing.T) {
	tmp := t.TempDir()
	bad := filepath.Join(tmp, "bad.csv")
	if err := os.WriteFile(bad, []byte("row,col,weight\n1,1,-2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(tmp, "out")
	for _, x := range []struct {
		args []string
		want string
	}{
		{tinyWear(dir, "--map", bad), bad + ":2: weight: "},
		{tinyWear(dir, "--map", filepath.Join(tmp, "none.csv")), "none.csv"},
		{tinyWear(dir, "--rulesets", "bell-8x8"), "--rulesets: bell-8x8 is played on 8 by 8 squares, the map has 8 by 7 (of the catalogue fit: 7x8-kharebga"},
		{tinyWear(dir, "--rulesets", "nosuch"), "nosuch"},
		{tinyWear(dir, "--control", "bell-8x7"), "--control: bell-8x7 is among the rulesets"},
		{tinyWear(dir, "--games", "1"), "--games: is 1"},
		{tinyWear(dir, "--draws", "5"), "--draws: is 5"},
		{tinyWear(dir, "--distance", "metres"), "--distance"},
		{tinyWear(dir, "--agent", "wizard"), "wizard"},
		{tinyWear(dir, "--cap", "0"), "cap"},
	} {
		wantIn(t, latro(t, exitInput, x.args...).err, x.want)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a refused comparison left its directory: %v", err)
	}
}

// TestExperimentWearDefaults: the defaults of the command line are those of the package.
func TestExperimentWearDefaults(t *testing.T) {
	var c cli
	p, err := kong.New(&c, kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse([]string{"experiment", "wear", "--map", "x"}); err != nil {
		t.Fatal(err)
	}
	w := c.Experiment.Wear
	got := wear.Settings{Agent: w.Agent, Games: w.Games, Cap: w.Cap, Seed: w.Seed, Control: w.Control, Distance: wear.Distance(w.Distance), Count: wear.Count(w.Count), Null: wear.Null(w.Null), Draws: w.Draws}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(wear.DefaultSettings())
	if string(a) != string(b) {
		t.Errorf("command line %s, package %s", a, b)
	}
}

// TestWearPage: docs/wear.md shows what its example prints. LATRO_UPDATE=1 writes it there.
func TestWearPage(t *testing.T) {
	const page, begin, end = "../../docs/wear.md", "<!-- latro experiment wear -->\n```\n", "```\n<!-- end -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const command = "latro experiment wear --map docs/examples/wear-invented.csv --agent greedy --games 20 --cap 120"
	wantIn(t, string(text), "\n"+command+"\n")
	before, rest, okBegin := strings.Cut(string(text), begin)
	shown, after, okEnd := strings.Cut(rest, end)
	if !okBegin || !okEnd {
		t.Fatal("docs/wear.md has no place for the output")
	}
	args := strings.Fields(strings.TrimPrefix(command, "latro "))
	for i, a := range args {
		if a == "docs/examples/wear-invented.csv" {
			args[i] = inventedMap
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	out := strings.Replace(latro(t, exitDone, append(args, "--out", dir)...).out, dir, "wear-invented", 1)
	if shown == out {
		return
	}
	if os.Getenv("LATRO_UPDATE") != "1" {
		t.Fatalf("docs/wear.md shows\n%s, the program prints\n%s; LATRO_UPDATE=1 go test ./cmd/latro -run WearPage writes it there", shown, out)
	}
	if err := os.WriteFile(page, []byte(before+begin+out+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
