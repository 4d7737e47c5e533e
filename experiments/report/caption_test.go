package report

import (
	"math"
	"strings"
	"testing"

	"latro/experiments"
	"latro/experiments/stats"
)

// TestCaptionsSayWhatTheFigureShows: the sentence under the scores has the range and the furthest estimate with its
// interval, and the one under the curves the change over all budgets, or why there is none.
func TestCaptionsSayWhatTheFigureShows(t *testing.T) {
	cell := func(name string, x float64) *experiments.CellResult {
		c := &experiments.CellResult{Score: stats.Interval{Estimate: x, Low: x - 0.1, High: x + 0.1}}
		c.Name, c.Title, c.SelfPlay, c.A = name, name, true, "greedy"
		return c
	}
	got := rangeOfScores([]*experiments.CellResult{cell("one", 0.52), cell("two", 0.44), cell("three", math.NaN())})
	for _, want := range []string{"from 44.0 % to 52.0 %", "two", "44.0 % [34.0, 54.0]"} {
		if !strings.Contains(got, want) {
			t.Errorf("the caption of the scores is %q, without %q", got, want)
		}
	}
	// Four doublings from 100 to 1600.
	got2 := trendWords("Bell", experiments.BudgetTrend{Kind: "uct", Budgets: []int{100, 400, 1600}, Score: stats.Interval{Estimate: 0.01, Low: -0.02, High: 0.04}})
	for _, want := range []string{"UCT 100 to 1600", "+4.0 points [−8.0 points, +16.0 points]"} {
		if !strings.Contains(got2, want) {
			t.Errorf("the caption of the curves is %q, without %q", got2, want)
		}
	}
	one := []experiments.Strength{{Points: []experiments.StrengthPoint{{Kind: "random"}, {Kind: "uct", Budget: 100}, {Kind: "alphabeta", Budget: 300}}}}
	two := []experiments.Strength{{Points: append(one[0].Points[:3:3], experiments.StrengthPoint{Kind: "uct", Budget: 400})}}
	nodes := []experiments.Strength{{Points: append(one[0].Points[:3:3], experiments.StrengthPoint{Kind: "alphabeta", Budget: 1000})}}
	if c := noTrend(nodes); !strings.Contains(c, "nodes of alpha-beta") {
		t.Errorf("two depths of alpha-beta: %q", c)
	}
	a, b := noTrend(one), noTrend(two)
	if !strings.Contains(a, "with two numbers of simulations") || !strings.Contains(b, "too few games") {
		t.Errorf("without a trend the captions are %q and %q", a, b)
	}
	for _, s := range []string{got, got2, a, b, tallied(12, map[string]int{experiments.DecisionOpen: 12})} {
		for _, v := range CheckWords(s) {
			t.Errorf("%q in %q: %s", v.Phrase, v.Sentence, v.Why)
		}
	}
}
