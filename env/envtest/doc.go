// Package envtest is the conformance suite of latro's environments: what env.Environment promises, as tests
// that any ruleset, and any wrapper that implements the interface, can be run through.
//
//	func TestMyWrapper(t *testing.T) {
//		envtest.Check(t, func() env.Environment { return newMyWrapper() })
//	}
//
// Check plays random games and asserts, after every ply: the legal list is ascending and agrees with the mask
// and with what Step accepts; an illegal action gives an error and changes nothing; the player to move
// is the one whose observation is returned; observations have the stated shape and lie in [-1, 1]; rewards
// are zero before the end, sum to zero and agree with the outcome; a game is terminated or truncated, not
// both, and refuses to be stepped afterwards. Further subtests cover determinism by seed, independence of
// clones, saving and restoring in mid-game (and refusing damaged bytes), and rendering.
//
// CheckVector compares an env.VectorEnv with single environments row by row.
//
// Open and Game open and compile a ruleset for any other test.
package envtest
