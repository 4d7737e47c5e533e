package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// testShape is the shape of a made-up game on a board of the given size.
func testShape(rows, cols, planes, globals, actions int) Shape {
	s := Shape{Rows: rows, Cols: cols, Planes: planes, Globals: globals}
	for i := range actions {
		s.ActionPlanes = append(s.ActionPlanes, fmt.Sprintf("n%d", i))
	}
	return s
}

func mustNew(t testing.TB, cfg Config, shape Shape, seed uint64) *Network {
	t.Helper()
	n, err := New(cfg, shape, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mustPreset(t testing.TB, name string) Config {
	t.Helper()
	c, err := ParsePreset(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shake moves every parameter away from its initial value, so that zero biases
// and equal scales cannot hide an error.
func shake(n *Network, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, t := range n.Tensors {
		for i := range t.Data {
			t.Data[i] += float32(rng.NormFloat64() * 0.1)
		}
	}
}

// randomBatch makes a batch of n samples with random everything.
func randomBatch(shape Shape, n int, seed uint64) *Batch {
	rng := rand.New(rand.NewPCG(seed, 2))
	a := shape.Actions()
	b := &Batch{
		N: n, Obs: make([]float32, n*shape.Obs()), Globals: make([]float32, n*shape.Globals),
		Policy: make([]float32, n*a), Legal: make([]bool, n*a), WDL: make([]float32, n*3),
		PolicyWeight: make([]float32, n), ValueWeight: make([]float32, n),
		Material: make([]float32, n), MaterialWeight: make([]float32, n),
	}
	for i := range b.Obs {
		if rng.IntN(3) == 0 {
			b.Obs[i] = 1
		}
	}
	for i := range b.Globals {
		b.Globals[i] = rng.Float32()
	}
	for i := range n {
		sum := float32(0)
		for j := range a {
			if rng.IntN(3) == 0 || j == a-1 {
				b.Legal[i*a+j] = true
				v := rng.Float32()
				b.Policy[i*a+j] = v
				sum += v
			}
		}
		for j := range a {
			b.Policy[i*a+j] /= sum
		}
		b.WDL[i*3+rng.IntN(3)] = 1
		b.PolicyWeight[i] = 0.5 + rng.Float32()
		b.ValueWeight[i] = 0.5 + rng.Float32()
		b.Material[i] = 2*rng.Float32() - 1
		b.MaterialWeight[i] = 0.5 + rng.Float32()
	}
	// The targets of auxiliary heads, for networks that have some.
	b.Survival, b.SurvivalMask = make([]float32, n*shape.Area()), make([]float32, n*shape.Area())
	for i := range b.Survival {
		b.Survival[i] = float32(rng.IntN(2))
		b.SurvivalMask[i] = float32(rng.IntN(3)) / 2
	}
	b.PliesLeft, b.PliesWeight, b.ReplyWeight = make([]float32, n), make([]float32, n), make([]float32, n)
	b.Reply = make([]float32, n*a)
	for i := range n {
		b.PliesLeft[i] = float32(rng.IntN(100))
		b.PliesWeight[i] = 0.5 + rng.Float32()
		b.ReplyWeight[i] = 0.5 + rng.Float32()
		p := rng.Float32()
		b.Reply[i*a+rng.IntN(a)] += p
		b.Reply[i*a+rng.IntN(a)] += 1 - p
	}
	return b
}

func mustTrainer(t testing.TB, n *Network, cfg TrainConfig) *Trainer {
	t.Helper()
	tr, err := NewTrainer(n, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func mustStep(t testing.TB, tr *Trainer, b *Batch) Losses {
	t.Helper()
	l, err := tr.Step(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// maxDiff is the greatest absolute difference.
func maxDiff(a, b []float32) float64 {
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}
