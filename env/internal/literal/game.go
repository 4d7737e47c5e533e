package literal

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"latro/env/rules"
)

// square is a place on the board; it may lie outside, and then holds the character '#'.
type square struct{ row, col int }

func (s square) plus(d direction, n int) square { return square{s.row + n*d.row, s.col + n*d.col} }

func (s square) String() string { return strconv.Itoa(s.row) + "." + strconv.Itoa(s.col) }

// direction is one step on the board.
type direction struct{ row, col int }

var (
	orthogonal = []direction{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	diagonal   = []direction{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
)

// directions turns the words "none", "orthogonal", "diagonal" and "all" of the parameters into directions.
func directions(word string) []direction {
	switch word {
	case "orthogonal":
		return orthogonal
	case "diagonal":
		return diagonal
	case "all":
		return append(slices.Clone(orthogonal), diagonal...)
	}
	return nil
}

func (d direction) isOrthogonal() bool { return d.row == 0 || d.col == 0 }
func (d direction) isHorizontal() bool { return d.row == 0 }

// board is rows of characters, row 0 first.
type board [][]byte

func (b board) at(s square) byte {
	if s.row < 0 || s.row >= len(b) || s.col < 0 || s.col >= len(b[0]) {
		return '#'
	}
	return b[s.row][s.col]
}

func (b board) put(s square, piece byte) { b[s.row][s.col] = piece }

func (b board) clone() board {
	c := make(board, len(b))
	for r := range b {
		c[r] = slices.Clone(b[r])
	}
	return c
}

func (b board) String() string {
	var text strings.Builder
	for _, row := range b {
		text.Write(row)
	}
	return text.String()
}

// squares lists every square of the board.
func (b board) squares() []square {
	all := make([]square, 0, len(b)*len(b[0]))
	for r := range b {
		for c := range b[r] {
			all = append(all, square{r, c})
		}
	}
	return all
}

// corners lists the four corner squares.
func (b board) corners() []square {
	top, right := len(b)-1, len(b[0])-1
	return []square{{0, 0}, {0, right}, {top, 0}, {top, right}}
}

func (b board) isCorner(s square) bool { return slices.Contains(b.corners(), s) }

// The characters of player p's pieces.
func man(p int) byte      { return "ab"[p] }
func leader(p int) byte   { return "AB"[p] }
func boundMan(p int) byte { return "xy"[p] }

// owner is the player a piece belongs to, -1 for an empty square or a place outside the board.
func owner(piece byte) int {
	switch piece {
	case 'a', 'A', 'x':
		return 0
	case 'b', 'B', 'y':
		return 1
	}
	return -1
}

func isLeader(piece byte) bool { return piece == 'A' || piece == 'B' }
func isBound(piece byte) bool  { return piece == 'x' || piece == 'y' }

// ply is one atomic decision. kind is the first letter of its text; from and to are used as the kind needs
// them (to alone for placements and removals).
type ply struct {
	kind     byte
	from, to square
}

func (p ply) String() string {
	switch p.kind {
	case 'P', 'D', 'X':
		return string(p.kind) + p.to.String()
	case 'M', 'H':
		return string(p.kind) + p.from.String() + "-" + p.to.String()
	}
	return string(p.kind)
}

// hand is what a player has still to place.
type hand struct{ men, leaders int }

// position is everything that a ply changes, except what the repetition rules remember.
type position struct {
	board board
	hands [2]hand
	mover int
	phase string // "agreement", "placement", "movement"

	firstPlacer int // who placed the first piece; -1 before

	turnPlies []ply    // plies of the current turn so far: a turn is a run of plies by one player
	lastTurn  [2][]ply // the latest finished turn of each player
	turn      int      // number of the turn that the last ply belonged to, from 1
	quiet     int      // movement plies in a row without capture

	inChain bool            // the hop chain of the piece on chainAt goes on
	inBonus bool            // a bonus ply is due
	active  square          // the piece that chains, or that has the bonus
	visited map[square]bool // squares used by the chain
	freed   map[square]bool // squares freed by removals in this turn

	moved map[square]square    // the piece that made this turn's first move, if it is still there: its square now, and before the turn
	bans  [2]map[square]square // the same of each player's previous turn, following the piece (movement.undo)

	opening int // the blocked player for whom a way must be opened now (end.blocked opponent-opens); -1: none
}

func (p *position) clone() *position {
	c := *p
	c.board = p.board.clone()
	c.turnPlies = slices.Clone(p.turnPlies)
	c.visited = maps.Clone(p.visited)
	c.freed = maps.Clone(p.freed)
	c.moved = maps.Clone(p.moved)
	c.bans = [2]map[square]square{maps.Clone(p.bans[0]), maps.Clone(p.bans[1])}
	return &c
}

// Game is one game in progress.
type Game struct {
	params rules.Params
	pos    *position
	seen   map[string]int // what the repetition rule remembers, and how often it occurred
	plies  []string

	options []ply // the legal plies of pos without the forced pass, worked out once after each ply
	barred  map[square]bool
	lastPly *ply

	occurrences     int // of the position, under the rule threefold-draw
	outcome, reason string

	fired map[string]int // how often each rule took effect; nil unless CountRules was called
	work  *int           // what is left of the work that NewWithin allows; nil without bound
}

// New starts a game. p must be valid (rules.Params.Validate); New does not check it.
func New(p rules.Params) *Game { return NewWithin(p, 0) }

// NewWithin is New with a bound on the work of the whole game: the number of positions tried out, times squares; 0 is no
// bound. When it is spent NewWithin and the methods panic with OutOfWork. Whether a chain or a bonus goes on can take
// exponentially many positions where positions must not recur; the bound does not depend on the machine.
func NewWithin(p rules.Params, work int) *Game {
	g := &Game{params: p, seen: map[string]int{}, barred: map[square]bool{}}
	if work > 0 {
		g.work = &work
	}
	g.pos = g.start()
	g.seen[g.repetitionKey(g.pos)] = 1
	g.options = g.candidates(g.pos)
	if g.pos.phase == "movement" && len(g.options) == 0 {
		g.endBlocked(g.pos)
	}
	return g
}

// ToMove is the player who makes the next ply, 0 or 1.
func (g *Game) ToMove() int { return g.pos.mover }

// Legal is the sorted list of legal plies; empty when the game is over.
func (g *Game) Legal() []string {
	if g.Over() {
		return nil
	}
	var list []string
	for _, p := range g.legal() {
		list = append(list, p.String())
	}
	sort.Strings(list)
	return list
}

// Play makes a ply. It fails, changing nothing, if the ply is not legal.
func (g *Game) Play(text string) error {
	if g.Over() {
		return fmt.Errorf("literal: %q: the game is over", text)
	}
	for _, p := range g.legal() {
		if p.String() == text {
			g.play(p)
			return nil
		}
	}
	return fmt.Errorf("literal: %q is not a legal ply", text)
}

// count counts a player's pieces on a board, and how many of them are bound.
func count(b board, player int) (pieces, bound int) {
	for _, s := range b.squares() {
		if owner(b.at(s)) == player {
			pieces++
			if isBound(b.at(s)) {
				bound++
			}
		}
	}
	return pieces, bound
}

// Board is the board string.
func (g *Game) Board() string { return g.pos.board.String() }

// Hands is what is still to be placed: men and leaders of player 0, men and leaders of player 1.
func (g *Game) Hands() [4]int {
	h := g.pos.hands
	return [4]int{h[0].men, h[0].leaders, h[1].men, h[1].leaders}
}

// Over says whether the game has ended.
func (g *Game) Over() bool { return g.outcome != "" }

// Outcome is "win0", "win1", "draw" or "capped"; "ongoing" while the game goes on.
func (g *Game) Outcome() string {
	if g.outcome == "" {
		return "ongoing"
	}
	return g.outcome
}

// Reason is the kind of end, "" while the game goes on: "one-left", "none-left", "leader-captured",
// "leader-immobilised", "blocked", "no-capture-limit", "two-passes", "repetition" or "turn-limit".
func (g *Game) Reason() string { return g.reason }

// Phase is "agreement", "placement" or "movement".
func (g *Game) Phase() string { return g.pos.phase }

// Quiet is the number of movement plies in a row without capture.
func (g *Game) Quiet() int { return g.pos.quiet }

// Plies is the plies of the game so far.
func (g *Game) Plies() []string { return slices.Clone(g.plies) }

// trial is a game that goes on from a position by itself.
func (g *Game) trial(pos *position) *Game {
	return &Game{params: g.params, pos: pos, seen: maps.Clone(g.seen), barred: map[square]bool{}, work: g.work}
}

// Perft counts the sequences of depth legal plies from here. A game that is over contributes nothing.
func (g *Game) Perft(depth int) uint64 {
	if g.Over() {
		return 0
	}
	list := g.legal()
	if depth == 1 {
		return uint64(len(list))
	}
	var n uint64
	for _, p := range list {
		next := g.trial(g.pos)
		next.play(p)
		n += next.Perft(depth - 1)
	}
	return n
}
