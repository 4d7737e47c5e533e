package wear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"latro/env/seed"
	"latro/experiments/stats"
)

// streams is the first element of the path of every random stream of a comparison, apart
// from the domains of env/seed.
const streams uint64 = 0x77656172

// The kinds of rows of a comparison.
const (
	// Tested is a ruleset under the agent that stands for its players.
	Tested = "ruleset"
	// Random is a negative control: the same rules played by chance.
	Random = "random play"
	// Impossible is a negative control: rules that cannot be right.
	Impossible = "impossible rules"
	// NoGame is a negative control without any game.
	NoGame = "no game"
)

// The verdicts on a ruleset.
const (
	// Compatible: nearer to the map than maps of chance are, and than every control that
	// has nothing to do with the rules.
	Compatible = "compatible"
	// Open: not distinguishable from chance or from a control.
	Open = "not distinguishable"
	// Worse: farther from the map than shuffled wear is.
	Worse = "worse than shuffled wear"
)

// NullTest is a distance held against one null.
type NullTest struct {
	Null Null `json:"null"`
	// P is the chance that a map of the null lies as near, PFarther that it lies as far;
	// both from the counted draws plus the map itself, so never 0.
	P        float64 `json:"p"`
	PFarther float64 `json:"p_farther"`
	// Low, Median and High are the 5, 50 and 95 % quantiles of the null's distances.
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// Row is one prediction held against the map.
type Row struct {
	// Kind is one of Tested, Random, Impossible, NoGame.
	Kind string `json:"kind"`
	// Ruleset is the name in the design and Title that for people, Agent who played.
	Ruleset string `json:"ruleset"`
	Title   string `json:"title"`
	Agent   string `json:"agent"`
	// Games were counted, of which the share Capped was stopped by the length cap.
	Games  uint64  `json:"games"`
	Capped float64 `json:"capped"`
	// Distance is that of the nearest way to lay the prediction over the map, with an
	// interval from resampled games (none for no game).
	Distance stats.Interval `json:"distance"`
	// Orientation names that way, Ways is how many the board's shape allows and Different
	// how many of them differ.
	Orientation string `json:"orientation"`
	Ways        int    `json:"ways"`
	Different   int    `json:"different"`
	// Covered is the share of the predicted traffic that the map's places hold.
	Covered float64 `json:"covered"`
	// Tests are by null, in the order of Nulls.
	Tests []NullTest `json:"tests"`
	// Adjusted and FartherAdjusted are P and PFarther of the settings' null after Holm
	// over the rulesets tested; 1 in the rows of controls.
	Adjusted        float64 `json:"p_adjusted"`
	FartherAdjusted float64 `json:"p_farther_adjusted"`
	// ThanRandom is the distance less that of random play by the same rules, and
	// ThanRandomP the chance that a map of the null sets the two so far apart in either
	// direction; nil for controls.
	ThanRandom  *float64 `json:"than_random,omitempty"`
	ThanRandomP *float64 `json:"than_random_p,omitempty"`
	// AsNear names controls that have nothing to do with the rules and lie as near.
	AsNear []string `json:"as_near,omitempty"`
	// Verdict is Compatible, Open or Worse; "" for controls.
	Verdict string `json:"verdict,omitempty"`

	images []image
	ready  []prepared
	drawn  map[Null][]float64
}

// Test is the row's test against a null.
func (r *Row) Test(n Null) NullTest {
	i := slices.IndexFunc(r.Tests, func(t NullTest) bool { return t.Null == n })
	if i < 0 {
		return NullTest{Null: n, P: 1, PFarther: 1}
	}
	return r.Tests[i]
}

// ShuffledControl is the negative control of shuffled wear: maps with the same weights in
// any order, each put through the whole procedure.
type ShuffledControl struct {
	// Maps were shuffled, each tested against Draws maps of the null.
	Maps  int `json:"maps"`
	Draws int `json:"draws"`
	// Any is the share of maps with which some ruleset is called nearer than chance after
	// Holm: it should not be above the 5 % that the test allows by much.
	Any stats.Interval `json:"any"`
}

// Options are how a comparison is made.
type Options struct {
	Distance Distance
	// Null decides the verdicts; the other nulls are reported beside it.
	Null Null
	// Draws is the number of maps of each null.
	Draws int
	// ShuffledMaps is the number of maps of the control of shuffled wear.
	ShuffledMaps int
	Seed         uint64
	// Progress, if not nil, is told of every step done.
	Progress func(done, total int)
}

// alpha is the chance of an error that the verdicts allow, over all rulesets together.
const alpha = 0.05

// level is that of the intervals.
const level = 0.95

const (
	resamples     = 200
	shuffledMaps  = 100
	shuffledDraws = 99
)

// prediction is a row to be, with the traffic of blocks of games to resample.
type prediction struct {
	row    Row
	field  field
	blocks []field
}

// nearest is the smallest distance over the images, and which image it is.
func nearest(d Distance, ready []prepared, w prepared) (float64, int) {
	best, at := math.Inf(1), 0
	for i, p := range ready {
		if x := d.between(p, w); x < best {
			best, at = x, i
		}
	}
	return best, at
}

func prepareAll(d Distance, images []image) []prepared {
	var out []prepared
	for _, img := range images {
		out = append(out, d.prepare(img.values))
	}
	return out
}

// slack keeps rounding from deciding between equal distances.
const slack = 1e-12

// compare holds predictions against a map.
func (m *Map) compare(ctx context.Context, predictions []prediction, o Options) ([]Row, *ShuffledControl, error) {
	weights := m.Weights()
	w := o.Distance.prepare(weights)
	rows := make([]Row, len(predictions))
	for i, p := range predictions {
		r := p.row
		r.images, r.Ways = m.images(p.field)
		if len(r.images) == 0 {
			return nil, nil, fmt.Errorf("the board of %s is %d by %d, that of the map %d by %d", r.Title, p.field.rows, p.field.cols, m.Rows, m.Cols)
		}
		r.Different = len(r.images)
		r.ready = prepareAll(o.Distance, r.images)
		x, at := nearest(o.Distance, r.ready, w)
		r.Orientation, r.Covered = r.images[at].name, r.images[at].covered
		r.Adjusted, r.FartherAdjusted = 1, 1
		r.Distance = m.resample(p, o, w, x, seed.New(o.Seed, streams, 1, uint64(i)))
		r.drawn = map[Null][]float64{}
		rows[i] = r
	}
	steps, done := len(Nulls())*o.Draws+o.ShuffledMaps*shuffledDraws, 0
	step := func() error {
		done++
		if o.Progress != nil {
			o.Progress(done, steps)
		}
		return ctx.Err()
	}
	for n, null := range Nulls() {
		mk, err := m.maker(null, weights)
		if err != nil {
			return nil, nil, err
		}
		rng := seed.New(o.Seed, streams, 2, uint64(n))
		chance := make([]float64, len(weights))
		for range o.Draws {
			if err := step(); err != nil {
				return nil, nil, err
			}
			mk.make(chance, rng)
			c := o.Distance.prepare(chance)
			// The chance map is laid over the prediction in every way too.
			for i := range rows {
				x, _ := nearest(o.Distance, rows[i].ready, c)
				rows[i].drawn[null] = append(rows[i].drawn[null], x)
			}
		}
		for i := range rows {
			rows[i].Tests = append(rows[i].Tests, testOf(null, rows[i].Distance.Estimate, rows[i].drawn[null]))
		}
	}
	judge(rows, o.Null)
	control, err := m.shuffled(rows, o, step)
	if err != nil {
		return nil, nil, err
	}
	return rows, control, nil
}

// testOf ranks a distance among those of chance.
func testOf(n Null, x float64, drawn []float64) NullTest {
	near, far := 1, 1
	for _, d := range drawn {
		if d <= x+slack {
			near++
		}
		if d >= x-slack {
			far++
		}
	}
	sorted := slices.Clone(drawn)
	slices.Sort(sorted)
	q := func(p float64) float64 { return sorted[int(p*float64(len(sorted)-1)+0.5)] }
	total := float64(len(drawn) + 1)
	return NullTest{Null: n, P: float64(near) / total, PFarther: float64(far) / total, Low: q(0.05), Median: q(0.5), High: q(0.95)}
}

// resample gives the distance its interval over games: percentiles over resampled blocks
// of games.
func (m *Map) resample(p prediction, o Options, w prepared, x float64, rng *rand.Rand) stats.Interval {
	iv := stats.Interval{Estimate: x, Low: x, High: x, Level: level, Method: "none"}
	if len(p.blocks) < 2 {
		return iv
	}
	var all []float64
	for range resamples {
		f := field{rows: p.field.rows, cols: p.field.cols, edges: p.field.edges, squares: make([]float64, len(p.field.squares)), lines: make([]float64, len(p.field.lines))}
		for range p.blocks {
			b := p.blocks[rng.IntN(len(p.blocks))]
			for i, v := range b.squares {
				f.squares[i] += v
			}
			for i, v := range b.lines {
				f.lines[i] += v
			}
		}
		images, _ := m.images(f)
		d, _ := nearest(o.Distance, prepareAll(o.Distance, images), w)
		all = append(all, d)
	}
	slices.Sort(all)
	iv.Low, iv.High, iv.Method = all[int(0.025*resamples)], all[int(0.975*resamples)-1], "percentile-bootstrap-of-games"
	iv.N = len(p.blocks)
	return iv
}

// judge adjusts the tests and gives the verdicts.
func judge(rows []Row, null Null) {
	var tested []int
	var near, far []float64
	var failed *Row
	for i := range rows {
		t := rows[i].Test(null)
		switch rows[i].Kind {
		case Tested:
			tested = append(tested, i)
			near, far = append(near, t.P), append(far, t.PFarther)
		case Impossible:
			if rows[i].passes(rows, null) {
				failed = &rows[i]
			}
		}
	}
	near, far = stats.Holm(near), stats.Holm(far)
	for k, i := range tested {
		r := &rows[i]
		r.Adjusted, r.FartherAdjusted = near[k], far[k]
		for j := range rows {
			c := &rows[j]
			switch {
			case c.Kind == Random && c.Ruleset == r.Ruleset:
				r.thanRandom(c, null)
			case (c.Kind == Impossible || c.Kind == NoGame) && c.Distance.Estimate <= r.Distance.Estimate+slack:
				r.AsNear = append(r.AsNear, c.Title)
			}
		}
		if failed != nil && !slices.Contains(r.AsNear, failed.Title) {
			// Nearer than chance is no evidence where the impossible is that too.
			if low, _ := r.against(failed, null); low >= alpha {
				r.AsNear = append(r.AsNear, failed.Title+" (nearer than chance too, and not clearly farther away)")
			}
		}
		switch {
		case r.Adjusted < alpha && len(r.AsNear) == 0:
			r.Verdict = Compatible
		case r.FartherAdjusted < alpha:
			r.Verdict = Worse
		default:
			r.Verdict = Open
		}
	}
}

// passes says whether a control does what only a ruleset should: lie nearer than chance,
// and nearer than traffic that is the same everywhere.
func (r *Row) passes(rows []Row, null Null) bool {
	return r.Test(null).P < alpha && r.Distance.Estimate < even(rows)
}

// even is the distance of even traffic.
func even(rows []Row) float64 {
	for i := range rows {
		if rows[i].Title == evenTraffic {
			return rows[i].Distance.Estimate
		}
	}
	return math.Inf(1)
}

// evenTraffic is the title of the control of traffic that is the same everywhere.
const evenTraffic = "even traffic"

// against gives the chances that a map of the null sets a row so much nearer than another
// one, and so much farther.
func (r *Row) against(c *Row, null Null) (nearer, farther float64) {
	diff := r.Distance.Estimate - c.Distance.Estimate
	a, b := r.drawn[null], c.drawn[null]
	low, high := 1, 1
	for i := range a {
		if a[i]-b[i] <= diff+slack {
			low++
		}
		if a[i]-b[i] >= diff-slack {
			high++
		}
	}
	n := float64(len(a) + 1)
	return float64(low) / n, float64(high) / n
}

// thanRandom asks whether the agent's games lie nearer to the map than random ones by the
// same rules, more than chance maps would have it.
func (r *Row) thanRandom(c *Row, null Null) {
	diff := r.Distance.Estimate - c.Distance.Estimate
	low, high := r.against(c, null)
	p := min(1, 2*min(low, high))
	r.ThanRandom, r.ThanRandomP = &diff, &p
}

// shuffled runs the procedure on shuffled maps.
func (m *Map) shuffled(rows []Row, o Options, step func() error) (*ShuffledControl, error) {
	var tested []int
	for i := range rows {
		if rows[i].Kind == Tested {
			tested = append(tested, i)
		}
	}
	rng := seed.New(o.Seed, streams, 3)
	weights := m.Weights()
	var smooth *smoothness
	if o.Null == Smooth {
		var err error
		if smooth, err = m.smoothness(); err != nil {
			return nil, err
		}
	}
	chance := make([]float64, len(weights))
	called := 0
	for range o.ShuffledMaps {
		rng.Shuffle(len(weights), func(i, j int) { weights[i], weights[j] = weights[j], weights[i] })
		w := o.Distance.prepare(weights)
		var mk maker
		switch o.Null {
		case Smooth:
			mk = smooth.like(weights)
		case Classes:
			mk = m.blocks(weights)
		default:
			mk = places(slices.Clone(weights))
		}
		x := make([]float64, len(tested))
		near := make([]int, len(tested))
		for k, i := range tested {
			x[k], _ = nearest(o.Distance, rows[i].ready, w)
			near[k] = 1
		}
		for range shuffledDraws {
			if err := step(); err != nil {
				return nil, err
			}
			mk.make(chance, rng)
			c := o.Distance.prepare(chance)
			for k, i := range tested {
				if d, _ := nearest(o.Distance, rows[i].ready, c); d <= x[k]+slack {
					near[k]++
				}
			}
		}
		p := make([]float64, len(tested))
		for k := range p {
			p[k] = float64(near[k]) / (shuffledDraws + 1)
		}
		if q := stats.Holm(p); len(q) > 0 && slices.Min(q) <= alpha {
			called++
		}
	}
	return &ShuffledControl{Maps: o.ShuffledMaps, Draws: shuffledDraws, Any: stats.Wilson(called, o.ShuffledMaps, level)}, nil
}

// noGames are the controls that know no rules: even traffic, and an even rise or fall from
// the rim to the centre whose steepness is fitted to the map.
func (m *Map) noGames(d Distance, like field) []prediction {
	flat := func(steep float64) field {
		f := field{rows: like.rows, cols: like.cols, edges: like.edges, squares: make([]float64, like.rows*like.cols), lines: make([]float64, len(like.edges))}
		// From 1 − steep at the corners to 1 + steep at the centre.
		at := func(row, col float64) float64 {
			y, x := 2*row/float64(f.rows-1)-1, 2*col/float64(f.cols-1)-1
			return 1 + steep*(1-(x*x+y*y))
		}
		for sq := range f.squares {
			f.squares[sq] = at(float64(sq/f.cols), float64(sq%f.cols))
		}
		for i, e := range f.edges {
			f.lines[i] = at(float64(e.A/f.cols+e.B/f.cols)/2, float64(e.A%f.cols+e.B%f.cols)/2)
		}
		return f
	}
	w := d.prepare(m.Weights())
	best, steep := math.Inf(1), 0.0
	for k := -19; k <= 19; k++ {
		images, _ := m.images(flat(float64(k) / 20))
		if x, _ := nearest(d, prepareAll(d, images), w); x < best {
			best, steep = x, float64(k)/20
		}
	}
	return []prediction{
		{row: Row{Kind: NoGame, Title: evenTraffic, Agent: "nobody"}, field: flat(0)},
		{row: Row{Kind: NoGame, Title: fmt.Sprintf("an even slope from rim to centre, fitted (%+.2f)", steep), Agent: "nobody"}, field: flat(steep)},
	}
}
