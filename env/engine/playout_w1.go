package engine

import (
	"math/bits"
	"math/rand/v2"
)

// playout plays uniformly random legal plies until the game ends or maxPlies are made.
func (c *coreW1) playout(rng *rand.Rand, maxPlies int) int {
	plies := 0
	if c.g.cfg.plain {
		if plies = c.walk(rng, maxPlies); plies == maxPlies || c.pos.outcome != Ongoing {
			return plies
		}
	}
	c.settle()
	c.rng = rng
	for plies < maxPlies && c.pos.outcome == Ongoing {
		a := c.drawn
		if a == NoAction {
			a = c.pick(rng)
		}
		c.play(a)
		plies++
	}
	c.rng = nil
	c.drawn = NoAction
	return plies
}

// drawsW1 is how often sample tries before the plies are listed.
const drawsW1 = 40

// sample tries to draw one of the legal plies, each with the same probability: it draws a piece and a place to go to until
// the ply is legal. It may give up, in crowded positions and where nothing is legal, and then pick lists the plies. It
// also says no where only part of the plies are of that kind.
func (c *coreW1) sample(rng *rand.Rand) (Action, bool) {
	g, t, p := c.g, c.t, &c.pos
	cfg := &g.cfg
	if p.phase != Movement || p.cont == contChain || p.open || p.cont == contBonus && cfg.bonusMust {
		return NoAction, false
	}
	me := int(p.mover & 1)
	men, lead := p.men[me].andNot(p.bound), p.lead[me]
	stops := uint32(0)
	if p.cont == contBonus {
		if !cfg.bonusAny {
			if p.chain < 0 {
				return NoAction, false
			}
			at := bitW1(int(p.chain))
			men, lead = men.and(at), lead.and(at)
		}
		if !cfg.bonusCompulsory {
			stops = 1
		}
	}
	byMen := uint32(men.count()) * t.menSlots.n
	byLead := uint32(lead.count()) * t.leadSlots.n
	var removable bitsW1
	removals := uint32(0)
	if cfg.removal && (p.cont == contNone || p.cont == contMove && cfg.removalAny) {
		if removable = p.men[me^1].and(p.bound); removable.any() {
			if cfg.removalCompulsory && p.cont == contNone {
				return NoAction, false
			}
			removals = uint32(removable.count())
		}
	}
	total := uint64(byMen + byLead + removals + stops)
	if total == 0 {
		return NoAction, false
	}
	occupied := c.occupied()
	overMen, overLead := bitsW1{}, bitsW1{}
	if cfg.men.hops {
		overMen = c.over(&cfg.men.over)
	}
	if cfg.lead.hops && byLead > 0 {
		overLead = c.over(&cfg.lead.over)
	}
	checked := cfg.onlyIfCaptures || cfg.repeat >= repeatPositional
	if cfg.onlyIfCaptures {
		c.risky = c.dangerous(me)
	}
	ban, banTo := -1, -1
	if cfg.undoBan {
		ban, banTo = int(p.banSq[me]), int(p.banTo[me])
	}
	for try := 0; try < drawsW1; try++ {
		// A number below total, each with the same probability (D. Lemire, "Fast Random Integer Generation in an
		// Interval", 2019).
		hi, lo := bits.Mul64(rng.Uint64(), total)
		if lo < total && lo < -total%total {
			continue
		}
		r := uint32(hi)
		pieces, slots, over := men, &t.menSlots, overMen
		if r >= byMen {
			r -= byMen
			if r >= byLead {
				if r -= byLead; r < removals {
					return Action(g.removeAt*g.squares + removable.nth(int(r))), true
				}
				return g.pass, true
			}
			pieces, slots, over = lead, &t.leadSlots, overLead
		}
		k := uint32(uint64(r) * slots.inverse >> 32)
		sq := pieces.nth(int(k))
		s := &slots.list[uint32(sq)*slots.n+r-k*slots.n]
		if occupied.has(int(s.to)) {
			continue
		}
		if s.dist > 1 {
			if !(s.slides && s.between.and(occupied).none()) &&
				!(s.hops && s.between.andNot(over).none() && !p.visited.has(int(s.to))) {
				continue
			}
		}
		if sq == ban && int(s.to) == banTo {
			continue
		}
		if checked && !c.allowed(s.action) {
			continue
		}
		return s.action, true
	}
	return NoAction, false
}

// pick draws one of the legal plies, each with the same probability: it draws from the pseudo-legal ones without
// putting back, and the first that is legal is as likely to be any legal one as any other.
func (c *coreW1) pick(rng *rand.Rand) Action {
	if !c.ready {
		if a, ok := c.sample(rng); ok {
			return a
		}
	}
	c.prepare()
	extra := 0
	if c.stop {
		extra = 1
	}
	for {
		n := c.total + extra
		if n == 0 {
			return c.g.pass
		}
		k := int(rng.Uint32N(uint32(n)))
		if k >= c.total {
			return c.g.pass
		}
		i := 0
		for k >= int(c.sets[i].n) {
			k -= int(c.sets[i].n)
			i++
		}
		s := &c.sets[i]
		sq := s.to.nth(k)
		a := c.actionOf(s.plane, sq)
		if c.exact || c.allowed(a) {
			return a
		}
		s.to = s.to.andNot(bitW1(sq))
		s.n--
		c.total--
	}
}
