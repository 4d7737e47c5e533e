package engine

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"latro/env/rules"
)

// A position string is a line of fields separated by spaces: the board, the mover, the phase, then key=value fields, each
// left out where it has its usual value:
//
//	board       rows from the top, separated by '/'; letters as Piece.Rune, runs of empty squares as numbers
//	mover       0 or 1
//	phase       agreement, placement or movement
//	hand=       men and leaders to place: men0,leaders0,men1,leaders1 (0,0,0,0)
//	men=        men a side after the agreement's raises so far (pieces.men)
//	first=      who placed first, after an agreement (0)
//	placed=     pieces placed in this turn (0)
//	chain=      square of the hopping piece; bonus= square of the piece with a bonus ply, or "any" or "none"
//	removed=1   a bound man was taken off in this turn and a move is due
//	visited=    squares on which this turn's hops may not land
//	open=1      the opponent passed because he is blocked and is to be given a ply
//	passes=     agreement: passes in a row; p0,p1: whose latest turn was a single pass: "0", "1" or "01"
//	undo=       who moved what: banned returns "c3c2" of player 0 and of player 1 and the move of this turn, "-" where none
//	last=       squares of the last ply, "-" where none: "c3c2", "-c2"
//	ply= turn= inturn= quiet= rep=    counters (0, 1, 0, 0, 1)
//	end=        outcome:reason of a game that is over
//	seen=       what the repetition rule remembers, in order, comma-separated: board and next mover, "8/8/.../8:0"
//
// Of what the repetition rule remembers only that is written which can still occur: positions with as many pieces as the
// board has now.

