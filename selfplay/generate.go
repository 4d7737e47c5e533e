package selfplay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
	"latro/nn"
)

// GenerateStats sums up a generation's games.
type GenerateStats struct {
	Games, Samples, Plies     int
	Win0, Win1, Draws, Capped int
	Simulations               uint64
	Unique                    int
	// Resigned games were given up. Audited ones were played on to the end whatever the search said; in HeldBack of them a
	// side would have resigned, and in Wrong of those it did not lose.
	Resigned, Audited, HeldBack, Wrong int
	// Met is the number of games against the run's opponent, and Points what the network scored in them, a draw and a capped
	// game one half.
	Met    int
	Points float64
}

func (s *GenerateStats) add(g *datasets.Game, samples int) {
	s.Games++
	s.Samples += samples
	s.Plies += int(g.Plies)
	s.against(g)
	if g.Resigned {
		s.Resigned++
	}
	switch g.Outcome {
	case engine.Win0.String():
		s.Win0++
	case engine.Win1.String():
		s.Win1++
	case engine.Draw.String():
		s.Draws++
	default:
		s.Capped++
	}
}

// liveGames is the number of games a worker plays side by side, so that their leaves share batches.
const liveGames = 32

// generate plays the games of the current generation that the manifest does not have yet, with the given
// network, and writes them unit by unit. done is called after each unit is safe on disk.
func (r *Run) generate(ctx context.Context, network *nn.Network, o Options, done func(games int)) error {
	inf, err := nn.CompileWith(network, nn.CompileOptions{Arithmetic: r.Config.Search.Arithmetic})
	if err != nil {
		return err
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	cache := o.cache()
	generation := r.manifest.Generation
	have := map[int]bool{}
	for _, s := range r.manifest.Shards {
		if s.Generation == generation {
			have[s.Unit] = true
		}
	}
	units := (r.Config.Games + r.Config.GamesPerShard - 1) / r.Config.GamesPerShard
	var queue []int // games to play, in order
	for u := range units {
		if !have[u] {
			for g := u * r.Config.GamesPerShard; g < min((u+1)*r.Config.GamesPerShard, r.Config.Games); g++ {
				queue = append(queue, g)
			}
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		mu       sync.Mutex
		firstErr error
		wg       sync.WaitGroup
		pending  = map[int][]finishedGame{}
	)
	fail := func(err error) {
		if firstErr == nil {
			firstErr = err
		}
		cancel()
	}
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(queue) == 0 || ctx.Err() != nil {
			return 0, false
		}
		g := queue[0]
		queue = queue[1:]
		return g, true
	}
	// give holds a unit's games back until the last of them is there, then writes it. Writing under
	// the lock is right: it is a hundredth of the time it takes to play a unit.
	give := func(f finishedGame) {
		mu.Lock()
		defer mu.Unlock()
		unit := f.index / r.Config.GamesPerShard
		pending[unit] = append(pending[unit], f)
		want := min((unit+1)*r.Config.GamesPerShard, r.Config.Games) - unit*r.Config.GamesPerShard
		if len(pending[unit]) < want || ctx.Err() != nil {
			return
		}
		if err := r.writeUnit(generation, unit, inf.KernelID(), pending[unit]); err != nil {
			fail(err)
			return
		}
		delete(pending, unit)
		if done != nil {
			done(want)
		}
	}
	hash := network.Hash()
	for range min(workers, max(1, len(queue))) {
		wg.Go(func() {
			w, err := r.newWorker(inf, cache, hash, generation)
			if err == nil {
				err = w.play(ctx, take, give)
			}
			if err != nil {
				mu.Lock()
				fail(err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if firstErr != nil {
		return firstErr
	}
	return ctx.Err()
}

// finishedGame is one game with its samples.
type finishedGame struct {
	index   int
	row     datasets.Game
	samples []datasets.Sample
}

func (r *Run) writeUnit(generation, unit int, kernel string, games []finishedGame) error {
	ordered := make([]finishedGame, len(games))
	for _, f := range games {
		ordered[f.index%r.Config.GamesPerShard] = f
	}
	var rows []datasets.Game
	var samples []datasets.Sample
	for _, f := range ordered {
		rows = append(rows, f.row)
		samples = append(samples, f.samples...)
	}
	base := fmt.Sprintf("shards/gen-%04d-%03d", generation, unit)
	meta := r.metadata()
	shard := Shard{Generation: generation, Unit: unit, Kernel: kernel}
	var err error
	if shard.Games, err = datasets.WriteGames(filepath.Join(r.Dir, base+".games.arrow"), rows, meta); err != nil {
		return err
	}
	if shard.Samples, err = datasets.WriteSamples(filepath.Join(r.Dir, base+".samples.arrow"), samples, meta); err != nil {
		return err
	}
	shard.Games.Path, shard.Samples.Path = base+".games.arrow", base+".samples.arrow"
	return r.update(func(m *Manifest) {
		// Units finish in any order; the manifest lists them in theirs, so that its bytes do not
		// depend on timing.
		at := len(m.Shards)
		for at > 0 && m.Shards[at-1].Generation == generation && m.Shards[at-1].Unit > unit {
			at--
		}
		m.Shards = append(m.Shards[:at], append([]Shard{shard}, m.Shards[at:]...)...)
	})
}

// worker plays games side by side on one goroutine.
type worker struct {
	run        *Run
	generation int
	evaluator  mcts.Evaluator
	network    string
	seats      []*seat
	searches   []*mcts.Search
	runner     mcts.Runner
	full       mcts.Config
	cheap      mcts.Config
	opponents  []mcts.Agent // one a variant, nil if there is none
	legal      []engine.Action
}

// seat is one game in progress.
type seat struct {
	index    int
	variant  *Variant
	number   int      // of the variant
	boards   []*board // one a variant, made when it is first dealt
	*board            // that of the game
	search   *mcts.Search
	opponent sides // that the opponent plays
	full     bool  // the search of this ply has the full budget
	rng      *rand.Rand
	tracker  tracker
	samples  []datasets.Sample
	value    float64 // of the last search, for player 0
	despair  despair
	audited  bool // nobody resigns
	resigned int  // the side that did, -1 if none
	busy     bool
}

// board is what a seat keeps for one of the run's games.
type board struct {
	state    *engine.State
	recorder *Recorder
}

// newWorker makes a worker that asks the network, and first the cache unless that is nil.
func (r *Run) newWorker(inf *nn.Inference, cache *Cache, network string, generation int) (*worker, error) {
	ev, err := NewEvaluator(inf, r.Encoder, liveGames, r.Config.Search.MaterialWeight)
	if err != nil {
		return nil, err
	}
	w := &worker{run: r, generation: generation, evaluator: ev, network: network}
	for _, v := range r.Variants[1:] {
		ev.also(v.Encoder)
	}
	if cache != nil {
		remembering := cache.Over(ev, r.Ruleset.Hash())
		for _, v := range r.Variants[1:] {
			remembering.also(v.Game, v.Ruleset.Hash())
		}
		w.evaluator = remembering
	}
	if w.evaluator, err = probed(w.evaluator, mcts.DefaultProbe(r.Config.Search.Probe)); err != nil {
		return nil, err
	}
	if w.opponents, err = r.opponents(); err != nil {
		return nil, err
	}
	w.full = mcts.DefaultGumbel(r.Config.Search.Simulations)
	w.full.MaxConsidered = r.Config.Search.MaxConsidered
	w.cheap = w.full
	w.cheap.Simulations = r.Config.Search.CheapSimulations
	for range liveGames {
		s := &seat{boards: make([]*board, len(r.Variants))}
		if s.search, err = mcts.New(w.full); err != nil {
			return nil, err
		}
		w.seats = append(w.seats, s)
	}
	return w, nil
}

func (w *worker) play(ctx context.Context, take func() (int, bool), give func(finishedGame)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.searches = w.searches[:0]
		for _, s := range w.seats {
			for !s.busy {
				index, ok := take()
				if !ok {
					break
				}
				if err := w.begin(s, index); err != nil {
					return err
				}
				if err := w.settle(s, give); err != nil {
					return err
				}
			}
			if s.busy {
				if err := s.search.Begin(s.state, s.rng); err != nil {
					return err
				}
				w.searches = append(w.searches, s.search)
			}
		}
		if len(w.searches) == 0 {
			return nil
		}
		if err := w.runner.Run(w.searches, w.evaluator); err != nil {
			return err
		}
		for _, s := range w.seats {
			if s.busy {
				if err := w.decide(s); err != nil {
					return err
				}
				if err := w.settle(s, give); err != nil {
					return err
				}
			}
		}
	}
}

// begin sets the game up and plays its random opening.
func (w *worker) begin(s *seat, index int) error {
	c := w.run.Config
	s.index, s.busy, s.value = index, true, 0
	s.rng = seed.New(c.Seed, seed.Generation, uint64(w.generation), uint64(index))
	variant := w.run.variant(w.generation, index)
	s.variant, s.number = &w.run.Variants[variant], variant
	if s.boards[variant] == nil {
		s.boards[variant] = &board{state: s.variant.Game.NewState(), recorder: NewRecorder(s.variant.Game)}
	}
	s.board = s.boards[variant]
	s.state.Reset()
	row := datasets.Game{
		GameID: gameID(w.generation, index), Generation: uint32(w.generation), Seed: c.Seed, PlyCap: uint32(c.MaxPlies),
		Ruleset: s.variant.Ruleset.Ref(), RulesetHash: s.variant.Ruleset.Hash(),
		Agent0: agentSelf, Agent1: agentSelf, Budget0: uint32(c.Search.Simulations), Budget1: uint32(c.Search.Simulations),
		NetworkHash0: w.network, NetworkHash1: w.network,
	}
	if s.opponent = c.opponentSides(w.generation, index); s.opponent != 0 {
		row.Agent0, row.Agent1 = agentNetwork, agentNetwork
		if s.opponent.has(0) {
			row.Agent0, row.Budget0, row.NetworkHash0 = c.Opponent.Agent, 0, ""
		}
		if s.opponent.has(1) {
			row.Agent1, row.Budget1, row.NetworkHash1 = c.Opponent.Agent, 0, ""
		}
	}
	s.recorder.Reset(s.state, row)
	s.samples = nil
	s.resigned, s.audited = -1, true
	if threshold := w.run.resignThreshold(w.generation); threshold > 0 {
		s.despair = despair{threshold: threshold, plies: c.Resign.filled().Plies}
		s.audited = w.run.audited(w.generation, index)
	}
	if c.Opening.RandomPlies > 0 && s.rng.Float64() < c.Opening.RandomShare {
		if err := playOpening(s.state, s.recorder, s.rng, 1+s.rng.IntN(c.Opening.RandomPlies)); err != nil {
			return err
		}
	}
	s.tracker.reset(s.state)
	return nil
}

// play makes a ply and takes it down.
func (s *seat) play(d mcts.Decision) error {
	ply := s.state.PlyOf(d.Action)
	if err := s.recorder.Play(s.state, d); err != nil {
		return err
	}
	s.tracker.follow(s.state, ply)
	return nil
}

// settle plays forced plies and the opponent's, finishes the game if it has ended, and otherwise chooses the next search.
func (w *worker) settle(s *seat, give func(finishedGame)) error {
	c := w.run.Config
	for !s.state.Over() && s.resigned < 0 && s.recorder.Plies() < c.MaxPlies {
		w.legal = s.state.Legal(w.legal[:0])
		if len(w.legal) > 1 && s.opponent.has(s.state.ToMove()) {
			if err := w.reply(s, w.opponents[s.number]); err != nil {
				return err
			}
			continue
		}
		if len(w.legal) > 1 {
			s.full = c.Search.FullShare >= 1 || s.rng.Float64() < c.Search.FullShare
			if s.full {
				return s.search.Configure(w.full)
			}
			return s.search.Configure(w.cheap)
		}
		if err := s.play(mcts.Decision{Action: w.legal[0]}); err != nil {
			return err
		}
	}
	give(w.finish(s))
	s.busy = false
	return nil
}

// decide takes the finished search's ply and keeps its sample.
func (w *worker) decide(s *seat) error {
	res := s.search.Result()
	s.value = res.Value
	action := res.Action
	if o := w.run.Config.Opening; s.recorder.Plies() < o.TemperaturePlies {
		action = res.Sample(o.Temperature, s.rng)
	}
	var v engine.View
	s.state.View(&v)
	sample := datasets.Sample{
		GameID:        gameID(w.generation, s.index),
		Ply:           uint32(s.state.Ply()),
		RulesetHash:   s.variant.Ruleset.Hash(),
		Player:        uint8(s.state.ToMove()),
		State:         v.AppendBinary(nil),
		LegalCount:    uint16(len(res.Legal)),
		Actions:       make([]uint16, len(res.Legal)),
		Visits:        append([]uint32(nil), res.Visits...),
		Policy:        append([]float32(nil), res.Policy...),
		RootValue:     float32(res.Value),
		Played:        uint16(action),
		Simulations:   uint32(res.Simulations),
		Full:          s.full,
		NetworkHash:   w.network,
		EngineVersion: engine.Version,
		Surprise:      surprise(res.Policy, res.Prior),
	}
	for i, a := range res.Legal {
		sample.Actions[i] = uint16(a)
	}
	s.samples = append(s.samples, sample)
	s.tracker.remember()
	if err := s.play(mcts.Decision{Action: action, Value: res.Value, HasValue: res.HasValue}); err != nil {
		return err
	}
	// A side resigns after its ply, so that every sample's ply was played.
	if !s.audited && s.despair.see(int(sample.Player), sample.RootValue) && !s.state.Over() {
		s.resigned = int(sample.Player)
	}
	return nil
}

// surprise is the Kullback-Leibler divergence of the improved policy from the network's prior, in nats.
func surprise(policy, prior []float32) float32 {
	sum := 0.0
	for i, p := range policy {
		if p > 0 {
			// A prior that underflowed to 0 must not make an infinite weight.
			sum += float64(p) * math.Log(float64(p)/max(float64(prior[i]), 1e-12))
		}
	}
	return float32(max(0, sum))
}

// finish fills in what only the end of the game tells.
func (w *worker) finish(s *seat) finishedGame {
	row := s.recorder.Game(s.state)
	target, known := s.state.Value()
	switch {
	case s.resigned >= 0:
		row.Resigned, row.EndReason = true, endResigned
		row.Outcome, target = datasets.Win1, -1
		if s.resigned == 1 {
			row.Outcome, target = datasets.Win0, 1
		}
	case !s.state.Over() || !known:
		target = s.value
	}
	end := uint32(s.state.Ply())
	left := material(s.state)
	survivors := s.tracker.survivors()
	for i := range s.samples {
		x := &s.samples[i]
		x.Outcome, x.EndReason = row.Outcome, row.EndReason
		x.OutcomeValue = float32(target)
		x.PliesLeft = end - x.Ply
		x.FinalMaterial = left
		x.Survival = survivors[i]
	}
	return finishedGame{index: s.index, row: row, samples: s.samples}
}

func gameID(generation, index int) uint64 { return uint64(generation)<<32 | uint64(index) }
