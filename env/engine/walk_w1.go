package engine

import (
	"math/rand/v2"
	"slices"
)

// walkW1 is what a playout by plain rules (config.plain) works with. Such a playout keeps the position and the list of
// plies, but neither records for taking back nor the repetition memory of a State: if they are asked for later,
// settle makes the plies again.
type walkW1 struct {
	src  source
	seen walkMemoryW1

	// The men of each side, in no order that means anything, and the place of each in its list by square. They are valid
	// in the movement phase, if listed.
	listed bool
	men    [2][256]uint16 // the number of the first place of each (placesW1); after the men, that of the leader
	where  [256]uint8

	// The plies that the position allows, repetition aside, by way (direction<<4 | distance) and square of arrival.
	n    int
	sets [maxWays]bitsW1
	cnt  [maxWays]uint32
	way  [maxWays]uint8

	ply walkPlyW1
}

// walkPlyW1 is a ply that has been drawn.
type walkPlyW1 struct {
	action   Action
	leads    bool // a leader moves
	from, to int
	key      uint64 // of the position after it, but for what it takes
	taken    bitsW1
}

// walk plays uniformly random legal plies until the game ends, maxPlies are made or it meets what it does not know;
// then the caller goes on.
func (c *coreW1) walk(rng *rand.Rand, maxPlies int) (plies int) {
	p, w := &c.pos, &c.walker
	if p.cont != contNone && p.cont != contBonus || p.phase == Agreement || p.open || p.phase == Movement && p.packedHands() != 0 {
		return 0
	}
	c.settle()
	c.base = c.pos
	w.src.seed(rng)
	w.listed = false
	if c.g.cfg.repeat != repeatNone {
		c.walkRecall()
	}
	for plies < maxPlies && p.outcome == Ongoing {
		n := 0
		if p.phase != Movement {
			n = c.walkPlace()
		} else if n = c.walkFast(maxPlies - plies); n == 0 {
			n = c.walkSlow()
		}
		if n == 0 {
			break
		}
		plies += n
	}
	if plies > 0 {
		if p.outcome == Ongoing && p.phase == Movement {
			c.walkBlocked()
		}
		c.behind = true
		c.ready, c.effFor = false, NoAction
	}
	return plies
}

// settle brings records and repetition memory up to date after a walk.
func (c *coreW1) settle() {
	if !c.behind {
		return
	}
	plies := c.hist[len(c.recs):]
	c.hist = c.hist[:len(c.recs)]
	c.pos = c.base
	c.behind, c.stale, c.ready, c.effFor = false, false, false, NoAction
	for _, a := range plies {
		c.play(a)
	}
}

// walkPlace makes a placement and returns 1, or 0 if there is none.
func (c *coreW1) walkPlace() int {
	g, p, w := c.g, &c.pos, &c.walker
	me := int(p.mover & 1)
	man, lead := c.mayPlaceMan(me), c.mayPlaceLeader(me)
	free := c.t.zone[me].andNot(c.occupied())
	n := uint32(free.count())
	total := uint32(0)
	if man {
		total += n
	}
	if lead {
		total += n
	}
	if total == 0 {
		return 0
	}
	k := w.src.uint32n(total)
	plane := g.placeMan
	if !man || k >= n {
		plane = g.placeLead
		if man {
			k -= n
		}
	}
	a := Action(plane*g.squares + free.nth(int(k)))
	first, turn := p.turnPlies == 0, p.turn
	p.ply++
	p.turnPlies++
	c.hist = append(c.hist, a)
	in := &g.acts[a]
	p.lastFrom, p.lastTo = in.from, in.to
	if !c.applyPlacement(in, me) {
		c.walkTurn(me, false)
	}
	if p.phase == Movement {
		c.walkEnds(me, first, turn, false, false)
	}
	return 1
}

// walkTurn hands the turn on.
func (c *coreW1) walkTurn(me int, passed bool) {
	p := &c.pos
	p.singlePass[me] = passed && p.turnPlies == 1
	p.mover = uint8(me ^ 1)
	p.turn++
	p.turnPlies = 0
	p.placed = 0
	p.cont = contNone
	p.chain = -1
}

