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
		want := []string{"The answer in short", "This rests on ", "(assumed"}
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
