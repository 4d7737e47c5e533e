// Command fit fits the weights of the evaluation (mcts.Evaluation) to the results of games, and writes the table that
// the package embeds.
//
//	go run ./mcts/internal/fit -out mcts/weights.json
//
// Alpha-beta plays against itself from random openings, with a random ply now and then, in the rulesets of each family.
// Every third position of a game that ended is a row: its features, and the result for player 0 (1, 1/2, 0). Games that were
// stopped by the length cap have no result and are left out. The weights are those of a logistic regression, one for the
// placement and one for the movement phase, with a ridge penalty on what they differ by from the few weights written down in
// this file: where the games say little, those stay. This is done in rounds: the first plays with the weights of this file,
// each later one with those of the round before, and rows of all rounds so far count. Nothing else goes in, so the same
// options give the same table, whatever the number of workers.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/optimize"

	"latro/datasets/atomicfile"
	"latro/env/engine"
	"latro/env/rules"
	"latro/env/seed"
	"latro/mcts"
)

// family is the rulesets that one set of weights is fitted on.
type family struct {
	refs []string
	// part of the games: large boards and long games cost more, and their positions are many.
	part float64
}

// families lists all of them.
var families = []family{
	{[]string{"bell-8x7", "bell-8x8"}, 1},
	{[]string{"luductus"}, 1},
	{[]string{"6x6-kharebga", "8x8-kharebga", "museum-quintana"}, 1},
	{[]string{"webdux"}, 1},
	{[]string{"seega-classic-5x5", "seega-classic-7x7"}, 1},
	{[]string{"6x6-seega", "8x8-seega", "locus-ludi-piso"}, 1},
	{[]string{"schadler-1994", "locus-ludi-seneca"}, 0.4},
	{[]string{"falkener"}, 0.2},
	{[]string{"kowalski-8x12"}, 0.2},
}

// start is what the first round plays with: material is good, as are freedom and the chance to capture.
var start = mcts.FamilyWeights{
	Placement: map[string]float64{"support": 20, "centre": 10},
	Movement: map[string]float64{"men": 400, "leader": 1000, "bound": 200, "liberties": 20, "attacks": 300, "hanging": 100,
		"leader-liberties": 100, "clock": 1},
}

// enough games that ended make a family; one with fewer goes into the generic weights only.
const enough = 40

type options struct {
	games, nodes, rounds, maxPlies int
	ridge, stray                   float64
	seed                           uint64
}

func main() {
	log.SetFlags(0)
	o := options{}
	out := flag.String("out", "", "file to write")
	flag.IntVar(&o.games, "games", 240, "games of each family and round")
	flag.IntVar(&o.nodes, "nodes", 200, "nodes of a choice")
	flag.IntVar(&o.rounds, "rounds", 2, "rounds")
	flag.IntVar(&o.maxPlies, "max-plies", 300, "length cap of a game")
	flag.Float64Var(&o.ridge, "ridge", 1e-2, "weight of the penalty, for one standard deviation of each feature")
	flag.Float64Var(&o.stray, "stray", 0.08, "share of plies that are random")
	flag.Uint64Var(&o.seed, "seed", 1, "root of every random stream")
	flag.Parse()
	if err := run(*out, o); err != nil {
		log.Fatal("fit: ", err)
	}
}

