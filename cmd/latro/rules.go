package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"latro/env/engine"
	"latro/env/oracle"
	"latro/env/rules"
)

// rulesCmd is latro rules.
type rulesCmd struct {
	List   rulesListCmd   `cmd:"" help:"List the catalogue."`
	Show   rulesShowCmd   `cmd:"" help:"Show a ruleset in plain words, with a diagram, sources and open questions."`
	Diff   rulesDiffCmd   `cmd:"" help:"Compare two rulesets parameter by parameter."`
	Check  rulesCheckCmd  `cmd:"" help:"Check ruleset files and explain every mistake at once."`
	Perft  rulesPerftCmd  `cmd:"" help:"Count the sequences of legal plies, or check recorded counts."`
	Replay rulesReplayCmd `cmd:"" help:"Replay recorded games and compare every ply."`
	Audit  rulesAuditCmd  `cmd:"" help:"Play a ruleset by chance and by greed, and report what goes wrong and what never matters."`
}

// Help is shown by --help.
func (rulesCmd) Help() string {
	return "Examples:\n  latro rules list\n  latro rules show bell-8x7\n  latro rules diff bell-8x7 webdux"
}

// rulesetFlag names a ruleset.
type rulesetFlag struct {
	Ruleset string   `arg:"" help:"Ruleset: an id, id@reading, or a file."`
	Set     []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
}

func (f *rulesetFlag) open() (*rules.Ruleset, error) { return rules.Open(f.Ruleset, f.Set...) }

// rulesListCmd is latro rules list.
type rulesListCmd struct {
	JSON bool `help:"Print JSON."`
}

// Help is shown by --help.
func (rulesListCmd) Help() string {
	return "Examples:\n  latro rules list\n  latro rules list --json"
}

type listedRuleset struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	Men      int      `json:"men"`
	Leaders  int      `json:"leaders"`
	Summary  string   `json:"summary"`
	Readings []string `json:"readings"`
	Hash     string   `json:"hash"`
}

// Run does it.
func (c *rulesListCmd) Run(a *app) error {
	var all []listedRuleset
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			return err
		}
		l := listedRuleset{
			ID: id, Name: r.Name, Rows: r.Params.Board.Rows, Cols: r.Params.Board.Cols,
			Men: r.Params.Pieces.Men, Leaders: r.Params.Pieces.Leaders, Summary: r.Summary, Hash: r.Hash(),
		}
		l.Readings = []string{}
		for _, reading := range r.Readings {
			l.Readings = append(l.Readings, reading.Name)
		}
		all = append(all, l)
	}
	if c.JSON {
		return a.printJSON(all)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tBOARD\tMEN\tLEADER\tREADINGS\tNAME")
	for _, l := range all {
		leader := "–"
		if l.Leaders > 0 {
			leader = "yes"
		}
		fmt.Fprintf(w, "%s\t%d×%d\t%d\t%s\t%d\t%s\n", l.ID, l.Rows, l.Cols, l.Men, leader, len(l.Readings), l.Name)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, "\nBoards are rows × columns, men are per side. latro rules show ID tells the rules and their readings.")
	return err
}

// rulesShowCmd is latro rules show.
type rulesShowCmd struct {
	rulesetFlag
	Parameters bool `help:"Add the table of all parameters with value and certainty."`
	Markdown   bool `help:"Write Markdown."`
	YAML       bool `name:"yaml" help:"Write a ruleset file to start from, every parameter explained."`
	JSON       bool `help:"Print parameters, provenance and readings as JSON."`
}

// Help is shown by --help.
func (rulesShowCmd) Help() string {
	return `Examples:
  latro rules show bell-8x7
  latro rules show bell-8x7@ludii --set end.no_capture_limit=60 --parameters
  latro rules show bell-8x7 --yaml > my-game.yaml`
}

// Run does it.
func (c *rulesShowCmd) Run(a *app) error {
	r, err := c.open()
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		values := map[string]string{}
		for _, name := range rules.ParamNames() {
			if values[name], err = r.Params.Get(name); err != nil {
				return err
			}
		}
		return a.printJSON(map[string]any{
			"id": r.ID, "name": r.Name, "ref": r.Ref(), "hash": r.Hash(), "summary": r.Summary, "sources": r.Sources,
			"parameters": values, "provenance": r.Provenance, "readings": r.Readings,
		})
	case c.YAML:
		return r.WriteYAML(a.stdout, true)
	}
	return r.Render(a.stdout, rules.RenderOptions{Markdown: c.Markdown, Parameters: c.Parameters})
}

