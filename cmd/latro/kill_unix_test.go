//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"latro/selfplay"
)

// kills is the number of SIGKILLs: ten if LATRO_KILL is 1, else few, since the machine may be slow.
func kills() int {
	if os.Getenv("LATRO_KILL") == "1" {
		return 10
	}
	return 2
}

// killJob is a command that is killed again and again.
type killJob struct {
	args func(dir string) []string
	// finished are the files that were reported finished, by name, and the files of games among them.
	finished func(t *testing.T, dir string) (all map[string]string, games []string)
}

func TestKillLearn(t *testing.T) {
	killed(t, 11, killJob{
		args: func(dir string) []string {
			return []string{"learn", dir, "--config", tinyRun, "--generations", "3", "--workers", "2"}
		},
		// A game of a run is finished when the manifest lists its shard.
		finished: func(t *testing.T, dir string) (map[string]string, []string) {
			data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			if os.IsNotExist(err) {
				return nil, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			var m selfplay.Manifest
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatalf("the manifest is damaged: %v", err)
			}
			all := map[string]string{}
			var games []string
			for _, s := range m.Shards {
				all[s.Games.Path], all[s.Samples.Path] = s.Games.SHA256, s.Samples.SHA256
				games = append(games, filepath.Join(dir, s.Games.Path))
			}
			for _, c := range m.Checkpoints {
				all[c.Path] = c.SHA256
			}
			return all, games
		},
	})
}

func TestKillExperiment(t *testing.T) {
	killed(t, 12, killJob{
		args: func(dir string) []string {
			return []string{"experiment", "run", tinyDesign, "--out", dir, "--workers", "2"}
		},
		// A game of an experiment is finished when its shard has its name.
		finished: func(t *testing.T, dir string) (map[string]string, []string) {
			all := map[string]string{}
			games := glob(t, dir, "games", "*.arrows")
			for _, g := range games {
				data, err := os.ReadFile(g)
				if err != nil {
					t.Fatal(err)
				}
				all["games/"+filepath.Base(g)] = string(data)
			}
			return all, games
		},
	})
}

// TestKillLadder: a ladder that was killed goes on from its results file, to the same file and the same ratings.
func TestKillLadder(t *testing.T) {
	dir := t.TempDir()
	args := func(name string) []string {
		return ladderArgs("--against", "greedy,uct:simulations=100,random", "--games", "60", "--json", "--out", filepath.Join(dir, name))
	}
	whole := start(t, nil, args("whole")...)
	if whole.wait(t) != exitDone {
		t.Fatal(whole.err.String())
	}
	killed := 0
	for range 40 {
		p, ended := start(t, nil, args("killed")...), make(chan struct{})
		if killed < kills() {
			had := bytesBelow(t, dir)["killed"]
			// The file is written whenever a match is finished: kill after the first that is new.
			go func() {
				for {
					select {
					case <-ended:
						return
					case <-time.After(time.Millisecond):
						if data, err := os.ReadFile(filepath.Join(dir, "killed")); err == nil && string(data) != had {
							p.cmd.Process.Signal(syscall.SIGKILL)
							return
						}
					}
				}
			}()
		}
		code := p.wait(t)
		close(ended)
		switch code {
		case -1:
			killed++
		case exitDone:
			if files := bytesBelow(t, dir); files["killed"] != files["whole"] || p.out.String() != whole.out.String() {
				t.Errorf("after %d kills another ladder:\n%s\nwant\n%s", killed, p.out.String(), whole.out.String())
			}
			if killed == 0 {
				t.Error("the ladder ended before it could be killed")
			}
			return
		default:
			t.Fatalf("exit code %d\n%s", code, p.err.String())
		}
	}
	t.Fatal("the ladder does not end")
}

