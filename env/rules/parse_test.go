package rules_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

var update = flag.Bool("update", false, "rewrite golden files and generated pages")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./env/rules -update writes it)", err)
	}
	if string(want) != string(got) {
		a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		for i := range max(len(a), len(b)) {
			var x, y string
			if i < len(a) {
				x = a[i]
			}
			if i < len(b) {
				y = b[i]
			}
			if x != y {
				t.Fatalf("%s is stale at line %d (go test ./env/rules -update rewrites it):\nfile: %s\nnow:  %s", path, i+1, x, y)
			}
		}
	}
}

func minimal(t testing.TB) string {
	data, err := os.ReadFile("testdata/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every kind of mistake gives a message that names the place, the key and what would be valid; the golden
// file is what a user reads.
func TestMistakeMessages(t *testing.T) {
	base := minimal(t)
	if _, err := rules.Parse("minimal.yaml", []byte(base)); err != nil {
		t.Fatal(err)
	}
	edits := []struct{ name, old, new string }{
		{"unknown key at the top", "pieces:", "peices: {}\npieces:"},
		{"unknown key far from any", "pieces:", "wibble: 3\npieces:"},
		{"unknown parameter, misspelt", "range: step", "rnage: step"},
		{"unknown parameter, wrong section", "men: {range: step}", "men: {range: step}\n  effect: bind"},
		{"parameter doubled", "rows: 5,", "rows: 5, rows: 6,"},
		{"section doubled", "pieces:", "board: {}\npieces:"},
		{"word misspelt", "range: step", "range: slid"},
		{"word for a number", "rows: 5", "rows: five"},
		{"number out of range", "rows: 5", "rows: 17"},
		{"fraction for a number", "rows: 5", "rows: 5.5"},
		{"number too long", "rows: 5", "rows: 99999999999999999999999"},
		{"not a truth value", "range: step", "range: step, hop_chain: yes"},
		{"list expected", "range: step", "range: step, hop_over: own-free"},
		{"value expected", "range: step", "range: [step]"},
		{"group expected", "board: {rows: 5, cols: 5}", "board: 5"},
		{"group empty", "board: {rows: 5, cols: 5}", "board:"},
		{"no value", "range: step", "range:"},
		{"word of a list misspelt", "range: step", "range: step, hop_over: [own-fre]"},
		{"word of a list doubled", "range: step", "range: step, hop_directions: all, hop_over: [own-free, own-free]"},
		{"square outside", "pieces:", "capture: {immune: [f6]}\npieces:"},
		{"not a square", "pieces:", "capture: {immune: [middle]}\npieces:"},
		{"square named twice", "pieces:", "capture: {immune: [centre, c3]}\npieces:"},
		{"required missing", "men: {range: step}", "undo: allowed"},
		{"id missing", "id: minimal\n", ""},
		{"id malformed", "id: minimal", "id: My Game"},
		{"name empty", "name: Minimal", "name: ''"},
		{"sources missing", "sources:\n  - {id: me, title: A test}\n", ""},
		{"source without title", "title: A test", "author: A"},
		{"source key unknown", "title: A test", "titel: A test"},
		{"provenance of nothing", "provenance:\n  board:", "provenance:\n  bord:"},
		{"provenance without source", ", source: me}", "}"},
		{"provenance source unknown", "source: me}", "source: you}"},
		{"certainty misspelt", "certainty: attested", "certainty: atested"},
		{"reading sets nothing", "    set: {end.no_capture_limit: 60, end.no_capture_result: draw}\n", ""},
		{"reading sets an unknown parameter", "end.no_capture_limit: 60", "end.no_capture: 60"},
		{"reading sets a bad value", "end.no_capture_limit: 60", "end.no_capture_limit: -1"},
		{"reading is impossible", ", end.no_capture_result: draw", ""},
		{"reading without note", "    note: A limit.\n", ""},
		{"reading with a bad ambiguity", "A20", "A99"},
		{"reading called default", "  sixty:", "  default:"},
		{"more men than squares", "men: 5", "men: 13"},
		{"more men than the zone holds", "pieces: {men: 5}", "pieces: {men: 6}\nsetup: {zone: own-rows, zone_rows: 1}"},
		{"zones overlap", "pieces:", "setup: {zone: own-rows, zone_rows: 3}\npieces:"},
		{"hop over bound without binding", "range: step", "range: step, hop_directions: all, hop_over: [enemy-bound]"},
		{"hop without direction", "range: step", "range: step, hop_over: [own-free]"},
		{"own men named twice", "range: step", "range: step, hop_directions: all, hop_over: [own-free, own-men]"},
		{"nobody moves", "range: step", "range: none"},
		{"leader without rules", "pieces: {men: 5}", "pieces: {men: 5, leaders: 1}"},
		{"leader's rules without leader", "movement:", "capture: {leader: as-man}\nmovement:"},
		{"binding with everything", "movement:", "capture: {effect: bind, line: row, edge: hostile, corner: hostile, moving_between: taken, immune: [c3]}\nbonus: {after: capture, piece: same}\nmovement:"},
		{"removal without number", "movement:", "capture: {effect: bind}\nbinding: {removal: before-move}\nmovement:"},
		{"removal of many instead of a move", "movement:", "capture: {effect: bind}\nbinding: {removal: instead-of-move, removal_number: any}\nmovement:"},
		{"all go but need not", "movement:", "capture: {effect: bind}\nbinding: {removal: before-move, removal_number: all}\nmovement:"},
		{"bonus with chains", "range: step", "range: step, hop_over: [own-free], hop_directions: all, hop_chain: true}\nbonus: {after: capture, piece: same"},
		{"array too short", "pieces:", "setup: {kind: array, array: ['a.a.a', '.a.a.']}\npieces:"},
		{"array with wrong counts", "pieces:", "setup: {kind: array, array: ['bbbb.', '.....', '.....', '.....', 'aaaaaa']}\npieces:"},
		{"array with a strange sign", "pieces:", "setup: {kind: array, array: ['bbbbb', '.....', '..o..', '.....', 'aaaaa']}\npieces:"},
		{"value without effect", "range: step", "range: step}\nend: {no_capture_result: count"},
		{"lost from the start", "men: 5", "men: 1}\nend: {annihilation_at: 1"},
		{"agreement below the start", "pieces:", "setup: {agreement_max: 3}\npieces:"},
		{"not YAML", "board: {rows", "board: {{rows"},
		{"tab for indentation", "  men: {range", "\tmen: {range"},
		{"alias", "pieces: {men: 5}", "pieces: &p {men: 5}"},
		{"tag", "men: 5", "men: !!int 5"},
		{"unprintable text", "name: Minimal", "name: \"a\\e[2Jb\""},
		{"unprintable key", "pieces:", "\"a\\e[2J\": 1\npieces:"},
		{"two documents", "pieces:", "---\npieces:"},
		{"several mistakes", "board: {rows: 5, cols: 5}\npieces: {men: 5}", "board: {rows: 2, cols: 99, depth: 3}\npieces: {men: 500}"},
	}
	var b strings.Builder
	for _, e := range edits {
		text := strings.Replace(base, e.old, e.new, 1)
		if text == base {
			t.Errorf("%s: the edit changes nothing", e.name)
			continue
		}
		_, err := rules.Parse("game.yaml", []byte(text))
		if err == nil {
			t.Errorf("%s: accepted", e.name)
			continue
		}
		if !errors.Is(err, rules.ErrInvalid) {
			t.Errorf("%s: the error is not ErrInvalid", e.name)
		}
		var all *rules.Errors
		if !errors.As(err, &all) {
			t.Errorf("%s: not an *Errors", e.name)
			continue
		}
		for _, p := range all.Problems {
			if p.File != "game.yaml" || p.Line < 1 || p.Column < 1 {
				t.Errorf("%s: no place in %v", e.name, p)
			}
		}
		fmt.Fprintf(&b, "## %s\n%v\n\n", e.name, err)
	}
	golden(t, "testdata/mistakes.golden", []byte(b.String()))
}

// References with mistakes say what would be right.
func TestOpenMessages(t *testing.T) {
	var b strings.Builder
	for _, ref := range []string{"", "bell", "bell8x7", "bell-8x7@", "bell-8x7@ludi", "no/such/file.yaml", "testdata",
		"testdata/", "bell-8x7+end.tie=white", "bell-8x7+end.ties=draw", "bell-8x7+capture.bonus=none", "bell-8x7+capture.effect=bind",
		"bell-8x7+setup.zone=own-rows+setup.zone_rows=1", "bell-8x7+bonus.after=none+bonus.piece=any"} {
		r, err := rules.Open(ref)
		if err == nil {
			t.Errorf("%q opens %s", ref, r.ID)
			continue
		}
		if !errors.Is(err, rules.ErrInvalid) {
			t.Errorf("%q: the error is not ErrInvalid", ref)
		}
		fmt.Fprintf(&b, "## %s\n%v\n\n", ref, err)
	}
	golden(t, "testdata/open.golden", []byte(b.String()))
	if _, err := rules.Open("no/such/file.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file is not fs.ErrNotExist: %v", err)
	}
}

// A file that is large, deep or malicious is refused at once and in words.
func TestHostileFiles(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	deep := ""
	for i := range 500 {
		deep += many(" ", i) + "a:\n"
	}
	files := map[string]string{
		"too large":       many("# comment\n", 30000),
		"one long line":   "id: " + many("x", 100_000),
		"brackets":        many("[", 50_000),
		"braces":          many("{a: ", 2_000),
		"broken brackets": many("[\n", 50_000),
		"dashes":          many("- ", 1_000) + "x",
		"questions":       many("? ", 1_000) + "x",
		"deep mapping":    deep,
		"alias bomb":      bomb,
		"merge":           "a: &a {x: 1}\nb:\n  <<: *a\n",
		"zero bytes":      "id: \x00\x00",
		"not UTF-8":       "id: \xff\xfe\nname: \xff",
		"binary":          many("\x7fELF\x01\x02", 1000),
		"empty":           "",
		"comments only":   "# nothing\n",
		"a list":          "- 1\n- 2\n",
		"a scalar":        "hello",
		"many keys":       manyKeys(9_000),
		"many mistakes":   "sources:\n" + many("  - {id: A}\n", 9_000),
		"quotes":          `id: "` + many(`\"`, 1900),
		"anchors":         many("&a ", 1300),
		"tags":            many("!", 4000),
		"colons":          many(": ", 2000),
		"literal":         "id: |\n" + many("  x\n", 50_000),
		"carriage":        many("a:\r", 50_000),
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		_, err := rules.Parse("hostile.yaml", []byte(files[name]))
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if !errors.Is(err, rules.ErrInvalid) || len(err.Error()) > 200_000 {
			t.Errorf("%s: a report of %d bytes, ErrInvalid %v", name, len(err.Error()), errors.Is(err, rules.ErrInvalid))
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: %d\n", i, i)
	}
	return b.String()
}

// Whatever bytes come, Parse returns rules that hold or an error that says why not, and the rules that it
// returns survive being written as overrides.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal(f)))
	for _, id := range []string{"bell-8x7", "locus-ludi-seneca", "luductus", "webdux"} {
		data, err := os.ReadFile("catalogue/" + id + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := rules.Parse("fuzz.yaml", data)
		if err != nil {
			if !errors.Is(err, rules.ErrInvalid) {
				t.Fatalf("not ErrInvalid: %v", err)
			}
			return
		}
		if problems := r.Params.Validate(); len(problems) > 0 {
			t.Fatalf("accepted although %v", problems)
		}
		q := rules.Neutral()
		for _, name := range rules.ParamNames() {
			v, err := r.Params.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := q.Set(name, v); err != nil {
				t.Fatalf("%s: Set refuses what Get gave: %v", name, err)
			}
		}
		if q.Hash() != r.Hash() {
			t.Fatal("Get and Set change the rules")
		}
		for _, reading := range r.Readings {
			if _, err := r.WithReading(reading.Name); err != nil {
				t.Fatalf("reading %s of an accepted file: %v", reading.Name, err)
			}
		}
		if err := r.RenderMarkdown(discard{}); err != nil {
			t.Fatal(err)
		}
	})
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// TestManyKeys: the YAML parser's time grows with the square of the keys of a group, so their number is bounded; and what
// is wrong beyond the report is only counted.
func TestManyKeys(t *testing.T) {
	keys := func(n int) []byte {
		var b strings.Builder
		b.WriteString(minimal(t))
		for i := range n {
			fmt.Fprintf(&b, "u%d: 1\n", i)
		}
		return []byte(b.String())
	}
	_, err := rules.Parse("x.yaml", keys(20000))
	var all *rules.Errors
	if !errors.As(err, &all) || len(all.Problems) != 1 || !strings.Contains(err.Error(), "too many lines") {
		t.Errorf("20,000 keys: %.300v", err)
	}
	if _, err = rules.Parse("x.yaml", keys(1000)); err == nil || !strings.Contains(err.Error(), "and 900 more mistakes") {
		t.Errorf("1,000 keys: %.300v", err)
	}
	// Lists of sources are long and hints are not.
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "  - {id: s%d, title: X}\n", i)
	}
	text := minimal(t)
	at := strings.Index(text, "sources:\n") + len("sources:\n")
	text = strings.Replace(text[:at]+b.String()+text[at:], "source: me}", "source: none}", 1)
	if _, err = rules.Parse("x.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "s19, …") {
		t.Errorf("sources: %.300v", err)
	}
}
