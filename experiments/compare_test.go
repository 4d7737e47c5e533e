package experiments

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"latro/env/rules"
)

// comparing opens two rulesets and makes the design that compares them.
func comparing(t *testing.T, a, b string) (Design, *rules.Ruleset, *rules.Ruleset) {
	t.Helper()
	x, err := rules.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := rules.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	d, err := CompareDesign(RulesetRef{Ref: a}, RulesetRef{Ref: b}, x, y, "")
	if err != nil {
		t.Fatal(err)
	}
	return d, x, y
}

func TestCompareDesign(t *testing.T) {
	d, _, _ := comparing(t, "bell-8x7", "bell-8x7+capture.corner=neutral")
	if !d.Exploratory || !strings.Contains(d.Question, "One rule differs: capture.corner is hostile in the first and neutral in the second") || strings.Contains(d.Question, "boards") {
		t.Errorf("question %q, exploratory %v", d.Question, d.Exploratory)
	}
	if err := Needed(d); err != nil {
		t.Error(err)
	}
	d, x, y := comparing(t, "bell-8x7", "webdux")
	if SameBoard(x, y) || !strings.Contains(d.Question, "the comparison is of the bundle") || !strings.Contains(d.Question, "The boards or the pieces differ") {
		t.Errorf("question %q", d.Question)
	}
	// Every metric is compared, the later ruleset less the earlier one.
	if len(d.Comparisons) != len(exploredMetrics("length")) || d.Comparisons[0].B != "bell-8x7" {
		t.Errorf("comparisons %+v", d.Comparisons)
	}
	if _, err := CompareDesign(RulesetRef{Ref: "webdux"}, RulesetRef{Ref: "webdux"}, y, y, ""); !errors.Is(err, ErrInvalid) {
		t.Errorf("a ruleset is compared with itself: %v", err)
	}
}

func TestDesignFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "design.yaml")
	d, _, _ := comparing(t, "bell-8x7", "bell-8x7@superko")
	d.Title = `He said "why: not" \ #1 – ≥ <b>`
	d.Agents = []AgentRef{{Spec: "random"}, {Name: "a, b: {c}", Spec: "uct:simulations=8"}}
	d.Matches = []Match{{A: "a, b: {c}", B: "random"}}
	d.Rulesets[1].Set = []string{"capture.corner=neutral"}
	d.Rulesets[1].Name = "yes"
	d.compareWith("bell-8x7", "yes")
	d.Comparisons[0].Family, d.Comparisons[1].Agent = Screening, "random"
	d.Margin, d.Seed = 0.0625, math.MaxUint64
	if err := WriteDesignFile(path, d, "two\nlines"); err != nil {
		t.Fatal(err)
	}
	again, err := LoadDesign(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != d.Hash() {
		t.Errorf("%+v\nwas written, read back as\n%+v", d, again)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "# two\n# lines\n") {
		t.Errorf("%s, %v", text, err)
	}
	for what, change := range map[string]func(*Design){
		"a factorial":  func(d *Design) { d.Rulesets, d.Factorial = nil, &Factorial{} },
		"networks":     func(d *Design) { d.Rulesets[0].Network = "shipped" },
		"a stopping":   func(d *Design) { d.Stopping.Rule = "fixed" },
		"for matches":  func(d *Design) { no := false; d.Agents[0].SelfPlay = &no },
		"no agents":    func(d *Design) { d.Agents = nil },
		"pairs of its": func(d *Design) { d.Pairs = -1 },
	} {
		x := again
		x.Rulesets = append([]RulesetRef(nil), d.Rulesets...)
		x.Agents = append([]AgentRef(nil), d.Agents...)
		change(&x)
		other := filepath.Join(dir, "other.yaml")
		if err := WriteDesignFile(other, x, ""); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Stat(other); err == nil {
			t.Errorf("%s: something was written", what)
		}
	}
}

// A tie rule moves the first player's score by exactly half the share of ties and
// leaves everything else as it is, since the random agent plays the very same games:
// the answer must say so to the digit.
func TestAnswerOfATieRule(t *testing.T) {
	d, _, _ := comparing(t, "bell-8x7", "bell-8x7+end.tie=player-1")
	d.Agents = []AgentRef{{Spec: "random"}}
	d.Pairs, d.Margin = 120, 0.05
	an, _ := analysed(t, d)
	a, err := AnswerOf(an)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]Change{}
	for _, c := range a.Changes {
		of[c.Metric] = c
	}
	draws, score := of["draw-share"], of["first-player-score"]
	if draws.Before == 0 || math.Abs(score.Difference.Estimate+draws.Before/2) > 1e-12 {
		t.Errorf("the score changed by %v where %v of the games were ties", score.Difference.Estimate, draws.Before)
	}
	if a.Changes[0].Metric != d.Metric || !score.Primary || draws.Primary || !a.CommonStarts || a.Strongest != "random" {
		t.Errorf("answer %+v", a)
	}
	if score.Verdict != VerdictChanged && score.Verdict != VerdictSmall {
		t.Errorf("a change that is there in every tie: %+v", score)
	}
	for _, same := range []string{"length", "captures"} {
		if c := of[same]; c.Difference.Estimate != 0 || c.Verdict != VerdictOpen && c.Verdict != VerdictWithin {
			t.Errorf("%s changed: %+v", same, c)
		}
	}
	short := strings.Join(a.Short, "\n")
	for _, want := range []string{"With the random agent on both sides, the first player's score, the primary measure, went from", "No change was shown in", "length"} {
		if !strings.Contains(short, want) {
			t.Errorf("%q is not in\n%s", want, short)
		}
	}
	limits := strings.Join(a.Limits, "\n")
	if !strings.Contains(limits, "Exploratory") || strings.Contains(limits, "bundle") || strings.Contains(limits, "same positions") {
		t.Errorf("limits\n%s", limits)
	}
	if len(a.Rules) != 1 || !strings.Contains(a.Rules[0], "draw → player-1") {
		t.Errorf("rules %v", a.Rules)
	}
	for _, u := range a.Uses {
		if u.IntervalsApart || u.Before != u.After {
			t.Errorf("the same games use other plies: %+v", u)
		}
	}
}

