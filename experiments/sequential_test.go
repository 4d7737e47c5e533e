package experiments

import (
	"context"
	"testing"
)

func sequentialDesign() Design {
	d := smallDesign()
	d.ID = "sequential"
	d.Agents, d.Matches = []AgentRef{{Spec: "random"}, {Spec: "greedy"}}, []Match{{A: "greedy", B: "random"}}
	d.Stopping = Stopping{Rule: "sequential"}
	d.Margin, d.Pairs, d.UnitPairs = 0.2, 120, 5
	return d
}

// TestSequentialStopsAlike: a sequential experiment stops each cell at the same pair
// whatever the workers and interruptions, well before its maximum, and with a verdict.
func TestSequentialStopsAlike(t *testing.T) {
	d := sequentialDesign()
	one := t.TempDir()
	if err := Run(context.Background(), one, d, RunOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, one)
	three := t.TempDir()
	if err := Run(context.Background(), three, d, RunOptions{Workers: 3}); err != nil {
		t.Fatal(err)
	}
	sameTrees(t, "three workers", want, tree(t, three))
	cut := t.TempDir()
	for round := 0; ; round++ {
		ctx, cancel := context.WithCancel(context.Background())
		begin := -1
		err := Run(ctx, cut, d, RunOptions{Workers: 2, Progress: func(p Progress) {
			if begin < 0 {
				begin = p.Games
			}
			if p.Games > begin+60 {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if round > 60 {
			t.Fatalf("no progress: %v", err)
		}
	}
	sameTrees(t, "interrupted", want, tree(t, cut))

	a, err := Analyse(one)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Complete {
		t.Error("a stopped experiment is called incomplete")
	}
	for _, c := range a.Cells {
		if !c.SelfPlay {
			if c.Stop != nil || c.Pairs != d.Pairs {
				t.Errorf("the match stopped at %d pairs", c.Pairs)
			}
			continue
		}
		if c.Stop == nil || c.Stop.Verdict == DecisionOpen || c.Pairs >= d.Pairs || c.Pairs%d.UnitPairs != 0 || c.Decision != c.Stop.Verdict || c.Stop.Estimate == nil {
			t.Errorf("%s %s: stop %+v after %d pairs, decision %q", c.Name, c.A, c.Stop, c.Pairs, c.Decision)
		}
	}
}

// TestSequentialPlan: with pairs that vary as independent decisive games do, and a
// margin of 5 points, the test takes some hundred pairs on average and is seldom
// undecided after 1,500; a maximum that is far too low leaves it undecided.
func TestSequentialPlan(t *testing.T) {
	d := sequentialDesign()
	d.Margin, d.Pairs = 0.05, 1500
	p := d.sequential(decisivePairSD)
	if p == nil || p.PairsEven < 100 || p.PairsEven > 800 || p.PairsOff < 100 || p.PairsOff > 800 || p.UndecidedEven > 0.05 || p.UndecidedOff > 0.05 {
		t.Errorf("plan %+v", p)
	}
	d.Pairs = 30
	if p := d.sequential(decisivePairSD); p == nil || p.UndecidedEven < 0.5 || p.PairsEven > 30 {
		t.Errorf("30 pairs at most: %+v", p)
	}
}
