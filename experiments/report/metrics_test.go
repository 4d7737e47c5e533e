package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/experiments"
)

// TestMeasures: with matches between budgets and against a restricted agent, from the rulesets' own starts, the part on
// measures has its tables and three figures; what was not measured is listed with its reason, and no cell shows a number
// that is none.
func TestMeasures(t *testing.T) {
	d := experiments.DefaultDesign()
	d.ID, d.Question, d.Exploratory = "measured", "What do the rules do?", true
	d.Rulesets = []experiments.RulesetRef{{Name: "Bell", Ref: "bell-8x7"}, {Name: "Seneca", Ref: "locus-ludi-seneca"}}
	off := false
	d.Agents = []experiments.AgentRef{{Spec: "random"}, {Name: "UCT 2", Spec: "uct:simulations=2"}, {Name: "UCT 1", Spec: "uct:simulations=1"},
		{Name: "no hops", Spec: "uct:simulations=2,avoid=hop", SelfPlay: &off}}
	d.Matches = []experiments.Match{{A: "UCT 2", B: "UCT 1"}, {A: "no hops", B: "UCT 2"}}
	d.Starts = experiments.Starts{Kind: "initial"}
	d.Pairs, d.Cap = 8, 260
	a := run(t, t.TempDir(), d)
	r := Standard(a, nil)
	ids := figureIDs(r)
	for _, id := range []string{"measured-attrition", "measured-worth", "measured-slope"} {
		if !slices.Contains(ids, id) {
			t.Errorf("there is no figure %s; there are %v", id, ids)
		}
	}
	var text []string
	var measures, restricted []Table
	none := regexp.MustCompile(`(?i)(^|[^a-z])(nan|inf)([^a-z]|$)`)
	for _, s := range r.Sections {
		walk(s.Blocks, func(b Block) {
			switch x := b.(type) {
			case items:
				text = append(text, x.lines...)
			case Picture:
				text = append(text, x.Sentences...)
			case Table:
				if strings.HasPrefix(x.Caption, "Measures of ") {
					measures = append(measures, x)
				}
				if strings.HasPrefix(x.Caption, "Restricted play") {
					restricted = append(restricted, x)
				}
				for _, row := range x.Rows {
					if len(row) != len(x.Head) {
						t.Errorf("table %q has %d columns and a row of %d", x.Caption, len(x.Head), len(row))
					}
					for _, cell := range row {
						if none.MatchString(cell) {
							t.Errorf("table %q shows %q", x.Caption, cell)
						}
					}
				}
			}
		})
	}
	if len(measures) != 2 || len(restricted) != 1 || len(restricted[0].Rows) != 1 { // none of Seneca's games was finished
		t.Fatalf("%d tables of measures, restricted play %v", len(measures), restricted)
	}
	has := func(t Table, start string) bool {
		return slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.HasPrefix(row[0], start) })
	}
	for i, want := range [][]string{{"legal plies", "pieces in play at half", "changes of the lead in a game (by material)", "variety of the first ply", "variety of the squares on which the first", "use of the bonus move", "use of moving the leader"},
		{"use of binding", "use of the hop"}} {
		for _, start := range want {
			if !has(measures[i], start) {
				t.Errorf("%s has no row %q", measures[i].Caption, start)
			}
		}
	}
	if has(measures[0], "use of binding") || has(measures[1], "use of moving the leader") {
		t.Error("a ruleset has a rule of the other")
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"no match of an agent against itself with avoid=leader", "the agent has no search that judges positions", "was worth", "still in play when half"} {
		if !strings.Contains(all, want) {
			t.Errorf("nowhere stands %q", want)
		}
	}
	for _, s := range r.Generated() {
		for _, v := range CheckWords(s) {
			t.Errorf("says %q in: %s\n(%s)", v.Phrase, v.Sentence, v.Why)
		}
	}
	// The names lead to the games.
	csv := string(r.metricsCSV())
	if head, _, _ := strings.Cut(csv, "\n"); !strings.HasSuffix(head, "method,ref,spec_a,spec_b") {
		t.Errorf("the head of metrics.csv is %q", head)
	}
	for _, want := range []string{"measured,Seneca,no hops,UCT 2,2,restricted-passed-hop,", `,locus-ludi-seneca,"uct:avoid=hop,simulations=2",uct:simulations=2`, "measured,Bell,,,0,restricted-loss-leader,,,,0.95,0,0,not measured: "} {
		if !strings.Contains(csv, want) {
			t.Errorf("metrics.csv has no %q", want)
		}
	}
}
