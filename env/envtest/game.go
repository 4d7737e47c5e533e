package envtest

import (
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

// Open opens and compiles a ruleset (an id, id@reading or a file, with overrides as "parameter=value") for a test, and ends
// the test if it cannot.
func Open(t testing.TB, ref string, set ...string) (*rules.Ruleset, *engine.Game) {
	t.Helper()
	r, err := rules.Open(ref, set...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	return r, g
}

// Game is Open without the ruleset.
func Game(t testing.TB, ref string, set ...string) *engine.Game {
	t.Helper()
	_, g := Open(t, ref, set...)
	return g
}
