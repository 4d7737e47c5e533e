package main

import (
	"fmt"
	"math"
	"text/tabwriter"

	"latro/env/engine"
	"latro/env/seed"
	"latro/nn"
)

// netDiffCmd is latro net diff.
type netDiffCmd struct {
	A         string   `arg:"" placeholder:"FILE|RUN" help:"First network."`
	B         string   `arg:"" placeholder:"FILE|RUN" help:"Second network."`
	Positions int      `short:"n" default:"512" help:"Positions on which their play is compared; 0 compares none."`
	Ruleset   string   `short:"r" placeholder:"RULESET" help:"Ruleset of the positions; the first network's if left out."`
	Set       []string `placeholder:"PARAM=VALUE" sep:"none" help:"Override a rule; may be repeated."`
	Seed      uint64   `default:"1" help:"Root of the random games' streams."`
	JSON      bool     `help:"Print JSON."`
}

// Help is shown by --help.
func (netDiffCmd) Help() string {
	return `Play is compared on positions of random games: how often both prefer the same legal ply, the divergence of the
second policy from the first (Kullback-Leibler, nats), and the difference of the expected outcomes, which are
from -1 to 1. The relative difference of a tensor is 0 for equal ones and about 1.4 for unrelated ones.

Examples:
  latro net diff runs/bell/checkpoints/gen-0004.latro runs/bell
  latro net diff a.latro b.latro --positions 2000 --seed 7 --json`
}

// maxDiffPositions bounds the work of a comparison.
const maxDiffPositions = 1_000_000

// netDiff is what latro net diff prints.
type netDiff struct {
	A string `json:"a"`
	B string `json:"b"`
	// Same says that both give the same outputs to the last bit.
	Same     bool                  `json:"same"`
	Fields   []netDiffField        `json:"fields"`
	Tensors  []nn.TensorDifference `json:"tensors"`
	Play     *netDiffPlay          `json:"play"`
	PlayNote string                `json:"play_note,omitempty"` // why there is no comparison of play
}

// netDiffField is something in which two networks differ apart from their parameters.
type netDiffField struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// netDiffPlay compares what two networks say about the same positions.
type netDiffPlay struct {
	Ruleset   string `json:"ruleset"`
	Seed      uint64 `json:"seed"`
	Positions int    `json:"positions"`
	// Top1 is the share of positions in which both give the same legal ply the greatest probability.
	Top1 float64 `json:"policy_top1_agreement"`
	// KL is the mean and MaxKL the greatest Kullback-Leibler divergence of B's policy from A's over the legal
	// plies, in nats.
	KL    float64 `json:"policy_kl_mean"`
	MaxKL float64 `json:"policy_kl_max"`
	// Value and MaxValue are the mean and the greatest absolute difference of P(win) - P(loss).
	Value    float64 `json:"value_abs_mean"`
	MaxValue float64 `json:"value_abs_max"`
	// Material is the mean absolute difference of the expected final material.
	Material float64 `json:"material_abs_mean"`
}

// Run does it.
func (c *netDiffCmd) Run(a *app) error {
	if c.Positions < 0 || c.Positions > maxDiffPositions {
		return fmt.Errorf("%w: --positions is %d; it must be 0 to %d", errInput, c.Positions, maxDiffPositions)
	}
	if c.Ruleset == "" && len(c.Set) > 0 {
		return fmt.Errorf("%w: --set needs --ruleset", errInput)
	}
	fa, err := openNet(c.A)
	if err != nil {
		return err
	}
	fb, err := openNet(c.B)
	if err != nil {
		return err
	}
	out := netDiff{A: fa.path, B: fb.path, Same: fa.network.Hash() == fb.network.Hash(), Fields: fieldDiff(fa.network, fb.network)}
	out.Tensors = nn.CompareTensors(fa.network, fb.network)
	if c.Positions > 0 {
		g, err := c.game(fa, fb)
		switch {
		case err != nil && c.Ruleset != "":
			return err
		case err != nil:
			out.PlayNote = err.Error()
		default:
			if out.Play, err = c.play(a, g, fa.network, fb.network); err != nil {
				return err
			}
		}
	}
	if c.JSON {
		return a.printJSON(out)
	}
	return out.write(a)
}

