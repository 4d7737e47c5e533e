package selfplay

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"latro/datasets"
	"latro/env/engine"
	"latro/env/seed"
)

// shards reads a run's games and samples.
func shards(t *testing.T, r *Run) (games []datasets.Game, samples []datasets.Sample) {
	t.Helper()
	for _, s := range r.Manifest().Shards {
		g, err := datasets.ReadGames(filepath.Join(r.Dir, s.Games.Path), &s.Games)
		if err != nil {
			t.Fatal(err)
		}
		x, err := datasets.ReadSamples(filepath.Join(r.Dir, s.Samples.Path), &s.Samples)
		if err != nil {
			t.Fatal(err)
		}
		games, samples = append(games, g...), append(samples, x...)
	}
	return games, samples
}

// played is a run of one generation that has its games but is not trained yet.
func played(t *testing.T, c Config) *Run {
	t.Helper()
	r, err := Create(t.TempDir(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Generate(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// The survival mask is compared with each piece followed by itself through the recorded moves: where it goes, and
// whether it is among what a ply takes off. Binding and removal, hops and captures of several men are among the rulesets.
func TestSurvivalFollowsEachPiece(t *testing.T) {
	for _, ruleset := range [][]string{
		{"bell-8x7", "board.rows=5", "board.cols=5", "pieces.men=4"},
		{"locus-ludi-seneca"}, {"6x6-kharebga"},
	} {
		c := tiny()
		c.Ruleset, c.Set = ruleset[0], ruleset[1:]
		c.Games, c.Search.Simulations, c.MaxPlies = 2, 2, 100
		r := played(t, c)
		games, samples := shards(t, r)
		byID := map[uint64]*datasets.Game{}
		for i := range games {
			byID[games[i].GameID] = &games[i]
		}
		lost := 0
		for i := range samples {
			x := &samples[i]
			game := byID[x.GameID]
			if want := game.Plies - x.Ply; x.PliesLeft != want {
				t.Fatalf("%s: plies left %d, want %d", ruleset[0], x.PliesLeft, want)
			}
			s := r.Game.NewState()
			for _, m := range game.Moves[:x.Ply] {
				s.Play(engine.Action(m))
			}
			var at []int // where each piece is, -1 once it is gone
			from := s.Clone()
			for sq := range r.Game.Squares() {
				if s.At(sq) != engine.Empty {
					at = append(at, sq)
				}
			}
			start := slices.Clone(at)
			for _, m := range game.Moves[x.Ply:] {
				p := s.PlyOf(engine.Action(m))
				s.Play(engine.Action(m))
				taken := s.LastEffects().Captured
				for k, sq := range at {
					if sq >= 0 && sq == p.From && (p.Kind == engine.Move || p.Kind == engine.Hop) {
						at[k] = p.To
					}
					if at[k] >= 0 && slices.Contains(taken, uint16(at[k])) {
						at[k] = -1
						lost++
					}
				}
			}
			want := make([]byte, (r.Game.Squares()+7)/8)
			for k, sq := range start {
				if at[k] >= 0 {
					want[sq/8] |= 1 << (sq % 8)
				}
			}
			if !slices.Equal(x.Survival, want) {
				t.Fatalf("%s: game %d, ply %d: survival %08b, want %08b in %s", ruleset[0], x.GameID, x.Ply, x.Survival, want, from.Position())
			}
		}
		if lost == 0 || len(samples) < 50 {
			t.Errorf("%s: %d samples, %d pieces lost: the test shows nothing", ruleset[0], len(samples), lost)
		}
	}
}

// Targets of the auxiliary heads are in the mover's frame, turned by the symmetry of their sample, and missing exactly
// where nothing is known.
func TestAuxiliaryTargets(t *testing.T) {
	c := tiny()
	c.Generations, c.MaxPlies = 1, 40
	c.Search.FullShare, c.Search.CheapSimulations = 0.7, 2
	c.Training.SurvivalLoss, c.Training.PliesLoss, c.Training.ReplyLoss = 0.5, 0.1, 0.15
	r := played(t, c)
	network, err := r.network(Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.newLearner(network, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if _, _, err := l.load(0); err != nil {
		t.Fatal(err)
	}
	_, samples := shards(t, r)
	rng := seed.New(1, seed.Train, 99)
	pieces := []int{}
	for i, name := range r.Encoder.Planes() {
		switch name {
		case "own-men", "enemy-men", "own-leader", "enemy-leader", "own-bound", "enemy-bound":
			pieces = append(pieces, i)
		}
	}
	area := r.Game.Squares()
	actions := r.Encoder.NumActions()
	dead, replies, unknown, turned := 0, 0, 0, 0
	for range 20 {
		if err := l.fill(rng); err != nil {
			t.Fatal(err)
		}
		b := &l.batch
		for i := range b.N {
			s := samples[l.rows[i]]
			total, bits := float32(0), 0
			for sq := range area {
				piece := float32(0)
				for _, plane := range pieces {
					piece += b.Obs[i*len(r.Encoder.Planes())*area+plane*area+sq]
				}
				if b.SurvivalMask[i*area+sq] != piece || b.Survival[i*area+sq] > piece {
					t.Fatalf("square %d: mask %v and survival %v where the observation has %v", sq, b.SurvivalMask[i*area+sq], b.Survival[i*area+sq], piece)
				}
				total += b.Survival[i*area+sq]
				dead += int(piece - b.Survival[i*area+sq])
			}
			for _, x := range s.Survival {
				for ; x > 0; x &= x - 1 {
					bits++
				}
			}
			if int(total) != bits {
				t.Fatalf("%v pieces survive, the sample says %d", total, bits)
			}
			if known := s.Outcome != datasets.Capped; (b.PliesWeight[i] == 1) != known || b.PliesLeft[i] != float32(s.PliesLeft) {
				t.Fatalf("plies left %v with weight %v for a game with outcome %s", b.PliesLeft[i], b.PliesWeight[i], s.Outcome)
			}
			// The reply found in another way: the first later ply of the other player in the file.
			var want *datasets.Sample
			for k := range samples {
				x := &samples[k]
				if x.GameID == s.GameID && x.Ply > s.Ply && x.Player != s.Player && (want == nil || x.Ply < want.Ply) {
					want = x
				}
			}
			if want != nil && !want.Full {
				want = nil
			}
			policy := b.Reply[i*actions : (i+1)*actions]
			if b.ReplyWeight[i] == 0 {
				unknown++
				if want != nil || slices.Max(policy) != 0 {
					t.Fatal("a reply is missing")
				}
				continue
			}
			replies++
			if want == nil {
				t.Fatal("a reply that there is not")
			}
			// One symmetry carries the sample's own policy to the batch's; the same one must carry the reply's.
			found := false
			for k := range r.Variants[0].syms {
				ok := true
				for j, a := range s.Actions {
					ok = ok && b.Policy[i*actions+int(r.Variants[0].syms[k].Action[r.Encoder.ToFrame(int(s.Player), engine.Action(a))])] == s.Policy[j]
				}
				sum := 0.0
				for j, a := range want.Actions {
					at := r.Variants[0].syms[k].Action[r.Encoder.ToFrame(int(s.Player), engine.Action(a))]
					ok = ok && policy[at] == want.Policy[j]
					sum += float64(policy[at])
				}
				if ok && math.Abs(sum-1) < 1e-3 {
					found = true
					turned += min(k, 1)
				}
			}
			if !found {
				t.Fatal("the reply is not that of the opponent's next ply")
			}
		}
	}
	if dead == 0 || replies == 0 || unknown == 0 || turned == 0 {
		t.Errorf("%d pieces lost, %d replies, %d without, %d turned: the test shows nothing", dead, replies, unknown, turned)
	}
}

// Samples say how much the search overruled the network.
func TestSurprise(t *testing.T) {
	if got := surprise([]float32{0.5, 0.5, 0}, []float32{0.25, 0.5, 0.25}); math.Abs(float64(got)-0.5*math.Ln2) > 1e-6 {
		t.Errorf("surprise %v", got)
	}
	if got := surprise([]float32{1, 0}, []float32{0, 1}); math.IsInf(float64(got), 0) || got < 20 {
		t.Errorf("surprise of what the network had ruled out: %v", got)
	}
	_, samples := shards(t, played(t, tiny()))
	for i := range samples {
		if x := samples[i].Surprise; !(x > 0 && x < 30) {
			t.Fatalf("ply %d of game %d has surprise %v", samples[i].Ply, samples[i].GameID, x)
		}
	}
}
