package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
)

// RunOptions say how an experiment is carried out; none of them changes a game.
type RunOptions struct {
	// Workers is the number of units played at once; 0 means one a processor.
	Workers int
	// Factory builds agents; Builtin if nil.
	Factory Factory
	// Progress, if not nil, is called after every unit, from one goroutine at a time.
	Progress func(Progress)
	// Command is recorded in the manifest, for people.
	Command string
}

// Progress is how far a run has come.
type Progress struct {
	// Games and Total count games; Resumed of them were there before this run.
	Games, Total, Resumed int
	// Cell says what was played last: "Bell 8x7, uct:simulations=100".
	Cell string
}

// manifestEvery is how often a running experiment rewrites its manifest. A shard
// that the manifest does not list yet is found and verified when the run resumes,
// so nothing depends on it.
const manifestEvery = 2 * time.Second

const (
	metaDesign = "experiment_design"
	metaCell   = "experiment_cell"
	metaUnit   = "experiment_unit"
)

// Run plays the games of a design into dir, or goes on where an earlier run of
// the same design stopped. Each work unit is one shard that appears whole or not
// at all, so a run may be killed at any moment: finished units are kept and never
// played twice, games in flight are lost. The shards and the finished manifest
// have the same bytes whatever the number of workers and however often the run
// was stopped. Cancelling ctx stops after the ply in flight and returns its error.
//
// One directory is for one process at a time, which a lock ensures. Errors that the design causes
// satisfy ErrInvalid.
func Run(ctx context.Context, dir string, d Design, opts RunOptions) error {
	if err := d.Validate().err(); err != nil {
		return err
	}
	if opts.Factory == nil {
		opts.Factory = Builtin
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	cells, rulesets, err := compile(d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, GamesDir), 0o777); err != nil {
		return fmt.Errorf("start experiment: %w", err)
	}
	held, err := dirlock.Acquire(dir)
	if err != nil {
		return fmt.Errorf("start experiment: %w", err)
	}
	defer held.Close()
	m, err := openDirectory(dir, d, cells, rulesets, opts.Command)
	if err != nil {
		return err
	}
	r := &runner{ctx: ctx, dir: dir, d: d, opts: opts, cells: cells, manifest: m, done: map[[2]int]UnitInfo{}}
	if err := r.recover(); err != nil {
		return err
	}
	return r.run()
}

// compile opens and compiles the ruleset of every cell.
func compile(d Design) ([]*cellGame, []*rules.Ruleset, error) {
	var rulesets []*rules.Ruleset
	games := map[string]*engine.Game{}
	opened := map[string]*rules.Ruleset{}
	for _, ref := range d.ExpandRulesets() {
		r, err := rules.Open(ref.Ref, ref.Set...)
		if err != nil {
			return nil, nil, fmt.Errorf("ruleset %s: %w", ref.Name, err)
		}
		g, err := engine.Compile(r.Params)
		if err != nil {
			return nil, nil, fmt.Errorf("ruleset %s: %w", ref.Name, err)
		}
		rulesets = append(rulesets, r)
		games[ref.Name], opened[ref.Name] = g, r
	}
	var out []*cellGame
	for _, c := range d.Cells() {
		g, r := games[c.Ruleset.Name], opened[c.Ruleset.Name]
		specs := [2]string{}
		for i, a := range []AgentRef{c.A, c.B} {
			s, err := mcts.ParseSpec(a.Spec)
			if err != nil {
				return nil, nil, fmt.Errorf("agent %s: %w", a.Name, err)
			}
			specs[i] = s.String()
		}
		p := g.Params().Pieces
		cg := &cellGame{cell: c, game: g, symmetries: g.Symmetries(), info: CellInfo{
			Name: c.Ruleset.Name, Title: rulesetTitle(d, r, c.Ruleset), Ref: r.Ref(), Hash: r.Hash(),
			A: c.A.Name, B: c.B.Name, SpecA: specs[0], SpecB: specs[1], SelfPlay: c.SelfPlay,
			Rows: g.Rows(), Cols: g.Cols(), Pieces: 2 * (p.Men + p.Leaders),
			SecondMoves: g.Params().Setup.Kind == "placement" && g.Params().Setup.FirstMover == "last-placer",
		}}
		if f := d.Factorial; f != nil {
			levels := map[string]string{}
			for _, x := range f.Factors {
				if v, err := r.Params.Get(x.Parameter); err == nil {
					levels[x.Parameter] = v
				}
			}
			b, err := json.Marshal(levels)
			if err != nil {
				return nil, nil, err
			}
			cg.factors = string(b)
		}
		out = append(out, cg)
	}
	return out, rulesets, nil
}

