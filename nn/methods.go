package nn

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"latro/nn/internal/kernel"
)

// A Method is a way of computing a 3×3 convolution: "direct", which sums in the
// order of the definition, or "winograd" with the size of a tile, such as
// "winograd-4x4". All give the same result to rounding.
type Method string

// Direct is the method that every layer can use; layers that are not 3×3
// convolutions always do.
const Direct Method = "direct"

// winograd is the method that uses a tile.
func winograd(t kernel.Tile) Method { return Method("winograd-" + t.String()) }

// Methods returns all methods for 3×3 convolutions, Direct first.
func Methods() []Method {
	m := []Method{Direct}
	for _, t := range kernel.Tiles() {
		m = append(m, winograd(t))
	}
	return m
}

// tile returns the tile of a Winograd method, and false for others.
func (m Method) tile() (kernel.Tile, bool) {
	for _, t := range kernel.Tiles() {
		if m == winograd(t) {
			return t, true
		}
	}
	return kernel.Tile{}, false
}

// A Case is what the choice of a method depends on: the board and the numbers of
// channels. It never depends on the batch, on a measurement at load, or on the
// processor, so that results reproduce.
type Case struct {
	Rows, Cols int
	// In is the number of input channels (of a trunk layer, the trunk's; of
	// the stem, that of the planes), Out of output channels.
	In, Out int
}

// String returns the case as the table has it, such as "8x8 64>64".
func (c Case) String() string { return fmt.Sprintf("%dx%d %d>%d", c.Rows, c.Cols, c.In, c.Out) }

// methodTable is the committed choice, in lines "8x8 64>64 winograd-4x4".
// latro bench net --tune proposes changes to it.
//
//go:embed methods.txt
var methodTable string

// MethodTableHead is the comment that the table begins with.
const MethodTableHead = `# How 3x3 convolutions are computed, by board and channels, as latro bench net
# --tune measured; cases that are not here go by MethodByCount. A change of this
# table changes KernelID, because it changes last bits.
`

// ParseMethodTable reads a table of methods, one case and its method a line;
// empty lines and lines that begin with # say nothing.
func ParseMethodTable(text string) (map[Case]Method, error) {
	table := map[Case]Method{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		var c Case
		var m string
		if n, err := fmt.Sscanf(line, "%dx%d %d>%d %s", &c.Rows, &c.Cols, &c.In, &c.Out, &m); err != nil || n != 5 {
			return nil, fmt.Errorf("table of methods: line %d is %q; want such as %q", i+1, line, "8x8 64>64 winograd-4x4")
		}
		if !slices.Contains(Methods(), Method(m)) {
			return nil, fmt.Errorf("table of methods: line %d: method %q is none of %v", i+1, m, Methods())
		}
		if _, ok := table[c]; ok {
			return nil, fmt.Errorf("table of methods: line %d: %v comes twice", i+1, c)
		}
		table[c] = Method(m)
	}
	return table, nil
}

// MethodTable returns the committed table.
func MethodTable() map[Case]Method {
	t, err := ParseMethodTable(methodTable)
	if err != nil {
		panic(err) // the table is part of the program, and a test reads it
	}
	return t
}

// tableID names the rule of choice, for KernelID: 8 digits of the table's hash,
// after the version of MethodByCount.
func tableID() string {
	h := sha256.Sum256([]byte(methodTable))
	return "m1-" + hex.EncodeToString(h[:4])
}

// MethodFor returns the method that Compile uses for a layer.
func MethodFor(c Case) Method {
	if m, ok := MethodTable()[c]; ok {
		return m
	}
	return MethodByCount(c)
}

// MethodByCount returns the method with the least work by count: a product's
// multiplications, and for Winograd's methods the transforms, of which measurement
// says that one value costs as much as 7 multiplications on the way in and 5 on
// the way out.
func MethodByCount(c Case) Method {
	in, out := kernel.RoundUp(c.In, 4), kernel.RoundUp(c.Out, kernel.Block)
	best, least := Direct, c.Rows*c.Cols*9*in*out
	in = kernel.RoundUp(c.In, 8)
	for _, t := range kernel.Tiles() {
		tiles := ((c.Rows + t.Rows - 1) / t.Rows) * ((c.Cols + t.Cols - 1) / t.Cols)
		if work := tiles * t.Points() * (in*out + 7*in + 5*out); work < least {
			best, least = winograd(t), work
		}
	}
	return best
}

// boardsFor returns the layout of n boards with borders that are wide enough for
// the methods.
func boardsFor(s Shape, n int, methods ...Method) *kernel.Layout {
	rows, cols := s.Rows, s.Cols
	for _, m := range methods {
		if t, ok := m.tile(); ok {
			rows, cols = max(rows, kernel.RoundUp(s.Rows, t.Rows)), max(cols, kernel.RoundUp(s.Cols, t.Cols))
		}
	}
	return kernel.NewPaddedBoards(n, s.Rows, s.Cols, rows, cols)
}
