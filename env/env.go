package env

import (
	"fmt"
	"io"

	"latro/env/engine"
)

// Environment is one game at a time with Gymnasium and PettingZoo semantics, for two players who act by turns
// of one or more plies. *Env is the implementation; a wrapper (another reward, another observation, a
// logger) implements it too and can be run through envtest.Check. An Environment is not safe for
// concurrent use; distinct ones are independent.
type Environment interface {
	// Spec returns the sizes and names of what goes in and out. It never changes.
	Spec() Spec
	// Reset begins a new game and returns what the player to move sees. The same seed gives the same game
	// start, whatever happened before.
	Reset(seed uint64) (Observation, Info)
	// Step makes one ply for CurrentPlayer. An action that is not legal gives ErrIllegalAction, a game that is
	// over gives ErrDone; both change nothing.
	Step(a engine.Action) (StepResult, error)
	// Observe returns what the last Reset or Step returned as observation.
	Observe() Observation
	// Info describes the position, as the last Reset or Step did.
	Info() Info
	// LegalActions appends the legal actions in ascending order to dst: at least one while the game goes on
	// (a forced pass counts), none when it is over.
	LegalActions(dst []engine.Action) []engine.Action
	// ActionMask sets dst[a] to whether a is legal; dst has Spec().NumActions entries, all of which are
	// written. It panics on another length.
	ActionMask(dst []bool)
	// CurrentPlayer returns the player who makes the next ply, 0 or 1, or -1 when the game is over.
	CurrentPlayer() int
	// Returns returns the sum of the rewards since Reset for player 0 and player 1.
	Returns() [2]float64
	// Done reports whether the game is over (terminated or truncated) or was never begun.
	Done() bool
	// Clone returns an independent copy in the same position; stepping one leaves the other as it is.
	Clone() Environment
	// MarshalBinary returns the whole state: configuration, start, and every ply since.
	MarshalBinary() ([]byte, error)
	// UnmarshalBinary restores what MarshalBinary returned, in an environment of the same ruleset. On error
	// (ErrBinary) nothing has changed.
	UnmarshalBinary(data []byte) error
	// Render writes the position as text.
	Render(w io.Writer, opts RenderOptions) error
}

// Spec holds the sizes and names of an environment's inputs and outputs.
type Spec struct {
	// Rows and Cols are the board's size.
	Rows, Cols int
	// Planes and Globals name the parts of an observation: Planes has [len(Planes)][Rows][Cols] values,
	// Globals len(Globals).
	Planes, Globals []string
	// ActionPlanes names the planes of the action numbering.
	ActionPlanes []string
	// NumActions is len(ActionPlanes)*Rows*Cols + 1: the last action is the pass.
	NumActions int
	// EncodingVersion is the version of the encodings.
	EncodingVersion int
}

// Observation is what the player to move sees, encoded by Encoder.Encode. Its slices belong to the
// environment and are overwritten by the next Reset or Step; Clone keeps them.
type Observation struct {
	// Player is the player from whose side it is seen. When the game is over it is the player who would
	// have been next.
	Player int
	// Planes is [planes][rows][cols], row-major.
	Planes []float32
	// Globals are the global inputs.
	Globals []float32
}

// Clone returns a copy that stays as it is.
func (o Observation) Clone() Observation {
	o.Planes = append([]float32(nil), o.Planes...)
	o.Globals = append([]float32(nil), o.Globals...)
	return o
}

// Info describes a position beyond its observation.
type Info struct {
	// Player is CurrentPlayer: 0, 1, or -1 when the game is over.
	Player int
	// Ply is the number of plies since the start position, the opening's included.
	Ply int
	// Turn is the number of the turn, from 1.
	Turn int
	// Opening is the number of random plies that Reset made.
	Opening int
	// LegalCount is the number of legal actions; 0 when the game is over.
	LegalCount int
	// Outcome is Ongoing until the game has a result; a game truncated by the length cap of the
	// configuration keeps Ongoing, one stopped by the ruleset's own turn limit has Capped.
	Outcome engine.Outcome
	// Reason says which rule ended the game.
	Reason engine.EndReason
}

// StepResult is what a Step returns.
type StepResult struct {
	// Observation is what the next player sees (also after the last ply).
	Observation Observation
	// Reward is the reward of player 0 and player 1 for this ply: zero until the game is over, then +1 and
	// -1, or zeros for a draw or a truncated game. Both players get theirs with the last ply, whoever made it.
	Reward [2]float64
	// Terminated: the rules ended the game, with a result.
	Terminated bool
	// Truncated: a length cap stopped it, without a result. Never together with Terminated.
	Truncated bool
	// Info describes the position reached.
	Info Info
}

