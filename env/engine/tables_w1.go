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
	adjacent  []bitsW1 // by square: squares whose content decides whether an arrival has an effect
	leaves    []bitsW1 // by square: squares whose content decides whether a departure has an effect
	ortho     []bitsW1 // by square: orthogonal neighbours
	zone      [2]bitsW1
	immune    bitsW1
	corners   bitsW1
	used      []int // directions in which anything moves
	maxDist   [directions]int
	startMen  [2]bitsW1
	startLead [2]bitsW1
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
	for sq := 0; sq < g.squares; sq++ {
		for _, d := range orthoDirs {
			t.ortho[sq] = t.ortho[sq].or(t.dir[d].of(bitW1(sq)))
		}
		for _, d := range c.axes {
			t.adjacent[sq] = t.adjacent[sq].or(t.dir[d].of(bitW1(sq)))
		}
		for _, pair := range g.pairs[sq] {
			t.adjacent[sq] = t.adjacent[sq].or(bitW1(pair.corner))
		}
		t.leaves[sq] = t.adjacent[sq]
		if c.leaderSurround {
			t.adjacent[sq] = t.adjacent[sq].or(t.ortho[sq])
		}
	}
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
