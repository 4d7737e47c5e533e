package engine

import (
	"fmt"
	"math/rand/v2"
)

// Effects is what the last ply did.
type Effects struct {
	// Captured lists the squares emptied by captures and removals, ascending (with capture.moving_between taken also
	// the square of the arriving piece itself). It is valid until the state's next call.
	Captured []uint16
	// CapturedLeader says whether one of them held a leader.
	CapturedLeader bool
	// Bound and Freed are the numbers of men that became bound and free.
	Bound, Freed int
	// Removed says whether bound men were taken off, by a removal or as the turn began.
	Removed bool
	// WasBonus says whether the ply was a bonus ply (its stop too).
	WasBonus bool
}

// State is one game in progress, with the history that the repetition rule and Undo need. Its memory grows with the
// length of the game and is kept by Reset. A State is not safe for concurrent use; different States are independent.
type State struct {
	game *Game
	core core
	buf  []uint16
}

// NewState returns the start of a game.
func (g *Game) NewState() *State {
	s := &State{game: g, buf: make([]uint16, 0, 32)}
	switch g.words {
	case 1:
		s.core = newCoreW1(g, g.w1)
	case 2:
		s.core = newCoreW2(g, g.w2)
	default:
		s.core = newCoreW4(g, g.w4)
	}
	return s
}

// Game returns the compiled ruleset.
func (s *State) Game() *Game { return s.game }

// Reset goes back to the start of the game, keeping memory.
func (s *State) Reset() { s.core.reset() }

// CopyFrom makes s a copy of o, history included. It does not allocate once s has held a game as long. The two may be
// of different games.
func (s *State) CopyFrom(o *State) {
	if s == o {
		return
	}
	if s.game.words != o.game.words {
		*s = *o.game.NewState()
	}
	s.game = o.game
	s.core.copyFrom(o.core)
}

// Clone returns an independent copy.
func (s *State) Clone() *State {
	c := s.game.NewState()
	c.CopyFrom(s)
	return c
}

// ToMove is the player who makes the next ply, 0 or 1; after the end, who would have made it.
func (s *State) ToMove() int { return int(s.core.scal().mover) }

// Legal appends the legal actions to dst in ascending order and returns it. The forced pass is among them; there are
// none if and only if the game is over.
func (s *State) Legal(dst []Action) []Action { return s.core.legal(dst) }

// IsLegal says whether the action is legal; any number may be asked about.
func (s *State) IsLegal(a Action) bool { return s.core.isLegal(a) }

// Play makes a ply, which must be legal: that is not checked, and an illegal one leaves the state undefined.
func (s *State) Play(a Action) { s.core.play(a) }

// TryPlay makes a ply if it is legal. Otherwise it changes nothing and returns an error that wraps ErrIllegal.
func (s *State) TryPlay(a Action) error {
	if err := s.refuse(a); err != nil {
		return err
	}
	s.core.play(a)
	return nil
}

// refuse says why an action is not legal; nil if it is.
func (s *State) refuse(a Action) error {
	if s.core.isLegal(a) {
		return nil
	}
	if s.Over() {
		return fmt.Errorf("%w: the game is over (%s, %s)", ErrIllegal, s.Outcome(), s.Reason())
	}
	if _, err := s.game.Decode(a); err != nil {
		return fmt.Errorf("%w: %w", ErrIllegal, err)
	}
	return fmt.Errorf("%w: %s by player %d in the %s phase", ErrIllegal, s.Format(a), s.ToMove(), s.Phase())
}

// Undo takes the last ply back. It panics if History is empty.
func (s *State) Undo() {
	if len(s.core.history()) == 0 {
		panic("engine: Undo without a ply to take back")
	}
	s.core.undo()
}

// Over says whether the game has ended.
func (s *State) Over() bool { return s.core.scal().outcome != Ongoing }

// Outcome is how the game stands or ended.
func (s *State) Outcome() Outcome { return s.core.scal().outcome }

// Reason is the end rule that fired, NotEnded while the game goes on.
func (s *State) Reason() EndReason { return s.core.scal().reason }

