package engine

import "math/rand/v2"

// playout plays uniformly random legal plies until the game ends or maxPlies are made.
func (c *coreW1) playout(rng *rand.Rand, maxPlies int) int {
	plies := 0
	for plies < maxPlies && c.pos.outcome == Ongoing {
		c.play(c.pick(rng))
		plies++
	}
	return plies
}

// pick draws one of the legal plies, each with the same probability: it draws from the pseudo-legal ones without
// putting back, and the first that is legal is as likely to be any legal one as any other.
func (c *coreW1) pick(rng *rand.Rand) Action {
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