func TestVerdicts(t *testing.T) {
	k := Contrast{ClaimAllowed: true, Metric: "first-player-score", Unit: "points", Adjusted: 0.5}
	k.Difference.Estimate, k.Difference.Low, k.Difference.High = -0.02, -0.07, 0.03
	c := k.change(0.95)
	if c.Verdict != VerdictOpen || c.Excluded != 0.07 || c.Words() != "no change shown; more than 7.0 points is unlikely" {
		t.Errorf("%+v: %s", c, c.Words())
	}
	k.Difference.High = -0.01
	if c = k.change(0.95); c.Verdict != VerdictHint {
		t.Errorf("%+v", c)
	}
	k.Adjusted = 0.01
	if c = k.change(0.95); c.Verdict != VerdictChanged {
		t.Errorf("%+v", c)
	}
	k.ClaimAllowed = false
	if c = k.change(0.95); c.Verdict != VerdictNoClaim {
		t.Errorf("%+v", c)
	}
	if s := SignedInterval(k.Difference, "points"); s != "−2.0 points [−7.0, −1.0]" {
		t.Error(s)
	}
}

// TestFit: what is free is chosen, what is given stays, and what cannot be had in the
// time is said. How many pairs come out depends on the machine; that they are sound
// numbers does not.
func TestFit(t *testing.T) {
	d, _, _ := comparing(t, "bell-8x7", "bell-8x7@sixty-plies")
	fit, err := Fit(context.Background(), d, FitOptions{Time: 8 * time.Second, Workers: 2, Budgets: CompareBudgets(), Meet: true, ChooseCap: true, ChooseMetric: true})
	if err != nil {
		t.Fatal(err)
	}
	x := fit.Design
	if x.Pairs < fewestPairs || x.Pairs%fewestPairs != 0 || x.UnitPairs < 1 || x.UnitPairs > 16 || len(x.Agents) < 2 || x.Agents[0].Spec != "random" || x.Margin != 0.05 || x.Metric != "first-player-score" {
		t.Errorf("fitted %+v", x)
	}
	if x.Cap < fittedCaps[0] || x.Cap > fittedCaps[len(fittedCaps)-1] || fit.Games != 2*x.Pairs*len(x.Cells()) || fit.GameSeconds > 8 {
		t.Errorf("fitted %+v", fit)
	}
	if err := WriteDesignFile(filepath.Join(t.TempDir(), "design.yaml"), x, ""); err != nil {
		t.Error(err)
	}

	// What was given stays.
	d.Agents, d.Cap, d.Metric, d.Margin = []AgentRef{{Spec: "greedy"}}, 77, "length", 12
	if fit, err = Fit(context.Background(), d, FitOptions{Time: time.Second, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if x := fit.Design; len(x.Agents) != 1 || x.Agents[0].Spec != "greedy" || x.Cap != 77 || x.Metric != "length" || x.Margin != 12 {
		t.Errorf("fitted %+v", x)
	}

	// No game of these can be paid for: the error says what to do.
	d.Agents = []AgentRef{{Spec: "uct:simulations=5000"}}
	_, err = Fit(context.Background(), d, FitOptions{Time: time.Second / 2, Workers: 1})
	if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "minutes are too few") || !strings.Contains(err.Error(), "cheaper players") {
		t.Errorf("too slow: %v", err)
	}
	// Games that do not end leave nothing to say about who wins.
	d, _, _ = comparing(t, "locus-ludi-seneca", "locus-ludi-seneca@own-hops-only")
	d.Agents = []AgentRef{{Spec: "random"}}
	if fit, err = Fit(context.Background(), d, FitOptions{Time: 2 * time.Second, Workers: 2, ChooseCap: true, ChooseMetric: true}); err != nil {
		t.Fatal(err)
	}
	if x := fit.Design; x.Metric != "capped-share" || x.Cap != fittedCaps[0] || len(fit.Notes) == 0 || !strings.Contains(fit.Notes[0], "do not end within 400 plies") {
		t.Errorf("fitted %+v with notes %q", x, fit.Notes)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = Fit(stopped, d, FitOptions{Time: time.Second, Workers: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped pilot: %v", err)
	}
}

// TestAnswerAtTheCap: where most games are stopped by the cap, that their lengths do not
// differ is a ceiling and no finding; the answer says so in its place.
func TestAnswerAtTheCap(t *testing.T) {
	for limit, ceiling := range map[int]bool{30: true, 1000: false} {
		d, _, _ := comparing(t, "bell-8x7", "bell-8x7+end.tie=player-1")
		d.Agents = []AgentRef{{Spec: "random"}}
		d.Pairs, d.Margin, d.Cap = 40, 0.05, limit
		an, _ := analysed(t, d)
		a, err := AnswerOf(an)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.Join(a.Short, "\n")
		if got := strings.Contains(short, "Length says little: it is counted up to the cap of 30 plies"); got != ceiling {
			t.Errorf("a cap of %d: %s", limit, short)
		}
		if got := strings.Contains(short, "length (more than"); got == ceiling {
			t.Errorf("a cap of %d: %s", limit, short)
		}
	}
}
