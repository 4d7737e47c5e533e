package luditrial

import (
	"bufio"
	"fmt"
	"io"

	"latro/env/engine"
)

// Write writes a game from the start of a ruleset as a trial. moves are actions of the codec's ruleset; options are
// the lines of the options block. It returns the outcome that the rules give after the moves: Ongoing for a game that
// the moves do not end, which is written as Ludii writes an unfinished one, without winner and endtype.
//
// A move that is not legal is an error that names its number, from 1, and what is legal. The text is that of
// Ludii 1.3.12 byte by byte, except that the internal state of its random numbers, which these games do not use, is
// zero, and that the two lines are left out by which the program signs a file.
func (c *Codec) Write(w io.Writer, options []string, moves []uint16) (engine.Outcome, error) {
	f := c.follow()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "game=%s\nSTART GAME OPTIONS\n", gamePath)
	for _, o := range options {
		fmt.Fprintln(b, o)
	}
	fmt.Fprintf(b, "END GAME OPTIONS\nRNG internal state=0,0,0,0,0,0,0,0\n")
	setup := f.setup()
	for _, line := range setup {
		fmt.Fprintf(b, "Move=%s\n", line)
	}
	for i, m := range moves {
		line, _, err := f.ply(engine.Action(m))
		if err != nil {
			return engine.Ongoing, fmt.Errorf("ply %d of %d: %w", i+1, len(moves), err)
		}
		fmt.Fprintf(b, "Move=%s\n", line)
	}
	fmt.Fprintf(b, "numInitialPlacementMoves=%d\n", len(setup))
	outcome := f.state.Outcome()
	e := endOf(f.state)
	if e.winner >= 0 {
		fmt.Fprintf(b, "winner=%d\nendtype=%s\n", e.winner, e.kind)
	}
	fmt.Fprintf(b, "rankings=%s\n", e.rankings)
	return outcome, b.Flush()
}

// end is how Ludii tells the end of a game.
type end struct {
	winner   int // -1 while the game goes on
	kind     string
	rankings string
}

func endOf(s *engine.State) end {
	e := end{0, "NaturalEnd", "0.0,1.5,1.5"}
	switch s.Outcome() {
	case engine.Ongoing:
		e = end{-1, "", "0.0,0.0,0.0"}
	case engine.Win0:
		e.winner, e.rankings = 1, "0.0,1.0,2.0"
	case engine.Win1:
		e.winner, e.rankings = 2, "0.0,2.0,1.0"
	case engine.Capped:
		e.kind = "TurnLimit"
	}
	return e
}
