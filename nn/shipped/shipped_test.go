package shipped_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/nn"
	"latro/nn/shipped"
	"latro/nn/shipped/internal/golden"
	"latro/selfplay"
)

// TestNetworks: every network is of a ruleset that the catalogue still has as it was, fits the program's encodings, and
// says of two positions what it said when it was added.
func TestNetworks(t *testing.T) {
	ids := shipped.IDs()
	if len(ids) == 0 {
		t.Fatal("no networks")
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(kept) != len(ids) {
		t.Errorf("%d networks, but answers of %d are kept (%v)", len(ids), len(kept), err)
	}
	for _, id := range ids {
		n, size, err := shipped.Open(id)
		if err != nil {
			t.Error(err)
			continue
		}
		if st, err := os.Stat(filepath.Join("networks", id+".latro")); err != nil || st.Size() != int64(size) || size > shipped.MaxBytes {
			t.Errorf("%s has %d bytes, its file %v (%v); at most %d are allowed", id, size, st.Size(), err, shipped.MaxBytes)
		}
		r, err := rules.Open(id)
		if err != nil {
			t.Errorf("%s: no such ruleset: %v", id, err)
			continue
		}
		if n.RulesetID != id || n.RulesetHash != r.Hash() {
			t.Errorf("%s was trained on %s with hash %.12s; the catalogue has hash %.12s", id, n.RulesetID, n.RulesetHash, r.Hash())
			continue
		}
		if found, err := shipped.ForRuleset(r.Hash()); found != id || err != nil {
			t.Errorf("the network of %s is %q, %v", id, found, err)
		}
		game, err := engine.Compile(r.Params)
		if err != nil {
			t.Fatal(err)
		}
		encoder := env.NewEncoder(game)
		if err := n.CheckShape(selfplay.ShapeOf(encoder)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		// By name, since other planes may be as many.
		names, ok := n.RecordedInputs()
		if !ok || !slices.Equal(names.Planes, encoder.Planes()) || !slices.Equal(names.Globals, encoder.Globals()) {
			t.Errorf("%s reads other inputs than its ruleset has", id)
		}
		o, ok := shipped.OriginOf(n)
		if !ok || o.Config == "" || o.Generation < 1 || o.Games == 0 || o.Samples == 0 || !strings.Contains(o.Config, "ruleset: "+id+"\n") {
			t.Errorf("%s does not say what made it: %+v", id, o)
		}
		now, err := golden.Ask(n)
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := os.ReadFile(filepath.Join("testdata", id+".json"))
		if err != nil {
			t.Error(err)
			continue
		}
		var then golden.File
		if err := json.Unmarshal(data, &then); err != nil {
			t.Error(err)
			continue
		}
		if err := golden.Compare(then, now); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		then.Positions[1].Policy[0] += 2 * golden.Tolerance
		if golden.Compare(then, now) == nil {
			t.Errorf("%s: another answer passes for the same", id)
		}
	}
}

func TestNone(t *testing.T) {
	_, err := shipped.ForRuleset("0123")
	if !errors.Is(err, shipped.ErrNone) || !strings.Contains(err.Error(), shipped.IDs()[0]) || !strings.Contains(err.Error(), "latro learn") {
		t.Errorf("rules without a network: %v", err)
	}
	for _, id := range []string{"", "nosuch", "../shipped", "../networks/" + shipped.IDs()[0], shipped.IDs()[0] + ".latro"} {
		if _, _, err := shipped.Open(id); !errors.Is(err, shipped.ErrNone) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestOrigin(t *testing.T) {
	n := &nn.Network{Meta: map[string]string{"other": "kept", "run_note": "old"}}
	if _, ok := shipped.OriginOf(n); ok {
		t.Error("a network without notes has an origin")
	}
	want := shipped.Origin{Command: "latro learn x", Config: "seed: 3\n", Seed: 3, Generation: 7, Games: 448, Samples: 1 << 40, Hours: 1.25, Workers: 2}
	want.Record(n)
	if got, ok := shipped.OriginOf(n); !ok || got != want {
		t.Errorf("wrote %+v, read %+v", want, got)
	}
	if n.Meta["other"] != "kept" {
		t.Error("another note is gone")
	}
}
