package datasets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestManifestSurvivesReopening(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "shards"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "manifest.json")
	m, err := OpenManifest(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Meta = map[string]string{"seed": "7"}
	var infos []ShardInfo
	for i := range 3 {
		info, err := WriteSamples(filepath.Join(dir, "shards", ShardName(Samples, i)), randomSamples(testRNG(uint64(i)), 5+i), nil)
		if err != nil {
			t.Fatal(err)
		}
		info.Generation = uint32(i)
		infos = append(infos, info)
	}
	games, err := WriteGames(filepath.Join(dir, "shards", ShardName(Games, 0)), randomGames(testRNG(1), 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Add(infos[0], games); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(infos[1]); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(infos[1]); err != nil { // again, as after a crash
		t.Fatal(err)
	}
	orphans, err := m.Orphans("shards")
	if err != nil || !slices.Equal(orphans, []string{"shards/samples-000002.arrows"}) {
		t.Fatalf("orphans %v, %v", orphans, err)
	}
	again, err := OpenManifest(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.Shards, m.Shards) || again.Meta["seed"] != "7" || len(again.Shards) != 3 {
		t.Fatalf("reopened as %+v", again)
	}
	if got := again.Of(Samples); len(got) != 2 || again.Rows(Samples) != 11 || again.Rows(Games) != 2 || got[1].Generation != 1 {
		t.Fatalf("samples %+v", got)
	}
	if err := again.Verify(); err != nil {
		t.Fatal(err)
	}
	s := again.Of(Samples)[1]
	if rows, err := ReadSamples(again.Resolve(s), &s); err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}

	// Shards never change.
	changed := infos[0]
	changed.SHA256 = strings.Repeat("0", 64)
	if err := again.Add(infos[2], changed); err == nil {
		t.Fatal("a listed shard changed")
	}
	if _, ok := again.Find("shards/samples-000002.arrows"); ok {
		t.Fatal("a refused Add changed the list")
	}
	outside := infos[2]
	outside.Path = filepath.Join(dir, "..", "x.arrows")
	if err := again.Add(outside); err == nil {
		t.Fatal("a shard outside the run was listed")
	}
}

func TestManifestVerifyNamesEveryFault(t *testing.T) {
	dir := t.TempDir()
	m, err := OpenManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		info, err := WriteSamples(filepath.Join(dir, ShardName(Samples, i)), randomSamples(testRNG(uint64(i)), 5), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(info); err != nil {
			t.Fatal(err)
		}
	}
	flipped := m.Resolve(m.Shards[0])
	b, err := os.ReadFile(flipped)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(flipped, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.Resolve(m.Shards[2])); err != nil {
		t.Fatal(err)
	}
	err = m.Verify()
	if !errors.Is(err, ErrDamaged) || !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v", err)
	}
	if s := err.Error(); !strings.Contains(s, ShardName(Samples, 0)) || !strings.Contains(s, ShardName(Samples, 2)) || strings.Contains(s, ShardName(Samples, 1)) {
		t.Fatalf("%v", err)
	}
}

func TestManifestRefusesBadFiles(t *testing.T) {
	sum := strings.Repeat("a", 64)
	for name, content := range map[string]string{
		"not JSON":  "x",
		"cut":       `{"format": "latro.manifest", "version": 1, "sha`,
		"foreign":   `{"format": "other", "version": 1}`,
		"newer":     `{"format": "latro.manifest", "version": 2}`,
		"escape":    `{"format": "latro.manifest", "version": 1, "shards": [{"path": "../../etc/passwd", "sha256": "` + sum + `"}]}`,
		"absolute":  `{"format": "latro.manifest", "version": 1, "shards": [{"path": "/etc/passwd", "sha256": "` + sum + `"}]}`,
		"twice":     `{"format": "latro.manifest", "version": 1, "shards": [{"path": "a", "sha256": "` + sum + `"}, {"path": "a", "sha256": "` + sum + `"}]}`,
		"rows":      `{"format": "latro.manifest", "version": 1, "shards": [{"path": "a", "rows": 18446744073709551615, "sha256": "` + sum + `"}]}`,
		"no digest": `{"format": "latro.manifest", "version": 1, "shards": [{"path": "a"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "manifest.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := OpenManifest(path)
		if err == nil || !strings.Contains(err.Error(), path) || !(errors.Is(err, ErrDamaged) || errors.Is(err, ErrSchema)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
