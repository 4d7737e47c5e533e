package selfplay

import "latro/env/engine"

// tracker follows each piece of a game from square to square, so that the end of the game tells of every earlier
// position which of its pieces came through.
type tracker struct {
	// pieces has the number of the piece on each square, 0 where there is none. Numbers are given in the order in
	// which pieces come to the board and are not used again.
	pieces []uint16
	last   uint16
	seen   []uint16 // the pieces of each remembered position, one after another
}

// reset begins with the position of s and remembers nothing.
func (t *tracker) reset(s *engine.State) {
	n := s.Game().Squares()
	if len(t.pieces) != n {
		t.pieces = make([]uint16, n)
	}
	clear(t.pieces)
	t.last, t.seen = 0, t.seen[:0]
	t.settle(s)
}

// follow takes note of a ply that was just made on s; p is what the ply was on the board before it.
func (t *tracker) follow(s *engine.State, p engine.Ply) {
	if p.Kind == engine.Move || p.Kind == engine.Hop {
		t.pieces[p.To], t.pieces[p.From] = t.pieces[p.From], 0
	}
	t.settle(s)
}

// settle takes off what is gone, by capture or removal, and numbers what is new.
func (t *tracker) settle(s *engine.State) {
	for sq := range t.pieces {
		switch empty := s.At(sq) == engine.Empty; {
		case empty:
			t.pieces[sq] = 0
		case t.pieces[sq] == 0:
			t.last++
			t.pieces[sq] = t.last
		}
	}
}

// remember keeps the present position for survivors.
func (t *tracker) remember() { t.seen = append(t.seen, t.pieces...) }

// survivors is the survival mask (datasets.Sample.Survival) of each remembered position, given the present one as
// the last: a bit for each square, set if its piece is still there.
func (t *tracker) survivors() [][]byte {
	alive := make([]bool, int(t.last)+1)
	for _, id := range t.pieces {
		alive[id] = id != 0
	}
	n := len(t.pieces)
	masks := make([][]byte, 0, len(t.seen)/max(n, 1))
	for at := 0; at < len(t.seen); at += n {
		mask := make([]byte, (n+7)/8)
		for sq, id := range t.seen[at : at+n] {
			if alive[id] {
				mask[sq/8] |= 1 << (sq % 8)
			}
		}
		masks = append(masks, mask)
	}
	return masks
}
