package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	G "gorgonia.org/gorgonia"

	"latro/nn"
	"latro/nn/cputime"
)

// What can train a network.
const (
	// Custom is nn.Trainer.
	Custom = "custom"
	// Stock is a graph of Gorgonia's own operations with Gorgonia's Adam. Its
	// cost is the mean square of each output's distance to a target, which is
	// less work than the losses that a Trainer computes.
	Stock = "stock"
)

// TrainingFigure is the cost of one implementation's training steps.
type TrainingFigure struct {
	Net            string  `json:"net"`
	Board          string  `json:"board"`
	Batch          int     `json:"batch"`
	Implementation string  `json:"implementation"`
	Seconds        float64 `json:"cpu_seconds_per_step"`
	// PeakBytes is the highest level of the heap, garbage included, while the
	// graph is built and steps run, above what it was before.
	PeakBytes uint64 `json:"peak_bytes"`
}

// Training measures training steps for at least the given CPU time and at least
// once, after one that is not counted. The level of the heap is watched in steps
// of their own.
func Training(ctx context.Context, n *nn.Network, implementation string, batch int, atLeast time.Duration) (TrainingFigure, error) {
	f := TrainingFigure{Net: n.Config.Name(), Board: Board(n.Shape), Batch: batch, Implementation: implementation}
	var build func() (step func() (float64, error), close func(), err error)
	switch implementation {
	case Custom:
		build = func() (func() (float64, error), func(), error) { return customStep(n, batch) }
	case Stock:
		build = func() (func() (float64, error), func(), error) { return stockStep(n, batch) }
	default:
		return f, fmt.Errorf("%w: %q is none of [%s %s]", ErrUnknown, implementation, Custom, Stock)
	}
	var step func() (float64, error)
	var done func()
	peak, err := watch(func() error {
		var err error
		if step, done, err = build(); err != nil {
			return err
		}
		for range 2 {
			if _, err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	defer done()
	f.PeakBytes = peak
	runs, start := 0, cputime.Process()
	spent := time.Duration(0)
	for runs == 0 || spent < atLeast {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if _, err := step(); err != nil {
			return f, err
		}
		runs++
		spent = cputime.Process() - start
	}
	f.Seconds = spent.Seconds() / float64(runs)
	return f, nil
}

// customStep returns a step of nn.Trainer on a batch of random samples. The step
// returns its loss.
func customStep(n *nn.Network, batch int) (func() (float64, error), func(), error) {
	cfg := nn.DefaultTrainConfig()
	cfg.BatchSize, cfg.LearningRate = batch, 1e-4
	if n.Config.Auxiliary {
		cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss = 0.1, 0.1, 0.1
	}
	t, err := nn.NewTrainer(n, cfg)
	if err != nil {
		return nil, nil, err
	}
	b := &nn.Batch{N: batch, Policy: targets(batch, n.Shape.Actions()), WDL: targets(batch, 3), Material: make([]float32, batch)}
	b.Obs, b.Globals = positions(n.Shape, batch)
	squares := targets(batch, n.Shape.Area())
	b.Survival, b.SurvivalMask, b.PliesLeft, b.Reply = squares, squares, make([]float32, batch), b.Policy
	return func() (float64, error) {
		l, err := t.Step(b)
		return l.Total, err
	}, t.Close, nil
}

// targets returns random distributions.
func targets(rows, cols int) []float32 {
	rng := rand.New(rand.NewPCG(2, 2))
	d := make([]float32, rows*cols)
	for i := range rows {
		row, sum := d[i*cols:][:cols], float32(0)
		for j := range row {
			row[j] = rng.Float32()
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return d
}

// stockStep returns a step of a graph of Gorgonia's own operations.
func stockStep(n *nn.Network, batch int) (func() (float64, error), func(), error) {
	obs, globals := positions(n.Shape, batch)
	s, err := buildStock(n, batch, obs, globals)
	if err != nil {
		return nil, nil, err
	}
	var cost *G.Node
	for i, out := range s.Outputs() {
		target := G.NewTensor(s.Graph, G.Float32, out.Dims(), G.WithName(fmt.Sprintf("target%d", i)), G.WithShape(out.Shape().Clone()...))
		if err := let(target, targets(1, out.Shape().TotalSize())); err != nil {
			return nil, nil, err
		}
		diff, err := G.Sub(out, target)
		if err != nil {
			return nil, nil, err
		}
		square, err := G.Square(diff)
		if err != nil {
			return nil, nil, err
		}
		mean, err := G.Mean(square)
		if err != nil {
			return nil, nil, err
		}
		if cost == nil {
			cost = mean
		} else if cost, err = G.Add(cost, mean); err != nil {
			return nil, nil, err
		}
	}
	var wrt G.Nodes
	var model []G.ValueGrad
	for _, p := range n.Tensors {
		wrt = append(wrt, s.Params[p.Name])
		model = append(model, s.Params[p.Name])
	}
	if _, err := G.Grad(cost, wrt...); err != nil {
		return nil, nil, err
	}
	vm := G.NewTapeMachine(s.Graph, G.BindDualValues(wrt...))
	runtime.SetFinalizer(vm, nil)
	solver := G.NewAdamSolver(G.WithLearnRate(1e-4))
	return func() (float64, error) {
		vm.Reset()
		if err := vm.RunAll(); err != nil {
			return 0, err
		}
		v, ok := cost.Value().Data().(float32)
		if !ok {
			return 0, fmt.Errorf("measure: the cost is a %T", cost.Value().Data())
		}
		return float64(v), solver.Step(model)
	}, func() { _ = vm.Close() }, nil // closing never fails
}

// watch runs f and returns how far the heap rose meanwhile, sampled every
// millisecond.
func watch(f func() error) (uint64, error) {
	debug.FreeOSMemory()
	level := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		if s[0].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return s[0].Value.Uint64()
	}
	base := level()
	peak := base
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				peak = max(peak, level())
				return
			case <-tick.C:
				peak = max(peak, level())
			}
		}
	})
	err := f()
	close(stop)
	wg.Wait()
	return peak - base, err
}

func median(d []float64) float64 {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}
