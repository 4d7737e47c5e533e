package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"latro/experiments/stats"
)

// Plan is what an experiment will cost and what it can show, from a short pilot.
type Plan struct {
	// Games is the number of games and Cells describes each cell.
	Games int        `json:"games"`
	Cells []CellPlan `json:"cells"`
	// CPUSeconds is the estimated computing time on one core of this machine, and
	// WallSeconds with the given number of workers.
	CPUSeconds  float64 `json:"cpu_seconds"`
	WallSeconds float64 `json:"wall_seconds"`
	// PairSD is the standard deviation of a pair's score that the power figures use:
	// the largest of the pilots, but at least 0.25.
	PairSD float64 `json:"pair_sd"`
	// Detectable is the deviation of a score from one half that is found with 80 %
	// power, and DetectableDifference that between two cells (taken as independent,
	// which common starts improve on).
	Detectable           float64 `json:"detectable"`
	DetectableDifference float64 `json:"detectable_difference"`
	// PowerEven is the chance to show that an even game is within the margin.
	PowerEven float64 `json:"power_even"`
	// PairsForMargin and PairsForEven are the pairs a cell that find a deviation of
	// the margin with 80 % power, and that show an even game to be within it with
	// 90 % power.
	PairsForMargin int `json:"pairs_for_margin"`
	PairsForEven   int `json:"pairs_for_even"`
	// Warnings are sentences about what the design cannot show.
	Warnings []string `json:"warnings"`
}

// CellPlan is one cell of a plan.
type CellPlan struct {
	Ruleset        string  `json:"ruleset"`
	Agents         string  `json:"agents"`
	PilotGames     int     `json:"pilot_games"`
	SecondsPerGame float64 `json:"seconds_per_game"`
	MeanPlies      float64 `json:"mean_plies"`
	Capped         float64 `json:"capped_share"`
}

// MakePlan plays a few pairs of each cell (at most pilot a cell, and about
// perCell long) and estimates cost and power. Times are this machine's; nothing is
// written.
func MakePlan(ctx context.Context, d Design, factory Factory, workers, pilot int, perCell time.Duration) (Plan, error) {
	var p Plan
	if err := d.Validate().err(); err != nil {
		return p, err
	}
	if factory == nil {
		factory = Builtin
	}
	cells, _, err := compile(d)
	if err != nil {
		return p, err
	}
	p.PairSD = 0.25
	for _, c := range cells {
		agents, err := buildAgents(c, factory)
		if err != nil {
			return p, err
		}
		began := time.Now()
		var scores []float64
		plies, capped := 0, 0
		for pair := 0; pair < min(pilot, d.Pairs) && (pair == 0 || time.Since(began) < perCell); pair++ {
			games, err := playUnit(ctx, d, c, agents, pair, 1)
			if err != nil {
				return p, err
			}
			s := 0.0
			for i := range games {
				plies += int(games[i].Plies)
				v, err := recordOf(&games[i], d).score(0.5)
				if err != nil {
					return p, err
				}
				s += v / 2
				if games[i].Outcome == "capped" {
					capped++
				}
			}
			scores = append(scores, s)
		}
		n := 2 * len(scores)
		cp := CellPlan{Ruleset: c.info.Title, Agents: c.cell.Agents(), PilotGames: n,
			SecondsPerGame: time.Since(began).Seconds() / float64(n), MeanPlies: float64(plies) / float64(n), Capped: float64(capped) / float64(n)}
		p.Cells = append(p.Cells, cp)
		p.Games += 2 * d.Pairs
		p.CPUSeconds += cp.SecondsPerGame * float64(2*d.Pairs)
		if len(scores) >= 8 {
			var m, v float64
			for _, s := range scores {
				m += s / float64(len(scores))
			}
			for _, s := range scores {
				v += (s - m) * (s - m) / float64(len(scores)-1)
			}
			p.PairSD = math.Max(p.PairSD, math.Sqrt(v))
		}
		// A share that is surely above the limit even allowing for the pilot's size.
		if stats.Wilson(capped, n, 0.95).Low > stats.MaxCappedShare {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s, %s: %d of %d pilot games were stopped by the cap of %d plies; no claim about scores will be possible. Raise the cap or choose rules that end.",
				cp.Ruleset, cp.Agents, capped, n, d.Cap))
		}
	}
	p.WallSeconds = p.CPUSeconds / float64(max(1, workers))
	alpha := 1 - d.Level
	p.Detectable = stats.DetectableEffect(d.Pairs, p.PairSD, alpha, 0.8)
	p.DetectableDifference = stats.DetectableEffect(d.Pairs, p.PairSD*math.Sqrt2, alpha, 0.8)
	p.PowerEven = stats.PowerTOST(d.Pairs, p.PairSD, d.Margin, 0.05)
	p.PairsForMargin = stats.SampleSize(p.PairSD, d.Margin, alpha, 0.8)
	p.PairsForEven = stats.SampleSizeTOST(p.PairSD, d.Margin, 0.05, 0.9)
	if p.Detectable > d.Margin {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d pairs find a deviation of %.1f points with 80 %% power; to find one of the margin (%.1f points) takes %d pairs.",
			d.Pairs, 100*p.Detectable, 100*d.Margin, p.PairsForMargin))
	}
	if p.PowerEven < 0.8 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("An even game would be shown to be within the margin with a chance of %.0f %% only; for 90 %% plan %d pairs.", 100*p.PowerEven, p.PairsForEven))
	}
	return p, nil
}
