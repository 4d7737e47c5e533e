package experiments

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"latro/experiments/stats"
)

func close9(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))
}

func sameInterval(t *testing.T, what string, got, want stats.Interval) {
	t.Helper()
	if !close9(got.Estimate, want.Estimate) || !close9(got.Low, want.Low) || !close9(got.High, want.High) || got.N != want.N {
		t.Errorf("%s: %v of %d, want %v of %d", what, got, got.N, want, want.N)
	}
}

// TestMomentsAgreeWithStats: the running sums give what package stats gives for the
// whole sample, also where nothing varies and for one value.
func TestMomentsAgreeWithStats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, x := range [][]float64{{0.5}, {1, 1, 1, 1}, {0, 0}, make([]float64, 500)} {
		if len(x) == 500 {
			for i := range x {
				x[i] = float64(rng.IntN(5)) / 4
			}
		}
		var m, d moments
		other := make([]float64, len(x))
		for i, v := range x {
			m.add(v)
			other[i] = float64(rng.IntN(5)) / 4
			d.add(v - other[i])
		}
		sameInterval(t, "score", m.interval(0, 1, 0.95, "pairs"), stats.PairScore(x, 0.95))
		want := stats.PairedDifference(x, other, 0.95)
		sameInterval(t, "difference", d.interval(-1, 1, 0.95, "paired"), want.Interval)
		if !close9(d.p(), want.P) && len(x) > 1 {
			t.Errorf("p = %v, want %v (%d values)", d.p(), want.P, len(x))
		}
	}
}

// TestLongSeries: beyond the kept pairs the intervals come from the running sums of
// all.
func TestLongSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var s series
	var x []float64
	for range 3 * sampleLimit {
		v := float64(rng.IntN(5)) / 4
		s.add(v)
		x = append(x, v)
	}
	if s.whole() || len(s.sample) != sampleLimit || !slices.Equal(s.values(), x[:sampleLimit]) {
		t.Fatalf("%d of %d pairs are kept", len(s.sample), s.n)
	}
	sameInterval(t, "score", s.score(0.99), stats.PairScore(x, 0.99))
	sameInterval(t, "mean", s.unbounded(0.99), stats.MeanT(x, 0.99))
	got, want := s.even(0.01), stats.TOSTScore(x, 0.01, 0.05)
	if got.Equivalent != want.Equivalent || !close9(got.P, want.P) {
		t.Errorf("equivalence %+v, want %+v", got, want)
	}
}

// TestLengthsAgreeWithStats: counts by length give the curve of stats.KaplanMeier,
// and incidences that add up to the games that have ended.
func TestLengthsAgreeWithStats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var l lengthCounts
	var x []float64
	var ended []bool
	for range 800 {
		plies, end := 10+rng.IntN(60), rng.IntN(3)
		if plies > 50 {
			plies, end = 50, endCapped
		}
		if rng.IntN(40) == 0 {
			end = endCapped // by the rules' own limit, before the cap
		}
		l.add(plies, end)
		x, ended = append(x, float64(plies)), append(ended, end != endCapped)
	}
	got, want := l.survival(), stats.KaplanMeier(x, ended)
	if !slices.Equal(got.Time, want.Time) || !slices.Equal(got.AtRisk, want.AtRisk) || !slices.Equal(got.Ended, want.Ended) || got.N != want.N || got.Censored != want.Censored {
		t.Fatalf("survival %+v, want %+v", got, want)
	}
	for i := range got.S {
		if !close9(got.S[i], want.S[i]) || !close9(got.SE[i], want.SE[i]) {
			t.Errorf("step %d: %v ± %v, want %v ± %v", i, got.S[i], got.SE[i], want.S[i], want.SE[i])
		}
	}
	cs := l.incidence(0.95)
	sum := 0.0
	for _, c := range cs {
		sum += c.Points[len(c.Points)-1].S
	}
	if len(cs) != outcomes || !close9(sum, 1) {
		t.Errorf("%d ends add up to %v", len(cs), sum)
	}
	for _, c := range cs {
		if !slices.IsSortedFunc(c.Points, func(a, b CurvePoint) int { return int(math.Copysign(1, a.S-b.S)) * map[bool]int{true: 1}[a.S != b.S] }) {
			t.Errorf("the incidence of %q falls", c.Name)
		}
	}
}

