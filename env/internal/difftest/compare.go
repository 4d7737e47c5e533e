package difftest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"latro/env/engine"
	"latro/env/internal/literal"
	"latro/env/oracle"
	"latro/env/rules"
)

// policies is the ways in which compared games are played: "uniform"; "greedy" (80 % of the movement plies are
// among those that take, else bind, most); "shuffle" (half of the movement plies take the player's last move
// back if they can, which leads to repetitions and to the undo ban).
var policies = [...]string{"uniform", "greedy", "shuffle"}

// Game names one compared game. The seed decides every choice in it.
type Game struct {
	Params   rules.Params
	Policy   string
	Seed     uint64
	MaxPlies int
}

// Disagreement is a difference between the two engines.
type Disagreement struct {
	Game
	Plies         []string // what was played before the difference showed
	What          string
	Literal, Fast string
	Board         string // by the literal engine
}

func (d *Disagreement) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: literal %s, fast %s\n", d.What, d.Literal, d.Fast)
	fmt.Fprintf(&out, "  seed %d, policy %s, after %d plies: %s\n", d.Seed, d.Policy, len(d.Plies), strings.Join(d.Plies, " "))
	fmt.Fprintf(&out, "  parameters: %s\n", strings.Join(Departures(d.Params), " "))
	for r := d.Params.Board.Rows - 1; r >= 0; r-- {
		if cols := d.Params.Board.Cols; len(d.Board) == d.Params.Board.Rows*cols {
			fmt.Fprintf(&out, "  %2d %s\n", r, d.Board[r*cols:(r+1)*cols])
		}
	}
	return out.String()
}

// Compare plays one game on both engines, side by side, and compares after every ply what both say: mover,
// legal plies, board, hands, phase, quiet plies, outcome, reason. The fast engine's plies are also taken back and
// made again, and the game now and then goes on from a copy and from its position string. nil means agreement.
func Compare(fast *engine.Game, game Game) (plies int, found *Disagreement) {
	c := &comparison{game: game, slow: literal.New(game.Params), rng: rand.New(rand.NewPCG(game.Seed, 0x11a7))}
	defer func() {
		if r := recover(); r != nil {
			plies, found = len(c.slow.Plies()), c.differ("panic", "-", fmt.Sprint(r, "\n", string(debug.Stack())))
		}
	}()
	c.fast = fast.NewState()
	for len(c.slow.Plies()) < game.MaxPlies {
		if d := c.state(); d != nil || c.slow.Over() {
			return len(c.slow.Plies()), d
		}
		if d := c.ply(); d != nil {
			return len(c.slow.Plies()), d
		}
	}
	return len(c.slow.Plies()), c.state()
}

type comparison struct {
	game    Game
	slow    *literal.Game
	fast    *engine.State
	rng     *rand.Rand
	actions []engine.Action
	texts   []string
	last    [2]string // each player's latest move, for the policy shuffle
}

func (c *comparison) differ(what string, slow, fast any) *Disagreement {
	return &Disagreement{
		Game: c.game, Plies: c.slow.Plies(), What: what, Literal: fmt.Sprint(slow), Fast: fmt.Sprint(fast), Board: c.slow.Board(),
	}
}

