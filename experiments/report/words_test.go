package report

import (
	"math"
	"strings"
	"testing"

	"latro/experiments/metrics"
	"latro/experiments/stats"
)

func TestCheckWordsRefuses(t *testing.T) {
	for _, s := range []string{
		"Bell's game is balanced.",
		"The game is perfectly balanced",
		"Under UCT 100 the score was 0.51. So the game is drawn.",
		"Luductus seems unfair to the second player.",
		"This is a balanced ruleset.",
		"These are the rules that the Romans played.",
		"The Romans would have preferred the shorter game.",
		"This is what Roman soldiers played.",
		"This ruleset is historically accurate.",
		"Binding first is the better game.",
		"The experiment proves that corners matter.",
		"Certainly the dux matters.",
		"There is no difference between the two.",
		"The rule has no effect on the score.",
		"The rule does not matter.",
		"The capped games count as draws.",
		"With perfect play it is a win.",
		"The score was NaN.",
		"The score was %!f(string=x).",
		"rulesets were better",
		"The rules are\u00a0fair.",
	} {
		if len(CheckWords(s)) == 0 {
			t.Errorf("allowed: %s", s)
		}
	}
}

func TestCheckWordsAllows(t *testing.T) {
	for _, s := range []string{
		// The method's own example.
		"Under agent A at budget b on start set O, P1 scored 0.512 [0.498, 0.526], equivalent to even within 0.03; trend over budgets falling; rank stability τ = 0.8.",
		"No clear evidence of a difference (p = 0.57 after Holm's correction); effects anywhere in the interval remain possible.",
		"With the random agent on both sides, 12 of 80 games were drawn.",
		"It is a class of its own, never a draw.",
		"The interval excludes 50 %: moving first was an advantage for this agent on these starts.",
		"That is equivalent to an even score within the margin of ±5 points that was fixed in advance (p = 0.01).",
		"no difference within margin",
		"No complete rules of the Roman game survive.",
		"The whole interval lies above 50 %: it is the stronger of the two here.",
		"The finance of infantry is undefinable here.",
	} {
		for _, v := range CheckWords(s) {
			t.Errorf("refused %q in: %s", v.Phrase, s)
		}
	}
}

func TestCheckWordsSaysWhere(t *testing.T) {
	v := CheckWords("One sentence. The game is fair. Another one.")
	if len(v) != 1 || v[0].Sentence != "The game is fair." || v[0].Phrase != "is fair" || !strings.Contains(v[0].Why, "agent") {
		t.Errorf("got %+v", v)
	}
}

// TestUnboundedIntervals: a measure that was equal in all games, or of one pair, has an
// interval without an end; the page says so in words, never by the name of an infinity.
func TestUnboundedIntervals(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct {
		iv   stats.Interval
		want string
	}{
		{stats.Interval{Estimate: 0, Low: 0, High: inf}, "0.00 [at least 0.00; no upper bound from these games]"},
		{stats.Interval{Estimate: 2, Low: -inf, High: 3}, "2.00 [at most 3.00; no lower bound from these games]"},
		{stats.Interval{Estimate: 2, Low: -inf, High: inf}, "2.00, interval not known"},
		{stats.Interval{Estimate: inf, Low: 1, High: inf}, "no data"},
		{stats.Interval{Estimate: 0.001, Low: -1.5, High: 1.5}, "0.00 [−1.50, 1.50]"},
	} {
		got := around(x.iv, 2)
		if got != x.want {
			t.Errorf("around(%v) is %q, want %q", x.iv, got, x.want)
		}
		for _, s := range []string{got, short(x.iv), amount(&metrics.Value{Unit: "odds", Interval: x.iv}), amount(&metrics.Value{Unit: "times", Interval: x.iv})} {
			if v := CheckWords(s); x.want != "no data" && v != nil {
				t.Errorf("%q: %v", s, v)
			}
		}
	}
}
