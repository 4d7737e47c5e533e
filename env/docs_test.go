package env

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"latro/env/rules"
)

var update = flag.Bool("update", false, "rewrite the generated parts of doc.go and docs/encodings.md")

const encodingsFile = "../docs/encodings.md"

// TestDocs: the tables in docs/encodings.md and in the package documentation say what the code does.
func TestDocs(t *testing.T) {
	checkFile(t, encodingsFile, func(text string) (string, error) {
		for name, table := range map[string]string{
			"version":  fmt.Sprintf("Encoding version: %d. Global inputs: %d, of which %d depend on the position.\n", EncodingVersion, len(AllGlobals()), numDynamic),
			"planes":   planesMarkdown(),
			"rulesets": rulesetsMarkdown(t),
			"globals":  globalsMarkdown(),
			"rules":    rulesMarkdown(t),
		} {
			var err error
			if text, err = between(text, "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->", table); err != nil {
				return "", err
			}
		}
		return text, nil
	})
	checkFile(t, "doc.go", func(text string) (string, error) {
		var b strings.Builder
		for _, p := range planeTable {
			fmt.Fprintf(&b, "//\t%-16s%s\n//\t%16s[%s]\n", p.Name, p.Meaning, "", p.When)
		}
		return between(text, "by name.\n//\n", "//\n// # Global inputs", b.String())
	})
}

// between puts body between the first begin and the end after it.
func between(text, begin, end, body string) (string, error) {
	from := strings.Index(text, begin)
	if from < 0 {
		return "", fmt.Errorf("%q is missing", begin)
	}
	from += len(begin)
	to := strings.Index(text[from:], end)
	if to < 0 {
		return "", fmt.Errorf("%q is missing", end)
	}
	return text[:from] + body + text[from+to:], nil
}

func checkFile(t *testing.T, path string, generate func(string) (string, error)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(string(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if want == string(data) {
		return
	}
	if !*update {
		t.Errorf("%s is out of step with the code; run go test ./env -run TestDocs -update", path)
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func planesMarkdown() string {
	var b strings.Builder
	b.WriteString("| plane | 1 on | rulesets |\n|---|---|---|\n")
	for _, p := range planeTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, p.Meaning, p.When)
	}
	return b.String()
}

func rulesetsMarkdown(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| ruleset | observation | observation planes | policy | action planes |\n|---|---|---|---|---|\n")
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca", "luductus", "webdux"} {
		e := NewEncoder(Compile(t, ref))
		actions := strings.Join(e.ActionPlanes(), " ")
		if len(e.ActionPlanes()) > 16 {
			a := e.ActionPlanes()
			actions = strings.Join(a[:4], " ") + " … " + strings.Join(a[len(a)-3:], " ")
		}
		fmt.Fprintf(&b, "| `%s` | %d×%d×%d | %s | %d×%d×%d+1 | %s |\n", ref,
			len(e.Planes()), e.Rows(), e.Cols(), strings.Join(e.Planes(), " "),
			len(e.ActionPlanes()), e.Rows(), e.Cols(), actions)
	}
	return b.String()
}

func globalsMarkdown() string {
	var b strings.Builder
	b.WriteString("| input | values | meaning |\n|---|---|---|\n")
	for _, g := range globalTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", g.Name, g.Range, g.Meaning)
	}
	return b.String()
}

func rulesMarkdown(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| input | values | meaning |\n|---|---|---|\n")
	inputs := ruleInputs()
	for i := 0; i < len(inputs); {
		name := inputs[i].param
		d, err := rules.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		switch d.Kind {
		case rules.KindChoice, rules.KindChoices:
			kind := "one-hot"
			if d.Kind == rules.KindChoices {
				kind = "several-hot"
			}
			fmt.Fprintf(&b, "| `rule:%s=`… | %s | %s |\n", name, kind, strings.Join(d.Allowed, ", "))
		default:
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", inputs[i].info.Name, inputs[i].info.Range, inputs[i].info.Meaning)
		}
		for i < len(inputs) && inputs[i].param == name {
			i++
		}
	}
	return b.String()
}

// TestEncodingVersion: the encoding's lists cannot change unnoticed. When this fails, raise EncodingVersion and
// put the new sum in (it is the FNV-1a sum of the names of all planes and inputs, one a line).
func TestEncodingVersion(t *testing.T) {
	h := fnv.New64a()
	for _, p := range planeTable {
		fmt.Fprintln(h, p.Name)
	}
	for _, g := range AllGlobals() {
		fmt.Fprintln(h, g.Name)
	}
	sums := map[int]uint64{1: 0x9e536170456ce6f4, 2: 0xdf36938d1f47e3c1}
	if got := h.Sum64(); sums[EncodingVersion] != got {
		t.Errorf("the names of version %d sum to %#x, recorded is %#x", EncodingVersion, got, sums[EncodingVersion])
	}
}