// state compares everything that can be seen of the two games.
func (c *comparison) state() *Disagreement {
	slow, fast := c.slow, c.fast
	if slow.Outcome() != fast.Outcome().String() || slow.Reason() != fast.Reason().String() {
		return c.differ("outcome", slow.Outcome()+" "+slow.Reason(), fast.Outcome().String()+" "+fast.Reason().String())
	}
	if board := oracle.Board(fast); slow.Board() != board {
		return c.differ("board", slow.Board(), board)
	}
	m0, l0 := fast.Hand(0)
	m1, l1 := fast.Hand(1)
	if hands := [4]int{m0, l0, m1, l1}; slow.Hands() != hands {
		return c.differ("hands", slow.Hands(), hands)
	}
	if slow.Over() != fast.Over() {
		return c.differ("over", slow.Over(), fast.Over())
	}
	c.actions = fast.Legal(c.actions[:0])
	if !slices.IsSorted(c.actions) {
		return c.differ("order of the legal plies", "ascending", c.actions)
	}
	c.texts = c.texts[:0]
	for _, a := range c.actions {
		c.texts = append(c.texts, oracle.FormatPly(fast, a))
	}
	if slow.Over() {
		if len(c.actions) > 0 {
			return c.differ("legal plies after the end", "none", c.texts)
		}
		return nil
	}
	if slow.ToMove() != fast.ToMove() {
		return c.differ("mover", slow.ToMove(), fast.ToMove())
	}
	if phase := [...]string{"agreement", "placement", "movement"}[fast.Phase()]; slow.Phase() != phase {
		return c.differ("phase", slow.Phase(), phase)
	}
	if slow.Quiet() != fast.Quiet() {
		return c.differ("quiet plies", slow.Quiet(), fast.Quiet())
	}
	sorted := slices.Sorted(slices.Values(c.texts))
	if want := slow.Legal(); !slices.Equal(want, sorted) {
		onlySlow, onlyFast := minus(want, sorted), minus(sorted, want)
		return c.differ("legal plies of player "+fmt.Sprint(slow.ToMove()), fmt.Sprintf("also %v", onlySlow), fmt.Sprintf("also %v", onlyFast))
	}
	return nil
}

func minus(a, b []string) []string {
	var list []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			list = append(list, s)
		}
	}
	return list
}

// ply chooses one of the legal plies, which both engines agree on, and makes it on both.
func (c *comparison) ply() *Disagreement {
	i := c.choose()
	action, text := c.actions[i], c.texts[i]
	if text[0] == 'M' || text[0] == 'H' {
		c.last[c.slow.ToMove()] = text
	}
	// Position strings take longer than plies, so only some plies are taken back and made again.
	before, boardBefore, takeBack := "", c.slow.Board(), c.rng.IntN(8) == 0
	if takeBack {
		before = c.fast.Position()
	}
	c.fast.Play(action)
	effects := describe(c.fast.LastEffects())
	if takeBack {
		after := c.fast.Position()
		c.fast.Undo()
		if again := c.fast.Position(); again != before {
			return c.differ("position after "+text+" was taken back", before, again)
		}
		if list := c.fast.Legal(nil); !slices.Equal(list, c.actions) {
			return c.differ("legal plies after "+text+" was taken back", c.actions, list)
		}
		if err := c.fast.TryPlay(action); err != nil {
			return c.differ("playing "+text+" again", "legal", err)
		}
		if again := c.fast.Position(); again != after {
			return c.differ("position after "+text+" was made again", after, again)
		}
	}
	switch c.rng.IntN(40) {
	case 0:
		c.fast = c.fast.Clone()
	case 1:
		text := c.fast.Position()
		s, err := c.fast.Game().ParsePosition(text)
		if err != nil {
			return c.differ("position string", text, err)
		}
		if again := s.Position(); again != text {
			return c.differ("position string read and written again", text, again)
		}
		c.fast = s
	}
	if err := c.slow.Play(text); err != nil {
		return c.differ("playing "+text, err, "legal")
	}
	if want := seenEffects(text, boardBefore, c.slow.Board(), c.game.Params.Board.Cols); want != effects {
		return c.differ("effects of "+text, want, effects)
	}
	return nil
}

func describe(e engine.Effects) string {
	return fmt.Sprintf("captured %v, bound %d, freed %d", e.Captured, e.Bound, e.Freed)
}

// seenEffects reads the effects of a ply off the boards before and after it.
func seenEffects(text, before, after string, cols int) string {
	from, to := -1, -1
	if text[0] == 'M' || text[0] == 'H' {
		var r1, c1, r2, c2 int
		if _, err := fmt.Sscanf(text[1:], "%d.%d-%d.%d", &r1, &c1, &r2, &c2); err != nil {
			panic(err)
		}
		from, to = r1*cols+c1, r2*cols+c2
	}
	captured, bound, freed := []int{}, 0, 0
	for sq := range len(before) {
		was, is := before[sq], after[sq]
		switch {
		case is == '.' && (sq == to || was != '.' && sq != from):
			captured = append(captured, sq)
		case strings.ContainsRune("ab", rune(was)) && strings.ContainsRune("xy", rune(is)):
			bound++
		case strings.ContainsRune("xy", rune(was)) && strings.ContainsRune("ab", rune(is)):
			freed++
		}
	}
	return fmt.Sprintf("captured %v, bound %d, freed %d", captured, bound, freed)
}

