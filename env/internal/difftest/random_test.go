package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/env/internal/literal"
	"latro/env/rules"
)

// TestRandomParams: the generator gives valid rules, the same from the same seed, and reaches every value of every
// parameter: every word, every set of words that can stand together, every size of board, and of the numbers whose range is
// large the ends of what a game can meet.
func TestRandomParams(t *testing.T) {
	reached := map[string]map[string]int{}
	for seed := range uint64(4000) {
		p := RandomParams(rand.New(rand.NewPCG(seed, 1)))
		if problems := p.Validate(); len(problems) > 0 {
			t.Fatalf("seed %d: %v", seed, problems)
		}
		if seed < 100 {
			if q := RandomParams(rand.New(rand.NewPCG(seed, 1))); !p.Equal(q) {
				t.Fatalf("seed %d gives two rulesets", seed)
			}
		}
		for _, name := range rules.ParamNames() {
			value, err := p.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if reached[name] == nil {
				reached[name] = map[string]int{}
			}
			reached[name][kindOf(name, value, p)]++
		}
	}
	for _, name := range rules.ParamNames() {
		info, err := rules.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kindsOf(info) {
			if reached[name][kind] == 0 {
				t.Errorf("%s never is %q; it was %v", name, kind, reached[name])
			}
		}
	}
}

// kindsOf is the values, or kinds of value, that the generator must reach.
func kindsOf(info rules.ParamInfo) []string {
	switch info.Kind {
	case rules.KindBool:
		return []string{"true", "false"}
	case rules.KindChoice:
		return info.Allowed
	case rules.KindChoices:
		all := subsets(info.Allowed)
		if info.Name == "movement.leaders.hop_over" { // where captures bind there are no leaders
			all = slices.DeleteFunc(all, func(set string) bool { return strings.Contains(set, "bound") })
		}
		return all
	case rules.KindSquares:
		return []string{"none", "centre", "one named", "several"}
	case rules.KindArray:
		return []string{"none", "some"}
	}
	switch info.Name {
	case "pieces.men":
		return []string{"1", "2", "3", "4", "5", "6", "7", "8", "fills the board", "more than 32", "more than 64"}
	case "setup.zone_rows":
		return []string{"0", "1", "2", "3", "4"}
	case "setup.agreement_max":
		return []string{"none", "no raise", "raises"}
	case "end.no_capture_limit", "end.turn_limit":
		return []string{"0", "1", "some", "never met"}
	}
	var all []string
	for n := info.Min; n <= info.Max; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// subsets is the sets of pieces that may be hopped over: own-men does not stand beside the two words for own pieces.
func subsets(words []string) []string {
	var all []string
	for set := range 1 << len(words) {
		var some []string
		for i, word := range words {
			if set>>i&1 == 1 {
				some = append(some, word)
			}
		}
		if slices.Contains(some, "own-men") && (slices.Contains(some, "own-free") || slices.Contains(some, "own-bound")) {
			continue
		}
		all = append(all, strings.Join(some, ","))
	}
	return all
}

// kindOf is the kind, among kindsOf, of a parameter's value.
func kindOf(name, value string, p rules.Params) string {
	limit := func(n, most int) string {
		switch {
		case n < 2:
			return fmt.Sprint(n)
		case n < most:
			return "some"
		}
		return "never met"
	}
	switch name {
	case "setup.forbidden", "capture.immune":
		switch {
		case value == "":
			return "none"
		case strings.Contains(value, ","):
			return "several"
		case value == "centre":
			return "centre"
		}
		return "one named"
	case "setup.array":
		if value != "" {
			return "some"
		}
		return "none"
	case "pieces.men":
		switch {
		case p.Pieces.Men > 64:
			return "more than 64"
		case p.Pieces.Men > 32:
			return "more than 32"
		case p.Pieces.Men > 8 && 2*(p.Pieces.Men+p.Pieces.Leaders) >= p.Board.Rows*p.Board.Cols-1:
			return "fills the board"
		}
	case "setup.agreement_max":
		switch p.Setup.AgreementMax {
		case 0:
			return "none"
		case p.Pieces.Men:
			return "no raise"
		}
		return "raises"
	case "end.no_capture_limit":
		return limit(p.End.NoCaptureLimit, 150)
	case "end.turn_limit":
		return limit(p.End.TurnLimit, 150)
	}
	return value
}

// TestLiteralInvariants plays random games by the literal engine alone: pieces never multiply, there is a legal
// ply as long as the game goes on, and an illegal one is refused.
func TestLiteralInvariants(t *testing.T) {
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := RandomParams(rng)
		g := literal.New(p)
		most := 2 * (max(p.Pieces.Men, p.Setup.AgreementMax) + p.Pieces.Leaders)
		for range 60 {
			legal := g.Legal()
			if g.Over() != (len(legal) == 0) {
				t.Fatalf("seed %d: over %v with %d legal plies", seed, g.Over(), len(legal))
			}
			if g.Over() {
				break
			}
			if err := g.Play("M9.9-9.9"); err == nil {
				t.Fatalf("seed %d: an illegal ply was played", seed)
			}
			if err := g.Play(legal[rng.IntN(len(legal))]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			pieces := 0
			for _, c := range g.Board() {
				if c != '.' {
					pieces++
				}
			}
			for _, n := range g.Hands() {
				if pieces += n; n < 0 {
					t.Fatalf("seed %d: hands %v", seed, g.Hands())
				}
			}
			if pieces > most {
				t.Fatalf("seed %d: %d pieces of at most %d", seed, pieces, most)
			}
			if g.Phase() == "movement" {
				most = pieces
			}
		}
	}
}
