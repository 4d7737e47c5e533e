package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"latro/selfplay"
)

// runFlags say what a new run is; an existing run keeps what it was created with.
type runFlags struct {
	Dir         string   `arg:"" help:"Directory of the run; made if it is not there, gone on with if it is."`
	Ruleset     string   `short:"r" placeholder:"RULESET" help:"Ruleset: an id, id@reading, or a file (for a new run)."`
	Also        []string `placeholder:"RULESET" sep:"none" help:"A further ruleset for the same network, of the same board and encodings; may be repeated (for a new run)."`
	Set         []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated (for a new run)."`
	Config      string   `placeholder:"FILE" help:"YAML file with the configuration of a new run; flags override it."`
	Net         string   `placeholder:"BxC" help:"Network preset, residual blocks × channels (default 4x32, or that of --init-from)."`
	InitFrom    string   `placeholder:"NET" help:"Begin with the weights of this network (a file or a run, or shipped), also of another board, ruleset or depth (for a new run)."`
	Games       int      `placeholder:"N" help:"Games a generation (default 64)."`
	Simulations int      `placeholder:"N" help:"Simulations of a full search (default 32)."`
	MaxPlies    int      `placeholder:"N" help:"Length cap of a game in plies (default 400)."`
	Seed        *uint64  `placeholder:"N" help:"Root of every random stream (default 1)."`
	Workers     int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
}

// config applies the flags that were given to base.
func (f *runFlags) config(base selfplay.Config) (selfplay.Config, error) {
	c := base
	if f.Config != "" {
		data, err := selfplay.ReadText(f.Config)
		if err != nil {
			return c, err
		}
		// What the file leaves out is as by default, also where a run is there already.
		if c, err = selfplay.DecodeConfig(f.Config, data, selfplay.DefaultConfig(f.Ruleset)); err != nil {
			return c, err
		}
	}
	if f.Ruleset != "" {
		c.Ruleset, c.Rulesets, c.Set = f.Ruleset, nil, nil
	}
	if len(f.Also) > 0 {
		first := c.Ruleset
		if len(c.Rulesets) > 0 {
			first = c.Rulesets[0]
		}
		c.Ruleset, c.Rulesets = "", append([]string{first}, f.Also...)
	}
	if len(f.Set) > 0 {
		c.Set = append(append([]string(nil), c.Set...), f.Set...)
	}
	if f.Net != "" {
		c.Network = f.Net
	}
	if f.InitFrom != "" {
		var err error
		if c.InitFrom, _, err = initFrom(f.InitFrom, c); err != nil {
			return c, err
		}
	}
	if f.Games != 0 {
		c.Games = f.Games
	}
	if f.Simulations != 0 {
		c.Search.Simulations = f.Simulations
	}
	if f.MaxPlies != 0 {
		c.MaxPlies = f.MaxPlies
	}
	if f.Seed != nil {
		c.Seed = *f.Seed
	}
	return c, nil
}

// open creates the run or goes on with it. Flags that contradict an existing run are refused, since a run's
// configuration is frozen.
func (f *runFlags) open() (*selfplay.Run, error) {
	if err := checkWorkers(f.Workers); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "run.yaml")); err == nil {
		r, err := selfplay.Open(f.Dir)
		if err != nil {
			return nil, err
		}
		asked, err := f.config(r.Config)
		if err == nil {
			err = sameConfig(f.Dir, r.Config, asked, len(f.Set) > 0 && f.Ruleset == "")
		}
		if err != nil {
			r.Close()
			return nil, err
		}
		return r, nil
	}
	if f.Ruleset == "" && f.Config == "" {
		return nil, fmt.Errorf("%w: %s holds no run yet: name its ruleset with --ruleset (latro rules list), or a configuration with --config", errInput, f.Dir)
	}
	c, err := f.config(selfplay.DefaultConfig(""))
	if err != nil {
		return nil, err
	}
	if f.InitFrom != "" && f.Net == "" && f.Config == "" {
		// Another width could not be carried over, and another depth nobody asked for.
		_, parent, err := initFrom(f.InitFrom, c)
		if err != nil {
			return nil, err
		}
		c.Network = parent.Config.Name()
	}
	return selfplay.Create(f.Dir, c)
}

// checkWorkers refuses what --workers cannot be.
func checkWorkers(n int) error {
	if n < 0 {
		return fmt.Errorf("%w: --workers is %d; it must be 0 (one a core) or more", errInput, n)
	}
	return nil
}

// sameConfig compares what is frozen with what the flags ask for, field by field. Overrides given without a
// ruleset would be added a second time, so they are compared with what is there.
func sameConfig(dir string, frozen, asked selfplay.Config, setOnly bool) error {
	if setOnly {
		asked.Set = asked.Set[len(frozen.Set):]
	}
	was, errA := settings(frozen)
	now, errB := settings(asked)
	if errA != nil || errB != nil {
		return errors.Join(errA, errB)
	}
	var diff []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if was[name] != now[name] {
			diff = append(diff, fmt.Sprintf("%s is %s, not %s", name, was[name], now[name]))
		}
	}
	if len(diff) == 0 {
		return nil
	}
	return fmt.Errorf("%w: the run in %s is frozen: %s; leave the flags out to go on with it, or start another directory",
		errInput, dir, strings.Join(diff, "; "))
}

