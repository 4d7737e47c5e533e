package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"latro/datasets/atomicfile"
	"latro/env/rules"
	"latro/experiments"
)

const (
	// screenShare is the first look's share of the time where a second one follows.
	screenShare = 0.62
	// confirmLeast is the number of pairs below which a second look is not worth its time.
	confirmLeast = 64
	// confirmDir is the second look's directory within the first one's.
	confirmDir = "confirm"
)

// experimentSensitivityCmd is latro experiment sensitivity.
type experimentSensitivityCmd struct {
	Ruleset string   `arg:"" help:"Ruleset with readings: an id or a file."`
	Set     []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule in all readings; may be repeated."`
	Confirm bool     `default:"true" negatable:"" help:"Play the readings that stand out again on fresh seeds, if the time allows (on by default)."`
	exploreFlags
}

// Help is shown by --help.
func (experimentSensitivityCmd) Help() string {
	return `Which open question of the sources matters most? Plays every reading of a ruleset against its default on the same starting
positions, pulls the changes towards nothing as far as chance explains them, ranks them with the ranks' uncertainty, and plays
what stands out again with games that had no part in finding it (DIR/confirm). docs/comparing.md explains the answer.

Examples:
  latro experiment sensitivity bell-8x7
  latro experiment sensitivity luductus --minutes 30 --out luductus-readings
  latro experiment sensitivity my-game.yaml --metric length --margin 10 --no-confirm
  latro experiment sensitivity locus-ludi-seneca --metric capped-share --agent random --agent greedy --json`
}

// confirmation is what became of a reading in the second look.
type confirmation struct {
	Reading string             `json:"reading"`
	First   experiments.Change `json:"first_look"`
	Again   experiments.Change `json:"fresh_games"`
	// Words say whether it showed again.
	Words string `json:"words"`
}

// sensitivityResult is the JSON of the command.
type sensitivityResult struct {
	Design string   `json:"design"`
	Report string   `json:"report"`
	Notes  []string `json:"notes"`
	*experiments.Sensitivity
	Confirmed     []confirmation `json:"confirmed"`
	ConfirmReport string         `json:"confirm_report,omitempty"`
}

// Run does it.
func (c *experimentSensitivityCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	r, err := rules.Open(c.Ruleset)
	if err != nil {
		return err
	}
	if r.Reading != "default" && r.Reading != "" || len(r.Overrides) > 0 {
		return fmt.Errorf("%w: %s names a reading or a change, but all readings are compared with the default; give the ruleset alone, changes with --set, and compare two readings with latro experiment compare", errInput, c.Ruleset)
	}
	out := a.stdout
	if c.JSON {
		out = a.stderr
	}
	e := exploration{flags: c.exploreFlags, began: time.Now(), share: 1, command: "latro experiment sensitivity " + strings.Join(append([]string{filepath.Base(c.Ruleset)}, setWords(c.Set)...), " ")}
	if c.Confirm {
		e.share = screenShare
	}
	if e.stage, err = os.MkdirTemp("", "latro-sensitivity-"); err != nil {
		return err
	}
	defer os.RemoveAll(e.stage)
	local, files, err := stage(e.stage, []*rules.Ruleset{r}, []string{c.Ruleset})
	if err != nil {
		return err
	}
	e.files = files
	d, notes, err := experiments.SensitivityDesign(experiments.RulesetRef{Ref: local[0], Set: c.Set}, r, c.Metric)
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
	fmt.Fprintf(out, "%s %d readings against the default\n", d.Title, len(d.Rulesets)-1)
	for _, n := range notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	if d, err = e.settle(a, d, experiments.FitOptions{Budgets: experiments.SensitivityBudgets()}, out); err != nil {
		return err
	}
	an, html, err := e.play(a, e.dir, d)
	if err != nil {
		return err
	}
	s := experiments.SensitivityOf(an)
	if s == nil {
		return fmt.Errorf("%w: %s was changed so that it no longer compares the readings of %s with its default; give it another directory and play it with latro experiment run", errInput, filepath.Join(e.dir, designYAML), r.ID)
	}
	result := sensitivityResult{Design: filepath.Join(e.dir, designYAML), Report: html, Notes: notes, Sensitivity: s, Confirmed: []confirmation{}}
	if result.Notes == nil {
		result.Notes = []string{}
	}
	if !c.JSON {
		printSensitivity(out, s)
		fmt.Fprintf(out, "\nreport %s\n", html)
	}
	if c.Confirm {
		if err := c.confirm(a, &e, d, s, &result, out); err != nil {
			return err
		}
	}
	if c.JSON {
		return a.printJSON(result)
	}
	fmt.Fprintln(out, "\nWhat this does not say")
	fmt.Fprintln(out, "- Exploratory: what stands out is a hint; an experiment planned for one reading (edit design.yaml, then latro experiment plan) gives a result.")
	fmt.Fprintf(out, "- The players tried are %s; stronger ones may give another order, and nothing here says how people played or which reading is the right one.\n", strings.Join(s.Agents, ", "))
	fmt.Fprintf(out, "took %s\n", minutes(time.Since(e.began).Seconds()))
	return nil
}

