package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// PermutationWithin tests "the cells' labels do not matter" for any number of
// cells that were played on the same starts: scores[pair][cell]. Within each pair
// the scores are shuffled over the cells, and the spread of the cells' means
// Σ (mean_c − mean)² is compared:
//
//	p = (1 + #{spread* ≥ spread}) / (1 + draws)
//
// With two cells it is [PermutationPaired]'s test. E. J. G. Pitman, Biometrika 29
// (1938) 322 (randomised blocks); the formula of p is Phipson and Smyth's (2010).
// Rows of different lengths, or fewer than two cells, panic; without pairs, or if
// the labels change nothing, p is 1.
func PermutationWithin(scores [][]float64, draws int, rng *rand.Rand) float64 {
	if draws < 1 {
		panic("stats: a permutation test needs at least one draw")
	}
	if len(scores) == 0 {
		return 1
	}
	cells := len(scores[0])
	if cells < 2 {
		panic("stats: a permutation test of fewer than two cells")
	}
	// Pairs whose cells all scored alike stay as they are under every shuffle.
	var rows [][]float64
	sums := make([]float64, cells)
	mean := 0.0
	for i, r := range scores {
		if len(r) != cells {
			panic(fmt.Sprintf("stats: pair %d has %d cells, the first has %d", i, len(r), cells))
		}
		same := true
		for c, v := range r {
			sums[c] += v
			mean += v / float64(cells)
			same = same && v == r[0]
		}
		if !same {
			rows = append(rows, append([]float64(nil), r...))
		}
	}
	if len(rows) == 0 {
		return 1
	}
	spread := func(sums []float64, mean float64) float64 {
		s := 0.0
		for _, v := range sums {
			s += (v - mean) * (v - mean)
		}
		return s
	}
	observed := spread(sums, mean)
	observed -= 1e-9 * math.Max(1, observed)
	// The total of the varying rows, cell by cell, decides; the constant ones add
	// the same to each cell.
	mean = 0
	for _, r := range rows {
		for _, v := range r {
			mean += v / float64(cells)
		}
	}
	hits := 0
	for range draws {
		clear(sums)
		for _, r := range rows {
			for c := cells - 1; c > 0; c-- {
				k := rng.IntN(c + 1)
				r[c], r[k] = r[k], r[c]
			}
			for c, v := range r {
				sums[c] += v
			}
		}
		if spread(sums, mean) >= observed {
			hits++
		}
	}
	return float64(1+hits) / float64(1+draws)
}
