package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env/engine"
)

// toyGame is a random game tree, fixed by its seed: at each position the mover, the number of plies and
// their action ids are arbitrary, so that one player may make any number of plies in a row.
type toyGame struct {
	seed   uint64
	depth  int     // every line ends here at the latest
	branch int     // plies at a position: 1..branch
	ends   float64 // chance that a position above that depth is final
	capped float64 // chance that a final position is capped
}

// toy is a position of a toyGame. It allocates nothing once its stack has grown.
type toy struct {
	g     *toyGame
	stack []uint64
}

func newToy(g *toyGame) *toy { return &toy{g: g, stack: []uint64{mix(g.seed)}} }

// withChoice changes the seed until the first position has a choice of plies.
func (g toyGame) withChoice() *toyGame {
	for newToy(&g).width() == 1 {
		g.seed += 1000
	}
	return &g
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func unit(x uint64) float64 { return float64(mix(x)>>11) / (1 << 53) }

func (s *toy) key() uint64  { return s.stack[len(s.stack)-1] }
func (s *toy) Hash() uint64 { return s.key() }
func (s *toy) plies() int   { return len(s.stack) - 1 }
func (s *toy) width() int   { return 1 + int(mix(s.key()^1)%uint64(s.g.branch)) }
func (s *toy) id(i int) int { return 3*i + int(s.key()%3) }
func (s *toy) Play(a engine.Action) {
	s.stack = append(s.stack, mix(s.key()+uint64(a)*0xD1342543DE82EF95+7))
}
func (s *toy) Undo() { s.stack = s.stack[:len(s.stack)-1] }

func (s *toy) ToMove() int {
	return int(mix(s.key()^2) & 1)
}

func (s *toy) Over() bool {
	return s.plies() >= s.g.depth || s.plies() > 0 && unit(s.key()^3) < s.g.ends
}

func (s *toy) Legal(dst []engine.Action) []engine.Action {
	if s.Over() {
		return dst
	}
	for i := range s.width() {
		dst = append(dst, engine.Action(s.id(i)))
	}
	return dst
}

func (s *toy) Value() (float64, bool) {
	if unit(s.key()^4) < s.g.capped {
		return 0, false
	}
	return float64(int(mix(s.key()^5)%3) - 1), true
}

// after is the exact value for player 0 after ply a.
func (s *toy) after(a engine.Action) float64 {
	s.Play(a)
	defer s.Undo()
	return minimax(s)
}

// misleading is an evaluator whose priors and values are noise, fixed by the position: what it says
// is wrong as often as not.
type misleading struct{ spread float32 }

func (m misleading) Evaluate(leaves []Leaf) error {
	for i := range leaves {
		l := &leaves[i]
		h := l.State.(hasher).Hash()
		l.Value = float32(2*unit(h^11) - 1)
		for j := range l.Logits {
			l.Logits[j] = m.spread * float32(unit(h^uint64(20+j))-0.5)
		}
	}
	return nil
}

// bandit is a game of one ply: action i ends it, with a value of its own for player 0, in [-1, 1].
type bandit struct {
	mover  int
	values []float64
	played []engine.Action
}

func (s *bandit) ToMove() int { return s.mover }
func (s *bandit) Legal(dst []engine.Action) []engine.Action {
	if s.Over() {
		return dst
	}
	for i := range s.values {
		dst = append(dst, engine.Action(i))
	}
	return dst
}
func (s *bandit) Play(a engine.Action)   { s.played = append(s.played, a) }
func (s *bandit) Undo()                  { s.played = s.played[:len(s.played)-1] }
func (s *bandit) Over() bool             { return len(s.played) > 0 }
func (s *bandit) Value() (float64, bool) { return s.values[s.played[0]], false }

// given is an evaluator that says the same of every leaf.
type given struct {
	logits []float32
	value  float32
}

func (g given) Evaluate(leaves []Leaf) error {
	for i := range leaves {
		copy(leaves[i].Logits, g.logits)
		leaves[i].Value = g.value
	}
	return nil
}

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func mustNew(t testing.TB, cfg Config) *Search {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// search runs one search of st to its end and returns its result, and checks what holds of every
// search: the state is as it was, the tree is consistent, the policy sums to 1, the action is legal.
func search(t testing.TB, s *Search, st State, ev Evaluator, rng *rand.Rand) Result {
	t.Helper()
	if err := s.Begin(st, rng); err != nil {
		t.Fatal(err)
	}
	if err := RunAll([]*Search{s}, ev); err != nil {
		t.Fatal(err)
	}
	audit(t, s)
	r := s.Result()
	if !slices.Contains(r.Legal, r.Action) {
		t.Fatalf("action %d is not among the legal %v", r.Action, r.Legal)
	}
	sum := 0.0
	for _, p := range r.Policy {
		sum += float64(p)
	}
	if sum < 1-1e-5 || sum > 1+1e-5 {
		t.Fatalf("policy %v sums to %v", r.Policy, sum)
	}
	return r
}

// audit checks the bookkeeping of a tree with no leaf under evaluation.
func audit(t testing.TB, s *Search) {
	t.Helper()
	tr := &s.tree
	if s.Pending() != 0 {
		t.Fatalf("%d leaves still under evaluation", s.Pending())
	}
	for i := range tr.nodes {
		n := &tr.nodes[i]
		var visits uint32
		var open uint16
		sum := 0.0
		if n.virtual != 0 {
			t.Fatalf("node %d keeps %d virtual visits", i, n.virtual)
		}
		for e := n.first; e < n.first+uint32(n.count); e++ {
			visits += tr.visits[e]
			sum += tr.sum[e]
			if tr.proof[e] == unproven {
				open++
			}
			if tr.virtual[e] != 0 {
				t.Fatalf("edge %d keeps %d virtual visits", e, tr.virtual[e])
			}
			c := tr.child[e]
			if c == pendingChild {
				t.Fatalf("edge %d waits for an evaluation", e)
			}
			if c >= 0 {
				// One visit made the child, unless it is a forced ply, which every visit passes.
				below := tr.nodes[c].visits
				if d := tr.visits[e] - below; d != 0 && d != 1 {
					t.Fatalf("edge %d has %d visits, its node %d", e, tr.visits[e], below)
				}
				if p := tr.nodes[c].proof; p != tr.proof[e] {
					t.Fatalf("edge %d has proof %d, its node %d", e, tr.proof[e], p)
				}
			}
		}
		if visits != n.visits || open != n.open || sum-n.sum > 1e-6 || n.sum-sum > 1e-6 {
			t.Fatalf("node %d: visits %d (edges %d), open %d (edges %d), sum %v (edges %v)", i, n.visits, visits, n.open, open, n.sum, sum)
		}
	}
}

// walk is a game on a small random graph whose rules look at the history: a vertex visited for the third time
// ends the game as a draw, or, with superko, no vertex may be visited twice and who has no ply loses.
// The same vertex has different values after different histories.
type walk struct {
	seed    uint64
	size    int
	superko bool
	line    []int // vertices so far
	visits  []int // of each vertex
}

func newWalk(seed uint64, size int, superko bool) *walk {
	w := &walk{seed: seed, size: size, superko: superko, line: []int{0}, visits: make([]int, size)}
	w.visits[0] = 1
	return w
}

func (w *walk) at() int     { return w.line[len(w.line)-1] }
func (w *walk) ToMove() int { return int(mix(w.seed^uint64(100+w.at())) & 1) }

// next is where ply i leads: three plies at a vertex, perhaps to the same place.
func (w *walk) next(i int) int { return int(mix(w.seed^uint64(1000+3*w.at()+i)) % uint64(w.size)) }

// final says whether the last two vertices, which end the game, have been reached.
func (w *walk) final() bool { return len(w.line) > 1 && w.at() >= w.size-2 }

func (w *walk) plies(dst []engine.Action) []engine.Action {
	for i := range 3 {
		if !w.superko || w.visits[w.next(i)] == 0 {
			dst = append(dst, engine.Action(i))
		}
	}
	return dst
}

func (w *walk) Over() bool {
	var buf [3]engine.Action
	return w.final() || !w.superko && w.visits[w.at()] == 3 || len(w.plies(buf[:0])) == 0
}

func (w *walk) Legal(dst []engine.Action) []engine.Action {
	if w.Over() {
		return dst
	}
	return w.plies(dst)
}

func (w *walk) Play(a engine.Action) {
	v := w.next(int(a))
	w.line = append(w.line, v)
	w.visits[v]++
}

func (w *walk) Undo() {
	w.visits[w.at()]--
	w.line = w.line[:len(w.line)-1]
}

func (w *walk) Value() (float64, bool) {
	switch {
	case w.final():
		return float64(2*(w.at()-(w.size-2)) - 1), true
	case w.superko:
		return -view(1.0, uint8(w.ToMove())), true
	}
	return 0, true
}

// minimax is the exact value of st for player 0, by plain recursion over its histories.
func minimax(st State) float64 {
	if st.Over() {
		v, _ := st.Value()
		return v
	}
	best := 0.0
	for i, a := range st.Legal(nil) {
		st.Play(a)
		v := minimax(st)
		st.Undo()
		if i == 0 || st.ToMove() == 0 && v > best || st.ToMove() == 1 && v < best {
			best = v
		}
	}
	return best
}
