package engine

// play makes a legal ply.
func (c *coreW1) play(a Action) {
	c.settle()
	r := c.push(a)
	first := c.pos.turnPlies == 0
	me := c.pos.mover & 1
	lostOwn := c.apply(a, r)
	r = c.record()
	p := &c.pos
	if p.phase != Movement {
		return
	}
	cfg := &c.g.cfg
	p.repCount = 1
	switch cfg.repeat {
	case repeatPositional, repeatSituational:
		if first {
			c.remember()
			r.remembered = true
		}
	case repeatThreefold:
		if p.mover != me {
			p.repCount = c.remember()
			r.remembered = true
		}
	}
	c.ends(int(me), r, lostOwn, a == c.g.pass)
}

// record is the record of the ply being made. Trying out what may follow it may have moved the records in memory.
func (c *coreW1) record() *recW1 { return &c.recs[len(c.recs)-1] }

// apply makes the ply on the board and hands the turn on; it does not look at repetition or at the ends. It says
// whether the mover's own leader was taken.
func (c *coreW1) apply(a Action, r *recW1) (lostOwn bool) {
	g, p := c.g, &c.pos
	cfg := &g.cfg
	in := &g.acts[a]
	me := int(p.mover & 1)
	q := me ^ 1
	was := p.phase
	p.ply++
	p.turnPlies++
	p.open = false
	p.lastFrom, p.lastTo = in.from, in.to
	stays := false // the turn goes on
	counts := false
	opens := false
	switch in.kind {
	case actMove:
		stays, counts, lostOwn = c.applyMove(a, in, r)
		r = c.record()
	case actRemove:
		sq := int(in.from)
		c.takeBound(q, bitW1(sq))
		r.captured = bitW1(sq)
		r.removed, counts = true, true
		if !cfg.removalEndsTurn {
			stays = true
			p.cont = contMove
			if cfg.removalBarred {
				p.visited = p.visited.or(bitW1(sq))
			}
		}
	case actPass:
		switch was {
		case Agreement:
			p.agreePasses++
			if p.agreePasses == 2 {
				p.phase = Placement
				p.agreePasses = 0
				p.firstPlacer = uint8(q)
			}
		case Movement:
			opens = cfg.blocked == blockedOpens && (p.cont == contNone || p.cont == contMove)
		}
	case actRaise:
		for i := 0; i < 2; i++ {
			p.key ^= g.zHand[i][p.handMen[i]] ^ g.zHand[i][p.handMen[i]+1]
			p.handMen[i]++
		}
		p.menStart++
		p.agreePasses = 0
	default:
		stays = c.applyPlacement(in, me)
	}
	c.effFor = NoAction
	if !stays {
		p.singlePass[me] = p.turnPlies == 1 && in.kind == actPass
		p.banSq[me], p.banTo[me] = p.curSq, p.curFrom
		p.curSq, p.curFrom = -1, -1
		p.mover = uint8(q)
		p.turn++
		p.turnPlies = 0
		p.placed = 0
		p.cont = contNone
		p.chain = -1
		p.visited = bitsW1{}
		p.open = opens
		if cfg.removalAll {
			if x := p.men[me].and(p.bound); x.any() {
				c.takeBound(me, x)
				r.captured = r.captured.or(x)
				r.removed, counts = true, true
			}
		}
	}
	if was == Movement {
		p.quiet++
		if counts {
			p.quiet = 0
		}
	}
	return lostOwn
}

// takeBound takes bound men of a player off.
func (c *coreW1) takeBound(owner int, squares bitsW1) {
	p := &c.pos
	p.men[owner] = p.men[owner].andNot(squares)
	p.bound = p.bound.andNot(squares)
	p.key ^= c.boundKey(owner, squares)
	for x := squares; x.any(); x = x.rest() {
		p.cntMen[owner]--
		c.gone(owner, x.first()&255)
	}
}

