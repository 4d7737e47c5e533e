package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime/debug"
	"slices"
	"text/tabwriter"
	"time"

	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts/exact"
)

// solveCmd is latro solve.
type solveCmd struct {
	Ruleset  string   `arg:"" help:"Ruleset: an id, id@reading, or a file."`
	Set      []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Position string   `placeholder:"TEXT" help:"Solve from this position on in place of the game's start."`
	Out      string   `short:"o" placeholder:"FILE" help:"Write the values of all positions to a file."`
	Solution string   `placeholder:"FILE" help:"Read the values from a file that --out wrote in place of solving."`
	Query    []string `placeholder:"TEXT" sep:"none" help:"Tell the value of this position and of each ply; may be repeated."`
	Memory   int      `default:"1024" placeholder:"MB" help:"Memory to use at most."`
	Minutes  float64  `default:"30" help:"Time to take at most."`
	Try      bool     `help:"Begin even if the bound of the number of positions does not fit into the memory."`
	Tree     int      `placeholder:"PLIES" help:"Look through the tree of lines with their histories, up to so many plies, in place of solving: the only way under superko."`
	JSON     bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (solveCmd) Help() string {
	return `Finds what every position of a small game is worth when both sides play perfectly, and in how many plies the winner
wins. Shrink a ruleset with --set until it fits: the number of positions that are possible is told if it does not.
Games without end are draws. Under threefold-draw a value "win0-or-draw" is a win unless repetition makes a draw of it. Under
superko a position has no value without its history: only --tree looks there, a few plies deep. docs/solved.md explains
it and has a table of solved games.

Examples:
  latro solve locus-ludi-piso --set board.rows=4 --set board.cols=4 --set pieces.men=3
  latro solve museum-quintana --set board.rows=3 --set board.cols=3 --set pieces.men=3 --set setup.array=bbb/.../aaa
  latro solve locus-ludi-piso --set board.rows=3 --set board.cols=3 --set pieces.men=3 --out piso.solution
  latro solve locus-ludi-piso --set board.rows=3 --set board.cols=3 --set pieces.men=3 --solution piso.solution --query "1bb/b1a/aa1 0 movement"
  latro solve 6x6-kharebga --position "a5/6/2b3/3a2/6/a4b 0 movement"
  latro solve locus-ludi-piso@superko --set board.rows=3 --set board.cols=3 --set pieces.men=2 --tree 8`
}

// solved is what latro solve prints.
type solved struct {
	exact.Info
	Bound   string        `json:"bound"` // of the number of positions, in scientific notation
	Seconds float64       `json:"seconds,omitempty"`
	MB      float64       `json:"mb,omitempty"`
	File    string        `json:"file,omitempty"`
	Plies   []exact.Ply   `json:"plies"` // at the start, best first
	Queries []solvedQuery `json:"queries,omitempty"`
}

// solvedQuery is what is known of a position.
type solvedQuery struct {
	Position string `json:"position"`
	exact.Answer
	Plies []exact.Ply `json:"plies"`
}

// maxSolveMemory bounds --memory: larger numbers of megabytes are no numbers of bytes.
const maxSolveMemory = 1 << 24

// check complains about flags out of range or that contradict one another.
func (c *solveCmd) check() error {
	switch {
	case c.Memory < 1 || c.Memory > maxSolveMemory:
		return fmt.Errorf("%w: --memory is %d; it must be 1 to %d", errInput, c.Memory, maxSolveMemory)
	case !(c.Minutes > 0) || c.Minutes > 1e6:
		return fmt.Errorf("%w: --minutes is %v; it must be above 0, and at most 1000000", errInput, c.Minutes)
	case c.Tree < 0 || c.Tree > 1000:
		return fmt.Errorf("%w: --tree is %d; it must be 1 to 1000 plies", errInput, c.Tree)
	case c.Tree > 0 && (c.Out != "" || c.Solution != "" || len(c.Query) > 0):
		return fmt.Errorf("%w: --tree solves one position; it goes with --position, and not with --out, --solution and --query", errInput)
	case c.Solution != "" && (c.Out != "" || c.Position != ""):
		return fmt.Errorf("%w: --solution is read; it does not go with --out and --position", errInput)
	}
	return nil
}

// Run does it.
func (c *solveCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	r, err := rules.Open(c.Ruleset, c.Set...)
	if err != nil {
		return err
	}
	if c.Tree > 0 {
		return c.tree(a, r)
	}
	s, err := c.solution(a, r)
	if err != nil {
		return err
	}
	out := solved{Info: s.Info, Bound: scientific(exact.Bound(r.Params)), Seconds: s.Info.Seconds, MB: float64(s.Info.Bytes) / (1 << 20), File: c.Out}
	reader := s.NewReader()
	start := s.Game().NewState()
	if s.Info.Position != "" {
		if start, err = s.Game().ParsePosition(s.Info.Position); err != nil {
			return err
		}
	}
	var ok bool
	if out.Plies, ok = reader.Plies(start); !ok {
		return fmt.Errorf("%w: %s does not have the positions after its first plies", errInput, c.Solution)
	}
	for _, text := range c.Query {
		q, err := query(reader, r, text)
		if err != nil {
			return err
		}
		out.Queries = append(out.Queries, q)
	}
	if c.Out != "" {
		if err := s.WriteFile(c.Out); err != nil {
			return err
		}
	}
	if c.JSON {
		return a.printJSON(out)
	}
	return out.write(a)
}

// solution solves the game or reads its solution.
func (c *solveCmd) solution(a *app, r *rules.Ruleset) (*exact.Solution, error) {
	if c.Solution != "" {
		s, err := exact.Load(c.Solution, r, int64(c.Memory)<<20)
		return s, solveError(err)
	}
	ctx, cancel := context.WithTimeoutCause(a.ctx, time.Duration(c.Minutes*float64(time.Minute)), errSolveTime)
	defer cancel()
	s, err := solve(ctx, a, r, exact.Options{Position: c.Position, Memory: int64(c.Memory) << 20, Try: c.Try})
	if err != nil && errors.Is(context.Cause(ctx), errSolveTime) {
		return nil, fmt.Errorf("not solved within --minutes %v; allow more time, or take a smaller game", c.Minutes)
	}
	return s, err
}

var errSolveTime = errors.New("the time is up")

// solve solves with progress and within the memory.
func solve(ctx context.Context, a *app, r *rules.Ruleset, o exact.Options) (*exact.Solution, error) {
	// The solver counts what it holds; the collector is to leave little more than that. It has few pointers to follow.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(o.Memory + 64<<20))
	log := logger(a.stderr)
	last := time.Now()
	o.Progress = func(p exact.Progress) {
		if time.Since(last) >= logEvery {
			last = time.Now()
			log.Info("solving: "+p.Stage, "found", p.Found, "looked at", p.Done, "MB", p.Bytes>>20)
		}
	}
	s, err := exact.Solve(ctx, r, o)
	return s, solveError(err)
}

// solveError says of the solver's errors whether the input is to blame.
func solveError(err error) error {
	for _, sentinel := range []error{exact.ErrTooLarge, exact.ErrHistory, exact.ErrUnsolvable, exact.ErrNotSolution} {
		if errors.Is(err, sentinel) {
			return fmt.Errorf("%w: %w", errInput, err)
		}
	}
	return err
}

// query looks a position up.
func query(reader *exact.Reader, r *rules.Ruleset, text string) (solvedQuery, error) {
	q := solvedQuery{Position: text}
	p := r.Params
	g, err := engine.Compile(p)
	if err != nil {
		return q, err
	}
	st, err := g.ParsePosition(text)
	if err != nil {
		return q, fmt.Errorf("--query: %w", err)
	}
	var ok bool
	if q.Answer, ok = reader.Look(st); !ok {
		return q, fmt.Errorf("%w: --query: %q cannot be reached from where the solution begins", errInput, text)
	}
	if st.Over() {
		return q, nil
	}
	// Each ply is valued as if no position had occurred before.
	if q.Plies, ok = reader.Plies(st); !ok {
		return q, fmt.Errorf("%w: --query: what follows %q cannot be reached from where the solution begins", errInput, text)
	}
	return q, nil
}

// shownPlies is how many plies are listed for people.
const shownPlies = 8

func (s *solved) write(a *app) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	row("ruleset", "%s", s.Ruleset)
	row("repetition", "%s", repetitionNote(s.Repetition))
	if s.Info.Position != "" {
		row("from", "%s", s.Info.Position)
	}
	row("value", "%s", answerText(s.Start))
	row("positions", "%d (symmetric ones counted once; bound %s), %d plies", s.States, s.Bound, s.Edges)
	row("", "win0 %d, draw %d, win1 %d", s.Win0, s.Draw, s.Win1)
	if n := s.Win0OrDraw + s.Win1OrDraw; n > 0 {
		row("", "win0-or-draw %d, win1-or-draw %d: wins unless repetition makes a draw of them", s.Win0OrDraw, s.Win1OrDraw)
	}
	if s.Longest > 0 {
		row("longest win", "%d plies, from %s", s.Longest, s.Hardest)
	}
	if s.Seconds > 0 {
		row("solved in", "%.1f s, %.0f MB", s.Seconds, s.MB)
	}
	if s.File != "" {
		row("written to", "%s", s.File)
	}
	row("first plies", "%s", pliesText(s.Plies))
	for _, q := range s.Queries {
		row("", "")
		row("position", "%s", q.Position)
		row("value", "%s", answerText(q.Answer))
		if len(q.Plies) > 0 {
			row("plies", "%s", pliesText(q.Plies))
		}
	}
	return w.Flush()
}

