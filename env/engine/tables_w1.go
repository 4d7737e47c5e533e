package engine

// dirW1 moves a set of squares one step in a direction.
type dirW1 struct {
	mask bitsW1 // squares that have a neighbour in this direction
	by   uint8
	high bool // towards higher numbers
}

func (d *dirW1) of(x bitsW1) bitsW1 {
	x = x.and(d.mask)
	if d.high {
		return x.up(d.by)
	}
	return x.down(d.by)
}

// tablesW1 is the part of a Game that depends on the width of its boards.
type tablesW1 struct {
	all       bitsW1
	dir       [directions]dirW1
	adjacent  []bitsW1                // by square: squares whose content decides whether an arrival has an effect
	leaves    []bitsW1                // by square: squares whose content decides whether a departure has an effect
	ortho     []bitsW1                // by square: orthogonal neighbours
	axial     []bitsW1                // by square: neighbours along the axes of capture
	toward    [2*towardZero + 1]uint8 // by the difference of two neighbours' numbers, from -towardZero: the direction
	zone      [2]bitsW1
	immune    bitsW1
	corners   bitsW1
	step      [directions]int // difference of the numbers of two neighbours
	used      []int           // directions in which anything moves
	maxDist   [directions]int
	startMen  [2]bitsW1
	startLead [2]bitsW1

	// For drawing plies: by square, the places that a man and a leader might go to, padded to the same number with the
	// square itself, which is never free.
	menSlots  slotsW1
	leadSlots slotsW1
	crowd     int // with more men than this, plies are listed rather than tried, where men slide
}

// slotW1 is one place that a piece might go to.
type slotW1 struct {
	between bitsW1 // squares on the way
	path    bitsW1 // and the place itself
	action  Action
	to      uint8
	dist    uint8
	slides  bool // the piece gets there by itself
	hops    bool // the piece gets there by a hop
}

// goes says whether a piece gets there on a board with the given pieces on it, some of which it may hop over.
func (s *slotW1) goes(occupied, over bitsW1) bool {
	if s.path.and(occupied).none() {
		return s.slides
	}
	return s.hops && !occupied.has(int(s.to)) && s.between.andNot(over).none()
}

// slotsW1 holds n slots for each square; inverse is 2^32/n rounded up, for dividing by n.
type slotsW1 struct {
	n       uint32
	inverse uint64
	list    []slotW1
}

func newSlotsW1(g *Game, m *mover) slotsW1 {
	var s slotsW1
	bySquare := make([][]slotW1, g.squares)
	for sq := range bySquare {
		for d := range directions {
			between := bitsW1{}
			for k := 1; ; k++ {
				to := g.neighbour(sq, d, k)
				if to < 0 {
					break
				}
				slides := m.reach[d] == reachFar || m.reach[d] == reachOne && k == 1
				hops := m.hop[d] == reachFar && k > 1 || m.hop[d] == reachOne && k == 2
				if slides || hops {
					a := Action(int(g.planeAt[d][k])*g.squares + sq)
					bySquare[sq] = append(bySquare[sq], slotW1{between, between.or(bitW1(to)), a, uint8(to), uint8(k), slides, hops})
				}
				between = between.or(bitW1(to))
			}
		}
		s.n = max(s.n, uint32(len(bySquare[sq])))
	}
	if s.n == 0 {
		return s
	}
	s.inverse = (1<<32)/uint64(s.n) + 1
	for sq, list := range bySquare {
		for uint32(len(list)) < s.n {
			list = append(list, slotW1{path: bitW1(sq), to: uint8(sq), dist: 1, slides: true, action: NoAction})
		}
		s.list = append(s.list, list...)
	}
	return s
}

func newTablesW1(g *Game) *tablesW1 {
	t := &tablesW1{}
	set := func(in []bool) (b bitsW1) {
		for sq, ok := range in {
			if ok {
				b = b.or(bitW1(sq))
			}
		}
		return b
	}
	for sq := 0; sq < g.squares; sq++ {
		t.all = t.all.or(bitW1(sq))
	}
	for d := range t.dir {
		step := dirRow[d]*g.cols + dirCol[d]
		t.step[d] = step
		t.toward[step+towardZero] = uint8(d)
		t.dir[d].high = step > 0
		t.dir[d].by = uint8(max(step, -step))
		for sq := 0; sq < g.squares; sq++ {
			if g.neighbour(sq, d, 1) >= 0 {
				t.dir[d].mask = t.dir[d].mask.or(bitW1(sq))
			}
		}
		for k, pl := range g.planeAt[d] {
			if pl >= 0 {
				t.maxDist[d] = k
			}
		}
		if t.maxDist[d] > 0 {
			t.used = append(t.used, d)
		}
	}
	c := &g.cfg
	t.adjacent = make([]bitsW1, g.squares)
	t.leaves = make([]bitsW1, g.squares)
	t.ortho = make([]bitsW1, g.squares)
	t.axial = make([]bitsW1, g.squares)
	for sq := 0; sq < g.squares; sq++ {
		for _, d := range orthoDirs {
			t.ortho[sq] = t.ortho[sq].or(t.dir[d].of(bitW1(sq)))
		}
		for _, d := range c.axes {
			t.adjacent[sq] = t.adjacent[sq].or(t.dir[d].of(bitW1(sq)))
		}
		t.axial[sq] = t.adjacent[sq]
		for _, pair := range g.pairs[sq] {
			t.adjacent[sq] = t.adjacent[sq].or(bitW1(pair.corner))
		}
		t.leaves[sq] = t.adjacent[sq]
		if c.leaderSurround {
			t.adjacent[sq] = t.adjacent[sq].or(t.ortho[sq])
		}
	}
	t.menSlots = newSlotsW1(g, &c.men)
	t.leadSlots = newSlotsW1(g, &c.lead)
	t.crowd = g.squares * crowdPercent / 100
	for p := range t.zone {
		t.zone[p] = set(g.zone[p])
	}
	t.immune = set(g.immune)
	for _, sq := range g.corners() {
		t.corners = t.corners.or(bitW1(sq))
	}
	for sq, piece := range g.start {
		switch piece {
		case Man0, Man1:
			t.startMen[piece.Owner()] = t.startMen[piece.Owner()].or(bitW1(sq))
		case Leader0, Leader1:
			t.startLead[piece.Owner()] = t.startLead[piece.Owner()].or(bitW1(sq))
		}
	}
	return t
}
