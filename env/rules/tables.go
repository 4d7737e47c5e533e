package rules

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
)

// templated is a ruleset of the catalogue that is made from a template: one that differs from its neighbours in the
// size of the board and, for Seega and Kharebga, in how a man moves.
type templated struct {
	ID         string
	file       string // of the template, in the folder catalogue
	Rows, Cols int
	Men        int // a side
	Seega      bool
}

// tableBoards lists the ten boards of the Seega and Kharebga rulesets; it is never written to.
var tableBoards = []struct{ rows, cols int }{{6, 6}, {6, 7}, {6, 8}, {7, 8}, {8, 8}, {8, 9}, {9, 10}, {10, 10}, {11, 12}, {11, 16}}

// classicSizes lists the square boards of classic Seega; it is never written to.
var classicSizes = []int{5, 7}

// templates lists every ruleset that is made from a template.
func templates() []templated {
	var out []templated
	for _, b := range tableBoards {
		for _, rules := range []string{"kharebga", "seega"} {
			out = append(out, templated{
				ID: fmt.Sprintf("%dx%d-%s", b.rows, b.cols, rules), file: "seega-kharebga.tmpl",
				Rows: b.rows, Cols: b.cols, Seega: rules == "seega",
				Men: (b.rows*b.cols - 2) / 2, // all squares but two are filled
			})
		}
	}
	for _, n := range classicSizes {
		out = append(out, templated{
			ID: fmt.Sprintf("seega-classic-%dx%d", n, n), file: "seega-classic.tmpl", Rows: n, Cols: n, Seega: true,
			Men: (n*n - 1) / 2, // all squares but the centre are filled
		})
	}
	return out
}

// source returns the text of the ruleset's file.
func (t templated) source() ([]byte, error) {
	text, err := catalogueFS.ReadFile("catalogue/" + t.file)
	if err != nil {
		return nil, err
	}
	tmpl, err := template.New(strings.TrimSuffix(t.file, ".tmpl")).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, t)
	return b.Bytes(), err
}
