package experiments

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestManifestsChangedByHand: what somebody edits in a manifest is noticed, with its
// seal or without, and a manifest that was deleted is made anew with the same bytes.
func TestManifestsChangedByHand(t *testing.T) {
	d := smallDesign()
	d.Agents, d.Matches, d.Pairs = d.Agents[:1], nil, 2
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ManifestFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Replace(good, []byte(`"title": "`), []byte(`"title": "The fair `), 1)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"analysis": func() error { _, err := Analyse(dir); return err }(), "run": Run(context.Background(), dir, d, RunOptions{})} {
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%s of a manifest with another title: %v", what, err)
		}
	}
	// Those who also make the seal are told what does not fit the frozen design.
	if err := os.WriteFile(path, good, 0o666); err != nil {
		t.Fatal(err)
	}
	m, _, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*Manifest){
		"other rules than": func(m *Manifest) {
			m.Rulesets[0].Params = map[string]string{"capture.edge": "hostile"}
		},
		"parameter": func(m *Manifest) { m.Rulesets[0].Params = map[string]string{"capture.nothing": "1"} },
		"twice":     func(m *Manifest) { m.Units = append(append([]UnitInfo{}, m.Units...), m.Units[0]) },
		"cell 9":    func(m *Manifest) { m.Units = append(append([]UnitInfo{}, m.Units...), UnitInfo{Cell: 9}) },
		"cell 1":    func(m *Manifest) { m.Cells[1].Name = m.Cells[0].Name },
		"networks":  func(m *Manifest) { m.Cells[0].NetworkA = "feed" },
		"which is games/c0000-u000000.arrows with 4": func(m *Manifest) {
			m.Units = append([]UnitInfo{}, m.Units...)
			last := m.Units[len(m.Units)-1]
			m.Units[0].Path, m.Units[0].SHA256, m.Units[0].Bytes = last.Path, last.SHA256, last.Bytes
		},
		"with 5 games": func(m *Manifest) {
			m.Units = append([]UnitInfo{}, m.Units...)
			m.Units[0].Games = 5
		},
	} {
		n := m
		n.Rulesets = append([]ManifestRuleset{}, m.Rulesets...)
		n.Cells = append([]CellInfo{}, m.Cells...)
		change(&n)
		if err := n.write(dir); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadManifest(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, good) {
		t.Errorf("the manifest that was made anew differs, %v", err)
	}
}

// TestHugeFilesCostNothing: a manifest or a design that is too long is refused by its
// length, before any of it is read.
func TestHugeFilesCostNothing(t *testing.T) {
	for _, name := range []string{ManifestFile, DesignFile} {
		dir := t.TempDir()
		if err := writeDesign(dir, smallDesign()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		// A hole, not bytes on the disk.
		if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 3<<30)); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := ReadManifest(dir)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s of 3 GB: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
			t.Errorf("%s of 3 GB: %d bytes of memory were taken", name, n)
		}
	}
}
