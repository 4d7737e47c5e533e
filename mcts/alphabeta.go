package mcts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"latro/env/engine"
)

// AlphaBetaConfig says how the alpha-beta agent searches. Take DefaultAlphaBeta and change what you need. At least one of
// Nodes, Seconds and Depth must be set; what comes first ends the search.
type AlphaBetaConfig struct {
	// Nodes is the number of plies that a choice may make in its search, 0 for no limit, at most MaxNodes. The search
	// stops exactly there.
	Nodes int
	// Seconds is the time of a choice by Clock, 0 for no limit, at most 86400. Choices are then not reproducible.
	Seconds float64
	// Clock is what Seconds are counted in; "" is CPUClock.
	Clock Clock
	// Depth is the number of plies looked ahead before captures are followed, 0 for no limit, at most MaxDepth.
	Depth int
	// MB is the size of the transposition table in MiB, 0 for none, at most 4096. It takes no more than Nodes can fill.
	MB int
	// Quiescence follows captures beyond the depth.
	Quiescence bool
	// Reductions looks less far at plies that the ordering puts late, and as far as at others if they turn out well.
	Reductions bool
	// Weights are those of the evaluation, nil for DefaultWeights. File is where they come from, as the agent's name has it.
	Weights *Weights
	File    string
}

// Limits of AlphaBetaConfig.
const (
	MaxNodes = math.MaxInt32
	MaxDepth = 100
)

// Bounds of a line from the root.
const (
	maxQuiescence = 10
	maxLine       = MaxDepth + maxQuiescence
)

// DefaultAlphaBeta is the alpha-beta search used as an opponent.
func DefaultAlphaBeta(nodes int) AlphaBetaConfig {
	return AlphaBetaConfig{Nodes: nodes, MB: 16, Quiescence: true, Reductions: true}
}

// Validate returns nil or an error that wraps ErrConfig and names every field out of range.
func (c AlphaBetaConfig) Validate() error {
	var problems []error
	within := func(name string, v, lo, hi float64) {
		if math.IsNaN(v) || v < lo || v > hi {
			problems = append(problems, fmt.Errorf("%w: %s is %v; it must be in %v..%v", ErrConfig, name, v, lo, hi))
		}
	}
	within("Nodes", float64(c.Nodes), 0, MaxNodes)
	within("Seconds", c.Seconds, 0, 86400)
	within("Depth", float64(c.Depth), 0, MaxDepth)
	within("MB", float64(c.MB), 0, 4096)
	if err := c.Clock.validate(); err != nil {
		problems = append(problems, err)
	}
	if c.Nodes == 0 && c.Seconds == 0 && c.Depth == 0 {
		problems = append(problems, fmt.Errorf("%w: nothing ends the search; set Nodes, Seconds or Depth", ErrConfig))
	}
	return errors.Join(problems...)
}

// AlphaBeta looks ahead by iterative deepening: principal variation search with aspiration windows (Marsland and Campbell
// 1982), a transposition table, plies ordered by the table, captures, killers and history (Schaeffer 1989), quiescence
// search on captures, late plies reduced, and at the leaves an Evaluation. A player may make several plies in a row: a
// score is turned only where the player to move changes. Among plies of the same score one is chosen by the
// random stream, through the order in which the root tries them. Not for concurrent use.
type AlphaBeta struct {
	cfg   AlphaBetaConfig
	table transpositions
	game  *engine.Game
	lore  lore

	s       State
	nodes   int
	watch   stopwatch
	stopped bool
	// estimates counts the scores used that do not rest on results alone: an unchanged count says that the search below a
	// position was exhaustive.
	estimates int

	history [2][]int32
	killers [maxLine + 2][2]engine.Action
	lists   [maxLine + 2]plyList
	rootSet []rootPly
	legal   []engine.Action
}

// rootPly is a ply at the root with the score of the last iteration that finished it.
type rootPly struct {
	action engine.Action
	score  int32
	whole  bool
}