// boundKey is what bound men of a player add to the key.
func (c *coreW1) boundKey(owner int, squares bitsW1) (key uint64) {
	for x := squares; x.any(); x = x.rest() {
		sq := x.first() & 255
		key ^= c.g.zMan[owner][sq] ^ c.g.zBound[sq]
	}
	return key
}

// gone forgets the undo ban of a piece that left the board.
func (c *coreW1) gone(owner, sq int) {
	if p := &c.pos; int(p.banSq[owner]) == sq {
		p.banSq[owner], p.banTo[owner] = -1, -1
	}
}

func (c *coreW1) applyPlacement(in *actInfo, me int) (stays bool) {
	g, p := c.g, &c.pos
	cfg := &g.cfg
	q := me ^ 1
	sq := int(in.to)
	if in.kind == actPlaceMan {
		p.men[me] = p.men[me].or(bitW1(sq))
		p.key ^= g.zMan[me][sq&255] ^ g.zHand[me][p.handMen[me]] ^ g.zHand[me][p.handMen[me]-1]
		p.handMen[me]--
		p.cntMen[me]++
	} else {
		p.lead[me] = p.lead[me].or(bitW1(sq))
		p.key ^= g.zLead[me][sq&255] ^ g.zHandL[me][p.handLead[me]&3] ^ g.zHandL[me][(p.handLead[me]-1)&3]
		p.handLead[me]--
		p.cntLead[me]++
	}
	p.placed++
	if p.handMen[0]|p.handMen[1]|p.handLead[0]|p.handLead[1] == 0 {
		p.phase = Movement
		p.placed = 0
		mover := int(p.firstPlacer)
		if cfg.lastMovesFst {
			mover = me
		}
		return mover == me
	}
	if p.handMen[q]|p.handLead[q] == 0 {
		return true // the opponent has nothing left to place
	}
	if p.placed >= cfg.perTurn {
		return false
	}
	return p.handMen[me] > 0 || p.handLead[me] > 0 && cfg.leaderWhen != leaderAfterAllMen
}

func (c *coreW1) applyMove(a Action, in *actInfo, r *recW1) (stays, counts, lostOwn bool) {
	g, p := c.g, &c.pos
	cfg := &g.cfg
	me := int(p.mover & 1)
	q := me ^ 1
	from, to := int(in.from), int(in.to)
	c.effects(a, from, to)
	e := c.eff
	leads := cfg.haveLeaders && p.lead[me].has(from)
	path := bitW1(from).or(bitW1(to))
	kind := &cfg.men
	if leads {
		kind = &cfg.lead
	}
	chain := kind.chain && !e.self && c.isHop(in)
	if leads {
		p.lead[me] = p.lead[me].xor(path)
	} else {
		p.men[me] = p.men[me].xor(path)
	}
	if cfg.undoBan {
		if p.curFrom < 0 {
			p.curFrom, p.curSq = int16(from), int16(to)
		} else if int(p.curSq) == from {
			p.curSq = int16(to)
		}
		if int(p.banSq[me]) == from {
			p.banSq[me] = int16(to)
		}
	}
	offered := false
	if chain {
		p.visited = p.visited.or(path)
		if cfg.offerBefore {
			if leads {
				p.key ^= g.zLead[me][from&255] ^ g.zLead[me][to&255]
			} else {
				p.key ^= g.zMan[me][from&255] ^ g.zMan[me][to&255]
			}
			offered = c.offers(to, kind)
		}
	}
	p.key = e.key
	c.effFor = NoAction
	if cfg.bind {
		if x := e.release.or(e.bind).or(e.rescue); x.any() {
			p.bound = p.bound.xor(x)
			r.bound = e.bind
			r.freed = e.release.or(e.rescue)
		}
	} else if taken := e.capMen.or(e.capLead); taken.any() || e.self {
		counts = true
		if e.capMen.any() {
			p.men[q] = p.men[q].andNot(e.capMen)
			p.cntMen[q] -= uint8(e.capMen.count())
		}
		if e.capLead.any() {
			p.lead[q] = p.lead[q].andNot(e.capLead)
			p.cntLead[q]--
			r.leader = true
		}
		if e.self {
			here := bitW1(to)
			taken = taken.or(here)
			if leads {
				p.lead[me] = p.lead[me].andNot(here)
				p.cntLead[me]--
				r.leader, lostOwn = true, true
			} else {
				p.men[me] = p.men[me].andNot(here)
				p.cntMen[me]--
			}
			if cfg.undoBan {
				if int(p.curSq) == to {
					p.curSq = -1
				}
				c.gone(me, to)
			}
		}
		if cfg.undoBan && p.banSq[q] >= 0 && taken.has(int(p.banSq[q])) {
			c.gone(q, int(p.banSq[q]))
		}
		r.captured = taken
	}
	if chain {
		if !cfg.offerBefore {
			offered = c.offers(to, kind)
		}
		if offered {
			p.cont, p.chain = contChain, int16(to)
			return true, counts, lostOwn
		}
		return false, counts, lostOwn
	}
	if cfg.bonus && counts {
		p.cont, p.chain = contBonus, -1
		if !cfg.bonusAny && !e.self {
			p.chain = int16(to)
		}
		if !cfg.bonusMust {
			return true, counts, lostOwn
		}
		c.ready = false
		c.prepare()
		stays = c.total > 0
		c.ready = false
	}
	return stays, counts, lostOwn
}

