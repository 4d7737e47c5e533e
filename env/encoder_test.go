package env

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/rules"
)

// forEvery runs f as a subtest for every catalogue entry and reading.
func forEvery(t *testing.T, f func(t *testing.T, g *engine.Game)) {
	for _, ref := range EveryRef(t) {
		t.Run(ref, func(t *testing.T) { f(t, Compile(t, ref)) })
	}
}

// walk plays a random game of up to n plies and calls f in every position, the last one included.
func walk(g *engine.Game, seed uint64, n int, f func(s *engine.State)) {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := g.NewState()
	var legal []engine.Action
	for range n {
		f(s)
		if s.Over() {
			return
		}
		legal = s.Legal(legal[:0])
		s.Play(legal[rng.IntN(len(legal))])
	}
	f(s)
}

// observation is an encoded view in buffers of its own.
type observation struct{ planes, globals []float32 }

func encode(e *Encoder, s *engine.State) observation {
	var v engine.View
	s.View(&v)
	return encodeView(e, &v)
}

func encodeView(e *Encoder, v *engine.View) observation {
	o := observation{make([]float32, e.ObsLen()), make([]float32, e.GlobalsLen())}
	for i := range o.planes {
		o.planes[i] = 9 // what Encode must overwrite
	}
	for i := range o.globals {
		o.globals[i] = 9
	}
	e.Encode(v, o.planes, o.globals)
	return o
}

func TestPlanesOfRulesets(t *testing.T) {
	for ref, want := range map[string]string{
		"bell-8x7":              "on-board own-men enemy-men own-leader enemy-leader active last-from last-to placeable hostile-corner",
		"bell-8x7@ludii":        "on-board own-men enemy-men own-leader enemy-leader active last-from last-to placeable barred hostile-corner",
		"locus-ludi-seneca":     "on-board own-men enemy-men own-bound enemy-bound active visited last-from last-to placeable barred",
		"luductus":              "on-board own-men enemy-men own-leader enemy-leader last-from last-to placeable",
		"webdux":                "on-board own-men enemy-men own-leader enemy-leader last-from last-to exposed-edge",
		"webdux@free-placement": "on-board own-men enemy-men own-leader enemy-leader last-from last-to placeable exposed-edge",
	} {
		e := NewEncoder(Compile(t, ref))
		if got := strings.Join(e.Planes(), " "); got != want {
			t.Errorf("%s has the planes\n%s, want\n%s", ref, got, want)
		}
	}
}

// TestEncodeByDefinition compares Encode, at every ply of random games, with what AllPlanes says of each plane,
// written down square by square and slowly.
func TestEncodeByDefinition(t *testing.T) {
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		p := g.Params()
		n := g.Squares()
		has := func(set [4]uint64, sq int) bool { return set[sq/64]&(1<<(sq%64)) != 0 }
		walk(g, 3, 250, func(s *engine.State) {
			var v engine.View
			s.View(&v)
			o := encodeView(e, &v)
			me := s.ToMove()
			placeable := map[int]bool{} // what may be placed on is what a legal placement goes to
			for _, a := range s.Legal(nil) {
				if ply := s.PlyOf(a); ply.Kind == engine.PlaceMan || ply.Kind == engine.PlaceLeader {
					placeable[ply.To] = true
				}
			}
			if int(v.Mover) != me {
				t.Fatalf("the view's mover is %d, the state's %d", v.Mover, me)
			}
			last := engine.Ply{From: -1, To: -1}
			if h := s.History(); len(h) > 0 {
				var err error
				if last, err = g.Decode(h[len(h)-1]); err != nil {
					t.Fatal(err)
				}
			}
			for i, name := range e.Planes() {
				for sq := range n {
					row, col := sq/g.Cols(), sq%g.Cols()
					piece := s.At(sq)
					mine := piece != engine.Empty && piece.Owner() == me
					theirs := piece != engine.Empty && piece.Owner() != me
					man := !piece.IsLeader() && !piece.IsBound()
					edge := row == 0 || col == 0 || row == g.Rows()-1 || col == g.Cols()-1
					corner := (row == 0 || row == g.Rows()-1) && (col == 0 || col == g.Cols()-1)
					var want bool
					switch name {
					case "on-board":
						want = true
					case "own-men":
						want = mine && man
					case "enemy-men":
						want = theirs && man
					case "own-leader":
						want = mine && piece.IsLeader()
					case "enemy-leader":
						want = theirs && piece.IsLeader()
					case "own-bound":
						want = mine && piece.IsBound()
					case "enemy-bound":
						want = theirs && piece.IsBound()
					case "active":
						want = int(v.Chain) == sq
					case "visited":
						want = has(v.Visited, sq)
					case "last-from":
						want = last.From == sq
					case "last-to":
						want = last.To == sq
					case "barred":
						want = has(v.Barred, sq)
					case "hostile-corner":
						want = corner
					case "exposed-edge":
						want = edge
					case "immune":
						centre := row == (g.Rows()-1)/2 && col == (g.Cols()-1)/2
						want = slices.Contains(p.Capture.Immune, rules.SquareName(row, col)) ||
							centre && slices.Contains(p.Capture.Immune, "centre")
					case "placeable":
						want = placeable[sq]
					default:
						t.Fatalf("the plane %q is not in this test", name)
					}
					at := sq
					if me == 1 {
						at = (g.Rows()-1-row)*g.Cols() + (g.Cols() - 1 - col)
					}
					if got := o.planes[i*n+at]; got != indicator(want) {
						t.Fatalf("ply %d, plane %s, square %s: %v, want %v\n%s", s.Ply(), name, rules.SquareName(row, col), got, want, s.Position())
					}
				}
			}
			checkGlobals(t, e, s, o.globals)
		})
	})
}

