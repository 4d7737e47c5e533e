package wear

import "latro/experiments/traffic"

// shape is one of the eight ways in which a board can lie: new (row, col) about the
// centre.
type shape struct {
	name           string
	rr, rc, cr, cc int
}

var shapes = [...]shape{
	{"as the map lies", 1, 0, 0, 1},
	{"turned by 180°", -1, 0, 0, -1},
	{"left and right exchanged", 1, 0, 0, -1},
	{"top and bottom exchanged", -1, 0, 0, 1},
	{"turned by 90° to the left", 0, 1, -1, 0},
	{"turned by 90° to the right", 0, -1, 1, 0},
	{"mirrored in the diagonal from row 1, column 1", 0, 1, 1, 0},
	{"mirrored in the other diagonal", 0, -1, -1, 0},
}

// fits says whether the shape brings a board of rows × cols onto one of toRows × toCols.
func (s shape) fits(rows, cols, toRows, toCols int) bool {
	if s.rr == 0 {
		rows, cols = cols, rows
	}
	return rows == toRows && cols == toCols
}

// square is where a square of a board of rows × cols comes to lie, numbered on the board
// that the shape makes of it.
func (s shape) square(sq, rows, cols int) int {
	toRows, toCols := rows, cols
	if s.rr == 0 {
		toRows, toCols = cols, rows
	}
	r, c := 2*(sq/cols)-(rows-1), 2*(sq%cols)-(cols-1)
	nr, nc := s.rr*r+s.rc*c, s.cr*r+s.cc*c
	return (nr+toRows-1)/2*toCols + (nc+toCols-1)/2
}

// cell is where a cell comes to lie, with its squares in ascending order.
func (s shape) cell(c Cell, rows, cols int) [2]int {
	if c.B < 0 {
		return [2]int{s.square(c.A, rows, cols), -1}
	}
	a, b := s.square(c.A, rows, cols), s.square(c.B, rows, cols)
	return [2]int{min(a, b), max(a, b)}
}

// image is a prediction laid over the map one way round.
type image struct {
	name string
	// values holds the predicted amount of each cell of the map.
	values []float64
	// covered is the share of all predicted traffic that the map's cells hold.
	covered float64
}

// field is predicted traffic on the board of its rules.
type field struct {
	rows, cols int
	squares    []float64
	edges      []traffic.Edge
	lines      []float64
}

// images lays a prediction over the map in every way that the board's shape allows:
// eight where it is square, four where it is not. Ways that look the same are one.
func (m *Map) images(f field) (out []image, ways int) {
	value := map[[2]int]float64{}
	sum := 0.0
	if m.Kind == Edges {
		for i, e := range f.edges {
			value[[2]int{e.A, e.B}] = f.lines[i]
			sum += f.lines[i]
		}
	} else {
		for i, v := range f.squares {
			value[[2]int{i, -1}] = v
			sum += v
		}
	}
next:
	for _, s := range shapes {
		if !s.fits(m.Rows, m.Cols, f.rows, f.cols) {
			continue
		}
		ways++
		img := image{name: s.name, values: make([]float64, len(m.Cells))}
		for i, c := range m.Cells {
			img.values[i] = value[s.cell(c, m.Rows, m.Cols)]
			img.covered += img.values[i]
		}
		if sum > 0 {
			img.covered /= sum
		}
		for _, o := range out {
			same := true
			for i := range o.values {
				if o.values[i] != img.values[i] {
					same = false
					break
				}
			}
			if same {
				continue next
			}
		}
		out = append(out, img)
	}
	return out, ways
}
