package experiments

import (
	"context"
	"fmt"
	"os"
	"slices"

	"latro/datasets"
	"latro/env/engine"
	"latro/mcts"
	"latro/selfplay"
)

// ReplayOptions say which games of an experiment are played again.
type ReplayOptions struct {
	// Games is how many to draw, all if there are fewer; Seed chooses them.
	Games int
	Seed  uint64
	// Factory builds agents; Builtin if nil.
	Factory Factory
	// Networks are files and run directories in which to look for the networks of the
	// games; those that ship with the program are found without.
	Networks []string
}

// Replayed is the outcome of a [Replay].
type Replayed struct {
	// Games were played again, Skipped not, for the reasons in Reasons.
	Games   int      `json:"games"`
	Skipped int      `json:"skipped"`
	Reasons []string `json:"reasons,omitempty"`
	// Differences are the games that came out differently.
	Differences []ReplayDifference `json:"differences"`
}

// ReplayDifference is a game that did not repeat.
type ReplayDifference struct {
	GameID  uint64 `json:"game_id"`
	Ruleset string `json:"ruleset"`
	Agents  string `json:"agents"`
	Pair    int    `json:"pair"`
	Slot    int    `json:"slot"`
	What    string `json:"what"`
}

// Replay draws recorded games at random and plays them again, from the rules that
// the manifest holds, the recorded start and the design's seed, with the agents of
// their specifications, and compares start, moves and result. Games whose agents
// think for a time cannot repeat and are skipped, as are those whose networks are
// not to be found.
func Replay(ctx context.Context, dir string, opts ReplayOptions) (Replayed, error) {
	out := Replayed{Differences: []ReplayDifference{}}
	m, d, err := ReadManifest(dir)
	if err != nil {
		return out, err
	}
	if opts.Factory == nil {
		opts.Factory = Builtin
	}
	total := 0
	for _, u := range m.Units {
		total += u.Games
	}
	picked := stream(opts.Seed, "replay").Perm(total)
	picked = picked[:min(len(picked), max(0, opts.Games))]
	slices.Sort(picked)
	r := replayer{m: &m, d: d, opts: opts, games: map[string]*engine.Game{}, agents: map[int]*replayAgents{}}
	first, next := 0, 0
	for _, u := range m.Units {
		var want []int
		for next < len(picked) && picked[next] < first+u.Games {
			want = append(want, picked[next]-first)
			next++
		}
		first += u.Games
		if len(want) == 0 {
			continue
		}
		i := -1
		err := eachGame(dir, u, func(g *datasets.Game) error {
			i++
			if !slices.Contains(want, i) {
				return nil
			}
			return r.replay(ctx, g, &out)
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// replayer keeps the compiled games and the agents of cells.
type replayer struct {
	m      *Manifest
	d      Design
	opts   ReplayOptions
	games  map[string]*engine.Game
	agents map[int]*replayAgents
}

type replayAgents struct {
	cell   *cellGame
	agents [2]mcts.Agent
	// skip says why the cell cannot be played again.
	skip string
}

func (r *replayer) prepare(cell int) (*replayAgents, error) {
	if a := r.agents[cell]; a != nil {
		return a, nil
	}
	info := r.m.Cells[cell]
	game := r.games[info.Name]
	if game == nil {
		i := slices.IndexFunc(r.m.Rulesets, func(x ManifestRuleset) bool { return x.Name == info.Name })
		if i < 0 {
			return nil, damaged("the manifest does not describe the ruleset %s", info.Name)
		}
		var err error
		if game, err = gameOf(r.m.Rulesets[i].Params); err != nil {
			return nil, fmt.Errorf("ruleset %s: %w", info.Name, err)
		}
		r.games[info.Name] = game
	}
	a := &replayAgents{cell: &cellGame{cell: r.d.Cells()[cell], info: info, game: game, symmetries: game.Symmetries()}}
	for i, text := range []string{info.SpecA, info.SpecB} {
		if i == 1 && info.SelfPlay {
			a.agents[1] = a.agents[0]
			break
		}
		spec, err := mcts.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		if spec.Options["seconds"] != "" {
			a.skip = text + " thinks for a time, so its games cannot repeat"
			break
		}
		hash := []string{info.NetworkA, info.NetworkB}[i]
		if hash == "" {
			if a.agents[i], err = r.opts.Factory(spec, game, info.Hash); err != nil {
				return nil, fmt.Errorf("agent %s: %w", text, err)
			}
			continue
		}
		if a.agents[i] = r.trained(spec, hash, game, info.Hash); a.agents[i] == nil {
			a.skip = fmt.Sprintf("the network %.12s of %s is not among those given", hash, text)
			break
		}
	}
	r.agents[cell] = a
	return a, nil
}

// trained finds an agent's network by its content.
func (r *replayer) trained(spec mcts.Spec, hash string, g *engine.Game, rulesetHash string) mcts.Agent {
	for _, place := range append([]string{""}, r.opts.Networks...) {
		s := mcts.Spec{Kind: spec.Kind, Options: map[string]string{}}
		for k, v := range spec.Options {
			if k != "network" {
				s.Options[k] = v
			}
		}
		if place != "" {
			key := "path"
			if info, err := os.Stat(place); err == nil && info.IsDir() {
				key = "run"
			}
			s.Options[key] = place
		}
		// A network that does not fit is not the one.
		a, err := r.opts.Factory(s, g, rulesetHash)
		if err != nil {
			continue
		}
		if n, ok := a.(interface{ NetworkHash() string }); ok && n.NetworkHash() == hash {
			return a
		}
	}
	return nil
}

func (r *replayer) replay(ctx context.Context, g *datasets.Game, out *Replayed) error {
	rec := recordOf(g, r.d)
	if rec.Cell >= len(r.m.Cells) {
		return damaged("game %d is of cell %d, but there are %d", g.GameID, rec.Cell, len(r.m.Cells))
	}
	a, err := r.prepare(rec.Cell)
	if err != nil {
		return err
	}
	if a.skip != "" {
		out.Skipped++
		if !slices.Contains(out.Reasons, a.skip) {
			out.Reasons = append(out.Reasons, a.skip)
		}
		return nil
	}
	differs := func(format string, args ...any) {
		out.Differences = append(out.Differences, ReplayDifference{
			GameID: g.GameID, Ruleset: a.cell.info.Name, Agents: a.cell.cell.Agents(), Pair: rec.Pair, Slot: rec.Slot, What: fmt.Sprintf(format, args...),
		})
	}
	out.Games++
	st, err := drawStart(a.cell.game, r.d, rec.Pair, a.cell.symmetries)
	if err != nil {
		return err
	}
	drawn := st.text
	if a.cell.info.SelfPlay && rec.Slot == 1 {
		drawn = st.twin
	}
	if drawn != g.Start {
		differs("the start is recorded as %q, drawn again it is %q", g.Start, drawn)
	}
	// From the recorded start, whatever was drawn.
	t, err := newTable(r.d, a.cell, a.agents, rec.Pair, rec.Slot, start{g.Start, g.Start})
	if err != nil {
		differs("the recorded start cannot be set up: %v", err)
		return nil
	}
	if err := selfplay.PlayAll(ctx, []*selfplay.Table{t}); err != nil {
		return err
	}
	again := t.Game()
	for i := range min(len(again.Moves), len(g.Moves)) {
		if again.Moves[i] != g.Moves[i] {
			differs("ply %d is recorded as %d, played again it is %d", i+1, g.Moves[i], again.Moves[i])
			return nil
		}
	}
	switch {
	case len(again.Moves) != len(g.Moves):
		differs("%d plies are recorded, played again there are %d", len(g.Moves), len(again.Moves))
	case again.Outcome != g.Outcome || again.EndReason != g.EndReason:
		differs("the end is recorded as %s (%s), played again it is %s (%s)", g.Outcome, g.EndReason, again.Outcome, again.EndReason)
	}
	return nil
}
