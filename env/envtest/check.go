package envtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env"
	"latro/env/engine"
)

// Factory returns a new environment that was not reset yet. Every call must return one of the same rules and
// configuration. A length cap (Config.MaxPlies) of a few hundred plies keeps the suite fast.
type Factory func() env.Environment

// Options says how much the suite does. Start from DefaultOptions.
type Options struct {
	// Games is the number of random games played with every check.
	Games int
	// Probes is the number of plies in each game at which every action that there is is tried.
	Probes int
	// Seed derives all of the suite's randomness.
	Seed uint64
}

// DefaultOptions returns the options of Check.
func DefaultOptions() Options { return Options{Games: 3, Probes: 3, Seed: 1} }

// Check runs the conformance suite with DefaultOptions.
func Check(t *testing.T, factory Factory) {
	t.Helper()
	CheckWith(t, factory, DefaultOptions())
}

// CheckWith runs the conformance suite: one subtest for each promise of env.Environment.
func CheckWith(t *testing.T, factory Factory, opts Options) {
	t.Run("Spec", func(t *testing.T) { checkSpec(t, factory) })
	t.Run("BeforeReset", func(t *testing.T) { checkBeforeReset(t, factory) })
	t.Run("Games", func(t *testing.T) { checkGames(t, factory, opts) })
	t.Run("Determinism", func(t *testing.T) { checkDeterminism(t, factory, opts) })
	t.Run("Clone", func(t *testing.T) { checkClone(t, factory, opts) })
	t.Run("Marshal", func(t *testing.T) { checkMarshal(t, factory, opts) })
	t.Run("Render", func(t *testing.T) { checkRender(t, factory, opts) })
}

func checkSpec(t *testing.T, factory Factory) {
	e := factory()
	s := e.Spec()
	if s.Rows < 1 || s.Cols < 1 || len(s.Planes) == 0 {
		t.Fatalf("Spec says %d rows, %d columns, %d planes", s.Rows, s.Cols, len(s.Planes))
	}
	if want := len(s.ActionPlanes)*s.Rows*s.Cols + 1; s.NumActions != want {
		t.Errorf("Spec.NumActions = %d; %d action planes on %dx%d and the pass make %d", s.NumActions, len(s.ActionPlanes), s.Rows, s.Cols, want)
	}
	for what, names := range map[string][]string{"Planes": s.Planes, "Globals": s.Globals, "ActionPlanes": s.ActionPlanes} {
		seen := map[string]bool{}
		for _, n := range names {
			if n == "" || seen[n] {
				t.Errorf("Spec.%s has the name %q twice or empty", what, n)
			}
			seen[n] = true
		}
	}
	e.Reset(1)
	if after := e.Spec(); fmt.Sprint(after) != fmt.Sprint(s) {
		t.Errorf("Spec changed with Reset: %v, then %v", s, after)
	}
}

func checkBeforeReset(t *testing.T, factory Factory) {
	e := factory()
	if !e.Done() {
		t.Error("Done is false before Reset")
	}
	if p := e.CurrentPlayer(); p != -1 {
		t.Errorf("CurrentPlayer before Reset = %d, want -1", p)
	}
	if l := e.LegalActions(nil); len(l) != 0 {
		t.Errorf("%d legal actions before Reset", len(l))
	}
	if _, err := e.Step(0); !errors.Is(err, env.ErrDone) {
		t.Errorf("Step before Reset: %v, want ErrDone", err)
	}
}

// checkGames plays random games and checks after every ply what can be seen from outside.
func checkGames(t *testing.T, factory Factory, opts Options) {
	for game := range opts.Games {
		rng := rand.New(rand.NewPCG(opts.Seed, uint64(game)))
		e := factory()
		obs, info := e.Reset(uint64(game))
		c := checker{t: t, e: e, spec: e.Spec(), rng: rng}
		c.position(obs, info, env.StepResult{})
		length := 0
		// The plies probed in full lie early, where they are sure to be reached, and further apart later.
		next := 0
		for probe := 0; !e.Done(); length++ {
			if length == next && probe < opts.Probes {
				c.probeActions()
				probe++
				next = 2*next + 1 + rng.IntN(8)
			}
			c.tryIllegal()
			legal := e.LegalActions(nil)
			r, err := e.Step(legal[rng.IntN(len(legal))])
			if err != nil {
				t.Fatalf("game %d, ply %d: a legal action was refused: %v", game, length, err)
			}
			c.position(r.Observation, r.Info, r)
			if t.Failed() {
				t.Fatalf("game %d (Reset seed %d) failed after step %d", game, game, length)
			}
			if length > 100000 {
				t.Fatalf("game %d has not ended after 100000 plies; give the environment a length cap", game)
			}
		}
		c.afterEnd()
	}
}

