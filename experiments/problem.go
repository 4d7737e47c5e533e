package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is satisfied (errors.Is) by every error that a user's design
// causes: a mistake in the file, an unknown ruleset or agent, a design that
// differs from the one its directory was started with.
var ErrInvalid = errors.New("invalid design")

// Problem is one mistake in a design.
type Problem struct {
	// File, Line and Column say where; File is "" and Line 0 for a design that was
	// made by a program.
	File         string
	Line, Column int
	// Field is the dotted path of the field, as "rulesets[1].ref".
	Field string
	// Message says what is wrong and Hint what would be right (may be "").
	Message, Hint string
}

// Error gives "file:line:column: field: message (hint)" without what is unknown.
func (p Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
	}
	if p.Field != "" {
		b.WriteString(p.Field + ": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// Problems is every mistake of a design, in the order of its file.
type Problems []Problem

// Error gives one line a mistake.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is ErrInvalid.
func (p Problems) Is(target error) bool { return target == ErrInvalid }

// maxProblems bounds what is printed about a file that is wrong everywhere.
const maxProblems = 50

func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	out := slices.Clone(p)
	slices.SortStableFunc(out, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if n := len(out) - maxProblems; n > 0 {
		out = append(out[:maxProblems], Problem{File: out[0].File, Message: fmt.Sprintf("and %d more mistakes", n)})
	}
	return out
}
