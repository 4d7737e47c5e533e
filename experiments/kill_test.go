package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"
)

const killDirectory = "LATRO_TEST_KILL_DIRECTORY"

func killDesign() Design {
	d := smallDesign()
	d.Pairs, d.UnitPairs = 30, 2
	return d
}

// TestMain plays the part of the process that is killed when asked to.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killDirectory); dir != "" {
		if err := Run(context.Background(), dir, killDesign(), RunOptions{Workers: 2}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestSurvivesSIGKILL kills real processes at random moments; whatever they left
// behind, the next one goes on, and in the end there are the bytes of a run that
// was never killed.
func TestSurvivesSIGKILL(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(4, 4))
	kills := 0
	for round := 0; ; round++ {
		if round > 60 {
			t.Fatal("the run makes no progress")
		}
		cmd := exec.Command(os.Args[0], "-test.run=none")
		cmd.Env = append(os.Environ(), killDirectory+"="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		// Ten kills at most, then it may finish.
		limit := time.Duration(20+rng.IntN(250)) * time.Millisecond
		if kills >= 10 {
			limit = time.Minute
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		case <-time.After(limit):
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-done
			kills++
			continue
		}
		break
	}
	t.Logf("%d kills", kills)
	whole := t.TempDir()
	if err := Run(context.Background(), whole, killDesign(), RunOptions{}); err != nil {
		t.Fatal(err)
	}
	sameTrees(t, "killed run", tree(t, whole), tree(t, dir))
}