// walkFast makes plies of the movement phase as long as they are of the usual kind: whole turns of men and leaders that are
// free enough to move for a ply to be found by drawing a piece and a place until the two make a legal ply, which is exactly
// uniform. It returns their number. It stops after a ply that some limit might end, and after one that takes something.
func (c *coreW1) walkFast(limit int) (n int) {
	g, t, p, w := c.g, c.t, &c.pos, &c.walker
	cfg := &g.cfg
	if p.cont != contNone || p.turnPlies != 0 || int(p.cntMen[0])+int(p.cntMen[1]) > t.crowd ||
		cfg.annihilate && (c.annihilated(0) || c.annihilated(1)) {
		return 0
	}
	if cfg.turnLimit > 0 {
		limit = min(limit, int(cfg.turnLimit-p.turn)+1)
	}
	if cfg.quietLimit > 0 {
		limit = min(limit, int(cfg.quietLimit-p.quiet))
	}
	if limit <= 0 {
		return 0
	}
	if !w.listed {
		c.walkList()
	}
	// The list of plies need not grow while they are made.
	hist := slices.Grow(c.hist, min(limit, 64))
	made := len(hist)
	hist = hist[:min(cap(hist), made+limit)]
	repeat := cfg.repeat
	me := int(p.mover & 1)
	occupied := c.occupied()
	src := w.src
	key := p.key
	var from, to uint8
	var after uint64
	var action Action
	var taken bitsW1
	leads, threefold := false, false
	at := made
plies:
	for ; at < len(hist); at++ {
		q := me ^ 1
		men, lead := p.men[me&1], p.lead[me&1]
		foes := p.men[q&1].or(p.lead[q&1])
		list, zMan := &w.men[me&1], &g.zMan[me&1]
		count := uint64(p.cntMen[me&1])
		units := count
		if lead.any() {
			units += uint64(t.walks.leaders)
		}
		// Places of the leader that are not open and plies that repeat a position are drawn in vain too: a player who has
		// nothing else would draw for ever.
		for tries := walkTries; ; tries-- {
			k, place := t.walks.draw(&src, list, units, occupied)
			if place == nil || tries == 0 {
				break plies
			}
			from, to, action, leads = place.from, place.to, place.action, false
			if k < count {
				after = key ^ zMan[from] ^ zMan[to]
			} else {
				s := c.walkLeader(me, int(action)+int(t.walks.n)*int(k-count), occupied)
				if s == nil {
					continue
				}
				from, to, action, leads = uint8(lead.first()), s.to, s.action, true
				after = key ^ g.zLead[me&1][from] ^ g.zLead[me&1][to]
			}
			path := bitW1(int(from)).or(bitW1(int(to)))
			ownMen, ownLead := men, lead
			if leads {
				ownLead = lead.xor(path)
			} else {
				ownMen = men.xor(path)
			}
			if near := t.adjacent[to].and(foes); near.any() {
				if taken = c.taken(int(to), q, leads, ownMen, ownLead, near); taken.any() {
					break plies
				}
			}
			switch repeat {
			case repeatPositional:
				own, leaders := ownMen.or(ownLead), ownLead.or(p.lead[q&1])
				slot := w.seen.find(after, me, own, foes, leaders, 0)
				if w.seen.holds(slot) {
					continue
				}
				slot.fill(w.seen.epoch, after, me, own, foes, leaders)
				if w.seen.room--; w.seen.room == 0 {
					w.seen.grow()
				}
			case repeatThreefold:
				own, leaders := ownMen.or(ownLead), ownLead.or(p.lead[q&1])
				slot := w.seen.find(after, me, own, foes, leaders, uint8(q))
				p.repCount = w.seen.enter(slot, after, me, own, foes, leaders, uint8(q))
				threefold = p.repCount >= 3
			}
			if leads {
				p.lead[me&1] = ownLead
			} else {
				p.men[me&1] = ownMen
				list[k&255] = uint16(to) * uint16(t.walks.n)
				w.where[to] = uint8(k)
			}
			occupied = occupied.xor(path)
			break
		}
		hist[at] = action
		key = after
		me = q
		if threefold {
			at++
			break
		}
	}
	hist = hist[:at]
	n = at - made
	c.hist = hist
	w.src = src
	p.key = key
	if n > 0 {
		p.mover = uint8(me)
		p.ply += int32(n)
		p.turn += int32(n)
		p.quiet += int32(n)
		p.singlePass[me^1] = false
		if n > 1 {
			p.singlePass[me] = false
		}
		last := &g.acts[hist[len(hist)-1]]
		p.lastFrom, p.lastTo = last.from, last.to
		if repeat != repeatThreefold {
			p.repCount = 1
		}
		// Only the last of these plies can have come to a limit.
		c.walkLate(me^1, p.turn-1, false)
	}
	if taken.any() {
		w.ply = walkPlyW1{action, leads, int(from), int(to), after, taken}
		c.walkMake()
		n++
	}
	return n
}

