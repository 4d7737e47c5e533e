package datasets_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"latro/datasets"
)

// A generation of a run: games and samples are written, listed together in the
// manifest, and drawn from by the learner.
func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	meta := map[string]string{datasets.MetaRuleset: "bell-8x7"}
	samples := []datasets.Sample{
		{GameID: 1, Ply: 0, Player: 0, Outcome: datasets.Win0, OutcomeValue: 1, PliesLeft: 2, RulesetHash: "9f86",
			State: []byte{1}, LegalCount: 2, Actions: []uint16{3, 5}, Visits: []uint32{12, 4}, Played: 3, Simulations: 16},
		{GameID: 1, Ply: 1, Player: 1, Outcome: datasets.Win0, OutcomeValue: 1, PliesLeft: 1, RulesetHash: "9f86",
			State: []byte{2}, LegalCount: 3, Actions: []uint16{4, 6, 7}, Visits: []uint32{1, 14, 1}, Played: 6, Simulations: 16},
	}
	s, err := datasets.WriteSamples(filepath.Join(dir, datasets.ShardName(datasets.Samples, 0)), samples, meta)
	if err != nil {
		fmt.Println(err)
		return
	}
	games, err := datasets.CreateGames(filepath.Join(dir, datasets.ShardName(datasets.Games, 0)), meta)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer games.Abort()
	if err := games.Append(&datasets.Game{GameID: 1, RulesetHash: "9f86", Outcome: datasets.Win0, EndReason: "one-left",
		Moves: []uint16{3, 6}, Plies: 2, Turns: 2}); err != nil {
		fmt.Println(err)
		return
	}
	g, err := games.Commit()
	if err != nil {
		fmt.Println(err)
		return
	}
	manifest, err := datasets.OpenManifest(filepath.Join(dir, "manifest.json"))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := manifest.Add(s, g); err != nil {
		fmt.Println(err)
		return
	}

	window, err := datasets.NewWindow(datasets.DefaultWindowConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := window.Load(manifest); err != nil {
		fmt.Println(err)
		return
	}
	batch := make([]*datasets.Sample, 2)
	window.Sample(rand.New(rand.NewPCG(1, 2)), batch)
	fmt.Println(manifest.Rows(datasets.Games), "game,", window.Len(), "samples, drew different ones:", batch[0].Ply != batch[1].Ply)
	// Output: 1 game, 2 samples, drew different ones: true
}
