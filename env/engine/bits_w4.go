package engine

import "math/bits"

// bitsW4 is a set of squares of a board of at most 256.
type bitsW4 struct{ a, b, c, d uint64 }

func bitW4(sq int) bitsW4 {
	v := uint64(1) << (uint(sq) & 63)
	switch sq >> 6 {
	case 0:
		return bitsW4{a: v}
	case 1:
		return bitsW4{b: v}
	case 2:
		return bitsW4{c: v}
	}
	return bitsW4{d: v}
}

func (x bitsW4) and(y bitsW4) bitsW4 { return bitsW4{x.a & y.a, x.b & y.b, x.c & y.c, x.d & y.d} }
func (x bitsW4) or(y bitsW4) bitsW4  { return bitsW4{x.a | y.a, x.b | y.b, x.c | y.c, x.d | y.d} }
func (x bitsW4) xor(y bitsW4) bitsW4 { return bitsW4{x.a ^ y.a, x.b ^ y.b, x.c ^ y.c, x.d ^ y.d} }

func (x bitsW4) andNot(y bitsW4) bitsW4 {
	return bitsW4{x.a &^ y.a, x.b &^ y.b, x.c &^ y.c, x.d &^ y.d}
}

func (x bitsW4) none() bool { return x.a|x.b|x.c|x.d == 0 }
func (x bitsW4) any() bool  { return x.a|x.b|x.c|x.d != 0 }

func (x bitsW4) count() int {
	return bits.OnesCount64(x.a) + bits.OnesCount64(x.b) + bits.OnesCount64(x.c) + bits.OnesCount64(x.d)
}

func (x bitsW4) has(sq int) bool { return x.and(bitW4(sq)).any() }

// first is the lowest square; the set must not be empty.
func (x bitsW4) first() int {
	switch {
	case x.a != 0:
		return bits.TrailingZeros64(x.a)
	case x.b != 0:
		return 64 + bits.TrailingZeros64(x.b)
	case x.c != 0:
		return 128 + bits.TrailingZeros64(x.c)
	}
	return 192 + bits.TrailingZeros64(x.d)
}

// rest is the set without its lowest square.
func (x bitsW4) rest() bitsW4 {
	switch {
	case x.a != 0:
		x.a &= x.a - 1
	case x.b != 0:
		x.b &= x.b - 1
	case x.c != 0:
		x.c &= x.c - 1
	default:
		x.d &= x.d - 1
	}
	return x
}

// nth is the k-th lowest square, from 0; the set must have more than k.
func (x bitsW4) nth(k int) int {
	n := bits.OnesCount64(x.a)
	if k < n {
		return nth64(x.a, k)
	}
	k -= n
	if n = bits.OnesCount64(x.b); k < n {
		return 64 + nth64(x.b, k)
	}
	k -= n
	if n = bits.OnesCount64(x.c); k < n {
		return 128 + nth64(x.c, k)
	}
	return 192 + nth64(x.d, k-n)
}

// up and down move every square by n places, 1 to 17; squares that leave the four words are lost.
func (x bitsW4) up(n uint8) bitsW4 {
	l, r := n&63, (64-n)&63
	return bitsW4{x.a << l, x.b<<l | x.a>>r, x.c<<l | x.b>>r, x.d<<l | x.c>>r}
}

func (x bitsW4) down(n uint8) bitsW4 {
	r, l := n&63, (64-n)&63
	return bitsW4{x.a>>r | x.b<<l, x.b>>r | x.c<<l, x.c>>r | x.d<<l, x.d >> r}
}

func (x bitsW4) words() [4]uint64 { return [4]uint64{x.a, x.b, x.c, x.d} }

func fromWordsW4(w [4]uint64) bitsW4 { return bitsW4{w[0], w[1], w[2], w[3]} }
