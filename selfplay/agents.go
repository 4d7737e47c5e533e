package selfplay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"latro/env"
	"latro/env/engine"
	"latro/mcts"
	"latro/nn"
)

// Factory builds an agent for a game from its specification. It may be called from several goroutines;
// each agent it returns is used by one.
type Factory func(spec mcts.Spec, g *engine.Game, rulesetHash string) (mcts.Agent, error)

// Agents is a Factory's memory: networks that were loaded and compiled once and are shared, read-only, by
// all agents that play them. The zero value is ready. Safe for concurrent use.
type Agents struct {
	// CacheMB is the memory for evaluations that all networks' agents share, in MiB: 0 is DefaultCacheMB, and
	// below 0 there is none. It changes no ply. Set it before the first agent is made.
	CacheMB int

	mu       sync.Mutex
	networks map[networkKey]*loaded
	once     sync.Once
	cache    *Cache
}

// networkKey is a file and how it was compiled.
type networkKey struct {
	path       string
	arithmetic nn.Arithmetic
}

type loaded struct {
	network   *nn.Network
	inference *nn.Inference
}

// timedLeaves is the number of leaves of one search that are evaluated together where time limits it and it has the network
// for itself: most of what batches gain, for the least that waiting for answers costs the search.
const timedLeaves = 2

// puctPriorTemperature makes the priors of PUCT flatter, which scored better in matches with few simulations: a search that follows
// a network too closely overlooks plies.
const puctPriorTemperature = 2

// netBatch is the number of leaves a network agent evaluates at once.
const netBatch = 32

// New implements Factory: the kinds of mcts.NewAgent, and
//
//	net                      the network that ships for the ruleset
//	net:path=FILE            a checkpoint file, or shipped:ID
//	net:run=DIR              the newest checkpoint of a run
//	    simulations=64       the budget of a search, per ply
//	    seconds=0.1          or its time (see mcts.SpecReader.ReadSeconds); simulations are then a limit beside it
//	    search=gumbel|puct   the algorithm; gumbel, with seconds puct (and the other options of mcts.SpecReader.ReadConfig)
//	    leaves=1             leaves of one search that are evaluated together; with seconds 2
//	    prior-temperature=2  makes PUCT's prior flatter; 1 is the network's own
//	    reuse=true           keeps PUCT's tree from ply to ply; gumbel refuses it, for its plan needs an empty one
//	    material=0           weight of the expected final material in a leaf's value
//	    probe=100            plies of a look ahead by alpha-beta at each leaf (see mcts.Prober); what the network was trained
//	                         with, mostly 0; also probe-value=0.5 and probe-prior=0.3, its weights in value and prior
//	    arithmetic=float32|int16   what the network multiplies; float32 (see nn.Int16)
//
// A checkpoint that was trained on other rules is refused; rules=any lets it play if the board and the
// encodings agree.
func (a *Agents) New(spec mcts.Spec, g *engine.Game, rulesetHash string) (mcts.Agent, error) {
	if spec.Kind != "net" {
		if !slices.Contains(mcts.Kinds(), spec.Kind) {
			kinds := slices.Sorted(slices.Values(append(mcts.Kinds(), "net")))
			return nil, fmt.Errorf("%w: %w %q: there is no kind %q; the kinds are %s", ErrInput, mcts.ErrSpec, spec.String(), spec.Kind, strings.Join(kinds, ", "))
		}
		agent, err := mcts.NewAgent(spec, g)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInput, err)
		}
		return agent, nil
	}
	o, err := parseNetOptions(spec)
	if err != nil {
		return nil, fmt.Errorf("%w: agent %s: %w", ErrInput, spec, err)
	}
	if o.path, err = ResolveNetwork(o.path, rulesetHash); err != nil {
		return nil, fmt.Errorf("agent %s: %w", spec, err)
	}
	l, err := a.load(o.path, o.arithmetic)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", spec, err)
	}
	encoder := env.NewEncoder(g)
	if err := l.network.CheckShape(ShapeOf(encoder)); err != nil {
		return nil, fmt.Errorf("%w: agent %s: %s: %w", ErrInput, spec, o.path, err)
	}
	if !o.anyRules {
		if err := l.network.CheckRuleset("this game", rulesetHash); err != nil {
			return nil, fmt.Errorf("%w: agent %s: %s: %w; add rules=any to let it play all the same", ErrInput, spec, o.path, err)
		}
	}
	ev, err := NewEvaluator(l.inference, encoder, netBatch, o.material)
	if err != nil {
		return nil, fmt.Errorf("%w: agent %s: %w", ErrInput, spec, err)
	}
	a.once.Do(func() { a.cache = newCacheMB(a.CacheMB) })
	if o.probe.Nodes == trainedProbe {
		o.probe.Nodes = probeOf(l.network)
	}
	own, err := probed(ev, o.probe)
	if err != nil {
		return nil, fmt.Errorf("%w: agent %s: %w", ErrInput, spec, err)
	}
	asked := own
	// What another agent or another game has paid for is no agent's own time.
	if a.cache != nil && o.search.Seconds == 0 {
		if asked, err = probed(a.cache.Over(ev, rulesetHash), o.probe); err != nil {
			return nil, fmt.Errorf("%w: agent %s: %w", ErrInput, spec, err)
		}
	}
	agent, err := mcts.NewNet(spec.String(), asked, o.search)
	if err != nil {
		return nil, fmt.Errorf("%w: agent %s: %w", ErrInput, spec, err)
	}
	return &netAgent{Net: agent, evaluator: own, hash: l.network.Hash()}, nil
}

