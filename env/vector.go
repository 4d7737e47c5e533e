package env

import (
	"errors"
	"fmt"
	"sync"

	"latro/env/engine"
	"latro/env/seed"
)

// VectorConfig says how a VectorEnv runs. Start from DefaultVectorConfig.
type VectorConfig struct {
	// Config is the configuration of every game.
	Config
	// Games is the number of games stepped at once, 1 to 65536.
	Games int
	// Workers is the number of goroutines that step them; 1 steps in the caller's. What happens in the games
	// does not depend on it.
	Workers int
	// Chunk is the number of games that a worker takes at a time; with Workers 1 it is ignored.
	Chunk int
}

// DefaultVectorConfig returns games played with DefaultConfig by one goroutine.
func DefaultVectorConfig(games int) VectorConfig {
	return VectorConfig{Config: DefaultConfig(), Games: games, Workers: 1, Chunk: 16}
}

const maxGames = 1 << 16

// Validate returns every mistake of the configuration in one error that satisfies
// errors.Is(err, ErrConfig), or nil.
func (c VectorConfig) Validate() error {
	var errs []error
	if err := c.Config.Validate(); err != nil {
		errs = append(errs, err)
	}
	if c.Games < 1 || c.Games > maxGames {
		errs = append(errs, fmt.Errorf("%w: Games is %d; use 1 to %d", ErrConfig, c.Games, maxGames))
	}
	if c.Workers < 1 || c.Workers > 1024 {
		errs = append(errs, fmt.Errorf("%w: Workers is %d; use 1 to 1024", ErrConfig, c.Workers))
	}
	if c.Workers > 1 && c.Chunk < 1 {
		errs = append(errs, fmt.Errorf("%w: Chunk is %d; use 1 or more", ErrConfig, c.Chunk))
	}
	return errors.Join(errs...)
}

// Batch holds what a VectorEnv writes: one row a game, all in the caller's hands. Make one with
// VectorEnv.NewBatch, or lay slices over memory of your own: each must have exactly the length stated, with
// N the number of games. FinalPlanes and FinalGlobals may be nil if they are not wanted.
type Batch struct {
	// Planes is [N][planes][rows][cols], Globals [N][globals]: what the next player of each game sees.
	Planes, Globals []float32
	// Masks is [N][NumActions]: the legal actions of that player.
	Masks []bool
	// Players is [N]: who that player is, 0 or 1.
	Players []uint8
	// Rewards is [N][2]: the rewards of the last step for player 0 and player 1.
	Rewards []float32
	// Terminated and Truncated are [N]: whether the last step ended a game. Rewards and flags belong to the
	// game that ended; observation, mask and player of that row are already those of the next game.
	Terminated, Truncated []bool
	// Infos is [N]: the position that the last step reached (of a game that ended: its last position).
	Infos []Info
	// FinalPlanes and FinalGlobals, shaped like Planes and Globals, hold the last observation of each game
	// that the last step ended, seen by FinalPlayers ([N]), for bootstrapping a truncated game's value.
	// Rows of games that go on keep what they had.
	FinalPlanes, FinalGlobals []float32
	FinalPlayers              []uint8
}

// VectorEnv steps N independent games of one ruleset at once into the caller's buffers, without allocating
// once the games' buffers have grown.
//
// Auto-reset is Gymnasium's SAME_STEP mode: the step that ends a game begins the next one at once, so that
// every row of every step has a player to act for. The row's reward and flags are those of the ended game,
// its observation, mask and player those of the new one; the ended game's last observation is in the
// batch's Final rows.
//
// Game k (from 0) of row i is Reset with GameSeed(root, i, k), root being the seed of VectorEnv.Reset, so that it is the game that Env gives with that seed,
// whatever the number of rows, workers or steps before. A VectorEnv is not safe for concurrent use.
type VectorEnv struct {
	cfg   VectorConfig
	enc   *Encoder
	slots []slot
	root  uint64 // the seed of the last Reset

	actions []engine.Action // absolute ones of the step under way
	batch   *Batch          // of the step under way
	reset   bool            // whether it is a reset

	jobs   chan int // index of the chunk's first game; nil with one worker
	wg     sync.WaitGroup
	closed bool
}

