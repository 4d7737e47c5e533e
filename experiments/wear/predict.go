package wear

import (
	"latro/datasets"
	"latro/env/engine"
	"latro/experiments"
	"latro/experiments/traffic"
)

// Count is what of the traffic is held against a map of squares; lines are always held
// against the crossings of that line.
type Count string

// The counts of squares.
const (
	// Contact is every touch: placed, moved off, slid across, come to rest.
	Contact Count = "contact"
	// Arrivals are pieces that come to rest by a move or a hop.
	Arrivals Count = "arrivals"
	// Placements are pieces placed from hand.
	Placements Count = "placements"
	// Captures are pieces captured on the square.
	Captures Count = "captures"
)

// Counts lists them.
func Counts() []Count { return []Count{Contact, Arrivals, Placements, Captures} }

func (c Count) of(t *traffic.Table) []uint64 {
	switch c {
	case Arrivals:
		return t.Squares(traffic.Reached, traffic.All)
	case Placements:
		return t.Squares(traffic.Placed, traffic.All)
	case Captures:
		return t.Squares(traffic.Captured, traffic.All)
	}
	return t.Contact(traffic.All)
}

// fieldOf is the predicted traffic of counted games, folded by the symmetries of the
// rules.
func fieldOf(t *traffic.Table, c Count) field {
	return field{
		rows: t.Rows, cols: t.Cols, edges: t.Edges,
		squares: traffic.Fold(c.of(t), t.SquareClass),
		lines:   traffic.Fold(t.Crossings(traffic.All), t.EdgeClass),
	}
}

// gameBlocks is the number of blocks that a cell's games are dealt into; the intervals
// resample blocks, so that memory does not grow with the number of games.
const gameBlocks = 40

// counted are the games of one cell of the experiment.
type counted struct {
	blocks []*traffic.Counter
	games  int
	capped int
}

// count reads the games of an experiment's directory.
func count(dir string, cells int) ([]counted, error) {
	all := make([]counted, cells)
	err := experiments.EachGame(dir, func(cell int, game *engine.Game, row *datasets.Game) error {
		c := &all[cell]
		k := c.games % gameBlocks
		if k == len(c.blocks) {
			c.blocks = append(c.blocks, traffic.NewCounter(game))
		}
		c.games++
		if row.Outcome == datasets.Capped {
			c.capped++
		}
		return c.blocks[k].Add(row.Start, row.Moves)
	})
	return all, err
}

// prediction sums a cell's blocks up.
func (c counted) prediction(row Row, what Count) (prediction, *traffic.Table, error) {
	p := prediction{row: row}
	sum := c.blocks[0].Table()
	for i, b := range c.blocks {
		t := b.Table()
		p.blocks = append(p.blocks, fieldOf(t, what))
		if i > 0 {
			if err := sum.Merge(t); err != nil {
				return p, nil, err
			}
		}
	}
	p.field = fieldOf(sum, what)
	p.row.Games = sum.Games
	p.row.Capped = float64(c.capped) / float64(c.games)
	return p, sum, nil
}
