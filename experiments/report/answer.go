package report

import (
	"fmt"
	"math"
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

// question are the findings that the design asks for: effects of rules or comparisons of
// rulesets in the primary measure, or else the scores; the scores first where they alone
// are the design's claims.
func question(a *experiments.Analysis) []experiments.Finding {
	kinds := []string{"effect", "contrast", "score"}
	if asksScores(a) {
		kinds = []string{"score", "effect", "contrast"}
	}
	for _, kind := range kinds {
		var out []experiments.Finding
		for _, f := range a.Findings {
			if f.Kind == kind && (f.Primary || kind == "score") {
				out = append(out, f)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// asksScores says whether the design promises an answer about scores and nothing else, as
// a sequential one does: its comparisons got the pairs that happened to be there.
func asksScores(a *experiments.Analysis) bool {
	if !slices.Equal(a.Design.ConfirmatoryGroups(), []string{"scores"}) {
		return false
	}
	return !slices.ContainsFunc(a.Contrasts, func(k experiments.Contrast) bool { return k.Primary && k.Family == experiments.Confirmatory })
}

// headline is the answer in a sentence: whether the findings that the design fixed as its
// question, or else the scores, answer it, and from where to where their intervals reach.
func headline(a *experiments.Analysis) string {
	asked := question(a)
	if len(asked) == 0 {
		return ""
	}
	one, of := "comparison", "of a difference in "+metricTitle(a.Design.Metric)
	switch asked[0].Kind {
	case "effect":
		one, of = "effect", "of an effect on "+metricTitle(a.Design.Metric)
	case "score":
		one, of = "score", "that it is not even"
	}
	low, high, least, most := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	clear, within, small, none := 0, 0, 0, 0
	for _, f := range asked {
		switch {
		case f.NoClaim:
			none++
		case f.Within:
			within++
			if f.ExcludesNoEffect {
				small++
			}
		case f.ExcludesNoEffect:
			clear++
		}
		if f.Estimate == nil || f.Low == nil || f.High == nil || f.Unit != asked[0].Unit {
			continue
		}
		low, high = math.Min(low, *f.Low), math.Max(high, *f.High)
		least, most = math.Min(least, *f.Estimate), math.Max(most, *f.Estimate)
	}
	n := len(asked)
	all := experiments.Plural(n, one)
	var s string
	switch {
	case none == n:
		s = fmt.Sprintf("No claim is made from these games: not one of %s allows it.", all)
	case clear+within == 0 && n == 1:
		s = fmt.Sprintf("Not answered by these games: the %s gives no evidence %s, and is not shown to be small either.", one, of)
	case clear+within == 0:
		s = fmt.Sprintf("Not answered by these games: of %s none gives evidence %s, and none is shown to be small.", all, of)
	case clear == n && n == 1:
		s = fmt.Sprintf("Answered for these agents: the %s gives evidence %s.", one, of)
	case clear == n:
		s = fmt.Sprintf("Answered for these agents: each of %s gives evidence %s.", all, of)
	case within == n && n == 1:
		s = fmt.Sprintf("Answered for these agents: the %s is shown to lie within the margin.", one)
	case within == n:
		s = fmt.Sprintf("Answered for these agents: each of %s is shown to lie within the margin.", all)
	default:
		var parts []string
		if clear > 0 {
			parts = append(parts, fmt.Sprintf("%d %s evidence %s", clear, verb(clear, "gives", "give"), of))
		}
		if within > 0 {
			parts = append(parts, fmt.Sprintf("%d %s shown to lie within the margin", within, verb(within, "is", "are")))
		}
		if open := n - clear - within - none; open > 0 {
			parts = append(parts, fmt.Sprintf("%d %s open", open, verb(open, "stays", "stay")))
		}
		if none > 0 {
			parts = append(parts, fmt.Sprintf("%d %s no claim", none, verb(none, "allows", "allow")))
		}
		s = fmt.Sprintf("Answered in part: of %s %s.", all, strings.Join(parts, ", "))
	}
	if small > 0 {
		s += fmt.Sprintf(" Within the margin is not nothing: %d of these %s evidence %s.", small, verb(small, "gives", "give"), of)
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) || none == n {
		return s
	}
	signed := asked[0].Kind != "score"
	write := func(x float64) string { return experiments.Amount(x, asked[0].Unit, signed) }
	if n == 1 {
		return s + fmt.Sprintf(" It was %s [%s, %s].", write(least), write(low), write(high))
	}
	return s + fmt.Sprintf(" The estimates lie between %s and %s, and their intervals reach from %s to %s.", write(least), write(most), write(low), write(high))
}

func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// takeMain finds the figure that answers the design's question and leaves in its place a
// line that says where it went.
func takeMain(a *experiments.Analysis, from []Section) *Picture {
	id := anchor(a.Design.ID)
	order := []string{id + "-readings", id + "-effects-" + a.Design.Metric, id + "-contrast-" + a.Design.Metric, id + "-scores", id + "-outcomes"}
	if asksScores(a) {
		order = append([]string{id + "-scores"}, order...)
	}
	for _, want := range order {
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
		return []Block{Text("The rulesets' sources state every rule that matters here.")}
	}
	short := func(all []string) string {
		if len(all) > most {
			return strings.Join(all[:most], "; ") + fmt.Sprintf("; and %d more", len(all)-most)
		}
		return strings.Join(all, "; ")
	}
	text := fmt.Sprintf("This rests on %s that the rulesets' sources do not state, so that something was assumed, or argued for.", experiments.Plural(len(apart)+len(shared), "rule"))
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
