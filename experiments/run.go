package experiments

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
	"latro/selfplay"
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

// manifestEvery is how often a running experiment rewrites its manifest, more seldom
// where it is so long that this would take more than a twentieth of the time. A shard
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
// The design is frozen in the directory first ([Freeze]), if it is not there yet. A
// design that was not frozen before and that cannot answer its question even by the
// rule of thumb of [Design.Answers] becomes exploratory; ReadDesign tells.
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
	d, err := d.Resolve(opts.Factory)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("start experiment: %w", err)
	}
	old, held, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer held.Close()
	if old {
		was, err := ReadDesign(dir)
		if err != nil {
			return err
		}
		d.Exploratory = d.Exploratory || was.Exploratory
		if err := sameDesign(dir, was, d); err != nil {
			return err
		}
		if was.Resolved == nil {
			d = d.unresolved()
		}
	} else {
		if ok, _ := d.Answers(); !ok {
			d.Exploratory = true
		}
		if err := writeDesign(dir, d); err != nil {
			return err
		}
	}
	cells, rulesets, err := compile(d)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, GamesDir), 0o777); err != nil {
		return fmt.Errorf("start experiment: %w", err)
	}
	m, err := openDirectory(dir, d, cells, rulesets, opts.Command)
	if err != nil {
		return err
	}
	r := &runner{ctx: ctx, dir: dir, d: d, opts: opts, cells: cells, manifest: m, done: map[[2]int]UnitInfo{}, again: map[[2]int]UnitInfo{}, last: map[int]int{}}
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
		r, err := d.open(ref)
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
	var levels [][]int
	if d.Factorial != nil {
		levels = d.Factorial.levels()
	}
	var out []*cellGame
	for _, c := range d.Cells() {
		g, r := games[c.Ruleset.Name], opened[c.Ruleset.Name]
		cg := &cellGame{cell: c, game: g, symmetries: g.Symmetries()}
		hash := [2]string{}
		if d.Resolved != nil && c.Index < len(d.Resolved.Networks) {
			hash = d.Resolved.Networks[c.Index]
		}
		specs := [2]string{}
		for i, a := range []AgentRef{c.A, c.B} {
			s, err := d.fill(a.Spec, c.Network)
			if err != nil {
				return nil, nil, d.locate(d.agentField(c, i), fmt.Errorf("agent %s: %w", a.Name, err))
			}
			cg.play[i], specs[i] = s, s.String()
			if d.Resolved != nil {
				specs[i] = contentSpec(s, hash[i])
			}
		}
		p := g.Params().Pieces
		cg.info = CellInfo{
			Name: c.Ruleset.Name, Title: rulesetTitle(d, r, c.Ruleset), Ref: d.refOf(r), Hash: r.Hash(),
			A: c.A.Name, B: c.B.Name, SpecA: specs[0], SpecB: specs[1], SelfPlay: c.SelfPlay,
			Agent: c.Agent, TrainingSeed: c.TrainingSeed, NetworkA: hash[0], NetworkB: hash[1],
			Rows: g.Rows(), Cols: g.Cols(), Pieces: 2 * (p.Men + p.Leaders),
			SecondMoves: g.Params().Setup.Kind == "placement" && g.Params().Setup.FirstMover == "last-placer",
		}
		if f := d.Factorial; f != nil {
			cg.info.Levels = levels[c.Run]
			names := map[string]string{}
			for i, x := range f.Factors {
				names[x.title()] = x.Values[levels[c.Run][i]]
			}
			b, err := json.Marshal(names)
			if err != nil {
				return nil, nil, err
			}
			cg.factors = string(b)
		}
		out = append(out, cg)
	}
	return out, rulesets, nil
}

