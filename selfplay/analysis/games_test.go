package analysis

import (
	"context"
	"strings"
	"testing"
)

// visitsKept is the number of simulations in the tree that is kept of a game, 0 without one.
func visitsKept(s *Server, name string) (visits int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.games.all {
		if g.name == name {
			for _, v := range g.search.Result().Visits {
				visits += int(v)
			}
		}
	}
	return visits
}

// TestGameKeepsTree: a game that is named keeps its tree from ply to ply, and another line of plies does not get it.
func TestGameKeepsTree(t *testing.T) {
	for _, agent := range []string{"uniform:simulations=200", "net:search=puct,simulations=200,leaves=2,path=" + network(t, "bell-8x7", "1x8")} {
		cfg := config(agent, "bell-8x7")
		cfg.Mode = Play
		s, c := dialServer(t, context.Background(), cfg)
		ask := func(query string) reply {
			c.send(query)
			r := c.receive()
			if r.Error != "" {
				t.Fatalf("%s: %s", query, r.Error)
			}
			return r
		}
		one := ask(`{"game":"g","moves":[]}`)
		if n := visitsKept(s, "g"); n != 200 || one.Simulations != 200 {
			t.Errorf("%s: %d visits and %d simulations after the first ply", agent, n, one.Simulations)
		}
		// The ply that was chosen is the one that was visited most, so its tree has something to keep.
		line := `["` + one.Move + `"`
		two := ask(`{"game":"g","moves":` + line + `]}`)
		if n := visitsKept(s, "g"); n <= 200 || two.Simulations != 200 {
			t.Errorf("%s: %d visits after the second ply", agent, n)
		}
		if ask(`{"moves":` + line + `]}`); visitsKept(s, "") != 0 {
			t.Errorf("%s: a game without a name is kept", agent)
		}
		// Back to the start: a tree of another position is of no use.
		fresh := ask(`{"game":"g","moves":[]}`)
		if n := visitsKept(s, "g"); n != 200 || fresh.Move != one.Move {
			t.Errorf("%s: %d visits after going back, %s instead of %s", agent, n, fresh.Move, one.Move)
		}
		// Plies that are avoided make a tree that the next question must not have.
		ask(`{"game":"g","moves":[],"avoid_moves":[{"moves":["` + one.Move + `"]}]}`)
		if again := ask(`{"game":"g","moves":[]}`); again.Move != one.Move {
			t.Errorf("%s: %s instead of %s after a question that avoided it", agent, again.Move, one.Move)
		}
		// Many games: the first ones are forgotten.
		for i := range maxGames {
			ask(`{"game":"` + strings.Repeat("x", i+1) + `","simulations":1}`)
		}
		if len(s.games.all) != maxGames || visitsKept(s, "g") != 0 {
			t.Errorf("%s: %d games are kept", agent, len(s.games.all))
		}
		c.in.Close()
		if err := <-c.end; err != nil {
			t.Error(err)
		}
	}
	for _, agent := range []string{"uniform:search=gumbel,simulations=20", "uniform:reuse=false,simulations=20", "uct:simulations=20", "greedy"} {
		cfg := config(agent, "bell-8x7")
		cfg.Mode = Play
		s, c := dialServer(t, context.Background(), cfg)
		c.send(`{"game":"g"}`)
		if r := c.receive(); r.Error != "" || len(s.games.all) != 0 {
			t.Errorf("%s keeps a tree: %s", agent, jsonOf(r))
		}
		c.in.Close()
		<-c.end
	}
	if r := only(t, serve(t, config("uniform", "bell-8x7"), `{"id":"a","game":"g"}`)); r.Field != "game" {
		t.Errorf("a game in mode analyse: %s", jsonOf(r))
	}
}

// TestPositionThreads: sharing the leaves of a position out changes no answer.
func TestPositionThreads(t *testing.T) {
	net := network(t, "bell-8x7", "2x16")
	input := `{"id":"a","moves":["@c3"],"simulations":300,"include_policy":true}` + "\n" + `{"id":"b","simulations":100}`
	cfg := config("net:leaves=16,path="+net, "bell-8x7")
	cfg.Threads = 1
	cfg.CacheMB = 0
	want := serve(t, cfg, input)
	for _, n := range []int{2, 5} {
		cfg.PositionThreads = n
		if got := serve(t, cfg, input); got != want {
			t.Errorf("%d threads answer\n%s, one\n%s", n, got, want)
		}
	}
}

// TestBudgets: every agent takes the budgets that it has, from the query or its own.
func TestBudgets(t *testing.T) {
	net := "net:path=" + network(t, "bell-8x7", "1x8")
	for _, c := range []struct{ agent, query, stopped, field string }{
		{"alphabeta:nodes=300", ``, "agent", ""},
		{"alphabeta:nodes=300", `,"nodes":200`, "nodes", ""},
		{"alphabeta:depth=9", `,"nodes":200,"seconds":60`, "agent", ""},
		{"alphabeta:nodes=1000000000", `,"seconds":0.02`, "seconds", ""},
		{"alphabeta:seconds=0.02", ``, "agent", ""},
		{"alphabeta:nodes=300", `,"simulations":5`, "", "simulations"},
		{"uct:simulations=20", `,"simulations":10`, "simulations", ""},
		{"uct:seconds=0.02", ``, "seconds", ""},
		{"uct:seconds=600", `,"simulations":10`, "simulations", ""},
		{"uct:simulations=20", `,"nodes":5`, "", "nodes"},
		{net + ",seconds=0.02", ``, "seconds", ""},
		{net + ",seconds=600", `,"simulations":10`, "simulations", ""},
		{net + ",seconds=600,clock=wall", `,"seconds":0.01`, "seconds", ""},
		{net, `,"nodes":5`, "", "nodes"},
		{"greedy", `,"nodes":5`, "", "nodes"},
	} {
		for _, mode := range []Mode{Analyse, Play} {
			cfg := config(c.agent, "bell-8x7")
			cfg.Mode = mode
			r := only(t, serve(t, cfg, `{"id":"a","moves":["@c3","@d4"]`+c.query+`}`))
			if r.Stopped != c.stopped || r.Field != c.field || (r.Move == "") != (c.field != "") || c.field == "" && c.stopped != "seconds" && r.Visits+r.Simulations == 0 {
				t.Errorf("%s %s in mode %s: %s", c.agent, c.query, mode, jsonOf(r))
			}
			if c.query == `,"nodes":200` && mode == Play && r.Simulations != 200 {
				t.Errorf("%d nodes instead of 200", r.Simulations)
			}
		}
	}
}
