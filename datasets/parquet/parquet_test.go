package parquet

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"latro/datasets"
)

func TestExportReadsBack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.arrows")
	games := gameRows(2500) // three batches
	if _, err := datasets.WriteGames(path, games, map[string]string{"note": "ä"}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := Export(&out, path, datasets.Options{})
	if err != nil || n != uint64(len(games)) {
		t.Fatalf("%d rows, %v", n, err)
	}
	tab, err := pqarrow.ReadTable(context.Background(), bytes.NewReader(out.Bytes()),
		parquet.NewReaderProperties(memory.DefaultAllocator), pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Release()
	if tab.NumRows() != int64(len(games)) {
		t.Fatalf("%d rows", tab.NumRows())
	}
	pf, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	md := pf.MetaData().KeyValueMetadata()
	if v := md.FindValue("note"); v == nil || *v != "ä" || md.FindValue(datasets.MetaKind) == nil {
		t.Fatalf("metadata %v", md)
	}
	// Lists are where a conversion loses values.
	row := 0
	col := tab.Schema().FieldIndices("moves")[0]
	for _, chunk := range tab.Column(col).Data().Chunks() {
		l := chunk.(*array.List)
		items := l.ListValues().(*array.Uint16).Uint16Values()
		for i := range l.Len() {
			from, to := l.ValueOffsets(i)
			if got := items[from:to]; !l.IsValid(i) || !slices.Equal(got, games[row].Moves) {
				t.Fatalf("row %d: moves %v, want %v", row, got, games[row].Moves)
			}
			row++
		}
	}
	if row != len(games) {
		t.Fatalf("%d lists", row)
	}
	var again bytes.Buffer
	if _, err := Export(&again, path, datasets.Options{}); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Fatalf("a second export differs, error %v", err)
	}
}

type failing struct{ left int }

var errFull = errors.New("no space left on device")

func (d *failing) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestExportErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.arrows")
	if _, err := datasets.WriteSamples(path, sampleRows(5000), nil); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 4, 10_000} {
		if _, err := Export(&failing{room}, path, datasets.Options{}); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-100], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(&bytes.Buffer{}, path, datasets.Options{}); !errors.Is(err, datasets.ErrTruncated) {
		t.Fatalf("%v", err)
	}
	// In recovery mode the whole batches are exported.
	if n, err := Export(&bytes.Buffer{}, path, datasets.Options{Recover: true}); err != nil || n != 4096 {
		t.Fatalf("%d rows, %v", n, err)
	}
}
