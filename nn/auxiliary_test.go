package nn

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// auxiliaryFixture is a network with auxiliary heads, and a configuration that
// uses them.
func auxiliaryFixture(t *testing.T, shape Shape, preset string, batch int) (*Network, TrainConfig) {
	t.Helper()
	arch := mustPreset(t, preset)
	arch.Auxiliary = true
	cfg := DefaultTrainConfig()
	cfg.BatchSize, cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss = batch, 0.5, 0.25, 0.15
	return mustNew(t, arch, shape, 1), cfg
}

// TestPlayingIsTheSameInPlay: outputs are the same bits with and without heads,
// compiled and as a graph.
func TestPlayingIsTheSameInPlay(t *testing.T) {
	shape := testShape(5, 4, 4, 2, 3)
	n, _ := auxiliaryFixture(t, shape, "2x16", 1)
	shake(n, 2)
	before := n.Hash()
	p := n.Playing()
	if p.Config.Auxiliary || !n.Config.Auxiliary || p.Validate() != nil || len(p.Tensors) != len(n.Tensors)-4 {
		t.Fatalf("%+v: %v", p.Config, p.Validate())
	}
	if again := p.Playing(); again.Hash() != p.Hash() {
		t.Error("dropping nothing changed the network")
	}
	b := randomBatch(shape, 3, 1)
	outputs := func(n *Network) *Outputs {
		inf, err := Compile(n)
		if err != nil {
			t.Fatal(err)
		}
		out := NewOutputs(shape, 3)
		if err := inf.NewInstance(3).Run(3, b.Obs, b.Globals, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, of := range map[string]func(n *Network) *Outputs{
		"compiled": outputs,
		"graph":    func(n *Network) *Outputs { return graphOutputs(t, n, b) },
	} {
		x, y := of(n), of(p)
		if !slices.Equal(x.Policy, y.Policy) || !slices.Equal(x.WDL, y.WDL) || !slices.Equal(x.Material, y.Material) {
			t.Errorf("%s: other outputs without the auxiliary heads", name)
		}
	}
	p.Tensors[0].Data[0]++
	if n.Hash() != before {
		t.Error("the copy shares memory")
	}
}

// TestAuxiliaryHeadsWithoutLossChangeNothing: heads whose losses have weight 0
// leave the rest of the network to the last bit as it would be without them.
func TestAuxiliaryHeadsWithoutLossChangeNothing(t *testing.T) {
	shape := testShape(5, 6, 6, 2, 4)
	n, _ := auxiliaryFixture(t, shape, "2x16", 8)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 8
	if a := mustNew(t, mustPreset(t, "2x16"), shape, 1); n.Playing().Hash() != a.Hash() {
		t.Fatal("the rest of the network begins otherwise")
	}
	with, without := mustTrainer(t, n, cfg), mustTrainer(t, n.Playing(), cfg)
	for i := range 3 {
		b := randomBatch(shape, 8, uint64(i))
		x, y := mustStep(t, with, b), mustStep(t, without, b)
		if x.Total != y.Total || x.GradNorm != y.GradNorm || !(x.Survival > 0 && x.Plies > 0 && x.Reply > 0) || y.Reply != 0 {
			t.Fatalf("step %d: %+v, without heads %+v", i, x, y)
		}
	}
	if with.Network().Playing().Hash() != without.Network().Hash() {
		t.Error("the rest of the network learnt otherwise")
	}
}

// TestAuxiliaryTrainingReproduces: whatever the number of threads, interrupted or
// not, the bits are the same.
func TestAuxiliaryTrainingReproduces(t *testing.T) {
	shape := testShape(5, 6, 6, 2, 4)
	n, cfg := auxiliaryFixture(t, shape, "2x32", 20)
	path := filepath.Join(t.TempDir(), "state")
	var want string
	for _, threads := range []int{1, 2, 3} {
		cfg.Threads = threads
		tr := mustTrainer(t, n, cfg)
		for i := range 4 {
			if i == 2 && threads == 3 {
				if err := tr.SaveState(path); err != nil {
					t.Fatal(err)
				}
				tr = mustTrainer(t, mustNew(t, n.Config, shape, 99), cfg)
				if err := tr.LoadState(path); err != nil {
					t.Fatal(err)
				}
			}
			mustStep(t, tr, randomBatch(shape, 20, uint64(i)))
		}
		got := tr.Network().Hash()
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d threads give another network", threads)
		}
	}
	if m, s, err := Inspect(path); err != nil || s == nil || !m.Config.Auxiliary {
		t.Errorf("state: %v, %v", s, err)
	}
	// States of networks with and without heads are no exchange for each other.
	plain := cfg
	plain.SurvivalLoss, plain.PliesLoss, plain.ReplyLoss = 0, 0, 0
	err := mustTrainer(t, n.Playing(), plain).LoadState(path)
	if !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "2x32 network with auxiliary heads, this is a 2x32 network") {
		t.Errorf("state with heads, network without: %v", err)
	}
}

