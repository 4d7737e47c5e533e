package report

import (
	"fmt"
	"slices"
	"strings"

	"latro/experiments"
)

// firstPage is the section that a printed report begins with: what limits the result, the
// answer in short with its uncertainty, the figure that shows it, and the assumed rules that
// it rests on. From is where the figure is taken from: the sections that would show it.
func firstPage(a *experiments.Analysis, from []Section) Section {
	s := Section{ID: "answer", Title: "The answer"}
	s.Blocks = append(s.Blocks, standing(a, false)...)
	if len(a.Findings) == 0 {
		s.Blocks = append(s.Blocks, Note("No games have been analysed yet."))
	} else if b := answer(a, false); b != nil {
		s.Blocks = append(s.Blocks, b)
	}
	if p := takeMain(a, from); p != nil {
		s.Blocks = append(s.Blocks, *p)
	}
	s.Blocks = append(s.Blocks, restsOn(a)...)
	return s
}

// inPrint says what is left out of a printed report, and where it stands.
const inPrint = "In print the tables of numbers are left out. They stand in metrics.csv, tests.csv, squares.csv, edges.csv and " +
	"results.json beside this page, and every game in games.arrow. A table that is open on the screen is printed, and all of them are if “show and print all tables” is ticked at the top."

// takeMain finds the figure that answers the design's question and leaves in its place a
// line that says where it went.
func takeMain(a *experiments.Analysis, from []Section) *Picture {
	id := anchor(a.Design.ID)
	for _, want := range []string{id + "-readings", id + "-effects-" + a.Design.Metric, id + "-contrast-" + a.Design.Metric, id + "-scores", id + "-outcomes"} {
		if strings.HasSuffix(want, "-scores") && a.Design.Metric != "first-player-score" {
			continue
		}
		for _, s := range from {
			for k, b := range s.Blocks {
				if p, ok := b.(Picture); ok && p.Figure.ID == want {
					s.Blocks[k] = paragraph{text: fmt.Sprintf("The figure “%s” and its numbers stand on the first page.", strings.TrimSuffix(p.Figure.Title, "."))}
					return &p
				}
			}
		}
	}
	return nil
}

// restsOn names in a few lines the rules that no source attests, with their values and
// certainty: those in which the rulesets differ, and those that all share.
func restsOn(a *experiments.Analysis) []Block {
	if len(a.Rules) == 0 {
		return nil
	}
	// So many rules of each kind are named, and values of so many letters: an array of
	// pieces is no reading for a first page.
	const most, letters = 5, 24
	of := make([]map[string]setting, len(a.Rules))
	var names []string
	for i, r := range a.Rules {
		var ns []string
		ns, of[i] = settings(r)
		for _, n := range ns {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	var apart, shared []string
	for _, n := range names {
		var values []string
		unsure, same := "", true
		for i, r := range a.Rules {
			x := of[i][n]
			same = same && x.value == of[0][n].value
			if x.certainty != "assumed" && x.certainty != "argued" {
				continue
			}
			if unsure == "" || weaker(x.certainty, unsure) {
				unsure = x.certainty
			}
			if len(x.value) > letters {
				continue
			}
			if v := orElse(x.value, "none") + " in " + r.Title; len(a.Rules) > 1 && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		switch {
		case unsure == "":
		case same && len(of[0][n].value) > letters:
			shared = append(shared, fmt.Sprintf("%s (%s)", n, unsure))
		case same:
			shared = append(shared, fmt.Sprintf("%s = %s (%s)", n, orElse(of[0][n].value, "none"), unsure))
		case len(values) == 0 || len(values) > 3:
			apart = append(apart, fmt.Sprintf("%s (%s)", n, unsure))
		default:
			apart = append(apart, fmt.Sprintf("%s (%s: %s)", n, unsure, strings.Join(values, ", ")))
		}
	}
	if len(apart)+len(shared) == 0 {
		return []Block{Text("The source of every ruleset attests every rule that matters here.")}
	}
	short := func(all []string) string {
		if len(all) > most {
			return strings.Join(all[:most], "; ") + fmt.Sprintf("; and %d more", len(all)-most)
		}
		return strings.Join(all, "; ")
	}
	text := fmt.Sprintf("This rests on %s that no source attests.", experiments.Plural(len(apart)+len(shared), "rule"))
	if len(apart) > 0 {
		text += " Not the same in all that is compared: " + short(apart) + "."
	}
	if len(shared) > 0 {
		where := " "
		if len(a.Rules) > 1 {
			where = " The same in all: "
		}
		text += where + short(shared) + "."
	}
	return []Block{paragraph{text: text + " The chapter on the rules lists all of them, with the reasons.", class: "rests", foreign: true}}
}
