package literal

import (
	"fmt"
	"strings"
)

// Turn is the turn counter of end.turn_limit as it will stand for the next ply: 1 at the start, and one more whenever
// the mover changes.
func (g *Game) Turn() int {
	if len(g.plies) > 0 && len(g.pos.turnPlies) == 0 {
		return g.pos.turn + 1
	}
	return g.pos.turn
}

// Occurrences is how often the position has occurred, this time included, where repetition.rule is threefold-draw and
// the last ply ended a turn of the movement phase; otherwise 1.
func (g *Game) Occurrences() int { return max(1, g.occurrences) }

// Placed is the number of pieces placed in this turn while the placement goes on.
func (g *Game) Placed() int {
	n := 0
	if g.pos.phase == "placement" {
		for _, p := range g.pos.turnPlies {
			if p.kind == 'P' || p.kind == 'D' {
				n++
			}
		}
	}
	return n
}

// Pending is what the mover is in the middle of: "" (nothing), "chain", "bonus" or "removed" (a removal, after which a
// move is due).
func (g *Game) Pending() string {
	switch {
	case g.pos.inChain:
		return "chain"
	case g.pos.inBonus:
		return "bonus"
	case removalsThisTurn(g.pos) > 0:
		return "removed"
	}
	return ""
}

// Active is the square (row*columns+column) of the piece that may hop on or alone has the bonus ply; -1 if there is none.
func (g *Game) Active() int {
	chain := g.pos.inChain
	bonus := g.pos.inBonus && g.params.Bonus.Piece == "same"
	if !chain && !bonus || owner(g.pos.board.at(g.pos.active)) != g.pos.mover {
		return -1
	}
	return g.number(g.pos.active)
}

// Opening says that the opponent has just passed because he is blocked and is to be given a ply.
func (g *Game) Opening() bool { return g.pos.opening >= 0 }

// Closed lists, ascending, the squares on which no hop of this turn may land any more: those that the chain used
// (hop_chain), and those freed by removals where movement.removal_square bars them.
func (g *Game) Closed() []int {
	closed := map[square]bool{}
	if g.pos.inChain {
		for s := range g.pos.visited {
			closed[s] = true
		}
	}
	if g.params.Movement.RemovalSquare == "barred" {
		for s := range g.pos.freed {
			closed[s] = true
		}
	}
	return g.numbers(closed)
}

// Barred lists, ascending, the squares on which some piece may not arrive only because a superko rule or the undo ban
// forbids it. Empty when the game is over.
func (g *Game) Barred() []int {
	if g.Over() {
		return nil
	}
	return g.numbers(g.barred)
}

// Last is the squares of the last ply, -1 where it had none. Of a removal it is the square of the piece taken off.
func (g *Game) Last() (from, to int) {
	from, to = -1, -1
	if p := g.lastPly; p != nil {
		switch p.kind {
		case 'M', 'H':
			from, to = g.number(p.from), g.number(p.to)
		case 'P', 'D':
			to = g.number(p.to)
		case 'X':
			from = g.number(p.to)
		}
	}
	return from, to
}

// Key writes everything that decides how the game goes on, but for what a history adds: positions remembered, the undo
// ban, passes, counters.
func (g *Game) Key() string {
	pos := g.pos
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v %d %s", pos.board, pos.hands, pos.mover, pos.phase)
	switch pos.phase {
	case "agreement":
		fmt.Fprintf(&b, " passed %v", singlePass(pos.lastTurn[1-pos.mover]))
	case "placement":
		first := pos.firstPlacer
		if first < 0 {
			first = pos.mover
		}
		fmt.Fprintf(&b, " first %d placed %d", first, g.Placed())
	}
	fmt.Fprintf(&b, " %s %d %v %v", g.Pending(), g.Active(), g.Closed(), g.Opening())
	return b.String()
}

func (g *Game) number(s square) int { return s.row*g.params.Board.Cols + s.col }

func (g *Game) numbers(set map[square]bool) []int {
	var list []int
	for _, s := range g.pos.board.squares() {
		if set[s] {
			list = append(list, g.number(s))
		}
	}
	return list
}

// bar notes which of the moves before are missing after a superko rule or the undo ban was asked.
func (g *Game) bar(before, after []ply) {
	left := map[ply]bool{}
	for _, p := range after {
		left[p] = true
	}
	for _, p := range before {
		if !left[p] {
			g.barred[p.to] = true
		}
	}
}

// OutOfWork is what a Game panics with when the work that NewWithin allows is spent; it is then of no further use.
type OutOfWork struct{}

// spend pays for trying out one position.
func (g *Game) spend() {
	if g.work == nil {
		return
	}
	if *g.work -= g.params.Board.Rows * g.params.Board.Cols; *g.work < 0 {
		panic(OutOfWork{})
	}
}
