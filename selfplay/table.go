package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"latro/datasets"
	"latro/env/engine"
	"latro/mcts"
)

// Table is one game between two agents.
type Table struct {
	// State is the position, at the start of the game when PlayAll begins and at its end afterwards.
	State *engine.State
	// Agents plays for player 0 and player 1; both may be the same. Their dynamic types must be comparable, as
	// pointers are.
	Agents [2]mcts.Agent
	// Rand is one stream a player, so that what one agent draws does not change the other's play.
	Rand [2]*rand.Rand
	// Recorder takes down the game; it must have been Reset.
	Recorder *Recorder
	// MaxPlies stops the game, counted from the recorder's start; it is then capped. 0 is no limit.
	MaxPlies int
}

func (t *Table) done() bool {
	return t.State.Over() || t.MaxPlies > 0 && t.Recorder.Plies() >= t.MaxPlies
}

// Game is the game's row as it stands, with the agents' networks.
func (t *Table) Game() datasets.Game {
	row := t.Recorder.Game(t.State)
	row.NetworkHash0, row.NetworkHash1 = networkHash(t.Agents[0]), networkHash(t.Agents[1])
	return row
}

// networkHash is the hash of an agent's network, "" if it has none.
func networkHash(a mcts.Agent) string {
	if n, ok := a.(interface{ NetworkHash() string }); ok {
		return n.NetworkHash()
	}
	return ""
}

// PlayAll plays every table to its end. Tables at which the same BatchAgent is to move are decided in one
// call, so that a network sees one batch from many games; what is played at a table does not depend on the
// other tables. Plies with one legal action are made without asking. It returns the context's error when it
// is cancelled, with games unfinished.
func PlayAll(ctx context.Context, tables []*Table) error {
	b := batcher{}
	for {
		open := 0
		b.reset()
		for _, t := range tables {
			if err := b.playForced(t); err != nil {
				return err
			}
			if !t.done() {
				open++
				b.add(t)
			}
		}
		if open == 0 {
			return nil
		}
		if err := b.decide(ctx); err != nil {
			return err
		}
	}
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

// playForced makes every ply that leaves no choice.
func (b *batcher) playForced(t *Table) error {
	for !t.done() {
		b.legal = t.State.Legal(b.legal[:0])
		if len(b.legal) > 1 {
			break
		}
		if err := t.Recorder.Play(t.State, mcts.Decision{Action: b.legal[0], Forced: true}); err != nil {
			return err
		}
	}
	return nil
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

// decide asks every agent for its tables' plies and makes them.
func (b *batcher) decide(ctx context.Context) error {
	for i := range b.groups {
		g := &b.groups[i]
		if len(g.tables) == 0 {
			continue
		}
		if err := g.choose(ctx); err != nil {
			return err
		}
		for k, t := range g.tables {
			if err := t.Recorder.Play(t.State, g.decisions[k]); err != nil {
				return fmt.Errorf("agent %s: %w", g.agent.Name(), err)
			}
		}
	}
	return nil
}

func (g *group) choose(ctx context.Context) error {
	if cap(g.decisions) < len(g.tables) {
		g.decisions = make([]mcts.Decision, len(g.tables))
	}
	g.decisions = g.decisions[:len(g.tables)]
	if err := ctx.Err(); err != nil {
		return err
	}
	if batch, ok := g.agent.(mcts.BatchAgent); ok {
		if err := batch.ChooseBatch(g.states, g.streams, g.decisions); err != nil {
			return fmt.Errorf("agent %s: %w", g.agent.Name(), err)
		}
		return nil
	}
	for k := range g.tables {
		// A slow agent must not delay an interrupt by a whole round.
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := g.agent.Choose(g.states[k], g.streams[k])
		if err != nil {
			return fmt.Errorf("agent %s: %w", g.agent.Name(), err)
		}
		g.decisions[k] = d
	}
	return nil
}
