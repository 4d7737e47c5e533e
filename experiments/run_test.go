package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"latro/datasets"
	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/envtest"
	"latro/mcts"
)

func smallDesign() Design {
	d := DefaultDesign()
	d.ID, d.Question = "small", "Do corners matter?"
	d.Factorial = &Factorial{Base: RulesetRef{Ref: "bell-8x7"}, Factors: []Factor{{Parameter: "capture.corner", Values: []string{"hostile", "neutral"}}}}
	d.Agents = []AgentRef{{Spec: "random"}, {Spec: "greedy"}}
	d.Matches = []Match{{A: "greedy", B: "random"}}
	d.Pairs, d.UnitPairs, d.Cap, d.Seed = 10, 3, 300, 7
	return d
}

// tree reads every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == dirlock.Name || e.Name() == LogFile {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTrees(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%s: %d files and %d", what, len(a), len(b))
	}
	for name, data := range a {
		if b[name] != data {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// TestRunIsTheSameForAnyWorkers and however often it is interrupted: a run killed
// by its context after every few units, from several workers, ends with the bytes
// of one that was never interrupted.
func TestRunIsTheSameForAnyWorkersAndInterruptions(t *testing.T) {
	d := smallDesign()
	// Enough for several interruptions, each of which comes late by the units that are committed together.
	d.Pairs = 20
	whole := t.TempDir()
	if err := Run(context.Background(), whole, d, RunOptions{Workers: 1, Command: "test"}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, whole)

	four := t.TempDir()
	if err := Run(context.Background(), four, d, RunOptions{Workers: 4, Command: "test"}); err != nil {
		t.Fatal(err)
	}
	sameTrees(t, "four workers", want, tree(t, four))

	cut := t.TempDir()
	rounds := 0
	for {
		rounds++
		ctx, cancel := context.WithCancel(context.Background())
		begin := -1
		var seen int
		err := Run(ctx, cut, d, RunOptions{Workers: 2, Command: "test", Progress: func(p Progress) {
			if begin < 0 {
				begin = p.Games
				if p.Games != p.Resumed {
					t.Errorf("the run begins with %d games, %d of them resumed", p.Games, p.Resumed)
				}
			}
			if p.Games < seen {
				t.Errorf("games go back from %d to %d", seen, p.Games)
			}
			seen = p.Games
			if p.Games >= begin+18 {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if rounds > 30 {
			t.Fatal("the run makes no progress")
		}
	}
	if rounds < 3 {
		t.Errorf("only %d rounds: the test interrupts nothing", rounds)
	}
	sameTrees(t, "interrupted run", want, tree(t, cut))

	a, err := Analyse(cut)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Analyse(whole)
	if err != nil {
		t.Fatal(err)
	}
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Error("the analyses differ")
	}
	if !a.Complete || len(a.Cells) != 6 || a.Cells[0].Games != 2*d.Pairs {
		t.Errorf("analysis of %d cells, complete %v", len(a.Cells), a.Complete)
	}
}

// TestCrashBetweenSteps puts a directory into every state that SIGKILL can leave
// between two durable steps; each must resume to the same bytes.
func TestCrashBetweenSteps(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches = d.Agents[:1], nil
	whole := t.TempDir()
	if err := Run(context.Background(), whole, d, RunOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, whole)
	var m Manifest
	if err := json.Unmarshal([]byte(want[ManifestFile]), &m); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(dir string) error{
		"before the design": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, DesignFile)), os.Remove(filepath.Join(dir, LogFile)), os.Remove(filepath.Join(dir, ManifestFile)), os.RemoveAll(filepath.Join(dir, GamesDir)))
		},
		"between design and manifest": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ManifestFile)), os.RemoveAll(filepath.Join(dir, GamesDir)))
		},
		"shards that no manifest lists": func(dir string) error {
			n := m
			n.Units, n.Complete = nil, false
			return n.write(dir)
		},
		"manifest lost, some shards there": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ManifestFile)), os.Remove(filepath.Join(dir, filepath.FromSlash(unitPath(0, 1)))))
		},
		"half a temporary file": func(dir string) error {
			n := m
			n.Units, n.Complete = m.Units[:3], false
			return errors.Join(n.write(dir), os.Remove(filepath.Join(dir, filepath.FromSlash(unitPath(1, 3)))),
				os.WriteFile(filepath.Join(dir, GamesDir, ".c0001-u000003.arrows.123.atomic-tmp"), []byte("half"), 0o644))
		},
		"a foreign shard under a unit's name": func(dir string) error {
			n := m
			n.Units, n.Complete = m.Units[:1], false
			b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(unitPath(0, 0))))
			return errors.Join(err, n.write(dir), os.WriteFile(filepath.Join(dir, filepath.FromSlash(unitPath(0, 2))), b, 0o644))
		},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if err := damage(dir); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := Run(context.Background(), dir, d, RunOptions{Workers: 2}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameTrees(t, name, want, tree(t, dir))
	}
}

