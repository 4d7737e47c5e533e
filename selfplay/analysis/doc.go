// Package analysis answers questions about positions, one JSON object a line: it is how other programs use latro.
//
// A [Server] reads queries from a stream and writes answers to another. Every field of both is described in
// docs/analysis.md; in short,
//
//	{"id":"q1","ruleset":"bell-8x7","moves":["@c3","@d4"],"simulations":400}
//
// asks for the position after two plies, and the answer has the ply to make, the value, and for every ply that was
// searched its visits, prior, value and continuation. With [Play] as the mode a query is a position and the
// answer a ply, within a time limit if one is given; that is how matches against other programs are played.
//
// # How positions are searched
//
// A position of a query is a job. A fixed number of threads each take jobs from one queue, by priority and then
// in the order of their arrival. A thread whose agent searches with a network carries up to Config.Batch jobs
// side by side: in each round it takes one leaf (or as many as the agent has leaves) of each of them and evaluates all
// in one call. A job that is done makes place for the next at once, so the batches stay full. Evaluations are kept
// in a cache whose key holds all that the network sees, and the legal plies, byte for byte.
//
// # Agents
//
// Agents are named as everywhere ([selfplay.Agents]). Two more kinds exist here, which search like a network's
// agent, but without a network: uniform (equal priors, value 0) and rollout (equal priors, random playouts). Those
// three and uct are searched step by step: their answers hold all plies that were tried, and they keep to time limits.
// Of every other agent there is its choice, and its value if it has one.
//
// In mode Analyse a search whose specification does not name an algorithm is PUCT; in mode Play it is what the agent
// plays in matches. A query with a time limit is always PUCT: Gumbel's schedule has to know its budget.
//
// # What an answer depends on
//
// The answer to a query without a time limit is a function of the query, the agent and the seed: not of the number of
// threads, of what else is in flight, or of the cache. In mode Play, the ply is the one that latro play and a match
// would make with that random stream.
//
// # Bounds
//
// Everything a query can ask for is bounded: the length of its line, of its list of plies, the simulations, the time,
// the memory of the trees (jobs wait until theirs is free), the number of jobs that wait (then no further line is
// read). A bad query is answered with an error that names the id, the field and the line, and changes nothing else.
package analysis
