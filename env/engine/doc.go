// Package engine plays any ruleset of latro/env/rules.
//
// Compile turns parameters into a Game, which is immutable and may be shared; NewState starts a State, one game in
// progress. Legal lists the legal actions, Play makes one, Undo takes it back. Over, Outcome and Reason say how it
// ended. Players are 0 and 1; player 0 acts first. Squares are row*cols+col from player 0's left-hand corner.
//
// # Plies and turns
//
// An action is one atomic ply: one placement, one step, slide or hop, one removal, one pass. A turn is the run of plies
// that a player makes before the other plays: two placements, the hops of a chain, a capture and its bonus ply, a
// removal and the move after it. ToMove tells who plays next; it need not change from ply to ply.
//
// # Legal plies
//
// Legal gives them in ascending order of action number, so whatever is built on it is deterministic. A player without a
// legal ply, where the rules make that no end of the game, has exactly one: the pass.
//
// # Repetition
//
// A State keeps the positions that the repetition rule remembers and compares positions themselves, not their hashes.
// Undo takes them out again, so search may play and undo on one State.
//
// # Text
//
// State.Format and State.Parse write and read plies: c2-c5, c2^c4, @c2, @@c2, xc3, + and --. State.Position and
// Game.ParsePosition write and read whole positions with everything that decides how the game goes on.
//
// # Speed
//
// Squares are bits of one, two or four words (boards of at most 64, 128, 256 squares). The kernels, files *_w1.go, are
// written for one word; internal/widen generates the other two. Nothing allocates a ply, but for the growth of the
// history, which Reset and CopyFrom keep.
package engine
