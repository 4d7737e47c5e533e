package audit

import (
	"latro/experiments/stats"
)

// Level is the confidence level of every interval of a report.
const Level = 0.95

// Report is what an audit found. Its JSON form is what latro rules audit --json prints. Shares are of games, with
// Wilson's interval; plies of states count the plies before them.
type Report struct {
	// Ruleset is the reference that opens the same rules again, Name their name, Hash their hash.
	Ruleset string `json:"ruleset"`
	Name    string `json:"name"`
	Hash    string `json:"hash"`
	Seed    uint64 `json:"seed"`
	// Games is the number of games of each group, Cap the length cap in plies.
	Games int `json:"games"`
	Cap   int `json:"cap"`
	// Replayed is the number of games of each group that were followed under other rules (the first so many), and
	// ReplayedPlies the plies of all of these.
	Replayed      int `json:"replayed"`
	ReplayedPlies int `json:"replayed_plies"`
	// Values is the number of other values of parameters that were tried.
	Values int `json:"values"`

	// Verdicts are the findings in sentences.
	Verdicts []string `json:"verdicts"`
	// Hunger says what a side needs in order to capture.
	Hunger string `json:"hunger"`
	// Groups are the three groups of games: random, greedy, mixed.
	Groups []Group `json:"groups"`
	// Parameters has every parameter, in the order of a ruleset file.
	Parameters []Parameter `json:"parameters"`
	// Undefined are the parameters that the source does not state and that decided something.
	Undefined []Undefined `json:"undefined"`
	// Unruled are ends that the source does not rule.
	Unruled []Unruled `json:"unruled"`
	// Examples are the shortest games, by key.
	Examples []Example `json:"examples"`
}

// Share is a number of games with its share of all.
type Share struct {
	// Key names it in Example.
	Key   string         `json:"key"`
	Words string         `json:"words"`
	Count int            `json:"count"`
	Share stats.Interval `json:"share"`
}

// Group is what came of one group of games.
type Group struct {
	// Name is random, greedy or mixed; Players says who played.
	Name    string `json:"name"`
	Players string `json:"players"`
	// Outcomes are those of the first player, player 0.
	Outcomes stats.Tally `json:"outcomes"`
	// Ends are the ways in which games can end under the rules, and the cap; they add up to all games.
	Ends []Share `json:"ends"`
	// Pathologies do not exclude one another.
	Pathologies []Share `json:"pathologies"`
	// NoCapture are the games in which nothing was captured or bound.
	NoCapture Share `json:"no_capture"`
	// Lengths in plies. Mean and Median count a capped game with the cap.
	MeanPlies   float64 `json:"mean_plies"`
	MedianPlies float64 `json:"median_plies"`
	// MedianEnded is over the games that ended; null if there are none.
	MedianEnded *float64 `json:"median_plies_ended"`
	Shortest    int      `json:"shortest"`
	Longest     int      `json:"longest"`
	// SeenBefore is the share of the plies of the movement phase that led to a position of the same game; null without
	// such plies. MostOften is the largest number of occurrences of one position in one game.
	SeenBefore *float64 `json:"seen_before"`
	MostOften  int      `json:"most_often"`
	// Passes is the number of forced passes, in all games.
	Passes int `json:"forced_passes"`
	// Score is the first player's, (W + D/2 + capped/2)/N, with Student's interval; ScoreLow and ScoreHigh are its bounds if
	// every capped game were lost, and won.
	Score     stats.Interval `json:"score"`
	ScoreLow  float64        `json:"score_low"`
	ScoreHigh float64        `json:"score_high"`
	// Greedy is the greedy player's score in the mixed games, with the bounds; null in the other groups.
	Greedy     *stats.Interval `json:"greedy_score"`
	GreedyLow  *float64        `json:"greedy_score_low"`
	GreedyHigh *float64        `json:"greedy_score_high"`
	// Capped tells what the capped games look like; null if there are none.
	Capped *Capped `json:"capped"`
}

// Capped tells what games look like when the cap stops them. All are medians.
type Capped struct {
	// Quiet is the number of plies since the last capture or removal, Pieces what each player has left.
	Quiet  float64    `json:"quiet_plies"`
	Pieces [2]float64 `json:"pieces"`
	// Cycling is the number of capped games that went in circles at the end.
	Cycling int `json:"cycling"`
}

