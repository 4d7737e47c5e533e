package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// someActions draws a list of actions for each of n positions: none, pass alone, a few, one square's, all.
func someActions(rng *rand.Rand, s Shape, n int) [][]int32 {
	all, area := s.Actions(), s.Area()
	lists := make([][]int32, n)
	for i := range lists {
		switch i % 5 {
		case 1:
			lists[i] = []int32{int32(all - 1)}
		case 2:
			for range 9 {
				lists[i] = append(lists[i], int32(rng.IntN(all)))
			}
		case 3:
			square := rng.IntN(area)
			for p := range len(s.ActionPlanes) {
				lists[i] = append(lists[i], int32(p*area+square))
			}
		case 4:
			for a := range all {
				lists[i] = append(lists[i], int32(a))
			}
		}
	}
	return lists
}

// TestRunLegalIsRun compares RunLegal with Run: what is asked for must have the same bits, and nothing else may be written.
func TestRunLegalIsRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		preset string
		shape  Shape
	}{{"1x16", testShape(1, 3, 1, 0, 1)}, {"2x20", testShape(7, 13, 5, 3, 38)}, {"2x32", testShape(6, 6, 7, 4, 17)}} {
		for _, portable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%dx%d/%v", c.preset, c.shape.Rows, c.shape.Cols, portable), func(t *testing.T) {
				n := mustNew(t, mustPreset(t, c.preset), c.shape, 3)
				shake(n, 4)
				inf, err := CompileWith(n, CompileOptions{Portable: portable})
				if err != nil {
					t.Fatal(err)
				}
				const batch = 11
				b := randomBatch(c.shape, batch, 5)
				x := inf.NewInstance(batch)
				want, got := NewOutputs(c.shape, batch), NewOutputs(c.shape, batch)
				if err := x.Run(batch, b.Obs, b.Globals, want); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					lists := someActions(rng, c.shape, batch)
					const untouched = -12345
					for i := range got.Policy {
						got.Policy[i] = untouched
					}
					clear(got.WDL)
					clear(got.Material)
					if err := x.RunLegal(batch, b.Obs, b.Globals, lists, got); err != nil {
						t.Fatal(err)
					}
					asked := map[int]bool{}
					for i, list := range lists {
						for _, a := range list {
							asked[i*c.shape.Actions()+int(a)] = true
						}
					}
					for i, v := range got.Policy {
						w := float32(untouched)
						if asked[i] {
							w = want.Policy[i]
						}
						if math.Float32bits(v) != math.Float32bits(w) {
							t.Fatalf("action %d of position %d: %v, want %v", i%c.shape.Actions(), i/c.shape.Actions(), v, w)
						}
					}
					sameBits(t, "win, draw, loss", got.WDL, want.WDL)
					sameBits(t, "material", got.Material, want.Material)
				}
			})
		}
	}
}

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestRunLegalRefuses(t *testing.T) {
	s := testShape(4, 5, 3, 2, 3)
	n := mustNew(t, mustPreset(t, "1x16"), s, 3)
	inf, err := Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	b, out, x := randomBatch(s, 2, 5), NewOutputs(s, 2), inf.NewInstance(2)
	if err := x.RunLegal(2, b.Obs, b.Globals, [][]int32{{0}}, out); !errors.Is(err, ErrSize) {
		t.Errorf("one list for two positions: %v", err)
	}
	if err := x.RunLegal(3, b.Obs, b.Globals, [][]int32{{0}, {0}, {0}}, out); !errors.Is(err, ErrSize) {
		t.Errorf("three positions of at most two: %v", err)
	}
	for _, a := range []int32{-1, int32(s.Actions()), math.MaxInt32, math.MinInt32} {
		if err := x.RunLegal(2, b.Obs, b.Globals, [][]int32{{0}, {a}}, out); err == nil {
			t.Errorf("action %d was taken", a)
		}
	}
	lists := [][]int32{{0, 7, 59}, {60}}
	if n := testing.AllocsPerRun(10, func() {
		if err := x.RunLegal(2, b.Obs, b.Globals, lists, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
