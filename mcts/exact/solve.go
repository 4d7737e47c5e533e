package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"latro/env/engine"
	"latro/env/rules"
)

var (
	// ErrTooLarge is wrapped by the error of a game that does not fit into the memory allowed.
	ErrTooLarge = errors.New("exact: the game is too large to be solved")
	// ErrHistory is wrapped by the error of a game whose legal plies depend on its history, which retrograde analysis
	// cannot know: see SearchTree.
	ErrHistory = errors.New("exact: what is legal depends on the history of the game")
	// ErrUnsolvable is wrapped by the error of rules that are outside of what the package solves.
	ErrUnsolvable = errors.New("exact: these rules are not for the exact solver")
)

// Options say how Solve works. The zero value is ready: the game's own start, 1 GiB, no limits but the context's.
type Options struct {
	// Position, as engine.Game.ParsePosition reads it, is solved in place of the game's start, with all that can be reached
	// from it. What its field seen= says of earlier positions is not looked at.
	Position string
	// Memory is the bytes that the solver may use at most; 0 is 1 GiB.
	Memory int64
	// Try begins although the bound of the state space does not fit into the memory: often few of the positions that the
	// bound counts can be reached. ErrTooLarge comes when the memory is full.
	Try bool
	// Progress, if set, is called now and then, by the goroutine that called Solve.
	Progress func(Progress)
}

// Progress is how far Solve is.
type Progress struct {
	Stage string // "positions", "values", "repetition" or "start"
	// Found and Done are the positions found so far, and those of them whose plies are known.
	Found, Done int
	Bytes       int64
}

// bytesPerState is what a position takes without its edges: its key and its slots in the hash table (at most 22 bytes),
// mover and degree (3, or 9 for a moment as they grow), value and distance (3), a counter (2), its place in the reversed
// graph (4); and what the collector needs to work in time.
const bytesPerState = 52

// bytesPerEdge is an edge in the graph and in the reversed graph.
const bytesPerEdge = 8

// bytesPerBlend is what a position takes besides where the repetition rule tells fewer positions apart than the solver.
const bytesPerBlend = 64

// edgesPerState is a guess for the bound, which does not count edges.
const edgesPerState = 6

// DefaultMemory is the memory that Solve uses at most if nothing else is said.
const DefaultMemory = 1 << 30

// Solve finds the value of every position that can be reached, under optimal play by both sides. The ruleset's
// repetition rule decides how: see the package's text. It fails with an error that wraps ErrTooLarge, ErrHistory,
// ErrUnsolvable or engine.ErrInvalid if the input is to blame, and with ctx's error if it was stopped.
func Solve(ctx context.Context, r *rules.Ruleset, o Options) (*Solution, error) {
	began := time.Now()
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	c, err := prepare(r)
	if err != nil {
		return nil, err
	}
	start := c.game.NewState()
	if o.Position != "" {
		if start, err = c.game.ParsePosition(withoutHistory(o.Position)); err != nil {
			return nil, err
		}
	}
	if start.Over() {
		return nil, fmt.Errorf("%w: the game is over where it starts (%s, %s)", ErrUnsolvable, start.Outcome(), start.Reason())
	}
	if o.Position == "" && !o.Try {
		bound, _ := new(big.Float).SetInt(Bound(r.Params)).Float64()
		bound /= float64(len(c.weight)) // nearly all positions have as many different images
		if need := bound * c.perState(r); need > float64(o.Memory) {
			return nil, fmt.Errorf("%w: up to %.3g positions in %.3g MB, and %d MB are allowed; take a smaller board or fewer men, allow more memory, "+
				"or try all the same, since often few of them can be reached", ErrTooLarge, bound, need/(1<<20), o.Memory>>20)
		}
	}
	x := &explorer{ctx: ctx, c: c, options: o, store: newStore(), graph: newGraph()}
	if blended(r) && c.blends() {
		x.extra = bytesPerBlend
	}
	if err := x.explore(start); err != nil {
		return nil, err
	}
	return x.finish(r, start, began)
}