// choose picks the index of a legal ply by the game's policy.
func (c *comparison) choose() int {
	random := c.rng.IntN(len(c.actions))
	if c.fast.Phase() != engine.Movement {
		return random
	}
	switch c.game.Policy {
	case "greedy":
		if c.rng.IntN(5) > 0 {
			return c.greediest()
		}
	case "shuffle":
		if c.rng.IntN(2) == 0 {
			if from, to, ok := strings.Cut(strings.TrimLeft(c.last[c.slow.ToMove()], "MH"), "-"); ok {
				for i, text := range c.texts {
					if text[0] != '-' && text[1:] == to+"-"+from {
						return i
					}
				}
			}
		}
	}
	return random
}

// greediest picks one of the plies with the largest gain: enemies off the board, then enemies bound.
func (c *comparison) greediest() int {
	enemy := 1 - c.fast.ToMove()
	men, leaders, bound := c.fast.Pieces(enemy)
	best, most := []int(nil), -1<<30
	for i, a := range c.actions {
		c.fast.Play(a)
		m, l, b := c.fast.Pieces(enemy)
		c.fast.Undo()
		gain := 1000*(men+leaders-m-l) + b - bound
		if gain > most {
			best, most = best[:0], gain
		}
		if gain == most {
			best = append(best, i)
		}
	}
	return best[c.rng.IntN(len(best))]
}

// Shrink looks for fewer departures from the neutral parameters, and for a smaller board, with which the two
// engines still disagree, and for the shortest of the games tried. It compares at most tries games and starts no new
// simplification after the limit.
func Shrink(d *Disagreement, tries int, limit time.Duration) *Disagreement {
	best := d
	deadline := time.Now().Add(limit)
	for improved := true; improved && tries > 0 && time.Now().Before(deadline); {
		improved = false
		for _, candidate := range simpler(best.Params) {
			if candidate.Equal(best.Params) || complexity(candidate) >= complexity(best.Params) {
				continue
			}
			if smaller := disagreeing(candidate, 40, best.MaxPlies, &tries); smaller != nil {
				best, improved = smaller, true
				break
			}
		}
	}
	if shorter := disagreeing(best.Params, 200, len(best.Plies), &tries); shorter != nil {
		best = shorter
	}
	return best
}

// disagreeing looks for a game with these parameters in which the engines disagree, the shortest of a few.
func disagreeing(p rules.Params, games, maxPlies int, tries *int) *Disagreement {
	fast, err := engine.Compile(p)
	if err != nil {
		return nil
	}
	var shortest *Disagreement
	for n := 0; n < games && *tries > 0; n++ {
		*tries--
		game := Game{Params: p, Policy: policies[n%len(policies)], Seed: uint64(n), MaxPlies: maxPlies}
		if _, d := Compare(fast, game); d != nil {
			shortest, maxPlies = d, len(d.Plies)
		}
	}
	return shortest
}

func complexity(p rules.Params) int {
	return 1000*len(Departures(p)) + 10*p.Board.Rows*p.Board.Cols + p.Pieces.Men
}

// simpler lists the valid parameters that differ from p in one parameter made neutral or one number made
// smaller, and in what else Validate then asks for.
func simpler(p rules.Params) []rules.Params {
	var list []rules.Params
	neutral := rules.Neutral()
	rng := rand.New(rand.NewPCG(1, 1))
	add := func(q rules.Params) {
		if repair(&q, rng) {
			list = append(list, q)
		}
	}
	for _, name := range rules.ParamNames() {
		q := p.Clone()
		if value, err := neutral.Get(name); err == nil && q.Set(name, value) == nil {
			if name == "setup.kind" {
				q.Setup.Array = nil
			}
			add(q)
		}
	}
	for _, change := range []func(*rules.Params){
		func(q *rules.Params) { q.Board.Rows-- },
		func(q *rules.Params) { q.Board.Cols-- },
		func(q *rules.Params) { q.Pieces.Men-- },
		func(q *rules.Params) { q.Movement.Men.Range = "step" },
	} {
		q := p.Clone()
		change(&q)
		add(q)
	}
	return list
}
