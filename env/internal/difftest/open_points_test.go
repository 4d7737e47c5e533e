package difftest

import (
	"testing"

	"latro/env/internal/literal"
	"latro/env/rules"
)

// TestOpenPoints plays what the text of the parameters leaves open (engine/doc.go), by both engines.
func TestOpenPoints(t *testing.T) {
	small := func(change func(*rules.Params)) rules.Params {
		p := rules.Neutral()
		p.Board, p.Pieces.Men, p.Movement.Men.Range = rules.Board{Rows: 3, Cols: 3}, 1, "step"
		change(&p)
		return p
	}
	for _, c := range []struct {
		name   string
		params rules.Params
		script []string
		mover  int
		end    string
	}{
		{"after an agreement the leader of who placed first comes first", small(func(p *rules.Params) {
			p.Pieces.Leaders, p.Setup.Leader, p.Capture.Leader, p.Setup.AgreementMax = 1, "after-all-men", "as-man", 2
			p.Movement.Leaders = p.Movement.Men
		}), []string{"R", "-", "-", "P0.0", "P0.1", "P0.2", "P1.0"}, 1, "ongoing"},
		{"an array in which player 0 is blocked is lost at once", small(func(p *rules.Params) {
			p.Setup.Kind, p.Pieces.Men, p.Setup.Array, p.End.Blocked = "array", 3, []string{"aab", "ab.", "b.."}, "loses"
		}), nil, 0, "win1"},
		{"where blocked players pass he passes first", small(func(p *rules.Params) {
			p.Setup.Kind, p.Pieces.Men, p.Setup.Array = "array", 3, []string{"aab", "ab.", "b.."}
		}), []string{"-"}, 1, "ongoing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fast := compiled(t, c.params)
			if _, d := Compare(fast, Game{Params: c.params, Policy: "uniform", MaxPlies: len(c.script), Script: c.script}); d != nil {
				t.Fatal(d)
			}
			g := literal.New(c.params)
			for _, ply := range c.script {
				if err := g.Play(ply); err != nil {
					t.Fatalf("%v; legal are %v", err, g.Legal())
				}
			}
			if g.ToMove() != c.mover || g.Outcome() != c.end {
				t.Errorf("player %d to move, %s; want %d, %s", g.ToMove(), g.Outcome(), c.mover, c.end)
			}
		})
	}
}
