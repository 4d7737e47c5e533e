package kernel

import "fmt"

const floatSize = 4

// Block is the number of output channels computed together, and the multiple
// to which channel counts of written buffers are rounded up.
const Block = 16

// tile is the number of pixels computed together.
const tile = 6

// RoundUp returns the least multiple of m that is ≥ n (m > 0, n ≥ 0).
func RoundUp(n, m int) int { return (n + m - 1) / m * m }

// Layout says where the squares of n boards (or the rows of a matrix) lie in a
// buffer; see the package's documentation. It is read-only after construction
// and may be shared.
type Layout struct {
	// Boards is n, Rows and Cols the size of one board (1 and 1 for a matrix).
	Boards, Rows, Cols int
	// RowStride is the number of pixels from a square to the one below it.
	RowStride int
	// BoardStride is the number of pixels from a square to the same square of
	// the next board.
	BoardStride int
	// Pixels is the number of pixels in a buffer, borders included.
	Pixels int
	// index lists the pixels of all squares, board by board, row by row.
	index []int32
	// spans lists the first pixel of each board row; each is Cols long.
	spans []int32
}

// NewBoards returns the layout of n boards of rows×cols squares with borders.
// It panics when an argument is not positive.
func NewBoards(n, rows, cols int) *Layout {
	return NewPaddedBoards(n, rows, cols, rows, cols)
}

// NewPaddedBoards is NewBoards with borders as for boards of padRows×padCols
// squares (at least rows×cols), of which the upper left corner is used. Kernels
// that work in tiles of several squares need the room.
func NewPaddedBoards(n, rows, cols, padRows, padCols int) *Layout {
	if n < 1 || rows < 1 || cols < 1 || padRows < rows || padCols < cols {
		panic(fmt.Sprintf("kernel: layout of %d boards of %d×%d in %d×%d", n, rows, cols, padRows, padCols))
	}
	s := padCols + 1
	l := &Layout{Boards: n, Rows: rows, Cols: cols, RowStride: s, BoardStride: (padRows + 1) * s}
	l.Pixels = n*l.BoardStride + s + 1
	l.fill(s + 1)
	return l
}

// NewMatrix returns the layout of a matrix with n rows: one pixel a row, no
// border.
func NewMatrix(n int) *Layout {
	if n < 1 {
		panic(fmt.Sprintf("kernel: layout of a matrix of %d rows", n))
	}
	l := &Layout{Boards: n, Rows: 1, Cols: 1, RowStride: 1, BoardStride: 1, Pixels: n}
	l.fill(0)
	return l
}

func (l *Layout) fill(origin int) {
	l.index = make([]int32, 0, l.Boards*l.Rows*l.Cols)
	l.spans = make([]int32, 0, l.Boards*l.Rows)
	for b := range l.Boards {
		for r := range l.Rows {
			p := origin + b*l.BoardStride + r*l.RowStride
			l.spans = append(l.spans, int32(p))
			for c := range l.Cols {
				l.index = append(l.index, int32(p+c))
			}
		}
	}
}

// PixelsOf returns the number of pixels of the first boards boards with their
// border. In a buffer, boards [from, to) of a layout lie as the first to−from
// boards of a layout do, from·BoardStride pixels on.
func (l *Layout) PixelsOf(boards int) int { return l.Pixels - (l.Boards-boards)*l.BoardStride }

// Area is the number of squares of one board.
func (l *Layout) Area() int { return l.Rows * l.Cols }

// Squares returns the pixels of the squares of board b, row by row. The slice
// is the layout's own and must not be changed.
func (l *Layout) Squares(b int) []int32 {
	a := l.Area()
	return l.index[b*a : (b+1)*a]
}

// Taps describes which inputs of a pixel enter its output.
type Taps struct {
	// Size is 3 for a 3×3 convolution and 1 for a 1×1 convolution or a dense
	// layer.
	Size int
	// In is the number of input channels in the buffer (a multiple of 4).
	In int
}

// Weights returns the number of weights of one output channel.
func (t Taps) Weights() int { return t.Size * t.Size * t.In }

// Run returns the number of consecutive floats that one row of taps reads.
func (t Taps) Run() int { return t.Size * t.In }

// lead returns how many floats before its own pixel a pixel's first tap lies.
func (t Taps) lead(l *Layout) int { return (t.Size / 2) * (l.RowStride + 1) * t.In }

// Pack lays out the weights w[taps][in][out] (taps in row-major order, t.Size²
// of them; in real input channels; out real output channels) for [Forward]:
// dst[out/Block][taps][t.In][Block], surplus channels zero. Each weight is
// multiplied by scale of its output channel when scale is not nil.
// dst must have length RoundUp(out, Block)·t.Weights().
func Pack(dst, w, scale []float32, t Taps, in, out int) {
	taps := t.Size * t.Size
	if len(w) != taps*in*out || len(dst) != RoundUp(out, Block)*t.Weights() || in > t.In {
		panic("kernel: Pack: lengths do not match")
	}
	for ob := 0; ob < RoundUp(out, Block); ob += Block {
		d := dst[ob*t.Weights() : (ob+Block)*t.Weights()]
		n := min(Block, out-ob)
		for tap := range taps {
			for i := range t.In {
				row := d[(tap*t.In+i)*Block:][:Block]
				if i >= in {
					clear(row)
					continue
				}
				src := w[(tap*in+i)*out+ob:][:n]
				if scale == nil {
					copy(row, src)
				} else {
					for o, v := range src {
						row[o] = v * scale[ob+o]
					}
				}
				clear(row[n:])
			}
		}
	}
}

// PackTransposed lays out the weights of the convolution that carries output
// gradients back to the input: taps mirrored, input and output exchanged. w,
// scale, in and out are as for [Pack]; t.In is the channel count of the buffer
// of output gradients (≥ out). dst must have length
// RoundUp(in, Block)·t.Weights().
func PackTransposed(dst, w, scale []float32, t Taps, in, out int) {
	taps := t.Size * t.Size
	if len(w) != taps*in*out || len(dst) != RoundUp(in, Block)*t.Weights() || out > t.In {
		panic("kernel: PackTransposed: lengths do not match")
	}
	for ib := 0; ib < RoundUp(in, Block); ib += Block {
		d := dst[ib*t.Weights() : (ib+Block)*t.Weights()]
		n := min(Block, in-ib)
		for tap := range taps {
			from := taps - 1 - tap
			for o := range t.In {
				row := d[(tap*t.In+o)*Block:][:Block]
				if o >= out {
					clear(row)
					continue
				}
				s := float32(1)
				if scale != nil {
					s = scale[o]
				}
				for i := range n {
					row[i] = w[(from*in+ib+i)*out+o] * s
				}
				clear(row[n:])
			}
		}
	}
}
