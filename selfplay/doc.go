// Package selfplay makes agents: it lets a network play itself, trains it on what it played, and finds out
// how strong it has become.
//
// # Runs
//
// A [Run] is a directory that holds everything about one training: the frozen [Config] (run.yaml), the
// [Manifest] of finished files, Arrow shards of games and samples, checkpoints, metrics.arrow. [Create] makes
// one, [Open] goes on with one, [Run.Learn] is the loop:
//
//	generation 0: the first network plays Games games against itself   -> shards
//	              the learner makes steps on the replay window          -> checkpoint 1
//	generation 1: checkpoint 1 plays …
//
// Generations are synchronous: all games of a generation are played by the same network, and the number of
// training steps follows from the number of samples. Game 17 of generation 3 draws from a random stream of its
// own (package seed), a network's answer does not depend on what else is in the batch (package nn), gradient
// sums run in fixed chunks, and shards hold games in order. So one seed gives the same bytes whatever the
// number of workers. Nor do evaluations that are remembered ([Cache]) change a byte: they are the computed ones.
//
// A process may be killed at any moment. Files are written whole to a temporary name and renamed, and count
// once the manifest, replaced in one step, names them. Opening the run removes leftovers, plays what is
// missing of the current generation, and goes on. Lost are only games that were in flight or waiting for
// their unit of GamesPerShard games to be complete; they are played again, to the same bytes.
//
// # Play
//
// [Table] and [PlayAll] play any number of games side by side between any [mcts.Agent], asking each
// [mcts.BatchAgent] for all its games at once. [Play] is a match: pairs of games from a common random
// start with colours changed over. [Agents] builds agents from specifications such as
// "net:run=DIR,simulations=64" or "uct:simulations=100". [Recorder] turns a game in progress into a row
// of a games shard.
//
// # Targets
//
// A sample's policy target is the search's improved policy. Its value target is the game's result for
// the player to move; for a game stopped by the length cap it is the search's value of the last position, since
// no rule of the game ended it. A third head learns the final material difference, which gives signal where
// games seldom end. Auxiliary heads ([TrainingConfig]) learn which pieces will be left, how many plies, and the
// opponent's reply; samples keep the survival mask of every position, a reply is found among the samples of the same
// game. In a game that a side gave up ([ResignConfig]) the resignation is the result, and what would have come
// afterwards teaches nothing.
//
// # Options of a run
//
// All that is off by default is left out of run.yaml: policy-surprise weighting, auxiliary heads, an opening
// temperature, resignation, a gate ([GatingConfig]), several rulesets ([Config].Rulesets, [Variant]). None of them
// costs a run its reproducibility: audits are drawn from streams of their own, an automatic resignation threshold is
// computed from finished generations and kept in the manifest, and the gate's match, if a kill interrupts it, is
// played again to the same score. docs/methods.md has their formulas and sources.
package selfplay
