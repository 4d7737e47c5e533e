package kernel

import (
	"fmt"
	"sync"
)

// gradientGroup is about how many pixels a weight gradient sums before it moves
// to the next group of weights: enough to hide the loading and storing of the
// sums, few enough that inputs and gradients stay in the first-level cache.
const gradientGroup = 192

// WeightGradient sets dw[taps][in][out] (t.Size² taps, in ≤ t.In real input
// channels padded to t.In, out = the gradient buffer's channels, a multiple of
// Block) to
//
//	Σ_p x[p shifted by tap][i] · dz[p][o]
//
// over all squares of the layout. x has t.In channels a pixel, dz has out. The
// work is split over the weights and each weight is summed over the boards in
// their order, so the result does not depend on threads.
// dw must have length t.Weights()·out.
func WeightGradient(dw, x, dz []float32, l *Layout, t Taps, out, threads int) {
	if len(x) < l.Pixels*t.In || len(dz) < l.Pixels*out || len(dw) != t.Weights()*out || out%Block != 0 {
		panic("kernel: WeightGradient: lengths do not match the layer")
	}
	blocks := out / Block
	Parallel(threads, t.Size*blocks, func(task int) {
		row, ob := task/blocks, task%blocks*Block
		for m := range t.Run() {
			clear(dw[(row*t.Run()+m)*out+ob:][:Block])
		}
		group := max(1, gradientGroup/l.Cols)
		for s := 0; s < len(l.spans); s += group {
			spans := l.spans[s:min(s+group, len(l.spans))]
			g := gradientArgs{
				x: x, xStride: t.In, dz: dz, dzStride: out, channel: ob,
				dw: dw, dwStride: out, spans: spans, length: l.Cols,
			}
			for m := 0; m < t.Run(); m += tile {
				g.m = min(tile, t.Run()-m)
				g.offset = row*l.RowStride*t.In - t.lead(l) + m
				g.dwRow = row*t.Run() + m
				gradientBlock(&g)
			}
		}
	})
}

// gradientArgs is what a kernel needs to add to m×Block weight gradients the
// products over some spans of pixels.
type gradientArgs struct {
	x                 []float32
	xStride, offset   int
	dz                []float32
	dzStride, channel int
	dw                []float32
	dwStride, dwRow   int
	m                 int
	spans             []int32
	length            int
}

// gradientGeneric is the portable kernel: 2 weights rows × 4 channels at once.
func gradientGeneric(a *gradientArgs) {
	for m := 0; m < a.m; m += 2 {
		two := m+1 < a.m
		for o := 0; o < Block; o += 4 {
			var c00, c01, c02, c03, c10, c11, c12, c13 float32
			for _, s := range a.spans {
				xi := int(s)*a.xStride + a.offset + m
				zi := int(s)*a.dzStride + a.channel + o
				for range a.length {
					z := a.dz[zi : zi+4 : zi+4]
					v0 := a.x[xi]
					c00 += float32(v0 * z[0])
					c01 += float32(v0 * z[1])
					c02 += float32(v0 * z[2])
					c03 += float32(v0 * z[3])
					if two {
						v1 := a.x[xi+1]
						c10 += float32(v1 * z[0])
						c11 += float32(v1 * z[1])
						c12 += float32(v1 * z[2])
						c13 += float32(v1 * z[3])
					}
					xi += a.xStride
					zi += a.dzStride
				}
			}
			d := a.dw[(a.dwRow+m)*a.dwStride+a.channel+o:][:4]
			d[0] += c00
			d[1] += c01
			d[2] += c02
			d[3] += c03
			if two {
				d = a.dw[(a.dwRow+m+1)*a.dwStride+a.channel+o:][:4]
				d[0] += c10
				d[1] += c11
				d[2] += c12
				d[3] += c13
			}
		}
	}
}

// Parallel calls task(0) … task(n-1) on at most threads goroutines, the caller
// among them, and returns when all are done. Tasks must not depend on their
// order: which goroutine runs which is not fixed.
func Parallel(threads, n int, task func(i int)) {
	if threads < 1 {
		panic(fmt.Sprintf("kernel: %d threads", threads))
	}
	if threads == 1 || n <= 1 {
		for i := range n {
			task(i)
		}
		return
	}
	var mu sync.Mutex
	next := 0
	work := func() {
		for {
			mu.Lock()
			i := next
			next++
			mu.Unlock()
			if i >= n {
				return
			}
			task(i)
		}
	}
	var wg sync.WaitGroup
	for range min(threads, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
