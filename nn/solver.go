package nn

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
)

// solver updates parameters from gradients. It implements gorgonia.Solver;
// Gorgonia's own solvers keep their moments private, so a run could not be
// resumed exactly, clip each value by itself, and decay biases like weights.
type solver struct {
	cfg TrainConfig
	// iteration counts the steps that the moments have seen.
	iteration int64
	// first and second are the moments, one slice a parameter. SGD uses first
	// for its velocity.
	first, second [][]float32
	// decays says which parameters shrink.
	decays []bool
	// gradScale multiplies every gradient in the next step.
	gradScale float64
}

func newSolver(cfg TrainConfig, n *Network) *solver {
	s := &solver{cfg: cfg, gradScale: 1}
	for _, t := range n.Tensors {
		s.first = append(s.first, make([]float32, len(t.Data)))
		s.second = append(s.second, make([]float32, len(t.Data)))
		s.decays = append(s.decays, len(t.Dims) > 1)
	}
	return s
}

// rate is the learning rate of the given iteration (1 for the first).
func (s *solver) rate(iteration int64) float64 {
	c := &s.cfg
	w, end := int64(c.WarmupSteps), int64(c.ScheduleSteps)
	if iteration < w {
		return c.LearningRate * float64(iteration) / float64(w)
	}
	if c.Schedule != Cosine && c.Schedule != Linear {
		return c.LearningRate
	}
	if iteration >= end {
		return c.FinalRate
	}
	// left goes from 1 at the end of warm-up to 0.
	left := float64(end-iteration) / float64(end-w)
	if c.Schedule == Cosine {
		left = (1 - math.Cos(math.Pi*left)) / 2
	}
	return c.FinalRate + float64((c.LearningRate-c.FinalRate)*left)
}

// Step updates every parameter. model must be in the order of the network's
// tensors. Every product that enters a sum is rounded explicitly, so that
// compilers that fuse them give the same bits.
func (s *solver) Step(model []G.ValueGrad) error {
	if len(model) != len(s.first) {
		return fmt.Errorf("solver: %d parameters, want %d", len(model), len(s.first))
	}
	s.iteration++
	lr := s.rate(s.iteration)
	for i, p := range model {
		grad, err := p.Grad()
		if err != nil {
			return fmt.Errorf("solver: parameter %d: %w", i, err)
		}
		w, okW := p.Value().Data().([]float32)
		g, okG := grad.Data().([]float32)
		if !okW || !okG || len(w) != len(s.first[i]) || len(g) != len(w) {
			return fmt.Errorf("solver: parameter %d: value and gradient are not float32 tensors of its size", i)
		}
		decay := float32(1)
		if s.decays[i] {
			decay = float32(1 - lr*s.cfg.WeightDecay)
		}
		if s.cfg.Optimizer == SGD {
			s.sgd(w, g, s.first[i], lr, decay)
		} else {
			s.adam(w, g, s.first[i], s.second[i], lr, decay)
		}
	}
	return nil
}

func (s *solver) adam(w, g, m, v []float32, lr float64, decay float32) {
	n := float64(s.iteration)
	b1, b2 := float32(s.cfg.Beta1), float32(s.cfg.Beta2)
	c1, c2 := float32(1-s.cfg.Beta1), float32(1-s.cfg.Beta2)
	// update = lr·(m/(1−β₁ⁿ)) / (√(v/(1−β₂ⁿ)) + ε)
	step := float32(lr / (1 - math.Pow(s.cfg.Beta1, n)))
	root := float32(1 / math.Sqrt(1-math.Pow(s.cfg.Beta2, n)))
	eps, scale := float32(s.cfg.Epsilon), float32(s.gradScale)
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := range w {
		d := float32(g[i] * scale)
		m[i] = float32(b1*m[i]) + float32(c1*d)
		v[i] = float32(b2*v[i]) + float32(c2*float32(d*d))
		den := float32(float32(math.Sqrt(float64(v[i])))*root) + eps
		w[i] = float32(w[i]*decay) - float32(step*m[i])/den
	}
}

func (s *solver) sgd(w, g, m []float32, lr float64, decay float32) {
	mu, step, scale := float32(s.cfg.Momentum), float32(lr), float32(s.gradScale)
	for i := range w {
		m[i] = float32(mu*m[i]) + float32(g[i]*scale)
		w[i] = float32(w[i]*decay) - float32(step*m[i])
	}
}
