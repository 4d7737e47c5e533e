package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
	"latro/selfplay"
)

// queryError is what is wrong with a query: in which field, and what would be right.
type queryError struct {
	Field   string
	Message string
}

func (e *queryError) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

func wrong(field, format string, args ...any) *queryError {
	return &queryError{Field: field, Message: fmt.Sprintf(format, args...)}
}

// The actions of a query.
const (
	actionAnalyse      = "analyse"
	actionPosition     = "position"
	actionTerminate    = "terminate"
	actionTerminateAll = "terminate_all"
	actionVersion      = "query_version"
	actionClearCache   = "clear_cache"
)

var actions = []string{actionAnalyse, actionPosition, actionTerminate, actionTerminateAll, actionVersion, actionClearCache}

// query is one line of input, checked.
type query struct {
	line     int
	id       string
	hasID    bool
	action   string
	received time.Time

	// of terminate and terminate_all
	terminateID string
	turns       []int // nil for all; also the positions that an analysis asks for

	binding     *binding
	notation    Notation
	mu          sync.Mutex    // guards start
	start       *engine.State // before the plies
	plies       []engine.Action
	legal       []int // at each position asked for, the number of legal plies
	simulations int   // 0: the agent's own budget
	nodes       int   // the same
	seconds     float64
	limits      *limits // nil for none
	game        string  // whose tree is kept from ply to ply; "" for none
	startText   string  // the position of start, with game
	priority    int
	seed        uint64
	reportEvery float64

	includePolicy, includeLegal, includeVisits bool
	maxMoves, pvLength, treeDepth              int
}

// fields reads the fields of a JSON object one by one and keeps the first thing that is wrong.
type fields struct {
	object map[string]json.RawMessage
	known  []string
	err    *queryError
}

// read decodes a field, if it is there, and says whether it is.
func (f *fields) read(name string, into any, want string) bool {
	f.known = append(f.known, name)
	raw, ok := f.object[name]
	if !ok || string(raw) == "null" {
		return false
	}
	if err := json.Unmarshal(raw, into); err != nil {
		f.fail(wrong(name, "%s is not %s", shorten(string(raw)), want))
		return false
	}
	return true
}

func (f *fields) fail(err *queryError) {
	if f.err == nil {
		f.err = err
	}
}

func (f *fields) int(name string, def, lo, hi int) int {
	want := fmt.Sprintf("a whole number in %d..%d", lo, hi)
	n := def
	if f.read(name, &n, want) && (n < lo || n > hi) {
		f.fail(wrong(name, "%d is not %s", n, want))
		return def
	}
	return n
}

func (f *fields) float(name string, def, lo, hi float64) float64 {
	want := fmt.Sprintf("a number in %v..%v", lo, hi)
	x := def
	if f.read(name, &x, want) && !(x >= lo && x <= hi) {
		f.fail(wrong(name, "%v is not %s", x, want))
		return def
	}
	return x
}

func (f *fields) bool(name string, def bool) bool {
	x := def
	f.read(name, &x, "true or false")
	return x
}

func (f *fields) text(name, def string) string {
	x := def
	f.read(name, &x, "a text")
	return x
}

