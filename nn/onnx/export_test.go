package onnx

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env"
	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/seed"
	"latro/nn"
)

// game is a ruleset's encodings, and positions from its random games.
type game struct {
	name    string
	encoder *env.Encoder
	shape   nn.Shape
}

func openGame(t testing.TB, ref string, sets ...string) game {
	t.Helper()
	g := envtest.Game(t, ref, sets...)
	e := env.NewEncoder(g)
	return game{fmt.Sprintf("%dx%d", e.Rows(), e.Cols()), e, nn.Shape{
		Rows: e.Rows(), Cols: e.Cols(), Planes: len(e.Planes()), Globals: len(e.Globals()), ActionPlanes: e.ActionPlanes(),
	}}
}

// positions encodes n positions, each from a random game of its own.
func (g game) positions(n int) (obs, globals []float32) {
	obs, globals = make([]float32, n*g.shape.Obs()), make([]float32, n*g.shape.Globals)
	var v engine.View
	for i := range n {
		rng := seed.New(11, seed.Opening, uint64(i))
		s := g.encoder.Game().NewState()
		s.Playout(rng, rng.IntN(80))
		if s.Over() {
			s.Reset()
		}
		s.View(&v)
		g.encoder.Encode(&v, obs[i*g.shape.Obs():][:g.shape.Obs()], globals[i*g.shape.Globals:][:g.shape.Globals])
	}
	return obs, globals
}

// network is a network with biases, with scales that differ and with heads as
// loud as a trained network's: zero biases and equal scales could hide an error.
func network(t testing.TB, preset string, shape nn.Shape) *nn.Network {
	t.Helper()
	cfg, err := nn.ParsePreset(preset)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(cfg, shape, 5)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for _, p := range n.Tensors {
		loud := float32(1)
		if len(p.Dims) == 2 && (strings.HasPrefix(p.Name, "policy.") || strings.HasSuffix(p.Name, "pool.weight")) {
			loud = 5 // drawn ten times smaller than other layers
		}
		for i := range p.Data {
			if len(p.Dims) == 1 {
				p.Data[i] += float32(rng.NormFloat64() * 0.1)
			} else {
				p.Data[i] *= loud
			}
		}
	}
	n.RulesetID, n.RulesetHash, n.Step = "made-up", "0123", 9
	return n
}

