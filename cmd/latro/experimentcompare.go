package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"latro/datasets/atomicfile"
	"latro/env/rules"
	"latro/experiments"
	"latro/selfplay"
)

// designYAML is the design of an exploration in its directory, for people to edit.
const designYAML = "design.yaml"

// exploreFlags are those of the commands that make a design of their own and fit it to a time.
type exploreFlags struct {
	Minutes float64  `default:"10" help:"How long it may take on this machine, the pilot and the report included."`
	Out     string   `short:"o" placeholder:"DIR" help:"Directory of the experiment; by default a name made of the rulesets. The same command with the same directory goes on where it stopped."`
	Seed    uint64   `default:"1" help:"Root of all chance."`
	Workers int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result of a design."`
	Agents  []string `name:"agent" aliases:"agents" sep:"none" placeholder:"SPEC" help:"Player that plays itself, as uct:simulations=100; may be repeated. By default chance and searches that the time can pay for."`
	Metric  string   `placeholder:"NAME" help:"Primary measure: first-player-score, decisive-share, draw-share, undecided-share, capped-share, length or captures. By default the first player's score, or capped-share where too few games end."`
	Margin  *float64 `placeholder:"X" help:"Smallest difference that matters, in the measure's unit; by default 0.05 of a share, a tenth of the length, one piece."`
	Cap     *int     `placeholder:"PLIES" help:"Stop a game after so many plies; by default 400 to 1600, by how long games last."`
	Pairs   *int     `placeholder:"N" help:"Play at most so many pairs of games for each ruleset and player, even if the time allows more."`
	JSON    bool     `help:"Print the answer as JSON."`
}

func (f exploreFlags) check() error {
	if !(f.Minutes >= 0.05 && f.Minutes <= 7*24*60) {
		return fmt.Errorf("%w: --minutes is %g; it must be from 0.05 to %d", errInput, f.Minutes, 7*24*60)
	}
	if f.Margin != nil && !(*f.Margin > 0) {
		return fmt.Errorf("%w: --margin is %g; it must be more than 0, as 0.05", errInput, *f.Margin)
	}
	var names []string
	for _, m := range experiments.Metrics() {
		names = append(names, m.Name)
	}
	if f.Metric != "" && !slices.Contains(names, f.Metric) {
		return fmt.Errorf("%w: --metric %s: there is no such measure; it must be one of %s", errInput, f.Metric, strings.Join(names, ", "))
	}
	if f.Cap != nil && *f.Cap < 1 {
		return fmt.Errorf("%w: --cap is %d; it must be at least 1", errInput, *f.Cap)
	}
	for i, s := range f.Agents {
		if slices.Contains(f.Agents[:i], s) {
			return fmt.Errorf("%w: --agent %s is given twice", errInput, s)
		}
		if strings.HasPrefix(s, "net") {
			return fmt.Errorf("%w: --agent %s: a network belongs to one ruleset, which this command has no place for; write a design (docs/designs.md, Strength)", errInput, s)
		}
	}
	if most := experiments.MostPairs; f.Pairs != nil && (*f.Pairs < 1 || *f.Pairs > most) {
		return fmt.Errorf("%w: --pairs is %d; it must be from 1 to %d", errInput, *f.Pairs, most)
	}
	return checkWorkers(f.Workers)
}

// orZero is the value of a flag, 0 if it was not given.
func orZero[T int | float64](p *T) T {
	if p == nil {
		return 0
	}
	return *p
}

// apply puts what was asked for into a design.
func (f exploreFlags) apply(d experiments.Design) experiments.Design {
	d.Seed, d.Margin = f.Seed, orZero(f.Margin)
	if f.Cap != nil {
		d.Cap = *f.Cap
	}
	for _, s := range f.Agents {
		d.Agents = append(d.Agents, experiments.AgentRef{Spec: s})
	}
	return d
}

