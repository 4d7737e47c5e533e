package engine

import "math/rand/v2"

// posW1 is a position: the squares and the scalars. It holds no pointers and is copied whole for undo.
type posW1 struct {
	men     [2]bitsW1 // bound men too
	lead    [2]bitsW1
	bound   bitsW1 // of both sides
	visited bitsW1 // squares this turn's hops may not land on
	scalars
}

// recW1 is what one ply leaves behind: how to undo it, and what it did.
type recW1 struct {
	pos        posW1 // before the ply
	captured   bitsW1
	bound      bitsW1
	freed      bitsW1
	action     Action
	leader     bool // a leader was captured
	removed    bool // a bound man was taken off
	bonus      bool // the ply was a bonus ply
	remembered bool // the position after it went into the repetition memory
}

// coreW1 plays a game on a board of W1's width. It is the whole of a State but for text and encodings.
type coreW1 struct {
	g    *Game
	t    *tablesW1
	pos  posW1
	recs []recW1
	hist []Action
	mem  memoryW1

	sets  []planeSetW1 // pseudo-legal plies, by plane, ascending; valid if ready
	total int          // number of plies in sets
	ready bool
	exact bool // sets holds only legal plies
	stop  bool // the pass is legal beside them
	ban   bool // the undo ban took a ply out
	risky bitsW1

	eff    effectsW1
	effFor Action       // the action eff was worked out for in this position, or NoAction
	saved  []planeSetW1 // a stack of sets put aside while plies are tried out

	walker walkW1
	base   posW1 // the position before the plies of the last walk: that of recs and mem, if behind
	behind bool  // recs and mem are those of base, not of hist
	stale  bool  // and so is pos

	rng   *rand.Rand // in a playout: whether the player to move has a ply is seen by drawing one
	drawn Action     // the ply so drawn, or NoAction
}

// planeSetW1 is the plies of one plane, by square of arrival (moves, placements) or of removal.
type planeSetW1 struct {
	to    bitsW1
	plane int32
	n     int32
}

func newCoreW1(g *Game, t *tablesW1) *coreW1 {
	c := &coreW1{g: g, t: t, drawn: NoAction, sets: make([]planeSetW1, 0, len(g.planes)+1)}
	c.mem.init()
	c.reset()
	return c
}

func (c *coreW1) reset() {
	c.recs = c.recs[:0]
	c.hist = c.hist[:0]
	c.behind, c.stale = false, false
	c.mem.reset()
	c.ready = false
	c.effFor = NoAction
	p := &c.pos
	*p = posW1{}
	s := &p.scalars
	s.turn = 1
	s.chain, s.lastFrom, s.lastTo, s.curFrom, s.curSq = -1, -1, -1, -1, -1
	s.banSq, s.banTo = [2]int16{-1, -1}, [2]int16{-1, -1}
	s.menStart = uint8(c.g.params.Pieces.Men)
	if c.g.cfg.placement {
		s.phase = Placement
		if c.g.cfg.agreementMax > 0 {
			s.phase = Agreement
		}
		for i := range s.handMen {
			s.handMen[i] = s.menStart
			s.handLead[i] = uint8(c.g.params.Pieces.Leaders)
		}
	} else {
		s.phase = Movement
		p.men, p.lead = c.t.startMen, c.t.startLead
	}
	c.count()
	s.key = c.fullKey()
	s.repCount = 1
	if s.phase == Movement && c.g.cfg.repeat != repeatNone {
		c.remember()
	}
	if s.phase == Movement {
		// The rules are asked after plies only, but a start in which the first player cannot move would
		// otherwise be a game without an end.
		c.endBlocked()
	}
}

// count sets the piece counts from the board.
func (c *coreW1) count() {
	for i := range c.pos.men {
		c.pos.cntMen[i] = uint8(c.pos.men[i].count())
		c.pos.cntLead[i] = uint8(c.pos.lead[i].count())
	}
}

// fullKey works the zobrist key out from nothing.
func (c *coreW1) fullKey() uint64 {
	g, p := c.g, &c.pos
	var k uint64
	for i := 0; i < 2; i++ {
		for x := p.men[i]; x.any(); x = x.rest() {
			k ^= g.zMan[i][x.first()]
		}
		for x := p.lead[i]; x.any(); x = x.rest() {
			k ^= g.zLead[i][x.first()]
		}
		k ^= g.zHand[i][p.handMen[i]] ^ g.zHandL[i][p.handLead[i]&3]
	}
	for x := p.bound; x.any(); x = x.rest() {
		k ^= g.zBound[x.first()]
	}
	return k
}

