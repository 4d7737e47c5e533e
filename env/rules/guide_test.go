package rules_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/env/rules"
)

// The guide's pieces, put together, are its example file; the file is a ruleset that holds in every
// reading, and the mistake that the guide shows gives the message that it shows.
func TestGuideExample(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join(docs, "adding-a-ruleset.md"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(docs, "examples", "seven-squares.yaml")
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pieces []string
	for i, block := range strings.Split(string(guide), "```yaml\n") {
		if i > 0 {
			text, _, _ := strings.Cut(block, "```")
			pieces = append(pieces, strings.TrimSpace(text))
		}
	}
	_, body, _ := strings.Cut(string(file), "\n")
	if got, want := squeeze(strings.Join(pieces, "\n")), squeeze(body); got != want {
		t.Errorf("the guide's pieces are not the example file:\n%s\n---\n%s", got, want)
	}
	r, err := rules.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Readings {
		if _, err := rules.Open(path + "@" + x.Name); err != nil {
			t.Error(err)
		}
	}
	_, err = rules.Parse("seven-squares.yaml", []byte(strings.Replace(string(file), "range: step", "range: stepp", 1)))
	if err == nil || !strings.Contains(string(guide), err.Error()) {
		t.Errorf("the guide does not show this message: %v", err)
	}
	if remarks := r.Remarks(); len(remarks) > 0 {
		t.Errorf("the example is remarked on: %v", remarks)
	}
	line := regexp.MustCompile(`(?m)^  bonus: \{certainty.*\n`)
	loose, err := rules.Parse("seven-squares.yaml", line.ReplaceAll(file, nil))
	if err != nil {
		t.Fatal(err)
	}
	if remarks := loose.Remarks(); len(remarks) != 1 || !strings.Contains(string(guide), remarks[0].Message) {
		t.Errorf("the guide does not show the remarks %v", remarks)
	}
	// What the guide changes in the ruleset that it begins from is what differs, and nothing else.
	piso, err := rules.Open("locus-ludi-piso")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	var sets []string
	for _, d := range rules.Diff(piso, r) {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", d.Name, d.A, d.B)
		sets = append(sets, d.Name+"="+d.B)
	}
	if !strings.Contains(string(guide), "| --- | --- | --- |\n"+table.String()+"\n") {
		t.Errorf("the guide does not show these differences:\n%s", table.String())
	}
	changed, err := piso.With(sets...)
	if err != nil {
		t.Fatal(err)
	}
	if changed.Hash() != r.Hash() {
		t.Error("the differences do not make the example of the ruleset it was begun from")
	}
	// The lines that it quotes stand in the file that it begins.
	var begun bytes.Buffer
	if err := piso.Begin(&begun, "seven-squares", ""); err != nil {
		t.Fatal(err)
	}
	_, quoted, _ := strings.Cut(string(guide), "```text\nsetup:\n  …\n")
	quoted, _, _ = strings.Cut(quoted, "```")
	if quoted == "" || !strings.Contains(begun.String(), quoted) {
		t.Errorf("the file begun from locus-ludi-piso does not hold\n%s", quoted)
	}
}

// squeeze drops empty lines.
func squeeze(s string) string {
	var out []string
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			out = append(out, strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(out, "\n")
}