// plyList is the legal plies of a position with what orders them.
type plyList struct {
	actions []engine.Action
	order   []int32
}

// Scores are for the player to move, in thousandths of a logit; results are far beyond any estimate, and the sooner the
// better.
const (
	scoreWin   = 10_000_000
	provenFrom = scoreWin - 100_000
	scoreInf   = 2 * scoreWin
)

// isProven says whether a score is a result that is certain, a win or a loss.
func isProven(score int32) bool { return score >= provenFrom || score <= -provenFrom }

// NewAlphaBeta returns an alpha-beta agent or an error that wraps ErrConfig. It prepares itself for a game when it first
// sees one.
func NewAlphaBeta(cfg AlphaBetaConfig) (*AlphaBeta, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &AlphaBeta{cfg: cfg}, nil
}

// Name implements Agent: options that have their default are left out.
func (a *AlphaBeta) Name() string {
	d := DefaultAlphaBeta(0)
	s := Spec{Kind: "alphabeta", Options: map[string]string{}}
	if a.cfg.Nodes != 0 {
		s.Options["nodes"] = strconv.Itoa(a.cfg.Nodes)
	}
	if a.cfg.Seconds != 0 {
		s.Options["seconds"] = strconv.FormatFloat(a.cfg.Seconds, 'g', -1, 64)
	}
	if a.cfg.Clock == WallClock {
		s.Options["clock"] = string(WallClock)
	}
	if a.cfg.Depth != 0 {
		s.Options["depth"] = strconv.Itoa(a.cfg.Depth)
	}
	if a.cfg.MB != d.MB {
		s.Options["mb"] = strconv.Itoa(a.cfg.MB)
	}
	if a.cfg.Quiescence != d.Quiescence {
		s.Options["quiescence"] = strconv.FormatBool(a.cfg.Quiescence)
	}
	if a.cfg.Reductions != d.Reductions {
		s.Options["reductions"] = strconv.FormatBool(a.cfg.Reductions)
	}
	if a.cfg.File != "" {
		s.Options["weights"] = a.cfg.File
	}
	return s.String()
}

// Reproducible is false if a clock ends the search.
func (a *AlphaBeta) Reproducible() bool { return a.cfg.Seconds == 0 }

// Choose implements Agent. Decision.Simulations is the number of nodes, that is of plies made. Decision.Proven needs a win
// or a loss within sight, or a game small enough to be searched to the end of every line.
func (a *AlphaBeta) Choose(s *engine.State, rng *rand.Rand) (Decision, error) {
	if a.game != s.Game() {
		a.game = s.Game()
		a.lore = newGameLore(a.game, a.cfg.Weights)
		for i := range a.history {
			a.history[i] = make([]int32, a.game.NumActions())
		}
	}
	return a.choose(s, rng)
}

// choose searches any State whose actions the history tables hold.
func (a *AlphaBeta) choose(s State, rng *rand.Rand) (Decision, error) {
	a.legal = s.Legal(a.legal[:0])
	switch len(a.legal) {
	case 0:
		return Decision{}, ErrOver
	case 1:
		return Decision{Action: a.legal[0], Forced: true}, nil
	}
	a.watch.start(a.cfg.Clock, a.cfg.Seconds)
	defer a.watch.stop()
	a.begin(s, rng)
	best := a.deepen()
	mover := uint8(s.ToMove())
	d := Decision{Action: best.action, HasValue: true, Simulations: a.nodes}
	switch {
	case best.score >= provenFrom:
		d.Value, d.Proven = view(1.0, mover), true
	case best.score <= -provenFrom:
		d.Value, d.Proven = view(-1.0, mover), true
	case best.whole:
		d.Value, d.Proven = 0, true
	default:
		d.Value = view(valueOf(best.score), mover)
	}
	return d, nil
}

