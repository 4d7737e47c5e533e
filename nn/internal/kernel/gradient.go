package kernel

import (
	"fmt"
	"sync"
)

// gradientGroup is about how many pixels a weight gradient sums before it moves
// to the next group of weights: enough to hide the loading and storing of the
// sums, few enough that inputs and gradients stay in the first-level cache.
const gradientGroup = 128

// A weight gradient is summed in a fixed number of parts that threads can share
// out: one for each partBoards boards, at most maxParts.
const (
	partBoards = 16
	maxParts   = 8
)

// WeightGradient computes the gradients of a layer's weights. It owns scratch
// memory: one use at a time.
type WeightGradient struct {
	layout *Layout
	taps   Taps
	out    int
	group  int         // board rows in a group
	sums   [][]float32 // the parts' sums; the first part uses the result
	packed [][]float32 // the parts' packed output gradients
}

// NewWeightGradient prepares the gradient of a layer whose input buffer has
// t.In channels and whose output gradients have out channels (a multiple of
// Block).
func NewWeightGradient(l *Layout, t Taps, out int) *WeightGradient {
	if out%Block != 0 {
		panic(fmt.Sprintf("kernel: NewWeightGradient: %d channels", out))
	}
	g := &WeightGradient{layout: l, taps: t, out: out, group: max(1, gradientGroup/l.Cols)}
	parts := min(max(1, l.Boards/partBoards), maxParts)
	for i := range parts {
		var sums []float32
		if i > 0 {
			sums = make([]float32, t.Weights()*out)
		}
		g.sums = append(g.sums, sums)
		g.packed = append(g.packed, make([]float32, g.group*l.Cols*Block))
	}
	return g
}

// Run sets dw[taps][t.In][out] to
//
//	Σ_p x[p shifted by tap][i] · dz[p][o]
//
// over all squares of the layout. x has t.In channels a pixel, dz has out. Each
// part sums its boards in their order and the parts are added in theirs, so the
// result does not depend on threads.
func (g *WeightGradient) Run(dw, x, dz []float32, threads int) {
	l, t := g.layout, g.taps
	if len(x) < l.Pixels*t.In || len(dz) < l.Pixels*g.out || len(dw) != t.Weights()*g.out {
		panic("kernel: WeightGradient: lengths do not match the layer")
	}
	parts := len(g.sums)
	Parallel(threads, parts, func(part int) {
		sums := g.sums[part]
		if part == 0 {
			sums = dw
		}
		clear(sums)
		from, to := l.Rows*(part*l.Boards/parts), l.Rows*((part+1)*l.Boards/parts)
		g.sum(sums, g.packed[part], x, dz, l.spans[from:to])
	})
	for _, s := range g.sums[1:] {
		for i, v := range s {
			dw[i] += v
		}
	}
}

// sum adds the products over the given spans to sums. All weights see one group
// of pixels before the next is read: the activations of a batch are larger than
// the caches, the weights are not.
func (g *WeightGradient) sum(sums, packed, x, dz []float32, spans []int32) {
	l, t := g.layout, g.taps
	for len(spans) > 0 {
		k := min(g.group, len(spans))
		a := gradientArgs{x: x, xStride: t.In, dz: packed, dw: sums, dwStride: g.out, spans: spans[:k], length: l.Cols}
		for a.channel = 0; a.channel < g.out; a.channel += Block {
			// Gradients that lie close together leave the cache to the inputs.
			n := 0
			for _, p := range a.spans {
				for c := range l.Cols {
					n += copy(packed[n:], dz[(int(p)+c)*g.out+a.channel:][:Block])
				}
			}
			for row := range t.Size {
				for m := 0; m < t.Run(); m += tile {
					a.m = min(tile, t.Run()-m)
					a.offset = row*l.RowStride*t.In - t.lead(l) + m
					a.dwRow = row*t.Run() + m
					gradientBlock(&a)
				}
			}
		}
		spans = spans[k:]
	}
}

// gradientArgs is what a kernel needs to add to m×Block weight gradients the
// products over some spans of pixels. dz holds Block floats for each pixel of
// the spans, one after the other.
type gradientArgs struct {
	x               []float32
	xStride, offset int
	dz              []float32
	channel         int
	dw              []float32
	dwStride, dwRow int
	m               int
	spans           []int32
	length          int
}

// gradientGeneric is the portable kernel: 2 weights rows × 4 channels at once.
func gradientGeneric(a *gradientArgs) {
	for m := 0; m < a.m; m += 2 {
		two := m+1 < a.m
		for o := 0; o < Block; o += 4 {
			var c00, c01, c02, c03, c10, c11, c12, c13 float32
			zi := o
			for _, s := range a.spans {
				xi := int(s)*a.xStride + a.offset + m
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
					zi += Block
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
