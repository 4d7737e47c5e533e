package luditrial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/engine"
)

// TestForeignTrials reads trials that Ludii itself wrote and writes them again: the text must be the same. It needs
// a directory of such trials (files ending in .trl) named by LATRO_LUDII_TRIALS.
func TestForeignTrials(t *testing.T) {
	dir := os.Getenv("LATRO_LUDII_TRIALS")
	if dir == "" {
		t.Skip("LATRO_LUDII_TRIALS names no directory of trials written by Ludii")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.trl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no trials in %s (%v)", dir, err)
	}
	codecs := map[string]*Codec{}
	read, refused, plies, errs := 0, map[string]int{}, 0, 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := Parse(path, strings.NewReader(string(data)))
		if err != nil {
			t.Error(err)
			continue
		}
		rs, err := trial.RulesetOf()
		if err != nil {
			t.Error(err)
			continue
		}
		c := codecs[rs.ID]
		if c == nil {
			c = codecOf(t, rs.Ref())
			codecs[rs.ID] = c
		}
		var moves []uint16
		_, err = c.Replay(trial, func(_ *engine.State, a engine.Action) error {
			moves = append(moves, uint16(a))
			return nil
		})
		if err != nil {
			if rs.Deviates && os.Getenv("LATRO_LUDII_FIXED") == "" {
				refused[rs.ID]++
				t.Logf("%v", err)
				continue
			}
			t.Error(err)
			if errs++; errs > 20 {
				t.Fatal("too many")
			}
			continue
		}
		var b strings.Builder
		if _, err := c.Write(&b, trial.Options, moves); err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		read++
		plies += len(moves)
		compareTexts(t, path, string(data), b.String())
	}
	t.Logf("%d of %d trials with %d plies are the same; refused for the bugs of Ludii's rules: %v", read, len(files), plies, refused)
}

// compareTexts compares line by line, without the lines that are known to differ.
func compareTexts(t *testing.T, name, want, got string) {
	t.Helper()
	keep := func(text string) (out []string) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if !strings.HasPrefix(line, "RNG ") && !strings.HasPrefix(line, "SANDBOX=") && !strings.HasPrefix(line, "LUDII_VERSION=") && !strings.HasPrefix(line, "game=") {
				out = append(out, line)
			}
		}
		return out
	}
	w, g := keep(want), keep(got)
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			t.Errorf("%s: line %q is too many", name, g[i])
		case i >= len(g):
			t.Errorf("%s: line %q is missing", name, w[i])
		case w[i] != g[i]:
			t.Errorf("%s: line\n%s\nis written\n%s", name, w[i], g[i])
		default:
			continue
		}
		return
	}
}
