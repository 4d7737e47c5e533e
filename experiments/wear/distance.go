package wear

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Distance says how unlike two maps are.
type Distance string

// The distances.
const (
	// JensenShannon is the square root of the Jensen–Shannon divergence in bits between
	// the two maps as shares of their totals: a metric from 0 to 1 (Lin 1991; Endres and
	// Schindelin 2003).
	JensenShannon Distance = "jensen-shannon"
	// Hellinger is the Hellinger distance between the same shares, a metric from 0 to 1.
	Hellinger Distance = "hellinger"
	// Rank compares only the order of the places: √((1 − ρ)/2) with Spearman's ρ and mean
	// ranks for ties, a metric on rank vectors from 0 (same order) to 1 (reversed). It is
	// for scores such as none, some, much, whose steps are no amounts.
	Rank Distance = "rank"
)

// Distances lists them.
func Distances() []Distance { return []Distance{JensenShannon, Hellinger, Rank} }

// prepared is a map ready for the distance: shares of the total, or centred ranks of unit
// length; nil for a map without any amount.
type prepared []float64

// prepare brings a map into the form that between compares.
func (d Distance) prepare(v []float64) prepared {
	if d == Rank {
		return centredRanks(v)
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	if !(sum > 0) {
		return nil
	}
	out := make(prepared, len(v))
	for i, x := range v {
		out[i] = x / sum
	}
	return out
}

// midRanks are the ranks from 0, the mean rank for ties.
func midRanks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			out[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

// centredRanks are the ranks less their mean, scaled to length 1; all zero where all
// values are equal.
func centredRanks(v []float64) prepared {
	out := prepared(midRanks(v))
	for i := range out {
		out[i] -= float64(len(v)-1) / 2
	}
	norm := 0.0
	for _, x := range out {
		norm += x * x
	}
	if norm > 0 {
		norm = math.Sqrt(norm)
		for i := range out {
			out[i] /= norm
		}
	}
	return out
}

// between is the distance of two prepared maps of the same places: 1 where one of them has
// no amount at all and the other has.
func (d Distance) between(p, q prepared) float64 {
	switch {
	case p == nil && q == nil:
		return 0
	case p == nil || q == nil:
		return 1
	}
	switch d {
	case Hellinger:
		return stat.Hellinger(p, q)
	case Rank:
		dot, pp, qq := 0.0, 0.0, 0.0
		for i := range p {
			dot += p[i] * q[i]
			pp += p[i] * p[i]
			qq += q[i] * q[i]
		}
		if pp == 0 && qq == 0 {
			return 0
		}
		return math.Sqrt(max(0, 1-dot) / 2)
	}
	// Rounding may leave a divergence of two equal maps a little below zero.
	return math.Sqrt(max(0, stat.JensenShannon(p, q)) / math.Ln2)
}

// Between is the distance of two maps of the same places, each a weight a place, none
// negative. It panics if they are not equally long.
func (d Distance) Between(v, w []float64) float64 {
	if len(v) != len(w) {
		panic("wear: two maps of different numbers of places")
	}
	return d.between(d.prepare(v), d.prepare(w))
}