type checker struct {
	t    *testing.T
	e    env.Environment
	spec env.Spec
	rng  *rand.Rand
	sum  [2]float64
	mask []bool
}

// position checks everything that holds after Reset and after every Step; r is the zero StepResult after
// Reset.
func (c *checker) position(obs env.Observation, info env.Info, r env.StepResult) {
	t, e := c.t, c.e
	t.Helper()
	player, done := e.CurrentPlayer(), e.Done()
	if done != (r.Terminated || r.Truncated) {
		t.Errorf("Done is %v, the step said terminated %v, truncated %v", done, r.Terminated, r.Truncated)
	}
	if r.Terminated && r.Truncated {
		t.Error("a step is both terminated and truncated")
	}
	if done && player != -1 {
		t.Errorf("CurrentPlayer is %d in a game that is over, want -1", player)
	}
	if !done && player != 0 && player != 1 {
		t.Errorf("CurrentPlayer is %d, want 0 or 1", player)
	}
	if info != e.Info() {
		t.Errorf("the Info returned differs from Info(): %+v, %+v", info, e.Info())
	}
	if info.Player != player {
		t.Errorf("Info.Player is %d, CurrentPlayer %d", info.Player, player)
	}
	if !done && obs.Player != player {
		t.Errorf("the observation is player %d's, to move is %d", obs.Player, player)
	}
	c.observation(obs)
	c.legal(info, done)
	c.rewards(info, r)
}

func (c *checker) observation(obs env.Observation) {
	t := c.t
	t.Helper()
	if want := len(c.spec.Planes) * c.spec.Rows * c.spec.Cols; len(obs.Planes) != want {
		t.Errorf("the observation has %d plane values, Spec says %d", len(obs.Planes), want)
	}
	if len(obs.Globals) != len(c.spec.Globals) {
		t.Errorf("the observation has %d globals, Spec says %d", len(obs.Globals), len(c.spec.Globals))
	}
	if obs.Player != 0 && obs.Player != 1 {
		t.Errorf("Observation.Player is %d", obs.Player)
	}
	check := func(what string, i int, v float32) {
		if math.IsNaN(float64(v)) || v < -1 || v > 1 {
			t.Errorf("observation %s %d is %v, outside [-1, 1]", what, i, v)
		}
	}
	for i, v := range obs.Planes {
		check("plane value", i, v)
	}
	for i, v := range obs.Globals {
		check("global", i, v)
	}
	if now := c.e.Observe(); !sameObservation(now, obs) {
		t.Error("Observe differs from what the step returned")
	}
}

// legal checks the legal list against itself and the mask.
func (c *checker) legal(info env.Info, done bool) {
	t := c.t
	t.Helper()
	prefix := []engine.Action{7}
	legal := c.e.LegalActions(prefix)
	if len(legal) == 0 || legal[0] != 7 {
		t.Error("LegalActions does not append to what it is given")
		return
	}
	legal = legal[1:]
	if done && len(legal) != 0 {
		t.Errorf("%d legal actions in a game that is over", len(legal))
	}
	if !done && len(legal) == 0 {
		t.Error("no legal action in a game that goes on")
	}
	if info.LegalCount != len(legal) {
		t.Errorf("Info.LegalCount is %d, LegalActions has %d", info.LegalCount, len(legal))
	}
	if c.mask == nil {
		c.mask = make([]bool, c.spec.NumActions)
	}
	for i := range c.mask {
		c.mask[i] = true // what ActionMask must overwrite
	}
	c.e.ActionMask(c.mask)
	for i, a := range legal {
		if int(a) >= c.spec.NumActions {
			t.Errorf("legal action %d is out of range", a)
			continue
		}
		if i > 0 && legal[i-1] >= a {
			t.Errorf("legal actions are not ascending: %d before %d", legal[i-1], a)
		}
		if !c.mask[a] {
			t.Errorf("action %d is legal but not in the mask", a)
		}
		c.mask[a] = false
	}
	if i := slices.Index(c.mask, true); i >= 0 {
		t.Errorf("action %d is in the mask but not legal", i)
	}
}

