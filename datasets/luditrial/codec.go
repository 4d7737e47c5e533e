package luditrial

import (
	"fmt"
	"strconv"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// Codec turns games of one compiled ruleset into Ludii's moves and back. It is immutable and safe for concurrent use.
type Codec struct {
	game     *engine.Game
	rows     int
	cols     int
	squares  int
	hand     int // sites of one player's hand, 0 without placement
	chain    bool
	bind     bool
	pairs    bool // two men are placed in one turn
	axes     [][2]int
	corners  bool // a man on a corner is taken or bound by pieces on both its neighbours
	bonus    bool
	removal  string
	counters bool
}

// NewCodec returns the codec of a compiled ruleset. The ruleset should be one of [Rulesets] in the reading "ludii",
// or close to one: rules that Ludii's moves cannot express (a pass between two bonus plies, say) are not noticed here
// but when a game is written or read.
func NewCodec(g *engine.Game) *Codec {
	p := g.Params()
	c := &Codec{game: g, rows: g.Rows(), cols: g.Cols(), squares: g.Squares()}
	if p.Setup.Kind == "placement" {
		c.hand = 1
		if p.Pieces.Leaders > 0 {
			c.hand = 2
		}
		c.pairs = p.Setup.PerTurn == 2
	}
	c.chain = p.Movement.Men.HopChain || p.Pieces.Leaders > 0 && p.Movement.Leaders.HopChain
	c.bind = p.Capture.Effect == "bind"
	c.corners = p.Capture.CornerPair
	c.bonus = p.Bonus.After == "capture"
	c.removal = p.Binding.Removal
	c.counters = p.End.NoCaptureLimit > 0
	// Ludii looks round a square clockwise from the north.
	for _, d := range [...][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}} {
		if p.Capture.Axes == "all" || d[0] == 0 || d[1] == 0 {
			c.axes = append(c.axes, d)
		}
	}
	return c
}

// Game is the codec's ruleset.
func (c *Codec) Game() *engine.Game { return c.game }

// handSite is the site of a player's men or leaders in hand.
func (c *Codec) handSite(player, slot int) int { return c.squares + player*c.hand + slot }

// at is the square some steps from sq, or -1.
func (c *Codec) at(sq int, d [2]int, steps int) int {
	row, col := sq/c.cols+d[0]*steps, sq%c.cols+d[1]*steps
	if row < 0 || row >= c.rows || col < 0 || col >= c.cols {
		return -1
	}
	return row*c.cols + col
}

// cornerAt is the corner beside sq in direction d and the corner's other neighbour, or -1.
func (c *Codec) cornerAt(sq int, d [2]int) (corner, other int) {
	n := c.at(sq, d, 1)
	if n < 0 || n%c.cols != 0 && n%c.cols != c.cols-1 || n/c.cols != 0 && n/c.cols != c.rows-1 {
		return -1, -1
	}
	for _, e := range [...][2]int{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		if o := c.at(n, e, 1); o >= 0 && o != sq {
			return n, o
		}
	}
	return -1, -1
}

// follower makes the plies of one game and says what Ludii's moves for them are.
type follower struct {
	*Codec
	state   *engine.State
	before  []engine.Piece
	board   []engine.Piece // what the actions make of it
	moved   int            // player of the latest ply, -1 at the start
	hopped  bool           // it was a hop
	actions []string
	changed []change // by the actions, besides the piece that moved
}

// change is a square that an action empties (state -1) or on which it sets the state of a man.
type change struct{ sq, state int }

func (c *Codec) follow() *follower {
	return &follower{Codec: c, state: c.game.NewState(), before: make([]engine.Piece, c.squares), board: make([]engine.Piece, c.squares), moved: -1}
}

// setup is the moves that set up the board and the hands, in Ludii's order.
func (f *follower) setup() []string {
	s := f.state
	var out []string
	add := func(site, what, count int) {
		text := fmt.Sprintf("[Add:type=Cell,to=%d,what=%d", site, what)
		if count > 1 {
			text += ",count=" + strconv.Itoa(count)
		}
		out = append(out, fmt.Sprintf("[Move:mover=0,from=%d,to=%d,actions=%s]]", site, site, text))
	}
	for kind := range 2 { // men, then leaders
		for p := range 2 {
			if f.hand > kind {
				men, leaders := s.Hand(p)
				if n := [2]int{men, leaders}[kind]; n > 0 {
					add(f.handSite(p, kind), 2*kind+p+1, n)
				}
			}
			for sq := range f.squares {
				if x := s.At(sq); x.Owner() == p && x.IsLeader() == (kind == 1) {
					add(sq, 2*kind+p+1, 1)
				}
			}
		}
	}
	return out
}

