package nn

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"latro/nn/cputime"
)

// gradients runs one step at a vanishing learning rate and returns the loss and
// a copy of each parameter's gradient.
func gradients(t *testing.T, n *Network, cfg TrainConfig, b *Batch) (Losses, [][]float32) {
	t.Helper()
	tr := mustTrainer(t, n, cfg)
	l := mustStep(t, tr, b)
	var g [][]float32
	for _, p := range tr.params {
		v, err := p.Grad()
		if err != nil {
			t.Fatal(err)
		}
		g = append(g, slices.Clone(v.Data().([]float32)))
	}
	return l, g
}

// TestGradientsAgainstFiniteDifferences moves each tensor along its own
// gradient g, where the loss must change at rate |g|. A sum over a whole tensor
// is far less noisy in float32 than single weights are.
func TestGradientsAgainstFiniteDifferences(t *testing.T) {
	if testing.Short() {
		t.Skip("a graph for every tensor; TestGradientsAgainstFloat64 is the short one")
	}
	shape := testShape(4, 5, 5, 3, 4)
	// A width that is no multiple of the block, and two pooled blocks.
	cfg := Config{Blocks: 3, Channels: 20, PoolEvery: 2, ValueHidden: 24}
	n := mustNew(t, cfg, shape, 5)
	shake(n, 6)
	b := randomBatch(shape, 5, 7)
	train := DefaultTrainConfig()
	train.BatchSize, train.ValueLoss, train.MaterialLoss = 6, 0.7, 0.6
	_, grads := gradients(t, n, train, b)
	lossAt := func(i int, step float64) float64 {
		m := n.Clone()
		norm := 0.0
		for _, v := range grads[i] {
			norm += float64(v) * float64(v)
		}
		for j, v := range grads[i] {
			m.Tensors[i].Data[j] += float32(step * float64(v) / math.Sqrt(norm))
		}
		l, _ := gradients(t, m, train, b)
		return l.Total
	}
	for i, tensor := range n.Tensors {
		want := 0.0
		for _, v := range grads[i] {
			want += float64(v) * float64(v)
		}
		want = math.Sqrt(want)
		if want == 0 {
			t.Errorf("%s has no gradient", tensor.Name)
			continue
		}
		// 2e-4 balances float32 rounding (1e-7/2e-4) against curvature and
		// the kinks of ReLU and max, which cost up to 1 % here; the operations are
		// tested to 1e-4 in their own package.
		const eps = 2e-4
		got := (lossAt(i, eps) - lossAt(i, -eps)) / (2 * eps)
		if math.Abs(got-want) > 0.02*want+3e-4 {
			t.Errorf("%s: the loss changes at rate %.6f along the gradient, whose norm is %.6f", tensor.Name, got, want)
		}
	}
}

func TestOverfitsTinyBatch(t *testing.T) {
	optimizers, preset := []string{Adam, SGD}, "2x16"
	if testing.Short() {
		optimizers, preset = optimizers[:1], "1x16"
	}
	for _, optimizer := range optimizers {
		t.Run(optimizer, func(t *testing.T) {
			shape := testShape(5, 5, 6, 2, 4)
			cfg := DefaultTrainConfig()
			cfg.BatchSize, cfg.Optimizer, cfg.WeightDecay = 8, optimizer, 0
			if optimizer == SGD {
				cfg.LearningRate = 0.02
			}
			tr := mustTrainer(t, mustNew(t, mustPreset(t, preset), shape, 1), cfg)
			b := randomBatch(shape, 8, 2)
			first := mustStep(t, tr, b)
			var last Losses
			for range 250 {
				last = mustStep(t, tr, b)
			}
			// The policy cannot fall below the target's entropy; value and
			// material can fall to 0.
			if excess, was := last.Policy-last.TargetEntropy, first.Policy-first.TargetEntropy; !(excess < 0.2*was) {
				t.Errorf("policy loss above its floor: %v at first, %v at last", was, excess)
			}
			if !(last.Value < 0.2*first.Value) || !(last.Material < 0.2*first.Material) {
				t.Errorf("losses at first %+v, at last %+v", first, last)
			}
			// What was learnt shows in play.
			inf, err := Compile(tr.Network())
			if err != nil {
				t.Fatal(err)
			}
			out := NewOutputs(shape, 8)
			if err := inf.NewInstance(8).Run(8, b.Obs, b.Globals, out); err != nil {
				t.Fatal(err)
			}
			for i := range 8 {
				best := 0
				for k := range 3 {
					if out.WDL[3*i+k] > out.WDL[3*i+best] {
						best = k
					}
				}
				if b.WDL[3*i+best] != 1 {
					t.Errorf("position %d: value head prefers outcome %d, target %v", i, best, b.WDL[3*i:3*i+3])
				}
			}
		})
	}
}

