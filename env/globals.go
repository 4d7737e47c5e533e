package env

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"latro/env/engine"
	"latro/env/rules"
)

// A globalID is the position of a position-dependent global input in globalTable and in every globals
// vector.
type globalID int

const (
	globalAgreement globalID = iota
	globalPlacement
	globalMovement
	globalMoverIsPlayer0
	globalTie
	globalOpensMovement
	globalOwnHandMen
	globalEnemyHandMen
	globalOwnHandLeader
	globalEnemyHandLeader
	globalOwnMen
	globalEnemyMen
	globalOwnBound
	globalEnemyBound
	globalOwnLeader
	globalEnemyLeader
	globalMaterial
	globalQuiet
	globalQuietUrgency
	globalRepetition
	globalTurnGoesOn
	globalChainPending
	globalBonusPending
	globalRemoved
	globalRemovable
	globalMustOpen
	numDynamic
)

// A GlobalInfo documents one global input.
type GlobalInfo struct {
	// Name identifies the input in network files; weights move between rulesets by it.
	Name string
	// Range is the range of its values, Meaning what they say.
	Range, Meaning string
}

// globalTable is the position-dependent part of the global inputs; the ruleset's part follows it.
// "Share" means: divided by the number of that kind of piece that a side can have in this ruleset.
var globalTable = [numDynamic]GlobalInfo{
	globalAgreement:       {"phase-agreement", "0, 1", "the players agree on the number of men"},
	globalPlacement:       {"phase-placement", "0, 1", "pieces are being placed"},
	globalMovement:        {"phase-movement", "0, 1", "pieces move"},
	globalMoverIsPlayer0:  {"mover-is-player-0", "0, 1", "the player to move is player 0"},
	globalTie:             {"tie-for-mover", "-1, 0, 1", "who wins when pieces are counted and equal: the opponent, nobody, the player to move"},
	globalOpensMovement:   {"opens-movement", "0, 1", "before the movement phase: the player to move will make its first ply (0 where an agreement phase leaves open who places first)"},
	globalOwnHandMen:      {"own-hand-men", "0..1", "men in the hand of the player to move, share"},
	globalEnemyHandMen:    {"enemy-hand-men", "0..1", "men in the opponent's hand, share"},
	globalOwnHandLeader:   {"own-hand-leader", "0, 1", "the leader of the player to move is in hand"},
	globalEnemyHandLeader: {"enemy-hand-leader", "0, 1", "the opponent's leader is in hand"},
	globalOwnMen:          {"own-men", "0..1", "free men of the player to move on the board, share"},
	globalEnemyMen:        {"enemy-men", "0..1", "free men of the opponent on the board, share"},
	globalOwnBound:        {"own-bound", "0..1", "bound men of the player to move, share"},
	globalEnemyBound:      {"enemy-bound", "0..1", "bound men of the opponent, share"},
	globalOwnLeader:       {"own-leader", "0, 1", "the leader of the player to move is on the board"},
	globalEnemyLeader:     {"enemy-leader", "0, 1", "the opponent's leader is on the board"},
	globalMaterial:        {"material", "-1..1", "own pieces minus enemy pieces (hands and leaders included) over the pieces a side can have"},
	globalQuiet:           {"quiet", "0..1", "plies without capture over end.no_capture_limit; 0 without such a limit"},
	globalQuietUrgency:    {"quiet-urgency", "0..1", "1/(plies left until that limit), which tells the last plies before it apart; 0 without a limit"},
	globalRepetition:      {"repetition", "0..1", "earlier occurrences of this position (0, 1, 2 or more) over 2, where a repetition rule counts them"},
	globalTurnGoesOn:      {"turn-goes-on", "0, 1", "the player to move made the last ply too"},
	globalChainPending:    {"chain-pending", "0, 1", "a hop chain may go on"},
	globalBonusPending:    {"bonus-pending", "0, 1", "a bonus ply is due"},
	globalRemoved:         {"removed-this-turn", "0, 1", "the player to move has taken a bound enemy off in this turn"},
	globalRemovable:       {"removable", "0, 1", "a bound enemy may be taken off now"},
	globalMustOpen:        {"must-open", "0, 1", "the opponent has just passed because he is blocked, and a way must be opened for him if there is one"},
}

