package engine

import "math/bits"

// bitsW1 is a set of squares of a board of at most 64.
type bitsW1 struct{ a uint64 }

func bitW1(sq int) bitsW1 { return bitsW1{1 << (uint(sq) & 63)} }

func (x bitsW1) and(y bitsW1) bitsW1    { return bitsW1{x.a & y.a} }
func (x bitsW1) or(y bitsW1) bitsW1     { return bitsW1{x.a | y.a} }
func (x bitsW1) xor(y bitsW1) bitsW1    { return bitsW1{x.a ^ y.a} }
func (x bitsW1) andNot(y bitsW1) bitsW1 { return bitsW1{x.a &^ y.a} }
func (x bitsW1) none() bool             { return x.a == 0 }
func (x bitsW1) any() bool              { return x.a != 0 }
func (x bitsW1) count() int             { return bits.OnesCount64(x.a) }
func (x bitsW1) has(sq int) bool        { return x.a>>(uint(sq)&63)&1 != 0 }

// first is the lowest square; the set must not be empty.
func (x bitsW1) first() int { return bits.TrailingZeros64(x.a) }

// rest is the set without its lowest square.
func (x bitsW1) rest() bitsW1 { return bitsW1{x.a & (x.a - 1)} }

// nth is the k-th lowest square, from 0; the set must have more than k.
func (x bitsW1) nth(k int) int { return nth64(x.a, k) }

// up and down move every square by n places, 1 to 17; squares that leave the word are lost.
func (x bitsW1) up(n uint8) bitsW1   { return bitsW1{x.a << (n & 63)} }
func (x bitsW1) down(n uint8) bitsW1 { return bitsW1{x.a >> (n & 63)} }

func (x bitsW1) words() [4]uint64 { return [4]uint64{x.a} }

func fromWordsW1(w [4]uint64) bitsW1 { return bitsW1{w[0]} }
