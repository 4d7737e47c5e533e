package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// smallShard returns the bytes of a shard with the given rows a batch, its rows,
// and the number of rows whose batches end at or before each byte offset.
func smallShard(t testing.TB, rows []Sample, batchRows int) (data []byte, info ShardInfo, wholeAt func(n int) int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.arrows")
	w, err := create(path, sampleSchema, sampleSchema.columns(), batchRows, testMeta)
	if err != nil {
		t.Fatal(err)
	}
	type mark struct{ bytes, rows int }
	var marks []mark
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			t.Fatal(err)
		}
		if w.n == 0 {
			marks = append(marks, mark{int(w.out.n), i + 1})
		}
	}
	if info, err = w.Commit(); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return data, info, func(n int) int {
		whole := 0
		for _, m := range marks {
			if m.bytes <= n {
				whole = m.rows
			}
		}
		return whole
	}
}

func readBytes(b []byte, opts Options) ([]Sample, error, error) {
	r, err := newReader(bytes.NewReader(b), int64(len(b)), "test", sampleSchema, sampleSchema.fixed, opts)
	if err != nil {
		return nil, nil, err
	}
	rows, err := r.collect()
	return rows, r.Lost(), err
}

func TestTruncationAtEveryByte(t *testing.T) {
	rows := randomSamples(testRNG(10), 4)
	data, _, wholeAt := smallShard(t, rows, 2)
	if wholeAt(len(data)) != len(rows) {
		t.Fatal("the test's own bookkeeping is wrong")
	}
	schemaEnd, step := 0, 1
	if testing.Short() {
		step = 7 // the race detector makes each of 4000 reads ten times slower
	}
	for n := 0; n < len(data); n += step {
		// Strict reading takes the same way to the same error; it decodes whole
		// batches again, so only some cuts pay for it.
		if n%5 == 0 || n > len(data)-20 {
			if _, _, err := readBytes(data[:n], Options{}); !errors.Is(err, ErrTruncated) {
				t.Fatalf("cut at %d of %d: %v", n, len(data), err)
			}
		}
		got, lost, err := readBytes(data[:n], Options{Recover: true})
		if err != nil {
			// Only a cut inside the schema leaves nothing to say.
			if !errors.Is(err, ErrTruncated) || wholeAt(n) > 0 {
				t.Fatalf("recover at %d: %v", n, err)
			}
			schemaEnd = n + 1
			continue
		}
		if !errors.Is(lost, ErrTruncated) {
			t.Fatalf("recover at %d: lost %v", n, lost)
		}
		mustEqual(t, got, rows[:wholeAt(n)])
	}
	if schemaEnd == 0 || schemaEnd > len(data)/2 {
		t.Fatalf("the schema ends at byte %d of %d", schemaEnd, len(data))
	}
}

