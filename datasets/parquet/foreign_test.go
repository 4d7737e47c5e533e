package parquet

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"latro/datasets"
	"latro/datasets/atomicfile"
)

// sampleRows and gameRows have every kind of value: empty and long lists, text
// that is not ASCII, the largest integers, and more rows than one batch.
func sampleRows(n int) []datasets.Sample {
	rows := make([]datasets.Sample, n)
	for i := range rows {
		s := datasets.Sample{
			GameID: 1<<64 - 1 - uint64(i/9), Ply: uint32(i % 9), RulesetHash: "9f86d081", Player: uint8(i % 2),
			State: []byte{byte(i), byte(i >> 8), 0xFF}, LegalCount: 4, Actions: []uint16{0, 7, 300, 65535},
			Visits: []uint32{uint32(i), 1, 0, 1<<32 - 1}, RootValue: float32(i%200)/100 - 1, Played: 300,
			Outcome: datasets.Draw, EndReason: "répétition", PliesLeft: uint32(9 - i%9), FinalMaterial: -0.1,
			Simulations: 32, Full: i%3 == 0, EngineVersion: "0.1",
		}
		if i%2 == 0 {
			s.Policy = []float32{0.1, 0.2, 0.3, 0.4}
			s.Survival = []byte{1, 2}
		}
		rows[i] = s
	}
	return rows
}

func gameRows(n int) []datasets.Game {
	rows := make([]datasets.Game, n)
	for i := range rows {
		g := datasets.Game{GameID: uint64(i), RunID: "run", Ruleset: "bell-8x7@ludii", RulesetHash: "9f86d081",
			Factors: `{"capture.bonus":"none"}`, Agent0: "uct:simulations=100", Agent1: "random", Seed: 1<<63 + uint64(i),
			Outcome: datasets.Capped, CanonicalHash: 1<<64 - 1, Budget0: 100}
		for j := range i % 7 {
			g.Moves = append(g.Moves, uint16(j))
			g.Values = append(g.Values, float32(j)/7)
		}
		g.Plies = uint32(len(g.Moves))
		if i%2 == 0 {
			g.Placements, g.Arrivals, g.Captures = []uint32{1, 2}, []uint32{3, 4}, []uint32{5, 1<<32 - 1}
			g.Attrition = []uint16{6, 5, 4, 3, 2, 1}
		}
		rows[i] = g
	}
	return rows
}

// pyTypes translates Arrow's names of types in Go to pyarrow's.
func pyType(t string) string {
	switch t {
	case "utf8":
		return "string"
	case "float32":
		return "float"
	case "float64":
		return "double"
	}
	if item, ok := strings.CutPrefix(t, "list<item: "); ok {
		return "list<item: " + pyType(strings.TrimSuffix(item, ">")) + " not null>"
	}
	return t
}

// orderedMap marshals as an object that keeps the order of its keys.
type orderedMap []datasets.ColumnInfo

func (m orderedMap) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		k, err := json.Marshal(c.Name)
		if err != nil {
			return nil, err
		}
		v, err := json.Marshal(pyType(c.Type))
		if err != nil {
			return nil, err
		}
		b.Write(k)
		b.WriteByte(':')
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type spec struct {
	Path     string            `json:"path"`
	Format   string            `json:"format"`
	Metadata map[string]string `json:"metadata"`
	Columns  orderedMap        `json:"columns"`
	Rows     []json.RawMessage `json:"rows"`
}

// TestForeignReader has pyarrow read what this module wrote, as Arrow streams and
// as Parquet. LATRO_PYTHON names an interpreter that has pyarrow.
func TestForeignReader(t *testing.T) {
	python := os.Getenv("LATRO_PYTHON")
	if python == "" {
		t.Skip("set LATRO_PYTHON to a Python interpreter with pyarrow")
	}
	dir := t.TempDir()
	meta := map[string]string{datasets.MetaRuleset: "bell-8x7@ludii", "note": "ä"}
	if _, err := datasets.WriteSamples(filepath.Join(dir, "samples.arrows"), sampleRows(5000), meta); err != nil {
		t.Fatal(err)
	}
	if _, err := datasets.WriteSamples(filepath.Join(dir, "empty.arrows"), nil, meta); err != nil {
		t.Fatal(err)
	}
	if _, err := datasets.WriteGames(filepath.Join(dir, "games.arrows"), gameRows(1500), meta); err != nil {
		t.Fatal(err)
	}
	m, err := datasets.OpenMetrics(filepath.Join(dir, "metrics.arrow"), meta)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(10) {
		if err := m.Add(datasets.MetricPoint{Step: i, Values: map[string]float64{[]string{"loss", "elo"}[i%2]: float64(i) / 3}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	var expect struct {
		Files []spec `json:"files"`
	}
	for _, name := range []string{"samples.arrows", "empty.arrows", "games.arrows", "metrics.arrow"} {
		path := filepath.Join(dir, name)
		sum, err := datasets.Inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		if _, err := datasets.ExportJSON(&lines, path, datasets.ExportOptions{}); err != nil {
			t.Fatal(err)
		}
		s := spec{Path: name, Format: "arrow", Metadata: sum.Metadata, Columns: sum.Columns, Rows: []json.RawMessage{}}
		for line := range bytes.Lines(lines.Bytes()) {
			s.Rows = append(s.Rows, json.RawMessage(line))
		}
		expect.Files = append(expect.Files, s)
		if err := exportFile(path+".parquet", path); err != nil {
			t.Fatal(err)
		}
		s.Path, s.Format = name+".parquet", "parquet"
		expect.Files = append(expect.Files, s)
	}
	b, err := json.Marshal(expect)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "expect.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join("..", "testdata", "read_shards.py")
	out, err := exec.Command(python, script, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("rows agree")); n != len(expect.Files) {
		t.Fatalf("%d of %d files were compared\n%s", n, len(expect.Files), out)
	}
	t.Logf("%s", out)

	// The comparison must be able to fail.
	expect.Files[0].Rows[17] = bytes.Replace(expect.Files[0].Rows[17], []byte(`"played":300`), []byte(`"played":301`), 1)
	if b, err = json.Marshal(expect); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "expect.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, script, dir).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("row 17, played")) {
		t.Fatalf("a wrong value was not noticed: %v\n%s", err, out)
	}
}

func exportFile(dst, src string) error {
	f, err := atomicfile.Create(dst)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := Export(f, src, datasets.Options{}); err != nil {
		return err
	}
	return f.Commit()
}
