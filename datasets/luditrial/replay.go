package luditrial

import (
	"fmt"
	"slices"
	"strings"

	"latro/env/engine"
)

// Replay plays a trial by the rules and calls play for every ply, in order, with the state before it; play may be
// nil, and must not change the state. It returns the outcome: that of the rules, or Capped for a trial that is
// unfinished or was stopped by a limit of Ludii's that the rules do not have.
//
// Checked are the moves that set up the board; of each ply the player, that exactly one legal ply fits, and that its
// consequences (pieces taken, men bound and freed, who moves next) are those of the rules; and how the game ended.
// What differs is an error that wraps [ErrTrial] and names the file, the line, the move and what the rules say.
func (c *Codec) Replay(t *Trial, play func(s *engine.State, a engine.Action) error) (engine.Outcome, error) {
	f := c.follow()
	n, err := f.checkSetup(t)
	if err != nil {
		return engine.Ongoing, err
	}
	for i := n; i < len(t.Moves); i++ {
		m := &t.Moves[i]
		a, err := f.find(t, m)
		if err != nil {
			return engine.Ongoing, err
		}
		if play != nil {
			if err := play(f.state, a); err != nil {
				return engine.Ongoing, err
			}
		}
		name := f.state.Format(a)
		_, actions, err := f.ply(a)
		if err != nil {
			return engine.Ongoing, t.errorf(m.Line, "%v", err)
		}
		if err := sameEffects(m, actions); err != nil {
			return engine.Ongoing, t.errorf(m.Line, "%s: %v", name, err)
		}
	}
	return f.checkEnd(t)
}

// checkSetup compares the moves that set up the board, in whatever order, and returns their number.
func (f *follower) checkSetup(t *Trial) (int, error) {
	n := t.InitialPlacements
	if n < 0 {
		n = 0
		for n < len(t.Moves) && t.Moves[n].Mover == 0 {
			n++
		}
	}
	var want, got []string
	for _, line := range f.setup() {
		m, err := parseMove(line)
		if err != nil {
			return 0, err // not reached: the line is this package's own
		}
		want = append(want, addText(&m.Actions[0]))
	}
	last := 1
	for i := range n {
		m := &t.Moves[i]
		last = m.Line
		for j := range m.Actions {
			a := &m.Actions[j]
			if a.Name != "Add" || m.Mover != 0 {
				return 0, t.errorf(m.Line, "the board is set up by a move of player %d with the action %s; expected player 0 and Add", m.Mover, a.Name)
			}
			text := addText(a)
			if !slices.Contains(want, text) {
				return 0, t.errorf(m.Line, "the start has %s; the ruleset's has %s", text, strings.Join(shortened(want), ", "))
			}
			if slices.Contains(got, text) {
				return 0, t.errorf(m.Line, "the start has %s twice", text)
			}
			got = append(got, text)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			return 0, t.errorf(last, "the start lacks %s; it is that of another ruleset, or numInitialPlacementMoves is wrong", w)
		}
	}
	return n, nil
}

func addText(a *Action) string {
	count := a.Count
	if count == None {
		count = 1
	}
	return fmt.Sprintf("%d of piece %d on site %d", count, a.What, a.To)
}

func shortened(list []string) []string {
	if len(list) > 8 {
		return append(list[:8:8], "…")
	}
	return list
}

// find is the legal ply that a move means.
func (f *follower) find(t *Trial, m *Move) (engine.Action, error) {
	s := f.state
	if s.Over() {
		return 0, t.errorf(m.Line, "a move, but the game is over (%s by %s)", s.Outcome(), s.Reason())
	}
	if m.Mover != s.ToMove()+1 {
		return 0, t.errorf(m.Line, "a move of player %d; it is the turn of player %d", m.Mover, s.ToMove()+1)
	}
	d := &m.Actions[0]
	for i := range m.Actions {
		if m.Actions[i].Decision {
			d = &m.Actions[i]
			break
		}
	}
	ply, what, err := f.decision(m, d)
	if err != nil {
		return 0, t.errorf(m.Line, "%v", err)
	}
	var fits, legal []engine.Action
	legal = s.Legal(nil)
	for _, a := range legal {
		p := s.PlyOf(a)
		if p.Kind == engine.Hop {
			p.Kind = engine.Move
		}
		if p == ply {
			fits = append(fits, a)
		}
	}
	if len(fits) == 1 {
		// Ludii's rules look at the sites of the move, not of its action.
		if d.Name == "Move" && (m.From != None && m.From != d.From || m.To != None && m.To != d.To) {
			return 0, t.errorf(m.Line, "the move is from site %s to site %s, its action from site %s to site %s", siteText(m.From), siteText(m.To), siteText(d.From), siteText(d.To))
		}
		return fits[0], nil
	}
	names := make([]string, len(legal))
	for i, a := range legal {
		names[i] = s.Format(a)
	}
	list := strings.Join(shortened(names), " ")
	if len(fits) > 1 {
		return 0, t.errorf(m.Line, "%s is more than one ply; legal are %s", what, list)
	}
	return 0, t.errorf(m.Line, "%s is not legal for player %d; legal are %s", what, m.Mover, list)
}

