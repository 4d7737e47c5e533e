package traffic

import (
	"fmt"
	"slices"
	"strings"

	"latro/env/engine"
)

// Event is what happens on a square.
type Event int

// The events of squares; the package's documentation defines them.
const (
	Placed Event = iota
	Left
	Crossed
	Reached
	Captured
	squareEvents
)

// Passage is how a piece crosses an edge.
type Passage int

// The passages of edges.
const (
	Slid Passage = iota
	Hopped
	edgePassages
)

// phaseNames are the phases that are counted, in their order; the agreement about the
// number of men moves no piece.
//
// pieceNames are the kinds of piece.
var (
	phaseNames = [phases]string{"placement", "movement"}
	pieceNames = [pieces]string{"man", "leader"}
)

const (
	phases  = 2
	players = 2
	pieces  = 2
	groups  = phases * players * pieces
)

// Filter chooses counts by phase (0 placement, 1 movement), player (0, 1) and piece (0
// man, 1 leader); -1 means all of them.
type Filter struct{ Phase, Player, Piece int }

// All is the filter that leaves nothing out.
var All = Filter{-1, -1, -1}

// Groups lists the filters of single groups that the ruleset of the table can have, in
// order of phase, player and piece.
func (t *Table) Groups() []Filter {
	var out []Filter
	for phase := range phases {
		if phase == 0 && !t.places {
			continue
		}
		for player := range players {
			for piece := range pieces {
				if piece == 1 && !t.leaders {
					continue
				}
				out = append(out, Filter{phase, player, piece})
			}
		}
	}
	return out
}

// PhaseName is "placement", "movement" or "all".
func (f Filter) PhaseName() string { return nameOf(phaseNames[:], f.Phase) }

// PieceName is "man", "leader" or "all".
func (f Filter) PieceName() string { return nameOf(pieceNames[:], f.Piece) }

// PlayerName is "0", "1" or "all".
func (f Filter) PlayerName() string { return nameOf([]string{"0", "1"}, f.Player) }

func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "all"
	}
	return names[i]
}

// each calls do with the index of every group that the filter lets through.
func (f Filter) each(do func(group int)) {
	for phase := range phases {
		for player := range players {
			for piece := range pieces {
				if (f.Phase < 0 || f.Phase == phase) && (f.Player < 0 || f.Player == player) && (f.Piece < 0 || f.Piece == piece) {
					do((phase*players+player)*pieces + piece)
				}
			}
		}
	}
}

// Edge joins two neighbouring squares, A < B.
type Edge struct{ A, B int }

// Table holds the traffic of some games of one ruleset. Its methods do not change it,
// but for Merge.
type Table struct {
	// Rows and Cols are the board's; squares are row*Cols+col from the first player's
	// left-hand corner.
	Rows, Cols int
	// Edges lists the edges in the order of the counts: by A, then to the right, up,
	// up and right, up and left.
	Edges []Edge
	// SquareClass and EdgeClass give the symmetry class of each square and edge,
	// numbered from 0 in the order of their first members.
	SquareClass, EdgeClass []int
	// Symmetries names the symmetries of the rules that make the classes.
	Symmetries []string
	// Games and Plies are how many were counted.
	Games, Plies uint64

	places, leaders bool
	squares         []uint64 // [square][group][event]
	edges           []uint64 // [edge][group][passage]
	edgeAt          []int    // [square][direction of edgeSteps], -1 for none
}

// edgeSteps are the ways from an edge's A to its B.
var edgeSteps = [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}}

func newTable(g *engine.Game) *Table {
	p := g.Params()
	t := &Table{Rows: g.Rows(), Cols: g.Cols(), places: p.Setup.Kind == "placement", leaders: p.Pieces.Leaders > 0}
	diagonal := slices.ContainsFunc(g.Planes(), func(name string) bool {
		return strings.HasPrefix(name, "ne") || strings.HasPrefix(name, "nw") || strings.HasPrefix(name, "se") || strings.HasPrefix(name, "sw")
	})
	steps := 2
	if diagonal {
		steps = 4
	}
	n := t.Rows * t.Cols
	t.edgeAt = make([]int, n*len(edgeSteps))
	for sq := range n {
		for d, s := range edgeSteps {
			at := sq*len(edgeSteps) + d
			t.edgeAt[at] = -1
			row, col := sq/t.Cols+s[0], sq%t.Cols+s[1]
			if d < steps && row < t.Rows && col >= 0 && col < t.Cols {
				t.edgeAt[at] = len(t.Edges)
				t.Edges = append(t.Edges, Edge{sq, row*t.Cols + col})
			}
		}
	}
	t.squares = make([]uint64, n*groups*int(squareEvents))
	t.edges = make([]uint64, len(t.Edges)*groups*int(edgePassages))
	t.classify(g.Symmetries())
	return t
}

