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
	for _, ref := range []string{"locus-ludi-seneca@default", "schadler-2001@ludii", "bell-8x7@default", "luductus@default", "webdux@default", "falkener@ludii"} {
		id, reading, _ := strings.Cut(ref, "@")
		games = append(games, openGame(f, id, reading))
	}
	return games
}

// FuzzParsePosition holds ParsePosition to: an error that wraps ErrInvalid, or a state that writes itself, reads back alike
// and plays on.
func FuzzParsePosition(f *testing.F) {
	games := fuzzGames(f)
	rng := rand.New(rand.NewPCG(1, 1))
	for i, g := range games {
		s := g.NewState()
		for s.Playout(rng, 17) == 17 && s.Ply() < 120 {
			f.Add(uint8(i), s.Position())
		}
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
		for _, a := range s.Legal(nil) {
			f.Add(uint8(i), s.Format(a))
		}
	}
	f.Add(uint8(0), "@@z99")
	f.Add(uint8(1), "+")
	f.Add(uint8(1), "a1-")
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		s := states[int(which)%len(states)]
		a, err := s.Parse(text)
		if err != nil {
			if !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrIllegal) {
				t.Fatalf("%q: %v", text, err)
			}
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
		before := s.Position()
		if err := s.TryPlay(Action(a)); err != nil {
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
