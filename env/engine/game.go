package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"latro/env/rules"
)

// ErrInvalid is wrapped by every error that bad input causes: rules that cannot be played, a position string, a
// ply's text, an action number, view bytes.
var ErrInvalid = errors.New("engine: invalid input")

// ErrIllegal is wrapped by the error of a ply that the rules do not allow in the position.
var ErrIllegal = errors.New("engine: illegal ply")

func invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// The directions, in the order of the action planes.
const (
	north = iota
	east
	south
	west
	northEast
	southEast
	southWest
	northWest
	directions
)

var (
	dirNames  = [directions]string{"n", "e", "s", "w", "ne", "se", "sw", "nw"}
	dirRow    = [directions]int{1, 0, -1, 0, 1, -1, -1, 1}
	dirCol    = [directions]int{0, 1, 0, -1, 1, 1, -1, -1}
	opposite  = [directions]int{south, west, north, east, southWest, northWest, northEast, southEast}
	orthoDirs = []int{north, east, south, west}
	diagDirs  = []int{northEast, southEast, southWest, northWest}
)

// directionsOf gives the directions that a rules word means.
func directionsOf(word string) []int {
	switch word {
	case "orthogonal":
		return orthoDirs
	case "diagonal":
		return diagDirs
	case "all":
		return []int{north, east, south, west, northEast, southEast, southWest, northWest}
	}
	return nil
}

// How far a kind of piece goes in a direction: by itself, and when it hops.
const (
	reachNone uint8 = iota
	reachOne
	reachFar
)

// hopOver says which pieces may be hopped over.
type hopOver struct {
	ownFreeMen, ownBound, ownLeader, enemyFree, enemyBound bool
}

// mover is a compiled rules.Mover.
type mover struct {
	reach [directions]uint8
	hop   [directions]uint8
	over  hopOver
	hops  bool
	chain bool
}

// The moments at which a leader may be placed.
const (
	leaderNever uint8 = iota
	leaderAfterAllMen
	leaderLast
	leaderFirst
	leaderFirstOrLast
	leaderAny
)

// The ways in which a blocked player's turn is settled.
const (
	blockedPass uint8 = iota
	blockedLoses
	blockedCount
	blockedOpens
)

// The repetition rules.
const (
	repeatNone uint8 = iota
	repeatThreefold
	repeatPositional
	repeatSituational
)

// config is a rules.Params in the form in which the kernels ask for it.
type config struct {
	men, lead      mover
	haveLeaders    bool
	onlyIfCaptures bool
	boundHarmless  bool // bound enemies do not make a square dangerous
	undoBan        bool
	offerBefore    bool
	removalBarred  bool

	perTurn      uint8
	leaderWhen   uint8
	lastMovesFst bool
	agreementMax uint8
	placement    bool

	bind           bool
	axes           []int
	rowDir         [directions]bool // whole lines are taken in this direction
	singleLines    bool             // in none
	leaderAsMan    bool
	leaderSurround bool
	leaderSpans    bool
	capArriving    bool // a leader captures as the arriving piece
	capStanding    bool // a leader captures as the standing partner
	edgeHostile    bool
	cornerHostile  bool
	cornerUnless   bool
	cornerPair     bool
	betweenTaken   bool

	removal           bool // plies that remove exist
	removalEndsTurn   bool
	removalAny        bool
	removalAll        bool
	removalCompulsory bool
	cornerRescue      bool
	releaseByLanding  bool
	guardStays        bool // a guard that leaves frees nobody
	heldTwice         bool // a man held on another line stays bound

	bonus           bool
	bonusAny        bool
	bonusCompulsory bool
	bonusMust       bool

	repeat uint8

	endNextPlayer bool
	annihilate    bool
	annihilateMen bool
	annihilateAt  int
	annihilateEq  bool
	leaderLoses   bool
	leaderCount   bool
	immobileLoses bool
	blocked       uint8
	quietLimit    int32
	quietCount    bool
	tie           Outcome
	twoPasses     bool
	turnLimit     int32

	// plain says that playouts may go the short way (walk): men and leaders make steps or slides on rows and columns, captures
	// take pieces off, and a ply is legal unless a repetition rule that counts positions on the board forbids it.
	plain       bool
	plainSlides bool

	slowRepeat bool // whether a ply repeats a position cannot be told from its captures alone: it is tried out
}

// plane describes one action plane.
type plane struct {
	kind uint8
	dir  uint8
	dist uint8
}

