package analysis

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"latro/mcts"
	"latro/selfplay"
)

// Mode is what a server does with a position.
type Mode string

// The modes.
const (
	// Analyse answers with all that the search found, in the order in which the searches end.
	Analyse Mode = "analyse"
	// Play answers with a ply, in the order of the queries.
	Play Mode = "play"
)

// Notation is how plies are written in queries and answers.
type Notation string

// The notations.
const (
	// Latro is the notation of engine.State.Format: c2-c5, c2^c4, @c2, @@c2, xc3, + and --.
	Latro Notation = "latro"
	// Oracle is the notation of recorded games (package oracle): M2.3-2.6, H2.3-2.5, P3.4, D3.4, X4.5, R and -.
	Oracle Notation = "oracle"
)

// Protocol is the version of the queries and answers. Fields that are added do not change it; one that means something
// else, or is gone, does.
const Protocol = 1

// Bounds of what a query may hold.
const (
	// MaxLine is the longest line of input, in bytes without its end.
	MaxLine = 1 << 20
	// MaxID is the longest id of a query, in bytes.
	MaxID = 1000
	// MaxMoves is the longest list of plies.
	MaxMoves = 20000
	// MaxPlies is the largest number of positions that one query asks about.
	MaxPlies = 5000
	// MaxSeconds is the longest time that a query may ask for.
	MaxSeconds = 86400
	// MaxTree is the largest number of plies of the tree that an answer shows, MaxTreeDepth its depth.
	MaxTree      = 2000
	MaxTreeDepth = 16
	// MaxAvoid is the largest number of plies in avoid_moves and in allow_moves, MaxAvoidDepth the depth to which they reach.
	MaxAvoid      = 5000
	MaxAvoidDepth = 100
	// MaxGame is the longest name of a game, in bytes.
	MaxGame = 1000
	// MaxVariation is the longest continuation that an answer shows, in plies.
	MaxVariation = 200
	// MaxWaiting is the number of positions that may wait; with more, no further line is read.
	MaxWaiting = 4096
)

// Config says how a server works. Take DefaultConfig and change what you need.
type Config struct {
	Mode     Mode
	Notation Notation
	// Agent is who analyses or plays, as kind:option=value,…
	Agent string
	// Ruleset is the ruleset of queries that name none: an id, id@reading or a file. Empty lets every query name
	// its own. Set holds overrides "parameter=value", which go with Ruleset.
	Ruleset string
	Set     []string
	// Files lets queries name ruleset files too, not only rulesets of the catalogue.
	Files bool
	// Threads is the number of goroutines that search; 0 is one a core.
	Threads int
	// Batch is the number of positions that one thread searches side by side with a network, 1..1024.
	Batch int
	// PositionThreads is the number of goroutines, each with its own copy of the network's working memory, that evaluate
	// the leaves of one thread together, 1..64. It is worth something where there are fewer positions than cores, and
	// the agent has leaves=8 or more; with it, set Threads to the number of positions at a time.
	PositionThreads int
	// CacheMB is the memory for evaluations that were made already, in MiB; 0 keeps none.
	CacheMB int
	// MemoryMB is about the memory for search trees, in MiB, at least 16. Positions wait while the estimates
	// of those under search reach it.
	MemoryMB int
	// MaxSimulations is the largest number of simulations of one position, 1..mcts.MaxSimulations; the budget of
	// the agent too must lie within it.
	MaxSimulations int
	// Seed is the root of the random streams of queries that have no seed of their own.
	Seed uint64
	// Version is told to who asks for it.
	Version string
}

// DefaultAgent needs no network and plays every ruleset.
const DefaultAgent = "uct:simulations=400"

// DefaultConfig analyses every ruleset by UCT.
func DefaultConfig() Config {
	return Config{
		Mode: Analyse, Notation: Latro, Agent: DefaultAgent,
		Batch: 32, PositionThreads: 1, CacheMB: 64, MemoryMB: 1024, MaxSimulations: 100_000, Seed: 1,
	}
}

// ErrConfig is wrapped by every error of Config.Validate. It wraps selfplay.ErrInput.
var ErrConfig = fmt.Errorf("analysis: invalid configuration: %w", selfplay.ErrInput)

// Validate returns nil, or one error that wraps ErrConfig and names every field out of its range.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
	}
	within := func(name string, v, lo, hi int) {
		if v < lo || v > hi {
			bad("%s is %d; it must be in %d..%d", name, v, lo, hi)
		}
	}
	if c.Mode != Analyse && c.Mode != Play {
		bad("Mode is %q; it must be %q or %q", c.Mode, Analyse, Play)
	}
	if !c.Notation.valid() {
		bad("Notation is %q; it must be %q or %q", c.Notation, Latro, Oracle)
	}
	within("Threads", c.Threads, 0, 1024)
	within("Batch", c.Batch, 1, 1024)
	within("PositionThreads", c.PositionThreads, 1, 64)
	within("CacheMB", c.CacheMB, 0, math.MaxInt32)
	within("MemoryMB", c.MemoryMB, 16, math.MaxInt32)
	within("MaxSimulations", c.MaxSimulations, 1, mcts.MaxSimulations)
	if c.Ruleset == "" && len(c.Set) > 0 {
		bad("Set has overrides, but there is no Ruleset that they could change")
	}
	return errors.Join(problems...)
}

// threads is the number of goroutines.
func (c Config) threads() int {
	if c.Threads > 0 {
		return c.Threads
	}
	return runtime.GOMAXPROCS(0)
}
