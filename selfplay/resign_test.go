package selfplay

import (
	"testing"

	"latro/datasets"
)

// A side resigns at the first ply at which its last plies all looked lost, never in a game that is played on, and the
// game and its samples say so.
func TestResignation(t *testing.T) {
	c := tiny()
	c.Games = 24
	c.Resign = ResignConfig{Threshold: 0.02, Plies: 2, AuditShare: 0.4}
	r := played(t, c)
	games, samples := shards(t, r)
	byID := map[uint64][]datasets.Sample{}
	eachGame(samples, func(game []datasets.Sample) { byID[game[0].GameID] = game })
	resigned, audited := 0, 0
	var stats GenerateStats
	stats.audit(r, 0, samples)
	held, wrong := 0, 0
	for _, g := range games {
		game := byID[g.GameID]
		side := -1
		at := -1
		streak := [2]int{}
		for i, s := range game {
			v := s.RootValue
			if s.Player == 1 {
				v = -v
			}
			streak[s.Player]++
			if v >= -0.02 {
				streak[s.Player] = 0
			}
			if streak[s.Player] == 2 && side < 0 {
				side, at = int(s.Player), i
			}
		}
		if r.playedOn(g.GameID) {
			audited++
			if g.Resigned || g.EndReason == endResigned {
				t.Errorf("game %d was to be played on", g.GameID)
			}
			if side >= 0 {
				held++
				if g.Outcome != [2]string{datasets.Win1, datasets.Win0}[side] {
					wrong++
				}
			}
			continue
		}
		last := game[len(game)-1]
		switch {
		case g.Resigned:
			resigned++
			if at != len(game)-1 || g.EndReason != endResigned || g.Outcome != [2]string{datasets.Win1, datasets.Win0}[side] ||
				last.Outcome != g.Outcome || last.EndReason != endResigned || last.OutcomeValue != [2]float32{-1, 1}[side] || last.PliesLeft != 1 {
				t.Errorf("game %d: player %d was to resign after sample %d of %d; the game says %s by %q, the sample %s by %q, value %v, %d plies left", g.GameID, side, at,
					len(game), g.Outcome, g.EndReason, last.Outcome, last.EndReason, last.OutcomeValue, last.PliesLeft)
			}
		case side >= 0 && (at != len(game)-1 || g.Outcome == datasets.Capped):
			t.Errorf("game %d: player %d did not resign after sample %d of %d", g.GameID, side, at, len(game))
		}
	}
	if resigned == 0 || held == 0 || stats.Audited != audited || stats.HeldBack != held || stats.Wrong != wrong {
		t.Errorf("%d resigned; counted %+v, want %d played on, %d held back, %d wrong", resigned, stats, audited, held, wrong)
	}
}

// The automatic threshold is the lowest at which the games that were played on would have been given up wrongly seldom
// enough; games that could be given up, and games of earlier generations than needed, do not count.
func TestAutomaticThreshold(t *testing.T) {
	r := &Run{Config: tiny()}
	r.Config.Resign = ResignConfig{Threshold: 0.5, Plies: 2, AuditShare: 0.5, MaxFalseRate: 0.05}
	r.manifest.Generation = 3
	r.manifest.ResignThresholds = []float64{0, 0, 0.5}
	build := func(wrong, right int, value float32, generation int) []datasets.Sample {
		var rows []datasets.Sample
		for i := range wrong + right {
			outcome := datasets.Win0 // player 1 despairs
			if i < wrong {
				outcome = datasets.Draw
			}
			for ply := range 6 {
				rows = append(rows, datasets.Sample{
					GameID: gameID(generation, i), Ply: uint32(ply), Player: uint8(ply % 2), RootValue: value, Outcome: outcome, NetworkHash: "a",
				})
			}
		}
		return rows
	}
	threshold := func(parts ...[]datasets.Sample) float64 {
		w, err := datasets.NewWindow(datasets.DefaultWindowConfig())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			w.Add(p, uint32(p[0].GameID>>32))
		}
		return (&learner{run: r, window: w}).nextThreshold(int(parts[len(parts)-1][0].GameID >> 32))
	}
	// The first game of a window is left out; 17 others at best give 1/19, and 18 give 1/20.
	if got := threshold(build(0, 18, 0.7, 0)); got != 0 {
		t.Errorf("too little is known, and the threshold is %v", got)
	}
	if got := threshold(build(0, 19, 0.7, 0)); got != 0.5 {
		t.Errorf("enough is known, and the threshold is %v", got)
	}
	// Wrong at 0.7, right at 0.9: between them.
	if got := threshold(build(30, 0, 0.7, 0), build(0, 60, 0.9, 1)); got < 0.7 || got > 0.72 {
		t.Errorf("threshold %v", got)
	}
	// Wrong at all values.
	if got := threshold(build(30, 30, 0.995, 0)); got != 0 {
		t.Errorf("threshold %v where half of the resignations are wrong", got)
	}
	// 300 newer games: the older ones do not count.
	if got := threshold(build(30, 0, 0.7, 0), build(0, 300, 0.7, 1)); got != 0.5 {
		t.Errorf("threshold %v", got)
	}
	// In generation 2 sides resigned: of its 40 games only those played on count, which are fewer.
	on := 0
	for i := range 40 {
		if r.playedOn(gameID(2, i)) {
			on++
		}
	}
	if on < 8 || on > 32 {
		t.Errorf("%d of 40 games are played on, with a share of one half", on)
	}
	if got := threshold(build(0, 1, 0.7, 1), build(40, 0, 0.7, 2)); got == 0.5 {
		t.Errorf("threshold %v though every resignation was wrong", got)
	}
}

// With a temperature the first plies of games are drawn from the policy, and those alone: more of them differ from game
// to game, and of the later ones as many follow the search as before.
func TestOpeningTemperature(t *testing.T) {
	c := tiny()
	c.Games, c.Opening.RandomShare, c.MaxPlies = 12, 0, 30
	c.Search.Simulations, c.Search.MaxConsidered = 8, 2
	off := func(c Config) (early, late int) {
		_, samples := shards(t, played(t, c))
		for _, s := range samples {
			// Sequential halving among two plays one of the most visited.
			most, mine := uint32(0), uint32(0)
			for i, a := range s.Actions {
				most = max(most, s.Visits[i])
				if a == s.Played {
					mine = s.Visits[i]
				}
			}
			if mine < most-1 && s.Ply < 6 {
				early++
			} else if mine < most-1 {
				late++
			}
		}
		return early, late
	}
	early, late := off(c)
	c.Opening.Temperature, c.Opening.TemperaturePlies = 1, 6
	drawn, rest := off(c)
	if early != 0 || drawn < 12 || late != 0 || rest != 0 {
		t.Errorf("plies against the search: %d early and %d late, with temperature %d and %d", early, late, drawn, rest)
	}
}
