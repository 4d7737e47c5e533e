package experiments

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkRun plays the same experiment with one worker and with two: games/s of
// two cores should be at least 1.8 times those of one on an idle machine.
func BenchmarkRun(b *testing.B) {
	d := smallDesign()
	d.Agents, d.Matches = []AgentRef{{Spec: "random"}, {Name: "UCT", Spec: "uct:simulations=50"}}, nil
	d.Pairs, d.UnitPairs = 24, 2
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for b.Loop() {
				if err := Run(context.Background(), b.TempDir(), d, RunOptions{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			games := float64(2 * d.Pairs * len(d.Cells()))
			b.ReportMetric(games*float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

// BenchmarkAnalyser is the summary of games that were read, per game.
func BenchmarkAnalyser(b *testing.B) {
	d := twoRulesets(1 << 20)
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, Agent: c.Agent, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: true, Rows: 8, Cols: 8, Pieces: 40})
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		// Side by side: two games of a pair in each cell.
		pair, cell, slot := i/4, i/2%2, i%2
		i++
		if pair == 1<<20 {
			b.Fatal("more games than the design has")
		}
		if err := a.Add(Record{Cell: cell, Pair: pair, Slot: slot, Outcome: "win0", EndReason: "none-left", Plies: 50 + i%40, Moves: uint64(i)}); err != nil {
			b.Fatal(err)
		}
	}
}
