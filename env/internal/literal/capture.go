package literal

// taken is the enemy pieces that the piece which has just arrived on the square at takes (capture.effect
// remove) or binds (bind). The board is the one right after the arrival; nothing is changed.
func (g *Game) taken(b board, at square) map[square]bool {
	victims := map[square]bool{}
	if g.arrivingCaptor(b.at(at)) {
		for _, d := range directions(g.params.Capture.Axes) {
			for s := range g.takenInDirection(b, at, d) {
				victims[s] = true
			}
		}
		for s := range g.takenInCorners(b, at) {
			victims[s] = true
		}
	}
	for s := range g.leaderSurrounded(b, at) {
		victims[s] = true
	}
	for s := range victims {
		if g.named(g.params.Capture.Immune, s) { // capture.immune
			delete(victims, s)
		}
	}
	return victims
}

// takenInDirection: custodial capture in one direction: capture.line, .line_axes, .leader, .leader_in_row.
func (g *Game) takenInDirection(b board, at square, d direction) map[square]bool {
	c := g.params.Capture
	me := owner(b.at(at))
	rows := c.Line == "row" && (c.LineAxes == "same" || d.isHorizontal())
	victims := map[square]bool{}
	line := map[square]bool{}
	for n := 1; ; n++ {
		s := at.plus(d, n)
		// The line so far is taken if what comes next is a captor. A hostile corner ends a line even with
		// an enemy on it, and the line may still go on through that enemy.
		if n > 1 && g.standingCaptor(b, s, d, me) {
			for v := range line {
				victims[v] = true
			}
		}
		piece := b.at(s)
		if owner(piece) != 1-me {
			return victims
		}
		if isBound(piece) { // bound already (effect bind, whose lines are single)
			return victims
		}
		if n > 1 && !rows {
			return victims
		}
		if !isLeader(piece) || c.Leader == "as-man" {
			line[s] = true
			continue
		}
		if !(rows && c.LeaderInRow == "spans") {
			return victims
		}
	}
}

// arrivingCaptor: may this piece be the captor that arrives? capture.leader_as_captor; a bound piece never.
func (g *Game) arrivingCaptor(piece byte) bool {
	if isLeader(piece) {
		role := g.params.Capture.LeaderAsCaptor
		return role == "arriving" || role == "both"
	}
	return owner(piece) >= 0 && !isBound(piece)
}

// standingPiece: is this a piece of player me that may be the captor that stands? capture.leader_as_captor.
func (g *Game) standingPiece(piece byte, me int) bool {
	if owner(piece) != me || isBound(piece) {
		return false
	}
	if isLeader(piece) {
		role := g.params.Capture.LeaderAsCaptor
		return role == "standing" || role == "both"
	}
	return true
}

// standingCaptor: is the square s, seen in direction d, the other captor for player me? A piece, a hostile
// corner (capture.corner) or the hostile edge (capture.edge).
func (g *Game) standingCaptor(b board, s square, d direction, me int) bool {
	if b.at(s) == '#' {
		return g.params.Capture.Edge == "hostile" && d.isOrthogonal()
	}
	if b.isCorner(s) && d.isOrthogonal() {
		switch g.params.Capture.Corner {
		case "hostile":
			return true
		case "hostile-unless-own":
			if owner(b.at(s)) != 1-me {
				return true
			}
		}
	}
	return g.standingPiece(b.at(s), me)
}

// takenInCorners: capture.corner_pair.
func (g *Game) takenInCorners(b board, at square) map[square]bool {
	victims := map[square]bool{}
	if !g.params.Capture.CornerPair {
		return victims
	}
	me := owner(b.at(at))
	for _, d := range orthogonal {
		corner := at.plus(d, 1)
		piece := b.at(corner)
		if !b.isCorner(corner) || owner(piece) != 1-me || isBound(piece) {
			continue
		}
		if isLeader(piece) && g.params.Capture.Leader != "as-man" {
			continue
		}
		if g.standingPiece(b.at(otherNeighbour(b, corner, at)), me) {
			victims[corner] = true
		}
	}
	return victims
}

// otherNeighbour is the orthogonal neighbour of a corner that is not the given one.
func otherNeighbour(b board, corner, one square) square {
	for _, d := range orthogonal {
		if s := corner.plus(d, 1); b.at(s) != '#' && s != one {
			return s
		}
	}
	panic("literal: a corner has two neighbours")
}

// leaderSurrounded: capture.leader surrounded.
func (g *Game) leaderSurrounded(b board, at square) map[square]bool {
	victims := map[square]bool{}
	if g.params.Capture.Leader != "surrounded" {
		return victims
	}
	me := owner(b.at(at))
	for _, d := range orthogonal {
		s := at.plus(d, 1)
		if b.at(s) != leader(1-me) {
			continue
		}
		closed := true
		for _, e := range orthogonal {
			guard := b.at(s.plus(e, 1))
			if guard != '#' && (owner(guard) != me || isBound(guard)) {
				closed = false
			}
		}
		if closed {
			victims[s] = true
		}
	}
	return victims
}

// takenItself: capture.moving_between: does the piece that arrived stand between two standing captors of its
// enemy? The board is the one after its own captures.
func (g *Game) takenItself(b board, at square) bool {
	c := g.params.Capture
	piece := b.at(at)
	if c.MovingBetween != "taken" || isLeader(piece) && c.Leader != "as-man" || g.named(c.Immune, at) {
		return false
	}
	enemy := 1 - owner(piece)
	for _, d := range directions(c.Axes) {
		back := direction{-d.row, -d.col}
		if g.standingCaptor(b, at.plus(d, 1), d, enemy) && g.standingCaptor(b, at.plus(back, 1), back, enemy) {
			return true
		}
	}
	return false
}
