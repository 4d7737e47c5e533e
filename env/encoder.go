package env

import (
	"fmt"
	"math/bits"

	"latro/env/engine"
	"latro/env/rules"
)

// Encoder turns positions of one ruleset into network inputs and network outputs into actions. It is
// immutable and safe for concurrent use; build one per ruleset and share it.
//
// Everything is seen from the side of the player who moves: for player 1 the board is turned by 180 degrees
// (never reflected, since several start arrays are point-symmetric only) and owners are swapped, so that
// the mover's own side is always at row 0.
type Encoder struct {
	game    *engine.Game
	params  rules.Params
	rows    int
	cols    int
	squares int

	planes  []string
	globals []string
	dynamic int // how many of the globals depend on the position

	// index[id] is the offset of a plane's first value in an observation, -1 if the ruleset lacks it.
	index [numPlanes]int
	// piece[mover][p] is that offset for a piece's plane as the mover sees it. For Empty, and for a piece that
	// the ruleset has no plane for, it is that of the plane on-board, which is 1 anyway: so the loop over the
	// squares needs no branch, which on random positions would be mispredicted at every other square.
	piece [2][engine.Bound1 + 1]int
	// template holds what never changes for a mover: the planes (zero but for the static ones) and the
	// globals (zero but for the ruleset's part). Encode starts from a copy.
	template  [2][]float32
	gtemplate []float32
	// placeable[mover] marks absolute squares on which the mover may place if they are empty.
	placeable [2][4]uint64

	scale globalScale
	hash  []byte // of the rules, for saved environments

	frame      [2][]uint16 // an involution for player 1
	symmetries []FrameSymmetry
}

// NewEncoder returns the encoder of g's ruleset.
func NewEncoder(g *engine.Game) *Encoder {
	p := g.Params()
	e := &Encoder{
		game: g, params: p,
		rows: g.Rows(), cols: g.Cols(), squares: g.Squares(),
		hash: rulesetHash(p),
	}
	e.initPlanes()
	e.initGlobals()
	e.initFrame()
	return e
}

func (e *Encoder) initPlanes() {
	for id := range planeTable {
		if !planeTable[id].used(&e.params) {
			e.index[id] = -1
			continue
		}
		e.index[id] = len(e.planes) * e.squares
		e.planes = append(e.planes, planeTable[id].Name)
	}
	for mover := range e.piece {
		own := func(ours bool, own, enemy planeID) int {
			if !ours {
				own = enemy
			}
			return max(e.index[own], e.index[planeOnBoard])
		}
		e.piece[mover] = [engine.Bound1 + 1]int{
			engine.Empty:   e.index[planeOnBoard],
			engine.Man0:    own(mover == 0, planeOwnMen, planeEnemyMen),
			engine.Man1:    own(mover == 1, planeOwnMen, planeEnemyMen),
			engine.Leader0: own(mover == 0, planeOwnLeader, planeEnemyLeader),
			engine.Leader1: own(mover == 1, planeOwnLeader, planeEnemyLeader),
			engine.Bound0:  own(mover == 0, planeOwnBound, planeEnemyBound),
			engine.Bound1:  own(mover == 1, planeOwnBound, planeEnemyBound),
		}
		e.template[mover] = make([]float32, len(e.planes)*e.squares)
		e.initStatic(mover)
		e.initPlaceable(mover)
	}
}

// initStatic fills the planes that do not depend on the position.
func (e *Encoder) initStatic(mover int) {
	t := e.template[mover]
	set := func(id planeID, sq int) {
		if at := e.index[id]; at >= 0 {
			t[at+e.FrameSquare(mover, sq)] = 1
		}
	}
	for sq := range e.squares {
		row, col := sq/e.cols, sq%e.cols
		edgeRow, edgeCol := row == 0 || row == e.rows-1, col == 0 || col == e.cols-1
		set(planeOnBoard, sq)
		if edgeRow && edgeCol {
			set(planeHostileCorner, sq)
		}
		if edgeRow || edgeCol {
			set(planeExposedEdge, sq)
		}
	}
	for _, name := range e.params.Capture.Immune {
		set(planeImmune, e.namedSquare(name))
	}
}

func (e *Encoder) initPlaceable(mover int) {
	s := &e.params.Setup
	if s.Kind != "placement" {
		return
	}
	b := &e.placeable[mover]
	for sq := range e.squares {
		row := sq / e.cols
		if mover == 1 {
			row = e.rows - 1 - row
		}
		if s.Zone != "own-rows" || row < s.ZoneRows {
			b[sq>>6] |= 1 << (sq & 63)
		}
	}
	for _, name := range s.Forbidden {
		sq := e.namedSquare(name)
		b[sq>>6] &^= 1 << (sq & 63)
	}
}

// namedSquare resolves a square name of a ruleset that compiled, so a wrong one is a programmer error.
func (e *Encoder) namedSquare(name string) int {
	row, col, err := rules.ResolveSquare(name, e.rows, e.cols)
	if err != nil {
		panic(fmt.Sprintf("env: a compiled ruleset names the square %q: %v", name, err))
	}
	return row*e.cols + col
}

func (e *Encoder) initFrame() {
	n := e.game.NumActions()
	e.frame[0] = make([]uint16, n)
	for i := range e.frame[0] {
		e.frame[0][i] = uint16(i)
	}
	rotation := e.game.Rotation()
	e.frame[1] = e.permutation(&rotation)
	for _, s := range e.game.Symmetries() {
		e.symmetries = append(e.symmetries, FrameSymmetry{
			Name: s.Name, Square: append([]uint16(nil), s.Square...), Action: e.permutation(&s),
		})
	}
}

