package audit

import (
	"fmt"

	"latro/env/engine"
	"latro/env/rules"
)

// hunger answers, from the rules and the numbers of pieces alone, whether a side could ever capture again.
type hunger struct{ p *rules.Params }

// forces is what a side has left, on the board and in hand.
type forces struct{ men, leaders, bound int }

func forcesOf(s *engine.State, player int) forces {
	men, leaders, bound := s.Pieces(player)
	handMen, handLeaders := s.Hand(player)
	return forces{men + handMen, leaders + handLeaders, bound}
}

// hostileBoard says whether a part of the board is a captor. Edges and corners capture along rows and files only.
func (h hunger) hostileBoard() bool {
	c := &h.p.Capture
	return c.Axes != "diagonal" && (c.Edge == "hostile" || c.Corner != "neutral")
}

// encloses says whether a side could enclose a piece between two captors, one of which arrives.
func (h hunger) encloses(f forces) bool {
	role := h.p.Capture.LeaderAsCaptor
	if h.hostileBoard() {
		return f.men > 0 || f.leaders > 0 && (role == "arriving" || role == "both")
	}
	// A man can be either captor, so beside one any role of the leader will do.
	return f.men >= 2 || f.men == 1 && f.leaders > 0 && role != "none"
}

// canTake says whether a side could, in some arrangement of the pieces, capture or bind an enemy or take a bound one off.
func (h hunger) canTake(me, foe forces) bool {
	c := &h.p.Capture
	if c.Effect == "bind" {
		if foe.bound > 0 && h.p.Binding.Removal != "none" {
			return true
		}
		return foe.men > 0 && me.men >= 2
	}
	asMan := foe.men > 0 || foe.leaders > 0 && c.Leader == "as-man"
	if asMan && h.encloses(me) {
		return true
	}
	if asMan && c.MovingBetween == "taken" {
		standing := me.men
		if c.LeaderAsCaptor == "standing" || c.LeaderAsCaptor == "both" {
			standing += me.leaders
		}
		if standing >= 2 || h.hostileBoard() {
			return true
		}
	}
	return h.surrounds(me, foe)
}

// surrounds says whether a side could stand on all sides of the enemy leader: on a corner there are two.
func (h hunger) surrounds(me, foe forces) bool {
	return foe.leaders > 0 && h.p.Capture.Leader == "surrounded" && me.men+me.leaders >= 2
}

// winsByTaking says whether a side could still win by what it takes: by the number of pieces or by the leader.
func (h hunger) winsByTaking(me, foe forces) bool {
	e := &h.p.End
	if e.Annihilation != "none" && h.canTake(me, foe) {
		counted, untouchable := foe.men, 0
		if e.Annihilation == "pieces" {
			counted += foe.leaders
			if h.p.Capture.Leader == "immune" {
				untouchable = foe.leaders
			}
		}
		if untouchable <= e.AnnihilationAt && !(e.AnnihilationExact && counted < e.AnnihilationAt) {
			return true
		}
	}
	if e.LeaderCaptured == "none" || foe.leaders == 0 {
		return false
	}
	return h.p.Capture.Leader == "as-man" && h.encloses(me) || h.surrounds(me, foe)
}

// start is what each side has at the beginning.
func (h hunger) start() forces { return forces{men: h.p.Pieces.Men, leaders: h.p.Pieces.Leaders} }

// words says what a side needs in order to capture.
func (h hunger) words() string {
	verb := "capture"
	if h.p.Capture.Effect == "bind" {
		verb = "bind"
	}
	text := fmt.Sprintf("Under these rules a side needs at least two pieces to %s", verb)
	switch {
	case h.p.Capture.Effect == "bind":
		text += ", or a bound enemy that it may take off"
		if h.p.Binding.Removal == "none" {
			text = "Under these rules a side needs at least two pieces to bind, and nothing is ever taken off"
		}
	case h.hostileBoard():
		text = "Under these rules a single piece can capture, against a square or edge that serves as a captor, so that no side that has a man left is starved"
	case h.p.Pieces.Leaders > 0 && h.p.Capture.LeaderAsCaptor == "none":
		text += " men (the leader is no captor)"
	}
	if !h.winsByTaking(h.start(), h.start()) {
		text += ". Taking pieces alone never wins here, from the first ply on"
	}
	return text + "."
}
