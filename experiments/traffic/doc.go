// Package traffic counts where the pieces of recorded games come down, travel and are
// captured: for every square of the board and for every edge between two squares.
//
// # What is counted
//
// A square counts five things, apart: pieces placed on it from hand ([Placed]), pieces
// that move away from it ([Left]), that slide across it without stopping ([Crossed]),
// that come to rest on it by a move or a hop ([Reached]), and pieces captured while they
// stand on it ([Captured], removals of bound pieces among them). A piece that is hopped
// over is not touched, so nothing is counted for its square.
//
// An edge is a pair of neighbouring squares. A slide over n squares crosses n edges
// ([Slid]); a hop crosses every edge from its start to its end, which are two where it
// hops over one piece ([Hopped]). A placement comes from the hand and crosses none. Edges
// join squares that share a side; where a ruleset lets pieces move diagonally there are
// diagonal edges too.
//
// Every count is kept by phase (placement, movement), by the player whose piece it is
// (for a capture: who loses it) and by the kind of piece (man, leader).
//
// # Folding
//
// Squares and edges that a symmetry of the rules exchanges are of one class. The
// symmetries are those of the compiled game ([engine.Game.Symmetries]), not of the board:
// where a start array or a zone gives each player a side, front and back are told apart.
// [Fold] gives every member of a class the mean of its class. For an agent that treats
// symmetric positions alike that changes no expected value, and it averages chance away.
//
// # Use
//
// A [Counter] replays games one by one, so that its memory depends on the board and not
// on the number of games; the result is sums, the same in whatever order games come:
//
//	c := traffic.NewCounter(game)
//	for _, g := range games {
//		err := c.Add(g.Start, g.Moves)
//	}
//	t := c.Table()
//	reached := t.Squares(traffic.Reached, traffic.All)
//
// Counts within a game depend on each other, so they have no simple intervals; whoever
// needs one resamples whole games (a Counter for each block of games, and [Table.Merge]).
package traffic
