package difftest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"latro/env/engine"
	"latro/env/internal/literal"
	"latro/env/oracle"
	"latro/env/rules"
)

// Game names one compared game. The seed decides every choice in it that Script does not.
type Game struct {
	Params   rules.Params
	Policy   string // one of policies
	Seed     uint64
	MaxPlies int
	MaxWork  int      // bound of literal.NewWithin; 0 is none
	Script   []string // the first plies, in the notation of the literal engine; the game ends after them, if there are any
}

// Played is what became of a compared game.
type Played struct {
	Plies int
	Over  bool // the rules ended it
	Cut   bool // MaxWork did
	Fired map[string]int
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

// Compare plays one game on both engines, side by side, and compares after every ply everything that can be seen of the
// two: mover, legal plies, board, hands, phase, turn and quiet plies, what the mover is in the middle of and with which
// piece, the squares closed to it and barred by repetition or undo, occurrences, outcome, reason, the View built from all
// that, and whether hashes tell the same positions apart. The fast engine's plies are also taken back and made again, and
// the game now and then goes on from a copy or from its position string. nil means agreement.
func Compare(fast *engine.Game, game Game) (played Played, found *Disagreement) {
	c := &comparison{game: game, rng: rand.New(rand.NewPCG(game.Seed, 0x11a7)), hashes: map[string]uint64{}, keys: map[uint64]string{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case literal.OutOfWork:
			played.Cut, found = true, nil
		default:
			if c.slow == nil {
				panic(r)
			}
			found = c.differ("panic", "-", fmt.Sprint(r, "\n", string(debug.Stack())))
		}
		if c.slow != nil {
			played.Plies, played.Over, played.Fired = len(c.slow.Plies()), c.slow.Over(), c.slow.Fired()
		}
	}()
	c.slow = literal.NewWithin(game.Params, game.MaxWork)
	c.slow.CountRules()
	c.fast = fast.NewState()
	maxPlies := game.MaxPlies
	if len(game.Script) > 0 {
		maxPlies = len(game.Script)
	}
	for n := 0; ; n++ {
		if d := c.state(); d != nil || c.slow.Over() || n == maxPlies {
			return played, d
		}
		i, ok := c.choose()
		if !ok {
			return played, nil // the script asks for a ply that is not legal
		}
		if d := c.ply(i); d != nil {
			return played, d
		}
	}
}

type comparison struct {
	game    Game
	slow    *literal.Game
	fast    *engine.State
	rng     *rand.Rand
	actions []engine.Action
	texts   []string
	last    [2]string         // each player's latest move, for the policy shuffle
	hashes  map[string]uint64 // of positions by literal.Game.Key
	keys    map[uint64]string // the inverse
	seen    engine.View
	spare   []engine.Action
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
	if slow.Quiet() != fast.Quiet() {
		return c.differ("quiet plies", slow.Quiet(), fast.Quiet())
	}
	if slow.Turn() != fast.Turn() {
		return c.differ("turn", slow.Turn(), fast.Turn())
	}
	if n := len(slow.Plies()); n != fast.Ply() {
		return c.differ("ply", n, fast.Ply())
	}
	if slow.Occurrences() != fast.RepetitionCount() {
		return c.differ("occurrences of the position", slow.Occurrences(), fast.RepetitionCount())
	}
	if slow.Over() {
		if len(c.actions) > 0 {
			return c.differ("legal plies after the end", "none", c.texts)
		}
		return c.view()
	}
	if slow.ToMove() != fast.ToMove() {
		return c.differ("mover", slow.ToMove(), fast.ToMove())
	}
	if phase := [...]string{"agreement", "placement", "movement"}[fast.Phase()]; slow.Phase() != phase {
		return c.differ("phase", slow.Phase(), phase)
	}
	sorted := slices.Sorted(slices.Values(c.texts))
	if want := slow.Legal(); !slices.Equal(want, sorted) {
		onlySlow, onlyFast := minus(want, sorted), minus(sorted, want)
		return c.differ("legal plies of player "+fmt.Sprint(slow.ToMove()), fmt.Sprintf("also %v", onlySlow), fmt.Sprintf("also %v", onlyFast))
	}
	if d := c.hash(); d != nil {
		return d
	}
	return c.view()
}

// view compares the fast engine's View with one made of what the literal engine says.
func (c *comparison) view() *Disagreement {
	slow := c.slow
	want := engine.View{
		Squares: uint16(len(slow.Board())), Mover: uint8(slow.ToMove()), Phase: c.fast.Phase(), Placed: uint8(slow.Placed()), Chain: int16(slow.Active()),
		Bonus: slow.Pending() == "bonus", Removed: slow.Pending() == "removed", Opening: slow.Opening(),
		Quiet: uint16(slow.Quiet()), RepCount: uint8(min(slow.Occurrences(), 255)),
	}
	for sq, piece := range []byte(slow.Board()) {
		want.Cells[sq] = engine.Piece(strings.IndexByte(".abABxy", piece))
	}
	h := slow.Hands()
	want.HandMen, want.HandLeaders = [2]uint8{uint8(h[0]), uint8(h[2])}, [2]uint8{uint8(h[1]), uint8(h[3])}
	for _, text := range slow.Legal() {
		want.Removable = want.Removable || text[0] == 'X'
	}
	setAll(&want.Visited, slow.Closed())
	setAll(&want.Barred, slow.Barred())
	from, to := slow.Last()
	want.LastFrom, want.LastTo = int16(from), int16(to)
	c.fast.View(&c.seen)
	if c.seen != want {
		return c.differ("view", shown(&want), shown(&c.seen))
	}
	var again engine.View
	bytes := c.seen.AppendBinary(nil)
	if err := c.fast.Game().DecodeView(bytes, &again); err != nil || again != c.seen {
		return c.differ("view read from its bytes", shown(&want), fmt.Sprint(shown(&again), err))
	}
	return nil
}

func setAll(set *[4]uint64, squares []int) {
	for _, sq := range squares {
		set[sq/64] |= 1 << (sq % 64)
	}
}

// shown is a view without the squares beyond its board.
func shown(v *engine.View) string {
	rest := *v
	rest.Cells = [256]engine.Piece{}
	text := strings.Replace(fmt.Sprintf("%+v", rest), fmt.Sprint(rest.Cells), fmt.Sprint(v.Cells[:v.Squares]), 1)
	return text
}

// hash checks that positions alike have one hash and others another.
func (c *comparison) hash() *Disagreement {
	key, hash := c.slow.Key(), c.fast.Hash()
	if old, ok := c.hashes[key]; ok && old != hash {
		return c.differ("hash of the same position", old, hash)
	}
	if old, ok := c.keys[hash]; ok && old != key {
		return c.differ("positions of one hash", old, key)
	}
	c.hashes[key], c.keys[hash] = hash, key
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

// ply makes one of the legal plies, on which both engines agree, on both.
func (c *comparison) ply(i int) *Disagreement {
	action, text := c.actions[i], c.texts[i]
	if text[0] == 'M' || text[0] == 'H' {
		c.last[c.slow.ToMove()] = text
	}
	before, boardBefore := "", c.slow.Board()
	takeBack := len(c.game.Script) == 0 && c.rng.IntN(8) == 0 // position strings take longer than plies
	if takeBack {
		before = c.fast.Position()
	}
	if err := c.slow.Play(text); err != nil { // the literal engine first: it is the one that stops when a ply is too much work
		return c.differ("playing "+text, err, "legal")
	}
	c.fast.Play(action)
	effects := describe(c.fast.LastEffects())
	if want := seenEffects(text, boardBefore, c.slow.Board(), c.game.Params.Board.Cols); want != effects {
		return c.differ("effects of "+text, want, effects)
	}
	if takeBack {
		if d := c.takeBack(text, action, before); d != nil {
			return d
		}
	}
	switch roll := c.rng.IntN(40); {
	case len(c.game.Script) > 0:
	case roll == 0:
		c.fast = c.fast.Clone()
	case roll < 4:
		return c.reread()
	}
	return nil
}

// takeBack undoes the ply just made and makes it again.
func (c *comparison) takeBack(text string, action engine.Action, before string) *Disagreement {
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
	return nil
}

// reread lets the game go on from its position string.
func (c *comparison) reread() *Disagreement {
	text := c.fast.Position()
	s, err := c.fast.Game().ParsePosition(text)
	if err != nil {
		return c.differ("position string", text, err)
	}
	if again := s.Position(); again != text {
		return c.differ("position string read and written again", text, again)
	}
	if s.Hash() != c.fast.Hash() {
		return c.differ("hash after reading the position string", c.fast.Hash(), s.Hash())
	}
	c.fast = s
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
