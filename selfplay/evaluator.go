package selfplay

import (
	"fmt"
	"math"

	"latro/env"
	"latro/env/engine"
	"latro/mcts"
	"latro/nn"
)

// Evaluator answers a search's questions with a network: it encodes each leaf from the mover's side, runs
// the batch, and turns the answer back into absolute actions and player 0's value. What it says about a
// leaf does not depend on the other leaves of the batch. One goroutine at a time.
type Evaluator struct {
	encoder  *env.Encoder
	others   map[*engine.Game]*env.Encoder // of further games of the same shape
	instance *nn.Instance
	batch    int
	shape    nn.Shape
	material float32
	network  string

	view    engine.View
	obs     []float32
	globals []float32
	out     nn.Outputs
	movers  []int
	frames  []int32   // the legal plies of all leaves in the movers' frames
	legal   [][]int32 // those of each leaf
}

// ShapeOf is the shape of a network that plays the encoder's ruleset.
func ShapeOf(e *env.Encoder) nn.Shape {
	return nn.Shape{
		Rows: e.Rows(), Cols: e.Cols(),
		Planes:       len(e.Planes()),
		Globals:      len(e.Globals()),
		ActionPlanes: e.ActionPlanes(),
	}
}

// NewEvaluator builds an evaluator over shared compiled parameters. Batches above maxBatch leaves are
// evaluated in several runs. materialWeight in [0, 1) mixes the network's expectation of the final material
// into the value: 0 is the plain value.
func NewEvaluator(inf *nn.Inference, e *env.Encoder, maxBatch int, materialWeight float64) (*Evaluator, error) {
	if maxBatch < 1 {
		return nil, fmt.Errorf("batch of %d leaves: it must be at least 1", maxBatch)
	}
	if materialWeight < 0 || materialWeight >= 1 {
		return nil, fmt.Errorf("material weight %v: it must be in [0, 1)", materialWeight)
	}
	shape := ShapeOf(e)
	area := shape.Rows * shape.Cols
	return &Evaluator{
		encoder: e, instance: inf.NewInstance(maxBatch), batch: maxBatch, shape: shape,
		material: float32(materialWeight), network: inf.Hash() + " " + inf.KernelID(),
		obs:     make([]float32, maxBatch*shape.Planes*area),
		globals: make([]float32, maxBatch*shape.Globals),
		out: nn.Outputs{
			Policy:   make([]float32, maxBatch*shape.Actions()),
			WDL:      make([]float32, maxBatch*3),
			Material: make([]float32, maxBatch),
		},
		movers: make([]int, maxBatch),
	}, nil
}

// also lets the evaluator take positions of another game of the same shape, which it tells by their Game.
func (e *Evaluator) also(encoder *env.Encoder) {
	if e.others == nil {
		e.others = map[*engine.Game]*env.Encoder{}
	}
	e.others[encoder.Game()] = encoder
}

// Evaluate implements mcts.Evaluator. The leaves' states must be *engine.State of the encoder's ruleset.
func (e *Evaluator) Evaluate(leaves []mcts.Leaf) error {
	for len(leaves) > 0 {
		n := min(len(leaves), e.batch)
		if err := e.evaluate(leaves[:n]); err != nil {
			return err
		}
		leaves = leaves[n:]
	}
	return nil
}

func (e *Evaluator) evaluate(leaves []mcts.Leaf) error {
	area := e.shape.Rows * e.shape.Cols
	planes, globals, actions := e.shape.Planes*area, e.shape.Globals, e.shape.Actions()
	e.frames = e.frames[:0]
	for i := range leaves {
		s, err := stateOf(&leaves[i])
		if err != nil {
			return err
		}
		s.View(&e.view)
		e.movers[i] = s.ToMove()
		encoder := e.encoder
		if other, ok := e.others[s.Game()]; ok {
			encoder = other
		}
		encoder.Encode(&e.view, e.obs[i*planes:(i+1)*planes], e.globals[i*globals:(i+1)*globals])
		for _, a := range leaves[i].Legal {
			e.frames = append(e.frames, int32(encoder.ToFrame(e.movers[i], a)))
		}
	}
	e.legal = e.legal[:0]
	rest := e.frames
	for i := range leaves {
		k := len(leaves[i].Legal)
		e.legal, rest = append(e.legal, rest[:k]), rest[k:]
	}
	n := len(leaves)
	if err := e.instance.RunLegal(n, e.obs[:n*planes], e.globals[:n*globals], e.legal, &e.out); err != nil {
		return err
	}
	for i := range leaves {
		l := &leaves[i]
		policy := e.out.Policy[i*actions : (i+1)*actions]
		for k, a := range e.legal[i] {
			l.Logits[k] = policy[a]
		}
		v := expectation(e.out.WDL[i*3 : i*3+3])
		if e.material > 0 {
			v = float32((1-e.material)*v) + float32(e.material*e.out.Material[i])
		}
		if e.movers[i] == 1 {
			v = -v
		}
		l.Value = max(-1, min(1, v))
	}
	return nil
}

// stateOf is the engine's state of a leaf.
func stateOf(l *mcts.Leaf) (*engine.State, error) {
	s, ok := l.State.(*engine.State)
	if !ok {
		return nil, fmt.Errorf("a network evaluates positions of the engine, not %T", l.State)
	}
	return s, nil
}

// expectation turns the logits of win, draw and loss into P(win) - P(loss).
func expectation(wdl []float32) float32 {
	top := max(wdl[0], wdl[1], wdl[2])
	w := math.Exp(float64(wdl[0] - top))
	d := math.Exp(float64(wdl[1] - top))
	l := math.Exp(float64(wdl[2] - top))
	return float32((w - l) / (w + d + l))
}
