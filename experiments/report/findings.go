package report

import (
	"fmt"
	"slices"
	"strings"

	"latro/experiments"
)

// Findings is the section a reader needs most: what limits the results, the
// answers in short, how to read them, then every finding in a sentence.
func Findings(as ...*experiments.Analysis) Section {
	s := Section{ID: "findings", Title: "What was found"}
	n := 0
	for _, a := range as {
		n += len(a.Findings)
		s.Blocks = append(s.Blocks, standing(a, len(as) > 1)...)
	}
	if n == 0 {
		s.Blocks = append(s.Blocks, Note("No games have been analysed yet."))
		return s
	}
	for _, a := range as {
		if b := answer(a, true); b != nil {
			s.Blocks = append(s.Blocks, b)
		}
	}
	s.Blocks = append(s.Blocks, allFindings(as)...)
	return s
}

// allFindings are how to read findings, each of them in a sentence, and what limits them.
func allFindings(as []*experiments.Analysis) []Block {
	s := Section{Blocks: []Block{howToRead(as), paragraph{class: "leftout", text: inPrint}}}
	for _, a := range as {
		if len(as) > 1 {
			s.Blocks = append(s.Blocks, heading{orElse(a.Design.Title, a.Design.ID)})
		}
		s.Blocks = append(s.Blocks, findingGroups(a, len(as) > 1)...)
		if len(a.Warnings) > 0 {
			s.Blocks = append(s.Blocks, warnings(a)...)
		}
	}
	return s.Blocks
}

// warnings shows what limits the results; a long list is folded.
func warnings(a *experiments.Analysis) []Block {
	const most = 4
	var out []Block
	var all []string
	for _, w := range a.Warnings {
		// What the experiment as a whole is for, and what is provisional, stands at the
		// top already.
		if !strings.HasPrefix(w, "This experiment is ") && !strings.HasPrefix(w, "This is a quick trial") && !strings.Contains(w, ": results are provisional") {
			all = append(all, w)
		}
	}
	for _, w := range all[:min(most, len(all))] {
		out = append(out, Note(w))
	}
	if rest := all[len(out):]; len(rest) > 0 {
		out = append(out, foldedPrinted(fmt.Sprintf("%d more limits of this kind", len(rest)), List(rest)))
	}
	return out
}

