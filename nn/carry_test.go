package nn

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// carryFixture is a parent and the names of its inputs.
func carryFixture(t *testing.T) (*Network, InputNames) {
	t.Helper()
	n := mustNew(t, mustPreset(t, "2x8"), testShape(4, 5, 3, 2, 3), 1)
	shake(n, 3)
	n.RulesetID = "parent-rules"
	return n, InputNames{Planes: []string{"on-board", "own", "enemy"}, Globals: []string{"g", "h"}}
}

func evaluateOne(t *testing.T, n *Network, obs, globals []float32) *Outputs {
	t.Helper()
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	out := NewOutputs(n.Shape, 1)
	if err := inf.NewInstance(1).Run(1, obs, globals, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCarryPlaysAsTheParent: with inputs in another order, new ones among them,
// action planes in another order and two more blocks, the new network says what
// its parent says, whatever the new inputs show.
func TestCarryPlaysAsTheParent(t *testing.T) {
	// Three blocks, the last pooled only because it is the last.
	parent := mustNew(t, mustPreset(t, "3x8"), testShape(4, 5, 3, 2, 3), 1)
	shake(parent, 3)
	parent.RulesetID = "parent-rules"
	_, from := carryFixture(t)
	to := InputNames{Planes: []string{"enemy", "new", "on-board", "own"}, Globals: []string{"h", "i", "g"}}
	shape := testShape(4, 5, 4, 3, 0)
	shape.ActionPlanes = []string{"n2", "fresh", "n0", "n1"}
	child, lines, err := parent.Carry(mustPreset(t, "5x8"), shape, from, to, 9)
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(shape, 1, 5)
	area := shape.Area()
	var obs []float32
	for _, name := range from.Planes {
		k := slices.Index(to.Planes, name)
		obs = append(obs, b.Obs[k*area:][:area]...)
	}
	globals := []float32{b.Globals[2], b.Globals[0]}
	want := evaluateOne(t, parent, obs, globals)
	got := evaluateOne(t, child, b.Obs, b.Globals)
	if d := maxDiff(got.WDL, want.WDL) + maxDiff(got.Material, want.Material); d > 1e-5 {
		t.Errorf("values differ by %v", d)
	}
	for k, name := range parent.Shape.ActionPlanes {
		j := slices.Index(shape.ActionPlanes, name)
		if d := maxDiff(got.Policy[j*area:][:area], want.Policy[k*area:][:area]); d > 1e-5 {
			t.Errorf("plane %s differs by %v", name, d)
		}
	}
	if maxDiff(got.Policy[4*area:], want.Policy[3*area:]) > 1e-5 {
		t.Error("the logit of pass differs")
	}
	if child.Step != 0 || child.RulesetID != "" || child.Meta["parent"] != parent.Hash() || child.Meta["parent_ruleset"] != "parent-rules" {
		t.Errorf("%+v", child.Meta)
	}
	if len(lines) != len(child.Tensors) {
		t.Errorf("%d lines for %d tensors", len(lines), len(child.Tensors))
	}
	text := ""
	for _, l := range lines {
		text += l.String() + "\n"
	}
	for _, want := range []string{
		"stem.weight: kept in part: inputs kept [enemy on-board own], new, weight 0 [new]\n",
		"stem.globals.weight: kept in part: inputs kept [h g], new, weight 0 [i]\n",
		"block0.conv1.weight: kept\n",
		"block2.conv1.weight: initialised: the parent has no such tensor\n",
		"block3.conv2.scale: initialised: the parent has no such tensor; 0, so that the network begins as the parent\n",
		"block4.pool.weight: kept: the parent's block2.pool.weight\n",
		"policy.out.weight: kept in part: planes kept [n2 n0 n1], initialised [fresh]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	// And it learns: the gradient reaches what began at 0.
	cfg := DefaultTrainConfig()
	cfg.BatchSize, cfg.Threads = 1, 1
	tr := mustTrainer(t, child, cfg)
	mustStep(t, tr, b)
	mustStep(t, tr, b)
	for _, name := range []string{"block2.conv2.scale", "block3.pool.weight", "stem.weight"} {
		if slices.Equal(tr.Network().Tensor(name).Data, child.Tensor(name).Data) {
			t.Errorf("%s does not learn", name)
		}
	}
}

// TestCarryToItself keeps every bit.
func TestCarryToItself(t *testing.T) {
	parent, names := carryFixture(t)
	child, lines, err := parent.Carry(parent.Config, parent.Shape, names, names, 9)
	if err != nil {
		t.Fatal(err)
	}
	if child.Hash() != parent.Hash() {
		t.Error("another network came out")
	}
	for _, l := range lines {
		if l.Action != "kept" || l.Detail != "" {
			t.Error(l)
		}
	}
}

func TestCarryToLess(t *testing.T) {
	parent, from := carryFixture(t)
	shape := testShape(6, 3, 1, 0, 2)
	child, lines, err := parent.Carry(mustPreset(t, "1x8"), shape, from, InputNames{Planes: []string{"other"}}, 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Validate(); err != nil {
		t.Fatal(err)
	}
	if child.Tensor("stem.weight").Stats().Norm == 0 {
		t.Error("a network that knows none of its inputs began blind")
	}
	text := ""
	for _, l := range lines {
		text += l.String() + "\n"
	}
	for _, want := range []string{
		"stem.weight: initialised: no input has a name that the parent knows\n",
		"stem.globals.weight: dropped",
		"block0.conv1.weight: dropped: a 1x8 network has no place for it\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestCarryRefuses(t *testing.T) {
	parent, names := carryFixture(t)
	wide := mustPreset(t, "2x16")
	short := InputNames{Planes: names.Planes[1:], Globals: names.Globals}
	for name, f := range map[string]func() error{
		"width":        func() error { _, _, err := parent.Carry(wide, parent.Shape, names, names, 1); return err },
		"parent names": func() error { _, _, err := parent.Carry(parent.Config, parent.Shape, short, names, 1); return err },
		"game names":   func() error { _, _, err := parent.Carry(parent.Config, parent.Shape, names, short, 1); return err },
	} {
		if err := f(); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRecordedInputs(t *testing.T) {
	n, names := carryFixture(t)
	if _, ok := n.RecordedInputs(); ok {
		t.Error("names out of nothing")
	}
	n.Meta = nil
	n.RecordInputs(names)
	got, ok := n.RecordedInputs()
	if !ok || !slices.Equal(got.Planes, names.Planes) || !slices.Equal(got.Globals, names.Globals) {
		t.Errorf("%v, %v", got, ok)
	}
	n.Meta[MetaPlanes] = "on-board own"
	if got, ok := n.RecordedInputs(); ok {
		t.Errorf("two names for three planes: %v", got)
	}
}
