package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"latro/datasets"
	"latro/env"
	"latro/env/engine"
	"latro/env/seed"
	"latro/nn"
)

// Options are what may differ between two runs of the same Config without changing a byte of their data.
type Options struct {
	// Workers is the number of goroutines that play, and the number of cores a training step may use;
	// 0 is one a core.
	Workers int
	// CacheMB is the memory for evaluations that were made already, in MiB: 0 is DefaultCacheMB, and below 0 there
	// is none.
	CacheMB int
	// Generations, if above 0, takes the place of the configuration's number: how long a run goes on does
	// not change what its generations hold.
	Generations int
	// Deadline ends the loop at the end of the generation in which it passes; the zero time is none. How
	// many generations were made by then is of course not reproducible, but each of them is.
	Deadline time.Time
	// Observe, if set, is told what happens, from one goroutine at a time.
	Observe func(Event)
}

// Event is a step of a run, for progress bars and logs.
type Event struct {
	// Kind is "generation" (one begins), "games" (Count games are safe on disk), "training" (one begins, of
	// Total steps), "step" (one training step was made), "checkpoint" (the generation is finished), "carried" (Line says what became of a tensor of
	// the network that the first one was made from), "gate" (Count games of the gate's match, of Total, were played).
	Kind       string
	Generation int
	Count      int
	Total      int
	Losses     nn.Losses
	Stats      GenerateStats
	// Gate is the match of the gate, where there was one, at a checkpoint.
	Gate    *Gate
	Line    nn.TransferLine
	Elapsed time.Duration
}

// cache makes a cache of the size that is asked for, nil for none.
func (o Options) cache() *Cache { return newCacheMB(o.CacheMB) }

func (o Options) tell(e Event) {
	if o.Observe != nil {
		o.Observe(e)
	}
}

// Learn runs the loop of self-play and training until the configured number of generations is reached, the
// deadline passes or the context is cancelled (its error is then returned; what was finished is kept). It
// goes on from whatever the directory holds.
func (r *Run) Learn(ctx context.Context, o Options) error {
	network, err := r.network(o)
	if err != nil {
		return err
	}
	learner, err := r.newLearner(network, o)
	if err != nil {
		return err
	}
	defer learner.close()
	last := r.Config.Generations
	if o.Generations > 0 {
		last = o.Generations
	}
	for last == 0 || r.manifest.Generation < last {
		if err := r.Generate(ctx, o); err != nil {
			return err
		}
		if err := learner.train(ctx, o); err != nil {
			return err
		}
		if !o.Deadline.IsZero() && time.Now().After(o.Deadline) {
			return nil
		}
	}
	return nil
}

// Generate plays what is missing of the current generation's games.
func (r *Run) Generate(ctx context.Context, o Options) error {
	network, err := r.network(o)
	if err != nil {
		return err
	}
	generation := r.manifest.Generation
	o.tell(Event{Kind: "generation", Generation: generation, Total: r.Config.Games})
	return r.generate(ctx, network, o, func(games int) {
		o.tell(Event{Kind: "games", Generation: generation, Count: games, Total: r.Config.Games})
	})
}

// Train makes the training steps of the current generation from the games of all generations, and moves the
// run on to the next generation.
func (r *Run) Train(ctx context.Context, o Options) error {
	network, err := r.network(o)
	if err != nil {
		return err
	}
	learner, err := r.newLearner(network, o)
	if err != nil {
		return err
	}
	defer learner.close()
	if missing := r.missing(); missing > 0 {
		return fmt.Errorf("%w: generation %d lacks %d of its %d games: play them first (latro selfplay)",
			ErrInput, r.manifest.Generation, missing, r.Config.Games)
	}
	return learner.train(ctx, o)
}

// missing is the number of games that the current generation lacks.
func (r *Run) missing() int {
	n := r.Config.Games
	for _, s := range r.manifest.Shards {
		if s.Generation == r.manifest.Generation {
			n -= int(s.Games.Rows)
		}
	}
	return n
}