// needed is what is wrong with a design that was made of the flags, said of the flags: nobody wrote a design.
func (f exploreFlags) needed(d experiments.Design) error {
	err := experiments.Needed(d)
	var ps experiments.Problems
	if !errors.As(err, &ps) {
		return err
	}
	out := make(experiments.Problems, len(ps))
	for i, p := range ps {
		var agent int
		if n, err := fmt.Sscanf(p.Field, "agents[%d]", &agent); err == nil && n == 1 && agent < len(f.Agents) {
			p.Field = "--agent " + f.Agents[agent]
		} else if slices.Contains([]string{"margin", "cap", "pairs", "metric", "seed"}, p.Field) {
			p.Field = "--" + p.Field
		}
		p.File, p.Line, p.Column = "", 0, 0
		out[i] = p
	}
	return out
}

// differs says in what a design on disk is not what is asked for now; "" if it fits.
func (f exploreFlags) differs(old, now experiments.Design) (string, error) {
	was, err := old.RuleHashes()
	if err != nil {
		return "", err
	}
	want, err := now.RuleHashes()
	if err != nil {
		return "", err
	}
	switch {
	case !slices.Equal(was, want):
		return "other rules", nil
	case old.Seed != f.Seed:
		return fmt.Sprintf("seed %d", old.Seed), nil
	case f.Metric != "" && old.Metric != f.Metric:
		return "the primary measure " + old.Metric, nil
	case f.Margin != nil && old.Margin != *f.Margin:
		return fmt.Sprintf("the margin %g", old.Margin), nil
	case f.Cap != nil && old.Cap != *f.Cap:
		return fmt.Sprintf("a cap of %d plies", old.Cap), nil
	}
	if len(f.Agents) > 0 {
		var specs []string
		for _, x := range old.Agents {
			specs = append(specs, x.Spec)
		}
		if !slices.Equal(specs, f.Agents) {
			return "the agents " + strings.Join(specs, ", "), nil
		}
	}
	return "", nil
}

// stage gives the rulesets references that count from one directory: ruleset files are copied into it, so that the
// experiment's directory holds all that its design names. The files are the copies' names.
func stage(dir string, opened []*rules.Ruleset, refs []string) (local, files []string, err error) {
	content := map[string][]byte{}
	for i, r := range opened {
		if r.File == "" {
			local = append(local, refs[i])
			continue
		}
		f, _, err := atomicfile.Open(r.File)
		if err != nil {
			return nil, nil, err
		}
		data, err := io.ReadAll(io.LimitReader(f, rules.MaxFileSize+1))
		f.Close()
		if err != nil {
			return nil, nil, err
		}
		name := filepath.Base(r.File)
		if name == designYAML {
			name = "rules-" + name
		}
		for was, ok := content[name]; ok && string(was) != string(data); was, ok = content[name] {
			name = "b-" + name
		}
		if _, ok := content[name]; !ok {
			content[name] = data
			files = append(files, name)
			if err := atomicfile.WriteBytes(filepath.Join(dir, name), data); err != nil {
				return nil, nil, err
			}
		}
		local = append(local, name+strings.TrimPrefix(refs[i], r.File))
	}
	return local, files, nil
}

// exploration is a design of an exploring command on its way to its directory.
type exploration struct {
	flags   exploreFlags
	dir     string
	began   time.Time
	share   float64 // of the time
	command string
	// stage is the directory with copies of the ruleset files named files.
	stage string
	files []string
}

