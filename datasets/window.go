package datasets

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// WindowConfig is the rule by which a replay window grows. The rule is KataGo's
// (Wu, "Accelerating Self-Play Learning in Go", 2019, appendix C): after N
// samples in all the window holds the last
//
//	W(N) = c · (1 + β · ((N/c)^α − 1) / α)    for N > c, all N before
//
// of them. It starts with everything, so that a young run learns from all it
// has, and then grows more slowly than the data: at N = c its slope is β, so
// W(c) = c, and later it grows like N^α. Old samples of weak networks leave, but
// the window does not become small against the data either. KataGo's constants
// are c = 250,000, α = 0.75, β = 0.4; c belongs to the amount of data of a run,
// so runs of minutes want a smaller one.
type WindowConfig struct {
	Base  float64 // c, samples
	Alpha float64 // α in (0, 1]
	Beta  float64 // β in [0, 1]
	// MaxRows bounds the window whatever the rule says: memory (docs/learning.md has
	// figures).
	MaxRows int
}

// DefaultWindowConfig returns KataGo's exponents with c = 25,000, a tenth of
// KataGo's (not validated here), and at most a million rows.
func DefaultWindowConfig() WindowConfig {
	return WindowConfig{Base: 25_000, Alpha: 0.75, Beta: 0.4, MaxRows: 1_000_000}
}

// Validate returns every problem of the configuration at once, or nil.
func (c WindowConfig) Validate() error {
	var errs []error
	if !(c.Base >= 1) || math.IsInf(c.Base, 1) {
		errs = append(errs, fmt.Errorf("window base %g: must be at least 1", c.Base))
	}
	if !(c.Alpha > 0 && c.Alpha <= 1) {
		errs = append(errs, fmt.Errorf("window alpha %g: must be in (0, 1]", c.Alpha))
	}
	if !(c.Beta >= 0 && c.Beta <= 1) {
		errs = append(errs, fmt.Errorf("window beta %g: must be in [0, 1]", c.Beta))
	}
	if c.MaxRows < 1 || int64(c.MaxRows) > math.MaxUint32 {
		errs = append(errs, fmt.Errorf("window limit of %d rows: must be between 1 and 2^32-1", c.MaxRows))
	}
	return errors.Join(errs...)
}

// Size returns W(N), the number of rows that the window holds once n samples
// were generated. It never decreases, and grows by at most one for each sample,
// so a sample that left the window never returns.
func (c WindowConfig) Size(n uint64) int {
	w := float64(n)
	if w > c.Base {
		w = c.Base * (1 + c.Beta*(math.Pow(w/c.Base, c.Alpha)-1)/c.Alpha)
		w = min(math.Floor(w), float64(n))
	}
	return int(min(w, float64(c.MaxRows)))
}

// Window holds the most recent samples of a run, as many as its rule says, and
// draws training batches from them without replacement, uniformly or by weight.
// What it holds depends only on the samples and their order, not on how they were
// split into shards; what it draws, on that and on the generators given to it.
//
// A weighted window puts each sample into an epoch about as often as its weight
// says: weight 2.3 twice or three times, so that the mean is 2.3. It draws one
// number for that when an epoch begins and goes through the window once
// (systematic sampling); a draw then costs the same as without weights.
//
// It keeps the samples packed, a few hundred bytes each, and unpacks the one that is asked for.
//
// A Window is for one goroutine. The samples it hands out must not be changed.
type Window struct {
	cfg    WindowConfig
	chunks []windowChunk
	words  words
	seen   uint64 // samples added or skipped
	held   int

	order []uint32 // permutation in the making: order[:drawn] was handed out
	drawn int
	epoch int

	weighted bool // some chunk has weights
}

// windowChunk is a run of rows that were added together.
type windowChunk struct {
	first      uint64 // number of the first row that the window still holds
	rows       packedSamples
	gone       int       // rows that left the window; their memory goes with the last of the chunk
	weights    []float32 // one a row, of those that are gone too; nil is 1 each
	generation uint32
}

// chunkRows is the largest number of rows of a chunk.
const chunkRows = 1024

