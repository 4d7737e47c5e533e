package analysis

import (
	"container/heap"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
)

// Why a search ended, as answers tell it.
const (
	stoppedSimulations = "simulations"
	stoppedNodes       = "nodes"
	stoppedSeconds     = "seconds"
	stoppedProven      = "proven"
	stoppedForced      = "forced"
	stoppedMemory      = "memory"
	stoppedTerminated  = "terminated"
	stoppedInterrupted = "interrupted"
)

// Orders to a job.
const (
	goOn int32 = iota
	terminate
	interrupt
)

// job is one position of a query.
type job struct {
	query  *query
	ply    int // how many of the query's plies lead to it
	number int // of the line in the outbox
	order  uint64
	index  int // in the queue, -1 outside
	need   int // estimated bytes of its tree
	stop   atomic.Int32

	// What follows belongs to the thread that searches.
	player      *player
	state       *engine.State // the position asked about
	root        *engine.State // the one that is searched, behind prefix
	prefix      []engine.Action
	search      *mcts.Search
	leaves      []*mcts.Leaf
	uct         *mcts.UCTSearch
	simulations int
	deadline    time.Time
	nextReport  time.Time
	network     *networkAnswer
}

// estimate is about what the tree of a position takes at most: nodes and plies as mcts counts them.
func (j *job) estimate(legal, limit int, maxSimulations int) int {
	q := j.query
	n := q.simulations
	switch {
	case n > 0:
	case q.seconds > 0:
		n = int(min(float64(maxSimulations), math.Ceil(q.seconds*q.binding.rate())))
	default:
		n = q.binding.simulations
	}
	edges := max(legal, q.binding.game.Squares())
	return max(1, min(limit, n*(48+29*edges)))
}

// rate is more simulations a second than the agent makes on any machine known to us.
func (b *binding) rate() float64 {
	switch {
	case b.network != "":
		return 50_000
	case b.search != nil && b.spec.Kind == "uniform":
		return 1e6
	}
	return 200_000
}

// maxForced is the longest run of forced plies that an analysis looks behind.
const maxForced = 64

// begin prepares a job's search. It returns why there is nothing to search, "" if there is.
func (s *Server) begin(j *job, p *player) (stopped string, err error) {
	q, mode := j.query, s.cfg.Mode
	j.player = p
	j.state = q.stateAt(j.ply)
	if j.state.Over() {
		return "over", nil
	}
	if q.seconds > 0 {
		// A player's clock runs from the moment of the question; an analysis may have to wait for its turn.
		from := time.Now()
		if mode == Play {
			from = q.received
		}
		j.deadline = from.Add(time.Duration(q.seconds * float64(time.Second)))
	}
	if q.reportEvery > 0 {
		j.nextReport = time.Now().Add(time.Duration(q.reportEvery * float64(time.Second)))
	}
	j.root = j.state
	legal := q.limits.keep(j.root, 0, j.root.Legal(nil))
	if len(legal) == 1 {
		if mode == Play {
			j.prefix = legal
			return stoppedForced, nil
		}
		j.root = j.state.Clone()
		for len(legal) == 1 && len(j.prefix) < maxForced {
			j.prefix = append(j.prefix, legal[0])
			j.root.Play(legal[0])
			legal = q.limits.keep(j.root, len(j.prefix), j.root.Legal(legal[:0]))
		}
		if len(legal) <= 1 {
			return stoppedForced, nil
		}
	}
	rng := seed.New(q.seed, seed.Play, uint64(j.state.ToMove()), uint64(j.state.Ply()))
	b := q.binding
	j.simulations = b.simulations
	if q.seconds > 0 {
		j.simulations = s.cfg.MaxSimulations
	}
	if q.simulations > 0 {
		j.simulations = q.simulations
	}
	switch {
	case b.uct:
		j.uct, err = p.uct.StartAmong(j.root, legal, rng)
		return "", err
	case b.search == nil:
		return "", nil
	}
	cfg := *b.search
	if q.seconds > 0 {
		cfg = *b.timed
	}
	cfg.Simulations = j.simulations
	// A tree with plies left out would be wrong for the next question.
	cfg.ReuseTree = cfg.ReuseTree && q.game != "" && q.limits == nil
	if cfg.ReuseTree {
		if j.search = s.takeGame(j); j.search != nil {
			err = j.search.Configure(cfg)
		}
	}
	if j.search == nil {
		j.search, err = p.search(cfg)
	}
	if err != nil {
		return "", err
	}
	states := make([]mcts.State, cfg.Leaves)
	for i := range states {
		st := j.root
		if i > 0 {
			st = j.root.Clone()
		}
		states[i] = st
		if q.limits != nil {
			states[i] = &limited{st, q.limits, len(j.prefix)}
		}
	}
	if err := j.search.BeginParallel(states, rng); err != nil {
		return "", err
	}
	if p.outcomes != nil && mode == Analyse {
		w, d, l, err := p.outcomes.Outcomes(j.root)
		if err != nil {
			return "", err
		}
		if j.root.ToMove() != j.state.ToMove() {
			w, l = l, w
		}
		j.network = &networkAnswer{Value: round(w - l), Win: round(w), Draw: round(d), Loss: round(l)}
	}
	return "", nil
}