func repetitionNote(rule string) string {
	if rule == "none" {
		return "none (play without end counts as a draw here)"
	}
	return rule
}

func answerText(x exact.Answer) string {
	if x.Distance < 0 {
		return x.Value.String()
	}
	return fmt.Sprintf("%s in %d plies", x.Value, x.Distance)
}

func pliesText(plies []exact.Ply) string {
	text := ""
	for i, p := range plies[:min(len(plies), shownPlies)] {
		if i > 0 {
			text += ", "
		}
		text += p.Text + " " + p.Value.String()
		if p.Distance >= 0 {
			text += fmt.Sprintf(" %d", p.Distance)
		}
	}
	keeps := 0
	for _, p := range plies {
		if p.Keeps {
			keeps++
		}
	}
	return fmt.Sprintf("%d of %d keep the value: %s", keeps, len(plies), text)
}

// scientific writes a large number with three digits.
func scientific(n *big.Int) string {
	x, _ := new(big.Float).SetInt(n).Float64()
	if x < 1e6 {
		return n.String()
	}
	if math.IsInf(x, 0) {
		return "above 1e308"
	}
	return fmt.Sprintf("%.3g", x)
}

// treeResult is what latro solve --tree prints.
type treeResult struct {
	Ruleset string  `json:"ruleset"`
	Start   string  `json:"position"`
	Low     float64 `json:"value_low"`
	High    float64 `json:"value_high"`
	Proven  bool    `json:"proven"`
	Depth   int     `json:"depth"`
	Nodes   int64   `json:"nodes"`
}

