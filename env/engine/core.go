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
const walkStart = 256

// walkTries is how often a playout draws a piece and a place before it lets the plies be listed.
const walkTries = 32

// crowdPercent is the part of the squares, in per cent, above which men are too crowded for that.
const crowdPercent = 75

// source makes random numbers: SplitMix64 with an increment of its own for each playout (G. Steele, D. Lea, C. Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014). Over its period each 64-bit number comes exactly once.
type source struct{ state, gamma uint64 }

// seed takes two numbers of rng.
func (s *source) seed(rng *rand.Rand) {
	s.state, s.gamma = rng.Uint64(), rng.Uint64()|1
	if bits.OnesCount64(s.gamma^s.gamma>>1) < 24 {
		s.gamma ^= 0xaaaaaaaaaaaaaaaa // as in the paper: an increment with long runs of equal bits mixes badly
	}
}

func (s *source) next() uint64 {
	s.state += s.gamma
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uint32n draws a number below n, each with the same probability (D. Lemire, "Fast Random Integer Generation in an
// Interval", 2019).
func (s *source) uint32n(n uint32) uint32 {
	for {
		hi, lo := bits.Mul64(s.next(), uint64(n))
		if lo >= uint64(n) || lo >= -uint64(n)%uint64(n) {
			return uint32(hi)
		}
	}
}

// maxWays bounds the directions and distances of a plain ruleset's moves: 4 of at most 15, and 4 hops.
const maxWays = 64

// towardZero is the greatest difference between the numbers of two neighbouring squares, on 16 columns.
const towardZero = 17

func winOf(player int) Outcome { return Win0 + Outcome(player) }
