package mcts

import "latro/env/engine"

// State is what search needs of a game in progress. *engine.State satisfies it; tests satisfy it with
// trees whose exact values are known.
//
// Search only ever moves a State along one line: it plays downwards, and takes back every ply it played
// before it reports, so that the State is as it was found. The order of the players is arbitrary: one
// player may make any number of plies in a row, and ToMove is the only thing that says whose ply it is.
//
// Legality and results may depend on the history (repetition rules). That is sound here because the
// search tree has no transpositions: a node stands for one line of plies from the root and thus for one
// history.
type State interface {
	// ToMove is the player, 0 or 1, who makes the next ply.
	ToMove() int
	// Legal appends the legal plies to dst, in ascending order of action, and returns it. It appends
	// nothing exactly when the game is over.
	Legal(dst []engine.Action) []engine.Action
	// Play makes a ply, which must be legal.
	Play(engine.Action)
	// Undo takes back the last Play.
	Undo()
	// Over says whether the game has ended.
	Over() bool
	// Value is the result for player 0 of a game that is over: +1 won, 0 drawn, -1 lost. Proven is false
	// when the game was merely stopped (outcome capped): the value is then an estimate that no proof
	// rests on.
	Value() (v0 float64, proven bool)
}

// hasher is an optional power of a State. Search uses it to notice a tree that is kept across plies
// (Config.ReuseTree) but belongs to another position.
type hasher interface{ Hash() uint64 }

// view turns a value kept for player 0 into the view of player mover. It is the only place in this package
// where a value changes sign because of who looks at it; everything stored, in nodes, edges, results
// and decisions, is for player 0.
func view[F float32 | float64](v0 F, mover uint8) F {
	if mover != 0 {
		return -v0
	}
	return v0
}
