package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// Environment variables that make the test binary play the program itself, for tests that need a process.
const (
	envProgram  = "LATRO_TEST_PROGRAM"
	envFileSize = "LATRO_TEST_FILE_SIZE"
)

func TestMain(m *testing.M) {
	if os.Getenv(envProgram) != "" {
		limitFileSize(os.Getenv(envFileSize))
		main()
		return
	}
	os.Exit(m.Run())
}

// outcome is what a call of the program left.
type outcome struct {
	code     int
	out, err string
}

// latroInput calls the program with text on standard input.
func latroInput(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return outcome{code, out.String(), errs.String()}
}

// latro calls the program and fails the test if it ends with another code than the one wanted.
func latro(t *testing.T, code int, args ...string) outcome {
	t.Helper()
	o := latroInput(t, "", args...)
	if o.code != code {
		t.Fatalf("latro %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(args, " "), o.code, code, o.out, o.err)
	}
	return o
}

// latroJSON calls the program with --json and decodes all of its standard output as one JSON value.
func latroJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	o := latro(t, exitDone, append(args, "--json")...)
	dec := json.NewDecoder(strings.NewReader(o.out))
	if err := dec.Decode(into); err != nil {
		t.Fatalf("latro %s --json: %v in\n%s", strings.Join(args, " "), err, o.out)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("latro %s --json: more than one JSON value on standard output:\n%s", strings.Join(args, " "), o.out)
	}
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in\n%s", p, text)
		}
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// commands lists every command of the program, groups included, as its words.
func commands(t *testing.T) [][]string {
	t.Helper()
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	var walk func(n *kong.Node, path []string)
	walk = func(n *kong.Node, path []string) {
		out = append(out, path)
		for _, c := range n.Children {
			walk(c, append(slices.Clone(path), c.Name))
		}
	}
	walk(parser.Model.Node, nil)
	return out
}

func TestHelp(t *testing.T) {
	all := commands(t)
	if len(all) < 20 {
		t.Fatalf("only %d commands found", len(all))
	}
	for _, path := range all {
		name := "latro " + strings.Join(path, " ")
		for _, flag := range []string{"--help", "-h"} {
			o := latro(t, exitDone, append(slices.Clone(path), flag)...)
			if !strings.Contains(o.out, "Examples") {
				t.Errorf("%s %s has no examples:\n%s", name, flag, o.out)
			}
			if o.err != "" {
				t.Errorf("%s %s writes to standard error: %s", name, flag, o.err)
			}
		}
	}
	if o := latro(t, exitDone); o.out != latro(t, exitDone, "--help").out {
		t.Error("without arguments the program does not print its help")
	}
}

// TestHelpExamples parses every example of every help text: a renamed flag must not survive in one.
func TestHelpExamples(t *testing.T) {
	n := 0
	for _, path := range commands(t) {
		for line := range strings.Lines(latro(t, exitDone, append(slices.Clone(path), "--help")...).out) {
			words, ok := exampleWords(line)
			if !ok {
				continue
			}
			n++
			parser, err := kong.New(new(cli), kong.Exit(func(int) {}))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(words); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(line), err)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d examples were found", n)
	}
}

// exampleWords splits an example line of a help text as a shell would; ok is false for other lines.
func exampleWords(line string) (words []string, ok bool) {
	line, ok = strings.CutPrefix(line, "    latro ")
	line, _, _ = strings.Cut(line, " #")
	line, _, _ = strings.Cut(line, " >")
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words, ok
}

func TestWrongCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bogus"}, "unexpected argument bogus"},
		{[]string{"rules"}, "expected one of"},
		{[]string{"rules", "show"}, "latro rules show --help"},
		{[]string{"rules", "list", "--bogus"}, "unknown flag --bogus"},
		{[]string{"play", "bell-8x7", "--side", "3"}, `--side must be one of "0","1"`},
		{[]string{"match", "random", "random"}, "--ruleset"},
		{[]string{"match", "random", "random", "-r", "bell-8x7", "--games", "many"}, "--games"},
		{[]string{"data", "export", "x.arrow", "--format", "xml"}, "--format must be one of"},
		{[]string{"rules", "replay", "--format", "pgn", "x"}, "--format must be one of"},
		{[]string{"bench", "playouts", "--time", "long"}, "--time"},
	} {
		o := latro(t, exitInput, c.args...)
		wantIn(t, o.err, "latro: ", c.want, "--help.")
		if o.out != "" {
			t.Errorf("latro %v writes to standard output: %s", c.args, o.out)
		}
	}
}

