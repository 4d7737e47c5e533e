package nn

import (
	"errors"
	"fmt"
	"math"
)

// Graph evaluates positions with the Gorgonia graph that training uses, without
// compiling it: slower than an Instance, and the definition that an Instance must
// agree with. It is for comparisons. Use it from one goroutine at a time.
type Graph struct{ t *Trainer }

// NewGraph builds the graph of a copy of n for batches of up to batch positions.
func NewGraph(n *Network, batch int) (*Graph, error) {
	cfg := DefaultTrainConfig()
	cfg.BatchSize = batch
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("new graph: %w", err)
	}
	if err := n.validate(); err != nil {
		return nil, fmt.Errorf("new graph: %w", err)
	}
	t := &Trainer{cfg: cfg, net: n.Playing()}
	building.Lock()
	defer building.Unlock()
	if err := t.build(false); err != nil {
		return nil, fmt.Errorf("new graph: %w", err)
	}
	return &Graph{t: t}, nil
}

// Run evaluates n positions; arguments are those of [Instance.Run]. It costs as
// much for few positions as for a whole batch.
func (g *Graph) Run(n int, obs, globals []float32, out *Outputs) error {
	t := g.t
	if t.vm == nil {
		return errors.New("run graph: it is closed")
	}
	s := &t.net.Shape
	actions := s.Actions()
	if n < 1 || n > t.cfg.BatchSize || len(obs) < n*s.Obs() || len(globals) < n*s.Globals ||
		len(out.Policy) < n*actions || len(out.WDL) < n*3 || len(out.Material) < n {
		return fmt.Errorf("run graph: %w: %d positions of at most %d, or buffers that are too short for them", ErrSize, n, t.cfg.BatchSize)
	}
	t.loadInputs(n, obs, globals)
	t.vm.run.Reset()
	if err := t.vm.run.RunAll(); err != nil {
		return fmt.Errorf("run graph: %w", err)
	}
	var raw [3][]float32
	var wide [3]int
	for i, node := range t.outputs {
		d, ok := node.Value().Data().([]float32)
		if !ok || node.Shape().Dims() != 2 {
			return fmt.Errorf("run graph: output %d is a %T of shape %v", i, node.Value().Data(), node.Shape())
		}
		raw[i], wide[i] = d, node.Shape()[1]
	}
	for i := range n {
		p := out.Policy[i*actions:][:actions]
		scatterPolicy(p, raw[0], t.boards.Squares(i), len(s.ActionPlanes), wide[0])
		p[actions-1] = raw[1][i*wide[1]]
		v := raw[2][i*wide[2]:]
		copy(out.WDL[3*i:][:3], v)
		out.Material[i] = float32(math.Tanh(float64(v[3])))
	}
	return nil
}

// Close releases the graph's buffers; it cannot run any more.
func (g *Graph) Close() { g.t.Close() }
