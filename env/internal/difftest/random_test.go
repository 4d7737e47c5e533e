package difftest

import (
	"math/rand/v2"
	"testing"

	"latro/env/internal/literal"
	"latro/env/rules"
)

// TestRandomParams: the generator gives valid rules, the same from the same seed, and reaches every value of
// every parameter with a list of values.
func TestRandomParams(t *testing.T) {
	reached := map[string]map[string]bool{}
	for seed := range uint64(2000) {
		p := RandomParams(rand.New(rand.NewPCG(seed, 1)))
		if problems := p.Validate(); len(problems) > 0 {
			t.Fatalf("seed %d: %v", seed, problems)
		}
		if q := RandomParams(rand.New(rand.NewPCG(seed, 1))); !p.Equal(q) {
			t.Fatalf("seed %d gives two rulesets", seed)
		}
		for _, name := range rules.ParamNames() {
			value, err := p.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if reached[name] == nil {
				reached[name] = map[string]bool{}
			}
			reached[name][value] = true
		}
	}
	for _, name := range rules.ParamNames() {
		info, err := rules.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		allowed := info.Allowed
		if info.Kind == rules.KindBool {
			allowed = []string{"true", "false"}
		}
		if info.Kind == rules.KindChoices {
			continue // its values are subsets
		}
		for _, value := range allowed {
			if !reached[name][value] {
				t.Errorf("%s never is %s", name, value)
			}
		}
	}
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
