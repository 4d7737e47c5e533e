package mcts

import "fmt"

// Runner drives many searches over one evaluator and keeps its batch between runs, so that running
// allocates nothing in steady state. The zero value is ready. Not for concurrent use.
type Runner struct {
	batch  []Leaf
	leaves []*Leaf
	live   []*Search
	// MaxBatch is the largest number of leaves in one call of the evaluator; 0 means no limit.
	MaxBatch int
}

// RunAll drives searches that were begun to their end: in each round it takes what leaves every
// search has, evaluates them in one call, and applies them. Searches that are done drop out. On an error all
// leaves are cancelled, so that every State is back where it was, and the searches are not finished.
func RunAll(searches []*Search, ev Evaluator) error {
	var r Runner
	return r.Run(searches, ev)
}

// Run is RunAll with the runner's memory.
func (r *Runner) Run(searches []*Search, ev Evaluator) error {
	return r.run(searches, ev, nil)
}

// run is Run, ended after the round in which the watch is out. No leaf is under evaluation then, so that the
// searches can say what they found.
func (r *Runner) run(searches []*Search, ev Evaluator, watch *stopwatch) error {
	r.live = append(r.live[:0], searches...)
	for len(r.live) > 0 {
		r.leaves, r.batch = r.leaves[:0], r.batch[:0]
		live := r.live[:0]
		for _, s := range r.live {
			for {
				l, ok := s.Next()
				if !ok {
					break
				}
				r.leaves = append(r.leaves, l)
				r.batch = append(r.batch, *l)
			}
			if s.Pending() > 0 {
				live = append(live, s)
			}
		}
		r.live = live
		if len(r.batch) == 0 {
			break
		}
		if err := r.evaluate(ev); err != nil {
			for _, s := range r.live {
				s.Cancel()
			}
			return err
		}
		for i, l := range r.leaves {
			l.Value = r.batch[i].Value
		}
		for i, s := range r.live {
			if err := s.Apply(); err != nil {
				for _, rest := range r.live[i+1:] {
					rest.Cancel()
				}
				return err
			}
		}
		if watch != nil && watch.out() {
			break
		}
	}
	// Keep no State alive that the caller is done with.
	clear(r.batch[:cap(r.batch)])
	clear(r.leaves[:cap(r.leaves)])
	clear(r.live[:cap(r.live)])
	return nil
}

func (r *Runner) evaluate(ev Evaluator) error {
	size := r.MaxBatch
	if size <= 0 {
		size = len(r.batch)
	}
	for lo := 0; lo < len(r.batch); lo += size {
		hi := min(lo+size, len(r.batch))
		if err := ev.Evaluate(r.batch[lo:hi]); err != nil {
			return fmt.Errorf("mcts: evaluation of %d leaves: %w", hi-lo, err)
		}
	}
	return nil
}