func TestOneProcessADirectory(t *testing.T) {
	dir := t.TempDir()
	held, err := dirlock.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := Run(context.Background(), dir, smallDesign(), RunOptions{}); !errors.Is(err, dirlock.ErrInUse) {
			t.Errorf("a second run in one directory: %v", err)
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches, d.Pairs = d.Agents[:1], nil, 4
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, dir)
	other := d
	other.Seed++
	if err := Run(context.Background(), dir, other, RunOptions{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("another design in the same directory: %v", err)
	}
	shard := filepath.Join(dir, filepath.FromSlash(unitPath(0, 0)))
	b, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(shard, b, 0o644); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"resume": Run(context.Background(), dir, d, RunOptions{}), "analysis": func() error { _, err := Analyse(dir); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "c0000-u000000.arrows") {
			t.Errorf("%s of a damaged shard: %v", what, err)
		}
	}
	if err := os.Remove(shard); err != nil {
		t.Fatal(err)
	}
	if _, err := Analyse(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("analysis without a listed shard: %v", err)
	}
	// Deleted, its games are played again.
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Errorf("resume without a listed shard: %v", err)
	}
	sameTrees(t, "a shard played again", want, tree(t, dir))
	// But only as they were: other games than the manifest lists are not slipped in.
	m, _, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Units[0].SHA256 = strings.Repeat("0", 64)
	if err := errors.Join(m.write(dir), os.Remove(shard)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Run(context.Background(), dir, d, RunOptions{}); !errors.Is(err, ErrDamaged) || strings.Contains(err.Error(), "invalid design") {
			t.Errorf("other games in place of a lost shard: %v", err)
		}
	}
}

// batcher is a random agent that chooses for many games at once, and counts how
// many.
type batcher struct {
	*mcts.Random
	mu    *sync.Mutex
	sizes *[]int
}

func (b batcher) ChooseBatch(states []*engine.State, rngs []*rand.Rand, out []mcts.Decision) error {
	b.mu.Lock()
	*b.sizes = append(*b.sizes, len(states))
	b.mu.Unlock()
	for i, s := range states {
		d, err := b.Choose(s, rngs[i])
		if err != nil {
			return err
		}
		out[i] = d
	}
	return nil
}

func (batcher) NetworkHash() string { return "feed" }

// TestBatchAgentsPlayAUnitAtOnce: an agent with the power to choose in batches is
// asked about the unit's games together, and plays the same games as without it.
func TestBatchAgentsPlayAUnitAtOnce(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches, d.UnitPairs = d.Agents[:1], nil, 5
	var mu sync.Mutex
	var sizes []int
	one, many := t.TempDir(), t.TempDir()
	if err := Run(context.Background(), one, d, RunOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	factory := func(mcts.Spec, *engine.Game, string) (mcts.Agent, error) {
		return batcher{mcts.NewRandom(), &mu, &sizes}, nil
	}
	if err := Run(context.Background(), many, d, RunOptions{Workers: 1, Factory: factory}); err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, n := range sizes {
		most = max(most, n)
	}
	if most != 10 {
		t.Errorf("at most %d games were asked about at once, want the 10 of a unit", most)
	}
	x, err := datasets.ReadGames(filepath.Join(one, filepath.FromSlash(unitPath(1, 1))), nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := datasets.ReadGames(filepath.Join(many, filepath.FromSlash(unitPath(1, 1))), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if fmt.Sprint(x[i].Moves) != fmt.Sprint(y[i].Moves) {
			t.Errorf("game %d differs", i)
		}
		if y[i].NetworkHash0 != "feed" || y[i].NetworkHash1 != "feed" {
			t.Errorf("game %d names the networks %q and %q", i, y[i].NetworkHash0, y[i].NetworkHash1)
		}
	}
	swapped := func(mcts.Spec, *engine.Game, string) (mcts.Agent, error) { return otherNetwork{mcts.NewRandom()}, nil }
	if err := os.Remove(filepath.Join(many, filepath.FromSlash(unitPath(1, 1)))); err != nil {
		t.Fatal(err)
	}
	m, _, err := ReadManifest(many)
	if err != nil {
		t.Fatal(err)
	}
	m.Units, m.Complete = m.Units[:2], false
	if err := m.write(many); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), many, d, RunOptions{Factory: swapped}); !errors.Is(err, ErrInvalid) {
		t.Errorf("resume with another network: %v", err)
	}
}

