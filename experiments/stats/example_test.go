package stats_test

import (
	"fmt"
	"math/rand/v2"

	"latro/experiments/stats"
)

// Pairs of mirrored games, counted by the first player's mean score: is the game
// even within three points?
func ExampleTOST() {
	pairs := stats.Pentanomial{20, 150, 660, 150, 20}
	fmt.Println("score", pairs.Interval(0.95))
	fmt.Println("even within 0.03:", pairs.TOST(0.03, 0.05).Equivalent)
	// Output:
	// score 0.500 [0.489, 0.511]
	// even within 0.03: true
}

// What does a rule do to the score? Every start is played with the rule and without.
func ExampleLinearEffects() {
	rng := rand.New(rand.NewPCG(1, 2))
	var score []float64
	var rule, board, start []int
	for s := range 800 {
		for cell := range 4 {
			first := 0.5
			if cell%2 == 1 {
				first += 0.1 // with the rule the first player wins more
			}
			v := 0.0
			if rng.Float64() < first {
				v = 1
			}
			score, rule, board, start = append(score, v), append(rule, cell%2), append(board, cell/2), append(start, s)
		}
	}
	columns := stats.FactorColumns("corner capture", []string{"no", "yes"}, rule)
	columns = append(columns, stats.FactorColumns("board", []string{"6×6", "8×8"}, board)...)
	r, err := stats.LinearEffects(score, columns, start, 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Effects {
		fmt.Printf("%s: %+.2f, excludes 0: %v\n", e.Name, e.Interval.Estimate, e.Interval.Excludes(0))
	}
	// Output:
	// corner capture: yes: +0.11, excludes 0: true
	// board: 8×8: -0.01, excludes 0: false
}

// How long will a sequential test take whose pairs a pilot found to have a standard
// deviation of 0.27?
func ExampleEvenTest_Length() {
	even, err := stats.PairDistribution(0.5, 0.27)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := stats.EvenTest{Margin: 0.05, Alpha: 0.05, Beta: 0.05}.Length(even, 4000)
	fmt.Printf("even game: %.0f pairs on average, 90 %% within %d, called even in %.0f %%\n", plan.Mean, plan.P90, 100*plan.AcceptH0)
	// Output:
	// even game: 279 pairs on average, 90 % within 436, called even in 96 %
}