// settings are the fields of a configuration by their names in run.yaml, as in "search.simulations".
func settings(c selfplay.Config) (map[string]string, error) {
	text, err := yaml.Marshal(c)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	// Left out of the text if empty, and then "not " would be followed by nothing.
	out := map[string]string{"set": "[]", "rulesets": "[]"}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			if sub, ok := v.(map[string]any); ok {
				walk(prefix+k+".", sub)
			} else {
				out[prefix+k] = cmp.Or(fmt.Sprint(v), `""`)
			}
		}
	}
	walk("", tree)
	return out, nil
}

// maxMinutes is ten years.
const maxMinutes = 10 * 366 * 24 * 60

// learnCmd is latro learn.
type learnCmd struct {
	runFlags
	Generations int     `placeholder:"N" help:"Stop after so many generations in all (0: no end; use --minutes or Ctrl-C)."`
	Minutes     float64 `placeholder:"M" help:"Stop at the end of the generation in which so many minutes have passed."`
	JSON        bool    `help:"Print the run's summary as JSON."`
}

// Help is shown by --help.
func (learnCmd) Help() string {
	return `The loop: the newest network plays games against itself, the learner trains on them, and so on. Kill it
whenever you like; the same command goes on from what the directory holds.

What has no flag (search, openings, learning rate, replay window) is set in a file for --config; the run.yaml
that every run writes has all of it, and a file may leave out what it does not change. A run with a ruleset of
your own goes on from the directory in which the path of that file is right.

Examples:
  latro learn runs/bell --ruleset bell-8x7 --minutes 20
  latro learn runs/small -r bell-8x7 --set board.rows=6 --set board.cols=6 --set pieces.men=8 --generations 50
  latro learn runs/bell --minutes 60                # goes on with the run above
  latro learn runs/both -r bell-8x7 --also bell-8x7@sixty-plies --minutes 60   # one network, two readings
  latro learn runs/duel -r bell-8x8 --init-from runs/bell --minutes 30
  latro match net:run=runs/bell,simulations=64 uct:simulations=100 -r bell-8x7`
}

// Run does it.
func (c *learnCmd) Run(a *app) error {
	if c.Generations < 0 || c.Minutes < 0 {
		return fmt.Errorf("%w: --generations and --minutes cannot be negative", errInput)
	}
	// A longer time than this does not fit a clock; "not a number" would never end.
	if math.IsNaN(c.Minutes) || c.Minutes > maxMinutes {
		return fmt.Errorf("%w: --minutes is %v; it must be 0 (no end) to %v", errInput, c.Minutes, maxMinutes)
	}
	if c.Generations == 0 && c.Minutes == 0 && a.ctx.Done() == nil {
		return fmt.Errorf("%w: give --generations or --minutes", errInput)
	}
	r, err := c.open()
	if err != nil {
		return err
	}
	defer r.Close()
	o := selfplay.Options{Workers: c.Workers, Generations: c.Generations}
	if c.Minutes > 0 {
		o.Deadline = time.Now().Add(time.Duration(c.Minutes * float64(time.Minute)))
	}
	w := a.watch(r)
	o.Observe = w.observe
	err = r.Learn(a.ctx, o)
	w.close()
	if err != nil {
		return err
	}
	return a.reportRun(r, c.JSON)
}

// selfplayCmd is latro selfplay.
type selfplayCmd struct {
	runFlags
	JSON bool `help:"Print the run's summary as JSON."`
}

// Help is shown by --help.
func (selfplayCmd) Help() string {
	return `Plays what is missing of the current generation's games with the newest network, into Arrow shards.
With latro train it makes the same run as latro learn, step by step.

Examples:
  latro selfplay runs/bell --ruleset bell-8x7 --games 128
  latro train runs/bell
  latro data inspect runs/bell`
}

// Run does it.
func (c *selfplayCmd) Run(a *app) error {
	return a.withRun(&c.runFlags, c.JSON, func(r *selfplay.Run, o selfplay.Options) error { return r.Generate(a.ctx, o) })
}

// trainCmd is latro train.
type trainCmd struct {
	runFlags
	JSON bool `help:"Print the run's summary as JSON."`
}

// Help is shown by --help.
func (trainCmd) Help() string {
	return `Makes the training steps of the current generation from the games of the replay window, writes the next
checkpoint and moves the run on to the next generation. The generation's games must be complete
(latro selfplay).

Examples:
  latro train runs/bell
  latro train runs/bell --workers 1`
}

// Run does it.
func (c *trainCmd) Run(a *app) error {
	return a.withRun(&c.runFlags, c.JSON, func(r *selfplay.Run, o selfplay.Options) error { return r.Train(a.ctx, o) })
}

func (a *app) withRun(f *runFlags, asJSON bool, do func(*selfplay.Run, selfplay.Options) error) error {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer r.Close()
	w := a.watch(r)
	err = do(r, selfplay.Options{Workers: f.Workers, Observe: w.observe})
	w.close()
	if err != nil {
		return err
	}
	return a.reportRun(r, asJSON)
}

