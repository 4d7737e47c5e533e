package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"latro/datasets"
	"latro/experiments"
	"latro/experiments/figure"
	"latro/experiments/report"
	"latro/nn/shipped"
	"latro/selfplay"
)

// quickstartCmd is latro quickstart.
type quickstartCmd struct {
	Out     string  `short:"o" default:"quickstart-out" placeholder:"DIR" help:"Directory for everything it makes."`
	Minutes float64 `default:"4" help:"Time to aim at, on two cores, 1 to 600. More time goes into training and into more games."`
	Seed    uint64  `default:"1" help:"Root of every random stream."`
	Workers int     `placeholder:"N" help:"Goroutines; 0 is one a core."`
	JSON    bool    `help:"End with one JSON object that names the report, the runs and the findings."`
}

// Help is shown by --help.
func (quickstartCmd) Help() string {
	return `Trains a network from nothing for each of two versions of the game (R. C. Bell's reconstruction on 8×7, and a modern web
game's rook moves and hostile edge, webdux), lets the networks, a tree search and chance play them, changes a single rule with everything
else equal, and writes one report. Killed, the same command goes on.

Examples:
  latro quickstart
  latro quickstart --out demo --json
  latro quickstart --out longer --minutes 30 --seed 7`
}

// The two rulesets whose networks are trained: their games end by themselves within some hundred plies.
var quickRulesets = [...]struct{ id, name string }{{"bell-8x7", "Bell 8×7"}, {"webdux", "Rook game (webdux)"}}

// trainingShare is the share of the time that goes into training, the rest into measuring.
const trainingShare = 0.6

// quickConfig is a run that learns something within a minute or two.
func quickConfig(ruleset string, seed uint64) selfplay.Config {
	c := selfplay.DefaultConfig(ruleset)
	c.Seed = seed
	c.Network = "2x32"
	c.Games, c.GamesPerShard = 32, 8
	c.Search.Simulations = 16
	c.MaxPlies = 400
	c.Opening.RandomShare, c.Opening.RandomPlies = 1, 40
	c.Training.Reuse = 4
	return c
}

// quickResult is the JSON that quickstart ends with.
type quickResult struct {
	Report      string                `json:"report"`
	Results     string                `json:"results"`
	Runs        []string              `json:"runs"`
	Experiments []string              `json:"experiments"`
	Seconds     float64               `json:"seconds"`
	Findings    []experiments.Finding `json:"findings"`
}

