package mcts

import (
	"latro/env/engine"
	"latro/env/rules"
)

// Cells of a board: the engine's pieces (engine.Man0 and so on), 0 for an empty square, outside for what lies around
// the board.
const (
	outside = 7
	// maxCells is what the widest board needs with one column between its rows and a row above and below.
	maxCells = 18*17 + 1
)

// board is the pieces of a position as the evaluation and the ordering of plies read them: cells with a margin, so that a
// neighbour is one addition away, and the occupied squares of each side as bits. The engine's own position cannot be
// reached square by square fast enough.
type board struct {
	cells   [maxCells]uint8
	pieces  [2]set
	leaders set // of both sides, as are the bound men
	bound   set
}

// way is one step in a direction.
type way struct {
	cells    int  // to the next cell
	squares  int  // to the next square
	from     set  // the squares from which the step stays on the board
	straight bool // along a row or column
}

func (b *board) put(l *layout, sq int, p engine.Piece) {
	b.cells[l.cell[sq]] = uint8(p)
	x := one(sq)
	b.pieces[p.Owner()] = b.pieces[p.Owner()].or(x)
	if p.IsLeader() {
		b.leaders = b.leaders.or(x)
	} else if p.IsBound() {
		b.bound = b.bound.or(x)
	}
}

func (b *board) clear(l *layout, sq int) {
	b.cells[l.cell[sq]] = uint8(engine.Empty)
	x := one(sq)
	b.pieces[0], b.pieces[1] = b.pieces[0].without(x), b.pieces[1].without(x)
	b.leaders, b.bound = b.leaders.without(x), b.bound.without(x)
}

// plyShape is what an action does to the board, before its effects.
type plyShape struct {
	kind     engine.PlyKind
	from, to int16
}

// layout is what a game's board and rules are to board, worked out once a game. It is read-only.
type layout struct {
	squares    int
	empty      board
	cell       [256]uint16 // of a square
	square     [maxCells]uint8
	all, rim   set   // all squares, and those on the edge
	rings      []set // the squares at least 1, 2, ... away from the edges along their row, and the same along their column
	ways       []way // the four orthogonal ones, and the diagonal ones where capture goes along them; each before its opposite
	lines      []int // the first of the two ways along each line of custodial capture
	boardHolds bool  // edge or corners are captors
	immuneSet  set
	corners    set
	shape      []plyShape // of every action
	pass       engine.Action

	step  int     // between the rows of cells
	axes  []int   // one offset for each line of custodial capture; the other way along it is its negative
	moves []int   // offsets of the men's movement
	slide bool    // men slide
	row   bool    // whole lines are captured
	along [4]bool // for each of axes: whether more than one piece may be captured along it

	edgeHostile, cornerHostile, cornerUnlessOwn bool
	bind                                        bool
	leaders                                     bool
	leaderAsMan, leaderSurrounded, leaderSpans  bool
	leaderArrives, leaderStands                 bool
	corner, immune                              [maxCells]bool
	p                                           rules.Params
}

