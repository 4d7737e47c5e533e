package metrics

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"latro/datasets"
	"latro/env/engine"
	"latro/experiments/stats"
	"latro/mcts"
)

// Limits of one cell.
const (
	// MaxPairs is the number of pairs that are measured; of a larger cell the first so
	// many. The memory for the regressions is then at most 3 MiB a cell.
	MaxPairs = 8192
	// positions is the number of positions of a game that the piece values come from,
	// one from each quarter.
	positions = 4
	// steps is the number of steps of an attrition curve.
	steps = 20
	// openingPlies is the length of the longer openings.
	openingPlies = 4
)

// Config says what the games of a cell are.
type Config struct {
	// Level is the confidence level of the intervals.
	Level float64
	// SpecA and SpecB are the agents' specifications. Equal ones are an agent playing
	// itself; else agent A is player 0 in slot 0 and player 1 in slot 1.
	SpecA, SpecB string
	// SelfPlay says that one agent plays both sides. What agents of different strength
	// do to each other says little about the rules, so that a match is measured for
	// restricted play only.
	SelfPlay bool
	// FromStart says that games begin at the ruleset's own start, so that the opening
	// was the agents' choice.
	FromStart bool
	// Values names who judged the positions in the games' recorded values, as
	// "the search of uct:simulations=100"; "" if they are not to be used.
	Values string
	// Evaluators judge positions; [Material] and [Fitted] if nil.
	Evaluators []Evaluator
}

// ErrGame is wrapped by the errors about games that cannot be followed.
var ErrGame = errors.New("metrics: a game cannot be followed")

// Cell measures the games of one ruleset with one pairing of agents. Give it every
// game in the order of pairs and slots; memory does not grow with their number beyond
// [MaxPairs] pairs. Not for concurrent use.
type Cell struct {
	config   Config
	game     *engine.Game
	state    *engine.State
	eval     []Evaluator
	rules    mcts.Special
	kinds    []mcts.Special
	symmetry []engine.Symmetry
	orbit    []int32 // of each square
	rim      []bool

	// avoid is what one agent of a match may not use, and restricted which one it is.
	avoid      mcts.Special
	restricted int // 0 agent A, 1 agent B, −1 neither

	pairs   int
	limited bool // there were more
	slot    int

	branching, choice ratio
	attrition         [steps + 1]ratio
	changes           []ratio
	drama, comeback   []ratio
	searched          struct{ changes, drama, comeback ratio }
	searchedPlies     [2]int // with a value, all
	use               []ratio
	rowGames          ratio
	edge              ratio
	opening           [2]variety
	placement         [2]variety
	forced, passed    []ratio
	loss, lossLow     ratio
	lossHigh          ratio
	capped, finished  int

	// rows of the regressions.
	outcome []uint8 // 0 player 1 won, 1 draw, 2 player 0 won
	used    []int16 // for each game and special rule
	cluster []int32
	piece   struct {
		outcome []uint8
		diff    []int8 // men, leaders, bound men of player 0 less player 1
		cluster []int32
	}

	// working memory of one game.
	legal  []engine.Action
	inPlay []int
	course []course
}