// Value is the result for player 0: +1, 0 or -1. It is proven only if the rules gave a result: not while the game goes
// on, and not when it was capped.
func (s *State) Value() (v0 float64, proven bool) {
	switch s.core.scal().outcome {
	case Win0:
		return 1, true
	case Win1:
		return -1, true
	case Draw:
		return 0, true
	}
	return 0, false
}

// Ply is the number of plies made since the start.
func (s *State) Ply() int { return int(s.core.scal().ply) }

// Turn is the turn counter: 1 at the start, and one more whenever the mover changes.
func (s *State) Turn() int { return int(s.core.scal().turn) }

// Quiet is the number of plies of the movement phase since the last capture or removal.
func (s *State) Quiet() int { return int(s.core.scal().quiet) }

// Phase is the phase of the next ply.
func (s *State) Phase() Phase { return s.core.scal().phase }

// At is what stands on a square, 0 to Squares-1.
func (s *State) At(sq int) Piece { return s.core.at(sq) }

// Hand is what the player still has to place.
func (s *State) Hand(player int) (men, leaders int) {
	p := s.core.scal()
	return int(p.handMen[player]), int(p.handLead[player])
}

// Pieces counts the player's pieces on the board; men includes the bound ones.
func (s *State) Pieces(player int) (men, leaders, bound int) {
	p := s.core.scal()
	return int(p.cntMen[player]), int(p.cntLead[player]), s.core.boundOf(player)
}

// Hash is a 64-bit hash of what decides how the game goes on, history and counters aside: board, bound marks, hands,
// mover, phase, what the mover is in the middle of and the squares used by a chain. It is the same in every run.
// Positions that differ may share a hash; the repetition rules compare the positions themselves.
func (s *State) Hash() uint64 {
	p := s.core.scal()
	h := p.key ^ s.game.zOther
	if p.mover != 0 {
		h ^= s.game.zNext
	}
	mix := func(v uint64) {
		h ^= v + 0x9e3779b97f4a7c15
		h ^= h >> 30
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 27
		h *= 0x94d049bb133111eb
		h ^= h >> 31
	}
	if p.cont != contNone || p.phase != Movement || p.open {
		open := uint64(0)
		if p.open {
			open = 1
		}
		mix(uint64(p.cont) | uint64(p.phase)<<8 | uint64(uint16(p.chain))<<16 | uint64(p.placed)<<32 | uint64(p.agreePasses)<<40 |
			uint64(p.firstPlacer)<<48 | open<<56)
		for _, w := range s.core.visitedWords() {
			if w != 0 {
				mix(w)
			}
		}
	}
	return h
}

// RepetitionCount is the number of times the position has occurred, this time included, where the rule is
// threefold-draw and the last ply ended a turn of the movement phase; otherwise 1.
func (s *State) RepetitionCount() int { return int(s.core.scal().repCount) }

// History returns the actions played since the start, or since the position string that the state was read from. The
// slice is valid until the state's next call and is not to be changed.
func (s *State) History() []Action { return s.core.history() }

// LastEffects says what the last ply did; nothing, if there is no ply in History.
func (s *State) LastEffects() Effects {
	e := s.core.lastEffects(s.buf[:0])
	if e.Captured != nil {
		s.buf = e.Captured
	}
	return e
}

// Playout plays uniformly random legal plies, in place, until the game ends or maxPlies have been played, and returns
// their number. Each is drawn with equal probability from the exact legal set. Undo takes them back one by one. It does
// not allocate, but for the growth of the history.
func (s *State) Playout(rng *rand.Rand, maxPlies int) (plies int) {
	return s.core.playout(rng, maxPlies)
}

// PlyOf decodes an action on this board: where Game.Decode says Move, it says Move or Hop. Numbers that the ruleset does
// not use give a Pass from and to square -1.
func (s *State) PlyOf(a Action) Ply {
	ply, err := s.game.Decode(a)
	if err != nil {
		return Ply{Kind: Pass, From: -1, To: -1}
	}
	ply.Kind = s.core.plyKind(&s.game.acts[a])
	return ply
}
