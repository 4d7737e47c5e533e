package mcts

// stepW1 is one step in a direction.
type stepW1 struct {
	squares  int   // to the next square
	cells    int   // to the next cell
	from     setW1 // the squares from which the step stays on the board
	rim      setW1 // the squares that no step in this direction leads to
	straight bool  // along a row or column
}

func (s setW1) stepped(o *stepW1) setW1 { return s.and(o.from).shift(o.squares) }

// sheetW1 works out the features of positions on sets of squares, all men at once. Only the men that an enemy holds from one
// side are looked at one by one. It is read-only.
type sheetW1 struct {
	l                         *layout
	all, rim, immune, corners setW1
	rings                     []setW1
	// The first four steps are orthogonal, the others, if capture needs them, diagonal; a step of odd number leads back
	// from where that before it leads.
	steps  []stepW1
	inside []setW1 // for each line of capture, the squares with a neighbour on either side
}

func newSheetW1(l *layout) *sheetW1 {
	h := &sheetW1{l: l, all: narrowW1(l.all), rim: narrowW1(l.rim), immune: narrowW1(l.immuneSet), corners: narrowW1(l.corners)}
	for _, r := range l.rings {
		h.rings = append(h.rings, narrowW1(r))
	}
	for _, w := range l.ways {
		o := stepW1{squares: w.squares, cells: w.cells, from: narrowW1(w.from), straight: w.straight}
		o.rim = h.all.without(h.all.stepped(&o))
		h.steps = append(h.steps, o)
	}
	for _, first := range l.lines {
		h.inside = append(h.inside, h.all.stepped(&h.steps[first]).and(h.all.stepped(&h.steps[first+1])))
	}
	return h
}

// count fills t with what the position has; b is its board.
func (h *sheetW1) count(b *board, t *tally) {
	l := h.l
	bound, leaders := narrowW1(b.bound), narrowW1(b.leaders)
	var pieces, free, men, lead, captors [2]setW1
	for i := range 2 {
		pieces[i] = narrowW1(b.pieces[i])
		free[i] = pieces[i].without(bound)
		lead[i] = free[i].and(leaders)
		men[i] = free[i].without(leaders)
		captors[i] = men[i]
		if l.leaderStands {
			captors[i] = free[i]
		}
		t.bound[i] = pieces[i].and(bound).count()
		t.men[i], t.leaders[i] = men[i].count(), lead[i].count()
		t.edge[i] = men[i].and(h.rim).count()
		t.centre[i] = 0
		for j := range h.rings {
			t.centre[i] += men[i].and(h.rings[j]).count()
		}
	}
	empty := h.all.without(pieces[0]).without(pieces[1])
	// The squares next to own men, captors and pieces on the side that each step gives, and those next to empty ones.
	var besideMen [2][4]setW1 // the diagonals are for capture alone
	var besideCaptors, besidePieces [2][8]setW1
	var besideEmpty [8]setW1
	for d := range h.steps {
		o := &h.steps[d]
		besideEmpty[d] = empty.stepped(o)
		for i := range 2 {
			p := pieces[i].stepped(o)
			c := p
			if captors[i] != pieces[i] {
				c = captors[i].stepped(o)
			}
			besideCaptors[i][d], besidePieces[i][d] = c, p
			if d < 4 {
				m := c
				if men[i] != captors[i] {
					m = men[i].stepped(o)
				}
				besideMen[i][d] = m
			}
		}
	}
	for i := range 2 {
		t.liberties[i], t.leadLib[i], t.leadNear[i] = 0, 0, 0
		for d := range 4 {
			t.liberties[i] += besideMen[i][d].and(empty).count()
			if lead[i].any() {
				x := lead[i].stepped(&h.steps[d])
				t.leadLib[i] += x.and(empty).count()
				t.leadNear[i] += x.and(pieces[1-i]).count()
			}
		}
		besideFree := [2]setW1{besidePieces[i][0], besidePieces[i][2]}
		if free[i] != pieces[i] {
			besideFree = [2]setW1{free[i].stepped(&h.steps[0]), free[i].stepped(&h.steps[2])}
		}
		t.support[i] = besideFree[0].and(free[i]).count() + besideFree[1].and(free[i]).count()
	}

	for i := range 2 {
		victims := men[i]
		if l.leaderAsMan {
			victims = free[i]
		}
		victims = victims.without(h.immune)
		var pinned, caught setW1
		t.open[i] = 0
		for k, first := range l.lines {
			for turn := range 2 {
				front, back := first+turn, first+1-turn
				// Victims with a captor behind them and nothing in front of them.
				held := besideCaptors[1-i][front]
				if l.boardHolds {
					held = held.or(h.holds(&h.steps[front], pieces[i]))
				}
				at := victims.and(held).and(besideEmpty[back])
				pinned = pinned.or(at)
				for z := at.without(caught); z.any(); {
					sq, rest := z.first(), z.rest()
					if l.reached(b, int(l.cell[sq&255])+h.steps[front].cells, uint8(1-i)) {
						caught = caught.or(z.without(rest))
					}
					z = rest
				}
			}
			// Lines with no own piece and no edge on either side.
			own := besidePieces[i][first].or(besidePieces[i][first+1])
			t.open[i] += victims.and(h.inside[k]).without(own).count()
		}
		t.pins[i] = pinned.and(men[i]).count()
		t.hanging[i] = caught.and(men[i]).count()
		t.leadHang[i] = caught.and(lead[i]).count()
	}
}

// holds is the set of squares whose neighbour against a step is the board itself as a captor of the pieces of one side: the
// edge, or a corner.
func (h *sheetW1) holds(o *stepW1, victims setW1) (s setW1) {
	if !o.straight {
		return s
	}
	if h.l.edgeHostile {
		s = o.rim
	}
	if h.l.cornerHostile {
		corners := h.corners
		if h.l.cornerUnlessOwn {
			corners = corners.without(victims)
		}
		s = s.or(corners.stepped(o))
	}
	return s
}

// spots has every square where a piece of mover that arrives may take something, and perhaps others.
func (h *sheetW1) spots(b *board, mover uint8) [4]uint64 {
	l := h.l
	own, foe := narrowW1(b.pieces[mover]), narrowW1(b.pieces[1-mover])
	var s setW1
	for _, first := range l.lines {
		for d := first; d < first+2; d++ {
			o := &h.steps[d]
			near := foe
			if !l.row {
				behind := own.stepped(o)
				if l.boardHolds {
					behind = behind.or(h.holds(o, foe))
				}
				near = near.and(behind)
			}
			s = s.or(near.stepped(o))
		}
	}
	if l.leaderSurrounded {
		lead := foe.and(narrowW1(b.leaders))
		for d := range 4 {
			s = s.or(lead.stepped(&h.steps[d]))
		}
	}
	return s.words()
}
