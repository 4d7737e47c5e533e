package wear

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"latro/experiments"
)

// board writes a map of squares whose weights are given by a function.
func board(rows, cols int, weight func(row, col int) string) string {
	var b strings.Builder
	b.WriteString("row,col,weight\n")
	for r := range rows {
		for c := range cols {
			if w := weight(r+1, c+1); w != "" {
				fmt.Fprintf(&b, "%d,%d,%s\n", r+1, c+1, w)
			}
		}
	}
	return b.String()
}

func TestParseMap(t *testing.T) {
	text := "\ufeff# board: 4 × 5\r\n# seen at the museum\r\n" + strings.ReplaceAll(board(4, 5, func(r, c int) string {
		if r == 4 {
			return "" // not preserved
		}
		return fmt.Sprintf("%d.5", r*c)
	}), "\n", "\r\n")
	m, err := ParseMap("a/b.csv", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "b.csv" || m.Kind != Squares || m.Rows != 4 || m.Cols != 5 || len(m.Cells) != 15 || m.Missing() != 5 || m.Invented || len(m.Remarks) != 1 {
		t.Errorf("%+v", m)
	}
	if c := m.Cells[7]; c != (Cell{7, -1, 6.5}) {
		t.Errorf("the cell of row 2, column 3 is %+v", c)
	}
	// Without a size the board is as large as the largest row and column.
	if m, err = ParseMap("x", []byte(board(3, 4, func(r, c int) string { return fmt.Sprint(r * c) }))); err != nil || m.Rows != 3 || m.Cols != 4 || m.Missing() != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	// Lines, in either order of their ends.
	m, err = ParseMap("x", []byte("# board: 3x3\nrow1,col1,row2,col2,weight\n1,1,1,2,0\n1,3,1,2,1\n2,1,2,2,2\n2,2,2,3,3\n3,1,3,2,4\n3,2,3,3,5\n2,1,1,1,6\n1,2,2,2,7\n1,1,2,2,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind != Edges || m.Cells[1] != (Cell{1, 2, 1}) || m.Cells[6] != (Cell{0, 3, 6}) || m.Missing() != 12-8 {
		t.Errorf("%+v missing %d", m, m.Missing())
	}
}

// TestMapMistakes: each mistake is named with file, line and field, and says what to do.
func TestMapMistakes(t *testing.T) {
	good := func(r, c int) string { return fmt.Sprint(r + c) }
	tail := strings.TrimPrefix(board(4, 4, good), "row,col,weight\n")
	for _, x := range []struct{ what, text, want string }{
		{"empty", "", "no header"},
		{"only remarks", "# a\n", "no header"},
		{"header", "Row;Col;Weight\n1;1;2\n", "m.csv:1: header: the header is \"Row;Col;Weight\" (separate the fields by commas"},
		{"unknown header", "x,y,z\n1,1,2\n", "m.csv:1: header"},
		{"NaN", "row,col,weight\n1,1,NaN\n" + tail, `m.csv:2: weight: is "NaN" (a number such as`},
		{"infinite", "row,col,weight\n1,1,inf\n" + tail, `m.csv:2: weight: is "inf"`},
		{"underscore", "row,col,weight\n1,1,1_0\n" + tail, `m.csv:2: weight: is "1_0"`},
		{"hexadecimal", "row,col,weight\n1,1,0x1p3\n" + tail, `m.csv:2: weight: is "0x1p3"`},
		{"negative", "row,col,weight\n1,1,-1\n" + tail, "0 or more"},
		{"huge", "row,col,weight\n1,1,1e300\n" + tail, "at most 1e+12"},
		{"empty weight", "row,col,weight\n1,1,\n" + tail, "leave the whole line out if this place is not preserved"},
		{"decimal comma", "row,col,weight\n1,1,2,5\n" + tail, "m.csv:2: has 4 fields, not 3 (row,col,weight; fields are separated by commas, and a weight has a decimal point"},
		{"row 0", "row,col,weight\n0,1,2\n" + tail, "m.csv:2: row: is \"0\" (a whole number from 1 to 16"},
		{"letter", "row,col,weight\n1,a,2\n" + tail, `m.csv:2: col: is "a"`},
		{"double", board(4, 4, good) + "2,3,1\n", "m.csv:18: row: scores the same place as line 8 (leave one out)"},
		{"outside", "# board: 4x3\n" + board(4, 4, good), "m.csv:6: col: row 1, column 4 is outside the board of 4 rows and 3 columns (correct it, or the size in line 1)"},
		{"board of 2", "# board: 2x9\n" + board(2, 9, good), "rows x columns, each 3 to 16"},
		{"board twice", "# board: 4x4\n# board: 4x4\n" + board(4, 4, good), "m.csv:2: board: the size of the board is given twice, first in line 1"},
		{"no size", "# board: big\n" + board(4, 4, good), "as # board: 8 x 7"},
		{"too few", "# board: 4x4\nrow,col,weight\n1,1,1\n1,2,2\n", "only 2 places are scored"},
		{"all alike", board(4, 4, func(int, int) string { return "3" }), "every weight is 3"},
		{"far line", "row1,col1,row2,col2,weight\n1,1,1,3,1\n3,3,3,2,1\n", "row 1, column 1 and row 1, column 3 are no neighbours"},
		{"line twice", "# board: 3x3\nrow1,col1,row2,col2,weight\n1,1,1,2,1\n1,2,1,1,3\n", "m.csv:4: row1: scores the same place as line 3"},
		{"no text", "row,col,weight\n\xff\xfe", "UTF-8"},
		{"long", strings.Repeat("#\n", maxMapBytes), "longer than"},
	} {
		_, err := ParseMap("m.csv", []byte(x.text))
		if err == nil || !strings.Contains(err.Error(), x.want) || !errors.Is(err, experiments.ErrInvalid) {
			t.Errorf("%s: %v\nwant %s", x.what, err, x.want)
		}
	}
	// A file that is wrong everywhere is not reported without end.
	var ps experiments.Problems
	if _, err := ParseMap("m.csv", []byte("row,col,weight\n"+strings.Repeat("x\n", 1000))); !errors.As(err, &ps) || len(ps) > maxProblems {
		t.Errorf("%d problems", len(ps))
	}
}

func TestReadMapRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadMap(dir); err == nil {
		t.Error("a directory was read")
	}
	if _, err := ReadMap(filepath.Join(dir, "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	big := filepath.Join(dir, "big.csv")
	if err := os.WriteFile(big, make([]byte, maxMapBytes+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMap(big); !errors.Is(err, experiments.ErrInvalid) {
		t.Error(err)
	}
}

func FuzzParseMap(f *testing.F) {
	f.Add([]byte(board(3, 3, func(r, c int) string { return fmt.Sprint(r * c) })))
	f.Add([]byte("# board: 3x3\nrow1,col1,row2,col2,weight\n1,1,1,2,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMap("f.csv", data)
		if err != nil {
			if !errors.Is(err, experiments.ErrInvalid) {
				t.Errorf("%v does not count as an invalid input", err)
			}
			return
		}
		if len(m.Cells) < minCells || m.Missing() < 0 {
			t.Errorf("%+v", m)
		}
		for _, c := range m.Cells {
			if c.A < 0 || c.A >= m.Rows*m.Cols || c.B >= m.Rows*m.Cols || !(c.Weight >= 0) {
				t.Errorf("cell %+v of a board of %d by %d", c, m.Rows, m.Cols)
			}
		}
	})
}