// settle gives the design that is to be played: the one that is in the directory already, or now fitted to the time
// and written there.
func (e *exploration) settle(a *app, d experiments.Design, o experiments.FitOptions, out io.Writer) (experiments.Design, error) {
	if err := experiments.CheckDirectory(e.dir); err != nil {
		return d, err
	}
	path := filepath.Join(e.dir, designYAML)
	switch _, err := os.Stat(path); {
	case err == nil:
		old, err := experiments.LoadDesign(path)
		if err != nil {
			return d, err
		}
		what, err := e.flags.differs(old, d)
		if err != nil {
			return d, err
		}
		if what != "" {
			return d, fmt.Errorf("%w: %s holds an experiment with %s; use another --out, or remove that directory", errInput, e.dir, what)
		}
		fmt.Fprintf(out, "goes on with %s (its numbers stand; --minutes is not asked again)\n", path)
		return old, nil
	case !errors.Is(err, fs.ErrNotExist):
		return d, err
	}
	if _, err := os.Stat(filepath.Join(e.dir, experiments.DesignFile)); err == nil {
		return d, fmt.Errorf("%w: %s holds another experiment; use another --out", errInput, e.dir)
	}
	fmt.Fprintf(out, "timing a pilot, to fit the games into %s …\n", minutes(60*e.flags.Minutes*e.share))
	o.Time = time.Duration(e.flags.Minutes*e.share*float64(time.Minute)) - time.Since(e.began)
	o.Workers, o.Factory = e.flags.Workers, new(selfplay.Agents).New
	o.MostPairs = orZero(e.flags.Pairs)
	o.ChooseCap, o.ChooseMetric = e.flags.Cap == nil, e.flags.Metric == ""
	if len(d.Agents) > 0 {
		o.Budgets = nil
	}
	fit, err := experiments.Fit(a.ctx, d, o)
	if err != nil {
		return d, err
	}
	if err := os.MkdirAll(e.dir, 0o777); err != nil {
		return d, err
	}
	for _, name := range e.files {
		data, err := os.ReadFile(filepath.Join(e.stage, name))
		if err != nil {
			return d, err
		}
		if err := atomicfile.WriteBytes(filepath.Join(e.dir, name), data); err != nil {
			return d, err
		}
	}
	head := fmt.Sprintf("Made by %s, fitted to %g minutes on one machine.\nEdit it and play it anew with: latro experiment run %s --out DIR\nWithout \"exploratory: true\" latro experiment plan says how many pairs a result would need.", e.command, e.flags.Minutes, designYAML)
	if err := experiments.WriteDesignFile(path, fit.Design, head); err != nil {
		return d, err
	}
	if d, err = experiments.LoadDesign(path); err != nil {
		return d, err
	}
	fmt.Fprintf(out, "plan: %s; with %s about %s of %s\n", gamesOf(d), plans(d), minutes(fit.PilotSeconds+fit.GameSeconds), minutes(60*e.flags.Minutes*e.share))
	for _, n := range fit.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	fmt.Fprintf(out, "the design is in %s\n", path)
	return d, nil
}

// gamesOf tells the size of a design.
func gamesOf(d experiments.Design) string {
	n := len(d.Cells())
	return fmt.Sprintf("%d rulesets, %d pairs of games for each player: %d games", len(d.ExpandRulesets()), d.Pairs, 2*n*d.Pairs)
}

// plans tells the players of a design and how it is measured.
func plans(d experiments.Design) string {
	var names []string
	for _, x := range d.Agents {
		name := x.Name
		if name == "" {
			name = x.Spec
		}
		names = append(names, name)
	}
	return fmt.Sprintf("%s, a cap of %d plies, %s as the primary measure and a margin of %s:", strings.Join(names, ", "), d.Cap, d.Metric, d.MarginWords())
}

// minutes prints a time in minutes and seconds.
func minutes(s float64) string {
	return time.Duration(math.Round(s) * float64(time.Second)).String()
}

// experimentCompareCmd is latro experiment compare.
type experimentCompareCmd struct {
	A   string   `arg:"" help:"Ruleset: an id, id@reading, or a file."`
	B   string   `arg:"" optional:"" help:"Ruleset to compare it with; or leave it out and use --set."`
	Set []string `placeholder:"PARAM=VALUE" sep:"none" help:"Compare A with itself after this change; may be repeated."`
	exploreFlags
}

