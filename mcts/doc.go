// Package mcts searches: it finds the ply to make, the value of a position, and the training target that a
// network learns from.
//
// # Parts
//
// A [Search] walks a tree over a [State] (an *engine.State) and asks an [Evaluator] for the prior and value of
// each new leaf. It does not call the evaluator itself: it hands out leaves and takes back answers, so
// that one call of a network can serve the leaves of many games. [RunAll], and [Runner] which keeps its
// memory, drive any number of searches that way:
//
//	s, err := mcts.New(mcts.DefaultGumbel(64))
//	err = s.Begin(state, rng)
//	err = mcts.RunAll([]*mcts.Search{s}, evaluator)
//	r := s.Result() // r.Action, r.Policy, r.Value, ...
//
// Evaluators here are [Uniform] and [Rollout]; networks are bound to the interface elsewhere. An [Agent]
// makes whole decisions and is what matches and experiments deal in: [Random], [Greedy], [UCT], [AlphaBeta], and [Net],
// a search over an evaluator that decides in many games at once ([BatchAgent]). [ParseSpec] and [NewAgent]
// read agents from text, "uct:simulations=100".
//
// # Values
//
// Every value in the package is the expected result for player 0, P(win) - P(loss), in [-1, 1]: in nodes,
// edges, leaves, results, decisions. A turn here may consist of several plies, so the player to move need not
// change from ply to ply; nothing is negated on the way up the tree. Selection looks at values from the
// mover's side through one function. In the formulas below q is in the mover's view.
//
// Notation: at a node, P(a) is the softmax of the evaluator's logits, N(a) the visits of ply a, N their sum, q(a)
// the mean of the values backed up through a, v the evaluator's value of the node.
//
// # Gumbel search
//
// The default of self-play (Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with
// Gumbel, ICLR 2022). With noise, each root ply gets g(a) from the standard Gumbel distribution; without, 0.
//
//   - Root: m = min(MaxConsidered, legal) plies with the highest g(a) + log P(a) are considered. Sequential
//     halving (Karnin, Koren, Somekh 2013) spends n simulations in ceil(log2 m) phases, each giving
//     max(1, floor(n / (ceil(log2 m) * considered))) visits to every considered ply and keeping the better half, at
//     least two, by g(a) + log P(a) + sigma(q(a)). As in the authors' implementation (google-deepmind/mctx) this is a
//     sequence of visit counts: a simulation takes the best-scoring ply among those with the count that is due.
//   - sigma(q) = (CVisit + max_b N(b)) * CScale * q, with CVisit = 50 and CScale = 1 (equation 8). mctx rescales q
//     to [0, 1] by its minimum and maximum and uses a factor of 0.1; here q stays in [-1, 1] and is not rescaled.
//   - Completed Q: a ply without a value of its own gets v_mix = (v + N * sum P(a) q(a) / sum P(a)) / (1 + N), sums
//     over the visited plies (appendix D).
//   - Improved policy, the training target: pi' = softmax(log P + sigma(completed q)) (equation 11).
//   - Below the root: the ply with the highest pi'(a) - N(a) / (1 + N) (section 5, equation 14), and at nodes with more than
//     64 visits the one that PUCT takes. That is ours: sigma grows with the visits, and with thousands of them a ply that looked
//     bad once would hardly be tried again.
//   - Play: the best score among the most visited.
//
// With few simulations this improves on the prior, which PUCT does not promise.
//
// # PUCT
//
// For matches and analysis (Silver et al. 2017, 2018): the ply with the highest
//
//	q(a) + c P(a) sqrt(1 + N) / (1 + N(a)),   c = CInit + log((N + CBase + 1) / CBase).
//
// A ply without visits counts as the node's value less FPUReduction * sqrt(prior mass of the visited plies) (first-play
// urgency as in KataGo: Wu, Accelerating self-play learning in Go, 2019). With noise the root's prior is mixed with a
// draw from a Dirichlet distribution whose concentration DirichletTotal is shared by the legal plies, so that boards of
// any size explore alike. The ply is drawn by visits^(1/Temperature), and the training target is the share of the
// visits. With ReuseTree, [Search.Advance] keeps the part of the tree that a ply leads to.
// PriorTemperature makes P flatter.
//
// # Solver
//
// Results that are proven are backed up exactly (Winands, Björnsson, Saito: Monte-Carlo tree search solver, 2008),
// for player 0 and for any order of players: a node is won for its mover if one ply is proven won for him; if all its
// plies are proven he has the best of them. Proven plies are not searched again, and a node with a proven draw hands up
// no value that is worse for its mover (score bounds: Cazenave and Saffidine 2010). A proven root ends the search.
//
// A game that was stopped (outcome capped) proves nothing. Repetition rules make results depend on the
// history. Here that is sound without further care, because a node stands for one line of plies from the root, that
// is for one history; there is no table that shares nodes between lines. A proof holds for the root with the history
// it has, and so does the subtree that Advance keeps, for its root extends that history.
//
// # Alpha-beta
//
// [AlphaBeta] is the classical opponent: iterative deepening, principal variation search in an aspiration window, a
// transposition table, plies ordered by the table's ply, captures, killers and history, late plies reduced, and captures
// followed beyond the depth. Its leaves are judged by an [Evaluation], a sum of features with weights that were fitted to the
// results of games (internal/fit makes the table weights.json, which says from what). Scores are for the player to move, and
// are turned only where that player changes.
//
// The table shares results between lines of plies, which is sound only as far as results do not depend on the line. So
// an entry carries beside the position's hash a context: the count of plies without capture where it is limited, whose turns
// were passes, the last turns where undoing is banned, and of the positions of the line those that a repetition rule can
// make matter before the horizon (see gameLore). What lies before the root is the same for all lines, and the table is
// emptied for each choice. A win or loss that the agent reports as proven, and a draw in a game small enough to be
// searched to the end of every line, hold for the history it was asked about, but for two positions of one search that
// share all 96 bits of hash and context. Rules that forbid every repetition leave little to share there; its best plies
// still order the search.
//
// # Forced plies
//
// A position with one legal ply needs no decision: at the root the search is over at once (Result.Forced), and inside
// the tree a simulation goes on through it without an evaluation, for up to 64 plies in a row.
//
// # Many leaves at once
//
// Batching across games is exact: a search sees the answers to its own leaves only, in the same order whatever the
// company, and draws only from its own random stream. A single position can be batched too, by Config.Leaves > 1 and
// [Search.BeginParallel]: paths whose leaf is under evaluation then count as visited, and for PUCT as lost (virtual
// loss, Chaslot, Winands, van den Herik 2008), until the answer comes. That changes the search a little and costs
// strength for a given number of simulations.
//
// # Time
//
// A limit in seconds counts the processor time of the thread that searches ([CPUClock]; on Linux, elsewhere the wall clock),
// the evaluator's included: agents with the same limit do the same work however busy the machine is, which is what a match
// needs. [WallClock] is for people who wait. A Net with a limit in seconds searches one game after the other.
//
// # Memory and speed
//
// A tree lies in flat arrays, a node's edges side by side, and is reused from search to search: in steady state a
// simulation allocates nothing. A tree takes 48 bytes for each node and 29 for each legal ply of its nodes.
// Processor time a simulation, the engine's share included and an evaluator's excluded (the benchmarks of this package,
// on one core of an AMD EPYC that was shared): bell-8x7, Gumbel with 64 simulations 3.5 µs, PUCT with 64 2.1 µs and with
// 800 4.0 µs; webdux, Gumbel with 64 7.5 µs. A playout of UCT on bell-8x7 takes 30 µs.
// Searches, agents and evaluators are each for one goroutine at a time; any number of them may share one *engine.Game.
//
// # Reproducibility
//
// Choices are functions of position, history, configuration, random stream and evaluations; those of a [Net] with ReuseTree
// also of its earlier choices in the same game. Clocks are looked at for the option Seconds of [Config], [UCTConfig] and
// [AlphaBetaConfig] only; [Reproducible] tells such agents. Logarithms and exponentials of the
// standard library may differ in the last bit between processor architectures, so byte-identity is promised within one.
// Alpha-beta chooses in whole numbers, alike on all.
package mcts
