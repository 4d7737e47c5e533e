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
	// File, Line and Column say where (Column 0: the whole line); File is "" and Line 0 for a design that was
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
			fmt.Fprintf(&b, ":%d", p.Line)
			if p.Column > 0 {
				fmt.Fprintf(&b, ":%d", p.Column)
			}
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

// places tells where the fields of a design stand in its file.
type places struct {
	file string
	find func(field string) position
}

// located is an error of one field that showed only when it was used.
type located struct {
	Problems
	cause error
}

func (l located) Unwrap() error { return l.cause }

// locate gives an error the place of the field that caused it.
func (d Design) locate(field string, err error) error {
	var known Problems
	if errors.As(err, &known) {
		return err
	}
	p := Problem{Field: field, Message: err.Error()}
	if d.places != nil {
		at := d.places.find(field)
		p.File, p.Line, p.Column = d.places.file, at.line, at.column
	}
	return located{Problems{p}, err}
}

// agentField is the field that an agent of a cell comes from: its network's, if it
// plays one of the ruleset's, else its own.
func (d Design) agentField(c Cell, side int) string {
	a := []AgentRef{c.A, c.B}[side]
	if a.trained() {
		return d.networkField(c.Run, max(0, c.TrainingSeed-1))
	}
	for i, x := range d.Agents {
		// The names of trained ones carry the seed, but those are not meant here.
		if x.name() == a.name() {
			return fmt.Sprintf("agents[%d].spec", i)
		}
	}
	return "agents"
}

// networkField is the field of a ruleset's network i.
func (d Design) networkField(run, i int) string {
	r := d.ExpandRulesets()[run]
	base := fmt.Sprintf("rulesets[%d]", run)
	if f := d.Factorial; f != nil {
		if _, ok := f.Networks[r.Name]; ok {
			return fmt.Sprintf("factorial.networks.%s[%d]", r.Name, i)
		}
		base = "factorial.base"
	}
	if r.Network != "" {
		return base + ".network"
	}
	return fmt.Sprintf("%s.networks[%d]", base, i)
}

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
