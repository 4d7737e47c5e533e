package literal

import (
	"maps"
	"strings"

	"latro/env/rules"
)

// CountRules makes the game count how often each of the rules that FiredBy names takes effect.
func (g *Game) CountRules() {
	if g.fired == nil {
		g.fired = map[string]int{}
	}
}

// Fired is how often each rule took effect since CountRules.
func (g *Game) Fired() map[string]int { return maps.Clone(g.fired) }

func (g *Game) note(happened bool, rule string) {
	if happened && g.fired != nil {
		g.fired[rule]++
	}
}

// FiredBy names the rules that games by these parameters can show, but for those that depend on more than one parameter
// having its way (a tie of a certain rule, say). "end " stands before the reason of an end.
func FiredBy(p rules.Params) []string {
	var list []string
	add := func(when bool, names ...string) {
		if when {
			list = append(list, names...)
		}
	}
	bind := p.Capture.Effect == "bind"
	add(!bind, "capture", "several at once")
	add(bind, "bind", "rescue")
	add(bind && p.Binding.GuardLeaves == "freed", "release")
	add(p.Capture.CornerPair, "corner pair")
	add(p.Capture.Edge == "hostile", "edge")
	add(p.Capture.Corner != "neutral", "hostile corner")
	add(p.Capture.Line == "row", "row")
	add(p.Capture.Leader == "as-man" || p.Capture.Leader == "surrounded", "leader taken")
	add(p.Capture.LeaderInRow != "none", "leader "+p.Capture.LeaderInRow)
	add(len(p.Capture.Immune) > 0, "immune square")
	add(p.Capture.MovingBetween == "taken", "taken between")
	add(p.Binding.Removal != "none" && p.Binding.RemovalNumber != "all", "removal")
	add(p.Binding.RemovalNumber == "any", "second removal")
	add(p.Binding.RemovalNumber == "all", "removal of all")
	hop, chain, row := false, false, false
	for _, m := range []rules.Mover{p.Movement.Men, p.Movement.Leaders} {
		hop = hop || len(m.HopOver) > 0
		chain = chain || m.HopChain
		row = row || m.HopLength == "row" && len(m.HopOver) > 0
	}
	add(hop, "hop")
	add(chain, "hop on", "chain stopped")
	add(row, "hop over a row")
	add(p.Movement.Undo == "forbidden", "undo forbidden", "undo allowed again")
	add(p.Movement.BetweenEnemies != "allowed", "entry forbidden")
	add(p.Movement.RemovalSquare == "barred", "removal square")
	add(p.Bonus.After == "capture", "bonus")
	add(p.Bonus.After == "capture" && !p.Bonus.Compulsory, "bonus declined")
	add(strings.HasSuffix(p.Repetition.Rule, "superko"), "superko")
	add(p.Repetition.Rule == "threefold-draw", "end repetition")
	add(p.Setup.Kind == "placement" && p.Setup.PerTurn == 2, "second placement")
	add(p.Setup.AgreementMax > 0, "raise")
	add(p.Setup.FirstMover == "last-placer", "last placer moves")
	passes := p.End.Blocked == "pass" || p.End.Blocked == "opponent-opens"
	add(passes, "pass")
	add(passes && p.End.TwoPasses == "draw", "end two-passes")
	add(!passes, "end blocked")
	add(p.End.Blocked == "opponent-opens", "way opened")
	if p.End.Annihilation != "none" {
		add(p.End.AnnihilationAt == 0, "end none-left")
		add(p.End.AnnihilationAt == 1, "end one-left")
	}
	add(p.End.LeaderCaptured != "none", "end leader-captured")
	add(p.End.LeaderImmobilised == "loses", "end leader-immobilised")
	add(p.End.NoCaptureLimit > 0, "end no-capture-limit")
	add(p.End.TurnLimit > 0, "end turn-limit")
	counts := p.End.NoCaptureResult == "count" || p.End.Blocked == "count" || p.End.LeaderCaptured == "count"
	add(counts, "pieces counted", "equal count")
	return list
}

