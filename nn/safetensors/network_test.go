package safetensors

import (
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"latro/nn"
)

func newNetwork(t *testing.T, preset string) *nn.Network {
	t.Helper()
	cfg, err := nn.ParsePreset(preset)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(cfg, nn.Shape{Rows: 4, Cols: 5, Planes: 3, Globals: 2, ActionPlanes: []string{"n1", "place-man"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNetworkRoundTrip(t *testing.T) {
	n := newNetwork(t, "2x8")
	n.RulesetID, n.RulesetHash, n.Step = "bell-8x7", "abc", 12
	n.Meta["run"] = "a\nb"
	path := filepath.Join(t.TempDir(), "n.safetensors")
	if err := SaveNetwork(path, n); err != nil {
		t.Fatal(err)
	}
	got, err := LoadNetwork(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, n) {
		t.Errorf("%+v, want %+v", got, n)
	}
}

// TestAuxiliaryHeads: they are tensors like the others, and a file without them is
// no network that has them.
func TestAuxiliaryHeads(t *testing.T) {
	plain := newNetwork(t, "2x8")
	cfg := plain.Config
	cfg.Auxiliary = true
	n, err := nn.New(cfg, plain.Shape, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "n.safetensors")
	if err := SaveNetwork(path, n); err != nil {
		t.Fatal(err)
	}
	if got, err := LoadNetwork(path, nil); err != nil || !reflect.DeepEqual(got, n) {
		t.Errorf("%+v, %v, want %+v", got, err, n)
	}
	if _, err := LoadNetwork(path, plain); !errors.Is(err, nn.ErrShape) || !strings.Contains(err.Error(), "aux.board.bias") {
		t.Errorf("as a network without: %v", err)
	}
	if err := SaveNetwork(path, n.Playing()); err != nil {
		t.Fatal(err)
	}
	if got, err := LoadNetwork(path, nil); err != nil || got.Hash() != plain.Hash() {
		t.Errorf("without: %v", err)
	}
}

func TestNetworkOfOtherPrograms(t *testing.T) {
	n := newNetwork(t, "2x8")
	n.RulesetID, n.RulesetHash = "bell-8x7", "abc"
	// Another program writes the tensors in its own order and no metadata.
	var tensors []Tensor
	for i := range n.Tensors {
		tensors = append(tensors, Tensor(n.Tensors[len(n.Tensors)-1-i]))
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "n.safetensors")
	if err := WriteFile(path, tensors, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadNetwork(path, nil); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), path) {
		t.Errorf("without metadata and model: %v", err)
	}
	model := newNetwork(t, "2x8")
	model.RulesetID, model.RulesetHash, model.Step = "bell-8x7", "abc", 4
	model.Meta["planes"] = "a b c"
	got, err := LoadNetwork(path, model)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != n.Hash() || got.RulesetHash != "abc" || got.Step != 4 || got.Meta["planes"] != "a b c" {
		t.Errorf("%+v", got)
	}
	if _, err := LoadNetwork(path, newNetwork(t, "3x8")); !errors.Is(err, nn.ErrShape) || !strings.Contains(err.Error(), `"block2.conv1.weight" [3 3 8 8] is missing`) {
		t.Errorf("of another architecture: %v", err)
	}
}

func TestHostileMetadata(t *testing.T) {
	n := newNetwork(t, "1x4")
	path := filepath.Join(t.TempDir(), "n.safetensors")
	if err := SaveNetwork(path, n); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tensors []Tensor
	for _, t := range n.Tensors {
		tensors = append(tensors, Tensor(t))
	}
	for _, c := range [][2]string{
		{"latro.config", `{"blocks":256,"channels":1024,"pool_every":2,"value_hidden":4096}`}, // 18 GB
		{"latro.config", `{"blocks":100000000,"channels":4,"pool_every":2,"value_hidden":32}`},
		{"latro.config", `{"blocks":1`},
		{"latro.config", ``},
		{"latro.shape", strings.Replace(f.Metadata["latro.shape"], `"planes":3`, `"planes":1024`, 1)},
		{"latro.shape", strings.Replace(f.Metadata["latro.shape"], `"rows":4`, `"rows":-4`, 1)},
		{"latro.step", "x"},
		{"latro.step", "-1"},
	} {
		m := maps.Clone(f.Metadata)
		m[c[0]] = c[1]
		if err := WriteFile(path, tensors, m); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadNetwork(path, nil); !errors.Is(err, ErrInvalid) && !errors.Is(err, nn.ErrShape) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
