package datasets

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestSamplesRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 7, sampleBatchRows - 1, sampleBatchRows, 2*sampleBatchRows + 5} {
		path := filepath.Join(t.TempDir(), "s.arrows")
		want := randomSamples(testRNG(uint64(n)), n)
		info, err := WriteSamples(path, want, testMeta)
		if err != nil {
			t.Fatal(err)
		}
		size, sum, err := HashFile(path)
		if err != nil || size != info.Bytes || sum != info.SHA256 || info.Rows != uint64(n) || info.Kind != Samples {
			t.Fatalf("info %+v, file has %d bytes, hash %s, error %v", info, size, sum, err)
		}
		got, err := ReadSamples(path, &info)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, got, want)
	}
}

func TestGamesRoundTripRowByRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.arrows")
	want := randomGames(testRNG(3), gameBatchRows+100)
	info, err := WriteGames(path, want, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenGames(path, Options{Expect: &info})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []Game
	for g, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, g)
	}
	mustEqual(t, got, want)
	if m := r.Metadata(); m["note"] != testMeta["note"] || m[MetaKind] != "game" || m[MetaVersion] != "1" {
		t.Fatalf("metadata %v", m)
	}
	if r.Lost() != nil || r.Rows() != uint64(len(want)) {
		t.Fatalf("lost %v, %d rows", r.Lost(), r.Rows())
	}
}

// Rows must not change when the reader goes on: batches are not reused.
func TestRowsStayValid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.arrows")
	want := randomSamples(testRNG(4), sampleBatchRows+10)
	if _, err := WriteSamples(path, want, nil); err != nil {
		t.Fatal(err)
	}
	r, err := OpenSamples(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var first, s Sample
	r.Next(&first)
	for r.Next(&s) {
	}
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, []Sample{first}, want[:1])
	// Appending to one row's list must not reach into the next row.
	if cap(first.Actions) != len(first.Actions) || cap(first.State) != len(first.State) {
		t.Fatal("a row's slices have room behind them")
	}
}