func TestAuxiliaryHeadsLearn(t *testing.T) {
	shape := testShape(5, 5, 6, 2, 4)
	n, cfg := auxiliaryFixture(t, shape, "1x16", 8)
	cfg.SurvivalLoss, cfg.PliesLoss, cfg.ReplyLoss = 1, 1, 1
	cfg.WeightDecay = 0
	tr := mustTrainer(t, n, cfg)
	b := randomBatch(shape, 8, 2)
	for i := range 8 { // one certain reply, so that the loss can fall to 0
		row := b.Reply[i*shape.Actions():][:shape.Actions()]
		clear(row)
		row[(i*7)%len(row)] = 1
	}
	first := mustStep(t, tr, b)
	var last Losses
	for range 300 {
		last = mustStep(t, tr, b)
	}
	if !(last.Survival < 0.2*first.Survival) || !(last.Plies < 0.2*first.Plies) || !(last.Reply < 0.2*first.Reply) {
		t.Errorf("losses at first %+v, at last %+v", first, last)
	}
	if sum := last.Policy + cfg.ValueLoss*last.Value + cfg.MaterialLoss*last.Material + last.Survival + last.Plies + last.Reply; math.Abs(sum-last.Total) > 1e-9 {
		t.Errorf("the parts add up to %v, total %v", sum, last.Total)
	}
}

