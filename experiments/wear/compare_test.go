package wear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"latro/env/envtest"
	"latro/env/seed"
	"latro/experiments/report"
	"latro/experiments/traffic"
)

// playedByChance counts random games of a ruleset.
func playedByChance(t *testing.T, games int, ref string, set ...string) *traffic.Table {
	t.Helper()
	g := envtest.Game(t, ref, set...)
	c := traffic.NewCounter(g)
	for i := range games {
		s := g.NewState()
		s.Playout(seed.New(99, uint64(i)), 300)
		var moves []uint16
		for _, a := range s.History() {
			moves = append(moves, uint16(a))
		}
		if err := c.Add("", moves); err != nil {
			t.Fatal(err)
		}
	}
	return c.Table()
}

// wholeBoard is a map with every place scored, weights 0.
func wholeBoard(kind Kind, rows, cols int) *Map {
	m := &Map{Kind: kind, Rows: rows, Cols: cols}
	for sq := range rows * cols {
		if kind == Squares {
			m.Cells = append(m.Cells, Cell{sq, -1, 0})
			continue
		}
		if sq%cols+1 < cols {
			m.Cells = append(m.Cells, Cell{sq, sq + 1, 0})
		}
		if sq/cols+1 < rows {
			m.Cells = append(m.Cells, Cell{sq, sq + cols, 0})
		}
	}
	return m
}

// smoothed fills a map with wear that has nothing to do with any game: white noise far
// beyond the rim, smoothed by a Gaussian of the reach, as amounts.
func smoothed(m *Map, reach float64, rng *rand.Rand) {
	z := make([]float64, len(m.Cells))
	h := max(0.5, reach/2)
	for y := -2 * reach; y < float64(m.Rows)+2*reach; y += h {
		for x := -2 * reach; x < float64(m.Cols)+2*reach; x += h {
			e := rng.NormFloat64()
			for i, c := range m.Cells {
				cy, cx := m.centre(c)
				z[i] += e * math.Exp(-((cy-y)*(cy-y)+(cx-x)*(cx-x))/(2*reach*reach))
			}
		}
	}
	mean, square := 0.0, 0.0
	for _, v := range z {
		mean += v / float64(len(z))
	}
	for _, v := range z {
		square += (v - mean) * (v - mean) / float64(len(z))
	}
	for i := range z {
		m.Cells[i].Weight = math.Exp(0.5 * (z[i] - mean) / math.Sqrt(square))
	}
}

// worn fills a map with a prediction times lognormal noise.
func worn(m *Map, img image, noise float64, rng *rand.Rand) {
	for i := range m.Cells {
		m.Cells[i].Weight = img.values[i] * math.Exp(noise*rng.NormFloat64())
	}
}

// nearer is the p-value of a prediction under each null.
func nearer(t *testing.T, m *Map, d Distance, ready []prepared, draws int, smooth *smoothness, rng *rand.Rand) map[Null]float64 {
	t.Helper()
	w := m.Weights()
	x, _ := nearest(d, ready, d.prepare(w))
	out := map[Null]float64{}
	for _, null := range Nulls() {
		var mk maker
		if null == Smooth {
			mk = smooth.like(w)
		} else {
			var err error
			if mk, err = m.maker(null, w); err != nil {
				t.Fatal(err)
			}
		}
		var drawn []float64
		dst := make([]float64, len(w))
		for range draws {
			mk.make(dst, rng)
			y, _ := nearest(d, ready, d.prepare(dst))
			drawn = append(drawn, y)
		}
		out[null] = testOf(null, x, drawn).P
	}
	return out
}

