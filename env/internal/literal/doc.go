// Package literal is the second, slow implementation of the rules. It exists to be compared with
// env/engine: whatever both play the same way was understood twice.
//
// It is written from the text of the parameters (rules.Params, whose field comments are the authority) and
// from the rules document they refer to, and shares no code with the fast engine. Everything in it is plain
// data: a board is rows of characters, a ply is its text, a position remembered by a repetition rule is a
// string in a map. One function states one rule and names the parameter it comes from. Nothing is kept up
// to date in steps, so that each rule can be checked by reading it; the list of legal plies is worked out once a
// ply.
//
// # Notation
//
// A square is "row.col", row 0 being player 0's side. A ply is
//
//	P3.4      place a man            D3.4  place the leader
//	M2.3-2.6  step or slide          H2.3-2.5  hop
//	X4.5      remove a bound enemy   R     raise both hands (agreement phase)
//	-         pass, or stop a chain or a bonus
//
// and a board is rows*cols characters, row 0 first: '.' empty, 'a' and 'b' men of players 0 and 1, 'A' and
// 'B' leaders, 'x' and 'y' bound men.
//
// # Reading it
//
// game.go has the position, the game and its public methods; setup.go the agreement and placement phases;
// movement.go steps, slides and hops; capture.go custodial capture; binding.go bind, release, rescue; turn.go
// what one ply does and who plies next; legal.go the list of legal plies; end.go how a game ends.
//
// A Game is not safe for concurrent use; separate games are independent.
package literal