// checkGlobals compares the counting globals with the state's own accessors.
func checkGlobals(t *testing.T, e *Encoder, s *engine.State, g []float32) {
	t.Helper()
	p := s.Game().Params()
	me := s.ToMove()
	div := float32(max(p.Pieces.Men, p.Setup.AgreementMax))
	get := func(name string) float32 { return g[slices.Index(e.Globals(), name)] }
	want := map[string]float32{
		"phase-agreement":   indicator(s.Phase() == engine.Agreement),
		"phase-placement":   indicator(s.Phase() == engine.Placement),
		"phase-movement":    indicator(s.Phase() == engine.Movement),
		"mover-is-player-0": indicator(me == 0),
	}
	sum := float32(0)
	for i, side := range []string{"own", "enemy"} {
		player := me
		if i == 1 {
			player = 1 - me
		}
		hm, hl := s.Hand(player)
		men, leaders, bound := s.Pieces(player)
		men -= bound // Pieces counts bound men as men
		want[side+"-hand-men"] = float32(hm) / div
		want[side+"-hand-leader"] = float32(hl)
		want[side+"-men"] = float32(men) / div
		want[side+"-bound"] = float32(bound) / div
		want[side+"-leader"] = float32(leaders)
		all := float32(hm + hl + men + bound + leaders)
		sum += all * float32(1-2*i)
	}
	want["material"] = sum / (div + float32(p.Pieces.Leaders))
	if p.End.NoCaptureLimit > 0 {
		want["quiet"] = float32(s.Quiet()) / float32(p.End.NoCaptureLimit)
	}
	for name, w := range want {
		if d := get(name) - w; d < -1e-6 || d > 1e-6 {
			t.Fatalf("ply %d: global %s is %v, want %v\n%s", s.Ply(), name, get(name), w, s.Position())
		}
	}
	for i, v := range g {
		if !(v >= -1 && v <= 1) {
			t.Fatalf("ply %d: global %s is %v, outside [-1, 1]", s.Ply(), e.Globals()[i], v)
		}
	}
}

// TestTwin: a position and its twin (board turned, owners and mover swapped) are the same to the network, but
// for the one input that says who the mover is and what hangs on a tie.
func TestTwin(t *testing.T) {
	colour := []string{"mover-is-player-0", "tie-for-mover", "opens-movement"}
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		// Where the ruleset's named squares are not point-symmetric (the centre of an even board) there are no true
		// twins; the plane that shows them is the only difference then.
		skip := map[string]bool{
			"placeable": !pointSymmetric(g, g.Params().Setup.Forbidden),
			"immune":    !pointSymmetric(g, g.Params().Capture.Immune),
		}
		walk(g, 5, 250, func(s *engine.State) {
			var v engine.View
			s.View(&v)
			tw := twin(g, &v)
			a, b := encodeView(e, &v), encodeView(e, &tw)
			for i, name := range e.Planes() {
				from, to := i*g.Squares(), (i+1)*g.Squares()
				if !skip[name] && !slices.Equal(a.planes[from:to], b.planes[from:to]) {
					t.Fatalf("ply %d: plane %s of a position and its twin differ\n%s", s.Ply(), name, s.Position())
				}
			}
			for i, name := range e.Globals() {
				if a.globals[i] != b.globals[i] && !slices.Contains(colour, name) {
					t.Fatalf("ply %d: global %s is %v, in the twin %v\n%s", s.Ply(), name, a.globals[i], b.globals[i], s.Position())
				}
			}
		})
	})
}

func pointSymmetric(g *engine.Game, squares []string) bool {
	set := map[int]bool{}
	for _, name := range squares {
		row, col, err := rules.ResolveSquare(name, g.Rows(), g.Cols())
		if err != nil {
			return false
		}
		set[row*g.Cols()+col] = true
	}
	for sq := range set {
		if !set[g.Squares()-1-sq] {
			return false
		}
	}
	return true
}

