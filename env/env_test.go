package env_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/env"
	"latro/env/engine"
	"latro/env/envtest"
)

func newEnv(t testing.TB, g *engine.Game, cfg env.Config) *env.Env {
	t.Helper()
	e, err := env.NewWithEncoder(env.SharedEncoder(g), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestConformance runs every catalogue entry, in every reading, through the conformance suite, in both frames
// and with and without a random opening.
func TestConformance(t *testing.T) {
	for i, ref := range env.EveryRef(t) {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			g := env.Compile(t, ref)
			cfg := env.DefaultConfig()
			cfg.MaxPlies = 260
			if i%2 == 1 {
				cfg.Frame = env.FrameMover
			}
			cfg.OpeningPlies = i % 3 * 20
			factory := func() env.Environment { return newEnv(t, g, cfg) }
			opts := envtest.DefaultOptions()
			opts.Games, opts.Probes = 2, 2
			envtest.CheckWith(t, factory, opts)
			envtest.CheckVector(t, factory, func(games, workers int) *env.VectorEnv {
				vc := env.DefaultVectorConfig(games)
				vc.Config, vc.Workers, vc.Chunk = cfg, workers, 2
				v, err := env.NewVector(g, vc)
				if err != nil {
					t.Fatal(err)
				}
				return v
			})
		})
	}
}

// TestRewardsFollowTheOutcome plays until games have been won by the player of the last ply and by the other
// one, and lost, and checks the rewards of each: the ply that ends a game need not be the winner's.
func TestRewardsFollowTheOutcome(t *testing.T) {
	g := env.Compile(t, "bell-8x7")
	e := newEnv(t, g, env.DefaultConfig())
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[engine.Outcome]int{}
	for seed := range uint64(60) {
		e.Reset(seed)
		for !e.Done() {
			legal := e.LegalActions(nil)
			r, err := e.Step(legal[rng.IntN(len(legal))])
			if err != nil {
				t.Fatal(err)
			}
			if !r.Terminated {
				continue
			}
			seen[r.Info.Outcome]++
			v0, proven := e.State().Value()
			if !proven || r.Reward != [2]float64{v0, -v0} || e.Returns() != r.Reward {
				t.Errorf("outcome %s: rewards %v, returns %v, value %v", r.Info.Outcome, r.Reward, e.Returns(), v0)
			}
		}
	}
	if seen[engine.Win0] == 0 || seen[engine.Win1] == 0 {
		t.Errorf("60 random games gave the outcomes %v; wins of both players are needed to test their rewards", seen)
	}
}

func TestTruncation(t *testing.T) {
	g := env.Compile(t, "webdux")
	play := func(cfg env.Config) env.StepResult {
		t.Helper()
		e := newEnv(t, g, cfg)
		e.Reset(0)
		for {
			// The first legal action shuffles pieces without end.
			r, err := e.Step(e.LegalActions(nil)[0])
			if err != nil {
				t.Fatal(err)
			}
			if r.Terminated || r.Truncated {
				return r
			}
		}
	}
	if r := play(env.Config{MaxPlies: 9, Frame: env.FrameAbsolute}); !r.Truncated || r.Info.Ply != 9 || r.Info.Outcome != engine.Ongoing {
		t.Errorf("MaxPlies 9: truncated %v after %d plies with outcome %s", r.Truncated, r.Info.Ply, r.Info.Outcome)
	}
	// webdux has one ply a turn, so after 7 whole turns 7 plies have been made and turn 8 would begin.
	if r := play(env.Config{MaxTurns: 7, Frame: env.FrameAbsolute}); !r.Truncated || r.Info.Ply != 7 || r.Info.Turn != 8 {
		t.Errorf("MaxTurns 7: truncated %v after %d plies in turn %d", r.Truncated, r.Info.Ply, r.Info.Turn)
	}
}

// TestEngineCapTruncates: the turn limit that a ruleset has of its own stops a game without result.
func TestEngineCapTruncates(t *testing.T) {
	g := env.Compile(t, "webdux", "end.turn_limit=6")
	e := newEnv(t, g, env.Config{Frame: env.FrameAbsolute})
	e.Reset(0)
	for !e.Done() {
		r, err := e.Step(e.LegalActions(nil)[0])
		if err != nil {
			t.Fatal(err)
		}
		if e.Done() && (!r.Truncated || r.Terminated || r.Info.Outcome != engine.Capped || r.Reward != [2]float64{}) {
			t.Errorf("a game stopped by end.turn_limit: %+v", r)
		}
	}
}

