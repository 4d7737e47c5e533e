package stats

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with a confidence interval.
type Interval struct {
	// Estimate is the point estimate; NaN if there are no data.
	Estimate float64
	// Low and High bound the interval; they may be infinite (one-sided).
	Low, High float64
	// Level is the confidence level, as 0.95.
	Level float64
	// N is the number of independent units (games, or pairs) behind it.
	N int
	// Method names how it was computed, as "wilson" or "pairs-t".
	Method string
}

// Contains reports whether x lies in the closed interval.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Excludes reports whether x lies outside the interval.
func (i Interval) Excludes(x float64) bool { return x < i.Low || x > i.High }

// String gives "0.512 [0.498, 0.526]".
func (i Interval) String() string {
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Estimate, i.Low, i.High)
}

// MarshalJSON writes the interval with null for a number that JSON lacks (NaN,
// infinities).
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Estimate *float64 `json:"estimate"`
		Low      *float64 `json:"low"`
		High     *float64 `json:"high"`
		Level    float64  `json:"level"`
		N        int      `json:"n"`
		Method   string   `json:"method"`
	}{finite(i.Estimate), finite(i.Low), finite(i.High), i.Level, i.N, i.Method})
}

// UnmarshalJSON reads what MarshalJSON wrote; a null estimate becomes NaN, a
// null low bound −Inf, a null high bound +Inf.
func (i *Interval) UnmarshalJSON(b []byte) error {
	var v struct {
		Estimate *float64 `json:"estimate"`
		Low      *float64 `json:"low"`
		High     *float64 `json:"high"`
		Level    float64  `json:"level"`
		N        int      `json:"n"`
		Method   string   `json:"method"`
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	or := func(p *float64, d float64) float64 {
		if p == nil {
			return d
		}
		return *p
	}
	*i = Interval{or(v.Estimate, math.NaN()), or(v.Low, math.Inf(-1)), or(v.High, math.Inf(1)), v.Level, v.N, v.Method}
	return nil
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func checkLevel(level float64) {
	if !(level > 0 && level < 1) {
		panic(fmt.Sprintf("stats: level %v outside (0, 1)", level))
	}
}

// zOf is the standard normal quantile of a two-sided interval at the level.
func zOf(level float64) float64 {
	return distuv.UnitNormal.Quantile(1 - (1-level)/2)
}

// tOf is Student's quantile of a two-sided interval at the level.
func tOf(level, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - (1-level)/2)
}

func meanVar(x []float64) (mean, variance float64) {
	// Two passes: with scores near 1 the one-pass formula loses digits.
	n := float64(len(x))
	for _, v := range x {
		mean += v
	}
	mean /= n
	if len(x) < 2 {
		return mean, math.NaN()
	}
	var ss, comp float64
	for _, v := range x {
		d := v - mean
		ss += d * d
		comp += d
	}
	return mean, (ss - comp*comp/n) / (n - 1)
}

func clamp(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
