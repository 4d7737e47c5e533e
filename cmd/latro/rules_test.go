package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// oracleFile is the path of recorded games or counts of the package env/oracle.
func oracleFile(name string) string {
	return filepath.Join("..", "..", "env", "oracle", "testdata", name+".jsonl.gz")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestRulesList(t *testing.T) {
	var all []listedRuleset
	latroJSON(t, &all, "rules", "list")
	if len(all) != len(rules.Catalogue()) {
		t.Fatalf("%d rulesets listed, the catalogue has %d", len(all), len(rules.Catalogue()))
	}
	text := latro(t, exitDone, "rules", "list").out
	seen := map[string]bool{}
	for i, l := range all {
		// The reconstructions, then the boards of the tables, each by their ids.
		table := l.ID[0] <= '9'
		if i > 0 && table == (all[i-1].ID[0] <= '9') && all[i-1].ID >= l.ID || !table && seen["table"] {
			t.Errorf("%s stands after %s", l.ID, all[i-1].ID)
		}
		seen["table"] = seen["table"] || table
		if !slices.Contains(rules.Catalogue(), l.ID) || l.Name == "" || l.Rows < 3 || l.Men < 1 || l.Summary == "" || len(l.Hash) != 64 || l.Readings == nil {
			t.Errorf("listed as %+v", l)
		}
		wantIn(t, text, l.ID, fmt.Sprintf("%d×%d", l.Rows, l.Cols))
	}
}

func TestRulesShow(t *testing.T) {
	o := latro(t, exitDone, "rules", "show", "bell-8x7")
	wantIn(t, o.out, "Bell", "16 men")
	if p := latro(t, exitDone, "rules", "show", "bell-8x7", "--parameters").out; !strings.Contains(p, "capture.corner") {
		t.Error("--parameters shows no parameters")
	}
	wantIn(t, latro(t, exitDone, "rules", "show", "bell-8x7", "--markdown").out, "# ")

	var v struct {
		ID, Ref, Hash, Summary string
		Parameters             map[string]string
		Readings               []rules.Reading
		Sources                []any
	}
	latroJSON(t, &v, "rules", "show", "bell-8x7", "--set", "capture.corner=neutral")
	if v.ID != "bell-8x7" || v.Ref != "bell-8x7+capture.corner=neutral" || v.Parameters["capture.corner"] != "neutral" || len(v.Sources) == 0 {
		t.Errorf("shown as %+v", v)
	}
	if len(v.Parameters) != len(rules.ParamNames()) {
		t.Errorf("%d parameters shown of %d", len(v.Parameters), len(rules.ParamNames()))
	}
}

// TestRulesYAML takes the file that show --yaml writes through check and back.
func TestRulesYAML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	text := latro(t, exitDone, "rules", "show", "bell-8x7@ludii", "--set", "end.no_capture_limit=60", "--yaml").out
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	wantIn(t, latro(t, exitDone, "rules", "check", file).out, "sound")
	var a, b struct{ Hash string }
	latroJSON(t, &a, "rules", "show", "bell-8x7@ludii", "--set", "end.no_capture_limit=60")
	latroJSON(t, &b, "rules", "show", file)
	if a.Hash != b.Hash {
		t.Error("the written file has other rules")
	}
}

func TestRulesDiff(t *testing.T) {
	var diff []rules.Difference
	latroJSON(t, &diff, "rules", "diff", "bell-8x7", "webdux")
	text := latro(t, exitDone, "rules", "diff", "bell-8x7", "webdux").out
	if len(diff) == 0 {
		t.Fatal("no differences")
	}
	for _, d := range diff {
		if d.A == d.B {
			t.Errorf("%s does not differ", d.Name)
		}
		wantIn(t, text, d.Name)
	}
	latroJSON(t, &diff, "rules", "diff", "webdux", "webdux")
	if len(diff) != 0 {
		t.Errorf("a ruleset differs from itself: %v", diff)
	}
	wantIn(t, latro(t, exitDone, "rules", "diff", "webdux", "webdux").out, "are played alike")
}

