package experiments

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"latro/datasets"
)

// TestReplay: recorded games repeat ply for ply from what the directory holds, and
// one whose moves were changed afterwards is named.
func TestReplay(t *testing.T) {
	d := smallDesign()
	d.Pairs, d.UnitPairs = 4, 2
	d.Agents = append(d.Agents, AgentRef{Name: "UCT", Spec: "uct:simulations=3"})
	d.Matches = append(d.Matches, Match{A: "UCT", B: "greedy"})
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{}); err != nil {
		t.Fatal(err)
	}
	all := 2 * d.Pairs * len(d.Cells())
	r, err := Replay(context.Background(), dir, ReplayOptions{Games: 1000})
	if err != nil || r.Games != all || r.Skipped != 0 || len(r.Differences) != 0 {
		t.Fatalf("replayed %+v, %v; want all %d", r, err, all)
	}
	if r, err = Replay(context.Background(), dir, ReplayOptions{Games: 5, Seed: 3}); err != nil || r.Games != 5 {
		t.Errorf("replayed %+v, %v; want 5", r, err)
	}

	// A game with another move, in a shard that the manifest vouches for.
	m, _, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	u := &m.Units[1]
	path := filepath.Join(dir, filepath.FromSlash(u.Path))
	games, err := datasets.ReadGames(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	games[2].Moves = slices.Clone(games[2].Moves)
	games[2].Moves[9]++
	info, err := datasets.WriteGames(path, games, nil)
	if err != nil {
		t.Fatal(err)
	}
	u.Bytes, u.SHA256 = info.Bytes, info.SHA256
	if err := m.write(dir); err != nil {
		t.Fatal(err)
	}
	r, err = Replay(context.Background(), dir, ReplayOptions{Games: 1000})
	if err != nil || len(r.Differences) != 1 || r.Differences[0].GameID != games[2].GameID || !strings.Contains(r.Differences[0].What, "ply 10") {
		t.Errorf("replayed %+v, %v; want game %d, ply 10", r, err, games[2].GameID)
	}
}

// TestReplayFindsNetworks by their content among the files that are given.
func TestReplayFindsNetworks(t *testing.T) {
	place := t.TempDir()
	d := designIn(t, place, "feed000000000000")
	dir := t.TempDir()
	if err := Run(context.Background(), dir, d, RunOptions{Factory: networkFiles}); err != nil {
		t.Fatal(err)
	}
	r, err := Replay(context.Background(), dir, ReplayOptions{Games: 1000, Factory: networkFiles})
	if err != nil || r.Games != 2*8 || r.Skipped != 8*8 || len(r.Reasons) == 0 {
		t.Errorf("without networks: %+v, %v", r, err)
	}
	nets := []string{filepath.Join(place, "nets", "two"), filepath.Join(place, "nets", "one")}
	r, err = Replay(context.Background(), dir, ReplayOptions{Games: 1000, Factory: networkFiles, Networks: nets})
	if err != nil || r.Games != 10*8 || r.Skipped != 0 || len(r.Differences) != 0 {
		t.Errorf("with networks: %+v, %v", r, err)
	}
}

// TestWriteGames: all games in one file, in their order, with the bytes that any
// other run of the design gives.
func TestWriteGames(t *testing.T) {
	d := smallDesign()
	var sums []string
	for _, workers := range []int{1, 3} {
		dir := t.TempDir()
		if err := Run(context.Background(), dir, d, RunOptions{Workers: workers}); err != nil {
			t.Fatal(err)
		}
		info, err := WriteGames(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, info.SHA256)
		games, err := datasets.ReadGames(filepath.Join(dir, GamesFile), &info)
		if err != nil {
			t.Fatal(err)
		}
		if len(games) != 2*d.Pairs*len(d.Cells()) {
			t.Fatalf("%d games", len(games))
		}
		for i, g := range games {
			if g.GameID != uint64(i+1) || g.PairID != uint64(i/2) {
				t.Fatalf("row %d is game %d of pair %d", i, g.GameID, g.PairID)
			}
		}
	}
	if sums[0] != sums[1] {
		t.Error("the bytes depend on the workers")
	}
}
