package exact

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
	"latro/mcts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// game is a shrunk ruleset: a reference and the overrides.
type game []string

func (g game) open(t testing.TB) *rules.Ruleset {
	t.Helper()
	r, err := rules.Open(g[0], g[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (g game) name() string { return strings.Join(g, " ") }

func shrunk(ref string, rows, cols, men int, sets ...string) game {
	return append(game{ref, fmt.Sprintf("board.rows=%d", rows), fmt.Sprintf("board.cols=%d", cols), fmt.Sprintf("pieces.men=%d", men)}, sets...)
}

// tiny are games that are solved within moments, with every kind of mark that a key has.
func tiny() []game {
	return []game{
		shrunk("locus-ludi-piso", 3, 3, 2),
		shrunk("locus-ludi-piso", 3, 3, 3),
		shrunk("locus-ludi-seneca", 3, 3, 2),
		shrunk("locus-ludi-seneca", 3, 3, 3),
		shrunk("schadler-1994", 3, 3, 3),
		shrunk("schadler-2001", 3, 3, 3),
		shrunk("6x6-kharebga", 3, 3, 4),
		shrunk("6x6-seega", 3, 3, 4),
		shrunk("museum-quintana", 3, 3, 3, "setup.array=bbb/.../aaa"),
		shrunk("bell-8x7", 3, 3, 1, "end.no_capture_limit=10"),
		shrunk("bell-8x7", 3, 3, 2, "end.no_capture_limit=6"),
		shrunk("bell-8x7", 3, 3, 2, "end.no_capture_limit=0"),
		shrunk("seega-classic-5x5", 3, 3, 3),
	}
}

// solutions keeps what was solved for several tests.
var solutions sync.Map

func solveGame(t testing.TB, g game, o Options) *Solution {
	t.Helper()
	name := fmt.Sprint(g.name(), o.Position)
	if s, ok := solutions.Load(name); ok {
		return s.(*Solution)
	}
	s, err := Solve(context.Background(), g.open(t), o)
	if err != nil {
		t.Fatalf("%s: %v", g.name(), err)
	}
	solutions.Store(name, s)
	return s
}

// TestKeysFollowTheEngine: along random games the key that is carried on from ply to ply is that of the position's text; the
// position made from a key has that key, and the same number of plies; symmetric positions have one key.
func TestKeysFollowTheEngine(t *testing.T) {
	games := append(tiny(),
		shrunk("locus-ludi-seneca", 4, 4, 5), shrunk("schadler-1994", 4, 4, 5), shrunk("schadler-2001", 4, 4, 5),
		shrunk("luductus", 5, 5, 4), shrunk("webdux", 4, 5, 5, "setup.array=bbBbb/...../...../aaAaa", "pieces.men=4"),
		shrunk("locus-ludi-seneca", 4, 4, 4, "binding.removal_number=any", "movement.removal_square=barred"),
		shrunk("seega-classic-5x5", 5, 5, 8), shrunk("bell-8x7", 4, 4, 4, "bonus.piece=any"), shrunk("bell-8x7", 5, 5, 6, "bonus.piece=same"),
		shrunk("bell-8x7", 4, 4, 4, "movement.undo=forbidden", "capture.moving_between=taken"),
	)
	for _, g := range games {
		c, err := prepare(g.open(t))
		if err != nil {
			t.Fatalf("%s: %v", g.name(), err)
		}
		rng := rand.New(rand.NewPCG(7, 7))
		for range 40 {
			s, h := c.game.NewState(), nothingHidden
			for ply := 0; ply < 120 && !s.Over(); ply++ {
				k := c.key(s, &h)
				read, err := c.hiddenOf(s)
				if err != nil {
					t.Fatal(err)
				}
				if k2 := c.key(s, &read); k2 != k {
					t.Fatalf("%s: %s: key %v from what was carried on (%+v), %v from the text (%+v)", g.name(), s.Position(), k, h, k2, read)
				}
				again, h2, err := c.state(k)
				if err != nil {
					t.Fatalf("%s: %s: %v", g.name(), s.Position(), err)
				}
				k2, symmetry := c.keyAndSymmetry(again, &h2)
				if k2 != k {
					t.Fatalf("%s: %s became %s: key %v, then %v", g.name(), s.Position(), again.Position(), k, k2)
				}
				if symmetry != 0 {
					t.Fatalf("%s: %s stands for its kind, but symmetry %d makes it so", g.name(), again.Position(), symmetry)
				}
				if got, want := again.Legal(nil), c.image(s, k, &h); !slices.Equal(got, want) {
					t.Fatalf("%s: %s has plies %v, %s has %v", g.name(), s.Position(), want, again.Position(), got)
				}
				legal := s.Legal(nil)
				a := legal[rng.IntN(len(legal))]
				mover := s.ToMove()
				s.Play(a)
				h = c.after(&h, mover, a, s)
			}
		}
	}
}

// image are the plies of a position, turned into those of the position that its key stands for.
func (c *codec) image(s *engine.State, k key, h *hidden) []engine.Action {
	k2, symmetry := c.keyAndSymmetry(s, h)
	if k2 != k {
		return nil
	}
	var out []engine.Action
	for _, a := range s.Legal(nil) {
		out = append(out, c.action[symmetry][a])
	}
	slices.Sort(out)
	return out
}

// slowly solves a game in the most literal way: positions are their texts without the counters that decide nothing, no
// symmetries, no reversed graph, no queue; values are found by going over all positions until nothing changes. It shares
// the engine with Solve and nothing else.
type slowly struct {
	game  *engine.Game
	quiet bool
	text  []string
	index map[string]int
	mover []int
	next  [][]int // -1, -2, -3: won by 0, by 1, drawn
	value []int   // 0, or 1 + the winner
	far   []int
}

func (x *slowly) name(s *engine.State) string {
	var keep []string
	for _, f := range strings.Fields(s.Position()) {
		switch key, _, _ := strings.Cut(f, "="); key {
		case "ply", "turn", "last", "rep", "seen":
			continue
		case "quiet":
			if !x.quiet {
				continue
			}
		}
		keep = append(keep, f)
	}
	return strings.Join(keep, " ")
}

func solveSlowly(t *testing.T, r *rules.Ruleset) *slowly {
	p := r.Params
	p.Repetition.Rule = "none"
	g, err := engine.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	x := &slowly{game: g, quiet: p.End.NoCaptureLimit > 0, index: map[string]int{}}
	var visit func(s *engine.State) int
	visit = func(s *engine.State) int {
		switch s.Outcome() {
		case engine.Win0:
			return -1
		case engine.Win1:
			return -2
		case engine.Draw:
			return -3
		}
		name := x.name(s)
		if i, ok := x.index[name]; ok {
			return i
		}
		i := len(x.text)
		x.index[name] = i
		x.text = append(x.text, s.Position())
		x.mover = append(x.mover, s.ToMove())
		x.next = append(x.next, nil)
		var next []int
		for _, a := range s.Legal(nil) {
			s.Play(a)
			next = append(next, visit(s))
			s.Undo()
		}
		x.next[i] = next
		return i
	}
	visit(g.NewState())
	x.value, x.far = make([]int, len(x.text)), make([]int, len(x.text))
	worth := func(i int) int {
		if i < 0 {
			return [...]int{1, 2, 0}[-i-1]
		}
		return x.value[i]
	}
	for round, changed := 1, true; changed; round++ {
		changed = false
		type news struct{ at, value int }
		var all []news
		for i, next := range x.next {
			if x.value[i] != 0 {
				continue
			}
			lost := true
			for _, n := range next {
				if worth(n) == 1+x.mover[i] {
					all = append(all, news{i, 1 + x.mover[i]})
					lost = false
					break
				}
				lost = lost && worth(n) == 2-x.mover[i]
			}
			if lost {
				all = append(all, news{i, 2 - x.mover[i]})
			}
		}
		for _, n := range all {
			x.value[n.at], x.far[n.at], changed = n.value, round, true
		}
	}
	return x
}

// TestAgreesWithTheLiteralSolver: value and distance of every position that can be reached, against slowly.
func TestAgreesWithTheLiteralSolver(t *testing.T) {
	for _, g := range []game{
		shrunk("locus-ludi-piso", 3, 3, 2), shrunk("locus-ludi-seneca", 3, 3, 2), shrunk("schadler-1994", 3, 3, 2), shrunk("6x6-kharebga", 3, 3, 4),
		shrunk("museum-quintana", 3, 3, 3, "setup.array=bbb/.../aaa"), shrunk("bell-8x7", 3, 3, 1, "end.no_capture_limit=5"),
		shrunk("bell-8x7", 3, 3, 1, "repetition.rule=none", "end.no_capture_limit=4"), shrunk("seega-classic-5x5", 3, 3, 2),
	} {
		t.Run(g.name(), func(t *testing.T) {
			t.Parallel()
			s := solveGame(t, g, Options{Try: true})
			reader := s.NewReader()
			x := solveSlowly(t, g.open(t))
			seen := map[uint32]bool{}
			won := 0
			for i, text := range x.text {
				st, err := x.game.ParsePosition(text)
				if err != nil {
					t.Fatal(err)
				}
				a, ok := reader.Look(st)
				if !ok {
					t.Fatalf("%s is not in the solution", text)
				}
				want := Answer{Draw, -1}
				switch {
				case x.value[i] != 0:
					want = Answer{Draw + Value(x.value[i]), x.far[i]}
					won++
				}
				if !a.Value.Exact() {
					a.Value -= 2 // a win without repetition
				}
				if a != want {
					t.Fatalf("%s: %v, the literal solver says %v", text, a, want)
				}
				h, _ := s.codec.hiddenOf(st)
				id, _ := s.store.find(s.codec.key(st, &h))
				seen[id] = true
			}
			if len(seen) != s.Len() {
				t.Errorf("%d positions, the literal solver has %d of them", s.Len(), len(seen))
			}
			t.Logf("%d positions, %d different by symmetry, %d won", len(x.text), s.Len(), won)
		})
	}
}

// TestWinsAreForced: under the ruleset's own repetition rule, with real histories, the winner forces the win within the
// distance and not within a ply less.
func TestWinsAreForced(t *testing.T) {
	checked := 0
	for _, g := range tiny() {
		s := solveGame(t, g, Options{Try: true})
		own, err := engine.Compile(g.open(t).Params)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 3))
		for range 200 {
			id := rng.IntN(s.Len())
			text, a := s.At(id)
			if a.Distance < 1 || a.Distance > 7 || !a.Value.Exact() {
				continue
			}
			st, err := s.State(own, id)
			if err != nil {
				t.Fatal(err)
			}
			winner := 0
			if a.Value == Win1 {
				winner = 1
			}
			for _, c := range []struct {
				plies int
				want  bool
			}{{a.Distance, true}, {a.Distance - 1, false}} {
				ok, err := Forces(t.Context(), st, winner, 1, c.plies, 3_000_000)
				if errors.Is(err, ErrTooLarge) {
					continue
				}
				if err != nil || ok != c.want {
					t.Fatalf("%s: %s is %v in %d: within %d plies the win is forced: %v, %v", g.name(), text, a.Value, a.Distance, c.plies, ok, err)
				}
				checked++
			}
		}
	}
	if checked < 800 {
		t.Errorf("only %d checked", checked)
	}
}

// TestProve: what is shown line by line is forced indeed, with real histories, in positions that the second pass leaves open;
// nothing is shown where the value is a draw.
func TestProve(t *testing.T) {
	g := shrunk("locus-ludi-seneca", 3, 3, 2)
	s := solveGame(t, g, Options{})
	if s.Info.Start != (Answer{Win1, 22}) {
		t.Errorf("the start is %v", s.Info.Start)
	}
	own, err := engine.Compile(g.open(t).Params)
	if err != nil {
		t.Fatal(err)
	}
	reader := s.NewReader()
	proven, checked := 0, 0
	for id := range s.Len() {
		text, a := s.At(id)
		if a.Value.Exact() && a.Value != Draw || id%5 > 0 {
			continue
		}
		st, err := s.State(own, id)
		if err != nil {
			t.Fatal(err)
		}
		before := st.Position()
		ok, err := reader.Prove(t.Context(), st, 5000)
		if err != nil {
			t.Fatal(err)
		}
		if st.Position() != before {
			t.Fatal("the state has changed")
		}
		if !ok {
			continue
		}
		proven++
		if a.Value == Draw {
			t.Fatalf("%s is a draw", text)
		}
		winner := 0
		if a.Value.Seen(0) < 0 {
			winner = 1
		}
		if a.Distance <= 13 && checked < 12 {
			ok, err := Forces(t.Context(), st, winner, 1, a.Distance, 500_000)
			if errors.Is(err, ErrTooLarge) {
				continue
			}
			if checked++; err != nil || !ok {
				t.Fatalf("%s: shown to be %v in %d, and not forced (%v)", text, a.Value, a.Distance, err)
			}
		}
	}
	t.Logf("%d proven, %d checked", proven, checked)
	if proven < 80 || checked < 5 {
		t.Errorf("%d proven, %d checked", proven, checked)
	}
}

// TestSearchFindsWhatIsProven: the searches of package mcts, with the solver and a uniform evaluator, prove no value that
// the solution contradicts, under the ruleset's own repetition rule; and they prove every win within six plies in 30,000
// simulations (of 200 such positions of each game 5,187 were the most that any needed).
func TestSearchFindsWhatIsProven(t *testing.T) {
	proofs := 0
	near := map[string]int{}
	for _, g := range tiny() {
		s := solveGame(t, g, Options{Try: true})
		own, err := engine.Compile(g.open(t).Params)
		if err != nil {
			t.Fatal(err)
		}
		reader := s.NewReader()
		isNear := func(id int) bool {
			_, a := s.At(id)
			return a.Value.Exact() && a.Distance > 0 && a.Distance <= 6
		}
		// Positions of all kinds, and then those that are near the end.
		rng := rand.New(rand.NewPCG(5, 5))
		var ids []int
		for range 16 {
			ids = append(ids, rng.IntN(s.Len()))
		}
		for tries := 0; len(ids) < 40 && tries < 5000; tries++ {
			if id := rng.IntN(s.Len()); isNear(id) {
				ids = append(ids, id)
			}
		}
		for name, cfg := range map[string]mcts.Config{"gumbel": mcts.DefaultGumbel(1), "puct": mcts.DefaultPUCT(1)} {
			search, err := mcts.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range ids {
				text, a := s.At(id)
				st, err := s.State(own, id)
				if err != nil {
					t.Fatal(err)
				}
				var r mcts.Result
				for _, cfg.Simulations = range []int{1000, 30_000} {
					if err := search.Configure(cfg); err != nil {
						t.Fatal(err)
					}
					if err := search.Begin(st, rand.New(rand.NewPCG(uint64(id), 1))); err != nil {
						t.Fatal(err)
					}
					if err := mcts.RunAll([]*mcts.Search{search}, mcts.Uniform{}); err != nil {
						t.Fatal(err)
					}
					r = search.Result()
					if r.Proven || r.Forced || !isNear(id) {
						break
					}
				}
				if r.Forced {
					continue
				}
				if isNear(id) {
					near[name]++
				}
				if !r.Proven {
					if isNear(id) {
						t.Errorf("%s, %s: %s: %v is not proven by %d simulations", g.name(), name, text, a, r.Simulations)
					}
					continue
				}
				proofs++
				if low, high := a.Value.Bounds(); r.Value < low || r.Value > high {
					t.Errorf("%s, %s: %s: proves %v, it is %v", g.name(), name, text, r.Value, a)
				}
				plies, ok := reader.Plies(st)
				if !ok {
					t.Fatalf("%s: %s has plies that are not in the solution", g.name(), text)
				}
				for _, p := range plies {
					if p.Action == r.Action && p.Value.Exact() && a.Value.Exact() && !p.Keeps {
						t.Errorf("%s, %s: %s: proves %v and plays %s, which is %v", g.name(), name, text, r.Value, p.Text, p.Value)
					}
				}
			}
		}
	}
	t.Logf("%d proofs, of wins that are near %v", proofs, near)
	if near["puct"] < 200 || near["gumbel"] != near["puct"] {
		t.Errorf("wins that are near: %v", near)
	}
}

// golden is what is kept of a solution.
type golden struct {
	Game   game     `json:"game"`
	Info   Info     `json:"info"`
	Sample []sample `json:"sample"`
}

type sample struct {
	Position string `json:"position"`
	Answer
}

// TestGolden compares solutions with those that are kept: values, counts, distances and a sample of positions.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "solved.json")
	var want []golden
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
	} else if !*update {
		t.Fatal(err)
	}
	games := append(tiny(), shrunk("locus-ludi-piso", 4, 4, 3), shrunk("locus-ludi-piso", 3, 4, 3), shrunk("schadler-1994", 3, 4, 3))
	var got []golden
	for i, g := range games {
		s := solveGame(t, g, Options{Try: true})
		x := golden{Game: g, Info: s.Info}
		x.Info.Seconds, x.Info.Bytes = 0, 0
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		for range 12 {
			text, a := s.At(rng.IntN(s.Len()))
			x.Sample = append(x.Sample, sample{text, a})
		}
		got = append(got, x)
		if i < len(want) && !*update {
			if !reflect.DeepEqual(x.Info, want[i].Info) {
				t.Errorf("%s:\n%+v, kept is\n%+v", g.name(), x.Info, want[i].Info)
			}
			own, err := engine.Compile(g.open(t).Params)
			if err != nil {
				t.Fatal(err)
			}
			reader := s.NewReader()
			for _, w := range want[i].Sample {
				st, err := own.ParsePosition(w.Position)
				if err != nil {
					t.Fatal(err)
				}
				if a, ok := reader.Look(st); !ok || a != w.Answer {
					t.Errorf("%s: %s: %v, kept is %v", g.name(), w.Position, a, w.Answer)
				}
			}
		}
	}
	if *update {
		data, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(want) != len(games) {
		t.Errorf("%d solutions are kept, not %d", len(want), len(games))
	}
}

