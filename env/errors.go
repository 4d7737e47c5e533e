package env

import "errors"

// Errors of this package, for errors.Is.
var (
	// ErrIllegalAction: the action is not legal for the player to move, or no action at all. Nothing changed.
	ErrIllegalAction = errors.New("env: illegal action")
	// ErrDone: the game is over (terminated or truncated), or was never begun; call Reset. Nothing changed.
	ErrDone = errors.New("env: the game is over: call Reset")
	// ErrConfig: a configuration is wrong; the message says every field that is.
	ErrConfig = errors.New("env: invalid configuration")
	// ErrBinary: bytes given to UnmarshalBinary are damaged, of another format version, or of another
	// ruleset. The environment is unchanged.
	ErrBinary = errors.New("env: cannot restore")
	// ErrClosed: a VectorEnv was used after Close.
	ErrClosed = errors.New("env: the vector environment is closed")
)
