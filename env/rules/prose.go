package rules

import (
	"fmt"
	"slices"
	"strings"
)

// section is a heading with the sentences below it.
type section struct {
	title     string
	sentences []string
}

// prose writes the rules out in words, from the parameters alone, so that the text of any ruleset says
// what is played and cannot go stale. Every parameter that has an effect changes some sentence.
func (p *Params) prose() []section {
	out := []section{
		{"Board and pieces", p.boardProse()},
		{"Setup", p.setupProse()},
		{"Movement", p.movementProse()},
		{"Capture", p.captureProse()},
	}
	if p.Capture.Effect == "bind" {
		out = append(out, section{"Bound men", p.bindingProse()})
	}
	if p.Bonus.After != "none" {
		out = append(out, section{"Bonus move", p.bonusProse()})
	}
	return append(out, section{"Repetition", p.repetitionProse()}, section{"End of the game", p.endProse()})
}

func count(n int, one, many string) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	w := fmt.Sprint(n)
	if n < len(words) {
		w = words[n]
	}
	if n == 1 {
		return w + " " + one
	}
	return w + " " + many
}

// join lists words: "a", "a and b", "a, b and c".
func join(words []string, last string) string {
	switch len(words) {
	case 0:
		return ""
	case 1:
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}

func (p *Params) hasLeaders() bool { return p.Pieces.Leaders > 0 }

// piece is what any piece is called: "man" where there are only men.
func (p *Params) piece() string {
	if p.hasLeaders() {
		return "piece"
	}
	return "man"
}

func (p *Params) pieces() string {
	if p.hasLeaders() {
		return "pieces"
	}
	return "men"
}

func (p *Params) squareNames(names []string) string {
	var out []string
	for _, n := range names {
		row, col, err := ResolveSquare(n, p.Board.Rows, p.Board.Cols)
		if err != nil {
			out = append(out, n)
		} else if n == "centre" {
			out = append(out, SquareName(row, col)+" (the centre)")
		} else {
			out = append(out, n)
		}
	}
	return join(out, "or")
}

func (p *Params) boardProse() []string {
	r, c := p.Board.Rows, p.Board.Cols
	s := []string{
		fmt.Sprintf("The board has %d rows, ranks 1 to %d, and %d columns, files a to %c: %d squares.", r, r, c, 'a'+c-1, r*c),
		fmt.Sprintf("Player 0 sits at rank 1, player 1 at rank %d.", r),
	}
	men := fmt.Sprintf("Each player has %s", count(p.Pieces.Men, "man", "men"))
	if p.hasLeaders() {
		men += " and one leader (the dux or praetorian)"
	} else {
		men += ", all alike; there is no leader"
	}
	return append(s, men+".")
}

// oddPlacement reports whether pieces placed in pairs may leave a player with a single one.
func (p *Params) oddPlacement() bool {
	n := p.Pieces.Men
	if p.Setup.Leader != "after-all-men" {
		n += p.Pieces.Leaders
	}
	return n%2 == 1 || p.Setup.AgreementMax > 0
}

func (p *Params) setupProse() []string {
	su := &p.Setup
	if su.Kind == "array" {
		return []string{"The game starts from the position in the diagram; player 0 makes the first move."}
	}
	var s []string
	if su.AgreementMax > 0 {
		s = append(s, fmt.Sprintf("First the players agree on the number of men: by turns, player 0 first, each raises the number of both sides by one, up to %d, or passes; when both have passed one after the other the number stands, and the player who is then next places first.", su.AgreementMax))
	}
	first := ", player 0 first"
	if su.AgreementMax > 0 {
		first = ""
	}
	turn := fmt.Sprintf("The board is empty at first. The players place their %s by turns%s, ", p.pieces(), first)
	if su.PerTurn == 1 {
		turn += "one a turn"
	} else {
		turn += count(su.PerTurn, "", "") + "a turn"
		if p.oddPlacement() {
			turn += " (who has only one left places one)"
		}
	}
	if su.Zone == "own-rows" {
		if su.ZoneRows == 1 {
			turn += ", on any empty square of the row nearest to themselves."
		} else {
			turn += fmt.Sprintf(", on any empty square of the %s nearest to themselves.", count(su.ZoneRows, "row", "rows"))
		}
	} else {
		turn += ", on any empty square."
	}
	s = append(s, turn)
	if len(su.Forbidden) > 0 {
		s = append(s, "Nothing may be placed on "+p.squareNames(su.Forbidden)+"; this holds for placing only.")
	}
	switch su.Leader {
	case "after-all-men":
		s = append(s, "The leaders are added when all men of both sides stand: player 0's leader, then player 1's.")
	case "last":
		s = append(s, "Each player's leader is the last piece that he places.")
	case "first":
		s = append(s, "Each player's leader is the first piece that he places.")
	case "first-or-last":
		s = append(s, "Each player places his leader either as his very first piece or as his very last, as he decides at his first placement.")
	case "any":
		s = append(s, "The leader may be placed at any time, like a man.")
	}
	s = append(s, "Nothing is captured while pieces are placed, and an enclosure that arises then has no effect later.")
	if su.FirstMover == "last-placer" {
		s = append(s, "The player who placed the last piece makes the first move.")
	} else {
		s = append(s, "The player who placed the first piece makes the first move.")
	}
	return s
}

var directionWords = map[string]string{
	"orthogonal": "along its row or column", "diagonal": "diagonally", "all": "along its row, its column or a diagonal",
}

// moverProse says how one kind of piece moves; who is "A man" or "The leader".
func (p *Params) moverProse(who string, m *Mover) []string {
	var s []string
	switch m.Range {
	case "step":
		s = append(s, fmt.Sprintf("%s moves one square %s, to an empty square.", who, directionWords[m.Directions]))
	case "slide":
		s = append(s, fmt.Sprintf("%s moves any number of squares %s, as far as the squares are empty; it passes over nothing.", who, directionWords[m.Directions]))
	default:
		if len(m.HopOver) == 0 {
			return []string{who + " does not move."}
		}
		s = append(s, who+" moves only by hopping.")
	}
	if len(m.HopOver) == 0 {
		if p.movesByHop() {
			s = append(s, who+" does not hop.")
		}
		return s
	}
	hop := who
	if m.Range != "none" {
		hop += " may instead"
	} else {
		hop += " may"
	}
	over := p.hopWords(m.HopOver)
	if m.HopLength == "row" {
		hop += fmt.Sprintf(" hop %s over an unbroken row of one or more pieces (%s) to the empty square directly behind the row.", directionWords[m.HopDirections], over)
	} else {
		hop += fmt.Sprintf(" hop %s over one adjacent piece (%s) to the empty square directly behind it.", directionWords[m.HopDirections], over)
	}
	s = append(s, hop, "What is hopped over is not captured by that.")
	if m.HopChain {
		s = append(s, "After a hop it may hop on in the same turn, or stop, but never to a square that it left or landed on in this turn.")
	} else {
		s = append(s, "It does not hop on from there in the same move.")
	}
	return s
}

func (p *Params) movesByHop() bool {
	return len(p.Movement.Men.HopOver)+len(p.Movement.Leaders.HopOver) > 0
}

func (p *Params) hopWords(over []string) string {
	var out []string
	has := func(w string) bool { return slices.Contains(over, w) }
	noun := p.piece()
	bind := p.Capture.Effect == "bind"
	side := func(who, article, piece string) {
		free, bound := has(who+"-free"), has(who+"-bound")
		switch {
		case free && bound:
			out = append(out, article+" "+piece+", free or bound")
		case free && bind:
			out = append(out, "a free "+piece)
		case free:
			out = append(out, article+" "+piece)
		case bound:
			out = append(out, "a bound "+piece)
		}
	}
	side("own", "a", noun+" of its own side")
	if has("own-men") {
		out = append(out, "a man of its own side")
	}
	side("enemy", "an", "enemy "+noun)
	if len(out) > 2 {
		return join(out, "or")
	}
	return strings.Join(out, ", or ")
}

func (p *Params) movementProse() []string {
	m := &p.Movement
	s := []string{fmt.Sprintf("The players move by turns, one %s a turn.", p.piece())}
	s = append(s, p.moverProse("A man", &m.Men)...)
	if p.hasLeaders() {
		if sameMover(&m.Men, &m.Leaders) {
			s = append(s, "The leader moves as a man does.")
		} else {
			s = append(s, p.moverProse("The leader", &m.Leaders)...)
		}
	}
	if m.BetweenEnemies == "only-if-it-captures" {
		s = append(s, fmt.Sprintf("A square whose left and right neighbours, or whose neighbours before and behind, both hold enemies may be entered only by a move that %s an enemy there.", p.captures()))
		if p.Capture.Effect == "bind" {
			s = append(s, map[string]string{"count": "Bound enemies count too.", "ignored": "Only free enemies count."}[m.BetweenBound])
		}
	}
	if m.Undo == "forbidden" {
		s = append(s, fmt.Sprintf("The %s that moved in a player's last turn may not go back to the square where it stood before that turn. The ban is lifted for a player who has no other move.", p.piece()))
	}
	if m.ChainOffer == "before-effects" {
		s = append(s, "Whether a further hop is offered is decided on the board before the effects of the last hop (a bookkeeping habit of the Ludii system).")
	}
	if m.RemovalSquare == "barred" {
		s = append(s, "A hop may not land on a square from which a prisoner was taken off in the same turn.")
	}
	return s
}

func sameMover(a, b *Mover) bool {
	return a.Range == b.Range && a.Directions == b.Directions && slices.Equal(a.HopOver, b.HopOver) &&
		a.HopDirections == b.HopDirections && a.HopLength == b.HopLength && a.HopChain == b.HopChain
}

// captures is the verb of what a capture does: "takes" or "binds".
func (p *Params) captures() string {
	if p.Capture.Effect == "bind" {
		return "binds"
	}
	return "captures"
}

func (p *Params) captureProse() []string {
	c := &p.Capture
	axes := map[string]string{"orthogonal": "in a row or column", "diagonal": "on a diagonal", "all": "in a row, in a column or on a diagonal"}[c.Axes]
	fate := "taken off the board at once"
	if c.Effect == "bind" {
		fate = "bound: it stays where it is but can neither move nor help to capture"
	}
	var s []string
	victim := "An enemy man"
	if c.Leader == "as-man" {
		victim = "An enemy piece, man or leader alike,"
	}
	if c.Line == "row" {
		who := "an enemy man, or an unbroken line of several,"
		if c.Leader == "as-man" {
			who = "an enemy piece, man or leader alike, or an unbroken line of several,"
		}
		s = append(s, fmt.Sprintf("A move captures by custody: %s that stands %s between the %s that has just moved and another of the mover's %s is %s.", who, axes, p.piece(), p.pieces(), fate))
		if c.Edge == "hostile" {
			s = append(s, "A gap in the line saves all of it.")
		} else {
			s = append(s, "A gap in the line or the edge of the board saves all of it.")
		}
		if c.LineAxes == "horizontal" {
			s = append(s, "More than one at a time are taken only along a row of the board; in other directions a line of two or more is safe.")
		}
		switch c.LeaderInRow {
		case "shields":
			s = append(s, "An enemy leader in the line saves the whole line in that direction.")
		case "spans":
			s = append(s, "An enemy leader in the line does not break it: the men are taken, the leader stays.")
		}
	} else {
		s = append(s, fmt.Sprintf("A move captures by custody: %s that stands %s directly between the %s that has just moved and another of the mover's %s is %s.", lowerFirst(victim), axes, p.piece(), p.pieces(), fate))
		s = append(s, "Two enemies side by side between two captors are safe.")
	}
	s = append(s, fmt.Sprintf("One move may capture in several directions. Capturing is never a duty, and nothing is captured without a %s arriving next to it.", p.piece()))
	if p.hasLeaders() {
		switch c.Leader {
		case "immune":
			s = append(s, "A leader can never be captured.")
		case "surrounded":
			s = append(s, "A leader is captured only when enemies stand on all its orthogonal neighbours (four, three at an edge, two in a corner), the last of which has just arrived.")
		case "as-man":
			s = append(s, "A leader is captured as a man is.")
		}
		switch c.LeaderAsCaptor {
		case "both":
			s = append(s, "The leader captures as a man does, whether it moves or waits.")
		case "arriving":
			s = append(s, "The leader captures by its own move but is no partner for the capture of another piece.")
		case "standing":
			s = append(s, "The leader is a partner for the capture of another piece but does not capture by its own move.")
		case "none":
			if c.Leader == "surrounded" {
				s = append(s, "The leader is never one of the two captors; it still counts among the enemies that surround a leader.")
			} else {
				s = append(s, "The leader is never one of the two captors.")
			}
		}
	}
	if c.Edge == "hostile" {
		s = append(s, "The edge of the board is a captor: a piece on an edge square is captured by an "+p.captor()+" that arrives next to it on the inner side, opposite that edge; a piece in a corner from either of its two neighbours."+p.wholeLines("the edge"))
	} else {
		s = append(s, "The edge of the board does not capture.")
	}
	switch c.Corner {
	case "hostile":
		s = append(s, "The four corner squares are captors for both sides, whatever stands on them: a piece on an edge square next to a corner is captured by an "+p.captor()+" that arrives on its other side along that edge."+p.wholeLines("the corner square"))
	case "hostile-unless-own":
		s = append(s, "The four corner squares are captors for both sides, except while a piece of the victim's own side stands there: a piece on an edge square next to a corner is captured by an "+p.captor()+" that arrives on its other side along that edge."+p.wholeLines("the corner square"))
	}
	if c.CornerPair {
		who := "A man"
		if c.Leader == "as-man" {
			who = "A piece"
		}
		s = append(s, fmt.Sprintf("%s on a corner square is also %s when enemies hold both neighbours of the corner, one of which has just arrived.", who, map[bool]string{true: "bound", false: "captured"}[c.Effect == "bind"]))
	}
	if len(c.Immune) > 0 {
		s = append(s, "Nothing can be captured on "+p.squareNames(c.Immune)+".")
	}
	if c.MovingBetween == "taken" {
		s = append(s, "A piece that ends its own move between two enemies"+p.orBoard()+" is itself taken, after its own captures.")
	} else {
		s = append(s, fmt.Sprintf("A %s that moves between two enemies%s of its own accord is safe there.", p.piece(), p.orBoard()))
	}
	return s
}

// captor is who captures by arriving beside a captor of the board: not a leader that takes no part in it.
func (p *Params) captor() string {
	if r := p.Capture.LeaderAsCaptor; p.hasLeaders() && (r == "none" || r == "standing") {
		return "enemy man"
	}
	return "enemy"
}

// orBoard says between what else than two enemies a piece may come to stand.
func (p *Params) orBoard() string {
	var with []string
	if p.Capture.Edge == "hostile" {
		with = append(with, "the edge")
	}
	if p.Capture.Corner != "neutral" {
		with = append(with, "a corner that captures")
	}
	if len(with) == 0 {
		return ""
	}
	return ", or between an enemy and " + strings.Join(with, " or ") + ","
}

// wholeLines adds what becomes of a line that reaches a captor of the board.
func (p *Params) wholeLines(what string) string {
	if p.Capture.Line != "row" {
		return ""
	}
	return " A whole line of enemies that reaches " + what + " is captured in the same way."
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func (p *Params) bindingProse() []string {
	b := &p.Binding
	freed := "A bound man becomes free when one of the enemies that hold it leaves by its own move, and when such an enemy is itself bound."
	if b.GuardLeaves == "stays" {
		freed = "A bound man becomes free when one of the enemies that hold it is itself bound, but not when one of them moves away."
	}
	twice := "A man held on two lines at once is free as soon as one of the two pairs is broken."
	if b.HeldTwice == "stays" {
		twice = "A man held on two lines at once stays bound until both pairs are broken: while two free enemies stand on both sides of it, it is held."
	}
	s := []string{freed}
	if p.Capture.CornerPair {
		if b.CornerRescue {
			s = append(s, "This holds for a man bound in a corner too.")
		} else {
			s = append(s, p.cornerHeld())
		}
	}
	s = append(s, twice, "A man that has become free binds nobody until it moves again.")
	if b.ReleaseByLanding {
		s = append(s, "A man that hops over a bound enemy frees it (as in Ludii, which takes the landing man for the guard that left).")
	} else if p.movesByHop() && b.GuardLeaves == "freed" {
		s = append(s, "A man that hops over a bound enemy does not free it by that.")
	}
	switch b.Removal {
	case "none":
		s = append(s, "Bound men are never taken off the board.")
	case "instead-of-move":
		if b.RemovalCompulsory {
			s = append(s, "While an enemy man is bound at the start of his turn, a player must take one such man off the board instead of moving.")
		} else {
			s = append(s, "Instead of moving, a player may take one bound enemy man off the board.")
		}
	case "before-move":
		switch b.RemovalNumber {
		case "all":
			s = append(s, "At the start of a turn all bound enemy men go off the board; then the player moves.")
		case "any":
			if b.RemovalCompulsory {
				s = append(s, "While an enemy man is bound at the start of his turn, a player must take at least one such man off the board, and may take more; then he must move.")
			} else {
				s = append(s, "At the start of his turn a player may take any number of bound enemy men off the board; then he must move.")
			}
		default:
			if b.RemovalCompulsory {
				s = append(s, "While an enemy man is bound at the start of his turn, a player must take exactly one such man off the board, of his choice; then he must move.")
			} else {
				s = append(s, "At the start of his turn a player may take one bound enemy man off the board; then he must move.")
			}
		}
	}
	return s
}

// cornerHeld says what frees a man bound in a corner when the binding of a guard does not.
func (p *Params) cornerHeld() string {
	if p.Binding.GuardLeaves == "stays" {
		return "A man bound in a corner never becomes free."
	}
	return "A man bound in a corner becomes free only when a guard leaves, not when a guard is bound."
}

func (p *Params) bonusProse() []string {
	b := &p.Bonus
	who := "any of his pieces"
	if !p.hasLeaders() {
		who = "any of his men"
	}
	if b.Piece == "same" {
		who = "the " + p.piece() + " that captured"
	}
	verb := "may"
	if b.Compulsory {
		verb = "must, if he can,"
	}
	if b.MustCapture {
		s := []string{fmt.Sprintf("After a capture the player %s at once capture again with %s, and so on as long as there is something to capture.", verb, who)}
		if b.Compulsory {
			return append(s, "When no further capture is possible the turn ends.")
		}
		return append(s, "He may decline, which ends the turn; without a further capture it ends by itself.")
	}
	s := []string{fmt.Sprintf("After a capture the player %s at once make another move with %s, and if that captures too, yet another.", verb, who)}
	if b.Compulsory {
		return append(s, "Without such a move the turn ends.")
	}
	return append(s, "He may decline, which ends the turn.")
}

func (p *Params) repetitionProse() []string {
	switch p.Repetition.Rule {
	case "threefold-draw":
		return []string{"When the same position, with the same player to move, arises at the end of a turn for the third time, the game is drawn."}
	case "positional-superko":
		return []string{"No position may come back: a move that leads to the position after the first move of any earlier turn, or to the starting position, is illegal, whoever would be next to move."}
	case "situational-superko":
		return []string{"No position may come back with the same player to move: a move that leads to the position after the first move of any earlier turn, or to the starting position, with the same player next, is illegal."}
	}
	return []string{"Positions may recur without consequence."}
}

func (p *Params) endProse() []string {
	e := &p.End
	var s []string
	if e.Annihilation != "none" {
		what := p.pieces()
		if e.Annihilation == "men" {
			what = "men"
		}
		left := ""
		switch {
		case e.AnnihilationAt == 0:
			left = "no " + what + " left"
		case e.AnnihilationExact:
			left = "exactly one of his " + what + " left"
		default:
			left = "one or none of his " + what + " left"
		}
		if e.Annihilation == "pieces" && p.hasLeaders() {
			left += " (the leader counts)"
		}
		if e.Annihilation == "men" && p.hasLeaders() {
			left += " (the leader does not count)"
		}
		s = append(s, "A player with "+left+" loses.")
		if e.Checked == "next-player" {
			s = append(s, "This is looked at only for the player who is next to act (as in Ludii), so it is noticed at the end of the turn.")
		}
	} else {
		s = append(s, "Losing pieces alone does not lose the game.")
	}
	if p.hasLeaders() {
		switch e.LeaderCaptured {
		case "loses":
			s = append(s, "A player whose leader is captured loses.")
		case "count":
			s = append(s, "When a leader is captured the game ends, and the player with more pieces left wins.")
		default:
			if p.Capture.Leader == "as-man" || p.Capture.Leader == "surrounded" {
				s = append(s, "The loss of the leader does not end the game.")
			}
		}
		if e.LeaderImmobilised == "loses" {
			s = append(s, "A player whose leader cannot move after his opponent's move loses.")
		}
	}
	switch e.Blocked {
	case "pass":
		s = append(s, "A player who cannot move passes.")
	case "loses":
		s = append(s, "A player who cannot move loses.")
	case "count":
		s = append(s, fmt.Sprintf("When the player who is next cannot move the game ends, and the player with more %s left, that is with more captures, wins.", p.pieces()))
	case "opponent-opens":
		s = append(s, "A player who cannot move passes, and his opponent must, if he can, make a move that opens a way for him.")
	}
	if e.NoCaptureLimit > 0 {
		res := fmt.Sprintf("the player with more %s left wins", p.pieces())
		if e.NoCaptureResult == "draw" {
			res = "it is a draw"
		}
		s = append(s, fmt.Sprintf("After %d moves in a row without a capture, those of both players counted together%s, the game ends and %s.", e.NoCaptureLimit, p.alsoCounted(), res))
	} else {
		s = append(s, "There is no limit to play without captures.")
	}
	if e.NoCaptureResult == "count" || e.Blocked == "count" || e.LeaderCaptured == "count" {
		switch e.Tie {
		case "draw":
			s = append(s, fmt.Sprintf("Where %s are counted, equal numbers are a draw.", p.pieces()))
		case "player-0":
			s = append(s, fmt.Sprintf("Where %s are counted, player 0 wins with equal numbers.", p.pieces()))
		case "player-1":
			s = append(s, fmt.Sprintf("Where %s are counted, player 1 wins with equal numbers.", p.pieces()))
		}
	}
	if e.Blocked == "pass" || e.Blocked == "opponent-opens" {
		if e.TwoPasses == "draw" {
			s = append(s, "When both players pass one after the other the game is drawn.")
		} else {
			s = append(s, "Two passes one after the other have no consequence.")
		}
	}
	if e.TurnLimit > 0 {
		s = append(s, fmt.Sprintf("The game is stopped without result at turn %d (a limit of the Ludii system, not of the rules).", e.TurnLimit))
	}
	ends := 0
	for _, is := range []bool{
		e.Annihilation != "none", e.LeaderCaptured != "none", e.LeaderImmobilised != "none", e.Blocked == "loses" || e.Blocked == "count",
		e.NoCaptureLimit > 0, (e.Blocked == "pass" || e.Blocked == "opponent-opens") && e.TwoPasses == "draw",
	} {
		if is {
			ends++
		}
	}
	if ends > 1 {
		if p.Repetition.Rule == "threefold-draw" {
			s = append(s, "When several of these happen at once, the first in this order decides; the repetition of a position comes after them all.")
		} else {
			s = append(s, "When several of these happen at once, the first in this order decides.")
		}
	}
	return s
}

// alsoCounted names, in brackets, what counts as a move towards end.no_capture_limit without looking like one.
func (p *Params) alsoCounted() string {
	var what []string
	if p.End.Blocked == "pass" || p.End.Blocked == "opponent-opens" {
		what = append(what, "passes")
	}
	if p.Bonus.After != "none" {
		what = append(what, "bonus moves")
		if !p.Bonus.Compulsory {
			what = append(what, "declined ones")
		}
	}
	if p.Movement.Men.HopChain || p.Movement.Leaders.HopChain {
		what = append(what, "each hop of a chain", "its stop")
	}
	switch n := len(what); {
	case n == 0:
		return ""
	case n == 1:
		return ", " + what[0] + " too"
	default:
		return ", " + strings.Join(what[:n-1], ", ") + " and " + what[n-1] + " too"
	}
}