// network loads the current generation's network, or makes the first one.
func (r *Run) network(o Options) (*nn.Network, error) {
	if n := len(r.manifest.Checkpoints); n > 0 {
		info := r.manifest.Checkpoints[n-1]
		path, err := r.verify(info)
		if err != nil {
			return nil, err
		}
		return r.loadNetwork(path)
	}
	preset, err := r.Config.architecture()
	if err != nil {
		return nil, err
	}
	network, err := r.firstNetwork(preset, o)
	if err != nil {
		return nil, err
	}
	r.name(network)
	network.RecordInputs(r.inputs())
	network.Meta[MetaEncoding] = strconv.Itoa(env.EncodingVersion)
	if delete(network.Meta, MetaProbe); r.Config.Search.Probe > 0 {
		network.Meta[MetaProbe] = strconv.Itoa(r.Config.Search.Probe)
	}
	if err := r.saveNetwork(network, 0); err != nil {
		return nil, err
	}
	return network, nil
}

// loadNetwork reads a network of the run and says whether it is one.
func (r *Run) loadNetwork(path string) (*nn.Network, error) {
	network, err := nn.Load(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInput, err)
	}
	if err := network.CheckShape(ShapeOf(r.Encoder)); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrInput, path, err)
	}
	for _, v := range r.Variants {
		if err := network.CheckRuleset(v.Ruleset.Ref(), v.Ruleset.Hash()); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrInput, path, err)
		}
	}
	preset, err := r.Config.architecture()
	if err != nil {
		return nil, err
	}
	if network.Config != preset {
		return nil, fmt.Errorf("%w: %s: the checkpoint does not have the size %s%s that run.yaml says; undo the change to run.yaml, or start a new run",
			ErrInput, path, r.Config.Network, map[bool]string{true: " and the auxiliary heads"}[preset.Auxiliary])
	}
	return network, nil
}

// MetaEncoding is the key of nn.Network.Meta under which a run's networks keep env.EncodingVersion.
const MetaEncoding = "encoding_version"

// MetaProbe is the key of nn.Network.Meta under which a network keeps the look ahead of the run that trained it
// (SearchConfig.Probe). Its agent plays with the same unless it is told otherwise.
const MetaProbe = "probe"

// maxTrainedProbe bounds a run's look ahead. Its networks ask for the same, and one from a stranger must not
// make each leaf of a search take a second.
const maxTrainedProbe = 10_000

// probeOf is the look ahead that a network was trained with, 0 if none. What is no such number counts as none.
func probeOf(n *nn.Network) int {
	nodes, err := strconv.Atoi(n.Meta[MetaProbe])
	if err != nil || nodes < 0 || nodes > maxTrainedProbe {
		return 0
	}
	return nodes
}

// inputs names what the run's networks read.
func (r *Run) inputs() nn.InputNames { return inputsOf(r.Encoder) }

func inputsOf(e *env.Encoder) nn.InputNames {
	return nn.InputNames{Planes: e.Planes(), Globals: e.Globals()}
}

// firstNetwork is drawn afresh, or carried over from the network that the configuration names.
func (r *Run) firstNetwork(preset nn.Config, o Options) (*nn.Network, error) {
	root := seed.Derive(r.Config.Seed, seed.Network)
	if r.Config.InitFrom == "" {
		return nn.New(preset, ShapeOf(r.Encoder), root)
	}
	network, lines, err := r.Config.carried(preset, r.Encoder, root)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		o.tell(Event{Kind: "carried", Line: l})
	}
	return network, nil
}

// carried is the network of InitFrom carried over to the game of e.
func (c Config) carried(preset nn.Config, e *env.Encoder, root uint64) (*nn.Network, []nn.TransferLine, error) {
	parent, err := c.parent()
	if err != nil {
		return nil, nil, fmt.Errorf("init_from: %w", err)
	}
	from, ok := parent.RecordedInputs()
	if !ok {
		return nil, nil, fmt.Errorf("%w: init_from: %s does not say what its inputs mean; make a network for this game of it first (latro net transfer %[2]s --trained-on RULESET)",
			ErrInput, c.InitFrom)
	}
	network, lines, err := parent.Carry(preset, ShapeOf(e), from, inputsOf(e), root)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: init_from: %s: %w", ErrInput, c.InitFrom, err)
	}
	return network, lines, nil
}

