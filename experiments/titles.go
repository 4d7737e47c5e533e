package experiments

import (
	"strings"

	"latro/env/rules"
)

// parameterTitles are the parameters of rulesets in a few words, for the headings of
// tables; what a parameter means in full is rules.Describe's affair.
var parameterTitles = map[string]string{
	"board.rows":                      "rows of the board",
	"board.cols":                      "columns of the board",
	"pieces.men":                      "men of each side",
	"pieces.leaders":                  "leaders of each side",
	"setup.kind":                      "placing pieces, or a fixed array",
	"setup.array":                     "the fixed array",
	"setup.per_turn":                  "pieces placed in a turn",
	"setup.zone":                      "where pieces may be placed",
	"setup.zone_rows":                 "rows in which pieces may be placed",
	"setup.forbidden":                 "squares where nothing may be placed",
	"setup.leader":                    "when the leader is placed",
	"setup.first_mover":               "who moves first after placing",
	"setup.agreement_max":             "agreeing on the number of men",
	"movement.men.range":              "how far men move",
	"movement.men.directions":         "directions in which men move",
	"movement.men.hop_over":           "pieces that men may hop over",
	"movement.men.hop_directions":     "directions of men's hops",
	"movement.men.hop_length":         "length of men's hops",
	"movement.men.hop_chain":          "chains of men's hops",
	"movement.leaders.range":          "how far the leader moves",
	"movement.leaders.directions":     "directions in which the leader moves",
	"movement.leaders.hop_over":       "pieces that the leader may hop over",
	"movement.leaders.hop_directions": "directions of the leader's hops",
	"movement.leaders.hop_length":     "length of the leader's hops",
	"movement.leaders.hop_chain":      "chains of the leader's hops",
	"movement.between_enemies":        "moving between two enemies",
	"movement.between_bound":          "bound enemies when moving between two",
	"movement.undo":                   "moving straight back",
	"movement.chain_offer":            "when a further hop is looked for",
	"movement.removal_square":         "landing where a prisoner was removed",
	"capture.effect":                  "what a capture does",
	"capture.axes":                    "lines of capture",
	"capture.line":                    "capture of one piece, or of a whole line",
	"capture.line_axes":               "directions in which whole lines are taken",
	"capture.leader":                  "capture of the leader",
	"capture.leader_in_row":           "a leader within a line",
	"capture.leader_as_captor":        "the leader as captor",
	"capture.edge":                    "the edge as captor",
	"capture.corner":                  "corners as captors",
	"capture.corner_pair":             "capture of a piece on a corner",
	"capture.immune":                  "squares safe from capture",
	"capture.moving_between":          "a piece that moves between two enemies",
	"binding.removal":                 "when bound pieces are removed",
	"binding.removal_number":          "how many bound pieces are removed",
	"binding.removal_compulsory":      "whether bound pieces must be removed",
	"binding.corner_rescue":           "freeing a man bound in a corner",
	"binding.release_by_landing":      "freeing by hopping over",
	"binding.guard_leaves":            "a bound man whose guard leaves",
	"binding.held_twice":              "a man bound on two lines",
	"bonus.after":                     "an extra move after a capture",
	"bonus.piece":                     "which piece makes the extra move",
	"bonus.compulsory":                "whether the extra move must be made",
	"bonus.must_capture":              "whether the extra move must capture",
	"repetition.rule":                 "repeated positions",
	"end.checked":                     "when too few pieces are noticed",
	"end.annihilation":                "what is counted when a side has too few",
	"end.annihilation_at":             "pieces at which a side has lost",
	"end.annihilation_exact":          "whether fewer pieces lose too",
	"end.leader_captured":             "loss of the leader",
	"end.leader_immobilised":          "a leader that cannot move",
	"end.blocked":                     "a player who cannot move",
	"end.no_capture_limit":            "plies without capture that end the game",
	"end.no_capture_result":           "how a game without captures is decided",
	"end.tie":                         "equal numbers at the end",
	"end.two_passes":                  "two passes in a row",
	"end.turn_limit":                  "turns at which the game is stopped",
	readingFactor:                     "reading of the source",
}

// ParameterTitle is a ruleset's parameter in a few words; the name itself where it is
// no parameter.
func ParameterTitle(name string) string {
	if t, ok := parameterTitles[name]; ok {
		return t
	}
	if reading, ok := strings.CutPrefix(name, overlayPrefix); ok {
		return "the reading " + reading
	}
	return name
}

// termWords is what a sentence calls a factor: its parameter in words, and its name, by
// which the rules file and the tables know it.
func termWords(name string) string {
	if t := ParameterTitle(name); t != name {
		return t + " (" + name + ")"
	}
	return name
}

// titled gives factors without a name of their own that of their parameter.
func titled(factors []FactorInfo) []FactorInfo {
	for i := range factors {
		if factors[i].Title == factors[i].Parameter {
			factors[i].Title = ParameterTitle(factors[i].Parameter)
		}
	}
	return factors
}

// FactorKey says what a fraction's letters stand for: "A corners as captors
// (capture.corner)".
func (d Design) FactorKey() []string {
	var out []string
	for _, f := range d.FactorInfos() {
		s := f.Letter + " " + f.Title
		if f.Parameter != "" && f.Parameter != f.Title {
			s += " (" + f.Parameter + ")"
		}
		out = append(out, s)
	}
	return out
}

// meaningless tells which of a ruleset's parameters its others leave nothing to
// say; nothing is where the parameters are not those of a ruleset.
func meaningless(params map[string]string) func(name string) bool {
	p := rules.Neutral()
	for name, v := range params {
		if p.Set(name, v) != nil {
			return func(string) bool { return false }
		}
	}
	r := rules.Ruleset{Params: p}
	return r.Meaningless
}
