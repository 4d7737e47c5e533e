package experiments

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"latro/mcts"
	"latro/selfplay"
)

// TestFarCapTakesNoMoreTables: a unit whose cap would let its games take all memory is played few
// games at a time, and they are the games of a unit that is played at once.
func TestFarCapTakesNoMoreTables(t *testing.T) {
	d := smallDesign()
	cells, _, err := compile(d)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := Builtin(mcts.Spec{Kind: "random"}, cells[0].game, "")
	if err != nil {
		t.Fatal(err)
	}
	agents := [2]mcts.Agent{agent, agent}
	d.Pairs, d.UnitPairs = 20, 20
	// No game of these lasts 2,000 plies, so the cap changes nothing but what is held at once.
	caps := map[int]int{2000: 2 * 20, maxCap: 2 * 5}
	var want [][]uint16
	for _, limit := range []int{2000, maxCap} {
		d.Cap = limit
		var tables []*selfplay.Table
		games, err := playTables(context.Background(), d, cells[0], agents, 0, 20, &tables)
		if err != nil {
			t.Fatal(err)
		}
		if len(tables) != caps[limit] {
			t.Errorf("cap %d: %d tables, not %d", limit, len(tables), caps[limit])
		}
		var moves [][]uint16
		for i, g := range games {
			if g.PairID != uint64(i/2) || int(g.Half) != i%2 || g.Plies >= 2000 {
				t.Fatalf("cap %d: game %d is of pair %d, half %d, with %d plies", limit, i, g.PairID, g.Half, g.Plies)
			}
			moves = append(moves, g.Moves)
		}
		if want == nil {
			want = moves
		} else if !reflect.DeepEqual(moves, want) {
			t.Error("games played a few at a time are others than games played together")
		}
	}
}

// TestUnitsFitIntoMemory: a unit's games are held until its file is written, so a design that
// would need gigabytes for them is refused, with the number that would do.
func TestUnitsFitIntoMemory(t *testing.T) {
	d := smallDesign()
	d.Cap, d.UnitPairs = maxCap, 250
	if ps := d.Validate(); len(ps) > 0 {
		t.Fatal(ps)
	}
	d.UnitPairs++
	ps := d.Validate()
	if len(ps) != 1 || ps[0].Field != "unit_pairs" || !strings.Contains(ps.Error(), "at most 250") {
		t.Errorf("251 pairs of 100,000 plies a unit: %v", ps)
	}
}
