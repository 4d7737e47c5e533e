package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// kind is how two games differ in a state.
type kind uint8

const (
	none     kind = iota
	byLegal       // other plies are legal
	byEffect      // the same plies left another board
	byTurn        // the board is the same, but not who acts next, or in which phase
	byEnd         // one game is over, or ended otherwise
)

var kindNames = [...]string{"", "legal", "effect", "turn", "end"}

func (k kind) String() string { return kindNames[k] }

// twin is an alternative as a worker follows it.
type twin struct {
	*alternative
	state *engine.State
	live  bool
}

// finding is what following one game under one alternative gave: the number of plies before the first state that
// differs, -1 if there is none, and how it differs.
type finding struct {
	first int32
	kind  kind
}

// followed is what following one game gave.
type followed struct {
	alts   []finding
	states map[int]int // by parameter, the states that any of its other values decided, as far as the game was followed
}

// together is the number of alternatives followed at once. Each keeps the history of a game, so it bounds a worker's
// memory; the audited game is played again for each such number.
const together = 16

// follow replays a game under every alternative.
func (w *worker) follow(ctx context.Context, r *record, alts []alternative) (followed, error) {
	out := followed{alts: make([]finding, len(alts)), states: map[int]int{}}
	marks := map[int][]bool{}
	for from := 0; from < len(alts); from += together {
		to := min(from+together, len(alts))
		if err := w.followSome(ctx, r, alts[from:to], out.alts[from:to], marks); err != nil {
			return followed{}, err
		}
	}
	for param, marked := range marks {
		for _, m := range marked {
			if m {
				out.states[param]++
			}
		}
	}
	return out, nil
}

// followSome replays a game under a few alternatives, and marks the states that they decided by parameter.
func (w *worker) followSome(ctx context.Context, r *record, alts []alternative, out []finding, marks map[int][]bool) error {
	s := w.state
	s.Reset()
	for i := range alts {
		if len(w.twins) <= i {
			w.twins = append(w.twins, twin{state: alts[i].game.NewState()})
		}
		t := &w.twins[i]
		t.alternative = &alts[i]
		t.state.CopyFrom(alts[i].begin)
		t.live = !t.start
		out[i].first = -1
	}
	twins := w.twins[:len(alts)]
	for ply := 0; ; ply++ {
		if ply%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		last := ply == len(r.actions)
		w.legal = s.Legal(w.legal[:0])
		live := false
		for i := range twins {
			t := &twins[i]
			if !t.live {
				continue
			}
			if k := w.differs(t, w.legal); k != none {
				if out[i].first < 0 {
					out[i] = finding{int32(ply), k}
				}
				if marks[t.param] == nil {
					marks[t.param] = make([]bool, len(r.actions)+1)
				}
				marks[t.param][ply] = true
				if k != byLegal || !t.assumed || last || !t.state.IsLegal(t.there(r.actions[ply])) {
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
			return nil
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
func (w *worker) differs(t *twin, legal []engine.Action) kind {
	s, o := w.state, t.state
	if s.Over() != o.Over() || s.Outcome() != o.Outcome() || endKind(s.Reason()) != endKind(o.Reason()) {
		return byEnd
	}
	if !samePosition(s, o) {
		if sameBoard(s, o) {
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
	return none
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
func (w *worker) difference(t *twin, actions []engine.Action, k kind) Difference {
	s, o := w.state, t.state
	s.Reset()
	before := ""
	for i, a := range actions {
		if i == len(actions)-1 {
			before = s.Format(a)
		}
		s.Play(a)
		o.Play(t.there(a))
	}
	d := Difference{Kind: k.String()}
	switch k {
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
		d.AsPlayed, d.Altered = next(s), next(o)
	case byLegal:
		mine, theirs := texts(s), texts(o)
		d.OnlyAsPlayed, d.OnlyAltered = without(mine, theirs), without(theirs, mine)
		d.Both = len(mine) - len(d.OnlyAsPlayed)
	}
	return d
}

// next says who is to act.
func next(s *engine.State) string {
	if s.Phase() == engine.Movement {
		return fmt.Sprintf("player %d is next", s.ToMove())
	}
	return fmt.Sprintf("player %d is next, in the %s phase", s.ToMove(), s.Phase())
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
