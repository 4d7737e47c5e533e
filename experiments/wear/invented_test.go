package wear

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/env/seed"
	"latro/experiments"
)

const inventedMap = "../../docs/examples/wear-invented.csv"

// TestInventedMap: the example says in its first line, and to the program, that it is
// invented. LATRO_UPDATE=1 makes it again: traffic of a hundred games of bell-8x7 by a
// search with 50 simulations, times lognormal noise of 20 %, scored from 0 to 10, with four
// squares of a corner broken off and the board turned by 180 degrees.
func TestInventedMap(t *testing.T) {
	if os.Getenv("LATRO_UPDATE") == "1" {
		if err := os.WriteFile(inventedMap, []byte(invent(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := ReadMap(inventedMap)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Invented || !strings.HasPrefix(m.Remarks[0], "INVENTED") {
		t.Error("the example does not begin by saying that it is invented")
	}
	if m.Kind != Squares || m.Rows != 8 || m.Cols != 7 || m.Missing() != 4 {
		t.Errorf("the example is a map of %s of %d by %d with %d missing", m.Kind, m.Rows, m.Cols, m.Missing())
	}
}

func invent(t *testing.T) string {
	d := experiments.DefaultDesign()
	d.ID, d.Question = "invented", "Where do pieces travel?"
	d.Rulesets = []experiments.RulesetRef{{Name: "bell-8x7", Ref: "bell-8x7"}}
	d.Agents = []experiments.AgentRef{{Spec: "uct:simulations=50"}}
	d.Starts = experiments.Starts{Kind: "initial"}
	d.Pairs, d.Seed = 50, 2026
	dir := filepath.Join(t.TempDir(), "games")
	if err := experiments.Run(context.Background(), dir, d, experiments.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	all, err := count(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := all[0].prediction(Row{}, Contact)
	if err != nil {
		t.Fatal(err)
	}
	rng := seed.New(2026, streams)
	v := make([]float64, len(p.field.squares))
	peak := 0.0
	for i, x := range p.field.squares {
		v[len(v)-1-i] = x * math.Exp(0.2*rng.NormFloat64())
		peak = max(peak, v[len(v)-1-i])
	}
	var b strings.Builder
	b.WriteString(`# INVENTED DATA. No such board exists: a program made these numbers to show the format.
# It took games of the ruleset bell-8x7, added noise, and broke a corner off.
# Scores from 0 (as cut) to 10 (deepest wear). Row 1 is at the bottom of the picture.
# board: 8 x 7
row,col,weight
`)
	for i, x := range v {
		row, col := i/7+1, i%7+1
		if row >= 7 && col >= 6 {
			continue // broken off
		}
		fmt.Fprintf(&b, "%d,%d,%g\n", row, col, math.Round(20*x/peak)/2)
	}
	return b.String()
}
