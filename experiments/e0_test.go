package experiments

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"latro/datasets"
	"latro/experiments/stats"
)

// ludiiPlayouts are Ludii 1.3.12's own random playouts: mean plies, games, wins of
// its players 1 and 2, draws, and how many of the draws were games stopped at turn
// 2,500. Luductus and webdux were played there from a description of their default
// reading; the others are the reading "ludii".
var ludiiPlayouts = []struct {
	ref                         string
	plies                       float64
	games, p1, p2, draw, capped int
}{
	{"schadler-1994@ludii", 2683.5, 87, 0, 5, 82, 82},
	{"schadler-2001@ludii", 2694.5, 75, 2, 0, 73, 73},
	{"locus-ludi-seneca@ludii", 2554.1, 58, 5, 1, 52, 52},
	{"locus-ludi-piso@ludii", 1650.9, 160, 57, 71, 32, 32},
	{"museum-quintana@ludii", 1821.9, 206, 67, 65, 74, 74},
	{"falkener@ludii", 2500.0, 57, 0, 0, 57, 57},
	{"kowalski-10x11@ludii", 2500.0, 75, 0, 0, 75, 75},
	{"kowalski-8x12@ludii", 2500.0, 72, 0, 0, 72, 72},
	{"bell-8x7@ludii", 149.4, 9683, 4332, 5351, 0, 0},
	{"bell-8x8@ludii", 139.5, 9692, 4265, 5427, 0, 0},
	{"6x6-seega@ludii", 702.0, 1263, 640, 622, 1, 1},
	{"6x6-kharebga@ludii", 508.3, 2009, 1034, 975, 0, 0},
	{"6x7-seega@ludii", 926.8, 777, 404, 365, 8, 8},
	{"6x7-kharebga@ludii", 672.9, 1137, 613, 521, 3, 3},
	{"6x8-seega@ludii", 1206.7, 535, 264, 257, 14, 14},
	{"6x8-kharebga@ludii", 874.2, 838, 421, 403, 14, 14},
	{"7x8-seega@ludii", 1517.3, 320, 145, 137, 38, 38},
	{"7x8-kharebga@ludii", 1058.5, 566, 278, 267, 21, 21},
	{"8x8-seega@ludii", 1757.2, 268, 104, 115, 49, 49},
	{"8x8-kharebga@ludii", 1288.0, 381, 175, 176, 30, 30},
	{"8x9-seega@ludii", 2037.7, 192, 64, 62, 66, 66},
	{"8x9-kharebga@ludii", 1546.7, 293, 126, 122, 45, 45},
	{"9x10-seega@ludii", 2332.9, 168, 27, 35, 106, 106},
	{"9x10-kharebga@ludii", 1964.4, 172, 70, 58, 44, 44},
	{"10x10-seega@ludii", 2489.5, 155, 8, 12, 135, 135},
	{"10x10-kharebga@ludii", 2109.4, 152, 40, 45, 67, 67},
	{"11x12-seega@ludii", 2556.7, 130, 2, 1, 127, 127},
	{"11x12-kharebga@ludii", 2453.6, 94, 12, 12, 70, 70},
	{"11x16-seega@ludii", 2586.0, 85, 0, 0, 85, 85},
	{"11x16-kharebga@ludii", 2586.0, 83, 0, 0, 83, 83},
	{"luductus", 73.4, 17049, 3545, 3341, 10163, 0},
	{"webdux", 208.5, 3947, 1883, 1937, 127, 0},
}

// ludiiBaseline are the 30 games a ruleset that Ludii's repository keeps its
// concepts of: how many were stopped at turn 2,500, and the mean number of turns.
var ludiiBaseline = []struct {
	ref      string
	timeouts int
	turns    float64
}{
	{"schadler-1994@ludii", 30, 2500},
	{"schadler-2001@ludii", 29, 2498},
	{"locus-ludi-seneca@ludii", 28, 2466},
	{"locus-ludi-piso@ludii", 5, 1674},
	{"museum-quintana@ludii", 9, 1824},
	{"falkener@ludii", 27, 2485},
	{"kowalski-8x12@ludii", 30, 2500},
	{"bell-8x7@ludii", 0, 119},
	{"bell-8x8@ludii", 0, 127},
	{"6x6-seega@ludii", 0, 639},
	{"8x8-seega@ludii", 9, 1864},
	{"8x8-kharebga@ludii", 1, 1104},
	{"11x16-kharebga@ludii", 30, 2500},
}

const baselineGames = 30

