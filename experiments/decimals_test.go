package experiments

import (
	"math"
	"testing"
)

// TestOneEstimateIsRoundedOneWay: the noise of a sum does not decide how a half is rounded.
func TestOneEstimateIsRoundedOneWay(t *testing.T) {
	for _, c := range []struct {
		x    float64
		n    int
		want string
	}{
		{6.25, 1, "6.3"}, {-6.25, 1, "-6.3"}, {math.Nextafter(-6.25, 0), 1, "-6.3"}, {-6.25 + 4e-13, 1, "-6.3"}, {0.35, 1, "0.4"},
		{1.005, 2, "1.01"}, {6.2499, 1, "6.2"}, {12.5, 0, "13"},
	} {
		if got := Decimals(c.x, c.n); got != c.want {
			t.Errorf("%v with %d decimals is %s, want %s", c.x, c.n, got, c.want)
		}
	}
	if a, b := Amount(-0.0625, "points", true), Amount(math.Nextafter(-0.0625, 0), "points", true); a != b || a != "−6.3 points" {
		t.Errorf("one estimate is %s and %s", a, b)
	}
}