// fieldDiff lists in what two networks differ apart from the values of their parameters.
func fieldDiff(a, b *nn.Network) []netDiffField {
	out := []netDiffField{}
	add := func(field string, x, y any) {
		if s, t := fmt.Sprint(x), fmt.Sprint(y); s != t {
			out = append(out, netDiffField{field, s, t})
		}
	}
	add("blocks", a.Config.Blocks, b.Config.Blocks)
	add("channels", a.Config.Channels, b.Config.Channels)
	add("pool_every", a.Config.PoolEvery, b.Config.PoolEvery)
	add("value_hidden", a.Config.ValueHidden, b.Config.ValueHidden)
	add("parameters", a.Parameters(), b.Parameters())
	add("board", boardName(a.Shape), boardName(b.Shape))
	add("planes", a.Shape.Planes, b.Shape.Planes)
	add("globals", a.Shape.Globals, b.Shape.Globals)
	add("action_planes", a.Shape.ActionPlanes, b.Shape.ActionPlanes)
	add("ruleset", a.RulesetID, b.RulesetID)
	add("ruleset_hash", a.RulesetHash, b.RulesetHash)
	add("step", a.Step, b.Step)
	return out
}

// game is the ruleset on which both networks can play.
func (c *netDiffCmd) game(a, b *netFile) (*netGame, error) {
	g, err := a.game()
	if c.Ruleset != "" {
		g, err = openNetGame(c.Ruleset, c.Set...)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range []*netFile{a, b} {
		n, err := f.network.WithBoard(g.shape.Rows, g.shape.Cols)
		if err != nil {
			return nil, err
		}
		if err := n.CheckShape(g.shape); err != nil {
			return nil, fmt.Errorf("%s cannot play %s: %w", f.path, g.rules.Ref(), err)
		}
		if err := f.checkInputs(g); err != nil {
			return nil, fmt.Errorf("%s cannot play %s: %w", f.path, g.rules.Ref(), err)
		}
	}
	return g, nil
}

const (
	// diffBatch is the number of positions that go through the networks together.
	diffBatch = 32
	// diffGap is the mean number of plies between two positions of a game, since neighbours tell the same.
	diffGap = 8
	// diffPlies is the length at which a random game is left for the next one.
	diffPlies = 300
)

// play compares the networks on c.Positions positions of random games.
func (c *netDiffCmd) play(a *app, g *netGame, na, nb *nn.Network) (*netDiffPlay, error) {
	var nets [2]*nn.Instance
	var outs [2]*nn.Outputs
	for i, n := range []*nn.Network{na, nb} {
		n, err := n.WithBoard(g.shape.Rows, g.shape.Cols)
		if err != nil {
			return nil, err
		}
		inf, err := nn.Compile(n)
		if err != nil {
			return nil, err
		}
		nets[i], outs[i] = inf.NewInstance(diffBatch), nn.NewOutputs(g.shape, diffBatch)
	}
	r := &netDiffPlay{Ruleset: g.rules.Ref(), Seed: c.Seed, Positions: c.Positions}
	obs, globals := make([]float32, diffBatch*g.shape.Obs()), make([]float32, diffBatch*g.shape.Globals)
	legal := make([][]engine.Action, diffBatch)
	var pa, pb []float64
	agree := 0
	var view engine.View
	walk := newRandomWalk(g, c.Seed)
	for done := 0; done < c.Positions; {
		if err := a.ctx.Err(); err != nil {
			return nil, err
		}
		n := min(diffBatch, c.Positions-done)
		for i := range n {
			s := walk.next()
			s.View(&view)
			g.encoder.Encode(&view, obs[i*g.shape.Obs():][:g.shape.Obs()], globals[i*g.shape.Globals:][:g.shape.Globals])
			legal[i] = s.Legal(legal[i][:0])
			for k, action := range legal[i] {
				legal[i][k] = engine.Action(g.encoder.ToFrame(s.ToMove(), action))
			}
		}
		for i := range nets {
			if err := nets[i].Run(n, obs, globals, outs[i]); err != nil {
				return nil, err
			}
		}
		for i := range n {
			actions := g.shape.Actions()
			pa = logSoftmax(pa, outs[0].Policy[i*actions:][:actions], legal[i])
			pb = logSoftmax(pb, outs[1].Policy[i*actions:][:actions], legal[i])
			if argmax(pa) == argmax(pb) {
				agree++
			}
			kl := 0.0
			for k, l := range pa {
				kl += math.Exp(l) * (l - pb[k])
			}
			kl = max(0, kl) // rounding
			r.KL += kl
			r.MaxKL = max(r.MaxKL, kl)
			v := math.Abs(expectedOutcome(outs[0].WDL[3*i:]) - expectedOutcome(outs[1].WDL[3*i:]))
			r.Value += v
			r.MaxValue = max(r.MaxValue, v)
			r.Material += math.Abs(float64(outs[0].Material[i]) - float64(outs[1].Material[i]))
		}
		done += n
	}
	n := float64(c.Positions)
	r.Top1, r.KL, r.Value, r.Material = float64(agree)/n, r.KL/n, r.Value/n, r.Material/n
	for _, x := range []float64{r.KL, r.Value, r.Material} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%w: the networks' outputs are not finite: their parameters are too large", errInput)
		}
	}
	return r, nil
}