// TestE0RandomAgentReproducesLudii is the calibration that must pass before any
// result is believed: the design e0-calibration that ships, with as many pairs as a ruleset's length allows. The whole path from rules over agent, runner and analysis
// gives the outcomes and lengths of another program, in every ruleset that it has.
// The tolerance is 99.9 % after Holm over all comparisons. LATRO_LONG=1 plays ten
// times the games.
func TestE0RandomAgentReproducesLudii(t *testing.T) {
	if testing.Short() {
		t.Skip("plays thousands of long games")
	}
	shipped, err := LoadDesign(filepath.Join("designs", "e0-calibration.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var refs, known []string
	for _, r := range shipped.Rulesets {
		refs = append(refs, r.Ref)
	}
	for _, r := range ludiiPlayouts {
		known = append(known, r.ref)
	}
	if !slices.Equal(refs, known) || len(shipped.Agents) != 1 || shipped.Agents[0].Spec != "random" || shipped.Starts.Kind != "initial" {
		t.Fatalf("the design plays %v with %v, Ludii's counts are of the random agent in %v", refs, shipped.Agents, known)
	}
	budget := 60_000.0
	if os.Getenv("LATRO_LONG") != "" {
		budget *= 10
	}
	var p []float64
	var what []string
	test := func(name string, value float64) {
		p = append(p, value)
		what = append(what, name)
	}
	baseline := 0
	for _, r := range ludiiPlayouts {
		d := shipped
		d.Rulesets, d.Comparisons = []RulesetRef{{Ref: r.ref}}, nil
		d.Pairs = min(300, max(15, int(budget/r.plies/2)))
		d.UnitPairs = d.Pairs/(2*runtime.GOMAXPROCS(0)) + 1
		dir := t.TempDir()
		if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		// The analysis of results alone: what package metrics and traffic measure has no counterpart there, and
		// would take most of the time.
		m, d, err := ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewAnalyser(d, m.Cells)
		if err != nil {
			t.Fatal(err)
		}
		var plies, turns moments
		for _, unit := range m.unitTable()[0] {
			if err := eachGame(dir, unit, func(g *datasets.Game) error {
				plies.add(float64(g.Plies))
				turns.add(float64(g.Turns))
				return a.Add(recordOf(g, d))
			}); err != nil {
				t.Fatal(err)
			}
		}
		c := a.Finish().Cells[0]
		n := c.Games
		if n != 2*d.Pairs {
			t.Fatalf("%s: %d games, not %d", r.ref, n, 2*d.Pairs)
		}
		test(r.ref+" first player's wins", fisher(c.Tally.Win, n, r.p1, r.games))
		test(r.ref+" second player's wins", fisher(c.Tally.Loss, n, r.p2, r.games))
		test(r.ref+" draws", fisher(c.Tally.Draw, n, r.draw-r.capped, r.games))
		test(r.ref+" capped", fisher(c.Tally.Capped, n, r.capped, r.games))
		finished := float64(n-c.Tally.Capped+r.games-r.capped) / float64(n+r.games)
		test(r.ref+" mean plies", sameMean(plies, finished, r.plies, r.games))
		for _, b := range ludiiBaseline {
			if b.ref == r.ref {
				baseline++
				test(b.ref+" timeouts of the baseline", fisher(c.Tally.Capped, n, b.timeouts, baselineGames))
				finished := float64(n-c.Tally.Capped+baselineGames-b.timeouts) / float64(n+baselineGames)
				test(b.ref+" mean turns of the baseline", sameMean(turns, finished, b.turns, baselineGames))
			}
		}
		t.Logf("%-24s %4d games: %d/%d/%d/%d, %.1f plies; Ludii %d: %d/%d/%d/%d, %.1f plies", r.ref, n, c.Tally.Win, c.Tally.Draw, c.Tally.Loss, c.Tally.Capped,
			plies.mean, r.games, r.p1, r.draw-r.capped, r.p2, r.capped, r.plies)
	}
	if baseline != len(ludiiBaseline) {
		t.Errorf("%d of %d rulesets of the baseline were compared", baseline, len(ludiiBaseline))
	}
	for i, q := range stats.Holm(p) {
		if q < 0.001 {
			t.Errorf("%s differ from Ludii's: p = %.2g, after Holm %.2g", what[i], p[i], q)
		}
	}
}

// TestE0WouldFail: the tolerance is no blank cheque. Halved or doubled shares of
// wins, and lengths off by a tenth, are found with the numbers of games that E0 plays.
func TestE0WouldFail(t *testing.T) {
	const tests = 190
	if p := fisher(134, 600, 4332, 9683) * tests; p > 0.001 {
		t.Errorf("half the wins of Bell's first player pass with p = %.2g", p)
	}
	if p := fisher(60, 60, 32, 160) * tests; p > 0.001 {
		t.Errorf("Piso without an end passes with p = %.2g", p)
	}
	long := moments{n: 600, mean: 149.4 * 1.1, m2: 599 * 60 * 60, varies: true}
	if p := sameMean(long, 1, 149.4, 9683) * tests; p > 0.001 {
		t.Errorf("lengths off by a tenth pass with p = %.2g", p)
	}
}

// sameMean is the p-value of our sample having the mean of another one of n.
// Ludii's tables have no standard deviations; ours stands for both. Where nearly all
// games are capped it may not have met the rare short game that the other sample has:
// then the spread that the share of finished games implies stands in, if their lengths
// lie anywhere up to the cap.
func sameMean(ours moments, finished, mean float64, n int) float64 {
	v := math.Max(ours.variance(), finished*(1-finished)*mean*mean/4)
	v *= 1/float64(ours.n) + 1/float64(n)
	if v == 0 {
		// The means are given as rounded.
		if math.Abs(ours.mean-mean) <= 0.5 {
			return 1
		}
		return 0
	}
	return math.Erfc(math.Abs(ours.mean-mean) / math.Sqrt(2*v))
}

// fisher is the two-sided exact test of two shares k/n and k0/n0.
func fisher(k, n, k0, n0 int) float64 {
	ln := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	choose := func(n, k int) float64 { return ln(n) - ln(k) - ln(n-k) }
	sum, total := k+k0, n+n0
	chance := func(i int) float64 { return choose(n, i) + choose(n0, sum-i) - choose(total, sum) }
	observed, p := chance(k), 0.0
	for i := max(0, sum-n0); i <= min(n, sum); i++ {
		if c := chance(i); c <= observed+1e-7 {
			p += math.Exp(c)
		}
	}
	return math.Min(1, p)
}

// TestFisher: the lady tasting tea (R. A. Fisher 1935) who tells three of four cups
// has p = 34/70.
func TestFisher(t *testing.T) {
	if p := fisher(3, 4, 1, 4); math.Abs(p-34.0/70) > 1e-12 {
		t.Errorf("p = %v", p)
	}
	if p := fisher(0, 10, 0, 20); p != 1 {
		t.Errorf("equal shares have p = %v", p)
	}
}
