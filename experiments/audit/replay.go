package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// The ways in which two games differ in a state.
const (
	byLegal  = "legal"  // other plies are legal
	byEffect = "effect" // the same ply left another board
	byTurn   = "turn"   // the same ply handed the turn on otherwise
	byEnd    = "end"    // one game is over, or ended otherwise
)

// twin is an alternative as a worker follows it.
type twin struct {
	*alternative
	state *engine.State
	live  bool
}

// finding is what following one game under one alternative gave.
type finding struct {
	first  int    // number of plies before the first state that differs; -1: none
	kind   string // how it differs
	states []int  // the states that differ, as far as the game was followed
}

// follow replays a game under every alternative at once. The result has an entry for each alternative.
func (w *worker) follow(ctx context.Context, r *record) ([]finding, error) {
	s := w.state
	s.Reset()
	out := make([]finding, len(w.twins))
	for i := range w.twins {
		t := &w.twins[i]
		t.state.Reset()
		t.live = !t.start
		out[i].first = -1
	}
	for ply := 0; ; ply++ {
		if ply%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		last := ply == len(r.actions)
		w.legal = s.Legal(w.legal[:0])
		live := false
		for i := range w.twins {
			t := &w.twins[i]
			if !t.live {
				continue
			}
			kind := w.differs(t, w.legal)
			if kind != "" {
				f := &out[i]
				if f.first < 0 {
					f.first, f.kind = ply, kind
				}
				f.states = append(f.states, ply)
				if kind != byLegal || !t.assumed || last || !t.state.IsLegal(t.there(r.actions[ply])) {
					t.live = false
					continue
				}
			}
			live = true
			if !last {
				t.state.Play(t.there(r.actions[ply]))
			}
		}
		if last || !live {
			return out, nil
		}
		s.Play(r.actions[ply])
	}
}

// there gives an action of the audited game its number in the alternative.
func (t *alternative) there(a engine.Action) engine.Action {
	if t.same {
		return a
	}
	return t.back[a]
}

// differs compares the state of the audited game, whose legal plies are given, with the twin's.
func (w *worker) differs(t *twin, legal []engine.Action) string {
	s, o := w.state, t.state
	if s.Over() != o.Over() || s.Outcome() != o.Outcome() || endKind(s.Reason()) != endKind(o.Reason()) {
		return byEnd
	}
	if !samePosition(s, o) {
		if s.ToMove() != o.ToMove() || s.Phase() != o.Phase() {
			return byTurn
		}
		return byEffect
	}
	w.other = o.Legal(w.other[:0])
	if !t.same {
		for i, a := range w.other {
			w.other[i] = t.number[a]
		}
		slices.Sort(w.other)
	}
	if !slices.Equal(legal, w.other) {
		return byLegal
	}
	return ""
}

// endKind is the reason of an end, but for the two names of annihilation: which of them is given follows from the
// number at which a side has lost.
func endKind(r engine.EndReason) engine.EndReason {
	if r == engine.OneLeft {
		return engine.NoneLeft
	}
	return r
}

// difference tells how the two games differ after the given plies of a game. The state of the audited game is then
// w.state.
func (w *worker) difference(t *twin, actions []engine.Action, kind string) Difference {
	s, o := w.state, t.state
	s.Reset()
	o.Reset()
	before := ""
	for i, a := range actions {
		if i == len(actions)-1 {
			before = s.Format(a)
		}
		s.Play(a)
		o.Play(t.there(a))
	}
	d := Difference{Kind: kind}
	switch kind {
	case byEnd:
		d.AsPlayed, d.Altered = standing(s), standing(o)
	case byEffect:
		d.Ply = before
		g := s.Game()
		for sq := range g.Squares() {
			if x, y := s.At(sq), o.At(sq); x != y {
				d.Squares = append(d.Squares, fmt.Sprintf("%s: %s as played, %s altered", rules.SquareName(sq/g.Cols(), sq%g.Cols()), pieceWords(x), pieceWords(y)))
			}
		}
	case byTurn:
		d.Ply = before
		d.AsPlayed, d.Altered = fmt.Sprintf("player %d is next, in the %s phase", s.ToMove(), s.Phase()), fmt.Sprintf("player %d is next, in the %s phase", o.ToMove(), o.Phase())
	case byLegal:
		mine, theirs := texts(s), texts(o)
		d.OnlyAsPlayed, d.OnlyAltered = without(mine, theirs), without(theirs, mine)
		d.Both = len(mine) - len(d.OnlyAsPlayed)
	}
	return d
}

func texts(s *engine.State) []string {
	var out []string
	for _, a := range s.Legal(nil) {
		out = append(out, s.Format(a))
	}
	return out
}

func without(a, b []string) []string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

func pieceWords(p engine.Piece) string {
	switch p {
	case engine.Empty:
		return "empty"
	case engine.Man0, engine.Man1:
		return fmt.Sprintf("a man of player %d", p.Owner())
	case engine.Leader0, engine.Leader1:
		return fmt.Sprintf("the leader of player %d", p.Owner())
	}
	return fmt.Sprintf("a bound man of player %d", p.Owner())
}

// standing says in words how a game stands.
func standing(s *engine.State) string {
	var out string
	switch s.Outcome() {
	case engine.Ongoing:
		return "the game goes on"
	case engine.Win0:
		out = "player 0 wins"
	case engine.Win1:
		out = "player 1 wins"
	case engine.Draw:
		out = "a draw"
	default:
		out = "stopped without result"
	}
	return out + " (" + strings.TrimPrefix(endWords(s.Reason()), "ended because ") + ")"
}

// endWords says in words what an end reason is.
func endWords(r engine.EndReason) string {
	switch r {
	case engine.OneLeft:
		return "a side was down to one piece or none"
	case engine.NoneLeft:
		return "a side had lost everything that counts"
	case engine.LeaderCaptured:
		return "a leader was captured"
	case engine.LeaderImmobilised:
		return "a leader could not move"
	case engine.Blocked:
		return "blockade: the player to move had no move"
	case engine.NoCaptureLimit:
		return "too many plies in a row without a capture"
	case engine.TwoPasses:
		return "both players passed, one after the other"
	case engine.Repetition:
		return "a position stood for the third time"
	case engine.TurnLimit:
		return "the turn limit of the Ludii system"
	}
	return "no end: stopped by the length cap"
}
