package luditrial

import (
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

func codecOf(t testing.TB, ref string) *Codec {
	t.Helper()
	r, err := rules.Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	return NewCodec(g)
}
