// Command latro tests reconstructions of the ancient games of custodial capture: it plays them, trains agents
// for them from nothing, and measures what each rule does to balance and length.
//
//	latro quickstart         two networks trained from nothing, two rulesets compared, one report
//	latro rules list         the catalogue of rulesets
//	latro rules show         a ruleset in plain words, with diagram, sources and open questions
//	latro rules diff         two rulesets parameter by parameter
//	latro rules new          a ruleset file to start from, every parameter explained
//	latro rules check        every mistake of a ruleset file at once
//	latro rules audit        how played games go wrong, and what the rules leave open
//	latro rules perft        counts of ply sequences, or a check of recorded counts
//	latro rules replay       recorded games compared ply by ply
//	latro play               a game in the terminal
//	latro learn              self-play and training in turn
//	latro selfplay           the games of a run's current generation
//	latro train              the training steps of a run's current generation
//	latro net info           what a network is: size, board, ruleset, inputs, tensors
//	latro net new            a network with random parameters
//	latro net export         a network as ONNX or safetensors
//	latro net import         a network from safetensors
//	latro net diff           two networks compared: architecture, parameters, play
//	latro net transfer       a network carried over to other rules, or to more blocks
//	latro net grade          a network against the exact values of a solved game
//	latro match              one agent against another in colour-balanced pairs
//	latro ladder             a pool of checkpoints and fixed opponents, rated by Elo
//	latro analyse            analysis for other programs, and play against them, as JSON lines
//	latro solve              the value of every position of a small game
//	latro experiment plan    what a design costs and what it can show
//	latro experiment run     a design's games, and their report
//	latro experiment report  the report again
//	latro data inspect       a summary of data files
//	latro data verify        data files checked row by row, games replayed
//	latro data export        a data file as CSV, JSON lines, Parquet, NumPy arrays or Ludii trials
//	latro data import        games that Ludii played, as a data file
//	latro bench playouts     random playouts a second
//	latro bench net          network evaluations a second
//	latro bench search       search simulations a second
//	latro version            versions of the program and of its formats
//
// Every command explains itself with --help, which ends with examples.
//
// # Output
//
// Results go to standard output, progress and errors to standard error: a bar where that is a terminal, elsewhere
// a log line at the start and the end of each job and every ten seconds between them. With --json one JSON value
// is all that goes to standard output. The same --seed gives the same result whatever the number of --workers.
//
// # Exit codes
//
// 0 done; 1 failed (a recorded game differs, the disk is full); 2 wrong input (the command line, a ruleset, a
// design, a damaged data file, a checkpoint of other rules); 130 interrupted. After 1 and 130, as after a kill,
// runs, experiments and ladders with --out keep what was finished, and the same command goes on from there.
package main
