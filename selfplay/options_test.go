package selfplay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is off by default is not in run.yaml, so that the files of runs say what decides them and nothing else.
func TestDefaultsLeaveOutWhatIsOff(t *testing.T) {
	text, err := DefaultConfig("bell-8x7").marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"value_loss", "resign", "temperature", "gating", "rulesets"} {
		if strings.Contains(string(text), key) {
			t.Errorf("%s is in run.yaml:\n%s", key, text)
		}
	}
}

// A run that began before there were auxiliary targets and surprise goes on without them.
func TestOldRunsKeepWhatTheyDoNotName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.yaml")
	if err := os.WriteFile(path, []byte("ruleset: bell-8x7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Training; n.Surprise != 0 || n.SurvivalLoss != 0 || n.PliesLoss != 0 || n.ReplyLoss != 0 {
		t.Errorf("training %+v", n)
	}
	if c, err = ParseConfig(path, []byte("ruleset: bell-8x7\n")); err != nil || c.Training.Surprise == 0 || c.Training.ReplyLoss == 0 {
		t.Errorf("a new configuration: %+v, %v", c.Training, err)
	}
}

// Each option is checked, and its error names its field.
func TestOptionsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"training: {surprise: 1.5}":                     "training.surprise",
		"training: {surprise: .nan}":                    "training.surprise",
		"training: {value_loss: -1}":                    "training.value_loss",
		"training: {survival_loss: -1}":                 "training.survival_loss",
		"training: {plies_loss: 101}":                   "training.plies_loss",
		"training: {reply_loss: .inf}":                  "training.reply_loss",
		"opening: {temperature: 1}":                     "opening.temperature_plies",
		"opening: {temperature_plies: 4}":               "opening.temperature",
		"opening: {temperature: -1}":                    "opening.temperature",
		"resign: {threshold: 1.5}":                      "resign.threshold",
		"resign: {plies: 2}":                            "resign.threshold",
		"resign: {threshold: 0.9, plies: -1}":           "resign.plies",
		"resign: {threshold: 0.9, plies: 1.5}":          "whole number",
		"resign: {threshold: 0.9, audit_share: 2}":      "resign.audit_share",
		"resign: {threshold: 0.9, max_false_rate: -1}":  "resign.max_false_rate",
		"resign: {threshold: 0.9, max_false_rates: .1}": "max_false_rates",
		"gating: {games: 3}":                            "gating.games",
		"gating: {min_score: 0.5}":                      "gating.games",
		"gating: {games: 2, min_score: 1.5}":            "gating.min_score",
		"gating: {games: 2, simulations: -1}":           "gating.simulations",
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

// An error names the line of the file that gave the value, and none if a flag gave another one.
func TestErrorsNameTheirLines(t *testing.T) {
	text := "seed: 3\nsearch:\n  full_share: 2.0\ntraining: {optimizer: lion,\n  batch_size: 5000, surprise: .nan}\ngames: 0\n"
	c, err := DecodeConfig("c.yaml", []byte(text), tiny())
	if err != nil {
		t.Fatal(err)
	}
	err = c.Validate()
	for _, want := range []string{"c.yaml:3:15: search.full_share is 2;", "c.yaml:4:23: training.optimizer is", "c.yaml:5:15: training.batch_size is 5000;",
		"c.yaml:5:31: training.surprise is NaN;", "c.yaml:6:8: games is 0;"} {
		if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	c.Games = -7
	if err := c.Validate(); !strings.Contains(err.Error(), "games is -7") || strings.Contains(err.Error(), "c.yaml:6") {
		t.Errorf("a value that the file does not have: %v", err)
	}
}

// The examples of the manual are configurations.
func TestExamplesOfTheManual(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "methods.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 || !strings.HasPrefix(strings.TrimSpace(block), "training:") {
			continue
		}
		n++
		c, err := DecodeConfig("methods.md", []byte(block), tiny())
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", block, err)
		}
	}
	if n < 2 {
		t.Errorf("found %d examples", n)
	}
}

// A manifest whose thresholds were changed by hand is refused.
func TestThresholdsOfTheManifestAreChecked(t *testing.T) {
	dir := t.TempDir()
	c := tiny()
	c.Resign = ResignConfig{Threshold: 0.5, MaxFalseRate: 0.1}
	r, err := Create(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"[0, 0]", "[2]", "[-1]"} {
		changed := strings.Replace(string(text), `"shards"`, `"resign_thresholds": `+bad+`, "shards"`, 1)
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "resign_thresholds") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
