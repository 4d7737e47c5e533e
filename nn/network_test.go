package nn

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestPresets(t *testing.T) {
	for name, want := range map[string][2]int{"4x32": {4, 32}, "6x64": {6, 64}, "10x128": {10, 128}, "1x1": {1, 1}, "256x256": {256, 256}, "16x1024": {16, 1024}} {
		c, err := ParsePreset(name)
		if err != nil || c.Blocks != want[0] || c.Channels != want[1] || c.Name() != name {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for _, name := range []string{"", "4", "x", "4x", "4x32x1", "0x32", "4x-1", "4x1000000", "fourx32", "256x1024", "17x1024", "256x257"} {
		if c, err := ParsePreset(name); err == nil {
			t.Errorf("%q gave %+v", name, c)
		}
	}
}

func TestShapeValidation(t *testing.T) {
	good := testShape(5, 7, 3, 0, 4)
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	if good.Actions() != 4*35+1 {
		t.Fatalf("%d actions", good.Actions())
	}
	bad := Shape{Rows: 0, Cols: 1000, Planes: -1, Globals: -1, ActionPlanes: []string{"a", "a", ""}}
	err := bad.Validate()
	for _, want := range []string{"board", "planes", "globals", "repeats", "no name"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported in %v", want, err)
		}
	}
	if _, err := New(mustPreset(t, "1x16"), bad, 1); err == nil {
		t.Error("New accepted it")
	}
}

func TestNewDependsOnSeedOnly(t *testing.T) {
	shape := testShape(5, 5, 4, 2, 4)
	cfg := mustPreset(t, "2x16")
	a, b, c := mustNew(t, cfg, shape, 7), mustNew(t, cfg, shape, 7), mustNew(t, cfg, shape, 8)
	if a.Hash() != b.Hash() || a.Hash() == c.Hash() {
		t.Error("hashes do not follow the seed")
	}
	// A deeper network has the same stem.
	deep := mustNew(t, mustPreset(t, "5x16"), shape, 7)
	if maxDiff(deep.Tensor("stem.weight").Data, a.Tensor("stem.weight").Data) != 0 {
		t.Error("a tensor depends on the rest of the network")
	}
	b.Tensors[0].Data[0]++
	if a.Hash() == b.Hash() {
		t.Error("the hash ignores parameters")
	}
}

// TestInitialActivationsKeepTheirScale guards the reason why there is no batch
// normalisation: logits of a fresh network are of order 1 at any depth.
func TestInitialActivationsKeepTheirScale(t *testing.T) {
	shape := testShape(8, 8, 16, 8, 4)
	for _, preset := range []string{"1x32", "10x32", "40x32"} {
		n := mustNew(t, mustPreset(t, preset), shape, 1)
		inf, err := Compile(n)
		if err != nil {
			t.Fatal(err)
		}
		b := randomBatch(shape, 2, 1)
		x := inf.NewInstance(2)
		if err := x.Run(2, b.Obs, b.Globals, NewOutputs(shape, 2)); err != nil {
			t.Fatal(err)
		}
		sum, count := 0.0, 0
		for i := range 2 {
			for _, q := range x.boards.Squares(i) {
				for _, v := range x.x[int(q)*inf.channels:][:32] {
					sum += float64(v) * float64(v)
					count++
				}
			}
		}
		if rms := math.Sqrt(sum / float64(count)); rms < 0.2 || rms > 5 {
			t.Errorf("%s: the trunk's root mean square is %v", preset, rms)
		}
	}
}

func testNetwork(t testing.TB) *Network {
	n := mustNew(t, mustPreset(t, "1x16"), testShape(4, 5, 3, 2, 2), 1)
	n.RulesetID, n.RulesetHash, n.Step = "bell-8x7", strings.Repeat("ab", 32), 12345
	n.Meta["note"] = "ä\n\"quoted\""
	return n
}

func TestSaveLoadRoundTrip(t *testing.T) {
	dir := t.TempDir()
	n := testNetwork(t)
	path := filepath.Join(dir, "net")
	if err := n.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(n, m) {
		t.Error("the network changed on the way")
	}
	if err := m.Save(path + "2"); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(path)
	b, _ := os.ReadFile(path + "2")
	if !bytes.Equal(a, b) {
		t.Error("saving what was loaded gives other bytes")
	}
	n.Tensors[3].Data[0] = float32(math.Inf(1))
	if err := n.Save(path); err == nil {
		t.Error("an infinite parameter was saved")
	}
	if c, _ := os.ReadFile(path); !bytes.Equal(a, c) {
		t.Error("a refused save changed the file")
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "net")
	if err := testNetwork(t).Save(path); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	load := func(content []byte) error {
		t.Helper()
		p := filepath.Join(dir, "bad")
		if err := os.WriteFile(p, content, 0o644); err != nil {
			t.Fatal(err)
		}
		n, err := Load(p)
		if err == nil || n != nil {
			t.Fatalf("a damaged file of %d bytes was loaded", len(content))
		}
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error does not name the file: %v", err)
		}
		return err
	}
	// Every length near the ends, some between.
	for n := 0; n < len(whole); n += 1 + n/7 {
		want := ErrDamaged
		if n == 0 {
			want = ErrNotCheckpoint
		}
		if err := load(whole[:n]); !errors.Is(err, want) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if err := load(append(bytes.Clone(whole), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("one byte more: %v", err)
	}
	for at := 0; at < len(whole); at += 1 + at/9 {
		bad := bytes.Clone(whole)
		bad[at] ^= 1 << (at % 8)
		want := ErrDamaged
		if at < 8 {
			want = ErrNotCheckpoint
		} else if at < 12 {
			want = ErrVersion
		}
		if err := load(bad); !errors.Is(err, want) {
			t.Errorf("bit flipped at %d: %v", at, err)
		}
	}
	if err := load([]byte("PK\x03\x04 some other file, longer than the fixed head")); !errors.Is(err, ErrNotCheckpoint) {
		t.Errorf("foreign file: %v", err)
	}
	if _, err := Load(dir); !errors.Is(err, ErrNotCheckpoint) {
		t.Errorf("directory: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

// forge builds a file with a valid digest around any header and body.
func forge(head, body []byte) []byte {
	f := []byte(checkpointMagic)
	f = binary.LittleEndian.AppendUint32(f, formatVersion)
	f = binary.LittleEndian.AppendUint32(f, uint32(len(head)))
	f = append(append(f, head...), body...)
	sum := sha256.Sum256(f)
	return append(f, sum[:]...)
}

func TestLoadRefusesHostileHeaders(t *testing.T) {
	good := testNetwork(t).head()
	body := make([]byte, 4*testNetwork(t).Parameters())
	nan := bytes.Clone(body)
	binary.LittleEndian.PutUint32(nan, math.Float32bits(float32(math.NaN())))
	change := func(f func(h *checkpointHead)) []byte {
		h := good
		h.Tensors = append([]tensorHead(nil), good.Tensors...)
		f(&h)
		b, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	same := change(func(*checkpointHead) {})
	huge := change(func(h *checkpointHead) {
		// Consistent with itself, 300 GB of parameters, a body of nothing.
		h.Config = Config{Blocks: maxBlocks, Channels: maxChannels, PoolEvery: 1, ValueHidden: 4 * maxChannels}
		h.Shape.Planes = maxPlanes
		h.Tensors = nil
		for _, s := range specs(h.Config, h.Shape) {
			h.Tensors = append(h.Tensors, tensorHead{s.name, s.dims})
		}
	})
	cases := map[string][]byte{
		"not JSON":       forge([]byte("{"), body),
		"empty header":   forge(nil, body),
		"null":           forge([]byte("null"), body),
		"huge blocks":    forge(change(func(h *checkpointHead) { h.Config.Blocks = 1 << 40 }), body),
		"huge channels":  forge(change(func(h *checkpointHead) { h.Config.Channels = math.MaxInt }), body),
		"negative":       forge(change(func(h *checkpointHead) { h.Shape.Rows = -3 }), body),
		"huge, coherent": forge(huge, nil),
		"fewer tensors":  forge(change(func(h *checkpointHead) { h.Tensors = h.Tensors[1:] }), body),
		"renamed tensor": forge(change(func(h *checkpointHead) { h.Tensors[2].Name = "x" }), body),
		"other dims":     forge(change(func(h *checkpointHead) { h.Tensors[0].Dims = []int{9, 3, 16} }), body),
		"short body":     forge(same, body[4:]),
		"long body":      forge(same, append(body, 0, 0, 0, 0)),
		"NaN":            forge(same, nan),
	}
	dir := t.TempDir()
	for name, content := range cases {
		p := filepath.Join(dir, "bad")
		if err := os.WriteFile(p, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(p); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The forger itself is sound: an honest file loads.
	p := filepath.Join(dir, "good")
	if err := os.WriteFile(p, forge(same, body), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(p); err != nil {
		t.Errorf("honest file: %v", err)
	}
}

// FuzzLoad feeds headers and bodies under a valid digest: whatever they say,
// Load returns a network that saves and compiles, or one of its errors.
func FuzzLoad(f *testing.F) {
	n := mustNew(f, Config{Blocks: 1, Channels: 1, PoolEvery: 1, ValueHidden: 1}, testShape(1, 1, 1, 0, 1), 1)
	head, err := json.Marshal(n.head())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(head, make([]byte, 4*n.Parameters()), false)
	f.Add(bytes.Replace(head, []byte(`"value_hidden"`), []byte(`"auxiliary":true,"value_hidden"`), 1), make([]byte, 4*n.Parameters()), false)
	f.Add([]byte("{}"), []byte{}, false)
	f.Add([]byte("LATRONET"), []byte{1, 0, 0, 0, 255, 255, 255, 255}, true)
	f.Fuzz(func(t *testing.T, head, body []byte, raw bool) {
		content := forge(head, body)
		if raw {
			content = append(head, body...)
		}
		p := filepath.Join(t.TempDir(), "net")
		if err := os.WriteFile(p, content, 0o644); err != nil {
			t.Fatal(err)
		}
		n, err := Load(p)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotCheckpoint) && !errors.Is(err, ErrVersion) {
				t.Fatalf("undocumented error %v", err)
			}
			return
		}
		if err := n.Save(p); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(n); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCheckShape(t *testing.T) {
	n := testNetwork(t)
	if err := n.CheckShape(n.Shape); err != nil {
		t.Fatal(err)
	}
	other := testShape(8, 7, 4, 3, 3)
	err := n.CheckShape(other)
	if !errors.Is(err, ErrShape) {
		t.Fatal(err)
	}
	for _, want := range []string{"4×5, not 8×7", "3 input planes, not 4", "2 global inputs, not 3", "[n0 n1], not [n0 n1 n2]", "bell-8x7"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if err := n.CheckRuleset("bell-8x7", n.RulesetHash); err != nil {
		t.Error(err)
	}
	if err := n.CheckRuleset("webdux", "cd"); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "webdux") {
		t.Error(err)
	}
}

func TestTransfer(t *testing.T) {
	from := testNetwork(t)
	shake(from, 3)
	shape := testShape(8, 7, 3, 4, 1)
	shape.ActionPlanes = []string{"hop", "n1", "n0"}
	to, lines, err := from.Transfer(shape, 5)
	if err != nil {
		t.Fatal(err)
	}
	actions := map[string]string{}
	for _, l := range lines {
		actions[l.Tensor] = l.Action
	}
	if len(lines) != len(to.Tensors) {
		t.Errorf("%d lines for %d tensors", len(lines), len(to.Tensors))
	}
	for name, want := range map[string]string{
		"stem.weight": "kept", "stem.globals.weight": "initialised", "block0.conv1.weight": "kept",
		"policy.out.weight": "kept in part", "policy.out.bias": "kept in part", "value.out.bias": "kept",
	} {
		if actions[name] != want {
			t.Errorf("%s: %q, want %q", name, actions[name], want)
		}
	}
	// Planes moved by name: n1 was column 1 of 2 and is column 1 of 3, n0 was
	// column 0 and is column 2; hop is as New made it.
	was, is, fresh := from.Tensor("policy.out.weight"), to.Tensor("policy.out.weight"), mustNew(t, from.Config, shape, 5).Tensor("policy.out.weight")
	for r := range from.Config.Channels {
		if is.Data[3*r+1] != was.Data[2*r+1] || is.Data[3*r+2] != was.Data[2*r] || is.Data[3*r] != fresh.Data[3*r] {
			t.Fatalf("row %d: %v from %v", r, is.Data[3*r:3*r+3], was.Data[2*r:2*r+2])
		}
	}
	if to.Step != 0 || to.RulesetHash != "" || to.Meta["parent"] != from.Hash() || to.Meta["parent_ruleset"] != "bell-8x7" {
		t.Errorf("step %d, ruleset %q, meta %v", to.Step, to.RulesetHash, to.Meta)
	}
	if _, err := Compile(to); err != nil {
		t.Error(err)
	}
	// To a game without globals and with the same planes: everything else kept.
	shape = testShape(16, 16, 3, 0, 2)
	_, lines, err = from.Transfer(shape, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		want := "kept"
		if l.Tensor == "stem.globals.weight" {
			want = "dropped"
		}
		if l.Action != want {
			t.Errorf("%v, want %s", l, want)
		}
	}
}

func TestStateRefusals(t *testing.T) {
	dir := t.TempDir()
	shape := testShape(4, 4, 3, 0, 2)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 2
	tr := mustTrainer(t, mustNew(t, mustPreset(t, "1x16"), shape, 1), cfg)
	path := filepath.Join(dir, "state")
	if err := tr.SaveState(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrNotCheckpoint) {
		t.Errorf("a state as a network: %v", err)
	}
	other := mustTrainer(t, mustNew(t, mustPreset(t, "2x16"), shape, 1), cfg)
	if err := other.LoadState(path); !errors.Is(err, ErrShape) {
		t.Errorf("another architecture: %v", err)
	}
	other = mustTrainer(t, mustNew(t, mustPreset(t, "1x16"), testShape(5, 4, 3, 0, 2), 1), cfg)
	if err := other.LoadState(path); !errors.Is(err, ErrShape) {
		t.Errorf("another board: %v", err)
	}
	sgd := cfg
	sgd.Optimizer = SGD
	if err := mustTrainer(t, tr.Network(), sgd).LoadState(path); err == nil {
		t.Error("another optimizer's moments were taken")
	}
	content, _ := os.ReadFile(path)
	content[len(content)/2] ^= 4
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	before := tr.Network().Hash()
	if err := tr.LoadState(path); !errors.Is(err, ErrDamaged) || tr.Network().Hash() != before {
		t.Errorf("a damaged state: %v", err)
	}
}

func TestDecodeIsLoad(t *testing.T) {
	n := mustNew(t, mustPreset(t, "1x4"), testShape(3, 3, 2, 0, 2), 1)
	path := filepath.Join(t.TempDir(), "n.latro")
	if err := n.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode("embedded", data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != n.Hash() {
		t.Error("another network came out")
	}
	if _, err := Decode("embedded", data[:len(data)-1]); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "embedded") {
		t.Errorf("a file that was cut off: %v", err)
	}
}