// cornerPair says that a square is one of the two orthogonal neighbours of a corner, and which is the other.
type cornerPair struct{ corner, other int }

// Game is a ruleset compiled for play. It is immutable and safe for concurrent use; any number of States play by
// it at once.
type Game struct {
	params  rules.Params
	cfg     config
	rows    int
	cols    int
	squares int
	words   int // 64-bit words of a board: 1, 2 or 4

	planes     []plane
	planeNames []string
	planeAt    [directions][17]int16 // plane of a direction and distance, -1
	placeMan   int                   // planes, -1 if the ruleset has none
	placeLead  int
	removeAt   int
	raiseAt    int
	acts       []actInfo
	pass       Action
	lineOf     []int16 // from*squares+to: the plane that leads there, -1; nil unless needed

	zone      [2][]bool // where the player may place
	forbidden []bool
	immune    []bool
	start     []Piece
	pairs     [][]cornerPair // by square; nil entries are usual

	zMan   [2][256]uint64
	zLead  [2][256]uint64
	zBound [256]uint64
	zHand  [2][256]uint64
	zHandL [2][4]uint64
	zNext  uint64
	zOther uint64

	w1 *tablesW1
	w2 *tablesW2
	w4 *tablesW4

	symmetries []Symmetry
	rotation   Symmetry
}

// Compile turns parameters into a Game. It fails, with an error that wraps ErrInvalid and names every problem,
// where rules.Params.Validate finds one.
func Compile(p rules.Params) (*Game, error) {
	if problems := p.Validate(); len(problems) > 0 {
		errs := make([]error, 0, len(problems)+1)
		errs = append(errs, fmt.Errorf("%w: the rules cannot be played", ErrInvalid))
		for i := range problems {
			errs = append(errs, &problems[i])
		}
		return nil, errors.Join(errs...)
	}
	g := &Game{params: p, rows: p.Board.Rows, cols: p.Board.Cols}
	g.squares = g.rows * g.cols
	switch {
	case g.squares <= 64:
		g.words = 1
	case g.squares <= 128:
		g.words = 2
	default:
		g.words = 4
	}
	g.compileConfig()
	if err := g.compileSquares(); err != nil {
		return nil, err
	}
	g.compileActions()
	g.compileKeys()
	switch g.words {
	case 1:
		g.w1 = newTablesW1(g)
	case 2:
		g.w2 = newTablesW2(g)
	default:
		g.w4 = newTablesW4(g)
	}
	g.compileSymmetries()
	return g, nil
}

func compileMover(m rules.Mover) mover {
	var out mover
	for _, d := range directionsOf(m.Directions) {
		switch m.Range {
		case "step":
			out.reach[d] = reachOne
		case "slide":
			out.reach[d] = reachFar
		}
	}
	if len(m.HopOver) == 0 {
		return out
	}
	for _, d := range directionsOf(m.HopDirections) {
		out.hops = true
		out.hop[d] = reachOne
		if m.HopLength == "row" {
			out.hop[d] = reachFar
		}
	}
	out.chain = m.HopChain
	for _, o := range m.HopOver {
		switch o {
		case "own-free":
			out.over.ownFreeMen, out.over.ownLeader = true, true
		case "own-bound":
			out.over.ownBound = true
		case "own-men":
			out.over.ownFreeMen, out.over.ownBound = true, true
		case "enemy-free":
			out.over.enemyFree = true
		case "enemy-bound":
			out.over.enemyBound = true
		}
	}
	return out
}

