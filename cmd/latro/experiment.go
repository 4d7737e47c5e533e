package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"latro/experiments"
	"latro/experiments/report"
	"latro/selfplay"
)

// experimentCmd is latro experiment.
type experimentCmd struct {
	Plan   experimentPlanCmd   `cmd:"" help:"Say what a design will cost and what it can show."`
	Run    experimentRunCmd    `cmd:"" help:"Play a design's games; goes on where it was stopped."`
	Report experimentReportCmd `cmd:"" help:"Write the report of an experiment that was run."`
}

// Help is shown by --help.
func (experimentCmd) Help() string {
	return "Examples:\n  latro experiment plan design.yaml\n  latro experiment run design.yaml --out results\n  latro experiment report results"
}

// experimentPlanCmd is latro experiment plan.
type experimentPlanCmd struct {
	Design  string        `arg:"" help:"Design file (YAML)."`
	Pilot   int           `default:"4" help:"Pairs of games to try in each cell."`
	PerCell time.Duration `default:"2s" help:"Stop trying a cell after this time."`
	Workers int           `placeholder:"N" help:"Goroutines to plan for; 0 is one a core."`
	JSON    bool          `help:"Print JSON."`
}

// Help is shown by --help.
func (experimentPlanCmd) Help() string {
	return `Plays a few games of every cell (one ruleset with one pairing of players) to see how long they take; writes
nothing. docs/designs.md explains design files.

Examples:
  latro experiment plan experiments/designs/bell-corners.yaml
  latro experiment plan design.yaml --json`
}

// Run does it.
func (c *experimentPlanCmd) Run(a *app) error {
	d, err := experiments.LoadDesign(c.Design)
	if err != nil {
		return err
	}
	if c.Pilot < 1 {
		return fmt.Errorf("%w: --pilot is %d; it must be at least 1", errInput, c.Pilot)
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	p, err := experiments.MakePlan(a.ctx, d, new(selfplay.Agents).New, c.Workers, c.Pilot, c.PerCell)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(p)
	}
	fmt.Fprintf(a.stdout, "%s: %s\n\n", d.ID, strings.TrimSpace(d.Question))
	for _, cell := range p.Cells {
		fmt.Fprintf(a.stdout, "  %-40s %-28s %9s a game, %5.0f plies, %3.0f %% capped\n", cell.Ruleset, cell.Agents, seconds(cell.SecondsPerGame), cell.MeanPlies, 100*cell.Capped)
	}
	fmt.Fprintf(a.stdout, "\n%d games in %d cells, about %s on this machine\n", p.Games, len(p.Cells), seconds(p.WallSeconds))
	fmt.Fprintf(a.stdout, "finds a deviation of %s from even, or a difference of %s between two cells, with 80 %% power\n",
		experiments.Amount(p.Detectable, "points", false), experiments.Amount(p.DetectableDifference, "points", false))
	fmt.Fprintf(a.stdout, "shows an even game to be within the margin of %s with %.0f %% power (90 %% would take %d pairs a cell)\n",
		experiments.Amount(d.Margin, "points", false), 100*p.PowerEven, p.PairsForEven)
	for _, w := range p.Warnings {
		fmt.Fprintf(a.stdout, "warning: %s\n", w)
	}
	return nil
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

// experimentRunCmd is latro experiment run.
type experimentRunCmd struct {
	Design   string `arg:"" help:"Design file (YAML)."`
	Out      string `short:"o" placeholder:"DIR" help:"Directory of the experiment; by default experiment-ID."`
	Workers  int    `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	NoReport bool   `help:"Only play; write no report."`
	JSON     bool   `help:"Print the findings as JSON."`
}

// Help is shown by --help.
func (experimentRunCmd) Help() string {
	return `Every finished unit of games is a file that appears whole or not at all: kill it whenever you like, the same
command goes on.

Examples:
  latro experiment run experiments/designs/bell-corners.yaml
  latro experiment run design.yaml --out results/corners --json`
}

// Run does it.
func (c *experimentRunCmd) Run(a *app) error {
	d, err := experiments.LoadDesign(c.Design)
	if err != nil {
		return err
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	dir := c.Out
	if dir == "" {
		dir = "experiment-" + d.ID
	}
	if err := a.runExperiment(dir, d, new(selfplay.Agents).New, c.Workers, "latro experiment run "+filepath.Base(c.Design)); err != nil {
		return err
	}
	if c.NoReport {
		return nil
	}
	return a.writeReport(dir, c.JSON)
}

// runExperiment plays a design with a progress bar.
func (a *app) runExperiment(dir string, d experiments.Design, factory experiments.Factory, workers int, command string) error {
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
	an, err := experiments.Analyse(dir)
	if err != nil {
		return err
	}
	m, _, err := experiments.ReadManifest(dir)
	if err != nil {
		return err
	}
	files, err := report.Write(dir, report.Standard(an, manifestEntries(m)))
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(map[string]any{"report": files.HTML, "results": files.JSON, "findings": an.Findings})
	}
	for _, f := range an.Findings {
		fmt.Fprintf(a.stdout, "- %s\n", f.Sentence)
	}
	fmt.Fprintf(a.stdout, "\nreport %s\n", files.HTML)
	return nil
}

func manifestEntries(m experiments.Manifest) []report.Entry {
	var out []report.Entry
	for _, e := range m.Entries() {
		out = append(out, report.Entry{Key: e[0], Value: e[1]})
	}
	return out
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
	if _, err := os.Stat(filepath.Join(c.Dir, experiments.ManifestFile)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s holds no experiment: it has no %s; latro experiment run makes one", errInput, c.Dir, experiments.ManifestFile)
	}
	return a.writeReport(c.Dir, c.JSON)
}
