package stats

import "math"

// EffectiveSize is the number of independent games that a sample with repeated
// games is worth: (Σ n_g)² / Σ n_g² over the groups of identical games (Kish's
// design effect for equal weights; L. Kish, Survey Sampling, 1965). counts holds
// the size of each group; 0 for none.
func EffectiveSize(counts []int) float64 {
	var s, q float64
	for _, c := range counts {
		s += float64(c)
		q += float64(c) * float64(c)
	}
	if q == 0 {
		return 0
	}
	return s * s / q
}

// UniqueShare is the number of different games over the number of games; NaN
// without games.
func UniqueShare(counts []int) float64 {
	var s float64
	k := 0
	for _, c := range counts {
		if c > 0 {
			k++
			s += float64(c)
		}
	}
	if s == 0 {
		return math.NaN()
	}
	return float64(k) / s
}

// MinUniqueShare is the share of different games below which a cell is flagged:
// its games are too often copies of each other for its intervals to hold.
const MinUniqueShare = 0.95

// GroupSizes counts the games of each key (a game's canonical hash), in the order
// in which keys first appear; for [EffectiveSize] and [UniqueShare].
func GroupSizes[K comparable](keys []K) []int {
	at := make(map[K]int, len(keys))
	var sizes []int
	for _, k := range keys {
		i, seen := at[k]
		if !seen {
			i = len(sizes)
			at[k] = i
			sizes = append(sizes, 0)
		}
		sizes[i]++
	}
	return sizes
}
