package engine

// ends looks at the end rules after a ply of me, in their order; the first that fires decides.
func (c *coreW1) ends(me int, r *recW1, lostOwn, passed bool) {
	if !c.endsLoss(me, r.leader, lostOwn) && !c.endBlocked() {
		c.endsLate(me, r.pos.turn, passed)
	}
}

// endsLoss looks at the rules about lost and immobile pieces.
func (c *coreW1) endsLoss(me int, leader, lostOwn bool) bool {
	p := &c.pos
	cfg := &c.g.cfg
	q := me ^ 1
	if cfg.annihilate {
		switch {
		case cfg.endNextPlayer:
			if n := int(p.mover & 1); c.annihilated(n) {
				c.end(winOf(n^1), c.annihilation())
				return true
			}
		case c.annihilated(q):
			c.end(winOf(me), c.annihilation())
			return true
		case c.annihilated(me):
			c.end(winOf(q), c.annihilation())
			return true
		}
	}
	if leader {
		if cfg.leaderLoses {
			if lostOwn && p.cntLead[q] > 0 {
				c.end(winOf(q), LeaderCaptured)
			} else {
				c.end(winOf(me), LeaderCaptured)
			}
			return true
		}
		if cfg.leaderCount {
			c.end(c.counted(), LeaderCaptured)
			return true
		}
	}
	if cfg.immobileLoses && p.lead[q].any() && !c.leaderMoves(q) {
		c.end(winOf(me), LeaderImmobilised)
		return true
	}
	return false
}

// endsLate looks at the rules that do not depend on the board. turn is that of the ply just made.
func (c *coreW1) endsLate(me int, turn int32, passed bool) {
	p := &c.pos
	cfg := &c.g.cfg
	if cfg.quietLimit > 0 && p.quiet >= cfg.quietLimit {
		if cfg.quietCount {
			c.end(c.counted(), NoCaptureLimit)
		} else {
			c.end(Draw, NoCaptureLimit)
		}
		return
	}
	if cfg.twoPasses && passed && p.singlePass[0] && p.singlePass[1] && int(p.mover&1) != me {
		c.end(Draw, TwoPasses)
		return
	}
	if cfg.repeat == repeatThreefold && p.repCount >= 3 {
		c.end(Draw, Repetition)
		return
	}
	// The counter stands at the turn of the ply just made: the first ply of turn n is the last.
	if cfg.turnLimit > 0 && turn >= cfg.turnLimit {
		c.end(Capped, TurnLimit)
	}
}

func (c *coreW1) end(o Outcome, r EndReason) {
	c.pos.outcome, c.pos.reason = o, r
	c.ready = false
}

func (c *coreW1) annihilation() EndReason {
	if c.g.cfg.annihilateAt > 0 {
		return OneLeft
	}
	return NoneLeft
}

func (c *coreW1) annihilated(player int) bool {
	cfg := &c.g.cfg
	n := c.pos.piecesLeft(player)
	if cfg.annihilateMen {
		n = c.pos.menLeft(player)
	}
	return n == cfg.annihilateAt || n < cfg.annihilateAt && !cfg.annihilateEq
}

// counted is the outcome by number of pieces left.
func (c *coreW1) counted() Outcome {
	switch a, b := c.pos.piecesLeft(0), c.pos.piecesLeft(1); {
	case a > b:
		return Win0
	case b > a:
		return Win1
	}
	return c.g.cfg.tie
}

// endBlocked ends the game if the player to move has no ply and the rules say that this ends it.
func (c *coreW1) endBlocked() bool {
	p := &c.pos
	b := c.g.cfg.blocked
	if b != blockedLoses && b != blockedCount || p.cont == contChain || p.cont == contBonus {
		return false
	}
	if c.rng != nil {
		if a, ok := c.sample(c.rng); ok {
			c.drawn = a
			return false
		}
	}
	c.prepare()
	if c.anyPly() {
		return false
	}
	if b == blockedLoses {
		c.end(winOf(int(p.mover&1)^1), Blocked)
	} else {
		c.end(c.counted(), Blocked)
	}
	return true
}

// leaderMoves says whether the leader of a player has a step, slide or hop, repetition and bans aside.
func (c *coreW1) leaderMoves(player int) bool {
	p := &c.pos
	saved := p.scalars
	visited := p.visited
	p.mover, p.cont, p.chain, p.visited = uint8(player), contNone, -1, bitsW1{}
	c.sets, c.total, c.ready, c.effFor = c.sets[:0], 0, false, NoAction
	c.moves(bitsW1{}, p.lead[player], false)
	found := c.total > 0
	if found && c.g.cfg.onlyIfCaptures {
		found = false
		risky := c.dangerous(player)
		for i := range c.sets {
			s := &c.sets[i]
			to := s.to.first()
			a := c.actionOf(s.plane, to)
			if risky.has(to) {
				c.effects(a, int(c.g.acts[a].from), to)
				if !c.eff.takes() {
					continue
				}
			}
			found = true
			break
		}
	}
	p.scalars, p.visited = saved, visited
	c.ready, c.effFor = false, NoAction
	return found
}
