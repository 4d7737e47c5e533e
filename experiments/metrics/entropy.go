package metrics

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"latro/experiments/stats"
)

// variety counts what a game chose out of many possibilities, with the start pairs
// that the choices came in.
type variety struct {
	// weight is the number of equal possibilities that a class stands for: the squares
	// that a symmetry exchanges. 1 where there is none.
	weight []float64
	count  []float64
	// cross sums the products of counts within pairs, class by class: what an error
	// robust to pairs needs. Only classes that occurred together have an entry.
	cross map[[2]int32]float64
	open  map[int32]float64
	order []int32
	pairs int
	index map[string]int32
}

// class numbers a key, in order of appearance.
func (v *variety) class(key string) int32 {
	if v.index == nil {
		v.index = map[string]int32{}
	}
	i, ok := v.index[key]
	if !ok {
		i = int32(len(v.count))
		v.index[key] = i
		v.count = append(v.count, 0)
		v.weight = append(v.weight, 1)
	}
	return i
}

// see adds one choice to the open pair.
func (v *variety) see(class int32) {
	if v.open == nil {
		v.open = map[int32]float64{}
	}
	if v.open[class] == 0 {
		v.order = append(v.order, class)
	}
	v.open[class]++
	v.count[class]++
}

// close ends the open pair.
func (v *variety) close() {
	if len(v.order) == 0 {
		return
	}
	if v.cross == nil {
		v.cross = map[[2]int32]float64{}
	}
	v.pairs++
	for _, a := range v.order {
		for _, b := range v.order {
			if a <= b {
				v.cross[[2]int32{a, b}] += v.open[a] * v.open[b]
			}
		}
	}
	clear(v.open)
	v.order = v.order[:0]
}

// entropy is the entropy of the choices in bits, spread evenly over the
// possibilities that a class stands for, with the correction of G. A. Miller (in
// Information Theory in Psychology, ed. H. Quastler, 1955, 95) and W. G. Madow: for
// n choices of m classes that occurred
//
//	H = Σ p log₂(w/p) + (m − 1)/(2 n ln 2),  p = count/n, w the class's weight.
//
// The error is that of the estimate's first-order expansion, in which a choice of
// class i counts log₂(w_i/p_i) − H, summed within pairs. once is the share of
// choices of classes that occurred once: about the chance that the next game chooses
// something new (I. J. Good, Biometrika 40 (1953) 237), so that a large one says that
// the entropy is an underestimate.
func (v *variety) entropy(level float64) (iv stats.Interval, once float64) {
	iv = stats.Interval{Estimate: math.NaN(), Low: 0, High: math.Inf(1), Level: level, N: v.pairs, Method: "miller-madow"}
	n := 0.0
	for _, c := range v.count {
		n += c
	}
	if n == 0 {
		return iv, math.NaN()
	}
	plain, classes := 0.0, 0
	own := make([]float64, len(v.count))
	for i, c := range v.count {
		if c == 0 {
			continue
		}
		classes++
		if c == 1 {
			once++
		}
		own[i] = math.Log2(v.weight[i] * n / c)
		plain += c / n * own[i]
	}
	once /= n
	iv.Estimate = plain + float64(classes-1)/(2*n*math.Ln2)
	if classes == 1 {
		// A choice that was never seen has a chance of at most u; it could be among as
		// many as there were pairs.
		u := stats.ClopperPearson(0, v.pairs, level).High
		iv.Low, iv.High, iv.Method = iv.Estimate, iv.Estimate+coin(u)+u*math.Log2(float64(v.pairs)+1), "exact"
		return iv, once
	}
	if v.pairs < 2 {
		return iv, once
	}
	// The order of the sum is fixed, so that its last bits are too.
	keys := slices.SortedFunc(maps.Keys(v.cross), func(x, y [2]int32) int {
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	sum := 0.0
	for _, k := range keys {
		term := v.cross[k] * (own[k[0]] - plain) * (own[k[1]] - plain)
		if k[0] != k[1] {
			term *= 2
		}
		sum += term
	}
	g := float64(v.pairs)
	se := math.Sqrt(math.Max(0, sum)*g/(g-1)) / n
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: g - 1}.Quantile(0.5+level/2) * se
	iv.Low, iv.High = math.Max(0, iv.Estimate-half), iv.Estimate+half
	return iv, once
}

// coin is the entropy of a coin in bits.
func coin(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}
