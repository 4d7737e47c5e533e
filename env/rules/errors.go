package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrInvalid is satisfied (errors.Is) by every error of this package that the user's input causes: a
// ruleset file with mistakes, an unknown ruleset, reading or parameter, an impossible combination.
var ErrInvalid = errors.New("invalid rules")

// Problem is one mistake: where it is, what is wrong and what would be right.
type Problem struct {
	File    string // file name as given; "" when the rules did not come from a file
	Line    int    // from 1; 0 when unknown
	Column  int    // from 1; 0 when unknown
	Param   string // dotted name of the parameter or key concerned; may be ""
	Message string // what is wrong
	Hint    string // what would be valid; may be ""
}

// Error returns "file:line:column: parameter: message (hint)", leaving out what is unknown.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
	}
	if p.Param != "" {
		b.WriteString(p.Param + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Is reports whether target is ErrInvalid.
func (p *Problem) Is(target error) bool { return target == ErrInvalid }

// Errors is every mistake found, in the order of the file.
type Errors struct{ Problems []Problem }

// Error returns one line for each problem.
func (e *Errors) Error() string {
	lines := make([]string, len(e.Problems))
	for i := range e.Problems {
		lines[i] = e.Problems[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is ErrInvalid.
func (e *Errors) Is(target error) bool { return target == ErrInvalid }

// maxProblems bounds the report on a file that is wrong everywhere.
const maxProblems = 100

// collector gathers problems of one file.
type collector struct {
	file     string
	problems []Problem
	more     int
}

// full says whether further problems are only counted, so that nothing need be thought of what would be right.
func (c *collector) full() bool { return len(c.problems) >= maxProblems }

func (c *collector) add(p Problem) {
	if c.full() {
		c.more++
		return
	}
	p.File = c.file
	c.problems = append(c.problems, p)
}

// err returns nil or an *Errors sorted by position.
func (c *collector) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if c.more > 0 {
		c.problems = append(c.problems, Problem{File: c.file, Message: fmt.Sprintf("and %d more mistakes", c.more)})
	}
	return &Errors{c.problems}
}

// printable replaces what could do something to a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// clip shortens text from a stranger's file for a message.
func clip(s string) string {
	const max = 60
	s = printable(s)
	if len(s) <= max {
		return s
	}
	for i := max; i > max-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i] + "…"
		}
	}
	return s[:max] + "…"
}

func quote(s string) string { return `"` + clip(s) + `"` }

// suggest names the candidates that a word may stand for: the nearest in spelling, or those that hold the
// whole word when they are few.
func suggest(word string, candidates []string) string {
	if near := nearest(word, candidates); near != "" {
		return near
	}
	if len(word) < 3 || len(word) > 64 {
		return ""
	}
	var holding []string
	for _, c := range candidates {
		if strings.Contains(c, word) {
			holding = append(holding, c)
		}
	}
	if len(holding) > 4 {
		return ""
	}
	return join(holding, "or")
}

// nearest returns the candidate that a misspelt word most likely means, or "" when none is close: at most
// two edits, three for long ones.
func nearest(word string, candidates []string) string {
	if len(word) > 64 || word == "" {
		return ""
	}
	best, at := "", min(max(2, len(word)/3), 3)+1
	if len(word) <= 3 {
		at = 2
	}
	for _, c := range candidates {
		if max(len(word)-len(c), len(c)-len(word)) >= at {
			continue // the distance is no less
		}
		if d := distance(word, c); d < at {
			best, at = c, d
		}
	}
	return best
}

// distance is the number of single-byte insertions, deletions, substitutions and swaps of neighbours
// between a and b.
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
