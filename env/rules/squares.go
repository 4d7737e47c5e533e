package rules

import (
	"fmt"
	"strconv"
)

// SquareName returns the name of the square in that row and column (both from 0, row 0 at player 0's
// side): the file as a letter a to p, then the rank from 1. SquareName(2, 1) is "b3".
func SquareName(row, col int) string {
	return string(rune('a'+col)) + strconv.Itoa(row+1)
}

// ParseSquare reads a square name and checks that the square lies on a board of rows × cols. The error
// satisfies errors.Is(err, ErrInvalid).
func ParseSquare(s string, rows, cols int) (row, col int, err error) {
	bad := func(why string) (int, int, error) {
		return 0, 0, &Problem{Message: fmt.Sprintf("%s is not a square of a board of %d rows and %d columns: %s", quote(s), rows, cols, why),
			Hint: fmt.Sprintf("%s to %s", SquareName(0, 0), SquareName(rows-1, cols-1))}
	}
	if len(s) < 2 || len(s) > 3 || s[0] < 'a' || s[0] > 'z' || s[1] < '1' || s[1] > '9' {
		return bad("a name is a small letter and a number, such as c3")
	}
	n := int(s[1] - '0')
	if len(s) == 3 {
		if s[2] < '0' || s[2] > '9' {
			return bad("a name is a small letter and a number, such as c3")
		}
		n = n*10 + int(s[2]-'0')
	}
	row, col = n-1, int(s[0]-'a')
	if row >= rows || col >= cols {
		return bad("it lies outside")
	}
	return row, col, nil
}

// Centre returns the square that the name "centre" means: row ⌊(rows−1)/2⌋, column ⌊(cols−1)/2⌋, the middle of an odd board and one of the middle squares of an even one.
func Centre(rows, cols int) (row, col int) { return (rows - 1) / 2, (cols - 1) / 2 }

// ResolveSquare reads a square name or "centre".
func ResolveSquare(s string, rows, cols int) (row, col int, err error) {
	if s == "centre" {
		row, col = Centre(rows, cols)
		return row, col, nil
	}
	return ParseSquare(s, rows, cols)
}
