package engine

// seenW1 is a position as the repetition rules compare it. Hands are packed (scalars.packedHands). next is the
// player to move, which the positional rule leaves out.
type seenW1 struct {
	men   [2]bitsW1
	lead  [2]bitsW1
	bound bitsW1
	hands uint32
	next  uint8
}

// memoryW1 holds the positions that a repetition rule remembers: a stack, and a hash table over it that gives the
// number of occurrences. The newest is forgotten first, so deleting from the open table only clears a slot.
type memoryW1 struct {
	list  []seenW1
	keys  []uint64
	table []memorySlot
}

func (m *memoryW1) init() { m.table = make([]memorySlot, memoryStart) }

func (m *memoryW1) reset() {
	if len(m.list)*16 < len(m.table) {
		for len(m.list) > 0 {
			m.forget()
		}
		return
	}
	clear(m.table)
	m.list, m.keys = m.list[:0], m.keys[:0]
}

func (m *memoryW1) copyFrom(o *memoryW1) {
	m.list = append(m.list[:0], o.list...)
	m.keys = append(m.keys[:0], o.keys...)
	m.table = append(m.table[:0], o.table...)
}

// find gives the slot of the position, or the empty slot where it would go.
func (m *memoryW1) find(key uint64, s *seenW1) *memorySlot {
	mask := uint64(len(m.table) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		slot := &m.table[i]
		if slot.count == 0 || slot.key == key && m.list[slot.first] == *s {
			return slot
		}
	}
}

// add puts an occurrence in and gives their number.
func (m *memoryW1) add(key uint64, s *seenW1) int32 {
	if 2*(len(m.list)+1) > len(m.table) {
		m.grow()
	}
	slot := m.find(key, s)
	if slot.count == 0 {
		slot.key, slot.first = key, int32(len(m.list))
	}
	slot.count++
	m.list = append(m.list, *s)
	m.keys = append(m.keys, key)
	return slot.count
}

// forget takes the newest occurrence out.
func (m *memoryW1) forget() {
	n := len(m.list) - 1
	slot := m.find(m.keys[n], &m.list[n])
	slot.count--
	m.list, m.keys = m.list[:n], m.keys[:n]
}

// grow doubles the table. Entering the list in its order keeps the table one from which the newest can be cleared.
func (m *memoryW1) grow() {
	m.table = make([]memorySlot, 2*len(m.table))
	for i := range m.list {
		slot := m.find(m.keys[i], &m.list[i])
		if slot.count == 0 {
			slot.key, slot.first = m.keys[i], int32(i)
		}
		slot.count++
	}
}

// memoryKey is the table's key of a position: with the player to move where the rule looks at it.
func (c *coreW1) memoryKey(key uint64, s *seenW1) uint64 {
	if c.g.cfg.repeat == repeatPositional {
		s.next = 0
	} else if s.next != 0 {
		key ^= c.g.zNext
	}
	return key
}

// remember puts the position in the memory and gives the number of its occurrences.
func (c *coreW1) remember() int32 {
	p := &c.pos
	s := seenW1{men: p.men, lead: p.lead, bound: p.bound, hands: p.packedHands(), next: p.mover}
	key := c.memoryKey(p.key, &s)
	return c.mem.add(key, &s)
}

// known says whether a position is remembered.
func (c *coreW1) known(key uint64, s *seenW1) bool {
	key = c.memoryKey(key, s)
	return c.mem.find(key, s).count > 0
}

// repeats says whether a move leads to a remembered position; c.eff holds its effects.
func (c *coreW1) repeats(a Action) bool {
	g, p := c.g, &c.pos
	e := &c.eff
	if e.capMen.or(e.capLead).any() || e.self {
		return false // no remembered position has so few pieces
	}
	me := int(p.mover & 1)
	if g.cfg.slowRepeat {
		// Trying a ply out asks the same of every ply that could follow in its turn, and so on: that is left for
		// the few plies where it matters whether the turn goes on.
		s := c.after(a)
		s.next = uint8(me)
		goesOn := c.known(e.key, &s)
		key := e.key
		s.next ^= 1
		if g.cfg.removalAll {
			x := s.men[me].and(s.bound)
			s.men[me], s.bound = s.men[me].andNot(x), s.bound.andNot(x)
			key ^= c.boundKey(me, x)
		}
		if c.known(key, &s) == goesOn {
			return goesOn
		}
		return c.tryRepeats(a)
	}
	key := e.key
	if g.cfg.repeat == repeatSituational && me == 0 {
		key ^= g.zNext
	}
	m := &c.mem
	mask := uint64(len(m.table) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		slot := &m.table[i]
		if slot.count == 0 {
			return false
		}
		if slot.key == key {
			break
		}
	}
	s := c.after(a)
	s.next = uint8(me ^ 1)
	return c.known(e.key, &s)
}

// after is the position that a move leads to, without the player to move; c.eff holds its effects.
func (c *coreW1) after(a Action) seenW1 {
	g, p := c.g, &c.pos
	e := &c.eff
	me := int(p.mover & 1)
	q := me ^ 1
	in := &g.acts[a]
	from, to := bitW1(int(in.from)), bitW1(int(in.to))
	s := seenW1{men: p.men, lead: p.lead, bound: p.bound.xor(e.bind.or(e.release).or(e.rescue)), hands: p.packedHands()}
	s.men[q] = s.men[q].andNot(e.capMen)
	s.lead[q] = s.lead[q].andNot(e.capLead)
	if e.self {
		to = bitsW1{}
	}
	if p.men[me].and(from).any() {
		s.men[me] = s.men[me].xor(from).or(to)
	} else {
		s.lead[me] = s.lead[me].xor(from).or(to)
	}
	return s
}

// tryRepeats makes the move to see whether it repeats: where the position that follows depends on who plays next.
func (c *coreW1) tryRepeats(a Action) bool {
	start := len(c.saved)
	c.saved = append(c.saved, c.sets...)
	total, ready, exact, stop, ban, risky := c.total, c.ready, c.exact, c.stop, c.ban, c.risky
	c.apply(a, c.push(a))
	p := &c.pos
	s := seenW1{men: p.men, lead: p.lead, bound: p.bound, hands: p.packedHands(), next: p.mover}
	found := c.known(p.key, &s)
	c.undo()
	c.sets = append(c.sets[:0], c.saved[start:]...)
	c.saved = c.saved[:start]
	c.total, c.ready, c.exact, c.stop, c.ban, c.risky = total, ready, exact, stop, ban, risky
	return found
}
