package mcts

import (
	"fmt"
	"testing"
)

// Lines that meet in one position with the same context have the same plies and the same result, in whole trees of small
// games with every rule that looks back. Without the count, the undoing or the repetitions in the context some of these lines
// differ; without the passes none of these does.
func TestContextTellsHistoriesApart(t *testing.T) {
	type place struct {
		key     uint64
		context uint32
	}
	one := []string{"pieces.men=1", "movement.men.range=step"}
	for _, c := range []struct {
		sets  []string
		limit int
		apart int // so many contexts more than boards at least
	}{
		{append(one, "repetition.rule=threefold-draw"), 11, 1000},
		{append(one, "repetition.rule=positional-superko", "end.blocked=loses"), 9, 100},
		{append(one, "repetition.rule=situational-superko"), 9, 100},
		{append(one, "repetition.rule=none", "movement.undo=forbidden", "board.rows=3", "end.blocked=loses"), 9, 100},
		{[]string{"repetition.rule=none", "movement.men.range=step", "pieces.men=4"}, 9, 1},
		{[]string{"repetition.rule=threefold-draw", "movement.men.range=step", "pieces.men=3"}, 7, 10},
	} {
		g := small(t, append(c.sets, fmt.Sprint("end.no_capture_limit=", c.limit))...)
		k := newGameLore(g, nil)
		met, apart := 0, 0
		for seed := range uint64(6) {
			s := g.NewState()
			wander(s, stream(seed), 2*g.Params().Pieces.Men)
			if s.Over() {
				continue
			}
			found := map[place]string{}
			boards := map[uint64]int{}
			k.begin(s)
			horizon := c.limit
			k.deepen(horizon)
			var walk func(n int) (float64, bool)
			walk = func(n int) (float64, bool) {
				if s.Over() {
					return s.Value()
				}
				if n == horizon {
					return 0, false // only after a capture
				}
				mover := uint8(s.ToMove())
				best, known := -1.0, true
				legal := s.Legal(nil)
				for _, a := range legal {
					s.Play(a)
					k.played(a, mover)
					v, ok := walk(n + 1)
					s.Undo()
					k.undone()
					known = known && ok
					best = max(best, view(v, mover))
				}
				v := view(best, mover)
				if known && n > 0 {
					at := place{k.key(), k.context()}
					boards[k.key()]++
					is := fmt.Sprintf("result %v, plies %v", v, legal)
					if was, again := found[at]; again {
						met++
						if was != is {
							t.Fatalf("%v: %s: %s here, %s after another line", c.sets, s.Position(), is, was)
						}
					}
					found[at] = is
				}
				return v, known
			}
			walk(0)
			apart += len(found) - len(boards)
		}
		t.Logf("%v: met %d times; %d contexts more than boards", c.sets, met, apart)
		if met < 10 || apart < c.apart {
			t.Errorf("%v: lines met %d times, and the context told %d apart; the test shows little", c.sets, met, apart)
		}
	}
}
