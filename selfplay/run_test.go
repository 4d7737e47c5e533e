package selfplay

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/env/envtest"
	"latro/mcts"
	"latro/nn"
)

// tiny is a shrunken Bell on which a generation takes a fraction of a second.
func tiny() Config {
	c := DefaultConfig("bell-8x7")
	c.Set = []string{"board.rows=5", "board.cols=5", "pieces.men=4"}
	c.Network = "1x16"
	c.Generations, c.Games, c.GamesPerShard, c.MaxPlies = 2, 6, 2, 60
	c.Search.Simulations = 6
	c.Training.BatchSize, c.Training.MinSamples, c.Training.Reuse = 16, 32, 0.5
	return c
}

// files reads every file of a run that must not depend on time or workers.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || d.Name() == "log" {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t *testing.T, a, b map[string]string) {
	t.Helper()
	for name := range a {
		if _, ok := b[name]; !ok {
			t.Errorf("%s is in one run only", name)
		} else if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d files and %d files", len(a), len(b))
	}
}

func learn(t *testing.T, dir string, c Config, o Options) error {
	t.Helper()
	r, err := Create(dir, c)
	if errors.Is(err, ErrExists) {
		r, err = Open(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Learn(t.Context(), o)
}

func TestWorkersDoNotChangeBytes(t *testing.T) {
	one, three := t.TempDir(), t.TempDir()
	if err := learn(t, one, tiny(), Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if err := learn(t, three, tiny(), Options{Workers: 3}); err != nil {
		t.Fatal(err)
	}
	a := files(t, one)
	same(t, a, files(t, three))
	if _, ok := a["checkpoints/gen-0002.latro"]; !ok {
		t.Errorf("no checkpoint of the last generation among %d files", len(a))
	}
}

// A run stopped after a few events, each time some more, and taken up again ends with the bytes of a run that was never
// stopped.
func TestStoppedRunsResumeToTheSameBytes(t *testing.T) {
	whole, broken := t.TempDir(), t.TempDir()
	if err := learn(t, whole, tiny(), Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
	r, err := Create(broken, tiny())
	if err != nil {
		t.Fatal(err)
	}
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := r.Learn(ctx, Options{Workers: 1, Observe: func(e Event) {
			if n++; n > 2+stops && e.Kind != "checkpoint" {
				cancel()
			}
		}})
		cancel()
		r.Close()
		if err == nil {
			if stops < 3 {
				t.Errorf("stopped only %d times", stops)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops > 200 {
			t.Fatal("the run does not come to its end")
		}
		// What a kill leaves behind must not matter.
		if err := os.WriteFile(filepath.Join(broken, "shards", ".gen-0000-000.samples.arrow.tmp1"), []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err = Open(broken); err != nil {
			t.Fatal(err)
		}
	}
	same(t, files(t, whole), files(t, broken))
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	r, err := Create(dir, tiny())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second opening: %v", err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	dir := t.TempDir()
	c := tiny()
	c.Generations = 1
	if err := learn(t, dir, c, Options{}); err != nil {
		t.Fatal(err)
	}
	damage := func(name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"checkpoints/gen-0001.latro", "checkpoints/gen-0001.optimiser", "shards/gen-0000-000.samples.arrow"} {
		damage(name)
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		r.Config.Generations = 2
		err = r.Learn(t.Context(), Options{})
		r.Close()
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s damaged: %v", name, err)
		}
		damage(name) // flips the bit back
	}
}

// A run whose ruleset is a file that is gone says so, and does not deny that it is a run.
func TestMissingRulesetFileIsNamed(t *testing.T) {
	example, err := os.ReadFile(filepath.Join("..", "docs", "examples", "seven-squares.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, example, 0o644); err != nil {
		t.Fatal(err)
	}
	c := tiny()
	c.Ruleset, c.Set = file, nil
	dir := t.TempDir()
	r, err := Create(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "mine.yaml") || strings.Contains(err.Error(), "no run.yaml") {
		t.Errorf("the error is %v", err)
	}
}

func TestConfigurationErrorsNameTheirFields(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ruleset: bell-8x7\ngamse: 3\n", "gamse"},
		{"ruleset: bell-8x7\ngames: 0\n", "games"},
		{"ruleset: bell-9x9\n", "bell-9x9"},
		{"ruleset: bell-8x7\nnetwork: 4by32\n", "4by32"},
		{"ruleset: bell-8x7\nsearch:\n  full_share: 2\n", "full_share"},
		{"ruleset: bell-8x7\nset: [board.rows=99]\n", "board.rows"},
		{"- 1\n", "test.yaml"},
	} {
		_, err := ParseConfig("test.yaml", []byte(c.text))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "test.yaml") {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestCheckpointOfAnotherRulesetIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := tiny()
	c.Generations = 1
	if err := learn(t, dir, c, Options{}); err != nil {
		t.Fatal(err)
	}
	spec := mcts.Spec{Kind: "net", Options: map[string]string{"run": dir, "simulations": "2"}}
	for _, other := range []struct {
		set  []string
		want string
	}{
		{append([]string{"end.no_capture_limit=60"}, c.Set...), "was trained on"},
		{nil, "board is"},
	} {
		rs, game := envtest.Open(t, "bell-8x7", other.set...)
		_, err := new(Agents).New(spec, game, rs.Hash())
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), other.want) {
			t.Errorf("with %v: %v", other.set, err)
		}
	}
}

// A run may begin with the weights of a network of another board, ruleset and depth, and keeps them as its own
// generation 0: the other file is not needed any more.
func TestInitFrom(t *testing.T) {
	parent := t.TempDir()
	c := tiny()
	c.Generations = 1
	if err := learn(t, parent, c, Options{}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(parent, "checkpoints/gen-0001.latro")
	old, err := nn.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if names, ok := old.RecordedInputs(); !ok || len(names.Planes) != old.Shape.Planes || old.Meta[MetaEncoding] == "" {
		t.Errorf("a run's network does not say what it reads: %v", old.Meta)
	}

	dir := t.TempDir()
	c = tiny()
	c.Ruleset, c.Set = "webdux", []string{"board.rows=6", "board.cols=6", "pieces.men=5", "setup.kind=placement", "setup.zone=anywhere", "setup.array=", "setup.per_turn=1", "setup.leader=after-all-men"}
	c.Network, c.InitFrom, c.Generations = "2x16", file, 1
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	if err := learn(t, dir, c, Options{Observe: func(e Event) {
		if e.Kind == "carried" {
			lines[e.Line.Action]++
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if lines["kept"] == 0 || lines["kept in part"]+lines["initialised"] == 0 {
		t.Errorf("told of %v", lines)
	}
	first, err := nn.Load(filepath.Join(dir, "checkpoints/gen-0000.latro"))
	if err != nil {
		t.Fatal(err)
	}
	// New blocks come before the old last one.
	if was, is := old.Tensor("block0.conv1.weight"), first.Tensor("block1.conv1.weight"); was == nil || !slices.Equal(was.Data, is.Data) {
		t.Error("the first convolution was not taken over")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Learn(t.Context(), Options{Generations: 2}); err != nil {
		t.Errorf("without the parent: %v", err)
	}
	c.InitFrom = filepath.Join(dir, "none.latro")
	none := filepath.Join(t.TempDir(), "none")
	if _, err := Create(none, c); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "init_from") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a run that cannot begin is there")
	}
}

// TestOptimiserOfRuns: a run's file chooses optimiser and schedule, and they are what trains; left out, nothing of
// them is written.
func TestOptimiserOfRuns(t *testing.T) {
	text, err := tiny().marshal()
	if err != nil || strings.Contains(string(text), "optimizer") || strings.Contains(string(text), "schedule") || strings.Contains(string(text), "momentum") {
		t.Fatalf("%s, %v", text, err)
	}
	if got, want := tiny().Training.solver(), nn.DefaultTrainConfig(); got.Optimizer != want.Optimizer || got.WarmupSteps != want.WarmupSteps || got.Momentum != want.Momentum {
		t.Errorf("left out: %+v", got)
	}
	chosen := `training: {optimizer: sgd, momentum: 0, learning_rate: 0.05, warmup_steps: 0, schedule: cosine, schedule_steps: 40, final_rate: 0.001}`
	c, err := DecodeConfig("c.yaml", []byte(chosen), tiny())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s := c.Training.solver()
	if s.Optimizer != nn.SGD || s.Momentum != 0 || s.LearningRate != 0.05 || s.WarmupSteps != 0 || s.Schedule != nn.Cosine || s.ScheduleSteps != 40 || s.FinalRate != 0.001 {
		t.Errorf("%+v", s)
	}
	// The same in a run that goes on from its own directory.
	c.Generations = 2
	whole, parts := t.TempDir(), t.TempDir()
	if err := learn(t, whole, c, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := learn(t, parts, c, Options{Generations: 1}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(parts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Learn(t.Context(), Options{Generations: 2}); err != nil {
		t.Fatal(err)
	}
	name := checkpointName(2)
	a, errA := nn.Load(filepath.Join(whole, name))
	b, errB := nn.Load(filepath.Join(parts, name))
	if errA != nil || errB != nil || a.Hash() != b.Hash() || a.Step == 0 {
		t.Errorf("an interrupted run differs: %v, %v", errA, errB)
	}
	for text, want := range map[string]string{
		"training: {optimizer: lion}":   "training.optimizer",
		"training: {schedule: cosine}":  "training.schedule_steps",
		"training: {schedule: step}":    "training.schedule",
		"training: {momentum: 1}":       "training.momentum",
		"training: {warmup_steps: -1}":  "training.warmup_steps",
		"training: {final_rate: 1}":     "training.final_rate",
		"training: {warmup_steps: 1.5}": "whole number",
	} {
		c, err := DecodeConfig("c.yaml", []byte(text), tiny())
		if err == nil {
			err = c.Validate()
		}
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
