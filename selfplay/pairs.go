package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
)

// MatchConfig is a match of agent A against agent B: pairs of games, the two games of a pair from the same
// start with the colours changed over.
type MatchConfig struct {
	Ruleset *rules.Ruleset
	A, B    mcts.Spec
	// Pairs of games.
	Pairs int
	// FirstPair is the number of the first one, for a match that is played in parts: a pair depends on its number,
	// not on the part that it is played in.
	FirstPair int
	// OpeningPlies is the number of uniformly random legal plies before the agents take over, drawn anew
	// for each pair: without them two agents that do not draw would play one game over and over.
	OpeningPlies int
	// MaxPlies caps a game, its opening included; 0 is no cap.
	MaxPlies int
	Seed     uint64
	// Workers is the number of goroutines; 0 is one a core. It does not change the result.
	Workers int
	// Batch is the number of pairs that a worker plays at once; 0 is 16.
	Batch int
	// Done, if set, is called after each pair is finished, from one goroutine at a time.
	Done func(PairResult)
}

// PairResult is one pair of games.
type PairResult struct {
	Pair int
	// Games are the two rows; in the first A is player 0, in the second B is.
	Games [2]datasets.Game
}

// Scores is agent A's score in each of the two games: 1, one half for a draw or a capped game, or 0.
func (p PairResult) Scores() [2]float64 {
	return [2]float64{float64(pointsOf(p.Games[0].Outcome, 0)) / 2, float64(pointsOf(p.Games[1].Outcome, 1)) / 2}
}

// MatchResult is a finished match, pairs in order.
type MatchResult struct {
	Pairs []PairResult
}

// Tally counts a match's games for agent A.
type Tally struct {
	Wins, Draws, Losses, Capped int
	// Unique is the number of different games up to symmetry.
	Unique int
}

// Games is the number of games counted.
func (t Tally) Games() int { return t.Wins + t.Draws + t.Losses + t.Capped }

// Score is (W + D/2 + capped/2) / N for agent A; 0 for no games.
func (t Tally) Score() float64 {
	if t.Games() == 0 {
		return 0
	}
	return (float64(t.Wins) + float64(t.Draws+t.Capped)/2) / float64(t.Games())
}

// Tally counts the match for agent A.
func (r MatchResult) Tally() Tally {
	var t Tally
	unique := map[uint64]bool{}
	for _, p := range r.Pairs {
		for leg, g := range p.Games {
			unique[g.CanonicalHash] = true
			switch pointsOf(g.Outcome, leg) {
			case 2:
				t.Wins++
			case 0:
				t.Losses++
			default:
				if g.Outcome == engine.Capped.String() {
					t.Capped++
				} else {
					t.Draws++
				}
			}
		}
	}
	t.Unique = len(unique)
	return t
}

// Distinct is the match with repeated pairs counted once: a pair whose two games are those of an earlier pair, up to
// symmetry, says nothing new, however often agents that do not draw lots play it.
func (r MatchResult) Distinct() MatchResult {
	var out MatchResult
	seen := map[[2]uint64]bool{}
	for _, p := range r.Pairs {
		key := [2]uint64{p.Games[0].CanonicalHash, p.Games[1].CanonicalHash}
		if !seen[key] {
			seen[key] = true
			out.Pairs = append(out.Pairs, p)
		}
	}
	return out
}

// PairScores is agent A's mean score of each pair, in [0, 1]; a capped game counts one half.
func (r MatchResult) PairScores() []float64 {
	out := make([]float64, len(r.Pairs))
	for i, p := range r.Pairs {
		out[i] = float64(pointsOf(p.Games[0].Outcome, 0)+pointsOf(p.Games[1].Outcome, 1)) / 4
	}
	return out
}

// pointsOf is twice the score of the agent that was player `leg` in the game.
func pointsOf(outcome string, leg int) int {
	switch outcome {
	case engine.Win0.String():
		return 2 - 2*leg
	case engine.Win1.String():
		return 2 * leg
	}
	return 1
}