func (c *checker) rewards(info env.Info, r env.StepResult) {
	t := c.t
	t.Helper()
	for p := range c.sum {
		c.sum[p] += r.Reward[p]
	}
	if got := c.e.Returns(); got != c.sum {
		t.Errorf("Returns is %v, the rewards so far sum to %v", got, c.sum)
	}
	if r.Reward[0]+r.Reward[1] != 0 {
		t.Errorf("rewards %v do not sum to zero", r.Reward)
	}
	var want [2]float64
	switch info.Outcome {
	case engine.Win0:
		want = [2]float64{1, -1}
	case engine.Win1:
		want = [2]float64{-1, 1}
	}
	switch {
	case r.Terminated:
		if info.Outcome != engine.Win0 && info.Outcome != engine.Win1 && info.Outcome != engine.Draw {
			t.Errorf("terminated with outcome %s", info.Outcome)
		}
		if r.Reward != want {
			t.Errorf("rewards %v with outcome %s, want %v", r.Reward, info.Outcome, want)
		}
	case r.Truncated:
		if info.Outcome != engine.Ongoing && info.Outcome != engine.Capped {
			t.Errorf("truncated with outcome %s: a game with a result is terminated", info.Outcome)
		}
		if r.Reward != [2]float64{} {
			t.Errorf("rewards %v in a truncated game", r.Reward)
		}
	default:
		if info.Outcome != engine.Ongoing {
			t.Errorf("outcome %s in a game that goes on", info.Outcome)
		}
		if r.Reward != [2]float64{} {
			t.Errorf("rewards %v before the end", r.Reward)
		}
	}
}

// unchanged runs f, which must leave no trace.
func (c *checker) unchanged(what string, f func()) {
	c.t.Helper()
	before, obs := c.marshal(), c.e.Observe().Clone()
	f()
	if !bytes.Equal(before, c.marshal()) || !sameObservation(obs, c.e.Observe()) {
		c.t.Errorf("%s changed the environment", what)
	}
}

func (c *checker) marshal() []byte {
	c.t.Helper()
	return marshal(c.t, c.e)
}

// probeActions tries every action there is on a clone: exactly those of the mask are accepted.
func (c *checker) probeActions() {
	t := c.t
	t.Helper()
	mask := make([]bool, c.spec.NumActions)
	c.e.ActionMask(mask)
	c.unchanged("stepping clones", func() {
		clone := c.e.Clone()
		for a, legal := range mask {
			_, err := clone.Step(engine.Action(a))
			switch {
			case legal && err != nil:
				t.Errorf("action %d is legal, but Step says %v", a, err)
			case !legal && !errors.Is(err, env.ErrIllegalAction):
				t.Errorf("action %d is illegal, but Step's error is %v", a, err)
			}
			if err == nil {
				clone = c.e.Clone()
			}
		}
	})
}

// tryIllegal tries an illegal action, and one out of range, on the environment itself.
func (c *checker) tryIllegal() {
	t := c.t
	t.Helper()
	c.e.ActionMask(c.mask)
	bad := []engine.Action{engine.NoAction}
	if a := c.rng.IntN(c.spec.NumActions); !c.mask[a] {
		bad = append(bad, engine.Action(a))
	}
	c.unchanged("an illegal action", func() {
		for _, a := range bad {
			r, err := c.e.Step(a)
			if !errors.Is(err, env.ErrIllegalAction) {
				t.Errorf("illegal action %d: error %v, want ErrIllegalAction", a, err)
			}
			if r.Terminated || r.Truncated || r.Reward != [2]float64{} {
				t.Errorf("illegal action %d came with a result: %+v", a, r)
			}
		}
	})
}

