package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"latro/datasets/atomicfile"
	"latro/experiments"
	"latro/experiments/designs"
)

// loadDesign reads a design file, or where there is none the design of that name that is part of the program. A directory of
// that name, as a run of the design may have, is no file.
func loadDesign(name string) (experiments.Design, error) {
	d, err := experiments.LoadDesign(name)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, atomicfile.ErrNotRegular) || strings.ContainsAny(name, `/\.`) {
		return d, err
	}
	full, ok := designs.Find(name)
	if !ok && !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if !ok {
		return d, fmt.Errorf("%w: there is no file %s, and no design of that name comes with the program; latro experiment designs lists them", errInput, name)
	}
	return parseShipped(full)
}

func parseShipped(name string) (experiments.Design, error) {
	text, err := designs.Read(name)
	if err != nil {
		return experiments.Design{}, fmt.Errorf("%w: %w", errInput, err)
	}
	return experiments.ParseDesign(name+".yaml", text)
}

// experimentDesignsCmd is latro experiment designs.
type experimentDesignsCmd struct {
	Name string `arg:"" optional:"" help:"Show this design, by its id or its number, as e5."`
	Out  string `short:"o" stdout:"" placeholder:"FILE" help:"Write it to a new file, to edit it; - is standard output."`
	JSON bool   `help:"Print JSON."`
}

// Help is shown by --help.
func (experimentDesignsCmd) Help() string {
	return `Designs that come with the program, with their cost on two cores (games of the largest size; sequential ones stop earlier). plan,
freeze and run take their names in place of a file.

Examples:
  latro experiment designs
  latro experiment designs e5
  latro experiment designs e5 --out mine.yaml
  latro experiment plan e5
  latro experiment run e5 --quick`
}

// shippedDesign is a row of the list.
type shippedDesign struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Question    string  `json:"question"`
	Metric      string  `json:"metric"`
	Margin      float64 `json:"margin"`
	Cells       int     `json:"cells"`
	Games       int     `json:"games"`
	Sequential  bool    `json:"sequential"`
	Exploratory bool    `json:"exploratory"`
	// Hours are on two cores with nothing else to do.
	Hours float64 `json:"hours"`
}

// Run does it.
func (c *experimentDesignsCmd) Run(a *app) error {
	switch {
	case c.Out == "-" && c.JSON:
		return fmt.Errorf("%w: --out - writes the design to standard output, where --json would stand too", errInput)
	case c.Name == "":
		if c.Out != "" {
			return fmt.Errorf("%w: --out needs the name of a design", errInput)
		}
		return c.list(a)
	}
	text, err := designs.Read(c.Name)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	if c.Out == "-" || c.Out == "" && !c.JSON {
		_, err := a.stdout.Write(text)
		return err
	}
	if c.Out != "" {
		// An edited copy is somebody's work.
		if _, err := os.Lstat(c.Out); err == nil {
			return fmt.Errorf("%w: %s exists already; choose another name or remove it", errInput, c.Out)
		}
		if err := atomicfile.WriteBytes(c.Out, text); err != nil {
			return err
		}
	}
	if c.JSON {
		full, _ := designs.Find(c.Name)
		row, err := shippedRow(full)
		if err != nil {
			return err
		}
		return a.printJSON(row)
	}
	fmt.Fprintf(a.stdout, "%s written; change its id with it, then: latro experiment plan %s\n", c.Out, c.Out)
	return nil
}

func shippedRow(name string) (shippedDesign, error) {
	d, err := parseShipped(name)
	if err != nil {
		return shippedDesign{}, err
	}
	text, err := designs.Read(name)
	if err != nil {
		return shippedDesign{}, err
	}
	hours, _ := designs.Hours(text)
	cells := len(d.Cells())
	return shippedDesign{ID: d.ID, Title: d.Title, Question: strings.TrimSpace(d.Question), Metric: d.Metric, Margin: d.Margin, Cells: cells, Games: 2 * cells * d.Pairs,
		Sequential: d.Sequential(), Exploratory: d.Exploratory, Hours: hours}, nil
}

func (c *experimentDesignsCmd) list(a *app) error {
	var rows []shippedDesign
	for _, name := range designs.Names() {
		row, err := shippedRow(name)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if c.JSON {
		return a.printJSON(rows)
	}
	fmt.Fprintf(a.stdout, "%-16s %-52s %-19s %5s %8s %6s\n", "name", "title", "measure", "cells", "games", "hours")
	for _, r := range rows {
		notes := ""
		if r.Sequential {
			notes += "  stops early"
		}
		if r.Exploratory {
			notes += "  exploratory"
		}
		fmt.Fprintf(a.stdout, "%-16s %-52s %-19s %5d %8d %6.2g%s\n", r.ID, r.Title, r.Metric, r.Cells, r.Games, r.Hours, notes)
	}
	return nil
}
