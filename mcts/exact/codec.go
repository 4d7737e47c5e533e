package exact

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// key is a position with everything that decides how the game goes on, the history of the repetition rule aside: the
// board, and the rest. Of positions that the ruleset's symmetries turn into one another the least key stands for all;
// the board is compared first.
type key struct{ board, rest uint64 }

func (k key) less(o key) bool {
	return k.board < o.board || k.board == o.board && k.rest < o.rest
}

// The digits of the rest, least significant first. A digit that the ruleset does not need has radix 1.
const (
	digitMover = iota
	digitPhase
	digitPlaced
	digitCont   // none, chain, bonus, removed
	digitChain  // square + 1
	digitOpen   // the ply must open a way for the blocked opponent
	digitPassed // the opponent's latest turn was a single pass
	digitQuiet
	digitVisited // a set of squares
	digitBan     // four digits: square and origin of each player's banned return, + 1
	digitCur     = digitBan + 4
	digits       = digitCur + 2
)

// The continuations of digitCont.
const (
	contNone = iota
	contChain
	contBonus
	contRemoved
)

// hidden is the part of a position that State.View does not show.
type hidden struct {
	// passed: the latest finished turn of the player was a single pass.
	passed [2]bool
	// ban: the piece on a square that may not go back to another, by player; -1 if there is none.
	ban [2][2]int8
	// cur: where the piece that moved first in this turn stands, and where it stood before; -1.
	cur [2]int8
	// plies made in this turn, at most 2.
	inTurn uint8
}

var nothingHidden = hidden{ban: [2][2]int8{{-1, -1}, {-1, -1}}, cur: [2]int8{-1, -1}}

// codec turns positions of one ruleset into keys and back.
type codec struct {
	game    *engine.Game
	params  rules.Params
	squares int
	base    uint64 // radix of a square
	radix   [digits]uint64
	place   [digits]uint64 // product of the radices below
	moves   []ply          // by action
	// By symmetry: where a square goes, and the weight of its image in the board's number.
	square [][]uint16
	weight [][]uint64
	action [][]engine.Action // by symmetry: what becomes of an action

	undoBan, bonusAny, twoPasses, openable, quiet bool
	view                                          engine.View
}

// ply is what the codec needs of an action.
type ply struct {
	from, to int8
	pass     bool
	move     bool
}

// newCodec fails with ErrTooLarge where a position does not fit into a key.
func newCodec(g *engine.Game) (*codec, error) {
	p := g.Params()
	n := g.Squares()
	c := &codec{game: g, params: p, squares: n, base: 3}
	if p.Pieces.Leaders > 0 || p.Capture.Effect == "bind" {
		c.base = 5
	}
	c.undoBan = p.Movement.Undo == "forbidden"
	c.bonusAny = p.Bonus.Piece == "any"
	c.openable = p.End.Blocked == "opponent-opens"
	c.twoPasses = p.End.TwoPasses == "draw" && (p.End.Blocked == "pass" || c.openable)
	c.quiet = p.End.NoCaptureLimit > 0
	for i := range c.radix {
		c.radix[i] = 1
	}
	when := func(use bool, digit int, radix uint64) {
		if use {
			c.radix[digit] = radix
		}
	}
	chains := p.Movement.Men.HopChain || p.Movement.Leaders.HopChain
	removes := p.Binding.Removal == "before-move" && p.Binding.RemovalNumber != "all"
	barred := removes && p.Movement.RemovalSquare == "barred"
	bonus := p.Bonus.After == "capture"
	c.radix[digitMover] = 2
	when(p.Setup.Kind == "placement", digitPhase, 2)
	when(p.Setup.Kind == "placement", digitPlaced, uint64(max(1, p.Setup.PerTurn)))
	when(chains || removes || bonus, digitCont, 4)
	when(chains || bonus, digitChain, uint64(n)+1)
	when(c.openable, digitOpen, 2)
	when(c.twoPasses, digitPassed, 2)
	when(c.quiet, digitQuiet, uint64(p.End.NoCaptureLimit))
	if chains || barred {
		if n > 40 {
			return nil, fmt.Errorf("%w: hop chains on %d squares", ErrTooLarge, n)
		}
		c.radix[digitVisited] = 1 << n
	}
	if c.undoBan {
		for d := digitBan; d < digits; d++ {
			c.radix[d] = uint64(n) + 1
		}
	}
	at := uint64(1)
	for d, r := range c.radix {
		c.place[d] = at
		high, low := bits.Mul64(at, r)
		if high != 0 {
			return nil, fmt.Errorf("%w: a position on %d squares under these rules has more counters and marks than its key of 128 bits holds", ErrTooLarge, n)
		}
		at = low
	}
	if float64(n)*math.Log2(float64(c.base)) >= 64 {
		return nil, fmt.Errorf("%w: a board of %d squares; at most %d under these rules", ErrTooLarge, n, int(63.99/math.Log2(float64(c.base))))
	}
	for _, s := range g.Symmetries() {
		w := make([]uint64, n)
		for sq := range w {
			w[sq] = 1
			for range s.Square[sq] {
				w[sq] *= c.base
			}
		}
		c.square = append(c.square, s.Square)
		c.weight = append(c.weight, w)
		c.action = append(c.action, s.Action)
	}
	c.moves = make([]ply, g.NumActions())
	for a := range c.moves {
		pl, err := g.Decode(engine.Action(a))
		if err != nil {
			continue
		}
		c.moves[a] = ply{from: int8(pl.From), to: int8(pl.To), pass: pl.Kind == engine.Pass, move: pl.Kind == engine.Move}
	}
	return c, nil
}

