package nn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"latro/nn/cputime"
	"latro/nn/internal/kernel"
)

// graphOutputs runs b through the graph and returns what it says.
func graphOutputs(t *testing.T, n *Network, b *Batch) *Outputs {
	t.Helper()
	g, err := NewGraph(n, b.N)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	out := NewOutputs(n.Shape, b.N)
	if err := g.Run(b.N, b.Obs, b.Globals, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGraphIsTheTrainersGraph compares what the graph for evaluation says with
// what a training step computes before it changes anything, and a second run
// with the first.
func TestGraphIsTheTrainersGraph(t *testing.T) {
	shape := testShape(4, 5, 6, 2, 3)
	n := mustNew(t, mustPreset(t, "2x16"), shape, 1)
	shake(n, 2)
	b := randomBatch(shape, 3, 3)
	cfg := DefaultTrainConfig()
	cfg.BatchSize = 3
	tr := mustTrainer(t, n, cfg)
	mustStep(t, tr, b)
	g, err := NewGraph(n, 5)
	if err != nil {
		t.Fatal(err)
	}
	out := NewOutputs(shape, 5)
	for range 2 {
		if err := g.Run(3, b.Obs, b.Globals, out); err != nil {
			t.Fatal(err)
		}
		wdl := tr.outputs[2].Value().Data().([]float32)
		for i := range 3 {
			if !slices.Equal(out.WDL[3*i:][:3], wdl[i*tr.outputs[2].Shape()[1]:][:3]) {
				t.Errorf("position %d: %v", i, out.WDL[3*i:][:3])
			}
		}
	}
	if err := g.Run(6, b.Obs, b.Globals, out); !errors.Is(err, ErrSize) {
		t.Errorf("six positions of five: %v", err)
	}
	g.Close()
	if err := g.Run(1, b.Obs, b.Globals, out); err == nil {
		t.Error("a closed graph ran")
	}
	if _, err := NewGraph(n, 0); err == nil {
		t.Error("a graph for no positions was built")
	}
}

func TestCompiledAgreesWithGraph(t *testing.T) {
	shapes := []Shape{
		testShape(5, 5, 7, 3, 4), testShape(8, 7, 12, 0, 9), testShape(7, 13, 20, 11, 30), testShape(11, 16, 9, 5, 16),
		testShape(1, 3, 1, 1, 1), testShape(6, 6, 14, 8, 17),
	}
	// 3x20 has channels that are no multiple of the kernels' block.
	presets := []string{"2x32", "4x32", "1x16", "3x20", "6x64"}
	if testing.Short() {
		presets, shapes = []string{"3x20"}, shapes[:2]
	}
	for _, preset := range presets {
		for i, shape := range shapes {
			batch := []int{1, 3, 9, 17}[i%4]
			if preset == "6x64" && i != 0 && i != 3 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%dx%d/%d", preset, shape.Rows, shape.Cols, batch), func(t *testing.T) {
				n := mustNew(t, mustPreset(t, preset), shape, 3)
				shake(n, 4)
				b := randomBatch(shape, batch, 5)
				want := graphOutputs(t, n, b)
				compareCompiled(t, n, CompileOptions{}, b, want)
				compareCompiled(t, n, CompileOptions{Portable: true}, b, want)
				if preset == "3x20" {
					for _, m := range Methods() {
						compareCompiled(t, n, CompileOptions{Method: m}, b, want)
					}
				}
			})
		}
	}
}

// compareCompiled compiles n, runs b and compares with want.
func compareCompiled(t *testing.T, n *Network, o CompileOptions, b *Batch, want *Outputs) {
	t.Helper()
	inf, err := CompileWith(n, o)
	if err != nil {
		t.Fatal(err)
	}
	got := NewOutputs(n.Shape, b.N)
	if err := inf.NewInstance(b.N).Run(b.N, b.Obs, b.Globals, got); err != nil {
		t.Fatal(err)
	}
	// The bound is the contract's; logits here are of order 1 to 10.
	scale := 1.0
	for _, v := range want.Policy {
		scale = math.Max(scale, math.Abs(float64(v)))
	}
	if d := maxDiff(got.Policy, want.Policy); !(d <= 1e-4*scale) {
		t.Errorf("%+v: policy differs by %v (largest logit %v)", o, d, scale)
	}
	if d := maxDiff(got.WDL, want.WDL); !(d <= 1e-4*scale) {
		t.Errorf("%+v: value differs by %v", o, d)
	}
	if d := maxDiff(got.Material, want.Material); !(d <= 1e-4) {
		t.Errorf("%+v: material differs by %v", o, d)
	}
}

