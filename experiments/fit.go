package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"latro/env/seed"
	"latro/experiments/stats"
	"latro/mcts"
)

// FitOptions say how long an exploration may take and what of its design is free
// to be chosen for that.
type FitOptions struct {
	// Time is how long the pilot, the games and the report may take together.
	Time time.Duration
	// Workers is as in [RunOptions], and Factory too.
	Workers int
	Factory Factory
	// Budgets are sets of simulations of UCT players to choose from, the dearest set
	// first; the players of a set are joined by the random one. Nil: the design's
	// agents stay as they are.
	Budgets [][]int
	// Meet lets the two strongest players of a chosen set also play each other, which
	// says how much thinking is worth.
	Meet bool
	// MostPairs bounds the pairs of a cell; 0 leaves it to the time.
	MostPairs int
	// ChooseCap and ChooseMetric: the design's cap and primary metric are free.
	ChooseCap, ChooseMetric bool
}

// Fitted is a design made for a machine and a time. What was measured went into
// its numbers; its games depend on the design alone.
type Fitted struct {
	Design Design
	// PilotSeconds is what the pilot took, and GameSeconds what the games will take
	// with the given number of workers, if the machine stays as busy as it was.
	PilotSeconds float64
	GameSeconds  float64
	// Games is the number of games.
	Games int
	// Notes are sentences about what was chosen and what could not be had.
	Notes []string
}

const (
	// reportSeconds and reportShare of the time are for the report: a fixed part for
	// its figures, and one that grows with the games. No more than reportMost of a short
	// time goes there.
	reportSeconds, reportShare, reportMost = 8.0, 0.15, 0.3
	// slower allows for games that are a little longer, or a machine that is a little
	// busier, than in the pilot.
	slower = 1.1
	// likedPairs find a difference of about ten points with 80 % power; leastPairs are
	// those below which a search is given up for a cheaper one, and fewestPairs those
	// below which nothing can be said.
	likedPairs  = 200
	leastPairs  = 64
	fewestPairs = 8
	// maxFitted bounds the pairs of a cell: more would show differences too small to
	// matter, and the statistics that need every pair keep no more.
	maxFitted = sampleLimit
	// unitSeconds is about how long one unit takes, which a killed run loses.
	unitSeconds = 4.0
	// cappedInPilot is the share of pilot games that a cap may stop before a larger one
	// is tried.
	cappedInPilot = 0.03
)

// Each cap is tried if the one before stops too many games.
var fittedCaps = [...]int{400, 800, 1600}

// piloted is what a pilot measured of one cell.
type piloted struct {
	games   int
	seconds float64
	plies   []int
	capped  int
}

// pair is the time that a pair of games takes a worker.
func (p piloted) pair() float64 { return 2 * p.seconds / float64(max(1, p.games)) }

func (p piloted) cappedShare() float64 { return float64(p.capped) / float64(max(1, p.games)) }

