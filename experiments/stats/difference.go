package stats

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// Difference is the comparison of two samples of scores.
type Difference struct {
	// Interval is for mean(a) − mean(b).
	Interval Interval
	// SE is the standard error of the difference and DF its degrees of freedom.
	SE, DF float64
	// P is the two-sided p-value of "no difference" by Student's t; 1 if the two
	// samples are identical constants, NaN without data.
	P float64
}

// PairedDifference compares two cells that were played on the same starts:
// a[i] and b[i] are scores in [0, 1] of pair i. The interval is Student's t on
// the differences a[i] − b[i], which removes the luck of the start. It panics if
// the lengths differ. Differences that are all equal get the exact interval of
// [PairScore] carried over to [−1, 1], and P is then 1 if the common value is 0,
// else the sign test's 2·(½)^n.
func PairedDifference(a, b []float64, level float64) Difference {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: paired samples of %d and %d", len(a), len(b)))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	iv := boundedMean(d, -1, 1, level, "paired")
	out := Difference{Interval: iv, P: math.NaN(), SE: math.NaN(), DF: float64(len(d) - 1)}
	if len(d) == 0 {
		return out
	}
	m, v := meanVar(d)
	if iv.Method == "paired-exact" {
		out.SE = 0
		out.P = 1
		if m != 0 {
			out.P = math.Min(1, 2*math.Pow(0.5, float64(len(d))))
		}
		return out
	}
	out.SE = math.Sqrt(v / float64(len(d)))
	out.P = twoSided(m/out.SE, out.DF)
	return out
}

// PairedMeanDifference is [PairedDifference] for values without bounds, as lengths
// or numbers of captures: Student's t on a[i] − b[i]. Differences that are all equal
// leave P at 1 and the interval infinite, since nothing shows how they vary; so does
// a single pair.
func PairedMeanDifference(a, b []float64, level float64) Difference {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: paired samples of %d and %d", len(a), len(b)))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	out := Difference{Interval: MeanT(d, level), SE: math.NaN(), DF: float64(len(d) - 1), P: math.NaN()}
	out.Interval.Method = "paired-t"
	if len(d) == 0 {
		return out
	}
	m, v := meanVar(d)
	out.P = 1
	if !(v > 0) {
		out.Interval.Low, out.Interval.High = math.Inf(-1), math.Inf(1)
		return out
	}
	out.SE = math.Sqrt(v / float64(len(d)))
	out.P = twoSided(m/out.SE, out.DF)
	return out
}

// WelchDifference compares two independent samples of scores in [0, 1] without
// assuming equal variances:
//
//	SE² = s_a²/n_a + s_b²/n_b,  df = SE⁴ / (s_a⁴/(n_a²(n_a−1)) + s_b⁴/(n_b²(n_b−1)))
//
// B. L. Welch, Biometrika 34 (1947) 28. If one sample does not vary, its own
// exact interval is combined with the other's by Newcombe's square rule, and P
// is that of the widest z-test those intervals allow; Method is then
// "welch-exact".
func WelchDifference(a, b []float64, level float64) Difference {
	checkLevel(level)
	if len(a) == 0 || len(b) == 0 {
		return Difference{Interval: Interval{math.NaN(), -1, 1, level, 0, "welch-t"}, SE: math.NaN(), DF: math.NaN(), P: math.NaN()}
	}
	ma, va := meanVar(a)
	mb, vb := meanVar(b)
	na, nb := float64(len(a)), float64(len(b))
	d := ma - mb
	n := len(a) + len(b)
	if !(va > 0) || !(vb > 0) {
		ia, ib := PairScore(a, level), PairScore(b, level)
		lo := d - math.Hypot(ia.Estimate-ia.Low, ib.High-ib.Estimate)
		hi := d + math.Hypot(ia.High-ia.Estimate, ib.Estimate-ib.Low)
		iv := Interval{d, clamp(lo, -1, 1), clamp(hi, -1, 1), level, n, "welch-exact"}
		half := math.Max(d-lo, hi-d)
		out := Difference{Interval: iv, SE: half / zOf(level), DF: math.Inf(1), P: 1}
		if half > 0 {
			out.P = 2 * distuv.UnitNormal.Survival(math.Abs(d)/out.SE)
		}
		return out
	}
	qa, qb := va/na, vb/nb
	se := math.Sqrt(qa + qb)
	df := (qa + qb) * (qa + qb) / (qa*qa/(na-1) + qb*qb/(nb-1))
	half := tOf(level, df) * se
	return Difference{
		Interval: Interval{d, clamp(d-half, -1, 1), clamp(d+half, -1, 1), level, n, "welch-t"},
		SE:       se, DF: df, P: twoSided(d/se, df),
	}
}