// openDirectory makes a new experiment's directory, or checks that an existing
// one belongs to this design.
func openDirectory(dir string, d Design, cells []*cellGame, rulesets []*rules.Ruleset, command string) (Manifest, error) {
	fresh, err := newManifest(d, cells, rulesets, command)
	if err != nil {
		return fresh, err
	}
	designPath, manifestPath := filepath.Join(dir, DesignFile), filepath.Join(dir, ManifestFile)
	old, err := exists(designPath)
	if err != nil {
		return fresh, fmt.Errorf("start experiment: %w", err)
	}
	if old {
		var was Design
		if err := readJSON(designPath, &was); err != nil {
			return fresh, err
		}
		if was.Hash() != d.Hash() {
			return fresh, fmt.Errorf("%w: %s already holds the experiment %q with another design (hash %.12s…, yours %.12s…); use another directory, or the same design to go on", ErrInvalid, dir, was.ID, was.Hash(), d.Hash())
		}
	} else if err := writeJSON(designPath, d); err != nil {
		return fresh, err
	}
	began, err := exists(manifestPath)
	if err != nil {
		return fresh, fmt.Errorf("start experiment: %w", err)
	}
	if !began {
		// Killed between the two files, or a new directory: the design alone decides.
		return fresh, writeJSON(manifestPath, fresh)
	}
	m, _, err := ReadManifest(dir)
	if err != nil {
		return m, err
	}
	if m.EngineVersion != fresh.EngineVersion {
		return m, fmt.Errorf("%w: %s was begun with engine version %s, this is %s; its games would not match", ErrInvalid, dir, m.EngineVersion, fresh.EngineVersion)
	}
	for i := range m.Cells {
		if m.Cells[i].Hash != fresh.Cells[i].Hash {
			return m, fmt.Errorf("%w: the rules of %s have changed since the experiment in %s began (hash %.12s…, now %.12s…); restore them or use another directory", ErrInvalid, m.Cells[i].Name, dir, m.Cells[i].Hash, fresh.Cells[i].Hash)
		}
	}
	for len(m.Networks) < len(m.Cells) {
		m.Networks = append(m.Networks, [2]string{})
	}
	return m, nil
}

type runner struct {
	ctx      context.Context
	dir      string
	d        Design
	opts     RunOptions
	cells    []*cellGame
	manifest Manifest

	mu      sync.Mutex
	done    map[[2]int]UnitInfo
	written time.Time
	resumed int
}

func (d Design) units() int { return (d.Pairs + d.UnitPairs - 1) / d.UnitPairs }

// unitSize gives the first pair and the number of pairs of a unit.
func (d Design) unitSize(unit int) (first, n int) {
	first = unit * d.UnitPairs
	return first, min(d.UnitPairs, d.Pairs-first)
}

func unitPath(cell, unit int) string {
	return GamesDir + "/" + fmt.Sprintf("c%04d-u%06d.arrows", cell, unit)
}

func (r *runner) meta(cell, unit int) map[string]string {
	c := r.cells[cell]
	return map[string]string{
		metaDesign: r.manifest.DesignHash, metaCell: strconv.Itoa(cell), metaUnit: strconv.Itoa(unit),
		datasets.MetaRuleset: c.info.Ref, datasets.MetaRulesetHash: c.info.Hash,
		datasets.MetaEngineVersion: engine.Version, datasets.MetaRun: r.d.ID,
	}
}