// globalScale holds a ruleset's divisors, as factors.
type globalScale struct {
	men    float32    // 1 / men a side can have
	pieces float32    // 1 / pieces a side can have
	quiet  int        // no_capture_limit
	tie    [2]float32 // tie-for-mover of each mover
	opens  int        // the player who opens the movement phase, -1 if the agreement decides
}

// AllGlobals returns the documentation of every global input of this encoding version, in order: first those
// that depend on the position, then one or more for each parameter of the ruleset, named
// "rule:PARAMETER" or "rule:PARAMETER=VALUE".
func AllGlobals() []GlobalInfo {
	out := append([]GlobalInfo(nil), globalTable[:]...)
	for _, f := range ruleInputs() {
		out = append(out, f.info)
	}
	return out
}

// A ruleInput is one number derived from one parameter.
type ruleInput struct {
	info  GlobalInfo
	param string
	value func(text string) float32
}

// ruleInputs lists the inputs that describe the ruleset, in the order of rules.ParamNames: an enumeration
// becomes one input a value (one-hot; a set, several-hot), a yes/no one input, a number one input scaled
// to 0..1 (logarithmically where its range is wide). Start arrays add nothing, since the network sees the
// pieces; of a list of squares the number is given, since planes show where they are.
func ruleInputs() []ruleInput {
	var out []ruleInput
	for _, name := range rules.ParamNames() {
		d, err := rules.Describe(name)
		if err != nil {
			panic("env: rules.ParamNames lists a name that rules.Describe does not know: " + err.Error())
		}
		add := func(suffix, rng, meaning string, value func(string) float32) {
			out = append(out, ruleInput{GlobalInfo{"rule:" + name + suffix, rng, meaning}, name, value})
		}
		switch d.Kind {
		case rules.KindBool:
			add("", "0, 1", "`true`", func(s string) float32 { return indicator(s == "true") })
		case rules.KindChoice:
			for _, v := range d.Allowed {
				add("="+v, "0, 1", "the value is `"+v+"`", func(s string) float32 { return indicator(s == v) })
			}
		case rules.KindChoices:
			for _, v := range d.Allowed {
				add("="+v, "0, 1", "the list has `"+v+"`", func(s string) float32 {
					return indicator(slices.Contains(strings.Split(s, ","), v))
				})
			}
		case rules.KindSquares:
			add("", "0..1", "number of squares over 8, at most 1", func(s string) float32 {
				if s == "" {
					return 0
				}
				return min(1, float32(1+strings.Count(s, ","))/8)
			})
		case rules.KindInt:
			lo, hi := float64(d.Min), float64(d.Max)
			if hi-lo > 255 {
				add("", "0..1", "log(1+n) over log(1+"+strconv.Itoa(d.Max)+")", func(s string) float32 {
					return float32(math.Log1p(float64(number(s))) / math.Log1p(hi))
				})
			} else {
				add("", "0..1", "from "+strconv.Itoa(d.Min)+" as 0 to "+strconv.Itoa(d.Max)+" as 1", func(s string) float32 {
					return float32((float64(number(s)) - lo) / (hi - lo))
				})
			}
		}
	}
	return out
}

func indicator(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("env: a numeric parameter has the value " + strconv.Quote(s))
	}
	return n
}

// RuleVector returns the ruleset's part of the global inputs: what Encode writes from DynamicGlobals on.
// Its length is the same for every ruleset of an EncodingVersion.
func RuleVector(p rules.Params) []float32 {
	var out []float32
	for _, f := range ruleInputs() {
		text, err := p.Get(f.param)
		if err != nil {
			panic("env: rules.ParamNames lists a name that Params.Get does not know: " + err.Error())
		}
		// A ruleset beyond the documented range of a number (built in code, not by a file) stays in range here.
		out = append(out, max(-1, min(1, f.value(text))))
	}
	return out
}