// slot is one row's game.
type slot struct {
	episode
	games uint64 // begun so far
}

// NewVector returns a VectorEnv for g's rules. Reset must come before Step, and Close after the last use
// when Workers is above 1. The error, if any, satisfies errors.Is(err, ErrConfig).
func NewVector(g *engine.Game, cfg VectorConfig) (*VectorEnv, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := playable(g); err != nil {
		return nil, err
	}
	v := &VectorEnv{
		cfg: cfg, enc: NewEncoder(g),
		slots:   make([]slot, cfg.Games),
		actions: make([]engine.Action, cfg.Games),
	}
	for i := range v.slots {
		v.slots[i].init(v.enc, cfg.Config)
	}
	if cfg.Workers > 1 {
		v.jobs = make(chan int, (cfg.Games+cfg.Chunk-1)/cfg.Chunk)
		for range cfg.Workers {
			go v.work(v.jobs)
		}
	}
	return v, nil
}

// Encoder returns the encoder of the games' ruleset.
func (v *VectorEnv) Encoder() *Encoder { return v.enc }

// Games returns the number of games N.
func (v *VectorEnv) Games() int { return len(v.slots) }

// NewBatch returns a batch of the right lengths, with final observations.
func (v *VectorEnv) NewBatch() *Batch {
	n := len(v.slots)
	return &Batch{
		Planes: make([]float32, n*v.enc.ObsLen()), Globals: make([]float32, n*v.enc.GlobalsLen()),
		Masks: make([]bool, n*v.enc.NumActions()), Players: make([]uint8, n),
		Rewards: make([]float32, 2*n), Terminated: make([]bool, n), Truncated: make([]bool, n),
		Infos:       make([]Info, n),
		FinalPlanes: make([]float32, n*v.enc.ObsLen()), FinalGlobals: make([]float32, n*v.enc.GlobalsLen()),
		FinalPlayers: make([]uint8, n),
	}
}

// GameSeed derives the seed of game k of row i from a VectorEnv's seed: seed.Derive(root, seed.Opening, i, k).
func GameSeed(root uint64, i int, k uint64) uint64 {
	return seed.Derive(root, seed.Opening, uint64(i), k)
}

// Reset begins game 0 of every row, seeded by root, and fills the batch; rewards and flags are zero. The error is ErrClosed, or
// satisfies errors.Is(err, ErrConfig) for a batch of wrong lengths; then nothing has changed.
func (v *VectorEnv) Reset(root uint64, b *Batch) error {
	if v.closed {
		return ErrClosed
	}
	if err := v.checkBatch(b); err != nil {
		return err
	}
	v.root = root
	v.run(b, true)
	return nil
}

// Step makes one ply in every game: actions[i] for the player to move in row i. All actions are looked at first:
// if one is illegal (ErrIllegalAction, which names the row) no game has changed. Other errors are those of
// Reset, and ErrDone before the first Reset.
func (v *VectorEnv) Step(actions []engine.Action, b *Batch) error {
	if v.closed {
		return ErrClosed
	}
	if err := v.checkBatch(b); err != nil {
		return err
	}
	if len(actions) != len(v.slots) {
		return fmt.Errorf("%w: %d actions for %d games", ErrConfig, len(actions), len(v.slots))
	}
	for i, a := range actions {
		abs, err := v.slots[i].check(a)
		if err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		v.actions[i] = abs
	}
	v.run(b, false)
	return nil
}

// Close ends the workers. It may be called more than once; the VectorEnv cannot be used afterwards.
func (v *VectorEnv) Close() {
	if !v.closed && v.jobs != nil {
		close(v.jobs)
	}
	v.closed = true
}

func (v *VectorEnv) run(b *Batch, reset bool) {
	v.batch, v.reset = b, reset
	if v.jobs == nil {
		v.rows(0, len(v.slots))
	} else {
		for at := 0; at < len(v.slots); at += v.cfg.Chunk {
			v.wg.Add(1)
			v.jobs <- at
		}
		v.wg.Wait()
	}
	v.batch = nil
}

