package literal

// bindingEffects does release, bind and rescue of a step or hop from one square to another. b
// is the board right after the arrival, with the marks of before the ply; all conditions are read from it, and
// the changes are made together.
func (g *Game) bindingEffects(b board, from, to square) {
	me := owner(b.at(to))
	released := g.released(b, from, to, me)
	bound := g.taken(b, to)
	rescued := g.rescued(b, bound, me)
	for s := range released {
		b.put(s, man(1-me))
	}
	for s := range bound {
		b.put(s, boundMan(1-me))
	}
	for s := range rescued {
		b.put(s, man(me))
	}
}

func freeOf(piece byte, player int) bool { return owner(piece) == player && !isBound(piece) }

// released: step 1, and binding.release_by_landing.
func (g *Game) released(b board, from, to square, me int) map[square]bool {
	list := map[square]bool{}
	if g.params.Binding.GuardLeaves == "stays" {
		return list
	}
	stillGuards := func(s square) bool {
		return freeOf(b.at(s), me) && (s != to || g.params.Binding.ReleaseByLanding)
	}
	for _, d := range directions(g.params.Capture.Axes) {
		s := from.plus(d, 1)
		if b.at(s) == boundMan(1-me) && stillGuards(from.plus(d, 2)) {
			list[s] = true
		}
	}
	if g.params.Capture.CornerPair {
		for _, d := range orthogonal {
			s := from.plus(d, 1)
			if b.isCorner(s) && b.at(s) == boundMan(1-me) && stillGuards(otherNeighbour(b, s, from)) {
				list[s] = true
			}
		}
	}
	return g.withoutHeld(b, list, me, nil)
}

// withoutHeld: binding.held_twice. list is men about to be freed, captor the side that holds them, and bound those of its
// men that this ply binds.
func (g *Game) withoutHeld(b board, list map[square]bool, captor int, bound map[square]bool) map[square]bool {
	if g.params.Binding.HeldTwice == "freed" {
		return list
	}
	guards := func(s square) bool { return freeOf(b.at(s), captor) && !bound[s] }
	for s := range list {
		for _, d := range directions(g.params.Capture.Axes) {
			if guards(s.plus(d, 1)) && guards(s.plus(d, -1)) {
				delete(list, s)
				break
			}
		}
	}
	return list
}

// rescued: step 3, and binding.corner_rescue.
func (g *Game) rescued(b board, bound map[square]bool, me int) map[square]bool {
	list := map[square]bool{}
	for m := range bound {
		for _, d := range directions(g.params.Capture.Axes) {
			s := m.plus(d, 1)
			if b.at(s) == boundMan(me) && freeOf(b.at(m.plus(d, 2)), 1-me) {
				list[s] = true
			}
		}
		if g.params.Capture.CornerPair && g.params.Binding.CornerRescue {
			for _, d := range orthogonal {
				s := m.plus(d, 1)
				if b.isCorner(s) && b.at(s) == boundMan(me) && freeOf(b.at(otherNeighbour(b, s, m)), 1-me) {
					list[s] = true
				}
			}
		}
	}
	return g.withoutHeld(b, list, 1-me, bound)
}

// removalPlies: binding.removal, .removal_number. Only at the start of a turn, or after other removals.
func (g *Game) removalPlies(pos *position) []ply {
	bind := g.params.Binding
	if bind.Removal == "none" || bind.RemovalNumber == "all" {
		return nil
	}
	if bind.RemovalNumber == "one" && removalsThisTurn(pos) > 0 {
		return nil
	}
	var list []ply
	for _, s := range pos.board.squares() {
		if pos.board.at(s) == boundMan(1-pos.mover) {
			list = append(list, ply{kind: 'X', to: s})
		}
	}
	return list
}

func removalsThisTurn(pos *position) int {
	n := 0
	for _, p := range pos.turnPlies {
		if p.kind == 'X' {
			n++
		}
	}
	return n
}