// Position writes the position with everything that decides how the game goes on, in one line of ASCII text without
// line breaks: see Game.ParsePosition. Equal positions with equal histories give equal text.
func (s *State) Position() string {
	var snap snapshot
	s.core.save(&snap)
	g := s.game
	var b strings.Builder
	g.writeBoard(&b, &snap.men, &snap.lead, &snap.bound)
	fmt.Fprintf(&b, " %d %s", snap.mover, snap.phase)
	field := func(use bool, format string, args ...any) {
		if use {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	field(snap.packedHands() != 0, "hand=%d,%d,%d,%d", snap.handMen[0], snap.handLead[0], snap.handMen[1], snap.handLead[1])
	field(int(snap.menStart) != g.params.Pieces.Men, "men=%d", snap.menStart)
	field(snap.firstPlacer != 0, "first=%d", snap.firstPlacer)
	field(snap.placed != 0, "placed=%d", snap.placed)
	switch snap.cont {
	case contChain:
		field(true, "chain=%s", g.squareName(int(snap.chain)))
	case contBonus:
		switch {
		case snap.chain >= 0:
			field(true, "bonus=%s", g.squareName(int(snap.chain)))
		case g.cfg.bonusAny:
			field(true, "bonus=any")
		default:
			field(true, "bonus=none")
		}
	case contMove:
		field(true, "removed=1")
	}
	if names := g.squareNames(snap.visited); names != "" {
		field(true, "visited=%s", names)
	}
	field(snap.open, "open=1")
	field(snap.agreePasses != 0 && snap.phase == Agreement, "passes=%d", snap.agreePasses)
	who := ""
	for p, single := range snap.singlePass {
		if single {
			who += strconv.Itoa(p)
		}
	}
	field(who != "", "passed=%s", who)
	if g.cfg.undoBan {
		bans := [3]string{g.pairName(snap.banSq[0], snap.banTo[0]), g.pairName(snap.banSq[1], snap.banTo[1]), g.pairName(snap.curSq, snap.curFrom)}
		field(bans != [3]string{"-", "-", "-"}, "undo=%s", strings.Join(bans[:], ","))
	}
	field(snap.lastFrom >= 0 || snap.lastTo >= 0, "last=%s", g.pairName(snap.lastFrom, snap.lastTo))
	field(snap.ply != 0, "ply=%d", snap.ply)
	field(snap.turn != 1, "turn=%d", snap.turn)
	field(snap.turnPlies != 0, "inturn=%d", snap.turnPlies)
	field(snap.quiet != 0, "quiet=%d", snap.quiet)
	field(snap.repCount != 1, "rep=%d", snap.repCount)
	field(snap.outcome != Ongoing, "end=%s:%s", snap.outcome, snap.reason)
	if len(snap.seen) > 0 {
		now := snap.men[0]
		total := onesOf(now) + onesOf(snap.men[1]) + onesOf(snap.lead[0]) + onesOf(snap.lead[1])
		sep := " seen="
		for i := range snap.seen {
			m := &snap.seen[i]
			if m.hands != 0 || onesOf(m.men[0])+onesOf(m.men[1])+onesOf(m.lead[0])+onesOf(m.lead[1]) != total {
				continue
			}
			b.WriteString(sep)
			sep = ","
			g.writeBoard(&b, &m.men, &m.lead, &m.bound)
			b.WriteByte(':')
			b.WriteByte('0' + m.next)
		}
	}
	return b.String()
}

func onesOf(w [4]uint64) int {
	n := 0
	for _, x := range w {
		n += bits.OnesCount64(x)
	}
	return n
}

func hasSquare(w *[4]uint64, sq int) bool { return w[sq>>6]>>(uint(sq)&63)&1 != 0 }

func setSquare(w *[4]uint64, sq int) { w[sq>>6] |= 1 << (uint(sq) & 63) }

// writeBoard writes rows from the top, runs of empty squares as numbers.
func (g *Game) writeBoard(b *strings.Builder, men, lead *[2][4]uint64, bound *[4]uint64) {
	for row := g.rows - 1; row >= 0; row-- {
		run := 0
		for col := 0; col < g.cols; col++ {
			sq := row*g.cols + col
			piece := Empty
			for p := 0; p < 2; p++ {
				if hasSquare(&men[p], sq) {
					piece = Man0 + Piece(p)
					if hasSquare(bound, sq) {
						piece = Bound0 + Piece(p)
					}
				}
				if hasSquare(&lead[p], sq) {
					piece = Leader0 + Piece(p)
				}
			}
			if piece == Empty {
				run++
				continue
			}
			if run > 0 {
				b.WriteString(strconv.Itoa(run))
				run = 0
			}
			b.WriteByte(pieceRunes[piece])
		}
		if run > 0 {
			b.WriteString(strconv.Itoa(run))
		}
		if row > 0 {
			b.WriteByte('/')
		}
	}
}

// readBoard is the inverse of writeBoard.
func (g *Game) readBoard(text string, men, lead *[2][4]uint64, bound *[4]uint64) error {
	row, col := g.rows-1, 0
	for i := 0; i < len(text); {
		ch := text[i]
		switch {
		case ch == '/':
			if col != g.cols {
				return invalidf("position: rank %d has %d squares instead of %d", row+1, col, g.cols)
			}
			if row == 0 {
				return invalidf("position: the board has more than %d ranks", g.rows)
			}
			row--
			col = 0
			i++
			continue
		case ch >= '0' && ch <= '9':
			n := 0
			for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
				n = n*10 + int(text[i]-'0')
				if n > g.cols {
					break
				}
			}
			if n == 0 || col+n > g.cols {
				return invalidf("position: rank %d does not have %d squares", row+1, g.cols)
			}
			col += n
			continue
		}
		piece, ok := pieceOf(ch)
		if !ok || piece == Empty {
			return invalidf("position: %q is no piece; use a b A B x y, numbers for empty squares and '/' between ranks", ch)
		}
		if col >= g.cols {
			return invalidf("position: rank %d has more than %d squares", row+1, g.cols)
		}
		sq := row*g.cols + col
		switch {
		case piece.IsLeader():
			setSquare(&lead[piece.Owner()], sq)
		default:
			setSquare(&men[piece.Owner()], sq)
			if piece.IsBound() {
				if !g.cfg.bind {
					return invalidf("position: a bound man on %s, but nothing is bound in this ruleset", g.squareName(sq))
				}
				setSquare(bound, sq)
			}
		}
		col++
		i++
	}
	if row != 0 || col != g.cols {
		return invalidf("position: the board has not %d ranks of %d squares", g.rows, g.cols)
	}
	return nil
}

// squareNames writes a set of squares, one name after the other.
func (g *Game) squareNames(w [4]uint64) string {
	var b strings.Builder
	for sq := 0; sq < g.squares; sq++ {
		if hasSquare(&w, sq) {
			b.WriteString(g.squareName(sq))
		}
	}
	return b.String()
}

// splitNames cuts a text of square names, each a letter and a number, into squares; '-' gives -1.
func (g *Game) splitNames(text string) ([]int, error) {
	var out []int
	for len(text) > 0 {
		if text[0] == '-' {
			out = append(out, -1)
			text = text[1:]
			continue
		}
		n := 1
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		row, col, err := rules.ParseSquare(text[:n], g.rows, g.cols)
		if err != nil {
			return nil, fmt.Errorf("%w: position: %w", ErrInvalid, err)
		}
		out = append(out, row*g.cols+col)
		text = text[n:]
	}
	return out, nil
}

// pairName writes two squares, "-" for -1, and only one "-" if there is none.
func (g *Game) pairName(a, b int16) string {
	name := func(sq int16) string {
		if sq < 0 {
			return "-"
		}
		return g.squareName(int(sq))
	}
	if a < 0 && b < 0 {
		return "-"
	}
	return name(a) + name(b)
}

func (g *Game) readPair(key, text string) (a, b int16, err error) {
	if text == "-" {
		return -1, -1, nil
	}
	squares, err := g.splitNames(text)
	if err != nil {
		return -1, -1, err
	}
	if len(squares) != 2 {
		return -1, -1, invalidf("position: %s=%s: expected two squares, such as c3c2", key, clip(text))
	}
	return int16(squares[0]), int16(squares[1]), nil
}

// ParsePosition reads what State.Position wrote, and positions written by hand: the board from the top with runs of empty
// squares as numbers, the mover (0 or 1), the phase, then fields key=value, all optional. "8/8/3ab3/8/8/8/8/8 0 movement"
// is a position of a placement ruleset on 8×8. History of the state is empty, and LastEffects says nothing.
//
// The text may come from anywhere: what cannot be a position of the ruleset is refused with an error that wraps ErrInvalid
// and says what is wrong, among it a position in which an end rule that can be seen on the board has decided the game
// without the field end= saying so. It is not asked whether play can lead to the position.
func (g *Game) ParsePosition(text string) (*State, error) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return nil, invalidf("position %q: expected the board, the mover (0 or 1) and the phase", clip(text))
	}
	r := positionReader{g: g}
	s := &r.snap
	s.turn, s.repCount = 1, 1
	s.chain, s.lastFrom, s.lastTo, s.curFrom, s.curSq = -1, -1, -1, -1, -1
	s.banSq, s.banTo = [2]int16{-1, -1}, [2]int16{-1, -1}
	s.menStart = uint8(g.params.Pieces.Men)
	if err := g.readBoard(fields[0], &s.men, &s.lead, &s.bound); err != nil {
		return nil, err
	}
	switch fields[1] {
	case "0":
	case "1":
		s.mover = 1
	default:
		return nil, invalidf("position: mover %q: expected 0 or 1", clip(fields[1]))
	}
	phase := -1
	for i, name := range phaseNames {
		if name == fields[2] {
			phase = i
		}
	}
	if phase < 0 {
		return nil, invalidf("position: phase %q: expected agreement, placement or movement", clip(fields[2]))
	}
	s.phase = Phase(phase)
	told := map[string]bool{}
	for _, field := range fields[3:] {
		key, value, ok := strings.Cut(field, "=")
		if !ok || value == "" {
			return nil, invalidf("position: %q: expected key=value", clip(field))
		}
		if told[key] {
			return nil, invalidf("position: %s= stands twice", clip(key))
		}
		told[key] = true
		if err := r.field(key, value); err != nil {
			return nil, err
		}
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	st := g.NewState()
	st.core.load(s)
	if s.outcome == Ongoing && s.phase == Movement && st.core.endBlocked() {
		return nil, invalidf("position: player %d is to move and has no ply, so the game is over; say so with end=%s:%s", s.mover, st.Outcome(), st.Reason())
	}
	return st, nil
}