type otherNetwork struct{ *mcts.Random }

func (otherNetwork) NetworkHash() string { return "beef" }

// cheat plays an action that is not legal.
type cheat struct{}

func (cheat) Name() string { return "cheat" }
func (cheat) Choose(s *engine.State, _ *rand.Rand) (mcts.Decision, error) {
	return mcts.Decision{Action: engine.NoAction}, nil
}

func TestAgentErrorsStopTheRun(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches = d.Agents[:1], nil
	err := Run(context.Background(), t.TempDir(), d, RunOptions{Factory: func(mcts.Spec, *engine.Game, string) (mcts.Agent, error) { return cheat{}, nil }})
	if err == nil || !strings.Contains(err.Error(), "not legal") {
		t.Errorf("an illegal choice: %v", err)
	}
	d.Agents = []AgentRef{{Spec: "oracle:depth=3"}}
	err = Run(context.Background(), t.TempDir(), d, RunOptions{})
	if err == nil || !strings.Contains(err.Error(), "oracle") {
		t.Errorf("an unknown agent: %v", err)
	}
}

// TestRecordsCount replays stored games and counts again, independently.
func TestRecordsCount(t *testing.T) {
	for _, ref := range []string{"bell-8x7", "locus-ludi-seneca", "webdux"} {
		d := DefaultDesign()
		d.ID, d.Question, d.Rulesets, d.Agents = "count", "?", []RulesetRef{{Ref: ref}}, []AgentRef{{Spec: "random"}}
		d.Pairs, d.Cap = 4, 200
		dir := t.TempDir()
		if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
			t.Fatal(err)
		}
		games, err := datasets.ReadGames(filepath.Join(dir, filepath.FromSlash(unitPath(0, 0))), nil)
		if err != nil {
			t.Fatal(err)
		}
		g := envtest.Game(t, ref)
		for _, row := range games {
			s, err := g.ParsePosition(row.Start)
			if err != nil {
				t.Fatal(err)
			}
			begin := [2]int{onBoard(s, 0), onBoard(s, 1)}
			arrivals, turns, last := 0, 0, -1
			for i, m := range row.Moves {
				if s.ToMove() != last {
					turns++
				}
				last = s.ToMove()
				if k := s.PlyOf(engine.Action(m)).Kind; k == engine.Move || k == engine.Hop {
					arrivals++
				}
				if err := s.TryPlay(engine.Action(m)); err != nil {
					t.Fatalf("%s game %d ply %d: %v", ref, row.GameID, i, err)
				}
			}
			sum := 0
			for _, v := range row.Arrivals {
				sum += int(v)
			}
			if sum != arrivals || int(row.Turns) != turns {
				t.Errorf("%s: %d arrivals in %d turns, recorded %d in %d", ref, arrivals, turns, sum, row.Turns)
			}
			for p, taken := range [2]uint32{row.Captures0 + row.Removals0, row.Captures1 + row.Removals1} {
				if lost := begin[1-p] - onBoard(s, 1-p); lost != int(taken) {
					t.Errorf("%s: player %d took %d, recorded %d", ref, p, lost, taken)
				}
			}
			if s.Over() {
				if row.Outcome != s.Outcome().String() || row.EndReason != s.Reason().String() {
					t.Errorf("%s: ends %s %s, recorded %s %s", ref, s.Outcome(), s.Reason(), row.Outcome, row.EndReason)
				}
			} else if row.Outcome != "capped" || len(row.Moves) != d.Cap {
				t.Errorf("%s: unfinished after %d plies, recorded %s", ref, len(row.Moves), row.Outcome)
			}
		}
	}
}

