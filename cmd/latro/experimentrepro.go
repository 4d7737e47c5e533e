package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets/atomicfile"
	"latro/experiments"
	"latro/experiments/report"
	"latro/selfplay"
)

// experimentReproCmd is latro experiment repro.
type experimentReproCmd struct {
	Dir      string   `arg:"" help:"Directory of the experiment."`
	Replay   int      `placeholder:"N" help:"Also play N random games again and compare every ply."`
	Seed     uint64   `default:"1" help:"Chooses the games to play again."`
	Networks []string `name:"network" sep:"none" placeholder:"PATH" help:"Weights file or run directory of a network that plays in the games; may be repeated."`
	JSON     bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (experimentReproCmd) Help() string {
	return `Checks every shard against its hash, builds games.arrow, the tables, the figures and the page again from the manifest and
the games, in a temporary directory, and names the first byte of every file that differs, and every file that is missing
or that does not belong. Exit code 1 if anything differs. Nothing in the directory is changed.

Examples:
  latro experiment repro experiment-bell-corners
  latro experiment repro results --replay 50 --network runs/bell`
}

// fileDifference is a file that did not come out the same.
type fileDifference struct {
	File string `json:"file"`
	What string `json:"what"`
}

// reproResult is the JSON of a reproduction.
type reproResult struct {
	Files       int                   `json:"files"`
	Differences []fileDifference      `json:"differences"`
	Replayed    *experiments.Replayed `json:"replayed,omitempty"`
}

// Run does it.
func (c *experimentReproCmd) Run(a *app) error {
	if err := needExperiment(c.Dir); err != nil {
		return err
	}
	if c.Replay < 0 {
		return fmt.Errorf("%w: --replay is %d; it must not be negative", errInput, c.Replay)
	}
	tmp, err := os.MkdirTemp("", "latro-repro-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if _, _, err := a.buildAll(c.Dir, tmp); err != nil {
		return err
	}
	out := reproResult{Differences: []fileDifference{}}
	if out.Files, out.Differences, err = compareTrees(c.Dir, tmp); err != nil {
		return err
	}
	m, d, err := experiments.ReadManifest(c.Dir)
	if err != nil {
		return err
	}
	strangers, err := m.Strangers(c.Dir, d)
	if err != nil {
		return err
	}
	for _, path := range strangers {
		out.Differences = append(out.Differences, fileDifference{path, "does not belong to the experiment"})
	}
	if c.Replay > 0 {
		r, err := experiments.Replay(a.ctx, c.Dir, experiments.ReplayOptions{Games: c.Replay, Seed: c.Seed, Factory: new(selfplay.Agents).New, Networks: c.Networks})
		if err != nil {
			return err
		}
		out.Replayed = &r
	}
	bad := len(out.Differences)
	if out.Replayed != nil {
		bad += len(out.Replayed.Differences)
	}
	if c.JSON {
		if err := a.printJSON(out); err != nil {
			return err
		}
	} else {
		c.print(a, out)
	}
	if bad > 0 {
		return fmt.Errorf("%s is not reproduced: %s", c.Dir, experiments.Plural(bad, "difference"))
	}
	return nil
}

func (c *experimentReproCmd) print(a *app, out reproResult) {
	for _, d := range out.Differences {
		fmt.Fprintf(a.stdout, "%s: %s\n", d.File, d.What)
	}
	fmt.Fprintf(a.stdout, "%s built again, %s\n", experiments.Plural(out.Files, "file"), experiments.Plural(len(out.Differences), "difference"))
	if r := out.Replayed; r != nil {
		for _, d := range r.Differences {
			fmt.Fprintf(a.stdout, "game %d (%s, %s, pair %d, game %d of it): %s\n", d.GameID, d.Ruleset, d.Agents, d.Pair, d.Slot+1, d.What)
		}
		fmt.Fprintf(a.stdout, "%s played again, %s\n", experiments.Plural(r.Games, "game"), experiments.Plural(len(r.Differences), "difference"))
		if r.Skipped > 0 {
			fmt.Fprintf(a.stdout, "%s not played again: %s\n", experiments.Plural(r.Skipped, "game"), strings.Join(r.Reasons, "; "))
		}
	}
}

// compareTrees compares every file below rebuilt with the one in dir, and finds figures in dir that were not built.
func compareTrees(dir, rebuilt string) (files int, out []fileDifference, err error) {
	out = []fileDifference{}
	var built []string
	err = filepath.WalkDir(rebuilt, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(rebuilt, path)
		if err != nil {
			return err
		}
		built = append(built, rel)
		what, err := compareFiles(filepath.Join(dir, rel), path)
		if what != "" && rel == "report.html" {
			what += olderPage(filepath.Join(dir, rel))
		}
		if what != "" {
			out = append(out, fileDifference{filepath.ToSlash(rel), what})
		}
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	old, err := filepath.Glob(filepath.Join(dir, "figures", "*"))
	if err != nil {
		return 0, nil, err
	}
	for _, path := range old {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return 0, nil, err
		}
		if !slices.Contains(built, rel) {
			out = append(out, fileDifference{filepath.ToSlash(rel), "does not follow from the games"})
		}
	}
	return len(built), out, nil
}

// olderPage says so if a page was arranged by another version of the program.
func olderPage(path string) string {
	f, _, err := atomicfile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return ""
	}
	if v := report.VersionOf(head); v != report.Version {
		return fmt.Sprintf("; it was arranged by version %d of the report, this program writes version %d: latro experiment report writes it anew", v, report.Version)
	}
	return ""
}

// compareFiles names the first byte in which a file differs from what was built again; "" if none does.
func compareFiles(was, built string) (string, error) {
	a, _, err := atomicfile.Open(was)
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer a.Close()
	b, _, err := atomicfile.Open(built)
	if err != nil {
		return "", err
	}
	defer b.Close()
	bufA, bufB := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := int64(0); ; {
		n, errA := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		for _, err := range []error{errA, errB} {
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return "", err
			}
		}
		if bytes.Equal(bufA[:n], bufB[:m]) {
			if n < len(bufA) {
				return "", nil
			}
			at += int64(n)
			continue
		}
		for i := range min(n, m) {
			if bufA[i] != bufB[i] {
				return fmt.Sprintf("byte %d is %#02x, built again it is %#02x", at+int64(i), bufA[i], bufB[i]), nil
			}
		}
		if n < m {
			return fmt.Sprintf("ends at byte %d, built again it goes on", at+int64(n)), nil
		}
		return fmt.Sprintf("goes on at byte %d, built again it ends there", at+int64(m)), nil
	}
}
