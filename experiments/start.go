package experiments

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"latro/env/engine"
	"latro/env/seed"
)

// A start position must be a quiet beginning: no turn half made, no memory of how
// it came about. It is written as a position string with the board, the mover, the
// phase and the hands alone, so that equal starts are equal text in every ruleset.

// startText writes the position of s without history and counters; with twin the
// owners of all pieces and hands are exchanged, and with rotate the board is turned
// by 180 degrees.
func startText(s *engine.State, twin, rotate bool) string {
	g := s.Game()
	rows, cols := g.Rows(), g.Cols()
	var b strings.Builder
	for r := rows - 1; r >= 0; r-- {
		empty := 0
		flush := func() {
			if empty > 0 {
				fmt.Fprint(&b, empty)
				empty = 0
			}
		}
		for c := range cols {
			sq := r*cols + c
			if rotate {
				sq = rows*cols - 1 - sq
			}
			p := s.At(sq)
			if p == engine.Empty {
				empty++
				continue
			}
			flush()
			b.WriteRune(letter(p, twin))
		}
		flush()
		if r > 0 {
			b.WriteByte('/')
		}
	}
	fmt.Fprintf(&b, " %d %s", s.ToMove(), s.Phase())
	var hand [4]int
	for p := range 2 {
		owner := p
		if twin {
			owner = 1 - p
		}
		hand[2*p], hand[2*p+1] = s.Hand(owner)
	}
	if hand != [4]int{} {
		fmt.Fprintf(&b, " hand=%d,%d,%d,%d", hand[0], hand[1], hand[2], hand[3])
	}
	m0, _, _ := s.Pieces(0)
	h0, _ := s.Hand(0)
	// After an agreement the ruleset's number of men no longer holds; without losses
	// the board tells.
	if g.Params().Setup.AgreementMax > 0 && m0+h0 > g.Params().Pieces.Men {
		fmt.Fprintf(&b, " men=%d", m0+h0)
	}
	return b.String()
}

// letter is the piece's letter in a position string, of the other owner if twin.
func letter(p engine.Piece, twin bool) rune {
	r := p.Rune()
	if !twin {
		return r
	}
	const from, to = "abABxy", "baBAyx"
	if i := strings.IndexRune(from, r); i >= 0 {
		return rune(to[i])
	}
	return r
}

// rotates says whether a ruleset's twins are turned by 180 degrees: where the
// array or the zones give each player a side of his own.
func rotates(g *engine.Game) bool {
	s := g.Params().Setup
	return s.Kind == "array" || s.Zone == "own-rows"
}

// Twin is the colour-mirrored twin of a start position: the owners of all pieces,
// the hands and the bound marks exchanged, the side to move kept, the board turned
// by 180 degrees where the ruleset gives each player a side of his own, history
// and counters cleared. The twin of a twin is the position itself (cleared of its
// history). It fails where the engine does not accept the mirrored position, as
// within the placement phase.
func Twin(s *engine.State) (*engine.State, error) {
	t, err := s.Game().ParsePosition(startText(s, true, rotates(s.Game())))
	if err != nil {
		return nil, fmt.Errorf("mirror the colours of %q: %w", startText(s, false, false), err)
	}
	return t, nil
}

// start is one start position with its twin.
type start struct {
	// text and twin are position strings; "" for the ruleset's own start.
	text, twin string
}

// maxAttempts bounds the search for a usable start; a ruleset that ends during its
// random opening more often than that cannot be started this way.
const maxAttempts = 1000

// maxOpening bounds how long one opening is played on to reach the end of a turn
// of the right player.
const maxOpening = 400

var errNoStart = errors.New("no start position found")

// drawStart makes the start of a pair: the same for every cell whose rules do not
// alter the opening, since its stream depends on the seed and the pair alone.
func drawStart(g *engine.Game, d Design, pair int, symmetries []engine.Symmetry) (start, error) {
	switch {
	case d.Starts.Kind == "initial":
		return start{}, nil
	case g.Params().Setup.Kind == "placement":
		// A board filled at random is varied enough, and without further plies every
		// ruleset with this setup gets the same boards.
		return drawOpening(g, d.Seed, pair, 0, symmetries)
	}
	return drawOpening(g, d.Seed, pair, d.Starts.Plies, symmetries)
}

// drawOpening places what is to be placed and plays plies more, at random.
func drawOpening(g *engine.Game, root uint64, pair, opening int, symmetries []engine.Symmetry) (start, error) {
	s := g.NewState()
	var legal []engine.Action
	for attempt := range maxAttempts {
		rng := seed.New(root, seed.Opening, uint64(pair), uint64(attempt))
		s.Reset()
		play := func() (was int, ok bool) {
			legal = s.Legal(legal[:0])
			if len(legal) == 0 {
				return 0, false
			}
			was = s.ToMove()
			s.Play(legal[rng.IntN(len(legal))])
			return was, true
		}
		ok := true
		for ok && !s.Over() && s.Phase() != engine.Movement {
			_, ok = play()
		}
		if !ok || s.Over() {
			continue
		}
		first := s.ToMove()
		plies, was := 0, 1-first
		for ok && !s.Over() && (plies < opening || s.ToMove() != first || was == first) && plies < maxOpening {
			was, ok = play()
			plies++
		}
		if !ok || s.Over() || s.ToMove() != first || was == first {
			continue
		}
		if st, ok := usable(g, s, symmetries); ok {
			return st, nil
		}
	}
	return start{}, fmt.Errorf("%w for pair %d in %d random openings of %d plies: games end too early or every start is its own twin; use fewer plies", errNoStart, pair, maxAttempts, opening)
}

// usable accepts a start whose twin exists and differs, and where the mover of
// both has more than a forced pass.
func usable(g *engine.Game, s *engine.State, symmetries []engine.Symmetry) (start, bool) {
	rot := rotates(g)
	st := start{startText(s, false, false), startText(s, true, rot)}
	for _, text := range []string{st.text, st.twin} {
		p, err := g.ParsePosition(text)
		if err != nil || p.Over() {
			return start{}, false
		}
		legal := p.Legal(nil)
		if len(legal) == 0 || (len(legal) == 1 && legal[0] == g.Pass()) {
			return start{}, false
		}
	}
	// A start that its twin equals up to a symmetry of the game would be one game
	// played twice.
	a, err := g.ParsePosition(st.text)
	if err != nil {
		return start{}, false
	}
	b, err := g.ParsePosition(st.twin)
	if err != nil {
		return start{}, false
	}
	for _, sym := range symmetries {
		same := true
		for sq := range g.Squares() {
			if a.At(sq) != b.At(int(sym.Square[sq])) {
				same = false
				break
			}
		}
		if same {
			return start{}, false
		}
	}
	return st, true
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