// TestCompiledAgreesOnEveryBoard goes through all boards of 3×3 to 16×16.
func TestCompiledAgreesOnEveryBoard(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	for rows := 3; rows <= 16; rows += step {
		for cols := 3; cols <= 16; cols += step {
			shape := testShape(rows, cols, 5, 2, 3)
			n := mustNew(t, mustPreset(t, "1x16"), shape, uint64(rows))
			shake(n, uint64(cols))
			b := randomBatch(shape, 1+(rows+cols)%3, 5)
			want := graphOutputs(t, n, b)
			compareCompiled(t, n, CompileOptions{}, b, want)
			m := Methods()[(rows*16+cols)%len(Methods())]
			compareCompiled(t, n, CompileOptions{Method: m, Portable: cols%2 == 0}, b, want)
			if t.Failed() {
				t.Fatalf("on %dx%d", rows, cols)
			}
		}
	}
}

// TestDeepNetworksAgree compares the deep presets, in which rounding adds up.
func TestDeepNetworksAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("deep networks")
	}
	for _, preset := range []string{"6x64", "10x128", "20x32"} {
		shape := testShape(8, 8, 16, 8, 12)
		n := mustNew(t, mustPreset(t, preset), shape, 1)
		b := randomBatch(shape, 2, 2)
		want := graphOutputs(t, n, b)
		for _, m := range []Method{Direct, "winograd-2x2", "winograd-4x4"} {
			compareCompiled(t, n, CompileOptions{Method: m}, b, want)
		}
	}
}

