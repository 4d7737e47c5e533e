package engine

import "fmt"

// Action is the number of an atomic ply in one compiled ruleset: plane*(rows*cols)+square for the planes of
// Game.Planes, then one number for the pass (which is also the stop of a hop chain or of a bonus). Numbers are
// absolute: they do not depend on who moves. Two rulesets number their actions differently.
type Action uint16

// NoAction is the number no ruleset uses: "there is no action".
const NoAction Action = 0xFFFF

// PlyKind is what a ply does.
type PlyKind uint8

// The kinds of ply. A Move is a step or a slide; a Hop goes over one piece or, where the rules say so, over an
// unbroken row of pieces.
const (
	PlaceMan PlyKind = iota
	PlaceLeader
	Move
	Hop
	Remove
	Raise
	Pass
)

var plyKindNames = [...]string{"place-man", "place-leader", "move", "hop", "remove", "raise", "pass"}

// String gives the kind's name, as in "place-man".
func (k PlyKind) String() string {
	if int(k) < len(plyKindNames) {
		return plyKindNames[k]
	}
	return fmt.Sprintf("PlyKind(%d)", uint8(k))
}

// Ply is a decoded action. From and To are squares (row*cols+col) or -1 where the kind has none: a placement has
// only To, a removal has only From (the square of the piece taken off), a raise and a pass have neither.
type Ply struct {
	Kind PlyKind
	From int
	To   int
}

// The kinds of entry in Game.acts. Moves and hops share one kind, for the number of an action does not tell them
// apart: the board does.
const (
	actNone uint8 = iota // the number leads off the board or is not used
	actMove
	actPlaceMan
	actPlaceLeader
	actRemove
	actRaise
	actPass
)

// actInfo is the static part of an action.
type actInfo struct {
	from, to int16
	mid      int16 // the first square on the way, for telling hops from slides; -1 at distance 1
	kind     uint8
	dir      uint8
	dist     uint8
}