func TestRecoverFile(t *testing.T) {
	rows := randomSamples(testRNG(11), 12)
	data, info, _ := smallShard(t, rows, 4)
	path := filepath.Join(t.TempDir(), "cut.arrows")
	if err := os.WriteFile(path, data[:len(data)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadSamples(path, &info)
	if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), path) {
		t.Fatalf("against the manifest: %v", err)
	}
	got, lost, err := RecoverSamples(path)
	if err != nil || !errors.Is(lost, ErrTruncated) {
		t.Fatalf("lost %v, error %v", lost, err)
	}
	mustEqual(t, got, rows[:8])
	if _, _, err := RecoverGames(path); !errors.Is(err, ErrSchema) {
		t.Fatalf("recovered as games: %v", err)
	}
	if err := os.WriteFile(path, append(data, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSamples(path, nil); !errors.Is(err, ErrDamaged) || errors.Is(err, ErrTruncated) {
		t.Fatalf("a byte behind the end: %v", err)
	}
}

// A flipped bit is noticed when the hash is known, and does no worse than an
// error when it is not. The strides are odd, so all
// bits of a byte take part.
func TestBitFlips(t *testing.T) {
	rows := randomSamples(testRNG(12), 3)
	data, info, _ := smallShard(t, rows, 3)
	path := filepath.Join(t.TempDir(), "flipped")
	tried, unnoticed, step := 0, 0, 17
	if testing.Short() {
		step = 151
	}
	for i := 0; i < 8*len(data); i += step {
		b := bytes.Clone(data)
		b[i/8] ^= 1 << (i % 8)
		tried++
		if _, _, err := readBytes(b, Options{}); err == nil {
			unnoticed++
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSamples(path, &info); !errors.Is(err, ErrDamaged) {
			t.Fatalf("bit %d: %v", i, err)
		}
	}
	t.Logf("without the hash %d of %d flipped bits went unnoticed", unnoticed, tried)
}

// hostile patches the little-endian integer old to new wherever it stands
// aligned in the file, one place at a time.
func hostile(data []byte, size int, old, new uint64) [][]byte {
	var out [][]byte
	for i := 0; i+size <= len(data); i += 4 {
		var v uint64
		if size == 4 {
			v = uint64(binary.LittleEndian.Uint32(data[i:]))
		} else {
			v = binary.LittleEndian.Uint64(data[i:])
		}
		if v != old {
			continue
		}
		b := bytes.Clone(data)
		if size == 4 {
			binary.LittleEndian.PutUint32(b[i:], uint32(new))
		} else {
			binary.LittleEndian.PutUint64(b[i:], new)
		}
		out = append(out, b)
	}
	return out
}

// Files that declare more than they hold must be refused without the memory
// being allocated. The measure is what the heap handed out in total, so that a
// collection in between cannot hide an allocation.
func TestHostileLengthsDoNotAllocate(t *testing.T) {
	rows := randomSamples(testRNG(13), 6)
	data, _, _ := smallShard(t, rows, 6)
	// Any 32-bit word of the file replaced by a huge number: message lengths,
	// vector lengths, offsets and the halves of 64-bit lengths are all among them.
	for i := 0; i+4 <= len(data); i += 4 {
		if testing.Short() && i%20 != 0 {
			continue
		}
		for name, v := range map[string]uint32{"2 GiB": 0x7FFFFFFF, "negative": 0xFFFFFFF0, "1 GiB": 1 << 30} {
			b := bytes.Clone(data)
			binary.LittleEndian.PutUint32(b[i:], v)
			before := allocated()
			_, _, _ = readBytes(b, Options{})
			if got := allocated() - before; got > 48<<20 {
				t.Fatalf("%s at byte %d: %d MiB allocated for a file of %d bytes", name, i, got>>20, len(data))
			}
		}
	}
	// Decompressed sizes of 512 MiB.
	n := 0
	for _, b := range hostile(data, 8, uint64(len(rows)*8), 512<<20) {
		n++
		before := allocated()
		_, _, err := readBytes(b, Options{})
		if err == nil || allocated()-before > 48<<20 {
			t.Fatalf("%d MiB allocated, error %v", (allocated()-before)>>20, err)
		}
	}
	if n == 0 {
		t.Fatal("no length was patched")
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestBudgetAllocator(t *testing.T) {
	a := newBudgetAllocator(100)
	b := a.Allocate(60)
	b = a.Reallocate(90, b)
	mustPanic(t, func() { a.Allocate(11) })
	mustPanic(t, func() { a.Reallocate(101, b) })
	mustPanic(t, func() { a.Allocate(-1) })
	a.Free(b)
	if a.used.Load() != 0 || a.peak.Load() != 90 {
		t.Fatalf("used %d, peak %d", a.used.Load(), a.peak.Load())
	}
	a.Allocate(100)
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Fatal("no panic")
		}
	}()
	f()
}

// The limits of a reader hold whatever the file says, with an error that names
// them.
func TestLimits(t *testing.T) {
	rows := randomSamples(testRNG(14), 200)
	data, _, _ := smallShard(t, rows, 100)
	for _, l := range []Limits{{BatchRows: 99}, {BatchBytes: 1000}} {
		if _, _, err := readBytes(data, Options{Limits: l}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "limit") {
			t.Fatalf("%+v: %v", l, err)
		}
	}
	if _, _, err := readBytes(data, Options{Limits: Limits{TotalBytes: 1000}}); !errors.Is(err, ErrTooLarge) {
		t.Fatalf("total: %v", err)
	}
	if got, _, err := readBytes(data, Options{Limits: Limits{BatchRows: 100}}); err != nil || len(got) != 200 {
		t.Fatalf("within the limits: %d rows, %v", len(got), err)
	}
}

// A reader holds one batch, however long the file is.
func TestReaderMemoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	rows := randomSamples(testRNG(15), sampleBatchRows)
	w, err := CreateSamples(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	const batches = 6
	for range batches {
		if err := w.AppendAll(rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenSamples(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var s Sample
	for r.Next(&s) {
	}
	if r.Err() != nil || r.batches != batches {
		t.Fatalf("%d batches, %v", r.batches, r.Err())
	}
	if peak := r.alloc.peak.Load(); peak > 3*r.raw/batches {
		t.Fatalf("%d bytes in use at the peak, a batch has %d", peak, r.raw/batches)
	}
}

func TestCheckZstd(t *testing.T) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	payload := bytes.Repeat([]byte("latro"), 1000)
	frame := enc.EncodeAll(payload, nil)
	if err := checkZstd(frame, int64(len(payload))); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"cut":        frame[:len(frame)-1],
		"two frames": append(bytes.Clone(frame), frame...),
		"trailing":   append(bytes.Clone(frame), 0),
		"empty":      nil,
		"skippable":  {0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 0},
		// Window descriptor 0xF8: 2^41 bytes. One raw block of no bytes.
		"window": {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8, 1, 0, 0},
	} {
		if err := checkZstd(b, int64(len(payload))); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if err := checkZstd(frame, int64(len(payload))+1); err == nil {
		t.Error("another size was accepted")
	}
}

func FuzzReadSamples(f *testing.F) {
	data, _, _ := smallShard(f, randomSamples(testRNG(16), 6), 3)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte("\xff\xff\xff\xff\x00\x00\x00\x00"))
	small := Limits{BatchBytes: 4 << 20, TotalBytes: 16 << 20}
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, _, err := readBytes(b, Options{Limits: small})
		if err == nil {
			for i := range rows {
				if err := rows[i].Check(); err != nil {
					t.Fatal(err)
				}
			}
		}
		again, lost, rerr := readBytes(b, Options{Limits: small, Recover: true})
		if err == nil && (rerr != nil || lost != nil || len(again) != len(rows)) {
			t.Fatalf("recovery differs on a sound file: %v, %v", rerr, lost)
		}
	})
}
