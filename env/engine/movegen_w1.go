package engine

// generate fills sets with the plies that the position allows, leaving aside what depends on history or on the
// captures of a single ply: repetition, the entry restriction, bonus plies that must capture. The undo ban is
// applied unless lifted.
func (c *coreW1) generate(lifted bool) {
	g, p := c.g, &c.pos
	cfg := &g.cfg
	c.sets = c.sets[:0]
	c.total = 0
	c.stop, c.ban = false, false
	c.exact = true
	if p.outcome != Ongoing {
		return
	}
	me := int(p.mover & 1)
	switch p.phase {
	case Agreement:
		if p.handMen[0] < cfg.agreementMax {
			c.add(g.raiseAt, bitW1(0))
		}
		c.stop = true
		return
	case Placement:
		free := c.t.zone[me].andNot(c.occupied())
		if c.mayPlaceMan(me) {
			c.add(g.placeMan, free)
		}
		if c.mayPlaceLeader(me) {
			c.add(g.placeLead, free)
		}
		return
	}
	var removable bitsW1
	if cfg.removal && (p.cont == contNone || p.cont == contMove && cfg.removalAny) {
		removable = p.men[me^1].and(p.bound)
	}
	if cfg.removalCompulsory && p.cont == contNone && removable.any() {
		c.add(g.removeAt, removable)
		return
	}
	men, lead := p.men[me].andNot(p.bound), p.lead[me]
	switch p.cont {
	case contChain:
		at := bitW1(int(p.chain))
		men, lead = men.and(at), lead.and(at)
		c.stop = true
	case contBonus:
		if !cfg.bonusAny {
			at := bitsW1{}
			if p.chain >= 0 {
				at = bitW1(int(p.chain))
			}
			men, lead = men.and(at), lead.and(at)
		}
		c.stop = !cfg.bonusCompulsory
	}
	c.moves(men, lead, p.cont == contChain)
	if cfg.undoBan && !lifted && p.banSq[me] >= 0 {
		c.applyBan(int(p.banSq[me]), int(p.banTo[me]))
	}
	if removable.any() {
		c.add(g.removeAt, removable)
	}
	c.exact = cfg.repeat < repeatPositional
	if cfg.onlyIfCaptures {
		c.risky = c.dangerous(me)
		c.exact = c.exact && c.risky.none()
	}
}

// add puts the plies of one plane in.
func (c *coreW1) add(pl int, to bitsW1) {
	if n := to.count(); n > 0 {
		c.sets = append(c.sets, planeSetW1{to, int32(pl), int32(n)})
		c.total += n
	}
}

// moves adds the steps, slides and hops of the given pieces of the mover.
func (c *coreW1) moves(men, lead bitsW1, hopsOnly bool) {
	g, t, p := c.g, c.t, &c.pos
	cfg := &g.cfg
	free := t.all.andNot(c.occupied())
	overMen, overLead := bitsW1{}, bitsW1{}
	if cfg.men.hops {
		overMen = c.over(&cfg.men.over)
	}
	if cfg.lead.hops {
		overLead = c.over(&cfg.lead.over)
	}
	for _, d := range t.used {
		dir := &t.dir[d]
		var near, far bitsW1
		if !hopsOnly {
			switch cfg.men.reach[d] {
			case reachOne:
				near = men
			case reachFar:
				near, far = men, men
			}
			if lead.any() {
				switch cfg.lead.reach[d] {
				case reachOne:
					near = near.or(lead)
				case reachFar:
					near, far = near.or(lead), far.or(lead)
				}
			}
			if near.any() {
				near = dir.of(near).and(free)
				if near.any() {
					c.add(int(g.planeAt[d][1]), near)
				}
				if far.any() {
					far = dir.of(far).and(free)
				}
			}
		}
		var hm, hl bitsW1
		if overMen.any() && cfg.men.hop[d] != reachNone {
			hm = dir.of(men).and(overMen)
		}
		if overLead.any() && cfg.lead.hop[d] != reachNone {
			hl = dir.of(lead).and(overLead)
		}
		for k := 2; k <= t.maxDist[d] && far.or(hm).or(hl).any(); k++ {
			far = dir.of(far).and(free)
			to := far
			if hm.or(hl).any() {
				lm, ll := dir.of(hm), dir.of(hl)
				to = to.or(lm.or(ll).and(free).andNot(p.visited))
				hm, hl = bitsW1{}, bitsW1{}
				if cfg.men.hop[d] == reachFar {
					hm = lm.and(overMen)
				}
				if cfg.lead.hop[d] == reachFar {
					hl = ll.and(overLead)
				}
			}
			if to.any() {
				c.add(int(g.planeAt[d][k]), to)
			}
		}
	}
}