// answer says in a box, in a few sentences, what the primary measure gave.
// Asked says whether the question stands above it.
func answer(a *experiments.Analysis, asked bool) Block {
	asks := ""
	if q := question(a); len(q) > 0 {
		asks = q[0].Kind
	}
	var lines []string
	count := func(kind string, primary bool, say func(clear, within, provisional, all int) string) {
		clear, within, provisional, all := 0, 0, 0, 0
		for _, f := range a.Findings {
			if f.Kind != kind || primary && !f.Primary {
				continue
			}
			all++
			switch {
			case f.Within:
				within++
			case f.ExcludesNoEffect:
				clear++
			}
			if f.Provisional {
				provisional++
			}
		}
		// The headline says what the question's own findings say.
		if all > 0 && kind != asks {
			s := say(clear, within, provisional, all)
			if provisional > 0 {
				s += fmt.Sprintf(" %s provisional: stronger play may change %s.", are(provisional), itThem(provisional))
			}
			lines = append(lines, s)
		}
	}
	measure := metricTitle(a.Design.Metric)
	count("effect", true, func(clear, within, _, all int) string {
		return fmt.Sprintf("Effects of single rules on the primary measure (%s): %s. %s %s", measure, experiments.Plural(all, "effect"), evidence(clear, "of an effect"), rest(within, all-clear-within))
	})
	count("contrast", true, func(clear, within, _, all int) string {
		besides := ""
		if asks == "score" {
			besides = ", besides the question, for which the design promised nothing"
		}
		return fmt.Sprintf("Rules compared on the primary measure (%s)%s: %s. %s %s", measure, besides, experiments.Plural(all, "comparison"), evidence(clear, "of a difference"), rest(within, all-clear-within))
	})
	hasPrimary := slices.ContainsFunc(a.Findings, func(f experiments.Finding) bool { return f.Primary })
	count("score", false, func(clear, within, _, all int) string {
		besides := ""
		if hasPrimary && !slices.ContainsFunc(a.Findings, func(f experiments.Finding) bool { return f.Primary && f.Kind == "score" }) {
			besides = ", looked at besides the question"
		}
		return fmt.Sprintf("The first player's score%s: %s of ruleset and agent. %s %s", besides, experiments.Plural(all, "combination"), evidence(clear, "that the score is not even"), rest(within, all-clear-within))
	})
	if len(lines) == 0 && asks == "" {
		return nil
	}
	var blocks []Block
	if asked {
		blocks = append(blocks, quote("Asked: "+strings.TrimSpace(a.Design.Question)))
	}
	if s := headline(a); s != "" {
		blocks = append(blocks, paragraph{text: s, class: "headline"})
	}
	var clear, rest []string
	for _, f := range a.Findings {
		switch {
		case asks == "score" && f.Kind != "score", asks != "score" && (!f.Primary || f.Kind == "score"):
		case f.ExcludesNoEffect && !f.Within:
			clear = append(clear, f.Sentence)
		default:
			rest = append(rest, f.Sentence)
		}
	}
	const most = 3
	// One player's answer alone would mislead where the others' is another.
	if across := acrossPlayers(a); asks != "score" && len(across) > 0 && len(across) <= most {
		blocks = append(blocks, List(across))
	} else if len(clear) > 0 && len(clear) <= most {
		blocks = append(blocks, List(clear))
	} else if n := len(clear) + len(rest); n > 0 && n <= most {
		// What is open has a size and an interval too.
		blocks = append(blocks, List(append(clear, rest...)))
	}
	if len(lines) > 0 {
		blocks = append(blocks, List(lines))
	}
	return box{"box answer", "The answer in short", blocks}
}

// acrossPlayers says of each two rulesets that several agents were asked about what the primary measure's difference is
// under each, and whether its direction is the same for all.
func acrossPlayers(a *experiments.Analysis) []string {
	shown := map[string]bool{}
	for _, f := range a.Findings {
		shown[f.ID] = f.ExcludesNoEffect
	}
	type pair struct{ a, b string }
	of := map[pair][]*experiments.Contrast{}
	var order []pair
	for i := range a.Contrasts {
		if k := &a.Contrasts[i]; k.Primary {
			p := pair{k.A, k.B}
			if of[p] == nil {
				order = append(order, p)
			}
			of[p] = append(of[p], k)
		}
	}
	var out []string
	for _, p := range order {
		ks := of[p]
		if len(ks) < 2 {
			continue
		}
		var each []string
		up, down, none := 0, 0, 0
		for _, k := range ks {
			s := fmt.Sprintf("%s under %s", interval(k.Difference, k.Unit, true), k.Agent)
			switch {
			case !k.ClaimAllowed:
				s += " (no claim)"
				none++
			case !shown[k.ID()]:
				s += " (open)"
				none++
			case k.Difference.Estimate > 0:
				up++
			default:
				down++
			}
			each = append(each, s)
		}
		s := fmt.Sprintf("%s, %s: %s.", capital(metricTitle(a.Design.Metric)), against(p.a, p.b), strings.Join(each, "; "))
		switch {
		case up > 0 && down > 0:
			s += " The direction changes with the player: there is no one answer, and none of these may be given alone."
		case none > 0 && up+down > 0:
			s += " Not every player shows it."
		case up+down == len(ks):
			s += " All of them show the same direction."
		}
		out = append(out, s)
	}
	return out
}

