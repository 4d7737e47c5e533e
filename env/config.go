package env

import (
	"errors"
	"fmt"
)

// Frames of Config.Frame.
const (
	// FrameAbsolute numbers actions as the engine does: player 1's actions are not turned.
	FrameAbsolute = "absolute"
	// FrameMover numbers actions in the frame of the player who moves, as observations and policies are: for
	// player 1 the board is turned by 180 degrees. Step, LegalActions and ActionMask all follow it.
	FrameMover = "mover"
)

// Config says how an environment runs games. The rules are not part of it: they are the engine.Game. Start
// from DefaultConfig.
type Config struct {
	// MaxPlies truncates a game once it has this many plies, the opening's included; 0: no limit. A truncated
	// game has no result: both rewards are 0 and Outcome stays Ongoing. Several rulesets are endless under
	// weak play, which is why the default is not 0.
	MaxPlies int
	// MaxTurns truncates a game once it has this many whole turns; 0: no limit.
	MaxTurns int
	// OpeningPlies is the number of plies that Reset plays uniformly at random, from its seed, before the
	// caller's first ply. The games of these rulesets have no chance in them, so this is all that the seed
	// decides. A ply that would end the game is never part of an opening.
	OpeningPlies int
	// Frame is the numbering of actions, FrameAbsolute or FrameMover. Observations are in the mover's frame
	// in any case.
	Frame string
}

// DefaultConfig returns the usual configuration: games of at most 1000 plies from the start position, with
// absolute actions.
func DefaultConfig() Config {
	return Config{MaxPlies: 1000, Frame: FrameAbsolute}
}

// Validate returns every mistake of the configuration in one error that satisfies
// errors.Is(err, ErrConfig), or nil.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %s", ErrConfig, fmt.Sprintf(format, args...)))
	}
	if c.MaxPlies < 0 {
		bad("MaxPlies is %d; use 0 for no limit or a number above 0", c.MaxPlies)
	}
	if c.MaxTurns < 0 {
		bad("MaxTurns is %d; use 0 for no limit or a number above 0", c.MaxTurns)
	}
	if c.OpeningPlies < 0 || c.OpeningPlies > maxOpening {
		bad("OpeningPlies is %d; use 0 to %d", c.OpeningPlies, maxOpening)
	}
	if c.MaxPlies > 0 && c.OpeningPlies >= c.MaxPlies {
		bad("OpeningPlies %d leaves no ply to play before MaxPlies %d; raise MaxPlies", c.OpeningPlies, c.MaxPlies)
	}
	if c.Frame != FrameAbsolute && c.Frame != FrameMover {
		bad("Frame is %q; use %q or %q", c.Frame, FrameAbsolute, FrameMover)
	}
	return errors.Join(errs...)
}

// maxOpening bounds OpeningPlies, so that a Reset takes milliseconds whatever the configuration says.
const maxOpening = 10000
