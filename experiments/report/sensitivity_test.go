package report

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
	"latro/experiments"
)

// TestSensitivitySection: the page of an experiment that looks at all readings of a
// ruleset ranks them, with a figure and in words that it may use; the pages of others
// do not.
func TestSensitivitySection(t *testing.T) {
	r, err := rules.Open("luductus")
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := experiments.SensitivityDesign(experiments.RulesetRef{Ref: "luductus"}, r, "")
	if err != nil {
		t.Fatal(err)
	}
	d.Agents = []experiments.AgentRef{{Spec: "random"}, {Spec: "uct:simulations=2"}}
	d.Pairs, d.Margin = 8, 0.05
	a := run(t, t.TempDir(), d)
	page := Standard(a, nil)
	var found *Section
	for i, s := range page.Sections {
		if s.ID == "readings-"+anchor(d.ID) {
			found = &page.Sections[i]
		}
	}
	if found == nil {
		t.Fatal("the page does not rank the readings")
	}
	// Its figure is the answer, on the first page.
	var text strings.Builder
	for _, b := range slices.Concat(page.Sections[0].Blocks, found.Blocks) {
		b.render(&text)
	}
	for _, want := range []string{"praetorian-leaps-row", "A27", "once chance is allowed for", "rank 1 to ", "The largest of", "measured with ", "Any of its own legionaries"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the section", want)
		}
	}
	if n := strings.Count(text.String(), "<figure "); n != 1 {
		t.Errorf("%d figures", n)
	}
	for _, s := range (Report{Sections: []Section{page.Sections[0], *found}}).Generated() {
		for _, v := range CheckWords(s) {
			t.Errorf("the report says %q in: %s\n(%s)", v.Phrase, v.Sentence, v.Why)
		}
	}
	s := experiments.SensitivityOf(a)
	say := append([]string{}, s.Short...)
	for _, row := range s.Rows {
		say = append(say, row.Sentence)
	}
	// What a comparison says must keep to the same words.
	x, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	y, err := rules.Open("webdux")
	if err != nil {
		t.Fatal(err)
	}
	c, err := experiments.CompareDesign(experiments.RulesetRef{Ref: "bell-8x7"}, experiments.RulesetRef{Ref: "webdux"}, x, y, "")
	if err != nil {
		t.Fatal(err)
	}
	c.Agents, c.Pairs, c.Margin = d.Agents, 8, 0.05
	dir := t.TempDir()
	if err := experiments.Run(context.Background(), dir, c, experiments.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	two, err := experiments.Analyse(dir)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := experiments.AnswerOf(two)
	if err != nil {
		t.Fatal(err)
	}
	say = append(append(say, answer.Short...), answer.Limits...)
	for _, sentence := range say {
		for _, v := range CheckWords(sentence) {
			t.Errorf("%q in: %s\n(%s)", v.Phrase, v.Sentence, v.Why)
		}
	}
	limits := strings.Join(answer.Limits, "\n")
	if answer.CommonStarts || !strings.Contains(limits, "not played from the same positions") || !strings.Contains(limits, "comparison is of the bundle") {
		t.Errorf("limits\n%s", limits)
	}
	if sensitivity(two) != nil {
		t.Error("two rulesets are ranked as readings")
	}
	if dir := os.Getenv("LATRO_REPORT"); dir != "" { // set to look at it
		if _, err := Write(dir, page); err != nil {
			t.Fatal(err)
		}
	}
}