// killed runs the job in processes that are killed at random moments and started again. After every kill what was
// reported finished before is there unchanged, and no game is there twice; in the end there are the bytes of a run
// that nobody killed. When a directory is complete before all kills are spent, the next is begun.
func killed(t *testing.T, seed uint64, job killJob) {
	whole := filepath.Join(t.TempDir(), "whole")
	began := time.Now()
	if p := start(t, nil, job.args(whole)...); p.wait(t) != exitDone {
		t.Fatal(p.err.String())
	}
	typical := time.Since(began)
	want := bytesBelow(t, whole)

	rng := rand.New(rand.NewPCG(seed, seed))
	left, rounds, resumed := kills(), 0, 0
	var seen map[string]string // finished files of the directory
	for part := 0; ; part++ {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("run-", part))
		seen = nil
		for {
			if rounds++; rounds > 40 {
				t.Fatalf("%d kills of %d after %d starts", kills()-left, kills(), rounds)
			}
			p := start(t, nil, job.args(dir)...)
			if left > 0 {
				// From 10 ms to the time of a whole run, short ones as likely as long ones on a scale
				// of ratios, so that kills fall into the start as well as into the work.
				ratio := math.Log(max(2, float64(typical)/float64(10*time.Millisecond)))
				time.AfterFunc(time.Duration(float64(10*time.Millisecond)*math.Exp(rng.Float64()*ratio)), func() {
					p.cmd.Process.Signal(syscall.SIGKILL)
				})
			}
			code := p.wait(t)
			files, games := job.finished(t, dir)
			for name, sum := range seen {
				if now, ok := files[name]; !ok {
					t.Errorf("start %d: %s was finished and is lost", rounds, name)
				} else if now != sum {
					t.Errorf("start %d: %s was finished and is another now", rounds, name)
				}
			}
			if len(seen) > 0 {
				resumed++
			}
			seen = files
			gameIDs(t, games)
			if len(games) > 0 {
				latro(t, exitDone, "data", "verify", dir)
			}
			if code == exitDone {
				break
			}
			if code != -1 {
				t.Fatalf("start %d: exit code %d\n%s", rounds, code, p.err.String())
			}
			left--
		}
		sameBytes(t, dir, bytesBelow(t, dir), want)
		for name := range bytesBelow(t, dir) {
			if strings.HasSuffix(name, ".atomic-tmp") {
				t.Errorf("%s is left half written", name)
			}
		}
		if left == 0 {
			break
		}
	}
	t.Logf("%d kills in %d starts, %d of them on finished work; a run takes %v", kills(), rounds, resumed, typical)
}

// TestInterrupt: a first SIGINT ends every command that takes time, also one that waits for a person, with exit
// code 130; the same command then goes on.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	run, experiment := filepath.Join(dir, "run"), filepath.Join(dir, "experiment")
	long, ladder := filepath.Join(dir, "long.yaml"), filepath.Join(dir, "ladder.json")
	design, err := os.ReadFile(tinyDesign)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(long, []byte(strings.Replace(string(design), "pairs: 12", "pairs: 100000", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	atWork := func(p *process) bool { return p.out.String()+p.err.String() != "" }
	for _, c := range []struct {
		args  []string
		ready func(p *process) bool // the command is at work
	}{
		{[]string{"learn", run, "--config", tinyRun, "--generations", "100000"}, func(*process) bool { return len(glob(t, run, "shards", "*")) > 2 }},
		{[]string{"experiment", "run", long, "--out", experiment}, func(*process) bool { return len(glob(t, experiment, "games", "*.arrows")) > 2 }},
		{[]string{"rules", "perft", "bell-8x7", "--depth", "20"}, atWork},
		{[]string{"play", "bell-8x7", "--agent", "none"}, atWork},
		{[]string{"match", "random", "greedy", "-r", "bell-8x7", "--games", "100000"}, atWork},
		{[]string{"ladder", "--against", "random,greedy", "-r", "bell-8x7", "--games", "100000", "--out", ladder}, atWork},
	} {
		t.Run(c.args[0]+" "+c.args[1], func(t *testing.T) {
			p := start(t, nil, c.args...)
			for deadline := time.Now().Add(time.Minute); !c.ready(p); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the command does not get to work")
				}
			}
			if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := p.wait(t); code != exitInterrupted {
				t.Fatalf("exit code %d\n%s", code, p.err.String())
			}
			wantIn(t, p.err.String(), "latro: interrupted")
		})
	}
	latro(t, exitDone, "data", "verify", run)
	latro(t, exitDone, "data", "verify", experiment)
	latro(t, exitDone, "selfplay", run)
}