// offers says whether the piece that has just hopped to at may hop on. It reads the position as it stands, before or
// after the effects of the hop.
func (c *coreW1) offers(at int, kind *mover) bool {
	g, t, p := c.g, c.t, &c.pos
	cfg := &g.cfg
	me := int(p.mover & 1)
	over := c.over(&kind.over)
	free := t.all.andNot(c.occupied()).andNot(p.visited)
	from := bitW1(at)
	c.effFor = NoAction
	found := false
	var risky bitsW1
	if cfg.onlyIfCaptures {
		risky = c.dangerous(me)
	}
search:
	for _, d := range t.used {
		if kind.hop[d] == reachNone {
			continue
		}
		dir := &t.dir[d]
		x := dir.of(from).and(over)
		for k := 2; x.any(); k++ {
			x = dir.of(x)
			if x.and(free).any() && c.mayHopOn(at, x.first(), d, k, risky) {
				found = true
				break search
			}
			if kind.hop[d] != reachFar {
				break
			}
			x = x.and(over)
		}
	}
	c.effFor = NoAction
	return found
}

// mayHopOn looks at one further hop of a chain for offers.
func (c *coreW1) mayHopOn(at, to, d, k int, risky bitsW1) bool {
	g, p := c.g, &c.pos
	cfg := &g.cfg
	me := int(p.mover & 1)
	if cfg.undoBan && int(p.banSq[me]) == at && int(p.banTo[me]) == to {
		return false
	}
	a := Action(int(g.planeAt[d][k])*g.squares + at)
	if risky.has(to) {
		c.effects(a, at, to)
		if !c.eff.takes() {
			return false
		}
	}
	if cfg.repeat < repeatPositional {
		return true
	}
	if !cfg.offerBefore {
		c.effects(a, at, to)
		return !c.repeats(a)
	}
	// The next hop alone, without its effects.
	next := seenW1{men: p.men, lead: p.lead, bound: p.bound, hands: p.packedHands(), next: uint8(me ^ 1)}
	key := p.key
	path := bitW1(at).or(bitW1(to))
	if cfg.haveLeaders && p.lead[me].has(at) {
		next.lead[me] = next.lead[me].xor(path)
		key ^= g.zLead[me][at&255] ^ g.zLead[me][to&255]
	} else {
		next.men[me] = next.men[me].xor(path)
		key ^= g.zMan[me][at&255] ^ g.zMan[me][to&255]
	}
	return !c.known(key, &next)
}
