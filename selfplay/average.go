package selfplay

import "latro/nn"

// average moves the playing network avg towards the trained one: an exponential moving average of the weights
// over training steps, with the given decay a step. In the first steps the decay is (1+step)/(10+step), so that
// the random start is soon forgotten.
//
// A single step's weights carry the noise of the last few batches, and with the small networks and short
// generations of this project that noise was seen to undo a network's play for a generation; the mean over some
// hundred steps does not have it.
func average(avg, trained *nn.Network, decay float64) {
	step := float64(trained.Step)
	keep := float32(min(decay, (1+step)/(10+step)))
	for i := range avg.Tensors {
		a, t := avg.Tensors[i].Data, trained.Tensors[i].Data
		for k := range a {
			a[k] = float32(keep*a[k]) + float32((1-keep)*t[k])
		}
	}
	avg.Step = trained.Step
}
