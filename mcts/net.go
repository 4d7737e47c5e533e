package mcts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"weak"

	"latro/env/engine"
)

// Net plays by search over an evaluator, usually a network.
//
// With Config.ReuseTree it keeps for each game the tree below the position that the game has come to. A game is known by
// its *engine.State: the tree is kept if the state's history goes on from that of the agent's last choice on it. So a choice
// depends on the agent's earlier ones in that game, and on no other game.
//
// With Config.Seconds it decides in one game after the other, each in its own time, the evaluator's included; give it
// Config.Leaves above 1, so that the evaluator has batches. Without, it decides in all games of a batch at once.
//
// Not for concurrent use.
type Net struct {
	name   string
	ev     Evaluator
	cfg    Config
	runner Runner
	watch  stopwatch
	rate   float64 // simulations a second, of the last choices with a time limit

	searches []*Search // of the batch
	idle     []*netGame
	games    map[weak.Pointer[engine.State]]*netGame
	turn     uint64 // counts calls of ChooseBatch
	seen     uint64 // counts games
	chosen   []*netGame
}

// netGame is what a search needs, and with Config.ReuseTree what is kept of a game.
type netGame struct {
	search  *Search
	states  []State // as many as leaves; the first is the caller's, while it is searched
	history []engine.Action
	turn    uint64 // of the latest choice
	number  uint64 // of the game, as they came
}

// keptGames is the number of games of which a Net keeps the tree, or if that is more, four times those of a batch: more
// than are played side by side. Beyond it those go that were not asked about for longest.
const keptGames = 64

// NewNet returns an agent that searches with cfg over ev. The name is the agent's specification as it is to be
// shown and recorded. It refuses an invalid cfg.
func NewNet(name string, ev Evaluator, cfg Config) (*Net, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if ev == nil {
		return nil, errors.New("mcts: NewNet without an evaluator")
	}
	return &Net{name: name, ev: ev, cfg: cfg, games: map[weak.Pointer[engine.State]]*netGame{}}, nil
}

// Name implements Agent.
func (a *Net) Name() string { return a.name }

// Config returns the search's configuration.
func (a *Net) Config() Config { return a.cfg }

// Reproducible is false if a clock ends the search.
func (a *Net) Reproducible() bool { return a.cfg.Seconds == 0 }

// Choose implements Agent.
func (a *Net) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	var out [1]Decision
	err := a.ChooseBatch([]*engine.State{s}, []*rand.Rand{rng}, out[:])
	return out[0], err
}