func TestRulesCheck(t *testing.T) {
	example := filepath.Join("..", "..", "docs", "examples", "seven-squares.yaml")
	wantIn(t, latro(t, exitDone, "rules", "check", example, "bell-8x7").out, "seven-squares", "bell-8x7: sound")
	// A mistake in one of several files is told, and the others are still checked.
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("id: bad\nbord: {rows: 8}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := latro(t, exitInput, "rules", "check", bad, "webdux")
	wantIn(t, o.out, "webdux: sound")
	wantIn(t, o.err, "bad.yaml:2", "bord")
}

// TestRulesNew begins a file, finds it sound and equal, and never replaces one unasked.
func TestRulesNew(t *testing.T) {
	t.Chdir(t.TempDir())
	out := latro(t, exitDone, "rules", "new", "--from", "bell-8x8").out
	wantIn(t, out, "latro rules check my-bell-8x8.yaml", "latro rules diff bell-8x8 my-bell-8x8.yaml", "latro play my-bell-8x8.yaml")
	wantIn(t, latro(t, exitDone, "rules", "check", "my-bell-8x8.yaml", "--strict").out, "sound")
	wantIn(t, latro(t, exitDone, "rules", "diff", "bell-8x8", "my-bell-8x8.yaml").out, "played alike")

	o := latro(t, exitInput, "rules", "new", "--from", "webdux", "--out", "my-bell-8x8.yaml")
	wantIn(t, o.err, "exists already", "--force")
	wantIn(t, latro(t, exitDone, "rules", "diff", "bell-8x8", "my-bell-8x8.yaml").out, "played alike")
	latro(t, exitDone, "rules", "new", "--from", "webdux", "--out", "my-bell-8x8.yaml", "--force")
	wantIn(t, latro(t, exitDone, "rules", "diff", "webdux", "my-bell-8x8.yaml").out, "played alike")

	var v struct {
		File, ID, From, Hash string
		Next                 []string
	}
	latroJSON(t, &v, "rules", "new", "--from", "seega-classic-7x7", "--id", "seega-9x9", "--name", "Tisawi", "--out", "nine.yaml",
		"--set", "board.rows=9", "--set", "board.cols=9", "--set", "pieces.men=40")
	r, err := rules.Open(v.File)
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != "seega-9x9" || r.Name != "Tisawi" || r.Hash() != v.Hash || r.Params.Board.Rows != 9 || len(v.Next) == 0 || v.ID != r.ID {
		t.Errorf("%+v; the file has %s, %s, %d rows", v, r.ID, r.Name, r.Params.Board.Rows)
	}
	// To standard output, and from a file.
	text := latro(t, exitDone, "rules", "new", "--from", "nine.yaml", "--out", "-").out
	if again, err := rules.Parse("out.yaml", []byte(text)); err != nil || again.Hash() != v.Hash || again.ID != "my-seega-9x9" {
		t.Errorf("what was written to standard output: %v", err)
	}
	for _, args := range [][]string{
		{}, {"--from", "nosuch"}, {"--from", "bell-8x8@nosuch"}, {"--from", "bell-8x8", "--id", "Not An Id"},
		{"--from", "bell-8x8", "--set", "capture.edge=soft"}, {"--from", "bell-8x8", "--out", "game.txt"},
		{"--from", "bell-8x8", "--out", "-", "--json"}, {"--from", "bell-8x8", "--out", "no/such/folder/x.yaml"},
	} {
		latro(t, exitInput, append([]string{"rules", "new"}, args...)...)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files are left, want 2 (%v)", len(entries), err)
	}
}

// TestRulesCheckReport: every mistake and remark with its place, as text and as JSON, and --strict.
func TestRulesCheckReport(t *testing.T) {
	t.Chdir(t.TempDir())
	good := latro(t, exitDone, "rules", "new", "--from", "museum-quintana", "--id", "good", "--out", "-").out
	loose := strings.Replace(good, "  bonus.after: {", "  # bonus.after: {", 1)
	for name, text := range map[string]string{
		"good.yaml": good, "loose.yaml": loose,
		"bad.yaml": "id: bad\nname: Bad\nsources: [{id: me, title: T}]\nboard: {rows: 8, cols: 8}\npieces: {men: 40}\nmovement: {men: {range: stepp}}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out := latro(t, exitDone, "rules", "check", "good.yaml", "--strict").out; strings.Contains(out, "remark") {
		t.Errorf("a sound file is remarked on: %s", out)
	}
	wantIn(t, latro(t, exitDone, "rules", "check", "loose.yaml").out, "sound", "one parameter has no provenance", "bonus.after")
	wantIn(t, latro(t, exitInput, "rules", "check", "loose.yaml", "--strict").err, "--strict")

	o := latro(t, exitInput, "rules", "check", "--json", "bad.yaml", "good.yaml", "loose.yaml", "nosuch.yaml", "good.yaml@nosuch")
	var v struct{ Rulesets []checkedRuleset }
	if err := json.Unmarshal([]byte(o.out), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Rulesets) != 5 {
		t.Fatalf("%d rulesets in\n%s", len(v.Rulesets), o.out)
	}
	bad := v.Rulesets[0]
	if bad.Sound || len(bad.Mistakes) != 1 || bad.Mistakes[0].Line != 6 || bad.Mistakes[0].Param != "movement.men.range" || !strings.Contains(bad.Mistakes[0].Hint, `"step"`) {
		t.Errorf("%+v", bad)
	}
	if x := v.Rulesets[1]; !x.Sound || x.ID != "good" || len(x.Hash) != 64 || len(x.Readings) == 0 || len(x.Remarks) != 0 {
		t.Errorf("%+v", x)
	}
	if x := v.Rulesets[2]; !x.Sound || len(x.Remarks) != 1 || x.Remarks[0].About != "provenance" || fmt.Sprint(x.Remarks[0].Names) != "[bonus.after]" {
		t.Errorf("%+v", x)
	}
	if x := v.Rulesets[3]; x.Sound || len(x.Mistakes) != 1 {
		t.Errorf("%+v", x)
	}
	if x := v.Rulesets[4]; x.Sound || !strings.Contains(x.Mistakes[0].Hint, "ludii") {
		t.Errorf("%+v", x)
	}
}

// TestPerft: on an empty board of 56 squares a man can be put on any of them, then the next on any of the
// others (Bell's players put down two men in turn).
func TestPerft(t *testing.T) {
	if out := latro(t, exitDone, "rules", "perft", "bell-8x7", "--depth", "3").out; out != "1 56\n2 3080\n3 166320\n" {
		t.Errorf("counts are\n%s", out)
	}
	var v struct {
		Ruleset, Position string
		Perft             []uint64
	}
	latroJSON(t, &v, "rules", "perft", "bell-8x7", "--reading", "ludii", "--depth", "2")
	if v.Ruleset != "bell-8x7@ludii" || len(v.Perft) != 2 || v.Perft[0] != 56 {
		t.Errorf("counts are %+v", v)
	}
	// The position of the answer can be counted from again.
	var again struct{ Perft []uint64 }
	latroJSON(t, &again, "rules", "perft", "bell-8x7@ludii", "--depth", "2", "--position", v.Position)
	if fmt.Sprint(again.Perft) != fmt.Sprint(v.Perft) {
		t.Errorf("from %q the counts are %v, from the start %v", v.Position, again.Perft, v.Perft)
	}
	for _, args := range [][]string{
		{"bell-8x7", "webdux"}, {"bell-8x7", "--depth", "0"}, {"nosuch"}, {"bell-8x7", "--reading", "nosuch"}, {"bell-8x7@ludii", "--reading", "superko"},
		{"bell-8x7", "--position", "8/8"}, {"--check", "nosuch.jsonl"},
	} {
		latro(t, exitInput, append([]string{"rules", "perft"}, args...)...)
	}
}

func TestPerftCheck(t *testing.T) {
	o := latro(t, exitDone, "rules", "perft", "--check", oracleFile("luductus.perft"), oracleFile("webdux.perft"))
	if !regexp.MustCompile(`^positions [1-9]\d* mismatches 0$`).MatchString(lastLine(o.out)) {
		t.Errorf("last line %q", lastLine(o.out))
	}
	// One count raised by one is one mismatch.
	file := filepath.Join(t.TempDir(), "luductus.perft.jsonl")
	raised := false
	writeChanged(t, oracleFile("luductus.perft"), file, func(line map[string]any) {
		if counts := line["perft"].([]any); !raised {
			counts[0] = counts[0].(float64) + 1
			raised = true
		}
	})
	o = latro(t, exitFailed, "rules", "perft", "--check", file)
	if !regexp.MustCompile(`^positions [1-9]\d* mismatches 1$`).MatchString(lastLine(o.out)) {
		t.Errorf("last line %q", lastLine(o.out))
	}
}

// writeChanged copies a file of JSON lines, each changed.
func writeChanged(t *testing.T, from, to string, change func(map[string]any)) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	dec, enc := json.NewDecoder(z), json.NewEncoder(&out)
	for {
		var line map[string]any
		if err := dec.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		change(line)
		if err := enc.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReplay(t *testing.T) {
	var files []string
	for _, name := range []string{"luductus.games", "webdux.games", "bell-8x7.games", "bell-8x7-default.games"} {
		files = append(files, oracleFile(name))
	}
	o := latro(t, exitDone, append([]string{"rules", "replay", "--format", "oracle"}, files...)...)
	if !regexp.MustCompile(`^games [1-9]\d* plies [1-9]\d* mismatches 0$`).MatchString(lastLine(o.out)) {
		t.Errorf("last line %q", lastLine(o.out))
	}
	one := latro(t, exitDone, "rules", "replay", "--games", "1", files[0])
	if !strings.HasPrefix(lastLine(one.out), "games 1 plies ") {
		t.Errorf("last line %q", lastLine(one.out))
	}
	// The same games by other rules do not agree, and --ruleset and --reading say by which.
	wantIn(t, latro(t, exitFailed, "rules", "replay", "--ruleset", "bell-8x7", "--reading", "bonus-must-capture", files[2]).out, "the first:")
	wantIn(t, latro(t, exitInput, "rules", "replay", "--ruleset", "luductus", files[1]).err, "the file has boards of 8 by 12")
	for _, args := range [][]string{{"nosuch.jsonl"}, {"--ruleset", "nosuch", files[0]}, {"--reading", "nosuch", files[0]}, {"--games=-1", files[0]}, {"main.go"}} {
		o := latro(t, exitInput, append([]string{"rules", "replay"}, args...)...)
		if strings.Contains(o.out, "mismatches") {
			t.Errorf("%v: a file that cannot be replayed gives a count: %s", args, o.out)
		}
	}
}

// TestReplaySkipsKnownBugs: a whole folder of recordings can be given; the three that no reading can play are named and left
// out, unless the user says by which reading.
func TestReplaySkipsKnownBugs(t *testing.T) {
	data, err := os.ReadFile(oracleFile("bell-8x7.games"))
	if err != nil {
		t.Fatal(err)
	}
	buggy := filepath.Join(t.TempDir(), "schadler-1994.games.jsonl.gz")
	if err := os.WriteFile(buggy, data, 0o644); err != nil {
		t.Fatal(err)
	}
	o := latro(t, exitDone, "rules", "replay", buggy, oracleFile("webdux.games"))
	wantIn(t, o.out, "schadler-1994.games.jsonl.gz: skipped", "schadler-1994-fixed")
	if !strings.HasSuffix(lastLine(o.out), "mismatches 0") || strings.HasPrefix(lastLine(o.out), "games 0 ") {
		t.Errorf("last line %q", lastLine(o.out))
	}
	if o := latro(t, exitDone, "rules", "replay", "--reading", "ludii", buggy); strings.Contains(o.out, "skipped") {
		t.Errorf("skipped although its reading was named: %s", o.out)
	}
}

// TestReplayTampered changes one square of one recorded board: that is found, and shown.
func TestReplayTampered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "luductus.games.jsonl")
	plies := 0
	writeChanged(t, oracleFile("luductus.games"), file, func(line map[string]any) {
		if line["t"] != "ply" {
			return
		}
		if plies++; plies == 10 {
			b := []byte(line["b"].(string))
			b[bytes.IndexByte(b, '.')] = 'a'
			line["b"] = string(b)
		}
	})
	o := latro(t, exitFailed, "rules", "replay", file)
	if !regexp.MustCompile(`^games \d+ plies \d+ mismatches [1-9]\d*$`).MatchString(lastLine(o.out)) {
		t.Errorf("last line %q", lastLine(o.out))
	}
	// Two boards side by side, the square that differs marked in both.
	wantIn(t, o.out, "luductus.games.jsonl", "the first", "ply 10")
	if !regexp.MustCompile(`(?m)^\s+recorded\s+by the rules$`).MatchString(o.out) || !regexp.MustCompile(`a\*.*\.\*`).MatchString(o.out) {
		t.Errorf("no two boards in\n%s", o.out)
	}
	wantIn(t, o.err, "mismatch")
}