func TestVersion(t *testing.T) {
	wantIn(t, latro(t, exitDone, "version").out, "latro "+version, "encoding 2")
	var v map[string]any
	latroJSON(t, &v, "version")
	if v["latro"] != version || v["encoding"] == nil || v["rules_schema"] == nil || v["kernels"] == nil {
		t.Errorf("version --json: %v", v)
	}
}

// brokenWriter fails after n bytes, like a disk that fills up.
type brokenWriter struct{ n int }

var errBroken = errors.New("no space left")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if len(p) > w.n {
		return 0, errBroken
	}
	w.n -= len(p)
	return len(p), nil
}

// TestOutputFails shows that a result that could not be written is never a success.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{
		{"rules", "list"}, {"rules", "list", "--json"}, {"rules", "show", "bell-8x7"}, {"rules", "diff", "bell-8x7", "webdux"},
		{"rules", "perft", "bell-8x7", "--depth", "1"}, {"rules", "replay", oracleFile("luductus.games")}, {"version"}, {"--help"}, {"net", "info", "--help"},
		{"match", "random", "random", "-r", "bell-8x7", "--games", "2", "--max-plies", "5"},
		{"ladder", "--against", "random,greedy", "-r", "bell-8x7", "--games", "2", "--max-plies", "5"},
	} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), &brokenWriter{1}, &errs); code != exitFailed {
			t.Errorf("latro %v: exit code %d with a full disk", args, code)
		}
		wantIn(t, errs.String(), errBroken.Error())
	}
}

// TestInterruptedCommands calls every command that takes time with a context that is over.
func TestInterruptedCommands(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"rules", "perft", "bell-8x7", "--depth", "9"},
		{"rules", "perft", "--check", oracleFile("luductus.perft")},
		{"rules", "replay", oracleFile("luductus.games")},
		{"play", "bell-8x7", "--agent", "none"},
		{"match", "random", "random", "-r", "bell-8x7", "--games", "2"},
		{"ladder", "-r", "bell-8x7", "--games", "2"},
		{"learn", dir + "/learn", "--config", "testdata/tiny-run.yaml"},
		{"selfplay", dir + "/selfplay", "--config", "testdata/tiny-run.yaml"},
		{"experiment", "plan", "testdata/tiny-design.yaml"},
		{"experiment", "run", "testdata/tiny-design.yaml", "--out", dir + "/experiment"},
		{"quickstart", "--out", dir + "/quickstart"},
		{"bench", "playouts", "bell-8x7"},
		{"bench", "net"},
		{"bench", "search", "bell-8x7"},
	} {
		// The cause is what signal.NotifyContext gives since Go 1.26.
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("interrupt signal received"))
		var out, errs bytes.Buffer
		// A person who types nothing.
		stdin, w := io.Pipe()
		defer w.Close()
		if code := run(ctx, args, stdin, &out, &errs); code != exitInterrupted {
			t.Errorf("latro %v: exit code %d after an interrupt\n%s", args, code, errs.String())
		}
		wantIn(t, errs.String(), "interrupted")
	}
}

// TestEveryFlagHasHelp keeps the command line explained.
func TestEveryFlagHasHelp(t *testing.T) {
	parser, err := kong.New(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if f.Help == "" {
				t.Errorf("%s: --%s has no help", n.FullPath(), f.Name)
			}
			if f.Value.Target.Kind() == reflect.Slice && f.Name == "set" && f.Tag.Sep != -1 {
				t.Errorf("%s: --set splits its values at commas", n.FullPath())
			}
		}
		for _, c := range n.Children {
			if c.Help == "" {
				t.Errorf("%s has no help", c.FullPath())
			}
			walk(c)
		}
	}
	walk(parser.Model.Node)
}

// TestEndsAnyway: an interrupted program that does not end by itself is ended after 20 seconds, not
// before, and a second interrupt is let through at once. No second passes here.
func TestEndsAnyway(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := make(chan string, 8)
	over, exited := make(chan struct{}), make(chan int, 1)
	var stderr bytes.Buffer
	endAnyway(ctx,
		func() { steps <- "second interrupt" },
		func(d time.Duration) { steps <- d.String(); <-over },
		&stderr,
		func(code int) { exited <- code })
	if len(steps) != 0 {
		t.Fatal("it ends before it is interrupted")
	}
	cancel()
	if a, b := <-steps, <-steps; a != "second interrupt" || b != "20s" {
		t.Fatalf("first %q, then %q", a, b)
	}
	if len(exited) != 0 || stderr.Len() != 0 {
		t.Fatalf("it has ended without patience: %s", stderr.String())
	}
	close(over)
	if code := <-exited; code != exitInterrupted || !strings.Contains(stderr.String(), "20s") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