func (r *Run) saveNetwork(n *nn.Network, generation int) error {
	rel := checkpointName(generation)
	if err := n.Save(filepath.Join(r.Dir, rel)); err != nil {
		return err
	}
	info, err := r.fileInfo(rel)
	if err != nil {
		return err
	}
	return r.update(func(m *Manifest) { m.Checkpoints = append(m.Checkpoints[:generation:generation], info) })
}

func checkpointName(generation int) string {
	return fmt.Sprintf("checkpoints/gen-%04d.latro", generation)
}

// learner holds what training keeps between generations.
type learner struct {
	run     *Run
	trainer *nn.Trainer
	playing *nn.Network // the average of what the trainer went through
	window  *datasets.Window
	loaded  int   // shards of the manifest that the window has
	rows    []int // the window's samples of the batch
	batch   nn.Batch
	view    engine.View
	scratch []float32
	curve   *datasets.Metrics
}

func (r *Run) newLearner(network *nn.Network, o Options) (*learner, error) {
	t := r.Config.Training
	cfg := t.solver()
	cfg.Threads = o.Workers
	if cfg.Threads <= 0 {
		cfg.Threads = runtime.GOMAXPROCS(0)
	}
	// The trainer has a limit; more workers than that are of use to self-play alone.
	cfg.Threads = min(cfg.Threads, nn.MaxThreads)
	trainer, err := nn.NewTrainer(network, cfg)
	if err != nil {
		return nil, err
	}
	l := &learner{run: r, trainer: trainer, playing: network.Clone()}
	if info := r.manifest.Candidate; info != nil {
		path, err := r.verify(*info)
		if err != nil {
			return nil, err
		}
		if l.playing, err = r.loadNetwork(path); err != nil {
			return nil, err
		}
	}
	if info := r.manifest.Optimiser; info != nil {
		path, err := r.verify(*info)
		if err != nil {
			return nil, err
		}
		if err := trainer.LoadState(path); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInput, err)
		}
	}
	if l.window, err = datasets.NewWindow(t.Window.config()); err != nil {
		return nil, err
	}
	if l.curve, err = datasets.OpenMetrics(filepath.Join(r.Dir, "metrics.arrow"), r.metadata()); err != nil {
		return nil, err
	}
	l.rows = make([]int, t.BatchSize)
	shape := ShapeOf(r.Encoder)
	n := t.BatchSize
	l.batch = nn.Batch{
		Obs: make([]float32, n*shape.Obs()), Globals: make([]float32, n*shape.Globals),
		Policy: make([]float32, n*shape.Actions()), Legal: make([]bool, n*shape.Actions()),
		PolicyWeight: make([]float32, n), WDL: make([]float32, n*3), Material: make([]float32, n),
	}
	if r.Config.Resign.on() {
		l.batch.MaterialWeight = make([]float32, n)
	}
	area := shape.Rows * shape.Cols
	if t.SurvivalLoss > 0 {
		l.batch.Survival, l.batch.SurvivalMask = make([]float32, n*area), make([]float32, n*area)
	}
	if t.PliesLoss > 0 {
		l.batch.PliesLeft, l.batch.PliesWeight = make([]float32, n), make([]float32, n)
	}
	if t.ReplyLoss > 0 {
		l.batch.Reply, l.batch.ReplyWeight = make([]float32, n*shape.Actions()), make([]float32, n)
	}
	l.scratch = make([]float32, shape.Obs())
	return l, nil
}

func (l *learner) close() { l.trainer.Close() }