func run(out string, o options) error {
	if out == "" {
		return errors.New("-out is missing: the file to write")
	}
	sofar := make([]rows, len(families))
	table := &mcts.Weights{Families: map[string]mcts.FamilyWeights{"generic": start}}
	for round := 1; round <= o.rounds; round++ {
		next := &mcts.Weights{
			Provenance: fmt.Sprintf("go run ./mcts/internal/fit -games %d -nodes %d -rounds %d -max-plies %d -ridge %g -stray %g -seed %d; round %d; engine %s",
				o.games, o.nodes, o.rounds, o.maxPlies, o.ridge, o.stray, o.seed, round, engine.Version),
			Families: map[string]mcts.FamilyWeights{},
		}
		var all rows
		for i, f := range families {
			r, err := play(f, uint64(i), uint64(round), table, o)
			if err != nil {
				return err
			}
			sofar[i].add(r)
			sofar[i].family = r.family
			r = sofar[i]
			w, name, err := fit(r, o)
			if err != nil {
				return fmt.Errorf("%s: %w", f.refs[0], err)
			}
			w.Provenance = fmt.Sprintf("%s: %d games, %d of them stopped; %d placement and %d movement positions",
				strings.Join(f.refs, ", "), r.games, r.stopped, len(r.phase[0]), len(r.phase[1]))
			log.Printf("round %d, %s (%s): %s", round, w.Provenance, r.family, name)
			if r.games-r.stopped >= enough {
				next.Families[r.family] = w
			}
			all.add(r)
		}
		w, name, err := fit(all, o)
		if err != nil {
			return err
		}
		w.Provenance = fmt.Sprintf("all of these together: %d placement and %d movement positions", len(all.phase[0]), len(all.phase[1]))
		log.Printf("round %d, generic: %s", round, name)
		next.Families["generic"] = w
		table = next
		if err := write(out, table); err != nil {
			return err
		}
	}
	return nil
}

// write puts a round's table into the file, so that a run that is cut short leaves the last whole round.
func write(out string, table *mcts.Weights) error {
	text, err := json.MarshalIndent(table, "", " ")
	if err != nil {
		return err
	}
	if _, err := mcts.ReadWeights(text); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Clean(out), append(text, '\n'))
}

// row is a position: features and the result for player 0.
type row struct {
	x []int32
	y float64
}

// rows are the positions of a family by phase.
type rows struct {
	family         string
	games, stopped int
	phase          [2][]row
}

func (r *rows) add(o rows) {
	r.games += o.games
	r.stopped += o.stopped
	for i := range r.phase {
		r.phase[i] = append(r.phase[i], o.phase[i]...)
	}
}

