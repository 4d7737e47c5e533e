//go:build kernelgen

package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// constant returns an operand of eight equal floats.
func constant(name string, v float32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 8 {
		DATA(4*i, U32(math.Float32bits(v)))
	}
	return m
}

// constants are the vectors that the transforms multiply by.
type constants struct {
	two, three, four, five, eight, low                            Mem
	half, third, twoThirds, quarter, sixth, twelfth, twentyFourth Mem
}

func winograd() {
	c := constants{
		constant("two", 2), constant("three", 3), constant("four", 4), constant("five", 5), constant("eight", 8),
		constant("low", float32(math.Inf(-1))),
		constant("half", 1./2), constant("third", 1./3), constant("twothirds", 2./3), constant("quarter", 1./4), constant("sixth", 1./6),
		constant("twelfth", 1./12), constant("twentyfourth", 1./24),
	}
	for _, tile := range [][2]int{{2, 2}, {3, 3}, {3, 4}, {4, 3}, {4, 4}} {
		input(tile[0], tile[1], c)
		inputShort(tile[0], tile[1], c)
		output(tile[0], tile[1], c)
		spread(tile[0], tile[1], c)
		filter(tile[0], tile[1], c)
		gather(tile[0], tile[1], c)
	}
	multiply()
	multiplyShort()
	correlate()
	largest()
}

// strided returns the operands base, base+stride, … base+(n-1)·stride; third
// must hold base+3·stride when n > 3.
func strided(base, third, stride GPPhysical, n int) []Mem {
	var m []Mem
	for i := range n {
		b, k := base, i
		if i >= 3 {
			b, k = third, i-3
		}
		switch k {
		case 0:
			m = append(m, Mem{Base: b})
		case 1:
			m = append(m, Mem{Base: b, Index: stride, Scale: 1})
		case 2:
			m = append(m, Mem{Base: b, Index: stride, Scale: 2})
		}
	}
	return m
}

// inputLine transforms Y0… into Y6… (side registers each). The constants 3, 2, 4
// and 5, as far as the tile needs them, are in Y12 to Y15.
func inputLine(tile int) (results []VecPhysical) {
	d0, d1, d2, d3, d4, d5 := Y0, Y1, Y2, Y3, Y4, Y5
	t0, t1, t2, t3, t4, t5 := Y6, Y7, Y8, Y9, Y10, Y11
	switch tile {
	case 2:
		VSUBPS(d2, d0, t0)
		VADDPS(d2, d1, t1)
		VSUBPS(d1, d2, t2)
		VSUBPS(d1, d3, t3)
		return []VecPhysical{t0, t1, t2, t3}
	case 3:
		three, two := Y12, Y13
		VSUBPS(d1, d3, t3)
		VSUBPS(d2, d0, t0)
		VFMADD213PS(t3, two, t0) // t0 = 2·t0 + t3
		VSUBPS(d2, d3, t1)
		VFNMADD231PS(d1, two, t1)
		VFNMADD231PS(d2, three, d3) // d3 − 3·d2
		VFMADD213PS(d3, two, d1)    // 2·d1 + …
		VSUBPS(d2, d4, t4)
		VFNMADD231PS(t3, two, t4)
		return []VecPhysical{t0, t1, d1, t3, t4}
	}
	two, four, five := Y13, Y14, Y15
	VMOVAPS(d4, t0)
	VFNMADD231PS(d2, five, t0)
	VFMADD231PS(d0, four, t0)
	VMOVAPS(d4, t1)
	VFNMADD231PS(d2, four, t1) // a = d4 − 4·d2
	VMOVAPS(d3, t2)
	VFNMADD231PS(d1, four, t2) // b = d3 − 4·d1
	VFNMADD231PS(d3, five, d5)
	VFMADD231PS(d1, four, d5) // t5
	VSUBPS(d2, d4, t3)        // c
	VSUBPS(d1, d3, t4)        // e
	VADDPS(t2, t1, t5)
	VSUBPS(t2, t1, t2)
	VMOVAPS(t3, t1)
	VFMADD231PS(t4, two, t3)
	VFNMADD231PS(t4, two, t1)
	return []VecPhysical{t0, t5, t2, t3, t1, d5}
}