// New prepares a cell.
func New(g *engine.Game, c Config) (*Cell, error) {
	if !(c.Level > 0 && c.Level < 1) {
		return nil, fmt.Errorf("metrics: the level %v is not between 0 and 1", c.Level)
	}
	x := &Cell{config: c, game: g, state: g.NewState(), eval: c.Evaluators, rules: mcts.SpecialRules(g), symmetry: g.Symmetries(), restricted: -1}
	if x.eval == nil {
		x.eval = []Evaluator{Material()}
		if e, ok := Fitted(g); ok {
			x.eval = append(x.eval, e)
		}
	}
	for _, k := range mcts.Specials() {
		if x.rules&k != 0 {
			x.kinds = append(x.kinds, k)
		}
	}
	x.changes, x.drama, x.comeback = make([]ratio, len(x.eval)), make([]ratio, len(x.eval)), make([]ratio, len(x.eval))
	x.use, x.forced, x.passed = make([]ratio, len(x.kinds)), make([]ratio, len(x.kinds)), make([]ratio, len(x.kinds))
	x.course = make([]course, len(x.eval)+1)
	rows, cols := g.Rows(), g.Cols()
	x.orbit, x.rim = make([]int32, rows*cols), make([]bool, rows*cols)
	var sizes []float64
	for sq := range x.orbit {
		x.orbit[sq] = -1
		x.rim[sq] = sq/cols == 0 || sq/cols == rows-1 || sq%cols == 0 || sq%cols == cols-1
	}
	for sq := range x.orbit {
		if x.orbit[sq] >= 0 {
			continue
		}
		n := 0.0
		for _, s := range x.symmetry {
			if to := s.Square[sq]; x.orbit[to] < 0 {
				x.orbit[to] = int32(len(sizes))
				n++
			}
		}
		sizes = append(sizes, n)
	}
	for p := range x.placement {
		x.placement[p].count, x.placement[p].weight = make([]float64, len(sizes)), sizes
	}
	if !c.SelfPlay {
		x.avoid, x.restricted = restrictedOf(c.SpecA, c.SpecB)
	}
	return x, nil
}

// restrictedOf says which of two agents is the other with some rules forbidden: 0 the
// first, 1 the second, −1 neither.
func restrictedOf(a, b string) (mcts.Special, int) {
	sa, errA := mcts.ParseSpec(a)
	sb, errB := mcts.ParseSpec(b)
	if errA != nil || errB != nil {
		return 0, -1
	}
	avoid := [2]string{sa.Options["avoid"], sb.Options["avoid"]}
	delete(sa.Options, "avoid")
	delete(sb.Options, "avoid")
	if sa.String() != sb.String() || (avoid[0] == "") == (avoid[1] == "") {
		return 0, -1
	}
	who := 0
	if avoid[0] == "" {
		who = 1
	}
	set, err := mcts.ParseSpecial(avoid[who])
	if err != nil {
		return 0, -1
	}
	return set, who
}

// wanted says whether the next game is measured.
func (c *Cell) wanted() bool {
	return c.pairs < MaxPairs && (c.config.SelfPlay || c.restricted >= 0)
}

// Add takes the next game: first both of the first pair, then those of the second.
// The row is not kept. A match in which neither agent is the other with a restriction
// is not measured, nor what comes after [MaxPairs] pairs. An error wraps [ErrGame]: the game does not follow the rules,
// and the cell is then of no more use.
func (c *Cell) Add(g *datasets.Game) error {
	_, err := c.AddWatched(g, unwatched{})
	return err
}

// Watcher sees a game that is played again, so that what else counts it need not play it once
// more. The state is not to be changed.
type Watcher interface {
	// Begin sees the start, Before a legal action that is about to be played, and After the
	// position that it led to.
	Begin(s *engine.State)
	Before(s *engine.State, a engine.Action)
	After(s *engine.State)
}

// unwatched is nobody.
type unwatched struct{}

func (unwatched) Begin(*engine.State)                 {}
func (unwatched) Before(*engine.State, engine.Action) {}
func (unwatched) After(*engine.State)                 {}

// AddWatched is Add before a watcher. A game that is not measured is not played, and then
// followed is false.
func (c *Cell) AddWatched(g *datasets.Game, w Watcher) (followed bool, err error) {
	if c.pairs >= MaxPairs {
		c.limited = true
	}
	if !c.wanted() {
		return false, nil
	}
	if err := c.follow(g, w); err != nil {
		return false, err
	}
	c.slot++
	if c.slot < 2 {
		return true, nil
	}
	c.slot = 0
	c.pairs++
	for _, r := range c.ratios() {
		r.close()
	}
	for i := range 2 {
		c.opening[i].close()
		c.placement[i].close()
	}
	return true, nil
}