// train makes the current generation's steps and writes the next generation's checkpoint.
func (l *learner) train(ctx context.Context, o Options) error {
	r := l.run
	generation := r.manifest.Generation
	stats, fresh, err := l.load(generation)
	if err != nil {
		return err
	}
	rng := seed.New(r.Config.Seed, seed.Train, uint64(generation))
	t := r.Config.Training
	steps := 0
	if l.window.Len() >= t.MinSamples {
		steps = int(float64(fresh)*t.Reuse/float64(t.BatchSize) + 0.5)
	}
	o.tell(Event{Kind: "training", Generation: generation, Total: steps, Stats: stats})
	var sum nn.Losses
	for range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.fill(rng); err != nil {
			return err
		}
		losses, err := l.trainer.Step(&l.batch)
		if err != nil {
			return err
		}
		average(l.playing, l.trainer.Network(), t.Averaging)
		sum.Total += losses.Total
		sum.Policy += losses.Policy
		sum.Value += losses.Value
		sum.Material += losses.Material
		sum.Survival += losses.Survival
		sum.Plies += losses.Plies
		sum.Reply += losses.Reply
		sum.PolicyEntropy += losses.PolicyEntropy
		sum.GradNorm += losses.GradNorm
		o.tell(Event{Kind: "step", Generation: generation, Count: 1, Total: steps, Losses: losses})
	}
	old, gate, err := l.gate(ctx, generation, steps, o)
	if err != nil {
		return err
	}
	// The row comes before the manifest moves on: a kill in between makes the generation train again, to
	// the same row.
	if err := l.record(generation, steps, stats, sum, gate); err != nil {
		return err
	}
	if err := l.save(generation, old, gate); err != nil {
		return err
	}
	o.tell(Event{Kind: "checkpoint", Generation: generation, Total: steps, Stats: stats, Gate: gate})
	return nil
}

// gate plays the gate's match, if there is a gate and the network has changed. It returns the network that has to go on
// playing in the place of the one just trained, nil if none has to.
func (l *learner) gate(ctx context.Context, generation, steps int, o Options) (old *nn.Network, gate *Gate, err error) {
	r := l.run
	if !r.Config.Gating.on() || steps == 0 && r.manifest.Candidate == nil {
		return nil, nil, nil
	}
	if old, err = r.network(o); err != nil || steps == 0 {
		return old, nil, err
	}
	g, err := r.gate(ctx, old, l.playing, generation, o)
	if err != nil {
		return nil, nil, err
	}
	if g.Accepted {
		old = nil
	}
	return old, &g, nil
}

// record adds the generation's row to the run's curves, unless a run that was killed had added it already.
func (l *learner) record(generation, steps int, stats GenerateStats, sum nn.Losses, gate *Gate) error {
	if points := l.curve.Points(); len(points) > 0 && points[len(points)-1].Generation >= uint32(generation) {
		return nil
	}
	n, games, window := float64(max(1, steps)), float64(max(1, stats.Games)), l.window.Stats()
	values := map[string]float64{
		"games": float64(stats.Games), "samples": float64(stats.Samples), "steps": float64(steps),
		"window": float64(window.Rows), "sample_age_generations": window.MeanGenerationAge,
		"loss": sum.Total / n, "policy_loss": sum.Policy / n, "value_loss": sum.Value / n,
		"material_loss": sum.Material / n, "policy_entropy": sum.PolicyEntropy / n, "gradient_norm": sum.GradNorm / n,
		"win0": float64(stats.Win0) / games, "win1": float64(stats.Win1) / games,
		"draws": float64(stats.Draws) / games, "capped": float64(stats.Capped) / games,
		"mean_plies": float64(stats.Plies) / games, "unique": float64(stats.Unique) / games,
	}
	if l.run.Config.Resign.on() {
		values["resigned"] = float64(stats.Resigned) / games
		values["resign_threshold"] = l.run.resignThreshold(generation)
		values["resign_audited"], values["resign_held_back"] = float64(stats.Audited), float64(stats.HeldBack)
		if stats.HeldBack > 0 {
			values["false_resign_rate"] = float64(stats.Wrong) / float64(stats.HeldBack)
		}
	}
	if stats.Met > 0 {
		values["opponent_games"], values["opponent_score"] = float64(stats.Met), stats.Points/float64(stats.Met)
	}
	if gate != nil {
		values["gate_score"], values["gate_accepted"] = gate.Score, 0
		if gate.Accepted {
			values["gate_accepted"] = 1
		}
	}
	t := l.run.Config.Training
	for name, part := range map[string]struct{ weight, loss float64 }{
		"survival_loss": {t.SurvivalLoss, sum.Survival}, "plies_loss": {t.PliesLoss, sum.Plies}, "reply_loss": {t.ReplyLoss, sum.Reply},
	} {
		if part.weight > 0 {
			values[name] = part.loss / n
		}
	}
	err := l.curve.Add(datasets.MetricPoint{Step: uint64(l.playing.Step), Generation: uint32(generation), Values: values})
	if err != nil {
		return err
	}
	return l.curve.Flush()
}