// outputLine transforms Y0… into the returned registers, with the constants 2,
// 4 and 8 in Y12, Y13 and Y14.
func outputLine(tile int) (results []VecPhysical) {
	m0, m1, m2, m3, m4, m5 := Y0, Y1, Y2, Y3, Y4, Y5
	two, four, eight := Y12, Y13, Y14
	s, d, u, v := Y6, Y7, Y8, Y9
	VADDPS(m2, m1, s)
	VSUBPS(m2, m1, d)
	switch tile {
	case 2:
		VADDPS(s, m0, m0)
		VADDPS(m3, d, d)
		return []VecPhysical{m0, d}
	case 3:
		VADDPS(m3, m0, m0)
		VADDPS(s, m0, m0)
		VFMADD231PS(m3, two, d)
		VFMADD231PS(m3, four, s)
		VADDPS(m4, s, s)
		return []VecPhysical{m0, d, s}
	}
	VADDPS(m4, m3, u)
	VSUBPS(m4, m3, v)
	VADDPS(s, m0, m0)
	VADDPS(u, m0, m0)
	VADDPS(d, m5, m5)
	VFMADD231PS(v, two, d)
	VFMADD231PS(u, four, s)
	VFMADD231PS(v, eight, m5)
	return []VecPhysical{m0, d, s, m5}
}

// input transforms the inputs of tiles, and spread the gradients of their
// outputs.
func input(rows, cols int, c constants) {
	name := fmt.Sprintf("winogradInput%dx%dAVX2", rows, cols)
	toPoints(name, fmt.Sprintf("%s transforms the inputs of c.tiles tiles of %d×%d.", name, rows+2, cols+2), rows, cols, rows+2, cols+2, inputLine, c)
}

// inputShort is input with results in 16 bits: the vectors of factors that word 11 of the argument block points at, one a
// point, take them to the range of an int16.
func inputShort(rows, cols int, c constants) {
	name := fmt.Sprintf("winogradInputShort%dx%dAVX2", rows, cols)
	store := func(point int, r VecPhysical, to Mem) {
		VMULPS(Mem{Base: factors, Disp: 32 * point}, r, r)
		VCVTPS2DQ(r, r)
		VPACKSSDW(r, r, r)
		VPERMQ(Imm(8), r, r) // the lower halves of both lanes side by side
		VMOVDQU(r.AsX(), to)
	}
	transformTo(name, fmt.Sprintf("%s transforms the inputs of c.tiles tiles of %d×%d to 16 bits.", name, rows+2, cols+2), rows, cols, rows+2, cols+2, inputLine, c, 16, store)
}

// factors is where inputShort keeps word 11 of its argument block.
var factors = R15

func spread(rows, cols int, c constants) {
	name := fmt.Sprintf("winogradSpread%dx%dAVX2", rows, cols)
	toPoints(name, fmt.Sprintf("%s transforms the output gradients of c.tiles tiles of %d×%d.", name, rows, cols), rows, cols, rows, cols, spreadLine, c)
}

func filter(rows, cols int, c constants) {
	name := fmt.Sprintf("winogradFilter%dx%dAVX2", rows, cols)
	toPoints(name, fmt.Sprintf("%s transforms the weights of c.tiles input channels.", name), rows, cols, 3, 3, func(tile int) []VecPhysical { return filterLine(tile, c) }, c)
}

// filterLine transforms three weights.
func filterLine(tile int, c constants) (results []VecPhysical) {
	g0, g1, g2 := Y0, Y1, Y2
	t0, t1, t2, t3, t4, e := Y3, Y4, Y5, Y6, Y7, Y8
	VADDPS(g2, g0, e)
	switch tile {
	case 2:
		VMULPS(c.half, e, e)
		VMULPS(c.half, g1, t0)
		VADDPS(t0, e, t1)
		VSUBPS(t0, e, t2)
		return []VecPhysical{g0, t1, t2, g2}
	case 3:
		VADDPS(g1, e, t1)
		VXORPS(t2, t2, t2)
		VSUBPS(t1, t2, t1)
		VMULPS(c.half, t1, t1)
		VSUBPS(e, g1, t2)
		VMULPS(c.sixth, t2, t2)
		VMULPS(c.half, g0, t0)
		VMULPS(c.sixth, g0, t3)
		VFMADD231PS(c.third, g1, t3)
		VFMADD231PS(c.twoThirds, g2, t3)
		return []VecPhysical{t0, t1, t2, t3, g2}
	}
	VMULPS(c.quarter, g0, t0)
	VADDPS(g1, e, t1)
	VXORPS(t2, t2, t2)
	VSUBPS(t1, t2, t1)
	VMULPS(c.sixth, t1, t1)
	VSUBPS(e, g1, t2)
	VMULPS(c.sixth, t2, t2)
	VMULPS(c.twentyFourth, g0, e)
	VFMADD231PS(c.sixth, g2, e)
	VMULPS(c.twelfth, g1, g1)
	VADDPS(g1, e, t3)
	VSUBPS(g1, e, t4)
	return []VecPhysical{t0, t1, t2, t3, t4, g2}
}