func (c *windowChunk) len() int { return len(c.rows.ends) - c.gone }

// NewWindow returns an empty window.
func NewWindow(cfg WindowConfig) (*Window, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Window{cfg: cfg}, nil
}

// Add appends copies of samples as the newest ones and lets the oldest go. It starts a new epoch.
func (w *Window) Add(rows []Sample, generation uint32) { w.AddWeighted(rows, nil, generation) }

// AddWeighted is Add with a weight for each row, which the window keeps too: how
// often the row is drawn against others. Weights are finite and at least 0. Nil
// is 1 for every row.
func (w *Window) AddWeighted(rows []Sample, weights []float32, generation uint32) {
	if weights != nil && len(weights) != len(rows) {
		panic(fmt.Sprintf("datasets: %d weights for %d samples", len(weights), len(rows)))
	}
	w.weighted = w.weighted || weights != nil && len(rows) > 0
	for len(rows) > 0 {
		n := min(len(rows), chunkRows)
		c := windowChunk{first: w.seen, rows: pack(rows[:n], &w.words), generation: generation}
		if weights != nil {
			c.weights, weights = weights[:n:n], weights[n:]
		}
		w.chunks = append(w.chunks, c)
		w.seen += uint64(n)
		w.held += n
		rows = rows[n:]
	}
	w.trim()
}

// Skip counts n samples as older than everything else without having them; it
// must come before the first Add.
func (w *Window) Skip(n uint64) {
	if len(w.chunks) > 0 {
		panic("datasets: Window.Skip after Add")
	}
	w.seen += n
}

// trim drops what is older than the window.
func (w *Window) trim() {
	drop := w.held - w.cfg.Size(w.seen)
	for drop > 0 {
		c := &w.chunks[0]
		n := min(drop, c.len())
		c.gone, c.first = c.gone+n, c.first+uint64(n)
		w.held -= n
		drop -= n
		if c.len() == 0 {
			w.chunks = slices.Delete(w.chunks, 0, 1)
		}
	}
	// The memory is kept for the next permutation; length 0 says that there is none.
	w.order, w.drawn, w.epoch = w.order[:0], 0, 0
}

// AddShard reads a shard of samples, verified against the manifest's entry info,
// and adds it with the generation of the entry. On an error the window is
// unchanged.
func (w *Window) AddShard(path string, info *ShardInfo) error {
	rows, err := ReadSamples(path, info)
	if err != nil {
		return err
	}
	w.Add(rows, info.Generation)
	return nil
}

