package cputime

import (
	"testing"
	"time"
)

var sink float64

// TestProcess: the time grows with work, and sleeping costs hardly any of it.
func TestProcess(t *testing.T) {
	before := Process()
	for Process()-before < 20*time.Millisecond {
		for range 1000 {
			sink = sink*0.5 + 1
		}
	}
	before = Process()
	time.Sleep(200 * time.Millisecond)
	if slept := Process() - before; slept < 0 || slept > 150*time.Millisecond {
		t.Errorf("sleeping 0.2 s cost %v of processor time", slept)
	}
}
