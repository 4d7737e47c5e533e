package exact

import (
	"context"

	"latro/env/engine"
)

// Prove tries to show that a position which is worth Win0OrDraw or Win1OrDraw is won under the ruleset's own repetition
// rule: it goes through all plies of the loser, and for the winner through those that bring the end nearer, with real
// histories, and looks at no more than so many positions. The state must be of the ruleset with its repetition rule; it is
// as it was afterwards. False means that nothing was shown. The error is ctx's.
func (r *Reader) Prove(ctx context.Context, st *engine.State, positions int) (bool, error) {
	a, ok := r.Look(st)
	if !ok || a.Value == Draw || st.Over() {
		return false, nil
	}
	p := &prover{ctx: ctx, r: r, left: positions, known: map[key]bool{}}
	if a.Value.Seen(0) < 0 {
		p.winner = 1
	}
	won := p.won(st, a.Distance, false)
	return won && p.err == nil, p.err
}

type prover struct {
	ctx    context.Context
	r      *Reader
	winner int
	left   int
	known  map[key]bool // positions to whose boards nothing earlier can come back
	err    error
}

// won says whether the winner was shown to win from here. fresh says that no earlier position can occur again.
func (p *prover) won(st *engine.State, distance int, fresh bool) bool {
	if p.left--; p.left < 0 || p.err != nil {
		return false
	}
	if p.left&0xff == 0 {
		if p.err = p.ctx.Err(); p.err != nil {
			return false
		}
	}
	var k key
	if fresh {
		h, err := p.r.c.hiddenOf(st)
		if err != nil {
			return false
		}
		k = p.r.c.key(st, &h)
		if won, ok := p.known[k]; ok {
			return won
		}
	}
	plies, ok := p.r.Plies(st)
	if !ok {
		return false
	}
	mine := st.ToMove() == p.winner
	result := !mine
	for _, ply := range plies {
		won := ply.Value.Seen(p.winner) > 0 && ply.Distance < distance
		if won && ply.Distance > 0 { // else the game is over
			placing := st.Phase() != engine.Movement
			st.Play(ply.Action)
			won = p.won(st, ply.Distance, placing || len(st.LastEffects().Captured) > 0)
			st.Undo()
		}
		if won == mine {
			result = mine
			break
		}
	}
	if fresh && p.left >= 0 && p.err == nil {
		p.known[k] = result
	}
	return result
}