func newLayout(g *engine.Game) *layout {
	p := g.Params()
	rows, cols := g.Rows(), g.Cols()
	l := &layout{squares: g.Squares(), step: cols + 1, pass: g.Pass(), p: p}
	for i := range l.empty.cells {
		l.empty.cells[i] = outside
	}
	for r := range rows {
		for c := range cols {
			sq := r*cols + c
			at := (r+1)*l.step + c + 1
			l.cell[sq], l.square[at] = uint16(at), uint8(sq)
			l.empty.cells[at] = uint8(engine.Empty)
			toRow, toCol := min(r, rows-1-r), min(c, cols-1-c)
			l.corner[at] = toRow == 0 && toCol == 0
			if l.corner[at] {
				l.corners = l.corners.or(one(sq))
			}
			l.all = l.all.or(one(sq))
			if toRow == 0 || toCol == 0 {
				l.rim = l.rim.or(one(sq))
			}
		}
	}
	for k := 1; k <= (rows-1)/2; k++ {
		l.rings = append(l.rings, l.where(func(r, _ int) bool { return min(r, rows-1-r) >= k }))
	}
	for k := 1; k <= (cols-1)/2; k++ {
		l.rings = append(l.rings, l.where(func(_, c int) bool { return min(c, cols-1-c) >= k }))
	}
	toward := func(dr, dc int) way {
		return way{cells: dr*l.step + dc, squares: dr*cols + dc, straight: dr == 0 || dc == 0, from: l.where(func(r, c int) bool {
			return r+dr >= 0 && r+dr < rows && c+dc >= 0 && c+dc < cols
		})}
	}
	l.ways = []way{toward(0, 1), toward(0, -1), toward(1, 0), toward(-1, 0)}
	if p.Capture.Axes != "diagonal" {
		l.lines = append(l.lines, 0, 2)
	}
	if p.Capture.Axes != "orthogonal" {
		l.ways = append(l.ways, toward(1, 1), toward(-1, -1), toward(1, -1), toward(-1, 1))
		l.lines = append(l.lines, 4, 6)
	}
	l.shape = make([]plyShape, g.NumActions())
	for a := range l.shape {
		l.shape[a] = plyShape{kind: engine.Pass, from: -1, to: -1}
		if ply, err := g.Decode(engine.Action(a)); err == nil {
			l.shape[a] = plyShape{kind: ply.Kind, from: int16(ply.From), to: int16(ply.To)}
		}
	}
	orthogonal, diagonal := []int{1, l.step}, []int{l.step + 1, l.step - 1}
	offsets := func(word string) (o []int) {
		if word == "orthogonal" || word == "all" {
			o = append(o, orthogonal...)
		}
		if word == "diagonal" || word == "all" {
			o = append(o, diagonal...)
		}
		return o
	}
	l.axes = offsets(p.Capture.Axes)
	for _, o := range offsets(p.Movement.Men.Directions) {
		l.moves = append(l.moves, o, -o)
	}
	l.slide = p.Movement.Men.Range == "slide"
	l.row = p.Capture.Line == "row"
	for i, o := range l.axes {
		l.along[i] = l.row && (p.Capture.LineAxes != "horizontal" || o == 1)
	}
	l.edgeHostile = p.Capture.Edge == "hostile"
	l.cornerHostile = p.Capture.Corner != "neutral"
	l.boardHolds = l.edgeHostile || l.cornerHostile
	l.cornerUnlessOwn = p.Capture.Corner == "hostile-unless-own"
	for _, name := range p.Capture.Immune {
		if r, c, err := rules.ResolveSquare(name, rows, cols); err == nil {
			l.immune[l.cell[r*cols+c]] = true
			l.immuneSet = l.immuneSet.or(one(r*cols + c))
		}
	}
	l.bind = p.Capture.Effect == "bind"
	l.leaders = p.Pieces.Leaders > 0
	l.leaderAsMan = p.Capture.Leader == "as-man"
	l.leaderSurrounded = p.Capture.Leader == "surrounded"
	l.leaderSpans = p.Capture.LeaderInRow == "spans"
	l.leaderArrives = p.Capture.LeaderAsCaptor == "both" || p.Capture.LeaderAsCaptor == "arriving"
	l.leaderStands = p.Capture.LeaderAsCaptor == "both" || p.Capture.LeaderAsCaptor == "standing"
	return l
}

// where is the set of squares for which f holds.
func (l *layout) where(f func(row, col int) bool) (s set) {
	cols := l.step - 1
	for sq := range l.squares {
		if f(sq/cols, sq%cols) {
			s = s.or(one(sq))
		}
	}
	return s
}

// read fills b from a state.
func (b *board) read(l *layout, s *engine.State) {
	*b = l.empty
	for sq := range l.squares {
		if p := s.At(sq); p != engine.Empty {
			b.put(l, sq, p)
		}
	}
}

// follow brings b from the position before ply a to the position of s, which has just made it.
func (b *board) follow(l *layout, s *engine.State, a engine.Action, mover int) (irreversible bool) {
	x := &l.shape[a]
	switch x.kind {
	case engine.Move, engine.Hop:
		p := engine.Piece(b.cells[l.cell[x.from]])
		b.clear(l, int(x.from))
		b.put(l, int(x.to), p)
	case engine.PlaceMan:
		b.put(l, int(x.to), engine.Man0+engine.Piece(mover))
		irreversible = true
	case engine.PlaceLeader:
		b.put(l, int(x.to), engine.Leader0+engine.Piece(mover))
		irreversible = true
	case engine.Raise:
		return true
	case engine.Pass:
		if !l.bind {
			return false
		}
	}
	e := s.LastEffects()
	for _, sq := range e.Captured {
		b.clear(l, int(sq))
		irreversible = true
	}
	if e.Bound > 0 || e.Freed > 0 {
		// Effects do not say which men; look at all.
		for side := range b.pieces {
			for x := b.pieces[side]; x.any(); {
				sq := x.first()
				x = x.without(one(sq))
				p := s.At(sq)
				b.clear(l, sq)
				b.put(l, sq, p)
			}
		}
	}
	return irreversible
}