// TestErrorRates simulates smooth wear that has nothing to do with any ruleset. The null
// that is to be believed calls a ruleset nearer than chance about as often as it says (one
// in twenty); the plain shuffles do so several times as often, which is why they do not
// decide. On maps without smoothness all three keep their word.
func TestErrorRates(t *testing.T) {
	const maps, draws = 120, 59
	for _, x := range []struct {
		ref   string
		kind  Kind
		d     Distance
		reach float64
	}{{"bell-8x8", Squares, JensenShannon, 2}, {"museum-quintana", Squares, Rank, 3}, {"bell-8x8", Squares, Hellinger, 0}} {
		tab := playedByChance(t, 30, x.ref)
		m := wholeBoard(x.kind, tab.Rows, tab.Cols)
		images, _ := m.images(fieldOf(tab, Contact))
		ready := prepareAll(x.d, images)
		smooth, err := m.smoothness()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		called := map[Null]int{}
		for range maps {
			if x.reach > 0 {
				smoothed(m, x.reach, rng)
			} else {
				for i := range m.Cells {
					m.Cells[i].Weight = math.Exp(0.5 * rng.NormFloat64())
				}
			}
			for null, p := range nearer(t, m, x.d, ready, draws, smooth, rng) {
				if p <= 0.05 {
					called[null]++
				}
			}
		}
		t.Logf("%s %s reach %g: %v of %d", x.ref, x.d, x.reach, called, maps)
		// 120 maps at 5 %: 6 expected, 12 or more with chance 0.02.
		if called[Smooth] > 12 {
			t.Errorf("%s, reach %g: the smooth null is wrong %d times in %d", x.ref, x.reach, called[Smooth], maps)
		}
		if x.reach > 0 && max(called[Shuffled], called[Classes]) <= 12 {
			t.Errorf("%s, reach %g: the plain shuffles are not too liberal any more (%v): the documentation says they are", x.ref, x.reach, called)
		}
		if x.reach == 0 && max(called[Shuffled], called[Classes]) > 14 {
			t.Errorf("%s: on maps without smoothness the shuffles are wrong too often: %v", x.ref, called)
		}
	}
}

// contest are the predictions of a comparison on 8×8, by random play.
func contest(t *testing.T) []prediction {
	t.Helper()
	var out []prediction
	for _, ref := range []string{"bell-8x8", "8x8-seega", "museum-quintana"} {
		out = append(out, prediction{row: Row{Kind: Tested, Ruleset: ref, Title: ref, Agent: "random", Games: 30}, field: fieldOf(playedByChance(t, 30, ref), Contact)})
	}
	c := impossible(8, 8)
	out = append(out, prediction{row: Row{Kind: Impossible, Ruleset: c.Name, Title: c.Name}, field: fieldOf(playedByChance(t, 10, c.Ref, c.Set...), Contact)})
	return out
}

// against adds the controls that depend on the map.
func against(m *Map, d Distance, p []prediction) []prediction {
	return append(slices.Clone(p), m.noGames(d, p[0].field)...)
}