// prepare compiles the ruleset without its repetition rule.
func prepare(r *rules.Ruleset) (*codec, error) {
	p := r.Params
	switch {
	case p.Repetition.Rule == "positional-superko" || p.Repetition.Rule == "situational-superko":
		return nil, fmt.Errorf("%w: with repetition.rule %s a position has as many values as histories; take threefold-draw or none, or search the tree", ErrHistory, p.Repetition.Rule)
	case p.End.TurnLimit > 0:
		return nil, fmt.Errorf("%w: games that are stopped at turn %d have no result; set end.turn_limit=0", ErrUnsolvable, p.End.TurnLimit)
	case p.Setup.AgreementMax > 0:
		return nil, fmt.Errorf("%w: the players agree on the number of men; set setup.agreement_max=0", ErrUnsolvable)
	}
	p.Repetition.Rule = "none"
	g, err := engine.Compile(p)
	if err != nil {
		return nil, err
	}
	return newCodec(g)
}

// blended says whether the repetition rule ends games.
func blended(r *rules.Ruleset) bool { return r.Params.Repetition.Rule == "threefold-draw" }

func (c *codec) perState(r *rules.Ruleset) float64 {
	n := bytesPerState + edgesPerState*bytesPerEdge
	if blended(r) && c.blends() {
		n += bytesPerBlend
	}
	return float64(n)
}

// explorer finds the positions that can be reached, and their plies.
type explorer struct {
	ctx     context.Context
	c       *codec
	options Options
	store   *store
	graph   *graph
	extra   int64
	peak    int64 // of bytes

	legal  []engine.Action
	next   []uint32
	fresh  []engine.Action // actions of the position at hand that led to new positions
	parent []uint32        // positions whose new successors wait to be looked at
	plies  [][]engine.Action
	done   int
}

// explore looks at positions in the order in which they were found. A position is not set up from its key but played from
// its first predecessor, which is set up once for all successors that it has first: setting up takes as long as many plies.
func (x *explorer) explore(start *engine.State) error {
	h, err := x.c.hiddenOf(start)
	if err != nil {
		return err
	}
	first := x.c.key(start, &h)
	x.store.add(first)
	// The start may lie otherwise than its key.
	s, h, err := x.c.state(first)
	if err != nil {
		return err
	}
	if err := x.expand(s, &h, 0); err != nil {
		return err
	}
	for head := 0; head < len(x.parent); head++ {
		if head >= 1<<16 { // a queue: what was taken off goes
			x.parent = append(x.parent[:0:0], x.parent[head:]...)
			x.plies = append(x.plies[:0:0], x.plies[head:]...)
			head = 0
		}
		p := x.parent[head]
		s, h, err := x.c.state(x.store.at(p))
		if err != nil {
			return err
		}
		mover := s.ToMove()
		for _, a := range x.plies[head] {
			s.Play(a)
			after := x.c.after(&h, mover, a, s)
			id := uint32(x.done)
			if err := x.expand(s, &after, id); err != nil {
				return err
			}
			s.Undo()
		}
		x.plies[head] = nil
	}
	return nil
}

// expand adds the plies of the position, whose number is id, to the graph.
func (x *explorer) expand(s *engine.State, h *hidden, id uint32) error {
	if x.done&0x3fff == 0 {
		if err := x.pause(); err != nil {
			return err
		}
	}
	x.done++
	x.legal = s.Legal(x.legal[:0])
	x.next = x.next[:0]
	fresh := x.fresh[:0]
	mover := s.ToMove()
	for _, a := range x.legal {
		s.Play(a)
		switch s.Outcome() {
		case engine.Win0:
			x.next = append(x.next, endWin0)
		case engine.Win1:
			x.next = append(x.next, endWin1)
		case engine.Draw:
			x.next = append(x.next, endDraw)
		default:
			after := x.c.after(h, mover, a, s)
			to, isNew := x.store.add(x.c.key(s, &after))
			if isNew {
				fresh = append(fresh, a)
			}
			x.next = append(x.next, to+firstNode)
		}
		s.Undo()
	}
	x.fresh = fresh
	if len(fresh) > 0 {
		x.parent = append(x.parent, id)
		// They will be played from the position that the key stands for.
		_, symmetry := x.c.keyAndSymmetry(s, h)
		plies := make([]engine.Action, len(fresh))
		for i, a := range fresh {
			plies[i] = x.c.action[symmetry][a]
		}
		x.plies = append(x.plies, plies)
	}
	slices.Sort(x.next)
	x.next = slices.Compact(x.next)
	x.graph.add(uint8(mover), x.next)
	return nil
}