// positionReader collects a position from its text.
type positionReader struct {
	g    *Game
	snap snapshot
}

// number reads a whole number from low to high.
func (r *positionReader) number(key, value string, low, high int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		return 0, invalidf("position: %s=%s: expected a whole number from %d to %d", key, clip(value), low, high)
	}
	return n, nil
}

const maxCounter = 1 << 30

func (r *positionReader) field(key, value string) (err error) {
	g, s := r.g, &r.snap
	n := 0
	square := func() (int16, error) {
		list, err := g.splitNames(value)
		if err != nil {
			return -1, err
		}
		if len(list) != 1 || list[0] < 0 {
			return -1, invalidf("position: %s=%s: expected one square", key, clip(value))
		}
		return int16(list[0]), nil
	}
	cont := func(c uint8) error {
		if s.cont != contNone {
			return invalidf("position: only one of chain=, bonus= and removed= can be true")
		}
		s.cont = c
		return nil
	}
	switch key {
	case "hand":
		parts := strings.Split(value, ",")
		if len(parts) != 4 {
			return invalidf("position: hand=%s: expected men0,leaders0,men1,leaders1", clip(value))
		}
		for i, part := range parts {
			limit := max(g.params.Pieces.Men, int(g.cfg.agreementMax))
			if i&1 == 1 {
				limit = g.params.Pieces.Leaders
			}
			if n, err = r.number(key, part, 0, limit); err != nil {
				return err
			}
			if i&1 == 1 {
				s.handLead[i>>1] = uint8(n)
			} else {
				s.handMen[i>>1] = uint8(n)
			}
		}
	case "men":
		n, err = r.number(key, value, g.params.Pieces.Men, max(g.params.Pieces.Men, int(g.cfg.agreementMax)))
		s.menStart = uint8(n)
	case "first":
		n, err = r.number(key, value, 0, min(1, int(g.cfg.agreementMax)))
		s.firstPlacer = uint8(n)
	case "placed":
		n, err = r.number(key, value, 0, int(g.cfg.perTurn)-1)
		s.placed = uint8(n)
	case "chain":
		if err := cont(contChain); err != nil {
			return err
		}
		s.chain, err = square()
	case "bonus":
		if err := cont(contBonus); err != nil {
			return err
		}
		switch {
		case value == "any" && g.cfg.bonusAny, value == "none" && !g.cfg.bonusAny && g.cfg.betweenTaken:
		case g.cfg.bonusAny:
			return invalidf("position: bonus=%s: expected any in this ruleset", clip(value))
		default:
			s.chain, err = square()
		}
	case "removed":
		if value != "1" {
			return invalidf("position: removed=%s: expected 1", clip(value))
		}
		return cont(contMove)
	case "visited":
		var list []int
		if list, err = g.splitNames(value); err != nil {
			return err
		}
		for _, sq := range list {
			if sq < 0 {
				return invalidf("position: visited=%s: expected squares", clip(value))
			}
			setSquare(&s.visited, sq)
		}
	case "open":
		if value != "1" {
			return invalidf("position: open=%s: expected 1", clip(value))
		}
		s.open = true
	case "passes":
		n, err = r.number(key, value, 0, 1)
		s.agreePasses = uint8(n)
	case "passed":
		switch value {
		case "0":
			s.singlePass[0] = true
		case "1":
			s.singlePass[1] = true
		case "01":
			s.singlePass = [2]bool{true, true}
		default:
			return invalidf("position: passed=%s: expected 0, 1 or 01", clip(value))
		}
	case "undo":
		parts := strings.Split(value, ",")
		if len(parts) != 3 || !g.cfg.undoBan {
			return invalidf("position: undo=%s: expected three moves, and a ruleset with movement.undo forbidden", clip(value))
		}
		for i := range s.banSq {
			if s.banSq[i], s.banTo[i], err = g.readPair(key, parts[i]); err != nil {
				return err
			}
		}
		s.curSq, s.curFrom, err = g.readPair(key, parts[2])
	case "last":
		s.lastFrom, s.lastTo, err = g.readPair(key, value)
	case "ply":
		n, err = r.number(key, value, 0, maxCounter)
		s.ply = int32(n)
	case "turn":
		n, err = r.number(key, value, 1, maxCounter)
		s.turn = int32(n)
	case "inturn":
		n, err = r.number(key, value, 0, maxCounter)
		s.turnPlies = int32(n)
	case "quiet":
		n, err = r.number(key, value, 0, maxCounter)
		s.quiet = int32(n)
	case "rep":
		n, err = r.number(key, value, 1, maxCounter)
		s.repCount = int32(n)
	case "end":
		o, why, _ := strings.Cut(value, ":")
		if s.outcome, err = ParseOutcome(o); err != nil {
			return fmt.Errorf("%w: position: %w", ErrInvalid, err)
		}
		if s.reason, err = ParseEndReason(why); err != nil {
			return fmt.Errorf("%w: position: %w", ErrInvalid, err)
		}
		if s.outcome == Ongoing || s.reason == NotEnded || (s.outcome == Capped) != (s.reason == TurnLimit) {
			return invalidf("position: end=%s: expected an outcome and the reason for it, such as win0:blocked", clip(value))
		}
	case "seen":
		if g.cfg.repeat == repeatNone {
			return invalidf("position: seen=: the ruleset has no repetition rule")
		}
		return r.seen(value)
	default:
		return invalidf("position: unknown field %s=", clip(key))
	}
	return err
}

