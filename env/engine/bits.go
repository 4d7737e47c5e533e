package engine

import "math/bits"

// Sets of squares come in three widths, bitsW1, bitsW2 and bitsW4, for boards of at most 64, 128 and 256 squares.
// They have the same methods; everything that works on them is written once, for W1, and the other two are
// generated from it: a set of one word is three to five times as fast as one of four.

//go:generate go run ./internal/widen

// nth64 is the position of the k-th set bit of w, from 0; w must have more than k.
func nth64(w uint64, k int) int {
	base := 0
	if n := bits.OnesCount32(uint32(w)); k >= n {
		k -= n
		w >>= 32
		base = 32
	}
	if n := bits.OnesCount16(uint16(w)); k >= n {
		k -= n
		w >>= 16
		base += 16
	}
	if n := bits.OnesCount8(uint8(w)); k >= n {
		k -= n
		w >>= 8
		base += 8
	}
	for ; k > 0; k-- {
		w &= w - 1
	}
	return base + bits.TrailingZeros64(w)
}
