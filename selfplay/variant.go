package selfplay

import (
	"fmt"
	"slices"
	"strings"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/nn"
)

// Variant is one of the games that a run plays. Most runs have one. The networks of a run with several learn all of
// them, told apart by the global inputs, which hold the rules' parameters (env.RuleVector).
type Variant struct {
	Ruleset *rules.Ruleset
	Game    *engine.Game
	Encoder *env.Encoder

	syms []env.FrameSymmetry
}

// refusal is an error of the caller's input that does not say so in its text.
type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrInput }

// maxRulesets is the number of rulesets that one run may have.
const maxRulesets = 64

// names are the references of the run's rulesets.
func (c Config) names() []string {
	if len(c.Rulesets) > 0 {
		return c.Rulesets
	}
	return []string{c.Ruleset}
}

// Variants opens the configuration's rulesets, in order. They must differ in content and agree in the shape of a network:
// the board, the observation's planes and the actions' planes.
func (c Config) Variants() ([]Variant, error) {
	var out []Variant
	for i, name := range c.names() {
		rs, err := rules.Open(name, c.Set...)
		if err != nil {
			return nil, err
		}
		game, err := engine.Compile(rs.Params)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rs.Ref(), err)
		}
		enc := env.NewEncoder(game)
		for k, other := range out {
			if other.Ruleset.Hash() == rs.Hash() {
				return nil, refusal(fmt.Sprintf("rulesets[%d], %s, has the rules of rulesets[%d]", i, rs.Ref(), k))
			}
		}
		if len(out) > 0 {
			if d := differences(out[0].Encoder, enc); len(d) > 0 {
				return nil, refusal(fmt.Sprintf("one network cannot play %s and %s: the second %s; train them apart", out[0].Ruleset.Ref(), rs.Ref(), strings.Join(d, "; ")))
			}
		}
		out = append(out, Variant{Ruleset: rs, Game: game, Encoder: enc, syms: enc.Symmetries()})
	}
	return out, nil
}

// differences says what a network for the games of a and b would have to have twice; nil if they have the same shape.
func differences(a, b *env.Encoder) []string {
	var d []string
	if a.Rows() != b.Rows() || a.Cols() != b.Cols() {
		d = append(d, fmt.Sprintf("has a board of %d×%d squares, not %d×%d", b.Rows(), b.Cols(), a.Rows(), a.Cols()))
	}
	lists := func(what string, a, b []string) {
		without := func(from, names []string) string {
			return strings.Join(slices.DeleteFunc(slices.Clone(from), func(s string) bool { return slices.Contains(names, s) }), ", ")
		}
		if names := without(a, b); names != "" {
			d = append(d, "lacks the "+what+" "+names)
		}
		if names := without(b, a); names != "" {
			d = append(d, "has besides the "+what+" "+names)
		}
	}
	lists("observation planes", a.Planes(), b.Planes())
	lists("action planes", a.ActionPlanes(), b.ActionPlanes())
	return d
}

// variant is the game that a game of a generation is dealt: they take turns, over generations too.
func (r *Run) variant(generation, index int) int {
	n := uint64(len(r.Variants))
	return int((uint64(generation)*uint64(r.Config.Games) + uint64(index)) % n)
}

// variantOf is the one with the rules of the given hash, nil if the run has none such.
func (r *Run) variantOf(hash string) *Variant {
	if len(r.Variants) == 1 {
		return &r.Variants[0]
	}
	for i := range r.Variants {
		if r.Variants[i].Ruleset.Hash() == hash {
			return &r.Variants[i]
		}
	}
	return nil
}

// references are the references of the run's rulesets that open them again, a line each.
func (r *Run) references() string {
	refs := make([]string, len(r.Variants))
	for i, v := range r.Variants {
		refs[i] = v.Ruleset.Ref()
	}
	return strings.Join(refs, "\n")
}

// name writes into a network which rules it is trained on.
func (r *Run) name(n *nn.Network) {
	n.RulesetID, n.RulesetHash = r.Ruleset.Ref(), r.Ruleset.Hash()
	if len(r.Variants) > 1 {
		hashes := make([]string, len(r.Variants))
		for i, v := range r.Variants {
			hashes[i] = v.Ruleset.Hash()
		}
		n.Meta[nn.MetaRulesetHashes] = strings.Join(hashes, " ")
		n.Meta[metaRulesets] = r.references()
	}
}

// metaRulesets is the key under which networks and data files of a run with several rulesets keep all references.
const metaRulesets = "rulesets"