// work steps chunks until jobs is closed. The send on jobs orders the caller's writes before the worker's
// reads, and the wait group the other way round.
func (v *VectorEnv) work(jobs <-chan int) {
	for at := range jobs {
		v.rows(at, min(at+v.cfg.Chunk, len(v.slots)))
		v.wg.Done()
	}
}

func (v *VectorEnv) rows(from, to int) {
	for i := from; i < to; i++ {
		v.row(i)
	}
}

// row makes row i's ply (or reset) and writes its part of the batch. Rows touch nothing of each other.
func (v *VectorEnv) row(i int) {
	s, b := &v.slots[i], v.batch
	obs, glob, acts := v.enc.ObsLen(), v.enc.GlobalsLen(), v.enc.NumActions()
	planes, globals := b.Planes[i*obs:(i+1)*obs], b.Globals[i*glob:(i+1)*glob]

	if v.reset {
		s.games = 0
		v.begin(s, i)
		b.Rewards[2*i], b.Rewards[2*i+1] = 0, 0
		b.Terminated[i], b.Truncated[i] = false, false
		b.Infos[i] = s.Info()
	} else {
		s.play(v.actions[i])
		b.Rewards[2*i], b.Rewards[2*i+1] = float32(s.reward[0]), float32(s.reward[1])
		b.Terminated[i], b.Truncated[i] = s.terminated, s.truncated
		b.Infos[i] = s.Info()
		if s.Done() {
			if b.FinalPlanes != nil {
				b.FinalPlayers[i] = uint8(s.encode(b.FinalPlanes[i*obs:(i+1)*obs], b.FinalGlobals[i*glob:(i+1)*glob]))
			}
			v.begin(s, i)
		}
	}
	b.Players[i] = uint8(s.encode(planes, globals))
	s.ActionMask(b.Masks[i*acts : (i+1)*acts])
}

func (v *VectorEnv) begin(s *slot, i int) {
	s.reset(GameSeed(v.root, i, s.games))
	s.games++
}

// checkBatch compares the lengths of the batch's slices with what is written to them.
func (v *VectorEnv) checkBatch(b *Batch) error {
	if b == nil {
		return fmt.Errorf("%w: no batch; NewBatch makes one", ErrConfig)
	}
	n := len(v.slots)
	bad := func(name string, got, want int) error {
		return fmt.Errorf("%w: Batch.%s has %d entries, %d are needed for %d games", ErrConfig, name, got, want, n)
	}
	obs, glob := n*v.enc.ObsLen(), n*v.enc.GlobalsLen()
	switch {
	case len(b.Planes) != obs:
		return bad("Planes", len(b.Planes), obs)
	case len(b.Globals) != glob:
		return bad("Globals", len(b.Globals), glob)
	case len(b.Masks) != n*v.enc.NumActions():
		return bad("Masks", len(b.Masks), n*v.enc.NumActions())
	case len(b.Players) != n:
		return bad("Players", len(b.Players), n)
	case len(b.Rewards) != 2*n:
		return bad("Rewards", len(b.Rewards), 2*n)
	case len(b.Terminated) != n:
		return bad("Terminated", len(b.Terminated), n)
	case len(b.Truncated) != n:
		return bad("Truncated", len(b.Truncated), n)
	case len(b.Infos) != n:
		return bad("Infos", len(b.Infos), n)
	}
	if b.FinalPlanes == nil && b.FinalGlobals == nil && b.FinalPlayers == nil {
		return nil
	}
	switch {
	case len(b.FinalPlanes) != obs:
		return bad("FinalPlanes", len(b.FinalPlanes), obs)
	case len(b.FinalGlobals) != glob:
		return bad("FinalGlobals", len(b.FinalGlobals), glob)
	case len(b.FinalPlayers) != n:
		return bad("FinalPlayers", len(b.FinalPlayers), n)
	}
	return nil
}
