package measure

import (
	"context"
	"errors"
	"maps"
	"math"
	"testing"
	"time"

	"latro/nn"
)

func network(t *testing.T, preset string, rows, cols int) *nn.Network {
	t.Helper()
	cfg, err := nn.ParsePreset(preset)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(cfg, nn.Shape{Rows: rows, Cols: cols, Planes: 7, Globals: 3, ActionPlanes: []string{"n1", "e1", "s1"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestImplementationsAgree is what makes a comparison of their speeds fair.
func TestImplementationsAgree(t *testing.T) {
	for _, size := range [][2]int{{5, 5}, {4, 7}} {
		n := network(t, "2x16", size[0], size[1])
		var want *nn.Outputs
		for _, name := range Implementations() {
			e, err := NewEvaluator(n, name, 3)
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			for range 2 { // the second run is the one that is timed
				if err := e.Run(); err != nil {
					t.Fatal(err)
				}
			}
			if want == nil {
				want = e.Out
				continue
			}
			bound := 1e-4
			if name == Int16 {
				bound = 1e-2
			}
			for i, v := range e.Out.Policy {
				if d := math.Abs(float64(v - want.Policy[i])); !(d <= bound) {
					t.Fatalf("%s: policy %d is off by %v", name, i, d)
				}
			}
			for i, v := range e.Out.WDL {
				if d := math.Abs(float64(v - want.WDL[i])); !(d <= bound) {
					t.Fatalf("%s: value %d is off by %v", name, i, d)
				}
			}
		}
	}
}

func TestInference(t *testing.T) {
	ctx := context.Background()
	n := network(t, "1x16", 4, 5)
	for _, name := range Implementations() {
		f, err := Inference(ctx, n, name, 2, 0)
		if err != nil || f.Positions <= 0 || f.Board != "4x5" || f.Net != "1x16" || f.Implementation != name {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	f, err := Inference(ctx, n, Compiled, 2, 20*time.Millisecond)
	if err != nil || f.Allocations != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Inference(ctx, n, "magic", 2, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("magic: %v", err)
	}
	if _, err := Inference(ctx, n, Compiled, 0, 0); err == nil {
		t.Error("a batch of none")
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Inference(gone, n, Compiled, 2, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
}

func TestTraining(t *testing.T) {
	n := network(t, "1x16", 5, 5)
	for _, name := range []string{Custom, Stock} {
		f, err := Training(context.Background(), n, name, 16, 0)
		if err != nil || f.Seconds <= 0 || f.PeakBytes == 0 || f.Batch != 16 {
			t.Fatalf("%s: %+v, %v", name, f, err)
		}
	}
	cfg := n.Config
	cfg.Auxiliary = true
	n, err := nn.New(cfg, n.Shape, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Custom, Stock} {
		if f, err := Training(context.Background(), n, name, 4, 0); err != nil || f.Seconds <= 0 {
			t.Errorf("with auxiliary heads, %s: %+v, %v", name, f, err)
		}
	}
	if _, err := Training(context.Background(), n, "magic", 4, 0); !errors.Is(err, ErrUnknown) {
		t.Errorf("magic: %v", err)
	}
}

func TestStockLearns(t *testing.T) {
	// The step that is timed must be a training step: its parameters move.
	n := network(t, "1x16", 4, 4)
	step, done, err := stockStep(n, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	before, err := step()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		after, err := step()
		if err != nil {
			t.Fatal(err)
		}
		if !(after < before) {
			t.Fatalf("the cost goes from %v to %v", before, after)
		}
		before = after
	}
}

func TestWorkers(t *testing.T) {
	f, err := Workers(context.Background(), network(t, "1x16", 4, 4), 2, 2, time.Millisecond)
	if err != nil || f.Positions <= 0 || f.Alone <= 0 || f.TimesOne <= 0 || f.Workers != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestTune(t *testing.T) {
	cases := []nn.Case{{Rows: 8, Cols: 8, In: 32, Out: 32}, {Rows: 6, Cols: 7, In: 5, Out: 16}}
	got, err := Tune(context.Background(), cases, 2, 5*time.Millisecond)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	for _, c := range got {
		if len(c.Micros) != len(nn.Methods()) {
			t.Errorf("%+v", c)
		}
		for m, us := range c.Micros {
			if us <= 0 {
				t.Errorf("%s: %s takes %v", c.Case, m, us)
			}
		}
	}
	// The proposal is a table that nn reads: the present one with these lines.
	got[0].Better, got[1].Better = nn.Direct, "winograd-2x2"
	table, err := nn.ParseMethodTable(Table(got))
	if err != nil {
		t.Fatal(err)
	}
	want := nn.MethodTable()
	want[cases[0]], want[cases[1]] = nn.Direct, "winograd-2x2"
	if !maps.Equal(table, want) {
		t.Errorf("%v, want %v", table, want)
	}
	if _, err := Tune(context.Background(), cases, 0, 0); err == nil {
		t.Error("no boards")
	}
}

func TestArithmetic(t *testing.T) {
	peak, direct := Peak(), Direct()
	// Without assembly there is no peak to compare with.
	if direct <= 0 || (peak > 0 && direct > 1.1*peak) {
		t.Errorf("peak %v, direct %v", peak, direct)
	}
}
