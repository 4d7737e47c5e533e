package mcts

import "latro/env/engine"

// bound says what the score of an entry is to the true one.
type bound uint8

const (
	boundNone  bound = iota
	boundLower       // the true score is at least this
	boundUpper       // at most
	boundExact
)

// entry is what a search of a position to a depth found. The score is in the view of the player to move there.
type entry struct {
	key        uint64
	context    uint32
	score      int32
	action     engine.Action
	depth      int8
	bound      bound
	generation uint16
	whole      bool // the score rests on results alone
}

const entryBytes = 24

// transpositions is a table of bounded size, two entries a bucket: the deeper of those that compete stays in the first,
// the newest comes into the second. An entry of an earlier search counts as empty, so that a choice does not depend on what
// an agent was asked before.
type transpositions struct {
	entries    []entry
	mask       uint64
	generation uint16
}

// begin makes the table one of at most mb MiB, and no larger than want entries need, and forgets everything.
func (t *transpositions) begin(mb, want int) {
	buckets := 1 << 9
	for buckets*4*entryBytes <= mb<<20 && buckets < want {
		buckets *= 2
	}
	if len(t.entries) != 2*buckets {
		t.entries = make([]entry, 2*buckets)
		t.mask = uint64(buckets - 1)
		t.generation = 0
	}
	t.generation++
	if t.generation == 0 {
		clear(t.entries)
		t.generation = 1
	}
}

// find gives the entry of a position: one with this context if there is one, else one whose ply alone is of use, else
// nil.
func (t *transpositions) find(key uint64, context uint32) *entry {
	i := 2 * (key & t.mask)
	var hint *entry
	for j := i; j < i+2; j++ {
		e := &t.entries[j]
		if e.generation == t.generation && e.key == key {
			if e.context == context {
				return e
			}
			if hint == nil {
				hint = e
			}
		}
	}
	return hint
}

// store puts an entry in.
func (t *transpositions) store(x entry) {
	x.generation = t.generation
	i := 2 * (x.key & t.mask)
	first, second := &t.entries[i], &t.entries[i+1]
	switch {
	case first.generation != t.generation || first.key == x.key && first.context == x.context:
		*first = x
	case second.generation == t.generation && second.key == x.key && second.context == x.context:
		*second = x
	case x.depth >= first.depth:
		*second = *first
		*first = x
	default:
		*second = x
	}
}
