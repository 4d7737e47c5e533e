package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/env/rules"
)

// docs/rules-trace.md holds together: each value that it gives is the value of the ruleset's default reading,
// no parameter of a traced ruleset is left out, and every test that it names is in the source tree.
func TestTrace(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs, "rules-trace.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	code := regexp.MustCompile("`([^`]+)`")
	named := map[string]bool{}
	for i, part := range strings.Split(string(page), "\n## ") {
		if i == 0 {
			continue
		}
		id, _, _ := strings.Cut(part, "\n")
		r, err := rules.Open(strings.TrimSpace(id))
		if err != nil {
			t.Fatalf("heading %q: %v", id, err)
		}
		said := map[string]bool{}
		for line := range strings.Lines(part) {
			if !strings.HasPrefix(line, "| ") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				if name, value, ok := strings.Cut(m[1], " = "); ok {
					got, err := r.Params.Get(name)
					if got == "" {
						got = "none"
					}
					if err != nil || got != value {
						t.Errorf("%s: the trace says %s, the ruleset %s (%v)", id, m[1], got, err)
					}
					said[name] = true
				}
				if strings.HasPrefix(m[1], "Test") {
					named[m[1]] = true
					if !tests[m[1]] {
						t.Errorf("%s: no test is called %s", id, m[1])
					}
				}
			}
			if cells := strings.Split(line, " | "); len(cells) >= 4 && cells[0] != "| no." && cells[0] != "| ---" && !strings.Contains(cells[3], "`Test") {
				t.Errorf("%s: no test proves %q", id, cells[1])
			}
		}
		for _, name := range rules.ParamNames() {
			if !said[name] {
				t.Errorf("%s: the trace has no place for %s", id, name)
			}
		}
	}
	for name := range tests {
		if strings.HasPrefix(name, "TestRule_") && !named[name] {
			t.Errorf("the trace does not name %s", name)
		}
	}
}

// testNames finds the tests of the module's env packages.
func testNames(t *testing.T) map[string]bool {
	out := map[string]bool{}
	decl := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range decl.FindAllStringSubmatch(string(data), -1) {
			out[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
