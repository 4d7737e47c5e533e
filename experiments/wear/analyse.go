package wear

import (
	"context"
	"fmt"
	"slices"

	"latro/experiments"
	"latro/experiments/traffic"
)

// Analysis is the result of a comparison. It is a pure function of the directory's plan,
// map and games.
type Analysis struct {
	Plan Plan `json:"plan"`
	// Kind, Rows, Cols, Scored and Missing describe the map; Invented says that it is no
	// evidence of anything, Remarks are its comment lines.
	Kind     Kind     `json:"kind"`
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	Scored   int      `json:"scored"`
	Missing  int      `json:"missing"`
	Invented bool     `json:"invented"`
	Remarks  []string `json:"remarks"`
	// Complete says that all planned games were there.
	Complete bool `json:"complete"`
	// Predictions are the rulesets under the agent, under random play, and the controls.
	Predictions []Row `json:"predictions"`
	// Shuffled is the control of shuffled wear.
	Shuffled *ShuffledControl `json:"shuffled_wear"`
	// Limits are sentences about what limits the results, Sentences the results in words.
	Limits    []string `json:"limits"`
	Sentences []string `json:"sentences"`

	m      *Map
	tables map[string]*traffic.Table
}

// Analyse holds the games of a comparison's directory against its map. progress may be
// nil.
func Analyse(ctx context.Context, dir string, progress func(done, total int)) (*Analysis, error) {
	p, m, err := Read(dir)
	if err != nil {
		return nil, err
	}
	manifest, d, err := experiments.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	all, err := count(dir, len(manifest.Cells))
	if err != nil {
		return nil, err
	}
	a := &Analysis{Plan: p, Kind: m.Kind, Rows: m.Rows, Cols: m.Cols, Scored: len(m.Cells), Missing: m.Missing(), Invented: m.Invented,
		Remarks: append([]string{}, m.Remarks...), Complete: true, m: m, tables: map[string]*traffic.Table{}}
	var tested, random, control []prediction
	for i, c := range manifest.Cells {
		if all[i].games < 2*d.Pairs {
			a.Complete = false
		}
		if all[i].games == 0 {
			continue
		}
		row := Row{Ruleset: c.Name, Title: c.Title, Agent: c.A}
		var to *[]prediction
		switch {
		case c.Name == p.Control && c.A == p.Agent:
			row.Kind, to = Impossible, &control
			if c.Name == controlName {
				row.Title = "rules that cannot be right"
			}
		case c.Name == p.Control:
			continue
		case c.A == p.Agent:
			row.Kind, to = Tested, &tested
		case c.A == randomAgent:
			row.Kind, to = Random, &random
		default:
			continue
		}
		x, table, err := all[i].prediction(row, p.Count)
		if err != nil {
			return nil, err
		}
		a.tables[row.Kind+"/"+row.Ruleset] = table
		*to = append(*to, x)
	}
	if len(tested) == 0 || len(control) == 0 {
		return nil, fmt.Errorf("%w: %s holds too few games yet to compare anything; run the same command again", experiments.ErrInvalid, dir)
	}
	predictions := slices.Concat(tested, random, control, m.noGames(p.Distance, tested[0].field))
	a.Predictions, a.Shuffled, err = m.compare(ctx, predictions, Options{Distance: p.Distance, Null: p.Null, Draws: p.Draws, ShuffledMaps: shuffledMaps, Seed: p.Seed, Progress: progress})
	if err != nil {
		return nil, err
	}
	a.describe()
	return a, nil
}

// rows of one kind.
func (a *Analysis) rows(kind string) []*Row {
	var out []*Row
	for i := range a.Predictions {
		if a.Predictions[i].Kind == kind {
			out = append(out, &a.Predictions[i])
		}
	}
	return out
}

// random is the control of random play of a ruleset, nil if there is none.
func (a *Analysis) random(ruleset string) *Row {
	for _, r := range a.rows(Random) {
		if r.Ruleset == ruleset {
			return r
		}
	}
	return nil
}
