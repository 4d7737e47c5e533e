package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"latro/nn/internal/cputime"
)

// graphOutputs runs b through the training graph and returns what it says.
func graphOutputs(t *testing.T, n *Network, b *Batch) *Outputs {
	t.Helper()
	cfg := DefaultTrainConfig()
	cfg.BatchSize = b.N
	tr := mustTrainer(t, n, cfg)
	mustStep(t, tr, b)
	out := NewOutputs(n.Shape, b.N)
	raw := make([][]float32, 3)
	wide := make([]int, 3)
	for i, node := range tr.outputs {
		raw[i] = node.Value().Data().([]float32)
		wide[i] = node.Shape()[1]
	}
	actions := n.Shape.Actions()
	for i := range b.N {
		p := out.Policy[i*actions:][:actions]
		scatterPolicy(p, raw[0], tr.boards.Squares(i), len(n.Shape.ActionPlanes), wide[0])
		p[actions-1] = raw[1][i*wide[1]]
		copy(out.WDL[3*i:][:3], raw[2][i*wide[2]:])
		out.Material[i] = float32(math.Tanh(float64(raw[2][i*wide[2]+3])))
	}
	return out
}

func TestCompiledAgreesWithGraph(t *testing.T) {
	shapes := []Shape{
		testShape(5, 5, 7, 3, 4), testShape(8, 7, 12, 0, 9), testShape(7, 13, 20, 11, 30), testShape(11, 16, 9, 5, 16),
		testShape(1, 3, 1, 1, 1), testShape(6, 6, 14, 8, 17),
	}
	// 3x20 has channels that are no multiple of the kernels' block.
	for _, preset := range []string{"2x32", "4x32", "1x16", "3x20", "6x64"} {
		for i, shape := range shapes {
			batch := []int{1, 3, 9, 17}[i%4]
			if preset == "6x64" && i != 0 && i != 3 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d/%d", preset, shape.Rows, shape.Cols, batch), func(t *testing.T) {
				n := mustNew(t, mustPreset(t, preset), shape, 3)
				shake(n, 4)
				b := randomBatch(shape, batch, 5)
				want := graphOutputs(t, n, b)
				inf, err := Compile(n)
				if err != nil {
					t.Fatal(err)
				}
				got := NewOutputs(shape, batch)
				if err := inf.NewInstance(batch).Run(batch, b.Obs, b.Globals, got); err != nil {
					t.Fatal(err)
				}
				// The bound is the contract's; logits here are of order 1 to 10.
				scale := 1.0
				for _, v := range want.Policy {
					scale = math.Max(scale, math.Abs(float64(v)))
				}
				if d := maxDiff(got.Policy, want.Policy); !(d <= 1e-4*scale) {
					t.Errorf("policy differs by %v (largest logit %v)", d, scale)
				}
				if d := maxDiff(got.WDL, want.WDL); !(d <= 1e-4*scale) {
					t.Errorf("value differs by %v", d)
				}
				if d := maxDiff(got.Material, want.Material); !(d <= 1e-4) {
					t.Errorf("material differs by %v", d)
				}
			})
		}
	}
}

