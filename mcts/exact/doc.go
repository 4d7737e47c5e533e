// Package exact solves small games: it finds what every position is worth under optimal play by both sides, and in how
// many plies the winner wins.
//
//	r, err := rules.Open("locus-ludi-piso", "board.rows=4", "board.cols=4", "pieces.men=3")
//	s, err := exact.Solve(ctx, r, exact.Options{})
//	fmt.Println(s.Info.Start.Value, s.Info.Start.Distance)
//	plies, ok := s.NewReader().Plies(state) // every legal ply with its value, the best first
//
// # How
//
// Solve finds every position that can be reached and its legal plies, and then goes backwards from the ends: retrograde
// analysis. A position is everything that legality and result depend on but the history of the repetition rule: the board,
// bound men, hands, the mover, a chain and the squares it has used, a bonus or a move that is due, the quiet counter, the
// ban on going back, whether the opponent has just passed, whether a way must be opened. Positions that a symmetry of the
// ruleset turns into one another are one. The plies are the engine's own, with the repetition rule switched off.
//
// The value is that of the game in which play without end is a draw; distances are in plies if the winner takes the
// quickest way and the loser the slowest. A draw has no distance.
//
// # What that says under a repetition rule
//
// repetition.rule none: a game without end has no result by the rules; here it is a draw. That is a convention where such
// games exist, and says nothing where they do not (a no-capture limit ends every game).
//
// threefold-draw: the third occurrence of a position is a draw. The values hold, with these reasons and limits.
//
//   - Whoever does not lose the game in which play without end is a draw does not lose this one: he plays as there and
//     stays out of lost positions for ever; a third occurrence only makes a draw of it earlier. So each draw is a
//     draw, whatever has been played before.
//   - Where the repetition rule compares positions as the solver does, each win is a win: with the quickest way, each
//     ply brings the end nearer, whoever makes it; so no position comes twice, and none a third time if none had occurred
//     twice before the winner began. The first and the second occurrence of a position are thus worth the same, and a won
//     position keeps its value unless the history already holds a position twice on the way. (After such a history a win may
//     be a draw, never a loss.)
//   - Where the rule takes positions for one that the solver tells apart (the quiet counter, the ban on going back, passes, a
//     way to be opened), the quickest way may come to one board several times. A second pass then looks for wins that do
//     without: a position counts as won only on the ground of positions whose board, with the same mover and the same or a
//     smaller quiet counter, had been shown to be won before whatever the other marks. What it cannot show is
//     reported as Win0OrDraw or Win1OrDraw: a win if repetition ends no game, not lost in any case. That concerns mostly wins
//     by counting at the no-capture limit, for which the winner has to wait. For the start a third look goes through the lines
//     of play with their histories (Reader.Prove), and settles it if it can. Distances are those without repetition.
//
// positional-superko, situational-superko: what is legal depends on the history, so that a board has as many values as
// histories. Solve refuses. SearchTree looks through the tree of lines with their histories, which is possible only where
// few plies decide.
//
// A turn limit (outcome capped is no result) and an agreement on the number of men are refused too.
//
// # Size
//
// A position takes 52 bytes while it is being solved and each different ply from it 8, about 100 in all (64 more where the
// repetition rule tells fewer positions apart), and 25 in a Solution. A few hundred thousand positions a second are found on one core; the rest takes little. Bound is an upper
// bound of the number of positions; Solve refuses, by it, what would not fit. The keys have 128 bits: boards of at most 40
// squares, of 27 with leaders or binding, and less with hop chains.
//
// # Concurrency
//
// Solve runs in the goroutine that calls it. A Solution may be shared; a Reader is for one goroutine at a time.
package exact
