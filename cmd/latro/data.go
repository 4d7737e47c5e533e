package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/parquet"
	"latro/selfplay"
)

// dataCmd is latro data.
type dataCmd struct {
	Inspect dataInspectCmd `cmd:"" help:"Summarise data files."`
	Verify  dataVerifyCmd  `cmd:"" help:"Check data files row by row."`
	Export  dataExportCmd  `cmd:"" help:"Write a data file as CSV, JSON lines, Parquet, NumPy arrays or Ludii trials."`
	Import  dataImportCmd  `cmd:"" help:"Read games that Ludii played into a data file."`
}

// Help is shown by --help.
func (dataCmd) Help() string {
	return "Examples:\n  latro data inspect runs/bell\n  latro data verify runs/bell\n  latro data export runs/bell/metrics.arrow\n  latro data import trials -o games.arrow"
}

// dataFiles expands directories into the Arrow files below them, sorted.
func dataFiles(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, arg)
			continue
		}
		n := len(out)
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), ".") && (strings.HasSuffix(path, ".arrow") || strings.HasSuffix(path, ".arrows")) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(out) == n {
			return nil, fmt.Errorf("%w: %s holds no Arrow files", errInput, arg)
		}
		slices.Sort(out[n:])
	}
	return out, nil
}

// dataInspectCmd is latro data inspect.
type dataInspectCmd struct {
	Paths []string `arg:"" help:"Arrow files, or directories with such files."`
	JSON  bool     `help:"Print JSON, one object a file in a list."`
}

// Help is shown by --help.
func (dataInspectCmd) Help() string {
	return `Names the columns too where one file is asked for.

Examples:
  latro data inspect runs/bell/metrics.arrow
  latro data inspect runs/bell
  latro data inspect runs/bell --json`
}

// Run does it.
func (c *dataInspectCmd) Run(a *app) error {
	files, err := dataFiles(c.Paths)
	if err != nil {
		return err
	}
	var all []*datasets.Summary
	for _, f := range files {
		s, err := datasets.Inspect(f)
		if err != nil {
			return err
		}
		all = append(all, s)
		if !c.JSON {
			if len(files) > 1 {
				s.Columns = nil
				if len(all) > 1 {
					fmt.Fprintln(a.stdout)
				}
			}
			if err := s.WriteText(a.stdout); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return a.printJSON(all)
	}
	return nil
}

// dataVerifyCmd is latro data verify.
type dataVerifyCmd struct {
	Paths []string `arg:"" help:"Arrow files, or directories with such files."`
	JSON  bool     `help:"Print JSON, one object a file in a list."`
}

// Help is shown by --help.
func (dataVerifyCmd) Help() string {
	return `Decodes every row, checks what must hold within and between rows, and plays every recorded game again by its
rules. Files that a manifest.json of their directory (or of the one above) lists are also compared with its
SHA-256, and files that it lists must be there.

Examples:
  latro data verify runs/bell
  latro data verify shard.arrow --json`
}

// Run does it.
func (c *dataVerifyCmd) Run(a *app) error {
	files, err := dataFiles(c.Paths)
	if err != nil {
		return err
	}
	listed, err := manifestHashes(c.Paths, files)
	if err != nil {
		return err
	}
	replayed := newReplayer()
	var all []*datasets.Report
	bad := 0
	rows := uint64(0)
	for _, f := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		r, err := datasets.Verify(f, replayed.options(f))
		if err != nil {
			return err
		}
		abs, err := filepath.Abs(f)
		if err != nil {
			return err
		}
		want, ok := listed[abs]
		if ok && want.sum != r.SHA256 {
			r.Count++
			r.Problems = append(r.Problems, fmt.Sprintf("the manifest says SHA-256 %.12s, the file has %.12s", want.sum, r.SHA256))
		}
		if want.kind != "" && want.kind != string(r.Kind) {
			r.Count++
			r.Problems = append(r.Problems, fmt.Sprintf("the manifest says that its rows are of kind %s, they are of kind %s", want.kind, r.Kind))
		}
		all = append(all, r)
		rows += r.Rows
		if !r.OK() {
			bad++
			fmt.Fprintf(a.stderr, "%s: %d problems\n", f, r.Count)
			for _, p := range r.Problems {
				fmt.Fprintf(a.stderr, "  %s\n", p)
			}
		}
	}
	missing, total := 0, len(files)
	read := map[string]bool{}
	for _, f := range files {
		if abs, err := filepath.Abs(f); err == nil {
			read[abs] = true
		}
	}
	for _, abs := range slices.Sorted(maps.Keys(listed)) {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		st, err := os.Stat(abs)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing++
			fmt.Fprintf(a.stderr, "%s: a manifest lists it, but it is gone\n", abs)
		case err == nil && st.Mode().IsRegular() && !read[abs]:
			// Checkpoints and whatever else is no Arrow file: the hash is all that can be checked.
			_, sum, err := datasets.HashFile(abs)
			if err != nil {
				return err
			}
			total++
			if sum != listed[abs].sum {
				bad++
				fmt.Fprintf(a.stderr, "%s: the manifest says SHA-256 %.12s, the file has %.12s\n", abs, listed[abs].sum, sum)
			}
		}
	}
	for _, why := range replayed.unchecked() {
		fmt.Fprintf(a.stderr, "games not played again: %s\n", why)
	}
	if c.JSON {
		if err := a.printJSON(all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stdout, "files %d rows %d damaged %d missing %d\n", len(files), rows, bad, missing)
	}
	if bad+missing > 0 {
		return fmt.Errorf("%w: %d of %d files have problems, %d are missing; restore them from a copy", errInput, bad, total, missing)
	}
	return nil
}

