package literal

import (
	"slices"

	"latro/env/rules"
)

// moverOf: movement.men or movement.leaders.
func (g *Game) moverOf(piece byte) rules.Mover {
	if isLeader(piece) {
		return g.params.Movement.Leaders
	}
	return g.params.Movement.Men
}

// movesOf is the steps, slides and hops of the piece on from, as its Mover says and movement.between_enemies
// and movement.removal_square allow. Repetition rules and the undo ban are not looked at here. A bound piece
// does not move.
func (g *Game) movesOf(pos *position, from square) []ply {
	piece := pos.board.at(from)
	if isBound(piece) {
		return nil
	}
	list := g.hopsOf(pos, from)
	how := g.moverOf(piece)
	for _, d := range directions(how.Directions) {
		for n := 1; pos.board.at(from.plus(d, n)) == '.'; n++ {
			p := ply{'M', from, from.plus(d, n)}
			if g.mayEnter(pos.board, p) {
				list = append(list, p)
			}
			if how.Range == "step" {
				break
			}
		}
	}
	return list
}

// hopsOf is the hops of the piece on from: hop_over, hop_directions, hop_length. Inside a chain the squares
// used in this turn are left out (hop_chain).
func (g *Game) hopsOf(pos *position, from square) []ply {
	piece := pos.board.at(from)
	how := g.moverOf(piece)
	var list []ply
	for _, d := range directions(how.HopDirections) {
		over := 0
		for g.hoppable(how, owner(piece), pos.board.at(from.plus(d, over+1))) {
			over++
			if how.HopLength == "one" {
				break
			}
		}
		to := from.plus(d, over+1)
		if over == 0 || pos.board.at(to) != '.' {
			continue
		}
		if pos.inChain && pos.visited[to] {
			continue
		}
		if g.params.Movement.RemovalSquare == "barred" && pos.freed[to] {
			continue
		}
		p := ply{'H', from, to}
		if g.mayEnter(pos.board, p) {
			list = append(list, p)
		}
	}
	return list
}

// hoppable: hop_over.
func (g *Game) hoppable(how rules.Mover, me int, piece byte) bool {
	if owner(piece) < 0 {
		return false
	}
	if owner(piece) == me && !isLeader(piece) && slices.Contains(how.HopOver, "own-men") {
		return true
	}
	word := "enemy-"
	if owner(piece) == me {
		word = "own-"
	}
	if isBound(piece) {
		word += "bound"
	} else {
		word += "free"
	}
	return slices.Contains(how.HopOver, word)
}

// mayEnter: movement.between_enemies.
func (g *Game) mayEnter(b board, p ply) bool {
	if g.params.Movement.BetweenEnemies == "allowed" {
		return true
	}
	me := owner(b.at(p.from))
	enemyAt := func(row, col int) bool {
		piece := b.at(square{p.to.row + row, p.to.col + col})
		return owner(piece) == 1-me && (!isBound(piece) || g.params.Movement.BetweenBound == "count")
	}
	dangerous := enemyAt(0, -1) && enemyAt(0, 1) || enemyAt(-1, 0) && enemyAt(1, 0)
	if !dangerous {
		return true
	}
	after := b.clone()
	after.put(p.to, b.at(p.from))
	after.put(p.from, '.')
	return len(g.taken(after, p.to)) > 0
}
