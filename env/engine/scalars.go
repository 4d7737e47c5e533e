package engine

// The continuations: what the mover is in the middle of.
const (
	contNone  uint8 = iota // at the start of a turn (or of the second placement of a pair)
	contChain              // a hop chain: the piece on scalars.chain may hop on or stop
	contBonus              // a bonus ply is due: of the piece on scalars.chain, or of any piece
	contMove               // a bound enemy was removed: a move follows
)

// scalars is the part of a position that does not depend on the board's size. It is copied whole into each undo
// record, so it holds no pointers.
type scalars struct {
	key       uint64 // zobrist key of board, bound marks and hands
	ply       int32  // plies since the start
	turn      int32  // 1, and one more whenever the mover changes
	quiet     int32  // movement plies since the last capture or removal
	turnPlies int32  // plies made in this turn
	repCount  int32  // occurrences of this position under a threefold rule

	chain    int16 // square of the hopping or of the bonus piece, -1
	lastFrom int16 // squares of the last ply, -1
	lastTo   int16
	curFrom  int16 // this turn: where the piece that moved first stood before, -1
	curSq    int16 // this turn: where that piece stands now, -1
	banSq    [2]int16
	banTo    [2]int16 // the piece on banSq[p] came from banTo[p] in p's previous turn (rule undo forbidden), -1

	handMen  [2]uint8
	handLead [2]uint8
	cntMen   [2]uint8 // on the board, bound ones too
	cntLead  [2]uint8

	mover       uint8
	phase       Phase
	cont        uint8
	outcome     Outcome
	reason      EndReason
	menStart    uint8 // men a side after the agreement
	placed      uint8 // pieces placed in this turn
	agreePasses uint8 // passes in a row in the agreement
	firstPlacer uint8
	singlePass  [2]bool // the player's latest finished turn was a single pass
	open        bool    // the opponent has just passed because he is blocked (rule opponent-opens)
}

// piecesLeft counts what the player still has, in hand and on the board.
func (s *scalars) piecesLeft(p int) int {
	return int(s.cntMen[p]) + int(s.cntLead[p]) + int(s.handMen[p]) + int(s.handLead[p])
}

// menLeft counts the men the player still has, in hand and on the board.
func (s *scalars) menLeft(p int) int { return int(s.cntMen[p]) + int(s.handMen[p]) }

// packedHands gives both hands in one word.
func (s *scalars) packedHands() uint32 {
	return uint32(s.handMen[0]) | uint32(s.handLead[0])<<8 | uint32(s.handMen[1])<<16 | uint32(s.handLead[1])<<24
}