// afterEnd checks a game that is over.
func (c *checker) afterEnd() {
	t := c.t
	t.Helper()
	c.unchanged("a step after the end", func() {
		for _, a := range []engine.Action{0, engine.Action(c.spec.NumActions - 1), engine.NoAction} {
			if _, err := c.e.Step(a); !errors.Is(err, env.ErrDone) {
				t.Errorf("Step after the end: %v, want ErrDone", err)
			}
		}
	})
}

// checkDeterminism plays the same actions in a fresh environment and in one that has played before.
func checkDeterminism(t *testing.T, factory Factory, opts Options) {
	a, b := factory(), factory()
	b.Reset(99)
	playRandom(t, b, rand.New(rand.NewPCG(opts.Seed, 5)), 30)
	for game := range opts.Games {
		seed := opts.Seed + uint64(game)
		rng := rand.New(rand.NewPCG(opts.Seed, 100+uint64(game)))
		oa, ia := a.Reset(seed)
		ob, ib := b.Reset(seed)
		for ply := 0; ; ply++ {
			if !sameObservation(oa, ob) || ia != ib {
				t.Fatalf("seed %d: the same game differs after %d steps: %+v, %+v", seed, ply, ia, ib)
			}
			if !slices.Equal(a.LegalActions(nil), b.LegalActions(nil)) || !bytes.Equal(marshal(t, a), marshal(t, b)) {
				t.Fatalf("seed %d: legal actions or saved form differ after %d steps", seed, ply)
			}
			if a.Done() {
				break
			}
			legal := a.LegalActions(nil)
			act := legal[rng.IntN(len(legal))]
			ra, erra := a.Step(act)
			rb, errb := b.Step(act)
			if erra != nil || errb != nil || ra.Reward != rb.Reward || ra.Terminated != rb.Terminated || ra.Truncated != rb.Truncated {
				t.Fatalf("seed %d: step %d differs: %v %v, %v %v", seed, ply, ra.Reward, erra, rb.Reward, errb)
			}
			oa, ia, ob, ib = ra.Observation, ra.Info, rb.Observation, rb.Info
		}
	}
}

// checkClone plays a clone and its original apart, and together.
func checkClone(t *testing.T, factory Factory, opts Options) {
	for game := range opts.Games {
		rng := rand.New(rand.NewPCG(opts.Seed, 200+uint64(game)))
		e := factory()
		e.Reset(uint64(game))
		playRandom(t, e, rng, rng.IntN(120))
		before, obs := marshal(t, e), e.Observe().Clone()
		c := e.Clone()
		if !bytes.Equal(marshal(t, c), before) || !sameObservation(c.Observe(), obs) || c.Info() != e.Info() {
			t.Fatal("a clone differs from its original")
		}
		playRandom(t, c, rng, 40)
		if !bytes.Equal(marshal(t, e), before) || !sameObservation(e.Observe(), obs) {
			t.Fatal("playing a clone changed its original")
		}
		c = e.Clone()
		c2 := e.Clone()
		played := playRandom(t, e, rng, 40)
		if !bytes.Equal(marshal(t, c), before) || !sameObservation(c.Observe(), obs) {
			t.Fatal("playing the original changed a clone")
		}
		c.Reset(77)
		for _, a := range played {
			if _, err := c2.Step(a); err != nil {
				t.Fatalf("a clone refuses what its original played: %v", err)
			}
		}
		if !bytes.Equal(marshal(t, c2), marshal(t, e)) || !sameObservation(c2.Observe(), e.Observe()) {
			t.Fatal("a clone that played the same actions differs")
		}
	}
}