func (g *Game) compileConfig() {
	p, c := &g.params, &g.cfg
	c.men = compileMover(p.Movement.Men)
	c.haveLeaders = p.Pieces.Leaders > 0
	if c.haveLeaders {
		c.lead = compileMover(p.Movement.Leaders)
	}
	c.onlyIfCaptures = p.Movement.BetweenEnemies == "only-if-it-captures"
	c.boundHarmless = p.Movement.BetweenBound == "ignored"
	c.undoBan = p.Movement.Undo == "forbidden"
	c.offerBefore = p.Movement.ChainOffer == "before-effects"
	c.removalBarred = p.Movement.RemovalSquare == "barred"

	c.placement = p.Setup.Kind == "placement"
	c.perTurn = uint8(max(1, p.Setup.PerTurn))
	c.leaderWhen = map[string]uint8{"after-all-men": leaderAfterAllMen, "last": leaderLast, "first": leaderFirst,
		"first-or-last": leaderFirstOrLast, "any": leaderAny}[p.Setup.Leader]
	c.lastMovesFst = p.Setup.FirstMover == "last-placer"
	if c.placement {
		c.agreementMax = uint8(p.Setup.AgreementMax)
	}

	c.bind = p.Capture.Effect == "bind"
	c.axes = directionsOf(p.Capture.Axes)
	if p.Capture.Line == "row" {
		for _, d := range c.axes {
			c.rowDir[d] = p.Capture.LineAxes != "horizontal" || d == east || d == west
		}
	}
	c.singleLines = p.Capture.Line != "row"
	c.leaderAsMan = p.Capture.Leader == "as-man"
	c.leaderSurround = p.Capture.Leader == "surrounded"
	c.leaderSpans = p.Capture.LeaderInRow == "spans"
	c.capArriving = p.Capture.LeaderAsCaptor == "arriving" || p.Capture.LeaderAsCaptor == "both"
	c.capStanding = p.Capture.LeaderAsCaptor == "standing" || p.Capture.LeaderAsCaptor == "both"
	c.edgeHostile = p.Capture.Edge == "hostile"
	c.cornerHostile = p.Capture.Corner == "hostile" || p.Capture.Corner == "hostile-unless-own"
	c.cornerUnless = p.Capture.Corner == "hostile-unless-own"
	c.cornerPair = p.Capture.CornerPair
	c.betweenTaken = p.Capture.MovingBetween == "taken"

	b := &p.Binding
	c.removalAll = c.bind && b.Removal != "none" && b.RemovalNumber == "all"
	c.removal = c.bind && b.Removal != "none" && !c.removalAll
	c.removalEndsTurn = b.Removal == "instead-of-move"
	c.removalAny = b.RemovalNumber == "any"
	c.removalCompulsory = c.removal && b.RemovalCompulsory
	c.cornerRescue = b.CornerRescue
	c.releaseByLanding = b.ReleaseByLanding
	c.guardStays = b.GuardLeaves == "stays"
	c.heldTwice = b.HeldTwice == "stays"

	c.bonus = p.Bonus.After == "capture"
	c.bonusAny = p.Bonus.Piece == "any"
	c.bonusCompulsory = p.Bonus.Compulsory
	c.bonusMust = p.Bonus.MustCapture

	c.repeat = map[string]uint8{"threefold-draw": repeatThreefold, "positional-superko": repeatPositional,
		"situational-superko": repeatSituational}[p.Repetition.Rule]

	e := &p.End
	c.endNextPlayer = e.Checked == "next-player"
	c.annihilate = e.Annihilation != "none"
	c.annihilateMen = e.Annihilation == "men"
	c.annihilateAt = e.AnnihilationAt
	c.annihilateEq = e.AnnihilationExact
	c.leaderLoses = e.LeaderCaptured == "loses"
	c.leaderCount = e.LeaderCaptured == "count"
	c.immobileLoses = e.LeaderImmobilised == "loses"
	c.blocked = map[string]uint8{"loses": blockedLoses, "count": blockedCount, "opponent-opens": blockedOpens}[e.Blocked]
	c.quietLimit = int32(e.NoCaptureLimit)
	c.quietCount = e.NoCaptureResult == "count"
	c.tie = map[string]Outcome{"player-0": Win0, "player-1": Win1}[e.Tie]
	if c.tie == Ongoing {
		c.tie = Draw
	}
	c.twoPasses = e.TwoPasses == "draw"
	c.turnLimit = int32(e.TurnLimit)

	c.plain, c.plainSlides = c.isPlain()
	multi := c.bonus || c.men.chain || c.lead.chain || c.removal
	c.slowRepeat = c.removalAll && (c.repeat == repeatPositional || c.repeat == repeatSituational) || multi && c.repeat == repeatSituational
}

// isPlain says whether walk can play by the rules, and whether men slide.
func (c *config) isPlain() (plain, slides bool) {
	reach := c.men.reach[north]
	plain = reach != reachNone && !c.men.hops && !c.lead.chain && !c.bind && !c.betweenTaken && !c.onlyIfCaptures && !c.undoBan &&
		!c.immobileLoses && !c.bonusAny && !c.bonusMust && c.blocked != blockedOpens && c.repeat != repeatSituational && !c.cornerPair &&
		c.agreementMax == 0
	for d := range directions {
		want := reachNone
		if d < northEast {
			want = reach
		}
		if c.men.reach[d] != want || c.haveLeaders && c.lead.reach[d] != want || c.lead.hop[d] == reachFar || d >= northEast && c.lead.hop[d] != reachNone {
			plain = false
		}
		if d < northEast && c.lead.hops && c.lead.hop[d] != reachOne {
			plain = false
		}
	}
	return plain, reach == reachFar
}