// observe counts what a ply did, from the position before it. It is called when g.pos is the one after it.
func (g *Game) observe(before *position, p ply, did effects) {
	if g.fired == nil {
		return
	}
	me := before.mover
	switch p.kind {
	case 'R':
		g.note(true, "raise")
	case 'P', 'D':
		again := len(before.turnPlies) > 0
		g.note(again, "second placement")
		g.note(g.pos.phase == "movement" && g.pos.mover == me && g.pos.firstPlacer != me, "last placer moves")
	case 'X':
		g.note(true, "removal")
		g.note(removalsThisTurn(before) > 0, "second removal")
	case '-':
		g.note(before.inChain, "chain stopped")
		g.note(before.inBonus, "bonus declined")
		g.note(did.forcedPass && before.phase == "movement", "pass")
	case 'M', 'H':
		g.observeMove(before, p)
	}
	// What went as the turn was handed over.
	_, was := count(before.board, me)
	_, is := count(g.pos.board, me)
	g.note(g.params.Binding.RemovalNumber == "all" && g.pos.mover != me && was > 0 && is == 0, "removal of all")
}

func (g *Game) observeMove(before *position, p ply) {
	me := before.mover
	b := before.board.clone() // as the piece has just arrived
	b.put(p.to, b.at(p.from))
	b.put(p.from, '.')
	g.note(p.kind == 'H', "hop")
	g.note(p.kind == 'H' && before.inChain, "hop on")
	g.note(p.kind == 'H' && abs(p.to.row-p.from.row)+abs(p.to.col-p.from.col) > 2 && !diagonalBy2(p), "hop over a row")
	g.note(before.inBonus, "bonus")
	taken := g.taken(b, p.to)
	if g.params.Capture.Effect == "bind" {
		bound := taken
		g.note(len(bound) > 0, "bind")
		g.note(len(g.released(b, p.from, p.to, me)) > 0, "release")
		g.note(len(g.rescued(b, bound, me)) > 0, "rescue")
	} else {
		g.note(len(taken) > 0, "capture")
		g.note(len(taken) > 1, "several at once")
		g.note(g.takenItself(g.boardAfterCaptures(b, taken), p.to), "taken between")
	}
	for s := range taken {
		g.note(isLeader(b.at(s)), "leader taken")
	}
	for s := range g.takenInCorners(b, p.to) {
		g.note(taken[s], "corner pair")
	}
	if !g.arrivingCaptor(b.at(p.to)) {
		return
	}
	for _, d := range directions(g.params.Capture.Axes) {
		line := g.takenInDirection(b, p.to, d)
		n := 0
		for s := range line {
			if taken[s] {
				n++
			} else {
				g.note(true, "immune square")
			}
		}
		g.note(n > 1, "row")
		// Walk on past the enemies to see what closed the line, or what kept it open.
		end := p.to.plus(d, 1)
		leaderInLine := false
		for owner(b.at(end)) == 1-me {
			leaderInLine = leaderInLine || isLeader(b.at(end))
			end = end.plus(d, 1)
		}
		g.note(n > 0 && leaderInLine && g.params.Capture.LeaderInRow == "spans", "leader spans")
		g.note(n == 0 && leaderInLine && g.params.Capture.LeaderInRow == "shields" && g.standingCaptor(b, end, d, me) &&
			abs(end.row-p.to.row)+abs(end.col-p.to.col) > 2, "leader shields")
		if n == 0 || owner(b.at(end)) == me {
			continue
		}
		g.note(b.at(end) == '#' && g.params.Capture.Edge == "hostile", "edge")
		g.note(g.params.Capture.Corner != "neutral", "hostile corner")
	}
}

func (g *Game) boardAfterCaptures(b board, taken map[square]bool) board {
	after := b.clone()
	for s := range taken {
		after.put(s, '.')
	}
	return after
}

func diagonalBy2(p ply) bool {
	return abs(p.to.row-p.from.row) == 2 && abs(p.to.col-p.from.col) == 2
}

func abs(n int) int { return max(n, -n) }

// observeChoice counts what was left out of the mover's plies. It is called when the plies of g.pos are worked out.
func (g *Game) observeChoice() {
	if g.fired == nil || g.Over() || g.pos.phase != "movement" {
		return
	}
	pos := g.pos
	moves := g.allMoves(pos, pos.mover)
	if g.params.Movement.BetweenEnemies != "allowed" {
		g.note(len(g.relaxed(func(p *rules.Params) { p.Movement.BetweenEnemies = "allowed" }).allMoves(pos, pos.mover)) > len(moves), "entry forbidden")
	}
	if g.params.Movement.RemovalSquare == "barred" && len(pos.freed) > 0 {
		g.note(len(g.relaxed(func(p *rules.Params) { p.Movement.RemovalSquare = "allowed" }).allMoves(pos, pos.mover)) > len(moves), "removal square")
	}
}

// relaxed is the game by other parameters.
func (g *Game) relaxed(change func(*rules.Params)) *Game {
	other := *g
	change(&other.params)
	return &other
}
