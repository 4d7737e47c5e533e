package analysis

import (
	"cmp"
	"math"
	"slices"

	"latro/env/engine"
	"latro/env/oracle"
	"latro/mcts"
)

// The types below are the answers as docs/analysis.md describes them. Values and probabilities are rounded to six
// digits after the point, so that a line stays readable.

// errorAnswer says what is wrong with a query, or what went wrong with a position.
type errorAnswer struct {
	ID    *string `json:"id,omitempty"`
	Error string  `json:"error"`
	Field string  `json:"field,omitempty"`
	Line  int     `json:"line,omitempty"`
	Ply   *int    `json:"ply,omitempty"`
}

// actionAnswer answers what is no question about a position.
type actionAnswer struct {
	ID          *string `json:"id,omitempty"`
	Action      string  `json:"action"`
	TerminateID *string `json:"terminate_id,omitempty"`
	Terminated  *int    `json:"terminated,omitempty"`
}

// versionAnswer tells who answers.
type versionAnswer struct {
	ID       *string  `json:"id,omitempty"`
	Action   string   `json:"action"`
	Protocol int      `json:"protocol"`
	Version  string   `json:"version"`
	Engine   string   `json:"engine"`
	Mode     Mode     `json:"mode"`
	Notation Notation `json:"notation"`
	Agent    string   `json:"agent"`
	Network  string   `json:"network,omitempty"`
	Ruleset  string   `json:"ruleset,omitempty"`
	Threads  int      `json:"threads"`
}

// boardAnswer tells of a position what the rules say, without a search.
type boardAnswer struct {
	ID       *string   `json:"id,omitempty"`
	Action   string    `json:"action"`
	Ruleset  string    `json:"ruleset"`
	Ply      int       `json:"ply"`
	Mover    int       `json:"mover"`
	Phase    string    `json:"phase"`
	Over     bool      `json:"over"`
	Outcome  string    `json:"outcome"`
	Reason   string    `json:"reason,omitempty"`
	Position string    `json:"position"`
	Board    string    `json:"board"`
	Legal    *[]string `json:"legal,omitempty"`
}

// board writes what the rules say of the position of st.
func (q *query) board(st *engine.State) *boardAnswer {
	a := &boardAnswer{
		ID: q.idOf(), Action: q.action, Ruleset: q.binding.rules.Ref(), Ply: len(q.plies), Mover: st.ToMove(),
		Phase: st.Phase().String(), Over: st.Over(), Outcome: st.Outcome().String(), Reason: st.Reason().String(),
		Position: st.Position(), Board: oracle.Board(st),
	}
	if q.includeLegal {
		texts := q.notation.formatAll(st, st.Legal(nil))
		a.Legal = &texts
	}
	return a
}

// positionAnswer is the analysis of one position.
type positionAnswer struct {
	ID           *string            `json:"id,omitempty"`
	Ply          int                `json:"ply"`
	DuringSearch bool               `json:"during_search"`
	Ruleset      string             `json:"ruleset"`
	Agent        string             `json:"agent"`
	Mover        int                `json:"mover"`
	Over         bool               `json:"over"`
	Outcome      string             `json:"outcome"`
	Reason       string             `json:"reason,omitempty"`
	Move         string             `json:"move,omitempty"`
	Value        *float64           `json:"value,omitempty"`
	Value0       *float64           `json:"value_player0,omitempty"`
	Proven       bool               `json:"proven"`
	Low          float64            `json:"low"`
	High         float64            `json:"high"`
	Network      *networkAnswer     `json:"network,omitempty"`
	Visits       int                `json:"visits"`
	Evaluations  int                `json:"evaluations"`
	Stopped      string             `json:"stopped,omitempty"`
	Moves        []moveAnswer       `json:"moves"`
	Policy       map[string]float64 `json:"policy,omitempty"`
	SearchPolicy map[string]float64 `json:"search_policy,omitempty"`
	Tree         []branchAnswer     `json:"tree,omitempty"`
	Legal        *[]string          `json:"legal,omitempty"`
}

// networkAnswer is what the network says of the position without search, in the mover's view.
type networkAnswer struct {
	Value float64 `json:"value"`
	Win   float64 `json:"win"`
	Draw  float64 `json:"draw"`
	Loss  float64 `json:"loss"`
}

// moveAnswer is one ply that was searched. The values are those of the position after it, if it has one, in the
// view of the player who makes it.
type moveAnswer struct {
	Move     string   `json:"move"`
	Order    int      `json:"order"`
	Visits   int      `json:"visits"`
	Prior    *float64 `json:"prior,omitempty"`
	Value    *float64 `json:"value,omitempty"`
	Value0   *float64 `json:"value_player0,omitempty"`
	Proven   bool     `json:"proven"`
	PV       []string `json:"pv"`
	PVVisits []int    `json:"pv_visits,omitempty"`
}

