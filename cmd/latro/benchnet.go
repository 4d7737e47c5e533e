package main

import (
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"latro/datasets/atomicfile"
	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/nn"
	"latro/nn/measure"
	"latro/selfplay"
)

// benchNetCmd is latro bench net.
type benchNetCmd struct {
	Ruleset         string        `short:"r" default:"bell-8x8" help:"Ruleset whose encodings the networks have, and its board if --boards is left out."`
	Set             []string      `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Nets            []string      `help:"Presets (default 6x64 and 4x32; with --quick 4x32)."`
	Boards          []string      `help:"Boards as ROWSxCOLS (default the ruleset's and 7x13, 6x6 and 11x16; with --quick the ruleset's)."`
	Batches         []int         `help:"Batch sizes (default 1, 8 and 32; with --quick 8)."`
	Implementations []string      `help:"Of compiled, graph, graph-stock, int16 and purego (default all)."`
	Train           bool          `negatable:"" default:"true" help:"Measure training steps too, on the first board."`
	TrainBatch      int           `default:"128" help:"Batch of a training step (with --quick at most 16)."`
	Time            time.Duration `default:"400ms" help:"CPU time a figure, at least; one evaluation or step is always timed."`
	Quick           bool          `help:"A few figures in seconds, to see that all works."`
	Tune            bool          `help:"Measure every way of computing the convolutions and propose a table of methods; nothing else."`
	Out             string        `placeholder:"FILE" help:"With --tune: write the proposed table here."`
	JSON            bool          `help:"Print JSON."`
}

// Help is shown by --help.
func (benchNetCmd) Help() string {
	return `Positions and training steps a CPU-second of one thread. Implementations: compiled is what plays; int16 is the same
with products of 16-bit integers, purego with kernels in Go; graph is the Gorgonia graph that training uses; graph-stock and stock are the same network from
Gorgonia's own operations. All figures of one run compare. The whole takes about two minutes on a quiet machine.

--tune measures the ways of computing 3x3 convolutions for the boards of the catalogue (or --boards) and prints where
another than the present one is faster by more than a twentieth, with the table (nn/methods.txt) as it would be. On a busy
machine give it a longer --time, and believe what comes twice. Networks never measure
anything when they are loaded: results must reproduce.

Examples:
  latro bench net
  latro bench net --quick --json
  latro bench net --nets 10x128 --boards 8x8 --implementations compiled --no-train
  latro bench net --tune --out methods.txt`
}

// netFigures is what latro bench net prints.
type netFigures struct {
	Kernels   string                    `json:"kernels"`
	Inference []measure.InferenceFigure `json:"inference"`
	Training  []measure.TrainingFigure  `json:"training,omitempty"`
	Workers   []measure.WorkersFigure   `json:"workers,omitempty"`
	Peak      float64                   `json:"fma_peak_gflops"`
	Direct    float64                   `json:"direct_gflops"`
}

// settings fills in what the flags leave out and refuses what does not fit.
func (c *benchNetCmd) settings() error {
	if c.Time <= 0 {
		return fmt.Errorf("%w: --time is %v; it must be above 0", errInput, c.Time)
	}
	if c.TrainBatch < 1 || c.TrainBatch > 4096 {
		return fmt.Errorf("%w: --train-batch is %d; it must be 1 to 4096", errInput, c.TrainBatch)
	}
	if c.Out != "" && !c.Tune {
		return fmt.Errorf("%w: --out is for --tune", errInput)
	}
	full := func(list, quick []string, all ...string) []string {
		if len(list) > 0 {
			return list
		}
		if c.Quick {
			return quick
		}
		return all
	}
	c.Nets = full(c.Nets, []string{"4x32"}, "6x64", "4x32")
	c.Implementations = full(c.Implementations, measure.Implementations(), measure.Implementations()...)
	if len(c.Batches) == 0 {
		c.Batches = []int{1, 8, 32}
		if c.Quick {
			c.Batches = []int{8}
		}
	}
	if c.Quick {
		c.Time, c.TrainBatch = min(c.Time, 50*time.Millisecond), min(c.TrainBatch, 16)
	}
	for _, b := range c.Batches {
		if b < 1 || b > 4096 {
			return fmt.Errorf("%w: --batches has %d; sizes are 1 to 4096", errInput, b)
		}
	}
	for _, name := range c.Implementations {
		if !slices.Contains(measure.Implementations(), name) {
			return fmt.Errorf("%w: --implementations has %q; there are %v", errInput, name, measure.Implementations())
		}
	}
	return nil
}

// shapes returns the shapes of the networks, one a board.
func (c *benchNetCmd) shapes() ([]nn.Shape, error) {
	rs, err := rules.Open(c.Ruleset, c.Set...)
	if err != nil {
		return nil, err
	}
	g, err := engine.Compile(rs.Params)
	if err != nil {
		return nil, err
	}
	shape := selfplay.ShapeOf(env.NewEncoder(g))
	boards := c.Boards
	if len(boards) == 0 {
		boards = []string{measure.Board(shape)}
		switch {
		case c.Tune:
			if boards, err = catalogueBoards(); err != nil {
				return nil, err
			}
		case !c.Quick:
			boards = append(boards, "7x13", "6x6", "11x16")
		}
	}
	var out []nn.Shape
	for _, b := range boards {
		s := shape
		if n, err := fmt.Sscanf(b, "%dx%d", &s.Rows, &s.Cols); err != nil || n != 2 || measure.Board(s) != b {
			return nil, fmt.Errorf("%w: board %q; want rows and columns, such as 8x8", errInput, b)
		}
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("%w: --boards: %w", errInput, err)
		}
		if !slices.ContainsFunc(out, s.Equal) {
			out = append(out, s)
		}
	}
	return out, nil
}

// catalogueBoards returns the sizes of the catalogue's boards, each once.
func catalogueBoards() ([]string, error) {
	seen := map[string]bool{}
	for _, ref := range rules.Catalogue() {
		rs, err := rules.Open(ref)
		if err != nil {
			return nil, err
		}
		g, err := engine.Compile(rs.Params)
		if err != nil {
			return nil, err
		}
		seen[fmt.Sprintf("%dx%d", g.Rows(), g.Cols())] = true
	}
	var out []string
	for b := range seen {
		out = append(out, b)
	}
	slices.Sort(out)
	return out, nil
}

// Run does it.
func (c *benchNetCmd) Run(a *app) error {
	if err := c.settings(); err != nil {
		return err
	}
	shapes, err := c.shapes()
	if err != nil {
		return err
	}
	var configs []nn.Config
	for _, preset := range c.Nets {
		cfg, err := nn.ParsePreset(preset)
		if err != nil {
			return fmt.Errorf("%w: %w", errInput, err)
		}
		configs = append(configs, cfg)
	}
	if c.Tune {
		return c.tune(a, shapes, configs)
	}
	total := len(configs) * len(shapes) * len(c.Batches) * len(c.Implementations)
	bar := a.newProgress("measuring", total, 0)
	out := netFigures{Kernels: nn.KernelID(), Peak: measure.Peak(), Direct: measure.Direct()}
	for _, cfg := range configs {
		for i, shape := range shapes {
			n, err := nn.New(cfg, shape, 1)
			if err != nil {
				return err
			}
			for _, batch := range c.Batches {
				for _, name := range c.Implementations {
					f, err := measure.Inference(a.ctx, n, name, batch, c.Time)
					if err != nil {
						return err
					}
					out.Inference = append(out.Inference, f)
					bar.add(1)
				}
			}
			if i > 0 {
				continue
			}
			if w := slices.Max(c.Batches); slices.Contains(c.Implementations, measure.Compiled) {
				f, err := measure.Workers(a.ctx, n, w, 2, c.Time/2)
				if err != nil {
					return err
				}
				out.Workers = append(out.Workers, f)
			}
			if c.Train {
				for _, name := range []string{measure.Custom, measure.Stock} {
					f, err := measure.Training(a.ctx, n, name, c.TrainBatch, c.Time)
					if err != nil {
						return err
					}
					out.Training = append(out.Training, f)
				}
			}
		}
	}
	bar.finish()
	if c.JSON {
		return a.printJSON(out)
	}
	return c.print(a, &out)
}

// print writes tables in which every line has its ratio to Gorgonia's own
// operations, where those were measured.
func (c *benchNetCmd) print(a *app, out *netFigures) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "net\tboard\tbatch\timplementation\tpositions/CPU-s\t× stock\tallocations\t")
	for _, f := range out.Inference {
		times := ""
		for _, s := range out.Inference {
			if s.Implementation == measure.GraphStock && s.Net == f.Net && s.Board == f.Board && s.Batch == f.Batch {
				times = fmt.Sprintf("%.1f", f.Positions/s.Positions)
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.0f\t%s\t%.0f\t\n", f.Net, f.Board, f.Batch, f.Implementation, f.Positions, times, f.Allocations)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(out.Training) > 0 {
		fmt.Fprintln(a.stdout)
		fmt.Fprintln(w, "net\tboard\tbatch\ttraining\tCPU-s/step\t× stock\tpeak MiB\tof stock\t")
		for _, f := range out.Training {
			times, part := "", ""
			for _, s := range out.Training {
				if s.Implementation == measure.Stock && s.Net == f.Net && s.Board == f.Board {
					times, part = fmt.Sprintf("%.1f", s.Seconds/f.Seconds), fmt.Sprintf("%.2f", float64(f.PeakBytes)/float64(max(1, s.PeakBytes)))
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.4f\t%s\t%.1f\t%s\t\n", f.Net, f.Board, f.Batch, f.Implementation, f.Seconds, times, float64(f.PeakBytes)/(1<<20), part)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.stdout)
	for _, f := range out.Workers {
		fmt.Fprintf(a.stdout, "%d workers, %s on %s, batch %d: %.2f times one (%.0f and %.0f positions a second), %.2f by CPU time\n", f.Workers, f.Net, f.Board, f.Batch, f.TimesOne, f.Positions, f.Alone, f.ByCPUTime)
	}
	if out.Peak > 0 {
		fmt.Fprintf(a.stdout, "direct kernel %.1f GFLOP/CPU-s, %.0f %% of the %.1f that the core does at most\n", out.Direct, 100*out.Direct/out.Peak, out.Peak)
	} else {
		fmt.Fprintf(a.stdout, "direct kernel %.1f GFLOP/CPU-s\n", out.Direct)
	}
	_, err := fmt.Fprintf(a.stdout, "kernels %s\n", out.Kernels)
	return err
}

// tune proposes a table of methods for the given boards and presets.
func (c *benchNetCmd) tune(a *app, shapes []nn.Shape, configs []nn.Config) error {
	var cases []nn.Case
	for _, s := range shapes {
		for _, cfg := range configs {
			for _, in := range []int{s.Planes, cfg.Channels} {
				if k := (nn.Case{Rows: s.Rows, Cols: s.Cols, In: in, Out: cfg.Channels}); !slices.Contains(cases, k) {
					cases = append(cases, k)
				}
			}
		}
	}
	boards := min(16, c.Batches[len(c.Batches)/2])
	choices, err := measure.Tune(a.ctx, cases, boards, c.Time/4)
	if err != nil {
		return err
	}
	table := measure.Table(choices)
	if c.Out != "" {
		if err := atomicfile.WriteBytes(c.Out, []byte(table)); err != nil {
			return err
		}
	}
	if c.JSON {
		return a.printJSON(map[string]any{"kernels": nn.KernelID(), "choices": choices, "table": table})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "case\t")
	for _, m := range nn.Methods() {
		fmt.Fprintf(w, "%s\t", m)
	}
	fmt.Fprintln(w, "now\tproposed\t")
	for _, ch := range choices {
		fmt.Fprintf(w, "%s\t", ch.Case)
		for _, m := range nn.Methods() {
			fmt.Fprintf(w, "%.1f\t", ch.Micros[m])
		}
		better := ""
		if ch.Changed() {
			better = string(ch.Better)
		}
		fmt.Fprintf(w, "%s\t%s\t\n", ch.Now, better)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "µs a position, %d side by side. The table, as proposed:\n\n%s", boards, table)
	return err
}
