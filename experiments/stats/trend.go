package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Trend is how a score changes with the budget.
type Trend struct {
	// Score is the slope of the mean score, and PScore the p-value of "no slope".
	Score  Interval `json:"score"`
	PScore float64  `json:"p_score"`
	// Deviation is the slope of |score − ½|, and PDeviation the p-value of "the
	// budget does not matter": negative means that the game looks more even the
	// stronger it is played.
	Deviation  Interval `json:"deviation"`
	PDeviation float64  `json:"p_deviation"`
}

// BudgetTrend measures how the first player's score changes with the budget of the
// search: scores[b][i] is the score in [0, 1] of start pair i at budgets[b], the
// same starts at every budget. Slopes are score points per doubling of the budget,
// by least squares on log₂ of the budget. Agents without a budget (random, greedy)
// have no place on that axis.
//
// The slope of the score is a mean of one contrast a pair, so its interval is
// Student's t. |mean − ½| is not linear: its slope has a percentile bootstrap over
// pairs, and its p-value shuffles the budgets within each pair, which is exact for
// "the budget does not matter at all":
//
//	p = (1 + #{|slope*| ≥ |slope|}) / (1 + draws).
//
// B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular
// Biology 9 (2010) article 39, for the ones; B. Efron, Annals of Statistics 7 (1979) 1,
// for the bootstrap.
//
// |mean − ½| of a few pairs is too large on average by up to 0.8 of its standard
// error, at every budget; where the score's interval contains ½ throughout, only the
// slope of the score means something.
//
// Errors: fewer than two different budgets, one that is not positive, or fewer than
// two pairs. Slices of different lengths, or fewer than one draw, panic.
func BudgetTrend(budgets []float64, scores [][]float64, level float64, draws int, rng *rand.Rand) (Trend, error) {
	checkLevel(level)
	if len(budgets) != len(scores) || draws < 1 {
		panic(fmt.Sprintf("stats: %d budgets with %d sets of scores, %d draws", len(budgets), len(scores), draws))
	}
	if len(budgets) < 2 {
		return Trend{}, fmt.Errorf("a trend needs two budgets or more, not %d", len(budgets))
	}
	n := len(scores[0])
	x := make([]float64, len(budgets))
	for b, v := range budgets {
		if !(v > 0) || math.IsInf(v, 1) {
			return Trend{}, fmt.Errorf("budget %v has no logarithm", v)
		}
		if len(scores[b]) != n {
			panic(fmt.Sprintf("stats: %d pairs at one budget and %d at another", n, len(scores[b])))
		}
		x[b] = math.Log2(v)
	}
	if n < 2 {
		return Trend{}, fmt.Errorf("a trend needs two pairs or more, not %d", n)
	}
	mean, _ := meanVar(x)
	square := 0.0
	for b := range x {
		x[b] -= mean
		square += x[b] * x[b]
	}
	if !(square > 1e-12) {
		return Trend{}, fmt.Errorf("all budgets are %v", budgets[0])
	}
	for b := range x {
		x[b] /= square // now slope = Σ x_b mean_b
	}
	contrast := make([]float64, n)
	for b, c := range x {
		for i, s := range scores[b] {
			contrast[i] += c * s
		}
	}
	var out Trend
	out.Score = MeanT(contrast, level)
	out.Score.Method = "trend-t"
	m, v := meanVar(contrast)
	out.PScore = 1
	if v > 0 {
		out.PScore = twoSided(m/math.Sqrt(v/float64(n)), float64(n-1))
	} else {
		// No pair differs from another: that shows nothing about how they vary.
		out.Score.Low, out.Score.High = math.Inf(-1), math.Inf(1)
	}

	sums := make([]float64, len(x))
	slope := func() float64 {
		s := 0.0
		for b, c := range x {
			s += c * math.Abs(sums[b]/float64(n)-0.5)
		}
		return s
	}
	rows := make([][]float64, n) // pair by pair, for shuffling
	for i := range rows {
		rows[i] = make([]float64, len(x))
		for b := range x {
			rows[i][b] = scores[b][i]
			sums[b] += scores[b][i]
		}
	}
	observed := slope()
	boot := make([]float64, draws)
	for d := range boot {
		clear(sums)
		for range n {
			for b, s := range rows[rng.IntN(n)] {
				sums[b] += s
			}
		}
		boot[d] = slope()
	}
	slices.Sort(boot)
	a := (1 - level) / 2
	out.Deviation = Interval{observed, Quantile(boot, a), Quantile(boot, 1-a), level, n, "trend-bootstrap"}
	hits := 0
	for range draws {
		clear(sums)
		for _, r := range rows {
			rng.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
			for b, s := range r {
				sums[b] += s
			}
		}
		if math.Abs(slope()) >= math.Abs(observed)-1e-12 {
			hits++
		}
	}
	out.PDeviation = float64(1+hits) / float64(1+draws)
	return out, nil
}
