package analysis

import (
	"bufio"
	"fmt"
	"io"
	"latro/env/envtest"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkInFlight measures queries a second with so many queries in flight at any time: positions of random games of
// Bell, a 4x32 network, 64 simulations, no cache. The difference is what batching gains.
func BenchmarkInFlight(b *testing.B) {
	agent := "net:simulations=64,path=" + network(b, "bell-8x7", "4x32")
	_, g := envtest.Open(b, "bell-8x7")
	rng := rand.New(rand.NewPCG(1, 1))
	var queries []string
	for i := range 256 {
		moves, _, s := randomLine(g, 20+i%60, rng)
		if !s.Over() {
			queries = append(queries, fmt.Sprintf(`{"id":"%d","include_legal":false,"max_moves":1,"moves":%s}`+"\n", i, jsonOf(moves)))
		}
	}
	for _, c := range []struct{ threads, flight int }{{1, 1}, {1, 8}, {1, 32}, {2, 1}, {2, 32}} {
		threads, flight := c.threads, c.flight
		b.Run(fmt.Sprintf("threads=%d/flight=%d", threads, flight), func(b *testing.B) {
			cfg := config(agent, "bell-8x7")
			cfg.Threads, cfg.CacheMB = threads, 0
			s, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			end := make(chan error, 1)
			go func() { end <- s.Serve(b.Context(), inR, outW) }()
			out := bufio.NewScanner(outR)
			send := make(chan string, flight)
			go func() {
				for q := range send {
					io.WriteString(inW, q)
				}
				inW.Close()
			}()
			b.ResetTimer()
			sent := 0
			for ; sent < min(flight, b.N); sent++ {
				send <- queries[sent%len(queries)]
			}
			for range b.N {
				if !out.Scan() {
					b.Fatal("no answer")
				}
				if sent < b.N {
					send <- queries[sent%len(queries)]
					sent++
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
			close(send)
			if err := <-end; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkPositionThreads measures the time of one position, 2000 simulations of Bell with a 4x32 network and 16 leaves
// at a time, whose leaves are evaluated by so many goroutines.
func BenchmarkPositionThreads(b *testing.B) {
	agent := "net:simulations=2000,leaves=16,path=" + network(b, "bell-8x7", "4x32")
	for _, threads := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			cfg := config(agent, "bell-8x7")
			cfg.Threads, cfg.PositionThreads, cfg.CacheMB = 1, threads, 0
			query := strings.Repeat(`{"id":"a","include_legal":false,"max_moves":1,"moves":["@c3","@d4"]}`+"\n", b.N)
			s, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			if err := s.Serve(b.Context(), strings.NewReader(query), io.Discard); err != nil {
				b.Fatal(err)
			}
		})
	}
}
