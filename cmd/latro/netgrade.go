package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"latro/env/rules"
	"latro/experiments/grade"
	"latro/experiments/stats"
	"latro/mcts/exact"
	"latro/nn"
)

// netGradeCmd is latro net grade.
type netGradeCmd struct {
	Net         string   `arg:"" placeholder:"FILE|RUN" help:"Network file, or directory of a run."`
	Ruleset     string   `short:"r" placeholder:"RULESET" help:"Ruleset to grade on (default: the one the network was trained on)."`
	Set         []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Solution    string   `placeholder:"FILE" help:"Solution that latro solve --out wrote; solved on the fly if left out."`
	Positions   int      `short:"n" default:"1000" help:"Positions to ask about, drawn from all that can be reached."`
	Simulations int      `default:"64" help:"Simulations of the search."`
	Seed        uint64   `default:"1" help:"Root of the random streams."`
	Memory      int      `default:"1024" placeholder:"MB" help:"Memory for the solution at most."`
	AnyRules    bool     `help:"Grade also on rules that the network was not trained on, if board and encodings agree."`
	JSON        bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (netGradeCmd) Help() string {
	return `Compares a network with the truth on a game that is small enough to be solved (latro solve): how far its value is from
the exact value, and how often its best ply, without search and with it, keeps what the position is worth. Where every ply
keeps the value nothing can be done wrong; "critical" are the positions in which some ply throws it away, and "by lot" is
what random plies would keep. docs/solved.md explains every figure.

Examples:
  latro learn runs/small -r locus-ludi-piso --set board.rows=4 --set board.cols=4 --set pieces.men=3 --minutes 2
  latro net grade runs/small
  latro net grade runs/small --positions 5000 --simulations 200 --seed 7 --json`
}

// Run does it.
func (c *netGradeCmd) Run(a *app) error {
	if c.Memory < 1 || c.Memory > maxSolveMemory {
		return fmt.Errorf("%w: --memory is %d; it must be 1 to %d", errInput, c.Memory, maxSolveMemory)
	}
	f, err := openNet(c.Net)
	if err != nil {
		return err
	}
	r, err := c.ruleset(f)
	if err != nil {
		return err
	}
	g, err := openNetGame(r.Ref())
	if err != nil {
		return err
	}
	if err := f.network.CheckShape(g.shape); err != nil {
		return err
	}
	if err := f.checkInputs(g); err != nil {
		return err
	}
	if !c.AnyRules {
		if err := f.network.CheckRuleset(r.Ref(), r.Hash()); err != nil {
			return fmt.Errorf("%w: %s: %w; give --any-rules to grade it all the same", errInput, f.path, err)
		}
	}
	var s *exact.Solution
	if c.Solution != "" {
		s, err = exact.Load(c.Solution, r, int64(c.Memory)<<20)
		err = solveError(err)
	} else {
		s, err = solve(a.ctx, a, r, exact.Options{Memory: int64(c.Memory) << 20, Try: true})
	}
	if err != nil {
		return err
	}
	return c.grade(a, f.network, s)
}

// ruleset is what --ruleset and --set say, or what the network was trained on.
func (c *netGradeCmd) ruleset(f *netFile) (*rules.Ruleset, error) {
	ref := c.Ruleset
	if ref == "" {
		if ref = f.network.RulesetID; ref == "" {
			return nil, fmt.Errorf("%w: %s does not say on which ruleset it was trained; give --ruleset", errInput, f.path)
		}
	}
	return rules.Open(ref, c.Set...)
}

func (c *netGradeCmd) grade(a *app, n *nn.Network, s *exact.Solution) error {
	var bar *progress
	done := 0
	report, err := grade.Run(a.ctx, grade.Config{Network: n, Solution: s, Positions: c.Positions, Simulations: c.Simulations, Seed: c.Seed, Level: level,
		Progress: func(d, total int) {
			if bar == nil {
				bar = a.newProgress("positions", total, 0)
			}
			bar.add(d - done)
			done = d
		}})
	if bar != nil {
		bar.finish()
	}
	if errors.Is(err, grade.ErrInvalid) {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(report)
	}
	return writeGrade(a, report)
}

func writeGrade(a *app, r *grade.Report) error {
	fmt.Fprintf(a.stdout, "network %.12s on %s: %d positions of %d, %d simulations, seed %d; 95%% intervals\n\n", r.Network, printable(r.Ruleset), r.All.Positions, r.States, r.Simulations, r.Seed)
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	names := append([]string{"all"}, slices.Sorted(maps.Keys(r.Phases))...)
	part := func(name string) grade.Part {
		if name == "all" {
			return r.All
		}
		return r.Phases[name]
	}
	row := func(what string, cell func(p grade.Part) string) {
		fmt.Fprint(w, what)
		for _, name := range names {
			fmt.Fprintf(w, "\t%s", cell(part(name)))
		}
		fmt.Fprintln(w)
	}
	interval := func(of func(p grade.Part) stats.Interval) func(p grade.Part) string {
		return func(p grade.Part) string {
			if x := of(p); x.N > 0 {
				return x.String()
			}
			return "-"
		}
	}
	fmt.Fprint(w, "")
	for _, name := range names {
		fmt.Fprintf(w, "\t%s", name)
	}
	fmt.Fprintln(w)
	row("positions (critical)", func(p grade.Part) string { return fmt.Sprintf("%d (%d)", p.Positions, p.Critical) })
	row("ply keeps the value: policy", interval(func(p grade.Part) stats.Interval { return p.Policy }))
	row("  after search", interval(func(p grade.Part) stats.Interval { return p.Search }))
	row("  by lot", func(p grade.Part) string { return fmt.Sprintf("%.3f", p.Lot) })
	row("  critical: policy", interval(func(p grade.Part) stats.Interval { return p.PolicyCritical }))
	row("  critical: after search", interval(func(p grade.Part) stats.Interval { return p.SearchCritical }))
	row("  critical: by lot", func(p grade.Part) string { return fmt.Sprintf("%.3f", p.LotCritical) })
	row("value: mean error", interval(func(p grade.Part) stats.Interval { return p.ValueError }))
	row("  after search", interval(func(p grade.Part) stats.Interval { return p.SearchError }))
	row("  right class", interval(func(p grade.Part) stats.Interval { return p.Class }))
	row("  Brier score", interval(func(p grade.Part) stats.Interval { return p.Brier }))
	for _, k := range []struct {
		name string
		of   func(p grade.Part) grade.Class
	}{{"won", func(p grade.Part) grade.Class { return p.Win }}, {"drawn", func(p grade.Part) grade.Class { return p.Draw }}, {"lost", func(p grade.Part) grade.Class { return p.Loss }}} {
		row("  "+k.name+": mean value", interval(func(p grade.Part) stats.Interval { return k.of(p).Value }))
		row("  "+k.name+": Brier score", interval(func(p grade.Part) stats.Interval { return k.of(p).Brier }))
	}
	row("proven by the search (wrongly)", func(p grade.Part) string { return fmt.Sprintf("%d (%d)", p.Proven, p.False) })
	return w.Flush()
}
