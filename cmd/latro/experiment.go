package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/experiments"
	"latro/experiments/report"
	"latro/selfplay"
)

// experimentCmd is latro experiment.
type experimentCmd struct {
	Designs experimentDesignsCmd `cmd:"" help:"List the designs that come with the program, or take one to edit it."`
	Plan    experimentPlanCmd    `cmd:"" help:"Say what a design will cost and what it can show; refuse one that cannot answer its question."`
	Freeze  experimentFreezeCmd  `cmd:"" help:"Fix a design before its games are played."`
	Run     experimentRunCmd     `cmd:"" help:"Play a design's games; goes on where it was stopped."`
	Report  experimentReportCmd  `cmd:"" help:"Write the report of an experiment that was run."`
	Repro   experimentReproCmd   `cmd:"" help:"Build the report and tables again from the games, and name every byte that differs."`
	Wear    experimentWearCmd    `cmd:"" help:"Hold the traffic of rulesets against a map of a real board's wear."`
	// Exploring: designs made from the command line and fitted to a time.
	Compare     experimentCompareCmd     `cmd:"" help:"What changes if this rule changes? Two rulesets compared within minutes."`
	Sensitivity experimentSensitivityCmd `cmd:"" help:"Which open question of the sources matters most? All readings of a ruleset compared and ranked."`
}

// Help is shown by --help.
func (experimentCmd) Help() string {
	return "docs/designs.md explains design files.\n\nExamples:\n  latro experiment plan design.yaml\n  latro experiment run design.yaml --quick\n  latro experiment freeze design.yaml --out results\n" +
		"  latro experiment run design.yaml --out results\n  latro experiment report results\n  latro experiment repro results --replay 20"
}

// pilotFlags say how a plan's pilot is played.
type pilotFlags struct {
	Pilot   int           `default:"8" help:"Pairs of games to try in each cell."`
	PerCell time.Duration `default:"2s" help:"Stop trying a cell after this time."`
	Workers int           `placeholder:"N" help:"Cores to plan for; 0 is all."`
}

func (p pilotFlags) plan(a *app, d experiments.Design) (experiments.Plan, error) {
	if p.Pilot < 1 {
		return experiments.Plan{}, fmt.Errorf("%w: --pilot is %d; it must be at least 1", errInput, p.Pilot)
	}
	if err := checkWorkers(p.Workers); err != nil {
		return experiments.Plan{}, err
	}
	var bar *progress
	defer func() {
		if bar != nil {
			bar.finish()
		}
	}()
	return experiments.MakePlan(a.ctx, d, new(selfplay.Agents).New, p.Workers, p.Pilot, p.PerCell, func(done, total int) {
		if bar == nil {
			bar = a.newProgress(d.ID+": rulesets and players tried", total, done)
			return
		}
		bar.add(1)
	})
}

// experimentPlanCmd is latro experiment plan.
type experimentPlanCmd struct {
	Design string `arg:"" help:"Design file (YAML), or the name of one that comes with the program."`
	pilotFlags
	Exploratory bool `help:"Plan it as an exploratory experiment, which need not be able to answer its question."`
	JSON        bool `help:"Print JSON."`
}

// Help is shown by --help.
func (experimentPlanCmd) Help() string {
	return `Plays a few games of every cell (one ruleset with one pairing of players) to see how much processor time they take and how much
they vary; writes nothing. A design with too few pairs for its question, or whose games are stopped by the cap too often, is
refused with exit code 2 and the number of pairs that would do. docs/designs.md explains design files.

Examples:
  latro experiment plan experiments/designs/bell-corners.yaml
  latro experiment plan design.yaml --json`
}

// Run does it.
func (c *experimentPlanCmd) Run(a *app) error {
	d, err := loadDesign(c.Design)
	if err != nil {
		return err
	}
	d.Exploratory = d.Exploratory || c.Exploratory
	p, err := c.plan(a, d)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.printJSON(p); err != nil {
			return err
		}
		return p.Refusal()
	}
	printPlan(a, d, p)
	return p.Refusal()
}

