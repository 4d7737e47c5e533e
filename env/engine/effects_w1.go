package engine

// effectsW1 is what a step, slide or hop does, worked out before it is made.
type effectsW1 struct {
	capMen  bitsW1 // men of the opponent that go
	capLead bitsW1 // leader of the opponent that goes
	bind    bitsW1 // men of the opponent that become bound
	release bitsW1 // men of the opponent that become free
	rescue  bitsW1 // men of the mover that become free
	self    bool   // the arriving piece goes itself
	key     uint64 // key of board and hands after all of it
}

// takes says whether the arrival captures or binds an enemy.
func (e *effectsW1) takes() bool { return e.capMen.or(e.capLead).or(e.bind).any() }

// effects works out c.eff for the mover's piece going from one square to another. a is its action.
func (c *coreW1) effects(a Action, from, to int) {
	if c.effFor == a {
		return
	}
	c.effFor = a
	g, t, p, e := c.g, c.t, &c.pos, &c.eff
	cfg := &g.cfg
	me := int(p.mover & 1)
	q := me ^ 1
	*e = effectsW1{}
	fromBit, toBit := bitW1(from), bitW1(to)
	leads := cfg.haveLeaders && p.lead[me].has(from)
	if leads {
		e.key = p.key ^ g.zLead[me][from&255] ^ g.zLead[me][to&255]
	} else {
		e.key = p.key ^ g.zMan[me][from&255] ^ g.zMan[me][to&255]
	}
	enemies := p.men[q].or(p.lead[q])
	if cfg.bind {
		if t.adjacent[to].or(t.leaves[from]).and(enemies).any() {
			c.bindings(fromBit, toBit, from, to, me)
		}
		return
	}
	near := t.adjacent[to].and(enemies)
	if near.none() && !cfg.betweenTaken {
		return
	}
	men, lead := p.men[me], p.lead[me]
	if leads {
		lead = lead.xor(fromBit).or(toBit)
	} else {
		men = men.xor(fromBit).or(toBit)
	}
	if near.any() {
		if taken := c.taken(to, q, leads, men, lead, near); taken.any() {
			e.capMen, e.capLead = taken.and(p.men[q]), taken.and(p.lead[q])
			for x := e.capMen; x.any(); x = x.rest() {
				e.key ^= g.zMan[q][x.first()&255]
			}
			if e.capLead.any() {
				e.key ^= g.zLead[q][e.capLead.first()&255]
			}
		}
	}
	if cfg.betweenTaken && (!leads || cfg.leaderAsMan) && !t.immune.has(to) {
		guards := p.men[q].andNot(e.capMen)
		if cfg.capStanding {
			guards = guards.or(p.lead[q].andNot(e.capLead))
		}
		for _, d := range cfg.axes {
			if o := opposite[d]; o > d && c.guarded(toBit, d, guards, men.or(lead)) && c.guarded(toBit, o, guards, men.or(lead)) {
				e.self = true
				if leads {
					e.key ^= g.zLead[me][to&255]
				} else {
					e.key ^= g.zMan[me][to&255]
				}
				break
			}
		}
	}
}

// taken gives the pieces of q that go when a piece of the other side, a leader or not, has arrived on a square. men and
// lead are the pieces of that side as they stand then, near those of q that adjacent[to] holds.
func (c *coreW1) taken(to, q int, leads bool, men, lead, near bitsW1) bitsW1 {
	t, p := c.t, &c.pos
	cfg := &c.g.cfg
	var taken bitsW1
	victims, line := p.men[q], p.men[q]
	if cfg.leaderAsMan {
		victims = victims.or(p.lead[q])
		line = victims
	} else if cfg.leaderSpans {
		line = line.or(p.lead[q])
	}
	if !leads || cfg.capArriving {
		partners := men
		if cfg.capStanding {
			partners = partners.or(lead)
		}
		behindOrtho := partners
		if cfg.cornerHostile {
			hot := t.corners
			if cfg.cornerUnless {
				hot = hot.andNot(p.men[q].or(p.lead[q]))
			}
			behindOrtho = behindOrtho.or(hot)
		}
		if cfg.singleLines {
			// One piece each, shut in by what stands or lies beyond it: 2*v-to is the square beyond v.
			near, line = near.and(victims), bitsW1{}
			if cfg.edgeHostile {
				taken = near.and(t.atEdge[to])
			}
			for x := near.and(t.inner[to]); x.any(); x = x.rest() {
				v := x.first()
				if partners.has(2*v-to) || cfg.cornerHostile && t.axialOrtho[to].has(v) && behindOrtho.has(2*v-to) {
					taken = taken.or(bitW1(v))
				}
			}
		}
		for x := near.and(line).and(t.axial[to]); x.any(); x = x.rest() {
			v := x.first()
			d := int(t.toward[v-to+towardZero] & 7)
			behind := partners
			if d < northEast {
				behind = behindOrtho
			}
			run := bitW1(v)
			last := run
			dir := &t.dir[d]
			for {
				next := dir.of(last)
				if next.and(behind).any() || next.none() && cfg.edgeHostile && d < northEast {
					taken = taken.or(run.and(victims))
				}
				// A line closed by a hostile corner may go on through an enemy on it to the hostile edge.
				if !cfg.rowDir[d] {
					break
				}
				last = next.and(line)
				if last.none() {
					break
				}
				run = run.or(last)
			}
		}
		for _, pair := range c.g.pairs[to] {
			if victims.has(pair.corner) && partners.has(pair.other) {
				taken = taken.or(bitW1(pair.corner))
			}
		}
	}
	if cfg.leaderSurround {
		if at := t.ortho[to].and(p.lead[q]); at.any() {
			if t.ortho[at.first()].andNot(men.or(lead)).none() {
				taken = taken.or(at)
			}
		}
	}
	return taken.andNot(t.immune)
}