func (g *Game) squareSet(names []string) ([]bool, error) {
	set := make([]bool, g.squares)
	for _, name := range names {
		row, col, err := rules.ResolveSquare(name, g.rows, g.cols)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		set[row*g.cols+col] = true
	}
	return set, nil
}

func (g *Game) compileSquares() error {
	var err error
	if g.forbidden, err = g.squareSet(g.params.Setup.Forbidden); err != nil {
		return err
	}
	if g.immune, err = g.squareSet(g.params.Capture.Immune); err != nil {
		return err
	}
	g.start = make([]Piece, g.squares)
	if !g.cfg.placement {
		for i, line := range g.params.Setup.Array {
			row := g.rows - 1 - i
			for col := 0; col < g.cols; col++ {
				piece, ok := pieceOf(line[col])
				if !ok || piece.IsBound() {
					return invalidf("setup.array: %q is no piece; use . a b A B", line[col])
				}
				g.start[row*g.cols+col] = piece
			}
		}
	}
	for p := range g.zone {
		g.zone[p] = make([]bool, g.squares)
		for sq := range g.zone[p] {
			row := sq / g.cols
			ok := !g.forbidden[sq]
			if g.params.Setup.Zone == "own-rows" {
				n := g.params.Setup.ZoneRows
				ok = ok && (p == 0 && row < n || p == 1 && row >= g.rows-n)
			}
			g.zone[p][sq] = ok && g.cfg.placement
		}
	}
	g.pairs = make([][]cornerPair, g.squares)
	if g.cfg.cornerPair {
		for _, corner := range g.corners() {
			var next []int
			for _, d := range orthoDirs {
				if sq := g.neighbour(corner, d, 1); sq >= 0 {
					next = append(next, sq)
				}
			}
			g.pairs[next[0]] = append(g.pairs[next[0]], cornerPair{corner, next[1]})
			g.pairs[next[1]] = append(g.pairs[next[1]], cornerPair{corner, next[0]})
		}
	}
	return nil
}

func (g *Game) corners() []int {
	return []int{0, g.cols - 1, g.squares - g.cols, g.squares - 1}
}

// neighbour is the square dist steps from sq in direction d, or -1 off the board.
func (g *Game) neighbour(sq, d, dist int) int {
	row, col := sq/g.cols+dirRow[d]*dist, sq%g.cols+dirCol[d]*dist
	if row < 0 || row >= g.rows || col < 0 || col >= g.cols {
		return -1
	}
	return row*g.cols + col
}

func (g *Game) compileActions() {
	c := &g.cfg
	longest := [directions]int{g.rows - 1, g.cols - 1, g.rows - 1, g.cols - 1}
	for _, d := range diagDirs {
		longest[d] = min(g.rows, g.cols) - 1
	}
	for d := range g.planeAt {
		for k := range g.planeAt[d] {
			g.planeAt[d][k] = -1
		}
		for k := 1; k <= longest[d]; k++ {
			use := false
			for _, m := range []*mover{&c.men, &c.lead} {
				use = use || m.reach[d] == reachFar || m.reach[d] == reachOne && k == 1
				use = use || m.hop[d] == reachFar && k >= 2 || m.hop[d] == reachOne && k == 2
			}
			if use {
				g.planeAt[d][k] = int16(len(g.planes))
				g.planes = append(g.planes, plane{actMove, uint8(d), uint8(k)})
				g.planeNames = append(g.planeNames, fmt.Sprintf("%s%d", dirNames[d], k))
			}
		}
	}
	add := func(use bool, kind uint8, name string) int {
		if !use {
			return -1
		}
		g.planes = append(g.planes, plane{kind: kind})
		g.planeNames = append(g.planeNames, name)
		return len(g.planes) - 1
	}
	g.placeMan = add(c.placement, actPlaceMan, "place-man")
	g.placeLead = add(c.placement && c.haveLeaders, actPlaceLeader, "place-leader")
	g.removeAt = add(c.removal, actRemove, "remove")
	g.raiseAt = add(c.agreementMax > 0, actRaise, "raise")

	g.acts = make([]actInfo, len(g.planes)*g.squares+1)
	for i, pl := range g.planes {
		for sq := 0; sq < g.squares; sq++ {
			a := &g.acts[i*g.squares+sq]
			*a = actInfo{from: -1, to: -1, mid: -1, dir: pl.dir, dist: pl.dist}
			switch pl.kind {
			case actMove:
				if to := g.neighbour(sq, int(pl.dir), int(pl.dist)); to >= 0 {
					a.kind, a.from, a.to = actMove, int16(sq), int16(to)
					if pl.dist > 1 {
						a.mid = int16(g.neighbour(sq, int(pl.dir), 1))
					}
				}
			case actPlaceMan, actPlaceLeader:
				a.kind, a.to = pl.kind, int16(sq)
			case actRemove:
				a.kind, a.from = pl.kind, int16(sq)
			case actRaise:
				if sq == 0 {
					a.kind = pl.kind
				}
			}
		}
	}
	g.pass = Action(len(g.acts) - 1)
	g.acts[g.pass] = actInfo{from: -1, to: -1, mid: -1, kind: actPass}

	if c.undoBan {
		g.lineOf = make([]int16, g.squares*g.squares)
		for i := range g.lineOf {
			g.lineOf[i] = -1
		}
		for a := range g.acts {
			if in := &g.acts[a]; in.kind == actMove {
				g.lineOf[int(in.from)*g.squares+int(in.to)] = int16(a / g.squares)
			}
		}
	}
}

