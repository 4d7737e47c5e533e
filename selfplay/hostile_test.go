package selfplay

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a YAML decoder lets pass and a reader of the file would not expect.
func TestConfigurationTexts(t *testing.T) {
	for text, want := range map[string]string{
		"seed: 1.5":                           "c.yaml:1:7: seed is 1.5; it must be a whole number",
		"games: 2\nsearch: {simulations: .5}": "c.yaml:2:23: search.simulations is .5; it must be a whole number",
		"games: 2\n---\ngames: 3":             "a second document",
		"- games":                             "a list",
		strings.Repeat("[", 100000):           "too many nested brackets",
		"games: 2\nfoo: 1":                    `unknown field "foo"`,
	} {
		_, err := DecodeConfig("c.yaml", []byte(text), DefaultConfig("6x6-seega"))
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "c.yaml") {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	c, err := DecodeConfig("c.yaml", []byte("\ufeffgames: 2\r\ntraining:\r\n  reuse: 2\r\n  learning_rate: 0.5\r\n"), DefaultConfig("6x6-seega"))
	if err != nil || c.Games != 2 || c.Training.LearningRate != 0.5 {
		t.Errorf("byte-order mark and line ends of Windows: %+v, %v", c, err)
	}
	if _, err := ReadText(os.DevNull); !errors.Is(err, ErrInput) {
		t.Errorf("%s: %v", os.DevNull, err)
	}
}

// A manifest whose parts contradict each other is refused, and nothing in the run is touched.
func TestContradictingManifests(t *testing.T) {
	dir := t.TempDir()
	if err := learn(t, dir, tiny(), Options{Generations: 2}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "manifest.json")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	for name, change := range map[string]func(*Manifest){
		"generation is -1":                     func(m *Manifest) { m.Generation = -1 },
		"generation is 0":                      func(m *Manifest) { m.Generation = 0 },
		"generation is 99":                     func(m *Manifest) { m.Generation = 99 },
		"but 0 are listed":                     func(m *Manifest) { m.Checkpoints = nil },
		"is listed twice":                      func(m *Manifest) { m.Shards = append(m.Shards, m.Shards[0]) },
		"shards[0].unit is -5":                 func(m *Manifest) { m.Shards[0].Unit = -5 },
		"shards[0].generation is 9":            func(m *Manifest) { m.Shards[0].Generation = 9 },
		"shards[0].generation is -9":           func(m *Manifest) { m.Shards[0].Generation = -9 },
		`names "../x", which is outside the r`: func(m *Manifest) { m.Shards[0].Games.Path = "../x" },
	} {
		var m Manifest
		if err := json.Unmarshal(sound, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		if err := writeManifest(dir, m); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(dir); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
			if r != nil {
				r.Close()
			}
		}
	}
	if err := os.WriteFile(path, sound, 0o644); err != nil {
		t.Fatal(err)
	}
	same(t, before, files(t, dir))

	// A size of network that the checkpoints do not have.
	config := filepath.Join(dir, "run.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), "network: "+tiny().Network, "network: 3x8", 1)
	if err := os.WriteFile(config, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := learn(t, dir, tiny(), Options{Generations: 3}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "3x8") {
		t.Errorf("another network in run.yaml: %v", err)
	}
}

// Opening a run removes what a kill left of the run's own files, and nothing else.
func TestForeignFilesStay(t *testing.T) {
	dir := t.TempDir()
	if err := learn(t, dir, tiny(), Options{Generations: 1}); err != nil {
		t.Fatal(err)
	}
	stay, remove := filepath.Join(dir, "checkpoints", "my-copy.latro"), []string{
		filepath.Join(dir, "checkpoints", "gen-0007.latro"), filepath.Join(dir, "checkpoints", "gen-0007.optimiser"),
		filepath.Join(dir, "shards", "gen-0007-000.games.arrow"), filepath.Join(dir, "shards", ".gen-0007-000.games.arrow.12.atomic-tmp"),
	}
	for _, f := range append(remove, stay) {
		if err := os.WriteFile(f, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if _, err := os.Stat(stay); err != nil {
		t.Errorf("a file of someone else is gone: %v", err)
	}
	for _, f := range remove {
		if _, err := os.Stat(f); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
}

func TestWorkersAboveTheTrainersLimit(t *testing.T) {
	if err := learn(t, t.TempDir(), tiny(), Options{Generations: 1, Workers: 100000}); err != nil {
		t.Error(err)
	}
}

// A new run takes the place of nothing: neither of a run whose run.yaml was lost nor of another program's data.
func TestNewRunsReplaceNothing(t *testing.T) {
	lost := t.TempDir()
	if err := learn(t, lost, tiny(), Options{Generations: 1}); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(lost, "run.yaml")); err != nil {
		t.Fatal(err)
	}
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "manifest.json"), []byte(`{"format": 1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{lost, foreign} {
		before := files(t, dir)
		if r, err := Create(dir, tiny()); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "another directory") {
			t.Errorf("%v", err)
			if r != nil {
				r.Close()
			}
		}
		same(t, before, files(t, dir))
	}
	// What a kill between the two files of a new run leaves is no hindrance.
	killed := t.TempDir()
	r, err := Create(killed, tiny())
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := os.Remove(filepath.Join(killed, "run.yaml")); err != nil {
		t.Fatal(err)
	}
	if r, err = Create(killed, tiny()); err != nil {
		t.Fatal(err)
	}
	r.Close()
}