func setWords(sets []string) []string {
	var out []string
	for _, s := range sets {
		out = append(out, "--set "+s)
	}
	return out
}

// confirm plays what stands out again.
func (c *experimentSensitivityCmd) confirm(a *app, e *exploration, d experiments.Design, s *experiments.Sensitivity, result *sensitivityResult, out io.Writer) error {
	skip := func(format string, args ...any) error {
		note := fmt.Sprintf(format, args...)
		result.Notes = append(result.Notes, note)
		fmt.Fprintf(out, "note: %s\n", note)
		return nil
	}
	top := s.Top()
	if len(top) == 0 {
		return skip("No reading allows a claim, so there is nothing to look at again.")
	}
	dir := filepath.Join(e.dir, confirmDir)
	path := filepath.Join(dir, designYAML)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		pairs := experiments.ConfirmPairs(d, len(top), screenShare)
		if pairs < confirmLeast {
			return skip("Nothing was looked at again: the time allows %d pairs only. More --minutes, or fewer players, would do.", pairs)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		for _, name := range e.files {
			data, err := os.ReadFile(filepath.Join(e.stage, name))
			if err != nil {
				return err
			}
			if err := atomicfile.WriteBytes(filepath.Join(dir, name), data); err != nil {
				return err
			}
		}
		head := "The second look of " + e.command + ": what stood out in ../" + designYAML + ", on fresh seeds."
		if err := experiments.WriteDesignFile(path, experiments.ConfirmDesign(d, top, s.Agent, pairs).In(dir), head); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	again, err := experiments.LoadDesign(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nlooking again at %s with fresh games: %s\n", strings.Join(top, "; "), gamesOf(again))
	an, html, err := e.play(a, dir, again)
	if err != nil {
		return err
	}
	result.ConfirmReport = html
	fresh := experiments.SensitivityOf(an)
	if fresh == nil {
		return fmt.Errorf("%w: %s was changed so that it no longer compares readings with the default", errInput, path)
	}
	for _, name := range top {
		first, second := change(s, name, s.Agent), change(fresh, name, s.Agent)
		if first == nil || second == nil {
			continue
		}
		k := confirmation{Reading: name, First: *first, Again: *second, Words: experiments.ConfirmWords(*first, *second)}
		result.Confirmed = append(result.Confirmed, k)
		fmt.Fprintf(out, "- %s, %s: %s at first, %s in %d fresh pairs (%s after Holm's correction). %s\n", name, s.Agent, experiments.SignedInterval(first.Difference, first.Unit),
			experiments.SignedInterval(second.Difference, second.Unit), second.Pairs, experiments.PValue(second.Adjusted), k.Words)
	}
	fmt.Fprintf(out, "report %s\n", html)
	return nil
}

// change is the primary metric's change of a reading under an agent.
func change(s *experiments.Sensitivity, name, agent string) *experiments.Change {
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Name != name {
			continue
		}
		if r.Change.Agent == agent {
			return &r.Change
		}
		for k := range r.Others {
			if r.Others[k].Agent == agent {
				return &r.Others[k]
			}
		}
	}
	return nil
}

// printSensitivity tells the ranking.
func printSensitivity(w io.Writer, s *experiments.Sensitivity) {
	fmt.Fprintln(w, "\nThe answer in short")
	for _, x := range s.Short {
		fmt.Fprintf(w, "- %s\n", x)
	}
	fmt.Fprintf(w, "\n%s, %s on both sides\n", s.Rows[0].Change.Title, s.Agent)
	t := newTrimmed(w)
	fmt.Fprintln(t, "RANK\tREADING\tAS MEASURED\tONCE CHANCE IS ALLOWED FOR\tP ADJUSTED\tCAPPED\tSHOWN")
	for _, r := range s.Rows {
		rank, shrunk := "–", "–"
		if r.Ranked {
			rank, shrunk = fmt.Sprintf("%.0f to %.0f", r.Rank.Low, r.Rank.High), experiments.SignedInterval(r.Shrunk, s.Unit)
		}
		shown, _, _ := strings.Cut(r.Change.Words(), " (")
		shown, _, _ = strings.Cut(shown, ";")
		shown, _, _ = strings.Cut(shown, ",")
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s → %s\t%s\n", rank, r.Name, experiments.SignedInterval(r.Change.Difference, s.Unit), shrunk, experiments.PValue(r.Change.Adjusted),
			experiments.Percent(r.Capped[0]), experiments.Percent(r.Capped[1]), shown)
	}
	t.flush()
	fmt.Fprintln(w, "\nReading by reading")
	for _, r := range s.Rows {
		fmt.Fprintf(w, "- %s\n", r.Sentence)
	}
}
