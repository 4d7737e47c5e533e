package main

import (
	"os"
	"path/filepath"
	"testing"

	"latro/nn"
)

func TestBenchNet(t *testing.T) {
	var n struct {
		Inference, Training, Workers []map[string]any
		Direct                       float64 `json:"direct_gflops"`
	}
	small := []string{"bench", "net", "--quick", "-r", "bell-8x7", "--nets", "1x16,2x16", "--batches", "1,4", "--time", "1ms", "--train-batch", "4"}
	latroJSON(t, &n, small...)
	if len(n.Inference) != 20 || n.Inference[10]["net"] != "2x16" || n.Inference[5]["batch"] != 4.0 || n.Inference[3]["board"] != "8x7" {
		t.Errorf("inference %v", n.Inference)
	}
	positive(t, n.Inference, "positions_per_cpu_second")
	if n.Inference[0]["implementation"] != "compiled" || n.Inference[0]["allocations_per_run"] != 0.0 {
		t.Errorf("inference %v", n.Inference[0])
	}
	if len(n.Training) != 4 || n.Training[1]["implementation"] != "stock" || n.Training[1]["batch"] != 4.0 {
		t.Errorf("training %v", n.Training)
	}
	positive(t, n.Training, "cpu_seconds_per_step", "peak_bytes")
	positive(t, n.Workers, "positions_per_second", "alone_positions_per_second", "times_one", "times_one_by_cpu_time")
	if n.Direct <= 0 {
		t.Errorf("direct %v", n.Direct)
	}

	out := latro(t, exitDone, "bench", "net", "--nets", "1x16", "--boards", "5x6,3x3", "--batches", "1", "--time", "1ms", "--train-batch", "2").out
	wantIn(t, out, "5x6", "3x3", "graph-stock", "purego", "2 workers", "CPU-s/step", "kernels "+nn.KernelID())

	path := filepath.Join(t.TempDir(), "methods.txt")
	tuned := latro(t, exitDone, "bench", "net", "--tune", "--nets", "1x16", "--boards", "5x6", "--time", "1ms", "--out", path).out
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nn.ParseMethodTable(string(text)); err != nil {
		t.Errorf("the proposed table: %v", err)
	}
	wantIn(t, tuned, "winograd-4x4", "5x6 16>16", string(text))
	var j struct{ Choices []map[string]any }
	latroJSON(t, &j, "bench", "net", "--tune", "--nets", "1x16", "--boards", "3x3", "--time", "1ms")
	if len(j.Choices) != 2 || j.Choices[1]["case"] != "3x3 16>16" {
		t.Errorf("choices %v", j.Choices)
	}

	for _, args := range [][]string{
		{"--nets", "big"}, {"--batches", "0"}, {"--time=-1s"}, {"-r", "nosuch"}, {"--boards", "8"}, {"--boards", "8x8x"}, {"--boards", "0x8"},
		{"--boards", "100x100"}, {"--implementations", "magic"}, {"--out", "x"}, {"--train-batch", "0"},
	} {
		latro(t, exitInput, append([]string{"bench", "net"}, args...)...)
	}
}
