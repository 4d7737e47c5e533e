package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
	"latro/nn/shipped"
	"latro/selfplay"
)

// playCmd is latro play.
type playCmd struct {
	rulesetFlag
	Agent    string `short:"a" placeholder:"AGENT" help:"Your opponent, as kind:option=value,…; 'none' for two people. Left out, the network that ships for the ruleset, or else alpha-beta."`
	Side     int    `enum:"0,1" default:"0" help:"Your side: 0 acts first, 1 second."`
	Watch    string `placeholder:"AGENT" help:"Let this agent play your side, and watch."`
	Position string `short:"p" placeholder:"TEXT" help:"Start from this position string."`
	MaxPlies int    `default:"1000" help:"Stop after so many plies; 0 is no limit."`
	Moves    string `short:"m" placeholder:"PLIES" help:"Make these plies first, separated by spaces."`
	Seed     uint64 `default:"1" help:"Root of the random streams."`
	ASCII    bool   `name:"ascii" help:"Draw the board in plain ASCII."`
}

// Help is shown by --help.
func (playCmd) Help() string {
	return `Plies are written c2-c5 (step or slide), c2^c4 (hop), @c2 (place a man), @@c2 (place the leader), xc3 (take a
bound man off), -- (pass, or stop). At the prompt also: ? lists what is legal, u takes back, p prints the
position string, r tells the rules, q ends. The agents are those of latro match --help. Your opponent, unless you name
another, is the trained network that ships for the ruleset (latro net info lists them), and alpha-beta where there is none;
both are strong. uct:simulations=100 and greedy are for a first game.

Examples:
  latro play bell-8x7
  latro play bell-8x7 --agent uct:simulations=100
  latro play locus-ludi-seneca --agent greedy --side 1
  latro play bell-8x7@ludii --set capture.corner=neutral --agent none
  latro play luductus --moves "@c3 @d4" --agent none
  latro play webdux --watch uct:simulations=50 --agent random`
}

// Run does it.
func (c *playCmd) Run(a *app) error {
	rs, err := c.open()
	if err != nil {
		return err
	}
	game, err := engine.Compile(rs.Params)
	if err != nil {
		return err
	}
	cfg := env.DefaultConfig()
	cfg.MaxPlies = c.MaxPlies
	board, err := env.New(game, cfg)
	if err != nil {
		return fmt.Errorf("%w: %w", errInput, err)
	}
	board.Reset(c.Seed)
	if c.Position != "" {
		s, err := game.ParsePosition(c.Position)
		if err != nil {
			return fmt.Errorf("%w: --position: %s", errInput, plain(err))
		}
		if _, _, err := board.ResetTo(s); err != nil {
			return fmt.Errorf("%w: --position: %w", errInput, err)
		}
	}
	for i, text := range strings.Fields(c.Moves) {
		if board.Done() {
			return fmt.Errorf("%w: --moves: the game is over before ply %d", errInput, i+1)
		}
		act, err := board.State().Parse(text)
		if err == nil {
			_, err = board.Step(act)
		}
		if err != nil {
			return fmt.Errorf("%w: --moves: ply %d: %s (play without it, and ? lists what is legal)", errInput, i+1, plain(err))
		}
	}
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	p := &player{app: a, rules: rs, env: board, cmd: c, in: readLines(ctx, a.stdin)}
	factory := new(selfplay.Agents)
	opponent := c.Agent
	if opponent == "" {
		if opponent, err = defaultOpponent(rs.Hash()); err != nil {
			return err
		}
	}
	for side, text := range [2]string{c.Watch, opponent} {
		if text == "" || text == "none" {
			continue
		}
		spec, err := mcts.ParseSpec(text)
		if err != nil {
			return err
		}
		agent, err := factory.New(spec, game, rs.Hash())
		if err != nil {
			return err
		}
		p.agents[(c.Side+side)%2] = agent
	}
	return p.play()
}

// The opponents that latro play has by itself: each takes a few tenths of a second for a ply.
const (
	opponentNetwork   = "net:simulations=2000"
	opponentAlphaBeta = "alphabeta:nodes=100000"
)

// defaultOpponent is the strongest that there is for the rules: the network that was trained on them, or else a search
// that needs none.
func defaultOpponent(rulesetHash string) (string, error) {
	switch _, err := shipped.ForRuleset(rulesetHash); {
	case errors.Is(err, shipped.ErrNone):
		return opponentAlphaBeta, nil
	case err != nil:
		return "", err
	}
	return opponentNetwork, nil
}

// player is a game at the terminal.
type player struct {
	*app
	rules  *rules.Ruleset
	env    *env.Env
	cmd    *playCmd
	agents [2]mcts.Agent // nil is a person
	in     <-chan input
}

// input is a line that was typed, or why there is none.
type input struct {
	line string
	err  error
}

// readLines reads from another goroutine, so that an interrupt need not wait for a line. The channel is closed
// at the end of the input.
func readLines(ctx context.Context, r io.Reader) <-chan input {
	out := make(chan input)
	go func() {
		defer close(out)
		s := bufio.NewScanner(r)
		for s.Scan() {
			select {
			case out <- input{line: s.Text()}:
			case <-ctx.Done():
				return
			}
		}
		if err := s.Err(); err != nil {
			select {
			case out <- input{err: err}:
			case <-ctx.Done():
			}
		}
	}()
	return out
}

// plain is an error of the engine without the words that say where in the program it comes from.
func plain(err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), engine.ErrInvalid.Error()+": "), "engine: ")
}

// errQuit ends a game on request.
var errQuit = errors.New("the game was ended")

