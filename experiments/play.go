package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
)

// Factory builds the agent of a specification for a game. The runner calls it
// once for each worker, cell and agent; an agent is used by one goroutine. An
// agent that has a method NetworkHash() string has its network recorded.
type Factory func(spec mcts.Spec, g *engine.Game, rulesetHash string) (mcts.Agent, error)

// Builtin is the factory of the agents that need no network.
func Builtin(spec mcts.Spec, g *engine.Game, _ string) (mcts.Agent, error) {
	return mcts.NewAgent(spec, g)
}

// table is one game in progress, with its counts.
type table struct {
	state *engine.State
	rng   *rand.Rand
	// agent index (0: A, 1: B) of player 0 and 1.
	agents [2]int
	row    datasets.Game
	from   *engine.State
	pieces [][2]uint16 // on the board after each ply
	mover  int         // of the last ply
	values bool
	over   bool
}

// cellGame is a compiled cell.
type cellGame struct {
	cell       Cell
	info       CellInfo
	game       *engine.Game
	symmetries []engine.Symmetry
	factors    string
}

func newTable(d Design, c *cellGame, pair, slot int, st start) (*table, error) {
	t := &table{rng: seed.New(d.Seed, seed.Experiment, uint64(pair), uint64(slot))}
	text := st.text
	t.agents = [2]int{0, 1}
	r := &t.row
	switch {
	case c.cell.SelfPlay:
		t.agents = [2]int{0, 0}
		if slot == 1 {
			text = st.twin
		}
	case !c.cell.SelfPlay && slot == 1:
		t.agents = [2]int{1, 0}
	}
	if text == "" {
		t.state = c.game.NewState()
	} else {
		s, err := c.game.ParsePosition(text)
		if err != nil {
			return nil, fmt.Errorf("start of pair %d: %w", pair, err)
		}
		t.state = s
		r.StartID = 2*uint64(pair) + 1
		if c.cell.SelfPlay {
			r.StartID += uint64(slot)
			r.TwinID = 2*uint64(pair) + 2 - uint64(slot)
		}
	}
	t.from = t.state.Clone()
	specs := [2]string{c.info.SpecA, c.info.SpecB}
	r.GameID = uint64(c.cell.Index)*2*uint64(d.Pairs) + 2*uint64(pair) + uint64(slot) + 1
	r.RunID = d.ID
	r.Ruleset, r.RulesetHash = c.info.Ref, c.info.Hash
	r.Factors = c.factors
	r.Agent0, r.Agent1 = specs[t.agents[0]], specs[t.agents[1]]
	r.Budget0, r.Budget1 = budget(r.Agent0), budget(r.Agent1)
	r.PairID = uint64(c.cell.Index)*uint64(d.Pairs) + uint64(pair)
	r.Half = uint8(slot)
	r.Seed = d.Seed
	r.Start = text
	r.PlyCap = uint32(d.Cap)
	n := c.game.Squares()
	r.Placements, r.Arrivals, r.Captures = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	r.EngineVersion = engineVersion
	t.over = t.state.Over()
	return t, nil
}

// engineVersion goes into every game; a change of the rules engine that alters
// games must raise it.
const engineVersion = "1"