func (c *coreW1) copyFrom(from core) {
	o := from.(*coreW1)
	c.g, c.t, c.pos = o.g, o.t, o.pos
	c.recs = append(c.recs[:0], o.recs...)
	c.hist = append(c.hist[:0], o.hist...)
	c.mem.copyFrom(&o.mem)
	c.base, c.behind, c.stale = o.base, o.behind, o.stale
	c.ready = false
	c.effFor = NoAction
	if cap(c.sets) < cap(o.sets) {
		c.sets = make([]planeSetW1, 0, cap(o.sets))
	}
}

func (c *coreW1) undo() {
	if c.behind {
		// Plies of a walk have no records: all together they are taken back by going to where it began, and only who
		// looks at a position on the way has it played out again.
		c.hist = c.hist[:len(c.hist)-1]
		c.stale = true
		if len(c.hist) == len(c.recs) {
			c.pos = c.base
			c.behind, c.stale, c.ready, c.effFor = false, false, false, NoAction
		}
		return
	}
	n := len(c.recs) - 1
	r := &c.recs[n]
	if r.remembered {
		c.mem.forget()
	}
	c.pos = r.pos
	c.recs = c.recs[:n]
	c.hist = c.hist[:n]
	c.ready = false
	c.effFor = NoAction
}

// push opens the record of a ply.
func (c *coreW1) push(a Action) *recW1 {
	n := len(c.recs)
	if n < cap(c.recs) {
		c.recs = c.recs[:n+1]
	} else {
		c.recs = append(c.recs, recW1{})
	}
	r := &c.recs[n]
	r.pos = c.pos
	r.action = a
	r.captured, r.bound, r.freed = bitsW1{}, bitsW1{}, bitsW1{}
	r.leader, r.removed, r.remembered = false, false, false
	r.bonus = c.pos.cont == contBonus
	c.hist = append(c.hist, a)
	c.ready = false
	c.drawn = NoAction
	return r
}

// fresh makes pos the position of hist.
func (c *coreW1) fresh() {
	if c.stale {
		c.settle()
	}
}

func (c *coreW1) scal() *scalars {
	c.fresh()
	return &c.pos.scalars
}

func (c *coreW1) history() []Action { return c.hist }

func (c *coreW1) at(sq int) Piece {
	c.fresh()
	p := &c.pos
	for i := 0; i < 2; i++ {
		if p.men[i].has(sq) {
			if p.bound.has(sq) {
				return Bound0 + Piece(i)
			}
			return Man0 + Piece(i)
		}
		if p.lead[i].has(sq) {
			return Leader0 + Piece(i)
		}
	}
	return Empty
}

// cells writes the pieces to an array of empty squares.
func (c *coreW1) cells(out *[256]Piece) {
	c.fresh()
	p := &c.pos
	for i := 0; i < 2; i++ {
		for x := p.men[i].andNot(p.bound); x.any(); x = x.rest() {
			out[x.first()&255] = Man0 + Piece(i)
		}
		for x := p.men[i].and(p.bound); x.any(); x = x.rest() {
			out[x.first()&255] = Bound0 + Piece(i)
		}
		for x := p.lead[i]; x.any(); x = x.rest() {
			out[x.first()&255] = Leader0 + Piece(i)
		}
	}
}

func (c *coreW1) boundOf(player int) int {
	c.fresh()
	return c.pos.men[player].and(c.pos.bound).count()
}

func (c *coreW1) lastEffects(squares []uint16) Effects {
	c.settle()
	if len(c.recs) == 0 {
		return Effects{}
	}
	r := &c.recs[len(c.recs)-1]
	for x := r.captured; x.any(); x = x.rest() {
		squares = append(squares, uint16(x.first()))
	}
	return Effects{Captured: squares, CapturedLeader: r.leader, Bound: r.bound.count(), Freed: r.freed.count(),
		Removed: r.removed, WasBonus: r.bonus}
}