// TestOpening: the seed decides the opening and nothing else, and openings leave the game open.
func TestOpening(t *testing.T) {
	g := env.Compile(t, "bell-8x7")
	cfg := env.DefaultConfig()
	cfg.OpeningPlies = 12
	e := newEnv(t, g, cfg)
	positions := map[string]bool{}
	for seed := range uint64(20) {
		_, info := e.Reset(seed)
		if info.Ply != 12 || info.Opening != 12 || e.Done() {
			t.Fatalf("seed %d: %d plies, opening %d, done %v", seed, info.Ply, info.Opening, e.Done())
		}
		positions[e.State().Position()] = true
	}
	if len(positions) != 20 {
		t.Errorf("20 seeds gave %d openings", len(positions))
	}
	// An opening longer than the game stops one ply before its end, not at it.
	cfg.OpeningPlies, cfg.MaxPlies = 5000, 0
	e = newEnv(t, g, cfg)
	_, info := e.Reset(1)
	if info.Opening >= 5000 || info.Outcome != engine.Ongoing {
		t.Errorf("an opening of 5000 plies: %d made, outcome %s", info.Opening, info.Outcome)
	}
}

func TestResetTo(t *testing.T) {
	g := env.Compile(t, "bell-8x7")
	src := newEnv(t, g, env.DefaultConfig())
	src.Reset(0)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		legal := src.LegalActions(nil)
		if _, err := src.Step(legal[rng.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	e := newEnv(t, g, env.DefaultConfig())
	obs, info, err := e.ResetTo(src.State())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(obs.Planes, src.Observe().Planes) || !slices.Equal(e.LegalActions(nil), src.LegalActions(nil)) || info.Ply != 50 {
		t.Error("ResetTo gives another position")
	}
	for range 10 {
		legal := e.LegalActions(nil)
		if _, err := e.Step(legal[rng.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	data, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	r := newEnv(t, g, env.DefaultConfig())
	if err := r.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	if r.State().Position() != e.State().Position() || r.Info() != e.Info() {
		t.Errorf("restored after ResetTo: %s %+v, want %s %+v", r.State().Position(), r.Info(), e.State().Position(), e.Info())
	}
	again, err := r.MarshalBinary()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("saving the restored environment gives other bytes (error %v)", err)
	}
	for !src.Done() {
		legal := src.LegalActions(nil)
		if _, err := src.Step(legal[rng.IntN(len(legal))]); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := e.ResetTo(src.State()); !errors.Is(err, env.ErrDone) {
		t.Errorf("ResetTo a position that is over: %v, want ErrDone", err)
	}
	if _, _, err := e.ResetTo(env.CompileAnew(t, "bell-8x7").NewState()); !errors.Is(err, env.ErrConfig) {
		t.Errorf("ResetTo a state of another compiled game: %v, want ErrConfig", err)
	}
}

func TestUnmarshalRefusesOtherRules(t *testing.T) {
	e := newEnv(t, env.Compile(t, "bell-8x7"), env.DefaultConfig())
	e.Reset(0)
	data, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := newEnv(t, env.Compile(t, "bell-8x7", "capture.corner=neutral"), env.DefaultConfig())
	if err := other.UnmarshalBinary(data); !errors.Is(err, env.ErrBinary) || !strings.Contains(err.Error(), "other rules") {
		t.Errorf("restoring a game of other rules: %v", err)
	}
	// The same rules compiled again are the same rules.
	if err := newEnv(t, env.CompileAnew(t, "bell-8x7"), env.DefaultConfig()).UnmarshalBinary(data); err != nil {
		t.Errorf("restoring in an environment of the same rules: %v", err)
	}
}

// FuzzUnmarshal: bytes from strangers give an error or a working environment.
func FuzzUnmarshal(f *testing.F) {
	g := env.Compile(f, "bell-8x7")
	e := newEnv(f, g, env.DefaultConfig())
	for seed := range uint64(3) {
		e.Reset(seed)
		for range 40 * seed {
			if _, err := e.Step(e.LegalActions(nil)[0]); err != nil {
				f.Fatal(err)
			}
		}
		data, err := e.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[5 : len(data)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := newEnv(t, g, env.DefaultConfig())
		data := env.SealBinary(body)
		if err := r.UnmarshalBinary(data); err != nil {
			if !errors.Is(err, env.ErrBinary) {
				t.Errorf("error %v is not ErrBinary", err)
			}
			return
		}
		if !r.Done() && len(r.LegalActions(nil)) == 0 {
			t.Error("restored a game that goes on without a legal action")
		}
	})
}

func TestConfigNamesEveryMistake(t *testing.T) {
	_, err := env.New(env.Compile(t, "webdux"), env.Config{MaxPlies: -1, MaxTurns: -2, OpeningPlies: -3, Frame: "sideways"})
	if !errors.Is(err, env.ErrConfig) {
		t.Fatalf("error %v, want ErrConfig", err)
	}
	for _, field := range []string{"MaxPlies", "MaxTurns", "OpeningPlies", "Frame"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("the error does not name %s: %v", field, err)
		}
	}
	vc := env.DefaultVectorConfig(0)
	vc.Workers = 0
	_, err = env.NewVector(env.Compile(t, "webdux"), vc)
	if !errors.Is(err, env.ErrConfig) || !strings.Contains(err.Error(), "Games") || !strings.Contains(err.Error(), "Workers") {
		t.Errorf("error %v, want ErrConfig that names Games and Workers", err)
	}
}

func TestRender(t *testing.T) {
	e := newEnv(t, env.Compile(t, "webdux"), env.DefaultConfig())
	e.Reset(0)
	a, err := e.State().Parse("a2-a5")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(a); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := e.Render(&b, env.RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	const want = `     a  b  c  d  e  f  g  h  i  j  k  l
  8  .  .  .  .  .  B  .  .  .  .  .  .  8
  7  b  b  b  b  b  b  b  b  b  b  b  b  7
  6  .  .  .  .  .  .  .  .  .  .  .  .  6
  5 [a] .  .  .  .  .  .  .  .  .  .  .  5
  4  .  .  .  .  .  .  .  .  .  .  .  .  4
  3  .  .  .  .  .  .  .  .  .  .  .  .  3
  2  .  a  a  a  a  a  a  a  a  a  a  a  2
  1  .  .  .  .  .  .  A  .  .  .  .  .  1
     a  b  c  d  e  f  g  h  i  j  k  l
player 1 (b) to move
ply 1, turn 2, 1 of 100 plies without capture
`
	if b.String() != want {
		t.Errorf("Render gives\n%s\nwant\n%s", b.String(), want)
	}
}

// TestStepDoesNotAllocate: neither a step nor a reset of an environment that has warmed up.
func TestStepDoesNotAllocate(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca@ludii", "webdux"} {
		cfg := env.DefaultConfig()
		cfg.MaxPlies = 200
		e := newEnv(t, env.Compile(t, ref), cfg)
		rng := rand.New(rand.NewPCG(1, 2))
		legal := make([]engine.Action, 0, e.Spec().NumActions)
		step := func() {
			if e.Done() {
				e.Reset(1)
			}
			legal = e.LegalActions(legal[:0])
			if _, err := e.Step(legal[rng.IntN(len(legal))]); err != nil {
				t.Fatal(err)
			}
		}
		for range 2000 {
			step()
		}
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%s: %v allocations a step", ref, n)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca", "luductus", "webdux", "11x16-kharebga"} {
		b.Run(ref, func(b *testing.B) {
			e := newEnv(b, env.Compile(b, ref), env.DefaultConfig())
			e.Reset(0)
			rng := rand.New(rand.NewPCG(1, 2))
			for range 60 {
				legal := e.LegalActions(nil)
				if _, err := e.Step(legal[rng.IntN(len(legal))]); err != nil {
					b.Fatal(err)
				}
			}
			var v engine.View
			e.State().View(&v)
			enc := e.Encoder()
			obs, globals := make([]float32, enc.ObsLen()), make([]float32, enc.GlobalsLen())
			b.ReportAllocs()
			for b.Loop() {
				enc.Encode(&v, obs, globals)
			}
		})
	}
}

func BenchmarkStep(b *testing.B) {
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca", "luductus", "webdux", "11x16-kharebga"} {
		b.Run(ref, func(b *testing.B) {
			e := newEnv(b, env.Compile(b, ref), env.DefaultConfig())
			e.Reset(0)
			rng := rand.New(rand.NewPCG(1, 2))
			legal := make([]engine.Action, 0, e.Spec().NumActions)
			b.ReportAllocs()
			for b.Loop() {
				if e.Done() {
					e.Reset(0)
				}
				legal = e.LegalActions(legal[:0])
				if _, err := e.Step(legal[rng.IntN(len(legal))]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