// over gives the pieces that the mover's pieces of one kind may hop over.
func (c *coreW1) over(o *hopOver) bitsW1 { return c.overOf(o, int(c.pos.mover&1)) }

// overOf gives the pieces that the pieces of one kind of a player may hop over.
func (c *coreW1) overOf(o *hopOver, me int) bitsW1 {
	p := &c.pos
	q := me ^ 1
	var x bitsW1
	if o.ownFreeMen {
		x = p.men[me].andNot(p.bound)
	}
	if o.ownLeader {
		x = x.or(p.lead[me])
	}
	if o.ownBound {
		x = x.or(p.men[me].and(p.bound))
	}
	if o.enemyFree {
		x = x.or(p.men[q].andNot(p.bound)).or(p.lead[q])
	}
	if o.enemyBound {
		x = x.or(p.men[q].and(p.bound))
	}
	return x
}

// dangerous gives the squares between two enemies on a row or column.
func (c *coreW1) dangerous(me int) bitsW1 {
	p, t := &c.pos, c.t
	foes := p.men[me^1].or(p.lead[me^1])
	if c.g.cfg.boundHarmless {
		foes = foes.andNot(p.bound)
	}
	x := t.dir[north].of(foes).and(t.dir[south].of(foes))
	return x.or(t.dir[east].of(foes).and(t.dir[west].of(foes)))
}

// applyBan takes the banned return of one piece out of sets.
func (c *coreW1) applyBan(from, to int) {
	pl := int32(c.g.lineOf[from*c.g.squares+to])
	if pl < 0 {
		return
	}
	for i := range c.sets {
		s := &c.sets[i]
		if s.plane == pl {
			if s.to.has(to) {
				s.to = s.to.andNot(bitW1(to))
				s.n--
				c.total--
				c.ban = true
			}
			return
		}
	}
}

func (c *coreW1) mayPlaceMan(me int) bool {
	p := &c.pos
	return p.handMen[me] > 0 && !(c.g.cfg.leaderWhen == leaderFirst && p.handLead[me] > 0)
}

func (c *coreW1) mayPlaceLeader(me int) bool {
	p := &c.pos
	if p.handLead[me] == 0 {
		return false
	}
	switch c.g.cfg.leaderWhen {
	case leaderAfterAllMen:
		return p.handMen[0] == 0 && p.handMen[1] == 0
	case leaderLast:
		return p.handMen[me] == 0
	case leaderFirstOrLast:
		return p.handMen[me] == 0 || p.handMen[me] == p.menStart
	case leaderFirst, leaderAny:
		return true
	}
	return false
}

// prepare makes sets valid for the position: the legal plies are those of sets that allowed lets through, and the
// pass if stop is set or nothing else is legal.
func (c *coreW1) prepare() {
	if c.ready {
		return
	}
	c.generate(false)
	c.ready = true
	p := &c.pos
	if p.phase != Movement || p.outcome != Ongoing {
		return
	}
	if c.ban && (p.cont == contNone || p.cont == contMove) && !c.anyPly() {
		c.generate(true)
	}
	if p.cont == contBonus && c.g.cfg.bonusMust {
		c.keep(c.captures)
	}
	if p.open && c.anyPly() {
		c.keepOpening()
	}
}

// actionOf is the action of a plane's ply by its square in sets.
func (c *coreW1) actionOf(pl int32, sq int) Action {
	n := c.g.squares
	info := &c.g.planes[pl]
	if info.kind == actMove {
		d := int(info.dir)
		step := dirRow[d]*c.g.cols + dirCol[d]
		sq -= step * int(info.dist)
	}
	return Action(int(pl)*n + sq)
}

// allowed says whether a ply of sets is legal. Everything in sets is, if exact.
func (c *coreW1) allowed(a Action) bool {
	cfg := &c.g.cfg
	in := &c.g.acts[a]
	if in.kind != actMove {
		return true // removals and placements never repeat a position
	}
	to := int(in.to)
	risky := cfg.onlyIfCaptures && c.risky.has(to)
	if cfg.repeat < repeatPositional {
		if !risky {
			return true
		}
		c.effects(a, int(in.from), to)
		return c.eff.takes()
	}
	c.effects(a, int(in.from), to)
	if risky && !c.eff.takes() {
		return false
	}
	return !c.repeats(a)
}