// Env is the environment of one ruleset. It implements Environment. The zero value is not usable: call New.
// It is not safe for concurrent use.
type Env struct {
	episode
	obs Observation
}

var _ Environment = (*Env)(nil)

// New returns an environment of g's rules. Reset must come before Step. The error, if any, satisfies
// errors.Is(err, ErrConfig); rules by which the game is over before the first ply are refused too.
func New(g *engine.Game, cfg Config) (*Env, error) {
	return NewWithEncoder(NewEncoder(g), cfg)
}

// NewWithEncoder is New with an encoder that others share, which saves building one for each environment.
func NewWithEncoder(enc *Encoder, cfg Config) (*Env, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := playable(enc.game); err != nil {
		return nil, err
	}
	return newEnv(enc, cfg), nil
}

// playable refuses rules that leave nothing to play: such a game would be reset for ever.
func playable(g *engine.Game) error {
	if s := g.NewState(); s.Over() {
		return fmt.Errorf("%w: by these rules the game is over at the start (%s, %s)", ErrConfig, s.Outcome(), s.Reason())
	}
	return nil
}

func newEnv(enc *Encoder, cfg Config) *Env {
	e := &Env{obs: Observation{
		Planes:  make([]float32, enc.ObsLen()),
		Globals: make([]float32, enc.GlobalsLen()),
	}}
	e.episode.init(enc, cfg)
	e.observe()
	return e
}

// Encoder returns the environment's encoder.
func (e *Env) Encoder() *Encoder { return e.enc }

// Config returns the environment's configuration.
func (e *Env) Config() Config { return e.cfg }

// State returns the game in progress, for reading and for search on a clone of it. It must not be played on.
func (e *Env) State() *engine.State { return e.state }

// Spec implements Environment.
func (e *Env) Spec() Spec {
	return Spec{
		Rows: e.enc.rows, Cols: e.enc.cols,
		Planes: e.enc.Planes(), Globals: e.enc.Globals(), ActionPlanes: e.enc.ActionPlanes(),
		NumActions: e.enc.NumActions(), EncodingVersion: EncodingVersion,
	}
}

// Reset implements Environment. It does not allocate once the game's buffers have grown.
func (e *Env) Reset(seed uint64) (Observation, Info) {
	e.reset(seed)
	e.observe()
	return e.obs, e.Info()
}

// ResetTo begins at a given position instead of the start position, with no random opening. s must be of the
// same game and not be over or beyond the length cap; else the error satisfies errors.Is(err, ErrDone) or
// ErrConfig, and nothing changes. Plies and turns go on being counted from s.
func (e *Env) ResetTo(s *engine.State) (Observation, Info, error) {
	if s.Game() != e.enc.game {
		return Observation{}, Info{}, fmt.Errorf("%w: the position belongs to another compiled ruleset; use one of Encoder().Game()", ErrConfig)
	}
	if err := e.resetTo(s); err != nil {
		return Observation{}, Info{}, err
	}
	e.observe()
	return e.obs, e.Info(), nil
}

// Step implements Environment. It does not allocate once the game's buffers have grown.
func (e *Env) Step(a engine.Action) (StepResult, error) {
	abs, err := e.check(a)
	if err != nil {
		return StepResult{}, err
	}
	e.play(abs)
	e.observe()
	return StepResult{
		Observation: e.obs, Reward: e.reward,
		Terminated: e.terminated, Truncated: e.truncated,
		Info: e.Info(),
	}, nil
}

func (e *Env) observe() {
	e.obs.Player = e.encode(e.obs.Planes, e.obs.Globals)
}

// Observe implements Environment.
func (e *Env) Observe() Observation { return e.obs }

// Clone implements Environment. The copy is an *Env; it shares only the immutable game and encoder.
func (e *Env) Clone() Environment {
	c := newEnv(e.enc, e.cfg)
	c.CopyFrom(e)
	return c
}

// CopyFrom makes e an independent copy of o, which must be of the same ruleset (an environment made by New
// from the same engine.Game); otherwise it panics. It reuses e's buffers.
func (e *Env) CopyFrom(o *Env) {
	if e.enc.game != o.enc.game {
		panic("env: CopyFrom an environment of another game")
	}
	e.copyFrom(&o.episode)
	e.obs.Player = o.obs.Player
	copy(e.obs.Planes, o.obs.Planes)
	copy(e.obs.Globals, o.obs.Globals)
}
