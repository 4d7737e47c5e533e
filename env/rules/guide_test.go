package rules_test

import (
	"os"
	"path/filepath"
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