func TestMethodTable(t *testing.T) {
	if _, err := ParseMethodTable(methodTable); err != nil {
		t.Fatal(err)
	}
	table, err := ParseMethodTable("# why\n\n8x8 64>64 winograd-4x4\n7x13 20>32 direct\n")
	if err != nil || len(table) != 2 || table[Case{7, 13, 20, 32}] != Direct {
		t.Fatalf("%v, %v", table, err)
	}
	for text, want := range map[string]string{
		"8x8 64>64": "line 1", "\n8x8 64>64 fast": "line 2", "8x8 1>1 direct\n8x8 1>1 direct": "twice", "8 64>64 direct": "such as",
	} {
		if _, err := ParseMethodTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for c, want := range map[Case]Method{
		{8, 8, 64, 64}: "winograd-4x4", {6, 6, 64, 64}: "winograd-3x3", {6, 8, 64, 64}: "winograd-3x4", {1, 1, 4, 16}: Direct,
	} {
		if m := MethodByCount(c); m != want {
			t.Errorf("%v: %s, want %s", c, m, want)
		}
	}
	if _, err := CompileWith(mustNew(t, mustPreset(t, "1x16"), testShape(3, 3, 1, 0, 1), 1), CompileOptions{Method: "guess"}); err == nil {
		t.Error("an unknown method was accepted")
	}
}

// TestKernelIDNamesTheArithmetic: results of different methods must not pass for
// reproducible.
func TestKernelIDNamesTheArithmetic(t *testing.T) {
	n := mustNew(t, mustPreset(t, "1x16"), testShape(3, 3, 1, 0, 1), 1)
	seen := map[string]bool{}
	for _, o := range []CompileOptions{{Portable: true}, {Method: Direct}, {Method: "winograd-2x2"}, {Method: Direct, Portable: true}} {
		inf, err := CompileWith(n, o)
		if err != nil {
			t.Fatal(err)
		}
		seen[inf.KernelID()] = true
	}
	inf, err := Compile(n)
	if err != nil || inf.KernelID() != KernelID() || !strings.Contains(KernelID(), tableID()) {
		t.Errorf("%s, %s, %v", inf.KernelID(), KernelID(), err)
	}
	want := 4
	if kernel.ID() == kernel.PortableID {
		want = 3
	}
	if len(seen) != want {
		t.Errorf("%v", seen)
	}
}

func TestResultIndependentOfBatchAndSlot(t *testing.T) {
	for _, o := range []CompileOptions{{}, {Method: Direct}, {Method: "winograd-4x3"}, {Portable: true}} {
		testIndependence(t, o)
	}
}

func testIndependence(t *testing.T, o CompileOptions) {
	t.Helper()
	shape := testShape(5, 7, 9, 4, 6)
	n := mustNew(t, mustPreset(t, "2x32"), shape, 1)
	shake(n, 2)
	inf, err := CompileWith(n, o)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 21
	b := randomBatch(shape, batch, 3)
	whole := NewOutputs(shape, batch)
	if err := inf.NewInstance(batch).Run(batch, b.Obs, b.Globals, whole); err != nil {
		t.Fatal(err)
	}
	single := inf.NewInstance(1)
	for i := range batch {
		one := NewOutputs(shape, 1)
		if err := single.Run(1, b.Obs[i*shape.Obs():], b.Globals[i*shape.Globals:], one); err != nil {
			t.Fatal(err)
		}
		a := shape.Actions()
		if !slices.Equal(one.Policy, whole.Policy[i*a:(i+1)*a]) || !slices.Equal(one.WDL, whole.WDL[3*i:3*i+3]) || one.Material[0] != whole.Material[i] {
			t.Fatalf("position %d differs alone and in the batch", i)
		}
	}
	// Another slot: the batch turned by one, on an instance with a used state.
	x := inf.NewInstance(batch)
	out := NewOutputs(shape, batch)
	for range 2 {
		obs := slices.Concat(b.Obs[shape.Obs():], b.Obs[:shape.Obs()])
		globals := slices.Concat(b.Globals[shape.Globals:], b.Globals[:shape.Globals])
		if err := x.Run(batch, obs, globals, out); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.WDL[:3*(batch-1)], whole.WDL[3:]) || !slices.Equal(out.WDL[3*(batch-1):], whole.WDL[:3]) {
			t.Fatal("results moved with the slot")
		}
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	shape := testShape(6, 6, 9, 4, 6)
	inf, err := Compile(mustNew(t, mustPreset(t, "2x32"), shape, 1))
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(shape, 20, 3)
	x, out := inf.NewInstance(20), NewOutputs(shape, 20)
	if n := testing.AllocsPerRun(20, func() {
		if err := x.Run(20, b.Obs, b.Globals, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Fatalf("%v allocations a run", n)
	}
}

func TestInstancesShareWeights(t *testing.T) {
	shape := testShape(5, 5, 5, 2, 4)
	n := mustNew(t, mustPreset(t, "1x16"), shape, 1)
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(shape, 4, 3)
	want := NewOutputs(shape, 4)
	if err := inf.NewInstance(4).Run(4, b.Obs, b.Globals, want); err != nil {
		t.Fatal(err)
	}
	// The compiled network does not see later changes to its source.
	shake(n, 9)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x, out := inf.NewInstance(4), NewOutputs(shape, 4)
			for range 5 {
				if err := x.Run(4, b.Obs, b.Globals, out); err != nil || !slices.Equal(out.Policy, want.Policy) {
					t.Errorf("concurrent run differs (error %v)", err)
				}
			}
		})
	}
	wg.Wait()
}

