package datasets

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// testEncoder has one plane of 2×3 with the ply, and the visits as policy.
type testEncoder struct{ fail bool }

func (testEncoder) Shape() (planes, rows, cols, globals, actions int) { return 1, 2, 3, 2, 448 }
func (e testEncoder) EncodeSample(s *Sample, obs, globals, policy []float32) (float32, error) {
	if e.fail && s.GameID == 2 {
		return 0, errors.New("state of another ruleset")
	}
	obs[s.Ply%6] = 1
	globals[1] = float32(s.Ply)
	for i, a := range s.Actions {
		policy[a] = float32(s.Visits[i])
	}
	return s.OutcomeValue, nil
}

func TestExportPlanes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	rows := randomSamples(testRNG(60), 70)
	if _, err := WriteSamples(path, rows, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := ExportPlanes(&out, path, testEncoder{}, Options{}); err != nil || n != 70 {
		t.Fatalf("%d rows, %v", n, err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		head := 10 + int(binary.LittleEndian.Uint16(b[8:]))
		if head%64 != 0 || b[head-1] != '\n' {
			t.Fatalf("%s: head of %d bytes", f.Name, head)
		}
		data[f.Name] = b[head:]
	}
	float := func(name string, i int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(data[name][4*i:]))
	}
	for name, size := range map[string]int{"obs.npy": 4 * 70 * 6, "globals.npy": 4 * 70 * 2, "policy.npy": 4 * 70 * 448, "value.npy": 4 * 70, "game_id.npy": 8 * 70} {
		if len(data[name]) != size {
			t.Fatalf("%s has %d bytes, want %d", name, len(data[name]), size)
		}
	}
	for i, s := range rows {
		for j := range 6 {
			if want := float32(0); float("obs.npy", 6*i+j) != want && j != int(s.Ply%6) {
				t.Fatalf("row %d: a plane of another row shines through", i)
			}
		}
		if float("globals.npy", 2*i+1) != float32(s.Ply) || float("value.npy", i) != s.OutcomeValue ||
			float("policy.npy", 448*i+int(s.Actions[0])) != float32(s.Visits[0]) || binary.LittleEndian.Uint64(data["game_id.npy"][8*i:]) != s.GameID {
			t.Fatalf("row %d differs", i)
		}
	}
	if _, err := ExportPlanes(io.Discard, path, testEncoder{fail: true}, Options{}); err == nil || !bytes.Contains([]byte(err.Error()), []byte("game 2")) {
		t.Fatalf("%v", err)
	}
	python := os.Getenv("LATRO_PYTHON")
	if python == "" || exec.Command(python, "-c", "import numpy").Run() != nil {
		return
	}
	npz := filepath.Join(dir, "s.npz")
	if err := os.WriteFile(npz, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(python, "-c", "import sys, numpy; z = numpy.load(sys.argv[1]); print({k: (z[k].shape, str(z[k].dtype)) for k in z.files})", npz).CombinedOutput()
	want := "{'obs': ((70, 1, 2, 3), 'float32'), 'globals': ((70, 2), 'float32'), 'policy': ((70, 448), 'float32'), 'value': ((70,), 'float32'), 'game_id': ((70,), 'uint64')}\n"
	if err != nil || string(got) != want {
		t.Fatalf("numpy: %v\n%s", err, got)
	}
}
