package nn_test

import (
	"fmt"

	"latro/nn"
)

// A network for a made-up game on a 5×5 board learns one position and then
// plays it.
func Example() {
	shape := nn.Shape{Rows: 5, Cols: 5, Planes: 3, Globals: 1, ActionPlanes: []string{"n1", "e1", "s1", "w1"}}
	cfg, err := nn.ParsePreset("1x16")
	if err != nil {
		fmt.Println(err)
		return
	}
	network, err := nn.New(cfg, shape, 7)
	if err != nil {
		fmt.Println(err)
		return
	}

	train := nn.DefaultTrainConfig()
	train.BatchSize = 1
	trainer, err := nn.NewTrainer(network, train)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Close()
	batch := nn.Batch{
		N:       1,
		Obs:     make([]float32, shape.Obs()),
		Globals: []float32{0.5},
		Policy:  make([]float32, shape.Actions()),
		WDL:     []float32{1, 0, 0}, // the mover won
	}
	batch.Obs[12] = 1      // a man in the middle
	batch.Policy[1*25] = 1 // plane e1, square a1
	for range 100 {
		if _, err := trainer.Step(&batch); err != nil {
			fmt.Println(err)
			return
		}
	}

	inference, err := nn.Compile(trainer.Network())
	if err != nil {
		fmt.Println(err)
		return
	}
	out := nn.NewOutputs(shape, 1)
	if err := inference.NewInstance(1).Run(1, batch.Obs, batch.Globals, out); err != nil {
		fmt.Println(err)
		return
	}
	best := 0
	for a, logit := range out.Policy {
		if logit > out.Policy[best] {
			best = a
		}
	}
	fmt.Println("best action", best, "win most likely", out.WDL[0] > out.WDL[1] && out.WDL[0] > out.WDL[2])
	// Output: best action 25 win most likely true
}

// A network that knows steps learns a game that also has hops.
func ExampleNetwork_Transfer() {
	steps := nn.Shape{Rows: 6, Cols: 6, Planes: 8, ActionPlanes: []string{"n1", "e1", "s1", "w1"}}
	hops := nn.Shape{Rows: 8, Cols: 7, Planes: 8, ActionPlanes: []string{"n1", "n2", "e1", "e2", "s1", "s2", "w1", "w2"}}
	cfg, _ := nn.ParsePreset("1x16")
	parent, err := nn.New(cfg, steps, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, report, err := parent.Transfer(hops, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range report {
		if line.Action != "kept" {
			fmt.Println(line)
		}
	}
	// Output:
	// policy.out.weight: kept in part: planes kept [n1 e1 s1 w1], initialised [n2 e2 s2 w2]
	// policy.out.bias: kept in part: planes kept [n1 e1 s1 w1], initialised [n2 e2 s2 w2]
}
