package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// testRNG returns a generator for a test; the numbers only have to be fixed.
func testRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6c61_7472_6f)) }

var testMeta = map[string]string{
	MetaRuleset: "bell-8x7@ludii", MetaRulesetHash: "9f86d081", MetaEngineVersion: "test",
	MetaActionEncoding: "1", MetaObservationEncoding: "1", "note": "Zeichen: ä",
}

// randomSamples returns n sound samples in games of some length, shaped as
// self-play makes them: 8×7 board, some 20 legal actions, some with a policy.
func randomSamples(rng *rand.Rand, n int) []Sample {
	rows := make([]Sample, 0, n)
	for game := uint64(1); len(rows) < n; game++ {
		plies := 1 + rng.IntN(60)
		outcome := []string{Win0, Win1, Draw, Capped}[rng.IntN(4)]
		value := map[string]float32{Win0: 1, Win1: -1, Draw: 0, Capped: 0.25}[outcome]
		for ply := range plies {
			if len(rows) == n {
				break
			}
			if rng.IntN(5) == 0 {
				continue // a forced ply makes no sample
			}
			legal := 2 + rng.IntN(30)
			s := Sample{
				GameID: game, Ply: uint32(ply), RulesetHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
				Player: uint8(rng.IntN(2)), State: make([]byte, 30+rng.IntN(20)), LegalCount: uint16(legal),
				RootValue: rng.Float32()*2 - 1, Outcome: outcome, OutcomeValue: value, EndReason: "one-left",
				PliesLeft: uint32(plies - ply), FinalMaterial: rng.Float32()*2 - 1, Simulations: 32, Full: rng.IntN(4) == 0,
				NetworkHash: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9", EngineVersion: "0.1.0",
			}
			for i := range s.State {
				s.State[i] = byte(rng.IntN(4))
			}
			perm := rng.Perm(56 * 8)[:legal]
			slices.Sort(perm)
			for _, a := range perm {
				s.Actions = append(s.Actions, uint16(a))
				s.Visits = append(s.Visits, uint32(rng.IntN(8)))
			}
			s.Played = s.Actions[rng.IntN(legal)]
			s.Visits[0]++
			if rng.IntN(2) == 0 {
				sum := 0.0
				w := make([]float64, legal)
				for i := range w {
					w[i] = rng.ExpFloat64()
					sum += w[i]
				}
				for i := range w {
					s.Policy = append(s.Policy, float32(w[i]/sum))
				}
			}
			if rng.IntN(3) == 0 {
				s.Survival = []byte{1, 2, 3, 4, 5, 6, byte(ply)}
			}
			s.Surprise = rng.Float32() * 3
			rows = append(rows, s)
		}
	}
	return rows
}

// randomGames returns n sound games with lists of every length from none.
func randomGames(rng *rand.Rand, n int) []Game {
	rows := make([]Game, n)
	for i := range rows {
		plies := rng.IntN(200)
		g := Game{
			GameID: uint64(i) + 1, RunID: "run-a", Generation: uint32(i / 100), Ruleset: "bell-8x7@ludii",
			RulesetHash: "9f86d081884c7d65", Factors: `{"capture.bonus":"none"}`, Agent0: "uct:simulations=100", Agent1: "random",
			Budget0: 100, StartID: rng.Uint64(), TwinID: rng.Uint64(), PairID: uint64(i / 2), Half: uint8(i % 2), Seed: rng.Uint64(),
			Outcome: []string{Win0, Win1, Draw, Capped}[rng.IntN(4)], EndReason: "blocked", Plies: uint32(plies), Turns: uint32(plies / 2),
			PlyCap: 400, Captures0: rng.Uint32N(20), Hops1: uint32(plies / 3), FinalPieces0: rng.Uint32N(20), CanonicalHash: rng.Uint64(),
			NetworkHash1: "fcde2b2e", EngineVersion: "0.1.0", Resigned: false,
		}
		for range plies {
			g.Moves = append(g.Moves, uint16(rng.IntN(600)))
		}
		if i%3 == 0 && plies > 0 {
			g.Start = fmt.Sprintf("position %d", i)
			for range plies {
				g.Values = append(g.Values, rng.Float32()*2-1)
			}
			g.Attrition = []uint16{9, 9, 8, 8, 7, 6}
			g.Placements, g.Arrivals, g.Captures = make([]uint32, 56), make([]uint32, 56), make([]uint32, 56)
			g.Arrivals[rng.IntN(56)] = rng.Uint32()
		}
		rows[i] = g
	}
	return rows
}

