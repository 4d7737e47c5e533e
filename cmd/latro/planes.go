package main

import (
	"fmt"
	"strings"

	"latro/datasets"
	"latro/env/engine"
)

// planeEncoder encodes stored samples as the networks of their ruleset see them, for datasets.ExportPlanes.
type planeEncoder struct {
	game   *netGame
	others map[string]*netGame // those of further rulesets of the same run, by hash
	view   engine.View
}

// newPlaneEncoder opens the ruleset of the shard of samples at path.
func newPlaneEncoder(path string) (*planeEncoder, error) {
	f, err := datasets.OpenSamples(path, datasets.Options{})
	if err != nil {
		return nil, err
	}
	ref, all := f.Metadata()[datasets.MetaRuleset], f.Metadata()["rulesets"]
	if err := f.Close(); err != nil {
		return nil, err
	}
	g, err := openNetGame(ref)
	if err != nil {
		return nil, fmt.Errorf("%s: the ruleset of the samples: %w", path, err)
	}
	p := &planeEncoder{game: g, others: map[string]*netGame{}}
	for _, ref := range strings.FieldsFunc(all, func(r rune) bool { return r == '\n' }) {
		other, err := openNetGame(ref)
		if err != nil {
			return nil, fmt.Errorf("%s: a ruleset of the samples: %w", path, err)
		}
		// A file from a stranger may name anything.
		if a, b := g.shape, other.shape; a.Rows != b.Rows || a.Cols != b.Cols || a.Planes != b.Planes || a.Globals != b.Globals || a.Actions() != b.Actions() {
			return nil, fmt.Errorf("%w: %s: its rulesets %s and %s have not the same planes", errInput, path, g.rules.Ref(), other.rules.Ref())
		}
		p.others[other.rules.Hash()] = other
	}
	return p, nil
}

// Shape implements datasets.PlaneEncoder.
func (p *planeEncoder) Shape() (planes, rows, cols, globals, actions int) {
	s := p.game.shape
	return s.Planes, s.Rows, s.Cols, s.Globals, s.Actions()
}

// EncodeSample implements datasets.PlaneEncoder. The policy of a sample without one is all zeros.
func (p *planeEncoder) EncodeSample(s *datasets.Sample, obs, globals, policy []float32) (float32, error) {
	g := p.game
	if other, ok := p.others[s.RulesetHash]; ok {
		g = other
	}
	if hash := g.rules.Hash(); s.RulesetHash != hash {
		return 0, fmt.Errorf("%w: the sample is of rules with hash %.12s; %s has %.12s now", errInput, s.RulesetHash, g.rules.Ref(), hash)
	}
	if err := g.encoder.Game().DecodeView(s.State, &p.view); err != nil {
		return 0, fmt.Errorf("%w: %w", errInput, err)
	}
	g.encoder.Encode(&p.view, obs, globals)
	for k, a := range s.Actions {
		if int(a) >= len(policy) {
			return 0, fmt.Errorf("%w: action %d does not exist; the ruleset has %d", errInput, a, len(policy))
		}
		if len(s.Policy) > 0 {
			policy[g.encoder.ToFrame(int(s.Player), engine.Action(a))] = s.Policy[k]
		}
	}
	if s.Player == 1 {
		return -s.OutcomeValue, nil
	}
	return s.OutcomeValue, nil
}
