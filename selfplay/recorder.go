package selfplay

import (
	"fmt"
	"hash/fnv"
	"math"

	"latro/datasets"
	"latro/env/engine"
	"latro/mcts"
)

// Recorder follows one game ply by ply and keeps what a games shard says of it: moves, values, lengths,
// captures, the use of special rules, the traffic over squares. Not for concurrent use; Reset it for the next
// game.
type Recorder struct {
	game       *engine.Game
	symmetries []engine.Symmetry
	from       *engine.State // the start
	row        datasets.Game
	mover      int         // of the last ply, -1 at the start
	pieces     [][2]uint16 // on the board after each ply
	valued     bool        // some ply had a value
}

// NewRecorder returns a recorder for games of g.
func NewRecorder(g *engine.Game) *Recorder {
	return &Recorder{game: g, symmetries: g.Symmetries(), from: g.NewState()}
}

// Reset begins a game from the position of s. What the row says besides the course of the game (ids, agents,
// seed, and Start unless it is the ruleset's own) is taken from row.
func (r *Recorder) Reset(s *engine.State, row datasets.Game) {
	n := r.game.Squares()
	r.from.CopyFrom(s)
	r.row, r.mover, r.pieces, r.valued = row, -1, r.pieces[:0], false
	r.row.Moves, r.row.Values = nil, nil
	r.row.Placements, r.row.Arrivals, r.row.Captures = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	r.row.EngineVersion = engine.Version
}

// Plies is the number of plies played since Reset.
func (r *Recorder) Plies() int { return len(r.row.Moves) }

func onBoard(s *engine.State, player int) int {
	men, leaders, _ := s.Pieces(player)
	return men + leaders
}

// Play makes the ply of a decision on s and records it. An illegal one is an error and changes nothing.
func (r *Recorder) Play(s *engine.State, d mcts.Decision) error {
	row, p := &r.row, s.ToMove()
	if !s.IsLegal(d.Action) {
		return fmt.Errorf("action %d is not legal in %s", d.Action, s.Position())
	}
	ply := s.PlyOf(d.Action)
	leader := ply.Kind == engine.PlaceLeader || ply.From >= 0 && s.At(ply.From).IsLeader()
	before := [2]int{onBoard(s, 0), onBoard(s, 1)}
	if ply.Kind == engine.PlaceMan || ply.Kind == engine.PlaceLeader {
		before[p]++
		row.Placements[ply.To]++
	}
	if r.mover != p {
		row.Turns++
		r.mover = p
	}
	s.Play(d.Action)
	row.Moves = append(row.Moves, uint16(d.Action))
	e := s.LastEffects()
	for _, sq := range e.Captured {
		row.Captures[sq]++
	}
	switch ply.Kind {
	case engine.Move:
		row.Arrivals[ply.To]++
	case engine.Hop:
		row.Arrivals[ply.To]++
		add(p, &row.Hops0, &row.Hops1, 1)
	}
	// A side's losses are counted on the board, since a ruleset may let a piece that moves between two
	// enemies be taken: its owner's ply, the enemy's capture.
	for q := range 2 {
		lost := max(0, before[q]-onBoard(s, q))
		if ply.Kind == engine.Remove && q != p && lost > 0 {
			add(p, &row.Removals0, &row.Removals1, 1)
			lost--
		}
		add(1-q, &row.Captures0, &row.Captures1, lost)
	}
	add(p, &row.Bindings0, &row.Bindings1, e.Bound)
	if e.WasBonus {
		add(p, &row.BonusPlies0, &row.BonusPlies1, 1)
	}
	if leader {
		add(p, &row.LeaderPlies0, &row.LeaderPlies1, 1)
	}
	r.pieces = append(r.pieces, [2]uint16{uint16(onBoard(s, 0)), uint16(onBoard(s, 1))})
	value := float32(math.NaN())
	if d.HasValue {
		value, r.valued = float32(max(-1, min(1, d.Value))), true
	}
	row.Values = append(row.Values, value)
	return nil
}

func add(player int, a, b *uint32, n int) {
	if player == 0 {
		*a += uint32(n)
	} else {
		*b += uint32(n)
	}
}

// Game is the row of the game as it stands; a game that is not over is capped. The row shares nothing with the
// recorder.
func (r *Recorder) Game(s *engine.State) datasets.Game {
	row := r.row
	row.Moves = append([]uint16(nil), row.Moves...)
	row.Plies = uint32(len(row.Moves))
	row.Outcome, row.EndReason = s.Outcome().String(), s.Reason().String()
	if !s.Over() {
		row.Outcome, row.EndReason = datasets.Capped, ""
	}
	row.FinalPieces0, row.FinalPieces1 = uint32(onBoard(s, 0)), uint32(onBoard(s, 1))
	row.Values = nil
	if r.valued {
		row.Values = append([]float32(nil), r.row.Values...)
	}
	row.Placements = append([]uint32(nil), row.Placements...)
	row.Arrivals = append([]uint32(nil), row.Arrivals...)
	row.Captures = append([]uint32(nil), row.Captures...)
	row.Attrition = nil
	if n := len(r.pieces); n > 0 {
		for quarter := 1; quarter <= 3; quarter++ {
			at := r.pieces[max(0, n*quarter/4-1)]
			row.Attrition = append(row.Attrition, at[0], at[1])
		}
	}
	row.CanonicalHash = r.foldedHash()
	return row
}

// foldedHash identifies a game up to the symmetries of its ruleset: the least, over the symmetries, of a hash
// of the start's board and the moves.
func (r *Recorder) foldedHash() uint64 {
	var best uint64
	board := make([]byte, r.game.Squares())
	for i, sym := range r.symmetries {
		h := fnv.New64a()
		for sq := range board {
			board[sym.Square[sq]] = byte(r.from.At(sq))
		}
		h.Write(board)
		h.Write([]byte{byte(r.from.ToMove())})
		for _, m := range r.row.Moves {
			a := sym.Action[m]
			h.Write([]byte{byte(a), byte(a >> 8)})
		}
		if v := h.Sum64(); i == 0 || v < best {
			best = v
		}
	}
	return best
}

// material is player 0's share of the pieces on the board and in hand less player 1's, in [-1, 1].
func material(s *engine.State) float32 {
	var n [2]float32
	for p := range 2 {
		handMen, handLeaders := s.Hand(p)
		n[p] = float32(onBoard(s, p) + handMen + handLeaders)
	}
	p := s.Game().Params().Pieces
	return (n[0] - n[1]) / float32(p.Men+p.Leaders)
}
