package cputime

import "testing"

func TestProcessAdvancesWithWork(t *testing.T) {
	before := Process()
	// Bounded, so that a clock that stands still fails instead of hanging.
	x, now := uint64(1), before
	for round := 0; now == before && round < 10_000; round++ {
		for range 1_000_000 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		now = Process()
	}
	if now <= before || x == 0 {
		t.Fatalf("processor time went from %v to %v", before, now)
	}
}
