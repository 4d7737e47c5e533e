//go:build amd64 && !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run -tags kernelgen ./gen -out kernels_amd64.s -stubs kernels_amd64.go -pkg kernel

// native says whether the processor can run the assembly kernels. It is set
// once, before main, from the processor's own description.
var native = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// ID names the family of kernels in use. Results are reproducible to the last
// bit between machines that report the same ID.
func ID() string {
	if native {
		return "avx2fma-1"
	}
	return portableID
}

// forwardCall is the argument block of forwardAVX2. The order of its fields is
// known to the generator; all strides and lengths are in bytes.
type forwardCall struct {
	index                       *int32
	tiles                       int64
	src, w, bias, residual, dst *float32
	srcStride, dstStride, lead  int64
	rows, run, rowStride, relu  int64
}

// gradientCall is the argument block of the gradient kernels, likewise.
type gradientCall struct {
	spans             *int32
	count, length     int64
	x, dz, dw         *float32
	xStride, dwStride int64
	// first is the pixel that x points at.
	first int64
}

const floatSize = 4

// forwardBlock dispatches to the fastest kernel. The indices come from a Layout
// and the lengths were checked by Forward, so every access is in bounds.
func forwardBlock(a *blockArgs, index []int32) {
	if !native {
		forwardGeneric(a, index)
		return
	}
	c := forwardCall{
		index: &index[0], tiles: int64(len(index) / tile),
		src: &a.src[0], w: &a.w[0], bias: &a.bias[0], dst: &a.dst[a.channel],
		srcStride: int64(a.srcStride) * floatSize, dstStride: int64(a.dstStride) * floatSize,
		lead: int64(a.lead) * floatSize, rows: int64(a.rows), run: int64(a.run) * floatSize,
		rowStride: int64(a.rowStride) * floatSize,
	}
	if a.residual != nil {
		c.residual = &a.residual[a.channel]
	}
	if a.relu {
		c.relu = 1
	}
	forwardAVX2((*byte)(unsafe.Pointer(&c)))
}

// gradientBlock dispatches to the fastest kernel.
func gradientBlock(a *gradientArgs) {
	if !native {
		gradientGeneric(a)
		return
	}
	// The first span's first pixel is addressed with a.offset, which may be
	// negative; only the sum is in bounds, so the base pointer is formed from
	// an element that exists and the spans are counted from it.
	first := int(a.spans[0])
	c := gradientCall{
		spans: &a.spans[0], count: int64(len(a.spans)), length: int64(a.length),
		x:       &a.x[first*a.xStride+a.offset],
		dz:      &a.dz[0],
		dw:      &a.dw[a.dwRow*a.dwStride+a.channel],
		xStride: int64(a.xStride) * floatSize, dwStride: int64(a.dwStride) * floatSize,
		first: int64(first),
	}
	switch a.m {
	case 1:
		gradient1AVX2((*byte)(unsafe.Pointer(&c)))
	case 2:
		gradient2AVX2((*byte)(unsafe.Pointer(&c)))
	case 3:
		gradient3AVX2((*byte)(unsafe.Pointer(&c)))
	case 4:
		gradient4AVX2((*byte)(unsafe.Pointer(&c)))
	case 5:
		gradient5AVX2((*byte)(unsafe.Pointer(&c)))
	default:
		gradient6AVX2((*byte)(unsafe.Pointer(&c)))
	}
}

// spanCall is the common head of the argument blocks of the kernels that visit
// the squares of one board.
type spanCall struct {
	spans                 *int32
	count, length, stride int64
}

func spansOf(l *Layout, b, channels int) spanCall {
	return spanCall{spans: &l.spans[b*l.Rows], count: int64(l.Rows), length: int64(l.Cols), stride: int64(channels) * floatSize}
}

// lastPixel is used for bounds checks: the kernels touch nothing beyond it.
func lastPixel(l *Layout, b int) int { return int(l.spans[(b+1)*l.Rows-1]) + l.Cols - 1 }

type poolCall struct {
	spanCall
	src, first, sum, top *float32
}

// poolBoard computes the same bits as poolGeneric: sums in the same order.
func poolBoard(mean, top, src []float32, l *Layout, channels, b int) {
	if !native || channels%Block != 0 {
		poolGeneric(mean, top, src, l, channels, b)
		return
	}
	_ = src[(lastPixel(l, b)+1)*channels-1]
	first := int(l.spans[b*l.Rows]) * channels
	c := poolCall{spanCall: spansOf(l, b, channels)}
	for ch := 0; ch < channels; ch += Block {
		c.src, c.first, c.sum, c.top = &src[ch], &src[first+ch], &mean[ch : ch+Block][0], &top[ch : ch+Block][0]
		poolAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

type maskCall struct {
	spanCall
	dz, grad, y, sum *float32
	relu             int64
}

// maskGradient computes the same bits as maskGeneric.
func maskGradient(dz, grad, y []float32, l *Layout, channels, b int, relu bool, sums []float32) {
	if !native || channels%Block != 0 {
		maskGeneric(dz, grad, y, l, channels, b, relu, sums)
		return
	}
	end := (lastPixel(l, b)+1)*channels - 1
	_, _, _ = dz[end], grad[end], y[end]
	c := maskCall{spanCall: spansOf(l, b, channels)}
	if relu {
		c.relu = 1
	}
	for ch := 0; ch < channels; ch += Block {
		c.dz, c.grad, c.y, c.sum = &dz[ch], &grad[ch], &y[ch], &sums[ch : ch+Block][0]
		maskAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

type boardBiasCall struct {
	spanCall
	dst, src, bias *float32
}

// boardBias computes the same bits as boardBiasGeneric.
func boardBias(dst, src, bias []float32, l *Layout, channels, b int) {
	if !native || channels%Block != 0 {
		boardBiasGeneric(dst, src, bias, l, channels, b)
		return
	}
	end := (lastPixel(l, b)+1)*channels - 1
	_, _ = dst[end], src[end]
	c := boardBiasCall{spanCall: spansOf(l, b, channels)}
	for ch := 0; ch < channels; ch += Block {
		c.dst, c.src, c.bias = &dst[ch], &src[ch], &bias[ch : ch+Block][0]
		boardBiasAVX2((*byte)(unsafe.Pointer(&c)))
	}
}

// PeakFlops does rounds of nothing but multiply-adds, for measuring what the
// core can do at most, and returns the number of floating-point operations
// done; 0 where there are no assembly kernels.
func PeakFlops(rounds int) int64 {
	if !native || rounds < 1 {
		return 0
	}
	peakAVX2(int64(rounds))
	return int64(rounds) * 12 * 8 * 2
}
