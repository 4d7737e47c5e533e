package datasets

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestExportCSVReadsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	games := randomGames(testRNG(30), 20)
	games[3].Agent0 = "a,\"b\"\nc"
	if _, err := WriteGames(path, games, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := ExportCSV(&out, path, ExportOptions{})
	if err != nil || n != 20 {
		t.Fatalf("%d rows, %v", n, err)
	}
	recs, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	col := map[string]int{}
	for i, name := range recs[0] {
		col[name] = i
	}
	if len(recs) != 21 || len(col) != len(gameSchema.columns()) {
		t.Fatalf("%d lines, %d columns", len(recs), len(col))
	}
	for i, g := range games {
		rec := recs[i+1]
		if rec[col["agent0"]] != g.Agent0 || rec[col["factors"]] != g.Factors || rec[col["outcome"]] != g.Outcome ||
			rec[col["seed"]] != strconv.FormatUint(g.Seed, 10) || rec[col["resigned"]] != "false" {
			t.Fatalf("game %d: %v", i, rec)
		}
		fields := strings.Fields(rec[col["values"]])
		if len(fields) != len(g.Values) {
			t.Fatalf("game %d: %d values, want %d", i, len(fields), len(g.Values))
		}
		for j, f := range fields {
			if v, err := strconv.ParseFloat(f, 32); err != nil || float32(v) != g.Values[j] {
				t.Fatalf("game %d: value %q, want %v", i, f, g.Values[j])
			}
		}
	}
}

func TestExportJSONReadsBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	rows := randomSamples(testRNG(31), 50)
	rows[0].GameID = math.MaxUint64 // no double holds it
	if _, err := WriteSamples(path, rows, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := ExportJSON(&out, path, ExportOptions{}); err != nil || n != 50 {
		t.Fatalf("%d rows, %v", n, err)
	}
	d := json.NewDecoder(&out)
	for i, s := range rows {
		var got struct {
			GameID  string    `json:"game_id"`
			Ply     uint32    `json:"ply"`
			State   string    `json:"state"`
			Actions []uint16  `json:"actions"`
			Policy  []float32 `json:"policy"`
			Full    bool      `json:"full"`
			Value   float32   `json:"root_value"`
		}
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.GameID != strconv.FormatUint(s.GameID, 10) || got.Ply != s.Ply || got.State != hex.EncodeToString(s.State) ||
			len(got.Actions) != len(s.Actions) || len(got.Policy) != len(s.Policy) || got.Full != s.Full || got.Value != s.RootValue {
			t.Fatalf("row %d: %+v, want %+v", i, got, s)
		}
		for j, p := range got.Policy {
			if p != s.Policy[j] {
				t.Fatalf("row %d: policy %v, want %v", i, got.Policy, s.Policy)
			}
		}
	}
	if d.More() {
		t.Fatal("more rows")
	}
}

func TestExportChosenColumnsAndMetrics(t *testing.T) {
	dir := t.TempDir()
	m, err := OpenMetrics(filepath.Join(dir, "m"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []map[string]float64{{"b": 1.5}, {"a": -2}} {
		if err := m.Add(MetricPoint{Step: uint64(i), Values: v}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := ExportCSV(&out, filepath.Join(dir, "m"), ExportOptions{Columns: []string{"b", "step", "a"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "b,step,a\n1.5,0,NaN\nNaN,1,-2\n"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	out.Reset()
	if _, err := ExportJSON(&out, filepath.Join(dir, "m"), ExportOptions{Columns: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "{\"a\":null}\n{\"a\":-2}\n"; got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	_, err = ExportCSV(&out, filepath.Join(dir, "m"), ExportOptions{Columns: []string{"x", "a", "y"}})
	if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "x, y") || !strings.Contains(err.Error(), "generation") {
		t.Fatalf("%v", err)
	}
}

type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFullDiskIsReported(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	rows := randomSamples(testRNG(32), 2*sampleBatchRows)
	if _, err := WriteSamples(path, rows, nil); err != nil {
		t.Fatal(err)
	}
	for name, export := range map[string]func(*fullDisk) error{
		"CSV":  func(d *fullDisk) error { _, err := ExportCSV(d, path, ExportOptions{}); return err },
		"JSON": func(d *fullDisk) error { _, err := ExportJSON(d, path, ExportOptions{}); return err },
	} {
		for _, room := range []int{0, 100_000, 1_000_000} {
			if err := export(&fullDisk{room}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: %v", name, room, err)
			}
		}
	}
	// A shard writer whose disk is full at any point: an error that is not blamed
	// on the data, and nothing left behind.
	for _, room := range []int{0, 1000, 6000, 200_000} {
		w, err := CreateSamples(filepath.Join(dir, "t"), nil)
		if err != nil {
			t.Fatal(err)
		}
		w.out.w = &fullDisk{room}
		err = w.AppendAll(rows)
		if err == nil {
			_, err = w.Commit()
		} else if _, again := w.Commit(); !errors.Is(again, errFull) {
			t.Errorf("room for %d bytes: Commit says %v", room, again)
		}
		if !errors.Is(err, errFull) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrDamaged) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*t*")); len(left) != 0 {
			t.Fatalf("left behind: %v", left)
		}
	}
}