// recover finds the units that are finished: those in the manifest must be there
// and whole; a shard that the manifest does not list yet (the run was killed
// between the two) is read in full and accepted if it is this design's.
func (r *runner) recover() error {
	listed := map[[2]int]UnitInfo{}
	for _, u := range r.manifest.Units {
		listed[[2]int{u.Cell, u.Unit}] = u
	}
	// What a killed process was writing.
	for _, dir := range []string{r.dir, filepath.Join(r.dir, GamesDir)} {
		if _, err := atomicfile.RemoveStale(dir); err != nil {
			return fmt.Errorf("resume experiment: %w", err)
		}
	}
	for cell := range r.cells {
		for unit := range r.d.units() {
			key := [2]int{cell, unit}
			path := filepath.Join(r.dir, filepath.FromSlash(unitPath(cell, unit)))
			there, err := exists(path)
			if err != nil {
				return fmt.Errorf("resume experiment: %w", err)
			}
			u, known := listed[key]
			_, n := r.d.unitSize(unit)
			switch {
			case known && !there:
				return fmt.Errorf("%w: the shard %s is listed as finished but is gone; restore it, or remove %s to have the missing games played again", ErrInvalid, path, filepath.Join(r.dir, ManifestFile))
			case known:
				size, sum, err := datasets.HashFile(path)
				if err != nil {
					return fmt.Errorf("resume experiment: %w", err)
				}
				if size != u.Bytes || sum != u.SHA256 {
					return fmt.Errorf("%w: the shard %s is damaged: its hash is not the one in the manifest; restore it, or remove both it and %s to have its games played again", ErrInvalid, path, filepath.Join(r.dir, ManifestFile))
				}
				r.done[key] = u
			case there:
				if u, ok := r.adopt(cell, unit, path); ok {
					r.done[key] = u
				}
			default:
				continue
			}
			if _, ok := r.done[key]; ok {
				r.resumed += 2 * n
			}
		}
	}
	return nil
}

// adopt verifies a shard that no manifest vouches for. One that does not hold
// exactly the games of this unit is not trusted; its games are played again.
func (r *runner) adopt(cell, unit int, path string) (UnitInfo, bool) {
	reader, err := datasets.OpenGames(path, datasets.Options{})
	if err != nil {
		return UnitInfo{}, false
	}
	meta := reader.Metadata()
	rows := 0
	first, n := r.d.unitSize(unit)
	for g, err := range reader.All() {
		pair := uint64(cell)*uint64(r.d.Pairs) + uint64(first+rows/2)
		if err != nil || g.PairID != pair || int(g.Half) != rows%2 {
			reader.Close()
			return UnitInfo{}, false
		}
		rows++
	}
	if reader.Close() != nil || rows != 2*n {
		return UnitInfo{}, false
	}
	for k, v := range r.meta(cell, unit) {
		if meta[k] != v {
			return UnitInfo{}, false
		}
	}
	size, sum, err := datasets.HashFile(path)
	if err != nil {
		return UnitInfo{}, false
	}
	return UnitInfo{cell, unit, rows, unitPath(cell, unit), size, sum}, true
}

type unitKey struct{ cell, unit int }

func (r *runner) run() error {
	var todo []unitKey
	for cell := range r.cells {
		for unit := range r.d.units() {
			if _, ok := r.done[[2]int{cell, unit}]; !ok {
				todo = append(todo, unitKey{cell, unit})
			}
		}
	}
	r.report("")
	if len(todo) == 0 {
		return r.writeManifest(true)
	}
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	jobs := make(chan unitKey)
	var wg sync.WaitGroup
	for range min(r.opts.Workers, len(todo)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := worker{r: r, cell: -1}
			for k := range jobs {
				if err := w.play(ctx, k); err != nil {
					cancel(err)
					return
				}
			}
		}()
	}
