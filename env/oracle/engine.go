package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// ErrPly is wrapped by the errors of ParsePly: the text is no ply, or the ply is not legal.
var ErrPly = errors.New("not a legal ply")

// FormatPly is a legal action of s in the notation of recorded games.
func FormatPly(s *engine.State, a engine.Action) string {
	return formatPly(s.PlyOf(a), s.Game().Cols())
}

func formatPly(p engine.Ply, cols int) string {
	b := make([]byte, 0, 16)
	letter := [...]byte{
		engine.PlaceMan: 'P', engine.PlaceLeader: 'D', engine.Move: 'M', engine.Hop: 'H',
		engine.Remove: 'X', engine.Raise: 'R', engine.Pass: '-',
	}[p.Kind]
	b = append(b, letter)
	switch letter {
	case 'M', 'H':
		b = appendSquare(b, p.From, cols)
		b = append(b, '-')
		b = appendSquare(b, p.To, cols)
	case 'P', 'D':
		b = appendSquare(b, p.To, cols)
	case 'X':
		b = appendSquare(b, p.From, cols)
	}
	return string(b)
}

func appendSquare(b []byte, sq, cols int) []byte {
	b = strconv.AppendInt(b, int64(sq/cols), 10)
	b = append(b, '.')
	return strconv.AppendInt(b, int64(sq%cols), 10)
}

// ParsePly finds the legal action of s that a text in the notation of recorded games names. The error wraps
// ErrPly and says what is legal instead.
func ParsePly(s *engine.State, text string) (engine.Action, error) {
	for _, a := range s.Legal(nil) {
		if FormatPly(s, a) == text {
			return a, nil
		}
	}
	if s.Over() {
		return engine.NoAction, fmt.Errorf("%q: the game is over (%v): %w", text, s.Outcome(), ErrPly)
	}
	list := legalPlies(s)
	if len(list) > 8 {
		list = append(list[:8:8], "…")
	}
	return engine.NoAction, fmt.Errorf("%q for player %d; legal are %s: %w", text, s.ToMove(), strings.Join(list, " "), ErrPly)
}

// legalPlies is the legal plies of s in byte order.
func legalPlies(s *engine.State) []string {
	var list []string
	for _, a := range s.Legal(nil) {
		list = append(list, FormatPly(s, a))
	}
	slices.Sort(list)
	return list
}

// Board is the board string of s.
func Board(s *engine.State) string {
	b := make([]byte, s.Game().Squares())
	for sq := range b {
		b[sq] = byte(s.At(sq).Rune())
	}
	return string(b)
}

// enginePlayer is a Player over env/engine.
type enginePlayer struct {
	s *engine.State
}

// NewEnginePlayer starts a game of a compiled ruleset as a Player. It is not safe for concurrent use.
func NewEnginePlayer(g *engine.Game) Player { return &enginePlayer{s: g.NewState()} }

func (p *enginePlayer) ToMove() int { return p.s.ToMove() }

func (p *enginePlayer) Legal() []string { return legalPlies(p.s) }

func (p *enginePlayer) Play(text string) error {
	a, err := ParsePly(p.s, text)
	if err != nil {
		return err
	}
	return p.s.TryPlay(a)
}

func (p *enginePlayer) Board() string { return Board(p.s) }

func (p *enginePlayer) Hands() [4]int {
	m0, l0 := p.s.Hand(0)
	m1, l1 := p.s.Hand(1)
	return [4]int{m0, l0, m1, l1}
}

func (p *enginePlayer) Outcome() string { return p.s.Outcome().String() }

func (p *enginePlayer) Reason() string { return p.s.Reason().String() }

func (p *enginePlayer) Perft(depth int) uint64 { return CountPlies(p.s, depth) }

// CountPlies counts the sequences of depth legal plies from s and leaves s as it was. A game that is over
// contributes nothing; a forced pass is a ply. depth must be at least 1.
func CountPlies(s *engine.State, depth int) uint64 {
	if depth < 1 {
		panic("oracle: CountPlies needs a depth of at least 1")
	}
	return countPlies(s, depth, make([][]engine.Action, depth))
}

func countPlies(s *engine.State, depth int, lists [][]engine.Action) uint64 {
	lists[depth-1] = s.Legal(lists[depth-1][:0])
	if depth == 1 {
		return uint64(len(lists[0]))
	}
	var n uint64
	for _, a := range lists[depth-1] {
		s.Play(a)
		n += countPlies(s, depth-1, lists)
		s.Undo()
	}
	return n
}

// engineStarter starts games of rulesets opened by rules.Open and compiles each only once.
func engineStarter() NewPlayer {
	compiled := map[string]*engine.Game{}
	return func(ruleset, reading string) (Player, error) {
		ref := ruleset
		if reading != "" && reading != "default" {
			ref += "@" + reading
		}
		g, ok := compiled[ref]
		if !ok {
			r, err := rules.Open(ref)
			if err != nil {
				return nil, err
			}
			if g, err = engine.Compile(r.Params); err != nil {
				return nil, err
			}
			compiled[ref] = g
		}
		return NewEnginePlayer(g), nil
	}
}

// ReplayFile replays a recorded-games file with env/engine and the ruleset catalogue; see Replay.
func ReplayFile(path string, opts Options) (Result, error) {
	return Replay(path, engineStarter(), opts)
}

// CheckPerft checks a perft file with env/engine and the ruleset catalogue; see Perft.
func CheckPerft(path string, opts Options) (Result, error) { return Perft(path, engineStarter(), opts) }