// edge gives the number of the edge between two squares, -1 if there is none.
func (t *Table) edge(a, b int) int {
	if a > b {
		a, b = b, a
	}
	for d, s := range edgeSteps {
		if b/t.Cols-a/t.Cols == s[0] && b%t.Cols-a%t.Cols == s[1] {
			return t.edgeAt[a*len(edgeSteps)+d]
		}
	}
	return -1
}

func (t *Table) classify(symmetries []engine.Symmetry) {
	number := func(n int, image func(s *engine.Symmetry, i int) int) []int {
		class := make([]int, n)
		next := 0
		for i := range class {
			// The group is closed, so the first member of an orbit is an image of all.
			first := i
			for k := range symmetries {
				first = min(first, image(&symmetries[k], i))
			}
			if first == i {
				class[i] = next
				next++
			} else {
				class[i] = class[first]
			}
		}
		return class
	}
	t.SquareClass = number(t.Rows*t.Cols, func(s *engine.Symmetry, i int) int { return int(s.Square[i]) })
	t.EdgeClass = number(len(t.Edges), func(s *engine.Symmetry, i int) int {
		return t.edge(int(s.Square[t.Edges[i].A]), int(s.Square[t.Edges[i].B]))
	})
	for i := range symmetries {
		t.Symmetries = append(t.Symmetries, symmetries[i].Name)
	}
}

// Places says whether the rules have a placement phase.
func (t *Table) Places() bool { return t.places }

// Squares sums an event over the groups of a filter: one count a square.
func (t *Table) Squares(e Event, f Filter) []uint64 {
	out := make([]uint64, t.Rows*t.Cols)
	f.each(func(g int) {
		for sq := range out {
			out[sq] += t.squares[(sq*groups+g)*int(squareEvents)+int(e)]
		}
	})
	return out
}

// EdgeCounts sums a passage over the groups of a filter: one count an edge, in the order
// of Edges.
func (t *Table) EdgeCounts(p Passage, f Filter) []uint64 {
	out := make([]uint64, len(t.Edges))
	f.each(func(g int) {
		for i := range out {
			out[i] += t.edges[(i*groups+g)*int(edgePassages)+int(p)]
		}
	})
	return out
}

// Crossings is all traffic over each edge, by slides, steps and hops.
func (t *Table) Crossings(f Filter) []uint64 {
	return Sum(t.EdgeCounts(Slid, f), t.EdgeCounts(Hopped, f))
}

// Contact is how often a piece touches each square: placed on it, moved off it, slid
// across it, or come to rest on it. Captures are not among them: a captured piece leaves
// the square where it had come to rest.
func (t *Table) Contact(f Filter) []uint64 {
	return Sum(t.Squares(Placed, f), t.Squares(Left, f), t.Squares(Crossed, f), t.Squares(Reached, f))
}

// Sum adds counts cell by cell. It panics if they are not equally long.
func Sum(counts ...[]uint64) []uint64 {
	out := slices.Clone(counts[0])
	for _, c := range counts[1:] {
		if len(c) != len(out) {
			panic(fmt.Sprintf("traffic: counts of %d and %d cells cannot be added", len(out), len(c)))
		}
		for i, v := range c {
			out[i] += v
		}
	}
	return out
}

// Fold gives every cell the mean count of its class. Members of a class get the very same
// value, to the last bit.
func Fold(counts []uint64, class []int) []float64 {
	n := 0
	for _, c := range class {
		n = max(n, c+1)
	}
	sum, size := make([]uint64, n), make([]int, n)
	for i, c := range class {
		sum[c] += counts[i]
		size[c]++
	}
	out := make([]float64, len(counts))
	for i, c := range class {
		out[i] = float64(sum[c]) / float64(size[c])
	}
	return out
}

// ClassSizes counts the members of each class.
func ClassSizes(class []int) []int {
	var out []int
	for _, c := range class {
		for len(out) <= c {
			out = append(out, 0)
		}
		out[c]++
	}
	return out
}

// Merge adds the counts of another table of the same ruleset; it fails if the boards,
// edges or symmetries differ.
func (t *Table) Merge(o *Table) error {
	if t.Rows != o.Rows || t.Cols != o.Cols || !slices.Equal(t.Edges, o.Edges) || !slices.Equal(t.SquareClass, o.SquareClass) {
		return fmt.Errorf("traffic of a board of %d rows and %d columns cannot be added to one of %d and %d: edges or symmetries differ", o.Rows, o.Cols, t.Rows, t.Cols)
	}
	for i, v := range o.squares {
		t.squares[i] += v
	}
	for i, v := range o.edges {
		t.edges[i] += v
	}
	t.Games += o.Games
	t.Plies += o.Plies
	return nil
}

// clone shares only what never changes.
func (t *Table) clone() *Table {
	c := *t
	c.squares, c.edges = slices.Clone(t.squares), slices.Clone(t.edges)
	return &c
}

// SquareName is "c2" for column 2 (from 0) of row 1.
func (t *Table) SquareName(sq int) string { return fmt.Sprintf("%c%d", 'a'+sq%t.Cols, sq/t.Cols+1) }