// TestRecognition: wear made from one ruleset's own traffic, with noise and turned round,
// is recognised; wear made of noise alone is not, nor is smooth wear without a game.
func TestRecognition(t *testing.T) {
	const maps = 8
	predictions := contest(t)
	for _, x := range []struct {
		what    string
		kind    Kind
		d       Distance
		fill    func(m *Map, own []image, rng *rand.Rand)
		own     string // the ruleset from whose traffic it is made
		atLeast int
	}{
		{"own squares", Squares, JensenShannon, func(m *Map, own []image, rng *rand.Rand) { worn(m, own[0], 0.15, rng) }, "bell-8x8", 6},
		{"own squares by rank", Squares, Rank, func(m *Map, own []image, rng *rand.Rand) { worn(m, own[3], 0.15, rng) }, "museum-quintana", 6},
		{"noise", Squares, JensenShannon, func(m *Map, _ []image, rng *rand.Rand) {
			for i := range m.Cells {
				m.Cells[i].Weight = math.Exp(0.5 * rng.NormFloat64())
			}
		}, "", 0},
		{"smooth", Squares, JensenShannon, func(m *Map, _ []image, rng *rand.Rand) { smoothed(m, 2, rng) }, "", 0},
	} {
		m := wholeBoard(x.kind, 8, 8)
		var own []image
		if x.own != "" {
			own, _ = m.images(fieldOf(playedByChance(t, 60, x.own), Contact))
		}
		rng := rand.New(rand.NewPCG(3, 4))
		recognised, others, mistaken := 0, 0, 0
		for range maps {
			x.fill(m, own, rng)
			rows, _, err := m.compare(context.Background(), against(m, x.d, predictions), Options{Distance: x.d, Null: Smooth, Draws: 199, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			near := ""
			best := math.Inf(1)
			for _, r := range rows {
				switch {
				case r.Kind != Tested && r.Verdict != "":
					t.Errorf("a control has the verdict %q", r.Verdict)
				case r.Verdict == Compatible && r.Ruleset == x.own:
					recognised++
				case r.Verdict == Compatible:
					others++
				}
				if r.Kind == Tested && r.Distance.Estimate < best {
					near, best = r.Ruleset, r.Distance.Estimate
				}
			}
			if x.own != "" && near != x.own {
				mistaken++
			}
		}
		t.Logf("%s: recognised in %d of %d, others compatible in %d, nearest in %d", x.what, recognised, maps, others, mistaken)
		if recognised < x.atLeast || others > 1 || mistaken > 1 {
			t.Errorf("%s: recognised in %d of %d maps, others compatible in %d, nearest in %d", x.what, recognised, maps, others, mistaken)
		}
	}
}

// TestWorse: a map that is worn exactly where nobody goes lies farther away than chance.
func TestWorse(t *testing.T) {
	m := wholeBoard(Squares, 8, 8)
	p := contest(t)
	images, _ := m.images(p[2].field)
	hi := slices.Max(images[0].values)
	for i := range m.Cells {
		m.Cells[i].Weight = hi - images[0].values[i]
	}
	rows, _, err := m.compare(context.Background(), against(m, JensenShannon, p), Options{Distance: JensenShannon, Null: Shuffled, Draws: 199, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if rows[2].Verdict != Worse {
		t.Errorf("%+v", rows[2])
	}
}

// TestVerdictNeedsControls: what the rules that cannot be right can do too is nothing.
func TestVerdictNeedsControls(t *testing.T) {
	rows := func() []Row {
		test := []NullTest{{Null: Smooth, P: 0.001, PFarther: 1}}
		open := []NullTest{{Null: Smooth, P: 0.5, PFarther: 0.5}}
		out := []Row{{Kind: Tested, Ruleset: "a", Title: "a", Tests: test}, {Kind: Impossible, Title: "never", Tests: open}, {Kind: NoGame, Title: evenTraffic, Tests: open}}
		for i, d := range []float64{0.1, 0.5, 0.2} {
			out[i].Distance.Estimate = d
			// Chance sets the first apart from the others by −0.2 to 0.2.
			out[i].drawn = map[Null][]float64{Smooth: make([]float64, 41)}
			for k := range 41 {
				if i == 0 {
					out[i].drawn[Smooth][k] = float64(k-20) / 100
				}
			}
		}
		return out
	}
	r := rows()
	judge(r, Smooth)
	if r[0].Verdict != Compatible {
		t.Errorf("%+v", r[0])
	}
	r = rows()
	r[2].Distance.Estimate = 0.05 // even traffic lies nearer
	judge(r, Smooth)
	if r[0].Verdict != Open || !slices.Contains(r[0].AsNear, evenTraffic) {
		t.Errorf("%+v", r[0])
	}
	r = rows()
	r[1].Tests[0].P, r[1].Distance.Estimate = 0.01, 0.15 // the impossible rules pass, though farther away
	judge(r, Smooth)
	if r[0].Verdict != Open {
		t.Errorf("%+v", r[0])
	}
	r = rows()
	r[1].Tests[0].P, r[1].Distance.Estimate, r[2].Distance.Estimate = 0.01, 0.45, 0.5 // they pass, but are clearly farther away
	judge(r, Smooth)
	if r[0].Verdict != Compatible {
		t.Errorf("%+v", r[0])
	}
	// Two rulesets share the error.
	r = append(rows(), rows()[0])
	r[0].Tests[0].P, r[3].Tests = 0.03, []NullTest{{Null: Smooth, P: 0.04, PFarther: 1}}
	judge(r, Smooth)
	if r[0].Adjusted != 0.06 || r[0].Verdict != Open {
		t.Errorf("%+v", r[0])
	}
}

// TestOrientation: a board turned or mirrored in any way is found again, and the search is
// through eight ways on a square and four on a rectangle, whichever side is longer.
func TestOrientation(t *testing.T) {
	for _, x := range []struct {
		rows, cols, ways int
	}{{5, 5, 8}, {4, 6, 4}} {
		for _, kind := range []Kind{Squares, Edges} {
			like := wholeBoard(kind, x.rows, x.cols)
			f := field{rows: x.rows, cols: x.cols}
			rng := rand.New(rand.NewPCG(1, 1))
			for _, c := range like.Cells {
				if kind == Squares {
					f.squares = append(f.squares, rng.Float64())
				} else {
					f.edges, f.lines = append(f.edges, traffic.Edge{A: c.A, B: c.B}), append(f.lines, rng.Float64())
				}
			}
			for _, s := range shapes {
				rows, cols := x.rows, x.cols
				if s.rr == 0 {
					rows, cols = cols, rows
				}
				m := wholeBoard(kind, rows, cols)
				at := map[[2]int]int{}
				for i, c := range m.Cells {
					at[[2]int{c.A, c.B}] = i
				}
				for i, c := range like.Cells {
					v := 0.0
					if kind == Squares {
						v = f.squares[i]
					} else {
						v = f.lines[i]
					}
					m.Cells[at[s.cell(c, x.rows, x.cols)]].Weight = v
				}
				images, ways := m.images(f)
				d, _ := nearest(JensenShannon, prepareAll(JensenShannon, images), JensenShannon.prepare(m.Weights()))
				if ways != x.ways || len(images) != x.ways || d > 1e-7 {
					t.Errorf("%s %d by %d, %s: %d ways, %d different, distance %g", kind, x.rows, x.cols, s.name, ways, len(images), d)
				}
			}
		}
	}
}

// TestDistances: the axioms of a metric on random maps, the ends of the scale, and values
// worked out by hand.
func TestDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	random := func() []float64 {
		v := make([]float64, 12)
		for i := range v {
			if v[i] = rng.ExpFloat64(); rng.IntN(5) == 0 {
				v[i] = 0
			}
		}
		return v
	}
	for _, d := range Distances() {
		for range 300 {
			a, b, c := random(), random(), random()
			ab, bc, ac := d.Between(a, b), d.Between(b, c), d.Between(a, c)
			if ab < 0 || ab > 1 || math.Abs(ab-d.Between(b, a)) > 1e-12 || d.Between(a, a) > 1e-7 || ac > ab+bc+1e-12 || ab < 1e-3 {
				t.Fatalf("%s: d(a,b)=%g d(b,c)=%g d(a,c)=%g d(a,a)=%g", d, ab, bc, ac, d.Between(a, a))
			}
			scaled := slices.Clone(b)
			for i := range scaled {
				scaled[i] *= 7
			}
			if math.Abs(d.Between(a, scaled)-ab) > 1e-12 {
				t.Fatalf("%s depends on the unit of the weights", d)
			}
		}
	}
	for _, x := range []struct {
		d    Distance
		a, b []float64
		want float64
	}{
		{JensenShannon, []float64{1, 0}, []float64{0, 1}, 1},
		// Shares (1, 0) and (1/2, 1/2), mean (3/4, 1/4): (log2(4/3) + 1/2·log2(2/3) + 1/2·1)/2 bits.
		{JensenShannon, []float64{3, 0}, []float64{2, 2}, math.Sqrt((math.Log2(4./3) + 0.5*math.Log2(2./3) + 0.5) / 2)},
		{Hellinger, []float64{1, 0}, []float64{0, 1}, 1},
		{Hellinger, []float64{3, 0}, []float64{2, 2}, math.Sqrt(1 - math.Sqrt(0.5))},
		{Rank, []float64{1, 2, 3}, []float64{10, 20, 90}, 0},
		{Rank, []float64{1, 2, 3}, []float64{3, 2, 1}, 1},
		// Ranks (0, 1, 2) and (0.5, 0.5, 2): ρ = √3/2.
		{Rank, []float64{1, 2, 3}, []float64{1, 1, 5}, math.Sqrt((1 - math.Sqrt(3)/2) / 2)},
		{JensenShannon, []float64{0, 0}, []float64{1, 2}, 1},
		{Rank, []float64{4, 4}, []float64{1, 1}, 0},
	} {
		if got := x.d.Between(x.a, x.b); math.Abs(got-x.want) > 1e-7 {
			t.Errorf("%s of %v and %v is %g, by hand %g", x.d, x.a, x.b, got, x.want)
		}
	}
}

// TestNullsKeep: every null keeps the weights; the classes keep their weights together; the
// smooth one makes neighbours as alike as the map has them, the shuffle does not.
func TestNullsKeep(t *testing.T) {
	m := wholeBoard(Squares, 8, 8)
	rng := rand.New(rand.NewPCG(2, 7))
	smoothed(m, 2, rng)
	w := m.Weights()
	sorted := slices.Sorted(slices.Values(w))
	rough := func(v []float64) (sum float64) {
		for i, a := range m.Cells {
			for j, b := range m.Cells[:i] {
				dr, dc := a.A/8-b.A/8, a.A%8-b.A%8
				if dr*dr+dc*dc == 1 {
					sum += (v[i] - v[j]) * (v[i] - v[j])
				}
			}
		}
		return sum
	}
	mean := map[Null]float64{}
	for _, null := range Nulls() {
		mk, err := m.maker(null, w)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, len(w))
		for range 200 {
			mk.make(dst, rng)
			if !slices.Equal(slices.Sorted(slices.Values(dst)), sorted) {
				t.Fatalf("%s does not keep the weights", null)
			}
			mean[null] += rough(dst) / 200 / rough(w)
		}
	}
	if mean[Smooth] > 2 || mean[Smooth] < 0.5 || mean[Shuffled] < 4 {
		t.Errorf("roughness relative to the map: %v", mean)
	}
	b := m.blocks(w)
	// 8×8 has six classes of eight squares... and four of four on the diagonals.
	if len(b.groups) != 2 || len(b.groups[0]) != 4 || len(b.groups[1]) != 6 {
		t.Errorf("%d groups of classes", len(b.groups))
	}
	dst := make([]float64, len(w))
	b.make(dst, rng)
	classOf := map[float64]int{}
	for _, g := range b.groups {
		for k, class := range g {
			for _, cell := range class {
				classOf[w[cell]] = 100*len(class) + k
			}
		}
	}
	for _, g := range b.groups {
		for _, class := range g {
			for _, cell := range class {
				if classOf[dst[cell]] != classOf[dst[class[0]]] {
					t.Fatal("a class was torn apart")
				}
			}
		}
	}
}

// TestImpossible: the rules that cannot be right can be played on boards of every size,
// and leave half of the squares, and every line of the board, alone.
func TestImpossible(t *testing.T) {
	for _, size := range [][2]int{{3, 3}, {4, 5}, {6, 6}, {8, 7}, {7, 8}, {13, 16}, {16, 16}} {
		c := impossible(size[0], size[1])
		tab := playedByChance(t, 2, c.Ref, c.Set...)
		v := tab.Contact(traffic.All)
		sum := uint64(0)
		for sq, n := range v {
			if (sq/tab.Cols+sq%tab.Cols)%2 == 1 && n > 0 {
				t.Errorf("%v: %s was touched", size, tab.SquareName(sq))
			}
			sum += n
		}
		if sum == 0 {
			t.Errorf("%v: nothing moved", size)
		}
		for i, n := range tab.Crossings(traffic.All) {
			if e := tab.Edges[i]; n > 0 && (e.A/tab.Cols == e.B/tab.Cols || e.A%tab.Cols == e.B%tab.Cols) {
				t.Errorf("%v: the line %v was crossed", size, e)
			}
		}
	}
}

// TestWords: what the page says about results passes the rules for reports.
func TestWords(t *testing.T) {
	m := wholeBoard(Squares, 8, 8)
	worn(m, image{values: fieldOf(playedByChance(t, 30, "bell-8x8"), Contact).squares}, 0.2, rand.New(rand.NewPCG(1, 1)))
	a := &Analysis{Plan: Plan{Format: 1, Map: "x.csv", Agent: "random", Distance: JensenShannon, Count: Contact, Null: Smooth, Draws: 99}, Kind: Squares, Rows: 8, Cols: 8, Scored: 64, Missing: 2, Invented: true, m: m}
	p := against(m, JensenShannon, contest(t))
	p[1].row.Capped = 0.5
	var err error
	a.Predictions, a.Shuffled, err = m.compare(context.Background(), p, Options{Distance: JensenShannon, Null: Smooth, Draws: 99, ShuffledMaps: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	a.describe()
	if len(a.Sentences) != 3+3 || len(a.Limits) != 4 {
		t.Errorf("%d sentences, %d limits: %q", len(a.Sentences), len(a.Limits), a.Limits)
	}
	page, figures := a.page(nil)
	texts := append(append([]string{}, a.Sentences...), a.Limits...)
	texts = append(texts, page.Generated()...)
	for _, f := range figures {
		texts = append(texts, f.Title, f.Desc)
	}
	for _, s := range texts {
		for _, v := range report.CheckWords(s) {
			t.Errorf("%q (%s): %s", v.Phrase, v.Why, fmt.Sprintf("%.120s", s))
		}
	}
}
