package engine

import (
	"math/bits"
	"math/rand/v2"
)

// core is a kernel of one board width.
type core interface {
	reset()
	copyFrom(o core)
	play(a Action)
	undo()
	legal(dst []Action) []Action
	isLegal(a Action) bool
	plyKind(in *actInfo) PlyKind
	playout(rng *rand.Rand, maxPlies int) int
	scal() *scalars
	history() []Action
	at(sq int) Piece
	cells(out *[256]Piece)
	boundOf(player int) int
	lastEffects(squares []uint16) Effects
	save(s *snapshot)
	load(s *snapshot)
	fullKey() uint64
	visitedWords() [4]uint64
	barred() [4]uint64
	endBlocked() bool
}

// seenPosition is a remembered position, independent of the board's width.
type seenPosition struct {
	men, lead [2][4]uint64
	bound     [4]uint64
	hands     uint32
	next      uint8
}

// snapshot is a position with what the repetition rule remembers, independent of the board's width.
type snapshot struct {
	scalars
	men, lead [2][4]uint64
	bound     [4]uint64
	visited   [4]uint64
	seen      []seenPosition
}

// memorySlot is a slot of the table: the key, the first place in the list with that position, and how often the
// position occurred; 0 when the slot is empty.
type memorySlot struct {
	key   uint64
	first int32
	count int32
}

const memoryStart = 64

// walkStart is the size to which the table of a playout's positions goes back with each capture: few positions lie between
// two captures, as a rule, and few lines of the cache hold them.
const walkStart = 512

// walkTries is how often a playout draws a piece and a place before it lets the plies be listed.
const walkTries = 32

// crowdPercent is the part of the squares, in per cent, above which men are too crowded for that.
const crowdPercent = 75

// source makes random numbers: the upper halves of a multiplicative congruential generator of 128 bits, over whose period of
// 2^126 each 64-bit number comes equally often (G. Steele, S. Vigna, "Computationally Easy, Spectrally Good Multipliers for
// Congruential Pseudorandom Number Generators", 2021). It is seeded afresh for each playout.
type source struct{ high, low uint64 }

const lehmer = 0xda942042e4dd58b5

// seed takes two numbers of rng.
func (s *source) seed(rng *rand.Rand) { s.high, s.low = rng.Uint64(), rng.Uint64()|1 }

func (s *source) next() uint64 {
	h, low := bits.Mul64(s.low, lehmer)
	s.high, s.low = s.high*lehmer+h, low
	return s.high
}

// uint32n draws a number below n, each with the same probability (D. Lemire, "Fast Random Integer Generation in an
// Interval", 2019).
func (s *source) uint32n(n uint32) uint32 {
	for {
		k, rest := bits.Mul64(s.next(), uint64(n))
		if rest >= uint64(n) || unbiased(rest, uint64(n)) {
			return uint32(k)
		}
	}
}

// unbiased is the rest of Lemire's test of whether a number below bound may be taken, for a rest below bound.
func unbiased(rest, bound uint64) bool { return rest >= -bound%bound }

// maxWays bounds the directions and distances of a plain ruleset's moves: 4 of at most 15, and 4 hops.
const maxWays = 64

// maxPlaces bounds the places to which men might go on a plain ruleset's board, those of the leader included: 30 for
// each of 256 squares, and 30.
const maxPlaces = 8192

// towardZero is the greatest difference between the numbers of two neighbouring squares, on 16 columns.
const towardZero = 17

func winOf(player int) Outcome { return Win0 + Outcome(player) }
