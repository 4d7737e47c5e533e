package literal

import (
	"slices"
	"strconv"
)

// legal is the list of legal plies. If a player who must ply has none, it is the forced pass.
func (g *Game) legal() []ply {
	if len(g.options) == 0 {
		return []ply{{kind: '-'}}
	}
	return g.options
}

// candidates is the list of legal plies without the forced pass.
func (g *Game) candidates(pos *position) []ply {
	switch {
	case pos.phase == "agreement":
		return g.allowedByRepetition(pos, g.agreementPlies(pos))
	case pos.phase == "placement":
		return g.allowedByRepetition(pos, g.placementPlies(pos))
	case pos.inChain: // movement.*.hop_chain
		return append(g.chainHops(pos), ply{kind: '-'})
	case pos.inBonus: // bonus.compulsory
		list := g.bonusMoves(pos)
		if len(list) == 0 || !g.params.Bonus.Compulsory {
			list = append(list, ply{kind: '-'})
		}
		return list
	}
	return g.openingOnly(pos, g.turnPlies(pos))
}

// turnPlies is the removals and moves of a player who is neither in a chain nor in a bonus:
// binding.removal_compulsory, and movement.undo with its exception.
func (g *Game) turnPlies(pos *position) []ply {
	removals := g.allowedByRepetition(pos, g.removalPlies(pos))
	if g.params.Binding.RemovalCompulsory && len(removals) > 0 && removalsThisTurn(pos) == 0 {
		return removals
	}
	moves := g.allMoves(pos, pos.mover)
	allowed := g.allowedByRepetition(pos, moves)
	unbanned := g.withoutBanned(pos, allowed)
	if len(unbanned) == 0 && len(removals) == 0 {
		g.bar(moves, allowed)
		g.note(len(allowed) < len(moves), "superko")
		g.note(len(allowed) > 0, "undo allowed again")
		return allowed
	}
	g.bar(moves, unbanned)
	g.note(len(allowed) < len(moves), "superko")
	g.note(len(unbanned) < len(allowed), "undo forbidden")
	return append(removals, unbanned...)
}

// allMoves is the moves of every piece of a player.
func (g *Game) allMoves(pos *position, player int) []ply {
	var list []ply
	for _, s := range pos.board.squares() {
		if owner(pos.board.at(s)) == player {
			list = append(list, g.movesOf(pos, s)...)
		}
	}
	return list
}

// chainHops is the further hops of the chain's piece, if it is still there.
func (g *Game) chainHops(pos *position) []ply {
	if owner(pos.board.at(pos.active)) != pos.mover {
		return nil
	}
	hops := g.hopsOf(pos, pos.active)
	left := g.withoutBanned(pos, g.allowedByRepetition(pos, hops))
	g.bar(hops, left)
	return left
}

// chainGoesOn says whether chainHops has any. It stops at the first: to know whether a hop repeats a position may
// take to know whether the chain goes on after it, and so on.
func (g *Game) chainGoesOn(pos *position) bool {
	if owner(pos.board.at(pos.active)) != pos.mover {
		return false
	}
	for _, p := range g.withoutBanned(pos, g.hopsOf(pos, pos.active)) {
		if len(g.allowedByRepetition(pos, []ply{p})) > 0 {
			return true
		}
	}
	return false
}

// bonusMoves is the bonus plies: bonus.piece, bonus.must_capture.
func (g *Game) bonusMoves(pos *position) []ply {
	var list []ply
	if g.params.Bonus.Piece == "any" {
		list = g.allMoves(pos, pos.mover)
	} else if owner(pos.board.at(pos.active)) == pos.mover {
		list = g.movesOf(pos, pos.active)
	}
	if g.params.Bonus.MustCapture {
		list = slices.DeleteFunc(list, func(p ply) bool {
			_, did := g.apply(pos, p)
			return did.captures == 0
		})
	}
	left := g.withoutBanned(pos, g.allowedByRepetition(pos, list))
	g.bar(list, left)
	return left
}

// bonusGoesOn says whether bonusMoves has any, with bonus.must_capture. It stops at the first, as chainGoesOn.
func (g *Game) bonusGoesOn(pos *position) bool {
	pieces := []square{pos.active}
	if g.params.Bonus.Piece == "any" {
		pieces = pos.board.squares()
	}
	for _, s := range pieces {
		if owner(pos.board.at(s)) != pos.mover {
			continue
		}
		for _, p := range g.withoutBanned(pos, g.movesOf(pos, s)) {
			if _, did := g.apply(pos, p); did.captures > 0 && len(g.allowedByRepetition(pos, []ply{p})) > 0 {
				return true
			}
		}
	}
	return false
}

// withoutBanned leaves out the plies that movement.undo forbids.
func (g *Game) withoutBanned(pos *position, list []ply) []ply {
	if g.params.Movement.Undo == "allowed" {
		return list
	}
	var rest []ply
	for _, p := range list {
		if banned, ok := pos.bans[pos.mover][p.from]; ok && banned == p.to {
			continue
		}
		rest = append(rest, p)
	}
	return rest
}

// openingOnly: end.blocked opponent-opens: after the forced pass of a blocked player, only the plies that open
// a way for him, if there are such. A ply that ends the game opens nothing.
func (g *Game) openingOnly(pos *position, list []ply) []ply {
	if pos.opening < 0 || pos.opening == pos.mover {
		return list
	}
	var opens []ply
	for _, p := range list {
		trial := g.trial(pos)
		trial.play(p)
		if trial.Over() {
			continue
		}
		if trial.pos.mover == pos.mover {
			trial.handOver(trial.pos) // as if the turn ended here
		}
		if len(trial.candidates(trial.pos)) > 0 {
			opens = append(opens, p)
		}
	}
	if len(opens) == 0 {
		return list
	}
	g.note(len(opens) < len(list), "way opened")
	return opens
}

// allowedByRepetition leaves out the plies that a superko rule forbids.
func (g *Game) allowedByRepetition(pos *position, list []ply) []ply {
	if g.params.Repetition.Rule != "positional-superko" && g.params.Repetition.Rule != "situational-superko" {
		return list
	}
	var rest []ply
	for _, p := range list {
		if p.kind != '-' && p.kind != 'R' {
			if next, _ := g.apply(pos, p); g.forbiddenRepetition(next) {
				continue
			}
		}
		rest = append(rest, p)
	}
	return rest
}

// forbiddenRepetition says whether a superko rule forbids to reach the position.
func (g *Game) forbiddenRepetition(pos *position) bool {
	switch g.params.Repetition.Rule {
	case "positional-superko", "situational-superko":
		return g.seen[g.repetitionKey(pos)] > 0
	}
	return false
}

// repetitionKey is what repetition.rule calls a position.
func (g *Game) repetitionKey(pos *position) string {
	key := pos.board.String()
	for _, h := range pos.hands {
		key += " " + strconv.Itoa(h.men) + " " + strconv.Itoa(h.leaders)
	}
	if g.params.Repetition.Rule != "positional-superko" {
		key += " next " + strconv.Itoa(pos.mover)
	}
	return key
}
