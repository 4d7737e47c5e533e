package selfplay

import (
	"latro/datasets"
	"latro/env/seed"
)

// ResignConfig lets the losing side give up, which saves the plies of games that are decided. Some games are played on
// all the same, so that it is known how often giving up was wrong. The zero value is no resignation.
type ResignConfig struct {
	// Threshold in (0, 1): a side resigns after a ply of its own if the search's value was below -Threshold for it at
	// each of its last Plies searched plies. 0 is no resignation.
	Threshold float64 `yaml:"threshold,omitempty"`
	// Plies is 1 or more; 3 if left out.
	Plies int `yaml:"plies,omitempty"`
	// AuditShare of the games, drawn by lot, are played on to their ends; 0.1 if left out. The share of those in which the
	// side that would have resigned did not lose (it won, drew, or the length cap stopped the game) is the
	// false-resign rate, in metrics.arrow.
	AuditShare float64 `yaml:"audit_share,omitempty"`
	// MaxFalseRate, if above 0, raises the threshold where that rate would be above it, or stops resignation: a generation
	// takes the lowest threshold, from Threshold up to 0.99 in steps of 0.01, at which (wrong + 1) / (resignations + 2)
	// was at most MaxFalseRate in the games of earlier generations that were played on, the latest 200 or a few more.
	// Nobody resigns before there are enough of them, so not in the first generation.
	MaxFalseRate float64 `yaml:"max_false_rate,omitempty"`
}

func (c ResignConfig) on() bool { return c.Threshold > 0 }

// filled is c with what was left out.
func (c ResignConfig) filled() ResignConfig {
	if c.Plies == 0 {
		c.Plies = 3
	}
	if c.AuditShare == 0 {
		c.AuditShare = 0.1
	}
	return c
}

// endResigned is the end reason of a game that a side gave up.
const endResigned = "resigned"

// auditGames is the number of games played on that an automatic threshold looks back on.
const auditGames = 200

// despair follows one game and says when a side resigns.
type despair struct {
	threshold float64
	plies     int
	streak    [2]int
}

// see takes the search's value, for player 0, of a ply of the given player, and says whether that player now resigns.
// It compares what a sample keeps, so that the recorded game tells the same.
func (d *despair) see(player int, value float32) bool {
	if player == 1 {
		value = -value
	}
	if float64(value) < -d.threshold {
		d.streak[player]++
	} else {
		d.streak[player] = 0
	}
	return d.streak[player] >= d.plies
}

// resigner is the side that would have resigned first in the game of these samples, -1 if none.
func (c ResignConfig) resigner(game []datasets.Sample, threshold float64) int {
	d := despair{threshold: threshold, plies: c.Plies}
	for i := range game {
		if game[i].NetworkHash == "" {
			continue // the run's opponent does not resign
		}
		if d.see(int(game[i].Player), game[i].RootValue) {
			return int(game[i].Player)
		}
	}
	return -1
}

// lost says whether the player lost the game of this sample.
func lost(s *datasets.Sample, player int) bool {
	return s.Outcome == [2]string{datasets.Win1, datasets.Win0}[player]
}

// audited says whether a game is one of those that are played on. It depends on seed, generation and number alone.
func (r *Run) audited(generation, index int) bool {
	rng := seed.New(r.Config.Seed, seed.Generation, uint64(generation), uint64(index), 1)
	return rng.Float64() < r.Config.Resign.filled().AuditShare
}

// resignThreshold is the one of a generation, 0 if nobody resigns in it.
func (r *Run) resignThreshold(generation int) float64 {
	c := r.Config.Resign
	switch {
	case c.MaxFalseRate == 0:
		return c.Threshold
	case generation < len(r.manifest.ResignThresholds):
		return r.manifest.ResignThresholds[generation]
	}
	return 0
}

// playedOn says whether the game with this id was played on whatever the search said.
func (r *Run) playedOn(id uint64) bool {
	generation, index := int(id>>32), int(id&(1<<32-1))
	return r.resignThreshold(generation) == 0 || r.audited(generation, index)
}

// eachGame calls f with the samples of each game.
func eachGame(samples []datasets.Sample, f func(game []datasets.Sample)) {
	for from := 0; from < len(samples); {
		to := from + 1
		for to < len(samples) && samples[to].GameID == samples[from].GameID {
			to++
		}
		f(samples[from:to])
		from = to
	}
}

// audit counts what became of the resignations that were held back in games of one generation.
func (s *GenerateStats) audit(r *Run, generation int, samples []datasets.Sample) {
	c := r.Config.Resign.filled()
	// Where nobody resigned, what would have come of it at the lowest threshold is told.
	threshold := r.resignThreshold(generation)
	if threshold == 0 {
		threshold = c.Threshold
	}
	eachGame(samples, func(game []datasets.Sample) {
		if !r.playedOn(game[0].GameID) {
			return
		}
		s.Audited++
		if side := c.resigner(game, threshold); side >= 0 {
			s.HeldBack++
			if !lost(&game[0], side) {
				s.Wrong++
			}
		}
	})
}

// nextThreshold is the automatic threshold of the generation after the given one, from what the window holds.
func (l *learner) nextThreshold(generation int) float64 {
	c := l.run.Config.Resign.filled()
	var games [][]datasets.Sample
	latest := generation + 1
	// From the newest game back, by whole generations. The oldest game of the window may lack its first plies.
	w := l.window
	for end := w.Len(); end > 0; {
		id := w.At(end - 1).GameID
		from := end - 1
		for from > 0 && w.At(from-1).GameID == id {
			from--
		}
		if g := int(id >> 32); g != latest {
			if len(games) >= auditGames {
				break
			}
			latest = g
		}
		if from > 0 && l.run.playedOn(id) {
			game := make([]datasets.Sample, end-from)
			for i := range game {
				s := w.At(from + i)
				game[i] = datasets.Sample{Player: s.Player, RootValue: s.RootValue, Outcome: s.Outcome, NetworkHash: s.NetworkHash}
			}
			games = append(games, game)
		}
		end = from
	}
	for step := 0; ; step++ {
		threshold := c.Threshold + float64(step)/100
		if threshold > 0.99+1e-9 {
			return 0
		}
		resigned, wrong := 0, 0
		for _, game := range games {
			if side := c.resigner(game, threshold); side >= 0 {
				resigned++
				if !lost(&game[0], side) {
					wrong++
				}
			}
		}
		if float64(wrong+1)/float64(resigned+2) <= c.MaxFalseRate {
			return threshold
		}
	}
}