func (p *player) play() error {
	params := p.rules.Params
	pieces := "player 0 has the full figures, player 1 the hollow ones"
	if p.cmd.ASCII {
		pieces = "player 0 has the men a, player 1 the men b"
	}
	switch {
	case params.Pieces.Leaders > 0 && p.cmd.ASCII:
		pieces += ", A and B are the leaders"
	case params.Pieces.Leaders > 0:
		pieces += ", leaders are diamonds"
	}
	if params.Capture.Effect == "bind" && p.cmd.ASCII {
		pieces += "; x and y are bound"
	}
	fmt.Fprintf(p.stdout, "%s: %s. ? helps.\n", p.rules.Name, pieces)
	for side, agent := range p.agents {
		if agent != nil {
			fmt.Fprintf(p.stdout, "Player %d is %s.\n", side, agent.Name())
		}
	}
	fmt.Fprintln(p.stdout)
	show := true
	for !p.env.Done() {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		mover := p.env.CurrentPlayer()
		agent := p.agents[mover]
		if show {
			if err := p.render(); err != nil {
				return err
			}
		}
		if agent == nil {
			var err error
			if show, err = p.ask(); errors.Is(err, errQuit) {
				fmt.Fprintln(p.stdout, "ended; the position was\n"+p.env.State().Position())
				return nil
			} else if err != nil {
				return err
			}
			continue
		}
		s := p.env.State()
		d, err := agent.Choose(s, seed.New(p.cmd.Seed, seed.Play, uint64(mover), uint64(s.Ply())))
		if err != nil {
			return err
		}
		text := s.Format(d.Action)
		if _, err := p.env.Step(d.Action); err != nil {
			return err
		}
		value := ""
		if d.HasValue {
			value = fmt.Sprintf("  (it gives player 0 a value of %+.2f, between -1 and 1)", d.Value)
		}
		fmt.Fprintf(p.stdout, "player %d (%s): %s%s\n\n", mover, agent.Name(), text, value)
		show = true
	}
	if err := p.render(); err != nil {
		return err
	}
	s := p.env.State()
	switch {
	case !s.Over():
		fmt.Fprintf(p.stdout, "\nNo result: stopped after %d plies.\n", s.Ply())
	case s.Outcome() == engine.Win0:
		fmt.Fprintf(p.stdout, "\nPlayer 0 (%s) wins: %s.\n", p.name(0), reasons[s.Reason()])
	case s.Outcome() == engine.Win1:
		fmt.Fprintf(p.stdout, "\nPlayer 1 (%s) wins: %s.\n", p.name(1), reasons[s.Reason()])
	case s.Outcome() == engine.Draw:
		fmt.Fprintf(p.stdout, "\nA draw: %s.\n", reasons[s.Reason()])
	default:
		fmt.Fprintf(p.stdout, "\nNo result: %s.\n", reasons[s.Reason()])
	}
	return nil
}

// name is who plays a side.
func (p *player) name(side int) string {
	if a := p.agents[side]; a != nil {
		return a.Name()
	}
	return "a person"
}

// reasons are the engine's end reasons in words.
var reasons = map[engine.EndReason]string{
	engine.OneLeft: "one piece is left to a side", engine.NoneLeft: "no piece is left to a side",
	engine.LeaderCaptured: "a leader was captured", engine.LeaderImmobilised: "a leader cannot move",
	engine.Blocked: "a side cannot move", engine.NoCaptureLimit: "too long without a capture",
	engine.TwoPasses: "both sides passed", engine.Repetition: "the position came again",
	engine.TurnLimit: "the rules' limit of turns is reached",
}

func (p *player) render() error {
	return p.env.Render(p.stdout, env.RenderOptions{Unicode: !p.cmd.ASCII})
}

// ask reads one line and does what it says; it tells whether the board changed.
func (p *player) ask() (changed bool, err error) {
	fmt.Fprint(p.stdout, "> ")
	var got input
	select {
	case <-p.ctx.Done():
		fmt.Fprintln(p.stdout)
		return false, p.ctx.Err()
	case x, ok := <-p.in:
		if !ok {
			fmt.Fprintln(p.stdout)
			return false, errQuit
		}
		got = x
	}
	if got.err != nil {
		return false, got.err
	}
	s := p.env.State()
	switch line := strings.TrimSpace(got.line); line {
	case "":
		return false, nil
	case "?":
		p.help(p.stdout)
	case "p":
		fmt.Fprintln(p.stdout, s.Position())
	case "r":
		return false, p.rules.Render(p.stdout, rules.RenderOptions{})
	case "q":
		return false, errQuit
	case "u":
		return true, p.takeBack()
	default:
		act, err := s.Parse(line)
		if err != nil {
			fmt.Fprintf(p.stdout, "%s\n(? lists what is legal)\n", plain(err))
			return false, nil
		}
		_, err = p.env.Step(act)
		return true, err
	}
	return false, nil
}

// helpWidth is the width of the list of legal plies, which may be hundreds.
const helpWidth = 100

func (p *player) help(w io.Writer) {
	s := p.env.State()
	line := "legal:"
	for _, act := range p.env.LegalActions(nil) {
		text := s.Format(act)
		if len(line)+1+len(text) > helpWidth {
			fmt.Fprintln(w, line)
			line = "      "
		}
		line += " " + text
	}
	fmt.Fprintf(w, "%s\nu takes back, p prints the position, r tells the rules, q ends\n", line)
}

// takeBack goes back to the last position in which a person was to move.
func (p *player) takeBack() error {
	s := p.env.State()
	if len(s.History()) == 0 {
		fmt.Fprintln(p.stdout, "there is nothing to take back")
		return nil
	}
	back := s.Clone()
	for back.Undo(); p.agents[back.ToMove()] != nil && len(back.History()) > 0; {
		back.Undo()
	}
	_, _, err := p.env.ResetTo(back)
	return err
}
