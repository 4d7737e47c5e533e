package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"latro/datasets/atomicfile"
	"latro/experiments"
	"latro/experiments/figure"
)

// Report is one page and its tables.
type Report struct {
	// Title heads the page and Lead introduces it in a paragraph.
	Title, Lead string
	// Sections are its parts in order.
	Sections []Section
	// Analyses are the experiments whose numbers go into the tables and
	// results.json.
	Analyses []*experiments.Analysis
}

// Files names what [Write] wrote.
type Files struct {
	// HTML is the page, JSON the results, Metrics, Tests, Squares and Edges the tables.
	HTML, JSON, Metrics, Tests, Squares, Edges string
	// Figures are the SVG and PNG files.
	Figures []string
}

// Findings of all analyses, in order.
func (r Report) findings() []experiments.Finding {
	out := []experiments.Finding{}
	for _, a := range r.Analyses {
		out = append(out, a.Findings...)
	}
	return out
}

// Write builds the report in dir (made if absent): report.html, results.json,
// metrics.csv, tests.csv, squares.csv, edges.csv and figures/. Files are replaced whole or not at all.
func Write(dir string, r Report) (Files, error) {
	var out Files
	seen := map[string]bool{}
	for _, s := range r.Sections {
		if seen[s.ID] {
			return out, fmt.Errorf("report: two sections have the id %q", s.ID)
		}
		seen[s.ID] = true
	}
	figs := filepath.Join(dir, "figures")
	if err := os.MkdirAll(figs, 0o777); err != nil {
		return out, fmt.Errorf("write report: %w", err)
	}
	put := func(name string, data []byte) (string, error) {
		path := filepath.Join(dir, name)
		err := atomicfile.WriteFile(path, func(w io.Writer) error { _, err := w.Write(data); return err })
		return path, err
	}
	var err error
	figures := r.figures()
	for _, f := range figures {
		if seen[f.ID] {
			return out, fmt.Errorf("report: two figures, or a figure and a section, have the id %q", f.ID)
		}
		seen[f.ID] = true
	}
	if out.Figures, err = WriteFigures(figs, figures); err != nil {
		return out, err
	}
	js, err := r.JSON()
	if err != nil {
		return out, err
	}
	if out.JSON, err = put("results.json", js); err != nil {
		return out, err
	}
	if out.Metrics, err = put("metrics.csv", r.metricsCSV()); err != nil {
		return out, err
	}
	if out.Tests, err = put("tests.csv", r.testsCSV()); err != nil {
		return out, err
	}
	if out.Squares, err = put("squares.csv", r.squaresCSV()); err != nil {
		return out, err
	}
	if out.Edges, err = put("edges.csv", r.edgesCSV()); err != nil {
		return out, err
	}
	// The page comes last: when it is there, all it belongs with is there.
	out.HTML, err = put("report.html", []byte(r.HTML()))
	return out, err
}

// WriteFigures writes each figure as SVG and PNG into a directory that exists, and returns
// the paths in the order of the figures. Drawing takes most of the time of a report, so it
// is shared among the cores; neither their number nor their order changes a byte.
func WriteFigures(dir string, figures []figure.Figure) ([]string, error) {
	paths := make([]string, 2*len(figures))
	errs := make([]error, len(figures))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(figures)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(figures) {
					return
				}
				f := figures[i]
				bitmap, err := f.PNG()
				if err != nil {
					errs[i] = err
					continue
				}
				for k, data := range [][]byte{f.SVG(), bitmap} {
					path := filepath.Join(dir, f.ID+[]string{".svg", ".png"}[k])
					if err := atomicfile.WriteBytes(path, data); err != nil {
						errs[i] = err
						break
					}
					paths[2*i+k] = path
				}
			}
		})
	}
	wg.Wait()
	return paths, errors.Join(errs...)
}

func (r Report) figures() []figure.Figure {
	var out []figure.Figure
	for _, s := range r.Sections {
		walk(s.Blocks, func(b Block) {
			if p, ok := b.(Picture); ok {
				out = append(out, p.Figure)
			}
		})
	}
	return out
}

// walk visits blocks and the blocks within them, in order.
func walk(bs []Block, visit func(Block)) {
	for _, b := range bs {
		visit(b)
		switch x := b.(type) {
		case folded:
			walk(x.blocks, visit)
		case screenOnly:
			walk(x.blocks, visit)
		case box:
			walk(x.blocks, visit)
		case Picture:
			visit(x.Data)
			for _, t := range x.More {
				visit(t)
			}
		}
	}
}

// JSON is the content of results.json: title, findings, and the analyses.
func (r Report) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(struct {
		Title    string                  `json:"title"`
		Findings []experiments.Finding   `json:"findings"`
		Analyses []*experiments.Analysis `json:"experiments"`
	}{r.Title, r.findings(), r.Analyses}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("write results: %w", err)
	}
	return append(b, '\n'), nil
}

func number(x float64) string {
	// NaN and infinities are empty cells: a spreadsheet reads nothing else safely.
	if x != x || x > 1e308 || x < -1e308 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 8, 64)
}

func (r Report) metricsCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"experiment", "ruleset", "agent_a", "agent_b", "budget", "metric", "estimate", "lo", "hi", "level", "n", "n_eff", "method", "ref", "spec_a", "spec_b"})
	for _, a := range r.Analyses {
		// games.arrow names rulesets by their refs and agents by their specifications.
		refs := map[string]string{}
		for _, c := range a.Cells {
			refs[c.Name] = c.Ref
		}
		for _, m := range a.Measures {
			iv := m.Interval
			specA, specB := "", ""
			if c := a.Cell(m.Ruleset, m.AgentA, m.AgentB); c != nil {
				specA, specB = c.SpecA, c.SpecB
			}
			w.Write([]string{a.Design.ID, m.Ruleset, m.AgentA, m.AgentB, strconv.Itoa(m.Budget), m.Metric, number(iv.Estimate), number(iv.Low), number(iv.High), number(iv.Level),
				strconv.Itoa(m.N), number(m.NEff), iv.Method, refs[m.Ruleset], specA, specB})
		}
	}
	w.Flush()
	return b.Bytes()
}

func (r Report) testsCSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"experiment", "contrast", "ruleset_a", "ruleset_b", "agent", "metric", "kind", "family", "estimate", "lo", "hi", "level", "p_raw", "p_adjusted", "adjustment", "n", "claim_allowed", "decision"})
	for _, a := range r.Analyses {
		for _, t := range a.Tests {
			iv := t.Interval
			w.Write([]string{a.Design.ID, t.Contrast, t.RulesetA, t.RulesetB, t.Agent, t.Metric, t.Kind, t.Family, number(iv.Estimate), number(iv.Low), number(iv.High), number(iv.Level),
				number(t.P), number(t.Adjusted), t.Adjustment, strconv.Itoa(t.N), strconv.FormatBool(t.ClaimAllowed), t.Decision})
		}
	}
	w.Flush()
	return b.Bytes()
}
