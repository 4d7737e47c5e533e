// Package metrics measures what games look like from within: how many plies there
// are to choose from, how fast pieces leave the board, who was ahead and lost it,
// how often special rules are used and what that goes along with, what a rule is
// worth to a player who may use it, how varied openings are, and what one piece is
// worth in another.
//
// # Use
//
// A [Cell] takes the recorded games of one ruleset and one pairing of agents, in
// the order of their pairs, and plays each again by the rules; its sums are kept,
// the games are not:
//
//	c, err := metrics.New(game, metrics.Config{Level: 0.95, SelfPlay: true, SpecA: spec, SpecB: spec})
//	for … {
//		err = c.Add(&row)
//	}
//	r := c.Result()
//	branching := r.Value("branching").Interval
//
// Package experiments does so for every cell of an experiment and puts the numbers
// into metrics.csv and the report.
//
// # Definitions
//
// The guide docs/metrics.md has the formula of each metric, an example, and how it
// misleads; the examples are the tests of this package. What holds for all:
//
//   - Capped games are no draws. A metric of whole games (attrition, lead changes,
//     drama, regressions on results) leaves them out; one of plies (branching, use of
//     rules, traffic) counts their plies.
//   - The unit is the start pair: a quantity is summed over a pair's games and its
//     error comes from how pairs differ.
//   - Who is ahead is a matter of the [Evaluator]; every number that rests on one
//     names it.
//   - What cannot be measured is [Missing] with its reason. It is never 0.
//
// # Restricted play
//
// A match between an agent and itself with the option avoid (package mcts) measures
// what a rule is worth to the player who may use it (A. Jaffe and others, Evaluating
// competitive game balance with restricted play, AIIDE 2012). Other matches are not
// measured here: what agents of different strength do to each other says little about
// the rules.
//
// # Memory and reproducibility
//
// Memory does not grow with the number of games beyond [MaxPairs] pairs, the first of
// which are then measured and the method of every value says so. Nothing is drawn at
// random: positions for piece values are chosen by a hash of the game's number.
package metrics