// Run does it.
func (c *quickstartCmd) Run(a *app) error {
	if !(c.Minutes >= 1 && c.Minutes <= 600) {
		return fmt.Errorf("%w: --minutes is %v; it must be 1 to 600", errInput, c.Minutes)
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	began := time.Now()
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	var runs []string
	var networks []experiments.RulesetRef
	var curves []report.Curve
	scale := c.Minutes / 4
	var strength []experiments.Design
	for _, rs := range quickRulesets {
		if slices.Contains(shipped.IDs(), rs.id) {
			ref := experiments.RulesetRef{Name: rs.name, Ref: rs.id, Network: filepath.Join(c.Out, "run-"+rs.id)}
			strength = append(strength, quickStrengthDesign(c.Seed, ref, scale))
		}
	}
	steps := len(quickRulesets) + 2 + len(strength)
	for i, rs := range quickRulesets {
		dir := filepath.Join(c.Out, "run-"+rs.id)
		budget := time.Duration(c.Minutes * trainingShare / float64(len(quickRulesets)) * float64(time.Minute))
		fmt.Fprintf(a.stderr, "%d of %d: training a network for %s from nothing, about %s\n", i+1, steps, rs.name, budget.Round(time.Second))
		if err := c.train(a, dir, rs.id, budget); err != nil {
			return err
		}
		curve, err := lossCurve(dir, rs.id, rs.name)
		if err != nil {
			return err
		}
		runs, curves = append(runs, dir), append(curves, curve)
		networks = append(networks, experiments.RulesetRef{Name: rs.name, Ref: rs.id, Network: dir})
	}
	designs := []experiments.Design{quickRulesDesign(c.Seed, networks, scale), quickContrastDesign(c.Seed, scale)}
	asked := len(designs)
	designs = append(designs, strength...)
	var dirs []string
	var analyses []*experiments.Analysis
	var entries []report.Entry
	for i, d := range designs {
		fmt.Fprintf(a.stderr, "%d of %d: %s\n", i+1+len(quickRulesets), steps, strings.TrimSpace(d.Question))
		dir := filepath.Join(c.Out, "experiment-"+d.ID)
		if err := a.runExperiment(dir, d, new(selfplay.Agents).New, c.Workers, "latro quickstart"); err != nil {
			return err
		}
		an, err := experiments.Analyse(dir)
		if err != nil {
			return err
		}
		m, _, err := experiments.ReadManifest(dir)
		if err != nil {
			return err
		}
		if i == 0 {
			entries = manifestEntries(m)
		}
		dirs, analyses = append(dirs, dir), append(analyses, an)
	}
	files, err := report.Write(c.Out, quickReport(analyses[:asked], analyses[asked:], curves, entries, c.Minutes))
	if err != nil {
		return err
	}
	out := quickResult{
		Report: files.HTML, Results: files.JSON, Runs: runs, Experiments: dirs, Seconds: time.Since(began).Seconds(),
	}
	for _, an := range analyses[:asked] {
		out.Findings = append(out.Findings, an.Findings...)
	}
	if c.JSON {
		return a.printJSON(out)
	}
	for _, f := range out.Findings {
		if f.ExcludesNoEffect {
			fmt.Fprintf(a.stdout, "- %s\n", f.Sentence)
		}
	}
	fmt.Fprintf(a.stdout, "\nThe whole of it, with pictures and with what is not clear: %s\n(open it in a browser; %.0f s)\n", files.HTML, out.Seconds)
	return nil
}

// train makes the run, or takes it up again, until the budget is spent; a run whose experiments have begun is
// finished, since they play its network.
func (c *quickstartCmd) train(a *app, dir, ruleset string, budget time.Duration) error {
	cfg := quickConfig(ruleset, c.Seed)
	r, err := selfplay.Create(dir, cfg)
	if errors.Is(err, selfplay.ErrExists) {
		r, err = selfplay.Open(dir)
		if err == nil {
			if err := sameConfig(dir, r.Config, cfg, false); err != nil {
				r.Close()
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := os.Stat(filepath.Join(c.Out, "experiment-rules")); err == nil {
		return nil
	}
	w := a.watch(r)
	defer w.close()
	o := selfplay.Options{Workers: c.Workers, Observe: w.observe, Deadline: time.Now().Add(budget)}
	if err := r.Learn(a.ctx, o); err != nil {
		return err
	}
	// On a slow machine the time may be over before anything was learned.
	if r.Manifest().Generation < leastGenerations {
		o.Deadline, o.Generations = time.Time{}, leastGenerations
		return r.Learn(a.ctx, o)
	}
	return nil
}

// leastGenerations is the number of generations below which a network is not worth playing: the first is
// trained on random play alone, and was seen to lose even to random play.
const leastGenerations = 3

// lossCurve reads a run's learning curve.
func lossCurve(dir, id, name string) (report.Curve, error) {
	m, err := datasets.OpenMetrics(filepath.Join(dir, "metrics.arrow"), nil)
	if err != nil {
		return report.Curve{}, err
	}
	c := report.Curve{ID: id, Title: name, X: "training steps", Y: "loss (nats)"}
	for _, part := range []struct{ column, name string }{{"policy_loss", "policy"}, {"value_loss", "value"}} {
		s := figure.Series{Name: part.name}
		for _, p := range m.Points() {
			if p.Values["steps"] > 0 {
				s.Points = append(s.Points, point(float64(p.Step), p.Values[part.column]))
			}
		}
		c.Series = append(c.Series, s)
	}
	points := m.Points()
	if n := len(points); n > 0 {
		games := 0.0
		for _, p := range points {
			games += p.Values["games"]
		}
		c.Sentences = []string{fmt.Sprintf("%s: %.0f games against itself in %d generations, %d training steps. The loss is measured on the "+
			"games of the network itself, so it need not fall while the play gets better.", name, games, n, points[n-1].Step)}
	}
	return c, nil
}

func point(x, y float64) figure.Point { return figure.Point{X: x, Y: y, Low: y, High: y} }

// quickRulesDesign compares the two rulesets, at several strengths of play.
func quickRulesDesign(seed uint64, rulesets []experiments.RulesetRef, scale float64) experiments.Design {
	d := experiments.DefaultDesign()
	d.ID, d.Title = "rules", "Two versions of the Roman game"
	d.Question = "How do the rules of Bell's reconstruction and of the rook-move game webdux shift who wins and how long a game lasts?"
	d.Rulesets = rulesets
	d.Agents = []experiments.AgentRef{
		{Name: "random", Spec: "random"},
		{Name: "tree search", Spec: "uct:simulations=100"},
		{Name: "network", Spec: "net:run={network},simulations=16"},
	}
	d.Matches = []experiments.Match{{A: "network", B: "random"}, {A: "network", B: "tree search"}}
	d.Pairs = pairs(40, scale)
	d.UnitPairs = 8
	d.Cap = quickCap
	d.Seed = seed
	return d
}

// quickCap stops games that chance would let go on: random play of webdux takes some 200 plies, seldom over 600.
const quickCap = 1000

// quickContrastDesign changes one rule of webdux. The edge is the rule to ask about: popular accounts let it
// capture, which Bell, whom they name as their source, does not.
func quickContrastDesign(seed uint64, scale float64) experiments.Design {
	const hostile, neutral = "Rook game with hostile edge", "Rook game with neutral edge"
	d := experiments.DefaultDesign()
	d.ID, d.Title = "edge", "One rule: does the edge of the board capture?"
	d.Question = "In the rook-move game webdux a man against the edge is taken by a single enemy. What does that rule change, with everything else equal?"
	d.Rulesets = []experiments.RulesetRef{
		{Name: neutral, Ref: "webdux", Set: []string{"capture.edge=neutral"}},
		{Name: hostile, Ref: "webdux"},
	}
	d.Agents = []experiments.AgentRef{
		{Name: "random", Spec: "random"},
		{Name: "tree search", Spec: "uct:simulations=100"},
	}
	d.Pairs = pairs(80, scale)
	d.UnitPairs = 8
	d.Cap = quickCap
	d.Seed = seed
	for _, metric := range []string{"first-player-score", "length", "captures"} {
		d.Comparisons = append(d.Comparisons, experiments.Comparison{A: hostile, B: neutral, Metric: metric})
	}
	return d
}

// quickStrengthDesign sets the network that ships for a ruleset against the one that was just trained, and against the
// tree search.
func quickStrengthDesign(seed uint64, ruleset experiments.RulesetRef, scale float64) experiments.Design {
	never := false
	d := experiments.DefaultDesign()
	d.ID, d.Title = "strength-"+ruleset.Ref, "How much longer training gains in "+ruleset.Name
	d.Question = "How much stronger than the network that was just trained on " + ruleset.Name + ", and than a tree search, is the one that comes with the program?"
	d.Rulesets = []experiments.RulesetRef{ruleset}
	d.Agents = []experiments.AgentRef{
		{Name: "shipped network", Spec: "net:simulations=16", SelfPlay: &never},
		{Name: "network", Spec: "net:run={network},simulations=16", SelfPlay: &never},
		{Name: "tree search", Spec: "uct:simulations=100", SelfPlay: &never},
	}
	d.Matches = []experiments.Match{{A: "shipped network", B: "network"}, {A: "shipped network", B: "tree search"}}
	d.Pairs = pairs(8, scale)
	d.UnitPairs = 4
	d.Cap = quickCap
	d.Seed = seed
	return d
}

// pairs scales a number of pairs to the time there is.
func pairs(base int, scale float64) int { return max(8, int(float64(base)*scale)) }

// quickReport composes the page.
func quickReport(as, strength []*experiments.Analysis, curves []report.Curve, entries []report.Entry, minutes float64) report.Report {
	r := report.Report{
		Title: "Two versions of the Roman game, played by networks that taught themselves",
		Lead: "No complete rules of the ludus latrunculorum survive. R. C. Bell's reconstruction and the rules of a modern web game were played here by three kinds of player: by chance, by " +
			"a tree search that knows only the rules, and by a neural network that had just learned each game by playing against itself. " +
			"Then one rule was changed with everything else equal.",
		Analyses: append(slices.Clone(as), strength...),
	}
	r.Sections = append(r.Sections, report.Findings(as...))
	for _, a := range as {
		r.Sections = append(r.Sections, report.Experiment(a))
	}
	ships := ""
	if len(strength) > 0 {
		ships = " The shipped network was trained for longer, on the same rules, and comes with the program; it shows how far such learning goes. It has the " +
			"same 16 simulations a ply."
	}
	r.Sections = append(r.Sections,
		report.Strength(fmt.Sprintf("The networks are weak: each trained for about %s on this machine, where strong play takes hours. Their scores "+
			"against chance and against a plain tree search say how weak; what follows from their games holds for such play and no better.",
			duration(minutes*trainingShare/float64(len(quickRulesets))))+ships, append(slices.Clone(as), strength...)...),
		report.Learning("What the networks learned from is their own play: each generation plays, then trains on what was played.", curves...),
		report.Rules(as...), report.Method(as...), report.Provenance(entries, append(slices.Clone(as), strength...)...))
	return r
}

func duration(minutes float64) string {
	if minutes < 1.5 {
		return "a minute"
	}
	return fmt.Sprintf("%.0f minutes", minutes)
}
