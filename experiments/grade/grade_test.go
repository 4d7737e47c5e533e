package grade

import (
	"context"
	"errors"
	"math"
	"testing"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts/exact"
	"latro/nn"
	"latro/selfplay"
)

func setup(t *testing.T) (*exact.Solution, *nn.Network) {
	t.Helper()
	r, err := rules.Open("locus-ludi-piso", "board.rows=3", "board.cols=3", "pieces.men=3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := exact.Solve(t.Context(), r, exact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		t.Fatal(err)
	}
	config, err := nn.ParsePreset("1x16")
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(config, selfplay.ShapeOf(env.NewEncoder(g)), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s, n
}

// TestUntrainedNetwork grades a network that knows nothing: its value is that of nearly equal chances, its plies are about as
// good as by lot; its search, which meets the ends of games, is better and proves nothing false.
func TestUntrainedNetwork(t *testing.T) {
	s, n := setup(t)
	r, err := Run(t.Context(), Config{Network: n, Solution: s, Positions: 5000, Simulations: 200, Seed: 1, Level: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	p := r.All
	// All of the 1,559 positions but those with one ply.
	if p.Positions+r.Unasked != s.Len() || p.Positions < 1400 {
		t.Errorf("%d positions, %d left out, of %d", p.Positions, r.Unasked, s.Len())
	}
	if math.Abs(p.Brier.Estimate-2.0/3) > 0.05 {
		t.Errorf("Brier score %v, equal chances have 2/3", p.Brier)
	}
	if math.Abs(p.PolicyCritical.Estimate-p.LotCritical) > 0.08 {
		t.Errorf("critical plies kept: %v, by lot %v", p.PolicyCritical, p.LotCritical)
	}
	if p.SearchCritical.Low < p.PolicyCritical.High {
		t.Errorf("critical plies kept: %v, after search %v", p.PolicyCritical, p.SearchCritical)
	}
	if p.SearchError.High > p.ValueError.Low {
		t.Errorf("value errors: %v, after search %v", p.ValueError, p.SearchError)
	}
	if p.False != 0 || p.Proven < 100 {
		t.Errorf("%d proven, %d of them false", p.Proven, p.False)
	}
	if n := p.Win.Positions + p.Draw.Positions + p.Loss.Positions; n != p.Positions {
		t.Errorf("%d positions by class, %d in all", n, p.Positions)
	}
	a, b := r.Phases["placement"], r.Phases["movement"]
	if a.Positions+b.Positions != p.Positions || a.Proven+b.Proven != p.Proven || a.Positions == 0 {
		t.Errorf("phases %+v", r.Phases)
	}
}

// TestSum: the figures of two made-up answers are those worked out by hand.
func TestSum(t *testing.T) {
	items := []item{
		{truth: 1, critical: true, lot: 0.25, wdl: [3]float64{0.5, 0.3, 0.2}, policy: true, search: true, found: 1, proven: true},
		{truth: 0, critical: false, lot: 1, wdl: [3]float64{0.6, 0.4, 0}, policy: true, search: true, found: 0.5},
	}
	p := sum(items, func(*item) bool { return true }, 0.95)
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	near("class", p.Class.Estimate, 0.5)
	near("value error", p.ValueError.Estimate, (0.7+0.6)/2)
	near("search error", p.SearchError.Estimate, 0.25)
	near("Brier", p.Brier.Estimate, (0.25+0.09+0.04+0.36+0.36)/2)
	near("Brier of wins", p.Win.Brier.Estimate, 0.38)
	near("value of draws", p.Draw.Value.Estimate, 0.6)
	near("lot", p.Lot, 0.625)
	near("critical lot", p.LotCritical, 0.25)
	near("critical policy", p.PolicyCritical.Estimate, 1)
	if p.Critical != 1 || p.Proven != 1 || p.False != 0 || p.Loss.Positions != 0 {
		t.Errorf("%+v", p)
	}
}

func TestRefusals(t *testing.T) {
	s, n := setup(t)
	good := Config{Network: n, Solution: s, Positions: 10, Simulations: 4, Level: 0.95}
	for name, change := range map[string]func(*Config){
		"no positions":   func(c *Config) { c.Positions = 0 },
		"no simulations": func(c *Config) { c.Simulations = 0 },
	} {
		c := good
		change(&c)
		if _, err := Run(t.Context(), c); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
