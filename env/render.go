package env

import (
	"fmt"
	"io"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// RenderOptions says how Render draws. The zero value draws in ASCII.
type RenderOptions struct {
	// Unicode draws the pieces as figures instead of letters.
	Unicode bool
}

// figures are the Unicode pictures of the pieces, by engine.Piece: player 0 filled, player 1 hollow.
var figures = [...]rune{
	engine.Empty: '·', engine.Man0: '●', engine.Man1: '○', engine.Leader0: '◆', engine.Leader1: '◇',
	engine.Bound0: '◾', engine.Bound1: '◽',
}

// Render writes the board as text, player 1's side on top, with files and ranks, the square that the last ply
// reached in brackets, and two lines below: who is to move and what the counters say.
func (e *episode) Render(w io.Writer, opts RenderOptions) error {
	var b strings.Builder
	var v engine.View
	e.state.View(&v)
	files := "    "
	for col := range e.enc.cols {
		files += fmt.Sprintf(" %c ", 'a'+col)
	}
	files = strings.TrimRight(files, " ") + "\n"
	b.WriteString(files)
	for row := e.enc.rows - 1; row >= 0; row-- {
		fmt.Fprintf(&b, " %2d ", row+1)
		for col := range e.enc.cols {
			sq := row*e.enc.cols + col
			p := v.Cells[sq]
			r := p.Rune()
			if opts.Unicode {
				r = figures[p]
			}
			if int(v.LastTo) == sq {
				fmt.Fprintf(&b, "[%c]", r)
			} else {
				fmt.Fprintf(&b, " %c ", r)
			}
		}
		fmt.Fprintf(&b, " %d\n", row+1)
	}
	b.WriteString(files)
	e.renderStatus(&b, &v, opts)
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *episode) renderStatus(b *strings.Builder, v *engine.View, opts RenderOptions) {
	switch {
	case e.terminated:
		fmt.Fprintf(b, "over: %s (%s)", e.state.Outcome(), e.state.Reason())
	case e.truncated:
		b.WriteString("stopped by the length cap, without result")
	default:
		man := engine.Man0 + engine.Piece(v.Mover)
		picture := man.Rune()
		if opts.Unicode {
			picture = figures[man]
		}
		fmt.Fprintf(b, "player %d (%c) to move", v.Mover, picture)
		if v.Chain >= 0 {
			sq := int(v.Chain)
			fmt.Fprintf(b, ", with the piece on %s", rules.SquareName(sq/e.enc.cols, sq%e.enc.cols))
		}
	}
	fmt.Fprintf(b, "\nply %d, turn %d", e.state.Ply(), e.state.Turn())
	if limit := e.enc.params.End.NoCaptureLimit; limit > 0 {
		fmt.Fprintf(b, ", %d of %d plies without capture", e.state.Quiet(), limit)
	}
	for player := range 2 {
		men, leaders := e.state.Hand(player)
		if men+leaders > 0 {
			fmt.Fprintf(b, ", player %d has %d in hand", player, men+leaders)
		}
	}
	b.WriteString("\n")
}
