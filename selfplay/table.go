package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"latro/env/engine"
	"latro/mcts"
)

// Table is one game between two agents.
type Table struct {
	// State is the position, at the start of the game when PlayAll begins and at its end afterwards.
	State *engine.State
	// Agents plays for player 0 and player 1; both may be the same.
	Agents [2]mcts.Agent
	// Rand is one stream a player, so that what one agent draws does not change the other's play.
	Rand [2]*rand.Rand
	// Recorder takes down the game; it must have been Reset.
	Recorder *Recorder
	// MaxPlies stops the game, counted from the start of PlayAll; it is then capped. 0 is no limit.
	MaxPlies int

	plies int
}

func (t *Table) done() bool { return t.State.Over() || t.MaxPlies > 0 && t.plies >= t.MaxPlies }

// PlayAll plays every table to its end. Tables at which the same BatchAgent is to move are decided in one
// call, so that a network sees one batch from many games; what is played at a table does not depend on the
// other tables. Plies with one legal action are made without asking. It returns the context's error when it
// is cancelled, with games unfinished.
func PlayAll(ctx context.Context, tables []*Table) error {
	b := batcher{}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		open := 0
		b.reset()
		for _, t := range tables {
			b.legal = playForced(t, b.legal)
			if t.done() {
				continue
			}
			open++
			b.add(t)
		}
		if open == 0 {
			return nil
		}
		if err := b.decide(); err != nil {
			return err
		}
	}
}

// playForced makes every ply that leaves no choice.
func playForced(t *Table, legal []engine.Action) []engine.Action {
	for !t.done() {
		legal = t.State.Legal(legal[:0])
		if len(legal) > 1 {
			break
		}
		t.play(legal[0])
	}
	return legal
}

func (t *Table) play(a engine.Action) {
	t.Recorder.Play(t.State, a)
	t.plies++
}

// batcher gathers the tables that wait for the same agent.
type batcher struct {
	groups []group
	legal  []engine.Action
}

type group struct {
	agent     mcts.Agent
	tables    []*Table
	states    []*engine.State
	streams   []*rand.Rand
	decisions []mcts.Decision
}

func (b *batcher) reset() {
	for i := range b.groups {
		g := &b.groups[i]
		g.tables, g.states, g.streams = g.tables[:0], g.states[:0], g.streams[:0]
	}
}

func (b *batcher) add(t *Table) {
	player := t.State.ToMove()
	agent := t.Agents[player]
	at := -1
	for i := range b.groups {
		if b.groups[i].agent == agent {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(b.groups)
		b.groups = append(b.groups, group{agent: agent})
	}
	g := &b.groups[at]
	g.tables = append(g.tables, t)
	g.states = append(g.states, t.State)
	g.streams = append(g.streams, t.Rand[player])
}

func (b *batcher) decide() error {
	for i := range b.groups {
		g := &b.groups[i]
		if len(g.tables) == 0 {
			continue
		}
		if cap(g.decisions) < len(g.tables) {
			g.decisions = make([]mcts.Decision, len(g.tables))
		}
		out := g.decisions[:len(g.tables)]
		if batch, ok := g.agent.(mcts.BatchAgent); ok {
			if err := batch.ChooseBatch(g.states, g.streams, out); err != nil {
				return fmt.Errorf("agent %s: %w", g.agent.Name(), err)
			}
		} else {
			for k := range g.tables {
				d, err := g.agent.Choose(g.states[k], g.streams[k])
				if err != nil {
					return fmt.Errorf("agent %s: %w", g.agent.Name(), err)
				}
				out[k] = d
			}
		}
		for k, t := range g.tables {
			if !t.State.IsLegal(out[k].Action) {
				return fmt.Errorf("agent %s chose an illegal action (%d) in %s", g.agent.Name(), out[k].Action, t.State.Position())
			}
			t.play(out[k].Action)
		}
	}
	return nil
}