// done refuses fields that nobody read: a field that is spelled wrong would do nothing, and say nothing.
func (f *fields) done() *queryError {
	if f.err != nil {
		return f.err
	}
	var unknown []string
	for name := range f.object {
		if !slices.Contains(f.known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	slices.Sort(f.known)
	return wrong(shorten(unknown[0]), "there is no such field here; the fields are %s", strings.Join(f.known, ", "))
}

// shorten keeps hostile text out of error messages.
func shorten(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}

// parse reads a line. On an error the query has the id, if there is one.
func (s *Server) parse(line []byte, number int, received time.Time) (*query, error) {
	q := &query{line: number, received: received}
	valid := utf8.Valid(line)
	f := &fields{}
	if err := json.Unmarshal(line, &f.object); err != nil {
		if !valid {
			return q, wrong("", "the line is not UTF-8")
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return q, wrong("", "this is not JSON (at byte %d: %v); a query is one JSON object on one line", syntax.Offset, err)
		}
		return q, wrong("", "a query is a JSON object, such as {\"id\":\"a\",\"moves\":[]}")
	}
	if f.object == nil {
		return q, wrong("", "a query is a JSON object, such as {\"id\":\"a\",\"moves\":[]}")
	}
	q.hasID = f.read("id", &q.id, "a text")
	if len(q.id) > MaxID {
		q.id = strings.ToValidUTF8(q.id[:MaxID], "")
		return q, wrong("id", "it is longer than %d bytes", MaxID)
	}
	if !valid {
		return q, wrong("", "the line is not UTF-8")
	}
	if f.err == nil && !q.hasID && s.cfg.Mode == Analyse {
		return q, wrong("id", "it is missing; answers may come in any order, so every query needs a text that tells them apart")
	}
	q.action = f.text("action", actionAnalyse)
	switch q.action {
	case actionAnalyse, actionPosition:
		if err := s.parsePosition(q, f); err != nil {
			return q, err
		}
		return q, nil
	case actionTerminate:
		if !f.read("terminate_id", &q.terminateID, "a text") {
			f.fail(wrong("terminate_id", "it is missing: the id of the query to end"))
		}
		f.read("analyse_turns", &q.turns, "a list of whole numbers")
	case actionTerminateAll:
		f.read("analyse_turns", &q.turns, "a list of whole numbers")
	case actionVersion, actionClearCache:
	default:
		f.fail(wrong("action", "there is no %q; the actions are %s", shorten(q.action), strings.Join(actions, ", ")))
	}
	if err := f.done(); err != nil {
		return q, err
	}
	return q, nil
}

// parsePosition reads a question about positions.
func (s *Server) parsePosition(q *query, f *fields) error {
	var (
		set, moves []string
		searching  = q.action == actionAnalyse
		analysing  = searching && s.cfg.Mode == Analyse
	)
	ref := f.text("ruleset", "")
	f.read("set", &set, `a list of texts "parameter=value"`)
	position := f.text("position", "")
	f.read("moves", &moves, "a list of texts")
	q.notation = Notation(f.text("notation", string(s.cfg.Notation)))
	if !q.notation.valid() {
		f.fail(wrong("notation", "%q is not %s or %s", shorten(string(q.notation)), Latro, Oracle))
	}
	if searching {
		q.simulations = f.int("simulations", 0, 1, s.cfg.MaxSimulations)
		q.nodes = f.int("nodes", 0, 1, mcts.MaxNodes)
		q.seconds = f.float("seconds", 0, 0.001, MaxSeconds)
		q.limits = f.limits()
		q.seed = s.cfg.Seed
		f.read("seed", &q.seed, "a whole number in 0..18446744073709551615")
	}
	if searching && !analysing {
		q.game = f.text("game", "")
		if len(q.game) > MaxGame {
			f.fail(wrong("game", "it is longer than %d bytes", MaxGame))
		}
	}
	q.includeLegal = f.bool("include_legal", true)
	q.pvLength = 12
	if analysing {
		q.priority = f.int("priority", 0, math.MinInt32, math.MaxInt32)
		f.read("analyse_turns", &q.turns, "a list of whole numbers")
		q.includePolicy = f.bool("include_policy", false)
		q.includeVisits = f.bool("include_pv_visits", false)
		q.treeDepth = f.int("tree_depth", 0, 0, MaxTreeDepth)
		q.maxMoves = f.int("max_moves", 0, 0, 1<<16)
		q.pvLength = f.int("pv_length", q.pvLength, 1, MaxVariation)
		q.reportEvery = f.float("report_every", 0, 0.01, MaxSeconds)
	}
	if err := f.done(); err != nil {
		return err
	}
	if len(moves) > MaxMoves {
		return wrong("moves", "%d plies are too many; %d are allowed", len(moves), MaxMoves)
	}
	if len(q.turns) > MaxPlies {
		return wrong("analyse_turns", "%d positions are too many; %d are allowed in one query", len(q.turns), MaxPlies)
	}
	b, err := s.bindingOf(ref, set)
	if err != nil {
		return err
	}
	q.binding = b
	if q.start, err = startOf(b.game, position); err != nil {
		return err
	}
	if q.game != "" {
		q.startText = q.start.Position()
	}
	if q.limits != nil {
		q.limits.notation = q.notation
		if err := b.able(q.limits); err != nil {
			return err
		}
	}
	if q.turns == nil {
		q.turns = []int{len(moves)}
	}
	counts := map[int]int{} // legal plies at the positions asked for
	for _, t := range q.turns {
		if t < 0 || t > len(moves) {
			return wrong("analyse_turns", "%d is not one of the positions 0..%d", t, len(moves))
		}
		if _, twice := counts[t]; twice {
			return wrong("analyse_turns", "%d is there twice", t)
		}
		counts[t] = 0
	}
	// The state that plays the list is the one that later positions are copied from; it goes back afterwards.
	st := q.start
	var legal []engine.Action
	for i := 0; ; i++ {
		if _, asked := counts[i]; asked {
			legal = st.Legal(legal[:0])
			counts[i] = len(legal)
			if err := q.limits.check(st, i, legal); err != nil {
				return err
			}
		}
		if i == len(moves) {
			break
		}
		if st.Over() {
			return wrong("moves", "the game is over (%s, %s) before ply %d of the list, %q", st.Outcome(), st.Reason(), i+1, shorten(moves[i]))
		}
		a, err := q.notation.parse(st, moves[i])
		if err != nil {
			return wrong("moves", "ply %d of the list: %s", i+1, plain(err))
		}
		st.Play(a)
		q.plies = append(q.plies, a)
	}
	for range q.plies {
		st.Undo()
	}
	for _, t := range q.turns {
		q.legal = append(q.legal, counts[t])
	}
	switch stepwise := b.search != nil || b.uct; {
	case stepwise && q.nodes > 0:
		return wrong("nodes", "the agent %s counts simulations, not nodes", b.name)
	case stepwise && q.simulations == 0 && q.seconds == 0:
		q.seconds = b.seconds
	case !stepwise && (q.simulations > 0 || q.nodes > 0 || q.seconds > 0):
		if _, err := s.agentFor(b, q.simulations, q.nodes, q.seconds); err != nil {
			var qe *queryError
			if errors.As(err, &qe) {
				return qe
			}
			return wrong("", "%v", err)
		}
	}
	return nil
}

// stateAt is the position after the first n plies of the list.
func (q *query) stateAt(n int) *engine.State {
	q.mu.Lock()
	s := q.start.Clone()
	q.mu.Unlock()
	for _, a := range q.plies[:n] {
		s.Play(a)
	}
	return s
}

// startOf is the position before the plies.
func startOf(g *engine.Game, position string) (*engine.State, error) {
	if position == "" {
		return g.NewState(), nil
	}
	st, err := g.ParsePosition(position)
	if err != nil {
		return nil, wrong("position", "%s", plain(err))
	}
	return st, nil
}

// bindingOf is the binding of a query's ruleset, made now or earlier.
func (s *Server) bindingOf(ref string, set []string) (*binding, error) {
	switch {
	case ref == "" && s.cfg.Ruleset == "":
		return nil, wrong("ruleset", "it is missing: the id of a ruleset, such as bell-8x7, or id@reading")
	case ref == "":
		ref, set = s.cfg.Ruleset, append(slices.Clone(s.cfg.Set), set...)
	case isFile(ref) && !s.cfg.Files:
		return nil, wrong("ruleset", "%q is a file, and files are not allowed in queries; give the file when the program is started, or allow them", shorten(ref))
	}
	field := "ruleset"
	if len(set) > 0 {
		field = "set"
	}
	b, err := s.bindings.get(ref, set)
	if err == nil {
		return b, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		field = "ruleset"
	case !errors.Is(err, rules.ErrInvalid) && !errors.Is(err, engine.ErrInvalid):
		field = "agent" // which is no field of a query, but says where to look
	}
	return nil, wrong(field, "%s", strings.TrimPrefix(err.Error(), selfplay.ErrInput.Error()+": "))
}

// bindings keeps what was bound, the latest maxBindings. Only the goroutine that reads uses it.
type bindings struct {
	server *Server
	byKey  map[string]*binding
	order  []string
}

// maxBindings is the number of rulesets that stay compiled.
const maxBindings = 64

func (b *bindings) get(ref string, set []string) (*binding, error) {
	var key bytes.Buffer
	for _, part := range append([]string{ref}, set...) {
		fmt.Fprintf(&key, "%d:%s", len(part), part)
	}
	k := key.String()
	if x, ok := b.byKey[k]; ok {
		return x, nil
	}
	x, err := b.server.bind(ref, set)
	if err != nil {
		return nil, err
	}
	if len(b.order) >= maxBindings {
		delete(b.byKey, b.order[0])
		b.order = b.order[1:]
	}
	b.byKey[k] = x
	b.order = append(b.order, k)
	return x, nil
}
