package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/experiments/stats"
	"latro/selfplay"
)

// ladderCmd is latro ladder.
type ladderCmd struct {
	Networks    []string `arg:"" optional:"" name:"run|file" help:"Directories of runs, whose checkpoints join the pool, checkpoint files, and shipped, the network that ships for the ruleset."`
	Ruleset     string   `short:"r" required:"" placeholder:"RULESET" help:"Ruleset: an id, id@reading, or a file."`
	Set         []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Against     []string `sep:"none" placeholder:"AGENT,…" help:"Fixed opponents, separated by commas; may be repeated (default uct:simulations=100,greedy,random)."`
	Games       int      `short:"n" default:"40" help:"Games of two agents, an even number: they are played in pairs with colours changed over."`
	Every       int      `placeholder:"K" help:"Take every K-th checkpoint of a run, and the first and the last; 0 takes up to eight, evenly spread."`
	Simulations int      `default:"64" help:"Simulations a ply of the networks."`
	Pairing     string   `enum:"all,neighbours" default:"all" help:"Who plays whom. all: everybody everybody. neighbours: networks those next to them in the pool, fixed opponents everybody."`
	Anchor      string   `placeholder:"AGENT" help:"Fixed opponent whose rating is 0, or mean for a pool with mean 0 (default the first fixed opponent)."`
	Opening     int      `default:"6" help:"Random plies at the start of each pair, so that games differ."`
	MaxPlies    int      `default:"1000" help:"Length cap of a game in plies; a capped game is half a point. 0 is no cap."`
	Seed        uint64   `default:"1" help:"Root of every random stream."`
	Workers     int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	Out         string   `short:"o" placeholder:"FILE" help:"Keep the games' results in FILE. A ladder that was interrupted, or has more agents or games than before, goes on from there."`
	JSON        bool     `help:"Print the ratings and matches as JSON."`
}

// Help is shown by --help.
func (ladderCmd) Help() string {
	return `Rates a pool of checkpoints and fixed opponents: they play each other in colour-balanced pairs from random
openings, and their Elo is the maximum of the likelihood (Bradley and Terry, with Davidson's draws) under a weak
prior, which keeps the rating of an agent that won or lost everything finite; such ratings are marked. A game that was
stopped by --max-plies is no draw, but counts half a point; where there were any, each rating comes with what it would be if
the agent had lost all of its own, and won all.

A network without run= or path= is the one that ships for the ruleset (latro net info lists them).

Examples:
  latro ladder runs/bell -r bell-8x7 --out bell-ladder.json
  latro ladder runs/bell -r bell-8x7 --every 5 --pairing neighbours --against uct:simulations=100,uct:simulations=1000
  latro ladder -r bell-8x7 --against net:simulations=64,alphabeta:nodes=5000,uct:simulations=1000
  latro ladder -r luductus --against uct:simulations=200,uct:simulations=100,greedy,random --games 20 --json`
}

// maxLadderAgents bounds the square of agents.
const maxLadderAgents = 200

// ladderResult is what latro ladder prints.
type ladderResult struct {
	Ruleset string `json:"ruleset"`
	Seed    uint64 `json:"seed"`
	// Anchor is the name of the agent at 0, or "mean".
	Anchor string `json:"anchor"`
	// PriorElo is the standard deviation of the ratings' prior.
	PriorElo float64 `json:"prior_elo"`
	// Draw is Davidson's parameter: equals draw ν/(2+ν) of their games.
	Draw float64 `json:"draw_parameter"`
	// Agents are sorted, the strongest first.
	Agents  []ladderAgent `json:"agents"`
	Matches []ladderMatch `json:"matches"`
}

type ladderAgent struct {
	Name    string   `json:"name"`
	Agent   string   `json:"agent"`
	Also    []string `json:"also,omitempty"`
	Elo     float64  `json:"elo"`
	EloLow  float64  `json:"elo_low"`
	EloHigh float64  `json:"elo_high"`
	// EloMin and EloMax are the rating if the agent had lost, or won, all games of its own that were capped; nil in
	// pools of more than maxBoundAgents.
	EloMin *float64 `json:"elo_min"`
	EloMax *float64 `json:"elo_max"`
	// PriorBound is true where games alone give no finite difference to the anchor.
	PriorBound bool    `json:"prior_bound"`
	Games      int     `json:"games"`
	Wins       int     `json:"wins"`
	Draws      int     `json:"draws"`
	Losses     int     `json:"losses"`
	Capped     int     `json:"capped"`
	Score      float64 `json:"score"`
}

// ladderMatch is a match with the score that the ratings expect.
type ladderMatch struct {
	matchResult
	Expected float64 `json:"score_expected"`
}

