package analysis

import (
	"container/heap"
	"fmt"
	"time"

	"latro/mcts"
)

// worker is one thread: it carries some jobs side by side, in rounds.
type worker struct {
	server  *Server
	live    []*job
	players map[*binding]*player
	batch   []mcts.Leaf
}

// maxPlayers is the number of rulesets for which a thread keeps its network instance and trees.
const maxPlayers = 8

// work answers jobs until the server is closed and nothing waits.
func (s *Server) work() {
	w := &worker{server: s, players: map[*binding]*player{}}
	for {
		fresh, more := w.next()
		if !more {
			return
		}
		for _, j := range fresh {
			w.begin(j)
		}
		w.round()
	}
}

// next takes jobs out of the queue: at once what there is room for, and if the worker has nothing to do it waits.
// More is false at the end.
func (w *worker) next() (fresh []*job, more bool) {
	s := w.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.waiting) > 0 && w.hasRoom(len(fresh)) {
			j := s.waiting[0]
			if s.reserved > 0 && s.reserved+j.need > s.cfg.MemoryMB<<20 {
				break
			}
			heap.Pop(&s.waiting)
			s.running[j] = true
			s.reserved += j.need
			fresh = append(fresh, j)
		}
		if len(fresh) > 0 {
			s.changed.Broadcast() // for who waits for the queue to become shorter
		}
		switch {
		case len(fresh)+len(w.live) > 0:
			return fresh, true
		case s.closed && len(s.waiting) == 0:
			return nil, false
		}
		s.changed.Wait()
	}
}

// hasRoom says whether the worker may take one more job, with so many fresh ones: the jobs are shared out among the
// threads, and what gains nothing from company has the thread to itself.
func (w *worker) hasRoom(fresh int) bool {
	s := w.server
	have := len(w.live) + fresh
	if have == 0 {
		return true
	}
	if s.waiting[0].query.binding.search == nil {
		return false
	}
	threads := s.cfg.threads()
	share := (len(s.running) + len(s.waiting) + threads - 1) / threads
	return have < min(s.cfg.Batch, share)
}

// done takes a job off the books, gives its search back, and answers it. In this order, so that who has read an
// answer cannot meet the job any more.
func (w *worker) done(j *job, answer func() any) {
	s := w.server
	s.mu.Lock()
	delete(s.running, j)
	s.reserved -= j.need
	s.changed.Broadcast()
	s.mu.Unlock()
	a := answer()
	s.release(j) // before the answer is sent: the next ply of the game may be asked for at once
	s.out.send(j.number, a)
}

// playerFor is the worker's player for a binding.
func (w *worker) playerFor(b *binding) (*player, error) {
	if p, ok := w.players[b]; ok {
		return p, nil
	}
	p, err := b.build()
	if err != nil {
		return nil, err
	}
	if len(w.players) >= maxPlayers {
		used := map[*binding]bool{}
		for _, j := range w.live {
			used[j.query.binding] = true
		}
		for old := range w.players {
			if !used[old] {
				delete(w.players, old)
			}
		}
	}
	w.players[b] = p
	return p, nil
}

// begin starts a job, or answers it where there is nothing to search.
func (w *worker) begin(j *job) {
	s := w.server
	p, err := w.playerFor(j.query.binding)
	stopped := ""
	if err == nil {
		stopped, err = s.begin(j, p)
	}
	switch {
	case err != nil:
		w.done(j, func() any { return s.failed(j, err) })
	case stopped != "":
		w.done(j, func() any { return s.answer(j, j.found(), stopped) })
	default:
		w.live = append(w.live, j)
	}
}