// save writes the network that is to play (old, or if that is nil the trained one) and the optimiser, and only then moves
// the manifest on, in one step.
func (l *learner) save(generation int, old *nn.Network, gate *Gate) error {
	r := l.run
	next := generation + 1
	rel, relOpt := checkpointName(next), fmt.Sprintf("checkpoints/gen-%04d.optimiser", next)
	playing := l.playing
	var candidate *datasets.ShardInfo
	if old != nil {
		playing = old
		rel := fmt.Sprintf("checkpoints/gen-%04d.candidate", next)
		if err := l.playing.Save(filepath.Join(r.Dir, rel)); err != nil {
			return err
		}
		info, err := r.fileInfo(rel)
		if err != nil {
			return err
		}
		candidate = &info
	}
	if err := playing.Save(filepath.Join(r.Dir, rel)); err != nil {
		return err
	}
	if err := l.trainer.SaveState(filepath.Join(r.Dir, relOpt)); err != nil {
		return err
	}
	info, err := r.fileInfo(rel)
	if err != nil {
		return err
	}
	opt, err := r.fileInfo(relOpt)
	if err != nil {
		return err
	}
	stale := []*datasets.ShardInfo{r.manifest.Optimiser, r.manifest.Candidate}
	var threshold float64
	automatic := r.Config.Resign.on() && r.Config.Resign.MaxFalseRate > 0
	if automatic {
		threshold = l.nextThreshold(generation)
	}
	err = r.update(func(m *Manifest) {
		m.Generation = next
		if automatic {
			m.ResignThresholds = append(m.ResignThresholds, make([]float64, max(0, next-len(m.ResignThresholds)))...)
			m.ResignThresholds = append(m.ResignThresholds[:next], threshold)
		}
		m.Checkpoints = append(m.Checkpoints[:next:next], info)
		m.Optimiser, m.Candidate = &opt, candidate
		if gate != nil {
			m.Gates = append(m.Gates, *gate)
		}
	})
	if err != nil {
		return err
	}
	for _, f := range stale {
		if f != nil {
			if err := os.Remove(filepath.Join(r.Dir, f.Path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// load takes shards that the window lacks into it and sums up the current generation's games.
func (l *learner) load(generation int) (GenerateStats, int, error) {
	r := l.run
	var stats GenerateStats
	fresh := 0
	unique := map[uint64]bool{}
	for _, s := range r.manifest.Shards[l.loaded:] {
		path := filepath.Join(r.Dir, s.Samples.Path)
		samples, err := datasets.ReadSamples(path, &s.Samples)
		if err != nil {
			return stats, 0, fmt.Errorf("%w: %w", ErrInput, err)
		}
		var weights []float32
		if share := r.Config.Training.Surprise; share > 0 {
			weights = datasets.SurpriseWeights(samples, share)
		}
		l.window.AddWeighted(samples, weights, uint32(s.Generation))
		if s.Generation != generation {
			continue
		}
		fresh += len(samples)
		if r.Config.Resign.on() {
			stats.audit(r, generation, samples)
		}
		games, err := datasets.ReadGames(filepath.Join(r.Dir, s.Games.Path), &s.Games)
		if err != nil {
			return stats, 0, fmt.Errorf("%w: %w", ErrInput, err)
		}
		for i := range games {
			stats.add(&games[i], 0)
			unique[games[i].CanonicalHash] = true
		}
		stats.Samples += len(samples)
	}
	l.loaded = len(r.manifest.Shards)
	stats.Unique = len(unique)
	return stats, fresh, nil
}

// fill draws a batch from the window and encodes it.
func (l *learner) fill(rng *rand.Rand) error {
	b := &l.batch
	shape := ShapeOf(l.run.Encoder)
	obs, globals, actions := shape.Obs(), shape.Globals, shape.Actions()
	b.N = l.window.Draw(rng, l.rows)
	clear(b.Policy)
	clear(b.Legal)
	for i, row := range l.rows[:b.N] {
		s := l.window.At(row)
		v := l.run.variantOf(s.RulesetHash)
		if v == nil {
			return fmt.Errorf("%w: sample of game %d, ply %d: the run has no ruleset with hash %.12s", ErrInput, s.GameID, s.Ply, s.RulesetHash)
		}
		if err := v.Game.DecodeView(s.State, &l.view); err != nil {
			return fmt.Errorf("%w: sample of game %d, ply %d: %w", ErrInput, s.GameID, s.Ply, err)
		}
		sym := 0
		if l.run.Config.Training.Augment {
			sym = rng.IntN(len(v.syms))
		}
		v.Encoder.Encode(&l.view, l.scratch, b.Globals[i*globals:(i+1)*globals])
		v.syms[sym].ApplyPlanes(b.Obs[i*obs:(i+1)*obs], l.scratch)
		policy, legal := b.Policy[i*actions:(i+1)*actions], b.Legal[i*actions:(i+1)*actions]
		for k, a := range s.Actions {
			at := v.syms[sym].Action[v.Encoder.ToFrame(int(s.Player), engine.Action(a))]
			policy[at], legal[at] = s.Policy[k], true
		}
		b.PolicyWeight[i] = 0
		if s.Full {
			b.PolicyWeight[i] = 1
		}
		value, left := s.OutcomeValue, s.FinalMaterial
		if s.Player == 1 {
			value, left = -value, -left
		}
		b.Material[i] = left
		if b.MaterialWeight != nil {
			// What would have been left at the end of a game that was given up nobody knows.
			b.MaterialWeight[i] = 1
			if s.EndReason == endResigned {
				b.MaterialWeight[i] = 0
			}
		}
		copy(b.WDL[3*i:], wdlTarget(value, s.Outcome))
		l.fillAuxiliary(i, row, s, v.Encoder, &v.syms[sym])
	}
	return nil
}

// fillAuxiliary fills in the targets of the auxiliary heads that are trained, for sample i of the batch, which is
// number row of the window and whose position l.view holds.
func (l *learner) fillAuxiliary(i, row int, s *datasets.Sample, enc *env.Encoder, sym *env.FrameSymmetry) {
	b, mover := &l.batch, int(s.Player)
	if b.Survival != nil {
		// A capped game teaches which pieces stand at the cap, as the head of the final material learns the material there.
		area := len(sym.Square)
		alive, mask := b.Survival[i*area:(i+1)*area], b.SurvivalMask[i*area:(i+1)*area]
		clear(alive)
		clear(mask)
		if len(s.Survival) == (area+7)/8 && s.EndReason != endResigned {
			for sq := range area {
				if l.view.Cells[sq] != engine.Empty {
					at := sym.Square[enc.FrameSquare(mover, sq)]
					mask[at], alive[at] = 1, float32(s.Survival[sq/8]>>(sq%8)&1)
				}
			}
		}
	}
	if b.PliesLeft != nil {
		// How long a game would have gone on that was capped or given up nobody knows.
		b.PliesLeft[i], b.PliesWeight[i] = float32(s.PliesLeft), 1
		if s.Outcome == datasets.Capped || s.EndReason == endResigned {
			b.PliesWeight[i] = 0
		}
	}
	if b.Reply != nil {
		actions := len(sym.Action)
		policy := b.Reply[i*actions : (i+1)*actions]
		clear(policy)
		b.ReplyWeight[i] = 0
		if reply := l.reply(row, s); reply != nil {
			b.ReplyWeight[i] = 1
			for k, a := range reply.Actions {
				policy[sym.Action[enc.ToFrame(mover, engine.Action(a))]] = reply.Policy[k]
			}
		}
	}
}

// reply is the opponent's next searched ply in the game of sample number row of the window; nil if there is none, or
// if its search was a cheap one, which teaches no policy.
func (l *learner) reply(row int, s *datasets.Sample) *datasets.Sample {
	for row++; row < l.window.Len(); row++ {
		next := l.window.At(row)
		if next.GameID != s.GameID {
			return nil
		}
		if next.Player != s.Player {
			if !next.Full || len(next.Policy) == 0 {
				return nil
			}
			return next
		}
	}
	return nil
}

// wdlTarget is the distribution over win, draw and loss that a sample teaches: the result itself, or, for a
// game that was stopped, the two-point distribution with the bootstrapped value as its expectation.
func wdlTarget(value float32, outcome string) []float32 {
	if outcome == engine.Draw.String() {
		return []float32{0, 1, 0}
	}
	return []float32{(1 + value) / 2, 0, (1 - value) / 2}
}
