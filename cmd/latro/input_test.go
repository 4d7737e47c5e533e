package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBadInput: each kind of wrong input gives exit code 2 and one clear error that names the file or the flag and
// what would be right, and changes nothing of what is there.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bell := latro(t, exitDone, "rules", "show", "bell-8x7", "--yaml").out
	unknownKey := write("unknown-key.yaml", strings.Replace(bell, "\ncapture:\n", "\ncapture:\n  corners: hostile\n", 1))
	impossible := write("impossible.yaml", strings.Replace(bell, "men: 16", "men: 40", 1))
	notYAML := write("not-yaml.yaml", "board: [rows: {\n")
	empty := write("empty.yaml", "")
	brackets := write("brackets.yaml", "a: "+strings.Repeat("[", 100_000))
	design, err := os.ReadFile(tinyDesign)
	if err != nil {
		t.Fatal(err)
	}
	badDesign := write("design.yaml", strings.Replace(string(design), "pairs: 12", "pears: 12", 1))
	badAgent := write("agent.yaml", strings.Replace(string(design), "agents: [random, greedy]", "agents: [random, gready]", 1))
	badFactor := write("factor.yaml", strings.Replace(string(design), "capture.corner", "capture.corners", 1))
	tiny, err := os.ReadFile(tinyRun)
	if err != nil {
		t.Fatal(err)
	}
	badRun := write("run.yaml", strings.Replace(string(tiny), "games:", "game:", 1))

	run := learned(t)
	net := glob(t, run, "checkpoints", "gen-0001.latro")[0]
	damaged := func(name, from string, change func([]byte) []byte) string {
		t.Helper()
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		return write(name, string(change(data)))
	}
	cutInHalf := func(b []byte) []byte { return b[:len(b)/2] }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 0x40; return b }
	shard := glob(t, run, "shards", "*.games.arrow")[0]
	cutShard := damaged("cut.games.arrow", shard, cutInHalf)
	cutNet := damaged("cut.latro", net, cutInHalf)
	flippedNet := damaged("flipped.latro", net, flip)

	// A run whose shard was cut short, and one whose newest checkpoint was.
	brokenShard, brokenNet := learned(t), learned(t)
	for _, path := range []string{
		filepath.Join(brokenShard, "shards", strings.Replace(filepath.Base(shard), "games", "samples", 1)),
		filepath.Join(brokenNet, "checkpoints", filepath.Base(net)),
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, cutInHalf(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// An experiment whose shard was cut short.
	experiment := filepath.Join(t.TempDir(), "experiment")
	latro(t, exitDone, "experiment", "run", tinyDesign, "--out", experiment, "--no-report")
	unit := glob(t, experiment, "games", "*")[0]
	if data, err := os.ReadFile(unit); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(unit, cutInHalf(data), 0o644); err != nil {
		t.Fatal(err)
	}

	match := func(agent string, more ...string) []string {
		return append([]string{"match", agent, "random", "--games", "2", "--max-plies", "20", "-r", "bell-8x7"}, more...)
	}
	before := []map[string]string{bytesBelow(t, brokenShard), bytesBelow(t, brokenNet), bytesBelow(t, experiment), bytesBelow(t, run)}
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"unknown key in a ruleset", []string{"rules", "check", unknownKey}, []string{"unknown-key.yaml:", "corners"}},
		{"unknown key in a ruleset, played", []string{"play", unknownKey}, []string{"unknown-key.yaml:", "corners"}},
		{"impossible ruleset", []string{"rules", "check", impossible}, []string{"impossible.yaml", "pieces.men", "41 pieces a side do not fit"}},
		{"impossible ruleset, learned", []string{"learn", filepath.Join(dir, "new"), "-r", impossible, "--generations", "1"}, []string{"pieces.men"}},
		{"impossible override", []string{"rules", "show", "bell-8x7", "--set", "pieces.men=40"}, []string{"pieces.men"}},
		{"unknown override", []string{"rules", "show", "bell-8x7", "--set", "pieces.man=4"}, []string{"pieces.man"}},
		{"unknown value", []string{"rules", "show", "bell-8x7", "--set", "capture.corner=friendly"}, []string{"capture.corner", "friendly", "hostile"}},
		{"override without a value", []string{"rules", "show", "bell-8x7", "--set", "capture.corner"}, []string{"capture.corner"}},
		{"unknown reading", []string{"rules", "show", "bell-8x7@nosuch"}, []string{"nosuch", "ludii"}},
		{"ruleset that is not YAML", []string{"rules", "check", notYAML}, []string{"not-yaml.yaml"}},
		{"empty ruleset", []string{"rules", "check", empty}, []string{"empty.yaml"}},

		{"truncated shard, verified", []string{"data", "verify", cutShard}, []string{"cut.games.arrow", "1 of 1 files have problems"}},
		{"truncated shard, exported", []string{"data", "export", cutShard}, []string{"cut.games.arrow"}},
		{"truncated shard, trained on", []string{"learn", brokenShard, "--generations", "2"}, []string{"samples.arrow", "bytes"}},
		{"truncated shard of an experiment, gone on with", []string{"experiment", "run", tinyDesign, "--out", experiment}, []string{filepath.Base(unit), "damaged"}},
		{"truncated shard of an experiment, reported", []string{"experiment", "report", experiment}, []string{filepath.Base(unit)}},

		{"checkpoint of another ruleset", match("net:path="+net+",simulations=2", "--set", "board.rows=5", "--set", "board.cols=5", "--set", "pieces.men=4", "--set", "end.no_capture_limit=60"), []string{"gen-0001.latro", "rules=any"}},
		{"checkpoint of another board", match("net:path=" + net + ",simulations=2"), []string{"gen-0001.latro", "8"}},
		{"checkpoint of another ruleset, played", []string{"play", "webdux", "--agent", "net:run=" + run}, []string{"gen-0001.latro"}},
		{"truncated checkpoint", match("net:path=" + cutNet), []string{"cut.latro"}},
		{"damaged checkpoint", match("net:path=" + flippedNet), []string{"flipped.latro"}},
		{"damaged checkpoint of a run", []string{"learn", brokenNet, "--generations", "2"}, []string{"gen-0001.latro", "damaged"}},
		{"no checkpoint", match("net:path=" + tinyRun), []string{"tiny-run.yaml"}},

		{"illegal action", []string{"play", "bell-8x7", "--moves", "@a1 @a1"}, []string{"--moves: ply 2", "@a1"}},
		{"action off the board", []string{"play", "bell-8x7", "--moves", "@z9"}, []string{"--moves: ply 1", `"z9" is not a square`, "a1 to g8"}},
		{"action that is no notation", []string{"play", "bell-8x7", "--moves", "e4 e5"}, []string{"--moves: ply 1", `"e4"`}},
		{"impossible position", []string{"play", "bell-8x7", "--position", "9/9"}, []string{"--position"}},

		{"unknown key in a design", []string{"experiment", "run", badDesign, "--out", filepath.Join(dir, "e")}, []string{"design.yaml:", "pears", "pairs"}},
		{"unknown agent in a design", []string{"experiment", "run", badAgent, "--out", filepath.Join(dir, "e")}, []string{"gready"}},
		{"unknown parameter in a design", []string{"experiment", "plan", badFactor}, []string{"capture.corners"}},
		{"unknown key in a run's configuration", []string{"learn", filepath.Join(dir, "new"), "--config", badRun, "--generations", "1"}, []string{"run.yaml", "game"}},
		{"a design of brackets", []string{"experiment", "plan", brackets}, []string{"brackets.yaml:1:", "nested"}},
		{"a run's configuration of brackets", []string{"learn", filepath.Join(dir, "new"), "--config", brackets, "--generations", "1"}, []string{"brackets.yaml:1:", "nested"}},
		{"a device as a run's configuration", []string{"learn", filepath.Join(dir, "new"), "--config", os.DevNull, "--generations", "1"}, []string{os.DevNull, "regular file"}},
		{"minutes that are no number", []string{"learn", filepath.Join(dir, "new"), "-r", "bell-8x7", "--minutes", "NaN"}, []string{"--minutes is NaN"}},
		{"minutes without end", []string{"learn", filepath.Join(dir, "new"), "-r", "bell-8x7", "--minutes", "Inf"}, []string{"--minutes is +Inf"}},
		{"a run without a name", []string{"learn", "", "-r", "bell-8x7", "--generations", "1"}, []string{"<dir> is empty; give it a value"}},
		{"more games than memory", []string{"match", "random", "random", "-r", "bell-8x7", "--games", "9223372036854775806"}, []string{"--games is", "1000000"}},
		{"more games than memory, for a curve", []string{"curve", run, "--games", "9223372036854775806"}, []string{"--games is", "1000000"}},
		{"export onto itself", []string{"data", "export", shard, "--out", shard}, []string{"--out", "lost"}},
		{"export onto a device", []string{"data", "export", shard, "--out", os.DevNull}, []string{os.DevNull, "regular file"}},
		{"damaged checkpoint, verified", []string{"data", "verify", brokenNet}, []string{"gen-0001.latro", "SHA-256", "files have problems"}},
		{"unknown agent", match("gready"), []string{"gready"}},
		{"quickstart in no time", []string{"quickstart", "--out", filepath.Join(dir, "q"), "--minutes", "0"}, []string{"--minutes is 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := latro(t, exitInput, c.args...)
			if o.out != "" && c.args[0] != "data" {
				t.Errorf("standard output has %q", o.out)
			}
			wantIn(t, o.err, append(c.want, "latro: ")...)
			if strings.Contains(o.err, "panic") || strings.Contains(o.err, "goroutine") {
				t.Errorf("not an error for people:\n%s", o.err)
			}
			if strings.Count(o.err, "invalid input") > 1 {
				t.Errorf("the error repeats itself:\n%s", o.err)
			}
		})
	}
	for i, d := range []string{brokenShard, brokenNet, experiment, run} {
		after := bytesBelow(t, d)
		for name, data := range before[i] {
			// A run may have played on before it needed the broken file: its manifest grows.
			if after[name] != data && !(d == brokenShard && name == "manifest.json") {
				t.Errorf("bad input changes %s", filepath.Join(d, name))
			}
		}
	}
	for _, name := range []string{"new", "e", "q"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was made for bad input", name)
		}
	}
}
