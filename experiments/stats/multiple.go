package stats

import (
	"math"
	"slices"
)

func order(p []float64) []int {
	idx := make([]int, len(p))
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	return idx
}

func checkP(p []float64) {
	for _, v := range p {
		if !(v >= 0 && v <= 1) {
			panic("stats: a p-value outside [0, 1]")
		}
	}
}

// Holm adjusts p-values so that the chance of any false claim in the family
// stays below the level: with p sorted, p̃_i = max_{j≤i} min(1, (m−j+1) p_j).
// S. Holm, Scandinavian Journal of Statistics 6 (1979) 65. The result is in the
// order of the input; p must hold no NaN.
func Holm(p []float64) []float64 {
	checkP(p)
	out := make([]float64, len(p))
	run := 0.0
	for rank, i := range order(p) {
		run = math.Max(run, math.Min(1, float64(len(p)-rank)*p[i]))
		out[i] = run
	}
	return out
}

// BenjaminiHochberg adjusts p-values so that the expected share of false claims
// among the claims stays below the level (independent or positively dependent
// tests): p̃_i = min_{j≥i} min(1, m p_j / j). Y. Benjamini and Y. Hochberg,
// Journal of the Royal Statistical Society B 57 (1995) 289.
func BenjaminiHochberg(p []float64) []float64 {
	checkP(p)
	out := make([]float64, len(p))
	idx := order(p)
	run := 1.0
	for rank := len(idx) - 1; rank >= 0; rank-- {
		i := idx[rank]
		run = math.Min(run, float64(len(p))*p[i]/float64(rank+1))
		out[i] = run
	}
	return out
}
