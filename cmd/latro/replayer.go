package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/rules"
)

// replayer checks data files with the rules engine: recorded games are played again, and the positions of
// samples decoded.
type replayer struct {
	games  map[string]*engine.Game // by reference; nil if the ruleset cannot be had
	reason map[string]string       // why it cannot
}

func newReplayer() *replayer {
	return &replayer{games: map[string]*engine.Game{}, reason: map[string]string{}}
}

// unchecked says which rulesets' games could not be checked, and why.
func (r *replayer) unchecked() []string {
	var out []string
	for _, ref := range slices.Sorted(maps.Keys(r.reason)) {
		out = append(out, r.reason[ref])
	}
	return out
}

// game is the compiled ruleset, or nil if it cannot be opened any more or has changed: data outlive the files
// of their rules, and that is no fault of theirs.
func (r *replayer) game(ref, hash string) *engine.Game {
	key := ref + "\x00" + hash
	if g, ok := r.games[key]; ok {
		return g
	}
	rs, err := rules.Open(ref)
	if err == nil && rs.Hash() != hash {
		err = fmt.Errorf("the ruleset %s has changed since (hash %.12s, in the data %.12s)", ref, rs.Hash(), hash)
	}
	var g *engine.Game
	if err == nil {
		g, err = engine.Compile(rs.Params)
	}
	if err != nil {
		r.reason[key] = err.Error()
	}
	r.games[key] = g
	return g
}

// options are the checks for the file at path.
func (r *replayer) options(path string) datasets.VerifyOptions {
	o := datasets.VerifyOptions{CheckGame: r.checkGame}
	// What cannot be opened is Verify's to report.
	if f, err := datasets.OpenSamples(path, datasets.Options{Recover: true}); err == nil {
		ref := f.Metadata()[datasets.MetaRuleset]
		// A run with several rulesets names them all, a line each.
		refs := map[string]string{} // by hash
		for _, other := range strings.Split(f.Metadata()["rulesets"], "\n") {
			if rs, err := rules.Open(other); err == nil {
				refs[rs.Hash()] = other
			}
		}
		f.Close()
		var view engine.View
		o.CheckSample = func(s *datasets.Sample) error {
			ref := ref
			if other, ok := refs[s.RulesetHash]; ok {
				ref = other
			}
			g := r.game(ref, s.RulesetHash)
			if g == nil {
				return nil
			}
			if err := g.DecodeView(s.State, &view); err != nil {
				return err
			}
			for _, a := range s.Actions {
				if int(a) >= g.NumActions() {
					return fmt.Errorf("action %d does not exist; the ruleset has %d", a, g.NumActions())
				}
			}
			return nil
		}
	}
	return o
}

// checkGame plays a recorded game again and compares its end.
func (r *replayer) checkGame(row *datasets.Game) error {
	g := r.game(row.Ruleset, row.RulesetHash)
	if g == nil {
		return nil
	}
	s := g.NewState()
	if row.Start != "" {
		var err error
		if s, err = g.ParsePosition(row.Start); err != nil {
			return fmt.Errorf("start: %w", err)
		}
	}
	for i, m := range row.Moves {
		if err := s.TryPlay(engine.Action(m)); err != nil {
			return fmt.Errorf("ply %d of %d: %w", i+1, len(row.Moves), err)
		}
	}
	switch {
	case row.Resigned:
	case s.Over():
		if s.Outcome().String() != row.Outcome {
			return fmt.Errorf("the moves lead to the outcome %s, recorded is %s", s.Outcome(), row.Outcome)
		}
	case row.Outcome != datasets.Capped:
		return fmt.Errorf("after the moves the game is not over, recorded is the outcome %s", row.Outcome)
	}
	return nil
}
