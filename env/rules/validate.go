package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Validate returns every impossible or meaningless combination of parameters, in the order of the file
// format; nil when the rules can be played. Values that Set would refuse are problems too, so that a
// Params built in code is safe to compile after it passed.
func (p Params) Validate() []Problem {
	var out []Problem
	say := func(param, message, hint string, args ...any) {
		out = append(out, Problem{Param: param, Message: fmt.Sprintf(message, args...), Hint: hint})
	}
	// Each value by itself.
	for i := range fields {
		f := &fields[i]
		var q Params
		if err := f.set(&q, f.get(&p)); err != nil {
			out = append(out, asProblem(err))
		} else if f.get(&q) != f.get(&p) {
			say(f.Name, "%s is not in the fixed order", f.get(&q), quote(f.get(&p)))
		}
	}
	if len(out) > 0 {
		return out
	}
	// Meaningless values.
	told := map[string]bool{}
	for _, d := range dormant(&p) {
		if got := fieldByName(d.name).get(&p); got != d.value && !told[d.name] {
			told[d.name] = true
			want := d.value
			if want == "" {
				want = "empty"
			}
			say(d.name, "%s has no effect, because %s", "must be "+want, quote(got), d.because)
		}
	}
	// Room on the board.
	rows, cols, per := p.Board.Rows, p.Board.Cols, p.Pieces.Men+p.Pieces.Leaders
	squares := rows * cols
	if 2*per > squares {
		say("pieces.men", "%d pieces a side do not fit on %d squares", fmt.Sprintf("at most %d", squares/2-p.Pieces.Leaders), per, squares)
	}
	if p.Setup.Kind == "array" {
		p.validateArray(say)
	} else {
		p.validatePlacement(say)
	}
	p.validateSquares("capture.immune", p.Capture.Immune, say)
	p.validateMovement(say)
	p.validateCapture(say)
	p.validateEnd(say)
	slices.SortStableFunc(out, func(a, b Problem) int { return fieldIndex(a.Param) - fieldIndex(b.Param) })
	return out
}

func fieldIndex(name string) int {
	return slices.IndexFunc(fields, func(f field) bool { return f.Name == name })
}

type sayFunc func(param, message, hint string, args ...any)

func (p *Params) validateArray(say sayFunc) {
	rows, cols := p.Board.Rows, p.Board.Cols
	if len(p.Setup.Array) != rows {
		say("setup.array", "has %d rows for a board of %d", fmt.Sprintf("%d strings of %d characters, top row first", rows, cols), len(p.Setup.Array), rows)
		return
	}
	counts := map[rune]int{}
	for i, row := range p.Setup.Array {
		if len(row) != cols {
			say("setup.array", "row %d from the top has %d squares for a board of %d columns", fmt.Sprintf("%d characters", cols), i+1, len(row), cols)
		}
		for _, c := range row {
			counts[c]++
		}
	}
	for _, side := range []struct {
		c    rune
		what string
		want int
		name string
	}{
		{'a', "men of player 0", p.Pieces.Men, "pieces.men"}, {'b', "men of player 1", p.Pieces.Men, "pieces.men"},
		{'A', "leaders of player 0", p.Pieces.Leaders, "pieces.leaders"}, {'B', "leaders of player 1", p.Pieces.Leaders, "pieces.leaders"},
	} {
		if counts[side.c] != side.want {
			say("setup.array", "shows %d %s (%c)", fmt.Sprintf("%d, as %s says", side.want, side.name), counts[side.c], side.what, side.c)
		}
	}
}

func (p *Params) validatePlacement(say sayFunc) {
	rows, cols, per := p.Board.Rows, p.Board.Cols, p.Pieces.Men+p.Pieces.Leaders
	forbidden := p.validateSquares("setup.forbidden", p.Setup.Forbidden, say)
	free := func(from, to int) int {
		n := (to - from) * cols
		for _, f := range forbidden {
			if r := f / cols; r >= from && r < to {
				n--
			}
		}
		return n
	}
	most := per
	if p.Setup.AgreementMax > 0 {
		if p.Setup.AgreementMax < p.Pieces.Men {
			say("setup.agreement_max", "%d is below the %d men that the players start with", fmt.Sprintf("0 for no agreement, or at least %d", p.Pieces.Men), p.Setup.AgreementMax, p.Pieces.Men)
		}
		most = max(per, p.Setup.AgreementMax+p.Pieces.Leaders)
	}
	if p.Setup.Zone == "own-rows" {
		switch n := p.Setup.ZoneRows; {
		case n == 0:
			say("setup.zone_rows", "is 0 with zone own-rows", fmt.Sprintf("1 to %d", rows/2))
		case 2*n > rows:
			say("setup.zone_rows", "the zones of %d rows overlap on a board of %d rows", fmt.Sprintf("1 to %d", rows/2), n, rows)
		default:
			if room := min(free(0, n), free(rows-n, rows)); most > room {
				say("pieces.men", "%d pieces a side do not fit into a zone of %d squares", fmt.Sprintf("at most %d", room-p.Pieces.Leaders), most, room)
			}
		}
	} else if room := free(0, rows); 2*most > room && 2*per <= rows*cols {
		name, limit := "pieces.men", room/2-p.Pieces.Leaders
		if most > per {
			name = "setup.agreement_max"
		}
		say(name, "%d pieces a side do not fit on the %d squares where pieces may be placed", fmt.Sprintf("at most %d", limit), most, room)
	}
	if p.Pieces.Leaders > 0 && p.Setup.Leader == "none" {
		say("setup.leader", "is none although each side places a leader", "one of: after-all-men, last, first, first-or-last, any")
	}
}