// guarded says whether what lies in direction d of the piece on at is one of its captors: a guard, or a hostile
// edge or corner. own is the side of the piece.
func (c *coreW1) guarded(at bitsW1, d int, guards, own bitsW1) bool {
	next := c.t.dir[d].of(at)
	if next.and(guards).any() {
		return true
	}
	if d >= northEast {
		return false
	}
	cfg := &c.g.cfg
	if next.none() {
		return cfg.edgeHostile
	}
	if cfg.cornerHostile {
		hot := c.t.corners
		if cfg.cornerUnless {
			hot = hot.andNot(own)
		}
		return next.and(hot).any()
	}
	return false
}

// held gives the squares between two of the guards on some line of capture.
func (c *coreW1) held(guards bitsW1) bitsW1 {
	var x bitsW1
	for _, d := range c.g.cfg.axes {
		if o := opposite[d]; o > d {
			x = x.or(c.t.dir[d].of(guards).and(c.t.dir[o].of(guards)))
		}
	}
	return x
}

// bindings works out release, binding and rescue: all of them read the board after the arrival with
// the bound marks of before it.
func (c *coreW1) bindings(fromBit, toBit bitsW1, from, to, me int) {
	g, t, p, e := c.g, c.t, &c.pos, &c.eff
	cfg := &g.cfg
	q := me ^ 1
	ownFree := p.men[me].andNot(p.bound).xor(fromBit).or(toBit)
	foeFree := p.men[q].andNot(p.bound)
	foeBound := p.men[q].and(p.bound)
	guards := ownFree
	if !cfg.releaseByLanding {
		guards = guards.andNot(toBit)
	}
	release, bind := bitsW1{}, bitsW1{}
	// The squares whose next one in direction d holds a guard or a partner: the set moved the other way.
	if !cfg.guardStays && t.leaves[from].and(foeBound).any() {
		for _, d := range cfg.axes {
			release = release.or(t.dir[d].of(fromBit).and(foeBound).and(t.dir[opposite[d]].of(guards)))
		}
		for _, pair := range g.pairs[from] {
			if foeBound.has(pair.corner) && guards.has(pair.other) {
				release = release.or(bitW1(pair.corner))
			}
		}
		if cfg.heldTwice && release.any() {
			release = release.andNot(c.held(ownFree))
		}
	}
	if t.adjacent[to].and(foeFree).any() {
		for _, d := range cfg.axes {
			bind = bind.or(t.dir[d].of(toBit).and(foeFree).and(t.dir[opposite[d]].of(ownFree)))
		}
		for _, pair := range g.pairs[to] {
			if foeFree.has(pair.corner) && ownFree.has(pair.other) {
				bind = bind.or(bitW1(pair.corner))
			}
		}
	}
	e.release, e.bind = release, bind
	if bind.any() {
		ownBound := p.men[me].and(p.bound)
		if ownBound.any() {
			for _, d := range cfg.axes {
				e.rescue = e.rescue.or(t.dir[d].of(bind).and(ownBound).and(t.dir[opposite[d]].of(foeFree)))
			}
			if cfg.cornerRescue && cfg.cornerPair {
				for x := bind; x.any(); x = x.rest() {
					for _, pair := range g.pairs[x.first()] {
						if ownBound.has(pair.corner) && foeFree.has(pair.other) {
							e.rescue = e.rescue.or(bitW1(pair.corner))
						}
					}
				}
			}
			if cfg.heldTwice && e.rescue.any() {
				e.rescue = e.rescue.andNot(c.held(foeFree.andNot(bind)))
			}
		}
	}
	for x := release.or(bind).or(e.rescue); x.any(); x = x.rest() {
		e.key ^= g.zBound[x.first()&255]
	}
}