func budget(spec string) uint32 {
	s, err := mcts.ParseSpec(spec)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(s.Options["simulations"], 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

func onBoard(s *engine.State, player int) int {
	men, leaders, _ := s.Pieces(player)
	return men + leaders
}

// play makes the ply that an agent chose and counts what it did.
func (t *table) play(d mcts.Decision) error {
	s, r := t.state, &t.row
	if !s.IsLegal(d.Action) {
		return fmt.Errorf("game %d ply %d: the agent %s chose action %d, which is not legal", r.GameID, len(r.Moves)+1, [2]string{r.Agent0, r.Agent1}[s.ToMove()], d.Action)
	}
	p := s.ToMove()
	ply := s.PlyOf(d.Action)
	leader := ply.Kind == engine.PlaceLeader || (ply.From >= 0 && s.At(ply.From).IsLeader())
	before := [2]int{onBoard(s, 0), onBoard(s, 1)}
	if ply.Kind == engine.PlaceMan || ply.Kind == engine.PlaceLeader {
		before[p]++
		r.Placements[ply.To]++
	}
	if len(r.Moves) == 0 || t.mover != p {
		r.Turns++
	}
	t.mover = p
	s.Play(d.Action)
	r.Moves = append(r.Moves, uint16(d.Action))
	e := s.LastEffects()
	for _, sq := range e.Captured {
		r.Captures[sq]++
	}
	count := func(player int, a, b *uint32, n int) {
		if player == 0 {
			*a += uint32(n)
		} else {
			*b += uint32(n)
		}
	}
	switch ply.Kind {
	case engine.Move:
		r.Arrivals[ply.To]++
	case engine.Hop:
		r.Arrivals[ply.To]++
		count(p, &r.Hops0, &r.Hops1, 1)
	}
	for q := range 2 {
		lost := max(0, before[q]-onBoard(s, q))
		if ply.Kind == engine.Remove && q != p && lost > 0 {
			count(p, &r.Removals0, &r.Removals1, 1)
			lost--
		}
		count(1-q, &r.Captures0, &r.Captures1, lost)
	}
	count(p, &r.Bindings0, &r.Bindings1, e.Bound)
	if e.WasBonus {
		count(p, &r.BonusPlies0, &r.BonusPlies1, 1)
	}
	if leader {
		count(p, &r.LeaderPlies0, &r.LeaderPlies1, 1)
	}
	t.pieces = append(t.pieces, [2]uint16{uint16(onBoard(s, 0)), uint16(onBoard(s, 1))})
	v := float32(math.NaN())
	if d.HasValue {
		v, t.values = float32(math.Max(-1, math.Min(1, d.Value))), true
	}
	r.Values = append(r.Values, v)
	t.over = s.Over()
	return nil
}

// finish fills in what is known at the end.
func (t *table) finish(symmetries []engine.Symmetry) datasets.Game {
	s, r := t.state, &t.row
	r.Plies = uint32(len(r.Moves))
	if s.Over() {
		r.Outcome, r.EndReason = s.Outcome().String(), s.Reason().String()
	} else {
		r.Outcome, r.EndReason = engine.Capped.String(), ""
	}
	r.FinalPieces0, r.FinalPieces1 = uint32(onBoard(s, 0)), uint32(onBoard(s, 1))
	if !t.values {
		r.Values = nil
	}
	if n := len(t.pieces); n > 0 {
		for _, q := range []int{1, 2, 3} {
			at := t.pieces[max(0, n*q/4-1)]
			r.Attrition = append(r.Attrition, at[0], at[1])
		}
	}
	r.CanonicalHash = foldedHash(symmetries, t.from, r.Moves)
	return *r
}

// playUnit plays the pairs [first, first+n) of a cell with the agents A and B
// (the same agent twice in self-play) and gives the games in order of pair and
// slot. The games of the unit advance together, so that an agent with a network
// is asked about many of them at once.
func playUnit(ctx context.Context, d Design, c *cellGame, agents [2]mcts.Agent, first, n int) ([]datasets.Game, error) {
	var tables []*table
	for pair := first; pair < first+n; pair++ {
		st, err := drawStart(c.game, d, pair, c.symmetries)
		if err != nil {
			return nil, fmt.Errorf("ruleset %s: %w", c.info.Name, err)
		}
		for slot := range 2 {
			t, err := newTable(d, c, pair, slot, st)
			if err != nil {
				return nil, fmt.Errorf("ruleset %s: %w", c.info.Name, err)
			}
			tables = append(tables, t)
		}
	}
	for i, a := range agents {
		if h, ok := a.(interface{ NetworkHash() string }); ok {
			for _, t := range tables {
				if t.agents[0] == i {
					t.row.NetworkHash0 = h.NetworkHash()
				}
				if t.agents[1] == i {
					t.row.NetworkHash1 = h.NetworkHash()
				}
			}
		}
	}
	var (
		turn   []*table
		states []*engine.State
		rngs   []*rand.Rand
		out    []mcts.Decision
	)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		running := false
		for i, agent := range agents {
			turn, states, rngs = turn[:0], states[:0], rngs[:0]
			for _, t := range tables {
				if t.over || len(t.row.Moves) >= d.Cap || t.agents[t.state.ToMove()] != i {
					continue
				}
				turn, states, rngs = append(turn, t), append(states, t.state), append(rngs, t.rng)
			}
			if len(turn) == 0 {
				continue
			}
			running = true
			if cap(out) < len(turn) {
				out = make([]mcts.Decision, len(turn))
			}
			out = out[:len(turn)]
			if b, ok := agent.(mcts.BatchAgent); ok {
				if err := b.ChooseBatch(states, rngs, out); err != nil {
					return nil, fmt.Errorf("agent %s: %w", agent.Name(), err)
				}
			} else {
				for k, s := range states {
					// A slow agent must not delay an interrupt by a whole round.
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					x, err := agent.Choose(s, rngs[k])
					if err != nil {
						return nil, fmt.Errorf("agent %s: %w", agent.Name(), err)
					}
					out[k] = x
				}
			}
			for k, t := range turn {
				if err := t.play(out[k]); err != nil {
					return nil, err
				}
			}
		}
		if !running {
			break
		}
	}
	games := make([]datasets.Game, len(tables))
	for i, t := range tables {
		games[i] = t.finish(c.symmetries)
	}
	return games, nil
}

// recordOf is what the analysis reads of a stored game.
func recordOf(g *datasets.Game, d Design) Record {
	r := Record{
		Cell: int(g.PairID) / d.Pairs, Pair: int(g.PairID) % d.Pairs, Slot: int(g.Half),
		Outcome: g.Outcome, EndReason: g.EndReason, Plies: int(g.Plies), Turns: int(g.Turns),
		Taken:    [2]int{int(g.Captures1 + g.Removals1), int(g.Captures0 + g.Removals0)},
		Arrivals: append([]uint32(nil), g.Arrivals...), Moves: g.CanonicalHash, Start: hashText(g.Start),
	}
	for _, u := range []struct {
		name string
		n    uint32
	}{
		{"hops", g.Hops0 + g.Hops1},
		{"bonus plies", g.BonusPlies0 + g.BonusPlies1},
		{"pieces bound", g.Bindings0 + g.Bindings1},
		{"removals", g.Removals0 + g.Removals1},
		{"leader plies", g.LeaderPlies0 + g.LeaderPlies1},
	} {
		r.Use = append(r.Use, Use{u.name, int(u.n)})
	}
	return r
}
