package mcts

import (
	"errors"
	"fmt"
	"math"
)

// Kind names a search algorithm.
type Kind string

// The search algorithms.
const (
	// Gumbel is Gumbel AlphaZero (Danihelka et al., ICLR 2022): sequential halving at the root over
	// actions drawn without replacement, completed Q values, an improved policy as the training target.
	// It improves on its prior even with few simulations, so it is the default of self-play.
	Gumbel Kind = "gumbel"
	// PUCT is the search of AlphaGo Zero and AlphaZero (Silver et al. 2017, 2018) with first-play urgency
	// as in KataGo (Wu 2019). It has no plan of its budget, so it suits analysis, time limits, and trees kept
	// across plies.
	PUCT Kind = "puct"
)

// Limits that Config.Validate enforces; they bound memory, not strength.
const (
	// MaxSimulations is the largest budget of one search.
	MaxSimulations = 1 << 22
	// MaxLeaves is the largest number of leaves one search may have under evaluation.
	MaxLeaves = 256
)

// ErrConfig is wrapped by every error of Config.Validate.
var ErrConfig = errors.New("mcts: invalid configuration")

// Config says how to search. Take DefaultGumbel or DefaultPUCT and change what you need; the zero value
// is not valid.
type Config struct {
	// Kind is the algorithm.
	Kind Kind
	// Simulations is the budget of one search: descents from the root, 1..MaxSimulations. The evaluation
	// of the root itself comes on top and is not counted. A simulation that ends in a finished game, or in a
	// proven position, counts though it asks for no evaluation.
	Simulations int
	// Seconds ends a choice of the agent Net after so much time by Clock, 0 for no limit, at most 86400; Simulations remain
	// a limit beside it, and Gumbel search plans its halving for as many as the last choices had time for. Choices are then
	// not reproducible. Whoever drives a Search himself keeps his own clock: the Search does not look at one.
	Seconds float64
	// Clock is what Seconds are counted in; "" is CPUClock.
	Clock Clock
	// Leaves is the number of leaves that one search may have under evaluation at the same time,
	// 1..MaxLeaves. 1 is exact and right where many games are batched; more is for the analysis of
	// a single position, and costs some quality of search (virtual loss). More than 1 needs as many States:
	// Search.BeginParallel.
	Leaves int
	// Solver backs up proven wins, losses and draws exactly (Winands et al. 2008) and stops when the root is
	// proven.
	Solver bool
	// Noise makes the root explore: Gumbel noise, or Dirichlet noise for PUCT. On in self-play; off in
	// matches and analysis, where the search then draws no random number of its own.
	Noise bool
	// Temperature of the choice among root actions by PUCT: an action is drawn with probability
	// proportional to visits^(1/Temperature); 0 takes the most visited one. Gumbel search ignores it: its
	// exploration is the Gumbel noise. Range 0..100.
	Temperature float64

	// PriorTemperature makes PUCT's prior proportional to the evaluator's to the power of 1/PriorTemperature: above 1 it is
	// flatter, and the search sees more of the plies that a network has learned to leave aside. Gumbel search ignores it.
	// Range 0.1..100; 1 takes the prior as it is.
	PriorTemperature float64

	// MaxConsidered is Gumbel's m: the number of root actions that sequential halving starts with is
	// min(MaxConsidered, legal). 1..65535.
	MaxConsidered int
	// CVisit and CScale make the transformation sigma(q) = (CVisit + max_b N(b)) * CScale * q of
	// Danihelka et al., equation 8, for q in [-1, 1] in the mover's view. CVisit >= 0, CScale > 0.
	CVisit, CScale float64

	// CInit and CBase make PUCT's exploration rate c(N) = CInit + log((N + CBase + 1) / CBase) (Silver et
	// al. 2018, supplement), with N the visits of the node. CInit >= 0, CBase > 0.
	CInit, CBase float64
	// FPUReduction lowers the value assumed for an unvisited action below the node's own value, by
	// FPUReduction * sqrt(prior mass of the visited actions) (KataGo: Wu 2019). >= 0.
	FPUReduction float64
	// RootFPUReduction takes the place of FPUReduction at a root with noise: less pessimism there lets
	// the noise be heard. >= 0.
	RootFPUReduction float64
	// DirichletTotal is the concentration that the legal actions share: alpha = DirichletTotal / legal
	// (KataGo's scaling; 10.83 = 0.03 * 361 is AlphaGo Zero's on an empty Go board). > 0.
	DirichletTotal float64
	// DirichletFraction is the weight of the noise in the root's prior, 0..1.
	DirichletFraction float64
	// ReuseTree keeps, for PUCT, the part of the tree below the plies that were played
	// (Search.Advance). Gumbel's schedule supposes an empty root, so it refuses this.
	ReuseTree bool
}

// DefaultGumbel is the configuration of self-play: Gumbel with noise, m = 16, c_visit = 50 and c_scale =
// 1.0 (Danihelka et al. 2022), solver on.
func DefaultGumbel(simulations int) Config {
	c := defaults(simulations)
	c.Kind = Gumbel
	c.Noise = true
	return c
}

// DefaultPUCT is the configuration of matches and analysis: PUCT without noise, temperature 0, solver on.
func DefaultPUCT(simulations int) Config {
	c := defaults(simulations)
	c.Kind = PUCT
	return c
}

func defaults(simulations int) Config {
	return Config{
		Simulations:       simulations,
		Leaves:            1,
		Solver:            true,
		PriorTemperature:  1,
		MaxConsidered:     16,
		CVisit:            50,
		CScale:            1.0,
		CInit:             1.25,
		CBase:             19652,
		FPUReduction:      0.2,
		RootFPUReduction:  0.1,
		DirichletTotal:    10.83,
		DirichletFraction: 0.25,
	}
}

// Validate returns nil, or one error that wraps ErrConfig and names every field that is out of its range
// and what would be valid. Fields of the other algorithm are checked too: a configuration is sound as a
// whole.
func (c Config) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, args...)...))
	}
	within := func(name string, v, lo, hi float64) {
		if math.IsNaN(v) || v < lo || v > hi {
			bad("%s is %v; it must be in %v..%v", name, v, lo, hi)
		}
	}
	if c.Kind != Gumbel && c.Kind != PUCT {
		bad("Kind is %q; it must be %q or %q", c.Kind, Gumbel, PUCT)
	}
	within("Simulations", float64(c.Simulations), 1, MaxSimulations)
	within("Seconds", c.Seconds, 0, 86400)
	if err := c.Clock.validate(); err != nil {
		problems = append(problems, err)
	}
	within("Leaves", float64(c.Leaves), 1, MaxLeaves)
	within("Temperature", c.Temperature, 0, 100)
	within("PriorTemperature", c.PriorTemperature, 0.1, 100)
	within("MaxConsidered", float64(c.MaxConsidered), 1, math.MaxUint16)
	within("CVisit", c.CVisit, 0, 1e6)
	within("CScale", c.CScale, 1e-9, 1e6)
	within("CInit", c.CInit, 0, 1e6)
	within("CBase", c.CBase, 1e-9, 1e12)
	within("FPUReduction", c.FPUReduction, 0, 2)
	within("RootFPUReduction", c.RootFPUReduction, 0, 2)
	within("DirichletTotal", c.DirichletTotal, 1e-6, 1e6)
	within("DirichletFraction", c.DirichletFraction, 0, 1)
	if c.ReuseTree && c.Kind == Gumbel {
		bad("ReuseTree is set for %q, whose schedule needs an empty root; use %q, or leave it unset", Gumbel, PUCT)
	}
	return errors.Join(problems...)
}
