package datasets

import (
	"fmt"
	"math"
)

// Outcomes as they are stored, seen from player 0. Capped is no result: the game
// was stopped by the length cap, and no statistic may count it as a draw.
const (
	Win0   = "win0"
	Win1   = "win1"
	Draw   = "draw"
	Capped = "capped"
)

// validOutcome reports whether s is one of the four outcomes.
func validOutcome(s string) bool {
	return s == Win0 || s == Win1 || s == Draw || s == Capped
}

// Sample is one training row: one ply that was decided by a search. All values
// are seen from player 0, whoever moves; turning them to the mover's view is the
// network's business.
//
// Slices of a Sample that was read share memory with the other rows of its
// batch: they may be kept, and changed in place, but a kept row keeps its batch.
type Sample struct {
	GameID      uint64 // unique within the run
	Ply         uint32 // plies played in the game before this one
	RulesetHash string // content hash of the ruleset
	Player      uint8  // player to move, 0 or 1
	// State is the position in the engine's own compact encoding; planes are made
	// of it on load, so that a change of the planes does not spoil old data.
	State []byte
	// LegalCount is the number of legal actions, at least 2 in practice, since a
	// forced ply is not searched.
	LegalCount uint16
	// Actions are the actions that the search looked at, strictly ascending, in
	// the absolute frame. With Gumbel search these are all the legal ones.
	Actions []uint16
	Visits  []uint32  // visit counts, same length as Actions
	Policy  []float32 // improved policy, same length as Actions and summing to 1, or empty
	// RootValue is the search's value of the position for player 0, in [-1, 1].
	RootValue float32
	Played    uint16 // action that was played
	Outcome   string // Win0, Win1, Draw or Capped
	// OutcomeValue is the value target for player 0 in [-1, 1]. It is +1, -1 or 0
	// unless the run says otherwise, for example bootstrapped from the root value
	// where the game was capped.
	OutcomeValue  float32
	EndReason     string  // the engine's end reason; "turn-limit" or "" for a capped game
	PliesLeft     uint32  // plies from this one to the end, this one included
	FinalMaterial float32 // final material balance for player 0, in [-1, 1]
	// Survival has a bit for each square, little-endian: 1 if the piece there now
	// is on the board at the end. Empty if it was not computed.
	Survival      []byte
	Simulations   uint32 // simulations of the search
	Full          bool   // false for a cheap search of playout-cap randomisation
	NetworkHash   string // content hash of the network, "" for a search without one
	EngineVersion string // version of the program
	// Surprise is how much more the search found than the network's prior knew: the
	// Kullback-Leibler divergence of Policy from the prior over the legal actions,
	// in nats, at least 0. NaN if it is not known, as in files of schema version 1.
	Surprise float32
}

// sampleSchema describes the columns of a shard of samples.
var sampleSchema = &schemaOf[Sample]{
	kind:    Samples,
	version: 2,
	since:   map[string]int{"surprise": 2},
	absent:  func(r *Sample) { r.Surprise = float32(math.NaN()) },
	columns: func() []column[Sample] {
		type R = Sample
		return []column[R]{
			num("game_id", func(r *R) *uint64 { return &r.GameID }),
			num("ply", func(r *R) *uint32 { return &r.Ply }),
			str("ruleset_hash", func(r *R) *string { return &r.RulesetHash }),
			num("player", func(r *R) *uint8 { return &r.Player }),
			bin("state", func(r *R) *[]byte { return &r.State }),
			num("legal_count", func(r *R) *uint16 { return &r.LegalCount }),
			list("actions", func(r *R) *[]uint16 { return &r.Actions }),
			list("visits", func(r *R) *[]uint32 { return &r.Visits }),
			list("policy", func(r *R) *[]float32 { return &r.Policy }),
			num("root_value", func(r *R) *float32 { return &r.RootValue }),
			num("played", func(r *R) *uint16 { return &r.Played }),
			str("outcome", func(r *R) *string { return &r.Outcome }),
			num("outcome_value", func(r *R) *float32 { return &r.OutcomeValue }),
			str("end_reason", func(r *R) *string { return &r.EndReason }),
			num("plies_left", func(r *R) *uint32 { return &r.PliesLeft }),
			num("final_material", func(r *R) *float32 { return &r.FinalMaterial }),
			bin("survival", func(r *R) *[]byte { return &r.Survival }),
			num("simulations", func(r *R) *uint32 { return &r.Simulations }),
			boolean("full", func(r *R) *bool { return &r.Full }),
			str("network_hash", func(r *R) *string { return &r.NetworkHash }),
			str("engine_version", func(r *R) *string { return &r.EngineVersion }),
			num("surprise", func(r *R) *float32 { return &r.Surprise }),
		}
	},
	check: checkSample,
	game:  func(r *Sample) uint64 { return r.GameID },
}

