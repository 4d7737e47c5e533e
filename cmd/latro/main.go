package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"latro/datasets"
	"latro/datasets/atomicfile"
	"latro/datasets/dirlock"
	"latro/env/engine"
	"latro/env/oracle"
	"latro/env/rules"
	"latro/experiments"
	"latro/mcts"
	"latro/nn"
	"latro/selfplay"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitInput       = 2
	exitInterrupted = 130
)

// cli is the whole command line.
type cli struct {
	Quickstart quickstartCmd `cmd:"" help:"Train two networks from nothing, compare two rulesets, write a report: the main job in minutes."`
	Rules      rulesCmd      `cmd:"" help:"List, show, compare and check rulesets; count and replay their games."`
	Play       playCmd       `cmd:"" help:"Play in the terminal, against an agent or by two people."`
	Learn      learnCmd      `cmd:"" help:"Train a network from nothing by self-play: the loop of selfplay and train."`
	Selfplay   selfplayCmd   `cmd:"" help:"Play the games of a run's current generation."`
	Train      trainCmd      `cmd:"" help:"Make the training steps of a run's current generation."`
	Net        netCmd        `cmd:"" help:"Describe, compare, export and carry over networks."`
	Curve      curveCmd      `cmd:"" help:"Measure how a run's network became stronger."`
	Match      matchCmd      `cmd:"" help:"Play two agents against each other in colour-balanced pairs."`
	Ladder     ladderCmd     `cmd:"" help:"Rate a pool of checkpoints and fixed opponents by Elo."`
	Analyse    analyseCmd    `cmd:"" help:"Answer questions of other programs about positions, or play against them: JSON lines."`
	Solve      solveCmd      `cmd:"" help:"Solve a small game: the value of every position under perfect play."`
	Experiment experimentCmd `cmd:"" help:"Plan, run and report a balance experiment."`
	Data       dataCmd       `cmd:"" help:"Inspect, verify, export and import games, samples and learning curves."`
	Bench      benchCmd      `cmd:"" help:"Measure this machine: playouts, network, search."`
	Version    versionCmd    `cmd:"" help:"Print the version of the program and of its formats."`
}

// app is what a command needs of the outside world.
type app struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// inputErrors are the sentinels of errors that the user's input caused.
var inputErrors = [...]error{
	errInput, dirlock.ErrInUse, rules.ErrInvalid, engine.ErrInvalid, selfplay.ErrInput, mcts.ErrSpec, mcts.ErrConfig, experiments.ErrInvalid,
	datasets.ErrDamaged, datasets.ErrSchema, datasets.ErrTooLarge,
	datasets.ErrInvalid, atomicfile.ErrNotRegular, nn.ErrNotCheckpoint, nn.ErrVersion, nn.ErrDamaged, nn.ErrShape, oracle.ErrFormat,
	fs.ErrNotExist, fs.ErrPermission, syscall.EROFS, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.ENOTEMPTY,
}

// errInput is wrapped by the command line's own complaints about its input.
var errInput = errors.New("invalid input")

// patience is how long an interrupted program may take to end by itself.
const patience = 20 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	endAnyway(ctx, stop, time.Sleep, os.Stderr, os.Exit)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endAnyway makes sure that the program ends once ctx is cancelled: stop lets a second interrupt end it
// at once, in case that something does not listen to the first, and after some patience exit ends it.
// So nothing that waits for a disk or a pipe keeps it from ending: all files are whole at any moment.
func endAnyway(ctx context.Context, stop func(), wait func(time.Duration), stderr io.Writer, exit func(code int)) {
	context.AfterFunc(ctx, func() {
		stop()
		wait(patience)
		fmt.Fprintf(stderr, "latro: interrupted; something did not end within %v, so it is not waited for\n", patience)
		exit(exitInterrupted)
	})
}

// run is the program without its process: it parses and does args and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var (
		c      cli
		exited = -1
		out    = &resultWriter{w: stdout}
	)
	parser, err := kong.New(&c,
		kong.Name("latro"),
		kong.Description("Play, train and measure the ancient games of custodial capture: Ludus Latrunculorum in its reconstructions, Seega, Kharebga, Luductus.\n\n"+
			"Examples:\n\n    latro quickstart\n    latro rules show bell-8x7\n    latro play bell-8x7 --agent greedy"),
		kong.Writers(out, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		panic(err) // the command line's own definition is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if out.err != nil {
		fmt.Fprintf(stderr, "latro: %v\n", out.err)
		return exitFailed
	}
	if exited >= 0 {
		return exited // --help
	}
	if err != nil {
		fmt.Fprintf(stderr, "latro: %s\nTry %s --help.\n", parserWords(err), helpFor(err))
		return exitInput
	}
	a := &app{ctx: ctx, stdin: stdin, stdout: out, stderr: stderr}
	if err = checkGiven(k); err == nil {
		err = k.Run(a)
	}
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitDone
	}
	// A context that a signal ended has that signal as its cause, and some report the cause.
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		message := "latro: interrupted"
		kept := false
		switch command := strings.Fields(k.Command()); command[0] {
		case "quickstart", "learn", "selfplay", "train":
			kept = true
		case "experiment":
			kept = command[1] != "plan" && command[1] != "freeze" // whose pilots are kept nowhere
		case "ladder":
			kept = c.Ladder.Out != ""
		}
		if kept {
			message += "; what was finished is kept, and the same command goes on from there"
		}
		fmt.Fprintln(stderr, message)
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "latro: %v\n", err)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		fmt.Fprintln(stderr, "The system does not allow it there: name another file or directory, or change the rights of this one.")
	}
	for _, sentinel := range inputErrors {
		if errors.Is(err, sentinel) {
			return exitInput
		}
	}
	return exitFailed
}

// helpFor is the command whose help tells what the parser missed.
func helpFor(err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) {
		if node := p.Context.Selected(); node != nil {
			return node.FullPath()
		}
	}
	return "latro"
}

// resultWriter remembers the first failure to write a result, so that no command has to look at every line
// that it prints: a result that did not arrive is a failure all the same.
type resultWriter struct {
	w   io.Writer
	err error
}

func (w *resultWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(p)
	if err != nil {
		w.err = fmt.Errorf("cannot write the result: %w", err)
	}
	return n, w.err
}
