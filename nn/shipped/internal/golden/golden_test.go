package golden

import (
	"testing"

	"latro/env"
	"latro/env/envtest"
	"latro/nn"
)

// TestAsk: rulesets of every kind, also those whose games are short, have two positions, and answers differ where networks do.
func TestAsk(t *testing.T) {
	for _, id := range []string{"bell-8x7", "luductus", "6x6-kharebga", "webdux", "locus-ludi-seneca"} {
		r, game := envtest.Open(t, id)
		e := env.NewEncoder(game)
		shape := nn.Shape{Rows: e.Rows(), Cols: e.Cols(), Planes: len(e.Planes()), Globals: len(e.Globals()), ActionPlanes: e.ActionPlanes()}
		cfg, err := nn.ParsePreset("1x8")
		if err != nil {
			t.Fatal(err)
		}
		var answers [2]File
		for i := range answers {
			n, err := nn.New(cfg, shape, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			n.RulesetID, n.RulesetHash = r.Ref(), r.Hash()
			if answers[i], err = Ask(n); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			p := answers[i].Positions
			if len(p) != 2 || p[0].Position == p[1].Position || len(p[1].Policy) == 0 {
				t.Errorf("%s: %+v", id, p)
			}
			if err := Compare(answers[i], answers[i]); err != nil {
				t.Error(err)
			}
		}
		answers[1].Network = answers[0].Network
		if Compare(answers[0], answers[1]) == nil {
			t.Errorf("%s: two networks say the same", id)
		}
	}
}
