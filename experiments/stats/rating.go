package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Meeting is what two players did against each other: pairs of games, each game
// with the score of A: 1, ½ or 0.
type Meeting struct {
	A, B  int
	Pairs [][2]float64
}

// Rating is a player's place in a pool.
type Rating struct {
	// Elo is for the difference to the anchor, or to the pool's mean.
	Elo Interval
	// Prior is true where the games alone give no finite difference to the
	// anchor (or, without one, to every other player): the player, or a group
	// that it is in, won or lost all games against the rest. The number then
	// depends on the prior, and only its sign, or a bound, is a finding.
	Prior bool
}

// Ratings are the ratings of a pool.
type Ratings struct {
	Players []Rating
	// Draw is Davidson's ν: the ratio of draws to the geometric mean of the wins
	// of both sides. At equal strength the share of draws is ν/(2+ν).
	Draw float64
	// DrawRange is Draw with its interval, which is normal for ln ν.
	DrawRange Interval

	strength []float64 // natural logarithms
}

// Expected is the expected score of player a against player b.
func (r Ratings) Expected(a, b int) float64 {
	w, d, _ := davidson(r.strength[a]-r.strength[b], math.Log(r.Draw))
	return w + d/2
}

// ErrDisconnected is for pools in which some players cannot be compared.
var ErrDisconnected = errors.New("the pool is not connected")

// PriorElo is the standard deviation of a player's rating around the pool's mean
// before any game. It is weak: 20 decisive games of equals weigh 166 times as much.
const PriorElo = 1000

const (
	eloScale = 400 / math.Ln10 // Elo of one unit of natural logarithm
	// The prior of ln ν, which keeps it finite without draws, or without wins.
	priorDraw = 3
)

// Rate gives n players their ratings by maximum likelihood in the model of
// Bradley and Terry with Davidson's draws, R. R. Davidson, Journal of the American
// Statistical Association 65 (1970) 317: for strengths π the chances of win, draw
// and loss are as
//
//	π_a : ν √(π_a π_b) : π_b
//
// and the Elo is 400 log10 π. The likelihood is multiplied by a weak normal prior
// on each rating ([PriorElo] around the pool's mean) and on ln ν (0 ± 3), so that
// the maximum is finite also for a player who won everything; [Rating.Prior] says
// for whom that matters (the condition of L. R. Ford, American Mathematical
// Monthly 64 (1957) 28). The logarithm is concave, so Newton's method finds the
// one maximum.
//
// Ratings are differences to player anchor, or to the pool's mean if anchor is
// below 0. Intervals are normal; the variance is the larger one of the inverse
// observed information and the sandwich with pairs as clusters (P. J. Huber, Fifth
// Berkeley Symposium 1 (1967) 221): the two games of a pair may vary together, and
// no game at all must never look like certainty.
//
// Meetings that leave the pool in parts are [ErrDisconnected].
func Rate(n int, meetings []Meeting, anchor int, level float64) (Ratings, error) {
	checkLevel(level)
	if n < 1 || anchor >= n {
		panic("stats: a pool without players, or an anchor outside it")
	}
	f := ratingFit{n: n}
	// reaches[i][j]: i took points from somebody who took points from … j.
	met, reaches := newRelation(n), newRelation(n)
	for _, m := range meetings {
		if m.A < 0 || m.B < 0 || m.A >= n || m.B >= n || m.A == m.B {
			panic("stats: a meeting of players outside the pool, or of one with itself")
		}
		p := playedPair{a: m.A, b: m.B}
		for _, pair := range m.Pairs {
			var games [3]float64 // losses, draws, wins
			for _, s := range pair {
				if s != 0 && s != 0.5 && s != 1 {
					panic(fmt.Sprintf("stats: a game cannot score %v", s))
				}
				games[int(2*s)]++
				met[m.A][m.B], met[m.B][m.A] = true, true
				reaches[m.A][m.B] = reaches[m.A][m.B] || s > 0
				reaches[m.B][m.A] = reaches[m.B][m.A] || s < 1
			}
			for i, g := range games {
				p.games[i] += g
			}
			p.clusters = append(p.clusters, games)
		}
		f.played = append(f.played, p)
	}
	met.close()
	for i := range n {
		if !met[0][i] {
			return Ratings{}, fmt.Errorf("%w: no chain of games leads from player 0 to player %d", ErrDisconnected, i)
		}
	}
	reaches.close()

	x, err := f.maximise()
	if err != nil {
		return Ratings{}, err
	}
	bread, err := f.covariance(x)
	if err != nil {
		return Ratings{}, err
	}
	var sandwich mat.Dense
	sandwich.Product(bread, f.meat(x), bread)

	r := Ratings{Draw: math.Exp(x[n]), strength: x[:n]}
	contrast := mat.NewVecDense(n+1, nil)
	for i := range n {
		for j := range n {
			c := 0.0
			if anchor < 0 {
				c = -1 / float64(n)
			} else if j == anchor {
				c = -1
			}
			if j == i {
				c++
			}
			contrast.SetVec(j, c)
		}
		estimate := 0.0
		for j := range n {
			estimate += contrast.AtVec(j) * x[j]
		}
		v := math.Max(mat.Inner(contrast, bread, contrast), mat.Inner(contrast, &sandwich, contrast))
		half := zOf(level) * math.Sqrt(math.Max(0, v))
		p := Rating{Elo: Interval{eloScale * estimate, eloScale * (estimate - half), eloScale * (estimate + half), level, f.pairsOf(i), "bradley-terry-davidson"}}
		for j := range n {
			if (anchor < 0 || j == anchor) && i != j && !(reaches[i][j] && reaches[j][i]) {
				p.Prior = true
			}
		}
		r.Players = append(r.Players, p)
	}
	half := zOf(level) * math.Sqrt(math.Max(bread.At(n, n), sandwich.At(n, n)))
	clusters := 0
	for _, p := range f.played {
		clusters += len(p.clusters)
	}
	r.DrawRange = Interval{r.Draw, math.Exp(x[n] - half), math.Exp(x[n] + half), level, clusters, "bradley-terry-davidson"}
	return r, nil
}