func (r *positionReader) seen(value string) error {
	for _, part := range strings.Split(value, ",") {
		board, next, _ := strings.Cut(part, ":")
		var m seenPosition
		if err := r.g.readBoard(board, &m.men, &m.lead, &m.bound); err != nil {
			return err
		}
		switch next {
		case "0":
		case "1":
			m.next = 1
		default:
			return invalidf("position: seen: %q: expected a board, a colon and the next mover", clip(part))
		}
		r.snap.seen = append(r.snap.seen, m)
	}
	return nil
}

// check looks at what the fields say together.
func (r *positionReader) check() error {
	g, s := r.g, &r.snap
	cfg := &g.cfg
	me := int(s.mover)
	if s.phase != Movement && !cfg.placement {
		return invalidf("position: the ruleset starts from an array, so the phase is movement")
	}
	var total [2]int
	for p := 0; p < 2; p++ {
		men, lead := onesOf(s.men[p]), onesOf(s.lead[p])
		total[p] = men + lead
		wantMen, wantLead := int(s.menStart), g.params.Pieces.Leaders
		gotMen, gotLead := men+int(s.handMen[p]), lead+int(s.handLead[p])
		if gotMen > wantMen || gotLead > wantLead {
			return invalidf("position: player %d has %d men and %d leaders; the ruleset gives %d and %d", p, gotMen, gotLead, wantMen, wantLead)
		}
		if s.phase != Movement && (gotMen != wantMen || gotLead != wantLead) {
			return invalidf("position: player %d has %d men and %d leaders; before movement there are always %d and %d", p, gotMen, gotLead, wantMen, wantLead)
		}
		s.cntMen[p], s.cntLead[p] = uint8(men), uint8(lead)
	}
	if s.phase != Movement {
		if onesOf(s.bound) > 0 || s.cont != contNone || s.open || s.quiet != 0 {
			return invalidf("position: nothing is bound, captured or due in the %s phase", s.phase)
		}
		if len(s.seen) > 0 {
			return invalidf("position: seen=: nothing is remembered in the %s phase", s.phase)
		}
	}
	switch s.phase {
	case Agreement:
		if cfg.agreementMax == 0 || total[0]+total[1] > 0 || s.placed != 0 {
			return invalidf("position: no agreement phase in this ruleset, or pieces are on the board in it")
		}
	case Placement:
		if s.handMen[me]|s.handLead[me] == 0 {
			return invalidf("position: player %d is to place and has nothing in hand", me)
		}
		if int(s.placed) > total[me] {
			return invalidf("position: placed=%d, but player %d has %d pieces on the board", s.placed, me, total[me])
		}
	case Movement:
		if s.packedHands() != 0 {
			return invalidf("position: pieces in hand in the movement phase")
		}
		if s.placed != 0 {
			return invalidf("position: placed=%d in the movement phase", s.placed)
		}
	}
	if s.agreePasses != 0 && s.phase != Agreement {
		return invalidf("position: passes= belongs to the agreement phase")
	}
	for w := range s.bound {
		if s.bound[w]&^(s.men[0][w]|s.men[1][w]) != 0 {
			return invalidf("position: a bound piece that is no man")
		}
	}
	own := func(p int, sq int16) bool {
		return hasSquare(&s.men[p], int(sq)) || hasSquare(&s.lead[p], int(sq))
	}
	switch s.cont {
	case contChain:
		kind := &cfg.men
		if hasSquare(&s.lead[me], int(s.chain)) {
			kind = &cfg.lead
		}
		if !own(me, s.chain) || hasSquare(&s.bound, int(s.chain)) || !kind.chain {
			return invalidf("position: chain=%s: no free piece of player %d that hops in chains", g.squareName(int(s.chain)), me)
		}
	case contBonus:
		if !cfg.bonus || s.chain >= 0 && !own(me, s.chain) {
			return invalidf("position: bonus=: no bonus plies in this ruleset, or not of a piece of player %d", me)
		}
	case contMove:
		if !cfg.removal || cfg.removalEndsTurn {
			return invalidf("position: removed=: no move follows a removal in this ruleset")
		}
	}
	if s.visited != [4]uint64{} && s.cont != contChain && s.cont != contMove {
		return invalidf("position: visited= without chain= or removed=")
	}
	if s.open && (cfg.blocked != blockedOpens || s.cont != contNone) {
		return invalidf("position: open= belongs to rulesets with end.blocked opponent-opens, at the start of a turn")
	}
	for i, ban := range [3][2]int16{{s.banSq[0], s.banTo[0]}, {s.banSq[1], s.banTo[1]}, {s.curSq, s.curFrom}} {
		owner := i
		if i == 2 {
			owner = me
		}
		if ban[0] >= 0 && (ban[1] < 0 || !own(owner, ban[0])) {
			return invalidf("position: undo=: no piece of player %d on %s", owner, g.squareName(int(ban[0])))
		}
	}
	if s.turnPlies > s.ply || int64(s.turn) > int64(s.ply)+1 || s.quiet > s.ply {
		return invalidf("position: the counters turn=%d, inturn=%d and quiet=%d do not fit ply=%d", s.turn, s.turnPlies, s.quiet, s.ply)
	}
	if s.turnPlies == 0 && s.cont != contNone {
		return invalidf("position: chain=, bonus= or removed= without plies in this turn (inturn=)")
	}
	for i := range s.seen {
		m := &s.seen[i]
		if onesOf(m.men[0])+onesOf(m.men[1])+onesOf(m.lead[0])+onesOf(m.lead[1]) != total[0]+total[1] {
			return invalidf("position: seen: position %d has not as many pieces as the board, so it cannot occur again", i+1)
		}
		for p := 0; p < 2; p++ {
			if onesOf(m.men[p]) > int(s.menStart) || onesOf(m.lead[p]) > g.params.Pieces.Leaders {
				return invalidf("position: seen: position %d has more pieces than the ruleset gives", i+1)
			}
		}
	}
	if s.outcome == Ongoing && s.phase == Movement && cfg.annihilate {
		for p := 0; p < 2; p++ {
			left := s.piecesLeft(p)
			if cfg.annihilateMen {
				left = s.menLeft(p)
			}
			if (left == cfg.annihilateAt || left < cfg.annihilateAt && !cfg.annihilateEq) && (!cfg.endNextPlayer || p == me) {
				return invalidf("position: player %d has %d left, so the game is over; say so with end=", p, left)
			}
		}
	}
	return nil
}
