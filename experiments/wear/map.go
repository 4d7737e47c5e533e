package wear

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"latro/datasets/atomicfile"
	"latro/experiments"
)

// Kind says what a map scores.
type Kind string

// The kinds of map.
const (
	Squares Kind = "squares"
	Edges   Kind = "edges"
)

// Cell is one scored place of a map: a square, or the line between two squares.
type Cell struct {
	// A is a square, row·Cols+col from 0, and B the other one of a line; -1 for a square.
	A, B int
	// Weight is the score: any unit, 0 or more. 0 is "preserved and not worn"; what is
	// not preserved is no Cell.
	Weight float64
}

// Map is the wear of a real board, or what stands for it.
type Map struct {
	// Name is the file's name without its folder.
	Name string
	// SHA256 is the hash of the file.
	SHA256 string
	// Kind says whether Cells are squares or lines.
	Kind       Kind
	Rows, Cols int
	// Cells are what was scored, in the order of the file.
	Cells []Cell
	// Remarks are the file's comment lines, without their sign.
	Remarks []string
	// Invented says that a comment line calls the map invented: it is then no evidence
	// of anything, and every output says so.
	Invented bool
	// data is the file.
	data []byte
}

// Limits of a map's file.
const (
	maxMapBytes  = 1 << 20
	maxRemarks   = 100
	maxProblems  = 20
	minCells     = 8
	maxWeight    = 1e12
	maxBoard     = 16
	minBoard     = 3
	squareHeader = "row,col,weight"
	edgeHeader   = "row1,col1,row2,col2,weight"
)

var boardPattern = regexp.MustCompile(`(?i)^board:\s*([0-9]{1,3})\s*(?:x|×|by)\s*([0-9]{1,3})\s*$`)

// ReadMap reads a map's file. Every mistake is reported with its line, the field, and what
// would be right; the error then satisfies experiments.ErrInvalid.
func ReadMap(path string) (*Map, error) {
	f, size, err := atomicfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the map of wear: %w", err)
	}
	defer f.Close()
	if size > maxMapBytes {
		return nil, experiments.Problems{{File: path, Message: fmt.Sprintf("is %d bytes long; a map of a board has at most %d", size, maxMapBytes), Hint: "one line a square or line of the board"}}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxMapBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the map of wear %s: %w", path, err)
	}
	return ParseMap(path, data)
}

