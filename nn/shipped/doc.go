// Package shipped holds the trained networks that are part of the program, at most one for a ruleset: who has the
// program has an opponent that has learned, and a start for more training.
//
// A network is found by the content hash of the rules it was trained on ([ForRuleset]), so that a change of a rule
// never goes unnoticed, or by its id ([Open]), which is the id of its ruleset. Agents reach them as
// net:simulations=64 (the one of the ruleset that is played) and net:path=shipped:ID, the command line as shipped and
// shipped:ID wherever it takes a network.
//
// # Where they come from
//
// Each file is a checkpoint of a run, as nn.Network.Save writes it, and says in its notes what made it ([OriginOf]): the
// configuration of the run, its generations, games, samples and hours. docs/networks.md has their learning curves and
// their scores. To replace one, or to add one,
//
//	go run ./nn/shipped/internal/add -command "latro learn …" RUN
//
// which copies the newest network of the run and writes beside it what it says of two positions: the tests compare
// every later version of the program with that.
//
// Everything here is read-only and safe for concurrent use.
package shipped
