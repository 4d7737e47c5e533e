package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn"
	"latro/nn/cputime"
	"latro/nn/internal/stock"
)

// What can evaluate a network.
const (
	// Compiled is nn.Compile, the way in which networks play.
	Compiled = "compiled"
	// Int16 is Compiled with products of 16-bit integers (nn.Int16).
	Int16 = "int16"
	// Purego is Compiled with kernels in Go only.
	Purego = "purego"
	// Graph is the Gorgonia graph that training uses, with this module's
	// operations.
	Graph = "graph"
	// GraphStock is a Gorgonia graph of Gorgonia's own operations: one machine
	// in evaluation mode, used again for every batch.
	GraphStock = "graph-stock"
)

// Implementations returns all of them.
func Implementations() []string { return []string{Compiled, Graph, GraphStock, Int16, Purego} }

// ErrUnknown is wrapped by errors that say that there is no such implementation.
var ErrUnknown = errors.New("no such implementation")

// Evaluator evaluates a batch of positions that it holds.
type Evaluator struct {
	run   func() error
	close func()
	// Out receives the results.
	Out *nn.Outputs
}

// Run evaluates the batch once.
func (e *Evaluator) Run() error { return e.run() }

// Close releases what the evaluator holds.
func (e *Evaluator) Close() {
	if e.close != nil {
		e.close()
	}
}

// NewEvaluator prepares n to evaluate batch random positions by the given
// implementation.
func NewEvaluator(n *nn.Network, implementation string, batch int) (*Evaluator, error) {
	if batch < 1 {
		return nil, fmt.Errorf("measure: a batch of %d", batch)
	}
	obs, globals := positions(n.Shape, batch)
	e := &Evaluator{Out: nn.NewOutputs(n.Shape, batch)}
	switch implementation {
	case Compiled, Int16, Purego:
		o := nn.CompileOptions{Portable: implementation == Purego}
		if implementation == Int16 {
			o.Arithmetic = nn.Int16
		}
		inf, err := nn.CompileWith(n, o)
		if err != nil {
			return nil, err
		}
		x := inf.NewInstance(batch)
		e.run = func() error { return x.Run(batch, obs, globals, e.Out) }
	case Graph:
		g, err := nn.NewGraph(n, batch)
		if err != nil {
			return nil, err
		}
		e.run = func() error { return g.Run(batch, obs, globals, e.Out) }
		e.close = g.Close
	case GraphStock:
		s, err := buildStock(n.Playing(), batch, obs, globals)
		if err != nil {
			return nil, err
		}
		vm := G.NewTapeMachine(s.Graph, G.EvalMode())
		// Gorgonia's own finalizer would keep the machine for ever.
		runtime.SetFinalizer(vm, nil)
		e.run = func() error {
			vm.Reset()
			if err := vm.RunAll(); err != nil {
				return err
			}
			return collect(s, n.Shape, batch, e.Out)
		}
		e.close = func() { _ = vm.Close() } // never fails
	default:
		return nil, fmt.Errorf("%w: %q is none of %v", ErrUnknown, implementation, Implementations())
	}
	return e, nil
}

// positions returns random planes, a third of them ones, and globals.
func positions(s nn.Shape, batch int) (obs, globals []float32) {
	rng := rand.New(rand.NewPCG(1, 1))
	obs, globals = make([]float32, batch*s.Obs()), make([]float32, batch*s.Globals)
	for i := range obs {
		if rng.IntN(3) == 0 {
			obs[i] = 1
		}
	}
	for i := range globals {
		globals[i] = rng.Float32()
	}
	return obs, globals
}

// buildStock builds n from Gorgonia's own operations and sets its inputs.
func buildStock(n *nn.Network, batch int, obs, globals []float32) (*stock.Network, error) {
	var params []stock.Param
	for _, p := range n.Tensors {
		params = append(params, stock.Param{Name: p.Name, Dims: p.Dims, Data: p.Data})
	}
	s, err := stock.Build(stock.Spec{
		Blocks: n.Config.Blocks, Channels: n.Config.Channels, ValueHidden: n.Config.ValueHidden,
		Pooled: func(i int) bool { return n.Tensor(fmt.Sprintf("block%d.pool.weight", i)) != nil },
		Rows:   n.Shape.Rows, Cols: n.Shape.Cols, Planes: n.Shape.Planes, Globals: n.Shape.Globals, Acts: len(n.Shape.ActionPlanes),
		Batch: batch,
	}, params)
	if err != nil {
		return nil, err
	}
	if err := let(s.Planes, obs); err != nil {
		return nil, err
	}
	if s.Globals != nil {
		err = let(s.Globals, globals)
	}
	return s, err
}

func let(node *G.Node, data []float32) error {
	return G.Let(node, tensor.New(tensor.WithShape(node.Shape().Clone()...), tensor.WithBacking(data)))
}