func TestResumeIsExact(t *testing.T) {
	for _, optimizer := range []string{Adam, SGD} {
		t.Run(optimizer, func(t *testing.T) {
			shape := testShape(5, 6, 6, 2, 4)
			cfg := DefaultTrainConfig()
			cfg.BatchSize, cfg.Optimizer, cfg.WarmupSteps = 8, optimizer, 2
			cfg.Schedule, cfg.ScheduleSteps, cfg.FinalRate = Cosine, 7, 1e-4
			n := mustNew(t, mustPreset(t, "2x16"), shape, 1)
			n.Step, n.Meta["run"] = 40, "a"
			whole := mustTrainer(t, n, cfg)
			part := mustTrainer(t, n, cfg)
			path := filepath.Join(t.TempDir(), "state")
			for i := range 8 {
				b := randomBatch(shape, 8-i%3, uint64(i))
				want := mustStep(t, whole, b)
				if i == 3 {
					// A new process: another trainer, from other parameters.
					if err := part.SaveState(path); err != nil {
						t.Fatal(err)
					}
					part = mustTrainer(t, mustNew(t, n.Config, shape, 99), cfg)
					if err := part.LoadState(path); err != nil {
						t.Fatal(err)
					}
				}
				if got := mustStep(t, part, b); got != want {
					t.Fatalf("step %d: losses %+v, uninterrupted %+v", i, got, want)
				}
			}
			a, b := whole.Network(), part.Network()
			if a.Hash() != b.Hash() || b.Step != 48 || b.Meta["run"] != "a" {
				t.Fatalf("hash %s step %d, uninterrupted %s step %d", b.Hash(), b.Step, a.Hash(), a.Step)
			}
		})
	}
}

func TestThreadsDoNotChangeTheResult(t *testing.T) {
	shape := testShape(5, 6, 6, 2, 4)
	var want string
	for _, threads := range []int{1, 2, 3} {
		cfg := DefaultTrainConfig()
		cfg.BatchSize, cfg.Threads = 20, threads
		tr := mustTrainer(t, mustNew(t, mustPreset(t, "2x32"), shape, 1), cfg)
		for i := range 3 {
			mustStep(t, tr, randomBatch(shape, 20, uint64(i)))
		}
		got := tr.Network().Hash()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d threads give another network", threads)
		}
	}
}

// TestTrainersSideBySide is for the race detector, and compares the results with
// those of a trainer alone.
func TestTrainersSideBySide(t *testing.T) {
	shape := testShape(4, 4, 3, 2, 2)
	cfg := DefaultTrainConfig()
	cfg.BatchSize, cfg.Threads = 10, 2
	run := func() (string, error) {
		n, err := New(Config{Blocks: 1, Channels: 16, PoolEvery: 1, ValueHidden: 16}, shape, 1)
		if err != nil {
			return "", err
		}
		tr, err := NewTrainer(n, cfg)
		if err != nil {
			return "", err
		}
		defer tr.Close()
		for i := range 3 {
			if _, err := tr.Step(randomBatch(shape, 10, uint64(i))); err != nil {
				return "", err
			}
		}
		return tr.Network().Hash(), nil
	}
	want, err := run()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := run(); err != nil || got != want {
				t.Errorf("side by side: %s, %v; alone: %s", got, err, want)
			}
		})
	}
	wg.Wait()
}

func TestSmallBatchEqualsItsOwnSize(t *testing.T) {
	shape := testShape(5, 6, 6, 2, 4)
	n := mustNew(t, mustPreset(t, "1x16"), shape, 1)
	shake(n, 2)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 3
	b := randomBatch(shape, 3, 1)
	want, wantG := gradients(t, n, cfg, b)
	cfg.BatchSize = 11
	tr := mustTrainer(t, n, cfg)
	// A full batch first, whose leftovers must not count.
	mustStep(t, tr, randomBatch(shape, 11, 8))
	for i := range n.Tensors {
		copy(tr.net.Tensors[i].Data, n.Tensors[i].Data)
	}
	got := mustStep(t, tr, b)
	if math.Abs(got.Total-want.Total) > 1e-9 || math.Abs(got.GradNorm-want.GradNorm) > 1e-5*want.GradNorm {
		t.Errorf("filled up: %+v, exact size: %+v", got, want)
	}
	for i, p := range tr.params {
		v, _ := p.Grad()
		if d := maxDiff(v.Data().([]float32), wantG[i]); d > 1e-5 {
			t.Errorf("%s: gradients differ by %v", n.Tensors[i].Name, d)
		}
	}
}

func TestClippingBoundsTheStep(t *testing.T) {
	shape := testShape(4, 4, 3, 0, 2)
	n := mustNew(t, mustPreset(t, "1x16"), shape, 1)
	cfg := DefaultTrainConfig()
	cfg.BatchSize, cfg.Optimizer, cfg.Momentum, cfg.WarmupSteps, cfg.WeightDecay = 4, SGD, 0, 0, 0
	cfg.LearningRate, cfg.GradClip = 0.5, 0.01
	tr := mustTrainer(t, n, cfg)
	if l := mustStep(t, tr, randomBatch(shape, 4, 1)); l.GradNorm <= cfg.GradClip {
		t.Fatalf("gradient norm %v does not exercise the clip", l.GradNorm)
	}
	moved := 0.0
	for i, after := range tr.Network().Tensors {
		for j, v := range after.Data {
			moved += math.Pow(float64(v)-float64(n.Tensors[i].Data[j]), 2)
		}
	}
	// The step is rate · clipped norm.
	if got := math.Sqrt(moved); math.Abs(got-0.005) > 1e-4 {
		t.Errorf("the parameters moved by %v, want 0.005", got)
	}
}

