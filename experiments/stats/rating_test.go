package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// meeting plays pairs between planted strengths.
func meeting(rng *rand.Rand, elo []float64, nu float64, a, b, pairs int) Meeting {
	w, d, _ := davidson((elo[a]-elo[b])/eloScale, math.Log(nu))
	m := Meeting{A: a, B: b}
	game := func() float64 {
		switch u := rng.Float64(); {
		case u < w:
			return 1
		case u < w+d:
			return 0.5
		}
		return 0
	}
	for range pairs {
		m.Pairs = append(m.Pairs, [2]float64{game(), game()})
	}
	return m
}

func TestRatePlanted(t *testing.T) {
	elo := []float64{0, 150, -200, 320, 40}
	const nu = 0.6
	rng := rand.New(rand.NewPCG(41, 0))
	var all []Meeting
	for a := range elo {
		for b := range a {
			all = append(all, meeting(rng, elo, nu, a, b, 1000))
		}
	}
	r, err := Rate(len(elo), all, 0, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "draw parameter", r.Draw, nu, 0.03)
	if e := r.Players[0].Elo; e.Estimate != 0 || e.Low != 0 || e.High != 0 {
		t.Errorf("the anchor is at %v", e)
	}
	for i, want := range elo {
		e := r.Players[i].Elo
		// The standard error with 2000 games a meeting is about 5 Elo.
		within(t, "rating", e.Estimate, want, 20)
		if i > 0 && !(e.High-e.Low > 10 && e.High-e.Low < 40) || r.Players[i].Prior {
			t.Errorf("player %d: %+v", i, r.Players[i])
		}
	}
	w, d, _ := davidson(150/eloScale, math.Log(nu))
	within(t, "expected score", r.Expected(1, 0), w+d/2, 0.02)

	mean, err := Rate(len(elo), all, -1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, p := range mean.Players {
		sum += p.Elo.Estimate
		within(t, "difference", p.Elo.Estimate-mean.Players[0].Elo.Estimate, r.Players[i].Elo.Estimate, 1e-6)
	}
	within(t, "mean rating", sum, 0, 1e-6)
}

// TestRateTwo: between two players without draws the rating is the Elo of the score, less the prior's pull.
func TestRateTwo(t *testing.T) {
	m := Meeting{A: 0, B: 1}
	for i := range 400 {
		s := 0.0
		if i%4 > 0 {
			s = 1
		}
		m.Pairs = append(m.Pairs, [2]float64{s, s})
	}
	r, err := Rate(2, []Meeting{m}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "rating", r.Players[0].Elo.Estimate, EloOf(0.75), 1)
	// Both games of a pair ended alike, so 800 games say as much as 400: the delta method for a share of
	// 3/4 in 400.
	half := 1.959964 * math.Sqrt(0.75*0.25/400) / (0.75 * 0.25) * eloScale
	within(t, "half width", (r.Players[0].Elo.High-r.Players[0].Elo.Low)/2, half, 0.5)
}

// TestPriorIsWeak: the information of 20 decisive games of equals, 20/4 a squared unit of natural logarithm, is what the
// documentation of the prior says, and the prior moves a rating of 100 by less than one Elo.
func TestPriorIsWeak(t *testing.T) {
	f := ratingFit{n: 2}
	within(t, "weight of 20 games", 20.0/4/f.precision(0), 166, 1)
	m := Meeting{A: 0, B: 1}
	for i := range 25 {
		m.Pairs = append(m.Pairs, [2]float64{1, 0})
		if i < 7 {
			m.Pairs[i][1] = 1
		}
	}
	r, err := Rate(2, []Meeting{m}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "rating", r.Players[0].Elo.Estimate, EloOf(32.0/50), 1)
}

func TestRateCoverage(t *testing.T) {
	elo := []float64{0, 80, -60, 150}
	rng := rand.New(rand.NewPCG(42, 0))
	const runs = 500
	hits := 0
	for range runs {
		// A chain: neighbours only.
		var ms []Meeting
		for i := 1; i < len(elo); i++ {
			ms = append(ms, meeting(rng, elo, 0.3, i-1, i, 60))
		}
		r, err := Rate(len(elo), ms, 0, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(elo); i++ {
			if r.Players[i].Elo.Contains(elo[i]) {
				hits++
			}
		}
	}
	// The larger one of two variances makes intervals a little wide.
	if c := float64(hits) / float64(runs*3); c < 0.93 || c > 0.985 {
		t.Errorf("intervals cover %.3f", c)
	} else {
		t.Logf("intervals cover %.3f", c)
	}
}

func TestRateAllWins(t *testing.T) {
	win := Meeting{A: 0, B: 1}
	even := Meeting{A: 1, B: 2}
	for range 50 {
		win.Pairs = append(win.Pairs, [2]float64{1, 1})
		even.Pairs = append(even.Pairs, [2]float64{1, 0})
	}
	r, err := Rate(3, []Meeting{win, even}, 1, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Players[0].Elo
	if !(e.Estimate > 300 && e.Estimate < 3000 && e.High < 5000 && e.High-e.Low > 300) || !r.Players[0].Prior {
		t.Errorf("who won everything has %+v", r.Players[0])
	}
	if r.Players[1].Prior || r.Players[2].Prior {
		t.Error("players with finite ratings are said to hang on the prior")
	}
	within(t, "equal player", r.Players[2].Elo.Estimate, 0, 3)
	// Without an anchor every rating is relative to the winner's too.
	if r, err = Rate(3, []Meeting{win, even}, -1, 0.95); err != nil || !r.Players[1].Prior {
		t.Errorf("around the mean: %+v, %v", r.Players, err)
	}
	// Draws alone, and no games at all in a pool of one.
	draws := Meeting{A: 0, B: 1, Pairs: [][2]float64{{0.5, 0.5}, {0.5, 0.5}}}
	if r, err = Rate(2, []Meeting{draws}, 0, 0.95); err != nil || math.Abs(r.Players[1].Elo.Estimate) > 1e-6 || !(r.Draw > 1) || math.IsInf(r.Draw, 0) {
		t.Errorf("draws alone: %+v, %v", r, err)
	}
	if r, err = Rate(1, nil, -1, 0.95); err != nil || r.Players[0].Elo.Estimate != 0 {
		t.Errorf("one player: %+v, %v", r, err)
	}
}

func TestRateDisconnected(t *testing.T) {
	ms := []Meeting{{A: 0, B: 1, Pairs: [][2]float64{{1, 0}}}, {A: 2, B: 3, Pairs: [][2]float64{{1, 0}}}, {A: 1, B: 2}}
	if _, err := Rate(4, ms, 0, 0.95); !errors.Is(err, ErrDisconnected) {
		t.Errorf("error %v", err)
	}
	ms[2].Pairs = [][2]float64{{0.5, 0.5}}
	if _, err := Rate(4, ms, 0, 0.95); err != nil {
		t.Error(err)
	}
}
