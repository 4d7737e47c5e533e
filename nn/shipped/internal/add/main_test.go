package main

import (
	"math"
	"testing"
)

func TestHours(t *testing.T) {
	log := []byte(`time=x level=INFO msg="generation begins" generation=0 games=64
time=x level=INFO msg="games played" generation=0 games=64 mean_plies=204.7 win0=22 seconds=1800.5
time=x level=INFO msg=trained generation=0 steps=304 last_loss=3.9 seconds=100
time=x level=INFO msg=trained generation=0 steps=304 last_loss=3.9 seconds=899.5
time=x level=INFO msg="games played" generation=1 games=64 seconds=900
time=x level=INFO msg=trained generation=1 steps=304 last_loss=3.9 seconds=1e6
`)
	for generation, want := range []float64{0, 0.75} {
		if got := hours(log, generation); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d generations took %v hours, want %v", generation, got, want)
		}
	}
}

func TestWithoutFolder(t *testing.T) {
	for line, want := range map[string]string{
		"init_from: /home/me/runs/a/gen-0012.latro\n": "init_from: gen-0012.latro\n",
		"init_from: \"/my runs/gen-0012.latro\"\n":    "init_from: gen-0012.latro\n",
		"init_from: shipped:bell-8x7\n":               "init_from: shipped:bell-8x7\n",
		"seed: 2\n":                                   "seed: 2\n",
	} {
		if got := withoutFolder(line); got != want {
			t.Errorf("%q became %q, want %q", line, got, want)
		}
	}
}
