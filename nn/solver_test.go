package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// held is a parameter with a gradient that a test sets.
type held struct{ value, grad *tensor.Dense }

func (h held) Value() G.Value         { return h.value }
func (h held) Grad() (G.Value, error) { return h.grad, nil }

// TestSolverAgreesWithFormulas follows the update rules in float64 for 30 steps.
func TestSolverAgreesWithFormulas(t *testing.T) {
	for _, optimizer := range []string{Adam, SGD} {
		cfg := DefaultTrainConfig()
		cfg.Optimizer, cfg.WarmupSteps, cfg.LearningRate, cfg.WeightDecay = optimizer, 4, 0.01, 0.3
		cfg.Schedule, cfg.ScheduleSteps, cfg.FinalRate = Linear, 24, 0.001
		n := mustNew(t, mustPreset(t, "1x1"), testShape(2, 2, 1, 1, 1), 1)
		s := newSolver(cfg, n)
		rng := rand.New(rand.NewPCG(1, 1))
		var model []G.ValueGrad
		var w, m, v [][]float64
		var grads [][]float32
		for _, p := range n.Tensors {
			for i := range p.Data {
				p.Data[i] = float32(rng.NormFloat64())
			}
			grad := make([]float32, len(p.Data))
			grads = append(grads, grad)
			h := held{tensor.New(tensor.WithShape(len(p.Data)), tensor.WithBacking(p.Data)), tensor.New(tensor.WithShape(len(p.Data)), tensor.WithBacking(grad))}
			model = append(model, h)
			row := make([]float64, len(p.Data))
			for i, x := range p.Data {
				row[i] = float64(x)
			}
			w, m, v = append(w, row), append(m, make([]float64, len(row))), append(v, make([]float64, len(row)))
		}
		for step := 1; step <= 30; step++ {
			lr := 0.01 * float64(step) / 4
			if step >= 4 {
				lr = 0.001 + 0.009*math.Max(0, float64(24-step)/20)
			}
			s.gradScale = 1 / float64(step)
			for k, p := range n.Tensors {
				for i := range grads[k] {
					grads[k][i] = float32(rng.NormFloat64())
					g := float64(grads[k][i]) / float64(step)
					if len(p.Dims) > 1 { // weights shrink, scales and biases do not
						w[k][i] -= lr * 0.3 * w[k][i]
					}
					if optimizer == SGD {
						m[k][i] = 0.9*m[k][i] + g
						w[k][i] -= lr * m[k][i]
						continue
					}
					m[k][i] = 0.9*m[k][i] + 0.1*g
					v[k][i] = 0.999*v[k][i] + 0.001*g*g
					w[k][i] -= lr * (m[k][i] / (1 - math.Pow(0.9, float64(step)))) / (math.Sqrt(v[k][i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
				}
			}
			if err := s.Step(model); err != nil {
				t.Fatal(err)
			}
		}
		for k, p := range n.Tensors {
			for i, x := range p.Data {
				if math.Abs(float64(x)-w[k][i]) > 1e-5 {
					t.Fatalf("%s: %s[%d] is %v, want %v", optimizer, p.Name, i, x, w[k][i])
				}
			}
		}
	}
}

func TestSchedules(t *testing.T) {
	cfg := DefaultTrainConfig()
	cfg.LearningRate, cfg.WarmupSteps, cfg.ScheduleSteps, cfg.FinalRate = 1, 10, 110, 0.2
	at := func(schedule string, step int64) float64 {
		c := cfg
		c.Schedule = schedule
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		return (&solver{cfg: c}).rate(step)
	}
	for _, c := range []struct {
		schedule string
		step     int64
		want     float64
	}{
		{"", 5, 0.5}, {"", 1000, 1}, {Constant, 1000, 1},
		{Linear, 5, 0.5}, {Linear, 10, 1}, {Linear, 60, 0.6}, {Linear, 110, 0.2}, {Linear, 1000, 0.2},
		{Cosine, 5, 0.5}, {Cosine, 10, 1}, {Cosine, 60, 0.6}, {Cosine, 35, 0.2 + 0.8*(1+math.Sqrt2/2)/2}, {Cosine, 110, 0.2}, {Cosine, 1000, 0.2},
	} {
		if got := at(c.schedule, c.step); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%q at step %d: %v, want %v", c.schedule, c.step, got, c.want)
		}
	}
	cfg.Schedule, cfg.ScheduleSteps = Cosine, 10
	if err := cfg.Validate(); err == nil {
		t.Error("a schedule that ends with the warm-up was accepted")
	}
}

func TestAdamAgreesWithGorgonias(t *testing.T) {
	cfg := DefaultTrainConfig()
	cfg.WeightDecay, cfg.WarmupSteps = 0, 0
	n := mustNew(t, mustPreset(t, "1x1"), testShape(2, 2, 1, 1, 1), 1)
	other := n.Clone()
	ours, theirs := newSolver(cfg, n), G.NewAdamSolver(G.WithLearnRate(cfg.LearningRate))
	rng := rand.New(rand.NewPCG(3, 1))
	for range 5 {
		var a, b []G.ValueGrad
		for i, p := range n.Tensors {
			// Gorgonia's solver clears the gradients that it has used.
			g := make([]float32, len(p.Data))
			for k := range g {
				g[k] = float32(rng.NormFloat64())
			}
			of := func(d []float32) *tensor.Dense { return tensor.New(tensor.WithShape(len(d)), tensor.WithBacking(d)) }
			a = append(a, held{of(p.Data), of(g)})
			b = append(b, held{of(other.Tensors[i].Data), of(append([]float32(nil), g...))})
		}
		if err := ours.Step(a); err != nil {
			t.Fatal(err)
		}
		if err := theirs.Step(b); err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range n.Tensors {
		if d := maxDiff(w.Data, other.Tensors[i].Data); d > 1e-6 {
			t.Errorf("%s differs by %v after 5 steps", w.Name, d)
		}
	}
}