// Help is shown by --help.
func (experimentCompareCmd) Help() string {
	return `What changes if this rule changes? Times a pilot, fits players and games to --minutes, writes the design, plays it and
answers in plain words, with how sure the answer is; the directory holds the same report as any experiment's. The games
depend on the design alone, so latro experiment repro works on it. Exploratory: docs/comparing.md says what that means.

Examples:
  latro experiment compare bell-8x7 --set capture.corner=neutral
  latro experiment compare bell-8x7 bell-8x7@sixty-plies --minutes 5
  latro experiment compare locus-ludi-piso locus-ludi-seneca --metric capped-share --agent random --agent greedy
  latro experiment compare my-game.yaml my-game.yaml@other-reading --out answer --json`
}

// comparison is the JSON of a comparison.
type comparison struct {
	Same   bool   `json:"same"`
	Design string `json:"design,omitempty"`
	Report string `json:"report,omitempty"`
	*experiments.Answer
}

// Run does it.
func (c *experimentCompareCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	e := exploration{flags: c.exploreFlags, began: time.Now(), share: 1, command: "latro experiment compare " + strings.Join(append([]string{filepath.Base(c.A)}, changeWords(c)...), " ")}
	switch {
	case c.B == "" && len(c.Set) == 0:
		return fmt.Errorf("%w: what is %s to be compared with? Give a second ruleset, or a change as --set capture.corner=neutral", errInput, c.A)
	case c.B != "" && len(c.Set) > 0:
		return fmt.Errorf("%w: --set changes A, so B must be left out; to change B write it as %s+%s", errInput, c.B, c.Set[0])
	}
	refs, sets := []string{c.A, c.B}, [][]string{nil, nil}
	if c.B == "" {
		refs[1], sets[1] = c.A, c.Set
	}
	var opened []*rules.Ruleset
	for i := range refs {
		r, err := rules.Open(refs[i], sets[i]...)
		if err != nil {
			return err
		}
		opened = append(opened, r)
	}
	out := a.stdout
	if c.JSON {
		out = a.stderr
	}
	if opened[0].Hash() == opened[1].Hash() {
		if c.JSON {
			return a.printJSON(comparison{Same: true})
		}
		fmt.Fprintf(out, "%s and %s are played alike (the same rules, hash %.12s): nothing can differ, and no game was played\n", opened[0].Ref(), opened[1].Ref(), opened[0].Hash())
		return nil
	}
	var err error
	if e.stage, err = os.MkdirTemp("", "latro-compare-"); err != nil {
		return err
	}
	defer os.RemoveAll(e.stage)
	local, files, err := stage(e.stage, opened, refs)
	if err != nil {
		return err
	}
	e.files = files
	d, err := experiments.CompareDesign(experiments.RulesetRef{Ref: local[0], Set: sets[0]}, experiments.RulesetRef{Ref: local[1], Set: sets[1]}, opened[0], opened[1], c.Metric)
	if err != nil {
		return err
	}
	d = c.apply(d.In(e.stage))
	if err := c.needed(d); err != nil {
		return err
	}
	if e.dir = c.Out; e.dir == "" {
		e.dir = d.ID
	}
	fmt.Fprintf(out, "%s\n", d.Title)
	printRules(out, opened[0], opened[1])
	if d, err = e.settle(a, d, experiments.FitOptions{Budgets: experiments.CompareBudgets(), Meet: true}, out); err != nil {
		return err
	}
	an, html, err := e.play(a, e.dir, d)
	if err != nil {
		return err
	}
	answer, err := experiments.AnswerOf(an)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(comparison{Design: filepath.Join(e.dir, designYAML), Report: html, Answer: &answer})
	}
	printAnswer(out, answer)
	fmt.Fprintf(out, "\nreport %s (took %s)\n", html, minutes(time.Since(e.began).Seconds()))
	return nil
}

