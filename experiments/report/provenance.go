package report

import (
	"fmt"
	"strings"

	"latro/experiments"
)

// Entry is a line of the provenance.
type Entry struct{ Key, Value string }

// Provenance lists what is needed to make the numbers again: versions, seed,
// hashes, command.
func Provenance(entries []Entry, as ...*experiments.Analysis) Section {
	s := Section{ID: "provenance", Title: "How to check and repeat this", Appendix: true}
	s.Blocks = append(s.Blocks, Text("The same design and seed give the same games on any machine, as long as the agents are limited by simulations and not by time. Every file of games is listed in the manifest with its hash."))
	t := Table{Words: 2, Head: []string{"what", "value"}}
	for _, e := range entries {
		t.Rows = append(t.Rows, []string{e.Key, e.Value})
	}
	for _, a := range as {
		t.Rows = append(t.Rows, []string{"design " + a.Design.ID, "sha256 " + a.DesignHash}, []string{"seed of " + a.Design.ID, fmt.Sprint(a.Design.Seed)})
		for _, r := range a.Rules {
			t.Rows = append(t.Rows, []string{"ruleset " + r.Ref, "sha256 " + r.Hash})
		}
	}
	s.Blocks = append(s.Blocks, t)
	return s
}

// Standard composes the usual page of one experiment.
func Standard(a *experiments.Analysis, entries []Entry) Report {
	r := Report{Title: orElse(a.Design.Title, a.Design.ID), Lead: strings.TrimSpace(a.Design.Question), Analyses: []*experiments.Analysis{a}}
	chapters := sensitivity(a)
	if len(chapters) > 0 {
		chapters[0].NewPage = false
	}
	chapters = append(chapters, results(a))
	r.Sections = append(r.Sections, firstPage(a, chapters))
	if len(a.Findings) > 0 {
		r.Sections = append(r.Sections, Section{ID: "findings", Title: "What was found", NewPage: true, Blocks: allFindings([]*experiments.Analysis{a})})
	}
	r.Sections = append(r.Sections, chapters...)
	if d := details(a); len(d.Blocks) > 0 {
		r.Sections = append(r.Sections, d)
	}
	for _, c := range a.Cells {
		if !c.SelfPlay {
			r.Sections = append(r.Sections, Strength("", a))
			break
		}
	}
	r.Sections = append(r.Sections, Rules(a), Method(a), Provenance(entries, a))
	return r
}