// captures says whether a legal ply captures; for bonus plies that must.
func (c *coreW1) captures(a Action) bool {
	in := &c.g.acts[a]
	if in.kind != actMove {
		return false
	}
	c.effects(a, int(in.from), int(in.to))
	return c.eff.takes() || c.eff.self
}

// keep reduces sets to the legal plies that pass a test.
func (c *coreW1) keep(test func(Action) bool) {
	c.total = 0
	out := 0
	for i := range c.sets {
		s := c.sets[i]
		for x := s.to; x.any(); x = x.rest() {
			sq := x.first()
			a := c.actionOf(s.plane, sq)
			if test != nil && !test(a) || !c.exact && !c.allowed(a) {
				s.to = s.to.andNot(bitW1(sq))
				s.n--
			}
		}
		if s.n > 0 {
			c.sets[out] = s
			out++
			c.total += int(s.n)
		}
	}
	c.sets = c.sets[:out]
	c.exact = true
}

// anyPly says whether sets holds a legal ply.
func (c *coreW1) anyPly() bool {
	if c.exact {
		return c.total > 0
	}
	for i := range c.sets {
		s := &c.sets[i]
		for x := s.to; x.any(); x = x.rest() {
			if c.allowed(c.actionOf(s.plane, x.first())) {
				return true
			}
		}
	}
	return false
}

// keepOpening reduces sets to the plies after which the opponent, who has just passed because he is blocked, has a
// ply; if there is none, sets stays.
func (c *coreW1) keepOpening() {
	c.keep(nil)
	start := len(c.saved)
	c.saved = append(c.saved, c.sets...)
	end := len(c.saved)
	total, stop, ban := c.total, c.stop, c.ban
	me := c.pos.mover
	opens, first := 0, start
	// The sets of the saved copy lose the plies that do not open; as long as none opens they stay whole.
	for i := start; i < end; i++ {
		set := c.saved[i]
		for x := set.to; x.any(); x = x.rest() {
			sq := x.first()
			c.play(c.actionOf(set.plane, sq))
			open := false
			if c.pos.outcome == Ongoing {
				if c.pos.mover == me {
					c.pos.mover, c.pos.cont, c.pos.chain, c.pos.visited = me^1, contNone, -1, bitsW1{}
					c.pos.open = false
					c.ready, c.effFor = false, NoAction
				}
				c.prepare()
				open = c.anyPly()
			}
			c.undo()
			if open {
				opens++
			} else {
				c.saved[i].to = c.saved[i].to.andNot(bitW1(sq))
				c.saved[i].n--
			}
		}
		if opens == 0 {
			c.saved[i] = set
			first = i + 1
		}
	}
	if opens > 0 {
		total = opens
	} else {
		first = start
	}
	c.sets = c.sets[:0]
	for _, set := range c.saved[first:end] {
		if set.n > 0 {
			c.sets = append(c.sets, set)
		}
	}
	c.saved = c.saved[:start]
	c.total, c.stop, c.exact, c.ready, c.ban = total, stop, true, true, ban
}

// legal appends the legal actions in ascending order.
func (c *coreW1) legal(dst []Action) []Action {
	c.settle()
	if c.pos.outcome != Ongoing {
		return dst
	}
	c.prepare()
	if !c.exact {
		c.keep(nil)
	}
	n := c.g.squares
	for i := range c.sets {
		s := &c.sets[i]
		base := int(s.plane) * n
		if info := &c.g.planes[s.plane]; info.kind == actMove {
			base -= (dirRow[info.dir]*c.g.cols + dirCol[info.dir]) * int(info.dist)
		}
		for x := s.to; x.any(); x = x.rest() {
			dst = append(dst, Action(base+x.first()))
		}
	}
	if c.stop || c.total == 0 {
		dst = append(dst, c.g.pass)
	}
	return dst
}

func (c *coreW1) isLegal(a Action) bool {
	c.settle()
	if c.pos.outcome != Ongoing || int(a) >= len(c.g.acts) {
		return false
	}
	c.prepare()
	if a == c.g.pass {
		return c.stop || !c.anyPly()
	}
	in := &c.g.acts[a]
	sq := int(in.to)
	switch in.kind {
	case actNone:
		return false
	case actRemove:
		sq = int(in.from)
	case actRaise:
		sq = 0
	}
	pl := int32(int(a) / c.g.squares)
	for i := range c.sets {
		if s := &c.sets[i]; s.plane == pl {
			return s.to.has(sq) && (c.exact || c.allowed(a))
		}
	}
	return false
}
