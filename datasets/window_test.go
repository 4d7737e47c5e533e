package datasets

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// numbered returns n rows whose game ids count from first.
func numbered(first, n int) []Sample {
	rows := make([]Sample, n)
	for i := range rows {
		rows[i] = Sample{GameID: uint64(first + i), Full: i%4 == 0}
	}
	return rows
}

func ids(w *Window) []uint64 {
	var out []uint64
	for i := range w.Len() {
		out = append(out, w.At(i).GameID)
	}
	return out
}

func TestWindowSizeFollowsTheRule(t *testing.T) {
	c := WindowConfig{Base: 250_000, Alpha: 0.75, Beta: 0.4, MaxRows: math.MaxUint32}
	// Values of c(1 + β((N/c)^α − 1)/α) computed by hand for powers of 16, where
	// 16^0.75 = 8 and 256^0.75 = 64.
	for _, x := range []struct {
		n    uint64
		want int
	}{{0, 0}, {1, 1}, {249_999, 249_999}, {250_000, 250_000}, {16 * 250_000, 1_183_333}, {256 * 250_000, 8_650_000}} {
		if got := c.Size(x.n); got != x.want {
			t.Errorf("W(%d) = %d, want %d", x.n, got, x.want)
		}
	}
	c.MaxRows = 1000
	if got := c.Size(1 << 40); got != 1000 {
		t.Errorf("the limit gives %d", got)
	}
	// Never shrinks, and never grows faster than the data.
	c = WindowConfig{Base: 10, Alpha: 1, Beta: 1, MaxRows: 500}
	for _, beta := range []float64{0, 0.4, 1} {
		c.Beta = beta
		for n := range uint64(2000) {
			if d := c.Size(n+1) - c.Size(n); d < 0 || d > 1 {
				t.Fatalf("β=%g: W grows by %d at %d", beta, d, n)
			}
		}
	}
}

func TestWindowConfigValidate(t *testing.T) {
	if err := DefaultWindowConfig().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []WindowConfig{{Base: 0, Alpha: 0.5, Beta: 0.5, MaxRows: 1}, {Base: 1, Alpha: 0, Beta: 0.5, MaxRows: 1},
		{Base: 1, Alpha: 1, Beta: math.NaN(), MaxRows: 1}, {Base: 1, Alpha: 1, Beta: 1}} {
		if _, err := NewWindow(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestWindowDoesNotDependOnShards(t *testing.T) {
	cfg := WindowConfig{Base: 50, Alpha: 0.75, Beta: 0.4, MaxRows: 1000}
	const n = 700
	var want []uint64
	for _, step := range []int{1, 7, 100, n} {
		w, err := NewWindow(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < n; at += step {
			w.Add(numbered(at, min(step, n-at)), uint32(at/100))
		}
		got := ids(w)
		if len(got) != cfg.Size(n) || got[len(got)-1] != n-1 {
			t.Fatalf("step %d: %d rows up to %d", step, len(got), got[len(got)-1])
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatalf("step %d gives another window", step)
		}
	}
	if want[0] != n-uint64(len(want)) {
		t.Fatal("the window is not the newest samples")
	}
}

func TestWindowSamplesWithoutReplacement(t *testing.T) {
	w, err := NewWindow(WindowConfig{Base: 1000, Alpha: 1, Beta: 1, MaxRows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if w.Sample(testRNG(1), make([]*Sample, 3)) != 0 {
		t.Fatal("drew from an empty window")
	}
	w.Add(numbered(0, 60), 1)
	w.Add(numbered(60, 37), 2)
	draw := func(rng *rand.Rand, n int) []uint64 {
		dst := make([]*Sample, n)
		if got := w.Sample(rng, dst); got != n {
			t.Fatalf("drew %d of %d", got, n)
		}
		out := make([]uint64, n)
		for i, s := range dst {
			out[i] = s.GameID
		}
		return out
	}
	rng := testRNG(22)
	var all []uint64
	for range 3 * 97 / 3 {
		all = append(all, draw(rng, 3)...) // 97 is not a multiple of 3: batches span epochs
	}
	for e := range 3 {
		epoch := slices.Clone(all[97*e : 97*(e+1)])
		slices.Sort(epoch)
		for i, id := range epoch {
			if id != uint64(i) {
				t.Fatalf("epoch %d drew %d at place %d", e, id, i)
			}
		}
	}
	if w.Epochs() != 3 {
		t.Fatalf("%d epochs", w.Epochs())
	}
	if slices.Equal(all[:97], all[97:194]) {
		t.Fatal("two epochs have one order")
	}
	// Equal windows and generators give equal draws, whatever came before Add.
	w.Add(nil, 3)
	a := draw(testRNG(23), 50)
	w.Add(nil, 3)
	if !slices.Equal(a, draw(testRNG(23), 50)) {
		t.Fatal("the draw is not determined by the generator")
	}
}

// First draws are uniform: chi-square over 20 cells with 19 degrees of freedom;
// 43.8 is its 99.9 % point. The generator is fixed, so the test is not random.
func TestWindowSamplesUniformly(t *testing.T) {
	w, err := NewWindow(DefaultWindowConfig())
	if err != nil {
		t.Fatal(err)
	}
	rng := testRNG(24)
	counts := make([]int, 20)
	const draws = 20_000
	dst := make([]*Sample, 1)
	for range draws {
		w.Add(nil, 0)
		if w.Len() == 0 {
			w.Add(numbered(0, 20), 0)
		}
		w.Sample(rng, dst)
		counts[dst[0].GameID]++
	}
	chi := 0.0
	for _, c := range counts {
		d := float64(c) - draws/20
		chi += d * d / (draws / 20)
	}
	if chi > 43.8 {
		t.Fatalf("chi-square %g: %v", chi, counts)
	}
}

func TestWindowLoadIsTheWindowOfTheRun(t *testing.T) {
	dir := t.TempDir()
	m, err := OpenManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := WindowConfig{Base: 40, Alpha: 0.5, Beta: 0.2, MaxRows: 1000}
	live, err := NewWindow(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		rows := randomSamples(testRNG(uint64(i)), 30)
		info, err := WriteSamples(filepath.Join(dir, ShardName(Samples, i)), rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		info.Generation = uint32(i)
		if err := m.Add(info); err != nil {
			t.Fatal(err)
		}
		live.Add(rows, uint32(i))
	}
	// The oldest shards are not needed, so they may even be gone.
	first := m.Of(Samples)[0]
	first.SHA256 = "gone"
	m.Shards[0] = first
	loaded, err := NewWindow(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Load(m); err != nil {
		t.Fatal(err)
	}
	if loaded.Len() != live.Len() || loaded.Len() >= 240 {
		t.Fatalf("%d rows, the live window has %d", loaded.Len(), live.Len())
	}
	for i := range live.Len() {
		mustEqual(t, []Sample{*loaded.At(i)}, []Sample{*live.At(i)})
	}
	a, b := live.Stats(), loaded.Stats()
	if a != b {
		t.Fatalf("statistics %+v and %+v", a, b)
	}
	if a.Seen != 240 || a.Rows != live.Len() || a.OldestAge != uint64(a.Rows-1) || a.MeanAge != float64(a.Rows-1)/2 || a.NewestGeneration != 7 ||
		a.OldestGeneration != uint32((240-a.Rows)/30) || a.Games == 0 || a.Full == 0 {
		t.Fatalf("statistics %+v", a)
	}
}
