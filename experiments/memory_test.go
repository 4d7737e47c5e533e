package experiments

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"latro/datasets"
	"latro/env/engine"
)

// heap is how much memory is in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestRunKeepsALineAUnit: what a run holds grows by the manifest's line for a finished unit, and
// by nothing for a game.
func TestRunKeepsALineAUnit(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 3,200 games")
	}
	d := smallDesign()
	d.Agents, d.Matches = []AgentRef{{Spec: "random"}}, nil
	d.Pairs, d.UnitPairs = 800, 4
	total := 2 * d.Pairs * len(d.Cells())
	// What is in flight at a moment, files being written above all, is more than what grows: the least of many moments counts.
	early, late := math.MaxInt, math.MaxInt
	err := Run(context.Background(), t.TempDir(), d, RunOptions{Workers: 1, Progress: func(p Progress) {
		switch at := 8 * p.Games / total; at {
		case 2:
			early = min(early, heap())
		case 6:
			late = min(late, heap())
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	units := total / 2 / (2 * d.UnitPairs)
	t.Logf("%d games: %d bytes early, %d late, %d a unit", total, early, late, (late-early)/units)
	// 2 KiB a unit are 256 bytes a game here: a game that were kept, with its moves, takes more.
	if grown := late - early; early == math.MaxInt || late == math.MaxInt || grown > 2048*units {
		t.Errorf("the heap grew from %d to %d bytes over %d units, more than 2 KiB for each", early, late, units)
	}
}

// TestSummaryForgetsGames: once a cell has the pairs that are kept one by one (8,192) and the hashes
// by which copies are counted (32,768), further games leave nothing behind, whatever is computed of them.
func TestSummaryForgetsGames(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 96,000 games again")
	}
	d := smallDesign()
	d.Agents, d.Matches = []AgentRef{{Spec: "random"}}, nil
	d.Pairs, d.Cap = 8, 8
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	m, d, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	games := make([][]datasets.Game, len(m.Cells))
	err = EachGame(dir, func(cell int, _ *engine.Game, g *datasets.Game) error {
		row := *g
		row.Moves, row.Values, row.Arrivals = slices.Clone(g.Moves), slices.Clone(g.Values), slices.Clone(g.Arrivals)
		games[cell] = append(games[cell], row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const early, late = 17_000, 24_000
	d.Pairs = late
	a, err := NewAnalyser(d, m.Cells)
	if err != nil {
		t.Fatal(err)
	}
	measures, err := m.measurer(d)
	if err != nil {
		t.Fatal(err)
	}
	counters, _, err := m.trafficCounters()
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for pair := range late {
		if pair == early {
			before = heap()
		}
		for cell, rows := range games {
			for slot := range 2 {
				g := rows[(2*pair+slot)%len(rows)]
				g.PairID, g.Half = uint64(cell*d.Pairs+pair), uint8(slot)
				g.GameID = 2*g.PairID + uint64(slot) + 1
				g.CanonicalHash = g.GameID // no game is another one's copy
				if err := errors.Join(a.Add(recordOf(&g, d)), measures.add(cell, &g, counters[cell])); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	grown := heap() - before
	t.Logf("%d bytes more after %d games more", grown, 2*len(games)*(late-early))
	// Less than half a byte a game: what the runtime itself comes and goes with.
	if grown > 12_000 {
		t.Errorf("the summary grew by %d bytes over %d games", grown, 2*len(games)*(late-early))
	}
	if out := a.Finish(); !out.Complete || out.Cells[0].Games != 2*late || math.Abs(out.Cells[0].Unique-1) > 0.05 {
		t.Errorf("complete %v, %d games, a share of %v unlike all others", out.Complete, out.Cells[0].Games, out.Cells[0].Unique)
	}
	runtime.KeepAlive(measures)
	runtime.KeepAlive(counters)
}
