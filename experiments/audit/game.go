package audit

import (
	"context"
	"math/rand/v2"

	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
)

// streams is the first element of the path of every random stream of an audit, apart from the domains of env/seed.
const streams uint64 = 0x6175646974

// The groups of games, in order.
const (
	randomGames = iota
	greedyGames
	mixedGames
	groups
)

var groupNames = [groups]string{"random", "greedy", "mixed"}

// cyclingWindow is the number of plies before the cap that are looked at, and cyclingShare the number of them that must
// lead to positions seen before for the game to count as going in circles.
const (
	cyclingWindow = 100
	cyclingShare  = 50
)

// often is the number of occurrences from which a position counts as coming back again and again: the one at which
// many games speak of a draw.
const often = 3

// record is a played game and what was seen in it. Plies of states count the plies before them; -1 is never.
type record struct {
	actions []engine.Action
	outcome engine.Outcome
	reason  engine.EndReason // NotEnded if the cap stopped it

	takes     int // plies that captured, bound or removed
	quiet     int // plies since the last capture, at the end
	men       [2]int
	moves     int // plies of the movement phase
	seen      int // of these, plies that led to a position of this game
	most      int // occurrences of the most frequent position
	cycling   bool
	passes    int // forced passes
	blocked   int // first state with a blocked player, or the end by blockade
	starved   int // first state in which one side could never take again
	bothStarv int // the same of both sides
	hopeless  int // first state in which neither side could win by taking any more
	recurred  int // first state that occurred for the often-th time
}

func (r *record) capped() bool { return r.outcome == engine.Capped }

// worker is what one goroutine keeps between games.
type worker struct {
	state  *engine.State
	agents [2]mcts.Agent // random, greedy
	count  map[uint64]int
	hunger hunger
	start  bool // taking could win at the start
	twins  []twin
	legal  []engine.Action
	other  []engine.Action
}

func newWorker(g *engine.Game, h hunger) *worker {
	return &worker{
		state: g.NewState(), agents: [2]mcts.Agent{mcts.NewRandom(), mcts.NewGreedy()},
		count: map[uint64]int{}, hunger: h, start: h.winsByTaking(h.start(), h.start()),
	}
}

// seats gives the kinds (0 random, 1 greedy) of the two players of a game.
func seats(group, game int) [2]int {
	switch {
	case group == randomGames:
		return [2]int{0, 0}
	case group == greedyGames:
		return [2]int{1, 1}
	case game%2 == 0:
		return [2]int{1, 0}
	}
	return [2]int{0, 1}
}

// checkEvery is the number of plies between two looks at whether the work was cancelled.
const checkEvery = 256

// play plays one game and looks at every state of it.
func (w *worker) play(ctx context.Context, root uint64, group, game, limit int) (record, error) {
	s := w.state
	s.Reset()
	clear(w.count)
	r := record{blocked: -1, starved: -1, bothStarv: -1, hopeless: -1, recurred: -1}
	rng := seed.New(root, streams, uint64(group), uint64(game))
	who := seats(group, game)
	var circle [cyclingWindow]bool
	if s.Phase() == engine.Movement {
		w.count[s.Hash()] = 1
		r.most = 1
	}
	for ply := 0; !s.Over(); ply++ {
		if ply == limit {
			r.outcome = engine.Capped
			break
		}
		if ply%checkEvery == 0 && ctx.Err() != nil {
			return r, ctx.Err()
		}
		moving := s.Phase() == engine.Movement
		a, err := w.choose(who[s.ToMove()], s, rng, &r, moving, ply)
		if err != nil {
			return r, err
		}
		s.Play(a)
		e := s.LastEffects()
		took := len(e.Captured) > 0 || e.Bound > 0
		if took {
			r.takes++
		}
		if s.Phase() == engine.Movement {
			if took || !moving {
				w.hungry(s, &r, ply+1)
			}
			circle[ply%cyclingWindow] = w.repeats(s, &r, ply+1, moving)
		}
	}
	if !r.capped() {
		r.outcome, r.reason = s.Outcome(), s.Reason()
		if r.reason == engine.Blocked && r.blocked < 0 {
			r.blocked = s.Ply()
		}
	}
	r.actions = append([]engine.Action(nil), s.History()...)
	r.quiet = s.Quiet()
	for p := range r.men {
		men, leaders, _ := s.Pieces(p)
		r.men[p] = men + leaders
	}
	again := 0
	for _, c := range circle {
		if c {
			again++
		}
	}
	r.cycling = r.capped() && again >= cyclingShare
	return r, nil
}

// choose lets a player choose, and notes a forced pass.
func (w *worker) choose(kind int, s *engine.State, rng *rand.Rand, r *record, moving bool, ply int) (engine.Action, error) {
	d, err := w.agents[kind].Choose(s, rng)
	if err != nil {
		return engine.NoAction, err
	}
	if moving && d.Forced && d.Action == s.Game().Pass() {
		// The only ply may also be the stop of a chain or of a bonus: that is no blockade.
		var v engine.View
		if s.View(&v); v.Chain < 0 && !v.Bonus {
			r.passes++
			if r.blocked < 0 {
				r.blocked = ply
			}
		}
	}
	return d.Action, nil
}

// hungry looks at who could still take, in a state of the movement phase in which the numbers of pieces are new.
func (w *worker) hungry(s *engine.State, r *record, ply int) {
	if s.Over() {
		return
	}
	a, b := forcesOf(s, 0), forcesOf(s, 1)
	can0, can1 := w.hunger.canTake(a, b), w.hunger.canTake(b, a)
	if r.starved < 0 && (!can0 || !can1) {
		r.starved = ply
	}
	if r.bothStarv < 0 && !can0 && !can1 {
		r.bothStarv = ply
	}
	if w.start && r.hopeless < 0 && !w.hunger.winsByTaking(a, b) && !w.hunger.winsByTaking(b, a) {
		r.hopeless = ply
	}
}

// repeats counts the position and says whether this game had it before.
func (w *worker) repeats(s *engine.State, r *record, ply int, moving bool) bool {
	if !moving {
		w.count[s.Hash()]++
		r.most = max(r.most, 1)
		return false
	}
	h := s.Hash()
	n := w.count[h] + 1
	w.count[h] = n
	r.moves++
	r.most = max(r.most, n)
	if n == often && r.recurred < 0 {
		r.recurred = ply
	}
	if n > 1 {
		r.seen++
	}
	return n > 1
}