// ParseMap is ReadMap for a file in memory; path stands in messages and gives the name.
func ParseMap(path string, data []byte) (*Map, error) {
	if len(data) > maxMapBytes {
		return nil, experiments.Problems{{File: path, Message: fmt.Sprintf("is longer than %d bytes", maxMapBytes)}}
	}
	p := mapParser{path: path, m: &Map{Name: filepath.Base(path), data: bytes.Clone(data)}, seen: map[[2]int]int{}}
	sum := sha256.Sum256(data)
	p.m.SHA256 = hex.EncodeToString(sum[:])
	if !utf8.Valid(data) {
		p.problem(0, "", "save the file as UTF-8 text (CSV UTF-8)", "is not text in UTF-8")
		return nil, p.problems
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for i, line := range strings.Split(text, "\n") {
		if len(p.problems) >= maxProblems {
			break
		}
		p.line(i+1, strings.TrimSpace(line))
	}
	p.finish()
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return p.m, nil
}

type mapParser struct {
	path     string
	m        *Map
	boardAt  int
	headerAt int
	widest   [2]int // the largest row and column
	seen     map[[2]int]int
	rows     []rawCell
	problems experiments.Problems
}

type rawCell struct {
	line   int
	square [2][2]int
	weight float64
}

func (p *mapParser) problem(line int, field, hint, format string, args ...any) {
	p.problems = append(p.problems, experiments.Problem{File: p.path, Line: line, Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}

func (p *mapParser) line(n int, s string) {
	switch {
	case s == "":
	case strings.HasPrefix(s, "#"):
		p.remark(n, strings.TrimSpace(strings.TrimLeft(s, "#")))
	case p.m.Kind == "":
		p.header(n, s)
	default:
		p.cell(n, s)
	}
}

func (p *mapParser) remark(n int, s string) {
	if s == "" {
		return
	}
	if m := boardPattern.FindStringSubmatch(s); m != nil {
		if p.boardAt > 0 {
			p.problem(n, "board", "leave one out", "the size of the board is given twice, first in line %d", p.boardAt)
			return
		}
		p.boardAt = n
		p.m.Rows, _ = strconv.Atoi(m[1])
		p.m.Cols, _ = strconv.Atoi(m[2])
		for _, x := range []int{p.m.Rows, p.m.Cols} {
			if x < minBoard || x > maxBoard {
				p.problem(n, "board", fmt.Sprintf("rows x columns, each %d to %d", minBoard, maxBoard), "the size is %q", clip(s))
				return
			}
		}
		return
	}
	if strings.HasPrefix(strings.ToLower(s), "board:") {
		p.problem(n, "board", "as # board: 8 x 7 (rows x columns)", "%q is no size", clip(s))
		return
	}
	if strings.Contains(strings.ToLower(s), "invented") {
		p.m.Invented = true
	}
	if len(p.m.Remarks) < maxRemarks {
		p.m.Remarks = append(p.m.Remarks, s)
	}
}

func (p *mapParser) header(n int, s string) {
	var names []string
	for _, f := range strings.Split(s, ",") {
		names = append(names, strings.ToLower(strings.Trim(strings.TrimSpace(f), `"`)))
	}
	p.headerAt = n
	switch strings.Join(names, ",") {
	case squareHeader:
		p.m.Kind = Squares
	case edgeHeader:
		p.m.Kind = Edges
	default:
		hint := fmt.Sprintf("the first line that is no comment is %q for a map of squares, or %q for a map of the lines between squares", squareHeader, edgeHeader)
		if strings.Contains(s, ";") || strings.Contains(s, "\t") {
			hint = "separate the fields by commas; " + hint
		}
		p.problem(n, "header", hint, "the header is %q", clip(s))
		// What follows cannot be understood.
		p.m.Kind = "unknown"
	}
}

func (p *mapParser) cell(n int, s string) {
	names := strings.Split(squareHeader, ",")
	switch p.m.Kind {
	case Edges:
		names = strings.Split(edgeHeader, ",")
	case Squares:
	default:
		return
	}
	fields := strings.Split(s, ",")
	if len(fields) != len(names) {
		hint := strings.Join(names, ",")
		if strings.Contains(s, ";") || len(fields) == len(names)+1 {
			hint += "; fields are separated by commas, and a weight has a decimal point, as 2.5"
		}
		p.problem(n, "", hint, "has %d fields, not %d", len(fields), len(names))
		return
	}
	before := len(p.problems)
	c := rawCell{line: n}
	for i, name := range names {
		v := strings.Trim(strings.TrimSpace(fields[i]), `"`)
		if name == "weight" {
			c.weight = p.weight(n, v)
			continue
		}
		x, err := strconv.Atoi(v)
		if err != nil || x < 1 || x > maxBoard {
			p.problem(n, name, fmt.Sprintf("a whole number from 1 to %d; row 1, column 1 is a corner of the board", maxBoard), "is %q", clip(v))
			continue
		}
		c.square[i/2][i%2] = x
		p.widest[i%2] = max(p.widest[i%2], x)
	}
	if len(p.problems) == before {
		p.rows = append(p.rows, c)
	}
}

func (p *mapParser) weight(n int, v string) float64 {
	if v == "" {
		p.problem(n, "weight", "leave the whole line out if this place is not preserved; write 0 if it is preserved and not worn", "is empty")
		return 0
	}
	w, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || math.IsNaN(w) || math.IsInf(w, 0) || strings.ContainsAny(v, "_xXpP"): // 1_0 and 0x1p3 are Go's
		p.problem(n, "weight", "a number such as 0, 3 or 2.5", "is %q", clip(v))
	case w < 0:
		p.problem(n, "weight", "0 or more: 0 is not worn", "is %q, less than nothing", clip(v))
	case w > maxWeight:
		p.problem(n, "weight", fmt.Sprintf("at most %g; any unit will do", maxWeight), "is %q", clip(v))
	default:
		return w
	}
	return 0
}

// finish checks what only the whole file can tell.
func (p *mapParser) finish() {
	m := p.m
	if m.Kind == "" {
		p.problem(0, "header", fmt.Sprintf("begin with the line %q, or %q", squareHeader, edgeHeader), "the file has no header and no scores")
		return
	}
	if len(p.problems) > 0 {
		return
	}
	if p.boardAt == 0 {
		m.Rows, m.Cols = p.widest[0], p.widest[1]
	}
	for _, x := range []struct {
		what string
		n    int
	}{{"rows", m.Rows}, {"columns", m.Cols}} {
		if x.n < minBoard {
			p.problem(p.headerAt, "board", "say how large the board is, as # board: 8 x 7", "the board has %d %s; at least %d are needed", x.n, x.what, minBoard)
			return
		}
	}
	for _, c := range p.rows {
		if len(p.problems) >= maxProblems {
			return
		}
		p.place(c)
	}
	if len(p.problems) > 0 {
		return
	}
	if len(m.Cells) < minCells {
		p.problem(p.headerAt, "", "score every place that is preserved, those without wear too (weight 0)", "only %d places are scored; at least %d are needed", len(m.Cells), minCells)
		return
	}
	for _, c := range m.Cells {
		if c.Weight != m.Cells[0].Weight {
			return
		}
	}
	p.problem(p.headerAt, "weight", "score differences; without any there is no pattern to compare", "every weight is %g", m.Cells[0].Weight)
}

// place adds a cell to the map.
func (p *mapParser) place(c rawCell) {
	m := p.m
	n := 1
	if m.Kind == Edges {
		n = 2
	}
	names := [2][2]string{{"row", "col"}, {"row2", "col2"}}
	if m.Kind == Edges {
		names[0] = [2]string{"row1", "col1"}
	}
	at := [2]int{-1, -1}
	for i := range n {
		r, col := c.square[i][0], c.square[i][1]
		if r > m.Rows || col > m.Cols {
			k := 0
			if r <= m.Rows {
				k = 1
			}
			p.problem(c.line, names[i][k], fmt.Sprintf("correct it, or the size in line %d", p.boardAt), "row %d, column %d is outside the board of %d rows and %d columns", r, col, m.Rows, m.Cols)
			return
		}
		at[i] = (r-1)*m.Cols + col - 1
	}
	if m.Kind == Edges {
		dr, dc := c.square[0][0]-c.square[1][0], c.square[0][1]-c.square[1][1]
		if dr < -1 || dr > 1 || dc < -1 || dc > 1 || dr == 0 && dc == 0 {
			p.problem(c.line, "row2", "a line joins two squares that touch", "row %d, column %d and row %d, column %d are no neighbours", c.square[0][0], c.square[0][1], c.square[1][0], c.square[1][1])
			return
		}
		if at[0] > at[1] {
			at[0], at[1] = at[1], at[0]
		}
	}
	if first, ok := p.seen[at]; ok {
		p.problem(c.line, names[0][0], "leave one out", "scores the same place as line %d", first)
		return
	}
	p.seen[at] = c.line
	m.Cells = append(m.Cells, Cell{at[0], at[1], c.weight})
}

// Weights are the cells' weights, in their order.
func (m *Map) Weights() []float64 {
	out := make([]float64, len(m.Cells))
	for i, c := range m.Cells {
		out[i] = c.Weight
	}
	return out
}

// Missing counts the squares, or the lines along rows and columns, that are not scored.
func (m *Map) Missing() int {
	if m.Kind == Squares {
		return m.Rows*m.Cols - len(m.Cells)
	}
	straight := 0
	for _, c := range m.Cells {
		if c.A/m.Cols == c.B/m.Cols || c.A%m.Cols == c.B%m.Cols {
			straight++
		}
	}
	return m.Rows*(m.Cols-1) + (m.Rows-1)*m.Cols - straight
}