// gatherLine is the transpose of filterLine.
func gatherLine(tile int, c constants) (results []VecPhysical) {
	m0, m1, m2, m3, m4, m5 := Y0, Y1, Y2, Y3, Y4, Y5
	s, d, u, v := Y6, Y7, Y8, Y9
	VADDPS(m2, m1, s)
	VSUBPS(m1, m2, d) // m2 − m1
	switch tile {
	case 2:
		VMULPS(c.half, s, s)
		VADDPS(s, m0, m0)
		VMULPS(c.half, d, d)
		VXORPS(u, u, u)
		VSUBPS(d, u, d)
		VADDPS(s, m3, m3)
		return []VecPhysical{m0, d, m3}
	case 3:
		VMULPS(c.half, m1, m1)
		VMULPS(c.sixth, m2, m2)
		VMULPS(c.sixth, m3, m3)
		VMULPS(c.half, m0, m0)
		VSUBPS(m1, m0, m0)
		VSUBPS(m2, m0, m0)
		VADDPS(m3, m0, m0)
		VADDPS(m3, m3, u)
		VSUBPS(m1, m2, d)
		VADDPS(u, d, d)
		VADDPS(u, u, u)
		VSUBPS(m1, m4, s)
		VSUBPS(m2, s, s)
		VADDPS(u, s, s)
		return []VecPhysical{m0, d, s}
	}
	VADDPS(m4, m3, u)
	VSUBPS(m4, m3, v)
	VMULPS(c.sixth, s, s)
	VMULPS(c.quarter, m0, m0)
	VSUBPS(s, m0, m0)
	VFMADD231PS(c.twentyFourth, u, m0)
	VMULPS(c.sixth, d, d)
	VFMADD231PS(c.twelfth, v, d)
	VSUBPS(s, m5, m5)
	VFMADD231PS(c.sixth, u, m5)
	return []VecPhysical{m0, d, m5}
}