// ratios lists all running sums.
func (c *Cell) ratios() []*ratio {
	out := []*ratio{&c.branching, &c.choice, &c.searched.changes, &c.searched.drama, &c.searched.comeback, &c.rowGames, &c.edge, &c.loss, &c.lossLow, &c.lossHigh}
	for _, list := range [][]ratio{c.attrition[:], c.changes, c.drama, c.comeback, c.use, c.forced, c.passed} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}

// inPlay is the number of a player's pieces on the board and in hand.
func inPlay(s *engine.State, player int) int {
	men, leaders, _ := s.Pieces(player)
	handMen, handLeaders := s.Hand(player)
	return men + leaders + handMen + handLeaders
}

// tally is what one game adds up to.
type tally struct {
	choices, choosing int
	arrivals, rim     int
	uses              [2][]int // by player and kind
	half              [2][]int // in the first half of the plies
	forced, passed    []int
	rowPlies          int
	searched          int
}

// follow plays a game again.
func (c *Cell) follow(g *datasets.Game, w Watcher) error {
	s := c.state
	if g.Start == "" {
		s.Reset()
	} else {
		at, err := c.game.ParsePosition(g.Start)
		if err != nil {
			return fmt.Errorf("%w: game %d starts at %q: %w", ErrGame, g.GameID, g.Start, err)
		}
		s.CopyFrom(at)
	}
	w.Begin(s)
	plies := len(g.Moves)
	t := tally{forced: make([]int, len(c.kinds)), passed: make([]int, len(c.kinds))}
	for p := range 2 {
		t.uses[p], t.half[p] = make([]int, len(c.kinds)), make([]int, len(c.kinds))
	}
	for i := range c.course {
		c.course[i] = course{band: expectationBand}
		if i < len(c.eval) {
			c.course[i].band = c.eval[i].Band
		}
	}
	c.inPlay = append(c.inPlay[:0], inPlay(s, 0)+inPlay(s, 1))
	values := g.Values
	if c.config.Values == "" || len(values) != plies {
		values = nil
	}
	restricted := -1
	if c.restricted >= 0 {
		restricted = c.restricted ^ c.slot
	}
	// Which positions are looked at for the pieces' values.
	var look [positions]int
	for k := range look {
		u := float64(spread(g.GameID*positions+uint64(k))>>11) / (1 << 53)
		look[k] = int((float64(k) + u) / positions * float64(plies))
	}
	var latest [2]float64
	var judged [2]bool
	first := len(c.piece.diff)
	for ply := range plies {
		a := engine.Action(g.Moves[ply])
		c.legal = s.Legal(c.legal[:0])
		if _, ok := slices.BinarySearch(c.legal, a); !ok {
			return fmt.Errorf("%w: ply %d of game %d (action %d) is not legal in %s", ErrGame, ply+1, g.GameID, a, s.Position())
		}
		t.choices += len(c.legal)
		if len(c.legal) > 1 {
			t.choosing++
		}
		player := s.ToMove()
		if c.config.SelfPlay {
			for i, e := range c.eval {
				v := e.Value(s)
				if math.IsNaN(v) || v < -1-1e-6 || v > 1+1e-6 {
					return fmt.Errorf("%w: the evaluator %s says %v of %s; values lie in [-1, 1]", ErrGame, e.Name, v, s.Position())
				}
				c.course[i].see(v)
			}
			if values != nil {
				if v := float64(values[ply]); !math.IsNaN(v) {
					// A search thinks well of the ply it has found, so a player's values lean to
					// his own side; the mean of both players' latest ones does not.
					latest[player], judged[player] = math.Max(-1, math.Min(1, v)), true
					if judged[0] && judged[1] {
						c.course[len(c.eval)].see((latest[0] + latest[1]) / 2)
					}
					t.searched++
				}
			}
			if s.Phase() == engine.Movement && slices.Contains(look[:], ply) {
				c.piece.diff = append(c.piece.diff, differences(s)...)
			}
		}
		made := s.PlyOf(a)
		var used mcts.Special
		if made.Kind == engine.Hop {
			used |= mcts.SpecialHop
		}
		if (made.Kind == engine.Move || made.Kind == engine.Hop) && s.At(made.From).IsLeader() {
			used |= mcts.SpecialLeader
		}
		var could mcts.Special
		if player == restricted {
			for _, other := range c.legal {
				could |= mcts.SpecialOf(s, other, c.avoid&c.rules)
			}
		}
		w.Before(s, a)
		s.Play(a)
		w.After(s)
		used = (used | mcts.SpecialAfter(s, made)) & c.rules
		if used&mcts.SpecialRow != 0 {
			t.rowPlies++
		}
		for i, k := range c.kinds {
			if used&k != 0 {
				t.uses[player][i]++
				if ply < plies/2 {
					t.half[player][i]++
				}
			}
			if player == restricted && c.avoid&k != 0 {
				switch {
				case used&k != 0:
					t.forced[i]++
				case could&k != 0:
					t.passed[i]++
				}
			}
		}
		switch made.Kind {
		case engine.Move, engine.Hop:
			t.arrivals++
			if c.rim[made.To] {
				t.rim++
			}
		case engine.PlaceMan, engine.PlaceLeader:
			if c.config.FromStart && c.config.SelfPlay {
				c.placement[player].see(c.orbit[made.To])
			}
		}
		c.inPlay = append(c.inPlay, inPlay(s, 0)+inPlay(s, 1))
	}
	return c.sum(g, &t, first, restricted)
}