func (a *AlphaBeta) begin(s State, rng *rand.Rand) {
	a.s = s
	a.nodes, a.stopped, a.estimates = 0, false, 0
	if a.cfg.MB > 0 {
		want := math.MaxInt
		if a.cfg.Nodes > 0 {
			want = a.cfg.Nodes / 2
		}
		a.table.begin(a.cfg.MB, want)
	}
	for i := range a.history {
		clear(a.history[i])
	}
	for i := range a.killers {
		a.killers[i] = [2]engine.Action{engine.NoAction, engine.NoAction}
	}
	a.lore.begin(s)
	mover := uint8(s.ToMove())
	a.rootSet = a.rootSet[:0]
	for _, x := range a.legal {
		a.rootSet = append(a.rootSet, rootPly{action: x, score: int32(a.lore.takes(x, mover))})
	}
	rng.Shuffle(len(a.rootSet), func(i, j int) { a.rootSet[i], a.rootSet[j] = a.rootSet[j], a.rootSet[i] })
	a.sortRoot()
}

// sortRoot puts the plies with the higher scores first and keeps the order of equals.
func (a *AlphaBeta) sortRoot() {
	r := a.rootSet
	for i := 1; i < len(r); i++ {
		x := r[i]
		j := i
		for ; j > 0 && r[j-1].score < x.score; j-- {
			r[j] = r[j-1]
		}
		r[j] = x
	}
}

// aspiration is half the first window around the score of the last iteration.
const aspiration = 250

// deepen searches one ply deeper at a time until a limit, a proof or the end of the game on every line.
func (a *AlphaBeta) deepen() rootPly {
	best := a.rootSet[0]
	best.score = 0
	last := MaxDepth
	if a.cfg.Depth > 0 {
		last = a.cfg.Depth
	}
	for depth := 1; depth <= last; depth++ {
		a.lore.deepen(depth)
		before := a.estimates
		alpha, beta := int32(-scoreInf), int32(scoreInf)
		if depth > 3 {
			alpha, beta = best.score-aspiration, best.score+aspiration
		}
		for {
			found, score := a.root(depth, alpha, beta)
			if found.action != engine.NoAction {
				best = found
			}
			if a.stopped {
				return best
			}
			if score <= alpha && alpha > -scoreInf {
				alpha = -scoreInf
				continue
			}
			if score >= beta && beta < scoreInf {
				beta = scoreInf
				continue
			}
			break
		}
		best.whole = a.estimates == before
		if best.whole || isProven(best.score) {
			return best
		}
	}
	return best
}

// root searches every ply of the root and returns the best that raised alpha, or NoAction, and the score. When the search
// is stopped, plies that were finished count.
func (a *AlphaBeta) root(depth int, alpha, beta int32) (best rootPly, score int32) {
	mover := uint8(a.s.ToMove())
	best.action = engine.NoAction
	score = -scoreInf
	at := 0
	for i := range a.rootSet {
		r := &a.rootSet[i]
		a.play(r.action, mover)
		var v int32
		if i == 0 {
			v = a.child(mover, depth-1, alpha, beta, 1)
		} else {
			v = a.child(mover, depth-1, alpha, alpha+1, 1)
			if v > alpha && v < beta && !a.stopped {
				v = a.child(mover, depth-1, alpha, beta, 1)
			}
		}
		a.undo()
		if a.stopped {
			break
		}
		if v > score {
			score = v
			if v > alpha {
				best = rootPly{action: r.action, score: v}
				at = i
				alpha = v
			}
		}
		if v >= beta {
			break
		}
	}
	// The best goes to the front; the others keep the order that earlier iterations gave them.
	if best.action != engine.NoAction {
		x := a.rootSet[at]
		copy(a.rootSet[1:at+1], a.rootSet[:at])
		a.rootSet[0] = x
	}
	return best, score
}

func (a *AlphaBeta) play(x engine.Action, mover uint8) {
	a.s.Play(x)
	a.lore.played(x, mover)
	a.nodes++
	if a.cfg.Nodes > 0 && a.nodes >= a.cfg.Nodes {
		a.stopped = true
	}
	if a.nodes&255 == 0 && a.watch.out() {
		a.stopped = true
	}
}

