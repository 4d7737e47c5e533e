package main

import "latro/selfplay/analysis"

// analyseCmd is latro analyse.
type analyseCmd struct {
	Mode            string   `enum:"analyse,play" default:"analyse" help:"analyse: everything about a position; play: the ply to make."`
	Agent           string   `short:"a" default:"uct:simulations=400" placeholder:"AGENT" help:"Who analyses or plays, as kind:option=value,…"`
	Ruleset         string   `short:"r" placeholder:"RULESET" help:"Ruleset of queries that name none: an id, id@reading, or a file."`
	Set             []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule of --ruleset; may be repeated."`
	Notation        string   `enum:"latro,oracle" default:"latro" help:"How plies are written, in queries and answers: latro or oracle."`
	Threads         int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change an answer."`
	Batch           int      `default:"32" help:"Positions that a thread searches side by side with a network. Does not change an answer."`
	PositionThreads int      `default:"1" placeholder:"N" help:"Goroutines that evaluate the leaves of one position together with a network: for one position at a time, give --threads 1 and the number of cores here. Does not change an answer."`
	Cache           int      `default:"64" placeholder:"MB" help:"Memory for evaluations that were made already, in MiB; 0 is none. Does not change an answer."`
	Memory          int      `default:"1024" placeholder:"MB" help:"About the memory for search trees, in MiB; positions wait for it."`
	MaxSimulations  int      `default:"100000" placeholder:"N" help:"Largest number of simulations of a position."`
	Files           bool     `help:"Let queries name ruleset files."`
	Seed            uint64   `default:"1" help:"Root of the random streams of queries without a seed."`
}

// Help is shown by --help.
func (analyseCmd) Help() string {
	return `Reads queries from standard input, one JSON object a line, and writes answers to standard output, one JSON object a
line; docs/analysis.md describes every field. Queries may be sent before others are answered: they are searched
together, and answers bear the id of their query, in any order. The end of the input ends the program once all is
answered.

With --mode play a query is a position and the answer is the ply to make, in the order of the queries.

The agents are those of latro match --help, and two that search without a network: uniform and rollout. Their seconds
are those that who asks has to wait.

Examples:
  latro analyse --ruleset bell-8x7      # then queries, a line each
  latro analyse --agent net:run=runs/bell,simulations=800,leaves=8 --ruleset bell-8x7
  latro analyse --agent rollout:simulations=1000,playouts=2
  latro analyse --mode play --agent uct:simulations=1000 --notation oracle
  latro analyse --mode play --agent net:seconds=0.5,leaves=16 --threads 1 --position-threads 2 --ruleset bell-8x7

  {"id":"a","ruleset":"bell-8x7","moves":["@c3","@d4"],"simulations":800,"include_policy":true}
  {"id":"b","ruleset":"luductus","moves":[],"seconds":0.5,"report_every":0.1}
  {"id":"c","action":"terminate","terminate_id":"a"}
  {"id":"d","ruleset":"bell-8x7","moves":["@c3"],"avoid_moves":[{"moves":["@d4"]}]}`
}

// Run does it.
func (c *analyseCmd) Run(a *app) error {
	s, err := analysis.New(analysis.Config{
		Mode: analysis.Mode(c.Mode), Notation: analysis.Notation(c.Notation), Agent: c.Agent,
		Ruleset: c.Ruleset, Set: c.Set, Files: c.Files, Threads: c.Threads, Batch: c.Batch, PositionThreads: c.PositionThreads, CacheMB: c.Cache,
		MemoryMB: c.Memory, MaxSimulations: c.MaxSimulations, Seed: c.Seed, Version: version,
	})
	if err != nil {
		return err
	}
	return s.Serve(a.ctx, a.stdin, a.stdout)
}
