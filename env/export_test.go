package env

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"sync"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

// SealBinary puts the magic, the version and the right checksum around a body, so that fuzzing reaches what
// lies behind them.
func SealBinary(body []byte) []byte {
	b := append([]byte(binaryMagic), binaryVersion)
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// compiled and encoders keep what the tests share: the catalogue has some two hundred entries and readings, and
// most tests go through all of them.
var compiled, encoders sync.Map

// Compile opens a ruleset by reference and compiles it, once.
func Compile(t testing.TB, ref string, sets ...string) *engine.Game {
	t.Helper()
	key := strings.Join(append([]string{ref}, sets...), "+")
	if g, ok := compiled.Load(key); ok {
		return g.(*engine.Game)
	}
	g := compileAnew(t, ref, sets...)
	compiled.Store(key, g)
	return g
}

func compileAnew(t testing.TB, ref string, sets ...string) *engine.Game {
	t.Helper()
	r, err := rules.Open(ref, sets...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	return g
}

// CompileAnew compiles the ruleset again, to a Game that is none of Compile's.
func CompileAnew(t testing.TB, ref string) *engine.Game {
	t.Helper()
	return compileAnew(t, ref)
}

// SharedEncoder returns the one encoder of a compiled game.
func SharedEncoder(g *engine.Game) *Encoder {
	if e, ok := encoders.Load(g); ok {
		return e.(*Encoder)
	}
	e := NewEncoder(g)
	encoders.Store(g, e)
	return e
}

// EveryRef lists every catalogue entry in every reading.
func EveryRef(t testing.TB) []string {
	t.Helper()
	var refs []string
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, id)
		for _, reading := range r.Readings {
			refs = append(refs, id+"@"+reading.Name)
		}
	}
	return refs
}
