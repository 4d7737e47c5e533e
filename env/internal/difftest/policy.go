package difftest

import (
	"slices"
	"strings"

	"latro/env/engine"
)

// policies is the ways in which compared games are played. But for the first, they look for rules that random play
// seldom meets. All but uniform play a random ply now and then.
var policies = [...]string{
	"uniform",
	"greedy",  // takes, else binds, most
	"shuffle", // takes its last move back if it can: repetitions, the undo ban
	"hunt",    // one side is greedy, the other avoids to take: games that end because a side has nothing left
	"corner",  // goes to corners and edges
	"hoard",   // binds, does not remove, stops chains and declines bonuses
	"jam",     // leaves the opponent as few plies as it can: blocked players, forced passes, immobile leaders
	"wall",    // the same without taking: blocked with equal pieces
	"tie",     // takes nothing: limits, counts that are equal, repetition
}

// choose picks the index of a legal ply by the script or by the game's policy; false if the script's is not legal.
func (c *comparison) choose() (int, bool) {
	if n := len(c.slow.Plies()); n < len(c.game.Script) {
		i := slices.Index(c.texts, c.game.Script[n])
		return i, i >= 0
	}
	random := c.rng.IntN(len(c.actions))
	if c.fast.Phase() != engine.Movement || c.rng.IntN(5) == 0 {
		return random, true
	}
	me := c.fast.ToMove()
	taken := func(e engine.Effects) int { return len(e.Captured) }
	switch c.game.Policy {
	case "greedy":
		return c.best(func(i int, e engine.Effects) int { return 1000*taken(e) + e.Bound }), true
	case "shuffle":
		if from, to, ok := strings.Cut(strings.TrimLeft(c.last[me], "MH"), "-"); ok && c.rng.IntN(2) == 0 {
			for i, text := range c.texts {
				if text[0] != '-' && text[1:] == to+"-"+from {
					return i, true
				}
			}
		}
	case "hunt":
		sign := 1
		if me == int(c.game.Seed%2) {
			sign = -1
		}
		return c.best(func(i int, e engine.Effects) int { return sign * (1000*taken(e) + e.Bound) }), true
	case "corner":
		rows, cols := c.game.Params.Board.Rows, c.game.Params.Board.Cols
		return c.best(func(i int, e engine.Effects) int {
			ply := c.fast.PlyOf(c.actions[i])
			if ply.To < 0 {
				return 0
			}
			row, col := ply.To/cols, ply.To%cols
			return 3*taken(e) + e.Bound - min(row, rows-1-row) - min(col, cols-1-col)
		}), true
	case "hoard":
		return c.best(func(i int, e engine.Effects) int {
			switch c.texts[i][0] {
			case '-':
				return 500
			case 'X':
				return -500
			}
			return 10*e.Bound + taken(e)
		}), true
	case "jam", "wall":
		weight := 3
		if c.game.Policy == "wall" {
			weight = -50
		}
		return c.best(func(i int, e engine.Effects) int {
			n := 0
			c.fast.Play(c.actions[i])
			if c.fast.ToMove() != me {
				c.spare = c.fast.Legal(c.spare[:0])
				n = len(c.spare)
			}
			c.fast.Undo()
			return weight*(taken(e)+e.Bound) - n
		}), true
	case "tie":
		return c.best(func(i int, e engine.Effects) int { return -taken(e) }), true
	}
	return random, true
}

// best picks one of the plies with the highest score. The score is asked for with what the ply would do.
func (c *comparison) best(score func(i int, e engine.Effects) int) int {
	var best []int
	most := 0
	for i, a := range c.actions {
		c.fast.Play(a)
		e := c.fast.LastEffects()
		e.Captured = slices.Clone(e.Captured)
		c.fast.Undo()
		if n := score(i, e); len(best) == 0 || n > most {
			best, most = append(best[:0], i), n
		} else if n == most {
			best = append(best, i)
		}
	}
	return best[c.rng.IntN(len(best))]
}
