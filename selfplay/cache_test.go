package selfplay

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"latro/mcts"
	"latro/nn"
)

// TestCacheChangesNoByte plays and learns without a cache, with one and with one that forgets all the time.
func TestCacheChangesNoByte(t *testing.T) {
	c := tiny()
	c.Generations = 1
	var want map[string]string
	for _, o := range []Options{{Workers: 1, CacheMB: -1}, {Workers: 2}, {Workers: 1, CacheMB: 1}} {
		dir := filepath.Join(t.TempDir(), "run")
		r, err := Create(dir, c)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Learn(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		got := files(t, dir)
		if want == nil {
			want = got
			continue
		}
		same(t, want, got)
	}
}

// TestRemembering asks about positions of games, twice, with a cache and without.
func TestRemembering(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "run"), tiny())
	if err != nil {
		t.Fatal(err)
	}
	network, err := r.network(Options{})
	if err != nil {
		t.Fatal(err)
	}
	inf, err := nn.Compile(network)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := NewEvaluator(inf, r.Encoder, 4, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := NewEvaluator(inf, r.Encoder, 4, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1 << 20} {
		m := NewCache(size).Over(inner, r.Ruleset.Hash())
		rng := rand.New(rand.NewPCG(1, 2))
		var want, got []mcts.Leaf
		for range 60 {
			s := r.Game.NewState()
			s.Playout(rng, rng.IntN(30))
			if s.Over() {
				continue
			}
			legal := s.Legal(nil)
			want = append(want, mcts.Leaf{State: s, Legal: legal, Logits: make([]float32, len(legal))})
			got = append(got, mcts.Leaf{State: s, Legal: legal, Logits: make([]float32, len(legal))})
		}
		if err := bare.Evaluate(want); err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			for i := range got {
				clear(got[i].Logits)
				got[i].Value = 0
			}
			// In another order and in other batches than before.
			for i := len(got); i > 0; i -= 7 {
				if err := m.Evaluate(got[max(0, i-7):i]); err != nil {
					t.Fatal(err)
				}
			}
			for i := range got {
				if got[i].Value != want[i].Value || !slices.Equal(got[i].Logits, want[i].Logits) {
					t.Fatalf("cache of %d bytes, round %d, position %d: %v %v, want %v %v", size, round, i, got[i].Value, got[i].Logits, want[i].Value, want[i].Logits)
				}
			}
		}
		if size > 0 && m.found < len(got) {
			t.Errorf("%d of %d were found, although all were asked about twice", m.found, m.asked)
		}
	}
}

// TestCacheTellsApart checks that nothing answers for another legal list, ruleset, network or weight.
func TestCacheTellsApart(t *testing.T) {
	c := NewCache(1 << 20)
	owners := map[uint32]bool{}
	for _, o := range []cacheOwner{{"a", "b", 0}, {"a", "b", 0.5}, {"a", "c", 0}, {"b", "b", 0}} {
		n := c.owner(o.network, o.ruleset, o.material)
		if owners[n] {
			t.Errorf("%v has the number of another", o)
		}
		owners[n] = true
		if c.owner(o.network, o.ruleset, o.material) != n {
			t.Errorf("%v has two numbers", o)
		}
	}
	c.keep([]byte("key"), &mcts.Leaf{Logits: []float32{1}, Value: 0.5}, nil)
	for _, key := range []string{"ke", "key1", "kez", ""} {
		if c.find([]byte(key), &mcts.Leaf{Logits: make([]float32, 1)}) {
			t.Errorf("%q was found", key)
		}
	}
	if c.find([]byte("key"), &mcts.Leaf{Logits: make([]float32, 2)}) {
		t.Error("an answer for one ply was given for two")
	}
}

// TestCacheForgets fills small caches from several goroutines: what is found must be what was kept last, and the
// memory must stay within its bound.
func TestCacheForgets(t *testing.T) {
	for _, size := range []int{0, 1 << 18} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := NewCache(size)
			var wg sync.WaitGroup
			for worker := range 3 {
				wg.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(worker), 1))
					var key, scratch []byte
					found := 0
					for range 20_000 {
						id := rng.Uint32N(3000)
						key = binary.LittleEndian.AppendUint32(key[:0], id)
						key = append(key, make([]byte, id%50)...)
						l := mcts.Leaf{Logits: make([]float32, id%20)}
						if c.find(key, &l) {
							found++
							for i, x := range append(l.Logits, l.Value) {
								if want := answerFor(id, i%(len(l.Logits)+1)); math.Float32bits(x) != math.Float32bits(want) {
									t.Errorf("key %d: %v, want %v", id, x, want)
									return
								}
							}
							continue
						}
						for i := range l.Logits {
							l.Logits[i] = answerFor(id, i)
						}
						l.Value = answerFor(id, len(l.Logits))
						scratch = c.keep(key, &l, scratch)
					}
					if found == 0 {
						t.Error("nothing was ever found")
					}
				})
			}
			wg.Wait()
			for i := range c.shards {
				s := &c.shards[i]
				for _, h := range []*cacheHalf{&s.young, &s.old} {
					if h.size() > s.limit {
						t.Errorf("%d bytes in a half for %d", h.size(), s.limit)
					}
					if cap(h.entries) > 2*s.limit || len(h.table)*8 > 2*s.limit {
						t.Errorf("memory of %d and %d bytes for %d", cap(h.entries), 8*len(h.table), s.limit)
					}
				}
			}
		})
	}
}

// answerFor makes up the i-th number of a key's answer, some of which are no ordinary numbers.
func answerFor(id uint32, i int) float32 {
	return math.Float32frombits(id*2654435761 + uint32(i)*40503)
}

// TestRememberingAllocatesNothing holds once the cache is warm.
func TestRememberingAllocatesNothing(t *testing.T) {
	r, err := Create(filepath.Join(t.TempDir(), "run"), tiny())
	if err != nil {
		t.Fatal(err)
	}
	network, err := r.network(Options{})
	if err != nil {
		t.Fatal(err)
	}
	inf, err := nn.Compile(network)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := NewEvaluator(inf, r.Encoder, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := NewCache(0).Over(ev, r.Ruleset.Hash())
	s := r.Game.NewState()
	legal := s.Legal(nil)
	leaves := []mcts.Leaf{{State: s, Legal: legal, Logits: make([]float32, len(legal))}}
	if n := testing.AllocsPerRun(20, func() {
		if err := m.Evaluate(leaves); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