// probed puts a look ahead over an evaluator, if one is asked for.
func probed(asked mcts.Evaluator, c mcts.ProbeConfig) (mcts.Evaluator, error) {
	if c.Nodes == 0 {
		return asked, nil
	}
	return mcts.NewProber(asked, c)
}

// netAgent is a network's agent that says which network it plays.
type netAgent struct {
	*mcts.Net
	evaluator mcts.Evaluator
	hash      string
}

// Evaluator is the network itself, with its look ahead if it has one, without the agents' cache: who drives a search of his own keeps what he likes.
func (a *netAgent) Evaluator() mcts.Evaluator { return a.evaluator }

// NetworkHash is the content hash of the agent's network.
func (a *netAgent) NetworkHash() string { return a.hash }

func (a *Agents) load(path string, arithmetic nn.Arithmetic) (*loaded, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := networkKey{path, arithmetic}
	if l, ok := a.networks[key]; ok {
		return l, nil
	}
	n, err := LoadNetwork(path)
	if err != nil {
		return nil, err
	}
	inf, err := nn.CompileWith(n, nn.CompileOptions{Arithmetic: arithmetic})
	if err != nil {
		return nil, err
	}
	if a.networks == nil {
		a.networks = map[networkKey]*loaded{}
	}
	l := &loaded{n, inf}
	a.networks[key] = l
	return l, nil
}

// trainedProbe stands for the look ahead that the network was trained with.
const trainedProbe = -1

type netOptions struct {
	path       string
	search     mcts.Config
	material   float64
	probe      mcts.ProbeConfig
	arithmetic nn.Arithmetic
	anyRules   bool
}

func parseNetOptions(spec mcts.Spec) (netOptions, error) {
	r := mcts.NewSpecReader(spec)
	o := netOptions{path: r.Text("path", "")}
	run := r.Text("run", "")
	o.search = readSearch(r)
	o.material = r.Float("material", 0, 0, 0.99)
	o.probe = mcts.DefaultProbe(r.Int("probe", trainedProbe, 0, mcts.MaxProbeNodes))
	o.probe.Value = r.Float("probe-value", o.probe.Value, 0, 1)
	o.probe.Prior = r.Float("probe-prior", o.probe.Prior, 0, 0.99)
	o.arithmetic = nn.Arithmetic(r.OneOf("arithmetic", string(nn.Float32), string(nn.Float32), string(nn.Int16)))
	o.anyRules = r.OneOf("rules", "same", "same", "any") == "any"
	if err := r.Done(); err != nil {
		return o, err
	}
	switch {
	case o.path != "" && run != "":
		return o, errors.New("a net agent takes path=FILE or run=DIR, not both")
	case o.path == "" && run == "":
		o.path = Shipped
	case isShipped(run): // where a run is asked for and a network that ships will do
		o.path = run
	case run != "":
		path, err := LatestCheckpoint(run)
		if err != nil {
			return o, err
		}
		o.path = path
	}
	return o, nil
}

// readSearch reads the options of the search. What the defaults were measured to be worth is in docs/methods.md.
func readSearch(r *mcts.SpecReader) mcts.Config {
	seconds, clock := r.ReadSeconds()
	base := mcts.DefaultGumbel(64)
	base.Noise = false
	if seconds > 0 {
		base = mcts.DefaultPUCT(mcts.MaxSimulations)
		base.Leaves = timedLeaves
	}
	base.PriorTemperature = 0 // not given
	c := r.ReadConfig(base)
	c.Seconds, c.Clock = seconds, clock
	if c.PriorTemperature == 0 {
		c.PriorTemperature = 1
		if c.Kind == mcts.PUCT {
			c.PriorTemperature = puctPriorTemperature
		}
	}
	c.ReuseTree = r.Bool("reuse", c.Kind == mcts.PUCT)
	return c
}

// Checkpoints are the paths of a run's networks, in the order of their generations from 0; there is at least one.
// The run may be at work.
func Checkpoints(dir string) ([]string, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if len(m.Checkpoints) == 0 {
		return nil, fmt.Errorf("%w: run %s has no checkpoint yet", ErrInput, dir)
	}
	paths := make([]string, len(m.Checkpoints))
	for i, c := range m.Checkpoints {
		paths[i] = filepath.Join(dir, c.Path)
	}
	return paths, nil
}

// LatestCheckpoint is the path of a run's newest network.
func LatestCheckpoint(dir string) (string, error) {
	paths, err := Checkpoints(dir)
	if err != nil {
		return "", err
	}
	path := paths[len(paths)-1]
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return path, nil
}