func TestResultIndependentOfBatchAndSlot(t *testing.T) {
	shape := testShape(5, 7, 9, 4, 6)
	n := mustNew(t, mustPreset(t, "2x32"), shape, 1)
	shake(n, 2)
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 21
	b := randomBatch(shape, batch, 3)
	whole := NewOutputs(shape, batch)
	if err := inf.NewInstance(batch).Run(batch, b.Obs, b.Globals, whole); err != nil {
		t.Fatal(err)
	}
	single := inf.NewInstance(1)
	for i := range batch {
		one := NewOutputs(shape, 1)
		if err := single.Run(1, b.Obs[i*shape.Obs():], b.Globals[i*shape.Globals:], one); err != nil {
			t.Fatal(err)
		}
		a := shape.Actions()
		if !slices.Equal(one.Policy, whole.Policy[i*a:(i+1)*a]) || !slices.Equal(one.WDL, whole.WDL[3*i:3*i+3]) || one.Material[0] != whole.Material[i] {
			t.Fatalf("position %d differs alone and in the batch", i)
		}
	}
	// Another slot: the batch turned by one, on an instance with a used state.
	x := inf.NewInstance(batch)
	out := NewOutputs(shape, batch)
	for range 2 {
		obs := slices.Concat(b.Obs[shape.Obs():], b.Obs[:shape.Obs()])
		globals := slices.Concat(b.Globals[shape.Globals:], b.Globals[:shape.Globals])
		if err := x.Run(batch, obs, globals, out); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.WDL[:3*(batch-1)], whole.WDL[3:]) || !slices.Equal(out.WDL[3*(batch-1):], whole.WDL[:3]) {
			t.Fatal("results moved with the slot")
		}
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	shape := testShape(6, 6, 9, 4, 6)
	inf, err := Compile(mustNew(t, mustPreset(t, "2x32"), shape, 1))
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(shape, 20, 3)
	x, out := inf.NewInstance(20), NewOutputs(shape, 20)
	if n := testing.AllocsPerRun(20, func() {
		if err := x.Run(20, b.Obs, b.Globals, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Fatalf("%v allocations a run", n)
	}
}

func TestInstancesShareWeights(t *testing.T) {
	shape := testShape(5, 5, 5, 2, 4)
	n := mustNew(t, mustPreset(t, "1x16"), shape, 1)
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(shape, 4, 3)
	want := NewOutputs(shape, 4)
	if err := inf.NewInstance(4).Run(4, b.Obs, b.Globals, want); err != nil {
		t.Fatal(err)
	}
	// The compiled network does not see later changes to its source.
	shake(n, 9)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x, out := inf.NewInstance(4), NewOutputs(shape, 4)
			for range 5 {
				if err := x.Run(4, b.Obs, b.Globals, out); err != nil || !slices.Equal(out.Policy, want.Policy) {
					t.Errorf("concurrent run differs (error %v)", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPlanCoversEveryWeight(t *testing.T) {
	shape := testShape(5, 6, 8, 4, 16)
	n := mustNew(t, mustPreset(t, "3x16"), shape, 1)
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, l := range inf.Plan() {
		got[l.Layer+".weight"] = l.Multiplies
	}
	for _, p := range n.Tensors {
		if len(p.Dims) == 1 {
			continue
		}
		// Every weight is used once a square in convolutions, once a board in
		// dense layers; padding only adds.
		m, ok := got[p.Name]
		if !ok || m < len(p.Data) {
			t.Errorf("%s: %d multiplies for %d weights (planned: %v)", p.Name, m, len(p.Data), ok)
		}
		if len(p.Dims) == 4 && p.Name != "stem.weight" && m != 30*9*16*16 {
			t.Errorf("%s: %d multiplies", p.Name, m)
		}
		delete(got, p.Name)
	}
	if len(got) != 0 {
		t.Errorf("planned without weights: %v", got)
	}
}

func TestRunRefusesWrongSizes(t *testing.T) {
	shape := testShape(5, 5, 5, 2, 4)
	inf, err := Compile(mustNew(t, mustPreset(t, "1x16"), shape, 1))
	if err != nil {
		t.Fatal(err)
	}
	x, out := inf.NewInstance(2), NewOutputs(shape, 2)
	b := randomBatch(shape, 3, 1)
	for name, err := range map[string]error{
		"none":    x.Run(0, b.Obs, b.Globals, out),
		"many":    x.Run(3, b.Obs, b.Globals, NewOutputs(shape, 3)),
		"obs":     x.Run(2, b.Obs[:2*shape.Obs()-1], b.Globals, out),
		"globals": x.Run(2, b.Obs, b.Globals[:3], out),
		"outputs": x.Run(2, b.Obs, b.Globals, NewOutputs(shape, 1)),
	} {
		if !errors.Is(err, ErrSize) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkInference(b *testing.B) {
	for _, preset := range []string{"2x32", "4x32", "6x64"} {
		for _, side := range []int{6, 8} {
			b.Run(fmt.Sprintf("%s/%dx%d", preset, side, side), func(b *testing.B) {
				const batch = 16
				shape := testShape(side, side, 16, 12, 12)
				inf, err := Compile(mustNew(b, mustPreset(b, preset), shape, 1))
				if err != nil {
					b.Fatal(err)
				}
				d := randomBatch(shape, batch, 1)
				x, out := inf.NewInstance(batch), NewOutputs(shape, batch)
				start := cputime.Now()
				for b.Loop() {
					if err := x.Run(batch, d.Obs, d.Globals, out); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*batch)/(cputime.Now()-start).Seconds(), "positions/cpu-s")
			})
		}
	}
}