func play(f family, index, round uint64, w *mcts.Weights, o options) (rows, error) {
	var games []*engine.Game
	for _, ref := range f.refs {
		r, err := rules.Open(ref)
		if err != nil {
			return rows{}, err
		}
		g, err := engine.Compile(r.Params)
		if err != nil {
			return rows{}, err
		}
		games = append(games, g)
	}
	n := int(math.Ceil(f.part * float64(o.games)))
	results := make([]rows, n)
	fails := make([]error, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				results[i], fails[i] = one(games[i%len(games)], w, o, seed.Derive(o.seed, round, index, uint64(i)))
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	all := rows{family: mcts.Family(games[0])}
	for _, r := range results {
		all.add(r)
	}
	return all, errors.Join(fails...)
}

// one plays a game and takes its rows.
func one(g *engine.Game, w *mcts.Weights, o options, root uint64) (rows, error) {
	rng := seed.New(root, seed.Opening)
	cfg := mcts.DefaultAlphaBeta(o.nodes)
	cfg.Weights, cfg.MB = w, 1
	agent, err := mcts.NewAlphaBeta(cfg)
	if err != nil {
		return rows{}, err
	}
	ev := mcts.NewEvaluation(g, w)
	s := g.NewState()
	// From nothing to the whole placement and some plies more are random.
	pieces := g.Params().Pieces
	random := 4 + rng.IntN(5)
	if s.Phase() != engine.Movement && rng.IntN(2) == 0 {
		random = rng.IntN(2*(pieces.Men+pieces.Leaders) + 8)
	}
	out := rows{games: 1}
	var legal []engine.Action
	for n := 0; !s.Over() && n < o.maxPlies; n++ {
		legal = s.Legal(legal[:0])
		if n < random || rng.Float64() < o.stray {
			s.Play(legal[rng.IntN(len(legal))])
			continue
		}
		d, err := agent.Choose(s, rng)
		if err != nil {
			return rows{}, err
		}
		if n%3 == 0 && !d.Forced && !d.Proven {
			at := 1
			if s.Phase() != engine.Movement {
				at = 0
			}
			out.phase[at] = append(out.phase[at], row{x: ev.Features(s, nil)})
		}
		s.Play(d.Action)
	}
	v0, proven := s.Value()
	if !proven {
		return rows{games: 1, stopped: 1}, nil
	}
	for i := range out.phase {
		for j := range out.phase[i] {
			out.phase[i][j].y = (v0 + 1) / 2
		}
	}
	return out, nil
}

// fit gives the weights of both phases, and says how well they fit.
func fit(r rows, o options) (w mcts.FamilyWeights, quality string, err error) {
	var maps [2]map[string]float64
	var words []string
	for i, name := range []string{"placement", "movement"} {
		m, loss, base, err := regress(r.phase[i], []map[string]float64{start.Placement, start.Movement}[i], o.ridge)
		if err != nil {
			return w, "", err
		}
		maps[i] = m
		if len(r.phase[i]) > 0 {
			words = append(words, fmt.Sprintf("%s loss %.3f (%.3f without features)", name, loss, base))
		}
	}
	return mcts.FamilyWeights{Placement: maps[0], Movement: maps[1]}, strings.Join(words, ", "), nil
}

// regress is logistic regression with a penalty on the distance from prior: weights in thousandths of a logit, the mean loss of the fit, and that of a fit to
// nothing but 1/2.
func regress(data []row, prior map[string]float64, ridge float64) (w map[string]float64, loss, base float64, err error) {
	names := mcts.FeatureNames()
	w = map[string]float64{}
	if len(data) == 0 {
		return prior, 0, 0, nil
	}
	n, k := len(data), len(names)
	scale := make([]float64, k)
	for _, r := range data {
		for j, x := range r.x {
			scale[j] += float64(x) * float64(x)
		}
	}
	for j := range scale {
		scale[j] = math.Sqrt(scale[j] / float64(n))
	}
	center := make([]float64, k)
	for j, name := range names {
		center[j] = prior[name] * scale[j] / 1000
	}
	x := make([]float64, n*k)
	for i, r := range data {
		for j, v := range r.x {
			if scale[j] > 0 {
				x[i*k+j] = float64(v) / scale[j]
			}
		}
	}
	logit := func(theta []float64, i int) (z float64) {
		for j, v := range x[i*k : (i+1)*k] {
			z += v * theta[j]
		}
		return z
	}
	cost := func(theta []float64) float64 {
		sum := 0.0
		for i := range data {
			z := logit(theta, i)
			// log(1 + exp(z)) - y z, without overflow.
			sum += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - data[i].y*z
		}
		return sum / float64(n)
	}
	p := optimize.Problem{
		Func: func(theta []float64) float64 {
			c := cost(theta)
			for j, t := range theta {
				c += ridge * (t - center[j]) * (t - center[j])
			}
			return c
		},
		Grad: func(grad, theta []float64) {
			for j := range grad {
				grad[j] = 2 * ridge * (theta[j] - center[j])
			}
			for i := range data {
				d := (1/(1+math.Exp(-logit(theta, i))) - data[i].y) / float64(n)
				for j, v := range x[i*k : (i+1)*k] {
					grad[j] += d * v
				}
			}
		},
	}
	r, err := optimize.Minimize(p, slices.Clone(center), &optimize.Settings{GradientThreshold: 1e-6, MajorIterations: 500}, &optimize.LBFGS{})
	if err != nil && (r == nil || slices.ContainsFunc(r.X, math.IsNaN)) {
		return nil, 0, 0, err
	}
	for j, name := range names {
		if scale[j] == 0 {
			// Never seen: the prior stays, for rulesets of the family where it is.
			if v := prior[name]; v != 0 {
				w[name] = v
			}
			continue
		}
		// Two decimals: the features' own noise is far larger.
		if v := math.Round(1000*r.X[j]/scale[j]*100) / 100; v != 0 {
			w[name] = v
		}
	}
	return w, cost(r.X), math.Ln2, nil
}