// randomWalk yields positions of random games.
type randomWalk struct {
	seed  uint64
	game  uint64
	state *engine.State
	plies int
}

func newRandomWalk(g *netGame, root uint64) *randomWalk {
	return &randomWalk{seed: root, state: g.encoder.Game().NewState()}
}

// next plays on to the next position. It is not over, and stays valid until the next call.
func (w *randomWalk) next() *engine.State {
	rng := seed.New(w.seed, seed.Opening, w.game)
	w.game++
	// Each position has its own stream, so that the first n are the same however many are asked for.
	step := 1 + rng.IntN(2*diffGap-1)
	w.plies += w.state.Playout(rng, step)
	if w.state.Over() || w.plies > diffPlies {
		w.state.Reset()
		w.plies = 0
	}
	return w.state
}

// logSoftmax is the logarithm of the probabilities of the legal policy indices.
func logSoftmax(dst []float64, logits []float32, legal []engine.Action) []float64 {
	dst = dst[:0]
	top := math.Inf(-1)
	for _, a := range legal {
		dst = append(dst, float64(logits[a]))
		top = max(top, float64(logits[a]))
	}
	sum := 0.0
	for _, l := range dst {
		sum += math.Exp(l - top)
	}
	for i := range dst {
		dst[i] -= top + math.Log(sum)
	}
	return dst
}

func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// expectedOutcome is P(win) - P(loss).
func expectedOutcome(wdl []float32) float64 {
	top := float64(max(wdl[0], wdl[1], wdl[2]))
	w, d, l := math.Exp(float64(wdl[0])-top), math.Exp(float64(wdl[1])-top), math.Exp(float64(wdl[2])-top)
	return (w - l) / (w + d + l)
}

func (d *netDiff) write(a *app) error {
	if d.Same {
		fmt.Fprintln(a.stdout, "The same network: architecture, board and every parameter agree.")
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if len(d.Fields) > 0 {
		fmt.Fprintln(w, "FIELD\tA\tB")
		for _, f := range d.Fields {
			fmt.Fprintf(w, "%s\t%s\t%s\n", f.Field, printable(f.A), printable(f.B))
		}
		fmt.Fprintln(w)
	}
	if !d.Same {
		fmt.Fprintln(w, "TENSOR\tGREATEST DIFFERENCE\tRELATIVE")
		for _, t := range d.Tensors {
			switch {
			case t.DimsB == nil:
				fmt.Fprintf(w, "%s\tonly in A, %v\t\n", t.Name, t.DimsA)
			case t.DimsA == nil:
				fmt.Fprintf(w, "%s\tonly in B, %v\t\n", t.Name, t.DimsB)
			case !t.Comparable():
				fmt.Fprintf(w, "%s\t%v and %v\t\n", t.Name, t.DimsA, t.DimsB)
			default:
				fmt.Fprintf(w, "%s\t%.4g\t%.4g\n", t.Name, t.MaxAbs, t.Relative)
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if p := d.Play; p != nil {
		fmt.Fprintf(a.stdout, "On %d positions of random games of %s:\n", p.Positions, p.Ruleset)
		fmt.Fprintf(a.stdout, "  same preferred ply        %.1f %%\n", 100*p.Top1)
		fmt.Fprintf(a.stdout, "  divergence of B from A    mean %.4g, greatest %.4g nats\n", p.KL, p.MaxKL)
		fmt.Fprintf(a.stdout, "  difference of the values  mean %.4g, greatest %.4g\n", p.Value, p.MaxValue)
		fmt.Fprintf(a.stdout, "  difference of material    mean %.4g\n", p.Material)
	} else if d.PlayNote != "" {
		fmt.Fprintf(a.stdout, "Play was not compared: %s\n", d.PlayNote)
	}
	return nil
}
