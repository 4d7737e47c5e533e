package experiments

import (
	"context"
	"runtime"
	"testing"
)

// TestRunKeepsALineAUnit: what a run holds grows by the manifest's line for a finished unit, and
// by nothing for a game.
func TestRunKeepsALineAUnit(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 3,200 games")
	}
	d := smallDesign()
	d.Agents, d.Matches = []AgentRef{{Spec: "random"}}, nil
	d.Pairs, d.UnitPairs = 800, 4
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	total := 2 * d.Pairs * len(d.Cells())
	var early, late int
	err := Run(context.Background(), t.TempDir(), d, RunOptions{Workers: 1, Progress: func(p Progress) {
		switch p.Games {
		case total / 4:
			early = heap()
		case total:
			late = heap()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	units := total * 3 / 4 / (2 * d.UnitPairs)
	t.Logf("%d games: %d bytes early, %d late, %d a unit", total, early, late, (late-early)/units)
	// 2 KiB a unit are 256 bytes a game here: a game that were kept, with its moves, takes more.
	if grown := late - early; early == 0 || grown > 2048*units {
		t.Errorf("the heap grew from %d to %d bytes over %d units, more than 2 KiB for each", early, late, units)
	}
}