// openDirectory makes the manifest of a new experiment, or checks that an
// existing one fits.
func openDirectory(dir string, d Design, cells []*cellGame, rulesets []*rules.Ruleset, command string) (Manifest, error) {
	fresh, err := newManifest(d, cells, rulesets, command)
	if err != nil {
		return fresh, err
	}
	manifestPath := filepath.Join(dir, ManifestFile)
	began, err := exists(manifestPath)
	if err != nil {
		return fresh, fmt.Errorf("start experiment: %w", err)
	}
	if !began {
		// Killed between the two files, or a new directory: the design alone decides.
		return fresh, fresh.write(dir)
	}
	m, _, err := ReadManifest(dir)
	if err != nil {
		return m, err
	}
	if m.EngineVersion != fresh.EngineVersion {
		return m, unfit("%s was begun with engine version %s, this is %s; its games would not match", dir, m.EngineVersion, fresh.EngineVersion)
	}
	for i := range m.Cells {
		if m.Cells[i].Hash != fresh.Cells[i].Hash {
			return m, unfit("the rules of %s have changed since the experiment in %s began (hash %.12s…, now %.12s…); restore them or use another directory", m.Cells[i].Name, dir, m.Cells[i].Hash, fresh.Cells[i].Hash)
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

	mu   sync.Mutex
	done map[[2]int]UnitInfo
	// again are units that the manifest lists and whose shards are gone.
	again map[[2]int]UnitInfo
	// written is when the manifest was last written, and writing how long it took.
	written time.Time
	writing time.Duration
	resumed int
	// count is the number of games in done.
	count int
	// last is the unit after which a cell of a sequential experiment stopped.
	last map[int]int
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

// recover finds the units that are finished: those in the manifest must be
// whole; a shard that the manifest does not list yet (the run was killed
// between the two) is read in full and accepted if it is this design's. The games of
// a listed shard that somebody has deleted are played again, and must come out as
// they were.
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
				if r.cells[cell].timed() {
					return damaged("the shard %s is listed as finished but is gone; its players think for a time, so its games cannot be played again as they were: restore it, or begin anew in another directory", path)
				}
				r.again[key] = u
				continue
			case known:
				size, sum, err := datasets.HashFile(path)
				if err != nil {
					return fmt.Errorf("resume experiment: %w", err)
				}
				if size != u.Bytes || sum != u.SHA256 {
					return damaged("the shard %s is not what was written (its hash is not the one in %s); restore it, or delete it and run again to have its games played again", path, ManifestFile)
				}
				r.done[key] = u
			case there:
				if u, ok := r.adopt(cell, unit, path); ok {
					r.done[key] = u
				}
			default:
				continue
			}
			if u, ok := r.done[key]; ok {
				r.resumed += 2 * n
				r.count += u.Games
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
	var games []datasets.Game
	first, n := r.d.unitSize(unit)
	for g, err := range reader.All() {
		pair := uint64(cell)*uint64(r.d.Pairs) + uint64(first+len(games)/2)
		if err != nil || g.PairID != pair || int(g.Half) != len(games)%2 || len(games) >= 2*n {
			reader.Close()
			return UnitInfo{}, false
		}
		games = append(games, g)
	}
	if reader.Close() != nil || len(games) != 2*n {
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
	info, err := r.unitInfo(cell, unit, games, size, sum)
	return info, err == nil
}

// unitInfo describes a finished unit.
func (r *runner) unitInfo(cell, unit int, games []datasets.Game, size int64, sum string) (UnitInfo, error) {
	u := UnitInfo{Cell: cell, Unit: unit, Games: len(games), Path: unitPath(cell, unit), Bytes: size, SHA256: sum}
	h := sha256.New()
	for i := range games {
		h.Write([]byte(games[i].Start))
		h.Write([]byte{'\n'})
	}
	u.Starts = hex.EncodeToString(h.Sum(nil))
	if r.d.stops(&r.cells[cell].info) {
		scores, err := countScores(games, r.d)
		if err != nil {
			return u, err
		}
		u.Scores = &scores
	}
	return u, nil
}

type unitKey struct{ cell, unit int }

func (r *runner) run() error {
	var todo []unitKey
	for cell := range r.cells {
		if err := r.forget(cell); err != nil {
			return fmt.Errorf("resume experiment: %w", err)
		}
		last, stopped := r.stopped(cell)
		for unit := range r.d.units() {
			if _, ok := r.done[[2]int{cell, unit}]; !ok && !(stopped && unit > last) {
				todo = append(todo, unitKey{cell, unit})
			}
		}
	}
	if r.d.Sequential() {
		// Cells side by side: a worker then seldom plays beyond another one's stop.
		slices.SortStableFunc(todo, func(a, b unitKey) int { return cmp.Compare(a.unit, b.unit) })
	}
	r.report("")
	if len(todo) == 0 {
		return r.writeManifest(true)
	}
	began, before := time.Now(), r.count
	session := Session{Began: began.UTC().Truncate(time.Second), Workers: r.opts.Workers, CPU: cpuName(), Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH}
	// What a full disk does to the log must not hide what it does to the games. A process that is killed leaves the line of
	// its beginning.
	_ = appendLog(r.dir, session)
	defer func() {
		session.Seconds, session.Games, session.Ended = math.Round(1000*time.Since(began).Seconds())/1000, r.count-before, true
		_ = appendLog(r.dir, session)
	}()
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	jobs := make(chan unitKey)
	played := make(chan playedUnit, commitMost)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		r.keep(played, cancel)
	}()
	var wg sync.WaitGroup
	for range min(r.opts.Workers, len(todo)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := worker{r: r, cell: -1}
			for k := range jobs {
				if err := w.play(ctx, k, played); err != nil {
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
	close(played)
	<-kept
	err := context.Cause(ctx)
	// What is finished is written down even when the run failed.
	if werr := r.writeManifest(true); err == nil || errors.Is(err, context.Canceled) {
		err = errors.Join(err, werr)
	}
	return err
}

// commitMost is the most units that are committed together. To force one file to the disk
// takes as long as to play a dozen random games, and little less than to force many at
// once; so units that are finished while others go to the disk go there together
// afterwards, and nobody who plays waits for it.
const commitMost = 32

// playedUnit is a unit whose shard is written but neither on the disk for sure nor named.
type playedUnit struct {
	key    unitKey
	shard  *datasets.Writer[datasets.Game]
	info   UnitInfo
	titled string
}

// keep commits the shards of the units that are played, until there are no more. A unit
// counts as done only then. After an error, which it hands to fail, it forgets the rest.
func (r *runner) keep(played <-chan playedUnit, fail func(error)) {
	failed := false
	for first := range played {
		batch := []playedUnit{first}
	gather:
		for len(batch) < commitMost {
			select {
			case u, ok := <-played:
				if !ok {
					break gather
				}
				batch = append(batch, u)
			default:
				break gather
			}
		}
		if failed {
			for _, u := range batch {
				_ = u.shard.Abort() // the first error is the one to tell
			}
			continue
		}
		if err := r.commit(batch); err != nil {
			failed = true
			fail(err)
		}
	}
}

// commit makes a batch of units durable and counts them as done.
func (r *runner) commit(batch []playedUnit) error {
	shards := make([]*datasets.Writer[datasets.Game], len(batch))
	for i, u := range batch {
		shards[i] = u.shard
	}
	if err := datasets.CommitAll(shards); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, u := range batch {
		r.done[[2]int{u.key.cell, u.key.unit}] = u.info
		r.count += u.info.Games
		if err := r.forget(u.key.cell); err != nil {
			return err
		}
		r.report(u.titled)
	}
	if time.Since(r.written) >= max(manifestEvery, 20*r.writing) {
		return r.writeManifest(false)
	}
	return nil
}

// worker keeps the agents and the tables of the cell it plays.
type worker struct {
	r      *runner
	cell   int
	agents [2]mcts.Agent
	tables []*selfplay.Table
}

// play plays a unit and hands it over.
func (w *worker) play(ctx context.Context, k unitKey, played chan<- playedUnit) error {
	r := w.r
	c := r.cells[k.cell]
	r.mu.Lock()
	last, stopped := r.stopped(k.cell)
	r.mu.Unlock()
	if stopped && k.unit > last {
		return nil
	}
	if w.cell != k.cell {
		agents, err := buildAgents(r.d, c, r.opts.Factory)
		if err != nil {
			return err
		}
		w.agents, w.cell, w.tables = agents, k.cell, nil
		if err := r.network(k.cell, agents); err != nil {
			return err
		}
	}
	first, n := r.d.unitSize(k.unit)
	games, err := playTables(ctx, r.d, c, w.agents, first, n, &w.tables)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, filepath.FromSlash(unitPath(k.cell, k.unit)))
	shard, err := datasets.CreateGames(path, r.meta(k.cell, k.unit))
	if err != nil {
		return err
	}
	u, err := w.write(shard, k, path, games)
	if err != nil {
		return errors.Join(err, shard.Abort())
	}
	played <- playedUnit{k, shard, u, c.info.Title + ", " + c.cell.Agents()}
	return nil
}

// write fills a unit's shard.
func (w *worker) write(shard *datasets.Writer[datasets.Game], k unitKey, path string, games []datasets.Game) (UnitInfo, error) {
	r := w.r
	if err := shard.AppendAll(games); err != nil {
		return UnitInfo{}, err
	}
	info, err := shard.Finish()
	if err != nil {
		return UnitInfo{}, err
	}
	r.mu.Lock()
	was, again := r.again[[2]int{k.cell, k.unit}]
	r.mu.Unlock()
	if again && info.SHA256 != was.SHA256 {
		return UnitInfo{}, damaged("%s was gone, and its games, played again, are others than %s lists (sha256 %.12s…, now %.12s…): this program or this machine plays differently (the games there are by %s); restore the file, or begin anew in another directory",
			path, ManifestFile, was.SHA256, info.SHA256, r.manifest.GoVersion)
	}
	return r.unitInfo(k.cell, k.unit, games, info.Bytes, info.SHA256)
}

func buildAgents(d Design, c *cellGame, factory Factory) ([2]mcts.Agent, error) {
	var out [2]mcts.Agent
	for i, spec := range c.play {
		if i == 1 && c.cell.SelfPlay {
			out[1] = out[0]
			break
		}
		var err error
		if out[i], err = factory(spec, c.game, c.info.Hash); err != nil {
			return out, d.locate(d.agentField(c.cell, i), fmt.Errorf("agent %s in %s: %w", spec, c.info.Name, err))
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
			return unfit("the network of %s in %s is another one than when the experiment began (hash %.12s…, now %.12s…); restore it or use another directory", a.Name(), r.cells[cell].info.Name, *was, h.NetworkHash())
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
	total := 0
	for i := range r.cells {
		pairs := r.d.Pairs
		if last, ok := r.stopped(i); ok {
			first, n := r.d.unitSize(last)
			pairs = first + n
		}
		total += 2 * pairs
	}
	r.opts.Progress(Progress{Games: r.count, Total: total, Resumed: r.resumed, Cell: cell})
}

// writeManifest lists what is done; mu is held, or no worker runs.
func (r *runner) writeManifest(final bool) error {
	began := time.Now()
	m := r.manifest
	m.Units = make([]UnitInfo, 0, len(r.done)+len(r.again))
	for _, u := range r.done {
		m.Units = append(m.Units, u)
	}
	for key, u := range r.again {
		if _, ok := r.done[key]; !ok {
			m.Units = append(m.Units, u)
		}
	}
	slices.SortFunc(m.Units, func(a, b UnitInfo) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Unit, b.Unit))
	})
	m.Complete = final
	m.StartSets = nil
	for cell := range r.cells {
		units := r.d.units()
		if last, ok := r.stopped(cell); ok {
			units = last + 1
		}
		h := sha256.New()
		for unit := range units {
			u, ok := r.done[[2]int{cell, unit}]
			m.Complete = m.Complete && ok
			h.Write([]byte(u.Starts))
		}
		m.StartSets = append(m.StartSets, hex.EncodeToString(h.Sum(nil)))
	}
	if !m.Complete {
		m.StartSets = nil
	}
	if err := m.write(r.dir); err != nil {
		return err
	}
	r.written = time.Now()
	r.writing = r.written.Sub(began)
	return nil
}
