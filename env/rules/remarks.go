package rules

import (
	"fmt"
	"slices"
	"strings"
)

// unstated is the note of a parameter of whose origin the file says nothing.
const unstated = "The ruleset file does not say where this comes from."

// Remark is something in a ruleset that is no mistake, but that its author may not have meant.
type Remark struct {
	About   string   // what is remarked on: "provenance", "sources", "readings", "end" or "summary"
	Message string   // a sentence
	Names   []string // the parameters, sources or readings concerned; may be empty
}

// Remarks returns what a careful reader would ask the author of the ruleset about: rules whose origin is not stated,
// sources that nothing refers to, readings that change nothing or play alike, games that nothing ends. It looks at the
// default reading.
func (r *Ruleset) Remarks() []Remark {
	base, err := r.WithReading("default")
	if err != nil { // every ruleset has its default reading
		return nil
	}
	var out []Remark
	say := func(about, message string, names []string, args ...any) {
		out = append(out, Remark{About: about, Message: fmt.Sprintf(message, args...), Names: names})
	}
	var without, bare []string
	used := map[string]bool{}
	for _, name := range ParamNames() {
		pr := base.Provenance[name]
		used[pr.Source] = true
		switch {
		case base.Meaningless(name):
		case pr.Note == unstated:
			without = append(without, name)
		case pr.Note == "":
			bare = append(bare, name)
		}
	}
	if n := len(without); n > 0 {
		say("provenance", "%s no provenance and %s as assumed: %s.", without, count(n, "parameter has", "parameters have"), map[bool]string{true: "counts", false: "count"}[n == 1], strings.Join(without, ", "))
	}
	if n := len(bare); n > 0 {
		say("provenance", "the provenance of %s has no note: %s.", bare, count(n, "parameter", "parameters"), strings.Join(bare, ", "))
	}
	var idle []string
	for _, s := range r.Sources {
		if !used[s.ID] && s.Note == "" { // a note says why it stands there
			idle = append(idle, s.ID)
		}
	}
	if n := len(idle); n > 0 {
		say("sources", "%s referred to by no provenance and without a note that says why: %s.", idle, count(n, "source is", "sources are"), strings.Join(idle, ", "))
	}
	first := map[string]string{base.Hash(): "default"}
	for _, x := range r.Readings {
		y, err := base.WithReading(x.Name)
		if err != nil {
			continue
		}
		switch other, seen := first[y.Hash()]; {
		case seen && other == "default":
			say("readings", "the reading %s changes nothing.", []string{x.Name}, x.Name)
		case seen:
			say("readings", "the readings %s and %s play alike.", []string{other, x.Name}, other, x.Name)
		default:
			first[y.Hash()] = x.Name
		}
	}
	if p := base.Params; p.Repetition.Rule == "none" && p.End.NoCaptureLimit == 0 {
		say("end", "neither a rule of repetition nor a limit to play without captures ends a game that goes on for ever (repetition.rule, end.no_capture_limit).",
			[]string{"repetition.rule", "end.no_capture_limit"})
	}
	if r.Summary == "" {
		say("summary", "there is no summary, the sentence by which lists introduce the ruleset.", nil)
	}
	return slices.Clip(out)
}
