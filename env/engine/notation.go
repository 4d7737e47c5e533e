package engine

import (
	"fmt"
	"strings"

	"latro/env/rules"
)

// Format writes an action: "c2-c5" a step or slide, "c2^c4" a hop, "@c2" the placement of a man, "@@c2" that of a
// leader, "xc3" a removal, "+" a raise, "--" a pass or stop. It does not ask whether the ply is legal; a number without
// meaning in the ruleset becomes "?" and the number.
func (s *State) Format(a Action) string {
	if _, err := s.game.Decode(a); err != nil {
		return fmt.Sprintf("?%d", a)
	}
	ply := s.PlyOf(a)
	g := s.game
	switch ply.Kind {
	case PlaceMan:
		return "@" + g.squareName(ply.To)
	case PlaceLeader:
		return "@@" + g.squareName(ply.To)
	case Move:
		return g.squareName(ply.From) + "-" + g.squareName(ply.To)
	case Hop:
		return g.squareName(ply.From) + "^" + g.squareName(ply.To)
	case Remove:
		return "x" + g.squareName(ply.From)
	case Raise:
		return "+"
	}
	return "--"
}

// Parse reads a ply in the notation of Format. It fails, saying why, if the text is no ply (ErrInvalid) or the ply is
// not legal here (ErrIllegal).
func (s *State) Parse(text string) (Action, error) {
	a, hop, err := s.game.parsePly(text)
	if err != nil {
		return NoAction, err
	}
	if err := s.refuse(a); err != nil {
		return NoAction, err
	}
	if in := &s.game.acts[a]; in.kind == actMove {
		if is := s.core.plyKind(in) == Hop; is != hop {
			return NoAction, fmt.Errorf("%w: %q: the ply is written %s here", ErrIllegal, clip(text), s.Format(a))
		}
	}
	return a, nil
}

// clip shortens hostile text for an error message.
func clip(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

// parsePly finds the action of a ply's text, and whether the text says that it is a hop.
func (g *Game) parsePly(text string) (a Action, hop bool, err error) {
	square := func(name string) (int, error) {
		row, col, err := rules.ParseSquare(name, g.rows, g.cols)
		if err != nil {
			return 0, fmt.Errorf("%w: ply %q: %w", ErrInvalid, clip(text), err)
		}
		return row*g.cols + col, nil
	}
	onPlane := func(pl int, name, what string) (Action, bool, error) {
		if pl < 0 {
			return NoAction, false, invalidf("ply %q: the ruleset has no %s", clip(text), what)
		}
		sq, err := square(name)
		if err != nil {
			return NoAction, false, err
		}
		return Action(pl*g.squares + sq), false, nil
	}
	switch {
	case text == "--":
		return g.pass, false, nil
	case text == "+":
		if g.raiseAt < 0 {
			return NoAction, false, invalidf("ply %q: the ruleset has no agreement on the number of men", text)
		}
		return Action(g.raiseAt * g.squares), false, nil
	case strings.HasPrefix(text, "@@"):
		return onPlane(g.placeLead, text[2:], "leader to place")
	case strings.HasPrefix(text, "@"):
		return onPlane(g.placeMan, text[1:], "placement")
	case strings.HasPrefix(text, "x"):
		return onPlane(g.removeAt, text[1:], "removal")
	}
	i := strings.IndexAny(text, "-^")
	if i < 0 {
		return NoAction, false, invalidf("ply %q: write c2-c5, c2^c4, @c2, @@c2, xc3, + or --", clip(text))
	}
	from, err := square(text[:i])
	if err != nil {
		return NoAction, false, err
	}
	to, err := square(text[i+1:])
	if err != nil {
		return NoAction, false, err
	}
	pl := g.planeTo(from, to)
	if pl < 0 {
		return NoAction, false, invalidf("ply %q: no piece moves from %s to %s in this ruleset", clip(text), g.squareName(from), g.squareName(to))
	}
	return Action(pl*g.squares + from), text[i] == '^', nil
}

// planeTo is the plane of the move from one square to another, -1 if the ruleset has none.
func (g *Game) planeTo(from, to int) int {
	dr, dc := to/g.cols-from/g.cols, to%g.cols-from%g.cols
	k := max(dr, -dr, dc, -dc)
	if k == 0 || dr != 0 && dc != 0 && dr != dc && dr != -dc {
		return -1
	}
	for d := range dirRow {
		if dirRow[d]*k == dr && dirCol[d]*k == dc {
			return int(g.planeAt[d][k])
		}
	}
	return -1
}
