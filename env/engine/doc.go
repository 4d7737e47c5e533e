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
// # What the rules' text leaves open
//
// rules.Params says what each parameter means; where its text can be read in two ways, the engine does this:
//
//   - A turn is a run of plies by one player, so a last placer who also moves first makes both in one turn.
//   - A start array in which player 0 has no ply is a lost or counted game at once where end.blocked says so; otherwise his
//     first ply is the forced pass. No other end is looked at before the first ply.
//   - After an agreement the other player may place first. "Player 0's leader, then player 1's" of setup.leader
//     after-all-men then means the leader of who placed first, then the other's: the turns go on alternating.
//   - A piece on an immune square stays in a line that is taken whole: it is not taken, the others are.
//   - A hostile edge or corner closes a line of several pieces too; a hostile corner closes it before the corner is looked
//     at as a square with a piece on it.
//   - The undo ban is on the piece that made the turn's first move, also where a bonus ply moved another.
//   - With end.blocked opponent-opens the duty to open is on the ply after the pass; a game that this ply ends opens nothing.
//   - The turn limit counts the turn of the ply just made: the first ply of turn n is the last. Like the other end rules
//     it is looked at in the movement phase.
//
// # Speed
//
// Squares are bits of one, two or four words (boards of at most 64, 128, 256 squares). The kernels, files *_w1.go, are
// written for one word; internal/widen generates the other two. A ply is worked out before it is made (effects), so that
// repetition and the entry restriction are asked about once. Undo copies the position back: about 130 bytes on 8×8.
// Nothing allocates a ply, but for the growth of the history, which Reset and CopyFrom keep.
//
// Playouts do not list the plies: they draw a piece and a place until the two make a legal ply, which is exactly uniform,
// and the end rule that asks whether a player has a ply keeps the one it drew. By plain rules (steps or slides on rows and
// columns, captures that take off) they go a way of their own (walk): men stand in lists, nothing is recorded for Undo, and
// positions that a capture makes unreachable are forgotten by a counter. Undo then goes back to where the playout began
// without playing anything again; whoever looks at a position on the way has it played again (settle). A playout takes two
// numbers of its random stream, whatever its length, and makes the others itself. BenchmarkPlayout and BenchmarkParts measure.
package engine
