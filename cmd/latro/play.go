package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"latro/env"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
	"latro/selfplay"
)

// playCmd is latro play.
type playCmd struct {
	rulesetFlag
	Agent    string `short:"a" default:"uct:simulations=200" placeholder:"AGENT" help:"Your opponent, as kind:option=value,…; 'none' for two people."`
	Side     int    `enum:"0,1" default:"0" help:"Your side: 0 acts first, 1 second."`
	Watch    string `placeholder:"AGENT" help:"Let this agent play your side, and watch."`
	Position string `short:"p" placeholder:"TEXT" help:"Start from this position string."`
	MaxPlies int    `default:"1000" help:"Stop after so many plies; 0 is no limit."`
	Seed     uint64 `default:"1" help:"Root of the random streams."`
	ASCII    bool   `name:"ascii" help:"Draw the board in plain ASCII."`
}

// Help is shown by --help.
func (playCmd) Help() string {
	return `Plies are written c2-c5 (step or slide), c2^c4 (hop), @c2 (place a man), @@c2 (place the leader), xc3 (take a
bound man off), -- (pass, or stop). At the prompt also: ? lists what is legal, u takes back, p prints the
position string, r tells the rules, q ends.

Examples:
  latro play bell-8x7
  latro play locus-ludi-seneca --agent greedy --side 1
  latro play bell-8x7@ludii --set capture.corner=neutral --agent none
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
			return fmt.Errorf("%w: --position: %w", errInput, err)
		}
		if _, _, err := board.ResetTo(s); err != nil {
			return fmt.Errorf("%w: --position: %w", errInput, err)
		}
	}
	p := &player{app: a, rules: rs, env: board, cmd: c, in: bufio.NewScanner(a.stdin)}
	factory := new(selfplay.Agents)
	for side, text := range [2]string{c.Watch, c.Agent} {
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

// player is a game at the terminal.
type player struct {
	*app
	rules  *rules.Ruleset
	env    *env.Env
	cmd    *playCmd
	agents [2]mcts.Agent // nil is a person
	in     *bufio.Scanner
}

// errQuit ends a game on request.
var errQuit = errors.New("the game was ended")

func (p *player) play() error {
	fmt.Fprintf(p.stdout, "%s. Player 0 (a) acts first; ? helps.\n\n", p.rules.Name)
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
	return p.render()
}

func (p *player) render() error {
	return p.env.Render(p.stdout, env.RenderOptions{Unicode: !p.cmd.ASCII})
}

// ask reads one line and does what it says; it tells whether the board changed.
func (p *player) ask() (changed bool, err error) {
	fmt.Fprint(p.stdout, "> ")
	if !p.in.Scan() {
		if err := p.in.Err(); err != nil {
			return false, err
		}
		fmt.Fprintln(p.stdout)
		return false, errQuit
	}
	s := p.env.State()
	switch line := strings.TrimSpace(p.in.Text()); line {
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
			fmt.Fprintf(p.stdout, "%v\n", err)
			return false, nil
		}
		_, err = p.env.Step(act)
		return true, err
	}
	return false, nil
}

func (p *player) help(w io.Writer) {
	s := p.env.State()
	var legal []string
	for _, act := range p.env.LegalActions(nil) {
		legal = append(legal, s.Format(act))
	}
	fmt.Fprintf(w, "legal: %s\nu takes back, p prints the position, r tells the rules, q ends\n", strings.Join(legal, " "))
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
