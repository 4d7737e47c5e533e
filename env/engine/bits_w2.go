package engine

import "math/bits"

// bitsW2 is a set of squares of a board of at most 128.
type bitsW2 struct{ a, b uint64 }

func bitW2(sq int) bitsW2 {
	v := uint64(1) << (uint(sq) & 63)
	m := -(uint64(sq) >> 6 & 1)
	return bitsW2{v &^ m, v & m}
}

func (x bitsW2) and(y bitsW2) bitsW2    { return bitsW2{x.a & y.a, x.b & y.b} }
func (x bitsW2) or(y bitsW2) bitsW2     { return bitsW2{x.a | y.a, x.b | y.b} }
func (x bitsW2) xor(y bitsW2) bitsW2    { return bitsW2{x.a ^ y.a, x.b ^ y.b} }
func (x bitsW2) andNot(y bitsW2) bitsW2 { return bitsW2{x.a &^ y.a, x.b &^ y.b} }
func (x bitsW2) none() bool             { return x.a|x.b == 0 }
func (x bitsW2) any() bool              { return x.a|x.b != 0 }
func (x bitsW2) count() int             { return bits.OnesCount64(x.a) + bits.OnesCount64(x.b) }

func (x bitsW2) has(sq int) bool {
	w := x.a
	if sq >= 64 {
		w = x.b
	}
	return w>>(uint(sq)&63)&1 != 0
}

// first is the lowest square; the set must not be empty.
func (x bitsW2) first() int {
	if x.a != 0 {
		return bits.TrailingZeros64(x.a)
	}
	return 64 + bits.TrailingZeros64(x.b)
}

// rest is the set without its lowest square.
func (x bitsW2) rest() bitsW2 {
	if x.a != 0 {
		return bitsW2{x.a & (x.a - 1), x.b}
	}
	return bitsW2{0, x.b & (x.b - 1)}
}

// nth is the k-th lowest square, from 0; the set must have more than k.
func (x bitsW2) nth(k int) int {
	n := bits.OnesCount64(x.a)
	w, base := x.a, 0
	if k >= n {
		w, k, base = x.b, k-n, 64
	}
	return base + nth64(w, k)
}

// up and down move every square by n places, 1 to 17; squares that leave the two words are lost.
func (x bitsW2) up(n uint8) bitsW2 {
	return bitsW2{x.a << (n & 63), x.b<<(n&63) | x.a>>((64-n)&63)}
}

func (x bitsW2) down(n uint8) bitsW2 {
	return bitsW2{x.a>>(n&63) | x.b<<((64-n)&63), x.b >> (n & 63)}
}

func (x bitsW2) words() [4]uint64 { return [4]uint64{x.a, x.b} }

func fromWordsW2(w [4]uint64) bitsW2 { return bitsW2{w[0], w[1]} }
