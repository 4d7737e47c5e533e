package experiments

import (
	"path/filepath"
	"strings"
	"testing"

	"latro/datasets"
)

// TestE6TieRuleShiftsScoreByHalfTheTieRate: who wins a tie shifts the first player's
// score by half the tie rate, exactly, when the random agent plays the same seeds.
// It is arithmetic: the games are the same, only what a tie is worth differs. The
// no-capture limit is crossed with it, since it is what makes ties.
func TestE6TieRuleShiftsScoreByHalfTheTieRate(t *testing.T) {
	d, err := LoadDesign(filepath.Join("designs", "e6-tie-rule.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d.Pairs, d.UnitPairs = 120, 15
	a, dir := analysed(t, d)
	if !a.Complete {
		t.Fatal("the experiment is not complete")
	}
	limits, ties := d.Factorial.Factors[0].Values, d.Factorial.Factors[1].Values
	if len(limits) < 2 || strings.Join(ties, " ") != "draw player-0 player-1" {
		t.Fatalf("the design has limits %v and ties %v", limits, ties)
	}
	for i, limit := range limits {
		drawn, first, second := a.Cells[3*i], a.Cells[3*i+1], a.Cells[3*i+2]
		if drawn.Tally.Draw == 0 || drawn.Tally.Capped != 0 {
			t.Fatalf("limit %s: tally %+v: the test needs ties and no capped games", limit, drawn.Tally)
		}
		// Draws by repetition or passes stay draws under every tie rule.
		stay := first.Tally.Draw
		n := drawn.Tally.Draw - stay
		if n == 0 || second.Tally.Draw != stay {
			t.Fatalf("limit %s: %d ties; %d and %d draws are left", limit, n, stay, second.Tally.Draw)
		}
		rate := float64(n) / float64(drawn.Tally.N())
		// Sums of halves are exact, so are these differences but for one rounding.
		for what, x := range map[string][2]float64{
			"ties to the first player":  {first.Score.Estimate - drawn.Score.Estimate, rate / 2},
			"ties to the second player": {second.Score.Estimate - drawn.Score.Estimate, -rate / 2},
			"one player to the other":   {first.Score.Estimate - second.Score.Estimate, rate},
		} {
			if diff := x[0] - x[1]; diff > 1e-12 || diff < -1e-12 {
				t.Errorf("limit %s, %s: the score shifts by %v, want %v", limit, what, x[0], x[1])
			}
		}
		// The very same games.
		var moves [3][]string
		var ends [3][]string
		for k := range 3 {
			for u := range d.units() {
				games, err := datasets.ReadGames(filepath.Join(dir, filepath.FromSlash(unitPath(3*i+k, u))), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range games {
					var b strings.Builder
					b.WriteString(g.Start)
					for _, m := range g.Moves {
						b.WriteByte(byte(m >> 8))
						b.WriteByte(byte(m))
					}
					moves[k] = append(moves[k], b.String())
					ends[k] = append(ends[k], g.Outcome)
				}
			}
		}
		rescored := 0
		for g := range moves[0] {
			if moves[0][g] != moves[1][g] || moves[0][g] != moves[2][g] {
				t.Fatalf("limit %s: game %d differs between tie rules", limit, g)
			}
			if ends[1][g] != ends[2][g] {
				rescored++
				if ends[0][g] != "draw" || ends[1][g] != "win0" || ends[2][g] != "win1" {
					t.Errorf("limit %s: game %d ends %s, %s and %s under the three tie rules", limit, g, ends[0][g], ends[1][g], ends[2][g])
				}
			}
		}
		if rescored != n {
			t.Errorf("limit %s: %d games are scored differently, %d were tied", limit, rescored, n)
		}
	}
	// The analysis says the same: the effect of the tie rule is half the mean tie rate.
	found := false
	for _, e := range a.Effects {
		if e.Order == 1 && e.Terms[0] == "end.tie" && e.To == "player-0" && e.Metric == "first-player-score" {
			found = true
			want := 0.0
			for i := range limits {
				want += (a.Cells[3*i+1].Score.Estimate - a.Cells[3*i].Score.Estimate) / float64(len(limits))
			}
			if diff := e.Difference.Estimate - want; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("the effect is %v, want %v", e.Difference.Estimate, want)
			}
		}
	}
	if !found {
		t.Error("the analysis has no effect of the tie rule")
	}
}