func TestPlanCoversEveryWeight(t *testing.T) {
	shape := testShape(5, 6, 8, 4, 16)
	n := mustNew(t, mustPreset(t, "3x16"), shape, 1)
	inf, err := CompileWith(n, CompileOptions{Method: Direct})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, l := range inf.Plan() {
		got[l.Layer+".weight"] = l.Multiplies
	}
	// Two by two tiles of 5×5 points take the place of 30 squares.
	fast, err := CompileWith(n, CompileOptions{Method: "winograd-3x3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range fast.Plan() {
		if strings.Contains(l.Layer, ".conv") && (l.Kernel != "winograd-3x3" || l.Multiplies != 4*25*16*16) {
			t.Errorf("plan %+v", l)
		}
	}
	for _, p := range n.Tensors {
		if len(p.Dims) == 1 {
			continue
		}
		// Every weight is used once a square in convolutions, once a board in
		// dense layers; padding only adds.
		m, ok := got[p.Name]
		if !ok || m < len(p.Data) {
			t.Errorf("%s: %d multiplies for %d weights (planned: %v)", p.Name, m, len(p.Data), ok)
		}
		if len(p.Dims) == 4 && p.Name != "stem.weight" && m != 30*9*16*16 {
			t.Errorf("%s: %d multiplies", p.Name, m)
		}
		delete(got, p.Name)
	}
	if len(got) != 0 {
		t.Errorf("planned without weights: %v", got)
	}
}

func TestRunRefusesWrongSizes(t *testing.T) {
	shape := testShape(5, 5, 5, 2, 4)
	inf, err := Compile(mustNew(t, mustPreset(t, "1x16"), shape, 1))
	if err != nil {
		t.Fatal(err)
	}
	x, out := inf.NewInstance(2), NewOutputs(shape, 2)
	b := randomBatch(shape, 3, 1)
	for name, err := range map[string]error{
		"none":    x.Run(0, b.Obs, b.Globals, out),
		"many":    x.Run(3, b.Obs, b.Globals, NewOutputs(shape, 3)),
		"obs":     x.Run(2, b.Obs[:2*shape.Obs()-1], b.Globals, out),
		"globals": x.Run(2, b.Obs, b.Globals[:3], out),
		"outputs": x.Run(2, b.Obs, b.Globals, NewOutputs(shape, 1)),
	} {
		if !errors.Is(err, ErrSize) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkInference(b *testing.B) {
	for _, preset := range []string{"2x32", "4x32", "6x64"} {
		for _, side := range []int{6, 8} {
			b.Run(fmt.Sprintf("%s/%dx%d", preset, side, side), func(b *testing.B) {
				const batch = 16
				shape := testShape(side, side, 16, 12, 12)
				inf, err := Compile(mustNew(b, mustPreset(b, preset), shape, 1))
				if err != nil {
					b.Fatal(err)
				}
				d := randomBatch(shape, batch, 1)
				x, out := inf.NewInstance(batch), NewOutputs(shape, batch)
				start := cputime.Process()
				for b.Loop() {
					if err := x.Run(batch, d.Obs, d.Globals, out); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*batch)/(cputime.Process()-start).Seconds(), "positions/cpu-s")
			})
		}
	}
}

// TestPortableBitsAreFixed holds the portable kernels to the same bits on every
// architecture, compilers that fuse products and sums included. The hash was
// made on x86-64; a change of the kernels changes it, and must change
// kernel.PortableID with it.
func TestPortableBitsAreFixed(t *testing.T) {
	shape := testShape(5, 6, 7, 3, 4)
	n := mustNew(t, mustPreset(t, "2x20"), shape, 1)
	// Numbers that need no logarithm or exponential, which architectures compute
	// differently.
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(d []float32, scale float32) {
		for i := range d {
			d[i] = (float32(rng.IntN(1<<20)) - 1<<19) / (1 << 19) * scale
		}
	}
	for _, p := range n.Tensors {
		draw(p.Data, 1/float32(1+len(p.Data)/64))
	}
	obs, globals := make([]float32, 3*shape.Obs()), make([]float32, 3*shape.Globals)
	draw(obs, 1)
	draw(globals, 1)
	h := fnv.New64a()
	for _, m := range []Method{Direct, "winograd-2x2", "winograd-3x4", "winograd-4x3"} {
		inf, err := CompileWith(n, CompileOptions{Portable: true, Method: m})
		if err != nil {
			t.Fatal(err)
		}
		out := NewOutputs(shape, 3)
		if err := inf.NewInstance(3).Run(3, obs, globals, out); err != nil {
			t.Fatal(err)
		}
		for _, v := range slices.Concat(out.Policy, out.WDL) {
			if err := binary.Write(h, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	const want = 0xb606a10696aba1a0
	if got := h.Sum64(); got != want {
		t.Errorf("the outputs' hash is %#x, want %#x", got, uint64(want))
	}
}