// changeWords are the arguments that name the change, for the manifest.
func changeWords(c *experimentCompareCmd) []string {
	if c.B != "" {
		return []string{filepath.Base(c.B)}
	}
	var out []string
	for _, s := range c.Set {
		out = append(out, "--set "+s)
	}
	return out
}

// play plays a design and writes its report.
func (e *exploration) play(a *app, dir string, d experiments.Design) (*experiments.Analysis, string, error) {
	if err := a.runExperiment(dir, d, new(selfplay.Agents).New, e.flags.Workers, e.command); err != nil {
		return nil, "", err
	}
	an, files, err := buildReport(dir, dir)
	if err != nil {
		return nil, "", err
	}
	return an, files.HTML, removeStale(dir, files.Figures)
}

// printRules lists what differs, with the meaning of the first few.
func printRules(w io.Writer, x, y *rules.Ruleset) {
	const most = 12
	diff := rules.Diff(x, y)
	if len(diff) > 1 {
		fmt.Fprintf(w, "%d rules differ, so this compares the bundle: any of them may be the cause\n", len(diff))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range diff[:min(most, len(diff))] {
		fmt.Fprintf(t, "  %s\t%s → %s\t%s\n", d.Name, shorten(d.A), shorten(d.B), d.Meaning)
	}
	t.Flush()
	if n := len(diff) - most; n > 0 {
		fmt.Fprintf(w, "  and %d more: latro rules diff %s %s\n", n, x.Ref(), y.Ref())
	}
	if !experiments.SameBoard(x, y) {
		fmt.Fprintln(w, "the boards or pieces differ: games have common random seeds, not common starting positions")
	}
}

// printAnswer tells the answer.
func printAnswer(w io.Writer, x experiments.Answer) {
	fmt.Fprintln(w, "\nThe answer in short")
	for _, s := range x.Short {
		fmt.Fprintf(w, "- %s\n", s)
	}
	t := newTrimmed(w)
	last := ""
	for _, c := range x.Changes {
		if c.Metric != last {
			mark := ""
			if c.Primary {
				mark = " (primary)"
			}
			fmt.Fprintf(t, "\t\t\t\n%s%s\t\t\t\n", c.Title, mark)
			last = c.Metric
		}
		fmt.Fprintf(t, "  %s\t%s → %s\t%s\t%s\n", c.Agent, experiments.Amount(c.Before, c.Unit, false), experiments.Amount(c.After, c.Unit, false),
			experiments.SignedInterval(c.Difference, c.Unit), c.Words())
	}
	if len(x.Uses) > 0 {
		fmt.Fprintf(t, "\t\t\t\nshare of games with special plies (no test)\t\t\t\n")
		for _, u := range x.Uses {
			apart := "intervals overlap"
			if u.IntervalsApart {
				apart = "intervals lie apart"
			}
			fmt.Fprintf(t, "  %s, %s\t%s → %s\t%s\t%.1f → %.1f a game\n", u.Agent, u.Name, experiments.Percent(u.Before.Estimate), experiments.Percent(u.After.Estimate), apart, u.PerGame[0], u.PerGame[1])
		}
	}
	t.flush()
	fmt.Fprintln(w, "\nWhat this does not say")
	for _, s := range x.Limits {
		fmt.Fprintf(w, "- %s\n", s)
	}
}

// trimmed is a table whose lines end where their words end.
type trimmed struct {
	*tabwriter.Writer
	to   io.Writer
	text *strings.Builder
}

func newTrimmed(w io.Writer) trimmed {
	text := new(strings.Builder)
	return trimmed{tabwriter.NewWriter(text, 0, 0, 2, ' ', 0), w, text}
}

func (t trimmed) flush() {
	t.Flush()
	for line := range strings.Lines(t.text.String()) {
		fmt.Fprintln(t.to, strings.TrimRight(line, " \n"))
	}
}
