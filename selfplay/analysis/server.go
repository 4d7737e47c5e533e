package analysis

import (
	"bufio"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"latro/env/engine"
	"latro/mcts"
	"latro/selfplay"
)

// Server answers queries. It may serve one stream after the other, not two at once.
type Server struct {
	cfg      Config
	spec     mcts.Spec
	agents   selfplay.Agents
	cache    *cache
	bindings bindings
	bound    uint64

	mu       sync.Mutex
	changed  *sync.Cond // signalled when something below changes
	waiting  queue
	running  map[*job]bool
	reserved int // bytes, by the estimates of running jobs
	games    games
	closed   bool
	order    uint64
	out      *outbox
}

// New checks the configuration and makes the agent, if there is a ruleset to make it for. Errors wrap ErrConfig, or
// what rules.Open, mcts.ParseSpec and selfplay.Agents return.
func New(cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	spec, err := mcts.ParseSpec(cfg.Agent)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", selfplay.ErrInput, err)
	}
	s := &Server{cfg: cfg, spec: spec, cache: newCache(cfg.CacheMB << 20)}
	s.changed = sync.NewCond(&s.mu)
	s.bindings = bindings{server: s, byKey: map[string]*binding{}}
	if cfg.Ruleset != "" {
		_, err = s.bindings.get(cfg.Ruleset, cfg.Set)
	} else if spec.Kind != "net" {
		// Nothing else is a matter of the ruleset, so mistakes show on any.
		_, err = s.bind("bell-8x7", nil)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Serve answers the queries of in on out until in ends and all is answered, and returns nil. When ctx is done it
// ends every search, answers with what was found so far, and returns the context's error. A failure to read or to
// write ends it too. It does not wait for a Read of in that never returns.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	s.closed, s.running, s.waiting, s.reserved, s.games = false, map[*job]bool{}, nil, 0, games{}
	s.out = &outbox{w: out, ordered: s.cfg.Mode == Play, held: map[int][]byte{}, failed: func(err error) { cancel(err) }}
	s.mu.Unlock()
	var threads sync.WaitGroup
	for range s.cfg.threads() {
		threads.Go(func() { s.work() })
	}
	lines := readLines(ctx, in)
	var err error
	for n := 0; ; n++ {
		l, ok := input{}, false
		select {
		case l, ok = <-lines:
		case <-ctx.Done():
		}
		if !ok {
			break
		}
		if l.err != nil {
			err = l.err
			break
		}
		s.take(ctx, n, l)
	}
	if ctx.Err() != nil {
		s.interrupt()
	}
	stop := context.AfterFunc(ctx, s.interrupt)
	s.mu.Lock()
	s.closed = true
	s.changed.Broadcast()
	s.mu.Unlock()
	threads.Wait()
	stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// input is a line, without its end.
type input struct {
	text    []byte
	number  int // from 1
	tooLong bool
	err     error
	at      time.Time
}

// readLines reads lines from another goroutine, so that nothing has to wait for one. Empty lines are left out,
// and of a line that is too long only that it was there is kept. The channel is closed at the end of the input.
func readLines(ctx context.Context, r io.Reader) <-chan input {
	out := make(chan input)
	send := func(l input) bool {
		select {
		case out <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(out)
		b := bufio.NewReaderSize(r, 1<<16)
		for number := 1; ; number++ {
			l := input{number: number}
			var err error
			for {
				var part []byte
				part, err = b.ReadSlice('\n')
				if l.tooLong = l.tooLong || len(l.text)+len(part) > MaxLine+1; l.tooLong {
					l.text = nil
				} else {
					l.text = append(l.text, part...)
				}
				if !errors.Is(err, bufio.ErrBufferFull) {
					break
				}
			}
			l.at = time.Now()
			blank := !l.tooLong && len(trim(l.text)) == 0
			if !blank && !send(l) {
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					send(input{err: fmt.Errorf("cannot read the queries: %w", err)})
				}
				return
			}
		}
	}()
	return out
}

// trim takes white space off both ends of a line.
func trim(b []byte) []byte {
	space := func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
	for len(b) > 0 && space(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && space(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// take does what a line says; n is its number among the lines that get answers, from 0.
func (s *Server) take(ctx context.Context, n int, l input) {
	if l.tooLong {
		s.out.send(n, &errorAnswer{Error: fmt.Sprintf("the line is longer than %d bytes", MaxLine), Line: l.number})
		return
	}
	q, err := s.parse(trim(l.text), l.number, l.at)
	if err != nil {
		a := &errorAnswer{ID: q.idOf(), Error: err.Error(), Line: l.number}
		var qe *queryError
		if errors.As(err, &qe) {
			a.Error, a.Field = qe.Message, qe.Field
		}
		s.out.send(n, a)
		return
	}
	switch q.action {
	case actionTerminate, actionTerminateAll:
		s.terminate(q, n)
	case actionPosition:
		s.out.send(n, q.board(q.stateAt(len(q.plies))))
	case actionVersion:
		s.out.send(n, s.version(q))
	case actionClearCache:
		if s.cache != nil {
			s.cache.clear()
		}
		s.out.send(n, &actionAnswer{ID: q.idOf(), Action: q.action})
	default:
		s.enqueue(ctx, q, n)
	}
}

// enqueue puts a query's positions into the queue, and waits while that is too long.
func (s *Server) enqueue(ctx context.Context, q *query, n int) {
	wake := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		s.changed.Broadcast()
		s.mu.Unlock()
	})
	defer wake()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range q.turns {
		j := &job{query: q, ply: t, number: n, order: s.order}
		j.need = j.estimate(q.legal[i], s.cfg.MemoryMB<<20, s.cfg.MaxSimulations)
		s.order++
		heap.Push(&s.waiting, j)
	}
	s.changed.Broadcast()
	for len(s.waiting) > MaxWaiting && ctx.Err() == nil {
		s.changed.Wait()
	}
}

// terminate ends the jobs that a query names: those that wait are answered at once, those under search
// as soon as their thread looks up.
func (s *Server) terminate(q *query, n int) {
	hit := func(j *job) bool {
		return (q.action == actionTerminateAll || j.query.hasID && j.query.id == q.terminateID) &&
			(q.turns == nil || slices.Contains(q.turns, j.ply))
	}
	ended, count := s.end(hit, terminate)
	a := &actionAnswer{ID: q.idOf(), Action: q.action, Terminated: &count}
	if q.action == actionTerminate {
		a.TerminateID = &q.terminateID
	}
	s.out.send(n, a)
	for _, j := range ended {
		s.out.send(j.number, s.answer(j, nil, stoppedTerminated))
	}
}

// interrupt ends all jobs.
func (s *Server) interrupt() {
	ended, _ := s.end(func(*job) bool { return true }, interrupt)
	for _, j := range ended {
		s.out.send(j.number, s.answer(j, nil, stoppedInterrupted))
	}
}

// end takes the jobs that are hit out of the queue and tells those under search to stop. It returns the former, and
// the number of both.
func (s *Server) end(hit func(*job) bool, how int32) (ended []*job, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range slices.Clone(s.waiting) {
		if hit(j) {
			heap.Remove(&s.waiting, j.index)
			ended = append(ended, j)
			count++
		}
	}
	for j := range s.running {
		if hit(j) && j.stop.CompareAndSwap(goOn, how) {
			count++
		}
	}
	slices.SortFunc(ended, func(x, y *job) int { return int(x.order) - int(y.order) })
	s.changed.Broadcast()
	return ended, count
}

func (s *Server) version(q *query) *versionAnswer {
	a := &versionAnswer{
		ID: q.idOf(), Action: q.action, Protocol: Protocol, Version: s.cfg.Version, Engine: engine.Version, Mode: s.cfg.Mode,
		Notation: s.cfg.Notation, Agent: s.spec.String(), Threads: s.cfg.threads(),
	}
	if s.cfg.Ruleset != "" {
		if b, err := s.bindings.get(s.cfg.Ruleset, s.cfg.Set); err == nil {
			a.Ruleset, a.Network = b.rules.Ref(), b.network
		}
	}
	return a
}

// answer is the last answer to a job. f is nil if nothing was found.
func (s *Server) answer(j *job, f *found, stopped string) any {
	st := j.state
	if st == nil {
		st = j.query.stateAt(j.ply)
	}
	if s.cfg.Mode == Play {
		return j.query.choose(st, j.ply, f, stopped)
	}
	return j.query.describe(st, j.ply, f, false, stopped)
}

// failed is the answer to a job that an error ended.
func (s *Server) failed(j *job, err error) any {
	a := &errorAnswer{ID: j.query.idOf(), Error: err.Error(), Line: j.query.line, Ply: &j.ply}
	var qe *queryError
	if errors.As(err, &qe) {
		a.Error, a.Field = qe.Message, qe.Field
	}
	return a
}
