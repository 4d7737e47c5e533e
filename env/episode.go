package env

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"latro/env/engine"
	seeds "latro/env/seed"
)

// episode is one game in progress without its observation: what Env and each slot of a VectorEnv share.
type episode struct {
	enc   *Encoder
	cfg   Config
	state *engine.State
	legal []engine.Action // absolute, ascending; empty when over
	view  engine.View

	begun      bool
	terminated bool
	truncated  bool
	reward     [2]float64 // of the last ply; since only the last one has any, also the returns

	seed    uint64
	opening int
	start   string // the position of resetTo; "" for the start position
	base    int    // length of the state's history at that position

	pcg *rand.PCG // reseeded by every reset, so that resets do not allocate
	rng *rand.Rand
}

func (e *episode) init(enc *Encoder, cfg Config) {
	e.enc, e.cfg = enc, cfg
	e.state = enc.game.NewState()
	e.pcg = rand.NewPCG(0, 0)
	e.rng = rand.New(e.pcg)
}

func (e *episode) reset(seed uint64) {
	e.state.Reset()
	e.begun, e.seed, e.opening, e.start, e.base = true, seed, 0, "", 0
	e.settle()
	if e.cfg.OpeningPlies == 0 {
		return
	}
	e.pcg.Seed(seeds.Derive(seed, seeds.Opening, 0), seeds.Derive(seed, seeds.Opening, 1))
	for e.opening < e.cfg.OpeningPlies && e.openingPly() {
		e.opening++
	}
}

// openingPly makes one random ply that does not end the game; it reports false when there is none.
func (e *episode) openingPly() bool {
	for len(e.legal) > 0 {
		i := e.rng.IntN(len(e.legal))
		e.state.Play(e.legal[i])
		if _, ended, capped := e.judge(); !ended && !capped {
			e.settle()
			return true
		}
		e.state.Undo()
		e.legal = slices.Delete(e.legal, i, i+1)
	}
	e.settle()
	return false
}

func (e *episode) resetTo(s *engine.State) error {
	if s.Over() {
		return fmt.Errorf("%w: the position given is over (%s)", ErrDone, s.Outcome())
	}
	if e.cfg.capped(s) {
		return fmt.Errorf("%w: the position given is beyond the length cap (ply %d, turn %d); raise MaxPlies or MaxTurns", ErrDone, s.Ply(), s.Turn())
	}
	if e.state != s {
		e.state.CopyFrom(s)
	}
	e.begun, e.seed, e.opening = true, 0, 0
	e.start, e.base = s.Position(), len(s.History())
	e.settle()
	return nil
}

// capped reports whether the length cap stops the game in this position.
func (c *Config) capped(s *engine.State) bool {
	return c.MaxPlies > 0 && s.Ply() >= c.MaxPlies || c.MaxTurns > 0 && s.Turn() > c.MaxTurns
}

// judge says whether the rules have ended the game with a result, and which (for player 0), or a cap has
// stopped it. A result that comes with the last ply under the cap counts.
func (e *episode) judge() (value float64, terminated, truncated bool) {
	if e.state.Over() {
		if e.state.Outcome() == engine.Capped {
			return 0, false, true
		}
		value, _ = e.state.Value()
		return value, true, false
	}
	return 0, false, e.cfg.capped(e.state)
}

// settle derives everything else from the state.
func (e *episode) settle() {
	value, terminated, truncated := e.judge()
	e.terminated, e.truncated = terminated, truncated
	e.reward = [2]float64{}
	e.legal = e.legal[:0]
	switch {
	case terminated && value != 0:
		e.reward = [2]float64{value, -value}
	case !terminated && !truncated:
		e.legal = e.state.Legal(e.legal)
	}
}

// Done reports whether the game is over or was never begun.
func (e *episode) Done() bool { return !e.begun || e.terminated || e.truncated }

// check turns the caller's action into an absolute one, or says why it cannot be played.
func (e *episode) check(a engine.Action) (engine.Action, error) {
	if e.Done() {
		return 0, ErrDone
	}
	if int(a) >= e.enc.NumActions() {
		return 0, fmt.Errorf("%w: %d is no action; actions are 0 to %d", ErrIllegalAction, a, e.enc.NumActions()-1)
	}
	abs := a
	if e.cfg.Frame == FrameMover {
		abs = e.enc.FromFrame(e.state.ToMove(), int(a))
	}
	if _, ok := slices.BinarySearch(e.legal, abs); !ok {
		return 0, fmt.Errorf("%w: %d (%s) for player %d at ply %d; LegalActions lists the %d legal ones",
			ErrIllegalAction, a, e.state.Format(abs), e.state.ToMove(), e.state.Ply(), len(e.legal))
	}
	return abs, nil
}

// play makes a legal ply, given as an absolute action.
func (e *episode) play(a engine.Action) {
	e.state.Play(a)
	e.settle()
}

// encode writes the observation and returns its viewer.
func (e *episode) encode(obs, globals []float32) int {
	e.state.View(&e.view)
	e.enc.Encode(&e.view, obs, globals)
	return int(e.view.Mover)
}

// CurrentPlayer returns the player who makes the next ply, or -1 when the game is over or was never begun.
func (e *episode) CurrentPlayer() int {
	if e.Done() {
		return -1
	}
	return e.state.ToMove()
}

// Returns returns the sum of the rewards since Reset for player 0 and player 1.
func (e *episode) Returns() [2]float64 { return e.reward }

// Info describes the position.
func (e *episode) Info() Info {
	return Info{
		Player: e.CurrentPlayer(), Ply: e.state.Ply(), Turn: e.state.Turn(), Opening: e.opening,
		LegalCount: len(e.legal), Outcome: e.state.Outcome(), Reason: e.state.Reason(),
	}
}

// LegalActions appends the legal actions to dst, ascending in the configuration's frame.
func (e *episode) LegalActions(dst []engine.Action) []engine.Action {
	if e.Done() {
		return dst
	}
	if e.cfg.Frame != FrameMover || e.state.ToMove() == 0 {
		return append(dst, e.legal...)
	}
	n := len(dst)
	for _, a := range e.legal {
		dst = append(dst, engine.Action(e.enc.ToFrame(1, a)))
	}
	slices.Sort(dst[n:])
	return dst
}

// ActionMask writes the mask of the legal actions to dst, which has NumActions entries.
func (e *episode) ActionMask(dst []bool) {
	if len(dst) != e.enc.NumActions() {
		panic(fmt.Sprintf("env: ActionMask needs %d entries, got %d", e.enc.NumActions(), len(dst)))
	}
	clear(dst)
	if e.Done() {
		return
	}
	if e.cfg.Frame != FrameMover {
		for _, a := range e.legal {
			dst[a] = true
		}
		return
	}
	mover := e.state.ToMove()
	for _, a := range e.legal {
		dst[e.enc.ToFrame(mover, a)] = true
	}
}

func (e *episode) copyFrom(o *episode) {
	e.cfg = o.cfg
	e.state.CopyFrom(o.state)
	e.legal = append(e.legal[:0], o.legal...)
	e.begun, e.terminated, e.truncated, e.reward = o.begun, o.terminated, o.truncated, o.reward
	e.seed, e.opening, e.start, e.base = o.seed, o.opening, o.start, o.base
}