// bytes is the memory that solving takes, the parts that are still to come included.
func (x *explorer) bytes() int64 {
	n := int64(x.store.len())
	waiting := int64(len(x.parent)) * 64
	return x.store.bytes() + n*(bytesPerState-22+x.extra) + int64(x.graph.edges.n)*bytesPerEdge + waiting
}

func (x *explorer) pause() error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	need := x.bytes()
	x.peak = max(x.peak, need)
	if need > x.options.Memory {
		return fmt.Errorf("%w: %d MB are full with %d positions, of which %d had been looked at; take a smaller board or fewer men, or allow more memory",
			ErrTooLarge, x.options.Memory>>20, x.store.len(), x.done)
	}
	if uint64(x.graph.edges.n) > math.MaxUint32-1<<24 {
		return fmt.Errorf("%w: more than %d plies", ErrTooLarge, x.graph.edges.n)
	}
	x.progress("positions")
	return nil
}

func (x *explorer) progress(stage string) {
	if x.options.Progress != nil {
		x.options.Progress(Progress{Stage: stage, Found: x.store.len(), Done: x.done, Bytes: x.bytes()})
	}
}

// finish finds the values.
func (x *explorer) finish(r *rules.Ruleset, start *engine.State, began time.Time) (*Solution, error) {
	x.peak = max(x.peak, x.bytes())
	x.parent, x.plies = nil, nil
	x.progress("values")
	edges := x.graph.edges.n
	back := x.graph.reverse()
	value, distance, err := settle(x.ctx, x.graph, back)
	if err != nil {
		return nil, err
	}
	sol := &Solution{codec: x.c, store: x.store, value: value[firstNode:], distance: distance[firstNode:], ruleset: r}
	if blended(r) && x.c.blends() {
		x.progress("repetition")
		x.blend()
		certified, err := certify(x.ctx, x.graph, back, value, x.c.quiet)
		if err != nil {
			return nil, err
		}
		for i, ok := range certified[firstNode:] {
			if !ok && sol.value[i] != valueDraw {
				sol.value[i] |= openBit
			}
		}
	}
	if !valueOf(sol.value[0]).Exact() {
		x.progress("start")
		if err := x.proveStart(r, sol); err != nil {
			return nil, err
		}
	}
	sol.Info = sol.describe(r, x.options, start, edges)
	sol.Info.Seconds = time.Since(began).Seconds()
	sol.Info.Bytes = x.peak
	return sol, nil
}

// proofPositions bounds the proof of the start's value.
const proofPositions = 200_000

// proveStart looks whether the win at the start, which the second pass could not show, can be shown line by line.
func (x *explorer) proveStart(r *rules.Ruleset, sol *Solution) error {
	g, err := engine.Compile(r.Params)
	if err != nil {
		return err
	}
	start, err := sol.State(g, 0)
	if err != nil {
		return err
	}
	won, err := sol.NewReader().Prove(x.ctx, start, proofPositions)
	if won {
		sol.value[0] &^= openBit
	}
	return err
}

// blend brings the positions in the order that certify needs.
func (x *explorer) blend() {
	type member struct {
		same  key
		quiet int
		id    uint32
	}
	var all []member
	for id := range uint32(x.store.len()) {
		if same, quiet, counted := x.c.repetitionPart(x.store.at(id)); counted {
			all = append(all, member{same, quiet, id})
		}
	}
	slices.SortFunc(all, func(a, b member) int {
		switch {
		case a.same != b.same:
			if a.same.less(b.same) {
				return -1
			}
			return 1
		case a.quiet != b.quiet:
			return a.quiet - b.quiet
		}
		return int(int64(a.id) - int64(b.id))
	})
	g := x.graph
	group := uint32(0)
	for i, m := range all {
		if i > 0 && m.same != all[i-1].same {
			group++
		}
		g.order = append(g.order, m.id+firstNode)
		g.group = append(g.group, group)
		g.quiet = append(g.quiet, uint16(m.quiet))
	}
}
