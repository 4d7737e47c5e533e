package luditrial

import (
	"fmt"
	"path"
	"strings"
)

// GameName is the name of Ludii's game; the rulesets are settings of it.
const GameName = "Ludus Latrunculorum"

const (
	// gamePath is what Ludii 1.3.12 itself writes after "game=": the place of the game file in its own collection.
	gamePath = "/lud/board/war/custodial/Ludus Latrunculorum.lud"

	variantPrefix    = "Suggested Variants/"
	repetitionPrefix = "Repetition of states/"
	headingPrefix    = "Ruleset/"
)

// Ruleset is a ruleset that both sides have.
type Ruleset struct {
	ID      string // in the catalogue of env/rules
	Variant string // Ludii's name of the variant, as in the option "Suggested Variants/Bell 8x8"
	Number  int    // of the ruleset in Ludii's data base
	// Deviates says that the rules as Ludii plays them have a bug that the reading "ludii" repairs (env/oracle
	// describes them), so that some of its own trials cannot be replayed here.
	Deviates bool
}

// rulesets is in the order of Ludii's menu.
var rulesets = [...]Ruleset{
	{"schadler-1994", "Schadler 1994", 534, true},
	{"schadler-2001", "Schadler 2001", 1587, true},
	{"locus-ludi-seneca", "Locus Ludi Seneca", 1588, true},
	{"locus-ludi-piso", "Locus Ludi Piso", 1589, false},
	{"museum-quintana", "Museum Quintana", 536, false},
	{"falkener", "Falkener", 537, false},
	{"kowalski-10x11", "Kowalski 10x11", 538, false},
	{"kowalski-8x12", "Kowalski 8x12", 539, false},
	{"bell-8x7", "Bell 8x7", 540, false},
	{"bell-8x8", "Bell 8x8", 541, false},
	{"6x6-seega", "6x6 (Seega Rules)", 1590, false},
	{"6x6-kharebga", "6x6 (Kharebga Rules)", 1591, false},
	{"6x7-seega", "6x7 (Seega Rules)", 1592, false},
	{"6x7-kharebga", "6x7 (Kharebga Rules)", 1593, false},
	{"6x8-seega", "6x8 (Seega Rules)", 1594, false},
	{"6x8-kharebga", "6x8 (Kharebga Rules)", 1595, false},
	{"7x8-seega", "7x8 (Seega Rules)", 1596, false},
	{"7x8-kharebga", "7x8 (Kharebga Rules)", 1597, false},
	{"8x8-seega", "8x8 (Seega Rules)", 1598, false},
	{"8x8-kharebga", "8x8 (Kharebga Rules)", 1599, false},
	{"8x9-seega", "8x9 (Seega Rules)", 1600, false},
	{"8x9-kharebga", "8x9 (Kharebga Rules)", 1601, false},
	{"10x10-seega", "10x10 (Seega Rules)", 1602, false},
	{"10x10-kharebga", "10x10 (Kharebga Rules)", 1603, false},
	{"11x16-seega", "11x16 (Seega Rules)", 1609, false},
	{"11x16-kharebga", "11x16 (Kharebga Rules)", 1610, false},
	{"9x10-seega", "9x10 (Seega Rules)", 1613, false},
	{"9x10-kharebga", "9x10 (Kharebga Rules)", 1614, false},
	{"11x12-seega", "11x12 (Seega Rules)", 1644, false},
	{"11x12-kharebga", "11x12 (Kharebga Rules)", 1645, false},
}

// Rulesets lists the rulesets that both sides have, in the order of Ludii's menu.
func Rulesets() []Ruleset { return append([]Ruleset(nil), rulesets[:]...) }

// ByID finds a ruleset by its id in the catalogue.
func ByID(id string) (Ruleset, bool) {
	for _, r := range rulesets {
		if r.ID == id {
			return r, true
		}
	}
	return Ruleset{}, false
}

// Ref is the reference that opens the ruleset in the reading that Ludii plays, as in "bell-8x8@ludii".
func (r Ruleset) Ref() string { return r.ID + "@ludii" }

// Options are the lines of the options block that Ludii writes for the ruleset.
func (r Ruleset) Options() []string {
	return []string{repetitionPrefix + "No", variantPrefix + r.Variant}
}

// isGame says whether the text after "game=" names Ludii's game, as a path in its collection or by its name alone.
func isGame(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimSuffix(base, ".lud") == GameName
}

// RulesetOf finds the ruleset of a trial from its game and options. The option "Suggested Variants/Bell 8x8" names
// it, or the heading "Ruleset/Bell 8x8 (Suggested)"; without either it is Ludii's default, Schadler 1994. A trial of
// another game, of a variant that is not known, or in which states may be repeated is an error that wraps ErrTrial.
func (t *Trial) RulesetOf() (Ruleset, error) {
	if !isGame(t.Game) {
		return Ruleset{}, t.errorf(1, "the game is %q; only trials of %s can be read", clip(t.Game), GameName)
	}
	found, at := rulesets[0], 0
	for i, option := range t.Options {
		line := t.optionLine + i
		var variant string
		switch {
		case strings.HasPrefix(option, variantPrefix):
			variant = option[len(variantPrefix):]
		case strings.HasPrefix(option, headingPrefix):
			variant = option[len(headingPrefix):]
			variant = strings.TrimSuffix(strings.TrimSuffix(variant, " (Suggested)"), " (Scholarly)")
		case strings.HasPrefix(option, repetitionPrefix):
			if option != repetitionPrefix+"No" {
				return Ruleset{}, t.errorf(line, "the option %q: the reading ludii forbids repeated states; name a ruleset that allows them with --ruleset", clip(option))
			}
			continue
		default:
			return Ruleset{}, t.errorf(line, "the option %q is not known; known are %q and %q", clip(option), variantPrefix+"…", repetitionPrefix+"No")
		}
		r, ok := byVariant(variant)
		if !ok {
			return Ruleset{}, t.errorf(line, "the variant %q is not known; name the ruleset with --ruleset", clip(variant))
		}
		if at > 0 && r != found {
			return Ruleset{}, t.errorf(line, "the variant %q contradicts line %d", r.Variant, at)
		}
		found, at = r, line
	}
	return found, nil
}

func byVariant(name string) (Ruleset, bool) {
	for _, r := range rulesets {
		if r.Variant == name {
			return r, true
		}
	}
	return Ruleset{}, false
}

// String is the ruleset's id and Ludii's name and number of it.
func (r Ruleset) String() string {
	return fmt.Sprintf("%s (%s, Ludii ruleset %d)", r.ID, r.Variant, r.Number)
}
