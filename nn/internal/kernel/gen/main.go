//go:build kernelgen

// Command gen writes the AVX2+FMA kernels of package kernel with avo.
//
// Run it through go generate in package kernel; the result is committed. The
// build tag keeps the generator, and the large library it needs, out of ordinary
// builds.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pixels is the number of pixels (or weight rows) of a tile: 6×2 registers of
// sums, two of weights and two of inputs fill the sixteen there are, and twelve
// independent sums hide the latency of a fused multiply-add (4 to 5 cycles, 2 a
// cycle).
const pixels = 6

// unroll is the number of input channels a loop round handles; channel counts
// are multiples of it.
const unroll = 4

var (
	args  = RAX
	sums  = [...]VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11}
	left  = Y12
	right = Y13
	in    = [...]VecPhysical{Y14, Y15}
)

func main() {
	ConstraintExpr("amd64,!purego")
	forward()
	for m := 1; m <= pixels; m++ {
		gradient(m)
	}
	pool()
	mask()
	boardBias()
	peak()
	winograd()
	Generate()
}

// field addresses a field of the argument block by its word.
func field(word int) Mem { return Mem{Base: args, Disp: 8 * word} }

// forward computes 16 channels of tiles of 6 pixels. The words of its argument
// block are those of type forwardCall.
func forward() {
	const (
		index, tiles, src, weights, bias, residual, dst, srcStride, dstStride, lead, rows, run, rowStride, relu = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
	)
	TEXT("forwardAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("forwardAVX2 computes Block channels of c.tiles tiles of pixels.")
	Load(Param("c"), args)
	x := [...]GPPhysical{R8, R9, R10, R11, R12, R13}
	w, at, row, tmp, list := RSI, RDX, RCX, RBX, RDI

	MOVQ(field(index), list)
	Label("tile")
	// The sums start at bias plus residual.
	MOVQ(field(bias), tmp)
	VMOVUPS(Mem{Base: tmp}, left)
	VMOVUPS(Mem{Base: tmp, Disp: 32}, right)
	for i := range pixels {
		VMOVAPS(left, sums[2*i])
		VMOVAPS(right, sums[2*i+1])
	}
	MOVQ(field(residual), w)
	TESTQ(w, w)
	JZ(LabelRef("inputs"))
	for i := range pixels {
		MOVLQSX(Mem{Base: list, Disp: 4 * i}, tmp)
		IMULQ(field(dstStride), tmp)
		VADDPS(Mem{Base: w, Index: tmp, Scale: 1}, sums[2*i], sums[2*i])
		VADDPS(Mem{Base: w, Index: tmp, Scale: 1, Disp: 32}, sums[2*i+1], sums[2*i+1])
	}
	Label("inputs")
	MOVQ(field(src), tmp)
	SUBQ(field(lead), tmp)
	for i := range pixels {
		MOVLQSX(Mem{Base: list, Disp: 4 * i}, x[i])
		IMULQ(field(srcStride), x[i])
		ADDQ(tmp, x[i])
	}
	MOVQ(field(weights), w)
	MOVQ(field(rows), row)
	Label("row")
	XORQ(at, at)
	Label("channel")
	for k := range unroll {
		VMOVUPS(Mem{Base: w, Disp: 64 * k}, left)
		VMOVUPS(Mem{Base: w, Disp: 64*k + 32}, right)
		for i := range pixels {
			v := in[i%2]
			VBROADCASTSS(Mem{Base: x[i], Index: at, Scale: 1, Disp: 4 * k}, v)
			VFMADD231PS(left, v, sums[2*i])
			VFMADD231PS(right, v, sums[2*i+1])
		}
	}
	ADDQ(U32(64*unroll), w)
	ADDQ(Imm(4*unroll), at)
	CMPQ(at, field(run))
	JLT(LabelRef("channel"))
	MOVQ(field(rowStride), tmp)
	for i := range pixels {
		ADDQ(tmp, x[i])
	}
	DECQ(row)
	JNZ(LabelRef("row"))
	CMPQ(field(relu), Imm(0))
	JEQ(LabelRef("store"))
	VXORPS(left, left, left)
	for i := range sums {
		// In this order a sum that is not a number stays one.
		VMAXPS(sums[i], left, sums[i])
	}
	Label("store")
	MOVQ(field(dst), w)
	for i := range pixels {
		MOVLQSX(Mem{Base: list, Disp: 4 * i}, tmp)
		IMULQ(field(dstStride), tmp)
		VMOVUPS(sums[2*i], Mem{Base: w, Index: tmp, Scale: 1})
		VMOVUPS(sums[2*i+1], Mem{Base: w, Index: tmp, Scale: 1, Disp: 32})
	}
	ADDQ(Imm(4*pixels), list)
	DECQ(field(tiles))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// gradient adds the products over spans of pixels to m×16 weight gradients. The
// output gradients are packed, 16 floats a pixel. The words of its argument block are those of type gradientCall.
func gradient(m int) {
	const (
		spans, count, length, x, dz, dw, xStride, dwStride, first = 0, 1, 2, 3, 4, 5, 6, 7, 8
	)
	name := fmt.Sprintf("gradient%dAVX2", m)
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s adds to %d×Block weight gradients.", name, m))
	Load(Param("c"), args)
	list, n, xs, px, pz, left1 := RSI, RCX, R8, R10, R11, RDX
	for i := range 2 * m {
		VXORPS(sums[i], sums[i], sums[i])
	}
	MOVQ(field(spans), list)
	MOVQ(field(count), n)
	MOVQ(field(xStride), xs)
	MOVQ(field(dz), pz)
	Label("span")
	MOVLQSX(Mem{Base: list}, px)
	SUBQ(field(first), px)
	IMULQ(xs, px)
	ADDQ(field(x), px)
	MOVQ(field(length), left1)
	Label("pixel")
	VMOVUPS(Mem{Base: pz}, left)
	VMOVUPS(Mem{Base: pz, Disp: 32}, right)
	for i := range m {
		v := in[i%2]
		VBROADCASTSS(Mem{Base: px, Disp: 4 * i}, v)
		VFMADD231PS(left, v, sums[2*i])
		VFMADD231PS(right, v, sums[2*i+1])
	}
	ADDQ(xs, px)
	ADDQ(Imm(64), pz)
	DECQ(left1)
	JNZ(LabelRef("pixel"))
	ADDQ(Imm(4), list)
	DECQ(n)
	JNZ(LabelRef("span"))
	MOVQ(field(dw), px)
	for i := range m {
		VADDPS(Mem{Base: px}, sums[2*i], sums[2*i])
		VADDPS(Mem{Base: px, Disp: 32}, sums[2*i+1], sums[2*i+1])
		VMOVUPS(sums[2*i], Mem{Base: px})
		VMOVUPS(sums[2*i+1], Mem{Base: px, Disp: 32})
		if i+1 < m {
			ADDQ(field(dwStride), px)
		}
	}
	VZEROUPPER()
	RET()
}

// peak does nothing but fused multiply-adds, as many at once as the kernels do.
func peak() {
	TEXT("peakAVX2", NOSPLIT, "func(rounds int64)")
	Doc("peakAVX2 does 12 fused multiply-adds of 8 floats in each round (rounds > 0).")
	Load(Param("rounds"), args)
	for _, s := range sums {
		VXORPS(s, s, s)
	}
	VXORPS(left, left, left)
	VXORPS(right, right, right)
	Label("round")
	for _, s := range sums {
		VFMADD231PS(left, right, s)
	}
	DECQ(args)
	JNZ(LabelRef("round"))
	VZEROUPPER()
	RET()
}

// eachPixel writes a loop over the pixels of some spans. It keeps the byte
// offset of the pixel in the returned register; body uses it.
func eachPixel(spans, count, length, stride int, body func(at GPPhysical)) {
	list, n, step, at, left := RSI, RCX, R8, R9, RDX
	MOVQ(field(spans), list)
	MOVQ(field(count), n)
	MOVQ(field(stride), step)
	Label("span")
	MOVLQSX(Mem{Base: list}, at)
	IMULQ(step, at)
	MOVQ(field(length), left)
	Label("pixel")
	body(at)
	ADDQ(step, at)
	DECQ(left)
	JNZ(LabelRef("pixel"))
	ADDQ(Imm(4), list)
	DECQ(n)
	JNZ(LabelRef("span"))
}

// pool sums and maximises 16 channels over spans of pixels.
func pool() {
	const (
		spans, count, length, stride, src, first, sum, top = 0, 1, 2, 3, 4, 5, 6, 7
	)
	TEXT("poolAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("poolAVX2 writes the sums and maxima of Block channels over spans of pixels.")
	Load(Param("c"), args)
	x, p := R10, R11
	MOVQ(field(src), x)
	// The maxima start at the first pixel, the sums at negative zero, which
	// added to a first value gives that value, bit for bit.
	MOVQ(field(first), p)
	VMOVUPS(Mem{Base: p}, Y2)
	VMOVUPS(Mem{Base: p, Disp: 32}, Y3)
	VPCMPEQD(Y0, Y0, Y0)
	VPSLLD(Imm(31), Y0, Y0)
	VMOVAPS(Y0, Y1)
	eachPixel(spans, count, length, stride, func(at GPPhysical) {
		VMOVUPS(Mem{Base: x, Index: at, Scale: 1}, Y4)
		VMOVUPS(Mem{Base: x, Index: at, Scale: 1, Disp: 32}, Y5)
		VADDPS(Y4, Y0, Y0)
		VADDPS(Y5, Y1, Y1)
		VMAXPS(Y4, Y2, Y2)
		VMAXPS(Y5, Y3, Y3)
	})
	MOVQ(field(sum), p)
	VMOVUPS(Y0, Mem{Base: p})
	VMOVUPS(Y1, Mem{Base: p, Disp: 32})
	MOVQ(field(top), p)
	VMOVUPS(Y2, Mem{Base: p})
	VMOVUPS(Y3, Mem{Base: p, Disp: 32})
	VZEROUPPER()
	RET()
}

// mask sends 16 channels of gradients back through a ReLU and sums them.
func mask() {
	const (
		spans, count, length, stride, dz, grad, y, sum, relu = 0, 1, 2, 3, 4, 5, 6, 7, 8
	)
	TEXT("maskAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("maskAVX2 sets Block channels of dz to grad where y > 0 (everywhere without", "ReLU) over spans of pixels, and writes their sums.")
	Load(Param("c"), args)
	pz, pg, py := R10, R11, R12
	MOVQ(field(dz), pz)
	MOVQ(field(grad), pg)
	MOVQ(field(y), py)
	VXORPS(Y0, Y0, Y0)
	VXORPS(Y1, Y1, Y1)
	VXORPS(Y2, Y2, Y2)
	// Without ReLU, Y3 is all ones and lets everything through.
	VXORPS(Y3, Y3, Y3)
	CMPQ(field(relu), Imm(0))
	JNE(LabelRef("start"))
	VPCMPEQD(Y3, Y3, Y3)
	Label("start")
	eachPixel(spans, count, length, stride, func(at GPPhysical) {
		for i := range 2 {
			m := Mem{Base: py, Index: at, Scale: 1, Disp: 32 * i}
			VMOVUPS(m, Y4)
			VCMPPS(Imm(0x1e), Y2, Y4, Y4) // Y4 > 0, false for what is no number
			VORPS(Y3, Y4, Y4)
			VANDPS(Mem{Base: pg, Index: at, Scale: 1, Disp: 32 * i}, Y4, Y4)
			VMOVUPS(Y4, Mem{Base: pz, Index: at, Scale: 1, Disp: 32 * i})
			VADDPS(Y4, sums[i], sums[i])
		}
	})
	MOVQ(field(sum), pz)
	VMOVUPS(Y0, Mem{Base: pz})
	VMOVUPS(Y1, Mem{Base: pz, Disp: 32})
	VZEROUPPER()
	RET()
}

// boardBias adds a bias to 16 channels over spans of pixels.
func boardBias() {
	const (
		spans, count, length, stride, dst, src, bias = 0, 1, 2, 3, 4, 5, 6
	)
	TEXT("boardBiasAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("boardBiasAVX2 sets Block channels of dst to src plus bias over spans of pixels.")
	Load(Param("c"), args)
	pd, ps, p := R10, R11, R12
	MOVQ(field(dst), pd)
	MOVQ(field(src), ps)
	MOVQ(field(bias), p)
	VMOVUPS(Mem{Base: p}, Y0)
	VMOVUPS(Mem{Base: p, Disp: 32}, Y1)
	eachPixel(spans, count, length, stride, func(at GPPhysical) {
		VADDPS(Mem{Base: ps, Index: at, Scale: 1}, Y0, Y2)
		VADDPS(Mem{Base: ps, Index: at, Scale: 1, Disp: 32}, Y1, Y3)
		VMOVUPS(Y2, Mem{Base: pd, Index: at, Scale: 1})
		VMOVUPS(Y3, Mem{Base: pd, Index: at, Scale: 1, Disp: 32})
	})
	VZEROUPPER()
	RET()
}
