package datasets

import (
	"io"
	"path/filepath"
	"testing"
)

// benchRows is 60,000 samples, a long generation of self-play.
const benchRows = 60_000

func BenchmarkWriteSamples(b *testing.B) {
	rows := randomSamples(testRNG(1), benchRows)
	path := filepath.Join(b.TempDir(), "s")
	var info ShardInfo
	for b.Loop() {
		var err error
		if info, err = WriteSamples(path, rows, nil); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, len(rows))
	b.ReportMetric(float64(info.Bytes)/float64(len(rows)), "bytes/row")
}

func BenchmarkReadSamples(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s")
	info, err := WriteSamples(path, randomSamples(testRNG(1), benchRows), nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ReadSamples(path, &info); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, benchRows)
}

func BenchmarkStreamSamples(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s")
	if _, err := WriteSamples(path, randomSamples(testRNG(1), benchRows), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := OpenSamples(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		var s Sample
		for r.Next(&s) {
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
		r.Close()
	}
	reportRows(b, benchRows)
}

func BenchmarkWriteGames(b *testing.B) {
	rows := randomGames(testRNG(1), 10_000)
	path := filepath.Join(b.TempDir(), "g")
	var info ShardInfo
	for b.Loop() {
		var err error
		if info, err = WriteGames(path, rows, nil); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, len(rows))
	b.ReportMetric(float64(info.Bytes)/float64(len(rows)), "bytes/row")
}

func BenchmarkExportCSV(b *testing.B) {
	path := filepath.Join(b.TempDir(), "g")
	if _, err := WriteGames(path, randomGames(testRNG(1), 10_000), nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := ExportCSV(io.Discard, path, ExportOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b, 10_000)
}

func BenchmarkWindowSample(b *testing.B) {
	w, err := NewWindow(WindowConfig{Base: 1 << 20, Alpha: 0.75, Beta: 0.4, MaxRows: 1 << 20})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		w.Add(numbered(i*2000, 2000), 0)
	}
	rng := testRNG(1)
	dst := make([]*Sample, 128)
	for b.Loop() {
		w.Sample(rng, dst)
	}
	reportRows(b, len(dst))
}

func reportRows(b *testing.B, n int) {
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
