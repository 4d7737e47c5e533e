package selfplay

import (
	"hash/fnv"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
)

// Recorder follows one game ply by ply and keeps what a games shard says of it: moves, lengths, captures,
// the use of special rules, the traffic over squares. Not for concurrent use; Reset it for the next game.
type Recorder struct {
	game       *engine.Game
	symmetries [][]uint16
	moves      []uint16
	start      string
	place      []uint32
	arrive     []uint32
	capture    []uint32

	turns uint32
	last  int // player of the last ply, -1 at the start

	captures, bindings, hops, bonus, removals, leaderPlies [2]uint32
}

// NewRecorder returns a recorder for games of g.
func NewRecorder(g *engine.Game) *Recorder {
	n := g.Squares()
	return &Recorder{
		game: g, symmetries: symmetryMaps(g), place: make([]uint32, n), arrive: make([]uint32, n), capture: make([]uint32, n),
	}
}

// Reset begins a game. Start is the position string of a start other than the ruleset's own, or "".
func (r *Recorder) Reset(start string) {
	n := r.game.Squares()
	*r = Recorder{game: r.game, symmetries: r.symmetries, moves: r.moves[:0], start: start, last: -1, place: r.place, arrive: r.arrive, capture: r.capture}
	clear(r.place[:n])
	clear(r.arrive[:n])
	clear(r.capture[:n])
}

// Play makes the legal ply a on s and records it.
func (r *Recorder) Play(s *engine.State, a engine.Action) {
	ply, player := s.PlyOf(a), s.ToMove()
	leader := ply.From >= 0 && s.At(ply.From).IsLeader()
	if player != r.last {
		r.turns++
		r.last = player
	}
	s.Play(a)
	r.moves = append(r.moves, uint16(a))
	switch ply.Kind {
	case engine.PlaceMan, engine.PlaceLeader:
		r.place[ply.To]++
	case engine.Move, engine.Hop:
		r.arrive[ply.To]++
		if ply.Kind == engine.Hop {
			r.hops[player]++
		}
		if leader {
			r.leaderPlies[player]++
		}
	case engine.Remove:
		r.removals[player]++
	}
	e := s.LastEffects()
	r.captures[player] += uint32(len(e.Captured))
	for _, sq := range e.Captured {
		r.capture[sq]++
	}
	r.bindings[player] += uint32(e.Bound)
	if e.WasBonus {
		r.bonus[player]++
	}
}

// Game is the row of the game as it stands. The outcome of a game that is not over is capped. Identity
// (ids, agents, seed) is the caller's to fill in. The row owns its slices.
func (r *Recorder) Game(s *engine.State) datasets.Game {
	outcome, reason := s.Outcome().String(), s.Reason().String()
	if !s.Over() {
		outcome, reason = engine.Capped.String(), ReasonPlyCap
	}
	pieces := func(p int) uint32 {
		men, leaders, _ := s.Pieces(p)
		return uint32(men + leaders)
	}
	row := datasets.Game{
		Start:     r.start,
		Moves:     append([]uint16(nil), r.moves...),
		Outcome:   outcome,
		EndReason: reason,
		Plies:     uint32(len(r.moves)), Turns: r.turns,
		Captures0: r.captures[0], Captures1: r.captures[1],
		Bindings0: r.bindings[0], Bindings1: r.bindings[1],
		Hops0: r.hops[0], Hops1: r.hops[1],
		BonusPlies0: r.bonus[0], BonusPlies1: r.bonus[1],
		Removals0: r.removals[0], Removals1: r.removals[1],
		LeaderPlies0: r.leaderPlies[0], LeaderPlies1: r.leaderPlies[1],
		FinalPieces0: pieces(0), FinalPieces1: pieces(1),
		Placements: append([]uint32(nil), r.place...),
		Arrivals:   append([]uint32(nil), r.arrive...),
		Captures:   append([]uint32(nil), r.capture...),
	}
	row.CanonicalHash = r.canonicalHash()
	return row
}

// ReasonPlyCap is the end reason of a game stopped by the cap on plies, which is the run's and not the
// rules'.
const ReasonPlyCap = "ply-cap"

// symmetryMaps are the actions' images under the ruleset's symmetries, the identity left out.
func symmetryMaps(g *engine.Game) [][]uint16 {
	var maps [][]uint16
	for _, sym := range g.Symmetries()[1:] {
		m := make([]uint16, len(sym.Action))
		for i, a := range sym.Action {
			m[i] = uint16(a)
		}
		maps = append(maps, m)
	}
	return maps
}

// canonicalHash is a hash of the game's moves that is the same for games that differ only by a symmetry of
// the ruleset. Games from a start other than the ruleset's own are hashed with the start and without folding,
// since the symmetry would have to turn the start too.
func (r *Recorder) canonicalHash() uint64 {
	if r.start == "" {
		return datasets.CanonicalHash(r.moves, r.symmetries)
	}
	h := fnv.New64a()
	h.Write([]byte(r.start))
	return seed.Derive(h.Sum64(), datasets.HashMoves(r.moves))
}

// material is player 0's share of the pieces on the board and in hand less player 1's, in [-1, 1].
func material(s *engine.State) float32 {
	var n [2]float32
	for p := range 2 {
		men, leaders, _ := s.Pieces(p)
		handMen, handLeaders := s.Hand(p)
		n[p] = float32(men + leaders + handMen + handLeaders)
	}
	p := s.Game().Params().Pieces
	return (n[0] - n[1]) / float32(p.Men+p.Leaders)
}
