package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
	"latro/nn"
	"latro/selfplay"
)

// benchCmd is latro bench.
type benchCmd struct {
	Playouts benchPlayoutsCmd `cmd:"" help:"Uniform random playouts, one thread."`
	Net      benchNetCmd      `cmd:"" help:"Networks: evaluations and training steps a CPU-second, against Gorgonia's own operations."`
	Search   benchSearchCmd   `cmd:"" help:"Search simulations, one thread, with and without a network."`
}

// Help is shown by --help.
func (benchCmd) Help() string {
	return "Examples:\n  latro bench playouts bell-8x7\n  latro bench net\n  latro bench search --json"
}

// freshNetwork compiles a network with random parameters: what it says is worthless, how long it takes is not.
func freshNetwork(enc *env.Encoder, preset string) (*nn.Inference, nn.Shape, error) {
	shape := selfplay.ShapeOf(enc)
	cfg, err := nn.ParsePreset(preset)
	if err != nil {
		return nil, shape, fmt.Errorf("%w: %w", errInput, err)
	}
	network, err := nn.New(cfg, shape, 1)
	if err != nil {
		return nil, shape, err
	}
	inf, err := nn.Compile(network)
	return inf, shape, err
}

// benchSearchCmd is latro bench search.
type benchSearchCmd struct {
	Rulesets    []string `arg:"" optional:"" help:"Rulesets (default bell-8x8 and webdux)."`
	Net         string   `default:"4x32" help:"Network preset."`
	Simulations int      `default:"64" help:"Simulations a search."`
	Games       int      `default:"32" help:"Games side by side, whose leaves share batches."`
	Plies       int      `default:"20" help:"Plies to search in each game."`
	Seed        uint64   `default:"1" help:"Root of the random streams."`
	JSON        bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (benchSearchCmd) Help() string {
	return `Gumbel search of many games side by side, as in self-play: once with a network, once with equal priors and
value 0, which is the time outside the network.

Examples:
  latro bench search
  latro bench search bell-8x7 --net 2x32 --simulations 32 --json`
}

type searchFigure struct {
	ID                 string  `json:"id"`
	Evaluator          string  `json:"evaluator"`
	SimulationsPerSec  float64 `json:"simulations_per_second"`
	MicrosecPerSimulat float64 `json:"microseconds_per_simulation"`
}

// Run does it.
func (c *benchSearchCmd) Run(a *app) error {
	refs := c.Rulesets
	if len(refs) == 0 {
		refs = []string{"bell-8x8", "webdux"}
	}
	if c.Games < 1 || c.Plies < 1 {
		return fmt.Errorf("%w: --games and --plies must be at least 1", errInput)
	}
	var out []searchFigure
	for _, ref := range refs {
		rs, err := rules.Open(ref)
		if err != nil {
			return err
		}
		g, err := engine.Compile(rs.Params)
		if err != nil {
			return err
		}
		enc := env.NewEncoder(g)
		inf, _, err := freshNetwork(enc, c.Net)
		if err != nil {
			return err
		}
		network, err := selfplay.NewEvaluator(inf, enc, c.Games, 0)
		if err != nil {
			return err
		}
		for _, ev := range []struct {
			name string
			mcts.Evaluator
		}{{c.Net, network}, {"none", mcts.Uniform{}}} {
			rate, err := c.measure(a, g, ev.Evaluator)
			if err != nil {
				return err
			}
			out = append(out, searchFigure{rs.ID, ev.name, rate, 1e6 / rate})
		}
	}
	if c.JSON {
		return a.printJSON(map[string]any{"search": out})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ruleset\tnetwork\tsimulations/s\tµs/simulation\t")
	for _, f := range out {
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.1f\t\n", f.ID, f.Evaluator, f.SimulationsPerSec, f.MicrosecPerSimulat)
	}
	return w.Flush()
}

// measure plays c.Plies searched plies in c.Games games and returns simulations a second.
func (c *benchSearchCmd) measure(a *app, g *engine.Game, ev mcts.Evaluator) (float64, error) {
	cfg := mcts.DefaultGumbel(c.Simulations)
	if err := cfg.Validate(); err != nil {
		return 0, err
	}
	states := make([]*engine.State, c.Games)
	searches := make([]*mcts.Search, c.Games)
	for i := range states {
		states[i] = g.NewState()
		// Half of the games begin in the movement phase, as in self-play.
		states[i].Playout(seed.New(c.Seed, seed.Opening, uint64(i)), (i%2)*2*(g.Params().Pieces.Men+1))
		var err error
		if searches[i], err = mcts.New(cfg); err != nil {
			return 0, err
		}
	}
	var runner mcts.Runner
	simulations := 0
	began := time.Now()
	for ply := range c.Plies {
		if err := a.ctx.Err(); err != nil {
			return 0, err
		}
		for i, s := range states {
			if s.Over() {
				s.Reset()
			}
			if err := searches[i].Begin(s, seed.New(c.Seed, seed.Play, uint64(i), uint64(ply))); err != nil {
				return 0, err
			}
		}
		if err := runner.Run(searches, ev); err != nil {
			return 0, err
		}
		for i, s := range states {
			r := searches[i].Result()
			simulations += r.Simulations
			s.Play(r.Action)
		}
	}
	return float64(max(1, simulations)) / time.Since(began).Seconds(), nil
}