// checkMarshal saves in mid-game, restores elsewhere, and goes on to the end in both.
func checkMarshal(t *testing.T, factory Factory, opts Options) {
	for game := range opts.Games {
		rng := rand.New(rand.NewPCG(opts.Seed, 300+uint64(game)))
		e := factory()
		e.Reset(uint64(game))
		playRandom(t, e, rng, rng.IntN(150))
		data := marshal(t, e)

		r := factory()
		r.Reset(123)
		playRandom(t, r, rng, 10)
		damaged(t, r, data, rng)
		if err := r.UnmarshalBinary(data); err != nil {
			t.Fatalf("UnmarshalBinary of what MarshalBinary returned: %v", err)
		}
		for ply := 0; ; ply++ {
			if !sameObservation(e.Observe(), r.Observe()) || e.Info() != r.Info() || e.Returns() != r.Returns() ||
				!slices.Equal(e.LegalActions(nil), r.LegalActions(nil)) || !bytes.Equal(marshal(t, e), marshal(t, r)) {
				t.Fatalf("game %d: the restored environment differs %d plies after restoring: %+v, %+v", game, ply, e.Info(), r.Info())
			}
			if e.Done() {
				break
			}
			legal := e.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			re, err := e.Step(a)
			rr, err2 := r.Step(a)
			if err != nil || err2 != nil || re.Reward != rr.Reward || re.Terminated != rr.Terminated || re.Truncated != rr.Truncated {
				t.Fatalf("the restored environment plays on differently: %v, %v", err, err2)
			}
		}
	}
	e := factory()
	if err := factory().UnmarshalBinary(marshal(t, e)); err != nil {
		t.Errorf("an environment that was not reset yet cannot be restored: %v", err)
	}
}

// damaged checks that cut and changed bytes are refused and change nothing.
func damaged(t *testing.T, r env.Environment, data []byte, rng *rand.Rand) {
	t.Helper()
	before := marshal(t, r)
	try := func(what string, bad []byte) {
		if err := r.UnmarshalBinary(bad); !errors.Is(err, env.ErrBinary) {
			t.Errorf("UnmarshalBinary of %s: %v, want ErrBinary", what, err)
		}
		if !bytes.Equal(before, marshal(t, r)) {
			t.Fatalf("UnmarshalBinary of %s changed the environment", what)
		}
	}
	try("nothing", nil)
	for range 8 {
		try("cut data", data[:rng.IntN(len(data))])
		flipped := slices.Clone(data)
		flipped[rng.IntN(len(flipped))] ^= 1 << rng.IntN(8)
		try("data with one bit flipped", flipped)
	}
	try("data with bytes appended", append(slices.Clone(data), 0, 0))
}

func checkRender(t *testing.T, factory Factory, opts Options) {
	e := factory()
	var b bytes.Buffer
	for _, plies := range []int{0, 25, 1 << 20} {
		if plies == 0 {
			e.Reset(opts.Seed)
		}
		playRandom(t, e, rand.New(rand.NewPCG(opts.Seed, 400)), plies)
		for _, o := range []env.RenderOptions{{}, {Unicode: true}} {
			b.Reset()
			before := marshal(t, e)
			if err := e.Render(&b, o); err != nil || b.Len() == 0 {
				t.Errorf("Render after %d plies wrote %d bytes, error %v", plies, b.Len(), err)
			}
			if !bytes.Equal(before, marshal(t, e)) {
				t.Error("Render changed the environment")
			}
		}
	}
	if err := e.Render(failingWriter{}, env.RenderOptions{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Render to a writer that fails: %v, want its error", err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// playRandom makes up to n random plies and returns them.
func playRandom(t *testing.T, e env.Environment, rng *rand.Rand, n int) []engine.Action {
	t.Helper()
	var played, legal []engine.Action
	for range n {
		if e.Done() {
			break
		}
		legal = e.LegalActions(legal[:0])
		a := legal[rng.IntN(len(legal))]
		if _, err := e.Step(a); err != nil {
			t.Fatalf("a legal action was refused: %v", err)
		}
		played = append(played, a)
	}
	return played
}

func marshal(t *testing.T, e env.Environment) []byte {
	t.Helper()
	data, err := e.MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary: %v", err)
	}
	return data
}

func sameObservation(a, b env.Observation) bool {
	return a.Player == b.Player && slices.Equal(a.Planes, b.Planes) && slices.Equal(a.Globals, b.Globals)
}