// TestCopiesAreEstimated: with more different games than are kept, the share of
// different games and the effective number are still right within a few per cent.
func TestCopiesAreEstimated(t *testing.T) {
	var c copies
	rng := rand.New(rand.NewPCG(4, 1))
	// 300,000 games: 150,000 once, 50,000 three times.
	for range 150_000 {
		c.add(rng.Uint64())
	}
	for range 50_000 {
		h := rng.Uint64()
		for range 3 {
			c.add(h)
		}
	}
	unique, effective := c.shares()
	if len(c.seen) > maxCopies || c.level == 0 {
		t.Fatalf("%d games are kept, level %d", len(c.seen), c.level)
	}
	// 200,000 of 300,000; (300,000)²/(150,000 + 9·50,000) = 150,000.
	if math.Abs(unique-2.0/3) > 0.02 || math.Abs(effective-150_000) > 5_000 {
		t.Errorf("share %v, effective %v; want 0.667 and 150,000", unique, effective)
	}
}

// TestMemoryDoesNotGrow: an analysis that has seen 80,000 random games holds no
// more memory than one that has seen 40,000, with 2,000 games of a search beside.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a hundred thousand games")
	}
	d := twoRulesets(40_000)
	d.Agents = append(d.Agents, AgentRef{Name: "UCT", Spec: "uct:simulations=100"})
	var info []CellInfo
	for _, c := range d.Cells() {
		info = append(info, CellInfo{Name: c.Ruleset.Name, Title: c.Ruleset.Name, A: c.A.Name, B: c.B.Name, Agent: c.Agent, SpecA: c.A.Spec, SpecB: c.B.Spec, SelfPlay: true, Rows: 8, Cols: 8, Pieces: 40})
	}
	a, err := NewAnalyser(d, info)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 1))
	use := []Use{{"hops", 2}, {"removals", 0}}
	arrivals := make([]uint32, 64)
	feed := func(from, to int) {
		for pair := from; pair < to; pair++ {
			for cell, c := range info {
				if c.Agent == "UCT" && pair >= 500 {
					if pair == 500 {
						a.CloseCell(cell)
					}
					continue
				}
				for slot := range 2 {
					r := Record{Cell: cell, Pair: pair, Slot: slot, Outcome: coin(0.5, rng), EndReason: "none-left", Plies: 20 + rng.IntN(70), Use: use, Arrivals: arrivals, Moves: rng.Uint64(), Start: uint64(pair)}
					if err := a.Add(r); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	// 2 random cells: 40,000 games after 10,000 pairs, 160,000 in the end.
	feed(0, 20_000)
	before := heap()
	feed(20_000, 40_000)
	after := heap()
	const slack = 1 << 20
	if after > before+slack {
		t.Errorf("the heap grew from %d to %d bytes over 80,000 games", before, after)
	}
	if after > 64<<20 {
		t.Errorf("the analysis holds %d bytes", after)
	}
	out := a.Finish()
	if c := out.Cells[0]; c.Games != 80_000 || c.Score.N != 40_000 || c.Unique < 0.95 || !out.Contrasts[0].CommonStarts {
		t.Errorf("%d games, score of %d pairs, unique share %v", c.Games, c.Score.N, c.Unique)
	}
	runtime.KeepAlive(a)
}

// TestEquivalenceOfRareDifferences: where the mean difference is the margin itself, "within the margin" is said in about one
// sample of twenty and not more, even if the difference comes from a few pairs that differ wholly.
func TestEquivalenceOfRareDifferences(t *testing.T) {
	const repeats, margin = 4000, 0.05
	for _, c := range []struct {
		n     int
		size  float64 // of a pair that differs
		share float64 // of such pairs
		most  float64 // two standard errors of the count above 5 %, and what a binomial's steps add
	}{{100, 1, 0.05, 0.065}, {300, 1, 0.05, 0.065}, {100, 0.5, 0.1, 0.065}, {200, 0.25, 0.2, 0.065}} {
		rng := rand.New(rand.NewPCG(1, uint64(c.n)))
		wrong := 0
		for range repeats {
			var m moments
			for range c.n {
				x := 0.0
				if rng.Float64() < c.share {
					x = c.size
				}
				m.add(x)
			}
			if m.equivalence(margin, 1).Equivalent {
				wrong++
			}
		}
		if share := float64(wrong) / repeats; share > c.most {
			t.Errorf("%d pairs, of which %v differ by %v: %.3f called within the margin, at most %v wanted", c.n, c.share, c.size, share, c.most)
		}
	}
	// And where nothing differs but for a pair here and there, it is said.
	var m moments
	for i := range 200 {
		x := 0.0
		switch i {
		case 7:
			x = 1
		case 90:
			x = -1
		}
		m.add(x)
	}
	if !m.equivalence(margin, 1).Equivalent {
		t.Error("two of 200 pairs that differ, one either way, are not called within the margin")
	}
}

// TestEquivalenceWhereNothingDiffers: pairs that are all alike show a difference of less than the margin once there are
// enough of them, 59 for five points at 5 % (0.95^58 is above, 0.95^59 below 0.05), and many more where a difference can be large.
func TestEquivalenceWhereNothingDiffers(t *testing.T) {
	of := func(n int, x float64) *moments {
		var m moments
		for range n {
			m.add(x)
		}
		return &m
	}
	for _, c := range []struct {
		m     *moments
		reach float64
		want  bool
	}{{of(58, 0), 1, false}, {of(59, 0), 1, true}, {of(500, 0), 2000, false}, {of(500, 0.05), 1, false}, {of(60, 0.02), 1, false}, {of(120, 0.02), 1, true}} {
		if got := c.m.equivalence(0.05, c.reach); got.Equivalent != c.want {
			t.Errorf("%d pairs that all differ by %v, at most %v: %+v, want %v", c.m.n, c.m.first, c.reach, got, c.want)
		}
	}
}

// TestEvenWhereNearlyAllIsDrawn: a score of nothing but draws is even, and rare wins are tested at their level.
func TestEvenWhereNearlyAllIsDrawn(t *testing.T) {
	var drawn series
	for range 100 {
		drawn.add(0.5)
	}
	if e := drawn.even(0.05); !e.Equivalent || math.Abs(e.P-math.Pow(0.9, 100)) > 1e-12 {
		t.Errorf("a hundred pairs of draws: %+v, want p = 0.9^100", e)
	}
	for _, x := range []float64{0, 0.5, 1} {
		var one series
		if one.even(0.05).Equivalent {
			t.Error("no pair is called even")
		}
		if one.add(x); one.even(0.05).Equivalent {
			t.Errorf("one pair of score %v is called even", x)
		}
	}
	rng, wrong := rand.New(rand.NewPCG(2, 2)), 0
	const repeats = 4000
	for range repeats {
		var s series
		for range 100 {
			x := 0.5
			if rng.Float64() < 0.1 {
				x = 1
			}
			s.add(x)
		}
		if s.even(0.05).Equivalent { // the mean is 0.55, at the margin
			wrong++
		}
	}
	if share := float64(wrong) / repeats; share > 0.065 {
		t.Errorf("%.3f of samples at the margin are called even", share)
	}
}

// TestMetricIndices: what capped games leave in doubt is looked up by these.
func TestMetricIndices(t *testing.T) {
	if m := Metrics(); m[scoreMetric].Name != "first-player-score" || m[cappedMetric].Name != "capped-share" {
		t.Errorf("scoreMetric is %s, cappedMetric %s", m[scoreMetric].Name, m[cappedMetric].Name)
	}
}
