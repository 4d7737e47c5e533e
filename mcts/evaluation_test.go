package mcts

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"latro/env/engine"
	"latro/env/envtest"
	"latro/env/rules"
)

func mustPosition(t testing.TB, g *engine.Game, text string) *engine.State {
	t.Helper()
	s, err := g.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// featuresOf names the features of s that are not 0.
func featuresOf(e *Evaluation, s *engine.State) map[string]int32 {
	out := map[string]int32{}
	for i, f := range e.Features(s, nil) {
		if f != 0 {
			out[featureNames[i]] = f
		}
	}
	return out
}

// Features of positions that were counted by hand.
func TestFeaturesByHand(t *testing.T) {
	for _, c := range []struct {
		ref, position string
		want          map[string]int32
	}{
		// Seega, men step. Player 0 on b4 and d3, player 1 on c4 and f1: d3-d4 would capture c4; b4 and c4 each have an enemy
		// on one side and nothing on the other. Free neighbours 3 + 4 and 3 + 2, lines 2 + 2 and 2 + 0.
		{"6x6-seega", "6/6/1ab3/3a2/6/5b 0 movement", map[string]int32{
			"liberties": 2, "attacks": 1, "open": -2, "centre": 3, "edge": -1, "tempo": 1}},
		// With the second man on d2 nobody reaches d4.
		{"6x6-seega", "6/6/1ab3/6/3a2/5b 1 movement", map[string]int32{
			"liberties": 2, "open": -2, "centre": 2, "edge": -1, "tempo": -1}},
		// The edge saves the man on a4 from what the one on b4 has to fear from two sides; b2 and b3 stand together.
		{"6x6-seega", "6/6/ab4/1a4/1a4/5b 0 movement", map[string]int32{
			"men": 1, "share": 200, "liberties": 3, "pins": 1, "open": -1, "support": 1, "centre": 4, "tempo": 1}},
	} {
		s := mustPosition(t, envtest.Game(t, c.ref), c.position)
		if got := featuresOf(NewEvaluation(s.Game(), nil), s); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, by hand %v", c.position, got, c.want)
		}
	}
}

// Turned by 180 degrees with colours changed over, a position has the opposite features and the opposite value.
func TestEvaluationHasNoColour(t *testing.T) {
	for _, ref := range rules.Catalogue() {
		g := envtest.Game(t, ref)
		e := NewEvaluation(g, nil)
		seen := 0
		for seed := range uint64(12) {
			s := g.NewState()
			wander(s, stream(seed), 2*(g.Params().Pieces.Men+g.Params().Pieces.Leaders)+1+int(seed)*7)
			if s.Over() || s.Phase() != engine.Movement {
				continue
			}
			write := func(turn bool) string {
				var b strings.Builder
				n, empty := g.Squares(), 0
				flush := func() {
					if empty > 0 {
						fmt.Fprint(&b, empty)
						empty = 0
					}
				}
				for r := g.Rows() - 1; r >= 0; r-- {
					for c := range g.Cols() {
						sq := r*g.Cols() + c
						if turn {
							sq = n - 1 - sq
						}
						x := s.At(sq).Rune()
						if turn {
							if i := strings.IndexRune("abABxy", x); i >= 0 {
								x = rune("baBAyx"[i])
							}
						}
						if x == '.' {
							empty++
							continue
						}
						flush()
						b.WriteRune(x)
					}
					flush()
					if r > 0 {
						b.WriteByte('/')
					}
				}
				mover := s.ToMove()
				if turn {
					mover = 1 - mover
				}
				return fmt.Sprintf("%s %d movement", b.String(), mover)
			}
			here, err := g.ParsePosition(write(false))
			if err != nil {
				continue // a position that an end rule would have decided
			}
			there, err := g.ParsePosition(write(true))
			if err != nil {
				t.Errorf("%s: %v", ref, err)
				continue
			}
			seen++
			a, b := e.Features(here, nil), e.Features(there, nil)
			for i := range a {
				if a[i] != -b[i] {
					t.Fatalf("%s: %s: %s is %d, turned %d", ref, write(false), featureNames[i], a[i], b[i])
				}
			}
			if v, w := e.Value(here), e.Value(there); v != -w || v < -1 || v > 1 {
				t.Errorf("%s: value %v, turned %v", ref, v, w)
			}
		}
		if seen == 0 {
			t.Errorf("%s: no position looked at", ref)
		}
	}
}

