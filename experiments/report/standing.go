package report

import (
	"fmt"
	"slices"
	"strings"

	"latro/experiments"
)

// standing says what an experiment's results may be used for: a trial, an
// exploration, a part of the games, a result that strength may overturn.
func standing(a *experiments.Analysis, name bool) []Block {
	var out []Block
	say := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if name {
			text = orElse(a.Design.Title, a.Design.ID) + ": " + text
		}
		out = append(out, Note(text))
	}
	if a.Quick {
		say("A trial run with few games. It shows that everything works; its numbers say nothing about the question.")
	}
	if a.Exploratory {
		say("Exploratory. The design was not shown able to answer its question, so whatever stands out here is a hint for a next experiment with games of its own.")
	}
	if !a.Complete {
		say("Preliminary. The experiment is not finished: its numbers may change, and nothing is claimed from them.")
	}
	var open []string
	var failed, unmeasured []string
	note := func(to *[]string, title string) {
		if title = "“" + title + "”"; !slices.Contains(*to, title) {
			*to = append(*to, title)
		}
	}
	for _, s := range a.Strength {
		if !s.Provisional {
			continue
		}
		open = append(open, s.Title)
		for _, c := range s.Controls {
			switch {
			case c.NotMeasured:
				note(&unmeasured, c.Title)
			case c.Passed != nil && !*c.Passed:
				note(&failed, c.Title)
			}
		}
	}
	why := ""
	if len(failed) > 0 {
		why += " Failed: " + strings.Join(failed, "; ") + "."
	}
	if len(unmeasured) > 0 {
		why += " Not measured: " + strings.Join(unmeasured, "; ") + "."
	}
	switch {
	case len(open) == 0:
	case len(open) == len(a.Strength):
		say("Provisional. For every ruleset at least one check of strength failed or was not measured: stronger agents may give another result.%s", why)
	default:
		say("Provisional for %s, where a check of strength failed or was not measured: stronger agents may give another result.%s", strings.Join(open, ", "), why)
	}
	return out
}