// rulesDiffCmd is latro rules diff.
type rulesDiffCmd struct {
	A    string `arg:"" help:"First ruleset."`
	B    string `arg:"" help:"Second ruleset."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown by --help.
func (rulesDiffCmd) Help() string {
	return "Examples:\n  latro rules diff bell-8x7 webdux\n  latro rules diff locus-ludi-seneca locus-ludi-seneca@ludii\n  latro rules diff bell-8x7 bell-8x7+capture.corner=neutral"
}

// Run does it.
func (c *rulesDiffCmd) Run(a *app) error {
	x, err := rules.Open(c.A)
	if err != nil {
		return err
	}
	y, err := rules.Open(c.B)
	if err != nil {
		return err
	}
	diff := rules.Diff(x, y)
	if c.JSON {
		if diff == nil {
			diff = []rules.Difference{}
		}
		return a.printJSON(diff)
	}
	if len(diff) == 0 {
		fmt.Fprintf(a.stdout, "%s and %s are played alike\n", x.Ref(), y.Ref())
		return nil
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "PARAMETER\t%s\t%s\n", x.Ref(), y.Ref())
	for _, d := range diff {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, shorten(d.A), shorten(d.B))
	}
	return w.Flush()
}

// shorten keeps a table's cell readable: start arrays are long.
func shorten(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	if s == "" {
		return "(none)"
	}
	return s
}

// rulesCheckCmd is latro rules check.
type rulesCheckCmd struct {
	Files []string `arg:"" help:"Ruleset files, or ids."`
}

// Help is shown by --help.
func (rulesCheckCmd) Help() string {
	return "Examples:\n  latro rules check my-game.yaml\n  latro rules check *.yaml"
}

// Run does it.
func (c *rulesCheckCmd) Run(a *app) error {
	bad := 0
	for _, f := range c.Files {
		r, err := rules.Open(f)
		if err == nil {
			_, err = engine.Compile(r.Params)
		}
		if err != nil {
			fmt.Fprintln(a.stderr, err)
			bad++
			continue
		}
		fmt.Fprintf(a.stdout, "%s: sound (%s, readings besides the default: %d, hash %.12s)\n", f, r.ID, len(r.Readings), r.Hash())
	}
	if bad > 0 {
		return fmt.Errorf("%w: %d of %d rulesets have mistakes", errInput, bad, len(c.Files))
	}
	return nil
}

// rulesPerftCmd is latro rules perft.
type rulesPerftCmd struct {
	Args     []string `arg:"" help:"A ruleset; or with --check, perft files."`
	Check    bool     `help:"Check recorded counts: the arguments are perft files."`
	Depth    int      `short:"d" default:"3" help:"Deepest count."`
	Position string   `short:"p" placeholder:"TEXT" help:"Position to count from (a position string); the start if left out."`
	Reading  string   `placeholder:"NAME" help:"Reading of the ruleset; files choose their own."`
	Set      []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	JSON     bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (rulesPerftCmd) Help() string {
	return `Counts tell whether two programs play the same rules: a single wrong move anywhere changes them.

Examples:
  latro rules perft bell-8x7 --depth 3
  latro rules perft --check testdata/bell-8x7.perft.jsonl.gz
  latro rules perft luductus --depth 2 --json`
}

// Run does it.
func (c *rulesPerftCmd) Run(a *app) error {
	if c.Check {
		return c.check(a)
	}
	if len(c.Args) != 1 {
		return fmt.Errorf("%w: perft counts one ruleset at a time; with --check it takes files", errInput)
	}
	if c.Depth < 1 || c.Depth > 100 {
		return fmt.Errorf("%w: --depth is %d; it must be 1 to 100", errInput, c.Depth)
	}
	ref, err := withReading(c.Args[0], c.Reading)
	if err != nil {
		return err
	}
	r, err := rules.Open(ref, c.Set...)
	if err != nil {
		return err
	}
	g, err := engine.Compile(r.Params)
	if err != nil {
		return err
	}
	s := g.NewState()
	if c.Position != "" {
		if s, err = g.ParsePosition(c.Position); err != nil {
			return fmt.Errorf("%w: --position: %s", errInput, plain(err))
		}
	}
	var counts []uint64
	for d := 1; d <= c.Depth; d++ {
		n, err := countPlies(a.ctx, s, d)
		if err != nil {
			return err
		}
		counts = append(counts, n)
		if !c.JSON {
			fmt.Fprintf(a.stdout, "%d %d\n", d, n)
		}
	}
	if c.JSON {
		return a.printJSON(map[string]any{"ruleset": r.Ref(), "position": s.Position(), "perft": counts})
	}
	return nil
}

// countPlies is oracle.CountPlies that can be interrupted.
func countPlies(ctx context.Context, s *engine.State, depth int) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if depth <= 2 {
		return oracle.CountPlies(s, depth), nil
	}
	var sum uint64
	for _, act := range s.Legal(nil) {
		s.Play(act)
		n, err := countPlies(ctx, s, depth-1)
		s.Undo()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

func (c *rulesPerftCmd) check(a *app) error {
	positions, mismatches := 0, 0
	for _, path := range c.Args {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if a.skipsKnownBugs(path, c.Reading) {
			continue
		}
		res, err := oracle.CheckPerft(path, oracle.Options{Reading: c.Reading})
		if err != nil {
			return fmt.Errorf("%w: %w", errInput, err)
		}
		positions += res.Games
		mismatches += res.Mismatches
		a.showMismatch(path, res)
	}
	fmt.Fprintf(a.stdout, "positions %d mismatches %d\n", positions, mismatches)
	return mismatchError(mismatches)
}

// withReading adds a reading to a reference that names none.
func withReading(ref, reading string) (string, error) {
	if reading == "" {
		return ref, nil
	}
	if strings.Contains(ref, "@") {
		return "", fmt.Errorf("%w: %s names a reading already; leave out --reading %s", errInput, ref, reading)
	}
	if reading == "default" {
		return ref, nil
	}
	return ref + "@" + reading, nil
}

// rulesReplayCmd is latro rules replay.
type rulesReplayCmd struct {
	Files   []string `arg:"" help:"Files of recorded games, plain or gzipped."`
	Format  string   `enum:"oracle" default:"oracle" help:"Format of the files: oracle (see the package env/oracle)."`
	Ruleset string   `short:"r" placeholder:"RULESET" help:"Replay by these rules instead of the file's own."`
	Reading string   `placeholder:"NAME" help:"Reading; by default the one that the file tests."`
	Games   int      `short:"n" help:"Replay only the first so many games of each file; 0 is all."`
}

// Help is shown by --help.
func (rulesReplayCmd) Help() string {
	return `Compares, at every ply, who moves, the legal plies, the board and the hands, and at the end the result. The first
difference is shown as two boards.

Examples:
  latro rules replay --format oracle luductus.games.jsonl.gz
  latro rules replay recorded/*.games.jsonl.gz
  latro rules replay --reading ludii bell-8x7.games.jsonl.gz`
}

// Run does it.
func (c *rulesReplayCmd) Run(a *app) error {
	if c.Games < 0 {
		return fmt.Errorf("%w: --games is %d; it cannot be negative", errInput, c.Games)
	}
	var sum oracle.Result
	for _, path := range c.Files {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if a.skipsKnownBugs(path, c.Ruleset+c.Reading) {
			continue
		}
		res, err := oracle.ReplayFile(path, oracle.Options{Ruleset: c.Ruleset, Reading: c.Reading, Games: c.Games})
		if err != nil {
			return fmt.Errorf("%w: %w", errInput, err)
		}
		sum.Games += res.Games
		sum.Plies += res.Plies
		sum.Mismatches += res.Mismatches
		a.showMismatch(path, res)
	}
	fmt.Fprintf(a.stdout, "games %d plies %d mismatches %d\n", sum.Games, sum.Plies, sum.Mismatches)
	return mismatchError(sum.Mismatches)
}

// skipsKnownBugs says whether a file is left out because it shows bugs of the program that recorded it, and tells the user.
// A ruleset or reading that he named himself is replayed all the same.
func (a *app) skipsKnownBugs(path, named string) bool {
	if named != "" || !oracle.KnownBugs(oracle.NameOf(path)) {
		return false
	}
	fmt.Fprintf(a.stdout, "%s: skipped: it shows bugs of Ludii's game file that no reading has (%s-fixed has them repaired; --reading replays it all the same)\n",
		filepath.Base(path), oracle.NameOf(path))
	return true
}

func (a *app) showMismatch(path string, r oracle.Result) {
	if r.First == nil {
		return
	}
	fmt.Fprintf(a.stdout, "%s: %d mismatches, the first:\n%s\n", filepath.Base(path), r.Mismatches, strings.TrimRight(r.First.String(), "\n"))
}

func mismatchError(n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d mismatches: the recordings and these rules disagree", n)
}
