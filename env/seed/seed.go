// Package seed derives independent random streams from one seed.
//
// Everything random in latro comes from a stream that is named by a path of numbers below one root seed:
// game 17 of generation 3 draws from New(root, Generation, 3, 17) whoever plays it, on whichever core, in
// whatever order. That is what makes a run's bytes independent of its number of workers and of where it was
// killed and resumed.
//
// The first number of a path is by convention one of the domain constants below, so that two parts which
// count from zero never share a stream.
package seed

import "math/rand/v2"

// Domains: first elements of a stream's path. Their values are part of the reproducibility promise: they
// are never renumbered.
const (
	Generation uint64 = iota + 1 // self-play games: generation, game
	Train                        // training batches: generation
	Network                      // initial parameters
	Match                        // match games: pair
	Opening                      // start positions: index
	Experiment                   // experiment games: cell, pair, twin
	Bootstrap                    // resampling in statistics
	Play                         // games at the terminal
)

// Derive returns a 64-bit number that depends on the root and on every element of the path and its place.
// Elements are absorbed one by one through the SplitMix64 finaliser (Steele, Lea, Flood 2014, "Fast
// splittable pseudorandom number generators"), a bijection, so that paths of one length that differ in one
// element never collide.
func Derive(root uint64, path ...uint64) uint64 {
	x := mix(root + 0x9e3779b97f4a7c15)
	for _, p := range path {
		x = mix(x*0xff51afd7ed558ccd + mix(p^0xc4ceb9fe1a85ec53))
	}
	return x
}

// New returns the stream at the path below root: a PCG generator whose two words of state are derived from
// it. The stream is not safe for concurrent use; streams at different paths are independent.
func New(root uint64, path ...uint64) *rand.Rand {
	a := Derive(root, path...)
	return rand.New(rand.NewPCG(a, mix(a^0xd1b54a32d192ed03)))
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
