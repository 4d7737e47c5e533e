package selfplay

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"latro/datasets"
	"latro/nn"
)

// everything is a run with all that can be switched on.
func everything() Config {
	c := several()
	c.Generations, c.Games, c.MaxPlies = 3, 6, 50
	c.Search.Simulations, c.Search.FullShare, c.Search.CheapSimulations = 4, 0.8, 2
	c.Training.Surprise, c.Training.SurvivalLoss, c.Training.PliesLoss, c.Training.ReplyLoss = 0.5, 1, 0.1, 0.15
	c.Training.LearningRate, c.Training.Reuse = 0.01, 1
	c.Training.Window.Base = 150 // so that samples leave
	one := 1.0
	c.Training.ValueLoss = &one
	c.Opening.Temperature, c.Opening.TemperaturePlies = 1, 4
	c.Resign = ResignConfig{Threshold: 0.01, Plies: 1, AuditShare: 0.5, MaxFalseRate: 1}
	c.Gating = GatingConfig{Games: 8, MinScore: 0.99, Simulations: 2}
	return c
}

// With every option on, a run that is stopped again and again, also in the gate's match, ends with the bytes of one that
// is not, and the number of workers does not matter. A network that the gate refuses leaves the old one playing and is what
// training goes on from; one that it accepts plays.
func TestEverythingResumesToTheSameBytes(t *testing.T) {
	whole, broken := t.TempDir(), t.TempDir()
	c := everything()
	gates, inGate := 0, 0
	if err := learn(t, whole, c, Options{Workers: 2, Observe: func(e Event) {
		if e.Gate != nil {
			gates++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	r, err := Create(broken, c)
	if err != nil {
		t.Fatal(err)
	}
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		stopped := false
		n := 0
		err := r.Learn(ctx, Options{Workers: 1, CacheMB: -1, Observe: func(e Event) {
			// The first generations are stopped in their games, their training, their match.
			n++
			if !stopped && (n > 3+3*stops || e.Kind == "gate" && stops%3 == 1) && e.Kind != "checkpoint" {
				stopped = true
				if e.Kind == "gate" {
					inGate++
				}
				cancel()
			}
		}})
		cancel()
		r.Close()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops > 100 {
			t.Fatal("the run does not come to its end")
		}
		if r, err = Open(broken); err != nil {
			t.Fatal(err)
		}
	}
	same(t, files(t, whole), files(t, broken))
	if r, err = Open(whole); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// No network wins all games against the one before it; the last one need not.
	r.Config.Gating.MinScore = 0.001
	last := c.Generations
	if err := r.Learn(t.Context(), Options{Generations: last + 1}); err != nil {
		t.Fatal(err)
	}
	var hashes []string
	for g := range last + 2 {
		network, err := nn.Load(filepath.Join(whole, checkpointName(g)))
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, network.Hash())
	}
	m := r.Manifest()
	for _, g := range m.Gates {
		if want := g.Generation == last; g.Games != c.Gating.Games || g.Accepted != want || want == (hashes[g.Generation] == hashes[g.Generation+1]) {
			t.Errorf("gate %+v, networks %v", g, hashes)
		}
	}
	candidates, err := filepath.Glob(filepath.Join(whole, "checkpoints", "*.candidate"))
	if err != nil || len(candidates) > 0 || m.Candidate != nil {
		t.Errorf("after the last network was accepted there are still %v, %v; %v", candidates, m.Candidate, err)
	}
	candidates, err = filepath.Glob(filepath.Join(broken, "checkpoints", "*.candidate"))
	if err != nil || len(candidates) != 1 {
		t.Errorf("candidates %v, %v; the newest alone is kept", candidates, err)
	}
	if len(m.Gates) < 3 || gates != len(m.Gates)-1 || inGate == 0 {
		t.Errorf("%d gates of which %d were told before the last, %d stops in a match: the test shows too little", len(m.Gates), gates, inGate)
	}
	curve, err := datasets.OpenMetrics(filepath.Join(whole, "metrics.arrow"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gate_score", "gate_accepted", "resigned", "resign_threshold", "survival_loss", "plies_loss", "reply_loss"} {
		if _, v := curve.Series(name); len(v) < 2 {
			t.Errorf("%s has %d points", name, len(v))
		}
	}
	if _, v := curve.Series("resigned"); v[0] != 0 || v[len(v)-1] == 0 {
		t.Errorf("shares of games resigned: %v; none in the first generation, where nothing is known, and some later", v)
	}
}