// compileKeys fills the zobrist tables. The seed is fixed, so that hashes are the same in every run.
func (g *Game) compileKeys() {
	rng := rand.New(rand.NewPCG(0x6c6174726f, 0x7a6f6272697374))
	for p := 0; p < 2; p++ {
		for sq := 0; sq < 256; sq++ {
			g.zMan[p][sq] = rng.Uint64()
			g.zLead[p][sq] = rng.Uint64()
			g.zHand[p][sq] = rng.Uint64()
		}
		for i := range g.zHandL[p] {
			g.zHandL[p][i] = rng.Uint64()
		}
	}
	for sq := range g.zBound {
		g.zBound[sq] = rng.Uint64()
	}
	g.zNext, g.zOther = rng.Uint64(), rng.Uint64()
}

// Params returns the parameters the game was compiled from. The slices in them are not to be changed.
func (g *Game) Params() rules.Params { return g.params }

// Rows is the number of rows, 3 to 16.
func (g *Game) Rows() int { return g.rows }

// Cols is the number of columns, 3 to 16.
func (g *Game) Cols() int { return g.cols }

// Squares is Rows times Cols. Squares are numbered row*Cols+col from player 0's left-hand corner.
func (g *Game) Squares() int { return g.squares }

// NumActions is the number of actions: actions are 0 to NumActions-1.
func (g *Game) NumActions() int { return len(g.acts) }

// Planes names the action planes in order: "n1", "ne2" and so on for steps, slides and hops by direction and
// distance, indexed by the square of origin, then those of "place-man", "place-leader", "remove" and "raise" that
// the ruleset can use. "raise" uses only square 0.
func (g *Game) Planes() []string { return slices.Clone(g.planeNames) }

// Pass is the action of passing, of stopping a hop chain and of declining a bonus: NumActions-1.
func (g *Game) Pass() Action { return g.pass }

// Decode says what an action means on the empty board: a move by two or more squares is given as Move, though it
// may be a Hop on a given board (State.PlyOf tells). It fails for numbers out of range and for moves off the board.
func (g *Game) Decode(a Action) (Ply, error) {
	if int(a) >= len(g.acts) {
		return Ply{From: -1, To: -1}, invalidf("action %d: the ruleset has actions 0 to %d", a, len(g.acts)-1)
	}
	in := &g.acts[a]
	ply := Ply{From: int(in.from), To: int(in.to)}
	switch in.kind {
	case actMove:
		ply.Kind = Move
	case actPlaceMan:
		ply.Kind = PlaceMan
	case actPlaceLeader:
		ply.Kind = PlaceLeader
	case actRemove:
		ply.Kind = Remove
	case actRaise:
		ply.Kind = Raise
	case actPass:
		ply.Kind = Pass
	default:
		sq := int(a) % g.squares
		return Ply{From: -1, To: -1}, invalidf("action %d: plane %s leads off the board from %s", a, g.planeNames[int(a)/g.squares], g.squareName(sq))
	}
	return ply, nil
}

func (g *Game) squareName(sq int) string { return rules.SquareName(sq/g.cols, sq%g.cols) }
