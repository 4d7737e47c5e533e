package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// alternative is one other value of one parameter, compiled.
type alternative struct {
	param   int // index in rules.ParamNames
	value   string
	reading []string // the ruleset's readings that have the value
	with    []string // the companion that had to change too, as name=value
	game    *engine.Game
	begin   *engine.State // the start of the game, to copy
	start   bool          // the game begins otherwise
	assumed bool
	same    bool            // actions have the numbers of the audited game
	number  []engine.Action // alternative's action to the audited game's, NoAction where it has none
	back    []engine.Action // the other way
}

// startParams change the position or the board from which the game begins; following a game under them means nothing.
var startParams = []string{"board.rows", "board.cols", "pieces.men", "pieces.leaders", "setup.kind", "setup.array"}

// frozen returns the rules as they are played as a ruleset of its own, whose overrides are part of it: changing one
// parameter then never contradicts what a user set by hand.
func frozen(r *rules.Ruleset) (*rules.Ruleset, error) {
	var b bytes.Buffer
	if err := r.WriteYAML(&b, false); err != nil {
		return nil, err
	}
	return rules.Parse(r.ID, b.Bytes())
}

// alternatives gives the playable other values of a parameter of base, which is frozen and compiled as g. Where
// there are none, why says so. readings are those of the ruleset.
func alternatives(base *rules.Ruleset, readings []rules.Reading, g *engine.Game, param int) (out []alternative, why string, err error) {
	name := rules.ParamNames()[param]
	info, err := rules.Describe(name)
	if err != nil {
		return nil, "", err
	}
	if name == "end.turn_limit" {
		return nil, "a limit of the Ludii system, not of the rules", nil
	}
	values := otherValues(info, base.Params)
	hash := base.Hash()
	for _, v := range values {
		r, with := playable(base, name, v)
		if r == nil || r.Hash() == hash {
			continue
		}
		other, err := engine.Compile(r.Params)
		if err != nil {
			if errors.Is(err, engine.ErrInvalid) {
				continue
			}
			return nil, "", err
		}
		a := alternative{param: param, value: v, with: with, game: other, begin: other.NewState(), assumed: assumed(base, name)}
		for _, x := range readings {
			if set, ok := x.Set[name]; ok && r.Params.Equal(setTo(r.Params, name, set)) {
				a.reading = append(a.reading, x.Name)
			}
		}
		a.start = !sameStart(g, other)
		if !a.start {
			a.numbers(g)
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		why = "no other value goes with the other parameters"
	}
	return out, why, nil
}

// setTo gives p with one value set; p itself where the text is no value.
func setTo(p rules.Params, name, value string) rules.Params {
	q := p.Clone()
	if err := q.Set(name, value); err != nil {
		return p
	}
	return q
}

// assumed says whether the source is silent about a parameter.
func assumed(r *rules.Ruleset, name string) bool {
	p, ok := r.Provenance[name]
	return !ok || p.Certainty == rules.Assumed || p.Certainty == ""
}

// playable gives base with one value changed, and with one more parameter where nothing less can be played; nil if
// that does not do.
func playable(base *rules.Ruleset, name, value string) (r *rules.Ruleset, with []string) {
	set := name + "=" + value
	r, err := base.With(set)
	if err == nil {
		return r, nil
	}
	var all *rules.Errors
	if !errors.As(err, &all) {
		return nil, nil
	}
	var tried []string
	for _, p := range all.Problems {
		if p.Param == "" || p.Param == name || slices.Contains(startParams, p.Param) || slices.Contains(tried, p.Param) {
			continue
		}
		tried = append(tried, p.Param)
		info, err := rules.Describe(p.Param)
		if err != nil {
			continue
		}
		for _, v := range companionValues(info) {
			more := p.Param + "=" + v
			if r, err := base.With(set, more); err == nil {
				return r, []string{more}
			}
		}
	}
	return nil, nil
}

// companionValues lists the values to try for a parameter that has to follow another.
func companionValues(info rules.ParamInfo) []string {
	switch info.Kind {
	case rules.KindBool:
		return []string{"false", "true"}
	case rules.KindChoice:
		return info.Allowed
	case rules.KindInt:
		var out []string
		for n := max(info.Min, 1); n <= min(info.Max, 16); n++ {
			out = append(out, strconv.Itoa(n))
		}
		return out
	}
	return nil
}

// quietLimits are the limits on play without captures that are tried where there is none: Bell's thirty plies, and a
// hundred.
var quietLimits = []string{"30", "100"}

// otherValues lists the values of a parameter to try: all words, both truths, the neighbours of a number, its
// double and none, and a set with one word more or less.
func otherValues(info rules.ParamInfo, p rules.Params) []string {
	now, err := p.Get(info.Name)
	if err != nil {
		return nil
	}
	var out []string
	add := func(v string) {
		if v != now && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	switch info.Kind {
	case rules.KindBool:
		add("false")
		add("true")
	case rules.KindChoice:
		for _, v := range info.Allowed {
			add(v)
		}
	case rules.KindInt:
		n, err := strconv.Atoi(now)
		if err != nil {
			return nil
		}
		if n == 0 {
			switch info.Name {
			case "end.no_capture_limit":
				return quietLimits
			case "setup.agreement_max":
				return []string{strconv.Itoa(p.Pieces.Men + 1)}
			}
		}
		for _, v := range []int{n - 1, n + 1, 2 * n, 0} {
			if v >= info.Min && v <= info.Max {
				add(strconv.Itoa(v))
			}
		}
	case rules.KindChoices:
		var have []string
		if now != "" {
			have = strings.Split(now, ",")
		}
		for _, word := range info.Allowed {
			if i := slices.Index(have, word); i >= 0 {
				add(strings.Join(slices.Delete(slices.Clone(have), i, i+1), ","))
				continue
			}
			more := append(slices.Clone(have), word)
			slices.SortFunc(more, func(a, b string) int { return slices.Index(info.Allowed, a) - slices.Index(info.Allowed, b) })
			add(strings.Join(more, ","))
		}
		add("")
	case rules.KindSquares:
		add("")
		add("centre")
	}
	return out
}

// sameStart says whether two games begin with the same position.
func sameStart(a, b *engine.Game) bool {
	if a.Rows() != b.Rows() || a.Cols() != b.Cols() {
		return false
	}
	x, y := a.NewState(), b.NewState()
	return samePosition(x, y)
}

// samePosition compares what can be seen of two positions of boards of one size.
func samePosition(x, y *engine.State) bool {
	if x.ToMove() != y.ToMove() || x.Phase() != y.Phase() {
		return false
	}
	for p := range 2 {
		m, l := x.Hand(p)
		n, k := y.Hand(p)
		if m != n || l != k {
			return false
		}
	}
	return x.Hash() == y.Hash() || sameBoard(x, y)
}

// sameBoard compares what stands on two boards of one size.
func sameBoard(x, y *engine.State) bool {
	for sq := range x.Game().Squares() {
		if x.At(sq) != y.At(sq) {
			return false
		}
	}
	return true
}

// numbers fills in which action is which in the audited game.
func (a *alternative) numbers(g *engine.Game) {
	mine, theirs := g.Planes(), a.game.Planes()
	if a.same = slices.Equal(mine, theirs); a.same {
		return
	}
	a.number, a.back = mapActions(a.game, theirs, g, mine), mapActions(g, mine, a.game, theirs)
}

func mapActions(from *engine.Game, fromPlanes []string, to *engine.Game, toPlanes []string) []engine.Action {
	out := make([]engine.Action, from.NumActions())
	squares := from.Squares()
	for i := range out {
		out[i] = engine.NoAction
		if i == int(from.Pass()) {
			out[i] = to.Pass()
		} else if at := slices.Index(toPlanes, fromPlanes[i/squares]); at >= 0 {
			out[i] = engine.Action(at*squares + i%squares)
		}
	}
	return out
}

// label names an alternative: "capture.corner=neutral", with its companion in brackets.
func (a *alternative) label(name string) string {
	v := a.value
	if v == "" {
		v = "none"
	}
	text := name + "=" + v
	if len(a.with) > 0 {
		text += fmt.Sprintf(" (with %s)", strings.Join(a.with, ", "))
	}
	return text
}
