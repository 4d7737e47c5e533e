package env_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env"
	"latro/env/engine"
)

func newVector(t testing.TB, ref string, cfg env.VectorConfig) *env.VectorEnv {
	t.Helper()
	v, err := env.NewVector(env.Compile(t, ref), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	return v
}

// pickFrom chooses a random action of each row's mask.
func pickFrom(b *env.Batch, actions []engine.Action, rng *rand.Rand) {
	n := len(b.Masks) / len(actions)
	for i := range actions {
		row := b.Masks[i*n : (i+1)*n]
		for a := rng.IntN(n); ; a = (a + 1) % n {
			if row[a] {
				actions[i] = engine.Action(a)
				break
			}
		}
	}
}

// TestVectorDoesNotDependOnWorkers: any number of workers gives the same bytes.
func TestVectorDoesNotDependOnWorkers(t *testing.T) {
	var want *env.Batch
	for _, workers := range []int{1, 2, 7} {
		cfg := env.DefaultVectorConfig(33)
		cfg.MaxPlies, cfg.OpeningPlies, cfg.Workers, cfg.Chunk = 120, 5, workers, 4
		v := newVector(t, "bell-8x7", cfg)
		b := v.NewBatch()
		if err := v.Reset(4, b); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(8, 8))
		actions := make([]engine.Action, v.Games())
		for range 300 {
			pickFrom(b, actions, rng)
			if err := v.Step(actions, b); err != nil {
				t.Fatal(err)
			}
		}
		if want == nil {
			want = b
			continue
		}
		if !slices.Equal(b.Planes, want.Planes) || !slices.Equal(b.Globals, want.Globals) || !slices.Equal(b.Masks, want.Masks) ||
			!slices.Equal(b.Infos, want.Infos) || !slices.Equal(b.FinalPlanes, want.FinalPlanes) {
			t.Errorf("%d workers give other games than one", workers)
		}
	}
}

func TestVectorDoesNotAllocate(t *testing.T) {
	for _, workers := range []int{1, 2} {
		cfg := env.DefaultVectorConfig(8)
		cfg.MaxPlies, cfg.Workers, cfg.Chunk = 150, workers, 4
		v := newVector(t, "bell-8x7", cfg)
		b := v.NewBatch()
		if err := v.Reset(1, b); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		actions := make([]engine.Action, v.Games())
		step := func() {
			pickFrom(b, actions, rng)
			if err := v.Step(actions, b); err != nil {
				t.Fatal(err)
			}
		}
		for range 400 {
			step()
		}
		if n := testing.AllocsPerRun(400, step); n != 0 {
			t.Errorf("%d workers: %v allocations a step of 8 games", workers, n)
		}
	}
}

func TestVectorRefusesWrongBuffers(t *testing.T) {
	v := newVector(t, "webdux", env.DefaultVectorConfig(2))
	b := v.NewBatch()
	b.Masks = b.Masks[1:]
	if err := v.Reset(1, b); !errors.Is(err, env.ErrConfig) {
		t.Errorf("a mask that is too short: %v, want ErrConfig", err)
	}
	b = v.NewBatch()
	b.FinalPlanes, b.FinalGlobals, b.FinalPlayers = nil, nil, nil
	if err := v.Reset(1, b); err != nil {
		t.Errorf("a batch without final observations: %v", err)
	}
	if err := v.Step(make([]engine.Action, 3), b); !errors.Is(err, env.ErrConfig) {
		t.Errorf("3 actions for 2 games: %v, want ErrConfig", err)
	}
}

// TestGameSeeds: rows and games get seeds of their own.
func TestGameSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(10) {
		for row := range 50 {
			for game := range uint64(50) {
				seen[env.GameSeed(seed, row, game)] = true
			}
		}
	}
	if len(seen) != 10*50*50 {
		t.Errorf("%d seeds of %d are distinct", len(seen), 10*50*50)
	}
}

func BenchmarkVectorStep(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(map[int]string{1: "serial", 2: "two-workers"}[workers], func(b *testing.B) {
			cfg := env.DefaultVectorConfig(64)
			cfg.Workers = workers
			v := newVector(b, "bell-8x7", cfg)
			batch := v.NewBatch()
			if err := v.Reset(1, batch); err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			actions := make([]engine.Action, v.Games())
			b.ReportAllocs()
			for b.Loop() {
				pickFrom(batch, actions, rng)
				if err := v.Step(actions, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*64), "ns/ply")
		})
	}
}