// listedFile is what a manifest says of a file; kind is empty for what is no data file.
type listedFile struct{ sum, kind string }

// manifestHashes collects, by absolute path, what manifests say of files: all files of the manifests below the
// directories among args, and those of files that a manifest beside them, or one directory above, lists.
func manifestHashes(args, files []string) (map[string]listedFile, error) {
	out := map[string]listedFile{}
	read := map[string]map[string]listedFile{} // by the manifest's path
	load := func(path string) (map[string]listedFile, error) {
		if m, ok := read[path]; ok {
			return m, nil
		}
		listed, err := listedHashes(path)
		if err != nil {
			return nil, err
		}
		m := map[string]listedFile{}
		for rel, sum := range listed {
			if !filepath.IsLocal(filepath.FromSlash(rel)) {
				return nil, fmt.Errorf("%w: %s lists %q, which is outside its directory", errInput, path, rel)
			}
			m[filepath.Join(filepath.Dir(path), filepath.FromSlash(rel))] = sum
		}
		read[path] = m
		return m, nil
	}
	for _, arg := range args {
		root, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != manifestName {
				return err
			}
			m, err := load(path)
			maps.Copy(out, m)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		abs, err := filepath.Abs(f)
		if err != nil {
			return nil, err
		}
		for _, dir := range []string{filepath.Dir(abs), filepath.Dir(filepath.Dir(abs))} {
			m, err := load(filepath.Join(dir, manifestName))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if sum, ok := m[abs]; ok {
				out[abs] = sum
			}
		}
	}
	return out, nil
}

// manifestName is the name of the manifests of runs and experiments.
const manifestName = "manifest.json"

// listedHashes finds, anywhere in a manifest, the objects that have a path and a SHA-256.
func listedHashes(path string) (map[string]listedFile, error) {
	data, err := selfplay.ReadText(path)
	if err != nil {
		return nil, err
	}
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errInput, path, err)
	}
	out := map[string]listedFile{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			name, okName := v["path"].(string)
			sum, okSum := v["sha256"].(string)
			kind, _ := v["kind"].(string)
			if okName && okSum {
				out[name] = listedFile{sum, kind}
			}
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(root)
	return out, nil
}

// dataExportCmd is latro data export.
type dataExportCmd struct {
	Path    string   `arg:"" help:"Arrow file. For ludii-trial also a directory of them, or a recorded-games file (.jsonl, .jsonl.gz)."`
	Format  string   `short:"f" enum:"csv,json,parquet,npz,ludii-trial" default:"csv" help:"csv, json (one object a line), parquet, npz (samples as a network sees them), or ludii-trial (one file a game)."`
	Out     string   `short:"o" stdout:"" placeholder:"FILE" help:"File to write; standard output if left out, or for - (not for parquet and npz). For ludii-trial a directory, new or empty."`
	Columns []string `placeholder:"NAME" help:"Columns to write, in this order; all if left out."`
	JSON    bool     `help:"With ludii-trial: print a summary as JSON."`
}

// Help is shown by --help.
func (dataExportCmd) Help() string {
	return `npz is a NumPy archive of a shard of samples with the arrays obs [n, planes, rows, cols], globals [n, globals],
policy [n, actions], value [n] and game_id [n], all in the frame of the player to move: what the models of
latro net export read, and what they are trained towards.

The format ludii-trial writes the games of the rulesets that Ludii has, in the reading ludii, so that Ludii can load
and replay them. Other games are refused, and then nothing is written. The n-th game, from 0, becomes RULESET-n.trl
in the directory. A game that a length cap or a resignation ended is written as Ludii writes an unfinished one,
without a result. docs/ludii-trials.md tells the format.

Examples:
  latro data export GAMES.arrow --columns outcome,plies > games.csv
  latro data export runs/bell/metrics.arrow -f parquet -o metrics.parquet
  latro data export SAMPLES.arrow -f npz -o samples.npz
  latro selfplay runs/bell -r bell-8x8@ludii
  latro data export runs/bell -f ludii-trial -o trials`
}

// Run does it.
func (c *dataExportCmd) Run(a *app) error {
	if c.Out == "-" {
		c.Out = ""
	}
	if c.Format == "ludii-trial" {
		return c.exportTrials(a)
	}
	if c.JSON {
		return fmt.Errorf("%w: --json prints the summary of --format ludii-trial; for rows as JSON use --format json", errInput)
	}
	opts := datasets.ExportOptions{Columns: c.Columns}
	text := c.Format == "csv" || c.Format == "json"
	if !text && c.Out == "" {
		return fmt.Errorf("%w: %s is not for standard output; name a file with --out", errInput, c.Format)
	}
	if !text && len(c.Columns) > 0 {
		return fmt.Errorf("%w: --columns is for csv and json; a file of format %s has all of them, from which readers choose", errInput, c.Format)
	}
	if c.Out != "" {
		if err := otherFile(c.Out, c.Path); err != nil {
			return err
		}
	}
	var rows uint64
	write := func(w io.Writer) (err error) {
		switch c.Format {
		case "csv":
			rows, err = datasets.ExportCSV(w, c.Path, opts)
		case "json":
			rows, err = datasets.ExportJSON(w, c.Path, opts)
		case "npz":
			var enc *planeEncoder
			if enc, err = newPlaneEncoder(c.Path); err == nil {
				rows, err = datasets.ExportPlanes(w, c.Path, enc, opts.Options)
			}
		default:
			rows, err = parquet.Export(w, c.Path, opts.Options)
		}
		return err
	}
	if c.Out == "" {
		w := bufio.NewWriter(a.stdout)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	if err := atomicfile.WriteFile(c.Out, write); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "%s: %d rows\n", c.Out, rows)
	return nil
}