func (e *Encoder) initGlobals() {
	p := &e.params
	for _, g := range AllGlobals() {
		e.globals = append(e.globals, g.Name)
	}
	e.dynamic = int(numDynamic)
	e.gtemplate = append(make([]float32, e.dynamic), RuleVector(*p)...)

	men := max(p.Pieces.Men, p.Setup.AgreementMax, 1)
	e.scale = globalScale{
		men:    1 / float32(men),
		pieces: 1 / float32(men+p.Pieces.Leaders),
		quiet:  p.End.NoCaptureLimit,
	}
	switch p.End.Tie {
	case "player-0":
		e.scale.tie = [2]float32{1, -1}
	case "player-1":
		e.scale.tie = [2]float32{-1, 1}
	}
	switch {
	case p.Setup.AgreementMax > 0:
		e.scale.opens = -1
	case p.Setup.FirstMover == "last-placer":
		e.scale.opens = 1
	}
}

// encodeGlobals writes the position-dependent inputs; count is the number of each piece on the board.
func (e *Encoder) encodeGlobals(v *engine.View, mover int, count *[engine.Bound1 + 1]int, g []float32) {
	g = g[:numDynamic]
	enemy := 1 - mover
	s := &e.scale

	switch v.Phase {
	case engine.Agreement:
		g[globalAgreement] = 1
	case engine.Placement:
		g[globalPlacement] = 1
	case engine.Movement:
		g[globalMovement] = 1
	}
	g[globalMoverIsPlayer0] = float32(enemy)
	g[globalTie] = s.tie[mover]
	if v.Phase != engine.Movement {
		g[globalOpensMovement] = indicator(mover == s.opens)
	}

	handMen := [2]int{int(v.HandMen[mover]), int(v.HandMen[enemy])}
	handLeaders := [2]int{int(v.HandLeaders[mover]), int(v.HandLeaders[enemy])}
	men := [2]int{count[engine.Man0], count[engine.Man1]}
	bound := [2]int{count[engine.Bound0], count[engine.Bound1]}
	leaders := [2]int{count[engine.Leader0], count[engine.Leader1]}
	if mover == 1 {
		men[0], men[1] = men[1], men[0]
		bound[0], bound[1] = bound[1], bound[0]
		leaders[0], leaders[1] = leaders[1], leaders[0]
	}
	g[globalOwnHandMen] = share(handMen[0], s.men)
	g[globalEnemyHandMen] = share(handMen[1], s.men)
	g[globalOwnHandLeader] = share(handLeaders[0], 1)
	g[globalEnemyHandLeader] = share(handLeaders[1], 1)
	g[globalOwnMen] = share(men[0], s.men)
	g[globalEnemyMen] = share(men[1], s.men)
	g[globalOwnBound] = share(bound[0], s.men)
	g[globalEnemyBound] = share(bound[1], s.men)
	g[globalOwnLeader] = share(leaders[0], 1)
	g[globalEnemyLeader] = share(leaders[1], 1)
	all := func(i int) int { return handMen[i] + handLeaders[i] + men[i] + bound[i] + leaders[i] }
	g[globalMaterial] = max(-1, min(1, float32(all(0)-all(1))*s.pieces))

	if s.quiet > 0 {
		quiet := min(int(v.Quiet), s.quiet)
		g[globalQuiet] = float32(quiet) / float32(s.quiet)
		g[globalQuietUrgency] = 1 / float32(max(1, s.quiet-quiet))
	}
	g[globalRepetition] = float32(max(0, min(int(v.RepCount)-1, 2))) / 2

	g[globalTurnGoesOn] = indicator(v.Placed > 0 || v.Chain >= 0 || v.Bonus || v.Removed)
	g[globalChainPending] = indicator(v.Chain >= 0 && !v.Bonus)
	g[globalBonusPending] = indicator(v.Bonus)
	g[globalRemoved] = indicator(v.Removed)
	g[globalRemovable] = indicator(v.Removable)
	g[globalMustOpen] = indicator(v.Opening)
}

// share scales a count to 0..1. The upper bound only matters for views that no game of the ruleset reaches.
func share(n int, scale float32) float32 { return min(1, float32(n)*scale) }
