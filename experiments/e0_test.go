package experiments

import (
	"context"
	"math"
	"testing"

	"latro/experiments/stats"
)

// ludiiCounts are outcomes of Ludii 1.3.12's own random playouts: mean plies, games,
// wins of its players 1 and 2, draws, and how many of the draws were games stopped
// at turn 2,500. Luductus and webdux were played there from a description of their
// default reading; the others are the reading "ludii".
var ludiiCounts = []struct {
	ref                         string
	plies                       float64
	games, p1, p2, draw, capped int
	pairs                       int // how many we play
}{
	{"bell-8x7@ludii", 149.4, 9683, 4332, 5351, 0, 0, 400},
	{"bell-8x8@ludii", 139.5, 9692, 4265, 5427, 0, 0, 400},
	{"6x6-seega@ludii", 702.0, 1263, 640, 622, 1, 1, 150},
	{"6x6-kharebga@ludii", 508.3, 2009, 1034, 975, 0, 0, 150},
	{"8x8-kharebga@ludii", 1288.0, 381, 175, 176, 30, 30, 40},
	{"locus-ludi-piso@ludii", 1650.9, 160, 57, 71, 32, 32, 40},
	{"museum-quintana@ludii", 1821.9, 206, 67, 65, 74, 74, 40},
	{"luductus", 73.4, 17049, 3545, 3341, 10163, 0, 400},
	{"webdux", 208.5, 3947, 1883, 1937, 127, 0, 300},
}

// TestE0RandomAgentReproducesLudii is the calibration that must pass before any
// result is believed: the whole path from rules over agent, runner and analysis
// gives the outcome shares and lengths of another program. The tolerance is 99.9 %
// after Holm over all comparisons (five a ruleset).
func TestE0RandomAgentReproducesLudii(t *testing.T) {
	var p []float64
	var what []string
	share := func(name string, k, n, k0, n0 int) {
		// Two-sample test of shares with the pooled variance.
		q := float64(k+k0) / float64(n+n0)
		se := math.Sqrt(q * (1 - q) * (1/float64(n) + 1/float64(n0)))
		d := math.Abs(float64(k)/float64(n) - float64(k0)/float64(n0))
		switch {
		case se > 0:
			p = append(p, math.Erfc(d/se/math.Sqrt2))
		case d == 0:
			p = append(p, 1)
		default:
			p = append(p, 0)
		}
		what = append(what, name)
	}
	for _, r := range ludiiCounts {
		d := DefaultDesign()
		d.ID, d.Question = "e0", "Does the random agent reproduce Ludii's counts?"
		d.Rulesets, d.Agents = []RulesetRef{{Ref: r.ref}}, []AgentRef{{Spec: "random"}}
		d.Starts, d.Cap, d.Pairs, d.Seed = Starts{Kind: "initial"}, 20000, r.pairs, 20
		dir := t.TempDir()
		if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		a, err := Analyse(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := a.Cells[0]
		n := c.Games
		share(r.ref+" first player's wins", c.Tally.Win, n, r.p1, r.games)
		share(r.ref+" second player's wins", c.Tally.Loss, n, r.p2, r.games)
		share(r.ref+" draws", c.Tally.Draw, n, r.draw-r.capped, r.games)
		share(r.ref+" capped", c.Tally.Capped, n, r.capped, r.games)
		// Ludii's table has no standard deviation of the plies; ours stands for both.
		plies := stats.MeanT(c.pairs["length"], 0.95)
		var v float64
		for _, x := range c.pairs["length"] {
			v += (x - plies.Estimate) * (x - plies.Estimate) / float64(c.Pairs-1)
		}
		v *= 2 // of a game, from means of two independent games
		z := math.Abs(plies.Estimate-r.plies) / math.Sqrt(v*(1/float64(n)+1/float64(r.games)))
		p = append(p, math.Erfc(z/math.Sqrt2))
		what = append(what, r.ref+" mean plies")
		t.Logf("%-24s %4d games: %d/%d/%d/%d, %.1f plies; Ludii %d: %d/%d/%d/%d, %.1f plies", r.ref, n, c.Tally.Win, c.Tally.Draw, c.Tally.Loss, c.Tally.Capped,
			plies.Estimate, r.games, r.p1, r.draw-r.capped, r.p2, r.capped, r.plies)
	}
	for i, q := range stats.Holm(p) {
		if q < 0.001 {
			t.Errorf("%s differ from Ludii's: p = %.2g, after Holm %.2g", what[i], p[i], q)
		}
	}
}