// walkLeader gives the i-th place of the leader of a player if it may go there, or nil.
func (c *coreW1) walkLeader(me, i int, occupied bitsW1) *slotW1 {
	t := c.t
	if i >= int(t.leadSlots.n) {
		return nil
	}
	s := &t.leadSlots.list[c.pos.lead[me].first()*int(t.leadSlots.n)+i]
	if s.path.and(occupied).none() {
		if s.slides {
			return s
		}
		return nil
	}
	if !s.hops || occupied.has(int(s.to)) || s.between.andNot(c.overOf(&c.g.cfg.lead.over, me)).any() {
		return nil
	}
	return s
}

// walkSlow makes one ply of the movement phase, drawn from a list, and returns 1, or 0 if there was none, which has ended
// the game.
func (c *coreW1) walkSlow() int {
	if !c.walker.listed {
		c.walkList()
	}
	if !c.walkDraw() {
		if c.walkEndBlocked() {
			return 0
		}
		c.walker.ply = walkPlyW1{action: c.g.pass}
	}
	c.walkMake()
	return 1
}

// walkMake makes the ply of the movement phase that has been drawn.
func (c *coreW1) walkMake() {
	g, p, w := c.g, &c.pos, &c.walker
	x := &w.ply
	me := int(p.mover & 1)
	q := me ^ 1
	passed := x.action == g.pass
	first, turn := p.turnPlies == 0, p.turn
	leader := false
	p.ply++
	p.turnPlies++
	p.quiet++
	c.hist = append(c.hist, x.action)
	if passed {
		p.lastFrom, p.lastTo = -1, -1
		c.walkTurn(me, true)
		c.walkEnds(me, first, turn, false, true)
		return
	}
	p.lastFrom, p.lastTo = int16(x.from), int16(x.to)
	path := bitW1(x.from).or(bitW1(x.to))
	p.key = x.key
	if x.leads {
		p.lead[me] = p.lead[me].xor(path)
	} else {
		p.men[me] = p.men[me].xor(path)
		k := w.where[x.from&255]
		w.men[me][k] = uint16(x.to) * uint16(c.t.walks.n)
		w.where[x.to&255] = k
	}
	if x.taken.any() {
		leader = c.walkTake(q, x.taken)
		if g.cfg.bonus {
			p.cont, p.chain = contBonus, int16(x.to)
			c.walkEnds(me, first, turn, leader, false)
			return
		}
	}
	c.walkTurn(me, false)
	c.walkEnds(me, first, turn, leader, false)
}

// walkTake takes pieces of q off and says whether a leader was among them.
func (c *coreW1) walkTake(q int, taken bitsW1) (leader bool) {
	g, p, w := c.g, &c.pos, &c.walker
	p.quiet = 0
	for x := taken.and(p.men[q]); x.any(); x = x.rest() {
		sq := x.first() & 255
		p.key ^= g.zMan[q][sq]
		p.cntMen[q]--
		k, end := w.where[sq], p.cntMen[q]
		last := w.men[q][end]
		w.men[q][k] = last
		w.where[c.t.walks.list[last&(maxPlaces-1)].from] = k
		w.men[q][end] = c.t.walks.leader
	}
	p.men[q] = p.men[q].andNot(taken)
	if at := taken.and(p.lead[q]); at.any() {
		p.key ^= g.zLead[q][at.first()&255]
		p.lead[q] = p.lead[q].andNot(at)
		p.cntLead[q]--
		leader = true
	}
	// With fewer pieces on the board no position of before can come back.
	w.seen.clear()
	return leader
}

