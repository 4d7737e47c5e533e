package engine_test

import "testing"

// A man held on its row and on its column is free when one of the pairs is broken, or only when both are (A3).
func TestHeldTwice(t *testing.T) {
	const crossed = "a c3 e3 d2 d4 h1; y d3; b h8 g8"
	s := put(t, "schadler-1994", 0, crossed)
	play(t, s, "e3-f3")
	wantBoard(t, s, "d3 b")

	s = put(t, "schadler-1994@held-by-one-pair", 0, crossed)
	play(t, s, "e3-f3")
	wantBoard(t, s, "d3 y")
	play(t, s, "h8-h7", "d4-e4") // the other pair
	wantBoard(t, s, "d3 b")

	// A guard that is bound, here e3 on its column, breaks its pair too.
	const robbed = "a c3 e3 d2 d4 h1; y d3; b e4 f2 h8"
	s = put(t, "schadler-1994", 1, robbed)
	play(t, s, "f2-e2")
	wantBoard(t, s, "e3 x d3 b")
	s = put(t, "schadler-1994@held-by-one-pair", 1, robbed)
	play(t, s, "f2-e2")
	wantBoard(t, s, "e3 x d3 y")

	// One ply that binds a guard of each pair: c3 against c4, d2 against e2.
	s = put(t, "schadler-1994@held-by-one-pair", 1, "a c3 e3 d2 d4 h1; y d3; b c4 c1 e2 h8")
	play(t, s, "c1-c2")
	wantBoard(t, s, "c3 x d2 x d3 b")
}

// A guard that walks away frees its prisoner or not (A4); one that is bound always does.
func TestGuardLeaves(t *testing.T) {
	const held = "a c3 e3 h1; y d3; b d4 f2 e4 h8"
	s := put(t, "schadler-1994", 0, held)
	play(t, s, "c3-b3")
	wantBoard(t, s, "d3 b")
	s = put(t, "schadler-1994@guard-may-leave", 0, held)
	play(t, s, "c3-b3")
	wantBoard(t, s, "d3 y")
	s = put(t, "schadler-1994@guard-may-leave", 1, held)
	play(t, s, "f2-e2")
	wantBoard(t, s, "e3 x d3 b")
	// In a corner, Seneca.
	const corner = "a a2 b1 g6 g8; y a1 g7; b h1 h2 d8"
	s = put(t, "locus-ludi-seneca", 0, corner)
	play(t, s, "xg7", "b1-c1")
	wantBoard(t, s, "a1 b")
	s = put(t, "locus-ludi-seneca@guard-may-leave", 0, corner)
	play(t, s, "xg7", "b1-c1")
	wantBoard(t, s, "a1 y")
}

// Between two enemies of which one is bound (A11).
func TestBoundMenBar(t *testing.T) {
	// d4 lies between c4, which is free, and e4, which is bound on its column.
	const gap = "a d5 e5 e3 h1; y e4; b c4 h8"
	wantLegal(t, put(t, "schadler-2001", 0, gap), "d5-d4", false)
	wantLegal(t, put(t, "schadler-2001@bound-men-harmless", 0, gap), "d5-d4", true)
	// Two free enemies bar it in either reading, unless one is bound by the move.
	const free = "a d5 h1; b c4 e4 h8"
	wantLegal(t, put(t, "schadler-2001@bound-men-harmless", 0, free), "d5-d4", false)
	wantLegal(t, put(t, "schadler-2001@bound-men-harmless", 0, free+"; a f4"), "d5-d4", true)
}
