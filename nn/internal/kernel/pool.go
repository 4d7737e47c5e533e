package kernel

// Pool writes, for each board b in [from, to), the mean over its squares of
// every channel to dst[b][0:channels] and the maximum to
// dst[b][channels:2·channels]. src has channels floats a pixel. When argmax is
// not nil (length Boards·channels), it receives the pixel of each maximum, the
// first one on ties. Sums run square by square, so a board's result does not
// depend on the others.
func Pool(dst, src []float32, l *Layout, channels, from, to int, argmax []int32) {
	scale := 1 / float32(l.Area())
	for b := from; b < to; b++ {
		mean := dst[b*2*channels:][:channels:channels]
		top := dst[b*2*channels+channels:][:channels:channels]
		squares := l.Squares(b)
		first := src[int(squares[0])*channels:][:channels]
		copy(mean, first)
		copy(top, first)
		if argmax == nil {
			poolBoard(mean, top, src, l, channels, b)
		} else {
			at := argmax[b*channels:][:channels:channels]
			for c := range at {
				at[c] = squares[0]
			}
			for _, p := range squares[1:] {
				x := src[int(p)*channels:][:channels]
				for c, v := range x {
					mean[c] += v
					if v > top[c] {
						top[c] = v
						at[c] = p
					}
				}
			}
		}
		for c := range mean {
			mean[c] *= scale
		}
	}
}

// poolGeneric adds all squares of board b but the first to mean, and maximises
// top over them.
func poolGeneric(mean, top, src []float32, l *Layout, channels, b int) {
	for _, p := range l.Squares(b)[1:] {
		x := src[int(p)*channels:][:channels]
		mean, top := mean[:len(x)], top[:len(x)]
		for c, v := range x {
			mean[c] += v
			top[c] = max(top[c], v)
		}
	}
}

// PoolGradient sets dsrc, on the squares of boards [from, to), to the gradient
// of Pool's input: an equal share of the mean's gradient, and the maximum's at
// the pixel that argmax names. Borders are not written.
func PoolGradient(dsrc, ddst []float32, l *Layout, channels, from, to int, argmax []int32) {
	scale := 1 / float32(l.Area())
	for b := from; b < to; b++ {
		mean := ddst[b*2*channels:][:channels]
		top := ddst[b*2*channels+channels:][:channels]
		squares := l.Squares(b)
		first := dsrc[int(squares[0])*channels:][:channels]
		for c, v := range mean {
			first[c] = v * scale
		}
		for _, p := range squares[1:] {
			copy(dsrc[int(p)*channels:][:channels], first)
		}
		for c, p := range argmax[b*channels:][:channels] {
			dsrc[int(p)*channels+c] += top[c]
		}
	}
}

// AddBoardBias sets dst = src + bias of the board on every square of boards
// [from, to); src may be nil for zeros. dst and src have channels floats a
// pixel, bias has channels floats a board.
func AddBoardBias(dst, src, bias []float32, l *Layout, channels, from, to int) {
	for b := from; b < to; b++ {
		v := bias[b*channels:][:channels]
		if src == nil {
			for _, p := range l.Squares(b) {
				copy(dst[int(p)*channels:][:channels], v)
			}
			continue
		}
		boardBias(dst, src, v, l, channels, b)
	}
}

// boardBiasGeneric adds bias to the squares of board b.
func boardBiasGeneric(dst, src, bias []float32, l *Layout, channels, b int) {
	for _, p := range l.Squares(b) {
		d, s := dst[int(p)*channels:][:len(bias)], src[int(p)*channels:][:len(bias)]
		for c, w := range bias {
			d[c] = s[c] + w
		}
	}
}

// MaskGradient sets dz, on the squares of one board, to grad where y > 0 and to
// 0 elsewhere (to grad everywhere when relu is false), and sums to the sums of
// dz over the board's squares, one for each of channels channels.
func MaskGradient(dz, grad, y []float32, l *Layout, channels, board int, relu bool, sums []float32) {
	maskGradient(dz, grad, y, l, channels, board, relu, sums[:channels])
}

func maskGeneric(dz, grad, y []float32, l *Layout, channels, board int, relu bool, sums []float32) {
	clear(sums)
	for _, p := range l.Squares(board) {
		at := int(p) * channels
		d, g, v := dz[at:][:channels], grad[at:][:channels], y[at:][:channels]
		for c := range d {
			t := g[c]
			if relu && !(v[c] > 0) {
				t = 0
			}
			d[c] = t
			sums[c] += t
		}
	}
}