// printPlan tells what a design costs and can show.
func printPlan(a *app, d experiments.Design, p experiments.Plan) {
	fmt.Fprintf(a.stdout, "%s: %s\n\n", d.ID, strings.TrimSpace(d.Question))
	t := newTrimmed(a.stdout)
	fmt.Fprintln(t, "  RULESET\tPLAYERS\tTIME A GAME\tPLIES\tCAPPED\tGAMES TRIED")
	for _, cell := range p.Cells {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%.0f\t%.0f %%\t%d\n", cell.Ruleset, cell.Agents, seconds(cell.SecondsPerGame), cell.MeanPlies, 100*cell.Capped, cell.PilotGames)
	}
	t.flush()
	fmt.Fprintf(a.stdout, "\n%s; the games tried here are no part of them\n", planCost(d, p))
	if f := d.FractionInfo(); f != nil {
		fmt.Fprintf(a.stdout, "%d of %d combinations, resolution %d: %s\n", f.Runs, f.Of, f.Resolution, strings.Join(f.Defining, ", "))
		fmt.Fprintf(a.stdout, "where %s\n", strings.Join(d.FactorKey(), ", "))
		fmt.Fprintf(a.stdout, "cannot be told apart: %s\n", strings.Join(f.Aliases, "; "))
	}
	// Differences and sizes of shares are in points, so that no one takes five of them for five per cent of a share.
	size := func(x float64) string { return strings.TrimPrefix(experiments.Amount(x, p.Unit, true), "+") }
	fmt.Fprintf(a.stdout, "reckoned with a standard deviation of %s of one pair's value of %s: %s\n", size(p.PairSD), d.Metric, p.SDSource)
	alpha := 100 * (1 - d.Level)
	fmt.Fprintf(a.stdout, "one test by itself, two-sided at %.3g %%, finds a difference of %s between two cells with 80 %% power (the cells taken as independent; common starts do better)\n", alpha, size(p.DetectableDifference))
	if d.Metric == "first-player-score" {
		fmt.Fprintf(a.stdout, "and a deviation of %s from an even score with 80 %% power; it shows a truly even score to be within the margin of %s, at 5 %%, with %.0f %% power (90 %% would take %d pairs a cell)\n",
			size(p.Detectable), d.MarginWords(), 100*p.PowerEven, p.PairsForEven)
	}
	for _, r := range p.Requirements {
		kind := ""
		if d.Sequential() {
			kind = ", all pairs played and tested once"
		}
		fmt.Fprintf(a.stdout, "%s: %s fixed in advance, so each at %.2g %%%s: an effect as large as the margin of %s is found with %.0f %%; where there is none at all, one so large is excluded (at %.2g %%) with %.0f %%; %.0f %% of both takes %d pairs a cell, the design has %d\n",
			r.Group, experiments.Plural(r.Tests, "test"), alpha/float64(r.Tests), kind, d.MarginWords(), 100*r.Detect, 5/float64(r.Tests), 100*r.Exclude, 100*d.PlannedPower(), r.Pairs, d.Pairs)
	}
	if q := p.Sequential; q != nil {
		fmt.Fprintf(a.stdout, "a cell stops after %.0f pairs on average if its score is even (undecided after all pairs: %.0f %%), after %.0f if it is off by the margin (%.0f %%)\n",
			q.PairsEven, 100*q.UndecidedEven, q.PairsOff, 100*q.UndecidedOff)
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(a.stdout, "warning: %s\n", w)
	}
	if p.Provisional != "" {
		fmt.Fprintf(a.stdout, "warning: %s\n", p.Provisional)
	}
	switch {
	case p.Answers:
		fmt.Fprintln(a.stdout, "the design can answer its question; latro experiment freeze keeps that with it, so that its report need not call it exploratory")
	case p.Exploratory:
		for _, r := range p.Refusals {
			fmt.Fprintf(a.stdout, "short of an answer: %s\n", r)
		}
		could := "and more pairs would not help"
		if p.PairsNeeded > 0 {
			could = fmt.Sprintf("%d pairs a cell could, in about %s on %s", p.PairsNeeded, seconds(3600*p.HoursNeeded), idleCores(p.Cores))
		}
		fmt.Fprintf(a.stdout, "exploratory: the design cannot answer its question (%s)\n", could)
	}
}

