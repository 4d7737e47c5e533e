package mcts

import "math/bits"

// Sets of squares come in three widths, for boards of at most 64, 128 and 256 squares. What an evaluation does with them is
// written once, for W1, and the other two are generated from it: most boards have one word or two, and a set of
// one is several times as fast as one of four.

//go:generate go run ../env/engine/internal/widen

// set is a set of squares of any board. It is a struct because the compiler keeps structs in registers, and arrays not.
type set struct{ a, b, c, d uint64 }

func (s set) and(o set) set     { return set{s.a & o.a, s.b & o.b, s.c & o.c, s.d & o.d} }
func (s set) or(o set) set      { return set{s.a | o.a, s.b | o.b, s.c | o.c, s.d | o.d} }
func (s set) without(o set) set { return set{s.a &^ o.a, s.b &^ o.b, s.c &^ o.c, s.d &^ o.d} }
func (s set) any() bool         { return s.a|s.b|s.c|s.d != 0 }

func (s set) count() int32 {
	n := bits.OnesCount64(s.a)
	if s.b|s.c|s.d != 0 {
		n += bits.OnesCount64(s.b) + bits.OnesCount64(s.c) + bits.OnesCount64(s.d)
	}
	return int32(n)
}

// first is the lowest square of a set that is not empty.
func (s set) first() int {
	switch {
	case s.a != 0:
		return bits.TrailingZeros64(s.a)
	case s.b != 0:
		return 64 + bits.TrailingZeros64(s.b)
	case s.c != 0:
		return 128 + bits.TrailingZeros64(s.c)
	}
	return 192 + bits.TrailingZeros64(s.d)
}

// rest is a set that is not empty without its lowest square.
func (s set) rest() set {
	switch {
	case s.a != 0:
		s.a &= s.a - 1
	case s.b != 0:
		s.b &= s.b - 1
	case s.c != 0:
		s.c &= s.c - 1
	default:
		s.d &= s.d - 1
	}
	return s
}

// one is the set of one square.
func one(sq int) (s set) {
	switch bit := uint64(1) << (sq & 63); sq >> 6 {
	case 0:
		s.a = bit
	case 1:
		s.b = bit
	case 2:
		s.c = bit
	default:
		s.d = bit
	}
	return s
}

func (s set) words() [4]uint64 { return [4]uint64{s.a, s.b, s.c, s.d} }

// shift moves every square of s by n, up or down; squares that leave the board's words are lost.
func (s set) shift(n int) (out set) {
	if n > 0 {
		n := uint(n) & 63
		return set{s.a << n, s.b<<n | s.a>>(64-n), s.c<<n | s.b>>(64-n), s.d<<n | s.c>>(64-n)}
	}
	m := uint(-n) & 63
	return set{s.a>>m | s.b<<(64-m), s.b>>m | s.c<<(64-m), s.c>>m | s.d<<(64-m), s.d >> m}
}

// setW4 is a set of squares of a board of at most 256.
type setW4 = set

func narrowW4(s set) setW4 { return s }

// setW2 is a set of squares of a board of at most 128.
type setW2 struct{ a, b uint64 }

func (s setW2) words() [4]uint64 { return [4]uint64{s.a, s.b} }

func narrowW2(s set) setW2 { return setW2{s.a, s.b} }

func (s setW2) and(o setW2) setW2     { return setW2{s.a & o.a, s.b & o.b} }
func (s setW2) or(o setW2) setW2      { return setW2{s.a | o.a, s.b | o.b} }
func (s setW2) without(o setW2) setW2 { return setW2{s.a &^ o.a, s.b &^ o.b} }
func (s setW2) any() bool             { return s.a|s.b != 0 }
func (s setW2) count() int32          { return int32(bits.OnesCount64(s.a) + bits.OnesCount64(s.b)) }

func (s setW2) first() int {
	if s.a != 0 {
		return bits.TrailingZeros64(s.a)
	}
	return 64 + bits.TrailingZeros64(s.b)
}

func (s setW2) rest() setW2 {
	if s.a != 0 {
		return setW2{s.a & (s.a - 1), s.b}
	}
	return setW2{0, s.b & (s.b - 1)}
}

func (s setW2) shift(n int) setW2 {
	if n > 0 {
		n := uint(n) & 63
		return setW2{s.a << n, s.b<<n | s.a>>(64-n)}
	}
	m := uint(-n) & 63
	return setW2{s.a>>m | s.b<<(64-m), s.b >> m}
}

// setW1 is a set of squares of a board of at most 64.
type setW1 struct{ a uint64 }

func (s setW1) words() [4]uint64 { return [4]uint64{s.a} }

func narrowW1(s set) setW1 { return setW1{s.a} }

func (s setW1) and(o setW1) setW1     { return setW1{s.a & o.a} }
func (s setW1) or(o setW1) setW1      { return setW1{s.a | o.a} }
func (s setW1) without(o setW1) setW1 { return setW1{s.a &^ o.a} }
func (s setW1) any() bool             { return s.a != 0 }
func (s setW1) count() int32          { return int32(bits.OnesCount64(s.a)) }
func (s setW1) first() int            { return bits.TrailingZeros64(s.a) }
func (s setW1) rest() setW1           { return setW1{s.a & (s.a - 1)} }

func (s setW1) shift(n int) setW1 {
	if n > 0 {
		return setW1{s.a << (uint(n) & 63)}
	}
	return setW1{s.a >> (uint(-n) & 63)}
}
