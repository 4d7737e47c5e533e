package literal

// play makes a legal ply, remembers the position, and looks at the ends.
func (g *Game) play(p ply) {
	me := g.pos.mover
	firstOfTurn := len(g.pos.turnPlies) == 0
	before := g.pos
	next, did := g.apply(before, p)
	g.pos = next
	g.plies = append(g.plies, p.String())
	g.lastPly = &p
	g.observe(before, p, did)
	turnEnded := next.mover != me

	g.occurrences = 0
	switch g.params.Repetition.Rule {
	case "positional-superko", "situational-superko":
		if firstOfTurn {
			g.seen[g.repetitionKey(next)]++
		}
	case "threefold-draw":
		if turnEnded {
			g.seen[g.repetitionKey(next)]++
			if next.phase == "movement" {
				g.occurrences = g.seen[g.repetitionKey(next)]
			}
		}
	}
	g.barred = map[square]bool{}
	g.options = g.candidates(next)
	if next.phase == "movement" {
		g.checkEnds(me, did, turnEnded)
	}
	g.observeChoice()
}

// checkEnds looks at every end in the order of rules.End after a ply of player me. The first that fires
// decides.
func (g *Game) checkEnds(me int, did effects, turnEnded bool) {
	end := g.params.End
	pos := g.pos
	other := 1 - me

	// Annihilation: end.checked, .annihilation, .annihilation_at, .annihilation_exact.
	looksAt := []int{other, me}
	if end.Checked == "next-player" {
		looksAt = []int{pos.mover}
	}
	for _, player := range looksAt {
		if g.annihilated(player) {
			g.wins(1-player, map[bool]string{true: "none-left", false: "one-left"}[end.AnnihilationAt == 0])
			return
		}
	}

	// Leader captured: end.leader_captured.
	for _, player := range []int{other, me} {
		if !did.leaderCapture[player] {
			continue
		}
		switch end.LeaderCaptured {
		case "loses":
			g.wins(1-player, "leader-captured")
			return
		case "count":
			g.morePiecesWin("leader-captured")
			return
		}
	}

	// Leader immobilised: end.leader_immobilised.
	if end.LeaderImmobilised == "loses" {
		for _, s := range pos.board.squares() {
			if pos.board.at(s) == leader(other) && len(g.movesOf(g.asideFromChain(), s)) == 0 {
				g.wins(me, "leader-immobilised")
				return
			}
		}
	}

	// Blocked: end.blocked.
	if len(g.options) == 0 && g.endBlocked(pos) {
		return
	}

	// No-capture limit: end.no_capture_limit, .no_capture_result.
	if end.NoCaptureLimit > 0 && pos.quiet >= end.NoCaptureLimit {
		if end.NoCaptureResult == "count" {
			g.morePiecesWin("no-capture-limit")
		} else {
			g.ends("draw", "no-capture-limit")
		}
		return
	}

	// Two passes: end.two_passes.
	if end.TwoPasses == "draw" && turnEnded && singlePass(pos.lastTurn[0]) && singlePass(pos.lastTurn[1]) {
		g.ends("draw", "two-passes")
		return
	}

	// Repetition: repetition.rule threefold-draw.
	if g.occurrences >= 3 {
		g.ends("draw", "repetition")
		return
	}

	// Turn limit: end.turn_limit.
	if end.TurnLimit > 0 && pos.turn >= end.TurnLimit {
		g.ends("capped", "turn-limit")
	}
}

// asideFromChain is the position without the chain and the squares of this turn, in which a leader's moves are
// looked at.
func (g *Game) asideFromChain() *position {
	pos := g.pos.clone()
	pos.inChain = false
	pos.visited, pos.freed = map[square]bool{}, map[square]bool{}
	return pos
}

// singlePass says whether a turn was a single ply, and that a pass. A stop ply is never the only one of its
// turn.
func singlePass(turn []ply) bool { return len(turn) == 1 && turn[0].kind == '-' }

// endBlocked ends the game of a player who has no ply, if end.blocked says so.
func (g *Game) endBlocked(pos *position) bool {
	switch g.params.End.Blocked {
	case "loses":
		g.wins(1-pos.mover, "blocked")
		return true
	case "count":
		g.morePiecesWin("blocked")
		return true
	}
	return false
}

// annihilated: end.annihilation, .annihilation_at, .annihilation_exact. Hands count.
func (g *Game) annihilated(player int) bool {
	end := g.params.End
	n := 0
	switch end.Annihilation {
	case "pieces":
		n = g.pieces(player)
	case "men":
		n = g.pos.hands[player].men
		for _, s := range g.pos.board.squares() {
			if piece := g.pos.board.at(s); owner(piece) == player && !isLeader(piece) {
				n++
			}
		}
	default:
		return false
	}
	if end.AnnihilationExact {
		return n == end.AnnihilationAt
	}
	return n <= end.AnnihilationAt
}

// pieces counts men and leader of a player, free or bound, on the board and in hand.
func (g *Game) pieces(player int) int {
	onBoard, _ := count(g.pos.board, player)
	return onBoard + g.pos.hands[player].men + g.pos.hands[player].leaders
}

// morePiecesWin decides by piece count; equal: end.tie.
func (g *Game) morePiecesWin(reason string) {
	n0, n1 := g.pieces(0), g.pieces(1)
	g.note(true, "pieces counted")
	g.note(n0 == n1, "equal count")
	switch {
	case n0 > n1:
		g.wins(0, reason)
	case n1 > n0:
		g.wins(1, reason)
	case g.params.End.Tie == "player-0":
		g.wins(0, reason)
	case g.params.End.Tie == "player-1":
		g.wins(1, reason)
	default:
		g.ends("draw", reason)
	}
}

func (g *Game) wins(player int, reason string) { g.ends([]string{"win0", "win1"}[player], reason) }

func (g *Game) ends(outcome, reason string) {
	g.outcome, g.reason = outcome, reason
	g.note(true, "end "+reason)
}
