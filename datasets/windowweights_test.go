package datasets

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

func TestSurpriseWeights(t *testing.T) {
	nan := float32(math.NaN())
	row := func(game uint64, full bool, surprise float32) Sample {
		return Sample{GameID: game, Full: full, Surprise: surprise}
	}
	rows := []Sample{
		row(1, true, 0.1), row(1, false, 9), row(1, true, 0.3), // mean of the full ones 0.2
		row(2, true, 0), row(2, true, 0), // nothing to deal out
		row(3, true, nan), row(3, true, 2), // unknown
		row(4, true, 7), // alone: its own mean
	}
	want := []float32{0.75, 1, 1.25, 1, 1, 1, 1, 1}
	for i, w := range SurpriseWeights(rows, 0.5) {
		if math.Abs(float64(w-want[i])) > 1e-6 {
			t.Errorf("row %d has weight %v, want %v", i, w, want[i])
		}
	}
	for i, w := range SurpriseWeights(rows, 0) {
		if w != 1 {
			t.Errorf("share 0: row %d has weight %v", i, w)
		}
	}
}

// An epoch holds each sample as often as its weight says, rounded up or down; over epochs the mean is the weight. What
// is drawn depends on generator and content alone.
func TestWeightedWindow(t *testing.T) {
	weights := []float32{0, 0.25, 1, 2.3, 0.45, 1}
	build := func() *Window {
		w, err := NewWindow(WindowConfig{Base: 1000, Alpha: 1, Beta: 1, MaxRows: 1000})
		if err != nil {
			t.Fatal(err)
		}
		w.AddWeighted(numbered(0, 4), weights[:4], 1)
		w.AddWeighted(numbered(4, 1), weights[4:5], 2)
		w.Add(numbered(5, 1), 2)
		return w
	}
	w, rng := build(), testRNG(5)
	counts := make([]int, len(weights))
	epochs := 0
	var all []int
	one := make([]int, 1)
	inEpoch := make([]int, len(weights))
	for epochs < 2000 {
		if w.Draw(rng, one) != 1 {
			t.Fatal("drew nothing")
		}
		all = append(all, one[0])
		counts[one[0]]++
		inEpoch[one[0]]++
		if w.Epochs() > epochs {
			epochs++
			for i, n := range inEpoch {
				if math.Abs(float64(n)-float64(weights[i])) >= 1 {
					t.Fatalf("epoch %d has sample %d, of weight %v, %d times", epochs, i, weights[i], n)
				}
			}
			clear(inEpoch)
		}
	}
	for i, n := range counts {
		// Systematic sampling: the count of an epoch deviates by less than 0.5, its mean over 2000 by about 0.011; five times that.
		if mean := float64(n) / float64(epochs); math.Abs(mean-float64(weights[i])) > 0.055 {
			t.Errorf("sample %d of weight %v was there %.3f times an epoch", i, weights[i], mean)
		}
	}
	again := make([]int, 500)
	build().Draw(testRNG(5), again)
	if !slices.Equal(again, all[:500]) {
		t.Error("the same window and generator draw other samples")
	}
	// The weights leave with their samples.
	w = build()
	w.cfg.MaxRows = 3
	w.AddWeighted(nil, nil, 3)
	if n := w.Draw(testRNG(1), again); n != len(again) || w.Len() != 3 {
		t.Fatalf("drew %d from %d", n, w.Len())
	}
	for _, i := range again {
		if i < 0 || i > 2 {
			t.Fatalf("drew sample %d of 3", i)
		}
	}
	w = build()
	w.cfg.MaxRows = 1
	w.AddWeighted(numbered(9, 1), []float32{0}, 3)
	if n := w.Draw(testRNG(1), again); n != 0 {
		t.Errorf("drew %d samples of weight 0", n)
	}
}

// Files of schema version 1, which had no surprise, are read, checked and inspected; what they lack is unknown.
func TestSamplesOfVersion1AreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.arrow")
	old := *sampleSchema
	old.version = 1
	cols := old.columns()
	w, err := create(path, &old, cols[:len(cols)-1], sampleBatchRows, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := randomSamples(testRNG(3), 30)
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}
	info, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadSamples(path, &info)
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i := range got {
		if !math.IsNaN(float64(got[i].Surprise)) || got[i].GameID != rows[i].GameID || got[i].EngineVersion != rows[i].EngineVersion {
			t.Fatalf("row %d is %+v", i, got[i])
		}
	}
	s, err := Inspect(path)
	if err != nil || s.Version != "1" || s.Rows != 30 || s.Damage != "" {
		t.Errorf("inspected %+v, %v", s, err)
	}
}
