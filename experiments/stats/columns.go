package stats

import (
	"fmt"
	"slices"
)

// Column is one explanatory variable of a regression: a value for each game.
type Column struct {
	// Name is for reports, as "capture: bind".
	Name string
	// Values has one value a game.
	Values []float64
}

// FactorColumns are the columns of a factor with named levels, of which level[i]
// is the index of game i. There is one column for each level but the first: the
// coefficient is that level less the first. Columns are centred, so that in a
// balanced factorial a main effect is the mean over the levels of the other
// factors, also where interactions are in the model: value 1 − 1/L in games at the
// level and −1/L in the others (±½ with two levels). It panics for an index out of
// range or fewer than two levels.
func FactorColumns(name string, levels []string, level []int) []Column {
	if len(levels) < 2 {
		panic("stats: a factor with fewer than two levels")
	}
	out := make([]Column, len(levels)-1)
	share := 1 / float64(len(levels))
	for l := range out {
		v := make([]float64, len(level))
		for i, at := range level {
			if at < 0 || at >= len(levels) {
				panic(fmt.Sprintf("stats: level %d of a factor with %d", at, len(levels)))
			}
			v[i] = -share
			if at == l+1 {
				v[i]++
			}
		}
		out[l] = Column{name + ": " + levels[l+1], v}
	}
	return out
}

// Covariate is the column of a measured variable, as log₂ of a budget or the
// number of squares; it is centred at its mean, so that effects of factors are for
// the mean value.
func Covariate(name string, values []float64) Column {
	v := slices.Clone(values)
	mean, _ := meanVar(v)
	for i := range v {
		v[i] -= mean
	}
	return Column{name, v}
}

// Interaction are the products of every column of a with every column of b, named
// "a × b": with two factors of two levels the coefficient is the difference of
// differences. Columns of different lengths panic.
func Interaction(a, b []Column) []Column {
	var out []Column
	for _, x := range a {
		for _, y := range b {
			if len(x.Values) != len(y.Values) {
				panic(fmt.Sprintf("stats: columns of %d and %d games", len(x.Values), len(y.Values)))
			}
			v := make([]float64, len(x.Values))
			for i := range v {
				v[i] = x.Values[i] * y.Values[i]
			}
			out = append(out, Column{x.Name + " × " + y.Name, v})
		}
	}
	return out
}