// uctStep is the number of playouts between two looks at the clock.
const uctStep = 16

// stepUCT makes some playouts and says whether the search is at its end, and why.
func (j *job) stepUCT() (stopped string) {
	done := j.uct.Result().Simulations
	switch {
	case !j.uct.Step(min(uctStep, j.simulations-done)):
		return stoppedProven
	case done+uctStep >= j.simulations:
		return stoppedSimulations
	}
	return ""
}

// found is what the search knows now.
func (j *job) found() *found {
	f := &found{low: -1, high: 1, prefix: j.prefix}
	switch {
	case j.root == nil:
		return nil
	case j.search != nil:
		f.result = j.search.Result()
		f.low, f.high = j.search.Bounds()
		f.variation, f.branches = j.search.Variation, j.search.Branches
		f.hasVisits = true
	case j.uct != nil:
		f.result = j.uct.Result()
		f.low, f.high = j.uct.Bounds()
		f.variation, f.branches = j.uct.Variation, j.uct.Branches
		f.hasVisits = true
	case len(j.prefix) > 0:
		// Forced to the end of what was looked at.
		f.result = mcts.Result{Action: j.prefix[0], Forced: true}
		if v0, proven := j.root.Value(); proven && j.root.Over() {
			f.result.Value, f.result.HasValue, f.result.Proven = v0, true, true
			f.low, f.high = v0, v0
		}
	default:
		return nil
	}
	f.network = j.network
	return f
}

// bytes is what the job's tree takes.
func (j *job) bytes() int {
	switch {
	case j.search != nil:
		return j.search.Bytes()
	case j.uct != nil:
		return j.uct.Bytes()
	}
	return 0
}

// release gives the job's search back, or keeps it for the game.
func (s *Server) release(j *job) {
	if j.search != nil {
		j.search.Cancel()
		if j.search.Config().ReuseTree {
			s.keepGame(j)
		} else {
			j.player.giveBack(j.search)
		}
		j.search = nil
	}
	if j.uct != nil && j.uct.Bytes() > largestKept {
		// The agent would keep the memory of its largest tree.
		if fresh, err := mcts.NewUCT(j.player.uct.Config()); err == nil {
			j.player.uct = fresh
		}
	}
	j.uct = nil
}

// decide lets an agent choose that cannot be asked step by step.
func (s *Server) decide(j *job) (*found, error) {
	q := j.query
	seconds := q.seconds
	if seconds > 0 && s.cfg.Mode == Play {
		seconds = max(0.001, seconds-time.Since(q.received).Seconds()) // a player's clock runs already
	}
	agent, err := s.agentFor(q.binding, q.simulations, q.nodes, seconds)
	if err != nil {
		return nil, err
	}
	d, err := agent.Choose(j.root, seed.New(q.seed, seed.Play, uint64(j.state.ToMove()), uint64(j.state.Ply())))
	if err != nil {
		return nil, err
	}
	f := &found{low: -1, high: 1, prefix: j.prefix, result: mcts.Result{
		Action: d.Action, Value: d.Value, HasValue: d.HasValue, Proven: d.Proven, Simulations: d.Simulations,
	}}
	if d.Proven {
		f.low, f.high = d.Value, d.Value
	}
	if !j.root.IsLegal(d.Action) {
		return nil, errors.New("the agent chose a ply that is not legal")
	}
	return f, nil
}

// queue holds the jobs that wait: the highest priority first, then the earliest.
type queue []*job

var _ heap.Interface = (*queue)(nil)

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].query.priority != q[j].query.priority {
		return q[i].query.priority > q[j].query.priority
	}
	return q[i].order < q[j].order
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	j := x.(*job)
	j.index = len(*q)
	*q = append(*q, j)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	j := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	j.index = -1
	return j
}
