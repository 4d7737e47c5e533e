package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
	"latro/selfplay"
)

// Factory builds the agent of a specification for a game. The runner calls it
// once for each worker, cell and agent; an agent is used by one goroutine. An
// agent that has a method NetworkHash() string has its network recorded.
type Factory func(spec mcts.Spec, g *engine.Game, rulesetHash string) (mcts.Agent, error)

// Builtin is the factory of the agents that need no network.
func Builtin(spec mcts.Spec, g *engine.Game, _ string) (mcts.Agent, error) {
	return mcts.NewAgent(spec, g)
}

// cellGame is a compiled cell.
type cellGame struct {
	cell Cell
	info CellInfo
	// play are the agents' specifications with their networks' places.
	play       [2]mcts.Spec
	game       *engine.Game
	symmetries []engine.Symmetry
	factors    string
}

// timed reports whether an agent of the cell thinks for a time, so that its games cannot repeat.
func (c *cellGame) timed() bool {
	return c.play[0].Options["seconds"] != "" || c.play[1].Options["seconds"] != ""
}

// newTable sets a game up: one slot of a pair, between the agents A and B (the same twice in self-play).
func newTable(d Design, c *cellGame, agents [2]mcts.Agent, pair, slot int, st start) (*selfplay.Table, error) {
	t := &selfplay.Table{Recorder: selfplay.NewRecorder(c.game), State: c.game.NewState()}
	return t, setTable(t, d, c, agents, pair, slot, st)
}

// setTable is newTable at a table that has a recorder and a state of the cell's ruleset, whatever
// was played there. Histories are most of what a game allocates, and here they are used again.
func setTable(t *selfplay.Table, d Design, c *cellGame, agents [2]mcts.Agent, pair, slot int, st start) error {
	rng := seed.New(d.Seed, seed.Experiment, uint64(pair), uint64(slot))
	*t = selfplay.Table{Recorder: t.Recorder, State: t.State, Rand: [2]*rand.Rand{rng, rng}, MaxPlies: d.Cap}
	text := st.text
	seats := [2]int{0, 1}
	switch {
	case c.cell.SelfPlay:
		seats = [2]int{0, 0}
		if slot == 1 {
			text = st.twin
		}
	case slot == 1:
		seats = [2]int{1, 0}
	}
	specs := [2]string{c.info.SpecA, c.info.SpecB}
	row := datasets.Game{
		GameID: uint64(c.cell.Index)*2*uint64(d.Pairs) + 2*uint64(pair) + uint64(slot) + 1,
		RunID:  d.ID, Ruleset: c.info.Ref, RulesetHash: c.info.Hash, Factors: c.factors,
		Agent0: specs[seats[0]], Agent1: specs[seats[1]],
		Budget0: budget(specs[seats[0]]), Budget1: budget(specs[seats[1]]),
		PairID: uint64(c.cell.Index)*uint64(d.Pairs) + uint64(pair), Half: uint8(slot),
		Seed: d.Seed, Start: text, PlyCap: uint32(d.Cap),
	}
	if text == "" {
		t.State.Reset()
	} else {
		s, err := c.game.ParsePosition(text)
		if err != nil {
			return fmt.Errorf("start of pair %d: %w", pair, err)
		}
		t.State.CopyFrom(s)
		row.StartID = 2*uint64(pair) + 1
		if c.cell.SelfPlay {
			row.StartID += uint64(slot)
			row.TwinID = 2*uint64(pair) + 2 - uint64(slot)
		}
	}
	for player, seat := range seats {
		t.Agents[player] = agents[seat]
	}
	t.Recorder.Reset(t.State, row)
	return nil
}

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

// playUnit plays the pairs [first, first+n) of a cell with the agents A and B
// (the same agent twice in self-play) and gives the games in order of pair and
// slot. The games of the unit advance together, so that an agent with a network
// is asked about many of them at once.
func playUnit(ctx context.Context, d Design, c *cellGame, agents [2]mcts.Agent, first, n int) ([]datasets.Game, error) {
	return playTables(ctx, d, c, agents, first, n, new([]*selfplay.Table))
}

// pliesAtOnce bounds the plies of the games that a worker has under way. A game under way keeps all its
// positions, some 200 bytes a ply, and a finished one its moves alone; so a design with a far cap and
// games that never end does not take all memory. Units as they usually are stay below it, and what
// is played at a table does not depend on the others.
const pliesAtOnce = 1 << 20

// pairsAtOnce is the number of pairs of games of a design that are under way together.
func pairsAtOnce(d Design) int { return max(1, pliesAtOnce/(2*max(1, d.Cap))) }

// playTables is playUnit at the tables of earlier units of the cell; there are more
// afterwards if they are not enough.
func playTables(ctx context.Context, d Design, c *cellGame, agents [2]mcts.Agent, first, n int, tables *[]*selfplay.Table) ([]datasets.Game, error) {
	games := make([]datasets.Game, 0, 2*n)
	for end := first + n; first < end; {
		some := min(pairsAtOnce(d), end-first)
		for len(*tables) < 2*some {
			*tables = append(*tables, &selfplay.Table{Recorder: selfplay.NewRecorder(c.game), State: c.game.NewState()})
		}
		part := (*tables)[:2*some]
		for i := range some {
			st, err := drawStart(c.game, d, first+i, c.symmetries)
			if err != nil {
				return nil, fmt.Errorf("ruleset %s: %w", c.info.Name, err)
			}
			for slot := range 2 {
				if err := setTable(part[2*i+slot], d, c, agents, first+i, slot, st); err != nil {
					return nil, fmt.Errorf("ruleset %s: %w", c.info.Name, err)
				}
			}
		}
		if err := selfplay.PlayAll(ctx, part); err != nil {
			return nil, err
		}
		for _, t := range part {
			games = append(games, t.Game())
		}
		first += some
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