// owner of a cell's piece: 0 or 1; 2 for an empty square and what is outside.
var owner = [8]uint8{2, 0, 1, 0, 1, 0, 1, 2}

func isLeader(c uint8) bool { return c == uint8(engine.Leader0) || c == uint8(engine.Leader1) }
func isBound(c uint8) bool  { return c == uint8(engine.Bound0) || c == uint8(engine.Bound1) }

// standing says whether cell at, which lies behind a piece of victim's on an axis with offset o, closes the line: a captor
// of the other side stands there, or the board itself captures.
func (l *layout) standing(b *board, at, o int, victim uint8) bool {
	c := b.cells[at]
	if c == outside {
		return l.edgeHostile && (o == 1 || o == -1 || o == l.step || o == -l.step)
	}
	if owner[c] == 1-victim {
		return !isBound(c) && (l.leaderStands || !isLeader(c))
	}
	return l.cornerHostile && l.corner[at] && (o == 1 || o == -1 || o == l.step || o == -l.step) && !(l.cornerUnlessOwn && owner[c] == victim)
}

// takes estimates what a move takes: men, and LeaderWeight for a leader; 0 for plies that are no moves. It knows custodial
// capture in its usual forms. Corner pairs, rescues and the like are left to the engine: a ply is
// only ordered, or looked at or not by the search of captures, by what this says.
func (l *layout) takes(b *board, a engine.Action, mover uint8) (n int) {
	x := &l.shape[a]
	if x.kind == engine.Remove {
		return 1
	}
	if x.kind != engine.Move && x.kind != engine.Hop {
		return 0
	}
	from, to := int(l.cell[x.from]), int(l.cell[x.to])
	moved := b.cells[from]
	foe := 1 - mover
	b.cells[from] = uint8(engine.Empty)
	defer func() { b.cells[from] = moved }()
	if isLeader(moved) && !l.leaderArrives {
		return l.surrounds(b, to, foe)
	}
	for i, axis := range l.axes {
		for _, o := range [2]int{axis, -axis} {
			at := to + o
			if owner[b.cells[at]] != foe {
				continue
			}
			men := 0
			for {
				c := b.cells[at]
				if owner[c] != foe {
					break
				}
				if isLeader(c) {
					switch {
					case l.leaderAsMan:
						men += LeaderWeight
					case !l.leaderSpans:
						men = -1000
					}
				} else if !(l.bind && isBound(c)) && !l.immune[at] {
					men++
				}
				at += o
				if !l.along[i] {
					break
				}
			}
			if men > 0 && l.standing(b, at, o, foe) {
				n += men
			}
		}
	}
	return n + l.surrounds(b, to, foe)
}

// surrounds says whether a piece that arrives at cell to closes in the leader of foe.
func (l *layout) surrounds(b *board, to int, foe uint8) int {
	if !l.leaderSurrounded {
		return 0
	}
	around := [4]int{1, -1, l.step, -l.step}
	for _, o := range around {
		at := to + o
		if c := b.cells[at]; !isLeader(c) || owner[c] != foe {
			continue
		}
		closed := true
		for _, d := range around {
			c := b.cells[at+d]
			if at+d != to && c != outside && (owner[c] != 1-foe || isBound(c)) {
				closed = false
				break
			}
		}
		if closed {
			return 100 * LeaderWeight
		}
	}
	return 0
}

// reached says whether a captor of side can move to the empty cell at.
func (l *layout) reached(b *board, at int, side uint8) bool {
	for _, o := range l.moves {
		x := at + o
		for l.slide && b.cells[x] == uint8(engine.Empty) {
			x += o
		}
		// A leader is taken to move as men do.
		if c := b.cells[x]; owner[c] == side && !isBound(c) && (l.leaderArrives || !isLeader(c)) {
			return true
		}
	}
	return false
}
