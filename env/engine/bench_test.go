package engine

import (
	"math/rand/v2"
	"strings"
	"testing"

	"latro/env/rules"
)

// benchmarked are the rulesets with a recorded speed of another engine, in the reading that it plays.
func benchmarked() []string {
	var refs []string
	for _, id := range rules.Catalogue() {
		rs, err := rules.Open(id)
		if err != nil {
			continue
		}
		ref := id
		for _, r := range rs.Readings {
			if r.Name == "ludii" {
				ref = id + "@ludii"
			}
		}
		refs = append(refs, ref)
	}
	return refs
}

// BenchmarkPlayout plays whole uniformly random games, with the turn cap of the reading or a limit of 2,500 plies.
func BenchmarkPlayout(b *testing.B) {
	for _, ref := range benchmarked() {
		b.Run(ref, func(b *testing.B) {
			id, reading, _ := strings.Cut(ref, "@")
			if reading == "" {
				reading = "default"
			}
			s := openGame(b, id, reading).NewState()
			rng := rand.New(rand.NewPCG(1, 1))
			plies := 0
			for b.Loop() {
				s.Reset()
				plies += s.Playout(rng, 10_000)
			}
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
		})
	}
}

// running is a state in the movement phase of a random game that goes on.
func running(tb testing.TB, ref string) *State {
	id, reading, _ := strings.Cut(ref, "@")
	s := openGame(tb, id, reading).NewState()
	for seed := uint64(1); ; seed++ {
		s.Reset()
		s.Playout(rand.New(rand.NewPCG(seed, 1)), 52)
		if !s.Over() && len(s.Legal(nil)) > 1 {
			return s
		}
	}
}

// BenchmarkLegalPlayUndo plays, lists and takes back, as a search does.
func BenchmarkLegalPlayUndo(b *testing.B) {
	for _, ref := range []string{"bell-8x7@default", "luductus@default", "locus-ludi-seneca@default", "locus-ludi-seneca@ludii", "webdux@default"} {
		b.Run(ref, func(b *testing.B) {
			s := running(b, ref)
			plies := s.Legal(nil)
			buf := make([]Action, 0, s.game.NumActions())
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				s.Play(plies[i%len(plies)])
				buf = s.Legal(buf[:0])
				s.Undo()
				i++
			}
		})
	}
}

// BenchmarkView takes a view and its bytes.
func BenchmarkView(b *testing.B) {
	for _, ref := range []string{"bell-8x7@default", "luductus@default", "locus-ludi-seneca@ludii"} {
		b.Run(ref, func(b *testing.B) {
			s := running(b, ref)
			var v View
			buf := make([]byte, 0, 512)
			b.ReportAllocs()
			for b.Loop() {
				s.View(&v)
				buf = v.AppendBinary(buf[:0])
			}
		})
	}
}

// BenchmarkParts times the parts of a playout's ply that no way of playing can do without, on the one-word board of
// 6x6-seega in the middle of a game: a random number, a draw of a piece and a place (as many tries as it takes), the test of
// what the arrival captures, and the look into the memory of positions. Their sum is a bound from above on what the ply costs
// at least: the processor overlaps them.
func BenchmarkParts(b *testing.B) {
	s := openGame(b, "6x6-seega", "ludii").NewState()
	rng := rand.New(rand.NewPCG(1, 1))
	for s.Reset(); s.Ply() < 150; s.Reset() {
		s.Playout(rng, 150)
		if !s.Over() && s.Ply() == 150 {
			break
		}
	}
	c := s.core.(*coreW1)
	c.settle()
	c.walker.src.seed(rng)
	c.walker.seen.clear()
	c.walkList()
	p, t, w := &c.pos, c.t, &c.walker
	me := int(p.mover)
	occupied, foes := c.occupied(), p.men[me^1].or(p.lead[me^1])
	sink := uint64(0)
	b.Run("random", func(b *testing.B) {
		for b.Loop() {
			sink += w.src.next()
		}
	})
	b.Run("draw", func(b *testing.B) {
		for b.Loop() {
			k, _ := t.walks.draw(&w.src, &w.men[me], uint64(p.cntMen[me]), occupied)
			sink += k
		}
	})
	b.Run("capture", func(b *testing.B) {
		to := 0
		for b.Loop() {
			if to++; to == c.g.squares {
				to = 0
			}
			if near := t.adjacent[to].and(foes); near.any() {
				sink += uint64(c.taken(to, me^1, false, p.men[me], p.lead[me], near).count())
			}
		}
	})
	b.Run("repetition", func(b *testing.B) {
		key := uint64(1)
		for n := 0; b.Loop(); n++ {
			if n&127 == 0 {
				w.seen.clear()
			}
			key = key*lehmer + 1
			slot := w.seen.find(key>>32, me, p.men[me], foes, bitsW1{key}, 0)
			if !w.seen.holds(slot) {
				w.seen.enter(slot, key>>32, me, p.men[me], foes, bitsW1{key}, 0)
			}
		}
	})
	if sink == 1 {
		b.Log("a number that comes once in a while")
	}
}