feed:
	for _, k := range todo {
		select {
		case jobs <- k:
		case <-ctx.Done():
			break feed
		}
	}
	close(jobs)
	wg.Wait()
	err := context.Cause(ctx)
	// What is finished is written down even when the run failed.
	if werr := r.writeManifest(true); err == nil || errors.Is(err, context.Canceled) {
		err = errors.Join(err, werr)
	}
	return err
}

// worker keeps the agents of the cell it plays.
type worker struct {
	r      *runner
	cell   int
	agents [2]mcts.Agent
}

func (w *worker) play(ctx context.Context, k unitKey) error {
	r := w.r
	c := r.cells[k.cell]
	if w.cell != k.cell {
		agents, err := buildAgents(c, r.opts.Factory)
		if err != nil {
			return err
		}
		w.agents, w.cell = agents, k.cell
		if err := r.network(k.cell, agents); err != nil {
			return err
		}
	}
	first, n := r.d.unitSize(k.unit)
	games, err := playUnit(ctx, r.d, c, w.agents, first, n)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, filepath.FromSlash(unitPath(k.cell, k.unit)))
	info, err := datasets.WriteGames(path, games, r.meta(k.cell, k.unit))
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[[2]int{k.cell, k.unit}] = UnitInfo{k.cell, k.unit, len(games), unitPath(k.cell, k.unit), info.Bytes, info.SHA256}
	if time.Since(r.written) >= manifestEvery {
		if err := r.writeManifest(false); err != nil {
			return err
		}
	}
	r.report(c.info.Title + ", " + c.cell.Agents())
	return nil
}

func buildAgents(c *cellGame, factory Factory) ([2]mcts.Agent, error) {
	var out [2]mcts.Agent
	for i, text := range []string{c.info.SpecA, c.info.SpecB} {
		if i == 1 && c.cell.SelfPlay {
			out[1] = out[0]
			break
		}
		spec, err := mcts.ParseSpec(text)
		if err != nil {
			return out, err
		}
		if out[i], err = factory(spec, c.game, c.info.Hash); err != nil {
			return out, fmt.Errorf("agent %s in %s: %w", text, c.info.Name, err)
		}
	}
	return out, nil
}

// network notes the networks of a cell's agents, and refuses to go on with others
// than the experiment began with.
func (r *runner) network(cell int, agents [2]mcts.Agent) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, a := range agents {
		h, ok := a.(interface{ NetworkHash() string })
		if !ok {
			continue
		}
		was := &r.manifest.Networks[cell][i]
		if *was != "" && *was != h.NetworkHash() {
			return fmt.Errorf("%w: the network of %s in %s is another one than when the experiment began (hash %.12s…, now %.12s…); restore it or use another directory", ErrInvalid, a.Name(), r.cells[cell].info.Name, *was, h.NetworkHash())
		}
		*was = h.NetworkHash()
	}
	return nil
}

// report tells the caller how far the run is; mu is held, or no worker runs.
func (r *runner) report(cell string) {
	if r.opts.Progress == nil {
		return
	}
	games := 0
	for _, u := range r.done {
		games += u.Games
	}
	r.opts.Progress(Progress{Games: games, Total: len(r.cells) * 2 * r.d.Pairs, Resumed: r.resumed, Cell: cell})
}

// writeManifest lists what is done; mu is held, or no worker runs.
func (r *runner) writeManifest(final bool) error {
	m := r.manifest
	m.Units = make([]UnitInfo, 0, len(r.done))
	for _, u := range r.done {
		m.Units = append(m.Units, u)
	}
	slices.SortFunc(m.Units, func(a, b UnitInfo) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Unit, b.Unit))
	})
	m.Complete = final && len(m.Units) == len(r.cells)*r.d.units()
	if err := writeJSON(filepath.Join(r.dir, ManifestFile), m); err != nil {
		return err
	}
	r.written = time.Now()
	return nil
}
