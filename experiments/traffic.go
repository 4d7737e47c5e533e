package experiments

import (
	"fmt"

	"latro/datasets"
	"latro/env/engine"
	"latro/experiments/traffic"
)

// games compiles the ruleset of each cell from the parameters that the manifest holds.
func (m *Manifest) games() ([]*engine.Game, error) {
	byName := map[string]*engine.Game{}
	for _, r := range m.Rulesets {
		g, err := gameOf(r.Params)
		if err != nil {
			return nil, fmt.Errorf("ruleset %s of the manifest: %w", r.Name, err)
		}
		byName[r.Name] = g
	}
	out := make([]*engine.Game, len(m.Cells))
	for i, c := range m.Cells {
		g := byName[c.Name]
		if g == nil {
			return nil, damaged("the manifest does not describe the ruleset %q of cell %d", c.Name, i)
		}
		if g.Rows() != c.Rows || g.Cols() != c.Cols {
			return nil, damaged("the manifest gives cell %d a board of %d by %d, its ruleset %q has %d by %d", i, c.Rows, c.Cols, c.Name, g.Rows(), g.Cols())
		}
		out[i] = g
	}
	return out, nil
}

// trafficCounters makes a counter for each cell. Games of another version of the engine
// may not be legal in this one: there are then none, and a warning says so.
func (m *Manifest) trafficCounters() (counters []*traffic.Counter, warning string, err error) {
	if m.EngineVersion != engine.Version {
		return nil, fmt.Sprintf("The games were played by version %s of the rules engine, this is version %s: the traffic of pieces over edges was not counted.", m.EngineVersion, engine.Version), nil
	}
	games, err := m.games()
	if err != nil {
		return nil, "", err
	}
	for _, g := range games {
		counters = append(counters, traffic.NewCounter(g))
	}
	return counters, "", nil
}

// EachGame reads every finished game of an experiment's directory in the order of cells,
// pairs and slots, checking each shard against its hash. game is the compiled ruleset of
// the cell, the same one for all its games; the row is only valid during the call.
func EachGame(dir string, do func(cell int, game *engine.Game, row *datasets.Game) error) error {
	m, d, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	games, err := m.games()
	if err != nil {
		return err
	}
	for cell, units := range m.unitTable() {
		for _, u := range units {
			err := eachGame(dir, u, func(g *datasets.Game) error {
				if r := recordOf(g, d); r.Cell != cell {
					return damaged("a game of cell %d is in a shard of cell %d; delete the file and run the experiment again", r.Cell, cell)
				}
				return do(cell, games[cell], g)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
