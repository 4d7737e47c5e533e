package datasets

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"latro/datasets/atomicfile"
)

// crashDir names the directory in which the test binary, started again, writes
// shards until it is killed.
const crashDir = "LATRO_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := writeForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// crashShard returns the rows of shard number n.
func crashShard(n int) ([]Sample, []Game) {
	return randomSamples(testRNG(uint64(n)), 1+n*37%300), randomGames(testRNG(uint64(n)), 1+n*11%60)
}

// writeForever goes on where the manifest ends, as a run does.
func writeForever(dir string) error {
	m, err := OpenManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	for {
		n := len(m.Shards) / 2
		samples, games := crashShard(n)
		s, err := WriteSamples(filepath.Join(dir, ShardName(Samples, n)), samples, nil)
		if err != nil {
			return err
		}
		g, err := WriteGames(filepath.Join(dir, ShardName(Games, n)), games, nil)
		if err != nil {
			return err
		}
		if err := m.Add(s, g); err != nil {
			return err
		}
	}
}

// A process that is killed at any moment leaves a manifest that opens and files
// that are whole; started again it goes on, and nothing is lost or doubled.
func TestKilledWriterLosesNothing(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	rng := testRNG(50)
	before := 0
	for round := range 6 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), crashDir+"="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The last round must make progress, however slow the machine is.
		time.Sleep(time.Duration(50+rng.IntN(250)) * time.Millisecond)
		for deadline := time.Now().Add(20 * time.Second); round == 5 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if m, err := OpenManifest(filepath.Join(dir, "manifest.json")); err == nil && len(m.Shards) >= 6 {
				break
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("the writer was not killed: %v", err)
		}
		m, err := OpenManifest(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Verify(); err != nil {
			t.Fatal(err)
		}
		if len(m.Shards) < before {
			t.Fatalf("%d shards after %d", len(m.Shards), before)
		}
		before = len(m.Shards)
		orphans, err := m.Orphans("")
		if err != nil || len(orphans) > 2 {
			t.Fatalf("orphans %v, %v", orphans, err)
		}
		for _, o := range orphans {
			if rep, err := Verify(filepath.Join(dir, o), VerifyOptions{}); err != nil || !rep.OK() {
				t.Fatalf("%s: %+v, %v", o, rep, err)
			}
		}
		if _, err := atomicfile.RemoveStale(dir); err != nil {
			t.Fatal(err)
		}
	}
	m, err := OpenManifest(filepath.Join(dir, "manifest.json"))
	if err != nil || len(m.Shards) < 6 {
		t.Fatalf("%d shards, %v", len(m.Shards), err)
	}
	for i, s := range m.Of(Samples) {
		got, err := ReadSamples(m.Resolve(s), &s)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := crashShard(i)
		mustEqual(t, got, want)
	}
}
