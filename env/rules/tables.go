package rules

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
)

// tableBoard is one board of the Seega and Kharebga rulesets, which differ in the size of the board and in
// how a man moves.
type tableBoard struct{ Rows, Cols int }

// tableBoards lists the ten boards; it is never written to.
var tableBoards = []tableBoard{{6, 6}, {6, 7}, {6, 8}, {7, 8}, {8, 8}, {8, 9}, {9, 10}, {10, 10}, {11, 12}, {11, 16}}

func (t tableBoard) ids() []string {
	size := fmt.Sprintf("%dx%d-", t.Rows, t.Cols)
	return []string{size + "kharebga", size + "seega"}
}

// Men returns how many men each side has: all squares but two are filled.
func (t tableBoard) Men() int { return (t.Rows*t.Cols - 2) / 2 }

// source returns the text of the ruleset file of that id, made from the template.
func (t tableBoard) source(id string) ([]byte, error) {
	text, err := catalogueFS.ReadFile("catalogue/seega-kharebga.tmpl")
	if err != nil {
		return nil, err
	}
	tmpl, err := template.New("seega-kharebga").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = tmpl.Execute(&b, map[string]any{
		"ID": id, "Rows": t.Rows, "Cols": t.Cols, "Men": t.Men(), "Seega": strings.HasSuffix(id, "seega"),
	})
	return b.Bytes(), err
}
