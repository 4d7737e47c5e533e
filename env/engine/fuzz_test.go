package engine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// fuzzGames are rulesets that between them have every part of a position string.
func fuzzGames(f *testing.F) []*Game {
	var games []*Game
	for _, ref := range []string{"locus-ludi-seneca@default", "schadler-2001@ludii", "bell-8x7@default", "luductus@default", "webdux@default", "falkener@ludii",
		"seega-classic-5x5@default", "schadler-1994@situational-superko", "11x16-kharebga@ludii", "kowalski-10x11@line-capture", "luductus@praetorian-leaps-row",
		"bell-8x8@bonus-must-capture", "webdux@literal-sandwich", "locus-ludi-seneca@remove-all"} {
		id, reading, _ := strings.Cut(ref, "@")
		games = append(games, openGame(f, id, reading))
	}
	return games
}

// bounded fails if an error's text grows with the input.
func bounded(t *testing.T, err error) {
	t.Helper()
	if len(err.Error()) > 1000 {
		t.Fatalf("an error of %d bytes: %.200s...", len(err.Error()), err.Error())
	}
}

// FuzzParsePosition holds ParsePosition to: an error that wraps ErrInvalid, or a state that writes itself, reads back alike
// and plays on.
func FuzzParsePosition(f *testing.F) {
	games := fuzzGames(f)
	rng := rand.New(rand.NewPCG(1, 1))
	for i, g := range games {
		s := g.NewState()
		for s.Playout(rng, 37) == 37 && s.Ply() < 120 {
			f.Add(uint8(i), s.Position())
		}
	}
	for _, text := range []string{
		strings.Repeat("7/", 1<<14), strings.Repeat("a", 1<<15), "8/8/8/8/8/8/8/8 0 movement seen=" + strings.Repeat("8/8/8/8/8/8/8/8:0,", 1<<10),
		"8/8/3ab3/8/8/8/8/8 0 movement visited=" + strings.Repeat("a1", 1<<12), "8/8/3ab3/8/8/8/8/8 0 movement ply=99999999999999999999 " + strings.Repeat("x=1 ", 1<<12),
	} {
		f.Add(uint8(0), text)
	}
	f.Add(uint8(0), "")
	f.Add(uint8(0), "8/8/3ab3/8/8/8/8/8 0 movement seen=8/8/3ab3/8/8/8/8/8:0")
	f.Add(uint8(2), "7/7/7/7/7/7/7/a5b 0 movement bonus=a1 inturn=1 ply=1")
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		g := games[int(which)%len(games)]
		s, err := g.ParsePosition(text)
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%q: the error %v is no ErrInvalid", text, err)
			}
			bounded(t, err)
			return
		}
		again, err := g.ParsePosition(s.Position())
		if err != nil {
			t.Fatalf("%q writes %q, which is refused: %v", text, s.Position(), err)
		}
		if again.Position() != s.Position() || again.Hash() != s.Hash() {
			t.Fatalf("%q:\n%s\n%s", text, s.Position(), again.Position())
		}
		if s.Over() != (len(s.Legal(nil)) == 0) {
			t.Fatalf("%q: over %v with plies %v", text, s.Over(), s.Legal(nil))
		}
		var v, w View
		s.View(&v)
		if err := g.DecodeView(v.AppendBinary(nil), &w); err != nil || v != w {
			t.Fatalf("%q: view: %v", text, err)
		}
		before := s.Position()
		n := s.Playout(rand.New(rand.NewPCG(7, 7)), 40)
		if got := s.core.fullKey(); got != s.core.scal().key {
			t.Fatalf("%q: after %d plies the key is wrong", text, n)
		}
		for range n {
			s.Undo()
		}
		if s.Position() != before {
			t.Fatalf("%q: undone:\n%s\n%s", text, before, s.Position())
		}
	})
}

// FuzzParsePly holds State.Parse to: an error of one of the two kinds, or a legal action that is written so.
func FuzzParsePly(f *testing.F) {
	games := fuzzGames(f)
	var states []*State
	rng := rand.New(rand.NewPCG(2, 2))
	for i, g := range games {
		s := g.NewState()
		s.Playout(rng, 50)
		states = append(states, s)
		for k, a := range s.Legal(nil) {
			if k%9 == 0 {
				f.Add(uint8(i), s.Format(a))
			}
		}
	}
	f.Add(uint8(0), "@@z99")
	f.Add(uint8(3), strings.Repeat("c2-", 1<<14))
	f.Add(uint8(5), "c2^"+strings.Repeat("9", 1<<14))
	f.Add(uint8(1), "+")
	f.Add(uint8(1), "a1-")
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		s := states[int(which)%len(states)]
		a, err := s.Parse(text)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrIllegal) {
				t.Fatalf("%q: %v", text, err)
			}
			bounded(t, err)
			return
		}
		if !s.IsLegal(a) || s.Format(a) != text {
			t.Fatalf("%q is read as %s", text, s.Format(a))
		}
	})
}

// FuzzDecode holds Game.Decode and State.TryPlay to any number.
func FuzzDecode(f *testing.F) {
	games := fuzzGames(f)
	for i := range games {
		f.Add(uint8(i), uint16(0), uint64(1))
		f.Add(uint8(i), uint16(games[i].pass), uint64(40))
		f.Add(uint8(i), uint16(NoAction), uint64(90))
	}
	f.Fuzz(func(t *testing.T, which uint8, a uint16, plies uint64) {
		g := games[int(which)%len(games)]
		s := g.NewState()
		s.Playout(rand.New(rand.NewPCG(plies, 1)), int(plies%150))
		ply, err := g.Decode(Action(a))
		if err == nil {
			for _, sq := range []int{ply.From, ply.To} {
				if sq < -1 || sq >= g.squares {
					t.Fatalf("action %d is %+v", a, ply)
				}
			}
		} else if !errors.Is(err, ErrInvalid) || s.IsLegal(Action(a)) {
			t.Fatalf("action %d: %v", a, err)
		}
		if err == nil && ply.Kind == Move { // the way back from the squares to the number
			if pl := g.planeTo(ply.From, ply.To); pl*g.squares+ply.From != int(a) {
				t.Fatalf("action %d from %d to %d: the numbers lead to action %d", a, ply.From, ply.To, pl*g.squares+ply.From)
			}
		}
		before := s.Position()
		if s.IsLegal(Action(a)) {
			if again, err := s.Parse(s.Format(Action(a))); err != nil || again != Action(a) {
				t.Fatalf("action %d is written %s and read as %d, %v", a, s.Format(Action(a)), again, err)
			}
		}
		if err := s.TryPlay(Action(a)); err != nil {
			bounded(t, err)
			if !errors.Is(err, ErrIllegal) || s.Position() != before {
				t.Fatalf("action %d: %v\n%s\n%s", a, err, before, s.Position())
			}
		}
	})
}

// FuzzDecodeView holds Game.DecodeView to any bytes.
func FuzzDecodeView(f *testing.F) {
	games := fuzzGames(f)
	rng := rand.New(rand.NewPCG(3, 3))
	var v View
	for i, g := range games {
		s := g.NewState()
		s.Playout(rng, 60)
		s.View(&v)
		f.Add(uint8(i), v.AppendBinary(nil))
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		var v, w View
		g := games[int(which)%len(games)]
		if err := g.DecodeView(b, &v); err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if err := g.DecodeView(v.AppendBinary(nil), &w); err != nil || v != w {
			t.Fatalf("%v\n%+v\n%+v", err, v, w)
		}
	})
}
