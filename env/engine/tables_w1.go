package engine

import "math/bits"

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
	all        bitsW1
	dir        [directions]dirW1
	adjacent   [256]bitsW1             // by square: squares whose content decides whether an arrival has an effect
	leaves     []bitsW1                // by square: squares whose content decides whether a departure has an effect
	ortho      []bitsW1                // by square: orthogonal neighbours
	axialOrtho []bitsW1                // of them, those along the axes of capture
	inner      []bitsW1                // by square: neighbours along the axes of capture with a square beyond them
	atEdge     []bitsW1                // by square: orthogonal neighbours along the axes of capture with none
	axial      []bitsW1                // by square: neighbours along the axes of capture
	toward     [2*towardZero + 1]uint8 // by the difference of two neighbours' numbers, from -towardZero: the direction
	zone       [2]bitsW1
	immune     bitsW1
	corners    bitsW1
	step       [directions]int // difference of the numbers of two neighbours
	used       []int           // directions in which anything moves
	maxDist    [directions]int
	startMen   [2]bitsW1
	startLead  [2]bitsW1

	// For drawing plies: by square, the places that a man and a leader might go to, padded to the same number with the
	// square itself, which is never free.
	menSlots  slotsW1
	leadSlots slotsW1
	walks     placesW1
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

// slotsW1 holds n slots for each square; inverse is 2^32/n rounded up, for dividing by n.
type slotsW1 struct {
	n       uint32
	inverse uint64
	list    []slotW1
}

// placesW1 is what a walk draws from: the places of men in a smaller form, n for each square from number square*n on. The n
// after those of the last square are there for the leader, who stands in the list of men as often as makes its places
// as likely as theirs: they are always open, and their actions are their numbers.
type placesW1 struct {
	n       uint64
	leader  uint16 // the first of those
	leaders int    // how often the leader stands in the list
	list    *[maxPlaces]placeW1
}

// placeW1 is one place that a man might go to: it does if the squares of path are empty.
type placeW1 struct {
	path   bitsW1
	action Action
	from   uint8
	to     uint8
}

func newPlacesW1(g *Game, men, leads *slotsW1) placesW1 {
	if !g.cfg.plain {
		return placesW1{}
	}
	p := placesW1{n: uint64(men.n), list: new([maxPlaces]placeW1)}
	p.leaders = int((leads.n + men.n - 1) / men.n)
	for i := range men.list {
		s := &men.list[i]
		p.list[i] = placeW1{s.path, s.action, uint8(i / int(men.n)), s.to}
	}
	p.leader = uint16(len(men.list))
	for j := range int(men.n) {
		p.list[len(men.list)+j].action = Action(j)
	}
	return p
}

// draw draws one of the units in a list and one of its places until that is open. Each pair has the same probability. It
// gives up, with nil, when it has tried often.
func (p *placesW1) draw(src *source, list *[256]uint16, units uint64, occupied bitsW1) (k uint64, at *placeW1) {
	n, places := p.n, p.list
	bound := units * n
	high, low := src.high, src.low
	for try := walkTries; try > 0; try-- {
		var h, rest uint64
		h, low = bits.Mul64(low, lehmer)
		high = high*lehmer + h
		// This is the number below units*n of D. Lemire ("Fast Random Integer Generation in an Interval", 2019), found in two
		// steps so that its two parts need no division.
		k, rest = bits.Mul64(high, units)
		h, rest = bits.Mul64(rest, n)
		at = &places[(uint64(list[k&255])+h)&(maxPlaces-1)]
		if at.path.and(occupied).none() && (rest >= bound || unbiased(rest, bound)) {
			src.high, src.low = high, low
			return k, at
		}
	}
	src.high, src.low = high, low
	return 0, nil
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
	t.leaves = make([]bitsW1, g.squares)
	t.ortho = make([]bitsW1, g.squares)
	t.axial = make([]bitsW1, g.squares)
	t.axialOrtho = make([]bitsW1, g.squares)
	t.inner = make([]bitsW1, g.squares)
	t.atEdge = make([]bitsW1, g.squares)
	for sq := 0; sq < g.squares; sq++ {
		for _, d := range orthoDirs {
			t.ortho[sq] = t.ortho[sq].or(t.dir[d].of(bitW1(sq)))
		}
		for _, d := range c.axes {
			t.adjacent[sq] = t.adjacent[sq].or(t.dir[d].of(bitW1(sq)))
		}
		t.axial[sq] = t.adjacent[sq]
		for _, d := range c.axes {
			at := t.dir[d].of(bitW1(sq))
			if t.dir[d].of(at).any() {
				t.inner[sq] = t.inner[sq].or(at)
			} else if d < northEast {
				t.atEdge[sq] = t.atEdge[sq].or(at)
			}
			if d < northEast {
				t.axialOrtho[sq] = t.axialOrtho[sq].or(at)
			}
		}
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
	t.walks = newPlacesW1(g, &t.menSlots, &t.leadSlots)
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