// Play plays the match. The agents are built once a worker by the factory. Cancelling the context stops
// between plies and returns its error with the pairs that were finished.
func Play(ctx context.Context, c MatchConfig, agents Factory) (MatchResult, error) {
	if c.Pairs < 1 || c.FirstPair < 0 || c.OpeningPlies < 0 || c.MaxPlies < 0 || c.Workers < 0 || c.Batch < 0 {
		return MatchResult{}, fmt.Errorf("%w: a match needs at least one pair, and no negative numbers", ErrInput)
	}
	game, err := engine.Compile(c.Ruleset.Params)
	if err != nil {
		return MatchResult{}, err
	}
	workers, batch := c.Workers, c.Batch
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if batch == 0 {
		batch = 16
	}
	workers = min(workers, (c.Pairs+batch-1)/batch)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var (
		mu       sync.Mutex
		next     int
		firstErr error
		result   = make([]PairResult, c.Pairs)
		finished = make([]bool, c.Pairs)
		wg       sync.WaitGroup
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if firstErr == nil {
			firstErr = err
		}
		cancel()
	}
	for range workers {
		wg.Go(func() {
			var pair [2]mcts.Agent
			for i, spec := range []mcts.Spec{c.A, c.B} {
				a, err := agents(spec, game, c.Ruleset.Hash())
				if err != nil {
					fail(err)
					return
				}
				pair[i] = a
			}
			for {
				mu.Lock()
				from := next
				to := min(from+batch, c.Pairs)
				next = to
				mu.Unlock()
				if from >= to {
					return
				}
				games, err := playPairs(ctx, c, game, pair, c.FirstPair+from, c.FirstPair+to)
				if err != nil {
					fail(err)
					return
				}
				mu.Lock()
				for i := range games {
					result[from+i], finished[from+i] = games[i], true
					if c.Done != nil {
						c.Done(games[i])
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var r MatchResult
	for i, ok := range finished {
		if ok {
			r.Pairs = append(r.Pairs, result[i])
		}
	}
	return r, firstErr
}

func playPairs(ctx context.Context, c MatchConfig, game *engine.Game, agents [2]mcts.Agent, from, to int) ([]PairResult, error) {
	tables := make([]*Table, 0, 2*(to-from))
	for pair := from; pair < to; pair++ {
		for leg := range 2 {
			t := &Table{
				State: game.NewState(), Recorder: NewRecorder(game), MaxPlies: c.MaxPlies,
				Agents: [2]mcts.Agent{agents[leg], agents[1-leg]},
			}
			for seat := range t.Rand {
				t.Rand[seat] = seed.New(c.Seed, seed.Match, uint64(pair), uint64(leg), uint64(seat))
			}
			t.Recorder.Reset(t.State, datasets.Game{
				GameID: uint64(2*pair + leg), PairID: uint64(pair), Half: uint8(leg), Seed: c.Seed, PlyCap: uint32(c.MaxPlies),
				Ruleset: c.Ruleset.Ref(), RulesetHash: c.Ruleset.Hash(),
				Agent0: t.Agents[0].Name(), Agent1: t.Agents[1].Name(),
			})
			if err := playOpening(t.State, t.Recorder, seed.New(c.Seed, seed.Opening, uint64(pair)), c.OpeningPlies); err != nil {
				return nil, err
			}
			tables = append(tables, t)
		}
	}
	if err := PlayAll(ctx, tables); err != nil {
		return nil, err
	}
	out := make([]PairResult, to-from)
	for i := range out {
		out[i].Pair = from + i
		for leg := range 2 {
			out[i].Games[leg] = tables[2*i+leg].Game()
		}
	}
	return out, nil
}

// playOpening makes up to n uniformly random legal plies, stopping one ply before the game would end by
// chance, so that no start is a finished game.
func playOpening(s *engine.State, r *Recorder, rng *rand.Rand, n int) error {
	var legal []engine.Action
	for range n {
		legal = s.Legal(legal[:0])
		a := legal[rng.IntN(len(legal))]
		s.Play(a)
		over := s.Over()
		s.Undo()
		if over {
			break
		}
		if err := r.Play(s, mcts.Decision{Action: a}); err != nil {
			return err
		}
	}
	return nil
}
