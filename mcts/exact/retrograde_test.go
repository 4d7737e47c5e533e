package exact

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// toy is a random game as a graph, with what a repetition rule that counts to three needs: the position that a node is of,
// -1 where the rule does not look.
type toy struct {
	g        *graph
	next     [][]uint32
	position []int
}

// add adds a node.
func (x *toy) add(mover uint8, position int, next []uint32) {
	slices.Sort(next)
	next = slices.Compact(next)
	x.g.add(mover, next)
	x.next = append(x.next, next)
	x.position = append(x.position, position)
}

// threefold is the value of a node under the rule that the third occurrence of a position is a draw, with the history told
// by how often each position has occurred: exhaustive minimax, without a thought about cycles.
func (x *toy) threefold(node uint32, counts []uint8, memo map[string]uint8) uint8 {
	switch node {
	case endDraw:
		return valueDraw
	case endWin0, endWin1:
		return winOf(uint8(node - endWin0))
	}
	if p := x.position[node-firstNode]; p >= 0 {
		if counts[p] == 2 {
			return valueDraw
		}
		counts[p]++
		defer func() { counts[p]-- }()
	}
	name := fmt.Sprint(node, counts)
	if v, ok := memo[name]; ok {
		return v
	}
	mover := x.g.mover[node]
	best := winOf(mover ^ 1)
	for _, n := range x.next[node-firstNode] {
		v := x.threefold(n, counts, memo)
		if v == winOf(mover) {
			best = v
			break
		}
		if v == valueDraw {
			best = v
		}
	}
	memo[name] = best
	return best
}

// minimaxDistance is the plies to the end of a win, by iteration until nothing changes: another way than the queue's.
func (x *toy) minimaxDistance() (value []uint8, distance []int) {
	n := len(x.next) + int(firstNode)
	value, distance = make([]uint8, n), make([]int, n)
	value[endWin0], value[endWin1] = valueWin0, valueWin1
	for round := 1; ; round++ {
		changed := false
		before := slices.Clone(value)
		for i, next := range x.next {
			node := i + int(firstNode)
			if value[node] != valueDraw {
				continue
			}
			mover := x.g.mover[node]
			lost := true
			for _, s := range next {
				if before[s] == winOf(mover) {
					value[node], distance[node], changed = winOf(mover), round, true
				}
				lost = lost && before[s] == winOf(mover^1)
			}
			if value[node] == valueDraw && lost {
				value[node], distance[node], changed = winOf(mover^1), round, true
			}
		}
		if !changed {
			return value, distance
		}
	}
}

func randomEnd(rng *rand.Rand) uint32 { return uint32(rng.IntN(3)) }

// randomToy makes a game of n counted nodes, any of which may follow any, and some nodes in the middle of turns.
func randomToy(rng *rand.Rand, n int) *toy {
	x := &toy{g: newGraph()}
	middle := rng.IntN(3)
	for i := range n + middle {
		var next []uint32
		for range 1 + rng.IntN(3) {
			switch {
			case rng.Float64() < 0.12:
				next = append(next, randomEnd(rng))
			case i < n:
				next = append(next, firstNode+uint32(rng.IntN(n+middle)))
			default: // turns end
				next = append(next, firstNode+uint32(rng.IntN(n)))
			}
		}
		position := i
		if i >= n {
			position = -1
		}
		x.add(uint8(rng.IntN(2)), position, next)
	}
	return x
}

// TestValuesHoldUnderThreefold: on random graphs, with any order of the players, retrograde analysis gives the values of the
// game in which the third occurrence of a position draws, as exhaustive minimax over histories finds them; with the first
// occurrence and with the second.
func TestValuesHoldUnderThreefold(t *testing.T) {
	results := map[uint8]int{}
	cycles := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := randomToy(rng, 4+rng.IntN(2))
		value, distance, err := settle(t.Context(), x.g, x.g.reverse())
		if err != nil {
			t.Fatal(err)
		}
		slow, plies := x.minimaxDistance()
		memo := map[string]uint8{}
		for node := firstNode; int(node) < len(value); node++ {
			want := x.threefold(node, make([]uint8, len(x.next)), memo)
			if value[node] != want {
				t.Fatalf("seed %d: node %d is worth %d, minimax over histories says %d", seed, node, value[node], want)
			}
			if slow[node] != value[node] || want != valueDraw && plies[node] != int(distance[node]) {
				t.Fatalf("seed %d: node %d: %d in %d plies, iteration says %d in %d", seed, node, value[node], distance[node], slow[node], plies[node])
			}
			results[want]++
			if distance[node] > 3 && want != valueDraw {
				cycles++
			}
			// A second occurrence is worth the same where nothing else has occurred.
			if p := x.position[node-firstNode]; p >= 0 {
				counts := make([]uint8, len(x.next))
				counts[p] = 1
				if again := x.threefold(node, counts, memo); again != want {
					t.Fatalf("seed %d: node %d is worth %d at first and %d the second time", seed, node, want, again)
				}
			}
		}
	}
	for v := valueDraw; v <= valueWin1; v++ {
		if results[v] < 1000 {
			t.Errorf("only %d nodes with value %d", results[v], v)
		}
	}
	if cycles < 100 {
		t.Errorf("only %d wins in more than three plies", cycles)
	}
}

