package exact

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// openBit marks a value that is a win unless the threefold rule makes a draw of it.
const openBit = 4

// Value is what a position is worth under optimal play by both sides, for player 0.
type Value uint8

// The values. A position is Win0OrDraw or Win1OrDraw where the player wins if repetition ends no game, and where it was not
// shown that he can do so without a third occurrence.
const (
	Draw Value = iota
	Win0
	Win1
	Win0OrDraw
	Win1OrDraw
)

var valueNames = [...]string{"draw", "win0", "win1", "win0-or-draw", "win1-or-draw"}

// String gives the name: "draw", "win0", "win1", "win0-or-draw", "win1-or-draw".
func (v Value) String() string {
	if int(v) < len(valueNames) {
		return valueNames[v]
	}
	return fmt.Sprintf("Value(%d)", uint8(v))
}

// MarshalText implements encoding.TextMarshaler.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Value) UnmarshalText(text []byte) error {
	i := slices.Index(valueNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("exact: %q is no value; use %s", text, strings.Join(valueNames[:], ", "))
	}
	*v = Value(i)
	return nil
}

// Exact says whether the value is known: no "or draw".
func (v Value) Exact() bool { return v <= Win1 }

// Bounds are the least and the greatest result for player 0, each -1, 0 or +1; equal where the value is exact.
func (v Value) Bounds() (low, high float64) {
	switch v {
	case Win0:
		return 1, 1
	case Win1:
		return -1, -1
	case Win0OrDraw:
		return 0, 1
	case Win1OrDraw:
		return -1, 0
	}
	return 0, 0
}

// Seen is the value as a player sees it: 1 a win, 0 a draw, -1 a loss, where it is exact. Where it is not, the winner of the
// game without repetition counts as the winner.
func (v Value) Seen(player int) int {
	w := 0
	switch v {
	case Win0, Win0OrDraw:
		w = 1
	case Win1, Win1OrDraw:
		w = -1
	}
	if player == 1 {
		w = -w
	}
	return w
}

func valueOf(code uint8) Value {
	switch code {
	case valueWin0:
		return Win0
	case valueWin1:
		return Win1
	case valueWin0 | openBit:
		return Win0OrDraw
	case valueWin1 | openBit:
		return Win1OrDraw
	}
	return Draw
}

// Answer is what is known of a position.
type Answer struct {
	Value Value `json:"value"`
	// Distance is the plies to the end if the winner hurries and the loser delays, repetition aside; -1 in a draw.
	Distance int `json:"distance"`
}

// Count is how many positions have which value.
type Count struct {
	States     int64 `json:"states"`
	Win0       int64 `json:"win0"`
	Draw       int64 `json:"draw"`
	Win1       int64 `json:"win1"`
	Win0OrDraw int64 `json:"win0_or_draw"`
	Win1OrDraw int64 `json:"win1_or_draw"`
	// Longest is the greatest distance of a won position.
	Longest int `json:"longest"`
}

func (n *Count) add(a Answer) {
	n.States++
	switch a.Value {
	case Win0:
		n.Win0++
	case Win1:
		n.Win1++
	case Draw:
		n.Draw++
	case Win0OrDraw:
		n.Win0OrDraw++
	case Win1OrDraw:
		n.Win1OrDraw++
	}
	n.Longest = max(n.Longest, a.Distance)
}

// Info describes a solution. It is the head of a solution's file.
type Info struct {
	Ruleset string `json:"ruleset"`
	Hash    string `json:"ruleset_hash"`
	// Repetition is the rule that was solved under.
	Repetition string `json:"repetition"`
	Engine     string `json:"engine_version"`
	// Position is where the game was begun; "" is the ruleset's start.
	Position string `json:"position,omitempty"`
	Symmetry int    `json:"symmetries"`
	Start    Answer `json:"start"`
	Count
	// Phases are the counts by phase.
	Phases map[string]Count `json:"phases"`
	Edges  int              `json:"edges"`
	// Hardest is a position whose win takes the most plies.
	Hardest string `json:"hardest,omitempty"`
	// Seconds is the time it took, Bytes the memory. They are not in the file.
	Seconds float64 `json:"-"`
	Bytes   int64   `json:"-"`
}

// Solution holds the value of every position that can be reached from the start of a game. It may be shared once it is
// made; a Reader looks positions up.
type Solution struct {
	Info     Info
	codec    *codec
	store    *store
	value    []uint8
	distance []uint16
	ruleset  *rules.Ruleset
}

// Ruleset is the ruleset that was solved.
func (s *Solution) Ruleset() *rules.Ruleset { return s.ruleset }

// Game is the ruleset compiled without its repetition rule: the game whose positions the solution has.
func (s *Solution) Game() *engine.Game { return s.codec.game }

// Len is the number of positions.
func (s *Solution) Len() int { return s.store.len() }

