package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/mcts"
)

// named is a random agent with a network's hash: the content of its file.
type named struct {
	*mcts.Random
	hash string
}

func (n named) NetworkHash() string { return n.hash }

// networkFiles makes agents whose "network" is the content of a file.
func networkFiles(spec mcts.Spec, g *engine.Game, hash string) (mcts.Agent, error) {
	if spec.Kind != "net" {
		return Builtin(spec, g, hash)
	}
	b, err := os.ReadFile(spec.Options["path"])
	return named{mcts.NewRandom(), strings.TrimSpace(string(b))}, err
}

// designIn writes a design, its ruleset and its networks into a directory.
func designIn(t *testing.T, dir, network string) Design {
	t.Helper()
	example, err := os.ReadFile("../docs/examples/seven-squares.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const text = `id: here
question: Does it matter where files lie?
rulesets:
  - {name: A, ref: rules/seven.yaml, networks: [nets/one, nets/two]}
  - {name: B, ref: rules/seven.yaml@edge-captures, networks: [nets/one, nets/two]}
agents:
  - random
  - {name: trained, spec: "net:path={network},simulations=4"}
matches: [{a: trained, b: random}]
pairs: 4
unit_pairs: 2
cap: 60
`
	for name, content := range map[string]string{"rules/seven.yaml": string(example), "nets/one": network, "nets/two": "beef" + strings.Repeat("0", 60), "design.yaml": text} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := LoadDesign(filepath.Join(dir, "design.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestHashKnowsNoPath: the same design, rules and networks in two places have one
// hash, and their games and manifest the same bytes; another network or another rule
// has another hash, and is refused by name where the design is frozen.
func TestHashKnowsNoPath(t *testing.T) {
	const network = "feed000000000000"
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere", "deep")
	a, err := designIn(t, first, network).Resolve(networkFiles)
	if err != nil {
		t.Fatal(err)
	}
	b, err := designIn(t, second, network).Resolve(networkFiles)
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash() != b.Hash() {
		t.Error("the place of the files changes the hash")
	}
	// Cells: for each ruleset random, trained #1, trained #2, and the match with both.
	cells := a.Cells()
	if len(cells) != 10 || cells[2].A.Name != "trained #2" || cells[2].Agent != "trained" || cells[2].TrainingSeed != 2 || cells[4].Agents() != "trained #2 vs random" {
		t.Fatalf("cells %+v", cells)
	}
	one, two := t.TempDir(), t.TempDir()
	for out, d := range map[string]Design{one: a, two: b} {
		if _, err := Freeze(out, d, networkFiles); err != nil {
			t.Fatal(err)
		}
		if err := Run(context.Background(), out, d, RunOptions{Factory: networkFiles, Workers: 2}); err != nil {
			t.Fatal(err)
		}
	}
	sameTrees(t, "another place", tree(t, one), tree(t, two))
	for name, content := range tree(t, one) {
		if strings.Contains(content, first) || strings.Contains(content, filepath.Dir(second)) {
			t.Errorf("%s names a path of this machine", name)
		}
	}

	// Also where a design names them by absolute paths.
	for _, place := range []string{first, second} {
		d := a
		d.Rulesets = slices.Clone(d.Rulesets)
		for i := range d.Rulesets {
			d.Rulesets[i].Ref = filepath.Join(place, "rules", "seven.yaml") + []string{"", "@edge-captures"}[i]
			d.Rulesets[i].Networks = []string{filepath.Join(place, "nets", "one"), filepath.Join(place, "nets", "two")}
		}
		out := t.TempDir()
		if err := Run(context.Background(), out, d, RunOptions{Factory: networkFiles}); err != nil {
			t.Fatal(err)
		}
		for name, content := range tree(t, out) {
			if strings.Contains(content, place) {
				t.Errorf("with absolute paths %s names one", name)
			}
		}
	}

	other := designIn(t, t.TempDir(), "cafe000000000000")
	if err := Run(context.Background(), one, other, RunOptions{Factory: networkFiles}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "another network of trained #1 in A") {
		t.Errorf("another network: %v", err)
	}
	changed := t.TempDir()
	d := designIn(t, changed, network)
	path := filepath.Join(changed, "rules", "seven.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "men: 10}", "men: 9}", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), one, d, RunOptions{Factory: networkFiles}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "other rules of A") {
		t.Errorf("another rule: %v", err)
	}
}

// TestFrozenDesignStays: a frozen design runs, any other is refused, and a file that
// was edited by hand is noticed.
func TestFrozenDesignStays(t *testing.T) {
	d := smallDesign()
	d.Pairs, d.Agents, d.Matches = 4, d.Agents[:1], nil
	dir := filepath.Join(t.TempDir(), "new")
	frozen, err := Freeze(dir, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Freeze(dir, d, nil)
	if err != nil || again.Hash() != frozen.Hash() {
		t.Errorf("frozen again: %v", err)
	}
	other := d
	other.Margin = 0.07
	for what, err := range map[string]error{
		"freeze": func() error { _, err := Freeze(dir, other, nil); return err }(),
		"run":    Run(context.Background(), dir, other, RunOptions{}),
	} {
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "another design") {
			t.Errorf("%s of another design: %v", what, err)
		}
	}
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	// What was frozen as confirmatory stays so, although four pairs are few.
	if was, err := ReadDesign(dir); err != nil || was.Exploratory {
		t.Errorf("exploratory %v, %v", was.Exploratory, err)
	}
	path := filepath.Join(dir, DesignFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(b), `"margin": 0.05`, `"margin": 0.09`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Analyse(dir); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "changed after it was frozen") {
		t.Errorf("an edited design: %v", err)
	}
}

// TestStrangersFilesStay: a directory that is no experiment's and holds what an
// experiment would write is refused, and nothing in it changes.
func TestStrangersFilesStay(t *testing.T) {
	d := smallDesign()
	for _, name := range []string{"report.html", "metrics.csv", "games.arrow", "manifest.json", "figures/mine.png", "games/mine.txt", "design.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Run(context.Background(), dir, d, RunOptions{}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Freeze(dir, d, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("freeze beside %s: %v", name, err)
		}
		files := tree(t, dir)
		if len(files) != 1 || files[filepath.FromSlash(name)] != "mine" {
			t.Errorf("%s: the directory now holds %d files", name, len(files))
		}
	}
	// A directory with other things in it was named by mistake.
	for _, name := range []string{"thesis.pdf", "photos/a.txt"} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("mine"), 0o666)); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(name, "/")
		if err := Run(context.Background(), dir, d, RunOptions{}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), first) {
			t.Errorf("%s: %v", name, err)
		}
		if files := tree(t, dir); len(files) != 1 {
			t.Errorf("%s: the directory now holds %d files", name, len(files))
		}
	}
	// Notes and designs are nobody's business.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	d.Pairs, d.Agents, d.Matches = 2, d.Agents[:1], nil
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Error(err)
	}
}

// TestOldDirectoriesAreRead: an experiment from before designs were resolved is
// analysed and goes on.
func TestOldDirectoriesAreRead(t *testing.T) {
	d := smallDesign()
	d.Pairs, d.Agents, d.Matches = 4, d.Agents[:1], nil
	d.Exploratory = false
	dir := t.TempDir()
	// As that version wrote it: the bare design.
	if err := writeJSON(filepath.Join(dir, DesignFile), d); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	a, err := Analyse(dir)
	if err != nil || !a.Complete || a.DesignHash != d.Hash() {
		t.Errorf("analysis of an old directory: %v", err)
	}
}
