package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/rules"
)

// Hashes are stored with games and networks: a change here means that the rules of a catalogue entry, or the
// canonical form, changed, and that stored hashes no longer match.
func TestHashes(t *testing.T) {
	var b bytes.Buffer
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", r.Hash(), id)
		for _, x := range r.Readings {
			y, err := r.WithReading(x.Name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s\n", y.Hash(), y.Ref())
		}
	}
	golden(t, "testdata/hashes.golden", b.Bytes())
}

// The canonical form is a version line and then sorted "name = value" lines, one for every parameter, and the
// name, notes, file and way of writing a ruleset do not enter it.
func TestCanonical(t *testing.T) {
	r, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(r.Canonical()), "\n"), "\n")
	// The 63 parameters of the first rules that were stored by their hash; later ones are there when they say something.
	if lines[0] != "latro-rules 1" || len(lines) != 63+1 {
		t.Fatalf("%d lines, first %q", len(lines), lines[0])
	}
	for _, change := range []string{"binding.held_twice=stays", "binding.guard_leaves=stays", "movement.between_bound=ignored"} {
		x, err := rules.Open("schadler-2001", change)
		if err != nil {
			t.Fatal(err)
		}
		if line := "\n" + strings.Replace(change, "=", " = ", 1) + "\n"; !strings.Contains(string(x.Canonical()), line) {
			t.Errorf("with %s the canonical form is\n%s", change, x.Canonical())
		}
	}
	for i := 2; i < len(lines); i++ {
		if lines[i-1] >= lines[i] {
			t.Errorf("%q stands before %q", lines[i-1], lines[i])
		}
	}
	data, err := os.ReadFile("catalogue/bell-8x7.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("id: bell-8x7", "id: other", "name: Bell 8x7", "name: Other",
		"bonus: {after: capture, piece: same, compulsory: false, must_capture: false}", "bonus:\n  piece: same\n  after: capture").Replace(string(data))
	other, err := rules.Parse("other.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if other.Hash() != r.Hash() || other.ID != "other" {
		t.Error("the same rules written otherwise have another hash")
	}
	if len(rules.Diff(r, other)) != 0 {
		t.Error("Diff finds a difference between equal rules")
	}
}

// Overrides reopen by reference, settle what they make meaningless, and leave no trace when they change
// nothing.
func TestOverrides(t *testing.T) {
	for _, c := range []struct{ ref, want string }{
		{"bell-8x7+bonus.after=none", "bell-8x7+bonus.after=none"},
		{"bell-8x7+end.tie=draw", "bell-8x7"},
		{"bell-8x7@default", "bell-8x7"},
		{"bell-8x7@ludii+end.tie=draw+capture.corner=neutral", "bell-8x7@ludii+capture.corner=neutral+end.tie=draw"},
		{"bell-8x7+setup.forbidden=d4,a1", "bell-8x7+setup.forbidden=a1,d4"},
		{"webdux+setup.array=bbbbb/...../...../...../aaaaa+board.rows=5+board.cols=5+pieces.men=5+pieces.leaders=0",
			"webdux+board.rows=5+board.cols=5+pieces.men=5+pieces.leaders=0+setup.array=bbbbb/...../...../...../aaaaa"},
		{"locus-ludi-seneca+movement.men.hop_over=", "locus-ludi-seneca+movement.men.hop_over="},
	} {
		r, err := rules.Open(c.ref)
		if err != nil {
			t.Errorf("%s: %v", c.ref, err)
			continue
		}
		if r.Ref() != c.want {
			t.Errorf("%s: the reference is %s, want %s", c.ref, r.Ref(), c.want)
		}
		again, err := rules.Open(r.Ref())
		if err != nil || again.Hash() != r.Hash() {
			t.Errorf("%s does not reopen: %v", r.Ref(), err)
		}
	}
	r, err := rules.Open("bell-8x7", "bonus.after=none")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := r.Params.Get("bonus.piece"); err != nil || v != "none" {
		t.Errorf("bonus.piece is %q without a bonus", v)
	}
	if p := r.Provenance["bonus.after"]; p.Certainty != rules.Assumed {
		t.Errorf("an overridden parameter is %s", p.Certainty)
	}
	if base, err := rules.Open("bell-8x7"); err != nil || base.Provenance["bonus.after"].Certainty != rules.Attested {
		t.Error("an override changed the catalogue's provenance")
	}
}