// watcher turns a run's events into progress and into the run's log.
type watcher struct {
	a     *app
	run   *selfplay.Run
	bar   *progress
	file  *os.File
	log   *slog.Logger
	began time.Time
	loss  float64
	// gating says that the bar is of the gate's match.
	gating bool
}

func (a *app) watch(r *selfplay.Run) *watcher {
	w := &watcher{a: a, run: r}
	// The log is for people; a run without one is still whole.
	if f, err := os.OpenFile(filepath.Join(r.Dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		w.file, w.log = f, logger(f)
	} else {
		w.log = logger(io.Discard)
	}
	return w
}

func (w *watcher) observe(e selfplay.Event) {
	switch e.Kind {
	case "carried":
		w.log.Info("weights carried over", "tensor", e.Line.Tensor, "action", e.Line.Action, "detail", e.Line.Detail)
	case "generation":
		w.end()
		w.began = time.Now()
		done := 0
		for _, s := range w.run.Manifest().Shards {
			if s.Generation == e.Generation {
				done += int(s.Games.Rows)
			}
		}
		w.bar = w.a.newProgress(fmt.Sprintf("generation %d: games", e.Generation), e.Total, done)
		w.log.Info("generation begins", "generation", e.Generation, "games", e.Total)
	case "games":
		w.bar.add(e.Count)
	case "training":
		w.end()
		w.loss = 0
		w.log.Info("games played", "generation", e.Generation, "games", e.Stats.Games, "samples", e.Stats.Samples,
			"mean_plies", float64(e.Stats.Plies)/float64(max(1, e.Stats.Games)),
			"win0", e.Stats.Win0, "win1", e.Stats.Win1, "draws", e.Stats.Draws, "capped", e.Stats.Capped,
			"unique", e.Stats.Unique, "seconds", time.Since(w.began).Seconds())
		if w.run.Config.Resign.Threshold > 0 {
			w.log.Info("resignations", "generation", e.Generation, "resigned", e.Stats.Resigned, "played_on", e.Stats.Audited,
				"held_back", e.Stats.HeldBack, "wrong", e.Stats.Wrong)
		}
		w.began = time.Now()
		if e.Total > 0 { // there is nothing to do while the window has too few samples
			w.bar = w.a.newProgress(fmt.Sprintf("generation %d: training steps", e.Generation), e.Total, 0)
		}
	case "step":
		w.loss = e.Losses.Total
		w.bar.add(1)
	case "gate":
		if !w.gating {
			w.end()
			w.gating = true
			w.bar = w.a.newProgress(fmt.Sprintf("generation %d: games of the gate", e.Generation), e.Total, 0)
		}
		w.bar.add(e.Count)
	case "checkpoint":
		w.end()
		w.gating = false
		if g := e.Gate; g != nil {
			w.log.Info("gate", "generation", e.Generation, "games", g.Games, "score", g.Score, "accepted", g.Accepted)
		}
		w.log.Info("trained", "generation", e.Generation, "steps", e.Total, "last_loss", w.loss, "seconds", time.Since(w.began).Seconds())
	}
}

func (w *watcher) end() {
	if w.bar != nil {
		w.bar.finish()
		w.bar = nil
	}
}

func (w *watcher) close() {
	w.end()
	if w.file != nil {
		w.file.Close()
	}
}

// runSummary is what the run commands print.
type runSummary struct {
	Run         string `json:"run"`
	Ruleset     string `json:"ruleset"`
	RulesetHash string `json:"ruleset_hash"`
	// Rulesets are all, if there are several.
	Rulesets   []string `json:"rulesets,omitempty"`
	Network    string   `json:"network"`
	Generation int      `json:"generation"`
	Games      uint64   `json:"games"`
	Samples    uint64   `json:"samples"`
	Checkpoint string   `json:"checkpoint"`
}

func (a *app) reportRun(r *selfplay.Run, asJSON bool) error {
	m := r.Manifest()
	s := runSummary{
		Run: r.Dir, Ruleset: m.Ruleset, RulesetHash: m.RulesetHash, Network: r.Config.Network, Generation: m.Generation,
	}
	for _, v := range m.Rulesets {
		s.Rulesets = append(s.Rulesets, v.Ruleset)
	}
	for _, shard := range m.Shards {
		s.Games += shard.Games.Rows
		s.Samples += shard.Samples.Rows
	}
	if n := len(m.Checkpoints); n > 0 {
		s.Checkpoint = filepath.Join(r.Dir, m.Checkpoints[n-1].Path)
	}
	if asJSON {
		return a.printJSON(s)
	}
	if len(s.Rulesets) > 0 {
		s.Ruleset = strings.Join(s.Rulesets, ", ")
	}
	fmt.Fprintf(a.stdout, "run %s: %s, network %s, generation %d, %d games, %d samples\ncheckpoint %s\n",
		s.Run, s.Ruleset, s.Network, s.Generation, s.Games, s.Samples, s.Checkpoint)
	return nil
}

// printJSON prints one JSON object, indented, to standard output.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