func TestSameRowsSameBytes(t *testing.T) {
	dir := t.TempDir()
	rows := randomSamples(testRNG(5), sampleBatchRows+77)
	write := func(name string, procs int, step int) []byte {
		old := runtime.GOMAXPROCS(procs)
		defer runtime.GOMAXPROCS(old)
		w, err := CreateSamples(filepath.Join(dir, name), testMeta)
		if err != nil {
			t.Fatal(err)
		}
		for chunk := range slices.Chunk(rows, step) {
			if err := w.AppendAll(chunk); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	a, b := write("a", 1, len(rows)), write("b", 4, 13)
	if !bytes.Equal(a, b) {
		t.Fatal("the same rows gave different bytes")
	}
	rows[len(rows)/2].Visits[0]++
	if bytes.Equal(a, write("c", 1, len(rows))) {
		t.Fatal("another row gave the same bytes")
	}
}

func TestWriterIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.arrows")
	rows := randomSamples(testRNG(6), 3)
	w, err := CreateSamples(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AppendAll(rows); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the file is there before Commit: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err == nil {
		t.Fatal("Commit after Abort")
	}
	if err := w.Append(&rows[0]); err == nil {
		t.Fatal("Append after Abort")
	}
	if es, _ := os.ReadDir(dir); len(es) != 0 {
		t.Fatalf("left behind: %v", es)
	}
}

func TestWriterRefusesBadRows(t *testing.T) {
	dir := t.TempDir()
	w, err := CreateSamples(filepath.Join(dir, "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	rows := randomSamples(testRNG(7), 2)
	bad := rows[1]
	bad.Player = 7
	if err := w.Append(&bad); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "player") {
		t.Fatalf("bad row: %v", err)
	}
	// A refused row changes nothing.
	if err := w.Append(&rows[0]); err != nil {
		t.Fatal(err)
	}
	info, err := w.Commit()
	if err != nil || info.Rows != 1 {
		t.Fatalf("%+v, %v", info, err)
	}

	w, err = CreateSamples(filepath.Join(dir, "t"), nil)
	if err != nil {
		t.Fatal(err)
	}
	bad = rows[1]
	bad.EndReason = "\xff"
	if err := w.Append(&bad); !errors.Is(err, ErrInvalid) {
		t.Fatalf("text that is not UTF-8: %v", err)
	}
	if _, err := w.Commit(); !errors.Is(err, ErrInvalid) {
		t.Fatalf("Commit after a failure: %v", err)
	}
	g, err := CreateGames(filepath.Join(dir, "u"), nil)
	if err != nil {
		t.Fatal(err)
	}
	huge := Game{RulesetHash: "h", Outcome: Capped, Moves: make([]uint16, maxRowBytes/2+1), Plies: maxRowBytes/2 + 1}
	if err := g.Append(&huge); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("a huge row: %v", err)
	}
	g.Abort()
	if _, err := CreateSamples(filepath.Join(dir, "v"), map[string]string{"latro.schema": "x"}); err == nil {
		t.Fatal("a reserved metadata key was accepted")
	}
	if es, _ := os.ReadDir(dir); len(es) != 1 {
		t.Fatalf("files %v", es)
	}
}

// Long games end a batch early, so that readers never need more than the limit.
func TestBatchesAreBoundedInBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	long := Game{RulesetHash: "h", Outcome: Capped, Moves: make([]uint16, 1<<20), Plies: 1 << 20}
	rng := testRNG(8)
	for i := range long.Moves {
		long.Moves[i] = uint16(rng.Uint32())
	}
	want := slices.Repeat([]Game{long}, 10)
	if _, err := WriteGames(path, want, nil); err != nil {
		t.Fatal(err)
	}
	r, err := OpenGames(path, Options{Limits: Limits{BatchBytes: batchBytes + 4<<20}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := r.collect()
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, got, want)
	if r.batches < 2 {
		t.Fatalf("%d batches", r.batches)
	}
}

func TestWrongKindAndForeignFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g")
	info, err := WriteGames(path, randomGames(testRNG(9), 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSamples(path, nil); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), path) {
		t.Fatalf("games read as samples: %v", err)
	}
	wrong := info
	wrong.Rows++
	if _, err := ReadGames(path, &wrong); !errors.Is(err, ErrDamaged) {
		t.Fatalf("wrong number of rows: %v", err)
	}
	for name, content := range map[string]string{"empty": "", "text": "this is not an Arrow stream at all\n", "zeros": string(make([]byte, 100))} {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSamples(p, nil); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), p) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if _, err := ReadSamples(filepath.Join(dir, "absent"), &info); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("absent: %v", err)
	}
	if _, err := ReadSamples(dir, nil); !errors.Is(err, ErrSchema) {
		t.Fatalf("directory: %v", err)
	}
}

// Metadata and rows of the schema in another version must be refused by name.
func TestSchemaVersionIsChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	later := *sampleSchema
	later.version = 99
	w, err := create(path, &later, later.columns(), sampleBatchRows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSamples(path, nil); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "99") {
		t.Fatalf("%v", err)
	}
	fewer := *sampleSchema
	w, err = create(path, &fewer, fewer.columns()[1:], sampleBatchRows, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSamples(path, nil); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), `"game_id"`) {
		t.Fatalf("%v", err)
	}
}

// TestCommitAllWritesWhatCommitWrites: the same bytes, and nothing visible before.
func TestCommitAllWritesWhatCommitWrites(t *testing.T) {
	dir := t.TempDir()
	rows := randomSamples(testRNG(8), 5)
	one := filepath.Join(dir, "one")
	want, err := WriteSamples(one, rows, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	var writers []*Writer[Sample]
	for _, name := range []string{"a", "b"} {
		w, err := CreateSamples(filepath.Join(dir, name), testMeta)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AppendAll(rows); err != nil {
			t.Fatal(err)
		}
		if err := CommitAll([]*Writer[Sample]{w}); err == nil {
			t.Fatal("CommitAll of a writer that is not finished")
		}
		info, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if info.SHA256 != want.SHA256 || info.Bytes != want.Bytes || info.Rows != want.Rows {
			t.Errorf("Finish says %+v, Commit %+v", info, want)
		}
		if err := w.Append(&rows[0]); err == nil {
			t.Error("Append after Finish")
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there before CommitAll: %v", name, err)
		}
		writers = append(writers, w)
	}
	if err := CommitAll(writers); err != nil {
		t.Fatal(err)
	}
	expected, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, expected) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
}
