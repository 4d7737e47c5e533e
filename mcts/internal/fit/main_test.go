package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"latro/mcts"
)

// Rows drawn from known weights give them back, and without rows the prior stays.
func TestRegressFindsWeights(t *testing.T) {
	names := mcts.FeatureNames()
	truth := make([]float64, len(names))
	truth[0], truth[4], truth[5] = 800, -50, 300
	rng := rand.New(rand.NewPCG(1, 2))
	var data []row
	for range 20000 {
		x := make([]int32, len(names))
		z := 0.0
		for j := range x {
			if j < 8 {
				x[j] = int32(rng.IntN(9)) - 4
			}
			z += truth[j] * float64(x[j]) / 1000
		}
		y := 0.0
		if rng.Float64() < 1/(1+math.Exp(-z)) {
			y = 1
		}
		data = append(data, row{x, y})
	}
	w, loss, base, err := regress(data, map[string]float64{names[0]: 100, names[16]: 7}, 1e-5)
	if err != nil {
		t.Fatal(err)
	}
	// The standard error of a weight is some 1000/sqrt(20000*0.15*6.7), that is 7.
	for j, name := range names[:8] {
		if math.Abs(w[name]-truth[j]) > 35 {
			t.Errorf("%s is %v, not %v", name, w[name], truth[j])
		}
	}
	if w[names[16]] != 7 {
		t.Errorf("a feature that no row has got %v, not its prior 7", w[names[16]])
	}
	if loss >= base {
		t.Errorf("loss %v, without features %v", loss, base)
	}
	prior := map[string]float64{"men": 1}
	if w, _, _, err := regress(nil, prior, 1); err != nil || !reflect.DeepEqual(w, prior) {
		t.Errorf("without rows %v, %v", w, err)
	}
}

// The same options give the same rows, whatever was played before.
func TestGamesRepeat(t *testing.T) {
	o := options{games: 3, nodes: 30, maxPlies: 120, stray: 0.1, seed: 5}
	w := &mcts.Weights{Families: map[string]mcts.FamilyWeights{"generic": start}}
	f := family{[]string{"6x6-kharebga"}, 1}
	a, err := play(f, 0, 1, w, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := play(f, 0, 1, w, o)
	if err != nil {
		t.Fatal(err)
	}
	if a.games != 3 || !reflect.DeepEqual(a, b) {
		t.Error("games differ")
	}
	if err := run("", o); err == nil {
		t.Error("no file to write, and no error")
	}
}
