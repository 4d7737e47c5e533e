package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestEmptyOutIsRefused: of every command that has --out, an empty one is a mistake and not the default.
func TestEmptyOutIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	var found int
	var walk func(n *kong.Node, path []string)
	walk = func(n *kong.Node, path []string) {
		for _, c := range n.Children {
			walk(c, append(path[:len(path):len(path)], c.Name))
		}
		for _, f := range n.Flags {
			if f.Name != "out" {
				continue
			}
			found++
			args := path
			for _, p := range n.Positional {
				if p.Required {
					args = append(args, "x")
				}
			}
			for _, g := range n.Flags {
				if g.Required && g.Name != "out" {
					args = append(args, "--"+g.Name, "x")
				}
			}
			wantIn(t, latro(t, exitInput, append(args[:len(args):len(args)], "--out", "")...).err, "--out is empty")
			if !f.Tag.Has(stdoutTag) {
				wantIn(t, latro(t, exitInput, append(args, "--out", "-")...).err, "--out - would be standard output", "./-")
			}
		}
	}
	walk(parser.Model.Node, nil)
	if found < 15 {
		t.Errorf("%d commands have --out", found)
	}
	nothingWritten(t)
}

func nothingWritten(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestGivenTextsAreChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"experiment", "compare", "bell-8x7", "--set", "="}, `--set "=" is not a change of a rule: write PARAM=VALUE`},
		{[]string{"experiment", "compare", "bell-8x7", "--set", "x"}, `--set "x" is not a change of a rule`},
		{[]string{"experiment", "compare", "bell-8x7", "--set", " =5"}, `--set " =5" is not a change of a rule`},
		{[]string{"experiment", "sensitivity", "bell-8x7", "--set", ""}, `--set "" is not a change of a rule`},
		{[]string{"rules", "show", "bell-8x7", "--set", "end.tie=draw", "--set", "=5"}, `--set "=5" is not a change of a rule`},
		{[]string{"experiment", "compare", "bell-8x7", "webdux", "--agent", ""}, "--agent is empty"},
		{[]string{"experiment", "compare", "bell-8x7", "webdux", "--metric", ""}, "--metric is empty"},
		{[]string{"experiment", "compare", "", "webdux"}, "<a> is empty"},
		{[]string{"experiment", "repro", ""}, "<dir> is empty; give it a value"},
		{[]string{"rules", "show", ""}, "is empty"},
	} {
		o := latro(t, exitInput, c.args...)
		wantIn(t, o.err, c.want)
		if strings.Count(strings.TrimSpace(o.err), "\n") > 0 {
			t.Errorf("more than a sentence: %s", o.err)
		}
	}
	nothingWritten(t)
}

// TestDashIsStandardOutput: where a command writes text, --out - is what it writes without --out.
func TestDashIsStandardOutput(t *testing.T) {
	file := filepath.Join(learned(t), "metrics.arrow")
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"rules", "audit", "bell-8x7", "--games", "2", "--cap", "60"},
		{"data", "export", file},
		{"data", "export", file, "--format", "json"},
		{"experiment", "designs", "e5"},
	} {
		plain, dash := latro(t, exitDone, args...), latro(t, exitDone, append(args, "-o", "-")...)
		if plain.out == "" || dash.out != plain.out {
			t.Errorf("%s: %d bytes, with -o - %d", strings.Join(args, " "), len(plain.out), len(dash.out))
		}
	}
	wantIn(t, latro(t, exitInput, "data", "export", file, "-f", "parquet", "-o", "-").err, "parquet is not for standard output")
	wantIn(t, latro(t, exitInput, "data", "export", file, "-f", "ludii-trial", "-o", "-").err, "--out")
	wantIn(t, latro(t, exitInput, "experiment", "designs", "e5", "--json", "-o", "-").err, "where --json would stand too")
	nothingWritten(t)
	// Asked for both, both are given.
	var row shippedDesign
	latroJSON(t, &row, "experiment", "designs", "e5", "--out", "mine.yaml")
	if text, err := os.ReadFile("mine.yaml"); err != nil || row.ID == "" || string(text) != latro(t, exitDone, "experiment", "designs", "e5").out {
		t.Errorf("%+v, %d bytes, %v", row, len(text), err)
	}
}

func TestNumbersOfTheCommandLine(t *testing.T) {
	for value, want := range map[string]string{
		"--seed=-1": `--seed: a whole number is needed, in digits, 0 or more; this is "-1"`, "--seed=1e3": `0 or more; this is "1e3"`, "--cap=1e99": `--cap: a whole number is needed, in digits; this is "1e99"`,
		"--seed -1": `--seed: a whole number is needed, in digits, 0 or more; this is "-1"`,
	} {
		args := append([]string{"experiment", "compare", "bell-8x7", "webdux"}, strings.Fields(value)...)
		o := latro(t, exitInput, args...)
		wantIn(t, o.err, want, "Try latro experiment compare --help.")
		if strings.Contains(o.err, "perhaps") || strings.Contains(o.err, "bit") {
			t.Error(o.err)
		}
	}
}
