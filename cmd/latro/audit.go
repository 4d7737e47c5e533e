package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"latro/datasets/atomicfile"
	"latro/env/rules"
	"latro/experiments/audit"
)

// rulesAuditCmd is latro rules audit.
type rulesAuditCmd struct {
	Ruleset string   `arg:"" optional:"" help:"Ruleset: an id, id@reading, or a file."`
	All     bool     `help:"Audit the whole catalogue instead, and print a line a ruleset, as Markdown tables."`
	Set     []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Games   int      `short:"n" default:"200" help:"Games of each of the three groups: random, greedy, mixed."`
	Cap     int      `default:"2500" placeholder:"PLIES" help:"Length cap of a game in plies; a capped game is no result."`
	Seed    uint64   `default:"1" help:"Root of every random stream."`
	Replay  int      `placeholder:"N" help:"Games of each group to follow under other rules; 0 is as many as some 60,000 plies allow."`
	Workers int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	Example string   `placeholder:"KEY" help:"Print only this example, every move of it; the report names the keys."`
	JSON    bool     `help:"Print the result as JSON, with the moves of all examples; with --all a list."`
	Out     string   `short:"o" stdout:"" placeholder:"FILE" help:"File to write; standard output if left out, or for -."`
}

// Help is shown by --help.
func (rulesAuditCmd) Help() string {
	return `Plays games of a ruleset, by chance and by greed, and reports how they end and which of them go wrong (a
side that cannot move, sides with too few pieces to capture, positions that come back, games without an end), which
rules never mattered in them, and where something decided that the source does not state; with a shortest example of
each. docs/audit.md explains every term.

Examples:
  latro rules audit bell-8x7
  latro rules audit locus-ludi-seneca@superko --games 50 --seed 7
  latro rules audit bell-8x7 --example capture.edge=hostile
  latro rules audit my-game.yaml --set end.blocked=loses --json --out audit.json
  latro rules audit --all --games 100 --out table.md`
}

// Run does it.
func (c *rulesAuditCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	refs := []string{c.Ruleset}
	if c.All {
		refs = rules.Catalogue()
	}
	if c.Out == "-" {
		c.Out = ""
	}
	if c.Out != "" {
		if file, _, _ := strings.Cut(c.Ruleset, "@"); strings.HasSuffix(file, ".yaml") || strings.HasSuffix(file, ".yml") {
			if err := otherFile(c.Out, file); err != nil {
				return err
			}
		}
		if err := atomicfile.Check(c.Out); err != nil {
			return err
		}
	}
	var reports []*audit.Report
	for _, ref := range refs {
		r, err := rules.Open(ref, c.Set...)
		if err != nil {
			return err
		}
		report, err := c.audit(a, r)
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	write := func(w io.Writer) error { return c.write(w, reports) }
	if c.Out == "" {
		return write(a.stdout)
	}
	return atomicfile.WriteFile(c.Out, write)
}

// check complains about flags out of range or that contradict one another.
func (c *rulesAuditCmd) check() error {
	switch {
	case c.All == (c.Ruleset != ""):
		return fmt.Errorf("%w: name one ruleset, or give --all for the whole catalogue", errInput)
	case c.All && (c.Example != "" || len(c.Set) > 0):
		return fmt.Errorf("%w: --example and --set are for one ruleset, not for --all", errInput)
	case c.Games < 1 || c.Games > audit.MaxGames:
		return fmt.Errorf("%w: --games is %d; it must be 1 to %d", errInput, c.Games, audit.MaxGames)
	case c.Cap < 1 || c.Cap > audit.MaxCap:
		return fmt.Errorf("%w: --cap is %d; it must be 1 to %d", errInput, c.Cap, audit.MaxCap)
	case c.Replay < 0 || c.Replay > c.Games:
		return fmt.Errorf("%w: --replay is %d; it must be 0 to --games, %d", errInput, c.Replay, c.Games)
	}
	return checkWorkers(c.Workers)
}

// audit audits one ruleset and shows how far it is.
func (c *rulesAuditCmd) audit(a *app, r *rules.Ruleset) (*audit.Report, error) {
	var bar *progress
	stage := ""
	cfg := audit.Config{Ruleset: r, Games: c.Games, Cap: c.Cap, Seed: c.Seed, Replay: c.Replay, Workers: c.Workers}
	cfg.Progress = func(what string, done, total int) {
		if what != stage {
			if bar != nil {
				bar.finish()
			}
			stage, bar = what, a.newProgress(r.ID+": "+what, total, 0)
		}
		bar.add(done)
	}
	report, err := audit.Run(a.ctx, cfg)
	if bar != nil {
		bar.finish()
	}
	if errors.Is(err, audit.ErrInvalid) {
		return nil, fmt.Errorf("%w: %w", errInput, err)
	}
	return report, err
}

// write writes what was asked for.
func (c *rulesAuditCmd) write(w io.Writer, reports []*audit.Report) error {
	var value any = reports
	switch {
	case c.All && !c.JSON:
		return audit.WriteTable(w, reports)
	case c.Example != "":
		e := reports[0].Find(c.Example)
		if e == nil {
			return fmt.Errorf("%w: --example: there is none of %s; there are: %s", errInput, c.Example, strings.Join(exampleKeys(reports[0]), "; "))
		}
		if !c.JSON {
			return e.WriteText(w)
		}
		value = e
	case !c.All:
		if !c.JSON {
			return reports[0].WriteText(w)
		}
		value = reports[0]
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func exampleKeys(r *audit.Report) []string {
	var out []string
	for i := range r.Examples {
		out = append(out, r.Examples[i].Key)
	}
	return out
}
