package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

const docs = "../../docs"

const generated = "<!-- Generated from env/rules by: go test ./env/rules -update -->\n\n"

// The pages about the rulesets are written from the catalogue and are in step with it.
func TestPagesAreCurrent(t *testing.T) {
	pages := map[string]bool{}
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.NewBufferString(generated)
		if err := r.RenderMarkdown(b); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join(docs, "rulesets", id+".md"), b.Bytes())
		pages[id+".md"] = true
	}
	golden(t, filepath.Join(docs, "rulesets.md"), index(t))
	golden(t, filepath.Join(docs, "rulesets-parameters.md"), parameters(t))
	golden(t, filepath.Join(docs, "rulesets-doubts.md"), doubtsPage(t))
	entries, err := os.ReadDir(filepath.Join(docs, "rulesets"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !pages[e.Name()] {
			t.Errorf("docs/rulesets/%s is a page of no ruleset", e.Name())
		}
	}
}

func index(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(`# The rulesets

Each page tells a ruleset in words made from its parameters, with the start as a diagram, the sources, what
is argued and what is assumed, and the open questions with the readings that answer them otherwise. The
default reading follows the plainest meaning of the source; the reading ` + "`ludii`" + ` plays as the Ludii system
does, so that results can be compared with it.

The parameters are explained in [rulesets-parameters.md](rulesets-parameters.md), the numbered doubts with all
their answers in [rulesets-doubts.md](rulesets-doubts.md), and
[adding-a-ruleset.md](adding-a-ruleset.md) shows how to write a ruleset of one's own.
`)
	heading := "\n| ruleset | board | a side | start | men | capture | readings |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	var tables, classic []string
	fmt.Fprintf(&b, "\n## Reconstructions and games of the sources\n%s", heading)
	row := func(id string) string {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Params
		pieces := fmt.Sprintf("%d men", p.Pieces.Men)
		if p.Pieces.Leaders > 0 {
			pieces += " and a leader"
		}
		men := p.Movement.Men.Range
		if len(p.Movement.Men.HopOver) > 0 {
			men += ", hop"
		}
		capture := "taken"
		if p.Capture.Effect == "bind" {
			capture = "bound"
		}
		if p.Capture.Axes != "orthogonal" {
			capture += ", diagonals too"
		}
		if p.Capture.Line == "row" {
			capture += ", whole lines"
		}
		if p.Capture.Edge == "hostile" {
			capture += ", edge captures"
		}
		if p.Capture.Corner != "neutral" {
			capture += ", corners capture"
		}
		if p.Capture.CornerPair {
			capture += ", corner by its two neighbours"
		}
		readings := []string{}
		for _, x := range r.Readings {
			readings = append(readings, "`"+x.Name+"`")
		}
		return fmt.Sprintf("| [%s](rulesets/%s.md) | %d×%d | %s | %s | %s | %s | %s |\n", r.Name, id, p.Board.Rows, p.Board.Cols, pieces, p.Setup.Kind, men, capture, strings.Join(readings, ", "))
	}
	for _, id := range rules.Catalogue() {
		if isTable(id) {
			tables = append(tables, id)
			continue
		}
		if strings.HasPrefix(id, "seega-classic-") {
			classic = append(classic, id)
			continue
		}
		b.WriteString(row(id))
	}
	fmt.Fprintf(&b, "\n## Boards played by the rules of Seega and Kharebga\n%s", heading)
	slices.SortFunc(tables, func(x, y string) int { return area(t, x) - area(t, y) })
	for _, id := range tables {
		b.WriteString(row(id))
	}
	fmt.Fprintf(&b, "\n## Classic Seega\n\nThe living game that some reconstructions lean on, as it was described in Egypt since 1836.\n%s", heading)
	for _, id := range classic {
		b.WriteString(row(id))
	}
	return b.Bytes()
}

// doubtsPage looks every doubt up: what is asked, what the default readings answer, and which readings answer
// otherwise.
func doubtsPage(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(`# The doubts

What the sources of the rulesets leave open, under the numbers by which notes and readings refer to it. A reading is
played by its name after the ruleset's and an @, as in ` + "`bell-8x7@sixty-plies`" + `. The reading ` + "`ludii`" + ` of
each ruleset, which plays as the Ludii system does, and the questions that only one source raises stand on the pages of
the rulesets ([rulesets.md](rulesets.md)). There is no A23.

| no. | question | default | readings that answer otherwise |
| --- | --- | --- | --- |
`)
	tables := 0
	for _, id := range rules.Catalogue() {
		if isTable(id) {
			tables++
		}
	}
	for _, d := range rules.Doubts() {
		var names []string             // of readings, in the order in which they are met
		where := map[string][]string{} // reading to rulesets
		for _, id := range rules.Catalogue() {
			r, err := rules.Open(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range r.Readings {
				if x.Name == "ludii" || !slices.Contains(x.Doubts(), d.ID) {
					continue
				}
				if where[x.Name] == nil {
					names = append(names, x.Name)
				}
				where[x.Name] = append(where[x.Name], id)
			}
		}
		slices.Sort(names)
		var cells []string
		for _, name := range names {
			var in []string
			onTables := 0
			for _, id := range where[name] {
				if isTable(id) {
					onTables++
					continue
				}
				in = append(in, fmt.Sprintf("[%s](rulesets/%s.md)", id, id))
			}
			if onTables == tables {
				in = append(in, "[the Seega and Kharebga boards](rulesets.md)")
			} else if onTables > 0 {
				t.Fatalf("%s is a reading of %d boards of %d", name, onTables, tables)
			}
			cells = append(cells, "`"+name+"`: "+strings.Join(in, ", "))
		}
		if d.Without != "" {
			cells = append(cells, d.Without)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.ID, d.Question, d.Default, strings.Join(cells, "<br>"))
	}
	return b.Bytes()
}

// isTable reports whether a ruleset is one of the twenty boards made from the table of Seega and Kharebga rules.
func isTable(id string) bool {
	return strings.HasSuffix(id, "-seega") || strings.HasSuffix(id, "-kharebga")
}

// area orders boards by size, Kharebga before Seega.
func area(t *testing.T, id string) int {
	r, err := rules.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	n := 2 * r.Params.Board.Rows * r.Params.Board.Cols
	if strings.HasSuffix(id, "-seega") {
		n++
	}
	return n
}

func parameters(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString(generated)
	b.WriteString(`# The parameters of a ruleset

Every difference between two rulesets is a difference of these parameters. A parameter's dotted name is its
place in a ruleset file (` + "`capture.effect`" + ` is the key ` + "`effect`" + ` under ` + "`capture`" + `) and its name in an
override (` + "`--set capture.effect=bind`" + `; lists are comma separated, the rows of an array separated by ` + "`/`" + `). What
a file leaves out has the value in the column *if left out*; a parameter that the others leave without meaning
keeps that value. The exact meaning of each, as the engines are built on it, stands beside its field in
[env/rules/params.go](../env/rules/params.go).
`)
	section := ""
	for _, name := range rules.ParamNames() {
		info, err := rules.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		if head, _, _ := strings.Cut(name, "."); head != section {
			section = head
			fmt.Fprintf(&b, "\n## %s\n\n| parameter | meaning | values | if left out |\n| --- | --- | --- | --- |\n", section)
		}
		neutral := "`" + info.Neutral + "`"
		switch {
		case info.Required:
			neutral = "must be given"
		case info.Neutral == "":
			neutral = "none"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, info.Meaning, strings.TrimPrefix(info.Valid(), "one of: "), neutral)
	}
	return b.Bytes()
}