// walkList fills the lists of men.
func (c *coreW1) walkList() {
	w := &c.walker
	for i := range w.men {
		n := 0
		for x := c.pos.men[i]; x.any(); x = x.rest() {
			sq := x.first()
			w.men[i][n&255] = uint16(sq) * uint16(c.t.walks.n)
			w.where[sq&255] = uint8(n)
			n++
		}
		for range c.t.walks.leaders {
			w.men[i][n&255] = c.t.walks.leader
			n++
		}
	}
	w.listed = true
}

// walkEnds remembers the position and looks at the end rules, after a ply of me, as play does. Whether the player to move
// is blocked is seen when the next ply is drawn, unless another rule ends the game.
func (c *coreW1) walkEnds(me int, first bool, turn int32, leader, passed bool) {
	p, w := &c.pos, &c.walker
	p.repCount = 1
	switch c.g.cfg.repeat {
	case repeatPositional:
		if first {
			w.seen.add(p, 0)
		}
	case repeatThreefold:
		if int(p.mover) != me {
			p.repCount = w.seen.add(p, p.mover)
		}
	}
	if !c.endsLoss(me, leader, false) {
		c.walkLate(me, turn, passed)
	}
}

// walkLate looks at the end rules that come after that of the blocked player.
func (c *coreW1) walkLate(me int, turn int32, passed bool) {
	p := &c.pos
	if c.endsLate(me, turn, passed); p.outcome != Ongoing {
		o, r := p.outcome, p.reason
		p.outcome, p.reason = Ongoing, NotEnded
		if !c.walkBlocked() {
			c.end(o, r)
		}
	}
}

// walkBlocked ends the game if the player to move is blocked and the rules say that this ends it.
func (c *coreW1) walkBlocked() bool {
	b := c.g.cfg.blocked
	if b != blockedLoses && b != blockedCount || c.pos.cont == contBonus {
		return false
	}
	if c.g.cfg.repeat != repeatPositional {
		// Whoever has a step to an empty square is not blocked.
		p := &c.pos
		movers, free := p.men[p.mover&1].or(p.lead[p.mover&1]), c.t.all.andNot(c.occupied())
		for d := north; d <= west; d++ {
			if c.t.dir[d].of(movers).and(free).any() {
				return false
			}
		}
	}
	if c.walkDraw() {
		return false
	}
	return c.walkEndBlocked()
}

// walkEndBlocked is what follows where the player to move has no ply: the end of the game, or false.
func (c *coreW1) walkEndBlocked() bool {
	p := &c.pos
	if p.cont == contBonus {
		return false
	}
	switch c.g.cfg.blocked {
	case blockedLoses:
		c.end(winOf(int(p.mover&1)^1), Blocked)
		return true
	case blockedCount:
		c.end(c.counted(), Blocked)
		return true
	}
	return false
}

// walkDraw lists the plies of the movement phase and draws a legal one, each with the same probability; false if there is
// none but the pass. It draws without putting back, so that the first legal one is as likely to be any as any other.
func (c *coreW1) walkDraw() bool {
	g, t, p, w := c.g, c.t, &c.pos, &c.walker
	cfg := &g.cfg
	me := int(p.mover & 1)
	movers := p.men[me].or(p.lead[me])
	free := t.all.andNot(c.occupied())
	total := uint32(0)
	if p.cont == contBonus {
		at := bitsW1{}
		if p.chain >= 0 {
			at = bitW1(int(p.chain))
		}
		movers = movers.and(at)
		if !cfg.bonusCompulsory {
			total = 1
		}
	}
	total += c.walkSets(movers, free)
	for total > 0 {
		r := w.src.uint32n(total)
		i := 0
		for i < w.n && r >= w.cnt[i&(maxWays-1)] {
			r -= w.cnt[i&(maxWays-1)]
			i++
		}
		if i == w.n {
			w.ply = walkPlyW1{action: g.pass}
			return true
		}
		i &= maxWays - 1
		to := w.sets[i].nth(int(r))
		d, dist := w.way[i]>>4&7, int(w.way[i]&15)
		from := to - t.step[d]*dist
		if c.walkLegal(from, to) {
			w.ply.action = Action(int(g.planeAt[d][dist])*g.squares + from)
			return true
		}
		w.sets[i] = w.sets[i].andNot(bitW1(to))
		w.cnt[i]--
		total--
	}
	return false
}