// planCost says in a line what a design costs: games and time.
func planCost(d experiments.Design, p experiments.Plan) string {
	most := ""
	if d.Sequential() {
		most = "at most "
	}
	return fmt.Sprintf("%s%d games in %s, %sabout %s of processor time: %s on %s", most, p.Games, experiments.Plural(len(p.Cells), "cell"), most,
		seconds(p.CPUSeconds), seconds(p.WallSeconds), idleCores(p.Cores))
}

// idleCores names the cores that a plan counts on.
func idleCores(n int) string {
	if n == 1 {
		return "one core with nothing else to do"
	}
	return fmt.Sprintf("%d cores with nothing else to do", n)
}

// seconds prints a time with two or three digits, whether it is a microsecond or a day.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	step := time.Duration(1)
	for d/step >= 1000 && step < time.Second {
		step *= 10
	}
	return d.Round(step).String()
}

// experimentFreezeCmd is latro experiment freeze.
type experimentFreezeCmd struct {
	Design string `arg:"" help:"Design file (YAML), or the name of one that comes with the program."`
	Out    string `short:"o" placeholder:"DIR" help:"Directory of the experiment; by default experiment-ID."`
	pilotFlags
	Exploratory bool `help:"Freeze it as exploratory if it cannot answer its question; the report then says so."`
	JSON        bool `help:"Print JSON."`
}

// Help is shown by --help.
func (experimentFreezeCmd) Help() string {
	return `Plans the design, and if it can answer its question writes it with its hash into design.json of the experiment's directory.
From then on latro experiment run plays that design there and refuses any other: rules and networks count by their content.

Examples:
  latro experiment freeze design.yaml
  latro experiment freeze design.yaml --out results --exploratory`
}

// Run does it.
func (c *experimentFreezeCmd) Run(a *app) error {
	d, err := loadDesign(c.Design)
	if err != nil {
		return err
	}
	dir := experimentDir(c.Out, d)
	d.Exploratory = d.Exploratory || c.Exploratory
	cost := ""
	// A second freeze of the same design has nothing to plan.
	if _, err := os.Stat(filepath.Join(dir, experiments.DesignFile)); err != nil {
		p, err := c.plan(a, d)
		if err != nil {
			return err
		}
		// What can answer is not made exploratory by the flag, only by the design.
		if p.Answers && c.Exploratory {
			own, err := loadDesign(c.Design)
			if err != nil {
				return err
			}
			d.Exploratory = own.Exploratory
		}
		if err := p.Refusal(); err != nil {
			return err
		}
		cost = planCost(d, p)
	}
	d, err = experiments.Freeze(dir, d, new(selfplay.Agents).New)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, experiments.DesignFile)
	if c.JSON {
		return a.printJSON(map[string]any{"design": file, "hash": d.Hash(), "exploratory": d.Exploratory, "provisional": d.Provisional()})
	}
	kind := ""
	if d.Exploratory {
		kind = " as exploratory"
	}
	fmt.Fprintf(a.stdout, "%s is frozen%s in %s\nsha256 %s\n", d.ID, kind, file, d.Hash())
	if cost != "" {
		fmt.Fprintln(a.stdout, cost)
	}
	if text := d.Provisional(); text != "" {
		fmt.Fprintf(a.stdout, "warning: %s\n", text)
	}
	return nil
}

func experimentDir(out string, d experiments.Design) string {
	if out != "" {
		return out
	}
	return "experiment-" + d.ID
}

