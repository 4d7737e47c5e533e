package ops

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"latro/nn/internal/kernel"
)

// lossFixture is a graph of the loss alone, with its inputs at hand.
type lossFixture struct {
	t      *testing.T
	vm     G.VM
	cost   *G.Node
	parts  *Parts
	inputs [7][]float32
	nodes  [7]*G.Node
	layout *kernel.Layout
	loss   Loss
}

const (
	testBoards, testRows, testCols, testPlanes = 3, 2, 3, 4
	testActions                                = testPlanes*testRows*testCols + 1
)

func newLossFixture(t *testing.T) *lossFixture {
	f := &lossFixture{t: t, layout: kernel.NewBoards(testBoards, testRows, testCols)}
	f.loss = Loss{Layout: f.layout, Planes: testPlanes, PolicyWide: 16, PassWide: 16, ValueWide: 16, Value: 0.7, Material: 0.3}
	rng := rand.New(rand.NewPCG(1, 2))
	g := G.NewGraph()
	shapes := [7][2]int{{f.layout.Pixels, 16}, {testBoards, 16}, {testBoards, 16}, {testBoards, testActions}, {testBoards, testActions}, {testBoards, 3}, {testBoards, 4}}
	for i, s := range shapes {
		v, data := newTensor(s[0], s[1])
		for k := range data {
			data[k] = float32(rng.NormFloat64())
		}
		f.inputs[i] = data
		f.nodes[i] = G.NewMatrix(g, G.Float32, G.WithName(string(rune('a'+i))), G.WithShape(s[0], s[1]), G.WithValue(v))
	}
	legal, target := f.inputs[4], f.inputs[3]
	for b := range testBoards {
		sum := float32(0)
		row := target[b*testActions:][:testActions]
		for a := range row {
			legal[b*testActions+a] = float32(rng.IntN(2))
			row[a] = legal[b*testActions+a] * rng.Float32()
			sum += row[a]
		}
		for a := range row {
			row[a] /= sum
		}
		copy(f.inputs[5][3*b:], []float32{0.2, 0.5, 0.3})
		copy(f.inputs[6][4*b:], []float32{0.5 + rng.Float32(), 0.5 + rng.Float32(), 2*rng.Float32() - 1, 0.5 + rng.Float32()})
	}
	var serial Serial
	var err error
	f.cost, f.parts, err = f.loss.Apply(&serial, LossInputs{f.nodes[0], f.nodes[1], f.nodes[2], f.nodes[3], f.nodes[4], f.nodes[5], f.nodes[6]})
	if err != nil {
		t.Fatal(err)
	}
	f.vm = differentiate(t, g, f.cost, f.nodes[:3]...)
	return f
}

func (f *lossFixture) run() Parts {
	rerun(f.t, f.vm)
	return *f.parts
}

// differentiate makes a machine that computes cost and its derivatives.
func differentiate(t *testing.T, g *G.ExprGraph, cost *G.Node, wrt ...*G.Node) G.VM {
	t.Helper()
	if _, err := G.Grad(cost, wrt...); err != nil {
		t.Fatal(err)
	}
	vm := G.NewTapeMachine(g)
	runtime.SetFinalizer(vm, nil)
	return vm
}

func rerun(t *testing.T, vm G.VM) {
	t.Helper()
	vm.Reset()
	if err := vm.RunAll(); err != nil {
		t.Fatal(err)
	}
}

// gradient is a copy of a node's gradient, which the next run overwrites.
func gradient(t *testing.T, n *G.Node) []float32 {
	t.Helper()
	v, err := n.Grad()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(v.Data().([]float32))
}

// checkGradient compares a gradient with finite differences of cost over its input. The cost is computed in float64 from
// these float32, so a wide step loses nothing to rounding; its error is of order step².
func checkGradient(t *testing.T, name string, grad, input []float32, cost func() float64) {
	t.Helper()
	for k := range grad {
		const step = 1e-2
		was := input[k]
		input[k] = was + step
		up, hi := float64(input[k]), cost()
		input[k] = was - step
		down, lo := float64(input[k]), cost()
		input[k] = was
		if want := (hi - lo) / (up - down); math.Abs(want-float64(grad[k])) > 1e-4 {
			t.Errorf("%s[%d]: gradient %v, finite difference %v", name, k, grad[k], want)
		}
	}
}

func TestLossGradientsAgainstFiniteDifferences(t *testing.T) {
	f := newLossFixture(t)
	f.run()
	for i, name := range []string{"policy", "pass", "value"} {
		checkGradient(t, name, gradient(t, f.nodes[i]), f.inputs[i], func() float64 { return f.run().Total })
	}
}

