package engine

import "math/rand/v2"

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

func winOf(player int) Outcome { return Win0 + Outcome(player) }
