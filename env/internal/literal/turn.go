package literal

// effects is what a ply did.
type effects struct {
	captures      int     // pieces that left the board: captured, removed, or the arriving piece itself
	leaderCapture [2]bool // whose leader was captured
	forcedPass    bool
}

// apply makes a ply on a copy of the position and works out who makes the next ply. It neither remembers
// positions nor ends the game, so that it serves for trying plies out.
func (g *Game) apply(before *position, p ply) (*position, effects) {
	g.spend()
	pos := before.clone()
	me := pos.mover
	var did effects

	if len(pos.turnPlies) == 0 && (len(pos.lastTurn[0])+len(pos.lastTurn[1]) > 0) {
		pos.turn++ // the mover has changed
	}
	wasMovement := pos.phase == "movement"
	pos.opening = -1
	goesOn := false

	switch p.kind {
	case 'R':
		pos.hands[0].men++
		pos.hands[1].men++
	case 'P', 'D':
		goesOn = g.place(pos, p)
	case '-':
		goesOn = g.passOrStop(pos, &did)
	case 'X':
		pos.board.put(p.to, '.')
		g.forget(pos, p.to)
		pos.freed[p.to] = true
		did.captures++
		goesOn = g.params.Binding.Removal == "before-move"
	case 'M', 'H':
		goesOn = g.move(pos, p, &did)
	}

	pos.turnPlies = append(pos.turnPlies, p)
	if !goesOn {
		did.captures += g.handOver(pos)
	}
	if wasMovement {
		pos.quiet++ // end.no_capture_limit
		if did.captures > 0 {
			pos.quiet = 0
		}
	}
	if did.forcedPass && g.params.End.Blocked == "opponent-opens" {
		pos.opening = me
	}
	return pos, did
}

// passOrStop is the ply "-": the end of the agreement, a stop, or a forced pass. The turn is over.
func (g *Game) passOrStop(pos *position, did *effects) (goesOn bool) {
	if pos.phase == "agreement" {
		last := pos.lastTurn[1-pos.mover]
		if len(last) == 1 && last[0].kind == '-' { // two passes in a row
			pos.phase = "placement"
		}
		return false
	}
	did.forcedPass = !pos.inChain && !pos.inBonus
	return false
}

// move is a step, slide or hop with its effects; it returns whether the turn goes on.
func (g *Game) move(pos *position, p ply, did *effects) (goesOn bool) {
	me := pos.mover
	pos.board.put(p.to, pos.board.at(p.from))
	pos.board.put(p.from, '.')
	pos.active = p.to
	pos.inBonus = false
	g.follow(pos, p)

	chains := p.kind == 'H' && g.moverOf(pos.board.at(p.to)).HopChain
	offeredBefore := false
	if chains {
		pos.inChain = true
		pos.visited[p.from] = true
		pos.visited[p.to] = true
		offeredBefore = g.params.Movement.ChainOffer == "before-effects" && g.offeredBeforeEffects(pos)
	}

	if g.params.Capture.Effect == "bind" {
		g.bindingEffects(pos.board, p.from, p.to)
	} else {
		for s := range g.taken(pos.board, p.to) {
			did.leaderCapture[1-me] = did.leaderCapture[1-me] || isLeader(pos.board.at(s))
			pos.board.put(s, '.')
			g.forget(pos, s)
			did.captures++
		}
	}
	if g.takenItself(pos.board, p.to) {
		chains = false // the chain is the piece's, and it is gone
		did.leaderCapture[me] = isLeader(pos.board.at(p.to))
		pos.board.put(p.to, '.')
		g.forget(pos, p.to)
		did.captures++
	}

	if chains {
		if g.params.Movement.ChainOffer == "before-effects" {
			return offeredBefore
		}
		return g.chainGoesOn(pos)
	}
	if g.params.Bonus.After == "capture" && did.captures > 0 { // bonus.after
		pos.inBonus = true
		return !g.params.Bonus.MustCapture || g.bonusGoesOn(pos)
	}
	return false
}

// offeredBeforeEffects: movement.chain_offer before-effects. The board is the one before the effects of the
// hop that was just made; of the next hop only the landing is tried, as if it were the last ply of the turn.
func (g *Game) offeredBeforeEffects(pos *position) bool {
	for _, p := range g.withoutBanned(pos, g.hopsOf(pos, pos.active)) {
		next := pos.clone()
		next.board.put(p.to, next.board.at(p.from))
		next.board.put(p.from, '.')
		next.mover = 1 - pos.mover
		if !g.forbiddenRepetition(next) {
			return true
		}
	}
	return false
}

// handOver ends the turn and begins the opponent's: binding.removal_number all. It returns how many bound
// men that takes off.
func (g *Game) handOver(pos *position) (removed int) {
	me := pos.mover
	pos.lastTurn[me] = pos.turnPlies
	pos.turnPlies = nil
	pos.mover = 1 - me
	pos.inChain, pos.inBonus = false, false
	pos.visited, pos.freed = map[square]bool{}, map[square]bool{}
	pos.bans[me] = pos.moved
	pos.moved = map[square]square{}
	if g.params.Binding.RemovalNumber == "all" {
		for _, s := range pos.board.squares() {
			if pos.board.at(s) == boundMan(me) {
				pos.board.put(s, '.')
				g.forget(pos, s)
				removed++
			}
		}
	}
	return removed
}

// follow keeps the undo ban's record of the piece that made the first move of the turn (movement.undo: the
// origin of the turn's first ply; with bonus.piece any other pieces may move after it).
func (g *Game) follow(pos *position, p ply) {
	if !movedThisTurn(pos) {
		pos.moved[p.to] = p.from
	} else if origin, ok := pos.moved[p.from]; ok {
		delete(pos.moved, p.from)
		pos.moved[p.to] = origin
	}
	if banned, ok := pos.bans[pos.mover][p.from]; ok {
		delete(pos.bans[pos.mover], p.from)
		pos.bans[pos.mover][p.to] = banned
	}
}

func movedThisTurn(pos *position) bool {
	for _, p := range pos.turnPlies {
		if p.kind == 'M' || p.kind == 'H' {
			return true
		}
	}
	return false
}

// forget drops the undo ban's record of a piece that left the board.
func (g *Game) forget(pos *position, s square) {
	delete(pos.moved, s)
	delete(pos.bans[0], s)
	delete(pos.bans[1], s)
}