// gather takes sums at points back to three by three weights, 8 output channels
// at a time. The words of its argument block are those of type winogradGatherCall.
func gather(rows, cols int, c constants) {
	const (
		sums0, dst, vectors, point, tap, scratch = 0, 1, 2, 3, 4, 5
	)
	down, across := rows+2, cols+2
	d := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5}
	name := fmt.Sprintf("winogradGather%dx%dAVX2", rows, cols)
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s makes weight gradients of the sums at points.", name))
	Load(Param("c"), args)
	x, y, n, step, line, tmp, col, third := RSI, RDI, RCX, R8, R9, R10, R11, R12
	MOVQ(field(sums0), x)
	MOVQ(field(dst), y)
	MOVQ(field(vectors), n)
	MOVQ(field(point), line)
	MOVQ(field(scratch), tmp)
	IMUL3Q(U32(uint32(across)), line, step)
	Label("vector")
	MOVQ(x, col)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, third)
	ADDQ(col, third)
	for j := range across {
		for i, m := range strided(col, third, step, down) {
			VMOVUPS(m, d[i])
		}
		for i, r := range gatherLine(rows, c) {
			VMOVAPS(r, Mem{Base: tmp, Disp: 32 * (i*across + j)})
		}
		if j+1 < across {
			ADDQ(line, col)
			ADDQ(line, third)
		}
	}
	MOVQ(y, col)
	MOVQ(field(tap), third)
	for i := range 3 {
		for j := range across {
			VMOVAPS(Mem{Base: tmp, Disp: 32 * (i*across + j)}, d[j])
		}
		out := strided(col, third, third, 3)
		for j, r := range gatherLine(cols, c) {
			VMOVUPS(r, out[j])
		}
		if i < 2 {
			LEAQ(Mem{Base: col, Index: third, Scale: 2}, col)
			ADDQ(third, col)
		}
	}
	ADDQ(Imm(32), x)
	ADDQ(Imm(32), y)
	DECQ(n)
	JNZ(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// spreadLine is the transpose of outputLine, with the constants of inputLine.
func spreadLine(tile int) (results []VecPhysical) {
	y0, y1, y2, y3 := Y0, Y1, Y2, Y3
	a, b, c, d := Y4, Y5, Y6, Y7
	two, four := Y13, Y14
	switch tile {
	case 2:
		VADDPS(y1, y0, a)
		VSUBPS(y1, y0, b)
		return []VecPhysical{y0, a, b, y1}
	case 3:
		VADDPS(y2, y0, c)
		VADDPS(y1, c, a)
		VSUBPS(y1, c, b)
		VADDPS(y2, y2, d)
		VADDPS(y1, d, d) // y1 + 2·y2
		VFMADD213PS(y0, two, d)
		return []VecPhysical{y0, a, b, d, y2}
	}
	VADDPS(y2, y0, c)
	VADDPS(y3, y1, d)
	VADDPS(d, c, a)
	VSUBPS(d, c, b)
	VMOVAPS(y0, c)
	VFMADD231PS(y2, four, c)
	VMOVAPS(y1, d)
	VFMADD231PS(y3, four, d)
	VADDPS(d, d, d) // 2·y1 + 8·y3
	VADDPS(d, c, y1)
	VSUBPS(d, c, y2)
	return []VecPhysical{y0, a, b, y1, y2, y3}
}

// toPoints takes the loadRows×loadCols values of tiles to their points by the
// given transform of lines, 8 channels at a time. The words of its argument block
// are those of type winogradInputCall.
func toPoints(name, doc string, rows, cols, loadRows, loadCols int, transform func(tile int) []VecPhysical, c constants) {
	transformTo(name, doc, rows, cols, loadRows, loadCols, transform, c, 32, func(_ int, r VecPhysical, to Mem) { VMOVUPS(r, to) })
}

// transformTo is toPoints with a result of so many bytes for eight floats, which store writes.
func transformTo(name, doc string, rows, cols, loadRows, loadCols int, transform func(tile int) []VecPhysical, c constants,
	size int, store func(point int, r VecPhysical, to Mem)) {
	const (
		origin, tiles, vectors, src, inputs, scratch, srcStride, rowStride, skip, inputPoint, originStride = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	)
	down, across := rows+2, cols+2
	d := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5}
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(doc)
	Load(Param("c"), args)
	if size == 16 {
		MOVQ(field(11), factors)
	}
	list, x, v, n := RSI, RBX, RCX, RDX
	row, point, tmp, col, third, pixel, at := R8, R9, R10, R11, R12, R13, RDI
	if rows == 3 || cols == 3 {
		VMOVUPS(c.three, Y12)
	}
	VMOVUPS(c.two, Y13)
	if rows == 4 || cols == 4 {
		VMOVUPS(c.four, Y14)
		VMOVUPS(c.five, Y15)
	}
	MOVQ(field(origin), list)
	MOVQ(field(inputs), v)
	MOVQ(field(rowStride), row)
	MOVQ(field(inputPoint), point)
	MOVQ(field(scratch), tmp)
	MOVQ(field(srcStride), pixel)
	Label("tile")
	MOVLQSX(Mem{Base: list}, x)
	IMULQ(field(originStride), x)
	ADDQ(field(src), x)
	MOVQ(field(vectors), n)
	Label("vector")
	MOVQ(x, col)
	LEAQ(Mem{Base: row, Index: row, Scale: 2}, third)
	ADDQ(x, third)
	for j := range loadCols {
		for i, m := range strided(col, third, row, loadRows) {
			VMOVUPS(m, d[i])
		}
		for i, r := range transform(rows) {
			VMOVAPS(r, Mem{Base: tmp, Disp: 32 * (i*loadCols + j)})
		}
		if j+1 < loadCols {
			ADDQ(pixel, col)
			ADDQ(pixel, third)
		}
	}
	MOVQ(v, col)
	LEAQ(Mem{Base: point, Index: point, Scale: 2}, third)
	ADDQ(v, third)
	// at is the step from a row of points to the next.
	LEAQ(Mem{Base: point, Index: point, Scale: map[int]uint8{4: 1, 5: 4, 6: 1}[across]}, at)
	switch across {
	case 4:
		ADDQ(at, at)
	case 6:
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
	}
	for i := range down {
		for j := range loadCols {
			VMOVAPS(Mem{Base: tmp, Disp: 32 * (i*loadCols + j)}, d[j])
		}
		out := strided(col, third, point, across)
		for j, r := range transform(cols) {
			store(i*across+j, r, out[j])
		}
		if i+1 < down {
			ADDQ(at, col)
			ADDQ(at, third)
		}
	}
	ADDQ(Imm(32), x)
	ADDQ(Imm(uint64(size)), v)
	DECQ(n)
	JNZ(LabelRef("vector"))
	ADDQ(field(skip), v)
	ADDQ(Imm(4), list)
	DECQ(field(tiles))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// output transforms products back and finishes the layer, 16 channels at a time.
// The words of its argument block are those of type winogradOutputCall.
func output(rows, cols int, c constants) {
	const (
		place, tiles, products, dst, residual, bias, scratch, productPoint, pixel, row, relu = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	)
	down, across := rows+2, cols+2
	d := []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5}
	limit, biases := Y15, Y11
	name := fmt.Sprintf("winogradOutput%dx%dAVX2", rows, cols)
	TEXT(name, NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s finishes Block channels of c.tiles tiles of %d×%d.", name, rows, cols))
	Load(Param("c"), args)
	list, m, n := RSI, RBX, RDX
	step, tmp, col, third, line := R8, R10, R11, R12, R9
	y, res, pix, onBoard := RDI, R13, RCX, R15
	VMOVUPS(c.two, Y12)
	VMOVUPS(c.four, Y13)
	VMOVUPS(c.eight, Y14)
	VXORPS(limit, limit, limit)
	CMPQ(field(relu), Imm(0))
	JNE(LabelRef("start"))
	VMOVUPS(c.low, limit)
	Label("start")
	MOVQ(field(place), list)
	MOVQ(field(products), m)
	MOVQ(field(productPoint), line)
	IMUL3Q(U32(uint32(across)), line, step)
	MOVQ(field(scratch), tmp)
	MOVQ(field(pixel), pix)
	Label("tile")
	XORQ(n, n)
	Label("half")
	LEAQ(Mem{Base: m, Index: n, Scale: 1}, col)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, third)
	ADDQ(col, third)
	for j := range across {
		for i, mem := range strided(col, third, step, down) {
			VMOVUPS(mem, d[i])
		}
		for i, r := range outputLine(rows) {
			VMOVAPS(r, Mem{Base: tmp, Disp: 32 * (i*across + j)})
		}
		if j+1 < across {
			ADDQ(line, col)
			ADDQ(line, third)
		}
	}
	MOVQ(field(bias), y)
	VMOVUPS(Mem{Base: y, Index: n, Scale: 1}, biases)
	// What is on the board is rows×columns squares from here on.
	MOVLQSX(Mem{Base: list}, y)
	IMULQ(pix, y)
	ADDQ(n, y)
	to, columns, pix3 := col, third, y
	MOVQ(field(dst), to)
	ADDQ(y, to)
	MOVQ(field(residual), res)
	TESTQ(res, res)
	JZ(LabelRef("plain"))
	ADDQ(y, res)
	Label("plain")
	MOVLQSX(Mem{Base: list, Disp: 4}, onBoard)
	MOVLQSX(Mem{Base: list, Disp: 8}, columns)
	LEAQ(Mem{Base: pix, Index: pix, Scale: 2}, pix3)
	// place of the column j of a row.
	at := func(base GPPhysical, j int) Mem {
		return []Mem{{Base: base}, {Base: base, Index: pix, Scale: 1}, {Base: base, Index: pix, Scale: 2}, {Base: base, Index: pix3, Scale: 1}}[j]
	}
	// eachColumn writes body for the columns that are on the board.
	eachColumn := func(r []VecPhysical, end string, body func(j int, r VecPhysical)) {
		for j, v := range r {
			if j > 0 {
				CMPQ(columns, Imm(uint64(j)))
				JLE(LabelRef(end))
			}
			body(j, v)
		}
		Label(end)
	}
	for i := range rows {
		for j := range across {
			VMOVAPS(Mem{Base: tmp, Disp: 32 * (i*across + j)}, d[j])
		}
		out := outputLine(cols)
		for _, r := range out {
			VADDPS(biases, r, r)
		}
		TESTQ(res, res)
		JZ(LabelRef(fmt.Sprintf("clamp%d", i)))
		eachColumn(out, fmt.Sprintf("added%d", i), func(j int, r VecPhysical) { VADDPS(at(res, j), r, r) })
		ADDQ(field(row), res)
		Label(fmt.Sprintf("clamp%d", i))
		for _, r := range out {
			// In this order a sum that is not a number stays one.
			VMAXPS(r, limit, r)
		}
		eachColumn(out, fmt.Sprintf("stored%d", i), func(j int, r VecPhysical) { VMOVUPS(r, at(to, j)) })
		if i+1 < rows {
			CMPQ(onBoard, Imm(uint64(i+1)))
			JLE(LabelRef("next"))
			ADDQ(field(row), to)
		}
	}
	Label("next")
	ADDQ(Imm(32), n)
	CMPQ(n, Imm(64))
	JLT(LabelRef("half"))
	ADDQ(Imm(64), m)
	ADDQ(Imm(12), list)
	DECQ(field(tiles))
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// multiply multiplies each point's inputs by its weights, for 16 output channels
// and groups of 6, then 5, then 4 tiles. The words of its argument block are
// those of type winogradMultiplyCall.
func multiply() {
	const (
		points, inputs, weights, products, run, inputPoint, productPoint, six, five, four = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	)
	TEXT("winogradMultiplyAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("winogradMultiplyAVX2 multiplies the inputs of each point by its weights.")
	Load(Param("c"), args)
	x, third, stride, w, m, n, k, v, first := R8, R9, R10, RSI, RDI, RCX, RDX, RBX, R11
	products1 := R12
	MOVQ(field(run), stride)
	MOVQ(field(weights), first)
	MOVQ(field(inputs), v)
	MOVQ(field(products), products1)
	Label("point")
	MOVQ(v, x)
	MOVQ(products1, m)
	for _, rows := range []int{6, 5, 4} {
		name := fmt.Sprintf("rows%d", rows)
		MOVQ(field(map[int]int{6: six, 5: five, 4: four}[rows]), n)
		TESTQ(n, n)
		JZ(LabelRef(name + "done"))
		Label(name)
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
		ADDQ(x, third)
		for _, s := range sums[:2*rows] {
			VXORPS(s, s, s)
		}
		MOVQ(first, w)
		MOVQ(stride, k)
		Label(name + "channel")
		in := strided(x, third, stride, rows)
		for c := range unroll {
			VMOVUPS(Mem{Base: w, Disp: 64 * c}, left)
			VMOVUPS(Mem{Base: w, Disp: 64*c + 32}, right)
			for i := range rows {
				b := []VecPhysical{Y14, Y15}[i%2]
				mem := in[i]
				mem.Disp = 4 * c
				VBROADCASTSS(mem, b)
				VFMADD231PS(left, b, sums[2*i])
				VFMADD231PS(right, b, sums[2*i+1])
			}
		}
		ADDQ(U32(64*unroll), w)
		ADDQ(Imm(4*unroll), x)
		ADDQ(Imm(4*unroll), third)
		SUBQ(Imm(4*unroll), k)
		JNZ(LabelRef(name + "channel"))
		for i, s := range sums[:2*rows] {
			VMOVUPS(s, Mem{Base: m, Disp: 32 * i})
		}
		ADDQ(U32(uint32(64*rows)), m)
		// x has gone one row; the group has rows rows.
		for range (rows - 1) / 2 {
			LEAQ(Mem{Base: x, Index: stride, Scale: 2}, x)
		}
		if rows%2 == 0 {
			ADDQ(stride, x)
		}
		DECQ(n)
		JNZ(LabelRef(name))
		Label(name + "done")
	}
	// w may not have moved; the next point's weights follow run·16 bytes on.
	MOVQ(stride, w)
	SHLQ(Imm(4), w)
	ADDQ(w, first)
	ADDQ(field(inputPoint), v)
	ADDQ(field(productPoint), products1)
	DECQ(field(points))
	JNZ(LabelRef("point"))
	VZEROUPPER()
	RET()
}

// multiplyShort is multiply for inputs and weights in 16 bits, pairs of channels side by side. Sums in 32 bits become floats
// and are multiplied by a factor for the row (word 10 of the argument block) and one for the point and output (word 11).
func multiplyShort() {
	const (
		points, inputs, weights, products, run, inputPoint, productPoint, six, five, four, rowFactors, factors = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	)
	TEXT("winogradMultiplyShortAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("winogradMultiplyShortAVX2 multiplies the inputs of each point by its weights, in", "16 bits.")
	Load(Param("c"), args)
	x, third, stride, w, m, n, k, v, first := R8, R9, R10, RSI, RDI, RCX, RDX, RBX, R11
	products1, factor, rowFactor := R12, R14, R13
	MOVQ(field(run), stride)
	MOVQ(field(weights), first)
	MOVQ(field(inputs), v)
	MOVQ(field(products), products1)
	MOVQ(field(factors), factor)
	Label("point")
	MOVQ(v, x)
	MOVQ(products1, m)
	MOVQ(field(rowFactors), rowFactor)
	for _, rows := range []int{6, 5, 4} {
		name := fmt.Sprintf("rows%d", rows)
		MOVQ(field(map[int]int{6: six, 5: five, 4: four}[rows]), n)
		TESTQ(n, n)
		JZ(LabelRef(name + "done"))
		Label(name)
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
		ADDQ(x, third)
		for _, s := range sums[:2*rows] {
			VXORPS(s, s, s)
		}
		MOVQ(first, w)
		MOVQ(stride, k)
		Label(name + "channel")
		in := strided(x, third, stride, rows)
		for c := range unroll {
			VMOVDQU(Mem{Base: w, Disp: 64 * c}, left)
			VMOVDQU(Mem{Base: w, Disp: 64*c + 32}, right)
			for i := range rows {
				mem := in[i]
				mem.Disp = 4 * c
				VPBROADCASTD(mem, Y15)
				VPMADDWD(left, Y15, Y14)
				VPMADDWD(right, Y15, Y15)
				VPADDD(Y14, sums[2*i], sums[2*i])
				VPADDD(Y15, sums[2*i+1], sums[2*i+1])
			}
		}
		ADDQ(U32(64*unroll), w)
		ADDQ(Imm(4*unroll), x)
		ADDQ(Imm(4*unroll), third)
		SUBQ(Imm(4*unroll), k)
		JNZ(LabelRef(name + "channel"))
		VMOVUPS(Mem{Base: factor}, left)
		VMOVUPS(Mem{Base: factor, Disp: 32}, right)
		for i := range rows {
			VBROADCASTSS(Mem{Base: rowFactor, Disp: 4 * i}, Y14)
			for h, f := range []VecPhysical{left, right} {
				s := sums[2*i+h]
				VCVTDQ2PS(s, s)
				VMULPS(Y14, s, s)
				VMULPS(f, s, s)
				VMOVUPS(s, Mem{Base: m, Disp: 64*i + 32*h})
			}
		}
		ADDQ(Imm(uint64(4*rows)), rowFactor)
		ADDQ(U32(uint32(64*rows)), m)
		// x has gone one row; the group has rows rows.
		for range (rows - 1) / 2 {
			LEAQ(Mem{Base: x, Index: stride, Scale: 2}, x)
		}
		if rows%2 == 0 {
			ADDQ(stride, x)
		}
		DECQ(n)
		JNZ(LabelRef(name))
		Label(name + "done")
	}
	// w may not have moved; the next point's weights follow run·16 bytes on.
	MOVQ(stride, w)
	SHLQ(Imm(4), w)
	ADDQ(w, first)
	ADDQ(field(inputPoint), v)
	ADDQ(field(productPoint), products1)
	ADDQ(Imm(64), factor)
	DECQ(field(points))
	JNZ(LabelRef("point"))
	VZEROUPPER()
	RET()
}

// correlate adds, for one point, the products of inputs and output gradients over
// tiles: for groups of 6, 5 and 4 inputs and 16 outputs at a time. The words of
// its argument block are those of type winogradCorrelateCall.
func correlate() {
	const (
		inputs, gradients, sums0, tiles, inputStride, gradientStride, blocks, sumStride, six, five, four = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
	)
	TEXT("winogradCorrelateAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("winogradCorrelateAVX2 adds products of inputs and output gradients over tiles.")
	Load(Param("c"), args)
	x, z, xs, zs, n, row, third, out := R8, R9, R10, R11, RDX, R12, R13, RDI
	v, dz, block, groups, step := RSI, RBX, RCX, R15, R14
	MOVQ(field(inputs), v)
	MOVQ(field(sums0), row)
	MOVQ(field(inputStride), xs)
	MOVQ(field(gradientStride), zs)
	MOVQ(field(sumStride), step)
	for _, rows := range []int{6, 5, 4} {
		name := fmt.Sprintf("inputs%d", rows)
		MOVQ(field(map[int]int{6: six, 5: five, 4: four}[rows]), groups)
		TESTQ(groups, groups)
		JZ(LabelRef(name + "done"))
		Label(name)
		MOVQ(field(gradients), dz)
		MOVQ(field(blocks), block)
		MOVQ(row, out)
		Label(name + "block")
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, third)
		ADDQ(out, third)
		mem := strided(out, third, step, rows)
		half := func(i, h int) Mem {
			m := mem[i]
			m.Disp = 32 * h
			return m
		}
		for i := range rows {
			VMOVUPS(half(i, 0), sums[2*i])
			VMOVUPS(half(i, 1), sums[2*i+1])
		}
		MOVQ(v, x)
		MOVQ(dz, z)
		MOVQ(field(tiles), n)
		Label(name + "tile")
		VMOVUPS(Mem{Base: z}, left)
		VMOVUPS(Mem{Base: z, Disp: 32}, right)
		for i := range rows {
			b := in[i%2]
			VBROADCASTSS(Mem{Base: x, Disp: 4 * i}, b)
			VFMADD231PS(left, b, sums[2*i])
			VFMADD231PS(right, b, sums[2*i+1])
		}
		ADDQ(xs, x)
		ADDQ(zs, z)
		DECQ(n)
		JNZ(LabelRef(name + "tile"))
		for i := range rows {
			VMOVUPS(sums[2*i], half(i, 0))
			VMOVUPS(sums[2*i+1], half(i, 1))
		}
		ADDQ(Imm(64), dz)
		ADDQ(Imm(64), out)
		DECQ(block)
		JNZ(LabelRef(name + "block"))
		ADDQ(Imm(uint64(4*rows)), v)
		for range rows / 2 {
			LEAQ(Mem{Base: row, Index: step, Scale: 2}, row)
		}
		if rows%2 == 1 {
			ADDQ(step, row)
		}
		DECQ(groups)
		JNZ(LabelRef(name))
		Label(name + "done")
	}
	VZEROUPPER()
	RET()
}

// largest finds the largest magnitude.
func largest() {
	const src, count, dst = 0, 1, 2
	TEXT("largestAVX2", NOSPLIT, "func(c *byte)")
	Pragma("noescape")
	Doc("largestAVX2 writes eight maxima of the magnitudes of c.count times 32 floats (at least", "0), and eight sums of products with 0, which are no numbers if a float is not finite.")
	Load(Param("c"), args)
	x, n, to, mask, zero := RSI, RCX, RDI, Y14, Y15
	MOVQ(field(src), x)
	MOVQ(field(count), n)
	MOVQ(field(dst), to)
	VPCMPEQD(mask, mask, mask)
	VPSRLD(Imm(1), mask, mask)
	VXORPS(zero, zero, zero)
	for _, s := range sums[:8] {
		VXORPS(s, s, s)
	}
	Label("round")
	for i := range 4 {
		VANDPS(Mem{Base: x, Disp: 32 * i}, mask, sums[8+i])
		VMAXPS(sums[8+i], sums[i], sums[i])
		VFMADD231PS(sums[8+i], zero, sums[4+i])
	}
	ADDQ(U32(128), x)
	DECQ(n)
	JNZ(LabelRef("round"))
	VMAXPS(Y1, Y0, Y0)
	VMAXPS(Y3, Y2, Y2)
	VMAXPS(Y2, Y0, Y0)
	VADDPS(Y5, Y4, Y4)
	VADDPS(Y7, Y6, Y6)
	VADDPS(Y6, Y4, Y4)
	VMOVUPS(Y0, Mem{Base: to})
	VMOVUPS(Y4, Mem{Base: to, Disp: 32})
	VZEROUPPER()
	RET()
}