// Load fills an empty window from a run's manifest, as after a restart: the same
// window as if every shard had been added when it was made, but reading only
// those that reach into it.
func (w *Window) Load(m *Manifest) error {
	shards := m.Of(Samples)
	total := m.Rows(Samples)
	oldest := total - uint64(w.cfg.Size(total)) // number of the oldest sample in the window
	var at uint64
	for i := range shards {
		end := at + shards[i].Rows
		if end <= oldest {
			w.Skip(shards[i].Rows)
		} else if err := w.AddShard(m.Resolve(shards[i]), &shards[i]); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// Len returns the number of samples in the window.
func (w *Window) Len() int { return w.held }

// Seen returns the number of samples added so far, those that left included.
func (w *Window) Seen() uint64 { return w.seen }

// At returns a copy of sample i of the window, 0 being the oldest. Its State and Survival are the window's own bytes.
func (w *Window) At(i int) *Sample {
	if i < 0 || i >= w.held {
		panic(fmt.Sprintf("datasets: sample %d of a window of %d", i, w.held))
	}
	number := w.chunks[0].first + uint64(i)
	k := sort.Search(len(w.chunks), func(k int) bool { return w.chunks[k].first > number }) - 1
	c := &w.chunks[k]
	return c.rows.get(c.gone+int(number-c.first), &w.words)
}

// Sample fills dst with samples drawn without replacement and returns how many it
// drew. When every sample of the window was drawn once (in a weighted window: as
// often as its weight says), an epoch is over and the next begins; a batch may
// span both. The result is len(dst) unless the window is empty, or no sample has
// any weight. The same window, generator and sequence of calls give the same
// samples.
func (w *Window) Sample(rng *rand.Rand, dst []*Sample) int {
	for n := range dst {
		i, ok := w.next(rng)
		if !ok {
			return n
		}
		dst[n] = w.At(i)
	}
	return len(dst)
}

// Draw is Sample for callers that look at a sample's neighbours too: it fills dst
// with numbers for [Window.At], valid until the next Add.
func (w *Window) Draw(rng *rand.Rand, dst []int) int {
	for n := range dst {
		i, ok := w.next(rng)
		if !ok {
			return n
		}
		dst[n] = i
	}
	return len(dst)
}

// next draws one sample.
func (w *Window) next(rng *rand.Rand) (i int, ok bool) {
	switch {
	case w.held == 0:
		return 0, false
	case len(w.order) == 0:
		w.fill(rng)
	case w.drawn == len(w.order):
		w.drawn = 0
		w.epoch++
		if w.weighted {
			w.fill(rng)
		}
	}
	if len(w.order) == 0 {
		return 0, false
	}
	// One step of the Fisher-Yates shuffle. Its start may be any permutation, so
	// an epoch goes on with the one that the last epoch left.
	j := w.drawn + rng.IntN(len(w.order)-w.drawn)
	w.order[w.drawn], w.order[j] = w.order[j], w.order[w.drawn]
	i = int(w.order[w.drawn])
	w.drawn++
	return i, true
}

// fill lists the samples of an epoch: each once, or as often as its weight says.
func (w *Window) fill(rng *rand.Rand) {
	w.order = slices.Grow(w.order[:0], w.held)
	if !w.weighted {
		for i := range w.held {
			w.order = append(w.order, uint32(i))
		}
		return
	}
	// Sample i is there once for each whole number that the sum of the weights,
	// begun at a random fraction, passes with it.
	sum, count, i := rng.Float64(), 0.0, uint32(0)
	for _, c := range w.chunks {
		for k := range c.len() {
			weight := 1.0
			if c.weights != nil {
				weight = float64(c.weights[c.gone+k])
			}
			for sum += weight; count+1 <= sum; count++ {
				w.order = append(w.order, i)
			}
			i++
		}
	}
}

// Epochs returns the number of whole passes since the last Add.
func (w *Window) Epochs() int { return w.epoch + w.drawn/max(len(w.order), 1) }

// WindowStats describe a window. Ages in samples count the samples that were
// generated later; ages in generations count from the newest one.
type WindowStats struct {
	Rows              int     `json:"rows"`
	Seen              uint64  `json:"seen"`  // samples generated so far
	Full              int     `json:"full"`  // rows from a full search
	Games             int     `json:"games"` // runs of rows of one game
	OldestAge         uint64  `json:"oldest_age"`
	MeanAge           float64 `json:"mean_age"`
	OldestGeneration  uint32  `json:"oldest_generation"`
	NewestGeneration  uint32  `json:"newest_generation"`
	MeanGenerationAge float64 `json:"mean_generation_age"`
}

// Stats computes the statistics in one pass over the window.
func (w *Window) Stats() WindowStats {
	st := WindowStats{Rows: w.held, Seen: w.seen}
	if w.held == 0 {
		return st
	}
	st.OldestAge = w.seen - 1 - w.chunks[0].first
	// The window is a contiguous run that ends with the newest sample.
	st.MeanAge = float64(w.held-1) / 2
	st.OldestGeneration = w.chunks[0].generation
	for _, c := range w.chunks {
		st.NewestGeneration = max(st.NewestGeneration, c.generation)
	}
	last := uint64(0)
	for k, c := range w.chunks {
		st.MeanGenerationAge += float64(st.NewestGeneration-c.generation) * float64(c.len())
		for i := range c.len() {
			id, full := c.rows.game(c.gone + i)
			if full {
				st.Full++
			}
			if k == 0 && i == 0 || id != last {
				st.Games++
				last = id
			}
		}
	}
	st.MeanGenerationAge /= float64(w.held)
	return st
}
