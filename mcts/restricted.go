package mcts

import (
	"fmt"
	"slices"
	"strings"

	"latro/env/engine"
)

// Special is a set of special rules: what a ply may make use of beyond moving and taking one man at a time.
type Special uint8

// The special rules.
const (
	// SpecialBinding is a ply that binds (immobilises) at least one enemy man.
	SpecialBinding Special = 1 << iota
	// SpecialBonus is a ply that a capture granted; to stop instead is none.
	SpecialBonus
	// SpecialHop is a ply that hops over a piece.
	SpecialHop
	// SpecialLeader is a ply that moves a leader; to place it is none.
	SpecialLeader
	// SpecialRow is a ply that takes two or more men that stand side by side in one line from where it arrives.
	SpecialRow
)

var specialNames = []string{"binding", "bonus", "hop", "leader", "row"}

// Specials lists the special rules, in the order of their names.
func Specials() []Special {
	return []Special{SpecialBinding, SpecialBonus, SpecialHop, SpecialLeader, SpecialRow}
}

// String names the rules of the set, as in "hop+leader".
func (s Special) String() string {
	var out []string
	for i, name := range specialNames {
		if s&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, "+")
}

// ParseSpecial reads what String writes. It fails on an empty set, on names that do not exist and on one given twice.
func ParseSpecial(text string) (Special, error) {
	var out Special
	for _, word := range strings.Split(text, "+") {
		i := slices.Index(specialNames, word)
		if i < 0 {
			return 0, fmt.Errorf("%q is no special rule; they are %s, several joined by + as in hop+leader", word, strings.Join(specialNames, ", "))
		}
		if out&(1<<i) != 0 {
			return 0, fmt.Errorf("%s is given twice", word)
		}
		out |= 1 << i
	}
	return out, nil
}

// SpecialRules is the set of special rules that a ruleset has.
func SpecialRules(g *engine.Game) Special {
	p := g.Params()
	var out Special
	if p.Capture.Effect == "bind" {
		out |= SpecialBinding
	}
	if p.Bonus.After != "none" {
		out |= SpecialBonus
	}
	if len(p.Movement.Men.HopOver) > 0 || len(p.Movement.Leaders.HopOver) > 0 {
		out |= SpecialHop
	}
	if p.Pieces.Leaders > 0 && (p.Movement.Leaders.Range != "none" || len(p.Movement.Leaders.HopOver) > 0) {
		out |= SpecialLeader
	}
	if p.Capture.Line == "row" {
		out |= SpecialRow
	}
	return out
}

// SpecialOf says which of the rules in ask the legal ply a makes use of. It may play on s and takes everything back.
func SpecialOf(s *engine.State, a engine.Action, ask Special) Special {
	ply := s.PlyOf(a)
	var out Special
	switch ply.Kind {
	case engine.Hop:
		out |= SpecialHop
		fallthrough
	case engine.Move:
		if s.At(ply.From).IsLeader() {
			out |= SpecialLeader
		}
	default:
		return 0
	}
	if ask&(SpecialBinding|SpecialBonus|SpecialRow) != 0 {
		s.Play(a)
		out |= SpecialAfter(s, ply)
		s.Undo()
	}
	return out & ask
}

// SpecialAfter says which of binding, bonus and row the ply, which was made last on s, made use of.
func SpecialAfter(s *engine.State, ply engine.Ply) Special {
	if ply.Kind != engine.Move && ply.Kind != engine.Hop {
		return 0
	}
	e := s.LastEffects()
	var out Special
	if e.Bound > 0 {
		out |= SpecialBinding
	}
	if e.WasBonus {
		out |= SpecialBonus
	}
	if len(e.Captured) > 1 && rowTaken(s.Game(), ply.To, e.Captured) {
		out |= SpecialRow
	}
	return out
}

// rowTaken says whether two squares next to each other were emptied in one line from sq. Where a line spans a leader that
// stays, the men on both its sides were taken by it too, so that any two in one direction do.
func rowTaken(g *engine.Game, sq int, captured []uint16) bool {
	cols := g.Cols()
	direction := func(to uint16) (dr, dc int, ok bool) {
		dr, dc = int(to)/cols-sq/cols, int(to)%cols-sq%cols
		if dr == 0 && dc == 0 || dr != 0 && dc != 0 && dr != dc && dr != -dc {
			return 0, 0, false
		}
		return sign(dr), sign(dc), true
	}
	for i, a := range captured {
		ar, ac, ok := direction(a)
		if !ok {
			continue
		}
		for _, b := range captured[i+1:] {
			if br, bc, ok := direction(b); ok && ar == br && ac == bc {
				return true
			}
		}
	}
	return false
}

func sign(x int) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// restriction is what an agent's player may not do; nil is nothing.
type restriction struct {
	avoid  Special
	player int
}

// begin says that the agent is to choose for the player to move.
func (r *restriction) begin(s *engine.State) {
	if r != nil {
		r.player = s.ToMove()
	}
}

// filter takes out of legal the plies that are avoided, in place; if all are, they stay, for a player must move.
func (r *restriction) filter(s *engine.State, legal []engine.Action) []engine.Action {
	if r == nil || len(legal) < 2 || s.ToMove() != r.player {
		return legal
	}
	kept := 0
	for _, a := range legal {
		if SpecialOf(s, a, r.avoid) == 0 {
			legal[kept] = a
			kept++
		}
	}
	if kept == 0 {
		// Nothing was overwritten.
		return legal
	}
	return legal[:kept]
}

// restricted is an agent that never makes use of some special rules.
type restricted struct {
	Agent
	name string
}

// Name is the specification with the option avoid.
func (r restricted) Name() string { return r.name }

// Reproducible is that of the agent.
func (r restricted) Reproducible() bool { return Reproducible(r.Agent) }

// newRestricted builds the agent of a specification with the option avoid.
func newRestricted(spec Spec, g *engine.Game) (Agent, error) {
	inner := Spec{Kind: spec.Kind, Options: map[string]string{}}
	for k, v := range spec.Options {
		if k != "avoid" {
			inner.Options[k] = v
		}
	}
	agent, err := NewAgent(inner, g)
	if err != nil {
		return nil, err
	}
	avoid, err := ParseSpecial(spec.Options["avoid"])
	if err != nil {
		return nil, fmt.Errorf("%w %q: avoid=%s: %w", ErrSpec, spec.String(), spec.Options["avoid"], err)
	}
	r := &restriction{avoid: avoid}
	switch a := agent.(type) {
	case *Random:
		a.only = r
	case *Greedy:
		a.only = r
	case *UCT:
		a.only = r
	default:
		return nil, fmt.Errorf("%w %q: %s cannot avoid rules; random, greedy and uct can", ErrSpec, spec.String(), spec.Kind)
	}
	name, err := ParseSpec(agent.Name())
	if err != nil {
		return nil, err
	}
	name.Options["avoid"] = avoid.String()
	return restricted{agent, name.String()}, nil
}