// plainFeatures looks at every man by itself: what Evaluation.features does with sets of squares. Features that need no
// such look are left out.
func plainFeatures(e *Evaluation, b *board, s *engine.State) map[int]int32 {
	l := e.l
	mover := s.ToMove()
	var men, leaders, bound, liberties, hanging, pins, open, support, centre, edge, leadLib, leadNear, leadHang [2]int32
	orthogonal := [4]int{1, l.step, -1, -l.step}
	for side := range 2 {
		foe := uint8(1 - side)
		{
			for x := b.pieces[side]; x.any(); x = x.without(one(x.first())) {
				sq := x.first()
				at := int(l.cell[sq&255])
				c := b.cells[at]
				if isBound(c) {
					bound[side]++
					continue
				}
				lead := isLeader(c)
				for i, o := range orthogonal {
					switch owner[b.cells[at+o]] {
					case uint8(side):
						if i < 2 && !isBound(b.cells[at+o]) {
							support[side]++
						}
					case foe:
						if lead {
							leadNear[side]++
						}
					default:
						if b.cells[at+o] == uint8(engine.Empty) {
							if lead {
								leadLib[side]++
							} else {
								liberties[side]++
							}
						}
					}
				}
				if lead {
					leaders[side]++
					if !l.leaderAsMan {
						continue
					}
				} else {
					men[side]++
					row, col := sq/(l.step-1), sq%(l.step-1)
					row, col = min(row, l.squares/(l.step-1)-1-row), min(col, l.step-2-col)
					centre[side] += int32(row + col)
					if row == 0 || col == 0 {
						edge[side]++
					}
				}
				if l.immune[at] {
					continue
				}
				if l.immune[at] {
					continue
				}
				pinned, caught := false, false
				for _, o := range l.axes {
					front, back := b.cells[at+o], b.cells[at-o]
					if front != outside && back != outside && owner[front] != uint8(side) && owner[back] != uint8(side) {
						open[side]++
					}
					hold := 0
					switch {
					case front == uint8(engine.Empty) && l.standing(b, at-o, -o, uint8(side)):
						hold = at + o
					case back == uint8(engine.Empty) && l.standing(b, at+o, o, uint8(side)):
						hold = at - o
					default:
						continue
					}
					pinned = true
					caught = caught || l.reached(b, hold, foe)
				}
				switch {
				case lead && caught:
					leadHang[side]++
				case lead:
				case caught:
					hanging[side]++
					pins[side]++
				case pinned:
					pins[side]++
				}
			}
		}
	}
	turned := int32(1 - 2*mover)
	f := map[int]int32{
		featureBound: bound[0] - bound[1], featureLiberties: liberties[0] - liberties[1], featureAttacks: turned * hanging[1-mover],
		featureHanging: -turned * hanging[mover], featurePins: pins[1] - pins[0], featureOpen: open[1] - open[0],
		featureSupport: support[0] - support[1], featureCentre: centre[0] - centre[1], featureEdge: edge[0] - edge[1],
		featureLeaderLiberties: leadLib[0] - leadLib[1], featureLeaderAttack: leadNear[1] - leadNear[0], featureLeaderHanging: leadHang[1] - leadHang[0],
	}
	if s.Phase() == engine.Movement {
		f[featureMen], f[featureLeader] = men[0]-men[1], leaders[0]-leaders[1]
	}
	return f
}

// capturesOfAllForms is a game of every ruleset, and of forms of capture and sizes of board that no ruleset of the catalogue has.
func capturesOfAllForms(t *testing.T) map[string]*engine.Game {
	refs := [][]string{
		{"bell-8x7", "capture.edge=hostile", "capture.corner=hostile-unless-own"},
		{"bell-8x8", "capture.axes=all", "movement.men.directions=all"},
		{"bell-8x8", "board.rows=16", "board.cols=16", "capture.axes=all", "capture.line=row"},
		{"webdux", "capture.axes=diagonal", "capture.edge=neutral"},
		{"webdux", "capture.leader=surrounded"},
	}
	for _, ref := range rules.Catalogue() {
		refs = append(refs, []string{ref})
	}
	games := map[string]*engine.Game{}
	for _, ref := range refs {
		games[strings.Join(ref, " ")] = envtest.Game(t, ref[0], ref[1:]...)
	}
	return games
}

