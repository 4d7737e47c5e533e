package experiments

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// withReadings writes Bell's game with the given readings instead of its own.
func withReadings(t *testing.T, readings string) (string, *rules.Ruleset) {
	t.Helper()
	r, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteYAML(&b, false); err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(b.String(), "\nreadings:")
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(text+"\n"+readings), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err = rules.Open(path); err != nil {
		t.Fatal(err)
	}
	return path, r
}

const plantedReadings = `readings:
  tie-first: {ambiguity: A8, note: A tie is the first player's., set: {end.tie: player-0}}
  tie-second: {ambiguity: A8, note: A tie is the second player's., set: {end.tie: player-1}}
  no-corner: {ambiguity: A19, note: Corners are squares like others., set: {capture.corner: neutral}}
  superko: {ambiguity: A25, note: No position recurs., set: {repetition.rule: positional-superko}}
  as-it-is: {note: Nothing else., set: {end.tie: draw}}
`

func TestSensitivityDesign(t *testing.T) {
	r, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	d, same, err := SensitivityDesign(RulesetRef{Ref: "bell-8x7"}, r, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Rulesets) != 1+len(r.Readings) || len(same) != 0 || d.Rulesets[0].Ref != "bell-8x7" || !d.Exploratory {
		t.Errorf("%d rulesets for %d readings; %v", len(d.Rulesets), len(r.Readings), same)
	}
	if err := Needed(d); err != nil {
		t.Error(err)
	}
	for _, c := range d.Comparisons {
		if c.Family != Screening || c.B != "bell-8x7" {
			t.Errorf("comparison %+v", c)
		}
	}
	// A change in all readings makes one of them idle.
	if d, same, err = SensitivityDesign(RulesetRef{Ref: "bell-8x7", Set: []string{"end.no_capture_limit=60"}}, r, "length"); err != nil {
		t.Fatal(err)
	}
	if len(d.Rulesets) != len(r.Readings) || len(same) != 1 || !strings.Contains(same[0], "sixty-plies plays like the default") {
		t.Errorf("%d rulesets, %q", len(d.Rulesets), same)
	}

	_, mine := withReadings(t, "readings:\n  as-it-is: {note: Nothing else., set: {end.tie: draw}}\n")
	_, _, err = SensitivityDesign(RulesetRef{Ref: "mine.yaml"}, mine, "")
	if !errors.Is(err, ErrInvalid) || !errors.Is(err, ErrOneReading) || !strings.Contains(err.Error(), "docs/adding-a-ruleset.md") || !strings.Contains(err.Error(), "--set") {
		t.Errorf("one reading: %v", err)
	}
}

