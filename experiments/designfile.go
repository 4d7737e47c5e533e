package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"latro/datasets/atomicfile"
)

// WriteDesignFile writes a design as a file that [LoadDesign] reads back as the same
// design, with head as its comment; paths of rulesets count from the file's
// directory. Designs of rulesets and agents can be written; one with a factorial, with
// networks, a sequential rule or agents that play no games of their own is refused,
// since nothing of a design may be lost on the way.
func WriteDesignFile(path string, d Design, head string) error {
	text, err := d.yaml(head)
	if err != nil {
		return err
	}
	again, err := ParseDesign(path, text)
	if err != nil {
		return fmt.Errorf("write design: %w", err)
	}
	if a, b := again.unresolved(), d.unresolved(); a.Hash() != b.Hash() {
		return fmt.Errorf("write design: %s would hold another design than was meant", filepath.Base(path))
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// quoted writes a value that YAML reads back as the same text. JSON's strings are
// among YAML's.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("experiments: a string is always representable: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

func (d Design) yaml(head string) ([]byte, error) {
	refuse := func(what string) ([]byte, error) {
		return nil, fmt.Errorf("%w: a design with %s cannot be written as a file", ErrInvalid, what)
	}
	switch {
	case d.Factorial != nil:
		return refuse("a factorial")
	case d.Stopping != Stopping{}:
		return refuse("a stopping rule")
	case d.Power != 0 || d.Quick:
		return refuse("a power of its own, or a trial run,")
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for line := range strings.Lines(head) {
		put("%s", strings.TrimRight("# "+strings.TrimSpace(line), " "))
	}
	put("version: %d", d.Version)
	put("id: %s", quoted(d.ID))
	if d.Title != "" {
		put("title: %s", quoted(d.Title))
	}
	put("question: %s", quoted(d.Question))
	put("rulesets:")
	for _, r := range d.Rulesets {
		if r.Network != "" || r.Networks != nil {
			return refuse("networks")
		}
		put("  - ref: %s", quoted(r.Ref))
		if r.Name != "" {
			put("    name: %s", quoted(r.Name))
		}
		if len(r.Set) > 0 {
			put("    set:")
			for _, s := range r.Set {
				put("      - %s", quoted(s))
			}
		}
	}
	put("agents:")
	for _, a := range d.Agents {
		if a.SelfPlay != nil || a.WhereTrained {
			return refuse("agents for matches or for trained rulesets only")
		}
		put("  - spec: %s", quoted(a.Spec))
		if a.Name != "" {
			put("    name: %s", quoted(a.Name))
		}
	}
	if len(d.Matches) > 0 {
		put("matches:")
		for _, m := range d.Matches {
			put("  - {a: %s, b: %s}", quoted(m.A), quoted(m.B))
		}
	}
	put("starts:\n  kind: %s", d.Starts.Kind)
	if d.Starts.Kind == "random" {
		put("  plies: %d", d.Starts.Plies)
	}
	put("pairs: %d\nunit_pairs: %d\nseed: %d\ncap: %d", d.Pairs, d.UnitPairs, d.Seed, d.Cap)
	put("metric: %s\nmargin: %s\nlevel: %s", d.Metric, number(d.Margin), number(d.Level))
	if len(d.Comparisons) > 0 {
		put("comparisons:")
		for _, c := range d.Comparisons {
			put("  - a: %s\n    b: %s", quoted(c.A), quoted(c.B))
			for _, kv := range [][2]string{{"metric", c.Metric}, {"agent", c.Agent}, {"family", c.Family}} {
				if kv[1] != "" {
					put("    %s: %s", kv[0], quoted(kv[1]))
				}
			}
		}
	}
	if len(d.Confirmatory) > 0 {
		put("confirmatory: [%s]", strings.Join(d.Confirmatory, ", "))
	}
	if d.Exploratory {
		put("exploratory: true")
	}
	return []byte(b.String()), nil
}

// In gives the design with dir as the directory that its relative paths count from,
// as if it had been loaded from a file there.
func (d Design) In(dir string) Design {
	d.dir = dir
	return d
}

// RuleHashes are the hashes of the rules of the design's rulesets, in their order.
func (d Design) RuleHashes() ([]string, error) {
	var out []string
	for _, r := range d.ExpandRulesets() {
		x, err := d.open(r)
		if err != nil {
			return nil, fmt.Errorf("ruleset %s: %w", r.Name, err)
		}
		out = append(out, x.Hash())
	}
	return out, nil
}
