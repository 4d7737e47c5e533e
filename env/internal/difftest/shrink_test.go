package difftest

import (
	"math/rand/v2"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

// TestShrink plants an error in the fast engine, lets random rulesets find it, and asks for a small example of it: rules
// that have what the error needs and little else, a small board, a short game.
func TestShrink(t *testing.T) {
	for n, bug := range []struct {
		name   string
		plant  func(*rules.Params)
		needs  map[string]string // parameter values without which the error cannot show
		others int               // how many further departures from the neutral parameters the example may have
		plies  int               // how many plies its game may have
	}{
		{"corners are never taken", func(p *rules.Params) { p.Capture.CornerPair = false }, map[string]string{"capture.corner_pair": "true"}, 1, 6},
		{"an undo is never barred", func(p *rules.Params) { p.Movement.Undo = "allowed" }, map[string]string{"movement.undo": "forbidden"}, 1, 5},
		{"a chain has one hop", func(p *rules.Params) {
			p.Movement.Men.HopChain, p.Movement.Leaders.HopChain, p.Movement.ChainOffer = false, false, "after-effects"
		}, nil, 6, 8},
		{"a bonus is free", func(p *rules.Params) {
			if p.Bonus.After == "capture" {
				p.Bonus.MustCapture = false
			}
		}, map[string]string{"bonus.must_capture": "true", "bonus.after": "capture"}, 2, 9},
	} {
		t.Run(bug.name, func(t *testing.T) {
			compile := func(p rules.Params) (*engine.Game, error) {
				q := p.Clone()
				bug.plant(&q)
				return engine.Compile(q)
			}
			found := firstDisagreement(t, compile)
			again := *found
			shrinker := Shrinker{Compile: compile, Tries: 8000}
			small := shrinker.Shrink(found)
			t.Logf("from %d departures and %d plies to %v", len(Departures(again.Params)), len(again.Plies), small)
			if n == 1 { // once is enough: it takes as long again
				if second := (&Shrinker{Compile: compile, Tries: 8000}).Shrink(&again); second.String() != small.String() {
					t.Errorf("shrunk again:\n%v\nand not\n%v", second, small)
				}
			}
			for name, value := range bug.needs {
				if got, err := small.Params.Get(name); err != nil || got != value {
					t.Errorf("%s is %s, %v", name, got, err)
				}
			}
			required := 5 // board.rows, board.cols, pieces.men, movement.men.range, and directions or hops with it
			if n := len(Departures(small.Params)); n > required+len(bug.needs)+bug.others {
				t.Errorf("%d departures: %v", n, Departures(small.Params))
			}
			if b := small.Params.Board; b.Rows*b.Cols > 16 || len(small.Plies) > bug.plies {
				t.Errorf("a board of %d by %d, %d plies", b.Rows, b.Cols, len(small.Plies))
			}
			// What is reported must be enough to see it again.
			p := rules.Neutral()
			for _, pair := range Departures(small.Params) {
				name, value := cut(pair)
				set(&p, name, value)
			}
			fast, err := compile(p)
			if err != nil {
				t.Fatal(err)
			}
			game := small.Game
			game.Params, game.Script = p, small.Plies
			if _, d := Compare(fast, game); d == nil {
				t.Error("the report does not show the disagreement again")
			}
		})
	}
}

func firstDisagreement(t *testing.T, compile func(rules.Params) (*engine.Game, error)) *Disagreement {
	t.Helper()
	for seed := range uint64(3000) {
		p := RandomParams(rand.New(rand.NewPCG(seed, 3)))
		fast, err := compile(p)
		if err != nil {
			continue
		}
		if _, d := Compare(fast, Game{Params: p, Policy: policies[seed%uint64(len(policies))], Seed: seed, MaxPlies: 150, MaxWork: randomWork}); d != nil {
			return d
		}
	}
	t.Fatal("the planted error was not found")
	return nil
}