// key gives the key of a position whose hidden part is h.
func (c *codec) key(s *engine.State, h *hidden) key {
	k, _ := c.keyAndSymmetry(s, h)
	return k
}

// keyAndSymmetry also gives the number of the symmetry that turns the position into the one that the key stands for.
func (c *codec) keyAndSymmetry(s *engine.State, h *hidden) (best key, symmetry int) {
	v := &c.view
	s.View(v)
	var at [64]uint8
	var what [64]uint64
	n := 0
	for sq, p := range v.Cells[:c.squares] {
		if p != engine.Empty {
			at[n&63] = uint8(sq)
			what[n&63] = digitOf(p)
			n++
		}
	}
	fixed := uint64(v.Mover)
	if v.Phase == engine.Movement && c.radix[digitPhase] > 1 {
		fixed += c.place[digitPhase]
	}
	fixed += uint64(v.Placed) * c.place[digitPlaced]
	cont := uint64(contNone)
	switch {
	case v.Bonus:
		cont = contBonus
	case v.Removed:
		cont = contRemoved
	case v.Chain >= 0:
		cont = contChain
	}
	fixed += cont * c.place[digitCont]
	if v.Opening {
		fixed += c.place[digitOpen]
	}
	if c.twoPasses && h.passed[v.Mover^1] {
		fixed += c.place[digitPassed]
	}
	if c.quiet {
		fixed += uint64(v.Quiet) * c.place[digitQuiet]
	}
	for i, w := range c.weight {
		var board uint64
		for k := range n {
			board += what[k&63] * w[at[k&63]]
		}
		if i > 0 && board > best.board {
			continue
		}
		k := key{board, fixed + c.squaresOf(v, h, c.square[i])}
		if i == 0 || k.less(best) {
			best, symmetry = k, i
		}
	}
	return best, symmetry
}

// squaresOf is the part of the rest that names squares, under a symmetry.
func (c *codec) squaresOf(v *engine.View, h *hidden, to []uint16) (rest uint64) {
	if v.Chain >= 0 {
		rest += uint64(to[v.Chain]+1) * c.place[digitChain]
	}
	if x := v.Visited[0]; x != 0 {
		var set uint64
		for ; x != 0; x &= x - 1 {
			set |= 1 << to[bits.TrailingZeros64(x)]
		}
		rest += set * c.place[digitVisited]
	}
	if c.undoBan {
		for i, sq := range [6]int8{h.ban[0][0], h.ban[0][1], h.ban[1][0], h.ban[1][1], h.cur[0], h.cur[1]} {
			if sq >= 0 {
				rest += uint64(to[sq]+1) * c.place[digitBan+i]
			}
		}
	}
	return rest
}