// walkSets fills sets and returns the number of plies in them.
func (c *coreW1) walkSets(movers, free bitsW1) uint32 {
	t, p, w := c.t, &c.pos, &c.walker
	cfg := &c.g.cfg
	total := uint32(0)
	for d := north; d <= west; d++ {
		to := t.dir[d].of(movers).and(free)
		w.sets[d] = to
		w.cnt[d] = uint32(to.count())
		w.way[d] = uint8(d<<4 | 1)
		total += w.cnt[d]
	}
	n := 4
	if cfg.plainSlides {
		for d := north; d <= west; d++ {
			to := w.sets[d]
			for k := 2; ; k++ {
				if to = t.dir[d].of(to).and(free); to.none() {
					break
				}
				i := n & (maxWays - 1)
				w.sets[i], w.cnt[i], w.way[i] = to, uint32(to.count()), uint8(d<<4|k)
				total += w.cnt[i]
				n++
			}
		}
	}
	if cfg.lead.hops {
		me := int(p.mover & 1)
		if lead := p.lead[me].and(movers); lead.any() {
			over := c.overOf(&cfg.lead.over, me)
			for d := north; d <= west; d++ {
				if to := t.dir[d].of(t.dir[d].of(lead).and(over)).and(free); to.any() {
					i := n & (maxWays - 1)
					w.sets[i], w.cnt[i], w.way[i] = to, 1, uint8(d<<4|2)
					total++
					n++
				}
			}
		}
	}
	w.n = n
	return total
}

// walkLegal works out what the move of a piece of the player to move does, and says whether the rules on repetition allow
// it.
func (c *coreW1) walkLegal(from, to int) bool {
	g, t, p, w := c.g, c.t, &c.pos, &c.walker
	me := int(p.mover & 1)
	q := me ^ 1
	path := bitW1(from).or(bitW1(to))
	men, lead := p.men[me], p.lead[me]
	x := &w.ply
	x.from, x.to = from, to
	if x.leads = lead.has(from); x.leads {
		lead = lead.xor(path)
		x.key = p.key ^ g.zLead[me][from&255] ^ g.zLead[me][to&255]
	} else {
		men = men.xor(path)
		x.key = p.key ^ g.zMan[me][from&255] ^ g.zMan[me][to&255]
	}
	foes := p.men[q].or(p.lead[q])
	x.taken = bitsW1{}
	if near := t.adjacent[to].and(foes); near.any() {
		if x.taken = c.taken(to, q, x.leads, men, lead, near); x.taken.any() {
			return true
		}
	}
	if g.cfg.repeat != repeatPositional {
		return true
	}
	return !w.seen.holds(w.seen.find(x.key, me, men.or(lead), foes, lead.or(p.lead[q]), 0))
}

// walkRecall takes over from the repetition memory what can come back.
func (c *coreW1) walkRecall() {
	p, w := &c.pos, &c.walker
	w.seen.clear()
	for i := len(c.mem.list) - 1; i >= 0; i-- {
		s := &c.mem.list[i]
		all0, all1, leads := s.men[0].or(s.lead[0]), s.men[1].or(s.lead[1]), s.lead[0].or(s.lead[1])
		if all0.count() != int(p.cntMen[0]+p.cntLead[0]) || all1.count() != int(p.cntMen[1]+p.cntLead[1]) {
			break
		}
		if s.hands == 0 && s.bound.none() {
			key := c.mem.keys[i]
			if s.next != 0 {
				key ^= c.g.zNext // as it is in that memory only
			}
			w.seen.enter(w.seen.find(key, 0, all0, all1, leads, s.next), key, 0, all0, all1, leads, s.next)
		}
	}
}