func TestLossIgnoresIllegalActionsAndWeightZero(t *testing.T) {
	f := newLossFixture(t)
	before := f.run()
	if before.Entropy <= 0 || before.Policy < before.TargetEntropy {
		t.Errorf("parts %+v", before)
	}
	// The logit of an illegal action may be anything.
	for b := range testBoards {
		squares := f.layout.Squares(b)
		for a := range testActions - 1 {
			if f.inputs[4][b*testActions+a] == 0 {
				f.inputs[0][int(squares[a%len(squares)])*16+a/len(squares)] = 1e6
			}
		}
	}
	if after := f.run(); after != before {
		t.Errorf("with other illegal logits %+v, before %+v", after, before)
	}
	// A sample without weight adds nothing, whatever it holds; the others'
	// shares are renormalised.
	copy(f.inputs[6][4:], []float32{0, 0, 0, 0})
	without := f.run()
	f.inputs[2][16], f.inputs[1][16] = 50, -50
	if again := f.run(); again != without {
		t.Errorf("a sample of weight 0 counts: %+v, %+v", again, without)
	}
	// No weights at all: no loss, no division by zero.
	clear(f.inputs[6])
	if none := f.run(); none != (Parts{}) {
		t.Errorf("without weights %+v", none)
	}
}

func TestLossOfKnownLogits(t *testing.T) {
	f := newLossFixture(t)
	// Equal logits over n legal actions: cross-entropy and entropy are log n.
	clear(f.inputs[0])
	clear(f.inputs[1])
	clear(f.inputs[2])
	for b := range testBoards {
		row, legal := f.inputs[3][b*testActions:][:testActions], f.inputs[4][b*testActions:][:testActions]
		for a := range row {
			row[a], legal[a] = 0, 0
			if a < 5 {
				row[a], legal[a] = 0.2, 1
			}
		}
		copy(f.inputs[6][4*b:], []float32{1, 1, 0.25, 1})
	}
	p := f.run()
	for name, d := range map[string]float64{
		"policy": p.Policy - math.Log(5), "entropy": p.Entropy - math.Log(5), "target entropy": p.TargetEntropy - math.Log(5),
		"value": p.Value - math.Log(3), "material": p.Material - 0.25*0.25/2,
		"total": p.Total - (p.Policy + 0.7*p.Value + 0.3*p.Material),
	} {
		if math.Abs(d) > 1e-6 {
			t.Errorf("%s is off by %v (%+v)", name, d, p)
		}
	}
}

func TestWrongInputsGiveErrors(t *testing.T) {
	op := &convOp{base: base{name: "conv", inputs: []int{2, 2}}}
	if _, err := op.Do(G.NewF32(1)); err == nil {
		t.Error("a convolution ran with one input")
	}
	v := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(make([]float64, 4)))
	if _, err := op.Do(v, v); err == nil {
		t.Error("a convolution ran on float64")
	}
	g := G.NewGraph()
	x := G.NewMatrix(g, G.Float32, G.WithName("x"), G.WithShape(4, 8))
	w := G.NewMatrix(g, G.Float32, G.WithName("w"), G.WithShape(8, 8))
	var s Serial
	if _, err := (Conv{Layout: kernel.NewMatrix(4), Size: 3, In: 4, Wide: 4, Groups: 2, Out: 8, Threads: 1}).Apply(&s, Inputs{X: x, W: w}); err == nil {
		t.Error("a 3×3 convolution with groups was accepted")
	}
}

// TestLogitsOfSmallBoards: reading and writing are each other's inverse and touch
// nothing else, also on a board of one square, where planes and pass are alike.
func TestLogitsOfSmallBoards(t *testing.T) {
	for _, squares := range [][]int32{{2}, {1, 3, 4}} {
		const planes, wide = 2, 3
		policy := make([]float32, 5*wide)
		for i := range policy {
			policy[i] = float32(i)
		}
		logits := make([]float64, planes*len(squares)+1)
		readLogits(logits, policy, wide, squares, 77)
		for k, q := range squares {
			for p := range planes {
				if got, want := logits[p*len(squares)+k], float64(int(q)*wide+p); got != want {
					t.Errorf("plane %d of pixel %d reads %v, want %v", p, q, got, want)
				}
			}
		}
		back, pass := slices.Clone(policy), float32(0)
		for i := range logits {
			logits[i] = -logits[i]
		}
		writeGradient(back, wide, squares, &pass, logits)
		if logits[len(logits)-1] != -77 || pass != -77 {
			t.Errorf("pass reads %v and writes %v", -logits[len(logits)-1], pass)
		}
		for i := range back {
			want := policy[i]
			if slices.Contains(squares, int32(i/wide)) && i%wide < planes {
				want = -want
			}
			if back[i] != want {
				t.Errorf("value %d becomes %v, want %v", i, back[i], want)
			}
		}
	}
}
