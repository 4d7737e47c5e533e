package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"latro/experiments"
)

// Rules shows what the results rest on: the rules that differ between what is
// compared, what is assumed in all of it, and each ruleset with its own
// assumptions.
func Rules(as ...*experiments.Analysis) Section {
	s := Section{ID: "rules", Title: "The rules, and what is assumed in them", Appendix: true}
	s.Blocks = append(s.Blocks,
		Text("No complete rules of the Roman game survive. Each ruleset here is a reconstruction; where its source is silent something had to be assumed, and every result above rests on those assumptions too."),
		List([]string{
			"Attested: the ruleset's source says so. That makes it certain for the ruleset, not for antiquity: the source is often a modern reconstruction.",
			"Argued: inferred from the source, or argued for by scholars.",
			"Assumed: the source is silent, and something had to be chosen. A value that a design changed counts as assumed.",
		}))
	for _, a := range as {
		if len(a.Rules) == 0 {
			continue
		}
		if len(as) > 1 {
			s.Blocks = append(s.Blocks, heading{orElse(a.Design.Title, a.Design.ID)})
		}
		s.Blocks = append(s.Blocks, compared(a.Rules)...)
	}
	seen := map[string]bool{}
	for _, a := range as {
		for _, r := range a.Rules {
			if seen[r.Hash+r.Title] {
				continue
			}
			seen[r.Hash+r.Title] = true
			if b := variant(a.Rules[0], r); b != nil {
				s.Blocks = append(s.Blocks, b...)
				continue
			}
			s.Blocks = append(s.Blocks, ruleset(r)...)
		}
	}
	return s
}

// setting is one parameter of one ruleset.
type setting struct {
	value, certainty, meaning, note, source string
}

// parameterLine is a row of the table of all parameters in a ruleset's prose:
// | `name` | `value` | certainty | meaning |.
var parameterLine = regexp.MustCompile("^\\| `([^`]+)` \\| `([^`]*)` \\| ([^|]*) \\| (.*) \\|$")

var unescape = strings.NewReplacer(`\_`, "_", `\*`, "*", `\|`, "|", "\\`", "`", `\[`, "[")

// settings reads every parameter of a ruleset: its value and meaning from the table
// in the prose, why it is so from the list of what is not attested.
func settings(r experiments.RulesetInfo) (names []string, of map[string]setting) {
	of = map[string]setting{}
	for _, line := range strings.Split(r.Prose, "\n") {
		m := parameterLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if _, ok := of[m[1]]; !ok {
			names = append(names, m[1])
		}
		of[m[1]] = setting{value: unescape.Replace(m[2]), certainty: m[3], meaning: unescape.Replace(m[4])}
	}
	for _, p := range r.Assumed {
		x, ok := of[p.Name]
		if !ok {
			names = append(names, p.Name)
			x.value = p.Value
		}
		x.certainty, x.note, x.source = p.Certainty, p.Note, p.Source
		of[p.Name] = x
	}
	return names, of
}

// meaningless marks a parameter that the others leave without effect.
const meaningless = "–"