// Tolerances of [Sample.Check]: policies are sums of up to some hundred float32
// values, and values are means of float32 values in [-1, 1].
const (
	policyTolerance = 1e-3
	valueTolerance  = 1e-4
)

// Check returns a [RowError] naming the first column that breaks an invariant of
// a single row, or nil. Writers refuse such rows, and [Verify] finds them.
func (s *Sample) Check() error { return rowError(s, sampleSchema, 0) }

// rowError runs the check of a schema.
func rowError[R any](r *R, s *schemaOf[R], row uint64) error {
	field, what := s.check(r)
	if field == "" {
		return nil
	}
	return &RowError{Row: row, GameID: s.game(r), Field: field, What: what}
}

func checkSample(s *Sample) (field, what string) {
	switch {
	case s.RulesetHash == "":
		return "ruleset_hash", "is empty"
	case s.Player > 1:
		return "player", fmt.Sprintf("is %d, not 0 or 1", s.Player)
	case len(s.State) == 0:
		return "state", "is empty"
	case s.LegalCount == 0:
		return "legal_count", "is 0: a position without a legal action is over"
	case len(s.Actions) > int(s.LegalCount):
		return "actions", fmt.Sprintf("has %d entries, only %d actions are legal", len(s.Actions), s.LegalCount)
	case len(s.Visits) != len(s.Actions):
		return "visits", fmt.Sprintf("has %d entries for %d actions", len(s.Visits), len(s.Actions))
	case len(s.Policy) != 0 && len(s.Policy) != len(s.Actions):
		return "policy", fmt.Sprintf("has %d entries for %d actions", len(s.Policy), len(s.Actions))
	}
	found := false
	var visits uint64
	for i, a := range s.Actions {
		if i > 0 && a <= s.Actions[i-1] {
			return "actions", fmt.Sprintf("is not strictly ascending: %d after %d", a, s.Actions[i-1])
		}
		found = found || a == s.Played
		visits += uint64(s.Visits[i])
	}
	if !found && len(s.Actions) == int(s.LegalCount) {
		return "played", fmt.Sprintf("is %d, which is not among the %d legal actions", s.Played, s.LegalCount)
	}
	if s.Simulations > 1 && visits == 0 && len(s.Policy) == 0 {
		return "visits", fmt.Sprintf("sum to 0 after %d simulations, and there is no policy", s.Simulations)
	}
	if len(s.Policy) > 0 {
		sum := 0.0
		for _, p := range s.Policy {
			if !(p >= 0 && p <= 1+policyTolerance) { // also refuses NaN
				return "policy", fmt.Sprintf("has the entry %g", p)
			}
			sum += float64(p)
		}
		if math.Abs(sum-1) > policyTolerance {
			return "policy", fmt.Sprintf("sums to %g instead of 1", sum)
		}
	}
	for _, v := range [...]struct {
		name  string
		value float32
	}{{"root_value", s.RootValue}, {"outcome_value", s.OutcomeValue}, {"final_material", s.FinalMaterial}} {
		if !(math.Abs(float64(v.value)) <= 1+valueTolerance) {
			return v.name, fmt.Sprintf("is %g, outside [-1, 1]", v.value)
		}
	}
	if s.Surprise < 0 || math.IsInf(float64(s.Surprise), 1) {
		return "surprise", fmt.Sprintf("is %g; it must be at least 0, or NaN", s.Surprise)
	}
	if !validOutcome(s.Outcome) {
		return "outcome", fmt.Sprintf("is %q, not win0, win1, draw or capped", s.Outcome)
	}
	if s.PliesLeft == 0 {
		return "plies_left", "is 0, but the ply itself is still to be played"
	}
	return "", ""
}
