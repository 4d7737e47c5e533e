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
//	pairs: 500
//	seed: 1
//	cap: 400
//	margin: 0.08
//
// [MakePlan] plays a short pilot and says how long the experiment will take, what
// it can show, and whether that answers its question. [Freeze] fixes the design in a
// directory, by a hash that rests on the content of rules and networks. [Run] plays
// the games there, with a manifest that has a hash of each shard. It may be killed at
// any moment and goes on where it stopped. [Analyse] reads the directory back and
// gives an [Analysis]: intervals, contrasts, effects, checks of strength, and
// [Finding]s in plain words. [WriteGames] puts all games into one file, [Replay] plays
// some again. Package report (latro/experiments/report) makes the page; package stats
// the statistics.
//
// # Several rules, readings and networks
//
// A [Factorial] plays every combination of its factors' values, a regular fraction
// of them ([Fraction], with its aliases in [FractionInfo]), or listed runs. A factor
// may be a reading. [Effect]s are least-squares contrasts of the runs within each
// start pair, which makes the start pairs the clusters of their errors; a
// proportional-odds model stands beside them. A ruleset may have several networks,
// one a training seed ([RulesetRef].Networks); differences are then also given with
// Student's interval over the seeds.
//
// # Strength
//
// [StrengthLadder] is the default set of agents. [Strength] has each ruleset's curve
// over budgets and the controls of what weak play may have done to a result; where one
// fails, the result is provisional.
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
// fixed in the design. The confirmatory tests share one Holm family, all others are
// screened by Benjamini and Hochberg ([Design].Confirmatory). A design that was not
// shown able to answer its question is exploratory, and its report says so.
//
// # Reproducibility
//
// The same design gives the same shards and manifest, byte for byte, whatever the
// number of workers and however often the run was interrupted, as long as the
// agents are limited by simulations and not by time. That holds for sequential
// experiments too: where a cell stops depends on its games in their order alone. When
// and where the games were played stands in [LogFile], the one file that a repetition
// does not reproduce.
//
// # Memory
//
// An analysis reads the cells side by side and keeps running sums and at most 8,192
// pairs of each cell, so its memory depends on the design and not on the number of
// games.
package experiments
