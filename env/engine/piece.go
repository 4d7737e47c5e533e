package engine

import "fmt"

// Piece is what stands on a square.
type Piece uint8

// The contents of a square. A bound man is the immobilised man of a binding ruleset.
const (
	Empty Piece = iota
	Man0
	Man1
	Leader0
	Leader1
	Bound0
	Bound1
)

const pieceRunes = ".abABxy"

// Owner is 0 or 1, and -1 for Empty.
func (p Piece) Owner() int {
	if p == Empty {
		return -1
	}
	return int(p-1) & 1
}

// IsLeader says whether the piece is a leader.
func (p Piece) IsLeader() bool { return p == Leader0 || p == Leader1 }

// IsBound says whether the piece is a bound man.
func (p Piece) IsBound() bool { return p == Bound0 || p == Bound1 }

// Rune is the piece's letter: '.' empty, 'a','b' men, 'A','B' leaders, 'x','y' bound men of player 0 and 1.
func (p Piece) Rune() rune {
	if int(p) < len(pieceRunes) {
		return rune(pieceRunes[p])
	}
	return '?'
}

// pieceOf is the inverse of Rune.
func pieceOf(r byte) (Piece, bool) {
	for i := 0; i < len(pieceRunes); i++ {
		if pieceRunes[i] == r {
			return Piece(i), true
		}
	}
	return Empty, false
}

// Phase is the part of the game.
type Phase uint8

// The phases: bidding for the number of men, placing, moving.
const (
	Agreement Phase = iota
	Placement
	Movement
)

var phaseNames = [...]string{"agreement", "placement", "movement"}

// String gives the phase's name.
func (p Phase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}