// branchAnswer is one ply of the tree.
type branchAnswer struct {
	Move     string         `json:"move"`
	Mover    int            `json:"mover"`
	Visits   int            `json:"visits"`
	Prior    float64        `json:"prior,omitempty"`
	Value0   float64        `json:"value_player0"`
	Proven   bool           `json:"proven,omitempty"`
	Children []branchAnswer `json:"children,omitempty"`
}

// playAnswer is a ply to make.
type playAnswer struct {
	ID          *string      `json:"id,omitempty"`
	Move        string       `json:"move,omitempty"`
	Ply         int          `json:"ply"`
	Mover       int          `json:"mover"`
	Over        bool         `json:"over"`
	Outcome     string       `json:"outcome"`
	Reason      string       `json:"reason,omitempty"`
	Value       *float64     `json:"value,omitempty"`
	Proven      bool         `json:"proven"`
	Simulations int          `json:"simulations"`
	Stopped     string       `json:"stopped,omitempty"`
	After       *afterAnswer `json:"after,omitempty"`
}

// afterAnswer is the position after the ply.
type afterAnswer struct {
	Mover   int       `json:"mover"`
	Over    bool      `json:"over"`
	Outcome string    `json:"outcome"`
	Reason  string    `json:"reason,omitempty"`
	Legal   *[]string `json:"legal,omitempty"`
}

// round keeps six digits after the point, and no negative zero.
func round(x float64) float64 { return math.Round(x*1e6)/1e6 + 0 }

func rounded(x float64) *float64 {
	x = round(x)
	return &x
}

// viewOf turns a value for player 0 into the view of a player.
func viewOf(v0 float64, player int) float64 {
	if player != 0 {
		return -v0
	}
	return v0
}

// idOf is the query's id, nil if it has none.
func (q *query) idOf() *string {
	if !q.hasID {
		return nil
	}
	return &q.id
}

// found is what is known of a position when it is answered.
type found struct {
	result mcts.Result
	// hasVisits says that the result's slices mean something: the position was searched step by step.
	hasVisits bool
	low, high float64
	network   *networkAnswer
	variation func(dst []mcts.Step, a engine.Action, limit int) []mcts.Step
	branches  func(depth, limit int) []mcts.Branch
	// prefix is the forced plies that lead from the position asked about to the one that was searched; all else
	// is about the latter.
	prefix []engine.Action
}

