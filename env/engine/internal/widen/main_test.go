package main

import (
	"bytes"
	"os"
	"testing"
)

// TestKernelsInStep compares the kernels of two and four words with what the generator makes of those of one.
func TestKernelsInStep(t *testing.T) {
	for dir, atLeast := range map[string]int{"../..": 16, "../../../../mcts": 2} {
		copies, err := widen(dir)
		if err != nil || len(copies) < atLeast {
			t.Fatalf("%s: %d copies, %v", dir, len(copies), err)
		}
		for name, want := range copies {
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is out of step (%v): go generate", name, err)
			}
		}
	}
}
