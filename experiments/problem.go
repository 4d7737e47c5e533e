package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrInvalid is satisfied (errors.Is) by every error that a user's design or
// directory causes: a mistake in the file, an unknown ruleset or agent, a design that
// differs from the one its directory was started with, a damaged directory.
var ErrInvalid = errors.New("invalid design")

// ErrDamaged is satisfied by the errors, among those of ErrInvalid, that say that a
// file of an experiment's directory is not what the experiment wrote: bytes were lost
// or changed, or somebody edited it.
var ErrDamaged = errors.New("damaged experiment")

// directoryError is an error of an experiment's directory, where the design is sound.
type directoryError struct {
	message string
	damaged bool
}

func (e *directoryError) Error() string {
	if e.damaged {
		return ErrDamaged.Error() + ": " + e.message
	}
	return e.message
}

func (e *directoryError) Is(target error) bool {
	return target == ErrInvalid || e.damaged && target == ErrDamaged
}

// damaged says which file of an experiment is not what was written, and what to do.
func damaged(format string, args ...any) error {
	return &directoryError{fmt.Sprintf(format, args...), true}
}

// unfit says why a directory cannot be used for what is asked.
func unfit(format string, args ...any) error {
	return &directoryError{fmt.Sprintf(format, args...), false}
}

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