// TestHostileDirectories: a directory that a stranger made gives an error, whatever
// is in it.
func TestHostileDirectories(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches, d.Pairs = d.Agents[:1], nil, 4
	good := t.TempDir()
	if err := Run(context.Background(), good, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	design := func(change func(*Design)) func(dir string, m *Manifest) error {
		return func(dir string, m *Manifest) error {
			x := d
			change(&x)
			m.DesignHash = x.Hash()
			return writeJSON(filepath.Join(dir, DesignFile), x)
		}
	}
	manifest := func(change func(*Manifest)) func(dir string, m *Manifest) error {
		return func(_ string, m *Manifest) error { change(m); return nil }
	}
	for name, damage := range map[string]func(dir string, m *Manifest) error{
		"no pairs":       design(func(d *Design) { d.Pairs = 0 }),
		"a level of 2":   design(func(d *Design) { d.Level = 2 }),
		"no margin":      design(func(d *Design) { d.Margin = 0 }),
		"unknown metric": design(func(d *Design) { d.Comparisons = []Comparison{{A: "a", B: "b", Metric: "beauty"}} }),
		"another design": func(dir string, m *Manifest) error {
			x := d
			x.Seed++
			return writeJSON(filepath.Join(dir, DesignFile), x)
		},
		"a huge board":     manifest(func(m *Manifest) { m.Cells[0].Rows = 1 << 40 }),
		"a negative board": manifest(func(m *Manifest) { m.Cells[0].Cols = -3 }),
		"no cells":         manifest(func(m *Manifest) { m.Cells = nil }),
		"another format":   manifest(func(m *Manifest) { m.Format = 9 }),
		"a path outside":   manifest(func(m *Manifest) { m.Units[0].Path = "../../etc/passwd" }),
		"no such shard":    manifest(func(m *Manifest) { m.Units[0].Path = "games/none.arrows" }),
		"wrong size":       manifest(func(m *Manifest) { m.Units[0].Games = 1 << 40 }),
		"swapped shards":   manifest(func(m *Manifest) { m.Units[0], m.Units[2] = unitAs(m.Units[2], 0, 0), unitAs(m.Units[0], 1, 0) }),
		"text for manifest": func(dir string, m *Manifest) error {
			return os.WriteFile(filepath.Join(dir, DesignFile), []byte("{"), 0o644)
		},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		m, _, err := ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := damage(dir, &m); err != nil {
			t.Fatal(err)
		}
		if err := m.write(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := Analyse(dir); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func unitAs(u UnitInfo, cell, unit int) UnitInfo { u.Cell, u.Unit = cell, unit; return u }

// TestFirstPlayerIsNamedRight: in Luductus the player who places first moves
// second, and a sentence about the first player must say so.
func TestFirstPlayerIsNamedRight(t *testing.T) {
	d := DefaultDesign()
	d.ID, d.Question, d.Rulesets, d.Agents = "luductus", "?", []RulesetRef{{Ref: "luductus"}}, []AgentRef{{Spec: "random"}}
	d.Pairs = 4
	a, dir := analysed(t, d)
	if s := a.Findings[0].Sentence; !strings.Contains(s, "places first and moves second") {
		t.Errorf("the sentence hides who moves first: %s", s)
	}
	games, err := datasets.ReadGames(filepath.Join(dir, filepath.FromSlash(unitPath(0, 0))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(games[0].Start, " 1 movement") {
		t.Errorf("the start %q has player 0 to move", games[0].Start)
	}
}

func TestPlan(t *testing.T) {
	d := smallDesign()
	var calls [][2]int
	p, err := MakePlan(context.Background(), d, nil, 2, 8, time.Minute, func(done, total int) { calls = append(calls, [2]int{done, total}) })
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Cells); len(calls) != n+1 || calls[0] != [2]int{0, n} || calls[n] != [2]int{n, n} {
		t.Errorf("progress was told %v", calls)
	}
	if p.Games != 120 || len(p.Cells) != 6 || p.CPUSeconds <= 0 || p.PairsForMargin < 100 {
		t.Errorf("plan %+v", p)
	}
	if p.Answers || len(p.Refusals) == 0 || p.PairsNeeded < 100 || !errors.Is(p.Refusal(), ErrInvalid) || !strings.Contains(p.Refusal().Error(), fmt.Sprintf("pairs: %d", p.PairsNeeded)) {
		t.Errorf("ten pairs are not refused: %v", p.Refusal())
	}
	d.Exploratory = true
	if p, err = MakePlan(context.Background(), d, nil, 2, 2, time.Minute, nil); err != nil || p.Refusal() != nil || p.Answers {
		t.Errorf("an exploratory design: %v, %v", err, p.Refusal())
	}
	d.Cap = 3
	if p, err = MakePlan(context.Background(), d, nil, 2, 8, time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(p.Refusals, "\n"), "stopped by the cap") {
		t.Errorf("a cap of three plies is not refused: %v", p.Refusals)
	}
}

// onBoard counts a player's pieces on the board.
func onBoard(s *engine.State, player int) int {
	men, leaders, _ := s.Pieces(player)
	return men + leaders
}