// Run does it.
func (c *ladderCmd) Run(a *app) error {
	if c.Games < 2 || c.Games%2 != 0 || c.Games > maxMatchGames {
		return fmt.Errorf("%w: --games is %d; it must be an even number, 2 to %d", errInput, c.Games, maxMatchGames)
	}
	if c.Every < 0 || c.Opening < 0 || c.MaxPlies < 0 {
		return fmt.Errorf("%w: --every, --opening and --max-plies must be 0 or more", errInput)
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	ruleset, err := rules.Open(c.Ruleset, c.Set...)
	if err != nil {
		return err
	}
	pool, err := c.pool(ruleset.Hash())
	if err != nil {
		return err
	}
	anchor, err := c.anchor(pool)
	if err != nil {
		return err
	}
	game, err := engine.Compile(ruleset.Params)
	if err != nil {
		return err
	}
	// Mistakes in any agent come before hours of games of the others.
	agents := new(selfplay.Agents)
	for _, m := range pool {
		if _, err := agents.New(m.spec, game, ruleset.Hash()); err != nil {
			return err
		}
	}
	if c.Out != "" {
		if err := atomicfile.Check(c.Out); err != nil {
			return err
		}
		// Two ladders would each replace what the other wrote.
		lock, err := dirlock.AcquireFile(c.Out)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	record, err := openPairsRecord(c.Out, recordSettings{
		Ladder: recordVersion, Engine: engine.Version, Ruleset: ruleset.Ref(), RulesetHash: ruleset.Hash(),
		Seed: c.Seed, Opening: c.Opening, MaxPlies: c.MaxPlies,
	})
	if err != nil {
		return err
	}
	schedule := c.schedule(pool)
	var matches []*playedPairs
	had := 0
	for _, s := range schedule {
		m := record.match(pool[s[0]].key, pool[s[1]].key)
		matches = append(matches, m)
		had += 2 * min(len(m.pairs), c.Games/2)
	}
	if total := len(schedule) * c.Games; had < total {
		bar := a.newProgress("games", total, had)
		for i, s := range schedule {
			if err := c.play(a.ctx, ruleset, agents, pool[s[0]], pool[s[1]], record, matches[i], bar); err != nil {
				bar.finish()
				return err
			}
		}
		bar.finish()
	}
	if err := a.ctx.Err(); err != nil {
		return err
	}
	out, err := c.rate(ruleset, pool, schedule, matches, anchor)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(out)
	}
	return out.write(a)
}

// schedule lists who plays whom, as places in the pool; in each pair the agent with the lesser key is A, so that a
// match is the same one whatever else is in the pool.
func (c *ladderCmd) schedule(pool []ladderMember) [][2]int {
	var out [][2]int
	lastNetwork := -1 // before i
	for i, m := range pool {
		for j := range i {
			if c.Pairing == "neighbours" && !m.fixed && !pool[j].fixed && j != lastNetwork {
				continue
			}
			pair := [2]int{j, i}
			if pool[i].key < pool[j].key {
				pair = [2]int{i, j}
			}
			out = append(out, pair)
		}
		if !m.fixed {
			lastNetwork = i
		}
	}
	return out
}

// play plays what is missing of a match.
func (c *ladderCmd) play(ctx context.Context, ruleset *rules.Ruleset, agents *selfplay.Agents, x, y ladderMember, record *pairsRecord, m *playedPairs, bar *progress) error {
	first := len(m.pairs)
	if first >= c.Games/2 {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keep := keeper{record: record, match: m}
	_, err := selfplay.Play(ctx, selfplay.MatchConfig{
		Ruleset: ruleset, A: x.spec, B: y.spec, FirstPair: first, Pairs: c.Games/2 - first, OpeningPlies: c.Opening, MaxPlies: c.MaxPlies,
		// A seed of its own makes matches independent of each other.
		Seed: seed.Derive(c.Seed, seed.Match, hashText(x.key), hashText(y.key)), Workers: c.Workers,
		Done: func(p selfplay.PairResult) {
			bar.add(2)
			if !keep.add(p) {
				stop()
			}
		},
	}, agents.New)
	return keep.end(err)
}

// rate computes the ratings.
func (c *ladderCmd) rate(ruleset *rules.Ruleset, pool []ladderMember, schedule [][2]int, matches []*playedPairs, anchor int) (*ladderResult, error) {
	out := &ladderResult{Ruleset: ruleset.Ref(), Seed: c.Seed, Anchor: "mean", PriorElo: stats.PriorElo}
	if anchor >= 0 {
		out.Anchor = pool[anchor].name
	}
	agents := make([]ladderAgent, len(pool))
	var meetings []stats.Meeting
	var capped []cappedGame
	for i, s := range schedule {
		x, y := pool[s[0]], pool[s[1]]
		played, err := matches[i].result(c.Games / 2)
		if err != nil {
			return nil, err
		}
		r := summarise(selfplay.MatchConfig{A: x.spec, B: y.spec, Ruleset: ruleset, Seed: c.Seed}, played)
		r.A, r.B = x.name, y.name
		out.Matches = append(out.Matches, ladderMatch{matchResult: r})
		agents[s[0]].add(r.Games, r.Wins, r.Draws, r.Losses, r.Capped)
		agents[s[1]].add(r.Games, r.Losses, r.Draws, r.Wins, r.Capped)
		meeting := stats.Meeting{A: s[0], B: s[1]}
		for k, p := range played.Distinct().Pairs {
			meeting.Pairs = append(meeting.Pairs, p.Scores())
			for leg, g := range p.Games {
				if g.Outcome == engine.Capped.String() {
					capped = append(capped, cappedGame{i, k, leg})
				}
			}
		}
		meetings = append(meetings, meeting)
	}
	ratings, err := stats.Rate(len(pool), meetings, anchor, level)
	if err != nil {
		return nil, err
	}
	bounds, err := ladderBounds(meetings, capped, ratings, anchor)
	if err != nil {
		return nil, err
	}
	out.Draw = ratings.Draw
	for i := range out.Matches {
		out.Matches[i].Expected = ratings.Expected(schedule[i][0], schedule[i][1])
	}
	for i := range agents {
		p, m := ratings.Players[i], &agents[i]
		m.Name, m.Agent, m.Also = pool[i].name, pool[i].spec.String(), pool[i].also
		m.Elo, m.EloLow, m.EloHigh, m.PriorBound = p.Elo.Estimate, p.Elo.Low, p.Elo.High, p.Prior
		if bounds != nil {
			m.EloMin, m.EloMax = &bounds[i][0], &bounds[i][1]
		}
		m.Score = (float64(m.Wins) + float64(m.Draws+m.Capped)/2) / float64(m.Games)
	}
	slices.SortStableFunc(agents, func(x, y ladderAgent) int {
		switch {
		case x.Elo > y.Elo:
			return -1
		case x.Elo < y.Elo:
			return 1
		}
		return 0
	})
	out.Agents = agents
	return out, nil
}

func (m *ladderAgent) add(games, wins, draws, losses, capped int) {
	m.Games, m.Wins, m.Draws, m.Losses, m.Capped = m.Games+games, m.Wins+wins, m.Draws+draws, m.Losses+losses, m.Capped+capped
}

// write prints the table.
func (r *ladderResult) write(a *app) error {
	fmt.Fprintf(a.stdout, "%d agents on %s; Elo with 95%% interval, %s at 0\n\n", len(r.Agents), printable(r.Ruleset), printable(r.Anchor))
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	bound, games, capped, bounded := false, 0, 0, false
	for _, m := range r.Agents {
		bounded = bounded || m.Capped > 0 && m.EloMin != nil
	}
	head := "RANK\tAGENT\tELO\t95 %\tGAMES\tWON\tDRAWN\tLOST\tCAPPED\tSCORE"
	if bounded {
		head += "\tELO IF CAPPED LOST, WON"
	}
	fmt.Fprintln(w, head)
	for i, m := range r.Agents {
		mark := ""
		if m.PriorBound {
			mark, bound = "*", true
		}
		games, capped = games+m.Games, capped+m.Capped
		fmt.Fprintf(w, "%d\t%s\t%+.0f%s\t%+.0f to %+.0f\t%d\t%d\t%d\t%d\t%d\t%.3f",
			i+1, printable(m.Name), m.Elo, mark, m.EloLow, m.EloHigh, m.Games, m.Wins, m.Draws, m.Losses, m.Capped, m.Score)
		if bounded && m.EloMin != nil {
			fmt.Fprintf(w, "\t%+.0f, %+.0f", *m.EloMin, *m.EloMax)
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, m := range r.Agents {
		for _, also := range m.Also {
			fmt.Fprintf(a.stdout, "\n%s is the same agent as %s and did not play.\n", printable(also), printable(m.Name))
		}
	}
	if bound {
		fmt.Fprintf(a.stdout, "\n* One side of the pool lost every game to the other. The games say only who is stronger; how much is the\n"+
			"  prior's (normal, standard deviation %.0f Elo around the pool's mean). An opponent in between would tell.\n", r.PriorElo)
	}
	if float64(capped) > stats.MaxCappedShare*float64(games) {
		fmt.Fprintf(a.stdout, "\n%.0f %% of the games were capped and count half a point: the ratings depend on --max-plies.\n", 100*float64(capped)/float64(games))
	}
	return nil
}

// anchor is the place of the agent that is put at 0, -1 for the mean.
func (c *ladderCmd) anchor(pool []ladderMember) (int, error) {
	if c.Anchor == "mean" {
		return -1, nil
	}
	for i, m := range pool {
		if m.fixed && (c.Anchor == "" || c.Anchor == m.name || c.Anchor == m.given) {
			return i, nil
		}
	}
	if c.Anchor == "" {
		return -1, nil
	}
	return 0, fmt.Errorf("%w: --anchor is %q, which is not one of the fixed opponents; write mean, or one of --against", errInput, c.Anchor)
}

var errLadderPool = errors.New("a ladder needs at least two different agents; name a run, a checkpoint, or more of --against")
