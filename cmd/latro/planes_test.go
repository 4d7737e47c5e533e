package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"latro/datasets"
	"latro/nn"
)

// npz reads the float32 arrays of a NumPy archive.
func npz(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string][]float32{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		head := 10 + int(binary.LittleEndian.Uint16(data[8:]))
		if !bytes.Contains(data[:head], []byte("'<f4'")) {
			continue
		}
		var v []float32
		for data = data[head:]; len(data) > 0; data = data[4:] {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		out[strings.TrimSuffix(f.Name, ".npy")] = v
	}
	return out
}

// exported is a run's newest network as ONNX and a shard of its samples as NumPy arrays, in a directory of its own.
func exported(t *testing.T) (dir, checkpoint, shard string) {
	t.Helper()
	run, checkpoint := learnedNet(t)
	dir = t.TempDir()
	shard = glob(t, run, "shards", "*.samples.arrow")[0]
	latro(t, exitDone, "net", "export", run, "--out", filepath.Join(dir, "bell.onnx"))
	latro(t, exitDone, "data", "export", shard, "-f", "npz", "-o", filepath.Join(dir, "samples.npz"))
	return dir, checkpoint, shard
}

func TestDataExportPlanes(t *testing.T) {
	dir, checkpoint, shard := exported(t)
	rows, err := datasets.ReadSamples(shard, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	a, s := npz(t, filepath.Join(dir, "samples.npz")), n.Shape
	if len(rows) == 0 || len(a["obs"]) != len(rows)*s.Obs() || len(a["globals"]) != len(rows)*s.Globals || len(a["policy"]) != len(rows)*s.Actions() || len(a["value"]) != len(rows) {
		t.Fatalf("%d rows: %d, %d, %d, %d values", len(rows), len(a["obs"]), len(a["globals"]), len(a["policy"]), len(a["value"]))
	}
	second := false
	for i, row := range rows {
		sum := float32(0)
		for _, p := range a["policy"][i*s.Actions():][:s.Actions()] {
			sum += p
		}
		if math.Abs(float64(sum)-1) > 1e-4 {
			t.Errorf("row %d: the policy sums to %v", i, sum)
		}
		// The first plane is the board, all ones; the fourth global says whose turn it is.
		for _, v := range a["obs"][i*s.Obs():][:s.Area()] {
			if v != 1 {
				t.Errorf("row %d: the plane on-board has %v", i, v)
			}
		}
		if a["globals"][i*s.Globals+3] != float32(1-row.Player) {
			t.Errorf("row %d: mover-is-player-0 is %v for player %d", i, a["globals"][i*s.Globals+3], row.Player)
		}
		want := row.OutcomeValue
		if row.Player == 1 {
			want, second = -want, true
		}
		if a["value"][i] != want {
			t.Errorf("row %d: value %v, want %v", i, a["value"][i], want)
		}
	}
	if !second {
		t.Error("no sample of player 1")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{shard, "-f", "npz"}, "--out"},
		{[]string{shard, "-f", "npz", "-o", filepath.Join(dir, "x"), "--columns", "ply"}, "--columns"},
		{[]string{strings.Replace(shard, "samples", "games", 1), "-f", "npz", "-o", filepath.Join(dir, "x")}, "games.arrow"},
	} {
		wantIn(t, latro(t, exitInput, append([]string{"data", "export"}, c.args...)...).err, c.want)
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a failed export left its file")
	}
}

// TestPythonOfTheDocs runs the program of docs/networks.md on a run's network and samples, and compares what it prints
// with latro's own pass.
func TestPythonOfTheDocs(t *testing.T) {
	python := os.Getenv("LATRO_PYTHON")
	if python == "" || exec.Command(python, "-c", "import numpy, onnxruntime").Run() != nil {
		t.Skip("set LATRO_PYTHON to a Python interpreter with numpy and onnxruntime")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "networks.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/networks.md has no program in Python")
	}
	dir, checkpoint, _ := exported(t)
	cmd := exec.Command(python, "-c", string(block[1]))
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var gotPolicy, gotValue float64
	if _, err := fmt.Sscanf(string(printed), "cross-entropy of the policy: %g\nsquared error of the value: %g\n", &gotPolicy, &gotValue); err != nil {
		t.Fatalf("%v in\n%s", err, printed)
	}

	n, err := nn.Load(checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	inf, err := nn.Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	a := npz(t, filepath.Join(dir, "samples.npz"))
	rows, actions := len(a["value"]), n.Shape.Actions()
	out := nn.NewOutputs(n.Shape, rows)
	if err := inf.NewInstance(rows).Run(rows, a["obs"], a["globals"], out); err != nil {
		t.Fatal(err)
	}
	var policy, value float64
	for i := range rows {
		sum := 0.0
		target, logits := a["policy"][i*actions:][:actions], out.Policy[i*actions:][:actions]
		for k, p := range target {
			if p > 0 {
				sum += math.Exp(float64(logits[k]))
			}
		}
		for k, p := range target {
			policy -= float64(p) * (float64(logits[k]) - math.Log(sum))
		}
		d := expectedOutcome(out.WDL[3*i:]) - float64(a["value"][i])
		value += d * d
	}
	policy, value = policy/float64(rows), value/float64(rows)
	if math.Abs(policy-gotPolicy) > 1e-4 || math.Abs(value-gotValue) > 1e-4 {
		t.Errorf("Python says %v and %v, latro %v and %v", gotPolicy, gotValue, policy, value)
	}
}
