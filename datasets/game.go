package datasets

import (
	"encoding/json"
	"fmt"
	"math"
)

// Game is the record of one whole game. It holds nothing that depends on the
// clock or the machine, so that a repeated run gives the same bytes.
//
// Counts with a suffix are by player. Slices of a Game that was read share
// memory with the other rows of its batch, as with [Sample].
type Game struct {
	GameID      uint64 // unique within the run
	RunID       string // name of the run or experiment
	Generation  uint32 // generation of the run, 0 in experiments
	Ruleset     string // reference that reopens the ruleset
	RulesetHash string // its content hash
	// Factors are the levels of the experiment's factors as one JSON object with
	// sorted keys, "" if there are none.
	Factors        string
	Agent0, Agent1 string // canonical agent specifications
	// Budget0 and Budget1 are simulations a ply, 0 for agents without search.
	Budget0, Budget1 uint32
	// StartID numbers the start position, and TwinID the start whose colours are
	// mirrored; both are 0 for games from the ruleset's own start.
	StartID, TwinID uint64
	// PairID numbers the unit of analysis (two games with twin starts or swapped
	// roles) and Half is 0 or 1 within it.
	PairID uint64
	Half   uint8
	Seed   uint64 // of the game's random streams
	Start  string // position string the game starts from, "" for the ruleset's start
	// Moves are all plies from Start in the absolute action encoding.
	Moves     []uint16
	Outcome   string // Win0, Win1, Draw or Capped
	EndReason string // the engine's end reason; "turn-limit" or "" for a capped game
	// Resigned is set if the game was ended by resignation; Outcome then is what
	// the resignation conceded.
	Resigned bool
	Plies    uint32 // len(Moves)
	Turns    uint32 // runs of plies by one player
	PlyCap   uint32 // length cap of the run in plies, 0 if none

	Captures0, Captures1       uint32 // enemy pieces taken by the player
	Bindings0, Bindings1       uint32 // enemy pieces bound by the player
	Hops0, Hops1               uint32 // hop plies
	BonusPlies0, BonusPlies1   uint32 // plies granted by a capture
	Removals0, Removals1       uint32 // bound pieces taken off by a removal ply
	LeaderPlies0, LeaderPlies1 uint32 // plies of the leader
	FinalPieces0, FinalPieces1 uint32 // pieces on the board at the end
	// Attrition has the pieces on the board at 25, 50 and 75 % of the plies, for
	// player 0 then 1 each time: 6 values, or none if not recorded.
	Attrition []uint16
	// Traffic counts plies by square (row*columns+column): placements on it,
	// arrivals by a move or hop, and captures of a piece standing on it. All three
	// have one entry a square, or are empty.
	Placements, Arrivals, Captures []uint32
	// Values are the mover's search values turned to player 0, one a ply, NaN where
	// a ply was not searched; empty if not recorded.
	Values []float32
	// CanonicalHash identifies the game, its start included, up to the symmetries of its
	// ruleset; whoever records the game computes it.
	CanonicalHash              uint64
	NetworkHash0, NetworkHash1 string // content hash of each agent's network, "" if none
	EngineVersion              string
}

