package analysis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
	"latro/selfplay"
)

// searchAgent is what an agent offers that searches over an evaluator.
type searchAgent interface {
	Config() mcts.Config
	Evaluator() mcts.Evaluator
}

// outcomer is an evaluator that tells win, draw and loss apart.
type outcomer interface {
	Outcomes(s *engine.State) (win, draw, loss float64, err error)
}

// binding is the server's agent bound to a ruleset. It is immutable and shared.
type binding struct {
	rules *rules.Ruleset
	game  *engine.Game
	hash  string // of the ruleset
	spec  mcts.Spec
	name  string // of the agent
	// search is the configuration of a search over an evaluator, nil for other agents. timed is the
	// one for queries with a time limit.
	search, timed *mcts.Config
	uct           bool
	// simulations is the agent's own budget, 0 if it is not counted in simulations; seconds that of its time, of an agent
	// that is searched step by step.
	simulations int
	seconds     float64
	network     string // hash of the network, "" without one
	prefix      string // of the cache's keys: one for each network and ruleset
	build       func() (*player, error)
}

// player is what one thread needs to search with a binding. Of the fields only those are set that the kind
// of agent has.
type player struct {
	evaluator mcts.Evaluator
	outcomes  outcomer
	uct       *mcts.UCT
	free      []*mcts.Search
}