// quietToy makes a game like those with a no-capture limit: boards of two levels, a capture leading to the second, and a
// counter that ends the game at the limit, by what the board counts to.
func quietToy(rng *rand.Rand, counting bool) *toy {
	const boards, limit = 3, 4
	x := &toy{g: newGraph()}
	node := func(level, board, quiet int) uint32 {
		return firstNode + uint32((level*boards+board)*limit+quiet)
	}
	for level := range 2 {
		for board := range boards {
			mover := uint8(rng.IntN(2))
			count := endDraw
			if counting {
				count = randomEnd(rng)
			}
			var to []int
			for range 1 + rng.IntN(3) {
				to = append(to, rng.IntN(boards))
			}
			end, capture := uint32(99), -1
			if rng.Float64() < 0.3 {
				end = randomEnd(rng)
			}
			if level == 0 && rng.Float64() < 0.5 {
				capture = rng.IntN(boards)
			}
			for quiet := range limit {
				var next []uint32
				for _, b := range to {
					if quiet+1 < limit {
						next = append(next, node(level, b, quiet+1))
					} else {
						next = append(next, count)
					}
				}
				if end != 99 {
					next = append(next, end)
				}
				if capture >= 0 {
					next = append(next, node(1, capture, 0))
				}
				x.add(mover, level*boards+board, next)
				n := node(level, board, quiet)
				x.g.order = append(x.g.order, n)
				x.g.group = append(x.g.group, uint32(level*boards+board))
				x.g.quiet = append(x.g.quiet, uint16(quiet))
			}
		}
	}
	return x
}

// markToy makes a game in which four nodes are one position to the repetition rule, with the same mover and mostly the same
// successors, as with the ban on going back.
func markToy(rng *rand.Rand) *toy {
	const positions, marks = 3, 4
	x := &toy{g: newGraph()}
	for p := range positions {
		mover := uint8(rng.IntN(2))
		var common []uint32
		draw := func() uint32 {
			if rng.Float64() < 0.1 {
				return randomEnd(rng)
			}
			return firstNode + uint32(rng.IntN(marks*positions))
		}
		for range 1 + rng.IntN(2) {
			common = append(common, draw())
		}
		for mark := range marks {
			next := slices.Clone(common)
			if rng.Float64() < 0.6 {
				next = append(next, draw())
			}
			x.add(mover, p, next)
			x.g.order = append(x.g.order, firstNode+uint32(marks*p+mark))
			x.g.group = append(x.g.group, uint32(p))
			x.g.quiet = append(x.g.quiet, 0)
		}
	}
	return x
}

// TestCertifiedWinsHold: where the repetition rule takes several nodes for one position, draws are draws and certified wins
// are wins of the game with histories; a win that is not certified is no loss. Where the limit draws, all wins are
// certified.
func TestCertifiedWinsHold(t *testing.T) {
	for name, make := range map[string]func(*rand.Rand) *toy{
		"a limit that draws":  func(rng *rand.Rand) *toy { return quietToy(rng, false) },
		"a limit that counts": func(rng *rand.Rand) *toy { return quietToy(rng, true) },
		"marks":               markToy,
	} {
		t.Run(name, func(t *testing.T) {
			wins, open, spoiled, draws := 0, 0, 0, 0
			for seed := range uint64(800) {
				x := make(rand.New(rand.NewPCG(seed, 2)))
				back := x.g.reverse()
				value, _, err := settle(t.Context(), x.g, back)
				if err != nil {
					t.Fatal(err)
				}
				certified, err := certify(t.Context(), x.g, back, value, name != "marks")
				if err != nil {
					t.Fatal(err)
				}
				memo := map[string]uint8{}
				for node := firstNode; int(node) < len(value); node++ {
					want := x.threefold(node, newCounts(x), memo)
					v := value[node]
					switch {
					case v == valueDraw:
						draws++
						if want != valueDraw {
							t.Fatalf("seed %d: node %d is a draw, minimax over histories says %d", seed, node, want)
						}
					case certified[node]:
						wins++
						if want != v {
							t.Fatalf("seed %d: node %d is certified as %d, minimax over histories says %d", seed, node, v, want)
						}
					default:
						open++
						if want != v {
							spoiled++
							if want != valueDraw {
								t.Fatalf("seed %d: node %d is worth %d without repetition, minimax over histories says %d", seed, node, v, want)
							}
						}
					}
				}
			}
			t.Logf("%d draws, %d certified wins, %d not certified, of which %d are draws", draws, wins, open, spoiled)
			if wins < 1000 || draws < 1000 {
				t.Errorf("%d wins and %d draws are too few", wins, draws)
			}
			if name == "a limit that draws" {
				if open > 0 {
					t.Errorf("%d wins are not certified", open)
				}
			} else if spoiled == 0 {
				t.Error("repetition never made a draw of a win: the test shows nothing")
			}
		})
	}
}

func newCounts(x *toy) []uint8 { return make([]uint8, len(x.next)) }