// against names a comparison of two rulesets. Of two combinations of a factorial that
// differ in one factor it names this factor once, and then what they share.
func against(a, b string) string {
	xs, ys := strings.Split(a, ", "), strings.Split(b, ", ")
	at := -1
	for i := range xs {
		if len(xs) != len(ys) || xs[i] != ys[i] && at >= 0 {
			at = -1
			break
		}
		if xs[i] != ys[i] {
			at = i
		}
	}
	if at >= 0 && len(xs) > 1 {
		factor, to, ok := strings.Cut(xs[at], "=")
		other, from, also := strings.Cut(ys[at], "=")
		if ok && also && factor == other {
			shared := slices.Delete(slices.Clone(xs), at, at+1)
			return fmt.Sprintf("%s: “%s” instead of “%s”, with %s", factor, to, from, strings.Join(shared, ", "))
		}
	}
	return fmt.Sprintf("“%s” minus “%s”", a, b)
}

func are(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func evidence(n int, of string) string {
	switch n {
	case 0:
		return "None gives evidence " + of + "."
	case 1:
		return "1 gives evidence " + of + "."
	}
	return fmt.Sprintf("%d give evidence %s.", n, of)
}

func rest(within, open int) string {
	var out []string
	if within > 0 {
		out = append(out, map[bool]string{true: "1 is", false: fmt.Sprintf("%d are", within)}[within == 1]+" shown to lie within the margin that was fixed in advance")
	}
	if open > 0 {
		out = append(out, map[bool]string{true: "1 stays", false: fmt.Sprintf("%d stay", open)}[open == 1]+" open or allow no claim")
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, ", ") + "."
}

// howToRead is the box for readers without statistics.
func howToRead(as []*experiments.Analysis) Block {
	level := 95.0
	if len(as) > 0 && as[0].Design.Level > 0 {
		level = 100 * as[0].Design.Level
	}
	return Box("How to read this",
		List([]string{
			"Programs played reconstructions of the game against themselves and each other. Each sentence is about the program (agent), its budget of thinking and the start positions that it names, and about nothing else: another agent may play the same rules to another result, and nothing here says how people played.",
			fmt.Sprintf("61.9 %% [51.8, 72.0] means: 61.9 was measured, and the games fit with every value from 51.8 to 72.0. Intervals are at %g %%: made over and over from fresh games, they would miss the true value in about %g of 100 cases. A wide interval means few games, not a large effect.", level, round(100-level)),
			"Evidence of a difference: chance alone would rarely give what was measured, even allowing for how many comparisons were made.",
			"Shown to be within the margin: the value was tested against a margin fixed before the games, and lies within it. Only this allows words such as even or as good as the same.",
			"Open: the games do not decide. It says neither that there is an effect nor that there is none.",
			"Provisional: the result still moves, or may move, as the agents get stronger. Exploratory: the design was not shown able to answer its question; a result is a hint for a next experiment.",
			"No claim: too many games were stopped by the length cap, or too many were copies of each other.",
		}),
		Text("Words such as ply, ruleset or Holm's correction are explained in the glossary near the end; each figure has its numbers in a table below it."))
}

func round(x float64) float64 {
	const places = 1e6
	return float64(int64(x*places+0.5)) / places
}

// The groups in which findings are listed.
var groups = []struct{ kind, title string }{
	{"effect", "What single rules change"},
	{"contrast", "What the rules change"},
	{"score", "What moving first is worth"},
	{"ranking", "The order of the rulesets"},
	{"trend", "Whether strength changes the result"},
	{"control", "Whether strength changes the result"},
	{"strength", "How strong the agents are"},
	{"", "Further findings"},
}

func groupOf(f experiments.Finding) int {
	for i, g := range groups {
		if g.kind == f.Kind {
			return i
		}
	}
	return len(groups) - 1
}

// groupOrder are the groups in the order for a reader: what the design fixed as its
// question before what was looked at besides.
func groupOrder(a *experiments.Analysis) []int {
	asked := make([]bool, len(groups))
	for _, f := range a.Findings {
		if f.Primary {
			asked[groupOf(f)] = true
		}
	}
	var first, then []int
	for i := range groups {
		if asked[i] {
			first = append(first, i)
		} else {
			then = append(then, i)
		}
	}
	return append(first, then...)
}

// findingGroups lists the findings by kind: what is confirmatory first, the clear ones
// before the open ones; what is secondary is folded when there is much of it.
func findingGroups(a *experiments.Analysis, several bool) []Block {
	const most = 8
	prefix := "finding-"
	if several {
		prefix += a.Design.ID + "-"
	}
	var out []Block
	last := ""
	confirmatory := slices.ContainsFunc(a.Findings, func(f experiments.Finding) bool { return f.Primary })
	for _, i := range groupOrder(a) {
		g := groups[i]
		var primary, secondary []experiments.Finding
		for _, f := range a.Findings {
			if groupOf(f) != i {
				continue
			}
			if f.Primary || !confirmatory && f.Kind == "score" && f.ExcludesNoEffect {
				primary = append(primary, f)
			} else {
				secondary = append(secondary, f)
			}
		}
		if len(primary)+len(secondary) == 0 {
			continue
		}
		if g.title != last {
			out = append(out, heading{g.title})
		}
		last = g.title
		all := append(slices.Clone(primary), secondary...)
		if len(all) <= most {
			out = append(out, findingList{prefix, all})
			continue
		}
		if len(primary) > most {
			slices.SortStableFunc(primary, clearFirst)
			primary, secondary = primary[:most], append(slices.Clone(primary[most:]), secondary...)
		}
		if len(primary) > 0 {
			out = append(out, findingList{prefix, primary})
		}
		if len(secondary) > 0 {
			word := "finding"
			if len(primary) > 0 {
				word = "further finding"
			}
			out = append(out, foldedIn("tests.csv, metrics.csv", experiments.Plural(len(secondary), word)+": "+strings.ToLower(g.title[:1])+g.title[1:], findingList{prefix, secondary}))
		}
	}
	return out
}

func clearFirst(a, b experiments.Finding) int {
	n := func(f experiments.Finding) int {
		k := 2
		if f.ExcludesNoEffect {
			k = 0
		} else if f.Within {
			k = 1
		}
		if !f.Primary {
			k += 4
		}
		return k
	}
	return n(a) - n(b)
}

type findingList struct {
	prefix string
	all    []experiments.Finding
}

// verdict says in a few words what kind of answer a finding is.
func verdict(f experiments.Finding) string {
	s := "Evidence of a difference"
	switch {
	case f.NoClaim:
		s = "No claim"
	case f.Kind == "score" && f.Within && f.ExcludesNoEffect:
		s = "Not exactly even, but within the margin"
	case f.Within && f.ExcludesNoEffect:
		s = "Evidence of a difference, but within the margin"
	case f.Within:
		s = "Shown to be within the margin"
	case !f.ExcludesNoEffect:
		s = "Open"
	case f.Kind == "score":
		s = "Evidence that the score is not even"
	case f.Kind == "trend":
		s = "Evidence of a trend"
	case f.Kind == "strength":
		s = "Evidence that one is stronger"
	case f.Kind == "effect":
		s = "Evidence of an effect"
	}
	if f.Provisional {
		s += " · provisional"
	}
	return s
}

func (l findingList) render(w *strings.Builder) {
	all := slices.Clone(l.all)
	slices.SortStableFunc(all, clearFirst)
	w.WriteString("<ul class=\"findings\">\n")
	for _, f := range all {
		class := ""
		if f.ExcludesNoEffect {
			class = " class=\"clear\""
		}
		fmt.Fprintf(w, "<li%s id=\"%s\"><span class=\"tag\">%s</span>%s</li>\n", class, anchor(l.prefix+f.ID), verdict(f), esc(f.Sentence))
	}
	w.WriteString("</ul>\n")
}
