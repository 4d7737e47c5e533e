package mcts

import (
	"latro/env/envtest"
	"testing"
)

// benchmarkSearch measures a simulation outside the network: selection, the engine's play, undo and
// legal plies, expansion and backup, with an evaluator that costs nothing. One operation is one simulation.
func benchmarkSearch(b *testing.B, ref string, cfg Config) {
	g := envtest.Game(b, ref)
	const games = 16
	var searches []*Search
	var states []State
	for seed := uint64(0); len(states) < games; seed++ {
		s := g.NewState()
		// Positions from the opening to the middle game.
		s.Playout(stream(seed), 20+5*len(states))
		if len(s.Legal(nil)) > 1 {
			searches, states = append(searches, mustNew(b, cfg)), append(states, s)
		}
	}
	var r Runner
	rng := stream(1)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		for i, s := range searches {
			if err := s.Begin(states[i], rng); err != nil {
				b.Fatal(err)
			}
		}
		if err := r.Run(searches, misleading{2}); err != nil {
			b.Fatal(err)
		}
		for _, s := range searches {
			n += s.Result().Simulations
		}
	}
}

func BenchmarkGumbel64(b *testing.B) { benchmarkSearch(b, "bell-8x7", DefaultGumbel(64)) }
func BenchmarkPUCT64(b *testing.B)   { benchmarkSearch(b, "bell-8x7", DefaultPUCT(64)) }
func BenchmarkPUCT800(b *testing.B)  { benchmarkSearch(b, "bell-8x7", DefaultPUCT(800)) }
func BenchmarkGumbel64Webdux(b *testing.B) {
	benchmarkSearch(b, "webdux", DefaultGumbel(64))
}

// BenchmarkUCT is one playout of the UCT agent, tree included.
func BenchmarkUCT(b *testing.B) {
	s := envtest.Game(b, "bell-8x7").NewState()
	s.Playout(stream(1), 60)
	u, err := NewUCT(DefaultUCT(1000))
	if err != nil {
		b.Fatal(err)
	}
	rng := stream(2)
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; n += 1000 {
		if _, err := u.Choose(s, rng); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkToy is a simulation on a game that costs next to nothing: the search alone.
func BenchmarkToy(b *testing.B) {
	for name, cfg := range variants(64) {
		b.Run(name, func(b *testing.B) {
			s := []*Search{mustNew(b, cfg)}
			st := newToy(toyGame{seed: 1, depth: 60, branch: 60}.withChoice())
			rng := stream(1)
			var r Runner
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += cfg.Simulations {
				if err := s[0].Begin(st, rng); err != nil {
					b.Fatal(err)
				}
				if err := r.Run(s, Uniform{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
