package exact

import (
	"context"
	"math"
)

// The nodes that stand for games that are over. The positions follow them.
const (
	endDraw uint32 = iota
	endWin0
	endWin1
	firstNode
)

// Values of nodes, and of Solution's states.
const (
	valueDraw uint8 = iota
	valueWin0
	valueWin1
)

// noDistance is the distance of a node that nobody wins.
const noDistance = math.MaxUint16

func winOf(player uint8) uint8 { return valueWin0 + player }

// graph is a game as a graph: nodes 0 to 2 are the ends, which have no edges; every other node has the player who moves and
// the nodes he can go to, each once.
type graph struct {
	mover  []uint8
	degree []uint16
	edges  list // of node firstNode, then of the next
	// For a repetition rule that takes several nodes for one position: order holds the nodes about which it asks, those of
	// one position side by side and by their quiet counters; group and quiet go with it. Empty if every node is a position
	// of its own.
	order []uint32
	group []uint32
	quiet []uint16
}

func newGraph() *graph {
	return &graph{mover: make([]uint8, firstNode), degree: make([]uint16, firstNode)}
}

// add adds a node whose successors are given, each once.
func (g *graph) add(mover uint8, successors []uint32) {
	g.mover = append(g.mover, mover)
	g.degree = append(g.degree, uint16(len(successors)))
	for _, s := range successors {
		g.edges.add(s)
	}
}

// reversed is a graph turned round: the predecessors of node i are from[start[i]:start[i+1]].
type reversed struct {
	start []uint32
	from  []uint32
}

// reverse turns the graph round and gives up its edges on the way, chunk by chunk.
func (g *graph) reverse() *reversed {
	n := len(g.mover)
	r := &reversed{start: make([]uint32, n+1), from: make([]uint32, g.edges.n)}
	for i := range g.edges.n {
		r.start[g.edges.at(i)+1]++
	}
	for i := range n {
		r.start[i+1] += r.start[i]
	}
	at := 0
	for node := range n {
		for range g.degree[node] {
			to := g.edges.at(at)
			// start[to] runs to the end of its part; it is put back below.
			r.from[r.start[to]] = uint32(node)
			r.start[to]++
			if at++; at&(1<<chunkBits-1) == 0 {
				g.edges.chunks[at>>chunkBits-1] = nil
			}
		}
	}
	copy(r.start[1:], r.start[:n])
	r.start[0] = 0
	g.edges = list{}
	return r
}

// settle finds for every node who wins in a game in which play without end is a draw, and in how many plies if the winner
// hurries and the loser delays: retrograde analysis (R. Bellman 1965; K. Thompson, Retrograde Analysis of Certain
// Endgames, 1986). Nodes are taken in the order of their distance from the end. A node is won for its mover as soon as
// one of its successors is, which is then a nearest; it is lost when the last of them is won for the opponent, which is
// then a furthest. What is never reached is a draw. The order of the players is arbitrary.
func settle(ctx context.Context, g *graph, r *reversed) (value []uint8, distance []uint16, err error) {
	n := len(g.mover)
	value = make([]uint8, n)
	distance = make([]uint16, n)
	open := make([]uint16, n)
	copy(open, g.degree)
	for i := range distance {
		distance[i] = noDistance
	}
	var queue list
	for _, e := range [...]uint32{endWin0, endWin1} {
		value[e], distance[e] = winOf(uint8(e-endWin0)), 0
		queue.add(e)
	}
	distance[endDraw] = 0
	for head := 0; head < queue.n; head++ {
		if head&0xffff == 0 {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
		}
		x := queue.at(head)
		if (head+1)&(1<<chunkBits-1) == 0 {
			queue.chunks[head>>chunkBits] = nil
		}
		v := value[x]
		d := distance[x]
		if d < noDistance-1 {
			d++
		}
		for _, p := range r.from[r.start[x]:r.start[x+1]] {
			if value[p] != valueDraw {
				continue
			}
			if winOf(g.mover[p]) != v {
				if open[p]--; open[p] > 0 {
					continue
				}
			}
			value[p], distance[p] = v, d
			queue.add(p)
		}
	}
	return value, distance, nil
}

