package ops

import (
	"math"
	"math/rand/v2"
	"testing"

	G "gorgonia.org/gorgonia"

	"latro/nn/internal/kernel"
)

// auxiliaryFixture is a graph of the auxiliary loss alone, multiplied by factor.
type auxiliaryFixture struct {
	t      *testing.T
	vm     G.VM
	parts  *AuxiliaryParts
	inputs [5][]float32
	nodes  [5]*G.Node
	layout *kernel.Layout
}

func newAuxiliaryFixture(t *testing.T, factor float32) *auxiliaryFixture {
	f := &auxiliaryFixture{t: t, layout: kernel.NewBoards(testBoards, testRows, testCols)}
	l := Auxiliary{Layout: f.layout, Planes: testPlanes, SquaresWide: 16, BoardWide: 16, Survival: 0.7, Plies: 0.3, Reply: 0.6}
	rng := rand.New(rand.NewPCG(1, 2))
	g := G.NewGraph()
	area := testRows * testCols
	for i, s := range [5][2]int{{f.layout.Pixels, 16}, {testBoards, 16}, {testBoards, 2 * area}, {testBoards, testActions}, {testBoards, 3}} {
		v, data := newTensor(s[0], s[1])
		for k := range data {
			data[k] = float32(rng.NormFloat64())
			if i > 1 {
				data[k] = rng.Float32() // targets and weights
			}
		}
		f.inputs[i] = data
		f.nodes[i] = G.NewMatrix(g, G.Float32, G.WithName(string(rune('a'+i))), G.WithShape(s[0], s[1]), G.WithValue(v))
	}
	f.inputs[2][area+2] = 0 // a square that does not count
	f.inputs[4][0] = 40     // far from what the head says, beyond Huber's bend
	var serial Serial
	cost, parts, err := l.Apply(&serial, AuxiliaryInputs{f.nodes[0], f.nodes[1], f.nodes[2], f.nodes[3], f.nodes[4]})
	if err != nil {
		t.Fatal(err)
	}
	f.parts = parts
	if factor != 1 {
		cost = G.Must(G.Mul(cost, G.NewConstant(factor)))
	}
	f.vm = differentiate(t, g, cost, f.nodes[:2]...)
	return f
}

func (f *auxiliaryFixture) run() AuxiliaryParts {
	rerun(f.t, f.vm)
	return *f.parts
}

func TestAuxiliaryGradientsAgainstFiniteDifferences(t *testing.T) {
	for _, factor := range []float32{1, 2.5} {
		f := newAuxiliaryFixture(t, factor)
		f.run()
		for i, name := range []string{"squares", "board"} {
			checkGradient(t, name, gradient(t, f.nodes[i]), f.inputs[i], func() float64 { return float64(factor) * f.run().Total })
		}
	}
}

func TestAuxiliaryLossOfKnownOutputs(t *testing.T) {
	f := newAuxiliaryFixture(t, 1)
	area := testRows * testCols
	for i := range 2 {
		clear(f.inputs[i])
	}
	clear(f.inputs[3])
	for b := range testBoards {
		for k := range area {
			f.inputs[2][b*2*area+k], f.inputs[2][(b*2+1)*area+k] = 1, 0.5
		}
		f.inputs[3][b*testActions+b] = 1
		copy(f.inputs[4][3*b:], []float32{float32(math.E*math.E - 1), 1, 1}) // log(1+plies) = 2
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-6*(1+want)) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	p := f.run()
	near("survival of even odds", p.Survival, math.Log(2))
	near("plies two off", p.Plies, 0.5*(2-0.25))
	near("reply of equal logits", p.Reply, math.Log(testActions))
	near("total", p.Total, 0.7*p.Survival+0.3*p.Plies+0.6*p.Reply)
	for b := range testBoards {
		f.inputs[1][16*b] = 1.75
	}
	near("plies a quarter off", f.run().Plies, 0.25*0.25/2)

	// Outputs that are far off give large losses and no overflow.
	for _, s := range []float32{-1000, 1000} {
		for k := 0; k < len(f.inputs[0]); k += 16 {
			f.inputs[0][k] = s
		}
		near("survival of certain logits", f.run().Survival, max(0, -float64(s)))
		at := int(f.layout.Squares(0)[0]) * 16
		want := 0.0 // σ − 1 for s = 1000
		if s < 0 {
			want = -0.7 / float64(testBoards*area)
		}
		near("its gradient", math.Abs(float64(gradient(t, f.nodes[0])[at])), -want)
	}

	// What has no weight counts for nothing, and no weights at all divide by
	// nothing.
	clear(f.inputs[4])
	for b := range testBoards {
		clear(f.inputs[2][(2*b+1)*area:][:area])
	}
	if none := f.run(); none != (AuxiliaryParts{}) {
		t.Errorf("without weights %+v", none)
	}
	for i := range 2 {
		for k, v := range gradient(t, f.nodes[i]) {
			if v != 0 {
				t.Fatalf("without weights input %d has gradient %v at %d", i, v, k)
			}
		}
	}
}