func digitOf(p engine.Piece) uint64 {
	switch p {
	case engine.Man0:
		return 1
	case engine.Man1:
		return 2
	case engine.Leader0, engine.Bound0:
		return 3
	case engine.Leader1, engine.Bound1:
		return 4
	}
	return 0
}

// after is the hidden part after action a, which led from a position of mover to s. It follows what the engine does:
// see the tests, which compare it with the positions that the engine writes.
func (c *codec) after(h *hidden, mover int, a engine.Action, s *engine.State) hidden {
	out := *h
	if !c.twoPasses && !c.undoBan {
		return out
	}
	m := &c.moves[a]
	out.inTurn = min(out.inTurn+1, 2)
	if c.undoBan {
		if m.move {
			if out.cur[1] < 0 {
				out.cur = [2]int8{m.to, m.from}
			} else if out.cur[0] == m.from {
				out.cur[0] = m.to
			}
			if out.ban[mover][0] == m.from {
				out.ban[mover][0] = m.to
			}
		}
		for _, taken := range s.LastEffects().Captured {
			sq := int8(taken)
			for p := range out.ban {
				if out.ban[p][0] == sq {
					out.ban[p] = [2]int8{-1, -1}
				}
			}
			if out.cur[0] == sq {
				out.cur[0] = -1
			}
		}
	}
	if s.ToMove() == mover {
		return out
	}
	out.passed[mover] = out.inTurn == 1 && m.pass
	out.inTurn = 0
	if c.undoBan {
		if out.ban[mover] = out.cur; out.cur[0] < 0 { // the piece was taken off while it moved
			out.ban[mover] = [2]int8{-1, -1}
		}
		out.cur = [2]int8{-1, -1}
	}
	return out
}

// hiddenOf reads the hidden part of any position from its text.
func (c *codec) hiddenOf(s *engine.State) (hidden, error) {
	h := nothingHidden
	if !c.twoPasses && !c.undoBan {
		return h, nil
	}
	for _, field := range strings.Fields(s.Position()) {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "passed":
			h.passed[0], h.passed[1] = strings.Contains(value, "0"), strings.Contains(value, "1")
		case "inturn":
			h.inTurn = 2
			if value == "1" {
				h.inTurn = 1
			}
		case "undo":
			parts := strings.Split(value, ",")
			for i, to := range []*[2]int8{&h.ban[0], &h.ban[1], &h.cur} {
				var err error
				if *to, err = c.pair(parts[i]); err != nil {
					return h, err
				}
				if to[0] < 0 && i < 2 {
					to[1] = -1
				}
			}
		}
	}
	return h, nil
}

// pair reads two squares as position strings write them: "c3c2", "-c2", "-".
func (c *codec) pair(text string) (out [2]int8, err error) {
	out = [2]int8{-1, -1}
	if text == "-" {
		return out, nil
	}
	for i := range out {
		if strings.HasPrefix(text, "-") {
			text = text[1:]
			continue
		}
		n := 1
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		row, col, err := rules.ParseSquare(text[:min(n, len(text))], c.game.Rows(), c.game.Cols())
		if err != nil {
			return out, err
		}
		out[i] = int8(row*c.game.Cols() + col)
		text = text[n:]
	}
	return out, nil
}

func (k key) digit(c *codec, d int) int { return int(k.rest / c.place[d] % c.radix[d]) }

