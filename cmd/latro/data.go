package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/parquet"
)

// dataCmd is latro data.
type dataCmd struct {
	Inspect dataInspectCmd `cmd:"" help:"Summarise data files."`
	Verify  dataVerifyCmd  `cmd:"" help:"Check data files row by row."`
	Export  dataExportCmd  `cmd:"" help:"Write a data file as CSV, JSON lines or Parquet."`
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
	return "Examples:\n  latro data inspect runs/bell/metrics.arrow\n  latro data inspect runs/bell --json"
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
	return `Decodes every row and checks what must hold within and between rows. Files that a manifest.json of their
directory (or of the one above) lists are also compared with its SHA-256.

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
	hashes, err := manifestHashes(c.Paths)
	if err != nil {
		return err
	}
	var all []*datasets.Report
	bad := 0
	rows := uint64(0)
	for _, f := range files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		r, err := datasets.Verify(f, datasets.VerifyOptions{})
		if err != nil {
			return err
		}
		if abs, err := filepath.Abs(f); err == nil {
			if want, ok := hashes[abs]; ok && want != r.SHA256 {
				r.Count++
				r.Problems = append(r.Problems, fmt.Sprintf("the manifest says SHA-256 %.12s, the file has %.12s", want, r.SHA256))
			}
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
	if c.JSON {
		if err := a.printJSON(all); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stdout, "files %d rows %d damaged %d\n", len(files), rows, bad)
	}
	if bad > 0 {
		return fmt.Errorf("%w: %d of %d files have problems", errInput, bad, len(files))
	}
	return nil
}

// manifestHashes collects what the manifests below the directories say of their files, by absolute path.
func manifestHashes(args []string) (map[string]string, error) {
	out := map[string]string{}
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != "manifest.json" {
				return err
			}
			listed, err := listedHashes(path)
			if err != nil {
				return err
			}
			for rel, sum := range listed {
				abs, err := filepath.Abs(filepath.Join(filepath.Dir(path), filepath.FromSlash(rel)))
				if err != nil {
					return err
				}
				out[abs] = sum
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listedHashes finds, anywhere in a manifest, the objects that have a path and a SHA-256.
func listedHashes(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errInput, path, err)
	}
	out := map[string]string{}
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
			if okName && okSum {
				out[name] = sum
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
	Path    string   `arg:"" help:"Arrow file."`
	Format  string   `short:"f" enum:"csv,json,parquet" default:"csv" help:"csv, json (one object a line) or parquet."`
	Out     string   `short:"o" placeholder:"FILE" help:"File to write; standard output if left out (not for parquet)."`
	Columns []string `placeholder:"NAME" help:"Columns to write, in this order; all if left out."`
}

// Help is shown by --help.
func (dataExportCmd) Help() string {
	return `Examples:
  latro data export experiment/shards/games.arrow --columns outcome,plies > games.csv
  latro data export runs/bell/metrics.arrow -f parquet -o metrics.parquet`
}

// Run does it.
func (c *dataExportCmd) Run(a *app) error {
	opts := datasets.ExportOptions{Columns: c.Columns}
	if c.Format == "parquet" && c.Out == "" {
		return fmt.Errorf("%w: Parquet is not for standard output; name a file with --out", errInput)
	}
	if c.Format == "parquet" && len(c.Columns) > 0 {
		return fmt.Errorf("%w: --columns is for csv and json; a Parquet file has all columns, from which readers choose", errInput)
	}
	var rows uint64
	write := func(w io.Writer) (err error) {
		switch c.Format {
		case "csv":
			rows, err = datasets.ExportCSV(w, c.Path, opts)
		case "json":
			rows, err = datasets.ExportJSON(w, c.Path, opts)
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
