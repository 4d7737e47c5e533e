package engine

import (
	"testing"

	"latro/env/rules"
)

// openGame compiles a catalogue entry in a reading.
func openGame(t testing.TB, id, reading string) *Game {
	t.Helper()
	rs, err := rules.Open(id + "@" + reading)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Compile(rs.Params)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