// compared shows the parameters in which the rulesets of an experiment differ, with
// their certainty, and those that are assumed in all of them.
func compared(rules []experiments.RulesetInfo) []Block {
	if len(rules) < 2 {
		return nil
	}
	var names []string
	of := make([]map[string]setting, len(rules))
	for i, r := range rules {
		var ns []string
		ns, of[i] = settings(r)
		for _, n := range ns {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	differ := Table{Caption: "Rules that differ between what is compared", Words: 6, Head: []string{"parameter", "ruleset", "value", "certainty", "meaning", "why"}, foreign: true}
	common := Table{Caption: "Assumed or argued in all of them", Words: 5, Head: []string{"parameter", "value", "certainty", "meaning", "why"}, foreign: true}
	// Parameters that only exist because of another one are told apart.
	dependent := Table{Caption: "Rules that exist only where another one has a certain value", Words: 6, Head: differ.Head, foreign: true}
	differing, uncertain := 0, 0
	for _, n := range names {
		same, unsure := true, false
		for i := range rules {
			same = same && of[i][n].value == of[0][n].value
			c := of[i][n].certainty
			unsure = unsure || c == "assumed" || c == "argued"
		}
		first := of[0][n]
		if same {
			if unsure {
				common.Rows = append(common.Rows, []string{n, first.value, first.certainty, first.meaning, because(first)})
			}
			continue
		}
		table := &differ
		for i := range rules {
			if of[i][n].certainty == meaningless {
				table = &dependent
			}
		}
		if table == &differ {
			differing++
			if unsure {
				uncertain++
			}
		}
		// Rulesets with the same value share a row.
		var values []string
		for i := range rules {
			if v := of[i][n].value; !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		for k, v := range values {
			var titles []string
			var x setting
			found := false
			for i, r := range rules {
				y := of[i][n]
				if y.value != v {
					continue
				}
				titles = append(titles, r.Title)
				// Where certainties differ the weakest is shown.
				if !found || weaker(y.certainty, x.certainty) {
					x, found = y, true
				}
			}
			who := strings.Join(titles, "; ")
			if len(titles) > 4 {
				who = fmt.Sprintf("%d rulesets, %s first", len(titles), titles[0])
			}
			certainty, meaning := x.certainty, x.meaning
			if certainty == meaningless {
				certainty = "without effect there"
			}
			if k > 0 {
				meaning = "as above"
			}
			table.Rows = append(table.Rows, []string{n, who, orElse(v, "(none)"), certainty, meaning, because(x)})
		}
	}
	var out []Block
	if differing == 0 && len(dependent.Rows) == 0 {
		out = append(out, Text("What is compared differs in no rule."))
	} else {
		out = append(out, Text("What is compared differs in %s; for %d of these at least one value is assumed or argued for, so the comparison rests on that choice.", experiments.Plural(differing, "rule"), uncertain))
		if differing <= 12 {
			out = append(out, differ)
		} else {
			out = append(out, Folded("The rules that differ, with their certainty", differ))
		}
		if len(dependent.Rows) > 0 {
			out = append(out, Folded("Rules that come with these: they exist only where another one has a certain value", dependent))
		}
	}
	if len(common.Rows) > 0 {
		out = append(out, Text("%s not attested, but the same in all that is compared. They cannot cause a difference by themselves, but with another value each of them might have made it larger or smaller.", are(len(common.Rows))+" further"), Folded("What is assumed in all of them", common))
	}
	return out
}

func weaker(a, b string) bool {
	order := []string{"assumed", "argued", "attested", meaningless}
	return slices.Index(order, a) < slices.Index(order, b)
}

func because(x setting) string {
	if x.source == "" {
		return x.note
	}
	if x.note == "" {
		return x.source
	}
	return x.note + " [" + x.source + "]"
}

// variant shows a ruleset by the few parameters in which it differs from another
// one of the same source; nil where it differs in more.
func variant(first, r experiments.RulesetInfo) []Block {
	const few = 8
	if r.Title == first.Title || base(r.Ref) != base(first.Ref) {
		return nil
	}
	names, of := settings(r)
	_, from := settings(first)
	var lines []string
	for _, n := range names {
		if of[n].value != from[n].value && of[n].certainty != meaningless {
			lines = append(lines, fmt.Sprintf("%s = %s in place of %s (%s)", n, orElse(of[n].value, "none"), orElse(from[n].value, "none"), of[n].certainty))
		}
	}
	if len(lines) == 0 || len(lines) > few {
		return nil
	}
	return []Block{heading{r.Title}, Text("As %s, but for what follows; everything else is the same.", first.Title), quoted{List(lines)}}
}

// base is a reference without its overrides and its reading.
func base(ref string) string {
	if i := strings.IndexAny(ref, "@+ "); i >= 0 {
		return ref[:i]
	}
	return ref
}

// quoted holds a block of words that are not the report's own.
type quoted struct{ Block }

// ruleset shows one ruleset: its text, and what is not attested in it.
func ruleset(r experiments.RulesetInfo) []Block {
	out := []Block{heading{r.Title}}
	text := r.Prose
	for _, cut := range []string{"\n## Argued", "\n## Assumed", "\n## Open questions", "\n## All parameters"} {
		if i := strings.Index(text, cut); i >= 0 {
			text = text[:i]
		}
	}
	// The title is the heading already.
	if strings.HasPrefix(text, "# ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	out = append(out, foldedIn("latro rules show "+r.Ref+" prints them", "The rules of "+r.Title, prose{text}))
	if len(r.Assumed) == 0 {
		return append(out, Text("Every parameter of this ruleset is attested by its source."))
	}
	assumed := 0
	t := Table{Caption: "Parameters that are assumed or argued", Words: 5, Head: []string{"parameter", "value", "certainty", "why", "source"}, foreign: true}
	for _, p := range r.Assumed {
		if p.Certainty == "assumed" {
			assumed++
		}
		t.Rows = append(t.Rows, []string{p.Name, p.Value, p.Certainty, p.Note, p.Source})
	}
	var lines [2][]string
	for _, p := range r.Assumed {
		k := 0
		if p.Certainty != "assumed" {
			k = 1
		}
		lines[k] = append(lines[k], p.Name+" = "+orElse(p.Value, "none"))
	}
	out = append(out, Text("%s assumed and %d argued for rather than attested.", capital(experiments.Plural(assumed, "parameter")+" "+map[bool]string{true: "is", false: "are"}[assumed == 1]), len(r.Assumed)-assumed))
	for k, word := range []string{"Assumed: ", "Argued: "} {
		if len(lines[k]) > 0 {
			out = append(out, paragraph{text: word + strings.Join(lines[k], "; ") + ".", class: "list", foreign: true})
		}
	}
	return append(out, foldedIn("results.json, and latro rules show "+r.Ref, "What is assumed in "+r.Title+", and why", t))
}