// validateSquares checks that the named squares lie on the board and are named once; it returns their
// numbers.
func (p *Params) validateSquares(param string, names []string, say sayFunc) []int {
	var out []int
	for _, name := range names {
		row, col, err := ResolveSquare(name, p.Board.Rows, p.Board.Cols)
		if err != nil {
			pr := asProblem(err)
			say(param, "%s", pr.Hint, pr.Message)
			continue
		}
		sq := row*p.Board.Cols + col
		if slices.Contains(out, sq) {
			say(param, "names the square %s twice", "each at most once; centre is "+SquareName(Centre(p.Board.Rows, p.Board.Cols)), SquareName(row, col))
			continue
		}
		out = append(out, sq)
	}
	return out
}

func (p *Params) validateMovement(say sayFunc) {
	for _, m := range []struct {
		name string
		Mover
	}{{"movement.men", p.Movement.Men}, {"movement.leaders", p.Movement.Leaders}} {
		if m.name == "movement.leaders" && p.Pieces.Leaders == 0 {
			continue
		}
		if m.Range != "none" && m.Directions == "none" {
			say(m.name+".directions", "is none although the range is %s", "one of: orthogonal, diagonal, all", m.Range)
		}
		if len(m.HopOver) > 0 && m.HopDirections == "none" {
			say(m.name+".hop_directions", "is none although there are hops", "one of: orthogonal, diagonal, all")
		}
		if slices.Contains(m.HopOver, "own-men") && (slices.Contains(m.HopOver, "own-free") || slices.Contains(m.HopOver, "own-bound")) {
			say(m.name+".hop_over", "names own men twice: own-men stands beside own-free or own-bound", "own-men alone, or own-free and own-bound (leaders too)")
		}
	}
	if p.Movement.Men.Range == "none" && len(p.Movement.Men.HopOver) == 0 {
		say("movement.men.range", "is none and men do not hop either, so no man ever moves", "step or slide, or hop_over for pieces that only hop")
	}
}

func (p *Params) validateCapture(say sayFunc) {
	c := p.Capture
	if p.Pieces.Leaders > 0 && c.Leader == "none" {
		say("capture.leader", "is none although there are leaders", "one of: as-man, immune, surrounded")
	}
	if c.Line == "row" && (c.Leader == "immune" || c.Leader == "surrounded") && c.LeaderInRow == "none" {
		say("capture.leader_in_row", "is none although whole lines are taken and a leader may stand in one", "shields or spans")
	}
	if c.Effect == "bind" {
		must := func(ok bool, param, want string) {
			if !ok {
				got := fieldByName(param).get(p)
				say(param, "%s cannot be combined with captures that bind (capture.effect)", want, quote(got))
			}
		}
		must(p.Pieces.Leaders == 0, "pieces.leaders", "must be 0")
		must(c.Line == "single", "capture.line", "must be single")
		must(c.Edge == "neutral", "capture.edge", "must be neutral")
		must(c.Corner == "neutral", "capture.corner", "must be neutral")
		must(c.MovingBetween == "safe", "capture.moving_between", "must be safe")
		must(len(c.Immune) == 0, "capture.immune", "must be empty")
		must(p.Bonus.After == "none", "bonus.after", "must be none")
		b := p.Binding
		if b.Removal != "none" && b.RemovalNumber == "none" {
			say("binding.removal_number", "is none although bound enemies can be taken off", "one, any or all")
		}
		if b.Removal == "instead-of-move" && b.RemovalNumber != "one" && b.RemovalNumber != "none" {
			say("binding.removal_number", "%s cannot be combined with a removal that takes the whole turn", "must be one", quote(b.RemovalNumber))
		}
		if b.RemovalNumber == "all" && !b.RemovalCompulsory {
			say("binding.removal_compulsory", "is false although every bound enemy goes by itself", "must be true")
		}
	}
	if p.Bonus.After == "capture" {
		if p.Bonus.Piece == "none" {
			say("bonus.piece", "is none although a capture is followed by a bonus ply", "same or any")
		}
		if p.Movement.Men.HopChain || p.Movement.Leaders.HopChain {
			say("bonus.after", "a bonus ply cannot be combined with hop chains", "bonus.after: none, or hop_chain: false for men and leaders")
		}
	}
}

func (p *Params) validateEnd(say sayFunc) {
	e := p.End
	if e.NoCaptureLimit > 0 && e.NoCaptureResult == "none" {
		say("end.no_capture_result", "is none although %d plies without capture end the game", "count or draw", e.NoCaptureLimit)
	}
	if e.Annihilation != "none" {
		counted := p.Pieces.Men
		if e.Annihilation == "pieces" {
			counted += p.Pieces.Leaders
		}
		if counted <= e.AnnihilationAt {
			say("end.annihilation_at", "both sides would have lost before the first ply: each has %d %s", "0, or more pieces", counted, strings.TrimSuffix(e.Annihilation, "s")+"(s)")
		}
	}
	if e.LeaderImmobilised == "loses" && p.Movement.Leaders.Range == "none" && len(p.Movement.Leaders.HopOver) == 0 {
		say("end.leader_immobilised", "the leader never moves, so its owner would lose at once", "none, or let the leader move")
	}
}
