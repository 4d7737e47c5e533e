package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestRatio: the bounds solve Fieller's equation, an effect over itself is exactly 1, a denominator near zero gives no
// bounds, and the interval covers the true ratio about as often as it says.
func TestRatio(t *testing.T) {
	fit := func(rng *rand.Rand, n int, bx, by float64) Regression {
		x, y, score := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			score[i] = bx*x[i] + by*y[i] + rng.NormFloat64()
		}
		r, err := LinearEffects(score, []Column{{"x", x}, {"y", y}}, nil, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rng := rand.New(rand.NewPCG(1, 2))
	r := fit(rng, 100, 3, 1)
	iv, err := r.Ratio("x", "y", 0.95)
	if err != nil || iv.Method != "fieller" {
		t.Fatal(iv, err)
	}
	q := tOf(0.95, 99)
	for _, b := range []float64{iv.Low, iv.High} {
		d := r.Effects[0].Interval.Estimate - b*r.Effects[1].Interval.Estimate
		v := r.robust.At(0, 0) - 2*b*r.robust.At(0, 1) + b*b*r.robust.At(1, 1)
		if math.Abs(d*d-q*q*v) > 1e-9 {
			t.Errorf("bound %v: (a − rb)² is %v, q²V %v", b, d*d, q*q*v)
		}
	}
	if one, err := r.Ratio("y", "y", 0.95); err != nil || math.Abs(one.Low-1) > 1e-6 || math.Abs(one.High-1) > 1e-6 || one.Estimate != 1 {
		t.Errorf("an effect over itself is %v, %v", one, err)
	}
	if open, err := fit(rng, 50, 1, 0).Ratio("x", "y", 0.95); err != nil || !math.IsInf(open.Low, -1) || !math.IsInf(open.High, 1) {
		t.Errorf("over no effect the ratio is %v, %v", open, err)
	}
	covered := 0
	const runs = 400
	for range runs {
		iv, err := fit(rng, 60, 3, 1).Ratio("x", "y", 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if iv.Contains(3) {
			covered++
		}
	}
	// 360 expected; the standard deviation is 6.
	if covered < 336 || covered > 384 {
		t.Errorf("90 %% intervals covered the ratio in %d of %d runs", covered, runs)
	}
	x := make([]float64, 40)
	won := make([]bool, 40)
	for i := range x {
		x[i], won[i] = float64(i%2), i%2 == 1
	}
	s, err := Logistic(won, []Column{{"x", x}}, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ratio("x", "x", 0.95); !errors.Is(err, ErrSeparated) {
		t.Errorf("a separated effect gives %v", err)
	}
}
