package audit

import (
	"errors"
	"fmt"

	"latro/env/rules"
)

// ErrInvalid is wrapped by the errors of a configuration that cannot be run.
var ErrInvalid = errors.New("audit: invalid input")

// The defaults of Config.
const (
	// DefaultGames is enough for a share to be known to about seven points.
	DefaultGames = 200
	// DefaultCap is the number of plies that stands for the 2,500 turns at which Ludii stops a game.
	DefaultCap = 2500
	// DefaultReplayPlies bounds the automatic choice of games to follow under other rules: a ply costs as much as
	// dozens of plies of play, one for each value of each parameter.
	DefaultReplayPlies = 60_000
)

// The largest values of Config: what fits comfortably into memory.
const (
	MaxGames = 20_000
	MaxCap   = 20_000
	// maxPlies bounds Games times Cap, for the plies of all games are kept, two bytes each.
	maxPlies = 50_000_000
)

// Config says what to audit. Ruleset is required; what is zero takes its default.
type Config struct {
	// Ruleset is audited as it is played, with its reading and overrides.
	Ruleset *rules.Ruleset
	// Games is the number of games of each of the three groups, 1 to MaxGames.
	Games int
	// Cap is the number of plies after which a game is stopped without result, 1 to MaxCap.
	Cap int
	// Seed is the root of every random stream.
	Seed uint64
	// Replay is the number of games of each group that are followed under other rules, at most Games: the first so
	// many. 0 takes as many as DefaultReplayPlies allows, and at least one.
	Replay int
	// Workers is the number of goroutines; 0 is one a core. It does not change the report.
	Workers int
	// Progress, if set, is told how many games were finished since the last call, and how many there are to
	// do in this stage: "games", then "games under other rules". Calls do not overlap.
	Progress func(stage string, done, total int)
}

// withDefaults fills in what was left out and checks the rest. Its error wraps ErrInvalid.
func (c Config) withDefaults() (Config, error) {
	if c.Ruleset == nil {
		return c, fmt.Errorf("%w: no ruleset", ErrInvalid)
	}
	if c.Games == 0 {
		c.Games = DefaultGames
	}
	if c.Cap == 0 {
		c.Cap = DefaultCap
	}
	var problems []error
	within := func(name string, v, lo, hi int) {
		if v < lo || v > hi {
			problems = append(problems, fmt.Errorf("%w: %s is %d; it must be %d to %d", ErrInvalid, name, v, lo, hi))
		}
	}
	within("games", c.Games, 1, MaxGames)
	within("cap", c.Cap, 1, MaxCap)
	if len(problems) == 0 && c.Games*c.Cap > maxPlies {
		problems = append(problems, fmt.Errorf("%w: games times cap is %d; it must be at most %d", ErrInvalid, c.Games*c.Cap, maxPlies))
	}
	if len(problems) == 0 {
		within("replay", c.Replay, 0, c.Games)
	}
	return c, errors.Join(problems...)
}