// ply makes a legal ply and returns Ludii's move for it: the line without "Move=", and the actions of which it
// consists, the player's own first.
func (f *follower) ply(a engine.Action) (line string, actions []string, err error) {
	s := f.state
	mover, phase := s.ToMove(), s.Phase()
	again := f.moved == mover
	legal := s.IsLegal(a)
	if !legal {
		return "", nil, s.TryPlay(a) // says why
	}
	ply := s.PlyOf(a)
	for sq := range f.before {
		f.before[sq] = s.At(sq)
	}
	s.Play(a)
	f.actions, f.changed = f.actions[:0], f.changed[:0]
	next := fmt.Sprintf("[SetNextPlayer:player=%d]", mover+1)
	from, to := ply.From, ply.To
	switch ply.Kind {
	case engine.PlaceMan, engine.PlaceLeader:
		slot := 0
		if ply.Kind == engine.PlaceLeader {
			slot = 1
		}
		from = f.handSite(mover, slot)
		f.move(from, to)
		men, _ := s.Hand(mover)
		if slot == 0 && f.pairs && !again && men > 0 {
			f.actions = append(f.actions, next)
		}
		if slot == 1 && f.counters {
			f.actions = append(f.actions, "[SetCounter:counter=-1]")
		}
	case engine.Raise:
		from = f.handSite(mover, 0)
		to = from
		f.actions = append(f.actions, fmt.Sprintf("[Select:typeFrom=Cell,from=%d,decision=true]", from))
		for p := range 2 {
			men, _ := s.Hand(p)
			f.actions = append(f.actions, fmt.Sprintf("[SetCount:type=Cell,to=%d,what=%d,count=%d]", f.handSite(p, 0), p+1, men))
		}
	case engine.Pass:
		text := "[Pass:decision=true]"
		if phase == engine.Movement && !(f.chain && again && f.hopped) {
			text = "[Pass:decision=true,forced=true]"
		}
		f.actions = append(f.actions, text)
	case engine.Remove:
		to = from
		f.actions = append(f.actions, fmt.Sprintf("[Remove:type=Cell,to=%d,decision=true]", to))
		if f.removal == "before-move" {
			f.actions = append(f.actions, "[SetPending:]", next)
		}
	case engine.Move, engine.Hop:
		f.move(from, to)
		if f.bind {
			if ply.Kind == engine.Hop && f.chain && f.continues(mover) {
				f.actions = append(f.actions, next)
			}
			f.bindings(mover, from, to)
		} else {
			f.captures(next, mover, to)
		}
	}
	if err := f.agrees(ply); err != nil {
		return "", nil, err
	}
	f.moved, f.hopped = mover, ply.Kind == engine.Hop
	var b strings.Builder
	fmt.Fprintf(&b, "[Move:mover=%d,", mover+1)
	if ply.Kind != engine.Pass {
		fmt.Fprintf(&b, "from=%d,to=%d,", from, to)
	}
	b.WriteString("actions=")
	b.WriteString(strings.Join(f.actions, ","))
	b.WriteString("]")
	return b.String(), f.actions, nil
}

func (f *follower) move(from, to int) {
	f.actions = append(f.actions, fmt.Sprintf("[Move:typeFrom=Cell,from=%d,typeTo=Cell,to=%d,decision=true]", from, to))
}

// continues says whether the player who made the latest ply, a hop, was offered another.
func (f *follower) continues(mover int) bool { return f.state.ToMove() == mover }

// captures lists the enemies that the arrival of player p on sq took, in the order in which Ludii finds them.
func (f *follower) captures(next string, p, sq int) {
	take := func(victim int) {
		if victim < 0 || f.before[victim].Owner() != 1-p || f.state.At(victim) != engine.Empty {
			return
		}
		f.actions = append(f.actions, fmt.Sprintf("[Remove:type=Cell,to=%d]", victim))
		f.changed = append(f.changed, change{victim, -1})
		if f.bonus {
			f.actions = append(f.actions, next, "[SetCounter:counter=-1]")
		}
	}
	for _, d := range f.axes {
		take(f.victim(sq, d))
	}
	if !f.corners {
		return
	}
	for _, d := range f.axes {
		if corner, _ := f.cornerAt(sq, d); corner >= 0 && (d[0] == 0 || d[1] == 0) {
			take(corner)
		}
	}
}