// ChooseBatch implements BatchAgent.
func (a *Net) ChooseBatch(states []*engine.State, rngs []*rand.Rand, out []Decision) error {
	if len(rngs) != len(states) || len(out) != len(states) {
		return fmt.Errorf("mcts: ChooseBatch with %d states, %d random streams and room for %d decisions", len(states), len(rngs), len(out))
	}
	a.turn++
	if a.cfg.Seconds == 0 {
		return a.choose(states, rngs, out)
	}
	for i := range states {
		if err := a.chooseInTime(states[i:i+1], rngs[i:i+1], out[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// chooseInTime decides in one game, as long as its time lasts.
func (a *Net) chooseInTime(states []*engine.State, rngs []*rand.Rand, out []Decision) error {
	a.watch.start(a.cfg.Clock, a.cfg.Seconds)
	defer a.watch.stop()
	if err := a.choose(states, rngs, out); err != nil {
		return err
	}
	if n := out[0].Simulations; n > 0 && !out[0].Proven {
		const share = 0.25 // of the latest choice in the average
		rate := float64(n) / max(1e-6, a.watch.elapsed().Seconds())
		if a.rate == 0 {
			a.rate = rate
		}
		a.rate += share * (rate - a.rate)
	}
	return nil
}

// firstRate is the simulations a second that are assumed before any were counted: a small network's.
const firstRate = 5000

// plan is the configuration of the next search. Gumbel's halving needs to know how many simulations there will be.
func (a *Net) plan() Config {
	cfg := a.cfg
	if cfg.Seconds > 0 && cfg.Kind == Gumbel {
		rate := a.rate
		if rate == 0 {
			rate = firstRate
		}
		cfg.Simulations = min(cfg.Simulations, max(1, int(rate*cfg.Seconds)))
	}
	return cfg
}

func (a *Net) choose(states []*engine.State, rngs []*rand.Rand, out []Decision) (err error) {
	a.searches, a.chosen = a.searches[:0], a.chosen[:0]
	defer func() {
		for i, g := range a.chosen {
			g.states[0] = nil
			if !a.cfg.ReuseTree {
				a.idle = append(a.idle, g)
			} else if err != nil {
				a.forget(weak.Make(states[i]))
			}
		}
		clear(a.chosen)
	}()
	cfg := a.plan()
	for i, st := range states {
		g, err := a.game(st, len(states))
		if err != nil {
			return err
		}
		a.chosen = append(a.chosen, g)
		a.searches = append(a.searches, g.search)
		if err := g.search.Configure(cfg); err != nil {
			return err
		}
		g.states[0] = st
		for j := 1; j < len(g.states); j++ {
			if old, ok := g.states[j].(*engine.State); ok {
				old.CopyFrom(st)
			} else {
				g.states[j] = st.Clone()
			}
		}
		if err := g.search.BeginParallel(g.states, rngs[i]); err != nil {
			return fmt.Errorf("game %d of the batch: %w", i, err)
		}
	}
	watch := &a.watch
	if a.cfg.Seconds == 0 {
		watch = nil
	}
	if err := a.runner.run(a.searches, a.ev, watch); err != nil {
		return err
	}
	for i, s := range a.searches {
		r := s.Result()
		out[i] = Decision{
			Action: r.Action, Value: r.Value, HasValue: r.HasValue, Proven: r.Proven,
			Simulations: r.Simulations, Forced: r.Forced,
		}
	}
	return nil
}

// game is where a game is searched: with ReuseTree what is kept of it, brought forward to its position.
func (a *Net) game(st *engine.State, batch int) (*netGame, error) {
	if !a.cfg.ReuseTree {
		return a.fresh()
	}
	key := weak.Make(st)
	g := a.games[key]
	if g == nil {
		a.tidy(max(keptGames, 4*batch))
		var err error
		if g, err = a.fresh(); err != nil {
			return nil, err
		}
		a.seen++
		g.number = a.seen
		a.games[key] = g
	}
	history := st.History()
	if n := len(g.history); len(history) >= n && slices.Equal(history[:n], g.history) {
		// Begin compares the positions too: games that began with different positions have the same, empty history.
		g.search.follow(history[n:])
	} else {
		g.search.follow([]engine.Action{engine.NoAction})
	}
	g.history = append(g.history[:0], history...)
	g.turn = a.turn
	return g, nil
}

// fresh is a netGame without a tree.
func (a *Net) fresh() (*netGame, error) {
	if n := len(a.idle); n > 0 {
		g := a.idle[n-1]
		a.idle = a.idle[:n-1]
		return g, nil
	}
	s, err := New(a.cfg)
	if err != nil {
		return nil, err
	}
	return &netGame{search: s, states: make([]State, a.cfg.Leaves)}, nil
}

// tidy makes room for one more game.
func (a *Net) tidy(limit int) {
	for key := range a.games {
		if key.Value() == nil {
			a.forget(key)
		}
	}
	for len(a.games) >= limit {
		var oldest weak.Pointer[engine.State]
		var old *netGame
		for key, g := range a.games {
			if old == nil || g.turn < old.turn || g.turn == old.turn && g.number < old.number {
				oldest, old = key, g
			}
		}
		if old.turn == a.turn {
			return // they are of this batch
		}
		a.forget(oldest)
	}
}

// forget drops what is kept of a game and keeps the memory for another.
func (a *Net) forget(key weak.Pointer[engine.State]) {
	g := a.games[key]
	if g == nil {
		return
	}
	delete(a.games, key)
	g.history = g.history[:0]
	g.search.follow([]engine.Action{engine.NoAction})
	a.idle = append(a.idle, g)
}
