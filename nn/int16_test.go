package nn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestInt16 compares 16-bit arithmetic with the graph: the bound is a hundred times that of floats, and it is met in Go and
// in assembly, with the same bits in every slot of a batch.
func TestInt16(t *testing.T) {
	for _, c := range []struct {
		preset string
		shape  Shape
	}{{"2x32", testShape(6, 6, 9, 4, 8)}, {"3x20", testShape(7, 13, 5, 3, 5)}, {"2x64", testShape(8, 8, 9, 4, 8)}} {
		t.Run(fmt.Sprintf("%s/%dx%d", c.preset, c.shape.Rows, c.shape.Cols), func(t *testing.T) {
			n := mustNew(t, mustPreset(t, c.preset), c.shape, 3)
			shake(n, 4)
			const batch = 9
			b := randomBatch(c.shape, batch, 5)
			want := graphOutputs(t, n, b)
			top := 1.0
			for _, v := range want.Policy {
				top = max(top, math.Abs(float64(v)))
			}
			for _, portable := range []bool{false, true} {
				inf, err := CompileWith(n, CompileOptions{Arithmetic: Int16, Portable: portable})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(inf.KernelID(), "+int16") {
					t.Errorf("the id is %q", inf.KernelID())
				}
				x, got := inf.NewInstance(batch), NewOutputs(c.shape, batch)
				if err := x.Run(batch, b.Obs, b.Globals, got); err != nil {
					t.Fatal(err)
				}
				for what, d := range map[string]float64{
					"policy": maxDiff(got.Policy, want.Policy), "win, draw, loss": maxDiff(got.WDL, want.WDL), "material": maxDiff(got.Material, want.Material),
				} {
					if !(d <= 1e-2*top) {
						t.Errorf("portable %v: %s differs by %v of %v", portable, what, d, top)
					}
				}
				if slices.Equal(got.Policy, want.Policy) {
					t.Error("no difference at all: are these floats?")
				}
				one := NewOutputs(c.shape, 1)
				for i := range batch {
					if err := x.Run(1, b.Obs[i*c.shape.Obs():], b.Globals[i*c.shape.Globals:], one); err != nil {
						t.Fatal(err)
					}
					sameBits(t, "policy", one.Policy, got.Policy[i*c.shape.Actions():][:c.shape.Actions()])
					sameBits(t, "win, draw, loss", one.WDL, got.WDL[3*i:][:3])
				}
			}
		})
	}
	n := mustNew(t, mustPreset(t, "1x16"), testShape(3, 3, 1, 0, 1), 3)
	if _, err := CompileWith(n, CompileOptions{Arithmetic: "int4"}); err == nil || !strings.Contains(err.Error(), "int4") {
		t.Errorf("arithmetic int4: %v", err)
	}
}

func TestInt16AllocatesNothing(t *testing.T) {
	s := testShape(6, 6, 9, 4, 6)
	inf, err := CompileWith(mustNew(t, mustPreset(t, "2x32"), s, 1), CompileOptions{Arithmetic: Int16})
	if err != nil {
		t.Fatal(err)
	}
	b := randomBatch(s, 5, 3)
	x, out := inf.NewInstance(5), NewOutputs(s, 5)
	if n := testing.AllocsPerRun(20, func() {
		if err := x.Run(5, b.Obs, b.Globals, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