// A ruleset from a file names the file in its reference, also when the name holds the signs that references
// use.
func TestFileReference(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"game.yaml", "a@b+c.yaml", "x+end.tie.yaml"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(minimal(t)), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, tail := range []string{"", "@sixty", "@sixty+end.no_capture_limit=70"} {
			r, err := rules.Open(path + tail)
			if err != nil {
				t.Errorf("%s: %v", name+tail, err)
				continue
			}
			if r.Ref() != path+tail {
				t.Errorf("the reference of %s is %s", path+tail, r.Ref())
			}
		}
	}
}

// Params built in code are judged as files are.
func TestValidateParams(t *testing.T) {
	if problems := (rules.Params{}).Validate(); len(problems) < 10 {
		t.Errorf("the zero value has %d problems only", len(problems))
	}
	r, err := rules.Open("falkener")
	if err != nil {
		t.Fatal(err)
	}
	p := r.Params.Clone()
	if problems := p.Validate(); len(problems) > 0 {
		t.Error(problems)
	}
	p.Setup.Array[0] = "bbbbbbbbbbbb"
	if r.Params.Setup.Array[0] == p.Setup.Array[0] {
		t.Error("Clone shares its lists")
	}
	if problems := p.Validate(); len(problems) != 1 || problems[0].Param != "setup.array" {
		t.Errorf("too many men in the array: %v", problems)
	}
	p = r.Params.Clone()
	p.Movement.Men.HopOver = []string{"enemy-free", "own-free"} // not in the fixed order
	if problems := p.Validate(); len(problems) != 1 || problems[0].Param != "movement.men.hop_over" {
		t.Errorf("a list out of order: %v", problems)
	}
}

// What people read is pinned for one ruleset with leaders and a bonus and for one that binds, both with
// everything that Render can show.
func TestRenderGolden(t *testing.T) {
	for _, ref := range []string{"bell-8x7@ludii+capture.corner=hostile-unless-own", "locus-ludi-seneca"} {
		r, err := rules.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Render(&b, rules.RenderOptions{Width: 100, Parameters: true}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("%s: trailing blanks in %q", ref, line)
			}
		}
		name, _, _ := strings.Cut(ref, "@")
		golden(t, "testdata/"+name+".txt", b.Bytes())
	}
}

// Square names are read back on every board and refused outside it.
func TestSquares(t *testing.T) {
	for row := range 16 {
		for col := range 16 {
			name := rules.SquareName(row, col)
			r, c, err := rules.ParseSquare(name, 16, 16)
			if err != nil || r != row || c != col {
				t.Errorf("%s is read as %d, %d (%v)", name, r, c, err)
			}
			if _, _, err := rules.ParseSquare(name, row, 16); row > 0 && err == nil {
				t.Errorf("%s lies on a board of %d rows", name, row)
			}
		}
	}
	for _, bad := range []string{"", "a", "a0", "1a", "A1", "a01", "a1 ", "aa1", "q1", "a17", "a1234567890", "é1"} {
		if _, _, err := rules.ParseSquare(bad, 16, 16); err == nil {
			t.Errorf("%q is read as a square", bad)
		}
	}
	for _, c := range []struct {
		rows, cols int
		want       string
	}{{7, 7, "d4"}, {6, 8, "d3"}, {8, 9, "e4"}, {11, 16, "h6"}} {
		if got := rules.SquareName(rules.Centre(c.rows, c.cols)); got != c.want {
			t.Errorf("the centre of %d×%d is %s, want %s (RULES.md section 4)", c.rows, c.cols, got, c.want)
		}
	}
}