// isHop says whether a move goes over a piece.
func (c *coreW1) isHop(in *actInfo) bool {
	return in.dist > 1 && c.occupied().has(int(in.mid))
}

func (c *coreW1) occupied() bitsW1 {
	p := &c.pos
	return p.men[0].or(p.men[1]).or(p.lead[0].or(p.lead[1]))
}

func (c *coreW1) plyKind(in *actInfo) PlyKind {
	c.fresh()
	switch in.kind {
	case actPlaceMan:
		return PlaceMan
	case actPlaceLeader:
		return PlaceLeader
	case actRemove:
		return Remove
	case actRaise:
		return Raise
	case actPass:
		return Pass
	}
	if c.isHop(in) {
		return Hop
	}
	return Move
}

// save copies the position out in the form that does not depend on the width.
func (c *coreW1) save(s *snapshot) {
	c.settle()
	p := &c.pos
	s.scalars = p.scalars
	for i := 0; i < 2; i++ {
		s.men[i], s.lead[i] = p.men[i].words(), p.lead[i].words()
	}
	s.bound, s.visited = p.bound.words(), p.visited.words()
	s.seen = s.seen[:0]
	for i := range c.mem.list {
		m := &c.mem.list[i]
		s.seen = append(s.seen, seenPosition{
			men: [2][4]uint64{m.men[0].words(), m.men[1].words()}, lead: [2][4]uint64{m.lead[0].words(), m.lead[1].words()},
			bound: m.bound.words(), hands: m.hands, next: m.next})
	}
}

// load takes a position over. The caller has checked it.
func (c *coreW1) load(s *snapshot) {
	c.recs, c.hist = c.recs[:0], c.hist[:0]
	c.behind, c.stale = false, false
	c.mem.reset()
	c.ready = false
	c.effFor = NoAction
	p := &c.pos
	for i := range s.seen {
		m := &s.seen[i]
		p.scalars = s.scalars
		for j := 0; j < 2; j++ {
			p.men[j], p.lead[j] = fromWordsW1(m.men[j]), fromWordsW1(m.lead[j])
			p.handMen[j], p.handLead[j] = uint8(m.hands>>(16*j)), uint8(m.hands>>(16*j+8))
		}
		p.bound = fromWordsW1(m.bound)
		p.mover = m.next
		p.key = c.fullKey()
		c.remember()
	}
	p.scalars = s.scalars
	for i := 0; i < 2; i++ {
		p.men[i], p.lead[i] = fromWordsW1(s.men[i]), fromWordsW1(s.lead[i])
	}
	p.bound, p.visited = fromWordsW1(s.bound), fromWordsW1(s.visited)
	c.count()
	p.key = c.fullKey()
}

func (c *coreW1) visitedWords() [4]uint64 {
	c.fresh()
	return c.pos.visited.words()
}

// barred gives the squares on which some ply may not arrive because of the repetition rule or the undo ban, and
// could otherwise.
func (c *coreW1) barred() [4]uint64 {
	c.settle()
	p := &c.pos
	cfg := &c.g.cfg
	var out bitsW1
	superko := cfg.repeat >= repeatPositional
	if p.outcome != Ongoing || p.phase != Movement || !superko && !cfg.undoBan {
		return out.words()
	}
	c.prepare()
	me := int(p.mover & 1)
	banFrom, banTo := -1, -1
	if cfg.undoBan && c.ban {
		banFrom, banTo = int(p.banSq[me]), int(p.banTo[me])
	}
	c.generate(true)
	for i := range c.sets {
		s := &c.sets[i]
		if c.g.planes[s.plane].kind != actMove {
			continue
		}
		for x := s.to; x.any(); x = x.rest() {
			to := x.first()
			a := c.actionOf(s.plane, to)
			from := int(c.g.acts[a].from)
			if p.cont == contBonus && cfg.bonusMust && !c.captures(a) {
				continue // no bonus ply anyway
			}
			if cfg.onlyIfCaptures && c.risky.has(to) {
				if c.effects(a, from, to); !c.eff.takes() {
					continue
				}
			}
			hit := from == banFrom && to == banTo
			if !hit && superko {
				c.effects(a, from, to)
				hit = c.repeats(a)
			}
			if hit {
				out = out.or(bitW1(to))
			}
		}
	}
	c.ready = false
	return out.words()
}
