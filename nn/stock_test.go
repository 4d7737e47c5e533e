package nn

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/cputime"
	"latro/nn/internal/stock"
)

// stockNetwork builds n from Gorgonia's own operations for a batch.
func stockNetwork(t testing.TB, n *Network, batch int) *stock.Network {
	t.Helper()
	var params []stock.Param
	for _, p := range n.Tensors {
		params = append(params, stock.Param{Name: p.Name, Dims: p.Dims, Data: p.Data})
	}
	s, err := stock.Build(stock.Spec{
		Blocks: n.Config.Blocks, Channels: n.Config.Channels, ValueHidden: n.Config.ValueHidden, Pooled: n.Config.pooled,
		Rows: n.Shape.Rows, Cols: n.Shape.Cols, Planes: n.Shape.Planes, Globals: n.Shape.Globals, Acts: len(n.Shape.ActionPlanes),
		Batch: batch,
	}, params)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func let(t testing.TB, node *G.Node, data []float32) {
	t.Helper()
	v := tensor.New(tensor.WithShape(node.Shape().Clone()...), tensor.WithBacking(data))
	if err := G.Let(node, v); err != nil {
		t.Fatal(err)
	}
}

// TestAgreesWithStockGorgonia builds the same network from Gorgonia's own
// operations, and compares its outputs and, for the same gradients of the
// outputs, the gradient of every parameter.
func TestAgreesWithStockGorgonia(t *testing.T) {
	for _, shape := range []Shape{testShape(5, 5, 6, 3, 4), testShape(4, 7, 5, 0, 6)} {
		for _, preset := range []string{"2x16", "3x20"} {
			arch := mustPreset(t, preset)
			arch.Auxiliary = preset == "3x20"
			n := mustNew(t, arch, shape, 1)
			shake(n, 2)
			const batch = 3
			b := randomBatch(shape, batch, 3)
			cfg := DefaultTrainConfig()
			cfg.BatchSize = batch
			if arch.Auxiliary {
				cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss = 0.8, 0.9, 0.5
			}
			out := graphOutputs(t, n, b)
			tr := mustTrainer(t, n, cfg)
			mustStep(t, tr, b)
			actions := shape.Actions()

			s := stockNetwork(t, n, batch)
			// cost = Σ outputs ⊙ (our gradients of the outputs)
			outputs := s.Outputs()
			if len(outputs) != len(tr.outputs) {
				t.Fatalf("%d outputs, of stock operations %d", len(tr.outputs), len(outputs))
			}
			var cost *G.Node
			for i, part := range outputs {
				v, err := tr.outputs[i].Grad()
				if err != nil {
					t.Fatal(err)
				}
				grad, wide := v.Data().([]float32), tr.outputs[i].Shape()[1]
				data := make([]float32, part.Shape().TotalSize())
				each := len(data) / batch
				for k := range batch {
					if part.Dims() == 4 {
						scatterPolicy(data[k*each:][:each], grad, tr.boards.Squares(k), part.Shape()[1], wide)
					} else {
						copy(data[k*each:][:each], grad[k*wide:])
					}
				}
				r := G.NewTensor(s.Graph, G.Float32, part.Dims(), G.WithName(fmt.Sprintf("gradient%d", i)), G.WithShape(part.Shape().Clone()...))
				let(t, r, data)
				sum := G.Must(G.Sum(G.Must(G.HadamardProd(part, r))))
				if cost == nil {
					cost = sum
				} else {
					cost = G.Must(G.Add(cost, sum))
				}
			}
			let(t, s.Planes, b.Obs)
			if s.Globals != nil {
				let(t, s.Globals, b.Globals)
			}
			var wrt G.Nodes
			for _, p := range n.Tensors {
				wrt = append(wrt, s.Params[p.Name])
			}
			gradNodes, err := G.Grad(cost, wrt...)
			if err != nil {
				t.Fatal(err)
			}
			vm := G.NewTapeMachine(s.Graph)
			runtime.SetFinalizer(vm, nil)
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			policy, pass := s.Policy.Value().Data().([]float32), s.Pass.Value().Data().([]float32)
			for i := range batch {
				if d := maxDiff(out.Policy[i*actions:][:actions-1], policy[i*(actions-1):]); !(d <= 1e-4) {
					t.Errorf("%s %dx%d: policy of position %d differs by %v", preset, shape.Rows, shape.Cols, i, d)
				}
				if d := math.Abs(float64(out.Policy[(i+1)*actions-1] - pass[i])); !(d <= 1e-4) {
					t.Errorf("%s: pass of position %d differs by %v", preset, i, d)
				}
				if d := maxDiff(out.WDL[3*i:][:3], s.Value.Value().Data().([]float32)[4*i:]); !(d <= 1e-4) {
					t.Errorf("%s: value of position %d differs by %v", preset, i, d)
				}
			}
			for i, p := range n.Tensors {
				want := gradNodes[i].Value().Data().([]float32)
				v, err := tr.params[i].Grad()
				if err != nil {
					t.Fatal(err)
				}
				got := v.Data().([]float32)
				if len(p.Dims) == 4 {
					got = stock.ToStock(got, p.Dims[2], p.Dims[3])
				}
				scale := 0.0
				for _, v := range want {
					scale = math.Max(scale, math.Abs(float64(v)))
				}
				if d := maxDiff(got, want); !(d <= 1e-4*scale+1e-6) {
					t.Errorf("%s %dx%d: gradient of %s differs by %v (largest %v)", preset, shape.Rows, shape.Cols, p.Name, d, scale)
				}
			}
		}
	}
}

// BenchmarkStock measures Gorgonia's own operations, for the ratios that
// documentation gives: inference on one reused machine in evaluation mode.
func BenchmarkStock(b *testing.B) {
	const batch = 32
	shape := testShape(8, 8, 16, 12, 12)
	n := mustNew(b, mustPreset(b, "6x64"), shape, 1)
	d := randomBatch(shape, batch, 1)
	s := stockNetwork(b, n, batch)
	let(b, s.Planes, d.Obs)
	let(b, s.Globals, d.Globals)
	vm := G.NewTapeMachine(s.Graph, G.EvalMode())
	runtime.SetFinalizer(vm, nil)
	start := cputime.Process()
	for b.Loop() {
		vm.Reset()
		if err := vm.RunAll(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*batch)/(cputime.Process()-start).Seconds(), "positions/cpu-s")
}
