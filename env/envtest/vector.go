package envtest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env"
	"latro/env/engine"
)

// VectorFactory returns a new VectorEnv of that many games and workers, of the same rules and configuration
// as the Factory it is compared with.
type VectorFactory func(games, workers int) *env.VectorEnv

// CheckVector steps a VectorEnv with random actions and compares every row of every step with an
// environment of its own, over automatic resets, for one worker and for several.
func CheckVector(t *testing.T, factory Factory, vector VectorFactory) {
	t.Run("Serial", func(t *testing.T) { checkVector(t, factory, vector(3, 1), 300) })
	t.Run("Parallel", func(t *testing.T) { checkVector(t, factory, vector(5, 3), 100) })
}

func checkVector(t *testing.T, factory Factory, v *env.VectorEnv, steps int) {
	defer v.Close()
	n := v.Games()
	const seed = 11
	b := v.NewBatch()
	actions := make([]engine.Action, n)
	if err := v.Step(actions, b); !errors.Is(err, env.ErrDone) {
		t.Errorf("Step before Reset: %v, want ErrDone", err)
	}
	if err := v.Reset(seed, b); err != nil {
		t.Fatalf("Reset: %v", err)
	}
	single := make([]env.Environment, n)
	games := make([]uint64, n)
	for i := range single {
		single[i] = factory()
		single[i].Reset(env.GameSeed(seed, i, 0))
	}
	spec := single[0].Spec()
	obs, acts, globs := len(spec.Planes)*spec.Rows*spec.Cols, spec.NumActions, len(spec.Globals)
	mask := make([]bool, acts)
	sameRow := func(step, i int) {
		t.Helper()
		o := single[i].Observe()
		single[i].ActionMask(mask)
		if int(b.Players[i]) != o.Player || !slices.Equal(b.Planes[i*obs:(i+1)*obs], o.Planes) ||
			!slices.Equal(b.Globals[i*globs:(i+1)*globs], o.Globals) {
			t.Fatalf("step %d, row %d: the observation differs from the single environment's", step, i)
		}
		if !slices.Equal(b.Masks[i*acts:(i+1)*acts], mask) {
			t.Fatalf("step %d, row %d: the mask differs from the single environment's", step, i)
		}
	}
	for i := range n {
		sameRow(-1, i)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var legal []engine.Action
	for step := range steps {
		for i := range n {
			legal = single[i].LegalActions(legal[:0])
			actions[i] = legal[rng.IntN(len(legal))]
		}
		if step%50 == 7 { // an illegal action in the last row leaves all rows as they are
			bad := slices.Clone(actions)
			bad[n-1] = engine.NoAction
			if err := v.Step(bad, b); !errors.Is(err, env.ErrIllegalAction) {
				t.Fatalf("step %d: an illegal action: %v, want ErrIllegalAction", step, err)
			}
		}
		if err := v.Step(actions, b); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		for i := range n {
			r, err := single[i].Step(actions[i])
			if err != nil {
				t.Fatalf("step %d, row %d: %v", step, i, err)
			}
			if b.Terminated[i] != r.Terminated || b.Truncated[i] != r.Truncated || b.Infos[i] != r.Info ||
				float64(b.Rewards[2*i]) != r.Reward[0] || float64(b.Rewards[2*i+1]) != r.Reward[1] {
				t.Fatalf("step %d, row %d: the result differs from the single environment's: %+v, %+v", step, i, b.Infos[i], r.Info)
			}
			if r.Terminated || r.Truncated {
				o := r.Observation
				if int(b.FinalPlayers[i]) != o.Player || !slices.Equal(b.FinalPlanes[i*obs:(i+1)*obs], o.Planes) ||
					!slices.Equal(b.FinalGlobals[i*globs:(i+1)*globs], o.Globals) {
					t.Fatalf("step %d, row %d: the final observation differs", step, i)
				}
				games[i]++
				single[i].Reset(env.GameSeed(seed, i, games[i]))
			}
			sameRow(step, i)
		}
	}
	v.Close()
	if err := v.Step(actions, b); !errors.Is(err, env.ErrClosed) {
		t.Errorf("Step after Close: %v, want ErrClosed", err)
	}
}
