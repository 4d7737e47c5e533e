// Package grade compares a network with the truth: with the exact values of a small game that package exact has solved.
//
// Positions are drawn from the solution, each with the same chance whatever its way of play, and the network is asked, in each,
// for its value, for its best ply without search, and for the ply after a search. A ply is good if it keeps the value that
// the position has: where every ply does, nothing can be done wrong, so the shares are also given for the critical
// positions, in which some ply throws the value away; and Lot is the share that plies drawn by lot would have.
//
// Everything is a function of network, solution, configuration and seed.
package grade

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"latro/env"
	"latro/env/engine"
	"latro/env/seed"
	"latro/experiments/stats"
	"latro/mcts"
	"latro/mcts/exact"
	"latro/nn"
	"latro/selfplay"
)

// ErrInvalid is wrapped by the errors that the input causes.
var ErrInvalid = errors.New("grade: invalid input")

// Config says what is graded. All of it is needed.
type Config struct {
	Network  *nn.Network
	Solution *exact.Solution
	// Positions is how many are drawn, without replacement; fewer if there are not so many.
	Positions int
	// Simulations is the budget of the search.
	Simulations int
	Seed        uint64
	// Level is the confidence level of the intervals.
	Level float64
	// Progress, if set, is told how many positions are done.
	Progress func(done, total int)
}

// Part is the grade over some of the positions. Values are in [-1, 1] for the player to move.
type Part struct {
	Positions int `json:"positions"`
	// Critical is how many of them have a ply that does not keep the value.
	Critical int `json:"critical"`
	// Class is the share of positions of which the most probable of win, draw and loss is the true one.
	Class stats.Interval `json:"class_right"`
	// ValueError is the mean of |P(win) - P(loss) - truth|; SearchError the same of the search's value.
	ValueError  stats.Interval `json:"value_error"`
	SearchError stats.Interval `json:"search_value_error"`
	// Brier is the mean of the squared errors of the three probabilities, summed: 0 is perfect, 2/3 is to know nothing.
	Brier stats.Interval `json:"brier"`
	// By true class.
	Win  Class `json:"win"`
	Draw Class `json:"draw"`
	Loss Class `json:"loss"`
	// Policy is the share of positions in which the ply with the highest prior keeps the value, Search that of the ply after the
	// search, Lot the expected share of plies by lot; and of the critical positions.
	Policy         stats.Interval `json:"policy_keeps"`
	Search         stats.Interval `json:"search_keeps"`
	Lot            float64        `json:"lot_keeps"`
	PolicyCritical stats.Interval `json:"policy_keeps_critical"`
	SearchCritical stats.Interval `json:"search_keeps_critical"`
	LotCritical    float64        `json:"lot_keeps_critical"`
	// Proven is how many positions the search proved, False how many of these proofs the solution contradicts: 0, or the search
	// is wrong.
	Proven int `json:"proven"`
	False  int `json:"proven_false"`
}

// Class is the value's grade over the positions of one true value.
type Class struct {
	Positions int            `json:"positions"`
	Value     stats.Interval `json:"mean_value"`
	Brier     stats.Interval `json:"brier"`
}

// Report is a network's grade.
type Report struct {
	Network     string `json:"network"`
	Ruleset     string `json:"ruleset"`
	RulesetHash string `json:"ruleset_hash"`
	States      int    `json:"states"`
	// Left out: positions with one legal ply, and those whose value repetition leaves open.
	Unasked     int             `json:"left_out"`
	Simulations int             `json:"simulations"`
	Seed        uint64          `json:"seed"`
	All         Part            `json:"all"`
	Phases      map[string]Part `json:"phases"`
}

// item is one position's answers.
type item struct {
	state    *engine.State
	plies    []exact.Ply
	truth    int // for the mover
	critical bool
	lot      float64
	wdl      [3]float64
	policy   bool
	search   bool
	found    float64 // the search's value, for the mover
	proven   bool
	wrong    bool
}

// batch is how many positions are searched together. It changes no result.
const batch = 64