func (s *Solution) answer(id int) Answer {
	a := Answer{valueOf(s.value[id]), int(s.distance[id])}
	if a.Value == Draw {
		a.Distance = -1
	}
	return a
}

// At is a position by its number, 0 to Len-1, and what is known of it. Symmetric positions have one number.
func (s *Solution) At(id int) (position string, a Answer) {
	text, _ := s.codec.position(s.store.at(uint32(id)))
	return text, s.answer(id)
}

// All goes through the positions by number.
func (s *Solution) All() iter.Seq2[string, Answer] {
	return func(yield func(string, Answer) bool) {
		for id := range s.Len() {
			if !yield(s.At(id)) {
				return
			}
		}
	}
}

// State is the position of a number as a game under the ruleset as it is, its repetition rule included, with no history.
func (s *Solution) State(g *engine.Game, id int) (*engine.State, error) {
	text, _ := s.At(id)
	return g.ParsePosition(text)
}

// Reader looks positions up. It is for one goroutine at a time.
type Reader struct {
	s *Solution
	c codec
}

// NewReader returns a reader of the solution.
func (s *Solution) NewReader() *Reader { return &Reader{s, *s.codec} }

// Look finds a position, of the solved ruleset with or without its repetition rule. A game that is over has its outcome as
// its value. It is false if the position cannot be reached from where the solution begins, or if the game was capped.
func (r *Reader) Look(st *engine.State) (Answer, bool) {
	switch st.Outcome() {
	case engine.Win0:
		return Answer{Win0, 0}, true
	case engine.Win1:
		return Answer{Win1, 0}, true
	case engine.Draw:
		return Answer{Draw, -1}, true
	case engine.Capped:
		return Answer{}, false
	}
	if g := st.Game(); g.Rows() != r.c.game.Rows() || g.Cols() != r.c.game.Cols() {
		return Answer{}, false
	}
	h, err := r.c.hiddenOf(st)
	if err != nil {
		return Answer{}, false
	}
	id, ok := r.s.store.find(r.c.key(st, &h))
	if !ok {
		return Answer{}, false
	}
	return r.s.answer(int(id)), true
}

// Ply is a legal ply with what is known of the position after it.
type Ply struct {
	Action engine.Action `json:"-"`
	Text   string        `json:"ply"`
	Answer
	// Keeps says that the ply keeps the value that the position has for its mover, Best that it is also as quick as a win
	// can be had, or as slow as a loss.
	Keeps bool `json:"keeps"`
	Best  bool `json:"best"`
}

// Plies lists the legal plies of a position, best first. It is false if one of the positions after them is not in the
// solution. The state is as it was afterwards.
func (r *Reader) Plies(st *engine.State) ([]Ply, bool) {
	mover := st.ToMove()
	var out []Ply
	for _, a := range st.Legal(nil) {
		p := Ply{Action: a, Text: st.Format(a)}
		st.Play(a)
		var ok bool
		p.Answer, ok = r.Look(st)
		st.Undo()
		if !ok {
			return nil, false
		}
		out = append(out, p)
	}
	rank := func(p *Ply) int {
		switch w := p.Value.Seen(mover); {
		case w > 0:
			return -1<<20 + p.Distance
		case w < 0:
			return 1<<20 - p.Distance
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b Ply) int { return cmp.Compare(rank(&a), rank(&b)) })
	for i := range out {
		out[i].Keeps = out[i].Value.Seen(mover) == out[0].Value.Seen(mover)
		out[i].Best = rank(&out[i]) == rank(&out[0])
	}
	return out, true
}

// describe fills the Info.
func (s *Solution) describe(r *rules.Ruleset, o Options, start *engine.State, edges int) Info {
	in := Info{Ruleset: r.Ref(), Hash: r.Hash(), Repetition: r.Params.Repetition.Rule, Engine: engine.Version, Symmetry: len(s.codec.weight),
		Edges: edges, Phases: map[string]Count{}}
	if o.Position != "" {
		in.Position = start.Position()
	}
	in.Start = s.answer(0)
	phases := [2]Count{}
	hardest := -1
	for id := range s.Len() {
		a := s.answer(id)
		if a.Distance > in.Longest {
			hardest = id
		}
		in.Count.add(a)
		phase := 0
		if k := s.store.at(uint32(id)); s.codec.radix[digitPhase] == 1 || k.digit(s.codec, digitPhase) == 1 {
			phase = 1
		}
		phases[phase].add(a)
	}
	for i, name := range []string{"placement", "movement"} {
		if phases[i].States > 0 {
			in.Phases[name] = phases[i]
		}
	}
	if hardest >= 0 {
		in.Hardest, _ = s.At(hardest)
	}
	return in
}

// withoutHistory takes what the repetition rule remembers out of a position string.
func withoutHistory(text string) string {
	fields := strings.Fields(text)
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool {
		return strings.HasPrefix(f, "seen=") || strings.HasPrefix(f, "rep=")
	}), " ")
}