// pilotCells plays at most so many pairs of every cell, all cells in turn and as many
// at once as there will be workers, until the time is over. A cell may end with no
// game.
func pilotCells(ctx context.Context, d Design, factory Factory, workers, most int, limit time.Duration) ([]piloted, error) {
	if err := d.Validate().err(); err != nil {
		return nil, err
	}
	cells, _, err := compile(d)
	if err != nil {
		return nil, err
	}
	trial := d
	trial.Seed = seed.Derive(d.Seed, seed.Experiment)
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var (
		mu    sync.Mutex
		next  int
		fault error
		out   = make([]piloted, len(cells))
		wg    sync.WaitGroup
	)
	for range workers {
		wg.Go(func() {
			made := map[int][2]mcts.Agent{}
			for {
				mu.Lock()
				t := next
				next++
				stop := fault != nil || t >= most*len(cells) || inTime.Err() != nil
				mu.Unlock()
				if stop {
					return
				}
				pair, cell := t/len(cells), t%len(cells)
				c := cells[cell]
				agents, ok := made[cell]
				var err error
				if !ok {
					for i, spec := range c.play {
						if agents[i], err = factory(spec, c.game, c.info.Hash); err != nil {
							err = fmt.Errorf("agent %s in %s: %w", spec, c.info.Name, err)
							break
						}
					}
					made[cell] = agents
				}
				began := time.Now()
				var games []int
				stopped := 0
				if err == nil {
					played, playErr := playUnit(inTime, trial, c, agents, pair, 1)
					err = playErr
					for i := range played {
						games = append(games, int(played[i].Plies))
						if played[i].Outcome == "capped" {
							stopped++
						}
					}
				}
				took := time.Since(began).Seconds()
				mu.Lock()
				switch {
				case err == nil:
					p := &out[cell]
					p.games += len(games)
					p.seconds += took
					p.plies = append(p.plies, games...)
					p.capped += stopped
				case inTime.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
				case fault == nil:
					fault = err
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, fault
}

// UCTAgents are the random player and a UCT player for each budget, by the names of
// [StrengthLadder].
func UCTAgents(budgets []int) []AgentRef {
	agents, _ := StrengthLadder(budgets, nil)
	var out []AgentRef
	for _, a := range agents {
		if a.Spec != "greedy" && !a.trained() && (len(budgets) > 0 || a.Spec == "random") {
			out = append(out, a)
		}
	}
	return out
}

// fitter carries the pilot's clock through the steps of Fit.
type fitter struct {
	FitOptions
	ctx   context.Context
	began time.Time
	notes []string
}

func (f *fitter) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// part is a share of the whole time, but never more than is left for games.
func (f *fitter) part(share float64) time.Duration {
	left := time.Duration(f.left() * float64(time.Second))
	return max(time.Second/20, min(time.Duration(share*float64(f.Time)), left/2))
}

// left is what is left for games, in seconds: without the report and without what has
// passed.
func (f *fitter) left() float64 {
	all := f.Time.Seconds()
	return all - math.Min(reportMost*all, reportSeconds+reportShare*all) - time.Since(f.began).Seconds()
}

// Fit chooses the players, the length cap, the primary metric (as far as they are
// free) and the number of pairs, so that the design's games and report take about
// the given time on this machine: it plays a pilot with games of their own, which are
// no part of the experiment. What it chooses stands in the design as plain numbers,
// so that the experiment can be repeated to the byte, however fast the machine is.
//
// The design must be complete but for these. A design whose games are too slow for
// even eight pairs in the time is an error that satisfies ErrInvalid and says what
// time would do.
func Fit(ctx context.Context, d Design, o FitOptions) (Fitted, error) {
	if o.Factory == nil {
		o.Factory = Builtin
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	f := &fitter{FitOptions: o, ctx: ctx, began: time.Now()}
	d.Pairs = max(d.Pairs, 1)
	margin := d.Margin
	if margin == 0 {
		d.Margin = 0.05 // any sound one, until the pilot has been played
	}
	endless := false
	if o.ChooseCap {
		var err error
		if d.Cap, endless, err = f.capByChance(d); err != nil {
			return Fitted{}, err
		}
	}
	if len(o.Budgets) > 0 {
		var err error
		if d, err = f.players(d, endless); err != nil {
			return Fitted{}, err
		}
	}
	costs, err := pilotCells(ctx, d, o.Factory, o.Workers, 32, f.part(0.08))
	if err != nil {
		return Fitted{}, err
	}
	cells := d.Cells()
	seconds, slowest := 0.0, 0.0
	for i, c := range costs {
		if c.games == 0 {
			return Fitted{}, f.tooSlow(d, fmt.Sprintf("not one pair of games of %s with %s ended within %s", cells[i].Ruleset.Name, cells[i].Agents(), f.part(0.08).Round(time.Second)), 4*f.Time)
		}
		seconds += c.pair()
		slowest = math.Max(slowest, c.pair())
	}
	each := slower * seconds / float64(o.Workers)
	pairs := int(f.left() / each)
	if pairs < fewestPairs {
		need := time.Duration((fewestPairs*each/(1-reportMost) + time.Since(f.began).Seconds()) * float64(time.Second))
		return Fitted{}, f.tooSlow(d, fmt.Sprintf("%d pairs of games for every ruleset and player are all that fit", max(0, pairs)), need)
	}
	if d.Pairs = min(pairs/fewestPairs*fewestPairs, maxFitted); o.MostPairs > 0 {
		d.Pairs = min(d.Pairs, o.MostPairs)
	}
	d.UnitPairs = int(math.Max(1, math.Min(16, unitSeconds/slowest)))
	d.UnitPairs = max(1, min(d.UnitPairs, d.Pairs/o.Workers))
	if o.ChooseMetric {
		f.metric(&d, cells, costs)
	}
	if margin == 0 {
		d.Margin = usualMargin(d, costs)
	}
	if d.Pairs < leastPairs {
		f.note("Only %d pairs for every ruleset and player fit into the time: large differences alone can be seen.", d.Pairs)
	}
	return Fitted{Design: d, PilotSeconds: time.Since(f.began).Seconds(), GameSeconds: each * float64(d.Pairs), Games: 2 * d.Pairs * len(cells), Notes: f.notes}, nil
}

func (f *fitter) tooSlow(d Design, what string, need time.Duration) error {
	minutes := math.Ceil(math.Max(1, need.Minutes()))
	return fmt.Errorf("%w: %.3g minutes are too few: %s. Give about %.0f minutes or more, a lower cap than %d plies, or cheaper players", ErrInvalid, f.Time.Minutes(), what, minutes, d.Cap)
}

// capByChance is the smallest cap that random games seldom reach; where even the
// largest stops many of them, the smallest, and the games count as endless.
func (f *fitter) capByChance(d Design) (plies int, endless bool, err error) {
	d.Agents, d.Matches = UCTAgents(nil), nil
	d.Cap = fittedCaps[len(fittedCaps)-1]
	costs, err := pilotCells(f.ctx, d, f.Factory, f.Workers, 32, f.part(0.03))
	if err != nil {
		return 0, false, err
	}
	for _, c := range fittedCaps {
		fits := true
		for _, p := range costs {
			long := 0
			for _, n := range p.plies {
				if n >= c {
					long++
				}
			}
			fits = fits && float64(long) <= cappedInPilot*float64(p.games)
		}
		if fits {
			return c, false, nil
		}
	}
	return fittedCaps[0], true, nil
}

// players chooses the budgets that the time can pay for.
func (f *fitter) players(d Design, endless bool) (Design, error) {
	cheapest := f.Budgets[len(f.Budgets)-1][0]
	d.Agents, d.Matches = UCTAgents([]int{cheapest}), nil
	var costs []piloted
	for {
		var err error
		if costs, err = pilotCells(f.ctx, d, f.Factory, f.Workers, 6, f.part(0.06)); err != nil {
			return d, err
		}
		most := 0.0
		for _, p := range costs {
			most = math.Max(most, p.cappedShare())
		}
		if !f.ChooseCap || endless || most <= cappedInPilot || d.Cap >= fittedCaps[len(fittedCaps)-1] {
			break
		}
		d.Cap *= 2
	}
	// Cells: for each ruleset the random player, then the search.
	chance, search, affordable := 0.0, 0.0, true
	for i := 0; i < len(costs); i += 2 {
		chance += costs[i].pair()
		search += costs[i+1].pair()
		affordable = affordable && costs[i+1].games > 0
	}
	perSimulation := search / float64(cheapest)
	usable := (f.left() - 0.08*f.Time.Seconds()) / slower
	pairsOf := func(budgets []int) float64 {
		cost := chance
		for i, b := range budgets {
			cost += perSimulation * float64(b)
			if f.Meet && i > 0 && i == len(budgets)-1 {
				cost += perSimulation * float64(b+budgets[i-1]) / 2
			}
		}
		return usable * float64(f.Workers) / cost
	}
	pick := -1
	for _, wanted := range []float64{likedPairs, leastPairs} {
		if pick < 0 && affordable {
			pick = slices.IndexFunc(f.Budgets, func(b []int) bool { return pairsOf(b) >= wanted })
		}
	}
	// With few pairs in any case, more of them say more than deeper thought.
	if last := len(f.Budgets) - 1; pick < 0 && affordable && pairsOf(f.Budgets[last]) >= 2*fewestPairs {
		pick = last
	}
	if pick < 0 {
		f.note("No search could be paid for: these games are too long for it in %.3g minutes. Only chance and the greedy player took part, and what they show may turn round under thoughtful play.", f.Time.Minutes())
		d.Agents = []AgentRef{{Name: "random", Spec: "random"}, {Name: "greedy", Spec: "greedy"}}
		return d, nil
	}
	budgets := f.Budgets[pick]
	d.Agents = UCTAgents(budgets)
	if n := len(budgets); f.Meet && n > 1 {
		d.Matches = []Match{{A: fmt.Sprintf("UCT %d", budgets[n-1]), B: fmt.Sprintf("UCT %d", budgets[n-2])}}
	}
	return d, nil
}

// metric turns to the share of unfinished games where so many are that nothing can
// be claimed about who wins.
func (f *fitter) metric(d *Design, cells []Cell, costs []piloted) {
	strongest := d.Strongest()
	for i, c := range cells {
		if !c.SelfPlay || c.Agent != strongest {
			continue
		}
		if stats.Wilson(costs[i].capped, costs[i].games, 0.95).Low > stats.MaxCappedShare {
			d.Metric = "capped-share"
			f.note("Many games of %s do not end within %d plies (%d of %d in the pilot with %s), so nothing could be said about who wins. The primary measure is therefore the share of games that do not end.",
				c.Ruleset.Name, d.Cap, costs[i].capped, costs[i].games, c.Agent)
			return
		}
	}
}

// Strongest is the name of the self-playing agent with the largest budget; the last
// one where none has a budget, "" where none plays itself.
func (d Design) Strongest() string {
	name, most := "", -1
	for _, a := range d.Agents {
		if !a.selfPlay() {
			continue
		}
		_, n, ok := budgetOf(a.Spec, 0)
		if !ok {
			n = 0
		}
		if n >= most {
			name, most = a.name(), n
		}
	}
	return name
}

// usualMargin is the smallest difference that an exploration takes to matter: five
// points of a share, a tenth of the length, one piece.
func usualMargin(d Design, costs []piloted) float64 {
	m, _ := metricByName(d.Metric)
	switch m.Unit {
	case "points":
		return 0.05
	case "plies":
		sum, n := 0.0, 0
		for _, c := range costs {
			for _, p := range c.plies {
				sum += float64(p)
				n++
			}
		}
		return math.Max(1, math.Round(sum/float64(max(1, n))/10))
	}
	return 1
}

// Needed is what is wrong with a design that [Fit] is still to complete: nil if
// nothing but what Fit chooses is missing.
func Needed(d Design) error {
	if len(d.Agents) == 0 {
		d.Agents = UCTAgents(nil)
	}
	if d.Margin == 0 {
		d.Margin = 0.05
	}
	return d.Validate().err()
}