func evaluate(t testing.TB, n *nn.Network, batch int, obs, globals []float32) *nn.Outputs {
	t.Helper()
	inf, err := nn.Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	out := nn.NewOutputs(n.Shape, batch)
	if err := inf.NewInstance(batch).Run(batch, obs, globals, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func write(t testing.TB, n *nn.Network, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestModelByDefinition runs exported models with an interpreter that knows only
// ONNX's definitions of the operators, in float64, and compares with nn.
func TestModelByDefinition(t *testing.T) {
	plain := openGame(t, "bell-8x7", "board.rows=5", "board.cols=4", "pieces.men=4")
	without := plain.shape
	without.Globals = 0
	for _, c := range []struct {
		name   string
		preset string
		shape  nn.Shape
		o      Options
		rows   int
		cols   int
	}{
		{"own board", "2x8", plain.shape, Options{}, 5, 4},
		{"odd widths", "3x5", plain.shape, Options{}, 5, 4},
		{"no globals", "1x4", without, Options{}, 5, 4},
		{"another board", "2x8", plain.shape, Options{Rows: 3, Cols: 6}, 3, 6},
		{"any board", "2x8", plain.shape, Options{AnyBoard: true}, 4, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := network(t, c.preset, c.shape)
			m := parseModel(t, write(t, n, c.o))
			n, err := n.WithBoard(c.rows, c.cols)
			if err != nil {
				t.Fatal(err)
			}
			const batch = 3
			rng := rand.New(rand.NewPCG(1, 2))
			obs, globals := make([]float32, batch*n.Shape.Obs()), make([]float32, batch*n.Shape.Globals)
			for i := range obs {
				obs[i] = float32(rng.IntN(2))
			}
			for i := range globals {
				globals[i] = 2*rng.Float32() - 1
			}
			in := map[string]array{Observation: newArray(obs, batch, n.Shape.Planes, c.rows, c.cols)}
			if n.Shape.Globals > 0 {
				in[Globals] = newArray(globals, batch, n.Shape.Globals)
			}
			got := m.run(t, in)
			want := evaluate(t, n, batch, obs, globals)
			for name, w := range map[string][]float32{Policy: want.Policy, WDL: want.WDL, Material: want.Material} {
				g := got[name].data
				if len(g) != len(w) {
					t.Fatalf("%s has %d values, want %d", name, len(g), len(w))
				}
				for i := range w {
					if d := math.Abs(g[i] - float64(w[i])); !(d < 1e-4) {
						t.Fatalf("%s[%d] is %v, want %v", name, i, g[i], w[i])
					}
				}
			}
			if len(got[Material].dims) != 1 || len(got[WDL].dims) != 2 {
				t.Errorf("material %v, wdl %v", got[Material].dims, got[WDL].dims)
			}
		})
	}
}

func TestModelDescribesItself(t *testing.T) {
	g := openGame(t, "luductus")
	n := network(t, "1x8", g.shape)
	data := write(t, n, Options{ProducerVersion: "1.2", Metadata: map[string]string{"latro.planes": "a b"}})
	if !bytes.Equal(data, write(t, n, Options{ProducerVersion: "1.2", Metadata: map[string]string{"latro.planes": "a b"}})) {
		t.Error("two exports of one network differ")
	}
	m := parseModel(t, data)
	if m.irVersion != IRVersion || m.opset != Opset || m.producer != "latro 1.2" {
		t.Errorf("IR %d, opset %d, producer %q", m.irVersion, m.opset, m.producer)
	}
	for k, want := range map[string]string{
		"latro.network": "1x8", "latro.hash": n.Hash(), "latro.board": "7x13", "latro.step": "9",
		"latro.ruleset": "made-up", "latro.ruleset_hash": "0123", "latro.planes": "a b",
	} {
		if m.metadata[k] != want {
			t.Errorf("metadata %s is %q, want %q", k, m.metadata[k], want)
		}
	}
	for name, want := range map[string]string{
		Observation: "[batch 8 7 13]", Globals: fmt.Sprintf("[batch %d]", n.Shape.Globals),
		Policy: fmt.Sprintf("[batch %d]", n.Shape.Actions()), WDL: "[batch 3]", Material: "[batch]",
	} {
		if got := fmt.Sprint(m.values[name]); got != want {
			t.Errorf("%s has shape %s, want %s", name, got, want)
		}
	}
	any := parseModel(t, write(t, n, Options{AnyBoard: true}))
	if got := fmt.Sprint(any.values[Observation], any.values[Policy]); got != "[batch 8 rows cols] [batch actions]" {
		t.Errorf("open board: %s", got)
	}
	if any.metadata["latro.board"] != "any" {
		t.Errorf("open board: metadata %q", any.metadata["latro.board"])
	}
}

// TestAuxiliaryHeadsAreLeftOut: the model is that of the network without them.
func TestAuxiliaryHeadsAreLeftOut(t *testing.T) {
	plain := network(t, "1x8", openGame(t, "bell-8x7").shape)
	cfg := plain.Config
	cfg.Auxiliary = true
	n, err := nn.New(cfg, plain.Shape, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Metadata: map[string]string{"latro.hash": "either"}}
	if !bytes.Equal(write(t, n, o), write(t, n.Playing(), o)) {
		t.Error("the models differ")
	}
}

func TestExportRefuses(t *testing.T) {
	n := network(t, "1x8", openGame(t, "bell-8x7").shape)
	if err := Write(io.Discard, n, Options{Rows: 8}); !errors.Is(err, nn.ErrShape) {
		t.Errorf("a board without columns: %v", err)
	}
	if err := Write(io.Discard, n, Options{Rows: 500, Cols: 500}); !errors.Is(err, nn.ErrShape) {
		t.Errorf("a board of 500×500: %v", err)
	}
	dir := t.TempDir()
	n.Tensors[0].Data[0] = float32(math.NaN())
	path := filepath.Join(dir, "x.onnx")
	if err := WriteFile(path, n, Options{}); err == nil {
		t.Error("a network with NaN was exported")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("a failed export left %v", left)
	}
	n.Tensors = n.Tensors[1:]
	if err := Write(io.Discard, n, Options{}); err == nil {
		t.Error("a network without its stem was exported")
	}
}

// tensorFile is an array on disk, as check_onnxruntime.py reads it.
type tensorFile struct {
	File  string `json:"file"`
	Shape []int  `json:"shape"`
}

// TestOnnxruntime compares onnxruntime with nn on the same positions, for
// several boards, presets and batch sizes. LATRO_PYTHON names an interpreter that
// has onnxruntime, onnx and numpy.
func TestOnnxruntime(t *testing.T) {
	python := os.Getenv("LATRO_PYTHON")
	if python == "" || exec.Command(python, "-c", "import numpy, onnx, onnxruntime").Run() != nil {
		t.Skip("set LATRO_PYTHON to a Python interpreter with onnxruntime, onnx and numpy")
	}
	dir := t.TempDir()
	type oneCase struct {
		Model    string                `json:"model"`
		Batch    int                   `json:"batch"`
		Inputs   map[string]tensorFile `json:"inputs"`
		Outputs  map[string]tensorFile `json:"outputs"`
		Metadata map[string]string     `json:"metadata"`
	}
	file := func(name string, data []float32, shape ...int) tensorFile {
		raw := make([]byte, 0, 4*len(data))
		for _, v := range data {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, raw, 0o644); err != nil {
			t.Fatal(err)
		}
		return tensorFile{path, shape}
	}
	var cases []oneCase
	loudest := float32(0) // the greatest logit: differences mean little where all outputs are near 0
	add := func(name, model string, n *nn.Network, g game, batches ...int) {
		for _, batch := range batches {
			obs, globals := g.positions(batch)
			out := evaluate(t, n, batch, obs, globals)
			loudest = max(loudest, slices.Max(out.Policy), slices.Max(out.WDL))
			s := n.Shape
			p := fmt.Sprintf("%s.%s.%d.", name, g.name, batch)
			cases = append(cases, oneCase{
				Model: model, Batch: batch, Metadata: map[string]string{"latro.hash": n.Hash()},
				Inputs: map[string]tensorFile{
					Observation: file(p+"obs", obs, batch, s.Planes, s.Rows, s.Cols),
					Globals:     file(p+"globals", globals, batch, s.Globals),
				},
				Outputs: map[string]tensorFile{
					Policy:   file(p+"policy", out.Policy, batch, s.Actions()),
					WDL:      file(p+"wdl", out.WDL, batch, 3),
					Material: file(p+"material", out.Material, batch),
				},
			})
		}
	}
	model := func(name string, n *nn.Network, o Options) string {
		path := filepath.Join(dir, name+".onnx")
		if err := WriteFile(path, n, o); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small := []string{"board.rows=6", "board.cols=6", "pieces.men=8"}
	boards := []game{
		openGame(t, "bell-8x8"), openGame(t, "luductus"), openGame(t, "bell-8x7", small...),
		openGame(t, "bell-8x7", "board.rows=11", "board.cols=16"),
	}
	for i, g := range boards {
		for j, preset := range []string{"4x32", "6x64", "10x128", "3x20"} {
			// The largest preset on one board: it says nothing of boards, and costs most.
			if preset == "10x128" && i != 0 {
				continue
			}
			n := network(t, preset, g.shape)
			name := fmt.Sprintf("%d.%d", i, j)
			batches := []int{1, 3, 32}
			if preset == "10x128" {
				batches = []int{1, 9}
			}
			add(name, model(name, n, Options{}), n, g, batches...)
		}
	}
	// One model for several boards: the planes of the two games are the same.
	square := boards[2]
	n := network(t, "4x32", square.shape)
	any := model("any", n, Options{AnyBoard: true})
	for _, g := range []game{square, openGame(t, "bell-8x7"), openGame(t, "bell-8x7", "board.rows=7", "board.cols=5", "pieces.men=8")} {
		w, err := n.WithBoard(g.shape.Rows, g.shape.Cols)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.CheckShape(g.shape); err != nil {
			t.Fatal(err)
		}
		add("any", any, w, g, 2)
		// The model's hash is that of the board it was trained on.
		cases[len(cases)-1].Metadata["latro.hash"] = n.Hash()
	}
	list, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	listPath := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(listPath, list, 0o644); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, filepath.Join("testdata", "check_onnxruntime.py"), listPath)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var result struct {
		Onnxruntime string
		Onnx        string
		Cases       []struct {
			Model  string
			Batch  int
			MaxAbs map[string]float64 `json:"max_abs"`
		}
	}
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if len(result.Cases) != len(cases) {
		t.Fatalf("%d of %d cases came back", len(result.Cases), len(cases))
	}
	worst := map[string]float64{}
	for i, c := range result.Cases {
		for _, name := range []string{Policy, WDL, Material} {
			d, ok := c.MaxAbs[name]
			if !ok || !(d <= 1e-4) {
				t.Errorf("case %d, batch %d: %s differs by %v", i, c.Batch, name, d)
			}
			worst[name] = max(worst[name], d)
		}
	}
	t.Logf("onnxruntime %s, onnx %s, %d cases: greatest differences %v, greatest logit %.1f (kernels %s)", result.Onnxruntime, result.Onnx, len(cases), worst, loudest, nn.KernelID())
}
