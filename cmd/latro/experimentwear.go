package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"latro/experiments"
	"latro/experiments/report"
	"latro/experiments/wear"
	"latro/selfplay"
)

// experimentWearCmd is latro experiment wear.
type experimentWearCmd struct {
	Map      string `required:"" placeholder:"FILE" help:"Map of wear: CSV of squares or of lines with weights (docs/wear.md)."`
	Rulesets string `placeholder:"A,B,…" help:"Rulesets to compare; by default all of the catalogue whose board has the map's size."`
	Agent    string `default:"uct:simulations=100" placeholder:"SPEC" help:"Agent that plays both sides (default ${default})."`
	Games    int    `short:"n" default:"200" help:"Games of each ruleset by the agent, and as many again by random play."`
	Cap      int    `default:"400" placeholder:"PLIES" help:"Length cap of a game in plies (default ${default})."`
	Seed     uint64 `default:"1" help:"Root of every random stream."`
	Control  string `placeholder:"RULESET" help:"Ruleset that cannot be right, as a negative control; by default pieces on one colour that move diagonally."`
	Distance string `default:"jensen-shannon" enum:"jensen-shannon,hellinger,rank" help:"How unlike two maps are: jensen-shannon,hellinger,rank."`
	Count    string `default:"contact" enum:"contact,arrivals,placements,captures" help:"What of the traffic is held against a map of squares: contact,arrivals,placements,captures."`
	Null     string `default:"smooth" enum:"smooth,classes,places" help:"Maps of chance that decide: smooth,classes,places. All are reported."`
	Draws    int    `default:"999" help:"Maps of chance of each kind."`
	Workers  int    `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	Out      string `short:"o" placeholder:"DIR" help:"Directory of the comparison; by default wear-NAME after the map's file."`
	JSON     bool   `help:"Print the result as JSON."`
}

// Help is shown by --help.
func (experimentWearCmd) Help() string {
	return `Plays games of each ruleset, counts where pieces travel, and says whether that traffic lies nearer to a real board's wear
than maps of chance do. How the board lay is unknown, so every way is tried, for the chance maps too. Negative controls are always
shown: random play, rules that cannot be right, no game at all, shuffled wear. It can be killed at any moment, and the same command
goes on. docs/wear.md leads from a photograph to the map and says what the result does not mean.

Examples:
  latro experiment wear --map docs/examples/wear-invented.csv --games 20
  latro experiment wear --map board.csv --rulesets bell-8x8,8x8-seega --agent uct:simulations=400 --out results
  latro experiment repro results`
}

// Run does it.
func (c *experimentWearCmd) Run(a *app) error {
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	m, err := wear.ReadMap(c.Map)
	if err != nil {
		return err
	}
	s := wear.Settings{Agent: c.Agent, Games: c.Games, Cap: c.Cap, Seed: c.Seed, Control: c.Control,
		Distance: wear.Distance(c.Distance), Count: wear.Count(c.Count), Null: wear.Null(c.Null), Draws: c.Draws}
	for _, ref := range strings.Split(c.Rulesets, ",") {
		if ref = strings.TrimSpace(ref); ref != "" {
			s.Rulesets = append(s.Rulesets, ref)
		}
	}
	d, plan, err := m.Design(s)
	if err != nil {
		return err
	}
	dir := c.Out
	if dir == "" {
		dir = d.ID
	}
	// What differs from an earlier run is said before anything is written.
	if err := plan.Same(dir); err != nil {
		return err
	}
	if _, err := experiments.Freeze(dir, d, new(selfplay.Agents).New); err != nil {
		return err
	}
	if err := m.Freeze(dir, plan); err != nil {
		return err
	}
	if err := a.runExperiment(dir, d, new(selfplay.Agents).New, c.Workers, "latro experiment wear --map "+m.Name); err != nil {
		return err
	}
	_, files, err := a.buildAll(dir, dir)
	if err != nil {
		return err
	}
	if err := removeStale(dir, files.Figures); err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(files.wear)
	}
	for _, line := range files.wear.Sentences {
		fmt.Fprintf(a.stdout, "- %s\n", line)
	}
	for _, line := range files.wear.Limits {
		fmt.Fprintf(a.stdout, "limit: %s\n", line)
	}
	fmt.Fprintf(a.stdout, "\nreport %s\n", filepath.Join(dir, wear.PageFile))
	return nil
}

// builtFiles are what follows from the games of an experiment.
type builtFiles struct {
	report.Files
	// wear is the comparison with a map, nil if the experiment has none.
	wear *wear.Analysis
}

// buildAll makes everything that follows from the games of an experiment, the comparison with a map of wear too, if the
// directory has one. It reads dir and writes to.
func (a *app) buildAll(dir, to string) (*experiments.Analysis, builtFiles, error) {
	an, files, err := buildReport(dir, to)
	out := builtFiles{Files: files}
	if err != nil || !wear.Present(dir) {
		return an, out, err
	}
	var bar *progress
	done := 0
	out.wear, err = wear.Analyse(a.ctx, dir, func(step, total int) {
		if bar == nil {
			bar = a.newProgress("maps of chance", total, 0)
		}
		bar.add(step - done)
		done = step
	})
	if bar != nil {
		bar.finish()
	}
	if err != nil {
		return an, out, err
	}
	m, _, err := experiments.ReadManifest(dir)
	if err != nil {
		return an, out, err
	}
	w, err := out.wear.Write(to, manifestEntries(m))
	out.Figures = append(out.Figures, w.Figures...)
	return an, out, err
}