// gameSchema describes the columns of a shard of games.
var gameSchema = &schemaOf[Game]{
	kind:    Games,
	version: 1,
	columns: func() []column[Game] {
		type R = Game
		return []column[R]{
			num("game_id", func(r *R) *uint64 { return &r.GameID }),
			str("run_id", func(r *R) *string { return &r.RunID }),
			num("generation", func(r *R) *uint32 { return &r.Generation }),
			str("ruleset", func(r *R) *string { return &r.Ruleset }),
			str("ruleset_hash", func(r *R) *string { return &r.RulesetHash }),
			str("factors", func(r *R) *string { return &r.Factors }),
			str("agent0", func(r *R) *string { return &r.Agent0 }),
			str("agent1", func(r *R) *string { return &r.Agent1 }),
			num("budget0", func(r *R) *uint32 { return &r.Budget0 }),
			num("budget1", func(r *R) *uint32 { return &r.Budget1 }),
			num("start_id", func(r *R) *uint64 { return &r.StartID }),
			num("twin_id", func(r *R) *uint64 { return &r.TwinID }),
			num("pair_id", func(r *R) *uint64 { return &r.PairID }),
			num("half", func(r *R) *uint8 { return &r.Half }),
			num("seed", func(r *R) *uint64 { return &r.Seed }),
			str("start", func(r *R) *string { return &r.Start }),
			list("moves", func(r *R) *[]uint16 { return &r.Moves }),
			str("outcome", func(r *R) *string { return &r.Outcome }),
			str("end_reason", func(r *R) *string { return &r.EndReason }),
			boolean("resigned", func(r *R) *bool { return &r.Resigned }),
			num("plies", func(r *R) *uint32 { return &r.Plies }),
			num("turns", func(r *R) *uint32 { return &r.Turns }),
			num("ply_cap", func(r *R) *uint32 { return &r.PlyCap }),
			num("captures0", func(r *R) *uint32 { return &r.Captures0 }),
			num("captures1", func(r *R) *uint32 { return &r.Captures1 }),
			num("bindings0", func(r *R) *uint32 { return &r.Bindings0 }),
			num("bindings1", func(r *R) *uint32 { return &r.Bindings1 }),
			num("hops0", func(r *R) *uint32 { return &r.Hops0 }),
			num("hops1", func(r *R) *uint32 { return &r.Hops1 }),
			num("bonus_plies0", func(r *R) *uint32 { return &r.BonusPlies0 }),
			num("bonus_plies1", func(r *R) *uint32 { return &r.BonusPlies1 }),
			num("removals0", func(r *R) *uint32 { return &r.Removals0 }),
			num("removals1", func(r *R) *uint32 { return &r.Removals1 }),
			num("leader_plies0", func(r *R) *uint32 { return &r.LeaderPlies0 }),
			num("leader_plies1", func(r *R) *uint32 { return &r.LeaderPlies1 }),
			num("final_pieces0", func(r *R) *uint32 { return &r.FinalPieces0 }),
			num("final_pieces1", func(r *R) *uint32 { return &r.FinalPieces1 }),
			list("attrition", func(r *R) *[]uint16 { return &r.Attrition }),
			list("traffic_placements", func(r *R) *[]uint32 { return &r.Placements }),
			list("traffic_arrivals", func(r *R) *[]uint32 { return &r.Arrivals }),
			list("traffic_captures", func(r *R) *[]uint32 { return &r.Captures }),
			list("values", func(r *R) *[]float32 { return &r.Values }),
			num("canonical_hash", func(r *R) *uint64 { return &r.CanonicalHash }),
			str("network_hash0", func(r *R) *string { return &r.NetworkHash0 }),
			str("network_hash1", func(r *R) *string { return &r.NetworkHash1 }),
			str("engine_version", func(r *R) *string { return &r.EngineVersion }),
		}
	},
	check: checkGame,
	game:  func(r *Game) uint64 { return r.GameID },
}

// Check returns a [RowError] naming the first column that breaks an invariant of
// a single row, or nil. Writers refuse such rows, and [Verify] finds them.
func (g *Game) Check() error { return rowError(g, gameSchema, 0) }

func checkGame(g *Game) (field, what string) {
	switch {
	case g.RulesetHash == "":
		return "ruleset_hash", "is empty"
	case !validOutcome(g.Outcome):
		return "outcome", fmt.Sprintf("is %q, not win0, win1, draw or capped", g.Outcome)
	case uint64(len(g.Moves)) != uint64(g.Plies):
		return "plies", fmt.Sprintf("is %d, there are %d moves", g.Plies, len(g.Moves))
	case g.Turns > g.Plies:
		return "turns", fmt.Sprintf("is %d, more than the %d plies", g.Turns, g.Plies)
	case g.Outcome == Capped && g.Resigned:
		return "resigned", "is set for a capped game"
	case g.Half > 1:
		return "half", fmt.Sprintf("is %d, not 0 or 1", g.Half)
	case len(g.Attrition) != 0 && len(g.Attrition) != 6:
		return "attrition", fmt.Sprintf("has %d entries instead of 6", len(g.Attrition))
	case len(g.Arrivals) != len(g.Placements) || len(g.Captures) != len(g.Placements):
		return "traffic_arrivals", fmt.Sprintf("the traffic columns have %d, %d and %d squares",
			len(g.Placements), len(g.Arrivals), len(g.Captures))
	case len(g.Values) != 0 && len(g.Values) != len(g.Moves):
		return "values", fmt.Sprintf("has %d entries for %d moves", len(g.Values), len(g.Moves))
	}
	for _, c := range [...]struct {
		name string
		sum  uint64
	}{
		{"hops0", uint64(g.Hops0) + uint64(g.Hops1)},
		{"bonus_plies0", uint64(g.BonusPlies0) + uint64(g.BonusPlies1)},
		{"removals0", uint64(g.Removals0) + uint64(g.Removals1)},
		{"leader_plies0", uint64(g.LeaderPlies0) + uint64(g.LeaderPlies1)},
	} {
		if c.sum > uint64(g.Plies) {
			return c.name, fmt.Sprintf("both players together have %d in %d plies", c.sum, g.Plies)
		}
	}
	for i, v := range g.Values {
		if math.Abs(float64(v)) > 1+valueTolerance {
			return "values", fmt.Sprintf("of ply %d is %g, outside [-1, 1]", i, v)
		}
	}
	if g.Factors != "" {
		var m map[string]any
		if err := json.Unmarshal([]byte(g.Factors), &m); err != nil {
			return "factors", fmt.Sprintf("is not a JSON object: %v", err)
		}
	}
	return "", ""
}
