package engine

// View is what can be seen of a position without its history: what an observation is made of. It is a plain value.
type View struct {
	// Cells holds the pieces; the first Squares of them are used.
	Cells   [256]Piece
	Squares uint16
	// Mover makes the next ply, 0 or 1.
	Mover uint8
	Phase Phase
	// HandMen and HandLeaders are the pieces still to place, by player.
	HandMen, HandLeaders [2]uint8
	// Placed is the number of pieces placed in this turn.
	Placed uint8
	// Chain is the square of the piece that may hop on or that has a bonus ply, -1 if there is none.
	Chain int16
	// Bonus says that the next ply is a bonus ply, Removed that a bound man was taken off earlier in this turn.
	Bonus, Removed bool
	// Opening says that only plies are legal that give the blocked opponent a ply, if there are such.
	Opening bool
	// Removable says that a removal is among the legal plies.
	Removable bool
	// Visited is the set of squares (bit sq of word sq/64) on which this turn's hops may not land.
	Visited [4]uint64
	// Barred is the set of squares on which some ply may not arrive because of the repetition rule or the undo ban.
	Barred [4]uint64
	// LastFrom and LastTo are the squares of the last ply, -1 where it had none.
	LastFrom, LastTo int16
	// Quiet is the number of movement plies since the last capture or removal, at most 65535.
	Quiet uint16
	// RepCount is State.RepetitionCount, at most 255.
	RepCount uint8
}

// View fills v with what can be seen of the position.
func (s *State) View(v *View) {
	p := s.core.scal()
	g := s.game
	*v = View{Squares: uint16(g.squares), Mover: p.mover, Phase: p.phase, HandMen: p.handMen, HandLeaders: p.handLead, Placed: p.placed, Chain: p.chain,
		Bonus: p.cont == contBonus, Removed: p.cont == contMove, Opening: p.open, LastFrom: p.lastFrom, LastTo: p.lastTo,
		Quiet: uint16(min(p.quiet, 65535)), RepCount: uint8(min(p.repCount, 255))}
	s.core.cells(&v.Cells)
	v.Visited = s.core.visitedWords()
	v.Barred = s.core.barred()
	if g.cfg.removal && p.phase == Movement && p.outcome == Ongoing && (p.cont == contNone || p.cont == contMove && g.cfg.removalAny) {
		_, _, bound := s.Pieces(int(p.mover) ^ 1)
		v.Removable = bound > 0
		if v.Removable && p.open { // only removals that open a way are legal, if any ply does
			v.Removable = false
			for sq := 0; sq < g.squares && !v.Removable; sq++ {
				piece := v.Cells[sq]
				v.Removable = piece.IsBound() && s.core.isLegal(Action(g.removeAt*g.squares+sq))
			}
		}
	}
}