// Two readings move the score by exactly half the share of ties, in opposite
// directions; they must come out on top, at their true size, and be what is looked at
// again.
func TestSensitivityFindsWhatIsThere(t *testing.T) {
	path, r := withReadings(t, plantedReadings)
	d, same, err := SensitivityDesign(RulesetRef{Ref: "mine.yaml"}, r, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(same) != 1 || !strings.Contains(same[0], "as-it-is") || len(d.Rulesets) != 5 {
		t.Fatalf("%q, %+v", same, d.Rulesets)
	}
	d.Agents = []AgentRef{{Spec: "random"}}
	d.Pairs, d.Margin, d.Cap = 200, 0.05, 400
	d = d.In(filepath.Dir(path))
	an, _ := analysed(t, d)
	s := SensitivityOf(an)
	if s == nil || len(s.Rows) != 4 || s.Tau == nil || len(s.Agents) != 1 {
		t.Fatalf("%+v", s)
	}
	ties := 0.0
	for _, c := range an.Cells {
		if c.Name == "mine.yaml" && c.Agent == s.Agent {
			ties = c.Shares.Draw.Estimate
		}
	}
	for i, row := range s.Rows {
		name := row.Reading
		if !row.Ranked || !row.Rank.Contains(float64(i+1)) || row.Sentence == "" {
			t.Errorf("row %d: %+v", i, row)
		}
		switch want := map[string]float64{"tie-first": ties / 2, "tie-second": -ties / 2}[name]; {
		case i < 2 && want == 0:
			t.Errorf("%s is at place %d", name, i+1)
		case i < 2:
			if math.Abs(row.Change.Difference.Estimate-want) > 0.02 {
				t.Errorf("%s: %v measured, %v is the half of the ties", name, row.Change.Difference, want)
			}
			if math.Abs(row.Shrunk.Estimate) > 1.02*math.Abs(row.Change.Difference.Estimate) || row.Shrunk.Estimate*want <= 0 || !row.Shrunk.Excludes(0) {
				t.Errorf("%s: %v shrunk to %v", name, row.Change.Difference, row.Shrunk)
			}
			if !slices.Equal(row.Doubts, []string{"A8"}) || len(row.Questions) != 1 || !strings.Contains(row.Sentence, "A8: "+row.Questions[0]) || !strings.Contains(row.Sentence, "A tie is the") {
				t.Errorf("%s: %s", name, row.Sentence)
			}
			if len(row.Rules) != 1 || !strings.HasPrefix(row.Rules[0], "end.tie: draw → player-") {
				t.Errorf("%s: rules %v", name, row.Rules)
			}
		}
	}
	top := s.Top()
	slices.Sort(top)
	if !slices.Equal(top, []string{"tie-first (A8)", "tie-second (A8)"}) {
		t.Errorf("top %q", top)
	}

	pairs := ConfirmPairs(d, len(top), 0.5)
	if pairs != 328 { // 200 pairs of 5 rulesets are 333 of 3; rounded down to eights
		t.Errorf("%d pairs", pairs)
	}
	again := ConfirmDesign(d, top, s.Agent, pairs)
	if again.Seed == d.Seed || len(again.Rulesets) != 3 || again.Pairs != pairs {
		t.Errorf("%+v", again)
	}
	claims := 0
	for _, c := range again.Comparisons {
		if c.Family == Confirmatory {
			claims++
			if c.Metric != d.Metric || c.Agent != s.Agent {
				t.Errorf("claim %+v", c)
			}
		}
	}
	if claims != 2 {
		t.Errorf("%d claims", claims)
	}
	if err := WriteDesignFile(filepath.Join(filepath.Dir(path), "again.yaml"), again, ""); err != nil {
		t.Error(err)
	}
}

// TestSensitivityOfOthers: an experiment of another kind has no ranking of readings,
// and games that were capped allow none.
func TestSensitivityOfOthers(t *testing.T) {
	run := func(d Design) *Analysis {
		d.Agents, d.Pairs, d.Margin = []AgentRef{{Spec: "random"}}, 8, 0.05
		an, _ := analysed(t, d)
		return an
	}
	d, _, _ := comparing(t, "bell-8x7", "webdux")
	if s := SensitivityOf(run(d)); s != nil {
		t.Errorf("two rulesets: %+v", s)
	}
	d, _, _ = comparing(t, "bell-8x7@superko", "bell-8x7@sixty-plies")
	if s := SensitivityOf(run(d)); s != nil {
		t.Errorf("two readings without the default: %+v", s)
	}
	r, err := rules.Open("luductus")
	if err != nil {
		t.Fatal(err)
	}
	if d, _, err = SensitivityDesign(RulesetRef{Ref: "luductus"}, r, ""); err != nil {
		t.Fatal(err)
	}
	d.Cap = 5
	s := SensitivityOf(run(d))
	if s == nil || len(s.Top()) != 0 || s.Tau != nil {
		t.Fatalf("capped games: %+v", s)
	}
	for _, row := range s.Rows {
		if row.Ranked || row.Change.Verdict != VerdictNoClaim || !strings.Contains(row.Sentence, "allows no claim") {
			t.Errorf("capped games: %+v", row)
		}
	}
}

// TestSensitivityRanksByTheStrongest: of players without a budget the later in the design
// is the stronger, as in [Design.Strongest], and what another one shows is said besides.
func TestSensitivityRanksByTheStrongest(t *testing.T) {
	path, r := withReadings(t, plantedReadings)
	d, _, err := SensitivityDesign(RulesetRef{Ref: "mine.yaml"}, r, "")
	if err != nil {
		t.Fatal(err)
	}
	d.Agents = []AgentRef{{Spec: "random"}, {Spec: "greedy"}}
	d.Pairs, d.Margin, d.Cap = 200, 0.05, 1500
	d = d.In(filepath.Dir(path))
	an, _ := analysed(t, d)
	s := SensitivityOf(an)
	if s == nil || s.Agent != "greedy" || s.Agent != d.Strongest() || !slices.Equal(s.Agents, []string{"random", "greedy"}) {
		t.Fatalf("%+v", s)
	}
	// Both readings of ties move the random player's score by half the ties.
	short := strings.Join(s.Short, " ")
	if !strings.Contains(short, "The ranking is of greedy alone. With random on both sides there is evidence of a change in the first player's score for 2 of 4 readings; the largest as measured is that of tie-") {
		t.Error(short)
	}
}

func TestConfirmWords(t *testing.T) {
	c := func(verdict string, estimate float64) Change {
		x := Change{Verdict: verdict, Unit: "points"}
		x.Difference.Estimate = estimate
		return x
	}
	first := c(VerdictChanged, 0.1)
	for want, again := range map[string]Change{
		"It shows again.":                       c(VerdictChanged, 0.05),
		"It shows, but in the other direction":  c(VerdictChanged, -0.05),
		"It does not show again: no change":     c(VerdictOpen, 0.02),
		"any change is shown to be within":      c(VerdictWithin, 0.02),
		"The fresh games allow no claim.":       c(VerdictNoClaim, 0.02),
		"It does not show again: perhaps chang": c(VerdictHint, 0.02),
	} {
		if got := ConfirmWords(first, again); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