// permutation completes a symmetry's action table, which has no image for numbers that mean nothing (a step
// off the board), to a bijection of all policy indices: every plane goes to a plane as a whole, and every
// square of it where the symmetry takes it. The plane "raise", of which one square means something, stays
// as it is.
func (e *Encoder) permutation(s *engine.Symmetry) []uint16 {
	n := e.squares
	out := make([]uint16, e.game.NumActions())
	for plane := range len(e.game.Planes()) {
		to, turned := -1, true
		for sq := range n {
			image := s.Action[plane*n+sq]
			if image == engine.NoAction {
				continue
			}
			to = int(image) / n
			if ply, err := e.game.Decode(engine.Action(plane*n + sq)); err == nil && ply.Kind == engine.Raise {
				turned = false
			}
			break
		}
		if to < 0 {
			panic(fmt.Sprintf("env: symmetry %s has no image for action plane %s", s.Name, e.game.Planes()[plane]))
		}
		for sq := range n {
			image := sq
			if turned {
				image = int(s.Square[sq])
			}
			out[plane*n+sq] = uint16(to*n + image)
		}
	}
	pass := len(out) - 1
	out[pass] = uint16(pass)
	return out
}

// Game returns the compiled ruleset that the encoder was made for.
func (e *Encoder) Game() *engine.Game { return e.game }

// Rows returns the height of the board and of every plane.
func (e *Encoder) Rows() int { return e.rows }

// Cols returns the width of the board and of every plane.
func (e *Encoder) Cols() int { return e.cols }

// Planes returns the names of the observation planes in order; their number is the first dimension of an
// observation. AllPlanes has their meanings. The slice must not be written to.
func (e *Encoder) Planes() []string { return e.planes }

// Globals returns the names of the global inputs in order. The first DynamicGlobals of them depend on the
// position, the others are the ruleset's parameters and constant for this encoder. The list is the same for
// every ruleset of an EncodingVersion, whatever the board. The slice must not be written to.
func (e *Encoder) Globals() []string { return e.globals }

// DynamicGlobals returns how many of the leading global inputs depend on the position. The rest is constant
// for one ruleset, so a network may fold its share of the linear layer into a bias at load.
func (e *Encoder) DynamicGlobals() int { return e.dynamic }

// ActionPlanes returns the names of the action planes in order: network index (and action) =
// plane*(rows*cols) + square, and one more index, the last, for the pass. The slice must not be written to.
func (e *Encoder) ActionPlanes() []string { return e.game.Planes() }

// NumActions returns the length of a policy: planes*(rows*cols) + 1.
func (e *Encoder) NumActions() int { return e.game.NumActions() }

// ObsLen returns the length of an observation: planes*rows*cols.
func (e *Encoder) ObsLen() int { return len(e.planes) * e.squares }

// GlobalsLen returns the number of global inputs.
func (e *Encoder) GlobalsLen() int { return len(e.globals) }

// Encode writes what the player to move sees. obs is [planes][rows][cols], row-major, ObsLen values, each 0 or
// 1; globals has GlobalsLen values, each in [-1, 1]. Every value of both is written. It does not allocate,
// and panics when a buffer has another length. v comes from State.View of a state of this encoder's
// ruleset; in a position that is over, the view's mover (who would be next) is the viewer.
func (e *Encoder) Encode(v *engine.View, obs, globals []float32) {
	mover := int(v.Mover)
	if len(obs) != len(e.template[0]) || len(globals) != len(e.gtemplate) {
		panic(fmt.Sprintf("env: Encode needs buffers of %d and %d values, got %d and %d",
			len(e.template[0]), len(e.gtemplate), len(obs), len(globals)))
	}
	copy(obs, e.template[mover])
	copy(globals, e.gtemplate)

	// A square in the mover's frame is base + step*square: the half turn counts the squares backwards.
	base, step := 0, 1
	if mover == 1 {
		base, step = e.squares-1, -1
	}
	var packed uint64 // the number of each piece in 9 bits, which hold the 256 squares there are at most
	piece := &e.piece[mover]
	at := base
	for _, p := range v.Cells[:e.squares] {
		packed += 1 << (9 * p)
		obs[piece[p]+at] = 1
		at += step
	}
	var count [engine.Bound1 + 1]int
	for p := range count {
		count[p] = int(packed >> (9 * p) & 511)
	}
	if plane := e.index[planeActive]; plane >= 0 && v.Chain >= 0 {
		obs[plane+base+step*int(v.Chain)] = 1
	}
	if plane := e.index[planeLastFrom]; v.LastFrom >= 0 {
		obs[plane+base+step*int(v.LastFrom)] = 1
	}
	if plane := e.index[planeLastTo]; v.LastTo >= 0 {
		obs[plane+base+step*int(v.LastTo)] = 1
	}
	if plane := e.index[planeVisited]; plane >= 0 {
		setBits(obs[plane:plane+e.squares], &v.Visited, base, step)
	}
	if plane := e.index[planeBarred]; plane >= 0 {
		setBits(obs[plane:plane+e.squares], &v.Barred, base, step)
	}
	if plane := e.index[planePlaceable]; plane >= 0 && v.Phase == engine.Placement {
		free := &e.placeable[mover]
		for sq, p := range v.Cells[:e.squares] {
			if p == engine.Empty && free[sq>>6]>>(sq&63)&1 != 0 {
				obs[plane+base+step*sq] = 1
			}
		}
	}
	e.encodeGlobals(v, mover, &count, globals)
}

// setBits sets plane[base+step*sq] for every square sq of the set.
func setBits(plane []float32, set *[4]uint64, base, step int) {
	for w, word := range set {
		for word != 0 {
			sq := w<<6 + bits.TrailingZeros64(word)
			word &= word - 1
			if at := base + step*sq; at >= 0 && at < len(plane) {
				plane[at] = 1
			}
		}
	}
}