// The values of Parameter.Status.
const (
	// Mattered: another value changed something in some game.
	Mattered = "mattered"
	// NeverMattered: no other value changed anything in any game followed.
	NeverMattered = "never mattered"
	// ChangesStart: every other value changes the board, the pieces or the start position.
	ChangesStart = "changes the start"
	// Meaningless: the other parameters leave it nothing to say.
	Meaningless = "no meaning"
	// NotVaried: no other value can be played with the rest.
	NotVaried = "not varied"
)

// Parameter is what an audit found about one parameter.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Certainty is that of the ruleset's provenance: attested, argued or assumed.
	Certainty string `json:"certainty"`
	Status    string `json:"status"`
	// Why says why it was not varied; else empty.
	Why string `json:"why,omitempty"`
	// Values are the other values that were tried.
	Values []Alternative `json:"values"`
	// Count and Share are of the games followed in which at least one other value changed something; FirstPly is the
	// median, over these, of the plies before the first such state. Null where nothing was tried or nothing changed.
	Count    int             `json:"count"`
	Share    *stats.Interval `json:"share"`
	FirstPly *float64        `json:"first_ply"`
}

// Alternative is what another value of a parameter changed.
type Alternative struct {
	// Key names its example.
	Key   string `json:"key"`
	Value string `json:"value"`
	// Readings names the ruleset's own readings that have this value: doubts of the source, not only of the audit.
	Readings []string `json:"readings,omitempty"`
	// With is what else had to change for the value to be playable.
	With []string `json:"with,omitempty"`
	// Start says that it changes the start, so that no game could be followed.
	Start    bool            `json:"changes_start,omitempty"`
	Count    int             `json:"count"`
	Share    *stats.Interval `json:"share"`
	FirstPly *float64        `json:"first_ply"`
	// Kinds counts the games by how they first differed: legal, effect, turn, end.
	Kinds map[string]int `json:"kinds"`
}

// Undefined is a parameter that the source does not state, and that decided what was legal, what a ply did or how a
// game ended.
type Undefined struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note"`
	// Readings are those of the ruleset that have another value of it: doubts that were known before.
	Readings []string `json:"readings"`
	// Key names its shortest example.
	Key   string         `json:"key"`
	Count int            `json:"count"`
	Share stats.Interval `json:"share"`
	// States is the number of states so decided, at least: a game is followed only until the altered one has become
	// another game.
	States int `json:"states"`
	// FirstPly is the median, over the games, of the plies before the first such state.
	FirstPly float64 `json:"first_ply"`
}

// Unruled is a way in which games ended, or did not, without a rule of the source.
type Unruled struct {
	Key   string         `json:"key"`
	Words string         `json:"words"`
	Count int            `json:"count"`
	Share stats.Interval `json:"share"` // of the games of all three groups
}

// Example is the shortest game, among those played, that shows something.
type Example struct {
	Key   string `json:"key"`
	Words string `json:"words"`
	// Group, Game and the report's seed name the game; Plies is how many of its plies lead to the state.
	Group string `json:"group"`
	Game  int    `json:"game"`
	Plies int    `json:"plies"`
	// Moves are these plies. Position is the state that they lead to, without what the repetition rule remembers
	// (the moves give that).
	Moves    []string `json:"moves"`
	Position string   `json:"position"`
	// Board is the same as a diagram, top row first.
	Board []string `json:"board"`
	// Difference tells how the state differs under the other value; null for examples that are not about one.
	Difference *Difference `json:"difference"`
}

// Difference is how two games with the same plies differ.
type Difference struct {
	// Kind is legal, effect, turn or end.
	Kind string `json:"kind"`
	// Rule is the changed rule, "capture.corner=neutral".
	Rule string `json:"rule"`
	// Ply is the last ply, for effect and turn.
	Ply string `json:"ply,omitempty"`
	// AsPlayed and Altered say how the game stands, for turn and end.
	AsPlayed string `json:"as_played,omitempty"`
	Altered  string `json:"altered,omitempty"`
	// Squares lists what stands otherwise, for effect.
	Squares []string `json:"squares,omitempty"`
	// For legal: the plies that only one of the two allows, and the number of those that both allow.
	OnlyAsPlayed []string `json:"only_as_played,omitempty"`
	OnlyAltered  []string `json:"only_altered,omitempty"`
	Both         int      `json:"both,omitempty"`
}

// Find returns the example with that key, nil if there is none.
func (r *Report) Find(key string) *Example {
	for i := range r.Examples {
		if r.Examples[i].Key == key {
			return &r.Examples[i]
		}
	}
	return nil
}