// relation is a relation between players.
type relation [][]bool

func newRelation(n int) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
		r[i][i] = true
	}
	return r
}

// close makes the relation transitive (Warshall).
func (r relation) close() {
	for k := range r {
		for i := range r {
			if r[i][k] {
				for j := range r {
					r[i][j] = r[i][j] || r[k][j]
				}
			}
		}
	}
}

// playedPair is a meeting as counts of losses, draws and wins of a, in all and by cluster.
type playedPair struct {
	a, b     int
	games    [3]float64
	clusters [][3]float64
}

// ratingFit has n strengths, as natural logarithms, and ln ν as its parameters.
type ratingFit struct {
	n      int
	played []playedPair
}

func (f *ratingFit) pairsOf(player int) int {
	n := 0
	for _, p := range f.played {
		if p.a == player || p.b == player {
			n += len(p.clusters)
		}
	}
	return n
}

// davidson is the chances of win, draw and loss at a difference of strength.
func davidson(difference, lnDraw float64) (win, draw, loss float64) {
	w, d, l := difference/2, lnDraw, -difference/2
	top := math.Max(w, math.Max(d, l))
	w, d, l = math.Exp(w-top), math.Exp(d-top), math.Exp(l-top)
	sum := w + d + l
	return w / sum, d / sum, l / sum
}

// precision is the prior's precision of parameter i.
func (f *ratingFit) precision(i int) float64 {
	if i == f.n {
		return 1 / float64(priorDraw*priorDraw)
	}
	sd := PriorElo / eloScale
	return 1 / (sd * sd)
}

