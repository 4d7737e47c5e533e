package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/experiments"
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