func (a *AlphaBeta) undo() {
	a.s.Undo()
	a.lore.undone()
}

// child is the score, for mover, of the position after his ply.
func (a *AlphaBeta) child(mover uint8, depth int, alpha, beta int32, line int) int32 {
	if uint8(a.s.ToMove()) == mover {
		return a.search(depth, alpha, beta, line)
	}
	return -a.search(depth, -beta, -alpha, line)
}

// turned is a score for player 0 in the view of mover, or back.
func turned(score int32, mover uint8) int32 {
	if mover != 0 {
		return -score
	}
	return score
}

// guess is the estimate of the position for the player to move.
func (a *AlphaBeta) guess() int32 {
	a.estimates++
	return turned(a.lore.estimate(), uint8(a.s.ToMove()))
}

// finished is the score of a game that is over, for the player whom ToMove gives. A game that was stopped by a turn
// limit has no result and is estimated.
func (a *AlphaBeta) finished(line int) int32 {
	v0, proven := a.s.Value()
	if !proven {
		return a.guess()
	}
	return turned(int32(v0)*int32(scoreWin-line), uint8(a.s.ToMove()))
}

// search is the score of the position for the player to move, at least beta or at most alpha if it is outside the
// window. line is the number of plies from the root.
func (a *AlphaBeta) search(depth int, alpha, beta int32, line int) int32 {
	if a.stopped {
		return 0
	}
	if a.s.Over() {
		return a.finished(line)
	}
	if depth <= 0 || line >= MaxDepth {
		if !a.cfg.Quiescence {
			return a.guess()
		}
		return a.quiesce(alpha, beta, line, 0)
	}
	mover := uint8(a.s.ToMove())
	var key uint64
	var context uint32
	hint := engine.NoAction
	if a.cfg.MB > 0 {
		key, context = a.lore.key(), a.lore.context()
		if e := a.table.find(key, context); e != nil {
			hint = e.action
			if e.context == context {
				score := e.score
				known := int(e.depth) >= depth
				switch {
				case score >= provenFrom:
					score -= int32(line)
					known = known || e.bound != boundUpper
				case score <= -provenFrom:
					score += int32(line)
					known = known || e.bound != boundLower
				}
				if known && (e.bound == boundExact || e.bound == boundLower && score >= beta || e.bound == boundUpper && score <= alpha) {
					if !e.whole && !isProven(score) {
						a.estimates++
					}
					return score
				}
			}
		}
	}

	before := a.estimates
	list := &a.lists[line]
	a.list(list, mover, hint, line)
	best, bestAction := int32(-scoreInf), engine.NoAction
	floor := alpha
	for i := range list.actions {
		x, order := list.next(i)
		a.play(x, mover)
		var v int32
		switch {
		case i == 0:
			v = a.child(mover, depth-1, alpha, beta, line+1)
		default:
			less := 0
			if a.cfg.Reductions && order < orderKiller && depth >= 3 && i >= 4 {
				less = 1
				if i >= 12 && depth >= 5 {
					less = 2
				}
			}
			v = a.child(mover, depth-1-less, alpha, alpha+1, line+1)
			if less > 0 && v > alpha && !a.stopped {
				v = a.child(mover, depth-1, alpha, alpha+1, line+1)
			}
			if v > alpha && v < beta && !a.stopped {
				v = a.child(mover, depth-1, alpha, beta, line+1)
			}
		}
		a.undo()
		if a.stopped {
			return 0
		}
		if v > best {
			best = v
			if v > alpha {
				alpha, bestAction = v, x
			}
		}
		if v >= beta {
			if order < orderCapture || order == orderHint {
				a.praise(x, mover, depth, line)
			}
			break
		}
	}
	if isProven(best) {
		a.estimates = before // they did not matter
	}
	if a.cfg.MB > 0 {
		e := entry{key: key, context: context, score: best, action: bestAction, depth: int8(depth), whole: a.estimates == before}
		if bestAction == engine.NoAction {
			e.action = hint
		}
		switch {
		case best >= beta:
			e.bound = boundLower
		case best > floor:
			e.bound = boundExact
		default:
			e.bound = boundUpper
		}
		switch {
		case best >= provenFrom:
			e.score += int32(line)
		case best <= -provenFrom:
			e.score -= int32(line)
		}
		a.table.store(e)
	}
	return best
}

