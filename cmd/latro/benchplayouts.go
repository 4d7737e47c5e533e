package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/nn/cputime"
)

// benchPlayoutsCmd is latro bench playouts.
type benchPlayoutsCmd struct {
	Rulesets []string `arg:"" optional:"" help:"Rulesets; the whole catalogue if left out."`
	Ruleset  []string `short:"r" placeholder:"ID" help:"The same as an option; may be repeated."`
	Seconds  float64  `default:"1" help:"Processor time a ruleset and reading."`
	MaxPlies int      `default:"20000" help:"Length cap of a playout."`
	Seed     uint64   `default:"1" help:"Root of the random streams."`
	JSON     bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (benchPlayoutsCmd) Help() string {
	return `Each ply is uniform over the exact legal plies. Rulesets are measured in the default reading and, where they
have it, in the reading ludii with its cap of 2,500 turns; a ruleset named with its reading (ID@READING) in that alone.
Seconds are the processor's, so that other programs on the machine disturb little.
The table's last column divides by the plies a second that Ludii made in the same playouts, where that is known.

Examples:
  latro bench playouts
  latro bench playouts --ruleset bell-8x7 --ruleset luductus --seconds 5 --json`
}

// playoutFigure is the speed of playouts by one reading of a ruleset.
type playoutFigure struct {
	ID        string  `json:"id"`
	Reading   string  `json:"reading"`
	Plies     float64 `json:"plies_per_second"`
	Playouts  float64 `json:"playouts_per_second"`
	MeanPlies float64 `json:"mean_plies"`
}

// ludiiPlies are the plies a second of Ludii 1.3.12 in uniform random playouts, by ruleset: JDK 17, one thread, after
// warm-up, its cap of 2,500 turns, superko on, on a machine with two cores that others shared, whose figures move by 30 per
// cent. They were measured once, not on the machine that runs this. luductus and webdux were written as Ludii games in their
// default reading; the others are Ludii's own.
func ludiiPlies() map[string]float64 {
	return map[string]float64{
		"10x10-kharebga":    21356,
		"10x10-seega":       25586,
		"11x12-kharebga":    15256,
		"11x12-seega":       22126,
		"11x16-kharebga":    14192,
		"11x16-seega":       14616,
		"6x6-kharebga":      68008,
		"6x6-seega":         59085,
		"6x7-kharebga":      50974,
		"6x7-seega":         47860,
		"6x8-kharebga":      48823,
		"6x8-seega":         43006,
		"7x8-kharebga":      39886,
		"7x8-seega":         32346,
		"8x8-kharebga":      32693,
		"8x8-seega":         31212,
		"8x9-kharebga":      29997,
		"8x9-seega":         25971,
		"9x10-kharebga":     22522,
		"9x10-seega":        26034,
		"bell-8x7":          96412,
		"bell-8x8":          90133,
		"falkener":          9349,
		"kowalski-10x11":    12452,
		"kowalski-8x12":     11796,
		"locus-ludi-piso":   17532,
		"locus-ludi-seneca": 9867,
		"luductus":          83475,
		"museum-quintana":   24891,
		"schadler-1994":     15465,
		"schadler-2001":     13379,
		"webdux":            54844,
	}
}

// timesLudii is how many times faster than Ludii a figure is, where that was measured by the same rules.
func (f *playoutFigure) timesLudii() (float64, bool) {
	ludii, ok := ludiiPlies()[f.ID]
	if own := f.ID == "luductus" || f.ID == "webdux"; !ok || own != (f.Reading == "default") || !own && f.Reading != "ludii" {
		return 0, false
	}
	return f.Plies / ludii, true
}

// Run does it.
func (c *benchPlayoutsCmd) Run(a *app) error {
	if !(c.Seconds > 0 && c.Seconds <= 86400) || c.MaxPlies < 1 {
		return fmt.Errorf("%w: --seconds is to be above 0 and at most 86400, --max-plies above 0", errInput)
	}
	refs := append(slices.Clone(c.Rulesets), c.Ruleset...)
	if len(refs) == 0 {
		refs = rules.Catalogue()
	}
	var out []playoutFigure
	for _, ref := range refs {
		rs, err := rules.Open(ref)
		if err != nil {
			return err
		}
		readings := []*rules.Ruleset{rs}
		if !strings.Contains(ref, "@") {
			if r, err := rs.WithReading("ludii"); err == nil {
				readings = append(readings, r)
			}
		}
		for _, r := range readings {
			f, err := c.measure(a, r)
			if err != nil {
				return err
			}
			out = append(out, f)
		}
	}
	if c.JSON {
		return a.printJSON(map[string]any{"rulesets": out})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ruleset\treading\tplies/s\tplayouts/s\tmean plies\t× Ludii\t")
	for _, f := range out {
		times := "-"
		if x, ok := f.timesLudii(); ok {
			times = fmt.Sprintf("%.0f", x)
		}
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.1f\t%.1f\t%s\t\n", f.ID, f.Reading, f.Plies, f.Playouts, f.MeanPlies, times)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, "× Ludii: against version 1.3.12, one thread, measured once on a machine with two cores of an AMD EPYC.")
	return err
}

func (c *benchPlayoutsCmd) measure(a *app, r *rules.Ruleset) (playoutFigure, error) {
	g, err := engine.Compile(r.Params)
	if err != nil {
		return playoutFigure{}, err
	}
	s := g.NewState()
	rng := seed.New(c.Seed, seed.Play)
	limit := time.Duration(c.Seconds * float64(time.Second))
	plies, games, batch := 0, 0, 1
	began := cputime.Process()
	spent := time.Duration(0)
	for spent < limit || spent == 0 {
		if err := a.ctx.Err(); err != nil {
			return playoutFigure{}, err
		}
		for range batch {
			s.Reset()
			plies += s.Playout(rng, c.MaxPlies)
		}
		games += batch
		// The clock is looked at about a hundred times in all: a look costs as much as some plies.
		before := spent
		if spent = cputime.Process() - began; spent-before < limit/200 {
			batch *= 2
		}
	}
	sec := spent.Seconds()
	reading := r.Reading
	if reading == "" {
		reading = "default"
	}
	return playoutFigure{r.ID, reading, float64(plies) / sec, float64(games) / sec, float64(plies) / float64(games)}, nil
}
