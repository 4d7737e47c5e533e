package env

import "latro/env/engine"

// ToFrame turns an absolute action into the network's index for the player who moves: the identity for
// player 0, the 180-degree turn of the board for player 1. The result is in [0, NumActions), and has the
// numbering of the policy head: plane*(rows*cols) + square, with the pass last. ToFrame is a bijection of
// [0, NumActions); FromFrame undoes it. It panics when mover is not 0 or 1 or the action is out of range.
func (e *Encoder) ToFrame(mover int, a engine.Action) int { return int(e.frame[mover][a]) }

// FromFrame turns a network index in the frame of the player who moves back into the absolute action. It is
// the inverse of ToFrame (a half turn undoes itself, so both read one table).
func (e *Encoder) FromFrame(mover int, i int) engine.Action { return engine.Action(e.frame[mover][i]) }

// FrameSquare turns an absolute square (row*cols+col) into the square of the mover's frame, and back.
func (e *Encoder) FrameSquare(mover, sq int) int {
	if mover == 1 {
		return e.squares - 1 - sq
	}
	return sq
}

// A FrameSymmetry is a symmetry of the whole ruleset as it acts on what a network sees and says: on the
// planes of an observation and on the policy, both in the mover's frame. Global inputs, values and rewards
// do not change under it. It is the same for both movers, because a half turn commutes with every
// symmetry of a rectangle.
//
// A FrameSymmetry is immutable and safe for concurrent use; its slices must not be written to.
type FrameSymmetry struct {
	// Name is the name of the symmetry: "identity", "rotate-180", ...
	Name string
	// Square[s] is the square to which square s goes, rows*cols entries.
	Square []uint16
	// Action[i] is the network index to which network index i goes, NumActions entries.
	Action []uint16
}

// ApplyPlanes writes the transformed image of src to dst: both hold any number of planes of rows*cols values
// (an observation, a survival map, per-square targets). dst and src must have the same length, a multiple
// of rows*cols, and must not overlap; otherwise it panics.
func (f *FrameSymmetry) ApplyPlanes(dst, src []float32) {
	n := len(f.Square)
	if len(dst) != len(src) || len(src)%n != 0 {
		panic("env: FrameSymmetry.ApplyPlanes: dst and src must be the same whole number of planes")
	}
	for at := 0; at < len(src); at += n {
		from, to := src[at:at+n], dst[at:at+n]
		for s, v := range from {
			to[f.Square[s]] = v
		}
	}
}

// ApplyPolicy writes the transformed policy (or logits, or a mask) src to dst, both NumActions long in the
// mover's frame; they must not overlap. It panics on another length. A sparse policy is transformed by
// looking its indices up in Action.
func (f *FrameSymmetry) ApplyPolicy(dst, src []float32) {
	if len(dst) != len(f.Action) || len(src) != len(f.Action) {
		panic("env: FrameSymmetry.ApplyPolicy: dst and src must have NumActions entries")
	}
	for i, v := range src {
		dst[f.Action[i]] = v
	}
}

// Symmetries returns the ruleset's symmetries in the mover's frame, the identity first. They are the whole
// group (up to 8 elements on a square board, 4 on another rectangle, fewer where a zone or a start array
// breaks it), meant for augmenting training rows: pick one, apply it to observation and policy alike. The
// slice and what it points to must not be written to.
func (e *Encoder) Symmetries() []FrameSymmetry { return e.symmetries }