// walkMemoryW1 is the set of positions that a walk may not repeat or counts: an open hash table whose slots hold the
// whole position, so that one look compares it. Slots of an earlier epoch are empty: to forget everything costs nothing.
type walkMemoryW1 struct {
	slots []walkSlotW1
	mask  uint64
	room  int // positions that may be added before the table grows
	epoch uint32
	spare []walkSlotW1
}

// walkSlotW1 is a position without hands or bound men: the pieces of each side and those of them that are leaders.
type walkSlotW1 struct {
	all   [2]bitsW1
	leads bitsW1
	tag   uint32 // epoch, and who moves next where the rule looks at it
	count uint32 // occurrences
	low   uint32 // of the key
}

// clear forgets all positions.
func (m *walkMemoryW1) clear() {
	if m.slots == nil {
		m.slots = make([]walkSlotW1, walkStart)
	}
	m.renew()
	m.mask = walkStart - 1
	m.room = walkStart / 2
}

// renew begins the next epoch. Epochs are even: a tag is an epoch, or that and 1 where player 1 moves next.
func (m *walkMemoryW1) renew() {
	if m.epoch += 2; m.epoch == 0 {
		clear(m.slots)
		m.epoch = 2
	}
}

// find gives the slot of the position, or the empty slot where it would go. own are the pieces of me, foes the other ones.
func (m *walkMemoryW1) find(key uint64, me int, own, foes, leads bitsW1, next uint8) *walkSlotW1 {
	if next != 0 {
		key = ^key
	}
	for i := key; ; i++ {
		s := &m.slots[i&m.mask]
		if s.tag&^1 != m.epoch || s.all[me&1] == own && s.all[me&1^1] == foes && s.leads == leads && s.tag&1 == uint32(next) {
			return s
		}
	}
}

// holds says whether a slot that find gave holds the position.
func (m *walkMemoryW1) holds(s *walkSlotW1) bool { return s.tag&^1 == m.epoch }

// fill puts a first occurrence in an empty slot.
func (s *walkSlotW1) fill(tag uint32, key uint64, me int, own, foes, leads bitsW1) {
	s.all[me&1], s.all[me&1^1], s.leads = own, foes, leads
	s.tag, s.count, s.low = tag, 1, uint32(key)
}

// enter counts an occurrence in the slot that find gave, and returns the number of occurrences. The slot is not valid after
// that.
func (m *walkMemoryW1) enter(s *walkSlotW1, key uint64, me int, own, foes, leads bitsW1, next uint8) int32 {
	if m.holds(s) {
		s.count++
		return int32(s.count)
	}
	if next != 0 {
		key = ^key
	}
	s.fill(m.epoch|uint32(next), key, me, own, foes, leads)
	if m.room--; m.room == 0 {
		m.grow()
	}
	return 1
}

// add counts an occurrence of the position and returns their number.
func (m *walkMemoryW1) add(p *posW1, next uint8) int32 {
	own, foes, leads := p.men[0].or(p.lead[0]), p.men[1].or(p.lead[1]), p.lead[0].or(p.lead[1])
	return m.enter(m.find(p.key, 0, own, foes, leads, next), p.key, 0, own, foes, leads, next)
}

// grow makes the table four times as large.
func (m *walkMemoryW1) grow() {
	m.spare = m.spare[:0]
	for i := range m.slots[:m.mask+1] {
		if s := &m.slots[i]; m.holds(s) {
			m.spare = append(m.spare, *s)
		}
	}
	size := 4 * (m.mask + 1)
	if uint64(len(m.slots)) < size {
		m.slots = make([]walkSlotW1, size)
	}
	m.renew()
	m.mask = size - 1
	m.room = int(size/2) - len(m.spare)
	for i := range m.spare {
		s := &m.spare[i]
		s.tag = m.epoch | s.tag&1
		at := uint64(s.low)
		for m.holds(&m.slots[at&m.mask]) {
			at++
		}
		m.slots[at&m.mask] = *s
	}
}
