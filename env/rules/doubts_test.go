package rules_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// answered is the table of RULES.md section 6: the rulesets that a doubt touches, and the readings that answer it
// otherwise than the default does (section 9). "tables" stands for the twenty boards of section 4, "classic" for the two
// of classic Seega. The reading ludii stands where Ludii answers otherwise.
var answered = map[string]map[string]string{
	"A1":   {"locus-ludi-seneca": "ludii removal-optional remove-any"},
	"A2":   {"locus-ludi-seneca": "ludii remove-all remove-any"},
	"A3":   {"schadler-1994": "held-by-one-pair", "schadler-2001": "held-by-one-pair", "locus-ludi-seneca": "held-by-one-pair"},
	"A4":   {"schadler-1994": "guard-may-leave", "schadler-2001": "guard-may-leave", "locus-ludi-seneca": "guard-may-leave"},
	"A5":   {"locus-ludi-seneca": "own-hops-only"},
	"A6":   {"schadler-1994": "", "schadler-2001": "", "locus-ludi-seneca": ""},
	"A7":   {"locus-ludi-seneca": "ludii superko situational-superko"},
	"A8":   {"locus-ludi-seneca": "ludii tie-player-1", "locus-ludi-piso": "ludii tie-player-1", "bell-8x7": "ludii tie-player-1", "bell-8x8": "ludii tie-player-1"},
	"A9":   {"schadler-1994": "blocked-loses", "schadler-2001": "blocked-loses", "museum-quintana": "blocked-loses"},
	"A10":  {"schadler-2001": "agreement ludii twenty-four-men"},
	"A11":  {"schadler-2001": "bound-men-harmless"},
	"A12":  {"schadler-1994": "removal-compulsory", "schadler-2001": "removal-compulsory"},
	"A13":  {"schadler-1994": "corner-pair", "schadler-2001": "corner-pair", "locus-ludi-piso": "no-corner-capture"},
	"A14":  {"falkener": ""},
	"A15":  {"kowalski-10x11": "captures-decide-blockade dux-immobilised-loses", "kowalski-8x12": "captures-decide-blockade dux-immobilised-loses"},
	"A16":  {"kowalski-10x11": "line-capture", "kowalski-8x12": "line-capture"},
	"A17":  {"kowalski-10x11": "eight-by-twelve"},
	"A18":  {"bell-8x7": "bonus-any-piece bonus-compulsory bonus-must-capture ludii", "bell-8x8": "bonus-any-piece bonus-compulsory bonus-must-capture ludii"},
	"A19":  {"bell-8x7": "corner-not-own", "bell-8x8": "corner-not-own"},
	"A20":  {"bell-8x7": "sixty-plies", "bell-8x8": "sixty-plies"},
	"A21":  {"bell-8x7": "dux-after-own-men", "bell-8x8": "dux-after-own-men"},
	"A22":  {"bell-8x7": "dux-lost-loses", "bell-8x8": "dux-lost-loses"},
	"A24a": {"tables": "all-captured", "classic": "one-left-loses"},
	"A24b": {"tables": "", "classic": ""},
	"A24c": {
		"tables":  "bonus-captures centre-immune last-placer-moves open-a-way",
		"classic": "blocked-loses blocked-passes bonus-any-piece bonus-compulsory bonus-free-move centre-capturable first-placer-moves one-capture-a-turn",
	},
	"A25": {
		"schadler-1994": withLudii, "schadler-2001": withLudii, "locus-ludi-seneca": withLudii, "locus-ludi-piso": withLudii,
		"museum-quintana": withLudii, "falkener": withLudii, "kowalski-10x11": withLudii, "kowalski-8x12": withLudii,
		"bell-8x7": withLudii, "bell-8x8": withLudii, "tables": withLudii, "classic": "situational-superko superko",
	},
	"A26": {
		"schadler-1994": limited, "schadler-2001": limited, "locus-ludi-seneca": limited, "locus-ludi-piso": limited,
		"museum-quintana": limited + " one-left-loses", "falkener": limited, "kowalski-10x11": limited, "kowalski-8x12": limited,
		"bell-8x7": "ludii", "bell-8x8": "ludii", // their thirty moves end every game
		"tables": limited, "classic": "barriers-count no-capture-limit",
	},
	"A27": {"luductus": "horizontal-rows-only praetorian-chain praetorian-leaps-row praetorian-no-captor sixty-plies"},
	"A28": {"webdux": "captures-decide dux-trapped-loses free-placement literal-sandwich one-soldier-loses"},
}

const (
	withLudii = "ludii situational-superko superko"
	limited   = "ludii no-capture-limit"
)

// Every doubt of RULES.md has its readings in every ruleset that it touches, no reading claims a doubt that is not its
// own, and a reader who meets the number finds the question.
func TestDoubtsAreAnswered(t *testing.T) {
	var ids []string
	for _, d := range rules.Doubts() {
		ids = append(ids, d.ID)
		if !strings.HasSuffix(d.Question, "?") || !strings.HasSuffix(d.Default, ".") {
			t.Errorf("%s: question %q, default %q", d.ID, d.Question, d.Default)
		}
		if got, ok := rules.LookUpDoubt(d.ID); !ok || got != d {
			t.Errorf("%s is not found", d.ID)
		}
		for _, readings := range answered[d.ID] {
			if readings == "" && d.Without == "" {
				t.Errorf("%s: no reading, and no word why", d.ID)
			}
		}
	}
	if want := slices.Collect(maps.Keys(answered)); len(ids) != len(want) {
		t.Errorf("%d doubts, the table has %d", len(ids), len(want))
	}
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		key := id
		if isTable(id) {
			key = "tables"
		} else if strings.HasPrefix(id, "seega-classic-") {
			key = "classic"
		}
		got := map[string][]string{}
		for _, x := range r.Readings {
			for _, a := range x.Doubts() {
				got[a] = append(got[a], x.Name)
			}
			if len(x.Doubts()) == 0 && x.Name != "sixteen-men" {
				t.Errorf("%s@%s settles no numbered doubt", id, x.Name)
			}
		}
		for _, a := range ids {
			want := strings.Fields(answered[a][key])
			slices.Sort(want)
			if !slices.Equal(got[a], want) {
				t.Errorf("%s, %s: readings %v, the table has %v", id, a, got[a], want)
			}
		}
	}
}

// Where a doubt touches a ruleset, the note of the parameter that settles it names the doubt; and a number in a note is
// one of a doubt that touches the ruleset.
func TestNotesNameTheDoubts(t *testing.T) {
	number := regexp.MustCompile(`\bA\d+[a-d]?\b`)
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		key := id
		if isTable(id) {
			key = "tables"
		} else if strings.HasPrefix(id, "seega-classic-") {
			key = "classic"
		}
		named := map[string]bool{}
		for name, p := range r.Provenance {
			for _, a := range number.FindAllString(p.Note, -1) {
				if _, ok := answered[a][key]; !ok {
					t.Errorf("%s: the note of %s names %s, which does not touch it", id, name, a)
				}
				named[a] = true
			}
		}
		for a, where := range answered {
			if _, ok := where[key]; ok && !named[a] {
				t.Errorf("%s: no note names %s", id, a)
			}
		}
	}
}
