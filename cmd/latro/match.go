package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/rules"
	"latro/experiments/stats"
	"latro/mcts"
	"latro/selfplay"
)

// matchCmd is latro match.
type matchCmd struct {
	A        string   `arg:"" help:"Agent A, as kind:option=value,… (random, greedy, uct:simulations=100, alphabeta:nodes=10000, net:run=DIR,simulations=64)."`
	B        string   `arg:"" help:"Agent B."`
	Ruleset  string   `short:"r" required:"" placeholder:"RULESET" help:"Ruleset: an id, id@reading, or a file."`
	Set      []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Games    int      `short:"n" default:"200" help:"Number of games, an even number: they are played in pairs with colours changed over."`
	Opening  int      `default:"6" help:"Random plies at the start of each pair, so that games differ."`
	MaxPlies int      `default:"1000" help:"Length cap of a game in plies; a capped game is no result. 0 is no cap."`
	Seed     uint64   `default:"1" help:"Root of every random stream."`
	Workers  int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	SPRT     string   `name:"sprt" placeholder:"ELO0,ELO1" help:"Stop as soon as a sequential test accepts one of the two Elo differences; --games is then the largest number."`
	Alpha    float64  `default:"0.05" help:"With --sprt: chance to accept ELO1 where ELO0 is true."`
	Beta     float64  `default:"0.05" help:"With --sprt: chance to accept ELO0 where ELO1 is true."`
	Out      string   `short:"o" placeholder:"FILE" help:"Keep the games' results in FILE. A match that was interrupted, or has more games than before, goes on from there."`
	JSON     bool     `help:"Print the result as JSON."`
}

// Help is shown by --help.
func (matchCmd) Help() string {
	return `The two games of a pair start from the same random opening with colours changed over. The score is
(wins + draws/2 + capped/2) / games, with an interval from the pairs; its bounds count every capped game as
lost, or as won. A pair that repeats both games of an earlier one is counted once.

With --sprt ELO0,ELO1 the match ends when its pairs accept H0 (A is ELO0 better) or H1 (ELO1), or, undecided,
after --games. The test is the generalised SPRT on the five scores of a pair; it looks after every pair, in order,
so that the result does not depend on --workers. The score and its interval at the end are biased by the stopping.

Agents and their options:
  random              every legal ply with equal probability
  greedy              wins at once or takes the most material, one ply ahead
  uct:simulations=N   tree search with random playouts; also exploration=0.7, cutoff=200, material=0.2
  alphabeta:nodes=N   looks ahead; also depth=N, mb=16, weights=FILE
  net:simulations=64  the network that ships for the ruleset (latro net info lists them); net:run=DIR is the newest
                      network of a run, net:path=FILE a checkpoint. Also search=gumbel or puct, leaves=N, material=0, probe=100,
                      rules=any to play rules it was not trained on
random, greedy and uct take avoid=hop (or leader, bonus, row, binding; joined by +): a player that never uses that rule
while it has another ply.
uct, alphabeta and net take seconds=S in place of a number, or beside it: processor time for a ply, so that a match at
equal time is fair on a busy machine; with clock=wall the time that one waits. Such matches are not reproducible.

Examples:
  latro match net:simulations=64 uct:simulations=1000 -r bell-8x7
  latro match greedy random -r bell-8x7 --games 100
  latro match uct:simulations=400 uct:simulations=100 -r webdux --games 40 --json
  latro match uct:simulations=200 uct:simulations=100 -r luductus --sprt 0,50 --games 2000
  latro match net:seconds=0.1 alphabeta:seconds=0.1 -r bell-8x7 --out match.json   # goes on where it was stopped
  latro match net:run=runs/bell,simulations=64 uct:simulations=100 -r bell-8x7`
}

// maxMatchGames is more than any interval needs; all games of a match are in memory until it ends.
const maxMatchGames = 1_000_000