// collect copies a stock network's outputs; the material is left before its
// tanh, which the stock graph does not have.
func collect(s *stock.Network, shape nn.Shape, batch int, out *nn.Outputs) error {
	var raw [3][]float32
	for i, node := range []*G.Node{s.Policy, s.Pass, s.Value} {
		d, ok := node.Value().Data().([]float32)
		if !ok {
			return fmt.Errorf("measure: output %d is a %T", i, node.Value().Data())
		}
		raw[i] = d
	}
	actions := shape.Actions()
	for i := range batch {
		copy(out.Policy[i*actions:], raw[0][i*(actions-1):][:actions-1])
		out.Policy[(i+1)*actions-1] = raw[1][i]
		copy(out.WDL[3*i:][:3], raw[2][4*i:])
		out.Material[i] = raw[2][4*i+3]
	}
	return nil
}

// InferenceFigure is the speed of one implementation.
type InferenceFigure struct {
	Net            string  `json:"net"`
	Board          string  `json:"board"`
	Batch          int     `json:"batch"`
	Implementation string  `json:"implementation"`
	Positions      float64 `json:"positions_per_cpu_second"`
	// Allocations is the number of memory allocations an evaluation, averaged
	// over the runs that were timed.
	Allocations float64 `json:"allocations_per_run"`
}

// Board names the board of a shape, such as "8x8".
func Board(s nn.Shape) string { return fmt.Sprintf("%dx%d", s.Rows, s.Cols) }

// Inference measures one implementation for at least the given CPU time and at
// least once, after a run that is not counted.
func Inference(ctx context.Context, n *nn.Network, implementation string, batch int, atLeast time.Duration) (InferenceFigure, error) {
	f := InferenceFigure{Net: n.Config.Name(), Board: Board(n.Shape), Batch: batch, Implementation: implementation}
	e, err := NewEvaluator(n, implementation, batch)
	if err != nil {
		return f, err
	}
	defer e.Close()
	// What earlier measurements left behind is not this one's to collect.
	runtime.GC()
	if err := e.Run(); err != nil {
		return f, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs, start := 0, cputime.Process()
	spent := time.Duration(0)
	for runs == 0 || spent < atLeast {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if err := e.Run(); err != nil {
			return f, err
		}
		runs++
		spent = cputime.Process() - start
	}
	runtime.ReadMemStats(&after)
	f.Positions = float64(runs*batch) / max(spent, time.Nanosecond).Seconds()
	f.Allocations = float64(after.Mallocs-before.Mallocs) / float64(runs)
	if f.Allocations < 0.5 {
		// Reading the statistics and the runtime's own threads allocate a
		// little, which an evaluation does not.
		f.Allocations = 0
	}
	return f, nil
}

// WorkersFigure is what several workers do at once.
type WorkersFigure struct {
	Net   string `json:"net"`
	Board string `json:"board"`
	Batch int    `json:"batch"`
	// Workers is the number of goroutines, each with an instance of its own.
	Workers int `json:"workers"`
	// Positions is a second on the wall, all workers together; Alone that of
	// one worker, measured in turns with it.
	Positions float64 `json:"positions_per_second"`
	Alone     float64 `json:"alone_positions_per_second"`
	// TimesOne is the ratio, at most about Workers. On a machine that others use
	// too it says more about them.
	TimesOne float64 `json:"times_one"`
	// ByCPUTime is what the ratio would be if every worker had a core to itself:
	// Workers times the positions a CPU-second, over those of one worker. What
	// is missing is what workers cost each other: memory, caches, locks.
	ByCPUTime float64 `json:"times_one_by_cpu_time"`
}

// Workers measures how much faster several workers are than one, by the clock on
// the wall, in turns of which the median ratio counts.
func Workers(ctx context.Context, n *nn.Network, batch, workers int, each time.Duration) (WorkersFigure, error) {
	f := WorkersFigure{Net: n.Config.Name(), Board: Board(n.Shape), Batch: batch, Workers: workers}
	inf, err := nn.Compile(n)
	if err != nil {
		return f, err
	}
	obs, globals := positions(n.Shape, batch)
	rate := func(workers int) (wall, cpu float64, err error) {
		var wg sync.WaitGroup
		var runs atomic.Int64
		errs := make([]error, workers)
		began, spent := time.Now(), cputime.Process()
		for i := range workers {
			wg.Go(func() {
				x, out := inf.NewInstance(batch), nn.NewOutputs(n.Shape, batch)
				for first := true; first || time.Since(began) < each; first = false {
					if errs[i] = errors.Join(ctx.Err(), x.Run(batch, obs, globals, out)); errs[i] != nil {
						return
					}
					runs.Add(1)
				}
			})
		}
		wg.Wait()
		n := float64(int(runs.Load()) * batch)
		return n / time.Since(began).Seconds(), n / max(cputime.Process()-spent, time.Nanosecond).Seconds(), errors.Join(errs...)
	}
	const turns = 5
	var ratios, byCPU, ones, all []float64
	for range turns {
		one, oneCPU, err := rate(1)
		if err != nil {
			return f, err
		}
		many, manyCPU, err := rate(workers)
		if err != nil {
			return f, err
		}
		ratios, ones, all = append(ratios, many/one), append(ones, one), append(all, many)
		byCPU = append(byCPU, float64(workers)*manyCPU/oneCPU)
	}
	f.TimesOne, f.ByCPUTime, f.Alone, f.Positions = median(ratios), median(byCPU), median(ones), median(all)
	return f, nil
}