// quiesce follows captures until none is left or it does not pay to make one. The player to move may always leave it, for
// one ply at least that takes nothing is there as a rule; so no loss is proven here.
func (a *AlphaBeta) quiesce(alpha, beta int32, line, deep int) int32 {
	if a.stopped {
		return 0
	}
	if a.s.Over() {
		return a.finished(line)
	}
	before := a.estimates
	best := a.guess()
	if best >= beta || deep >= maxQuiescence || a.lore.calm() {
		return best
	}
	alpha = max(alpha, best)
	mover := uint8(a.s.ToMove())
	list := &a.lists[line]
	a.captures(list, mover)
	for i := range list.actions {
		x, _ := list.next(i)
		a.play(x, mover)
		var v int32
		if uint8(a.s.ToMove()) == mover {
			v = a.quiesce(alpha, beta, line+1, deep+1)
		} else {
			v = -a.quiesce(-beta, -alpha, line+1, deep+1)
		}
		a.undo()
		if a.stopped {
			return 0
		}
		if v > best {
			best = v
			alpha = max(alpha, v)
		}
		if v >= beta {
			break
		}
	}
	if isProven(best) {
		a.estimates = before
	}
	return best
}

// Orders of plies: the table's ply, captures by what they take, killers, and the others by history.
const (
	orderHint    = 1 << 30
	orderCapture = 1 << 28
	orderKiller  = 1 << 27
	historyLimit = 1 << 26
)

// list fills a list with the legal plies.
func (a *AlphaBeta) list(l *plyList, mover uint8, hint engine.Action, line int) {
	l.actions = a.s.Legal(l.actions[:0])
	l.order = resize(l.order, len(l.actions))
	killers := &a.killers[line]
	history := a.history[mover]
	for i, x := range l.actions {
		o := history[x]
		switch n := a.lore.takes(x, mover); {
		case n > 0:
			o = orderCapture + int32(min(n, 1000))
		case x == killers[0]:
			o = orderKiller + 1
		case x == killers[1]:
			o = orderKiller
		}
		if x == hint {
			o = orderHint + o/orderCapture // of the table's plies too, captures are no killers
		}
		l.order[i] = o
	}
}

// captures fills a list with the legal plies that seem to take something.
func (a *AlphaBeta) captures(l *plyList, mover uint8) {
	l.actions = a.s.Legal(l.actions[:0])
	l.order = l.order[:0]
	n := 0
	for _, x := range l.actions {
		if t := a.lore.takes(x, mover); t > 0 {
			l.actions[n] = x
			l.order = append(l.order, orderCapture+int32(min(t, 1000)))
			n++
		}
	}
	l.actions = l.actions[:n]
}

// next brings the best of the plies from i on to place i.
func (l *plyList) next(i int) (x engine.Action, order int32) {
	best := i
	for j := i + 1; j < len(l.actions); j++ {
		if l.order[j] > l.order[best] {
			best = j
		}
	}
	// The others keep their order, which is that of the engine among equals.
	x, o := l.actions[best], l.order[best]
	copy(l.actions[i+1:best+1], l.actions[i:best])
	copy(l.order[i+1:best+1], l.order[i:best])
	l.actions[i], l.order[i] = x, o
	return x, o
}

// praise remembers a quiet ply that refuted a line.
func (a *AlphaBeta) praise(x engine.Action, mover uint8, depth, line int) {
	k := &a.killers[line]
	if k[0] != x {
		k[1], k[0] = k[0], x
	}
	h := &a.history[mover][x]
	*h += int32(depth * depth)
	if *h >= historyLimit {
		for side := range a.history {
			for i := range a.history[side] {
				a.history[side][i] /= 2
			}
		}
	}
}
