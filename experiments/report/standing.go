package report

import (
	"latro/experiments"
)

// standing says what an experiment's results may be used for: a trial, an
// exploration, a part of the games.
func standing(a *experiments.Analysis, name bool) []Block {
	var out []Block
	say := func(text string) {
		if name {
			text = orElse(a.Design.Title, a.Design.ID) + ": " + text
		}
		out = append(out, paragraph{text: text, class: "note", foreign: false})
	}
	if !a.Complete {
		say("Preliminary. The experiment is not finished, and its numbers may change.")
	}
	return out
}