// objective is the logarithm of likelihood times prior.
func (f *ratingFit) objective(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum -= f.precision(i) * v * v / 2
	}
	for _, p := range f.played {
		difference, lnDraw := x[p.a]-x[p.b], x[f.n]
		w, d, l := difference/2, lnDraw, -difference/2
		top := math.Max(w, math.Max(d, l))
		norm := top + math.Log(math.Exp(w-top)+math.Exp(d-top)+math.Exp(l-top))
		sum += p.games[2]*(w-norm) + p.games[1]*(d-norm) + p.games[0]*(l-norm)
	}
	return sum
}

// gradient adds the derivatives of games' log-likelihood to g.
func (f *ratingFit) gradient(g []float64, x []float64, p playedPair, games [3]float64) {
	w, d, _ := davidson(x[p.a]-x[p.b], x[f.n])
	n := games[0] + games[1] + games[2]
	s := games[2] + games[1]/2 - n*(w+d/2)
	g[p.a] += s
	g[p.b] -= s
	g[f.n] += games[1] - n*d
}

// information is the negative second derivative of the objective, which is positive definite.
func (f *ratingFit) information(x []float64) *mat.SymDense {
	h := mat.NewSymDense(f.n+1, nil)
	add := func(i, j int, v float64) { h.SetSym(i, j, h.At(i, j)+v) }
	for i := range x {
		add(i, i, f.precision(i))
	}
	for _, p := range f.played {
		w, d, _ := davidson(x[p.a]-x[p.b], x[f.n])
		n, m := p.games[0]+p.games[1]+p.games[2], w+d/2
		score, both, draw := n*(w+d/4-m*m), n*(d/2-m*d), n*d*(1-d)
		add(p.a, p.a, score)
		add(p.b, p.b, score)
		add(p.a, p.b, -score)
		add(p.a, f.n, both)
		add(p.b, f.n, -both)
		add(f.n, f.n, draw)
	}
	return h
}

var errRating = errors.New("the ratings' equations have no solution in floating point")

// maximise is Newton's method with halved steps, from equal strengths.
func (f *ratingFit) maximise() ([]float64, error) {
	x := make([]float64, f.n+1)
	next := make([]float64, f.n+1)
	best := f.objective(x)
	for range 200 {
		g := make([]float64, f.n+1)
		for i, v := range x {
			g[i] = -f.precision(i) * v
		}
		for _, p := range f.played {
			f.gradient(g, x, p, p.games)
		}
		var chol mat.Cholesky
		if !chol.Factorize(f.information(x)) {
			return nil, errRating
		}
		var step mat.VecDense
		if err := chol.SolveVecTo(&step, mat.NewVecDense(len(g), g)); err != nil {
			return nil, errRating
		}
		size := mat.Norm(&step, math.Inf(1))
		if size < 1e-9 {
			return x, nil
		}
		improved := false
		for scale := 1.0; scale > 1e-6; scale /= 2 {
			for i := range x {
				next[i] = x[i] + scale*step.AtVec(i)
			}
			if v := f.objective(next); v > best {
				best, improved = v, true
				copy(x, next)
				break
			}
		}
		if !improved { // rounding hides what is left to gain
			return x, nil
		}
	}
	return nil, errRating
}

// covariance is the inverse of the information.
func (f *ratingFit) covariance(x []float64) (*mat.SymDense, error) {
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(f.information(x)) || chol.InverseTo(&inverse) != nil {
		return nil, errRating
	}
	return &inverse, nil
}

// meat is the sum over pairs of the gradient's square, and the prior's part.
func (f *ratingFit) meat(x []float64) *mat.SymDense {
	m := mat.NewSymDense(f.n+1, nil)
	for i := range x {
		m.SetSym(i, i, f.precision(i))
	}
	g := make([]float64, f.n+1)
	for _, p := range f.played {
		for _, games := range p.clusters {
			clear(g)
			f.gradient(g, x, p, games)
			for _, i := range [3]int{p.a, p.b, f.n} {
				for _, j := range [3]int{p.a, p.b, f.n} {
					if i <= j {
						m.SetSym(i, j, m.At(i, j)+g[i]*g[j])
					}
				}
			}
		}
	}
	return m
}