// differences are player 0's free men, leaders and bound men less player 1's, on the
// board and in hand.
func differences(s *engine.State) []int8 {
	var d [3]int
	for p := range 2 {
		men, leaders, bound := s.Pieces(p)
		handMen, handLeaders := s.Hand(p)
		sign := 1 - 2*p
		d[0] += sign * (men - bound + handMen)
		d[1] += sign * (leaders + handLeaders)
		d[2] += sign * bound
	}
	return []int8{int8(d[0]), int8(d[1]), int8(d[2])}
}

// sum adds a game that was followed to the cell. first is where its positions begin.
func (c *Cell) sum(g *datasets.Game, t *tally, first, restricted int) error {
	plies := float64(len(g.Moves))
	outcome := -1
	switch g.Outcome {
	case datasets.Win1:
		outcome = 0
	case datasets.Draw:
		outcome = 1
	case datasets.Win0:
		outcome = 2
	case datasets.Capped:
		c.capped++
	default:
		return fmt.Errorf("%w: game %d has the outcome %q; win0, win1, draw or capped is needed", ErrGame, g.GameID, g.Outcome)
	}
	if outcome >= 0 {
		c.finished++
	}
	if restricted >= 0 {
		score := func(capped float64) float64 {
			s := capped
			if outcome >= 0 {
				s = float64(outcome) / 2
				if restricted == 0 {
					s = 1 - s
				}
			}
			return s - 0.5
		}
		c.loss.game(score(0.5), 1)
		c.lossLow.game(score(0), 1)
		c.lossHigh.game(score(1), 1)
		for i := range c.kinds {
			c.forced[i].game(float64(t.forced[i]), 1)
			c.passed[i].game(float64(t.passed[i]), 1)
		}
	}
	if !c.config.SelfPlay {
		return nil
	}
	if len(g.Moves) > 0 {
		c.branching.game(float64(t.choices)/plies, 1)
		c.choice.game(float64(t.choosing)/plies, 1)
		for i := range c.kinds {
			c.use[i].game(100*float64(t.uses[0][i]+t.uses[1][i])/plies, 1)
		}
	}
	if c.rules&mcts.SpecialRow != 0 {
		c.rowGames.game(float64(min(1, t.rowPlies)), 1)
	}
	c.edge.game(float64(t.rim), float64(t.arrivals))
	if c.config.FromStart {
		for i, k := range []int{1, openingPlies} {
			if len(g.Moves) >= k {
				c.opening[i].see(c.opening[i].class(c.openingKey(g.Moves[:k])))
			}
		}
	}
	c.searchedPlies[0] += t.searched
	c.searchedPlies[1] += t.choosing
	if outcome < 0 {
		c.piece.diff = c.piece.diff[:first]
		return nil
	}
	base := slices.Max(c.inPlay)
	for k := range c.attrition {
		at := c.inPlay[len(g.Moves)*k/steps]
		c.attrition[k].game(float64(at)/float64(max(1, base)), 1)
	}
	note := func(x *course, changes, drama, comeback *ratio) {
		if x.seen == 0 {
			return
		}
		changes.game(float64(x.changes), 1)
		if outcome == 1 {
			return
		}
		worst := x.worst[1-outcome/2]
		drama.game(worst, 1)
		behind := 0.0
		if worst > x.band {
			behind = 1
		}
		comeback.game(behind, 1)
	}
	for i := range c.eval {
		note(&c.course[i], &c.changes[i], &c.drama[i], &c.comeback[i])
	}
	note(&c.course[len(c.eval)], &c.searched.changes, &c.searched.drama, &c.searched.comeback)
	c.outcome = append(c.outcome, uint8(outcome))
	c.cluster = append(c.cluster, int32(c.pairs))
	for i := range c.kinds {
		c.used = append(c.used, int16(max(-math.MaxInt16, min(math.MaxInt16, t.half[0][i]-t.half[1][i]))))
	}
	for range (len(c.piece.diff) - first) / 3 {
		c.piece.outcome = append(c.piece.outcome, uint8(outcome))
		c.piece.cluster = append(c.piece.cluster, int32(c.pairs))
	}
	return nil
}

