package mcts

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
)

func agentOf(t *testing.T, text string, g *engine.Game) Agent {
	t.Helper()
	s, err := ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAgent(s, g)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestRestricted: an agent with avoid makes no ply that uses the rule while it has another, its unrestricted opponent does
// use it, and both happen.
func TestRestricted(t *testing.T) {
	for _, x := range []struct {
		ref, avoid string
		agents     []string
	}{
		{"schadler-1994", "hop", []string{"random", "greedy", "uct:simulations=6"}},
		{"locus-ludi-seneca", "binding", []string{"random", "greedy"}},
		{"bell-8x7", "leader", []string{"random", "uct:simulations=6"}},
		{"bell-8x7", "hop", []string{"random"}},
		{"bell-8x8", "bonus", []string{"random", "greedy"}},
		{"luductus", "row", []string{"greedy"}},
		{"schadler-1994", "binding+hop", []string{"random"}},
	} {
		g := envtest.Game(t, x.ref)
		ask, err := ParseSpecial(x.avoid)
		if err != nil {
			t.Fatal(err)
		}
		if ask&^SpecialRules(g) != 0 {
			t.Errorf("%s is said to have %s only", x.ref, SpecialRules(g))
		}
		for _, text := range x.agents {
			sep := ":"
			if strings.Contains(text, ":") {
				sep = ","
			}
			with := agentOf(t, text+sep+"avoid="+x.avoid, g)
			without := agentOf(t, text, g)
			passed, used := 0, 0
			for seed := range uint64(3) {
				s := g.NewState()
				rng := rand.New(rand.NewPCG(seed, 3))
				for s.Ply() < 120 && !s.Over() {
					before, player := s.Position(), s.ToMove()
					legal := s.Legal(nil)
					some, all := 0, true
					for _, a := range legal {
						if SpecialOf(s, a, ask) != 0 {
							some++
						} else {
							all = false
						}
					}
					agent := with
					if player == 1 {
						agent = without
					}
					d, err := agent.Choose(s, rng)
					if err != nil {
						t.Fatal(err)
					}
					if s.Position() != before || !slices.Contains(legal, d.Action) {
						t.Fatalf("%s in %s: the state changed, or %d is not legal", with.Name(), x.ref, d.Action)
					}
					uses := SpecialOf(s, d.Action, ask) != 0
					switch {
					case player == 0 && uses && !all:
						t.Fatalf("%s played %s in %s, though it had plies without %s", with.Name(), s.Format(d.Action), before, x.avoid)
					case player == 0 && some > 0 && !all:
						passed++
					case player == 1 && uses:
						used++
					}
					s.Play(d.Action)
				}
			}
			if passed == 0 || used == 0 {
				t.Errorf("%s in %s: passed the rule over %d times, its opponent used it %d times: nothing was shown", with.Name(), x.ref, passed, used)
			}
		}
	}
}

// TestRestrictedTree: within a search the plies of the restricted player alone are left out, and his only plies stay.
func TestRestrictedTree(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	s, err := g.ParsePosition("7/7/7/3A3/7/2a4/7/B5b 0 movement")
	if err != nil {
		t.Fatal(err)
	}
	legal := s.Legal(nil)
	count := func(r *restriction) (leader, all int) {
		left := r.filter(s, slices.Clone(legal))
		for _, a := range left {
			if s.At(s.PlyOf(a).From).IsLeader() {
				leader++
			}
		}
		return leader, len(left)
	}
	// The leader on d5 and the man on c3 have four steps each.
	if l, n := count(nil); l != 4 || n != 8 {
		t.Fatalf("without a restriction %d of %d plies are the leader's, want 4 of 8", l, n)
	}
	if l, n := count(&restriction{SpecialLeader, 0}); l != 0 || n != 4 {
		t.Errorf("the restricted player has %d plies of the leader among %d, want 0 of 4", l, n)
	}
	if l, n := count(&restriction{SpecialLeader, 1}); l != 4 || n != 8 {
		t.Errorf("the opponent of the restricted player has %d plies of the leader among %d, want 4 of 8", l, n)
	}
	if s, err = g.ParsePosition("7/7/7/3A3/7/7/7/B5b 0 movement"); err != nil {
		t.Fatal(err)
	}
	legal = s.Legal(nil)
	if l, n := count(&restriction{SpecialLeader, 0}); l != n || n == 0 {
		t.Errorf("a player with the leader alone has %d plies left, %d of the leader", n, l)
	}
}

// TestRestrictedSpec: names, and what is refused.
func TestRestrictedSpec(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	for _, x := range []struct{ text, name string }{
		{"uct:simulations=50,avoid=leader+hop", "uct:avoid=hop+leader,simulations=50"},
		{"random:avoid=row", "random:avoid=row"},
	} {
		if a := agentOf(t, x.text, g); a.Name() != x.name || !Reproducible(a) {
			t.Errorf("%s is named %s, reproducible %v", x.text, a.Name(), Reproducible(a))
		}
	}
	if Reproducible(agentOf(t, "uct:seconds=0.01,avoid=hop", g)) {
		t.Error("an agent on a clock is called reproducible")
	}
	for text, words := range map[string][]string{
		"uct:simulations=5,avoid=jump":     {"jump", "binding, bonus, hop, leader, row"},
		"uct:simulations=5,avoid=hop+hop":  {"twice"},
		"alphabeta:nodes=100,avoid=hop":    {"alphabeta cannot avoid", "random, greedy and uct"},
		"uct:sims=5,avoid=hop":             {"sims is no option", "avoid"},
		"random:avoid=hop+":                {`"" is no special rule`},
		"greedy:avoid=hop,simulations=100": {"simulations is no option of greedy"},
	} {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewAgent(s, g)
		if !errors.Is(err, ErrSpec) {
			t.Errorf("%s: error %v", text, err)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not in %v", text, w, err)
			}
		}
	}
}

// TestRowTaken: two men side by side in one line from the captor are a row; one on each side of it, or two lines, are not.
func TestRowTaken(t *testing.T) {
	g := envtest.Game(t, "luductus", "board.rows=8", "board.cols=8")
	at := func(names ...string) (out []uint16) {
		for _, n := range names {
			out = append(out, uint16(n[0]-'a')+uint16(n[1]-'1')*8)
		}
		return out
	}
	for _, x := range []struct {
		captured []uint16
		row      bool
	}{
		{at("d4", "e4"), true},
		{at("b4", "d4"), false},
		{at("c5", "d4"), false},
		{at("d5", "e6"), true},
		{at("c5", "c7"), true},
		{at("d4", "c5", "c6"), true},
		{at("d4"), false},
	} {
		if got := rowTaken(g, int(at("c4")[0]), x.captured); got != x.row {
			t.Errorf("%v from c4: %v, want %v", x.captured, got, x.row)
		}
	}
}
