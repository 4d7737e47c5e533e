package analysis

import (
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
)

// TestAvoidAndAllow: a search looks at the plies that a query leaves it, at every depth that the query says.
func TestAvoidAndAllow(t *testing.T) {
	const ruleset = "bell-8x7"
	for _, agent := range []string{"net:simulations=60,path=" + network(t, ruleset, "1x8"), "uniform:simulations=60", "rollout:simulations=60", "uct:simulations=60"} {
		cfg := config(agent, ruleset)
		ask := func(more string) reply {
			return only(t, serve(t, cfg, `{"id":"a","moves":["@c3"],"tree_depth":3,"include_policy":true,"seed":3`+more+`}`))
		}
		plain := ask("")
		first := plain.Move
		r := ask(`,"avoid_moves":[{"moves":["` + first + `","@e6"]}]`)
		if r.Error != "" || r.Move == first || len(r.Legal) != len(plain.Legal) || len(r.Policy) != len(plain.Policy)-2 {
			t.Errorf("%s: without %s: %s", agent, first, jsonOf(r))
		}
		for _, m := range r.Moves {
			if m.Move == first || m.Move == "@e6" {
				t.Errorf("%s: %s was searched all the same", agent, m.Move)
			}
		}
		r = ask(`,"allow_moves":[{"moves":["@b1","@g8"]}],"avoid_moves":[{"moves":["@g8"],"player":1},{"moves":["@b1"],"player":0}]`)
		if len(r.Policy) != 1 || r.Move != "@g8" { // it is player 0's ply
			t.Errorf("%s: one ply of two allowed: %s", agent, jsonOf(r))
		}
		if agent[:3] == "uct" {
			continue
		}
		// Three plies deep player 1 is kept to two squares, and player 0 from one.
		r = ask(`,"allow_moves":[{"moves":["@d4","@d5","@e5"],"player":1,"until_depth":3}],"avoid_moves":[{"moves":["@a1"],"until_depth":3}]`)
		var walk func(branches []branchAnswer, depth int)
		seen := 0
		walk = func(branches []branchAnswer, depth int) {
			for _, b := range branches {
				seen++
				if b.Move == "@a1" || b.Mover == 1 && !slices.Contains([]string{"@d4", "@d5", "@e5"}, b.Move) {
					t.Errorf("%s: player %d considers %s at depth %d", agent, b.Mover, b.Move, depth)
				}
				walk(b.Children, depth+1)
			}
		}
		walk(r.Tree, 0)
		if seen < 10 {
			t.Errorf("%s: only %d plies in the tree: %s", agent, seen, jsonOf(r))
		}
	}
}

func TestAvoidErrors(t *testing.T) {
	for _, c := range []struct{ agent, field, query, want string }{
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":["@z9"]}]`, `"@z9" is no legal ply`},
		{"uniform", "allow_moves", `"allow_moves":[{"moves":["c2-c3"]}]`, "no legal ply"},
		{"uniform", "allow_moves", `"allow_moves":[{"moves":["c2-c3"],"until_depth":2}]`, "no ply is left"},
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":["@a1"],"until_depth":0}]`, "until_depth is 0"},
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":["@a1"],"until_depth":101}]`, "1..100"},
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":["@a1"],"player":2}]`, "player is 2"},
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":[]}]`, "no moves"},
		{"uniform", "avoid_moves", `"avoid_moves":[{"moves":["@a1"],"untilDepth":1,"depth":3}]`, "is not a list of objects"},
		{"uniform", "avoid_moves", `"avoid_moves":"@a1"`, "is not a list of objects"},
		{"uct:simulations=5", "avoid_moves", `"avoid_moves":[{"moves":["@a1"],"until_depth":2}]`, "itself only"},
		{"alphabeta:nodes=50", "avoid_moves", `"avoid_moves":[{"moves":["@a1"]}]`, "cannot be kept"},
		{"greedy", "allow_moves", `"allow_moves":[{"moves":["@a1"]}]`, "cannot be kept"},
	} {
		r := only(t, serve(t, config(c.agent, "bell-8x7"), `{"id":"q",`+c.query+`}`))
		if r.ID != "q" || r.Field != c.field || !strings.Contains(r.Error, c.want) {
			t.Errorf("%s: %s", c.query, jsonOf(r))
		}
	}
}

// TestLimitsLeaveAWay: where nothing would be left below the position, everything is.
func TestLimitsLeaveAWay(t *testing.T) {
	_, g := envtest.Open(t, "bell-8x7")
	s := g.NewState()
	depth := 3
	l := &limits{notation: Latro, allow: []plyRule{{Moves: []string{"nothing"}, UntilDepth: &depth}}, depth: depth}
	x := &limited{s, l, 0}
	legal := s.Legal(nil)
	if got := x.Legal(nil); !slices.Equal(got, legal) {
		t.Errorf("%d plies of %d", len(got), len(legal))
	}
	l.allow[0].Moves = []string{s.Format(legal[3]), s.Format(legal[1])}
	if got := x.Legal([]engine.Action{7}); !slices.Equal(got, []engine.Action{7, legal[1], legal[3]}) {
		t.Errorf("plies %v", got)
	}
	x.depth = depth
	if got := x.Legal(nil); len(got) != len(legal) {
		t.Errorf("beyond the depth %d plies of %d", len(got), len(legal))
	}
}
