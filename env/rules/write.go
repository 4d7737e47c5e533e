package rules

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteYAML writes the rules as they are played as a ruleset file that Parse reads back: the same hash,
// sources and provenance, every parameter stated, except those that the others leave without meaning. With
// explain each parameter stands below a comment with its meaning, its valid values and what the ruleset's file
// says of its origin, and those without meaning stand there as comments that say why: a file to start from.
//
// The readings are written only from the default reading without overrides, because they are changes of
// that; the head of the file says what it was made from.
func (r *Ruleset) WriteYAML(w io.Writer, explain bool) error {
	head := ""
	if r.Ref() != r.ID {
		head = fmt.Sprintf("# Made from %s.\n", printable(r.Ref()))
	}
	return r.writeYAML(w, head, explain)
}

// writeYAML is WriteYAML below a head of comments.
func (r *Ruleset) writeYAML(w io.Writer, head string, explain bool) error {
	b := *bytes.NewBufferString(head)
	fmt.Fprintf(&b, "id: %s\nname: %s\n", r.ID, yamlText(r.Name))
	if r.Summary != "" {
		fmt.Fprintf(&b, "summary: %s\n", yamlText(r.Summary))
	}
	b.WriteString("sources:\n")
	for _, s := range r.Sources {
		fmt.Fprintf(&b, "  - id: %s\n", s.ID)
		for _, f := range []struct{ key, value string }{{"title", s.Title}, {"author", s.Author}, {"year", s.Year}, {"pages", s.Pages}, {"url", s.URL}, {"note", s.Note}} {
			if f.value != "" {
				fmt.Fprintf(&b, "    %s: %s\n", f.key, yamlText(f.value))
			}
		}
	}
	p := r.Params
	var open []string // the sections that the last line stands in
	idle := map[string]string{}
	for _, d := range dormant(&p) {
		idle[d.name] = d.because
	}
	// active reports whether a parameter below the prefix is stated; a section without one is a comment too.
	active := func(prefix string) bool {
		return slices.ContainsFunc(fields, func(f field) bool {
			_, asleep := idle[f.Name]
			return !asleep && strings.HasPrefix(f.Name, prefix)
		})
	}
	for i := range fields {
		f := &fields[i]
		because, asleep := idle[f.Name]
		if asleep && !explain {
			continue
		}
		path := strings.Split(f.Name, ".")
		begun := false // a section begins here
		for depth, key := range path[:len(path)-1] {
			if depth < len(open) && open[depth] == key {
				continue
			}
			begun = true
			if explain && depth > 0 && len(open) > depth {
				b.WriteByte('\n')
			}
			open = open[:depth]
			open = append(open, key)
			if depth == 0 {
				b.WriteByte('\n')
			}
			mark := ""
			if !active(strings.Join(path[:depth+1], ".") + ".") {
				mark = "# "
			}
			fmt.Fprintf(&b, "%s%s%s:\n", strings.Repeat("  ", depth), mark, key)
		}
		open = open[:len(path)-1]
		indent := strings.Repeat("  ", len(path)-1)
		if explain {
			if !begun {
				b.WriteByte('\n')
			}
			comment := plain{w: &b, width: 100}
			comment.wrap(f.Meaning+" Valid: "+f.Valid()+".", indent+"# ", indent+"# ")
			if asleep {
				comment.wrap("Says nothing here: "+because+".", indent+"# ", indent+"# ")
				value := f.yaml(&p, indent)
				if f.Kind == KindArray {
					value = `["bbb", "...", "aaa"]`
				}
				fmt.Fprintf(&b, "%s# %s: %s\n", indent, path[len(path)-1], value)
				continue
			}
			if pr := r.Provenance[f.Name]; pr.Note != "" {
				origin := string(pr.Certainty)
				if pr.Source != "" {
					origin += ", " + pr.Source
				}
				comment.wrap("Origin ("+origin+"): "+pr.Note, indent+"# ", indent+"# ")
			}
		}
		fmt.Fprintf(&b, "%s%s: %s\n", indent, path[len(path)-1], f.yaml(&p, indent))
	}
	b.WriteString("\nprovenance:\n")
	for _, name := range ParamNames() {
		pr := r.Provenance[name]
		fmt.Fprintf(&b, "  %s: {certainty: %s", name, pr.Certainty)
		if pr.Source != "" {
			fmt.Fprintf(&b, ", source: %s", pr.Source)
		}
		if pr.Note != "" {
			fmt.Fprintf(&b, ", note: %s", yamlText(pr.Note))
		}
		b.WriteString("}\n")
	}
	if r.Reading == "default" && len(r.Overrides) == 0 && len(r.Readings) > 0 {
		b.WriteString("\nreadings:\n")
		for _, x := range r.Readings {
			fmt.Fprintf(&b, "  %s:\n", x.Name)
			if x.Ambiguity != "" {
				fmt.Fprintf(&b, "    ambiguity: %s\n", x.Ambiguity)
			}
			fmt.Fprintf(&b, "    note: %s\n    set:\n", yamlText(x.Note))
			for i := range fields {
				f := &fields[i]
				value, ok := x.Set[f.Name]
				if !ok {
					continue
				}
				var q Params
				if err := f.set(&q, value); err != nil {
					return fmt.Errorf("rules: reading %s: %w", x.Name, err)
				}
				fmt.Fprintf(&b, "      %s: %s\n", f.Name, f.yaml(&q, "      "))
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// yaml writes the value of a parameter; the rows of an array stand one below the other.
func (f *field) yaml(p *Params, indent string) string {
	list, ok := f.ptr(p).(*[]string)
	if !ok {
		return f.get(p)
	}
	if f.Kind != KindArray || len(*list) == 0 {
		return "[" + strings.Join(*list, ", ") + "]"
	}
	var b strings.Builder
	for _, row := range *list {
		fmt.Fprintf(&b, "\n%s  - %q", indent, row)
	}
	return b.String()
}

// yamlText quotes prose. What Parse accepts is printable, so that Go's quoting is YAML's.
func yamlText(s string) string { return fmt.Sprintf("%q", s) }
