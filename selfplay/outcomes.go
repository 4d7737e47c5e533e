package selfplay

import (
	"fmt"
	"math"

	"latro/env/engine"
)

// Outcomes is what the network alone says of a position that is not over: the probabilities that the player to
// move wins, draws and loses. They sum to 1. It runs the network once, for this position; like Evaluate it is for
// one goroutine at a time. An answer that is not finite, which a network that diverged gives, is an error.
func (e *Evaluator) Outcomes(s *engine.State) (win, draw, loss float64, err error) {
	area := e.shape.Rows * e.shape.Cols
	planes, globals := e.shape.Planes*area, e.shape.Globals
	s.View(&e.view)
	e.encoder.Encode(&e.view, e.obs[:planes], e.globals[:globals])
	if err := e.instance.Run(1, e.obs[:planes], e.globals[:globals], &e.out); err != nil {
		return 0, 0, 0, err
	}
	var p [3]float64
	top, sum := float64(max(e.out.WDL[0], e.out.WDL[1], e.out.WDL[2])), 0.0
	for i := range p {
		p[i] = math.Exp(float64(e.out.WDL[i]) - top)
		sum += p[i]
	}
	if !(sum >= 1 && sum <= 3) {
		return 0, 0, 0, fmt.Errorf("the network's outcome logits %v are not finite; a network that diverged gives such values", e.out.WDL[:3])
	}
	return p[0] / sum, p[1] / sum, p[2] / sum, nil
}
