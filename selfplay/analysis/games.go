package analysis

import (
	"cmp"
	"slices"

	"latro/env/engine"
	"latro/mcts"
)

// game is the tree that is kept of a game between two plies of it, in mode Play.
type game struct {
	name    string
	binding *binding
	start   string // the position before the plies
	plies   []engine.Action
	search  *mcts.Search
	used    uint64 // when, in jobs
}

// maxGames is the number of games whose trees are kept.
const maxGames = 64

// games keeps trees, those of the games that went on latest. Server.mu guards it.
type games struct {
	all  []*game
	turn uint64
}

// take gives the search of a game, at the position of the job, and keeps it no longer; nil if there is none, or none
// that leads there: the tree of another position would be worth nothing.
func (s *Server) takeGame(j *job) *mcts.Search {
	q := j.query
	s.mu.Lock()
	at := slices.IndexFunc(s.games.all, func(g *game) bool { return g.name == q.game })
	var g *game
	if at >= 0 {
		g = s.games.all[at]
		s.games.all = slices.Delete(s.games.all, at, at+1)
	}
	s.mu.Unlock()
	if g == nil || g.binding != q.binding || g.start != q.startText || len(g.plies) > j.ply || !slices.Equal(g.plies, q.plies[:len(g.plies)]) {
		return nil
	}
	for _, a := range q.plies[len(g.plies):j.ply] {
		g.search.Advance(a)
	}
	return g.search
}

// keepGame keeps the job's search until its game goes on. All trees together have a quarter of the memory.
func (s *Server) keepGame(j *job) {
	q := j.query
	g := &game{name: q.game, binding: q.binding, start: q.startText, plies: q.plies[:j.ply], search: j.search}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.games.turn++
	g.used = s.games.turn
	all := slices.DeleteFunc(s.games.all, func(old *game) bool { return old.name == g.name })
	all = append(all, g)
	slices.SortFunc(all, func(x, y *game) int { return cmp.Compare(y.used, x.used) })
	bytes := 0
	for i, x := range all {
		if bytes += x.search.Bytes(); i == maxGames || bytes > s.cfg.MemoryMB<<20/4 {
			clear(all[i:])
			all = all[:i]
			break
		}
	}
	s.games.all = all
}