// position gives a position of the key, as State.Position would write it (counters that decide nothing aside), and its
// hidden part.
func (c *codec) position(k key) (string, hidden) {
	rows, cols := c.game.Rows(), c.game.Cols()
	var cells [64]byte
	b := k.board
	letters := "abxy"
	if c.params.Pieces.Leaders > 0 {
		letters = "abAB"
	}
	var men, leaders [2]int
	for sq := range c.squares {
		d := b % c.base
		b /= c.base
		if d == 0 {
			continue
		}
		cells[sq] = letters[d-1]
		owner := int(d-1) & 1
		if letters[d-1] < 'a' {
			leaders[owner]++
		} else {
			men[owner]++
		}
	}
	var t strings.Builder
	for row := rows - 1; row >= 0; row-- {
		run := 0
		for col := range cols {
			x := cells[row*cols+col]
			if x == 0 {
				run++
				continue
			}
			if run > 0 {
				fmt.Fprint(&t, run)
				run = 0
			}
			t.WriteByte(x)
		}
		if run > 0 {
			fmt.Fprint(&t, run)
		}
		if row > 0 {
			t.WriteByte('/')
		}
	}
	mover := k.digit(c, digitMover)
	placing := c.radix[digitPhase] == 2 && k.digit(c, digitPhase) == 0
	if placing {
		all, lead := c.params.Pieces.Men, c.params.Pieces.Leaders
		fmt.Fprintf(&t, " %d placement hand=%d,%d,%d,%d", mover, all-men[0], lead-leaders[0], all-men[1], lead-leaders[1])
	} else {
		fmt.Fprintf(&t, " %d movement", mover)
	}
	h := nothingHidden
	quiet := k.digit(c, digitQuiet)
	inTurn := 0
	if n := k.digit(c, digitPlaced); n > 0 {
		fmt.Fprintf(&t, " placed=%d", n)
		inTurn = 1
	}
	chain := k.digit(c, digitChain) - 1
	switch k.digit(c, digitCont) {
	case contChain:
		fmt.Fprintf(&t, " chain=%s", c.name(chain))
		inTurn = 1
	case contBonus:
		inTurn = 1
		switch {
		case chain >= 0:
			fmt.Fprintf(&t, " bonus=%s", c.name(chain))
		case c.bonusAny:
			t.WriteString(" bonus=any")
		default:
			t.WriteString(" bonus=none")
		}
	case contRemoved:
		t.WriteString(" removed=1")
		inTurn = 1
	}
	if set := uint64(k.digit(c, digitVisited)); set != 0 {
		t.WriteString(" visited=")
		for ; set != 0; set &= set - 1 {
			t.WriteString(c.name(bits.TrailingZeros64(set)))
		}
	}
	if k.digit(c, digitOpen) == 1 {
		t.WriteString(" open=1")
	}
	if k.digit(c, digitPassed) == 1 {
		fmt.Fprintf(&t, " passed=%d", mover^1)
		h.passed[mover^1] = true
	}
	if c.undoBan {
		text := [3]string{}
		for i, to := range []*[2]int8{&h.ban[0], &h.ban[1], &h.cur} {
			for j := range to {
				to[j] = int8(k.digit(c, digitBan+2*i+j)) - 1
			}
			text[i] = c.name(int(to[0])) + c.name(int(to[1]))
			if to[0] < 0 && to[1] < 0 {
				text[i] = "-"
			}
		}
		if text != [3]string{"-", "-", "-"} {
			fmt.Fprintf(&t, " undo=%s", strings.Join(text[:], ","))
		}
	}
	h.inTurn = uint8(inTurn)
	if ply := quiet + inTurn; ply > 0 {
		fmt.Fprintf(&t, " ply=%d", ply)
	}
	if inTurn > 0 {
		t.WriteString(" inturn=1")
	}
	if quiet > 0 {
		fmt.Fprintf(&t, " quiet=%d", quiet)
	}
	return t.String(), h
}

func (c *codec) name(sq int) string {
	if sq < 0 {
		return "-"
	}
	return rules.SquareName(sq/c.game.Cols(), sq%c.game.Cols())
}

// state gives a position of the key as a game to play on.
func (c *codec) state(k key) (*engine.State, hidden, error) {
	text, h := c.position(k)
	s, err := c.game.ParsePosition(text)
	if err != nil {
		return nil, h, fmt.Errorf("exact: the position %q of a key: %w", text, err)
	}
	return s, h, nil
}

// Parts of a key that tell positions apart which a threefold rule takes for one: the quiet counter, and others.
func (c *codec) repetitionPart(k key) (same key, quiet int, counted bool) {
	if c.radix[digitPhase] == 2 && k.digit(c, digitPhase) == 0 || k.digit(c, digitCont) != contNone {
		return key{}, 0, false // repetition is asked about where a turn has ended, in the movement phase
	}
	return key{k.board, uint64(k.digit(c, digitMover))}, k.digit(c, digitQuiet), true
}

// blends says whether there are such parts.
func (c *codec) blends() bool {
	return c.radix[digitOpen]*c.radix[digitPassed]*c.radix[digitQuiet] > 1 || c.undoBan
}