func twoSided(t, df float64) float64 {
	if math.IsNaN(t) {
		return math.NaN()
	}
	// CDF of the negative side keeps small p-values exact; Survival would too,
	// but gonum's StudentsT computes it as 1 − CDF.
	p := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
	return math.Min(1, p)
}

// exactSigns is the number of nonzero differences up to which the sign-flip test
// enumerates every assignment (2^16 sums) instead of sampling.
const exactSigns = 16

// PermutationPaired is the sign-flip test of "the two cells' labels do not
// matter": within each pair the labels are exchanged at random and the mean
// difference compared in absolute value. Up to 16 nonzero differences it is
// exact; else p = (1 + #{|d*| ≥ |d|}) / (1 + draws), which never is 0 and keeps
// the level (B. Phipson and G. K. Smyth, Statistical Applications in Genetics
// and Molecular Biology 9 (2010) 39). R. A. Fisher, The Design of Experiments,
// 1935, section 21.
func PermutationPaired(a, b []float64, draws int, rng *rand.Rand) float64 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: paired samples of %d and %d", len(a), len(b)))
	}
	var d []float64
	var sum float64
	for i := range a {
		if v := a[i] - b[i]; v != 0 {
			d = append(d, v)
			sum += v
		}
	}
	if len(d) == 0 {
		return 1
	}
	obs := math.Abs(sum) - 1e-9
	if len(d) <= exactSigns {
		hits, all := 0, 1<<len(d)
		for mask := range all {
			var s float64
			for i, v := range d {
				if mask>>i&1 == 1 {
					v = -v
				}
				s += v
			}
			if math.Abs(s) >= obs {
				hits++
			}
		}
		return float64(hits) / float64(all)
	}
	hits := 0
	for range draws {
		var s float64
		for i := 0; i < len(d); {
			bits := rng.Uint64()
			for k := 0; k < 64 && i < len(d); k++ {
				if bits>>k&1 == 1 {
					s += d[i]
				} else {
					s -= d[i]
				}
				i++
			}
		}
		if math.Abs(s) >= obs {
			hits++
		}
	}
	return float64(1+hits) / float64(1+draws)
}

// PermutationTwoSample is the two-sided permutation test for the difference of
// two means: labels are shuffled over the pooled sample; p as in
// [PermutationPaired].
func PermutationTwoSample(a, b []float64, draws int, rng *rand.Rand) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	pool := append(append([]float64(nil), a...), b...)
	var total, sa float64
	for _, v := range pool {
		total += v
	}
	for _, v := range a {
		sa += v
	}
	diff := func(sa float64) float64 {
		return math.Abs(sa/float64(len(a)) - (total-sa)/float64(len(b)))
	}
	obs := diff(sa) - 1e-12
	hits := 0
	for range draws {
		var s float64
		// A partial Fisher-Yates shuffle: only the first group is needed.
		for i := range a {
			j := i + rng.IntN(len(pool)-i)
			pool[i], pool[j] = pool[j], pool[i]
			s += pool[i]
		}
		if diff(s) >= obs {
			hits++
		}
	}
	return float64(1+hits) / float64(1+draws)
}
