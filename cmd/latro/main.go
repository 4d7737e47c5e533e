// Command latro tests reconstructions of the ancient games of custodial capture: it plays them, trains agents for
// them from nothing, and measures what each rule does to balance and length.
//
// Run latro --help for the commands; every command has examples in its own help. Exit codes: 0 done, 1
// failed, 2 wrong input, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"latro/datasets"
	"latro/env/engine"
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
	Match      matchCmd      `cmd:"" help:"Play two agents against each other in colour-balanced pairs."`
	Experiment experimentCmd `cmd:"" help:"Plan, run and report a balance experiment."`
	Data       dataCmd       `cmd:"" help:"Inspect, verify and export games, samples and learning curves."`
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
	errInput, rules.ErrInvalid, engine.ErrInvalid, selfplay.ErrInput, mcts.ErrSpec, mcts.ErrConfig, experiments.ErrInvalid,
	datasets.ErrDamaged, datasets.ErrSchema, datasets.ErrTooLarge,
	datasets.ErrInvalid, nn.ErrNotCheckpoint, nn.ErrVersion, nn.ErrDamaged, nn.ErrShape, fs.ErrNotExist,
}

// errInput is wrapped by the command line's own complaints about its input.
var errInput = errors.New("invalid input")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program without its process: it parses and does args and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var (
		c      cli
		exited = -1
	)
	parser, err := kong.New(&c,
		kong.Name("latro"),
		kong.Description("Play, train and measure the ancient games of custodial capture: Ludus Latrunculorum in its reconstructions, Seega, Kharebga, Luductus."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.UsageOnError(),
	)
	if err != nil {
		panic(err) // the command line's own definition is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := parser.Parse(args)
	if exited >= 0 {
		return exited // --help
	}
	if err != nil {
		fmt.Fprintf(stderr, "latro: %v\nTry latro --help.\n", err)
		return exitInput
	}
	a := &app{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr}
	err = k.Run(a)
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "latro: interrupted; what was finished is kept, and the same command goes on from there")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "latro: %v\n", err)
	for _, sentinel := range inputErrors {
		if errors.Is(err, sentinel) {
			return exitInput
		}
	}
	return exitFailed
}
