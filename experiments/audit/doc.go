// Package audit looks for what goes wrong in a set of rules when it is played without understanding.
//
// [Run] plays three groups of games of a ruleset ("random": two players who draw every ply; "greedy": two players who
// take the most material, one ply ahead; "mixed": one against the other, seats alternating) and answers four questions
// in a [Report], with sentences for people, figures with intervals, and one shortest example each:
//
//   - How do the games end, and which of them go wrong: a side that cannot move (blockade), sides with too few
//     pieces to capture (famine), positions that come back again and again, games that reach no end.
//   - Which parameters never mattered: each played game is followed, ply by ply, under every other value of every
//     parameter ([Parameter]), and whether anything differed is written down.
//   - Where are the rules undefined: where did a choice decide that the source does not state ([Report.Undefined],
//     [Report.Unruled]).
//   - What does it look like: [Example], moves from the start, in the notation of latro/env/engine.
//
// # Terms
//
// A game that the length cap stopped has no result and is never a draw. A blockade is a state of the movement phase in
// which the player to move has no ply: he passes, or the game ends by it. Famine is worked out from the rules, not from
// the play: a side is starved when it could not capture (bind) an enemy wherever the pieces stood, as one man
// where neither edge nor corner captures. That is said on the side of caution: a side that could in some
// arrangement is not starved, even if the arrangement cannot be reached. A position is a board with bound marks,
// hands, player to move and what he is in the middle of; it recurs when it stood on the board earlier in the same game.
//
// # Following a game under other rules
//
// A parameter decided a state if, after the very same plies, another value of it gives another board, another player
// to move, another set of legal plies or another end. From there on the two are different games, so the altered
// game is followed no further; where only the set of legal plies differs and the ply that was played is in both, a
// parameter that is assumed is followed on, to count its states. What one parameter means together with a second that would
// have to change too is not looked at, but for the one companion without which the value could not be played
// ([Alternative.With]).
//
// # Reproducibility
//
// Every game draws from its own random stream, named by seed, group and number, so the same configuration gives the
// same report whatever the number of workers. A single worker's memory is bounded by the cap; the games' plies are kept, two
// bytes each.
package audit
