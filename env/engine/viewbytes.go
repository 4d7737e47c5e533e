package engine

import (
	"encoding/binary"
	"math"
)

// viewVersion is the first byte of a view's bytes.
const viewVersion = 1

// The flags of a view's bytes. Those from viewHands on announce an optional part, in this order.
const (
	viewMover uint16 = 1 << iota
	viewBonus
	viewRemoved
	viewOpening
	viewRemovable
	viewPhaseLow
	viewPhaseHigh
	viewHands
	viewPlaced
	viewChain
	viewVisited
	viewBarred
	viewLast
	viewQuiet
	viewRep
)

const viewHead = 4

// AppendBinary appends the view in a compact form, which Game.DecodeView reads, and returns dst extended. On 8×8 it takes
// 36 bytes and what the optional parts need, seldom more than 60.
//
// Version 1 is: the version; the number of squares minus one; 16 flags, low byte first; the squares, two a byte, low half
// first; then each of these parts whose flag is set: hands (4 bytes: men 0, leaders 0, men 1, leaders 1), pieces placed
// this turn (1), chain square (1), visited squares and barred squares (a bit a square, rounded up to bytes), last ply's
// squares (2 × 2, 65535 for none), quiet plies (2), repetition count (1). A part without flag has its usual value: 0, -1,
// empty, a repetition count of 1.
func (v *View) AppendBinary(dst []byte) []byte {
	n := int(v.Squares)
	var flags uint16
	set := func(use bool, f uint16) {
		if use {
			flags |= f
		}
	}
	set(v.Mover != 0, viewMover)
	set(v.Bonus, viewBonus)
	set(v.Removed, viewRemoved)
	set(v.Opening, viewOpening)
	set(v.Removable, viewRemovable)
	set(v.Phase&1 != 0, viewPhaseLow)
	set(v.Phase&2 != 0, viewPhaseHigh)
	set(v.HandMen != [2]uint8{} || v.HandLeaders != [2]uint8{}, viewHands)
	set(v.Placed != 0, viewPlaced)
	set(v.Chain >= 0, viewChain)
	set(v.Visited != [4]uint64{}, viewVisited)
	set(v.Barred != [4]uint64{}, viewBarred)
	set(v.LastFrom >= 0 || v.LastTo >= 0, viewLast)
	set(v.Quiet != 0, viewQuiet)
	set(v.RepCount != 1, viewRep)
	dst = append(dst, viewVersion, uint8(n-1), uint8(flags), uint8(flags>>8))
	for sq := 0; sq < n; sq += 2 {
		b := uint8(v.Cells[sq])
		if sq+1 < n {
			b |= uint8(v.Cells[sq+1]) << 4
		}
		dst = append(dst, b)
	}
	bitset := func(w *[4]uint64) {
		for i := 0; i < (n+7)/8; i++ {
			dst = append(dst, uint8(w[i/8]>>(i%8*8)))
		}
	}
	if flags&viewHands != 0 {
		dst = append(dst, v.HandMen[0], v.HandLeaders[0], v.HandMen[1], v.HandLeaders[1])
	}
	if flags&viewPlaced != 0 {
		dst = append(dst, v.Placed)
	}
	if flags&viewChain != 0 {
		dst = append(dst, uint8(v.Chain))
	}
	if flags&viewVisited != 0 {
		bitset(&v.Visited)
	}
	if flags&viewBarred != 0 {
		bitset(&v.Barred)
	}
	if flags&viewLast != 0 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(v.LastFrom))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(v.LastTo))
	}
	if flags&viewQuiet != 0 {
		dst = binary.LittleEndian.AppendUint16(dst, v.Quiet)
	}
	if flags&viewRep != 0 {
		dst = append(dst, v.RepCount)
	}
	return dst
}