func TestStepRefusesBadBatches(t *testing.T) {
	shape := testShape(4, 4, 3, 2, 2)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 4
	tr := mustTrainer(t, mustNew(t, mustPreset(t, "1x16"), shape, 1), cfg)
	before := tr.Network().Hash()
	cases := map[string]struct {
		change func(b *Batch)
		is     error
		says   string
	}{
		"too many":      {func(b *Batch) { b.N = 5 }, ErrSize, "1 to 4"},
		"empty":         {func(b *Batch) { b.N = 0 }, ErrSize, "1 to 4"},
		"short policy":  {func(b *Batch) { b.Policy = b.Policy[1:] }, ErrSize, "Policy"},
		"short legal":   {func(b *Batch) { b.Legal = b.Legal[1:] }, ErrSize, "Legal"},
		"illegal mass":  {func(b *Batch) { b.Legal[0], b.Policy[0] = false, 0.5 }, nil, "action 0"},
		"negative":      {func(b *Batch) { b.ValueWeight[2] = -1 }, nil, "sample 2"},
		"nothing legal": {func(b *Batch) { clear(b.Legal); clear(b.Policy) }, nil, "no legal action"},
		"NaN":           {func(b *Batch) { b.Obs[3] = float32(math.NaN()) }, ErrDiverged, "not finite"},
	}
	for name, c := range cases {
		b := randomBatch(shape, 4, 1)
		c.change(b)
		_, err := tr.Step(b)
		if err == nil || (c.is != nil && !errors.Is(err, c.is)) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tr.Network().Hash() != before {
		t.Error("a refused batch changed the parameters")
	}
	mustStep(t, tr, randomBatch(shape, 4, 1))
	tr.Close()
	tr.Close()
	if _, err := tr.Step(randomBatch(shape, 4, 1)); err == nil {
		t.Error("a closed trainer steps")
	}
}

func TestOptionalBatchFields(t *testing.T) {
	shape := testShape(4, 4, 3, 0, 2)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 4
	tr := mustTrainer(t, mustNew(t, mustPreset(t, "1x16"), shape, 1), cfg)
	full := randomBatch(shape, 4, 1)
	b := &Batch{N: 4, Obs: full.Obs, Policy: full.Policy, WDL: full.WDL}
	l := mustStep(t, tr, b)
	if l.Material != 0 || !(l.Policy > 0) || !(l.Value > 0) {
		t.Errorf("losses %+v", l)
	}
	if math.Abs(l.Total-l.Policy-l.Value) > 1e-12 {
		t.Errorf("total %v is not policy %v + value %v", l.Total, l.Policy, l.Value)
	}
}

func TestTrainConfigReportsEveryProblem(t *testing.T) {
	if err := DefaultTrainConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	c := TrainConfig{Optimizer: "lbfgs", Schedule: "tides", FinalRate: -1, WarmupSteps: -1, LearningRate: math.NaN(), Momentum: 1, WeightDecay: -1, GradClip: -1, ValueLoss: math.Inf(1), MaterialLoss: -2}
	err := c.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, field := range []string{"batch_size", "optimizer", "warmup_steps", "schedule", "final_rate", "threads", "learning_rate", "momentum", "epsilon", "weight_decay", "grad_clip", "value_loss", "material_loss"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not reported in %v", field, err)
		}
	}
}

func BenchmarkTrainStep(b *testing.B) {
	for _, preset := range []string{"2x32", "4x32", "6x64"} {
		for _, board := range [][2]int{{6, 6}, {8, 7}, {8, 8}} {
			for _, heads := range []string{"", "/auxiliary"} {
				b.Run(fmt.Sprintf("%s/%dx%d%s", preset, board[0], board[1], heads), func(b *testing.B) {
					shape := testShape(board[0], board[1], 16, 12, 12)
					arch, cfg := mustPreset(b, preset), DefaultTrainConfig()
					if heads != "" {
						arch.Auxiliary = true
						cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss = 0.1, 0.1, 0.1
					}
					tr := mustTrainer(b, mustNew(b, arch, shape, 1), cfg)
					d := randomBatch(shape, cfg.BatchSize, 1)
					b.ReportAllocs()
					start := cputime.Process()
					for b.Loop() {
						mustStep(b, tr, d)
					}
					b.ReportMetric((cputime.Process()-start).Seconds()/float64(b.N), "cpu-s/step")
				})
			}
		}
	}
}
