package engine

// Symmetry is a mapping of squares and actions. Square[old] and Action[old] are the new numbers. An action that leads
// off the board maps to NoAction.
type Symmetry struct {
	// Name is "identity", "rotate-90", "rotate-180", "rotate-270" (anticlockwise), "mirror-files" (left and right change),
	// "mirror-ranks", "mirror-diagonal" (a1 stays) or "mirror-antidiagonal".
	Name   string
	Square []uint16
	Action []Action
}

// shape is one of the eight symmetries of the square as a matrix: new (row, col) about the centre.
type shape struct {
	name           string
	rr, rc, cr, cc int
}

var shapes = [...]shape{
	{"identity", 1, 0, 0, 1},
	{"rotate-180", -1, 0, 0, -1},
	{"mirror-files", 1, 0, 0, -1},
	{"mirror-ranks", -1, 0, 0, 1},
	{"rotate-90", 0, 1, -1, 0},
	{"rotate-270", 0, -1, 1, 0},
	{"mirror-diagonal", 0, 1, 1, 0},
	{"mirror-antidiagonal", 0, -1, -1, 0},
}

// Symmetries returns the symmetries of the board that leave the whole game as it is, players included: the pieces'
// moves and captures, zones, start position, forbidden and immune squares. The identity is the first.
func (g *Game) Symmetries() []Symmetry { return append([]Symmetry(nil), g.symmetries...) }

// Rotation returns the turn by 180 degrees, which brings player 1's side down. It is not always one of Symmetries. All
// action planes exist in both directions, so it maps every action.
func (g *Game) Rotation() Symmetry { return g.rotation }

func (g *Game) compileSymmetries() {
	for _, sh := range shapes {
		if sh.rr == 0 && g.rows != g.cols {
			continue
		}
		sym := g.symmetryOf(sh)
		if sh.name == "rotate-180" {
			g.rotation = sym
		}
		if g.keeps(sh, &sym) {
			g.symmetries = append(g.symmetries, sym)
		}
	}
}

// symmetryOf builds the tables of a shape. A plane whose image the ruleset lacks maps to NoAction.
func (g *Game) symmetryOf(sh shape) Symmetry {
	sym := Symmetry{Name: sh.name, Square: make([]uint16, g.squares), Action: make([]Action, len(g.acts))}
	for sq := range sym.Square {
		// Twice the distance from the centre, so that even boards have whole numbers.
		row, col := 2*(sq/g.cols)-(g.rows-1), 2*(sq%g.cols)-(g.cols-1)
		r, c := sh.rr*row+sh.rc*col, sh.cr*row+sh.cc*col
		sym.Square[sq] = uint16((r+g.rows-1)/2*g.cols + (c+g.cols-1)/2)
	}
	for a := range g.acts {
		in := &g.acts[a]
		to := NoAction
		switch in.kind {
		case actMove:
			if pl := g.planeTo(int(sym.Square[in.from]), int(sym.Square[in.to])); pl >= 0 {
				to = Action(pl*g.squares + int(sym.Square[in.from]))
			}
		case actPlaceMan, actPlaceLeader:
			to = Action(a/g.squares*g.squares + int(sym.Square[in.to]))
		case actRemove:
			to = Action(a/g.squares*g.squares + int(sym.Square[in.from]))
		case actRaise, actPass:
			to = Action(a)
		}
		sym.Action[a] = to
	}
	return sym
}

func (sh shape) direction(d int) int {
	r, c := sh.rr*dirRow[d]+sh.rc*dirCol[d], sh.cr*dirRow[d]+sh.cc*dirCol[d]
	for e := range dirRow {
		if dirRow[e] == r && dirCol[e] == c {
			return e
		}
	}
	return d
}

// keeps says whether the shape leaves the rules as they are.
func (g *Game) keeps(sh shape, sym *Symmetry) bool {
	c := &g.cfg
	for d := 0; d < directions; d++ {
		e := sh.direction(d)
		if c.men.reach[d] != c.men.reach[e] || c.men.hop[d] != c.men.hop[e] || c.lead.reach[d] != c.lead.reach[e] ||
			c.lead.hop[d] != c.lead.hop[e] || c.rowDir[d] != c.rowDir[e] {
			return false
		}
	}
	for sq, to := range sym.Square {
		if g.start[sq] != g.start[to] || g.immune[sq] != g.immune[to] || g.zone[0][sq] != g.zone[0][to] || g.zone[1][sq] != g.zone[1][to] {
			return false
		}
	}
	return true
}