// victim is the square beside sq in direction d, -1 off the board and for a corner that only a pair of neighbours
// takes.
func (f *follower) victim(sq int, d [2]int) int {
	v := f.at(sq, d, 1)
	if v >= 0 && f.at(sq, d, 2) < 0 {
		return -1
	}
	return v
}

// bindings lists the men whom the ply of player p from one square to another let go, bound and rescued. What is read
// are the marks before the ply on the board after it.
func (f *follower) bindings(p, from, to int) {
	piece := func(sq int) engine.Piece {
		switch sq {
		case -1:
			return engine.Empty
		case from:
			return engine.Empty
		case to:
			return f.before[from]
		}
		return f.before[sq]
	}
	free := func(sq, owner int) bool { x := piece(sq); return x.Owner() == owner && !x.IsBound() }
	bound := func(sq, owner int) bool { x := piece(sq); return x.Owner() == owner && x.IsBound() }
	set := func(sq, state int) {
		f.actions = append(f.actions, fmt.Sprintf("[SetState:type=Cell,to=%d,state=%d]", sq, state))
		f.changed = append(f.changed, change{sq, state})
	}
	for _, d := range f.axes {
		if m := f.at(from, d, 1); bound(m, 1-p) && free(f.at(from, d, 2), p) {
			set(m, 0)
		}
	}
	if f.corners {
		for _, d := range f.axes {
			if corner, other := f.cornerAt(from, d); bound(corner, 1-p) && free(other, p) {
				set(corner, 0)
			}
		}
	}
	binds := func(m int) {
		set(m, 1)
		for _, d := range f.axes {
			if n := f.at(m, d, 1); bound(n, p) && free(f.at(m, d, 2), 1-p) {
				set(n, 0)
			}
		}
	}
	for _, d := range f.axes {
		if m := f.at(to, d, 1); free(m, 1-p) && free(f.at(to, d, 2), p) {
			binds(m)
		}
	}
	if f.corners {
		for _, d := range f.axes {
			if corner, other := f.cornerAt(to, d); free(corner, 1-p) && free(other, p) {
				binds(corner)
			}
		}
	}
}

// agrees checks that the actions have exactly the effects that the engine gave the ply, so that a ruleset whose
// effects this package does not know is noticed.
func (f *follower) agrees(ply engine.Ply) error {
	board := f.board
	copy(board, f.before)
	switch ply.Kind {
	case engine.Move, engine.Hop:
		board[ply.To], board[ply.From] = board[ply.From], engine.Empty
	case engine.Remove:
		board[ply.From] = engine.Empty
	case engine.PlaceMan, engine.PlaceLeader:
		board[ply.To] = f.state.At(ply.To)
	}
	for _, c := range f.changed {
		if c.state < 0 {
			board[c.sq] = engine.Empty
		} else {
			board[c.sq] = [2][2]engine.Piece{{engine.Man0, engine.Man1}, {engine.Bound0, engine.Bound1}}[c.state][board[c.sq].Owner()]
		}
	}
	for sq := range board {
		if board[sq] != f.state.At(sq) {
			return fmt.Errorf("%w: the ply %s changes %s to %c, which Ludii's moves cannot say; only rulesets that Ludii has can be written",
				ErrTrial, f.name(ply), f.square(sq), f.state.At(sq).Rune())
		}
	}
	return nil
}

func (f *follower) square(sq int) string { return rules.SquareName(sq/f.cols, sq%f.cols) }

// name is a ply in the notation of env/engine.
func (f *follower) name(ply engine.Ply) string {
	switch ply.Kind {
	case engine.PlaceMan:
		return "@" + f.square(ply.To)
	case engine.PlaceLeader:
		return "@@" + f.square(ply.To)
	case engine.Move:
		return f.square(ply.From) + "-" + f.square(ply.To)
	case engine.Hop:
		return f.square(ply.From) + "^" + f.square(ply.To)
	case engine.Remove:
		return "x" + f.square(ply.From)
	case engine.Raise:
		return "+"
	}
	return "--"
}