// mustEqual compares rows, where NaN equals NaN.
func mustEqual[R any](t *testing.T, got, want []R) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("row %d:\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

func TestSampleCheckFindsEveryBrokenInvariant(t *testing.T) {
	good := randomSamples(testRNG(1), 40)
	// One with a policy, so that all invariants apply.
	base := good[slices.IndexFunc(good, func(s Sample) bool { return len(s.Policy) > 2 })]
	nan := float32(math.NaN())
	for _, c := range []struct {
		field  string
		damage func(*Sample)
	}{
		{"ruleset_hash", func(s *Sample) { s.RulesetHash = "" }},
		{"player", func(s *Sample) { s.Player = 2 }},
		{"state", func(s *Sample) { s.State = nil }},
		{"legal_count", func(s *Sample) { s.LegalCount = 0 }},
		{"actions", func(s *Sample) { s.LegalCount = uint16(len(s.Actions) - 1) }},
		{"actions", func(s *Sample) { s.Actions[1] = s.Actions[0] }},
		{"visits", func(s *Sample) { s.Visits = s.Visits[1:] }},
		{"visits", func(s *Sample) { clear(s.Visits); s.Policy = nil }},
		{"policy", func(s *Sample) { s.Policy = s.Policy[1:] }},
		{"policy", func(s *Sample) { s.Policy[0] += 0.1 }},
		{"policy", func(s *Sample) { s.Policy[0] = nan }},
		{"policy", func(s *Sample) { s.Policy[0], s.Policy[1] = -0.5, s.Policy[1]+s.Policy[0]+0.5 }},
		{"played", func(s *Sample) { s.Played = 0xFFFF }},
		{"root_value", func(s *Sample) { s.RootValue = 1.01 }},
		{"outcome_value", func(s *Sample) { s.OutcomeValue = nan }},
		{"final_material", func(s *Sample) { s.FinalMaterial = -2 }},
		{"outcome", func(s *Sample) { s.Outcome = "timeout" }},
		{"plies_left", func(s *Sample) { s.PliesLeft = 0 }},
	} {
		s := base
		s.Actions, s.Visits, s.Policy = slices.Clone(s.Actions), slices.Clone(s.Visits), slices.Clone(s.Policy)
		if err := s.Check(); err != nil {
			t.Fatalf("a sound sample: %v", err)
		}
		c.damage(&s)
		checkField(t, s.Check(), c.field)
	}
}

func TestGameCheckFindsEveryBrokenInvariant(t *testing.T) {
	good := randomGames(testRNG(2), 40)
	base := good[slices.IndexFunc(good, func(g Game) bool { return len(g.Values) > 2 })]
	for _, c := range []struct {
		field  string
		damage func(*Game)
	}{
		{"ruleset_hash", func(g *Game) { g.RulesetHash = "" }},
		{"outcome", func(g *Game) { g.Outcome = "ongoing" }},
		{"plies", func(g *Game) { g.Plies++ }},
		{"turns", func(g *Game) { g.Turns = g.Plies + 1 }},
		{"resigned", func(g *Game) { g.Outcome, g.Resigned = Capped, true }},
		{"half", func(g *Game) { g.Half = 2 }},
		{"attrition", func(g *Game) { g.Attrition = g.Attrition[1:] }},
		{"traffic_arrivals", func(g *Game) { g.Arrivals = g.Arrivals[1:] }},
		{"values", func(g *Game) { g.Values = g.Values[1:] }},
		{"values", func(g *Game) { g.Values = slices.Repeat([]float32{2}, len(g.Moves)) }},
		{"hops0", func(g *Game) { g.Hops0, g.Hops1 = math.MaxUint32, 1 }},
		{"bonus_plies0", func(g *Game) { g.BonusPlies1 = g.Plies + 1 }},
		{"removals0", func(g *Game) { g.Removals0 = g.Plies + 1 }},
		{"leader_plies0", func(g *Game) { g.LeaderPlies0 = g.Plies + 1 }},
		{"factors", func(g *Game) { g.Factors = `["a"]` }},
	} {
		g := base
		if err := g.Check(); err != nil {
			t.Fatalf("a sound game: %v", err)
		}
		c.damage(&g)
		checkField(t, g.Check(), c.field)
	}
}

func checkField(t *testing.T, err error, field string) {
	t.Helper()
	if re, ok := err.(*RowError); !ok || re.Field != field {
		t.Errorf("want an error of column %q, got %v", field, err)
	}
}
