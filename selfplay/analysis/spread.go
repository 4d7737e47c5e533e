package analysis

import (
	"errors"
	"sync"

	"latro/mcts"
)

// spread shares the leaves of a call out among several evaluators that say the same of a leaf, and runs them at once.
type spread []mcts.Evaluator

// leastShare is the number of leaves below which another goroutine costs more than it gains.
const leastShare = 4

// Evaluate implements mcts.Evaluator.
func (x *spread) Evaluate(leaves []mcts.Leaf) error {
	evs := *x
	k := min(len(evs), len(leaves)/leastShare)
	if k < 2 {
		return evs[0].Evaluate(leaves)
	}
	errs := make([]error, k)
	var wg sync.WaitGroup
	for i := range k {
		part := leaves[i*len(leaves)/k : (i+1)*len(leaves)/k]
		if i == k-1 {
			errs[i] = evs[i].Evaluate(part) // this goroutine has a share too
			break
		}
		wg.Go(func() { errs[i] = evs[i].Evaluate(part) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
