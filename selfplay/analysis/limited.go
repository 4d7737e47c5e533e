package analysis

import (
	"bytes"
	"encoding/json"
	"slices"

	"latro/env/engine"
)

// plyRule is one entry of avoid_moves or allow_moves.
type plyRule struct {
	// Player is whose plies it is about; nil is both.
	Player *int `json:"player"`
	// Moves are plies in the query's notation.
	Moves []string `json:"moves"`
	// UntilDepth is the depth down to which it holds: 1 is the position asked about alone.
	UntilDepth *int `json:"until_depth"`
}

func (r *plyRule) depth() int {
	if r.UntilDepth == nil {
		return 1
	}
	return *r.UntilDepth
}

// limits is what a query says of the plies to look at; nil is no limit.
type limits struct {
	notation     Notation
	avoid, allow []plyRule
	depth        int // from here on down everything is looked at
}

// limits reads avoid_moves and allow_moves.
func (f *fields) limits() *limits {
	l := &limits{}
	for _, c := range []struct {
		name string
		into *[]plyRule
	}{{"avoid_moves", &l.avoid}, {"allow_moves", &l.allow}} {
		var raw json.RawMessage
		const want = `a list of objects such as {"moves":["c2-c3"],"player":0,"until_depth":1}`
		if !f.read(c.name, &raw, want) {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(c.into); err != nil {
			f.fail(wrong(c.name, "%s is not %s", shorten(string(raw)), want))
			return nil
		}
		plies := 0
		for i, r := range *c.into {
			plies += len(r.Moves)
			switch {
			case len(r.Moves) == 0:
				f.fail(wrong(c.name, "entry %d has no moves", i))
			case r.Player != nil && *r.Player != 0 && *r.Player != 1:
				f.fail(wrong(c.name, "entry %d: player is %d; it must be 0 or 1", i, *r.Player))
			case r.depth() < 1 || r.depth() > MaxAvoidDepth:
				f.fail(wrong(c.name, "entry %d: until_depth is %d; it must be in 1..%d", i, r.depth(), MaxAvoidDepth))
			}
			l.depth = max(l.depth, r.depth())
		}
		if plies > MaxAvoid {
			f.fail(wrong(c.name, "%d plies are too many; %d are allowed", plies, MaxAvoid))
		}
	}
	if len(l.avoid)+len(l.allow) == 0 {
		return nil
	}
	return l
}

// keep leaves those plies of st, which lies so many plies below the position asked about, that may be looked at; they stay
// in their order. If that would be none, it leaves all: a line of play that cannot go on is worth nothing.
func (l *limits) keep(st *engine.State, depth int, legal []engine.Action) []engine.Action {
	if l == nil || depth >= l.depth {
		return legal
	}
	kept := slices.DeleteFunc(slices.Clone(legal), func(a engine.Action) bool { return l.barred(st, depth, l.notation.format(st, a)) })
	if len(kept) == 0 {
		return legal
	}
	return append(legal[:0], kept...)
}

// barred says whether a ply must not be looked at.
func (l *limits) barred(st *engine.State, depth int, ply string) bool {
	holds := func(r *plyRule) bool { return depth < r.depth() && (r.Player == nil || *r.Player == st.ToMove()) }
	for i := range l.avoid {
		if r := &l.avoid[i]; holds(r) && slices.Contains(r.Moves, ply) {
			return true
		}
	}
	only, listed := false, false
	for i := range l.allow {
		if r := &l.allow[i]; holds(r) {
			only, listed = true, listed || slices.Contains(r.Moves, ply)
		}
	}
	return only && !listed
}

// check says what is wrong with the limits at a position that is asked about. A ply that is not legal there is a
// mistake unless the entry reaches further down.
func (l *limits) check(st *engine.State, ply int, legal []engine.Action) *queryError {
	if l == nil || len(legal) == 0 {
		return nil
	}
	texts := l.notation.formatAll(st, legal)
	for _, c := range []struct {
		name string
		list []plyRule
	}{{"avoid_moves", l.avoid}, {"allow_moves", l.allow}} {
		for i := range c.list {
			r := &c.list[i]
			if r.depth() > 1 || r.Player != nil && *r.Player != st.ToMove() {
				continue
			}
			for _, m := range r.Moves {
				if !slices.Contains(texts, m) {
					return wrong(c.name, "%q is no legal ply after ply %d", shorten(m), ply)
				}
			}
		}
	}
	for _, text := range texts {
		if !l.barred(st, 0, text) {
			return nil
		}
	}
	return wrong(fieldOf(l), "no ply is left after ply %d", ply)
}

// fieldOf is the field to blame.
func fieldOf(l *limits) string {
	if len(l.allow) > 0 {
		return "allow_moves"
	}
	return "avoid_moves"
}

// limited is a state in which a search sees the plies that limits leave.
type limited struct {
	*engine.State
	limits *limits
	depth  int // plies below the position asked about
}

// Legal implements mcts.State.
func (x *limited) Legal(dst []engine.Action) []engine.Action {
	n := len(dst)
	dst = x.State.Legal(dst)
	return dst[:n+len(x.limits.keep(x.State, x.depth, dst[n:]))]
}

// Play implements mcts.State.
func (x *limited) Play(a engine.Action) {
	x.State.Play(a)
	x.depth++
}

// Undo implements mcts.State.
func (x *limited) Undo() {
	x.State.Undo()
	x.depth--
}

// able says whether the agent can be kept from looking at plies.
func (b *binding) able(l *limits) *queryError {
	switch {
	case l == nil || b.search != nil:
		return nil
	case !b.uct:
		return wrong(fieldOf(l), "the agent %s cannot be kept from looking at plies; net, uniform, rollout and uct can", b.name)
	case l.depth > 1:
		return wrong(fieldOf(l), "the agent %s can be kept from looking at plies of the position itself only, until_depth 1", b.name)
	}
	return nil
}