func TestAuxiliaryBatches(t *testing.T) {
	shape := testShape(4, 4, 3, 2, 2)
	n, cfg := auxiliaryFixture(t, shape, "1x16", 4)
	_, err := NewTrainer(n.Playing(), cfg)
	if err == nil || !strings.Contains(err.Error(), "survival_loss 0.5") || !strings.Contains(err.Error(), "Config.Auxiliary") {
		t.Errorf("losses without heads: %v", err)
	}
	tr := mustTrainer(t, n, cfg)
	before := tr.Network().Hash()
	for name, c := range map[string]struct {
		change func(b *Batch)
		says   string
	}{
		"short survival":    {func(b *Batch) { b.Survival = b.Survival[1:] }, "Survival has 63"},
		"mask forgotten":    {func(b *Batch) { b.SurvivalMask = nil }, "SurvivalMask has 0"},
		"mask alone":        {func(b *Batch) { b.Survival = nil }, "Survival has 0"},
		"short plies":       {func(b *Batch) { b.PliesLeft = b.PliesLeft[1:] }, "PliesLeft"},
		"short reply":       {func(b *Batch) { b.Reply = b.Reply[1:] }, "Reply"},
		"survival of 2":     {func(b *Batch) { b.Survival[17] = 2 }, "sample 1 has survival 2"},
		"survival of NaN":   {func(b *Batch) { b.Survival[17] = float32(math.NaN()) }, "sample 1 has survival NaN"},
		"negative mask":     {func(b *Batch) { b.SurvivalMask[17] = -1 }, "square 1"},
		"negative plies":    {func(b *Batch) { b.PliesLeft[2] = -1 }, "sample 2 has -1 plies"},
		"negative weight":   {func(b *Batch) { b.ReplyWeight[2] = -1 }, "sample 2"},
		"infinitely long":   {func(b *Batch) { b.PliesLeft[2] = float32(math.Inf(1)) }, "not finite"},
		"reply without end": {func(b *Batch) { b.Reply[2] = float32(math.NaN()) }, "not finite"},
	} {
		b := randomBatch(shape, 4, 1)
		c.change(b)
		if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if tr.Network().Hash() != before {
		t.Error("a refused batch changed the parameters")
	}
	// Parts without targets are left out, after a batch that had them; weights
	// of 1 need not be given.
	full := randomBatch(shape, 4, 1)
	mustStep(t, tr, full)
	l := mustStep(t, tr, &Batch{N: 4, Obs: full.Obs, Globals: full.Globals, Policy: full.Policy, WDL: full.WDL})
	if l.Survival != 0 || l.Plies != 0 || l.Reply != 0 {
		t.Errorf("without targets %+v", l)
	}
	l = mustStep(t, tr, &Batch{N: 4, Obs: full.Obs, Globals: full.Globals, Policy: full.Policy, WDL: full.WDL, PliesLeft: full.PliesLeft, Reply: full.Reply})
	if l.Survival != 0 || !(l.Plies > 0) || !(l.Reply > 0) {
		t.Errorf("without survival %+v", l)
	}
	// A network without heads takes the targets for what they are to it: nothing.
	plain := DefaultTrainConfig()
	plain.BatchSize = 4
	if l := mustStep(t, mustTrainer(t, n.Playing(), plain), full); l.Survival != 0 || l.Plies != 0 || l.Reply != 0 {
		t.Errorf("without heads %+v", l)
	}
}

// TestCarryAuxiliary: heads come and go with the configuration, and the lines say
// so.
func TestCarryAuxiliary(t *testing.T) {
	plain, names := carryFixture(t)
	arch := plain.Config
	arch.Auxiliary = true
	says := func(lines []TransferLine) map[string]string {
		m := map[string]string{}
		for _, l := range lines {
			m[l.Tensor] = l.Action + ": " + l.Detail
		}
		return m
	}
	with, lines, err := plain.Carry(arch, plain.Shape, names, names, 9)
	if err != nil || with.Validate() != nil || with.Playing().Hash() != plain.Hash() || len(lines) != len(with.Tensors) {
		t.Fatalf("heads added: %v, %v", err, lines)
	}
	if got := says(lines)["aux.board.weight"]; got != "initialised: the parent has no such tensor" {
		t.Error(got)
	}
	if fresh := mustNew(t, arch, plain.Shape, 9); !slices.Equal(with.Tensor("aux.squares.weight").Data, fresh.Tensor("aux.squares.weight").Data) {
		t.Error("the heads do not begin as New makes them")
	}

	// To a game with other action planes: the reply's go by name as the policy's do.
	shape := plain.Shape
	shape.ActionPlanes = []string{"n2", "fresh", "n0"}
	shake(with, 4)
	for _, carry := range []func() (*Network, []TransferLine, error){
		func() (*Network, []TransferLine, error) { return with.Carry(arch, shape, names, names, 9) },
		func() (*Network, []TransferLine, error) { return with.Transfer(shape, 9) },
	} {
		child, lines, err := carry()
		if err != nil {
			t.Fatal(err)
		}
		m := says(lines)
		for tensor, want := range map[string]string{
			"aux.squares.weight": "kept in part: planes kept [(survival) n2 n0], initialised [fresh]",
			"aux.squares.bias":   "kept in part: planes kept [(survival) n2 n0], initialised [fresh]",
			"aux.board.weight":   "kept: ",
			"policy.out.weight":  "kept in part: planes kept [n2 n0], initialised [fresh]",
		} {
			if m[tensor] != want {
				t.Errorf("%s: %s", tensor, m[tensor])
			}
		}
		if a, b := child.Tensor("aux.squares.bias").Data, with.Tensor("aux.squares.bias").Data; a[0] != b[0] || a[1] != b[3] || a[3] != b[1] {
			t.Error("columns are mixed up")
		}
	}

	back, lines, err := with.Carry(plain.Config, plain.Shape, names, names, 9)
	if err != nil || back.Config.Auxiliary || back.Hash() != with.Playing().Hash() {
		t.Fatalf("heads dropped: %v", err)
	}
	if got := says(lines)["aux.board.bias"]; got != "dropped: a 2x8 network has no place for it" {
		t.Error(got)
	}

	// CompareTensors lists the heads that only one of the two has.
	found := false
	for _, d := range CompareTensors(with, plain) {
		found = found || d.Name == "aux.squares.weight" && d.DimsA != nil && d.DimsB == nil
	}
	if !found {
		t.Error("the comparison does not list the auxiliary heads")
	}
}

func TestAuxiliaryFiles(t *testing.T) {
	shape := testShape(3, 3, 2, 0, 2)
	n, _ := auxiliaryFixture(t, shape, "1x4", 1)
	dir := t.TempDir()
	path := filepath.Join(dir, "net")
	if err := n.Save(path); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(path); err != nil || m.Hash() != n.Hash() || !m.Config.Auxiliary {
		t.Errorf("%v", err)
	}
	// Without heads nothing of them is in the file.
	if err := n.Playing().Save(path); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte("aux")) {
		t.Errorf("a network without heads mentions them (%v)", err)
	}
	// A header that claims heads must have them, and the other way round.
	for name, lie := range map[string]*Network{"claimed": n.Playing(), "hidden": n} {
		lie := lie.Clone()
		lie.Config.Auxiliary = !lie.Config.Auxiliary
		if err := lie.Save(path); err == nil {
			t.Errorf("%s heads were saved", name)
		}
		if err := writeContainer(path, checkpointMagic, lie.head(), lie.data()); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s heads: %v", name, err)
		}
	}
}