// matchResult is what latro match prints, for agent A.
type matchResult struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Ruleset string  `json:"ruleset"`
	Seed    uint64  `json:"seed"`
	Games   int     `json:"games"`
	Wins    int     `json:"wins"`
	Draws   int     `json:"draws"`
	Losses  int     `json:"losses"`
	Capped  int     `json:"capped"`
	Score   float64 `json:"score"`
	Low     float64 `json:"score_low"`
	High    float64 `json:"score_high"`
	Min     float64 `json:"score_min"`
	Max     float64 `json:"score_max"`
	// Elo is null where the score is 0 or 1, as are bounds that are not finite.
	Elo     *float64 `json:"elo"`
	EloLow  *float64 `json:"elo_low"`
	EloHigh *float64 `json:"elo_high"`
	Unique  int      `json:"unique_games"`
	// Repeated games were played and not counted.
	Repeated int         `json:"repeated_games"`
	SPRT     *sprtResult `json:"sprt,omitempty"`
}

// Run does it.
func (c *matchCmd) Run(a *app) error {
	if c.Games < 2 || c.Games%2 != 0 || c.Games > maxMatchGames {
		return fmt.Errorf("%w: --games is %d; it must be an even number, 2 to %d", errInput, c.Games, maxMatchGames)
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	cfg := selfplay.MatchConfig{
		Pairs: c.Games / 2, OpeningPlies: c.Opening, MaxPlies: c.MaxPlies, Seed: c.Seed, Workers: c.Workers,
	}
	var err error
	if cfg.A, err = mcts.ParseSpec(c.A); err != nil {
		return err
	}
	if cfg.B, err = mcts.ParseSpec(c.B); err != nil {
		return err
	}
	if cfg.Ruleset, err = rules.Open(c.Ruleset, c.Set...); err != nil {
		return err
	}
	given := cfg
	var keep keeper
	if c.Out != "" {
		lock, err := c.openRecord(&cfg, &keep)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	var bar *progress
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	var test *sequential
	if c.SPRT != "" {
		t, err := parseSPRT(c.SPRT, c.Alpha, c.Beta)
		if err != nil {
			return err
		}
		test = newSequential(t)
	}
	had, err := keep.played(c.Games / 2)
	if err != nil {
		return err
	}
	if test != nil {
		for _, p := range had.Pairs {
			test.add(p)
		}
	}
	cfg.FirstPair, cfg.Pairs = len(had.Pairs), c.Games/2-len(had.Pairs)
	cfg.Done = func(p selfplay.PairResult) {
		if bar == nil {
			bar = a.newProgress("games", c.Games, 2*len(had.Pairs))
		}
		bar.add(2)
		if !keep.add(p) || test != nil && test.add(p) {
			stop()
		}
	}
	r := had
	if cfg.Pairs > 0 && (test == nil || !test.done()) {
		var more selfplay.MatchResult
		more, err = selfplay.Play(ctx, cfg, new(selfplay.Agents).New)
		r.Pairs = append(r.Pairs, more.Pairs...)
	}
	if bar != nil {
		bar.finish()
	}
	if kept := keep.end(nil); kept != nil {
		return kept
	}
	if test != nil && test.done() {
		// The pairs that were begun beyond the decision do not count, and it is no matter that they were stopped.
		r, err = test.played, nil
	}
	if err != nil {
		return err
	}
	out := summarise(given, r)
	if test != nil {
		out.SPRT = test.result()
	}
	if c.JSON {
		return a.printJSON(out)
	}
	fmt.Fprintf(a.stdout, "%s against %s on %s\n", out.A, out.B, out.Ruleset)
	fmt.Fprintf(a.stdout, "%d games: %d won, %d drawn, %d lost, %d capped (%d different games)\n", out.Games, out.Wins, out.Draws, out.Losses, out.Capped, out.Unique)
	fmt.Fprintf(a.stdout, "score %.3f, 95%% interval %.3f to %.3f", out.Score, out.Low, out.High)
	if out.Capped > 0 {
		fmt.Fprintf(a.stdout, " (capped games all lost %.3f, all won %.3f)", out.Min, out.Max)
	}
	fmt.Fprintf(a.stdout, "\nElo difference %s, 95%% interval %s to %s\n", elo(out.Elo, out.Score), elo(out.EloLow, out.Low), elo(out.EloHigh, out.High))
	if out.Repeated > 0 {
		fmt.Fprintf(a.stdout, "%d more games repeated earlier pairs and are not counted\n", out.Repeated)
	}
	if out.SPRT != nil {
		fmt.Fprintln(a.stdout, out.SPRT)
	}
	return nil
}

// recordedBatch is the number of pairs that a worker plays at once where they are kept: all of them end at about the same
// time, and what is lost by a kill is what was not at its end.
const recordedBatch = 4

// openRecord opens the file of results and locks it. The agents of cfg are then named so that a
// run's newest network does not change under the match.
func (c *matchCmd) openRecord(cfg *selfplay.MatchConfig, keep *keeper) (io.Closer, error) {
	if err := atomicfile.Check(c.Out); err != nil {
		return nil, err
	}
	var keys [2]string
	for i, spec := range []*mcts.Spec{&cfg.A, &cfg.B} {
		named, err := pinned(*spec, cfg.Ruleset.Hash())
		if err != nil {
			return nil, err
		}
		if keys[i], err = agentKey(named, cfg.Ruleset.Hash()); err != nil {
			return nil, err
		}
		*spec = named
	}
	lock, err := dirlock.AcquireFile(c.Out)
	if err != nil {
		return nil, err
	}
	keep.record, err = openPairsRecord(c.Out, recordSettings{
		Match: recordVersion, Engine: engine.Version, Ruleset: cfg.Ruleset.Ref(), RulesetHash: cfg.Ruleset.Hash(),
		Seed: c.Seed, Opening: c.Opening, MaxPlies: c.MaxPlies,
	})
	if err == nil && len(keep.record.matches) > 0 {
		if m := keep.record.matches[0]; len(keep.record.matches) > 1 || m.a != keys[0] || m.b != keys[1] {
			err = fmt.Errorf("%w: %s: its games are those of %s against %s; give --out another name", errInput, c.Out, printable(m.a), printable(m.b))
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	keep.match = keep.record.match(keys[0], keys[1])
	cfg.Batch = recordedBatch
	return lock, nil
}

// summarise puts numbers to a finished match.
func summarise(c selfplay.MatchConfig, played selfplay.MatchResult) matchResult {
	r := played.Distinct()
	t := r.Tally()
	n := float64(t.Games())
	score := stats.PairScore(r.PairScores(), level)
	rating := stats.Elo(r.PairScores(), level)
	return matchResult{
		A: c.A.String(), B: c.B.String(), Ruleset: c.Ruleset.Ref(), Seed: c.Seed,
		Games: t.Games(), Wins: t.Wins, Draws: t.Draws, Losses: t.Losses, Capped: t.Capped,
		Score: score.Estimate, Low: score.Low, High: score.High,
		Min: (float64(t.Wins) + float64(t.Draws)/2) / n,
		Max: (float64(t.Wins) + float64(t.Draws)/2 + float64(t.Capped)) / n,
		Elo: finite(rating.Estimate), EloLow: finite(rating.Low), EloHigh: finite(rating.High),
		Unique: t.Unique, Repeated: 2 * (len(played.Pairs) - len(r.Pairs)),
	}
}

// level is the confidence level of every interval on the command line.
const level = 0.95

func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// elo prints a rating difference; one without a number is beyond what the match can say.
func elo(x *float64, score float64) string {
	switch {
	case x != nil:
		return fmt.Sprintf("%+.0f", *x)
	case score > 0.5:
		return "unbounded above"
	}
	return "unbounded below"
}