// side is what certify keeps of the nodes of one position that one player wins.
type side struct {
	candidates int32 // nodes that settle found won and that are neither certified nor waiting
	any        int32 // the greatest quiet counter of a certified node, -1
	second     int32 // the same of those that may be the second-last visit to the position, -1
}

// certify finds wins that stand although a position may occur only twice, where several nodes are one position to the
// repetition rule. won are the values that settle found.
//
// Nodes are certified in rounds, each on the ground of nodes certified in earlier rounds, so that a line of the winner's
// play goes through ever earlier rounds. Two visits of such a line to one position are thus of nodes of different rounds, the
// second of the earlier; and where there is a quiet counter it has grown in between, since after a capture the
// position cannot come back. A node is certified only if no line from it can visit its position more than twice: if of
// the nodes of the position that were certified in earlier rounds, with a greater quiet counter if there is one, none can be
// visited twice itself. Where there is no counter a position has thus two rounds; a node waits for all others of its position
// that may yet be won, or until nothing else goes on.
func certify(ctx context.Context, g *graph, r *reversed, won []uint8, counter bool) (certified []bool, err error) {
	n := len(g.mover)
	value := make([]uint8, n) // by certified successors
	certified = make([]bool, n)
	open := make([]uint16, n)
	copy(open, g.degree)
	place := make([]uint32, n) // in order, + 1
	groups := 0
	var start []uint32 // of a group in order
	for i, x := range g.order {
		place[x] = uint32(i) + 1
		if i == 0 || g.group[i] != g.group[i-1] {
			groups++
			start = append(start, uint32(i))
		}
	}
	sides := make([]side, 2*groups)
	for i := range sides {
		sides[i].any, sides[i].second = -1, -1
	}
	sideOf := func(x uint32) *side { return &sides[2*g.group[place[x]-1]+uint32(won[x]-valueWin0)] }
	for _, x := range g.order {
		if won[x] != valueDraw {
			sideOf(x).candidates++
		}
	}
	var round, next, reached []uint32
	var waiting []uint32 // without a counter: the nodes that wait, certified ones among them
	certified[endDraw] = true
	for _, e := range [...]uint32{endWin0, endWin1} {
		value[e], certified[e] = won[e], true
		round = append(round, e)
	}
	for len(round) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		reached = reached[:0]
		for _, x := range round {
			v := value[x]
			for _, p := range r.from[r.start[x]:r.start[x+1]] {
				if value[p] != valueDraw {
					continue
				}
				if winOf(g.mover[p]) != v {
					if open[p]--; open[p] > 0 {
						continue
					}
				}
				value[p] = v
				reached = append(reached, p)
			}
		}
		next = next[:0]
		for _, x := range reached {
			if place[x] == 0 {
				next = append(next, x)
				continue
			}
			s := sideOf(x)
			s.candidates--
			switch {
			case counter:
				if int32(g.quiet[place[x]-1]) >= s.second {
					next = append(next, x)
				}
			case s.second >= 0: // two rounds have been
			case s.candidates > 0:
				waiting = append(waiting, x)
			default: // all that wait, this one among them
				group := g.group[place[x]-1]
				for i := start[group]; int(i) < len(g.order) && g.group[i] == group; i++ {
					if y := g.order[i]; value[y] == value[x] && !certified[y] {
						next = append(next, y)
					}
				}
			}
		}
		if len(next) == 0 {
			// Nothing goes on while all wait. Each position has two rounds: this is one for all that wait.
			for _, x := range waiting {
				if !certified[x] && sideOf(x).second < 0 {
					next = append(next, x)
				}
			}
			waiting = waiting[:0]
		}
		for _, x := range next {
			certified[x] = true
		}
		// What was certified in this round counts from the next one on.
		for _, x := range next {
			if place[x] == 0 {
				continue
			}
			s := sideOf(x)
			if quiet := int32(g.quiet[place[x]-1]); counter && quiet < s.any || !counter && s.any >= 0 {
				s.second = max(s.second, quiet)
			}
		}
		for _, x := range next {
			if place[x] != 0 {
				s := sideOf(x)
				s.any = max(s.any, int32(g.quiet[place[x]-1]))
			}
		}
		round, next = next, round
	}
	return certified, nil
}
