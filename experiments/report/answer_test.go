package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/stats"
)

// rendered is a section as it stands on the page, without its marks.
func rendered(s Section) string {
	var w strings.Builder
	for _, b := range s.Blocks {
		b.render(&w)
	}
	return strings.ReplaceAll(regexp.MustCompile(`(?s)<svg.*?</svg>|<[^>]*>`).ReplaceAllString(w.String(), " "), "\u00a0", " ")
}

// TestFirstPage: the page begins with what limits the result and why, the answer with its
// uncertainty, one figure, and the rules that no source attests with their certainty. The
// figure is of the design's own measure, and stands nowhere else.
func TestFirstPage(t *testing.T) {
	for figure, a := range map[string]string{
		"crossed-effects-first-player-score":  "crossed",
		"ordered-contrast-first-player-score": "ordered",
		"stopped-scores":                      "stopped",
	} {
		x := crossed(t)
		switch a {
		case "ordered":
			x = ordered(t, 3, 3)
		case "stopped":
			x = stopped(t)
		}
		r := Standard(x, nil)
		if r.Lead != x.Design.Question {
			t.Errorf("%s: the question does not head the page: %q", a, r.Lead)
		}
		first := r.Sections[0]
		text := rendered(first)
		want := []string{"The answer in short", "nswered", "This rests on ", "(assumed"}
		if slices.ContainsFunc(x.Findings, func(f experiments.Finding) bool { return f.Provisional }) {
			want = append(want, "Provisional", "ot measured: ")
		}
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the first page does not say %q: %s", a, w, text)
			}
		}
		if !regexp.MustCompile(`\[[^\]]*\d[^\]]*, [^\]]*\d[^\]]*\]`).MatchString(text) {
			t.Errorf("%s: no interval on the first page: %s", a, text)
		}
		var pictures []string
		for _, b := range first.Blocks {
			if p, ok := b.(Picture); ok {
				pictures = append(pictures, p.Figure.ID)
			}
		}
		if len(pictures) != 1 || pictures[0] != figure {
			t.Errorf("%s: figures %v on the first page, want %s", a, pictures, figure)
		}
		if n := strings.Count(r.HTML(), `<figure id="`+figure+`"`); n != 1 {
			t.Errorf("%s: %d × %s", a, n, figure)
		}
	}
}

// TestRestsOnNamesWhatDiffers: a rule that an experiment varies is named as one that is not
// the same everywhere, with its values.
func TestRestsOnNamesWhatDiffers(t *testing.T) {
	text := rendered(Section{Blocks: restsOn(crossed(t))})
	differ, _, _ := strings.Cut(text, "The same in all")
	for _, want := range []string{"Not the same in all that is compared: ", "capture.corner (assumed", "end.tie (assumed"} {
		if !strings.Contains(differ, want) {
			t.Errorf("%q does not name %q", differ, want)
		}
	}
	if one := rendered(Section{Blocks: restsOn(stopped(t))}); strings.Contains(one, "same in all") || !strings.Contains(one, "= ") {
		t.Errorf("of one ruleset it says: %s", one)
	}
}

// TestHeadline: the answer in a sentence follows what the findings say, and names where
// their intervals reach.
func TestHeadline(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	finding := func(estimate, low, high float64, clear, within, none bool) experiments.Finding {
		return experiments.Finding{Kind: "contrast", Primary: true, Unit: "points", Estimate: number(estimate), Low: number(low), High: number(high),
			ExcludesNoEffect: clear, Within: within, NoClaim: none}
	}
	up := finding(0.2, 0.1, 0.3, true, false, false)
	open := finding(0.05, -0.1, 0.2, false, false, false)
	small := finding(0.01, -0.02, 0.04, false, true, false)
	tiny := finding(0.03, 0.02, 0.04, true, true, false)
	none := finding(0.3, 0.2, 0.4, true, false, true)
	for _, x := range []struct {
		all  []experiments.Finding
		want string
	}{
		{[]experiments.Finding{up}, "Answered for these agents: the comparison gives evidence of a difference in the share of draws. It was +20.0 points [+10.0 points, +30.0 points]."},
		{[]experiments.Finding{up, up}, "Answered for these agents: each of 2 comparisons gives evidence"},
		{[]experiments.Finding{small}, "Answered for these agents: the comparison is shown to lie within the margin."},
		{[]experiments.Finding{up, open, small, none}, "Answered in part: of 4 comparisons 1 gives evidence of a difference in the share of draws, 1 is shown to lie within the margin, 1 stays open, 1 allows no claim."},
		{[]experiments.Finding{open, open}, "Not answered by these games: of 2 comparisons none gives evidence of a difference in the share of draws, and none is shown to be small. The estimates lie between +5.0 points and +5.0 points, and their intervals reach from −10.0 points to +20.0 points."},
		{[]experiments.Finding{tiny, small}, "Answered for these agents: each of 2 comparisons is shown to lie within the margin. Within the margin is not nothing: 1 of these gives evidence of a difference in the share of draws. The estimates"},
		{[]experiments.Finding{none}, "No claim is made from these games: not one of 1 comparison allows it."},
		{nil, ""},
	} {
		a := &experiments.Analysis{Findings: x.all}
		a.Design.Metric = "draw-share"
		got := headline(a)
		if !strings.HasPrefix(got, x.want) || x.want == "" && got != "" {
			t.Errorf("got  %q\nwant %q", got, x.want)
		}
		for _, v := range CheckWords(got) {
			t.Errorf("%q in %q", v.Phrase, got)
		}
	}
	// Findings without a question of their own: the scores.
	s := finding(0.55, 0.5, 0.6, true, false, false)
	s.Kind, s.Primary = "score", false
	if got := headline(&experiments.Analysis{Findings: []experiments.Finding{s}}); !strings.HasPrefix(got, "Answered for these agents: the score gives evidence that it is not even. It was 55.0 %") {
		t.Errorf("of a score: %q", got)
	}
}