// DecodeView reads what View.AppendBinary wrote for a position of this ruleset's board. The bytes may come from anywhere:
// another version or board, a square or piece that does not exist, bytes too few or too many are refused with an error
// that wraps ErrInvalid, and v is then undefined.
func (g *Game) DecodeView(b []byte, v *View) error {
	n := g.squares
	if len(b) < viewHead {
		return invalidf("view: %d bytes are too few", len(b))
	}
	if b[0] != viewVersion {
		return invalidf("view: version %d; this program reads version %d", b[0], viewVersion)
	}
	if int(b[1])+1 != n {
		return invalidf("view: of a board of %d squares; the ruleset's has %d", int(b[1])+1, n)
	}
	flags := binary.LittleEndian.Uint16(b[2:])
	if flags>>15 != 0 {
		return invalidf("view: unknown flag")
	}
	*v = View{Squares: uint16(n), Chain: -1, LastFrom: -1, LastTo: -1, RepCount: 1}
	rest := b[viewHead:]
	short := false
	take := func(k int) []byte {
		if len(rest) < k {
			short = true
			return make([]byte, k)
		}
		part := rest[:k]
		rest = rest[k:]
		return part
	}
	cells := take((n + 1) / 2)
	for sq := 0; sq < n; sq++ {
		piece := Piece(cells[sq/2] >> (sq % 2 * 4) & 15)
		if int(piece) >= len(pieceRunes) || piece.IsBound() && !g.cfg.bind || piece.IsLeader() && !g.cfg.haveLeaders {
			return invalidf("view: piece %d on %s does not occur in the ruleset", piece, g.squareName(sq))
		}
		v.Cells[sq] = piece
	}
	if n%2 == 1 && cells[n/2]>>4 != 0 {
		return invalidf("view: a piece beyond the board")
	}
	bitset := func(w *[4]uint64) error {
		for i, x := range take((n + 7) / 8) {
			w[i/8] |= uint64(x) << (i % 8 * 8)
		}
		for sq := n; sq < (n+7)/8*8; sq++ {
			if hasSquare(w, sq) {
				return invalidf("view: a square beyond the board")
			}
		}
		return nil
	}
	if flags&viewMover != 0 {
		v.Mover = 1
	}
	v.Bonus, v.Removed = flags&viewBonus != 0, flags&viewRemoved != 0
	v.Opening, v.Removable = flags&viewOpening != 0, flags&viewRemovable != 0
	v.Phase = Phase(flags / viewPhaseLow & 3)
	if v.Phase > Movement {
		return invalidf("view: phase %d", v.Phase)
	}
	if flags&viewHands != 0 {
		h := take(4)
		v.HandMen, v.HandLeaders = [2]uint8{h[0], h[2]}, [2]uint8{h[1], h[3]}
		most := uint8(max(g.params.Pieces.Men, int(g.cfg.agreementMax)))
		if max(h[0], h[2]) > most || int(max(h[1], h[3])) > g.params.Pieces.Leaders {
			return invalidf("view: more pieces in hand than the ruleset has")
		}
	}
	if flags&viewPlaced != 0 {
		if v.Placed = take(1)[0]; v.Placed >= g.cfg.perTurn {
			return invalidf("view: %d pieces placed in a turn", v.Placed)
		}
	}
	if flags&viewChain != 0 {
		if v.Chain = int16(take(1)[0]); int(v.Chain) >= n {
			return invalidf("view: chain square %d", v.Chain)
		}
	}
	if flags&viewVisited != 0 {
		if err := bitset(&v.Visited); err != nil {
			return err
		}
	}
	if flags&viewBarred != 0 {
		if err := bitset(&v.Barred); err != nil {
			return err
		}
	}
	if flags&viewLast != 0 {
		last := take(4)
		for i, to := range []*int16{&v.LastFrom, &v.LastTo} {
			x := binary.LittleEndian.Uint16(last[2*i:])
			if x != math.MaxUint16 && int(x) >= n {
				return invalidf("view: last ply's square %d", x)
			}
			*to = int16(x)
		}
	}
	if flags&viewQuiet != 0 {
		v.Quiet = binary.LittleEndian.Uint16(take(2))
	}
	if flags&viewRep != 0 {
		v.RepCount = take(1)[0]
	}
	if short {
		return invalidf("view: %d bytes are too few", len(b))
	}
	if len(rest) > 0 {
		return invalidf("view: %d bytes too many", len(rest))
	}
	return nil
}
