package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"latro/env/engine"
	"latro/env/rules"
	"latro/experiments/stats"
)

// Run audits a ruleset. It fails with an error that wraps ErrInvalid for a configuration out of range, with rules.ErrInvalid
// or engine.ErrInvalid for rules that cannot be played, and with the context's error when that ends.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	base, err := frozen(cfg.Ruleset)
	if err != nil {
		return nil, err
	}
	g, err := engine.Compile(base.Params)
	if err != nil {
		return nil, err
	}
	a := &auditor{cfg: cfg, base: base, game: g, hunger: hunger{&base.Params}, best: map[string]*candidate{}}
	if err := a.play(ctx); err != nil {
		return nil, err
	}
	if err := a.vary(ctx); err != nil {
		return nil, err
	}
	return a.report()
}

type auditor struct {
	cfg    Config
	base   *rules.Ruleset
	game   *engine.Game
	hunger hunger

	games [groups][]record

	alts     []alternative
	why      []string // by parameter: why there are no alternatives
	replayed int
	plies    int
	found    [groups][]followed

	best map[string]*candidate
	keys []string // of best, in the order of the report
}

// candidate is the shortest example found so far.
type candidate struct {
	group, game, plies int
	words              string
	alt                int // index of the alternative, -1
	kind               kind
}