// TestHeadlineOfASequentialDesign: two rulesets in a sequential design are compared as they
// happened to be played; what it promises, and so the headline and the figure of the first
// page, is about scores.
func TestHeadlineOfASequentialDesign(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	a := &experiments.Analysis{Findings: []experiments.Finding{
		{Kind: "contrast", Primary: true, Unit: "points", Estimate: number(-0.1), Low: number(-0.2), High: number(0.01), Sentence: "The comparison stays open."},
		{Kind: "score", Primary: true, Unit: "points", Estimate: number(0.6), Low: number(0.55), High: number(0.65), ExcludesNoEffect: true, Sentence: "The first player scored more."},
		{Kind: "score", Primary: true, Unit: "points", Estimate: number(0.5), Low: number(0.48), High: number(0.52), Within: true, Sentence: "The score is even."},
	}}
	a.Design.ID, a.Design.Metric = "s", "first-player-score"
	a.Design.Rulesets = []experiments.RulesetRef{{Ref: "bell-8x7"}, {Ref: "luductus"}}
	figures := func() []Section {
		return []Section{{Blocks: []Block{Picture{Figure: figure.Figure{ID: "s-contrast-first-player-score"}}, Picture{Figure: figure.Figure{ID: "s-scores"}}}}}
	}
	for _, x := range []struct {
		rule, head, figure string
		has, lacks         string
	}{
		{"fixed", "Not answered by these games: the comparison gives no evidence", "s-contrast-first-player-score", "The comparison stays open.", "The first player scored more."},
		{"sequential", "Answered in part: of 2 scores 1 gives evidence that it is not even, 1 is shown to lie within the margin.", "s-scores", "The first player scored more.", "The comparison stays open."},
	} {
		a.Design.Stopping.Rule = x.rule
		if got := headline(a); !strings.HasPrefix(got, x.head) {
			t.Errorf("%s: %q", x.rule, got)
		}
		if p := takeMain(a, figures()); p == nil || p.Figure.ID != x.figure {
			t.Errorf("%s: figure %+v", x.rule, p)
		}
		page := Report{Sections: []Section{{Blocks: []Block{answer(a, false)}}}}.HTML()
		if !strings.Contains(page, x.has) || strings.Contains(page, x.lacks) {
			t.Errorf("%s: the box has %v, lacks %v", x.rule, strings.Contains(page, x.has), !strings.Contains(page, x.lacks))
		}
		if besides := strings.Contains(page, "for which the design promised nothing"); besides != (x.rule == "sequential") {
			t.Errorf("%s: comparisons stand besides the question: %v", x.rule, besides)
		}
	}
}

// TestAgainst: two combinations that differ in one factor are named by it.
func TestAgainst(t *testing.T) {
	for _, x := range []struct{ a, b, want string }{
		{"bell-8x7@superko", "bell-8x7", "“bell-8x7@superko” minus “bell-8x7”"},
		{"taken=bound first, hop=nobody", "taken=at once, hop=nobody", "taken: “bound first” instead of “at once”, with hop=nobody"},
		{"hop=nobody, taken=bound first", "hop=nobody, taken=at once", "taken: “bound first” instead of “at once”, with hop=nobody"},
		{"a=1, b=1", "a=2, b=2", "“a=1, b=1” minus “a=2, b=2”"},
		{"dux=royal", "dux=none", "“dux=royal” minus “dux=none”"},
		{"a=1, b=1", "a=1, b=1, c=2", "“a=1, b=1” minus “a=1, b=1, c=2”"},
	} {
		if got := against(x.a, x.b); got != x.want {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}

// TestDecisionWords: what is there and small is not called no difference.
func TestDecisionWords(t *testing.T) {
	apart := stats.Interval{Estimate: -9.7, Low: -12.3, High: -7.1, Level: 0.95}
	across := stats.Interval{Estimate: 0.2, Low: -2.6, High: 2.9, Level: 0.95}
	for _, x := range []struct {
		decision string
		p        float64
		iv       stats.Interval
		want     string
	}{
		{experiments.DecisionNoDifference, 0.0001, apart, "a difference, but within the margin"},
		{experiments.DecisionNoDifference, 0.2, apart, "within the margin"},
		{experiments.DecisionNoDifference, 0.9, across, "within the margin"},
		{experiments.DecisionDifference, 0.0001, apart, experiments.DecisionDifference},
		{experiments.DecisionTrial, 0.0001, apart, experiments.DecisionTrial},
	} {
		if got := decisionWords(x.decision, x.p, x.iv); got != x.want {
			t.Errorf("%+v: %q", x, got)
		}
	}
}