// experimentRunCmd is latro experiment run.
type experimentRunCmd struct {
	Design      string `arg:"" help:"Design file (YAML), or the name of one that comes with the program."`
	Out         string `short:"o" placeholder:"DIR" help:"Directory of the experiment; by default experiment-ID."`
	Workers     int    `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	Quick       bool   `help:"A trial with few, short games, in seconds: the same kinds of output, numbers without meaning."`
	Exploratory bool   `help:"Say that the design need not be able to answer its question; the report then says so too."`
	NoReport    bool   `help:"Only play; write no report."`
	JSON        bool   `help:"Print the findings as JSON."`
}

// Help is shown by --help.
func (experimentRunCmd) Help() string {
	return `Every finished unit of games is a file that appears whole or not at all: kill it whenever you like, the same
command goes on. A design that was not frozen before is frozen by its first run, without a pilot: if a rule of thumb does not
find its pairs enough, it is run as exploratory, and the report says so. latro experiment freeze plays the pilot.

Examples:
  latro experiment run experiments/designs/bell-corners.yaml
  latro experiment run design.yaml --quick
  latro experiment run design.yaml --out results/corners --json`
}

// Run does it.
func (c *experimentRunCmd) Run(a *app) error {
	d, err := loadDesign(c.Design)
	if err != nil {
		return err
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	asked := d.Exploratory || c.Exploratory || c.Quick
	d.Exploratory = d.Exploratory || c.Exploratory
	command := "latro experiment run " + filepath.Base(c.Design)
	if c.Quick {
		d = d.Quickly()
		command += " --quick"
	}
	dir := experimentDir(c.Out, d)
	if err := a.runExperiment(dir, d, new(selfplay.Agents).New, c.Workers, command); err != nil {
		return err
	}
	if frozen, err := experiments.ReadDesign(dir); err == nil && frozen.Exploratory && !asked {
		fmt.Fprintln(a.stderr, "note: this is an exploratory experiment: the design was not frozen, and without a pilot its pairs are not enough by the rule of thumb; latro experiment plan says how many would do, and freeze fixes a design that has them")
	}
	if c.NoReport {
		return nil
	}
	return a.writeReport(dir, c.JSON)
}

// collection is the growth of the heap, in percent, between two collections of garbage while games are played. Random players
// leave much garbage beside little that is kept: at the usual 100 two workers spent a fifth of their time waiting for collections
// (docs/performance.md).
const collection = 300

// runExperiment plays a design with a progress bar.
func (a *app) runExperiment(dir string, d experiments.Design, factory experiments.Factory, workers int, command string) error {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(collection))
	}
	var bar *progress
	last := 0
	err := experiments.Run(a.ctx, dir, d, experiments.RunOptions{
		Workers: workers, Factory: factory, Command: command,
		Progress: func(p experiments.Progress) {
			if bar == nil {
				bar = a.newProgress(d.ID+": games", p.Total, p.Resumed)
				last = p.Resumed
			}
			bar.add(p.Games - last)
			last = p.Games
		},
	})
	if bar != nil {
		bar.finish()
	}
	return err
}

// writeReport analyses an experiment's directory and writes its report there.
func (a *app) writeReport(dir string, asJSON bool) error {
	an, files, err := a.buildAll(dir, dir)
	if err != nil {
		return err
	}
	if err := removeStale(dir, files.Figures); err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(map[string]any{"report": files.HTML, "results": files.JSON, "games": filepath.Join(dir, experiments.GamesFile), "exploratory": an.Exploratory, "findings": an.Findings})
	}
	if an.Quick {
		fmt.Fprintf(a.stdout, "a trial run with few games: it shows that everything works, and no claim is made\nreport %s\n", files.HTML)
		return nil
	}
	a.printFindings(an.Findings)
	fmt.Fprintf(a.stdout, "\nreport %s\n", files.HTML)
	return nil
}

// mostFindings bounds the findings that are printed; the report has all of them.
const mostFindings = 20

// printFindings prints what was found, the answer to the design's question first.
func (a *app) printFindings(all []experiments.Finding) {
	for _, f := range all[:min(mostFindings, len(all))] {
		fmt.Fprintf(a.stdout, "- %s\n", f.Sentence)
	}
	if rest := len(all) - mostFindings; rest > 0 {
		fmt.Fprintf(a.stdout, "- and %d more, in the report\n", rest)
	}
}

// removeStale removes pictures of an earlier report of the same experiment that the present one no longer has, as that of
// an unfinished run may have had.
func removeStale(dir string, figures []string) error {
	old, err := filepath.Glob(filepath.Join(dir, "figures", "*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		ext := filepath.Ext(path)
		if (ext == ".svg" || ext == ".png") && !slices.Contains(figures, path) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// buildReport makes everything that follows from the games of an experiment: all games in one file, the tables, the
// figures and the page. It reads dir and writes to.
func buildReport(dir, to string) (*experiments.Analysis, report.Files, error) {
	if to == dir {
		release, err := clearUnfinished(dir)
		if err != nil {
			return nil, report.Files{}, err
		}
		defer release()
	}
	an, err := experiments.Analyse(dir)
	if err != nil {
		return nil, report.Files{}, err
	}
	m, _, err := experiments.ReadManifest(dir)
	if err != nil {
		return nil, report.Files{}, err
	}
	if _, err := experiments.WriteGames(dir, to); err != nil {
		return nil, report.Files{}, err
	}
	files, err := report.Write(to, report.Standard(an, manifestEntries(m)))
	return an, files, err
}

// clearUnfinished removes what a report that was killed was writing, all games in one file among it, and keeps the directory
// from being cleared by others until release. While a run goes on there, which clears the directory itself, nothing is done; and
// where nothing may be written, the report will say so.
func clearUnfinished(dir string) (release func(), err error) {
	held, err := dirlock.Acquire(dir)
	if err != nil {
		return func() {}, nil
	}
	for _, d := range []string{dir, filepath.Join(dir, "figures")} {
		if _, err := atomicfile.RemoveStale(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			held.Close()
			return nil, fmt.Errorf("write report: %w", err)
		}
	}
	return func() { held.Close() }, nil
}

func manifestEntries(m experiments.Manifest) []report.Entry {
	var out []report.Entry
	for _, e := range m.Entries() {
		out = append(out, report.Entry{Key: e[0], Value: e[1]})
	}
	return out
}

// needExperiment refuses what is no directory of an experiment, or cannot be read.
func needExperiment(dir string) error {
	switch st, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no directory %s", errInput, dir)
	case err != nil:
		return fmt.Errorf("%w: %w", errInput, err)
	case !st.IsDir():
		return fmt.Errorf("%w: %s is not a directory; name the directory of an experiment, as latro experiment run makes one", errInput, dir)
	}
	there := func(name string) (bool, error) {
		switch st, err := os.Stat(filepath.Join(dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("%w: %s cannot be read: %w", errInput, dir, err)
		case !st.Mode().IsRegular():
			return false, fmt.Errorf("%w: %s is not a file that an experiment wrote", errInput, filepath.Join(dir, name))
		}
		return true, nil
	}
	manifest, err := there(experiments.ManifestFile)
	if err != nil {
		return err
	}
	design, err := there(experiments.DesignFile)
	switch {
	case err != nil:
		return err
	case !manifest && design:
		return fmt.Errorf("%w: %s holds a frozen design but no %s: either nothing was played yet or the file was lost; latro experiment run with the same design plays what is missing and makes it anew", errInput, dir, experiments.ManifestFile)
	case !manifest:
		return fmt.Errorf("%w: %s holds no experiment: it has no %s; latro experiment run makes one", errInput, dir, experiments.ManifestFile)
	case !design:
		return fmt.Errorf("%w: %s has a %s but no %s, so it is no experiment, or that file was lost; restore it from a copy, or run the design anew in another directory", errInput, dir, experiments.ManifestFile, experiments.DesignFile)
	}
	// Rights are asked for before anything is made; who may read all files passes.
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read: %w", errInput, dir, err)
	}
	return f.Close()
}

// experimentReportCmd is latro experiment report.
type experimentReportCmd struct {
	Dir  string `arg:"" help:"Directory of the experiment."`
	JSON bool   `help:"Print the findings as JSON."`
}

// Help is shown by --help.
func (experimentReportCmd) Help() string {
	return "Examples:\n  latro experiment report experiment-bell-corners\n  latro experiment report results/corners --json"
}

// Run does it.
func (c *experimentReportCmd) Run(a *app) error {
	if err := needExperiment(c.Dir); err != nil {
		return err
	}
	return a.writeReport(c.Dir, c.JSON)
}