// tree looks through the tree.
func (c *solveCmd) tree(a *app, r *rules.Ruleset) error {
	g, err := engine.Compile(r.Params)
	if err != nil {
		return err
	}
	st := g.NewState()
	if c.Position != "" {
		if st, err = g.ParsePosition(c.Position); err != nil {
			return fmt.Errorf("--position: %w", err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(a.ctx, time.Duration(c.Minutes*float64(time.Minute)), errSolveTime)
	defer cancel()
	t, err := exact.SearchTree(ctx, st, exact.TreeLimits{Depth: c.Tree, Nodes: math.MaxInt64})
	if err != nil && !errors.Is(context.Cause(ctx), errSolveTime) {
		return err
	}
	out := treeResult{r.Ref(), st.Position(), t.Low, t.High, t.Proven(), t.Depth, t.Nodes}
	if c.JSON {
		return a.printJSON(out)
	}
	i := slices.Index([]float64{-1, 0, 1}, t.Low)
	j := slices.Index([]float64{-1, 0, 1}, t.High)
	names := []string{"win1", "draw", "win0"}
	switch {
	case i < 0 || j < 0: // cannot be
	case t.Proven():
		fmt.Fprintf(a.stdout, "%s: %s, proven within %d plies, histories included (%d plies tried)\n", printable(out.Ruleset), names[i], t.Depth, t.Nodes)
	default:
		fmt.Fprintf(a.stdout, "%s: not proven within %d plies: between %s and %s (%d plies tried)\n", printable(out.Ruleset), t.Depth, names[i], names[j], t.Nodes)
	}
	return nil
}
