package engine

import "math/bits"

// Sets of squares come in three widths, bitsW1, bitsW2 and bitsW4, for boards of at most 64, 128 and 256 squares.
// They have the same methods; everything that works on them is written once, for W1, and the other two are
// generated from it: a set of one word is three to five times as fast as one of four.

//go:generate go run ./internal/widen

// nth64 is the position of the k-th set bit of w, from 0; w must have more than k. It has no branches: the counts of set
// bits up to each byte are compared with k all at once (S. Vigna, "Broadword Implementation of Rank/Select Queries", 2008),
// and a table finishes within the byte.
func nth64(w uint64, k int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	s := w - w>>1&0x5555555555555555
	s = s&0x3333333333333333 + s>>2&0x3333333333333333
	s = (s + s>>4) & 0x0f0f0f0f0f0f0f0f
	sums := s * ones
	below := (uint64(k)*ones | highs) - sums
	place := uint(bits.OnesCount64(below&highs)) * 8
	rank := uint64(k) - sums<<8>>(place&63)&0xff
	return int(place) + int(nthInByte[rank&7<<8|w>>(place&63)&0xff])
}

// nthInByte[k<<8|b] is the position of the k-th set bit of the byte b.
var nthInByte = func() (t [8 << 8]uint8) {
	for b := 0; b < 256; b++ {
		for k, rest := 0, b; rest != 0; k++ {
			t[k<<8|b] = uint8(bits.TrailingZeros8(uint8(rest)))
			rest &= rest - 1
		}
	}
	return t
}()