// each runs do for the numbers 0 to n-1 on the workers.
func (a *auditor) each(ctx context.Context, stage string, n int, do func(ctx context.Context, w *worker, i int) error) error {
	workers := a.cfg.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range workers {
		wg.Go(func() {
			w := newWorker(a.game, a.hunger)
			for i := range next {
				if err := do(ctx, w, i); err != nil {
					cancel(err)
					return
				}
				if a.cfg.Progress != nil {
					mu.Lock()
					a.cfg.Progress(stage, 1, n)
					mu.Unlock()
				}
			}
		})
	}
feed:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (a *auditor) play(ctx context.Context) error {
	n := a.cfg.Games
	for g := range a.games {
		a.games[g] = make([]record, n)
	}
	return a.each(ctx, "games", groups*n, func(ctx context.Context, w *worker, i int) (err error) {
		group, game := i%groups, i/groups
		a.games[group][game], err = w.play(ctx, a.cfg.Seed, group, game, a.cfg.Cap)
		return err
	})
}

// vary follows the first games of each group under the other values of every parameter.
func (a *auditor) vary(ctx context.Context) error {
	for i, name := range rules.ParamNames() {
		if slices.Contains(startParams, name) || a.base.Meaningless(name) {
			a.why = append(a.why, "")
			continue
		}
		alts, why, err := alternatives(a.base, a.cfg.Ruleset.Readings, a.game, i)
		if err != nil {
			return err
		}
		a.alts = append(a.alts, alts...)
		a.why = append(a.why, why)
	}
	a.replayed = a.cfg.Replay
	if a.replayed == 0 {
		sum := 0
		for a.replayed < a.cfg.Games {
			for g := range a.games {
				sum += len(a.games[g][a.replayed].actions)
			}
			if sum > DefaultReplayPlies && a.replayed > 0 {
				break
			}
			a.replayed++
		}
	}
	for g := range a.games {
		a.found[g] = make([]followed, a.replayed)
		for i := range a.replayed {
			a.plies += len(a.games[g][i].actions)
		}
	}
	return a.each(ctx, "games under other rules", groups*a.replayed, func(ctx context.Context, w *worker, i int) (err error) {
		group, game := i%groups, i/groups
		a.found[group][game], err = w.follow(ctx, &a.games[group][game], a.alts)
		return err
	})
}

// note offers a game as an example.
func (a *auditor) note(key, words string, group, game, plies, alt int, k kind) {
	c := a.best[key]
	if c == nil {
		a.keys = append(a.keys, key)
	} else if c.plies <= plies {
		return
	}
	a.best[key] = &candidate{group, game, plies, words, alt, k}
}

func (a *auditor) report() (*Report, error) {
	r := &Report{
		Ruleset: a.cfg.Ruleset.Ref(), Name: a.base.Name, Hash: a.base.Hash(), Seed: a.cfg.Seed,
		Games: a.cfg.Games, Cap: a.cfg.Cap, Replayed: a.replayed, ReplayedPlies: a.plies, Values: len(a.alts),
		Hunger: a.hunger.words(), Undefined: []Undefined{}, Unruled: []Unruled{}, Examples: []Example{},
	}
	for g := range groups {
		r.Groups = append(r.Groups, a.group(g))
	}
	a.parameters(r)
	a.unruled(r)
	if err := a.examples(r); err != nil {
		return nil, err
	}
	r.Verdicts = r.verdicts()
	return r, nil
}

// possible lists the end reasons that the rules know.
func possible(p *rules.Params) []engine.EndReason {
	e := &p.End
	var out []engine.EndReason
	add := func(can bool, r engine.EndReason) {
		if can {
			out = append(out, r)
		}
	}
	add(e.Annihilation != "none" && e.AnnihilationAt > 0, engine.OneLeft)
	add(e.Annihilation != "none" && e.AnnihilationAt == 0, engine.NoneLeft)
	add(e.LeaderCaptured != "none", engine.LeaderCaptured)
	add(e.LeaderImmobilised != "none", engine.LeaderImmobilised)
	add(e.Blocked == "loses" || e.Blocked == "count", engine.Blocked)
	add(e.NoCaptureLimit > 0, engine.NoCaptureLimit)
	add((e.Blocked == "pass" || e.Blocked == "opponent-opens") && e.TwoPasses == "draw", engine.TwoPasses)
	add(p.Repetition.Rule == "threefold-draw", engine.Repetition)
	add(e.TurnLimit > 0, engine.TurnLimit)
	return out
}

// endKey names an end: "end:blocked", and "end:cap" for the cap.
func endKey(r engine.EndReason) string {
	if r == engine.NotEnded {
		return "end:cap"
	}
	return "end:" + r.String()
}

var players = [groups]string{
	"two players who draw every move by lot",
	"two players who take what they can, one ply ahead",
	"a greedy player against a random one, seats alternating",
}

func (a *auditor) group(group int) Group {
	games := a.games[group]
	n := len(games)
	out := Group{Name: groupNames[group], Players: players[group], Shortest: math.MaxInt}
	share := func(key, words string, has func(*record) int) Share {
		s := Share{Key: key, Words: words}
		for i := range games {
			if plies := has(&games[i]); plies >= 0 {
				s.Count++
				a.note(key, words, group, i, plies, -1, none)
			}
		}
		s.Share = stats.Wilson(s.Count, n, Level)
		return s
	}
	for _, reason := range append(possible(&a.base.Params), engine.NotEnded) {
		out.Ends = append(out.Ends, share(endKey(reason), endWords(reason), func(r *record) int {
			if r.reason != reason {
				return -1
			}
			return len(r.actions)
		}))
	}
	out.Pathologies = []Share{
		share("blockade", "a player could not move, and passed or the game ended by it", func(r *record) int { return r.blocked }),
		share("famine-one", "one side could never capture again: it had too few pieces, or there was nothing left for it to take", func(r *record) int { return r.starved }),
		share("famine-both", "neither side could ever capture again", func(r *record) int { return r.bothStarv }),
	}
	// Where taking never wins, this says nothing about a game: Report.Hunger says it once.
	if a.hunger.winsByTaking(a.hunger.start(), a.hunger.start()) {
		out.Pathologies = append(out.Pathologies,
			share("hopeless", "neither side could win by taking pieces any more", func(r *record) int { return r.hopeless }))
	}
	out.Pathologies = append(out.Pathologies,
		share("recurrence", fmt.Sprintf("a position stood for the %s time", ordinal(often)), func(r *record) int { return r.recurred }),
		share("cycling", fmt.Sprintf("stopped by the cap while going in circles (of the last %d plies at least %d led to positions seen before)", cyclingWindow, cyclingShare), func(r *record) int {
			if !r.cycling {
				return -1
			}
			return len(r.actions)
		}))
	out.NoCapture = share("no-capture", "nothing was captured or bound", func(r *record) int {
		if r.takes > 0 {
			return -1
		}
		return len(r.actions)
	})

	var plies, ended, quiet []float64
	var left [2][]float64
	var scores, greedy []float64
	var greedyTally stats.Tally
	moves, seen, cycling, total := 0, 0, 0, 0
	for i := range games {
		r := &games[i]
		l := len(r.actions)
		total += l
		plies = append(plies, float64(l))
		out.Shortest, out.Longest = min(out.Shortest, l), max(out.Longest, l)
		moves += r.moves
		seen += r.seen
		out.MostOften = max(out.MostOften, r.most)
		out.Passes += r.passes
		if r.capped() {
			quiet = append(quiet, float64(r.quiet))
			for p := range left {
				left[p] = append(left[p], float64(r.men[p]))
			}
			if r.cycling {
				cycling++
			}
		} else {
			ended = append(ended, float64(l))
		}
		one := tally(r.outcome)
		out.Outcomes = out.Outcomes.Add(one)
		scores = append(scores, one.Score())
		if seats(group, i)[0] == 0 {
			one.Win, one.Loss = one.Loss, one.Win
		}
		greedyTally = greedyTally.Add(one)
		greedy = append(greedy, one.Score())
	}
	out.MeanPlies = float64(total) / float64(n)
	out.MedianPlies = median(plies)
	if len(ended) > 0 {
		m := median(ended)
		out.MedianEnded = &m
	}
	if moves > 0 {
		s := float64(seen) / float64(moves)
		out.SeenBefore = &s
	}
	if len(quiet) > 0 {
		out.Capped = &Capped{Quiet: median(quiet), Pieces: [2]float64{median(left[0]), median(left[1])}, Cycling: cycling}
	}
	out.Score = stats.PairScore(scores, Level)
	out.ScoreLow, out.ScoreHigh = out.Outcomes.Bounds()
	if group == mixedGames {
		s := stats.PairScore(greedy, Level)
		low, high := greedyTally.Bounds()
		out.Greedy, out.GreedyLow, out.GreedyHigh = &s, &low, &high
	}
	return out
}

func tally(o engine.Outcome) stats.Tally {
	switch o {
	case engine.Win0:
		return stats.Tally{Win: 1}
	case engine.Win1:
		return stats.Tally{Loss: 1}
	case engine.Draw:
		return stats.Tally{Draw: 1}
	}
	return stats.Tally{Capped: 1}
}

// median of a sample that is not empty; it sorts x.
func median(x []float64) float64 {
	slices.Sort(x)
	m := len(x) / 2
	if len(x)%2 == 1 {
		return x[m]
	}
	return (x[m-1] + x[m]) / 2
}

func (a *auditor) parameters(r *Report) {
	followed := groups * a.replayed
	for i, name := range rules.ParamNames() {
		value, err := a.base.Params.Get(name)
		if err != nil {
			continue
		}
		p := Parameter{Name: name, Value: value, Certainty: string(a.base.Provenance[name].Certainty), Why: a.why[i], Values: []Alternative{}}
		if assumed(a.base, name) {
			p.Certainty = string(rules.Assumed)
		}
		first := map[[2]int]int{} // by game: the first state that any other value decided
		tried := false
		best, bestPlies := "", math.MaxInt
		for k := range a.alts {
			alt := &a.alts[k]
			if alt.param != i {
				continue
			}
			out := Alternative{Key: alt.label(name), Value: alt.value, Readings: alt.reading, With: alt.with, Start: alt.start, Kinds: map[string]int{}}
			if alt.start {
				p.Values = append(p.Values, out)
				continue
			}
			tried = true
			var plies []float64
			for group := range a.found {
				for game := range a.found[group] {
					f := a.found[group][game].alts[k]
					if f.first < 0 {
						continue
					}
					ply := int(f.first)
					out.Count++
					out.Kinds[f.kind.String()]++
					plies = append(plies, float64(ply))
					at := [2]int{group, game}
					if x, ok := first[at]; !ok || ply < x {
						first[at] = ply
					}
					if ply < bestPlies {
						best, bestPlies = out.Key, ply
					}
					a.note(out.Key, "what "+out.Key+" changes", group, game, ply, k, f.kind)
				}
			}
			s := stats.Wilson(out.Count, followed, Level)
			out.Share = &s
			if len(plies) > 0 {
				m := median(plies)
				out.FirstPly = &m
			}
			p.Values = append(p.Values, out)
		}
		switch {
		case slices.Contains(startParams, name) && !a.base.Meaningless(name):
			p.Status = ChangesStart
		case a.base.Meaningless(name):
			p.Status, p.Why = Meaningless, "the other parameters leave it nothing to say"
		case len(p.Values) == 0:
			p.Status = NotVaried
		case !tried:
			p.Status = ChangesStart
		case len(first) == 0:
			p.Status = NeverMattered
		default:
			p.Status = Mattered
		}
		if tried {
			p.Count = len(first)
			s := stats.Wilson(p.Count, followed, Level)
			p.Share = &s
		}
		if len(first) > 0 {
			var plies []float64
			count := 0
			for at, ply := range first {
				plies = append(plies, float64(ply))
				count += a.found[at[0]][at[1]].states[i]
			}
			m := median(plies)
			p.FirstPly = &m
			if p.Certainty == string(rules.Assumed) {
				doubts := []string{}
				for _, v := range p.Values {
					doubts = append(doubts, v.Readings...)
				}
				slices.Sort(doubts)
				r.Undefined = append(r.Undefined, Undefined{
					Name: name, Value: value, Note: a.base.Provenance[name].Note, Readings: slices.Compact(doubts), Key: best,
					Count: p.Count, Share: *p.Share, States: count, FirstPly: m,
				})
			}
		}
		r.Parameters = append(r.Parameters, p)
	}
	slices.SortStableFunc(r.Undefined, func(x, y Undefined) int { return y.Count - x.Count })
}

// rulesOfEnd names the parameters that an end rests on.
func rulesOfEnd(p *rules.Params, r engine.EndReason) []string {
	switch r {
	case engine.OneLeft, engine.NoneLeft:
		return []string{"end.annihilation", "end.annihilation_at"}
	case engine.LeaderCaptured:
		return []string{"end.leader_captured"}
	case engine.LeaderImmobilised:
		return []string{"end.leader_immobilised"}
	case engine.Blocked:
		return []string{"end.blocked"}
	case engine.NoCaptureLimit:
		return []string{"end.no_capture_limit", "end.no_capture_result"}
	case engine.TwoPasses:
		return []string{"end.two_passes"}
	case engine.Repetition:
		return []string{"repetition.rule"}
	}
	return nil
}

// unruled lists the ends that rest on something the source does not state.
func (a *auditor) unruled(r *Report) {
	total := groups * a.cfg.Games
	for _, reason := range append(possible(&a.base.Params), engine.NotEnded) {
		var silent []string
		for _, name := range rulesOfEnd(&a.base.Params, reason) {
			if assumed(a.base, name) {
				silent = append(silent, name)
			}
		}
		words := fmt.Sprintf("%s: an end that the source does not state (assumed: %s)", endWords(reason), strings.Join(silent, ", "))
		switch {
		case reason == engine.NotEnded:
			words = fmt.Sprintf("no rule, stated or assumed, ended the game within %s plies", thousands(a.cfg.Cap))
		case reason == engine.TurnLimit:
			words = "the turn limit of the Ludii system, which is no rule of the source"
		case len(silent) == 0:
			continue
		}
		count := 0
		for g := range a.games {
			for i := range a.games[g] {
				if a.games[g][i].reason == reason {
					count++
				}
			}
		}
		if count > 0 {
			r.Unruled = append(r.Unruled, Unruled{Key: endKey(reason), Words: words, Count: count, Share: stats.Wilson(count, total, Level)})
		}
	}
}

// examples builds the shortest example of each key.
func (a *auditor) examples(r *Report) error {
	w := newWorker(a.game, a.hunger)
	for _, key := range a.keys {
		c := a.best[key]
		actions := a.games[c.group][c.game].actions
		if c.plies > len(actions) {
			return errors.New("audit: an example is longer than its game")
		}
		actions = actions[:c.plies]
		e := Example{Key: key, Words: c.words, Group: groupNames[c.group], Game: c.game, Plies: c.plies, Moves: []string{}}
		if c.alt >= 0 {
			alt := &a.alts[c.alt]
			d := w.difference(&twin{alternative: alt, state: alt.game.NewState()}, actions, c.kind)
			d.Rule = alt.label(rules.ParamNames()[alt.param])
			e.Difference = &d
		}
		s := w.state
		s.Reset()
		for _, act := range actions {
			e.Moves = append(e.Moves, s.Format(act))
			s.Play(act)
		}
		e.Position, _, _ = strings.Cut(s.Position(), " seen=")
		e.Board = diagram(s)
		r.Examples = append(r.Examples, e)
	}
	return nil
}

// diagram draws a board, top row first, with the names of ranks and files.
func diagram(s *engine.State) []string {
	g := s.Game()
	var out []string
	for row := g.Rows() - 1; row >= 0; row-- {
		line := fmt.Sprintf("%2d", row+1)
		for col := range g.Cols() {
			line += " " + string(s.At(row*g.Cols()+col).Rune())
		}
		out = append(out, line)
	}
	line := "  "
	for col := range g.Cols() {
		line += " " + string(rune('a'+col))
	}
	return append(out, line)
}
