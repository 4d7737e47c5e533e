package traffic

import (
	"fmt"

	"latro/env/engine"
)

// Counter replays games of one ruleset and counts their traffic. It keeps sums and one
// position, so its memory depends on the board (and on the length of the longest game,
// whose history the rules of repetition need), not on the number of games. Not for
// concurrent use.
type Counter struct {
	state *engine.State
	table *Table
	board []engine.Piece
	// track notes what the game in hand did, so that a game that turns out to be
	// damaged leaves no trace.
	track []mark
	plies uint64
	// phase, mover and ply are those of the action in hand.
	phase, mover int
	ply          engine.Ply
}

// mark is one count to be made.
type mark struct {
	edge  bool
	at    int // square or edge
	group int
	kind  int // Event or Passage
}

// NewCounter returns a counter for games of g.
func NewCounter(g *engine.Game) *Counter {
	return &Counter{state: g.NewState(), table: newTable(g), board: make([]engine.Piece, g.Squares())}
}

// Table is what was counted so far; later games do not change it.
func (c *Counter) Table() *Table { return c.table.clone() }

// Add plays a game again and counts it: from a position string (the ruleset's own start
// if empty), by actions in the engine's numbers. A game that the rules do not allow is
// refused whole, with the ply where it went wrong.
func (c *Counter) Add(start string, moves []uint16) error {
	s := c.state
	if start == "" {
		s.Reset()
	} else {
		at, err := s.Game().ParsePosition(start)
		if err != nil {
			return fmt.Errorf("count the traffic of a game: its start: %w", err)
		}
		s.CopyFrom(at)
	}
	c.Begin(s)
	for i, m := range moves {
		a := engine.Action(m)
		if !s.IsLegal(a) {
			return fmt.Errorf("count the traffic of a game: ply %d is action %d, which is not legal there", i+1, m)
		}
		c.Before(s, a)
		s.Play(a)
		c.After(s)
	}
	c.End()
	return nil
}

// Begin starts to count a game that somebody else plays, from the position of s, which is of
// the counter's ruleset. A game that is not ended by End leaves no trace.
func (c *Counter) Begin(s *engine.State) {
	for sq := range c.board {
		c.board[sq] = s.At(sq)
	}
	c.track, c.plies = c.track[:0], 0
}

// Before sees a legal action that is about to be played on s.
func (c *Counter) Before(s *engine.State, a engine.Action) {
	c.phase = 0
	if s.Phase() == engine.Movement {
		c.phase = 1
	}
	c.mover, c.ply = s.ToMove(), s.PlyOf(a)
}

// End counts what was seen since Begin.
func (c *Counter) End() {
	for _, m := range c.track {
		if m.edge {
			c.table.edges[(m.at*groups+m.group)*int(edgePassages)+m.kind]++
		} else {
			c.table.squares[(m.at*groups+m.group)*int(squareEvents)+m.kind]++
		}
	}
	c.table.Games++
	c.table.Plies += c.plies
}

func (c *Counter) square(sq int, e Event, group int) {
	c.track = append(c.track, mark{false, sq, group, int(e)})
}

// After sees s when the action of Before was played on it.
func (c *Counter) After(s *engine.State) {
	c.plies++
	group := func(player int, p engine.Piece) int {
		piece := 0
		if p.IsLeader() {
			piece = 1
		}
		return (c.phase*players+player)*pieces + piece
	}
	mover, ply := c.mover, c.ply
	switch ply.Kind {
	case engine.PlaceMan, engine.PlaceLeader:
		p := engine.Man0
		if ply.Kind == engine.PlaceLeader {
			p = engine.Leader0
		}
		p += engine.Piece(mover)
		c.board[ply.To] = p
		c.square(ply.To, Placed, group(mover, p))
	case engine.Move, engine.Hop:
		p := c.board[ply.From]
		c.board[ply.From], c.board[ply.To] = engine.Empty, p
		g := group(mover, p)
		c.square(ply.From, Left, g)
		c.square(ply.To, Reached, g)
		c.walk(ply, g)
	}
	for _, sq := range s.LastEffects().Captured {
		p := c.board[sq]
		if p == engine.Empty {
			continue
		}
		c.square(int(sq), Captured, group(p.Owner(), p))
		c.board[sq] = engine.Empty
	}
}

// walk notes the edges and, for a slide, the squares between the ends of a move.
func (c *Counter) walk(ply engine.Ply, group int) {
	t := c.table
	sign := func(x int) int { return max(-1, min(1, x)) }
	dr, dc := ply.To/t.Cols-ply.From/t.Cols, ply.To%t.Cols-ply.From%t.Cols
	step := sign(dr)*t.Cols + sign(dc)
	passage := Slid
	if ply.Kind == engine.Hop {
		passage = Hopped
	}
	for at := ply.From; at != ply.To; at += step {
		if e := t.edge(at, at+step); e >= 0 {
			c.track = append(c.track, mark{true, e, group, int(passage)})
		}
		if passage == Slid && at != ply.From {
			c.square(at, Crossed, group)
		}
	}
}