// openingKey is the least of the plies' images under the symmetries of the game, so
// that openings that a symmetry exchanges are one.
func (c *Cell) openingKey(moves []uint16) string {
	var best []byte
	for _, sym := range c.symmetry {
		key := make([]byte, 0, 2*len(moves))
		for _, m := range moves {
			key = binary.BigEndian.AppendUint16(key, uint16(sym.Action[m]))
		}
		if best == nil || string(key) < string(best) {
			best = key
		}
	}
	return string(best)
}

// columns are the differences of one kind of piece, by position.
func (c *Cell) pieceColumn(k int) []float64 {
	out := make([]float64, len(c.piece.outcome))
	for i := range out {
		out[i] = float64(c.piece.diff[3*i+k])
	}
	return out
}

func (c *Cell) useColumn(k int) []float64 {
	out := make([]float64, len(c.outcome))
	for i := range out {
		out[i] = float64(c.used[i*len(c.kinds)+k])
	}
	return out
}

func ints[T int32 | uint8](x []T) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

// varies says whether a column has two values.
func varies(x []float64) bool {
	return len(x) > 0 && slices.Min(x) != slices.Max(x)
}

// model fits outcomes on columns.
func (c *Cell) model(outcome []uint8, columns []stats.Column, cluster []int32) (stats.Regression, string) {
	r, err := stats.ProportionalOdds(ints(outcome), columns, ints(cluster), c.config.Level)
	switch {
	case errors.Is(err, stats.ErrAliased):
		return r, "its counts go along with those of another rule or kind of piece, so that they cannot be told apart"
	case errors.Is(err, stats.ErrOneOutcome):
		return r, "all games ended alike"
	case errors.Is(err, stats.ErrFewClusters):
		return r, "there are too few pairs of games"
	case err != nil:
		return r, err.Error()
	}
	return r, ""
}