// Run grades. It stops with ctx's error.
func Run(ctx context.Context, c Config) (*Report, error) {
	r := c.Solution.Ruleset()
	switch {
	case c.Positions < 1 || c.Positions > 1_000_000:
		return nil, fmt.Errorf("%w: %d positions; 1 to 1000000", ErrInvalid, c.Positions)
	case c.Simulations < 1 || c.Simulations > 1_000_000:
		return nil, fmt.Errorf("%w: %d simulations; 1 to 1000000", ErrInvalid, c.Simulations)
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		return nil, err
	}
	encoder := env.NewEncoder(g)
	if err := c.Network.CheckShape(selfplay.ShapeOf(encoder)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	inference, err := nn.Compile(c.Network)
	if err != nil {
		return nil, err
	}
	ev, err := selfplay.NewEvaluator(inference, encoder, 32, 0)
	if err != nil {
		return nil, err
	}
	cfg := mcts.DefaultGumbel(c.Simulations)
	cfg.Noise = false
	agent, err := mcts.NewNet("net", ev, cfg)
	if err != nil {
		return nil, err
	}
	out := &Report{Network: c.Network.Hash(), Ruleset: r.Ref(), RulesetHash: r.Hash(), States: c.Solution.Len(), Simulations: c.Simulations, Seed: c.Seed}
	rng := seed.New(c.Seed, seed.Experiment)
	order := rng.Perm(c.Solution.Len())
	reader := c.Solution.NewReader()
	asker := &asker{encoder: encoder, instance: inference.NewInstance(1), out: nn.NewOutputs(selfplay.ShapeOf(encoder), 1),
		obs: make([]float32, encoder.ObsLen()), globals: make([]float32, encoder.GlobalsLen())}
	var items []item
	for at := 0; at < len(order) && len(items) < c.Positions; {
		var some []item
		for ; at < len(order) && len(some) < min(batch, c.Positions-len(items)); at++ {
			x, ok, err := draw(c.Solution, reader, g, order[at])
			if err != nil {
				return nil, err
			}
			if !ok {
				out.Unasked++
				continue
			}
			if err := asker.ask(&x); err != nil {
				return nil, err
			}
			some = append(some, x)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := search(agent, some, c.Seed, len(items)); err != nil {
			return nil, err
		}
		items = append(items, some...)
		if c.Progress != nil {
			c.Progress(len(items), c.Positions)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%w: no position of the solution has a known value and a choice of plies", ErrInvalid)
	}
	all := func(*item) bool { return true }
	out.All = sum(items, all, c.Level)
	out.Phases = map[string]Part{}
	for _, phase := range []engine.Phase{engine.Placement, engine.Movement} {
		p := sum(items, func(x *item) bool { return x.state.Phase() == phase }, c.Level)
		if p.Positions > 0 {
			out.Phases[phase.String()] = p
		}
	}
	return out, nil
}

// draw looks a position up; it is false if there is nothing to ask.
func draw(s *exact.Solution, reader *exact.Reader, g *engine.Game, id int) (x item, ok bool, err error) {
	_, a := s.At(id)
	if !a.Value.Exact() {
		return x, false, nil
	}
	if x.state, err = s.State(g, id); err != nil {
		return x, false, err
	}
	if x.plies, ok = reader.Plies(x.state); !ok {
		return x, false, fmt.Errorf("%w: the solution lacks what follows %s", ErrInvalid, x.state.Position())
	}
	if len(x.plies) < 2 {
		return x, false, nil
	}
	x.truth = a.Value.Seen(x.state.ToMove())
	keeps := 0
	for _, p := range x.plies {
		if p.Keeps {
			keeps++
		}
		if !p.Value.Exact() {
			return x, false, nil
		}
	}
	x.critical = keeps < len(x.plies)
	x.lot = float64(keeps) / float64(len(x.plies))
	return x, true, nil
}

// keeps says whether a ply keeps the value.
func (x *item) keeps(a engine.Action) bool {
	for _, p := range x.plies {
		if p.Action == a {
			return p.Keeps
		}
	}
	return false
}

// asker asks the network without search.
type asker struct {
	encoder      *env.Encoder
	instance     *nn.Instance
	out          *nn.Outputs
	view         engine.View
	obs, globals []float32
}

func (k *asker) ask(x *item) error {
	x.state.View(&k.view)
	k.encoder.Encode(&k.view, k.obs, k.globals)
	if err := k.instance.Run(1, k.obs, k.globals, k.out); err != nil {
		return err
	}
	top := max(k.out.WDL[0], k.out.WDL[1], k.out.WDL[2])
	total := 0.0
	for i := range x.wdl {
		x.wdl[i] = math.Exp(float64(k.out.WDL[i] - top))
		total += x.wdl[i]
	}
	for i := range x.wdl {
		x.wdl[i] /= total
	}
	best, logit := engine.NoAction, float32(math.Inf(-1))
	for _, a := range x.state.Legal(nil) {
		if l := k.out.Policy[k.encoder.ToFrame(x.state.ToMove(), a)]; l > logit {
			best, logit = a, l
		}
	}
	x.policy = x.keeps(best)
	return nil
}

// search lets the agent search all positions of a batch, the first of which is number from.
func search(agent *mcts.Net, items []item, root uint64, from int) error {
	states := make([]*engine.State, len(items))
	rngs := make([]*rand.Rand, len(items))
	found := make([]mcts.Decision, len(items))
	for i := range items {
		states[i] = items[i].state
		rngs[i] = seed.New(root, seed.Experiment, uint64(from+i))
	}
	if err := agent.ChooseBatch(states, rngs, found); err != nil {
		return err
	}
	for i := range items {
		x := &items[i]
		x.search = x.keeps(found[i].Action)
		x.found = found[i].Value
		if x.state.ToMove() == 1 {
			x.found = -x.found
		}
		x.proven = found[i].Proven
		x.wrong = x.proven && x.found != float64(x.truth)
	}
	return nil
}

// sum puts the answers together.
func sum(items []item, use func(*item) bool, level float64) Part {
	var p Part
	var valueError, searchError, brier []float64
	var value, brierOf [3][]float64
	class, policy, search, policyCritical, searchCritical := 0, 0, 0, 0, 0
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	for i := range items {
		x := &items[i]
		if !use(x) {
			continue
		}
		p.Positions++
		truth := 1 - x.truth // index among win, draw, loss
		v := x.wdl[0] - x.wdl[2]
		b, likely := 0.0, true
		for k, q := range x.wdl {
			d := q
			if k == truth {
				d = q - 1
			} else if q >= x.wdl[truth] {
				likely = false
			}
			b += d * d
		}
		class += one(likely)
		valueError = append(valueError, math.Abs(v-float64(x.truth)))
		searchError = append(searchError, math.Abs(x.found-float64(x.truth)))
		brier = append(brier, b)
		value[truth] = append(value[truth], v)
		brierOf[truth] = append(brierOf[truth], b)
		policy += one(x.policy)
		search += one(x.search)
		p.Lot += x.lot
		if x.critical {
			p.Critical++
			policyCritical += one(x.policy)
			searchCritical += one(x.search)
			p.LotCritical += x.lot
		}
		p.Proven += one(x.proven)
		p.False += one(x.wrong)
	}
	n := p.Positions
	if n == 0 {
		return p
	}
	p.Lot /= float64(n)
	if p.Critical > 0 {
		p.LotCritical /= float64(p.Critical)
	}
	p.Class = stats.Wilson(class, n, level)
	p.Policy, p.Search = stats.Wilson(policy, n, level), stats.Wilson(search, n, level)
	p.PolicyCritical = stats.Wilson(policyCritical, p.Critical, level)
	p.SearchCritical = stats.Wilson(searchCritical, p.Critical, level)
	p.ValueError, p.SearchError = stats.MeanT(valueError, level), stats.MeanT(searchError, level)
	p.Brier = stats.MeanT(brier, level)
	for k, to := range []*Class{&p.Win, &p.Draw, &p.Loss} {
		*to = Class{len(value[k]), stats.MeanT(value[k], level), stats.MeanT(brierOf[k], level)}
	}
	return p
}
