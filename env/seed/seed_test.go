package seed

import (
	"math"
	"testing"
)

// Streams are part of every recorded run: a change of these numbers breaks every seed ever published. The
// first is the first output of SplitMix64 seeded with 1; the others were computed by this package when it
// was written.
func TestStreamsDoNotChange(t *testing.T) {
	got := [...]uint64{Derive(1), Derive(1, Generation, 3, 17), New(1, Match, 5).Uint64()}
	want := [...]uint64{0x910a2dec89025cc1, 0xd1373334f63068a6, 0x9ab066143b2cc2a9}
	if got != want {
		t.Errorf("streams are %#x, want %#x", got, want)
	}
}

func TestPathsDoNotCollide(t *testing.T) {
	seen := map[uint64]string{}
	add := func(x uint64, what string) {
		if other, ok := seen[x]; ok {
			t.Fatalf("%s and %s give the same stream", what, other)
		}
		seen[x] = what
	}
	for root := uint64(0); root < 4; root++ {
		add(Derive(root), "root")
		for a := uint64(0); a < 40; a++ {
			add(Derive(root, a), "one")
			for b := uint64(0); b < 40; b++ {
				add(Derive(root, a, b), "two")
			}
		}
	}
}

// Neighbouring streams must not be correlated: the correlation of n uniform pairs has standard deviation
// 1/sqrt(n), so five of those is a failure that chance gives once in about two million.
func TestNeighbouringStreamsAreUncorrelated(t *testing.T) {
	const n = 20000
	var sum float64
	for i := uint64(0); i < n; i++ {
		a, b := New(7, Generation, i), New(7, Generation, i+1)
		sum += (a.Float64() - 0.5) * (b.Float64() - 0.5) * 12
	}
	if r := sum / n; math.Abs(r) > 5/math.Sqrt(n) {
		t.Errorf("correlation of the first draws of neighbouring streams is %.4f", r)
	}
}