// twin turns the board by 180 degrees and swaps the players.
func twin(g *engine.Game, v *engine.View) engine.View {
	n := g.Squares()
	swap := [...]engine.Piece{engine.Empty, engine.Man1, engine.Man0, engine.Leader1, engine.Leader0, engine.Bound1, engine.Bound0}
	tw := *v
	turn := func(sq int16) int16 {
		if sq < 0 {
			return sq
		}
		return int16(n-1) - sq
	}
	turnSet := func(set [4]uint64) (out [4]uint64) {
		for sq := range n {
			if set[sq/64]>>(sq%64)&1 != 0 {
				to := n - 1 - sq
				out[to/64] |= 1 << (to % 64)
			}
		}
		return out
	}
	for sq := range n {
		tw.Cells[n-1-sq] = swap[v.Cells[sq]]
	}
	tw.Mover = 1 - v.Mover
	tw.HandMen[0], tw.HandMen[1] = v.HandMen[1], v.HandMen[0]
	tw.HandLeaders[0], tw.HandLeaders[1] = v.HandLeaders[1], v.HandLeaders[0]
	tw.Chain, tw.LastFrom, tw.LastTo = turn(v.Chain), turn(v.LastFrom), turn(v.LastTo)
	tw.Visited, tw.Barred = turnSet(v.Visited), turnSet(v.Barred)
	return tw
}

// TestRuleVectorTellsRulesApart: no two different rulesets of the catalogue with one board look alike to a
// network that learns them all.
func TestRuleVectorTellsRulesApart(t *testing.T) {
	type entry struct {
		ref string
		p   rules.Params
		v   []float32
	}
	var seen []entry
	for _, ref := range EveryRef(t) {
		params := Compile(t, ref).Params()
		v := RuleVector(params)
		for _, o := range seen {
			if !slices.Equal(v, o.v) {
				continue
			}
			q := params.Clone()
			// What planes show instead of the vector.
			q.Setup.Array, q.Setup.Forbidden, q.Capture.Immune = o.p.Setup.Array, o.p.Setup.Forbidden, o.p.Capture.Immune
			if !q.Equal(o.p) {
				t.Errorf("%s and %s have different rules but the same vector", ref, o.ref)
			}
		}
		seen = append(seen, entry{ref, params, v})
	}
}

// TestRuleVectorFollowsSet: changing one parameter changes exactly the inputs that bear its name.
func TestRuleVectorFollowsSet(t *testing.T) {
	base, err := rules.Open("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	names := NewEncoder(Compile(t, "bell-8x7")).Globals()[numDynamic:]
	before := RuleVector(base.Params)
	for param, value := range map[string]string{
		"capture.corner": "neutral", "end.no_capture_limit": "60", "bonus.compulsory": "true", "board.cols": "9",
		"movement.leaders.hop_over": "own-men", "capture.immune": "d4,e5",
	} {
		p := base.Params.Clone()
		if err := p.Set(param, value); err != nil {
			t.Fatal(err)
		}
		after := RuleVector(p)
		changed := 0
		for i := range after {
			own := names[i] == "rule:"+param || strings.HasPrefix(names[i], "rule:"+param+"=")
			if before[i] != after[i] {
				changed++
				if !own {
					t.Errorf("%s=%s changes the input %s", param, value, names[i])
				}
			}
		}
		if changed == 0 {
			t.Errorf("%s=%s changes no input", param, value)
		}
	}
}

// TestEncodeOfStoredViews: the bytes that training samples keep of a position hold all that an observation
// needs.
func TestEncodeOfStoredViews(t *testing.T) {
	forEvery(t, func(t *testing.T, g *engine.Game) {
		e := SharedEncoder(g)
		walk(g, 8, 250, func(s *engine.State) {
			var v, back engine.View
			s.View(&v)
			if err := g.DecodeView(v.AppendBinary(nil), &back); err != nil {
				t.Fatal(err)
			}
			a, b := encodeView(e, &v), encodeView(e, &back)
			if !slices.Equal(a.planes, b.planes) || !slices.Equal(a.globals, b.globals) {
				t.Fatalf("ply %d: the stored view is seen differently\n%s", s.Ply(), s.Position())
			}
		})
	})
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	e := NewEncoder(Compile(t, "bell-8x7"))
	s := e.Game().NewState()
	var v engine.View
	obs, globals := make([]float32, e.ObsLen()), make([]float32, e.GlobalsLen())
	if n := testing.AllocsPerRun(100, func() {
		s.View(&v)
		e.Encode(&v, obs, globals)
	}); n != 0 {
		t.Errorf("View and Encode allocate %v times", n)
	}
}

func TestEncodePanicsOnWrongBuffers(t *testing.T) {
	e := NewEncoder(Compile(t, "bell-8x7"))
	var v engine.View
	e.Game().NewState().View(&v)
	defer func() {
		if recover() == nil {
			t.Error("Encode accepts an observation buffer that is too short")
		}
	}()
	e.Encode(&v, make([]float32, e.ObsLen()-1), make([]float32, e.GlobalsLen()))
}
