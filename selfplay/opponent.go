package selfplay

import (
	"fmt"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
	"latro/mcts"
)

// OpponentConfig brings an agent without a network into a share of the games. Where self-play alone settles on games in which
// neither side attempts anything, such an opponent attempts it. Its plies are samples as well, with the ply that it chose
// as the whole policy target, so the network learns what it plays. The zero value is self-play alone.
type OpponentConfig struct {
	// Agent is the opponent, as kind:option=value,…: alphabeta:nodes=1000. Its budget must be a number and not a time, so
	// that the games can be played again.
	Agent string `yaml:"agent,omitempty"`
	// Share of the games in which the network plays against it, as player 0 in half of them.
	Share float64 `yaml:"share,omitempty"`
	// Alone is the share of the games in which it plays both sides.
	Alone float64 `yaml:"alone,omitempty"`
	// Generations that have such games, from the first on; 0 is all.
	Generations int `yaml:"generations,omitempty"`
}

func (c OpponentConfig) on() bool { return c.Share > 0 || c.Alone > 0 }

// check tells every problem to bad; games are what the opponent has to play.
func (c OpponentConfig) check(games []Variant, bad func(format string, args ...any)) {
	for _, x := range []struct {
		field string
		value float64
	}{{"share", c.Share}, {"alone", c.Alone}, {"share and opponent.alone together", c.Share + c.Alone}} {
		if !(x.value >= 0 && x.value <= 1) {
			bad("opponent.%s is %v; it must be 0 to 1", x.field, x.value)
		}
	}
	if c.Generations < 0 || c.Generations > 1e6 {
		bad("opponent.generations is %d; it must be 0 to 1e+06", c.Generations)
	}
	if c == (OpponentConfig{}) {
		return
	}
	if !c.on() {
		bad("opponent.share is missing; give it, or opponent.alone, or leave opponent out")
	}
	if c.Agent == "" {
		bad("opponent.agent is missing: name one, as alphabeta:nodes=1000")
		return
	}
	spec, err := mcts.ParseSpec(c.Agent)
	if err != nil {
		bad("opponent.agent is %q; %v", c.Agent, err)
		return
	}
	if spec.Kind == "net" {
		bad("opponent.agent is %q; it must be an agent without a network", c.Agent)
		return
	}
	for _, option := range []string{"seconds", "weights"} {
		if _, ok := spec.Options[option]; ok {
			bad("opponent.agent is %q; leave out %s: the games would depend on more than this configuration", c.Agent, option)
			return
		}
	}
	for _, v := range games {
		if _, err := mcts.NewAgent(spec, v.Game); err != nil {
			bad("opponent.agent is %q; %v", c.Agent, err)
			return
		}
	}
}

// Sides that the opponent plays in a game, as bits by player.
type sides uint8

func (s sides) has(player int) bool { return s>>player&1 == 1 }

// opponentSides deals the opponent into a game. It depends on seed, generation and number alone.
func (c Config) opponentSides(generation, index int) sides {
	o := c.Opponent
	if !o.on() || o.Generations > 0 && generation >= o.Generations {
		return 0
	}
	rng := seed.New(c.Seed, seed.Generation, uint64(generation), uint64(index), 2)
	switch x := rng.Float64(); {
	case x < o.Alone:
		return 3
	case x < o.Alone+o.Share:
		return 1 << rng.IntN(2)
	}
	return 0
}

// opponents makes the opponent for each of the run's games, nil if it has none.
func (r *Run) opponents() ([]mcts.Agent, error) {
	if !r.Config.Opponent.on() {
		return nil, nil
	}
	spec, err := mcts.ParseSpec(r.Config.Opponent.Agent)
	if err != nil {
		return nil, err
	}
	var out []mcts.Agent
	for _, v := range r.Variants {
		a, err := mcts.NewAgent(spec, v.Game)
		if err != nil {
			return nil, fmt.Errorf("%w: opponent.agent: %w", ErrInput, err)
		}
		out = append(out, a)
	}
	return out, nil
}

// reply makes the opponent's ply and keeps its sample.
func (w *worker) reply(s *seat, agent mcts.Agent) error {
	d, err := agent.Choose(s.state, s.rng)
	if err != nil {
		return err
	}
	var v engine.View
	s.state.View(&v)
	sample := datasets.Sample{
		GameID: gameID(w.generation, s.index), Ply: uint32(s.state.Ply()), RulesetHash: s.variant.Ruleset.Hash(),
		Player: uint8(s.state.ToMove()), State: v.AppendBinary(nil), LegalCount: uint16(len(w.legal)),
		Actions: make([]uint16, len(w.legal)), Visits: make([]uint32, len(w.legal)), Policy: make([]float32, len(w.legal)),
		RootValue: float32(d.Value), Played: uint16(d.Action), Simulations: uint32(d.Simulations), Full: true,
		EngineVersion: engine.Version,
	}
	for i, a := range w.legal {
		sample.Actions[i] = uint16(a)
		if a == d.Action {
			sample.Visits[i], sample.Policy[i] = 1, 1
		}
	}
	s.samples = append(s.samples, sample)
	s.tracker.remember()
	if d.HasValue {
		s.value = d.Value
	}
	return s.play(d)
}

// against adds a game that the network played against the run's opponent.
func (s *GenerateStats) against(g *datasets.Game) {
	player := -1
	switch {
	case g.Agent0 == agentNetwork:
		player = 0
	case g.Agent1 == agentNetwork:
		player = 1
	default:
		return
	}
	s.Met++
	s.Points += float64(pointsOf(g.Outcome, player)) / 2
}

// What a game's row calls the sides of a run's games.
const (
	agentSelf    = "self-play"
	agentNetwork = "network" // the other side is the opponent
)