// isFile says whether a reference names a file, not an entry of the catalogue.
func isFile(ref string) bool {
	name := ref
	if i := strings.IndexAny(name, "@+"); i >= 0 {
		name = name[:i]
	}
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// bind compiles a ruleset and makes the agent for it.
func (s *Server) bind(ref string, set []string) (*binding, error) {
	r, err := rules.Open(ref, set...)
	if err != nil {
		return nil, err
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		return nil, err
	}
	s.bound++
	b := &binding{
		rules: r, game: g, hash: r.Hash(), spec: s.spec, name: s.spec.String(),
		prefix: string(binary.LittleEndian.AppendUint64(nil, s.bound)),
	}
	switch s.spec.Kind {
	case "uniform", "rollout":
		err = s.bindBare(b)
	default:
		err = s.bindAgent(b)
	}
	if err != nil {
		return nil, err
	}
	if b.search != nil {
		if b.timed == nil {
			timed := *b.search
			b.timed = &timed
		}
		b.timed.Kind = mcts.PUCT
		b.simulations = b.search.Simulations
	}
	if b.seconds > 0 {
		b.simulations = min(b.simulations, s.cfg.MaxSimulations)
	}
	if b.simulations > s.cfg.MaxSimulations {
		return nil, fmt.Errorf("%w: agent %s has %d simulations, and no more than %d are allowed", selfplay.ErrInput, b.name, b.simulations, s.cfg.MaxSimulations)
	}
	return b, nil
}

// bindBare makes the agents that exist only here: searches without a network.
func (s *Server) bindBare(b *binding) error {
	r := mcts.NewSpecReader(s.spec)
	cfg := r.ReadConfig(mcts.DefaultPUCT(400))
	cfg.ReuseTree = r.Bool("reuse", cfg.Kind == mcts.PUCT)
	rollout := mcts.Rollout{}
	if s.spec.Kind == "rollout" {
		rollout.Playouts = r.Int("playouts", 1, 1, 1000)
		rollout.Cutoff = r.Int("cutoff", mcts.DefaultCutoff, 1, 100000)
		rollout.Material = r.Float("material", mcts.DefaultMaterial, 0, 1)
	}
	if err := r.Done(); err != nil {
		return fmt.Errorf("%w: %w", selfplay.ErrInput, err)
	}
	b.search = &cfg
	b.build = func() (*player, error) {
		if s.spec.Kind == "uniform" {
			return &player{evaluator: mcts.Uniform{}}, nil
		}
		own := rollout
		return &player{evaluator: &own}, nil
	}
	return nil
}

func (s *Server) bindAgent(b *binding) error {
	agent, err := s.agents.New(s.spec, b.game, b.hash)
	switch {
	case err == nil:
	case s.spec.Kind != "net" && !slices.Contains(mcts.Kinds(), s.spec.Kind):
		return fmt.Errorf("%w; and for analysis rollout, uniform", err)
	default:
		return err
	}
	if h, ok := agent.(interface{ NetworkHash() string }); ok {
		b.network = h.NetworkHash()
	}
	switch a := agent.(type) {
	case searchAgent:
		cfg := a.Config()
		if b.seconds, err = secondsOf(b, cfg.Seconds); err != nil {
			return err
		}
		if b.timed, err = s.timedConfig(b); err != nil {
			return err
		}
		cfg.Seconds = 0
		if _, named := s.spec.Options["search"]; !named && s.cfg.Mode == Analyse {
			cfg.Kind = mcts.PUCT
		}
		b.search = &cfg
	case *mcts.UCT:
		if b.seconds, err = secondsOf(b, a.Config().Seconds); err != nil {
			return err
		}
		b.uct, b.simulations = true, a.Config().Simulations
	default:
		if _, timed := b.spec.Options["seconds"]; timed && b.spec.Options["clock"] == "" {
			b.spec.Options = maps.Clone(b.spec.Options)
			b.spec.Options["clock"] = string(mcts.WallClock) // whoever asks waits
		}
	}
	b.build = func() (*player, error) {
		agent, err := s.agents.New(s.spec, b.game, b.hash)
		if err != nil {
			return nil, err
		}
		p := new(player)
		switch a := agent.(type) {
		case searchAgent:
			p.evaluator = a.Evaluator()
			p.outcomes, _ = p.evaluator.(outcomer)
			if b.network != "" && s.cfg.PositionThreads > 1 {
				if p.evaluator, err = s.spread(b, p.evaluator); err != nil {
					return nil, err
				}
			}
			if b.network != "" && s.cache != nil {
				p.evaluator = &cached{ev: p.evaluator, cache: s.cache, prefix: b.prefix}
			}
		case *mcts.UCT:
			p.uct = a
		}
		return p, nil
	}
	return nil
}

// secondsOf is the time that an agent which is searched step by step has for a position. It is measured by the clock on
// the wall: a thread searches several positions at once.
func secondsOf(b *binding, seconds float64) (float64, error) {
	if b.spec.Options["clock"] == string(mcts.CPUClock) {
		return 0, fmt.Errorf("%w: agent %s: here seconds are those that who asks waits, clock=wall", selfplay.ErrInput, b.name)
	}
	return seconds, nil
}

// timedConfig is how the agent would search within a time.
func (s *Server) timedConfig(b *binding) (*mcts.Config, error) {
	spec := mcts.Spec{Kind: b.spec.Kind, Options: maps.Clone(b.spec.Options)}
	if _, timed := spec.Options["seconds"]; !timed {
		spec.Options["seconds"] = "1"
	}
	agent, err := s.agents.New(spec, b.game, b.hash)
	if err != nil {
		return nil, err
	}
	cfg := agent.(searchAgent).Config()
	cfg.Seconds = 0 // the server's clock ends the search
	return &cfg, nil
}

// spread makes an evaluator of Config.PositionThreads evaluators of the agent, of which the first is there already.
func (s *Server) spread(b *binding, first mcts.Evaluator) (mcts.Evaluator, error) {
	x := &spread{first}
	for len(*x) < s.cfg.PositionThreads {
		agent, err := s.agents.New(b.spec, b.game, b.hash)
		if err != nil {
			return nil, err
		}
		*x = append(*x, agent.(searchAgent).Evaluator())
	}
	return x, nil
}

// agentFor makes the agent, of a kind that is not searched step by step, with other budgets, where any is given.
func (s *Server) agentFor(b *binding, simulations, nodes int, seconds float64) (mcts.Agent, error) {
	spec := mcts.Spec{Kind: b.spec.Kind, Options: maps.Clone(b.spec.Options)}
	field := ""
	set := func(option, value string) {
		if field == "" {
			// What is asked for takes the place of the agent's own.
			for _, own := range []string{"simulations", "seconds", "clock", "nodes", "depth"} {
				delete(spec.Options, own)
			}
			field = option
		}
		spec.Options[option] = value
	}
	if simulations > 0 {
		set("simulations", strconv.Itoa(simulations))
	}
	if nodes > 0 {
		set("nodes", strconv.Itoa(nodes))
	}
	if seconds > 0 {
		set("seconds", strconv.FormatFloat(seconds, 'g', -1, 64))
		spec.Options["clock"] = string(mcts.WallClock) // whoever asks waits
	}
	agent, err := s.agents.New(spec, b.game, b.hash)
	if err != nil && field != "" && errors.Is(err, mcts.ErrSpec) {
		return nil, &queryError{Field: field, Message: fmt.Sprintf("the agent %s has no such budget: %v", b.name, err)}
	}
	return agent, err
}

// search returns a search that is not in use.
func (p *player) search(cfg mcts.Config) (*mcts.Search, error) {
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s, s.Configure(cfg)
	}
	return mcts.New(cfg)
}

// largestKept is the size of the largest tree whose memory is kept for the next search.
const largestKept = 1 << 20

// giveBack takes a search for use by another job.
func (p *player) giveBack(s *mcts.Search) {
	if s.Bytes() <= largestKept {
		p.free = append(p.free, s)
	}
}