// describe writes the analysis of the position of st. f is nil if nothing is known of it.
func (q *query) describe(st *engine.State, ply int, f *found, during bool, stopped string) *positionAnswer {
	b, n := q.binding, q.notation
	legal := st.Legal(nil)
	a := &positionAnswer{
		ID: q.idOf(), Ply: ply, DuringSearch: during, Ruleset: b.rules.Ref(), Agent: b.name,
		Mover: st.ToMove(), Over: st.Over(), Outcome: st.Outcome().String(), Reason: st.Reason().String(),
		Low: -1, High: 1, Moves: []moveAnswer{}, Stopped: stopped,
	}
	if q.includeLegal {
		texts := n.formatAll(st, legal)
		a.Legal = &texts
	}
	value := func(v0 float64) {
		a.Value, a.Value0 = rounded(viewOf(v0, a.Mover)), rounded(v0)
	}
	bounds := func(low, high float64) {
		a.Low, a.High = low, high
		if a.Mover != 0 {
			a.Low, a.High = -high+0, -low+0
		}
	}
	if st.Over() {
		a.Stopped = "over"
		if v0, proven := st.Value(); proven {
			value(v0)
			bounds(v0, v0)
			a.Proven = true
		}
		return a
	}
	if f == nil {
		return a
	}
	r := f.result
	a.Visits, a.Evaluations, a.Network = r.Simulations, r.Evaluations, f.network
	a.Proven = r.Proven
	bounds(f.low, f.high)
	if r.HasValue {
		value(r.Value)
	}
	prefix := f.prefix
	if len(prefix) > 0 {
		// The position asked about has one ply, and its value is that of the position behind the forced plies.
		a.Move = n.format(st, prefix[0])
		line := prefix
		var visits []int
		for range prefix {
			visits = append(visits, r.Simulations)
		}
		if f.variation != nil && len(line) < q.pvLength {
			for _, s := range f.variation(nil, r.Action, q.pvLength-len(prefix)) {
				line = append(slices.Clip(line), s.Action)
				visits = append(visits, int(s.Visits))
			}
		}
		line = line[:min(len(line), q.pvLength)]
		m := moveAnswer{
			Move: a.Move, Visits: r.Simulations, Prior: rounded(1), Value: a.Value, Value0: a.Value0,
			Proven: a.Proven, PV: n.formatLine(st, line),
		}
		if q.includeVisits {
			m.PVVisits = visits[:len(line)]
		}
		a.Moves = append(a.Moves, m)
		if q.includePolicy {
			a.Policy = map[string]float64{a.Move: 1}
			a.SearchPolicy = map[string]float64{a.Move: 1}
		}
		return a
	}
	a.Move = n.format(st, r.Action)
	if !f.hasVisits {
		m := moveAnswer{Move: a.Move, Value: a.Value, Value0: a.Value0, Proven: a.Proven, PV: []string{a.Move}}
		a.Moves = append(a.Moves, m)
		return a
	}
	for _, i := range q.order(r) {
		act := r.Legal[i]
		m := moveAnswer{
			Move: n.format(st, act), Order: len(a.Moves), Visits: int(r.Visits[i]), Prior: rounded(float64(r.Prior[i])),
			Proven: r.Exact[i],
		}
		if r.Visits[i] > 0 || r.Exact[i] {
			v0 := float64(r.Q[i])
			m.Value, m.Value0 = rounded(viewOf(v0, a.Mover)), rounded(v0)
		}
		var line []engine.Action
		for _, s := range f.variation(nil, act, q.pvLength) {
			line = append(line, s.Action)
			if q.includeVisits {
				m.PVVisits = append(m.PVVisits, int(s.Visits))
			}
		}
		m.PV = n.formatLine(st, line)
		a.Moves = append(a.Moves, m)
	}
	if q.includePolicy {
		a.Policy, a.SearchPolicy = map[string]float64{}, map[string]float64{}
		for i, act := range r.Legal {
			text := n.format(st, act)
			a.Policy[text] = round(float64(r.Prior[i]))
			a.SearchPolicy[text] = round(float64(r.Policy[i]))
		}
	}
	if q.treeDepth > 0 {
		a.Tree = n.tree(st, f.branches(q.treeDepth, MaxTree))
	}
	return a
}

// order is the plies to tell of, as indexes into the result: the one to make, then those that were searched, the most
// visited first.
func (q *query) order(r mcts.Result) []int {
	var out []int
	for i, a := range r.Legal {
		if a == r.Action || r.Visits[i] > 0 || r.Exact[i] {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		switch r.Action {
		case r.Legal[i]:
			return -1
		case r.Legal[j]:
			return 1
		}
		return cmp.Or(cmp.Compare(r.Visits[j], r.Visits[i]), cmp.Compare(r.Prior[j], r.Prior[i]))
	})
	if q.maxMoves > 0 && len(out) > q.maxMoves {
		out = out[:q.maxMoves]
	}
	return out
}

func (n Notation) tree(st *engine.State, branches []mcts.Branch) []branchAnswer {
	var out []branchAnswer
	for _, b := range branches {
		x := branchAnswer{
			Move: n.format(st, b.Action), Mover: b.Mover, Visits: int(b.Visits), Prior: round(float64(b.Prior)),
			Value0: round(b.Value), Proven: b.Proven,
		}
		if len(b.Children) > 0 {
			st.Play(b.Action)
			x.Children = n.tree(st, b.Children)
			st.Undo()
		}
		out = append(out, x)
	}
	return out
}

// choose writes the ply to make in the position of st.
func (q *query) choose(st *engine.State, ply int, f *found, stopped string) *playAnswer {
	n := q.notation
	a := &playAnswer{
		ID: q.idOf(), Ply: ply, Mover: st.ToMove(), Over: st.Over(), Outcome: st.Outcome().String(), Reason: st.Reason().String(),
		Stopped: stopped,
	}
	if st.Over() {
		a.Stopped = "over"
		if v0, proven := st.Value(); proven {
			a.Value, a.Proven = rounded(viewOf(v0, a.Mover)), true
		}
		return a
	}
	if f == nil {
		return a
	}
	r := f.result
	a.Move, a.Proven, a.Simulations = n.format(st, r.Action), r.Proven, r.Simulations
	if r.HasValue {
		a.Value = rounded(viewOf(r.Value, a.Mover))
	}
	st.Play(r.Action)
	a.After = &afterAnswer{Mover: st.ToMove(), Over: st.Over(), Outcome: st.Outcome().String(), Reason: st.Reason().String()}
	if q.includeLegal {
		texts := n.formatAll(st, st.Legal(nil))
		a.After.Legal = &texts
	}
	st.Undo()
	return a
}