// TestFile: a solution read back is the same, its file is the same each time, and whatever is cut off or changed is noticed.
func TestFile(t *testing.T) {
	g := shrunk("locus-ludi-seneca", 3, 3, 2)
	r := g.open(t)
	s := solveGame(t, g, Options{})
	path := filepath.Join(t.TempDir(), "s.solution")
	if err := s.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	twice, err := Solve(t.Context(), r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := twice.write(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
		t.Errorf("the same solution gives another file (%v)", err)
	}
	read, err := Load(path, r, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := s.Info
	want.Seconds, want.Bytes = 0, 0
	if !reflect.DeepEqual(read.Info, want) {
		t.Errorf("read %+v, written %+v", read.Info, want)
	}
	reader := read.NewReader()
	for text, a := range s.All() {
		st, err := s.Game().ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := reader.Look(st); !ok || a != b {
			t.Fatalf("%s: %v became %v", text, a, b)
		}
	}
	t.Logf("%d positions in %d bytes", s.Len(), len(data))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 300 {
		bad := bytes.Clone(data)
		if i%2 == 0 {
			bad = bad[:rng.IntN(len(bad))]
		} else {
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, r, 0); !errors.Is(err, ErrNotSolution) && !errors.Is(err, ErrTooLarge) {
			t.Fatalf("damage %d: %v", i, err)
		}
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, shrunk("locus-ludi-seneca", 3, 3, 3).open(t), 0); !errors.Is(err, ErrNotSolution) {
		t.Errorf("of another ruleset: %v", err)
	}
	if _, err := Load(path, r, 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("without memory: %v", err)
	}
}

// TestRefusals: what cannot be solved is refused with its reason, before time is spent.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		game game
		o    Options
		want error
		text string
	}{
		{game{"bell-8x7"}, Options{}, ErrTooLarge, "56 squares"},
		{shrunk("locus-ludi-piso", 5, 5, 8), Options{}, ErrTooLarge, "1024 MB"},
		{shrunk("locus-ludi-piso", 4, 4, 4), Options{Memory: 1 << 20, Try: true}, ErrTooLarge, "1 MB are full"},
		{shrunk("locus-ludi-piso@superko", 3, 3, 2), Options{}, ErrHistory, "positional-superko"},
		{shrunk("locus-ludi-piso", 3, 3, 2, "end.turn_limit=100"), Options{}, ErrUnsolvable, "end.turn_limit=0"},
		{shrunk("schadler-2001", 3, 3, 2, "setup.agreement_max=3"), Options{}, ErrUnsolvable, "setup.agreement_max=0"},
		{shrunk("locus-ludi-piso", 3, 3, 2), Options{Position: "nonsense"}, engine.ErrInvalid, "nonsense"},
	} {
		_, err := Solve(t.Context(), c.game.open(t), c.o)
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v; want %v with %q", c.game.name(), err, c.want, c.text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Solve(ctx, shrunk("locus-ludi-piso", 4, 4, 4).open(t), Options{Progress: func(p Progress) {
		if p.Done > 20_000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestBoundHolds: no game has more positions than Bound says.
func TestBoundHolds(t *testing.T) {
	for _, g := range tiny() {
		s := solveGame(t, g, Options{Try: true})
		bound := Bound(s.ruleset.Params)
		if bound.IsInt64() && bound.Int64() < int64(s.Len()) {
			t.Errorf("%s: %d positions, bound %v", g.name(), s.Len(), bound)
		}
	}
}

// TestFromPosition: a solution from a position has the values that the whole game has there.
func TestFromPosition(t *testing.T) {
	g := shrunk("bell-8x7", 3, 3, 2, "end.no_capture_limit=6")
	all := solveGame(t, g, Options{})
	reader := all.NewReader()
	rng := rand.New(rand.NewPCG(2, 2))
	for range 10 {
		text, a := all.At(rng.IntN(all.Len()))
		part := solveGame(t, g, Options{Position: text})
		if part.Info.Start.Distance != a.Distance || part.Info.Start.Value.Seen(0) != a.Value.Seen(0) {
			t.Errorf("%s: %v from there, %v in all", text, part.Info.Start, a)
		}
		for text, a := range part.All() {
			st, err := part.Game().ParsePosition(text)
			if err != nil {
				t.Fatal(err)
			}
			// With fewer positions more wins can be certified.
			if b, ok := reader.Look(st); !ok || b.Distance != a.Distance || b.Value.Seen(0) != a.Value.Seen(0) {
				t.Fatalf("%s: %v, in all %v", text, a, b)
			}
		}
	}
}

// TestTree: what the search of the tree proves agrees with the solution under threefold-draw, and it leaves the state as
// it was; under superko it proves wins that the solver refuses to look for.
func TestTree(t *testing.T) {
	s := solveGame(t, shrunk("locus-ludi-piso", 3, 3, 2), Options{})
	for _, reading := range []string{"", "@superko"} {
		own, err := engine.Compile(shrunk("locus-ludi-piso"+reading, 3, 3, 2).open(t).Params)
		if err != nil {
			t.Fatal(err)
		}
		proven := 0
		for id := range s.Len() {
			st, err := s.State(own, id)
			if err != nil {
				t.Fatal(err)
			}
			before := st.Position()
			r, err := SearchTree(t.Context(), st, TreeLimits{Depth: 5, Nodes: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			if st.Position() != before {
				t.Fatal("the state has changed")
			}
			text, a := s.At(id)
			low, high := a.Value.Bounds()
			if reading == "" && (r.High < low || r.Low > high || r.Proven() && a.Distance > 0 && r.Depth != a.Distance) {
				t.Fatalf("%s: %+v, the solution says %v", text, r, a)
			}
			if r.Proven() {
				proven++
			}
		}
		if proven < 30 {
			t.Errorf("%q: only %d proven", reading, proven)
		}
	}
}
