package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/env/oracle"
	"latro/env/rules"
)

// rulesCmd is latro rules.
type rulesCmd struct {
	List   rulesListCmd   `cmd:"" help:"List the catalogue."`
	Show   rulesShowCmd   `cmd:"" help:"Show a ruleset in plain words, with a diagram, sources and open questions."`
	Diff   rulesDiffCmd   `cmd:"" help:"Compare two rulesets parameter by parameter."`
	New    rulesNewCmd    `cmd:"" help:"Begin a ruleset file from another ruleset, every parameter explained."`
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
	// The boards of the Seega and Kharebga tables are many: the reconstructions come before them.
	var ids, boards []string
	for _, id := range rules.Catalogue() {
		if id[0] <= '9' {
			boards = append(boards, id)
		} else {
			ids = append(ids, id)
		}
	}
	ids = append(ids, boards...)
	var all []listedRuleset
	for _, id := range ids {
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
			"parameters": values, "provenance": r.Provenance, "readings": r.Readings, "doubts": doubtsOf(r),
		})
	case c.YAML:
		return r.WriteYAML(a.stdout, true)
	}
	return r.Render(a.stdout, rules.RenderOptions{Markdown: c.Markdown, Parameters: c.Parameters})
}

// doubtsOf returns the questions that the readings of a ruleset settle, by their numbers.
func doubtsOf(r *rules.Ruleset) map[string]string {
	out := map[string]string{}
	for _, x := range r.Readings {
		for _, id := range x.Doubts() {
			if d, ok := rules.LookUpDoubt(id); ok {
				out[id] = d.Question
			}
		}
	}
	return out
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

// rulesNewCmd is latro rules new.
type rulesNewCmd struct {
	From  string   `required:"" placeholder:"RULESET" help:"Ruleset to begin from: an id, id@reading, or a file."`
	ID    string   `name:"id" placeholder:"my-game" help:"Id of the new ruleset; by default my- and the id of the one it is begun from."`
	Name  string   `placeholder:"TEXT" help:"Its name."`
	Out   string   `short:"o" stdout:"" placeholder:"FILE" help:"File to write, - for standard output; by default the id with .yaml."`
	Set   []string `placeholder:"PARAM=VALUE" sep:"none" help:"Change a rule from the start; may be repeated."`
	Force bool     `help:"Replace the file if there is one."`
	JSON  bool     `help:"Print JSON about the file that was written."`
}

// Help is shown by --help.
func (rulesNewCmd) Help() string {
	return `The file holds every parameter with its meaning, the values that it can have and what is known of its origin. Unchanged
it plays exactly as the ruleset that it was begun from.

Examples:
  latro rules new --from bell-8x8
  latro rules new --from bell-8x8 --id my-game --out games/my-game.yaml
  latro rules new --from seega-classic-7x7 --id seega-9x9 --set board.rows=9 --set board.cols=9 --set pieces.men=40`
}

// Run does it.
func (c *rulesNewCmd) Run(a *app) error {
	r, err := rules.Open(c.From, c.Set...)
	if err != nil {
		return err
	}
	id := c.ID
	if id == "" {
		id = "my-" + r.ID
	}
	var text bytes.Buffer
	if err := r.Begin(&text, id, c.Name); err != nil {
		return err
	}
	path := c.Out
	switch path {
	case "-":
		if c.JSON {
			return fmt.Errorf("%w: --out - writes the file to standard output, where --json would stand too", errInput)
		}
		_, err := a.stdout.Write(text.Bytes())
		return err
	case "":
		path = id + ".yaml"
	}
	if !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml") {
		return fmt.Errorf("%w: --out %s: the name of a ruleset file ends in .yaml", errInput, path)
	}
	// What was written must be what was meant; a name with unprintable signs, for instance, is none.
	again, err := rules.Parse(path, text.Bytes())
	if err != nil {
		return err
	}
	if again.Hash() != r.Hash() {
		return fmt.Errorf("%s would play otherwise than %s", path, r.Ref())
	}
	if _, err := os.Lstat(path); err == nil && !c.Force {
		return fmt.Errorf("%w: %s exists already; --force replaces it, --out names another file", errInput, path)
	}
	if err := atomicfile.WriteBytes(path, text.Bytes()); err != nil {
		return err
	}
	shown := path
	if strings.ContainsAny(path, " \"'$&;()") {
		shown = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	next := []string{"latro rules check " + shown, "latro rules show " + shown, "latro rules diff " + r.Ref() + " " + shown, "latro play " + shown}
	if c.JSON {
		return a.printJSON(map[string]any{"file": path, "id": id, "from": r.Ref(), "hash": r.Hash(), "next": next})
	}
	fmt.Fprintf(a.stdout, "%s holds the rules of %s, every parameter explained. Open it in a text editor; then\n", path, r.Ref())
	why := []string{"finds every mistake", "tells your rules back in words", "shows what you changed", "plays them"}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for i, command := range next {
		fmt.Fprintf(w, "  %s\t%s\n", command, why[i])
	}
	return w.Flush()
}

// rulesCheckCmd is latro rules check.
type rulesCheckCmd struct {
	Files  []string `arg:"" help:"Ruleset files, or ids."`
	Strict bool     `help:"Let remarks fail too: rules without provenance, sources that nothing refers to, readings that change nothing."`
	JSON   bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (rulesCheckCmd) Help() string {
	return `Mistakes are told with file, line, column, what is wrong and what would be right, all of them at once, and end the
program with exit code 2. Remarks are about what the author may not have meant; they fail with --strict only.

Examples:
  latro rules check my-game.yaml
  latro rules check *.yaml --strict
  latro rules check my-game.yaml --json`
}

// checkedRuleset is what check finds of one ruleset.
type checkedRuleset struct {
	File     string         `json:"file"`
	Sound    bool           `json:"sound"`
	ID       string         `json:"id,omitempty"`
	Hash     string         `json:"hash,omitempty"`
	Readings []string       `json:"readings,omitempty"`
	Mistakes []foundMistake `json:"mistakes"`
	Remarks  []foundRemark  `json:"remarks"`
}

type foundMistake struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Param   string `json:"parameter,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

type foundRemark struct {
	About   string   `json:"about"`
	Message string   `json:"message"`
	Names   []string `json:"names"`
}

// checkRuleset opens a ruleset and looks for mistakes and remarks. The second result is the mistakes as text.
func checkRuleset(name string) (checkedRuleset, string) {
	out := checkedRuleset{File: name, Mistakes: []foundMistake{}, Remarks: []foundRemark{}}
	r, err := rules.Open(name)
	if err == nil {
		_, err = engine.Compile(r.Params)
	}
	if err != nil {
		var many *rules.Errors
		var one *rules.Problem
		switch {
		case errors.As(err, &many):
			for _, p := range many.Problems {
				out.Mistakes = append(out.Mistakes, foundMistake(p))
			}
		case errors.As(err, &one):
			out.Mistakes = append(out.Mistakes, foundMistake(*one))
		default:
			out.Mistakes = append(out.Mistakes, foundMistake{File: name, Message: err.Error()})
		}
		return out, err.Error()
	}
	out.Sound, out.ID, out.Hash = true, r.ID, r.Hash()
	for _, x := range r.Readings {
		out.Readings = append(out.Readings, x.Name)
	}
	for _, m := range r.Remarks() {
		names := m.Names
		if names == nil {
			names = []string{}
		}
		out.Remarks = append(out.Remarks, foundRemark{m.About, m.Message, names})
	}
	return out, ""
}

// Run does it.
func (c *rulesCheckCmd) Run(a *app) error {
	bad, remarks := 0, 0
	all := []checkedRuleset{}
	for _, f := range c.Files {
		found, text := checkRuleset(f)
		all = append(all, found)
		remarks += len(found.Remarks)
		if !found.Sound {
			bad++
		}
		if c.JSON {
			continue
		}
		if !found.Sound {
			fmt.Fprintln(a.stderr, text)
			continue
		}
		fmt.Fprintf(a.stdout, "%s: sound (%s, readings besides the default: %d, hash %.12s)\n", f, found.ID, len(found.Readings), found.Hash)
		for _, m := range found.Remarks {
			fmt.Fprintf(a.stdout, "  remark: %s\n", m.Message)
		}
	}
	if c.JSON {
		if err := a.printJSON(map[string]any{"rulesets": all}); err != nil {
			return err
		}
	}
	switch {
	case bad > 0:
		return fmt.Errorf("%w: %d of %d rulesets have mistakes", errInput, bad, len(c.Files))
	case remarks > 0 && c.Strict:
		return fmt.Errorf("%w: --strict allows no remarks, and there are %d", errInput, remarks)
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
