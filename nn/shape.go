package nn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Bounds on a shape. They are far above any ruleset (boards end at 16×16) and
// keep a hostile checkpoint from declaring sizes that overflow or exhaust
// memory.
const (
	maxSide    = 64
	maxPlanes  = 1024
	maxGlobals = 4096
	maxActions = 1024
)

// Shape is all that a network knows of the game it plays. Planes are
// [plane][row][col], row-major, in the frame of the player to move.
type Shape struct {
	// Rows and Cols are the size of the board.
	Rows int `json:"rows"`
	Cols int `json:"cols"`
	// Planes is the number of input planes, the on-board mask included.
	Planes int `json:"planes"`
	// Globals is the number of inputs that do not belong to a square; 0 is
	// allowed.
	Globals int `json:"globals"`
	// ActionPlanes names the policy's planes in the order of the actions:
	// action = plane·Rows·Cols + square. One more action, pass, comes last.
	// Names are unique; Transfer keeps planes by name.
	ActionPlanes []string `json:"action_planes"`
}

// Actions returns the number of policy logits:
// len(ActionPlanes)·Rows·Cols + 1, pass last.
func (s Shape) Actions() int { return len(s.ActionPlanes)*s.Rows*s.Cols + 1 }

// Area returns the number of squares.
func (s Shape) Area() int { return s.Rows * s.Cols }

// Obs returns the number of floats in one position's planes.
func (s Shape) Obs() int { return s.Planes * s.Area() }

// Validate returns every problem with the shape at once, or nil.
func (s Shape) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Rows < 1 || s.Rows > maxSide || s.Cols < 1 || s.Cols > maxSide {
		bad("the board is %d×%d; each side must be 1 to %d", s.Rows, s.Cols, maxSide)
	}
	if s.Planes < 1 || s.Planes > maxPlanes {
		bad("planes is %d; it must be 1 to %d", s.Planes, maxPlanes)
	}
	if s.Globals < 0 || s.Globals > maxGlobals {
		bad("globals is %d; it must be 0 to %d", s.Globals, maxGlobals)
	}
	if n := len(s.ActionPlanes); n < 1 || n > maxActions {
		bad("there are %d action planes; there must be 1 to %d", n, maxActions)
	}
	seen := map[string]bool{}
	for i, name := range s.ActionPlanes {
		if name == "" {
			bad("action plane %d has no name", i)
		} else if seen[name] {
			bad("action plane %d repeats the name %q", i, name)
		}
		seen[name] = true
	}
	if len(errs) > 0 {
		return fmt.Errorf("shape: %w", errors.Join(errs...))
	}
	return nil
}

// Equal reports whether s and o describe the same inputs and outputs.
func (s Shape) Equal(o Shape) bool {
	return s.Rows == o.Rows && s.Cols == o.Cols && s.Planes == o.Planes && s.Globals == o.Globals &&
		slices.Equal(s.ActionPlanes, o.ActionPlanes)
}

// differences says, one sentence each, where o (wanted) differs from s (the
// network's).
func (s Shape) differences(o Shape) []string {
	var d []string
	if s.Rows != o.Rows || s.Cols != o.Cols {
		d = append(d, fmt.Sprintf("its board is %d×%d, not %d×%d (rows×columns)", s.Rows, s.Cols, o.Rows, o.Cols))
	}
	if s.Planes != o.Planes {
		d = append(d, fmt.Sprintf("it reads %d input planes, not %d", s.Planes, o.Planes))
	}
	if s.Globals != o.Globals {
		d = append(d, fmt.Sprintf("it reads %d global inputs, not %d", s.Globals, o.Globals))
	}
	if !slices.Equal(s.ActionPlanes, o.ActionPlanes) {
		d = append(d, fmt.Sprintf("its action planes are [%s], not [%s]",
			strings.Join(s.ActionPlanes, " "), strings.Join(o.ActionPlanes, " ")))
	}
	return d
}

func (s Shape) clone() Shape {
	s.ActionPlanes = slices.Clone(s.ActionPlanes)
	return s
}