// round moves every job on by one evaluation of its leaves, or some playouts, and answers those that are done.
func (w *worker) round() {
	var failed map[*job]error
	fail := func(j *job, err error) {
		if failed == nil {
			failed = map[*job]error{}
		}
		failed[j] = err
	}
	finished, decided := map[*job]string{}, map[*job]*found{}
	for at := 0; at < len(w.live); {
		// Jobs of one binding that stand side by side share calls of its evaluator.
		b := w.live[at].query.binding
		end := at + 1
		for end < len(w.live) && w.live[end].query.binding == b {
			end++
		}
		group := w.live[at:end]
		at = end
		if b.search == nil {
			for _, j := range group {
				if j.uct != nil {
					if stopped := j.stepUCT(); stopped != "" {
						finished[j] = stopped
					}
					continue
				}
				f, err := w.server.decide(j)
				if err != nil {
					fail(j, err)
					continue
				}
				finished[j], decided[j] = stoppedBy(j), f
			}
			continue
		}
		w.evaluate(group, finished, fail)
	}
	now := time.Now()
	live := w.live[:0]
	for _, j := range w.live {
		if err, bad := failed[j]; bad {
			w.done(j, func() any { return w.server.failed(j, err) })
			continue
		}
		stopped, over := finished[j]
		if !over {
			stopped = w.due(j, now)
		}
		if stopped != "" {
			f := decided[j]
			if f == nil {
				f = j.found()
			}
			w.done(j, func() any { return w.server.answer(j, f, stopped) })
		} else {
			if !j.nextReport.IsZero() && !now.Before(j.nextReport) {
				w.server.report(j)
				j.nextReport = now.Add(time.Duration(j.query.reportEvery * float64(time.Second)))
			}
			live = append(live, j)
		}
	}
	clear(w.live[len(live):])
	w.live = live
}

// stoppedBy is why an agent that is not searched step by step stopped: with two limits nothing tells which it was.
func stoppedBy(j *job) string {
	q := j.query
	given, which := 0, "agent"
	for _, b := range []struct {
		name string
		on   bool
	}{{stoppedSimulations, q.simulations > 0}, {stoppedNodes, q.nodes > 0}, {stoppedSeconds, q.seconds > 0}} {
		if b.on {
			given, which = given+1, b.name
		}
	}
	if given > 1 {
		return "agent"
	}
	return which
}

// due says whether a job ends before its budget is used, and why.
func (w *worker) due(j *job, now time.Time) string {
	switch j.stop.Load() {
	case terminate:
		return stoppedTerminated
	case interrupt:
		return stoppedInterrupted
	}
	switch {
	case !j.deadline.IsZero() && !now.Before(j.deadline):
		return stoppedSeconds
	case j.bytes() > max(2*j.need, min(smallestTree, w.server.cfg.MemoryMB<<20)):
		return stoppedMemory
	}
	return ""
}

// smallestTree is the size that no tree is stopped below, if there is that much memory at all.
const smallestTree = 64 << 20

// evaluate takes the leaves of the jobs' searches, asks about all in one call, and hands the answers back.
func (w *worker) evaluate(group []*job, finished map[*job]string, fail func(*job, error)) {
	w.batch = w.batch[:0]
	for _, j := range group {
		j.leaves = j.leaves[:0]
		for {
			l, ok := j.search.Next()
			if !ok {
				break
			}
			j.leaves = append(j.leaves, l)
			leaf := *l
			if x, ok := leaf.State.(*limited); ok {
				leaf.State = x.State // evaluators know the engine's states alone
			}
			w.batch = append(w.batch, leaf)
		}
		if j.search.Pending() == 0 {
			finished[j] = stoppedSimulations
			if j.search.Result().Proven {
				finished[j] = stoppedProven
			}
		}
	}
	if len(w.batch) == 0 {
		return
	}
	if err := group[0].player.evaluator.Evaluate(w.batch); err != nil {
		for _, j := range group {
			if len(j.leaves) > 0 {
				fail(j, fmt.Errorf("evaluation of %d leaves: %w", len(w.batch), err))
			}
		}
		return
	}
	i := 0
	for _, j := range group {
		for _, l := range j.leaves {
			l.Value = w.batch[i].Value
			i++
		}
		if len(j.leaves) == 0 {
			continue
		}
		if err := j.search.Apply(); err != nil {
			fail(j, err)
		}
	}
	clear(w.batch)
}

// report answers on the way.
func (s *Server) report(j *job) {
	if s.cfg.Mode == Analyse {
		if f := j.found(); f != nil && f.result.HasValue {
			s.out.send(j.number, j.query.describe(j.state, j.ply, f, true, ""))
		}
	}
}
