package measure

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"latro/nn"
	"latro/nn/cputime"
	"latro/nn/internal/kernel"
)

// Peak returns what one core does at most, in 10⁹ floating-point operations a
// CPU-second: nothing but fused multiply-adds, as many at once as the kernels
// use. It is 0 where there are no assembly kernels. The best of several turns
// counts.
func Peak() float64 {
	const rounds = 300_000
	best := 0.0
	for range 10 {
		start := cputime.Process()
		flops := float64(0)
		for range 10 {
			flops += float64(kernel.PeakFlops(rounds))
		}
		if spent := (cputime.Process() - start).Seconds(); spent > 0 {
			best = max(best, flops/spent/1e9)
		}
	}
	return best
}

// Direct returns what the direct kernel does in a 3×3 convolution of 64 to 64
// channels on 8 boards of 8×8, in the same unit and manner as Peak.
func Direct() float64 {
	l := layerFor(nn.Case{Rows: 8, Cols: 8, In: 64, Out: 64}, nn.Direct, 8)
	best := 0.0
	for range 10 {
		best = max(best, 2*8*64*9*64*64/l.time(20*time.Millisecond)/1e9)
	}
	return best
}

// timedLayer is one convolution on random data.
type timedLayer struct {
	method nn.Method
	boards int
	run    func()
}

// layerFor makes a layer of the case for the given method.
func layerFor(c nn.Case, method nn.Method, boards int) timedLayer {
	rng := rand.New(rand.NewPCG(3, 3))
	random := func(n int) []float32 {
		d := make([]float32, n)
		for i := range d {
			d[i] = rng.Float32()
		}
		return d
	}
	out := kernel.RoundUp(c.Out, kernel.Block)
	for _, tile := range kernel.Tiles() {
		if method != nn.Method("winograd-"+tile.String()) {
			continue
		}
		in := kernel.RoundUp(c.In, 8)
		l := kernel.NewPaddedBoards(boards, c.Rows, c.Cols, kernel.RoundUp(c.Rows, tile.Rows), kernel.RoundUp(c.Cols, tile.Cols))
		w := &kernel.Winograd{Tile: tile, In: in, Out: out, Bias: random(out), ReLU: true, Weights: random(out * tile.Points() * in)}
		t := kernel.NewTiling(l, tile)
		var s kernel.Scratch
		s.Reserve(w, t)
		x, y, r := random(l.Pixels*in), make([]float32, l.Pixels*out), random(l.Pixels*out)
		return timedLayer{method, boards, func() { w.Forward(&s, t, y, x, r, nil, boards) }}
	}
	in := kernel.RoundUp(c.In, 4)
	l := kernel.NewBoards(boards, c.Rows, c.Cols)
	p := &kernel.Product{Layout: l, Taps: kernel.Taps{Size: 3, In: in}, Out: out, Bias: random(out), ReLU: true}
	p.Weights = random(out * p.Taps.Weights())
	x, y, r := random(l.Pixels*in), make([]float32, l.Pixels*out), random(l.Pixels*out)
	return timedLayer{nn.Direct, boards, func() { p.Forward(y, x, r, 0, boards) }}
}

// time returns CPU-seconds a run.
func (l *timedLayer) time(atLeast time.Duration) float64 {
	l.run()
	runs, start := 0, cputime.Process()
	for {
		l.run()
		runs++
		if spent := cputime.Process() - start; spent >= atLeast {
			return spent.Seconds() / float64(runs)
		}
	}
}

// Choice is what Tune says about a case.
type Choice struct {
	Case   string    `json:"case"`
	Now    nn.Method `json:"now"`
	Better nn.Method `json:"proposed"`
	// Micros is the time a position of each method, in microseconds.
	Micros map[nn.Method]float64 `json:"microseconds"`
}

// Changed reports whether the proposal is another method than the present one.
func (c Choice) Changed() bool { return c.Now != c.Better }

// tuneGain is by how much a method must be faster to be proposed: a change makes
// every recorded result irreproducible, which a hundredth is not worth.
const tuneGain = 0.95

// Tune measures every method for each case, in turns of which the best counts,
// and proposes another one where it is faster by more than a twentieth. boards is
// the number of positions side by side, 1 to 16.
func Tune(ctx context.Context, cases []nn.Case, boards int, each time.Duration) ([]Choice, error) {
	if boards < 1 || boards > 16 {
		return nil, fmt.Errorf("tune: %d boards; 1 to 16 will do", boards)
	}
	var out []Choice
	for _, c := range cases {
		ch := Choice{Case: c.String(), Now: nn.MethodFor(c), Micros: map[nn.Method]float64{}}
		var layers []timedLayer
		for _, m := range nn.Methods() {
			layers = append(layers, layerFor(c, m, boards))
		}
		for range 5 {
			for i := range layers {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				m := layers[i].method
				t := layers[i].time(each/5) / float64(boards) * 1e6
				if was, ok := ch.Micros[m]; !ok || t < was {
					ch.Micros[m] = t
				}
			}
		}
		ch.Better = ch.Now
		for _, m := range nn.Methods() {
			if ch.Micros[m] < ch.Micros[ch.Better] && ch.Micros[m] < tuneGain*ch.Micros[ch.Now] {
				ch.Better = m
			}
		}
		out = append(out, ch)
	}
	return out, nil
}

// Table returns the proposal as the text of nn/methods.txt: the present table
// with the lines of the cases that were measured put in.
func Table(choices []Choice) string {
	lines := map[string]nn.Method{}
	for c, m := range nn.MethodTable() {
		lines[c.String()] = m
	}
	for _, c := range choices {
		lines[c.Case] = c.Better
	}
	var b strings.Builder
	b.WriteString(nn.MethodTableHead)
	for _, c := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%s %s\n", c, lines[c])
	}
	return b.String()
}
