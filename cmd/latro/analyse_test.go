package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAnalyse: queries from standard input are answered on standard output, bad ones too, and the end of the input
// ends the program.
func TestAnalyse(t *testing.T) {
	o := latroInput(t, `{"id":"a","simulations":5,"moves":["@c3"]}`+"\n\n"+`{"id":"b","moves":["@c3","@c3"]}`+"\nrubbish\n",
		"analyse", "--ruleset", "bell-8x7", "--agent", "uniform")
	if o.code != exitDone || o.err != "" {
		t.Fatalf("exit code %d: %s", o.code, o.err)
	}
	seen := map[string]map[string]any{}
	for line := range strings.Lines(o.out) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		id, _ := v["id"].(string)
		seen[id] = v
	}
	if a := seen["a"]; len(seen) != 3 || a["visits"] != 5.0 || a["ply"] != 1.0 {
		t.Errorf("answered\n%s", o.out)
	}
	if b, c := seen["b"], seen[""]; b["field"] != "moves" || b["line"] != 3.0 || c["line"] != 4.0 || c["error"] == "" {
		t.Errorf("errors are answered with\n%s", o.out)
	}
	o = latroInput(t, `{"moves":["P2.2"]}`, "analyse", "-r", "bell-8x7", "--mode", "play", "--notation", "oracle", "--agent", "greedy")
	if !regexp.MustCompile(`^\{"move":"P\d\.\d","ply":1,"mover":0,`).MatchString(o.out) {
		t.Errorf("mode play answers %s", o.out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--agent", "pope"}, `no kind "pope"`},
		{[]string{"--agent", "uct"}, "simulations or seconds is missing"},
		{[]string{"--ruleset", "chess"}, "chess"},
		{[]string{"--batch", "0"}, "Batch is 0"},
		{[]string{"--mode", "win"}, "--mode must be one of"},
		{[]string{"--set", "pieces.men=4"}, "no Ruleset"},
	} {
		wantIn(t, latro(t, exitInput, append([]string{"analyse"}, c.args...)...).err, c.want)
	}
}

// TestAnalyseNetwork: a network that was learned analyses its ruleset, and says what it is asked about another.
func TestAnalyseNetwork(t *testing.T) {
	run := learned(t)
	net := "net:simulations=4,path=" + glob(t, run, "checkpoints", "gen-0001.latro")[0]
	ref := networkRules(t, run)
	o := latroInput(t, `{"id":"a","ruleset":"`+ref+`"}`+"\n"+`{"id":"b","ruleset":"webdux"}`, "analyse", "--agent", net)
	wantIn(t, o.out, `"network":{"value":`, `"visits":4,`)
	if !regexp.MustCompile(`"id":"b","error":"[^"]+","field":"agent"`).MatchString(strings.ReplaceAll(o.out, `\"`, "'")) {
		t.Errorf("another ruleset's query is answered with %s", o.out)
	}
}

// networkRules is the ruleset of a run.
func networkRules(t *testing.T, run string) string {
	t.Helper()
	var v struct {
		Ruleset string `json:"ruleset"`
	}
	latroJSON(t, &v, "net", "info", run)
	return v.Ruleset
}

// TestAnalyseInterrupted: an interrupt ends a search; its answer still comes.
func TestAnalyseInterrupted(t *testing.T) {
	cmd := exec.Command(os.Args[0], "analyse", "-r", "bell-8x7")
	cmd.Env = append(os.Environ(), envProgram+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	fmt.Fprintln(in, `{"id":"a","seconds":600,"report_every":0.01}`)
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"during_search":true`) {
		t.Fatalf("the first answer is %s", lines.Text())
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("this system cannot interrupt a process: %v", err)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	cmd.Wait()
	if !strings.Contains(last, `"stopped":"interrupted"`) || cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d after the answer %s", cmd.ProcessState.ExitCode(), last)
	}
}

// playAgainst is the client of docs/analysis.md in Go: it plays player 0 at random against mode play.
// With a name the game keeps its tree.
func playAgainst(ask func(query map[string]any) map[string]any, game string, rng *rand.Rand) (moves []any, end map[string]any) {
	moves = []any{}
	for len(moves) < 1000 {
		here := ask(map[string]any{"action": "position", "moves": moves})
		if here["over"] == true {
			return moves, here
		}
		if here["mover"] == 0.0 {
			legal := here["legal"].([]any)
			moves = append(moves, legal[rng.IntN(len(legal))])
		} else {
			moves = append(moves, ask(map[string]any{"moves": moves, "game": game})["move"])
		}
	}
	return moves, nil
}

// TestPlayThroughAnalyse: a program that does not know the rules plays whole games through latro, in both notations,
// against every kind of agent.
func TestPlayThroughAnalyse(t *testing.T) {
	for _, c := range []struct{ notation, agent, game string }{
		{"latro", "uct:simulations=10,cutoff=20", ""}, {"oracle", "uct:simulations=10,cutoff=20", ""},
		{"latro", "alphabeta:nodes=300", ""}, {"oracle", "net:search=puct,simulations=16,leaves=8", "a game"},
	} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		code := make(chan int, 1)
		go func() {
			code <- run(t.Context(), []string{"analyse", "--mode", "play", "-r", "bell-8x7", "-a", c.agent, "--notation", c.notation}, inR, outW, io.Discard)
			outW.Close()
		}()
		answers := json.NewDecoder(outR)
		ask := func(query map[string]any) map[string]any {
			line, err := json.Marshal(query)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(inW, "%s\n", line)
			var a map[string]any
			if err := answers.Decode(&a); err != nil {
				t.Fatal(err)
			}
			if a["error"] != nil {
				t.Fatalf("%s is answered with %v", line, a)
			}
			return a
		}
		moves, end := playAgainst(ask, c.game, rand.New(rand.NewPCG(1, 1)))
		if end == nil || end["outcome"] != "win1" {
			t.Errorf("%s: after %d plies a random player has not lost: %v", c.agent, len(moves), end)
		}
		inW.Close()
		if c := <-code; c != exitDone {
			t.Errorf("exit code %d", c)
		}
	}
}

// TestPythonOfAnalysis runs the program of docs/analysis.md.
func TestPythonOfAnalysis(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import json, subprocess").Run() != nil {
		t.Skip("there is no python3")
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "analysis.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("docs/analysis.md has no program in Python")
	}
	// The program calls latro by its name, which here is the test's own binary.
	dir := t.TempDir()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "latro")); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(python, "-c", "import random\nrandom.seed(1)\n"+string(block[1]))
	cmd.Env = append(os.Environ(), envProgram+"=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !regexp.MustCompile(`^win1 [a-z-]+ \d+ plies\n$`).Match(out) {
		t.Errorf("the program prints %q", out)
	}
}
