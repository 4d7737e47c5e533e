package experiments

import "fmt"

// Record is what the analysis reads of one game. Games of a cell come in order:
// pair 0 slot 0, pair 0 slot 1, pair 1 slot 0, …
type Record struct {
	// Cell, Pair and Slot (0 or 1) place the game in its design. In self-play slot 1
	// is the mirrored twin; in a match agent A is player 0 in slot 0 and player 1 in
	// slot 1.
	Cell, Pair, Slot int
	// Outcome is "win0", "win1", "draw" or "capped".
	Outcome string
	// EndReason is the engine's word for how it ended; "cap" if capped.
	EndReason string
	// Plies and Turns count from the start.
	Plies, Turns int
	// Taken is the number of pieces each player lost from the start to the end.
	Taken [2]int
	// Use counts special plies of both players by name ("hops", "bonus plies", …).
	Use []Use
	// Choices is the sum over plies of the number of legal plies; 0 if not recorded.
	Choices int
	// Arrivals counts, for each square (row·cols+col), the plies that ended there.
	Arrivals []uint32
	// Moves is a hash of the start and the move list, folded by symmetry: equal for
	// games that are copies of each other.
	Moves uint64
	// Start is a hash of the start position, to see whether two cells share it.
	Start uint64
}

// Use is a count of one special rule.
type Use struct {
	Name  string
	Count int
}

// score of the first player: 1, ½ or 0, with a capped game as given.
func (r Record) score(capped float64) (float64, error) {
	switch r.Outcome {
	case "win0":
		return 1, nil
	case "win1":
		return 0, nil
	case "draw":
		return 0.5, nil
	case "capped":
		return capped, nil
	}
	return 0, fmt.Errorf("game of cell %d pair %d slot %d has outcome %q; win0, win1, draw or capped is needed", r.Cell, r.Pair, r.Slot, r.Outcome)
}