// Features agree with those counted man by man, in random games.
func TestFeaturesManByMan(t *testing.T) {
	for ref, g := range capturesOfAllForms(t) {
		e := NewEvaluation(g, nil)
		s := g.NewState()
		rng := stream(5)
		var b board
		for n := range 400 {
			legal := s.Legal(nil)
			if len(legal) == 0 {
				s.Reset()
				continue
			}
			s.Play(legal[rng.IntN(len(legal))])
			if n%3 != 0 {
				continue
			}
			got := e.Features(s, nil)
			b.read(e.l, s)
			for i, want := range plainFeatures(e, &b, s) {
				if got[i] != want {
					t.Fatalf("%s: %s: %s is %d, man by man %d", ref, s.Position(), featureNames[i], got[i], want)
				}
			}
		}
	}
}

func TestReadWeights(t *testing.T) {
	for text, word := range map[string]string{
		"":                "EOF",
		`{"families":{}}`: "generic",
		`{"weights":1}`:   "unknown field",
		`{"families":{"generic":{"movement":{"mne":1}}}}`:       "mne",
		`{"families":{"generic":{"movement":{"men":1e9}}}}`:     "20000",
		`{"families":{"generic":{"placement":{"tempo":-1e5}}}}`: "tempo",
	} {
		if _, err := ReadWeights([]byte(text)); !errors.Is(err, ErrWeights) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v; want %s", text, err, word)
		}
	}
	if _, err := LoadWeights(t.TempDir()); !errors.Is(err, ErrWeights) {
		t.Errorf("a folder of weights: %v", err)
	}
	if _, err := LoadWeights("testdata/byhand.json"); err != nil {
		t.Error(err)
	}
	w, err := LoadWeights("weights.json")
	if err != nil {
		t.Fatal(err)
	}
	// A man more is good by the weights that ship, in every family.
	for name, f := range w.Families {
		if f.Movement["men"]+f.Movement["share"] <= 0 {
			t.Errorf("%s: material counts %v and %v", name, f.Movement["men"], f.Movement["share"])
		}
	}
}

// With fewer and fewer weights known a game falls back to the generic ones, and says so.
func TestFamilies(t *testing.T) {
	g := envtest.Game(t, "bell-8x7")
	w := &Weights{Families: map[string]FamilyWeights{"generic": {Movement: map[string]float64{"men": 1}}}}
	if f := NewEvaluation(g, w).Family(); f != "generic" {
		t.Errorf("an unknown family uses %s", f)
	}
	w.Families[Family(g)] = FamilyWeights{Movement: map[string]float64{"men": 2}}
	if f := NewEvaluation(g, w).Family(); f != "step-remove-single-bonus-leader-as-man" {
		t.Errorf("bell-8x7 uses %s", f)
	}
}

func BenchmarkEvaluation(b *testing.B) {
	for _, ref := range []string{"bell-8x7", "luductus", "6x6-kharebga"} {
		b.Run(ref, func(b *testing.B) {
			s := envtest.Game(b, ref).NewState()
			wander(s, stream(1), 50)
			e := NewEvaluation(s.Game(), nil)
			e.scratch.read(e.l, s)
			b.ReportAllocs()
			for b.Loop() {
				e.estimate(&e.scratch, s)
			}
		})
	}
}

// BenchmarkAlphaBeta is a node of alpha-beta search, all included.
func BenchmarkAlphaBeta(b *testing.B) {
	for _, ref := range []string{"bell-8x7", "luductus", "6x6-kharebga", "bell-8x7@superko"} {
		b.Run(ref, func(b *testing.B) {
			s := envtest.Game(b, ref).NewState()
			wander(s, stream(1), 50)
			a := mustAlphaBeta(b, DefaultAlphaBeta(10000))
			rng := stream(2)
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; {
				d, err := a.Choose(s, rng)
				if err != nil {
					b.Fatal(err)
				}
				n += max(1, d.Simulations)
			}
		})
	}
}
