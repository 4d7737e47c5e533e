package selfplay

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"latro/datasets"
	"latro/env/engine"
	"latro/mcts"
	"latro/nn"
)

// TestOpponent: the opponent plays the sides that it was dealt and no other, what it chose is the whole policy target and was
// played, its games count for the score as their rows say, and the same games come out with any number of workers.
func TestOpponent(t *testing.T) {
	c := tiny()
	c.Games, c.MaxPlies = 48, 120
	c.Opponent = OpponentConfig{Agent: "greedy", Share: 0.5, Alone: 0.2}
	r := played(t, c)
	games, samples := shards(t, r)
	byID := map[uint64][]datasets.Sample{}
	eachGame(samples, func(game []datasets.Sample) { byID[game[0].GameID] = game })
	var stats GenerateStats
	kinds := map[sides]int{}
	met, points := 0, 0.0
	spec, err := mcts.ParseSpec(c.Opponent.Agent)
	if err != nil {
		t.Fatal(err)
	}
	for i := range games {
		g := &games[i]
		stats.add(g, 0)
		dealt := r.Config.opponentSides(0, int(g.GameID&(1<<32-1)))
		kinds[dealt]++
		for p, agent := range []string{g.Agent0, g.Agent1} {
			if (agent == spec.String()) != dealt.has(p) || (agent == agentSelf) != (dealt == 0) {
				t.Errorf("game %d: player %d is %q, dealt %b", g.GameID, p, agent, dealt)
			}
		}
		if dealt == 1 || dealt == 2 {
			met++
			network := 0
			if dealt == 1 {
				network = 1
			}
			switch g.Outcome {
			case []string{datasets.Win0, datasets.Win1}[network]:
				points++
			case datasets.Draw, datasets.Capped:
				points += 0.5
			}
		}
		for _, s := range byID[g.GameID] {
			at := slices.Index(s.Actions, s.Played)
			mine := dealt.has(int(s.Player))
			if at < 0 || mine != (s.NetworkHash == "") {
				t.Fatalf("game %d ply %d: played %d of %v, network %q, dealt %b", g.GameID, s.Ply, s.Played, s.Actions, s.NetworkHash, dealt)
			}
			if mine && (s.Policy[at] != 1 || s.Visits[at] != 1 || !s.Full || len(s.Actions) < 2) {
				t.Errorf("game %d ply %d: the opponent's sample is %+v", g.GameID, s.Ply, s)
			}
			if g.Moves[s.Ply] != s.Played {
				t.Errorf("game %d ply %d: the sample has %d, the game %d", g.GameID, s.Ply, s.Played, g.Moves[s.Ply])
			}
		}
	}
	if stats.Met != met || stats.Points != points {
		t.Errorf("%d games with %v points, want %d with %v", stats.Met, stats.Points, met, points)
	}
	for _, k := range []sides{0, 1, 2, 3} {
		if kinds[k] == 0 {
			t.Fatalf("no game of each kind: %v", kinds)
		}
	}
	c.Opponent.Generations = 1
	if c.opponentSides(0, 0)|c.opponentSides(0, 1)|c.opponentSides(0, 2)|c.opponentSides(0, 3) == 0 {
		t.Error("no opponent in the first generation")
	}
	for i := range 100 {
		if c.opponentSides(1, i) != 0 {
			t.Fatal("an opponent after its generations")
		}
	}
}

// TestOpponentRepeats: a run with an opponent is the same bytes with any number of workers.
func TestOpponentRepeats(t *testing.T) {
	c := tiny()
	c.Opponent = OpponentConfig{Agent: "alphabeta:nodes=50", Share: 0.5, Alone: 0.25}
	var want string
	for _, workers := range []int{1, 3} {
		r, err := Create(t.TempDir(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		if err := r.Generate(t.Context(), Options{Workers: workers}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range r.manifest.Shards {
			got = append(got, s.Games.SHA256, s.Samples.SHA256)
		}
		if text := strings.Join(got, " "); want == "" {
			want = text
		} else if text != want {
			t.Error("the number of workers changes the games")
		}
	}
}

func TestOpponentProblems(t *testing.T) {
	for want, o := range map[string]OpponentConfig{
		"opponent.agent is missing":             {Share: 0.5},
		"opponent.share is missing":             {Agent: "greedy"},
		"opponent.share is 2":                   {Agent: "greedy", Share: 2},
		"opponent.alone is -1":                  {Agent: "greedy", Alone: -1, Share: 0.5},
		"together is 1.5":                       {Agent: "greedy", Share: 0.75, Alone: 0.75},
		"opponent.generations is -1":            {Agent: "greedy", Share: 0.5, Generations: -1},
		`opponent.agent is "bold"`:              {Agent: "bold", Share: 0.5},
		"without a network":                     {Agent: "net:simulations=8", Share: 0.5},
		"leave out seconds":                     {Agent: "alphabeta:seconds=1", Share: 0.5},
		"leave out weights":                     {Agent: "alphabeta:nodes=10,weights=w.json", Share: 0.5},
		`opponent.agent is "alphabeta:knots=3"`: {Agent: "alphabeta:knots=3", Share: 0.5},
	} {
		c := tiny()
		c.Opponent = o
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// TestTrainedProbe: a run's look ahead is in its games, is kept in its networks, and their agent plays with it unless told
// otherwise; a run that begins with such a network and has none does not keep it.
func TestTrainedProbe(t *testing.T) {
	c := tiny()
	c.Games, c.MaxPlies = 8, 40
	plain := played(t, c)
	c.Search.Probe = 30
	r := played(t, c)
	if r.manifest.Shards[0].Samples.SHA256 == plain.manifest.Shards[0].Samples.SHA256 {
		t.Error("the look ahead changes nothing in self-play")
	}
	path, err := LatestCheckpoint(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	game := r.Variants[0].Game
	var chosen [3][]engine.Action
	for i, option := range []string{"", ",probe=30", ",probe=0"} {
		spec, err := mcts.ParseSpec("net:simulations=16,path=" + path + option)
		if err != nil {
			t.Fatal(err)
		}
		agent, err := new(Agents).New(spec, game, r.Ruleset.Hash())
		if err != nil {
			t.Fatal(err)
		}
		s := game.NewState()
		rng := rand.New(rand.NewPCG(1, 2))
		for !s.Over() && len(chosen[i]) < 30 {
			d, err := agent.Choose(s, rng)
			if err != nil {
				t.Fatal(err)
			}
			chosen[i] = append(chosen[i], d.Action)
			s.Play(d.Action)
		}
	}
	if !slices.Equal(chosen[0], chosen[1]) || slices.Equal(chosen[0], chosen[2]) {
		t.Errorf("by default %v, with the run's look ahead %v, without %v", chosen[0], chosen[1], chosen[2])
	}
	c.Search.Probe, c.InitFrom = 0, path
	heir := played(t, c)
	if path, err = LatestCheckpoint(heir.Dir); err != nil {
		t.Fatal(err)
	}
	n, err := nn.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if probeOf(n) != 0 {
		t.Error("a run without a look ahead keeps its parent's")
	}
}
