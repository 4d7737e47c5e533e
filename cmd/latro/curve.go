package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"latro/datasets/atomicfile"
	"latro/experiments/figure"
	"latro/mcts"
	"latro/selfplay"
)

// curveCmd is latro curve.
type curveCmd struct {
	Dir         string   `arg:"" help:"Directory of the run."`
	Opponents   []string `name:"opponent" sep:"none" placeholder:"AGENT" help:"Fixed opponent; may be repeated (default random and uct:simulations=100)."`
	Points      int      `default:"8" help:"Number of checkpoints to measure, spread over the run."`
	Games       int      `short:"n" default:"40" help:"Games a checkpoint and opponent, an even number."`
	Simulations int      `default:"64" help:"Simulations a ply of the network."`
	Opening     int      `default:"6" help:"Random plies at the start of each pair."`
	MaxPlies    int      `default:"1000" help:"Length cap of a game in plies; 0 is no cap."`
	Seed        uint64   `default:"1" help:"Root of every random stream."`
	Workers     int      `placeholder:"N" help:"Goroutines; 0 is one a core. Does not change the result."`
	Out         string   `short:"o" placeholder:"NAME" help:"Write NAME.svg, NAME.png and NAME.csv; by default curve in the run."`
	JSON        bool     `help:"Print the matches as JSON."`
}

// Help is shown by --help.
func (curveCmd) Help() string {
	return `Measures how a run's network became stronger: checkpoints spread over the run play fixed opponents in
colour-balanced pairs. The score's interval comes from the pairs.

Examples:
  latro curve runs/bell
  latro curve runs/bell --opponent uct:simulations=400 --points 12 --games 100 --out bell-curve`
}

// curvePoint is one match of the curve.
type curvePoint struct {
	Generation int `json:"generation"`
	matchResult
}

// Run does it.
func (c *curveCmd) Run(a *app) error {
	if c.Games < 2 || c.Games%2 != 0 || c.Games > maxMatchGames {
		return fmt.Errorf("%w: --games is %d; it must be an even number, 2 to %d", errInput, c.Games, maxMatchGames)
	}
	if c.Points < 1 {
		return fmt.Errorf("%w: --points is %d; it must be at least 1", errInput, c.Points)
	}
	if err := checkWorkers(c.Workers); err != nil {
		return err
	}
	if len(c.Opponents) == 0 {
		c.Opponents = []string{"random", "uct:simulations=100"}
	}
	r, err := selfplay.Open(c.Dir)
	if err != nil {
		return err
	}
	defer r.Close()
	checkpoints := r.Manifest().Checkpoints
	if len(checkpoints) == 0 {
		return fmt.Errorf("%w: run %s has no checkpoint yet", errInput, c.Dir)
	}
	generations := spread(len(checkpoints), c.Points)
	bar := a.newProgress("games", len(generations)*len(c.Opponents)*c.Games, 0)
	defer bar.finish()
	agents := new(selfplay.Agents)
	var points []curvePoint
	for _, opponent := range c.Opponents {
		b, err := mcts.ParseSpec(opponent)
		if err != nil {
			return err
		}
		for _, g := range generations {
			cfg := selfplay.MatchConfig{
				Ruleset: r.Ruleset, B: b, Pairs: c.Games / 2, OpeningPlies: c.Opening, MaxPlies: c.MaxPlies,
				Seed: c.Seed, Workers: c.Workers, Done: func(selfplay.PairResult) { bar.add(2) },
				A: mcts.Spec{Kind: "net", Options: map[string]string{
					"path": filepath.Join(c.Dir, checkpoints[g].Path), "simulations": strconv.Itoa(c.Simulations),
				}},
			}
			res, err := selfplay.Play(a.ctx, cfg, agents.New)
			if err != nil {
				return err
			}
			points = append(points, curvePoint{g, summarise(cfg, res)})
		}
	}
	out := c.Out
	if out == "" {
		out = filepath.Join(c.Dir, "curve")
	}
	if err := writeCurve(out, c.Opponents, points); err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(points)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "GENERATION\tAGAINST\tWON\tDRAWN\tLOST\tCAPPED\tSCORE\t95 %")
	for _, p := range points {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%.3f\t%.3f to %.3f\n", p.Generation, p.B, p.Wins, p.Draws, p.Losses, p.Capped, p.Score, p.Low, p.High)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "\n%s.svg, .png, .csv\n", out)
	return err
}

// spread is up to n of the numbers 0..count-1, the first and the last among them, evenly spread.
func spread(count, n int) []int {
	if n == 1 || count == 1 {
		return []int{count - 1}
	}
	var out []int
	for i := range min(n, count) {
		out = append(out, i*(count-1)/(min(n, count)-1))
	}
	return out
}

// writeCurve draws and tabulates the points.
func writeCurve(name string, opponents []string, points []curvePoint) error {
	var series []figure.Series
	for _, o := range opponents {
		s := figure.Series{Name: "against " + o}
		for _, p := range points {
			if p.B == o {
				s.Points = append(s.Points, figure.Point{X: float64(p.Generation), Y: p.Score, Low: p.Low, High: p.High})
			}
		}
		series = append(series, s)
	}
	f := figure.Curves("curve", "Score of the network by generation", series, figure.Axes{
		X: "generation", Y: "score", YMin: 0, YMax: 1, RefY: 0.5, RefLabel: "even",
		YFormat: func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
	}, nil)
	png, err := f.PNG()
	if err != nil {
		return err
	}
	for _, file := range []struct {
		ext  string
		data []byte
	}{{".svg", f.SVG()}, {".png", png}} {
		if err := atomicfile.WriteBytes(name+file.ext, file.data); err != nil {
			return err
		}
	}
	return atomicfile.WriteFile(name+".csv", func(w io.Writer) error {
		rows := csv.NewWriter(w)
		err := rows.Write([]string{"generation", "opponent", "games", "wins", "draws", "losses", "capped", "score", "low", "high"})
		for _, p := range points {
			if err == nil {
				err = rows.Write([]string{
					strconv.Itoa(p.Generation), p.B, strconv.Itoa(p.Games), strconv.Itoa(p.Wins), strconv.Itoa(p.Draws),
					strconv.Itoa(p.Losses), strconv.Itoa(p.Capped), fmt.Sprint(p.Score), fmt.Sprint(p.Low), fmt.Sprint(p.High),
				})
			}
		}
		rows.Flush()
		return errors.Join(err, rows.Error())
	})
}
