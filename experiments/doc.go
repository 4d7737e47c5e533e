// Package experiments asks how rules change a game, and answers with games that
// anyone can play again.
//
// # From question to report
//
// A [Design] is the frozen plan: a question, rulesets or a factorial over rule
// parameters, agents, start positions, the number of pairs, a seed, the length
// cap, the primary metric and the margin that counts as even. [LoadDesign] reads
// one from a YAML file, strictly: every mistake is reported with its line and what
// would be right.
//
//	id: bell-corners
//	question: Does it matter in Bell's game whether corners capture?
//	factorial:
//	  base: bell-8x7
//	  factors:
//	    - parameter: capture.corner
//	      values: [hostile, neutral]
//	agents:
//	  - random
//	  - {name: UCT 100, spec: "uct:simulations=100"}
//	pairs: 200
//	seed: 1
//	cap: 400
//	margin: 0.05
//
// [MakePlan] plays a short pilot and says how long the experiment will take and
// what it can show. [Run] plays the games into a directory: one Arrow shard for
// each work unit, a manifest with a hash of each. It may be killed at any moment
// and goes on where it stopped. [Analyse] reads the directory back and gives an
// [Analysis]: intervals, contrasts, and [Finding]s in plain words. Package report
// (latro/experiments/report) makes the page; package stats the statistics.
//
// # What is compared with what
//
// A cell is one ruleset with one pairing of agents. When an agent plays itself,
// the unit of analysis is a start position with its colour-mirrored [Twin]: what
// the position favours cancels, what moving first favours stays. When two agents
// meet, the unit is one start with the roles swapped. Starts and the agents'
// random streams depend on the seed and the pair, not on the cell, so that cells
// are compared pair by pair; wherever the opening does not depend on the rules
// that differ, the starts are the very same positions.
//
// The first player is player 0, who acts first in the game. In a game with a
// placement phase random starts begin when all pieces stand, so results say
// nothing about the skill of placing.
//
// # What may be said
//
// Sentences name the agent, its budget and the starts, and claim nothing beyond
// them. A capped game is no draw; above 5 % capped games, or below 95 % different
// games, no claim is made. "Even" needs an equivalence test with a margin that was
// fixed in the design.
//
// # Reproducibility
//
// The same design gives the same shards and manifest, byte for byte, whatever the
// number of workers and however often the run was interrupted, as long as the
// agents are limited by simulations and not by time.
package experiments
