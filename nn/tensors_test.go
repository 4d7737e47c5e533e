package nn

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWithBoard(t *testing.T) {
	n := mustNew(t, mustPreset(t, "1x8"), testShape(5, 6, 3, 2, 4), 1)
	w, err := n.WithBoard(7, 3)
	if err != nil {
		t.Fatal(err)
	}
	if w.Shape.Rows != 7 || w.Shape.Cols != 3 || n.Shape.Rows != 5 || w.Validate() != nil || &w.Tensors[0].Data[0] != &n.Tensors[0].Data[0] {
		t.Errorf("%+v of %+v", w.Shape, n.Shape)
	}
	w.Meta["a"], w.Shape.ActionPlanes[0] = "b", "c"
	if n.Meta["a"] != "" || n.Shape.ActionPlanes[0] == "c" {
		t.Error("the network of the other board shares its description with the first")
	}
	if _, err := n.WithBoard(0, 6); !errors.Is(err, ErrShape) {
		t.Errorf("a board without rows: %v", err)
	}
}

func TestFromTensors(t *testing.T) {
	n := mustNew(t, mustPreset(t, "2x8"), testShape(5, 6, 3, 2, 4), 1)
	backwards := n.Clone().Tensors
	slices.Reverse(backwards)
	got, err := FromTensors(n.Config, n.Shape, backwards)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != n.Hash() {
		t.Error("another network came out")
	}
	if backwards[0].Data[0]++; got.Hash() != n.Hash() {
		t.Error("the values are shared")
	}
	for name, c := range map[string]struct {
		change func(*Network)
		want   string
	}{
		"missing":   {func(n *Network) { n.Tensors = n.Tensors[1:] }, `"stem.weight" [3 3 3 8] is missing`},
		"unknown":   {func(n *Network) { n.Tensors = append(n.Tensors, Tensor{"x", []int{1}, []float32{1}}) }, `"x" [1] is none of a 2x8 network`},
		"twice":     {func(n *Network) { n.Tensors = append(n.Tensors, n.Tensors[0]) }, `"stem.weight" is there twice`},
		"dims":      {func(n *Network) { n.Tensors[0].Dims = []int{3, 3, 8, 3} }, "not [3 3 3 8]"},
		"values":    {func(n *Network) { n.Tensors[1].Data = n.Tensors[1].Data[:7] }, "with 7 values"},
		"NaN":       {func(n *Network) { n.Tensors[1].Data[2] = float32(math.NaN()) }, "NaN at index 2"},
		"config":    {func(n *Network) { n.Config.Channels = 1 << 40 }, "channels is"},
		"blocks":    {func(n *Network) { n.Config.Blocks = 256 }, "and 1643 more"},
		"no planes": {func(n *Network) { n.Shape.ActionPlanes = nil }, "0 action planes"},
	} {
		bad := n.Clone()
		c.change(bad)
		if _, err := FromTensors(bad.Config, bad.Shape, bad.Tensors); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestStatsAndCompare(t *testing.T) {
	s := Tensor{"t", []int{2, 2}, []float32{3, -4, 0, 0}}.Stats()
	if s.Norm != 5 || s.RMS != 2.5 || s.Min != -4 || s.Max != 3 || s.Values != 4 || s.Name != "t" {
		t.Errorf("%+v", s)
	}
	if s := (Tensor{"e", []int{0}, nil}).Stats(); s.Norm != 0 || s.Max != 0 {
		t.Errorf("of no values: %+v", s)
	}
	a := mustNew(t, mustPreset(t, "1x8"), testShape(5, 6, 3, 2, 4), 1)
	b := mustNew(t, mustPreset(t, "2x8"), testShape(5, 6, 4, 2, 4), 1)
	copy(b.Tensor("stem.scale").Data, []float32{3, 1, 1, 1, 1, 1, 1, 1})
	byName := map[string]TensorDifference{}
	for _, d := range CompareTensors(a, b) {
		byName[d.Name] = d
	}
	// Ones against one three: the difference 2 over the norm √(9+7).
	if d := byName["stem.scale"]; !d.Comparable() || d.MaxAbs != 2 || d.Relative != 0.5 {
		t.Errorf("%+v", d)
	}
	if d := byName["stem.bias"]; !d.Comparable() || d.MaxAbs != 0 || d.Relative != 0 {
		t.Errorf("%+v", d)
	}
	if d := byName["stem.weight"]; d.Comparable() || d.DimsA[2] != 3 || d.DimsB[2] != 4 {
		t.Errorf("%+v", d)
	}
	if d := byName["block1.conv1.bias"]; d.Comparable() || d.DimsA != nil || d.DimsB == nil {
		t.Errorf("%+v", d)
	}
	if len(byName) != len(b.Tensors)+1 { // block0.pool.weight is the last block's: only a has it
		t.Errorf("%d tensors of %d and %d", len(byName), len(a.Tensors), len(b.Tensors))
	}
}

func TestInspect(t *testing.T) {
	n := mustNew(t, mustPreset(t, "1x8"), testShape(3, 4, 3, 2, 2), 1)
	dir := t.TempDir()
	checkpoint, state := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 2
	tr := mustTrainer(t, n, cfg)
	mustStep(t, tr, randomBatch(n.Shape, 2, 1))
	if err := errors.Join(n.Save(checkpoint), tr.SaveState(state)); err != nil {
		t.Fatal(err)
	}
	got, opt, err := Inspect(checkpoint)
	if err != nil || opt != nil || got.Hash() != n.Hash() {
		t.Errorf("checkpoint: %v, %v", opt, err)
	}
	got, opt, err = Inspect(state)
	if err != nil || opt == nil || got.Hash() != tr.Network().Hash() {
		t.Fatalf("state: %v, %v", opt, err)
	}
	first := Tensor{Data: slices.Concat(tr.solver.first...)}.Stats().Norm
	second := Tensor{Data: slices.Concat(tr.solver.second...)}.Stats().Norm
	if opt.Optimizer != cfg.Optimizer || opt.Iteration != 1 || first == 0 || opt.MomentNorms != [2]float64{first, second} {
		t.Errorf("%+v, want norms %v %v", opt, first, second)
	}
	// Damage anywhere is an error that says so.
	data, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 4, 20, len(data) / 2, len(data) - 1} {
		if err := os.WriteFile(state, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Inspect(state); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotCheckpoint) {
			t.Errorf("cut to %d bytes: %v", cut, err)
		}
	}
	if err := os.WriteFile(state, bytes.Repeat([]byte("x"), 100), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Inspect(state); !errors.Is(err, ErrNotCheckpoint) {
		t.Errorf("of something else: %v", err)
	}
	// A state with whole digest whose moments are not finite.
	head := stateHead{Network: n.head(), Optimizer: Adam, Iteration: 1}
	bad := make([]float32, n.Parameters())
	bad[3] = float32(math.Inf(1))
	if err := writeContainer(state, stateMagic, head, slices.Concat(n.data(), [][]float32{bad, bad})); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Inspect(state); !errors.Is(err, ErrDamaged) {
		t.Errorf("infinite moments: %v", err)
	}
	// And one whose header lies about its sizes.
	head.Network.Config.Channels = 9
	if err := writeContainer(state, stateMagic, head, n.data()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Inspect(state); !errors.Is(err, ErrDamaged) {
		t.Errorf("wrong sizes: %v", err)
	}
	if err := writeContainer(state, stateMagic, json.RawMessage(`[1]`), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Inspect(state); !errors.Is(err, ErrDamaged) {
		t.Errorf("a header of another kind: %v", err)
	}
}
