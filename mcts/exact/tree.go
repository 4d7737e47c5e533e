package exact

import (
	"context"
	"fmt"

	"latro/env/engine"
)

// TreeLimits bound SearchTree.
type TreeLimits struct {
	// Depth is the greatest number of plies to look ahead, Nodes the number of plies to be tried in all.
	Depth int
	Nodes int64
}

// TreeResult is what a search of the tree found out.
type TreeResult struct {
	// Low and High are the bounds of the value for player 0, each -1, 0 or +1; they are equal if it is proven.
	Low, High float64
	// Depth is the greatest depth that was searched through. If somebody wins it is the plies to the end if the winner hurries
	// and the loser delays.
	Depth int
	Nodes int64
}

// Proven says whether the value is known.
func (r TreeResult) Proven() bool { return r.Low == r.High }

// SearchTree looks from a position through every line of play with its own history, ever deeper: what it proves holds
// under any repetition rule, superko among them. Nothing is remembered of one line for another, since the same board after
// another history may have another value; so it is for the smallest trees only, and for checking other solvers. The
// state is as it was afterwards. The error is ctx's.
func SearchTree(ctx context.Context, s *engine.State, limits TreeLimits) (TreeResult, error) {
	t := &tree{ctx: ctx, s: s, limit: limits.Nodes}
	r := TreeResult{Low: -1, High: 1}
	if v, proven := s.Value(); proven {
		return TreeResult{Low: v, High: v}, nil
	}
	for depth := 1; depth <= limits.Depth; depth++ {
		// Each question: can the player force at least this result within so many plies?
		for _, q := range []struct {
			player int
			want   float64
			told   func()
		}{
			{0, 1, func() { r.Low = 1 }}, {1, 1, func() { r.High = -1 }},
			{0, 0, func() { r.Low = max(r.Low, 0) }}, {1, 0, func() { r.High = min(r.High, 0) }},
		} {
			if q.want == 0 && (q.player == 0 && r.Low >= 0 || q.player == 1 && r.High <= 0) {
				continue
			}
			if t.force(q.player, q.want, depth) {
				q.told()
			}
			if t.err != nil {
				return r, t.err
			}
			if t.full {
				r.Nodes = t.nodes
				return r, nil
			}
			if r.Low >= r.High {
				r.Depth, r.Nodes = depth, t.nodes
				return r, nil
			}
		}
		r.Depth, r.Nodes = depth, t.nodes
	}
	return r, nil
}

// Forces says whether a player can force a win (want 1) or at least a draw (want 0) within so many plies, history
// included. It fails with ErrTooLarge after so many nodes.
func Forces(ctx context.Context, s *engine.State, player int, want float64, depth int, nodes int64) (bool, error) {
	t := &tree{ctx: ctx, s: s, limit: nodes}
	ok := t.force(player, want, depth)
	if t.err == nil && t.full {
		t.err = fmt.Errorf("%w: %d plies were tried", ErrTooLarge, nodes)
	}
	return ok && t.err == nil, t.err
}

type tree struct {
	ctx   context.Context
	s     *engine.State
	nodes int64
	limit int64
	full  bool
	err   error
	legal []engine.Action // a stack
}

// force looks whether the player can force at least the wanted result, 1 or 0 for himself, within depth plies.
func (t *tree) force(player int, want float64, depth int) bool {
	if v, proven := t.s.Value(); t.s.Over() {
		if player == 1 {
			v = -v
		}
		return proven && v >= want
	}
	if depth == 0 || t.full {
		return false
	}
	if t.nodes++; t.nodes > t.limit {
		t.full = true
		return false
	}
	if t.nodes&0xfff == 0 {
		if t.err = t.ctx.Err(); t.err != nil {
			t.full = true
			return false
		}
	}
	from := len(t.legal)
	t.legal = t.s.Legal(t.legal)
	end := len(t.legal)
	mine := t.s.ToMove() == player
	result := !mine
	for i := from; i < end; i++ {
		t.s.Play(t.legal[i])
		ok := t.force(player, want, depth-1)
		t.s.Undo()
		if ok == mine {
			result = mine
			break
		}
	}
	t.legal = t.legal[:from]
	return result
}
