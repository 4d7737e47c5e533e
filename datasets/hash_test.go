package datasets

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
)

// The hash is stored in files, so its values are part of the format.
func TestHashMovesIsFNV1a(t *testing.T) {
	rng := testRNG(20)
	for n := range 40 {
		moves := make([]uint16, n)
		ref := fnv.New64a()
		binary.Write(ref, binary.LittleEndian, uint32(n))
		for i := range moves {
			moves[i] = uint16(rng.Uint32())
		}
		binary.Write(ref, binary.LittleEndian, moves)
		if got, want := HashMoves(moves), ref.Sum64(); got != want {
			t.Fatalf("%v: %x, the standard library says %x", moves, got, want)
		}
	}
}

func TestCanonicalHashIsTheSameForAllImages(t *testing.T) {
	// The cyclic group of order 4 on 12 actions: a -> a+3k mod 12.
	var group [][]uint16
	for k := range 4 {
		to := make([]uint16, 12)
		for a := range to {
			to[a] = uint16((a + 3*k) % 12)
		}
		group = append(group, to)
	}
	rng := testRNG(21)
	seen := map[uint64]string{}
	for range 200 {
		moves := make([]uint16, 20)
		for i := range moves {
			moves[i] = uint16(rng.IntN(12))
		}
		want := CanonicalHash(moves, group)
		for _, to := range group {
			image := make([]uint16, len(moves))
			for i, m := range moves {
				image[i] = to[m]
			}
			if got := CanonicalHash(image, group); got != want {
				t.Fatalf("an image has hash %x, the game %x", got, want)
			}
		}
		if seen[want] != "" {
			t.Fatal("two games have the same hash")
		}
		seen[want] = "seen"
	}
	if HashMoves([]uint16{1, 2}) == HashMoves([]uint16{2, 1}) || HashMoves(nil) == HashMoves([]uint16{0}) {
		t.Fatal("order or length do not matter")
	}
}