// decision is the ply that an action of the player means, with Move for hops too, and its name.
func (f *follower) decision(m *Move, d *Action) (engine.Ply, string, error) {
	ply := engine.Ply{From: -1, To: -1}
	board := func(site int32) bool { return site >= 0 && int(site) < f.squares }
	mover := m.Mover - 1
	switch d.Name {
	case "Move":
		switch {
		case !board(d.To):
			return ply, "", fmt.Errorf("a move to site %s, which is not on the board of %d squares", siteText(d.To), f.squares)
		case board(d.From):
			ply = engine.Ply{Kind: engine.Move, From: int(d.From), To: int(d.To)}
		case f.hand > 0 && int(d.From) == f.handSite(mover, 0):
			ply = engine.Ply{Kind: engine.PlaceMan, From: -1, To: int(d.To)}
		case f.hand > 1 && int(d.From) == f.handSite(mover, 1):
			ply = engine.Ply{Kind: engine.PlaceLeader, From: -1, To: int(d.To)}
		default:
			return ply, "", fmt.Errorf("a move from site %s, which is neither on the board nor in the hand of player %d", siteText(d.From), m.Mover)
		}
	case "Remove":
		if !board(d.To) {
			return ply, "", fmt.Errorf("a removal from site %s, which is not on the board of %d squares", siteText(d.To), f.squares)
		}
		ply = engine.Ply{Kind: engine.Remove, From: int(d.To), To: -1}
	case "Select":
		ply.Kind = engine.Raise
	case "Pass":
		ply.Kind = engine.Pass
	default:
		return ply, "", fmt.Errorf("the action %s is no decision in this game; known are Move, Remove, Select and Pass", clip(d.Name))
	}
	what := f.name(ply)
	if ply.Kind == engine.Move { // or a hop: the text does not tell
		what = "the move from " + f.square(ply.From) + " to " + f.square(ply.To)
	}
	return ply, what, nil
}

func siteText(site int32) string {
	if site == None {
		return "(none)"
	}
	return fmt.Sprint(site)
}

// sameEffects compares the consequences of a move with those by the rules, in whatever order.
func sameEffects(m *Move, actions []string) error {
	own, err := parseMove(fmt.Sprintf("[Move:mover=%d,actions=%s]", m.Mover, strings.Join(actions, ",")))
	if err != nil {
		return err // not reached: the text is this package's own
	}
	file, law := effects(m.Actions), effects(own.Actions)
	if slices.Equal(file, law) {
		return nil
	}
	say := func(list []string) string {
		if len(list) == 0 {
			return "nothing"
		}
		return strings.Join(shortened(list), ", ")
	}
	return fmt.Errorf("the trial has as its effects: %s; by the rules: %s", say(file), say(law))
}

// effects lists, sorted and without doubles, what actions do besides the ply itself. Ludii's bookkeeping that
// repeats the rules (counters, pending states) is left out.
func effects(actions []Action) []string {
	var out []string
	for i := range actions {
		switch a := &actions[i]; a.Name {
		case "Remove":
			out = append(out, fmt.Sprintf("site %s emptied", siteText(a.To)))
		case "SetState":
			out = append(out, fmt.Sprintf("state %s on site %s", siteText(a.State), siteText(a.To)))
		case "SetNextPlayer":
			out = append(out, fmt.Sprintf("player %s goes on", siteText(a.Player)))
		case "SetCount":
			out = append(out, fmt.Sprintf("%s pieces on site %s", siteText(a.Count), siteText(a.To)))
		case "Add":
			out = append(out, fmt.Sprintf("piece %s put on site %s", siteText(a.What), siteText(a.To)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkEnd compares the end of the game.
func (f *follower) checkEnd(t *Trial) (engine.Outcome, error) {
	e := endOf(f.state)
	stopped := t.Winner == 0 && (t.EndType == "TurnLimit" || t.EndType == "MoveLimit")
	switch {
	case t.Winner < 0 && e.winner < 0 && len(t.Rankings) == 0:
		// Ludii writes rankings in any case, so this is a part of a file.
		return 0, t.errorf(t.endLine, "the file ends after this line, without rankings=; it was cut short")
	case t.Winner < 0 && e.winner < 0:
		return engine.Capped, t.checkRankings("0.0,0.0,0.0")
	case stopped && e.winner < 0:
		return engine.Capped, t.checkRankings("0.0,1.5,1.5")
	case t.Winner < 0:
		return 0, t.errorf(t.endLine, "the trial is unfinished; by the rules the game is over (%s by %s)", f.state.Outcome(), f.state.Reason())
	case e.winner < 0:
		return 0, t.errorf(t.endLine, "the trial has winner=%d (%s); by the rules the game goes on with player %d", t.Winner, clip(t.EndType), f.state.ToMove()+1)
	case t.Winner != e.winner || stopped != (e.kind == "TurnLimit"):
		return 0, t.errorf(t.endLine, "the trial has winner=%d (%s); by the rules it is winner=%d (%s, %s)", t.Winner, clip(t.EndType), e.winner, e.kind, f.state.Reason())
	}
	return f.state.Outcome(), t.checkRankings(e.rankings)
}

// checkRankings compares the ranks, where the file has them, with what Ludii writes for that end.
func (t *Trial) checkRankings(want string) error {
	own := &Trial{}
	if err := own.field("rankings", want); err != nil {
		return err // not reached: the text is this package's own
	}
	if len(t.Rankings) > 0 && !slices.Equal(t.Rankings, own.Rankings) {
		return t.errorf(t.endLine, "the trial's rankings are %v; such a game has %s", t.Rankings, want)
	}
	return nil
}
